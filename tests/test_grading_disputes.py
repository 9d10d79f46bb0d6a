"""Deadlines, points given by hand, verdicts given again, and files that belong elsewhere."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile.answers import WRONG
from hostile.notebooks import but, code, data, exercise, write
from rich.console import Console
from typer.testing import CliRunner

from posenc import places
from posenc.cli import app
from posenc.grading import learners, pile, replay, store
from posenc.grading.record import Answers, BadRecord, Record
from posenc.reports import documents, exports, findings, formats, reading, screen
from posenc.reports.documents import Document, Row
from posenc.reports.formats import Format

ROOT = Path(__file__).resolve().parent.parent
NAME = "06_sinusoidal_encoding.ipynb"
EARLY, LATE = 1_700_000_000, 1_800_000_000
OVERRIDE = "learner,challenge,points,reason,who,when\n"


def start(*words):
    return CliRunner().invoke(app, [*map(str, words)])


def graded(folder, target, *more):
    done = start("grade", folder, "--seed", 4, "--json", target, *more)
    assert done.exit_code == 0, done.output
    return reading.from_json(target), done.output


@pytest.fixture(scope="module")
def pile_of_two(tmp_path_factory):
    """Ada is early and mistaken in 6.2; Bob is late and his file cannot be read."""
    folder = tmp_path_factory.mktemp("two") / "pile"
    write(folder / "Ada" / NAME, exercise(but(b=WRONG["6.2"]["column-for-pair"])))
    write(folder / "Bob" / NAME, b'{"cells": [')
    os.utime(folder / "Ada" / NAME, (EARLY, EARLY))
    os.utime(folder / "Bob" / NAME, (LATE, LATE))
    return folder


def row_of(document, learner):
    return next(row for row in document.rows if row.learner == learner)


# ------------------------------------------------------------------ deadlines


def test_late_follows_a_changed_date_and_nothing_is_run(pile_of_two, tmp_path, monkeypatch):
    graded(pile_of_two, tmp_path / "a.json")

    def runs(*_):
        raise AssertionError("a notebook was run")

    monkeypatch.setattr(pile, "grade_bytes", lambda *given: runs())
    seen = []
    for due in ("2025-01-01", "2030-01-01", "2020-01-01 12:00"):
        document, said = graded(pile_of_two, tmp_path / "b.json", "--due", due)
        seen.append({row.learner: row.late for row in document.rows})
        assert "the time of the file is used" in said.replace("\n", " ")
    assert seen == [
        {"Ada": False, "Bob": True},
        {"Ada": False, "Bob": False},
        {"Ada": True, "Bob": True},
    ]


def test_a_day_alone_lasts_to_its_end_and_a_system_that_knows_the_hour_is_believed(tmp_path):
    for hour in (17, 19):
        name = f"hw6_u{hour}_attempt_2024-03-03-{hour}-00-00_{NAME}"
        write(tmp_path / "pile" / name, b"{")
    for due, late in (("2024-03-03", set()), ("2024-03-03 18:00", {"u19"})):
        document, said = graded(tmp_path / "pile", tmp_path / "r.json", "--due", due)
        assert {row.learner for row in document.rows if row.late} == late
        assert {row.handed_in_by for row in document.rows} == {"Blackboard"}
        assert "time of the file" not in said


def test_a_deadline_that_is_none_is_said(pile_of_two):
    done = start("grade", pile_of_two, "--due", "tomorrow")
    assert done.exit_code == 2 and "2026-12-01" in done.output


# ------------------------------------------------------------------ points given by hand


@pytest.fixture
def overridden(pile_of_two, tmp_path):
    """The pile with points given to both, in every output."""
    (tmp_path / "given.csv").write_text(
        f"{OVERRIDE}Ada,6.2,2,=1+1 slip,Dr. Noether,2026-12-01\nbob,6.1,1,seen on paper,Dr. N,now\n"
    )
    words = ["--override", tmp_path / "given.csv", "--csv", tmp_path / "marks.csv"]
    words += ["--junit", tmp_path / "r.xml", "--gradescope", tmp_path / "scope"]
    words += ["--feedback", tmp_path / "pages"]
    return graded(pile_of_two, tmp_path / "r.json", *words)[0], tmp_path


def test_points_given_by_hand_are_beside_the_computed_mark_in_every_output(overridden):
    document, folder = overridden
    ada, bob = row_of(document, "Ada"), row_of(document, "Bob")
    assert (ada.record.points, ada.points, ada.record.verdict("6.2").points) == (2, 4, 0)
    assert (bob.record.points, bob.points, bob.out_of) == (None, 1, 10)
    told = "2 points were given by Dr. Noether, 2026-12-01: =1+1 slip"
    wide = Console(width=400, record=True, file=io.StringIO())
    screen.show(document, wide)
    assert told in wide.export_text()
    lines = list(csv.DictReader(io.StringIO((folder / "marks.csv").read_text("utf-8-sig"))))
    line = next(each for each in lines if each["learner"] == "Ada")
    assert (line["points"], line["computed points"], line["6.2 points"]) == ("4", "2", "2")
    assert told in line["given by hand"] and told in line["status"]
    for name in ("r.xml", "scope/Ada.json", "pages/Ada.html"):
        assert "Dr. Noether" in (folder / name).read_text("utf-8"), name
    scope = json.loads((folder / "scope" / "Ada.json").read_text("utf-8"))
    assert scope["score"] == 4 == sum(test["score"] for test in scope["tests"])
    found = findings.findings(document, findings.Headings(ROOT))
    assert {each.name: each.by_hand for each in found.lessons[0].learners} == {
        "Ada": True,
        "Bob": True,
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Ada,6.2,9,r,w,t", "0 to 3"),
        ("Ada,6.2,-1,r,w,t", "0 to 3"),
        ("Ada,6.9,1,r,w,t", "6.9"),
        ("Ada,6.2,1,,w,t", "must all be there"),
    ],
)
def test_points_that_cannot_be_given_are_said(pile_of_two, tmp_path, line, said):
    (tmp_path / "given.csv").write_text(f"{OVERRIDE}{line}\n")
    done = start("grade", pile_of_two, "--override", tmp_path / "given.csv")
    assert done.exit_code == 2 and said in done.output


def test_a_name_that_two_people_have_needs_an_id(tmp_path):
    for id in (1, 2):
        write(tmp_path / "pile" / f"Ada_{id}_assignsubmission_file_" / NAME, b"{")
    for who, code_ in (("Ada", 2), ("2", 0), ("nobody", 0)):
        (tmp_path / "given.csv").write_text(f"{OVERRIDE}{who},6.1,1,r,w,t\n")
        done = start("grade", tmp_path / "pile", "--override", tmp_path / "given.csv")
        assert done.exit_code == code_, done.output
        if who == "nobody":
            assert "of whom nothing was found" in done.output


# ------------------------------------------------------------------ a verdict given again


def test_a_verdict_is_given_again_byte_for_byte_from_the_file_alone(pile_of_two, tmp_path):
    graded(pile_of_two, tmp_path / "r.json")
    for id in ("6.1", "6.2", "6.3", "6.4"):
        words = [sys.executable, "-m", "posenc", "replay", str(tmp_path / "r.json"), "Ada", id]
        alone = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "elsewhere")}
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=alone)
        assert "byte for byte" in done.stdout
        assert f'"challenge": "{id}"' in done.stdout


def test_a_changed_verdict_is_noticed(pile_of_two, tmp_path):
    graded(pile_of_two, tmp_path / "r.json")
    changed = json.loads((tmp_path / "r.json").read_text("utf-8"))
    ada = next(s for s in changed["submissions"] if s["learner"] == "Ada")
    ada["challenges"][1].update(outcome="passed", points=3)
    (tmp_path / "r.json").write_text(json.dumps(changed))
    done = start("replay", tmp_path / "r.json", "Ada", "6.2")
    assert done.exit_code == 1 and "another verdict" in done.output


def test_what_cannot_be_given_again_is_said(pile_of_two, tmp_path):
    graded(pile_of_two, tmp_path / "r.json")
    for words, code_, said in (
        (("Cem", "6.2"), 2, "no verdict"),
        (("Bob", "6.2"), 2, "no verdict"),
        (("Ada", "5.1"), 2, "no verdict"),
    ):
        done = start("replay", tmp_path / "r.json", *words)
        assert done.exit_code == code_ and said in done.output
    old = start("replay", ROOT / "tests" / "data" / "results-1.json", "Ada", "6.2")
    assert old.exit_code == 1 and "earlier version" in old.output


@pytest.mark.parametrize("text", ["", "!", "AAAA", "eJwDAAAAAAE="])
def test_answers_that_are_missing_or_damaged_are_said(pile_of_two, tmp_path, text):
    document, _ = graded(pile_of_two, tmp_path / "r.json")
    record = row_of(document, "Ada").record
    broken = Record(**{**vars(record), "answers": {"6.2": Answers(text, 10)}})
    with pytest.raises(replay.CannotReplay):
        replay.verdict(broken, "6.2")


def test_the_same_answers_of_a_whole_class_are_in_the_file_once(tmp_path):
    for name in "abcdef":
        write(tmp_path / "pile" / name / NAME, exercise(first=[f"# {name}"]))
    graded(tmp_path / "pile", tmp_path / "r.json", "--jobs", 2)
    kept = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert len(kept["answers"]) == 4


# ------------------------------------------------------------------ wrong lesson, wrong language

OTHER = {**exercise(), "cells": [code("def masked_attention_weights(q, k):\n    return q")]}


def one(notebook, **settings):
    return pile.grade_bytes(data(notebook), NAME, pile.Settings(seed=1, **settings))


def test_a_file_with_another_lessons_functions_is_proposed_for_that_lesson():
    record = one(OTHER)
    assert record.status == "another lesson" and record.points is None
    assert "`masked_attention_weights` of lesson 3" in record.reason
    assert "--lesson 3" in record.reason


def test_an_empty_attempt_at_the_right_lesson_is_no_other_lessons():
    assert one({**exercise(), "cells": [code("1 + 1")]}).status == "graded"


def test_a_lesson_that_was_asked_for_is_graded_and_the_other_one_noted():
    record = one(OTHER, lesson=6)
    assert record.points == 0 and "of lesson 3" in " ".join(record.notes)


def kernel(language, cells=None):
    made = exercise() if cells is None else {**exercise(), "cells": cells}
    spec = {"name": "x", "display_name": language, "language": language}
    made["metadata"] |= {"kernelspec": spec, "language_info": {"name": language, "version": "4"}}
    return made


def test_a_notebook_in_another_language_is_told_as_that_and_has_no_points():
    record = one(kernel("R", [code("frequencies <- function(width) width")]))
    assert record.status == "another language" and record.points is None
    assert "for R" in record.reason


@pytest.mark.parametrize("language", ["R", "python", "Python3"])
def test_python_code_is_graded_whatever_its_kernel_is_called(language):
    assert one(kernel(language)).points == 10


def test_a_notebook_without_code_has_no_points_rather_than_zero():
    record = one({**exercise(), "cells": []})
    assert record.status == "nothing to grade" and record.points is None


# ------------------------------------------------------------------ forms, old and new


def test_a_results_file_of_version_1_is_read(tmp_path):
    document = reading.from_json(ROOT / "tests" / "data" / "results-1.json")
    assert {row.learner: row.points for row in document.rows} == {"Ada": 2, "Bob": None}
    assert document.ledger == () and row_of(document, "Ada").overrides == ()


def test_a_document_is_the_same_after_it_was_written_and_read(overridden):
    document, folder = overridden
    again = Document.from_plain(json.loads((folder / "r.json").read_text("utf-8")))
    assert again == document
    assert again.to_plain() == document.to_plain()


def test_a_store_of_version_1_is_read_and_resumed(pile_of_two, tmp_path, monkeypatch):
    kept = tmp_path / "old.sqlite"
    document = json.loads((ROOT / "tests" / "data" / "results-1.json").read_text("utf-8"))
    ada = next(s for s in document["submissions"] if s["learner"] == "Ada")
    old = {name: ada[name] for name in documents.RECORD_FIELDS}  # the fields of 1.0.0
    first = store.Store(kept, pile_of_two)
    run = pile.Pile(pile.Settings(seed=4), first, pile_of_two)
    (mine,) = [s for s in learners.find([pile_of_two]) if s.learner == "Ada"]
    content = pile.notebook.fingerprint(mine.read())
    first.put(run.key(mine, content), old, "1.0.0+old")
    monkeypatch.setattr(pile, "grade_bytes", lambda *_: pytest.fail("it was run again"))
    (result,) = run.run([mine], None)
    assert result.kept and result.record.points == ada["points"]
    assert result.record.judge == "1.0.0+old"


@pytest.mark.parametrize(
    "plain",
    [
        [],
        {},
        {"status": "graded"},
        {"status": "splendid"},
        {"status": "unreadable", "points": "=1+1"},
        {"status": "unreadable", "challenges": [3]},
        {"status": "unreadable", "challenges": [{"challenge": "6.1"}]},
        {"status": "unreadable", "notes": [3]},
    ],
)
def test_plain_data_that_are_no_record_are_refused(plain):
    with pytest.raises(BadRecord):
        Record.from_plain(plain)


def test_a_form_for_one_more_learning_system_is_one_piece(monkeypatch, tmp_path):
    ours = Format({"Navn": "{learner}", "Karakter": "{points}"}, ";", "iso-8859-1")
    monkeypatch.setattr(formats, "all_formats", lambda: {"absalon": ours})
    monkeypatch.setattr(exports, "all_formats", lambda: {"absalon": ours})
    rows = tuple(
        Row(name, name, "folder", Record("graded", lesson=6, points=10, out_of=10))
        for name in ("Søren", "=1;=2")
    )
    document = Document(documents.Run("", "", 1, "all", "auto", "", "", 1, "", "", True), rows)
    exports.write_csv(document, tmp_path / "x.csv", "absalon")
    assert (tmp_path / "x.csv").read_text("iso-8859-1").splitlines() == [
        "Navn;Karakter",
        "Søren;10",
        "\"'=1;'=2\";10",
    ]


@pytest.mark.parametrize("cell", ["=1", "＝1", "+1", "-rf", "@x", "a;=1", "a;\t＝1", "x\n=1"])
def test_no_part_of_a_cell_is_a_formula(cell):
    for part in exports._cell(cell).replace("\n", ";").replace("\t", ";").split(";"):
        assert not part.strip().startswith(tuple("=+-@＝＋－＠"))


def test_the_schemas_are_where_an_installed_course_finds_them():
    for name in reading.SCHEMAS.values():
        assert (places.course_folder() / "docs" / name).is_file()
