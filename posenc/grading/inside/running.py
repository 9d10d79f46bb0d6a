"""Cells, run statement by statement as IPython runs them, and what is done where one fails.

A cell that ends in the learner's own error ends there, as under Run All with errors allowed. Where
the error is of the place, the rest of the cell runs without the line that failed: a library, file,
program or magic that is not here, a part of the course that does not answer here, a function that
is still a stub. Where a cell is stopped, the definitions below the slow line are still made. Where
it is written for a newer Python, the statements that this Python reads are run.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import os
import re
import signal
import subprocess
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from IPython.core.error import StdinNotImplementedError, UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from posenc.grading.inside import newer, stub
from posenc.judging.calls import TimeIsUp

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MADE_BY_NAME = (*FUNCTIONS, ast.ClassDef)
DEFINITIONS = (ast.Import, ast.ImportFrom, *MADE_BY_NAME)
UNREADABLE = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError)
# What fails because of where a notebook runs, wherever else it would have gone well.
OF_THE_PLACE = (
    ImportError,
    OSError,
    EOFError,
    MemoryError,
    UsageError,
    StdinNotImplementedError,
    subprocess.SubprocessError,
    stub.NotNeeded,
)
# Names that a platform defines by itself: Databricks, Deepnote.
GIVEN_ELSEWHERE = ("spark", "sc", "dbutils", "displayHTML", "_dntk", "_deepnote_execute_sql")
# Calls that a constant may be made by: they end, and change nothing but what they return.
HARMLESS = """
    numpy math cmath fractions decimal collections functools itertools dataclasses typing
    statistics operator string types enum re
"""
HARMLESS_BUILTINS = """
    abs bool bytes complex dict divmod enumerate filter float format frozenset int len list map
    max min object pow range reversed round set slice sorted str sum tuple type zip
