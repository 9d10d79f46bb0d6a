"""Challenge 2.1, Softmax."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_02.common import (
    COLUMNS,
    OVERFLOW,
    softmax_of,
)

Array = np.ndarray

Function = Callable[[Array], Array]


def _scores(rng: np.random.Generator, *shape: int) -> Array:
    """Scores in steps of 1/64, which single precision holds exactly, around 10,000 as well."""
    return rng.integers(-192, 193, shape) / 64


def _draw_scores(rng: np.random.Generator) -> list[Case]:
    far = _scores(rng, 3, 4)
    far[0] += 1e4
    far[2] -= 1e4
    return [
        Case((_scores(rng, 5, 7),)),
        Case((_scores(rng, 6, 4), 0), about="along axis 0"),
        Case((_scores(rng, 2, 5, 3), 1), about="three axes, along the middle one"),
        Case((_scores(rng, 3, 2, 4),), {"axis": int(rng.integers(-3, 3))}, about="three axes"),
        Case((far,), about="one row around 10,000, one around -10,000"),
    ]


_FIXED = np.random.default_rng(20)

SOFTMAX = Challenge(
    id="2.1",
    name="softmax",
    title="Softmax",
    section="softmax",
    points=2,
    minutes=8,
    difficulty=1,
    asked="an array of the scores' own shape",
    reference=attention.softmax,
    cases=(
        Case((np.array([1.0, 2.0, 3.0]),), about="one row"),
        Case((np.array([[0.0, 1.0, 3.0], [2.0, 4.0, 1.0]]),)),
        Case((np.array([[0.0, 1.0, 3.0], [2.0, 4.0, 1.0]]), 0), about="along axis 0"),
        Case(
            (np.array([[1.0, 0.5, 0.0], [0.0, 2.0, 1.0], [-1.0, 0.0, 3.0]]),),
            about="a square grid",
        ),
        Case(
            (np.array([[1e4, -1e4, 0.0], [9999.0, 1e4, -1e4]]),),
            about="10,000 and -10,000 in one row",
        ),
        Case(
            (np.array([[1e4, 9999.0], [-1e4, -9999.0], [0.0, 1.0]]),),
            about="rows around 10,000 and around -10,000",
        ),
        Case((_scores(_FIXED, 2, 3, 4),), {"axis": 1}, about="three axes, along the middle one"),
        Case((_scores(_FIXED, 2, 3, 2, 4), -2), about="four axes, along the last but one"),
        Case((_scores(_FIXED, 260, 8),), about="a larger grid"),
    ),
    draw=_draw_scores,
    hints=(
        "Powers first: `np.exp` of every score. Then each power divided by the sum of its row.",
        "`keepdims=True` keeps the summed axis with length 1, so that the "
        "division lines up for any axis.",
        "Subtract `scores.max(axis=axis, keepdims=True)` before the powers: no "
        "weight changes, and no power is above 1.",
    ),
)


@SOFTMAX.mistake(*COLUMNS)
def last_axis_only(scores, axis=-1):
    return softmax_of(scores)


@SOFTMAX.mistake(*COLUMNS)
def first_axis_only(scores, axis=-1):
    return softmax_of(scores, 0)


@SOFTMAX.mistake(
    "`axis=1` is written into the function, and an array with another number of axes fails or "
    "is summed along the wrong one",
    "The lesson's own scores had two axes. Where does the argument `axis` enter your code?",
)
def axis_1_only(scores, axis=-1):
    return softmax_of(scores, 1)


@SOFTMAX.mistake(
    "all entries together add up to 1, not those along the axis",
    "In attention the weights of each query add up to 1. Which axis is summed over?",
)
def whole_grid(scores, axis=-1):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@SOFTMAX.mistake(*OVERFLOW)
def no_shift(scores, axis=-1):
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


@SOFTMAX.mistake(
    "the largest score of the whole array is subtracted; in a row far below it every power is "
    "0, and 0 divided by 0 is not a number",
    "Each row needs its own largest score. What does `max` take besides the array?",
)
def shift_by_largest_of_all(scores, axis=-1):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum(axis=axis, keepdims=True)


@SOFTMAX.mistake(
    "the smallest score is subtracted, so that large ones still overflow",
    "After the shift no score should be above 0. Which number does that?",
)
def shift_by_smallest(scores, axis=-1):
    return no_shift(scores - scores.min(axis=axis, keepdims=True), axis)


@SOFTMAX.mistake(
    "a NaN is replaced by 0 afterwards, so that the largest score of such a row gets nothing",
    "Replacing the NaN hides the overflow. What could be subtracted before it happens?",
)
def nan_replaced(scores, axis=-1):
    return np.nan_to_num(no_shift(scores, axis))


@SOFTMAX.mistake(
    "the mean is subtracted, and a score far above it still overflows",
    "After the shift no score should be above 0. Which number does that?",
)
def shift_by_mean(scores, axis=-1):
    return no_shift(scores - scores.mean(axis=axis, keepdims=True), axis)


@SOFTMAX.mistake(
    "large scores are cut to a limit, so that two of them above it get equal weights",
    "9,999 and 10,000 differ by 1, and their weights are those of 0 and 1. What can be "
    "done to a row without changing its weights?",
)
def scores_cut(scores, axis=-1):
    return no_shift(np.clip(scores, -500, 500), axis)


@SOFTMAX.mistake(
    "`max` and `sum` drop the axis that they run along, and the rest no longer lines up",
    "A sum over columns has one entry a row. NumPy lines shapes up from the "
    "right; how is the axis kept?",
)
def axis_dropped(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis))
    return powers / powers.sum(axis=axis)


@SOFTMAX.mistake(
    "the sum drops the axis that it runs along, and entries meet the sum of another row, or none",
    "The shift keeps its axis, the sum does not. Try a grid with as many rows "
    "as columns, and add up a row.",
)
def axis_dropped_in_sum(scores, axis=-1):
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis)


@SOFTMAX.mistake(
    "the weights are right, and the scores of the caller were changed on the way",
    "`-=` writes into the array that was handed in. What does `a - b` do instead?",
)
def shifted_in_place(scores, axis=-1):
    scores -= scores.max(axis=axis, keepdims=True)
    return no_shift(scores, axis)


@SOFTMAX.mistake(
    "the largest score gets everything",
    "That is the limit of very large scores. How much does a score that is 1 lower get?",
)
def winner_takes_all(scores, axis=-1):
    return np.where(scores == scores.max(axis=axis, keepdims=True), 1.0, 0.0)


@SOFTMAX.mistake(
    "the logarithms of the weights are returned",
    "Attention weights lie between 0 and 1. Which step is missing at the end?",
)
def logarithms(scores, axis=-1):
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


@SOFTMAX.mistake(
    "the scores themselves are divided by their sum",
    "Scores may be negative, and weights may not. What turns any number into a positive one?",
)
def no_powers(scores, axis=-1):
    return scores / scores.sum(axis=axis, keepdims=True)


@SOFTMAX.mistake(
    "powers of 2 are taken where powers of e are asked for",
    "A score that is 1 higher gets e times the weight, about 2.718 times.",
)
def powers_of_two(scores, axis=-1):
    return softmax_of(scores, axis, power=np.exp2)


@SOFTMAX.mistake(
    "each score is mapped to a number between 0 and 1 by itself",
    "A weight depends on the other scores of the row. What do yours add up to?",
)
def one_by_one(scores, axis=-1):
    return 1 / (1 + np.exp(-scores))


@SOFTMAX.mistake(
    "the powers are returned and not divided by their sum",
    "What does a row of your answer add up to?",
)
def not_divided(scores, axis=-1):
    return np.exp(scores - scores.max(axis=axis, keepdims=True))


@SOFTMAX.has
def no_negative_weight(weights, scores, axis=-1):
    low = float(np.min(weights))
    return "" if low >= 0 else f"a weight is never negative; your smallest is {low:.4g}."


@SOFTMAX.has
def weights_add_up_to_1(weights, scores, axis=-1):
    sums = np.sum(weights, axis=axis)
    off = float(sums.flat[np.abs(sums - 1).argmax()])
    if abs(off - 1) < 1e-3:
        return ""
    return f"weights add up to 1 along axis {axis}; yours add up to {off:.4g} in one place."


@SOFTMAX.has
def larger_score_larger_weight(weights, scores, axis=-1):
    order = np.argsort(scores, axis=axis, kind="stable")
    steps = np.diff(np.take_along_axis(np.asarray(weights), order, axis), axis=axis)
    if not steps.size or steps.min() > -1e-4:
        return ""
    return "a larger score has a larger weight; in yours a larger one has a smaller."
