"""Values to bytes and back: what is plain survives, what is not is named, and bytes are not trusted."""

import json
import math
from array import array
from collections import UserDict, UserList, deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from posenc.judging import values
from posenc.judging.values import Refused, TooLarge, decode, encode, plain

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
trees = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)
numbers = hnp.arrays(
    st.sampled_from(
        [np.float64, np.float32, np.int64, np.int16, np.uint8, np.bool_, np.complex128]
    ),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
)


@given(trees)
def test_plain_values_come_back_as_they_were(value):
    back = plain(value)
    assert back == value
    assert type(back) is type(value)


def shape_of(value):
    """A value with every type named, so that equal values of other types differ."""
    if isinstance(value, (list, tuple)):
        return type(value), [shape_of(item) for item in value]
    if isinstance(value, dict):
        return dict, [(shape_of(k), shape_of(v)) for k, v in value.items()]
    if isinstance(value, np.ndarray):
        return (
            value.dtype,
            value.shape,
            value.flags.writeable,
            value.flags.c_contiguous,
            value.tobytes(),
        )
    return type(value), repr(value)


@given(trees | numbers | st.lists(numbers, max_size=3) | st.tuples(numbers, trees))
def test_the_short_way_gives_what_the_way_through_the_bytes_gives(value):
    assert shape_of(plain(value)) == shape_of(decode(encode(value)))


@pytest.mark.parametrize("depth", [15, 16, 17])
def test_the_short_way_ends_where_the_long_one_does(depth):
    nested = 1
    for _ in range(depth):
        nested = [nested]
    if depth <= values.DEEPEST:
        assert plain(nested) == nested
    else:
        with pytest.raises(TooLarge):
            plain(nested)


def test_a_copy_shares_nothing_with_what_was_copied():
    inner, array = [1, 2], np.zeros((2, 3)).T
    copied = plain({"a": inner, "b": array})
    inner.append(3)
    array[0, 0] = 5
    assert copied["a"] == [1, 2] and copied["b"][0, 0] == 0 and copied["b"].flags.c_contiguous


@given(numbers)
def test_arrays_come_back_with_shape_type_and_values(array):
    back = plain(array)
    assert back.dtype == array.dtype and back.shape == array.shape
    np.testing.assert_array_equal(back, array)
    assert back.flags.writeable


@given(st.binary(max_size=200) | st.binary(max_size=200).map(lambda b: values.MAGIC + b))
def test_foreign_bytes_are_a_value_error_or_a_value(data):
    try:
        decode(data)
    except ValueError:
        pass


