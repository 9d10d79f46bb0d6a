"""Random notebooks, messages, stores, lists and names, and what the grader may answer to them.

    python tests/fuzz_grading.py --seconds 600 --seed 1

Each target makes one input from a random generator and lets the grader read it. What comes out is
an answer or an error of a class that the grader turns into a sentence; anything else is a finding,
printed with the target and the seed that make it again. A short run of each is among the tests.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import random
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT)]

from hostile import kinds  # noqa: E402
from hostile.notebooks import data, exercise  # noqa: E402

from posenc import lessons  # noqa: E402
from posenc.grading import disguises, learners, pile  # noqa: E402
from posenc.grading.grade import Run, planned  # noqa: E402
from posenc.grading.notebook import Notebook, Unreadable  # noqa: E402
from posenc.grading.record import Record  # noqa: E402
from posenc.grading.store import Key, Store, StoreError  # noqa: E402
from posenc.grading.warm import Limits, Lost, _message  # noqa: E402
from posenc.judging import judge, values  # noqa: E402

ODD_TEXTS = (
    "", "\0", "\ud800", "²", "٣", "\u202e", "a" * 5000, "../x", "=1+1", "-1", "9" * 5000, "{", "\n",
    "true", "null", "6.1", "passed", "returned", "time", "𝒳", "ß", "İ", "%s", "{0}",
)  # fmt: skip
ODD_NUMBERS = (0, -1, 1, 6, 10**30, 2**63, -(2**63), 1.5, math.nan, math.inf, 10**400, True, False)
SEEDS_OF_FILES = [data(exercise())]
SEEDS_OF_FILES += [k.notebook for k in kinds.files() if isinstance(k.notebook, bytes)]


def any_value(chance: random.Random, depth: int = 3) -> Any:
    """A value of any kind that a message or a file can hold."""
    kind = chance.randrange(9 if depth else 5)
    if kind == 0:
        return chance.choice(ODD_TEXTS)
    if kind == 1:
        return chance.choice(ODD_NUMBERS)
    if kind == 2:
        return None
    if kind == 3:
        return chance.random() * 10 ** chance.randrange(-3, 6)
    if kind == 4:
        return chance.randrange(-3, 30)
    if kind in (5, 6):
        return [any_value(chance, depth - 1) for _ in range(chance.randrange(5))]
    if kind == 7:
        return {str(chance.choice(ODD_TEXTS)): any_value(chance, depth - 1) for _ in range(3)}
    shape = [chance.randrange(4) for _ in range(chance.randrange(3))]
    return np.zeros(shape, dtype=chance.choice(["f8", "i4", "?", "c16", "f2", "u8"]))


def changed(chance: random.Random, value: Any) -> Any:
    """A value with one part of it replaced, left out or doubled."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        if chance.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: changed(chance, value[key])}
    if isinstance(value, (list, tuple)) and value and chance.random() < 0.9:
        place = chance.randrange(len(value))
        parts = list(value)
        if chance.random() < 0.15:
            parts[place : place + 1] = [] if chance.random() < 0.5 else [parts[place]] * 2
        else:
            parts[place] = changed(chance, parts[place])
        return parts
    return any_value(chance)


def bitten(chance: random.Random, whole: bytes) -> bytes:
    """Bytes with some flipped, left out, doubled or put in."""
    found = bytearray(whole)
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(found) + 1)
        how = chance.randrange(5)
        if how == 0 and found:
            found[place % len(found)] ^= 1 << chance.randrange(8)
        elif how == 1:
            del found[place : place + chance.randrange(1, 200)]
        elif how == 2:
            found[place:place] = chance.choice([b"\0", b'"', b"{", b"[" * 50, b"\xff\xfe", b"\\u"])
        elif how == 3:
            found[place:place] = found[: chance.randrange(200)]
        else:
            found = found[:place]
    return bytes(found)


# ------------------------------------------------------------------ targets


