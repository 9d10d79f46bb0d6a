"""Challenge 5.1, The discrete ancestor."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge

Array = np.ndarray

BINARY_COUNTER = Challenge(
    id="5.1",
    name="binary_counter",
    title="The discrete ancestor",
    section="counter",
    points=3,
    minutes=8,
    difficulty=1,
    asked="an array (length, bits) of zeros and ones, one row a position,",
    reference=encodings.binary_counter,
    cases=(
        Case((8, 3)),
        Case((5, 4)),
        Case((20, 3), about="more positions than the bits can count"),
        Case((64, 16), about="a larger table"),
        Case((3, 1), about="one bit"),
    ),
    draw=lambda rng: [
        Case((int(rng.integers(17, 70)), int(rng.integers(2, 12)))) for _ in range(6)
    ],
    hints=(
        "Bit b of position p says whether 2^b is in p. For p = 5 the bits are "
        "1, 0, 1, from b = 0 on.",
        "Divide by 2^b, drop the fraction, and look whether the result is odd.",
        "`np.arange(length)[:, None] // 2 ** np.arange(bits) % 2` does it for "
        "all positions and bits at once.",
    ),
)


@BINARY_COUNTER.choices
def counter(length, bits, *, make):
    """A wrong 5.1 from positions as a column and bit numbers as a row."""
    return make(np.arange(length)[:, None], np.arange(bits)).astype(float)


counter.mistake(
    "most-significant-first",
    "the most significant bit comes first",
    "Column 0 should be the fastest. Which column changes at every position in yours?",
    make=lambda p, b: p >> b[::-1] & 1,
)

counter.mistake(
    "positions-from-1",
    "positions are counted from 1",
    "Row 0 is position 0, whose bits are all 0.",
    make=lambda p, b: p + 1 >> b & 1,
)

counter.mistake(
    "one-bit-late",
    "every column is twice as slow as it should be",
    "Column 0 changes at every position. By what is a position divided there?",
    make=lambda p, b: p >> b + 1 & 1,
)

counter.mistake(
    "not-reduced",
    "the whole part of the division is kept, not its last binary digit",
    "A bit is 0 or 1. What is left to do after dividing by 2^b?",
    make=lambda p, b: p >> b,
)

counter.mistake(
    "remainder-only",
    "a bit is 1 wherever the remainder is not 0",
    "Position 2 is 10 in binary: its last bit is 0. What does your column 1 say at position 1?",
    make=lambda p, b: p % 2 ** (b + 1) > 0,
)

counter.mistake(
    "gray-code",
    "this is the Gray code, in which one bit changes from row to row",
    "A good counter, and another one. In binary, how many bits change from position 3 to 4?",
    make=lambda p, b: (p ^ p >> 1) >> b & 1,
)


@BINARY_COUNTER.mistake(
    "the table is transposed: a column a position", "Which axis do the positions run along?"
)
def transposed(length, bits):
    return encodings.binary_counter(length, bits).T
