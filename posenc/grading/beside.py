"""Files that a learner handed in beside a notebook, such as a module that it imports.

They are in the working folder when the notebook runs, read-only. Only files of a folder below the
one that is graded are taken, and only where all notebooks of that folder are one learner's, so that
nobody is given what belongs to another learner or to the instructor.
"""

from __future__ import annotations

import os
import posixpath
import stat
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from posenc.grading import notebook, tree
from posenc.grading.learners import Submission
from posenc.grading.notebook import Unreadable

MOST_FILES = 50
LARGEST = 2 * 2**20
MOST_BYTES = 8 * 2**20
# Other notebooks are graded by themselves, and archives are read as folders.
PASSED_OVER = (".ipynb", ".zip", ".tar", ".gz", ".7z", ".rar", ".sqlite")

Place = tuple[Path, tuple[str, ...], str]


class Beside:
    """Whose each folder of a pile is, and what lies in it."""

    def __init__(self, submissions: Iterable[Submission]) -> None:
        self.owners: dict[Place, set[str]] = defaultdict(set)
        for submission in submissions:
            self.owners[_place(submission)].add(submission.key)

    def of(self, submission: Submission) -> dict[str, bytes]:
        """The files beside a notebook by name; none where they may be somebody else's."""
        place = _place(submission)
        below = "/" in submission.shown or bool(submission.inside)
        if not below or self.owners.get(place) != {submission.key}:
            return {}
        found: dict[str, bytes] = {}
        size = 0
        for name, inside in _listed(submission, place):
            if len(found) == MOST_FILES:
                break
            path = submission.path if inside else submission.path.parent / name
            try:
                data = tree.read(path, inside, submission.path.parent)
            except Unreadable:
                continue
            if len(data) <= LARGEST and size + len(data) <= MOST_BYTES:
                found[name] = data
                size += len(data)
        return found


def fingerprint(data: bytes, files: dict[str, bytes]) -> str:
    """What tells whether a notebook or a file beside it has changed."""
    if not files:
        return notebook.fingerprint(data)
    parts = [f"{name} {notebook.fingerprint(content)}" for name, content in sorted(files.items())]
    return notebook.fingerprint("\n".join([notebook.fingerprint(data), *parts]).encode())


def _place(submission: Submission) -> Place:
    if submission.inside:
        folder = posixpath.dirname(submission.inside[-1])
        return submission.path, submission.inside[:-1], folder
    return submission.path.parent, (), ""


def _listed(submission: Submission, place: Place) -> list[tuple[str, tuple[str, ...]]]:
    """Names in the notebook's folder that may be taken, each with the way to it in archives."""
    if not submission.inside:
        try:
            with os.scandir(submission.path.parent) as listing:
                names = [e.name for e in listing if _is_small_file(e)]
        except OSError:
            return []
        return [(name, ()) for name in sorted(names) if _wanted(name)]
    if len(submission.inside) > 1:
        return []
    try:
        with zipfile.ZipFile(submission.path) as archive:
            members = [m for m in archive.infolist() if m.file_size <= LARGEST and not m.is_dir()]
    except (OSError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile):
        return []
    here = sorted(m.filename for m in members if posixpath.dirname(m.filename) == place[2])
    return [(posixpath.basename(n), (n,)) for n in here if _wanted(posixpath.basename(n))]


def _wanted(name: str) -> bool:
    printable = name.isprintable() and not set(name) & set("/\\:\0")
    return printable and not name.startswith(".") and not name.lower().endswith(PASSED_OVER)


def _is_small_file(entry: os.DirEntry) -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST
