"""The geometry of positions: what turns, what repeats, what depends on the distance only."""

import math
from inspect import signature
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from posenc.attention import SIX_TOKENS, softmax
from posenc.encodings import (
    append_integer,
    binary_counter,
    divided_by_length,
    frequencies,
    one_hot,
    sinusoidal,
    sinusoidal_at,
)
from posenc.geometry import (
    base_for_longest,
    diagonal_spread,
    distance_profile,
    distinct_positions,
    first_saturated_start,
    fit_shift,
    gram,
    lookback_weights,
    nearest_lookalike,
    norm_range,
    norms,
    numerical_rank,
    pairs_that_turn,
    phase,
    position_spread,
    requirements_met,
    rises_and_lowest,
    shift_from_one_step,
    shift_matrix,
    wavelengths,
)

steady = settings(deadline=None, max_examples=60, derandomize=True)
even_widths = st.integers(1, 20).map(lambda pairs: 2 * pairs)
bases = st.floats(1.5, 1e6)
lengths = st.integers(2, 40)
shifts = st.integers(-50, 50)
seeds = st.integers(0, 10_000)


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


# Writing the number in


@steady
@given(st.integers(-30, 200), st.integers(1, 12), st.integers(1, 40))
def test_the_spread_is_that_of_all_pairs(start, length, width):
    where = np.arange(start, start + length)
    expected = np.ptp(np.outer(where, where)) / math.sqrt(width)
    assert position_spread(start, length, width) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("threshold", "start"), [(0.9, 6), (0.99, 11), (0.999, 16)])
def test_the_six_tokens_saturate(threshold, start):
    assert first_saturated_start(SIX_TOKENS, threshold) == start
    assert first_saturated_start(SIX_TOKENS, threshold, limit=start + 1) == start
    assert first_saturated_start(SIX_TOKENS, threshold, limit=start) is None


def test_a_share_of_exactly_the_threshold_is_enough():
    assert first_saturated_start([[0.5, 0.5]], threshold=1.0) == 0


@steady
@given(st.integers(1, 8), st.integers(1, 16), st.floats(0.7, 0.999), seeds)
def test_saturation_is_found_by_scanning(n, d, threshold, seed):
    x = np.random.default_rng(seed).uniform(-1, 1, (n, d))

    def mean_share(start):
        rows = append_integer(x, start)
        return softmax(rows @ rows.T / math.sqrt(d + 1)).max(axis=1).mean()

    passed = [start for start in range(60) if mean_share(start) >= threshold]
    assert first_saturated_start(x, threshold, limit=60) == (passed[0] if passed else None)


MET = {
    "sinusoidal": (sinusoidal, dict(bounded=1, distinct=1, same_step=1, fixed_width=1)),
    "integer": (
        lambda n: np.arange(n)[:, None],
        dict(bounded=0, distinct=1, same_step=1, fixed_width=1),
    ),
    "divided": (divided_by_length, dict(bounded=1, distinct=1, same_step=0, fixed_width=1)),
    "one-hot": (one_hot, dict(bounded=1, distinct=1, same_step=1, fixed_width=0)),
    "two bits": (
        lambda n: binary_counter(n, 2),
        dict(bounded=1, distinct=0, same_step=1, fixed_width=1),
    ),
}


@pytest.mark.parametrize("name", MET)
def test_each_scheme_fails_what_it_fails(name):
    scheme, expected = MET[name]
    scheme = (lambda n: sinusoidal(n, 8)) if scheme is sinusoidal else scheme
    found = requirements_met(scheme(6), scheme(11))
    assert found == {requirement: bool(met) for requirement, met in expected.items()}
    assert all(type(met) is bool for met in found.values())


def test_the_limit_is_one_or_the_largest_of_the_short_table():
    assert requirements_met([[0.1], [0.2]], [[0.1], [0.2], [1.0]])["bounded"]
    assert not requirements_met([[0.1], [0.2]], [[0.1], [0.2], [-1.1]])["bounded"]
    assert requirements_met([[-5.0], [0]], [[-5.0], [0], [5.0]])["bounded"]


