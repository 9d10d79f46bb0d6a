"""What lessons 1 to 3 promise: cases that catch what they should, questions that do not tell."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from posenc import lessons
from posenc.authoring import sources
from posenc.judging import calls, judge, layers
from posenc.lessons.lesson_02 import challenge_4_symmetry

ROOT = Path(__file__).resolve().parent.parent
SEEDS = range(8)
ORDERS = lessons.challenge("1.3")
SYMMETRY = lessons.challenge("2.4")


def all_cases(challenge):
    return [case for seed in SEEDS for case in judge.plan(challenge, seed).cases]


# ── 1.3: listing all orders ─────────────────────────────────────────────────────────────────────


def listed(tokens):
    return len(set(itertools.permutations(tokens)))


def counted_one_by_one(tokens):
    """Different sentences only, yet each of them visited."""
    if not tokens:
        return 1
    return sum(counted_one_by_one(_without(tokens, word)) for word in sorted(set(tokens)))


def _without(tokens, word):
    place = tokens.index(word)
    return tokens[:place] + tokens[place + 1 :]


@pytest.mark.parametrize(
    "brute_force", [pytest.param(listed, marks=pytest.mark.slow), counted_one_by_one]
)
def test_brute_force_is_right_on_short_texts_and_timed_out_on_long_ones(brute_force):
    assert brute_force(["the", "dog", "chased", "the", "cat"]) == 60
    plan = judge.plan(ORDERS, 0)
    work = calls.perform(plan.calls, brute_force, seconds=ORDERS.seconds)
    verdict = judge.judge(plan, work)
    assert verdict.outcome == judge.TIMED_OUT and verdict.points == 0, verdict
    assert 5 <= verdict.right < len(plan.calls)


def test_texts_have_up_to_twelve_tokens_and_some_have_ten_to_twelve_different_ones():
    different = [len(set(case.args[0])) for case in all_cases(ORDERS)]
    assert max(len(case.args[0]) for case in all_cases(ORDERS)) == 12
    assert {10, 11, 12} <= set(different)


# ── 2.3 and 2.4: layers, orders and tolerances ──────────────────────────────────────────────────


def test_no_order_of_2_4_is_its_own_inverse_and_length_is_not_width():
    for case in all_cases(SYMMETRY):
        _, x, order = case.args
        assert sorted(order) == list(range(len(x)))
        assert not np.array_equal(order[order], np.arange(len(x)))
        assert x.shape[0] != x.shape[1]


def test_every_difference_is_a_factor_of_ten_away_from_its_tolerance():
    for case in all_cases(SYMMETRY):
        tolerance = case.kwargs.get("tolerance", 1e-8)
        for found in challenge_4_symmetry.differences(case):
            assert not tolerance / 10 <= found <= tolerance * 10, case


def test_all_three_answers_are_asked_for_with_and_without_a_tolerance():
    answers = {True: set(), False: set()}
    for case in SYMMETRY.cases:
        layer, x, order = case.args
        answer = SYMMETRY.reference(layer.build(), x, order, **case.kwargs)
        answers["tolerance" in case.kwargs].add(answer)
    assert answers[True] == answers[False] == {"invariant", "equivariant", "neither"}


def test_outputs_of_every_kind_of_shape_come_up():
    shapes = set()
    for case in SYMMETRY.cases:
        layer, x, _ = case.args
        out = layer.build()(x)
        rows = "none" if out.ndim == 0 else np.sign(len(out) - len(x))
        shapes.add((out.ndim, rows if out.ndim != 1 else int(rows)))
    assert shapes == {(0, "none"), (1, -1), (1, 1), (2, 0), (2, 1)}


@pytest.mark.parametrize("name", layers.LAYERS)
def test_a_layer_is_the_same_each_time_it_is_built_and_leaves_its_input_alone(name):
    x = np.random.default_rng(1).uniform(-1, 1, (5, 3))
    kept = x.copy()
    one, other = (layers.build(name, 9, 3, 5)(x) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(x, kept)
    assert np.isfinite(one).all()
    weightless = ("the first token", "a row behind")
    assert not np.array_equal(one, layers.build(name, 10, 3, 5)(x)) or name in weightless


def test_large_scores_of_2_2_leave_no_doubt_for_single_precision():
    for case in lessons.challenge("2.2").cases:
        if case.about == "scores above 1,000":
            x, w_q, w_k, _ = case.args
            scores = np.sort(x @ w_q @ (x @ w_k).T / w_k.shape[1] ** 0.5, axis=1)
            assert np.abs(scores).max() > 1000
            assert (scores[:, -1] - scores[:, -2]).min() > 50
            return
    pytest.fail("no such case")


# ── what wrong answers used to pass by ──────────────────────────────────────────────────────────


def test_scores_of_2_1_are_exact_in_single_precision_at_any_seed():
    challenge = lessons.challenge("2.1")
    for seed in range(40):
        for case in judge.plan(challenge, seed).cases:
            np.testing.assert_array_equal(case.args[0], case.args[0].astype(np.float32))


def test_2_4_has_an_equivariant_layer_whose_output_is_wider_than_its_input():
    answers = set()
    for case in SYMMETRY.cases:
        layer, x, order = case.args
        out = layer.build()(x)
        if out.ndim == 2 and len(out) == len(x) and out.shape[1] > x.shape[1]:
            answers.add(SYMMETRY.reference(layer.build(), x, order, **case.kwargs))
    assert "equivariant" in answers


def test_2_4_has_differences_that_exceed_the_tolerance_together_and_not_alone():
    found = []
    for case in SYMMETRY.cases:
        layer, x, order = case.args
        before, after = layer.build()(x), layer.build()(x[order])
        if before.ndim == 2 and before.shape == after.shape and len(before) == len(x):
            gap, tolerance = np.abs(after - before[order]), case.kwargs.get("tolerance", 1e-8)
            found.append(gap.max() < tolerance < np.linalg.norm(gap))
    assert any(found)


def test_2_3_has_a_layer_that_one_order_does_not_catch():
    for case in lessons.challenge("2.3").cases:
        layer, x = case.args
        one, backwards = layer.build(), np.arange(len(x))[::-1]
        reversed_well = np.abs(one(x[backwards]) - one(x)[backwards]).max() < 1e-12
        if reversed_well and lessons.challenge("2.3").reference(one, x) > 0.01:
            return
    raise AssertionError("reversing the rows catches every layer")


# ── questions and claims of lessons 1 to 3 ──────────────────────────────────────────────────────

ASKED = [question for number in (1, 2, 3) for question in lessons.questions(number)]


def right_place(question):
    return [option.right for option in question.options].index(True)


def test_the_right_answers_are_spread_over_all_places():
    places = [right_place(question) for question in ASKED]
    assert all(places.count(place) in (3, 4) for place in range(4)), places


def test_the_right_answer_cannot_be_told_by_its_length():
    longest = [
        max(question.options, key=lambda option: len(option.text)).right for question in ASKED
    ]
    assert 1 <= sum(longest) <= 5


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_section_shows_one_claim_at_most_and_a_lesson_four(number):
    path = ROOT / "solutions" / f"{lessons.lesson(number).stem}.py"
    shown = [
        section
        for section, cell in sources.by_section(sources.read(path))
        if cell.kind == "code" and cell.text.startswith("claim(")
    ]
    assert len(shown) == len(set(shown)) <= 4


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_claim_that_fails_at_some_setting_says_no_figure_in_its_sentence(number):
    for claim in lessons.claims(number):
        if claim.settings and claim.holds is not None:
            stated = {f"{value:g}" for value in np.ravel(claim.value).astype(float)}
            assert not stated & set(claim.says.split()), claim.says
