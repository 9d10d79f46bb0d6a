"""One source of a lesson becomes three notebooks: for the instructor, the learner, and to hand in.

    solutions/NN_name.py ─► solutions/NN_name.ipynb   instructor: executed, with every answer
                         ├► notebooks/NN_name.ipynb   learner: outputs to read, challenges open
                         └► exercises/NN_name.ipynb   exercise: the challenges alone, no outputs

A lesson is executed once; all three editions are derived from that run. The instructor edition
keeps its outputs as they came, so that nbval can replay them; the learner edition keeps of a widget
what can be read before the first run. What the metadata say:

    notebook.metadata.posenc   lesson, title, version (of the course), edition, source, sha256 (of
                               the source, with \\n as line end), minutes (sections, questions and
                               challenges; in an exercise the challenges)
    cell.metadata.tags         the tags of the source; "navigation" on the two cells with links,
                               which are added here, "head" on those added to an exercise,
                               "instructor" on a note added after each challenge
    cell.metadata.posenc       section, minutes, challenge, where the source gives them
    cell.metadata.nbgrader     on the check cells of an exercise. Challenge cells carry none: a cell
                               marked `solution` without its markers is wiped by nbgrader's
                               generate_assignment, and one without metadata is left as handed in.

The same source, package and versions give the same bytes; cell ids are hashes of lesson, kind and
text. `build` takes a kept run (see runs.py) again while code cells, package and versions are as
they were, so that a change of prose costs no run. `check` never trusts one.
"""

from __future__ import annotations

import asyncio
import copy
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posenc import __version__
from posenc.authoring import runs
from posenc.authoring.differences import differences, short_diff
from posenc.authoring.sources import (
    Cell,
    Source,
    SourceError,
    only_calls,
    read,
    sections,
    stub,
    title_of,
)
from posenc.errors import CourseError
from posenc.files import write_whole
from posenc.learning.names import names, unbound
from posenc.learning.workspace import START_PAGE, SYMBOLS_PAGE, pages, symbols_source
from posenc.places import meant
from posenc.saving import readable

__all__ = [
    "Catalogue",
    "EDITIONS",
    "EditionError",
    "build",
    "check",
    "course_catalogue",
    "editions",
    "select",
    "source_paths",
]

EDITIONS = {"instructor": "solutions", "learner": "notebooks", "exercise": "exercises"}
INSTALL = f"%pip install ./posenc-{__version__}-py3-none-any.whl"
IMPORTS = (
    f"# Where the course is missing, lay its archive beside this notebook and run: {INSTALL}\n"
    "import numpy as np\n\nfrom posenc.classroom import case, check, hint, solution"
)
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
LESSON_LINK = re.compile(r"\[([^\]]+)\]\((\d\d)_\w+\.ipynb(?:#[^)]*)?\)")


class EditionError(CourseError):
    """A lesson cannot be built; the message names the source, the line and what went wrong."""


@dataclass(frozen=True)
class Catalogue:
    """Where points and minutes are declared: functions from an id to a challenge, a question."""

    challenge: Callable[[str], Any]
    question: Callable[[str], Any]


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


def source_paths(root: Path) -> list[Path]:
    """The sources of all lessons, in order. Raises EditionError where two have one number."""
    paths = sorted((root / "solutions").glob("[0-9][0-9]_*.py"))
    for one, other in zip(paths, paths[1:], strict=False):
        if one.stem[:2] == other.stem[:2]:
            raise EditionError(f"Two sources of one lesson: {one.name} and {other.name}.")
    return paths


def select(paths: Sequence[Path], wanted: Sequence[str] = ()) -> list[Path]:
    """The sources asked for by number, name or path; all of them where nothing is asked for.

    Raises NotUnderstood for a lesson that has no source.
    """
    stems = [path.stem for path in paths]
    chosen = {meant(asked, stems) for asked in wanted} if wanted else set(stems)
    return [path for path in paths if path.stem in chosen]


# ── three notebooks ─────────────────────────────────────────────────────────────────────────────


