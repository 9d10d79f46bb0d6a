"""Challenge 2.3, How far from equivariant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np

from posenc import attention
from posenc.judging.calls import Layer
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_02.common import RANDOM

Array = np.ndarray

Function = Callable[[Array], Array]


def _all_orders(length: int) -> Iterator[Array]:
    return (np.array(order) for order in permutations(range(length)))


def _worst(layer: Function, x: Array) -> float:
    return max(attention.equivariance_error(layer, x, order) for order in _all_orders(len(x)))


def _signed(layer: Function, x: Array) -> float:
    """The largest difference with its sign."""
    return max((layer(x[o]) - layer(x)[o]).max() for o in _all_orders(len(x)))


def _layer_case(
    rng: np.random.Generator, name: str, length: int, width: int, about: str = ""
) -> Case:
    layer = Layer(name, int(rng.integers(1_000_000)), width, length)
    return Case((layer, rng.uniform(-1, 1, (length, width)).round(3)), about=about)


def _negative_case(rng: np.random.Generator, name: str, length: int, width: int) -> Case:
    """A case whose largest difference is negative."""
    while True:
        case = _layer_case(rng, name, length, width)
        built, x = case.args[0].build(), case.args[1]
        if _signed(built, x) < 0.9 * _worst(built, x):
            return case


def _draw_layers(rng: np.random.Generator) -> list[Case]:
    sizes = ((5, 3), (4, 6), (5, 2), (3, 4), (4, 2))
    names = (
        "attention",
        "causal attention",
        "attention with positions",
        "attention that fades with distance",
        "a row-by-row layer of another width",
    )
    return [
        _layer_case(rng, name, *sizes[k]) for name, k in zip(names, rng.permutation(len(sizes)))
    ]


ERROR = Challenge(
    id="2.3",
    name="worst_equivariance_error",
    title="How far from equivariant",
    section="shuffled",
    points=2,
    minutes=8,
    difficulty=2,
    asked="one number",
    reference=_worst,
    cases=(
        _layer_case(RANDOM, "attention", 4, 3),
        _layer_case(RANDOM, "attention with positions", 4, 3),
        _negative_case(RANDOM, "causal attention", 5, 4),
        _negative_case(RANDOM, "a projection along the length", 5, 3),
        _layer_case(
            RANDOM,
            "attention that fades with distance",
            5,
            3,
            about="a layer that treats a reversed text well",
        ),
        _layer_case(RANDOM, "the mean for every row", 3, 2),
        _layer_case(RANDOM, "a projection along the length", 2, 4, about="two tokens"),
        _layer_case(RANDOM, "a row-by-row layer of another width", 4, 2),
        _layer_case(RANDOM, "attention with positions", 1, 3, about="a single token"),
    ),
    draw=_draw_layers,
    hints=(
        "For one order there are two ways to the same place: reorder and then apply the layer, "
        "or apply the layer and then reorder. The error says how far apart they end.",
        "`permutations(range(len(x)))` goes through all orders. Each of them is a tuple; "
        "`x[list(order)]` takes the rows in that order.",
        "Keep the largest of the errors, for instance with `max` over a generator.",
    ),
)


@ERROR.choices
def worst(
    layer,
    x,
    *,
    orders=_all_orders,
    measure=lambda gap: np.abs(gap).max(),
    over=max,
    target=lambda layer, x, order: layer(x)[order],
):
    """The right answer, with its orders, its measure of a difference and its target to choose."""
    return over(measure(layer(x[o]) - target(layer, x, o)) for o in orders(len(x)))


worst.mistake(
    "reversal-only",
    "only the reversed order is tried",
    "There are layers that treat a reversed text well and every other order badly. How many "
    "orders do five tokens have?",
    orders=lambda length: [np.arange(length)[::-1]],
)
worst.mistake(
    "swaps-of-neighbours",
    "only exchanges of two neighbouring tokens are tried",
    "Other orders lie further from the first and may have a larger error. How many orders do "
    "five tokens have?",
    orders=lambda length: (
        [np.array([*range(p), p + 1, p, *range(p + 2, length)]) for p in range(length - 1)]
        or [np.arange(length)]
    ),
)
worst.mistake(
    "rotations-only",
    "only orders are tried in which the tokens move round in a circle",
    "In these each token keeps its neighbours. How many orders do five tokens have in all?",
    orders=lambda length: [np.roll(np.arange(length), shift) for shift in range(length)],
)
worst.mistake(
    "inverse-order",
    "the outputs are reordered by the inverse of the order",
    "`x[order]` puts token `order[0]` at position 0. Which row of layer(x) should be at "
    "position 0, then?",
    target=lambda layer, x, order: layer(x)[np.argsort(order)],
)
worst.mistake(
    "outputs-not-moved",
    "the two outputs are compared row by row, which tests whether the layer is invariant",
    "After the shuffle token 3 may be at position 0. With which row of layer(x) "
    "should row 0 be compared?",
    seen=("PE145",),
    target=lambda layer, x, order: layer(x),
)
worst.mistake(
    "sign-kept",
    "the largest difference is taken with its sign",
    "A difference of −2 is larger than one of 0.1. What is to be taken before `max`?",
    measure=lambda gap: gap.max(),
)
worst.mistake(
    "mean",
    "the mean of the differences is taken instead of the largest",
    "One row that is far off must not be hidden by many that are right.",
    measure=lambda gap: np.abs(gap).mean(),
)
worst.mistake(
    "length-of-difference",
    "the differences of one order are squared and summed",
    "That number grows with the size of the array. Requirement 1 is about a single entry.",
    measure=np.linalg.norm,
)
worst.mistake(
    "mean-over-orders",
    "the mean over all orders is returned, and not the largest error",
    "An order with a large error must not be hidden by others. Which order decides?",
    over=lambda errors: np.mean(list(errors)),
)
worst.mistake(
    "smallest-over-orders",
    "the smallest error of all orders is returned",
    "One of the orders leaves everything where it is. How large is its error?",
    over=min,
)
worst.mistake(
    "sum-over-orders",
    "the errors of all orders are added up",
    "A sum grows with the number of orders. Which of the errors is asked for?",
    over=sum,
)
worst.mistake(
    "yes-or-no",
    "a truth value is returned where a number is asked for",
    "How far apart are the two, at the entry where they differ most?",
    over=lambda errors: max(errors) < 1e-8,
)


@ERROR.mistake(
    "the output is compared with the reordered input, and not with the reordered output",
    "Both sides go through the layer, one before it is reordered and one after.",
)
def layer_left_out(layer, x):
    return max(np.abs(layer(x[o]) - x[o]).max() for o in _all_orders(len(x)))


@ERROR.mistake(
    "the columns are reordered, and not the rows",
    "Rows are tokens. Which index of `x` counts them?",
)
def columns_moved(layer, x):
    return max(np.abs(layer(x[:, o]) - layer(x)[:, o]).max() for o in _all_orders(x.shape[1]))


@ERROR.mistake(
    "an order from `permutations` is used as an index as it is; it is a tuple, and x[(2, 0, 1)] "
    "stands for x[2, 0, 1]",
    "NumPy takes a tuple for one index of each axis. Which kind of sequence selects rows?",
)
def tuple_as_index(layer, x):
    return max(np.abs(layer(x[o]) - layer(x)[o]).max() for o in permutations(range(len(x))))


@ERROR.has
def never_negative(found, layer, x):
    return "" if found >= 0 else f"a largest difference is never negative; yours is {found:.4g}."
