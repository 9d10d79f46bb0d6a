"""Piles as learning systems hand them out: nobody missing, merged or invented, every file told."""

from __future__ import annotations

import io
import os
import zipfile
from collections import Counter

import pile_of_ten
import pytest
from hostile.notebooks import data, exercise, write

from posenc.grading import disguises, finders, learners, pile, tree
from posenc.grading.notebook import Unreadable
from posenc.grading.record import Record
from posenc.grading.store import Store
from posenc.reports import documents, exports

SYSTEMS = [system.__name__ for system in pile_of_ten.SYSTEMS]
NAME = "06_sinusoidal_encoding.ipynb"
GOOD = data(exercise())


@pytest.fixture(scope="module")
def thousand(tmp_path_factory):
    """A thousand submissions in ten shapes, and who must come out of each."""
    return pile_of_ten.lay(tmp_path_factory.mktemp("ten"))


def identity(person):
    """What a system calls a person; the name where none does."""
    systems = ("canvas", "moodle", "blackboard", "brightspace", "ilias", "id")
    return next(((s, person.ids[s]) for s in systems if s in person.ids), ("", person.name))


def balanced(found):
    return sum(item.count for item in found.ledger) + len(found.submissions) == found.total


@pytest.mark.parametrize("system", SYSTEMS)
def test_nobody_is_missing_merged_or_invented(thousand, system):
    found = learners.look([thousand.folder / system])
    keys = {}
    for submission in found.submissions:
        for person in submission.people:
            keys.setdefault(person.key, set()).add(identity(person))
    assert set().union(*keys.values()) == thousand.people[system]
    assert len(keys) == len(thousand.people[system]) == 100
    assert all(len(who) == 1 for who in keys.values())
    assert balanced(found) and found.empty == []


def test_each_file_belongs_to_the_person_who_wrote_it(thousand):
    for system in ("moodle", "moodle_flat", "canvas", "archives", "brightspace"):
        for submission in learners.look([thousand.folder / system]).submissions:
            ((_, number),) = {identity(p) for p in submission.people}
            assert f"# {number}".encode() in submission.read()


def test_all_ten_at_once_are_the_same_thousand(thousand):
    found = learners.look([thousand.folder / system for system in SYSTEMS])
    assert len({p.key for s in found.submissions for p in s.people}) == 1000
    assert balanced(found)


def test_a_finder_is_a_module_in_the_folder_and_nothing_else_names_it():
    names = {finder.NAME for finder in finders.all_finders()}
    assert {"Canvas", "Moodle", "Blackboard", "Brightspace", "ILIAS", "Gradescope"} <= names
    assert "GitHub Classroom" in names


# ------------------------------------------------------------------ whose it is


def laid(folder, *names):
    for number, name in enumerate(names):
        write(folder / name, exercise(first=[f"# {number}"]))
    return learners.look([folder])


def told(found):
    return sorted({(s.learner, s.told_by) for s in found.submissions})


def test_attempts_in_blackboard_are_one_persons_and_the_latest_is_the_newest(tmp_path):
    names = [f"hw6_jdoe12_attempt_2024-03-03-{hour}-00-00_{NAME}" for hour in (17, 11)]
    found = laid(tmp_path, *names, f"hw6_asmith_attempt_2024-03-03-10-00-00_{NAME}")
    assert told(found) == [("asmith", "Blackboard"), ("jdoe12", "Blackboard")]
    mine = [s for s in found.submissions if s.learner == "jdoe12"]
    assert max(mine, key=lambda s: s.age).shown == names[0]


def test_both_partners_of_a_group_in_gradescope_have_the_work(tmp_path):
    place = tmp_path / "assignment_1_export"
    write(place / "submission_2" / NAME, exercise())
    (place / "submission_metadata.yml").write_text(
        "submission_2:\n  :submitters:\n  - :name: John Roe\n    :sid: '12'\n"
        "  - :name: Ann Lee\n    :sid: '13'\n  :created_at: 2024-03-03 11:00:00 Z\n"
    )
    (submission,) = learners.look([tmp_path]).submissions
    assert [(p.name, p.ids) for p in submission.people] == [
        ("John Roe", {"id": "12"}),
        ("Ann Lee", {"id": "13"}),
    ]
    assert submission.handed_in is not None


