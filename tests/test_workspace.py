"""The working folder: lessons come in, and whatever the learner did stays."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sys
from datetime import datetime

import nbformat
import pytest
from typer.testing import CliRunner

from posenc import errors, files, places
from posenc.cli import app
from posenc.learning import handin, workspace

LESSONS = ("01_order_problem.ipynb", "06_sinusoidal_encoding.ipynb")
COMMANDS = CliRunner()


@pytest.fixture(autouse=True)
def called_as_posenc(monkeypatch):
    """Messages name the command as it was called, and course.py may have called these tests."""
    monkeypatch.delenv("POSENC_CALLED_AS", raising=False)


# A small course


def markdown(source, **about):
    return {"cell_type": "markdown", "source": source, "metadata": metadata(about)}


def code(source, **about):
    return {
        "cell_type": "code", "source": source, "metadata": metadata(about),
        "outputs": [], "execution_count": None,
    }  # fmt: skip


def metadata(about):
    found = {"tags": about.pop("tags")} if "tags" in about else {}
    return found | ({"posenc": about} if about else {})


def notebook(cells, **about):
    cells = [cell | {"id": f"cell-{place}"} for place, cell in enumerate(cells)]
    return {
        "cells": cells, "metadata": {"posenc": about}, "nbformat": 4, "nbformat_minor": 5
    }  # fmt: skip


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


STUB = 'def {0}(width):\n    """What to do."""\n    return ...'


def challenge_cells(challenge, function):
    return [
        markdown(f"### Challenge {challenge}", tags=["challenge-text"], challenge=challenge),
        code(STUB.format(function), tags=["challenge"], challenge=challenge),
        code(f'check("{challenge}", {function})', tags=["check"], challenge=challenge),
    ]


@pytest.fixture
def course(tmp_path):
    """A course with two lessons and the exercise of lesson 6, on a path that learners have."""
    folder = tmp_path / "mein Kurs – ü"
    for name, title in zip(LESSONS, ("Order", "The construction"), strict=True):
        cells = [
            markdown(f"# {title}\n"),
            code("import math\nimport numpy as np"),
            markdown("## Challenges"),
            *challenge_cells("6.1", "frequencies"),
            *challenge_cells("6.2", "sinusoidal"),
            markdown("## Recap"),
        ]
        about = {"lesson": int(name[:2]), "title": title, "minutes": 40, "sha256": "first"}
        write(folder / "notebooks" / name, notebook(cells, **about))
    cells = [
        code("import numpy as np\nfrom posenc.classroom import check", tags=["head"]),
        *challenge_cells("6.1", "frequencies"),
        *challenge_cells("6.2", "sinusoidal"),
    ]
    exercise = notebook(cells, lesson=6, version="1.0.0")
    exercise["cells"] = [cell | {"id": f"exercise-{cell['id']}"} for cell in exercise["cells"]]
    write(folder / "exercises" / LESSONS[1], exercise)
    return folder


@pytest.fixture
def work(course):
    workspace.prepare(course / "my-course", course / "notebooks")
    return course / "my-course"


def edit(path, text="# the learner's"):
    content = read(path)
    content["cells"].append(code(text) | {"id": "learner"})
    write(path, content)
    return path.read_bytes()


def update(course, name=LESSONS[1], edition="second"):
    """Change a lesson as an update of the course does; return the new bytes."""
    path = course / "notebooks" / name
    content = read(path)
    content["metadata"]["posenc"]["sha256"] = edition
    content["cells"][0]["source"] += edition
    write(path, content)
    return path.read_bytes()


# Bringing lessons


def test_lessons_and_a_start_page_are_copied(course):
    prepared = workspace.prepare(course / "my-course", course / "notebooks")
    assert prepared.new == [*LESSONS, "Start.md"]
    for name in LESSONS:
        assert (prepared.folder / name).read_bytes() == (course / "notebooks" / name).read_bytes()
    assert (prepared.folder / places.MARKER).is_file()


def test_a_second_time_changes_nothing(course, work):
    before = {path.name: path.read_bytes() for path in work.iterdir()}
    prepared = workspace.prepare(work, course / "notebooks")
    assert (prepared.new, prepared.renewed, prepared.offered) == ([], [], {})
    assert {path.name: path.read_bytes() for path in work.iterdir()} == before


def test_a_lesson_that_was_not_touched_is_renewed(course, work):
    new = update(course)
    prepared = workspace.prepare(work, course / "notebooks")
    assert LESSONS[1] in prepared.renewed and not prepared.offered
    assert (work / LESSONS[1]).read_bytes() == new


def test_an_edited_lesson_stays_and_the_new_one_lies_beside_it_once(course, work):
    mine = edit(work / LESSONS[1])
    assert workspace.prepare(work, course / "notebooks").offered == {}
    new = update(course)
    beside = "06_sinusoidal_encoding (new version).ipynb"
    assert workspace.prepare(work, course / "notebooks").offered == {LESSONS[1]: beside}
    assert (work / LESSONS[1]).read_bytes() == mine
    assert (work / beside).read_bytes() == new
    assert workspace.prepare(work, course / "notebooks").offered == {}
    (work / beside).unlink()
    assert workspace.prepare(work, course / "notebooks").offered == {}, "it was offered already"


def test_a_second_update_replaces_an_offer_only_if_that_is_untouched(course, work):
    edit(work / LESSONS[1])
    update(course)
    workspace.prepare(work, course / "notebooks")
    third = update(course, edition="third")
    beside = workspace.prepare(work, course / "notebooks").offered[LESSONS[1]]
    assert beside == "06_sinusoidal_encoding (new version).ipynb"
    assert (work / beside).read_bytes() == third
    mine = edit(work / beside)
    update(course, edition="fourth")
    other = workspace.prepare(work, course / "notebooks").offered[LESSONS[1]]
    assert other == "06_sinusoidal_encoding (new version 2).ipynb"
    assert (work / beside).read_bytes() == mine


def test_taking_the_new_version_ends_the_offers(course, work):
    edit(work / LESSONS[1])
    new = update(course)
    beside = workspace.prepare(work, course / "notebooks").offered[LESSONS[1]]
    (work / beside).replace(work / LESSONS[1])
    assert workspace.prepare(work, course / "notebooks").offered == {}
    update(course, edition="third")
    assert LESSONS[1] in workspace.prepare(work, course / "notebooks").renewed
    assert (work / LESSONS[1]).read_bytes() != new


def test_a_lesson_that_was_removed_comes_back(course, work):
    (work / LESSONS[0]).unlink()
    assert workspace.prepare(work, course / "notebooks").new == [LESSONS[0]]


def test_files_of_the_learner_are_left_alone(course):
    folder = course / "my-course"
    write(folder / LESSONS[0], {"mine": True})
    (folder / "notes.txt").write_text("mine")
    prepared = workspace.prepare(folder, course / "notebooks")
    assert read(folder / LESSONS[0]) == {"mine": True}
    assert (folder / "notes.txt").read_text() == "mine"
    assert list(prepared.offered) == [LESSONS[0]]


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[1]", b'{"shipped": 3}', b'{"shipped": {"a": 3}}', b"\xff\xfe\x00"]
)
def test_a_damaged_record_stops_nothing_and_loses_nothing(course, work, damage):
    mine = edit(work / LESSONS[1])
    (work / places.MARKER).write_bytes(damage)
    prepared = workspace.prepare(work, course / "notebooks")
    assert (work / LESSONS[1]).read_bytes() == mine
    assert prepared.offered == {}, "the notebook itself says that it is of this edition"
    assert workspace.Record.read(work).editions.keys() >= set(LESSONS)
    (work / places.MARKER).write_bytes(damage)
    update(course)
    assert list(workspace.prepare(work, course / "notebooks").offered) == [LESSONS[1]]
    assert (work / LESSONS[1]).read_bytes() == mine


def test_the_start_page_lists_the_lessons(course, work):
    (course / "docs").mkdir()
    (course / "docs" / "start.md").write_text("# Welcome\n\n<!-- lessons -->\n\nEnd.\n")
    workspace.prepare(work, course / "notebooks")
    page = (work / "Start.md").read_text(encoding="utf-8")
    assert "| 6 | [The construction](06_sinusoidal_encoding.ipynb) | 40 |" in page
    assert page.startswith("# Welcome") and page.endswith("End.\n")


def test_the_start_page_of_a_working_folder_says_what_is_done_and_where_to_go_on(tmp_path):
    workspace.prepare(tmp_path / "mine")
    page = tmp_path / "mine" / "Start.md"
    first = page.read_text(encoding="utf-8")
    assert "**Begin with [lesson 1]" in first and first.count("data:image/png") == 12
    passed = {"6.1": {"outcome": "passed", "points": 2, "when": ""}}
    (tmp_path / "mine" / "progress.json").write_text(json.dumps({"challenges": passed}))
    again = workspace.prepare(tmp_path / "mine")
    assert (again.new, again.renewed, again.offered) == ([], [], {})
    then = page.read_text(encoding="utf-8")
    assert "**Go on with [lesson 6]" in then and "| 1 of 4 challenges, 0 of 5 questions |" in then
    for line in then.splitlines():
        if ".ipynb) |" in line:
            assert len(line.split(" | ")[3]) > 40, "a sentence for each lesson"


def test_the_table_of_symbols_comes_along(course):
    (course / "docs").mkdir()
    (course / "docs" / "symbols.md").write_text("# Symbols\n", encoding="utf-8")
    prepared = workspace.prepare(course / "my-course", course / "notebooks")
    assert prepared.new == [*LESSONS, "Start.md", "Symbols.md"]
    page = (course / "my-course" / "Start.md").read_text(encoding="utf-8")
    assert "[Symbols](Symbols.md)" in page
    # A course that was handed out without docs/ has it beside the notebooks.
    (course / "docs" / "symbols.md").rename(course / "notebooks" / "Symbols.md")
    assert workspace.prepare(course / "other", course / "notebooks").new[-1] == "Symbols.md"


def test_titles_and_minutes_come_from_the_cells_where_the_metadata_lack_them(course):
    path = course / "notebooks" / LESSONS[0]
    content = read(path)
    content["metadata"] = {}
    content["cells"][0] = markdown("# Lesson 1 · Order", minutes=3)
    write(path, content)
    assert "| 1 | [Order](01_order_problem.ipynb) |" in workspace.start_page(path.parent).decode()


def test_the_courses_own_start_page_names_every_lesson():
    editions = places.course_folder() / "notebooks"
    page = workspace.start_page(editions).decode()
    linked = re.findall(r"\]\((\S+\.ipynb)\)", page)
    assert linked == places.lesson_names(editions) != []
    assert "<!--" not in page


@pytest.mark.parametrize("name", ["", "notebooks", "exercises", "posenc"])
def test_folders_of_the_course_itself_are_refused(course, name):
    with pytest.raises(errors.CourseError, match="belongs to the course"):
        workspace.prepare(course / name, course / "notebooks")


def test_a_file_in_the_way_is_named(course):
    (course / "my-course").write_text("mine")
    with pytest.raises(errors.CourseError, match="is a file"):
        workspace.prepare(course / "my-course", course / "notebooks")
    (course / "other" / LESSONS[0]).mkdir(parents=True)
    with pytest.raises(errors.CourseError, match="is a folder"):
        workspace.prepare(course / "other", course / "notebooks")


def test_a_folder_that_cannot_be_written_to_is_named(course, monkeypatch):
    monkeypatch.setattr(workspace, "can_write_in", lambda folder: False)
    with pytest.raises(errors.CourseError, match="cannot be written to"):
        workspace.prepare(course / "my-course", course / "notebooks")


def _prepare_often(folder, editions):
    for _ in range(20):
        workspace.prepare(folder, editions)


def test_twice_at_once_is_as_once(course, work):
    mine = edit(work / LESSONS[1])
    update(course)
    several = multiprocessing.get_context("spawn")
    others = [
        several.Process(target=_prepare_often, args=(work, course / "notebooks")) for _ in range(2)
    ]
    for other in others:
        other.start()
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0, 0]
    assert (work / LESSONS[1]).read_bytes() == mine
    assert sorted(path.name for path in work.glob("06*")) == [
        "06_sinusoidal_encoding (new version).ipynb", LESSONS[1]
    ]  # fmt: skip
    assert not list(work.glob("*.part")) and not list(work.glob(".*.part"))
    assert read(work / places.MARKER)["offered"].keys() == {LESSONS[1]}


def test_another_python_renews_in_silence_and_offers_nothing(course, monkeypatch):
    for name in LESSONS:
        content = read(course / "notebooks" / name)
        content["metadata"]["language_info"] = {"name": "python"}
        write(course / "notebooks" / name, content)
    work = course / "my-course"
    workspace.prepare(work, course / "notebooks")
    mine = edit(work / LESSONS[1])
    monkeypatch.setattr(sys, "version", "3.99.1 (main)")
    prepared = workspace.prepare(work, course / "notebooks")
    assert (prepared.new, prepared.renewed, prepared.offered) == ([], [], {})
    assert read(work / LESSONS[0])["metadata"]["language_info"]["version"] == "3.99.1"
    assert (work / LESSONS[1]).read_bytes() == mine


# Places


def test_the_working_folder_is_found_from_inside_it(work, monkeypatch):
    inside = work / "deep" / "er"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    assert places.find_folder() == work.resolve()


def test_without_one_it_is_my_course_in_the_course_or_the_users(course, monkeypatch, tmp_path):
    monkeypatch.setattr(places, "course_folder", lambda: course)
    assert places.find_folder(tmp_path) == course / "my-course"
    monkeypatch.setattr(places, "can_write_in", lambda folder: False)
    assert places.find_folder(tmp_path) == places.user_folder() / "my-course"
    elsewhere = workspace.Prepared(places.user_folder() / "my-course")
    assert "cannot be written to" in elsewhere.describe()


@pytest.mark.parametrize(
    "asked", [6, "6", "06", "06_sinusoidal_encoding", "sinusoidal_encoding.ipynb"]
)
def test_a_lesson_is_found_by_number_or_name(course, asked):
    assert places.lesson_name(asked, course / "notebooks") == LESSONS[1]


@pytest.mark.parametrize("asked", ["13", "0", "6.2", "", "-6", "²"])
def test_a_lesson_that_there_is_not_is_named_with_those_that_there_are(course, asked):
    with pytest.raises(errors.NotUnderstood, match=f"{re.escape(repr(asked))}.* 1, 6"):
        places.lesson_name(asked, course / "notebooks")


# Going back


def test_reset_keeps_the_learners_copy(course, work):
    mine = edit(work / LESSONS[1])
    done = workspace.reset(6, work, course / "notebooks")
    assert (work / LESSONS[1]).read_bytes() == (course / "notebooks" / LESSONS[1]).read_bytes()
    assert done.backup.read_bytes() == mine
    dated = r"06_sinusoidal_encoding \(backup \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\)\.ipynb"
    assert re.fullmatch(dated, done.backup.name)
    again = edit(work / LESSONS[1], "# other")
    assert workspace.reset(6, work, course / "notebooks").backup.read_bytes() == again
    assert done.backup.read_bytes() == mine


def test_reset_of_an_untouched_lesson_makes_no_backup(course, work):
    assert workspace.reset("06", work, course / "notebooks").backup is None
    (work / LESSONS[1]).unlink()
    assert workspace.reset(6, work, course / "notebooks").backup is None
    assert (work / LESSONS[1]).is_file()


def test_a_reset_takes_back_the_new_version_that_it_makes_superfluous(course, work):
    edit(work / LESSONS[1])
    update(course)
    beside = work / workspace.prepare(work, course / "notebooks").offered[LESSONS[1]]
    workspace.reset(6, work, course / "notebooks")
    assert not beside.exists()
    # One that the learner has written in stays.
    edit(work / LESSONS[1])
    update(course, edition="third")
    beside = work / workspace.prepare(work, course / "notebooks").offered[LESSONS[1]]
    mine = edit(beside)
    workspace.reset(6, work, course / "notebooks")
    assert beside.read_bytes() == mine


def test_after_a_reset_an_update_renews_again(course, work):
    edit(work / LESSONS[1])
    workspace.reset(6, work, course / "notebooks")
    update(course)
    assert LESSONS[1] in workspace.prepare(work, course / "notebooks").renewed


def test_backups_of_one_second_do_not_overwrite_each_other(tmp_path):
    moment = datetime(2030, 1, 2, 3, 4, 5)
    names = []
    for text in ("one", "two", "three"):
        (tmp_path / "a.ipynb").write_text(text)
        names.append(files.set_aside(tmp_path / "a.ipynb", moment))
    assert [name.read_text() for name in names] == ["one", "two", "three"]
    assert names[2].name == "a (backup 2030-01-02 03.04.05 3).ipynb"


def test_reset_outside_a_working_folder_says_how_to_make_one(course, tmp_path):
    with pytest.raises(errors.CourseError, match="posenc start.* makes one"):
        workspace.reset(6, tmp_path / "nowhere", course / "notebooks")


# Files


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    files.write_whole(path, b"old")

    def refuse(*_):
        raise OSError("disk")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk"):
        files.write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
def test_a_new_file_has_ordinary_rights(tmp_path):
    before = os.umask(0o022)
    try:
        files.write_whole(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644


# Handing in


def put(work, changes, extra=()):
    """Write answers into the learner's copy, and cells of their own behind a given source."""
    path = work / LESSONS[1]
    content = read(path)
    for cell in content["cells"]:
        cell["source"] = changes.get(cell["source"], cell["source"])
    for number, (behind, source) in enumerate(extra):
        sources = [cell["source"] for cell in content["cells"]]
        place = sources.index(behind) + 1 if behind else 0
        content["cells"].insert(place, code(source) | {"id": f"own-{number}"})
    write(path, content)
    return path


