"""Challenge 12.3, A ladder for a longer text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def _draw(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(8):
        method = ("linear", "ntk")[n % 2]
        width, trained = int(2 * rng.integers(3, 40)), int(rng.integers(20, 3000))
        longer = trained * rng.uniform(1.3, 9)
        length = int(longer) if n < 6 else int(rng.integers(2, trained))
        base = float(np.round(rng.uniform(500, 900_000), 1)) if n > 1 else 10000.0
        cases.append(Case((width, method, length, trained), {"base": base} if n > 1 else {}))
    return cases


SCALED_FREQUENCIES = Challenge(
    id="12.3",
    name="scaled_frequencies",
    title="A ladder for a longer text",
    section="repairs",
    points=1,
    minutes=8,
    difficulty=2,
    asked="a one-dimensional array of width/2 frequencies",
    reference=encodings.scaled_frequencies,
    cases=(
        Case((8, "linear", 8, 4)),
        Case((8, "ntk", 8, 4)),
        Case((8, "linear", 4, 8), about="a text within the trained length"),
        Case((8, "ntk", 4, 8), about="a text within the trained length"),
        Case((6, "linear", 6, 6), about="a text of the trained length"),
        Case((6, "ntk", 6, 6), about="a text of the trained length"),
        Case((4, "ntk", 7, 5), about="the smallest width"),
        Case((4, "linear", 7, 5), about="the smallest width"),
        Case((128, "ntk", 8192, 2048, 500_000.0), about="a head of a real model"),
        Case((128, "linear", 8192, 2048, 500_000.0), about="a head of a real model"),
        Case((64, "ntk", 100, 32), about="a scale that is not whole"),
        Case((64, "linear", 100, 32), about="a scale that is not whole"),
    ),
    draw=_draw,
    hints=(
        "The scale s is length/trained_length for a longer text. Which s leaves the ladder as it "
        "is for a shorter one?",
        "The angle of the token at p is p times the frequency. For `linear` it should be (p/s) "
        "times the old frequency; which new frequency gives that?",
        "For `ntk` only the base changes, before the ladder is built: the last pair then turns "
        "exactly s times as slowly, and the first as before.",
    ),
    # Frequencies span five orders of magnitude, so nearly all of the tolerance is relative.
    absolute=1e-9,
    relative=1e-5,
)


def _ladder(width: int, base: float) -> Array:
    return base ** (-np.arange(0, width, 2) / width)


def _scale(length: int, trained_length: int) -> float:
    return max(length / trained_length, 1.0)


def _power(width: int) -> float:
    return width / (width - 2)


@SCALED_FREQUENCIES.choices
def scaled(
    width: int,
    method: str,
    length: int,
    trained_length: int,
    base: float = 10000.0,
    *,
    scale: Callable[[int, int], float] = _scale,
    power: Callable[[int], float] = _power,
    slowed: tuple[str, ...] = ("linear",),
    rebased: tuple[str, ...] = ("ntk",),
) -> Array:
    """The ladder, with the scale and its power, and what is slowed and what gets another base."""
    s = scale(length, trained_length)
    if method in rebased:
        base = base * s ** power(width)
    ladder = _ladder(width, base)
    return ladder / s if method in slowed else ladder


scaled.mistake(
    "unchanged",
    "a long text gets the ladder of a short one",
    "Which argument tells you that the text is longer than the trained ones?",
    scale=lambda n, m: 1.0,
)
scaled.mistake(
    "upside-down",
    "the scale is upside down, so that longer texts turn faster",
    "Should the last token of a longer text be turned further than before, or less far?",
    scale=lambda n, m: 1 / _scale(n, m),
)
scaled.mistake(
    "always-scaled",
    "texts within the trained length are scaled too",
    "A text that fits is what the model was trained on. What should happen to its ladder?",
    scale=lambda n, m: n / m,
)
scaled.mistake(
    "both-at-once",
    'under "ntk" the frequencies are divided by the scale as well as given another base',
    "Each method changes one thing. Which one changes the base, and which one the frequencies?",
    slowed=("linear", "ntk"),
)
scaled.mistake(
    "positions-and-base",
    'under "linear" the base is raised as well as the frequencies divided',
    "Each method changes one thing. Which one changes the base, and which one the frequencies?",
    rebased=("linear", "ntk"),
)
scaled.mistake(
    "methods-exchanged",
    "the two methods are exchanged",
    "Which of the two leaves the first pair as it was?",
    slowed=("ntk",),
    rebased=("linear",),
)
scaled.mistake(
    "power-left-out",
    'under "ntk" the base is multiplied by the scale itself; its power is left out',
    "The last pair should turn as slowly as a squeezed one. Compare the two for a small width.",
    power=lambda width: 1.0,
)
scaled.mistake(
    "power-upside-down",
    "the power of the scale is upside down: (width − 2)/width",
    "The last pair should turn as slowly as a squeezed one. Compare the two for a small width.",
    power=lambda width: (width - 2) / width,
)
scaled.mistake(
    "ends-on-ends",
    "the last position is put exactly on the last trained one, as stretching a table does",
    "The scale is a quotient of two lengths. Which two numbers did you divide?",
    scale=lambda n, m: max((n - 1) / (m - 1), 1.0),
)
scaled.mistake(
    "whole-scale",
    "the scale is cut to a whole number",
    "What is 100 divided by 32, and what does `//` make of it?",
    scale=lambda n, m: float(max(n // m, 1)),
)
scaled.mistake(
    "scaled-twice",
    "the scale is twice what it should be",
    "For a text of twice the trained length, by what is each angle of a squeezed text divided?",
    seen=("https://github.com/ml-explore/mlx-lm/issues/1545",),
    scale=lambda n, m: 2 * n / m if n > m else 1.0,
)


@SCALED_FREQUENCIES.mistake(
    "10000 is used whatever base is given",
    "The argument `base` does not reach the ladder. What is the base of a current model?",
    seen=("PE110",),
)
def base_ignored(width, method, length, trained_length, base=10000.0):
    return encodings.scaled_frequencies(width, method, length, trained_length)


@SCALED_FREQUENCIES.mistake(
    "squeezed positions are returned instead of frequencies",
    "One number a pair is asked for. How do squeezed positions change the angle of each pair?",
)
def positions_instead(width, method, length, trained_length, base=10000.0):
    return encodings.interpolated_positions(length, trained_length)


@SCALED_FREQUENCIES.mistake(
    "the formula is used with i in place of 2i, so that the ladder ends half-way down",
    "What is the exponent of the last pair: nearly 1, or one half?",
)
def single_i(width, method, length, trained_length, base=10000.0):
    s = _scale(length, trained_length)
    if method == "ntk":
        base = base * s ** _power(width)
    ladder = base ** (-np.arange(width // 2) / width)
    return ladder / s if method == "linear" else ladder


@SCALED_FREQUENCIES.has
def nothing_changes_within_the_trained_length(
    found, width, method, length, trained_length, base=10000.0
):
    usual = float(base) ** (-np.arange(0, width, 2) / width)
    if length > trained_length or np.abs(found - usual).max() < 1e-4 * usual.max():
        return ""
    return "the text is within the trained length, where the ladder stays as it is; yours changes."


@SCALED_FREQUENCIES.has
def the_last_pair_slows_down_by_the_scale(
    found, width, method, length, trained_length, base=10000.0
):
    if length <= trained_length:
        return ""
    usual = float(base) ** (-(width - 2) / width)
    times, scale = usual / found[-1], length / trained_length
    if abs(times - scale) < 1e-3 * scale:
        return ""
    return (
        f"for a text {scale:.4g} times as long the last pair turns as many times as slowly; yours "
        f"turns {times:.4g} times as slowly."
    )
