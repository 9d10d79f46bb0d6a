"""Challenge 12.4, Accuracy where it was trained, and beyond."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from posenc.judging.model import Case, Challenge
from posenc.training import NOT_SCORED

Array = np.ndarray


def accuracy_by_range(predicted: Array, target: Array, edges: Sequence[int]) -> Array:
    """Right answers per scored place in each range edges[r] <= p < edges[r + 1] of the last axis.

    Nothing is scored where the target is -1.
    """
    target = np.asarray(target)
    scored, right = target != NOT_SCORED, np.asarray(predicted) == target
    return np.array(
        [
            (right & scored)[..., start:stop].sum() / scored[..., start:stop].sum()
            for start, stop in zip(edges, edges[1:])
        ]
    )


def _case(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    edges: list[int],
    about: str = "",
    unscored: float = 0.3,
) -> Case:
    """Guesses of which about half are right; of every range, the first position is scored."""
    target = rng.integers(0, 5, shape)
    guesses = np.where(rng.random(shape) < 0.5, target, rng.integers(0, 5, shape))
    hidden = rng.random(shape) < unscored
    hidden[..., edges[:-1]] = False
    return Case((guesses, np.where(hidden, NOT_SCORED, target), edges), about=about)


def _fixed_ranges() -> tuple[Case, ...]:
    rng = np.random.default_rng(124)
    plain = np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]])
    late = np.array([[-1, -1, -1, 4, 2, 6, 1, 0], [-1, -1, -1, 0, 3, 3, 2, 1]])
    return (
        Case((np.array([[1, 2, 0, 4, 0, 0], [1, 2, 3, 0, 0, 0]]), plain, [0, 2, 4, 6])),
        Case((np.array([1, 2, 0, 4]), np.array([1, 0, 3, 4]), [0, 1, 4]), about="one row"),
        Case(
            (np.array([[4, 1, 2, 4, 2, 0, 1, 0], [0, 0, 0, 0, 3, 1, 0, 1]]), late, [0, 4, 8]),
            about="targets of three back",
        ),
        _case(rng, (3, 9), [0, 4, 9], unscored=0.0),
        _case(rng, (4, 10), [2, 5, 6, 8], "edges that leave out both ends"),
        _case(rng, (2, 3, 11), [0, 3, 7, 11], "rows of several seeds"),
        _case(rng, (5, 7), [3, 6], "one range"),
        _case(rng, (6, 20), [0, 8, 20], "many places without a score", unscored=0.6),
        _case(rng, (2, 320), [0, 40, 290, 320], "a long text"),
    )


def _draw_ranges(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(6):
        length = int(rng.integers(12, 30))
        inner = sorted(
            rng.choice(np.arange(2, length - 2), int(rng.integers(2, 5)), replace=False).tolist()
        )
        edges = inner if n % 2 else [0, *inner, length]
        cases.append(_case(rng, (int(rng.integers(3, 9)), length), edges))
    return cases


ACCURACY_BY_RANGE = Challenge(
    id="12.4",
    name="accuracy_by_range",
    title="Accuracy where it was trained, and beyond",
    section="experiment",
    points=2,
    minutes=10,
    difficulty=2,
    asked="one accuracy for each range, len(edges) − 1 of them",
    reference=accuracy_by_range,
    cases=_fixed_ranges(),
    draw=_draw_ranges,
    hints=(
        "`predicted == target` is True at each right answer. Which places may be counted at all?",
        "Range r is the slice `[..., edges[r]:edges[r + 1]]`; a slice leaves its end out, as is "
        "asked for.",
        "Divide a count by a count: right answers in the range, and scored places in the range.",
    ),
)


def _part(right: Array, scored: Array, start: int, stop: int) -> float:
    """Right answers per scored place of the last axis from start to stop; 0 where none is."""
    return right[..., start:stop].sum() / max(scored[..., start:stop].sum(), 1)


@ACCURACY_BY_RANGE.choices
def by_range(
    predicted: Array,
    target: Array,
    edges: Sequence[int],
    *,
    rule: Callable[[Array, Array, int, int], float] = _part,
) -> Array:
    """One share a range, from rule(right, scored, start, stop)."""
    target = np.asarray(target)
    scored = target != NOT_SCORED
    right = (np.asarray(predicted) == target) & scored
    return np.array(
        [float(rule(right, scored, start, stop)) for start, stop in zip(edges, edges[1:])]
    )


by_range.mistake(
    "unscored-counted-wrong",
    "places with the target −1 count as wrong answers",
    "At −1 the task asks for nothing. Can an answer there be wrong?",
    rule=lambda right, scored, start, stop: right[..., start:stop].mean(),
)
by_range.mistake(
    "unscored-counted-right",
    "places with the target −1 count as right answers",
    "At −1 the task asks for nothing. Can an answer there be right?",
    rule=lambda right, scored, start, stop: (right | ~scored)[..., start:stop].mean(),
)


def _averaged(axis: int) -> Callable[[Array, Array, int, int], float]:
    """A rule that takes the mean along one axis of two, and then the mean of those means."""

    def rule(right: Array, scored: Array, start: int, stop: int) -> float:
        right, scored = (
            part[..., start:stop].reshape(-1, stop - start) for part in (right, scored)
        )
        counts = scored.sum(axis=axis)
        return (right.sum(axis=axis)[counts > 0] / counts[counts > 0]).mean()

    return rule


by_range.mistake(
    "rows-averaged",
    "each row gets an accuracy of its own, and the mean of these is returned",
    "A row with one scored place counts as much as one with ten. Count all scored places at once.",
    rule=_averaged(1),
)
by_range.mistake(
    "positions-averaged",
    "each position gets an accuracy of its own, and the mean of these is returned",
    "A position that is scored in one row counts as much as one scored in all of them.",
    rule=_averaged(0),
)
by_range.mistake(
    "end-included",
    "each range also counts its end, which is part of the next",
    "Position edges[r + 1] is counted in two of your ranges. To which of them does it belong?",
    rule=lambda right, scored, start, stop: _part(right, scored, start, stop + 1),
)
by_range.mistake(
    "start-left-out",
    "each range leaves out its first position",
    "Position edges[r] is part of range r. Is it in your slice?",
    rule=lambda right, scored, start, stop: _part(right, scored, start + 1, stop),
)
by_range.mistake(
    "counts",
    "right answers are counted and not divided by how many were scored",
    "Ranges of different length have to be comparable.",
    rule=lambda right, scored, start, stop: right[..., start:stop].sum(),
)
by_range.mistake(
    "per-cent",
    "the accuracies are given in per cent",
    "An accuracy of 1 means here that all answers are right.",
    rule=lambda right, scored, start, stop: 100 * _part(right, scored, start, stop),
)
by_range.mistake(
    "errors",
    "wrong answers are counted instead of right ones",
    "Accuracy is 1 where nothing is wrong.",
    rule=lambda right, scored, start, stop: 1 - _part(right, scored, start, stop),
)


def _first_axis(right: Array, scored: Array, start: int, stop: int) -> float:
    return right[start:stop].sum() / max(scored[start:stop].sum(), 1)


by_range.mistake(
    "first-axis",
    "the ranges are cut out of the first axis, which counts rows",
    "Which axis of (rows, length) holds the positions?",
    rule=_first_axis,
)
by_range.mistake(
    "from-the-start",
    "each range begins at position 0",
    "The mean up to a position hides what happens late. Where does range r begin?",
    rule=lambda right, scored, start, stop: _part(right, scored, 0, stop),
)
by_range.mistake(
    "whole-rows",
    "a row counts only where all of its answers in the range are right",
    "Each scored place is one answer. How many answers does a range hold?",
    rule=lambda right, scored, start, stop: (
        np.atleast_2d(right | ~scored)[..., start:stop].all(axis=-1).mean()
    ),
)


@ACCURACY_BY_RANGE.mistake(
    "the last range runs to the end of the rows instead of to the last edge",
    "The last edge is given too. What does it close?",
)
def last_to_the_end(predicted: Array, target: Array, edges: Sequence[int]) -> Array:
    return accuracy_by_range(predicted, target, [*edges[:-1], np.shape(target)[-1]])


@ACCURACY_BY_RANGE.has
def between_0_and_1(found, predicted, target, edges):
    off = np.flatnonzero((np.asarray(found) < -1e-6) | (np.asarray(found) > 1 + 1e-6))
    if not off.size:
        return ""
    place = int(off[0])
    return f"an accuracy lies between 0 and 1; that of your range {place} is {found[place]:.4g}."
