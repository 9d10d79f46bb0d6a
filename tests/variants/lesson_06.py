"""Right answers to the challenges of lesson 6, written in other ways."""

import cmath
import math

import numpy as np


def by_loop(width, base=10000.0):
    found = []
    for i in range((width + 1) // 2):
        found.append(1 / base ** (2 * i / width))
    return found


def by_exp_log(width, base=10000.0):
    return np.exp(-np.log(base) * np.arange(0, width, 2) / width)


def by_geometric_series(width, base=10000.0):
    ratio = base ** (-2 / width)
    return np.cumprod(np.r_[1.0, np.full((width + 1) // 2 - 1, ratio)])


def in_float32(width, base=10000.0):
    return np.power(np.float32(base), -np.arange(0, width, 2, dtype=np.float32) / np.float32(width))


def as_tuple(width, base=10000.0):
    return tuple(math.exp(-2 * i / width * math.log(base)) for i in range(-(-width // 2)))


def as_objects(width, base=10000.0):
    return np.array(by_loop(width, base), dtype=object)


def table_by_loops(length, width, base=10000.0):
    table = np.zeros((length, width))
    for p in range(length):
        for j in range(width):
            angle = p / base ** ((j - j % 2) / width)
            table[p, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return table


def table_by_complex(length, width, base=10000.0):
    speeds = base ** (-np.arange(0, width, 2) / width)
    hands = np.exp(1j * np.outer(np.arange(length), speeds))
    pairs = np.stack([hands.imag, hands.real], axis=-1).reshape(length, -1)
    return pairs[:, :width]


def table_in_float32(length, width, base=10000.0):
    exponent = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    speeds = np.exp(-exponent * np.float32(math.log(base)))
    angles = np.arange(length, dtype=np.float32)[:, None] * speeds
    table = np.zeros((length, width), dtype=np.float32)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)[:, : width // 2]
    return table


def table_as_lists(length, width, base=10000.0):
    return [
        [(math.sin, math.cos)[j % 2](p * base ** (-(j // 2) * 2 / width)) for j in range(width)]
        for p in range(length)
    ]


def table_by_phase_shift(length, width, base=10000.0):
    j = np.arange(width)
    angles = np.arange(length)[:, None] / base ** (j // 2 * 2 / width)
    return np.sin(angles + (j % 2) * np.pi / 2)


def table_by_turning(length, width, base=10000.0):
    turns = [cmath.exp(1j * base ** (-2 * i / width)) for i in range((width + 1) // 2)]
    rows, hands = [], [1 + 0j] * len(turns)
    for _ in range(length):
        rows.append([part for hand in hands for part in (hand.imag, hand.real)][:width])
        hands = [hand * turn for hand, turn in zip(hands, turns)]
    return rows


def table_of_objects(length, width, base=10000.0):
    return table_by_loops(length, width, base).astype(object)


def table_as_matrix(length, width, base=10000.0):
    return np.asmatrix(table_by_loops(length, width, base))


def add_by_loop(batch, base=10000.0):
    count, length, width = batch.shape
    table = table_by_loops(length, width, base)
    out = batch.copy()
    for b in range(count):
        for p in range(length):
            out[b, p] += table[p]
    return out


def add_with_axis(batch, base=10000.0):
    return batch + table_by_complex(*batch.shape[1:], base)[None, :, :]


def add_in_float32(batch, base=10000.0):
    return batch.astype(np.float32) + table_in_float32(*batch.shape[1:], base)


def add_tiled(batch, base=10000.0):
    return np.tile(table_by_complex(*batch.shape[1:], base), (len(batch), 1, 1)) + batch


def add_as_lists(batch, base=10000.0):
    return [(sequence + table_by_loops(*sequence.shape, base)).tolist() for sequence in batch]


def add_by_einsum(batch, base=10000.0):
    ones = np.ones(len(batch))
    return batch + np.einsum("b,lw->blw", ones, table_by_loops(*batch.shape[1:], base))


class LayerByAssertion:
    """Checks the length first, by hand."""

    def __init__(self, width, max_length, base=10000.0):
        self.width, self.max_length = width, max_length
        self.table = table_by_complex(max_length, width, base)

    def forward(self, batch):
        if batch.shape[-2] > self.max_length:
            raise ValueError(f"{batch.shape[-2]} > {self.max_length}")
        return self.table[None, : batch.shape[-2]] + batch

    def backward(self, gradient):
        return gradient.copy()

    def parameters(self):
        return ()


class LayerOnDemand:
    """Builds the rows it needs; the table is a property."""

    def __init__(self, width, max_length, base=10000.0):
        self._given = (max_length, width, base)

    @property
    def table(self):
        return table_by_loops(*self._given)

    def forward(self, batch):
        length, limit = batch.shape[1], self._given[0]
        if length > limit:
            raise ValueError("too long: %d positions, %d rows" % (length, limit))
        return add_with_axis(batch, self._given[2])

    def backward(self, gradient):
        return 1.0 * gradient

    def parameters(self):
        return np.array([])


class LayerInFloat32(LayerByAssertion):
    """Single precision throughout."""

    def __init__(self, width, max_length, base=10000.0):
        super().__init__(width, max_length, base)
        self.table = table_in_float32(max_length, width, base)

    def backward(self, gradient):
        return gradient.astype(np.float32)


class TooLong(ValueError):
    """A subclass of the error that is asked for."""


class LayerWithOwnError(LayerByAssertion):
    """Raises a subclass of ValueError."""

    def forward(self, batch):
        if batch.shape[1] > self.max_length:
            raise TooLong(f"max_length={self.max_length}, length={batch.shape[1]}")
        return super().forward(batch)

    def parameters(self):
        return {}


class LayerWithListTable(LayerByAssertion):
    """Keeps the table as nested lists."""

    def __init__(self, width, max_length, base=10000.0):
        super().__init__(width, max_length, base)
        self.table = table_as_lists(max_length, width, base)

    def forward(self, batch):
        if batch.shape[1] > len(self.table):
            raise ValueError(f"{batch.shape[1]} positions for {len(self.table)} rows")
        return batch + np.array(self.table[: batch.shape[1]])


VARIANTS = {
    "6.1": [by_loop, by_exp_log, by_geometric_series, in_float32, as_tuple, as_objects],
    "6.2": [
        table_by_loops,
        table_by_complex,
        table_in_float32,
        table_as_lists,
        table_by_phase_shift,
        table_by_turning,
        table_of_objects,
        table_as_matrix,
    ],
    "6.3": [add_by_loop, add_with_axis, add_in_float32, add_tiled, add_as_lists, add_by_einsum],
    "6.4": [LayerByAssertion, LayerOnDemand, LayerInFloat32, LayerWithOwnError, LayerWithListTable],
}
