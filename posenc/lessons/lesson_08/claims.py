"""What lesson 8 claims."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

ANY_WIDTH = Setting("width", 2, 130, 1, 64, "width")
EVEN_WIDTH = Setting("width", 2, 512, 2, 64, "width")
BASE = Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base")


def _norm(width: float = 64, position: float = 100) -> float:
    return float(geometry.norms(encodings.sinusoidal_at(int(position), int(width))))


def _norm_holds(measured: float, width: float = 64, position: float = 100) -> tuple[bool, str]:
    width = int(width)
    if width % 2 == 0:
        return True, f"There are {width // 2} pairs, and each adds sin² + cos² = 1 to the square."
    extra = measured**2 - width // 2
    return False, (
        f"{width // 2} pairs give {width // 2}, and the lone sine adds its own square: "
        f"{extra:.4f} at this position, a different amount at others."
    )


def _spread(width: float = 64, base: float = 10000.0, length: float = 512) -> float:
    return geometry.diagonal_spread(encodings.sinusoidal(int(length), int(width), base))


def _spread_holds(
    measured: float, width: float = 64, base: float = 10000.0, length: float = 512
) -> tuple[bool, str]:
    if int(width) % 2 == 0:
        return (
            measured < 1e-10,
            "Each pair adds cos((a − b)·ω), in which only the distance a − b occurs.",
        )
    return (
        False,
        "The lone last sine adds sin(a·ω)·sin(b·ω), in which the two positions occur one by one.",
    )


def _mean_cosines(width: float = 64, base: float = 10000.0) -> Array:
    return geometry.distance_profile(int(width), [512, 1024], base) / (int(width) // 2)


def _mean_cosines_hold(
    measured: Array, width: float = 64, base: float = 10000.0
) -> tuple[bool, str]:
    if measured[1] > measured[0]:
        return True, "Twice as far, and more similar."
    return (
        False,
        "Between these two distances it falls. Two distances are no trend: try a few widths, and "
        "the playground below.",
    )


def roformer_bound(width: int, length: int) -> Array:
    """The bound of RoFormer, section 3.4.3, at distances 0 … length - 1: (length,).

    The mean over i of |Σ e^{i·distance·ω_j}|, the sum over the first i + 1 pairs.
    """
    angles = np.arange(length)[:, None] * encodings.frequencies(width)
    return np.abs(np.cumsum(np.exp(1j * angles), axis=1)).mean(axis=1)


def _bound_rises(width: float = 64, length: float = 512) -> int:
    return int((np.diff(roformer_bound(int(width), int(length))) > 0).sum())


def _bound_holds(measured: int, width: float = 64, length: float = 512) -> tuple[bool, str]:
    bound = roformer_bound(int(width), int(length))
    if measured == 0:
        return False, f"Over these {len(bound) - 1} steps it only falls. Look farther."
    first = int((np.diff(bound) > 0).argmax())
    return True, (
        f"{measured} of {len(bound) - 1} steps go up, the first from distance {first}, while the "
        f"bound goes from {bound[0]:.1f} to {bound[-1]:.1f}."
    )


CLAIMS = (
    Claim(
        "norm-64",
        "Every row of the table has the length √(width/2)",
        5.6569,
        5e-5,
        _norm,
        (ANY_WIDTH, Setting("position", 0, 5000, 1, 100, "position")),
        _norm_holds,
        section="lone-sine",
    ),
    Claim(
        "diagonal-spread-64",
        "Along each diagonal of P Pᵀ all entries are equal, up to rounding",
        0.0,
        1e-12,
        _spread,
        (ANY_WIDTH, BASE, Setting("length", 2, 1000, 1, 512, "rows")),
        _spread_holds,
        section="diagonals",
    ),
    Claim(
        "profile-mean-cosine-64",
        "Two rows are more similar at distance 1024 than at distance 512, by their mean cosine",
        [0.1854, 0.2629],
        5e-5,
        _mean_cosines,
        (EVEN_WIDTH, BASE),
        _mean_cosines_hold,
        section="no-decay",
    ),
    Claim(
        "roformer-bound",
        "RoFormer's bound shrinks as a trend and goes up at many single steps (counted here)",
        233,
        0,
        _bound_rises,
        (EVEN_WIDTH, Setting("length", 3, 2048, 1, 512, "distances")),
        _bound_holds,
        section="what-remains",
    ),
)
