"""Right answers to the challenges of lesson 7, written in other ways."""

import math

import numpy as np


def turn_by_loop(width, length, base=10000.0):
    count = 0
    for i in range(width // 2):
        if 2 * math.pi * base ** (2 * i / width) <= length:
            count += 1
    return count


def turn_by_frequency(width, length, base=10000.0):
    speeds = base ** -np.linspace(0, 1, width // 2, endpoint=False)
    return np.count_nonzero(length * speeds >= 2 * np.pi)


def turn_by_logarithm(width, length, base=10000.0):
    if length < 2 * math.pi:
        return 0
    last = math.floor(width / 2 * math.log(length / (2 * math.pi)) / math.log(base))
    return min(last + 1, width // 2)


def turn_as_float(width, length, base=10000.0):
    return float(turn_by_loop(width, length, base))


def turn_in_float32(width, length, base=10000.0):
    i = np.arange(width // 2, dtype=np.float32)
    return (np.float32(2 * np.pi) * np.float32(base) ** (2 * i / np.float32(width)) <= length).sum()


def base_by_logarithm(width, longest):
    last = (width - 2) / width
    return math.exp(math.log(longest / (2 * math.pi)) / last)


def base_by_pairs(width, longest):
    i = width // 2 - 1
    return (longest / math.tau) ** (width / (2 * i))


def base_as_array(width, longest):
    return np.array((longest / (2 * np.pi)) ** (1 / (1 - 2 / width)))


def base_by_bisection(width, longest):
    low, high = 0.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2
        if 2 * math.pi * math.exp(middle * (width - 2) / width) < longest:
            low = middle
        else:
            high = middle
    return math.exp(low)


def _to_digits(position, digits):
    """A whole number rounded to so many binary digits, ties to even, in whole numbers alone."""
    spacing = 1 << max(position.bit_length() - digits, 0)
    below, rest = divmod(position, spacing)
    if 2 * rest > spacing or (2 * rest == spacing and below % 2):
        below += 1
    return below * spacing


def distinct_by_set(start, length, dtype):
    digits = {"float16": 11, "float32": 24, "bfloat16": 8}[dtype]
    return len({_to_digits(p, digits) for p in range(start, start + length)})


def distinct_by_steps(start, length, dtype):
    positions = start + np.arange(length)
    if dtype == "bfloat16":
        spacing = 2.0 ** np.maximum(np.floor(np.log2(np.maximum(positions, 1))) - 7, 0)
        stored = np.rint(positions / spacing) * spacing
    else:
        stored = positions.astype(dtype)
    return 1 + np.count_nonzero(stored[1:] != stored[:-1])


def distinct_from_float64(start, length, dtype):
    positions = np.linspace(start, start + length - 1, length)
    if dtype != "bfloat16":
        return np.unique(positions.astype(dtype)).size
    # The upper half of single precision: add half of what is cut off, less one where that is even.
    bits = positions.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.unique(bits).size


VARIANTS = {
    "7.1": [turn_by_loop, turn_by_frequency, turn_by_logarithm, turn_as_float, turn_in_float32],
    "7.2": [base_by_logarithm, base_by_pairs, base_as_array, base_by_bisection],
    "7.3": [distinct_by_set, distinct_by_steps, distinct_from_float64],
}
