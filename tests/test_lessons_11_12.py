"""Lessons 11 and 12: what their claims say, where they stop holding, how 12.1 names a pairing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from variants import lesson_12 as variants_12

from posenc import encodings, lessons
from posenc.classroom import bar, claiming, waiting
from posenc.judging import calls, judge
from posenc.judging.model import Fault

CLAIMS = [c for number in (11, 12) for c in lessons.claims(number)]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_each_claim_holds_as_stated(claim):
    measured = claiming.measure(claim)
    assert measured.holds, measured.text()


# claim, settings, whether it holds there, words of the reason
DOUBTS = [
    ("untrained-rows", {"capacity": 100, "trained_length": 20}, True, "Rows 20 to 99"),
    ("untrained-rows", {"capacity": 128}, False, "each of its rows was used"),
    ("shift-copy", {"shift": 16}, True, "16 of the 16 tokens have a trained row"),
    ("shift-copy", {"shift": 24}, False, "8 of the 16 tokens have a trained row"),
    ("no-shift-matrix", {"shift": 5}, True, "for sinusoids it leaves 0%"),
    ("no-shift-matrix", {"shift": 0}, False, "the identity"),
    ("rotary-distance-only", {"shift": 4000, "digits": 11}, False, "are stored as 4008 and 4004"),
    ("rotary-distance-only", {"shift": 60_000}, True, "turn by the same angle"),
    ("steep-alibi", {"halvings": 6}, False, "outweigh the latest"),
    ("cached-keys", {"distance": 100}, True, "with both vectors turned by the new ladder"),
    ("cached-keys", {"length": 2048}, False, "the base has not moved yet"),
    ("learning-rate", {"rate": 0.005}, False, "0.45 at rate 0.005"),
]


@pytest.mark.parametrize("name, settings, holds, words", DOUBTS)
def test_a_doubt_finds_where_a_claim_holds(name, settings, holds, words):
    measured = claiming.measure(lessons.claim(name), **settings)
    assert measured.holds is holds
    assert words in measured.why


def test_a_table_shorter_than_its_texts_is_refused_by_name():
    with pytest.raises(IndexError, match="capacity is 100"):
        claiming.measure(lessons.claim("untrained-rows"), capacity=100)


# 11.2: pads are not judged


def test_only_real_tokens_are_judged_and_the_first_wrong_one_is_named():
    plan = judge.plan(lessons.challenge("11.2"), 0)

    def noisy_pads(mask):
        return np.where(mask == 1, np.cumsum(mask, axis=1) - 1, -77)

    assert judge.judge(plan, calls.perform(plan.calls, noisy_pads)).passed

    def last_wrong(mask):
        numbers = noisy_pads(mask)
        numbers[-1, -1] += int(mask[-1, -1])
        return numbers

    found = judge.judge(plan, calls.perform(plan.calls, last_wrong))
    assert found.outcome == judge.FAILED and found.misconception is None
    assert found.step == "property" and "your numbers do not go up by 1" in found.reason


def test_a_mistake_of_numbering_is_known_whatever_its_pads_hold():
    plan = judge.plan(lessons.challenge("11.2"), 0)
    for mistake in lessons.challenge("11.2").misconceptions:
        work = calls.perform(
            plan.calls, lambda mask, does=mistake.does: np.where(mask == 1, does(mask), 5)
        )
        assert judge.judge(plan, work).misconception == mistake.id


# 12.1: a verdict that passes names the pairing


def verdict_on(rotate, seed=0, challenge=None):
    plan = judge.plan(challenge or lessons.challenge("12.1"), seed)
    return judge.judge(plan, calls.perform(plan.calls, rotate))


@pytest.mark.parametrize(
    "rotate, named, not_named",
    [
        (variants_12.rotate_by_complex_numbers, "pairs are neighbours", "halves"),
        (variants_12.rotate_halves, "pairs are halves", "neighbours"),
    ],
)
def test_a_right_rotation_is_told_which_pairing_it_is(rotate, named, not_named):
    for seed in range(20):
        found = verdict_on(rotate, seed)
        assert found.passed and found.points == 4
        assert found.reason.startswith(f"{found.calls} of {found.calls} calls right. ")
        assert named in found.reason and not_named not in found.reason


def test_a_rotation_that_changes_its_pairing_does_not_pass():
    def by_width(x, positions, base=10000.0, rotary_width=None):
        turning = x.shape[-1] if rotary_width is None else rotary_width
        chosen = variants_12.rotate_halves if turning > 8 else variants_12.rotate_by_complex_numbers
        return chosen(x, positions, base, rotary_width)

    found = verdict_on(by_width)
    assert found.outcome == judge.FAILED and found.points == 0 and found.right == found.calls
    assert found.step == "property" and "One model needs one pairing" in found.reason


def test_a_challenge_without_a_last_look_says_how_many_calls_are_right():
    plain = replace(lessons.challenge("12.1"), met=None)
    right = verdict_on(encodings.rotate, challenge=plain)
    assert right.reason == f"{right.calls} of {right.calls} calls right."
    faulty = replace(plain, met=lambda calls, values: Fault("property", f"{len(values)} values."))
    found = verdict_on(encodings.rotate, challenge=faulty)
    assert (found.outcome, found.step, found.reason) == (
        judge.FAILED,
        "property",
        f"{found.calls} values.",
    )


# Mistakes in which features are paired have another form in the other pairing.
ABOUT_LAYOUT = (
    "mixed-layout",
    "changed-layout",
    "last-features",
    "proportional",
    "factor-applied-twice",
)


@pytest.mark.parametrize(
    "id", [m.id for m in lessons.challenge("12.1").misconceptions if m.id not in ABOUT_LAYOUT]
)
def test_a_mistake_is_known_in_either_pairing(id):
    """`does` makes it with neighbours; here it is made with halves, by reordering the features."""
    mistake = next(m for m in lessons.challenge("12.1").misconceptions if m.id == id)

    def with_halves(x, positions, base=10000.0, rotary_width=None):
        turning = x.shape[-1] if rotary_width is None else rotary_width
        if id == "rotary-width-ignored":
            turning = x.shape[-1]
        order = np.arange(x.shape[-1])
        order[0:turning:2], order[1:turning:2] = (
            np.arange(turning // 2),
            np.arange(turning // 2, turning),
        )
        out = np.empty_like(x)
        out[..., order] = mistake.does(x[..., order], positions, base, rotary_width)
        return out

    found = verdict_on(with_halves)
    assert found.outcome == judge.FAILED and found.misconception == id


def halves_by_angles_of_neighbours(x, positions, base=10000.0, rotary_width=None):
    turning = x.shape[-1] if rotary_width is None else rotary_width
    angle = np.repeat(positions[:, None] * base ** (-np.arange(0, turning, 2) / turning), 2, axis=1)
    front, half = x[..., :turning], turning // 2
    partner = np.concatenate([-front[..., half:], front[..., :half]], axis=-1)
    return np.concatenate(
        [front * np.cos(angle) + partner * np.sin(angle), x[..., turning:]], axis=-1
    )


def halves_put_back_as_neighbours(x, positions, base=10000.0, rotary_width=None):
    turning = x.shape[-1] if rotary_width is None else rotary_width
    right = variants_12.rotate_halves(x, positions, base, rotary_width)
    out = right.copy()
    out[..., 0:turning:2], out[..., 1:turning:2] = (
        right[..., : turning // 2],
        right[..., turning // 2 : turning],
    )
    return out


@pytest.mark.parametrize(
    "id, rotate",
    [
        ("mixed-layout", halves_by_angles_of_neighbours),
        ("changed-layout", halves_put_back_as_neighbours),
    ],
)
def test_a_mistake_of_layout_is_known_in_either_pairing(id, rotate):
    for seed in range(5):
        assert verdict_on(rotate, seed).misconception == id


def test_the_penalty_is_judged_by_what_a_causal_softmax_sees():
    challenge = lessons.challenge("12.2")
    plan = judge.plan(challenge, 3)

    def one_wrong(heads, length):
        bias = encodings.alibi_bias(heads, length)
        bias[-1, -1, 0] -= 0.001
        return bias

    found = judge.judge(plan, calls.perform(plan.calls, one_wrong))
    assert found.outcome == judge.FAILED and found.right < found.calls
    above = judge.judge(
        plan,
        calls.perform(
            plan.calls, lambda h, n: encodings.alibi_bias(h, n) + np.triu(np.ones((n, n)), 1)
        ),
    )
    assert above.passed
    infinite = judge.judge(
        plan,
        calls.perform(
            plan.calls,
            lambda h, n: encodings.alibi_bias(h, n) + np.triu(np.full((n, n), -np.inf), 1),
        ),
    )
    assert infinite.misconception == "mask-in-the-bias"


def test_a_wrong_rotation_is_told_which_property_it_lacks():
    def stretched(x, positions, base=10000.0, rotary_width=None):
        return encodings.rotate(x, positions, base, rotary_width) + 0.1 * x

    found = verdict_on(stretched)
    assert (found.step, found.misconception) == ("property", None)


# The ladders of longer texts, against properties and the public formula.


@pytest.mark.parametrize("width, length, trained", [(8, 64, 16), (64, 100, 32), (128, 8192, 2048)])
def test_what_each_scaling_does_to_the_first_and_the_last_pair(width, length, trained):
    ladder, s = encodings.frequencies(width), length / trained
    linear, ntk = (
        encodings.scaled_frequencies(width, method, length, trained)
        for method in encodings.SCALINGS
    )
    yarn = encodings.yarn_frequencies(width, length, trained)
    np.testing.assert_allclose(linear, ladder / s)
    assert ntk[0] == ladder[0] and ntk[-1] == pytest.approx(ladder[-1] / s)
    assert (np.diff(ntk / ladder) < 0).all()
    turns = trained * ladder / (2 * np.pi)
    np.testing.assert_allclose(yarn[turns > 32], ladder[turns > 32])
    slow = np.flatnonzero(turns < 1)[1:]  # the ramp ends at the next whole pair
    np.testing.assert_allclose(yarn[slow], ladder[slow] / s)


def test_squeezed_frequencies_turn_as_squeezed_positions_do():
    x = np.random.default_rng(0).normal(size=(12, 8))
    ladder = encodings.scaled_frequencies(8, "linear", 12, 4)
    by_ladder = encodings.turn(x, np.arange(12)[:, None] * ladder)
    by_positions = encodings.rotate(x, encodings.interpolated_positions(12, 4))
    np.testing.assert_allclose(by_ladder, by_positions, atol=1e-12)


@pytest.mark.parametrize("method", encodings.SCALINGS)
def test_a_text_within_the_trained_length_keeps_its_ladder(method):
    got = encodings.scaled_frequencies(16, method, 30, 32, 500.0)
    np.testing.assert_array_equal(got, encodings.frequencies(16, 500.0))
    yarn = encodings.yarn_frequencies(16, 30, 32, 500.0)
    np.testing.assert_allclose(yarn, encodings.frequencies(16, 500.0), rtol=1e-15)


def test_the_attention_factor_of_public_configurations():
    """Values of public case D09, and their squares, by which scores grow."""
    factors = [encodings.attention_factor(s * 4096, 4096) for s in (4, 16, 40)]
    np.testing.assert_allclose(factors, [1.1386, 1.2773, 1.3689], atol=5e-5)
    np.testing.assert_allclose(np.square(factors), [1.2965, 1.6314, 1.8739], atol=5e-5)
    assert encodings.attention_factor(100, 4096) == 1


def test_three_conventions_of_which_features_turn():
    """Values of public case D01: x = 1 … 8, position 1, half of the features."""
    x = np.arange(1.0, 9.0)[None]
    halves = encodings.turn(x, encodings.frequencies(4)[None], "halves")[0]
    neighbours = encodings.turn(x, encodings.frequencies(4)[None])[0]
    some = encodings.turn(x, (encodings.frequencies(8) * [1, 1, 0, 0])[None], "halves")[0]
    np.testing.assert_allclose(halves[:4], [-1.984111, 1.959901, 2.462378, 4.0198], atol=5e-6)
    np.testing.assert_allclose(neighbours[:4], [-1.14264, 1.922076, 2.959851, 4.0298], atol=5e-6)
    np.testing.assert_allclose(
        some, [-3.667053, 1.391008, 3, 4, 3.542983, 6.169692, 7, 8], atol=5e-7
    )


def test_features_past_the_angles_stay_and_too_many_angles_are_refused():
    x = np.random.default_rng(0).normal(size=(3, 8))
    np.testing.assert_array_equal(encodings.turn(x, np.ones((3, 2)))[:, 4:], x[:, 4:])
    with pytest.raises(ValueError, match="rotary_width must be at most the width of x, 8, got 10"):
        encodings.turn(x, np.ones((3, 5)))


# the bar


def test_a_bar_fills_and_keeps_the_same_words_in_the_notebook(monkeypatch):
    shown = []
    monkeypatch.setattr(waiting, "show", shown.append)
    report = bar("Five <schemes>")
    (panel,) = shown
    before = panel._repr_mimebundle_()
    for share, words in ((0.0, "0 %"), (0.4, "40 %"), (1.0, "100 %")):
        report(share)
        assert (panel.filled.value, panel.filled.description) == (share, words)
    after = panel._repr_mimebundle_()
    assert before["text/plain"] == after["text/plain"] == "Five <schemes>"
    assert (
        before["text/html"] == after["text/html"] and "Five &lt;schemes&gt;" in after["text/html"]
    )


def test_a_bar_outside_a_notebook_prints_its_title(capsys):
    bar("Thirty trainings")(0.5)
    assert capsys.readouterr().out == "Thirty trainings\n"
