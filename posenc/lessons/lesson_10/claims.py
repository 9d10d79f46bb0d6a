"""What lesson 10 claims."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings
from posenc.lessons.lesson_10.common import GRID, ORDER, STAMPS, TOKENS
from posenc.lessons.model import Claim, Setting

Array = np.ndarray


def _first_row(scale: float = 1.0, base: float = 10000.0) -> Array:
    return attention.identity_attention(scale * TOKENS + encodings.sinusoidal(6, 4, base))[1][0]


def _blur_holds(measured: Array, scale: float = 1.0, base: float = 10000.0) -> tuple[bool, str]:
    alone = attention.identity_attention(scale * TOKENS)[1][0]
    down, up = measured[3] < alone[3], measured[1] > alone[1]
    moved = (
        f"t3 goes from {alone[3]:.3f} to {measured[3]:.3f}, t1 from {alone[1]:.3f} "
        f"to {measured[1]:.3f}."
    )
    if down and up:
        return True, moved
    return (
        False,
        moved + " The content is so large here that the encoding hardly counts, or so "
        "small that nothing else does.",
    )


def _moved(change: float = 1.0) -> Array:
    """How far attention is from following a shuffle, with encodings of this size in seat order."""
    stamps = change * STAMPS
    mixed = attention.identity_attention(TOKENS[ORDER] + stamps)[0]
    return np.abs(mixed - attention.identity_attention(TOKENS + stamps)[0][ORDER]).max()


def _equivariant_in_seats(change: float = 1.0) -> bool:
    return bool(np.isclose(_moved(change), 0.0, atol=1e-8))


def _broken_holds(measured: bool, change: float = 1.0) -> tuple[bool, str]:
    if not measured:
        return (
            True,
            f"The outputs differ by up to {_moved(change):.4f}: who sits where makes a difference.",
        )
    return (
        False,
        "Encodings of size 0 are no encodings: without them attention follows "
        "every shuffle, as in lesson 2.",
    )


def _equivariant_with_seats(change: float = 1.0) -> bool:
    rows = TOKENS + change * STAMPS
    shuffled = attention.identity_attention(rows[ORDER])[0]
    return bool(np.allclose(shuffled, attention.identity_attention(rows)[0][ORDER]))


def _travel_holds(measured: bool, change: float = 1.0) -> tuple[bool, str]:
    return (
        measured,
        "Token and seat were added before the shuffle, so attention sees the "
        "same six rows in another order.",
    )


def _winning_scale(base: float = 10000.0) -> float:
    return attention.smallest_winning_scale(TOKENS, encodings.sinusoidal(6, 4, base), 0, 3, GRID)


def _winning_holds(measured: float | None, base: float = 10000.0) -> tuple[bool, str]:
    if measured is None:
        return False, "At no scale up to 4 does the partner win."
    return (
        measured > 1,
        "Unscaled content does not win here; the first scale on the grid that "
        f"does is {measured:g}.",
    )


def _scaled_by_two() -> Array:
    row = _first_row(2.0)
    return np.array([row[0], row[3]])


CLAIMS = (
    Claim(
        "shares-without-position",
        "The shares that t0 gives to the six tokens, without positions",
        [0.51, 0.03, 0.015, 0.389, 0.039, 0.016],
        6e-4,
        lambda: attention.identity_attention(TOKENS)[1][0],
        section="blur",
    ),
    Claim(
        "shares-with-position",
        "With the encodings added the partner t3 falls and the neighbour t1 climbs",
        [0.61, 0.213, 0.02, 0.14, 0.012, 0.004],
        6e-4,
        _first_row,
        (
            Setting("scale", 0.0, 4.0, 0.05, 1.0, "scale of the content"),
            Setting("base", 2.0, 20000.0, 1.0, 10000.0, "base"),
        ),
        _blur_holds,
        "blur",
    ),
    Claim(
        "scale-that-wins",
        "The smallest scale on 0, 0.05, … at which t3 beats the other tokens in "
        "the row of t0: above 1",
        1.15,
        1e-9,
        _winning_scale,
        (Setting("base", 2.0, 20000.0, 1.0, 10000.0, "base"),),
        _winning_holds,
        "scale",
    ),
    Claim(
        "scale-two",
        "At scale 2 t0 keeps most for itself; t3 gets less than without scaling",
        [0.923, 0.077],
        5e-4,
        _scaled_by_two,
        section="scale",
    ),
    Claim(
        "concatenated-shares",
        "The shares of t0 when positions are set beside the content",
        [0.578, 0.067, 0.029, 0.236, 0.052, 0.038],
        6e-4,
        lambda: attention.identity_attention(np.concatenate([TOKENS, STAMPS], axis=1))[1][0],
        section="concatenate",
    ),
    Claim(
        "broken-with-position",
        "With encodings in seat order, attention does not follow a shuffle of the tokens",
        False,
        0,
        _equivariant_in_seats,
        (Setting("change", 0.0, 2.0, 0.1, 1.0, "size of the encodings"),),
        _broken_holds,
        "seats",
    ),
    Claim(
        "equivariant-when-seats-travel",
        "When each token takes its seat number along, attention follows the shuffle again",
        True,
        0,
        _equivariant_with_seats,
        (Setting("change", 0.0, 2.0, 0.1, 1.0, "size of the encodings"),),
        _travel_holds,
        "seats",
    ),
)
