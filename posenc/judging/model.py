"""What a lesson sets, as data: challenges, their cases, and the mistakes that people make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from posenc.judging.calls import Call, Step

__all__ = ["Call", "Case", "Challenge", "Fault", "Misconception", "Raises", "Step"]


@dataclass(frozen=True)
class Raises:
    """An error that a call must end in: a class, and words that its message must hold."""

    error: type[BaseException]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One call of a challenge. `about` names what it tests, for the feedback ("an odd width")."""

    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    raises: Raises | None = None
    about: str = ""

    def call(self) -> Call:
        """The call, as data."""
        return Call(self.args, self.kwargs, self.steps)


@dataclass(frozen=True)
class Fault:
    """What a comparison found wrong: the step of the verdict it failed at, and a sentence."""

    step: str
    reason: str


@dataclass(frozen=True)
class Misconception:
    """A mistake that people make: a wrong implementation, and what to say of it.

    does: the wrong function or class. looks_like: one sentence that finishes "This looks as if …".
    think: what to think about next, without the answer. seen: ids of public cases, or links.
    section: the section of the lesson to show to a class that shares it; '' for the challenge's.
    fits(call, value), where given, recognises the mistake by a property of each value instead of by
    equal values, for challenges that many values answer.
    """

    id: str
    does: Callable[..., Any]
    looks_like: str
    think: str
    seen: tuple[str, ...] = ()
    fits: Callable[[Call, Any], bool] | None = None
    section: str = ""


@dataclass(frozen=True)
class Challenge:
    """One graded task: a function or a class that the learner writes.

    reference: a right answer; what the judge compares with. cases: fixed, from plain to special.
    draw(rng): further cases, from a seed that the run records. absolute and relative: tolerance of
    real numbers. compare(call, expected, got), where given, judges the value in place of equality
    (got has the type, shape and finiteness of expected unless `free_form`). met(calls, values), where
    given, looks at all values together once each of them is right: it returns a sentence for the
    verdict that passes, such as which of two conventions was met, or a Fault where they do not fit
    each other. asked: what is asked for, in words, for sentences about type and shape. builds_on:
    names of earlier functions of the lesson that the answer may call, with the challenge each belongs
    to. seconds: for all calls. section: the section of the lesson that teaches it.
    """

    id: str
    name: str
    title: str
    points: int
    minutes: int
    difficulty: int
    asked: str
    reference: Callable[..., Any]
    cases: tuple[Case, ...]
    draw: Callable[[np.random.Generator], Sequence[Case]]
    misconceptions: tuple[Misconception, ...]
    hints: tuple[str, ...]
    absolute: float = 2e-5
    relative: float = 1e-5
    compare: Callable[[Call, Any, Any], Fault | None] | None = None
    free_form: bool = False
    met: Callable[[Sequence[Call], Sequence[Any]], str | Fault] | None = None
    builds_on: dict[str, str] = field(default_factory=dict)
    seconds: float = 5.0
    section: str = ""

    @property
    def lesson(self) -> int:
        """The number of the lesson that sets it."""
        return int(self.id.split(".")[0])
