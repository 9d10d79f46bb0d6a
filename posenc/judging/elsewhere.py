"""The right answer to another question: what the reference returns for changed arguments."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from posenc.judging import values
from posenc.judging.calls import Call, Layer
from posenc.judging.sentences import ordinal

Array = np.ndarray
Change = Callable[[dict[str, Any]], dict[str, Any] | None]
BASES = (10000.0, 1000.0, 100000.0, 10.0, 100.0, 2.0, math.e)


@dataclass
class Elsewhere:
    """What a right function answers to calls that are like these.

    Kept for all wrong answers of a pile; each value is computed when it is first asked for.
    """

    calls: Sequence[Call]
    right: Callable[..., Any]
    abouts: Sequence[str] = ()
    known: dict[tuple, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.signature = signature_of(self.right)
        self.changes = dict(self._changes()) if self.signature else {}

    def call(self, number: int) -> Call:
        """Call `number`."""
        return self.calls[number]

    def value(self, key: str, number: int, name: str) -> Any:
        """What the changed call number `number` returns, in its part `name`; None if nothing."""
        change = self.changes.get(key)
        if change is None:
            return None
        place = (key, number)
        if place not in self.known:
            self.known[place] = self._called(change, number)
        return part_of(self.known[place], name)

    def given_arrays(self, number: int) -> list[tuple[str, Array]]:
        """The arrays that call number `number` is given, by name, as real numbers."""
        given = self._given(self.calls[number]) or {}
        return [
            (f"`{name}` as it was given", np.asarray(value, dtype=float))
            for name, value in given.items()
            if isinstance(value, Array) and value.dtype.kind in "if"
        ]

    def fitting(self, number: int, name: str, got: Array) -> Iterator[str]:
        """The changes after which the reference returns `got`."""
        for key in self.changes:
            found = self.value(key, number, name)
            if found is not None and found.shape == got.shape:
                size = max(float(np.abs(got).max()), 1e-12) if got.size else 1.0
                if bool((np.abs(found - got) <= 2e-5 * size).all()):
                    yield key

    def kinds(self) -> list[tuple[str, frozenset[int]]]:
        """Properties of arguments by which calls fall into two groups: words, and the calls."""
        found: dict[frozenset[int], str] = {}
        everything = range(len(self.calls))
        given = [self._given(call) or {} for call in self.calls]
        for name in {n for call in self.calls for n in call.kwargs}:
            some = frozenset(i for i in everything if name in self.calls[i].kwargs)
            found.setdefault(some, f"where `{name}` is given")
        for name in self.signature.parameters if self.signature else ():
            numbers = [g.get(name) for g in given]
            if all(_is_whole(n) for n in numbers):
                odd = frozenset(i for i in everything if numbers[i] % 2)
                found.setdefault(odd, f"where `{name}` is odd")
                found.setdefault(frozenset(everything) - odd, f"where `{name}` is even")
                below = frozenset(i for i in everything if numbers[i] < 0)
                found.setdefault(below, f"where `{name}` is negative")
            for word in {n for n in numbers if isinstance(n, str)}:
                some = frozenset(i for i in everything if numbers[i] == word)
                found.setdefault(some, f"where `{name}` is {word!r}")
        for about in set(self.abouts):
            some = frozenset(i for i in everything if self.abouts[i] == about)
            if about and len(some) > 1:
                found.setdefault(some, f"in this case: {about}")
        return [(words, some) for some, words in found.items() if 1 < len(some) < len(self.calls)]

    def _called(self, change: Change, number: int) -> Any:
        given = self._given(self.calls[number])
        if given is None:
            return None
        try:
            with np.errstate(all="ignore"):
                changed = change(dict(given))
                if changed is None or self._too_large(changed):
                    return None
                return values.plain(self.right(**changed))
        except Exception:  # the changed arguments are no sensible question
            return None

    def _too_large(self, changed: dict[str, Any]) -> bool:
        """Whether a whole number is far beyond all that the calls give under its name."""
        return any(
            _is_whole(value) and abs(value) > 4 * self._largest.get(name, 0) + 16
            for name, value in changed.items()
        )

    @cached_property
    def _largest(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for call in self.calls:
            for name, value in (self._given(call) or {}).items():
                if _is_whole(value):
                    found[name] = max(found.get(name, 0), abs(int(value)))
        return found

    def _given(self, call: Call) -> dict[str, Any] | None:
        """The arguments by name, defaults included."""
        if self.signature is None or call.steps:
            return None
        try:
            bound = self.signature.bind(*call.args, **call.kwargs)
        except TypeError:
            return None
        bound.apply_defaults()
        return {n: v.build() if isinstance(v, Layer) else v for n, v in bound.arguments.items()}

    def _changes(self) -> Iterator[tuple[str, Change]]:
        parameters = list(self.signature.parameters.values())
        example = next((g for c in self.calls if (g := self._given(c)) is not None), {})
        for parameter in parameters:
            yield from _changes_of(parameter, example.get(parameter.name))
        yield from _exchanges(parameters, example)


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The parameters by position or name; None for a class, or where there is no telling."""
    if isinstance(function, type):
        return None
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    kinds = {p.kind for p in signature.parameters.values()}
    if inspect.Parameter.VAR_POSITIONAL in kinds or inspect.Parameter.VAR_KEYWORD in kinds:
        return None
    chosen = [
        p for p in signature.parameters.values() if p.kind is not inspect.Parameter.KEYWORD_ONLY
    ]
    return signature.replace(parameters=chosen)


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _with(name: str, change: Callable[[Any], Any]) -> Change:
    def does(given: dict[str, Any]) -> dict[str, Any] | None:
        changed = change(given[name])
        return None if changed is None else {**given, name: changed}

    return does


