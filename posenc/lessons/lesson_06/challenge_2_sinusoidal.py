"""Challenge 6.2, The table."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_06.common import (
    BASE_1000,
    BASE_IGNORED,
    DOUBLED,
    FLOORED,
    HALF_LESS_ONE,
    SIGN,
    SINGLE,
)

Array = np.ndarray

SINUSOIDAL = Challenge(
    id="6.2",
    name="sinusoidal",
    title="The table",
    section="formula",
    points=3,
    minutes=12,
    difficulty=2,
    asked="an array (length, width), one row a position,",
    reference=encodings.sinusoidal,
    cases=(
        Case((3, 4)),
        Case((2, 8)),
        Case((1, 6), about="a single position"),
        Case((5, 6), {"base": 100.0}, about="another base"),
        Case((4, 5), about="an odd width"),
        Case((3, 1), about="width 1, one lone sine"),
        Case((64, 16), about="a larger table"),
    ),
    draw=lambda rng: [
        Case(
            (int(length), int(width)),
            {"base": float(np.round(rng.uniform(20, 40000), 1))} if n % 2 else {},
            about="an odd width" if width % 2 else "",
        )
        for n, (length, width) in enumerate(
            zip(rng.integers(20, 60, 6), rng.permutation([7, 8, 9, 10, 12, 14]))
        )
    ],
    hints=(
        "One angle a position and pair: the position times the frequency of the "
        "pair. That is a grid (length, pairs).",
        "`np.arange(length)[:, None] * frequencies` makes the whole grid, "
        "because a column times a row is a grid.",
        "Make an empty table, then fill `table[:, 0::2]` with the sines and "
        "`table[:, 1::2]` with the cosines. "
        "An odd width has one cosine less: `[:, : width // 2]`.",
    ),
    builds_on={"frequencies": "6.1"},
)


@SINUSOIDAL.choices
def table(
    length,
    width,
    base=10000.0,
    *,
    exponent=lambda j, length, width: (j - j % 2) / width,
    angle=lambda a: a,
    first=0,
    cosine=lambda p, j: j % 2 == 1,
    fixed_base=None,
):
    """The table column by column: the exponent of column j, the unit, the first position."""
    used = float(base if fixed_base is None else fixed_base)
    p = np.arange(first, first + length)
    table = np.empty((length, width))
    for j in range(width):
        turned = angle(p * used ** -exponent(j, length, width))
        table[:, j] = np.where(cosine(p, j), np.cos(turned), np.sin(turned))
    return table


table.mistake("doubled-exponent", *DOUBLED, exponent=lambda j, n, d: 2 * (j - j % 2) / d)

table.mistake("single-i", *SINGLE, exponent=lambda j, n, d: (j // 2) / d)

table.mistake(
    "column-exponent",
    "the cosine of each pair has an exponent of its own, one step further than its sine",
    "A sine and its cosine must turn at the same speed to be a point on a circle. Which "
    "exponent do columns 2 and 3 share?",
    seen=("PE014", "PE016"),
    exponent=lambda j, n, d: j / d,
)

table.mistake(
    "column-for-pair",
    "i is read as the number of the column instead of the pair",
    "At width 8 the exponents by column are 0, 0, 2/8, 2/8, 4/8, … What turns "
    "column j into its pair?",
    seen=("PE010",),
    exponent=lambda j, n, d: 2 * j / d,
)

LAYOUT_THINK = (
    "Columns 2i and 2i + 1 hold the sine and the cosine of pair i. What stands in "
    "column 1 at width 4?"
)


@SINUSOIDAL.mistake(
    "all sines come first and all cosines after them; the numbers are right, "
    "the columns are in another order",
    LAYOUT_THINK + " Both layouts are in use; this challenge asks for the interleaved one.",
    seen=("PE021", "PE023", "PE025"),
    section="layouts",
)
def concatenated(length, width, base=10000.0):
    table = encodings.sinusoidal(length, width, base)
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


@SINUSOIDAL.mistake(
    "all cosines come first and all sines after them, as in code for diffusion time steps",
    LAYOUT_THINK + " Blocks with the cosines first are a layout in use; this challenge asks "
    "for the interleaved one.",
    seen=("PE023", "PE025"),
)
def concatenated_cosines_first(length, width, base=10000.0):
    return np.roll(concatenated(length, width, base), width // 2, axis=1)


@SINUSOIDAL.mistake(
    "this is the table of tensor2tensor and fairseq: sines first, cosines "
    "after, and a ladder divided by half − 1",
    "Two conventions differ from the one asked for: the order of the columns "
    "and the step of the ladder.",
    seen=("PE019",),
    section="layouts",
)
def concatenated_half_minus_one(length, width, base=10000.0):
    half = width // 2
    angles = np.arange(length)[:, None] * float(base) ** (-np.arange(half) / max(half - 1, 1))
    return np.concatenate([np.sin(angles), np.cos(angles), np.zeros((length, width % 2))], axis=1)


table.mistake(
    "positions-from-1",
    "positions are counted from 1",
    "Row 0 is position 0: sines 0, cosines 1. What does `np.arange` start at in your code?",
    first=1,
)

table.mistake(
    "half-minus-one",
    *HALF_LESS_ONE,
    seen=("PE019", "PE026"),
    section="layouts",
    exponent=lambda j, n, d: (j // 2) / max((d + 1) // 2 - 1, 1),
)

table.mistake("base-1000", *BASE_1000, seen=("PE017",), fixed_base=1000.0)

table.mistake(
    "base-1000-column-exponent",
    "two slips came together: 1000 in place of the base, and an exponent of its "
    "own for each cosine",
    "Mend one at a time: first the base, then the exponent that a pair shares.",
    seen=("PE013",),
    exponent=lambda j, n, d: j / d,
    fixed_base=1000.0,
)

table.mistake("base-ignored", *BASE_IGNORED, fixed_base=10000.0)

table.mistake("exponent-sign", *SIGN, exponent=lambda j, n, d: -(j - j % 2) / d)

table.mistake(
    "floored-exponent", *FLOORED, seen=("PE028", "PE029"), exponent=lambda j, n, d: (j - j % 2) // d
)

table.mistake(
    "length-for-width",
    "the exponent is divided by the length instead of the width",
    "The speed of a pair must not depend on how long the text is. What does the "
    "formula divide 2i by?",
    exponent=lambda j, n, d: (j - j % 2) / n,
)

table.mistake(
    "parity-of-position",
    "sine or cosine is chosen by whether the position is even, not the column",
    "Look at row 1: which of its columns should be sines?",
    cosine=lambda p, j: p % 2 == 1,
)

table.mistake(
    "cosine-first",
    "each pair begins with its cosine",
    "At position 0 the row asked for begins 0, 1. Which of the two functions is 0 there?",
    seen=("PE023",),
    cosine=lambda p, j: j % 2 == 0,
)


@SINUSOIDAL.mistake(
    "the table is transposed: a column a position",
    "`table[p]` should be position p. Which axis do the positions run along in yours?",
)
def transposed(length, width, base=10000.0):
    return encodings.sinusoidal(length, width, base).T


table.mistake(
    "degrees",
    "angles are taken in degrees",
    "`np.sin` takes radians, and position times frequency already is in radians.",
    angle=np.radians,
)


@SINUSOIDAL.mistake(
    "the last column of an odd width is left at 0",
    "The lone last column is a sine. Padding it with zeros is what tensor2tensor and fairseq "
    "do; here it is asked for.",
    seen=("PE002", "PE005"),
    section="odd-width",
)
def odd_last_zero(length, width, base=10000.0):
    table = encodings.sinusoidal(length, width, base).copy()
    if width % 2:
        table[:, -1] = 0.0
    return table


@SINUSOIDAL.mistake(
    "an odd width has one more sine than it has cosines, and the cosines are "
    "filled from the longer list",
    "At width 5 the columns 1 and 3 are cosines. How many frequencies do they need?",
    seen=("PE001", "PE004", "PE005"),
    section="odd-width",
)
def odd_crashes(length, width, base=10000.0):
    table = np.zeros((length, width))
    angles = np.arange(length)[:, None] * float(base) ** (-np.arange(0, width, 2) / width)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


@SINUSOIDAL.mistake(
    "odd widths are refused, as some libraries do in so many words",
    "A clear refusal is better than a crash, and here odd widths are asked for: "
    "which column has no partner?",
    seen=("PE004",),
)
def odd_refused(length, width, base=10000.0):
    if width % 2:
        raise ValueError(f"width {width} is odd")
    return encodings.sinusoidal(length, width, base)


@SINUSOIDAL.mistake(
    "an odd width is rounded up to an even one and cut, so that the exponents "
    "are divided by width + 1",
    "The exponent is 2i/width with the width that was given, odd or not.",
    section="odd-width",
)
def odd_rounded_up(length, width, base=10000.0):
    return encodings.sinusoidal(length, width + width % 2, base)[:, :width]


@SINUSOIDAL.mistake(
    "row 0 is left at zeros, as if it were a place for padding",
    "Some tables keep row 0 for padding. The one asked for does not: position 0 is a "
    "position. Which values do its cosines have?",
    seen=("PE061",),
)
def row_zero_empty(length, width, base=10000.0):
    table = encodings.sinusoidal(length, width, base).copy()
    table[0] = 0.0
    return table
