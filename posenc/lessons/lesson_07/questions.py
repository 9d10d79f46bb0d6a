"""What lesson 7 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.lesson_07.common import apart
from posenc.lessons.model import Option, Question

Array = np.ndarray


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
        "Width 512. From pair 10 to pair 11 the wavelength grows by 3.66 %. By how much does "
        "it grow from pair 200 to pair 201?",
        (
            Option(
                "By 3.66 % again.",
                True,
                "Each exponent is 2/512 larger than the one before, so each "
                "step multiplies by the same number.",
            ),
            Option(
                "By the same number of positions.",
                False,
                "The steps are equal as factors. In positions the late ones are "
                "thousands of times larger.",
            ),
            Option(
                "By less: the ladder flattens towards the end.",
                False,
                "It looks flat only where the axis is not logarithmic. Look at "
                "the ratio, not at the curve.",
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
                "That is the end of the progression as the text of the paper names it. The "
                "formula stops one step before.",
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
        "A forum answer says: “After 10,000 positions the encoding repeats, so position "
        "10,001 looks like position 1.” What is wrong?",
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
                "Each pair repeats after its own wavelength, and no number of "
                "positions is a multiple of all of them.",
                True,
                "To come back, all hands must be back at once. The base is one ingredient of "
                "the slowest wavelength and the period of nothing.",
            ),
        ),
        "no-period",
        lambda: 2 if apart() > 1 else 1,
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
                "The exponent grows from 0 to almost 1, and so does the share "
                "of the change that a pair gets.",
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
                "Between 4096 and 8192 half precision holds every fourth number, so seven "
                "neighbours cannot stay seven.",
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
                "The spacing there is 4. Neighbouring tokens get the same "
                "position, and no warning is given.",
            ),
        ),
        "half-precision",
        _still_in_half,
        seen=("PE094",),
    ),
)
