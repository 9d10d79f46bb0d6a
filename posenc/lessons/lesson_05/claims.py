"""What lesson 5 claims, and how to measure it again."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Claim, Setting

Array = np.ndarray


def _fast_pair(position: float = 6) -> Array:
    return np.array([np.sin(position), np.cos(position)])


def _fast_holds(measured: Array, position: float = 6) -> tuple[bool, str]:
    away = float(np.linalg.norm(measured - np.array([0.0, 1.0])))
    turns = position / (2 * np.pi)
    return away < 0.5, f"After {turns:.2f} turns the pair is {away:.2f} away from the top."


def _turn(base: float = 10000.0) -> float:
    return float(2 * np.pi * base**0.5)


def _turn_holds(measured: float, base: float = 10000.0) -> tuple[bool, str]:
    return measured > 100, (
        f"The second pair of width 4 turns by 1/√base, here 1/{base**0.5:.4g}, so a turn takes "
        f"{measured:.4g} positions. The first takes 6.28."
    )


def _nearest(length: float = 1000, pairs: float = 1) -> int:
    speeds = encodings.frequencies(2 * int(pairs))
    return geometry.nearest_lookalike(speeds, int(length))


def _nearest_holds(measured: int, length: float = 1000, pairs: float = 1) -> tuple[bool, str]:
    speeds = encodings.frequencies(2 * int(pairs))
    gap, step = (float(np.linalg.norm(2 * np.sin(p * speeds / 2))) for p in (measured, 1))
    if measured == 1:
        return False, (
            f"There is no look-alike left: the nearest row is the next one, {step:.4f} away."
        )
    return True, (
        f"Position {measured:,} is {gap:.4f} away from position 0, and its neighbour {step:.4f}. "
        "More pairs push the look-alike away; a longer text brings a nearer one."
    )


CLAIMS = (
    Claim(
        "fast-pair-at-six",
        "The fast pair is almost back at the top, (0, 1)",
        [-0.2794, 0.9602],
        5e-5,
        _fast_pair,
        (Setting("position", 0, 50, 1, 6, "position"),),
        _fast_holds,
        "two-speeds",
    ),
    Claim(
        "second-pair-turn-4",
        "The second of two pairs takes more than a hundred positions for a turn",
        628.3185,
        5e-5,
        _turn,
        (Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base"),),
        _turn_holds,
        "playground",
    ),
    Claim(
        "lookalike-1000",
        "Some later position is nearer to position 0 than position 1 is",
        710,
        0,
        _nearest,
        (
            Setting("length", 10, 100_000, 1, 1000, "positions in the text"),
            Setting("pairs", 1, 12, 1, 1, "number of pairs"),
        ),
        _nearest_holds,
        "lookalikes",
    ),
)
