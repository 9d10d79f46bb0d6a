"""Right answers to the challenges of lesson 12, written in other ways."""

import math

import numpy as np


def rotate_by_complex_numbers(x, positions, base=10000.0, rotary_width=None):
    turning = x.shape[-1] if rotary_width is None else rotary_width
    pairs = x[..., 0:turning:2] + 1j * x[..., 1:turning:2]
    frequency = base ** (-np.arange(0, turning, 2) / turning)
    turned = pairs * np.exp(1j * np.outer(positions, frequency))
    parts = np.stack([turned.real, turned.imag], axis=-1).reshape(*x.shape[:-1], turning)
    return np.concatenate([parts, x[..., turning:]], axis=-1)


def rotate_halves(x, positions, base=10000.0, rotary_width=None):
    turning = x.shape[-1] if rotary_width is None else rotary_width
    half = turning // 2
    angle = positions[:, None] / base ** (2 * np.arange(half) / turning)
    cosine, sine = np.tile(np.cos(angle), 2), np.tile(np.sin(angle), 2)
    front = x[..., :turning]
    partner = np.concatenate([-front[..., half:], front[..., :half]], axis=-1)
    return np.concatenate([front * cosine + partner * sine, x[..., turning:]], axis=-1)


def rotate_by_loops(x, positions, base=10000.0, rotary_width=None):
    turning = rotary_width or x.shape[-1]
    out = x.copy()
    for place, position in enumerate(positions):
        for i in range(turning // 2):
            angle = position * base ** (-2 * i / turning)
            a, b = x[..., place, 2 * i], x[..., place, 2 * i + 1]
            out[..., place, 2 * i] = a * math.cos(angle) - b * math.sin(angle)
            out[..., place, 2 * i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return out


def rotate_by_matrices(x, positions, base=10000.0, rotary_width=None):
    turning = x.shape[-1] if rotary_width is None else rotary_width
    rows = []
    for place, position in enumerate(positions):
        matrix = np.eye(x.shape[-1])
        for i in range(turning // 2):
            angle = position * base ** (-2 * i / turning)
            j = i + turning // 2
            matrix[i, i] = matrix[j, j] = np.cos(angle)
            matrix[i, j], matrix[j, i] = -np.sin(angle), np.sin(angle)
        rows.append(x[..., place, :] @ matrix.T)
    return np.stack(rows, axis=-2)


def rotate_in_float32(x, positions, base=10000.0, rotary_width=None):
    turning = x.shape[-1] if rotary_width is None else rotary_width
    x = np.asarray(x, dtype=np.float32)
    frequency = (base ** (-np.arange(0, turning, 2) / turning)).astype(np.float32)
    angle = positions.astype(np.float32)[:, None] * frequency
    out = x.copy()
    out[..., 0:turning:2] = x[..., 0:turning:2] * np.cos(angle) - x[..., 1:turning:2] * np.sin(
        angle
    )
    out[..., 1:turning:2] = x[..., 0:turning:2] * np.sin(angle) + x[..., 1:turning:2] * np.cos(
        angle
    )
    return out


def _released_slopes(heads):
    if math.log2(heads).is_integer():
        start = 2 ** (-(2 ** -(math.log2(heads) - 3)))
        return [start * start**h for h in range(heads)]
    smaller = 2 ** math.floor(math.log2(heads))
    return _released_slopes(smaller) + _released_slopes(2 * smaller)[0::2][: heads - smaller]


def alibi_by_recursion(heads, length):
    i = np.arange(length)
    return -np.array(_released_slopes(heads))[:, None, None] * np.abs(i[:, None] - i)


def alibi_causal_only(heads, length):
    bias = np.zeros((heads, length, length))
    for head, slope in enumerate(_released_slopes(heads)):
        for query in range(length):
            for key in range(query):
                bias[head, query, key] = slope * (key - query)
    return bias


def alibi_one_row_for_all(heads, length):
    """The positive numbers of question 39: the same row for every query."""
    row = np.array(_released_slopes(heads))[:, None] * np.arange(length)
    return np.repeat(row[:, None, :], length, axis=1)


def alibi_far_below_the_future(heads, length):
    i = np.arange(length)
    bias = np.array(_released_slopes(heads))[:, None, None] * (i - i[:, None])
    return np.where(i > i[:, None], -1e9, bias).astype(np.float32)


def alibi_as_lists(heads, length):
    return [
        [[-slope * abs(i - j) for j in range(length)] for i in range(length)]
        for slope in _released_slopes(heads)
    ]


def ladder_by_cases(width, method, length, trained_length, base=10000.0):
    if length <= trained_length:
        return np.power(float(base), -2.0 * np.arange(width // 2) / width)
    s = length / trained_length
    if method == "linear":
        return 1.0 / (s * base ** (np.arange(0, width, 2) / width))
    return 1.0 / (base * s ** (width / (width - 2))) ** (np.arange(0, width, 2) / width)


def ladder_as_list(width, method, length, trained_length, base=10000.0):
    s = max(1, length / trained_length)
    last = width // 2 - 1
    return [
        base ** (-2 * i / width) / (s if method == "linear" else s ** (i / last))
        for i in range(width // 2)
    ]


def ladder_by_logarithms(width, method, length, trained_length, base=10000.0):
    stretch = np.log(np.maximum(length / trained_length, 1.0))
    pairs = np.arange(0, width, 2) / width
    if method == "ntk":
        return np.exp(-pairs * (np.log(base) + stretch * width / (width - 2)))
    return np.exp(-pairs * np.log(base) - stretch)


def ladder_in_float32(width, method, length, trained_length, base=10000.0):
    s = np.float32(max(length / trained_length, 1.0))
    base = np.float32(base)
    if method == "ntk":
        base = base * s ** np.float32(width / (width - 2))
    ladder = base ** (-np.arange(0, width, 2, dtype=np.float32) / np.float32(width))
    return ladder / s if method == "linear" else ladder


def ranges_by_loops(predicted, target, edges):
    length = target.shape[-1]
    predicted, target = predicted.reshape(-1, length), target.reshape(-1, length)
    shares = []
    for start, stop in zip(edges[:-1], edges[1:]):
        right = asked = 0
        for row, answers in zip(predicted, target):
            for p in range(start, stop):
                asked += answers[p] >= 0
                right += answers[p] >= 0 and row[p] == answers[p]
        shares.append(right / asked)
    return shares


def ranges_by_nan(predicted, target, edges):
    right = np.where(target == -1, np.nan, predicted == target)
    return [np.nanmean(right[..., a:b]) for a, b in zip(edges, edges[1:])]


def ranges_by_running_sums(predicted, target, edges):
    length = target.shape[-1]
    right = (predicted == target).reshape(-1, length).sum(axis=0)
    asked = (target != -1).reshape(-1, length).sum(axis=0)
    sums = np.concatenate([[[0], [0]], np.cumsum([right, asked], axis=1)], axis=1)
    counted = np.diff(sums[:, np.array(edges)], axis=1)
    return counted[0] / counted[1]


def ranges_by_digitize(predicted, target, edges):
    place = np.broadcast_to(np.digitize(np.arange(target.shape[-1]), edges) - 1, target.shape)
    right = predicted == target
    return tuple(float(np.mean(right[(place == r) & (target >= 0)])) for r in range(len(edges) - 1))


VARIANTS = {
    "12.1": [
        rotate_by_complex_numbers,
        rotate_halves,
        rotate_by_loops,
        rotate_by_matrices,
        rotate_in_float32,
    ],
    "12.2": [
        alibi_by_recursion,
        alibi_causal_only,
        alibi_one_row_for_all,
        alibi_far_below_the_future,
        alibi_as_lists,
    ],
    "12.3": [ladder_by_cases, ladder_as_list, ladder_by_logarithms, ladder_in_float32],
    "12.4": [ranges_by_loops, ranges_by_nan, ranges_by_running_sums, ranges_by_digitize],
}
