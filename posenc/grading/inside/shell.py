"""The cells of a notebook, run one after another as JupyterLab would, without its kernel."""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from posenc.judging.calls import TimeIsUp

# What is imported lazily must be there before rights are given up, and once for all forks.
WARMING = (
    "1 + 1",
    "def f(:",
    "  x = 1",
    "1 / 0",
    "import a_module_that_is_not_there",
    "np_sine",
    "%time 1 + 1",
    "import asyncio\nawait asyncio.sleep(0)",
)
OFTEN_IMPORTED = [
    "numpy.random",
    "numpy.linalg",
    "numpy.fft",
    "numpy.ma",
    "collections",
    "cmath",
    "copy",
    "dataclasses",
    "decimal",
    "fractions",
    "functools",
    "io",
    "itertools",
    "math",
    "mmap",
    "operator",
    "pathlib",
    "pickle",
    "pprint",
    "re",
    "secrets",
    "shutil",
    "sqlite3",
    "statistics",
    "string",
    "subprocess",
    "tempfile",
    "textwrap",
    "threading",
    "timeit",
    "typing",
    "unittest",
    "warnings",
    "concurrent.futures",
    "pty",
]
# Large packages, imported once for all as soon as a notebook names them: by the first word, what.
ON_DEMAND = {
    "matplotlib": "matplotlib.pyplot",
    "scipy": "scipy.special",
    "pandas": "pandas",
    "sympy": "sympy",
    "ipywidgets": "ipywidgets",
}
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def make_shell() -> InteractiveShell:
    """A shell that keeps no history, writes no colours, and prints no traceback."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    config.InteractiveShell.cache_size = 0
    config.InteractiveShell.autoawait = True
    shell = InteractiveShell.instance(config=config)
    for name in ("showtraceback", "showsyntaxerror", "showindentationerror"):
        setattr(shell, name, lambda *args, **kwargs: None)
    # There is no screen to choose: a figure is made and thrown away, whatever backend is asked for.
    shell.register_magic_function(lambda line: None, "line", "matplotlib")
    shell.builtin_trap.activate()  # `display` and `get_ipython` in every cell
    _add_site_names()
    _warm_up(shell)
    # From here on nothing may hook into the forks in which the calls are made.
    for module in (os, sys.modules.get("posix")):
        if hasattr(module, "register_at_fork"):
            module.register_at_fork = lambda **hooks: None
    return shell


def run_cell(shell: InteractiveShell, source: str, seconds: float) -> dict | None:
    """Run one cell; None, or what it ended in: `error`, `message` and the `line`.

    A cell that raises ends there and the next one runs, as under Run All with errors allowed.
    """

    try:
        error = within(seconds, lambda: _run(shell, source))
    except BaseException as raised:  # the timer, or a learner's code that broke into the shell
        error = raised
    if isinstance(error, TimeIsUp):
        return {
            "error": "TimeLimit",
            "message": f"it had not ended after {seconds:g} s",
            "line": "",
        }
    return None if error is None else describe(error)


def _run(shell: InteractiveShell, source: str) -> BaseException | None:
    """Run a cell, by the shell where it is more than Python; the error that it ended in.

    What a last line would show is not drawn: nobody looks, and drawing may take long.
    """
    try:
        name = shell.compile.cache(source, 0, source)
        program = compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        # A magic, a shell command, an await, an indented cell, or a mistake: the shell knows which.
        result = shell.run_cell(source, store_history=False)
        return result.error_before_exec or result.error_in_exec
    try:
        exec(program, shell.user_ns)
    except BaseException as raised:
        return raised
    return None


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


def definitions(shell: InteractiveShell, source: str) -> str:
    """The imports, functions, classes and plain constants of a cell, without what it does."""
    try:
        tree = ast.parse(shell.transform_cell(source))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    tree.body = [node for node in tree.body if isinstance(node, DEFINITIONS) or _is_constant(node)]
    return ast.unparse(tree)


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
        line = (frames[-1].line or "")[:160] if frames else ""
    return {"error": name, "message": message, "line": line}


def _is_constant(node: ast.stmt) -> bool:
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
        return False
    return all(
        not isinstance(part, (ast.Call, ast.Await, ast.Attribute)) for part in ast.walk(node.value)
    )


def _add_site_names() -> None:
    """`help` and its like, which Python adds only where it prepares an interactive session."""
    import _sitebuiltins

    builtins.help = _sitebuiltins._Helper()
    builtins.copyright = _sitebuiltins._Printer("copyright", "")


def import_on_demand(words: list[str]) -> bool:
    """Import the large packages among `words` that are not there yet; whether there were any."""
    wanted = [ON_DEMAND[word] for word in words if word in ON_DEMAND]
    missing = [name for name in wanted if name not in sys.modules]
    for name in missing:
        with contextlib.suppress(Exception):  # not installed, or broken: the notebook meets it, too
            importlib.import_module(name)
    return bool(missing)


def _warm_up(shell: InteractiveShell) -> None:
    for name in OFTEN_IMPORTED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    with (
        open(os.devnull, "w") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        for source in WARMING:
            run_cell(shell, source, 30)
    # Each notebook starts from the same draws, so that a submission judged twice is judged alike.
    random.seed(0)
    np.random.seed(0)
    np.random.default_rng(0).normal()
    for name in ("f", "asyncio"):
        shell.user_ns.pop(name, None)
    time.strptime("2000", "%Y")  # imports a module of its own when it is first called
