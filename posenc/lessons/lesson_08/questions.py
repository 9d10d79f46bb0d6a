"""What lesson 8 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Option, Question


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
    rows = (406, 511, 256, 1)
    return rows.index(int(np.argmin(table @ table[0])))


def _true_sentence() -> int:
    """Which of the four sentences the profile of width 64 bears out."""
    profile = geometry.distance_profile(64, np.arange(2000))
    if (np.diff(profile) < 0).all():
        return 0
    if np.isclose(profile[1000:], 0, atol=0.01).all():
        return 1
    windows = profile[1:501].reshape(5, 100).mean(axis=1)
    return 2 if profile[1] > 0.9 * profile[0] and windows[0] > windows[4] else 3


QUESTIONS = (
    Question(
        "8.q1",
        "At width 8, row 0 is 0, 1, 0, 1, 0, 1, 0, 1. A reader reports a bug: half the row is "
        "zero, so position 0 carries less than other positions. How long is this row?",
        (
            Option(
                "0, because it is the zero position.",
                False,
                "Its sines are 0, its cosines are 1. No pair is the zero vector.",
            ),
            Option(
                "√8, as every row of width 8.",
                False,
                "This counts columns. Each pair adds sin² + cos² = 1, and there are four pairs.",
            ),
            Option(
                "2, as every other row of width 8.",
                True,
                "Four pairs, each with sin² + cos² = 1, so the length is √4, here as elsewhere.",
            ),
            Option(
                "4, twice as long as other rows.",
                False,
                "The sum of squares is 4, and the length is its root. Every other row has the same "
                "sum.",
            ),
        ),
        "one-length",
        _length_of_row_zero,
        seen=("PE062",),
    ),
    Question(
        "8.q2",
        "Rows 3 and 10 of a table of even width have a certain dot product. What is that of rows "
        "103 and 110?",
        (
            Option(
                "Smaller, because both are farther from the start.",
                False,
                "The distance from the start does not occur in it. Both pairs of rows are 7 apart.",
            ),
            Option(
                "The same, since both pairs are 7 apart.",
                True,
                "The product is the sum of cos(7·ω) over the pairs of columns, "
                "wherever the rows are.",
            ),
            Option(
                "It cannot be known without the table.",
                False,
                "Its value cannot, without width and base. That the two are equal follows from the "
                "distance alone.",
            ),
            Option(
                "The same, if both lie within one wavelength.",
                False,
                "No wavelength occurs in the argument: sin a sin b + cos a cos b = cos(a − b) for "
                "all angles.",
            ),
        ),
        "diagonals",
        _moved_pair,
    ),
    Question(
        "8.q3",
        "Take position 10. By the dot products of the rows alone, can position 7, three before "
        "it, be told from position 13, three after it?",
        (
            Option(
                "Yes, what comes before has the larger one.",
                False,
                "cos(−3ω) = cos(3ω) for every frequency, so both are equal.",
            ),
            Option(
                "Yes, what comes after has the larger one.",
                False,
                "cos(3ω) = cos(−3ω) for every frequency, so both are equal.",
            ),
            Option(
                "Yes, one of the two is negative.",
                False,
                "The sines, which change sign, do not occur in cos(a − b).",
            ),
            Option(
                "No, both dot products are equal.",
                True,
                "The cosine of a difference has no sign. The rows themselves differ, so a model "
                "can use a matrix between them; lesson 9 builds one.",
            ),
        ),
        "difference",
        _before_and_after,
    ),
    Question(
        "8.q4",
        "Width 64, positions 0 to 511. Which of these rows is the least similar to row 0, by dot "
        "product?",
        (
            Option(
                "Row 406, before the end.",
                True,
                "2.56, the lowest of all 512. After it the profile goes up and down again.",
            ),
            Option(
                "Row 511, the farthest.",
                False,
                "Its dot product is 6.42, which is above that of row 406.",
            ),
            Option(
                "Row 256, half way.",
                False,
                "Nothing is special about the middle: no wavelength is 512.",
            ),
            Option(
                "Row 1, as its fast pairs have turned most.",
                False,
                "Row 1 is the most similar of all others, 30.92 of 32: most pairs are slow and "
                "have hardly moved.",
            ),
        ),
        "no-decay",
        _least_similar,
    ),
    Question(
        "8.q5",
        "Which sentence about sinusoidal encodings at width 64 and base 10000 is true?",
        (
            Option(
                "The dot product decreases with every step away from a position.",
                False,
                "Nearly half of the first 511 steps go up, and at no width can all steps go down.",
            ),
            Option(
                "The dot product of positions more than a thousand apart is 0.",
                False,
                "Its mean there is small and positive; single values go up and down around that.",
            ),
            Option(
                "It falls as a trend over the first 500 distances, with rises in between.",
                True,
                "Neighbours are similar, and the mean falls from one hundred distances to the "
                "next; nearly half of the single steps go up.",
            ),
            Option(
                "Beyond the width, here 64 positions, the pattern of dot products repeats.",
                False,
                "The width counts columns. No pair has it as its wavelength, and nothing repeats.",
            ),
        ),
        "what-remains",
        _true_sentence,
    ),
)
