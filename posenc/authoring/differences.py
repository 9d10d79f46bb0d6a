"""What differs between a notebook and the one that its source gives, told in a few lines."""

from __future__ import annotations

import difflib
import json
from typing import Any

__all__ = ["differences", "short_diff"]


def differences(name: str, here: Any, made: Any) -> list[str]:
    """What differs between a notebook and the one its source gives, a short diff for each place.

    Compared are format, metadata, cells with their ids, sources, metadata, counts and outputs,
    with each picture in an output taken as one line.
    """
    here, made = _comparable(here), _comparable(made)
    found = []
    for part in sorted((here.keys() | made.keys()) - {"cells"}):
        if here.get(part) != made.get(part):
            found.append(f"{name}: {part} differs{short_diff(here.get(part), made.get(part))}")
    mine, theirs = here.get("cells", []), made["cells"]
    by_id = difflib.SequenceMatcher(None, [_id(c) for c in mine], [_id(c) for c in theirs], False)
    for _, a, b, c, d in by_id.get_opcodes():
        paired = min(b - a, d - c)
        for k in range(paired):
            found += _cell_differences(name, a + k, mine[a + k], theirs[c + k])
        for k in range(a + paired, b):
            found.append(f"{name}, {_cell_name(k, mine[k])}: stands in no source")
        for k in range(c + paired, d):
            found.append(
                f"{name}: a cell is missing before cell {b + 1}: {_cell_name(k, theirs[k])}"
            )
    return found


def _id(cell: dict) -> str:
    return str(cell.get("id"))


def _cell_name(place: int, cell: dict) -> str:
    first = str(cell.get("source", "")).partition("\n")[0]
    return f"cell {place + 1} ({first[:60]!r})"


def _cell_differences(name: str, place: int, here: dict, made: dict) -> list[str]:
    found = []
    parts = here.keys() | made.keys()
    if here.get("source") != made.get("source"):
        parts = parts - {"id"}  # a hash of the source: it says nothing more
    for part in sorted(parts):
        if here.get(part) != made.get(part):
            told = short_diff(here.get(part), made.get(part))
            found.append(f"{name}, {_cell_name(place, here)}: {part} differs{told}")
    return found


def _comparable(notebook: Any) -> dict:
    """A copy as plain data, with each picture replaced by a word."""
    plain = json.loads(json.dumps(notebook))
    for cell in plain.get("cells", []):
        for output in cell.get("outputs", []):
            for kind in output.get("data", {}):
                if kind.startswith("image/"):
                    output["data"][kind] = "(picture)"
    return plain


def short_diff(here: Any, made: Any, most: int = 12, widest: int = 160) -> str:
    """A short unified diff, indented, from what is there to what the source gives."""
    lines = list(
        difflib.unified_diff(_lines(here), _lines(made), "here", "built", n=1, lineterm="")
    )
    if len(lines) > most:
        lines = [*lines[:most], f"… {len(lines) - most} lines more"]
    return "".join(f"\n    {line[:widest]}" for line in lines)


def _lines(value: Any) -> list[str]:
    """A value as lines, with HTML broken at its tags, so that a diff finds a short place."""
    if value is None:
        return []
    if not isinstance(value, str):
        value = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
        value = value.replace("\\n", "\n").replace("><", ">\n<")
    return value.split("\n")
