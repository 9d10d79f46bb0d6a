"""nbgrader releases, autogrades and exports the exercises as they are, with the points of ours.

nbgrader is installed into an environment of its own, so that the course does not depend on it.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from hostile.answers import WRONG

from posenc import lessons
from posenc.authoring import sources

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
CHOSEN = (5, 6)
# What the database of nbgrader holds of each submission, printed as JSON by its own Python.
SCORES = """
import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    print(json.dumps([
        [assignment.name, s.student.id, grade.cell.name, grade.auto_score, grade.needs_manual_grade]
        for assignment in book.assignments for s in book.assignment_submissions(assignment.name)
        for notebook in s.notebooks for grade in notebook.grades
    ]))
"""
NOISY = """
import sys
import warnings

def _noisy(function):
    def loud(*args, **kwargs):
        print("a word on stderr", file=sys.stderr)
        warnings.warn("a warning")
        return function(*args, **kwargs)
    return loud

{name} = _noisy({name})
"""
WRONG_ANSWERS = {
    "5.1": "def gray_code(length, bits):\n    return [[p] * bits for p in range(length)]",
    "5.2": "def pairs_needed(frequencies, length):\n    raise RuntimeError('not yet')",
    "6.1": WRONG["6.1"]["single-i"],
    # What is no Python leaves its function undefined: the check then ends in a NameError.
    "6.2": "def sinusoidal(length, width, base=10000.0)\n    return 1",
}


def answers(number):
    """The author's answers of a lesson, by challenge."""
    cells = sources.read(ROOT / "solutions" / f"{lessons.lesson(number).stem}.py").cells
    return {c.challenge: sources.answered(c.text) for c in cells if "challenge" in c.tags}


def solved(number):
    return answers(number)


def wrong(number):
    return {**answers(number), **{i: w for i, w in WRONG_ANSWERS.items() if i in answers(number)}}


def unanswered(number):
    return {}


def noisy(number):
    """Right answers that write to stderr whenever they are called."""
    return {
        id: code + NOISY.format(name=lessons.challenge(id).name)
        if not code.startswith("class")
        else code
        for id, code in answers(number).items()
    }


STUDENTS = {"solved": solved, "wrong": wrong, "open": unanswered, "noisy": noisy}


