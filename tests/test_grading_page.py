"""The page on grading says what holds, and its commands work as written, in a clean clone."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.grading import lay
from hostile.ordinary import pile

from posenc.grading import learners
from posenc.grading.record import Record
from posenc.judging import verdict
from posenc.reports import exports, grade_command
from posenc.reports.documents import Row

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "grading.md").read_text("utf-8")


def table_after(heading):
    """First cells of the first table after a heading."""
    rows = re.findall(
        r"^\| *([^|]+?) *\|", PAGE.split(heading, 1)[1].split("\n## ")[0], re.MULTILINE
    )
    return [row for row in rows if not set(row) <= set("-: ")][1:]


def test_the_page_lists_every_outcome_and_no_other():
    assert table_after("## What a mark rests on") == list(verdict.OUTCOMES)


def test_the_page_lists_every_exit_code():
    codes = (
        grade_command.DONE,
        grade_command.FAILED,
        grade_command.MISUNDERSTOOD,
        grade_command.FAULTS,
        grade_command.INTERRUPTED,
    )
    assert table_after("## Exit codes") == [str(code) for code in codes]


def test_the_page_names_every_option_and_every_option_that_it_names_is_there():
    shown = subprocess.run(
        [sys.executable, "-m", "posenc", "grade", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"},
        check=True,
    ).stdout
    known = set(re.findall(r"--[a-z][a-z-]+", shown)) - {"--help"}
    own = PAGE.split("## Speed")[0] + PAGE.split("## Speed")[1].split("```")[2]
    named = set(re.findall(r"--[a-z][a-z-]+", own)) - {"--graders"}
    assert named <= known
    assert known <= named


def test_the_page_names_every_field_that_columns_may_use():
    fields = set(exports.fields(Row("", "", "", Record("graded", lesson=6, points=1, out_of=1))))
    listed = PAGE.split("Columns of your own may use", 1)[1].split(";")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == fields


def test_links_within_the_page_lead_somewhere():
    heads = {
        re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-")
        for h in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= heads
    assert all((ROOT / "docs" / target).exists() for target in re.findall(r"\]\(([^)#:]+)\)", PAGE))


def test_the_ways_to_keep_one_of_two_submissions_are_those_of_the_page():
    assert all(
        f"`--keep {word}`" in PAGE or f"`{word}`" in PAGE
        for word in learners.KEEP
        if word != "newest"
    )


@pytest.mark.slow
def test_the_commands_of_the_page_work_as_written_in_a_clean_clone(tmp_path):
    clone, home = tmp_path / "clone", tmp_path / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    chosen = [
        k
        for k in pile()
        if k.name in ("right", "half", "open", "mistaken-03", "cut-off", "exit-in-cell")
    ]
    lay(clone / "submissions", chosen)
    environment = {**os.environ, "HOME": str(home), "OPENBLAS_NUM_THREADS": "1"}
    for name in ("VIRTUAL_ENV", "PYTHONPATH"):
        environment.pop(name, None)
    for line in "\n".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)).splitlines():
        done = subprocess.run(
            line,
            shell=True,
            cwd=clone,
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    document = json.loads((clone / "results.json").read_text("utf-8"))
    assert {s["learner"]: s["points"] for s in document["submissions"]} == {
        k.name: k.points for k in chosen
    }
    rows = list(csv.DictReader(io.StringIO((clone / "marks.csv").read_text("utf-8-sig"))))
    assert {r["learner"]: r["points"] for r in rows} == {
        k.name: "" if k.points is None else str(k.points) for k in chosen
    }
    assert len(list((clone / "feedback").iterdir())) == len(chosen)
    assert (clone / "canvas.csv").exists() and (clone / "moodle.csv").exists()