def hand_in(course, work):
    result = handin.handin(6, work, course)
    filled = nbformat.reads(result.path.read_text(encoding="utf-8"), as_version=4)
    nbformat.validate(filled)
    return result, [cell.source for cell in filled.cells if cell.cell_type == "code"], filled


FREQUENCIES, SINUSOIDAL = STUB.format("frequencies"), STUB.format("sinusoidal")
ANSWER = "def frequencies(width):\n    return np.ones(width)"
ANSWER_2 = "def sinusoidal(width):\n    return frequencies(width)"


def test_answers_go_into_the_exercise(course, work):
    put(work, {FREQUENCIES: ANSWER, SINUSOIDAL: ANSWER_2})
    result, sources, filled = hand_in(course, work)
    assert result.path == work / "handin" / LESSONS[1]
    assert result.answered == ["6.1", "6.2"] and not result.not_attempted
    assert sources == [
        "import numpy as np\nfrom posenc.classroom import check",
        ANSWER, 'check("6.1", frequencies)', ANSWER_2, 'check("6.2", sinusoidal)',
    ]  # fmt: skip
    assert filled.metadata.posenc == {"lesson": 6, "version": "1.0.0"}
    assert [cell.id for cell in filled.cells] == [f"exercise-cell-{n}" for n in range(7)]
    assert filled.cells[2].metadata == {"tags": ["challenge"], "posenc": {"challenge": "6.1"}}


