"""Challenge 6.1, The speeds."""

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

FREQUENCIES = Challenge(
    id="6.1",
    name="frequencies",
    title="The speeds",
    section="formula",
    points=2,
    minutes=6,
    difficulty=1,
    asked="a one-dimensional array with one frequency a pair, (width + 1) // 2 of them,",
    reference=encodings.frequencies,
    cases=(
        Case((4,)),
        Case((8,)),
        Case((6,), {"base": 100.0}, about="another base"),
        Case((5,), about="an odd width"),
        Case((2,)),
        Case((64,)),
    ),
    draw=lambda rng: [
        Case((int(width),), {"base": float(np.round(rng.uniform(20, 40000), 1))} if n % 2 else {})
        for n, width in enumerate(rng.integers(7, 48, 6))
    ],
    hints=(
        "Pair i has the frequency 1 / base^(2i/width). Write down i for every "
        "pair first: 0, 1, 2, …",
        "How many pairs are there at width 5, if a lone last sine counts as "
        "one? `(width + 1) // 2` counts them.",
        "`np.arange(pairs)` holds all i at once, and `base ** (-2 * i / width)` "
        "works on the whole array.",
    ),
    # Slow frequencies are small: an absolute tolerance for table entries would let base 10001 pass.
    absolute=1e-9,
)


def _pairs(width: int) -> Array:
    return np.arange((width + 1) // 2)


@FREQUENCIES.choices
def ladder(width, base=10000.0, *, exponent):
    """A wrong 6.1: base ** −exponent(pair, width)."""
    return float(base) ** -exponent(_pairs(width), width)


ladder.mistake("doubled-exponent", *DOUBLED, seen=("PE010",), exponent=lambda i, d: 4 * i / d)

ladder.mistake("single-i", *SINGLE, seen=("PE015", "PE016"), exponent=lambda i, d: i / d)

ladder.mistake(
    "half-minus-one",
    *HALF_LESS_ONE,
    seen=("PE019", "PE026"),
    section="layouts",
    exponent=lambda i, d: i / max(len(i) - 1, 1),
)


@FREQUENCIES.mistake(*BASE_1000, seen=("PE017",))
def base_1000(width, base=10000.0):
    return 1000.0 ** (-2 * _pairs(width) / width)


@FREQUENCIES.mistake(*BASE_IGNORED)
def base_ignored(width, base=10000.0):
    return encodings.frequencies(width)


ladder.mistake("exponent-sign", *SIGN, exponent=lambda i, d: -2 * i / d)

ladder.mistake(
    "floored-exponent", *FLOORED, seen=("PE028", "PE029"), exponent=lambda i, d: 2 * i // d
)


@FREQUENCIES.mistake(
    "a whole-number division rounds the step of the ladder down, because `//` binds like `/` "
    "and takes what stands left of it",
    "Put in the parentheses that you meant, and print the second frequency at width 64.",
    seen=("PE030",),
)
def floored_step(width, base=10000.0):
    return np.exp(_pairs(width) * 2 * (-np.log(base) / width // 2))


@FREQUENCIES.mistake(
    "there is one frequency for each column instead of one for each pair",
    "A sine and its cosine share a frequency. How many are needed for 8 columns?",
    seen=("PE010", "PE015"),
)
def one_per_column(width, base=10000.0):
    return float(base) ** (-np.arange(width) / width)


@FREQUENCIES.mistake(
    "the frequency of the lone last sine of an odd width is missing",
    "Width 5 has columns 0 to 4. Which pair does column 4 belong to?",
    seen=("PE001", "PE002"),
    section="odd-width",
)
def no_lone_sine(width, base=10000.0):
    return float(base) ** (-2 * np.arange(width // 2) / width)


@FREQUENCIES.mistake(
    "these are wavelengths, in positions, not frequencies",
    "A frequency says how many radians the pair turns from one position to the next. How far "
    "does the first pair turn?",
    seen=("PE127",),
)
def wavelengths(width, base=10000.0):
    return 2 * np.pi / encodings.frequencies(width, base)