def test_only_steps_that_both_tables_have_are_compared():
    assert requirements_met([[0.0], [1]], [[0.0], [1], [7]])["same_step"]
    assert not requirements_met([[0.0], [1], [2]], [[0.0], [1], [7], [8]])["same_step"]


@steady
@given(st.integers(2, 12), st.integers(1, 3), seeds)
def test_distinct_looks_at_every_pair(length, width, seed):
    table = np.random.default_rng(seed).integers(0, 4, (length, width)).astype(float)
    apart = all(np.linalg.norm(a - b) >= 1e-9 for a, b in combinations(table, 2))
    assert requirements_met(table[:1], table)["distinct"] == apart


def test_rows_a_billionth_apart_are_not_distinct():
    assert not requirements_met([[1.0]], [[1.0], [1.0 + 1e-10]])["distinct"]
    assert requirements_met([[1.0]], [[1.0], [1.0 + 1e-8]])["distinct"]


# Hands of clocks


@pytest.mark.parametrize(("length", "lookalike"), [(10, 6), (50, 44), (400, 333), (1000, 710)])
def test_one_hand_nearly_comes_back(length, lookalike):
    assert nearest_lookalike([1.0], length) == lookalike


@steady
@given(st.lists(st.floats(0.05, 2.5), min_size=1, max_size=4), st.integers(2, 60))
def test_the_lookalike_is_the_nearest_of_all(speeds, length):
    def distance(p):
        return math.sqrt(sum(math.sin(p * w) ** 2 + (math.cos(p * w) - 1) ** 2 for w in speeds))

    nearest = min(distance(p) for p in range(1, length))
    found = nearest_lookalike(speeds, length)
    assert distance(found) == pytest.approx(nearest, abs=2e-8)
    assert all(distance(p) > nearest - 1e-12 for p in range(1, found))


def test_of_equal_lookalikes_the_first_is_taken():
    assert nearest_lookalike([math.pi / 2], 30) == 4
    assert nearest_lookalike([2 * math.pi / 10, 2 * math.pi / 5], 200) == 10


@steady
@given(st.floats(-3.1, 3.1), st.floats(1e-3, 1e3))
def test_the_phase_comes_back_from_hands_of_any_length(angle, length):
    hands = length * np.array([[math.sin(angle), math.cos(angle)]])
    assert phase(hands) == pytest.approx([angle])


def test_a_hand_alone_and_hands_in_a_block_have_phases():
    assert phase([1, 0]) == pytest.approx(math.pi / 2)
    assert phase(normal(0, 3, 5, 2)).shape == (3, 5)


# The ladder


@steady
@given(st.integers(1, 40), bases)
def test_a_wavelength_later_the_pair_is_back(width, base):
    for pair, wavelength in enumerate(wavelengths(width, base)):
        row = sinusoidal_at([0.5, 0.5 + wavelength], width, base)
        assert row[0, 2 * pair] == pytest.approx(row[1, 2 * pair], abs=1e-9)


def test_pairs_that_turn_inside_a_context():
    assert pairs_that_turn(512, 1024) == 142
    assert pairs_that_turn(512, 6) == 0
    assert pairs_that_turn(8, 628) == 2
    assert pairs_that_turn(8, 629) == 3
    assert pairs_that_turn(5, 10**6) == 2


@steady
@given(st.integers(2, 40).map(lambda pairs: 2 * pairs), st.integers(7, 100_000))
def test_the_base_for_a_length_makes_every_pair_turn_and_the_last_one_once(width, longest):
    base = base_for_longest(width, longest)
    assert wavelengths(width, base)[-1] == pytest.approx(longest)
    assert pairs_that_turn(width, longest, base) == width // 2
    assert pairs_that_turn(width, longest - 1, base) < width // 2


def test_the_base_of_the_paper_is_a_little_too_small_for_its_own_sentence():
    assert base_for_longest(512, 62_831.853) == pytest.approx(10_367.79, abs=0.005)