def test_what_is_missing_is_said(course, work):
    put(work, {FREQUENCIES: FREQUENCIES.replace("What to do.", "Mine.") + "  # later"})
    result, sources, _ = hand_in(course, work)
    assert result.not_attempted == ["6.1", "6.2"] and not result.answered
    assert FREQUENCIES in sources
    told = result.describe()
    assert "Not attempted: 6.1, 6.2." in told and "Answered: none." in told


def test_an_answer_that_is_begun_is_said(course, work):
    put(work, {FREQUENCIES: "class frequencies:\n    def a(self):\n        return ...\n    b = 1"})
    result, _, _ = hand_in(course, work)
    assert result.answered == ["6.1"] and result.partly == ["6.1"]
    assert "6.1 still has a `return ...`" in result.describe()


def test_a_deleted_cell_is_found_by_the_name_of_its_function(course, work):
    path = put(work, {}, [(None, ANSWER)])
    content = read(path)
    content["cells"] = [c for c in content["cells"] if c["source"] not in (FREQUENCIES, SINUSOIDAL)]
    write(path, content)
    result, sources, _ = hand_in(course, work)
    assert result.answered == ["6.1"] and result.not_found == {"6.2": "sinusoidal"}
    assert sources.count(ANSWER) == 1 and FREQUENCIES not in sources
    assert "Not found: 6.2" in result.describe()