@given(trees, st.data())
@settings(max_examples=50)
def test_damaged_bytes_never_do_more_than_raise_a_value_error(value, data):
    good = bytearray(encode(value))
    good[data.draw(st.integers(0, len(good) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        decode(bytes(good))
    except ValueError:
        pass


def _forged(tree, raw=b""):
    head = json.dumps(tree).encode()
    return values.MAGIC + len(head).to_bytes(8, "big") + head + raw


@pytest.mark.parametrize(
    "data",
    [
        b"",
        encode([1, 2])[:-3],
        _forged({"a": ["O", [1]]}, b"\0" * 8),
        _forged({"a": ["f8", [10**12]]}),
        _forged({"a": ["f8", [-1]]}),
        _forged({"x": 1}),
        _forged({"l": [1], "t": [2]}),
        values.MAGIC + (9).to_bytes(8, "big") + b"[" * 9,
        _forged([1, 2]),
    ],
    ids=[
        "empty",
        "cut",
        "object array",
        "missing data",
        "negative shape",
        "unknown tag",
        "two tags",
        "broken",
        "bare list",
    ],
)
def test_forged_bytes_are_refused(data):
    with pytest.raises(ValueError):
        decode(data)


def test_a_deeply_nested_head_is_refused_and_does_not_crash():
    tree = b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(ValueError):
        decode(values.MAGIC + len(tree).to_bytes(8, "big") + tree)


@pytest.mark.parametrize(
    "value, expected",
    [
        (np.float32(1.5), 1.5),
        (np.int64(43), 43),
        (np.bool_(True), True),
        (np.str_("neither"), "neither"),
        (np.array(7.0)[()], 7.0),
        (np.array([1, 2.5], dtype=object), [1, 2.5]),
        (np.array(["a", "b"]), ["a", "b"]),
        (..., ...),
    ],
)
def test_numpy_scalars_and_odd_arrays_become_plain(value, expected):
    back = plain(value)
    assert back == expected and type(back) is type(expected)


def test_subclasses_are_reduced_to_their_values():
    class Liar(np.ndarray):
        def __eq__(self, other):
            return True

    class Odd(float):
        def __eq__(self, other):
            return True

    assert type(plain(np.zeros(3).view(Liar))) is np.ndarray
    assert type(plain(Odd(2.0))) is float
    assert type(plain(np.asmatrix([[1.0, 2.0]]))) is np.ndarray


class OfTorch:
    """A tensor as torch has it, which gives its numbers once it is detached."""

    __module__ = "torch"

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("it requires grad")

    def detach(self):
        return self

    def cpu(self):
        return np.array([1.0, 2.0])


class OfPandas:
    """A series as pandas has it."""

    __module__ = "pandas.core.series"

    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0])


@pytest.mark.parametrize(
    "value, numbers",
    [
        (Fraction(1, 4), 0.25),
        (Decimal("0.25"), 0.25),
        ([Fraction(1, 2), 3], [0.5, 3]),
        (np.array([Fraction(1, 2)], dtype=object), [0.5]),
        (array("d", [1.0, 2.0]), np.array([1.0, 2.0])),
        (memoryview(np.array([[1.0, 2.0]])), np.array([[1.0, 2.0]])),
        (deque([1.0, 2.0]), [1.0, 2.0]),
        (UserList([1.0, 2.0]), [1.0, 2.0]),
        (UserDict(a=1), {"a": 1}),
        (range(3), [0, 1, 2]),
        (OfTorch(), np.array([1.0, 2.0])),
        (OfPandas(), np.array([1.0, 2.0])),
    ],
)
def test_numbers_that_are_kept_in_another_way_are_the_numbers_that_they_are(value, numbers):
    assert values.same(plain(value), numbers)


def test_a_deque_without_end_and_a_fraction_beyond_all_floats_are_told_in_words():
    own = UserList()
    own.append(own)
    with pytest.raises(TooLarge, match="deep"):
        plain(own)
    assert "NumPy array" in plain(Fraction(10**400)).why


@pytest.mark.parametrize(
    "value, type_name, word",
    [
        ((x for x in [1]), "generator", "one by one"),
        ({1, 2}, "set", "order"),
        (len, "builtin_function_or_method", "call"),
        (object(), "object", "not a number"),
        (np.ma.array([1.0, 2.0], mask=[True, False]), "masked array", "1 of its 2"),
        (
            np.array(["2026-01-01"], dtype="datetime64[D]"),
            "array of datetime64[D]",
            "no plain numbers",
        ),
        (1 << 5000, "int", "bits"),
    ],
)
def test_what_is_not_plain_is_refused_with_a_reason(value, type_name, word):
    back = plain(value)
    assert isinstance(back, Refused) and back.type_name == type_name
    assert word in back.why


def test_refused_survives_a_second_trip_inside_a_list():
    once = plain([{1}, 2])
    assert plain(once) == once and isinstance(once[0], Refused)


def test_a_masked_array_with_nothing_masked_is_its_values():
    np.testing.assert_array_equal(plain(np.ma.array([1.0, 2.0])), [1.0, 2.0])


def test_no_code_of_the_sender_is_kept():
    class Trap:
        def __reduce__(self):
            return (print, ("run",))

    assert isinstance(plain(Trap()), Refused)
    assert isinstance(plain([Trap()])[0], Refused)


def test_a_list_that_holds_itself_and_values_beyond_the_limits_are_too_large():
    loop = []
    loop.append(loop)
    for value in (loop, [0] * (values.MOST_NODES + 1), np.zeros(values.MOST_BYTES // 8 + 1)):
        with pytest.raises(TooLarge):
            encode(value)


def test_floats_that_json_has_no_words_for_survive():
    back = plain([math.inf, -math.inf, math.nan])
    assert back[0] == math.inf and back[1] == -math.inf and math.isnan(back[2])
