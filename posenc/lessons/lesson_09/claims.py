"""What lesson 9 claims."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.lesson_09.common import random_rows
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

SHIFTS = (1, 2, 5, 17, 50)

EVEN_WIDTH = Setting("width", 2, 128, 2, 64, "width")

ROWS = Setting("length", 60, 1024, 1, 512, "rows")


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
            f"A shift of {int(shift)} turns this pair by {int(shift) / 10:g} radians, about a "
            "whole number of half turns, and these change no more than the sign.",
        )
    return bool(
        both > 0.999999
    ), "With the cosine as a second input the fit is exact; with the sine alone it is not."


def _residual_sinusoid(width: float = 64, length: float = 512, base: float = 10000.0) -> float:
    table = encodings.sinusoidal(int(length), int(width), base)
    return max(geometry.fit_shift(table, k)[1] for k in SHIFTS)


def _sinusoid_holds(
    measured: float, width: float = 64, length: float = 512, base: float = 10000.0
) -> tuple[bool, str]:
    if measured < 1e-9 and int(width) % 2:
        return (
            True,
            "The lone last sine has no cosine, and yet on these rows the other columns stand "
            "in for it to within rounding. Try width 5.",
        )
    if measured < 1e-9:
        return (
            True,
            "For each of the five shifts some matrix carries every row to the row it belongs to.",
        )
    return (
        False,
        f"The best matrix misses by {measured:.2g}: the lone last sine has no "
        "cosine beside it to be turned with.",
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
            f"{fewest} to {int(length) - 1} equations for {int(width)} unknowns in each "
            "column, and no matrix fits.",
        )
    return (
        False,
        f"With {fewest} equations for {int(width)} unknowns in each column a matrix fits "
        "anything, so a small residual says nothing.",
    )


def _relative_random(seed: float = 0) -> float:
    table = random_rows(seed=seed)
    return geometry.fit_shift(table, 1)[1] / float(np.abs(table).max())


def _relative_holds(measured: float, seed: float = 0) -> tuple[bool, str]:
    return (
        measured > 0.5,
        "The best matrix misses, at its worst place, by nearly as much as the "
        "largest entry there is.",
    )


def _whole_random(length: float = 512, width: float = 64) -> float:
    table = random_rows(length, width)
    matrix, _ = geometry.fit_shift(table, 1)
    return float(np.linalg.norm(table[1:] - table[:-1] @ matrix.T) / np.linalg.norm(table[1:]))


def _whole_holds(measured: float, length: float = 512, width: float = 64) -> tuple[bool, str]:
    rows, unknowns = int(length) - 1, int(width)
    if unknowns >= rows:
        return (
            False,
            f"{rows} equations for {unknowns} unknowns: the fit goes through "
            "everything and has learned nothing.",
        )
    expected = np.sqrt(1 - unknowns / rows)
    return (
        measured > 0.5,
        f"Fitting {unknowns} unknowns to {rows} random numbers leaves about √(1 − "
        f"{unknowns}/{rows}) = {expected:.4f} by chance alone.",
    )


def _rank(width: float = 64, length: float = 512) -> int:
    return geometry.numerical_rank(encodings.sinusoidal(int(length), int(width))[:-3])


def _rank_holds(measured: int, width: float = 64, length: float = 512) -> tuple[bool, str]:
    width, rows = int(width), int(length) - 3
    if measured < min(width, rows):
        return (
            True,
            f"{int(measured)} directions of {width}: in the others no row has anything above "
            "rounding, so a matrix may do there what it likes.",
        )
    return (
        False,
        f"All {int(measured)} directions are used: nothing is left open, and "
        "the matrix that fits is the only one.",
    )


def _fit_against_rotation(width: float = 8, length: float = 512) -> float:
    matrix, _ = geometry.fit_shift(encodings.sinusoidal(int(length), int(width)), 3)
    return float(np.abs(matrix - geometry.shift_matrix(3, int(width))).max())


def _fit_holds(measured: float, width: float = 8, length: float = 512) -> tuple[bool, str]:
    rank = _rank(width, length)
    if measured < 1e-6:
        return (
            True,
            f"The rows use all {rank} directions, so only one matrix fits, and "
            "that is the rotation.",
        )
    if rank == int(width):
        return (
            False,
            f"The rows use all {rank} directions, but some so little that "
            "rounding blurs the matrix there.",
        )
    return (
        False,
        f"The rows use {rank} of {int(width)} directions. Many matrices fit them, and least "
        "squares returns another one than the rotation.",
    )


def _composed(first: float = 3, second: float = 4, width: float = 64) -> float:
    a, b, width = int(first), int(second), int(width)
    product = geometry.shift_matrix(a, width) @ geometry.shift_matrix(b, width)
    return float(np.abs(product - geometry.shift_matrix(a + b, width)).max())


def _composed_holds(
    measured: float, first: float = 3, second: float = 4, width: float = 64
) -> tuple[bool, str]:
    return (
        measured < 1e-10,
        f"Turning by {int(second)} steps and then by {int(first)} is turning by "
        f"{int(first) + int(second)}.",
    )


def _minus_lost(angle: float = 1.0) -> float:
    wrong = np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return float(np.linalg.norm(wrong @ np.ones(2)))


def _minus_holds(measured: float, angle: float = 1.0) -> tuple[bool, str]:
    if abs(measured - np.sqrt(2)) > 1e-3:
        return True, "A turn keeps lengths. This is no turn."
    return (
        False,
        "At this angle the sine or the cosine is near 0, and the length of (1, "
        "1) does not give the mistake away.",
    )


def _looks_at(position: float = 50, k: float = 3, width: float = 64) -> Array:
    """Where the query of a position, turned back and turned ahead, finds its largest score."""
    table = encodings.sinusoidal(100, int(width))
    back, ahead = (geometry.shift_matrix(s * int(k), int(width)) for s in (1, -1))
    return np.array(
        [int(np.argmax((table[int(position)] @ turn) @ table.T)) for turn in (back, ahead)]
    )


def _looks_hold(
    measured: Array, position: float = 50, k: float = 3, width: float = 64
) -> tuple[bool, str]:
    position, k = int(position), int(k)
    right = list(measured) == [position - k, position + k]
    if k == 0:
        return (
            right,
            "Without a shift both look at the position itself, and the sign cannot be told.",
        )
    return right, f"One sign looks {k} back, the other {k} ahead, from every position."


CLAIMS = (
    Claim(
        "regression-sine-alone",
        "How much of sin((p + 10)/10) a straight fit explains: from the sine "
        "alone, and from sine and cosine",
        [0.2956, 1.0],
        5e-5,
        _regression,
        (Setting("shift", 0, 70, 1, 10, "shift"),),
        _regression_holds,
        section="sine-alone",
    ),
    Claim(
        "shift-residual-sinusoid",
        "The best matrix for a shift misses no entry of a sinusoidal table by more than "
        "rounding, for shifts 1, 2, 5, 17 and 50",
        0.0,
        1e-12,
        _residual_sinusoid,
        (
            Setting("width", 2, 64, 1, 64, "width"),
            ROWS,
            Setting("base", 10.0, 100000.0, 1.0, 10000.0, "base"),
        ),
        _sinusoid_holds,
        section="least-squares",
    ),
    Claim(
        "shift-residual-random",
        "For a random table the best matrix misses some entry by this much, for "
        "shifts 1, 2, 5, 17 and 50",
        [0.504, 0.489, 0.548, 0.501, 0.549],
        0.0005,
        _residuals_random,
        (ROWS, Setting("width", 2, 128, 1, 64, "width"), Setting("seed", 0, 50, 1, 0, "seed")),
        _random_holds,
        section="least-squares",
    ),
    Claim(
        "shift-relative-random",
        "At shift 1 this is so large a share of the random table's largest entry",
        0.898,
        0.0005,
        _relative_random,
        (Setting("seed", 0, 50, 1, 0, "seed"),),
        _relative_holds,
        section="least-squares",
    ),
    Claim(
        "shift-relative-random-whole",
        "Over the whole random table at shift 1, what the best matrix misses is so large a "
        "share of what it should reach",
        0.9348,
        0.0005,
        _whole_random,
        (ROWS, Setting("width", 2, 128, 1, 64, "width")),
        _whole_holds,
        section="least-squares",
    ),
    Claim(
        "fit-finds-rotation-8",
        "At width 8 the matrix that least squares finds is the rotation: their largest difference",
        0.0,
        1e-9,
        _fit_against_rotation,
        (Setting("width", 2, 64, 2, 8, "width"), Setting("length", 80, 1024, 1, 512, "rows")),
        _fit_holds,
        section="least-squares",
    ),
    Claim(
        "shift-rank-64",
        "512 rows of width 64 use about this many of the 64 directions",
        40,
        1,
        _rank,
        (EVEN_WIDTH, Setting("length", 80, 1024, 1, 512, "rows")),
        _rank_holds,
        section="one-of-many",
    ),
    Claim(
        "compose-3-4",
        "The matrix of 3 times the matrix of 4 is the matrix of 7, up to rounding",
        0.0,
        1e-12,
        _composed,
        (
            Setting("first", -60, 60, 1, 3, "first shift"),
            Setting("second", -60, 60, 1, 4, "second shift"),
            EVEN_WIDTH,
        ),
        _composed_holds,
        section="compose",
    ),
    Claim(
        "lost-minus-norm",
        "With the minus lost, at an angle of 1, the vector (1, 1) of length "
        "1.4142 becomes as long as this",
        1.954123,
        5e-7,
        _minus_lost,
        (Setting("angle", 0.0, 6.28, 0.01, 1.0, "angle"),),
        _minus_holds,
        section="compose",
    ),
    Claim(
        "looks-three-back",
        "Where the query of position 50 looks: with the right sign, and with the other one",
        [47, 53],
        0,
        _looks_at,
        (
            Setting("position", 20, 79, 1, 50, "position"),
            Setting("k", 0, 20, 1, 3, "shift"),
            Setting("width", 4, 128, 2, 64, "width"),
        ),
        _looks_hold,
        section="look-back",
    ),
)
