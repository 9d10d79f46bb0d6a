"""The same marks as root and as an ordinary user, with and without namespaces, and without fork."""

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
# Without namespaces a notebook may reach what its user may: these say so, and are not promised there.
NEED_NAMESPACES = {"x_kill_others"}
# Without a fork for each challenge, what one call changes is there for the next.
NEED_FORK = {
    "x_globals_mutated_by_a_call", "x_fork_bomb", "x_fork_bomb_fn", "x_daemon", "x_leaves_a_writer",
    "x_children_hoard", "x_stops_itself",
}
LEVELS = {
    ("root", "bwrap"): "full", ("root", "none"): "full", ("root", "plain"): "partial",
    ("nobody", "bwrap"): "full", ("nobody", "none"): "full", ("nobody", "plain"): "none",
    ("root", "fresh"): "none", ("nobody", "fresh"): "none",
}
pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="users of Unix")]


def graded_as(user: str, way: str, chosen: list[Kind]) -> dict:
    """What `hostile.users` prints; its folder can be read by anyone."""
    with tempfile.TemporaryDirectory(prefix="posenc-test-") as folder:
        os.chmod(folder, 0o755)
        lay(Path(folder), chosen)
        command = [sys.executable, "-m", "hostile.users", user, way, folder]
        done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=540)
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)


@pytest.mark.parametrize(("user", "way"), LEVELS, ids=" ".join)
def test_hostile_and_ordinary_notebooks_get_their_marks(user, way):
    if user == "nobody" and os.geteuid() != 0:
        user = "root"  # whoever runs this is an ordinary user already
    chosen = [k for k in [*unfinished(), *kinds.listed(), *kinds.more()] if k.name not in _left_out(way)]
    if way == "fresh":
        chosen = chosen[::4]  # each in an interpreter of its own: a sample
    before = set(strays())
    told = graded_as(user, way, chosen)
    assert told["level"] == LEVELS[user, way], told["sentence"]
    wrong = {k.name: c for k in chosen if (c := complaints(k, told["records"][k.name]))}
    assert wrong == {}
    time.sleep(1.0)
    assert [s for s in strays() if s not in before] == []
    assert way in ("plain", "fresh") or traces() == []


def _left_out(way: str) -> set[str]:
    if way == "plain":
        return NEED_NAMESPACES | {"r13_write_out", "x_write_results", "t08_read_answers", "x_real_course"}
    if way == "fresh":
        return NEED_NAMESPACES | NEED_FORK | {"r13_write_out", "x_write_results", "t08_read_answers", "x_real_course"}
    return set()


def test_the_run_says_at_its_head_and_in_its_json_what_is_not_isolated():
    told = graded_as("nobody" if os.geteuid() == 0 else "root", "plain", [Kind("a", exercise())])
    assert told["sentence"].startswith("Not isolated: notebooks run as you.")
    assert "alter the marks" in told["sentence"]