"""
TIMED = re.compile(r"\s*%%time[ \t]*\n(.*)", re.DOTALL)
CAPTURED = re.compile(r"\s*%%capture((?:[ \t]+\S+)*)[ \t]*\n(.*)", re.DOTALL)
CELL_MAGIC = re.compile(r"\s*%%(\w+)[^\n]*\n(.*)", re.DOTALL)
SECONDS_FOR_THE_REST = 1.5
SECONDS_FOR_A_STATEMENT = 0.5
LONGEST_LINE = 160
MOST_LINES = 3


def within(seconds: float, action: Callable[[], Any]) -> Any:
    """`action()`, with TimeIsUp raised in it once the seconds are over and again each second."""

    def ring(signum: int, frame: Any) -> None:
        raise TimeIsUp

    if not hasattr(signal, "SIGALRM"):
        return action()
    try:
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        return action()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Cells:
    """Runs the cells of one notebook in a shell, in their order.

    lost: names that a line which failed would have made. made: the functions and classes so far,
    as they were written. left_out: the lines of the cell at hand that failed.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell, self.names = shell, shell.user_ns
        self.lost: set[str] = set(GIVEN_ELSEWHERE)
        self.made: dict[str, ast.stmt] = {}
        self.count = 0
        self._begin("")

    def run(self, source: str, seconds: float, whole: bool = True) -> dict | None:
        """Run one cell; None, or what it ended in: `error`, `message`, `line` and `without`.

        without: the lines that failed and were left out, '' where the cell ended at one. Where it
        is not to be run whole, only its imports, definitions and constants are.
        """
        if not source.strip():
            return None
        self._begin(source)
        _look_again_at_the_working_folder()
        try:
            error = within(seconds, lambda: self._cell(source, whole))
        except BaseException as raised:  # the timer, or a learner's code that broke into the shell
            error = raised
        if isinstance(error, TimeIsUp):
            line = self._line(self.at)
            self._rest_of_a_slow_cell()
            return {
                "error": "TimeLimit",
                "message": f"it had not ended after {seconds:g} s",
                "line": line,
                "without": line,
            }
        if error is None and not self.errors:
            return None
        told = describe(error if error is not None else self.errors[0])
        return {**told, "without": "; ".join(self.left_out[:MOST_LINES])}

    def _begin(self, source: str) -> None:
        self.source, self.lines = source, source.splitlines()
        self.file = "<cell>"
        self.at: ast.stmt | None = None
        self.rest: Sequence[ast.stmt] = ()
        self.left_out: list[str] = []
        self.errors: list[BaseException] = []

    def _cell(self, source: str, whole: bool) -> BaseException | None:
        """Run a cell, with its `%%time` or `%%capture` taken off; the error that it ended in."""
        self.count += 1
        self.shell.execution_count = self.count + 1  # IPython counts on before a cell runs
        self._remember_input(source)
        if timed := TIMED.fullmatch(source):
            return self._code(timed[1], whole)
        if captured := CAPTURED.fullmatch(source):
            with capture_output() as output:
                error = self._code(captured[2], whole)
            for name in captured[1].split():
                if name.isidentifier():
                    self.names[name] = output
            return error
        return self._code(source, whole)

    def _code(self, source: str, whole: bool) -> BaseException | None:
        self.lines = source.splitlines()
        try:
            nodes = self._parsed(source)
        except UNREADABLE as error:
            pieces = newer.pieces(self._transformed(source), error)
            if pieces is None:
                return error
            self.errors.append(pieces.error)
            self.left_out += [_short(line) for line in pieces.left_out]
            self.lost |= pieces.lost
            nodes = pieces.nodes
        shown = nodes[-1] if nodes and isinstance(nodes[-1], ast.Expr) and whole else None
        for index, node in enumerate(nodes):
            self.at, self.rest = node, nodes[index + 1 :]
            if not whole and not self._defines(node):
                continue
            error = self._execute(node, node is shown)
            if error is not None and not self._goes_on(node, error):
                return error
        return None

    def _parsed(self, source: str) -> list[ast.stmt]:
        """The statements of a cell; magics and shell commands as the calls that they are."""
        name = self.shell.compile.cache(source, self.count, source)
        self.file = name
        with self.shell.compile.extra_flags(ast.PyCF_ONLY_AST):
            try:
                return compile(source, name, "exec", self.shell.compile.flags, True).body
            except UNREADABLE:
                changed = self.shell.transform_cell(source)
                return compile(changed, name, "exec", self.shell.compile.flags, True).body

    def _transformed(self, source: str) -> str:
        try:
            return self.shell.transform_cell(source)
        except UNREADABLE:
            return source

    def _execute(self, node: ast.stmt, shown: bool = False) -> BaseException | None:
        """Run one statement, in the names of the notebook; the error that it ended in."""
        try:
            with self.shell.compile.extra_flags(ast.PyCF_ALLOW_TOP_LEVEL_AWAIT):
                if shown:
                    code = self.shell.compile(ast.Expression(node.value), self.file, "eval")
                else:
                    code = self.shell.compile(ast.Module([node], []), self.file, "exec")
            value = eval(code, self.names)
            if code.co_flags & inspect.CO_COROUTINE:
                value = self.shell.loop_runner(value)
            if shown:
                self._remember(value)
        except TimeIsUp:
            raise
        except BaseException as raised:
            return raised
        if isinstance(node, MADE_BY_NAME):
            self.made[node.name] = node
        return None

    def _remember(self, value: Any) -> None:
        """Set `_`, `Out` and their like. The value is not drawn, as nobody looks at it."""
        hook = self.shell.displayhook
        hook.check_for_underscore()
        if value is not None and not hook.quiet():
            hook.update_user_ns(value)

    def _remember_input(self, source: str) -> None:
        """Set `In`, `_i` and their like, as IPython's own history does with more ado."""
        history, names = self.shell.history_manager, self.names
        before = history.input_hist_raw[-1]
        history.input_hist_parsed.append(source)
        history.input_hist_raw.append(source)
        names["_iii"], names["_ii"] = names.get("_ii", ""), names.get("_i", "")
        names["_i"] = before
        names[f"_i{self.count}"] = source

    def _goes_on(self, node: ast.stmt, error: BaseException) -> bool:
        """Whether the cell goes on without a statement that failed; notes what that takes away."""
        if not self._is_of_the_place(node, error):
            return False
        self.errors.append(error)
        self.left_out.append(self._line(node))
        self.lost |= set(_binds(node))
        if isinstance(node, MADE_BY_NAME):
            self._execute(bare(node, self.lost))
        for inner in self._below_a_failed_magic(node):
            self._execute(inner)
        return True

    def _is_of_the_place(self, node: ast.stmt, error: BaseException) -> bool:
        if isinstance(error, OF_THE_PLACE) or type(error).__name__ == "TclError":
            return True
        if isinstance(error, NameError) and error.name in self.lost:
            return True
        if isinstance(error, KeyError) and "environ" in _mentions(node):
            return True
        return isinstance(error, Exception) and self._rests_on_a_stub(node)

    def _rests_on_a_stub(self, node: ast.stmt) -> bool:
        """Whether a statement uses a function that is still open, itself or through others."""
        seen: set[str] = set()
        left = list(_mentions(node))
        while left:
            name = left.pop()
            if name in seen or name not in self.made:
                continue
            seen.add(name)
            if is_open(self.made[name]):
                return True
            left += _mentions(self.made[name])
        return False

    def _below_a_failed_magic(self, node: ast.stmt) -> list[ast.stmt]:
        """The definitions below a cell magic that is not here, where what is below it is Python."""
        found = CELL_MAGIC.fullmatch(self.source)
        if found is None or "run_cell_magic" not in _mentions(node):
            return []
        if self.shell.find_cell_magic(found[1]) is not None:
            return []
        with contextlib.suppress(*UNREADABLE):
            return [n for n in self._parsed(found[2]) if self._defines(n)]
        return []

    def _rest_of_a_slow_cell(self) -> None:
        """Make the definitions below the line at which a cell was stopped, each within its time."""
        if self.at is not None:
            self.lost |= set(_binds(self.at))

        def rest() -> None:
            for node in self.rest:
                self.lost |= set(_binds(node)) if not self._defines(node) else set()
                if self._defines(node):
                    self._execute(node)

        with contextlib.suppress(BaseException):
            within(SECONDS_FOR_THE_REST, rest)

    def _line(self, node: ast.stmt | None) -> str:
        """The first line of a statement, as the learner wrote it."""
        number = getattr(node, "lineno", 0)
        return _short(self.lines[number - 1]) if 0 < number <= len(self.lines) else ""

    def _defines(self, node: ast.stmt) -> bool:
        """Whether a statement is an import, a definition or a constant, or a choice among them."""
        if isinstance(node, DEFINITIONS):
            return True
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            return node.value is not None and self._is_harmless(node.value)
        if isinstance(node, ast.Try):
            blocks = [node.body, node.orelse, node.finalbody, *(h.body for h in node.handlers)]
            return all(self._defines(n) or isinstance(n, ast.Pass) for b in blocks for n in b)
        if isinstance(node, ast.If):
            both = [*node.body, *node.orelse]
            return self._is_harmless(node.test) and all(map(self._defines, both))
        return False

    def _is_harmless(self, value: ast.expr) -> bool:
        left: list[ast.AST] = [value]
        while left:
            part = left.pop()
            if isinstance(part, ast.Await) or (
                isinstance(part, ast.Call) and not self._is_harmless_call(part.func)
            ):
                return False
            if not isinstance(part, ast.Lambda):
                left += ast.iter_child_nodes(part)
        return True

    def _is_harmless_call(self, function: ast.expr) -> bool:
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return True  # a method of a value: what makes the value is looked at by itself
        if root.id not in self.names:
            return root.id in HARMLESS_BUILTINS.split() and hasattr(builtins, root.id)
        thing = self.names[root.id]
        if isinstance(thing, types.ModuleType):
            home = thing.__name__
        else:
            home = getattr(thing, "__module__", None) or type(thing).__module__
        plain = type(thing) in (str, int, float, complex, list, tuple, dict)
        return plain or str(home).partition(".")[0] in HARMLESS.split()


