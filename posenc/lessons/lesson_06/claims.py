"""What lesson 6 claims."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

TOKEN = np.array([1.0, 0.0, 1.0, 0.0])


def _first_rows(base: float = 10000.0) -> Array:
    return encodings.sinusoidal(3, 4, base)


def _three_seats(base: float = 10000.0) -> Array:
    return TOKEN + encodings.sinusoidal(3, 4, base)


def _difference(change: float = 0.0) -> Array:
    """Row 2 minus row 1 of the same token, whose content at seat 2 is changed by `change`."""
    seats = np.array([TOKEN, TOKEN, TOKEN]) + encodings.sinusoidal(3, 4)
    return seats[2] + change * TOKEN - seats[1]


def _difference_holds(measured: Array, change: float = 0.0) -> tuple[bool, str]:
    stamps = encodings.sinusoidal(3, 4)
    if np.allclose(measured, stamps[2] - stamps[1], atol=1e-9):
        return (
            True,
            "Both seats hold the same content, so it cancels and only the encodings are left.",
        )
    return (
        False,
        "The content at seat 2 is another one now: it does not cancel, and the "
        "difference mixes both.",
    )


def _row_one(width: float = 5) -> Array:
    return encodings.sinusoidal(2, int(width))[1]


def _odd_holds(measured: Array, width: float = 5) -> tuple[bool, str]:
    slowest = encodings.frequencies(int(width))[-1]
    if int(width) % 2:
        return (
            True,
            f"{int(width)} columns: the last is sin({slowest:.6g}), and no "
            "column is left for its cosine.",
        )
    return (
        False,
        f"{int(width)} columns: every sine has its cosine beside it, so no column is left over.",
    )


def _gradient_unchanged(seed: float = 0) -> bool:
    """Whether the gradient of a sum through x + P, by central differences, is what arrived."""
    rng = np.random.default_rng(int(seed))
    x, arriving = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
    table, step = encodings.sinusoidal(3, 4), 1e-6
    slopes = np.empty_like(x)
    for place in np.ndindex(*x.shape):
        moved = np.zeros_like(x)
        moved[place] = step
        slopes[place] = ((x + moved + table - (x - moved + table)) * arriving).sum() / (2 * step)
    return bool(np.allclose(slopes, arriving, atol=1e-6))


def _layout_gap(width: float = 16, length: float = 50) -> float:
    """Largest difference between the dot products of interleaved and of concatenated rows."""
    table = encodings.sinusoidal(int(length), int(width))
    moved = np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)
    return float(np.abs(table @ table.T - moved @ moved.T).max())


def _layout_holds(measured: float, width: float = 16, length: float = 50) -> tuple[bool, str]:
    return (
        measured < 1e-9,
        "Moving columns changes the order of the terms of a dot product, not their sum.",
    )


CLAIMS = (
    Claim(
        "worked-example-d4",
        "Rows 0, 1 and 2 of the table of width 4",
        [[0, 1, 0, 1], [0.8415, 0.5403, 0.01, 0.99995], [0.9093, -0.4161, 0.02, 0.9998]],
        5e-5,
        _first_rows,
        (Setting("base", 10.0, 20000.0, 10.0, 10000.0, "base"),),
        section="formula",
    ),
    Claim(
        "worked-example-text",
        "Row 1 at width 4, to two places, is 0.84, 0.54, 0.01, 1.00",
        [0.84, 0.54, 0.01, 1.0],
        0.005,
        lambda: encodings.sinusoidal(2, 4)[1],
        section="formula",
    ),
    Claim(
        "same-token-three-seats",
        "The token [1, 0, 1, 0] at seats 0, 1 and 2",
        [[1, 1, 1, 1], [1.8415, 0.5403, 1.01, 0.99995], [1.9093, -0.4161, 1.02, 0.9998]],
        5e-5,
        _three_seats,
        section="three-seats",
    ),
    Claim(
        "same-token-difference",
        "The same token at seats 2 and 1: the difference of the two rows holds no content",
        [0.0678, -0.9564, 0.01, -0.0001],
        5e-5,
        _difference,
        (Setting("change", 0.0, 1.0, 0.1, 0.0, "change of the content at seat 2"),),
        _difference_holds,
        section="three-seats",
    ),
    Claim(
        "odd-width",
        "With an odd width the last column is a sine without its cosine",
        [0.841471, 0.540302, 0.025116, 0.999685, 0.000631],
        1e-6,
        _row_one,
        (Setting("width", 2, 12, 1, 5, "width"),),
        _odd_holds,
        section="odd-width",
    ),
    Claim(
        "gradient-passes",
        "Adding the table has no parameter and hands back the gradient that arrives, unchanged",
        True,
        0,
        _gradient_unchanged,
        (Setting("seed", 0, 20, 1, 0, "seed"),),
        section="no-parameter",
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
        ),
        _layout_holds,
        section="layouts",
    ),
)
