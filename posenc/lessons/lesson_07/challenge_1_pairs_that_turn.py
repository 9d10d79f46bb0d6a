"""Challenge 7.1, Pairs that complete a turn."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge
from posenc.lessons import familiar

Array = np.ndarray


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
    title="Pairs that complete a turn",
    section="turning",
    points=3,
    minutes=8,
    difficulty=1,
    asked="a whole number",
    reference=geometry.pairs_that_turn,
    cases=(
        Case((512, 1024)),
        Case((64, 512)),
        Case((8, 6), about="no pair completes a turn"),
        Case((8, 7), about="only the first does"),
        Case((16, 50_000_000), about="all do"),
        Case((128, 4096), {"base": 500000.0}, about="another base"),
        Case((1024, 50_000_000), about="512 pairs"),
        # Base 10001 moves one wavelength over the first of these lengths, 9999 over the second.
        Case((474, 6345), about="a wavelength close below the length"),
        Case((98, 6585), about="a wavelength close above the length"),
    ),
    draw=_draw_turning,
    hints=(
        "A pair has completed a turn when its angle, position times frequency, has "
        "reached 2π. At which position is that?",
        "The wavelength of pair i is 2π · base^(2i/width), for i = 0 … width/2 − 1.",
        "Make all wavelengths as one array, compare it with `length`, and sum "
        "the result; turn it into an `int`.",
    ),
)


def _wavelength(i: Array, width: int, base: float) -> Array:
    return 2 * np.pi * base ** (2 * i / width)


@PAIRS_THAT_TURN.choices
def counted(width, length, base=10000.0, *, wavelength=_wavelength):
    """The pairs that turn, from a rule for the wavelength of pair i."""
    return int((wavelength(np.arange(width // 2), width, float(base)) <= length).sum())


counted.mistake(
    "two-pi-dropped",
    "the 2π is missing: the number that the position is divided by is compared with the length",
    "At which position has the first pair completed a turn? Its divisor is 1.",
    seen=("PE127", "PE128"),
    wavelength=lambda i, d, b: b ** (2 * i / d),
)
counted.mistake(
    "half-turn",
    "half a turn is counted as a turn",
    "After π radians sine and cosine have both changed sign. Is the pair back at its start?",
    wavelength=lambda i, d, b: np.pi * b ** (2 * i / d),
)
counted.mistake(
    "degrees",
    "a turn is taken for 360, while the frequencies are in radians per position",
    "How many radians has a full turn?",
    wavelength=lambda i, d, b: 360 * b ** (2 * i / d),
)


@PAIRS_THAT_TURN.mistake(
    "columns are counted instead of pairs",
    "A sine and its cosine are one pair. How many pairs has width 8?",
)
def columns_counted(width, length, base=10000.0):
    return 2 * geometry.pairs_that_turn(width, length, base)


@PAIRS_THAT_TURN.mistake(
    "the pairs that do not complete a turn are counted",
    "Does a wavelength shorter than the text mean that the pair completes a turn, or that it does "
    "not?",
)
def those_that_do_not(width, length, base=10000.0):
    return width // 2 - geometry.pairs_that_turn(width, length, base)


@PAIRS_THAT_TURN.mistake(
    "the wavelengths are compared with length − 1",
    "Take width 8 and length 7. What is the wavelength of pair 0, and is it at most 7?",
)
def one_position_short(width, length, base=10000.0):
    return geometry.pairs_that_turn(width, length - 1, base)


counted.mistake(
    "pairs-from-1",
    "pairs are numbered from 1, so that the ladder reaches the end that the paper names",
    "The first pair has exponent 0. What is i for it?",
    seen=("PE126",),
    wavelength=lambda i, d, b: _wavelength(i + 1, d, b),
)
counted.mistake(
    "half-minus-one",
    "the exponent is divided by the number of pairs less one, as tensor2tensor "
    "and some diffusion code do",
    "That ladder ends at exactly 2π · base. The one asked for stops one step short.",
    seen=("PE019", "PE026"),
    section="other-ladder",
    wavelength=lambda i, d, b: 2 * np.pi * b ** (i / (len(i) - 1)),
)
counted.mistake(
    "single-i",
    familiar.SINGLE_I,
    "How far does the exponent get from the first pair to the last: nearly to 1, or to one half?",
    wavelength=lambda i, d, b: 2 * np.pi * b ** (i / d),
)


familiar.base_ignored(PAIRS_THAT_TURN)


@PAIRS_THAT_TURN.has
def no_more_than_there_are(count, width, length, base=10000.0):
    if 0 <= count <= width // 2:
        return ""
    return f"width {width} has {width // 2} pairs; yours is {count}."