@pytest.fixture(scope="module")
def nbgrader(tmp_path_factory):
    """nbgrader(*words): run the program in a course of its own, made for the purpose."""
    folder = tmp_path_factory.mktemp("nbgrader")
    venv.EnvBuilder(with_pip=True, symlinks=os.name != "nt").create(folder / "venv")
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    course = folder / "course"
    course.mkdir()
    (folder / "home").mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "PYTHON"))}
    # nbgrader looks for a program of its own, alembic, on PATH.
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"
    environment |= {"HOME": str(folder / "home"), "JUPYTER_PREFER_ENV_PATH": "1", "PATH": path}

    def run(program, *words):
        done = subprocess.run(
            [str(programs / program), *map(str, words)],
            cwd=course,
            env=environment,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
        return done.stdout

    run("python", "-m", "pip", "install", "-q", "nbgrader", *project["dependencies"])
    # As `pip install -e` would, without leaving files in the course.
    where = run("python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    (Path(where) / "posenc-course.pth").write_text(f"{ROOT}\n", encoding="utf-8")
    run.course = course
    return run


@pytest.fixture(scope="module")
def graded(nbgrader):
    """The course after release, submission and autograding."""
    course = nbgrader.course
    for number in CHOSEN:
        stem = lessons.lesson(number).stem
        source = course / "source" / stem / f"{stem}.ipynb"
        source.parent.mkdir(parents=True)
        source.write_bytes((ROOT / "exercises" / f"{stem}.ipynb").read_bytes())
        nbgrader("nbgrader", "generate_assignment", stem)
        released = json.loads((course / "release" / stem / f"{stem}.ipynb").read_text("utf-8"))
        for student, work in STUDENTS.items():
            path = course / "submitted" / student / stem / f"{stem}.ipynb"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(filled(released, work(number))), encoding="utf-8")
        nbgrader("nbgrader", "autograde", stem)
    return nbgrader


def filled(notebook, work):
    """The released notebook with some of its challenges answered, as a learner would."""
    made = json.loads(json.dumps(notebook))
    for cell in made["cells"]:
        id = cell["metadata"].get("posenc", {}).get("challenge")
        if "challenge" in cell["metadata"].get("tags", []) and id in work:
            cell["source"] = work[id]
    return made


@pytest.fixture(scope="module")
def by_nbgrader(graded):
    """Points by lesson, student and challenge, as nbgrader gave them."""
    found = {}
    rows = json.loads(graded("python", "-c", SCORES))
    for assignment, student, cell, points, needs_hand in rows:
        assert not needs_hand, f"{cell} waits for a human"
        found[int(assignment[:2]), student, cell.removeprefix("check-").replace("-", ".")] = points
    return found


@pytest.fixture(scope="module")
def by_posenc(graded, tmp_path_factory):
    """The same, as `posenc grade` gave them, on the files that nbgrader collected."""
    target = tmp_path_factory.mktemp("posenc") / "results.json"
    words = [sys.executable, "-m", "posenc", "grade", graded.course / "submitted"]
    words += ["--json", target, "--store", target.with_suffix(".sqlite")]
    subprocess.run([*map(str, words)], check=True, capture_output=True, timeout=300)
    return {
        (s["lesson"], s["learner"], v["challenge"]): v["points"]
        for s in json.loads(target.read_text(encoding="utf-8"))["submissions"]
        for v in s["challenges"]
    }


def test_release_keeps_every_challenge_open_and_every_check_graded(graded):
    for number in CHOSEN:
        stem = lessons.lesson(number).stem
        before = json.loads((ROOT / "exercises" / f"{stem}.ipynb").read_text(encoding="utf-8"))
        after = json.loads((graded.course / "release" / stem / f"{stem}.ipynb").read_text("utf-8"))
        assert ["".join(c["source"]) for c in before["cells"]] == [
            "".join(c["source"]) for c in after["cells"]
        ]
        graded_cells = [c for c in after["cells"] if c["metadata"].get("nbgrader", {}).get("grade")]
        assert len(graded_cells) == len(lessons.challenges(number))


def test_both_graders_give_the_same_points_for_every_challenge(by_nbgrader, by_posenc):
    assert by_nbgrader == by_posenc
    challenges = sum(len(lessons.challenges(number)) for number in CHOSEN)
    assert len(by_nbgrader) == challenges * len(STUDENTS)


def test_the_points_are_those_that_the_work_deserves(by_nbgrader):
    for (_, student, id), points in by_nbgrader.items():
        right = student in ("solved", "noisy")
        if student == "wrong":
            # 6.3 and 6.4 call the answers that are wrong or missing.
            right = id not in WRONG_ANSWERS and id not in ("6.3", "6.4")
        assert points == (lessons.challenge(id).points if right else 0), (student, id)


def test_the_exported_table_holds_the_sums(graded, by_posenc):
    graded("nbgrader", "export", "--to", "grades.csv")
    with open(graded.course / "grades.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(CHOSEN) * len(STUDENTS)
    for row in rows:
        number = int(row["assignment"][:2])
        own = [p for (n, s, _), p in by_posenc.items() if (n, s) == (number, row["student_id"])]
        assert float(row["score"]) == sum(own)
        assert float(row["max_score"]) == 10


def test_nothing_of_a_check_reaches_stderr_under_nbgrader(graded):
    """nbgrader gives no points to a cell that wrote there: one word costs a right answer."""
    for path in (graded.course / "autograded" / "noisy").rglob("*.ipynb"):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade"):
                kinds = [(o["output_type"], o.get("name")) for o in cell["outputs"]]
                assert kinds == [("execute_result", None)], path
