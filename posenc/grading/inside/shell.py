"""The shell in which a notebook runs: IPython's, without a kernel, a screen or a keyboard."""

from __future__ import annotations

import builtins
import contextlib
import functools
import importlib
import inspect
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from posenc.grading.inside.running import Cells
from posenc.judging.calls import Work

# What is imported lazily must be there before rights are given up, and once for all forks.
WARMING = (
    "1 + 1",
    "def f(:",
    "  x = 1",
    "1 / 0",
    "import a_module_that_is_not_there",
    "np_sine",
    "%time 1 + 1",
    "%%capture said\nprint(1)",
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
    "pylab": "matplotlib.pylab",
    "scipy": "scipy.special",
    "pandas": "pandas",
    "sympy": "sympy",
    "ipywidgets": "ipywidgets",
}
# Nothing can be installed while a notebook is graded, and asking for it in vain takes long.
INSTALLS = re.compile(
    r"\s*(?:sudo\s+|\S*python[\d.]*\s+-m\s+)*(?:pip[\d.]*|conda|mamba|uv|apt|apt-get)\s"
)


def make_shell() -> InteractiveShell:
    """A shell that keeps no history, writes no colours, and prints no traceback."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    config.InteractiveShell.autoawait = True
    shell = InteractiveShell.instance(config=config)
    for name in ("showtraceback", "showsyntaxerror", "showindentationerror", "ask_exit"):
        setattr(shell, name, lambda *args, **kwargs: None)
    _without_a_screen(shell)
    _without_installing(shell)
    shell.builtin_trap.activate()  # `display` and `get_ipython` in every cell
    _add_site_names()
    _warm_up(shell)
    # From here on nothing may hook into the forks in which the calls are made.
    for module in (os, sys.modules.get("posix")):
        if hasattr(module, "register_at_fork"):
            module.register_at_fork = lambda **hooks: None
    return shell


def begin(shell: InteractiveShell, files: Mapping[str, np.ndarray]) -> Cells:
    """Make ready for the cells of one notebook, in the working folder; what runs them.

    files: the bytes of what was handed in beside it, which are put there, read-only. Modules of
    that folder come after Python's own and before all others, as in Jupyter's kernel.
    """
    for name, data in files.items():
        with contextlib.suppress(OSError, ValueError), open(os.path.basename(name), "xb") as file:
            file.write(data.tobytes())
            os.chmod(file.name, 0o444)
    places = [os.path.basename(entry) in ("site-packages", "dist-packages") for entry in sys.path]
    if "" not in sys.path:
        sys.path.insert(places.index(True) if True in places else 0, "")
    return Cells(shell)


def met_a_matrix(work: Work) -> bool:
    """Whether a call ended in the error of a `numpy.matrix` that should have three axes."""
    errors = [r.error[1] for answer in work.answers for r in answer if r.error is not None]
    return any("matrix must be 2-dimensional" in e or "be a matrix" in e for e in errors)


@contextlib.contextmanager
def arrays_from(shell: InteractiveShell, names: Sequence[str]) -> Iterator[None]:
    """Within it, the notebook's functions of these names return arrays where it was matrices.

    The answer to an earlier challenge is right as a matrix, and must not break the next one.
    """
    before = {n: shell.user_ns[n] for n in names if inspect.isfunction(shell.user_ns.get(n))}
    shell.user_ns.update({name: _as_arrays(function) for name, function in before.items()})
    try:
        yield
    finally:
        shell.user_ns.update(before)


def _as_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        value = function(*args, **kwargs)
        return np.asarray(value) if isinstance(value, np.matrix) else value

    return called


def _without_a_screen(shell: InteractiveShell) -> None:
    """A figure is made and thrown away, whatever backend is asked for."""
    shell.register_magic_function(lambda line: None, "line", "matplotlib")
    shell.enable_gui = lambda gui=None: None
    shell.enable_matplotlib = lambda gui=None: (gui, "agg")


def _without_installing(shell: InteractiveShell) -> None:
    """`%pip` and the like do nothing, and `!pip` ends in an error at once."""
    for name in ("pip", "conda", "mamba", "micromamba", "uv"):
        shell.register_magic_function(lambda line: None, "line", name)
    system = shell.system

    def run(command: str) -> None:
        if INSTALLS.match(command):
            shell.user_ns["_exit_code"] = 1
        else:
            system(command)

    shell.system = run


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
        cells = Cells(shell)
        for source in WARMING:
            cells.run(source, 30)
    # Each notebook starts from the same draws, so that a submission judged twice is judged alike.
    random.seed(0)
    np.random.seed(0)
    np.random.default_rng(0).normal()
    for name in ("f", "asyncio", "said"):
        shell.user_ns.pop(name, None)
    _forget(shell)
    time.strptime("2000", "%Y")  # imports a module of its own when it is first called


def _forget(shell: InteractiveShell) -> None:
    """Take back what the shell remembers of its first cells, so that a notebook's are the first."""
    shell.reset(new_session=True)
    shell.history_manager.db_input_cache.clear()
    shell.user_ns.update({"_": "", "__": "", "___": ""})
