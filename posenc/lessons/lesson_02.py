"""Lesson 2, attention forgets order: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc import attention
from posenc.judging.calls import Layer
from posenc.judging.model import Case, Challenge, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray
Function = Callable[[Array], Array]

# ------------------------------------------------------------------ claims

ORDER = np.array([3, 0, 5, 1, 4, 2])  # not its own inverse
TOKENS = attention.SIX_TOKENS
SHUFFLE = Setting("shuffle", 0, 20, 1, 0, "number of the shuffle")
STAMP = Setting("stamp", 0.0, 1.0, 0.1, 0.0, "size of a vector added for the seat")


def _shuffled(shuffle: float, length: int = 6) -> Array:
    """Shuffle number 0 is ORDER; the others are drawn."""
    if length == len(ORDER) and not shuffle:
        return ORDER
    return np.random.default_rng(int(shuffle)).permutation(length)


def _seats(length: int, width: int) -> Array:
    return np.random.default_rng(7).uniform(-1, 1, (length, width))


def _stamped(layer: Function, stamp: float) -> Function:
    """The layer with a vector added for each seat before it."""
    return lambda x: layer(x + stamp * _seats(*x.shape))


def _read(x: Array) -> Array:
    return attention.identity_attention(x)[0]


def _pair_products(stamp: float = 0.0) -> float:
    """Largest change of a pair's query-key product when "dog bites person" is reversed."""
    rng = np.random.default_rng(0)
    rows = np.array([[1.1, -0.3, 0.5], [0.2, 0.9, -0.4], [-0.7, 0.4, 0.8]])
    w_q, w_k = rng.uniform(-1, 1, (2, 3, 3)).round(1)
    stamps = stamp * _seats(3, 3)

    def products(x: Array) -> Array:
        return (x + stamps) @ w_q @ ((x + stamps) @ w_k).T

    return float(np.abs(products(rows[::-1])[::-1, ::-1] - products(rows)).max())


def _pairs_hold(measured: float, stamp: float = 0.0) -> tuple[bool, str]:
    if measured <= 1e-12:
        return (
            True,
            "A product takes two rows and nothing else, so it does not change when they move.",
        )
    return (
        False,
        "Each row now holds its seat's vector too, so a pair that changes seats has another product.",
    )


def _equivariant(shuffle: float = 0, stamp: float = 0.0) -> bool:
    error = attention.equivariance_error(_stamped(_read, stamp), TOKENS, _shuffled(shuffle))
    return bool(error < 1e-8)


def _equivariant_holds(measured: bool, shuffle: float = 0, stamp: float = 0.0) -> tuple[bool, str]:
    if measured:
        return True, "Every row of the output went where its token went."
    return (
        False,
        "The vectors stay on their seats while the tokens move, so a token meets another vector.",
    )


def _pooled(shuffle: float = 0, rows: float = 6) -> float:
    """How far the mean of the first outputs moves when the tokens are shuffled."""
    return attention.invariance_error(
        lambda x: _read(x)[: int(rows)].mean(axis=0), TOKENS, _shuffled(shuffle)
    )


def _pooled_holds(measured: float, shuffle: float = 0, rows: float = 6) -> tuple[bool, str]:
    if int(rows) == len(TOKENS):
        return True, "All rows enter the mean, and a sum does not ask which came first."
    if measured <= 1e-12:
        return (
            True,
            "This shuffle leaves the same tokens among the first ones; another one will not.",
        )
    return (
        False,
        "“The first rows” names seats: which tokens enter the mean now depends on the order.",
    )


def _deep(layers: float = 6, width: float = 4, stamp: float = 0.0, seed: float = 0) -> float:
    width = int(width)
    x = TOKENS if width == 4 else np.random.default_rng(1).standard_normal((6, width))
    deep = attention.stack(width, int(layers), int(seed))
    return attention.equivariance_error(_stamped(deep, stamp), x, ORDER)


def _deep_holds(
    measured: float, layers: float = 6, width: float = 4, stamp: float = 0.0, seed: float = 0
) -> tuple[bool, str]:
    if measured <= 1e-10:
        return (
            True,
            "Each layer hands on rows that have moved as its input moved, so depth adds nothing.",
        )
    if stamp:
        return (
            False,
            "The seats' vectors did not move with the tokens: from the first layer on the rows differ.",
        )
    return (
        False,
        "Rounding has grown beyond the tolerance; the layers themselves treat all rows alike.",
    )


