"""Words without an order: counts, looked-up rows, and how many sentences share them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import factorial, prod

import numpy as np
from numpy.typing import ArrayLike

from posenc import arguments


def bag_of_words(tokens: Sequence[str], vocabulary: Sequence[str]) -> np.ndarray:
    """How often each word of the vocabulary stands in `tokens`, in vocabulary order.

    Returns whole numbers of shape (V,). KeyError names a token that the vocabulary lacks.
    """
    seats = rows_of(tokens, vocabulary)
    return np.bincount(seats, minlength=len(vocabulary))


def embed(tokens: Sequence[str], vocabulary: Sequence[str], table: ArrayLike) -> np.ndarray:
    """The row of `table` (V, d) for each of the n tokens, shape (n, d).

    The same word has the same row wherever it stands. KeyError names a token that the
    vocabulary lacks; ValueError where `table` has not one row for each word.
    """
    rows = arguments.real_array("table", table, axes=2)
    if len(rows) != len(vocabulary):
        raise ValueError(
            f"table must have one row for each of {len(vocabulary)} words, got {len(rows)} rows"
        )
    return rows[rows_of(tokens, vocabulary)]


def orders_with_this_bag(tokens: Sequence[str]) -> int:
    """How many different sentences have exactly these words, this one included.

    n! divided by the factorial of each word's count: swapping two equal words changes nothing.
    """
    counts = Counter(words("tokens", tokens))
    return factorial(counts.total()) // prod(map(factorial, counts.values()))


def rows_of(tokens: Sequence[str], vocabulary: Sequence[str]) -> np.ndarray:
    """The place of each token in the vocabulary, shape (n,)."""
    spoken = words("tokens", tokens)
    known = words("vocabulary", vocabulary)
    row = {word: index for index, word in enumerate(known)}
    if len(row) != len(known):
        raise ValueError(f"vocabulary must name each word once, got {known}")
    unknown = [token for token in spoken if token not in row]
    if unknown:
        raise KeyError(f"{unknown[0]!r} is not in the vocabulary {known}")
    return np.array([row[token] for token in spoken], dtype=int)


def words(name: str, value: Sequence[str]) -> list[str]:
    """A list of words; one long string would be taken apart into letters, so it is refused."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of words, got {arguments.describe(value)}")
    listed = list(value)
    strangers = [word for word in listed if not isinstance(word, str)]
    if strangers:
        raise TypeError(
            f"{name} must hold words, got {arguments.describe(strangers[0])} among them"
        )
    return listed
