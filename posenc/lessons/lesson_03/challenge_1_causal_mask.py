"""Challenge 3.1, Who may read whom."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge

Array = np.ndarray

CAUSAL_MASK = Challenge(
    id="3.1",
    name="causal_mask",
    title="Who may read whom",
    section="mask",
    points=2,
    minutes=5,
    difficulty=1,
    asked="an array (n, n) of True and False, a row for each token that reads,",
    reference=attention.causal_mask,
    cases=(
        Case((3,)),
        Case((5,)),
        Case((1,), about="one token"),
        Case((2,)),
        Case((64,), about="a longer text"),
    ),
    draw=lambda rng: [Case((int(n),)) for n in rng.integers(6, 60, 5)],
    hints=(
        "Row i, column j: may the token at seat i read the one at seat j? Write the condition.",
        "`np.arange(n)[:, None]` and `np.arange(n)` can be compared with each other.",
        "`>=` between a column of queries and a row of keys gives the whole table of True and "
        "False.",
    ),
)


@CAUSAL_MASK.mistake(
    "the triangle is the upper one: each token may read itself and later ones",
    "Row 0 belongs to the first token. How many tokens may it read?",
)
def upper_triangle(n):
    return np.triu(np.ones((n, n), dtype=bool))


@CAUSAL_MASK.mistake(
    "a True stands where reading is forbidden, which is the convention of some libraries "
    "and not the one asked for here",
    "Neither convention is wrong. Which of the two does the first requirement name?",
    seen=("https://github.com/rasbt/LLMs-from-scratch/issues/1061",),
)
def true_for_forbidden(n):
    return ~np.tri(n, dtype=bool)


@CAUSAL_MASK.mistake(
    "no token may read itself, and the first may read nothing",
    "What is left for the first token, if it may not read itself?",
)
def diagonal_excluded(n):
    return np.tri(n, k=-1, dtype=bool)


@CAUSAL_MASK.mistake(
    "each token may also read the next one, which it is to predict",
    "Row 0 should hold a single True. How many does yours?",
)
def one_ahead(n):
    return np.tri(n, k=1, dtype=bool)


@CAUSAL_MASK.mistake(
    "each token may read itself and nothing else", "What may the last token of a text read?"
)
def itself_only(n):
    return np.eye(n, dtype=bool)


@CAUSAL_MASK.mistake("everything is allowed", "What may the first token not read?")
def nothing_forbidden(n):
    return np.ones((n, n), dtype=bool)


@CAUSAL_MASK.mistake(
    "the triangle is mirrored, so that reading begins at the last token",
    "Column 0 is the first token. Who may read it?",
)
def mirrored(n):
    return np.tri(n, dtype=bool)[:, ::-1].copy()
