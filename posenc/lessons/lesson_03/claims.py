"""What lesson 3 claims."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings
from posenc.attention import SIX_TOKENS
from posenc.lessons.lesson_03.common import RED_BLUE_RED, error_of_reach, last_after_shuffle
from posenc.lessons.model import Claim, Setting

Array = np.ndarray


def _weights(mask: bool, positions: float = 0.0, base: float = 10000.0) -> Array:
    """Rows 0 and 2 of red, blue, red with the encoding times `positions` added."""
    tokens = RED_BLUE_RED + positions * encodings.sinusoidal(3, 4, base)
    _, weights = attention.identity_attention(tokens, attention.causal_mask(3) if mask else None)
    return weights[[0, 2]]


def _neither(strength: float = 0.0, base: float = 10000.0) -> Array:
    return _weights(False, strength, base)


def _same_rows_hold(
    measured: Array, strength: float = 0.0, base: float = 10000.0
) -> tuple[bool, str]:
    apart = float(np.abs(measured[0] - measured[1]).max())
    if apart < 1e-9:
        return (
            True,
            "Both reds have the same row and read everything, so nothing tells them apart.",
        )
    return False, f"With encodings the weights of the two reds differ by up to {apart:.4f}."


def _positions_only(strength: float = 1.0, base: float = 10000.0) -> Array:
    return _weights(False, strength, base)


def _positions_hold(
    measured: Array, strength: float = 1.0, base: float = 10000.0
) -> tuple[bool, str]:
    apart = float(np.abs(measured[0] - measured[1]).max())
    if apart > 0.01:
        return True, f"The weights of the two reds differ by up to {apart:.4f}."
    return False, f"With encodings this small the two reds differ by {apart:.4f} at most."


def _both(base: float = 10000.0) -> Array:
    return _weights(True, 1.0, base)


def _both_hold(measured: Array, base: float = 10000.0) -> tuple[bool, str]:
    apart = float(np.abs(measured[1] - _weights(False, 1.0, base)[1]).max())
    return apart < 1e-12, "The last token may read everything, with the mask as without it."


def _reach_holds(measured: float, reach: float = 0) -> tuple[bool, str]:
    if measured > 0.01:
        return True, "Who may read whom depends on positions, so the outputs do not follow."
    return False, "Every token may read all six: nothing is forbidden, so positions play no part."


def _last_holds(measured: float, layers: float = 1) -> tuple[bool, str]:
    if measured < 1e-10:
        return True, "One layer reads the earlier tokens as a multiset, in no order."
    return False, (
        f"With {int(layers)} layers it changes by {measured:.4f}: in the layer below, each earlier "
        "token has read those before it, and after the shuffle these are different."
    )


def _first_weights(content: float = 0.0) -> Array:
    """The first token's weight at each position, the scores of the six tokens times `content`."""
    scores = content * SIX_TOKENS @ SIX_TOKENS.T / 2
    return attention.masked_attention_weights(scores, attention.causal_mask(6))[:, 0]


def _readable(measured: Array, content: float = 0.0) -> tuple[bool, str]:
    read = np.rint(1 / measured).astype(int) - 1
    listed = ", ".join(map(str, read))
    return bool((read == np.arange(6)).all()), (
        f"One over the weight, minus one, rounded, gives the positions {listed}."
    )


def _change_of_last_rows(
    rows: float = 1, tokens: float = 6, strength: float = 1.0, seed: float = 0
) -> float:
    """How much a causal mask changes the last rows of weights of random tokens."""
    drawn = np.random.default_rng(int(seed)).standard_normal((int(tokens), 4))
    x = drawn + strength * encodings.sinusoidal(int(tokens), 4)
    free, masked = (
        attention.identity_attention(x, mask)[1]
        for mask in (None, attention.causal_mask(int(tokens)))
    )
    return float(np.abs(free - masked)[-int(rows) :].max())


def _last_rows_hold(
    measured: float, rows: float = 1, tokens: float = 6, strength: float = 1.0, seed: float = 0
) -> tuple[bool, str]:
    if measured < 1e-12:
        return True, "The last token may read all others, with the mask as without it."
    return False, (
        f"A weight changes by {measured:.4f}: earlier tokens lose what comes after them."
    )


STRENGTH = "size of the encodings"

BASE = Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base")

CLAIMS = (
    Claim(
        "red-blue-red-off-off",
        "Without positions and mask, both reds have the same attention weights",
        [[0.3837, 0.2327, 0.3837], [0.3837, 0.2327, 0.3837]],
        5e-5,
        _neither,
        (Setting("strength", 0.0, 2.0, 0.1, 0.0, STRENGTH), BASE),
        _same_rows_hold,
        "red-blue-red",
    ),
    Claim(
        "red-blue-red-on-off",
        "With positions and without a mask, the two reds have different attention weights",
        [[0.3349, 0.4053, 0.2599], [0.2013, 0.1547, 0.6440]],
        5e-5,
        _positions_only,
        (Setting("strength", 0.0, 2.0, 0.1, 1.0, STRENGTH), BASE),
        _positions_hold,
        "red-blue-red",
    ),
    Claim(
        "red-blue-red-off-on",
        "With a causal mask and no positions, the first red reads itself, the last red as before",
        [[1, 0, 0], [0.3837, 0.2327, 0.3837]],
        5e-5,
        lambda: _weights(True),
        section="red-blue-red",
    ),
    Claim(
        "red-blue-red-on-on",
        "With positions, the last row of weights is the same with and without a causal mask",
        [[1, 0, 0], [0.2013, 0.1547, 0.6440]],
        5e-5,
        _both,
        (BASE,),
        _both_hold,
        "red-blue-red",
    ),
    Claim(
        "mask-keeps-last-rows",
        "The causal mask leaves the last rows of a table of attention weights as they were",
        0.0,
        1e-12,
        _change_of_last_rows,
        (
            Setting("rows", 1, 6, 1, 1, "rows, counted from the end"),
            Setting("tokens", 6, 12, 1, 6, "random tokens"),
            Setting("strength", 0.0, 2.0, 0.1, 1.0, STRENGTH),
            Setting("seed", 0, 20, 1, 0, "seed of the tokens"),
        ),
        _last_rows_hold,
        "red-blue-red",
    ),
    Claim(
        "causal-breaks",
        "With a causal mask and no positions, attention of the six tokens is not equivariant",
        0.2903,
        5e-5,
        error_of_reach,
        (Setting("reach", 0, 5, 1, 0, "later tokens that may be read"),),
        _reach_holds,
        "breaks",
    ),
    Claim(
        "earlier-order-one-layer",
        "The order of the earlier tokens does not change the last output of a causal stack",
        0.0,
        1e-10,
        last_after_shuffle,
        (Setting("layers", 1, 6, 1, 1, "layers"),),
        _last_holds,
        "breaks",
    ),
    Claim(
        "uniform-shares",
        "The position of a token can be read from its attention weight for the first token",
        [1.0, 0.5, 0.3333, 0.25, 0.2, 0.1667],
        5e-5,
        _first_weights,
        (Setting("content", 0.0, 1.0, 0.01, 0.0, "part of the content in the scores"),),
        _readable,
        "one-over",
    ),
    Claim(
        "content-shares",
        "With the content of the six tokens, the first token's weight does not give the position",
        [1.0, 0.0640, 0.0370, 0.4941, 0.0677, 0.0137],
        5e-5,
        lambda: _first_weights(1.0),
        section="content",
    ),
)
