"""A pile as a class hands it in gets the marks it deserves, each with the right reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile.answers import RIGHT, WRONG
from hostile.grading import complaints, grade_folder, lay
from hostile.messy import cells, messy
from hostile.notebooks import but, data, exercise, write
from hostile.ordinary import pile

from posenc import lessons
from posenc.grading import notebook
from posenc.grading.notebook import Unreadable

ROOT = Path(__file__).resolve().parent.parent
KINDS = [*pile(), *messy()]


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    lay(folder, KINDS)
    return grade_folder(folder)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_submission_gets_what_it_deserves(graded, kind):
    assert complaints(kind, graded[kind.name].record) == []


def test_the_pile_holds_at_least_thirty_kinds_and_mistakes_of_every_challenge_of_lesson_6():
    assert len(KINDS) >= 30
    for challenge in lessons.challenges(6):
        known = {m.id for m in challenge.misconceptions}
        assert len(WRONG[challenge.id]) > 5 and set(WRONG[challenge.id]) <= known


def test_an_answer_that_stands_on_a_wrong_one_says_which_to_mend_first(graded):
    verdicts = {v["challenge"]: v for v in graded["earlier-wrong"].record["challenges"]}
    assert "6.1 is not right yet" in verdicts["6.2"]["mend_first"]
    assert "6.2 is not right yet" in verdicts["6.3"]["mend_first"]


def test_a_failing_verdict_shows_a_call_to_copy_and_never_the_expected_table(graded):
    verdict = graded["mistaken-00"].record["challenges"][1]
    assert verdict["failing_call"].startswith("sinusoidal(")
    assert "0.841" not in verdict["reason"] + verdict["failing_call"]


@pytest.mark.parametrize(
    ("name", "metadata", "told_by"),
    [
        ("x.ipynb", {"posenc": {"lesson": 6}}, "metadata"),
        ("x.ipynb", {"posenc": {"lesson": "6"}}, "metadata"),
        ("ada 06_sinusoidal_encoding (1).ipynb", {}, "file name"),
        ("ada-06-sinusoidal-encoding.ipynb", {"posenc": {"lesson": 77}}, "file name"),
        ("Lesson 6 ada.ipynb", {"posenc": "odd"}, "file name"),
        ("ps6.ipynb", None, "file name"),
        ("work.ipynb", {}, "function names"),
    ],
)
def test_the_lesson_is_found_by_metadata_then_file_name_then_function_names(
    name, metadata, told_by
):
    read = notebook.read(data({**exercise(), "metadata": metadata}), name)
    assert (read.lesson, read.lesson_from) == (6, told_by)


def test_a_lesson_that_is_named_on_the_command_line_is_not_searched_for():
    assert notebook.read(data(exercise()), "ps5.ipynb", 3).lesson == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"   \n", "empty"),
        (b"[" * 100_000, "nested too deeply"),
        (b"{" + b'"a":' * 10, "damaged or cut off"),
        (b"PK\x03\x04zip", "zip archive"),
        (data({"nbformat": 4, "cells": {"a": 1}}), "no list of cells"),
        (data({"nbformat": True, "cells": []}), "format True"),
        (data({"nbformat": "4; rm", "cells": []}), "formats up to 4"),
        (data({"nbformat": 4, "cells": [{}] * 2001}), "more than 2000 cells"),
        (data(exercise(first=["#" * (3 * 2**20)])), "MB of code"),
        (data({"nbformat": 2, "worksheets": [{"cells": None}]}), "old format"),
    ],
    # Of the words alone: the contents are megabytes, and a test's name goes into the environment.
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_has_a_reason_in_words(content, words):
    with pytest.raises(Unreadable, match=words):
        notebook.read(content, "06_sinusoidal_encoding.ipynb")


def test_odd_cells_are_passed_over():
    odd = [
        None,
        7,
        {"cell_type": "code", "source": 3},
        {"cell_type": ["code"]},
        {"cell_type": "code", "source": ["a", 1, "b"]},
    ]
    read = notebook.read(data({"nbformat": 4, "cells": odd}), "lesson 6.ipynb")
    assert read.cells == ("", "ab")


def test_text_from_a_notebook_loses_control_characters_and_half_characters():
    assert notebook.clean("a\x1b[2Jb\u202ec\ud800d\x00") == "a[2Jbc?d"


def test_the_same_submission_gets_the_same_verdict_twice(tmp_path):
    lay(tmp_path, [k for k in KINDS if k.name in ("right", "mistaken-00", "no-return")])
    first, second = grade_folder(tmp_path, jobs=1), grade_folder(tmp_path, jobs=2)
    for name in first:
        assert first[name].record["challenges"] == second[name].record["challenges"]


def test_a_function_that_knows_the_fixed_cases_only_fails(tmp_path):
    from hostile.ordinary import Kind

    known = "KNOWN = {}\n" + RIGHT["6.1"].replace("def frequencies", "def _true")
    for case in lessons.challenge("6.1").cases:
        known += f"\nKNOWN[{case.args!r}, {tuple(case.kwargs.items())!r}] = _true(*{case.args!r}, **{case.kwargs!r})"
    known += "\ndel _true\ndef frequencies(*args, **more):\n    return KNOWN.get((args, tuple(more.items())), np.zeros(3))"
    kind = Kind("memory", exercise(but(a=known)), {"6.1": "failed"})
    lay(tmp_path, [kind])
    assert complaints(kind, grade_folder(tmp_path, jobs=1)["memory"].record) == []


def test_every_lesson_can_be_graded_solved_and_open(tmp_path):
    stems = [lesson.stem for lesson in lessons.LESSONS if lessons.challenges(lesson.number)]
    for stem in stems:
        for kind in ("solutions", "exercises"):
            source = (ROOT / kind / f"{stem}.ipynb").read_bytes()
            write(tmp_path / f"{kind} {stem}" / f"{stem}.ipynb", source)
    graded = grade_folder(tmp_path)
    for stem in stems:
        solved = graded[f"solutions {stem}"].record
        assert solved["points"] == solved["out_of"] == 10, solved
        assert "lesson notebook" in solved["notes"][0]
        unsolved = graded[f"exercises {stem}"].record["challenges"]
        assert {v["outcome"] for v in unsolved} == {"not attempted"}, unsolved
        assert graded[f"exercises {stem}"].record["notes"] == []


def test_files_handed_in_beside_a_notebook_are_there_and_only_for_their_learner(tmp_path):
    answers = "import numpy as np\n" + "\n".join(RIGHT.values())
    imports = cells("import numpy as np\nfrom my_helpers import *")
    for learner in ("ada", "bob"):
        write(tmp_path / learner / "06.ipynb", imports)
    write(tmp_path / "ada" / "my_helpers.py", answers.encode())
    graded = grade_folder(tmp_path, jobs=1)
    assert graded["ada"].record["points"] == 10
    assert graded["bob"].record["points"] == 0
    write(tmp_path / "ada" / "my_helpers.py", b"import numpy as np\n")
    assert grade_folder(tmp_path, jobs=1)["ada"].record["points"] == 0


def test_a_file_beside_a_notebook_cannot_be_changed_by_it(tmp_path):
    tries = "open('data.txt', 'w').write('mine')"
    reads = "BASE = float(open('data.txt').read())"
    base = RIGHT["6.1"].replace("base=10000.0", "base=BASE")
    rest = [RIGHT[id] for id in ("6.2", "6.3", "6.4")]
    write(tmp_path / "ada" / "06.ipynb", cells("import numpy as np", tries, reads, base, *rest))
    write(tmp_path / "ada" / "data.txt", b"10000.0")
    record = grade_folder(tmp_path, jobs=1)["ada"].record
    assert record["points"] == 10 and "PermissionError" in record["notes"][0]
