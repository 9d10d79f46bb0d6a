"""The code in the bytes of a notebook file, taken out where reading it cannot cost anybody else.

A file of ordinary size is read at once. A large one, and one of an old format, is read by a process
of its own that may take so much memory and time and no more: what JSON of some megabytes makes of
itself, or a converter of it, has no bound that one would wait for. This module imports nothing
large, because that process does, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

SMALL_FILE = 2**20
MOST_CODE = 2 * 2**20
MOST_CELLS = 2000
MOST_ABOUT = 400  # characters of what a notebook says about itself, for each word
MEMORY, SECONDS, PATIENCE = 1280 * 2**20, 20, 40.0
FIELDS = ("lesson", "version", "edition")


class Unreadable(ValueError):
    """The file is not a notebook that can be graded; the message says why."""


class _Apart(Exception):
    """The file has to be read by a process of its own."""


def parse(data: bytes) -> tuple[list[str], dict[str, Any]]:
    """The sources of the code cells, and what the notebook says about itself, by `FIELDS`.

    Unreadable with the reason where there is no notebook in `data`.
    """
    if len(data) <= SMALL_FILE:
        try:
            return taken_out(data, old_formats=False)
        except _Apart:
            pass
        except MemoryError:
            raise Unreadable("reading the file takes more memory than there is") from None
    return _apart(data)


def taken_out(data: bytes, old_formats: bool = True) -> tuple[list[str], dict[str, Any]]:
    """`parse`, in this process. _Apart for an old format where those are not wanted here."""
    notebook = _parsed(data, old_formats)
    told = _about(notebook)
    return _code(notebook), {
        name: word[:MOST_ABOUT] if isinstance(word, str) else word
        for name in FIELDS
        if isinstance(word := told.get(name), (str, int, float)) and _is_short(word)
    }


def main() -> None:
    """What the process of its own does: bytes in, JSON out; `error` says why there is nothing."""
    _limit()
    try:
        cells, told = taken_out(sys.stdin.buffer.read())
        answer: dict[str, Any] = {"cells": cells, "about": told}
    except Unreadable as error:
        answer = {"error": str(error)}
    except (MemoryError, RecursionError):
        answer = {"error": _TOO_MUCH}
    sys.stdout.write(json.dumps(answer))


_TOO_MUCH = "reading the file takes more memory or time than a notebook needs"
_START = (
    "import sys; sys.path.append(sys.argv[1]); from posenc.grading import parsing; parsing.main()"
)


_readers: set[subprocess.Popen] = set()
_few = threading.BoundedSemaphore(2)  # each may take `MEMORY`


def stop() -> None:
    """From any thread: end what reads files now."""
    for reader in list(_readers):
        reader.kill()


def _apart(data: bytes) -> tuple[list[str], dict[str, Any]]:
    with _few:
        return _read_apart(data)


def _read_apart(data: bytes) -> tuple[list[str], dict[str, Any]]:
    # -P: the folder in which this runs may be that of the submissions, and holds modules of theirs.
    root = str(Path(__file__).resolve().parents[2])
    reader = subprocess.Popen(
        [sys.executable, "-P", "-c", _START, root],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.path.abspath(os.sep),
        start_new_session=True,
    )
    _readers.add(reader)
    try:
        said, _ = reader.communicate(data, PATIENCE)
        answer = json.loads(said)
    except (ValueError, OSError, subprocess.TimeoutExpired):
        raise Unreadable(_TOO_MUCH) from None
    finally:
        _readers.discard(reader)
        if reader.poll() is None:
            reader.kill()
            reader.communicate()
    if "error" in answer:
        raise Unreadable(answer["error"])
    return answer["cells"], answer["about"]


def _limit() -> None:
    if os.name == "nt":
        return
    import resource

    for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS)):
        allowed = resource.getrlimit(kind)[1]
        if allowed == resource.RLIM_INFINITY or most < allowed:
            resource.setrlimit(kind, (most, most))


def _is_short(word: str | int | float) -> bool:
    return not isinstance(word, int) or word.bit_length() < 64


def _parsed(data: bytes, old_formats: bool) -> dict[str, Any]:
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
        raise Unreadable("the file is JSON, but not a notebook")
    form = notebook.get("nbformat", 4 if "cells" in notebook else None)
    if isinstance(form, int) and not isinstance(form, bool) and form in (1, 2, 3):
        if not old_formats:
            raise _Apart
        return _upgraded(notebook)
    if form != 4 or isinstance(form, bool):
        raise Unreadable(
            f"the file says notebook format {str(form)[:20]}; formats up to 4 can be read"
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
