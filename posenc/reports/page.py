"""The pages about a class: files of HTML that load nothing and read in print.

Each chart has its numbers in a table or beside it, and no colour is without a sign or a pattern.
The page for the projector has a template of its own, which holds counts and shared mistakes only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from posenc.judging import sentences
from posenc.judging import verdict as outcomes
from posenc.reports import html
from posenc.reports.findings import Class, Learner, Lesson, Mistake, Task

# In the order of the bars: outcome -> its sign and the style of its segment.
OUTCOMES = {
    outcomes.PASSED: ("✓", "passed"),
    outcomes.FAILED: ("✗", "failed"),
    outcomes.CRASHED: ("!", "broke"),
    outcomes.TIMED_OUT: ("∞", "broke"),
    outcomes.OUT_OF_MEMORY: ("▲", "broke"),
    outcomes.REFUSED: ("⊘", "broke"),
    outcomes.NOT_FOUND: ("?", "absent"),
    outcomes.NOT_ATTEMPTED: ("–", "open"),
}
ALWAYS_SHOWN = (outcomes.PASSED, outcomes.FAILED, outcomes.NOT_ATTEMPTED, outcomes.CRASHED)
MOST_NAMES = 24
MOST_REASONS = 6


def page(found: Class, anonymous: bool = False, live: bool = False) -> str:
    """The page. anonymous: for the projector, without anybody's work. live: it reloads itself."""
    script = html.source("reload.js") if live else ""
    return html.render(
        "projector.html" if anonymous else "class.html",
        found=found,
        title=_title(found),
        when=_when(found),
        style=Markup(html.source("class.css")),
        script=Markup(script),
        policy=Markup(html.policy(script)),
        outcomes=Outcomes,
        lead=sentences.LEAD[0].lower() + sentences.LEAD[1:],
        lead_capital=sentences.LEAD,
        most_names=MOST_NAMES,
        lesson_name=_lesson_name,
        lesson_numbers=_lesson_numbers,
        lesson_parts=_lesson_parts,
        task_names=_task_names,
        unexplained_rows=_unexplained_rows,
        most_stuck=_most_stuck,
        stuck_by_outcome=_stuck_by_outcome,
    )


class Outcomes:
    """What templates ask about outcomes."""

    @staticmethod
    def sign(outcome: str) -> str:
        """The outcome's sign."""
        return OUTCOMES.get(outcome, ("✗", ""))[0]

    @staticmethod
    def style(outcome: str) -> str:
        """The class of its segment."""
        return OUTCOMES[outcome][1]

    @staticmethod
    def met(task: Task) -> list[str]:
        """The outcomes that a challenge met, in the order of the bars."""
        return [outcome for outcome in OUTCOMES if task.count(outcome)]

    @classmethod
    def counted(cls, task: Task) -> str:
        """The same in words, with their counts."""
        return ", ".join(f"{task.count(outcome)} {outcome}" for outcome in cls.met(task))

    @classmethod
    def used(cls, lesson: Lesson) -> list[str]:
        """The outcomes that any challenge of a lesson met."""
        return [o for o in OUTCOMES if any(task.count(o) for task in lesson.tasks)]

    @classmethod
    def shown(cls, lesson: Lesson) -> list[str]:
        """The columns of the table."""
        used = cls.used(lesson)
        return [o for o in OUTCOMES if o in used or o in ALWAYS_SHOWN]

    @staticmethod
    def share(count: int, whole: int) -> int:
        """A count as whole per cent."""
        return round(100 * count / whole)


def _title(found: Class) -> str:
    if len(found.lessons) == 1 and found.lessons[0].number is not None:
        return f"Class report: {_lesson_name(found.lessons[0])}"
    return "Class report"


def _when(found: Class) -> str:
    told = sentences.plural(found.notebooks, "submission")
    if found.counted != found.notebooks:
        told += f", {found.counted} of them counted"
    moment = found.run.finished[:16].replace("T", ", ")
    return f"{told}. Graded {moment}." if moment else f"{told}."


def _lesson_name(lesson: Lesson) -> str:
    if lesson.number is None:
        return "Files that name no lesson"
    return f"Lesson {lesson.number}, {lesson.title}" if lesson.title else f"Lesson {lesson.number}"


def _lesson_numbers(lesson: Lesson) -> list[tuple[str, Any]]:
    graded = len(lesson.graded)
    points = [each.points for each in lesson.graded if each.points is not None]
    out_of = max((each.out_of or 0 for each in lesson.graded), default=0)
    rows: list[tuple[str, Any]] = [("learners", len(lesson.learners)), ("graded", graded)]
    if points:
        rows.append(("median points", f"{_median(points):g} of {out_of}"))
        rows.append(("all passed", f"{len(lesson.through)} of {graded}"))
    return rows


def _lesson_parts(lesson: Lesson) -> list[tuple[str, str]]:
    """The parts that have something to say: their ids and headings."""
    shared = bool(lesson.mistakes) and not lesson.mistakes[0].alone
    parts = [
        ("first", "What to say first", lesson.hardest or shared or lesson.words),
        ("challenges", "Challenges", lesson.tasks),
        ("mistakes", "Mistakes that are shared", lesson.tasks),
        ("stuck", "Who is stuck where", lesson.tasks),
        ("word", "Who needs a word", lesson.words),
        ("everyone", "Everyone", lesson.learners),
    ]
    return [(id, heading) for id, heading, there in parts if there]


def _task_names(lesson: Lesson, mistake: Mistake) -> str:
    titles = {task.id: f"{task.id} {task.title}".strip() for task in lesson.tasks}
    return sentences.listed([titles.get(id, id) for id in mistake.challenges])


def _unexplained_rows(lesson: Lesson) -> list[tuple[Task, int, str, Sequence[Learner]]]:
    rows: list[tuple[Task, int, str, Sequence[Learner]]] = []
    for task in lesson.tasks:
        groups = sorted(task.unexplained.items(), key=lambda pair: -len(pair[1]))
        rows += [(task, len(group), reason, group) for reason, group in groups[:MOST_REASONS]]
        left = sum(len(group) for _, group in groups[MOST_REASONS:])
        if left:
            rows.append((task, left, "other reasons", ()))
    return rows


def _most_stuck(lesson: Lesson) -> int:
    return max([len(task.stuck) for task in lesson.tasks] + [len(lesson.through), 1])


def _stuck_by_outcome(task: Task) -> list[tuple[str, list[Learner]]]:
    """Those who stop at a challenge, by what they came to."""
    here = {id(each) for each in task.stuck}
    groups = [(o, [e for e in task.outcomes.get(o, ()) if id(e) in here]) for o in OUTCOMES]
    return [(outcome, group) for outcome, group in groups if group]


def _median(values: Sequence[int]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
