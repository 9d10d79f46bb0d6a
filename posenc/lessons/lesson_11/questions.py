"""What lesson 11 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, training
from posenc.lessons.lesson_11.common import rotary_shift
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _detached_gradient() -> int:
    """Gradient of sum(x + P) for one entry of P: through the lookup, and through a copy of P."""
    table = np.zeros((3, 1))

    def loss(used: Array) -> float:
        return float((np.ones((1, 1)) + used[1:2]).sum())

    copied = loss(table)
    table[1] += 1e-3
    through = (loss(table) - copied) / 1e-3
    kept = np.zeros((3, 1))
    detached = (loss(kept) - copied) / 1e-3
    return 0 if abs(through - 1) < 1e-6 and detached == 0 else 1


def _bert_rows() -> int:
    settings = training.Settings(table_rows=512, trained_length=128, steps=1, batch=1)
    trained = training.train("learned", "three_back", 0, settings)
    changed = (trained.parameters["table"] != trained.before["table"]).any(axis=1)
    return 3 if changed[:128].all() and not changed[128:].any() else 0


def _offset_row() -> int:
    """Row of the first real token, where pads are token 1 and have row 1."""
    tokens, pad = np.array([[5, 3, 6, 7, 1, 1, 1]]), 1
    real = tokens != pad
    rows = np.where(real, np.cumsum(real, axis=1) + pad, pad)
    return [0, 1, 2, 512].index(int(rows[0, 0])) if rows.tolist() == [[2, 3, 4, 5, 1, 1, 1]] else 0


def _next_number() -> int:
    found = encodings.next_position_ids([[0, 0, 1, 1, 1]], 1)[0, 0]
    return [5, 3, 2, 0].index(int(found))


def _who_feels_a_shift() -> int:
    table = encodings.learned_table(16, 4)
    learned = np.abs(table[5:8] @ table[5:8].T - table[:3] @ table[:3].T).max()
    return 0 if rotary_shift() < 1e-9 and learned > 1e-6 else 1


QUESTIONS = (
    Question(
        "11.q1",
        "A program copies its learned table, adds the rows of the copy to the tokens, and the "
        "gradient reaches the copy only. What becomes of the table?",
        (
            Option(
                "It stays as it was drawn.",
                True,
                "For L = sum(x + P) the gradient is 1 through the lookup and 0 through a copy. "
                "No error is raised, and the shapes are right.",
            ),
            Option(
                "It is trained, a little more slowly.",
                False,
                "The gradient stops at the copy. It is 0 for the table, and not small.",
            ),
            Option(
                "It becomes the sinusoidal table.",
                False,
                "Nothing in the program computes that formula.",
            ),
            Option(
                "It is trained, and the copy stays as it was drawn.",
                False,
                "The other way round: what was added to the tokens is what a gradient reaches.",
            ),
        ),
        "training",
        _detached_gradient,
        seen=("PE051",),
    ),
    Question(
        "11.q2",
        "BERT was trained on 128 tokens for most of its steps and on 512 for the last part. What "
        "would be missing without that last part?",
        (
            Option(
                "Nothing: rows learned for 0 to 127 carry over to later ones.",
                False,
                "Each row is a parameter of its own. Learning row 5 tells row 300 nothing.",
            ),
            Option(
                "Speed: long rows train faster.",
                False,
                "They train more slowly. That is why they were left for the end.",
            ),
            Option(
                "The rows themselves: the table would have 128.",
                False,
                "The table has 512 rows from the start. 384 of them would be as they were drawn.",
            ),
            Option(
                "Training for rows 128 to 511 of the table.",
                True,
                "A row that is not looked up gets no gradient. A larger table alone gives no "
                "longer reach.",
            ),
        ),
        "untouched",
        _bert_rows,
        seen=("PE080", "PE083"),
    ),
    Question(
        "11.q3",
        "A library keeps row 1 of its table for pads and counts real tokens from there on. Which "
        "row does the first real token get?",
        (
            Option(
                "Row 0: counting starts at 0.",
                False,
                "That is the other convention. Weights trained with this one have their first "
                "token elsewhere.",
            ),
            Option("Row 1: the first that is in use.", False, "That row is the one for pads."),
            Option(
                "Row 2.",
                True,
                "padding_idx + 1. A table for 512 tokens then needs 514 rows: 512, and the two "
                "that come before.",
            ),
            Option("Row 512.", False, "That is near the end, where the last tokens are."),
        ),
        "offsets",
        _offset_row,
        seen=("PE056", "PE059"),
    ),
    Question(
        "11.q4",
        "A prompt, the text that a model is given to continue, has three tokens behind two pads "
        "in a row of five. Which position does the next token get?",
        (
            Option(
                "5: the row holds five places.",
                False,
                "Two of them are pads, and pads are not counted.",
            ),
            Option(
                "3.",
                True,
                "The real tokens had 0, 1 and 2. Each row of a batch has its own next number.",
            ),
            Option("2: there are two pads.", False, "That is the number of the last real token."),
            Option(
                "0: one token is computed at a time.",
                False,
                "It is alone in its step and not alone in its text. The cached keys have 0 to 2.",
            ),
        ),
        "contract",
        _next_number,
        seen=("PE068", "PE073"),
    ),
    Question(
        "11.q5",
        "Left padding makes every position of a text 5 too large; the pads are masked. Whose "
        "scores change?",
        (
            Option(
                "Those of a learned table, and not those of a rotary model.",
                True,
                "The table gives other rows. Whether the answers suffer depends on the task, as "
                "this section measures.",
            ),
            Option(
                "Those of a rotary model, and not those of a learned table.",
                False,
                "Rotary scores depend on the distance between two tokens, and that did not change.",
            ),
            Option(
                "Nobody's, because the mask keeps all pads from being read.",
                False,
                "The mask leaves the numbers of the real tokens as they are.",
            ),
            Option(
                "Those of both.",
                False,
                "Rotary scores depend on the distance between two tokens, and that did not change.",
            ),
        ),
        "costs",
        _who_feels_a_shift,
        seen=("PE067",),
    ),
)
