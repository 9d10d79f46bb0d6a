"""What lesson 1 claims."""

from __future__ import annotations

import numpy as np

from posenc import bags
from posenc.lessons.lesson_01.common import (
    reversal,
)
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

WORD = np.array([2.0, 1.0])

SEATS = np.array([[0.0, 1.0], [1.0, 0.0]])


def _repeated(repeats: float = 2, others: float = 3) -> list[str]:
    """A sentence with "the" so many times, and so many words that come once."""
    return ["the"] * int(repeats) + [f"word {n}" for n in range(int(others))]


def _orders(repeats: float = 2, others: float = 3) -> int:
    return bags.orders_with_this_bag(_repeated(repeats, others))


def _orders_hold(measured: int, repeats: float = 2, others: float = 3) -> tuple[bool, str]:
    length = int(repeats) + int(others)
    alike = f"{int(repeats)} of them alike" if repeats > 1 else "all different"
    counted = f"{length} tokens, {alike}: {length}! / {int(repeats)}! = {measured:,}."
    if measured == 60:
        return True, f"{counted} All of these sentences have one count vector."
    return False, f"{counted} The 60 belongs to five tokens of which two are alike."


def _reversal_holds(measured: float, stamp: float = 0.0, bend: float = 1.0) -> tuple[bool, str]:
    if measured <= 1e-12 and not stamp:
        return True, "The rows are the same and a mean does not care in which order they come."
    if measured <= 1e-12:
        return True, "Without a bend, the stamps add up to the same total whoever wears them."
    return (
        False,
        "A stamp meets another word on each seat, and the bend keeps what they make of it.",
    )


def _two_seats(size: float = 1) -> Array:
    return WORD + size * SEATS


def _two_seats_hold(measured: Array, size: float = 1) -> tuple[bool, str]:
    if size:
        return True, "The position vectors differ, so the two rows of this one word differ as well."
    return (
        False,
        "Position vectors of size 0 add nothing: both rows are the word's own, "
        "and the seat is gone.",
    )


CLAIMS = (
    Claim(
        "same-bag-orders",
        "The words of “the dog chased the cat” stand in 60 different orders",
        60,
        0,
        _orders,
        (
            Setting("repeats", 1, 6, 1, 2, "times that “the” comes"),
            Setting("others", 1, 6, 1, 3, "other words, each once"),
        ),
        _orders_hold,
        section="how-much-is-lost",
    ),
    Claim(
        "pooled-reversal",
        "Reversing a sentence does not change the mean of its rows, each put "
        "through the same layer",
        0.0,
        1e-12,
        reversal,
        (
            Setting("stamp", 0.0, 1.0, 0.1, 0.0, "size of a vector added for the seat"),
            Setting("bend", 0.0, 1.0, 0.1, 1.0, "bend of the layer (0: a matrix only)"),
        ),
        _reversal_holds,
        section="pooled",
    ),
    Claim(
        "one-word-two-positions",
        "The word [2, 1] gives two rows, [2, 2] and [3, 1], with the position "
        "vectors [0, 1] and [1, 0]",
        [[2.0, 2.0], [3.0, 1.0]],
        0,
        _two_seats,
        (Setting("size", 0, 5, 1, 1, "size of the position vectors"),),
        _two_seats_hold,
        section="what-and-where",
    ),
)
