"""Challenge 11.2, Count the tokens, not the places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc import encodings
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault
from posenc.lessons.lesson_11.common import mask_of

Array = np.ndarray


def _real(call: Call) -> Array:
    return np.asarray(call.args[0]) == 1


def _compare_ids(call: Call, expected: Array, got: Array) -> Fault | None:
    real = _real(call)
    wrong = (got != expected) & real
    if not wrong.any():
        return None
    row, column = (int(n) for n in np.argwhere(wrong)[0])
    return Fault(
        "value",
        f"`position_ids(mask)` for a mask of shape {expected.shape}: {int(wrong.sum())} of "
        f"{int(real.sum())} real tokens have "
        f"another number; the first is at row {row}, place {column}, where yours holds "
        f"{got[row, column]:g}. Pads are not judged.",
    )


def _draw_masks(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(6):
        width, rows = int(rng.integers(8, 14)), int(rng.integers(3, 6))
        lengths = rng.choice(np.arange(2, width), rows, replace=False)
        cases.append(Case((mask_of(lengths, width, "left" if n % 2 else "right"),)))
    return cases


def _plain_numbers(value: Any, shape: tuple[int, ...]) -> Array | None:
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
    return value if value.shape == shape else None


def _alike(does: Callable[[Array], Array], call: Call, value: Any) -> bool:
    """Whether the real tokens have the numbers that `does` gives them, whatever the pads hold."""
    wanted = np.asarray(does(np.asarray(call.args[0])), dtype=float)
    value = _plain_numbers(value, wanted.shape)
    return value is not None and bool((value == wanted)[_real(call)].all())


POSITION_IDS = Challenge(
    id="11.2",
    name="position_ids",
    title="Count the tokens, not the places",
    section="contract",
    points=3,
    minutes=8,
    difficulty=2,
    asked="an array of whole numbers of the shape of attention_mask",
    reference=encodings.position_ids,
    cases=(
        Case((np.array([[0, 0, 1, 1, 1]]),), about="pads on the left"),
        Case((np.array([[1, 1, 1, 0, 0]]),), about="pads on the right"),
        Case((np.array([[1, 1, 1, 1]]),), about="no pads"),
        Case((mask_of([2, 6, 4], 6, "left"),), about="a batch, pads on the left"),
        Case((mask_of([5, 3, 7], 7, "right"),), about="a batch, pads on the right"),
        Case((mask_of([1, 5], 5, "left"),), about="one token behind four pads"),
        Case((mask_of([300, 280], 300, "left"),), about="a long text"),
    ),
    draw=_draw_masks,
    compare=_compare_ids,
    canonical=lambda call, value: np.where(_real(call), value, 0),
    alike=_alike,
    hints=(
        "A running sum along the row goes up by 1 at every real token and stays "
        "where it is at a pad.",
        "`np.cumsum(attention_mask, axis=1)` is such a sum. With which number "
        "does it begin at the first real token?",
        "Take 1 away from the running sum. What it says at pads does not matter here.",
    ),
)


@POSITION_IDS.mistake(
    "the places of the row are counted, pads included",
    "The first real token of each row should be number 0. What is it in a row "
    "with two pads in front?",
    seen=("PE065", "PE066", "PE072"),
)
def places_counted(mask):
    return np.broadcast_to(np.arange(mask.shape[1]), mask.shape).copy()


@POSITION_IDS.mistake(
    "the first token is number 1",
    "The first row of the table belongs to the first token. What is its number?",
)
def from_1(mask):
    return np.cumsum(mask, axis=1)


def _counted(mask: Array) -> Array:
    return np.cumsum(mask, axis=1) - 1


@POSITION_IDS.mistake(
    "an offset of 2 is added, as in fairseq and OPT, whose tables have two rows "
    "in front; none are asked for here",
    "That is a convention and belongs to the table it was trained with. What is "
    "the first token's number here?",
    seen=("PE056", "PE059"),
)
def offset_2(mask):
    return _counted(mask) + 2


@POSITION_IDS.mistake(
    "the count runs down the batch instead of along each row",
    "Which axis of the mask holds the tokens of one text?",
    seen=("PE040",),
)
def down_the_batch(mask):
    return np.cumsum(mask, axis=0) - 1


@POSITION_IDS.mistake(
    "sequences are numbered instead of tokens",
    "All tokens of a row have the same number in your result. What should tell them apart?",
    seen=("PE040",),
)
def sequence_for_token(mask):
    return np.repeat(np.arange(len(mask))[:, None], mask.shape[1], axis=1)


@POSITION_IDS.mistake(
    "all rows get the numbers of the first one",
    "Each row has its own number of pads. Where does your code look at the other rows?",
    seen=("PE043",),
)
def first_for_all(mask):
    return np.repeat(_counted(mask)[:1], len(mask), axis=0)


@POSITION_IDS.mistake(
    "the number of pads is subtracted whichever side they are on",
    "With pads on the right, which number does the first token get from your code?",
)
def always_left(mask):
    return places_counted(mask) - (mask == 0).sum(axis=1, keepdims=True)


@POSITION_IDS.mistake(
    "the count runs from the last token to the first", "Which token of a text is number 0?"
)
def from_the_right(mask):
    return np.cumsum(mask[:, ::-1], axis=1)[:, ::-1] - 1


@POSITION_IDS.has
def one_more_for_each_token(found, attention_mask):
    for row, (ids, real) in enumerate(zip(found, attention_mask)):
        numbers = ids[real == 1]
        if numbers.size and numbers[0] != 0:
            return (
                f"the first real token of row {row} should have number 0; yours is {numbers[0]:g}."
            )
        if (np.diff(numbers) != 1).any():
            return f"from one real token of row {row} to the next your numbers do not go up by 1."
    return ""
