"""The handout holds no line of a solution, is the same each time, and runs by the two commands."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from test_course import opened_in_jupyterlab

from posenc import errors, lessons
from posenc.authoring import handout, sources

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The zip, as the command makes it."""
    target = tmp_path_factory.mktemp("out") / "handout.zip"
    done = posenc(ROOT, "handout", "--output", target)
    assert done.returncode == 0, done.stderr
    assert "12 lessons" in done.stdout and "a reference for each" in done.stdout
    return target


@pytest.fixture(scope="module")
def unpacked(made, tmp_path_factory):
    """Where a learner unpacked it: a clean folder with a blank and an umlaut in its path."""
    folder = tmp_path_factory.mktemp("learner") / "mein Kurs – ü"
    with zipfile.ZipFile(made) as archive:
        archive.extractall(folder)
    return folder / handout.FOLDER


def posenc(folder, *words):
    """Run a command of the package that lies in `folder`."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "posenc", *map(str, words)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def names(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def answers():
    """Each challenge's answer, whole, from the lessons' sources."""
    for each in lessons.LESSONS:
        for cell in sources.read(ROOT / "solutions" / f"{each.stem}.py").cells:
            if "challenge" in cell.tags:
                yield cell.challenge, sources.answered(cell.text)


# ------------------------------------------------------------------ what is in it, and what is not


def test_what_a_learner_needs_is_in_it(unpacked):
    found = names(unpacked)
    assert set(handout.WHOLE_FILES) | {"README.md"} <= found
    for each in lessons.LESSONS:
        assert {f"notebooks/{each.stem}.ipynb", f"exercises/{each.stem}.ipynb"} <= found
    package = {
        p.relative_to(ROOT).as_posix()
        for p in (ROOT / "posenc").rglob("*.py")
        if "__pycache__" not in p.parts
    }
    assert {name for name in found if re.match(r"posenc/.+\.py$", name)} == package


def test_nothing_of_the_instructor_is_in_it(unpacked):
    for name in names(unpacked):
        assert not re.match(r"solutions/|tests/(variants|hostile|browser|data)/|build/|\.", name)
        assert not name.endswith((".pyc", ".sqlite")) and "docs/teaching" not in name
    for path in unpacked.rglob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        assert notebook["metadata"]["posenc"]["edition"] in ("learner", "exercise")
        tags = {tag for cell in notebook["cells"] for tag in cell["metadata"].get("tags", [])}
        assert "instructor" not in tags


def test_no_line_of_a_solution_is_outside_the_package(unpacked):
    """Read from the unpacked files in a way of its own, not by what the command checks with."""
    lines = handout.solution_lines(ROOT)
    assert len(lines) > 100
    for path in unpacked.rglob("*"):
        if path.is_file() and "posenc" not in path.relative_to(unpacked).parts:
            text = re.sub(r'\\"', '"', path.read_text(encoding="utf-8"))
            assert [line for line in lines if line in text] == [], path.name


def test_no_answer_is_anywhere_as_it_stands(unpacked):
    """Not in the package either: what is there was written for judging."""
    bodies = {id: body_of(code) for id, code in answers()}
    assert len(bodies) == sum(len(lessons.challenges(each.number)) for each in lessons.LESSONS)
    found = set()
    for path in unpacked.rglob("*.py"):
        text = squeezed(path.read_text(encoding="utf-8"))
        found |= {id for id, body in bodies.items() if body in text}
    for path in unpacked.rglob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = squeezed("\n".join("".join(cell["source"]) for cell in cells))
        found |= {id for id, body in bodies.items() if body in text}
    assert found == set()


def body_of(code):
    """The statements of an answer without its head and docstrings, as one line without blanks."""
    tree = ast.parse(code)
    return squeezed("\n".join(ast.unparse(node) for node in tree.body))


def squeezed(text):
    """Code without blanks and docstrings, so that laying it out anew does not hide it."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return re.sub(r"\s+", "", text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            if isinstance(getattr(body[0], "value", None), ast.Constant) and len(body) > 1:
                del body[0]
    return re.sub(r"\s+", "", ast.unparse(tree))


def test_the_readme_says_what_a_determined_learner_finds(unpacked):
    text = (unpacked / "README.md").read_text(encoding="utf-8")
    assert "`posenc/lessons/` finds a reference for every challenge" in text
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (unpacked / link).is_file(), link


