"""Keeps a page current while learners save: only what changed is graded, and no half file counts.

A file counts when it has not changed between two looks and is a whole notebook. Until then the
learner's last result stands. One that stays damaged is shown as that after a few looks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

from posenc.grading import disguises, notebook
from posenc.grading.learners import Submission
from posenc.grading.pile import Result
from posenc.grading.record import UNREADABLE
from posenc.reports.reading import Grading

SECONDS_BETWEEN_LOOKS = 1.0
PATIENCE = 5  # looks at a file that cannot be read, before that is its result
Sign = tuple[int, int, int] | None
Place = tuple[Path, tuple[str, ...]]


@dataclass
class File:
    """What is known of one file: how it looked last, how often it was damaged, its result."""

    sign: Sign = None
    damaged: int = 0
    graded: Sign = None
    result: Result | None = None


@dataclass
class Watcher:
    """Looks at a folder again and again; `look` is one look."""

    grading: Grading
    executor: Executor
    files: dict[Place, File] = field(default_factory=dict)

    def look(self) -> tuple[int, bool]:
        """Grade what is new and whole. How many were graded, and whether the page must change."""
        found = self._found()
        gone = set(self.files) - {submission.place for submission in found}
        for place in gone:
            del self.files[place]
        ready = [submission for submission in found if self._is_ready(submission)]
        signs = {submission.place: self.files[submission.place].sign for submission in ready}
        for result in self.grading.run(ready, self.executor) if ready else ():
            file = self.files[result.submission.place]
            if result.record.status == UNREADABLE and file.damaged < PATIENCE:
                file.damaged += 1  # it was whole a moment ago: somebody is writing it
            else:
                file.result, file.graded = result, signs[result.submission.place]
        # A new file can change whose name another file tells, so names are those of now.
        for submission in found:
            if file_result := self.files[submission.place].result:
                file_result.submission = submission
        return len(ready), bool(ready or gone)

    def results(self) -> list[Result]:
        """The results that stand, in the order of the learners' names."""
        standing = [file.result for file in self.files.values() if file.result is not None]
        return sorted(standing, key=lambda r: (r.submission.key, r.submission.shown))

    def waiting(self) -> int:
        """How many files have changed and are not graded yet."""
        return sum(file.graded != file.sign for file in self.files.values())

    def _found(self) -> list[Submission]:
        try:
            return self.grading.found().submissions
        except FileNotFoundError:  # the folder is gone for a moment, as while it is synchronised
            return []

    def _is_ready(self, submission: Submission) -> bool:
        file = self.files.setdefault(submission.place, File())
        sign = _sign(submission.path)
        unchanged, file.sign = sign == file.sign, sign
        if not unchanged:
            file.damaged = 0
            return False
        if file.graded == sign:
            return False
        if _is_whole(submission):
            return True
        file.damaged += 1
        return file.damaged >= PATIENCE


def _sign(path: Path) -> Sign:
    """What tells at a glance that a file changed."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _is_whole(submission: Submission) -> bool:
    try:
        disguises.read(submission.read(), submission.name, None)
    except notebook.Unreadable:
        return False
    return True


def keep_current(
    watcher: Watcher,
    write: Callable[[list[Result]], None],
    say: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Look, and write where something changed, until interrupted: KeyboardInterrupt ends it."""
    first = True
    while True:
        graded, changed = watcher.look()
        if changed or first:
            write(watcher.results())
            if changed:
                say(f"{time.strftime('%H:%M:%S')} {graded} graded, {len(watcher.results())} shown.")
        first = False
        sleep(SECONDS_BETWEEN_LOOKS)
