"""Where a class's results come from: a results file, a store, or notebooks graded now."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from posenc import places
from posenc.errors import CourseError, NotUnderstood
from posenc.grading import learners, pile, store
from posenc.grading.record import BadRecord, Record
from posenc.reports import documents, screen
from posenc.reports.documents import Document

ENDINGS_OF_STORES = (".sqlite", ".sqlite3", ".db")


SCHEMAS = {
    documents.SCHEMA: "results.schema.json",
    documents.OLD_SCHEMA: "results-1.schema.json",
}


class NotResults(NotUnderstood):
    """What was given holds no results of `posenc grade`; the message says why."""


def read(path: Path, say: Callable[[str], None], jobs: int = 1) -> Document:
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


def from_json(path: Path) -> Document:
    """The document in a file that `posenc grade --json` wrote, by this version or the first."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise NotResults(f"{path} is no JSON file that can be read: {error}") from None
    form = data.get("schema") if isinstance(data, dict) else None
    if form not in SCHEMAS:
        raise NotResults(
            f"{path} was not written by `posenc grade --json`: it does not name the form "
            f"{' or '.join(SCHEMAS)}"
        )
    wrong = next(_validator(form).iter_errors(data), None)
    if wrong is not None:
        place = "/".join(map(str, wrong.absolute_path)) or "its beginning"
        raise NotResults(f"{path} is damaged at {place}: {wrong.message[:200]}")
    try:
        return Document.from_plain(data)
    except (BadRecord, TypeError, KeyError) as error:
        raise NotResults(f"{path} is damaged: {error}") from None


@cache
def _validator(form: str) -> jsonschema.Draft202012Validator:
    """What checks a results file against the published schema of its form."""
    path = places.course_folder() / "docs" / SCHEMAS[form]
    if not path.is_file():  # as in a handout for learners
        raise CourseError(f"{path} is not there, by which results are read; get the whole course.")
    return jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))


def from_store(path: Path) -> Document:
    """The document of the newest results in a store, for the notebooks that are still there."""
    rows = _newest(path)
    kept = store.Store(path)
    try:
        base = Path(kept.about(pile.NOTED_BASE, str(kept.base)))
        graded = pile.Pile(pile.Settings(kept.seed(None)), kept, base)
        found = learners.look([_root(base, rows)]) if rows else learners.Found()
        results = []
        for submission in found.submissions:
            content, record = rows.get(graded.key(submission, "").file, ("", None))
            if record is not None:
                results.append(pile.Result(submission, content, record, kept=True))
        document = documents.document(results, graded, _run_facts("", "", True))
    finally:
        kept.close()
    gone = len(rows) - len(results)
    if not gone:
        return document
    told = (
        f"{gone} of {len(rows)} results are of notebooks that are no longer there; they are left "
        "out."
    )
    return replace(document, messages=(*document.messages, told))


def _newest(path: Path) -> dict[str, tuple[str, Record]]:
    """The newest record of each file in a store, with its content's hash."""
    store.Store(path).close()  # it says what is wrong with a file that is no store
    query = "SELECT file, content, judge, graded_at, record FROM results ORDER BY rowid"
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        rows = connection.execute(query).fetchall()
    found = {}
    for file, content, judge, graded_at, record in rows:
        try:
            plain = {**json.loads(record), "judge": judge, "graded_at": graded_at}
            found[file] = content, Record.from_plain(plain)
        except (BadRecord, ValueError, TypeError):
            continue  # as the grader treats it: as good as not there
    return found


def _root(base: Path, files: Mapping[str, Any]) -> Path:
    """The folder that was graded: the store's own where it holds all, else what they share."""
    there = [os.path.normpath(base / file) for file in files]
    inside = all(not file.startswith("..") for file in files)
    shared = base if inside else Path(os.path.commonpath(there))
    while not shared.is_dir():
        shared = shared.parent
    return shared


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

    def __enter__(self) -> Grading:
        kept = store.open_for(self.folder, self.place, lambda text: None)
        hide = (str(self.folder.resolve()),)
        settings = pile.Settings(kept.seed(None), "auto", hide=hide)
        self.pile = pile.Pile(settings, kept)
        self.level, self.sentence = pile.isolation(settings)
        return self

    def __exit__(self, *_: object) -> None:
        self.pile.store.close()
        pile.close_warm_processes()

    def found(self) -> learners.Found:
        """What is there now."""
        return learners.look([self.folder])

    def document(self, say: Callable[[str], None]) -> Document:
        """Grade everything once. NotResults where there is no notebook."""
        found = self.found()
        if not found.submissions and not found.empty:
            raise NotResults(f"no notebook (.ipynb) was found in {self.folder}")
        number = len(found.submissions)
        say(f"{number} notebooks, seed {self.pile.settings.seed}. {self.sentence}")
        with pile.local_executor(self.jobs) as executor, screen.progress(number) as advance:
            results = self.run(found.submissions, executor, advance)
        return self.as_document(results, found)

    def run(
        self,
        found: list[learners.Submission],
        executor: Executor,
        done: Callable[[pile.Result], None] = lambda result: None,
    ) -> list[pile.Result]:
        """The results of these notebooks; only what changed is run."""
        return self.pile.run(found, executor, done=done, at_once=2 * self.jobs)

    def as_document(
        self, results: list[pile.Result], found: learners.Found | None = None
    ) -> Document:
        """Results as the document that the page is made of."""
        facts = _run_facts(self.level, self.sentence, True, self.jobs)
        return documents.document(results, self.pile, facts, found=found)
