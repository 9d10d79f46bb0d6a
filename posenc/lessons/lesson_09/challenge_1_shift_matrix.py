"""Challenge 9.1, The matrix of a shift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from posenc import encodings, geometry
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge
from posenc.lessons import familiar

Array = np.ndarray


def shift_matrix(k: int, width: int, base: float = 10000.0, cosine_first: bool = False) -> Array:
    """The matrix of a shift by k; with the cosines first the blocks are transposed."""
    matrix = geometry.shift_matrix(k, width, base)
    return matrix.T.copy() if cosine_first else matrix


def _draw_shifts(rng: np.random.Generator) -> Sequence[Case]:
    cases = []
    for n, width in enumerate(rng.permutation([4, 6, 8, 10, 14, 20])):
        k = int(rng.integers(2, 201)) * (-1 if n % 3 == 2 else 1)
        given = {"base": float(np.round(rng.uniform(20, 30000), 1))} if n % 2 else {}
        if n in (1, 4):
            given["cosine_first"] = True
        cases.append(Case((k, int(width)), given, about="a negative shift" if k < 0 else ""))
    return cases


SHIFT_MATRIX = Challenge(
    id="9.1",
    name="shift_matrix",
    title="The matrix of a shift",
    section="whole-row",
    points=3,
    minutes=14,
    difficulty=2,
    asked="an array (width, width)",
    reference=shift_matrix,
    cases=(
        Case((1, 2)),
        Case((3, 4)),
        Case((0, 4), about="no shift"),
        Case((-2, 6), about="a negative shift"),
        Case((5, 6), {"base": 100.0}, about="another base"),
        Case((3, 4), {"cosine_first": True}, about="cosines first"),
        Case((-4, 6), {"base": 50.0, "cosine_first": True}, about="cosines first"),
        Case((200, 8), about="a long shift"),
        Case((7, 64), about="a larger matrix"),
    ),
    draw=_draw_shifts,
    hints=(
        "Each pair has a 2 by 2 block of its own on the diagonal; everything else is 0. The "
        "angle of pair i is k·base^(−2i/width).",
        "Write sin(a + b) and cos(a + b) one under the other. The factors of sin a and cos a "
        "are the block, with b = kω.",
        "With the sine first, `matrix[2 * i, 2 * i + 1]` is sin(kω) and `matrix[2 * i + 1, 2 * i]` "
        "is −sin(kω), both cosines on the diagonal. With the cosine first, begin with the formula "
        "of cos(a + b): where is its minus?",
    ),
)


@SHIFT_MATRIX.choices
def blocks(
    k,
    width,
    base=10000.0,
    cosine_first=False,
    *,
    block=lambda c, s: ((c, s), (-s, c)),
    angle=lambda k, i, width, base: k * base ** (-2 * i / width),
    columns=lambda i, width: (2 * i, 2 * i + 1),
):
    """The matrix pair by pair, with the block, the angle and the columns of a pair to choose."""
    matrix = np.zeros((width, width))
    for i in range(width // 2):
        turned = angle(k, i, width, float(base))
        part = np.array(block(np.cos(turned), np.sin(turned)))
        place = np.ix_(columns(i, width), columns(i, width))
        matrix[place] = part.T if cosine_first else part
    return matrix


blocks.mistake(
    "shifted-back",
    "the matrix turns back by k instead of on: it is the transpose of the one "
    "asked for, the textbook's rotation",
    "Apply it to (0, 1), the pair at position 0. Is the sine of the result "
    "sin(kω), or its negative?",
    seen=("PE100",),
    section="turn",
    block=lambda c, s: ((c, -s), (s, c)),
)

both_sines_positive = blocks.mistake(
    "both-sines-positive",
    "both sines have a plus",
    "cos(a + b) = cos a cos b − sin a sin b. A matrix that keeps lengths has a "
    "minus somewhere; where?",
    seen=("PE150",),
    section="turn",
    block=lambda c, s: ((c, s), (s, c)),
)

blocks.mistake(
    "sines-on-the-diagonal",
    "sines and cosines have changed places in each block",
    "For k = 0 nothing should change. What does your matrix do to a row there?",
    section="turn",
    block=lambda c, s: ((s, c), (c, -s)),
)


@SHIFT_MATRIX.mistake(
    "the order of sine and cosine makes no difference to the matrix",
    "Write cos(a + b) and sin(a + b) one under the other, with cos a and sin a as the vector. "
    "Where is the minus then?",
    section="turn",
)
def cosine_first_ignored(k, width, base=10000.0, cosine_first=False):
    return geometry.shift_matrix(k, width, base)


def _table(positions: Array, width: int, base: float, cosine_first: bool) -> Array:
    """The rows of some positions in the order of columns that a call asks for."""
    rows = encodings.sinusoidal_at(positions, width, base)
    return rows.reshape(len(rows), -1, 2)[:, :, ::-1].reshape(rows.shape) if cosine_first else rows


def _shifts_early_rows(call: Call, value: Any) -> bool:
    """Whether a matrix carries sixty early rows where it should."""
    given = dict(zip(("k", "width", "base", "cosine_first"), call.args)) | call.kwargs
    k, width = given["k"], given["width"]
    base, cosine_first = given.get("base", 10000.0), given.get("cosine_first", False)
    try:
        matrix = np.asarray(value)
    except ValueError:
        return False
    if matrix.shape != (width, width) or matrix.dtype.kind not in "iuf":
        return False
    if not np.isfinite(matrix).all():
        return False
    positions = max(0, -k) + np.arange(60)
    here, there = (_table(p, width, base, cosine_first) for p in (positions, positions + k))
    return bool(np.abs(here @ matrix.T - there).max() < 1e-6)


@SHIFT_MATRIX.mistake(
    "the matrix is fitted to a table: it carries those rows, and in directions in which they have "
    "nothing but rounding it is another matrix",
    "At width 64 least squares finds a matrix, and not the one. Where do the numbers of the "
    "rotation come from, if not from the table?",
    section="one-of-many",
    fits=_shifts_early_rows,
)
def fitted_to_a_table(k, width, base=10000.0, cosine_first=False):
    positions = max(0, -k) + np.arange(512)
    here, there = (_table(p, width, base, cosine_first) for p in (positions, positions + k))
    return np.linalg.lstsq(here, there, rcond=None)[0].T


one_angle = blocks.mistake(
    "one-angle",
    "all pairs turn by the same angle",
    "Pair i turns by k times its own frequency. How far does the second pair of "
    "width 4 turn in three positions?",
    angle=lambda k, i, width, base: float(k),
)

blocks.mistake(
    "halves",
    "sine and cosine of a pair are looked for half the width apart; that is a "
    "layout in use, and not this table's",
    "In this table columns 2i and 2i + 1 are one pair. Where does the second "
    "block of width 4 begin?",
    seen=("PE097", "PE098"),
    columns=lambda i, width: (i, i + width // 2),
)


@SHIFT_MATRIX.mistake(
    "the matrix is that of one step, whatever k is", "Where does k enter the angle of a pair?"
)
def k_left_out(k, width, base=10000.0, cosine_first=False):
    return shift_matrix(1, width, base, cosine_first)


@SHIFT_MATRIX.mistake(
    "a negative k is taken for a positive one",
    "A shift by −2 goes back. What does the sine of a negative angle do?",
    section="turn",
)
def sign_of_k_lost(k, width, base=10000.0, cosine_first=False):
    return shift_matrix(abs(k), width, base, cosine_first)


@SHIFT_MATRIX.mistake(
    "the rows of an identity matrix are rolled by k",
    "That moves columns of the table. Positions are its rows, and each pair of "
    "columns has to be turned.",
)
def rows_rolled(k, width, base=10000.0, cosine_first=False):
    return np.roll(np.eye(width), k, axis=0)


blocks.mistake(
    "single-i",
    familiar.SINGLE_I,
    "Pair i turns by base^(−2i/width) a position. At width 4, how far does the "
    "second pair turn in one?",
    angle=lambda k, i, width, base: k * base ** (-i / width),
)
blocks.mistake(
    "doubled-exponent",
    "the exponent is doubled",
    "i already counts pairs, or already runs in twos; which is it in your code, "
    "and is the factor 2 there twice?",
    angle=lambda k, i, width, base: k * base ** (-4 * i / width),
)
blocks.mistake(
    "degrees",
    *familiar.in_degrees("sin", "k"),
    angle=lambda k, i, width, base: np.radians(k * base ** (-2 * i / width)),
)


familiar.base_ignored(SHIFT_MATRIX)


@SHIFT_MATRIX.has
def no_shift_changes_nothing(matrix, k, width, base=10000.0, cosine_first=False):
    if k or np.abs(matrix - np.eye(width)).max() < 1e-4:
        return ""
    return "at shift 0 the matrix is the identity, which changes no row; yours is not."


@SHIFT_MATRIX.has
def pairs_do_not_mix(matrix, k, width, base=10000.0, cosine_first=False):
    inside = np.kron(np.eye(width // 2), np.ones((2, 2))) > 0
    mixed = np.where(inside, 0, np.abs(matrix))
    if mixed.max() < 1e-6:
        return ""
    row, column = (int(n) for n in np.argwhere(mixed == mixed.max())[0])
    return (
        "each pair turns by itself, so that entries outside the 2 by 2 blocks on the diagonal are "
        f"0; yours holds {matrix[row, column]:.4g} at [{row}, {column}]."
    )


@SHIFT_MATRIX.has
def lengths_stay(matrix, k, width, base=10000.0, cosine_first=False):
    norms = np.linalg.norm(matrix, axis=1)
    row = int(np.abs(norms - 1).argmax())
    if abs(norms[row] - 1) < 1e-3:
        return ""
    return (
        f"a turn keeps lengths, so that each row of its matrix has length 1; row {row} of yours "
        f"has length {norms[row]:.4g}."
    )


@SHIFT_MATRIX.has
def leads_to_the_shifted_row(matrix, k, width, base=10000.0, cosine_first=False):
    angles = np.outer([3, 3 + k], base ** (-np.arange(0, width, 2) / width))
    columns = [np.sin(angles), np.cos(angles)]
    here, there = np.stack(columns[:: -1 if cosine_first else 1], axis=-1).reshape(2, -1)
    missed = float(np.abs(matrix @ here - there).max())
    if missed < 1e-3:
        return ""
    return f"matrix @ row 3 should be row 3 + ({k}); with yours an entry is off by {missed:.4g}."
