"""What a learner has done, in a file of their own: `progress.json` in the working folder.

Outside a working folder it is written where POSENC_PROGRESS says, a folder that a hub may set;
without that it lives as long as the kernel, and the learner is told so once. POSENC_PROGRESS=none
is for runs that are nobody's work, of which nothing is said.

What cannot be written waits in memory and goes along with the next write. The cell of an answer
that passed is kept with it, so that `posenc restore 6.2` can bring it back.

    {"version": 1,
     "challenges": {"6.2": {"outcome": "passed", "points": 3, "when": "2026-01-31T18:30:00+01:00",
                            "source": "def sinusoidal(…"}},
     "questions": {"6.q1": {"option": 1, "first": 0, "when": "2026-01-31T18:05:00+01:00"}}}
"""

from __future__ import annotations

import html
import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from posenc import lessons
from posenc.classroom.display import TROUBLE, Note, note, show
from posenc.files import exclusive, patiently, set_aside, write_whole
from posenc.places import MARKER
from posenc.saving import notebook_metadata

FILE = "progress.json"
LOCK = ".progress.lock"
VERSION = 1
PASSED = "passed"
SECTIONS = ("challenges", "questions")
PLACE, NOWHERE = "POSENC_PROGRESS", "none"
LONGEST_SOURCE = 100_000  # characters; a cell beyond that is not an answer of this course

# What is not written yet: the only record where there is no place for the file.
_unwritten: dict[str, dict[str, dict]] = {section: {} for section in SECTIONS}
_said: set[str] = set()


class _Unreadable(Exception):
    """The file is there and may not be read; it must not be written over either."""


@dataclass(frozen=True)
class Progress:
    """What was recorded: an entry for each challenge and each question, by id."""

    challenges: dict[str, dict] = field(default_factory=dict)
    questions: dict[str, dict] = field(default_factory=dict)

    def passed(self, challenge_id: str) -> bool:
        """True where the challenge was passed at some time."""
        return self.challenges.get(challenge_id, {}).get("outcome") == PASSED

    def source(self, challenge_id: str) -> str:
        """The cell in which a challenge was solved, '' where none is kept."""
        kept = self.challenges.get(challenge_id, {}).get("source", "")
        return kept if isinstance(kept, str) else ""

    def option(self, question_id: str) -> int | None:
        """The index of the option chosen last, None where the question is open."""
        chosen = self.questions.get(question_id, {}).get("option")
        return chosen if isinstance(chosen, int) and not isinstance(chosen, bool) else None


def working_folder(start: Path | None = None) -> Path | None:
    """The working folder that `start` (the current folder) lies in, None outside of one."""
    try:
        here = (start or Path.cwd()).resolve()
    except OSError:  # the current folder was removed
        return None
    return next((f for f in (here, *here.parents) if (f / MARKER).exists()), None)


def place_of_progress() -> Path | None:
    """The folder of the progress file: the working folder, or what POSENC_PROGRESS names."""
    told = os.environ.get(PLACE, NOWHERE)
    return working_folder() or (None if told == NOWHERE else Path(told))


def read(folder: Path | None = None) -> Progress:
    """What is recorded in the working folder and in this kernel. Never raises for a bad file."""
    folder = folder or place_of_progress()
    content: dict = {}
    if folder is not None:
        with suppress(_Unreadable):
            content = _read_file(folder / FILE)
    merged: dict[str, dict[str, dict]] = {}
    for section in SECTIONS:
        written = _entries(content.get(section))
        waiting = _unwritten[section].items()
        merged[section] = written | {
            key: _merged(section, written.get(key, {}), entry) for key, entry in waiting
        }
    return Progress(**merged)


def record_challenge(challenge_id: str, outcome: str, points: float, source: str = "") -> None:
    """Record a verdict, and the source of an answer that passed.

    One that passed stays passed, whatever is tried later.
    """
    entry = {"outcome": str(outcome), "points": points, "when": _now()}
    if source and outcome == PASSED and len(source) <= LONGEST_SOURCE:
        entry["source"] = source
    _record("challenges", challenge_id, entry)


def record_answer(question_id: str, option_index: int) -> None:
    """Record the option that was chosen, by its index; the first one chosen is kept beside it."""
    _record("questions", question_id, {"option": option_index, "when": _now()})


def _merged(section: str, before: dict, entry: dict) -> dict:
    """What stays of an entry and a later one."""
    if section == "questions":
        first = before.get("first", entry.get("first", entry["option"]))
        return {"option": entry["option"], "first": first, "when": entry["when"]}
    if before.get("outcome") == PASSED and entry["outcome"] != PASSED:
        return before
    return {"source": before["source"], **entry} if "source" in before else entry


def _record(section: str, key: str, entry: dict) -> None:
    # In memory first: whatever happens to the file, nothing is lost while the kernel lives.
    waiting = _unwritten[section]
    waiting[key] = _merged(section, waiting.get(key, {}), entry)
    folder = place_of_progress()
    if folder is None:
        if os.environ.get(PLACE) != NOWHERE:
            _say_once(
                "This notebook is not in a working folder.",
                "What you do is remembered until its kernel ends. `posenc start` makes a folder in "
                "which it is kept.",
            )
        return
    try:
        with exclusive(folder / LOCK):
            # Read anew under the lock: another notebook's kernel may have written meanwhile.
            content = _read_file(folder / FILE)
            for name in SECTIONS:
                entries = content.setdefault(name, {})
                for each, told in _unwritten[name].items():
                    entries[each] = _merged(name, _entries(entries).get(each, {}), told)
            content.setdefault("version", VERSION)
            text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
            write_whole(folder / FILE, text.encode())
    except (OSError, _Unreadable) as error:
        reason = error.__cause__ or error
        _say_once(
            f"{FILE} cannot be written ({reason}).",
            "What you do is remembered and written with your next answer; until then, keep this "
            "notebook's kernel.",
        )
        return
    for name in SECTIONS:
        _unwritten[name].clear()


