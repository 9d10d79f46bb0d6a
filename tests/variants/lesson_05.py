"""Right answers to the challenges of lesson 5, written in other ways."""

import math

import numpy as np


def gray_by_strings(length, bits):
    rows = []
    for p in range(length):
        digits = format(p % 2**bits, f"0{bits}b")
        rows.append([int(one != other) for one, other in zip(digits, "0" + digits)][::-1])
    return rows


def gray_by_mirrors(length, bits):
    """The rows so far, then the same rows backwards with a 1 in the next column."""
    rows = np.zeros((1, bits))
    for b in range(bits):
        back = rows[::-1].copy()
        back[:, b] = 1
        rows = np.concatenate([rows, back])
    return np.resize(rows, (length, bits))


def gray_by_flips(length, bits):
    """From row to row, flip the column of the lowest bit of the position that is 1."""
    row, rows = [0] * bits, []
    for p in range(length):
        if p:
            lowest = (p & -p).bit_length() - 1
            if lowest < bits:
                row[lowest] ^= 1
            else:
                row = [0] * bits
        rows.append(list(row))
    return np.array(rows)


def gray_in_float32(length, bits):
    p = np.arange(length, dtype=np.float32)[:, None] % np.float32(2**bits)
    table = np.floor(p / np.float32(2) ** np.arange(bits + 1, dtype=np.float32)) % 2
    return np.abs(table[:, 1:] - table[:, :-1])


def pairs_by_loop(frequencies, length):
    def squared(p, n):
        return sum(math.sin(p * w) ** 2 + (math.cos(p * w) - 1) ** 2 for w in frequencies[:n])

    for n in range(1, len(frequencies) + 1):
        if all(squared(p, n) > squared(1, n) for p in range(2, length)):
            return n
    return None


def pairs_by_dot(frequencies, length):
    p = np.arange(length)[:, None]
    for n, _ in enumerate(frequencies, start=1):
        rows = np.exp(1j * p * np.array(frequencies[:n]))
        alike = (rows @ rows[0].conj()).real
        if alike[1:].argmax() == 0:
            return np.int64(n)
    return None


def pairs_by_cumulative_sum(frequencies, length):
    p = np.arange(1, length)[:, None]
    chords = np.cumsum(2 - 2 * np.cos(p * np.array(frequencies)), axis=1)
    free = chords.argmin(axis=0) == 0
    return float(np.flatnonzero(free)[0] + 1) if free.any() else None


def pairs_in_float32(frequencies, length):
    p = np.arange(length, dtype=np.float32)[:, None]
    for n in range(1, len(frequencies) + 1):
        angles = p * np.array(frequencies[:n], dtype=np.float32)
        rows = np.hstack([np.sin(angles), np.cos(angles)])
        if 1 + np.linalg.norm(rows[1:] - rows[0], axis=1).argmin() == 1:
            return n
    return None


def between_by_complex(first, second, frequency):
    turned = (second[:, 1] + 1j * second[:, 0]) / (first[:, 1] + 1j * first[:, 0])
    return np.angle(turned) / frequency


def between_by_loop(first, second, frequency):
    return [
        (math.atan2(*other) - math.atan2(*one)) / frequency for one, other in zip(first, second)
    ]


def between_by_products(first, second, frequency):
    """The sine and the cosine of the difference, each times both lengths."""
    sine = second[:, 0] * first[:, 1] - second[:, 1] * first[:, 0]
    cosine = (first * second).sum(axis=1)
    return np.arctan2(sine, cosine) % (2 * np.pi) / frequency


def between_by_arccosines(first, second, frequency):
    def angle(points):
        unit = points / np.hypot(*points.T)[:, None]
        found = np.arccos(np.clip(unit[:, 1], -1, 1))
        return np.where(unit[:, 0] < 0, 2 * np.pi - found, found)

    return (angle(second) - angle(first)) / frequency


def between_in_float32(first, second, frequency):
    a, b = (np.arctan2(*each.astype(np.float32).T) for each in (first, second))
    return (b - a) / np.float32(frequency)


def between_with_turns(first, second, frequency):
    return between_by_products(first, second, frequency) + 3 * 2 * np.pi / frequency


VARIANTS = {
    "5.1": [gray_by_strings, gray_by_mirrors, gray_by_flips, gray_in_float32],
    "5.2": [pairs_by_loop, pairs_by_dot, pairs_by_cumulative_sum, pairs_in_float32],
    "5.3": [
        between_by_complex,
        between_by_loop,
        between_by_products,
        between_by_arccosines,
        between_in_float32,
        between_with_turns,
    ],
}
