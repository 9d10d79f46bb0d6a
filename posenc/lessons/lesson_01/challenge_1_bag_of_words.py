"""Challenge 1.1, A bag of words."""

from __future__ import annotations

from collections import Counter

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


def _draw_bags(rng: np.random.Generator) -> list[Case]:
    cases = []
    for size, length in ((5, 8), (7, 11), (9, 6), (6, 12)):
        vocabulary = some_words(rng, size)
        cases.append(Case((text_of(rng, vocabulary, length), vocabulary)))
    vocabulary = some_words(rng, 6)
    tokens = with_stranger(rng, text_of(rng, vocabulary, 7))
    cases.append(
        Case((tokens, vocabulary), raises=Raises(KeyError, ("zebra",)), about="an unknown token")
    )
    return cases


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
            about="a word that occurs twice, and one that does not occur",
        ),
        Case((["red"], ["green", "red", "blue"]), about="one token"),
        Case((["bites"], ["person", "dog", "bites"])),
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
        Case(
            (["w7"] * 300 + ["w2", "w259"], [f"w{n}" for n in range(260)]),
            about="one word 300 times, and a large vocabulary",
        ),
    ),
    draw=_draw_bags,
    hints=(
        "One entry for each word of the vocabulary, and a list can count: `tokens.count(word)`.",
        "An unknown token never meets an entry, so it has to be looked for: go "
        "through the tokens as well.",
        "Make a dictionary from each word to its place. `place[token]` raises the KeyError by "
        "itself; add 1 at that place.",
    ),
)


@BAG.mistake(
    "a word counts once, however often it occurs",
    "“the” occurs twice in the sentence. What does `counts[rows] += 1` add where a row number "
    "occurs twice, and what does `in` answer?",
)
def presence(tokens, vocabulary):
    checked(tokens, vocabulary)
    return [int(word in tokens) for word in vocabulary]


@BAG.mistake(
    "there are two slips: a word counts once, however often it occurs, and an "
    "unknown token is passed over",
    "Fix one at a time: first the word that occurs twice, then the token that "
    "is not in the vocabulary.",
)
def presence_unknown_skipped(tokens, vocabulary):
    return [int(word in tokens) for word in vocabulary]


@BAG.mistake(
    "the counts are in the order of the alphabet, not in that of the vocabulary",
    "Entry k belongs to `vocabulary[k]`. Which word does your entry 0 belong to?",
)
def sorted_vocabulary(tokens, vocabulary):
    checked(tokens, vocabulary)
    return [tokens.count(word) for word in sorted(vocabulary)]


@BAG.mistake(
    "only the words that occur are counted, in the order of the alphabet",
    "Two texts can be compared only if both have one entry for each word of the vocabulary. "
    "How many entries are asked for?",
)
def sorted_tokens(tokens, vocabulary):
    return np.unique(tokens, return_counts=True)[1]


@BAG.mistake(
    "the counts are in the order in which the words first occur in the text",
    "Two orders of one text would get different answers. Which list sets the order here?",
)
def first_appearance(tokens, vocabulary):
    return list(Counter(tokens).values())


@BAG.mistake(*UNKNOWN_SKIPPED)
def unknown_skipped(tokens, vocabulary):
    return [tokens.count(word) for word in vocabulary]


@BAG.mistake(*UNKNOWN_OTHER_ERROR)
def value_error(tokens, vocabulary):
    counts = np.zeros(len(vocabulary), dtype=int)
    for token in tokens:
        counts[vocabulary.index(token)] += 1
    return counts


@BAG.mistake(*UNKNOWN_UNNAMED)
def unknown_unnamed(tokens, vocabulary):
    if not set(tokens) <= set(vocabulary):
        raise KeyError("a token is not in the vocabulary")
    return [tokens.count(word) for word in vocabulary]


@BAG.mistake(
    "counts are divided by the length of the text",
    "These are fractions. A count is a whole number.",
)
def divided_by_length(tokens, vocabulary):
    return bags.bag_of_words(tokens, vocabulary) / len(tokens)


@BAG.mistake(
    "each token has a row of its own, with a 1 at its word; the rows have not been added up",
    "A bag has one count for each word, and yours has a row for each token. Over which axis "
    "should the rows be summed?",
)
def one_row_each(tokens, vocabulary):
    return np.eye(len(vocabulary), dtype=int)[bags.rows_of(tokens, vocabulary)]


@BAG.mistake(
    "the number of each token's word is returned, in the order of the text",
    "These numbers say where to count. What should happen at each of them?",
)
def token_numbers(tokens, vocabulary):
    return bags.rows_of(tokens, vocabulary)


@BAG.mistake(
    "words are counted inside other words, “the” in “then” for one",
    "A text that is joined to one string no longer shows where its words end. What can be "
    "counted in the list itself?",
)
def parts_counted(tokens, vocabulary):
    checked(tokens, vocabulary)
    return [" ".join(tokens).count(word) for word in vocabulary]


@BAG.has
def every_token_counted(counts, tokens, vocabulary):
    total = int(np.sum(counts))
    if total == len(tokens):
        return ""
    return f"your counts add up to {total}, and {len(tokens)} tokens are given."
