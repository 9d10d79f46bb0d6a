"""What lessons 7 to 10 say, held against the mathematics: the sentences that were wrong once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc import attention, encodings, geometry, lessons
from posenc.classroom import claiming
from posenc.judging import calls, judge
from posenc.lessons.lesson_07.challenge_3_distinct_positions import distinct_positions
from posenc.lessons.lesson_08.claims import roformer_bound
from posenc.lessons.lesson_09.claims import added_and_turned
from posenc.lessons.lesson_10.claims import read_both
from posenc.lessons.lesson_10.common import TABLE, TOKENS, term_changes

ALL = [c for number in (7, 8, 9, 10) for c in lessons.claims(number)]


# ------------------------------------------------------------------ panels


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: claim.id)
def test_a_claim_says_why_at_the_lower_end_of_every_setting(claim):
    for setting in claim.settings:
        assert claiming.measure(claim, **{setting.name: setting.low}).why.endswith(".")


@pytest.mark.parametrize(
    "id, doubt",
    [
        ("pairs-per-doubling", {"start": 40_000}),
        ("no-repeat-at-10000", {"width": 4, "distance": 71_000}),
        ("unit-time", {"factor": 10_000}),
        ("norm-64", {"width": 5}),
        ("diagonal-spread-64", {"width": 5}),
        ("profile-mean-cosine-64", {"width": 512}),
        ("roformer-bound", {"length": 8}),
        ("regression-sine-alone", {"shift": 63}),
        ("shift-residual-random", {"length": 60}),
        ("shift-rank-64", {"width": 8}),
        ("turned-or-added", {"size": 0.0}),
        ("mixed-terms", {"scale": 0.0}),
        ("scale-that-wins", {"token": 2}),
        ("read-both", {"width": 4}),
    ],
)
def test_a_claim_can_fail(id, doubt):
    claim = lessons.claim(id)
    assert claiming.measure(claim).holds
    assert not claiming.measure(claim, **doubt).holds


# ------------------------------------------------------------------ lesson 7


def test_width_8_has_a_period_that_no_whole_number_of_positions_meets():
    period = 2000 * np.pi
    start, later = encodings.sinusoidal_at([1.0, 1 + period], 8)
    assert np.abs(start - later).max() < 1e-9
    rows = encodings.sinusoidal_at(np.arange(1, 100_001), 8)
    distance = geometry.norms(rows[1:] - rows[0])
    nearest = 11 + int(distance[10:].argmin())
    assert nearest == round(11 * period)
    assert distance.min() > 0.03


def test_a_doubling_has_19_or_20_pairs_of_512():
    lengths = geometry.wavelengths(512)
    starts = np.geomspace(7, 30_000, 300)
    counts = {int(((lengths >= s) & (lengths < 2 * s)).sum()) for s in starts}
    assert counts == {19, 20}


@given(st.integers(0, 2**24 - 500), st.integers(1, 400))
@settings(max_examples=60, deadline=None)
def test_bfloat16_is_the_upper_half_of_single_precision(start, length):
    bits = np.arange(start, start + length).astype(np.float32).view(np.uint32)
    kept = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    assert distinct_positions(start, length, "bfloat16") == len(np.unique(kept))


def test_adding_in_the_small_type_fails_whatever_the_seed():
    challenge = lessons.challenge("7.3")
    wrong = next(m for m in challenge.misconceptions if m.id == "added-in-type")
    for seed in range(30):
        plan = judge.plan(challenge, seed)
        assert judge.judge(plan, calls.perform(plan.calls, wrong.does)).misconception == wrong.id


# ------------------------------------------------------------------ lesson 8


@pytest.mark.parametrize("width, rises, first", [(64, 233, 11), (128, 241, 18), (512, 204, 62)])
def test_the_bound_of_roformer_rises(width, rises, first):
    up = np.diff(roformer_bound(width, 512)) > 0
    assert (up.sum(), up.argmax()) == (rises, first)


def test_the_trend_of_the_profile_ends():
    means = [
        geometry.distance_profile(64, np.arange(start, start + 400)).mean()
        for start in (1, 1000, 5000, 16_000, 24_000)
    ]
    assert means[:4] == sorted(means[:4], reverse=True)
    assert means[4] > 2 > 0 > means[3]


@given(st.integers(1, 4), st.floats(2, 100))
@settings(max_examples=30, deadline=None)
def test_a_profile_rises_somewhere(pairs, base):
    profile = geometry.distance_profile(2 * pairs, np.arange(4096), base)
    assert (np.diff(profile) > 0).any()


# ------------------------------------------------------------------ lesson 9


def test_512_rows_use_40_directions_in_sixteen_digits_and_many_rows_use_all_64():
    assert abs(geometry.numerical_rank(encodings.sinusoidal(512, 64)) - 40) <= 1
    assert geometry.numerical_rank(encodings.sinusoidal(60_000, 64)) == 64


@given(
    st.integers(1, 16), st.integers(-200, 200), st.integers(-200, 200), st.integers(0, 2**32 - 1)
)
@settings(max_examples=60, deadline=None)
def test_turned_content_gives_a_score_of_the_distance_alone(pairs, p, j, seed):
    query, key = np.random.default_rng(seed).normal(size=(2, 2 * pairs))
    turn = geometry.shift_matrix
    score = (turn(p, 2 * pairs) @ query) @ (turn(j, 2 * pairs) @ key)
    assert score == pytest.approx(query @ turn(j - p, 2 * pairs) @ key, abs=1e-9)


def test_added_rows_do_not():
    added, turned = added_and_turned(64, 3, 5, 1.0)
    assert np.ptp(added) > 10
    assert np.ptp(turned) < 1e-9


def test_an_inverse_of_the_normal_equations_is_named():
    def by_inverse(encoding, k):
        before, after = encoding[:-k], encoding[k:]
        matrix = (np.linalg.inv(before.T @ before) @ before.T @ after).T
        return matrix, np.abs(after - before @ matrix.T).max()

    for seed in range(10):
        plan = judge.plan(lessons.challenge("9.2"), seed)
        found = judge.judge(plan, calls.perform(plan.calls, by_inverse))
        assert found.misconception == "normal-equations"


# ------------------------------------------------------------------ lesson 10


def test_the_mixed_terms_and_not_nearness_lift_the_neighbour():
    """Attention weights of t0 for t0, t1 and t3, with the terms put in one at a time."""
    x, p = TOKENS, TABLE
    content, mixed, positions = x @ x.T, x @ p.T + p @ x.T, p @ p.T
    lines = {
        (0.510, 0.030, 0.389): content,
        (0.715, 0.034, 0.202): content + positions,
        (0.458, 0.201, 0.285): content + mixed,
        (0.610, 0.213, 0.140): content + mixed + positions,
    }
    for weights, scores in lines.items():
        assert attention.softmax(scores / 2)[0, [0, 1, 3]] == pytest.approx(weights, abs=6e-4)


def test_other_neighbours_are_pushed_either_way():
    changes = [term_changes(token, token + 1)[1] for token in range(5)]
    assert min(changes) < -0.05 and max(changes) > 0.15


def test_both_parts_can_be_read_where_there_is_room():
    assert read_both(64, 20, 50).min() > 0.99
    assert read_both(4, 20, 50).max() < 0.9
    assert read_both(64, 64, 64).min() < 0.99