CLAIMS = (
    Claim(
        "pair-products",
        "Each query-key product of a pair of words is the same in “dog bites person” and in its reverse",
        0.0,
        1e-12,
        _pair_products,
        (STAMP,),
        _pairs_hold,
        section="same-products",
    ),
    Claim(
        "equivariant-without-position",
        "Attention of shuffled tokens equals the shuffled attention of the tokens",
        True,
        0,
        _equivariant,
        (SHUFFLE, STAMP),
        _equivariant_holds,
        section="shuffled",
    ),
    Claim(
        "mean-is-invariant",
        "The mean of attention's outputs does not change when the tokens are shuffled",
        0.0,
        1e-12,
        _pooled,
        (SHUFFLE, Setting("rows", 1, 6, 1, 6, "outputs that enter the mean")),
        _pooled_holds,
        section="invariant",
    ),
    Claim(
        "six-layer-equivariance",
        "A stack of six attention, feed-forward and normalisation layers is still equivariant",
        0.0,
        1e-10,
        _deep,
        (
            Setting("layers", 1, 12, 1, 6, "layers"),
            Setting("width", 2, 16, 1, 4, "width"),
            STAMP,
            Setting("seed", 0, 20, 1, 0, "seed of the weights"),
        ),
        _deep_holds,
        section="playground",
    ),
)

# ------------------------------------------------------------------ questions


def _product_when_reversed() -> int:
    return 1 if _pair_products() < 1e-12 else 0


def _sum_of_a_row() -> int:
    scores = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 5.0]])
    rows = attention.softmax(scores).sum(axis=1)
    return 2 if np.allclose(rows, 1) else 0


def _two_exchanged() -> int:
    """What becomes of the outputs when tokens 0 and 1 change seats."""
    order = np.array([1, 0, 2, 3, 4, 5])
    before, after = _read(TOKENS), _read(TOKENS[order])
    if np.allclose(after, before):
        return 0
    return 1 if np.allclose(after, before[order]) else 3


def _one_learned_query() -> int:
    query = np.array([0.4, -0.2, 0.7, 0.1])

    def pooled(x: Array) -> Array:
        return attention.softmax(x @ query / 2) @ x

    found = attention.symmetry(pooled, TOKENS, ORDER)
    return ("invariant", "equivariant", "neither").index(found)


def _which_breaks() -> int:
    """Which listed layer is not equivariant."""
    along = np.random.default_rng(0).uniform(-1, 1, (6, 6))
    listed = (
        lambda x: _read(_read(x)),
        lambda x: np.maximum(x, 0) @ np.ones((4, 4)),
        attention.layer_norm,
        lambda x: _read(along @ x),
    )
    broken = [attention.symmetry(layer, TOKENS, ORDER) == "neither" for layer in listed]
    return broken.index(True)


QUESTIONS = (
    Question(
        "2.q1",
        "Dog asks bites for its query-key product in “dog bites person”. What is this product in “person bites dog”?",
        (
            Option(
                "Its negative, as the direction is reversed.",
                False,
                "Nothing in a product of two rows knows a direction along the sentence.",
            ),
            Option(
                "The same number, in another cell of the grid.",
                True,
                "The rows of dog and of bites are the same, so their product is. Dog has moved from row 0 to row 2 of the grid.",
            ),
            Option(
                "The product that bites asking dog had before.",
                False,
                "Who asks whom is not exchanged: the query is still made from dog, the key still from bites.",
            ),
            Option(
                "It cannot be told without the third word.",
                False,
                "The product uses two rows. The third word enters with the softmax, and it is there in both sentences.",
            ),
        ),
        "same-products",
        _product_when_reversed,
    ),
    Question(
        "2.q2",
        "Scores have a row for each query and a column for each key. Which sums are 1 after the softmax?",
        (
            Option(
                "Those of the columns: each key is shared out among the queries.",
                False,
                "A key may be read by everyone or by no one. It is the reader who has one whole to give away.",
            ),
            Option(
                "All rows and all columns.",
                False,
                "Only the axis along which the softmax runs is brought to 1.",
            ),
            Option(
                "Those of the rows: each query gives away one whole.",
                True,
                "The softmax runs along the keys, so the shares of one query add up to 1.",
            ),
            Option(
                "The sum of the whole grid.",
                False,
                "Then a query with low scores would read next to nothing. Each row is a softmax of its own.",
            ),
        ),
        "softmax",
        _sum_of_a_row,
    ),
    Question(
        "2.q3",
        "Tokens 0 and 1 change seats. What becomes of the six rows that attention returns?",
        (
            Option(
                "They stay as they were: attention does not see the order.",
                False,
                "The first half is wrong, the second right. Not seeing the order means that each token's output is unchanged, and it is now found on the token's new seat.",
            ),
            Option(
                "Rows 0 and 1 change seats as well; the others stay.",
                True,
                "Each output belongs to its token and goes where the token goes. The mean of the rows does stay as it was.",
            ),
            Option(
                "Only row 0 changes: it is the first token that decides.",
                False,
                "No seat has a part of its own here.",
            ),
            Option(
                "All six change, since every row reads every other.",
                False,
                "Every row reads the same set as before, with the same shares; only the order of the terms in its sum is another.",
            ),
        ),
        "shuffled",
        _two_exchanged,
        seen=("PE125",),
    ),
    Question(
        "2.q4",
        "A layer has one learned query, which reads all tokens and returns one vector. Is it equivariant or invariant?",
        (
            Option(
                "Invariant: the same vector comes out in every order.",
                True,
                "The query does not come from a token, so nothing on the output's side moves. The shares move with the tokens, and the sum stays.",
            ),
            Option(
                "Equivariant, as all attention is.",
                False,
                "That is self-attention, where each token asks and gets a row of its own. Here is one row, and it has no seat to move to.",
            ),
            Option(
                "Neither: a learned query prefers certain seats.",
                False,
                "It prefers certain contents. It is compared with keys, and keys are made from tokens without their seats.",
            ),
        ),
        "invariant",
        _one_learned_query,
        seen=("PE144",),
    ),
    Question(
        "2.q5",
        "Which of these is not equivariant?",
        (
            Option(
                "Two attention layers, one after the other.",
                False,
                "The first hands on rows that moved as the tokens moved, and so does the second.",
            ),
            Option(
                "A feed-forward part: a matrix and a bend, on each row.",
                False,
                "It works on one row at a time, so its output sits where its input sits.",
            ),
            Option(
                "Layer normalisation.",
                False,
                "Mean and spread are taken within a row, over its features. No other row is asked.",
            ),
            Option(
                "Attention after a learned matrix that mixes the rows along the length.",
                True,
                "Entry (0, 3) of that matrix says what seat 0 takes from seat 3. This names seats, and the order is in.",
            ),
        ),
        "no-argument",
        _which_breaks,
        seen=("PE147",),
    ),
)

