"""Proof on this machine: a small pile with known marks, and probes of what a notebook can reach."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from posenc.grading import channels, pile, sandbox
from posenc.grading.warm import Limits, WarmProcess

LIMITS = Limits(seconds=30.0, cell_seconds=2.0)
RIGHT = """
def frequencies(width, base=10000.0):
    return base ** (-2 * np.arange((width + 1) // 2) / width)
"""
ZEROS = """
def frequencies(width, base=10000.0):
    return np.zeros((width + 1) // 2)
"""
BOMB = """
import os
if os.fork() == 0:
    while True:
        try: os.fork()
        except OSError: pass
"""


def _with(line: str) -> str:
    """A 6.1 of one line."""
    return f"def frequencies(width, base=10000.0):\n    {line}"


# What is handed in for 6.1, and what must come of it.
PILE = (
    ("a right answer", (RIGHT,), "passed"),
    ("a known mistake", (RIGHT.replace("-2 *", "-1 *"),), "failed"),
    ("a stub", (_with("return ..."),), "not attempted"),
    ("nothing of that name", ("1 + 1",), "not found"),
    ("a loop without end", (_with("while True: pass"),), "timed out"),
    ("an exit", (_with("import os; os._exit(0)"),), "crashed"),
    ("a crash", (_with("import ctypes; ctypes.string_at(0)"),), "crashed"),
    ("too much memory", (_with("return np.ones(10**12)"),), "out of memory"),
    ("no plain value", (_with("yield 1.0"),), "refused"),
    ("a comparison that says yes", (ZEROS, "np.allclose = lambda *a, **k: True"), "failed"),
    ("a cell that ends the process", (RIGHT, "import os; os._exit(0)"), "passed"),
    ("a fork bomb in a cell", (RIGHT, BOMB), "passed"),
)
# Each `probe` returns True where the notebook is kept from something.
PROBES = (
    (
        "the network cannot be used",
        """
import socket
def probe():
    try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
    except OSError: return True
    return False
""",
    ),
    (
        "the course cannot be read",
        """
import os
def probe():
    names = ("judging/judge.py", "posenc/judging/judge.py")
    return not any(os.path.exists(os.path.join(p, n)) for p in PLACES for n in names)
""",
    ),
    (
        "neither the home folder nor the submissions can be read",
        """
def probe():
    for path in SECRETS:
        try: open(path).close()
        except OSError: continue
        return False
    return True
""",
    ),
    (
        "nothing can be written outside the working folder",
        """
import os
def probe():
    for place in (HOME, "/", "/usr", *PLACES):
        path = os.path.join(place, "posenc-self-test")
        try: open(path, "w").close()
        except OSError: continue
        os.unlink(path)
        return False
    return True
""",
    ),
    (
        "no process of the grader can be signalled",
        """
import os
def probe():
    for pid in GRADER:
        try: os.kill(pid, 0)
        except OSError: continue
        return False
    return True
""",
    ),
    (
        "no process of the grader can be traced",
        """
def probe():
    for pid in GRADER:
        try: open(f"/proc/{pid}/mem", "rb").close()
        except OSError: continue
        return False
    return True
""",
    ),
    (
        "no secret of the environment is there",
        """
import os
def probe():
    return "POSENC_SELF_TEST_SECRET" not in os.environ
""",
    ),
)


def run(mode: str, say: Callable[[str], None]) -> int:
    """Show what holds; 0 where every mark is right and everything promised holds, else 1."""
    settings = pile.Settings(seed=1, sandbox=mode, limits=LIMITS, only=("6.1",))
    os.environ["POSENC_SELF_TEST_SECRET"] = "1"
    try:
        level, sentence = pile.isolation(settings)
        say(f"Isolation: {level}. {sentence}")
        wrong = [name for name, ok in _marks(settings, say) if not ok]
        say("A notebook, and what is not its own:")
        broken = [name for name, holds in _probes(mode, say) if not holds]
        if sys.platform.startswith("linux"):
            say("Ways from one notebook to another:")
            broken += [f"{name}: open" for name, shut in _channels(mode, say) if not shut]
        broken = broken if level == sandbox.FULL else []
    finally:
        del os.environ["POSENC_SELF_TEST_SECRET"]
        pile.close_warm_processes()
    for name in wrong:
        say(f"WRONG MARK: {name}")
    for name in broken:
        say(f"PROMISED, AND DOES NOT HOLD: {name}")
    say(
        "The self-test failed."
        if wrong or broken
        else "Every mark is right, and what is promised holds."
    )
    return 1 if wrong or broken else 0


def notebook_of(cells: tuple[str, ...]) -> bytes:
    """A notebook file with these code cells after an import of NumPy."""
    made = [
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": source,
        }
        for source in ("import numpy as np", *cells)
    ]
    about = {"posenc": {"lesson": 6, "edition": "exercise"}}
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": about, "cells": made}
    ).encode()


def _marks(settings: pile.Settings, say: Callable[[str], None]) -> list[tuple[str, bool]]:
    told = []
    for name, cells, deserved in PILE:
        began = time.monotonic()
        record = pile.grade_bytes(notebook_of(cells), "self-test.ipynb", settings)
        outcome = record.challenges[0].outcome if record.challenges else record.status
        told.append((name, outcome == deserved))
        took = time.monotonic() - began
        say(f"  {'ok' if told[-1][1] else 'WRONG':<6} {name}: {outcome} ({took:.1f} s)")
    return told


def _probes(mode: str, say: Callable[[str], None]) -> list[tuple[str, bool]]:
    told = []
    with _secrets() as (secrets, submissions):
        warm = WarmProcess(sandbox.choose(mode, [submissions]), LIMITS)
        try:
            for name, source in PROBES:
                holds = _probe(warm, source, secrets)
                told.append((name, holds))
                say(f"  {'yes' if holds else 'no':<6} {name}")
        finally:
            warm.close()
    return told


@contextlib.contextmanager
def _secrets() -> Iterator[tuple[list[str], str]]:
    """Files that all may read: one among submissions, one in the home folder where it can be."""
    with contextlib.ExitStack() as stack:
        folders = [stack.enter_context(tempfile.TemporaryDirectory(prefix="posenc-self-test-"))]
        with contextlib.suppress(OSError):
            folders.append(
                stack.enter_context(
                    tempfile.TemporaryDirectory(prefix=".posenc-self-test-", dir=Path.home())
                )
            )
        for folder in folders:
            os.chmod(folder, 0o755)
            Path(folder, "secret").write_text("secret")
        yield [os.path.join(folder, "secret") for folder in folders], folders[0]


def _probe(warm: WarmProcess, source: str, secrets: list[str]) -> bool:
    known = {
        "PLACES": list(sandbox.course_folders()),
        "HOME": str(Path.home()),
        "SECRETS": secrets,
        "GRADER": [os.getpid(), *([warm.process.pid] if warm.process else [])],
    }
    given = "\n".join(f"{name} = {value!r}" for name, value in known.items())
    with warm.notebook() as session:
        return channels.called(session, (given, source)) is True


def _channels(mode: str, say: Callable[[str], None]) -> list[tuple[str, bool]]:
    """Each way from one notebook to another, from both ends: one after the other, and at once."""
    told = []
    with contextlib.ExitStack() as stack:
        first, second = (WarmProcess(sandbox.choose(mode), LIMITS) for _ in range(2))
        stack.callback(first.close)
        stack.callback(second.close)
        for channel in channels.CHANNELS:
            later = channels.kept_apart(channel, first, first)
            at_once = channels.kept_apart(channel, first, second, together=True)
            told.append((channel.name, later is True and at_once is True))
            say(f"  {'closed' if told[-1][1] else 'open':<6} {channel.name}")
    return told
