"""Right answers to the challenges of lesson 2, written in other ways."""

import itertools
import math

import numpy as np


def softmax_by_log_sum(scores, axis=-1):
    top = np.max(scores, axis=axis, keepdims=True)
    return np.exp(scores - top - np.log(np.sum(np.exp(scores - top), axis=axis, keepdims=True)))


def softmax_by_moving_the_axis(scores, axis=-1):
    rows = np.moveaxis(scores, axis, 0)
    powers = np.exp(rows - rows.max(axis=0))
    return np.moveaxis(powers / powers.sum(axis=0), 0, axis)


def softmax_of_a_row(row):
    powers = [math.exp(score - max(row)) for score in row]
    return [power / sum(powers) for power in powers]


def softmax_by_loops(scores, axis=-1):
    return np.apply_along_axis(lambda row: np.array(softmax_of_a_row(list(row))), axis, scores)


def softmax_in_float32(scores, axis=-1):
    scores = scores.astype(np.float32)
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / np.expand_dims(powers.sum(axis=axis), axis)


def softmax_by_differences(scores, axis=-1):
    """1 / Σ exp(other − this): no shift is needed, and an overflow gives a share of 0."""
    rows = np.moveaxis(scores, axis, -1)
    with np.errstate(over="ignore"):
        shares = 1 / np.exp(rows[..., None, :] - rows[..., :, None]).sum(axis=-1)
    return np.moveaxis(shares, -1, axis)


def softmax_as_lists(scores, axis=-1):
    return softmax_by_loops(scores, axis).tolist()


def attention_by_loops(x, w_q, w_k, w_v):
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    out = []
    for query in queries:
        scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(len(key)) for key in keys]
        shares = softmax_of_a_row(scores)
        out.append(sum(share * value for share, value in zip(shares, values)))
    return out


def attention_scaled_queries(x, w_q, w_k, w_v):
    queries = x @ w_q * w_q.shape[1] ** -0.5
    return softmax_by_log_sum(np.einsum("id,jd->ij", queries, x @ w_k)) @ (x @ w_v)


def attention_keys_first(x, w_q, w_k, w_v):
    scores = (x @ w_k) @ (x @ w_q).T / np.sqrt(w_k.shape[1])
    return softmax_by_log_sum(scores, axis=0).T @ x @ w_v


def attention_in_float32(x, w_q, w_k, w_v):
    x, w_q, w_k, w_v = (a.astype(np.float32) for a in (x, w_q, w_k, w_v))
    scores = x @ w_q @ (x @ w_k).T / np.float32(np.sqrt(w_k.shape[1]))
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)) @ (x @ w_v)


def attention_one_matrix(x, w_q, w_k, w_v):
    scores = x @ (w_q @ w_k.T) @ x.T / math.sqrt(w_q.shape[1])
    return softmax_by_log_sum(scores) @ (x @ w_v)


def attention_divided_last(x, w_q, w_k, w_v):
    scores = (x @ w_q) @ (x @ w_k).T / w_q.shape[1] ** 0.5
    powers = np.exp(scores - scores.max(axis=1)[:, None])
    return powers @ (x @ w_v) / powers.sum(axis=1)[:, None]


def error_by_moving_back(layer, x):
    largest = 0.0
    for order in itertools.permutations(range(len(x))):
        back = np.argsort(order)
        largest = max(largest, np.abs(layer(x[np.array(order)])[back] - layer(x)).max())
    return largest


def error_by_loops(layer, x):
    before, largest = layer(x), 0.0
    for order in itertools.permutations(range(len(x))):
        after = layer(np.array([x[p] for p in order]))
        for place, token in enumerate(order):
            for one, other in zip(after[place], before[token]):
                largest = max(largest, abs(one - other))
    return largest


def error_by_matrices(layer, x):
    matrices = (np.array(rows) for rows in itertools.permutations(np.eye(len(x))))
    return float(max(np.abs(layer(p @ x) - p @ layer(x)).max() for p in matrices))


def error_by_recursion(layer, x):
    before = layer(x)

    def worst(taken, left):
        if not left:
            gap = before[taken] - layer(x[taken])
            return max(gap.max(), -gap.min())
        return max(worst([*taken, p], [q for q in left if q != p]) for p in left)

    return worst([], list(range(len(x))))


def error_in_float32(layer, x):
    orders = np.array(list(itertools.permutations(range(len(x)))))
    gaps = [layer(x[order]) - layer(x)[order] for order in orders]
    return np.abs(np.array(gaps, dtype=np.float32)).max()


def symmetry_by_helper(layer, x, order, tolerance=1e-8):
    def same(one, other):
        return np.shape(one) == np.shape(other) and np.max(np.abs(one - other)) <= tolerance

    still, moved = layer(x), layer(x[order])
    if same(still, moved):
        return "invariant"
    if np.ndim(still) > 0 and len(still) == len(x) and same(still[order], moved):
        return "equivariant"
    return "neither"


def symmetry_by_exception(layer, x, order, tolerance=1e-8):
    before, after = layer(x), layer(x[order])
    if np.allclose(after, before, rtol=0, atol=tolerance):
        return "invariant"
    try:
        target = before[order]
    except IndexError:
        return "neither"
    if target.shape != after.shape:
        return "neither"
    return "equivariant" if np.allclose(after, target, rtol=0, atol=tolerance) else "neither"


def symmetry_by_moving_back(layer, x, order, tolerance=1e-8):
    back = np.argsort(order)
    before, after = np.asarray(layer(x)), np.asarray(layer(x[order]))
    if np.abs(after - before).max() < tolerance:
        return np.str_("invariant")
    rows = before.shape[:1] == (len(x),)
    return np.str_(
        "equivariant" if rows and np.abs(after[back] - before).max() < tolerance else "neither"
    )


def symmetry_by_list(layer, x, order, tolerance=1e-8):
    out = [layer(x), layer(x[order])]
    candidates = {"invariant": out[0]}
    if out[0].ndim and out[0].shape[0] == len(order):
        candidates["equivariant"] = out[0][order]
    found = [
        word for word, target in candidates.items() if np.max(np.abs(target - out[1])) <= tolerance
    ]
    return (found + ["neither"])[0]


def symmetry_by_sizes(layer, x, order, tolerance=1e-8):
    before, after = layer(x), layer(x[order])
    gaps = {"invariant": np.max(np.abs(before - after)), "equivariant": math.inf}
    if before.ndim and before.shape[0] > max(order) and before[order].shape == after.shape:
        gaps["equivariant"] = np.max(np.abs(before[order] - after))
    return next((word for word, gap in gaps.items() if gap <= tolerance), "neither")


VARIANTS = {
    "2.1": [
        softmax_by_log_sum,
        softmax_by_moving_the_axis,
        softmax_by_loops,
        softmax_in_float32,
        softmax_by_differences,
        softmax_as_lists,
    ],
    "2.2": [
        attention_by_loops,
        attention_scaled_queries,
        attention_keys_first,
        attention_in_float32,
        attention_one_matrix,
        attention_divided_last,
    ],
    "2.3": [
        error_by_moving_back,
        error_by_loops,
        error_by_matrices,
        error_by_recursion,
        error_in_float32,
    ],
    "2.4": [
        symmetry_by_helper,
        symmetry_by_exception,
        symmetry_by_moving_back,
        symmetry_by_list,
        symmetry_by_sizes,
    ],
}
