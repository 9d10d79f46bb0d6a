"""What lesson 6 claims, and how to measure it again."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

TOKEN = np.array([1.0, 0.0, 1.0, 0.0])


def _ratios(width: float = 16, base: float = 10000.0, first: float = 1.0) -> Array:
    """The smallest and the largest factor from a pair to the next, pair 0 turning by `first`."""
    speeds = np.array([first, *encodings.frequencies(int(width), base)[1:]])
    ratios = speeds[:-1] / speeds[1:]
    return np.array([ratios.min(), ratios.max()])


def _ratios_hold(
    measured: Array, width: float = 16, base: float = 10000.0, first: float = 1.0
) -> tuple[bool, str]:
    asked = base ** (2 / width)
    if np.ptp(measured) < 1e-9 * measured.max():
        return True, f"Each pair after the first is {asked:.4f} times slower than the one before."
    return False, (
        f"Pair 0 turns by {first:g} radians a position, and the others as before, so its step to "
        f"pair 1 is not {asked:.4f}, as all the others are."
    )


def _difference(change: float = 0.0) -> Array:
    """Row 2 minus row 1 of the same token, whose content at position 2 is changed by `change`."""
    placed = np.array([TOKEN, TOKEN, TOKEN]) + encodings.sinusoidal(3, 4)
    return placed[2] + change * TOKEN - placed[1]


def _difference_holds(measured: Array, change: float = 0.0) -> tuple[bool, str]:
    table = encodings.sinusoidal(3, 4)
    if np.allclose(measured, table[2] - table[1], atol=1e-9):
        return True, "The content is the same at both positions, so it cancels."
    return False, (
        f"The content at position 2 differs by {change:g} in two entries. It does not cancel, and "
        "the difference mixes content and position."
    )


def _row_one(width: float = 5) -> Array:
    return encodings.sinusoidal(2, int(width))[1]


def _odd_holds(measured: Array, width: float = 5) -> tuple[bool, str]:
    slowest = encodings.frequencies(int(width))[-1]
    if int(width) % 2:
        return True, (
            f"{int(width)} columns: the last is sin({slowest:.6g}), and no column is left for its "
            "cosine."
        )
    return False, (
        f"{int(width)} columns: every sine has its cosine beside it, so no column is left over."
    )


def _layout_gap(width: float = 16, length: float = 50, scaled: float = 1.0) -> float:
    """Largest difference between the dot products of interleaved and of concatenated rows."""
    table = encodings.sinusoidal(int(length), int(width))
    moved = np.concatenate([table[:, 0::2], scaled * table[:, 1::2]], axis=1)
    return float(np.abs(table @ table.T - moved @ moved.T).max())


def _layout_holds(
    measured: float, width: float = 16, length: float = 50, scaled: float = 1.0
) -> tuple[bool, str]:
    if scaled == 1:
        return measured < 1e-9, "A dot product adds the same terms in another order."
    return measured < 1e-9, (
        f"The cosines were not only moved but multiplied by {scaled:g} as well, which changes the "
        f"dot products by up to {measured:.3f}."
    )


CLAIMS = (
    Claim(
        "equal-ratios",
        "Each pair is slower than the one before by the same factor (measured: the smallest and "
        "the largest factor)",
        [3.1623, 3.1623],
        5e-5,
        _ratios,
        (
            Setting("width", 4, 512, 2, 16, "width"),
            Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base"),
            Setting("first", 0.1, 3.0, 0.1, 1.0, "frequency of pair 0"),
        ),
        _ratios_hold,
        section="speeds",
    ),
    Claim(
        "same-token-difference",
        "The same token at positions 2 and 1: the difference of the two rows holds no content",
        [0.0678, -0.9564, 0.01, -0.0001],
        5e-5,
        _difference,
        (Setting("change", 0.0, 1.0, 0.1, 0.0, "change of the content at position 2"),),
        _difference_holds,
        section="three-positions",
    ),
    Claim(
        "odd-width",
        "The last column is a sine without its cosine",
        [0.841471, 0.540302, 0.025116, 0.999685, 0.000631],
        1e-6,
        _row_one,
        (Setting("width", 2, 12, 1, 5, "width"),),
        _odd_holds,
        section="odd-width",
    ),
    Claim(
        "layouts-agree",
        "Interleaved and concatenated tables give the same dot product for every pair of positions",
        0.0,
        1e-9,
        _layout_gap,
        (
            Setting("width", 2, 64, 2, 16, "width"),
            Setting("length", 2, 200, 1, 50, "length"),
            Setting("scaled", 0.5, 1.5, 0.1, 1.0, "factor on the cosines"),
        ),
        _layout_holds,
        section="layouts",
    ),
)
