"""What a graded class says about itself: outcomes, shared mistakes, who is stuck, who needs a word.

Made from the document of a graded pile; knows no page. A notebook that cannot be read has no
outcomes: shares are of the notebooks that were graded.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from posenc import lessons
from posenc.grading.notebook import clean
from posenc.grading.record import GRADED
from posenc.judging import verdict as outcomes
from posenc.judging.model import Challenge
from posenc.judging.verdict import Verdict
from posenc.reports.documents import Document, Row, Run

# Outcomes that mean: the code did not come to a return, which a learner cannot mend by thinking.
BROKE = (outcomes.CRASHED, outcomes.TIMED_OUT, outcomes.OUT_OF_MEMORY, outcomes.REFUSED)
UNTRIED = (outcomes.NOT_ATTEMPTED, outcomes.NOT_FOUND)
LITTLE = 1 / 3  # of the points: who tried and has at most so much needs a word


@dataclass(frozen=True)
class Mark:
    """One learner's verdict on one challenge. `reason` may repeat what the learner wrote."""

    challenge: str
    outcome: str
    points: int
    out_of: int
    reason: str = ""
    mistake: str = ""
    pattern: str = ""


@dataclass(frozen=True)
class Learner:
    """One learner's work on one lesson. status: 'graded', or why there are no marks.

    points: with what was given by hand in place of computed ones; by_hand says so.
    """

    name: str
    marks: tuple[Mark, ...]
    points: int | None
    out_of: int | None
    status: str = GRADED
    reason: str = ""
    notes: tuple[str, ...] = ()
    late: bool = False
    by_hand: bool = False

    @property
    def stuck_at(self) -> str | None:
        """The first challenge that is not passed, None where there is none."""
        return next((m.challenge for m in self.marks if m.outcome != outcomes.PASSED), None)

    @property
    def outcomes(self) -> dict[str, str]:
        """Outcomes by challenge."""
        return {mark.challenge: mark.outcome for mark in self.marks}


@dataclass(frozen=True)
class Mistake:
    """A misconception that was met: what to say of it, the section to show, and whose it is.

    challenges: those in which the same people made it; usually one.
    """

    id: str
    challenges: tuple[str, ...]
    looks_like: str
    think: str
    section: str
    learners: tuple[Learner, ...]

    @property
    def alone(self) -> bool:
        """Whether one learner only made it."""
        return len(self.learners) == 1


@dataclass(frozen=True)
class Task:
    """One challenge over the whole class: learners by outcome, and those who stop there."""

    id: str
    title: str
    section: str
    outcomes: Mapping[str, tuple[Learner, ...]]
    stuck: tuple[Learner, ...]
    unexplained: Mapping[str, tuple[Learner, ...]]

    @property
    def graded(self) -> int:
        """How many have an outcome."""
        return sum(map(len, self.outcomes.values()))

    def count(self, outcome: str) -> int:
        """How many came to this outcome."""
        return len(self.outcomes.get(outcome, ()))


@dataclass(frozen=True)
class Word:
    """A learner to speak to. why: in the course's own words; detail: may hold the learner's.

    rank: 0 for what is most pressing.
    """

    learner: Learner
    rank: int
    why: str
    detail: str = ""


