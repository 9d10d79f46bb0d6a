"""Lesson 7, 256 wavelengths: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import encodings, geometry
from posenc.judging.model import Case, Challenge, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray

# ------------------------------------------------------------------ claims


def _pairs(width: float = 512) -> int:
    return int(width) // 2


def _shortest(base: float = 10000.0) -> float:
    return float(geometry.wavelengths(512, base)[0])


def _shortest_holds(measured: float, base: float = 10000.0) -> tuple[bool, str]:
    return (
        True,
        "The exponent of the first pair is 0, and any base to the power 0 is 1: it turns in 2π positions whatever the base.",
    )


def _last_denominator(base: float = 10000.0) -> float:
    return float(base ** (510 / 512))


def _longest(width: float = 512, base: float = 10000.0) -> float:
    return float(geometry.wavelengths(int(width), base)[-1])


def _longest_holds(measured: float, width: float = 512, base: float = 10000.0) -> tuple[bool, str]:
    end = 2 * np.pi * base
    short = 100 * (1 - measured / end)
    return measured < end, (
        f"The last exponent is 1 − 2/{int(width)}, so the ladder stops {short:.1f} % short of 2π · base = {end:,.1f}."
    )


def _ratio(width: float = 512) -> float:
    lengths = geometry.wavelengths(int(width))
    return float(lengths[1] / lengths[0])


def _ratio_holds(measured: float, width: float = 512) -> tuple[bool, str]:
    steps = np.diff(np.log(geometry.wavelengths(int(width))))
    return bool(np.allclose(steps, steps[0])), (
        f"All {len(steps)} steps multiply by the same number: the ladder is even in the logarithm, at any width."
    )


def _turning(width: float = 512, length: float = 1024, base: float = 10000.0) -> int:
    return geometry.pairs_that_turn(int(width), int(length), base)


def _turning_holds(
    measured: int, width: float = 512, length: float = 1024, base: float = 10000.0
) -> tuple[bool, str]:
    pairs = int(width) // 2
    if measured < pairs:
        return (
            True,
            f"{pairs - measured} of {pairs} pairs do not come round within {int(length)} positions.",
        )
    return (
        False,
        f"All {pairs} pairs come round within {int(length)} positions: none is slow enough to tell far parts of the text apart by itself.",
    )


def _apart(distance: float = 10000, width: float = 512) -> float:
    rows = encodings.sinusoidal_at(np.array([1, 1 + int(distance)]), int(width))
    return float(np.linalg.norm(rows[0] - rows[1]))


def _apart_holds(measured: float, distance: float = 10000, width: float = 512) -> tuple[bool, str]:
    return measured > 0.01, (
        f"The two rows are {measured:.2f} apart; rows of this width have norm {np.sqrt(width / 2):.2f}. "
        "The pairs would have to come round together, and their wavelengths have no common multiple."
    )


def _left_in_half(start: float = 2040, length: float = 20) -> int:
    return geometry.distinct_positions(int(start), int(length), "float16")


def _half_holds(measured: int, start: float = 2040, length: float = 20) -> tuple[bool, str]:
    if measured < length:
        return (
            True,
            f"{int(length) - measured} of the {int(length)} positions have fallen onto a neighbour.",
        )
    return (
        False,
        "All these positions are told apart: below 2048 half precision holds every whole number.",
    )


def _moved_in_unit_time(base: float = 10000.0) -> int:
    """Pairs of width 256 whose phase moves by more than 0.1 rad while time goes from 0 to 1."""
    return int((encodings.frequencies(256, base) > 0.1).sum())


def _unit_time_holds(measured: int, base: float = 10000.0) -> tuple[bool, str]:
    return measured < 128, (
        f"{128 - measured} of 128 pairs hardly move while the variable runs from 0 to 1. A smaller base keeps more of "
        "them moving; so does multiplying the variable."
    )


CLAIMS = (
    Claim("pairs-512", "Width 512 has 256 pairs", 256, 0, _pairs, section="ladder"),
    Claim(
        "shortest-wavelength",
        "The first pair's wavelength, in positions",
        6.2832,
        5e-5,
        _shortest,
        (Setting("base", 10.0, 1_000_000.0, 10.0, 10000.0, "base"),),
        _shortest_holds,
        "ladder",
    ),
    Claim(
        "ladder-ratio-512",
        "From one wavelength to the next it is always the same factor",
        1.03663,
        5e-6,
        _ratio,
        (Setting("width", 4, 1024, 2, 512, "width"),),
        _ratio_holds,
        "ladder",
    ),
    Claim(
        "longest-wavelength-512",
        "The last pair's wavelength stays below 2π · base",
        60611.5,
        0.05,
        _longest,
        (
            Setting("width", 4, 1024, 2, 512, "width"),
            Setting("base", 10.0, 1_000_000.0, 10.0, 10000.0, "base"),
        ),
        _longest_holds,
        "one-step-short",
    ),
    Claim(
        "largest-denominator-512",
        "The last pair's position is divided by",
        9646.6,
        0.05,
        _last_denominator,
        section="one-step-short",
    ),
    Claim(
        "never-reached-512",
        "The end that the paper names, one step past the last pair",
        62831.9,
        0.05,
        lambda: float(2 * np.pi * 10000),
        section="one-step-short",
    ),
    Claim(
        "no-repeat-at-10000",
        "Positions 1 and 10,001 have different rows: their distance at width 512",
        23.3448,
        5e-4,
        _apart,
        (
            Setting("distance", 1, 100_000, 1, 10000, "distance"),
            Setting("width", 4, 1024, 2, 512, "width"),
        ),
        _apart_holds,
        "no-period",
    ),
    Claim(
        "turning-1024",
        "Pairs of width 512 that come round at least once in 1,024 positions: not all",
        142,
        0,
        _turning,
        (
            Setting("width", 4, 1024, 2, 512, "width"),
            Setting("length", 1, 100_000, 1, 1024, "length"),
            Setting("base", 2.0, 1_000_000.0, 1.0, 10000.0, "base"),
        ),
        _turning_holds,
        "turning",
    ),
    Claim(
        "unit-time",
        "Of 128 pairs, those that move by more than 0.1 radians while time runs from 0 to 1: few",
        32,
        0,
        _moved_in_unit_time,
        (Setting("base", 2.0, 20000.0, 1.0, 10000.0, "base"),),
        _unit_time_holds,
        "unit-time",
    ),
    Claim(
        "half-precision-2040",
        "Of the 20 positions from 2040 on, half precision tells apart fewer",
        15,
        0,
        _left_in_half,
        (
            Setting("start", 0, 60000, 1, 2040, "first position"),
            Setting("length", 2, 100, 1, 20, "how many"),
        ),
        _half_holds,
        "half-precision",
    ),
)

# ------------------------------------------------------------------ questions


def _cycle_of_last() -> int:
    longest = geometry.wavelengths(512)[-1]
    return int(np.argmin(np.abs(np.array([10000.0, longest, 2 * np.pi * 10000, 512.0]) - longest)))


def _slower_with_larger_base() -> int:
    small, large = encodings.frequencies(8, 100.0), encodings.frequencies(8, 10000.0)
    return 2 if small[0] == large[0] and (small[1:] > large[1:]).all() else 0


def _still_in_half() -> int:
    stored = np.arange(4097, 4104).astype(np.float16)
    return 3 if sorted({float(v) for v in stored}) == [4096.0, 4100.0, 4104.0] else 0


QUESTIONS = (
    Question(
        "7.q1",
        "Width 512. From pair 10 to pair 11 the wavelength grows by 3.66 %. By how much does it grow from pair 200 to pair 201?",
        (
            Option(
                "By 3.66 % again.",
                True,
                "Each exponent is 2/512 larger than the one before, so each step multiplies by the same number.",
            ),
            Option(
                "By the same number of positions.",
                False,
                "The steps are equal as factors. In positions the late ones are thousands of times larger.",
            ),
            Option(
                "By less: the ladder flattens towards the end.",
                False,
                "It looks flat only where the axis is not logarithmic. Look at the ratio, not at the curve.",
            ),
        ),
        "ladder",
        lambda: (
            0
            if np.isclose(
                *(geometry.wavelengths(512)[[201, 11]] / geometry.wavelengths(512)[[200, 10]])
            )
            else 1
        ),
    ),
    Question(
        "7.q2",
        "After how many positions does the last pair of width 512 come round?",
        (
            Option(
                "After 10,000: that is the base.",
                False,
                "This drops the 2π, and the exponent of the last pair is not 1 either.",
            ),
            Option(
                "After about 60,600.",
                True,
                "2π · 10000^(510/512): the last exponent is one step short of 1.",
            ),
            Option(
                "After 62,832, as the paper says.",
                False,
                "That is the end of the progression as the text of the paper names it. The formula stops one step before.",
            ),
            Option(
                "After 512: that is the width.",
                False,
                "The width says how many speeds there are, not how long a turn takes.",
            ),
        ),
        "one-step-short",
        _cycle_of_last,
        seen=("PE126", "PE127"),
    ),
    Question(
        "7.q3",
        "A forum answer says: “After 10,000 positions the encoding repeats, so position 10,001 looks like position 1.” What is wrong?",
        (
            Option(
                "It repeats earlier, after 512 positions.",
                False,
                "Nothing repeats after the width. It counts columns.",
            ),
            Option(
                "Nothing: the base is the period.",
                False,
                "The base is no period. Measure the two rows: they are far apart.",
            ),
            Option(
                "Each pair repeats after its own wavelength, and no number of positions is a multiple of all of them.",
                True,
                "To come back, all hands must be back at once. The base is one ingredient of the slowest wavelength and the period of nothing.",
            ),
        ),
        "no-period",
        lambda: 2 if _apart() > 1 else 1,
        seen=("PE082",),
    ),
    Question(
        "7.q4",
        "The base goes from 100 to 10000, at the same width. Which pairs change their speed?",
        (
            Option(
                "All of them, by the factor 100.",
                False,
                "The factor depends on the exponent: it is 100 to the power 2i/width.",
            ),
            Option(
                "Only the last one.",
                False,
                "Every exponent above 0 feels the base; the last feels it most.",
            ),
            Option(
                "All but the first; later ones become slower by more.",
                True,
                "The exponent grows from 0 to almost 1, and so does the share of the change that a pair gets.",
            ),
            Option(
                "None: the base only renames positions.",
                False,
                "Multiplying positions would change all speeds alike. The base spreads them.",
            ),
        ),
        "base",
        _slower_with_larger_base,
        seen=("PE110",),
    ),
    Question(
        "7.q5",
        "Positions 4097 to 4103 are stored in half precision. What is left?",
        (
            Option(
                "Seven values, each a little rounded.",
                False,
                "Between 4096 and 8192 half precision holds every fourth number, so seven neighbours cannot stay seven.",
            ),
            Option(
                "Infinity: they are too large.",
                False,
                "Half precision reaches 65,504. They fit, coarsely.",
            ),
            Option(
                "Exactly the seven numbers: they are whole.",
                False,
                "Whole numbers are exact up to 2048 only.",
            ),
            Option(
                "4096, 4100 and 4104.",
                True,
                "The spacing there is 4. Neighbouring tokens get the same position, and no warning is given.",
            ),
        ),
        "half-precision",
        _still_in_half,
        seen=("PE094",),
    ),
)

# ------------------------------------------------------------------ 7.1


def _count(wavelength: Callable[[Array, int, float], Array]) -> Callable[..., int]:
    """A wrong 7.1, from a wrong rule for the wavelength of pair i."""

    def wrong(width: int, length: int, base: float = 10000.0) -> int:
        return int((wavelength(np.arange(width // 2), width, float(base)) <= length).sum())

    return wrong


def _right_wavelength(i: Array, width: int, base: float) -> Array:
    return 2 * np.pi * base ** (2 * i / width)


def _draw_turning(rng: np.random.Generator) -> list[Case]:
    """Eight calls, none with a wavelength so near the length that single precision decides."""
    cases: list[Case] = []
    while len(cases) < 8:
        width, length = int(2 * rng.integers(40, 300)), int(rng.integers(100, 9000))
        base = float(np.round(rng.uniform(500, 400000), 1)) if len(cases) % 2 else 10000.0
        if np.abs(geometry.wavelengths(width, base) / length - 1).min() > 1e-3:
            cases.append(Case((width, length), {"base": base} if base != 10000.0 else {}))
    return cases


PAIRS_THAT_TURN = Challenge(
    id="7.1",
    name="pairs_that_turn",
    title="Pairs that come round",
    section="turning",
    points=3,
    minutes=8,
    difficulty=1,
    asked="a whole number",
    reference=geometry.pairs_that_turn,
    cases=(
        Case((512, 1024)),
        Case((64, 512)),
        Case((8, 6), about="no pair comes round"),
        Case((8, 7), about="only the first does"),
        Case((16, 50_000_000), about="all do"),
        Case((128, 4096), {"base": 500000.0}, about="another base"),
        # Base 10001 moves one wavelength over the first of these lengths, 9999 over the second.
        Case((474, 6345), about="a wavelength close below the length"),
        Case((98, 6585), about="a wavelength close above the length"),
    ),
    draw=_draw_turning,
    misconceptions=(
        Misconception(
            "two-pi-dropped",
            _count(lambda i, d, b: b ** (2 * i / d)),
            "the 2π is missing: the number that the position is divided by is compared with the length",
            "At which position has the first pair gone once round? Its divisor is 1.",
            ("PE127", "PE128"),
        ),
        Misconception(
            "half-turn",
            _count(lambda i, d, b: np.pi * b ** (2 * i / d)),
            "half a turn is counted as a turn",
            "After π radians sine and cosine have both changed sign. Is the hand back where it was?",
        ),
        Misconception(
            "columns-counted",
            lambda width, length, base=10000.0: 2 * geometry.pairs_that_turn(width, length, base),
            "columns are counted instead of pairs",
            "A sine and its cosine are one hand. How many hands has width 8?",
        ),
        Misconception(
            "those-that-do-not",
            lambda width, length, base=10000.0: (
                width // 2 - geometry.pairs_that_turn(width, length, base)
            ),
            "the pairs that do not come round are counted",
            "Does a wavelength shorter than the text mean that the pair comes round, or that it does not?",
        ),
        Misconception(
            "pairs-from-1",
            _count(lambda i, d, b: _right_wavelength(i + 1, d, b)),
            "pairs are numbered from 1, so that the ladder reaches the end that the paper names",
            "The first pair has exponent 0. What is i for it?",
            ("PE126",),
        ),
        Misconception(
            "half-minus-one",
            _count(lambda i, d, b: 2 * np.pi * b ** (i / (len(i) - 1))),
            "the exponent is divided by the number of pairs less one, as tensor2tensor and some diffusion code do",
            "That ladder ends at exactly 2π · base. The one asked for stops one step short.",
            ("PE019", "PE026"),
            section="other-ladder",
        ),
        Misconception(
            "single-i",
            _count(lambda i, d, b: 2 * np.pi * b ** (i / d)),
            "i stands where the formula has 2i",
            "How far does the exponent get from the first pair to the last: nearly to 1, or to one half?",
        ),
        Misconception(
            "base-ignored",
            lambda width, length, base=10000.0: geometry.pairs_that_turn(width, length),
            "10000 is used whatever base is given",
            "The argument `base` does not reach the formula. Where should it stand?",
        ),
    ),
    hints=(
        "A pair has come round when its angle, position times frequency, has reached 2π. At which position is that?",
        "The wavelength of pair i is 2π · base^(2i/width), for i = 0 … width/2 − 1.",
        "Make all wavelengths as one array, compare it with `length`, and sum the result; turn it into an `int`.",
    ),
)

# ------------------------------------------------------------------ 7.2


def _base(rule: Callable[[float, int], float]) -> Callable[..., float]:
    return lambda width, longest: float(rule(longest, width))


BASE_FOR_LONGEST = Challenge(
    id="7.2",
    name="base_for_longest",
    title="A base for a longest wavelength",
    section="base",
    points=3,
    minutes=10,
    difficulty=2,
    asked="a number",
    reference=geometry.base_for_longest,
    cases=(
        Case((512, 62831.853)),
        Case((8, 6283.185307179586)),
        Case((4, 628.3185307179587), about="the smallest width"),
        Case((128, 2_000_000.0)),
        Case((64, 7.0), about="barely more than one turn of the first pair"),
    ),
    draw=lambda rng: [
        Case((int(2 * rng.integers(2, 200)), float(np.round(rng.uniform(20, 90000), 2))))
        for _ in range(8)
    ],
    misconceptions=(
        Misconception(
            "end-reached",
            _base(lambda L, d: L / (2 * np.pi)),
            "the last exponent is taken for 1, so that the ladder would reach 2π · base",
            "Which i does the last pair have, and what is 2i/width for it?",
            ("PE126", "PE026"),
            section="one-step-short",
        ),
        Misconception(
            "two-pi-dropped",
            _base(lambda L, d: L ** (d / (d - 2))),
            "the 2π is missing: a wavelength is taken for the number that the position is divided by",
            "A turn is 2π radians. How many positions does a pair need that moves 1/n radians at each?",
            ("PE127",),
        ),
        Misconception(
            "exponent-upside-down",
            _base(lambda L, d: (L / (2 * np.pi)) ** ((d - 2) / d)),
            "the exponent is upside down",
            "You know base^((width − 2)/width). Which power undoes that one?",
        ),
        Misconception(
            "single-i",
            _base(lambda L, d: (L / (2 * np.pi)) ** (2 * d / (d - 2))),
            "the last exponent is taken for i/width instead of 2i/width",
            "The last pair has i = width/2 − 1. What is twice that, divided by the width?",
        ),
        Misconception(
            "frequency-for-wavelength",
            _base(lambda L, d: (2 * np.pi / L) ** (d / (d - 2))),
            "frequency and wavelength are exchanged",
            "A longer wavelength needs a larger base. Does your base grow with `longest`?",
        ),
        Misconception(
            "last-column",
            _base(lambda L, d: (L / (2 * np.pi)) ** (d / (d - 1))),
            "the last column is taken for the last pair, with exponent (width − 1)/width",
            "Columns width − 2 and width − 1 belong to the same pair. Which of the two numbers is its 2i?",
            ("PE014",),
        ),
    ),
    hints=(
        "Write down the last pair's wavelength as the formula has it: which i is the last?",
        "2π · base^((width − 2)/width) = longest. Divide by 2π first.",
        "To get rid of the power (width − 2)/width, raise both sides to the power width/(width − 2).",
    ),
)

# ------------------------------------------------------------------ 7.3


def _float16_arange(start: int, length: int, dtype: str) -> int:
    return len(np.unique(np.arange(start, start + length, dtype=dtype)))


DISTINCT_POSITIONS = Challenge(
    id="7.3",
    name="distinct_positions",
    title="What half precision leaves",
    section="half-precision",
    points=4,
    minutes=10,
    difficulty=2,
    asked="a whole number",
    reference=geometry.distinct_positions,
    cases=(
        Case((2040, 20, "float16")),
        Case((0, 100, "float16"), about="small positions"),
        Case((2048, 9, "float16"), about="past the last exact whole number"),
        Case((2049, 40, "float16"), about="a start that is itself rounded"),
        Case((4097, 7, "float16")),
        Case((16_777_210, 20, "float32"), about="single precision"),
        Case((60_000, 1, "float16"), about="one position"),
    ),
    draw=lambda rng: [
        *(
            Case((int(rng.integers(2100, 60000)), int(rng.integers(20, 400)), "float16"))
            for _ in range(5)
        ),
        Case((int(rng.integers(1000, 2040)), int(rng.integers(1200, 1400)), "float16")),
        Case((int(rng.integers(17_000_000, 30_000_000)), int(rng.integers(20, 60)), "float32")),
    ],
    misconceptions=(
        Misconception(
            "not-stored",
            lambda start, length, dtype: length,
            "the positions are counted before they are stored in the smaller type",
            "Rounding happens when a number is put into the type. Where in your code does that happen?",
            ("PE091",),
        ),
        Misconception(
            "arange-in-type",
            _float16_arange,
            "`arange` is asked to count in the small type, where its first step may already be rounded to 0 or to 2",
            "Count in whole numbers, which are exact, and convert the finished array.",
            ("PE090", "PE091"),
        ),
        Misconception(
            "counts-the-lost",
            lambda start, length, dtype: length - geometry.distinct_positions(start, length, dtype),
            "the positions that were lost are counted",
            "What is asked for is how many different values are left.",
        ),
        Misconception(
            "counts-the-exact",
            lambda start, length, dtype: int(
                (
                    np.arange(start, start + length).astype(dtype).astype(float)
                    == np.arange(start, start + length)
                ).sum()
            ),
            "the positions that are stored exactly are counted",
            "A rounded position that no other one falls onto is still told apart. What makes two positions one?",
        ),
        Misconception(
            "one-too-many",
            lambda start, length, dtype: (
                geometry.distinct_positions(start, length + 1, dtype)
                if start + length < 65504 or dtype != "float16"
                else geometry.distinct_positions(start, length, dtype)
            ),
            "one position too many is taken",
            "`length` positions from `start` on end at start + length − 1.",
        ),
        Misconception(
            "always-half",
            lambda start, length, dtype: (
                geometry.distinct_positions(start, length, "float16")
                if start + length < 65504
                else 1
            ),
            "half precision is used whatever type is asked for",
            "The argument `dtype` does not reach the conversion.",
        ),
    ),
    hints=(
        "Make the positions as whole numbers first: `np.arange(start, start + length)`.",
        "`.astype(dtype)` stores them in the type and rounds each to the nearest value that the type has.",
        "`np.unique` keeps one of each; how many are there?",
    ),
)

CHALLENGES = (PAIRS_THAT_TURN, BASE_FOR_LONGEST, DISTINCT_POSITIONS)
