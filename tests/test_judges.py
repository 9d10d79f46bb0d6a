"""Every challenge, both ways: right answers pass, known mistakes fail under their own name."""

import importlib
import inspect
import types
from dataclasses import replace

import numpy as np
import pytest

from posenc import lessons
from posenc.judging import calls, judge, recognising, values
from posenc.judging.model import Case, Challenge, together

SEEDS = (0, 1, 2026)
ALL = [c for each in lessons.LESSONS for c in lessons.challenges(each.number)]
BY_ID = {c.id: c for c in ALL}


def variants(challenge):
    module = importlib.import_module(f"variants.lesson_{challenge.lesson:02d}")
    return module.VARIANTS[challenge.id]


def verdict(challenge, thing, seed, **given):
    plan = plans(challenge, seed)
    work = calls.perform(plan.calls, thing, ask_uses=tuple(challenge.builds_on), **given)
    return judge.judge(plan, calls.Work.from_plain(values.plain(work.to_plain())))


_plans = {}


def plans(challenge, seed):
    return _plans.setdefault((challenge.id, seed), judge.plan(challenge, seed))


def pairs(kind):
    return [
        pytest.param(c, x, id=f"{c.id}-{getattr(x, 'id', getattr(x, '__name__', '?'))}")
        for c in ALL
        for x in kind(c)
    ]


each_challenge = pytest.mark.parametrize("challenge", ALL, ids=lambda c: c.id)


@each_challenge
def test_the_reference_passes(challenge):
    for seed in (*SEEDS, *range(100, 110)):
        found = verdict(challenge, challenge.reference, seed)
        assert found.passed and found.points == challenge.points, found


@pytest.mark.parametrize("challenge, variant", pairs(variants))
def test_a_right_answer_written_another_way_passes(challenge, variant):
    for seed in SEEDS:
        found = verdict(challenge, variant, seed)
        assert found.passed, found


@pytest.mark.parametrize("challenge, mistake", pairs(lambda c: c.misconceptions))
def test_a_known_mistake_fails_under_its_own_name_and_no_other(challenge, mistake):
    for seed in SEEDS:
        plan = plans(challenge, seed)
        work = calls.perform(plan.calls, mistake.does)
        found = judge.judge(plan, work)
        assert found.outcome == judge.FAILED and found.points == 0, found
        assert found.misconception == mistake.id, found
        if mistake.fits is None:
            same = [
                m.id
                for m, known in plan.mistaken
                if m.fits is None and recognising.same_work(plan, work, known)
            ]
            assert same == [mistake.id]
        else:
            assert [
                m.id
                for m in challenge.misconceptions
                if m.fits and recognising.fits_all(m, plan, work)
            ] == [mistake.id]


@each_challenge
def test_there_are_enough_mistakes_variants_and_hints(challenge):
    assert len(challenge.misconceptions) >= 3
    assert len(variants(challenge)) >= 2
    assert len({v.__name__ for v in variants(challenge)}) == len(variants(challenge))
    assert len({m.id for m in challenge.misconceptions}) == len(challenge.misconceptions)
    assert len(challenge.hints) >= 2


@each_challenge
def test_feedback_is_a_sentence_that_gives_nothing_away(challenge):
    for mistake in challenge.misconceptions:
        assert not mistake.looks_like[0].isupper(), mistake
        assert not mistake.looks_like.endswith("."), mistake
        assert mistake.think[-1] in ".?", mistake
        assert "!" not in mistake.looks_like + mistake.think


def _stub(challenge):
    if isinstance(challenge.reference, type):
        methods = {
            name: (lambda self, *a, **k: ...)
            for case in challenge.cases
            for name in [s.name for s in case.steps if not s.reads]
        }
        return type("Stub", (), {"__init__": lambda self, *a, **k: None, **methods})
    return lambda *a, **k: ...


@each_challenge
def test_as_shipped_it_is_not_attempted(challenge):
    assert verdict(challenge, _stub(challenge), 0).outcome == judge.NOT_ATTEMPTED


def _array_asked(challenge):
    wanted = plans(challenge, 0).expected.answers[0][0].value
    return isinstance(wanted, np.ndarray) and not challenge.free_form


def _answers(change):
    def make(challenge):
        def odd(*args, **kwargs):
            return change(challenge.reference(*args, **kwargs))

        return odd

    return make


def _changed_in_place(challenge):
    def odd(*args, **kwargs):
        value = challenge.reference(*args, **kwargs)
        for a in args:
            if isinstance(a, np.ndarray) and a.size and a.dtype.kind != "b":
                a += 1
            elif isinstance(a, np.ndarray) and a.size:
                a ^= True
            elif isinstance(a, list) and a:
                a.append(a[0])
        return value

    return odd


