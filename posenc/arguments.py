"""What a function of the mathematics says when an argument cannot be used.

Each check hands back the argument in the form that the caller computes with, or raises an error
that names the argument, what came and what is allowed.
"""

import operator
from typing import Any

import numpy as np

FLOATS = ("float16", "float32", "float64")


def whole(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """The whole number `value` as an int; TypeError for another kind, ValueError out of bounds."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number_ = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {describe(value)}") from None
    if (low is not None and number_ < low) or (high is not None and number_ > high):
        raise ValueError(f"{name} must be a whole number{bounds(low, high)}, got {number_}")
    return number_


def number(name: str, value: Any, above: float | None = None) -> float:
    """The finite real number `value` as a float; `above` is a bound that it must exceed."""
    array = np.asarray(value)
    if array.ndim != 0 or array.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be a number, got {describe(value)}")
    if not np.isfinite(array) or (above is not None and not array > above):
        limit = "" if above is None else f" above {above:g}"
        raise ValueError(f"{name} must be a finite number{limit}, got {value}")
    return float(array)


def even(name: str, value: Any, low: int = 2) -> int:
    """The even whole number `value` as an int."""
    number_ = whole(name, value, low)
    if number_ % 2:
        raise ValueError(f"{name} must be even, since columns come in pairs, got {number_}")
    return number_


def truth(name: str, value: Any) -> bool:
    """The bool `value`; 0 and 1 are not bools."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {describe(value)}")
    return bool(value)


def choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """The string `value`, one of `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return str(value)


def floating(name: str, value: Any) -> np.dtype:
    """The floating type that `value` names: half, single or double precision."""
    try:
        dtype = np.dtype(value)
    except TypeError:
        dtype = None
    if value is None or dtype is None or dtype.name not in FLOATS:
        raise ValueError(f"{name} must be one of {', '.join(FLOATS)}, got {value!r}")
    return dtype


def real_array(
    name: str, value: Any, axes: int | None = None, at_least: int = 0, finite: bool = True
) -> np.ndarray:
    """An array of real numbers; float32 stays float32, everything else becomes float64.

    `axes` is the number of axes it must have, `at_least` the smallest number allowed.
    """
    array = plain_array(name, value)
    if array.dtype.kind not in "iuf" and array.size:
        raise TypeError(f"{name} must hold real numbers, got {array.dtype} values")
    check_axes(name, array, axes, at_least)
    array = array if array.dtype == np.float32 else array.astype(np.float64, copy=False)
    if finite and not np.isfinite(array).all():
        raise ValueError(f"{name} must hold finite numbers, got NaN or infinity in it")
    return array


def whole_array(
    name: str, value: Any, axes: int | None = None, at_least: int = 0, low: int | None = None
) -> np.ndarray:
    """An array of whole numbers, as int64; `low` is the smallest allowed."""
    array = plain_array(name, value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must hold whole numbers, got {array.dtype} values")
    check_axes(name, array, axes, at_least)
    if low is not None and array.size and array.min() < low:
        raise ValueError(f"{name} must hold whole numbers{bounds(low, None)}, got {array.min()}")
    return array.astype(np.int64, copy=False)


def bool_array(name: str, value: Any, meaning: str) -> np.ndarray:
    """An array of bools; `meaning` says what True stands for."""
    array = plain_array(name, value)
    if array.dtype != bool:
        raise TypeError(f"{name} must hold bools (True where {meaning}), got {array.dtype} values")
    return array


def permutation(name: str, value: Any, length: int) -> np.ndarray:
    """An order of `length` rows: each of 0 … length - 1 once."""
    order = whole_array(name, value, axes=1)
    if not np.array_equal(np.sort(order), np.arange(length)):
        raise ValueError(f"{name} must hold each of 0 to {length - 1} once, got {order.tolist()}")
    return order


def plain_array(name: str, value: Any) -> np.ndarray:
    """`value` as a plain ndarray; lists of unequal rows are refused."""
    try:
        array = np.asarray(value)
        if array.dtype == object:
            array = np.asarray(array.tolist())
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{name} must be an array with rows of one length: {error}") from None
    return array


def check_axes(name: str, array: np.ndarray, axes: int | None, at_least: int) -> None:
    """Raise ValueError unless `array` has as many axes as asked for."""
    if axes is not None and array.ndim != axes:
        raise ValueError(f"{name} must have {axes_in_words(axes)}, got shape {array.shape}")
    if array.ndim < at_least:
        raise ValueError(
            f"{name} must have at least {axes_in_words(at_least)}, got shape {array.shape}"
        )


def same_shape(name: str, array: np.ndarray, other_name: str, other: np.ndarray) -> None:
    """Raise ValueError unless both arrays have one shape."""
    if array.shape != other.shape:
        raise ValueError(
            f"{name} must have the shape of {other_name}, {other.shape}, got {array.shape}"
        )


def axes_in_words(axes: int) -> str:
    """A number of axes, in the singular where there is one."""
    return "1 axis" if axes == 1 else f"{axes} axes"


def bounds(low: int | None, high: int | None) -> str:
    """The words for a range of whole numbers."""
    if high is None:
        return "" if low is None else f" of at least {low}"
    return f" of at most {high}" if low is None else f" from {low} to {high}"


def describe(value: Any) -> str:
    """What came, short: its value where that fits on a line, and its type."""
    text = repr(value)
    kind = type(value).__name__
    return f"{text} ({kind})" if len(text) <= 40 else f"a value of type {kind}"
