"""What lesson 4 asks."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _nearest(values: tuple[float, ...], found: float) -> int:
    return int(np.argmin(np.abs(np.array(values) - found)))


def _added_to_the_logit() -> int:
    """What the column adds to the logit of positions 3 and 5, found as a difference."""
    x = np.zeros((6, 4))
    rows = encodings.append_integer(x)
    added = (rows[3] @ rows[5] - x[3] @ x[5]) / 5**0.5
    return _nearest((2 / 5**0.5, 8 / 5**0.5, 15 / 5**0.5, 0.0), float(added))


def _what_normalising_leaves() -> int:
    rng = np.random.default_rng(0)
    features = rng.standard_normal(64)
    far, further = (attention.layer_norm(np.append(features, p)) for p in (1e5, 1e5 + 1))
    return 0 if far[:64].std() < 1e-3 and abs(far[64] - further[64]) < 1e-6 else 3


def _never_read_most() -> int:
    """Which of the keys 0, 4 and 11 reader 7 prefers with no weights at all."""
    a, b, c, d = np.random.default_rng(0).normal(size=(4, 10_000, 1))
    most = set(np.unique(((a + b * 7) * (c + d * np.arange(12))).argmax(axis=1)).tolist())
    never = [place for place, key in enumerate((0, 4, 11)) if key not in most]
    return never[0] if len(never) == 1 else 3


def _steps_in_a_tenth() -> int:
    """How many tokens a tenth is, in texts of 10 and of 100."""
    steps = {round(0.1 * length) for length in (10, 100)}
    return 2 if len(steps) > 1 else {1: 0, 10: 1}[steps.pop()]


QUESTIONS = (
    Question(
        "4.q1",
        "Rows have width 5, and the last column is the position. How much does that column add to "
        "the logit of positions 3 and 5?",
        (
            Option(
                "2/√5, about 0.89: they are two apart.",
                False,
                "No subtraction happens anywhere. A logit multiplies the entries of two rows.",
            ),
            Option(
                "8/√5, about 3.58: the two together.",
                False,
                "The entries of one column are multiplied, not added.",
            ),
            Option(
                "15/√5, about 6.71.",
                True,
                "The product of the rows gains 3 · 5 = 15, and the logit divides it by √5.",
            ),
            Option(
                "Nothing: the features of the content are as before.",
                False,
                "They are, and a fifth term has joined the sum, the product of the two positions.",
            ),
        ),
        "append",
        _added_to_the_logit,
    ),
    Question(
        "4.q2",
        "64 features and the position 100,000 are in one row, which is then normalised. What can "
        "still be read from it?",
        (
            Option(
                "Next to nothing, of features or position.",
                True,
                "The features keep less than a thousandth of their standard deviation, and the "
                "entry of the position hardly differs from that of any other late position.",
            ),
            Option(
                "Features and position, both on one scale.",
                False,
                "Normalising works along the row. One entry of 100,000 sets the scale for all.",
            ),
            Option(
                "The features as before, and the position as a 1.",
                False,
                "Every entry is divided by the same number, and that number is large.",
            ),
            Option(
                "The position, but not the features.",
                False,
                "Its entry is close to 8 at 100,000 and at 100,001: the root of the number of "
                "features, whatever the position.",
            ),
        ),
        "normalise",
        _what_normalising_leaves,
    ),
    Question(
        "4.q3",
        "A row holds the position alone, in a text of twelve. Which key can no weights on it make "
        "reader 7 prefer to all the others?",
        (
            Option(
                "Key 0, the first.",
                False,
                "A straight line that falls with j is largest at 0.",
            ),
            Option(
                "Key 4, three back.",
                True,
                "For reader 7 the logit is a straight line in j. It has no top between its ends.",
            ),
            Option(
                "Key 11, the last.",
                False,
                "A straight line that rises with j is largest at 11.",
            ),
            Option(
                "None: training finds weights for each of them.",
                False,
                "Training chooses among straight lines. A curve is not among them.",
            ),
        ),
        "learned",
        _never_read_most,
    ),
    Question(
        "4.q4",
        "Positions are divided by the length of the text. Two tokens differ by 0.1 in that column. "
        "How many positions apart are they?",
        (
            Option(
                "One, as a tenth is one step.",
                False,
                "In a text of 10 tokens. In one of 100 the same 0.1 is ten positions.",
            ),
            Option(
                "Ten, as there are a hundred steps in all.",
                False,
                "In a text of 100 tokens. In one of 10 the same 0.1 is one position.",
            ),
            Option(
                "That depends on the length.",
                True,
                "A step is 1/length, so one difference means another distance in every text.",
            ),
        ),
        "by-length",
        _steps_in_a_tenth,
        seen=("PE133",),
    ),
    Question(
        "4.q5",
        "All texts are padded to 100 tokens and positions are divided by 100. What is still wrong?",
        (
            Option(
                "A step still means something else in each of the texts.",
                False,
                "Not any more: with one divisor for all, a step is a hundredth everywhere.",
            ),
            Option(
                "Two positions share a value.",
                False,
                "p/100 is a different number for every p.",
            ),
            Option(
                "Nothing: all six requirements are met.",
                False,
                "Bounded, distinct, one step, one width: four are, up to 100 tokens. Look at the "
                "last two.",
            ),
            Option(
                "Neighbours differ by a hundredth, in one column.",
                True,
                "Such a step is hardly visible beside the range of the column, and one column is "
                "not as wide as the content. The 100 was chosen by us, and nothing in the text "
                "tells it to the model.",
            ),
        ),
        "requirements",
        seen=("PE142",),
    ),
)
