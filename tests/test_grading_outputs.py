"""What programs and people get: CSV, JSON, JUnit, Gradescope, pages, the screen, exit codes."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from hostile.answers import RIGHT, WRONG
from hostile.notebooks import but, exercise, write
from rich.console import Console
from typer.testing import CliRunner

from posenc.cli import app
from posenc.grading import pile, store
from posenc.reports import documents, exports, feedback, grade_command, reading, screen
from posenc.reports.documents import Document
from posenc.reports.exports import BadColumns
from posenc.reports.findings import Headings

ROOT = Path(__file__).resolve().parent.parent
EVIL = (
    "def frequencies(width, base=10000.0):\n"
    "    raise ValueError('=1+1\\x1b[31m</script><b>\\ud800 \\u202e')"
)
WRONG_TABLE = but(b=WRONG["6.2"]["column-for-pair"])


def start(*words):
    return CliRunner().invoke(app, ["grade", *map(str, words)])


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A pile with awkward names and work, graded once with every output."""
    folder = tmp_path_factory.mktemp("outputs")
    place = folder / "pile"
    write(place / "1234_x" / "ps.ipynb", exercise())
    write(place / "Ada Lovelace_17_assignsubmission_file_" / "ps6.ipynb", exercise(WRONG_TABLE))
    write(place / "=HYPERLINK(1)" / "ps6.ipynb", exercise(but(a=EVIL)))
    write(place / "<script>alert(1)<" / "ps6.ipynb", exercise({}))
    write(place / "cem" / "ps6.ipynb", b'{"cells": [')
    write(place / "dot" / "ps6.ipynb", exercise({"6.1": RIGHT["6.1"]}))
    write(place / "dot" / "ps6 (1).ipynb", exercise())
    done = start(
        place,
        "--seed",
        4,
        "--jobs",
        2,
        "--json",
        folder / "out.json",
        "--csv",
        folder / "out.csv",
        "--junit",
        folder / "out.xml",
        "--gradescope",
        folder / "scope",
        "--feedback",
        folder / "pages",
    )
    assert done.exit_code == 0, done.output
    return folder, done.output, json.loads((folder / "out.json").read_text("utf-8"))


def rows_of(path):
    return list(csv.reader(io.StringIO(path.read_text("utf-8-sig"))))


def by_learner(document):
    return {s["learner"]: s for s in document["submissions"] if s["counts"]}


