"""The shape of a lesson, as the course's design sets it, over all lessons that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from posenc import lessons
from posenc.authoring import describe, editions, sources

ROOT = Path(__file__).resolve().parent.parent
LESSONS = [sources.read(path) for path in editions.source_paths(ROOT)]
over_lessons = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)


def test_there_are_lessons():
    assert LESSONS


@over_lessons
def test_size(lesson):
    size = sources.shape(lesson)
    limits = {
        "sections": (6, 9),
        "words": (900, 1600 if lesson.lesson == 12 else 1500),
        "code_lines": (60, 120),
        "longest": (1, 20),
        "median": (3, 6),
        "questions": (5, 5),
        "challenges": (3, 4),
        "claims": (2, 99),
        "playgrounds": (1, 9),
    }
    wrong = {
        name: (getattr(size, name), "allowed", low, high)
        for name, (low, high) in limits.items()
        if not low <= getattr(size, name) <= high
    }
    assert wrong == {}


@over_lessons
def test_special_sections_stand_at_the_end_in_order(lesson):
    slugs = [section.slug for section in sources.sections(lesson)]
    assert slugs[-4:] == ["wild", "challenges", "recap", "sources"]


@over_lessons
def test_every_ordinary_section_says_how_long_it_takes(lesson):
    timeless = [
        section.slug
        for section in sources.sections(lesson)
        if not section.minutes and section.slug not in sources.SPECIAL.values()
    ]
    assert timeless == []


@over_lessons
def test_instructors_are_told_what_to_ask_before_each_section_and_what_goes_wrong_after_it(lesson):
    told = dict.fromkeys((s.slug for s in sources.sections(lesson) if s.minutes), "")
    for index, (slug, cell) in enumerate(sources.by_section(lesson)):
        if "instructor" not in cell.tags:
            continue
        following = lesson.cells[index + 1]
        if following.minutes and cell.text.startswith(
            ("**Ask ", "**In front of people", "**At the board")
        ):
            told[following.section] += "before "
        elif (
            slug in told
            and cell.text.startswith("**What people get wrong here.**")
            and "Say: *" in cell.text
        ):
            told[slug] += "after"
    assert told == dict.fromkeys(told, "before after")


@over_lessons
def test_first_code_cell_imports_by_name_what_the_lesson_uses(lesson):
    codes = [cell for cell in lesson.cells if cell.kind == "code"]
    assert "import numpy as np" in codes[0].text
    for cell in codes:
        assert "import *" not in cell.text and "globals()" not in cell.text
        if cell is not codes[0] and "given" not in cell.tags:
            assert not re.search(r"(?m)^(import|from)\s", cell.text), cell.text


@over_lessons
def test_no_code_line_is_wider_than_the_page(lesson):
    for cell in lesson.cells:
        if cell.kind == "code":
            assert [line for line in cell.text.split("\n") if len(line) > 100] == []


@over_lessons
def test_questions_are_those_declared_and_stand_in_their_section(lesson):
    asked = [
        (name, slug)
        for slug, cell in sources.by_section(lesson)
        if cell.kind == "code"
        for name in re.findall(r"\bask\(\"([^\"]+)\"\)", cell.text)
    ]
    declared = {question.id: question.section for question in lessons.questions(lesson.lesson)}
    assert [name for name, _ in asked] == list(declared)
    assert dict(asked) == {name: section or dict(asked)[name] for name, section in declared.items()}


@over_lessons
def test_claims_are_those_declared_and_stand_in_their_section(lesson):
    declared = {claim.id: claim.section for claim in lessons.claims(lesson.lesson)}
    shown = {}
    for slug, cell in sources.by_section(lesson):
        if cell.kind == "code":
            shown |= dict.fromkeys(re.findall(r"\bclaim\(\"([^\"]+)\"", cell.text), slug)
    assert set(shown) <= set(declared), "a claim that the lesson's data do not hold"
    assert {n: s for n, s in shown.items() if declared[n] and declared[n] != s} == {}


@over_lessons
def test_challenges_are_those_declared_and_earn_ten_points(lesson):
    declared = lessons.challenges(lesson.lesson)
    assert lesson.challenges == tuple(challenge.id for challenge in declared)
    assert sum(challenge.points for challenge in declared) == 10


@over_lessons
def test_challenge_cells_name_what_is_declared(lesson):
    """The function's name in the stub; points, minutes and numbered requirements in the text."""
    for cell in lesson.cells:
        if cell.challenge is None:
            continue
        declared = lessons.challenge(cell.challenge)
        if "challenge" in cell.tags:
            assert re.search(rf"(?m)^(def|class) {declared.name}\b", cell.text), declared.id
        if "check" in cell.tags:
            assert f'check("{declared.id}", {declared.name})' in cell.text
        if "challenge-text" in cell.tags:
            assert (
                re.match(r"### (Challenge )?(.*)", cell.text)[2]
                == f"{declared.id} · {declared.title}"
            )
            assert re.search(rf"\b{declared.points} points?\b", cell.text), declared.id
            assert re.search(rf"\b{declared.minutes} minutes\b", cell.text), declared.id
            assert re.search(r"(?m)^1\. ", cell.text), declared.id


@over_lessons
def test_head_says_what_is_gained_and_needed(lesson):
    head = lesson.cells[0].text
    assert "**You need**" in head or lesson.lesson == 1
    assert re.search(r"\*\*(Afterwards )?[Yy]ou can\*\*|\*\*Afterwards you can\*\*", head)


@over_lessons
def test_minutes_said_in_prose_are_those_of_the_metadata(lesson):
    """The line of minutes is made by the builder; a head that gives a number gives the same."""
    told = re.search(r"(\d+) minutes", lesson.cells[0].text)
    if told:
        assert int(told[1]) == editions._minutes(lesson, editions.course_catalogue()).all


def test_describe_prints_one_line_a_lesson():
    found = describe.rows(ROOT)
    assert [row["lesson"] for row in found] == [lesson.stem for lesson in LESSONS]
    lines = describe.table(found).split("\n")
    assert len(lines) == len(LESSONS) + 2
    assert len({len(line) for line in lines}) == 1
    for row in found:
        assert row["figures"] >= 1 and row["misconceptions"] >= 9 and row["variants"] >= 6
