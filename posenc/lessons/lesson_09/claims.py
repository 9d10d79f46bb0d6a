"""What lesson 9 claims."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.lesson_09.common import random_rows
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

SHIFTS = (1, 2, 5, 17, 50)


def _regression(shift: float = 10) -> Array:
    """R² of a straight fit of sin((p + k)/10) on the sine alone, and on sine and cosine."""
    p = np.arange(1000) / 10
    target = np.sin(p + int(shift) / 10)
    inputs = (np.sin(p)[:, None], np.column_stack([np.sin(p), np.cos(p)]))
    return np.array([_explained(each, target) for each in inputs])


def _explained(inputs: Array, target: Array) -> float:
    design = np.column_stack([inputs, np.ones(len(target))])
    fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return float(1 - ((target - fitted) ** 2).sum() / ((target - target.mean()) ** 2).sum())


def _regression_holds(measured: Array, shift: float = 10) -> tuple[bool, str]:
    alone, both = measured
    if alone > 0.99:
        return (
            False,
            f"A shift of {int(shift)} turns this pair by {int(shift) / 10:g} radians. That is "
            "about a whole number of half turns, which change no more than the sign.",
        )
    return (
        bool(both > 0.999999),
        "With the cosine as a second input the fit is exact; with the sine alone it is not.",
    )


def _residuals_random(length: float = 512, width: float = 64, seed: float = 0) -> Array:
    table = random_rows(length, width, seed)
    return np.array([geometry.fit_shift(table, k)[1] for k in SHIFTS])


def _random_holds(
    measured: Array, length: float = 512, width: float = 64, seed: float = 0
) -> tuple[bool, str]:
    fewest = int(length) - SHIFTS[-1]
    if measured.min() > 0.01:
        return (
            True,
            f"There are {fewest} to {int(length) - 1} equations for {int(width)} unknowns in each "
            "column, and no matrix fits.",
        )
    return (
        False,
        f"With {fewest} equations for {int(width)} unknowns in each column a matrix fits "
        "anything, so a small residual says nothing.",
    )


def _rank(width: float = 64, length: float = 512) -> int:
    return geometry.numerical_rank(encodings.sinusoidal(int(length), int(width))[:-3])


def _rank_holds(measured: int, width: float = 64, length: float = 512) -> tuple[bool, str]:
    width, rows = int(width), int(length) - 3
    if measured < min(width, rows):
        return (
            True,
            f"{int(measured)} directions of {width}: in the others rounding is all there is, and "
            "many matrices fit.",
        )
    return (
        False,
        f"All {int(measured)} directions are in use, so the matrix that fits is the only one.",
    )


def _content(width: int, seed: int, size: float) -> tuple[Array, Array]:
    """A query and a key with random entries of this size: two of (width,)."""
    query, key = size * np.random.default_rng(seed).normal(size=(2, width))
    return query, key


def added_and_turned(width: int, distance: int, seed: int, size: float) -> tuple[Array, Array]:
    """Scores of one query and key at starts 0 … 99, rows added and content turned: two of (100,).

    The key is `distance` positions after the query.
    """
    query, key = _content(width, seed, size)
    starts = np.arange(100)
    table = encodings.sinusoidal(100 + distance, width)
    added = ((query + table[starts]) * (key + table[starts + distance])).sum(axis=1)
    turned = [
        (geometry.shift_matrix(p, width) @ query)
        @ (geometry.shift_matrix(p + distance, width) @ key)
        for p in map(int, starts)
    ]
    return added, np.array(turned)


def _ranges(distance: float = 3, width: float = 64, size: float = 1.0) -> Array:
    scores = added_and_turned(int(width), int(distance), 5, size)
    return np.array([float(np.ptp(each)) for each in scores])


def _ranges_hold(
    measured: Array, distance: float = 3, width: float = 64, size: float = 1.0
) -> tuple[bool, str]:
    added, turned = measured
    if added > 0.01 and turned < 1e-8:
        return True, "Turned, all 100 starts give one score. Added, they do not."
    return (
        False,
        "Without content the rows of the table are all there is, and their products depend on "
        "the distance alone.",
    )


CLAIMS = (
    Claim(
        "regression-sine-alone",
        "A straight fit of a later sine on the sine here explains less of it than one on sine and "
        "cosine",
        [0.2956, 1.0],
        5e-5,
        _regression,
        (Setting("shift", 0, 70, 1, 10, "shift in positions"),),
        _regression_holds,
        section="sine-alone",
    ),
    Claim(
        "shift-residual-random",
        "For a random table even the best matrix misses some entry by far more than rounding, at "
        "shifts 1, 2, 5, 17 and 50",
        [0.504, 0.489, 0.548, 0.501, 0.549],
        0.0005,
        _residuals_random,
        (
            Setting("length", 60, 1024, 1, 512, "rows"),
            Setting("width", 2, 128, 1, 64, "width"),
            Setting("seed", 0, 50, 1, 0, "seed"),
        ),
        _random_holds,
        section="least-squares",
    ),
    Claim(
        "shift-rank-64",
        "Counted with sixteen digits, the rows use fewer directions than the table has columns",
        40,
        1,
        _rank,
        (
            Setting("width", 2, 64, 2, 64, "width"),
            Setting("length", 80, 60_000, 1, 512, "rows"),
        ),
        _rank_holds,
        section="one-of-many",
    ),
    Claim(
        "turned-or-added",
        "From start to start the score at one distance varies if rows are added, and stays the "
        "same if the content is turned: largest minus smallest of 100 starts, added and turned",
        [17.3202, 0.0],
        5e-5,
        _ranges,
        (
            Setting("distance", 0, 50, 1, 3, "distance"),
            Setting("width", 2, 128, 2, 64, "width"),
            Setting("size", 0.0, 2.0, 0.1, 1.0, "size of the content"),
        ),
        _ranges_hold,
        section="rotary-falls-out",
    ),
)
