"""What lesson 5 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Option, Question

Array = np.ndarray

QUESTIONS = (
    Question(
        "5.q1",
        "A binary counter, least significant bit first. How often does column 2 "
        "change in positions 0 to 15?",
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
                "Two equal sines would say the same twice; sine and cosine "
                "together are the whole angle.",
                True,
                "The pair is a point on the circle: one number says how high, "
                "the other which side.",
            ),
            Option(
                "The cosine makes the values positive.",
                False,
                "A cosine runs from −1 to 1 as well.",
            ),
            Option(
                "It is a habit; the model would do as well with the sine alone.",
                False,
                "With a sine alone, two positions of each turn are mixed up, and no rotation "
                "turns one row into the next.",
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
        "Somebody asks why the angles are not kept below one turn, so that "
        "nothing repeats. What would that cost?",
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
                "One turn shared by all positions leaves each a sliver. Fast hands repeat, "
                "and that is the price of a step that can be seen.",
            ),
        ),
        "lookalikes",
        lambda: 2 if np.sin(2 * np.pi / 10000) < 0.001 else 0,
    ),
)
