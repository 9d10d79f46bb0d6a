"""Challenge 8.3, Does it decay?."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def rises_and_lowest(distances: Array, profile: Array) -> tuple[int, int, float]:
    """How many steps go up, and where and what the lowest value is; distances in any order."""
    order = np.argsort(distances)
    rises, place, value = geometry.rises_and_lowest(profile[order])
    return rises, int(distances[order][place]), value


def _in_order(*values: float) -> tuple[Array, Array]:
    return np.arange(len(values)), np.array(values)


def _measured(width: int, distances: Array) -> tuple[Array, Array]:
    return distances, geometry.distance_profile(width, distances)


def _random_profile(rng: np.random.Generator, length: int) -> tuple[Array, Array]:
    """Distances in random order, with numbers on both sides of 0.

    By distance, the lowest number is neither first nor last nor nearest 0, nor is the first
    distance 0.
    """
    distances = np.sort(rng.choice(np.arange(2, 4 * length), length, replace=False))
    order = rng.permutation(length)
    while True:
        profile = rng.uniform(-9, 20, length).round(3)
        lowest = int(profile.argmin())
        if len(np.unique(profile)) == length and 0 < lowest < length - 1 and profile[lowest] < -1:
            return distances[order], profile[order]


RISES_AND_LOWEST = Challenge(
    id="8.3",
    name="rises_and_lowest",
    title="Does it decay?",
    section="no-decay",
    points=3,
    minutes=10,
    difficulty=2,
    asked="three values (rises, distance, value)",
    reference=rises_and_lowest,
    cases=(
        Case(_in_order(4.0, 2.0, 3.0, 1.0, 2.5)),
        Case((np.array([20, 5, 9, 3]), np.array([1.0, 3.0, 0.5, 4.0])), about="in another order"),
        Case(_in_order(4.0, 3.0, 2.0, 1.0), about="a profile that falls all the way"),
        Case(_in_order(4.0, 2.0, 2.0, 3.0, 2.5), about="a level step"),
        Case(
            (np.array([8, 1, 6, 3, 4]), np.array([-1.0, 5.0, 2.0, -1.0, 0.5])),
            about="two equally low values",
        ),
        Case((np.array([7]), np.array([3.0])), about="a single distance"),
        Case(_in_order(0.0009765625, 0.0), about="two values near zero"),
        Case(_measured(64, np.arange(512)), about="width 64, 512 distances"),
        Case(_measured(512, np.arange(200)[::-1].copy()), about="width 512, farthest first"),
    ),
    draw=lambda rng: [
        Case(_random_profile(rng, int(length))) for length in rng.permutation([7, 11, 18, 40, 65])
    ],
    hints=(
        "`order = np.argsort(distances)` gives the places from the nearest distance to the "
        "farthest; `profile[order]` are the values in that order.",
        "`np.diff` of them holds the steps. A step up is a difference above 0, and adding up True "
        "and False counts the True ones.",
        "`np.argmin` gives the place of the lowest value among them. The distance is what "
        "`distances[order]` has at that place.",
    ),
)


@RISES_AND_LOWEST.choices
def answers(
    distances,
    profile,
    *,
    rises=lambda f: int((np.diff(f) > 0).sum()),
    place=lambda f: int(np.argmin(f)),
    reported=lambda d, place: int(d[place]),
    ordered=True,
):
    """An answer whose rises, place and distance are taken from the values by distance."""
    order = np.argsort(distances) if ordered else np.arange(len(distances))
    d, f = distances[order], profile[order]
    found = place(f)
    return rises(f), reported(d, found), float(f[found])


answers.mistake(
    "order-ignored",
    "the values are compared in the order in which they are listed, not by distance",
    "The distances may be listed as 20, 5, 9, 3. From which of them to which does a step lead?",
    ordered=False,
)
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
    "each value is compared with the one at the nearest distance",
    "A rise is from one distance to the next. Which two values does a step join?",
    rises=lambda f: int((f[1:] > f[0]).sum()),
)
answers.mistake(
    "assumed-decay",
    "the profile is taken to fall all the way, with its lowest value at the end",
    "Look at the values: is each one below the one before?",
    rises=lambda f: 0,
    place=lambda f: len(f) - 1,
)
answers.mistake(
    "last-distance",
    "the rises are counted, and the lowest value is still taken from the end",
    "If steps go up, the lowest value may lie before the end. Which function finds where it is?",
    place=lambda f: len(f) - 1,
)
answers.mistake(
    "place-for-distance",
    "the place of the lowest value is reported instead of the distance that belongs to it",
    "Distances need not be 0, 1, 2, … Which of them has the lowest value?",
    reported=lambda d, place: place,
)


def _last_lowest(profile: Array) -> int:
    return len(profile) - 1 - int(np.argmin(profile[::-1]))


answers.mistake(
    "last-of-equals",
    "of equally low values the farthest is reported",
    "The nearest distance is asked for. Which of two equal values does `np.argmin` report, "
    "and which way did you search?",
    place=_last_lowest,
)
answers.mistake(
    "nearest-zero",
    "the value nearest to 0 is reported instead of the lowest",
    "A dot product may be negative, and −3 is lower than 1.",
    place=lambda f: int(np.argmin(np.abs(f))),
)
answers.mistake(
    "largest",
    "the largest value is reported",
    "The least similar distance is asked for.",
    place=lambda f: int(np.argmax(f)),
)


@RISES_AND_LOWEST.mistake(
    "value and distance are in the other order",
    "Asked for are the rises, then the distance, then the value there.",
)
def exchanged(distances, profile):
    rises, distance, value = rises_and_lowest(distances, profile)
    return rises, value, distance


@RISES_AND_LOWEST.mistake(
    "the values are right, and the caller's profile was sorted on the way",
    "`profile.sort()` changes the array that was handed in. Sort a copy, or use an order.",
)
def sorted_in_place(distances, profile):
    found = rises_and_lowest(distances, profile)
    profile.sort()
    return found


@RISES_AND_LOWEST.has
def a_distance_of_the_profile(found, distances, profile):
    if found[1] in distances:
        return ""
    return f"the second value is a distance; yours, {found[1]:g}, is not among those given."


@RISES_AND_LOWEST.has
def the_value_at_the_distance(found, distances, profile):
    there = profile[distances == found[1]]
    if np.abs(there - found[2]).min() < 1e-4:
        return ""
    return (
        f"your distance is {found[1]:g}, where the profile is {there[0]:.6g}, and the value that "
        f"you return is {found[2]:.6g}."
    )


@RISES_AND_LOWEST.has
def nothing_lower(found, distances, profile):
    if found[2] <= profile.min() + 1e-4:
        return ""
    return f"your lowest value is {found[2]:.6g}, and the profile has lower ones."


@RISES_AND_LOWEST.has
def no_more_rises_than_steps(found, distances, profile):
    if 0 <= found[0] < len(profile):
        return ""
    return f"{len(profile)} values have {len(profile) - 1} steps; you count {found[0]} rises."