def _infinite(value):
    out = np.array(value, dtype=float)
    out.flat[0] = np.inf
    return out


def _nan(value):
    out = np.array(value, dtype=float)
    out.flat[-1] = np.nan
    return out


def _masked(value):
    array = np.ma.array(value)
    array[(0,) * array.ndim] = np.ma.masked
    return array


ODD = {
    "none": (lambda c: lambda *a, **k: None, judge.FAILED, "return"),
    "text": (lambda c: lambda *a, **k: "passed", judge.FAILED, "text 'passed'"),
    "generator": (lambda c: lambda *a, **k: (x for x in [1.0]), judge.REFUSED, "one by one"),
    "set": (lambda c: lambda *a, **k: {1.0, 2.0}, judge.REFUSED, "no order"),
    "function": (lambda c: lambda *a, **k: len, judge.REFUSED, "call left out"),
}
ARRAYS = {
    "scalar": (_answers(lambda v: float(np.asarray(v).ravel()[0])), judge.FAILED, "single number"),
    "flat": (
        _answers(lambda v: np.asarray(v).ravel() if np.ndim(v) > 1 else np.asarray(v)[None]),
        judge.FAILED,
        "shape",
    ),
    "masked": (_answers(_masked), judge.REFUSED, "masked"),
    "nan": (_answers(_nan), judge.FAILED, "finite"),
    "infinite": (_answers(_infinite), judge.FAILED, "finite"),
}


def _plain_functions():
    return [c for c in ALL if not isinstance(c.reference, type)]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("challenge", _plain_functions(), ids=lambda c: c.id)
def test_what_is_no_answer_gets_its_own_sentence(challenge, odd):
    wants_text = isinstance(plans(challenge, 0).expected.answers[0][0].value, str)
    if odd == "text" and wants_text:
        return
    make, outcome, words = ODD[odd]
    found = verdict(challenge, make(challenge), 0)
    assert found.outcome == outcome, found
    assert words in found.reason, found


@pytest.mark.parametrize("odd", ARRAYS)
@pytest.mark.parametrize(
    "challenge", [c for c in _plain_functions() if _array_asked(c)], ids=lambda c: c.id
)
def test_an_odd_array_gets_its_own_sentence(challenge, odd):
    wanted = plans(challenge, 0).expected.answers[0][0].value
    if odd in ("nan", "infinite") and wanted.dtype.kind != "f":
        return
    make, outcome, words = ARRAYS[odd]
    found = verdict(challenge, make(challenge), 0)
    assert found.outcome == outcome, found
    assert words in found.reason, found


@pytest.mark.parametrize("challenge", _plain_functions(), ids=lambda c: c.id)
def test_a_right_value_with_a_changed_input_fails(challenge):
    changeable = any(
        isinstance(a, (np.ndarray, list)) and len(a)
        for c in plans(challenge, 0).calls
        for a in c.args
    )
    if not changeable:
        return
    found = verdict(challenge, _changed_in_place(challenge), 0)
    assert found.outcome == judge.FAILED and found.step == "unchanged", found


@pytest.mark.parametrize("challenge", _plain_functions(), ids=lambda c: c.id)
def test_plain_values_in_other_containers_pass(challenge):
    """Object arrays, lists, subclasses and NumPy scalars are judged by their values."""

    def boxed(*args, **kwargs):
        value = challenge.reference(*args, **kwargs)
        if isinstance(value, np.ndarray):
            return value.astype(object)
        if isinstance(value, bool):
            return np.bool_(value)
        if isinstance(value, int):
            return np.float64(value)
        if isinstance(value, str):
            return np.str_(value)
        if isinstance(value, tuple):
            return list(value)
        return value

    assert verdict(challenge, boxed, 0).passed


@pytest.mark.parametrize("challenge", _plain_functions(), ids=lambda c: c.id)
def test_the_fixed_cases_learned_by_heart_do_not_pass(challenge):
    plan = plans(challenge, 5)
    table = {
        repr(values.encode(case.call().to_plain())): answer[0].value
        for case, answer in zip(challenge.cases, plan.expected.answers)
        if answer[0].status == "returned"
    }

    def memorised(*args, **kwargs):
        plain_args = tuple(a for a in args if not isinstance(a, types.FunctionType))
        return table.get(repr(values.encode(calls.Call(plain_args, kwargs).to_plain())), 0.5)

    assert not verdict(challenge, memorised, 5).passed


@each_challenge
def test_a_submission_judged_twice_gets_the_same_verdict(challenge):
    first, second = judge.plan(challenge, 77), judge.plan(challenge, 77)
    thing = challenge.misconceptions[0].does
    one = judge.judge(first, calls.perform(first.calls, thing))
    assert one == judge.judge(second, calls.perform(second.calls, thing))
    assert one.seed == 77


