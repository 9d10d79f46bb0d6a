"""A challenge and what a learner's code returned, to a verdict. No notebook, process or screen here.

`plan` turns a challenge and a seed into calls; something else makes them where the learner's code
lives (`posenc.judging.calls.perform`); `judge` compares what came back with the reference's answers and,
where they differ, with the answers of every mistake that the challenge knows.

A verdict goes step by step: found, callable, returned something, type, shape, finite, value or
property, inputs unchanged, and last what mistake it looks like.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from posenc.judging import values
from posenc.judging.calls import Call, Layer, Result, Work, perform
from posenc.judging.model import Case, Challenge, Fault, Misconception

PASSED = "passed"
FAILED = "failed"
NOT_ATTEMPTED = "not attempted"
NOT_FOUND = "not found"
CRASHED = "crashed"
TIMED_OUT = "timed out"
OUT_OF_MEMORY = "out of memory"
REFUSED = "refused"
UNREADABLE = "unreadable"
OUTCOMES = (
    PASSED,
    FAILED,
    NOT_ATTEMPTED,
    NOT_FOUND,
    CRASHED,
    TIMED_OUT,
    OUT_OF_MEMORY,
    REFUSED,
    UNREADABLE,
)
# Arrays up to this many entries are written out in the failing call; larger ones are named by seed.
MOST_ENTRIES_SHOWN = 24


@dataclass(frozen=True)
class Verdict:
    """What came of one challenge.

    step: where the verdict stopped. reason: what was asked and what came. misconception: the id of
    the mistake recognised, with looks_like and think. failing_call: a line to copy. mend_first: says
    so where an earlier challenge, still wrong, is called by this answer. right of calls were right.
    """

    challenge: str
    outcome: str
    points: int
    out_of: int
    step: str
    reason: str
    misconception: str | None = None
    looks_like: str = ""
    think: str = ""
    failing_call: str = ""
    mend_first: str = ""
    seed: int = 0
    right: int = 0
    calls: int = 0

    @property
    def passed(self) -> bool:
        """Whether the points are earned."""
        return self.outcome == PASSED

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for a report."""
        return asdict(self)


@dataclass(frozen=True)
class Plan:
    """The cases that one challenge is judged on with one seed, and the answers that are known."""

    challenge: Challenge
    seed: int
    cases: tuple[Case, ...]

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """What must be called, as data."""
        return tuple(case.call() for case in self.cases)

    @cached_property
    def expected(self) -> Work:
        """What the reference returns."""
        return perform(self.calls, self.challenge.reference, quiet=False)

    @cached_property
    def mistaken(self) -> tuple[tuple[Misconception, Work], ...]:
        """What each known mistake returns."""
        return tuple(
            (m, perform(self.calls, m.does, quiet=False)) for m in self.challenge.misconceptions
        )


def plan(challenge: Challenge, seed: int) -> Plan:
    """The fixed cases of `challenge`, then those drawn from `seed`."""
    rng = np.random.default_rng([seed, *(int(part) for part in challenge.id.split("."))])
    return Plan(challenge, seed, (*challenge.cases, *challenge.draw(rng)))


def unfinished(challenge: Challenge, outcome: str, reason: str, seed: int = 0) -> Verdict:
    """A verdict that a runner reaches by itself: the process died, hung, or was never there."""
    if outcome not in OUTCOMES or outcome == PASSED:
        raise ValueError(f"outcome: {outcome!r} came; allowed are {', '.join(OUTCOMES[1:])}")
    return Verdict(challenge.id, outcome, 0, challenge.points, "ran", reason, seed=seed)


