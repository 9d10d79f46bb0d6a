"""What lesson 1 asks."""

from __future__ import annotations

import numpy as np

from posenc import bags
from posenc.lessons.lesson_01.common import (
    reversal,
)
from posenc.lessons.model import Option, Question

Array = np.ndarray


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
    return 3 if reversal(stamp=0.0) < 1e-12 else 0


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
                "Two times “the”, once each “cat”, “saw” and “dog”. The event "
                "is another, the counts are not.",
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
                "Choosing the seats of the two “no” fixes everything, and there are more than "
                "four ways to choose two of four seats.",
            ),
            Option("12", False, "One pair has been divided out; the other is still counted twice."),
        ),
        "how-much-is-lost",
        _orders_of_four,
    ),
    Question(
        "1.q3",
        "“bank” stands on seats 3 and 9 of one sentence. What does an embedding "
        "lookup return for them?",
        (
            Option(
                "Two different rows, as the seats differ.",
                False,
                "The lookup is given the word and nothing else. It cannot answer by the seat.",
            ),
            Option(
                "Two rows that training has moved apart, one for each meaning.",
                False,
                "The table holds one row for the word, and training changes that one row. "
                "Meanings are told apart later, from the neighbours.",
            ),
            Option(
                "The same row twice.", True, "One word, one row of the table, wherever it stands."
            ),
            Option(
                "Row 3 and row 9 of the table.",
                False,
                "These are the rows of words number 3 and 9 of the vocabulary. "
                "Seats do not enter the lookup.",
            ),
        ),
        "same-row",
        _rows_of_bank,
    ),
    Question(
        "1.q4",
        "A model defines a layer that adds positions and never calls it. It pools its rows by "
        "their mean. What will its author notice?",
        (
            Option(
                "An error: a layer that is not used has no gradient.",
                False,
                "Frameworks do not mind. A parameter without a gradient stays as it is.",
            ),
            Option(
                "Shapes that do not fit.",
                False,
                "Positions are added without changing a shape, so leaving them "
                "out changes none either.",
            ),
            Option(
                "A loss that does not fall.",
                False,
                "It falls as far as the words alone allow, and that is often far.",
            ),
            Option(
                "Nothing, unless two orders of the same words are compared.",
                True,
                "“a b c” and “c b a” have one pooled vector. That comparison takes two lines "
                "and should be in the tests.",
            ),
        ),
        "pooled",
        _unused_layer,
        seen=("PE048", "PE049"),
    ),
    Question(
        "1.q5",
        "Seat 0 of “dog bitten by person” carries the vector of position 0. "
        "What does it tell a model?",
        (
            Option(
                "That this token stands first.",
                True,
                "That is all. What standing first means for who bites has to be "
                "learned from texts.",
            ),
            Option(
                "That this token is the one who acts.",
                False,
                "Here the first token is the one who is bitten. A position is a "
                "seat, not a part in the sentence.",
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
