"""Timetables: sums are true, sessions fit, and what is left out is said."""

from pathlib import Path

import pytest

from posenc import lessons
from posenc.authoring import sources, timetable
from posenc.errors import CourseError

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = [each.number for each in lessons.LESSONS if lessons.challenges(each.number)]
each_lesson = pytest.mark.parametrize("number", WRITTEN)


@each_lesson
def test_a_session_is_sections_questions_and_one_challenge_within_fifty_minutes(number):
    one = timetable.session(ROOT, number)
    assert one.minutes <= timetable.SESSION
    by_hand = sum(p.minutes for p in one.sections) + sum(
        q.minutes for q in lessons.questions(number)
    )
    assert one.minutes == by_hand + one.challenge.minutes
    read = sum(p.minutes for p in one.reading)
    assert one.minutes_at_home - read + one.challenge.minutes == sum(
        c.minutes for c in lessons.challenges(number)
    )
    # Only what does not fit is left for home.
    shortest = min(c.minutes for c in lessons.challenges(number))
    if one.reading:
        assert by_hand + one.reading[0].minutes + shortest > timetable.SESSION


@each_lesson
def test_minutes_are_those_of_the_source(number):
    stem = lessons.lesson(number).stem
    source = {
        s.title: s.minutes for s in sources.sections(ROOT / "solutions" / f"{stem}.py") if s.minutes
    }
    one = timetable.session(ROOT, number)
    assert {p.name: p.minutes for p in (*one.sections, *one.reading)} == source


@each_lesson
def test_the_challenges_of_a_lesson_are_worth_ten_points(number):
    assert sum(c.points for c in lessons.challenges(number)) == 10


def test_a_day_has_no_gap_and_no_overlap():
    chosen = [timetable.session(ROOT, n) for n in WRITTEN[:6]]
    slots = timetable.day(chosen, 540)
    assert slots[0].start == 540
    assert all(a.end == b.start for a, b in zip(slots, slots[1:]))
    assert [s.what for s in slots].count("lunch") == 1
    pauses = sum(s.end - s.start for s in slots if s.what in ("lunch", "break"))
    assert slots[-1].end - 540 - pauses == sum(round(one.minutes) for one in chosen)
    assert slots[-1].what not in ("lunch", "break")


def test_every_lesson_that_a_course_leaves_out_is_named():
    assert set(timetable.left_out(timetable.ONE_DAY)) == set(range(1, 13)) - set(
        timetable.ONE_DAY[0]
    )
    assert timetable.left_out(timetable.TWO_DAYS) == {}


def test_the_text_holds_the_sums_and_the_clock():
    text = timetable.text(ROOT, 9 * 60 + 30)
    all_sessions = timetable.sessions(ROOT)
    assert f"In the room {sum(s.minutes for s in all_sessions):g} minutes" in text
    assert " 9:30 –" in text
    for one in all_sessions:
        assert f"{one.number} · {one.title}: {one.minutes:g} minutes" in text


def test_a_missing_notebook_is_named(tmp_path):
    with pytest.raises(CourseError, match="01_order_problem"):
        timetable.session(tmp_path, 1)
