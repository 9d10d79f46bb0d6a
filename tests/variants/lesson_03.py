"""Right answers to the challenges of lesson 3, written in other ways."""

import math

import numpy as np


def mask_by_tri(real):
    return np.tri(len(real), dtype=bool) & real


def mask_by_lists(real):
    n = len(real)
    return [[key <= query and bool(real[key]) for key in range(n)] for query in range(n)]


def mask_by_tril(real):
    return np.tril(np.tile(real, (len(real), 1)))


def mask_by_product(real):
    """A product of the causal table with the words, compared with 1."""
    return np.tri(len(real)) * real == 1


def mask_not_forbidden(real):
    later = np.triu(np.ones((len(real),) * 2, dtype=bool), k=1)
    return ~(later | np.broadcast_to(~real, later.shape))


def mask_row_by_row(real):
    out = np.zeros((len(real), len(real)), dtype=bool)
    for query in range(len(real)):
        out[query, : query + 1] = real[: query + 1]
    return out


def weights_by_loops(scores, mask):
    out = np.zeros(scores.shape)
    for i in range(scores.shape[0]):
        keys = [j for j in range(scores.shape[1]) if mask[i, j]]
        if keys:
            top = max(scores[i, j] for j in keys)
            powers = [math.exp(scores[i, j] - top) for j in keys]
            for j, power in zip(keys, powers):
                out[i, j] = power / sum(powers)
    return out


def weights_by_nan_to_num(scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    with np.errstate(all="ignore"):
        powers = np.exp(hidden - hidden.max(axis=1, keepdims=True))
        return np.nan_to_num(powers / powers.sum(axis=1, keepdims=True))


def weights_in_float32(scores, mask):
    s = scores.astype(np.float32)
    largest = np.where(mask, s, np.float32(-3e38)).max(axis=1, keepdims=True)
    powers = np.exp(np.where(mask, s - largest, np.float32(-np.inf)))
    total = powers.sum(axis=1, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)


def weights_by_masked_array(scores, mask):
    hidden = np.ma.array(scores, mask=~mask)
    powers = np.ma.exp(hidden - hidden.max(axis=1)[:, None])
    return (powers / powers.sum(axis=1)[:, None]).filled(0.0)


def weights_row_by_row(scores, mask):
    rows = []
    for row, allowed in zip(scores, mask):
        out = np.zeros(len(row))
        if allowed.any():
            kept = row[allowed]
            powers = np.exp(kept - kept.max())
            out[allowed] = powers / powers.sum()
        rows.append(out.tolist())
    return rows


def weights_large_negative_then_zeroed(scores, mask):
    hidden = np.where(mask, scores, -1e30)
    powers = np.exp(hidden - hidden.max(axis=1, keepdims=True)) * mask
    return powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-300)


def position_by_list(shares):
    return [round(1 / share) - 1 for share in shares]


def position_by_ratio(shares):
    """(1 − share)/share, rounded by adding a half."""
    return np.floor((1 - shares) / shares + 0.5)


def position_in_float32(shares):
    return np.rint(np.float32(1) / shares.astype(np.float32)).astype(np.int64) - 1


def position_by_table(shares):
    known = 1 / np.arange(1, 2002)
    return np.abs(shares[:, None] - known).argmin(axis=1)


VARIANTS = {
    "3.1": [
        mask_by_tri,
        mask_by_lists,
        mask_by_tril,
        mask_by_product,
        mask_not_forbidden,
        mask_row_by_row,
    ],
    "3.2": [
        weights_by_loops,
        weights_by_nan_to_num,
        weights_in_float32,
        weights_by_masked_array,
        weights_row_by_row,
        weights_large_negative_then_zeroed,
    ],
    "3.3": [position_by_list, position_by_ratio, position_in_float32, position_by_table],
}
