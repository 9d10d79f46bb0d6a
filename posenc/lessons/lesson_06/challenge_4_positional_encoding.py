"""Challenge 6.4, The layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from posenc import encodings
from posenc.judging.calls import Step
from posenc.judging.model import Case, Challenge, Raises
from posenc.lessons import familiar
from posenc.lessons.lesson_06.common import random_batch

Array = np.ndarray


class Layer:
    """The reference of 6.4: a layer with a table, no parameter, and a limit that it states."""

    def __init__(self, width: int, max_length: int, base: float = 10000.0) -> None:
        self.table = encodings.sinusoidal(max_length, width, base)

    def forward(self, batch: Array) -> Array:
        """batch (B, L, d) with positions added; ValueError where L is larger than the table."""
        length = batch.shape[1]
        if length > len(self.table):
            raise ValueError(f"the batch has length {length}; the table ends at {len(self.table)}")
        return batch + self.table[:length]

    def backward(self, gradient: Array) -> Array:
        """The gradient that arrives, unchanged: addition passes it on."""
        return gradient

    def parameters(self) -> list:
        """Nothing is learned."""
        return []


def _script(
    batch: Array,
    gradient: Array,
    width: int,
    max_length: int,
    too_long: int,
    kwargs: dict[str, Any] | None = None,
    about: str = "",
) -> Case:
    """The calls made on one layer; the last is a batch that is too long."""
    return Case(
        (width, max_length),
        kwargs or {},
        (
            Step("table", reads=True),
            Step("forward", (batch,)),
            Step("backward", (gradient,)),
            Step("parameters"),
            # The same object again: a layer keeps nothing from one batch to the next.
            Step("forward", (batch[:1],)),
            Step("backward", (gradient[:1],)),
            Step("forward", (np.full((2, too_long, width), 0.5),)),
        ),
        Raises(ValueError, (str(too_long), str(max_length))),
        about,
    )


def _draw_layers(rng: np.random.Generator) -> Sequence[Case]:
    cases = []
    for width, max_length, count, length in ((16, 64, 3, 5), (5, 17, 2, 9), (6, 33, 4, 7)):
        kwargs = {"base": float(np.round(rng.uniform(20, 5000), 1))} if width == 6 else {}
        cases.append(
            _script(
                random_batch(rng, count, length, width),
                random_batch(rng, count, length, width),
                width,
                max_length,
                max_length + int(rng.integers(1, 9)),
                kwargs,
            )
        )
    return cases


LAYER = Challenge(
    id="6.4",
    name="PositionalEncoding",
    title="The layer",
    section="no-parameter",
    points=3,
    minutes=12,
    difficulty=3,
    asked="what the method's requirement says",
    reference=Layer,
    cases=(
        _script(np.zeros((2, 3, 4)), np.array([[[1.0, 2, 3, 4]] * 3] * 2), 4, 8, 9),
        _script(
            np.full((2, 8, 4), 0.5),
            np.full((2, 8, 4), -0.25),
            4,
            8,
            11,
            about="as long as the table",
        ),
        _script(np.zeros((2, 1, 4)), np.ones((2, 1, 4)), 4, 1, 3, about="a table of one row"),
        _script(
            np.full((2, 4, 6), 0.5),
            np.full((2, 4, 6), 3.0),
            6,
            16,
            20,
            {"base": 100.0},
            "another base",
        ),
    ),
    draw=_draw_layers,
    hints=(
        "Build the table once, in `__init__`, and keep it as `self.table`.",
        "`forward` needs the first L rows only, and must compare L with "
        "`len(self.table)` before it takes them: "
        "a slice past the end is not an error.",
        "y = x + P with P fixed, so a change of x changes y by the same amount: "
        "`backward` hands the gradient on.",
    ),
    builds_on={"sinusoidal": "6.2", "add_positions": "6.3", "frequencies": "6.1"},
)


@LAYER.mistake(
    "a longer input is left to NumPy, which broadcasts a table of one row over any length silently",
    "Compare the length with the number of rows before adding, and raise ValueError with both.",
)
class NoLimit(Layer):
    def forward(self, batch):
        return batch + self.table[: batch.shape[1]]


@LAYER.mistake(
    "the whole table is added whatever the length of the batch",
    "A batch of length 3 needs rows 0 to 2 of a table of 8.",
    seen=("PE035",),
)
class WholeTable(Layer):
    def forward(self, batch):
        return batch + self.table


@LAYER.mistake(
    "the table is listed as a parameter, so that an optimiser would change it",
    "The table is fixed by a formula. What is there to learn?",
    seen=("PE054",),
)
class TableAsParameter(Layer):
    def parameters(self):
        return [self.table]


@LAYER.mistake(
    "the table is added to the gradient as well",
    "What is the derivative of x + P with respect to x, where P is fixed?",
)
class GradientPlusTable(Layer):
    def backward(self, gradient):
        return gradient + self.table[: gradient.shape[1]]


@LAYER.mistake(
    "the gradient ends here: zeros are handed back",
    "The layers below need a gradient, although this one has no parameter. What is the "
    "derivative of x + P with respect to x?",
    seen=("PE051",),
)
class GradientGone(Layer):
    def backward(self, gradient):
        return np.zeros_like(gradient)


@LAYER.mistake(
    "the gradient is summed over the batch, as it would be for a learned table",
    "What is asked for is the gradient of the input, and the input has a batch axis.",
)
class GradientSummed(Layer):
    def backward(self, gradient):
        return gradient.sum(axis=0)


@LAYER.mistake(
    "a batch as long as the table is refused",
    "A table of 8 rows serves positions 0 to 7. Is length 8 too long?",
    seen=("PE077",),
)
class LimitTooSoon(Layer):
    def forward(self, batch):
        if batch.shape[1] >= len(self.table):
            raise ValueError(f"length {batch.shape[1]} is not below {len(self.table)}")
        return super().forward(batch)


@LAYER.mistake(
    "the error does not say how long the input is and how long it may be",
    "Whoever reads the message needs both numbers.",
)
class LimitUnnamed(Layer):
    def forward(self, batch):
        if batch.shape[1] > len(self.table):
            raise ValueError("the input is too long")
        return super().forward(batch)


@LAYER.mistake(
    "another class of error than ValueError is raised",
    "A wrong value from outside is a ValueError; an assertion is for what "
    "cannot happen and may be switched off.",
)
class LimitAsserted(Layer):
    def forward(self, batch):
        if batch.shape[1] > len(self.table):
            raise AssertionError(f"length {batch.shape[1]} is above {len(self.table)}")
        return super().forward(batch)


@LAYER.mistake(
    "a longer input is silently cut to the length of the table",
    "Tokens that vanish are worse than an error. What should the caller learn?",
)
class CutToTable(Layer):
    def forward(self, batch):
        batch = batch[:, : len(self.table)]
        return batch + self.table[: batch.shape[1]]


@LAYER.mistake(
    "the caller's batch is changed by forward",
    "`+=` writes into the array that was handed in. What does `a + b` do instead?",
    section="batch",
)
class InPlace(Layer):
    def forward(self, batch):
        super().forward(batch)
        batch += self.table[: batch.shape[1]]
        return batch


familiar.base_ignored(LAYER)


@LAYER.mistake(
    "width and max_length are exchanged on the way to the table",
    "`sinusoidal` takes the length first, the layer takes the width first.",
)
class ArgumentsSwapped(Layer):
    def __init__(self, width, max_length, base=10000.0):
        super().__init__(max_length, width, base)


@LAYER.mistake(
    "the rows are added along the batch: all tokens of sequence b get row b",
    "Axis 0 counts sequences, axis 1 counts positions. Which should the table run along?",
    seen=("PE035", "PE036", "PE037"),
    section="batch",
)
class AlongBatch(Layer):
    def forward(self, batch):
        super().forward(batch)
        return batch + self.table[: batch.shape[0], None, :]
