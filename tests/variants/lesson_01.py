"""Right answers to the challenges of lesson 1, written in other ways."""

import itertools
import math
from collections import Counter, defaultdict
from functools import cache

import numpy as np


def bag_by_dictionary(tokens, vocabulary):
    counts = dict.fromkeys(vocabulary, 0)
    for token in tokens:
        counts[token] += 1
    return [counts[word] for word in vocabulary]


def bag_by_counter(tokens, vocabulary):
    counted = Counter(tokens)
    for token in counted:
        if token not in vocabulary:
            raise KeyError(f"unknown token: {token}")
    return tuple(counted[word] for word in vocabulary)


def bag_by_add_at(tokens, vocabulary):
    place = dict(zip(vocabulary, range(len(vocabulary))))
    counts = np.zeros(len(vocabulary))
    np.add.at(counts, [place[token] for token in tokens], 1)
    return counts


def bag_by_one_hot(tokens, vocabulary):
    place = {word: k for k, word in enumerate(vocabulary)}
    return np.eye(len(vocabulary), dtype=np.float32)[[place[token] for token in tokens]].sum(axis=0)


def bag_by_comparison(tokens, vocabulary):
    same = np.array(tokens)[:, None] == np.array(vocabulary)[None, :]
    if not same.any(axis=1).all():
        raise KeyError(tokens[int(np.argmin(same.any(axis=1)))])
    return same.sum(axis=0)


class Unknown(KeyError):
    """A subclass of the error that is asked for."""


def bag_with_own_error(tokens, vocabulary):
    left = list(tokens)
    counts = []
    for word in vocabulary:
        counts.append(sum(1 for token in left if token == word))
        left = [token for token in left if token != word]
    if left:
        raise Unknown(", ".join(left))
    return counts


def rows_by_loop(tokens, vocabulary, table):
    out = []
    for token in tokens:
        if token not in vocabulary:
            raise KeyError(token)
        out.append(table[vocabulary.index(token)])
    return np.array(out)


def rows_by_dictionary(tokens, vocabulary, table):
    row_of = dict(zip(vocabulary, table))
    return [list(row_of[token]) for token in tokens]


def rows_by_take(tokens, vocabulary, table):
    place = {word: k for k, word in enumerate(vocabulary)}
    return np.take(table, [place[token] for token in tokens], axis=0)


def rows_by_one_hot(tokens, vocabulary, table):
    place = {word: k for k, word in enumerate(vocabulary)}
    one_hot = np.zeros((len(tokens), len(vocabulary)))
    for seat, token in enumerate(tokens):
        one_hot[seat, place[token]] = 1
    return one_hot @ table


def rows_in_float32(tokens, vocabulary, table):
    return rows_by_take(tokens, vocabulary, table.astype(np.float32))


def rows_by_sorting(tokens, vocabulary, table):
    by_name = np.argsort(vocabulary)
    names = np.array(vocabulary)[by_name]
    found = np.minimum(np.searchsorted(names, tokens), len(names) - 1)
    for token, name in zip(tokens, names[found]):
        if token != name:
            raise KeyError(f"{token} is not in the vocabulary")
    return table[by_name[found]]


def orders_by_factorials(tokens):
    ways = math.factorial(len(tokens))
    for word in set(tokens):
        ways //= math.factorial(tokens.count(word))
    return ways


def orders_by_choosing_seats(tokens):
    free, ways = len(tokens), 1
    for count in Counter(tokens).values():
        ways *= math.comb(free, count)
        free -= count
    return ways


def orders_by_remembered_recursion(tokens):
    @cache
    def ways(counts):
        if sum(counts) == 0:
            return 1
        return sum(
            ways(counts[:k] + (count - 1,) + counts[k + 1 :])
            for k, count in enumerate(counts)
            if count
        )

    return ways(tuple(sorted(Counter(tokens).values())))


def orders_by_floats(tokens):
    _, counts = np.unique(tokens, return_counts=True)
    ways = float(np.prod(np.arange(1.0, len(tokens) + 1)))
    for count in counts:
        ways /= np.prod(np.arange(1.0, count + 1))
    return np.float64(ways)


def orders_by_adding_one_token_at_a_time(tokens):
    seen, ways = defaultdict(int), 1
    for place, token in enumerate(tokens, 1):
        seen[token] += 1
        ways = ways * place // seen[token]
    return np.int64(ways)


def orders_by_logarithms(tokens):
    counts = [len(list(group)) for _, group in itertools.groupby(sorted(tokens))]
    return round(math.exp(math.lgamma(len(tokens) + 1) - sum(math.lgamma(c + 1) for c in counts)))


VARIANTS = {
    "1.1": [
        bag_by_dictionary,
        bag_by_counter,
        bag_by_add_at,
        bag_by_one_hot,
        bag_by_comparison,
        bag_with_own_error,
    ],
    "1.2": [
        rows_by_loop,
        rows_by_dictionary,
        rows_by_take,
        rows_by_one_hot,
        rows_in_float32,
        rows_by_sorting,
    ],
    "1.3": [
        orders_by_factorials,
        orders_by_choosing_seats,
        orders_by_remembered_recursion,
        orders_by_floats,
        orders_by_adding_one_token_at_a_time,
        orders_by_logarithms,
    ],
}
