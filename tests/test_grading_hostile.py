"""Hostile notebooks earn nothing undeserved, cost no other its mark, and leave nothing behind."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hostile import kinds
from hostile.grading import complaints, grade_folder, lay
from hostile.notebooks import exercise, write
from hostile.ordinary import Kind

from posenc.grading import learners, sandbox
from posenc.grading.pile import Settings
from posenc.grading.warm import Limits

LINUX = sys.platform.startswith("linux")
COURSE = Path(__file__).resolve().parent.parent
LIMITS = Limits(cell_seconds=3.0, seconds=40.0, memory=512 * 2**20)
# The kinds that two widely used graders were tried with, by the ids of that trial.
TRIED = [
    "t01_allclose",
    "t02_hide_errors",
    "t03_strip_asserts",
    "t05_equal_object",
    "t06_grader_check",
    "t08_read_answers",
    "t09_shadow_np",
    "t11_delete_tests",
    "t12_edit_tests",
    "t13_metadata",
    "t14_rename_ids",
    "t15_os_exit",
    "t17_hardcode_visible",
    "t19_late_swap",
    "r01_loop_fn",
    "r02_loop_cell",
    "r04_mem_50gb",
    "r05_mem_6gb",
    "r07_stdout_200mb",
    "r09_thread",
    "r10_segfault",
    "r11_input",
    "r13_write_out",
    "r14_magics",
    "r15_rng",
    "r18_warn_error",
    "r19_sys_exit",
    "r21_kbd",
    "r22_sysexit_fn",
    "r23_stderr_fn",
    "r24_osexit_fn",
    "f01_truncated",
    "f02_v3",
    "f03_no_cells",
    "f04_zero_bytes",
    "f06_latin1",
    "f07_widgets",
    "f08_dup_solution",
    "f10_dup_ids",
    "f11_first_raises",
    "f13_renamed",
    "f15_test_markdown",
    "f17_schema_new",
    "f18_nbformat5",
    "f20_bom",
    "f22_outputs_20mb",
    "f23_not_nb",
    "f24_sol_markdown",
    "n01_nan",
    "n03_object_dtype",
    "n05_inf",
]
QUICK = [
    "t01_allclose",
    "t05_equal_object",
    "t08_read_answers",
    "x_real_course",
    "x_hunt_for_answers",
    "r10_segfault",
    "r24_osexit_fn",
    "x_kill_others",
    "x_fork_bomb",
    "x_daemon",
    "x_fork_hooks",
    "x_error_message",
    "x_list_in_itself",
    "x_babble_on_every_handle",
]


def hostile() -> list[Kind]:
    """Each kind between two honest notebooks, one right and one half done."""
    chosen = []
    for number, kind in enumerate([*kinds.listed(), *kinds.more()]):
        chosen += [kind, honest(number)]
    return chosen


def honest(number: int) -> Kind:
    if number % 2:
        return Kind(f"honest-{number:03d}", exercise())
    from hostile.answers import RIGHT

    open_ones = {"6.2": "not attempted", "6.3": "not attempted", "6.4": "not attempted"}
    return Kind(f"honest-{number:03d}", exercise({"6.1": RIGHT["6.1"]}), open_ones)


def state_of(*folders: Path) -> dict[str, tuple[float, str]]:
    """Every file below the folders: when it changed, and a hash of what is in it."""
    found = {}
    for top in folders:
        for folder, below, files in os.walk(top):
            below[:] = [
                b for b in below if b not in (".git", "__pycache__", ".pytest_cache", ".hypothesis")
            ]
            for name in files:
                path = os.path.join(folder, name)
                data = Path(path).read_bytes() if os.path.isfile(path) else b""
                found[path] = (os.lstat(path).st_mtime, hashlib.sha256(data).hexdigest())
    return found


def strays() -> list[str]:
    """Processes with a notebook in them that belong to this test run, or to nobody any more."""
    parents, words = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{name}/stat").read_text()
            parents[int(name)] = int(stat[stat.rindex(")") + 2 :].split()[1])
            words[int(name)] = Path(f"/proc/{name}/cmdline").read_bytes()
    return [str(pid) for pid in words if _is_notebook(words[pid]) and _is_ours(pid, parents, words)]


def _is_notebook(line: bytes) -> bool:
    return b"posenc.grading.inside.serve" in line or b"bytearray(900" in line


def _is_ours(pid: int, parents: dict[int, int], words: dict[int, bytes]) -> bool:
    """Whether the first process above that is no notebook's is this one, or the system's first."""
    while _is_notebook(words.get(pid, b"")) or b"bwrap" in words.get(pid, b""):
        pid = parents.get(pid, 1)
    return pid in (1, os.getpid())


def traces() -> list[str]:
    """Files that the hostile kinds try to leave."""
    places = [
        "/",
        "/etc",
        "/usr",
        "/home",
        "/tmp",
        "/var/tmp",
        str(Path.home()),
        str(Path(np.__file__).parent),
    ]
    places += [str(COURSE), str(COURSE / "posenc"), str(COURSE / "posenc" / "lessons")]
    names = ("posenc-was-here", "posenc-stray", "results.json", "out.json")
    return [os.path.join(p, n) for p in places for n in names if os.path.exists(os.path.join(p, n))]


def check_pile(tmp_path, chosen, mode, jobs=2):
    folder = tmp_path / "class"
    lay(folder, chosen)
    before, already = state_of(folder), {*strays(), *traces()}
    began = time.monotonic()
    graded = grade_folder(folder, Settings(seed=3, sandbox=mode, limits=LIMITS), jobs)
    took = time.monotonic() - began
    wrong = {k.name: c for k in chosen if (c := complaints(k, graded[k.name].record))}
    assert wrong == {}
    time.sleep(0.5)
    assert [s for s in strays() if s not in already] == []
    assert [t for t in traces() if t not in already] == []
    assert state_of(folder) == before
    assert took < 60 * len(chosen)


def test_every_kind_that_was_tried_is_here_and_at_least_twenty_more():
    assert [k.name for k in kinds.listed()] == TRIED
    names = [k.name for k in kinds.more()]
    assert len(names) == len(set(names)) >= 20


@pytest.mark.skipif(
    not LINUX, reason="without a fork for each notebook the grader does not promise this"
)
def test_a_few_hostile_notebooks_between_honest_ones(tmp_path):
    chosen = [k for k in hostile() if k.name in QUICK]
    assert len(chosen) == len(QUICK)
    check_pile(tmp_path, [*chosen, honest(0), honest(1), honest(3)], "auto")


@pytest.mark.slow
def test_all_hostile_notebooks_between_honest_ones(tmp_path):
    assert sandbox.working_bubblewrap()[0], sandbox.working_bubblewrap()[1]
    check_pile(tmp_path, hostile(), "bwrap")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no such files")
def test_what_is_no_ordinary_file_is_not_waited_for(tmp_path):
    write(tmp_path / "class" / "ada" / "a.ipynb", exercise())
    secret = write(tmp_path / "elsewhere" / "other.ipynb", exercise())
    (tmp_path / "class" / "bob").mkdir()
    os.mkfifo(tmp_path / "class" / "bob" / "b.ipynb")
    (tmp_path / "class" / "cem" / "c.ipynb").mkdir(parents=True)
    (tmp_path / "class" / "dot").mkdir()
    (tmp_path / "class" / "dot" / "d.ipynb").symlink_to(secret)
    (tmp_path / "class" / "eve").mkdir()
    (tmp_path / "class" / "eve" / "e.ipynb").symlink_to("nowhere.ipynb")
    graded = grade_folder(tmp_path / "class", jobs=1)
    said = {name: (r.record["status"], r.record["reason"]) for name, r in graded.items()}
    assert said["ada"] == ("graded", "")
    assert "no ordinary file" in said["bob"][1]
    (cem,) = learners.look([tmp_path / "class"]).empty
    assert cem.person.name == "cem" and "folder is empty" in cem.reason
    assert "not followed" in said["dot"][1] and "not followed" in said["eve"][1]