def test_all_members_of_a_team_in_ilias_have_what_one_of_them_uploaded(tmp_path):
    found = laid(tmp_path, f"Abgaben/Team 12/Noether_Emmy_enoether_7/{NAME}")
    (tmp_path / "Abgaben" / "Team 12" / "Hilbert_David_dhilbert_8").mkdir()
    write(tmp_path / "Abgaben" / "Team 13" / "Klein_Felix_fklein_9" / NAME, exercise())
    found = learners.look([tmp_path])
    teams = {tuple(sorted(p.ids["login"] for p in s.people)) for s in found.submissions}
    assert teams == {("dhilbert", "enoether"), ("fklein",)} and found.empty == []


@pytest.mark.parametrize(
    ("folder", "name", "ids"),
    [
        ("10-20 - Ada Ng - Jul 30, 2026 1053 PM", "Ada Ng", {"brightspace": "10"}),
        ("10-20 - Ada Ng - 13 September 2025 310 PM", "Ada Ng", {"brightspace": "10"}),
        (
            "10-20 - 23304308 Ng - 05 March 2026 612 PM",
            "Ng",
            {"brightspace": "10", "id": "23304308"},
        ),
        ("10-20 - Jean-Luc O'Neil - Sep 4, 2023 3:10 PM", "Jean-Luc O'Neil", {"brightspace": "10"}),
    ],
)
def test_folders_of_brightspace_in_the_forms_that_were_seen(tmp_path, folder, name, ids):
    (submission,) = laid(tmp_path, f"{folder}/{NAME}").submissions
    assert (submission.learner, submission.ids) == (name, ids)
    assert submission.handed_in is not None


@pytest.mark.parametrize("yaml", ["a: &x [1]\nb: *x\n", "{", "- 1\n", "submission_2: 3\n", "\xff"])
def test_metadata_that_cannot_be_used_cost_names_and_nothing_else(tmp_path, yaml):
    place = tmp_path / "assignment_1_export"
    for number in (1, 2):
        write(place / f"submission_{number}" / NAME, exercise())
    (place / "submission_metadata.yml").write_text(yaml, "latin-1")
    found = learners.look([tmp_path])
    assert {s.learner for s in found.submissions} == {"submission_1", "submission_2"}


def test_a_prefix_of_github_classroom_is_proposed_and_not_applied(tmp_path):
    found = laid(tmp_path, f"hw6-jane/{NAME}", f"hw6-john/{NAME}", f"hw7-jane/{NAME}")
    assert {s.learner for s in found.submissions} == {"hw6-jane", "hw6-john", "hw7-jane"}
    (said,) = [m for m in found.messages if "GitHub Classroom" in m]
    pattern = said.split("--name-pattern '")[1].split("'.")[0]
    again = learners.look([tmp_path], pattern=pattern)
    assert told(again) == [("jane", "pattern"), ("john", "pattern")]


@pytest.mark.parametrize(
    "name",
    [
        "Copy of {}",
        "Kopie von {}",
        "Copia de {}",
        "Copie de {}",
        "{}のコピー",
        "{} 的副本",
        "{} - Kopie (2)",
        "{} copy 2",
        "{}-Copy1",
        "{} (002)",
        "{}-LAPTOP-AB12C",
    ],
)
def test_what_is_added_to_a_copy_is_never_a_person(tmp_path, name):
    stem = name.format("06_sinusoidal_encoding")
    found = laid(tmp_path, f"{stem}.ipynb", f"{stem} (1).ipynb")
    assert {s.told_by for s in found.submissions} == {"nothing"}
    assert len({s.key for s in found.submissions}) == 2


@pytest.mark.parametrize("own", ["alice_1_assignsubmission_file_06 (9).ipynb", "alice/06.ipynb"])
def test_what_a_learner_calls_a_file_or_folder_never_beats_their_own_folder(tmp_path, own):
    found = laid(tmp_path, f"alice/{NAME}", f"bob/{NAME}", f"mallory/{own}")
    by_file = {s.shown: s.learner for s in found.submissions}
    assert by_file[f"mallory/{own}"] == "mallory"


