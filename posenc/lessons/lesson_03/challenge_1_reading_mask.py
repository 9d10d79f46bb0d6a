"""Challenge 3.1, Who may read whom."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def _reading_mask(real: Array) -> Array:
    """Causal and padding mask together: (n, n) bools."""
    return attention.causal_mask(len(real)) & real


def _real(*values: int) -> Array:
    return np.array(values, dtype=bool)


def _draw_texts(rng: np.random.Generator) -> list[Case]:
    """Padding after the text, before it, and anywhere."""
    cases = []
    for side in (1, -1):
        words, padding = rng.integers(2, 9, 2)
        text = np.repeat([True, False], [words, padding])
        cases.append(Case((text[::side].copy(),)))
    for n in rng.integers(6, 40, 3):
        anywhere = rng.random(n) < 0.7
        anywhere[:2], anywhere[2:4] = True, False
        cases.append(Case((anywhere,)))
    return cases


READING_MASK = Challenge(
    id="3.1",
    name="reading_mask",
    title="Who may read whom",
    section="two-questions",
    points=2,
    minutes=5,
    difficulty=1,
    asked="an array (n, n) of True and False, a row for each token that reads,",
    reference=_reading_mask,
    cases=(
        Case((_real(1, 1, 1),), about="no padding"),
        Case((_real(1, 1, 1, 0, 0),), about="padding after the text"),
        Case((_real(0, 0, 1, 1),), about="padding before the text"),
        Case((_real(1, 1, 0, 1, 0),), about="padding between words"),
        Case((_real(1),), about="one token"),
        Case((_real(0, 0),), about="padding alone"),
        Case((np.arange(210) % 5 != 3,), about="a longer text"),
    ),
    draw=_draw_texts,
    hints=(
        "Two rules have to hold for entry [i, j]: one compares i with j, the other looks at "
        "token j. Write down each as an array.",
        "A comparison of `np.arange(n)[:, None]` with `np.arange(n)` gives a table. `real` has "
        "one entry for each column.",
        "`&` between a table (n, n) and an array (n,) applies the array to every row.",
    ),
)


@READING_MASK.choices
def mask_by(
    real,
    *,
    order=lambda i, j: i >= j,
    padding=lambda reads, read: read,
    joined=np.logical_and,
    finish=lambda allowed: allowed,
):
    """The right answer, with the rule of order, the rule of padding, and how they are joined."""
    place = np.arange(len(real))
    ordered = order(place[:, None], place) & np.ones((len(real),) * 2, dtype=bool)
    readable = padding(real[:, None], real) & np.ones_like(ordered)
    return finish(joined(ordered, readable))


mask_by.mistake(
    "padding-read",
    "padding may be read like any other token",
    "Requirement 3 is about the columns of padding. Where does `real` enter your code?",
    padding=lambda reads, read: True,
)
mask_by.mistake(
    "later-read",
    "padding is forbidden, and later tokens may be read",
    "What may the token at position 0 read?",
    order=lambda i, j: True,
)
mask_by.mistake(
    "upper-triangle",
    "the triangle is the upper one: each token may read itself and later ones",
    "Row 0 is that of the first token. How many tokens may it read?",
    order=lambda i, j: i <= j,
)
mask_by.mistake(
    "diagonal-excluded",
    "no token may read itself, and the first may read nothing",
    "What is left for the first token if it may not read itself?",
    order=lambda i, j: i > j,
)
mask_by.mistake(
    "one-ahead",
    "each token may also read the next one, which it is to predict",
    "How many entries of row 0 can be True, and how many of yours are?",
    order=lambda i, j: i + 1 >= j,
)
mask_by.mistake(
    "padding-does-not-read",
    "the rows of padding are empty, and its columns may be read",
    "`real[:, None]` is a column, with one entry for each token that reads. Who may not be read?",
    padding=lambda reads, read: reads,
)
mask_by.mistake(
    "rows-and-columns",
    "the rows of padding are empty as well",
    "Requirement 4 says what a padding token may read. Which rules hold for its row?",
    padding=lambda reads, read: reads & read,
)
mask_by.mistake(
    "either-rule",
    "an entry is True where one of the two rules allows it",
    "Both rules have to allow an entry. Which operator says “both”?",
    joined=np.logical_or,
)
mask_by.mistake(
    "true-for-forbidden",
    "a True means forbidden in your table, which is the convention of some libraries and the "
    "opposite of the one in this lesson",
    "Neither convention is wrong. Which of the two does the first requirement name?",
    seen=("https://github.com/rasbt/LLMs-from-scratch/issues/1061",),
    finish=np.logical_not,
)
mask_by.mistake(
    "padding-reads-itself",
    "every token may read itself, padding included",
    "Requirement 3 has no exception. What is entry [i, i] where token i is padding?",
    finish=lambda allowed: allowed | np.eye(len(allowed), dtype=bool),
)
mask_by.mistake(
    "transposed",
    "rows and columns are exchanged: the columns are the tokens that read",
    "Row 0 is that of the first token. How many tokens may it read?",
    finish=lambda allowed: allowed.T,
)
mask_by.mistake(
    "to-be-added",
    "the table holds 0 and −∞, to be added to scores",
    "That form is common in code, and it serves the same purpose. Which values does the first "
    "requirement name?",
    finish=lambda allowed: np.where(allowed, 0.0, -np.inf),
)


@READING_MASK.mistake(
    "padding is taken to be at the end, as many tokens as there are False in `real`",
    "Padding can be before the text or between words. Which columns does `real` itself name?",
)
def padding_at_the_end(real):
    place = np.arange(len(real))
    return attention.causal_mask(len(real)) & (place < real.sum())
