"""Plain values to bytes and back, without code: the only way in and out of a judge.

A learner's function may return anything. What reaches the judge is made of `None`, `...`, bools,
whole and real numbers, strings, NumPy arrays, lists, tuples and dicts, and nothing else. Subclasses
are reduced to their plain values. Other numbers and containers of numbers (fractions, decimals,
deques, `array.array`, tensors, data frames) are taken as the numbers, lists and arrays that they
hold. What has no plain value arrives as `Refused`, with a sentence that says what to return.
The bytes hold a JSON head and raw array data, so reading them runs no code of the sender.
"""

from __future__ import annotations

import array
import json
import numbers
from collections import UserDict, UserList, UserString, deque
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np

MAGIC = b"PV1\n"
DEEPEST = 16
MOST_NODES = 1_000_000
MOST_BYTES = 64 * 2**20
# 2**4096 has more digits than any answer of the course; JSON readers give up beyond 4,300 digits.
MOST_BITS = 4096
MOST_PARTS_COPIED = 5_000
MOST_BYTES_COPIED = 2**20
DTYPES_COPIED = frozenset(np.dtype(code) for code in "?bhilqBHILQefdFD")
# Packages whose arrays, tables and numbers can be had as NumPy's.
KNOW_NUMPY = frozenset(
    ["cupy", "jax", "jaxlib", "pandas", "polars", "tensorflow", "torch", "xarray"]
)
ARRAY_TYPES = {
    "?",
    "b1",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "f2",
    "f4",
    "f8",
    "c8",
    "c16",
}


@dataclass(frozen=True)
class Refused:
    """Stands for a value that is not plain: the name of its type, and a sentence that says why."""

    type_name: str
    why: str


class TooLarge(ValueError):
    """The value does not fit in `MOST_BYTES`, `MOST_NODES` or `DEEPEST`."""


def encode(value: Any) -> bytes:
    """Bytes that `decode` turns into the plain form of `value`.

    Raises TooLarge where the value has more than `MOST_NODES` parts, `MOST_BYTES` bytes of arrays,
    or is nested deeper than `DEEPEST` (a list that holds itself is).
    """
    arrays: list[bytes] = []
    writer = _Writer(arrays)
    head = json.dumps(writer.tree(value, 0), separators=(",", ":")).encode("utf-8", "replace")
    return b"".join([MAGIC, len(head).to_bytes(8, "big"), head, *arrays])


def decode(data: bytes) -> Any:
    """The plain value that `encode` wrote. Raises ValueError on anything else, whoever wrote it."""
    if len(data) > 2 * MOST_BYTES or data[: len(MAGIC)] != MAGIC:
        raise ValueError("these bytes are not an encoded value")
    start = len(MAGIC) + 8
    end = start + int.from_bytes(data[len(MAGIC) : start], "big")
    if end > len(data):
        raise ValueError("the encoded value is cut short")
    try:
        tree = json.loads(data[start:end].decode("utf-8"))
        reader = _Reader(memoryview(data)[end:])
        return reader.value(tree, 0)
    except (ValueError, TypeError, KeyError, IndexError, RecursionError, OverflowError) as error:
        raise ValueError(f"the encoded value cannot be read: {type(error).__name__}") from None


