"""Which learner a notebook belongs to, in all the shapes that downloads come in."""

from __future__ import annotations

import os
import time

import pytest
from hostile.notebooks import exercise, write

from posenc.grading import learners
from posenc.grading.learners import BadList, find
from posenc.grading.pile import Result
from posenc.grading.record import UNREADABLE, Record
from posenc.reports import documents


def laid(tmp_path, *names):
    for name in names:
        write(tmp_path / name, exercise())
    return {s.shown: s for s in find([tmp_path])}


@pytest.mark.parametrize(
    ("name", "learner", "told_by", "attempt"),
    [
        ("ada/ps6.ipynb", "ada", "folder", 0),
        ("Ada Lovelace/ps6 (2).ipynb", "Ada Lovelace", "folder", 2),
        ("submitted/ada/lesson6/06_sinusoidal_encoding.ipynb", "ada", "folder", 0),
        ("ada_06_sinusoidal_encoding.ipynb", "ada", "file name", 0),
        ("06_sinusoidal_encoding-Zoë Müller (1).ipynb", "Zoë Müller", "file name", 1),
        ("ada-Copy1.ipynb", "ada", "file name", 1),
        ("lovelaceada_LATE_1234_98765_06_sinusoidal_encoding-2.ipynb", "lovelaceada", "Canvas", 2),
        ("Ada Lovelace_4711_assignsubmission_file_/ps6.ipynb", "Ada Lovelace", "Moodle", 0),
        ("Ada Lovelace_4711_assignsubmission_file_ps6.ipynb", "Ada Lovelace", "Moodle", 0),
        ("ps1 (1).ipynb", "ps1 (1)", "nothing", 0),
        ("06_sinusoidal_encoding.ipynb", "06_sinusoidal_encoding", "nothing", 0),
        ("李小龙/作业.ipynb", "李小龙", "folder", 0),
        ("= cmd/ps.ipynb", "= cmd", "folder", 0),
        ("a\u202eb\x1b/ps.ipynb", "ab", "folder", 0),
    ],
)
def test_a_learner_is_found_in_the_names_that_systems_and_browsers_make(
    tmp_path, name, learner, told_by, attempt
):
    found = list(laid(tmp_path, name, "zz other/ps.ipynb").values())
    mine = next(s for s in found if s.learner != "zz other")
    assert (mine.learner, mine.told_by, mine.attempt) == (learner, told_by, attempt)


def test_what_learning_systems_call_a_learner_is_kept(tmp_path):
    found = laid(
        tmp_path,
        "lovelaceada_LATE_1234_98765_ps.ipynb",
        "Bob B_4711_assignsubmission_file_/ps.ipynb",
    )
    assert {s.learner: (s.ids, s.late) for s in found.values()} == {
        "lovelaceada": ({"canvas": "1234"}, True),
        "Bob B": ({"moodle": "4711"}, False),
    }


def test_what_is_no_submission_is_passed_over(tmp_path):
    found = laid(
        tmp_path,
        "ada/ps.ipynb",
        "ada/.ipynb_checkpoints/ps-checkpoint.ipynb",
        "__MACOSX/ada/._ps.ipynb",
        "ada/._ps.ipynb",
        "bob/PS.IPYNB",
    )
    assert sorted(found) == ["ada/ps.ipynb", "bob/PS.IPYNB"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zoe\u0308", "Zo\u00eb"),
        ("CORP_jdoe", "corp jdoe"),
        ("Anna Weiss", "Anna Wei\u00df"),
        ("team2", "team\u00b2"),
    ],
)
def test_nearly_equal_names_are_two_people_and_it_is_said(tmp_path, one, other):
    for name in (one, other, "bob"):
        write(tmp_path / name / "ps.ipynb", exercise())
    found = learners.look([tmp_path])
    assert len({s.key for s in found.submissions}) == 3
    (said,) = [m for m in found.messages if "nearly equal names" in m]
    assert "--names" in said and "bob" not in said


def test_two_nameless_files_are_two_submissions(tmp_path):
    found = laid(tmp_path, "ps1.ipynb", "ps1 (1).ipynb")
    assert len({s.key for s in found.values()}) == 2


def result(submission, points, status="graded"):
    return Result(submission, "", Record(status, lesson=6, points=points, out_of=10))


def counting(results, keep):
    """Shown paths of what counts, and what is said about the rest."""
    entries = [(r, person) for r in results for person in r.submission.people]
    told = documents.which_count(entries, keep)
    shown = [r.submission.shown for (r, _), (counts, _) in zip(entries, told) if counts]
    return shown, [why for _, why in told if why]


