"""The learner's working folder: lessons come in, and nothing that the learner has is lost.

A small record in the folder (`.posenc-working-folder.json`) holds the SHA-256 of each file as it
was written here, and of the edition in the course that it came from. A file that still has its hash
was not touched and may be renewed; any other file belongs to the learner, and a newer edition is
laid beside it. Without the record, or with a damaged one, every file counts as the learner's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import posenc
from posenc.errors import CourseError
from posenc.files import can_write_in, exclusive, free_name, set_aside, write_whole
from posenc.places import (
    MARKER,
    course_folder,
    is_installed,
    lesson_name,
    lesson_names,
    open_working_folder,
    user_folder,
)
from posenc.saving import notebook_metadata

LOCK = ".posenc-working-folder.lock"
START_PAGE = "Start.md"
SYMBOLS_PAGE = "Symbols.md"
OFFERED = "new version"
THUMB = 240  # pixels of the longer side, shown at half that size on every screen
TRACKED_FOLDERS = {"notebooks", "solutions", "exercises", "posenc", "tests", "docs", "benchmarks"}


# What was shipped


@dataclass
class Record:
    """What the working folder was given, as hashes by file name.

    `shipped`: the file as it was written; `editions`: the course's file that it came from;
    `offered`: the course's file that was laid beside it.
    """

    shipped: dict[str, str] = field(default_factory=dict)
    editions: dict[str, str] = field(default_factory=dict)
    offered: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> Record:
        """Return the record of a folder; an empty one where it is missing or damaged."""
        try:
            found = json.loads((folder / MARKER).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return cls()
        if not isinstance(found, dict):
            return cls()
        return cls(*(_strings(found.get(kind)) for kind in ("shipped", "editions", "offered")))

    def write(self, folder: Path) -> None:
        """Save the record in one step."""
        content = {
            "about": "Made by posenc: what each file was when it came here (SHA-256).",
            "version": posenc.__version__,
            "shipped": self.shipped,
            "editions": self.editions,
            "offered": self.offered,
        }
        text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
        write_whole(folder / MARKER, text.encode())

    def note(self, name: str, written: bytes, edition: str) -> None:
        """Note that a file is now as it was shipped, from this edition."""
        self.shipped[name] = _hash(written)
        self.editions[name] = edition
        self.offered.pop(name, None)


def _strings(found: object) -> dict[str, str]:
    if not isinstance(found, dict):
        return {}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _same_edition(one: bytes, other: bytes) -> bool:
    """Say whether two notebooks name the same edition of the course in their metadata."""
    editions = [notebook_metadata(content) for content in (one, other)]
    return bool(editions[0]) and editions[0] == editions[1]


# Bringing lessons


@dataclass
class Prepared:
    """What `prepare` did, as names of files; `offered` maps a lesson to the name laid beside it."""

    folder: Path
    new: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    offered: dict[str, str] = field(default_factory=dict)

    def describe(self) -> str:
        """Return the lines that a learner reads."""
        lines = [f"Working folder: {self.folder}"]
        if self.folder.is_relative_to(user_folder()):
            why = "is not yours" if is_installed() else "cannot be written to"
            lines.append(f"(It is there because the course folder {why}.)")
        if self.new:
            lines.append(f"New in it: {_listed(self.new)}.")
        if self.renewed:
            lines.append(f"Renewed, since you had not changed them: {_listed(self.renewed)}.")
        for name, beside in self.offered.items():
            lines.append(f"{name} has a new edition. Yours stays; the new one is {beside!r}.")
        return "\n".join(lines)


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} files, {names[0]} to {names[-1]}"


def prepare(folder: Path, editions: Path | None = None) -> Prepared:
    """Bring the lessons of `editions` (the course's notebooks) and their pages into `folder`.

    What is missing is copied, what the learner never changed is renewed, and beside what the
    learner changed a newer edition is laid, once. Two runs at once wait for each other.
    Raises CourseError where the folder cannot serve, OSError where the disk refuses.
    """
    editions = Path(editions) if editions is not None else course_folder() / "notebooks"
    if not lesson_names(editions):
        raise CourseError(f"There are no lessons in {editions}. Get the course again, whole.")
    folder = _make_folder(Path(folder), editions)
    prepared = Prepared(folder)
    with exclusive(folder / LOCK):
        record = Record.read(folder)
        for name in lesson_names(editions):
            _bring(name, (editions / name).read_bytes(), record, prepared)
        for name, content in pages(editions).items():
            shown = start_page(editions, folder) if name == START_PAGE else None
            _bring(name, content, record, prepared, shown)
        record.write(folder)
    return prepared


def _make_folder(folder: Path, editions: Path) -> Path:
    folder = folder.resolve()
    course = editions.resolve().parent
    if folder == course or folder.parent == course and folder.name in TRACKED_FOLDERS:
        raise CourseError(
            f"{folder} belongs to the course, and an update would change it. "
            f"Choose another folder, for example {course / 'my-course'}."
        )
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file, not a folder. Choose another name.")
    folder.mkdir(parents=True, exist_ok=True)
    if not can_write_in(folder):
        raise CourseError(f"{folder} cannot be written to. Choose another with --folder PATH.")
    return folder


def as_shipped(edition: bytes) -> bytes:
    """Return an edition as a learner gets it: naming the version of the Python that will run it.

    JupyterLab writes that version into a notebook that lacks it. It would so show an unsaved change
    in a lesson that was only opened, save it after a while, and make it count as the learner's.
    """
    try:
        notebook = json.loads(edition)
        notebook["metadata"]["language_info"]["version"] = sys.version.split()[0]
    except (ValueError, TypeError, KeyError):
        return edition
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def _bring(
    name: str, source: bytes, record: Record, prepared: Prepared, shown: bytes | None = None
) -> None:
    """Bring one file, in the way that keeps whatever the learner did to an earlier one.

    shown: what is written in its place, where that depends on more than the edition.
    """
    target = prepared.folder / name
    content, edition = shown or as_shipped(source), _hash(source)
    if not os.path.lexists(target):
        write_whole(target, content)
        record.note(name, content, edition)
        prepared.new.append(name)
        return
    if target.is_dir():
        raise CourseError(f"{target} is a folder, where a lesson should go. Rename it.")
    present = target.read_bytes()
    if present == content:
        record.note(name, content, edition)
    elif _hash(present) == record.shipped.get(name):
        write_whole(target, content)
        # With another Python the file differs, but the lesson does not: nothing to tell.
        if record.editions.get(name) != edition:
            prepared.renewed.append(name)
        record.note(name, content, edition)
    else:
        prepared.kept.append(name)
        if name not in record.editions and _same_edition(present, content):
            record.editions[name] = edition
        if edition not in (record.editions.get(name), record.offered.get(name)):
            prepared.offered[name] = _offer(target, content, record)
            record.offered[name] = edition


def _beside(target: Path) -> Path:
    return target.with_name(f"{target.stem} ({OFFERED}){target.suffix}")


def _take_back_offer(target: Path, content: bytes, record: Record) -> None:
    """Remove the edition laid beside a lesson where the lesson is now the same, byte by byte."""
    beside = _beside(target)
    if beside.is_file() and beside.read_bytes() == content:
        beside.unlink()
        record.shipped.pop(beside.name, None)


def _offer(target: Path, content: bytes, record: Record) -> str:
    """Lay a new edition beside the learner's copy; an older offer is replaced if untouched."""
    beside = _beside(target)
    untouched = beside.is_file() and _hash(beside.read_bytes()) == record.shipped.get(beside.name)
    if not untouched:
        beside = free_name(target, OFFERED)
    write_whole(beside, content)
    record.shipped[beside.name] = _hash(content)
    return beside.name


# Going back


@dataclass(frozen=True)
class Reset:
    """What `reset` did: the lesson's path, and its backup (None: there was nothing to keep)."""

    path: Path
    backup: Path | None

    def describe(self) -> str:
        """Return the lines that a learner reads."""
        if self.backup is None:
            return f"{self.path.name} is as it was shipped."
        return (
            f"{self.path.name} is as it was shipped. Your copy is kept as {self.backup.name!r}.\n"
            "If the lesson is open in JupyterLab, close its tab without saving and open it again."
        )


def reset(lesson: str | int, folder: Path | None = None, editions: Path | None = None) -> Reset:
    """Bring a lesson back as it is shipped, and keep the learner's copy under a dated name."""
    editions = Path(editions) if editions is not None else course_folder() / "notebooks"
    name = lesson_name(lesson, editions)
    folder = open_working_folder(folder)
    edition = (editions / name).read_bytes()
    content = as_shipped(edition)
    with exclusive(folder / LOCK):
        target = folder / name
        backup = None
        if os.path.lexists(target) and (target.is_dir() or target.read_bytes() != content):
            backup = set_aside(target)
        if not target.exists():
            write_whole(target, content)
        record = Record.read(folder)
        record.note(name, content, _hash(edition))
        _take_back_offer(target, content, record)
        record.write(folder)
    return Reset(target, backup)


# The pages beside the lessons


def pages(editions: Path) -> dict[str, bytes]:
    """Return the pages that stand beside the notebooks, by name: start page, table of symbols."""
    found = {START_PAGE: start_page(editions)}
    symbols = symbols_source(editions)
    if symbols.is_file():
        found[SYMBOLS_PAGE] = symbols.read_text(encoding="utf-8").encode()
    return found


def symbols_source(editions: Path) -> Path:
    """Return where the table of symbols is: in the course's docs/, or beside the notebooks."""
    kept = Path(editions).resolve().parent / "docs" / "symbols.md"
    return kept if kept.is_file() else Path(editions) / SYMBOLS_PAGE


def start_page(editions: Path, folder: Path | None = None) -> bytes:
    """Return the start page: the course's `docs/start.md` with the table of lessons filled in.

    folder: a working folder, whose page says what is done and where to go on, and has a picture
    for each lesson.
    """
    table = lesson_table(editions, folder)
    if symbols_source(editions).is_file():
        table += ["", f"What each letter stands for, in one table: [Symbols]({SYMBOLS_PAGE})"]
    source = Path(editions).resolve().parent / "docs" / "start.md"
    text = "# Lessons\n\n<!-- lessons -->\n"
    if source.is_file():
        text = source.read_text(encoding="utf-8")
    return text.replace("<!-- lessons -->", "\n".join(table)).encode()


def lesson_table(editions: Path, folder: Path | None = None) -> list[str]:
    """Return the table of lessons with links, minutes and a sentence each, as lines of Markdown.

    With a working folder, there is a picture for each too, and what is done.
    """
    names = lesson_names(editions)
    head = ["| No. | Lesson | Minutes | What it is about |", "|---:|---|---:|---|"]
    if folder is None:
        return [*head, *(_lesson_row(Path(editions) / name) for name in names)]
    done = _done(folder)
    left = [name for name in names if not done.get(int(name[:2]), ("", False))[1]]
    begun = [name for name in left if done.get(int(name[:2]), ("", False))[0]]
    go_on = next(iter(begun or left), None)
    verb = "Go on" if any(words for words, _ in done.values()) else "Begin"
    lead = [f"**{verb} with [lesson {int(go_on[:2])}]({go_on}).**", ""] if go_on else []
    rows = [
        f"{_lesson_row(Path(editions) / name)} {_small_picture(Path(editions) / name)} "
        f"| {done.get(int(name[:2]), ('', False))[0]} |"
        for name in names
    ]
    return [*lead, f"{head[0]}   | Done |", f"{head[1]}---|---|", *rows]


def _done(folder: Path) -> dict[int, tuple[str, bool]]:
    """For each lesson what was done in it, '' for nothing, and whether that is all."""
    # The record belongs to the classroom, which is loaded for this page alone.
    from posenc.classroom.recording import table_rows

    return {
        row.lesson: (
            f"{'✓ ' if row.done else ''}{row.passed} of {row.challenges} challenges, "
            f"{row.answered} of {row.questions} questions"
            if row.begun
            else "",
            row.done,
        )
        for row in table_rows(folder)
        if row.lesson is not None
    }


def _small_picture(path: Path) -> str:
    """The first picture of a lesson, as wide as a thumb; '' where there is none."""
    import base64
    import io

    from PIL import Image

    for cell in json.loads(path.read_bytes())["cells"]:
        for output in cell.get("outputs", []):
            if drawn := output.get("data", {}).get("image/png"):
                try:
                    image = Image.open(io.BytesIO(base64.b64decode("".join(drawn)))).convert("RGB")
                except (OSError, ValueError):
                    return ""
                image.thumbnail((THUMB, THUMB))
                file = io.BytesIO()
                image.quantize(64).save(file, "PNG", optimize=True)
                data = base64.b64encode(file.getvalue()).decode("ascii")
                return f'<img alt="" width="{THUMB // 2}" src="data:image/png;base64,{data}">'
    return ""


def _lesson_row(path: Path) -> str:
    content = path.read_bytes()
    try:
        cells = json.loads(content)["cells"]
    except (ValueError, TypeError, KeyError) as error:
        raise CourseError(f"{path} is not a notebook ({error}). Get the course again.") from error
    about = notebook_metadata(content)
    title = about.get("title") or _first_heading(cells) or path.stem[3:].replace("_", " ")
    minutes = about.get("minutes") or _minutes(cells)
    number, link = int(path.name[:2]), f"[{title}]({path.name})"
    return f"| {number} | {link} | {minutes or ''} | {_first_sentence(cells)} |"


def _first_sentence(cells: list[dict]) -> str:
    """The sentence with which a lesson says what it is about, '' where none says so."""
    for cell in cells:
        text = "".join(cell.get("source", ""))
        found = re.search(
            r"^\*\*What (?:breaks|is gained)\.\*\* (.+?[.])(?: |$)", text, re.MULTILINE
        )
        if cell.get("cell_type") == "markdown" and found:
            return found[1].replace("|", "\\|")
    return ""


def _first_heading(cells: list[dict]) -> str | None:
    for cell in cells:
        heading = re.search(r"^# +(.+?)\s*$", "".join(cell.get("source", "")), re.MULTILINE)
        if cell.get("cell_type") == "markdown" and heading:
            return re.sub(r"^(Lesson\s*)?\d+\s*[·.:—–-]\s*", "", heading[1])
    return None


def _minutes(cells: list[dict]) -> int:
    found = [cell.get("metadata", {}).get("minutes") for cell in cells]
    return round(sum(minutes for minutes in found if isinstance(minutes, int | float)))
