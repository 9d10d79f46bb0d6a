"""When what happens: timetables from the minutes that lessons carry.

Minutes are read from the notebooks of the instructor edition (or the learner's, where that is all
there is) and from the lessons' data. A session is the sections of one lesson, its questions and one
challenge. What does not fit is done at home: other challenges, and the last sections as reading.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from posenc import lessons
from posenc.errors import CourseError

SESSION = 50  # minutes, at most
SHORT_BREAK, LUNCH = 15, 60
# What a shorter course keeps. One day follows the construction from the problem to its test.
TWO_DAYS = ((1, 2, 3, 4, 5, 6), (7, 8, 9, 10, 11, 12))
ONE_DAY = ((1, 2, 4, 6, 8, 12),)
WITHOUT = {
    3: "masks: say that permission to read is another question than order",
    5: "hands and circles: show the playground for five minutes before lesson 6",
    7: "the ladder: name the longest wavelength and the base",
    9: "shift rotations: show one matrix and the playground",
    10: "the cost of adding: leave as reading before lesson 12",
    11: "learned tables and index contracts: for those who write training code",
}


@dataclass(frozen=True)
class Part:
    """A section or a challenge, and its minutes."""

    name: str
    minutes: float


@dataclass(frozen=True)
class Session:
    """One lesson as a session: what is done in the room, and what is left for home."""

    number: int
    title: str
    sections: tuple[Part, ...]
    questions: float
    challenge: Part
    homework: tuple[Part, ...]
    reading: tuple[Part, ...] = ()

    @property
    def minutes(self) -> float:
        """Minutes in the room."""
        return sum(part.minutes for part in self.sections) + self.questions + self.challenge.minutes

    @property
    def minutes_at_home(self) -> float:
        """Minutes of the challenges and the sections that are left."""
        return sum(part.minutes for part in (*self.homework, *self.reading))


@dataclass(frozen=True)
class Slot:
    """One line of a day: from, to (minutes since midnight), and what happens."""

    start: int
    end: int
    what: str


def sections(notebook: Path) -> tuple[Part, ...]:
    """The sections of a built notebook and their minutes, in order."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    found = []
    for cell in cells:
        minutes = cell["metadata"].get("posenc", {}).get("minutes")
        if minutes is not None:
            source = cell["source"]
            text = source if isinstance(source, str) else "".join(source)
            heading = next(line for line in text.splitlines() if line.startswith("## "))
            found.append(Part(heading[3:].strip(), minutes))
    return tuple(found)


def session(root: Path, number: int) -> Session:
    """The session of lesson `number`. CourseError where its notebook is not there."""
    lesson = lessons.lesson(number)
    parts = sections(_notebook(root, lesson.stem))
    asked = sum(question.minutes for question in lessons.questions(number))
    challenges = [Part(f"{c.id} {c.title}", c.minutes) for c in lessons.challenges(number)]
    shortest = min(part.minutes for part in challenges)
    kept = len(parts)
    while kept > 1 and asked + sum(p.minutes for p in parts[:kept]) + shortest > SESSION:
        kept -= 1
    left = SESSION - asked - sum(part.minutes for part in parts[:kept])
    # The longest that fits: a short one is done at home without a teacher near.
    chosen = max((p for p in challenges if p.minutes <= left), key=lambda p: p.minutes)
    rest = tuple(part for part in challenges if part is not chosen)
    return Session(number, lesson.title, parts[:kept], asked, chosen, rest, parts[kept:])


def sessions(root: Path) -> list[Session]:
    """All sessions, in order, of the lessons that are there."""
    return [
        session(root, each.number) for each in lessons.LESSONS if lessons.challenges(each.number)
    ]


def day(chosen: Sequence[Session], start: int) -> list[Slot]:
    """A day from `start`, in minutes since midnight: breaks after two sessions, lunch midway."""
    slots, now = [], start
    for index, one in enumerate(chosen):
        end = now + round(one.minutes)
        slots.append(Slot(now, end, f"{one.number} · {one.title}"))
        now = end
        last = index == len(chosen) - 1
        if not last and (index + 1) * 2 in (len(chosen), len(chosen) + 1):
            slots.append(Slot(now, now + LUNCH, "lunch"))
            now += LUNCH
        elif not last and index % 2:
            slots.append(Slot(now, now + SHORT_BREAK, "break"))
            now += SHORT_BREAK
    return slots


def left_out(days: Sequence[Sequence[int]]) -> dict[int, str]:
    """The lessons that a course of these days leaves out, and what to do about each."""
    kept = {number for one in days for number in one}
    return {
        each.number: WITHOUT[each.number] for each in lessons.LESSONS if each.number not in kept
    }


def clock(minutes: int) -> str:
    """Minutes since midnight as 9:05."""
    return f"{minutes // 60}:{minutes % 60:02d}"


def text(root: Path, start: int = 9 * 60) -> str:
    """The whole timetable, as text."""
    all_sessions = sessions(root)
    by_number = {one.number: one for one in all_sessions}
    lines = [f"Twelve sessions of up to {SESSION} minutes", ""]
    for one in all_sessions:
        lines += _session_lines(one)
    home = sum(one.minutes_at_home for one in all_sessions)
    room = sum(one.minutes for one in all_sessions)
    lines += [f"In the room {room:g} minutes, at home {home:g}, in all {room + home:g}.", ""]
    for name, days in (("Two days", TWO_DAYS), ("One day", ONE_DAY)):
        lines += [name, ""]
        for index, numbers in enumerate(days, 1):
            if len(days) > 1:
                lines.append(f"  Day {index}")
            slots = day([by_number[n] for n in numbers if n in by_number], start)
            lines += [f"  {clock(s.start):>5} – {clock(s.end):>5}  {s.what}" for s in slots]
            lines.append("")
        gone = left_out(days)
        lines += (
            ["  Left out:", *(f"    {n} · {why}" for n, why in gone.items()), ""]
            if gone
            else ["  Left out: nothing but homework.", ""]
        )
    return "\n".join(lines).rstrip() + "\n"


def _session_lines(one: Session) -> list[str]:
    lines = [
        f"{one.number} · {one.title}: {one.minutes:g} minutes, at home {one.minutes_at_home:g}"
    ]
    lines += [f"  {part.minutes:4g}  {part.name}" for part in one.sections]
    lines.append(f"  {one.questions:4g}  questions, each under its section")
    lines.append(f"  {one.challenge.minutes:4g}  challenge {one.challenge.name}")
    for part in one.reading:
        lines.append(f"  {part.minutes:4g}  reading at home: {part.name}")
    for part in one.homework:
        lines.append(f"     –  at home, {part.minutes:g}: {part.name}")
    return [*lines, ""]


def _notebook(root: Path, stem: str) -> Path:
    for folder in ("solutions", "notebooks"):
        path = root / folder / f"{stem}.ipynb"
        if path.exists():
            return path
    raise CourseError(
        f"{stem}.ipynb is in neither solutions/ nor notebooks/ of {root}; posenc build makes it"
    )
