"""What several parts of lesson 10 use."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings

Array = np.ndarray

TOKENS = attention.SIX_TOKENS

TABLE = encodings.sinusoidal(6, 4)

GRID = np.round(np.arange(0, 4.01, 0.05), 2)

ORDER = np.array([2, 0, 1, 4, 5, 3])


def random_rows(rng: np.random.Generator, n: int, d: int) -> Array:
    return rng.uniform(-1, 1, (n, d)).round(3)


def term_changes(query: int, key: int, scale: float = 1.0, base: float = 10000.0) -> Array:
    """How an attention weight changes by position·position alone, by the mixed terms alone: (2,).

    The six tokens times scale, at width 4; both against the weight from content alone.
    """
    x, p = scale * TOKENS, encodings.sinusoidal(6, 4, base)
    content, mixed, positions = x @ x.T, x @ p.T + p @ x.T, p @ p.T
    alone, with_positions, with_mixed = (
        attention.softmax(scores / 2)[query, key]
        for scores in (content, content + positions, content + mixed)
    )
    return np.array([with_positions - alone, with_mixed - alone])
