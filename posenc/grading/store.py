"""Results as they come, in one SQLite file beside the submissions.

A result is kept as soon as it is there, in a transaction of its own, so that an interrupted run
loses at most the notebooks it was working on. Old marks are kept beside new ones.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "posenc-grades.sqlite"
FORM = 1
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
    """An SQLite file, or memory where `path` is None. Safe for two runs and for several threads."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.lock = threading.Lock()
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
        return int(self.about("seed", str(secrets.randbelow(10**6)))) if asked is None else asked

    def get(self, key: Key) -> dict[str, Any] | None:
        """The record kept for `key`, with `judge` and `graded_at`, or None."""
        rows = self._do(
            "SELECT record, judge, graded_at FROM results"
            " WHERE file = ? AND content = ? AND version = ? AND seed = ? AND asked = ?",
            (key.file, key.content, key.version, key.seed, key.asked),
        )
        if not rows:
            return None
        return {**json.loads(rows[0][0]), "judge": rows[0][1], "graded_at": rows[0][2]}

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
        new = {v["challenge"]: v for v in record.get("challenges", [])}
        for old in json.loads(row[0]).get("challenges", []):
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


def place(first: Path) -> Path:
    """Where results of a pile are kept: in the folder that was given, or beside the file."""
    folder = first if first.is_dir() else first.parent
    return folder / NAME


def usable(path: Path) -> bool:
    """Whether a store can be made or opened there for writing."""
    if path.exists():
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return os.access(path.parent, os.W_OK)


def _why(path: Path | None, error: sqlite3.Error) -> str:
    return (
        f"the results in {path} cannot be used ({error}). Move the file away to start afresh, "
        "or name another with --store"
    )
