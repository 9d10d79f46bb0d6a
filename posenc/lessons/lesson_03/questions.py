"""What lesson 3 asks."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.lessons.lesson_03.common import (
    RED_BLUE_RED,
    error_of_reach,
    last_after_shuffle,
)
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _mask_without_positions() -> int:
    """Whether the causal mask changes the rows of content: it changes who is read, not the rows."""
    _, weights = attention.identity_attention(RED_BLUE_RED, attention.causal_mask(3))
    return 1 if np.array_equal(weights > 0, attention.causal_mask(3)) else 2


def _after_the_softmax() -> int:
    kept = np.array([0.5, 0.3, 0.2]) * np.array([1, 1, 0])
    right = attention.masked_attention_weights(np.log([[0.5, 0.3, 0.2]]), [[True, True, False]])[0]
    return 2 if not np.isclose(kept.sum(), 1) and np.allclose(kept / kept.sum(), right) else 0


def _rows_that_change() -> int:
    free, masked = (
        attention.identity_attention(RED_BLUE_RED, mask)[1]
        for mask in (None, attention.causal_mask(3))
    )
    changed = tuple(np.flatnonzero(np.abs(free - masked).max(axis=1) > 1e-9).tolist())
    return {(0, 1): 0, (0, 1, 2): 1, (2,): 2, (0,): 3}[changed]


def _does_a_mask_give_order() -> int:
    """0: all of it, 1: none of it, 2: some."""
    if error_of_reach(5) > 1e-9 or error_of_reach(0) < 0.01:
        return 1
    return 2 if last_after_shuffle(1) < 1e-10 else 0


def _position_of_a_fifth() -> int:
    return {5: 0, 4: 1, 20: 2}[int(attention.position_from_share([0.2])[0])]


QUESTIONS = (
    Question(
        "3.q1",
        "A model lets every token read every other and has no positions. Somebody adds a causal "
        "mask “so that it knows where the words stand”. What has changed?",
        (
            Option(
                "Each row now holds its place in the text.",
                False,
                "No row has changed. The mask sits at the scores and says who may read whom.",
            ),
            Option(
                "Each token reads fewer tokens. No row says where it stands.",
                True,
                "That is permission. What can be concluded from it about the order is another "
                "matter, and the lesson measures it.",
            ),
            Option(
                "Nothing: forbidden tokens had small shares anyway.",
                False,
                "A share depends on the content, and a later token can have a large one.",
            ),
        ),
        "two-questions",
        _mask_without_positions,
    ),
    Question(
        "3.q2",
        "The shares of a row are 0.5, 0.3 and 0.2. The third token turns out to be forbidden, and "
        "its share is set to 0. Is the row right now?",
        (
            Option(
                "Yes: what is forbidden has share 0.",
                False,
                "That much is right. Look at the sum of the row.",
            ),
            Option(
                "No: it has to be 0.5, 0.5 and 0.",
                False,
                "The allowed tokens keep their ratio, 5 to 3; only the whole changes.",
            ),
            Option(
                "No: 0.8 is left, and the row has to be divided by it: 0.625, 0.375 and 0.",
                True,
                "Shares of one row are shares of one whole. A mask before the softmax does this "
                "by itself.",
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
            Option(
                "Those of the first red and of blue.",
                True,
                "Both lose tokens that they read before. The last token may read all three, "
                "as it could without the mask.",
            ),
            Option("All three.", False, "What does the mask forbid to the last token?"),
            Option(
                "That of the last red, as it now comes last.",
                False,
                "It is the one token for which the mask forbids nothing.",
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
                "Yes, all of it; positions are not needed.",
                False,
                "One causal layer gives the last token the same answer in whatever order the "
                "earlier ones stand.",
            ),
            Option(
                "No, nothing; attention stays equivariant.",
                False,
                "Measured, it does not: if the tokens are shuffled, other tokens become "
                "readable, and the outputs do not move along.",
            ),
            Option(
                "Some of it: which tokens came before, and through deeper layers a little more.",
                True,
                "The mask breaks the symmetry, so some order is in. No row says which seat it "
                "has, and what can be worked out depends on the content.",
            ),
        ),
        "breaks",
        _does_a_mask_give_order,
        seen=("PE123",),
    ),
    Question(
        "3.q5",
        "Causal attention with equal scores. At some seat the first token has a share of 0.2. "
        "Which position is it?",
        (
            Option(
                "5",
                False,
                "Five tokens share the whole there, and the first of them has position 0.",
            ),
            Option("4", True, "At position p there are p + 1 tokens to read, and 1/0.2 is 5."),
            Option("20", False, "The share is one over a count, not a percentage of the text."),
        ),
        "one-over",
        _position_of_a_fifth,
    ),
)