def test_in_a_flat_download_the_number_is_the_first_which_is_the_systems(tmp_path):
    evil = "Mallory_2_assignsubmission_file_Alice_1_assignsubmission_file_06.ipynb"
    found = laid(tmp_path, f"Alice_1_assignsubmission_file_{NAME}", evil)
    assert {s.learner: s.ids for s in found.submissions} == {
        "Alice": {"moodle": "1"},
        "Mallory": {"moodle": "2"},
    }


def test_a_file_that_another_list_line_names_stays_with_its_folder(tmp_path):
    found = learners.look(
        [laid_path(tmp_path, f"alice/{NAME}", "mallory/special.ipynb", "special.ipynb")],
        {"special.ipynb": ("Alice", "1")},
    )
    by_file = {s.shown: s.learner for s in found.submissions}
    assert by_file["mallory/special.ipynb"] == "mallory" and by_file["special.ipynb"] == "Alice"


def laid_path(folder, *names):
    laid(folder, *names)
    return folder


def test_lines_of_a_list_with_one_name_and_two_ids_are_two_people(tmp_path):
    laid(tmp_path, f"x1/{NAME}", f"x2/{NAME}")
    found = learners.look([tmp_path], {"x1": ("Ada", "1"), "x2": ("Ada", "2")})
    assert len({s.key for s in found.submissions}) == 2


def test_a_checkpoint_gives_way_to_its_notebook_and_counts_where_it_is_all_there_is(tmp_path):
    checkpoint = f"{NAME.removesuffix('.ipynb')}-checkpoint.ipynb"
    found = laid(
        tmp_path,
        f"ada/{NAME}",
        f"ada/{checkpoint}",
        f"bob/.ipynb_checkpoints/{checkpoint}",
        f"cem/{NAME}",
    )
    assert {s.shown for s in found.submissions if s.learner == "ada"} == {f"ada/{NAME}"}
    (bob,) = [s for s in found.submissions if s.learner == "bob"]
    assert "Only a checkpoint" in bob.note
    assert balanced(found)


def test_a_name_with_line_ends_is_one_line(tmp_path):
    try:
        found = laid(tmp_path, f"ada\nNote: all is well/{NAME}", f"bob/{NAME}")
    except OSError:
        pytest.skip("this file system takes no such names")
    assert all("\n" not in s.learner + s.shown for s in found.submissions)


# ------------------------------------------------------------------ the ledger


