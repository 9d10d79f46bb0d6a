"""Right answers to the challenges of lesson 5, written in other ways."""

import cmath
import math

import numpy as np


def counter_by_strings(length, bits):
    return [[int(c) for c in reversed(format(p % 2**bits, f"0{bits}b"))] for p in range(length)]


def counter_by_loops(length, bits):
    table = np.zeros((length, bits), dtype=int)
    for p in range(length):
        rest = p
        for b in range(bits):
            table[p, b] = rest % 2
            rest //= 2
    return table


def counter_by_floor(length, bits):
    p = np.arange(length, dtype=np.float32)[:, None]
    return np.floor(p / np.float32(2) ** np.arange(bits, dtype=np.float32)) % 2


def counter_by_tiles(length, bits):
    columns = []
    for b in range(bits):
        block = np.repeat([0.0, 1.0], 2**b)
        columns.append(np.resize(block, length))
    return np.column_stack(columns)


def lookalike_by_loop(frequencies, length):
    best, found = math.inf, None
    for p in range(1, length):
        squared = sum(math.sin(p * w) ** 2 + (math.cos(p * w) - 1) ** 2 for w in frequencies)
        if squared < best:
            best, found = squared, p
    return found


def lookalike_by_dot(frequencies, length):
    p = np.arange(length)[:, None]
    hands = np.concatenate([np.sin(p * frequencies), np.cos(p * frequencies)], axis=1)
    similarity = hands @ hands[0]
    similarity[0] = -np.inf
    return similarity.argmax()


def lookalike_by_complex(frequencies, length):
    distance = {
        p: sum(abs(cmath.exp(1j * p * w) - 1) ** 2 for w in frequencies) for p in range(1, length)
    }
    return float(min(distance, key=distance.get))


def lookalike_by_rows(frequencies, length):
    rows = [[f(p * w) for w in frequencies for f in (math.sin, math.cos)] for p in range(length)]
    return 1 + np.argmin([math.dist(rows[0], row) for row in rows[1:]])


def phase_by_complex(hands):
    return np.angle(hands[:, 1] + 1j * hands[:, 0])


def phase_by_loop(hands):
    return [math.atan2(sine, cosine) for sine, cosine in hands]


def phase_positive(hands):
    return np.mod(np.arctan2(hands[:, 0], hands[:, 1]), 2 * np.pi)


def phase_by_arcsine(hands):
    unit = hands / np.hypot(*hands.T)[:, None]
    angle = np.arccos(np.clip(unit[:, 1], -1, 1))
    return np.where(unit[:, 0] < 0, 2 * np.pi - angle, angle)


def phase_in_float32(hands):
    h = hands.astype(np.float32)
    return np.arctan2(h[:, 0], h[:, 1])


def phase_with_turns(hands):
    return np.arctan2(hands[:, 0], hands[:, 1]) + 4 * np.pi


VARIANTS = {
    "5.1": [counter_by_strings, counter_by_loops, counter_by_floor, counter_by_tiles],
    "5.2": [lookalike_by_loop, lookalike_by_dot, lookalike_by_complex, lookalike_by_rows],
    "5.3": [
        phase_by_complex,
        phase_by_loop,
        phase_positive,
        phase_by_arcsine,
        phase_in_float32,
        phase_with_turns,
    ],
}
