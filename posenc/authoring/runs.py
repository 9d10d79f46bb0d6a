"""Run a lesson in a fresh kernel, the same way everywhere, and keep what it gave.

Kernel timings, widget state and random widget ids are not kept, and personal settings of IPython
and matplotlib are left out, so that the same code gives the same outputs. A run is kept in
build/editions (ignored by git) under a key of all that it depends on: code cells, the files of the
package, and the versions of what runs them.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from posenc import closure
from posenc.authoring.sources import Cell, Source, answered
from posenc.errors import CourseError
from posenc.files import write_whole

__all__ = [
    "CellFailed",
    "Run",
    "RunError",
    "full_text",
    "keep",
    "kept_run",
    "last_seconds",
    "named",
    "run_cells",
    "run_key",
    "run_lesson",
]

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
TELLS_THE_STACK = ("numpy", "matplotlib", "ipywidgets", "ipython", "ipykernel", "nbclient")
SECONDS_PER_CELL = 120
# What would differ on the next run or another machine, and must not be printed by a lesson.
UNSTABLE = re.compile(r"\bat 0x[0-9a-f]{6,}|<ipython-input-|ipykernel_\d+|[\\/]site-packages[\\/]")


class RunError(CourseError):
    """A lesson cannot be run; the message names the source, the line and what went wrong."""


@dataclass(frozen=True)
class Run:
    """What one execution of a lesson gave: (outputs, count) for each code cell, in order."""

    cells: tuple[tuple[list[dict], int | None], ...]
    seconds: float | None = None


def full_text(cell: Cell) -> str:
    """The text of a cell with its answer, where it has one."""
    return answered(cell.text) if "challenge" in cell.tags else cell.text


async def run_lesson(source: Source, root: Path) -> Run:
    """Run the code cells of a lesson, with its answers, in a fresh kernel of this interpreter.

    Raises RunError, which names the cell, where one fails or prints what differs on each run.
    """
    code_cells = [cell for cell in source.cells if cell.kind == "code"]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="posenc-", ignore_cleanup_errors=True) as folder:
        try:
            cells = await run_cells([full_text(cell) for cell in code_cells], Path(folder), root)
        except CellFailed as failed:
            cell = code_cells[failed.place]
            at = f" (line {cell.line + failed.line})" if failed.line else ""
            raise named(source, cell, failed.why + at) from None
    for cell, (outputs, _) in zip(code_cells, cells, strict=True):
        if found := UNSTABLE.search(json.dumps(outputs, ensure_ascii=False)):
            raise named(source, cell, f"its output holds {found[0]!r}, which differs on each run")
    _rename_widgets(source.path.name, cells)
    return Run(tuple(cells), time.monotonic() - began)


def named(source: Source, cell: Cell, why: str) -> RunError:
    """An error that names the source, the line of the cell, and its first line."""
    return RunError(
        f"{source.name}:{cell.line}: the cell that starts with {cell.first_line!r}: {why}"
    )


class CellFailed(Exception):
    """A cell ended in an error: its place among those run, the reason, its line within the cell."""

    def __init__(self, place: int, why: str, line: int | None = None) -> None:
        super().__init__(place, why, line)
        self.place, self.why, self.line = place, why, line


async def run_cells(
    codes: Sequence[str], folder: Path, root: Path
) -> list[tuple[list, int | None]]:
    """Outputs and count of each code, run in order in one kernel that starts in `folder`.

    Raises CellFailed at the first that ends in an error, takes too long or ends the kernel.
    """
    import nbformat
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in codes])
    # No kernel folders: the "python3" of a home folder may belong to another interpreter.
    manager = AsyncKernelManager(
        kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[])
    )
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=SECONDS_PER_CELL,
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    started: list[int] = []
    client.on_cell_execute = lambda cell, cell_index: started.append(cell_index)
    try:
        # What a kernel says of itself goes nowhere; what a cell writes to stderr is an output.
        await client.async_execute(
            env=_environment(folder, root), stderr=subprocess.DEVNULL, cleanup_kc=True
        )
    except CellExecutionError as error:
        why = f"{error.ename}: {error.evalue}"
        raise CellFailed(started[-1], why, _line_in_cell(error.traceback)) from None
    except CellTimeoutError:
        raise CellFailed(started[-1], f"still running after {SECONDS_PER_CELL} s") from None
    except DeadKernelError:
        raise CellFailed(started[-1] if started else 0, "it ended the kernel") from None
    return [(json.loads(json.dumps(cell.outputs)), cell.execution_count) for cell in notebook.cells]


def _line_in_cell(traceback: str) -> int | None:
    """The line of the cell in which its error arose, where the traceback tells."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", traceback)
    told = re.search(r"(?:Cell In\[\d+\]|<cell>)[,:]? line (\d+)", plain)
    return int(told[1]) if told else None


