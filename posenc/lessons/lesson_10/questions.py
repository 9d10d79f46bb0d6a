"""What lesson 10 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.lessons.lesson_10.common import STAMPS
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _which_term() -> int:
    """The one of the four terms that changes when a word of the same length moves alone."""
    return 1


def _token_norm() -> int:
    """Unit token, width 512: multiplied and divided by √512, against the norm of a row, 16."""
    row = float(np.linalg.norm(encodings.sinusoidal(2, 512)[1]))
    norms = np.array([512**0.5, 512**-0.5, 512.0])
    return int(np.abs(np.log(norms / row)).argmin())


QUESTIONS = (
    Question(
        "10.q1",
        "With positions added, t0 gives its topic partner t3 less and its "
        "neighbour t1 more. What has happened?",
        (
            Option(
                "The softmax has saturated.",
                False,
                "The largest share is 0.61; nothing is saturated.",
            ),
            Option(
                "The content of t1 has become more similar to that of t0.",
                False,
                "No content has changed. Only the encodings were added.",
            ),
            Option(
                "Scores now also count how near the seats are, and t1 sits next to t0.",
                True,
                "Rows 0 and 1 of the table have a large dot product, rows 0 and 3 a smaller "
                "one, and that is added to the scores.",
            ),
        ),
        "blur",
        lambda: 2 if STAMPS[0] @ STAMPS[1] > STAMPS[0] @ STAMPS[3] else 1,
    ),
    Question(
        "10.q2",
        "A score of (x + p) and (y + q) has four terms. Which of them depends on the two "
        "seats and on nothing else?",
        (
            Option("x · y", False, "That is content with content: it holds no seat."),
            Option(
                "p · q",
                True,
                "Only the two encodings take part. For sinusoids it even "
                "depends on the distance alone.",
            ),
            Option(
                "x · q", False, "This one asks how the first word goes with the second one's seat."
            ),
            Option("All but x · y", False, "The two mixed terms hold a word each."),
        ),
        "four-terms",
        _which_term,
    ),
    Question(
        "10.q3",
        "Token vectors have norm 1, width 512; a row of the table has norm 16. What does the "
        "2017 Transformer do to the tokens before it adds?",
        (
            Option(
                "It multiplies them by √512, so that they have norm 22.6.",
                True,
                "Then content and position are of one order of size. The division by √ of the "
                "key width comes later and concerns scores.",
            ),
            Option(
                "It divides them by √512.",
                False,
                "That would make them 360 times smaller than the encodings. The "
                "1/√d belongs to the scores.",
            ),
            Option("It multiplies them by 512.", False, "That would drown the encodings."),
        ),
        "scale",
        _token_norm,
        seen=("PE084", "PE085"),
    ),
    Question(
        "10.q4",
        "[0.2, 0.1, −0.3] can be written as a sum of two vectors in many ways. "
        "Why is that not fatal?",
        (
            Option(
                "Because training makes all sums different.",
                False,
                "Training helps, but no sum of two vectors has one decomposition only.",
            ),
            Option(
                "Because nobody has to undo a single sum: weights read "
                "directions, over many tokens and seats.",
                True,
                "What is learned is which directions of the space carry content and which "
                "carry position; in a wide space there is room for both.",
            ),
            Option(
                "Because the softmax separates the parts.",
                False,
                "The softmax sees scores, in which the parts are already added.",
            ),
        ),
        "undo",
        seen=("PE134",),
    ),
    Question(
        "10.q5",
        "Width 512: content 512 and positions 64 wide are concatenated instead "
        "of added. What does it cost?",
        (
            Option(
                "Nothing; the columns were free.",
                False,
                "Every matrix that reads the rows grows by 64 rows.",
            ),
            Option(
                "Larger matrices in the first layer, or less room for content at the same width.",
                True,
                "576 inputs instead of 512, an eighth more. The model gains "
                "that no column holds both.",
            ),
            Option(
                "The relation between positions is lost.",
                False,
                "The dot product of the position part is what it was.",
            ),
        ),
        "concatenate",
        lambda: 1 if 576 / 512 == 1.125 else 0,
    ),
)
