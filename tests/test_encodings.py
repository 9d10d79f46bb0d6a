"""Each scheme gives the vectors that its formula says, at any width, base and kind of position."""

import math
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from posenc.encodings import (
    PositionalEncoding,
    add_positions,
    alibi_bias,
    alibi_slopes,
    append_integer,
    binary_counter,
    divided_by_length,
    frequencies,
    interpolated_positions,
    learned_table,
    lookup,
    next_position_ids,
    one_hot,
    packed_position_ids,
    position_ids,
    rotate,
    sinusoidal,
    sinusoidal_at,
)

steady = settings(deadline=None, max_examples=60, derandomize=True)
widths = st.integers(1, 40)
even_widths = st.integers(1, 20).map(lambda pairs: 2 * pairs)
bases = st.floats(1.5, 1e6)
lengths = st.integers(1, 40)
positions = st.integers(-1000, 1000)
pairings = st.sampled_from(["neighbours", "halves"])
seeds = st.integers(0, 10_000)


def uniform(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


# The sinusoidal pattern


@steady
@given(st.integers(0, 255), widths, bases)
def test_each_entry_is_what_the_paper_says(position, width, base):
    row = [
        (math.cos if column % 2 else math.sin)(position / base ** ((column - column % 2) / width))
        for column in range(width)
    ]
    assert_allclose(sinusoidal(position + 1, width, base)[position], row, atol=1e-10)


@steady
@given(lengths, widths, bases)
def test_the_table_is_the_rows_of_its_positions(length, width, base):
    table = sinusoidal(length, width, base)
    assert table.shape == (length, width)
    assert np.array_equal(table, sinusoidal_at(np.arange(length), width, base))
    assert np.array_equal(table[0], np.arange(width) % 2)


@steady
@given(even_widths, bases, st.floats(-1e4, 1e4))
def test_each_pair_stands_on_the_circle(width, base, position):
    row = sinusoidal_at(position, width, base)
    assert_allclose(row[0::2] ** 2 + row[1::2] ** 2, 1, atol=1e-12)


@steady
@given(widths, positions)
def test_going_backwards_turns_the_sines_round(width, position):
    there, back = sinusoidal_at(position, width), sinusoidal_at(-position, width)
    assert_allclose(there[0::2], -back[0::2], atol=1e-12)
    assert_allclose(there[1::2], back[1::2], atol=1e-12)


@steady
@given(lengths, st.integers(1, 20))
def test_an_odd_width_ends_in_a_sine_without_its_cosine(length, pairs):
    table = sinusoidal(length, 2 * pairs + 1)
    last = np.sin(np.arange(length) * 10000.0 ** (-2 * pairs / (2 * pairs + 1)))
    assert_allclose(table[:, -1], last, atol=1e-12)
    assert len(frequencies(2 * pairs + 1)) == pairs + 1


@steady
@given(st.integers(1, 256), widths, bases)
def test_float32_is_close_to_float64(length, width, base):
    table = sinusoidal(length, width, base, dtype=np.float32)
    assert table.dtype == np.float32
    assert_allclose(table, sinusoidal(length, width, base), atol=1e-7)


def test_half_precision_casts_the_values_and_not_the_positions():
    row = sinusoidal_at(2049, 8, dtype="float16")
    assert row.dtype == np.float16
    assert_allclose(row, sinusoidal_at(2049, 8), atol=1e-3)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 0, 3)])
def test_positions_of_any_shape_gain_one_axis(shape):
    assert sinusoidal_at(np.full(shape, 0.5), 5).shape == (*shape, 5)


def test_positions_between_two_seats_have_a_row():
    assert_allclose(sinusoidal_at([1.5], 2), [[math.sin(1.5), math.cos(1.5)]])


def test_the_ladder_falls_from_one_by_one_ratio():
    assert_allclose(frequencies(8), [1, 0.1, 0.01, 0.001])
    assert_allclose(frequencies(4, base=100.0), [1, 0.1])
    assert frequencies(1).tolist() == [1.0]


