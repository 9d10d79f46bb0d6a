"""What of a lesson solves its challenges as it is: python tests/transfer.py [LESSON …]

A challenge that can be solved by copying a cell of its lesson tests nothing. Two searches look for
such cells. `functions` tries every callable that the lesson's code defines or imports under each
challenge's name. `cells` turns each cell into a function: names and numbers of the cell become the
challenge's parameters, in every way in which the kinds of values fit, and what the cell assigns or
prints is returned.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import io
import itertools
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from posenc import lessons
from posenc.authoring import sources
from posenc.judging import calls, judge

ROOT = Path(__file__).resolve().parent.parent
# What shows the course's data in place of code, and the learner's own work; not run here.
QUIET = ("ask", "case", "claim", "check", "hint", "playground", "progress", "solution")
NOT_RUN = {"challenge", "check", "uses-challenge"}
SLOW = 0.5  # seconds; a cell that takes longer trains something, and is not tried in pieces
LARGE = 50_000  # entries; nor is a cell that makes an array of more
SECONDS = 1.0  # for all calls of one try
MOST = 300  # ways to choose the parameters that are tried for one value


class Ran:
    """A lesson whose cells were run, with the names that each of them saw and left."""

    def __init__(self, number: int) -> None:
        path = next(ROOT.glob(f"solutions/{number:02d}_*.py"))
        source = sources.read(path)
        self.number = number
        self.names: dict[str, Any] = {"__name__": "a lesson"}
        self.cells: list[tuple[ast.Module, dict[str, Any], bool]] = []
        for cell in source.cells:
            if cell.kind != "code" or cell.tags & NOT_RUN:
                continue
            tree = ast.parse(cell.text)
            begin = time.monotonic()
            with _silent():
                exec(compile(tree, path.name, "exec"), self.names)
            slow = time.monotonic() - begin > SLOW or _makes_large_arrays(tree, self.names)
            for name in QUIET:
                self.names[name] = lambda *args, **kwargs: None
            self.cells.append((tree, dict(self.names), slow))


@functools.cache
def run(number: int) -> Ran:
    """The lesson, run once for both searches."""
    return Ran(number)


def functions(number: int) -> set[str]:
    """Each "challenge: callable" of a lesson in which the callable passes the challenge."""
    ran = run(number)
    found = set()
    for challenge in lessons.challenges(number):
        plan = judge.plan(challenge, 0)
        for name, thing in _callables(ran.names):
            if _takes(thing, plan) and _passes(plan, thing):
                found.add(f"{challenge.id}: {name}")
    return found


def cells(number: int) -> set[str]:
    """Each "challenge: code" of a lesson in which a cell, its names changed, passes."""
    ran = run(number)
    found = set()
    for challenge in lessons.challenges(number):
        if isinstance(challenge.reference, type):
            continue
        plan = judge.plan(challenge, 0)
        for tree, names, slow in ran.cells:
            if not slow:
                found |= {f"{challenge.id}: {code}" for code in _pasted(plan, tree, names)}
    return found


def _makes_large_arrays(tree: ast.Module, names: dict[str, Any]) -> bool:
    """Whether a cell left an array too large to be made again in a hundred ways."""
    left = (names.get(n.id) for n in ast.walk(tree) if isinstance(n, ast.Name))
    return any(isinstance(value, np.ndarray) and value.size > LARGE for value in left)


def _callables(names: dict[str, Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Everything that can be called, also out of a list or a dictionary of the lesson."""
    for name, value in names.items():
        if name in QUIET or name.startswith("__") or isinstance(value, types.ModuleType):
            continue
        inner = value.values() if isinstance(value, dict) else value
        if callable(value):
            yield name, value
            if not isinstance(value, type):
                yield f"{name}(…)[0]", _first_of(value)
                yield f"{name}(…)[1]", _first_of(value, 1)
        elif isinstance(value, (dict, list, tuple)):
            yield from ((f"one of {name}", thing) for thing in inner if callable(thing))


