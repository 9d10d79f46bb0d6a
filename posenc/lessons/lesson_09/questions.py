"""What lesson 9 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.lesson_09.common import random_rows
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _from_half_a_sine() -> int:
    """Two angles with the sine 0.5, moved on by the same amount."""
    moved = np.sin(np.array([np.pi / 6, 5 * np.pi / 6]) + 0.7)
    return 2 if abs(moved[0] - moved[1]) > 0.1 else 0


def _turned_pair() -> int:
    c, s = np.cos(0.7), np.sin(0.7)
    offered = ([[c, -s], [s, c]], [[c, s], [s, c]], [[c, s], [-s, c]], [[s, c], [c, -s]])
    hand, later = (np.array([np.sin(a), np.cos(a)]) for a in (0.4, 1.1))
    return int(np.argmin([np.abs(np.array(m) @ hand - later).max() for m in offered]))


def _few_rows() -> int:
    return 3 if geometry.fit_shift(random_rows(length=64), 1)[1] < 1e-9 else 0


def _far_away() -> int:
    fitted, _ = geometry.fit_shift(encodings.sinusoidal(512, 64), 3)
    here, there = encodings.sinusoidal_at([5000, 5003], 64)
    misses = [np.abs(m @ here - there).max() < 1e-6 for m in (geometry.shift_matrix(3, 64), fitted)]
    return {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}[tuple(misses)]


def _which_query() -> int:
    table = encodings.sinusoidal(40, 8)
    offered = (
        geometry.shift_matrix(-3, 8),
        np.roll(np.eye(8), 3, axis=0),
        -geometry.shift_matrix(3, 8),
        geometry.shift_matrix(3, 8),
    )
    misses = [np.abs((table @ w)[3:] - table[:-3]).max() for w in offered]
    return int(np.argmin(misses))


QUESTIONS = (
    Question(
        "9.q1",
        "At two positions the sine column of one pair holds 0.5. What does it hold k "
        "positions after each of them?",
        (
            Option(
                "The same value after both, since both start from 0.5.",
                False,
                "0.5 is the sine of π/6 and of 5π/6. One of these hands is "
                "rising, the other falling.",
            ),
            Option(
                "0.5 + sin(kω) after both.", False, "The sine of a sum is not the sum of the sines."
            ),
            Option(
                "It depends on the cosine column as well.",
                True,
                "The cosine tells which of the two angles it is, and sin(a + kω) needs it: "
                "sin a cos kω + cos a sin kω.",
            ),
            Option(
                "0.5 · cos(kω) after both.",
                False,
                "This is the part that comes from the sine. The part that comes from the "
                "cosine, cos a · sin(kω), is missing.",
            ),
        ),
        "sine-alone",
        _from_half_a_sine,
    ),
    Question(
        "9.q2",
        "A pair (sine, cosine) is to be turned on by k positions; c = cos(kω) and s = "
        "sin(kω). Which matrix does it?",
        (
            Option(
                "[[c, −s], [s, c]]",
                False,
                "The textbook's rotation, for pairs whose cosine comes first. "
                "Here it turns back by k.",
            ),
            Option(
                "[[c, s], [s, c]]",
                False,
                "Here the minus is lost. This matrix changes the length of a "
                "hand and is no rotation.",
            ),
            Option(
                "[[c, s], [−s, c]]",
                True,
                "sin(a + kω) = s·cos a + c·sin a stands in the first line, cos(a + kω) = "
                "c·cos a − s·sin a in the second.",
            ),
            Option(
                "[[s, c], [c, −s]]",
                False,
                "At k = 0 this would exchange sine and cosine, where nothing should change.",
            ),
        ),
        "turn",
        _turned_pair,
    ),
    Question(
        "9.q3",
        "A random table has 64 rows of width 64, and the best matrix for a shift by 1 is "
        "computed. What is its largest residual?",
        (
            Option(
                "About 0.5, as with 512 rows.",
                False,
                "With 512 rows there are 511 equations for the 64 unknowns of a "
                "column. Here there are only 63.",
            ),
            Option(
                "Larger than with 512 rows, as there is less to learn from.",
                False,
                "Less to learn from is also less to satisfy.",
            ),
            Option(
                "0 up to rounding, so random tables do have a shift matrix.",
                False,
                "The number is right, the conclusion is not: it fits whatever is put in.",
            ),
            Option(
                "0 up to rounding, and it means nothing.",
                True,
                "63 equations for 64 unknowns in each column can always be met. A fit says "
                "something when it could have failed.",
            ),
        ),
        "least-squares",
        _few_rows,
    ),
    Question(
        "9.q4",
        "At width 64, the rotation and the least-squares matrix both carry 512 "
        "rows three places on, up to rounding. Now apply both to the row of "
        "position 5000. Which of them gives the row of 5003?",
        (
            Option(
                "Both: they do the same.",
                False,
                "They do the same on 512 rows, which use about 40 directions. "
                "The row of 5000 uses others.",
            ),
            Option(
                "The rotation only.",
                True,
                "It was derived for every position. The other was fitted to 512 rows, and "
                "what it does in directions that these do not use was never asked.",
            ),
            Option(
                "The least-squares matrix only, as it was fitted to data.",
                False,
                "To the data of positions 0 to 511. The rotation holds for "
                "every position by the addition formulas.",
            ),
            Option(
                "Neither: 5000 is past the end of the table.",
                False,
                "The formula has no end, and neither has the rotation.",
            ),
        ),
        "one-of-many",
        _far_away,
    ),
    Question(
        "9.q5",
        "M₃ moves rows three places on: row p + 3 is M₃ times row p. Row i of P @ w_q is to "
        "be row i − 3 of P. What is w_q?",
        (
            Option(
                "M₋₃",
                False,
                "In P @ w the rows stand on the left, which transposes: P @ M₋₃ applies M₋₃ᵀ "
                "= M₃ to each row and looks ahead.",
            ),
            Option(
                "The identity with its rows rolled by three.",
                False,
                "This moves columns of the table. Positions are its rows.",
            ),
            Option(
                "−M₃",
                False,
                "The sign belongs to the angle. A minus in front points every hand the other way.",
            ),
            Option(
                "M₃",
                True,
                "P @ M₃ applies M₃ᵀ = M₋₃ to each row. From the left, M₋₃; from "
                "the right, its transpose.",
            ),
        ),
        "look-back",
        _which_query,
    ),
)