def test_base_10001_is_told_apart_at_64_by_16():
    difference = np.abs(sinusoidal(64, 16) - sinusoidal(64, 16, base=10001.0))
    assert (difference > 2e-5 + 1e-5).any()


def test_no_positions_give_an_empty_table():
    assert sinusoidal(0, 6).shape == (0, 6)


# Adding it to a batch


@pytest.mark.parametrize("shape", [(2, 3, 5), (4, 4, 6), (1, 7, 4), (3, 1, 2)])
def test_each_sequence_gets_the_same_rows(shape):
    batch = uniform(0, *shape)
    for sequence, summed in zip(batch, add_positions(batch, base=50.0), strict=True):
        assert_allclose(summed, sequence + sinusoidal(*shape[1:], base=50.0))


def test_adding_makes_a_new_array_of_the_same_type():
    batch = np.zeros((1, 2, 4), dtype=np.float32)
    summed = add_positions(batch)
    assert summed.dtype == np.float32 and not batch.any()
    assert add_positions(np.zeros((1, 2, 4), dtype=int)).dtype == np.float64


def test_the_layer_adds_passes_back_and_learns_nothing():
    layer = PositionalEncoding(5, 6, base=100.0)
    batch, gradient = uniform(0, 2, 4, 5), uniform(1, 2, 4, 5)
    assert layer.table.shape == (6, 5)
    assert_allclose(layer.forward(batch), add_positions(batch, base=100.0))
    assert np.array_equal(layer.backward(gradient), gradient)
    assert list(layer.parameters()) == []


def test_the_layer_says_both_lengths_when_a_text_is_too_long():
    with pytest.raises(ValueError, match="length 2.*at most 1"):
        PositionalEncoding(4, 1).forward(np.zeros((1, 2, 4)))
    with pytest.raises(ValueError, match="batch must have width 4, got width 1"):
        PositionalEncoding(4, 3).forward(np.zeros((1, 2, 1)))


# Naive schemes


def test_the_integer_is_appended_from_where_it_starts():
    assert append_integer([[5.0, 6.0], [7.0, 8.0]], 100).tolist() == [[5, 6, 100], [7, 8, 101]]
    assert append_integer(np.zeros((3, 1), dtype=np.float32)).dtype == np.float32


def test_dividing_by_the_length_shrinks_the_step():
    assert divided_by_length(4).tolist() == [[0], [0.25], [0.5], [0.75]]
    assert divided_by_length(1).tolist() == [[0]]


def test_one_hot_rows_are_all_equally_far_apart():
    assert np.array_equal(one_hot(3), np.eye(3))


@steady
@given(lengths, st.integers(1, 70))
def test_the_counter_counts(length, bits):
    table = binary_counter(length, bits)
    assert table.shape == (length, bits) and table.dtype == np.float64
    assert set(np.unique(table)) <= {0.0, 1.0}
    assert [sum(int(bit) << place for place, bit in enumerate(row)) for row in table] == [
        p % 2**bits for p in range(length)
    ]


def test_the_least_significant_bit_comes_first():
    assert binary_counter(3, 2).tolist() == [[0, 0], [1, 0], [0, 1]]


# Learned tables and their indices


def test_a_learned_table_is_the_same_for_the_same_seed():
    table = learned_table(2000, 8, scale=0.1, seed=3)
    assert table.shape == (2000, 8)
    assert table.std() == pytest.approx(0.1, rel=0.05)
    assert np.array_equal(table, learned_table(2000, 8, scale=0.1, seed=3))
    assert not np.array_equal(table, learned_table(2000, 8, scale=0.1, seed=4))


@pytest.mark.parametrize("positions", [[2, 0, 2], [[1, 2], [0, 1]], []])
def test_lookup_takes_rows_in_the_shape_asked_for(positions):
    table = uniform(0, 3, 4)
    rows = lookup(table, positions)
    assert rows.shape == (*np.shape(positions), 4)
    assert rows.tolist() == [table[p].tolist() for p in positions]