def _first_of(function: Callable[..., Any], place: int = 0) -> Callable[..., Any]:
    """The function with one of the values that it returns together."""

    @functools.wraps(function)
    def only(*args: Any, **kwargs: Any) -> Any:
        values = function(*args, **kwargs)
        return values[place] if isinstance(values, (tuple, list)) else None

    return only


def _takes(thing: Callable[..., Any], plan: judge.Plan) -> bool:
    """Whether every call of the plan fits the parameters."""
    try:
        signature = inspect.signature(thing)
        for call in plan.calls:
            signature.bind(*call.args, **call.kwargs)
    except (TypeError, ValueError):
        return False
    return True


def _fits(plan: judge.Plan, thing: Callable[..., Any]) -> bool:
    """Whether the first call returns something of the right shape, as a quick first look."""
    work = calls.perform(plan.calls[:1], thing, seconds=SECONDS)
    if not work.answers or work.answers[0][0].status != "returned":
        return False
    value, wanted = work.answers[0][-1].value, plan.expected.answers[0][-1].value
    return value is not None and _shape(value) == _shape(wanted)


def _shape(value: Any) -> Any:
    """The shape of a value; for values of different shapes together, that of each."""
    try:
        return np.shape(value)
    except ValueError:
        return [_shape(each) for each in value]


def _passes(plan: judge.Plan, thing: Callable[..., Any]) -> bool:
    for few in (1, 3, len(plan.cases)):
        part = judge.Plan(plan.challenge, plan.seed, plan.cases[:few])
        work = calls.perform(part.calls, thing, seconds=SECONDS)
        if not judge.judge(part, work).passed:
            return False
    return True


# ── a cell as a function ────────────────────────────────────────────────────────────────────────


def _pasted(plan: judge.Plan, tree: ast.Module, names: dict[str, Any]) -> Iterator[str]:
    """The code of each value of this cell that passes once names and numbers are parameters."""
    signature = inspect.signature(plan.challenge.reference)
    given = signature.bind(*plan.calls[0].args, **plan.calls[0].kwargs).arguments
    needed = [p.name for p in signature.parameters.values() if p.default is p.empty]
    for end, value in _results(tree):
        before = _behind(tree.body[:end], value)
        slots = _slots([*before, value], names)
        fitting = [[s for s, held in slots.items() if _alike(held, given[p])] for p in needed]
        for chosen in itertools.islice(itertools.product(*fitting), MOST):
            if len(set(chosen)) < len(chosen):
                continue
            renamed = dict(zip(chosen, needed, strict=True))
            body = _body(before, renamed)
            for returned in _versions(_Renamed(renamed).visit(_copy(value))):
                if not _uses_all(body, returned, needed):
                    continue
                written = _function(signature, body, returned, names)
                if _fits(plan, written) and _passes(plan, written):
                    yield ast.unparse(returned)


def _versions(value: ast.expr) -> Iterator[ast.expr]:
    """An expression, and the same without the bounds of its slices."""
    yield value
    if any(isinstance(node, ast.Slice) and node.upper for node in ast.walk(value)):
        whole = _copy(value)
        for node in ast.walk(whole):
            if isinstance(node, ast.Slice):
                node.upper = None
        yield whole


def _slots(parts: list[ast.AST], names: dict[str, Any]) -> dict[Any, Any]:
    """Names and numbers of the code that a parameter may stand for, with their values."""
    found: dict[Any, Any] = {}
    for node in itertools.chain(*map(ast.walk, parts)):
        if isinstance(node, ast.Name) and node.id in names:
            if not isinstance(names[node.id], (types.ModuleType, types.BuiltinFunctionType)):
                found[node.id] = names[node.id]
        elif isinstance(node, ast.Constant) and _is_number(node.value):
            found[node.value] = node.value
    return found


