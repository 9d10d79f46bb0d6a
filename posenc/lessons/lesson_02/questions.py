"""What lesson 2 asks."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.lessons.lesson_02.common import ORDER, TOKENS, pair_products, read
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _product_when_reversed() -> int:
    return 3 if pair_products() < 1e-12 else 0


def _sum_of_a_row() -> int:
    scores = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 5.0]])
    rows = attention.softmax(scores).sum(axis=1)
    return 1 if np.allclose(rows, 1) else 0


def _two_exchanged() -> int:
    """What becomes of the outputs when tokens 0 and 1 change places."""
    order = np.array([1, 0, 2, 3, 4, 5])
    before, after = read(TOKENS), read(TOKENS[order])
    if np.allclose(after, before):
        return 0
    return 2 if np.allclose(after, before[order]) else 3


def _one_learned_query() -> int:
    query = np.array([0.4, -0.2, 0.7, 0.1])

    def pooled(x: Array) -> Array:
        return attention.softmax(x @ query / 2) @ x

    found = attention.symmetry(pooled, TOKENS, ORDER)
    return ("equivariant", "invariant", "neither").index(found)


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
        "In “dog bites person”, the query of dog and the key of bites have a product. What "
        "is this product in “person bites dog”?",
        (
            Option(
                "Its negative, as the direction is reversed.",
                False,
                "A product of two rows does not depend on a direction along the sentence.",
            ),
            Option(
                "The product that the query of bites and the key of dog had before.",
                False,
                "Query and key are not exchanged: the query is still made from dog, the key "
                "still from bites.",
            ),
            Option(
                "That cannot be said without the third word.",
                False,
                "The product uses two rows. The third word enters with the "
                "softmax, and it is there in both sentences.",
            ),
            Option(
                "The same number, in a different cell of the table.",
                True,
                "The rows of dog and of bites are the same, so their product is. Dog has "
                "moved from row 0 of the table to row 2.",
            ),
        ),
        "same-products",
        _product_when_reversed,
    ),
    Question(
        "2.q2",
        "Scores have a row for each query and a column for each key. Which sums "
        "are 1 after the softmax along the keys?",
        (
            Option(
                "Those of the columns, since each key is divided among the queries.",
                False,
                "A key may be read by everyone or by no one. What adds up to 1 belongs to the "
                "token that reads.",
            ),
            Option(
                "Those of the rows.",
                True,
                "The softmax runs along the keys, so the attention weights of one query add "
                "up to 1.",
            ),
            Option(
                "Those of all rows and of all columns.",
                False,
                "Only the axis along which the softmax runs is brought to 1.",
            ),
            Option(
                "The sum of the whole table.",
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
        "Tokens 0 and 1 change places. What becomes of the six rows that attention returns?",
        (
            Option(
                "They stay as they were, because attention does not see the order.",
                False,
                "The reason is right and the conclusion wrong. Each token's output has the same "
                "numbers as before, and it is now found at the token's new position.",
            ),
            Option(
                "Only row 0 changes, because the first token decides.",
                False,
                "No position has a special part here.",
            ),
            Option(
                "Rows 0 and 1 change places as well; the others stay.",
                True,
                "Each output belongs to its token and goes where the token goes. What does stay "
                "as it was is the mean of the rows.",
            ),
            Option(
                "All six change, since every row is a mean over all tokens.",
                False,
                "Every row reads the same tokens as before, with the same attention weights; only "
                "the order of the terms in its sum has changed.",
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
                "Equivariant, as all attention is.",
                False,
                "That is self-attention, where each token sends a query and gets a row of its "
                "own. Here there is one row, and it has no position to move to.",
            ),
            Option(
                "Invariant.",
                True,
                "The query does not come from a token, so it does not move. The attention weights "
                "move with the tokens, and the weighted sum stays the same in every order.",
            ),
            Option(
                "Neither: a learned query prefers certain positions.",
                False,
                "It prefers certain contents. It is compared with keys, and keys are made "
                "from tokens without their positions.",
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
                "The first passes on rows that moved as the tokens moved, and the second does "
                "the same.",
            ),
            Option(
                "A feed-forward network: two matrices with an activation between, on each row.",
                False,
                "It works on one row at a time, so its output has the position of its input.",
            ),
            Option(
                "Layer normalisation, which subtracts a mean and divides by a deviation.",
                False,
                "Mean and standard deviation are taken within a row, over its features. No "
                "other row enters.",
            ),
            Option(
                "A learned matrix that mixes the rows along the length.",
                True,
                "Entry (0, 3) of that matrix says what position 0 takes from position 3. It "
                "refers to positions, and the order comes in.",
            ),
        ),
        "no-argument",
        _which_breaks,
        seen=("PE147",),
    ),
)
