"""Challenge 9.3, A query that looks back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc import encodings, geometry
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault
from posenc.lessons import familiar
from posenc.lessons.lesson_09.challenge_1_shift_matrix import both_sines_positive, one_angle

Array = np.ndarray

LENGTH = 200  # rows of the table on which scores are looked at; every shorter table is a part of it

MARGIN = 1e-6  # by how much of the table's largest score the largest of a row must stand out


def _arguments(call: Call) -> tuple[Array, int, float]:
    given = dict(zip(("w_k", "k", "base"), call.args)) | call.kwargs
    return given["w_k"], given["k"], given.get("base", 10000.0)


def _scores(w_q: Array, w_k: Array, base: float) -> Array:
    """The score of every position with every other, up to a positive factor."""
    table = encodings.sinusoidal(LENGTH, len(w_k), base)
    queries = table @ (w_q / (np.abs(w_q).max() or 1.0))
    return queries @ (table @ w_k).T


def _judge_lookback(call: Call, expected: Any, got: Any) -> Fault | None:
    """Judge the query's weights by where each position looks; never by the weights themselves."""
    w_k, k, base = _arguments(call)
    shown = f", base={base!r}" if base != 10000.0 else ""
    what = f"`lookback_weights(array of shape {w_k.shape}, {k}{shown})`"
    scores = _scores(got.astype(float), w_k, base)
    rows = np.arange(k, LENGTH)
    asked = scores[rows, rows - k]
    others = scores[rows].copy()
    others[rows - k, rows - k] = -np.inf
    clear = asked - others.max(axis=1) > MARGIN * np.abs(scores).max()
    if clear.all():
        return None
    first = int(np.argmin(clear))
    row, rival = int(rows[first]), int(others[first].argmax())
    count = f"{int((~clear).sum())} of {len(rows)} rows look elsewhere"
    if asked[first] < others[first, rival]:
        return Fault(
            "property",
            f"{what}: row {row} of the scores is largest at {rival}, and it should be largest at "
            f"{row - k}; {count}.",
        )
    return Fault(
        "property",
        f"{what}: row {row} of the scores does not stand out at {row - k}; the entry at "
        f"{rival} is as large. {count}.",
    )


def _places(value: Any, call: Call) -> Array | None:
    """Where each row of the scores is largest, or None where the weights cannot be used."""
    w_k, _, base = _arguments(call)
    try:
        weights = np.asarray(value)
    except ValueError:
        return None
    if weights.shape != w_k.shape or weights.dtype.kind not in "iuf":
        return None
    if not np.isfinite(weights).all():
        return None
    return _scores(weights, w_k, base).argmax(axis=1)


def _looks_alike(does: Callable[..., Array], call: Call, value: Any) -> bool:
    """Whether nearly every row looks where it does under the weights of `does`."""
    places = _places(value, call)
    if places is None:
        return False
    known = _places(does(*call.args, **call.kwargs), call)
    return float((places == known).mean()) >= 0.95


def lookback_weights(w_k: Array, k: int, base: float = 10000.0) -> Array:
    """The query's projection (width, width) under which each position looks k back.

    P w_q (P w_k)ᵀ = P Mₖ w_k⁻ᵀ w_kᵀ Pᵀ = (P Mₖ) Pᵀ: the keys' projection cancels.
    """
    turn, _ = geometry.lookback_weights(k, len(w_k), base)
    return turn @ np.linalg.inv(w_k).T


def _projection(rng: np.random.Generator, width: int) -> Array:
    """A projection with an inverse that keeps its digits, not symmetric and no rotation."""
    while True:
        weights = rng.normal(size=(width, width)).round(3)
        if np.linalg.cond(weights) < 40:
            return weights


_FIXED = np.random.default_rng(93)


