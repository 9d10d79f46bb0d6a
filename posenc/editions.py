"""One source of a lesson becomes three notebooks: for the instructor, the learner, and to hand in.

    solutions/NN_name.py ─► solutions/NN_name.ipynb   instructor: executed, with every answer
                         ├► notebooks/NN_name.ipynb   learner: the same outputs, challenges open
                         └► exercises/NN_name.ipynb   exercise: the challenges alone, no outputs

A lesson is executed once; all three editions are derived from that run. What the metadata say:

    notebook.metadata.posenc   lesson, title, version (of the course), edition, source, sha256 (of
                               the source, with \\n as line end), minutes (sections, questions and
                               challenges; in an exercise the challenges)
    cell.metadata.tags         the tags of the source; "navigation" on the two cells with links,
                               which are added here, "head" on those added to an exercise
    cell.metadata.posenc       section, minutes, challenge, where the source gives them
    cell.metadata.nbgrader     on the check cells of an exercise. Challenge cells carry none: a cell
                               marked `solution` without its markers is wiped by nbgrader's
                               generate_assignment, and one without metadata is left as handed in.

The same source, package and versions give the same bytes: cell ids are hashes of lesson, kind and
text; kernel timings, widget state and random widget ids are not kept. A run is kept too, in
build/editions (ignored by git), and taken again while code cells, package and versions are as they
were, so that a change of prose costs no run. `check` never trusts it.
"""

from __future__ import annotations

import asyncio
import copy
import difflib
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posenc import __version__
from posenc.files import write_whole
from posenc.sources import (
    Cell, Source, SourceError, answered, names, only_calls, read, stub, title_of, unbound,
)
from posenc.workspace import START_PAGE, WorkspaceError, start_page

__all__ = [
    "Catalogue", "EDITIONS", "EditionError", "Run", "build", "check", "course_catalogue",
    "differences", "editions", "execute", "find_root", "select", "source_paths",
]

EDITIONS = {"instructor": "solutions", "learner": "notebooks", "exercise": "exercises"}
IMPORTS = "import numpy as np\n\nfrom posenc.classroom import check, hint, solution"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3}, "file_extension": ".py",
    "mimetype": "text/x-python", "name": "python", "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
LESSON_LINK = re.compile(r"\[([^\]]+)\]\((\d\d)_\w+\.ipynb(?:#[^)]*)?\)")
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
NOT_IN_A_LESSON = (
    "grading", "jupyter_config", "cli.py", "__main__.py", "lab.py", "handin.py", "workspace.py",
)
TELLS_THE_STACK = ("numpy", "matplotlib", "ipywidgets", "ipython", "ipykernel", "nbclient")
SECONDS_PER_CELL = 120
# What would differ on the next run or another machine, and must not be printed by a lesson.
UNSTABLE = re.compile(r"\bat 0x[0-9a-f]{6,}|<ipython-input-|ipykernel_\d+|[\\/]site-packages[\\/]")


class EditionError(RuntimeError):
    """A lesson cannot be built; the message names the source, the line and what went wrong."""


@dataclass(frozen=True)
class Catalogue:
    """Where points and minutes are declared: functions from an id to a challenge, a question."""

    challenge: Callable[[str], Any]
    question: Callable[[str], Any]


@dataclass(frozen=True)
class Run:
    """What one execution of a lesson gave: (outputs, count) for each code cell, in order."""

    cells: tuple[tuple[list[dict], int | None], ...]
    seconds: float | None = None


@dataclass(frozen=True)
class Minutes:
    """How long a lesson takes: its sections, its questions and its challenges."""

    sections: int
    questions: int
    challenges: int

    @property
    def all(self) -> int:
        """The sum."""
        return self.sections + self.questions + self.challenges


def course_catalogue() -> Catalogue:
    """Points and minutes as `posenc.lessons` declares them."""
    from posenc import lessons

    return Catalogue(lessons.challenge, lessons.question)


# ── where things are ────────────────────────────────────────────────────────────────────────────


