"""Challenge 7.2, A base for a longest wavelength."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge

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
    hints=(
        "Write down the last pair's wavelength as the formula has it: which i is the last?",
        "2π · base^((width − 2)/width) = longest. Divide by 2π first.",
        "To get rid of the power (width − 2)/width, raise both sides to the "
        "power width/(width − 2).",
    ),
)


@BASE_FOR_LONGEST.choices
def found(width, longest, *, rule=lambda longest, d: geometry.base_for_longest(d, longest)):
    """The base, from a rule for the longest wavelength and the width."""
    return float(rule(longest, width))


found.mistake(
    "end-reached",
    "the last exponent is taken for 1, so that the ladder would reach 2π · base",
    "Which i does the last pair have, and what is 2i/width for it?",
    seen=("PE126", "PE026"),
    section="one-step-short",
    rule=lambda L, d: L / (2 * np.pi),
)
found.mistake(
    "two-pi-dropped",
    "the 2π is missing: a wavelength is taken for the number that the position is divided by",
    "A turn is 2π radians. How many positions does a pair need that moves 1/n radians at each?",
    seen=("PE127",),
    rule=lambda L, d: L ** (d / (d - 2)),
)
found.mistake(
    "half-turn",
    "half a turn, π, is used where a wavelength has a full turn",
    "After how many radians is the last pair back at its start?",
    rule=lambda L, d: (L / np.pi) ** (d / (d - 2)),
)
found.mistake(
    "exponent-upside-down",
    "the exponent is upside down",
    "You know base^((width − 2)/width). Which power undoes that one?",
    rule=lambda L, d: (L / (2 * np.pi)) ** ((d - 2) / d),
)
found.mistake(
    "single-i",
    "the last exponent is taken for i/width instead of 2i/width",
    "The last pair has i = width/2 − 1. What is twice that, divided by the width?",
    rule=lambda L, d: (L / (2 * np.pi)) ** (2 * d / (d - 2)),
)
found.mistake(
    "frequency-for-wavelength",
    "frequency and wavelength are exchanged",
    "A longer wavelength needs a larger base. Does your base grow with `longest`?",
    rule=lambda L, d: (2 * np.pi / L) ** (d / (d - 2)),
)
found.mistake(
    "last-column",
    "the last column is taken for the last pair, with exponent (width − 1)/width",
    "Columns width − 2 and width − 1 belong to the same pair. Which of the two numbers is its 2i?",
    seen=("PE014",),
    rule=lambda L, d: (L / (2 * np.pi)) ** (d / (d - 1)),
)


@BASE_FOR_LONGEST.has
def wavelength_of_the_last_pair(base, width, longest):
    if base <= 0:
        return f"a base is above 0; yours is {base:.6g}."
    found = 2 * np.pi * base ** ((width - 2) / width)
    if abs(found - longest) < 1e-4 * longest:
        return ""
    return (
        f"with your base the last of the {width // 2} pairs has the wavelength {found:.6g}, and "
        f"{longest:.6g} is asked for."
    )