def judge(plan: Plan, work: Work, wrong_before: Collection[str] = ()) -> Verdict:
    """The verdict on `work`, the answers to `plan.calls`.

    wrong_before: ids of challenges of the same lesson that are known to be wrong.
    """
    challenge = plan.challenge
    blank = Verdict(
        challenge.id,
        FAILED,
        0,
        challenge.points,
        "found",
        "",
        seed=plan.seed,
        calls=len(plan.calls),
    )
    if work.found == "missing":
        reason = f"No `{challenge.name}` is defined in the notebook."
        return replace(blank, outcome=NOT_FOUND, reason=reason)
    if work.found != "callable":
        if work.found == "ellipsis":
            return replace(blank, outcome=NOT_ATTEMPTED, reason=_not_attempted(challenge))
        reason = (
            f"`{challenge.name}` is a value of type {work.found}, not a function. "
            "Was the name used again for a result?"
        )
        return replace(blank, step="callable", reason=reason)
    if _untouched(work):
        return replace(
            blank, outcome=NOT_ATTEMPTED, step="returned", reason=_not_attempted(challenge)
        )
    faults = [_fault(plan, index, work) for index in range(len(plan.calls))]
    right = faults.count(None)
    if right == len(faults):
        return _all_right(plan, work, replace(blank, right=right))
    index = next(i for i, found in enumerate(faults) if found is not None)
    outcome, fault = faults[index]
    verdict = replace(
        blank,
        outcome=outcome,
        step=fault.step,
        reason=fault.reason,
        failing_call=failing_call(plan, index, _failing_step(plan, index, work)),
        mend_first=_mend_first(challenge, work, wrong_before),
        right=right,
    )
    mistake = None if outcome == TIMED_OUT else recognise(plan, work)
    if mistake is None:
        return verdict
    return replace(
        verdict,
        outcome=FAILED,
        misconception=mistake.id,
        looks_like=mistake.looks_like,
        think=mistake.think,
    )


def _all_right(plan: Plan, work: Work, blank: Verdict) -> Verdict:
    """The verdict where every call is right; only a look at all values together can still fail it."""
    challenge, reason = plan.challenge, f"{blank.right} of {blank.calls} calls right."
    if challenge.met is not None:
        said = challenge.met(plan.calls, [answer[-1].value for answer in work.answers])
        if isinstance(said, Fault):
            return replace(blank, step=said.step, reason=said.reason)
        reason = f"{reason} {said}"
    return replace(blank, outcome=PASSED, points=challenge.points, step="done", reason=reason)


def recognise(plan: Plan, work: Work) -> Misconception | None:
    """The known mistake whose answers to every call are those of `work`, or None."""
    for mistake, known in plan.mistaken:
        if mistake.fits is not None:
            if _fits_all(mistake, plan, work):
                return mistake
        elif _same_work(plan, work, known):
            return mistake
    return None


def failing_call(plan: Plan, index: int, step: int = 0) -> str:
    """Call number `index` of the plan as a line of code to copy."""
    call, name = plan.calls[index], plan.challenge.name
    if _short(call.args):
        line = f"{name}({_arguments(call.args, call.kwargs)})"
    else:
        given = f'*case("{plan.challenge.id}", {index}, seed={plan.seed})'
        line = f"{name}({', '.join([given, *_keywords(call.kwargs)])})"
    if call.steps and step > 0:
        taken = call.steps[step - 1]
        if taken.reads:
            return f"{line}.{taken.name}"
        if _short(taken.args):
            return f"{line}.{taken.name}({_arguments(taken.args, taken.kwargs)})"
        return f'{line}.{taken.name}(*case("{plan.challenge.id}", {index}, seed={plan.seed}, step={step}))'
    return line


# ------------------------------------------------------------------ one call


def _fault(plan: Plan, index: int, work: Work) -> tuple[str, Fault] | None:
    """What is wrong with the answer to one call, and the outcome that it means; None if nothing."""
    challenge, case = plan.challenge, plan.cases[index]
    if index >= len(work.answers) or not work.answers[index]:
        return FAILED, Fault("returned", "This call was not reached.")
    answer, expected = work.answers[index], plan.expected.answers[index]
    for number, want in enumerate(expected):
        if number >= len(answer):
            return FAILED, Fault("returned", "This step was not reached.")
        last = number == len(expected) - 1
        what = _what(plan, index, number)
        if case.raises is not None and last:
            found = _error_fault(case, answer[number], what)
        else:
            found = _result_fault(challenge, plan.calls[index], want, answer[number], what)
        if found is None:
            found = _changed_fault(_given(plan.calls[index], number), answer[number], what)
        if found is not None:
            return found
    return None