def notebooks(chance: random.Random) -> None:
    """The bytes of a file, with a name."""
    if chance.random() < 0.5:
        found = bitten(chance, chance.choice(SEEDS_OF_FILES))
    else:
        whole: Any = exercise()
        for _ in range(chance.randrange(1, 4)):
            whole = changed(chance, whole)
        found = json.dumps(whole, default=lambda a: a.tolist() if a.dtype.kind != "c" else 0)
        found = found.encode("utf-8", "replace")
    name = chance.choice(["x.ipynb", "06 (1).ipynb", *ODD_TEXTS])
    with contextlib.suppress(Unreadable):
        read, _ = disguises.read(found, name, chance.choice([None, 6]))
        assert isinstance(read, Notebook) and 1 <= read.lesson <= 12
        read.imports()
    disguises.language(found)


class Speaker:
    """A notebook that says anything: a warm process and a session in one."""

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.left = chance, 400
        self.cells: list[int] = []

    @contextlib.contextmanager
    def notebook(self, imports: object) -> Iterator[Speaker]:
        yield self

    def send(self, sent: bytes, seconds: float) -> None:
        order = values.decode(sent)
        if isinstance(order, dict) and "cells" in order:
            self.cells = [cell[0] for cell in order["cells"]]
            self.words = [{"cell": n} for n in self.cells] + [{"ran": len(self.cells)}]

    def receive(self, seconds: float, most: int = 2**22) -> dict[str, Any]:
        self.left -= 1
        chance = self.chance
        if self.left < 0 or chance.random() < 0.02:
            raise Lost({"how": chance.choice(["time", "exit", any_value(chance)])})
        word = self.words.pop(0) if self.words else self.answer()
        if chance.random() < 0.25:
            word = changed(chance, word)
        with contextlib.suppress(values.TooLarge):
            return _message(values.encode(word), most)
        raise Lost({"how": "bytes"})

    def answer(self) -> dict[str, Any]:
        chance = self.chance
        if chance.random() < 0.1:
            return {"how": any_value(chance), "number": any_value(chance)}
        if chance.random() < 0.1:
            return {"ask": 0, "of": any_value(chance), "question": 1}
        challenge = chance.choice(lessons.challenges(self.lesson))
        return {"work": self.works[challenge.id], "waited": 0.0}

    lesson = 6
    works: dict[str, Any] = {}


def messages(chance: random.Random) -> None:
    """All that a notebook says, from its cells to its answers."""
    lesson = chance.choice([1, 2, 4, 6, 9, 10, 12])
    speaker = Speaker(chance)
    speaker.lesson = lesson
    speaker.works = {c.id: planned(c.id, 3).expected.to_plain() for c in lessons.challenges(lesson)}
    run = Run(Notebook(("a = 1", "b = 2"), lesson, "metadata"), speaker, 3, Limits(), ())
    run.all()
    assert len(run.graded.verdicts) == len(lessons.challenges(lesson))
    assert run.graded.faults == [], run.graded.faults


def frames(chance: random.Random) -> None:
    """The bytes of a message."""
    frame = values.encode({"work": any_value(chance), "cell": any_value(chance)})
    with contextlib.suppress(Lost):
        assert isinstance(_message(bitten(chance, frame), 2**20), dict)


def records(chance: random.Random) -> None:
    """A record in a store, and the store's own notes."""
    plan = planned("6.1", 3)
    verdict = judge.unfinished(plan.challenge, judge.TIMED_OUT, "x", 3)
    whole: Any = Record("graded", lesson=6, points=0, out_of=2, challenges=(verdict,)).to_plain()
    for _ in range(chance.randrange(1, 4)):
        whole = changed(chance, whole)
    key = Key("a", "b", "1.0.0", 3)
    with contextlib.closing(Store(None)) as store, contextlib.suppress(StoreError):
        store.connection.execute(
            "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*("a", "b", "1.0.0", 3, ""), "j", chance.choice(["now", None, b"x"]) or "",
             json.dumps(whole, default=str)),
        )  # fmt: skip
        store.connection.execute(
            "INSERT INTO about VALUES ('seed', ?)", (_plain(any_value(chance)),)
        )
        found = store.get(key)
        if found is not None:
            Record.from_plain(found)
        store.put(key, Record("unreadable", "x").to_plain(), "k")
        store.old_marks("a", "b")
        store.seed(None)


