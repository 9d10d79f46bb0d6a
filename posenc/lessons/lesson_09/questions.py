"""What lesson 9 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.lesson_09.common import random_rows
from posenc.lessons.model import Option, Question


def _from_half_a_sine() -> int:
    """Two angles with the sine 0.5, moved on by the same amount."""
    moved = np.sin(np.array([np.pi / 6, 5 * np.pi / 6]) + 0.7)
    return 1 if abs(moved[0] - moved[1]) > 0.1 else 0


def _turned_pair() -> int:
    c, s = np.cos(0.7), np.sin(0.7)
    offered = ([[c, -s], [s, c]], [[c, s], [s, c]], [[c, s], [-s, c]], [[s, c], [c, -s]])
    pair, later = (np.array([np.sin(a), np.cos(a)]) for a in (0.4, 1.1))
    return int(np.argmin([np.abs(np.array(m) @ pair - later).max() for m in offered]))


def _few_rows() -> int:
    return 3 if geometry.fit_shift(random_rows(length=64), 1)[1] < 1e-9 else 0


def _far_away() -> int:
    fitted, _ = geometry.fit_shift(encodings.sinusoidal(512, 64), 3)
    here, there = encodings.sinusoidal_at([5000, 5003], 64)
    right = [np.abs(m @ here - there).max() < 1e-6 for m in (geometry.shift_matrix(3, 64), fitted)]
    return {(True, False): 0, (True, True): 1, (False, True): 2, (False, False): 3}[tuple(right)]


def _both_moved() -> int:
    """A turned query at 10 and a turned key at 7, and both a hundred positions later."""
    query, key = np.random.default_rng(1).normal(size=(2, 8))
    turn = geometry.shift_matrix
    first = (turn(10, 8) @ query) @ (turn(7, 8) @ key)
    second = (turn(110, 8) @ query) @ (turn(107, 8) @ key)
    mirrored = (turn(7, 8) @ query) @ (turn(10, 8) @ key)
    if not np.isclose(first, second):
        return 2
    return 3 if np.isclose(first, mirrored) else 1


QUESTIONS = (
    Question(
        "9.q1",
        "At two positions the sine column of one pair holds 0.5. What does it hold k positions "
        "after each of them?",
        (
            Option(
                "The same value after both, since both start from 0.5.",
                False,
                "0.5 is the sine of π/6 and of 5π/6. One of these sines is rising, the other "
                "falling.",
            ),
            Option(
                "It depends on the cosine column as well.",
                True,
                "The cosine tells which of the two angles it is, and sin(a + kω) needs it: "
                "sin a cos kω + cos a sin kω.",
            ),
            Option(
                "0.5 + sin(kω) after both, by the formula for sums.",
                False,
                "The sine of a sum is not the sum of the sines.",
            ),
            Option(
                "0.5 · cos(kω) after both.",
                False,
                "This is the part that comes from the sine. The part that comes from the cosine, "
                "cos a · sin(kω), is missing.",
            ),
        ),
        "sine-alone",
        _from_half_a_sine,
    ),
    Question(
        "9.q2",
        "A pair (sine, cosine) is to be turned on by k positions; c = cos(kω) and s = sin(kω). "
        "Which matrix does it?",
        (
            Option(
                "[[c, −s], [s, c]]",
                False,
                "The textbook's rotation, for pairs whose cosine comes first. Here it turns back "
                "by k.",
            ),
            Option(
                "[[c, s], [s, c]]",
                False,
                "Here the minus is lost. This matrix changes the length of a pair and is no "
                "rotation.",
            ),
            Option(
                "[[c, s], [−s, c]]",
                True,
                "The first line gives sin(a + kω) = c·sin a + s·cos a, the second "
                "cos(a + kω) = c·cos a − s·sin a.",
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
                "With 512 rows there are 511 equations for the 64 unknowns of a column. Here there "
                "are only 63.",
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
                "0 up to rounding, which says nothing about the table.",
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
        "At width 64, the rotation and the least-squares matrix both carry 512 rows three "
        "positions on, up to rounding. Now apply both to the row of position 5000. Which of them "
        "gives the row of 5003?",
        (
            Option(
                "The rotation only, as it was derived for all positions.",
                True,
                "The addition formulas have no end. The other was fitted to 512 rows, and sixteen "
                "digits left about 24 of the 64 directions open, in which it may do anything.",
            ),
            Option(
                "Both, because on paper only one matrix fits.",
                False,
                "On paper, yes. With sixteen digits the 512 rows fix about 40 of the 64 "
                "directions, and the row of 5000 uses others.",
            ),
            Option(
                "The least-squares matrix only, as it was fitted to data.",
                False,
                "To the data of positions 0 to 511. The rotation holds for every position by the "
                "addition formulas.",
            ),
            Option(
                "Neither, because 5000 is past the end of the table.",
                False,
                "The formula has no end, and neither has the rotation.",
            ),
        ),
        "one-of-many",
        _far_away,
    ),
    Question(
        "9.q5",
        "A query is turned by the matrix of its position 10 and a key by that of 7. Then the same "
        "query is at 110 and the same key at 107. What happens to their dot product?",
        (
            Option(
                "It falls, because both are farther from the start of the text.",
                False,
                "The start does not occur in qᵀ M₋₃ k. Only the difference of the positions does.",
            ),
            Option(
                "It stays, and would change if query and key exchanged positions.",
                True,
                "It is qᵀ M₋₃ k in both cases. With the positions exchanged it would be qᵀ M₃ k: "
                "turning keeps the direction.",
            ),
            Option(
                "It changes, unless query and key are rows of the table themselves.",
                False,
                "Nothing was assumed about q and k. The two rules of the matrices are enough.",
            ),
            Option(
                "It stays, and would stay if query and key exchanged positions.",
                False,
                "Distance 3 after and distance 3 before give qᵀ M₃ k and qᵀ M₋₃ k, which differ in "
                "general.",
            ),
        ),
        "rotary-falls-out",
        _both_moved,
    ),
)