def _result_fault(
    challenge: Challenge, call: Call, want: Result, got: Result, what: str
) -> tuple[str, Fault] | None:
    limit = f"{challenge.seconds:g} s"
    if got.status == "timed out":
        return TIMED_OUT, Fault(
            "time", f"{what} had not finished when the {limit} for all calls were over."
        )
    if got.status == "interrupted":
        return TIMED_OUT, Fault("time", f"{what} was interrupted before it finished.")
    if got.status == "out of memory":
        return OUT_OF_MEMORY, Fault("memory", f"{what} asked for more memory than there is.")
    if got.status == "too large":
        return REFUSED, Fault("type", f"{what} returned too much to be looked at: {got.error[1]}.")
    if got.status == "raised":
        return CRASHED, Fault("returned", _raised(what, got))
    refused = next(_refused(got.value), None)
    if refused is not None:
        return REFUSED, Fault(
            "type", f"{what} returned a {refused.type_name}, which is not judged: {refused.why}."
        )
    fault = _value_fault(challenge, call, want.value, got, what)
    return None if fault is None else (FAILED, fault)


def _value_fault(
    challenge: Challenge, call: Call, want: Any, got: Result, what: str
) -> Fault | None:
    value = got.value
    if value is Ellipsis:
        return Fault("returned", f"{what} still returns `...`.")
    if value is None and want is not None:
        return Fault("returned", _nothing(challenge, what, got.printed))
    if challenge.free_form:
        return challenge.compare(call, want, value)
    shaped = conform(want, value)
    if isinstance(shaped, Fault):
        asked = "" if call.steps else f"{challenge.asked} is asked. "
        return Fault(shaped.step, f"{what}: {asked}{shaped.reason}")
    infinite = _first_not_finite(want, shaped)
    if infinite:
        return Fault("finite", f"{what}: {infinite}")
    if challenge.compare is not None:
        return challenge.compare(call, want, shaped)
    different = difference(want, shaped, challenge.absolute, challenge.relative)
    return Fault("value", f"{what}: {different}") if different else None


def _nothing(challenge: Challenge, what: str, printed: bool) -> str:
    if any(_is_none_answer(case, challenge) for case in challenge.cases):
        return f"{what} returned None, but there is an answer to give here."
    if printed:
        return f"{what} printed something and returned nothing. A printed value cannot be used; return it."
    return f"{what} returned nothing; is the `return` missing?"


def _is_none_answer(case: Case, challenge: Challenge) -> bool:
    if case.raises is not None or case.steps or any(isinstance(a, Layer) for a in case.args):
        return False
    return challenge.reference(*case.args, **case.kwargs) is None


def _error_fault(case: Case, got: Result, what: str) -> tuple[str, Fault] | None:
    asked = case.raises
    name = asked.error.__name__
    if got.status in ("timed out", "interrupted"):
        return TIMED_OUT, Fault("time", f"{what} had not finished when the time was over.")
    if got.status != "raised":
        if got.value is Ellipsis:
            return FAILED, Fault("returned", f"{what} still returns `...`.")
        return FAILED, Fault("error", f"{what} should end in a {name}; it returned a value.")
    names, message, _ = got.error
    if name not in names:
        return FAILED, Fault(
            "error", f"{what} should end in a {name}; it ended in {names[0]}: {message}"
        )
    missing = [w for w in asked.words if w not in message]
    if missing:
        listed = " and ".join(missing)
        said = message or "(empty)"
        return FAILED, Fault(
            "error", f"{what} should name {listed} in its message; the message is: {said}"
        )
    return None


