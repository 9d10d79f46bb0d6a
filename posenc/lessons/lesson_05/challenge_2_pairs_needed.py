"""Challenge 5.2, How many pairs are enough."""

from __future__ import annotations

import numpy as np

from posenc.judging.model import Case, Challenge

Array = np.ndarray


def pairs_needed(frequencies: list[float], length: int) -> int | None:
    """The smallest n with which no position 2 … length - 1 is nearer to 0 than position 1 is.

    The rows hold (sin pω, cos pω) for the first n frequencies; None where all are not enough.
    """
    gaps = _gaps(np.array(frequencies), length)
    free = (gaps > 0).all(axis=0)
    return int(free.argmax()) + 1 if free.any() else None


def _gaps(speeds: Array, length: int) -> Array:
    """By how much the squared distances of positions 2, 3, … exceed that of position 1."""
    p = np.arange(1, length)[:, None]
    squared = np.cumsum((2 * np.sin(p * speeds / 2)) ** 2, axis=1)
    return squared[1:] - squared[0]


def _draw_lists(rng: np.random.Generator) -> list[Case]:
    """Two calls each for the answers 1 to 5 and None, none of them decided by a rounding."""
    cases: list[Case] = []
    for answer in (1, 2, 3, 4, 5, None) * 2:
        while True:
            number = int(rng.integers(4, 7))
            ladder = rng.uniform(1.2, 3.0) ** -np.arange(number) * rng.uniform(1.0, 2.6)
            speeds = rng.permutation(np.maximum(ladder, 0.03).round(3))
            length = int(rng.integers(6, 120))
            if np.abs(_gaps(speeds, length)).min() < 0.005:
                continue
            if pairs_needed(speeds.tolist(), length) == answer:
                break
        cases.append(Case((speeds.tolist(), length)))
    return cases


PAIRS_NEEDED = Challenge(
    id="5.2",
    name="pairs_needed",
    title="How many pairs are enough",
    section="lookalikes",
    points=4,
    minutes=12,
    difficulty=3,
    asked="a whole number, or None,",
    reference=pairs_needed,
    cases=(
        Case(([1.0, 0.1, 0.01], 6), about="a text shorter than a turn"),
        Case(([1.0, 0.1, 0.01], 7), about="a text a little longer than a turn"),
        Case(([1.0, 0.3, 0.1, 0.03], 100)),
        Case(([1.0, 0.01], 44), about="two pairs that are not enough"),
        Case(([1.0], 400), about="one pair that is not enough"),
        Case(([1.0, 0.05], 8)),
        Case(([2.6, 1.2, 1.1], 4), about="a look-alike right after the neighbour"),
        # With two pairs there is no look-alike, with three there is one again.
        Case(([0.297, 0.574, 0.459, 1.275, 0.889], 76), about="a pair that brings one back"),
        Case(([0.082, 0.206, 0.571, 1.627], 85), about="a pair that brings one back"),
        Case(([0.036, 1.15, 0.104, 0.337], 23), about="the slowest pair first"),
        # Here the right distances, sums of angles or of chords, arcs, sines alone and cosines alone
        # part from each other.
        Case(([1.6, 0.78, 0.11, 2.17, 0.99], 8), about="five pairs, a short text"),
        Case(([2.17, 0.73, 1.15, 0.19, 0.06], 14), about="five pairs, a short text"),
        Case(([0.16, 0.17, 2.5, 1.65], 33), about="four pairs"),
    ),
    draw=_draw_lists,
    hints=(
        "For one n, make the rows of all positions, with n sines and n cosines each, and take "
        "their distances to row 0.",
        "Compare the distances of positions 2, 3, … with that of position 1. When is there no "
        "look-alike?",
        "Try n = 1, 2, … in turn, with `frequencies[:n]`, and return the first that is enough. "
        "What is returned after the loop?",
    ),
)


def _chord(angles: Array) -> Array:
    return (2 * np.sin(angles / 2)) ** 2


def _wrapped(angles: Array) -> Array:
    return np.abs((angles + np.pi) % (2 * np.pi) - np.pi)


@PAIRS_NEEDED.choices
def needed(
    frequencies,
    length,
    *,
    measure=_chord,
    rival=2,
    beyond=0,
    used=lambda speeds, n: speeds[:n],
    pick=lambda free: int(free.argmax()) + 1 if free.any() else None,
):
    """The n that `pick` takes of all n, told whether `measure` finds no position nearer than 1."""
    speeds, p = np.array(frequencies), np.arange(length + beyond)[:, None]
    free = []
    for n in range(1, len(speeds) + 1):
        distance = measure(p * used(speeds, n)).sum(axis=1)
        others = np.delete(distance, 1) if rival == 0 else distance[rival:]
        free.append(bool((others > distance[1]).all()))
    return pick(np.array(free))