def _read_file(path: Path) -> dict:
    """The file's content, {} where there is none; a damaged file is laid aside, dated."""
    try:
        text = patiently(path.read_bytes)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _Unreadable(str(error)) from error
    with suppress(ValueError, RecursionError):
        content = json.loads(text)
        if isinstance(content, dict) and all(
            isinstance(content.get(section, {}), dict) for section in SECTIONS
        ):
            return content
    try:
        kept = set_aside(path)
    except FileNotFoundError:  # another kernel was quicker
        return {}
    except OSError as error:
        raise _Unreadable(str(error)) from error
    _say_once(
        f"{FILE} was damaged and could not be read.",
        f"It is kept as {kept.name}; a new one begins. Your notebooks are as they were.",
    )
    return {}


def _entries(found: object) -> dict[str, dict]:
    """The entries that have the shape of one; anything else is left alone and not shown."""
    if not isinstance(found, dict):
        return {}
    return {key: entry for key, entry in found.items() if isinstance(entry, dict)}


def _say_once(*words: str) -> None:
    if words[0] not in _said:
        _said.add(words[0])
        show(note(TROUBLE, *words))


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


# ── the table ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Row:
    """One lesson's line in the table of progress; `lesson` is None in the line of sums."""

    lesson: int | None
    title: str
    passed: int
    challenges: int
    points: float
    points_possible: float
    answered: int
    questions: int
    minutes_left: int

    @property
    def done(self) -> bool:
        """True where nothing is left to do."""
        return self.passed == self.challenges and self.answered == self.questions

    @property
    def begun(self) -> bool:
        """True where something was done."""
        return self.passed + self.answered > 0

    def cells(self) -> tuple[str, ...]:
        """The line as text: state and lesson, challenges, points, questions, minutes left."""
        state = "✓ done" if self.done else "… begun" if self.begun else "○ open"
        name = self.title if self.lesson is None else f"{self.lesson}. {self.title}"
        return (
            name,
            state,
            f"{self.passed}/{self.challenges}",
            f"{self.points:g}/{self.points_possible:g}",
            f"{self.answered}/{self.questions}",
            str(self.minutes_left),
        )


COLUMNS = ("Lesson", "State", "Challenges", "Points", "Questions", "Minutes left")


def table_rows(folder: Path | None = None) -> list[Row]:
    """A line for each lesson that has been written, and the line of sums as the last one."""
    folder = folder or working_folder()
    recorded = read(folder)
    rows = [
        _row(lesson, recorded, folder)
        for lesson in lessons.LESSONS
        if lessons.challenges(lesson.number) or lessons.questions(lesson.number)
    ]
    sums = [
        sum(getattr(row, name) for row in rows)
        for name in (
            "passed",
            "challenges",
            "points",
            "points_possible",
            "answered",
            "questions",
            "minutes_left",
        )
    ]
    return [*rows, Row(None, "All lessons", *sums)]


def _row(lesson: lessons.Lesson, recorded: Progress, folder: Path | None) -> Row:
    challenges = lessons.challenges(lesson.number)
    questions = lessons.questions(lesson.number)
    open_challenges = [c for c in challenges if not recorded.passed(c.id)]
    open_questions = [q for q in questions if recorded.option(q.id) is None]
    tasks = sum(task.minutes for task in (*open_challenges, *open_questions))
    all_tasks = sum(task.minutes for task in (*challenges, *questions))
    reading = max(0, _minutes_of_notebook(lesson, folder) - all_tasks)
    # The questions stand under the sections they test: their share tells how much was read.
    unread = len(open_questions) / len(questions) if questions else bool(open_challenges)
    return Row(
        lesson.number,
        lesson.title,
        len(challenges) - len(open_challenges),
        len(challenges),
        sum(c.points for c in challenges if recorded.passed(c.id)),
        sum(c.points for c in challenges),
        len(questions) - len(open_questions),
        len(questions),
        round(tasks + reading * unread),
    )


def _minutes_of_notebook(lesson: lessons.Lesson, folder: Path | None) -> float:
    """All minutes of a lesson, as its notebook in the working folder says; 0 where it does not."""
    if folder is None:
        return 0
    try:
        found = notebook_metadata((folder / f"{lesson.stem}.ipynb").read_bytes()).get("minutes", 0)
    except OSError:
        return 0
    return found if isinstance(found, (int, float)) else 0


def progress() -> Note:
    """A table of what has been done and what is left, lesson by lesson."""
    lines = [COLUMNS, *(row.cells() for row in table_rows())]
    return Note(_html_table(lines), _text_table(lines))


def _text_table(lines: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    written = [
        "  ".join(
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()
        for cells in lines
    ]
    return "\n".join(written)


def _html_table(lines: list[tuple[str, ...]]) -> str:
    head = "".join(f'<th scope="col" style="text-align: left">{name}</th>' for name in lines[0])
    body = "".join(
        "<tr>"
        + f'<th scope="row" style="text-align: left; font-weight: normal">{html.escape(name)}</th>'
        + "".join(f'<td style="text-align: left">{cell}</td>' for cell in rest)
        + "</tr>"
        for name, *rest in lines[1:]
    )
    return (
        "<table><caption>What has been done, lesson by lesson</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