def _changed_fault(given: tuple, got: Result, what: str) -> tuple[str, Fault] | None:
    for number in _changed(given, got):
        reason = (
            f"{what} changed its {_ordinal(number)} argument in place; whoever called it still needs "
            "the old values. Work on a copy."
        )
        return FAILED, Fault("unchanged", reason)
    return None


def _changed(given: tuple, got: Result) -> list[int]:
    """The numbers of the arguments that differ after the call."""
    return [
        number
        for number, (before, after) in enumerate(zip(given, got.after))
        if isinstance(before, (np.ndarray, list)) and not _identical(before, after)
    ]


def _identical(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray):
        return (
            isinstance(after, np.ndarray)
            and before.shape == after.shape
            and bool(np.array_equal(before, after, equal_nan=before.dtype.kind == "f"))
        )
    return type(before) is type(after) and before == after


def _given(call: Call, number: int) -> tuple:
    """The arguments of step `number` of a call; step 0 is the call itself."""
    return call.args if number == 0 else call.steps[number - 1].args


# ------------------------------------------------------------------ type, shape, finite, value


def conform(want: Any, value: Any) -> Any:
    """`value` in the form of `want`, or a Fault at step 'type' or 'shape'.

    Tuples, lists and arrays of plain numbers stand for each other; whole values stand for ints;
    bools and numbers do not stand for each other.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()].item()
    if isinstance(want, np.ndarray):
        return _as_array(want, value)
    if isinstance(want, (tuple, list)):
        return _as_sequence(want, value)
    if isinstance(want, dict):
        return _as_dict(want, value)
    if want is None or isinstance(want, str):
        return value if want is None or isinstance(value, str) else _came("type", value)
    if isinstance(value, bool) is not isinstance(want, bool):
        return _bool_fault(isinstance(want, bool), value)
    if isinstance(want, bool):
        return value
    if not isinstance(value, (int, float)):
        return _came("type", value)
    if isinstance(want, int) and isinstance(value, float) and np.isfinite(value):
        if value != int(value):
            return Fault("type", f"{value:.6g} came, which is not a whole number.")
        return int(value)
    return value


def _as_array(want: np.ndarray, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        value = _stacked(value)
        if isinstance(value, Fault):
            return value
    if not isinstance(value, np.ndarray):
        return _came("shape" if isinstance(value, (bool, int, float)) else "type", value)
    if value.dtype.kind == "c":
        return Fault("type", "Complex numbers came.")
    if value.size and (value.dtype.kind == "b") is not (want.dtype.kind == "b"):
        return _bool_fault(want.dtype.kind == "b", value)
    if value.shape != want.shape:
        return Fault(
            "shape",
            f"The shape should be {want.shape}; {value.shape} came.{_shape_guess(want, value)}",
        )
    return value


def _stacked(value: Any) -> np.ndarray | Fault:
    """A list or tuple, nested or not, as an array of bools or of numbers."""
    kinds = {_kind(leaf) for leaf in _leaves(value)}
    if not kinds <= {"bool", "number"}:
        odd = next(leaf for leaf in _leaves(value) if _kind(leaf) not in ("bool", "number"))
        return Fault("type", f"A {type(value).__name__} came with {_called(odd)} in it.")
    if len(kinds) > 1:
        return Fault(
            "type", f"A {type(value).__name__} came that mixes True or False with numbers."
        )
    try:
        return np.array(value)
    except ValueError:
        return Fault("shape", f"A {type(value).__name__} came whose rows have different lengths.")


def _leaves(value: Any) -> Iterator[Any]:
    for item in value:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def _kind(leaf: Any) -> str:
    if isinstance(leaf, np.ndarray):
        return {"b": "bool"}.get(leaf.dtype.kind, "number" if leaf.dtype.kind in "iuf" else "other")
    if isinstance(leaf, bool):
        return "bool"
    return "number" if isinstance(leaf, (int, float)) else "other"


def _as_sequence(want: tuple | list, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = list(value) if value.ndim > 1 else value.tolist()
    if not want and isinstance(value, dict) and not value:
        return ()
    if not isinstance(value, (list, tuple)):
        return _came("type", value)
    if len(value) != len(want):
        return Fault("shape", f"{len(want)} values are asked; {len(value)} came.")
    parts = []
    for number, (one, other) in enumerate(zip(want, value)):
        part = conform(one, other)
        if isinstance(part, Fault):
            return Fault(
                part.step, f"The {_ordinal(number)} of the {len(want)} values: {part.reason}"
            )
        parts.append(part)
    return tuple(parts)


def _as_dict(want: dict, value: Any) -> Any:
    if not isinstance(value, dict):
        return _came("type", value)
    missing = [repr(k) for k in want if k not in value]
    extra = [repr(k) for k in value if k not in want]
    if missing or extra:
        parts = [f"missing: {', '.join(missing)}"] if missing else []
        parts += [f"not asked: {', '.join(extra)}"] if extra else []
        return Fault("type", f"The keys differ; {'; '.join(parts)}.")
    found = {}
    for key, one in want.items():
        part = conform(one, value[key])
        if isinstance(part, Fault):
            return Fault(part.step, f"The entry {key!r}: {part.reason}")
        found[key] = part
    return found


def difference(want: Any, got: Any, absolute: float, relative: float) -> str:
    """Where `got`, of the form of `want`, first differs, in words; '' where it does not.

    Real numbers may differ by `absolute` plus `relative` times the size asked; all else is exact.
    """
    if isinstance(want, np.ndarray):
        wrong = ~_close(want, got, absolute, relative)
        if not wrong.any():
            return ""
        place = [int(n) for n in np.argwhere(wrong)[0]]
        held = _number(got[tuple(place)])
        if int(wrong.sum()) == wrong.size:
            return f"all {wrong.size} entries differ; yours holds {held} at {place}."
        return f"{int(wrong.sum())} of {wrong.size} entries differ; the first is at {place}, where yours holds {held}."
    if isinstance(want, tuple | list):
        for number, (one, other) in enumerate(zip(want, got)):
            found = difference(one, other, absolute, relative)
            if found:
                return f"the {_ordinal(number)} value is off: {found}"
        return ""
    if isinstance(want, dict):
        for key, one in want.items():
            found = difference(one, got[key], absolute, relative)
            if found:
                return f"the entry {key!r} is off: {found}"
        return ""
    if isinstance(want, float) and not isinstance(want, bool):
        same = isinstance(got, (int, float)) and bool(
            _close(np.array(want), np.array(got), absolute, relative)
        )
    else:
        same = type(want) is type(got) and want == got
    return "" if same else f"{_number(got)} came, which is not the answer."


def _close(want: np.ndarray, got: np.ndarray, absolute: float, relative: float) -> np.ndarray:
    if want.dtype.kind != "f":
        return np.asarray(got == want)
    with np.errstate(all="ignore"):
        near = np.abs(got.astype(float) - want) <= absolute + relative * np.abs(want)
    # Only a mistake's own answer holds NaN or infinity here: equal ones count as the same mistake.
    return near | (got == want) | (np.isnan(want) & np.isnan(got.astype(float)))


def _first_not_finite(want: Any, got: Any) -> str:
    if isinstance(want, np.ndarray) and got.dtype.kind == "f":
        bad = ~np.isfinite(got)
        if want.dtype.kind == "f":
            bad &= np.isfinite(want)
        if bad.any():
            place = [int(n) for n in np.argwhere(bad)[0]]
            return (
                f"{int(bad.sum())} of {bad.size} entries are not finite; the first is "
                f"{got[tuple(place)]} at {place}."
            )
    if isinstance(want, (tuple, list)):
        return next(filter(None, map(_first_not_finite, want, got)), "")
    if isinstance(want, dict):
        return next(filter(None, (_first_not_finite(v, got[k]) for k, v in want.items())), "")
    if isinstance(got, float) and not np.isfinite(got):
        return f"{got} came, which is not finite."
    return ""


# ------------------------------------------------------------------ recognising a mistake


def _same_work(plan: Plan, work: Work, known: Work) -> bool:
    if len(work.answers) != len(known.answers):
        return False
    return all(
        len(a) == len(b)
        and all(
            _same_result(plan.challenge, _given(call, n), one, other)
            for n, (one, other) in enumerate(zip(a, b))
        )
        for call, a, b in zip(plan.calls, work.answers, known.answers)
    )


def _same_result(challenge: Challenge, given: tuple, one: Result, known: Result) -> bool:
    if one.status != known.status or _changed(given, one) != _changed(given, known):
        return False
    if known.status == "raised":
        return one.error[0][0] == known.error[0][0]
    return same_value(challenge, known.value, one.value)


def same_value(challenge: Challenge, known: Any, value: Any) -> bool:
    """Whether two plain values are the same answer, within the challenge's tolerance."""
    if known is None or value is None or known is Ellipsis or value is Ellipsis:
        return known is value
    if next(_refused(known), None) is not None or next(_refused(value), None) is not None:
        return isinstance(known, values.Refused) and known == value
    shaped = conform(known, value)
    if isinstance(shaped, Fault):
        return False
    return not difference(known, shaped, challenge.absolute, challenge.relative)


