"""A pile such as a class hands in: right, mistaken, unfinished and damaged work, with the marks it deserves."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from hostile.answers import HELPER, RIGHT, WRONG
from hostile.notebooks import HEAD, NAMES, STUBS, but, code, data, exercise, text

POINTS = {"6.1": 2, "6.2": 3, "6.3": 2, "6.4": 3}


@dataclass
class Kind:
    """A submission. outcomes: what each challenge must come to, 'passed' where it is not named, and
    None where any outcome without points will do.

    mistakes: the misconception that must be recognised. status: of the notebook. says: words that
    must stand in its notes or reason.
    """

    name: str
    notebook: Any
    outcomes: dict[str, str | None] = field(default_factory=dict)
    mistakes: dict[str, str] = field(default_factory=dict)
    status: str = "graded"
    says: str = ""
    file: str = ""

    @property
    def points(self) -> int | None:
        """What the notebook deserves."""
        if self.status != "graded":
            return None
        return sum(p for id, p in POINTS.items() if self.outcomes.get(id, "passed") == "passed")


def all_of(outcome: str | None) -> dict[str, str | None]:
    """The same outcome for each challenge."""
    return dict.fromkeys(NAMES, outcome)


def mistaken() -> list[Kind]:
    """Notebooks with one known mistake in each challenge, until all mistakes were made."""
    rows = zip_longest(*(WRONG[id].items() for id in NAMES))
    kinds = []
    for number, row in enumerate(rows):
        made = {id: pair for id, pair in zip(NAMES, row) if pair is not None}
        answers = {
            **RIGHT,
            "6.3": RIGHT["6.3"].replace("sinusoidal(", "_right("),
            "6.4": RIGHT["6.4"].replace("sinusoidal(", "_right("),
        }
        answers.update({id: source for id, (_, source) in made.items()})
        kinds.append(
            Kind(
                f"mistaken-{number:02d}",
                exercise(answers, first=[HELPER]),
                dict.fromkeys(made, "failed"),
                {id: name for id, (name, _) in made.items()},
            )
        )
    return kinds


def moved() -> dict[str, Any]:
    """The right answers in another order, split, in one cell, without metadata, between scratch work."""
    cells = [
        code("2 + 2"),
        code(RIGHT["6.4"]),
        code("from math import pi\n" + RIGHT["6.3"] + "\n" + RIGHT["6.1"]),
        code("import numpy as np"),
        text("I moved things"),
        code(RIGHT["6.2"]),
        code("sinusoidal(2, 4)"),
    ]
    return {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}


def old_format() -> dict[str, Any]:
    """The right answers as a notebook of format 3."""
    cells = [
        {
            "cell_type": "code",
            "input": s.splitlines(True),
            "language": "python",
            "outputs": [],
            "metadata": {},
            "collapsed": False,
            "prompt_number": 1,
        }
        for s in (HEAD, *RIGHT.values())
    ]
    return {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": ""},
        "worksheets": [{"cells": cells, "metadata": {}}],
    }


def lesson_notebook() -> dict[str, Any]:
    """The learner edition handed in by mistake: its cells call for the course."""
    notebook = exercise(
        first=[
            "from posenc.encodings import sinusoidal as table_of\nfrom posenc.figures import lesson_06\n"
            "from posenc.classroom import ask, claim, playground",
            "table_of(3, 4)",
            'claim("norm-64")\nask("6.q1")\nplayground(lesson_06.seats)',
        ]
    )
    notebook["metadata"]["posenc"]["edition"] = "learner"
    return notebook


def without(key: str) -> dict[str, Any]:
    """The right answers with a key left out of every cell."""
    notebook = exercise()
    for cell in notebook["cells"]:
        cell.pop(key, None)
    return notebook


LOOP = "def frequencies(width, base=10000.0):\n    while True:\n        pass"
EXIT = "def frequencies(width, base=10000.0):\n    import sys\n    sys.exit(1)"
PRINTS = "def frequencies(width, base=10000.0):\n    print(base ** (-2 * np.arange((width + 1) // 2) / width))"
CALLS = RIGHT["6.2"].replace("base ** (-2 * pairs / width)", "frequencies(width, base)")


def unfinished() -> list[Kind]:
    """Ordinary work that is not finished, breaks, or sits in damaged files."""
    whole = data(exercise())
    return [
        Kind("right", exercise()),
        Kind("right-no-checks", exercise(checks=False)),
        Kind("open", exercise({}), all_of("not attempted")),
        Kind(
            "half",
            exercise({k: RIGHT[k] for k in ("6.1", "6.2")}),
            {"6.3": "not attempted", "6.4": "not attempted"},
        ),
        Kind("no-return", exercise(but(a=PRINTS)), {"6.1": "failed"}),
        Kind(
            "syntax-error",
            exercise(but(a="def frequencies(width, base=10000.0)\n    return 1")),
            {"6.1": "not found"},
            says="SyntaxError",
        ),
        Kind("endless-loop", exercise(but(a=LOOP)), {"6.1": "timed out"}),
        Kind("exit-in-function", exercise(but(a=EXIT)), {"6.1": "crashed"}),
        Kind(
            "exit-in-cell",
            exercise(first=["import os\nos._exit(0)"]),
            says="ended the Python process",
        ),
        Kind("loop-in-cell", exercise(last=["while True:\n    pass"]), says="was stopped"),
        Kind(
            "raises-first", exercise(first=["import a_package_of_mine"]), says="ModuleNotFoundError"
        ),
        Kind(
            "missing-cell",
            {
                **exercise(),
                "cells": [c for c in exercise()["cells"] if "def add_positions" not in c["source"]],
            },
            {"6.3": "not found"},
        ),
        Kind("moved", moved(), file="moved 06_sinusoidal_encoding.ipynb"),
        Kind("moved-no-name", moved()),
        Kind(
            "earlier-wrong",
            exercise(but(a=WRONG["6.1"]["single-i"], b=CALLS)),
            {"6.1": "failed", "6.2": "failed", "6.3": "failed", "6.4": "failed"},
        ),
        Kind(
            "name-overwritten", exercise(last=["frequencies = frequencies(8)"]), {"6.1": "failed"}
        ),
        Kind("lesson-notebook", lesson_notebook(), says="lesson notebook"),
        Kind("other-version", _version("0.9.0"), says="version 0.9.0"),
        Kind("format-3", old_format(), file="format 3 lesson 6.ipynb"),
        Kind("no-metadata", without("metadata")),
        Kind("no-source", {**exercise(), "cells": [*exercise()["cells"], {"cell_type": "code"}]}),
        Kind(
            "text-not-code",
            exercise(but(a="", d=""))
            | {"cells": [*exercise(but(a=""))["cells"], text(RIGHT["6.1"])]},
            {"6.1": "not found"},
        ),
        Kind("byte-order-mark", b"\xef\xbb\xbf" + whole),
        Kind("utf-16", whole.decode().encode("utf-16")),
        Kind("cut-off", whole[: len(whole) // 2], status="unreadable", says="cut off"),
        Kind("empty-file", b"", status="unreadable", says="empty"),
        Kind(
            "no-cells", {**exercise(), "cells": []}, status="nothing to grade", says="holds no code"
        ),
        Kind("latin-1", whole.replace(b"Lesson", b"L\xe9on"), status="unreadable", says="UTF-8"),
        Kind("web-page", b"<!DOCTYPE html><html></html>", status="unreadable", says="web page"),
        Kind(
            "not-a-notebook",
            json.dumps([1, 2]).encode(),
            status="unreadable",
            says="not a notebook",
        ),
        Kind("format-5", {**exercise(), "nbformat": 5}, status="unreadable", says="format 5"),
        Kind(
            "another-file",
            {**exercise(), "metadata": {}, "cells": [code("1 + 1")]},
            status="unreadable",
            says="which lesson",
        ),
    ]


def _version(version: str) -> dict[str, Any]:
    notebook = exercise()
    notebook["metadata"]["posenc"]["version"] = version
    return notebook


def pile() -> list[Kind]:
    """All of them."""
    return [*unfinished(), *mistaken()]


__all__ = ["Kind", "STUBS", "all_of", "pile"]