def test_an_answer_beside_its_open_cell_replaces_it(course, work):
    put(work, {}, [("### Challenge 6.1", ANSWER)])
    result, sources, _ = hand_in(course, work)
    assert result.answered == ["6.1"] and result.carried == 0
    assert FREQUENCIES not in sources and sources.count(ANSWER) == 1


def test_helpers_among_the_challenges_come_along_where_they_stood(course, work):
    helper, shown = "def helper():\n    return 1", "frequencies(4)"
    put(
        work,
        {FREQUENCIES: ANSWER, SINUSOIDAL: "def sinusoidal(width):\n    return helper()"},
        [("### Challenge 6.2", helper), (ANSWER, shown)],
    )
    result, sources, filled = hand_in(course, work)
    assert result.carried == 2 and not result.undefined
    assert sources[1:4] == [ANSWER, shown, 'check("6.1", frequencies)']
    assert sources.index(helper) == 4 and sources[5].endswith("return helper()")
    assert len({cell.id for cell in filled.cells}) == len(filled.cells)


def test_a_helper_from_before_the_challenges_comes_only_if_it_is_used(course, work):
    put(
        work,
        {FREQUENCIES: "def frequencies(width):\n    return ratio * width"},
        [
            ("# The construction\n", "unused = 1"),
            ("# The construction\n", "ratio = scale * 2"),
            ("# The construction\n", "%matplotlib inline\nscale = 5"),
        ],
    )
    result, sources, _ = hand_in(course, work)
    assert result.carried == 2 and not result.undefined and "unused = 1" not in sources
    namespace: dict = {}
    for source in sources[1:4]:
        exec(source.replace("%matplotlib inline", ""), namespace)
    assert namespace["frequencies"](3) == 30


