"""What lesson 4 claims."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings, geometry
from posenc.attention import SIX_TOKENS
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

Tables = tuple[Array, Array]


def _content_spread() -> float:
    return float(np.ptp(SIX_TOKENS @ SIX_TOKENS.T) / 5**0.5)


def _spread(start: float = 0, length: float = 6, width: float = 5) -> float:
    return geometry.position_spread(int(start), int(length), int(width))


def _spread_holds(
    measured: float, start: float = 0, length: float = 6, width: float = 5
) -> tuple[bool, str]:
    content = float(np.ptp(SIX_TOKENS @ SIX_TOKENS.T)) / width**0.5
    return measured > content, (
        f"The content of the six tokens, divided by the same root, spreads by {content:.2f}; "
        f"the positions {int(start)} to {int(start + length) - 1} by {measured:.2f}."
    )


def _ratios(unit: float = 1.0) -> Array:
    """Spread of the positions, each times `unit`, over that of the content, at four starts."""
    spreads = np.array([geometry.position_spread(start, 6, 5) for start in (0, 10, 100, 1000)])
    return unit**2 * spreads / _content_spread()


def _ratios_hold(measured: Array, unit: float = 1.0) -> tuple[bool, str]:
    first, last = float(measured[0]), float(measured[-1])
    if (measured > 1).all():
        return True, f"The ratio grows from {first:.3g} to {last:.4g}; content never catches up."
    return False, (
        f"Counted in units of {unit:g}, the positions begin below the content, at {first:.3g}, "
        f"where they drown. The ratio grows as before, to {last:.3g}: only the start has moved."
    )


def _largest_share(start: float = 0, unit: float = 1.0) -> float:
    """Mean over the six tokens of the largest share, positions times `unit` appended."""
    positions = unit * np.arange(int(start), int(start) + 6)
    _, shares = attention.identity_attention(np.column_stack([SIX_TOKENS, positions]))
    return float(shares.max(axis=1).mean())


def _early_holds(measured: float, start: float = 0, unit: float = 1.0) -> tuple[bool, str]:
    bare = _largest_share(0, 0.0)
    return bool(measured < 0.9), (
        f"Without positions the mean of the largest share is {bare:.3f}, here it is "
        f"{measured:.3f}; from 0.9 on hardly anything is left for the other tokens."
    )


def _late_holds(measured: float, start: float = 100, unit: float = 1.0) -> tuple[bool, str]:
    if measured > 0.999:
        return True, "Every token reads one key, and the content has no say."
    return False, (
        f"With positions counted in units of {unit:g} from seat {int(start)} on, the largest "
        f"share is {measured:.3f}: the choice is not made by the positions alone."
    )


def _normalised(features: float = 64, seed: float = 0) -> Array:
    """Spread of the features after layer normalisation with 7, 100 and 100000 appended."""
    row = np.random.default_rng(int(seed)).standard_normal(int(features))
    return np.array(
        [attention.layer_norm(np.append(row, p))[:-1].std() for p in (7.0, 100.0, 100000.0)]
    )


def _normalised_holds(measured: Array, features: float = 64, seed: float = 0) -> tuple[bool, str]:
    row = f"A row of {int(features)} features"
    if measured[1] < 0.1:
        return True, f"{row} is pressed to {measured[1]:.3f} of a standard deviation at 100."
    return False, (
        f"{row} outweighs one number for longer: at position 100 a spread of {measured[1]:.3f} "
        f"is left. At 100,000 it is {measured[2]:.5f}."
    )


def _step_by_length() -> list[float]:
    return [float(np.diff(encodings.divided_by_length(n)[3:5, 0])[0]) for n in (10, 100, 1000)]


def _one_hot_distances(length: float = 6) -> list[float]:
    rows = encodings.one_hot(int(length))
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)[~np.eye(int(length), dtype=bool)]
    return [float(apart.min()), float(apart.max())]


START = Setting("start", 0, 200, 1, 0, "first position")

UNIT = Setting("unit", 0.01, 1.0, 0.01, 1.0, "units per seat")

CLAIMS = (
    Claim(
        "naive-content-spread",
        "The content part of the six tokens' scores spreads by 3.30, scaled by √5",
        3.30,
        0.005,
        _content_spread,
        section="spread",
    ),
    Claim(
        "naive-spread-start",
        "Appended positions 0 to 5 spread the scores by 11.18, more than the content does",
        11.18,
        0.005,
        _spread,
        (
            START,
            Setting("length", 1, 50, 1, 6, "positions"),
            Setting("width", 2, 512, 1, 5, "width with the column"),
        ),
        _spread_holds,
        "spread",
    ),
    Claim(
        "naive-spread-late",
        "Positions 100 to 105 spread the scores by 458.39",
        458.39,
        0.005,
        lambda: geometry.position_spread(100, 6, 5),
        section="spread",
    ),
    Claim(
        "ratio-widens",
        "At the starts 0, 10, 100 and 1000 the positions outweigh the content more and more",
        [3.39, 16.95, 138.99, 1359.35],
        0.005,
        _ratios,
        (UNIT,),
        _ratios_hold,
        "spread",
    ),
    Claim(
        "naive-max-probability-start",
        "Positions 0 to 5: the largest share, averaged over the six tokens, leaves room for others",
        0.626,
        0.0006,
        _largest_share,
        (START, UNIT),
        _early_holds,
        "saturation",
    ),
    Claim(
        "naive-max-probability-late",
        "Positions 100 to 105: one key takes everything",
        1.0,
        0.0005,
        lambda start=100, unit=1.0: _largest_share(start, unit),
        (Setting("start", 0, 200, 1, 100, "first position"), UNIT),
        _late_holds,
        "saturation",
    ),
    Claim(
        "naive-layer-norm",
        "Normalised with position 7, 100 or 100,000 appended, 64 features keep this spread",
        [0.73321, 0.07395, 0.00007],
        5e-5,
        _normalised,
        (
            Setting("features", 4, 2048, 4, 64, "features"),
            Setting("seed", 0, 20, 1, 0, "seed"),
        ),
        _normalised_holds,
        "normalise",
    ),
    Claim(
        "length-step",
        "Position divided by length: the step from 3 to 4 in texts of 10, 100 and 1000 tokens",
        [0.1, 0.01, 0.001],
        1e-9,
        _step_by_length,
        section="by-length",
    ),
    Claim(
        "one-hot-distances",
        "One-hot rows: the nearest and the furthest two are equally far apart",
        [1.4142, 1.4142],
        5e-5,
        _one_hot_distances,
        (Setting("length", 2, 100, 1, 6, "length"),),
        section="one-hot",
    ),
)