@dataclass(frozen=True)
class Lesson:
    """A lesson's findings. number is None for files that do not say which lesson they are."""

    number: int | None
    title: str
    learners: tuple[Learner, ...]
    tasks: tuple[Task, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    words: tuple[Word, ...] = ()

    @property
    def graded(self) -> tuple[Learner, ...]:
        """Those whose notebook could be read and graded."""
        return tuple(each for each in self.learners if each.status == GRADED)

    @property
    def through(self) -> tuple[Learner, ...]:
        """Those who passed every challenge."""
        return tuple(each for each in self.graded if each.stuck_at is None)

    @property
    def hardest(self) -> Task | None:
        """The challenge at which most learners stop, None where all are through."""
        stopped = [task for task in self.tasks if task.stuck]
        return max(stopped, key=lambda task: len(task.stuck)) if stopped else None


@dataclass(frozen=True)
class Class:
    """The whole graded pile."""

    lessons: tuple[Lesson, ...]
    run: Run
    messages: tuple[str, ...] = ()
    notebooks: int = 0
    counted: int = 0


@dataclass
class Headings:
    """The headings of sections by lesson and name, read from the notebooks beside the package."""

    root: Path | None
    known: dict[tuple[int, str], str] = field(default_factory=dict)

    def find(self, number: int, slug: str) -> str:
        """The heading of a section, '' where the notebooks do not hold it."""
        if self.root is not None and not any(lesson == number for lesson, _ in self.known):
            self._read(self.root, number)
        return self.known.get((number, slug), "")

    def _read(self, root: Path, number: int) -> None:
        self.known[number, ""] = ""
        name = f"{lessons.lesson(number).stem}.ipynb"
        for folder in ("notebooks", "solutions"):
            try:
                cells = json.loads((root / folder / name).read_text(encoding="utf-8"))["cells"]
            except (OSError, ValueError, KeyError, TypeError):
                continue
            for cell in cells:
                slug = cell.get("metadata", {}).get("posenc", {}).get("section")
                text = "".join(cell.get("source", ""))
                heading = re.search(r"^## +(.+?)\s*$", text, re.MULTILINE)
                if slug and heading:
                    self.known.setdefault((number, slug), heading[1])


def findings(document: Document, headings: Headings) -> Class:
    """All that the pages show."""
    groups: dict[int | None, list[Learner]] = defaultdict(list)
    told: dict[tuple[str, str], Verdict] = {}
    for row in document.counting:
        groups[row.record.lesson].append(_learner(row))
        for verdict in row.record.challenges:
            if verdict.misconception:
                told.setdefault((verdict.challenge, verdict.misconception), verdict)
    lessons_met = [number for number in groups if number is not None]
    if None in groups and len(lessons_met) == 1:
        # In a pile of one lesson a file that cannot be read is most probably of that lesson too.
        groups[lessons_met[0]] += groups.pop(None)
    order = sorted(groups, key=lambda number: (number is None, number))
    return Class(
        tuple(_lesson(number, groups[number], told, headings) for number in order),
        document.run,
        tuple(clean(message) for message in document.messages),
        len(document.rows),
        len(document.counting),
    )


def _learner(row: Row) -> Learner:
    marks = tuple(
        Mark(
            clean(v.challenge, 20),
            clean(v.outcome, 40),
            v.points,
            v.out_of,
            clean(v.reason),
            clean(v.misconception or "", 80),
            clean(v.pattern, 80),
        )
        for v in row.record.challenges
    )
    return Learner(
        clean(row.learner, 200),
        marks,
        row.points,
        row.out_of,
        clean(row.record.status, 40),
        clean(row.record.reason),
        tuple(clean(note) for note in row.record.notes),
        row.late,
        bool(row.overrides),
    )


def _lesson(
    number: int | None,
    learners: list[Learner],
    told: Mapping[tuple[str, str], Verdict],
    headings: Headings,
) -> Lesson:
    learners = sorted(learners, key=lambda each: each.name.casefold())
    graded = [each for each in learners if each.status == GRADED]
    ids = sorted({mark.challenge for each in graded for mark in each.marks}, key=_place)
    mistakes = _mistakes(graded, told, headings)
    return Lesson(
        number,
        _title(number),
        tuple(learners),
        tuple(_task(id, graded, headings) for id in ids),
        mistakes,
        _words(learners, mistakes),
    )


def _task(id: str, learners: Sequence[Learner], headings: Headings) -> Task:
    met: dict[str, list[Learner]] = defaultdict(list)
    # Answers that follow one pattern are of one kind, whatever numbers the reasons hold.
    reasons: dict[str, str] = {}
    unexplained: dict[str, list[Learner]] = defaultdict(list)
    for each in learners:
        for mark in each.marks:
            if mark.challenge == id:
                met[mark.outcome].append(each)
                if mark.outcome == outcomes.FAILED and not mark.mistake:
                    reason = reasons.setdefault(mark.pattern or mark.reason, mark.reason)
                    unexplained[reason].append(each)
    known = _challenge(id)
    return Task(
        id,
        known.title if known else "",
        section_of(id, "", headings),
        {outcome: tuple(group) for outcome, group in met.items()},
        tuple(each for each in learners if each.stuck_at == id),
        {reason: tuple(group) for reason, group in unexplained.items()},
    )


def _mistakes(
    learners: Sequence[Learner], told: Mapping[tuple[str, str], Verdict], headings: Headings
) -> tuple[Mistake, ...]:
    """The misconceptions that were met, from the one that most share.

    One that the same people made in several challenges is one mistake.
    """
    groups: dict[tuple[str, str], list[Learner]] = defaultdict(list)
    for each in learners:
        for mark in each.marks:
            if mark.mistake:
                groups[mark.challenge, mark.mistake].append(each)
    same: dict[tuple[str, frozenset[int]], list[str]] = defaultdict(list)
    for (challenge, mistake), group in sorted(groups.items(), key=lambda g: _place(g[0][0])):
        same[mistake, frozenset(map(id, group))].append(challenge)
    found = []
    for (mistake, _), challenges in same.items():
        verdict = told[challenges[0], mistake]
        found.append(
            Mistake(
                mistake,
                tuple(challenges),
                clean(verdict.looks_like),
                clean(verdict.think),
                section_of(challenges[0], mistake, headings),
                tuple(groups[challenges[0], mistake]),
            )
        )
    return tuple(sorted(found, key=lambda m: (-len(m.learners), m.challenges, m.id)))


def section_of(id: str, mistake: str, headings: Headings) -> str:
    """The section to show: the mistake's, else its challenge's, else the challenge's heading."""
    challenge = _challenge(id)
    if challenge is None:
        return f"Challenge {id}"
    own = next((m.section for m in challenge.misconceptions if m.id == mistake), "")
    heading = headings.find(challenge.lesson, own or challenge.section)
    return f"Lesson {challenge.lesson}, “{heading or f'{challenge.id} · {challenge.title}'}”"


def _words(learners: Sequence[Learner], mistakes: Sequence[Mistake]) -> tuple[Word, ...]:
    """Learners to speak to, the most pressing first."""
    looks = {(challenge, m.id): m.looks_like for m in mistakes for challenge in m.challenges}
    found = [word for each in learners if (word := _word(each, looks))]
    return tuple(sorted(found, key=lambda word: word.rank))


def _word(learner: Learner, looks: Mapping[tuple[str, str], str]) -> Word | None:
    """Why this learner needs a word, the plainest reason first; None where there is none."""
    if learner.status != GRADED:
        reason = learner.reason[:1].upper() + learner.reason[1:]
        return Word(learner, 0, f"The notebook is {learner.status}.", f"{reason}.")
    tried = [m for m in learner.marks if m.outcome not in UNTRIED]
    broke = [m for m in tried if m.outcome in BROKE]
    notes = " ".join(learner.notes)
    if learner.marks and not tried:
        absent = all(m.outcome == outcomes.NOT_FOUND for m in learner.marks)
        why = "No function that was asked for is in it." if absent else "Nothing was attempted."
        return Word(learner, 1, why, notes)
    if broke:
        told = ", ".join(f"{m.challenge} {m.outcome}" for m in broke)
        return Word(learner, 2, f"Code did not come to its end: {told}.", notes or broke[0].reason)
    if learner.out_of and (learner.points or 0) <= LITTLE * learner.out_of:
        why = (
            f"{len(tried)} challenge{'s' if len(tried) != 1 else ''} tried, "
            f"{learner.points} of {learner.out_of} points."
        )
        return Word(learner, 3, why, notes or _first_fault(tried, looks))
    if notes and learner.stuck_at:
        return Word(learner, 4, "The grader has a remark on the notebook.", notes)
    return None


def _first_fault(tried: Sequence[Mark], looks: Mapping[tuple[str, str], str]) -> str:
    failed = next((mark for mark in tried if mark.outcome != outcomes.PASSED), None)
    if failed is None:
        return ""
    told = looks.get((failed.challenge, failed.mistake))
    return f"{failed.challenge} looks as if {told}." if told else failed.reason


def _place(id: str) -> list[int]:
    """Sorts 6.10 after 6.9."""
    return [int(part) for part in re.findall(r"\d+", id)]


def _challenge(id: str) -> Challenge | None:
    try:
        return lessons.challenge(id)
    except KeyError:  # a result of another version of the course
        return None


def _title(number: int | None) -> str:
    known = number is not None and 1 <= number <= len(lessons.LESSONS)
    return lessons.lesson(number).title if number is not None and known else ""