@pytest.mark.parametrize(("positions", "bad"), [([0, 3], "3"), ([[-1, 0]], "-1"), ([2, 99], "99")])
def test_a_position_without_a_row_is_named_with_the_capacity(positions, bad):
    with pytest.raises(IndexError, match=rf"position {bad} .*capacity is 3"):
        lookup(uniform(0, 3, 4), positions)


@steady
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.booleans())
def test_real_tokens_are_numbered_from_0_whichever_side_is_padded(counts, left):
    mask = np.array([[1] * count + [0] * (6 - count) for count in counts])
    mask = mask[:, ::-1] if left else mask
    numbers = position_ids(mask)
    assert numbers.shape == mask.shape
    for row, real, count in zip(numbers, mask, counts, strict=True):
        assert row[real == 1].tolist() == list(range(count))
    assert np.array_equal(numbers, position_ids(mask.astype(bool)))
    assert next_position_ids(mask, 3).tolist() == [[n, n + 1, n + 2] for n in counts]


def test_three_real_tokens_behind_two_pads_make_the_next_number_three():
    assert next_position_ids([[0, 0, 1, 1, 1]], 2).tolist() == [[3, 4]]


@steady
@given(st.lists(st.integers(1, 5), max_size=6), st.randoms())
def test_packed_documents_each_start_at_0(lengths, random):
    names = random.sample(range(-5, 20), len(lengths))
    ids = [name for name, length in zip(names, lengths, strict=True) for _ in range(length)]
    expected = [p for length in lengths for p in range(length)]
    assert packed_position_ids(ids).tolist() == expected


def test_a_document_that_comes_back_is_refused():
    with pytest.raises(ValueError, match=r"document_ids .*\[4, 2, 4\]"):
        packed_position_ids([4, 4, 2, 4])


# Rotary


def loop_rotation(x, positions, base, width, pairing):
    """The formula, one pair at a time."""
    turned = np.array(x, dtype=float)
    for row, position in enumerate(positions):
        for i in range(width // 2):
            first, second = (2 * i, 2 * i + 1) if pairing == "neighbours" else (i, i + width // 2)
            angle = position * base ** (-2 * i / width)
            a, b = x[row, first], x[row, second]
            turned[row, first] = a * math.cos(angle) - b * math.sin(angle)
            turned[row, second] = a * math.sin(angle) + b * math.cos(angle)
    return turned


@steady
@given(even_widths, st.integers(0, 3), bases, pairings, seeds)
def test_each_pair_turns_by_its_own_angle(width, unturned, base, pairing, seed):
    x = uniform(seed, 4, width + unturned)
    where = [0, 3, -2, 250.5]
    turned = rotate(x, where, base, width, pairing)
    assert_allclose(turned, loop_rotation(x, where, base, width, pairing), atol=1e-12)
    assert np.array_equal(turned[:, width:], x[:, width:])


@steady
@given(even_widths, pairings, positions, positions, positions, seeds)
def test_scores_see_the_distance_only(width, pairing, i, j, shift, seed):
    query, key = uniform(seed, 2, width)

    def score(a, b):
        rows = rotate(np.array([query, key]), [a, b], pairing=pairing)
        return rows[0] @ rows[1]

    assert score(i, j) == pytest.approx(score(i + shift, j + shift), abs=1e-9)


@steady
@given(even_widths, pairings, seeds)
def test_turning_keeps_every_norm_and_turning_back_undoes_it(width, pairing, seed):
    x = uniform(seed, 2, 5, width)
    where = np.arange(5)
    turned = rotate(x, where, pairing=pairing)
    assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), atol=1e-12)
    assert_allclose(rotate(turned, -where, pairing=pairing), x, atol=1e-12)
    assert np.array_equal(turned[:, 0], x[:, 0])


def test_the_two_pairings_are_one_rotation_in_another_column_order():
    x = uniform(0, 5, 8)
    halves = rotate(x, np.arange(5), pairing="halves")
    columns = [0, 4, 1, 5, 2, 6, 3, 7]
    assert_allclose(rotate(x[:, columns], np.arange(5)), halves[:, columns])


