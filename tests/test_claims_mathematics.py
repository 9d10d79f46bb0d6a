"""Every figure that the lessons rest on comes out of the mathematics, within its tolerance.

The figures were measured before this package was written, most of them by another hand. This is
a copy of them as code; the lessons keep their own, which they show to the reader.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from posenc.attention import (
    SIX_TOKENS,
    attention_weights,
    causal_mask,
    equivariance_error,
    identity_attention,
    invariance_error,
    layer_norm,
    order_sensitivity,
    smallest_winning_scale,
    stack,
)
from posenc.bags import orders_with_this_bag
from posenc.encodings import (
    PositionalEncoding,
    append_integer,
    frequencies,
    position_ids,
    sinusoidal,
    sinusoidal_at,
)
from posenc.geometry import (
    diagonal_spread,
    distance_profile,
    fit_shift,
    gram,
    norm_range,
    norms,
    numerical_rank,
    position_spread,
    rises_and_lowest,
    wavelengths,
)

ORDER = np.array([3, 0, 5, 1, 4, 2])  # not its own inverse
RED, BLUE = [1, 0, 0, 0], [0, 1, 0, 0]
COLOURS = np.array([RED, BLUE, RED])
TOKEN = np.array([1, 0, 1, 0])
RANDOM_TABLE = np.random.default_rng(0).standard_normal((512, 64)) / 8
PROFILE = distance_profile(64, np.arange(512))


class Figure(NamedTuple):
    """What was measured before, how far off it may be now, and how it is measured now."""

    value: Any
    tolerance: float
    measure: Callable[[], Any]


def six_token_layer(x):
    return identity_attention(x)[0]


def colour_shares(positions: bool, mask: bool):
    tokens = COLOURS + sinusoidal(3, 4) if positions else COLOURS
    _, weights = identity_attention(tokens, causal_mask(3) if mask else None)
    return weights[[0, 2]]


def largest_share(start: int):
    return identity_attention(append_integer(SIX_TOKENS, start))[1].max(axis=1).mean()


def content_spread():
    return np.ptp(SIX_TOKENS @ SIX_TOKENS.T) / np.sqrt(5)


def normalised_content_spread():
    features = np.random.default_rng(0).standard_normal(64)
    return [layer_norm(np.append(features, p))[:64].std() for p in (7, 100, 100_000)]


def gradient_passes():
    layer = PositionalEncoding(4, 8)
    before = layer.table.copy()
    gradient = np.random.default_rng(0).standard_normal((2, 3, 4))
    layer.forward(np.ones((2, 3, 4)))
    passed = np.array_equal(layer.backward(gradient), gradient)
    return passed and not layer.parameters() and np.array_equal(layer.table, before)


def norm_variation():
    smallest, largest = norm_range(64, 512)
    return largest - smallest


def formula_difference():
    return np.abs(gram(sinusoidal(512, 64))[0] - PROFILE).max()


def shift_residuals(table):
    return [fit_shift(table, k)[1] for k in (1, 2, 5, 17, 50)]


def relative_error_of_the_whole_table():
    matrix, _ = fit_shift(RANDOM_TABLE, 1)
    missed = RANDOM_TABLE[1:] - RANDOM_TABLE[:-1] @ matrix.T
    return np.linalg.norm(missed) / np.linalg.norm(RANDOM_TABLE[1:])


def cost_of_new_seats(seats_travel: bool):
    return order_sensitivity(six_token_layer, SIX_TOKENS, sinusoidal(6, 4), ORDER, seats_travel)


def concatenated_shares():
    return identity_attention(np.hstack([SIX_TOKENS, sinusoidal(6, 4)]))[1][0]


def untouched_rows():
    trained = position_ids(np.ones((16, 128)))
    return 512 - len(np.unique(trained))


FIGURES = {
    # Lesson 1
    "one-word-two-positions": Figure(
        [[2, 2], [3, 1]], 0, lambda: np.array([2, 1]) + np.array([[0, 1], [1, 0]])
    ),
    "same-bag-orders": Figure(
        60, 0, lambda: orders_with_this_bag(["the", "dog", "chased", "the", "cat"])
    ),
    # Lesson 2
    "equivariant-without-position": Figure(
        0, 1e-12, lambda: equivariance_error(six_token_layer, SIX_TOKENS, ORDER)
    ),
    "six-layer-equivariance": Figure(
        0, 1e-10, lambda: equivariance_error(stack(4, layers=6), SIX_TOKENS, ORDER)
    ),
    # Lesson 3
    "red-blue-red-off-off": Figure(
        [[0.3837, 0.2327, 0.3837]] * 2, 5e-5, lambda: colour_shares(False, False)
    ),
    "red-blue-red-on-off": Figure(
        [[0.3349, 0.4053, 0.2599], [0.2013, 0.1547, 0.6440]],
        5e-5,
        lambda: colour_shares(True, False),
    ),
    "red-blue-red-off-on": Figure(
        [[1, 0, 0], [0.3837, 0.2327, 0.3837]], 5e-5, lambda: colour_shares(False, True)
    ),
    "red-blue-red-on-on": Figure(
        [[1, 0, 0], [0.2013, 0.1547, 0.6440]], 5e-5, lambda: colour_shares(True, True)
    ),
    # Lesson 4
    "naive-spread-start": Figure(11.18, 0.005, lambda: position_spread(0, 6, 5)),
    "naive-spread-late": Figure(458.39, 0.005, lambda: position_spread(100, 6, 5)),
    "naive-content-spread": Figure(3.30, 0.005, content_spread),
    "naive-max-probability-start": Figure(0.626, 0.0006, lambda: largest_share(0)),
    "naive-max-probability-late": Figure(1.0, 0.0005, lambda: largest_share(100)),
    "naive-layer-norm": Figure([0.73321, 0.07395, 0.00007], 5e-5, normalised_content_spread),
    # Lesson 5
    "fast-pair-at-six": Figure([-0.2794, 0.9602], 5e-5, lambda: sinusoidal_at(6, 4)[:2]),
    "slow-pair-at-six": Figure([0.0600, 0.9982], 5e-5, lambda: sinusoidal_at(6, 4)[2:]),
    "base-two": Figure([0.6496, 0.7602], 5e-5, lambda: sinusoidal_at(1, 4, base=2)[2:]),
    "second-pair-turn-4": Figure(628.3185, 5e-5, lambda: wavelengths(4)[1]),
    # Lesson 6
    "worked-example-d4": Figure(
        [[0, 1, 0, 1], [0.8415, 0.5403, 0.01, 0.99995], [0.9093, -0.4161, 0.02, 0.9998]],
        5e-5,
        lambda: sinusoidal(3, 4),
    ),
    "same-token-three-seats": Figure(
        [[1, 1, 1, 1], [1.8415, 0.5403, 1.01, 0.99995], [1.9093, -0.4161, 1.02, 0.9998]],
        5e-5,
        lambda: TOKEN + sinusoidal(3, 4),
    ),
    "gradient-passes": Figure(True, 0, gradient_passes),
    "odd-width": Figure(
        [0.841471, 0.540302, 0.025116, 0.999685, 0.000631], 1e-6, lambda: sinusoidal(2, 5)[1]
    ),
    "worked-example-text": Figure([0.84, 0.54, 0.01, 1.0], 0.005, lambda: sinusoidal(2, 4)[1]),
    "same-token-difference": Figure(
        [0.0678, -0.9564, 0.01, -0.0001], 5e-5, lambda: np.diff(TOKEN + sinusoidal(3, 4), axis=0)[1]
    ),
    # Lesson 7
    "pairs-512": Figure(256, 0, lambda: len(frequencies(512))),
    "shortest-wavelength": Figure(6.2832, 5e-5, lambda: wavelengths(512)[0]),
    "largest-denominator-512": Figure(9646.6, 0.05, lambda: 1 / frequencies(512)[-1]),
    "longest-wavelength-512": Figure(60611.5, 0.05, lambda: wavelengths(512)[-1]),
    "never-reached-512": Figure(
        62831.9, 0.05, lambda: wavelengths(512)[-1] * wavelengths(512)[1] / wavelengths(512)[0]
    ),
    "ladder-ratio-512": Figure(
        [1.03663] * 255, 5e-6, lambda: wavelengths(512)[1:] / wavelengths(512)[:-1]
    ),
    # Lesson 8
    "norm-64": Figure([5.6569] * 512, 5e-5, lambda: norms(sinusoidal(512, 64))),
    "norm-variation-64": Figure(0, 1e-14, norm_variation),
    "diagonal-spread-64": Figure(0, 1e-12, lambda: diagonal_spread(sinusoidal(512, 64))),
    "direct-formula-difference-64": Figure(0, 1e-13, formula_difference),
    "profile-start-64": Figure(
        [32.0, 30.92, 28.30, 25.59, 23.93, 23.50, 23.56], 0.005, lambda: PROFILE[:7]
    ),
    "profile-rises-64": Figure(244, 0, lambda: rises_and_lowest(PROFILE)[0]),
    "profile-minimum-64": Figure([2.56, 406], 0.005, lambda: rises_and_lowest(PROFILE)[:0:-1]),
    "profile-end-64": Figure(6.42, 0.005, lambda: PROFILE[511]),
    "profile-mean-cosine-64": Figure(
        [0.1854, 0.2629], 5e-5, lambda: distance_profile(64, [512, 1024]) / 32
    ),
    "first-rise-512": Figure(
        43, 0, lambda: np.flatnonzero(np.diff(distance_profile(512, np.arange(512))) > 0)[0]
    ),
    "odd-width-norm": Figure([1.4142, 1.4493], 5e-5, lambda: norm_range(5, 512)),
    # Lesson 9
    "shift-residual-sinusoid": Figure([0] * 5, 1e-12, lambda: shift_residuals(sinusoidal(512, 64))),
    "shift-residual-random": Figure(
        [0.504, 0.489, 0.548, 0.501, 0.549], 0.0005, lambda: shift_residuals(RANDOM_TABLE)
    ),
    "shift-relative-random": Figure(
        0.898, 0.0005, lambda: fit_shift(RANDOM_TABLE, 1)[1] / np.abs(RANDOM_TABLE).max()
    ),
    "shift-rank-64": Figure(40, 1, lambda: numerical_rank(sinusoidal(512, 64)[:-3])),
    "shift-relative-random-whole": Figure(0.9348, 0.0005, relative_error_of_the_whole_table),
    # Lesson 10
    "broken-with-position": Figure(True, 0, lambda: cost_of_new_seats(seats_travel=False) > 0.1),
    "equivariant-when-seats-travel": Figure(0, 1e-12, lambda: cost_of_new_seats(seats_travel=True)),
    "shares-without-position": Figure(
        [0.510, 0.030, 0.015, 0.389, 0.039, 0.016],
        0.0006,
        lambda: attention_weights(SIX_TOKENS, SIX_TOKENS)[0],
    ),
    "shares-with-position": Figure(
        [0.610, 0.213, 0.020, 0.140, 0.012, 0.004],
        0.0006,
        lambda: identity_attention(SIX_TOKENS + sinusoidal(6, 4))[1][0],
    ),
    "scale-that-wins": Figure(
        1.15,
        1e-9,
        lambda: smallest_winning_scale(SIX_TOKENS, sinusoidal(6, 4), 0, 3, np.arange(81) * 0.05),
    ),
    "concatenated-shares": Figure(
        [0.578, 0.067, 0.029, 0.236, 0.052, 0.038], 0.0006, concatenated_shares
    ),
    # Lesson 11
    "untrained-rows": Figure(384, 0, untouched_rows),
    # Lesson 12
    "norm-at-4000": Figure(5.6569, 5e-5, lambda: norms(sinusoidal_at(4000, 64))),
    "dot-at-4000": Figure(
        30.917, 0.0005, lambda: sinusoidal_at(4000, 64) @ sinusoidal_at(4001, 64)
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_figure_comes_out(name):
    figure = FIGURES[name]
    measured, value = np.asarray(figure.measure()), np.asarray(figure.value)
    assert measured.shape == value.shape
    difference = np.abs(measured.astype(float) - value.astype(float)).max()
    assert difference <= figure.tolerance, f"{measured} measured, {value} was said"


def test_mean_pooling_is_invariant_where_attention_moves():
    def pooled(x):
        return six_token_layer(x).mean(axis=0)

    assert invariance_error(pooled, SIX_TOKENS, ORDER) < 1e-12
    assert invariance_error(six_token_layer, SIX_TOKENS, ORDER) > 0.1


def test_the_scale_two_of_the_paper_lets_content_win_though_the_share_falls():
    """At √4 = 2 the partner's score is the best but for its own, and its share is below 0.140."""
    doubled = 2 * SIX_TOKENS + sinusoidal(6, 4)
    shares = identity_attention(doubled)[1][0]
    assert shares[3] > np.delete(shares, [0, 3]).max()
    assert shares[3] < 0.140
    assert shares[0] == pytest.approx(0.923, abs=0.0006)
