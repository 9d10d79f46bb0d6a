"""What several parts of lesson 9 use."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def random_rows(length: float = 512, width: float = 64, seed: float = 0) -> Array:
    """Random numbers, divided by √width so that rows have about the length 1."""
    rng = np.random.default_rng(int(seed))
    return rng.standard_normal((int(length), int(width))) / np.sqrt(int(width))