def test_heads_share_positions_and_rows_of_a_batch_may_have_their_own():
    x = uniform(0, 2, 3, 4, 6)
    shared = rotate(x, [5, 6, 7, 8])
    assert_allclose(shared[1, 2], rotate(x[1, 2], [5, 6, 7, 8]))
    own = np.arange(24).reshape(2, 3, 4)
    assert_allclose(rotate(x, own)[1, 2], rotate(x[1, 2], own[1, 2]))


def test_float32_stays_float32_and_keeps_its_angles():
    x = uniform(0, 1, 8).astype(np.float32)
    turned = rotate(x, [4001])
    assert turned.dtype == np.float32
    assert_allclose(turned, rotate(x.astype(float), [4001]), atol=1e-6)


# ALiBi and interpolation


def released_slopes(heads):
    """The rule as its authors' code states it, written out again."""
    power = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 / power * (i + 1)) for i in range(power)]
    if power < heads:
        slopes += [2 ** (-8 / (2 * power) * (i + 1)) for i in range(2 * power)][0::2]
    return slopes[:heads]


@pytest.mark.parametrize("heads", [*range(1, 20), 40, 64, 100])
def test_slopes_follow_the_released_rule(heads):
    assert_allclose(alibi_slopes(heads), released_slopes(heads))


def test_known_slopes():
    assert alibi_slopes(8).tolist() == [2.0**-power for power in range(1, 9)]
    assert_allclose(alibi_slopes(6), [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8])
    assert_allclose(alibi_slopes(10)[8:], [2**-0.5, 2**-1.5])
    assert_allclose(alibi_slopes(12)[8:], [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5])
    assert_allclose(alibi_slopes(40)[32:], 2.0 ** (-np.arange(1, 17, 2) / 8))


def test_the_bias_is_minus_slope_times_distance():
    bias = alibi_bias(3, 5)
    assert bias.shape == (3, 5, 5) and np.isfinite(bias).all()
    assert bias[1, 4, 1] == -3 * alibi_slopes(3)[1]
    assert not np.diagonal(bias, axis1=1, axis2=2).any()
    assert np.array_equal(bias, np.swapaxes(bias, 1, 2))


@steady
@given(lengths, lengths)
def test_interpolation_stays_in_the_trained_range(length, trained_length):
    squeezed = interpolated_positions(length, trained_length)
    assert squeezed.shape == (length,) and squeezed.max() < trained_length
    assert_allclose(squeezed, np.arange(length) * min(1, trained_length / length))


# Arguments