def _behind(statements: list[ast.stmt], value: ast.expr) -> list[ast.stmt]:
    """The assignments and functions before a value that it depends on."""
    wanted, kept = _names_in(value), []
    for statement in reversed(statements):
        if isinstance(statement, (ast.Assign, ast.FunctionDef)) and _written(statement) & wanted:
            kept.append(statement)
            wanted |= _names_in(statement)
    return kept[::-1]


def _names_in(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _written(statement: ast.Assign | ast.FunctionDef) -> set[str]:
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    return set().union(*map(_names_in, statement.targets))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _alike(value: Any, given: Any) -> bool:
    """Whether a value of the lesson is of the kind of an argument."""
    if callable(value) or isinstance(given, calls.Layer):
        return callable(value) and isinstance(given, calls.Layer)
    if _is_number(given):
        return _is_number(value)
    try:
        one, other = np.asarray(value), np.asarray(given)
    except ValueError:
        return False
    numbers = one.dtype.kind in "iuf" and other.dtype.kind in "iuf"
    return one.ndim == other.ndim and (numbers or one.dtype.kind == other.dtype.kind)


def _results(tree: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """What the statements of a cell assign, print or end in, with the statement's number."""
    for end, statement in enumerate(tree.body):
        if isinstance(statement, ast.Assign):
            yield end, statement.value
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            for argument in statement.value.args:
                yield from ((end, inner) for inner in ast.walk(argument) if _stands_alone(inner))


_PLAIN = (ast.Constant, ast.Name, ast.Attribute, ast.Starred, ast.JoinedStr, ast.FormattedValue)


def _stands_alone(node: ast.AST) -> bool:
    """Whether a part of a statement is an expression that could be returned and does something."""
    if not isinstance(node, ast.expr) or isinstance(node, _PLAIN):
        return False
    with contextlib.suppress(SyntaxError):
        _copy(node)
        return True
    return False


class _Renamed(ast.NodeTransformer):
    """Names and numbers as parameters."""

    def __init__(self, chosen: dict[Any, str]) -> None:
        self.chosen = chosen

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.chosen.get(node.id, node.id), node.ctx)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if _is_number(node.value) and node.value in self.chosen:
            return ast.Name(self.chosen[node.value], ast.Load())
        return node


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def _body(before: list[ast.stmt], chosen: dict[Any, str]) -> list[ast.stmt]:
    """The statements behind a value, without those that set what is a parameter now."""
    kept = [statement for statement in before if not _written(statement) & set(chosen)]
    return [_Renamed(chosen).visit(statement) for statement in _copied(kept)]


def _copied(statements: list[ast.stmt]) -> list[ast.stmt]:
    return ast.parse(ast.unparse(ast.Module(statements, []))).body


def _uses_all(body: list[ast.stmt], returned: ast.expr, needed: list[str]) -> bool:
    return set(needed) <= set().union(*map(_names_in, [*body, returned]))


def _function(
    signature: inspect.Signature, body: list[ast.stmt], returned: ast.expr, names: dict[str, Any]
) -> Callable[..., Any]:
    parameters = [
        p.name if p.default is p.empty else f"{p.name}=_defaults[{p.name!r}]"
        for p in signature.parameters.values()
    ]
    lines = [f"def written({', '.join(parameters)}):"]
    code = ast.unparse(ast.Module([*body, ast.Return(returned)], []))
    lines += [f"    {line}" for line in code.split("\n")]
    space = dict(names) | {"_defaults": {p.name: p.default for p in signature.parameters.values()}}
    exec("\n".join(lines), space)
    return space["written"]


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


if __name__ == "__main__":
    for each in [int(word) for word in sys.argv[1:]] or range(1, 13):
        start = time.monotonic()
        for line in sorted(functions(each)):
            print(f"function  {line}")
        for line in sorted(cells(each)):
            print(f"cell      {line}")
        print(f"lesson {each}: {time.monotonic() - start:.0f} s", flush=True)