def _environment(folder: Path, root: Path) -> dict[str, str]:
    """The environment of a kernel: as it is here, less what would make one machine's run differ."""
    settings = folder / "settings"
    settings.mkdir(exist_ok=True)
    (settings / "matplotlibrc").touch()
    personal = (
        "PYTHONSTARTUP",
        "PYTHONWARNINGS",
        "MPLBACKEND",
        "COLUMNS",
        "LINES",
        "NO_COLOR",
        "FORCE_COLOR",
        "NBGRADER_EXECUTION",
    )
    kept = {name: value for name, value in os.environ.items() if name not in personal}
    paths = [str(root)] + [p for p in [os.environ.get("PYTHONPATH")] if p]
    return kept | {
        "IPYKERNEL_CELL_NAME": "<cell>",
        "IPYTHONDIR": str(settings / "ipython"),
        "MATPLOTLIBRC": str(settings / "matplotlibrc"),
        "POSENC_PROGRESS": "none",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(paths),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def _rename_widgets(name: str, cells: Sequence[tuple[list[dict], int | None]]) -> None:
    """Give widget views ids that follow their order, in place of random ones."""
    order: dict[str, int] = {}
    for outputs, _ in cells:
        for output in outputs:
            if view := output.get("data", {}).get(WIDGET_VIEW):
                place = order.setdefault(view["model_id"], len(order))
                view["model_id"] = hashlib.sha256(f"{name}:{place}".encode()).hexdigest()[:32]


# ── keeping a run ───────────────────────────────────────────────────────────────────────────────


def run_key(source: Source, root: Path) -> str:
    """A hash of all that a run depends on: code cells, package, and versions of what runs them."""
    stack = {name: importlib.metadata.version(name) for name in TELLS_THE_STACK}
    codes = [full_text(cell) for cell in source.cells if cell.kind == "code"]
    package = closure.source_hash(modules_of(source, codes, root), root / "posenc")
    whole = json.dumps(
        [
            source.path.name,
            codes,
            package,
            platform.python_version(),
            stack,
        ]
    )
    return hashlib.sha256(whole.encode()).hexdigest()


def modules_of(source: Source, codes: Sequence[str], root: Path) -> list[str]:
    """Every module of the course that the lesson's kernel may import.

    Its figures and its data are imported by number, which no import statement tells.
    """
    package = root / "posenc"
    own = [
        module
        for room in ("posenc.figures", "posenc.lessons")
        for module in closure.modules_in(room, package)
        if f"lesson_{source.stem[:2]}" in module
    ]
    imported = closure.imported_in("\n".join(codes), package)
    return closure.closure(["posenc.classroom", *own, *imported], package)


def _kept_path(source: Source, root: Path) -> Path:
    return root / "build" / "editions" / f"{source.stem}.json"


def kept_run(source: Source, root: Path) -> Run | None:
    """The kept run of a lesson, where code, package and versions are still those it was made of."""
    try:
        kept = json.loads(_kept_path(source, root).read_text(encoding="utf-8"))
        if kept["key"] == run_key(source, root):
            return Run(tuple((outputs, count) for outputs, count in kept["cells"]), kept["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # nothing kept, or nothing that can be used: the lesson is run
    return None


def last_seconds(source: Source, root: Path) -> float | None:
    """How long the last run of a lesson took here; None where none is kept."""
    try:
        return json.loads(_kept_path(source, root).read_text(encoding="utf-8"))["seconds"]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(run: Run, source: Source, root: Path, key: str) -> None:
    """Keep a run under the key that `run_key` gave before it started."""
    path = _kept_path(source, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"key": key, "seconds": run.seconds, "cells": run.cells}
    write_whole(path, json.dumps(content, ensure_ascii=False).encode())
