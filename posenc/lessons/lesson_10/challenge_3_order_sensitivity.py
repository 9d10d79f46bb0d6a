"""Challenge 10.3, Does the position travel?."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.judging.calls import Layer
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_10.common import ORDER, TABLE, TOKENS, random_rows

Array = np.ndarray


def _orders(rng: np.random.Generator, n: int) -> Array:
    """A permutation that is not its own inverse."""
    while True:
        order = rng.permutation(n)
        if not np.array_equal(order[order], np.arange(n)):
            return order


def _draw_orders(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n, d in ((5, 4), (6, 3), (4, 8)):
        for name in ("attention", "causal attention", "a row-by-row layer"):
            seed = int(rng.integers(0, 10**6))
            for travel in (True, False):
                cases.append(
                    Case(
                        (
                            Layer(name, seed, d, n),
                            random_rows(rng, n, d),
                            random_rows(rng, n, d),
                            _orders(rng, n),
                            travel,
                        )
                    )
                )
    return cases


ORDER_SENSITIVITY = Challenge(
    id="10.3",
    name="order_sensitivity",
    title="Does the position travel?",
    section="seats",
    points=3,
    minutes=10,
    difficulty=2,
    asked="a number",
    reference=attention.order_sensitivity,
    cases=(
        Case((Layer("a row-by-row layer", 1, 4, 6), TOKENS.round(3), TABLE.round(3), ORDER, False)),
        Case(
            (Layer("attention", 2, 4, 6), TOKENS.round(3), TABLE.round(3), ORDER, True),
            about="the positions travel",
        ),
        Case(
            (Layer("attention", 2, 4, 6), TOKENS.round(3), TABLE.round(3), ORDER, False),
            about="the positions stay",
        ),
        Case(
            (Layer("attention", 3, 4, 6), TOKENS.round(3), np.zeros((6, 4)), ORDER, False),
            about="no encoding at all",
        ),
        Case(
            (Layer("causal attention", 4, 4, 6), TOKENS.round(3), TABLE.round(3), ORDER, True),
            about="a causal layer",
        ),
    ),
    draw=_draw_orders,
    hints=(
        "There are two inputs: the rows in their order, `x + encoding`, and the moved ones. What "
        "the moved ones are depends on the flag.",
        "If the positions travel, shuffle the sums; if they stay, shuffle `x` and add the "
        "encoding in its old order.",
        "Compare `layer(moved)` with `layer(x + encoding)[order]` and take the "
        "largest absolute difference.",
    ),
)


@ORDER_SENSITIVITY.choices
def sensitivity(
    layer,
    x,
    encoding,
    order,
    positions_travel,
    *,
    moved=lambda x, p, o, travel: (x + p)[o] if travel else x[o] + p,
    gap=lambda a, b, o: np.abs(a - b[o]).max(),
    base=lambda x, p: x + p,
):
    return float(
        gap(layer(moved(x, encoding, order, positions_travel)), layer(base(x, encoding)), order)
    )


sensitivity.mistake(
    "flag-reversed",
    "the two settings of `positions_travel` are exchanged",
    "If a token keeps its position, is the encoding added before or after the shuffle?",
    moved=lambda x, p, o, travel: x[o] + p if travel else (x + p)[o],
)
sensitivity.mistake(
    "flag-ignored",
    "the tokens change positions whatever `positions_travel` says",
    "Where should the flag make a difference?",
    moved=lambda x, p, o, travel: x[o] + p,
)
sensitivity.mistake(
    "always-travels",
    "the positions always travel",
    "If the positions stay, which encoding does the token that moved to position 0 get?",
    moved=lambda x, p, o, travel: (x + p)[o],
)
sensitivity.mistake(
    "inverse-order",
    "the outputs are put back by the inverse permutation",
    "Row n of the shuffled input is row order[n] of the old one. Which row of "
    "the old output is compared with it?",
    gap=lambda a, b, o: np.abs(a - b[np.argsort(o)]).max(),
)
sensitivity.mistake(
    "not-reordered",
    "the outputs are compared row by row, without reordering: that tests for invariance",
    "An equivariant layer's outputs move along with the tokens. Take that move out first.",
    seen=("PE144", "PE145"),
    gap=lambda a, b, o: np.abs(a - b).max(),
)
sensitivity.mistake(
    "mean-for-largest",
    "the mean difference is returned instead of the largest",
    "One row that differs must not be hidden by many that do not.",
    gap=lambda a, b, o: np.abs(a - b[o]).mean(),
)
sensitivity.mistake(
    "euclidean-norm",
    "the norm of all differences is returned instead of the largest",
    "The largest absolute entry is asked for. How large is it where two entries differ by 1?",
    gap=lambda a, b, o: np.linalg.norm(a - b[o]),
)
sensitivity.mistake(
    "signs-kept",
    "differences below 0 are not counted",
    "How large is a difference of −3?",
    gap=lambda a, b, o: (a - b[o]).max(),
)
sensitivity.mistake(
    "encoding-forgotten",
    "the unshuffled side has no encoding",
    "Both sides need it: what is compared is the order, not the presence.",
    base=lambda x, p: x,
)


@ORDER_SENSITIVITY.has
def never_negative(found, layer, x, encoding, order, *rest):
    return "" if found >= 0 else f"a largest difference is never negative; yours is {found:.4g}."
