"""From a challenge and what was returned to what is wrong with it, call by call.

`plan` turns a challenge and a seed into calls; `posenc.judging.calls.perform` makes them where the
learner's code lives; `faults` compares what was returned with the reference's answers, step by
step: returned something, type, shape, finite, value or property, inputs unchanged, and still the
same after later calls. All that a mark rests on is here and in the challenge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from posenc.judging import calls, sentences, values
from posenc.judging.calls import Call, Layer, Result, Work, perform
from posenc.judging.comparing import conform, difference, first_not_finite, identical, refused
from posenc.judging.model import Case, Challenge, Fault
from posenc.judging.verdict import (
    CRASHED,
    FAILED,
    OUT_OF_MEMORY,
    REFUSED,
    TIMED_OUT,
    VALUE,
)

AGAIN = "made again, after the other calls"
CROSSED = "one argument of another call"
MOST_REPEATED = 3
MOST_CROSSED = 4
MOST_NUMBERS_NAMED = 12  # a message with more of them names none

# What is wrong with one call: the outcome that it means, and the fault.
Wrong = tuple[str, Fault]


@dataclass(frozen=True)
class Plan:
    """The cases that one challenge is judged on with one seed, and the right answers.

    repeats: how many of the last cases repeat earlier ones, in another order.
    """

    challenge: Challenge
    seed: int
    cases: tuple[Case, ...]
    repeats: int = 0

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """What must be called, as data."""
        return tuple(case.call() for case in self.cases)

    @cached_property
    def expected(self) -> Work:
        """What the reference returns."""
        return perform(self.calls, self.challenge.reference, quiet=False)

    def is_repeat(self, index: int) -> bool:
        """Whether call number `index` was made before."""
        return index >= len(self.cases) - self.repeats


def plan(challenge: Challenge, seed: int) -> Plan:
    """The fixed cases of `challenge`, those drawn from `seed`, and some of them once more."""
    rng = np.random.default_rng([seed, *(int(part) for part in challenge.id.split("."))])
    cases = (*challenge.cases, *challenge.draw(rng))
    cases = (*cases, *_without_keywords(cases))
    if challenge.crossed:
        cases = (*cases, *_crossed(challenge, cases))
    again = _repeated(cases)
    return Plan(challenge, seed, (*cases, *again), len(again))


def _without_keywords(cases: tuple[Case, ...]) -> list[Case]:
    """For each keyword, a case that gives it, called without it as well."""
    given = [c for c in cases if c.kwargs and not c.steps and c.raises is None]
    there = {repr((case.args, case.kwargs)) for case in cases}
    made = []
    for name in dict.fromkeys(name for case in given for name in case.kwargs):
        case = next(case for case in given if name in case.kwargs)
        rest = {n: v for n, v in case.kwargs.items() if n != name}
        if repr((case.args, rest)) not in there:
            made.append(replace(case, kwargs=rest, about=f"the same without `{name}`"))
    return made


def _crossed(challenge: Challenge, cases: tuple[Case, ...]) -> Iterator[Case]:
    """For each argument, a call that differs from another one in this argument alone.

    An answer that is kept under some of its arguments, and not all, is found out by these.
    """
    plain = [c for c in cases if c.raises is None and not c.steps]
    there = {repr((case.args, case.kwargs)) for case in cases}
    for number in range(max((len(case.args) for case in plain), default=0)):
        for case in _with_another(challenge, plain, number):
            if repr((case.args, case.kwargs)) not in there:
                yield case
            break


def _with_another(challenge: Challenge, plain: list[Case], number: int) -> Iterator[Case]:
    """Cases with argument `number` of another case, which the reference answers otherwise."""
    for case in plain[:MOST_CROSSED]:
        others = [c.args[number] for c in plain if _exchangeable(case.args, c.args, number)]
        for argument in (*others, *_turned_round(case.args, number)):
            args = (*case.args[:number], argument, *case.args[number + 1 :])
            made = replace(case, args=args, about=CROSSED)
            both = perform((case.call(), made.call()), challenge.reference, quiet=False)
            (before,), (after,) = both.answers
            usual = after.status == calls.RETURNED and not first_not_finite(0.0, after.value)
            if usual and not values.same(before.value, after.value):
                yield made


def _turned_round(args: tuple, number: int) -> list[Any]:
    """The array or list at this place, from its end to its beginning."""
    if number >= len(args) or not isinstance(args[number], (np.ndarray, list)):
        return []
    turned = args[number][::-1]
    return [turned.copy()] if len(turned) > 1 else []


def _exchangeable(one: tuple, other: tuple, number: int) -> bool:
    """Whether two calls have arguments of one kind at this place, and not the same one."""
    if number >= min(len(one), len(other)):
        return False
    a, b = one[number], other[number]
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and a.dtype == b.dtype and not np.array_equal(a, b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return False
    if isinstance(a, Layer) and isinstance(b, Layer):
        return (a.width, a.length) == (b.width, b.length) and a != b
    return type(a) is type(b) and a != b


def _repeated(cases: tuple[Case, ...]) -> list[Case]:
    """A few of the cases in the opposite order: the last, one of the middle, the first."""
    answered = [case for case in cases if case.raises is None or case.steps]
    chosen = [answered[n] for n in sorted({0, len(answered) // 2, len(answered) - 1})[::-1]]
    return [replace(case, about=AGAIN) for case in chosen[:MOST_REPEATED]]


def faults(plan: Plan, work: Work) -> list[Wrong | None]:
    """What is wrong with each call, None where nothing is."""
    return [fault(plan, index, work) for index in range(len(plan.calls))]


def fault(plan: Plan, index: int, work: Work) -> Wrong | None:
    """What is wrong with the answer to one call, and the outcome that it means; None if nothing."""
    challenge, case = plan.challenge, plan.cases[index]
    if index >= len(work.answers) or not work.answers[index]:
        return FAILED, Fault("returned", sentences.NOT_REACHED.format(thing="call"))
    answer, expected = work.answers[index], plan.expected.answers[index]
    for number, want in enumerate(expected):
        if number >= len(answer):
            return FAILED, Fault("returned", sentences.NOT_REACHED.format(thing="step"))
        last = number == len(expected) - 1
        what = described(plan, index, number)
        if case.raises is not None and last:
            found = _error_fault(case, answer[number], what)
        else:
            found = _result_fault(challenge, plan.calls[index], want, answer[number], what)
        if found is None:
            found = _changed_fault(given(plan.calls[index], number), answer[number], what)
        if found is None and not answer[number].lasted:
            found = FAILED, Fault("kept", sentences.overwritten(what))
        if found is not None:
            return found
    return None


def described(plan: Plan, index: int, number: int = 0) -> str:
    """A call of the plan, or a step of it, in a few words."""
    case = plan.cases[index]
    return sentences.called_as(plan.challenge.name, plan.calls[index], number, case.about)


def failing_step(plan: Plan, index: int, work: Work) -> int:
    """The first step of a failing call that is at fault."""
    if not plan.calls[index].steps or index >= len(work.answers):
        return 0
    for number in range(len(plan.expected.answers[index])):
        cut = replace(plan.cases[index], steps=plan.cases[index].steps[:number])
        if number < len(plan.cases[index].steps):
            cut = replace(cut, raises=None)
        shorter = Plan(plan.challenge, plan.seed, (cut,))
        reached = Work("callable", (), (work.answers[index][: number + 1],))
        if number and fault(shorter, 0, reached):
            return number
    return len(work.answers[index]) - 1


def untouched(work: Work) -> bool:
    """Whether nothing but `...` came back: the stub as shipped, or one that only raises."""
    results = [r for answer in work.answers for r in answer]
    ellipses = [r for r in results if r.status == calls.RETURNED and r.value is Ellipsis]
    unwritten = [
        r for r in results if r.status == calls.RAISED and "NotImplementedError" in r.error[0]
    ]
    # A class is built first, and that returns nothing to judge; its attributes are not set yet.
    built = [a[0] for a in work.answers if len(a) > 1 and a[0].status == calls.RETURNED]
    unset = [
        r
        for a in work.answers
        for r in a[1:]
        if r.status == calls.RAISED and r.error[0][0] == "AttributeError"
    ]
    blank = len(ellipses) + len(unwritten)
    return blank > 0 and blank + len(built) + len(unset) == len(results)


def changed(given: tuple, got: Result) -> list[int]:
    """The numbers of the arguments that differ after the call."""
    return [
        number
        for number, (before, after) in enumerate(zip(given, got.after))
        if isinstance(before, (np.ndarray, list)) and not identical(before, after)
    ]


def given(call: Call, number: int) -> tuple:
    """The arguments of step `number` of a call; step 0 is the call itself."""
    return call.args if number == 0 else call.steps[number - 1].args


def _result_fault(
    challenge: Challenge, call: Call, want: Result, got: Result, what: str
) -> Wrong | None:
    if got.status == calls.TIMED_OUT:
        return TIMED_OUT, Fault("time", sentences.not_finished(what, challenge.seconds))
    if got.status == calls.INTERRUPTED:
        return TIMED_OUT, Fault("time", f"{what} was interrupted before it finished.")
    if got.status == calls.OUT_OF_MEMORY:
        return OUT_OF_MEMORY, Fault("memory", f"{what} asked for more memory than there is.")
    if got.status == calls.TOO_LARGE:
        return REFUSED, Fault("type", sentences.too_much(what, got))
    if got.status == calls.RAISED:
        return CRASHED, Fault("returned", sentences.raised(what, got))
    odd = next(refused(got.value), None)
    if odd is not None:
        return REFUSED, Fault("type", sentences.not_judged(what, odd.type_name, odd.why))
    found = _value_fault(challenge, call, want.value, got, what)
    return None if found is None else (FAILED, found)


def _value_fault(
    challenge: Challenge, call: Call, want: Any, got: Result, what: str
) -> Fault | None:
    value = got.value
    if value is Ellipsis:
        return Fault("returned", f"{what} still returns `...`.")
    if value is None and want is not None:
        none_too = any(_is_none_answer(case, challenge) for case in challenge.cases)
        return Fault("returned", sentences.nothing_returned(what, got.printed, none_too))
    if challenge.free_form:
        return challenge.compare(call, want, value)
    shaped = conform(want, value)
    if isinstance(shaped, Fault):
        asked = "" if call.steps else f"{challenge.asked} is asked for. "
        return Fault(shaped.step, f"{what}: {asked}{shaped.reason}")
    infinite = first_not_finite(want, shaped)
    if infinite:
        return Fault("finite", f"{what}: {infinite}")
    if challenge.compare is not None:
        return challenge.compare(call, want, shaped)
    different = difference(want, shaped, challenge.absolute, challenge.relative)
    return Fault(VALUE, f"{what}: {different}") if different else None


def _is_none_answer(case: Case, challenge: Challenge) -> bool:
    if case.raises is not None or case.steps or any(isinstance(a, Layer) for a in case.args):
        return False
    return challenge.reference(*case.args, **case.kwargs) is None


def _error_fault(case: Case, got: Result, what: str) -> Wrong | None:
    name = case.raises.error.__name__
    if got.status in calls.ENDED_ALL:
        return TIMED_OUT, Fault("time", sentences.not_finished(what))
    if got.status != calls.RAISED:
        if got.value is Ellipsis:
            return FAILED, Fault("returned", f"{what} still returns `...`.")
        return FAILED, Fault("error", sentences.wrong_error(what, name, None))
    names, message, _ = got.error
    if name not in names:
        return FAILED, Fault("error", sentences.wrong_error(what, name, got.error))
    missing = [w for w in case.raises.words if not _names(message, w)]
    if missing:
        return FAILED, Fault("error", sentences.message_without(what, missing, message))
    return None


def _names(message: str, word: str) -> bool:
    """Whether a message holds a word; a number must be one of a few, so that it tells something."""
    if not word.isdecimal():
        return word in message
    numbers = set(re.findall(r"\d+", message))
    return word in numbers and len(numbers) <= MOST_NUMBERS_NAMED


def _changed_fault(given: tuple, got: Result, what: str) -> Wrong | None:
    for number in changed(given, got):
        return FAILED, Fault("unchanged", sentences.changed_argument(what, number))
    return None
