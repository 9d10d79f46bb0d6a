"""Lesson 8, norm and distance: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from posenc import encodings, geometry
from posenc.judging.model import Case, Challenge, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray

# ------------------------------------------------------------------ claims

WIDTH = Setting("width", 2, 512, 2, 64, "width")
ANY_WIDTH = Setting("width", 2, 130, 1, 64, "width")
BASE = Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base")
LOWEST_64 = 2.5581458695  # at distance 406, the lowest of distances 0 … 511 at width 64


def _norm(width: float = 64, position: float = 100) -> float:
    return float(geometry.norms(encodings.sinusoidal_at(int(position), int(width))))


def _norm_holds(measured: float, width: float = 64, position: float = 100) -> tuple[bool, str]:
    width = int(width)
    if width % 2 == 0:
        return (
            True,
            f"{width // 2} pairs, each with sin² + cos² = 1: the length is √{width // 2}, whatever the position.",
        )
    extra = measured**2 - width // 2
    return (
        False,
        f"{width // 2} pairs give {width // 2}; the lone sine adds its own square, here {extra:.4f}, another at each position.",
    )


def _norm_variation(base: float = 10000.0, length: float = 512) -> float:
    smallest, largest = geometry.norm_range(64, int(length), base)
    return largest - smallest


def _norm_variation_holds(
    measured: float, base: float = 10000.0, length: float = 512
) -> tuple[bool, str]:
    return (
        measured < 1e-13,
        "The base sets how fast a hand turns, not how long it is; nor does the number of rows.",
    )


def _odd_range(width: float = 5, base: float = 10000.0) -> Array:
    return np.array(geometry.norm_range(int(width), 512, base))


def _odd_holds(measured: Array, width: float = 5, base: float = 10000.0) -> tuple[bool, str]:
    width = int(width)
    if width % 2 == 0:
        return (
            False,
            f"At width {width} no sine is alone, so every row has the length √{width // 2}.",
        )
    return (
        True,
        f"The lone last sine goes from 0 up to {np.sqrt(measured[1] ** 2 - width // 2):.4f} within 512 positions and makes the difference.",
    )


def _spread(width: float = 64, base: float = 10000.0, length: float = 512) -> float:
    return geometry.diagonal_spread(encodings.sinusoidal(int(length), int(width), base))


def _spread_holds(
    measured: float, width: float = 64, base: float = 10000.0, length: float = 512
) -> tuple[bool, str]:
    if int(width) % 2 == 0:
        return (
            measured < 1e-10,
            "Each pair adds cos((a − b)·ω), in which only the distance a − b occurs.",
        )
    return (
        False,
        "The lone last sine adds sin(a·ω)·sin(b·ω), in which the two positions occur one by one.",
    )


def _formula_gap(row: float = 0, width: float = 64) -> float:
    """Largest difference between a row of P Pᵀ and the sum of cosines, over 512 positions."""
    products = geometry.gram(encodings.sinusoidal(512, int(width)))[int(row)]
    distances = np.abs(np.arange(512) - int(row))
    return float(np.abs(products - geometry.distance_profile(int(width), distances)).max())


def _formula_holds(measured: float, row: float = 0, width: float = 64) -> tuple[bool, str]:
    return (
        measured < 1e-10,
        f"Row {int(row)} holds the sum of cosines for the distances from position {int(row)}, on both sides of it.",
    )


def _profile_start(width: float = 64, base: float = 10000.0) -> Array:
    return geometry.distance_profile(int(width), np.arange(7), base)


def _start_holds(measured: Array, width: float = 64, base: float = 10000.0) -> tuple[bool, str]:
    ups = np.flatnonzero(np.diff(measured) > 0)
    if len(ups):
        return True, f"The first step up among these is from distance {ups[0]} to {ups[0] + 1}."
    first = _first_rise(width, base)
    return (
        False,
        f"Here the first seven only fall. The first step up comes at distance {first}, so a longer look is needed.",
    )


def _rises(width: float = 64, base: float = 10000.0, length: float = 512) -> int:
    return geometry.rises_and_lowest(_profile(width, base, length))[0]


def _profile(width: float, base: float, length: float) -> Array:
    return geometry.distance_profile(int(width), np.arange(int(length)), base)


def _rises_hold(
    measured: int, width: float = 64, base: float = 10000.0, length: float = 512
) -> tuple[bool, str]:
    steps, first = int(length) - 1, _first_rise(width, base)
    if measured == 0:
        return (
            False,
            f"These {steps} steps all go down, because the first step up comes at distance {first}: the range is too short to see it.",
        )
    return (
        True,
        f"{int(measured)} of {steps} steps go up, the first of them at distance {first}. Similarity does not decay here.",
    )


def _minimum(width: float = 64, base: float = 10000.0, length: float = 512) -> Array:
    _, distance, value = geometry.rises_and_lowest(_profile(width, base, length))
    return np.array([value, distance])


def _minimum_holds(
    measured: Array, width: float = 64, base: float = 10000.0, length: float = 512
) -> tuple[bool, str]:
    value, distance = measured
    last = int(length) - 1
    if int(distance) < last:
        return (
            True,
            f"The lowest of distances 0 to {last} is {value:.2f} at {int(distance)}, and not the farthest one.",
        )
    return (
        False,
        f"Here the lowest is the farthest of the distances looked at, {last}. A longer look may tell another story.",
    )


def _value_at(distance: float = 511) -> float:
    return float(geometry.distance_profile(64, int(distance)))


def _value_holds(measured: float, distance: float = 511) -> tuple[bool, str]:
    distance = int(distance)
    if measured > LOWEST_64:
        return (
            True,
            f"Distance {distance} is farther than 406, and its dot product is the larger one.",
        )
    return False, f"The dot product at distance {distance} is not above that at 406."


def _mean_cosines(width: float = 64, base: float = 10000.0) -> Array:
    return geometry.distance_profile(int(width), [512, 1024], base) / (int(width) // 2)


def _mean_cosines_hold(
    measured: Array, width: float = 64, base: float = 10000.0
) -> tuple[bool, str]:
    if measured[1] > measured[0]:
        return True, "Twice as far, and more similar."
    return (
        False,
        "At these two distances it falls. Two distances are no trend: try a few widths, and the playground.",
    )


def _first_rise(width: float = 512, base: float = 10000.0) -> int:
    """The first distance from which the profile goes up; −1 if there is none below 4096."""
    ups = np.diff(_profile(width, base, 4096)) > 0
    return int(ups.argmax()) if ups.any() else -1


def _first_rise_holds(measured: int, width: float = 512, base: float = 10000.0) -> tuple[bool, str]:
    if measured < 0:
        return False, "No step up was found below distance 4096."
    return (
        True,
        f"There is a first step up, from distance {int(measured)} to {int(measured) + 1}. Width and base move it; they do not remove it.",
    )


def _step(width: float = 64, position: float = 0) -> float:
    rows = encodings.sinusoidal_at([int(position), int(position) + 1], int(width))
    return float(np.linalg.norm(rows[1] - rows[0]))


def _step_holds(measured: float, width: float = 64, position: float = 0) -> tuple[bool, str]:
    width = int(width)
    if width % 2:
        return False, "The lone sine moves by another amount at each position."
    expected = np.sqrt(width - 2 * float(geometry.distance_profile(width, 1)))
    same = abs(measured - expected) < 1e-9
    return (
        same,
        f"At width {width} every step is √(width − 2·{(width - expected**2) / 2:.4f}); no position occurs in it.",
    )


CLAIMS = (
    Claim(
        "norm-64",
        "Every row of width 64 has the length √32",
        5.6569,
        5e-5,
        _norm,
        (ANY_WIDTH, Setting("position", 0, 5000, 1, 100, "position")),
        _norm_holds,
        section="one-length",
    ),
    Claim(
        "norm-variation-64",
        "The longest and the shortest of 512 rows of width 64 differ by rounding only",
        0.0,
        1e-14,
        _norm_variation,
        (BASE, Setting("length", 2, 1500, 1, 512, "rows")),
        _norm_variation_holds,
        section="one-length",
    ),
    Claim(
        "odd-width-norm",
        "At an odd width rows are not equally long: the smallest and the largest norm of 512 rows",
        [1.4142, 1.4493],
        5e-5,
        _odd_range,
        (Setting("width", 2, 129, 1, 5, "width"), BASE),
        _odd_holds,
        section="lone-sine",
    ),
    Claim(
        "diagonal-spread-64",
        "Along each diagonal of P Pᵀ all entries are equal, up to rounding",
        0.0,
        1e-12,
        _spread,
        (ANY_WIDTH, BASE, Setting("length", 2, 1000, 1, 512, "rows")),
        _spread_holds,
        section="diagonals",
    ),
    Claim(
        "direct-formula-difference-64",
        "A row of P Pᵀ and the sum of cos(distance · frequency) over the pairs are equal, up to rounding",
        0.0,
        1e-13,
        _formula_gap,
        (Setting("row", 0, 511, 1, 0, "row"), WIDTH),
        _formula_holds,
        section="difference",
    ),
    Claim(
        "profile-start-64",
        "The dot products at distances 0 to 6: they fall, and then there is a step up",
        [32.0, 30.92, 28.3, 25.59, 23.93, 23.5, 23.56],
        0.005,
        _profile_start,
        (WIDTH, BASE),
        _start_holds,
        section="difference",
    ),
    Claim(
        "same-step-64",
        "From any position to the next, the row of width 64 moves by the same length",
        1.4718,
        5e-5,
        _step,
        (ANY_WIDTH, Setting("position", 0, 5000, 1, 0, "position")),
        _step_holds,
        section="same-step",
    ),
    Claim(
        "profile-rises-64",
        "Of the steps from one distance to the next, this many go up; similarity does not decay",
        244,
        0,
        _rises,
        (
            Setting("width", 2, 1024, 2, 64, "width"),
            BASE,
            Setting("length", 3, 2048, 1, 512, "distances"),
        ),
        _rises_hold,
        section="no-decay",
    ),
    Claim(
        "profile-minimum-64",
        "The smallest dot product, and its distance, which is not the farthest",
        [2.56, 406],
        0.005,
        _minimum,
        (
            Setting("width", 2, 1024, 2, 64, "width"),
            BASE,
            Setting("length", 3, 2048, 1, 512, "distances"),
        ),
        _minimum_holds,
        section="no-decay",
    ),
    Claim(
        "profile-end-64",
        "At distance 511 the dot product is above that at distance 406",
        6.42,
        0.005,
        _value_at,
        (Setting("distance", 407, 2048, 1, 511, "distance"),),
        _value_holds,
        section="no-decay",
    ),
    Claim(
        "first-rise-512",
        "At width 512 the first step up is from this distance",
        43,
        0,
        _first_rise,
        (Setting("width", 6, 4096, 2, 512, "width"), BASE),
        _first_rise_holds,
        section="what-remains",
    ),
    Claim(
        "profile-mean-cosine-64",
        "The mean cosine at distances 512 and 1024: twice as far, and it rises",
        [0.1854, 0.2629],
        5e-5,
        _mean_cosines,
        (WIDTH, BASE),
        _mean_cosines_hold,
        section="what-remains",
    ),
)

# ------------------------------------------------------------------ questions


def _length_of_row_zero() -> int:
    norm = geometry.norms(encodings.sinusoidal(1, 8))[0]
    return int(np.argmin(np.abs(np.array([0.0, np.sqrt(8), 2.0, 4.0]) - norm)))


def _moved_pair() -> int:
    table = encodings.sinusoidal(200, 16)
    near, moved = table[3] @ table[10], table[103] @ table[110]
    return 1 if np.isclose(near, moved) else 0


def _before_and_after() -> int:
    table = encodings.sinusoidal(20, 16)
    before, after = table[10] @ table[7], table[10] @ table[13]
    return 3 if np.isclose(before, after) else (0 if before > after else 1)


def _least_similar() -> int:
    table = encodings.sinusoidal(512, 64)
    rows = (511, 256, 406, 1)
    least = int(np.argmin(table @ table[0]))
    return rows.index(least)


QUESTIONS = (
    Question(
        "8.q1",
        "At width 8, row 0 is 0, 1, 0, 1, 0, 1, 0, 1. A reader reports a bug: half the row is zero, so position 0 carries less than other positions. How long is this row?",
        (
            Option(
                "0: it is the zero position.",
                False,
                "Its sines are 0, its cosines are 1. A hand that points up is as long as any other.",
            ),
            Option(
                "√8, as every row of width 8.",
                False,
                "This counts columns. Each pair adds sin² + cos² = 1, and there are four pairs.",
            ),
            Option(
                "2, as every row of width 8.",
                True,
                "Four pairs, each with sin² + cos² = 1, so the length is √4. Row 0 is no exception: its hands all point up.",
            ),
            Option(
                "4, twice as long as the other rows.",
                False,
                "The sum of squares is 4, and the length is its root. Every other row has the same sum.",
            ),
        ),
        "one-length",
        _length_of_row_zero,
        seen=("PE062",),
    ),
    Question(
        "8.q2",
        "Rows 3 and 10 of a table of even width have a certain dot product. What is that of rows 103 and 110?",
        (
            Option(
                "Smaller: both are farther from the start.",
                False,
                "The distance from the start does not occur in it. Both pairs of rows are 7 apart.",
            ),
            Option(
                "The same.",
                True,
                "Both pairs are 7 apart, and the dot product is the sum of cos(7·ω) over the pairs of columns.",
            ),
            Option(
                "It cannot be known without the table.",
                False,
                "Its value cannot, without width and base. That the two are equal follows from the distance alone.",
            ),
            Option(
                "The same, if both positions lie within one wavelength.",
                False,
                "No wavelength occurs in the argument: sin a sin b + cos a cos b = cos(a − b) for all angles.",
            ),
        ),
        "diagonals",
        _moved_pair,
    ),
    Question(
        "8.q3",
        "You stand at position 10. By the dot products of the rows alone, can you tell position 7, three before you, from position 13, three after you?",
        (
            Option(
                "Yes: what comes before has the larger one.",
                False,
                "cos(−3ω) = cos(3ω) for every frequency, so both are equal.",
            ),
            Option(
                "Yes: what comes after has the larger one.",
                False,
                "cos(3ω) = cos(−3ω) for every frequency, so both are equal.",
            ),
            Option(
                "Yes: one of the two is negative.",
                False,
                "The sines, which change sign, have dropped out of cos(a − b).",
            ),
            Option(
                "No: both dot products are equal.",
                True,
                "The cosine of a difference forgets its sign. The rows themselves differ, so a model can use a matrix between them; lesson 9 builds one.",
            ),
        ),
        "difference",
        _before_and_after,
    ),
    Question(
        "8.q4",
        "Width 64, positions 0 to 511. Which of these rows is the least similar to row 0, by dot product?",
        (
            Option(
                "Row 511, the farthest.",
                False,
                "Its dot product is 6.42, which is above that of row 406. Farther is not less similar.",
            ),
            Option(
                "Row 256, half way.",
                False,
                "Nothing is special about the middle: no wavelength is 512.",
            ),
            Option(
                "Row 406.",
                True,
                "2.56, the lowest of all 512. After it the profile goes up and down again.",
            ),
            Option(
                "Row 1, as its fast hands have turned most.",
                False,
                "Row 1 is the most similar of all others, 30.92 of 32: most hands are slow and have hardly moved.",
            ),
        ),
        "no-decay",
        _least_similar,
    ),
    Question(
        "8.q5",
        "Which sentence may stand in your own text about sinusoidal encodings?",
        (
            Option(
                "Similarity decreases with every step away.",
                False,
                "At width 64 nearly half of the first 511 steps go up, and at no width has this lesson found a profile without one.",
            ),
            Option(
                "Positions far apart have dot product 0.",
                False,
                "At width 64 no dot product among the first 512 distances is 0 or below; the slow hands have hardly turned.",
            ),
            Option(
                "The pattern repeats after 10,000 positions.",
                False,
                "Lesson 7: each pair has a wavelength of its own, and 10,000 is none of them.",
            ),
            Option(
                "Neighbours are similar; farther out the dot product falls as a trend, with rises in between.",
                True,
                "This is what the numbers say. How soon the first rise comes depends on the width and the base.",
            ),
        ),
        "what-remains",
    ),
)

# ------------------------------------------------------------------ 8.1 norms

BASE_IGNORED = (
    "10000 is used whatever base is given",
    "The argument `base` does not reach the formula. Where should it stand?",
)


def _of_norms(norms: Callable[[int, int, float], Array]) -> Callable[..., tuple[float, float]]:
    """A wrong 8.1: the ends of other numbers than the norms of the rows."""

    def wrong(width: int, length: int, base: float = 10000.0) -> tuple[float, float]:
        found = norms(width, length, base)
        return float(np.min(found)), float(np.max(found))

    return wrong


def _row_norms(width: int, length: int, base: float) -> Array:
    return geometry.norms(encodings.sinusoidal(length, width, base))


def _reversed_range(width: int, length: int, base: float = 10000.0) -> tuple[float, float]:
    smallest, largest = geometry.norm_range(width, length, base)
    return largest, smallest


def _ends(width: int, length: int, base: float = 10000.0) -> tuple[float, float]:
    norms = _row_norms(width, length, base)
    return float(norms[0]), float(norms[-1])


def _odd_rounded_up(width: int, length: int, base: float) -> Array:
    return _row_norms(width + width % 2, length, base)


NORM_RANGE = Challenge(
    id="8.1",
    name="norm_range",
    title="How long are the rows?",
    section="one-length",
    points=3,
    minutes=8,
    difficulty=1,
    asked="a pair of numbers (smallest, largest)",
    reference=geometry.norm_range,
    cases=(
        Case((4, 3)),
        Case((8, 50)),
        Case((5, 512), about="an odd width"),
        Case((3, 512), about="an odd width whose lone sine feels the base"),
        Case((3, 40), {"base": 10.0}, about="an odd width, another base"),
        Case((1, 20), about="width 1, one lone sine"),
        Case((7, 1), about="a single position"),
        Case((64, 512), about="a larger table"),
    ),
    draw=lambda rng: [
        Case(
            (int(width), int(length)),
            {"base": float(np.round(rng.uniform(5, 400), 1))} if n % 2 else {},
            about="an odd width" if width % 2 else "",
        )
        for n, (width, length) in enumerate(
            zip(rng.permutation([6, 9, 11, 12, 13, 33]), rng.integers(60, 250, 6))
        )
    ],
    misconceptions=(
        Misconception(
            "formula-for-all",
            _of_norms(lambda d, n, base: np.array(np.sqrt(d / 2))),
            "the formula √(width/2) is used for every width",
            "That is the length of a row of whole pairs. What does the lone last sine of an odd width add, and is it the same at each position?",
            section="lone-sine",
        ),
        Misconception(
            "squared",
            _of_norms(lambda d, n, base: _row_norms(d, n, base) ** 2),
            "these are sums of squares; the root is missing",
            "At width 8 a row has four pairs, and each has sin² + cos² = 1. What is the length of such a row?",
        ),
        Misconception(
            "largest-first",
            _reversed_range,
            "the two numbers came in the other order",
            "The smallest is asked for first.",
        ),
        Misconception(
            "columns",
            _of_norms(lambda d, n, base: np.linalg.norm(encodings.sinusoidal(n, d, base), axis=0)),
            "the norm is taken down the columns",
            "A position is a row. Along which axis should the squares be added, so that one number is left for each row?",
        ),
        Misconception(
            "absolute-sum",
            _of_norms(lambda d, n, base: np.abs(encodings.sinusoidal(n, d, base)).sum(axis=1)),
            "absolute values are added instead of squares",
            "The Euclidean norm is the root of the sum of squares.",
        ),
        Misconception(
            "lone-sine-dropped",
            _of_norms(lambda d, n, base: np.array(np.sqrt(d // 2))),
            "only whole pairs are counted, and the lone sine of an odd width is left out",
            "At width 5 column 4 is a sine without a cosine. What does its square add at position 0, and what at position 500?",
            section="lone-sine",
        ),
        Misconception(
            "odd-rounded-up",
            _of_norms(_odd_rounded_up),
            "an odd width is rounded up, so that its last sine gets a cosine that does not exist",
            "At width 5 there are three sines and two cosines. How many squares does a row have?",
            section="lone-sine",
        ),
        Misconception(
            "positions-from-1",
            _of_norms(lambda d, n, base: _row_norms(d, n + 1, base)[1:]),
            "positions are counted from 1",
            "Row 0 is one of the rows. What does the lone sine add there?",
        ),
        Misconception(
            "first-and-last",
            _ends,
            "these are the norms of the first and of the last row",
            "The lone sine rises and falls. Does it have to be largest at the end?",
        ),
        Misconception(
            "base-ignored",
            lambda width, length, base=10000.0: geometry.norm_range(width, length),
            *BASE_IGNORED,
        ),
    ),
    hints=(
        "Make the whole table first, odd widths too; the given `sinusoidal` does. One norm a row is left to compute.",
        "`np.linalg.norm(table, axis=1)` adds the squares along each row and takes the root.",
        "Return the smallest and the largest of these norms, in this order, as a pair.",
    ),
    # A norm hides most of what a table shows: with the usual tolerance base 10001 would pass.
    absolute=2e-6,
    relative=2e-6,
)

# ------------------------------------------------------------------ 8.2 the profile


def _sum_of(
    term: Callable[[Array, int], Array], exponent: Callable[[int], Array] | None = None
) -> Callable[..., Array]:
    """A wrong 8.2: the sum over pairs of another term, or over other frequencies."""

    def wrong(width: int, distances: Array, base: float = 10000.0) -> Array:
        speeds = (
            encodings.frequencies(width, base)
            if exponent is None
            else float(base) ** -exponent(width)
        )
        return term(np.asarray(distances)[:, None] * speeds, width).sum(axis=1)

    return wrong


def _cosines(angles: Array, width: int) -> Array:
    return np.cos(angles)


def _mean(width: int, distances: Array, base: float = 10000.0) -> Array:
    return geometry.distance_profile(width, distances, base) / (width // 2)


def _distance(width: int, distances: Array, base: float = 10000.0) -> Array:
    return np.sqrt(np.maximum(width - 2 * geometry.distance_profile(width, distances, base), 0))


def _counted(width: int, distances: Array, base: float = 10000.0) -> Array:
    return geometry.distance_profile(width, np.arange(len(distances)), base)


def _in_order(width: int, distances: Array, base: float = 10000.0) -> Array:
    return geometry.distance_profile(width, np.sort(distances), base)


def _once_each(width: int, distances: Array, base: float = 10000.0) -> Array:
    return geometry.distance_profile(width, np.unique(distances), base)


def _short_table(width: int, distances: Array, base: float = 10000.0) -> Array:
    table = encodings.sinusoidal(len(distances), width, base)
    return (table @ table[0])[np.asarray(distances)]


def _between_neighbours(width: int, distances: Array, base: float = 10000.0) -> Array:
    rows = encodings.sinusoidal_at(distances, width, base)
    return (rows * np.roll(rows, 1, axis=0)).sum(axis=1)


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
        Case((64, np.arange(200)), about="a longer profile"),
    ),
    draw=_draw_profiles,
    misconceptions=(
        Misconception(
            "mean-cosine",
            _mean,
            "this is the mean cosine, which begins at 1; the dot product is the sum",
            "The dot product of a row with itself is the square of its length. What is that at width 64?",
        ),
        Misconception(
            "euclidean-distance",
            _distance,
            "these are distances between the rows, which are 0 for a row and itself",
            "Dot products are asked for: products of entries, added up. How large is that of a row with itself?",
        ),
        Misconception(
            "sines",
            _sum_of(lambda a, d: np.sin(a)),
            "sines are added instead of cosines",
            "sin a sin b + cos a cos b is the cosine of the difference. What should come out at distance 0?",
        ),
        Misconception(
            "one-per-column",
            _sum_of(lambda a, d: 2 * np.cos(a)),
            "each pair is counted twice, once for each of its columns",
            "A pair's two columns together give one cosine. How many terms has the sum at width 64?",
        ),
        Misconception(
            "cosine-of-the-sum",
            _sum_of(lambda a, d: np.cos(a.sum(axis=1, keepdims=True))),
            "the angles are added first and one cosine is taken",
            "Each pair gives a cosine of its own; they are added afterwards.",
        ),
        Misconception(
            "single-i",
            _sum_of(_cosines, lambda d: np.arange(d // 2) / d),
            "i stands where the formula of the frequencies has 2i",
            "Pair i turns by base^(−2i/width). At width 4, how fast is the second pair?",
        ),
        Misconception(
            "column-exponent",
            _sum_of(_cosines, lambda d: (2 * np.arange(d // 2) + 1) / d),
            "the cosine of each pair has the exponent (2i + 1)/width, as in some lecture notes",
            "If sine and cosine of a pair turn at different speeds, the dot product depends on more than the distance. Which exponent do they share?",
            ("PE014",),
        ),
        Misconception(
            "degrees",
            _sum_of(lambda a, d: np.cos(np.radians(a))),
            "angles are taken in degrees",
            "`np.cos` takes radians, and distance times frequency already is in radians.",
        ),
        Misconception(
            "sorted",
            _in_order,
            "the distances are put in order first",
            "The answer belongs to the distances as they came: one number for each, in the same place.",
        ),
        Misconception(
            "once-each",
            _once_each,
            "a distance that comes twice is answered once",
            "What comes in has repeats, and what goes out needs as many entries.",
        ),
        Misconception(
            "counted",
            _counted,
            "distances 0, 1, 2, … are used instead of those given",
            "Where does the argument `distances` enter your sum?",
        ),
        Misconception(
            "table-too-short",
            _short_table,
            "a table with as many rows as there are distances is looked up, which ends before the largest of them",
            "How many rows does a table need, if distance 40 is to be looked up? A sum of cosines needs no table.",
        ),
        Misconception(
            "between-neighbours",
            _between_neighbours,
            "each row is multiplied with the row of the distance listed before it",
            "Each entry of `distances` is a distance by itself, not a position to be compared with the one before.",
        ),
        Misconception(
            "base-ignored",
            lambda width, distances, base=10000.0: geometry.distance_profile(width, distances),
            *BASE_IGNORED,
        ),
    ),
    hints=(
        "Two rows at distance k have the dot product cos(k·ω₀) + cos(k·ω₁) + …, one term for each pair.",
        "`distances[:, None] * frequencies` is the grid of all angles: a row for each distance, a column for each pair.",
        "Take the cosine of the grid and add along the pairs, `axis=1`. Sorting or looking up is not needed.",
    ),
)

# ------------------------------------------------------------------ 8.3 rises


def _with(
    rises: Callable[[Array], int] = lambda f: int((np.diff(f) > 0).sum()),
    distance: Callable[[Array], int] = lambda f: int(np.argmin(f)),
    value: Callable[[Array], float] = lambda f: float(np.min(f)),
) -> Callable[[Array], tuple[int, int, float]]:
    """A wrong 8.3: one of its three answers, or more, taken another way."""
    return lambda profile: (rises(profile), distance(profile), value(profile))


def _valleys(profile: Array) -> int:
    """How often a fall is followed by a rise."""
    ups = np.diff(profile) > 0
    return int((~ups[:-1] & ups[1:]).sum()) + int(len(ups) > 0 and bool(ups[0]))


def _last_lowest(profile: Array) -> int:
    return len(profile) - 1 - int(np.argmin(profile[::-1]))


def _nearest_zero(profile: Array) -> int:
    return int(np.argmin(np.abs(profile)))


def _sorted_in_place(profile: Array) -> tuple[int, int, float]:
    found = geometry.rises_and_lowest(profile)
    profile.sort()
    return found


def _random_profile(rng: np.random.Generator, length: int) -> Array:
    """Different numbers on both sides of 0, whose lowest is neither first nor last nor nearest 0."""
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
    misconceptions=(
        Misconception(
            "falls-counted",
            _with(rises=lambda f: int((np.diff(f) < 0).sum())),
            "the steps down are counted",
            "A step up is one whose later value is the larger. Which way round is the difference taken?",
        ),
        Misconception(
            "level-counted",
            _with(rises=lambda f: int((np.diff(f) >= 0).sum())),
            "a step that stays level is counted as a rise",
            "4, 2, 2, 3 goes up once. What does the comparison say about 2 and 2?",
        ),
        Misconception(
            "valleys-counted",
            _with(rises=_valleys),
            "valleys are counted, so that several steps up in a row count once",
            "1, 2, 3 goes up twice. Count steps, not turning points.",
        ),
        Misconception(
            "above-the-start",
            _with(rises=lambda f: int((f[1:] > f[0]).sum())),
            "each value is compared with the one at distance 0",
            "A rise is from one distance to the next. Which two values does a step join?",
        ),
        Misconception(
            "assumed-decay",
            lambda profile: (0, len(profile) - 1, float(profile[-1])),
            "the profile is taken to fall all the way, with its lowest value at the end",
            "Look at the values: is each one below the one before?",
        ),
        Misconception(
            "last-distance",
            _with(distance=lambda f: len(f) - 1, value=lambda f: float(f[-1])),
            "the rises are counted, and the lowest value is still taken from the end",
            "If steps go up, the lowest value may lie before the end. Which function finds where it is?",
        ),
        Misconception(
            "distance-from-1",
            _with(distance=lambda f: int(np.argmin(f)) + 1),
            "distances are counted from 1",
            "The first entry belongs to distance 0: a row and itself.",
        ),
        Misconception(
            "last-of-equals",
            _with(distance=_last_lowest),
            "of equally low values the last is reported",
            "The nearest distance is asked for. Which of two equal values does `np.argmin` report, and which way did you search?",
        ),
        Misconception(
            "nearest-zero",
            _with(distance=_nearest_zero, value=lambda f: float(f[_nearest_zero(f)])),
            "the value nearest to 0 is reported instead of the lowest",
            "A dot product may be negative, and −3 is lower than 1.",
        ),
        Misconception(
            "largest",
            _with(distance=lambda f: int(np.argmax(f)), value=lambda f: float(np.max(f))),
            "the largest value is reported",
            "The least similar distance is asked for.",
        ),
        Misconception(
            "exchanged",
            lambda profile: tuple(geometry.rises_and_lowest(profile)[n] for n in (0, 2, 1)),
            "value and distance came in the other order",
            "Asked for are the rises, then the distance, then the value there.",
        ),
        Misconception(
            "sorted-in-place",
            _sorted_in_place,
            "the values are right, and the caller's profile was sorted on the way",
            "`profile.sort()` changes the array that was handed in. Is sorting needed at all?",
        ),
    ),
    hints=(
        "`np.diff(profile)` holds the steps: entry k is profile[k + 1] − profile[k].",
        "A step up is a difference above 0. Adding up True and False counts the True ones.",
        "`np.argmin(profile)` is the first place of the lowest value, and the place is the distance.",
    ),
)

CHALLENGES = (NORM_RANGE, DISTANCE_PROFILE, RISES_AND_LOWEST)
