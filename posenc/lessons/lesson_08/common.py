"""What several parts of lesson 8 use."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

BASE_IGNORED = (
    "10000 is used whatever base is given",
    "The argument `base` does not reach the formula. Where should it stand?",
)
