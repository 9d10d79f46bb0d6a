"""One page for each learner: what was right, what was not, and what to think about next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from posenc import lessons
from posenc.files import write_whole
from posenc.judging import sentences
from posenc.judging.verdict import Verdict
from posenc.reports import exports, findings, html
from posenc.reports.documents import Document, Row, Run
from posenc.reports.findings import Headings


def write_pages(document: Document, folder: Path, headings: Headings) -> list[Path]:
    """A page for each person in `folder`; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    groups = list(document.by_person().values())
    written = []
    for name, rows in zip(exports.file_names(rows[0].learner for rows in groups), groups):
        path = folder / f"{name}.html"
        write_whole(path, page(rows, document.run, headings).encode("utf-8", "replace"))
        written.append(path)
    return written


def page(rows: Sequence[Row], run: Run, headings: Headings) -> str:
    """The page of one person as HTML that loads nothing."""

    def section(verdict: Verdict) -> str:
        mistake = verdict.misconception or ""
        return findings.section_of(verdict.challenge, mistake, headings)

    return html.render(
        "feedback.html",
        learner=rows[0].learner,
        rows=rows,
        run=run,
        style=Markup(html.source("feedback.css")),
        script="",
        policy=Markup(html.policy("")),
        lesson_name=_lesson_name,
        name=exports.challenge_name,
        sign=sentences.outcome_sign,
        told=sentences.told,
        entry_map=lambda verdict: Markup(sentences.map_html(verdict)),
        section=section,
    )


def _lesson_name(number: int) -> str:
    return f"Lesson {number}, {lessons.lesson(number).title}"