# ------------------------------------------------------------------ 2.1 softmax


def _shares(scores: Array, axis: int = -1, total: Any = None, power: Callable = np.exp) -> Array:
    """Shifted powers over their sum along `total`, which is the axis itself where none is given."""
    powers = power(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis if total is None else total, keepdims=True)


def _no_shift(scores: Array, axis: int = -1) -> Array:
    powers = np.exp(scores)
    return powers / powers.sum(axis=axis, keepdims=True)


def _global_shift(scores: Array, axis: int = -1) -> Array:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum(axis=axis, keepdims=True)


def _mean_shift(scores: Array, axis: int = -1) -> Array:
    return _no_shift(scores - scores.mean(axis=axis, keepdims=True), axis)


def _clipped(scores: Array, axis: int = -1) -> Array:
    return _no_shift(np.clip(scores, -500, 500), axis)


def _axes_dropped(scores: Array, axis: int = -1) -> Array:
    powers = np.exp(scores - scores.max(axis=axis))
    return powers / powers.sum(axis=axis)


def _axis_of_sum_dropped(scores: Array, axis: int = -1) -> Array:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis)


def _shift_in_place(scores: Array, axis: int = -1) -> Array:
    scores -= scores.max(axis=axis, keepdims=True)
    return _no_shift(scores, axis)


def _whole_grid(scores: Array, axis: int = -1) -> Array:
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def _winner(scores: Array, axis: int = -1) -> Array:
    return np.where(scores == scores.max(axis=axis, keepdims=True), 1.0, 0.0)


def _logarithms(scores: Array, axis: int = -1) -> Array:
    shifted = scores - scores.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _no_powers(scores: Array, axis: int = -1) -> Array:
    return scores / scores.sum(axis=axis, keepdims=True)


def _sigmoid(scores: Array, axis: int = -1) -> Array:
    return 1 / (1 + np.exp(-scores))


def _not_divided(scores: Array, axis: int = -1) -> Array:
    return np.exp(scores - scores.max(axis=axis, keepdims=True))


