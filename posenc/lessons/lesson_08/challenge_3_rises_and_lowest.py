"""Challenge 8.3, Does it decay?."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def _random_profile(rng: np.random.Generator, length: int) -> Array:
    """Numbers on both sides of 0, whose lowest is neither first nor last nor nearest 0."""
    while True:
        profile = rng.uniform(-9, 20, length).round(3)
        lowest = int(profile.argmin())
        if len(np.unique(profile)) == length and 0 < lowest < length - 1 and profile[lowest] < -1:
            return profile


RISES_AND_LOWEST = Challenge(
    id="8.3",
    name="rises_and_lowest",
    title="Does it decay?",
    section="no-decay",
    points=3,
    minutes=8,
    difficulty=2,
    asked="three values (rises, distance, value)",
    reference=geometry.rises_and_lowest,
    cases=(
        Case((np.array([4.0, 2.0, 3.0, 1.0, 2.5]),)),
        Case((np.array([4.0, 3.0, 2.0, 1.0]),), about="a profile that falls all the way"),
        Case((np.array([4.0, 2.0, 2.0, 3.0, 2.5]),), about="a level step"),
        Case((np.array([5.0, -1.0, 2.0, -1.0, 0.5]),), about="two equally low values"),
        Case((np.array([3.0]),), about="a single distance"),
        Case((geometry.distance_profile(64, np.arange(512)),), about="width 64, 512 distances"),
        Case((geometry.distance_profile(512, np.arange(200)),), about="width 512, 200 distances"),
    ),
    draw=lambda rng: [
        Case((_random_profile(rng, int(length)),))
        for length in rng.permutation([7, 11, 18, 40, 65])
    ],
    hints=(
        "`np.diff(profile)` holds the steps: entry k is profile[k + 1] − profile[k].",
        "A step up is a difference above 0. Adding up True and False counts the True ones.",
        "`np.argmin(profile)` is the first place of the lowest value, and the "
        "place is the distance.",
    ),
)


@RISES_AND_LOWEST.choices
def answers(
    profile,
    *,
    rises=lambda f: int((np.diff(f) > 0).sum()),
    distance=lambda f: int(np.argmin(f)),
    value=lambda f: float(np.min(f)),
):
    """A wrong 8.3: one of its three answers, or more, taken another way."""
    return (rises(profile), distance(profile), value(profile))


answers.mistake(
    "falls-counted",
    "the steps down are counted",
    "A step up is one whose later value is the larger. Which way round is the difference taken?",
    rises=lambda f: int((np.diff(f) < 0).sum()),
)

answers.mistake(
    "level-counted",
    "a step that stays level is counted as a rise",
    "4, 2, 2, 3 goes up once. What does the comparison say about 2 and 2?",
    rises=lambda f: int((np.diff(f) >= 0).sum()),
)


def _valleys(profile: Array) -> int:
    """How often a fall is followed by a rise."""
    ups = np.diff(profile) > 0
    return int((~ups[:-1] & ups[1:]).sum()) + int(len(ups) > 0 and bool(ups[0]))


answers.mistake(
    "valleys-counted",
    "valleys are counted, so that several steps up in a row count once",
    "1, 2, 3 goes up twice. Count steps, not turning points.",
    rises=_valleys,
)

answers.mistake(
    "above-the-start",
    "each value is compared with the one at distance 0",
    "A rise is from one distance to the next. Which two values does a step join?",
    rises=lambda f: int((f[1:] > f[0]).sum()),
)


@RISES_AND_LOWEST.mistake(
    "the profile is taken to fall all the way, with its lowest value at the end",
    "Look at the values: is each one below the one before?",
)
def assumed_decay(profile):
    return (0, len(profile) - 1, float(profile[-1]))


answers.mistake(
    "last-distance",
    "the rises are counted, and the lowest value is still taken from the end",
    "If steps go up, the lowest value may lie before the end. Which function finds where it is?",
    distance=lambda f: len(f) - 1,
    value=lambda f: float(f[-1]),
)

answers.mistake(
    "distance-from-1",
    "distances are counted from 1",
    "The first entry belongs to distance 0: a row and itself.",
    distance=lambda f: int(np.argmin(f)) + 1,
)


def _last_lowest(profile: Array) -> int:
    return len(profile) - 1 - int(np.argmin(profile[::-1]))


answers.mistake(
    "last-of-equals",
    "of equally low values the last is reported",
    "The nearest distance is asked for. Which of two equal values does `np.argmin` report, "
    "and which way did you search?",
    distance=_last_lowest,
)


def _nearest_zero(profile: Array) -> int:
    return int(np.argmin(np.abs(profile)))


answers.mistake(
    "nearest-zero",
    "the value nearest to 0 is reported instead of the lowest",
    "A dot product may be negative, and −3 is lower than 1.",
    distance=_nearest_zero,
    value=lambda f: float(f[_nearest_zero(f)]),
)

answers.mistake(
    "largest",
    "the largest value is reported",
    "The least similar distance is asked for.",
    distance=lambda f: int(np.argmax(f)),
    value=lambda f: float(np.max(f)),
)


@RISES_AND_LOWEST.mistake(
    "value and distance came in the other order",
    "Asked for are the rises, then the distance, then the value there.",
)
def exchanged(profile):
    return tuple(geometry.rises_and_lowest(profile)[n] for n in (0, 2, 1))


@RISES_AND_LOWEST.mistake(
    "the values are right, and the caller's profile was sorted on the way",
    "`profile.sort()` changes the array that was handed in. Is sorting needed at all?",
)
def sorted_in_place(profile):
    found = geometry.rises_and_lowest(profile)
    profile.sort()
    return found
