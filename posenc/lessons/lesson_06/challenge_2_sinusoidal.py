"""Challenge 6.2, The table."""

from __future__ import annotations

from typing import Any

import numpy as np

from posenc import encodings
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge
from posenc.lessons import familiar
from posenc.lessons.lesson_06.common import exponent_mistakes, two_i

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
        Case((300, 8), about="a larger table"),
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
        "One angle for each position and pair, the position times the pair's frequency: a grid.",
        "`np.arange(length)[:, None] * frequencies` is that grid, a column times a row.",
        "Fill `table[:, 0::2]` of an empty table with the sines and `table[:, 1::2]` with the "
        "cosines. An odd width has one cosine less: `[:, : width // 2]`.",
    ),
    builds_on={"frequencies": "6.1"},
)


@SINUSOIDAL.choices
def table(
    length,
    width,
    base=10000.0,
    *,
    first=0,
    pair=lambda j: j // 2,
    exponent=two_i,
    over=lambda length, width: width,
    used=None,
    unit=lambda angles: angles,
    cosine=lambda p, j: j % 2 == 1,
    order=lambda j: j,
):
    """The table, whose positions p and columns j are treated in one of many ways."""
    p, j = np.arange(first, first + length)[:, None], order(np.arange(width))
    angles = unit(p * float(used or base) ** -exponent(pair(j), over(length, width)))
    return np.where(cosine(p, j), np.cos(angles), np.sin(angles))


exponent_mistakes(table)

table.mistake(
    "column-exponent",
    "the cosine of each pair has an exponent of its own, one step further than its sine",
    "A sine and its cosine must turn at the same speed. Which exponent do columns 2 and 3 share?",
    seen=("PE014", "PE016"),
    pair=lambda j: j / 2,
)
table.mistake(
    "column-for-pair",
    "i is read as the number of the column instead of the pair",
    "By column, the exponents at width 8 are 0, 0, 2/8, 2/8, 4/8, … What turns j into its pair?",
    seen=("PE010",),
    pair=lambda j: j,
)
table.mistake(
    "base-1000-column-exponent",
    "there are two slips: 1000 in place of the base, and an exponent of its own for each cosine",
    "Fix one at a time: first the base, then the exponent that a pair shares.",
    seen=("PE013",),
    used=1000.0,
    pair=lambda j: j / 2,
)
table.mistake(
    "length-for-width",
    "the exponent is divided by the length instead of the width",
    "A pair's speed is the same in texts of every length. What does the formula divide 2i by?",
    over=lambda length, width: length,
)
table.mistake(
    "odd-rounded-up",
    "an odd width is rounded up to an even one, so that exponents are divided by width + 1",
    "The exponent is 2i/width with the width that was given, odd or not.",
    section="odd-width",
    over=lambda length, width: width + width % 2,
)
table.mistake(
    "odd-rounded-down",
    "an odd width is rounded down to an even one, so that exponents are divided by width − 1",
    "The exponent is 2i/width with the width that was given, odd or not.",
    section="odd-width",
    over=lambda length, width: max(width - width % 2, 1),
)
table.mistake(
    "positions-from-1",
    familiar.COUNTED_FROM_1,
    "Row 0 is position 0: sines 0, cosines 1. What does `np.arange` start at in your code?",
    first=1,
)
table.mistake("degrees", *familiar.in_degrees("sin", "position"), unit=np.radians)
table.mistake(
    "parity-of-position",
    "sine or cosine is chosen by whether the position is even, not the column",
    "Every position has sines and cosines. Which columns of row 1 should be sines?",
    seen=("https://github.com/datawhalechina/happy-llm/issues/57",),
    cosine=lambda p, j: p % 2 == 1,
)
table.mistake(
    "sines-only",
    "every column is a sine",
    "Row 0 begins 0, 1. Which function is 1 at angle 0?",
    section="formula",
    cosine=lambda p, j: False,
)
table.mistake(
    "cosine-first",
    "each pair begins with its cosine",
    "At position 0 the row asked for begins 0, 1. Which of the two functions is 0 there?",
    seen=("PE023",),
    cosine=lambda p, j: j % 2 == 0,
)
table.mistake(
    "concatenated",
    "all sines are in front and all cosines after them: right numbers in another order of columns",
    "Both layouts are in use, and the interleaved one is asked for. What is column 1 at width 4?",
    seen=("PE021", "PE023", "PE025"),
    section="layouts",
    order=lambda j: np.r_[j[0::2], j[1::2]],
)
table.mistake(
    "concatenated-cosines-first",
    "all cosines are in front and all sines after them, as in code for diffusion time steps",
    "Both layouts are in use, and the interleaved one is asked for. What is column 1 at width 4?",
    seen=("PE023", "PE025"),
    order=lambda j: np.r_[j[1::2], j[0::2]],
)
familiar.transposed(SINUSOIDAL, "`table[p]` should be position p. Which axis is p in yours?")


