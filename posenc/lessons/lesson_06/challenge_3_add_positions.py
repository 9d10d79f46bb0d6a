"""Challenge 6.3, A batch of sequences."""

from __future__ import annotations

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge
from posenc.lessons import familiar
from posenc.lessons.lesson_06.common import (
    random_batch,
)

ADD_POSITIONS = Challenge(
    id="6.3",
    name="add_positions",
    title="A batch of sequences",
    section="batch",
    points=2,
    minutes=8,
    difficulty=2,
    asked="a new array of the batch's own shape, (B, L, d),",
    reference=encodings.add_positions,
    cases=(
        Case((np.zeros((2, 3, 4)),), about="a batch of zeros"),
        Case((np.array([[[1.0, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]]]),), about="one sequence"),
        Case((np.full((3, 3, 4), 0.5),), about="as many sequences as tokens"),
        Case((np.full((2, 4, 3), 0.25),), {"base": 100.0}, about="an odd width, another base"),
        Case((np.full((2, 3, 4), 0.5),), {"base": 100.0}, about="a shape as before, another base"),
        Case((np.full((2, 300, 6), 0.125),), about="longer sequences"),
    ),
    draw=lambda rng: [
        Case((random_batch(rng, 3, 2, 4),)),
        Case((random_batch(rng, 2, 5, 2),)),
        Case((random_batch(rng, 4, 7, 6),)),
        Case((random_batch(rng, 1, 6, 5),), {"base": float(np.round(rng.uniform(20, 5000), 1))}),
    ],
    hints=(
        "A batch (B, L, d) holds B sequences. All of them use the same L rows of the same table.",
        "NumPy lines up shapes from the right: (B, L, d) + (L, d) adds the (L, "
        "d) array to each sequence.",
        "Make the table with `sinusoidal(L, d, base)` and return `batch + table`; `+=` would "
        "change the caller's array.",
    ),
    builds_on={"sinusoidal": "6.2", "frequencies": "6.1"},
)


@ADD_POSITIONS.mistake(
    "the rows are added along the batch: all tokens of sequence b get row b",
    "Axis 0 counts sequences, axis 1 counts positions. Which should the table run along?",
    seen=("PE036", "PE037", "PE041"),
)
def along_batch(batch, base=10000.0):
    return batch + encodings.sinusoidal(batch.shape[0], batch.shape[2], base)[:, None, :]


@ADD_POSITIONS.mistake(
    "every token gets row 0",
    "Three tokens of one sequence have three positions. How many different rows are added?",
    seen=("PE036",),
)
def row_zero_for_all(batch, base=10000.0):
    return batch + encodings.sinusoidal(1, batch.shape[2], base)


@ADD_POSITIONS.mistake(
    "the values are right, and the caller's batch was changed on the way",
    "`+=` writes into the array that was handed in. What does `a + b` do instead?",
)
def in_place(batch, base=10000.0):
    batch += encodings.sinusoidal(batch.shape[1], batch.shape[2], base)
    return batch


@ADD_POSITIONS.mistake(
    "the table is returned alone, without the batch and its axis",
    "What is asked for is the batch with positions added, not the positions.",
    seen=("PE042", "PE045"),
)
def table_only(batch, base=10000.0):
    return encodings.sinusoidal(batch.shape[1], batch.shape[2], base)


@ADD_POSITIONS.mistake(
    "the positions are returned in the right shape, without the batch's own values",
    "What is asked for is content plus position.",
    seen=("PE045",),
)
def batch_forgotten(batch, base=10000.0):
    return np.zeros_like(batch) + encodings.sinusoidal(batch.shape[1], batch.shape[2], base)


@ADD_POSITIONS.mistake(
    "positions run on from one sequence to the next",
    "A position is counted within its own sequence. Where does the second sequence start?",
)
def running_on(batch, base=10000.0):
    count, length, width = batch.shape
    return batch + encodings.sinusoidal(count * length, width, base).reshape(batch.shape)


@ADD_POSITIONS.mistake(
    "the table is added twice",
    "Does a function that you call add the positions already?",
    seen=("PE044", "PE045", "PE046"),
)
def added_twice(batch, base=10000.0):
    return batch + 2 * encodings.sinusoidal(batch.shape[1], batch.shape[2], base)


@ADD_POSITIONS.mistake(
    "one sequence is returned for the whole batch",
    "The result has the batch's own shape. What happened to axis 0?",
    seen=("PE042",),
)
def first_sequence_only(batch, base=10000.0):
    return batch[:1] + encodings.sinusoidal(batch.shape[1], batch.shape[2], base)


familiar.base_ignored(ADD_POSITIONS)


@ADD_POSITIONS.mistake(
    "the batch is multiplied by the root of the width before the table is added",
    "The paper and much code scale their embeddings like that, and lesson 10 asks what it does. "
    "What does this challenge add the table to?",
)
def scaled(batch, base=10000.0):
    return encodings.add_positions(batch * batch.shape[2] ** 0.5, base)


@ADD_POSITIONS.mistake(
    "the rows are appended to the tokens instead of being added",
    "The result has the batch's own shape. What happened to its last axis?",
    seen=("https://github.com/openai/finetune-transformer-lm/issues/4",),
    section="three-positions",
)
def concatenated(batch, base=10000.0):
    return np.concatenate([batch, encodings.add_positions(0 * batch, base)], axis=2)


@ADD_POSITIONS.has
def the_same_for_every_sequence(added, batch, base=10000.0):
    given = added - batch
    apart = np.abs(given - given[:1]).max(axis=(1, 2))
    if apart.max() < 1e-4:
        return ""
    return (
        f"what you add to sequence {int(apart.argmax())} is not what you add to sequence 0; they "
        f"differ by up to {apart.max():.4g}."
    )


@ADD_POSITIONS.has
def different_at_every_position(added, batch, base=10000.0):
    given = added - batch
    if given.shape[1] < 2 or np.abs(np.diff(given, axis=1)).max() > 1e-6:
        return ""
    return "what you add is the same at every position, so that it tells no position from another."