@pytest.mark.parametrize("dtype", ["float16", np.float16, np.dtype("float16")])
def test_half_precision_runs_out_of_positions(dtype):
    assert distinct_positions(2040, 20, dtype) == 15
    assert distinct_positions(0, 2049, dtype) == 2049
    assert distinct_positions(65_500, 20, dtype) == 1


def test_single_precision_runs_out_later():
    assert distinct_positions(2**24, 100, "float32") == 51
    assert distinct_positions(2040, 20, "float32") == 20


# Norms and dot products


@steady
@given(even_widths, lengths, bases)
def test_every_row_of_an_even_width_has_one_norm(width, length, base):
    assert_allclose(norm_range(width, length, base), math.sqrt(width / 2))
    assert_allclose(norms(sinusoidal(length, width, base)), math.sqrt(width / 2))


def test_a_norm_is_that_of_the_last_axis():
    assert norms([[[3.0, 4.0]], [[0.0, 1.0]]]).tolist() == [[5], [1]]


@steady
@given(st.integers(0, 10), lengths, bases)
def test_the_norm_of_an_odd_width_moves_with_its_lone_sine(pairs, length, base):
    width = 2 * pairs + 1
    lone = np.sin(np.arange(length) * frequencies(width, base)[-1])
    smallest, largest = norm_range(width, length, base)
    assert smallest == pytest.approx(math.sqrt(pairs))
    assert largest == pytest.approx(math.sqrt(pairs + np.abs(lone).max() ** 2))


@steady
@given(even_widths, bases, st.integers(-5000, 5000), st.integers(0, 5000))
def test_the_dot_product_sees_the_distance_only(width, base, position, distance):
    first, second = sinusoidal_at([position, position + distance], width, base)
    assert first @ second == pytest.approx(distance_profile(width, distance, base), abs=1e-9)


@steady
@given(even_widths, lengths, bases)
def test_the_gram_matrix_is_constant_along_its_diagonals(width, length, base):
    table = sinusoidal(length, width, base)
    assert diagonal_spread(table) < 1e-11
    assert_allclose(gram(table)[0], distance_profile(width, np.arange(length), base), atol=1e-11)


def test_a_random_table_is_not_constant_along_its_diagonals():
    table = normal(0, 20, 8)
    products = [table[p] @ table[p + 1] for p in range(19)]
    assert diagonal_spread(table) >= max(products) - min(products) > 1


def test_the_profile_keeps_the_order_and_shape_of_its_distances():
    profile = distance_profile(8, [[3, 0], [3, 7]])
    assert profile.shape == (2, 2) and profile[0, 0] == profile[1, 0]
    assert profile[0, 1] == pytest.approx(4)


def test_similarity_does_not_decay_step_by_step():
    rises, distance, value = rises_and_lowest(distance_profile(64, np.arange(512)))
    assert (rises, distance) == (244, 406) and value == pytest.approx(2.56, abs=0.005)
    assert type(rises) is int and type(distance) is int and type(value) is float


def test_level_steps_are_no_rises_and_the_first_lowest_counts():
    assert rises_and_lowest([2.0, 1.0, 1.0, 3.0, 1.0]) == (1, 1, 1.0)
    assert rises_and_lowest([5.0]) == (0, 0, 5.0)


# Shifts


@steady
@given(even_widths, bases, shifts, st.integers(-200, 200))
def test_one_matrix_shifts_every_position(width, base, k, position):
    here, there = sinusoidal_at([position, position + k], width, base)
    assert_allclose(shift_matrix(k, width, base) @ here, there, atol=1e-10)


def test_the_whole_table_is_shifted_by_the_transpose_on_the_right():
    table = sinusoidal(30, 8)
    assert_allclose(table[:-3] @ shift_matrix(3, 8).T, table[3:], atol=1e-12)
    assert np.abs(table[:-3] @ shift_matrix(3, 8) - table[3:]).max() > 0.5


