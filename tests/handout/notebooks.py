"""Every notebook of this copy runs to its end on this machine, with each challenge still open.

Stands in the learners' copy as tests/test_notebooks.py.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from posenc.authoring import runs

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(p for f in ("notebooks", "exercises") for p in (ROOT / f).glob("*.ipynb"))


def code_cells(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def source(cell):
    return "".join(cell["source"])


def test_all_lessons_are_there():
    assert len(NOTEBOOKS) == 24


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_it_runs_to_its_end_and_every_check_says_not_attempted(path, tmp_path):
    cells = code_cells(path)
    try:
        outputs = asyncio.run(runs.run_cells([source(cell) for cell in cells], tmp_path, ROOT))
    except runs.CellFailed as failed:
        pytest.fail(f"{failed.why} in:\n{source(cells[failed.place])}")
    said = [
        json.dumps(given)
        for cell, (given, _) in zip(cells, outputs, strict=True)
        if "check" in cell["metadata"].get("tags", [])
    ]
    assert said
    assert [text for text in said if "not attempted" not in text] == []
