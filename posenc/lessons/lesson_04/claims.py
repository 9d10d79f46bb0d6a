"""What lesson 4 claims, and how to measure it again."""

from __future__ import annotations

import numpy as np

from posenc import attention, geometry
from posenc.attention import SIX_TOKENS
from posenc.lessons.model import Claim, Setting

Array = np.ndarray


def _ratios(unit: float = 1.0) -> Array:
    """Spread of the positions, each times `unit`, over that of the content, at four starts."""
    spreads = np.array([geometry.position_spread(start, 6, 5) for start in (0, 10, 100, 1000)])
    return unit**2 * spreads / (np.ptp(SIX_TOKENS @ SIX_TOKENS.T) / 5**0.5)


def _ratios_hold(measured: Array, unit: float = 1.0) -> tuple[bool, str]:
    first, last = float(measured[0]), float(measured[-1])
    if (measured > 1).all():
        return True, f"The ratio grows from {first:.3g} to {last:.4g}; content never catches up."
    return False, (
        f"Counted in units of {unit:g}, the positions begin at {first:.3g} times the content, "
        f"where they drown. The ratio grows as before, to {last:.3g}: only the start has moved."
    )


def _largest_weight(start: float = 0, unit: float = 1.0) -> float:
    """Mean over the six tokens of the largest weight, positions times `unit` appended."""
    positions = unit * np.arange(int(start), int(start) + 6)
    _, weights = attention.identity_attention(np.column_stack([SIX_TOKENS, positions]))
    return float(weights.max(axis=1).mean())


def _room_is_left(measured: float, start: float = 0, unit: float = 1.0) -> tuple[bool, str]:
    bare = _largest_weight(0, 0.0)
    return bool(measured < 0.9), (
        f"Without positions the mean of the largest weight is {bare:.3f}, here it is "
        f"{measured:.3f}; from 0.9 on hardly anything is left for the other tokens."
    )


def _normalised(features: float = 64, seed: float = 0) -> Array:
    """Standard deviation of normalised features with 7, 100 and 100000 appended."""
    row = np.random.default_rng(int(seed)).standard_normal(int(features))
    return np.array(
        [attention.layer_norm(np.append(row, p))[:-1].std() for p in (7.0, 100.0, 100000.0)]
    )


def _normalised_holds(measured: Array, features: float = 64, seed: float = 0) -> tuple[bool, str]:
    row = f"A row of {int(features)} features"
    if measured[1] < 0.1:
        return True, f"{row} is pressed to a standard deviation of {measured[1]:.3f} at 100."
    return False, (
        f"{row} outweighs one number for longer: at position 100 a standard deviation of "
        f"{measured[1]:.3f} is left. At 100,000 it is {measured[2]:.5f}."
    )


HEADS, READERS, KEY_WIDTH = 2000, 12, 8


def _read_in_between(powers: float = 1, seed: float = 0) -> int:
    """How many of 12 keys, first and last aside, some reader of a random head reads most."""
    rng = np.random.default_rng(int(seed))
    p = np.arange(READERS)[:, None] / (READERS - 1)
    columns = np.concatenate([np.ones_like(p), *(p**k for k in range(1, int(powers) + 1))], axis=1)
    w_q, w_k = rng.normal(size=(2, HEADS, columns.shape[1], KEY_WIDTH))
    most = ((columns @ w_q) @ (columns @ w_k).transpose(0, 2, 1)).argmax(axis=2)
    return len(set(np.unique(most).tolist()) - {0, READERS - 1})


def _ends_hold(measured: int, powers: float = 1, seed: float = 0) -> tuple[bool, str]:
    if measured == 0:
        return True, f"In {HEADS} random heads, all {READERS} readers prefer the first or last key."
    return False, (
        f"With {int(powers)} powers of p in the row, {measured} of the {READERS - 2} keys in "
        "between are read most by some reader: p² lets the line bend. Its size grows faster still."
    )


CLAIMS = (
    Claim(
        "ratio-widens",
        "At the starts 0, 10, 100 and 1000 the positions outweigh the content, more each time",
        [3.39, 16.95, 138.99, 1359.35],
        0.005,
        _ratios,
        (Setting("unit", 0.01, 1.0, 0.01, 1.0, "unit of a position"),),
        _ratios_hold,
        "spread",
    ),
    Claim(
        "naive-max-probability-start",
        "The largest weight, averaged over the six tokens, leaves room for other tokens",
        0.626,
        0.0006,
        _largest_weight,
        (
            Setting("start", 0, 200, 1, 0, "first position"),
            Setting("unit", 0.01, 1.0, 0.01, 1.0, "unit of a position"),
        ),
        _room_is_left,
        "saturation",
    ),
    Claim(
        "naive-layer-norm",
        "With 100 appended, a normalised row keeps less than a tenth of its features' standard "
        "deviation (measured for 7, 100 and 100,000)",
        [0.73321, 0.07395, 0.00007],
        5e-5,
        _normalised,
        (
            Setting("features", 4, 2048, 4, 64, "features"),
            Setting("seed", 0, 20, 1, 0, "seed"),
        ),
        _normalised_holds,
        "normalise",
    ),
    Claim(
        "learned-weights-ends",
        "Whatever the weights, no key between the first and the last is read most by any reader "
        "(counted: the keys that are)",
        0,
        0,
        _read_in_between,
        (
            Setting("powers", 1, 4, 1, 1, "powers of p in the row"),
            Setting("seed", 0, 20, 1, 0, "seed"),
        ),
        _ends_hold,
        "learned",
    ),
)
