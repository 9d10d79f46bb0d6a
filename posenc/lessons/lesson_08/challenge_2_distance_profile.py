"""Challenge 8.2, The dot product at a distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posenc import encodings, geometry
from posenc.judging.model import Case, Challenge
from posenc.lessons import familiar

Array = np.ndarray


def _distances(rng: np.random.Generator, count: int, high: int) -> Array:
    """Unsorted whole distances with a repeat, the first not 0."""
    drawn = rng.choice(np.arange(1, high), count - 1, replace=False)
    return np.append(drawn, drawn[0])


def _draw_profiles(rng: np.random.Generator) -> Sequence[Case]:
    cases = []
    for n, width in enumerate(rng.permutation([6, 10, 12, 18, 24])):
        base = {"base": float(np.round(rng.uniform(20, 30000), 1))} if n % 2 else {}
        cases.append(Case((int(width), _distances(rng, int(rng.integers(5, 9)), 250)), base))
    return cases


DISTANCE_PROFILE = Challenge(
    id="8.2",
    name="distance_profile",
    title="The dot product at a distance",
    section="difference",
    points=4,
    minutes=12,
    difficulty=2,
    asked="a one-dimensional array with one dot product a distance, in the order given,",
    reference=geometry.distance_profile,
    cases=(
        Case((4, np.array([0, 1, 2, 3]))),
        Case((8, np.array([0]))),
        Case((6, np.array([40, 3, 17, 3])), about="unsorted, with a repeat"),
        Case((6, np.array([5, 2, 9])), {"base": 100.0}, about="another base"),
        Case((2, np.array([1, 7, 4])), about="a single pair"),
        Case((64, np.arange(300)), about="a longer profile"),
    ),
    draw=_draw_profiles,
    hints=(
        "Two rows at distance k have the dot product cos(k·ω₀) + cos(k·ω₁) + …, "
        "one term for each pair.",
        "`distances[:, None] * frequencies` is the grid of all angles: a row for each "
        "distance, a column for each pair.",
        "Take the cosine of the grid and add along the pairs, `axis=1`. Sorting "
        "or looking up is not needed.",
    ),
)


@DISTANCE_PROFILE.mistake(
    "this is the mean cosine, which begins at 1; the dot product is the sum",
    "The dot product of a row with itself is the square of its length. What is that at width 64?",
)
def mean_cosine(width, distances, base=10000.0):
    return geometry.distance_profile(width, distances, base) / (width // 2)


@DISTANCE_PROFILE.mistake(
    "these are distances between the rows, which are 0 for a row and itself",
    "Dot products are asked for: products of entries, added up. How large is "
    "that of a row with itself?",
)
def euclidean_distance(width, distances, base=10000.0):
    return np.sqrt(np.maximum(width - 2 * geometry.distance_profile(width, distances, base), 0))


def _cosines(angles: Array, width: int) -> Array:
    return np.cos(angles)


@DISTANCE_PROFILE.choices
def sum_over(width, distances, base=10000.0, *, term=_cosines, exponent=None):
    """The sum over pairs of a term of the angle, with frequencies to choose."""
    speeds = (
        encodings.frequencies(width, base) if exponent is None else float(base) ** -exponent(width)
    )
    return term(np.asarray(distances)[:, None] * speeds, width).sum(axis=1)


sum_over.mistake(
    "sines",
    "sines are added instead of cosines",
    "sin a sin b + cos a cos b is the cosine of the difference. What should "
    "come out at distance 0?",
    term=lambda a, d: np.sin(a),
)
sum_over.mistake(
    "one-per-column",
    "each pair is counted twice, once for each of its columns",
    "A pair's two columns together give one cosine. How many terms has the sum at width 64?",
    term=lambda a, d: 2 * np.cos(a),
)
sum_over.mistake(
    "cosine-of-the-sum",
    "the angles are added first and one cosine is taken",
    "Each pair gives a cosine of its own; they are added afterwards.",
    term=lambda a, d: np.cos(a.sum(axis=1, keepdims=True)),
)


sum_over.mistake(
    "single-i",
    familiar.SINGLE_I,
    "Pair i turns by base^(−2i/width). At width 4, how fast is the second pair?",
    term=_cosines,
    exponent=lambda d: np.arange(d // 2) / d,
)
sum_over.mistake(
    "column-exponent",
    "the cosine of each pair has the exponent (2i + 1)/width, as in some lecture notes",
    "If sine and cosine of a pair turn at different speeds, the dot product depends on more "
    "than the distance. Which exponent do they share?",
    seen=("PE014",),
    term=_cosines,
    exponent=lambda d: (2 * np.arange(d // 2) + 1) / d,
)
sum_over.mistake(
    "degrees",
    *familiar.in_degrees("cos", "distance"),
    term=lambda a, d: np.cos(np.radians(a)),
)


@DISTANCE_PROFILE.mistake(
    "the distances are put in order first",
    "Each number belongs to the distance that is listed in the same place.",
)
def sorted_(width, distances, base=10000.0):
    return geometry.distance_profile(width, np.sort(distances), base)


@DISTANCE_PROFILE.mistake(
    "a distance that is listed twice is answered once",
    "The answer has one entry for each distance that is given, equal ones included.",
)
def once_each(width, distances, base=10000.0):
    return geometry.distance_profile(width, np.unique(distances), base)


@DISTANCE_PROFILE.mistake(
    "distances 0, 1, 2, … are used instead of those given",
    "Where does the argument `distances` enter your sum?",
)
def counted(width, distances, base=10000.0):
    return geometry.distance_profile(width, np.arange(len(distances)), base)


@DISTANCE_PROFILE.mistake(
    "a table with as many rows as there are distances is looked up, which ends "
    "before the largest of them",
    "How many rows does a table need, if distance 40 is to be looked up? A sum "
    "of cosines needs no table.",
)
def table_too_short(width, distances, base=10000.0):
    table = encodings.sinusoidal(len(distances), width, base)
    return (table @ table[0])[np.asarray(distances)]


@DISTANCE_PROFILE.mistake(
    "each row is multiplied with the row of the distance listed before it",
    "Each entry of `distances` is a distance by itself, not a position to be "
    "compared with the one before.",
)
def between_neighbours(width, distances, base=10000.0):
    rows = encodings.sinusoidal_at(distances, width, base)
    return (rows * np.roll(rows, 1, axis=0)).sum(axis=1)


familiar.base_ignored(DISTANCE_PROFILE)


@DISTANCE_PROFILE.has
def every_pair_at_distance_0(profile, width, distances, base=10000.0):
    for place in np.flatnonzero(distances == 0):
        if abs(profile[place] - width // 2) > 1e-3:
            return (
                f"at distance 0 each of the {width // 2} pairs adds cos 0, which is 1; yours is "
                f"{profile[place]:.6g} there."
            )
    return ""


@DISTANCE_PROFILE.has
def never_more_than_the_pairs(profile, width, distances, base=10000.0):
    largest = float(np.abs(profile).max())
    if largest <= width // 2 + 1e-3:
        return ""
    return f"{width // 2} pairs add at most 1 each; your profile reaches {largest:.6g} in size."
