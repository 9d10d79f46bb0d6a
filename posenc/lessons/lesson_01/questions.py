"""What lesson 1 asks."""

from __future__ import annotations

import numpy as np

from posenc import bags
from posenc.lessons.lesson_01.common import reversal
from posenc.lessons.model import Option, Question

Array = np.ndarray


def _same_counts() -> int:
    """Which listed sentence has the count vector of "the cat saw the dog"."""
    listed = ("the cat saw a dog", "cat saw dog", "the the cat cat saw dog", "the dog saw the cat")
    vocabulary = ["a", "cat", "dog", "saw", "the"]
    wanted = bags.bag_of_words(["the", "cat", "saw", "the", "dog"], vocabulary)
    same = [np.array_equal(wanted, bags.bag_of_words(s.split(), vocabulary)) for s in listed]
    return same.index(True)


def _orders_of_four() -> int:
    return (24, 6, 4, 12).index(bags.orders_with_this_bag(["no", "no", "yes", "yes"]))


def _rows_of_bank() -> int:
    """Whether a lookup gives the word one row at positions 3 and 9."""
    tokens = ["a"] * 3 + ["bank"] + ["a"] * 5 + ["bank"]
    rows = bags.embed(tokens, ["a", "bank"], [[0.0, 1.0], [0.5, 0.25]])
    return 0 if np.array_equal(rows[3], rows[9]) else 1


def _unused_layer() -> int:
    """What a mean tells of a reversed sentence when the encodings are never added."""
    return 2 if reversal(encoding=0.0) < 1e-12 else 1


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
            Option("the the cat cat saw dog", False, "This counts “cat” twice."),
            Option(
                "the dog saw the cat",
                True,
                "“the” occurs twice, and “cat”, “saw” and “dog” once each. The event is "
                "different, and the counts are equal.",
            ),
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
                "Choosing the positions of the two “no” fixes everything, and there are more than "
                "four ways to choose two of four positions.",
            ),
            Option("12", False, "One pair has been divided out; the other is still counted twice."),
        ),
        "how-much-is-lost",
        _orders_of_four,
    ),
    Question(
        "1.q3",
        "“bank” occurs at positions 3 and 9 of one sentence. What does an embedding "
        "lookup return for them?",
        (
            Option(
                "The same row twice.",
                True,
                "The table has one row for the word, and the lookup returns it at every position.",
            ),
            Option(
                "Two different rows, as the positions differ.",
                False,
                "The lookup is given the word and nothing else, so the position has no influence.",
            ),
            Option(
                "Two rows that training has moved apart, one for each meaning.",
                False,
                "The table holds one row for the word, and training changes that one row. "
                "Meanings are told apart later, from the neighbours.",
            ),
            Option(
                "Row 3 and row 9 of the table.",
                False,
                "These are the rows of words number 3 and 9 of the vocabulary. "
                "Positions do not enter the lookup.",
            ),
        ),
        "same-row",
        _rows_of_bank,
    ),
    Question(
        "1.q4",
        "A model defines a layer that adds positional encodings and never calls it. It pools its "
        "rows by their mean. What will its author notice while training it?",
        (
            Option(
                "An error message, because a layer that is not used has no gradient.",
                False,
                "Frameworks accept that. A parameter without a gradient stays as it is.",
            ),
            Option(
                "Shapes that do not fit.",
                False,
                "Adding encodings changes no shape, so leaving them out changes none either.",
            ),
            Option(
                "Possibly nothing at all.",
                True,
                "The loss falls as far as the words alone allow. What shows the fault is a test "
                "that compares “a b c” with “c b a”, which have one pooled vector.",
            ),
            Option(
                "A loss that never falls, because the order is missing.",
                False,
                "It falls as far as the words alone allow, and that is often far.",
            ),
        ),
        "pooled",
        _unused_layer,
        seen=("PE048", "PE049"),
    ),
    Question(
        "1.q5",
        "In “dog bitten by person”, dog carries the encoding of position 0. "
        "What does this encoding tell a model?",
        (
            Option(
                "That this token is first.",
                True,
                "That is all. What being first means for who bites has to be learned from texts.",
            ),
            Option(
                "That this token is the one who acts.",
                False,
                "Here the first token is the one who is bitten. A position is a place in the "
                "sequence, and not a part in the sentence.",
            ),
            Option(
                "That this token is a noun, as sentences begin with nouns.",
                False,
                "The encoding is added for the position, whatever the word.",
            ),
            Option(
                "How far away the other nouns are.",
                False,
                "It represents one position. A distance needs two, and something that compares "
                "them.",
            ),
        ),
        "two-doors",
    ),
)