def editions(
    source: Source, run: runs.Run, paths: Sequence[Path] = (), catalogue: Catalogue | None = None
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
        "instructor": _instructor(source, cells, paths, minutes, catalogue),
        "learner": _learner(source, cells, paths, minutes),
        "exercise": _exercise(source, minutes, catalogue),
    }


def _instructor(
    source: Source, cells: list, paths: Sequence[Path], minutes: Minutes, catalogue: Catalogue
) -> Any:
    # What progress() prints depends on every lesson there is, so no edition keeps it.
    body, after = [], [cell for cell, _ in cells[1:]]
    for (cell, result), following in itertools.zip_longest(cells, after):
        text = runs.full_text(cell)
        if "instructor" in cell.tags and following is not None and following.minutes:
            text = f"**Next, {following.minutes} minutes.**\n\n{text}"
        shown = None if _is_progress(cell) else result
        body.append(_made(source, cell, text, shown, paths))
        if "check" in cell.tags:
            body.append(_mistakes(source, _declared(source, catalogue.challenge, cell.challenge)))
    body = _between_links(source, "instructor", paths, minutes, body)
    return _notebook(source, "instructor", minutes.all, body)


def _mistakes(source: Source, challenge: Any) -> dict[str, Any]:
    """A note after a challenge: what the check tells apart there, and what to ask then."""
    titles = {section.slug: section.title for section in sections(source)}
    lines = [
        f"**What people get wrong in {challenge.id}**, as its check tells them, and what to ask "
        f"then. To a room that shares a mistake, show *{titles[challenge.section]}*, or the "
        "section behind it.",
        "",
    ]
    for mistake in challenge.misconceptions:
        line = f"- *It looks as if {mistake.looks_like}.* {mistake.think}"
        if mistake.section:
            line += f" (Show *{titles[mistake.section]}*.)"
        lines.append(line)
    note = _added(source, "markdown", "\n".join(lines), "instructor")
    note["metadata"]["posenc"] = {"challenge": challenge.id}
    return note


def _learner(source: Source, cells: list, paths: Sequence[Path], minutes: Minutes) -> Any:
    body = [
        _made(source, cell, _open_text(cell), _to_read(result) if _as_shown(cell) else None, paths)
        for cell, result in cells
        if "instructor" not in cell.tags
    ]
    body = _between_links(source, "learner", paths, minutes, body)
    return _notebook(source, "learner", minutes.all, body)


def _exercise(source: Source, minutes: Minutes, catalogue: Catalogue) -> Any:
    points = {
        name: _declared(source, catalogue.challenge, name).points for name in source.challenges
    }
    head = (
        f"# Lesson {source.lesson} · {source.title}: challenges\n\n"
        f"{len(points)} challenge{'s'[: len(points) - 1]} · {sum(points.values())} points · "
        f"about {minutes.challenges} minutes · course version {__version__}\n\n"
        "Write each answer in the cell under its text and run the check below it; then hand in "
        "this notebook. NumPy and the course are all that is needed. Functions are found by "
        "their names, so cells "
        "may be added, split or moved."
    )
    body = [
        _added(source, "markdown", head, "head"),
        _added(source, "code", IMPORTS, "head"),
    ]
    for cell in _exercise_cells(source):
        made = _made(source, cell, _open_text(cell), None, ())
        if "check" in cell.tags and cell.challenge:
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
        "grade": True,
        "grade_id": f"check-{challenge.replace('.', '-')}",
        "locked": True,
        "points": points,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }


def _open_text(cell: Cell) -> str:
    return stub(cell.text) if "challenge" in cell.tags else cell.text


def _as_shown(cell: Cell) -> bool:
    """Whether a cell gives the learner what it gave here, before a challenge is answered."""
    return not (cell.tags & {"challenge", "check", "uses-challenge"} or _is_progress(cell))


def _to_read(result: tuple | None) -> tuple | None:
    """A cell's result without kernels' widgets: pictures with their lines, folded answers."""
    return (readable(result[0]), result[1]) if result else None


def _is_progress(cell: Cell) -> bool:
    return cell.kind == "code" and only_calls(cell.text, "progress")