def bare(node: ast.stmt, lost: set[str]) -> ast.stmt:
    """A function or class without the annotations, decorators and bases that name what is lost."""

    def kept(parts: list[ast.expr]) -> list[ast.expr]:
        return [p for p in parts if not lost & _mentions(p)]

    for part in ast.walk(node):
        if isinstance(part, ast.arg) and part.annotation and lost & _mentions(part.annotation):
            part.annotation = None
        if isinstance(part, ast.AnnAssign) and lost & _mentions(part.annotation):
            part.annotation = ast.copy_location(ast.Constant("object"), part.annotation)
        if isinstance(part, MADE_BY_NAME):
            part.decorator_list = kept(part.decorator_list)
        if isinstance(part, FUNCTIONS) and part.returns and lost & _mentions(part.returns):
            part.returns = None
        if isinstance(part, ast.ClassDef):
            part.bases = kept(part.bases)
            part.keywords = [k for k in part.keywords if not lost & _mentions(k.value)]
    return node


def is_open(node: ast.stmt) -> bool:
    """Whether a function is a stub, or a class has a method that is one."""
    if isinstance(node, ast.ClassDef):
        return any(is_open(n) for n in node.body if isinstance(n, FUNCTIONS))
    return isinstance(node, FUNCTIONS) and all(map(_does_nothing, node.body))


def describe(error: BaseException) -> dict:
    """An error's class, message and the learner's line, each short; also where it resists."""
    name, message, line = "an error", "", ""
    with contextlib.suppress(BaseException):
        name = str(type(error).__name__)[:60]
    with contextlib.suppress(BaseException):
        message = within(1.0, lambda: str(error))[:300]
    with contextlib.suppress(BaseException):
        frames = [
            f for f in traceback.extract_tb(error.__traceback__) if "<ipython-input" in f.filename
        ]
        line = (frames[-1].line or "")[:LONGEST_LINE] if frames else ""
    return {"error": name, "message": message, "line": line}


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise):
        return node.exc is not None and "NotImplementedError" in _mentions(node.exc)
    if isinstance(node, ast.Return):
        given = node.value
        return given is None or (isinstance(given, ast.Constant) and given.value in (None, ...))
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _mentions(node: ast.AST) -> set[str]:
    """Names and attributes that a piece of code refers to."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return found | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


def _binds(node: ast.stmt) -> Iterator[str]:
    """Names that a statement would have made in the notebook."""
    if isinstance(node, MADE_BY_NAME):
        yield node.name
        return
    for part in ast.walk(node):
        if isinstance(part, (ast.Import, ast.ImportFrom)):
            for alias in part.names:
                yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id
        elif isinstance(part, MADE_BY_NAME):
            yield part.name


def _short(line: str) -> str:
    return line.strip()[:LONGEST_LINE]


def _look_again_at_the_working_folder() -> None:
    """Let a file be imported that was written a moment ago, in the same tick of the clock."""
    with contextlib.suppress(OSError):
        finder = sys.path_importer_cache.get(os.getcwd())
        if hasattr(finder, "invalidate_caches"):
            finder.invalidate_caches()