def plain(value: Any) -> Any:
    """`value` as a judge sees it, wherever it was returned: as through the bytes and back.

    What is plain already, and small, is copied without the way through the bytes: a grader makes
    some hundred such copies for each notebook.
    """
    try:
        return _Copier().copy(value, 0)
    except _NotSmallAndPlain:
        return decode(encode(value))


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are the same to the bit, NaN included."""
    if isinstance(one, np.ndarray):
        return (
            isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.tobytes() == other.tobytes()
        )
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(v, other[k]) for k, v in one.items())
    return one == other or (one != one and other != other)


def size(value: Any) -> int:
    """About how many bytes a plain value takes."""
    if isinstance(value, np.ndarray):
        return value.nbytes + 64
    if isinstance(value, (list, tuple)):
        return 32 + sum(map(size, value))
    if isinstance(value, dict):
        return 32 + sum(size(k) + size(v) for k, v in value.items())
    return len(value) if isinstance(value, str) else 32


def head_length(data: bytes) -> int:
    """The length of the JSON head of encoded bytes."""
    return int.from_bytes(data[len(MAGIC) : len(MAGIC) + 8], "big")


class _NotSmallAndPlain(Exception):
    """The value has to go the long way."""


class _Copier:
    """Copies values whose every part is exactly of a plain type, as `decode(encode(...))` would."""

    def __init__(self) -> None:
        self.parts = 0

    def copy(self, value: Any, depth: int) -> Any:
        kind = type(value)
        self.parts += 1
        if self.parts > MOST_PARTS_COPIED or depth > DEEPEST:
            raise _NotSmallAndPlain
        if kind is float or kind is bool or kind is str or value is None or value is Ellipsis:
            return value
        if kind is int and value.bit_length() <= MOST_BITS:
            return value
        if (
            kind is np.ndarray
            and value.dtype in DTYPES_COPIED
            and value.nbytes <= MOST_BYTES_COPIED
        ):
            return np.array(value, order="C")
        if kind is list:
            return [self.copy(item, depth + 1) for item in value]
        if kind is tuple:
            return tuple([self.copy(item, depth + 1) for item in value])
        if kind is dict and all(type(key) is str for key in value):
            return {key: self.copy(item, depth + 1) for key, item in value.items()}
        raise _NotSmallAndPlain


class _Writer:
    """Turns a value into a JSON tree, setting array data aside."""

    def __init__(self, arrays: list[bytes]) -> None:
        self.arrays = arrays
        self.nodes = 0
        self.size = 0

    def tree(self, value: Any, depth: int) -> Any:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise TooLarge(f"the value has more than {MOST_NODES:,} parts")
        if depth > DEEPEST:
            raise TooLarge(f"the value is nested more than {DEEPEST} deep")
        # type(), not isinstance: an object may claim another __class__.
        kind = type(value)
        if value is None or kind is bool or kind is float:
            return value
        if value is Ellipsis:
            return {"e": 0}
        if kind is Refused:  # on its second way through, inside a result
            return {"r": [value.type_name, value.why]}
        if issubclass(kind, np.generic):
            return self._scalar(value, depth)
        if issubclass(kind, int):
            return self._whole(int.__int__(value))
        if issubclass(kind, float):
            return float.__float__(value)
        if issubclass(kind, complex):
            return {"c": [complex(value).real, complex(value).imag]}
        if issubclass(kind, str):
            return str.__str__(value)
        if issubclass(kind, np.ndarray):
            return self._array(value, depth)
        if issubclass(kind, list):
            return {"l": [self.tree(item, depth + 1) for item in list.__iter__(value)]}
        if issubclass(kind, tuple):
            return {"t": [self.tree(item, depth + 1) for item in tuple.__iter__(value)]}
        if issubclass(kind, dict):
            pairs = list(dict.items(value))
            return {"d": [[self.tree(k, depth + 1), self.tree(v, depth + 1)] for k, v in pairs]}
        return self._other(value, kind, depth)

    def _other(self, value: Any, kind: type, depth: int) -> Any:
        """What holds numbers in a way of its own, as these numbers; everything else is refused."""
        try:
            if issubclass(kind, (numbers.Real, Decimal)):
                whole = issubclass(kind, numbers.Integral)
                return self.tree(int(value) if whole else float(value), depth)
            if issubclass(kind, (deque, UserList, range)):
                return self.tree(list(islice(value, MOST_NODES + 1)), depth)
            if issubclass(kind, UserDict):
                return self.tree(dict(value), depth)
            if issubclass(kind, UserString):
                return self.tree(str(value), depth)
            if issubclass(kind, (array.array, memoryview)):
                return self._array(np.array(value), depth)
            if _package(kind) in KNOW_NUMPY and hasattr(value, "__array__"):
                return self._array(np.array(_without_gradient(value)), depth)
        except TooLarge:
            raise
        except Exception as error:  # the value's own code: it may raise anything
            said = f"it does not turn into numbers ({type(error).__name__})"
            return {"r": [str(kind.__name__)[:60], f"{said}; return them as a NumPy array"]}
        return self._refuse(value)

    def _whole(self, value: int) -> Any:
        if value.bit_length() > MOST_BITS:
            return {"r": ["int", f"it has more than {MOST_BITS} bits"]}
        return value

    def _scalar(self, value: np.generic, depth: int) -> Any:
        if value.dtype.kind in "biufcUS":
            return self.tree(value.item() if value.dtype.kind != "S" else str(value), depth)
        return self._refuse(value)

    def _array(self, value: np.ndarray, depth: int) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            masked = int(np.ma.getmaskarray(value).sum())
            if masked:
                noun = "entry is" if masked == 1 else "entries are"
                return {
                    "r": [
                        "masked array",
                        f"{masked} of its {value.size} {noun} masked and hold no value",
                    ]
                }
            value = value.data
        array = np.array(value, subok=False, copy=True, order="C")
        if array.dtype.kind in "OUS":
            # Plain numbers in an object array are judged by their values, as those of a list are.
            return self.tree(array.tolist(), depth)
        if array.dtype.kind not in "biufc":
            return {"r": [f"array of {array.dtype}", "it holds no plain numbers"]}
        if array.dtype.kind in "fc" and array.dtype.itemsize > (
            8 if array.dtype.kind == "f" else 16
        ):
            array = array.astype("f8" if array.dtype.kind == "f" else "c16")
        array = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)
        self.size += array.nbytes
        if self.size > MOST_BYTES:
            raise TooLarge(f"the arrays hold more than {MOST_BYTES // 2**20} MB")
        self.arrays.append(array.tobytes())
        return {"a": [array.dtype.str[1:], list(array.shape)]}

    def _refuse(self, value: Any) -> Any:
        kind = type(value)
        name = str(kind.__name__)[:60]
        if hasattr(kind, "__next__"):
            why = "it hands out its values one by one; collect them in a list or an array"
        elif issubclass(kind, (set, frozenset)):
            why = "a set has no order; return a list or an array"
        elif callable(value):
            why = _why_not_callable(kind)
        else:
            why = "it is not a number, bool, string, array, list, tuple or dict"
        return {"r": [name, why]}


def _package(kind: type) -> str:
    """The package that a type comes from, by its first word."""
    return str(getattr(kind, "__module__", "")).partition(".")[0]


def _without_gradient(value: Any) -> Any:
    """A tensor that is watched for gradients gives its numbers only when it is detached."""
    if _package(type(value)) != "torch":
        return value
    return value.detach().cpu()


def _why_not_callable(kind: type) -> str:
    if kind.__name__ == "method":
        return "a value is asked for under this name, to be kept as an attribute by `self.name = …`"
    return "it is something to call; was the call left out?"


class _Reader:
    """Turns a JSON tree and array data back into a value, trusting neither."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.offset = 0

    def value(self, tree: Any, depth: int) -> Any:
        if depth > DEEPEST + 1:
            raise ValueError("nested too deep")
        if tree is None or isinstance(tree, (bool, int, float, str)):
            return tree
        if not isinstance(tree, dict):
            raise ValueError("a list without a tag")
        ((tag, body),) = tree.items()
        if tag == "l":
            return [self.value(item, depth + 1) for item in body]
        if tag == "t":
            return tuple(self.value(item, depth + 1) for item in body)
        if tag == "d":
            return {self._key(k): self.value(v, depth + 1) for k, v in body}
        if tag == "a":
            return self._array(*body)
        if tag == "e":
            return Ellipsis
        if tag == "c":
            return complex(float(body[0]), float(body[1]))
        if tag == "r":
            return Refused(str(body[0])[:80], str(body[1])[:200])
        raise ValueError("unknown tag")

    def _key(self, tree: Any) -> Any:
        if not isinstance(tree, (str, int, float, bool)):
            return str(tree)[:80]
        return tree

    def _array(self, type_name: str, shape: list[int]) -> np.ndarray:
        if type_name not in ARRAY_TYPES:
            raise ValueError("unknown array type")
        if len(shape) > 32 or any(type(n) is not int or n < 0 for n in shape):
            raise ValueError("not a shape")
        dtype = np.dtype("<" + type_name)
        count = 1
        for n in shape:
            count *= n
        size = count * dtype.itemsize
        if size > len(self.data) - self.offset:
            raise ValueError("array data are missing")
        flat = np.frombuffer(self.data, dtype, count, self.offset)
        self.offset += size
        return flat.reshape(shape).astype(dtype.newbyteorder("="), copy=True)
