"""Challenge 2.3, How far from equivariant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_02.common import (
    RANDOM,
    reordering_case,
)

Array = np.ndarray

Function = Callable[[Array], Array]


def _draw_layers(rng: np.random.Generator) -> list[Case]:
    sizes = ((5, 3), (6, 4), (7, 3), (8, 5), (6, 2))
    names = (
        "attention",
        "causal attention",
        "attention with positions",
        "a projection along the length",
        "a row-by-row layer",
    )
    return [
        reordering_case(rng, name, *sizes[k]) for name, k in zip(names, rng.permutation(len(sizes)))
    ]


ERROR = Challenge(
    id="2.3",
    name="equivariance_error",
    title="How far from equivariant",
    section="shuffled",
    points=2,
    minutes=8,
    difficulty=2,
    asked="one number",
    reference=attention.equivariance_error,
    cases=(
        reordering_case(RANDOM, "attention", 5, 3),
        reordering_case(RANDOM, "attention with positions", 5, 3),
        reordering_case(RANDOM, "causal attention", 6, 4),
        reordering_case(RANDOM, "a projection along the length", 7, 3),
        reordering_case(RANDOM, "the mean for every row", 5, 2),
        reordering_case(RANDOM, "attention with positions", 64, 16, about="64 tokens"),
    ),
    draw=_draw_layers,
    hints=(
        "Two ways to the same place: shuffle and then the layer, or the layer and then shuffle.",
        "`x[order]` shuffles rows, and `layer(x)[order]` shuffles the rows of "
        "the output in the same way.",
        "The largest absolute entry of their difference: `np.abs(one - other).max()`.",
    ),
)


@ERROR.mistake(
    "the outputs are shuffled by the inverse of the order",
    "`x[order]` puts token `order[0]` on seat 0. Which row of layer(x) belongs on seat 0, then?",
)
def inverse_order(layer, x, order):
    return np.abs(layer(x[order]) - layer(x)[np.argsort(order)]).max()


@ERROR.mistake(
    "the two outputs are compared as they lie, which asks whether the layer is invariant",
    "After the shuffle token 3 may sit on seat 0. With which row of layer(x) "
    "should row 0 be compared?",
    seen=("PE145",),
)
def outputs_not_moved(layer, x, order):
    return np.abs(layer(x[order]) - layer(x)).max()


@ERROR.choices
def gap_by(layer, x, order, *, measure):
    """A wrong 2.3: something else than the largest size of the right difference."""
    return measure(layer(x[order]) - layer(x)[order])


gap_by.mistake(
    "sign-kept",
    "the largest difference is taken with its sign",
    "A difference of −2 is larger than one of 0.1. What is to be taken before `max`?",
    measure=lambda gap: gap.max(),
)

gap_by.mistake(
    "mean",
    "the mean of the differences came instead of the largest",
    "One row that is far off must not be hidden by many that are right.",
    measure=lambda gap: np.abs(gap).mean(),
)

gap_by.mistake(
    "mean-square",
    "the mean of the squared differences came",
    "What is asked for has the units of the output, and one entry decides it.",
    measure=lambda gap: (gap**2).mean(),
)

gap_by.mistake(
    "length-of-difference",
    "the length of the whole difference came, all entries squared and summed",
    "That number grows with the size of the array. One entry decides the one that is asked for.",
    measure=np.linalg.norm,
)


@ERROR.mistake(
    "the difference is divided by the size of the output",
    "What is asked for is the difference itself.",
)
def relative(layer, x, order):
    return np.abs(layer(x[order]) - layer(x)[order]).max() / np.abs(layer(x)).max()


gap_by.mistake(
    "yes-or-no",
    "a yes or no came where a number is asked for",
    "How far apart are the two, at the entry where they differ most?",
    measure=lambda gap: np.allclose(gap, 0),
)


@ERROR.mistake(
    "the output is compared with the shuffled input, not with the shuffled output",
    "Both sides go through the layer: once before the shuffle, once after it.",
)
def layer_left_out(layer, x, order):
    return np.abs(layer(x[order]) - x[order]).max()


@ERROR.mistake(
    "the columns are shuffled, not the rows", "Rows are tokens. Which index of `x` counts them?"
)
def columns_moved(layer, x, order):
    return np.abs(layer(x[:, order]) - layer(x)[:, order]).max()
