"""Right answers to the challenges of lesson 8, written in other ways."""

import math

import numpy as np


def _row(position, width, base):
    speeds = [base ** (-2 * i / width) for i in range((width + 1) // 2)]
    parts = [part for w in speeds for part in (math.sin(position * w), math.cos(position * w))]
    return parts[:width]


def norms_by_loop(width, length, base=10000.0):
    found = []
    for p in range(length):
        found.append(math.sqrt(sum(value * value for value in _row(p, width, base))))
    return min(found), max(found)


def norms_by_formula(width, length, base=10000.0):
    pairs = width // 2
    if width % 2 == 0:
        return [math.sqrt(pairs)] * 2
    lone = np.sin(np.arange(length) * base ** (-(width - 1) / width)) ** 2
    return np.sqrt(pairs + lone.min()), np.sqrt(pairs + lone.max())


def norms_in_float32(width, length, base=10000.0):
    speeds = np.float32(base) ** (-np.arange(0, width, 2, dtype=np.float32) / np.float32(width))
    angles = np.arange(length, dtype=np.float32)[:, None] * speeds
    table = np.zeros((length, width), dtype=np.float32)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)[:, : width // 2]
    norms = np.sqrt((table**2).sum(axis=1))
    return norms.min(), norms.max()


def norms_by_sorting(width, length, base=10000.0):
    table = np.array([_row(p, width, base) for p in range(length)])
    norms = sorted(np.sqrt(np.diag(table @ table.T)))
    return np.array([norms[0], norms[-1]])


def norms_by_einsum(width, length, base=10000.0):
    table = np.array([_row(p, width, base) for p in range(length)])
    squares = np.einsum("pw,pw->p", table, table)
    return tuple(np.sqrt([squares.min(), squares.max()]))


def profile_by_loop(width, distances, base=10000.0):
    return [
        sum(math.cos(k * base ** (-2 * i / width)) for i in range(width // 2)) for k in distances
    ]


def profile_by_lookup(width, distances, base=10000.0):
    table = np.array([_row(p, width, base) for p in range(int(max(distances)) + 1)])
    return (table @ table[0])[distances]


def profile_by_rows(width, distances, base=10000.0):
    first = np.array(_row(17, width, base))
    return np.array([first @ np.array(_row(17 + k, width, base)) for k in distances])


def profile_in_float32(width, distances, base=10000.0):
    speeds = (np.float64(base) ** (-np.arange(0, width, 2) / width)).astype(np.float32)
    return np.cos(distances.astype(np.float32)[:, None] * speeds).sum(axis=1)


def profile_by_complex(width, distances, base=10000.0):
    speeds = base ** (-np.arange(0, width, 2) / width)
    return np.exp(1j * np.outer(speeds, distances)).sum(axis=0).real


def profile_by_lengths(width, distances, base=10000.0):
    """From the distance of two rows: |a − b|² = width − 2 a·b."""
    start = np.array(_row(0, width, base))
    gaps = np.array([np.sum((np.array(_row(k, width, base)) - start) ** 2) for k in distances])
    return (width - gaps) / 2


def profile_one_pair_at_a_time(width, distances, base=10000.0):
    total = np.zeros(len(distances))
    speed, ratio = 1.0, base ** (-2 / width)
    for _ in range(width // 2):
        total += np.cos(distances * speed)
        speed *= ratio
    return total


def rises_by_loop(distances, profile):
    by_distance = dict(zip(distances.tolist(), profile.tolist()))
    listed = sorted(by_distance)
    rises, lowest = 0, listed[0]
    for near, far in zip(listed, listed[1:]):
        if by_distance[far] > by_distance[near]:
            rises += 1
        if by_distance[far] < by_distance[lowest]:
            lowest = far
    return rises, lowest, by_distance[lowest]


def rises_as_list(distances, profile):
    values = [value for _, value in sorted(zip(distances.tolist(), profile.tolist()))]
    lowest = min(values)
    return [
        sum(b > a for a, b in zip(values, values[1:])),
        sorted(distances.tolist())[values.index(lowest)],
        lowest,
    ]


def rises_by_slices(distances, profile):
    ordered = profile[distances.argsort()]
    lowest = distances[profile == profile.min()].min()
    return np.count_nonzero(ordered[1:] > ordered[:-1]), lowest, profile.min()


def rises_in_one_array(distances, profile):
    order = np.argsort(distances)
    place = order[profile[order].argmin()]
    return np.array([np.sum(np.diff(profile[order]) > 0), distances[place], profile[place]])


def rises_by_sign(distances, profile):
    place = int(np.lexsort((distances, profile))[0])
    steps = np.diff(profile[np.argsort(distances)])
    return np.sum(np.sign(steps) == 1), float(distances[place]), np.float32(profile[place])


VARIANTS = {
    "8.1": [norms_by_loop, norms_by_formula, norms_in_float32, norms_by_sorting, norms_by_einsum],
    "8.2": [
        profile_by_loop,
        profile_by_lookup,
        profile_by_rows,
        profile_in_float32,
        profile_by_complex,
        profile_by_lengths,
        profile_one_pair_at_a_time,
    ],
    "8.3": [rises_by_loop, rises_as_list, rises_by_slices, rises_in_one_array, rises_by_sign],
}
