"""Challenge 11.4, The next position."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_11.common import mask_of

Array = np.ndarray


def _draw_next(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(6):
        width, rows = int(rng.integers(8, 14)), int(rng.integers(3, 6))
        lengths = rng.choice(np.arange(2, width - 1), rows, replace=False)
        mask = mask_of(lengths, width, "left" if n % 3 else "right")
        cases.append(Case((mask, int(rng.integers(2, 7)))))
    return cases


NEXT_POSITION_IDS = Challenge(
    id="11.4",
    name="next_position_ids",
    title="The next position",
    section="contract",
    points=2,
    minutes=8,
    difficulty=2,
    asked="an array of whole numbers of shape (batch, new_tokens)",
    reference=encodings.next_position_ids,
    cases=(
        Case((np.array([[0, 0, 1, 1, 1]]), 1), about="three tokens behind two pads"),
        Case((np.array([[1, 1, 1, 1, 1]]), 3), about="no pads"),
        Case((np.array([[1, 1, 1, 0, 0]]), 2), about="pads on the right"),
        Case((mask_of([2, 6, 4], 6, "left"), 3), about="a batch, pads on the left"),
        Case((mask_of([5, 3, 7, 1], 8, "right"), 2), about="a batch, pads on the right"),
        Case((mask_of([6, 2], 7, "left"), 1), about="one new token"),
        Case((mask_of([300, 299], 300, "left"), 2), about="a long text"),
        Case((np.array([[0, 1]]), 250), about="many new tokens"),
    ),
    draw=_draw_next,
    hints=(
        "How many real tokens does each row hold? The next number is that count.",
        "`attention_mask.sum(axis=1)` counts them; `np.arange(new_tokens)` are the steps.",
        "Counts of shape (batch, 1) plus steps of shape (new_tokens,) give (batch, new_tokens).",
    ),
)


def _real_count(mask: Array) -> Array:
    return mask.sum(axis=1, keepdims=True)


@NEXT_POSITION_IDS.choices
def continued(attention_mask, new_tokens, *, start=_real_count):
    """The numbers, from a rule for the first new one of each row, (batch, 1)."""
    return start(attention_mask) + np.arange(new_tokens)


continued.mistake(
    "row-length",
    "the length of the row is taken, pads included",
    "Three real tokens behind two pads had the numbers 0, 1 and 2. What comes next?",
    seen=("PE068",),
    start=lambda mask: np.full((len(mask), 1), mask.shape[1]),
)


def _after_last_real(mask: Array) -> Array:
    return mask.shape[1] - np.argmax(mask[:, ::-1], axis=1)[:, None]


continued.mistake(
    "after-the-last-place",
    "the place of the last real token in the row is taken for its number",
    "With pads in front, a token's place and its number differ. By how much?",
    seen=("PE066",),
    start=_after_last_real,
)


@NEXT_POSITION_IDS.mistake(
    "every new token is number 0",
    "Each step computes one token, which comes after all that are in the cache.",
    seen=("PE073",),
)
def all_zero(attention_mask, new_tokens):
    return np.zeros((len(attention_mask), new_tokens), dtype=int)


continued.mistake(
    "from-0",
    "the new tokens are counted from 0, as if there were no text before them",
    "How many real tokens does each row hold already?",
    seen=("PE076",),
    start=lambda mask: np.zeros((len(mask), 1), dtype=int),
)


continued.mistake(
    "one-for-all",
    "all rows go on from the first row's count",
    "Each row has its own number of real tokens. Where does your code look at the other rows?",
    seen=("PE043", "PE068"),
    start=lambda mask: np.repeat(_real_count(mask)[:1], len(mask), axis=0),
)
continued.mistake(
    "longest-for-all",
    "all rows go on from the longest one's count",
    "A short row goes on where it ended, not where the longest did.",
    seen=("PE068",),
    start=lambda mask: np.full((len(mask), 1), mask.sum(axis=1).max()),
)
continued.mistake(
    "last-repeated",
    "the first new token gets the number of the last one that is there",
    "n tokens have the numbers 0 to n − 1. What is the next number?",
    start=lambda mask: _real_count(mask) - 1,
)
continued.mistake(
    "one-too-large",
    "one number is left out before the first new token, as if the count had been moved on already",
    "n tokens have the numbers 0 to n − 1. What is the next number?",
    seen=("PE075",),
    start=lambda mask: _real_count(mask) + 1,
)
continued.mistake(
    "prompt-twice",
    "the length of the prompt is added twice",
    "After a prompt of 6 the next number is 6. Where does your code add the other 6?",
    seen=("PE074",),
    start=lambda mask: 2 * _real_count(mask),
)


@NEXT_POSITION_IDS.mistake(
    "all new tokens of a row share one number",
    "The second new token comes after the first. What is its number?",
)
def no_step(attention_mask, new_tokens):
    return np.repeat(_real_count(attention_mask), new_tokens, axis=1)


@NEXT_POSITION_IDS.has
def one_more_for_each_new_token(found, attention_mask, new_tokens):
    steps = np.diff(found, axis=1)
    if not steps.size or (steps == 1).all():
        return ""
    row = int(np.argwhere(steps != 1)[0][0])
    return f"from one new token of row {row} to the next your numbers do not go up by 1."


@NEXT_POSITION_IDS.has
def as_many_before_as_real_tokens(found, attention_mask, new_tokens):
    real = attention_mask.sum(axis=1)
    wrong = np.flatnonzero(found[:, 0] != real)
    if not wrong.size:
        return ""
    row = int(wrong[0])
    return (
        f"row {row} has {real[row]} real tokens, numbered from 0 on, and your first new one has "
        f"number {found[row, 0]:g}."
    )
