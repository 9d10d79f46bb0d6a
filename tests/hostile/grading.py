"""Grades kinds of notebooks as one pile, and says where a mark is not the one deserved."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hostile.notebooks import write
from hostile.ordinary import Kind
from posenc.grading import learners
from posenc.grading.pile import Pile, Result, Settings, local_executor
from posenc.grading.store import Store, place
from posenc.grading.warm import Limits


def lay(folder: Path, kinds: Sequence[Kind]) -> None:
    """Write each kind into a folder of its own."""
    for kind in kinds:
        write(folder / kind.name / (kind.file or "handed in.ipynb"), kind.notebook)


def grade_folder(
    folder: Path,
    settings: Settings = Settings(seed=7, limits=Limits(cell_seconds=3.0)),
    jobs: int = 2,
    store: Path | None = None,
) -> dict[str, Result]:
    """Results by learner, which is the folder's name; records are plain data."""
    kept = Store(store)
    try:
        with local_executor(jobs) as executor:
            results = Pile(settings, kept, folder).run(
                learners.find([folder]), executor, at_once=2 * jobs
            )
    finally:
        kept.close()
    return {r.submission.learner: replace(r, record=r.record.to_plain()) for r in results}


def complaints(kind: Kind, record: dict[str, Any]) -> list[str]:
    """Where a record is not what the notebook deserves."""
    found = []
    if record["status"] != kind.status:
        return [f"status {record['status']} ({record['reason']}), deserved {kind.status}"]
    if record["points"] != kind.points:
        found.append(f"{record['points']} points, deserved {kind.points}")
    for verdict in record["challenges"]:
        id = verdict["challenge"]
        deserved = kind.outcomes.get(id, "passed")
        if deserved is None:
            if verdict["outcome"] == "passed":
                found.append(f"{id} passed, deserved no points")
        elif verdict["outcome"] != deserved:
            found.append(f"{id} {verdict['outcome']} ({verdict['reason']}), deserved {deserved}")
        if id in kind.mistakes and verdict["misconception"] != kind.mistakes[id]:
            found.append(f"{id} taken for {verdict['misconception']}, is {kind.mistakes[id]}")
    said = " ".join([*record["notes"], record["reason"]])
    if kind.says not in said:
        found.append(f"says {said!r}, which lacks {kind.says!r}")
    if record["faults"]:
        found.append(f"faults: {record['faults']}")
    return found


def kept(folder: Path) -> int:
    """How many results the store of a pile holds by now."""
    if not place(folder).exists():
        return 0
    try:
        with contextlib.closing(sqlite3.connect(place(folder), timeout=10)) as connection:
            return connection.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.Error:
        return 0