def test_a_name_that_the_exercise_lacks_is_said(course, work):
    put(work, {FREQUENCIES: "def frequencies(width):\n    return math.pi * width"})
    result, _, _ = hand_in(course, work)
    assert result.undefined == {"6.1": ["math"]}
    assert "6.1 uses `math`, which the exercise does not define" in result.describe()


def test_a_helper_in_a_cell_of_the_lesson_comes_along(course, work):
    check = 'check("6.1", frequencies)'
    put(work, {FREQUENCIES: ANSWER, check: f"def helper():\n    return 2\n{check}"})
    result, sources, _ = hand_in(course, work)
    assert result.carried == 1 and sources[2] == check and sources[3].startswith("def helper")


def test_split_and_copied_cells_all_come_along(course, work):
    path = put(work, {FREQUENCIES: "half = 0.5"})
    content = read(path)
    place = [cell["source"] for cell in content["cells"]].index("half = 0.5")
    content["cells"].insert(place + 1, content["cells"][place] | {"id": "split", "source": ANSWER})
    write(path, content)
    _, sources, _ = hand_in(course, work)
    assert sources[1:3] == ["half = 0.5", ANSWER]


@pytest.mark.parametrize(
    "wrong", ["def frequencies(width) return 1", "frequencies = ", "\0", "f(" * 500]
)
def test_code_that_is_wrong_is_handed_in_as_it_is(course, work, wrong):
    put(work, {FREQUENCIES: wrong})
    result, sources, _ = hand_in(course, work)
    assert result.answered == ["6.1"] and wrong in sources


