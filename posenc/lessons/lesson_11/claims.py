"""What lesson 11 claims."""

from __future__ import annotations

from functools import cache

import numpy as np

from posenc import encodings, geometry, training
from posenc.lessons.model import Claim, Setting

ROWS = 96  # a table of so many rows has more equations than a matrix of width 32 has entries a row


@cache
def _long_table() -> tuple[np.ndarray, np.ndarray]:
    """The first ROWS rows of a table trained on texts of that length, before and after."""
    settings = training.Settings(trained_length=ROWS, tested_length=ROWS)
    trained = training.train("learned", "three_back", 0, settings)
    before, after = (
        weights["table"][:ROWS].astype(float) for weights in (trained.before, trained.parameters)
    )
    return before, after


def _left_over(table: np.ndarray, shift: int) -> float:
    """The part of the shifted rows that no matrix explains, as a fraction of their norm."""
    if not shift:
        return 0.0
    matrix, _ = geometry.fit_shift(table, shift)
    missed = table[shift:] - table[:-shift] @ matrix.T
    return float(np.linalg.norm(missed) / np.linalg.norm(table[shift:]))


def _no_matrix(shift: float = 3) -> float:
    return round(_left_over(_long_table()[1], int(shift)), 2)


def _no_matrix_holds(measured: float, shift: float = 3) -> tuple[bool, str]:
    if not int(shift):
        return False, "The matrix that moves every row to itself is the identity."
    before = _left_over(_long_table()[0], int(shift))
    sinusoids = _left_over(encodings.sinusoidal(ROWS, 32), int(shift))
    return measured > 0.2, (
        f"The best matrix leaves {measured:.0%} of the norm of the rows that follow; before the "
        f"training it left {before:.0%}, and for sinusoids it leaves {sinusoids:.0%}."
    )


def _untouched(capacity: float = 512, trained_length: float = 128) -> int:
    """Rows of a learned table that two steps of training leave as they were drawn."""
    length = int(trained_length)
    settings = training.Settings(
        table_rows=int(capacity), trained_length=length, tested_length=length, steps=2
    )
    trained = training.train("learned", "three_back", 0, settings)
    same = trained.parameters["table"] == trained.before["table"]
    return int(same.all(axis=1).sum())


def _untouched_holds(
    measured: int, capacity: float = 512, trained_length: float = 128
) -> tuple[bool, str]:
    if measured:
        return True, (
            f"Rows {int(trained_length)} to {int(capacity) - 1} got no gradient, however long the "
            "training goes on."
        )
    return False, "The training rows are as long as the table, so each of its rows was used."


TOKENS = 16  # of the document whose numbers are all too high


@cache
def _copied(shift: int, scheme: str = "learned") -> float:
    """Accuracy of copying three back in a document that is numbered from shift on."""
    numbering = training.Numbering("shifted", (TOKENS,), tuple(range(shift, shift + TOKENS)))
    tokens, targets = numbering.draw("three_back")
    layer = training.train(scheme, "three_back", 0)
    answers = training.predict(layer, tokens, np.array(numbering.given), numbering.mask())
    return float((answers == targets)[targets != training.NOT_SCORED].mean())


def _shifted(shift: float = 8) -> float:
    return round(_copied(int(shift)), 2)


def _shifted_holds(measured: float, shift: float = 8) -> tuple[bool, str]:
    known = max(0, min(TOKENS, 32 - int(shift)))
    return measured > 0.97, (
        f"{known} of the {TOKENS} tokens have a trained row. Accuracy: {measured:.2f} with these "
        f"numbers, {_copied(0):.2f} with the right ones, {_copied(0, 'none'):.2f} without "
        "positions."
    )


CLAIMS = (
    Claim(
        "no-shift-matrix",
        "No matrix moves every row of a trained table three positions on",
        0.5,
        0.1,
        _no_matrix,
        (Setting("shift", 0, 12, 1, 3, "positions"),),
        _no_matrix_holds,
        "structure",
    ),
    Claim(
        "untrained-rows",
        "Training on short texts leaves the later rows of a table as they were drawn",
        384,
        0,
        _untouched,
        (
            Setting("capacity", 8, 1024, 1, 512, "rows of the table"),
            Setting("trained_length", 4, 256, 1, 128, "trained length"),
        ),
        _untouched_holds,
        "untouched",
    ),
    Claim(
        "shift-copy",
        "Numbers that are all too high by the same amount cost the copying task nothing",
        1.0,
        0.02,
        _shifted,
        (Setting("shift", 0, 112, 1, 8, "too high by"),),
        _shifted_holds,
        "costs",
    ),
)
