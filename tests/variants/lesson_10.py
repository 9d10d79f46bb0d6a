"""Right answers to the challenges of lesson 10, written in other ways."""

import math

import numpy as np


def terms_by_loop(x, encoding, i, j):
    pairs = ((x[i], x[j]), (x[i], encoding[j]), (encoding[i], x[j]), (encoding[i], encoding[j]))
    return [sum(float(a) * float(b) for a, b in zip(one, other)) for one, other in pairs]


def terms_by_matrix(x, encoding, i, j):
    left, right = np.stack([x[i], encoding[i]]), np.stack([x[j], encoding[j]])
    return (left @ right.T).ravel()


def terms_in_float32(x, encoding, i, j):
    a, b = x.astype(np.float32), encoding.astype(np.float32)
    return tuple(np.dot(p[i], q[j]) for p in (a, b) for q in (a, b))


def terms_by_difference(x, encoding, i, j):
    both = float((x + encoding)[i] @ (x + encoding)[j])
    cc, cp, pp = (
        float(np.inner(x[i], x[j])),
        float(np.inner(x[i], encoding[j])),
        float(np.inner(encoding[i], encoding[j])),
    )
    return cc, cp, both - cc - cp - pp, pp


def scale_by_matrix(x, encoding, token, partner, grid):
    for scale in grid.tolist():
        scores = (scale * x + encoding) @ (scale * x + encoding).T
        row = np.delete(scores[token], [token, partner])
        if scores[token, partner] > np.max(row):
            return scale
    return None


def scale_all_at_once(x, encoding, token, partner, grid):
    rows = grid[:, None, None] * x + encoding
    scores = np.einsum("snd,sd->sn", rows, rows[:, token])
    keep = [r for r in range(len(x)) if r not in (token, partner)]
    wins = scores[:, partner] > scores[:, keep].max(axis=1)
    return grid[wins.argmax()] if wins.any() else None


def scale_by_ranking(x, encoding, token, partner, grid):
    for scale in grid:
        made = (scale * x + encoding).astype(np.float32)
        order = [r for r in np.argsort(-(made @ made[token])) if r != token]
        if order[0] == partner:
            return np.float64(scale)


def scale_by_shares(x, encoding, token, partner, grid):
    for scale in grid:
        made = scale * x + encoding
        scores = made @ made[token] / math.sqrt(x.shape[1])
        shares = np.exp(scores - scores.max())
        shares[token] = 0
        if shares.argmax() == partner:
            return float(scale)
    return None


def sensitivity_by_loop(layer, x, encoding, order, seats_travel):
    before = layer(x + encoding)
    if seats_travel:
        rows = np.array([x[o] + encoding[o] for o in order])
    else:
        rows = np.array([x[o] + encoding[seat] for seat, o in enumerate(order)])
    after = layer(rows)
    return max(float(np.max(np.abs(after[seat] - before[o]))) for seat, o in enumerate(order))


def sensitivity_put_back(layer, x, encoding, order, seats_travel):
    moved = x[order] + (encoding[order] if seats_travel else encoding)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return np.linalg.norm((layer(moved)[back] - layer(x + encoding)).ravel(), np.inf)


def sensitivity_by_matrix(layer, x, encoding, order, seats_travel):
    shuffle = np.eye(len(order))[order]
    moved = shuffle @ (x + encoding) if seats_travel else shuffle @ x + encoding
    return np.abs(layer(moved) - shuffle @ layer(x + encoding)).max()


VARIANTS = {
    "10.1": [terms_by_loop, terms_by_matrix, terms_in_float32, terms_by_difference],
    "10.2": [scale_by_matrix, scale_all_at_once, scale_by_ranking, scale_by_shares],
    "10.3": [sensitivity_by_loop, sensitivity_put_back, sensitivity_by_matrix],
}