def find_root(start: Path | None = None) -> Path:
    """The course's folder: the first with solutions/ and pyproject.toml from `start` upwards, or
    the one that this package stands in."""
    here = Path(start or Path.cwd()).resolve()
    for folder in (here, *here.parents, Path(__file__).resolve().parent.parent):
        if (folder / "solutions").is_dir() and (folder / "pyproject.toml").is_file():
            return folder
    raise EditionError("No folder with solutions/ here or above; run this in a clone of the course.")


def source_paths(root: Path) -> list[Path]:
    """The sources of all lessons, in order. Raises EditionError where two have one number."""
    paths = sorted((root / "solutions").glob("[0-9][0-9]_*.py"))
    for one, other in zip(paths, paths[1:], strict=False):
        if one.stem[:2] == other.stem[:2]:
            raise EditionError(f"Two sources of one lesson: {one.name} and {other.name}.")
    return paths


def select(paths: Sequence[Path], wanted: Sequence[str] = ()) -> list[Path]:
    """The sources asked for by number, name or path; all of them where nothing is asked.

    Raises KeyError, with a sentence, for a lesson that has no source.
    """
    chosen = set()
    for asked in wanted:
        stem = Path(str(asked)).name.removesuffix(".py").removesuffix(".ipynb")
        found = [p for p in paths if p.stem == stem or (stem.isdigit() and int(p.stem[:2]) == int(stem))]
        if not found:
            there = ", ".join(p.stem for p in paths) or "none"
            raise KeyError(f"No lesson {asked!r} in solutions/; there: {there}.")
        chosen.update(found)
    return [p for p in paths if p in chosen or not wanted]


# ── running a lesson ────────────────────────────────────────────────────────────────────────────


def execute(source: Source, root: Path) -> Run:
    """Run the code cells of a lesson, with its answers, in a fresh kernel of this interpreter."""
    return asyncio.run(_execute(source, root))


async def _execute(source: Source, root: Path) -> Run:
    code_cells = [cell for cell in source.cells if cell.kind == "code"]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="posenc-", ignore_cleanup_errors=True) as folder:
        try:
            cells = await run_cells([_full_text(cell) for cell in code_cells], Path(folder), root)
        except CellFailed as failed:
            cell = code_cells[failed.place]
            at = f" (line {cell.line + failed.line})" if failed.line else ""
            raise _named(source, cell, failed.why + at) from None
    for cell, (outputs, _) in zip(code_cells, cells, strict=True):
        if found := UNSTABLE.search(json.dumps(outputs, ensure_ascii=False)):
            raise _named(source, cell, f"its output holds {found[0]!r}, which differs on each run")
    _rename_widgets(source.path.name, cells)
    return Run(tuple(cells), time.monotonic() - began)


def _named(source: Source, cell: Cell, why: str) -> EditionError:
    return EditionError(
        f"{source.name}:{cell.line}: the cell that starts with {cell.first_line!r}: {why}"
    )


class CellFailed(Exception):
    """A cell ended in an error: its place among those run, the reason, its line within the cell."""

    def __init__(self, place: int, why: str, line: int | None = None) -> None:
        super().__init__(place, why, line)
        self.place, self.why, self.line = place, why, line


