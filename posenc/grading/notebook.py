"""A file that was handed in, read as a notebook, whatever state it is in.

What cannot be read is a result of its own, with a reason in words a learner understands.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import stat
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posenc import lessons

LARGEST_FILE = 64 * 2**20
MOST_CODE = 2 * 2**20
MOST_CELLS = 2000
NAMED = re.compile(r"(?:lesson|exercise|chapter|ps|hw)[ _-]*0*(\d{1,2})(?!\d)", re.IGNORECASE)


IMPORTED = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w{1,40})", re.MULTILINE)


class Unreadable(ValueError):
    """The file is no notebook that can be graded; the message says why."""


@dataclass(frozen=True)
class Notebook:
    """The code of a notebook, and what it says about itself.

    cells: the source of each code cell, in order. lesson_from: 'metadata', 'file name' or
    'function names'. version and edition: as the notebook states them, empty where it does not.
    """

    cells: tuple[str, ...]
    lesson: int
    lesson_from: str
    version: str = ""
    edition: str = ""

    def imports(self) -> list[str]:
        """The packages that the code names after `import` or `from`, by their first word."""
        return sorted({name for cell in self.cells for name in IMPORTED.findall(cell)})


def read_bytes(path: Path, within: Path | None = None) -> bytes:
    """The bytes of a submission. Unreadable for what is no ordinary file of a bearable size.

    within: a link must not lead out of this folder.
    """
    try:
        if (
            within is not None
            and path.is_symlink()
            and within.resolve() not in path.resolve().parents
        ):
            raise Unreadable("it is a link to a file outside the folder that is graded")
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
        try:
            kind = os.fstat(handle).st_mode
            if not stat.S_ISREG(kind):
                raise Unreadable(
                    "it is a folder" if stat.S_ISDIR(kind) else "it is no ordinary file"
                )
            with open(handle, "rb", closefd=False) as file:
                data = file.read(LARGEST_FILE + 1)
        finally:
            os.close(handle)
    except OSError as error:
        raise Unreadable(
            f"the file cannot be opened ({error.strerror or type(error).__name__})"
        ) from None
    if len(data) > LARGEST_FILE:
        raise Unreadable(f"the file is larger than {LARGEST_FILE // 2**20} MB")
    return data


def read(data: bytes, name: str = "", lesson: int | None = None) -> Notebook:
    """The notebook in `data`. `name`: the file's; `lesson`: where given, it is not searched for."""
    notebook = _parsed(data)
    cells = _code(notebook)
    told = _about(notebook)
    number, source = (lesson, "the command line") if lesson else _lesson(told, name, cells)
    return Notebook(
        tuple(cells), number, source, _word(told.get("version")), _word(told.get("edition"))
    )


def fingerprint(data: bytes) -> str:
    """What tells whether a file has changed."""
    return hashlib.sha256(data).hexdigest()


def clean(text: Any, longest: int = 2000) -> str:
    """Text from outside, safe to print and store: no control characters, no half characters."""
    whole = str(text)[:longest].encode("utf-8", "replace").decode("utf-8")
    # Direction marks (Cf) can make a line read as another one; line ends are kept.
    return "".join(
        c
        for c in whole
        if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    )


def _parsed(data: bytes) -> dict[str, Any]:
    if not data.strip():
        raise Unreadable("the file is empty")
    text = _decoded(data)
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise Unreadable("the file is nested too deeply to be a notebook") from None
    except ValueError as error:
        raise Unreadable(_not_json(text, error)) from None
    if not isinstance(notebook, dict):
        raise Unreadable("the file is JSON, but no notebook")
    form = notebook.get("nbformat", 4 if "cells" in notebook else None)
    if isinstance(form, int) and not isinstance(form, bool) and form in (1, 2, 3):
        return _upgraded(notebook)
    if form != 4 or isinstance(form, bool):
        raise Unreadable(
            f"the file says notebook format {clean(form, 20)}; formats up to 4 can be read"
        )
    if not isinstance(notebook.get("cells"), list):
        raise Unreadable("the notebook has no list of cells")
    return notebook


