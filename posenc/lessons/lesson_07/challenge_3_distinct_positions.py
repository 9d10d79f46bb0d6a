"""Challenge 7.3, What half precision leaves."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge

Array = np.ndarray

DISTINCT_POSITIONS = Challenge(
    id="7.3",
    name="distinct_positions",
    title="What half precision leaves",
    section="half-precision",
    points=4,
    minutes=10,
    difficulty=2,
    asked="a whole number",
    reference=geometry.distinct_positions,
    cases=(
        Case((2040, 20, "float16")),
        Case((0, 100, "float16"), about="small positions"),
        Case((2048, 9, "float16"), about="past the last exact whole number"),
        Case((2049, 40, "float16"), about="a start that is itself rounded"),
        Case((4097, 7, "float16")),
        Case((16_777_210, 20, "float32"), about="single precision"),
        Case((60_000, 1, "float16"), about="one position"),
    ),
    draw=lambda rng: [
        *(
            Case((int(rng.integers(2100, 60000)), int(rng.integers(20, 400)), "float16"))
            for _ in range(5)
        ),
        Case((int(rng.integers(1000, 2040)), int(rng.integers(1200, 1400)), "float16")),
        Case((int(rng.integers(17_000_000, 30_000_000)), int(rng.integers(20, 60)), "float32")),
    ],
    hints=(
        "Make the positions as whole numbers first: `np.arange(start, start + length)`.",
        "`.astype(dtype)` stores them in the type and rounds each to the "
        "nearest value that the type has.",
        "`np.unique` keeps one of each; how many are there?",
    ),
)


@DISTINCT_POSITIONS.mistake(
    "the positions are counted before they are stored in the smaller type",
    "Rounding happens when a number is put into the type. Where in your code does that happen?",
    seen=("PE091",),
)
def not_stored(start, length, dtype):
    return length


@DISTINCT_POSITIONS.mistake(
    "`arange` is asked to count in the small type, where its first step may "
    "already be rounded to 0 or to 2",
    "Count in whole numbers, which are exact, and convert the finished array.",
    seen=("PE090", "PE091"),
)
def arange_in_type(start, length, dtype):
    return len(np.unique(np.arange(start, start + length, dtype=dtype)))


@DISTINCT_POSITIONS.mistake(
    "the positions that were lost are counted",
    "What is asked for is how many different values are left.",
)
def counts_the_lost(start, length, dtype):
    return length - geometry.distinct_positions(start, length, dtype)


@DISTINCT_POSITIONS.mistake(
    "the positions that are stored exactly are counted",
    "A rounded position that no other one falls onto is still told apart. What "
    "makes two positions one?",
)
def counts_the_exact(start, length, dtype):
    return int(
        (
            np.arange(start, start + length).astype(dtype).astype(float)
            == np.arange(start, start + length)
        ).sum()
    )


@DISTINCT_POSITIONS.mistake(
    "one position too many is taken",
    "`length` positions from `start` on end at start + length − 1.",
)
def one_too_many(start, length, dtype):
    return (
        geometry.distinct_positions(start, length + 1, dtype)
        if start + length < 65504 or dtype != "float16"
        else geometry.distinct_positions(start, length, dtype)
    )


@DISTINCT_POSITIONS.mistake(
    "half precision is used whatever type is asked for",
    "The argument `dtype` does not reach the conversion.",
)
def always_half(start, length, dtype):
    return geometry.distinct_positions(start, length, "float16") if start + length < 65504 else 1
