"""Challenge 9.4, One step is enough."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def _one_step(width: int, base: float = 10000.0) -> Array:
    return geometry.shift_matrix(1, width, base)


FROM_ONE_STEP = Challenge(
    id="9.4",
    name="shift_from_one_step",
    title="One step is enough",
    section="compose",
    points=2,
    minutes=8,
    difficulty=2,
    asked="an array of the same shape as one_step",
    crossed=False,  # each matrix has to be that of a step
    reference=geometry.shift_from_one_step,
    cases=(
        Case((_one_step(2), 3)),
        Case((_one_step(4), 1), about="one step"),
        Case((_one_step(4), 0), about="no shift"),
        Case((_one_step(4), -1), about="one step back"),
        Case((_one_step(4, 100.0), -1), about="one step back, another base"),
        Case((_one_step(6), -5), about="a negative shift"),
        Case((_one_step(8, 100.0), 9), about="another base"),
        Case((_one_step(64), 40), about="a larger matrix"),
    ),
    draw=lambda rng: [
        Case(
            (_one_step(int(width), float(rng.uniform(20, 30000))), int(rng.integers(2, 60)) * sign),
            about="a negative shift" if sign < 0 else "",
        )
        for width, sign in zip(rng.permutation([4, 6, 8, 10, 12]), (1, -1, 1, -1, 1))
    ],
    hints=(
        "Shift by one, and by one again: the matrices are multiplied. How many "
        "factors has a shift by k?",
        "Start from the identity, which is the shift by 0, and multiply |k| times with `@`.",
        "A rotation is undone by its transpose, so a negative k multiplies `one_step.T`. "
        "`np.linalg.matrix_power` does all of it.",
    ),
)


@FROM_ONE_STEP.mistake(
    "every entry is raised to the power k by itself",
    "Two steps are the matrix times the matrix, `@`, not entry times entry. "
    "What does `**` do to an array?",
)
def elementwise_power(one_step, k):
    return np.asarray(one_step, dtype=float) ** k


@FROM_ONE_STEP.mistake(
    "the matrix is multiplied by the number k",
    "A rotation twice as far is no longer than before. Which operation puts one "
    "turn after another?",
)
def k_times(one_step, k):
    return k * one_step


@FROM_ONE_STEP.mistake(
    "the matrix turns back by k instead of on",
    "For k = 1 the answer is the matrix that was given. Is it yours?",
)
def transposed(one_step, k):
    return np.linalg.matrix_power(one_step, -k)


@FROM_ONE_STEP.choices
def power(one_step, k, *, offset=0):
    """The power of one step, off by `offset`."""
    return np.linalg.matrix_power(one_step, k + offset)


power.mistake(
    "one-too-many",
    "there is one step too many",
    "Count the products for k = 1. And for k = 0?",
    offset=1,
)
power.mistake(
    "one-too-few",
    "there is one step too few",
    "Count the products for k = 1. And for k = 0?",
    offset=-1,
)


@FROM_ONE_STEP.mistake(
    "a negative k is taken for a positive one",
    "A shift by −1 undoes a shift by 1. Which matrix undoes a rotation?",
)
def sign_of_k_lost(one_step, k):
    return np.linalg.matrix_power(one_step, abs(k))


@FROM_ONE_STEP.choices
def multiplied(one_step, k, *, first, times):
    """A start value, multiplied by the matrix so many times."""
    result = first(one_step).copy()
    for _ in range(times(k)):
        result = result @ one_step
    return result


def _identity_like(matrix: Array) -> Array:
    return np.eye(len(matrix))


multiplied.mistake(
    "negative-does-nothing",
    "a negative k gives the identity, because a loop over `range(k)` does not run",
    "How often does `range(-3)` run? Which matrix should be multiplied instead?",
    first=_identity_like,
    times=lambda k: k,
)
multiplied.mistake(
    "starts-at-one-step",
    "the product starts with the matrix itself, so that 0 and negative k come out as one step",
    "What should be left if no step is taken? Start from that.",
    first=lambda m: m,
    times=lambda k: k - 1,
)


@FROM_ONE_STEP.mistake(
    "a negative k puts a minus in front of the matrix",
    "A minus in front points every pair the other way. To turn back is something else.",
)
def minus_in_front(one_step, k):
    return np.sign(k if k else 1) * np.linalg.matrix_power(one_step, abs(k))


@FROM_ONE_STEP.mistake(
    "the result is multiplied by itself each time, so that the shift doubles "
    "instead of growing by one",
    "After the second product you should be at 3 steps. Which matrix is multiplied each time?",
)
def squared_each_time(one_step, k):
    result = one_step.copy()
    for _ in range(k - 1):
        result = result @ result
    return result


@FROM_ONE_STEP.has
def no_step_changes_nothing(matrix, one_step, k):
    if k or np.abs(matrix - np.eye(len(one_step))).max() < 1e-4:
        return ""
    return "a shift by 0 changes nothing, and its matrix is the identity; yours is not."


@FROM_ONE_STEP.has
def lengths_stay(matrix, one_step, k):
    norms = np.linalg.norm(matrix, axis=1)
    row = int(np.abs(norms - 1).argmax())
    if abs(norms[row] - 1) < 1e-3:
        return ""
    return (
        f"steps that are turns keep lengths, so that each row has length 1; row {row} of yours "
        f"has length {norms[row]:.4g}."
    )
