"""A class of sixty that hands in lesson 6: most get far, many share a mistake, some need a word.

`python tests/class_of_sixty.py FOLDER` lays it into a folder. The same each time.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hostile.answers import HELPER, RIGHT, WRONG
from hostile.notebooks import but, code, data, exercise, write

FIRST = [
    "Ada",
    "Bashir",
    "Chiara",
    "Dmitri",
    "Elif",
    "Farid",
    "Greta",
    "Hamid",
    "Ines",
    "Jonas",
    "Kaori",
    "Lukas",
    "Mira",
    "Nadia",
    "Otto",
    "Priya",
    "Quentin",
    "Rosa",
    "Samir",
    "Tove",
    "Umut",
    "Vera",
    "Wen",
    "Ximena",
    "Yusuf",
    "Zoë",
]
LAST = [
    "Achterberg",
    "Bellucci",
    "Çelik",
    "Demir",
    "Eriksson",
    "Fontaine",
    "Grünwald",
    "Hossain",
    "Ivanova",
    "Jørgensen",
    "Kowalski",
    "Lindqvist",
    "Mäkinen",
    "Nakamura",
    "Oyelaran",
    "Pospíšil",
    "Quispe",
    "Ramaswamy",
]
STRANGE = (
    "<script>alert(1)</script>".replace("/", "∕"),
    "Robert'); DROP TABLE Students;",
    '"Quoted" & <b>Bold<∕b>',
    "李小龍 Lee",
    "محمد علي",
    "A learner whose name is so long that no table could ever have foreseen it in one of its rows",
)
LOOP = "def frequencies(width, base=10000.0):\n    while True:\n        pass"
EXIT = "def sinusoidal(length, width, base=10000.0):\n    import os\n    os._exit(3)"
NO_RETURN = "def frequencies(width, base=10000.0):\n    print(np.arange(width) / width)"
BY_HAND = tuple(RIGHT[id].replace("sinusoidal(", "_right(") for id in ("6.3", "6.4"))


@dataclass(frozen=True)
class Work:
    """What a learner hands in, and the outcome that each challenge deserves (None: unreadable)."""

    notebook: Any
    outcomes: tuple[str, str, str, str] | None
    mistakes: tuple[tuple[str, str], ...] = ()


P, F, N = "passed", "failed", "not attempted"


def _mistaken(first: list[str] | None = None, **mistakes: str) -> Work:
    """Right but for some known mistakes: `b="single-i"` makes that one in 6.2."""
    made = {"6." + str("abcd".index(k) + 1): name for k, name in mistakes.items()}
    answers = {**RIGHT, "6.3": BY_HAND[0], "6.4": BY_HAND[1]}
    answers.update({id: WRONG[id][name] for id, name in made.items()})
    outcomes = tuple(F if id in made else P for id in RIGHT)
    return Work(exercise(answers, [HELPER, *(first or [])]), outcomes, tuple(made.items()))


def _until(last: str, **mistakes: str) -> Work:
    """Nothing is attempted after challenge `last`."""
    whole = _mistaken(**mistakes)
    kept = [id for id in RIGHT if id <= last]
    made = dict(whole.mistakes)
    answers = {id: WRONG[id][made[id]] if id in made else RIGHT[id] for id in kept}
    outcomes = tuple(whole.outcomes[place] if id in kept else N for place, id in enumerate(RIGHT))
    return Work(exercise(answers), outcomes, whole.mistakes)


def works() -> list[Work]:
    """Sixty pieces of work."""
    whole = data(exercise())
    scratch = {**exercise(), "cells": [code("1 + 1")]}
    return [
        *[Work(exercise(), (P, P, P, P)) for _ in range(11)],
        *[_mistaken(b="column-for-pair") for _ in range(9)],
        *[_mistaken(c="along-batch") for _ in range(6)],
        *[_mistaken(b="concatenated", c="in-place") for _ in range(3)],
        *[_mistaken(a="doubled-exponent", b="doubled-exponent") for _ in range(4)],
        *[_mistaken(d="no-limit") for _ in range(3)],
        *[_until("6.2", b="odd-last-zero") for _ in range(3)],
        *[_until("6.1", a="single-i") for _ in range(3)],
        *[_until("6.2") for _ in range(3)],
        *[_until("6.3") for _ in range(2)],
        *[Work(exercise({}), (N, N, N, N)) for _ in range(3)],
        _mistaken(a="base-1000"),
        _mistaken(b="degrees"),
        _mistaken(b="transposed", d="gradient-gone"),
        Work(exercise(but(a=NO_RETURN)), (F, P, P, P)),
        Work(exercise(but(a=LOOP)), ("timed out", P, P, P)),
        Work(exercise(but(b=EXIT)), (P, "crashed", "crashed", "crashed")),
        Work(exercise({}, first=["import a_package_of_mine"]), (N, N, N, N)),
        Work(whole[: len(whole) // 2], None),
        Work(b"<!DOCTYPE html><html></html>", None),
        Work(scratch, ("not found",) * 4),
    ]


def names() -> list[str]:
    """Sixty names, some of them strange, in an order that tells nothing."""
    chance = random.Random(60)
    pairs = [f"{first} {last}" for first in FIRST for last in LAST]
    return [*STRANGE, *chance.sample(pairs, 60 - len(STRANGE))]


def learners() -> dict[str, Work]:
    """Who hands in what."""
    order = works()
    random.Random(6).shuffle(order)
    return dict(zip(names(), order, strict=True))


def lay(folder: Path) -> dict[str, Work]:
    """Write the class into `folder`, one folder a learner; who hands in what."""
    laid = learners()
    for name, work in laid.items():
        write(folder / name / "06_sinusoidal_encoding.ipynb", work.notebook)
    return laid


if __name__ == "__main__":
    print(len(lay(Path(sys.argv[1]))), "notebooks")
