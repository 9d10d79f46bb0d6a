"""What lesson 11 claims."""

from __future__ import annotations

from functools import cache

import numpy as np

from posenc import training
from posenc.lessons.lesson_11.common import rotary_shift
from posenc.lessons.model import Claim, Setting

Array = np.ndarray


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
        return (
            True,
            f"Rows {int(trained_length)} to {int(capacity) - 1} got no "
            "gradient, however long the training goes on.",
        )
    return False, "The training rows are as long as the table, so each of its rows was used."


@cache
def _trained(task: str) -> dict[str, list[training.Trained]]:
    return {scheme: [training.train(scheme, task, 0)] for scheme in ("learned", "none")}


@cache
def _cost_of_shift(task: str, shift: int, tokens: int = 16) -> str:
    """What it costs that each token of a short document is numbered `shift` too high."""
    numbering = training.Numbering("shifted", (tokens,), tuple(range(shift, shift + tokens)))
    asked, targets = numbering.draw(task)
    scored, mask, right = targets != training.NOT_SCORED, numbering.mask(), numbering.right()

    def accuracy(scheme: str, positions: Array) -> Array:
        return np.array(
            [
                (training.predict(layer, asked, positions, mask) == targets)[scored].mean()
                for layer in _trained(task)[scheme]
            ]
        )

    given = np.array(numbering.given)
    return training.Cost(
        numbering,
        task,
        accuracy("learned", right),
        accuracy("learned", given),
        accuracy("none", right),
    ).verdict()


def _copy_cost(shift: float = 8) -> str:
    return _cost_of_shift("three_back", int(shift))


def _copy_cost_holds(measured: str, shift: float = 8) -> tuple[bool, str]:
    last = int(shift) + 15
    trained = max(0, min(16, 32 - int(shift)))
    return measured == "costs nothing", (
        f"The 16 tokens are numbered up to {last}; training knew rows 0 to 31, so {trained} "
        "of them stand on trained rows."
    )


def _first_token_cost(shift: float = 8) -> str:
    return _cost_of_shift("first_token", int(shift))


def _first_token_holds(measured: str, shift: float = 8) -> tuple[bool, str]:
    if measured == "costs nothing":
        return False, "Nothing is shifted, or too little to matter."
    return True, "The answer stood at row 0 in all of the training. Now no token has that number."


def _rotary_shift_holds(measured: float, shift: float = 5) -> tuple[bool, str]:
    return (
        measured < 1e-9,
        "Rotary scores see distances alone (lesson 12), and a shift of all positions changes none.",
    )


CLAIMS = (
    Claim(
        "untrained-rows",
        "Rows of a table of 512 that training on 128 tokens leaves as they were drawn",
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
        "All positions 8 too high, on the task to copy the token three back",
        "costs nothing",
        0,
        _copy_cost,
        (Setting("shift", 0, 112, 1, 8, "too high by"),),
        _copy_cost_holds,
        "costs",
    ),
    Claim(
        "shift-first",
        "All positions 8 too high, on the task to name the first token",
        "costs most of it or all",
        0,
        _first_token_cost,
        (Setting("shift", 0, 112, 1, 8, "too high by"),),
        _first_token_holds,
        "costs",
    ),
    Claim(
        "shift-rotary",
        "All positions 5 too high, with rotary scores: the largest change of a score",
        0.0,
        1e-9,
        rotary_shift,
        (Setting("shift", 0, 50_000, 1, 5, "too high by"),),
        _rotary_shift_holds,
        "costs",
    ),
)
