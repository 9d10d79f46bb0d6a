"""Challenge 3.3, Reading a position from a share."""

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
    title="Reading a position from a share",
    section="one-over",
    points=3,
    minutes=8,
    difficulty=2,
    asked="a one-dimensional array of whole numbers, one for each share,",
    reference=attention.position_from_share,
    cases=(
        Case((_of(0, 1, 2, 3, 4),), about="positions 0 to 4"),
        Case((_of(3, 0, 7, 1),), about="any order"),
        Case((_of(2, 2, 0, 2),), about="one share several times"),
        Case((_of(1000, 2000),), about="far into a text"),
        Case((_of(92, 98, 104),), about="shares whose inverse comes out a little too small"),
        Case((_of(48, 97, 102),), about="shares whose inverse comes out a little too large"),
        Case((_of(5),), about="one share"),
    ),
    draw=lambda rng: [
        Case((_of(*rng.integers(0, top, n).tolist()),))
        for n, top in ((3, 20), (6, 100), (9, 600), (20, 2001), (120, 2001))
    ],
    hints=(
        "At position p there are p + 1 tokens to read, all with the same share. What is one over "
        "it?",
        "One over the share is p + 1 but for a rounding, and the rounding goes either way.",
        "`np.rint` goes to the nearest whole number; `.astype(int)` makes ints of the result.",
    ),
)


@POSITION_FROM_SHARE.mistake(
    "0, 1, 2, … is returned, as if the shares stood in the order of the text",
    "A single share is enough to tell its position. Is it looked at?",
)
def counted_up(shares):
    return np.arange(len(shares))


@POSITION_FROM_SHARE.mistake(
    "the digits after the point are cut off instead of rounding",
    "1/(1/93) is 92.99999999999999 in floating point. What does `int` make of it?",
)
def cut_off(shares):
    return (1 / shares - 1).astype(int)


@POSITION_FROM_SHARE.mistake(
    "every number is rounded up, and 1/(1/49) is a little above 49",
    "A number that is wrong by a rounding may lie on either side.",
)
def rounded_up(shares):
    return np.ceil(1 / shares - 1).astype(int)


@POSITION_FROM_SHARE.mistake(
    "the number of tokens that may be read is returned, which is one more than the position",
    "The first token of a text has the share 1. Which position does it have?",
)
def one_more(shares):
    return np.rint(1 / shares).astype(int)


@POSITION_FROM_SHARE.mistake(
    "the shares are ranked against each other",
    "A share of 1/8 means position 7, also where no other share is given.",
)
def ranked(shares):
    return np.argsort(np.argsort(-shares, kind="stable"), kind="stable")


@POSITION_FROM_SHARE.mistake(
    "one is taken away twice",
    "The share 1/2 belongs to the second token. Which position does it have?",
)
def one_less(shares):
    return np.rint(1 / shares).astype(int) - 2
