"""`posenc replay`: a verdict given again from a results file, for a mark that is disputed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from posenc.errors import CourseError, NotUnderstood
from posenc.grading import learners, replay
from posenc.grading.pile import judge_mark
from posenc.judging.verdict import Verdict
from posenc.reports import reading
from posenc.reports.documents import Document, Row

SAME, OTHER = 0, 1


def answer(path: Path, learner: str, challenge: str, say: Callable[[str], None]) -> int:
    """Show the verdict as JSON and say whether it is the one in the file; the exit code."""
    if not path.is_file():
        raise NotUnderstood(f"There is no file called {path}.")
    document = reading.from_json(path)
    row = find(document, learner, challenge)
    try:
        verdict = replay.verdict(row.record, challenge)
    except replay.CannotReplay as error:
        raise CourseError(f"{row.learner}, {challenge}: {error}.") from None
    text, kept = as_text(verdict), as_text(row.record.verdict(challenge))
    say(text)
    if text == kept:
        say("The same verdict as in the file, byte for byte.")
        return SAME
    say(f"The file holds another verdict:\n{kept}")
    if row.record.judge != judge_mark():
        say(f"It was given by judge {row.record.judge}; this is judge {judge_mark()}.")
    return OTHER


def find(document: Document, learner: str, challenge: str) -> Row:
    """The row of a learner that counts and has this challenge. NotUnderstood where none is sure."""
    has = [row for row in document.rows if row.record.verdict(challenge)]
    exact = [r for r in has if learner in (r.learner, r.file, *r.ids.values())]
    named = exact or [r for r in has if learners.near(learner) == learners.near(r.learner)]
    rows = [r for r in named if r.counts] or named
    if not rows:
        raise NotUnderstood(f"The file holds no verdict on {challenge} of a learner {learner!r}.")
    if len({row.person for row in rows}) > 1:
        told = ", ".join(row.file for row in rows)
        raise NotUnderstood(f"{learner!r} is the name of several learners; name a file: {told}.")
    return rows[-1]


def as_text(verdict: Verdict | None) -> str:
    """A verdict as JSON text, the same for the same verdict everywhere."""
    plain = {} if verdict is None else verdict.to_dict()
    return json.dumps(plain, ensure_ascii=False, indent=1, sort_keys=True)