def test_the_json_keeps_to_the_published_schema(run):
    schema = json.loads((ROOT / "docs" / "results.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(run[2], schema)
    run[2]["submissions"][0]["points"] = -1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(run[2], schema)
    run[2]["submissions"][0]["points"] = json.loads((run[0] / "out.json").read_text("utf-8"))[
        "submissions"
    ][0]["points"]


def test_the_json_says_how_the_run_was_isolated_and_which_seed_it_used(run):
    told = run[2]["run"]
    assert told["seed"] == 4 and told["complete"] is True and told["sandbox"] == "auto"
    assert told["level"] in ("full", "partial", "none") and told["sentence"]


def test_marks_are_the_same_in_every_output(run):
    folder, _, document = run
    points = {s["learner"]: s["points"] for s in document["submissions"] if s["counts"]}
    # Ada's 6.3 and 6.4 stand on her 6.2, and fall with it.
    assert points == {
        "1234_x": 10,
        "Ada Lovelace": 2,
        "=HYPERLINK(1)": 8,
        "<script>alert(1)<": 0,
        "cem": None,
        "dot": 10,
    }
    head, *rows = rows_of(folder / "out.csv")
    for row in (dict(zip(head, r)) for r in rows):
        if row["counts"] == "yes":
            assert row["points"] == (
                ""
                if points[row["learner"].lstrip("'")] is None
                else str(points[row["learner"].lstrip("'")])
            )
    suites = ElementTree.parse(folder / "out.xml").getroot()
    passed = {
        s.get("name"): int(s.get("tests")) - int(s.get("failures")) - int(s.get("errors"))
        for s in suites
    }
    assert passed["1234_x"] == 4 and passed["cem"] == 0
    scope = {p.stem: json.loads(p.read_text("utf-8")) for p in (folder / "scope").iterdir()}
    assert scope["1234_x"]["score"] == 10 and scope["cem"]["output"].startswith(
        "Status: unreadable"
    )


def test_no_zero_is_silent(run):
    folder, _, document = run
    head, *rows = rows_of(folder / "out.csv")
    for row in (dict(zip(head, r)) for r in rows):
        assert row["status"] != ""
        if row["learner"] == "cem":
            assert row["points"] == "" and "cut off" in row["status"]
    case = (
        ElementTree.parse(folder / "out.xml")
        .getroot()
        .find("testsuite[@name='cem']/testcase/error")
    )
    assert case.get("type") == "unreadable" and "cut off" in case.get("message")


def test_a_spreadsheet_meets_no_formula(run):
    for row in rows_of(run[0] / "out.csv"):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    assert any(cell == "'=HYPERLINK(1)" for row in rows_of(run[0] / "out.csv") for cell in row)


def test_what_a_notebook_says_can_be_printed_and_stored_everywhere(run):
    folder, output, document = run
    verdict = by_learner(document)["=HYPERLINK(1)"]["challenges"][0]
    assert verdict["outcome"] == "crashed"
    for text in (
        output,
        json.dumps(document, ensure_ascii=False),
        (folder / "out.xml").read_text("utf-8"),
    ):
        assert "\x1b" not in text and "\u202e" not in text
        text.encode("utf-8")


class Page(HTMLParser):
    """The tags of a page, and what it would load."""

    def __init__(self):
        super().__init__()
        self.tags, self.loads, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.loads += [v for k, v in attributes if k in ("src", "href")]

    def handle_data(self, data):
        self.text += data


def test_each_learner_has_a_page_that_loads_nothing_and_runs_nothing(run):
    folder, _, document = run
    pages = sorted((folder / "pages").iterdir())
    assert len(pages) == 6
    for path in pages:
        page = Page()
        page.feed(path.read_text("utf-8"))
        assert "script" not in page.tags and page.loads == []
    ada = (folder / "pages" / "Ada_Lovelace.html").read_text("utf-8")
    page = Page()
    page.feed(ada)
    assert "It looks as if i is read as the number of the column" in page.text
    assert "sinusoidal(" in page.text and "seed 4" in page.text
    assert "To read again: Lesson 6, “" in page.text
    cem = (folder / "pages" / "cem.html").read_text("utf-8")
    assert "Not graded" in cem and "cut off" in cem


def test_a_page_gives_no_expected_array_away(run):
    assert "0.841" not in (run[0] / "pages" / "Ada_Lovelace.html").read_text("utf-8")


def test_the_screen_shows_a_row_for_each_and_says_which_does_not_count(run):
    _, output, document = run
    assert "Note: dot: dot/ps6.ipynb does not count; dot/ps6 (1).ipynb counts (newest)." in output
    assert output.count("seed 4") == 1
    console = Console(width=100, record=True, file=io.StringIO())
    screen.show(Document.from_plain(document), console)
    shown = console.export_text()
    assert "10 of 10" in shown and "none" in shown and "all passed" in shown
    assert "<script>alert(1)<" in shown


def test_each_lesson_has_a_table_of_its_own(run):
    other = {**by_learner(run[2])["dot"], "lesson": 5, "challenges": []}
    document = {**run[2], "submissions": [*run[2]["submissions"], other]}
    titles = [table.title for table in screen.tables(Document.from_plain(document))]
    assert titles == ["Lesson 5", "Lesson 6", "Not graded"]
    assert [t.title for t in screen.tables(Document.from_plain(run[2]))] == ["Lesson 6"]


def test_file_names_are_safe_and_no_two_alike():
    names = exports.file_names(
        ["../../etc", "Ada", "ada", "a/b", "a\\b", "CON", "", "x" * 300, "Zoë"]
    )
    assert len({n.casefold() for n in names}) == len(names)
    assert all(
        "/" not in n and "\\" not in n and not n.startswith(".") and 0 < len(n) <= 90 for n in names
    )
    assert names[5] == "_CON" and names[8] == "Zoë"


@pytest.mark.parametrize("columns", ["canvas", "moodle"])
def test_learning_systems_get_their_columns(run, columns):
    folder, _, document = run
    exports.write_csv(Document.from_plain(document), folder / f"{columns}.csv", columns)
    rows = rows_of(folder / f"{columns}.csv")
    if columns == "canvas":
        assert rows[0] == [
            "Student",
            "ID",
            "SIS User ID",
            "SIS Login ID",
            "Section",
            "Lesson 6",
            "Status",
        ]
        assert rows[1][0].strip() == "Points Possible" and rows[1][5:] == ["10", "(read only)"]
        body = {r[0].lstrip("'"): r for r in rows[2:]}
        assert body["cem"][5] == "" and body["dot"][5] == "10"
    else:
        body = {r[1].lstrip("'"): r for r in rows[1:]}
        assert body["Ada Lovelace"][0] == "Participant 17"
        assert rows[0][3] == "Grade" and body["cem"][3] == ""
        assert "6.2: failed" in body["Ada Lovelace"][5]
    assert len(body) == 6


def test_columns_of_ones_own(run, tmp_path):
    (tmp_path / "map.json").write_text(
        json.dumps({"Who": "{learner}", "{title}": "{points}/{out_of}", "What": "{status}"})
    )
    own = tmp_path / "own.csv"
    exports.write_csv(Document.from_plain(run[2]), own, str(tmp_path / "map.json"))
    head, *rows = rows_of(tmp_path / "own.csv")
    assert head == ["Who", "Lesson 6", "What"] and ["dot", "10/10", "4 passed"] in rows


@pytest.mark.parametrize(
    "content", ["[1]", '{"a": 1}', '{"a": "{nothing}"}', '{"a": "{learner.__class__.x}"}', "{"]
)
def test_columns_that_cannot_be_used_are_said(run, tmp_path, content):
    (tmp_path / "map.json").write_text(content)
    with pytest.raises(BadColumns):
        document = Document.from_plain(run[2])
        exports.write_csv(document, tmp_path / "own.csv", str(tmp_path / "map.json"))


def test_gradescope_gets_one_file_for_one_submission(run, tmp_path):
    document = {**run[2], "submissions": [by_learner(run[2])["Ada Lovelace"]]}
    exports.write_gradescope(Document.from_plain(document), tmp_path / "results.json")
    written = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert [t["name"].split(" · ")[0] for t in written["tests"]] == ["6.1", "6.2", "6.3", "6.4"]
    assert written["tests"][1]["name"] == "6.2 · The table"
    assert sum(t["score"] for t in written["tests"]) == written["score"]
    assert sum(t["max_score"] for t in written["tests"]) == 10
    with pytest.raises(ValueError, match="name a folder"):
        exports.write_gradescope(Document.from_plain(run[2]), tmp_path / "results.json")


def test_the_junit_file_counts_what_it_holds(run):
    for suite in ElementTree.parse(run[0] / "out.xml").getroot():
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("errors")) == len(suite.findall("testcase/error"))


def test_a_second_run_takes_everything_from_the_first(run):
    folder = run[0]
    done = start(folder / "pile", "--json", folder / "again.json")
    assert done.exit_code == 0
    again = json.loads((folder / "again.json").read_text("utf-8"))
    assert again["run"]["seed"] != 4 or again["submissions"]
    same = start(folder / "pile", "--seed", 4, "--json", folder / "same.json")
    assert same.exit_code == 0
    kept = json.loads((folder / "same.json").read_text("utf-8"))["submissions"]
    assert [s["graded_at"] for s in kept if s["points"] is not None] == [
        s["graded_at"] for s in run[2]["submissions"] if s["points"] is not None
    ]


def test_marks_that_were_regraded_stand_beside_the_new(run, monkeypatch):
    folder = run[0]
    monkeypatch.setattr(pile, "judge_mark", lambda: "1.0.0+mended")
    monkeypatch.setattr(documents, "judge_mark", lambda: "1.0.0+mended")
    stale = start(folder / "pile", "--seed", 4)
    assert "results were made by an earlier judge" in stale.output
    done = start(folder / "pile", "--seed", 4, "--regrade", "6.2", "--json", folder / "new.json")
    assert done.exit_code == 0, done.output
    ada = by_learner(json.loads((folder / "new.json").read_text("utf-8")))["Ada Lovelace"]
    assert ada["judge"] == "1.0.0+mended" and len(ada["challenges"]) == 4
    assert "6.2" in {m["challenge"] for m in ada["old_marks"]}
    document = reading.from_json(folder / "new.json")
    (row,) = [r for r in document.rows if r.learner == "Ada Lovelace"]
    assert "Earlier marks" in feedback.page([row], document.run, Headings(ROOT))


def test_one_challenge_is_explained_with_each_call(run):
    folder = run[0]
    done = start(
        folder / "pile" / "Ada Lovelace_17_assignsubmission_file_" / "ps6.ipynb", "--explain", "6.2"
    )
    assert done.exit_code == 0, done.output
    assert "expected" in done.output and "returned" in done.output
    assert "sinusoidal(3, 4)" in done.output


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "name at least one notebook"),
        (("nowhere",), 2, "no file or folder called nowhere"),
        ((".", "--keep", "last"), 2, "allowed are newest"),
        ((".", "--jobs", "0"), 2, "--jobs"),
        ((".", "--sandbox", "docker"), 2, "allowed are auto, bwrap, none"),
        ((".", "--lesson", "13"), 2, "--lesson"),
        ((".", "--regrade", "6.9"), 2, "6.9"),
        ((".", "--seconds", "0"), 2, "--seconds"),
        ((".", "--names", "nowhere.csv"), 2, "cannot be read"),
        ((".", "--columns", "canvas"), 2, "--csv names"),
        (
            (".", "--csv", "x.csv", "--columns", "blackboard"),
            2,
            "known maps are brightspace, canvas and moodle",
        ),
        ((".", "--json", "nowhere/x.json"), 2, "no folder nowhere"),
        ((".",), 2, "no notebook"),
    ],
)
def test_what_cannot_be_understood_ends_with_code_2_and_a_sentence(
    tmp_path, monkeypatch, words, code, said
):
    monkeypatch.chdir(tmp_path)
    done = start(*words)
    assert done.exit_code == code, done.output
    assert said in done.output