def test_an_earlier_file_is_kept_and_the_same_is_not_written_again(course, work):
    put(work, {FREQUENCIES: ANSWER})
    first, _, _ = hand_in(course, work)
    content = first.path.read_bytes()
    assert hand_in(course, work)[0].backup is None
    put(work, {SINUSOIDAL: ANSWER_2})
    second, _, _ = hand_in(course, work)
    assert second.backup.read_bytes() == content and second.backup.name in second.describe()
    assert len(list((work / "handin").iterdir())) == 2


def test_another_edition_is_said(course, work):
    put(work, {FREQUENCIES: ANSWER})
    update(course)
    result, _, _ = hand_in(course, work)
    assert result.other_edition and "another edition" in result.describe()


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"cells": 3}', b'{"cells": [1]}', b"\xff\xfe"]
)
def test_a_damaged_copy_is_named_with_the_way_out(course, work, damage):
    (work / LESSONS[1]).write_bytes(damage)
    with pytest.raises(errors.CourseError, match="posenc reset 6"):
        handin.handin(6, work, course)
    assert (work / LESSONS[1]).read_bytes() == damage


@pytest.mark.parametrize("name", places.lesson_names(places.course_folder() / "notebooks"))
def test_the_courses_own_answers_fill_their_exercise(tmp_path, name):
    """The instructor's cells, put into a learner's copy, come out in the exercise."""
    course = places.course_folder()
    folder = tmp_path / "my-course"
    workspace.prepare(folder)
    solved = {
        handin.role_of(cell): cell["source"]
        for cell in handin.read_notebook(course / "solutions" / name)["cells"]
    }
    copy = handin.read_notebook(folder / name)
    for cell in copy["cells"]:
        if handin.role_of(cell) and handin.role_of(cell)[0] == "challenge":
            cell["source"] = solved[handin.role_of(cell)]
    write(folder / name, copy)
    result = handin.handin(name, folder)
    assert not (result.not_attempted or result.not_found or result.partly or result.undefined)
    assert result.answered and result.carried == 0 and not result.other_edition


