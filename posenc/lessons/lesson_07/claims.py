"""What lesson 7 claims."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.lesson_07.common import apart
from posenc.lessons.model import Claim, Setting

Array = np.ndarray


def _pairs(width: float = 512) -> int:
    return int(width) // 2


def _shortest(base: float = 10000.0) -> float:
    return float(geometry.wavelengths(512, base)[0])


def _shortest_holds(measured: float, base: float = 10000.0) -> tuple[bool, str]:
    return (
        True,
        "The exponent of the first pair is 0, and any base to the power 0 is 1: it turns in "
        "2π positions whatever the base.",
    )


def _last_denominator(base: float = 10000.0) -> float:
    return float(base ** (510 / 512))


def _longest(width: float = 512, base: float = 10000.0) -> float:
    return float(geometry.wavelengths(int(width), base)[-1])


def _longest_holds(measured: float, width: float = 512, base: float = 10000.0) -> tuple[bool, str]:
    end = 2 * np.pi * base
    short = 100 * (1 - measured / end)
    return measured < end, (
        f"The last exponent is 1 − 2/{int(width)}, so the ladder stops "
        f"{short:.1f} % short of 2π · base = {end:,.1f}."
    )


def _ratio(width: float = 512) -> float:
    lengths = geometry.wavelengths(int(width))
    return float(lengths[1] / lengths[0])


def _ratio_holds(measured: float, width: float = 512) -> tuple[bool, str]:
    steps = np.diff(np.log(geometry.wavelengths(int(width))))
    return bool(np.allclose(steps, steps[0])), (
        f"All {len(steps)} steps multiply by the same number: the ladder is "
        "even in the logarithm, at any width."
    )


def _turning(width: float = 512, length: float = 1024, base: float = 10000.0) -> int:
    return geometry.pairs_that_turn(int(width), int(length), base)


def _turning_holds(
    measured: int, width: float = 512, length: float = 1024, base: float = 10000.0
) -> tuple[bool, str]:
    pairs = int(width) // 2
    if measured < pairs:
        return (
            True,
            f"{pairs - measured} of {pairs} pairs do not come round within "
            f"{int(length)} positions.",
        )
    return (
        False,
        f"All {pairs} pairs come round within {int(length)} positions: none is slow enough to "
        "tell far parts of the text apart by itself.",
    )


def _apart_holds(measured: float, distance: float = 10000, width: float = 512) -> tuple[bool, str]:
    return measured > 0.01, (
        f"The two rows are {measured:.2f} apart; rows of this width have norm "
        f"{np.sqrt(width / 2):.2f}. "
        "The pairs would have to come round together, and their wavelengths "
        "have no common multiple."
    )


def _left_in_half(start: float = 2040, length: float = 20) -> int:
    return geometry.distinct_positions(int(start), int(length), "float16")


def _half_holds(measured: int, start: float = 2040, length: float = 20) -> tuple[bool, str]:
    if measured < length:
        return (
            True,
            f"{int(length) - measured} of the {int(length)} positions have "
            "fallen onto a neighbour.",
        )
    return (
        False,
        "All these positions are told apart: below 2048 half precision holds every whole number.",
    )


def _moved_in_unit_time(base: float = 10000.0) -> int:
    """Pairs of width 256 whose phase moves by more than 0.1 rad while time goes from 0 to 1."""
    return int((encodings.frequencies(256, base) > 0.1).sum())


def _unit_time_holds(measured: int, base: float = 10000.0) -> tuple[bool, str]:
    return measured < 128, (
        f"{128 - measured} of 128 pairs hardly move while the variable runs from 0 to 1. A "
        "smaller base keeps more of "
        "them moving; so does multiplying the variable."
    )


CLAIMS = (
    Claim("pairs-512", "Width 512 has 256 pairs", 256, 0, _pairs, section="ladder"),
    Claim(
        "shortest-wavelength",
        "The first pair's wavelength, in positions",
        6.2832,
        5e-5,
        _shortest,
        (Setting("base", 10.0, 1_000_000.0, 10.0, 10000.0, "base"),),
        _shortest_holds,
        "ladder",
    ),
    Claim(
        "ladder-ratio-512",
        "From one wavelength to the next it is always the same factor",
        1.03663,
        5e-6,
        _ratio,
        (Setting("width", 4, 1024, 2, 512, "width"),),
        _ratio_holds,
        "ladder",
    ),
    Claim(
        "longest-wavelength-512",
        "The last pair's wavelength stays below 2π · base",
        60611.5,
        0.05,
        _longest,
        (
            Setting("width", 4, 1024, 2, 512, "width"),
            Setting("base", 10.0, 1_000_000.0, 10.0, 10000.0, "base"),
        ),
        _longest_holds,
        "one-step-short",
    ),
    Claim(
        "largest-denominator-512",
        "The last pair's position is divided by",
        9646.6,
        0.05,
        _last_denominator,
        section="one-step-short",
    ),
    Claim(
        "never-reached-512",
        "The end that the paper names, one step past the last pair",
        62831.9,
        0.05,
        lambda: float(2 * np.pi * 10000),
        section="one-step-short",
    ),
    Claim(
        "no-repeat-at-10000",
        "Positions 1 and 10,001 have different rows: their distance at width 512",
        23.3448,
        5e-4,
        apart,
        (
            Setting("distance", 1, 100_000, 1, 10000, "distance"),
            Setting("width", 4, 1024, 2, 512, "width"),
        ),
        _apart_holds,
        "no-period",
    ),
    Claim(
        "turning-1024",
        "Pairs of width 512 that come round at least once in 1,024 positions: not all",
        142,
        0,
        _turning,
        (
            Setting("width", 4, 1024, 2, 512, "width"),
            Setting("length", 1, 100_000, 1, 1024, "length"),
            Setting("base", 2.0, 1_000_000.0, 1.0, 10000.0, "base"),
        ),
        _turning_holds,
        "turning",
    ),
    Claim(
        "unit-time",
        "Of 128 pairs, those that move by more than 0.1 radians while time runs from 0 to 1: few",
        32,
        0,
        _moved_in_unit_time,
        (Setting("base", 2.0, 20000.0, 1.0, 10000.0, "base"),),
        _unit_time_holds,
        "unit-time",
    ),
    Claim(
        "half-precision-2040",
        "Of the 20 positions from 2040 on, half precision tells apart fewer",
        15,
        0,
        _left_in_half,
        (
            Setting("start", 0, 60000, 1, 2040, "first position"),
            Setting("length", 2, 100, 1, 20, "how many"),
        ),
        _half_holds,
        "half-precision",
    ),
)