@steady
@given(even_widths, bases, shifts, shifts)
def test_shifts_compose_and_turn_back(width, base, a, b):
    first, second = shift_matrix(a, width, base), shift_matrix(b, width, base)
    assert_allclose(first @ second, shift_matrix(a + b, width, base), atol=1e-10)
    assert_allclose(shift_matrix(-a, width, base), first.T, atol=1e-12)
    assert_allclose(first @ first.T, np.eye(width), atol=1e-12)
    assert np.array_equal(shift_matrix(0, width, base), np.eye(width))


def test_the_sine_comes_first_so_the_minus_stands_below():
    block = shift_matrix(1, 2)
    sine, cosine = math.sin(1), math.cos(1)
    assert_allclose(block, [[cosine, sine], [-sine, cosine]])


@steady
@given(st.integers(1, 8), st.integers(0, 6), seeds)
def test_the_residual_is_that_of_the_matrix_and_no_matrix_is_nearer(width, k, seed):
    table = normal(seed, 3 * width + k, width)
    matrix, residual = fit_shift(table, k)
    missed = table[k:] - table[: len(table) - k] @ matrix.T
    assert residual == np.abs(missed).max()
    nudged = matrix + 1e-3 * normal(seed + 1, width, width)
    others = table[k:] - table[: len(table) - k] @ nudged.T
    assert np.linalg.norm(missed) <= np.linalg.norm(others)


@steady
@given(st.integers(1, 4).map(lambda pairs: 2 * pairs), st.integers(1, 10), st.integers(32, 80))
def test_a_sinusoid_is_fitted_and_at_width_8_it_is_the_rotation(width, k, length):
    matrix, residual = fit_shift(sinusoidal(length, width), k)
    assert residual < 1e-9
    if length >= 64:
        assert_allclose(matrix, shift_matrix(k, width), atol=1e-4)


def test_at_width_64_least_squares_finds_a_matrix_and_not_the_one():
    table = sinusoidal(512, 64)
    matrix, residual = fit_shift(table, 3)
    assert residual < 1e-12 and numerical_rank(table[:-3]) < 64
    assert np.abs(matrix - shift_matrix(3, 64)).max() > 0.1


@steady
@given(
    st.integers(2, 16).map(lambda pairs: 2 * pairs),
    st.integers(0, 20),
    st.integers(21, 200),
    st.floats(10, 1e5),
)
def test_each_query_finds_the_row_it_looks_back_to(width, k, length, base):
    w_q, w_k = lookback_weights(k, width, base)
    table = sinusoidal(length, width, base)
    found = ((table @ w_q) @ (table @ w_k).T).argmax(axis=1)
    assert np.array_equal(found[k:], np.arange(length - k))


@steady
@given(even_widths, bases, shifts)
def test_one_step_is_enough_for_all(width, base, k):
    found = shift_from_one_step(shift_matrix(1, width, base), k)
    assert_allclose(found, shift_matrix(k, width, base), atol=1e-10)


def test_the_rank_counts_directions():
    assert numerical_rank([[1.0, 2], [2, 4], [3, 6]]) == 1
    assert numerical_rank(normal(0, 9, 4)) == 4


# Arguments


@pytest.mark.parametrize(
    "function",
    [wavelengths, pairs_that_turn, norm_range, distance_profile, shift_matrix, lookback_weights],
)
def test_the_base_may_be_left_out(function):
    assert signature(function).parameters["base"].default == 10000.0


