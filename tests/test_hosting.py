"""Kits, the course's archive and the doctor, tried as far as a machine without the systems can.

Gradescope's folders are laid out as its documentation describes them; a workflow's steps are read
as YAML and run by bash as GitHub runs them. The slow ones make environments of their own.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
import yaml
from hostile import notebooks
from hostile.answers import WRONG
from typer.testing import CliRunner

from posenc import places
from posenc.authoring.handout import solution_lines
from posenc.cli import app
from posenc.hosting import doctor, kits, summary

ROOT = Path(__file__).resolve().parent.parent
# It reads what a learner may not see and writes a mark of its own beside the real one.
HOSTILE = """
import json, pathlib
for place in ("/autograder/results", "../results", "../../results"):
    folder = pathlib.Path(place)
    if folder.is_dir():
        (folder / "results.json").write_text(json.dumps({"score": 10}))
"""


def unpacked(kind: str, folder: Path) -> Path:
    """The kit of lesson 6, unpacked as the system would."""
    with zipfile.ZipFile(io.BytesIO(kits.zipped(kits.KINDS[kind](6)))) as archive:
        for entry in archive.infolist():
            path = Path(archive.extract(entry, folder))
            path.chmod(entry.external_attr >> 16 or 0o644)
    return folder


@pytest.mark.parametrize("kind", kits.KINDS)
def test_a_kit_holds_no_solution_and_is_the_same_twice(kind):
    files = kits.KINDS[kind](6)
    assert kits.zipped(files) == kits.zipped(kits.KINDS[kind](6))
    assert not [name for name in files if "solutions/" in name or name.endswith(".sqlite")]
    told = set(solution_lines(ROOT))
    notebooks_of_it = [content for name, content in files.items() if name.endswith(".ipynb")]
    for content in notebooks_of_it:
        code = "\n".join("".join(c["source"]) for c in json.loads(content)["cells"])
        assert not told & {line.strip() for line in code.splitlines()}


def test_a_kit_is_asked_for_by_command(tmp_path):
    made = CliRunner().invoke(app, ["kit", "github", "06", "--output", str(tmp_path / "kit.zip")])
    assert made.exit_code == 0 and zipfile.is_zipfile(tmp_path / "kit.zip")
    for words, says in ((["moodle", "6"], "gradescope, github"), (["github", "13"], "lesson '13'")):
        refused = CliRunner().invoke(app, ["kit", *words])
        assert refused.exit_code == 2 and says in refused.output


def test_the_needs_of_a_kit_are_those_of_the_course():
    told = kits._project()
    ours = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = dict(re.findall(r'"([a-z]+)>=([\d.]+)"', ours))
    asked = dict(re.findall(r'"([a-z]+)>=([\d.]+)"', told))
    assert {name: declared.get(name, low) for name, low in asked.items()} == asked


def test_a_summary_lets_no_text_of_a_learner_out_of_its_cell():
    verdict = {
        "challenge": "6.1", "outcome": "failed", "points": 0, "out_of": 2, "looks_like": "",
        "think": "", "reason": "ended in ValueError: |</td>![x](http://y)\n# z",
    }  # fmt: skip
    one = {"points": 0, "out_of": 2, "challenges": [verdict], "notes": []}
    row = summary.summary({"submissions": [one]}).splitlines()[-1]
    assert row.count("|") - row.count("\\|") == 5 and "\\!" not in row and "\\[x\\]" in row


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment in which a kit's own copy of the course is installed."""
    folder = tmp_path_factory.mktemp("classroom") / "environment"
    venv.create(folder, with_pip=True)
    return folder


