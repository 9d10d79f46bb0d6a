"""Challenge 8.1, How long are the rows?."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.judging.model import Case, Challenge
from posenc.lessons import familiar

Array = np.ndarray

NORM_RANGE = Challenge(
    id="8.1",
    name="norm_range",
    title="How long are the rows?",
    section="one-length",
    points=3,
    minutes=8,
    difficulty=1,
    asked="a pair of numbers (smallest, largest)",
    reference=geometry.norm_range,
    cases=(
        Case((4, 3)),
        Case((8, 50)),
        Case((5, 512), about="an odd width"),
        Case((3, 512), about="an odd width whose lone sine feels the base"),
        Case((3, 40), {"base": 10.0}, about="an odd width, another base"),
        Case((1, 20), about="width 1, one lone sine"),
        Case((7, 1), about="a single position"),
        Case((64, 512), about="a larger table"),
    ),
    draw=lambda rng: [
        Case(
            (int(width), int(length)),
            {"base": float(np.round(rng.uniform(5, 400), 1))} if n % 2 else {},
            about="an odd width" if width % 2 else "",
        )
        for n, (width, length) in enumerate(
            zip(rng.permutation([6, 9, 11, 12, 13, 33]), rng.integers(60, 250, 6))
        )
    ],
    hints=(
        "Make the whole table first, odd widths too; the given `sinusoidal` "
        "does. One norm a row is left to compute.",
        "`np.linalg.norm(table, axis=1)` adds the squares along each row and takes the root.",
        "Return the smallest and the largest of these norms, in this order, as a pair.",
    ),
    # A norm hides most of what a table shows: with the usual tolerance base 10001 would pass.
    absolute=2e-6,
    relative=2e-6,
)


def _row_norms(width: int, length: int, base: float) -> Array:
    return geometry.norms(encodings.sinusoidal(length, width, base))


@NORM_RANGE.choices
def range_of(width, length, base=10000.0, *, norms=_row_norms):
    """The smallest and the largest of some numbers, one for each row."""
    found = norms(width, length, base)
    return float(np.min(found)), float(np.max(found))


range_of.mistake(
    "formula-for-all",
    "the formula √(width/2) is used for every width",
    "That is the length of a row of whole pairs. What does the lone last sine of an odd width "
    "add, and is it the same at each position?",
    section="lone-sine",
    norms=lambda d, n, base: np.array(np.sqrt(d / 2)),
)


range_of.mistake(
    "squared",
    "these are sums of squares; the root is missing",
    "At width 8 a row has four pairs, and each has sin² + cos² = 1. What is the "
    "length of such a row?",
    norms=lambda d, n, base: _row_norms(d, n, base) ** 2,
)


@NORM_RANGE.mistake("the two numbers are in the other order", "The smallest is asked for first.")
def largest_first(width, length, base=10000.0):
    smallest, largest = geometry.norm_range(width, length, base)
    return largest, smallest


range_of.mistake(
    "columns",
    "the norm is taken down the columns",
    "A position is a row. Along which axis should the squares be added, so that "
    "one number is left for each row?",
    norms=lambda d, n, base: np.linalg.norm(encodings.sinusoidal(n, d, base), axis=0),
)
range_of.mistake(
    "absolute-sum",
    "absolute values are added instead of squares",
    "The Euclidean norm is the root of the sum of squares.",
    norms=lambda d, n, base: np.abs(encodings.sinusoidal(n, d, base)).sum(axis=1),
)
range_of.mistake(
    "lone-sine-dropped",
    "only whole pairs are counted, and the lone sine of an odd width is left out",
    "At width 5 column 4 is a sine without a cosine. What does its square add at position 0, "
    "and what at position 500?",
    section="lone-sine",
    norms=lambda d, n, base: np.array(np.sqrt(d // 2)),
)


def _odd_rounded_up(width: int, length: int, base: float) -> Array:
    return _row_norms(width + width % 2, length, base)


range_of.mistake(
    "odd-rounded-up",
    "an odd width is rounded up, so that its last sine gets a cosine that does not exist",
    "At width 5 there are three sines and two cosines. How many squares does a row have?",
    section="lone-sine",
    norms=_odd_rounded_up,
)
range_of.mistake(
    "positions-from-1",
    familiar.COUNTED_FROM_1,
    "Row 0 is one of the rows. What does the lone sine add there?",
    norms=lambda d, n, base: _row_norms(d, n + 1, base)[1:],
)


@NORM_RANGE.mistake(
    "these are the norms of the first and of the last row",
    "The lone sine rises and falls. Does it have to be largest at the end?",
)
def first_and_last(width, length, base=10000.0):
    norms = _row_norms(width, length, base)
    return float(norms[0]), float(norms[-1])


familiar.base_ignored(NORM_RANGE)


@NORM_RANGE.has
def smallest_first(norms, width, length, base=10000.0):
    low, high = norms
    if low <= high + 1e-9:
        return ""
    return f"the smallest norm is asked for first; your first is {low:.6g}, your second {high:.6g}."


@NORM_RANGE.has
def one_length_at_even_width(norms, width, length, base=10000.0):
    low, high = norms
    if width % 2 or abs(high - low) < 1e-4:
        return ""
    return (
        "at an even width each pair adds 1 to the square of every row's norm, so that all rows "
        f"have one norm; yours go from {low:.6g} to {high:.6g}."
    )
