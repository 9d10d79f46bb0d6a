"""What lesson 5 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Option, Question


def _changes_of_column_two() -> int:
    column = encodings.binary_counter(16, 4)[:, 2]
    return {15: 0, 3: 1, 1: 2, 7: 3}[int(np.abs(np.diff(column)).sum())]


def _several_positions() -> int:
    alike = (np.abs(np.sin(np.arange(100)) - np.sin(3)) < 0.1).sum()
    return 0 if 1 < alike < 50 else 1


def _cycle_of_column_zero() -> int:
    return int(np.argmin(np.abs(np.array([1.0, 10000.0, 6.28]) - geometry.wavelengths(4)[0])))


QUESTIONS = (
    Question(
        "5.q1",
        "A binary counter has the least significant bit first. How often does column 2 change in "
        "positions 0 to 15?",
        (
            Option("15 times, at every position.", False, "That is column 0, the fastest."),
            Option("3 times.", True, "Column b changes every 2^b positions: at 4, 8 and 12."),
            Option("Once, at 8.", False, "That is column 3, which changes every eight positions."),
            Option("7 times, at every even position.", False, "That is column 1."),
        ),
        "counter",
        _changes_of_column_two,
    ),
    Question(
        "5.q2",
        "One column holds sin(p). At some position it reads 0.1411. What do you know about p?",
        (
            Option(
                "It is one of several positions.",
                True,
                "A sine takes each value twice a turn, and turns repeat. It rules the others out.",
            ),
            Option(
                "It is 3, as sin(3) is 0.1411.",
                False,
                "Other positions have nearly this value, on the way up or on the way down.",
            ),
            Option(
                "Nothing, since a sine holds no position.",
                False,
                "It rules most positions out. It does not leave one.",
            ),
        ),
        "one-sine",
        _several_positions,
    ),
    Question(
        "5.q3",
        "Why are there a sine and a cosine of each frequency, and not two sines of it?",
        (
            Option(
                "The cosine keeps the values positive.",
                False,
                "A cosine runs from −1 to 1 as well.",
            ),
            Option(
                "It is a habit, and the sine alone would do as well.",
                False,
                "With a sine alone, two positions of each turn are mixed up, and no rotation "
                "turns one row into the next.",
            ),
            Option(
                "The cosine is needed because it turns at another speed than the sine.",
                False,
                "Both turn at the same speed, which is why they are one point on a circle.",
            ),
            Option(
                "Together they hold the whole angle.",
                True,
                "The pair is a point on the circle: one number says how high, the other which "
                "side. Two equal sines would say the same twice.",
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
                "10,000 positions, the base.",
                False,
                "The base sets the speed of the slower pairs. The first does not depend on it.",
            ),
            Option(
                "About 6.28 positions.",
                True,
                "A turn is 2π radians, and this pair moves one radian a position.",
            ),
        ),
        "two-speeds",
        _cycle_of_column_zero,
        seen=("PE128",),
    ),
    Question(
        "5.q5",
        "Somebody proposes to keep all angles below one turn, so that nothing repeats. What would "
        "that cost?",
        (
            Option(
                "Nothing, and it would be better than what the formula does.",
                False,
                "Then every pair is slow, and neighbours are almost equal in all of them.",
            ),
            Option(
                "In a long text neighbours would be hard to tell apart.",
                True,
                "One turn shared by all positions leaves each a sliver. Fast pairs repeat, and "
                "that is the price of a step that can be seen.",
            ),
            Option(
                "The width would have to grow with the length of the text.",
                False,
                "The width could stay. What shrinks is the step between neighbours.",
            ),
        ),
        "lookalikes",
        lambda: 1 if np.sin(2 * np.pi / 10000) < 0.001 else 0,
    ),
)