def run(command, folder: Path, environment: Path | None = None, **more: str):
    """Run a command away from this course; what it said."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    path = f"{environment / 'bin'}{os.pathsep}{kept['PATH']}" if environment else kept["PATH"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=900, check=False,
        env=kept | {"PATH": path, **more},
    )  # fmt: skip


@pytest.mark.slow
def test_gradescope_grades_a_right_a_wrong_an_open_a_hostile_and_an_unreadable_upload(tmp_path):
    place = tmp_path / "autograder"
    source = unpacked("gradescope", place / "source")
    # No namespaces in such a container: as if Bubblewrap could not be had.
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("apt-get", "bwrap"):
        (tools / name).write_text("#!/bin/sh\nexit 1\n")
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    told = {"POSENC_AUTOGRADER": str(place), "PATH": path}
    made = run(["bash", source / "setup.sh"], tmp_path, **told)
    assert made.returncode == 0, made.stderr
    assert not (source / "course").exists()
    uploads = {
        "right": notebooks.exercise(),
        "wrong": notebooks.exercise(notebooks.but(a=WRONG["6.1"]["single-i"])),
        "open": notebooks.exercise({}),
        "hostile": notebooks.exercise({}, first=[HOSTILE]),
        "unreadable": b"<html>log in</html>",
    }
    scores = {}
    for name, upload in uploads.items():
        submission = place / "submission"
        shutil.rmtree(submission, ignore_errors=True)
        notebooks.write(submission / "06.ipynb", upload)
        shutil.rmtree(place / "results", ignore_errors=True)
        ran = run(["bash", source / "run_autograder"], place, **told)
        result = json.loads((place / "results" / "results.json").read_text(encoding="utf-8"))
        scores[name] = result
        assert os.listdir(place / "results") == ["results.json"], ran.stdout
    points = {
        name: sum(t.get("score", 0) for t in r.get("tests", [])) for name, r in scores.items()
    }
    assert points == {"right": 10, "wrong": 8, "open": 0, "hostile": 0, "unreadable": 0}
    wrong = scores["wrong"]["tests"]
    assert all(re.match(r"6\.\d .*\w", test["name"]) for test in wrong)
    assert any("It looks as if" in test.get("output", "") for test in wrong)
    assert all(r.get("visibility", "visible") == "visible" for r in scores.values())
    assert "a page to log in" in scores["unreadable"]["output"]


@pytest.mark.slow
def test_the_workflow_grades_a_push_and_says_so_in_the_summary(tmp_path, environment):
    folder = unpacked("github", tmp_path / "repository")
    workflow = yaml.safe_load((folder / ".github" / "workflows" / "grade.yml").read_text())
    assert set(workflow[True]) == {"push", "workflow_dispatch"}
    notebooks.write(
        folder / "06_sinusoidal_encoding.ipynb",
        notebooks.exercise(notebooks.but(a=WRONG["6.1"]["single-i"])),
    )
    told = {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    steps = [step for step in workflow["jobs"]["grade"]["steps"] if "run" in step]
    for step in steps:
        ran = run(["bash", "-e", "-c", step["run"]], folder, environment, **told)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    said = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "**8 of 10 points**" in said and "It looks as if" in said


@pytest.mark.slow
def test_the_archive_alone_is_enough_for_a_learner(tmp_path, environment):
    built = tmp_path / "built"
    copy = tmp_path / "copy"
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    ran = run([sys.executable, "-m", "build", "--wheel", "-o", built, copy], tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (archive,) = built.glob("posenc-*.whl")
    names = zipfile.ZipFile(archive).namelist()
    assert not [name for name in names if "/solutions/" in name or name.startswith("tests/")]
    fresh = tmp_path / "fresh"
    venv.create(fresh, with_pip=True)
    home = {"HOME": str(tmp_path / "home")}
    assert run(["pip", "install", "-q", archive], tmp_path, fresh, **home).returncode == 0
    started = run(["posenc", "start"], tmp_path, fresh, **home)
    assert started.returncode == 0, started.stderr
    lessons = tmp_path / "home" / "posenc-course" / "my-course"
    execute = ["jupyter", "execute", "--inplace", "06_sinusoidal_encoding.ipynb"]
    ran = run(execute, lessons, fresh, **home)
    assert ran.returncode == 0, ran.stderr
    lesson = (lessons / "06_sinusoidal_encoding.ipynb").read_text(encoding="utf-8")
    assert "6.1 The speeds: not attempted" in lesson
    extensions = run(["jupyter", "server", "extension", "list"], lessons, fresh, **home)
    assert re.search(r"posenc\.learning\.server.*enabled", extensions.stdout + extensions.stderr)


@pytest.mark.slow
def test_binders_steps_make_lessons_and_enable_what_keeps_pictures(tmp_path):
    clone = tmp_path / "clone"
    done = run(["git", "clone", "-q", ROOT, clone], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "-e ." in (clone / "environment.yml").read_text(encoding="utf-8")
    fresh = tmp_path / "fresh"
    venv.create(fresh, with_pip=True)
    home = {"HOME": str(tmp_path)}
    assert run(["pip", "install", "-q", "-e", "."], clone, fresh, **home).returncode == 0
    built = run(["bash", "./postBuild"], clone, fresh, **home)
    assert built.returncode == 0, built.stderr
    assert (clone / "my-course" / "Start.md").is_file()
    extensions = run(["jupyter", "server", "extension", "list"], clone, fresh, **home)
    assert re.search(r"posenc\.learning\.server.*enabled", extensions.stdout + extensions.stderr)


@pytest.mark.slow
def test_an_update_by_nbgitpuller_keeps_what_a_learner_changed(tmp_path, environment):
    installed = run(["pip", "install", "-q", "nbgitpuller"], tmp_path, environment)
    assert installed.returncode == 0, installed.stderr
    upstream, home = tmp_path / "upstream", tmp_path / "home"
    (upstream / "notebooks").mkdir(parents=True)
    home.mkdir()

    def lesson(name: str, said: str) -> None:
        cells = [notebooks.text("# Lesson"), notebooks.code(said)]
        notebooks.write(upstream / "notebooks" / name, notebooks.exercise({}) | {"cells": cells})

    def git(*words: str) -> None:
        named = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = run(["git", *named, *words], upstream)
        assert done.returncode == 0, done.stderr

    def pull() -> None:
        done = run(["gitpuller", upstream.as_uri(), "main", "course"], home, environment)
        assert done.returncode == 0, done.stdout + done.stderr

    lesson("06.ipynb", "first = 1")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "first")
    pull()
    mine = home / "course" / "notebooks" / "06.ipynb"
    mine.write_text(mine.read_text().replace("first = 1", "mine = 1"))
    lesson("06.ipynb", "first = 2")
    lesson("07.ipynb", "new = 1")
    git("add", "-A")
    git("commit", "-qm", "second")
    pull()
    assert "mine = 1" in mine.read_text() and json.loads(mine.read_text())["nbformat"] == 4
    assert (home / "course" / "notebooks" / "07.ipynb").is_file()


def test_the_doctor_says_one_line_for_each_thing_and_what_to_do():
    said = CliRunner().invoke(app, ["doctor"])
    lines = said.output.splitlines()
    assert all(line[:4] in ("ok  ", "look") for line in lines)
    assert {"Python", "numpy", "widgets", "memory", "grading"} <= {li.split()[1] for li in lines}
    assert said.exit_code == (1 if any(line.startswith("look") for line in lines) else 0)


def test_the_doctor_names_what_is_missing_and_how_to_get_it(monkeypatch):
    monkeypatch.setattr(doctor, "_required", lambda: [("no-such-package", "1.2"), ("numpy", "99")])
    missing, old = doctor._packages()
    assert "pip install 'no-such-package>=1.2'" in missing.line() and not missing.well
    assert "below 99" in old.line() and not old.well


def test_a_check_of_the_doctor_that_fails_is_a_line():
    def _broken():
        raise OSError("no such thing")
        yield

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(doctor, "CHECKS", (_broken,))
        (finding,) = doctor.findings()
    assert not finding.well and "no such thing" in finding.line()


def test_an_installed_course_is_worked_on_in_a_folder_of_the_learner(monkeypatch, tmp_path):
    (tmp_path / "share" / "notebooks").mkdir(parents=True)
    monkeypatch.setattr(places, "beside_package", lambda: tmp_path / "site-packages")
    monkeypatch.setattr(places, "installed_course", lambda: tmp_path / "share")
    assert places.course_folder() == tmp_path / "share"
    assert places.default_folder() == places.user_folder() / "my-course"
