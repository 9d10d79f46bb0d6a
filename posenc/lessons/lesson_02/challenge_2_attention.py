"""Challenge 2.2, Attention."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_02.challenge_1_softmax import no_shift, whole_grid, winner_takes_all
from posenc.lessons.lesson_02.common import (
    COLUMNS,
    OVERFLOW,
    softmax_of,
)

Array = np.ndarray

Function = Callable[[Array], Array]


def _tokens(rng: np.random.Generator, length: int, width: int, key: int, value: int) -> Case:
    shapes = ((length, width), (width, key), (width, key), (width, value))
    return Case(tuple(rng.uniform(-1, 1, shape).round(3) for shape in shapes))


def _draw_attention(rng: np.random.Generator) -> list[Case]:
    sizes = ((5, 4, 3, 6), (4, 6, 2, 3), (7, 3, 5, 4), (6, 5, 4, 2), (9, 8, 6, 7))
    return [_tokens(rng, *size) for size in sizes]


def _about(case: Case, about: str) -> Case:
    return Case(case.args, about=about)


_EYE = np.eye(2)

_THREE = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])

_FAR = np.array([[30.0, -40.0], [50.0, 20.0], [-10.0, 35.0]])

ATTENTION = Challenge(
    id="2.2",
    name="attention",
    title="Attention",
    section="attention",
    points=3,
    minutes=12,
    difficulty=2,
    asked="an array (n, d_v), one row for each token,",
    reference=attention.attention,
    cases=(
        Case((_THREE, _EYE, _EYE, _EYE), about="identity projections"),
        Case(
            (
                np.array([[1.0, 0.5, -1.0], [0.0, 2.0, 0.5], [-0.5, 1.0, 1.0], [1.5, 0.0, -0.5]]),
                np.array([[0.5, 1.0], [-1.0, 0.5], [0.0, 1.0]]),
                np.array([[1.0, 0.0], [0.5, -0.5], [-1.0, 1.0]]),
                np.array(
                    [
                        [1.0, 0.0, 2.0, -1.0, 0.5],
                        [0.0, 1.0, -1.0, 0.5, 0.0],
                        [2.0, -0.5, 0.0, 1.0, 1.0],
                    ]
                ),
            ),
            about="keys of width 2, values of width 5",
        ),
        Case(
            (
                np.array([[2.0, -1.0]]),
                np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -1.0]]),
                np.array([[0.5, 1.0, 1.0], [1.0, 0.0, 0.5]]),
                np.array([[1.0, 3.0], [-2.0, 0.5]]),
            ),
            about="a single token",
        ),
        Case((_FAR, _EYE, np.array([[0.5, 0.5], [-0.5, 1.0]]), _EYE), about="scores above 1,000"),
        _about(_tokens(np.random.default_rng(21), 260, 6, 4, 5), "more tokens"),
    ),
    draw=_draw_attention,
    hints=(
        "Three projections of the same rows: `x @ w_q`, `x @ w_k`, `x @ w_v`. "
        "Each acts on one row at a time.",
        "One score for each pair: queries times the transposed keys, divided by the root of "
        "the key width, `w_k.shape[1] ** 0.5`.",
        "The softmax along the keys gives the attention weights, one row for each token that "
        "reads; weights times values is the answer.",
    ),
    builds_on={"softmax": "2.1"},
)


@ATTENTION.choices
def attended(
    x,
    w_q,
    w_k,
    w_v,
    *,
    scale=lambda x, q, k, v: k.shape[1] ** 0.5,
    weigh=softmax_of,
    read=lambda weights, values: weights @ values,
):
    """Attention, with its scale, its softmax and what is done with the weights to choose."""
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / scale(x, queries, keys, values)
    return read(weigh(scores), values)


attended.mistake(
    "unscaled",
    "the scores are not divided by anything",
    "The scores of wide keys are large, and the softmax gives one key nearly everything. What "
    "are they divided by?",
    scale=lambda x, q, k, v: 1.0,
)
attended.mistake(
    "scaled-by-width",
    "the scores are divided by the key width itself",
    "The standard deviation of a dot product grows with the *root* of the number of its terms.",
    scale=lambda x, q, k, v: k.shape[1],
)
attended.mistake(
    "scaled-by-model-width",
    "the root of the width of x is taken instead of that of the key width",
    "How many terms does one query-key product sum? That is the number of columns of `w_k`.",
    scale=lambda x, q, k, v: x.shape[1] ** 0.5,
)
attended.mistake(
    "scaled-by-value-width",
    "the root of the width of the values is taken instead of that of the key width",
    "The values do not enter the scores. Whose width does?",
    scale=lambda x, q, k, v: v.shape[1] ** 0.5,
)
attended.mistake(
    "scaled-by-length",
    "the root of the number of tokens is taken instead of that of the key width",
    "A score is a product of two rows. Does it grow with the number of other tokens?",
    scale=lambda x, q, k, v: len(x) ** 0.5,
)
attended.mistake(
    "multiplied",
    "the scores are multiplied by the root of the key width instead of divided by it",
    "Scaling should bring the standard deviation back to about 1. Does yours make it smaller "
    "or larger?",
    scale=lambda x, q, k, v: k.shape[1] ** -0.5,
)
attended.mistake("columns", *COLUMNS, section="softmax", weigh=lambda scores: softmax_of(scores, 0))
attended.mistake(
    "whole-grid",
    "all weights of the table together add up to 1, so that each token reads only a little",
    "The weights of each query should add up to 1. What does a row of yours add up to?",
    section="softmax",
    weigh=whole_grid,
)
attended.mistake("no-shift", *OVERFLOW, section="softmax", weigh=no_shift)
attended.mistake(
    "no-softmax",
    "values are summed with the scores themselves",
    "Scores may be negative and of any size. What turns a row of scores into attention weights?",
    weigh=lambda scores: scores,
)
attended.mistake(
    "winner-takes-all",
    "each token reads only the one with the largest score",
    "The softmax gives the others something too.",
    weigh=winner_takes_all,
)
attended.mistake(
    "weights-returned",
    "the attention weights are returned, and no values have been read with them",
    "A row of weights says how much to take of each token. Of which rows is it taken?",
    read=lambda weights, values: weights,
)
attended.mistake(
    "weights-transposed",
    "the attention weights are transposed before they are used",
    "Row i of the weights is for the token that reads. Which axis is summed in `weights @ values`?",
    read=lambda weights, values: weights.T @ values,
)


@ATTENTION.mistake(
    "queries and keys are exchanged",
    "Row i of the scores is for the token whose query it is. Which projection makes queries?",
)
def keys_ask(x, w_q, w_k, w_v):
    return attention.attention(x, w_k, w_q, w_v)


@ATTENTION.mistake(
    "the keys are made with `w_q` as well", "Three projections come in. Is each of them used once?"
)
def queries_twice(x, w_q, w_k, w_v):
    return attention.attention(x, w_q, w_q, w_v)


@ATTENTION.mistake(
    "the rows of x are read instead of the values",
    "What is read has the width of the values. Which projection was left out?",
)
def values_not_projected(x, w_q, w_k, w_v):
    return attention.attention_weights(x @ w_q, x @ w_k) @ x


@ATTENTION.mistake(
    "the scores are products of the rows of x themselves",
    "With identity projections this is the same. What do `w_q` and `w_k` do otherwise?",
)
def scores_not_projected(x, w_q, w_k, w_v):
    return attention.attention_weights(x, x) @ (x @ w_v)


@ATTENTION.mistake(
    "the attention weights are divided by the root of the key width, and not the scores",
    "What does a row of your weights add up to? The scores are scaled before the softmax.",
)
def scaled_late(x, w_q, w_k, w_v):
    weights = softmax_of(x @ w_q @ (x @ w_k).T) / w_k.shape[1] ** 0.5
    return weights @ (x @ w_v)


@ATTENTION.has
def between_the_values(rows, x, w_q, w_k, w_v):
    mixed = x @ w_v
    low, high = mixed.min(axis=0), mixed.max(axis=0)
    room = 1e-3 * (1 + np.abs(mixed).max())
    out = (rows < low - room) | (rows > high + room)
    if not out.any():
        return ""
    row, column = (int(n) for n in np.argwhere(out)[0])
    return (
        f"a weighted mean lies between the smallest and the largest value; in column {column} the "
        f"values go from {low[column]:.4g} to {high[column]:.4g}, and your row {row} has "
        f"{rows[row, column]:.4g}."
    )
