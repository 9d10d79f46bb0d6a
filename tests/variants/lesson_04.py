"""Right answers to the challenges of lesson 4, written in other ways."""

import math

import numpy as np


def unit_by_loop(x, start):
    rows = x.tolist()
    content = [sum(a * b for a, b in zip(one, other)) for one in rows for other in rows]
    places = range(start, start + len(rows))
    products = [i * j for i in places for j in places]
    return math.sqrt((max(content) - min(content)) / (max(products) - min(products)))


def unit_by_ends(x, start):
    """The positions' spread is (last − first)(last + first)."""
    n, d = x.shape
    scores = x @ x.T / np.sqrt(d + 1)
    spread = (n - 1) * (2 * start + n - 1) / np.sqrt(d + 1)
    return ((scores.max() - scores.min()) / spread) ** 0.5


def unit_in_float32(x, start):
    x = x.astype(np.float32)
    p = np.arange(start, start + len(x), dtype=np.float32)
    return np.sqrt(np.ptp(x @ x.T) / np.ptp(p[:, None] * p))


def unit_by_halving(x, start):
    low, high = 0.0, 1e6
    wanted = np.ptp(np.einsum("if,jf->ij", x, x))
    for _ in range(200):
        middle = (low + high) / 2
        positions = middle * np.arange(start, start + len(x))
        if np.ptp(np.outer(positions, positions)) < wanted:
            low = middle
        else:
            high = middle
    return high


def _mean(x, start):
    rows = [[*row, start + i] for i, row in enumerate(x.tolist())]
    largest = []
    for query in rows:
        scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query)) for key in rows]
        top = max(scores)
        largest.append(1 / sum(math.exp(s - top) for s in scores))
    return sum(largest) / len(largest)


def saturated_by_loops(x, threshold, limit=1000):
    for start in range(limit):
        if _mean(x, start) >= threshold:
            return start
    return None


def saturated_by_parts(x, threshold, limit=1000):
    """Content once, positions added to the scores."""
    n, d = x.shape
    content = x @ x.T
    for start in range(limit):
        seats = np.arange(start, start + n)
        scores = (content + np.outer(seats, seats)) / np.sqrt(d + 1)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        if np.mean(powers.max(axis=1) / powers.sum(axis=1)) >= threshold:
            return start
    return None


def saturated_in_float32(x, threshold, limit=1000):
    x = x.astype(np.float32)
    for start in range(limit):
        seats = np.arange(start, start + len(x), dtype=np.float32)
        rows = np.column_stack([x, seats])
        scores = rows @ rows.T / np.sqrt(np.float32(rows.shape[1]))
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1, keepdims=True)
        if weights.max(axis=1).mean() >= threshold:
            return start
    return None


def saturated_by_while(x, threshold, limit=1000):
    start = 0
    while start < limit:
        rows = np.hstack([x, start + np.arange(len(x))[:, None]])
        scores = rows / rows.shape[1] ** 0.25
        scores = scores @ scores.T
        weights = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
        if weights.max(axis=1).mean() >= threshold:
            return float(start)
        start += 1
    return None


def met_by_loops(short, long):
    limit = max(1, max(abs(v) for row in short for v in row))
    bounded = all(abs(v) <= limit for row in long for v in row)
    distinct = all(math.dist(long[p], long[q]) >= 1e-9 for p in range(len(long)) for q in range(p))
    same = all(
        abs(math.dist(short[p], short[p + 1]) - math.dist(long[p], long[p + 1])) <= 1e-9
        for p in range(len(short) - 1)
    )
    return {
        "bounded": bounded,
        "distinct": distinct,
        "same_step": same,
        "fixed_width": len(short[0]) == len(long[0]),
    }


def met_by_rounding(short, long):
    steps = [
        np.sqrt((np.diff(t, axis=0) ** 2).sum(axis=1))[: len(short) - 1] for t in (short, long)
    ]
    return {
        "fixed_width": short.shape[-1] == long.shape[-1],
        "bounded": np.abs(long).max() <= np.maximum(1, np.abs(short).max()),
        "distinct": len({tuple(row) for row in long.round(9) + 0.0}) == len(long),
        "same_step": np.allclose(*steps, rtol=0, atol=1e-9),
    }


def met_by_broadcasting(short, long):
    apart = np.sqrt(((long[:, None] - long[None]) ** 2).sum(axis=-1))
    np.fill_diagonal(apart, np.inf)
    steps = np.linalg.norm(short[1:] - short[:-1], axis=1)
    other = np.linalg.norm(long[1:] - long[:-1], axis=1)
    return {
        "bounded": not (np.abs(long) > max(1.0, np.abs(short).max())).any(),
        "distinct": not (apart < 1e-9).any(),
        "same_step": max(abs(a - b) for a, b in zip(steps, other)) <= 1e-9,
        "fixed_width": bool(short.shape[1] == long.shape[1]),
    }


def met_with_object_bools(short, long):
    found = met_by_broadcasting(short, long)
    return {name: np.bool_(value) for name, value in found.items()}


VARIANTS = {
    "4.1": [unit_by_loop, unit_by_ends, unit_in_float32, unit_by_halving],
    "4.2": [saturated_by_loops, saturated_by_parts, saturated_in_float32, saturated_by_while],
    "4.3": [met_by_loops, met_by_rounding, met_by_broadcasting, met_with_object_bools],
}