def _made(
    source: Source, cell: Cell, text: str, result: tuple | None, paths: Sequence[Path]
) -> dict[str, Any]:
    """A notebook's cell from a source's; links to lessons other than `paths` become plain text."""
    own = {"section": cell.section, "minutes": cell.minutes, "challenge": cell.challenge}
    metadata: dict[str, Any] = {"tags": sorted(cell.tags)}
    if own := {key: value for key, value in own.items() if value is not None}:
        metadata["posenc"] = own
    metadata |= cell.passed_on
    if "guess-first" in cell.tags:
        # JupyterLab folds what the cell gave until it is run.
        metadata["jupyter"] = {"outputs_hidden": True}
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
    notebook = nbformat.from_dict(
        {
            "cells": cells,
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {
                "kernelspec": KERNEL,
                "language_info": LANGUAGE,
                "posenc": {
                    "lesson": source.lesson,
                    "title": source.title,
                    "version": __version__,
                    "edition": edition,
                    "source": source.path.name,
                    "sha256": source.sha256,
                    "minutes": minutes,
                },
            },
        }
    )
    nbformat.validate(notebook)
    return notebook


def _between_links(
    source: Source, edition: str, paths: Sequence[Path], minutes: Minutes, body: list[dict]
) -> list[dict]:
    """The cells of a lesson between a line of links above and the same links below."""
    links = _links(source, edition, paths)
    parts = [
        (minutes.sections, "to read and try"),
        (minutes.questions, "for the questions"),
        (minutes.challenges, "for the challenges"),
    ]
    told = ", ".join(f"{number} {what}" for number, what in parts if number)
    size = f"Lesson {source.lesson} · about {minutes.all} minutes: {told}"
    if edition == "learner":
        size += (
            "\n\nThis lesson needs the course's package. Where it is opened alone, as in Colab, "
            "lay "
            f"the course's archive beside it and run `{INSTALL}` in a new cell above."
        )
    top = _added(source, "markdown", f"{links}\n\n{size}" if links else size, "navigation")
    end = [_added(source, "markdown", f"---\n\n{links}", "navigation")] if links else []
    return [top, *body, *end]


def _links(source: Source, edition: str, paths: Sequence[Path]) -> str:
    """The lesson before and the one after; between them the start page, for the learner, and the
    table of symbols."""

    def link(path: Path, before: str, after: str) -> str:
        label = f"{before}{int(path.stem[:2])} · {title_of(path)}{after}"
        return f"[{label}]({path.stem}.ipynb)"

    earlier = [p for p in paths if p.stem < source.stem]
    later = [p for p in paths if p.stem > source.stem]
    found = [link(earlier[-1], "← ", "")] if earlier else []
    found += [f"[All lessons]({START_PAGE})"] if edition == "learner" else []
    symbols = symbols_source(source.path.parent)
    if symbols.is_file():
        to_symbols = SYMBOLS_PAGE if edition == "learner" else f"../docs/{symbols.name}"
        found += [f"[Symbols]({to_symbols})"]
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
    for place, name in unbound(runs.full_text(cell) for cell in lesson):
        raise _refused(source, lesson[place], f"{name!r} is not defined for the learner")
    owner: dict[str, Cell] = {}
    for cell in lesson:
        bound, now, later = names(runs.full_text(cell))
        for name in sorted(now | later) if _as_shown(cell) else ():
            if name not in bound and name in owner and not _as_shown(owner[name]):
                raise _refused(
                    source,
                    cell,
                    f'{name!r} depends on a challenge; tag the cell "uses-challenge"',
                )
        owner |= dict.fromkeys(bound, cell)
    taken = [cell for cell in _exercise_cells(source) if cell.kind == "code"]
    for cell in taken:
        if re.search(r"(?m)^\s*(from|import)\s+posenc\b", cell.text):
            raise _refused(source, cell, "an exercise needs NumPy only, and this imports posenc")
    for place, name in unbound([IMPORTS, *(runs.full_text(cell) for cell in taken)]):
        raise _refused(
            source,
            taken[place - 1],
            f'{name!r} is not defined in the exercise; tag the cell that defines it "given"',
        )


def _refused(source: Source, cell: Cell, why: str) -> EditionError:
    return EditionError(str(runs.named(source, cell, why)))


