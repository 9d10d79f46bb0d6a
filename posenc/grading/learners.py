"""Which learner a notebook belongs to: by a list, by folder, or by names that systems give.

Files come out of downloads in many shapes: one folder a learner, Canvas' and Moodle's names, a
browser's "ps1 (1).ipynb". What was found, and by what, is kept with each submission.
"""

from __future__ import annotations

import csv
import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from posenc import lessons
from posenc.grading.notebook import clean

SKIPPED_FOLDERS = {
    ".ipynb_checkpoints",
    "__MACOSX",
    "__pycache__",
    "node_modules",
    "feedback",
    "autograded",
}
COLLECTING = {"submitted", "submissions", "collected", "handin", "notebooks"}
CANVAS = re.compile(r"^(?P<learner>[^_]+)(?:_(?P<late>LATE))?_(?P<id>\d+)_\d+_(?P<rest>.+)$")
MOODLE = re.compile(r"^(?P<learner>.+)_(?P<id>\d+)_assignsubmission_file_?(?P<rest>.*)$")
COPIES = re.compile(
    r"[ _-]*(?:\((?P<browser>\d+)\)|-Copy(?P<lab>\d+)"
    r"|[ _-](?:copy|Kopie|final|v(?P<version>\d+)))$",
    re.IGNORECASE,
)
CANVAS_AGAIN = re.compile(r"-(?P<again>\d{1,2})$")
# What is left of a name without these may be a learner's.
TELLS_NO_LEARNER = re.compile(
    r"lessons?|exercises?|assignment|homework|hw|ps|problem|set|notebook|untitled|submission"
    r"|solution|answers?|file|handin|[\d _.-]",
    re.IGNORECASE,
)
KEEP = ("newest", "oldest", "best", "all")


class BadList(ValueError):
    """A list of names cannot be used; the message says why."""


@dataclass(frozen=True)
class Submission:
    """A file, and whose it is.

    shown: the path as printed, from the folder that was given. told_by: 'list', 'pattern',
    'Canvas', 'Moodle', 'folder', 'file name', or 'nothing' where the file's own name stands in.
    attempt: the number that a browser or learning system added. ids: what a learning system calls
    the learner.
    """

    path: Path
    shown: str
    learner: str
    told_by: str
    attempt: int = 0
    late: bool = False
    ids: dict[str, str] = field(default_factory=dict)
    root: Path | None = None

    @property
    def key(self) -> str:
        """What tells whether two submissions are of one learner."""
        return key(self.learner)

    @property
    def age(self) -> tuple[int, float, str]:
        """Sorts submissions of one learner from the oldest to the newest."""
        try:
            changed = os.lstat(self.path).st_mtime
        except OSError:
            changed = 0.0
        return self.attempt, changed, self.shown


def key(name: str) -> str:
    """A name without what does not tell people apart: case, spacing, ways to write one letter."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(re.split(r"[\s_]+", plain.strip()))


def find(
    paths: Sequence[Path],
    names: dict[str, tuple[str, str]] | None = None,
    pattern: str | None = None,
) -> list[Submission]:
    """All submissions under `paths`, sorted. FileNotFoundError where a path is not there.

    names: from `read_list`. pattern: a regular expression with a group `learner` for file paths.
    """
    known = names or {}
    compiled = _compiled(pattern)
    found: dict[Path, Submission] = {}
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise FileNotFoundError(f"there is no file or folder called {path}")
        root = path if path.is_dir() else None
        files = _notebooks(path) if root else [path]
        shared = _shared_folders(files, root) if root else ()
        for file in files:
            submission = _whose(file, root, shared, known, compiled)
            found.setdefault(file.absolute(), submission)
    return sorted(found.values(), key=lambda s: (s.key, s.shown))


def read_list(path: Path) -> dict[str, tuple[str, str]]:
    """A CSV file with the columns `file` (or folder), `learner` and, if there is one, `id`.

    Returns learner and id by file. BadList where the columns are not there.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadList(f"the list {path} cannot be read: {error}") from None
    dialect = ";" if text.split("\n", 1)[0].count(";") > text.split("\n", 1)[0].count(",") else ","
    rows = list(csv.DictReader(text.splitlines(), delimiter=dialect))
    if not rows or not {"file", "learner"} <= {(h or "").strip().lower() for h in rows[0]}:
        raise BadList(
            f"the list {path} needs a first line with the columns file and learner (and id)"
        )
    found = {}
    for row in rows:
        plain = {
            (k or "").strip().lower(): (v or "").strip()
            for k, v in row.items()
            if isinstance(v, str)
        }
        if plain.get("file") and plain.get("learner"):
            found[_as_listed(plain["file"])] = (clean(plain["learner"], 200), plain.get("id", ""))
    return found


def unused_names(names: dict[str, tuple[str, str]], submissions: Iterable[Submission]) -> list[str]:
    """Listed learners that no submission matched: they handed in nothing, or are misspelled."""
    matched = {s.key for s in submissions if s.told_by == "list"}
    return sorted(learner for learner, _ in names.values() if key(learner) not in matched)


