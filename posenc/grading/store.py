"""Results as they come, in one SQLite file where no learner can write.

A result is kept as soon as it is there, in a transaction of its own, so that an interrupted run
loses at most the notebooks it was working on. Old marks are kept beside new ones. The file is in
the user's own folder for such things, because what is found among submissions may be a learner's.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import sqlite3
import stat
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posenc import lessons
from posenc.grading.record import BadRecord, Record

NAME = "posenc-grades.sqlite"  # what version 1.0.0 kept among the submissions
FORM = 1
LARGEST_SEED = 2**63 - 1
TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS results (
    file TEXT NOT NULL, content TEXT NOT NULL, version TEXT NOT NULL, seed INTEGER NOT NULL,
    asked TEXT NOT NULL, judge TEXT NOT NULL, graded_at TEXT NOT NULL, record TEXT NOT NULL,
    PRIMARY KEY (file, content, version, seed, asked)
);
CREATE TABLE IF NOT EXISTS old_marks (
    file TEXT NOT NULL, content TEXT NOT NULL, challenge TEXT NOT NULL, judge TEXT NOT NULL,
    seed INTEGER NOT NULL, graded_at TEXT NOT NULL, points INTEGER NOT NULL, outcome TEXT NOT NULL,
    reason TEXT NOT NULL
);
"""


class StoreError(RuntimeError):
    """The file with the results cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class Key:
    """What a result depends on: the file's content, the course's version, the seed, the request."""

    file: str
    content: str
    version: str
    seed: int
    asked: str = ""


class Store:
    """An SQLite file, or memory where `path` is None. Safe for two runs and for several threads.

    base: the folder that names of files are relative to, the file's own unless given. damaged: how
    many records were found that are not of the form of a record; they are as good as not there.
    """

    def __init__(self, path: Path | None, base: Path | None = None) -> None:
        self.path = path
        self.base = base or (path.absolute().parent if path else Path.cwd())
        self.damaged = 0
        self.lock = threading.Lock()
        if path is not None:
            _only_a_file(path)
        try:
            self.connection = sqlite3.connect(
                str(path) if path else ":memory:",
                timeout=60,
                check_same_thread=False,
                isolation_level=None,
            )
            with self.lock:
                self.connection.executescript(TABLES)
        except sqlite3.Error as error:
            raise StoreError(_why(path, error)) from None
        form = self.about("form", str(FORM))
        if form != str(FORM):
            raise StoreError(
                f"{path} was made by another version of posenc; name another file with --store"
            )

    def about(self, name: str, value: str) -> str:
        """What is noted under `name`; `value` is noted if nothing was. The first note stands."""
        self._do("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, value))
        return self._do("SELECT value FROM about WHERE name = ?", (name,))[0][0]

    def seed(self, asked: int | None) -> int:
        """The seed of this pile: the one asked for, else that of earlier runs, else a new one."""
        if asked is not None:
            return asked
        noted = self.about("seed", str(secrets.randbelow(10**6)))
        if re.fullmatch("[0-9]{1,19}", noted) and int(noted) <= LARGEST_SEED:
            return int(noted)
        raise StoreError(f"the results in {self.path} name a seed that is not a number. {WAY_OUT}")

    def get(self, key: Key) -> dict[str, Any] | None:
        """The record kept for `key`, with `judge` and `graded_at`, or None."""
        rows = self._do(
            "SELECT record, judge, graded_at FROM results"
            " WHERE file = ? AND content = ? AND version = ? AND seed = ? AND asked = ?",
            (key.file, key.content, key.version, key.seed, key.asked),
        )
        record = _checked(*rows[0]) if rows else None
        if rows and record is None:
            self.damaged += 1
        return record

    def put(self, key: Key, record: dict[str, Any], judge: str) -> dict[str, Any]:
        """Keep a record; what stood there before goes to the old marks, if another judge's."""
        now = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        plain = {
            name: value for name, value in record.items() if name not in ("judge", "graded_at")
        }
        with self.lock:
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                self._keep_old(key, plain, judge)
                self.connection.execute(
                    "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        key.file,
                        key.content,
                        key.version,
                        key.seed,
                        key.asked,
                        judge,
                        now,
                        json.dumps(plain),
                    ),
                )
                self.connection.execute("COMMIT")
            except sqlite3.Error as error:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise StoreError(_why(self.path, error)) from None
        return {**plain, "judge": judge, "graded_at": now}

    def old_marks(self, file: str, content: str) -> list[dict[str, Any]]:
        """Earlier marks of a file, oldest first."""
        names = ("challenge", "judge", "seed", "graded_at", "points", "outcome", "reason")
        rows = self._do(
            f"SELECT {', '.join(names)} FROM old_marks"
            " WHERE file = ? AND content = ? ORDER BY rowid",
            (file, content),
        )
        return [dict(zip(names, row)) for row in rows]

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def _keep_old(self, key: Key, record: dict[str, Any], judge: str) -> None:
        """In a transaction: note the marks that this record will replace, where they differ."""
        row = self.connection.execute(
            "SELECT record, judge, graded_at FROM results"
            " WHERE file = ? AND content = ? AND version = ? AND seed = ? AND asked = ?",
            (key.file, key.content, key.version, key.seed, key.asked),
        ).fetchone()
        if row is None:
            return
        kept = _checked(*row)
        if kept is None:
            return
        new = {v["challenge"]: v for v in record.get("challenges", [])}
        for old in kept.get("challenges", []):
            same = new.get(old["challenge"], {})
            told = ("points", "outcome", "reason")
            if row[1] == judge and all(old[name] == same.get(name) for name in told):
                continue
            self.connection.execute(
                "INSERT INTO old_marks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    key.file,
                    key.content,
                    old["challenge"],
                    row[1],
                    key.seed,
                    row[2],
                    old["points"],
                    old["outcome"],
                    old["reason"],
                ),
            )

    def _do(self, statement: str, values: tuple) -> list[tuple]:
        try:
            with self.lock:
                return self.connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(_why(self.path, error)) from None


def open_for(first: Path, named: Path | None, say: Callable[[str], None]) -> Store:
    """The store of the pile at `first`: the one that was named, else the user's own for that pile.

    Says where results cannot be kept, and where a store was found among the submissions: whoever
    hands in work may have put it there, so that it is read only where the user names it.
    """
    if named is not None:
        return Store(named)
    folder = pile_folder(first)
    found = folder / NAME
    if os.path.lexists(found):
        say(
            f"{found} is not used: it is among the submissions, where learners may write. If you "
            f"know that it is your own, name it: --store {found}"
        )
    path = place(first)
    if not usable(path):
        say(f"Results are not kept: {path.parent} cannot be written. Name a place with --store.")
        return Store(None, folder)
    return Store(path, folder)


def pile_folder(first: Path) -> Path:
    """The folder of a pile: the one that was given, or that of the file that was."""
    return first if first.is_dir() else first.absolute().parent


def place(first: Path) -> Path:
    """Where the results of a pile are kept: in `state_folder`, by the path of the pile."""
    folder = os.path.realpath(pile_folder(first))
    mark = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.basename(folder))[:40] or "pile"
    return state_folder() / f"{name}-{mark}.sqlite"


def state_folder() -> Path:
    """The user's folder for what programs remember, which learners have no part in."""
    if os.name == "nt":
        top = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        top = str(Path.home() / "Library" / "Application Support")
    else:
        top = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(top) / "posenc" / "grades"


def usable(path: Path) -> bool:
    """Whether a store can be made or opened there for writing; makes its folder where it lacks."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    writable = os.access(path.parent, os.W_OK)
    return writable and (not path.is_file() or os.access(path, os.W_OK))


WAY_OUT = "Move the file away to start afresh, or name another with --store"


def _only_a_file(path: Path) -> None:
    """StoreError where something else than an ordinary file is there: it is not followed."""
    try:
        kind = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"the results in {path} cannot be opened ({error.strerror})") from None
    if not stat.S_ISREG(kind):
        what = "a link" if stat.S_ISLNK(kind) else "a folder" if stat.S_ISDIR(kind) else "no file"
        raise StoreError(f"results cannot be kept in {path}: it is {what}. {WAY_OUT}")


def _checked(text: Any, judge: Any, graded_at: Any) -> dict[str, Any] | None:
    """A kept record with who judged it when, or None where it is not of a record's form."""
    try:
        plain = {**json.loads(text), "judge": judge, "graded_at": graded_at}
        record = Record.from_plain(plain)
        known = {c.id for c in lessons.challenges(record.lesson)} if record.lesson else set()
    except (BadRecord, ValueError, TypeError, RecursionError, KeyError):
        return None
    whole = isinstance(judge, str) and isinstance(graded_at, str)
    return plain if whole and all(v.challenge in known for v in record.challenges) else None


def _why(path: Path | None, error: sqlite3.Error) -> str:
    return f"the results in {path} cannot be used ({error}). {WAY_OUT}"
