"""What lesson 7 claims."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Claim, Setting


def _per_doubling(start: float = 30, width: float = 512) -> int:
    """Pairs whose wavelength lies from start to below twice that."""
    lengths = geometry.wavelengths(int(width))
    return int(((lengths >= start) & (lengths < 2 * start)).sum())


def _per_doubling_holds(measured: int, start: float = 30, width: float = 512) -> tuple[bool, str]:
    lengths = geometry.wavelengths(int(width))
    expected = np.log(2) / np.log(lengths[1] / lengths[0])
    said = f"By the factor of one step, a doubling has {expected:.2f} pairs on average."
    if abs(measured - expected) < 1:
        return True, said
    return False, (
        f"{said} This one reaches past an end of the ladder, which runs from {lengths[0]:.2f} to "
        f"{lengths[-1]:,.0f} positions."
    )


def _longest(width: float = 512, base: float = 10000.0) -> float:
    return float(geometry.wavelengths(int(width), base)[-1])


def _longest_holds(measured: float, width: float = 512, base: float = 10000.0) -> tuple[bool, str]:
    end = 2 * np.pi * base
    short = 100 * (1 - measured / end)
    return measured < end, (
        f"The last exponent is 1 − 2/{int(width)}, so the ladder stops {short:.1f} % short of "
        f"2π · base = {end:,.1f}."
    )


def _apart(distance: float = 10000, width: float = 512) -> float:
    rows = encodings.sinusoidal_at([1, 1 + int(distance)], int(width))
    return float(np.linalg.norm(rows[0] - rows[1]))


def _apart_holds(measured: float, distance: float = 10000, width: float = 512) -> tuple[bool, str]:
    norm, turns = np.sqrt(width / 2), distance / (2 * np.pi)
    said = f"The rows differ by {measured:.4f}; a row of width {int(width)} is {norm:.2f} long."
    if measured > norm:
        return True, said
    return False, (
        f"{said} They are not equal, though: pair 0 has made {turns:.5f} turns, and no whole "
        "number of positions gives a whole number of turns."
    )


def _moved_in_unit_time(base: float = 10000.0, factor: float = 1) -> int:
    """Pairs of width 256 that move by more than 0.1 rad while factor · time goes to factor."""
    return int((factor * encodings.frequencies(256, base) > 0.1).sum())


def _unit_time_holds(measured: int, base: float = 10000.0, factor: float = 1) -> tuple[bool, str]:
    return measured < 64, (
        f"{measured} of 128 pairs move by more than 0.1 radians, {128 - measured} by less. A "
        "smaller base makes more of them move, and so does multiplying the time."
    )


CLAIMS = (
    Claim(
        "pairs-per-doubling",
        "Each doubling of the wavelength has the same number of pairs, give or take one",
        19,
        0,
        _per_doubling,
        (
            Setting("start", 7, 60_000, 1, 30, "shortest wavelength"),
            Setting("width", 4, 1024, 2, 512, "width"),
        ),
        _per_doubling_holds,
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
        "no-repeat-at-10000",
        "Two rows at this distance differ by more than the length of a row",
        23.3448,
        5e-4,
        _apart,
        (
            Setting("distance", 1, 100_000, 1, 10000, "distance"),
            Setting("width", 4, 1024, 2, 512, "width"),
        ),
        _apart_holds,
        "no-period",
    ),
    Claim(
        "unit-time",
        "While time runs from 0 to 1, fewer than half of the 128 pairs of width 256 move by more "
        "than 0.1 radians",
        32,
        0,
        _moved_in_unit_time,
        (
            Setting("base", 2.0, 20000.0, 1.0, 10000.0, "base"),
            Setting("factor", 1, 10_000, 1, 1, "time multiplied by"),
        ),
        _unit_time_holds,
        "unit-time",
    ),
)
