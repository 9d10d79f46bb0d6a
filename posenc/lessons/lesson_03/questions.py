"""What lesson 3 asks."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.lessons.lesson_03.common import RED_BLUE_RED, error_of_reach, last_after_shuffle
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _mask_without_positions() -> int:
    """Whether the causal mask leaves the last token with fewer tokens to read."""
    _, weights = attention.identity_attention(RED_BLUE_RED, attention.causal_mask(3))
    fewer = (weights > 0).sum(axis=1) < len(weights)
    return 2 if fewer.tolist() == [True, True, False] else 1


def _after_the_softmax() -> int:
    kept = np.array([0.5, 0.3, 0.2]) * np.array([1, 1, 0])
    right = attention.masked_attention_weights(np.log([[0.5, 0.3, 0.2]]), [[True, True, False]])[0]
    return 0 if not np.isclose(kept.sum(), 1) and np.allclose(kept / kept.sum(), right) else 1


def _rows_that_change() -> int:
    free, masked = (
        attention.identity_attention(RED_BLUE_RED, mask)[1]
        for mask in (None, attention.causal_mask(3))
    )
    changed = tuple(np.flatnonzero(np.abs(free - masked).max(axis=1) > 1e-9).tolist())
    return {(0, 1, 2): 0, (0, 1): 1, (2,): 2, (0,): 3}[changed]


def _does_a_mask_give_order() -> int:
    """0: all of it, 1: none of it, 2: some in one layer, more in deeper stacks."""
    if error_of_reach(5) > 1e-9 or error_of_reach(0) < 0.01:
        return 1
    return 2 if last_after_shuffle(1) < 1e-10 < last_after_shuffle(2) else 0


def _position_of_a_fifth() -> int:
    return {4: 0, 5: 1, 20: 2}[int(attention.position_from_share([0.2])[0])]


QUESTIONS = (
    Question(
        "3.q1",
        "A model lets every token read every other and has no positional encodings. Somebody adds "
        "a causal mask “so that it knows where the words are”. What has changed?",
        (
            Option(
                "Each row now contains the position of its token.",
                False,
                "No row has changed. The mask acts on the scores and says who may read whom.",
            ),
            Option(
                "Nothing, because forbidden tokens had small attention weights anyway.",
                False,
                "A weight depends on the content, and a later token can have a large one.",
            ),
            Option(
                "Every token but the last reads fewer tokens, and no row says where it is.",
                True,
                "That is permission. What can be concluded from it about the order is a "
                "different question, which this lesson measures.",
            ),
        ),
        "two-questions",
        _mask_without_positions,
    ),
    Question(
        "3.q2",
        "The attention weights of a row are 0.5, 0.3 and 0.2. The third token turns out to be "
        "forbidden, and its weight is set to 0. Is the row right now?",
        (
            Option(
                "No, it has to be 0.625, 0.375 and 0.",
                True,
                "0.8 is left, and the row has to be divided by it, so that it adds up to 1 again. "
                "A mask before the softmax does this by itself.",
            ),
            Option(
                "Yes, because a forbidden token must have the weight 0.",
                False,
                "That much is right. Look at the sum of the row.",
            ),
            Option(
                "No, it has to be 0.5, 0.5 and 0.",
                False,
                "The allowed tokens keep their ratio of 5 to 3; both are divided by what is left.",
            ),
        ),
        "mask",
        _after_the_softmax,
    ),
    Question(
        "3.q3",
        "Red, blue, red without positions. The causal mask is switched on. Which rows of the "
        "table change?",
        (
            Option("All three.", False, "What does the mask forbid to the last token?"),
            Option(
                "Those of the first red and of blue.",
                True,
                "Both lose tokens that they read before. The last token may read all three, "
                "as it could without the mask.",
            ),
            Option(
                "That of the last red, which now has the whole text to read.",
                False,
                "It had that before. It is the one token for which the mask forbids nothing.",
            ),
            Option(
                "That of the first red alone.", False, "Blue may not read the last red any more."
            ),
        ),
        "red-blue-red",
        _rows_that_change,
    ),
    Question(
        "3.q4",
        "Does a causal mask tell a model the order of the tokens?",
        (
            Option(
                "Yes, all of it, so that encodings are not needed.",
                False,
                "A single layer gives the last token one output for every order of the earlier "
                "tokens. Deeper stacks can do more, but no row is given its position there either.",
            ),
            Option(
                "No, nothing, because attention stays equivariant.",
                False,
                "Measured, it does not: if the tokens are shuffled, other tokens become "
                "readable, and the outputs do not follow their tokens.",
            ),
            Option(
                "Some of it in one layer; deeper stacks can build more, but no row is given its "
                "position.",
                True,
                "One layer depends on which tokens came before. From the second layer on, the "
                "order leaks in through what the earlier tokens have read, and what can be worked "
                "out depends on weights and content.",
            ),
        ),
        "breaks",
        _does_a_mask_give_order,
        seen=("PE123",),
    ),
    Question(
        "3.q5",
        "Causal attention with equal scores. At some position the first token has an attention "
        "weight of 0.2. Which position is it?",
        (
            Option("4", True, "At position p there are p + 1 tokens to read, and 1/0.2 is 5."),
            Option(
                "5",
                False,
                "Five tokens are read there, and the first of them has position 0.",
            ),
            Option("20", False, "The weight is one over a count, not a percentage of the text."),
        ),
        "one-over",
        _position_of_a_fifth,
    ),
)