def _changes_of(parameter: inspect.Parameter, value: Any) -> Iterator[tuple[str, Change]]:
    name = parameter.name
    if _is_whole(value):
        for words, change in WHOLE.items():
            yield f"{words.format(name)} in place of `{name}`", _with(name, change)
    if isinstance(value, float):
        for base in BASES:
            yield f"{base:g} in place of `{name}`", _with(name, lambda v, b=base: b)
        for words, change in REAL.items():
            yield f"{words.format(name)} in place of `{name}`", _with(name, change)
    if isinstance(value, Array) and value.dtype.kind in "if":
        for words, change in ARRAYS.items():
            yield f"`{name}` {words}", _with(name, change)
    if isinstance(value, Array) and value.dtype.kind == "b":
        yield f"`{name}` inverted", _with(name, np.logical_not)
        yield f"`{name}` in reverse order", _with(name, lambda v: v[::-1])
    if isinstance(value, list):
        yield f"`{name}` in reverse order", _with(name, lambda v: v[::-1])
        yield f"`{name}` sorted", _with(name, sorted)
        yield f"`{name}` without repeats", _with(name, lambda v: list(dict.fromkeys(v)))
        yield f"`{name}` without its last item", _with(name, lambda v: v[:-1])
        yield f"`{name}` without its first item", _with(name, lambda v: v[1:])


WHOLE: dict[str, Callable[[int], int]] = {
    "`{0}` + 1": lambda v: v + 1,
    "`{0}` − 1": lambda v: v - 1,
    "`{0}` + 2": lambda v: v + 2,
    "twice `{0}`": lambda v: 2 * v,
    "half of `{0}`": lambda v: v // 2,
    "`{0}` with its sign turned round": lambda v: -v,
    "the size of `{0}` without its sign": abs,
    "0": lambda v: 0,
    "1": lambda v: 1,
    "`{0}` rounded down to an even number": lambda v: v - v % 2,
    "`{0}` rounded up to an even number": lambda v: v + v % 2,
}
REAL: dict[str, Callable[[float], float]] = {
    "twice `{0}`": lambda v: 2 * v,
    "half of `{0}`": lambda v: v / 2,
    "one over `{0}`": lambda v: 1 / v,
    "the square root of `{0}`": lambda v: v**0.5,
    "the square of `{0}`": lambda v: v * v,
    "2π times `{0}`": lambda v: 2 * math.pi * v,
    "`{0}` over 2π": lambda v: v / (2 * math.pi),
    "1 minus `{0}`": lambda v: 1 - v,
    "the whole part of `{0}`": lambda v: float(int(v)),
}
ARRAYS: dict[str, Callable[[Array], Array | None]] = {
    "in reverse order": lambda v: v[::-1],
    "with its sign turned round": lambda v: -v,
    "plus 1": lambda v: v + 1,
    "minus 1": lambda v: v - 1,
    "times 2": lambda v: v * 2,
    "halved": lambda v: v / 2,
    "transposed": lambda v: v.T if v.ndim == 2 else None,
    "with its columns in reverse order": lambda v: v[..., ::-1] if v.ndim > 1 else None,
    "sorted": lambda v: np.sort(v, axis=-1),
    "times the square root of its width": lambda v: v * v.shape[-1] ** 0.5,
    "over the square root of its width": lambda v: v / v.shape[-1] ** 0.5,
    "with each row scaled to length 1": lambda v: (
        v / np.linalg.norm(v, axis=-1, keepdims=True) if v.ndim > 1 else None
    ),
    "less its mean": lambda v: v - v.mean(),
    "with its mean over the rows taken off": lambda v: v - v.mean(axis=0),
    "without its signs": np.abs,
    "cut to whole numbers": lambda v: v.astype(int).astype(v.dtype),
    "numbered 0, 1, 2, … instead": lambda v: (
        np.arange(len(v)).astype(v.dtype) if v.ndim == 1 else None
    ),
}


