"""Challenge 12.4, Accuracy where it was trained, and beyond."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from posenc.judging.model import Case, Challenge

Array = np.ndarray

Rule = Callable[..., Array]


def accuracy_by_range(predicted: Array, target: Array, edges: Sequence[int]) -> Array:
    """Share of right answers in each range edges[r] <= p < edges[r + 1] of the last axis."""
    right = np.asarray(predicted) == np.asarray(target)
    return np.array([right[..., start:stop].mean() for start, stop in zip(edges, edges[1:])])


def _case_ranges(
    rng: np.random.Generator, shape: tuple[int, ...], edges: list[int], about: str = ""
) -> Case:
    target = rng.integers(0, 5, shape)
    guesses = np.where(rng.random(shape) < 0.6, target, rng.integers(0, 5, shape))
    return Case((guesses, target, edges), about=about)


def _fixed_ranges() -> tuple[Case, ...]:
    rng = np.random.default_rng(124)
    plain = np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]])
    return (
        Case((np.array([[1, 2, 0, 4, 0, 0], [1, 2, 3, 0, 0, 0]]), plain, [0, 2, 4, 6])),
        Case((np.array([1, 2, 0, 4]), np.array([1, 0, 3, 4]), [0, 1, 4]), about="one row"),
        _case_ranges(rng, (3, 9), [0, 4, 9]),
        _case_ranges(rng, (4, 10), [2, 5, 6, 8], "edges that leave out both ends"),
        _case_ranges(rng, (2, 3, 11), [0, 3, 7, 11], "rows of several seeds"),
        _case_ranges(rng, (5, 7), [3, 5], "one range"),
    )


def _draw_ranges(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(6):
        length = int(rng.integers(12, 30))
        inner = sorted(
            rng.choice(np.arange(2, length - 2), int(rng.integers(2, 5)), replace=False).tolist()
        )
        edges = inner if n % 2 else [0, *inner, length]
        cases.append(_case_ranges(rng, (int(rng.integers(3, 9)), length), edges))
    return cases


ACCURACY_BY_RANGE = Challenge(
    id="12.4",
    name="accuracy_by_range",
    title="Accuracy where it was trained, and beyond",
    section="experiment",
    points=2,
    minutes=8,
    difficulty=1,
    asked="one share for each range, len(edges) − 1 of them",
    reference=accuracy_by_range,
    cases=_fixed_ranges(),
    draw=_draw_ranges,
    hints=(
        "`predicted == target` is True at each right answer; the mean of Trues is their share.",
        "Range r is the slice `[..., edges[r]:edges[r + 1]]`; a slice leaves "
        "its end out, as is asked.",
        "Go through `zip(edges, edges[1:])` and collect one mean for each pair of edges.",
    ),
)


@ACCURACY_BY_RANGE.choices
def by_range(predicted, target, edges, *, share):
    """A wrong 12.4 from a rule for one range."""
    right = np.asarray(predicted) == np.asarray(target)
    return np.array([float(share(right, start, stop)) for start, stop in zip(edges, edges[1:])])


by_range.mistake(
    "end-included",
    "each range also counts its end, which belongs to the next",
    "Position edges[r + 1] is counted twice in your ranges. To which of them does it belong?",
    share=lambda right, start, stop: right[..., start : stop + 1].mean(),
)

by_range.mistake(
    "start-left-out",
    "each range leaves out its first position",
    "Position edges[r] belongs to range r. Is it in your slice?",
    share=lambda right, start, stop: (
        right[..., start + 1 : stop].sum() / max(right[..., start + 1 : stop].size, 1)
    ),
)

by_range.mistake(
    "counts",
    "right answers are counted and not divided by how many there are",
    "Ranges of different length have to be comparable.",
    share=lambda right, start, stop: right[..., start:stop].sum(),
)

by_range.mistake(
    "per-cent",
    "the shares are given in per cent",
    "A share of all right answers is 1 here.",
    share=lambda right, start, stop: 100 * right[..., start:stop].mean(),
)

by_range.mistake(
    "errors",
    "wrong answers are counted instead of right ones",
    "Accuracy is 1 where nothing is wrong.",
    share=lambda right, start, stop: 1 - right[..., start:stop].mean(),
)


def _first_axis(right: Array, start: int, stop: int) -> float:
    part = right[start:stop]
    return part.sum() / part.size if part.size else np.nan


by_range.mistake(
    "first-axis",
    "the ranges are cut out of the first axis, which counts rows, not positions",
    "Which axis of (rows, length) holds the positions?",
    share=_first_axis,
)

by_range.mistake(
    "from-the-start",
    "each range begins at position 0",
    "The mean up to a position hides what happens late. Where does range r begin?",
    share=lambda right, start, stop: right[..., :stop].mean(),
)

by_range.mistake(
    "whole-rows",
    "a row counts only where all of its answers in the range are right",
    "Each position is one answer. How many answers does a range hold?",
    share=lambda right, start, stop: np.atleast_2d(right)[..., start:stop].all(axis=-1).mean(),
)


@ACCURACY_BY_RANGE.mistake(
    "the last range runs to the end of the rows instead of to the last edge",
    "The last edge is given too. What does it close?",
)
def last_to_the_end(predicted, target, edges):
    return accuracy_by_range(predicted, target, [*edges[:-1], np.shape(target)[-1]])
