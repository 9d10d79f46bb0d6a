"""What lesson 2 asks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import attention
from posenc.lessons.lesson_02.common import (
    ORDER,
    TOKENS,
    pair_products,
    read,
)
from posenc.lessons.model import Option, Question

Array = np.ndarray

Function = Callable[[Array], Array]


def _product_when_reversed() -> int:
    return 1 if pair_products() < 1e-12 else 0


def _sum_of_a_row() -> int:
    scores = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 5.0]])
    rows = attention.softmax(scores).sum(axis=1)
    return 2 if np.allclose(rows, 1) else 0


def _two_exchanged() -> int:
    """What becomes of the outputs when tokens 0 and 1 change seats."""
    order = np.array([1, 0, 2, 3, 4, 5])
    before, after = read(TOKENS), read(TOKENS[order])
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
        lambda x: read(read(x)),
        lambda x: np.maximum(x, 0) @ np.ones((4, 4)),
        attention.layer_norm,
        lambda x: read(along @ x),
    )
    broken = [attention.symmetry(layer, TOKENS, ORDER) == "neither" for layer in listed]
    return broken.index(True)


QUESTIONS = (
    Question(
        "2.q1",
        "Dog asks bites for its query-key product in “dog bites person”. What "
        "is this product in “person bites dog”?",
        (
            Option(
                "Its negative, as the direction is reversed.",
                False,
                "Nothing in a product of two rows knows a direction along the sentence.",
            ),
            Option(
                "The same number, in another cell of the grid.",
                True,
                "The rows of dog and of bites are the same, so their product is. Dog has "
                "moved from row 0 to row 2 of the grid.",
            ),
            Option(
                "The product that bites asking dog had before.",
                False,
                "Who asks whom is not exchanged: the query is still made from "
                "dog, the key still from bites.",
            ),
            Option(
                "It cannot be told without the third word.",
                False,
                "The product uses two rows. The third word enters with the "
                "softmax, and it is there in both sentences.",
            ),
        ),
        "same-products",
        _product_when_reversed,
    ),
    Question(
        "2.q2",
        "Scores have a row for each query and a column for each key. Which sums "
        "are 1 after the softmax?",
        (
            Option(
                "Those of the columns: each key is shared out among the queries.",
                False,
                "A key may be read by everyone or by no one. It is the reader "
                "who has one whole to give away.",
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
                "Then a query with low scores would read next to nothing. Each "
                "row is a softmax of its own.",
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
                "The first half is wrong, the second right. Not seeing the "
                "order means that each token's output is unchanged, and it is "
                "now found on the token's new seat.",
            ),
            Option(
                "Rows 0 and 1 change seats as well; the others stay.",
                True,
                "Each output belongs to its token and goes where the token goes. The mean of "
                "the rows does stay as it was.",
            ),
            Option(
                "Only row 0 changes: it is the first token that decides.",
                False,
                "No seat has a part of its own here.",
            ),
            Option(
                "All six change, since every row reads every other.",
                False,
                "Every row reads the same set as before, with the same shares; only the order "
                "of the terms in its sum is another.",
            ),
        ),
        "shuffled",
        _two_exchanged,
        seen=("PE125",),
    ),
    Question(
        "2.q4",
        "A layer has one learned query, which reads all tokens and returns one vector. Is it "
        "equivariant or invariant?",
        (
            Option(
                "Invariant: the same vector comes out in every order.",
                True,
                "The query does not come from a token, so nothing on the output's side moves. "
                "The shares move with the tokens, and the sum stays.",
            ),
            Option(
                "Equivariant, as all attention is.",
                False,
                "That is self-attention, where each token asks and gets a row of its own. "
                "Here is one row, and it has no seat to move to.",
            ),
            Option(
                "Neither: a learned query prefers certain seats.",
                False,
                "It prefers certain contents. It is compared with keys, and keys are made "
                "from tokens without their seats.",
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
                "Entry (0, 3) of that matrix says what seat 0 takes from seat 3. This names "
                "seats, and the order is in.",
            ),
        ),
        "no-argument",
        _which_breaks,
        seen=("PE147",),
    ),
)
