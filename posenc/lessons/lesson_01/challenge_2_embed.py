"""Challenge 1.2, A row for each token."""

from __future__ import annotations

import numpy as np

from posenc import bags
from posenc.judging.model import Case, Challenge, Raises
from posenc.lessons.lesson_01.common import (
    LONG_TEXT,
    LONG_VOCABULARY,
    UNKNOWN_OTHER_ERROR,
    UNKNOWN_SKIPPED,
    UNKNOWN_UNNAMED,
    checked,
    some_words,
    text_of,
    with_stranger,
)

Array = np.ndarray


def _table(rng: np.random.Generator, rows: int, width: int) -> Array:
    return rng.uniform(-1, 1, (rows, width)).round(3)


SMALL = np.array([[0.2, 0.9, -0.4], [1.1, -0.3, 0.5], [-0.7, 0.4, 0.8], [0.6, 0.1, -0.9]])


def _draw_lookups(rng: np.random.Generator) -> list[Case]:
    cases = []
    for size, length, width in ((5, 8, 3), (6, 9, 2), (8, 7, 4), (7, 10, 9)):
        vocabulary = some_words(rng, size)
        tokens = text_of(rng, vocabulary, length)
        cases.append(Case((tokens, vocabulary, _table(rng, size, width))))
    vocabulary = some_words(rng, 5)
    tokens = with_stranger(rng, text_of(rng, vocabulary, 6))
    cases.append(
        Case(
            (tokens, vocabulary, _table(rng, 5, 3)),
            raises=Raises(KeyError, ("zebra",)),
            about="an unknown token",
        )
    )
    return cases


LOOKUP = Challenge(
    id="1.2",
    name="embed",
    title="A row for each token",
    section="same-row",
    points=3,
    minutes=8,
    difficulty=1,
    asked="an array (n, d), one row of the table for each token,",
    reference=bags.embed,
    cases=(
        Case((["dog", "bites", "person"], ["person", "dog", "a", "bites"], SMALL)),
        Case(
            (["the", "dog", "sees", "the", "dog"], ["sees", "the", "a", "dog"], SMALL),
            about="words that occur twice",
        ),
        Case((["red"], ["green", "red", "blue", "a"], SMALL), about="one token"),
        Case(
            (["the", "zebra", "sees"], ["sees", "the", "dog", "a"], SMALL),
            raises=Raises(KeyError, ("zebra",)),
            about="an unknown token",
        ),
        Case(
            (LONG_TEXT, LONG_VOCABULARY, _table(np.random.default_rng(5), 64, 16)),
            about="a longer text",
        ),
        Case((["the", "dog", "the"] * 100, ["dog", "a", "the", "no"], SMALL), about="300 tokens"),
    ),
    draw=_draw_lookups,
    hints=(
        "Two steps: from each token to the number of its word, and from the numbers to rows.",
        "`{word: number for number, word in enumerate(vocabulary)}` knows every number, and "
        "raises KeyError for a stranger.",
        "`table[numbers]` with a list of numbers takes those rows, in that "
        "order, as often as they are named.",
    ),
    builds_on={"bag_of_words": "1.1"},
)


def _rows(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[vocabulary.index(token) for token in tokens]]


@LOOKUP.choices
def embedded(tokens, vocabulary, table, *, choose=_rows):
    """The rows that are taken once every token is known."""
    checked(tokens, vocabulary)
    return choose(tokens, vocabulary, table)


embedded.mistake(
    "rows-by-position",
    "row 0 goes to the first token, row 1 to the second, whatever the words",
    "The rows of the table are numbered by the vocabulary. Which of your numbers depends on "
    "the word?",
    choose=lambda tokens, vocabulary, table: table[np.arange(len(tokens))],
)
embedded.mistake(
    "first-rows",
    "the first rows of the table are returned, as many as there are tokens",
    "Which words do these rows belong to? The tokens themselves never enter your answer.",
    choose=lambda tokens, vocabulary, table: table[: len(tokens)],
)