def test_a_brute_force_that_does_not_end_is_timed_out():
    challenge = ALL[0]

    def endless(*args, **kwargs):
        while True:
            pass

    found = verdict(challenge, endless, 0, seconds=0.2)
    assert found.outcome == judge.TIMED_OUT
    assert found.points == 0


def test_single_precision_passes_and_base_10001_does_not():
    challenge = BY_ID["6.2"]

    def base_off(length, width, base=10000.0):
        return challenge.reference(length, width, base * 1.0001)

    def single(length, width, base=10000.0):
        return challenge.reference(length, width, base).astype(np.float32)

    for seed in SEEDS:
        assert not verdict(challenge, base_off, seed).passed
        assert verdict(challenge, single, seed).passed


def test_an_answer_that_calls_a_wrong_one_is_told_to_mend_that_first():
    wrong = BY_ID["6.1"].misconceptions[0].does
    space = {"frequencies": wrong, "np": np}
    exec(
        "def sinusoidal(length, width, base=10000.0):\n"
        "    a = np.arange(length)[:, None] * frequencies(width, base)\n"
        "    t = np.empty((length, width))\n"
        "    t[:, 0::2], t[:, 1::2] = np.sin(a), np.cos(a[:, :width // 2])\n"
        "    return t\n",
        space,
    )
    challenge = BY_ID["6.2"]
    plan = judge.plan(challenge, 0)
    work = calls.perform(plan.calls, space["sinusoidal"], ask_uses=tuple(challenge.builds_on))
    assert "6.1" in judge.judge(plan, work, {"6.1"}).mend_first
    assert judge.judge(plan, work, set()).mend_first == ""


def _right_by_default(challenge):
    """The functions with choices of which each has a default."""
    made = {id(m.choices): m.choices for m in challenge.misconceptions if m.choices}
    for choices in made.values():
        parameters = inspect.signature(choices.function).parameters.values()
        chosen = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        if all(p.default is not p.empty for p in chosen):
            yield choices


def test_an_answer_with_every_choice_at_its_default_is_right():
    tried = [(c, choices) for c in ALL for choices in _right_by_default(c)]
    assert len(tried) > 20
    for challenge, choices in tried:
        for seed in SEEDS:
            found = verdict(challenge, choices.made(), seed)
            assert found.passed, (choices.function.__name__, found)


def test_two_mistakes_that_change_different_choices_can_be_made_at_once():
    known = {m.id: m for m in BY_ID["6.2"].misconceptions}
    both = together(known["base-1000"], known["column-exponent"])
    assert verdict(BY_ID["6.2"], both, 0).misconception == "base-1000-column-exponent"
    assert together(known["base-1000"], known["base-ignored"]) is None  # one choice, two values
    assert together(known["base-1000"], known["odd-refused"]) is None  # no choice at all
    assert together(known["base-1000"], BY_ID["6.1"].misconceptions[0]) is None


def _small():
    return Challenge(
        id="9.9",
        name="half",
        title="Half",
        points=1,
        minutes=1,
        difficulty=1,
        asked="a number",
        reference=lambda x: x / 2,
        cases=(Case((3.0,)),),
        draw=lambda rng: [],
        hints=("Divide.",),
    )


def test_a_mistake_is_called_after_its_function_or_class():
    challenge = _small()

    @challenge.mistake("it is doubled", "Half of 3?")
    def times_2(x):
        return 2 * x

    @challenge.mistake("it is a class", "A function?", id="given")
    class AnyName:
        pass

    @challenge.mistake("it is rounded", "Half of 3?")
    class RoundedDown:
        pass

    assert [m.id for m in challenge.misconceptions] == ["times-2", "given", "rounded-down"]
    assert times_2(3) == 6


def test_two_mistakes_of_a_challenge_do_not_share_an_id():
    challenge = _small()
    choices = challenge.choices(lambda x, *, by=2: x / by)
    choices.mistake("times-2", "it is doubled", "Half of 3?", by=0.5)
    with pytest.raises(ValueError, match="'times-2'"):
        choices.mistake("times-2", "it is doubled", "Half of 3?", by=0.25)


def test_what_recognises_a_value_of_a_challenge_recognises_each_of_its_mistakes():
    challenge = replace(_small(), alike=lambda does, call, value: value == does(*call.args) + 1)

    @challenge.mistake("it is doubled", "Half of 3?")
    def doubled(x):
        return 2 * x

    plan = judge.plan(challenge, 0)
    found = judge.judge(plan, calls.perform(plan.calls, lambda x: 2 * x + 1))
    assert found.misconception == "doubled"