def _fits_all(mistake: Misconception, plan: Plan, work: Work) -> bool:
    results = [a[-1] for a in work.answers]
    if len(results) != len(plan.calls) or any(r.status != "returned" for r in results):
        return False
    return all(mistake.fits(call, r.value) for call, r in zip(plan.calls, results))


# ------------------------------------------------------------------ words


def _untouched(work: Work) -> bool:
    """Whether nothing but `...` came back: the stub as shipped, or one that only raises."""
    results = [r for answer in work.answers for r in answer]
    ellipses = [r for r in results if r.status == "returned" and r.value is Ellipsis]
    unwritten = [r for r in results if r.status == "raised" and "NotImplementedError" in r.error[0]]
    # A class is built first, and that returns nothing to judge; its attributes are not set yet.
    built = [a[0] for a in work.answers if len(a) > 1 and a[0].status == "returned"]
    unset = [
        r
        for a in work.answers
        for r in a[1:]
        if r.status == "raised" and r.error[0][0] == "AttributeError"
    ]
    blank = len(ellipses) + len(unwritten)
    return blank > 0 and blank + len(built) + len(unset) == len(results)


def _not_attempted(challenge: Challenge) -> str:
    return f"Not attempted yet: `{challenge.name}` still returns `...`."


def _failing_step(plan: Plan, index: int, work: Work) -> int:
    """The first step of a failing call that is at fault."""
    if not plan.calls[index].steps or index >= len(work.answers):
        return 0
    for number in range(len(plan.expected.answers[index])):
        cut = replace(plan.cases[index], steps=plan.cases[index].steps[:number])
        if number < len(plan.cases[index].steps):
            cut = replace(cut, raises=None)
        shorter = Plan(plan.challenge, plan.seed, (cut,))
        if number and _fault(
            shorter, 0, Work("callable", (), (work.answers[index][: number + 1],))
        ):
            return number
    return len(work.answers[index]) - 1


