"""Verdicts as Markdown for the summary page of a workflow: python -m posenc.hosting.summary FILE.

FILE is what `posenc grade --json` wrote.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SYMBOLS = {"passed": "✅", "not attempted": "◻️", "not found": "◻️"}


def summary(results: dict[str, Any]) -> str:
    """A table of verdicts for each submission, and under it what each failed one looks like."""
    return "\n".join(line for one in results["submissions"] for line in _submission(one)) + "\n"


def _submission(one: dict[str, Any]) -> Iterator[str]:
    if one["points"] is None:
        yield f"**No mark**, which is not a zero: {_plain(one['reason'])}"
        return
    yield f"**{one['points']:g} of {one['out_of']:g} points**"
    yield ""
    yield "| | challenge | points | what was found |"
    yield "|---|---|---|---|"
    for verdict in one["challenges"]:
        symbol = SYMBOLS.get(verdict["outcome"], "❌")
        said = verdict["reason"]
        if verdict["looks_like"]:
            said = f"It looks as if {verdict['looks_like']}. {verdict['think']}"
        points = f"{verdict['points']:g} of {verdict['out_of']:g}"
        yield f"| {symbol} | {verdict['challenge']} | {points} | {_plain(said)} |"
    for note in one["notes"]:
        yield f"\n{_plain(note)}"


def _plain(text: str) -> str:
    """A learner's text cannot end a cell of the table, make a link or an image."""
    for character in "\\|<>[]`*_":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


if __name__ == "__main__":
    sys.stdout.write(summary(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))
