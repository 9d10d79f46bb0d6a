"""A graded pile in the terminal: a bar, then a table, then a line for all that has no row."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from posenc.judging import sentences
from posenc.judging import verdict as outcomes
from posenc.judging.verdict import Verdict
from posenc.reports import documents
from posenc.reports.documents import Document, Row

STYLES = {outcomes.PASSED: "green", outcomes.NOT_ATTEMPTED: "dim", outcomes.NOT_FOUND: "yellow"}


@contextlib.contextmanager
def progress(total: int, quiet: bool = False) -> Iterator[Any]:
    """A bar on stderr with the time left; yields a function to be called once a notebook."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("Grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=total, last="")

        def advance(result: Any) -> None:
            bar.update(task, advance=1, last=Text(result.submission.learner[:30]))

        yield advance


def show(document: Document, console: Console | None = None) -> None:
    """A table for each lesson, a line for each thing without a row, notes, and the summary."""
    console = console or Console()
    for made in tables(document):
        console.print(made)
    rest = documents.left_over(document)
    if rest:
        console.print(Text("What else there is:"))
    for item in rest:
        number = f" ({item.count} files and folders)" if item.count > 1 else ""
        why = f", {item.why}" if item.why else ""
        console.print(Text(f"  {item.path}: {item.kind}{why}{number}"), soft_wrap=True)
    for message in document.messages:
        console.print(Text(f"Note: {message}"), soft_wrap=True)
    for line in documents.summary(document):
        console.print(Text(line), soft_wrap=True)


def tables(document: Document) -> list[Table]:
    """One table a lesson; files that belong to none are with the only lesson, or by themselves."""
    rows = document.rows
    found = sorted({row.record.lesson for row in rows if row.record.lesson is not None})
    if len(found) <= 1:
        return [table(rows, f"Lesson {found[0]}" if found else "")]
    made = [table([r for r in rows if r.record.lesson == n], f"Lesson {n}") for n in found]
    rest = [row for row in rows if row.record.lesson is None]
    return [*made, table(rest, "Not graded")] if rest else made


def table(rows: Sequence[Row], title: str = "") -> Table:
    """One row a submission: learner, points, what came of each challenge, and a remark."""
    ids = documents.challenge_ids(rows)
    made = Table(title=title or None, title_justify="left", header_style="bold", pad_edge=False)
    made.add_column("learner", overflow="fold", min_width=8)
    made.add_column("points", justify="right", no_wrap=True)
    for id in ids:
        made.add_column(id, no_wrap=True)
    made.add_column("status and remarks", overflow="fold", ratio=1)
    for row in rows:
        cells = [_mark(row.record.verdict(id)) for id in ids]
        style = None if row.counts else "dim"
        told = Text(_remarks(row))
        made.add_row(Text(row.learner), Text(_points(row)), *cells, told, style=style)
    return made


def _mark(verdict: Verdict | None) -> Text:
    if verdict is None:
        return Text("")
    sign = "?" if verdict.outcome == outcomes.NOT_FOUND else sentences.outcome_sign(verdict)
    return Text(f"{sign} {verdict.points}", style=STYLES.get(verdict.outcome, "red"))


def _points(row: Row) -> str:
    return "none" if row.points is None else f"{row.points} of {row.out_of}"


def _remarks(row: Row) -> str:
    record = row.record
    told = [] if row.counts else [f"does not count: {row.counts_reason}"]
    if row.late:
        told.append("late")
    if row.partners:
        told.append(f"with {', '.join(row.partners)}")
    told += [override.sentence for override in row.overrides]
    if not record.graded:
        return "; ".join([f"{record.status}: {record.reason}", *told])
    for verdict in record.challenges:
        if verdict.outcome not in (outcomes.PASSED, outcomes.NOT_ATTEMPTED):
            told.append(f"{verdict.challenge} {verdict.outcome}: {sentences.short(verdict)}")
    unopened = [v.challenge for v in record.challenges if v.outcome == outcomes.NOT_ATTEMPTED]
    if unopened:
        whole = len(unopened) == len(record.challenges)
        told.append("not attempted: " + ("all" if whole else ", ".join(unopened)))
    told += record.notes
    return "; ".join(told) if told else "all passed"
