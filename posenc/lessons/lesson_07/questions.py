"""What lesson 7 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Option, Question


def _late_step() -> int:
    """Which option the step from pair 200 to 201 is: equal factor, equal positions, or smaller."""
    lengths = geometry.wavelengths(512)
    early, late = lengths[11] / lengths[10], lengths[201] / lengths[200]
    if np.isclose(early, late):
        return 0
    return 1 if np.isclose(lengths[11] - lengths[10], lengths[201] - lengths[200]) else 2


def _cycle_of_last() -> int:
    longest = geometry.wavelengths(512)[-1]
    return int(np.argmin(np.abs(np.array([10000.0, 60600.0, 2 * np.pi * 10000, 512.0]) - longest)))


def _returning() -> int:
    """Whether any of 100,000 distances makes pair 0, or the whole row, come back exactly."""
    chords = 2 * np.abs(np.sin(np.arange(1, 100_001) / 2))
    if chords[511] == 0:
        return 0
    return 1 if chords[9999] == 0 else 3 if chords.min() > 0 else 2


def _slower_with_larger_base() -> int:
    small, large = encodings.frequencies(8, 100.0), encodings.frequencies(8, 10000.0)
    slower = small / large
    if np.allclose(slower, 100):
        return 0
    return 2 if slower[0] == 1 and (np.diff(slower) > 0).all() else 1


def _still_in_half() -> int:
    stored = sorted({float(v) for v in np.arange(4097, 4104).astype(np.float16)})
    return 0 if stored == [4096.0, 4100.0, 4104.0] else 1 if len(stored) == 7 else 2


QUESTIONS = (
    Question(
        "7.q1",
        "Width 512. From pair 10 to pair 11 the wavelength grows by 3.66 %. By how much does it "
        "grow from pair 200 to pair 201?",
        (
            Option(
                "By 3.66 % again, like every step before it.",
                True,
                "Each exponent is 2/512 larger than the one before, so each step multiplies by "
                "the same number.",
            ),
            Option(
                "By the same number of positions.",
                False,
                "The steps are equal as factors. In positions the late ones are hundreds of times "
                "larger.",
            ),
            Option(
                "By less, because the curve flattens.",
                False,
                "A logarithmic axis makes it look flatter. The ratio of neighbours stays the same.",
            ),
            Option(
                "By more, because late pairs are slow.",
                False,
                "They are slow because the same factor has been applied many times before.",
            ),
        ),
        "ladder",
        _late_step,
    ),
    Question(
        "7.q2",
        "After how many positions has the last pair of width 512 completed a turn?",
        (
            Option(
                "10,000, the base.",
                False,
                "This drops the 2π, and the exponent of the last pair is not 1 either.",
            ),
            Option(
                "About 60,600.",
                True,
                "2π · 10000^(510/512): the last exponent is one step short of 1.",
            ),
            Option(
                "62,832.",
                False,
                "That is the end of the progression as the text of the paper names it. The formula "
                "stops one step before.",
            ),
            Option(
                "512, the width.",
                False,
                "The width says how many frequencies there are, not how long a turn takes.",
            ),
        ),
        "one-step-short",
        _cycle_of_last,
        seen=("PE126", "PE127"),
    ),
    Question(
        "7.q3",
        "A forum answer says: “After 10,000 positions the encoding repeats, so position 10,001 "
        "looks like position 1.” What is true?",
        (
            Option(
                "It repeats earlier, after 512 positions, because that is the width.",
                False,
                "The width counts columns. No pair has the wavelength 512 because of it.",
            ),
            Option(
                "It repeats after 10,000 positions, because the base is the period.",
                False,
                "The base is not the period of any pair. Measured, the two rows are far apart.",
            ),
            Option(
                "It repeats after 60,612 positions, when the slowest pair is back.",
                False,
                "At that moment the other pairs are somewhere else on their circles.",
            ),
            Option(
                "It never repeats, because no multiple of 2π is a whole number of positions.",
                True,
                "Pair 0 is back only after a multiple of 2π positions, and none of these is a "
                "whole number.",
            ),
        ),
        "no-period",
        _returning,
        seen=("PE082",),
    ),
    Question(
        "7.q4",
        "The base goes from 100 to 10000, at the same width. Which pairs change their frequency?",
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
                "All but the first, and late pairs more.",
                True,
                "The exponent grows from 0 to almost 1, and with it the effect of the base.",
            ),
            Option(
                "None, since the base only renames positions.",
                False,
                "Multiplying positions would change all frequencies alike. The base does not.",
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
                "4096, 4100 and 4104, so three values.",
                True,
                "The spacing there is 4. Neighbouring tokens get the same position, and no warning "
                "is given.",
            ),
            Option(
                "Seven values, each a little rounded.",
                False,
                "Between 4096 and 8192 half precision holds every fourth number, so seven "
                "neighbours cannot stay seven.",
            ),
            Option(
                "The seven numbers exactly, since they are whole.",
                False,
                "Whole numbers are exact up to 2048 only.",
            ),
            Option(
                "Infinity, since they are too large.",
                False,
                "Half precision reaches 65,504. They fit, coarsely.",
            ),
        ),
        "half-precision",
        _still_in_half,
        seen=("PE094",),
    ),
)
