"""What several parts of lesson 1 use."""

from __future__ import annotations

import numpy as np

from posenc import bags

Array = np.ndarray


def pooled(rows: Array, bend: float) -> Array:
    """A mean over rows, each put through one layer; bend is how much of its tanh is used."""
    mixed = rows @ np.random.default_rng(1).uniform(-1, 1, (4, 4))
    return ((1 - bend) * mixed + bend * np.tanh(mixed)).mean(axis=0)


def reversal(encoding: float = 0.0, bend: float = 1.0) -> float:
    """Largest difference between the pooled vectors of a sentence and of its reverse."""
    rng = np.random.default_rng(0)
    rows, positions = rng.uniform(-1, 1, (3, 4)), encoding * rng.uniform(-1, 1, (3, 4))
    forwards = pooled(rows + positions, bend)
    return float(np.abs(forwards - pooled(rows[::-1] + positions, bend)).max())


UNKNOWN_SKIPPED = (
    "a token that is not in the vocabulary is passed over silently",
    "A misspelt word would vanish. Which error is asked for, and what should it name?",
)

UNKNOWN_OTHER_ERROR = (
    "an unknown token ends in another class of error than KeyError",
    "`list.index` raises ValueError where a dictionary raises KeyError. Which one is asked for?",
)

UNKNOWN_UNNAMED = (
    "the KeyError does not name the token that is unknown",
    "Whoever reads the message needs the word itself.",
)


def checked(tokens: list[str], vocabulary: list[str]) -> None:
    bags.rows_of(tokens, vocabulary)


POOL = (
    "a",
    "apple",
    "bites",
    "blue",
    "cat",
    "dog",
    "green",
    "house",
    "in",
    "not",
    "person",
    "red",
    "sees",
    "the",
    "tree",
    "under",
)


def some_words(rng: np.random.Generator, count: int) -> list[str]:
    """Different words that are neither in the order of the alphabet nor in its reverse."""
    while True:
        drawn = [str(word) for word in rng.permutation(POOL)[:count]]
        if drawn not in (sorted(drawn), sorted(drawn, reverse=True)):
            return drawn


def text_of(rng: np.random.Generator, vocabulary: list[str], length: int) -> list[str]:
    """A text in another order than the vocabulary, with a word that occurs twice."""
    while True:
        tokens = [str(word) for word in rng.choice(vocabulary, length)]
        seen = list(dict.fromkeys(tokens))
        listed = [word for word in vocabulary if word in seen]
        if 2 < len(seen) < length and seen not in (sorted(seen), listed):
            return tokens


def with_stranger(rng: np.random.Generator, tokens: list[str]) -> list[str]:
    place = int(rng.integers(len(tokens) + 1))
    return [*tokens[:place], "zebra", *tokens[place:]]


LONG_VOCABULARY = [f"word{n}" for n in np.random.default_rng(3).permutation(64).tolist()]

LONG_TEXT = [LONG_VOCABULARY[n] for n in np.random.default_rng(4).integers(0, 64, 90).tolist()]
