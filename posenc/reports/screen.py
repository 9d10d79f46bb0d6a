"""A graded pile in the terminal: a bar while it runs, a table at the end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
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

from posenc.grading.pile import GRADED
from posenc.reports import documents

SIGNS = {"passed": ("✓", "green"), "not attempted": ("–", "dim"), "not found": ("?", "yellow")}


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


def show(document: dict[str, Any], console: Console | None = None) -> None:
    """A table for each lesson, what must be said about the pile, and its summary."""
    console = console or Console()
    for made in tables(document):
        console.print(made)
    for message in document["messages"]:
        console.print(Text(f"Note: {message}"), soft_wrap=True)
    for line in documents.summary(document):
        console.print(Text(line), soft_wrap=True)


def tables(document: dict[str, Any]) -> list[Table]:
    """One table a lesson; files that belong to none stand with the only lesson, or by themselves."""
    submissions = document["submissions"]
    found = sorted({s["lesson"] for s in submissions if s["lesson"] is not None})
    if len(found) <= 1:
        return [table(submissions, f"Lesson {found[0]}" if found else "")]
    made = [table([s for s in submissions if s["lesson"] == n], f"Lesson {n}") for n in found]
    rest = [s for s in submissions if s["lesson"] is None]
    return [*made, table(rest, "Not graded")] if rest else made


def table(submissions: list[dict[str, Any]], title: str = "") -> Table:
    """One row a submission: learner, points, what came of each challenge, and a remark."""
    ids = documents.challenge_ids({"submissions": submissions})
    made = Table(title=title or None, title_justify="left", header_style="bold", pad_edge=False)
    made.add_column("learner", overflow="fold", min_width=8)
    made.add_column("points", justify="right", no_wrap=True)
    for id in ids:
        made.add_column(id, no_wrap=True)
    made.add_column("status and remarks", overflow="fold", ratio=1)
    for submission in submissions:
        verdicts = {v["challenge"]: v for v in submission["challenges"]}
        cells = [_mark(verdicts.get(id)) for id in ids]
        learner, points = Text(submission["learner"]), Text(_points(submission))
        style = None if submission["counts"] else "dim"
        made.add_row(learner, points, *cells, Text(_remarks(submission)), style=style)
    return made


def _mark(verdict: dict[str, Any] | None) -> Text:
    if verdict is None:
        return Text("")
    sign, style = SIGNS.get(verdict["outcome"], ("✗", "red"))
    return Text(f"{sign} {verdict['points']}", style=style)


def _points(submission: dict[str, Any]) -> str:
    if submission["points"] is None:
        return "none"
    return f"{submission['points']} of {submission['out_of']}"


def _remarks(submission: dict[str, Any]) -> str:
    if submission["status"] != GRADED:
        return documents.status(submission)
    told = [] if submission["counts"] else [f"does not count: {submission['counts_reason']}"]
    verdicts = submission["challenges"]
    for verdict in verdicts:
        if verdict["outcome"] not in ("passed", "not attempted"):
            short = verdict["misconception"] or _first_sentence(
                verdict["mend_first"] or verdict["reason"]
            )
            told.append(f"{verdict['challenge']} {verdict['outcome']}: {short}")
    unopened = [v["challenge"] for v in verdicts if v["outcome"] == "not attempted"]
    if unopened:
        told.append(
            "not attempted: " + ("all" if len(unopened) == len(verdicts) else ", ".join(unopened))
        )
    told += submission["notes"]
    return "; ".join(told) if told else "all passed"


def _first_sentence(text: str) -> str:
    return text.split(". ")[0][:140].rstrip(".")