def _mend_first(challenge: Challenge, work: Work, wrong_before: Collection[str]) -> str:
    for name, id in challenge.builds_on.items():
        if name in work.uses and id in wrong_before:
            return f"It calls `{name}`, and {id} is not right yet. Mend {id} first, then check this one again."
    return ""


def _what(plan: Plan, index: int, number: int) -> str:
    """The call, short, with what it tests: `sinusoidal(2, 5)` (an odd width)."""
    about = plan.cases[index].about
    call, name = plan.calls[index], plan.challenge.name
    shown = f"{name}({_brief(call.args, call.kwargs)})"
    if number:
        step = call.steps[number - 1]
        shown += (
            f".{step.name}" if step.reads else f".{step.name}({_brief(step.args, step.kwargs)})"
        )
    return f"`{shown}`" + (f" ({about})" if about else "")


def _brief(args: tuple, kwargs: dict) -> str:
    """Arguments with arrays of more than six entries, and long lists, told by their shape."""
    parts = []
    for value in args:
        if isinstance(value, np.ndarray) and value.size > 6 and not _constant(value):
            parts.append(f"array of shape {value.shape}")
        elif isinstance(value, list) and len(value) > 8:
            parts.append(f"list of {len(value)}")
        else:
            parts.append(_literal(value, plain_arrays=True))
    return ", ".join([*parts, *_keywords(kwargs)])