def _exchanges(parameters: list, example: dict[str, Any]) -> Iterator[tuple[str, Change]]:
    for n, one in enumerate(parameters):
        for other in parameters[n + 1 :]:
            a, b = example.get(one.name), example.get(other.name)
            numbers = _is_whole(a) and _is_whole(b)
            arrays = isinstance(a, Array) and isinstance(b, Array) and a.ndim == b.ndim
            lists = isinstance(a, list) and isinstance(b, list)
            if not (numbers or arrays or lists):
                continue
            words = f"`{one.name}` and `{other.name}` exchanged"
            yield words, _exchange(one.name, other.name)
            if arrays or numbers:
                for kept, lost in ((one.name, other.name), (other.name, one.name)):
                    yield f"`{kept}` in place of `{lost}`", _copied(kept, lost)


def _exchange(one: str, other: str) -> Change:
    return lambda given: {**given, one: given[other], other: given[one]}


def _copied(kept: str, lost: str) -> Change:
    return lambda given: {**given, lost: given[kept]}


def part_of(value: Any, name: str) -> Array | None:
    """The part of a value that has this name, as an array of real numbers."""
    for found, part in parts(value):
        if found == name:
            return part
    return None


def parts(value: Any) -> Iterator[tuple[str, Array]]:
    """The arrays and numbers in a value, each with its name."""
    if isinstance(value, (tuple, list)):
        try:
            as_array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            as_array = None
        if isinstance(value, list) and as_array is not None:
            yield "", as_array
            return
        for number, item in enumerate(value):
            single = as_number(item)
            if single is not None:
                yield f"the {ordinal(number)} value", single
        return
    if isinstance(value, dict):
        for key, item in value.items():
            single = as_number(item)
            if single is not None:
                yield f"the entry {key!r}", single
        return
    single = as_number(value)
    if single is not None:
        yield "", single


def as_number(value: Any) -> Array | None:
    """An array or number as real numbers; None for anything else."""
    if isinstance(value, (bool, int, float, np.number, np.bool_)) or (
        isinstance(value, Array) and value.dtype.kind in "biuf"
    ):
        return np.asarray(value, dtype=float)
    return None


def quantities(
    signature: inspect.Signature | None, call: Call, want: Array
) -> list[tuple[str, float]]:
    """Numbers that a call has to do with, in words: arguments, lengths, and what is asked for."""
    found: dict[str, float] = {}
    names = list(signature.parameters) if signature else []
    given = {**dict(zip(names, call.args)), **call.kwargs}
    for name, value in given.items():
        if isinstance(value, bool):
            continue
        if isinstance(value, (int, float)):
            found[f"`{name}`"] = float(value)
        elif isinstance(value, list):
            found[f"the number of items in `{name}`"] = float(len(value))
        elif isinstance(value, Array):
            for axis, length in enumerate(value.shape):
                place = {1: "entries", 2: ("rows", "columns")[axis % 2]}.get(value.ndim)
                words = f"the number of {place} of `{name}`" if place else f"`{name}.shape[{axis}]`"
                found[words] = float(length)
    if want.ndim:
        for axis, length in enumerate(want.shape):
            found.setdefault(f"the length of axis {axis} of the answer", float(length))
        if want.size > 2 and want.dtype.kind == "f":
            found["the largest entry asked for"] = float(np.abs(want).max())
            found["the sum of the entries asked for"] = float(abs(want.sum()))
            found["the length of the whole answer as one vector"] = float(np.linalg.norm(want))
    return [(words, value) for words, value in found.items() if value and math.isfinite(value)]
