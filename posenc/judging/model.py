"""What a lesson sets: challenges, their cases, and the mistakes that people make.

A challenge is declared first; each mistake follows it, as a decorated function or class:

    @FREQUENCIES.mistake("the last sine is missing", "Which pair does column 4 belong to?")
    def no_lone_sine(width, base=10000.0): ...

or as the right answer with one thing changed, where a function is written with its choices:

    @FREQUENCIES.choices
    def ladder(width, base=10000.0, *, first=0): ...

    ladder.mistake("pairs-from-1", "pairs are counted from 1", "Which is the first?", first=1)
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from posenc.judging.calls import Call, Step

__all__ = [
    "Call",
    "Case",
    "Challenge",
    "Choices",
    "Fault",
    "Misconception",
    "Property",
    "Raises",
    "Step",
    "together",
]

Function = TypeVar("Function", bound=Callable[..., Any])
BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


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

    does: the wrong function or class. looks_like: one sentence that finishes "It looks as if …".
    think: what to think about next, without the answer. seen: ids of public cases, or links.
    section: the section of the lesson to show to a class that shares it; '' for the challenge's.
    fits(call, value), where given, recognises the mistake by a property of each value instead of by
    equal values, for challenges that many values answer. choices and changes: the function with
    choices that it was made from, and which of them were made otherwise. wraps: makes the mistake
    of a function that may have another one.
    """

    id: str
    does: Callable[..., Any]
    looks_like: str
    think: str
    seen: tuple[str, ...] = ()
    fits: Callable[[Call, Any], bool] | None = None
    section: str = ""
    choices: Choices | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    wraps: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None


@dataclass(frozen=True)
class Property:
    """Something that each right answer has. lacking(value, *args, **kwargs): '' or a sentence.

    The sentence holds what was measured on the value; the arguments are those of the call.
    """

    name: str
    lacking: Callable[..., str]


@dataclass(frozen=True)
class Choices:
    """A function whose keyword-only parameters are the choices that an answer makes.

    Where each of them has a default, the defaults together are a right answer.
    """

    challenge: Challenge
    function: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""
        return self.function(*args, **kwargs)

    @property
    def is_right(self) -> bool:
        """Whether each choice has a default, so that the defaults together are a right answer."""
        parameters = inspect.signature(self.function).parameters.values()
        return all(p.default is not p.empty for p in parameters if p.kind is p.KEYWORD_ONLY)

    def made(self, **changes: Any) -> Callable[..., Any]:
        """The function with these choices made otherwise."""

        @functools.wraps(self.function)
        def does(*args: Any, **kwargs: Any) -> Any:
            return self.function(*args, **kwargs, **changes)

        return does

    def mistake(
        self,
        id: str,
        looks_like: str,
        think: str,
        *,
        seen: tuple[str, ...] = (),
        section: str = "",
        fits: Callable[[Call, Any], bool] | None = None,
        **changes: Any,
    ) -> Callable[..., Any]:
        """Add the mistake of making these choices otherwise; the function that makes it."""
        does = self.made(**changes)
        self.challenge.add(
            Misconception(id, does, looks_like, think, seen, fits, section, self, changes)
        )
        return does


def together(one: Misconception, other: Misconception) -> Callable[..., Any] | None:
    """The function that makes both mistakes at once; None where that is not defined.

    It is defined where both change choices of one function, and not the same one.
    """
    if one.choices is None or one.choices is not other.choices:
        return None
    if one.changes.keys() & other.changes.keys():
        return None
    return one.choices.made(**one.changes, **other.changes)


