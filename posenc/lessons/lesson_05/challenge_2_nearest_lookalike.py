"""Challenge 5.2, The nearest look-alike."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def _chords(p: Array, w: Array) -> Array:
    return np.linalg.norm(2 * np.sin(p * w / 2), axis=1)


def _draw_lookalikes(rng: np.random.Generator) -> list[Case]:
    """Eight calls, the nearest position at least 1e-3 nearer than the next."""
    cases: list[Case] = []
    while len(cases) < 8:
        speeds = rng.uniform(0.05, 2.5, 1 + len(cases) % 4).round(4)
        length = int(rng.integers(30, 200))
        gaps = np.sort(_chords(np.arange(1, length)[:, None], speeds))
        if gaps[1] - gaps[0] > 1e-3:
            cases.append(Case((speeds.tolist(), length)))
    return cases


NEAREST_LOOKALIKE = Challenge(
    id="5.2",
    name="nearest_lookalike",
    title="The nearest look-alike",
    section="lookalikes",
    points=4,
    minutes=12,
    difficulty=3,
    asked="a whole number",
    reference=geometry.nearest_lookalike,
    cases=(
        Case(([1.0], 10)),
        Case(([1.0], 50)),
        Case(([1.0], 44), about="the look-alike comes right after the end"),
        Case(([1.0], 400)),
        Case(([1.0], 1000)),
        Case(([1.0, 0.1], 200), about="two hands"),
        Case(([0.7, 1.9, 0.31], 150), about="three hands"),
        # In these two the cosines alone would choose another position.
        Case(([1.91, 0.16, 1.22], 35), about="three hands"),
        Case(([1.36, 2.21, 1.48, 1.1], 34), about="four hands"),
        Case(([0.05], 20), about="a hand that does not come round"),
    ),
    draw=_draw_lookalikes,
    hints=(
        "Make the hands of every position: one row with all sines and all cosines.",
        "Row 0 is all zeros and ones. The distance of another row to it is the root of the "
        "summed squares of the differences.",
        "Leave out position 0, take `argmin` of the distances, and remember at "
        "which position the candidates begin.",
    ),
)


@NEAREST_LOOKALIKE.choices
def nearest_under(frequencies, length, *, measure, first=1):
    """The position from `first` on at which `measure` of positions and speeds is smallest."""
    p = np.arange(first, length)
    return int(p[measure(p[:, None], np.array(frequencies, dtype=float)).argmin()])


def _wrapped(angles: Array) -> Array:
    return np.abs((angles + np.pi) % (2 * np.pi) - np.pi)


nearest_under.mistake(
    "sum-of-angles",
    "the angles between the hands are summed instead of the distance being taken",
    "Every hand is a point with two coordinates. The Euclidean distance squares "
    "differences before it adds them.",
    measure=lambda p, w: _wrapped(p * w).sum(axis=1),
)

nearest_under.mistake(
    "sines-only",
    "only the sines are compared",
    "A sine is near 0 at half a turn as well. What does the cosine say there?",
    section="both-hands",
    measure=lambda p, w: np.linalg.norm(np.sin(p * w), axis=1),
)

nearest_under.mistake(
    "cosines-only",
    "only the cosines are compared",
    "Near the top a cosine hardly changes. Which coordinate does?",
    section="both-hands",
    measure=lambda p, w: np.linalg.norm(np.cos(p * w) - 1, axis=1),
)

nearest_under.mistake(
    "zero-included",
    "position 0 itself takes part and wins",
    "Nothing is nearer to position 0 than position 0. Where should the search begin?",
    measure=_chords,
    first=0,
)

nearest_under.mistake(
    "not-wrapped",
    "the angles are compared without going round: then 1 is always nearest",
    "An angle of 6.28 is almost back at 0. Compare the points, not the angles.",
    measure=lambda p, w: np.abs(p * w).sum(axis=1),
)

nearest_under.mistake(
    "farthest",
    "the position that is furthest away is returned",
    "Is the largest or the smallest distance asked for?",
    measure=lambda p, w: -_chords(p, w),
)


@NEAREST_LOOKALIKE.mistake(
    "the place in the list of candidates is returned instead of the position",
    "If the candidates begin at 1, which position stands at place 0?",
)
def index_for_position(frequencies, length):
    return geometry.nearest_lookalike(frequencies, length) - 1


@NEAREST_LOOKALIKE.mistake(
    "position `length` takes part", "A text of 10 positions ends at position 9."
)
def length_included(frequencies, length):
    return geometry.nearest_lookalike(frequencies, length + 1)
