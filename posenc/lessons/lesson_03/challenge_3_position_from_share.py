"""Challenge 3.3, Reading a position from an attention weight."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def _of(*positions: int) -> Array:
    return 1.0 / (np.array(positions) + 1)


POSITION_FROM_SHARE = Challenge(
    id="3.3",
    name="position_from_share",
    title="Reading a position from an attention weight",
    section="one-over",
    points=3,
    minutes=8,
    difficulty=2,
    asked="a one-dimensional array of whole numbers, one for each weight,",
    reference=attention.position_from_share,
    cases=(
        Case((_of(0, 1, 2, 3, 4),), about="positions 0 to 4"),
        Case((_of(3, 0, 7, 1),), about="any order"),
        Case((_of(2, 2, 0, 2),), about="one weight several times"),
        Case((_of(1000, 2000),), about="far into a text"),
        Case((_of(92, 98, 104),), about="weights whose inverse is a little too small"),
        Case((_of(48, 97, 102),), about="weights whose inverse is a little too large"),
        Case((_of(5),), about="one weight"),
        Case((_of(*range(300), 1999),), about="every position of a long text"),
    ),
    draw=lambda rng: [
        Case((_of(*rng.integers(0, top, n).tolist()),))
        for n, top in ((3, 20), (6, 100), (9, 600), (20, 2001), (120, 2001))
    ],
    hints=(
        "At position p there are p + 1 tokens to read, all with the same weight. What is one "
        "over it?",
        "One over the weight is p + 1, except for a rounding error in either direction.",
        "`np.rint` gives the nearest whole number; `.astype(int)` turns the result into ints.",
    ),
)


@POSITION_FROM_SHARE.mistake(
    "0, 1, 2, … is returned, as if the weights were given in the order of the text",
    "A single weight is enough to find its position. Do the values have any influence on "
    "your answer?",
)
def counted_up(shares):
    return np.arange(len(shares))


@POSITION_FROM_SHARE.mistake(
    "the digits after the point are cut off instead of rounding",
    "1/(1/93) is 92.99999999999999 in floating point. What does `int` turn it into?",
)
def cut_off(shares):
    return (1 / shares - 1).astype(int)


@POSITION_FROM_SHARE.mistake(
    "every number is rounded up, and 1/(1/49) is a little above 49",
    "A rounding error can be in either direction. What gives the nearest whole number?",
)
def rounded_up(shares):
    return np.ceil(1 / shares - 1).astype(int)


@POSITION_FROM_SHARE.mistake(
    "the number of tokens that may be read is returned, which is one more than the position",
    "At the first position the weight is 1. Which number does that position have?",
)
def one_more(shares):
    return np.rint(1 / shares).astype(int)


@POSITION_FROM_SHARE.mistake(
    "the weights are ranked among each other",
    "A weight of 1/8 means position 7, also where no other weight is given.",
)
def ranked(shares):
    return np.argsort(np.argsort(-shares, kind="stable"), kind="stable")


@POSITION_FROM_SHARE.mistake(
    "one is taken away twice",
    "The weight is 1/2 at the second token. Which position does it have?",
)
def one_less(shares):
    return np.rint(1 / shares).astype(int) - 2


@POSITION_FROM_SHARE.mistake(
    "one over the weight is not rounded, so that 92 becomes 91.99999999999999",
    "Positions are whole numbers, and 1/(1/93) is not quite 93. Which function gives the nearest "
    "whole number?",
)
def not_rounded(shares):
    return 1 / shares - 1


@POSITION_FROM_SHARE.has
def weight_of_your_position(positions, shares):
    for place, (position, share) in enumerate(zip(positions, shares)):
        if position < 0:
            return f"positions begin at 0; yours has {position:g} at place {place}."
        weight = 1 / (position + 1)
        if abs(weight - share) > 1e-9:
            return (
                f"at place {place} you return position {position:g}, which would have the weight "
                f"{weight:.6g}; the weight given is {share:.6g}."
            )
    return ""
