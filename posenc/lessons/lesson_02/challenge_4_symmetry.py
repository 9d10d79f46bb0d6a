"""Challenge 2.4, Equivariant, invariant, neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_02.common import (
    RANDOM,
    reordering_case,
)

Array = np.ndarray

Function = Callable[[Array], Array]

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
    ("places alike from both ends", 5, 3, None),
    ("places alike from both ends", 6, 2, None),
    ("the last row marked", 6, 3, None),
    ("a row behind", 5, 3, None),
    # Many differences of a tenth of the tolerance: squared and summed they are above it.
    ("row by row with a trace of 1e-6", 64, 40, 1.1e-5),
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
    ("a row-by-row layer of another width", 5, 3),
    ("a row-by-row layer of another width", 6, 4),
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
        case = reordering_case(rng, name, length, width, kwargs)
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
    cases=(*(_clear(RANDOM, *kind) for kind in (*KINDS, *TRACES)),),
    draw=_draw_symmetries,
    hints=(
        "Two outputs are enough: of x, and of x[order]. First compare them row by row.",
        "Before you shuffle the rows of an output, check that there are as "
        "many as tokens; a pooled output has none.",
        "Write one small function for “same shape, and largest difference at most the "
        "tolerance”, and use it twice.",
    ),
)


def _equal(one: Array, other: Array, tolerance: float) -> bool:
    return one.shape == other.shape and bool(np.abs(one - other).max() <= tolerance)


def _moves(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    if before.ndim == 0 or len(before) < len(order):
        return False
    return _equal(after, before[order], tolerance)


@SYMMETRY.choices
def named(
    layer,
    x,
    order,
    tolerance=1e-08,
    *,
    stays=lambda b, a, order, tolerance: _equal(a, b, tolerance),
    moves=_moves,
    words=("invariant", "equivariant"),
    moves_first=False,
    limit=lambda tolerance: tolerance,
    otherwise="neither",
):
    """How the two questions are asked, in which order, and what the answers are called."""
    before, after = layer(x), layer(x[order])
    questions = [(stays, words[0]), (moves, words[1])]
    for holds, word in reversed(questions) if moves_first else questions:
        if holds(before, after, order, limit(tolerance)):
            return word
    return otherwise


named.mistake(
    "words-exchanged",
    "the two words are exchanged",
    "Invariant: nothing changes. Equivariant: it changes in the same way. Which "
    "one is self-attention?",
    seen=("PE125", "PE144", "PE145"),
    words=("equivariant", "invariant"),
)
named.mistake(
    "equivariant-first",
    "equivariance is checked first, and a layer that gives every row the same vector is both",
    "Which of the two words is right where both hold?",
    moves_first=True,
)
named.mistake(
    "invariance-forgotten",
    "invariance is never checked",
    "There are three answers. Which layer would give the first of them?",
    stays=lambda b, a, order, tolerance: False,
)


def _means_equal(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    return _equal(after.mean(axis=0), before.mean(axis=0), tolerance)


named.mistake(
    "means-compared",
    "the means of the outputs are compared, and a mean stays the same when rows only move",
    "Which of the two properties does a mean over the rows hide?",
    seen=("PE125",),
    stays=_means_equal,
)


def _inverse_moves(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    return _moves(before, after, np.argsort(order), tolerance)


named.mistake(
    "inverse-order",
    "the outputs are shuffled by the inverse of the order",
    "`x[order]` puts token `order[0]` at position 0. Which row of layer(x) should be at "
    "position 0, then?",
    section="shuffled",
    moves=_inverse_moves,
)


@SYMMETRY.mistake(
    "both differences are computed first, and one of them does not exist where the layer does "
    "not return a row for each token",
    "A pooled output has no rows to shuffle. What should be checked before "
    "`layer(x)[order]` is taken?",
)
def both_compared_first(layer, x, order, tolerance=1e-08):
    before, after = layer(x), layer(x[order])
    moved = np.abs(after - before[order]).max()
    if np.abs(after - before).max() <= tolerance:
        return "invariant"
    return "equivariant" if moved <= tolerance else "neither"


def _unlooked(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    return bool(np.abs(after - before[order]).max() <= tolerance)


named.mistake(
    "shape-not-looked-at",
    "the shuffled output is used even where the layer does not return one row for each token",
    "Outputs of different shapes count as not equal. Where can that be checked before subtracting?",
    moves=_unlooked,
)


def _close_stays(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    return bool(np.allclose(after, before, atol=tolerance))


def _close_moves(before: Array, after: Array, order: Array, tolerance: float) -> bool:
    if before.ndim == 0 or len(before) < len(order) or before[order].shape != after.shape:
        return False
    return bool(np.allclose(after, before[order], atol=tolerance))


named.mistake(
    "relative-too",
    "a relative tolerance is added, which `np.allclose` does unless told otherwise",
    "What is the default of `rtol`, and how much is it of an entry of size 2?",
    stays=_close_stays,
    moves=_close_moves,
)
named.mistake(
    "tolerance-ignored",
    "the tolerance is always 1e-8",
    "The argument `tolerance` has no influence on your comparison. Where is it needed?",
    limit=lambda tolerance: 1e-8,
)
named.mistake(
    "exactly-equal",
    "the outputs have to be equal to the last bit",
    "A sum taken in another order rounds differently. What is the tolerance for?",
    limit=lambda tolerance: 0.0,
)


def _by_gap(measure: Callable[[Array], Any]) -> dict[str, Any]:
    """Both questions, where `measure` of a difference is compared with the tolerance."""

    def equal(after: Array, before: Array, tolerance: float) -> bool:
        return after.shape == before.shape and bool(measure(after - before) <= tolerance)

    def stays(before: Array, after: Array, order: Array, tolerance: float) -> bool:
        return equal(after, before, tolerance)

    def moves(before: Array, after: Array, order: Array, tolerance: float) -> bool:
        rows = before.ndim > 0 and len(before) >= len(order)
        return rows and equal(after, before[order], tolerance)

    return {"stays": stays, "moves": moves}


named.mistake(
    "on-average",
    "the mean difference is compared with the tolerance, and one entry that is off is lost in it",
    "Requirement 4 says which difference is compared. Which one is it?",
    **_by_gap(lambda gap: np.abs(gap).mean()),
)
named.mistake(
    "sign-kept",
    "differences keep their sign, so that a negative one passes for a small one",
    "An output that has fallen by 2 has changed. What is to be taken before `max`?",
    **_by_gap(np.max),
)
named.mistake(
    "length-of-difference",
    "the differences are squared and summed, and many small ones together exceed the tolerance",
    "Requirement 4 says which difference is compared. Does it depend on how many there are?",
    **_by_gap(np.linalg.norm),
)


@SYMMETRY.mistake(
    "an output is only compared row by row where it has the shape of x",
    "A layer may change the width and still return one row for each token. Which shapes have to "
    "agree?",
)
def shape_of_x(layer, x, order, tolerance=1e-08):
    before, after = layer(x), layer(x[order])
    if _equal(after, before, tolerance):
        return "invariant"
    if before.shape != x.shape:
        return "neither"
    return "equivariant" if _equal(after, before[order], tolerance) else "neither"


named.mistake(
    "capital-letters",
    "the three words begin with capital letters",
    "Requirements 1 to 3 write them in small letters, and text is compared letter by letter.",
    words=("Invariant", "Equivariant"),
    otherwise="Neither",
)