needed.mistake(
    "sum-of-angles",
    "the angles between the pairs are summed instead of the distance being taken",
    "Every pair is a point with two coordinates. The Euclidean distance squares differences before "
    "it adds them.",
    section="both-hands",
    measure=_wrapped,
)
needed.mistake(
    "sum-of-chords",
    "the distances of the single pairs are summed",
    "The distance of two rows is one root over all their squared differences.",
    section="both-hands",
    measure=lambda angles: np.sqrt(_chord(angles)),
)
needed.mistake(
    "arc-for-chord",
    "the arcs between the points are taken, not the straight lines",
    "The Euclidean distance of two points of a circle does not run along it.",
    section="both-hands",
    measure=lambda angles: _wrapped(angles) ** 2,
)
needed.mistake(
    "sines-only",
    "only the sines are compared",
    "A sine is near 0 at half a turn as well. What does the cosine say there?",
    section="one-sine",
    measure=lambda angles: np.sin(angles) ** 2,
)
needed.mistake(
    "cosines-only",
    "only the cosines are compared",
    "Near the top a cosine hardly changes. Which coordinate does?",
    section="one-sine",
    measure=lambda angles: (np.cos(angles) - 1) ** 2,
)
needed.mistake(
    "not-wrapped",
    "the angles are compared as if they never completed a turn, and then 1 is always nearest",
    "An angle of 6.28 is almost back at 0. Compare the points, not the angles.",
    section="both-hands",
    measure=lambda angles: np.abs(angles),
)
needed.mistake(
    "zero-included",
    "position 0 itself counts as a look-alike, so that no number of pairs is enough",
    "Nothing is nearer to position 0 than position 0. Where should the search begin?",
    rival=0,
)
needed.mistake(
    "length-included",
    "position `length` takes part",
    "A text of 10 positions ends at position 9.",
    beyond=1,
)
needed.mistake(
    "for-good",
    "the number returned is the one from which on no further pair brings a look-alike back",
    "The smallest number with which there is none is asked for, whatever more pairs do.",
    pick=lambda free: None if not free[-1] else len(free) - int(_trailing(free)) + 1,
)
needed.mistake(
    "counted-from-0",
    "the number returned is one too small, as a place in the list",
    "With the first frequency alone, n is 1. Which n is at place 0 of your list?",
    pick=lambda free: int(free.argmax()) if free.any() else None,
)
needed.mistake(
    "all-for-none",
    "the length of the list is returned where all pairs together are not enough",
    "An answer of 3 says that three pairs were tried and are enough. What says that none are?",
    pick=lambda free: int(free.argmax()) + 1 if free.any() else len(free),
)
needed.mistake(
    "one-at-a-time",
    "each pair is tried by itself, not together with those before it",
    "With n = 2 the row holds two pairs. How many does yours hold?",
    used=lambda speeds, n: speeds[n - 1 : n],
)
needed.mistake(
    "from-the-end",
    "the pairs are taken from the end of the list",
    "Which frequencies are the first two of the list?",
    used=lambda speeds, n: speeds[-n:],
)
needed.mistake(
    "how-many-do",
    "the numbers of pairs that are enough are counted",
    "What is asked for is the smallest of them.",
    pick=lambda free: int(free.sum()) or None,
)


def _trailing(free: Array) -> int:
    """How many of the last entries are true."""
    false = np.flatnonzero(~free)
    return len(free) - (int(false[-1]) + 1 if len(false) else 0)


@PAIRS_NEEDED.has
def no_more_than_there_are(count, frequencies, length):
    if 1 <= count <= len(frequencies):
        return ""
    return f"{len(frequencies)} pairs are given; yours is {count}."


@PAIRS_NEEDED.has
def no_lookalike_with_your_pairs(count, frequencies, length):
    angles = np.outer(np.arange(length), frequencies[:count])
    rows = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    distances = np.linalg.norm(rows - rows[0], axis=1)
    if length < 3 or distances[2:].min() > distances[1] - 1e-9:
        return ""
    place = 2 + int(distances[2:].argmin())
    return (
        f"with your {count} pairs position {place} is nearer to position 0 than position 1 is: "
        f"{distances[place]:.4g}, and {distances[1]:.4g}."
    )


@PAIRS_NEEDED.has
def fewer_pairs_are_not_enough(count, frequencies, length):
    for fewer in range(1, count):
        angles = np.outer(np.arange(length), frequencies[:fewer])
        rows = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
        distances = np.linalg.norm(rows - rows[0], axis=1)
        if length < 3 or distances[2:].min() > distances[1] + 1e-9:
            return "with your pairs there is no look-alike, and with fewer there is none either."
    return ""