@SINUSOIDAL.mistake(
    "this is the table of tensor2tensor and fairseq: sines, then cosines, and a shorter ladder",
    "Two conventions differ: the order of the columns, and what the exponent is divided by.",
    seen=("PE019",),
    section="layouts",
)
def concatenated_half_minus_one(length, width, base=10000.0):
    half = width // 2
    angles = np.arange(length)[:, None] * float(base) ** (-np.arange(half) / max(half - 1, 1))
    return np.concatenate([np.sin(angles), np.cos(angles), np.zeros((length, width % 2))], axis=1)


@SINUSOIDAL.mistake(
    "the last column of an odd width is left at 0",
    "tensor2tensor and fairseq pad it with zeros. Here it is a sine. Which pair is it part of?",
    seen=("PE002", "PE005"),
    section="odd-width",
)
def odd_last_zero(length, width, base=10000.0):
    return table(length, width, base) * (np.arange(width) < width - width % 2)


@SINUSOIDAL.mistake(
    "an odd width has one sine more than cosines, and the cosines are filled from the longer list",
    "At width 5 the columns 1 and 3 are cosines. How many frequencies do they need?",
    seen=("PE001", "PE004", "PE005"),
    section="odd-width",
)
def odd_crashes(length, width, base=10000.0):
    made = table(length, width, base)
    made[:, 1::2] = np.cos(np.arange(length)[:, None] * encodings.frequencies(width, base))
    return made


@SINUSOIDAL.mistake(
    "odd widths are refused explicitly, as some libraries do",
    "A clear refusal is better than a crash. Here odd widths are asked for. "
    "Which column has no partner?",
    seen=("PE004",),
)
def odd_refused(length, width, base=10000.0):
    if width % 2:
        raise ValueError(f"width {width} is odd")
    return table(length, width, base)


@SINUSOIDAL.mistake(
    "row 0 is left at zeros, as if it were a place for padding",
    "Some libraries keep row 0 for padding. Here it is position 0. What are its cosines?",
    seen=("PE061",),
)
def row_zero_empty(length, width, base=10000.0):
    return table(length, width, base) * (np.arange(length) > 0)[:, None]


@SINUSOIDAL.mistake(
    "the table holds whole numbers, which cut most sines and cosines to 0",
    "An array that was made for integers cuts what is written into it. Which `dtype` does yours "
    "have?",
)
def whole_numbers(length, width, base=10000.0):
    return np.trunc(table(length, width, base))


def _few_digits(call: Call, value: Any) -> bool:
    """Whether a value is the right table, kept in half precision or to at most four places."""
    try:
        got = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    want = table(*call.args, **call.kwargs)
    if got.shape != want.shape or not np.allclose(got, want, rtol=0, atol=5e-3):
        return False
    single = np.ascontiguousarray(got, dtype=np.float32)
    brain = (single.view(np.uint32) & 0xFFFF == 0).all() and (single == got).all()
    half = (got == got.astype(np.float16)).all()
    return bool(half or brain or (got == got.round(4)).all())


@SINUSOIDAL.mistake(
    "the formula is right and its values are kept with only three or four digits",
    "Half precision and rounding lose digits. Where does your code round, or choose a `dtype`?",
    seen=("https://github.com/Open-Deep-ML/DML-OpenProblem/issues/495",),
    fits=_few_digits,
)
def few_digits(length, width, base=10000.0):
    return table(length, width, base).astype(np.float16)


@SINUSOIDAL.has
def between_minus_1_and_1(table, length, width, base=10000.0):
    largest = float(np.abs(table).max())
    if largest <= 1 + 1e-4:
        return ""
    return f"sines and cosines lie between −1 and 1; your table holds {largest:.6g} in size."


@SINUSOIDAL.has
def position_0(table, length, width, base=10000.0):
    if np.abs(table[0, 0::2]).max() < 1e-4 and np.all(np.abs(table[0, 1::2] - 1) < 1e-4):
        return ""
    return "at position 0 each angle is 0; your row 0 does not hold the sines and cosines of 0."


@SINUSOIDAL.has
def squares_of_a_pair(table, length, width, base=10000.0):
    pairs = table[:, : width - width % 2].reshape(length, -1, 2)
    if not pairs.size:
        return ""
    sums = (pairs**2).sum(axis=-1)
    row, pair = (int(n) for n in np.argwhere(np.abs(sums - 1) == np.abs(sums - 1).max())[0])
    if abs(sums[row, pair] - 1) < 1e-3:
        return ""
    return (
        "the squares of a sine and its cosine add up to 1; in yours those of columns "
        f"{2 * pair} and {2 * pair + 1} add up to {sums[row, pair]:.4g} at position {row}."
    )