@pytest.mark.parametrize(
    ("keep", "chosen"),
    [("newest", "ada (2).ipynb"), ("oldest", "ada.ipynb"), ("best", "ada (1).ipynb")],
)
def test_of_two_submissions_one_counts_and_it_is_said(tmp_path, keep, chosen):
    found = laid(tmp_path, "ada.ipynb", "ada (1).ipynb", "ada (2).ipynb", "bob.ipynb")
    # A copy keeps no times: the browser's numbers tell the order.
    for name in found:
        os.utime(tmp_path / name, (1_000_000, 1_000_000))
    points = {"ada.ipynb": 2, "ada (1).ipynb": 9, "ada (2).ipynb": 3, "bob.ipynb": 1}
    results = [result(s, points[name]) for name, s in found.items()]
    shown, why = counting(results, keep)
    assert shown == [chosen, "bob.ipynb"]
    assert why == [f"{chosen} counts ({keep})"] * 2


def test_the_later_file_is_the_newer_one_where_nothing_is_numbered(tmp_path):
    found = laid(tmp_path, "ada/a.ipynb", "ada/b.ipynb", "bob/c.ipynb")
    os.utime(tmp_path / "ada" / "a.ipynb", (2_000_000, 2_000_000))
    os.utime(tmp_path / "ada" / "b.ipynb", (1_000_000, 1_000_000))
    results = [result(s, 1) for s in found.values()]
    assert counting(results, "newest")[0] == ["ada/a.ipynb", "bob/c.ipynb"]


def test_a_readable_submission_counts_before_an_unreadable_newer_one(tmp_path):
    found = laid(tmp_path, "ada.ipynb", "ada (1).ipynb", "bob.ipynb")
    results = [result(s, 3) for s in found.values()]
    broken = next(r for r in results if r.submission.shown == "ada (1).ipynb")
    broken.record = Record(UNREADABLE, "cut off")
    assert counting(results, "newest")[0] == ["ada.ipynb", "bob.ipynb"]


def test_two_lessons_of_one_learner_both_count(tmp_path):
    found = laid(tmp_path, "ada/ps5.ipynb", "ada/ps6.ipynb", "bob/ps6.ipynb")
    results = [result(s, 3) for s in found.values()]
    results[0].record = Record("graded", lesson=5, points=3, out_of=10)
    assert len(counting(results, "newest")[0]) == 3


def test_a_list_names_learners_by_file_or_folder_and_misses_are_said(tmp_path):
    write(tmp_path / "x1" / "ps.ipynb", exercise())
    write(tmp_path / "x2" / "ps.ipynb", exercise())
    (tmp_path / "names.csv").write_text(
        "file;learner;id\nx1;Ada Lovelace;17\nx2/ps.ipynb;Bob;\nx9;Cem;\n", "utf-8-sig"
    )
    names = learners.read_list(tmp_path / "names.csv")
    found = find([tmp_path], names)
    assert [(s.learner, s.told_by, s.ids) for s in found] == [
        ("Ada Lovelace", "list", {"id": "17"}),
        ("Bob", "list", {}),
    ]
    assert learners.unused_names(names, found) == ["Cem"]


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe\x00"])
def test_a_list_that_cannot_be_used_is_said(tmp_path, content):
    (tmp_path / "names.csv").write_bytes(content)
    with pytest.raises(BadList, match="list"):
        learners.read_list(tmp_path / "names.csv")


def test_a_pattern_finds_learners(tmp_path):
    write(tmp_path / "group-a" / "s-017-ps6.ipynb", exercise())
    assert find([tmp_path], pattern=r"s-(?P<learner>\d+)-")[0].learner == "017"
    for pattern in ("(", "[a-z]+"):
        with pytest.raises(BadList):
            find([tmp_path], pattern=pattern)


def test_a_long_name_is_read_in_no_time(tmp_path):
    began = time.monotonic()
    for name in ("1" * 200 + "x", "ps " * 60 + "!", "a_" * 100, "(1)" * 60, " (1)" * 50):
        write(tmp_path / f"{name}.ipynb", exercise())
    assert len(find([tmp_path])) == 5
    assert time.monotonic() - began < 2


def test_a_path_that_is_not_there_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        find([tmp_path / "nowhere"])


def test_a_folder_and_a_file_in_it_are_graded_once(tmp_path):
    path = write(tmp_path / "ada" / "ps.ipynb", exercise())
    assert len(find([tmp_path, path])) == 1
