"""Lesson 1, the order problem: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import factorial, prod
from typing import Any

import numpy as np

from posenc import bags
from posenc.judging.model import Case, Challenge, Misconception, Raises
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray

# ------------------------------------------------------------------ claims

WORD = np.array([2.0, 1.0])
SEATS = np.array([[0.0, 1.0], [1.0, 0.0]])
SENTENCE = ("the", "dog", "chased", "the", "cat")


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


def _pooled(rows: Array, bend: float) -> Array:
    """A mean over rows, each put through the same layer; bend is how much of the tanh is used."""
    mixed = rows @ np.random.default_rng(1).uniform(-1, 1, (4, 4))
    return ((1 - bend) * mixed + bend * np.tanh(mixed)).mean(axis=0)


def _reversal(stamp: float = 0.0, bend: float = 1.0) -> float:
    """Largest difference between the pooled vectors of a sentence and of its reverse."""
    rng = np.random.default_rng(0)
    rows, seats = rng.uniform(-1, 1, (3, 4)), rng.uniform(-1, 1, (3, 4))
    forwards = _pooled(rows + stamp * seats, bend)
    return float(np.abs(forwards - _pooled(rows[::-1] + stamp * seats, bend)).max())


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
        "Position vectors of size 0 add nothing: both rows are the word's own, and the seat is gone.",
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
        "Reversing a sentence does not change the mean of its rows, each put through the same layer",
        0.0,
        1e-12,
        _reversal,
        (
            Setting("stamp", 0.0, 1.0, 0.1, 0.0, "size of a vector added for the seat"),
            Setting("bend", 0.0, 1.0, 0.1, 1.0, "bend of the layer (0: a matrix only)"),
        ),
        _reversal_holds,
        section="pooled",
    ),
    Claim(
        "one-word-two-positions",
        "The word [2, 1] gives two rows, [2, 2] and [3, 1], with the position vectors [0, 1] and [1, 0]",
        [[2.0, 2.0], [3.0, 1.0]],
        0,
        _two_seats,
        (Setting("size", 0, 5, 1, 1, "size of the position vectors"),),
        _two_seats_hold,
        section="what-and-where",
    ),
)

# ------------------------------------------------------------------ questions


def _same_counts() -> int:
    """Which listed sentence has the count vector of "the cat saw the dog"."""
    listed = ("the cat saw a dog", "cat saw dog", "the dog saw the cat", "the the cat cat saw dog")
    vocabulary = ["a", "cat", "dog", "saw", "the"]
    wanted = bags.bag_of_words(["the", "cat", "saw", "the", "dog"], vocabulary)
    same = [np.array_equal(wanted, bags.bag_of_words(s.split(), vocabulary)) for s in listed]
    return same.index(True)


def _orders_of_four() -> int:
    return (24, 6, 4, 12).index(bags.orders_with_this_bag(["no", "no", "yes", "yes"]))


def _rows_of_bank() -> int:
    """Whether a lookup gives the word on seats 3 and 9 one row."""
    tokens = ["a"] * 3 + ["bank"] + ["a"] * 5 + ["bank"]
    rows = bags.embed(tokens, ["a", "bank"], [[0.0, 1.0], [0.5, 0.25]])
    return 2 if np.array_equal(rows[3], rows[9]) else 0


def _unused_layer() -> int:
    """What a mean tells of a reversed sentence when the stamps are never added."""
    return 3 if _reversal(stamp=0.0) < 1e-12 else 0


QUESTIONS = (
    Question(
        "1.q1",
        "Which sentence has the same count vector as “the cat saw the dog”?",
        (
            Option(
                "the cat saw a dog",
                False,
                "This has one “the” and one “a”; the other has “the” twice.",
            ),
            Option("cat saw dog", False, "The counts of “the” differ: 2 there, 0 here."),
            Option(
                "the dog saw the cat",
                True,
                "Two times “the”, once each “cat”, “saw” and “dog”. The event is another, the counts are not.",
            ),
            Option("the the cat cat saw dog", False, "This counts “cat” twice."),
        ),
        "one-bag",
        _same_counts,
    ),
    Question(
        "1.q2",
        "How many different sentences have the words no, no, yes, yes?",
        (
            Option(
                "24",
                False,
                "This is 4!, which counts an exchange of the two “no” as a new sentence.",
            ),
            Option("6", True, "4! / (2! · 2!) = 6: both pairs of equal words are divided out."),
            Option(
                "4",
                False,
                "Choosing the seats of the two “no” fixes everything, and there are more than four ways to choose two of four seats.",
            ),
            Option("12", False, "One pair has been divided out; the other is still counted twice."),
        ),
        "how-much-is-lost",
        _orders_of_four,
    ),
    Question(
        "1.q3",
        "“bank” stands on seats 3 and 9 of one sentence. What does an embedding lookup return for them?",
        (
            Option(
                "Two different rows, as the seats differ.",
                False,
                "The lookup is given the word and nothing else. It cannot answer by the seat.",
            ),
            Option(
                "Two rows that training has moved apart, one for each meaning.",
                False,
                "The table holds one row for the word, and training changes that one row. Meanings are told apart later, from the neighbours.",
            ),
            Option(
                "The same row twice.", True, "One word, one row of the table, wherever it stands."
            ),
            Option(
                "Row 3 and row 9 of the table.",
                False,
                "These are the rows of words number 3 and 9 of the vocabulary. Seats do not enter the lookup.",
            ),
        ),
        "same-row",
        _rows_of_bank,
    ),
    Question(
        "1.q4",
        "A model defines a layer that adds positions and never calls it. It pools its rows by their mean. What will its author notice?",
        (
            Option(
                "An error: a layer that is not used has no gradient.",
                False,
                "Frameworks do not mind. A parameter without a gradient stays as it is.",
            ),
            Option(
                "Shapes that do not fit.",
                False,
                "Positions are added without changing a shape, so leaving them out changes none either.",
            ),
            Option(
                "A loss that does not fall.",
                False,
                "It falls as far as the words alone allow, and that is often far.",
            ),
            Option(
                "Nothing, unless two orders of the same words are compared.",
                True,
                "“a b c” and “c b a” have one pooled vector. That comparison takes two lines and should be in the tests.",
            ),
        ),
        "pooled",
        _unused_layer,
        seen=("PE048", "PE049"),
    ),
    Question(
        "1.q5",
        "Seat 0 of “dog bitten by person” carries the vector of position 0. What does it tell a model?",
        (
            Option(
                "That this token stands first.",
                True,
                "That is all. What standing first means for who bites has to be learned from texts.",
            ),
            Option(
                "That this token is the one who acts.",
                False,
                "Here the first token is the one who is bitten. A position is a seat, not a part in the sentence.",
            ),
            Option(
                "That this token is a noun, as sentences begin with nouns.",
                False,
                "A position vector is added for the seat, whatever the word.",
            ),
            Option(
                "How far away the other nouns are.",
                False,
                "It holds one seat. A distance needs two seats and something that compares them.",
            ),
        ),
        "two-doors",
    ),
)

# ------------------------------------------------------------------ 1.1 a bag of words

UNKNOWN_SKIPPED = (
    "a token that the vocabulary lacks is passed over without a word",
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


def _checked(tokens: list[str], vocabulary: list[str]) -> None:
    bags.rows_of(tokens, vocabulary)


def _presence(tokens: list[str], vocabulary: list[str]) -> list[int]:
    _checked(tokens, vocabulary)
    return [int(word in tokens) for word in vocabulary]


def _presence_unknown_skipped(tokens: list[str], vocabulary: list[str]) -> list[int]:
    return [int(word in tokens) for word in vocabulary]


def _counts_sorted(tokens: list[str], vocabulary: list[str]) -> list[int]:
    _checked(tokens, vocabulary)
    return [tokens.count(word) for word in sorted(vocabulary)]


def _counts_of_sorted_tokens(tokens: list[str], vocabulary: list[str]) -> Array:
    return np.unique(tokens, return_counts=True)[1]


def _counts_by_appearance(tokens: list[str], vocabulary: list[str]) -> list[int]:
    return list(Counter(tokens).values())


def _unknown_skipped(tokens: list[str], vocabulary: list[str]) -> list[int]:
    return [tokens.count(word) for word in vocabulary]


def _counts_by_index(tokens: list[str], vocabulary: list[str]) -> Array:
    counts = np.zeros(len(vocabulary), dtype=int)
    for token in tokens:
        counts[vocabulary.index(token)] += 1
    return counts


def _counts_unnamed(tokens: list[str], vocabulary: list[str]) -> list[int]:
    if not set(tokens) <= set(vocabulary):
        raise KeyError("a token is not in the vocabulary")
    return [tokens.count(word) for word in vocabulary]


def _counts_shared(tokens: list[str], vocabulary: list[str]) -> Array:
    return bags.bag_of_words(tokens, vocabulary) / len(tokens)


def _one_row_each(tokens: list[str], vocabulary: list[str]) -> Array:
    return np.eye(len(vocabulary), dtype=int)[bags.rows_of(tokens, vocabulary)]


def _token_numbers(tokens: list[str], vocabulary: list[str]) -> Array:
    return bags.rows_of(tokens, vocabulary)


def _parts_counted(tokens: list[str], vocabulary: list[str]) -> list[int]:
    _checked(tokens, vocabulary)
    return [" ".join(tokens).count(word) for word in vocabulary]


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


def _some_words(rng: np.random.Generator, count: int) -> list[str]:
    """Different words that are neither in the order of the alphabet nor in its reverse."""
    while True:
        drawn = [str(word) for word in rng.permutation(POOL)[:count]]
        if drawn not in (sorted(drawn), sorted(drawn, reverse=True)):
            return drawn


def _text_of(rng: np.random.Generator, vocabulary: list[str], length: int) -> list[str]:
    """A text whose words come in another order than in the vocabulary, with a word that comes twice."""
    while True:
        tokens = [str(word) for word in rng.choice(vocabulary, length)]
        seen = list(dict.fromkeys(tokens))
        listed = [word for word in vocabulary if word in seen]
        if 2 < len(seen) < length and seen not in (sorted(seen), listed):
            return tokens


def _with_stranger(rng: np.random.Generator, tokens: list[str]) -> list[str]:
    place = int(rng.integers(len(tokens) + 1))
    return [*tokens[:place], "zebra", *tokens[place:]]


def _draw_bags(rng: np.random.Generator) -> list[Case]:
    cases = []
    for size, length in ((5, 8), (7, 11), (9, 6), (6, 12)):
        vocabulary = _some_words(rng, size)
        cases.append(Case((_text_of(rng, vocabulary, length), vocabulary)))
    vocabulary = _some_words(rng, 6)
    tokens = _with_stranger(rng, _text_of(rng, vocabulary, 7))
    cases.append(
        Case((tokens, vocabulary), raises=Raises(KeyError, ("zebra",)), about="an unknown token")
    )
    return cases


LONG_VOCABULARY = [f"word{n}" for n in np.random.default_rng(3).permutation(64).tolist()]
LONG_TEXT = [LONG_VOCABULARY[n] for n in np.random.default_rng(4).integers(0, 64, 90).tolist()]

BAG = Challenge(
    id="1.1",
    name="bag_of_words",
    title="A bag of words",
    section="one-bag",
    points=3,
    minutes=8,
    difficulty=1,
    asked="a one-dimensional array with one count for each word of the vocabulary",
    reference=bags.bag_of_words,
    cases=(
        Case((["dog", "bites", "person"], ["person", "dog", "bites"])),
        Case(
            (["the", "dog", "chased", "the", "cat"], ["cat", "the", "a", "dog", "chased"]),
            about="a word that comes twice, and one that does not come",
        ),
        Case((["red"], ["green", "red", "blue"]), about="one token"),
        Case(
            (["the", "zebra", "bites"], ["bites", "the", "dog"]),
            raises=Raises(KeyError, ("zebra",)),
            about="an unknown token",
        ),
        Case(
            (["then", "the", "other"], ["other", "the", "then"]),
            about="words that lie in other words",
        ),
        Case((LONG_TEXT, LONG_VOCABULARY), about="a longer text"),
    ),
    draw=_draw_bags,
    misconceptions=(
        Misconception(
            "presence",
            _presence,
            "a word counts once however often it comes",
            "“the” stands in the sentence twice. What does `counts[rows] += 1` add where a row number "
            "comes twice, and what does `in` answer?",
        ),
        Misconception(
            "presence-unknown-skipped",
            _presence_unknown_skipped,
            "two slips came together: a word counts once however often it comes, and an unknown token is passed over",
            "Mend one at a time: first the word that comes twice, then the token that the vocabulary lacks.",
        ),
        Misconception(
            "sorted-vocabulary",
            _counts_sorted,
            "the counts stand in the order of the alphabet, not in that of the vocabulary",
            "Entry k belongs to `vocabulary[k]`. Which word does your entry 0 belong to?",
        ),
        Misconception(
            "sorted-tokens",
            _counts_of_sorted_tokens,
            "only the words that come are counted, in the order of the alphabet",
            "Two texts can be compared only if both have one entry for each word of the vocabulary. How many entries are asked for?",
        ),
        Misconception(
            "first-appearance",
            _counts_by_appearance,
            "the counts stand in the order in which the words first come in the text",
            "That order is what a bag has to forget. Which list gives the order of the entries?",
        ),
        Misconception("unknown-skipped", _unknown_skipped, *UNKNOWN_SKIPPED),
        Misconception("value-error", _counts_by_index, *UNKNOWN_OTHER_ERROR),
        Misconception("unknown-unnamed", _counts_unnamed, *UNKNOWN_UNNAMED),
        Misconception(
            "shares",
            _counts_shared,
            "counts are divided by the length of the text",
            "These are shares. A count is a whole number.",
        ),
        Misconception(
            "one-row-each",
            _one_row_each,
            "each token has a row of its own, with a 1 at its word; the rows have not been added up",
            "The bag forgets which token came when. Over which axis should the rows be summed?",
        ),
        Misconception(
            "token-numbers",
            _token_numbers,
            "the number of each token's word came, in the order of the text",
            "That is a list of where to count. What should happen at each of these places?",
        ),
        Misconception(
            "parts-counted",
            _parts_counted,
            "words are counted inside other words, “the” in “then” for one",
            "A text joined to one string has lost where its words end. What can be counted in the list itself?",
        ),
    ),
    hints=(
        "One entry for each word of the vocabulary, and a list can count: `tokens.count(word)`.",
        "An unknown token never meets an entry, so it has to be looked for: go through the tokens as well.",
        "Make a dictionary from each word to its place. `place[token]` raises the KeyError by itself; add 1 at that place.",
    ),
)

# ------------------------------------------------------------------ 1.2 an embedding lookup


def _embedded_by(choose: Callable[[list[str], list[str], Array], Any]) -> Callable[..., Any]:
    """A wrong 1.2 that knows the unknown token and takes something else than asked."""

    def wrong(tokens: list[str], vocabulary: list[str], table: Array) -> Any:
        _checked(tokens, vocabulary)
        return choose(tokens, vocabulary, table)

    return wrong


def _rows_by_appearance(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    number = {word: place for place, word in enumerate(dict.fromkeys(tokens))}
    return table[[number[token] for token in tokens]]


def _rows_sorted(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[sorted(vocabulary).index(token) for token in tokens]]


def _rows_once(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[vocabulary.index(token) for token in dict.fromkeys(tokens)]]


def _rows_in_vocabulary_order(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[word in tokens for word in vocabulary]]


def _rows_summed(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return bags.bag_of_words(tokens, vocabulary) @ table


def _rows_one_hot(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return np.eye(len(vocabulary))[bags.rows_of(tokens, vocabulary)]


def _columns(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[:, bags.rows_of(tokens, vocabulary)]


def _rows_known(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[vocabulary.index(token) for token in tokens if token in vocabulary]]


def _unknown_as_zeros(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return np.array(
        [
            table[vocabulary.index(token)] if token in vocabulary else np.zeros(table.shape[1])
            for token in tokens
        ]
    )


def _unknown_as_first(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    number = {word: place for place, word in enumerate(vocabulary)}
    return table[[number.get(token, 0) for token in tokens]]


def _unknown_as_last(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    number = {word: place for place, word in enumerate(vocabulary)}
    return table[[number.get(token, -1) for token in tokens]]


def _rows_by_index(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    return table[[vocabulary.index(token) for token in tokens]]


def _rows_unnamed(tokens: list[str], vocabulary: list[str], table: Array) -> Array:
    if not set(tokens) <= set(vocabulary):
        raise KeyError("a token is not in the vocabulary")
    return _rows_by_index(tokens, vocabulary, table)


def _table(rng: np.random.Generator, rows: int, width: int) -> Array:
    return rng.uniform(-1, 1, (rows, width)).round(3)


SMALL = np.array([[0.2, 0.9, -0.4], [1.1, -0.3, 0.5], [-0.7, 0.4, 0.8], [0.6, 0.1, -0.9]])


def _draw_lookups(rng: np.random.Generator) -> list[Case]:
    cases = []
    for size, length, width in ((5, 8, 3), (6, 9, 2), (8, 7, 4), (7, 10, 9)):
        vocabulary = _some_words(rng, size)
        tokens = _text_of(rng, vocabulary, length)
        cases.append(Case((tokens, vocabulary, _table(rng, size, width))))
    vocabulary = _some_words(rng, 5)
    tokens = _with_stranger(rng, _text_of(rng, vocabulary, 6))
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
            about="words that come twice",
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
    ),
    draw=_draw_lookups,
    misconceptions=(
        Misconception(
            "rows-by-seat",
            _embedded_by(lambda tokens, vocabulary, table: table[np.arange(len(tokens))]),
            "row 0 goes to the first token, row 1 to the second, whatever the words",
            "The table is numbered by the vocabulary. Which number belongs to the word, and which to the seat?",
        ),
        Misconception(
            "first-rows",
            _embedded_by(lambda tokens, vocabulary, table: table[: len(tokens)]),
            "the first rows of the table came, as many as there are tokens",
            "Which words do these rows belong to? The tokens themselves never enter your answer.",
        ),
        Misconception(
            "rows-by-appearance",
            _embedded_by(_rows_by_appearance),
            "words are numbered in the order in which they come in the text",
            "Row k of the table belongs to `vocabulary[k]`. Where is the number of a word looked up in your code?",
        ),
        Misconception(
            "sorted-vocabulary",
            _embedded_by(_rows_sorted),
            "words are numbered in the order of the alphabet",
            "The vocabulary has an order of its own, and the table follows it.",
        ),
        Misconception(
            "each-word-once",
            _embedded_by(_rows_once),
            "a word that comes twice is looked up once",
            "Five tokens need five rows, equal ones included. What did a set, or the keys of a dictionary, leave out?",
        ),
        Misconception(
            "vocabulary-order",
            _embedded_by(_rows_in_vocabulary_order),
            "the rows stand in the order of the vocabulary, one for each word that comes",
            "Row p of the answer is the row of token p. Which list should the loop go through?",
        ),
        Misconception(
            "summed",
            _embedded_by(_rows_summed),
            "the rows have been added up to one vector for the whole text",
            "That is the bag again. The lookup keeps one row for each token.",
        ),
        Misconception(
            "mean",
            _embedded_by(lambda t, v, table: _rows_summed(t, v, table) / len(t)),
            "the mean of the rows came, one vector for the whole text",
            "The mean comes after the lookup, if it comes at all. What is asked for has one row for each token.",
        ),
        Misconception(
            "one-hot",
            _embedded_by(_rows_one_hot),
            "each row is all zeros but for a 1 at the word's number; the table was not used",
            "A row with a single 1, times the table, picks one of its rows. Which step is missing?",
        ),
        Misconception(
            "token-numbers",
            _embedded_by(lambda t, v, table: bags.rows_of(t, v)),
            "the number of each token's word came, not its row",
            "These numbers say which rows to take. What does `table[...]` give for a list of numbers?",
        ),
        Misconception(
            "transposed",
            _embedded_by(lambda t, v, table: bags.embed(t, v, table).T),
            "the rows lie on their side: one column for each token",
            "Row p of the answer is token p. Which axis do the tokens run along in yours?",
        ),
        Misconception(
            "columns",
            _embedded_by(_columns),
            "columns of the table were taken instead of rows",
            "The table has one row for each word. Which axis does `table[:, k]` count?",
        ),
        Misconception(
            "counted-from-1",
            _embedded_by(lambda t, v, table: table[bags.rows_of(t, v) + 1]),
            "words are numbered from 1",
            "`vocabulary[0]` is the first word, and row 0 of the table is its row.",
        ),
        Misconception("unknown-skipped", _rows_known, *UNKNOWN_SKIPPED),
        Misconception(
            "unknown-zeros",
            _unknown_as_zeros,
            "an unknown token gets a row of zeros",
            "Zeros are a vector like any other: nobody would notice the missing word. Which error is asked for?",
        ),
        Misconception(
            "unknown-first-row",
            _unknown_as_first,
            "an unknown token gets row 0, which is the row of another word",
            "What does the second argument of `dict.get` do, and who finds out that a word was missing?",
        ),
        Misconception(
            "unknown-last-row",
            _unknown_as_last,
            "an unknown token gets row −1, which NumPy takes as the last row of the table",
            "A number that means *not found* is also a number that counts from the end. Which error is asked for?",
        ),
        Misconception("value-error", _rows_by_index, *UNKNOWN_OTHER_ERROR),
        Misconception("unknown-unnamed", _rows_unnamed, *UNKNOWN_UNNAMED),
    ),
    hints=(
        "Two steps: from each token to the number of its word, and from the numbers to rows.",
        "`{word: number for number, word in enumerate(vocabulary)}` knows every number, and raises KeyError for a stranger.",
        "`table[numbers]` with a list of numbers takes those rows, in that order, as often as they are named.",
    ),
    builds_on={"bag_of_words": "1.1"},
)

# ------------------------------------------------------------------ 1.3 how many orders


def _counted(tokens: list[str]) -> list[int]:
    return list(Counter(tokens).values())


def _arranged(rng: np.random.Generator, counts: list[int]) -> list[str]:
    """A text with words that come so many times each, in any order."""
    drawn = [str(word) for word in rng.permutation(POOL)[: len(counts)]]
    tokens = [word for word, count in zip(drawn, counts) for _ in range(count)]
    return [tokens[place] for place in rng.permutation(len(tokens))]


def _draw_texts(rng: np.random.Generator) -> list[Case]:
    patterns = ([2, 1, 1], [3, 2, 1], [2, 2, 1, 1], [4, 3], [3, 3, 2, 1], [4, 4, 2, 1, 1])
    cases = [Case((_arranged(rng, patterns[k]),)) for k in rng.permutation(len(patterns))[:4]]
    many = int(rng.integers(8, 11))
    cases.append(Case((_arranged(rng, [2] + [1] * many),), about=f"{many + 2} tokens"))
    cases.append(Case((_arranged(rng, [1] * 11),), about="eleven different tokens"))
    return cases


ORDERS = Challenge(
    id="1.3",
    name="orders_with_this_bag",
    title="How many sentences share a bag",
    section="how-much-is-lost",
    points=4,
    minutes=10,
    difficulty=2,
    asked="one whole number",
    reference=bags.orders_with_this_bag,
    cases=(
        Case((["dog", "bites", "person"],)),
        Case((["the", "dog", "chased", "the", "cat"],), about="a word that comes twice"),
        Case((["no"],), about="one token"),
        Case((["a", "b", "a", "b"],), about="two words, each twice"),
        Case((["la", "la", "la"],), about="one word three times"),
        # A list of all orders is made inside one call of C, which no timer of this process ends. So
        # the first long texts take it seconds and next to no memory, and the time is over before
        # the texts of different words, for which it would ask for many gigabytes.
        Case((["la", "di"] * 5 + ["la"],), about="eleven tokens, two words"),
        Case((["no", "yes", "no"] * 3 + ["so", "so"],), about="eleven tokens, three words"),
        Case((list(POOL[:10]),), about="ten different tokens"),
        Case((list(POOL[4:16]),), about="twelve different tokens"),
    ),
    draw=_draw_texts,
    misconceptions=(
        Misconception(
            "repeats-told-apart",
            lambda tokens: factorial(len(tokens)),
            "equal words are told apart: exchanging the two “the” counts as another sentence",
            "Write down all orders of a, a, b. How many are there, and how many does your formula give?",
        ),
        Misconception(
            "one-less",
            lambda tokens: bags.orders_with_this_bag(tokens) - 1,
            "the sentence itself is left out",
            "“This one included”: with a single token there is one sentence.",
        ),
        Misconception(
            "repeats-told-apart-one-less",
            lambda tokens: factorial(len(tokens)) - 1,
            "two slips came together: equal words are told apart, and the sentence itself is left out",
            "Mend one at a time, and try a, a, b by hand: there are three sentences.",
        ),
        Misconception(
            "different-words-only",
            lambda tokens: factorial(len(set(tokens))),
            "only the different words are put in order; repeats are dropped",
            "A word that comes twice takes two seats. How many seats are there to fill?",
        ),
        Misconception(
            "divided-by-counts",
            lambda tokens: factorial(len(tokens)) // prod(_counted(tokens)),
            "the factorial of n is divided by the counts themselves",
            "Three equal words can change places among themselves in more than three ways. In how many?",
        ),
        Misconception(
            "divided-by-sum",
            lambda tokens: factorial(len(tokens)) / sum(map(factorial, _counted(tokens))),
            "the numbers of ways in which equal words change places are added up before dividing",
            "Two “no” and two “yes” change places independently of each other. Do such choices add or multiply?",
        ),
        Misconception(
            "one-word-only",
            lambda tokens: factorial(len(tokens)) // factorial(max(_counted(tokens))),
            "only one of the words that come several times is divided out",
            "With a, a, b, b there are two pairs that can change places. Was the second one counted?",
        ),
        Misconception(
            "seats-filled-freely",
            lambda tokens: len(set(tokens)) ** len(tokens),
            "each seat may take any of the words, as often as it likes",
            "A sentence with this bag uses each word exactly as often as it is there.",
        ),
    ),
    hints=(
        "If all n tokens were different there would be n! orders. Which of these read the same when two tokens are equal?",
        "A word that comes three times can change places with itself in 3! ways, and none of them shows.",
        "n! divided by the factorial of each word's count. Listing all orders takes too long: twelve tokens have 479,001,600.",
    ),
)

CHALLENGES = (BAG, LOOKUP, ORDERS)
