"""What lesson 10 asks."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings
from posenc.lessons.lesson_10.claims import read_both
from posenc.lessons.lesson_10.common import TABLE, TOKENS, term_changes
from posenc.lessons.model import Option, Question


def _what_lifted_t1() -> int:
    """Which option the largest change of t0's weight for t1 belongs to."""
    if attention.identity_attention(TOKENS + TABLE)[1][0].max() > 0.99:
        return 0
    by_positions, by_mixed = term_changes(0, 1)
    return 3 if by_mixed > 10 * abs(by_positions) else 2


def _which_term() -> int:
    """The term that stays when both words are exchanged for others at the same positions."""
    rng = np.random.default_rng(0)
    p = encodings.sinusoidal(2, 8)
    before, after = (attention.score_terms(rng.normal(size=(2, 8)), p, 0, 1) for _ in range(2))
    stay = np.isclose(before, after)  # content·content, content·position, position·content, p·q
    offered = ((0,), (3,), (1,), (1, 2, 3))
    return next(n for n, terms in enumerate(offered) if set(terms) == set(np.flatnonzero(stay)))


def _token_norm() -> int:
    """Unit token, width 512: multiplied and divided by √512, against the norm of a row, 16."""
    row = float(np.linalg.norm(encodings.sinusoidal(2, 512)[1]))
    norms = np.array([512**0.5, 512**-0.5, 512.0, 1.0])
    return int(np.abs(np.log(norms / row)).argmin())


def _readable() -> int:
    return 2 if read_both(64, 20, 50).min() > 0.99 > read_both(4, 20, 50).min() else 1


def _weights_more() -> int:
    """How much larger a matrix that reads the rows is, 576 columns instead of 512."""
    ratio = np.zeros((512 + 64, 512)).size / np.zeros((512, 512)).size
    return int(np.argmin(np.abs(np.array([1.0, 2.0, 64.0, 9 / 8]) - ratio)))


QUESTIONS = (
    Question(
        "10.q1",
        "With positions added, the attention weight of t0 for its neighbour t1 rises from 0.030 to "
        "0.213. What has lifted it?",
        (
            Option(
                "The softmax, which has saturated.",
                False,
                "The largest weight is 0.61; nothing is saturated.",
            ),
            Option(
                "The content of t1, which has become more similar.",
                False,
                "No content has changed. Only the encodings were added.",
            ),
            Option(
                "Position·position, because the positions of t0 and t1 are next to each other.",
                False,
                "Added alone, position·position lifts it to 0.034 only. It favours t0 itself.",
            ),
            Option(
                "The mixed terms, because content meets position in them.",
                True,
                "Added alone, they lift it to 0.201. That is an accident of these tokens: for "
                "other "
                "neighbours they push the other way.",
            ),
        ),
        "four-terms",
        _what_lifted_t1,
    ),
    Question(
        "10.q2",
        "A score of (x + p) and (y + q) has four terms. Which of them depends on the two positions "
        "and on nothing else?",
        (
            Option("x · y", False, "That is content with content: no position occurs in it."),
            Option(
                "p · q",
                True,
                "Only the two encodings occur. For sinusoids it depends on their distance alone.",
            ),
            Option(
                "x · q",
                False,
                "This one depends on the first word and the second position.",
            ),
            Option("All but x · y", False, "A word occurs in each of the two mixed terms."),
        ),
        "four-terms",
        _which_term,
    ),
    Question(
        "10.q3",
        "Token vectors have norm 1, width 512; a row of the table has norm 16. What does the 2017 "
        "Transformer do to the tokens before it adds?",
        (
            Option(
                "It multiplies them by √512, so that they have norm 22.6, near the row's.",
                True,
                "Then content and position are of one order of size. The division by √(key width) "
                "comes later and concerns scores.",
            ),
            Option(
                "It divides them by √512, so that the scores do not become too large.",
                False,
                "That would make them 360 times smaller than the encodings. The division belongs "
                "to the scores.",
            ),
            Option(
                "It multiplies them by 512, so that the content dominates.",
                False,
                "That would drown the encodings.",
            ),
            Option(
                "It leaves them as they are, because training finds the right size.",
                False,
                "Training can change the size, but the paper multiplies as well.",
            ),
        ),
        "scale",
        _token_norm,
        seen=("PE084", "PE085"),
    ),
    Question(
        "10.q4",
        "[0.2, 0.1, −0.3] can be written as a sum of two vectors in infinitely many ways. Why can "
        "a layer use position and content all the same?",
        (
            Option(
                "Training makes all sums different, so each of them has one decomposition.",
                False,
                "No vector has only one decomposition into two summands, trained or not.",
            ),
            Option(
                "The softmax separates the two parts again before values are mixed.",
                False,
                "The softmax sees scores, in which the parts are already added.",
            ),
            Option(
                "Its weights read directions, over many tokens, and a wide "
                "space has room for both.",
                True,
                "At width 64 one linear map reads both parts out of sums of 20 words and 50 "
                "positions. At width 4 it cannot.",
            ),
            Option(
                "Layer normalisation subtracts the position, which has one length.",
                False,
                "It subtracts a mean over the features of a row. The position stays in it.",
            ),
        ),
        "undo",
        _readable,
        seen=("PE134",),
    ),
    Question(
        "10.q5",
        "Width 512: content 512 and positions 64 wide are concatenated instead of added. What does "
        "it cost?",
        (
            Option(
                "Nothing, because the positions need no learned parameters.",
                False,
                "They need none, but every matrix that reads the rows grows by 64 rows.",
            ),
            Option(
                "Twice as many weights in every matrix that reads the rows.",
                False,
                "That would be so with positions 512 wide.",
            ),
            Option(
                "The relation between positions, which needs the sum.",
                False,
                "The dot product of the position part is what it was.",
            ),
            Option(
                "An eighth more weights in every matrix that reads the rows.",
                True,
                "576 inputs instead of 512. The gain is that no column holds both.",
            ),
        ),
        "concatenate",
        _weights_more,
    ),
)