def stores(chance: random.Random) -> None:
    """The bytes of a store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.sqlite")
        made = Store(path)
        made.put(Key("a", "b", "1.0.0", 3), Record("unreadable", "x").to_plain(), "k")
        made.close()
        path.write_bytes(bitten(chance, path.read_bytes()))
        with contextlib.suppress(StoreError):
            opened = Store(path)
            try:
                opened.seed(None)
                opened.get(Key("a", "b", "1.0.0", 3))
                opened.put(Key("a", "b", "1.0.0", 3), Record("unreadable", "y").to_plain(), "j")
            finally:
                opened.close()


def lists(chance: random.Random) -> None:
    """A list of names."""
    rows = [
        ";,"[chance.randrange(2)].join(str(chance.choice(ODD_TEXTS)) for _ in range(3))
        for _ in range(chance.randrange(6))
    ]
    text = "\n".join(["file,learner,id", *rows]).encode("utf-8", "replace")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "names.csv")
        path.write_bytes(bitten(chance, text) if chance.random() < 0.7 else text)
        with contextlib.suppress(learners.BadList):
            learners.read_list(path)


def names(chance: random.Random) -> None:
    """Names of folders and files, as learners and their systems give them."""
    parts = [
        *ODD_TEXTS,
        "ada",
        "ada_1234_assignsubmission_file_",
        "ada_12_34_06",
        "submitted",
        "06",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(chance.randrange(1, 6)):
            place = Path(folder)
            for _ in range(chance.randrange(3)):
                place = place / _legal(chance.choice(parts))
            name = _legal(chance.choice(parts)) + chance.choice(
                [".ipynb", ".ipynb.txt", ".zip", ""]
            )
            with contextlib.suppress(OSError, ValueError):
                place.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(data(exercise()))
        found = learners.find([Path(folder)])
        assert all(s.learner for s in found)
        store = Store(None)
        graded = pile.Pile(pile.Settings(seed=3), store, Path(folder))
        for submission in found:
            store.get(graded.key(submission, "x"))
        store.close()


def _plain(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode()


def _legal(name: str) -> str:
    plain = name.encode("utf-8", "replace").decode().replace("/", "-").replace("\0", "")
    return plain[:80] if plain not in ("", ".", "..") else "x"


TARGETS: dict[str, Callable[[random.Random], None]] = {
    "notebooks": notebooks,
    "messages": messages,
    "frames": frames,
    "records": records,
    "stores": stores,
    "lists": lists,
    "names": names,
}


def findings(target: str, first: int, count: int) -> list[tuple[int, str]]:
    """The seeds from `first` on at which a target met an error of no expected class."""
    found = []
    for seed in range(first, first + count):
        try:
            TARGETS[target](random.Random(f"{target} {seed}"))
        except Exception:
            found.append((seed, traceback.format_exc(limit=-4)))
    return found


def main() -> int:
    """The command line; 1 where there were findings."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--seconds", type=float, default=60.0)
    words.add_argument("--seed", type=int, default=0)
    words.add_argument("--targets", nargs="*", choices=TARGETS, default=list(TARGETS))
    asked = words.parse_args()
    end, seed = time.monotonic() + asked.seconds, asked.seed
    counts: Counter[str] = Counter()
    kinds_found: Counter[str] = Counter()
    while time.monotonic() < end:
        for target in asked.targets:
            step = 50 if target in ("frames", "records", "notebooks") else 10
            for number, text in findings(target, seed, step):
                last = text.strip().splitlines()[-1][:120]
                kinds_found[last] += 1
                if kinds_found[last] == 1:
                    print(f"{target}, seed {number}:\n{text}", flush=True)
            counts[target] += step
        seed += 50
    told = ", ".join(f"{n:,} {name}" for name, n in counts.items())
    print(f"{told}; {time.process_time():.0f} s of processor; findings: {dict(kinds_found)}")
    return 1 if kinds_found else 0


if __name__ == "__main__":
    sqlite3.enable_callback_tracebacks(False)
    sys.exit(main())
