"""Challenge 4.1, The unit that keeps the balance."""

from __future__ import annotations

import numpy as np

from posenc.attention import SIX_TOKENS
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def balancing_unit(x: Array, start: int) -> float:
    """The u at which positions start, start + 1, … times u spread the logits as the content does.

    x: content, (n, d). The two parts of the logits are x xᵀ and u²·i·j, over the same root.
    """
    positions = np.arange(start, start + len(x))
    return float(np.sqrt(np.ptp(x @ x.T) / np.ptp(np.outer(positions, positions))))


def _draw_rows(rng: np.random.Generator) -> list[Case]:
    shapes = zip(rng.integers(3, 20, 6), rng.integers(2, 17, 6), strict=True)
    return [
        Case((rng.uniform(-2, 2, (int(n), int(d))).round(3), int(rng.integers(1, 180))))
        for n, d in shapes
    ]


BALANCING_UNIT = Challenge(
    id="4.1",
    name="balancing_unit",
    title="The unit that keeps the balance",
    section="spread",
    points=3,
    minutes=8,
    difficulty=2,
    asked="one number, the unit,",
    reference=balancing_unit,
    cases=(
        Case((SIX_TOKENS, 0)),
        Case((SIX_TOKENS, 100)),
        Case((np.array([[1.0, 0.5], [-0.5, 2.0]]), 0), about="two tokens"),
        Case((np.array([[0.5], [2.0], [-1.0]]), 7), about="one feature"),
        Case((np.eye(16).repeat(4, axis=0) * 1.5, 150), about="a longer text"),
    ),
    draw=_draw_rows,
    hints=(
        "Compute the two spreads first, for a unit of 1. The logits divide both parts by the same "
        "root.",
        "A position that is counted in units of u is u · p. What is the product of two such "
        "positions, compared with the product of the positions themselves?",
        "The positions' spread with unit u is u · u times that with unit 1. For which u is it the "
        "content's?",
    ),
    # Units late in a long text are small: only the hundred-thousandth of the value is tolerated.
    absolute=1e-9,
)


def _without_diagonal(products: Array) -> float:
    return float(np.ptp(products[~np.eye(len(products), dtype=bool)]))


@BALANCING_UNIT.choices
def unit(
    x,
    start,
    *,
    measure=np.ptp,
    power=0.5,
    first=lambda start: start,
    extra=0,
    content=lambda x: x @ x.T,
    products=lambda p: np.outer(p, p),
    scale=lambda d: 1.0,
):
    """The ratio of two measures to a power, with the content and the positions as given."""
    positions = np.arange(first(start), first(start) + len(x) + extra)
    ratio = measure(content(x)) / measure(products(positions))
    return float(scale(x.shape[1]) * ratio**power)


unit.mistake(
    "root-forgotten",
    "the ratio of the two spreads is returned as it is",
    "The unit is in both factors of a product of positions. How does the product change if the "
    "unit is halved?",
    power=1.0,
)
unit.mistake(
    "upside-down",
    "the ratio of the two spreads is upside down",
    "At start 100 the positions are much too loud. Should the unit be above 1 or below?",
    power=-0.5,
)
unit.mistake(
    "one-part-scaled",
    "only one of the two parts is divided by the root of the width",
    "A logit divides the whole product by one root. Which of its two parts does that reach?",
    scale=lambda d: (d + 1) ** 0.25,
)
unit.mistake(
    "content-scaled",
    "only the content is divided by the root of the width",
    "A logit divides the whole product by one root. Which of its two parts does that reach?",
    scale=lambda d: (d + 1) ** -0.25,
)
unit.mistake(
    "largest-alone",
    "the largest products are compared, without the smallest taken away",
    "A softmax ignores what all logits of a row share. What is left of 100 · 100 and 105 · 105?",
    measure=np.max,
)
unit.mistake(
    "standard-deviation",
    "standard deviations are compared, not spreads",
    "The spread is the distance from the smallest to the largest.",
    measure=np.std,
)
unit.mistake(
    "itself-left-out",
    "the pairs of a token with itself are left out",
    "A token reads itself as well. Which pairs hold the smallest and the largest product?",
    measure=_without_diagonal,
)
unit.mistake(
    "start-ignored",
    "positions are counted from 0 whatever the start",
    "The same words later in the text have larger positions. Where is `start` used?",
    first=lambda start: 0,
)
unit.mistake(
    "end-included",
    "one position too many takes part",
    "Six tokens from 0 on end at position 5. Which is the last one of yours?",
    extra=1,
)
unit.mistake(
    "positions-not-products",
    "positions are compared with the content, not their products",
    "A logit multiplies the entries of two rows. What does the last column give for the pair i, j?",
    section="append",
    products=lambda p: p,
)
unit.mistake(
    "rows-not-products",
    "the entries of x are compared, not the products of its rows",
    "The content reaches the logits as products of rows. Which table holds all of them?",
    section="append",
    content=lambda x: x,
)


@BALANCING_UNIT.has
def the_two_spreads_are_equal(unit, x, start):
    positions = unit * np.arange(start, start + len(x))
    content, added = np.ptp(x @ x.T), np.ptp(np.outer(positions, positions))
    if abs(added - content) < 1e-3 * content:
        return ""
    return (
        f"with your unit the products of positions spread over {added:.6g}, and those of the "
        f"content over {content:.6g}."
    )
