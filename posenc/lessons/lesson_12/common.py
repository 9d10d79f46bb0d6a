"""What several parts of lesson 12 use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from posenc import encodings, geometry

Array = np.ndarray

Rule = Callable[..., Array]


def unclosed(width: float = 512, length: float = 1024, base: float = 10000.0) -> int:
    """How many pairs of this width complete no turn within this length."""
    return int(width) // 2 - geometry.pairs_that_turn(int(width), int(length), base)


ABSOLUTE, RELATIVE = 2e-5, 1e-5


def near(one: Array, other: Array) -> Array:
    return np.abs(one - other) <= ABSOLUTE + RELATIVE * np.abs(other)


def pair_columns(turning: int, pairing: str) -> tuple[Array, Array]:
    if pairing == "neighbours":
        return np.arange(0, turning, 2), np.arange(1, turning, 2)
    return np.arange(turning // 2), np.arange(turning // 2, turning)


def layout_turn(
    x: Array, positions: Sequence[int], rotation: str, layout: str, base: float = 10000.0
) -> Array:
    """Rotation with one angle a column, laid out for one pairing and used with another."""
    turning = x.shape[-1]
    angles = np.asarray(positions)[:, None] * encodings.frequencies(turning, base)
    full = np.repeat(angles, 2, axis=-1) if layout == "neighbours" else np.tile(angles, 2)
    first, second = pair_columns(turning, rotation)
    partner = np.empty_like(x)
    partner[..., first], partner[..., second] = -x[..., second], x[..., first]
    return x * np.cos(full) + partner * np.sin(full)