def test_a_thousand_starts_are_tried():
    assert signature(first_saturated_start).parameters["limit"].default == 1000


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: position_spread(0, 0, 5), ValueError, "length .*at least 1, got 0"),
        (lambda: position_spread(0, 6, 0), ValueError, "width .*at least 1, got 0"),
        (lambda: first_saturated_start([1.0], 0.9), ValueError, "x must have 2 axes"),
        (lambda: first_saturated_start([[1.0]], 0), ValueError, "threshold .*above 0"),
        (lambda: first_saturated_start([[1.0]], 0.9, 0), ValueError, "limit .*at least 1"),
        (lambda: requirements_met([[1.0]], [[1.0]]), ValueError, "long must have more rows"),
        (lambda: requirements_met([1.0], [[1.0]]), ValueError, "short must have 2 axes"),
        (lambda: requirements_met(np.ones((0, 1)), [[1.0]]), ValueError, "long must .*1 and 0"),
        (lambda: nearest_lookalike([], 5), ValueError, "frequencies must hold at least one"),
        (lambda: nearest_lookalike([1.0], 1), ValueError, "length .*at least 2, got 1"),
        (lambda: nearest_lookalike(1.0, 9), ValueError, "frequencies must have 1 axis, got"),
        (lambda: phase([[1.0, 2, 3]]), ValueError, r"hands must be rows .*\(1, 3\)"),
        (lambda: phase(1.0), ValueError, "hands must have at least 1 axis"),
        (lambda: phase([[0.0, 0.0]]), ValueError, "hands must be longer than 0"),
        (lambda: wavelengths(0), ValueError, "width .*at least 1"),
        (lambda: pairs_that_turn(8, -1), ValueError, "length .*at least 0, got -1"),
        (lambda: base_for_longest(2, 100), ValueError, "width .*at least 4, got 2"),
        (lambda: base_for_longest(5, 100), ValueError, "width must be even.*got 5"),
        (lambda: base_for_longest(8, 6.28), ValueError, "longest .*above 6.28319, got 6.28"),
        (lambda: distinct_positions(65_500, 21, "float16"), ValueError, "positions .*65520"),
        (lambda: distinct_positions(10**400, 1, "float32"), ValueError, "positions .*float32"),
        (lambda: distinct_positions(0, 5, "int8"), ValueError, "dtype must be one of float16"),
        (lambda: distinct_positions(0, 0, "float16"), ValueError, "length .*at least 1, got 0"),
        (lambda: norms(1.0), ValueError, "table must have at least 1 axis"),
        (lambda: norm_range(8, 0), ValueError, "length .*at least 1, got 0"),
        (lambda: distance_profile(5, [1]), ValueError, "width must be even.*got 5"),
        (lambda: distance_profile(8, [-1]), ValueError, "distances .*at least 0, got -1"),
        (lambda: distance_profile(8, [0.5]), TypeError, "distances must hold whole numbers"),
        (lambda: rises_and_lowest([]), ValueError, "profile must hold at least one"),
        (lambda: rises_and_lowest([[1.0]]), ValueError, "profile must have 1 axis"),
        (lambda: gram([1.0]), ValueError, "table must have 2 axes"),
        (lambda: diagonal_spread(np.zeros((0, 4))), ValueError, "table must have at least one row"),
        (lambda: shift_matrix(1, 5), ValueError, "width must be even.*got 5"),
        (lambda: shift_matrix(0.5, 4), TypeError, "k must be a whole number, got 0.5"),
        (lambda: fit_shift(np.ones((4, 2)), 4), ValueError, "k .*from 0 to 3, got 4"),
        (lambda: fit_shift(np.ones((4, 2)), -1), ValueError, "k .*from 0 to 3, got -1"),
        (lambda: lookback_weights(1, 3), ValueError, "width must be even.*got 3"),
        (lambda: shift_from_one_step(np.ones((2, 3)), 1), ValueError, "one_step .*square"),
        (lambda: shift_from_one_step(np.zeros((2, 2)), -1), ValueError, "one_step .*inverse"),
        (lambda: numerical_rank([1.0]), ValueError, "table must have 2 axes"),
    ],
)
def test_a_bad_argument_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: norms(x),
        lambda x: phase(x[:, :2]),
        lambda x: gram(x),
        lambda x: fit_shift(x, 1)[0],
        lambda x: fit_shift(x, 0)[0],
        lambda x: shift_from_one_step(x, 1),
        lambda x: shift_from_one_step(x, 3),
    ],
)
def test_arguments_stay_as_they_are_and_results_are_new(call):
    x = normal(0, 4, 4)
    kept = x.copy()
    call(x)[...] = 7
    assert np.array_equal(x, kept)
