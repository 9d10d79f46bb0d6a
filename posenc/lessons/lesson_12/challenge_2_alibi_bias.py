"""Challenge 12.2, A penalty for distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc import encodings
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault
from posenc.lessons.lesson_12.common import (
    ABSOLUTE,
    RELATIVE,
    near,
)

Array = np.ndarray

Rule = Callable[..., Array]


def _below(bias: Array) -> Array:
    """Entries with j <= i less each row's diagonal: what a causal softmax sees of a bias."""
    bias = np.asarray(bias, dtype=float)
    rows, columns = np.tril_indices(bias.shape[-1])
    diagonal = np.diagonal(bias, axis1=-2, axis2=-1)
    with np.errstate(all="ignore"):  # a learner's infinities are told elsewhere
        return bias[..., rows, columns] - diagonal[..., rows]


def _from_diagonal(value: Array) -> Array:
    """A bias as queries read it: each row less its diagonal, and nothing for later keys."""
    with np.errstate(invalid="ignore"):
        return np.tril(value - np.diagonal(value, axis1=-2, axis2=-1)[..., None])


def _compare_bias(call: Call, expected: Array, got: Array) -> Fault | None:
    wrong = ~near(_below(got), _below(expected))
    if not wrong.any():
        return None
    head, place = (int(n) for n in np.argwhere(wrong)[0])
    row, column = (int(index[place]) for index in np.tril_indices(expected.shape[-1]))
    heads = np.flatnonzero(wrong.any(axis=-1))
    of = f"{len(heads)} of {len(expected)} heads" if len(expected) > 1 else "the only head"
    return Fault(
        "value",
        f"`alibi_bias({', '.join(map(str, call.args))})`: {of} "
        f"{'differ' if len(heads) > 1 else 'differs'} on or below the diagonal. In head {head}, "
        f"counted from 0, key {column} is {row - column} back from query {row}, and your entry "
        f"there is {_below(got)[head, place]:.6g} above that of the diagonal.",
    )


def _alike(does: Callable[..., Array], call: Call, value: Any) -> bool:
    """Whether a bias is that of `does` in the part that is judged."""
    wanted = does(*call.args)
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    return value.shape == wanted.shape and bool(near(_below(value), _below(wanted)).all())


ALIBI_BIAS = Challenge(
    id="12.2",
    name="alibi_bias",
    title="A penalty for distance",
    section="alibi",
    points=3,
    minutes=12,
    difficulty=2,
    asked="an array of shape (heads, length, length)",
    reference=encodings.alibi_bias,
    cases=(
        Case((8, 5)),
        Case((1, 4), about="one head"),
        Case((2, 6)),
        Case((6, 5), about="not a power of two"),
        Case((10, 7), about="not a power of two"),
        Case((12, 4), about="not a power of two"),
        Case((40, 6), about="not a power of two"),
        Case((16, 9)),
        Case((3, 1), about="one token"),
        Case((1, 257), about="a longer text"),
    ),
    draw=lambda rng: [Case((int(rng.integers(3, 70)), int(rng.integers(3, 24)))) for _ in range(6)],
    compare=_compare_bias,
    canonical=lambda call, value: _from_diagonal(value),
    alike=_alike,
    hints=(
        "Slopes first, then distances: the bias is minus one times the other, "
        "with an axis for the heads in front.",
        "For 6 heads: the slopes of 4 heads are 1/4, 1/16, 1/64, 1/256, those of 8 heads 1/2, 1/4, "
        "1/8 and so on. Which of the second list are missing from the first?",
        "`slopes[:, None, None] * -np.abs(i[:, None] - i)` with `i = np.arange(length)`. "
        "Above the diagonal any finite number passes.",
    ),
    absolute=ABSOLUTE,
    relative=RELATIVE,
)


@ALIBI_BIAS.choices
def slopes(heads, length, *, rule=encodings.alibi_slopes, sign=-1.0):
    """A bias from a rule for the slopes."""
    places = np.arange(length)
    return sign * np.asarray(rule(heads))[:, None, None] * np.abs(places[:, None] - places)


slopes.mistake(
    "distance-rewarded",
    "distance is rewarded: far keys gain where they should lose",
    "For a query at 3, which key should keep the most: 0 or 3?",
    seen=("PE117",),
    rule=encodings.alibi_slopes,
    sign=1.0,
)


def _geometric(heads: int, first: int = 1) -> Array:
    return 2.0 ** (-8.0 * np.arange(first, heads + first) / heads)


def _counted_from_0(heads: int) -> Array:
    smaller = 2 ** (heads.bit_length() - 1)
    return np.concatenate([_geometric(smaller, 0), _geometric(2 * smaller, 0)[0::2]])[:heads]


