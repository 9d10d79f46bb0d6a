"""Lesson 5, one hand is not enough: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import encodings, geometry
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray

# ------------------------------------------------------------------ claims


def _hand(position: float, frequency: float) -> Array:
    return np.array([np.sin(position * frequency), np.cos(position * frequency)])


def _fast_pair(position: float = 6) -> Array:
    return _hand(position, 1.0)


def _fast_holds(measured: Array, position: float = 6) -> tuple[bool, str]:
    away = float(np.linalg.norm(measured - np.array([0.0, 1.0])))
    turns = position / (2 * np.pi)
    return (
        away < 0.5,
        f"After {turns:.2f} turns the hand is {away:.2f} away from the top, where it started.",
    )


def _slow_pair(position: float = 6) -> Array:
    return _hand(position, 0.01)


def _second_of_base(base: float = 2.0) -> Array:
    return _hand(1.0, base**-0.5)


def _turn(base: float = 10000.0) -> float:
    return float(2 * np.pi * base**0.5)


def _turn_holds(measured: float, base: float = 10000.0) -> tuple[bool, str]:
    return bool(np.isclose(measured, 2 * np.pi * 100)), (
        f"The second pair of width 4 divides by the square root of the base, here {base**0.5:g}, and a turn takes 2π times that."
    )


def _nearest(length: float = 1000, hands: float = 1) -> int:
    speeds = encodings.frequencies(2 * int(hands))
    return geometry.nearest_lookalike(speeds, int(length))


def _nearest_holds(measured: int, length: float = 1000, hands: float = 1) -> tuple[bool, str]:
    speeds = encodings.frequencies(2 * int(hands))
    gap = float(np.linalg.norm(2 * np.sin(measured * speeds / 2)))
    return gap < 0.5, (
        f"Position {measured} is {gap:.4f} away from position 0. More hands push the look-alike away; a longer text "
        "brings a nearer one."
    )


CLAIMS = (
    Claim(
        "fast-pair-at-six",
        "The fast pair at position 6 is almost back at (0, 1)",
        [-0.2794, 0.9602],
        5e-5,
        _fast_pair,
        (Setting("position", 0, 50, 1, 6, "position"),),
        _fast_holds,
        "two-speeds",
    ),
    Claim(
        "slow-pair-at-six",
        "The slow pair of width 4 at position 6 has barely left (0, 1)",
        [0.06, 0.9982],
        5e-5,
        _slow_pair,
        section="two-speeds",
    ),
    Claim(
        "second-pair-turn-4",
        "The second pair of width 4 completes a turn in this many positions",
        628.3185,
        5e-5,
        _turn,
        (Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base"),),
        _turn_holds,
        "two-speeds",
    ),
    Claim(
        "base-two",
        "Base 2, width 4: the second pair at position 1, angle 0.7071",
        [0.6496, 0.7602],
        5e-5,
        _second_of_base,
        section="playground",
    ),
    Claim(
        "lookalike-1000",
        "One hand of frequency 1: a position up to 999 looks almost like position 0",
        710,
        0,
        _nearest,
        (
            Setting("length", 10, 100_000, 1, 1000, "length"),
            Setting("hands", 1, 8, 1, 1, "number of hands"),
        ),
        _nearest_holds,
        "lookalikes",
    ),
)

# ------------------------------------------------------------------ questions

QUESTIONS = (
    Question(
        "5.q1",
        "A binary counter, least significant bit first. How often does column 2 change in positions 0 to 15?",
        (
            Option("At every position.", False, "That is column 0, the fastest."),
            Option(
                "At every fourth position: three times.",
                True,
                "Column b changes every 2^b positions: at 4, 8 and 12.",
            ),
            Option("Once, at 8.", False, "That is column 3, which changes every eight positions."),
        ),
        "counter",
        lambda: {15: 0, 3: 1, 1: 2}[
            int(np.abs(np.diff(encodings.binary_counter(16, 4)[:, 2])).sum())
        ],
    ),
    Question(
        "5.q2",
        "One column holds sin(p). It reads 0.1411 at position 3. What do you know about p?",
        (
            Option(
                "It is 3.",
                False,
                "Several positions come near this value, on the way up or on the way down.",
            ),
            Option(
                "It is near one of several angles; another column is needed.",
                True,
                "A sine takes each value twice a turn, and turns repeat.",
            ),
            Option(
                "Nothing: a sine holds no position.",
                False,
                "It rules most positions out. It does not leave one.",
            ),
        ),
        "one-sine",
        lambda: 1 if (np.abs(np.sin(np.arange(100)) - np.sin(3)) < 0.1).sum() > 1 else 0,
    ),
    Question(
        "5.q3",
        "Why a sine and a cosine, and not two sines of the same speed?",
        (
            Option(
                "Two equal sines would say the same twice; sine and cosine together are the whole angle.",
                True,
                "The pair is a point on the circle: one number says how high, the other which side.",
            ),
            Option(
                "The cosine makes the values positive.",
                False,
                "A cosine runs from −1 to 1 as well.",
            ),
            Option(
                "It is a habit; the model would do as well with the sine alone.",
                False,
                "With a sine alone, two positions of each turn are mixed up, and no rotation turns one row into the next.",
            ),
        ),
        "both-hands",
    ),
    Question(
        "5.q4",
        "“Column 0 completes a cycle at every token.” How long does its cycle really take?",
        (
            Option(
                "One position, as its frequency is 1.",
                False,
                "A frequency of 1 is one radian a position, not one turn.",
            ),
            Option(
                "About 6.28 positions.",
                True,
                "A turn is 2π radians, and this hand moves one radian a position.",
            ),
            Option(
                "10,000 positions.",
                False,
                "That is the base, which the first pair does not even feel.",
            ),
        ),
        "two-speeds",
        lambda: int(np.argmin(np.abs(np.array([1.0, 6.28, 10000.0]) - geometry.wavelengths(4)[0]))),
        seen=("PE128",),
    ),
    Question(
        "5.q5",
        "Somebody asks why the angles are not kept below one turn, so that nothing repeats. What would that cost?",
        (
            Option(
                "Nothing; it would be better.",
                False,
                "Then every hand is slow, and neighbours are almost equal in all of them.",
            ),
            Option(
                "The width would have to grow with the length.",
                False,
                "The width could stay. What shrinks is the step between neighbours.",
            ),
            Option(
                "Neighbouring positions would be hard to tell apart in a long text.",
                True,
                "One turn shared by all positions leaves each a sliver. Fast hands repeat, and that is the price of a step that can be seen.",
            ),
        ),
        "lookalikes",
        lambda: 2 if np.sin(2 * np.pi / 10000) < 0.001 else 0,
    ),
)

# ------------------------------------------------------------------ 5.1


def _bits(make: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    """A wrong 5.1 from positions as a column and bit numbers as a row."""
    return lambda length, bits: make(np.arange(length)[:, None], np.arange(bits)).astype(float)


BINARY_COUNTER = Challenge(
    id="5.1",
    name="binary_counter",
    title="The discrete ancestor",
    section="counter",
    points=3,
    minutes=8,
    difficulty=1,
    asked="an array (length, bits) of zeros and ones, one row a position,",
    reference=encodings.binary_counter,
    cases=(
        Case((8, 3)),
        Case((5, 4)),
        Case((20, 3), about="more positions than the bits can count"),
        Case((64, 16), about="a larger table"),
        Case((3, 1), about="one bit"),
    ),
    draw=lambda rng: [
        Case((int(rng.integers(17, 70)), int(rng.integers(2, 12)))) for _ in range(6)
    ],
    misconceptions=(
        Misconception(
            "most-significant-first",
            _bits(lambda p, b: p >> b[::-1] & 1),
            "the most significant bit comes first",
            "Column 0 should be the fastest. Which column changes at every position in yours?",
        ),
        Misconception(
            "positions-from-1",
            _bits(lambda p, b: p + 1 >> b & 1),
            "positions are counted from 1",
            "Row 0 is position 0, whose bits are all 0.",
        ),
        Misconception(
            "one-bit-late",
            _bits(lambda p, b: p >> b + 1 & 1),
            "every column is twice as slow as it should be",
            "Column 0 changes at every position. By what is a position divided there?",
        ),
        Misconception(
            "not-reduced",
            _bits(lambda p, b: p >> b),
            "the whole part of the division is kept, not its last binary digit",
            "A bit is 0 or 1. What is left to do after dividing by 2^b?",
        ),
        Misconception(
            "remainder-only",
            _bits(lambda p, b: p % 2 ** (b + 1) > 0),
            "a bit is 1 wherever the remainder is not 0",
            "Position 2 is 10 in binary: its last bit is 0. What does your column 1 say at position 1?",
        ),
        Misconception(
            "gray-code",
            _bits(lambda p, b: (p ^ p >> 1) >> b & 1),
            "this is the Gray code, in which one bit changes from row to row",
            "A good counter, and another one. In binary, how many bits change from position 3 to 4?",
        ),
        Misconception(
            "transposed",
            lambda length, bits: encodings.binary_counter(length, bits).T,
            "the table is transposed: a column a position",
            "Which axis do the positions run along?",
        ),
    ),
    hints=(
        "Bit b of position p says whether 2^b is in p. For p = 5 the bits are 1, 0, 1, from b = 0 on.",
        "Divide by 2^b, drop the fraction, and look whether the result is odd.",
        "`np.arange(length)[:, None] // 2 ** np.arange(bits) % 2` does it for all positions and bits at once.",
    ),
)

# ------------------------------------------------------------------ 5.2


def _nearest_by(measure: Callable[[Array, Array], Array], first: int = 1) -> Callable[..., int]:
    """A wrong 5.2: the position from `first` on at which `measure` of positions and speeds is smallest."""

    def wrong(frequencies: list[float], length: int) -> int:
        p = np.arange(first, length)
        return int(p[measure(p[:, None], np.array(frequencies, dtype=float)).argmin()])

    return wrong


def _wrapped(angles: Array) -> Array:
    return np.abs((angles + np.pi) % (2 * np.pi) - np.pi)


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
    misconceptions=(
        Misconception(
            "sum-of-angles",
            _nearest_by(lambda p, w: _wrapped(p * w).sum(axis=1)),
            "the angles between the hands are summed instead of the distance being taken",
            "Every hand is a point with two coordinates. The Euclidean distance squares differences before it adds them.",
        ),
        Misconception(
            "sines-only",
            _nearest_by(lambda p, w: np.linalg.norm(np.sin(p * w), axis=1)),
            "only the sines are compared",
            "A sine is near 0 at half a turn as well. What does the cosine say there?",
            section="both-hands",
        ),
        Misconception(
            "cosines-only",
            _nearest_by(lambda p, w: np.linalg.norm(np.cos(p * w) - 1, axis=1)),
            "only the cosines are compared",
            "Near the top a cosine hardly changes. Which coordinate does?",
            section="both-hands",
        ),
        Misconception(
            "zero-included",
            _nearest_by(_chords, first=0),
            "position 0 itself takes part and wins",
            "Nothing is nearer to position 0 than position 0. Where should the search begin?",
        ),
        Misconception(
            "not-wrapped",
            _nearest_by(lambda p, w: np.abs(p * w).sum(axis=1)),
            "the angles are compared without going round: then 1 is always nearest",
            "An angle of 6.28 is almost back at 0. Compare the points, not the angles.",
        ),
        Misconception(
            "farthest",
            _nearest_by(lambda p, w: -_chords(p, w)),
            "the position that is furthest away is returned",
            "Is the largest or the smallest distance asked for?",
        ),
        Misconception(
            "index-for-position",
            lambda frequencies, length: geometry.nearest_lookalike(frequencies, length) - 1,
            "the place in the list of candidates is returned instead of the position",
            "If the candidates begin at 1, which position stands at place 0?",
        ),
        Misconception(
            "length-included",
            lambda frequencies, length: geometry.nearest_lookalike(frequencies, length + 1),
            "position `length` takes part",
            "A text of 10 positions ends at position 9.",
        ),
    ),
    hints=(
        "Make the hands of every position: one row with all sines and all cosines.",
        "Row 0 is all zeros and ones. The distance of another row to it is the root of the summed squares of the differences.",
        "Leave out position 0, take `argmin` of the distances, and remember at which position the candidates begin.",
    ),
)

# ------------------------------------------------------------------ 5.3


def _on_the_circle(call: Call, want: Array, got: Array) -> Fault | None:
    """Angles are right where they point the right way, whatever whole turns they hold."""
    apart = np.abs((got.astype(float) - want + np.pi) % (2 * np.pi) - np.pi)
    wrong = apart > 2e-5 + 1e-5 * np.abs(want)
    if not wrong.any():
        return None
    row = int(np.flatnonzero(wrong)[0])
    sine, cosine = (float(part) for part in call.args[0][row])
    return Fault(
        "value",
        f"{int(wrong.sum())} of {wrong.size} angles point another way; the first is that of the hand "
        f"({sine:g}, {cosine:g}) in row {row}, for which yours is {float(got[row]):.6g}.",
    )


def _hands(rng: np.random.Generator, n: int) -> Array:
    angles = rng.uniform(-np.pi, np.pi, n)
    lengths = rng.uniform(0.3, 3.0, n)
    return (lengths[:, None] * np.stack([np.sin(angles), np.cos(angles)], axis=1)).round(3)


def _ratio(hands: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.arctan(hands[:, 0] / hands[:, 1])


PHASE = Challenge(
    id="5.3",
    name="phase",
    title="From the hand to the angle",
    section="both-hands",
    points=3,
    minutes=8,
    difficulty=2,
    asked="a one-dimensional array with one angle a row, in radians,",
    reference=geometry.phase,
    cases=(
        Case(
            (np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]),),
            about="the four quarters",
        ),
        Case(
            (np.array([[0.8415, 0.5403], [0.9093, -0.4161], [-0.2794, 0.9602]]),),
            about="positions 1, 2 and 6",
        ),
        Case(
            (np.array([[3.0, 4.0], [-0.3, -0.4], [0.02, -0.01]]),), about="hands of other lengths"
        ),
        Case((np.array([[2.0, 0.0], [-5.0, 0.0]]),), about="cosine 0"),
    ),
    draw=lambda rng: [Case((_hands(rng, int(n)),)) for n in (3, 5, 8, 20, 64)],
    misconceptions=(
        Misconception(
            "degrees",
            lambda hands: np.degrees(geometry.phase(hands)),
            "the angles are in degrees",
            "A frequency of 1 is one radian a position; the angle should be in the same unit.",
        ),
        Misconception(
            "cosine-first",
            lambda hands: np.arctan2(hands[:, 1], hands[:, 0]),
            "the first number of each row is taken for the cosine",
            "The rows are (sine, cosine). Which angle has the hand (0, 1)?",
        ),
        Misconception(
            "arcsine-alone",
            lambda hands: np.arcsin(hands[:, 0] / np.linalg.norm(hands, axis=1)),
            "the sine alone is turned back into an angle",
            "Two angles share each sine. Which coordinate tells them apart?",
        ),
        Misconception(
            "arccosine-alone",
            lambda hands: np.arccos(hands[:, 1] / np.linalg.norm(hands, axis=1)),
            "the cosine alone is turned back into an angle",
            "A hand on the left and one on the right share a cosine. Which coordinate tells them apart?",
        ),
        Misconception(
            "ratio-alone",
            _ratio,
            "only the ratio of sine and cosine is used, which is the same for opposite hands",
            "(1, 1) and (−1, −1) have the same ratio. How can the signs be kept?",
        ),
        Misconception(
            "length-not-removed",
            lambda hands: np.where(
                hands[:, 1] >= 0,
                np.arcsin(np.clip(hands[:, 0], -1, 1)),
                np.pi - np.arcsin(np.clip(hands[:, 0], -1, 1)),
            ),
            "the hand is taken to have length 1",
            "(3, 4) and (0.6, 0.8) point the same way. What has to be divided out, or need not be looked at?",
        ),
        Misconception(
            "other-sense",
            lambda hands: -geometry.phase(hands),
            "the angle is counted the other way round",
            "From position 0 to 1 the sine grows. Should the angle grow or fall?",
        ),
    ),
    hints=(
        "An arcsine knows the height of the hand and not its side; an arccosine the other way about.",
        "NumPy has a function of two arguments that looks at both signs: `np.arctan2`.",
        "`np.arctan2(y, x)` takes first what plays the sine's part, then the cosine's. The length of the hand does not matter to it.",
    ),
    compare=_on_the_circle,
)

CHALLENGES = (BINARY_COUNTER, NEAREST_LOOKALIKE, PHASE)
