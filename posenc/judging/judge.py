"""A challenge and what a learner's code returned, to a verdict. No notebook, process or screen.

What is wrong is decided by `posenc.judging.deciding`. A wrong answer is then told, by the first of
these that fits: a known mistake, two of them together, a property of right answers that it lacks,
and a pattern that leads from the right values to those that were returned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from posenc.judging import calls, deciding, patterns, sentences
from posenc.judging.calls import Work, perform
from posenc.judging.comparing import close, conform, same_value
from posenc.judging.deciding import Wrong
from posenc.judging.elsewhere import Elsewhere, parts
from posenc.judging.model import Challenge, Fault, Misconception, Property
from posenc.judging.recognising import Known
from posenc.judging.verdict import (
    BY_MISTAKE,
    BY_PATTERN,
    BY_PROPERTY,
    BY_STEP,
    BY_TWO_MISTAKES,
    CRASHED,
    FAILED,
    NOT_ATTEMPTED,
    NOT_FOUND,
    OUT_OF_MEMORY,
    OUTCOMES,
    PASSED,
    REFUSED,
    TIMED_OUT,
    UNREADABLE,
    UNTOLD,
    VALUE,
    Verdict,
)

__all__ = [
    "CRASHED",
    "FAILED",
    "NOT_ATTEMPTED",
    "NOT_FOUND",
    "OUTCOMES",
    "OUT_OF_MEMORY",
    "PASSED",
    "REFUSED",
    "TIMED_OUT",
    "UNREADABLE",
    "Plan",
    "Verdict",
    "failing_call",
    "judge",
    "plan",
    "unfinished",
]

PROPERTY = "property"
SHAPE = "shape"


@dataclass(frozen=True)
class Plan(deciding.Plan):
    """A plan with all that is known of wrong answers to it, kept for a whole pile."""

    @cached_property
    def known(self) -> Known:
        """The answers of known mistakes."""
        return Known(self)

    @property
    def mistaken(self) -> tuple[tuple[Misconception, Work], ...]:
        """What each known mistake returns."""
        return self.known.mistaken

    @cached_property
    def right(self) -> tuple[tuple[Work, Elsewhere], ...]:
        """The answers of each function that passes, and what it would answer to other calls."""
        abouts = tuple(case.about for case in self.cases)
        functions = (self.challenge.reference, *self.challenge.also_right)
        return tuple(
            (
                self.expected if n == 0 else perform(self.calls, function, quiet=False),
                Elsewhere(self.calls, function, abouts),
            )
            for n, function in enumerate(functions)
        )


def plan(challenge: Challenge, seed: int) -> Plan:
    """The fixed cases of `challenge`, those drawn from `seed`, and some of them once more."""
    made = deciding.plan(challenge, seed)
    return Plan(challenge, seed, made.cases, made.repeats)


def unfinished(challenge: Challenge, outcome: str, reason: str, seed: int = 0) -> Verdict:
    """A verdict that a runner reaches by itself: the process died, hung, or was never there."""
    if outcome not in OUTCOMES or outcome == PASSED:
        raise ValueError(f"outcome: {outcome!r} was given; allowed are {', '.join(OUTCOMES[1:])}")
    return Verdict(
        challenge.id, outcome, 0, challenge.points, "ran", reason, seed=seed, told=BY_STEP
    )


def judge(plan: Plan, work: Work, wrong_before: Collection[str] = ()) -> Verdict:
    """The verdict on `work`, the answers to `plan.calls`.

    wrong_before: ids of challenges of the same lesson that are known to be wrong.
    """
    challenge = plan.challenge
    early = _before_any_call(plan, work)
    if early is not None:
        return early
    blank = _blank(plan)
    found = deciding.faults(plan, work)
    right = found.count(None)
    if right == len(found):
        return _all_right(plan, work, replace(blank, right=right))
    index = next(i for i, wrong in enumerate(found) if wrong is not None)
    outcome, fault = found[index]
    if plan.is_repeat(index) and outcome == FAILED:
        fault = replace(fault, reason=sentences.other_answer(deciding.described(plan, index)))
        fault = replace(fault, step="kept")
    step = deciding.failing_step(plan, index, work)
    verdict = replace(
        blank,
        outcome=outcome,
        step=fault.step,
        reason=fault.reason,
        failing_call=failing_call(plan, index, step),
        mend_first=_mend_first(challenge, work, wrong_before),
        right=right,
        told=BY_STEP,
        map=_map(plan, work, index),
    )
    if outcome == TIMED_OUT:
        return verdict
    return _named(plan, work, found, verdict) or _measured(plan, work, found, verdict)


def _blank(plan: Plan) -> Verdict:
    points, calls_made = plan.challenge.points, len(plan.calls)
    return Verdict(
        plan.challenge.id, FAILED, 0, points, "found", "", seed=plan.seed, calls=calls_made
    )


def _before_any_call(plan: Plan, work: Work) -> Verdict | None:
    """The verdict where there is no answer to look at: no function, or the stub as it was."""
    name, blank = plan.challenge.name, replace(_blank(plan), told=BY_STEP)
    open_still = sentences.NOT_ATTEMPTED.format(name=name)
    if work.found == "missing":
        reason = sentences.NOT_FOUND.format(name=name)
        return replace(blank, outcome=NOT_FOUND, reason=reason)
    if work.found == "ellipsis":
        return replace(blank, outcome=NOT_ATTEMPTED, reason=open_still)
    if work.found != "callable":
        reason = sentences.NOT_A_FUNCTION.format(name=name, kind=work.found)
        return replace(blank, step="callable", reason=reason)
    if deciding.untouched(work):
        return replace(blank, outcome=NOT_ATTEMPTED, step="returned", reason=open_still)
    return None


def _all_right(plan: Plan, work: Work, blank: Verdict) -> Verdict:
    """The verdict where every call is right; a look at all values together can still fail it."""
    challenge, reason = plan.challenge, sentences.right_calls(blank)
    if challenge.met is not None:
        said = challenge.met(plan.calls, [answer[-1].value for answer in work.answers])
        if isinstance(said, Fault):
            return replace(blank, step=said.step, reason=said.reason, told=BY_PROPERTY)
        reason = f"{reason} {said}"
    return replace(blank, outcome=PASSED, points=challenge.points, step="done", reason=reason)


def failing_call(plan: Plan, index: int, step: int = 0) -> str:
    """Call number `index` of the plan as a line of code to copy."""
    challenge = plan.challenge
    call = plan.calls[index]
    return sentences.to_copy(challenge.id, challenge.name, plan.seed, index, call, step)


def _mend_first(challenge: Challenge, work: Work, wrong_before: Collection[str]) -> str:
    for name, id in challenge.builds_on.items():
        if name in work.uses and id in wrong_before:
            return sentences.MEND_FIRST.format(name=name, id=id)
    return ""


# ------------------------------------------------------------------ how it is told


def _named(plan: Plan, work: Work, found: list[Wrong | None], verdict: Verdict) -> Verdict | None:
    """The verdict with the mistake that the answer makes, or the two that it makes together."""
    mistake = plan.known.single(work)
    if mistake is not None:
        return replace(
            verdict,
            outcome=FAILED,
            misconception=mistake.id,
            looks_like=mistake.looks_like,
            think=mistake.think,
            told=BY_MISTAKE,
        )
    wrong = [index for index, each in enumerate(found) if each is not None]
    pair = plan.known.double(work, wrong)
    if pair is None:
        return None
    return replace(
        verdict,
        outcome=FAILED,
        misconception=pair.first.id,
        second=pair.second.id,
        looks_like=sentences.two_mistakes(pair.first.looks_like, pair.second.looks_like),
        think=sentences.one_at_a_time(pair.first.think, pair.second.think),
        told=BY_TWO_MISTAKES,
    )


def _measured(plan: Plan, work: Work, found: list[Wrong | None], verdict: Verdict) -> Verdict:
    """The verdict with a property that the answer lacks, or a pattern that it follows."""
    if verdict.step == SHAPE:
        return _other_shape(plan, work, found, verdict)
    if verdict.step not in (VALUE, PROPERTY):
        return verdict
    measured = _comparable(plan, work, found)
    exact = _first(patterns.find, measured)
    if exact is None:
        lacking = _lacking(plan, work, found)
        if lacking is not None:
            return _told_by_property(plan, work, verdict, *lacking)
    pattern = exact or _labels(plan, work, found) or _first(patterns.where, measured)
    if pattern is None:
        return replace(verdict, told=UNTOLD if verdict.step == VALUE else BY_PROPERTY)
    index = next(i for i, wrong in enumerate(found) if wrong is not None)
    what = deciding.described(plan, index, deciding.failing_step(plan, index, work))
    reason = f"{what}: {pattern.sentence}"
    return replace(verdict, reason=reason, told=BY_PATTERN, pattern=pattern.name)


def _first(
    look: Callable[[patterns.Evidence], patterns.Found | None],
    measured: Sequence[patterns.Evidence],
) -> patterns.Found | None:
    """What is found beside the first of the right answers beside which anything is."""
    return next(filter(None, map(look, measured)), None)


def _told_by_property(
    plan: Plan, work: Work, verdict: Verdict, name: str, index: int, sentence: str
) -> Verdict:
    what = deciding.described(plan, index, len(plan.calls[index].steps))
    call = failing_call(plan, index, deciding.failing_step(plan, index, work))
    return replace(
        verdict,
        step=PROPERTY,
        reason=f"{what}: {sentence}",
        told=BY_PROPERTY,
        pattern=name,
        failing_call=call,
        map=_map(plan, work, index),
    )


def _lacking(plan: Plan, work: Work, found: list[Wrong | None]) -> tuple[str, int, str] | None:
    """The first property that a wrong answer lacks: its name, the call, and the sentence."""
    for each in plan.challenge.properties:
        for index, wrong in enumerate(found):
            if wrong is None or wrong[1].step not in (VALUE, PROPERTY):
                continue
            call, value = plan.calls[index], work.answers[index][-1].value
            shaped = conform(plan.expected.answers[index][-1].value, value)
            if value is None or isinstance(shaped, Fault):
                continue
            args = call.steps[-1].args if call.steps else call.args
            kwargs = call.steps[-1].kwargs if call.steps else call.kwargs
            sentence = _sentence(each, shaped, args, kwargs)
            if sentence:
                return each.name, index, sentence
    return None


def _sentence(each: Property, value: Any, args: tuple, kwargs: dict[str, Any]) -> str:
    """What a value lacks; nothing where it is too odd to be measured."""
    try:
        with np.errstate(all="ignore"):
            return each.lacking(value, *args, **kwargs)
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return ""


def _comparable(plan: Plan, work: Work, found: list[Wrong | None]) -> list[patterns.Evidence]:
    """The answers beside those of each right function; empty where that tells nothing."""
    if any(wrong is not None and wrong[1].step not in (VALUE, PROPERTY) for wrong in found):
        return []
    if not _measurable(plan.challenge):
        return []
    made = [_evidence(plan, work, expected, elsewhere) for expected, elsewhere in plan.right]
    return [evidence for evidence in made if evidence is not None]


def _labels(plan: Plan, work: Work, found: list[Wrong | None]) -> patterns.Found | None:
    """What wrong words, and None in the wrong places, have in common."""
    if any(wrong is not None and wrong[1].step != VALUE for wrong in found):
        return None
    return patterns.labels(
        [
            (e[-1].value, a[-1].value)
            for e, a in zip(plan.expected.answers, work.answers)
            if e[-1].status == calls.RETURNED == a[-1].status
        ]
    )


def _measurable(challenge: Challenge) -> bool:
    """Whether wrong entries can be told from right ones by comparing with answers that pass."""
    several = challenge.canonical is not None or bool(challenge.also_right)
    return not challenge.free_form and (challenge.compare is None or several)


def _evidence(
    plan: Plan, work: Work, expected: Work, elsewhere: Elsewhere
) -> patterns.Evidence | None:
    """All values of an answer that can be compared; None where some wrong ones cannot."""
    compared: list[patterns.Part] = []
    made = 0
    for index, (wants, gots) in enumerate(zip(expected.answers, work.answers)):
        pairs = [
            (n, want.value, got.value)
            for n, (want, got) in enumerate(zip(wants, gots))
            if want.status == calls.RETURNED == got.status
            and (want.value is not None or got.value is not None)
        ]
        made += bool(pairs)
        for n, want, got in pairs:
            step = plan.calls[index].steps[n - 1].name if n else ""
            some = list(_parts(plan.challenge, plan.calls[index], index, step, want, got))
            if not some:
                return None
            compared += some
    wrong_calls = frozenset(part.call for part in compared if part.is_wrong)
    challenge = plan.challenge
    return patterns.Evidence(
        compared,
        challenge.absolute,
        challenge.relative,
        made,
        elsewhere,
        wrong_calls,
        challenge.canonical,
    )


def _parts(
    challenge: Challenge, call: calls.Call, index: int, step: str, want: Any, got: Any
) -> Iterator[patterns.Part]:
    """The arrays and numbers of one value, beside what was returned for each."""
    shaped = conform(want, got)
    if isinstance(shaped, Fault) or want is None or shaped is None:
        return
    if challenge.canonical is not None:
        other = challenge.canonical(
            call, want + np.arange(1.0, np.size(want) + 1).reshape(want.shape)
        )
        want, shaped = challenge.canonical(call, want), challenge.canonical(call, shaped)
        matters = other != want
    else:
        matters = None
    returned = dict(parts(shaped))
    for name, wanted in parts(want):
        held = returned.get(name)
        if held is None or held.shape != wanted.shape or not np.isfinite(held).all():
            return
        kind = _kind(want, name)
        exact = wanted if kind == "f" else np.rint(wanted).astype(int)
        near = close(exact, held if kind == "f" else held, challenge.absolute, challenge.relative)
        wrong = ~near
        named = " of ".join(filter(None, (name, f"`{step}`" if step else "")))
        whole = isinstance(got, np.ndarray) and got.dtype.kind in "iu"
        yield patterns.Part(
            index,
            wanted,
            held,
            np.asarray(wrong),
            np.ones(wanted.shape, bool) if matters is None else matters,
            named,
            kind == "i",
            kind == "b",
            whole,
        )


def _kind(want: Any, name: str) -> str:
    """'f', 'i' or 'b': what kind of number is asked for in the part called `name`."""
    if isinstance(want, np.ndarray):
        return {"u": "i"}.get(want.dtype.kind, want.dtype.kind)
    if isinstance(want, (tuple, list)) and name:
        names = [each for each, _ in parts(want)]
        numbers = [v for v in want if not isinstance(v, (str, type(None)))]
        return _kind(numbers[names.index(name)], "")
    if isinstance(want, dict):
        key = next(k for k in want if f"the entry {k!r}" == name)
        return _kind(want[key], "")
    if isinstance(want, bool):
        return "b"
    return "i" if isinstance(want, int) else "f"


def _other_shape(plan: Plan, work: Work, found: list[Wrong | None], verdict: Verdict) -> Verdict:
    """The verdict on arrays of another shape, with what they have to do with those asked for."""
    told: list[patterns.Found] = []
    distinct: set[float] = set()

    def same(one: np.ndarray, other: np.ndarray) -> bool:
        return same_value(plan.challenge, one, other)

    for index, wrong in enumerate(found):
        if wrong is None:
            continue
        step = deciding.failing_step(plan, index, work)
        want = plan.expected.answers[index][step].value
        got = _as_array(work.answers[index][step].value)
        if wrong[1].step != SHAPE or not isinstance(want, np.ndarray) or got is None:
            return verdict
        each = patterns.shape(want, got, same) or patterns.longer(want, got, same)
        if each is None and want.size > 2:
            return verdict
        if each is not None:
            told.append(each)
            distinct |= {float(f"{v:.6g}") for v in want.ravel()[:100].tolist()}
    needed = 2 if len(distinct) >= 4 else 4
    if len({each.name for each in told}) != 1 or len(told) < needed or len(distinct) < 2:
        return verdict
    reason = f"{verdict.reason} {told[0].sentence}"
    return replace(verdict, reason=reason, told=BY_PATTERN, pattern=told[0].name)


def _as_array(value: Any) -> np.ndarray | None:
    """An array, or a list or tuple as one; None where that cannot be."""
    if isinstance(value, (list, tuple)):
        try:
            value = np.array(value)
        except ValueError:
            return None
    return value if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" else None


def _map(plan: Plan, work: Work, index: int) -> tuple[str, ...]:
    """Which entries of the failing call's array are wrong; empty where that cannot be drawn."""
    if not _measurable(plan.challenge) or index >= len(work.answers):
        return ()
    step = deciding.failing_step(plan, index, work)
    wants, gots = plan.expected.answers[index], work.answers[index]
    if step >= min(len(wants), len(gots)):
        return ()
    challenge, returned = plan.challenge, gots[step].value
    maps = []
    for expected, _ in plan.right if challenge.also_right else ((plan.expected, None),):
        want = expected.answers[index][step].value
        if not isinstance(want, np.ndarray) or gots[step].status != calls.RETURNED:
            return ()
        shaped = conform(want, returned)
        if isinstance(shaped, Fault):
            return ()
        if challenge.canonical is not None:
            call = plan.calls[index]
            want, shaped = challenge.canonical(call, want), challenge.canonical(call, shaped)
        maps.append(~close(want, shaped, challenge.absolute, challenge.relative))
    wrong = min(maps, key=np.count_nonzero)
    return sentences.entry_map(wrong) if wrong.any() else ()