LOOKBACK_WEIGHTS = Challenge(
    id="9.3",
    name="lookback_weights",
    title="A query that looks back",
    section="look-back",
    points=3,
    minutes=18,
    difficulty=3,
    asked="an array of the shape of w_k",
    reference=lookback_weights,
    compare=_judge_lookback,
    alike=_looks_alike,
    cases=(
        Case((np.array([[0.0, 2.0, 0, 0], [1.0, 0, 0, 0], [0, 0, 1.0, 1.0], [0, 0, 0, 1.0]]), 3)),
        Case((np.eye(6), 1), about="keys that are the rows themselves"),
        Case((_projection(_FIXED, 8), 0), about="looking at itself"),
        Case((_projection(_FIXED, 4), 20), {"base": 100.0}, about="another base"),
        Case((_projection(_FIXED, 8), 20), about="far back"),
        Case((_projection(_FIXED, 16), 12), about="a larger width"),
    ),
    draw=lambda rng: [
        Case(
            (_projection(rng, int(width)), int(rng.integers(2, 21))),
            {"base": float(np.round(rng.uniform(20, 2000), 1))} if n % 2 else {},
        )
        for n, width in enumerate(rng.permutation([4, 6, 8, 10, 12]))
    ],
    hints=(
        "The dot product of two rows of P is largest where they are the same row. First take w_k "
        "for the identity: what should P @ w_q have in its row i?",
        "Row i − k is M₋ₖ times row i, and P @ w applies the transpose of w to each row. That "
        "settles the case of the identity. For another w_k, write out (P @ w_q) @ (P @ w_k).T: "
        "which matrices are between P and its transpose?",
        "Between them are w_q and the transpose of w_k. Their product should be Mₖ, so w_q has to "
        "undo that transpose with an inverse on its right.",
    ),
    builds_on={"shift_matrix": "9.1"},
)


@LOOKBACK_WEIGHTS.choices
def combined(
    w_k,
    k,
    base=10000.0,
    *,
    steps=lambda k: k,
    matrix=geometry.shift_matrix,
    undone=lambda turn, w_k: turn @ np.linalg.inv(w_k).T,
):
    """The turn by steps(k), made by `matrix`, and the way in which it undoes the keys' weights."""
    return undone(matrix(steps(k), len(w_k), base), w_k)


combined.mistake(
    "looks-ahead",
    "each position looks k ahead instead of k back",
    "In P @ w the rows are on the left, so w is applied as its transpose. What does "
    "transposing do to a rotation, and which sign did you start with?",
    steps=lambda k: -k,
)
combined.mistake(
    "looks-at-itself",
    "each position looks at itself: the keys' projection is undone, and the shift is left out",
    "For k = 3 row i of the scores should be largest at i − 3. Where does k enter?",
    steps=lambda k: 0,
)
combined.mistake(
    "one-too-far",
    "each position looks k + 1 back",
    "For k = 0 each position should look at itself. What does your shift say there?",
    steps=lambda k: k + 1,
)
combined.mistake(
    "one-too-near",
    "each position looks k − 1 back",
    "For k = 0 each position should look at itself. What does your shift say there?",
    steps=lambda k: k - 1,
)
combined.mistake(
    "keys-not-projected",
    "the query is made for keys that are the rows of P, and `w_k` is left out",
    "Here the keys are P @ w_k. Which matrix brings their product with a query back to that of "
    "rows of P?",
    undone=lambda turn, w_k: turn,
)
combined.mistake(
    "projected-alike",
    "the turned rows are projected by `w_k`, as the keys are",
    "Two rows projected alike have another dot product than before. What should be between P and "
    "its transpose in (P @ w_q) @ (P @ w_k).T?",
    undone=lambda turn, w_k: turn @ w_k,
)
combined.mistake(
    "inverse-not-transposed",
    "the inverse of `w_k` is used without its transpose",
    "In (P @ w_q) @ (P @ w_k).T the keys' matrix is transposed. Does your inverse undo that one?",
    undone=lambda turn, w_k: turn @ np.linalg.inv(w_k),
)
combined.mistake(
    "factors-exchanged",
    "the inverse is on the left of the turn instead of on its right",
    "w_q is followed by the transpose of w_k. Which of your two factors is next to it?",
    undone=lambda turn, w_k: np.linalg.inv(w_k).T @ turn,
)
combined.mistake(
    "both-sines-positive",
    "the turn has blocks whose sines both have a plus, which turn nothing",
    "A rotation has one minus. Check that your matrix leaves the length of a row as it was.",
    matrix=both_sines_positive,
)
combined.mistake(
    "one-angle",
    "all pairs of the query are turned by one angle",
    "Each pair turns at its own speed. Only then is the turned row the row of another position.",
    matrix=one_angle,
)


familiar.base_ignored(LOOKBACK_WEIGHTS)
