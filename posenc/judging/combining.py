"""Two known mistakes in one function: choices merged, or one mistake made on top of another.

A mistake that is written on the right answer, as `reference(length, width) * 2` is, can be made on
an answer that is wrong already: its code is run with that answer in place of the right one.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from posenc.judging.model import Challenge, Choices, Misconception, together

Function = Callable[..., Any]
DEEPEST = 3  # of helpers that lie between a mistake and the right answer


@dataclass(frozen=True, eq=False)
class Pair:
    """Two mistakes made together; first is the more basic one."""

    first: Misconception
    second: Misconception
    does: Function


def pairs(challenge: Challenge) -> Iterator[Pair]:
    """All pairs of a challenge's mistakes that can be made together."""
    known = challenge.misconceptions
    for n, one in enumerate(known):
        for other in known[n + 1 :]:
            merged = together(one, other)
            if merged is not None:
                yield Pair(one, other, merged)
                continue
            for first, second in ((one, other), (other, one)):
                made = on_top(challenge, second, first.does)
                if made is not None:
                    yield Pair(first, second, made)


def on_top(challenge: Challenge, mistake: Misconception, of: Function) -> Function | None:
    """The mistake, made by a function that otherwise does what `of` does; None where it cannot."""
    if mistake.wraps is not None:
        return mistake.wraps(of)
    if isinstance(mistake.does, type):
        return _class_on_top(challenge, mistake.does, of)
    if mistake.choices is not None or not isinstance(mistake.does, types.FunctionType):
        return None
    return _with(mistake.does, challenge, _adapted(of, challenge.reference), DEEPEST)


def _adapted(function: Function, reference: Function) -> Function:
    """`function`, which may also be given by place what it only takes by name."""
    if isinstance(reference, type):
        return function
    signature = inspect.signature(reference)

    def does(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            return function(**signature.bind(*args, **kwargs).arguments)

    return does


def _class_on_top(challenge: Challenge, does: type, of: Any) -> Function | None:
    """A class with the methods that one mistake overrides, and those of the other."""
    if not isinstance(of, type):
        return None
    own, others = ({n for n in vars(c) if callable(vars(c)[n])} for c in (does, of))
    related = issubclass(does, challenge.reference) and issubclass(of, challenge.reference)
    if not related or own & others:
        return None
    return type("Both", (does, of), {})


def _with(
    function: types.FunctionType, challenge: Challenge, instead: Function, depth: int
) -> Function | None:
    """`function` with the right answer replaced wherever its code names it; None if nowhere."""
    names = set(_names(function.__code__))
    changed: dict[str, Any] = {}
    for name in names & function.__globals__.keys():
        found = _replaced(function.__globals__[name], names, challenge, instead, depth)
        if found is not None:
            changed[name] = found
    cells = [_cell(c, names, challenge, instead, depth) for c in function.__closure__ or ()]
    if not changed and not any(new for _, new in cells):
        return None
    made = types.FunctionType(
        function.__code__,
        {**function.__globals__, **changed},
        function.__name__,
        function.__defaults__,
        tuple(cell for cell, _ in cells) or None,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _cell(
    cell: types.CellType, names: set[str], challenge: Challenge, instead: Function, depth: int
) -> tuple[types.CellType, bool]:
    try:
        found = _replaced(cell.cell_contents, names, challenge, instead, depth)
    except ValueError:  # a cell that is still empty
        return cell, False
    return (cell, False) if found is None else (types.CellType(found), True)


def _replaced(
    value: Any, names: set[str], challenge: Challenge, instead: Function, depth: int
) -> Any:
    """What stands for `value` where the right answer is replaced; None where it is not in it."""
    if _is_right(value, challenge):
        return instead
    if isinstance(value, types.ModuleType):
        inside = [n for n in names if _is_right(vars(value).get(n), challenge)]
        return _Module(value, dict.fromkeys(inside, instead)) if inside else None
    ours = isinstance(value, types.FunctionType) and value.__module__.startswith("posenc.lessons")
    return _with(value, challenge, instead, depth - 1) if ours and depth > 0 else None


def _is_right(value: Any, challenge: Challenge) -> bool:
    if isinstance(value, Choices):
        return value.challenge is challenge and value.is_right
    return value is challenge.reference and value is not None


class _Module:
    """A module some of whose functions are other ones."""

    def __init__(self, module: types.ModuleType, changed: dict[str, Any]) -> None:
        self._module, self._changed = module, changed

    def __getattr__(self, name: str) -> Any:
        return self._changed[name] if name in self._changed else getattr(self._module, name)


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)
