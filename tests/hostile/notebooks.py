"""Makes notebook files out of answers: as the exercise has them, moved, broken, or of other formats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hostile.answers import RIGHT

NAMES = {
    "6.1": "frequencies",
    "6.2": "sinusoidal",
    "6.3": "add_positions",
    "6.4": "PositionalEncoding",
}
STUBS = {
    "6.1": "def frequencies(width, base=10000.0):\n    return ...",
    "6.2": "def sinusoidal(length, width, base=10000.0):\n    return ...",
    "6.3": "def add_positions(batch, base=10000.0):\n    return ...",
    "6.4": (
        "class PositionalEncoding:\n    def __init__(self, width, max_length, base=10000.0):\n        ...\n"
        "    def forward(self, batch):\n        return ...\n    def backward(self, gradient):\n        return ...\n"
        "    def parameters(self):\n        return ..."
    ),
}
HEAD = "import numpy as np\n\nfrom posenc.classroom import check, hint, solution"


def code(source: str, **more: Any) -> dict[str, Any]:
    """A code cell."""
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
        **more,
    }


def text(source: str) -> dict[str, Any]:
    """A text cell."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def exercise(
    answers: Mapping[str, str] = RIGHT,
    first: Sequence[str] = (),
    last: Sequence[str] = (),
    checks: bool = True,
) -> dict[str, Any]:
    """The exercise of lesson 6 with these answers, stubs for the others, and cells of the learner's own."""
    cells = [text("# Lesson 6"), code(HEAD), *map(code, first)]
    for id, name in NAMES.items():
        cells += [text(f"### {id}"), code(answers.get(id, STUBS[id]))]
        if checks:
            cells.append(code(f'check("{id}", {name})\n# hint("{id}", 1)'))
    cells += map(code, last)
    about = {"lesson": 6, "version": "1.0.0", "edition": "exercise"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"posenc": about}, "cells": cells}


def data(notebook: Any) -> bytes:
    """The notebook as a file's bytes."""
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode("utf-8")


def write(path: Path, notebook: Any) -> Path:
    """Write a notebook, or bytes as they are; makes the folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(notebook if isinstance(notebook, bytes) else data(notebook))
    return path


def but(**answers: str) -> dict[str, str]:
    """The right answers with some replaced: `but(a=...)` replaces 6.1, b 6.2, c 6.3, d 6.4."""
    return {
        **RIGHT,
        **{"6." + str("abcd".index(letter) + 1): source for letter, source in answers.items()},
    }