def _arguments(args: tuple, kwargs: dict) -> str:
    return ", ".join([*(_literal(a) for a in args), *_keywords(kwargs)])


def _keywords(kwargs: dict) -> list[str]:
    return [f"{k}={_literal(v)}" for k, v in kwargs.items()]


def _short(args: tuple) -> bool:
    return not any(
        isinstance(a, Layer)
        or (isinstance(a, np.ndarray) and a.size > MOST_ENTRIES_SHOWN and not _constant(a))
        for a in args
    )


def _constant(array: np.ndarray) -> bool:
    return array.size > 6 and bool((array == array.flat[0]).all())


def _literal(value: Any, plain_arrays: bool = False) -> str:
    if isinstance(value, Layer):
        return value.name
    if isinstance(value, np.ndarray):
        if _constant(value):
            return f"np.full({value.shape}, {value.flat[0].item()!r})"
        listed = repr(value.tolist())
        kind = "" if value.size and value.dtype.kind in "fb" else f", dtype={value.dtype.name!r}"
        return (
            listed
            if plain_arrays
            else f"np.array({listed}{'' if value.dtype.kind == 'i' else kind})"
        )
    return repr(value)


def _raised(what: str, got: Result) -> str:
    names, message, line = got.error
    said = f"{names[0]}: {message.strip()}" if message else names[0]
    return f"{what} ended in {said}" + (f" (at the line `{line}`)" if line else "")


def _came(step: str, value: Any) -> Fault:
    return Fault(step, f"{_called(value)[0].upper()}{_called(value)[1:]} came.")


def _called(value: Any) -> str:
    """A value's kind in words."""
    if isinstance(value, bool):
        return f"the value {value}"
    if isinstance(value, (int, float)):
        return f"a single number, {_number(value)},"
    if isinstance(value, complex):
        return "a complex number"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if value is None or value is Ellipsis:
        return "None" if value is None else "`...`"
    return f"a {type(value).__name__}"


def _bool_fault(bools_asked: bool, value: Any) -> Fault:
    if bools_asked:
        if _kind(value) == "number":
            return Fault(
                "type", "Numbers came where True and False are asked; 1 counts, True answers."
            )
        return _came("type", value)
    return Fault("type", "True or False came where numbers are asked.")


def _shape_guess(want: np.ndarray, value: np.ndarray) -> str:
    if value.size == 0:
        return " It is empty."
    if want.ndim > 1 and value.shape == want.shape[::-1]:
        return " Rows and columns are exchanged."
    if value.ndim == 1 and value.size == want.size:
        return " The values came in one long row."
    if value.size == want.size and tuple(n for n in value.shape if n != 1) == tuple(
        n for n in want.shape if n != 1
    ):
        return " There is an axis of length 1 too many or too few."
    if value.ndim == want.ndim and any(abs(a - b) == 1 for a, b in zip(value.shape, want.shape)):
        return " One axis is off by one."
    return ""


def _refused(value: Any) -> Iterator[values.Refused]:
    if isinstance(value, values.Refused):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _refused(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _refused(item)


def _number(value: Any) -> str:
    if isinstance(value, (bool, np.bool_, str)) or value is None:
        return repr(value) if isinstance(value, str) else str(value)
    if isinstance(value, (int, np.integer)):
        return str(value)
    return f"{float(value):.6g}" if isinstance(value, (float, np.floating)) else repr(value)


def _ordinal(number: int) -> str:
    names = ("first", "second", "third", "fourth", "fifth", "sixth")
    return names[number] if number < len(names) else f"{number + 1}th"
