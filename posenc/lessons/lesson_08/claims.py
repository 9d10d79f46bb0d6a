"""What lesson 8 claims."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

WIDTH = Setting("width", 2, 512, 2, 64, "width")

ANY_WIDTH = Setting("width", 2, 130, 1, 64, "width")

BASE = Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base")

LOWEST_64 = 2.5581458695  # at distance 406, the lowest of distances 0 … 511 at width 64


def _norm(width: float = 64, position: float = 100) -> float:
    return float(geometry.norms(encodings.sinusoidal_at(int(position), int(width))))


def _norm_holds(measured: float, width: float = 64, position: float = 100) -> tuple[bool, str]:
    width = int(width)
    if width % 2 == 0:
        return (
            True,
            f"{width // 2} pairs, each with sin² + cos² = 1: the length is "
            f"√{width // 2}, whatever the position.",
        )
    extra = measured**2 - width // 2
    return (
        False,
        f"{width // 2} pairs give {width // 2}; the lone sine adds its own square, here "
        f"{extra:.4f}, another at each position.",
    )


def _norm_variation(base: float = 10000.0, length: float = 512) -> float:
    smallest, largest = geometry.norm_range(64, int(length), base)
    return largest - smallest


def _norm_variation_holds(
    measured: float, base: float = 10000.0, length: float = 512
) -> tuple[bool, str]:
    return (
        measured < 1e-13,
        "The base sets how fast a hand turns, not how long it is; nor does the number of rows.",
    )


def _odd_range(width: float = 5, base: float = 10000.0) -> Array:
    return np.array(geometry.norm_range(int(width), 512, base))


def _odd_holds(measured: Array, width: float = 5, base: float = 10000.0) -> tuple[bool, str]:
    width = int(width)
    if width % 2 == 0:
        return (
            False,
            f"At width {width} no sine is alone, so every row has the length √{width // 2}.",
        )
    return (
        True,
        f"The lone last sine goes from 0 up to {np.sqrt(measured[1] ** 2 - width // 2):.4f} "
        "within 512 positions and makes the difference.",
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


def _formula_gap(row: float = 0, width: float = 64) -> float:
    """Largest difference between a row of P Pᵀ and the sum of cosines, over 512 positions."""
    products = geometry.gram(encodings.sinusoidal(512, int(width)))[int(row)]
    distances = np.abs(np.arange(512) - int(row))
    return float(np.abs(products - geometry.distance_profile(int(width), distances)).max())


def _formula_holds(measured: float, row: float = 0, width: float = 64) -> tuple[bool, str]:
    return (
        measured < 1e-10,
        f"Row {int(row)} holds the sum of cosines for the distances from "
        f"position {int(row)}, on both sides of it.",
    )


def _profile_start(width: float = 64, base: float = 10000.0) -> Array:
    return geometry.distance_profile(int(width), np.arange(7), base)


def _start_holds(measured: Array, width: float = 64, base: float = 10000.0) -> tuple[bool, str]:
    ups = np.flatnonzero(np.diff(measured) > 0)
    if len(ups):
        return True, f"The first step up among these is from distance {ups[0]} to {ups[0] + 1}."
    first = _first_rise(width, base)
    return (
        False,
        "Here the first seven only fall. The first step up comes at distance "
        f"{first}, so a longer look is needed.",
    )


def _rises(width: float = 64, base: float = 10000.0, length: float = 512) -> int:
    return geometry.rises_and_lowest(_profile(width, base, length))[0]


def _profile(width: float, base: float, length: float) -> Array:
    return geometry.distance_profile(int(width), np.arange(int(length)), base)


def _rises_hold(
    measured: int, width: float = 64, base: float = 10000.0, length: float = 512
) -> tuple[bool, str]:
    steps, first = int(length) - 1, _first_rise(width, base)
    if measured == 0:
        return (
            False,
            f"These {steps} steps all go down, because the first step up comes at distance "
            f"{first}: the range is too short to see it.",
        )
    return (
        True,
        f"{int(measured)} of {steps} steps go up, the first of them at distance {first}. "
        "Similarity does not decay here.",
    )


def _minimum(width: float = 64, base: float = 10000.0, length: float = 512) -> Array:
    _, distance, value = geometry.rises_and_lowest(_profile(width, base, length))
    return np.array([value, distance])


def _minimum_holds(
    measured: Array, width: float = 64, base: float = 10000.0, length: float = 512
) -> tuple[bool, str]:
    value, distance = measured
    last = int(length) - 1
    if int(distance) < last:
        return (
            True,
            f"The lowest of distances 0 to {last} is {value:.2f} at "
            f"{int(distance)}, and not the farthest one.",
        )
    return (
        False,
        f"Here the lowest is the farthest of the distances looked at, {last}. A "
        "longer look may tell another story.",
    )


def _value_at(distance: float = 511) -> float:
    return float(geometry.distance_profile(64, int(distance)))


def _value_holds(measured: float, distance: float = 511) -> tuple[bool, str]:
    distance = int(distance)
    if measured > LOWEST_64:
        return (
            True,
            f"Distance {distance} is farther than 406, and its dot product is the larger one.",
        )
    return False, f"The dot product at distance {distance} is not above that at 406."


def _mean_cosines(width: float = 64, base: float = 10000.0) -> Array:
    return geometry.distance_profile(int(width), [512, 1024], base) / (int(width) // 2)


def _mean_cosines_hold(
    measured: Array, width: float = 64, base: float = 10000.0
) -> tuple[bool, str]:
    if measured[1] > measured[0]:
        return True, "Twice as far, and more similar."
    return (
        False,
        "At these two distances it falls. Two distances are no trend: try a few "
        "widths, and the playground.",
    )


def _first_rise(width: float = 512, base: float = 10000.0) -> int:
    """The first distance from which the profile goes up; −1 if there is none below 4096."""
    ups = np.diff(_profile(width, base, 4096)) > 0
    return int(ups.argmax()) if ups.any() else -1


def _first_rise_holds(measured: int, width: float = 512, base: float = 10000.0) -> tuple[bool, str]:
    if measured < 0:
        return False, "No step up was found below distance 4096."
    return (
        True,
        f"There is a first step up, from distance {int(measured)} to {int(measured) + 1}. "
        "Width and base move it; they do not remove it.",
    )


def _step(width: float = 64, position: float = 0) -> float:
    rows = encodings.sinusoidal_at([int(position), int(position) + 1], int(width))
    return float(np.linalg.norm(rows[1] - rows[0]))


def _step_holds(measured: float, width: float = 64, position: float = 0) -> tuple[bool, str]:
    width = int(width)
    if width % 2:
        return False, "The lone sine moves by another amount at each position."
    expected = np.sqrt(width - 2 * float(geometry.distance_profile(width, 1)))
    same = abs(measured - expected) < 1e-9
    return (
        same,
        f"At width {width} every step is √(width − "
        f"2·{(width - expected**2) / 2:.4f}); no position occurs in it.",
    )


CLAIMS = (
    Claim(
        "norm-64",
        "Every row of width 64 has the length √32",
        5.6569,
        5e-5,
        _norm,
        (ANY_WIDTH, Setting("position", 0, 5000, 1, 100, "position")),
        _norm_holds,
        section="one-length",
    ),
    Claim(
        "norm-variation-64",
        "The longest and the shortest of 512 rows of width 64 differ by rounding only",
        0.0,
        1e-14,
        _norm_variation,
        (BASE, Setting("length", 2, 1500, 1, 512, "rows")),
        _norm_variation_holds,
        section="one-length",
    ),
    Claim(
        "odd-width-norm",
        "At an odd width rows are not equally long: the smallest and the largest norm of 512 rows",
        [1.4142, 1.4493],
        5e-5,
        _odd_range,
        (Setting("width", 2, 129, 1, 5, "width"), BASE),
        _odd_holds,
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
        "direct-formula-difference-64",
        "A row of P Pᵀ and the sum of cos(distance · frequency) over the pairs "
        "are equal, up to rounding",
        0.0,
        1e-13,
        _formula_gap,
        (Setting("row", 0, 511, 1, 0, "row"), WIDTH),
        _formula_holds,
        section="difference",
    ),
    Claim(
        "profile-start-64",
        "The dot products at distances 0 to 6: they fall, and then there is a step up",
        [32.0, 30.92, 28.3, 25.59, 23.93, 23.5, 23.56],
        0.005,
        _profile_start,
        (WIDTH, BASE),
        _start_holds,
        section="difference",
    ),
    Claim(
        "same-step-64",
        "From any position to the next, the row of width 64 moves by the same length",
        1.4718,
        5e-5,
        _step,
        (ANY_WIDTH, Setting("position", 0, 5000, 1, 0, "position")),
        _step_holds,
        section="same-step",
    ),
    Claim(
        "profile-rises-64",
        "Of the steps from one distance to the next, this many go up; similarity does not decay",
        244,
        0,
        _rises,
        (
            Setting("width", 2, 1024, 2, 64, "width"),
            BASE,
            Setting("length", 3, 2048, 1, 512, "distances"),
        ),
        _rises_hold,
        section="no-decay",
    ),
    Claim(
        "profile-minimum-64",
        "The smallest dot product, and its distance, which is not the farthest",
        [2.56, 406],
        0.005,
        _minimum,
        (
            Setting("width", 2, 1024, 2, 64, "width"),
            BASE,
            Setting("length", 3, 2048, 1, 512, "distances"),
        ),
        _minimum_holds,
        section="no-decay",
    ),
    Claim(
        "profile-end-64",
        "At distance 511 the dot product is above that at distance 406",
        6.42,
        0.005,
        _value_at,
        (Setting("distance", 407, 2048, 1, 511, "distance"),),
        _value_holds,
        section="no-decay",
    ),
    Claim(
        "first-rise-512",
        "At width 512 the first step up is from this distance",
        43,
        0,
        _first_rise,
        (Setting("width", 6, 4096, 2, 512, "width"), BASE),
        _first_rise_holds,
        section="what-remains",
    ),
    Claim(
        "profile-mean-cosine-64",
        "The mean cosine at distances 512 and 1024: twice as far, and it rises",
        [0.1854, 0.2629],
        5e-5,
        _mean_cosines,
        (WIDTH, BASE),
        _mean_cosines_hold,
        section="what-remains",
    ),
)