# ── building and checking ───────────────────────────────────────────────────────────────────────


def build(
    root: Path,
    wanted: Sequence[str] = (),
    jobs: int = 2,
    force: bool = False,
    tell: Callable[[str], None] = print,
    catalogue: Catalogue | None = None,
) -> list[Path]:
    """Write the three editions of the lessons asked for; return the files that changed.

    Raises EditionError, after all others are written, for the lessons that could not be built.
    """
    written: list[Path] = []

    async def one(path: Path, limit: asyncio.Semaphore) -> None:
        source = read(path, (catalogue or course_catalogue()).challenge)
        run = None if force else runs.kept_run(source, root)
        how = "kept run"
        if run is None:
            # Taken before the run: a package changed meanwhile must not pass for the one that ran.
            key = runs.run_key(source, root)
            async with limit:
                run = await runs.run_lesson(source, root)
            runs.keep(run, source, root, key)
            how = f"run in {run.seconds:.1f} s"
        made = editions(source, run, paths, catalogue)
        changed = [_write(root, source, edition, notebook) for edition, notebook in made.items()]
        written.extend(p for p in changed if p)
        tell(f"{source.stem}: {how}, {sum(map(bool, changed))} of 3 notebooks changed")

    paths = source_paths(root)
    failed = _for_each(select(paths, wanted), one, jobs)
    try:
        written += _write_pages(root)
    except CourseError as unreadable:
        failed.append(str(unreadable))
    if failed:
        raise EditionError("\n".join(failed))
    others = [path.stem for path in paths if path not in select(paths, wanted)]
    if others and (stale := _stale(root, others, catalogue)):
        tell(f"no longer what their sources give: {', '.join(stale)}; posenc build mends them")
    return sorted(written)


def check(
    root: Path,
    wanted: Sequence[str] = (),
    jobs: int = 2,
    run_again: bool = True,
    catalogue: Catalogue | None = None,
) -> list[str]:
    """Build the lessons asked for in memory and tell each difference from the notebooks here.

    Pictures are not compared: their bytes depend on the machine. With run_again=False the outputs
    are taken from the instructor edition, and everything else is compared in a moment.
    """
    found: dict[Path, list[str]] = {}

    async def one(path: Path, limit: asyncio.Semaphore) -> None:
        source = read(path, (catalogue or course_catalogue()).challenge)
        if run_again:
            async with limit:
                run = await runs.run_lesson(source, root)
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
    return told + _page_differences(root) + ([] if wanted else _strays(root, paths))


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
        if not isinstance(error, (EditionError, runs.RunError, SourceError)):
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


def _run_in(root: Path, source: Source) -> runs.Run:
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
    return runs.Run(tuple(cells))


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


def _write_pages(root: Path) -> list[Path]:
    """Write the pages beside the learner's notebooks, to which each lesson links."""
    folder = root / EDITIONS["learner"]
    if not folder.is_dir():
        return []
    written = []
    for name, content in pages(folder).items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            write_whole(path, content)
            written.append(path)
    return written


def _page_differences(root: Path) -> list[str]:
    folder = root / EDITIONS["learner"]
    try:
        made = pages(folder)
    except CourseError as unreadable:
        return [str(unreadable)]
    found = []
    for name, content in made.items():
        path = folder / name
        here = path.read_text(encoding="utf-8") if path.is_file() else ""
        if here != content.decode():
            found.append(f"{folder.name}/{name}: differs{short_diff(here, content.decode())}")
    return found


def _strays(root: Path, paths: Sequence[Path]) -> list[str]:
    """Notebooks in the three folders that no source stands behind."""
    stems = {path.stem for path in paths}
    return [
        f"{folder}/{path.name}: no source in solutions/ gives this notebook"
        for folder in EDITIONS.values()
        for path in sorted((root / folder).glob("*.ipynb"))
        if path.stem not in stems
    ]


def _against_file(path: Path, made: Any) -> list[str]:
    name = f"{path.parent.name}/{path.name}"
    if not path.is_file():
        return [f"{name}: missing; posenc build writes it"]
    here = _load(path)
    if here is None:
        return [f"{name}: not a readable notebook"]
    return differences(name, here, made)
