"""What several parts of lesson 2 use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc import attention
from posenc.judging.calls import Layer
from posenc.judging.model import Case

Array = np.ndarray

Function = Callable[[Array], Array]

ORDER = np.array([3, 0, 5, 1, 4, 2])  # not its own inverse

TOKENS = attention.SIX_TOKENS


def encoding(length: int, width: int) -> Array:
    """A made-up encoding for each position."""
    return np.random.default_rng(7).uniform(-1, 1, (length, width))


def read(x: Array) -> Array:
    return attention.identity_attention(x)[0]


def pair_products(size: float = 0.0) -> float:
    """Largest change of a pair's query-key product when "dog bites person" is reversed."""
    rng = np.random.default_rng(0)
    rows = np.array([[1.1, -0.3, 0.5], [0.2, 0.9, -0.4], [-0.7, 0.4, 0.8]])
    w_q, w_k = rng.uniform(-1, 1, (2, 3, 3)).round(1)
    positions = size * encoding(3, 3)

    def products(x: Array) -> Array:
        return (x + positions) @ w_q @ ((x + positions) @ w_k).T

    return float(np.abs(products(rows[::-1])[::-1, ::-1] - products(rows)).max())


def softmax_of(scores: Array, axis: int = -1, total: Any = None, power: Callable = np.exp) -> Array:
    """Shifted powers over their sum along `total`, by default the axis itself."""
    powers = power(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis if total is None else total, keepdims=True)


COLUMNS = (
    "the weights add up to 1 along a different axis from the one that is asked for",
    "Add up your answer along `axis`. In attention this is the axis of the keys, the last one.",
)

OVERFLOW = (
    "the power of a large score overflows, and infinity divided by infinity is not a number",
    "Subtracting one number from all scores of a row changes no weight. Which "
    "number keeps every power at most 1?",
)


def random_order(rng: np.random.Generator, length: int) -> Array:
    """A permutation that is not its own inverse and moves token 0."""
    while True:
        order = rng.permutation(length)
        if order[0] != 0 and not np.array_equal(order[order], np.arange(length)):
            return order


def reordering_case(
    rng: np.random.Generator,
    name: str,
    length: int,
    width: int,
    kwargs: dict[str, Any] | None = None,
    about: str = "",
) -> Case:
    layer = Layer(name, int(rng.integers(1_000_000)), width, length)
    x = rng.uniform(-1, 1, (length, width)).round(3)
    return Case((layer, x, random_order(rng, length)), kwargs or {}, about=about)


RANDOM = np.random.default_rng(22)