slopes.mistake(
    "first-slope-1",
    "the exponent counts heads from 0, so that the first slope is 1",
    "The paper's first of eight slopes is one half. What is the exponent of the first head?",
    seen=("PE116",),
    rule=_counted_from_0,
)
slopes.mistake(
    "one-line-rule",
    "the paper's one-line rule is used for every number of heads; trained models carry the "
    "slopes of the released code",
    "For 8 and 16 heads the two agree. What does the released code do between two powers of two?",
    seen=("PE115",),
    rule=_geometric,
)


def _next_power(heads: int) -> int:
    return 2 ** (heads - 1).bit_length()


slopes.mistake(
    "next-power-cut",
    "the slopes of the next larger power of two are made and the first of them taken",
    "Begin with the next *smaller* power of two. Where do the missing slopes come from?",
    seen=("PE114",),
    rule=lambda heads: _geometric(_next_power(heads))[:heads],
)


def _not_every_second(heads: int) -> Array:
    smaller = 2 ** (heads.bit_length() - 1)
    return np.concatenate([_geometric(smaller), _geometric(2 * smaller)])[:heads]


slopes.mistake(
    "not-every-second",
    "the added slopes are the first of the larger series, some of which are there already",
    "Of the slopes for 2 · 4 heads, which are not among those for 4?",
    rule=_not_every_second,
)
slopes.mistake(
    "sorted",
    "the slopes were sorted; the released rule lets them jump up again after "
    "the smaller power of two",
    "Each trained head was trained with its own slope. What does another order do to it?",
    seen=("PE122",),
    rule=lambda heads: np.sort(encodings.alibi_slopes(heads))[::-1],
)
slopes.mistake(
    "slopes-reversed",
    "the heads are numbered from the flat end",
    "Which head has the steepest slope, the first or the last of eight?",
    rule=lambda heads: encodings.alibi_slopes(heads)[::-1],
)
slopes.mistake(
    "one-slope",
    "all heads have the slope of the first",
    "Some heads should look near and others far. What differs between them?",
    rule=lambda heads: np.repeat(encodings.alibi_slopes(heads)[:1], heads),
)


@ALIBI_BIAS.mistake(
    "the distance is divided by the length",
    "Then one step means something else in every text; lesson 4 met that. What "
    "is the penalty of one step?",
)
def divided_by_length(heads, length):
    return encodings.alibi_bias(heads, length) / length


def _with_the_mask(call: Call, value: Any) -> bool:
    """Whether a bias is right as far as a causal softmax sees it, and infinite above."""
    heads, length = call.args
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    if value.shape != (heads, length, length):
        return False
    above = value[:, np.triu(np.ones((length, length), dtype=bool), 1)]
    right = near(_below(value), _below(encodings.alibi_bias(heads, length))).all()
    return bool(right and np.isneginf(above).all())


@ALIBI_BIAS.mistake(
    "the causal mask is part of the bias: minus infinity where the key is later",
    "The mask is applied elsewhere. Which finite number would do above the diagonal?",
    seen=("https://github.com/ofirpress/attention_with_linear_biases/issues/18",),
    fits=_with_the_mask,
)
def mask_in_the_bias(heads, length):
    later = np.triu(np.full((length, length), -np.inf), 1)
    return np.where(np.isinf(later), later, encodings.alibi_bias(heads, length))


def _heads_are_last(call: Call, value: Any) -> bool:
    heads, length = call.args
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    if value.shape != (length, length, heads):
        return False
    wanted = encodings.alibi_bias(heads, length)
    return bool(near(_below(np.moveaxis(value, -1, 0)), _below(wanted)).all())


@ALIBI_BIAS.mistake(
    "the heads are the last axis instead of the first",
    "The result has the axes heads, queries, keys. Where did yours put the slopes?",
    fits=_heads_are_last,
)
def heads_last(heads, length):
    return np.moveaxis(encodings.alibi_bias(heads, length), 0, -1)


slopes.mistake(
    "one-half-to-1-256",
    "the slopes run from 1/2 to 1/256 for every number of heads, as they do for eight",
    "For 16 heads the paper begins at 2^(−1/2). What is the slope of a single head?",
    rule=lambda heads: 2.0 ** np.linspace(-1, -8, heads),
)


@ALIBI_BIAS.has
def the_same_for_every_step_back(got, heads, length):
    bias = _from_diagonal(got)
    for head, one in enumerate(bias):
        for back in range(2, length):
            far, step = one[length - 1, length - 1 - back], one[length - 1, length - 2]
            if abs(far - back * step) > 1e-3 * max(1e-3, abs(far)):
                return (
                    f"each step back costs a head the same; in your head {head} one step back is "
                    f"{step:.4g}, and {back} steps back are {far:.4g}."
                )
    return ""


@ALIBI_BIAS.has
def farther_keys_get_less(got, heads, length):
    bias = _from_diagonal(got)
    if bias.max() < 1e-6:
        return ""
    head = int(bias.reshape(heads, -1).max(axis=1).argmax())
    return f"a key farther back gets a lower score; your head {head} raises it."
