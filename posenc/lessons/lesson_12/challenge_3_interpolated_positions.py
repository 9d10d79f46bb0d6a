"""Challenge 12.3, Squeezed positions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge

Array = np.ndarray

Rule = Callable[..., Array]

INTERPOLATED_POSITIONS = Challenge(
    id="12.3",
    name="interpolated_positions",
    title="Squeezed positions",
    section="repairs",
    points=1,
    minutes=5,
    difficulty=1,
    asked="a one-dimensional array of `length` positions",
    reference=encodings.interpolated_positions,
    cases=(
        Case((8, 4)),
        Case((4, 8), about="a text within the trained length"),
        Case((6, 6), about="a text of the trained length"),
        Case((7, 5)),
        Case((1, 3), about="one token"),
        Case((96, 64)),
    ),
    draw=lambda rng: [
        *(Case((int(n), int(rng.integers(4, n)))) for n in rng.integers(9, 80, 4)),
        *(Case((int(n), int(n + rng.integers(2, 40)))) for n in rng.integers(3, 40, 2)),
    ],
    hints=(
        "Two cases: does the text fit into the trained length or not?",
        "Where it does not fit, position p becomes p · trained_length / length.",
        "`np.arange(length)` holds the positions; return it as it is, or "
        "multiplied by the fraction.",
    ),
)


@INTERPOLATED_POSITIONS.choices
def squeezed(length, trained_length, *, rule, always=False):
    """A wrong 12.3 from a rule for texts longer than the trained length, or for all."""
    positions = np.arange(length, dtype=float)
    return (
        rule(positions, length, trained_length) if always or length > trained_length else positions
    )


squeezed.mistake(
    "unchanged",
    "long texts keep their positions",
    "The last position of a long text should come to lie inside the trained range.",
    rule=lambda p, n, m: p,
)

squeezed.mistake(
    "always-scaled",
    "short texts are stretched to the trained length",
    "A text that fits is what the model was trained on. What should happen to it?",
    rule=lambda p, n, m: p * m / n,
    always=True,
)

squeezed.mistake(
    "upside-down",
    "the positions are spread out instead of squeezed: the fraction is upside down",
    "Is your last position larger or smaller than before?",
    rule=lambda p, n, m: p * n / m,
)

squeezed.mistake(
    "ends-on-ends",
    "the last position is put exactly on the last trained one, as stretching a table does",
    "Here each position is multiplied by trained_length/length. Which number "
    "did you take for each?",
    rule=lambda p, n, m: p * (m - 1) / (n - 1),
)

squeezed.mistake(
    "rounded-down",
    "the positions are rounded down, so that several tokens share one",
    "A rotation takes any real number. What is gained by a whole one?",
    rule=lambda p, n, m: np.floor(p * m / n),
)

squeezed.mistake(
    "clipped",
    "all positions past the trained range are set to its last one",
    "Then the late tokens cannot be told apart. How could all of them share the range evenly?",
    rule=lambda p, n, m: np.minimum(p, m - 1),
)

squeezed.mistake(
    "wrapped",
    "positions begin again at 0 past the trained range",
    "Then a late token looks like an early one. How could all of them share the range evenly?",
    rule=lambda p, n, m: p % m,
)