def _scores(rng: np.random.Generator, *shape: int) -> Array:
    return rng.uniform(-3, 3, shape).round(3)


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
COLUMNS = (
    "shares add up to 1 along another axis than the one asked for",
    "Add up your answer along `axis`. For attention the axis is that of the keys, the last one.",
)
OVERFLOW = (
    "the power of a large score overflows: infinity divided by infinity is no number",
    "Subtracting one number from all scores of a row changes no share. Which number keeps every power at most 1?",
)

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
        Case((_scores(_FIXED, 64, 16),), about="a larger grid"),
    ),
    draw=_draw_scores,
    misconceptions=(
        Misconception("last-axis-only", lambda scores, axis=-1: _shares(scores), *COLUMNS),
        Misconception("first-axis-only", lambda scores, axis=-1: _shares(scores, 0), *COLUMNS),
        Misconception(
            "whole-grid",
            _whole_grid,
            "all entries together add up to 1, not those along the axis",
            "Each query has one whole to give away. Which axis is summed over, and which are kept?",
        ),
        Misconception("no-shift", _no_shift, *OVERFLOW),
        Misconception(
            "shift-by-largest-of-all",
            _global_shift,
            "the largest score of the whole array is subtracted; in a row far below it every power is 0, and 0 divided by 0 is no number",
            "Each row needs its own largest score. What does `max` take besides the array?",
        ),
        Misconception(
            "shift-by-mean",
            _mean_shift,
            "the mean is subtracted, and a score far above it still overflows",
            "After the shift no score should be above 0. Which number does that?",
        ),
        Misconception(
            "scores-cut",
            _clipped,
            "large scores are cut to a limit, so that two of them above it get equal shares",
            "9,999 and 10,000 differ by 1, and their shares differ like those of 0 and 1. What can be done to a row without changing its shares?",
        ),
        Misconception(
            "axis-dropped",
            _axes_dropped,
            "`max` and `sum` drop the axis that they run along, and the rest no longer lines up",
            "A sum over columns has one entry a row. NumPy lines shapes up from the right; how is the axis kept?",
        ),
        Misconception(
            "axis-dropped-in-sum",
            _axis_of_sum_dropped,
            "the sum drops the axis that it runs along, and entries meet the sum of another row, or none",
            "The shift keeps its axis, the sum does not. Try a grid with as many rows as columns, and add up a row.",
        ),
        Misconception(
            "shifted-in-place",
            _shift_in_place,
            "the shares are right, and the caller's scores were changed on the way",
            "`-=` writes into the array that was handed in. What does `a - b` do instead?",
        ),
        Misconception(
            "winner-takes-all",
            _winner,
            "the largest score gets everything",
            "That is the limit of very large scores. How much does a score that is 1 lower get?",
        ),
        Misconception(
            "logarithms",
            _logarithms,
            "the logarithms of the shares came",
            "Shares lie between 0 and 1. Which last step is too many?",
        ),
        Misconception(
            "no-powers",
            _no_powers,
            "the scores themselves are divided by their sum",
            "Scores may be negative, and shares may not. What turns any number into a positive one?",
        ),
        Misconception(
            "powers-of-two",
            lambda scores, axis=-1: _shares(scores, axis, power=np.exp2),
            "powers of 2 are taken where powers of e are asked for",
            "A score that is 1 higher gets e times the share, about 2.718.",
        ),
        Misconception(
            "one-by-one",
            _sigmoid,
            "each score is squeezed between 0 and 1 by itself",
            "Shares depend on the other scores of the row. What do yours add up to?",
        ),
        Misconception(
            "not-divided",
            _not_divided,
            "the powers came before they were divided by their sum",
            "What does a row of your answer add up to?",
        ),
    ),
    hints=(
        "Powers first: `np.exp` of every score. Then each power divided by the sum of its row.",
        "`keepdims=True` keeps the summed axis with length 1, so that the division lines up for any axis.",
        "Subtract `scores.max(axis=axis, keepdims=True)` before the powers: no share changes, and no power is above 1.",
    ),
)

# ------------------------------------------------------------------ 2.2 attention


