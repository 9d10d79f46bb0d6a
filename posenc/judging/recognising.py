"""Which known mistake, or which two, a wrong answer makes: the one whose answers are the same.

What mistakes return is computed once for a plan, and so once for a pile; pairs are only tried where
no single mistake fits, and then only as far as the first call that tells them apart.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from posenc.judging import calls, values
from posenc.judging.calls import Call, Result, Work, perform
from posenc.judging.combining import Pair, pairs
from posenc.judging.comparing import same_value
from posenc.judging.deciding import Plan, changed, given
from posenc.judging.model import Challenge, Misconception


@dataclass
class Known:
    """What the known mistakes of a plan return, and pairs of them."""

    plan: Plan
    _answers: dict[tuple[int, int], tuple[Result, ...]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def mistaken(self) -> tuple[tuple[Misconception, Work], ...]:
        """Each known mistake, and what it returns."""
        return tuple(
            (m, perform(self.plan.calls, m.does, quiet=False))
            for m in self.plan.challenge.misconceptions
        )

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The mistakes that can be made together."""
        return tuple(pairs(self.plan.challenge))

    def single(self, work: Work) -> Misconception | None:
        """The known mistake whose answers to every call are those of `work`, or None."""
        for mistake, known in self.mistaken:
            if mistake.fits is not None:
                if fits_all(mistake, self.plan, work):
                    return mistake
            elif same_work(self.plan, work, known):
                return mistake
        return None

    def double(self, work: Work, wrong: Sequence[int]) -> Pair | None:
        """The pair of mistakes whose answers are those of `work`; the calls `wrong` tell first."""
        if len(work.answers) != len(self.plan.calls) or _always_the_same(work):
            return None
        order = [*wrong, *(n for n in range(len(self.plan.calls)) if n not in set(wrong))]
        for number, pair in enumerate(self.pairs):
            if all(self._agrees(number, pair, index, work) for index in order):
                return pair
        return None

    def _agrees(self, number: int, pair: Pair, index: int, work: Work) -> bool:
        call, challenge, answer = self.plan.calls[index], self.plan.challenge, work.answers[index]
        if same_answer(challenge, call, answer, self._answer(number, pair, index)):
            return True
        if challenge.alike is None or answer[-1].status != calls.RETURNED:
            return False
        try:
            with np.errstate(all="ignore"):
                return challenge.alike(pair.does, call, answer[-1].value)
        except Exception:  # the two cannot be made together on this call
            return False

    def _answer(self, number: int, pair: Pair, index: int) -> tuple[Result, ...]:
        place = (number, index)
        if place not in self._answers:
            made = perform((self.plan.calls[index],), pair.does, quiet=False)
            with self._lock:
                self._answers[place] = made.answers[0]
        return self._answers[place]


def _always_the_same(work: Work) -> bool:
    """Whether every call came to the same: then many a pair of mistakes would fit."""
    first = work.answers[0][-1]
    return all(
        answer[-1].status == first.status and values.same(answer[-1].value, first.value)
        for answer in work.answers
    )


def same_work(plan: Plan, work: Work, known: Work) -> bool:
    """Whether all answers are the same, within the challenge's tolerance."""
    if len(work.answers) != len(known.answers):
        return False
    return all(
        same_answer(plan.challenge, call, a, b)
        for call, a, b in zip(plan.calls, work.answers, known.answers)
    )


def same_answer(
    challenge: Challenge, call: Call, one: Sequence[Result], known: Sequence[Result]
) -> bool:
    """Whether two answers to one call are the same, step by step."""
    return len(one) == len(known) and all(
        _same_result(challenge, given(call, n), a, b) for n, (a, b) in enumerate(zip(one, known))
    )


def _same_result(challenge: Challenge, given: tuple, one: Result, known: Result) -> bool:
    if one.status != known.status or one.lasted != known.lasted:
        return False
    if changed(given, one) != changed(given, known):
        return False
    if known.status == calls.RAISED:
        return one.error[0][0] == known.error[0][0]
    return same_value(challenge, known.value, one.value)


def fits_all(mistake: Misconception, plan: Plan, work: Work) -> bool:
    """Whether each value fits a mistake that is recognised by a property of values."""
    results = [a[-1] for a in work.answers]
    if len(results) != len(plan.calls) or any(r.status != calls.RETURNED for r in results):
        return False
    with np.errstate(all="ignore"):
        return all(mistake.fits(call, r.value) for call, r in zip(plan.calls, results))
