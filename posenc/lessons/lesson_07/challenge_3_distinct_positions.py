"""Challenge 7.3, What half precision leaves."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def stored(positions: Array, dtype: str) -> Array:
    """Whole positions as `dtype` keeps them, as float64: 'float16', 'float32' or 'bfloat16'.

    NumPy has no bfloat16. It keeps eight binary digits, so that from 2^n on, n ≥ 7, the spacing is
    2^(n − 7), and rounds ties to the even multiple.
    """
    if dtype != "bfloat16":
        return positions.astype(dtype).astype(np.float64)
    spacing = _spacing(positions)
    return np.round(positions / spacing) * spacing


def _spacing(positions: Array) -> Array:
    """The spacing of bfloat16 at each position, at least 1: smaller ones keep whole numbers."""
    _, exponents = np.frexp(positions)
    return 2.0 ** np.maximum(exponents - 8, 0)


def distinct_positions(start: int, length: int, dtype: str) -> int:
    """How many different values positions start … start + length − 1 have left in `dtype`."""
    if dtype != "bfloat16":
        return geometry.distinct_positions(start, length, dtype)
    return len(np.unique(stored(np.arange(start, start + length), dtype)))


def _draw_starts(rng: np.random.Generator) -> list[Case]:
    def drawn(low: int, high: int, shortest: int, longest: int, dtype: str) -> Case:
        return Case((int(rng.integers(low, high)), int(rng.integers(shortest, longest)), dtype))

    return [
        *(drawn(2100, 60_000, 20, 400, "float16") for _ in range(4)),
        drawn(1000, 2040, 1200, 1400, "float16"),
        drawn(17_000_000, 30_000_000, 20, 60, "float32"),
        *(drawn(300, 60_000, 20, 400, "bfloat16") for _ in range(3)),
    ]


DISTINCT_POSITIONS = Challenge(
    id="7.3",
    name="distinct_positions",
    title="What half precision leaves",
    section="half-precision",
    points=4,
    minutes=14,
    difficulty=3,
    asked="a whole number",
    reference=distinct_positions,
    cases=(
        Case((2040, 20, "float16")),
        Case((0, 100, "float16"), about="small positions"),
        Case((2048, 9, "float16"), about="past the last exact whole number"),
        Case((2049, 40, "float16"), about="a start that is itself rounded"),
        Case((4097, 7, "float16")),
        # Adding in the small type is wrong here, and right by chance in many other places.
        Case((42_604, 139, "float16"), about="large positions"),
        Case((16_777_210, 20, "float32"), about="single precision"),
        Case((60_000, 1, "float16"), about="one position"),
        Case((0, 257, "bfloat16"), about="bfloat16, every position kept"),
        # Cut off instead of rounded, these are two values and not three.
        Case((257, 3, "bfloat16"), about="bfloat16, ties"),
        Case((250, 300, "bfloat16"), about="bfloat16, three spacings"),
    ),
    draw=_draw_starts,
    hints=(
        "Make the positions as whole numbers first, `np.arange(start, start + length)`, then round "
        "each to the nearest value that the type has, and count the different ones.",
        "`.astype(dtype)` does the rounding for NumPy's own types. For bfloat16, find the spacing: "
        "1 up to 256, 2 from there to 512, 4 to 1024, and so on.",
        "`np.round(positions / spacing) * spacing` rounds to multiples of it, ties to even. "
        "`np.frexp(positions)[1]` gives the number of binary digits before the point.",
    ),
)


@DISTINCT_POSITIONS.mistake(
    "the positions are counted before they are stored in the smaller type",
    "Rounding happens when a number is put into the type. Where in your code does that happen?",
    seen=("PE091",),
)
def not_stored(start, length, dtype):
    return length


def _in_small_type(start: int, length: int, dtype: str) -> Array:
    """start + 0, 1, 2, … with both summands and every sum in the small type."""
    first, steps = stored(np.array([start]), dtype), stored(np.arange(length), dtype)
    if dtype == "bfloat16":
        return stored((first + steps).astype(int), dtype)
    return first.astype(dtype) + steps.astype(dtype)


@DISTINCT_POSITIONS.mistake(
    "the start is put into the small type before the steps are added to it",
    "A start that is rounded moves all positions after it. Which sum is exact?",
    seen=("PE090",),
)
def added_in_type(start, length, dtype):
    return len(np.unique(_in_small_type(start, length, dtype)))


@DISTINCT_POSITIONS.mistake(
    "`arange` is asked for numbers in the small type, where its first step may "
    "already be rounded to 0 or to 2",
    "Count in whole numbers, which are exact, and convert the finished array.",
    seen=("PE090", "PE091"),
)
def arange_in_type(start, length, dtype):
    if dtype == "bfloat16":
        return distinct_positions(start, length, dtype)
    return len(np.unique(np.arange(start, start + length, dtype=dtype)))


@DISTINCT_POSITIONS.mistake(
    "the positions that were lost are counted",
    "What is asked for is how many different values are left.",
)
def counts_the_lost(start, length, dtype):
    return length - distinct_positions(start, length, dtype)


@DISTINCT_POSITIONS.mistake(
    "the positions that are stored exactly are counted",
    "A rounded position that no other one falls onto is still told apart. What "
    "makes two positions one?",
)
def counts_the_exact(start, length, dtype):
    positions = np.arange(start, start + length)
    return int((stored(positions, dtype) == positions).sum())


@DISTINCT_POSITIONS.mistake(
    "the changes from one value to the next are counted, and the first value is left out",
    "One position alone has no change. How many values has it?",
)
def counts_the_changes(start, length, dtype):
    return distinct_positions(start, length, dtype) - 1


@DISTINCT_POSITIONS.mistake(
    "one position too many is taken",
    "`length` positions from `start` on end at start + length − 1.",
)
def one_too_many(start, length, dtype):
    return distinct_positions(start, length + 1, dtype)


@DISTINCT_POSITIONS.mistake(
    "half precision is used whatever type is asked for",
    "The argument `dtype` does not reach the conversion.",
)
def always_half(start, length, dtype):
    return distinct_positions(start, length, "float16") if start + length < 65504 else 1


@DISTINCT_POSITIONS.mistake(
    "half precision is used for bfloat16",
    "Half precision keeps eleven binary digits. How many does bfloat16 keep?",
)
def half_for_bfloat16(start, length, dtype):
    return distinct_positions(start, length, dtype.replace("bfloat16", "float16"))


@DISTINCT_POSITIONS.mistake(
    "in bfloat16 the last digits are cut off instead of rounded",
    "The nearest value is asked for. Which one is nearest to 259, if every second is left?",
)
def cut_off(start, length, dtype):
    if dtype != "bfloat16":
        return distinct_positions(start, length, dtype)
    positions = np.arange(start, start + length)
    return len(np.unique(positions // _spacing(positions) * _spacing(positions)))


@DISTINCT_POSITIONS.mistake(
    "in bfloat16 every second whole number is kept from 256 on, however large the positions are",
    "The spacing doubles at every power of two. What is it at 1000?",
)
def one_spacing(start, length, dtype):
    if dtype != "bfloat16":
        return distinct_positions(start, length, dtype)
    positions = np.arange(start, start + length)
    spacing = np.where(positions < 256, 1, 2)
    return len(np.unique(np.round(positions / spacing) * spacing))


@DISTINCT_POSITIONS.has
def between_1_and_the_length(count, start, length, dtype):
    if 1 <= count <= length:
        return ""
    return f"{length} positions have between 1 and {length} different values; yours is {count}."
