"""What lesson 1 claims."""

from __future__ import annotations

import numpy as np

from posenc import bags
from posenc.lessons.lesson_01.common import reversal
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

WORD = np.array([2.0, 1.0])

ENCODING = np.array([[0.0, 1.0], [1.0, 0.0]])


def _repeated(repeats: float = 2, others: float = 3) -> list[str]:
    """A sentence with "the" so many times, and so many words that occur once."""
    return ["the"] * int(repeats) + [f"word {n}" for n in range(int(others))]


def _orders(repeats: float = 2, others: float = 3) -> int:
    return bags.orders_with_this_bag(_repeated(repeats, others))


def _orders_hold(measured: int, repeats: float = 2, others: float = 3) -> tuple[bool, str]:
    length = int(repeats) + int(others)
    alike = f"{int(repeats)} of them alike" if repeats > 1 else "all different"
    counted = f"{length} tokens, {alike}: {length}! / {int(repeats)}! = {measured:,}."
    if measured > 1:
        return True, f"{counted} All of these sentences have one count vector."
    return False, f"{counted} A bag with a single order loses nothing."


def _reversal_holds(measured: float, encoding: float = 0.0, bend: float = 1.0) -> tuple[bool, str]:
    if measured <= 1e-12 and not encoding:
        return True, "The rows are the same, and a mean does not depend on their order."
    if measured <= 1e-12:
        return True, "Without an activation the encodings add up to one total in every order."
    return (
        False,
        "At each position the encoding meets another word, and the activation combines the two.",
    )


def _two_rows(size: float = 1) -> Array:
    return WORD + size * ENCODING


def _two_rows_hold(measured: Array, size: float = 1) -> tuple[bool, str]:
    if size:
        return True, "The encodings differ, so the two rows of this one word differ as well."
    return False, "Encodings of size 0 add nothing: both rows are the word's own."


def _sums(width: float, words: float) -> Array:
    """Every sum of a different word and a different encoding, all of them made up."""
    rng = np.random.default_rng(0)
    content, encoding = (
        np.unique(rng.integers(-3, 4, (int(count), int(width))), axis=0) for count in (words, 10)
    )
    return (content[:, None] + encoding).reshape(-1, int(width))


def _collisions(width: float = 8, words: float = 50) -> int:
    """How many of the sums are equal to another one."""
    _, counts = np.unique(_sums(width, words), axis=0, return_counts=True)
    return int(counts[counts > 1].sum())


def _collisions_hold(measured: int, width: float = 8, words: float = 50) -> tuple[bool, str]:
    total = len(_sums(width, words))
    if measured == 0:
        return True, f"All {total} sums of a word and an encoding are different."
    return False, f"{measured} of {total} sums are equal to that of another word and position."


CLAIMS = (
    Claim(
        "same-bag-orders",
        "One bag of words belongs to more than one sentence",
        60,
        0,
        _orders,
        (
            Setting("repeats", 1, 6, 1, 2, "occurrences of “the”"),
            Setting("others", 0, 6, 1, 3, "other words, each once"),
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
            Setting("encoding", 0.0, 1.0, 0.1, 0.0, "size of the encodings"),
            Setting("bend", 0.0, 1.0, 0.1, 1.0, "strength of the activation (0: a matrix alone)"),
        ),
        _reversal_holds,
        section="pooled",
    ),
    Claim(
        "one-word-two-positions",
        "The word [2, 1] has different rows at two different positions",
        [[2.0, 2.0], [3.0, 1.0]],
        0,
        _two_rows,
        (Setting("size", 0, 5, 1, 1, "size of the encodings"),),
        _two_rows_hold,
        section="what-and-where",
    ),
    Claim(
        "sums-apart",
        "Each sum of a word and an encoding belongs to one word and one position",
        0,
        0,
        _collisions,
        (
            Setting("width", 1, 16, 1, 8, "width of the rows"),
            Setting("words", 10, 1000, 10, 50, "number of words"),
        ),
        _collisions_hold,
        section="what-and-where",
    ),
)
