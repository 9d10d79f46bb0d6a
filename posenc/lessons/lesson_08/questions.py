"""What lesson 8 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Option, Question

Array = np.ndarray


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
        "At width 8, row 0 is 0, 1, 0, 1, 0, 1, 0, 1. A reader reports a bug: half the row is "
        "zero, so position 0 carries less than other positions. How long is this row?",
        (
            Option(
                "0: it is the zero position.",
                False,
                "Its sines are 0, its cosines are 1. A hand that points up is "
                "as long as any other.",
            ),
            Option(
                "√8, as every row of width 8.",
                False,
                "This counts columns. Each pair adds sin² + cos² = 1, and there are four pairs.",
            ),
            Option(
                "2, as every row of width 8.",
                True,
                "Four pairs, each with sin² + cos² = 1, so the length is √4. Row 0 is no "
                "exception: its hands all point up.",
            ),
            Option(
                "4, twice as long as the other rows.",
                False,
                "The sum of squares is 4, and the length is its root. Every "
                "other row has the same sum.",
            ),
        ),
        "one-length",
        _length_of_row_zero,
        seen=("PE062",),
    ),
    Question(
        "8.q2",
        "Rows 3 and 10 of a table of even width have a certain dot product. "
        "What is that of rows 103 and 110?",
        (
            Option(
                "Smaller: both are farther from the start.",
                False,
                "The distance from the start does not occur in it. Both pairs of rows are 7 apart.",
            ),
            Option(
                "The same.",
                True,
                "Both pairs are 7 apart, and the dot product is the sum of "
                "cos(7·ω) over the pairs of columns.",
            ),
            Option(
                "It cannot be known without the table.",
                False,
                "Its value cannot, without width and base. That the two are "
                "equal follows from the distance alone.",
            ),
            Option(
                "The same, if both positions lie within one wavelength.",
                False,
                "No wavelength occurs in the argument: sin a sin b + cos a cos "
                "b = cos(a − b) for all angles.",
            ),
        ),
        "diagonals",
        _moved_pair,
    ),
    Question(
        "8.q3",
        "You stand at position 10. By the dot products of the rows alone, can you tell "
        "position 7, three before you, from position 13, three after you?",
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
                "The cosine of a difference forgets its sign. The rows themselves differ, so "
                "a model can use a matrix between them; lesson 9 builds one.",
            ),
        ),
        "difference",
        _before_and_after,
    ),
    Question(
        "8.q4",
        "Width 64, positions 0 to 511. Which of these rows is the least similar "
        "to row 0, by dot product?",
        (
            Option(
                "Row 511, the farthest.",
                False,
                "Its dot product is 6.42, which is above that of row 406. "
                "Farther is not less similar.",
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
                "Row 1 is the most similar of all others, 30.92 of 32: most "
                "hands are slow and have hardly moved.",
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
                "At width 64 nearly half of the first 511 steps go up, and at no width has "
                "this lesson found a profile without one.",
            ),
            Option(
                "Positions far apart have dot product 0.",
                False,
                "At width 64 no dot product among the first 512 distances is 0 or below; the "
                "slow hands have hardly turned.",
            ),
            Option(
                "The pattern repeats after 10,000 positions.",
                False,
                "Lesson 7: each pair has a wavelength of its own, and 10,000 is none of them.",
            ),
            Option(
                "Neighbours are similar; farther out the dot product falls as a "
                "trend, with rises in between.",
                True,
                "This is what the numbers say. How soon the first rise comes "
                "depends on the width and the base.",
            ),
        ),
        "what-remains",
    ),
)