@pytest.mark.parametrize(
    "function",
    [frequencies, sinusoidal, sinusoidal_at, add_positions, PositionalEncoding, rotate],
)
def test_the_base_may_be_left_out(function):
    assert signature(function).parameters["base"].default == 10000.0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: frequencies(0), ValueError, "width must be a whole number of at least 1, got 0"),
        (lambda: frequencies(4.0), TypeError, r"width must be a whole number, got 4.0 \(float\)"),
        (lambda: frequencies(True), TypeError, r"width .*got True \(bool\)"),
        (lambda: frequencies("8"), TypeError, r"width .*got '8' \(str\)"),
        (lambda: frequencies(8, 0), ValueError, "base must be a finite number above 0, got 0"),
        (lambda: frequencies(8, math.inf), ValueError, "base .*got inf"),
        (lambda: frequencies(8, "e"), TypeError, "base must be a number, got 'e'"),
        (lambda: frequencies(8, 2j), TypeError, "base must be a number, got 2j"),
        (lambda: sinusoidal(-1, 8), ValueError, "length .*at least 0, got -1"),
        (lambda: sinusoidal(None, 8), TypeError, "length .*got None"),
        (lambda: sinusoidal(4, 8, dtype=int), ValueError, "dtype must be one of float16.*int"),
        (lambda: sinusoidal(4, 8, dtype="real"), ValueError, "dtype .*got 'real'"),
        (lambda: sinusoidal_at([math.nan], 8), ValueError, "positions must hold finite"),
        (lambda: sinusoidal_at(["a"], 8), TypeError, "positions must hold real numbers, got <U1"),
        (lambda: sinusoidal_at([[1], [2, 3]], 8), ValueError, "positions .*rows of one length"),
        (lambda: add_positions(np.ones((2, 3))), ValueError, r"batch .*3 axes, got shape \(2, 3\)"),
        (lambda: PositionalEncoding(4, 0), ValueError, "max_length .*at least 1, got 0"),
        (lambda: append_integer([1.0]), ValueError, "x must have 2 axes"),
        (lambda: append_integer([[1.0]], 0.5), TypeError, "start must be a whole number"),
        (lambda: divided_by_length(0), ValueError, "length .*at least 1, got 0"),
        (lambda: one_hot(0), ValueError, "length .*at least 1"),
        (lambda: binary_counter(4, 0), ValueError, "bits .*at least 1, got 0"),
        (lambda: learned_table(0, 4), ValueError, "capacity .*at least 1, got 0"),
        (lambda: learned_table(4, 4, scale=0), ValueError, "scale .*above 0, got 0"),
        (lambda: learned_table(4, 4, seed=-1), ValueError, "seed .*at least 0, got -1"),
        (lambda: lookup([[1.0]], [0.0]), TypeError, "positions must hold whole numbers"),
        (lambda: lookup([[1.0]], [True]), TypeError, "positions .*got bool values"),
        (lambda: position_ids([1, 1]), ValueError, "attention_mask must have 2 axes"),
        (lambda: position_ids([[1, 2]]), ValueError, "attention_mask must hold 1"),
        (lambda: position_ids([["a"]]), ValueError, "attention_mask must hold 1"),
        (lambda: packed_position_ids([[1]]), ValueError, "document_ids must have 1 axis, got"),
        (lambda: next_position_ids([[1]], -1), ValueError, "new_tokens .*at least 0"),
        (lambda: rotate([[1.0, 2.0, 3.0]], [0]), ValueError, "the width of x must be even.*got 3"),
        (lambda: rotate([[1.0, 2.0]], [0, 1]), ValueError, r"positions .*\(1,\).*got \(2,\)"),
        (lambda: rotate([[1.0, 2.0]], [0], rotary_width=4), ValueError, "rotary_width .*2, got 4"),
        (lambda: rotate([[1.0, 2.0]], [0], rotary_width=1), ValueError, "rotary_width .*got 1"),
        (lambda: rotate([[1.0, 2.0]], [0], pairing="thirds"), ValueError, "pairing .*'halves'"),
        (lambda: rotate([1.0, 2.0], [0]), ValueError, "x must have at least 2 axes"),
        (lambda: alibi_slopes(0), ValueError, "heads .*at least 1, got 0"),
        (lambda: alibi_bias(2, 0), ValueError, "length .*at least 1, got 0"),
        (lambda: interpolated_positions(4, 0), ValueError, "trained_length .*at least 1, got 0"),
    ],
)
def test_a_bad_argument_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_numpy_numbers_are_numbers():
    table = sinusoidal(np.int64(3), np.array(4), np.float32(100))
    assert np.array_equal(table, sinusoidal(3, 4, 100))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: sinusoidal_at(x, 4),
        lambda x: add_positions(x[None]),
        lambda x: PositionalEncoding(4, 4).forward(x[None]),
        lambda x: PositionalEncoding(4, 4).backward(x),
        lambda x: append_integer(x),
        lambda x: lookup(x, [0, 1]),
        lambda x: rotate(x, np.arange(4)),
    ],
)
def test_arguments_stay_as_they_are_and_results_are_new(call):
    x = uniform(0, 4, 4)
    kept = x.copy()
    result = call(x)
    result[...] = 7
    assert np.array_equal(x, kept)
