"""Challenge 9.2, Found without the formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from posenc import encodings, geometry
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault

Array = np.ndarray

FITS = 1e-9  # a table whose best residual is below this has a matrix for its shift

CLOSE_ENOUGH = 1e-6  # what such a matrix may miss

ABSOLUTE, RELATIVE = 2e-5, 1e-5


def _parts(encoding: Array, k: int) -> tuple[Array, Array]:
    """The rows that are shifted, and those that they should reach."""
    return encoding[: len(encoding) - k], encoding[k:]


def _near(one: float, other: float) -> bool:
    """Equal within tolerance. False, and never an error, where one of them is not finite."""
    return bool(abs(one - other) <= ABSOLUTE + RELATIVE * abs(other))


def _judge_fit(call: Call, expected: tuple, got: tuple) -> Fault | None:
    """Judge a fit by what it misses and by what it says of that; never by the matrix itself."""
    encoding, k = call.args
    before, after = _parts(encoding, k)
    what = f"`fit_shift(array of shape {encoding.shape}, {k})`"
    with np.errstate(all="ignore"):
        missed = after - before @ np.asarray(got[0], dtype=float).T
        actual, squares = float(np.abs(missed).max()), float((missed**2).sum())
    reported, best = float(got[1]), float(expected[1])
    # Each test is put so that NaN fails it.
    if not _near(reported, actual):
        return Fault(
            "property",
            f"{what}: the residual reported is {reported:.6g}, and that of the matrix "
            f"returned is {actual:.6g}.",
        )
    if best < FITS:
        if max(actual, reported) < CLOSE_ENOUGH:
            return None
        return Fault(
            "property",
            f"{what}: this table has a matrix that misses nothing; yours misses "
            f"an entry by {actual:.3g}.",
        )
    least = float(((after - before @ np.asarray(expected[0]).T) ** 2).sum())
    if not squares <= least * (1 + 1e-6):
        return Fault(
            "property",
            f"{what}: the squares of what your matrix misses add up to "
            f"{squares:.6g}, which is not the least.",
        )
    if not _near(actual, best):
        return Fault(
            "property",
            f"{what}: the largest entry that your matrix misses is off by {actual:.6g}, which "
            "is not that of the least-squares matrix.",
        )
    return None


def _fit_of(before: Array, after: Array) -> Array:
    return np.linalg.lstsq(before, after, rcond=None)[0].T


def _number_and_matrix(value: Any, width: int) -> tuple[Array, float] | None:
    """A pair (matrix, number) as plain floats, or None where `value` is none."""
    try:
        matrix, reported = value
        matrix, reported = np.asarray(matrix, dtype=float), float(reported)
    except (TypeError, ValueError):
        return None
    return (matrix, reported) if matrix.shape == (width, width) else None


def _alike(does: Callable[..., tuple[Array, float]], call: Call, value: Any) -> bool:
    """Whether a matrix sends the rows where that of `does` does, and is said to miss as much.

    Only tables without a shift matrix are looked at. On the others, answers of quite different
    make agree, or differ by rounding alone.
    """
    encoding, k = call.args
    if geometry.fit_shift(encoding, k)[1] < FITS:
        return True
    found = _number_and_matrix(value, encoding.shape[1])
    return found is not None and _same_fit(encoding, found, does(encoding, k))


def _same_fit(encoding: Array, found: tuple[Array, float], known: tuple[Array, float]) -> bool:
    with np.errstate(all="ignore"):
        apart = np.abs(encoding @ found[0].T - encoding @ known[0].T).max()
    return bool(apart <= 1e-3 and abs(found[1] - known[1]) <= 1e-3 + 1e-3 * abs(known[1]))


def _random_table(rng: np.random.Generator, length: int, width: int, k: int, sign: int) -> Array:
    """A random table whose worst miss under the best matrix has the given sign."""
    table = rng.uniform(-1, 1, (length, width)).round(3)
    before, after = _parts(table, k)
    missed = after - before @ _fit_of(before, after).T
    worst = missed.flat[np.abs(missed).argmax()]
    return table if np.sign(worst) == sign else -table


_FIXED = np.random.default_rng(9)


def _draw_tables(rng: np.random.Generator) -> Sequence[Case]:
    cases = []
    for n, width in enumerate(rng.permutation([4, 6, 8])):
        length, k = int(rng.integers(32, 70)), int(rng.integers(1, 12))
        table = encodings.sinusoidal(
            length, int(width), float(rng.uniform(50, 10000) if n else 10000.0)
        )
        cases.append(Case((table, k), about="a sinusoidal table"))
    for n, width in enumerate(rng.permutation([4, 6, 8, 10])):
        length, k = int(rng.integers(4 * width, 6 * width)), int(rng.integers(2, width))
        table = _random_table(rng, length, int(width), k, 1 if n % 2 else -1)
        cases.append(Case((table, k), about="a random table"))
    return cases


FIT_SHIFT = Challenge(
    id="9.2",
    name="fit_shift",
    title="Found without the formula",
    section="least-squares",
    points=2,
    minutes=12,
    difficulty=2,
    asked="a pair (matrix, residual), an array (width, width) and a number,",
    reference=geometry.fit_shift,
    compare=_judge_fit,
    alike=_alike,
    cases=(
        Case((encodings.sinusoidal(40, 4), 3), about="a sinusoidal table"),
        # Columns so nearly alike that an inverted XᵀX is wrong in the third decimal.
        Case((encodings.sinusoidal(32, 8, 1e5), 5), about="a sinusoidal table of base 100,000"),
        Case((encodings.sinusoidal(48, 6, 100.0), 1), about="a sinusoidal table of base 100"),
        Case((_random_table(_FIXED, 12, 4, 2, -1), 2), about="a random table"),
        Case((_random_table(_FIXED, 30, 6, 12, 1), 12), about="a random table, a long shift"),
        Case((_random_table(_FIXED, 64, 16, 7, -1), 7), about="a larger random table"),
    ),
    draw=_draw_tables,
    hints=(
        "`encoding[:-k]` are the rows that have a partner, and `encoding[k:]` are the "
        "partners, in the same order.",
        "`np.linalg.lstsq(before, after, rcond=None)[0]` is X with before @ X as near to "
        "after as can be. There the rows are on the left.",
        "matrix = X.T, since before @ X = before @ matrix.T. The residual is the largest "
        "absolute entry of after − before @ X.",
    ),
)


def _normal_equations_alike(call: Call, value: Any) -> bool:
    """Whether a fit is right where columns differ, and else no worse than cond² explains."""
    encoding, k = call.args
    found = _number_and_matrix(value, encoding.shape[1])
    if found is None:
        return False
    before, after = _parts(encoding, k)
    matrix, best = geometry.fit_shift(encoding, k)
    if best > FITS:
        return _same_fit(encoding, found, (matrix, best))
    with np.errstate(all="ignore"):
        missed = _largest(after - before @ found[0].T)
    return missed <= 1e3 * np.finfo(float).eps * np.linalg.cond(before) ** 2


@FIT_SHIFT.mistake(
    "the normal equations are solved with an inverse, which loses the digits of columns that are "
    "nearly alike",
    "The condition number of XᵀX is the square of that of X. Which function fits X itself?",
    section="one-of-many",
    fits=_normal_equations_alike,
)
def normal_equations(encoding, k):
    before, after = _parts(encoding, k)
    solution = np.linalg.inv(before.T @ before) @ before.T @ after
    return solution.T, _largest(after - before @ solution)


@FIT_SHIFT.mistake(
    "the solution of before @ X = after is returned as it is, without being transposed",
    "`lstsq` multiplies from the right: before @ X. The convention here is "
    "matrix @ row. What must be done to X?",
)
def not_transposed(encoding, k):
    matrix, residual = geometry.fit_shift(encoding, k)
    return matrix.T, residual


def _largest(missed: Array) -> float:
    return float(np.abs(missed).max())


@FIT_SHIFT.choices
def fitted(encoding, k, *, rows=_parts, matrix=_fit_of, report=_largest):
    """The fit, with its rows, its method and the number for what it misses to choose."""
    before, after = rows(encoding, k)
    found = matrix(before, after)
    return found, report(after - before @ found.T)


fitted.mistake(
    "shifted-back",
    "the matrix leads from the later rows back to the earlier ones",
    "Which rows are known and which are to be reached? `lstsq(a, b)` finds X with a @ X near b.",
    rows=lambda e, k: _parts(e, k)[::-1],
)
fitted.mistake(
    "rolled",
    "the rows are rolled, so that the last ones should lead to the first",
    "The last k rows of a table have no row k places on. What should happen to them?",
    rows=lambda e, k: (e, np.roll(e, -k, axis=0)),
)
fitted.mistake(
    "one-step",
    "the table is shifted by one row, whatever k is",
    "Which row should row 0 lead to if k is 5?",
    rows=lambda e, k: _parts(e, 1),
)


@FIT_SHIFT.mistake(
    "the matrix is that of the rotation's formula and is not fitted to the table",
    "The table may not be sinusoidal at all. What would be the best matrix for a random one?",
)
def formula(encoding, k):
    before, after = _parts(encoding, k)
    matrix = geometry.shift_matrix(k, encoding.shape[1])
    return matrix, _largest(after - before @ matrix.T)


def _first_rows(before: Array, after: Array) -> Array:
    width = before.shape[1]
    return np.linalg.lstsq(before[:width], after[:width], rcond=None)[0].T


fitted.mistake(
    "first-rows-only",
    "the matrix is solved from the first rows, as many as the width, and the others are not used",
    "As many equations as unknowns can always be met. Least squares takes all "
    "rows that have a partner.",
    matrix=_first_rows,
)


def _intercept_dropped(encoding: Array, k: int) -> tuple[Array, float]:
    """The same slopes, and what they miss without the constant."""
    before, after = _parts(encoding, k)
    matrix, _ = with_intercept(encoding, k)
    return matrix, _largest(after - before @ matrix.T)


def _with_constant_or_without(call: Call, value: Any) -> bool:
    return _alike(with_intercept, call, value) or _alike(_intercept_dropped, call, value)


@FIT_SHIFT.mistake(
    "the fit has a constant beside the matrix, which most regression routines add unasked",
    "Only a matrix times a row is asked for. Which argument of your routine "
    "turns the constant off?",
    fits=_with_constant_or_without,
)
def with_intercept(encoding, k):
    """The slopes of a fit with a constant, and what that fit, constant included, misses."""
    before, after = _parts(encoding, k)
    design = np.column_stack([before, np.ones(len(before))])
    solution = np.linalg.lstsq(design, after, rcond=None)[0]
    return solution[:-1].T, _largest(after - design @ solution)


fitted.mistake(
    "signed-maximum",
    "the largest difference is taken with its sign, so that large negative ones are overlooked",
    "A miss of −0.9 is larger than one of 0.5. What is missing before the maximum?",
    report=lambda m: float(m.max()),
)

WHICH_RESIDUAL = (
    "Asked for is one number: the largest absolute difference between a row that should be "
    "reached and what the matrix makes of the row before it."
)

fitted.mistake(
    "mean",
    "the residual is a mean of absolute differences",
    WHICH_RESIDUAL,
    report=lambda m: float(np.abs(m).mean()),
)
fitted.mistake(
    "root-mean-square",
    "the residual is the root of the mean square",
    WHICH_RESIDUAL,
    report=lambda m: float(np.sqrt((m**2).mean())),
)
fitted.mistake(
    "norm",
    "the residual is the norm of all differences together",
    WHICH_RESIDUAL,
    report=lambda m: float(np.linalg.norm(m)),
)
fitted.mistake(
    "sum-of-squares",
    "the residual is the sum of squares that `lstsq` makes small",
    WHICH_RESIDUAL,
    report=lambda m: float((m**2).sum()),
)


@FIT_SHIFT.mistake(
    "the residual is divided by the largest entry of the table",
    "The residual itself is asked for, not its ratio to anything.",
)
def relative(encoding, k):
    matrix, residual = geometry.fit_shift(encoding, k)
    return matrix, residual / float(np.abs(encoding).max())