def _rows_by_appearance(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    number = {word: place for place, word in enumerate(dict.fromkeys(tokens))}
    return table[[number[token] for token in tokens]]


embedded.mistake(
    "rows-by-appearance",
    "words are numbered in the order in which they occur in the text",
    "Row k of the table belongs to `vocabulary[k]`. Where is the number of a "
    "word looked up in your code?",
    choose=_rows_by_appearance,
)


def _rows_sorted(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[sorted(vocabulary).index(token) for token in tokens]]


embedded.mistake(
    "sorted-vocabulary",
    "words are numbered in the order of the alphabet",
    "The vocabulary has an order of its own, and the table follows it.",
    choose=_rows_sorted,
)


def _rows_once(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[vocabulary.index(token) for token in dict.fromkeys(tokens)]]


embedded.mistake(
    "each-word-once",
    "a word that occurs twice is looked up once",
    "Five tokens need five rows, equal ones included. What does a set, or the "
    "keys of a dictionary, leave out?",
    choose=_rows_once,
)


def _rows_in_vocabulary_order(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[word in tokens for word in vocabulary]]


embedded.mistake(
    "vocabulary-order",
    "the rows are in the order of the vocabulary, one for each word that occurs",
    "Row p of the answer is the row of token p. Which list should the loop go through?",
    choose=_rows_in_vocabulary_order,
)


def _rows_summed(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return bags.bag_of_words(tokens, vocabulary) @ table


embedded.mistake(
    "summed",
    "the rows have been added up to one vector for the whole text",
    "A sum is the same for every order, like a bag. A lookup returns one row for each token.",
    choose=_rows_summed,
)
embedded.mistake(
    "mean",
    "the mean of the rows is returned, one vector for the whole text",
    "A mean may be taken later. What is asked for has one row for each token.",
    choose=lambda t, v, table: _rows_summed(t, v, table) / len(t),
)


def _rows_one_hot(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return np.eye(len(vocabulary))[bags.rows_of(tokens, vocabulary)]


embedded.mistake(
    "one-hot",
    "each row is all zeros but for a 1 at the word's number; the table was not used",
    "A row with a single 1, times the table, picks one of its rows. Which step is missing?",
    choose=_rows_one_hot,
)
embedded.mistake(
    "token-numbers",
    "the number of each token's word is returned, not its row",
    "These numbers say which rows to take. What does `table[...]` give for a list of numbers?",
    choose=lambda t, v, table: bags.rows_of(t, v),
)
embedded.mistake(
    "transposed",
    "the rows lie on their side: one column for each token",
    "Row p of the answer is token p. Which axis do the tokens run along in yours?",
    choose=lambda t, v, table: bags.embed(t, v, table).T,
)


def _columns(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[:, bags.rows_of(tokens, vocabulary)]


embedded.mistake(
    "columns",
    "columns of the table were taken instead of rows",
    "The table has one row for each word. Which axis does `table[:, k]` count?",
    choose=_columns,
)
embedded.mistake(
    "counted-from-1",
    "words are numbered from 1",
    "`vocabulary[0]` is the first word, and row 0 of the table is its row.",
    choose=lambda t, v, table: table[bags.rows_of(t, v) + 1],
)


@LOOKUP.mistake(*UNKNOWN_SKIPPED)
def unknown_skipped(tokens, vocabulary, table):
    return table[[vocabulary.index(token) for token in tokens if token in vocabulary]]


@LOOKUP.mistake(
    "an unknown token gets a row of zeros",
    "A row of zeros is a valid row, so a missing word would not be noticed. "
    "Which error is asked for?",
)
def unknown_zeros(tokens, vocabulary, table):
    return np.array(
        [
            table[vocabulary.index(token)] if token in vocabulary else np.zeros(table.shape[1])
            for token in tokens
        ]
    )


@LOOKUP.mistake(
    "an unknown token gets row 0, which is the row of another word",
    "What does the second argument of `dict.get` do, and who finds out that a word was missing?",
)
def unknown_first_row(tokens, vocabulary, table):
    number = {word: place for place, word in enumerate(vocabulary)}
    return table[[number.get(token, 0) for token in tokens]]


@LOOKUP.mistake(
    "an unknown token gets row −1, which NumPy takes as the last row of the table",
    "A number that means *not found* is also a number that counts from the end. "
    "Which error is asked for?",
)
def unknown_last_row(tokens, vocabulary, table):
    number = {word: place for place, word in enumerate(vocabulary)}
    return table[[number.get(token, -1) for token in tokens]]


@LOOKUP.mistake(*UNKNOWN_OTHER_ERROR)
def value_error(tokens, vocabulary, table):
    return table[[vocabulary.index(token) for token in tokens]]


@LOOKUP.mistake(*UNKNOWN_UNNAMED)
def unknown_unnamed(tokens, vocabulary, table):
    if not set(tokens) <= set(vocabulary):
        raise KeyError("a token is not in the vocabulary")
    return value_error(tokens, vocabulary, table)


@LOOKUP.has
def one_row_for_one_word(rows, tokens, vocabulary, table):
    for n, token in enumerate(tokens):
        first = tokens.index(token)
        if np.abs(rows[n] - rows[first]).max() > 1e-4:
            return f"tokens {first} and {n} are the same word, {token!r}, and your rows differ."
    return ""


@LOOKUP.has
def rows_of_the_table(rows, tokens, vocabulary, table):
    for n, row in enumerate(rows):
        if np.abs(table - row).max(axis=1).min() > 1e-4:
            return f"your row {n} is not a row of the table."
    return ""