# The command line


def invoke(course, monkeypatch, *words):
    for module in (places, workspace, handin):
        monkeypatch.setattr(module, "course_folder", lambda: course)
    monkeypatch.chdir(course)
    return COMMANDS.invoke(app, list(words))


def test_start_reset_and_handin_by_command(course, monkeypatch):
    started = invoke(course, monkeypatch, "start")
    assert started.exit_code == 0 and "posenc lab --folder" in started.output
    edit(course / "my-course" / LESSONS[1])
    done = invoke(course, monkeypatch, "reset", "6")
    assert done.exit_code == 0 and "backup" in done.output
    handed = invoke(course, monkeypatch, "handin", "6")
    assert handed.exit_code == 0 and "Not attempted: 6.1, 6.2." in handed.output


def test_what_cannot_be_understood_ends_with_2_and_what_cannot_be_done_with_1(course, monkeypatch):
    assert invoke(course, monkeypatch, "reset", "6").exit_code == 1
    invoke(course, monkeypatch, "start", "other place")
    unknown = invoke(course, monkeypatch, "reset", "13", "--folder", "other place")
    assert unknown.exit_code == 2 and "The lessons are 1, 6." in unknown.output
    assert invoke(course, monkeypatch, "handin").exit_code == 2
    assert invoke(course, monkeypatch, "nonsense").exit_code == 2
    assert invoke(course, monkeypatch, "start", "notebooks").exit_code == 1


def test_lab_opens_the_folder_with_the_arguments_given(course, monkeypatch):
    from posenc.learning import lab

    opened = []
    monkeypatch.setattr(lab, "open_lab", lambda *given: opened.append(given))
    done = invoke(course, monkeypatch, "lab", "--no-browser", "--port", "9000")
    assert done.exit_code == 0, done.output
    assert opened == [(course / "my-course", ["--no-browser", "--port", "9000"])]
    assert (course / "my-course" / LESSONS[0]).is_file()


def test_messages_name_the_command_as_it_was_called(monkeypatch):
    monkeypatch.setenv("POSENC_CALLED_AS", "python3 course.py")
    assert places.command("start") == "python3 course.py start"


def test_every_command_explains_itself():
    """Also with the oldest typer that is allowed, which older ones could not with today's click."""
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert {"start", "lab", "reset", "handin"} <= set(commands)
    for words in [[], *([name] for name in commands)]:
        told = COMMANDS.invoke(app, [*words, "--help"])
        assert told.exit_code == 0 and "Usage" in told.output, words


def test_a_lesson_names_the_python_that_will_run_it():
    """JupyterLab adds the version to a notebook that lacks it, and would call it changed."""
    given = {"cells": [], "metadata": {"language_info": {"name": "python"}}}
    found = json.loads(workspace.as_shipped(json.dumps(given).encode()))
    assert found["metadata"]["language_info"]["version"] == sys.version.split()[0]
    for other in (b"{", b"[]", b'{"metadata": {}}'):
        assert workspace.as_shipped(other) == other