def _decoded(data: bytes) -> str:
    for mark in (b"\xff\xfe", b"\xfe\xff"):
        if data.startswith(mark):
            data = data.decode("utf-16", "replace").encode()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(
            f"the file is not UTF-8 text (byte {error.start} does not fit); "
            "save it from JupyterLab again"
        ) from None


def _not_json(text: str, error: ValueError) -> str:
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype", "<html", "<?xml")):
        return "the file is a web page, not a notebook; it was probably saved from a browser"
    if start.startswith("pk\x03\x04"):
        return "the file is a zip archive, not a notebook"
    if start.startswith("{"):
        place = f" (at character {error.pos})" if isinstance(error, json.JSONDecodeError) else ""
        return f"the file is damaged or cut off{place}"
    return "the file is not a notebook"


def _upgraded(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook of an old format as format 4: by nbformat, or by hand where that gives up."""
    import nbformat

    try:
        upgraded = nbformat.convert(nbformat.from_dict(notebook), 4)
        return {
            "cells": [dict(cell) for cell in upgraded.cells],
            "metadata": dict(upgraded.metadata),
        }
    except (
        Exception
    ):  # whatever a damaged file makes of the converter, its cells may still be there
        sheets = notebook.get("worksheets")
        cells = (
            [c for s in sheets if isinstance(s, dict) for c in s.get("cells") or []]
            if isinstance(sheets, list)
            else []
        )
        if not cells:
            raise Unreadable("the notebook is of an old format and holds no cells") from None
        turned = [
            {**c, "source": c.get("input", c.get("source", ""))}
            for c in cells
            if isinstance(c, dict)
        ]
        return {"cells": turned, "metadata": notebook.get("metadata")}


def _code(notebook: dict[str, Any]) -> list[str]:
    cells = notebook["cells"]
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"the notebook has more than {MOST_CELLS} cells")
    sources = [
        _source(cell.get("source", cell.get("input", "")))
        for cell in cells
        if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]
    if sum(map(len, sources)) > MOST_CODE:
        raise Unreadable(f"the notebook holds more than {MOST_CODE // 2**20} MB of code")
    return sources


def _source(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source.encode("utf-8", "replace").decode("utf-8") if isinstance(source, str) else ""


def _about(notebook: dict[str, Any]) -> dict[str, Any]:
    metadata = notebook.get("metadata")
    told = metadata.get("posenc") if isinstance(metadata, dict) else None
    return told if isinstance(told, dict) else {}


def _word(value: Any) -> str:
    return clean(value, 40) if isinstance(value, (str, int, float)) else ""


def _lesson(told: dict[str, Any], name: str, cells: list[str]) -> tuple[int, str]:
    """The lesson's number, and what told it."""
    stated = told.get("lesson")
    if isinstance(stated, str) and stated.isdigit():
        stated = int(stated)
    if (
        isinstance(stated, int)
        and not isinstance(stated, bool)
        and 1 <= stated <= len(lessons.LESSONS)
    ):
        return stated, "metadata"
    plain = name.lower().replace("-", "_").replace(" ", "_")
    for lesson in lessons.LESSONS:
        if lesson.stem in plain or lesson.stem[3:] in plain:
            return lesson.number, "file name"
    named = NAMED.search(name)
    if named and 1 <= int(named.group(1)) <= len(lessons.LESSONS):
        return int(named.group(1)), "file name"
    return _lesson_by_functions(cells), "function names"


def _lesson_by_functions(cells: list[str]) -> int:
    """The lesson whose challenges a notebook defines most of. Unreadable where it defines none."""
    defined = set().union(*map(_defined, cells)) if cells else set()
    counts: Counter[int] = Counter()
    for lesson in lessons.LESSONS:
        counts[lesson.number] = len(defined & {c.name for c in lessons.challenges(lesson.number)})
    number, most = max(counts.items(), key=lambda pair: (pair[1], -pair[0]))
    if most == 0:
        raise Unreadable(
            "nothing in it tells which lesson it belongs to, "
            "and it defines no function that is asked for"
        )
    return number


def _defined(source: str) -> set[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(re.findall(r"^(?:def|class)\s+(\w+)", source, re.MULTILINE))
    return {
        n.name
        for n in tree.body
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    }
