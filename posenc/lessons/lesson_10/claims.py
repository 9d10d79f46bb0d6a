"""What lesson 10 claims."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings
from posenc.lessons.lesson_10.common import GRID, TOKENS, term_changes
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

BASE = Setting("base", 2.0, 20000.0, 1.0, 10000.0, "base")


def _changes(token: float = 0, scale: float = 1.0, base: float = 10000.0) -> Array:
    return term_changes(int(token), int(token) + 1, scale, base)


def _changes_hold(
    measured: Array, token: float = 0, scale: float = 1.0, base: float = 10000.0
) -> tuple[bool, str]:
    positions, mixed = measured
    said = (
        f"The weight of t{int(token)} for t{int(token) + 1} changes by {mixed:+.3f} through the "
        f"mixed terms and by {positions:+.3f} through position·position."
    )
    return bool(abs(mixed) > abs(positions)), said


def _winning_scale(token: float = 0, base: float = 10000.0) -> float | None:
    token = int(token)
    encoding = encodings.sinusoidal(6, 4, base)
    return attention.smallest_winning_scale(TOKENS, encoding, token, (token + 3) % 6, GRID)


def _winning_holds(
    measured: float | None, token: float = 0, base: float = 10000.0
) -> tuple[bool, str]:
    if measured is None:
        return False, "At no scale up to 4 does the partner win."
    first = f"The first scale on the grid 0, 0.05, … at which the partner wins is {measured:g}."
    return measured > 1, first


def read_both(width: int, words: int, positions: int) -> Array:
    """How well one linear map reads a position's sine and a token's coordinate: two correlations.

    400 sums of random tokens, drawn from so many words, and rows of the table of so many positions.
    """
    rng = np.random.default_rng(0)
    rows = encodings.sinusoidal(positions, width)[rng.integers(0, positions, 400)]
    tokens = rng.normal(size=(words, width))[rng.integers(0, words, 400)]
    wanted = np.column_stack([rows[:, 0], tokens[:, 0]])
    reading, *_ = np.linalg.lstsq(tokens + rows, wanted, rcond=None)
    found = (tokens + rows) @ reading
    return np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(wanted.T, found.T, strict=True)])


def _read(width: float = 64, words: float = 20, positions: float = 50) -> Array:
    return read_both(int(width), int(words), int(positions))


def _read_holds(
    measured: Array, width: float = 64, words: float = 20, positions: float = 50
) -> tuple[bool, str]:
    if measured.min() > 0.99:
        return True, "The words and the positions leave enough of the directions to each other."
    return (
        False,
        f"{int(words)} words and {int(positions)} positions need more directions than width "
        f"{int(width)} has.",
    )


CLAIMS = (
    Claim(
        "mixed-terms",
        "The attention weight of a token's right-hand neighbour is changed less by "
        "position·position alone than by the two mixed terms alone",
        [0.003, 0.171],
        6e-4,
        _changes,
        (
            Setting("token", 0, 4, 1, 0, "token"),
            Setting("scale", 0.0, 4.0, 0.05, 1.0, "scale of the content"),
            BASE,
        ),
        _changes_hold,
        "four-terms",
    ),
    Claim(
        "scale-that-wins",
        "Content wins only at scales above 1: the smallest scale at which a token scores its "
        "partner above all others but itself",
        1.15,
        1e-9,
        _winning_scale,
        (Setting("token", 0, 5, 1, 0, "token"), BASE),
        _winning_holds,
        "scale",
    ),
    Claim(
        "read-both",
        "One linear map reads a position's sine and a token's coordinate out of their sum "
        "(correlations of read and true)",
        [1.0, 1.0],
        0.005,
        _read,
        (
            Setting("width", 4, 128, 2, 64, "width"),
            Setting("words", 2, 400, 1, 20, "words"),
            Setting("positions", 2, 400, 1, 50, "positions"),
        ),
        _read_holds,
        "undo",
    ),
)
