"""Challenge 5.1, A counter without jumps."""

from __future__ import annotations

import numpy as np

from posenc.judging.model import Case, Challenge

Array = np.ndarray


def gray_code(length: int, bits: int) -> Array:
    """The binary reflected Gray code, (length, bits): one column changes from row to row.

    Column b is 1 where bits b and b + 1 of the position differ. F. Gray, U.S. patent 2,632,058.
    """
    p = np.arange(length)[:, None] % 2**bits
    return ((p ^ p >> 1) >> np.arange(bits) & 1).astype(float)


GRAY_CODE = Challenge(
    id="5.1",
    name="gray_code",
    title="A counter without jumps",
    section="counter",
    points=3,
    minutes=8,
    difficulty=2,
    asked="an array (length, bits) of zeros and ones, one row a position,",
    reference=gray_code,
    cases=(
        Case((8, 3)),
        Case((5, 4)),
        Case((20, 3), about="more positions than the bits can count"),
        Case((300, 8), about="a larger table"),
        Case((3, 1), about="one bit"),
    ),
    draw=lambda rng: [
        Case((int(rng.integers(17, 70)), int(rng.integers(2, 12)))) for _ in range(6)
    ],
    hints=(
        "Make the bits first, with one column more than you need. For p = 4 they are 0, 0, 1, 0 "
        "from b = 0 on, so the row is 0, 1, 1.",
        "Two tables of bits that are shifted by one column can be compared at once with `!=`, and "
        "`.astype(int)` makes zeros and ones of the result.",
        "If the positions are reduced by `% 2**bits` before you take their bits, the bit above the "
        "last is 0 by itself.",
    ),
)


@GRAY_CODE.choices
def counter(
    length,
    bits,
    *,
    first=0,
    wrapped=lambda p, bits: p % 2**bits,
    order=lambda b: b,
    other=lambda p: p >> 1,
    combined=np.bitwise_xor,
):
    """Each position combined with its bits one column further, bit by bit."""
    p = wrapped(np.arange(first, first + length)[:, None], bits)
    return (combined(p, other(p)) >> order(np.arange(bits)) & 1).astype(float)


counter.mistake(
    "binary",
    "this is the binary counter itself, in which several columns change at once",
    "From position 3 to 4 exactly one column should change. How many of yours do?",
    combined=lambda p, other: p,
)
counter.mistake(
    "most-significant-first",
    "the column of the most significant bit is the first",
    "Column 0 belongs to the least significant bit. Which of your columns changes most often?",
    order=lambda b: b[::-1],
)
counter.mistake(
    "positions-from-1",
    "positions are counted from 1",
    "Row 0 is position 0, whose bits are all 0.",
    first=1,
)
counter.mistake(
    "bit-below",
    "each bit is compared with the one below it instead of the one above",
    "Column 0 compares bits 0 and 1. What does yours compare bit 0 with?",
    other=lambda p: p << 1,
)
counter.mistake(
    "equal-for-different",
    "a column is 1 where the two bits are equal",
    "All bits of position 0 are equal. Which row should it have?",
    combined=lambda p, other: ~(p ^ other),
)
counter.mistake(
    "both-set",
    "a column is 1 where both bits are 1",
    "At position 1 the bits 0 and 1 are 1 and 0. Do they differ?",
    combined=np.bitwise_and,
)
counter.mistake(
    "either-set",
    "a column is 1 where at least one of the two bits is 1",
    "At position 3 the bits 0 and 1 are 1 and 1. Do they differ?",
    combined=np.bitwise_or,
)
counter.mistake(
    "not-started-again",
    "positions that need more bits keep the bit above the last column",
    "With 3 bits, position 8 is position 0 again. Which row does yours have there?",
    wrapped=lambda p, bits: p,
)


@GRAY_CODE.mistake(
    "the last column is compared with column 0, as if the bits went round",
    "Above the last bit of the counter there is a 0. Which bit does yours put there?",
)
def last_with_first(length, bits):
    table = np.arange(length)[:, None] >> np.arange(bits) & 1
    return (table != np.roll(table, -1, axis=1)).astype(float)


@GRAY_CODE.mistake(
    "the last column is left at 0",
    "Above the last bit of the counter there is a 0. Does a last bit of 1 differ from it?",
)
def last_column_zero(length, bits):
    table = gray_code(length, bits)
    table[:, -1] = 0
    return table


@GRAY_CODE.mistake(
    "this marks the columns that change from the row before",
    "What is asked for is a counter. Which two bits of one position does column b compare?",
)
def what_changes(length, bits):
    table = np.arange(length)[:, None] >> np.arange(bits) & 1
    return np.abs(np.diff(table, axis=0, prepend=table[:1])).astype(float)


@GRAY_CODE.mistake(
    "the table is transposed: a column a position", "Which axis do the positions run along?"
)
def transposed(length, bits):
    return gray_code(length, bits).T


@GRAY_CODE.has
def zeros_and_ones(table, length, bits):
    odd = np.flatnonzero((table != 0) & (table != 1))
    if not odd.size:
        return ""
    return f"each entry is 0 or 1; yours holds {np.ravel(table)[odd[0]]:g}."


@GRAY_CODE.has
def one_column_from_row_to_row(table, length, bits):
    changes = (np.diff(table, axis=0) != 0).sum(axis=1)
    wrong = np.flatnonzero(changes > 1)
    if not wrong.size:
        return ""
    row = int(wrong[0])
    return (
        f"from one position to the next a single column changes; from row {row} to row {row + 1} "
        f"{changes[row]} of yours do."
    )