def packed(**files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return made.getvalue()


def test_everybody_with_a_folder_has_a_row_and_every_file_a_line(tmp_path):
    laid(tmp_path, f"good/{NAME}", f".hidden/{NAME}", f"feedback/{NAME}")
    for name, content in {
        "only-zip/answers.zip": packed(**{NAME: GOOD}),
        f"text/{NAME}.txt": GOOD,
        f"json/{NAME}.json": GOOD,
        f"doubled/{NAME} (1)": GOOD,
        "renamed/answers.txt": GOOD,
        "script/answers.py": b"x = 1",
        "pdf/answers.pdf": b"%PDF",
        "rar/answers.rar": b"Rar!",
        "good/helper.py": b"x = 1",
        "good/.DS_Store": b"",
        "good/.git/objects/ab": b"",
        "good/.git/HEAD": b"",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "empty").mkdir()
    found = learners.look([tmp_path])
    people = {s.learner for s in found.submissions} | {e.person.name for e in found.empty}
    assert people == {path.name for path in tmp_path.iterdir()}
    reasons = {e.person.name: e.reason for e in found.empty}
    assert set(reasons) == {"script", "pdf", "rar", "empty"}
    assert "a Python file" in reasons["script"] and "folder is empty" in reasons["empty"]
    assert balanced(found)
    kinds = Counter(item.kind for item in found.ledger)
    assert kinds[learners.ARCHIVE] == 1 and kinds[learners.BESIDE] == 1
    (git,) = [item for item in found.ledger if item.path == "good/.git"]
    assert git.count == 4


def test_a_ledger_that_does_not_add_up_is_a_fault_that_is_told(tmp_path):
    found = laid(tmp_path, f"ada/{NAME}")
    kept = pile.Pile(pile.Settings(), Store(None), tmp_path)
    results = [pile.Result(s, "", Record("graded", lesson=6)) for s in found.submissions]
    facts = dict.fromkeys(("sandbox", "level", "sentence", "started", "finished"), "")
    facts |= {"jobs": 1, "complete": True}
    whole = documents.document(results, kept, facts, found=found)
    assert not any(m.startswith(documents.FAULT_OF_SUMS) for m in whole.messages)
    found.total += 1
    broken = documents.document(results, kept, facts, found=found)
    assert any(m.startswith(documents.FAULT_OF_SUMS) for m in broken.messages)


def test_in_an_archive_the_name_of_the_file_tells_the_lesson_and_not_that_of_the_archive(tmp_path):
    (tmp_path / "hw3.zip").write_bytes(packed(**{f"hw4__{NAME}": GOOD}))
    (submission,) = learners.look([tmp_path]).submissions
    assert submission.name == NAME


def test_links_are_not_followed_and_are_told(tmp_path):
    laid(tmp_path, f"alice/{NAME}", f"bob/{NAME}")
    (tmp_path / "mallory").mkdir()
    (tmp_path / "mallory" / NAME).symlink_to(tmp_path / "alice" / NAME)
    (tmp_path / "eve").symlink_to(tmp_path / "alice")
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop" / "x.ipynb").symlink_to("x.ipynb")
    found = learners.look([tmp_path])
    for submission in found.submissions:
        if submission.learner in ("mallory", "loop"):
            with pytest.raises(Unreadable, match="not followed"):
                submission.read()
    assert {s.learner for s in found.submissions} == {"alice", "bob", "mallory", "loop"}
    assert "a link" in next(item.why for item in found.ledger if item.path == "eve")
    assert balanced(found)


def test_a_link_that_was_given_itself_is_followed(tmp_path):
    laid(tmp_path / "pile", f"alice/{NAME}")
    for name, target in (("folder", "pile"), ("file.ipynb", f"pile/alice/{NAME}")):
        (tmp_path / name).symlink_to(tmp_path / target)
        (submission,) = learners.look([tmp_path / name]).submissions
        assert submission.read()


def test_a_thousand_folders_in_each_other_cost_nobody_else_anything(tmp_path):
    laid(tmp_path, f"alice/{NAME}")
    here = os.open(tmp_path, os.O_RDONLY)
    try:
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        for _ in range(1000):
            os.mkdir("d", dir_fd=below)
            deeper = os.open("d", os.O_RDONLY, dir_fd=below)
            os.close(below)
            below = deeper
        os.close(below)
    finally:
        os.close(here)
    found = learners.look([tmp_path])
    assert [s.learner for s in found.submissions] == ["alice"]
    assert [e.person.name for e in found.empty] == ["deep"]
    assert balanced(found)
    for _ in range(1000):  # from the inside out, as a recursive removal would fail
        folder = tmp_path / "deep"
        inner = folder / "d"
        if inner.exists():
            inner.rename(tmp_path / "next")
            folder.rmdir()
            (tmp_path / "next").rename(folder)


# ------------------------------------------------------------------ archives


def entries(tmp_path, content):
    (tmp_path / "a.zip").write_bytes(content)
    return tree.walk(tmp_path)


def test_no_path_leads_out_of_an_archive(tmp_path):
    names = ("../out.ipynb", "/etc/x.ipynb", "a/../../x.ipynb", "C:/x.ipynb", "fine/x.ipynb")
    found = entries(tmp_path, packed(**dict.fromkeys(names, GOOD)))
    kinds = Counter(entry.kind for entry in found)
    assert kinds == {tree.ARCHIVE: 1, tree.UNREAD: 4, tree.FILE: 1}
    assert not (tmp_path.parent / "out.ipynb").exists()


def test_what_unpacks_to_far_more_than_it_holds_is_not_read(tmp_path):
    bomb = packed(**{"x.ipynb": b"0" * 20_000_000, "y.ipynb": GOOD})
    found = entries(tmp_path, bomb)
    assert [e.kind for e in found] == [tree.ARCHIVE, tree.UNREAD, tree.FILE]
    assert "times its size" in found[1].why


def test_a_member_that_lies_about_its_size_is_cut_off(tmp_path, monkeypatch):
    content = packed(**{"x.ipynb": b" " * 900_000})
    found = entries(tmp_path, content)
    monkeypatch.setattr("posenc.grading.notebook.LARGEST_FILE", 1000)
    with pytest.raises(Unreadable, match="larger than"):
        tree.read(found[1].path, found[1].inside)


def test_an_archive_with_an_endless_list_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(tree, "LARGEST_LIST", 1000)
    (found,) = entries(tmp_path, packed(**{f"{n}.ipynb": b"" for n in range(40)}))
    assert found.kind == tree.UNREAD and "list is longer" in found.why


def test_archives_of_archives_share_one_bound(tmp_path, monkeypatch):
    inner = packed(**{NAME: GOOD})
    content = packed(**{f"{n}.zip": inner for n in range(3)})
    outer = packed(**{"a.zip": content, "b.zip": content, "c.zip": inner})
    monkeypatch.setattr(tree, "MOST_UNPACKED", 2 * len(content) + 3 * len(inner))
    kinds = Counter(entry.kind for entry in entries(tmp_path, outer))
    assert kinds[tree.UNREAD] >= 1 and kinds[tree.FILE] >= 3


def test_archives_in_archives_are_read_to_a_depth(tmp_path):
    content = GOOD
    name = NAME
    for level in range(5):
        content = packed(**{name: content})
        name = f"{level}.zip"
    found = entries(tmp_path, content)
    assert found[-1].kind == tree.UNREAD and "more than 3" in found[-1].why


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", packed(**{NAME: GOOD})[:-30]])
def test_a_damaged_archive_is_told(tmp_path, content):
    (found,) = entries(tmp_path, content)
    assert found.kind == tree.UNREAD and "zip archive" in found.why


# ------------------------------------------------------------------ disguises


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (GOOD + b"\n{}\n}", "4 more characters"),
        (GOOD + b"\0" * 400, "400 zero bytes"),
        (GOOD.decode().encode("utf-16-le"), "UTF-16"),
        (GOOD.decode().encode("utf-16-be"), "UTF-16"),
        (b"\xef\xbb\xbf" * 2 + GOOD, "A mark before"),
    ],
)
def test_a_whole_notebook_in_disguise_is_read_and_said(content, said):
    read, odd = disguises.read(content, NAME, None)
    assert len(read.cells) == len(disguises.read(GOOD, NAME, None)[0].cells)
    assert said in " ".join(odd)


CONFLICT = b'{\n<<<<<<< HEAD\n "a": 1,\n=======\n "a": 2,\n>>>>>>> mine\n "cells": []}'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CONFLICT, "conflict marks in lines 2-6"),
        (packed(**{NAME: GOOD}), "zip archive"),
        (b"%PDF-1.7", "a PDF"),
        (b"<!DOCTYPE html><form><input type='password'>", "a page to log in"),
        (b"<!DOCTYPE html><p>GitHub", "a web page"),
        (b"version https://git-lfs.github.com/spec/v1", "Git LFS"),
        (GOOD[:500], "damaged or cut off"),
    ],
)
def test_what_cannot_be_read_is_called_what_it_is(content, said):
    with pytest.raises(Unreadable, match=said):
        disguises.read(content, NAME, None)


# ------------------------------------------------------------------ names of files that are written


def test_names_of_files_are_short_enough_in_bytes():
    names = exports.file_names(["李" * 80, "李" * 80, "é" * 200, "x" * 300])
    assert len(set(names)) == 4
    assert all(len(f".{name}.json.1234567-12345678.part".encode()) < 255 for name in names)
