"""What lesson 6 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _unseen_position() -> int:
    """Position 5000 has a row, and it is the one that a longer table holds."""
    row = encodings.sinusoidal_at(np.array([5000]), 8)[0]
    longer = encodings.sinusoidal(5001, 8)[5000]
    return 0 if np.isfinite(row).all() and np.allclose(row, longer) else 1


def _column_five() -> int:
    """Which listed angle gives column 5 of width 8 at position 3 by its cosine."""
    value = encodings.sinusoidal(4, 8)[3, 5]
    angles = (
        3 / 10000 ** (5 / 8),
        3 / 10000 ** (10 / 8),
        3 / 10000 ** (2 / 8),
        3 / 10000 ** (4 / 8),
    )
    return int(np.argmin(np.abs(np.cos(angles) - value)))


def _same_rows() -> int:
    batch = encodings.add_positions(np.zeros((2, 5, 4)))
    return 0 if np.array_equal(batch[0], batch[1]) else 2


QUESTIONS = (
    Question(
        "6.q1",
        "Training used 512 positions. What does the sinusoidal formula give for position 5000?",
        (
            Option(
                "A row of its own, computed as every other.",
                True,
                "Each value is sin or cos of position times frequency, whatever the position. "
                "Whether a trained model can use that row is a question of lesson 12.",
            ),
            Option(
                "An error: there is no row 5000.",
                False,
                "That is a stored table's answer. The formula needs no row; it takes any position.",
            ),
            Option(
                "The row of position 392, as the pattern repeats every 512.",
                False,
                "Nothing in the formula depends on 512. Each pair repeats after its own "
                "wavelength, and no two pairs share one.",
            ),
            Option(
                "Zeros, until training has reached that position.",
                False,
                "No entry is learned, so none waits for training.",
            ),
        ),
        "fixed-pattern",
        _unseen_position,
    ),
    Question(
        "6.q2",
        "Width 8, position 3. Which angle does column 5 take the cosine of?",
        (
            Option(
                "3 / 10000^(5/8)",
                False,
                "This reads i as the column. Columns 4 and 5 would then turn at different "
                "speeds and form no circle.",
            ),
            Option(
                "3 / 10000^(10/8)",
                False,
                "This puts the column in place of the pair, 2i with i = 5. "
                "Pair 2 owns columns 4 and 5.",
            ),
            Option("3 / 10000^(2/8)", False, "This takes i for the exponent; the formula has 2i."),
            Option(
                "3 / 10000^(4/8)",
                True,
                "Columns 4 and 5 are pair i = 2, so the exponent is 2i/width = 4/8 for both.",
            ),
        ),
        "formula",
        _column_five,
    ),
    Question(
        "6.q3",
        "The word “bank” is at positions 3 and 9 of one sentence. What is left if its row at "
        "position 3 is subtracted from its row at position 9?",
        (
            Option(
                "Nothing: it is the same word.",
                False,
                "The embeddings cancel, the encodings do not: rows 3 and 9 of the table differ.",
            ),
            Option(
                "The word's embedding, without its position.",
                False,
                "It is the other way about: the embedding is what cancels.",
            ),
            Option(
                "Row 9 minus row 3 of the table.",
                True,
                "(word + row 9) − (word + row 3): the content cancels and the "
                "difference of the encodings is left.",
            ),
            Option(
                "The number 6, the distance between the positions.",
                False,
                "No coordinate holds a distance. The difference is a vector, from which a "
                "distance can be worked out.",
            ),
        ),
        "three-positions",
    ),
    Question(
        "6.q4",
        "A batch holds two sentences of five tokens each. Which rows of the "
        "table are added to the second sentence?",
        (
            Option(
                "Rows 0 to 4, the same as for the first.",
                True,
                "A position is counted within its own sequence, so every sequence of the batch "
                "starts at row 0.",
            ),
            Option(
                "Rows 5 to 9, as the first sentence used 0 to 4.",
                False,
                "The sentences do not follow each other; they lie side by side in the batch.",
            ),
            Option(
                "Row 1 for all its tokens, as it is sentence number 1.",
                False,
                "That numbers the sentences and gives all tokens of one the same row. "
                "Public code has shipped this.",
            ),
            Option(
                "It depends on the words.",
                False,
                "The table does not depend on the words. Two sentences of equal length get the "
                "same rows.",
            ),
        ),
        "batch",
        _same_rows,
    ),
    Question(
        "6.q5",
        "One library stores all sines first and all cosines after them; another "
        "interleaves them. What changes?",
        (
            Option(
                "One of them is wrong: sine and cosine must be neighbours.",
                False,
                "Nothing downstream looks at neighbouring columns. The weights "
                "that follow see every column.",
            ),
            Option(
                "The order of the columns, and nothing else.",
                True,
                "The same numbers in another column order give the same dot products. Weights "
                "trained on one order do not fit the other, so a trained model keeps its own.",
            ),
            Option(
                "Nothing: tables of both kinds can be exchanged in a trained model.",
                False,
                "The weights after the table were trained for one column order. Exchanging "
                "them feeds each weight another column.",
            ),
            Option(
                "The wavelengths: concatenated tables end at exactly 1/10000.",
                False,
                "That is another difference, dividing by half − 1, which some concatenated "
                "tables also have. The layout alone changes no frequency.",
            ),
        ),
        "layouts",
    ),
)
