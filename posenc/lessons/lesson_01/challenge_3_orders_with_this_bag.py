"""Challenge 1.3, How many sentences share a bag."""

from __future__ import annotations

import math
from collections import Counter
from math import exp, factorial, lgamma, prod

import numpy as np

from posenc import bags
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_01.common import (
    POOL,
)


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
        Case((["the", "dog", "chased", "the", "cat"],), about="a word that occurs twice"),
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
    hints=(
        "If all n tokens were different there would be n! orders. Which of these read the "
        "same when two tokens are equal?",
        "Three equal words can be put into their three positions in 3! ways, and all of them "
        "read the same.",
        "n! divided by the factorial of each word's count. Listing all orders takes too long: "
        "twelve tokens have 479,001,600.",
    ),
)


@ORDERS.mistake(
    "equal words are told apart: exchanging the two “the” counts as another sentence",
    "Write down all orders of a, a, b. How many are there, and how many does your formula give?",
)
def repeats_told_apart(tokens):
    return factorial(len(tokens))


@ORDERS.mistake(
    "the sentence itself is left out",
    "“This one included”: with a single token there is one sentence.",
)
def one_less(tokens):
    return bags.orders_with_this_bag(tokens) - 1


@ORDERS.mistake(
    "there are two slips: equal words are told apart, and the sentence itself is left out",
    "Fix one at a time, and try a, a, b by hand: there are three sentences.",
)
def repeats_told_apart_one_less(tokens):
    return factorial(len(tokens)) - 1


@ORDERS.mistake(
    "only the different words are put in order; repeats are dropped",
    "A word that occurs twice takes two positions. How many positions are there to fill?",
)
def different_words_only(tokens):
    return factorial(len(set(tokens)))


def _counted(tokens: list[str]) -> list[int]:
    return list(Counter(tokens).values())


@ORDERS.mistake(
    "the factorial of n is divided by the counts themselves",
    "Three equal words can change places among themselves in more than three ways. In how many?",
)
def divided_by_counts(tokens):
    return factorial(len(tokens)) // prod(_counted(tokens))


@ORDERS.mistake(
    "the numbers of ways in which equal words change places are added up before dividing",
    "Two “no” and two “yes” change places independently of each other. Are such "
    "choices added or multiplied?",
)
def divided_by_sum(tokens):
    return factorial(len(tokens)) / sum(map(factorial, _counted(tokens)))


@ORDERS.mistake(
    "only one of the words that come several times is divided out",
    "With a, a, b, b there are two pairs that can change places. Was the second one counted?",
)
def one_word_only(tokens):
    return factorial(len(tokens)) // factorial(max(_counted(tokens)))


@ORDERS.mistake(
    "each position may take any of the words, and a word may be used any number of times",
    "A sentence with this bag uses each word exactly as often as the bag counts it.",
)
def positions_filled_freely(tokens):
    return len(set(tokens)) ** len(tokens)


@ORDERS.mistake(
    "the logarithms of factorials are added and subtracted, and the result is not rounded",
    "Floating point misses a whole number by a little, so that 6 becomes 5.999999999999998. "
    "What turns it back into a whole number?",
)
def not_rounded(tokens):
    return exp(lgamma(len(tokens) + 1) - sum(lgamma(count + 1) for count in _counted(tokens)))


@ORDERS.has
def at_least_one_order(count, tokens):
    if count >= 1:
        return ""
    return f"yours is {count}, and the tokens as they are given are one order already."


@ORDERS.has
def no_more_than_of_different_tokens(count, tokens):
    if count <= math.factorial(len(tokens)):
        return ""
    return f"yours is {count}, more than {len(tokens)} tokens have that are all different."
