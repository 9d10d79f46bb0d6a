"""What lesson 12 claims."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from posenc import encodings, geometry, training
from posenc.lessons.lesson_12.common import (
    neighbours_apart,
    unclosed,
)
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

Rule = Callable[..., Array]

WIDTH = Setting("width", 2, 512, 2, 64, "width")


def _norm_far(position: float = 4000, width: float = 64) -> float:
    return float(geometry.norms(encodings.sinusoidal_at(int(position), int(width))))


def _norm_holds(measured: float, position: float = 4000, width: float = 64) -> tuple[bool, str]:
    same = abs(measured - np.sqrt(int(width) / 2)) < 1e-9
    return same, (
        f"The row of position {int(position)} is as long as that of position 0. "
        "Nothing in the formula ends. "
        "That says nothing about a model that was trained on its first rows."
    )


def _dot_far(position: float = 4000, distance: float = 1, width: float = 64) -> float:
    one, other = encodings.sinusoidal_at(
        np.array([int(position), int(position + distance)]), int(width)
    )
    return float(one @ other)


def _dot_holds(
    measured: float, position: float = 4000, distance: float = 1, width: float = 64
) -> tuple[bool, str]:
    near = _dot_far(0, distance, width)
    return abs(measured - near) < 1e-6, (
        f"Positions 0 and {int(distance)} have the same product, {near:.3f}: between the "
        "rows, only their distance counts."
    )


def _unclosed_holds(
    measured: int, width: float = 512, length: float = 1024, base: float = 10000.0
) -> tuple[bool, str]:
    if measured:
        return (
            True,
            f"Past position {int(length)}, these {measured} hands point where "
            "training never saw them.",
        )
    return (
        False,
        "Every hand has been all the way round, so no single hand is new later. "
        "Their combinations still are.",
    )


def _score_at(shift: int, digits: int, pairing: str = "neighbours") -> float:
    """The rotary score of a query at 7 + shift with a key at 4 + shift, width 8.

    The positions are rounded to this many binary digits first, as a small float type would.
    """
    random = np.random.default_rng(7)
    query, key = random.uniform(-1, 1, (2, 1, 8)).round(3)
    places = [_kept(position + shift, digits) for position in (7, 4)]
    turned = [encodings.rotate(x, [p], pairing=pairing)[0] for x, p in zip((query, key), places)]
    return float(turned[0] @ turned[1])


def _kept(position: int, digits: int) -> float:
    """A whole number rounded to so many binary digits, half-way cases to the even neighbour."""
    spacing = 2.0 ** max(0, int(position).bit_length() - digits)
    return float(np.round(position / spacing) * spacing)


def _shift_moves(shift: float = 1000, digits: float = 24) -> float:
    return abs(_score_at(int(shift), int(digits)) - _score_at(0, 24))


def _shift_holds(measured: float, shift: float = 1000, digits: float = 24) -> tuple[bool, str]:
    if measured < 1e-9:
        return True, "Both vectors turn by the same angle more, and the angle between them stays."
    kept = [_kept(position + int(shift), int(digits)) for position in (7, 4)]
    return False, (
        f"With {int(digits)} binary digits the positions {int(shift) + 7} and "
        f"{int(shift) + 4} are kept as {kept[0]:g} and "
        f"{kept[1]:g}. The formula is as before; the numbers it is given are not."
    )


@cache
def _alibi_verdict(halvings: int) -> str:
    settings = training.Settings(alibi_slope=2.0**-halvings)
    trained = training.train("alibi", "latest_mark", 0, settings)
    return training.verdict(training.accuracy_by_position(trained), "latest_mark", settings)


def _slope_verdict(halvings: float = 1) -> str:
    return _alibi_verdict(int(halvings))


def _slope_holds(measured: str, halvings: float = 1) -> tuple[bool, str]:
    kept = 100 * np.exp(-(2.0**-halvings))
    return measured == "holds", (
        f"With slope 1/{2 ** int(halvings)}, a token one place further back "
        f"keeps {kept:.0f} % of its weight. "
        "The flatter the slope, the more the older marks together outvote the latest."
    )


def _squeezed_holds(
    measured: float, length: float = 4096, trained_length: float = 2048
) -> tuple[bool, str]:
    if measured < 1:
        return (
            True,
            f"Neighbours are {measured:.3g} positions apart. In training they "
            "were 1 apart, always.",
        )
    return (
        False,
        "The text fits into the trained range, so nothing is squeezed and "
        "neighbours are 1 apart, as in training.",
    )


CLAIMS = (
    Claim(
        "norm-at-4000",
        "Row 4000 is defined, and as long as any other: its norm at width 64",
        5.6569,
        5e-5,
        _norm_far,
        (Setting("position", 0, 100_000, 1, 4000, "position"), WIDTH),
        _norm_holds,
        "defined",
    ),
    Claim(
        "dot-at-4000",
        "Rows 4000 and 4001 have the dot product of rows 0 and 1",
        30.917,
        5e-4,
        _dot_far,
        (
            Setting("position", 0, 100_000, 1, 4000, "position"),
            Setting("distance", 0, 500, 1, 1, "distance"),
            WIDTH,
        ),
        _dot_holds,
        "defined",
    ),
    Claim(
        "unclosed-circles",
        "Of 256 pairs, those that never close their circle in 1,024 training positions",
        114,
        0,
        unclosed,
        (
            Setting("width", 2, 1024, 2, 512, "width"),
            Setting("length", 1, 100_000, 1, 1024, "training length"),
            Setting("base", 2.0, 1_000_000.0, 1.0, 10000.0, "base"),
        ),
        _unclosed_holds,
        "defined",
    ),
    Claim(
        "rotary-distance-only",
        "A rotary score does not change when query and key move together: the difference",
        0.0,
        1e-9,
        _shift_moves,
        (
            Setting("shift", 0, 60_000, 1, 1000, "shift"),
            Setting("digits", 8, 24, 1, 24, "binary digits of a position"),
        ),
        _shift_holds,
        "rotary",
    ),
    Claim(
        "steep-alibi",
        "With a steep slope, ALiBi learns the latest mark and keeps it beyond the trained length",
        "holds",
        0,
        _slope_verdict,
        (Setting("halvings", 0, 8, 1, 1, "slope, 1/2 this many times"),),
        _slope_holds,
        "second-task",
    ),
    Claim(
        "squeezed-step",
        "Positions 0 to 4,095 squeezed into 2,048: neighbours come closer than in any training row",
        0.5,
        1e-12,
        neighbours_apart,
        (
            Setting("length", 1, 32_768, 1, 4096, "length"),
            Setting("trained_length", 1, 8192, 1, 2048, "trained length"),
        ),
        _squeezed_holds,
        "repairs",
    ),
)