def test_a_store_that_cannot_be_used_ends_with_code_1(tmp_path):
    write(tmp_path / "ada.ipynb", exercise())
    store = tmp_path / "mine.sqlite"
    store.write_bytes(b"not a database, and long enough to be read as one" * 40)
    done = start(tmp_path, "--store", store)
    assert done.exit_code == 1 and "--store" in done.output


def test_bubblewrap_that_is_asked_for_and_missing_ends_with_code_1(tmp_path, monkeypatch):
    from posenc.grading import sandbox

    write(tmp_path / "ada.ipynb", exercise())
    monkeypatch.setattr(sandbox, "working_bubblewrap", lambda: (None, "it is not installed"))
    done = start(tmp_path, "--sandbox", "bwrap")
    assert done.exit_code == 1 and "not installed" in done.output


def test_a_fault_of_the_judge_is_said_and_ends_with_code_3(tmp_path, monkeypatch):
    from posenc.judging import judge

    write(tmp_path / "ada" / "ps6.ipynb", exercise())

    def breaks(*arguments):
        raise ZeroDivisionError("a fault of the course")

    monkeypatch.setattr(judge, "judge", breaks)
    done = start(tmp_path, "--json", tmp_path / "out.json")
    assert done.exit_code == grade_command.FAULTS
    assert "met a fault of the grader" in done.output
    verdicts = json.loads((tmp_path / "out.json").read_text("utf-8"))["submissions"][0][
        "challenges"
    ]
    assert {v["outcome"] for v in verdicts} == {"refused"} and "fault of the course" in verdicts[0][
        "reason"
    ]


def test_results_are_shown_where_nothing_can_be_kept(tmp_path, monkeypatch):
    write(tmp_path / "ada" / "ps6.ipynb", exercise())
    monkeypatch.setattr(store, "usable", lambda path: False)
    done = start(tmp_path)
    assert (
        done.exit_code == 0 and "Results are not kept" in done.output and "10 of 10" in done.output
    )
    assert not store.place(tmp_path).exists()


def test_the_self_test_passes_here():
    done = start("--self-test")
    assert done.exit_code == 0, done.output
    assert "Every mark is right" in done.output


def test_a_file_that_cannot_be_made_of_a_pile_ends_with_code_2_and_results_are_kept(tmp_path):
    for name in ("ada", "bob"):
        write(tmp_path / name / "ps6.ipynb", exercise())
    done = start(tmp_path, "--gradescope", tmp_path / "results.json")
    assert done.exit_code == 2 and "name a folder instead" in done.output
    assert store.place(tmp_path).exists()
