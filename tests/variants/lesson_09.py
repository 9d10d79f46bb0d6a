"""Right answers to the challenges of lesson 9, written in other ways."""

import cmath
import functools
import math

import numpy as np

# ------------------------------------------------------------------ 9.1


def matrix_by_loop(k, width, base=10000.0, cosine_first=False):
    matrix = [[0.0] * width for _ in range(width)]
    for i in range(0, width, 2):
        angle = (-k if cosine_first else k) / base ** (i / width)
        matrix[i][i] = matrix[i + 1][i + 1] = math.cos(angle)
        matrix[i][i + 1] = math.sin(angle)
        matrix[i + 1][i] = -math.sin(angle)
    return matrix


def matrix_by_blocks(k, width, base=10000.0, cosine_first=False):
    matrix = np.zeros((width, width))
    for i in range(width // 2):
        a = (1 - 2 * cosine_first) * k * base ** (-2 * i / width)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [
            [np.cos(a), np.sin(a)],
            [-np.sin(a), np.cos(a)],
        ]
    return matrix


def matrix_by_complex(k, width, base=10000.0, cosine_first=False):
    columns = []
    for column in range(width):
        pairs = [0j] * (width // 2)
        cosine = column % 2 == (0 if cosine_first else 1)
        pairs[column // 2] = 1 if cosine else 1j  # cosine + i·sine
        turned = [z * cmath.exp(1j * k * base ** (-2 * i / width)) for i, z in enumerate(pairs)]
        parts = [(z.real, z.imag) if cosine_first else (z.imag, z.real) for z in turned]
        columns.append([part for both in parts for part in both])
    return np.array(columns).T


def matrix_in_float32(k, width, base=10000.0, cosine_first=False):
    angles = (k * np.float64(base) ** (-np.arange(0, width, 2) / width)).astype(np.float32)
    matrix = np.diag(np.repeat(np.cos(angles), 2))
    sines = np.zeros(width - 1, dtype=np.float32)
    sines[0::2] = np.sin(angles)
    turn = matrix + np.diag(sines, 1) - np.diag(sines, -1)
    return turn.T if cosine_first else turn


def matrix_from_halves(k, width, base=10000.0, cosine_first=False):
    """In the layout with all sines first the four quarters are diagonal; then back."""
    angles = k * base ** (-np.arange(width // 2) * 2 / width)
    c, s = np.diag(np.cos(angles)), np.diag(np.sin(angles))
    order = np.arange(width).reshape(-1, 2).T.ravel()
    matrix = np.empty((width, width))
    blocks = [[c, -s], [s, c]] if cosine_first else [[c, s], [-s, c]]
    matrix[np.ix_(order, order)] = np.block(blocks)
    return matrix


def matrix_as_transposed_back(k, width, base=10000.0, cosine_first=False):
    return matrix_by_blocks(-k, width, base, cosine_first).T


# ------------------------------------------------------------------ 9.2


def fit_by_pinv(encoding, k):
    before, after = encoding[:-k], encoding[k:]
    matrix = (np.linalg.pinv(before) @ after).T
    return matrix, np.abs(after - before @ matrix.T).max()


def fit_by_normal_equations(encoding, k):
    before, after = encoding[:-k], encoding[k:]
    solution = np.linalg.solve(before.T @ before, before.T @ after)
    return solution.T, np.max(np.abs(before @ solution - after))


def fit_by_qr(encoding, k):
    before, after = encoding[: len(encoding) - k], encoding[k:]
    q, r = np.linalg.qr(before)
    solution = np.linalg.solve(r, q.T @ after)
    return [solution.T.tolist(), float(abs(after - before @ solution).max())]


def fit_column_by_column(encoding, k):
    before, after = encoding[:-k], encoding[k:]
    rows = [np.linalg.lstsq(before, after[:, j], rcond=None)[0] for j in range(encoding.shape[1])]
    worst = 0.0
    for p in range(len(before)):
        for j, row in enumerate(rows):
            worst = max(worst, abs(after[p, j] - row @ before[p]))
    return np.array(rows), worst


def fit_in_float32(encoding, k):
    table = encoding.astype(np.float32)
    solution = np.linalg.lstsq(table[:-k], table[k:], rcond=None)[0]
    return solution.T, np.abs(table[k:] - table[:-k] @ solution).max()


def fit_with_a_breath_of_ridge(encoding, k):
    before, after = encoding[:-k], encoding[k:]
    gram = before.T @ before + 1e-13 * np.eye(encoding.shape[1])
    matrix = np.linalg.solve(gram, before.T @ after).T
    return np.asmatrix(matrix), np.abs(after - before @ matrix.T).max()


def fit_from_the_left(encoding, k):
    """matrix @ column, with positions as columns."""
    columns = encoding.T
    before, after = columns[:, :-k], columns[:, k:]
    matrix = after @ np.linalg.pinv(before)
    return matrix, np.linalg.norm((after - matrix @ before).ravel(), np.inf)


# ------------------------------------------------------------------ 9.3


def look_by_inverse(w_k, k, base=10000.0):
    return matrix_by_blocks(k, len(w_k), base) @ np.linalg.inv(w_k).T


def look_by_solving(w_k, k, base=10000.0):
    """w_q w_kᵀ = Mₖ, transposed: w_k w_qᵀ = Mₖᵀ."""
    return np.linalg.solve(w_k, matrix_by_blocks(k, len(w_k), base).T).T


def look_by_pinv(w_k, k, base=10000.0):
    return 100 * np.array(matrix_by_loop(k, len(w_k), base)) @ np.linalg.pinv(w_k.T)


def look_by_least_squares(w_k, k, base=10000.0):
    """From the table alone: P[k:] @ w_q @ w_kᵀ is P without its last k rows."""
    width = len(w_k)
    speeds = base ** (-np.arange(0, width, 2) / width)
    angles = np.arange(300)[:, None] * speeds
    table = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(300, width)
    back = np.linalg.lstsq(table[k:], table[: 300 - k], rcond=None)[0]
    return back @ np.linalg.inv(w_k.T)


def look_in_float32(w_k, k, base=10000.0):
    return (matrix_in_float32(k, len(w_k), base) @ np.linalg.inv(w_k).T).astype(np.float32)


def look_as_lists(w_k, k, base=10000.0):
    return look_by_inverse(w_k, k, base).tolist()


def look_with_fast_pairs_favoured(w_k, k, base=10000.0):
    weights = np.diag(np.repeat(np.linspace(2, 1, len(w_k) // 2), 2))
    return matrix_by_blocks(k, len(w_k), base) @ weights @ np.linalg.inv(w_k).T


# ------------------------------------------------------------------ 9.4


def power_by_numpy(one_step, k):
    return np.linalg.matrix_power(one_step, k)


def power_by_loop(one_step, k):
    step = one_step if k >= 0 else one_step.T
    result = np.eye(len(one_step))
    for _ in range(abs(k)):
        result = step @ result
    return result


def power_by_inverse(one_step, k):
    if k < 0:
        return power_by_inverse(np.linalg.inv(one_step), -k)
    return functools.reduce(np.matmul, [one_step] * k, np.eye(len(one_step)))


def power_by_squaring(one_step, k):
    result, square, left = np.eye(len(one_step)), one_step if k >= 0 else one_step.T, abs(k)
    while left:
        if left % 2:
            result = result @ square
        square, left = square @ square, left // 2
    return result.tolist()


def power_by_eigenvalues(one_step, k):
    values, vectors = np.linalg.eig(one_step)
    return (vectors @ np.diag(values**k) @ np.linalg.inv(vectors)).real


def power_by_angles(one_step, k):
    result = np.zeros_like(one_step)
    for i in range(0, len(one_step), 2):
        a = k * math.atan2(one_step[i, i + 1], one_step[i, i])
        result[i : i + 2, i : i + 2] = [[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]
    return result


def power_in_float32(one_step, k):
    return np.linalg.matrix_power(one_step.astype(np.float32), k)


VARIANTS = {
    "9.1": [
        matrix_by_loop,
        matrix_by_blocks,
        matrix_by_complex,
        matrix_in_float32,
        matrix_from_halves,
        matrix_as_transposed_back,
    ],
    "9.2": [
        fit_by_pinv,
        fit_by_normal_equations,
        fit_by_qr,
        fit_column_by_column,
        fit_in_float32,
        fit_with_a_breath_of_ridge,
        fit_from_the_left,
    ],
    "9.3": [
        look_by_inverse,
        look_by_solving,
        look_by_pinv,
        look_by_least_squares,
        look_in_float32,
        look_as_lists,
        look_with_fast_pairs_favoured,
    ],
    "9.4": [
        power_by_numpy,
        power_by_loop,
        power_by_inverse,
        power_by_squaring,
        power_by_eigenvalues,
        power_by_angles,
        power_in_float32,
    ],
}