@pytest.mark.parametrize("page", ["questions", "symbols", "start"])
def test_links_of_its_pages_lead_somewhere(page, unpacked):
    path = unpacked / "docs" / f"{page}.md"
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        if not re.match(r"\w+:", target):
            assert (path.parent / target).exists(), target


# ------------------------------------------------------------------ the zip


def test_two_runs_give_the_same_bytes(made, tmp_path):
    again = handout.make(ROOT, tmp_path / "again.zip")
    assert again.path.read_bytes() == made.read_bytes()


def test_no_date_owner_or_path_of_this_machine_is_in_it(made):
    with zipfile.ZipFile(made) as archive:
        entries = archive.infolist()
        assert [e.filename for e in entries] == sorted(e.filename for e in entries)
        assert {e.date_time for e in entries} == {handout.DATE}
        assert {e.filename.split("/")[0] for e in entries} == {handout.FOLDER}
        rights = {e.filename.split("/", 1)[1]: e.external_attr >> 16 for e in entries}
    assert rights["course.py"] == 0o100755 and rights["README.md"] == 0o100644
    assert str(ROOT).encode() not in made.read_bytes()


# ------------------------------------------------------------------ when it cannot be made


@pytest.fixture
def course(tmp_path):
    """A copy of the course to spoil."""
    folder = tmp_path / "course"
    waste = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in ("notebooks", "exercises", "solutions", "docs", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=waste)
    (folder / "posenc").mkdir()
    for name in ("course.py", "pyproject.toml", "environment.yml", "LICENSE", "LICENSE-TEXT"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def refused(course, tmp_path, says):
    target = tmp_path / "never.zip"
    with pytest.raises(errors.CourseError, match=says):
        handout.make(course, target)
    assert not target.exists()


def test_a_solved_notebook_in_the_wrong_place_is_refused(course, tmp_path):
    stem = "06_sinusoidal_encoding"
    shutil.copy(course / "solutions" / f"{stem}.ipynb", course / "notebooks" / f"{stem}.ipynb")
    refused(course, tmp_path, "learner edition")


def test_a_notebook_that_shows_a_solution_is_refused_by_its_line(course, tmp_path):
    line = next(iter(handout.solution_lines(course)))
    path = course / "exercises" / "06_sinusoidal_encoding.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][-1]["source"] = ["# so:\n", f"    {line}\n"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    refused(course, tmp_path, f"06_sinusoidal_encoding.ipynb holds .*{re.escape(line)}")


def test_a_page_that_shows_a_solution_is_refused(course, tmp_path):
    line = next(iter(handout.solution_lines(course)))
    with open(course / "docs" / "symbols.md", "a", encoding="utf-8") as page:
        page.write(f"\n`{line}`\n")
    refused(course, tmp_path, "symbols.md")


def test_a_missing_notebook_is_named(course, tmp_path):
    (course / "notebooks" / "08_norm_and_distance.ipynb").unlink()
    refused(course, tmp_path, "08_norm_and_distance.ipynb is missing; `posenc build`")


def test_a_handout_makes_no_handout_and_knows_no_solution(unpacked):
    done = posenc(unpacked, "handout")
    assert done.returncode == 1 and "a handout already" in done.stderr
    code = 'from posenc.classroom import solution; print(solution("6.2"))'
    shown = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=unpacked,
    )
    assert "no solution in this copy" in shown.stdout
    assert posenc(unpacked, "timetable").returncode == 0


# ------------------------------------------------------------------ for real


def course_py(folder, environment, *words):
    return subprocess.run(
        [sys.executable, "course.py", *words],
        cwd=folder,
        env=environment,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=1200,
        check=False,
    )


@pytest.mark.slow
def test_both_commands_run_in_a_clean_folder(made, tmp_path):
    with zipfile.ZipFile(made) as archive:
        archive.extractall(tmp_path / "mein Kurs – ü")
    folder = tmp_path / "mein Kurs – ü" / handout.FOLDER
    home = tmp_path / "home"
    home.mkdir()
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
    environment |= {"HOME": str(home), "USERPROFILE": str(home)}

    tested = course_py(folder, environment, "test")
    assert tested.returncode == 0, tested.stdout[-3000:]
    passed = re.search(r"(\d+) passed", tested.stdout)
    assert passed and int(passed[1]) > 24 and "failed" not in tested.stdout

    with opened_in_jupyterlab(folder, environment):
        assert len(list((folder / "my-course").glob("*.ipynb"))) == len(lessons.LESSONS)
