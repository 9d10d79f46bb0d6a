"""Where a class's results come from: a results file, a store, or notebooks graded now."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posenc.grading import learners, pile, store
from posenc.reports import documents, screen

FIELDS = {
    "file": str,
    "learner": str,
    "counts": bool,
    "late": bool,
    "status": str,
    "reason": str,
    "challenges": list,
    "notes": list,
}
VERDICT_FIELDS = {
    "challenge": str,
    "outcome": str,
    "points": int,
    "out_of": int,
    "reason": str,
    "looks_like": str,
    "think": str,
}
ENDINGS_OF_STORES = (".sqlite", ".sqlite3", ".db")


class NotResults(ValueError):
    """What was given holds no results of `posenc grade`; the message says why."""


def read(path: Path, say: Callable[[str], None], jobs: int = 1) -> dict[str, Any]:
    """The document of results at `path`: a JSON file, a store, or a folder, which is graded first.

    FileNotFoundError where nothing is there, NotResults where it is something else.
    """
    if path.is_dir():
        with Grading(path, jobs) as grading:
            return grading.document(say)
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder called {path}")
    if path.suffix.lower() in ENDINGS_OF_STORES:
        return from_store(path)
    if path.suffix.lower() == ".ipynb":
        raise NotResults(f"{path} is one notebook; name the folder of a class, or its results")
    return from_json(path)


def from_json(path: Path) -> dict[str, Any]:
    """The document in a file that `posenc grade --json` wrote."""
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NotResults(f"{path} is no JSON file that can be read: {error}") from None
    if not isinstance(document, dict) or document.get("schema") != documents.SCHEMA:
        raise NotResults(
            f"{path} was not written by `posenc grade --json` of this version: it does not name "
            f"the form {documents.SCHEMA}"
        )
    wrong = next(_missing(document), None)
    if wrong:
        raise NotResults(f"{path} is damaged: {wrong}")
    return document


def _missing(document: dict[str, Any]) -> Iterator[str]:
    """What the page needs and the document lacks, in words."""
    if not isinstance(document.get("run"), dict) or not isinstance(
        document.get("messages"), list
    ):
        yield "it lacks the run or its messages"
    if not isinstance(document.get("submissions"), list):
        yield "it has no list of submissions"
        return
    for number, submission in enumerate(document["submissions"], 1):
        yield from _unlike(submission, FIELDS, f"submission {number}")
        if not _whole_or_none(submission, "lesson", "points", "out_of"):
            yield f"submission {number} has a lesson or points that are no whole number"
        for verdict in submission["challenges"]:
            yield from _unlike(verdict, VERDICT_FIELDS, f"a verdict of submission {number}")
            if not isinstance(verdict.get("misconception"), str | None):
                yield f"a misconception of submission {number} is no text"


def _unlike(found: Any, fields: dict[str, type], name: str) -> Iterator[str]:
    if not isinstance(found, dict):
        yield f"{name} is no object"
        return
    for field_name, kind in fields.items():
        if not isinstance(found.get(field_name), kind):
            yield f"{name} has no {field_name}, or a wrong one"


def _whole_or_none(submission: dict[str, Any], *names: str) -> bool:
    return all(submission.get(name) is None or type(submission[name]) is int for name in names)


def from_store(path: Path) -> dict[str, Any]:
    """The document of the newest results in a store, for the notebooks that are still there."""
    rows = _newest(path)
    base = path.absolute().parent
    there = {file: base / file for file in rows if os.path.lexists(base / file)}
    found = learners.find([_root(base, list(there.values()))]) if there else []
    by_path = {os.path.normpath(place): file for file, place in there.items()}
    kept = store.Store(path)
    try:
        settings = pile.Settings(kept.seed(None))
        graded = pile.Pile(settings, kept, base)
        results = []
        for submission in found:
            file = by_path.get(os.path.normpath(submission.path.absolute()))
            if file is not None:
                content, record = rows[file]
                results.append(pile.Result(submission, content, record, kept=True))
        document = documents.document(results, graded, _run_facts("", "", True))
    finally:
        kept.close()
    gone = len(rows) - len(results)
    if gone:
        document["messages"].append(
            f"{gone} of {len(rows)} results are of notebooks that are no longer there; "
            "they are left out."
        )
    return document


def _newest(path: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """The newest record of each file in a store, with its content's hash."""
    store.Store(path).close()  # it says what is wrong with a file that is no store
    query = "SELECT file, content, judge, graded_at, record FROM results ORDER BY rowid"
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        rows = connection.execute(query).fetchall()
    return {
        file: (content, {**json.loads(record), "judge": judge, "graded_at": graded_at})
        for file, content, judge, graded_at, record in rows
    }


def _root(base: Path, places: list[Path]) -> Path:
    """The folder that was graded: the store's own where it holds all, else what they share."""
    if all(base in place.parents for place in places):
        return base
    return Path(os.path.commonpath([os.path.normpath(place.parent) for place in places]))


def _run_facts(level: str, sentence: str, complete: bool, jobs: int = 1) -> dict[str, Any]:
    return {
        "sandbox": "auto",
        "level": level,
        "sentence": sentence,
        "jobs": jobs,
        "started": "",
        "finished": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "complete": complete,
    }


@dataclass
class Grading:
    """Grades a folder, as often as wanted; what is unchanged is not run again."""

    folder: Path
    jobs: int = 1
    place: Path | None = None
    _kept: store.Store | None = field(default=None, init=False)

    def __enter__(self) -> Grading:
        path = self.place or store.place(self.folder)
        usable = self.place is not None or store.usable(path)
        self._kept = store.Store(path if usable else None)
        hide = (str(self.folder.resolve()),)
        settings = pile.Settings(self._kept.seed(None), "auto", hide=hide)
        self.pile = pile.Pile(settings, self._kept, path.absolute().parent if usable else None)
        self.level, self.sentence = pile.isolation(settings)
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()
        pile.close_warm_processes()

    def found(self) -> list[learners.Submission]:
        """The notebooks that are there now."""
        return learners.find([self.folder])

    def document(self, say: Callable[[str], None]) -> dict[str, Any]:
        """Grade everything once. NotResults where there is no notebook."""
        found = self.found()
        if not found:
            raise NotResults(f"no notebook (.ipynb) was found in {self.folder}")
        say(f"{len(found)} notebooks, seed {self.pile.settings.seed}. {self.sentence}")
        with pile.local_executor(self.jobs) as executor, screen.progress(len(found)) as advance:
            results = self.run(found, executor, advance)
        return self.as_document(results)

    def run(
        self,
        found: list[learners.Submission],
        executor: Executor,
        done: Callable[[pile.Result], None] = lambda result: None,
    ) -> list[pile.Result]:
        """The results of these notebooks; only what changed is run."""
        return self.pile.run(found, executor, done=done, at_once=2 * self.jobs)

    def as_document(self, results: list[pile.Result]) -> dict[str, Any]:
        """Results as the document that the page is made of."""
        facts = _run_facts(self.level, self.sentence, True, self.jobs)
        return documents.document(results, self.pile, facts)
