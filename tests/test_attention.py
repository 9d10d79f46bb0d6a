"""Attention shares what it should, masks what it must, and minds the order when it can."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from posenc.attention import (
    SIX_TOKENS,
    accuracy_by_range,
    attention,
    attention_weights,
    causal_mask,
    equivariance_error,
    identity_attention,
    invariance_error,
    layer_norm,
    masked_attention_weights,
    order_sensitivity,
    position_from_share,
    score_terms,
    smallest_winning_scale,
    softmax,
    stack,
    symmetry,
    uniform_causal_shares,
)
from posenc.encodings import alibi_bias, sinusoidal

steady = settings(deadline=None, max_examples=60, derandomize=True)
sizes = st.integers(1, 8)
seeds = st.integers(0, 10_000)
ORDER = np.array([3, 0, 5, 1, 4, 2])


def uniform(seed, *shape):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def attend(x):
    return identity_attention(x)[0]


def test_the_six_tokens_cannot_be_changed_by_a_lesson():
    assert SIX_TOKENS.shape == (6, 4)
    with pytest.raises(ValueError, match="read-only"):
        SIX_TOKENS[0] = 0


# Softmax


@steady
@given(sizes, sizes, st.floats(-1e4, 1e4), st.sampled_from([0, 1, -1, -2]), seeds)
def test_shares_sum_to_one_and_do_not_mind_a_shift(rows, columns, shift, axis, seed):
    scores = 20 * uniform(seed, rows, columns)
    shares = softmax(scores, axis)
    assert_allclose(shares.sum(axis=axis), 1)
    assert (shares > 0).all()
    assert_allclose(softmax(scores + shift, axis), shares, atol=1e-10)


@steady
@given(st.integers(1, 4), seeds)
def test_any_number_of_axes(axes, seed):
    scores = uniform(seed, *range(2, 2 + axes))
    for axis in range(-axes, axes):
        powers = np.exp(scores)
        assert_allclose(softmax(scores, axis), powers / powers.sum(axis=axis, keepdims=True))


def test_large_scores_stay_finite_in_one_row_too():
    assert softmax([1e4, -1e4]).tolist() == [1, 0]
    assert softmax([[1e4, 1e4], [-1e4, -1e4]]).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert softmax([0.0, -np.inf]).tolist() == [1, 0]


def test_softmax_of_float32_is_float32():
    assert softmax(np.ones(3, dtype=np.float32)).dtype == np.float32


# Masks


@steady
@given(sizes, sizes, seeds)
def test_masked_rows_sum_to_one_or_are_all_zero(queries, keys, seed):
    rng = np.random.default_rng(seed)
    scores, mask = 20 * rng.normal(size=(queries, keys)), rng.random((queries, keys)) < 0.5
    weights = masked_attention_weights(scores, mask)
    assert_allclose(weights.sum(axis=1), mask.any(axis=1), atol=1e-12)
    assert not weights[~mask].any()
    for row, allowed, share in zip(scores, mask, weights, strict=True):
        if allowed.any():
            assert_allclose(share[allowed], softmax(row[allowed]))


@pytest.mark.parametrize("forbidden", [1e4, 1e308, np.inf, -np.inf, np.nan])
def test_a_forbidden_score_may_be_anything(forbidden):
    weights = masked_attention_weights([[0.0, 0.0, forbidden]], [[True, True, False]])
    assert weights.tolist() == [[0.5, 0.5, 0.0]]
    assert masked_attention_weights([[forbidden]], [[False]]).tolist() == [[0.0]]


@steady
@given(sizes, seeds)
def test_a_mask_that_allows_all_changes_nothing(n, seed):
    scores = uniform(seed, n, n)
    assert_allclose(masked_attention_weights(scores, np.ones((n, n), dtype=bool)), softmax(scores))


def test_causal_means_self_and_earlier():
    assert causal_mask(3).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert causal_mask(3).dtype == bool


@steady
@given(st.integers(1, 30))
def test_the_first_share_of_uniform_causal_attention_tells_the_position(n):
    weights = masked_attention_weights(np.zeros((n, n)), causal_mask(n))
    assert_allclose(weights[:, 0], uniform_causal_shares(n))
    assert position_from_share(weights[:, 0]).tolist() == list(range(n))


def test_shares_come_back_as_positions_in_any_order_and_type():
    where = np.array([2000, 0, 48, 48, 7, 1999])
    for kind in (np.float64, np.float32):
        found = position_from_share((1 / (where + 1)).astype(kind))
        assert found.tolist() == where.tolist() and found.dtype.kind == "i"
    assert position_from_share(uniform_causal_shares(2001)).tolist() == list(range(2001))


# Attention


@steady
@given(sizes, sizes, sizes, sizes, st.booleans(), seeds)
def test_attention_is_the_loop_that_the_paper_describes(n, d, d_k, d_v, causal, seed):
    x, w_q, w_k, w_v = (
        uniform(seed + i, *shape) for i, shape in enumerate([(n, d), (d, d_k), (d, d_k), (d, d_v)])
    )
    outputs = attention(x, w_q, w_k, w_v, causal_mask(n) if causal else None)
    assert outputs.shape == (n, d_v)
    for i in range(n):
        last = i + 1 if causal else n
        powers = [math.exp(x[i] @ w_q @ (x[j] @ w_k) / math.sqrt(d_k)) for j in range(last)]
        expected = sum(power / sum(powers) * (x[j] @ w_v) for j, power in enumerate(powers))
        assert_allclose(outputs[i], expected, atol=1e-12)


@steady
@given(sizes, sizes, sizes, seeds)
def test_attention_without_positions_moves_with_its_rows(n, d, d_v, seed):
    rng = np.random.default_rng(seed)
    x, w_q, w_k, w_v = (rng.normal(size=s) for s in [(n, d), (d, d), (d, d), (d, d_v)])
    error = equivariance_error(lambda x: attention(x, w_q, w_k, w_v), x, rng.permutation(n))
    assert error < 1e-12


def test_identity_projections_give_identity_attention():
    one = np.eye(4)
    outputs, weights = identity_attention(SIX_TOKENS, causal_mask(6))
    assert_allclose(attention(SIX_TOKENS, one, one, one, causal_mask(6)), outputs)
    assert_allclose(attention_weights(SIX_TOKENS, SIX_TOKENS, causal_mask(6)), weights)
    assert_allclose(weights @ SIX_TOKENS, outputs)


def test_the_scale_can_be_that_of_another_width():
    _, weights = identity_attention(SIX_TOKENS, scale_width=9)
    assert_allclose(weights, softmax(SIX_TOKENS @ SIX_TOKENS.T / 3))


def test_heads_keep_apart_and_share_a_mask():
    queries, keys, mask = uniform(0, 3, 5, 4), uniform(1, 3, 5, 4), causal_mask(5)
    weights = attention_weights(queries, keys, mask, alibi_bias(3, 5))
    for head in range(3):
        scores = queries[head] @ keys[head].T / 2 + alibi_bias(3, 5)[head]
        assert_allclose(weights[head], masked_attention_weights(scores, mask))


def test_float32_stays_float32():
    x = uniform(0, 3, 4).astype(np.float32)
    one = np.eye(4, dtype=np.float32)
    for mask in (None, causal_mask(3)):
        assert attention(x, one, one, one, mask).dtype == np.float32
    assert attention_weights(x, x, causal_mask(3), alibi_bias(1, 3)).dtype == np.float32


def test_keys_may_be_fewer_than_queries():
    assert attention_weights(uniform(0, 5, 3), uniform(1, 2, 3)).shape == (5, 2)


# Layers


@steady
@given(st.integers(2, 20), st.floats(-1e3, 1e3), st.floats(0.01, 1e3), seeds)
def test_normalised_rows_have_mean_zero_and_spread_one(width, shift, scale, seed):
    row = uniform(seed, 2, width)
    assume(row.std(axis=1).min() > 0.01)
    rows = layer_norm(shift + scale * row)
    assert_allclose(rows.mean(axis=1), 0, atol=1e-6)
    assert_allclose(rows.std(axis=1), 1, atol=1e-6)


def test_equal_entries_are_normalised_to_zero():
    assert layer_norm([[0.1, 0.1, 0.1], [0, 0, 0]]).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_a_stack_minds_the_order_only_where_it_is_causal():
    x = SIX_TOKENS
    assert equivariance_error(stack(4), x, ORDER) < 1e-10
    assert equivariance_error(stack(4, causal=True), x, ORDER) > 0.1
    assert stack(4, layers=2, seed=1)(x).shape == (6, 4)
    assert np.array_equal(stack(4, seed=1)(x), stack(4, seed=1)(x))
    assert not np.array_equal(stack(4, seed=1)(x), stack(4, seed=2)(x))


def test_a_causal_stack_reads_nothing_later():
    layer, changed = stack(4, causal=True), SIX_TOKENS.copy()
    changed[4:] += 1
    assert_allclose(layer(changed)[:4], layer(SIX_TOKENS)[:4])
    assert np.abs(layer(changed)[4:] - layer(SIX_TOKENS)[4:]).max() > 0.1


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (attend, "equivariant"),
        (stack(4), "equivariant"),
        (lambda x: x, "equivariant"),
        (lambda x: x.mean(axis=0), "invariant"),
        (lambda x: x.mean(axis=0, keepdims=True), "invariant"),
        (lambda x: x.sum(), "invariant"),
        (lambda x: np.ones_like(x), "invariant"),
        (lambda x: attend(x + sinusoidal(6, 4)), "neither"),
        (lambda x: identity_attention(x, causal_mask(6))[0], "neither"),
        (lambda x: uniform(0, 6, 6) @ x, "neither"),
        (lambda x: uniform(0, 3, 6) @ x, "neither"),
        (lambda x: uniform(0, 9, 6) @ x, "neither"),
        (lambda x: x[0, 0], "neither"),
        (lambda x: x[: int(abs(x[0, 0]) * 2)], "neither"),
        (lambda x: x * np.nan, "neither"),
    ],
)
def test_symmetry_by_its_name(layer, expected):
    assert symmetry(layer, SIX_TOKENS, ORDER) == expected


def test_the_tolerance_is_absolute():
    def slightly_off(x):
        return x + 1e-6 * np.arange(6)[:, None]

    assert symmetry(slightly_off, 1e6 * SIX_TOKENS, ORDER) == "neither"
    assert symmetry(slightly_off, SIX_TOKENS, ORDER, tolerance=1e-5) == "equivariant"


def test_the_inverse_order_is_another_one():
    """equivariance_error must compare with x[order], not with the rows sent back."""
    moved = attend(SIX_TOKENS)[np.argsort(ORDER)]
    assert np.abs(attend(SIX_TOKENS[ORDER]) - moved).max() > 0.1
    assert invariance_error(attend, SIX_TOKENS, ORDER) > 0.1


# The cost of adding


@steady
@given(st.integers(1, 6), st.integers(1, 6), seeds)
def test_four_terms_add_up_to_the_score(n, width, seed):
    x, encoding = uniform(seed, 2, n, width)
    for i in range(n):
        for j in range(n):
            terms = score_terms(x, encoding, i, j)
            assert sum(terms) == pytest.approx((x + encoding)[i] @ (x + encoding)[j], abs=1e-12)


def test_the_terms_stand_in_the_order_they_are_named():
    x, encoding = [[1.0, 0], [2, 0]], [[10.0, 5], [100, 7]]
    assert score_terms(x, encoding, 0, 1) == (2, 100, 20, 1035)


def test_the_first_scale_wins_against_every_other_row():
    encoding, grid = sinusoidal(6, 4), np.arange(81) * 0.05
    assert smallest_winning_scale(SIX_TOKENS, encoding, 0, 3, grid) == pytest.approx(1.15)
    assert smallest_winning_scale(SIX_TOKENS, encoding, 0, 3, grid[:23]) is None
    assert smallest_winning_scale(SIX_TOKENS, encoding, 0, 3, []) is None


def test_a_tie_is_no_win_and_the_token_itself_no_rival():
    x = np.array([[3.0, 0], [1, 0], [1, 0]])
    assert smallest_winning_scale(x, np.zeros((3, 2)), 0, 1, [1, 2]) is None
    x[1, 0] = 1.5
    assert smallest_winning_scale(x, np.zeros((3, 2)), 0, 1, [0, 1, 2]) == 1.0


@steady
@given(st.integers(2, 6), seeds)
def test_order_costs_nothing_if_the_seats_travel(n, seed):
    rng = np.random.default_rng(seed)
    x, order = rng.normal(size=(n, 4)), rng.permutation(n)
    assert order_sensitivity(attend, x, sinusoidal(n, 4), order, True) < 1e-12
    moved = attend(x[order] + sinusoidal(n, 4)) - attend(x + sinusoidal(n, 4))[order]
    assert order_sensitivity(attend, x, sinusoidal(n, 4), order, False) == np.abs(moved).max()


# Accuracy


def test_each_range_counts_its_own_positions():
    predicted, target = np.zeros((2, 6), dtype=int), np.zeros((2, 6), dtype=int)
    target[:, 2] = 1
    target[0, 5] = 1
    assert accuracy_by_range(predicted, target, [0, 2, 4, 6]).tolist() == [1, 0.5, 0.75]
    assert accuracy_by_range(predicted, target, [2, 3]).tolist() == [0]
    assert accuracy_by_range(predicted, target, [5, 100]).tolist() == [0.5]
    assert accuracy_by_range([1, 2], [1, 3], [0, 1, 2]).tolist() == [1, 0]


# Arguments


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: softmax(1.0), ValueError, "scores must have at least 1 axis"),
        (lambda: softmax([1.0], axis=1), ValueError, "axis .*from -1 to 0, got 1"),
        (lambda: softmax(np.zeros((2, 0))), ValueError, "scores must not be empty along axis -1"),
        (lambda: softmax([np.nan, 0]), ValueError, "scores must have a finite largest"),
        (lambda: softmax([np.inf, 0]), ValueError, "scores must have a finite largest"),
        (lambda: softmax([-np.inf]), ValueError, "scores must have a finite largest"),
        (lambda: softmax(["a"]), TypeError, "scores must hold real numbers"),
        (lambda: masked_attention_weights([[1.0]], [[1]]), TypeError, "mask must hold bools.*int"),
        (
            lambda: masked_attention_weights([[1.0, 2.0]], causal_mask(3)),
            ValueError,
            r"mask must fit the scores' shape \(1, 2\), got \(3, 3\)",
        ),
        (
            lambda: masked_attention_weights([[np.nan]], [[True]]),
            ValueError,
            "scores must be finite where the mask allows",
        ),
        (
            lambda: attention_weights([[1.0]], [[1.0, 2.0]]),
            ValueError,
            "queries and keys must have one width.*1 and 2",
        ),
        (
            lambda: attention_weights(np.ones((2, 3, 4)), np.ones((3, 3, 4))),
            ValueError,
            r"keys must have front axes that fit \(2,\), got \(3,\)",
        ),
        (
            lambda: attention_weights(np.ones((3, 4)), np.ones((3, 4)), bias=np.ones(3)),
            ValueError,
            r"bias must be .*3, 3\), got shape \(3,\)",
        ),
        (
            lambda: attention_weights(np.ones((2, 3, 4)), np.ones((3, 4)), bias=np.ones((3, 3, 3))),
            ValueError,
            r"bias must have front axes that fit \(2,\), got \(3,\)",
        ),
        (
            lambda: attention(np.ones((2, 3)), np.eye(2), np.eye(3), np.eye(3)),
            ValueError,
            "w_q must have 3 rows",
        ),
        (
            lambda: attention(np.ones((2, 3)), np.eye(3), np.ones((3, 1)), np.eye(3)),
            ValueError,
            "w_k must have the shape of w_q",
        ),
        (lambda: identity_attention([1.0]), ValueError, "x must have 2 axes"),
        (lambda: identity_attention([[1.0]], scale_width=0), ValueError, "scale_width .*above 0"),
        (lambda: causal_mask(0), ValueError, "n must be a whole number of at least 1, got 0"),
        (lambda: uniform_causal_shares(1.5), TypeError, "n must be a whole number, got 1.5"),
        (lambda: position_from_share([0.0]), ValueError, "shares must lie above 0"),
        (lambda: position_from_share([1.5]), ValueError, "shares must lie above 0"),
        (lambda: stack(1), ValueError, "width .*at least 2, got 1"),
        (lambda: stack(4, layers=0), ValueError, "layers .*at least 1, got 0"),
        (lambda: stack(4, causal=1), TypeError, "causal must be True or False, got 1"),
        (lambda: stack(4)([1.0]), ValueError, "x must have 2 axes"),
        (lambda: equivariance_error(attend, SIX_TOKENS, [0, 1]), ValueError, "order .*0 to 5 once"),
        (lambda: equivariance_error(attend, SIX_TOKENS, 0.5), TypeError, "order must hold whole"),
        (
            lambda: equivariance_error(lambda x: x.mean(axis=0), SIX_TOKENS, ORDER),
            ValueError,
            "layer must return one row for each of 6 rows",
        ),
        (
            lambda: invariance_error(lambda x: x[: 1 + (x[0, 0] > 1.5)], SIX_TOKENS, ORDER),
            ValueError,
            "layer must return one shape",
        ),
        (lambda: symmetry(attend, SIX_TOKENS, ORDER, 0), ValueError, "tolerance .*above 0"),
        (lambda: symmetry(str, SIX_TOKENS, ORDER), TypeError, "the output of layer must hold"),
        (lambda: score_terms([[1.0]], [[1.0, 2.0]], 0, 0), ValueError, "encoding .*shape of x"),
        (lambda: score_terms([[1.0]], [[1.0]], 0, 1), ValueError, "j .*from 0 to 0, got 1"),
        (lambda: score_terms([[1.0]], [[1.0]], -1, 0), ValueError, "i .*from 0 to 0, got -1"),
        (
            lambda: smallest_winning_scale(np.eye(2), np.eye(2), 0, 1, [1]),
            ValueError,
            "at least three rows, got 0 and 1 of 2",
        ),
        (
            lambda: smallest_winning_scale(np.eye(3), np.eye(3), 1, 1, [1]),
            ValueError,
            "token and partner",
        ),
        (
            lambda: smallest_winning_scale(np.eye(3), np.eye(3), 0, 1, [2, 1]),
            ValueError,
            "grid must ascend",
        ),
        (
            lambda: order_sensitivity(attend, SIX_TOKENS, sinusoidal(6, 4), ORDER, 1),
            TypeError,
            "seats_travel must be True or False",
        ),
        (lambda: accuracy_by_range([1], [1, 2], [0, 1]), ValueError, "predicted .*shape of target"),
        (lambda: accuracy_by_range([1], [1], [0]), ValueError, "edges must ascend"),
        (lambda: accuracy_by_range([1, 2], [1, 2], [0, 1, 1]), ValueError, "edges must ascend"),
        (lambda: accuracy_by_range([1, 2], [1, 2], [0, 2, 3]), ValueError, "no range of 2"),
        (lambda: accuracy_by_range([1, 2], [1, 2], [-1, 2]), ValueError, "edges .*at least 0"),
    ],
)
def test_a_bad_argument_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: softmax(x),
        lambda x: masked_attention_weights(x, causal_mask(4)),
        lambda x: attention_weights(x, x, causal_mask(4), x),
        lambda x: attention(x, x, x, x),
        lambda x: identity_attention(x)[0],
        lambda x: layer_norm(x),
        lambda x: stack(4)(x),
    ],
)
def test_arguments_stay_as_they_are_and_results_are_new(call):
    x = uniform(0, 4, 4)
    kept = x.copy()
    call(x)[...] = 7
    assert np.array_equal(x, kept)
