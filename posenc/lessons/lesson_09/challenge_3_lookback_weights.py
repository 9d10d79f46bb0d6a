"""Challenge 9.3, A query that looks back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc import encodings, geometry
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault
from posenc.lessons import familiar
from posenc.lessons.lesson_09.challenge_1_shift_matrix import (
    both_sines_positive,
    halves,
    one_angle,
    rows_rolled,
)

Array = np.ndarray

LENGTH = 200  # rows of the table on which scores are looked at; every shorter table is a part of it

MARGIN = 1e-6  # by how much of the table's largest score the largest of a row must stand out


def _described(value: Any) -> str:
    """What was returned instead of a pair of arrays, in words."""
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, bool):
        return f"the value {value}"
    if isinstance(value, (int, float)):
        return "a single number"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"


def _two_weights(value: Any, width: int) -> tuple[Array, Array] | Fault:
    """w_q and w_k as float arrays (width, m), or what is wrong with them."""
    stacked = isinstance(value, np.ndarray) and value.ndim == 3
    if not (isinstance(value, (list, tuple)) or stacked) or len(value) != 2:
        return Fault("type", f"a pair (w_q, w_k) is asked for; {_described(value)} was returned.")
    found = []
    for name, one in zip(("w_q", "w_k"), value):
        weights = _one_weight(name, one, width)
        if isinstance(weights, Fault):
            return weights
        found.append(weights)
    w_q, w_k = found
    if w_q.shape[1] != w_k.shape[1]:
        return Fault(
            "shape",
            f"w_q has {w_q.shape[1]} columns and w_k has {w_k.shape[1]}; queries and keys of "
            "different width have no dot product.",
        )
    return w_q, w_k


def _one_weight(name: str, value: Any, width: int) -> Array | Fault:
    try:
        weights = np.asarray(value)
    except ValueError:
        return Fault("shape", f"{name} has rows of different lengths.")
    if weights.dtype.kind not in "iuf":
        kind = {"b": "True and False", "c": "complex numbers"}.get(
            weights.dtype.kind, _described(value)
        )
        return Fault("type", f"{name} should be an array of numbers; {kind} were returned.")
    if weights.ndim != 2 or weights.shape[0] != width or weights.shape[1] == 0:
        exchanged = weights.ndim == 2 and weights.shape[1] == width
        guess = " Rows and columns are exchanged." if exchanged and weights.shape[0] else ""
        return Fault(
            "shape",
            f"{name} should have {width} rows and one column or more; its shape "
            f"is {weights.shape}.{guess}",
        )
    if not np.isfinite(weights).all():
        return Fault("finite", f"{name} holds numbers that are not finite.")
    return weights.astype(float)


def _scores(w_q: Array, w_k: Array, width: int, base: float) -> Array:
    """The score of every position with every other, up to a positive factor."""
    table = encodings.sinusoidal(LENGTH, width, base)
    queries, keys = (table @ (w / (np.abs(w).max() or 1.0)) for w in (w_q, w_k))
    return queries @ keys.T


def _arguments(call: Call) -> tuple[int, int, float]:
    given = dict(zip(("k", "width", "base"), call.args)) | call.kwargs
    return given["k"], given["width"], given.get("base", 10000.0)


def _judge_lookback(call: Call, expected: Any, got: Any) -> Fault | None:
    """Judge a pair of weights by where each position looks; never by the weights themselves."""
    k, width, base = _arguments(call)
    shown = ", ".join(
        [*map(repr, call.args), *(f"{name}={value!r}" for name, value in call.kwargs.items())]
    )
    what = f"`lookback_weights({shown})`"
    weights = _two_weights(got, width)
    if isinstance(weights, Fault):
        return Fault(weights.step, f"{what}: {weights.reason}")
    scores = _scores(*weights, width, base)
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
            f"{what}: row {row} of the scores is largest at {rival}, and "
            f"{row - k} is asked for; {count}.",
        )
    return Fault(
        "property",
        f"{what}: row {row} of the scores does not stand out at {row - k}; the entry at "
        f"{rival} is as large. {count}.",
    )


def _places(value: Any, call: Call) -> Array | None:
    """Where each row of the scores is largest, or None where the weights cannot be used."""
    k, width, base = _arguments(call)
    weights = _two_weights(value, width)
    return None if isinstance(weights, Fault) else _scores(*weights, width, base).argmax(axis=1)


def _looks_alike(does: Callable[..., tuple[Array, Array]], call: Call, value: Any) -> bool:
    """Whether nearly every row looks where it does under the weights of `does`."""
    places = _places(value, call)
    if places is None:
        return False
    known = _places(does(*call.args, **call.kwargs), call)
    return float((places == known).mean()) >= 0.95


LOOKBACK_WEIGHTS = Challenge(
    id="9.3",
    name="lookback_weights",
    title="A query that looks back",
    section="look-back",
    points=3,
    minutes=15,
    difficulty=3,
    asked="a pair (w_q, w_k) of arrays with width rows each",
    reference=geometry.lookback_weights,
    compare=_judge_lookback,
    alike=_looks_alike,
    free_form=True,
    cases=(
        Case((3, 4)),
        Case((1, 6)),
        Case((0, 8), about="looking at itself"),
        Case((20, 4), {"base": 100.0}, about="another base"),
        Case((20, 8), about="far back"),
        Case((12, 64), about="a larger width"),
    ),
    draw=lambda rng: [
        Case(
            (int(rng.integers(2, 21)), int(width)),
            {"base": float(np.round(rng.uniform(20, 2000), 1))} if n % 2 else {},
        )
        for n, width in enumerate(rng.permutation([6, 8, 10, 12, 16]))
    ],
    hints=(
        "The dot product of two rows is largest where they are the same row. If the query of "
        "position i were row i − k, where would its largest score be?",
        "Let w_k be the identity, so that keys are the rows. Then P @ w_q "
        "should hold row i − k in its row i.",
        "Row i − k is M₋ₖ times row i, and P @ w applies the transpose of w to each row. So "
        "w_q is the transpose of M₋ₖ, which is Mₖ.",
    ),
    builds_on={"shift_matrix": "9.1"},
)


def _looks(target: Callable[[Array, int], Array]) -> Callable[[Call, Any], bool]:
    """Recognise weights under which each row looks at target(row, k), if that is in the table."""

    def fits(call: Call, value: Any) -> bool:
        places, rows = _places(value, call), np.arange(LENGTH)
        if places is None:
            return False
        wanted = target(rows, _arguments(call)[0])
        inside = (wanted >= 0) & (wanted < LENGTH)
        return bool((places[inside] == wanted[inside]).all())

    return fits


@LOOKBACK_WEIGHTS.choices
def by_steps(k, width, base=10000.0, *, steps=lambda k: k):
    """Weights that look steps(k) back."""
    return geometry.shift_matrix(steps(k), width, base), np.eye(width)


by_steps.mistake(
    "looks-ahead",
    "each position looks k ahead instead of k back",
    "In P @ w the rows are on the left, so w is applied as its transpose. What does "
    "transposing do to a rotation, and which sign did you start with?",
    fits=_looks(lambda i, k: i + k),
    steps=lambda k: -k,
)
by_steps.mistake(
    "looks-at-itself",
    "each position looks at itself: the shift is left out, or the query's and the key's cancel",
    "The score depends on the query's angle minus the key's. Is the difference k steps?",
    fits=_looks(lambda i, k: i),
    steps=lambda k: 0,
)
by_steps.mistake(
    "looks-twice-as-far",
    "each position looks 2k back: query and key are both turned, in opposite senses",
    "One of the two is enough. What does the other one need?",
    fits=_looks(lambda i, k: i - 2 * k),
    steps=lambda k: 2 * k,
)
by_steps.mistake(
    "one-too-far",
    "each position looks k + 1 back",
    "For k = 0 each position should look at itself. What does your shift say there?",
    fits=_looks(lambda i, k: i - k - 1),
    steps=lambda k: k + 1,
)
by_steps.mistake(
    "one-too-near",
    "each position looks k − 1 back",
    "For k = 0 each position should look at itself. What does your shift say there?",
    fits=_looks(lambda i, k: i - k + 1),
    steps=lambda k: k - 1,
)


@LOOKBACK_WEIGHTS.choices
def query_turned(k, width, base=10000.0, *, matrix=geometry.shift_matrix, sign=1):
    """Weights whose query is the table times matrix(sign·k), and whose key is the table."""
    return matrix(sign * k, width, base), np.eye(width)


def _either_way(matrix: Callable[..., Array]) -> Callable[[Call, Any], bool]:
    """Recognise weights whose query is multiplied by `matrix`, or by that of −k."""
    known = [query_turned.made(matrix=matrix, sign=sign) for sign in (1, -1)]
    return lambda call, value: any(_looks_alike(does, call, value) for does in known)


query_turned.mistake(
    "both-sines-positive",
    "the query is multiplied by blocks whose sines both have a plus, which turn nothing",
    "A rotation has one minus. Check that your matrix leaves the length of a row as it was.",
    fits=_either_way(both_sines_positive),
    matrix=both_sines_positive,
)
query_turned.mistake(
    "one-angle",
    "all pairs of the query are turned by one angle",
    "Each pair turns at its own speed. Only then is the turned row the row of another position.",
    fits=_either_way(one_angle),
    matrix=one_angle,
)
query_turned.mistake(
    "halves",
    "the query is turned in pairs that lie half the width apart",
    "In this table columns 2i and 2i + 1 are one pair.",
    fits=_either_way(halves),
    matrix=halves,
)
query_turned.mistake(
    "columns-rolled",
    "the columns of the query are rolled by k",
    "Positions are rows. A product with w mixes the columns of each row; which "
    "mixture turns its pairs?",
    fits=_either_way(rows_rolled),
    matrix=rows_rolled,
)


familiar.base_ignored(LOOKBACK_WEIGHTS)
