"""The same marks as root and as an ordinary user, with and without Bubblewrap or fork."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from hostile import kinds
from hostile.grading import complaints, lay
from hostile.notebooks import exercise
from hostile.ordinary import Kind, unfinished
from test_grading_hostile import strays, traces

TESTS = Path(__file__).resolve().parent
# Without Bubblewrap a notebook may reach what its user may: these are not promised there.
NEED_A_WALL = {
    "x_kill_others",
    "r13_write_out",
    "x_write_results",
    "t08_read_answers",
    "x_real_course",
}
# Without a fork for each challenge, what one call changes is there for the next.
NEED_FORK = {
    "x_globals_mutated_by_a_call",
    "x_fork_bomb",
    "x_fork_bomb_fn",
    "x_daemon",
    "x_leaves_a_writer",
    "x_children_hoard",
    "x_stops_itself",
}
# How far notebooks are isolated, by who grades and how. `test_grading_hostile` has bwrap and none
# for whoever runs the tests.
LEVELS = {
    ("nobody", "bwrap"): "full",
    ("nobody", "alone"): "full",
    ("nobody", "none"): "none",
    ("root", "none"): "none",
    ("root", "fresh"): "none",
}
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
# An ordinary user cannot become another one, and grades as what `nobody` stands for here.
RUNS = [(user, way) for user, way in LEVELS if ROOT or user == "nobody"]
pytestmark = pytest.mark.slow


def graded_as(user: str, way: str, chosen: list[Kind]) -> dict:
    """What `hostile.users` prints; its folder can be read by anyone."""
    with tempfile.TemporaryDirectory(prefix="posenc-test-") as folder:
        os.chmod(folder, 0o755)
        lay(Path(folder), chosen)
        stays = user if ROOT else "root"
        command = [sys.executable, "-m", "hostile.users", stays, way, folder]
        done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=540)
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)


@pytest.mark.parametrize(("user", "way"), RUNS, ids=" ".join)
def test_hostile_and_ordinary_notebooks_get_their_marks(user, way):
    chosen = [
        k for k in [*unfinished(), *kinds.listed(), *kinds.more()] if k.name not in _left_out(way)
    ]
    if way in ("fresh", "alone"):
        chosen = chosen[::4]  # each in an interpreter, or a sandbox, of its own: a sample
    before = set(strays())
    told = graded_as(user, way, chosen)
    assert told["level"] == LEVELS[user, way], told["sentence"]
    wrong = {k.name: c for k in chosen if (c := complaints(k, told["records"][k.name]))}
    assert wrong == {}
    time.sleep(1.0)
    assert [s for s in strays() if s not in before] == []
    left = traces()
    for path in left:  # where nothing keeps a notebook from writing, the next test must not find it
        Path(path).unlink()
    assert way in ("none", "fresh") or left == []


def _left_out(way: str) -> set[str]:
    return {"none": NEED_A_WALL, "fresh": NEED_A_WALL | NEED_FORK}.get(way, set())


def test_the_run_says_at_its_head_and_in_its_json_what_is_not_isolated():
    told = graded_as("nobody", "none", [Kind("a", exercise())])
    assert told["sentence"].startswith("Grade work that you trust: notebooks run as you.")
    assert "alter the marks" in told["sentence"]
