"""What lesson 5 claims."""

from __future__ import annotations

import numpy as np

from posenc import encodings, geometry
from posenc.lessons.model import Claim, Setting

Array = np.ndarray


def _hand(position: float, frequency: float) -> Array:
    return np.array([np.sin(position * frequency), np.cos(position * frequency)])


def _fast_pair(position: float = 6) -> Array:
    return _hand(position, 1.0)


def _fast_holds(measured: Array, position: float = 6) -> tuple[bool, str]:
    away = float(np.linalg.norm(measured - np.array([0.0, 1.0])))
    turns = position / (2 * np.pi)
    return (
        away < 0.5,
        f"After {turns:.2f} turns the hand is {away:.2f} away from the top, where it started.",
    )


def _slow_pair(position: float = 6) -> Array:
    return _hand(position, 0.01)


def _second_of_base(base: float = 2.0) -> Array:
    return _hand(1.0, base**-0.5)


def _turn(base: float = 10000.0) -> float:
    return float(2 * np.pi * base**0.5)


def _turn_holds(measured: float, base: float = 10000.0) -> tuple[bool, str]:
    return bool(np.isclose(measured, 2 * np.pi * 100)), (
        "The second pair of width 4 divides by the square root of the base, here "
        f"{base**0.5:g}, and a turn takes 2π times that."
    )


def _nearest(length: float = 1000, hands: float = 1) -> int:
    speeds = encodings.frequencies(2 * int(hands))
    return geometry.nearest_lookalike(speeds, int(length))


def _nearest_holds(measured: int, length: float = 1000, hands: float = 1) -> tuple[bool, str]:
    speeds = encodings.frequencies(2 * int(hands))
    gap = float(np.linalg.norm(2 * np.sin(measured * speeds / 2)))
    return gap < 0.5, (
        f"Position {measured} is {gap:.4f} away from position 0. More hands push the "
        "look-alike away; a longer text "
        "brings a nearer one."
    )


CLAIMS = (
    Claim(
        "fast-pair-at-six",
        "The fast pair at position 6 is almost back at (0, 1)",
        [-0.2794, 0.9602],
        5e-5,
        _fast_pair,
        (Setting("position", 0, 50, 1, 6, "position"),),
        _fast_holds,
        "two-speeds",
    ),
    Claim(
        "slow-pair-at-six",
        "The slow pair of width 4 at position 6 has barely left (0, 1)",
        [0.06, 0.9982],
        5e-5,
        _slow_pair,
        section="two-speeds",
    ),
    Claim(
        "second-pair-turn-4",
        "The second pair of width 4 completes a turn in this many positions",
        628.3185,
        5e-5,
        _turn,
        (Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base"),),
        _turn_holds,
        "two-speeds",
    ),
    Claim(
        "base-two",
        "Base 2, width 4: the second pair at position 1, angle 0.7071",
        [0.6496, 0.7602],
        5e-5,
        _second_of_base,
        section="playground",
    ),
    Claim(
        "lookalike-1000",
        "One hand of frequency 1: a position up to 999 looks almost like position 0",
        710,
        0,
        _nearest,
        (
            Setting("length", 10, 100_000, 1, 1000, "length"),
            Setting("hands", 1, 8, 1, 1, "number of hands"),
        ),
        _nearest_holds,
        "lookalikes",
    ),
)
