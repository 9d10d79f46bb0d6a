"""Challenge 6.1, The speeds."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_06.common import exponent_mistakes, two_i

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
        Case((600,), about="a large width"),
    ),
    draw=lambda rng: [
        Case((int(width),), {"base": float(np.round(rng.uniform(20, 40000), 1))} if n % 2 else {})
        for n, width in enumerate(rng.integers(7, 48, 6))
    ],
    hints=(
        "Pair i has the frequency 1 / base^(2i/width). Write down i for every pair: 0, 1, 2, …",
        "How many pairs has width 5, if a lone last sine counts as one? Try `(width + 1) // 2`.",
        "`np.arange(pairs)` holds all i, and `**` takes an array as the exponent. Mind its sign.",
    ),
    absolute=1e-9,  # with that of table entries, the slow frequencies of base 10001 would pass
)


def every_pair(width):
    return np.arange((width + 1) // 2)


@FREQUENCIES.choices
def ladder(width, base=10000.0, *, pairs=every_pair, exponent=two_i, used=None):
    """The frequencies: which pairs there are, their exponents, and the base."""
    return float(used or base) ** -exponent(pairs(width), width)


exponent_mistakes(ladder)

ladder.mistake(
    "one-per-column",
    "there is one frequency for each column instead of one for each pair",
    "A sine and its cosine share a frequency. How many are needed for 8 columns?",
    seen=("PE010", "PE015"),
    pairs=lambda d: np.arange(d) / 2,
)
ladder.mistake(
    "no-lone-sine",
    "the frequency of the lone last sine of an odd width is missing",
    "Width 5 has columns 0 to 4. Which pair does column 4 belong to?",
    seen=("PE001", "PE002"),
    section="odd-width",
    pairs=lambda d: np.arange(d // 2),
)
ladder.mistake(
    "odd-rounded-up",
    "i is divided by the number of frequencies, which is more than half of an odd width",
    "The exponent is 2i/width with the width that was given. What is half of 5?",
    section="odd-width",
    exponent=lambda i, d: i / ((d + 1) // 2),
)
ladder.mistake(
    "odd-rounded-down",
    "i is divided by the whole part of width/2, which is less than half of an odd width",
    "The exponent is 2i/width with the width that was given. What is half of 5?",
    section="odd-width",
    exponent=lambda i, d: i / (d // 2),
)


@FREQUENCIES.mistake(
    "a whole-number division rounds the step of the ladder down, because `//` binds like `/`",
    "Put in the parentheses that you meant, and print the second frequency at width 64.",
    seen=("PE030",),
)
def floored_step(width, base=10000.0):
    return np.exp(every_pair(width) * 2 * (-np.log(base) / width // 2))


@FREQUENCIES.mistake(
    "these are wavelengths, in positions, and not frequencies",
    "A frequency is a number of radians for each position. How far does the first pair turn?",
    seen=("PE127",),
)
def wavelengths(width, base=10000.0):
    return 2 * np.pi / encodings.frequencies(width, base)


@FREQUENCIES.has
def slower_from_pair_to_pair(found, width, base=10000.0):
    steps = np.diff(found)
    if not steps.size or steps.max() < 0:
        return ""
    pair = int(steps.argmax())
    return f"each pair is slower than the one before; your pair {pair + 1} is not."


@FREQUENCIES.has
def the_same_ratio_all_along(found, width, base=10000.0):
    if len(found) < 3 or not np.all(found > 0):
        return ""
    ratios = found[1:] / found[:-1]
    low, high = float(ratios.min()), float(ratios.max())
    if high - low < 1e-4 * high:
        return ""
    return (
        "from pair to pair the frequency falls by one and the same factor; yours falls by "
        f"factors from {low:.4g} to {high:.4g}."
    )
