"""Challenge 4.1, How far products of positions lie apart."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge

Array = np.ndarray

Tables = tuple[Array, Array]

POSITION_SPREAD = Challenge(
    id="4.1",
    name="position_spread",
    title="How far products of positions lie apart",
    section="spread",
    points=3,
    minutes=8,
    difficulty=1,
    asked="one number",
    reference=geometry.position_spread,
    cases=(
        Case((0, 6, 5)),
        Case((100, 6, 5)),
        Case((0, 2, 4), about="two positions"),
        Case((7, 1, 5), about="one position"),
        Case((3, 4, 1), about="no column but the position"),
        Case((150, 64, 16), about="a longer text"),
    ),
    draw=lambda rng: [
        Case((int(rng.integers(1, 180)), int(rng.integers(2, 40)), int(rng.integers(2, 64))))
        for _ in range(6)
    ],
    hints=(
        "Which pair of positions has the largest product, and which the smallest?",
        "`np.outer(positions, positions)` holds all products; `np.ptp` is largest minus smallest.",
        "The positions are `np.arange(start, start + length)`. Divide by `np.sqrt(width)` at the "
        "end.",
    ),
)


@POSITION_SPREAD.mistake(
    "position start + length takes part",
    "Six positions from 0 on end at 5. Which is the last one of yours?",
)
def end_included(start, length, width):
    return geometry.position_spread(start, length + 1, width)


@POSITION_SPREAD.mistake(
    "the products are not divided by the root of the width",
    "A score is divided by something before the softmax. By what?",
)
def not_scaled(start, length, width):
    return geometry.position_spread(start, length, 1)


@POSITION_SPREAD.mistake(
    "the products are divided by the width, not by its root",
    "Compare with the score of lesson 2: what stands below the product there?",
)
def divided_by_width(start, length, width):
    return geometry.position_spread(start, length, width**2)


@POSITION_SPREAD.mistake(
    "the root is taken of width + 1",
    "`width` is that of the finished row. Is the appended column in it already?",
    section="append",
)
def column_counted_twice(start, length, width):
    return geometry.position_spread(start, length, width + 1)


@POSITION_SPREAD.mistake(
    "positions are compared, not their products",
    "A score multiplies the entries of two rows. What does the last column give for the pair i, j?",
)
def positions_not_products(start, length, width):
    return (length - 1) / width**0.5


def _products(start: int, length: int) -> Array:
    positions = np.arange(start, start + length)
    return np.outer(positions, positions)


@POSITION_SPREAD.choices
def spread_by(start, length, width, *, measure):
    """A wrong 4.1: `measure` of all products, over √width."""
    return float(measure(_products(start, length)) / width**0.5)


spread_by.mistake(
    "largest-alone",
    "the largest product is returned, without the smallest taken away",
    "A softmax does not notice what all scores share. What is left of 100 · 100 and 105 · 105?",
    measure=lambda products: float(products.max()),
)

spread_by.mistake(
    "standard-deviation",
    "the standard deviation of the products is taken",
    "Asked is the distance from the smallest to the largest.",
    measure=lambda products: float(products.std()),
)


def _without_diagonal(products: Array) -> float:
    return float(np.ptp(products[~np.eye(len(products), dtype=bool)])) if len(products) > 1 else 0.0


spread_by.mistake(
    "itself-left-out",
    "the pairs of a position with itself are left out",
    "A token reads itself as well. Which pairs hold the smallest and the largest product?",
    measure=_without_diagonal,
)


@POSITION_SPREAD.mistake(
    "positions are counted from 0 whatever the start",
    "The same words later in the text have larger positions. Where does `start` come in?",
)
def start_ignored(start, length, width):
    return geometry.position_spread(0, length, width)
