"""What lesson 4 asks."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings, geometry
from posenc.lessons.model import Option, Question

Array = np.ndarray

Tables = tuple[Array, Array]


def _nearest(values: tuple[float, ...], found: float) -> int:
    return int(np.argmin(np.abs(np.array(values) - found)))


def _added_to_the_score() -> int:
    """What the column adds to the score of seats 3 and 5, found as a difference."""
    x = np.zeros((6, 4))
    rows = encodings.append_integer(x)
    added = (rows[3] @ rows[5] - x[3] @ x[5]) / 5**0.5
    return _nearest((15 / 5**0.5, 2 / 5**0.5, 8 / 5**0.5, 0.0), float(added))


def _growth_of_the_spread() -> int:
    growth = geometry.position_spread(100, 6, 5) / geometry.position_spread(0, 6, 5)
    return _nearest((1.0, 41.0, 20.0), growth)


def _what_normalising_leaves() -> int:
    rng = np.random.default_rng(0)
    features = rng.standard_normal(64)
    far, further = (attention.layer_norm(np.append(features, p)) for p in (1e5, 1e5 + 1))
    return 3 if far[:64].std() < 1e-3 and abs(far[64] - further[64]) < 1e-6 else 0


def _steps_in_a_tenth() -> int:
    """How many tokens a tenth is, in texts of 10 and of 100."""
    steps = {round(0.1 * length) for length in (10, 100)}
    return 2 if len(steps) > 1 else {1: 0, 10: 1}[steps.pop()]


QUESTIONS = (
    Question(
        "4.q1",
        "Rows have width 5, the last column is the position. How much does that column add to the "
        "score of seats 3 and 5?",
        (
            Option(
                "15/√5, about 6.71.",
                True,
                "The product of the rows gains 3 · 5 = 15, and the score divides it by √5.",
            ),
            Option(
                "2/√5, about 0.89: they are two apart.",
                False,
                "No subtraction happens anywhere. A score multiplies the entries of two rows.",
            ),
            Option(
                "8/√5, about 3.58.", False, "The entries of one column are multiplied, not added."
            ),
            Option(
                "Nothing: the features of the content are as before.",
                False,
                "They are, and a sixth term has joined the sum: the product of the two positions.",
            ),
        ),
        "append",
        _added_to_the_score,
    ),
    Question(
        "4.q2",
        "The same six words stand at positions 100 to 105 instead of 0 to 5. What happens to the "
        "spread that the positions cause?",
        (
            Option(
                "It stays: the seats are one apart as before.",
                False,
                "The score holds products of positions, not differences, and 105 · 105 − "
                "100 · 100 is more than 5 · 5.",
            ),
            Option(
                "It is 41 times as large.",
                True,
                "1025/√5 against 25/√5. The spread of the products grows with the start, though "
                "the words are the same.",
            ),
            Option(
                "It is about 20 times as large, since 105 is about 20 times 5.",
                False,
                "Products grow faster than their factors; but the smallest product has grown "
                "too. Take the difference: 105² − 100².",
            ),
        ),
        "spread",
        _growth_of_the_spread,
    ),
    Question(
        "4.q3",
        "64 features and the position 100,000 in one row, which is then normalised. What is left?",
        (
            Option(
                "Features and position on one scale, so all is well.",
                False,
                "Normalising works along the row. One entry of 100,000 sets the scale for all.",
            ),
            Option(
                "The features as before; the position as a 1.",
                False,
                "Every entry is divided by the same number, and that number is large.",
            ),
            Option(
                "The position alone, still to be read off.",
                False,
                "Its entry is close to 8 at 100,000 and at 100,001: the root of the number of "
                "features, whatever the position.",
            ),
            Option(
                "Neither: the features are pressed together, and the position's entry hardly "
                "changes any more.",
                True,
                "The features keep less than a thousandth of their spread, and the entry of the "
                "position has come to its limit.",
            ),
        ),
        "normalise",
        _what_normalising_leaves,
    ),
    Question(
        "4.q4",
        "Positions are divided by the length of the text. Two tokens differ by 0.1 in that column. "
        "How many seats apart are they?",
        (
            Option(
                "One.", False, "In a text of 10 tokens. In one of 100 the same 0.1 is ten seats."
            ),
            Option(
                "Ten.", False, "In a text of 100 tokens. In one of 10 the same 0.1 is one seat."
            ),
            Option(
                "That cannot be said without the length.",
                True,
                "A step is 1/length, so one number stands for another distance in every text.",
            ),
        ),
        "by-length",
        _steps_in_a_tenth,
        seen=("PE133",),
    ),
    Question(
        "4.q5",
        "All texts are padded to 100 tokens and positions are divided by 100. What remains to "
        "complain about?",
        (
            Option(
                "A step still means something else in every text.",
                False,
                "Not any more: with one divisor for all, a step is a hundredth everywhere.",
            ),
            Option(
                "There is one pace, and it is slow; and the hundred is not in the sentence.",
                True,
                "Neighbours differ by a hundredth of what one entry may hold, in the only "
                "column there is. Padding to 1000 would make all steps ten times smaller.",
            ),
            Option("Two positions share a value.", False, "p/100 is another number for every p."),
            Option(
                "Nothing: all five requirements are met.",
                False,
                "Bounded, distinct, one step, one width: four are, up to 100 tokens. Look at "
                "the fifth.",
            ),
        ),
        "requirements",
        seen=("PE142",),
    ),
)
