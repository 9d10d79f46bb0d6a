"""Challenge 9.1, The matrix of a shift."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge
from posenc.lessons import familiar

Array = np.ndarray


def _draw_shifts(rng: np.random.Generator) -> Sequence[Case]:
    cases = []
    for n, width in enumerate(rng.permutation([4, 6, 8, 10, 14, 20])):
        k = int(rng.integers(2, 201)) * (-1 if n % 3 == 2 else 1)
        base = {"base": float(np.round(rng.uniform(20, 30000), 1))} if n % 2 else {}
        cases.append(Case((k, int(width)), base, about="a negative shift" if k < 0 else ""))
    return cases


SHIFT_MATRIX = Challenge(
    id="9.1",
    name="shift_matrix",
    title="The matrix of a shift",
    section="whole-row",
    points=3,
    minutes=12,
    difficulty=2,
    asked="an array (width, width)",
    reference=geometry.shift_matrix,
    cases=(
        Case((1, 2)),
        Case((3, 4)),
        Case((0, 4), about="no shift"),
        Case((-2, 6), about="a negative shift"),
        Case((5, 6), {"base": 100.0}, about="another base"),
        Case((200, 8), about="a long shift"),
        Case((7, 64), about="a larger matrix"),
    ),
    draw=_draw_shifts,
    hints=(
        "Each pair has a 2 by 2 block of its own on the diagonal; everything else is 0. The "
        "angle of pair i is k·base^(−2i/width).",
        "Write sin(a + b) and cos(a + b) one under the other. The factors of sin a and cos a "
        "are the block, with b = kω.",
        "`matrix[2 * i, 2 * i + 1]` is sin(kω) and `matrix[2 * i + 1, 2 * i]` is −sin(kω); "
        "both cosines stand on the diagonal.",
    ),
)


@SHIFT_MATRIX.choices
def blocks(
    k,
    width,
    base=10000.0,
    *,
    block=lambda c, s: ((c, s), (-s, c)),
    angle=lambda k, i, width, base: k * base ** (-2 * i / width),
    columns=lambda i, width: (2 * i, 2 * i + 1),
):
    """A wrong 9.1, pair by pair: another block, another angle, or other columns for a pair."""
    matrix = np.zeros((width, width))
    for i in range(width // 2):
        turned = angle(k, i, width, float(base))
        matrix[np.ix_(columns(i, width), columns(i, width))] = block(np.cos(turned), np.sin(turned))
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
    "both sines came with a plus",
    "cos(a + b) = cos a cos b − sin a sin b. A matrix that keeps lengths has a "
    "minus somewhere; where?",
    seen=("PE150",),
    section="turn",
    block=lambda c, s: ((c, s), (s, c)),
)

one_angle = blocks.mistake(
    "one-angle",
    "all pairs turn by the same angle",
    "Pair i turns by k times its own frequency. How far does the second pair of "
    "width 4 turn in three positions?",
    angle=lambda k, i, width, base: float(k),
)

halves = blocks.mistake(
    "halves",
    "sine and cosine of a pair are looked for half the width apart; that is a "
    "layout in use, and not this table's",
    "In this table columns 2i and 2i + 1 are one pair. Where does the second "
    "block of width 4 begin?",
    seen=("PE097", "PE098"),
    columns=lambda i, width: (i, i + width // 2),
)


@SHIFT_MATRIX.mistake(
    "the matrix of one step came, whatever k is", "Where does k enter the angle of a pair?"
)
def k_left_out(k, width, base=10000.0):
    return geometry.shift_matrix(1, width, base)


@SHIFT_MATRIX.mistake(
    "a negative k is taken for a positive one",
    "A shift by −2 goes back. What does the sine of a negative angle do?",
    section="turn",
)
def sign_of_k_lost(k, width, base=10000.0):
    return geometry.shift_matrix(abs(k), width, base)


@SHIFT_MATRIX.mistake(
    "the rows of an identity matrix are rolled by k",
    "That moves columns of the table. Positions are its rows, and each pair of "
    "columns has to be turned.",
)
def rows_rolled(k, width, base=10000.0):
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
