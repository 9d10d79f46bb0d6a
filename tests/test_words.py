"""Words without an order: counts, rows and the number of sentences with one bag."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc.bags import bag_of_words, embed, orders_with_this_bag

VOCABULARY = ["the", "cat", "dog", "chased", "slept"]
SENTENCE = ["the", "dog", "chased", "the", "cat"]
TABLE = np.arange(10.0).reshape(5, 2)

steady = settings(deadline=None, max_examples=60, derandomize=True)
sentences = st.lists(st.sampled_from(VOCABULARY), max_size=7)


def test_counts_stand_in_vocabulary_order():
    counts = bag_of_words(SENTENCE, VOCABULARY)
    assert counts.tolist() == [2, 1, 1, 1, 0]
    assert counts.dtype.kind == "i"


@steady
@given(sentences, st.randoms())
def test_shuffling_moves_no_count_and_keeps_the_rows(tokens, random):
    shuffled = random.sample(tokens, len(tokens))
    assert np.array_equal(bag_of_words(tokens, VOCABULARY), bag_of_words(shuffled, VOCABULARY))
    rows, moved = (embed(words, VOCABULARY, TABLE).tolist() for words in (tokens, shuffled))
    assert sorted(rows) == sorted(moved)
    assert bag_of_words(tokens, VOCABULARY).sum() == len(tokens)


def test_a_word_has_one_row_wherever_it_stands():
    rows = embed(SENTENCE, VOCABULARY, TABLE)
    assert rows.shape == (5, 2)
    assert np.array_equal(rows[0], rows[3]) and np.array_equal(rows[0], TABLE[0])
    assert np.array_equal(rows[1], TABLE[2])


def test_changing_the_rows_does_not_change_the_table():
    embed(SENTENCE, VOCABULARY, TABLE)[:] = -1
    assert TABLE[0, 0] == 0


@steady
@given(sentences)
def test_orders_are_those_that_can_be_listed(tokens):
    assert orders_with_this_bag(tokens) == len(set(permutations(tokens)))


def test_twelve_different_words_are_counted_without_listing_them():
    assert orders_with_this_bag(list("abcdefghijkl")) == 479_001_600
    assert orders_with_this_bag(["a"] * 12) == 1
    assert isinstance(orders_with_this_bag(SENTENCE), int)


@pytest.mark.parametrize("call", [bag_of_words, lambda t, v: embed(t, v, TABLE)])
def test_an_unknown_word_is_named(call):
    with pytest.raises(KeyError, match="bites"):
        call(["dog", "bites"], VOCABULARY)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: bag_of_words("the dog", VOCABULARY), TypeError, "tokens must be a list"),
        (lambda: bag_of_words(["the", 3], VOCABULARY), TypeError, "tokens must hold words, got 3"),
        (lambda: bag_of_words(["the"], "the"), TypeError, "vocabulary must be a list"),
        (lambda: bag_of_words(["a"], ["a", "a"]), ValueError, "vocabulary must name each word"),
        (lambda: embed(["the"], VOCABULARY, TABLE[:3]), ValueError, "table .* 5 words, got 3"),
        (lambda: embed(["the"], VOCABULARY, TABLE[0]), ValueError, "table must have 2 axes"),
        (lambda: orders_with_this_bag(7), TypeError, "tokens must be a list of words, got 7"),
    ],
)
def test_a_bad_argument_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
