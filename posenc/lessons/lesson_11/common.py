"""What several parts of lesson 11 use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posenc import encodings

Array = np.ndarray


def rotary_shift(shift: float = 5) -> float:
    """Largest change of 64 rotary scores when all positions grow by shift."""
    queries, keys = np.random.default_rng(11).uniform(-1, 1, (2, 8, 16))
    here, there = np.arange(8), np.arange(8) + int(shift)
    scores = [encodings.rotate(queries, p) @ encodings.rotate(keys, p).T for p in (here, there)]
    return float(np.abs(scores[1] - scores[0]).max())


def mask_of(lengths: Sequence[int] | Array, width: int, side: str) -> Array:
    """A mask (rows, width) of ones for so many tokens a row; pads are on the given side."""
    places, real = np.arange(width), np.array(lengths)[:, None]
    return ((places >= width - real) if side == "left" else (places < real)).astype(int)