def _attention(
    scale: Callable[[Array, Array, Array, Array], float] = lambda x, q, k, v: k.shape[1] ** 0.5,
    shares: Callable[[Array], Array] = _shares,
    read: Callable[[Array, Array], Array] = lambda weights, values: weights @ values,
) -> Callable[..., Array]:
    """A wrong 2.2: what the scores are divided by, how shares are made, and what is read with them."""

    def wrong(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
        queries, keys, values = x @ w_q, x @ w_k, x @ w_v
        scores = queries @ keys.T / scale(x, queries, keys, values)
        return read(shares(scores), values)

    return wrong


def _keys_ask(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    return attention.attention(x, w_k, w_q, w_v)


def _values_plain(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    return attention.attention_weights(x @ w_q, x @ w_k) @ x


def _queries_twice(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    return attention.attention(x, w_q, w_q, w_v)


def _not_projected(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    return attention.attention_weights(x, x) @ (x @ w_v)


def _scaled_late(x: Array, w_q: Array, w_k: Array, w_v: Array) -> Array:
    weights = _shares(x @ w_q @ (x @ w_k).T) / w_k.shape[1] ** 0.5
    return weights @ (x @ w_v)


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
        _about(_tokens(np.random.default_rng(21), 64, 16, 8, 12), "more tokens"),
    ),
    draw=_draw_attention,
    misconceptions=(
        Misconception(
            "unscaled",
            _attention(lambda x, q, k, v: 1.0),
            "the scores are not divided by anything",
            "The scores of wide keys spread far and the softmax saturates. What are they divided by?",
        ),
        Misconception(
            "scaled-by-width",
            _attention(lambda x, q, k, v: k.shape[1]),
            "the scores are divided by the key width itself",
            "The spread of a product of two rows grows with the *root* of their width.",
        ),
        Misconception(
            "scaled-by-model-width",
            _attention(lambda x, q, k, v: x.shape[1] ** 0.5),
            "the root of the width of x is taken where that of the keys belongs",
            "How many terms does one query-key product sum? That is the number of columns of `w_k`.",
        ),
        Misconception(
            "scaled-by-value-width",
            _attention(lambda x, q, k, v: v.shape[1] ** 0.5),
            "the root of the width of the values is taken where that of the keys belongs",
            "The values do not enter the scores. Whose width does?",
        ),
        Misconception(
            "scaled-by-length",
            _attention(lambda x, q, k, v: len(x) ** 0.5),
            "the root of the number of tokens is taken where that of the key width belongs",
            "A score is a product of two rows. Does it grow with the number of other tokens?",
        ),
        Misconception(
            "multiplied",
            _attention(lambda x, q, k, v: k.shape[1] ** -0.5),
            "the scores are multiplied by the root of the key width instead of divided by it",
            "Scaling is to take the spread back to about 1. Which way does yours go?",
        ),
        Misconception(
            "columns",
            _attention(shares=lambda scores: _shares(scores, 0)),
            *COLUMNS,
            section="softmax",
        ),
        Misconception(
            "whole-grid",
            _attention(shares=_whole_grid),
            "all shares of the grid together add up to 1, so that each token reads only a little",
            "Each query has one whole to give away. What does a row of your shares add up to?",
            section="softmax",
        ),
        Misconception("no-shift", _attention(shares=_no_shift), *OVERFLOW, section="softmax"),
        Misconception(
            "no-softmax",
            _attention(shares=lambda scores: scores),
            "values are summed with the scores themselves",
            "Scores may be negative and of any size. What turns a row of scores into shares?",
        ),
        Misconception(
            "winner-takes-all",
            _attention(shares=_winner),
            "each token reads only the one with the largest score",
            "The softmax gives the others something too.",
        ),
        Misconception(
            "shares-returned",
            _attention(read=lambda weights, values: weights),
            "the shares came; nothing has been read with them yet",
            "A row of shares says how much to take of each token. Of which rows is it taken?",
        ),
        Misconception(
            "shares-transposed",
            _attention(read=lambda weights, values: weights.T @ values),
            "the shares are transposed before they are used: each token collects what others give it",
            "Row i of the shares belongs to the token that reads. Which axis is summed in `weights @ values`?",
        ),
        Misconception(
            "keys-ask",
            _keys_ask,
            "queries and keys are exchanged",
            "Row i of the scores belongs to the token that asks. Which projection makes a question of a row?",
        ),
        Misconception(
            "queries-twice",
            _queries_twice,
            "the keys are made with `w_q` as well",
            "Three projections come in. Is each of them used once?",
        ),
        Misconception(
            "values-not-projected",
            _values_plain,
            "the rows of x are read instead of the values",
            "What is read has the width of the values. Which projection was left out?",
        ),
        Misconception(
            "scores-not-projected",
            _not_projected,
            "the scores are products of the rows of x themselves",
            "With identity projections this is the same. What do `w_q` and `w_k` do otherwise?",
        ),
        Misconception(
            "scaled-late",
            _scaled_late,
            "the shares are divided by the root of the key width, not the scores",
            "What does a row of your shares add up to? The scaling belongs before the softmax.",
        ),
    ),
    hints=(
        "Three projections of the same rows: `x @ w_q`, `x @ w_k`, `x @ w_v`. Each acts on one row at a time.",
        "One score for each pair: queries times the transposed keys, divided by the root of the key width, `w_k.shape[1] ** 0.5`.",
        "The softmax along the keys gives the shares, one row for each token that reads; shares times values is the answer.",
    ),
    builds_on={"softmax": "2.1"},
)

# ------------------------------------------------------------------ 2.3 how far from equivariant


def _order(rng: np.random.Generator, length: int) -> Array:
    """A permutation that is not its own inverse and leaves no token on seat 0."""
    while True:
        order = rng.permutation(length)
        if order[0] != 0 and not np.array_equal(order[order], np.arange(length)):
            return order


def _case(
    rng: np.random.Generator,
    name: str,
    length: int,
    width: int,
    kwargs: dict[str, Any] | None = None,
    about: str = "",
) -> Case:
    layer = Layer(name, int(rng.integers(1_000_000)), width, length)
    x = rng.uniform(-1, 1, (length, width)).round(3)
    return Case((layer, x, _order(rng, length)), kwargs or {}, about=about)


def _draw_layers(rng: np.random.Generator) -> list[Case]:
    sizes = ((5, 3), (6, 4), (7, 3), (8, 5), (6, 2))
    names = (
        "attention",
        "causal attention",
        "attention with positions",
        "a projection along the length",
        "a row-by-row layer",
    )
    return [_case(rng, name, *sizes[k]) for name, k in zip(names, rng.permutation(len(sizes)))]


def _of_gap(measure: Callable[[Array], Any]) -> Callable[..., Any]:
    """A wrong 2.3: something else than the largest size of the right difference."""

    def wrong(layer: Function, x: Array, order: Array) -> Any:
        return measure(layer(x[order]) - layer(x)[order])

    return wrong


def _by_inverse(layer: Function, x: Array, order: Array) -> float:
    return np.abs(layer(x[order]) - layer(x)[np.argsort(order)]).max()


def _not_moved(layer: Function, x: Array, order: Array) -> float:
    return np.abs(layer(x[order]) - layer(x)).max()


def _relative_gap(layer: Function, x: Array, order: Array) -> float:
    return np.abs(layer(x[order]) - layer(x)[order]).max() / np.abs(layer(x)).max()


def _layer_left_out(layer: Function, x: Array, order: Array) -> float:
    return np.abs(layer(x[order]) - x[order]).max()


def _columns_moved(layer: Function, x: Array, order: Array) -> float:
    return np.abs(layer(x[:, order]) - layer(x)[:, order]).max()


_rng = np.random.default_rng(22)

ERROR = Challenge(
    id="2.3",
    name="equivariance_error",
    title="How far from equivariant",
    section="shuffled",
    points=2,
    minutes=8,
    difficulty=2,
    asked="one number",
    reference=attention.equivariance_error,
    cases=(
        _case(_rng, "attention", 5, 3),
        _case(_rng, "attention with positions", 5, 3),
        _case(_rng, "causal attention", 6, 4),
        _case(_rng, "a projection along the length", 7, 3),
        _case(_rng, "the mean for every row", 5, 2),
        _case(_rng, "attention with positions", 64, 16, about="64 tokens"),
    ),
    draw=_draw_layers,
    misconceptions=(
        Misconception(
            "inverse-order",
            _by_inverse,
            "the outputs are shuffled by the inverse of the order",
            "`x[order]` puts token `order[0]` on seat 0. Which row of layer(x) belongs on seat 0, then?",
        ),
        Misconception(
            "outputs-not-moved",
            _not_moved,
            "the two outputs are compared as they lie, which asks whether the layer is invariant",
            "After the shuffle token 3 may sit on seat 0. With which row of layer(x) should row 0 be compared?",
            ("PE145",),
        ),
        Misconception(
            "sign-kept",
            _of_gap(lambda gap: gap.max()),
            "the largest difference is taken with its sign",
            "A difference of −2 is larger than one of 0.1. What is to be taken before `max`?",
        ),
        Misconception(
            "mean",
            _of_gap(lambda gap: np.abs(gap).mean()),
            "the mean of the differences came instead of the largest",
            "One row that is far off must not be hidden by many that are right.",
        ),
        Misconception(
            "mean-square",
            _of_gap(lambda gap: (gap**2).mean()),
            "the mean of the squared differences came",
            "What is asked for has the units of the output, and one entry decides it.",
        ),
        Misconception(
            "length-of-difference",
            _of_gap(np.linalg.norm),
            "the length of the whole difference came, all entries squared and summed",
            "That number grows with the size of the array. One entry decides the one that is asked for.",
        ),
        Misconception(
            "relative",
            _relative_gap,
            "the difference is divided by the size of the output",
            "What is asked for is the difference itself.",
        ),
        Misconception(
            "yes-or-no",
            _of_gap(lambda gap: np.allclose(gap, 0)),
            "a yes or no came where a number is asked for",
            "How far apart are the two, at the entry where they differ most?",
        ),
        Misconception(
            "layer-left-out",
            _layer_left_out,
            "the output is compared with the shuffled input, not with the shuffled output",
            "Both sides go through the layer: once before the shuffle, once after it.",
        ),
        Misconception(
            "columns-moved",
            _columns_moved,
            "the columns are shuffled, not the rows",
            "Rows are tokens. Which index of `x` counts them?",
        ),
    ),
    hints=(
        "Two ways to the same place: shuffle and then the layer, or the layer and then shuffle.",
        "`x[order]` shuffles rows, and `layer(x)[order]` shuffles the rows of the output in the same way.",
        "The largest absolute entry of their difference: `np.abs(one - other).max()`.",
    ),
)

# ------------------------------------------------------------------ 2.4 which symmetry

# What the tolerance is tried on: the layer, length, width, tolerance.
TRACES = (
    ("row by row with a trace of 1e-10", 6, 3, None),
    ("row by row with a trace of 1e-6", 5, 3, None),
    ("row by row with a trace of 1e-6", 5, 2, 1e-4),
    ("row by row with a trace of 1e-4", 6, 4, 1e-3),
    ("row by row with a trace of 1e-4", 6, 4, 1e-6),
    ("the mean with a trace of 1e-6", 5, 3, None),
    ("the mean with a trace of 1e-6", 5, 3, 1e-3),
    ("one entry marked", 12, 8, 5e-5),
)
KINDS = (
    ("attention", 5, 3),
    ("mean pooling", 6, 3),
    ("mean pooling", 4, 6),
    ("attention with positions", 5, 4),
    ("causal attention", 6, 4),
    ("the mean for every row", 5, 3),
    ("attention with one learned query", 6, 2),
    ("a row-by-row layer", 5, 3),
    ("a projection along the length", 6, 4),
    ("the first token", 6, 3),
    ("pooling with positions", 5, 3),
    ("pooling with positions", 4, 7),
    ("one number for the text", 5, 3),
    ("the scores of all pairs", 6, 3),
    ("attention with a row in front", 5, 3),
)


def differences(case: Case) -> list[float]:
    """What a verdict on this case compares with the tolerance; infinity where shapes differ."""
    layer, x, order = case.args
    built = layer.build()
    before, after = built(x), built(x[order])
    found = [float(np.abs(after - before).max())]
    if before.ndim and len(before) >= len(x) and before[order].shape == after.shape:
        return [*found, float(np.abs(after - before[order]).max())]
    return [*found, float("inf")]


def _clear(
    rng: np.random.Generator,
    name: str,
    length: int,
    width: int,
    tolerance: float | None = None,
) -> Case:
    """A case whose differences are a factor of 10 or more away from the tolerance.

    The one number of a text falls, so that a difference that keeps its sign passes for a small one.
    """
    kwargs = {} if tolerance is None else {"tolerance": tolerance}
    limit = 1e-8 if tolerance is None else tolerance
    while True:
        case = _case(rng, name, length, width, kwargs)
        clear = all(d < limit / 10 or d > limit * 10 for d in differences(case))
        if clear and (name != "one number for the text" or _falls(case)):
            return case


def _falls(case: Case) -> bool:
    """Whether the layer's one number gets smaller by the shuffle."""
    layer, x, order = case.args
    built = layer.build()
    return bool(built(x[order]) < built(x) - 0.1)


def _draw_symmetries(rng: np.random.Generator) -> list[Case]:
    kinds = [KINDS[k] for k in rng.permutation(len(KINDS))[:5]]
    traces = [TRACES[k] for k in rng.permutation(len(TRACES))[:2]]
    return [_clear(rng, *drawn) for drawn in (*kinds, *traces)]


def _equal(one: Array, other: Array, tolerance: float) -> bool:
    return one.shape == other.shape and bool(np.abs(one - other).max() <= tolerance)


def _moves(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    if before.ndim == 0 or len(before) < len(order):
        return False
    return _equal(after, before[order], tolerance)


def _named(
    stays: Callable[..., bool] = lambda b, a, order, tolerance: _equal(a, b, tolerance),
    moves: Callable[..., bool] = _moves,
    words: tuple[str, str] = ("invariant", "equivariant"),
    moves_first: bool = False,
    limit: Callable[[float], float] = lambda tolerance: tolerance,
) -> Callable[..., str]:
    """A wrong 2.4: how it asks the two questions, in which order, and what it calls the answers."""

    def wrong(layer: Function, x: Array, order: Array, tolerance: float = 1e-8) -> str:
        before, after = layer(x), layer(x[order])
        questions = [(stays, words[0]), (moves, words[1])]
        for holds, word in reversed(questions) if moves_first else questions:
            if holds(before, after, order, limit(tolerance)):
                return word
        return "neither"

    return wrong


def _both_first(layer: Function, x: Array, order: Array, tolerance: float = 1e-8) -> str:
    before, after = layer(x), layer(x[order])
    moved = np.abs(after - before[order]).max()
    if np.abs(after - before).max() <= tolerance:
        return "invariant"
    return "equivariant" if moved <= tolerance else "neither"


def _unlooked(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    return bool(np.abs(after - before[order]).max() <= tolerance)


def _close_stays(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    return bool(np.allclose(after, before, atol=tolerance))


def _close_moves(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    if before.ndim == 0 or len(before) < len(order) or before[order].shape != after.shape:
        return False
    return bool(np.allclose(after, before[order], atol=tolerance))


def _inverse_moves(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    return _moves(before, after, np.argsort(order), tolerance)


def _means_equal(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    return _equal(after.mean(axis=0), before.mean(axis=0), tolerance)


def _by_gap(measure: Callable[[Array], float]) -> Callable[..., str]:
    """A wrong 2.4 that holds something else than the largest size of a difference to the tolerance."""

    def equal(after: Array, before: Array, tolerance: float) -> bool:
        return after.shape == before.shape and bool(measure(after - before) <= tolerance)

    def stays(before: Array, after: Array, order: Array, tolerance: float) -> bool:
        return equal(after, before, tolerance)

    def moves(before: Array, after: Array, order: Array, tolerance: float) -> bool:
        rows = before.ndim > 0 and len(before) >= len(order)
        return rows and equal(after, before[order], tolerance)

    return _named(stays, moves)


SYMMETRY = Challenge(
    id="2.4",
    name="symmetry",
    title="Equivariant, invariant, neither",
    section="invariant",
    points=3,
    minutes=12,
    difficulty=3,
    asked="one of the words 'invariant', 'equivariant', 'neither'",
    reference=attention.symmetry,
    cases=(*(_clear(_rng, *kind) for kind in (*KINDS, *TRACES)),),
    draw=_draw_symmetries,
    misconceptions=(
        Misconception(
            "words-exchanged",
            _named(words=("equivariant", "invariant")),
            "the two words are exchanged",
            "Invariant: nothing changes. Equivariant: it changes in the same way. Which one is self-attention?",
            ("PE125", "PE144", "PE145"),
        ),
        Misconception(
            "equivariant-first",
            _named(moves_first=True),
            "it is asked first whether the output moves along, and a layer that gives every row the same vector is both",
            "Which of the two is asked for where both hold?",
        ),
        Misconception(
            "invariance-forgotten",
            _named(stays=lambda b, a, order, tolerance: False),
            "it is never asked whether the output stays as it was",
            "There are three answers. Which layer would give the first of them?",
        ),
        Misconception(
            "means-compared",
            _named(stays=_means_equal),
            "the means of the outputs are compared, and they stay where the rows only move",
            "Which of the two properties does a mean over the rows hide?",
            ("PE125",),
        ),
        Misconception(
            "inverse-order",
            _named(moves=_inverse_moves),
            "the outputs are shuffled by the inverse of the order",
            "`x[order]` puts token `order[0]` on seat 0. Which row of layer(x) belongs on seat 0, then?",
            section="shuffled",
        ),
        Misconception(
            "both-compared-first",
            _both_first,
            "both differences are taken before either is looked at, and one of them does not exist where the layer returns no row for each token",
            "A pooled output has no rows to shuffle. What should be looked at before `layer(x)[order]` is taken?",
        ),
        Misconception(
            "shape-not-looked-at",
            _named(moves=_unlooked),
            "the shuffled output is taken even where the layer returns another shape than one row for each token",
            "An output of another shape counts as not equal. Where can that be asked before subtracting?",
        ),
        Misconception(
            "relative-too",
            _named(stays=_close_stays, moves=_close_moves),
            "a relative tolerance is added, which `np.allclose` does unless told otherwise",
            "What is the default of `rtol`, and how much is it of an entry of size 2?",
        ),
        Misconception(
            "tolerance-ignored",
            _named(limit=lambda tolerance: 1e-8),
            "the tolerance is 1e-8 whatever is given",
            "The argument `tolerance` does not reach the comparison. Where should it stand?",
        ),
        Misconception(
            "exactly-equal",
            _named(limit=lambda tolerance: 0.0),
            "the outputs are asked to be equal to the last bit",
            "A sum taken in another order rounds differently. What is the tolerance for?",
        ),
        Misconception(
            "on-average",
            _by_gap(lambda gap: np.abs(gap).mean()),
            "the mean difference is held against the tolerance, and one entry that is off is lost in it",
            "Which difference is the tolerance for?",
        ),
        Misconception(
            "sign-kept",
            _by_gap(np.max),
            "differences keep their sign, so that a negative one passes for a small one",
            "An output that has fallen by 2 has changed. What is to be taken before `max`?",
        ),
    ),
    hints=(
        "Two outputs are enough: of x, and of x[order]. Ask first whether they are equal as they lie.",
        "Before you shuffle the rows of an output, ask whether there are as many as tokens; a pooled output has none.",
        "Write one small function for “same shape, and largest difference at most the tolerance”, and use it twice.",
    ),
    builds_on={"equivariance_error": "2.3"},
)

CHALLENGES = (SOFTMAX, ATTENTION, ERROR, SYMMETRY)
