"""What several parts of lesson 7 use."""

from __future__ import annotations

import numpy as np

from posenc import encodings

Array = np.ndarray


def apart(distance: float = 10000, width: float = 512) -> float:
    rows = encodings.sinusoidal_at(np.array([1, 1 + int(distance)]), int(width))
    return float(np.linalg.norm(rows[0] - rows[1]))