@dataclass(frozen=True)
class Challenge:
    """One graded task: a function or a class that the learner writes.

    reference: a right answer; what the judge compares with. cases: fixed, from plain to special.
    draw(rng): further cases, from a seed that the run records. absolute and relative: tolerance of
    real numbers. compare(call, expected, got), where given, judges the value in place of equality
    (got has the type, shape and finiteness of expected unless `free_form`). alike(does, call,
    value), where given, says whether a value is that of the wrong function `does`, in place of
    equality. met(calls, values), where given, looks at all values together once each of them is
    right: it returns a sentence for the verdict that passes, such as which of two conventions was
    met, or a Fault where they do not fit each other. also_right: functions with other answers that
    pass, for measuring how a wrong one differs. canonical(call, value): a value in the form that
    stands for all that pass where it does. crossed: whether an argument of one case may stand in
    another, so that a call is made that differs in it alone; not where cases keep clear of a
    threshold. asked: what is asked for, in words, for
    sentences about type and shape. builds_on: names of earlier functions of the lesson that the
    answer may call, with the challenge each belongs to. seconds: for all calls. section: the
    section of the lesson that teaches it. Its mistakes are added below it, by `mistake` and
    `choices`.
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
    hints: tuple[str, ...]
    absolute: float = 2e-5
    relative: float = 1e-5
    compare: Callable[[Call, Any, Any], Fault | None] | None = None
    alike: Callable[[Callable[..., Any], Call, Any], bool] | None = None
    free_form: bool = False
    met: Callable[[Sequence[Call], Sequence[Any]], str | Fault] | None = None
    also_right: tuple[Callable[..., Any], ...] = ()
    canonical: Callable[[Call, Any], Any] | None = None
    crossed: bool = True
    builds_on: dict[str, str] = field(default_factory=dict)
    seconds: float = 5.0
    section: str = ""
    _mistakes: list[Misconception] = field(default_factory=list, init=False, repr=False)
    _properties: list[Property] = field(default_factory=list, init=False, repr=False)

    @property
    def lesson(self) -> int:
        """The number of the lesson that sets it."""
        return int(self.id.split(".")[0])

    @property
    def misconceptions(self) -> tuple[Misconception, ...]:
        """The mistakes that its check knows, in the order in which they were added."""
        return tuple(self._mistakes)

    @property
    def properties(self) -> tuple[Property, ...]:
        """What a right answer has, in the order in which it is looked for."""
        return tuple(self._properties)

    def has(self, lacking: Callable[..., str]) -> Callable[..., str]:
        """Decorate lacking(value, *args, **kwargs): what a wrong value lacks, in words, or ''."""
        self._properties.append(Property(lacking.__name__.replace("_", "-"), lacking))
        return lacking

    def wrapper(
        self,
        id: str,
        looks_like: str,
        think: str,
        *,
        seen: tuple[str, ...] = (),
        section: str = "",
    ) -> Callable[[Callable], Callable]:
        """Decorate wraps(right): the mistake of wrapping a function that is otherwise right."""

        def add(wraps: Callable[[Callable], Callable]) -> Callable:
            does = wraps(self.reference)
            self.add(Misconception(id, does, looks_like, think, seen, section=section, wraps=wraps))
            return wraps

        return add

    def add(self, mistake: Misconception) -> None:
        """Add a mistake. ValueError where another one has its id."""
        if any(known.id == mistake.id for known in self._mistakes):
            raise ValueError(f"{self.id} has two mistakes called {mistake.id!r}")
        if mistake.fits is None and self.alike is not None:
            mistake = replace(mistake, fits=functools.partial(self.alike, mistake.does))
        self._mistakes.append(mistake)

    def mistake(
        self,
        looks_like: str,
        think: str,
        *,
        seen: tuple[str, ...] = (),
        section: str = "",
        fits: Callable[[Call, Any], bool] | None = None,
        id: str = "",
    ) -> Callable[[Function], Function]:
        """Decorate a wrong function or class: its name, with hyphens, is the id of the mistake."""

        def add(does: Function) -> Function:
            name = BETWEEN_WORDS.sub("-", does.__name__.strip("_")).lower()
            self.add(Misconception(id or name, does, looks_like, think, seen, fits, section))
            return does

        return add

    def choices(self, function: Callable[..., Any]) -> Choices:
        """Decorate a function whose keyword-only parameters are choices, to make mistakes of."""
        return Choices(self, function)
