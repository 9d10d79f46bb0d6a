"""What several parts of lesson 10 use."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings

Array = np.ndarray

TOKENS = attention.SIX_TOKENS

STAMPS = encodings.sinusoidal(6, 4)

GRID = np.round(np.arange(0, 4.01, 0.05), 2)

ORDER = np.array([2, 0, 1, 4, 5, 3])


def random_rows(rng: np.random.Generator, n: int, d: int) -> Array:
    return rng.uniform(-1, 1, (n, d)).round(3)