def _notebooks(root: Path) -> list[Path]:
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith(".")
        )
        for name in sorted([*files, *(f for f in folders if f.lower().endswith(".ipynb"))]):
            if name.lower().endswith(".ipynb") and not name.startswith("."):
                found.append(Path(folder, name))
        folders[:] = [f for f in folders if not f.lower().endswith(".ipynb")]
    return found


def _shared_folders(files: Sequence[Path], root: Path) -> tuple[str, ...]:
    """Folders between the one given and the learners': those of collecting, or above all files."""
    shared: list[str] = []
    parts = [f.relative_to(root).parts[:-1] for f in files]
    while parts and all(parts):
        first = {p[0] for p in parts}
        if len(first) > 1:
            break
        (name,) = first
        deeper = any(len(p) > 1 for p in parts)
        if name.lower() not in COLLECTING and not (deeper and len({p[:2] for p in parts}) > 1):
            break
        shared.append(name)
        parts = [p[1:] for p in parts]
    return tuple(shared)


def _whose(
    file: Path,
    root: Path | None,
    shared: tuple[str, ...],
    known: dict[str, tuple[str, str]],
    pattern: re.Pattern[str] | None,
) -> Submission:
    relative = file.relative_to(root) if root else Path(file.name)
    folders = relative.parts[:-1][len(shared) :]
    while folders and folders[0].lower() in COLLECTING:
        folders = folders[1:]
    shown = clean(relative.as_posix(), 400)
    stem, attempt = _without_copies(unicodedata.normalize("NFC", file.stem))
    blank = Submission(file, shown, "", "", attempt, root=root)
    listed = _listed(known, relative, folders)
    if listed is not None:
        return replace(
            blank, learner=listed[0], told_by="list", ids={"id": listed[1]} if listed[1] else {}
        )
    if pattern is not None and (match := pattern.search(relative.as_posix())):
        return _named(replace(blank, learner=match.group("learner") or "", told_by="pattern"), file)
    for name, expression, system in (
        *((f, MOODLE, "Moodle") for f in folders),
        (stem, MOODLE, "Moodle"),
    ):
        if match := expression.match(unicodedata.normalize("NFC", name)):
            return _named(
                replace(
                    blank, learner=match["learner"], told_by=system, ids={"moodle": match["id"]}
                ),
                file,
            )
    if not folders and (match := CANVAS.match(stem)):
        again = CANVAS_AGAIN.search(match["rest"])
        number = max(attempt, int(again["again"]) if again else 0)
        return _named(
            replace(
                blank,
                learner=match["learner"],
                told_by="Canvas",
                attempt=number,
                late=bool(match["late"]),
                ids={"canvas": match["id"]},
            ),
            file,
        )
    if folders:
        return _named(replace(blank, learner=folders[0], told_by="folder"), file)
    named = _without_lesson(stem)
    if TELLS_NO_LEARNER.sub("", named):
        return _named(replace(blank, learner=named, told_by="file name"), file)
    if shared and shared[-1].lower() not in COLLECTING:
        return _named(replace(blank, learner=shared[-1], told_by="folder"), file)
    # Two files that name nobody may be two people's: none of them is taken for a second try.
    return _named(replace(blank, learner=file.stem, told_by="nothing", attempt=0), file)


def _named(submission: Submission, file: Path) -> Submission:
    learner = clean(unicodedata.normalize("NFC", submission.learner), 200).strip(" _-.\n\t")
    return replace(submission, learner=learner or clean(file.name, 200))


def _listed(
    known: dict[str, tuple[str, str]], relative: Path, folders: Sequence[str]
) -> tuple[str, str] | None:
    if not known:
        return None
    tries = [relative.as_posix(), relative.name, relative.stem, *folders]
    return next((known[_as_listed(t)] for t in tries if _as_listed(t) in known), None)


def _as_listed(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip().strip("/")).casefold()


def _without_copies(stem: str) -> tuple[str, int]:
    """A file's stem without what a browser or JupyterLab adds to copies, and the copy's number."""
    number = 0
    while match := COPIES.search(stem):
        digits = match["browser"] or match["lab"] or match["version"]
        number = max(number, int(digits[:6]) if digits else 1)
        stem = stem[: match.start()]
    return stem, number


def _without_lesson(stem: str) -> str:
    """A file's stem without the lesson's own name: what is left may be a learner's."""
    plain = stem
    for lesson in lessons.LESSONS:
        for name in (lesson.stem, lesson.stem[3:]):
            plain = re.sub(re.escape(name), "", plain, flags=re.IGNORECASE)
    return plain.strip(" _-.")


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    if pattern is None:
        return None
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise BadList(f"the name pattern is no regular expression: {error}") from None
    if "learner" not in compiled.groupindex:
        raise BadList("the name pattern needs a group called learner, as in (?P<learner>[^/]+)/")
    return compiled