async def run_cells(codes: Sequence[str], folder: Path, root: Path) -> list[tuple[list, int | None]]:
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
        notebook, km=manager, timeout=SECONDS_PER_CELL, record_timing=False, coalesce_streams=True,
        store_widget_state=False, resources={"metadata": {"path": str(folder)}},
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
    return [
        (json.loads(json.dumps(cell.outputs)), cell.execution_count) for cell in notebook.cells
    ]


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
    personal = ("PYTHONSTARTUP", "PYTHONWARNINGS", "MPLBACKEND", "COLUMNS", "LINES", "NO_COLOR",
                "FORCE_COLOR", "NBGRADER_EXECUTION")
    kept = {name: value for name, value in os.environ.items() if name not in personal}
    paths = [str(root)] + [p for p in [os.environ.get("PYTHONPATH")] if p]
    return kept | {
        "IPYKERNEL_CELL_NAME": "<cell>", "IPYTHONDIR": str(settings / "ipython"),
        "MATPLOTLIBRC": str(settings / "matplotlibrc"), "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1",
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


def _run_key(source: Source, root: Path) -> str:
    """A hash of all that a run depends on: code cells, package, and versions of what runs them."""
    stack = {name: importlib.metadata.version(name) for name in TELLS_THE_STACK}
    codes = [_full_text(cell) for cell in source.cells if cell.kind == "code"]
    whole = json.dumps([source.path.name, codes, _package_hash(root), platform.python_version(), stack])
    return hashlib.sha256(whole.encode()).hexdigest()


def _package_hash(root: Path) -> str:
    """A hash of every file of the package that a lesson's kernel may import or read."""
    package = root / "posenc"
    found = hashlib.sha256()
    for path in sorted(p for p in package.rglob("*") if p.is_file()):
        inside = path.relative_to(package)
        if inside.parts[0] not in NOT_IN_A_LESSON and "__pycache__" not in inside.parts:
            found.update(inside.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _kept_path(source: Source, root: Path) -> Path:
    return root / "build" / "editions" / f"{source.stem}.json"


def kept_run(source: Source, root: Path) -> Run | None:
    """The kept run of a lesson, where code, package and versions are still those it was made of."""
    try:
        kept = json.loads(_kept_path(source, root).read_text(encoding="utf-8"))
        if kept["key"] == _run_key(source, root):
            return Run(tuple((outputs, count) for outputs, count in kept["cells"]), kept["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # nothing kept, or nothing that can be used: the lesson is run
    return None


def _keep(run: Run, source: Source, root: Path, key: str) -> None:
    path = _kept_path(source, root)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"key": key, "seconds": run.seconds, "cells": run.cells}
    write_whole(path, json.dumps(content, ensure_ascii=False).encode())


# ── three notebooks ─────────────────────────────────────────────────────────────────────────────


def editions(
    source: Source, run: Run, paths: Sequence[Path] = (), catalogue: Catalogue | None = None
) -> dict[str, Any]:
    """The instructor, learner and exercise notebooks of a lesson, from one run of it.

    paths: the sources of all lessons, for the links to the lesson before and after.
    Raises EditionError where an edition would use a name that it does not define.
    """
    catalogue = catalogue or course_catalogue()
    minutes = _minutes(source, catalogue)
    results = iter(run.cells)
    cells = [(cell, next(results) if cell.kind == "code" else None) for cell in source.cells]
    _check_names(source)
    return {
        "instructor": _instructor(source, cells, paths, minutes),
        "learner": _learner(source, cells, paths, minutes),
        "exercise": _exercise(source, minutes, catalogue),
    }


def _instructor(source: Source, cells: list, paths: Sequence[Path], minutes: Minutes) -> Any:
    body = [
        _made(source, cell, _full_text(cell), result, paths) for cell, result in cells
    ]
    body = _between_links(source, "instructor", paths, minutes, body)
    return _notebook(source, "instructor", minutes.all, body)


def _learner(source: Source, cells: list, paths: Sequence[Path], minutes: Minutes) -> Any:
    body = [
        _made(source, cell, _open_text(cell), result if _as_shown(cell) else None, paths)
        for cell, result in cells if "instructor" not in cell.tags
    ]
    body = _between_links(source, "learner", paths, minutes, body)
    return _notebook(source, "learner", minutes.all, body)


def _exercise(source: Source, minutes: Minutes, catalogue: Catalogue) -> Any:
    points = {name: _declared(source, catalogue.challenge, name).points for name in source.challenges}
    head = (
        f"# Lesson {source.lesson} · {source.title}: challenges\n\n"
        f"{len(points)} challenge{'s'[: len(points) - 1]} · {sum(points.values())} points · about {minutes.challenges} "
        f"minutes · course version {__version__}\n\n"
        "Write each answer in the cell under its text and run the check below it; then hand in "
        "this notebook. NumPy is all that is needed. Functions are found by their names, so cells "
        "may be added, split or moved."
    )
    body = [
        _added(source, "markdown", head, "head"),
        _added(source, "code", IMPORTS, "head"),
    ]
    for cell in _exercise_cells(source):
        made = _made(source, cell, _open_text(cell), None, ())
        if "check" in cell.tags:
            made["metadata"]["nbgrader"] = _nbgrader(cell.challenge, points[cell.challenge])
        body.append(made)
    first = next((n for n, c in enumerate(body) if "challenge-text" in c["metadata"]["tags"]), None)
    if first is not None:
        body.insert(first, _added(source, "markdown", "## Challenges", "head"))
    return _notebook(source, "exercise", minutes.challenges, body)


def _exercise_cells(source: Source) -> list[Cell]:
    """The cells that an exercise takes from its lesson."""
    kept = {"given", "challenge-text", "challenge", "check"}
    return [cell for cell in source.cells if cell.tags & kept and "instructor" not in cell.tags]


def _nbgrader(challenge: str, points: float) -> dict[str, Any]:
    """What makes a check cell one of nbgrader's autograded tests."""
    return {
        "grade": True, "grade_id": f"check-{challenge.replace('.', '-')}", "locked": True,
        "points": points, "schema_version": 3, "solution": False, "task": False,
    }


def _full_text(cell: Cell) -> str:
    return answered(cell.text) if "challenge" in cell.tags else cell.text


def _open_text(cell: Cell) -> str:
    return stub(cell.text) if "challenge" in cell.tags else cell.text


def _as_shown(cell: Cell) -> bool:
    """Whether a cell gives the learner what it gave here, before a challenge is answered."""
    if cell.tags & {"challenge", "check", "uses-challenge"}:
        return False
    return cell.kind != "code" or not only_calls(cell.text, "progress")


def _made(
    source: Source, cell: Cell, text: str, result: tuple | None, paths: Sequence[Path]
) -> dict[str, Any]:
    """A notebook's cell from a source's; links to lessons other than `paths` become plain text."""
    own = {"section": cell.section, "minutes": cell.minutes, "challenge": cell.challenge}
    metadata: dict[str, Any] = {"tags": sorted(cell.tags)}
    if own := {key: value for key, value in own.items() if value is not None}:
        metadata["posenc"] = own
    metadata |= cell.passed_on
    if cell.kind == "markdown" and "navigation" not in cell.tags:
        text = _without_dead_links(text, paths)
    made = {"cell_type": cell.kind, "id": "", "metadata": metadata, "source": text}
    # The id comes from the author's text, so that a cell keeps it from one edition to the next.
    made["id"] = _cell_id(source.stem, cell.kind, cell.text)
    if cell.kind == "code":
        outputs, count = copy.deepcopy(result) if result else ([], None)
        made |= {"outputs": outputs, "execution_count": count}
    return made


def _added(source: Source, kind: str, text: str, tag: str) -> dict[str, Any]:
    """A notebook's cell that stands in no source."""
    cell = Cell(kind, text, 0, frozenset({tag}))
    return _made(source, cell, text, None, ())


def _without_dead_links(text: str, paths: Sequence[Path]) -> str:
    """The text with links to lessons that are not written yet, or not here, as plain words.

    A link to a lesson that is there stays, also where its name is wrong: a test finds it.
    """
    there = {path.stem[:2] for path in paths}
    return LESSON_LINK.sub(lambda link: link[0] if link[2] in there else link[1], text)


def _cell_id(stem: str, kind: str, text: str) -> str:
    return hashlib.sha256(f"{stem}\0{kind}\0{text}".encode()).hexdigest()[:12]


def _notebook(source: Source, edition: str, minutes: int, cells: list[dict]) -> Any:
    import nbformat

    seen: dict[str, int] = {}
    for cell in cells:
        seen[cell["id"]] = seen.get(cell["id"], 0) + 1
        if seen[cell["id"]] > 1:
            cell["id"] += f"-{seen[cell['id']]}"
        if not cell["metadata"]["tags"]:
            del cell["metadata"]["tags"]
    notebook = nbformat.from_dict({
        "cells": cells, "nbformat": 4, "nbformat_minor": 5,
        "metadata": {
            "kernelspec": KERNEL, "language_info": LANGUAGE,
            "posenc": {
                "lesson": source.lesson, "title": source.title, "version": __version__,
                "edition": edition, "source": source.path.name, "sha256": source.sha256,
                "minutes": minutes,
            },
        },
    })
    nbformat.validate(notebook)
    return notebook


def _between_links(
    source: Source, edition: str, paths: Sequence[Path], minutes: Minutes, body: list[dict]
) -> list[dict]:
    """The cells of a lesson between a line of links above and the same links below."""
    links = _links(source, edition, paths)
    parts = [(minutes.sections, "to read and try"), (minutes.questions, "for the questions"),
             (minutes.challenges, "for the challenges")]
    told = ", ".join(f"{number} {what}" for number, what in parts if number)
    top = f"Lesson {source.lesson} · about {minutes.all} minutes: {told}"
    top = _added(source, "markdown", f"{links}\n\n{top}" if links else top, "navigation")
    end = [_added(source, "markdown", f"---\n\n{links}", "navigation")] if links else []
    return [top, *body, *end]


def _links(source: Source, edition: str, paths: Sequence[Path]) -> str:
    """The lesson before and the one after; between them, for the learner, the start page."""

    def link(path: Path, before: str, after: str) -> str:
        label = f"{before}{int(path.stem[:2])} · {title_of(path)}{after}"
        return f"[{label}]({path.stem}.ipynb)"

    earlier = [p for p in paths if p.stem < source.stem]
    later = [p for p in paths if p.stem > source.stem]
    found = [link(earlier[-1], "← ", "")] if earlier else []
    found += [f"[All lessons]({START_PAGE})"] if edition == "learner" else []
    found += [link(later[0], "", " →")] if later else []
    return " | ".join(found)


def _minutes(source: Source, catalogue: Catalogue) -> Minutes:
    return Minutes(
        round(sum(cell.minutes or 0 for cell in source.cells)),
        round(sum(_declared(source, catalogue.question, i).minutes for i in source.calls("ask"))),
        round(sum(_declared(source, catalogue.challenge, i).minutes for i in source.challenges)),
    )


def _declared(source: Source, find: Callable[[str], Any], name: str) -> Any:
    try:
        return find(name)
    except LookupError as missing:
        raise EditionError(f"{source.name}: {name} is not declared in posenc.lessons.") from missing


def _check_names(source: Source) -> None:
    """No edition may use what only another edition defines."""
    lesson = [c for c in source.cells if c.kind == "code" and "instructor" not in c.tags]
    for place, name in unbound(_full_text(cell) for cell in lesson):
        raise _named(source, lesson[place], f"{name!r} is not defined for the learner")
    owner: dict[str, Cell] = {}
    for cell in lesson:
        bound, now, later = names(_full_text(cell))
        for name in sorted(now | later) if _as_shown(cell) else ():
            if name not in bound and name in owner and not _as_shown(owner[name]):
                raise _named(
                    source, cell,
                    f"{name!r} depends on a challenge; tag the cell \"uses-challenge\"",
                )
        owner |= dict.fromkeys(bound, cell)
    taken = [cell for cell in _exercise_cells(source) if cell.kind == "code"]
    for cell in taken:
        if re.search(r"(?m)^\s*(from|import)\s+posenc\b", cell.text):
            raise _named(source, cell, "an exercise needs NumPy only, and this imports posenc")
    for place, name in unbound([IMPORTS, *(_full_text(cell) for cell in taken)]):
        raise _named(
            source, taken[place - 1],
            f"{name!r} is not defined in the exercise; tag the cell that defines it \"given\"",
        )


# ── building and checking ───────────────────────────────────────────────────────────────────────


def build(
    root: Path, wanted: Sequence[str] = (), jobs: int = 2, force: bool = False,
    tell: Callable[[str], None] = print, catalogue: Catalogue | None = None,
) -> list[Path]:
    """Write the three editions of the lessons asked for; return the files that changed.

    Raises EditionError, after all others are written, for the lessons that could not be built.
    """
    written: list[Path] = []

    async def one(path: Path, limit: asyncio.Semaphore) -> None:
        source = read(path)
        run = None if force else kept_run(source, root)
        how = "kept run"
        if run is None:
            # Taken before the run: a package changed meanwhile must not pass for the one that ran.
            key = _run_key(source, root)
            async with limit:
                run = await _execute(source, root)
            _keep(run, source, root, key)
            how = f"run in {run.seconds:.1f} s"
        made = editions(source, run, paths, catalogue)
        changed = [_write(root, source, edition, notebook) for edition, notebook in made.items()]
        written.extend(p for p in changed if p)
        tell(f"{source.stem}: {how}, {sum(map(bool, changed))} of 3 notebooks changed")

    paths = source_paths(root)
    failed = _for_each(select(paths, wanted), one, jobs)
    try:
        written += _write_start_page(root)
    except WorkspaceError as unreadable:
        failed.append(str(unreadable))
    if failed:
        raise EditionError("\n".join(failed))
    others = [path.stem for path in paths if path not in select(paths, wanted)]
    if others and (stale := _stale(root, others, catalogue)):
        tell(f"no longer what their sources give: {', '.join(stale)}; posenc build mends them")
    return sorted(written)


def check(
    root: Path, wanted: Sequence[str] = (), jobs: int = 2, run_again: bool = True,
    catalogue: Catalogue | None = None,
) -> list[str]:
    """Build the lessons asked for in memory and tell each difference from the notebooks here.

    Pictures are not compared: their bytes depend on the machine. With run_again=False the outputs
    are taken from the instructor edition, and everything else is compared in a moment.
    """
    found: dict[Path, list[str]] = {}

    async def one(path: Path, limit: asyncio.Semaphore) -> None:
        source = read(path)
        if run_again:
            async with limit:
                run = await _execute(source, root)
        else:
            run = _run_in(root, source)
        found[path] = [
            difference
            for edition, made in editions(source, run, paths, catalogue).items()
            for difference in _against_file(_path(root, source.stem, edition), made)
        ]

    paths = source_paths(root)
    if failed := _for_each(select(paths, wanted), one, jobs):
        raise EditionError("\n".join(failed))
    told = [difference for path in sorted(found) for difference in found[path]]
    return told + _start_page_differences(root) + ([] if wanted else _strays(root, paths))


def _stale(root: Path, stems: Sequence[str], catalogue: Catalogue | None) -> list[str]:
    """The lessons that differ from their sources: those that link to a new one, for example."""
    found = []
    for stem in stems:
        try:
            if check(root, [stem], run_again=False, catalogue=catalogue):
                found.append(stem)
        except EditionError:
            found.append(stem)
    return found


def _for_each(paths: Sequence[Path], work: Callable, jobs: int) -> list[str]:
    """Do the work for each path, `jobs` at a time, and return what failed, one text each."""
    if jobs < 1:
        raise ValueError(f"jobs is {jobs}; it is a whole number from 1.")

    async def every() -> list:
        limit = asyncio.Semaphore(jobs)
        return await asyncio.gather(*(work(p, limit) for p in paths), return_exceptions=True)

    failed = [result for result in asyncio.run(every()) if isinstance(result, BaseException)]
    for error in failed:
        if not isinstance(error, (EditionError, SourceError)):
            raise error
    return [str(error) for error in failed]


def _path(root: Path, stem: str, edition: str) -> Path:
    return root / EDITIONS[edition] / f"{stem}.ipynb"


def _text(notebook: Any) -> str:
    import nbformat

    return nbformat.writes(notebook, indent=1) + "\n"


def _write(root: Path, source: Source, edition: str, notebook: Any) -> Path | None:
    """Write a notebook if it differs from what is there; return its path if it was written."""
    path = _path(root, source.stem, edition)
    content = _text(notebook).encode()
    if path.is_file() and path.read_bytes() == content:
        return None
    path.parent.mkdir(exist_ok=True)
    write_whole(path, content)
    return path


def _run_in(root: Path, source: Source) -> Run:
    """The outputs in the instructor edition that is there, for the cells whose text is the same."""
    here = _load(_path(root, source.stem, "instructor")) or {"cells": []}
    known = {c.get("id"): (c.get("outputs", []), c.get("execution_count")) for c in here["cells"]}
    ids: dict[str, int] = {}
    cells = []
    for cell in source.cells:
        name = _cell_id(source.stem, cell.kind, cell.text)
        ids[name] = ids.get(name, 0) + 1
        name = name if ids[name] == 1 else f"{name}-{ids[name]}"
        if cell.kind == "code":
            cells.append(known.get(name, ([], None)))
    return Run(tuple(cells))


def _load(path: Path) -> Any:
    """A notebook as plain dicts with texts in one piece, or None where it cannot be read."""
    import nbformat

    try:
        text = path.read_text(encoding="utf-8")
        if not isinstance(json.loads(text)["cells"], list):
            return None
        return nbformat.reads(text, as_version=nbformat.NO_CONVERT)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write_start_page(root: Path) -> list[Path]:
    """Write notebooks/Start.md, to which each lesson links, from the notebooks that are there."""
    path = root / EDITIONS["learner"] / START_PAGE
    page = start_page(path.parent)
    if not path.parent.is_dir() or path.is_file() and path.read_bytes() == page:
        return []
    write_whole(path, page)
    return [path]


def _start_page_differences(root: Path) -> list[str]:
    path = root / EDITIONS["learner"] / START_PAGE
    try:
        page = start_page(path.parent).decode()
    except WorkspaceError as unreadable:
        return [str(unreadable)]
    here = path.read_text(encoding="utf-8") if path.is_file() else ""
    name = f"{path.parent.name}/{path.name}"
    return [] if here == page else [f"{name}: differs{_diff(here, page)}"]


def _strays(root: Path, paths: Sequence[Path]) -> list[str]:
    """Notebooks in the three folders that no source stands behind."""
    stems = {path.stem for path in paths}
    return [
        f"{folder}/{path.name}: no source in solutions/ gives this notebook"
        for folder in EDITIONS.values() for path in sorted((root / folder).glob("*.ipynb"))
        if path.stem not in stems
    ]


# ── what differs ────────────────────────────────────────────────────────────────────────────────


def _against_file(path: Path, made: Any) -> list[str]:
    name = f"{path.parent.name}/{path.name}"
    if not path.is_file():
        return [f"{name}: missing; posenc build writes it"]
    here = _load(path)
    if here is None:
        return [f"{name}: not a readable notebook"]
    return differences(name, here, made)


def differences(name: str, here: Any, made: Any) -> list[str]:
    """What differs between a notebook and the one its source gives, a short diff for each place.

    Compared are format, metadata, cells with their ids, sources, metadata, counts and outputs,
    with each picture in an output taken as one line.
    """
    here, made = _comparable(here), _comparable(made)
    found = []
    for part in sorted((here.keys() | made.keys()) - {"cells"}):
        if here.get(part) != made.get(part):
            found.append(f"{name}: {part} differs{_diff(here.get(part), made.get(part))}")
    mine, theirs = here.get("cells", []), made["cells"]
    by_id = difflib.SequenceMatcher(None, [_id(c) for c in mine], [_id(c) for c in theirs], False)
    for what, a, b, c, d in by_id.get_opcodes():
        paired = min(b - a, d - c)
        for k in range(paired):
            found += _cell_differences(name, a + k, mine[a + k], theirs[c + k])
        for k in range(a + paired, b):
            found.append(f"{name}, {_cell_name(k, mine[k])}: stands in no source")
        for k in range(c + paired, d):
            found.append(f"{name}: a cell is missing before cell {b + 1}: {_cell_name(k, theirs[k])}")
    return found


def _id(cell: dict) -> str:
    return str(cell.get("id"))


def _cell_name(place: int, cell: dict) -> str:
    first = str(cell.get("source", "")).partition("\n")[0]
    return f"cell {place + 1} ({first[:60]!r})"


def _cell_differences(name: str, place: int, here: dict, made: dict) -> list[str]:
    return [
        f"{name}, {_cell_name(place, here)}: {part} differs{_diff(here.get(part), made.get(part))}"
        for part in sorted(here.keys() | made.keys()) if here.get(part) != made.get(part)
    ]


def _comparable(notebook: Any) -> dict:
    """A copy as plain data, with each picture replaced by a word."""
    plain = json.loads(json.dumps(notebook))
    for cell in plain.get("cells", []):
        for output in cell.get("outputs", []):
            for kind in output.get("data", {}):
                if kind.startswith("image/"):
                    output["data"][kind] = "(picture)"
    return plain


def _diff(here: Any, made: Any, most: int = 12) -> str:
    """A short unified diff, indented, from what is there to what the source gives."""
    lines = list(difflib.unified_diff(
        _lines(here), _lines(made), "here", "built", n=1, lineterm=""
    ))
    if len(lines) > most:
        lines = [*lines[:most], f"… {len(lines) - most} lines more"]
    return "".join(f"\n    {line}" for line in lines)


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    text = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
    return text.replace("\\n", "\n").split("\n")
