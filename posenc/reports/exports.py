"""A graded pile for other programs: CSV, JSON, JUnit XML, Gradescope.

Each says a status in words: a notebook that was not graded has no points, and is no zero. Points
that a person gave in place of the computed ones are handed on, and said beside them.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from posenc import lessons
from posenc.errors import NotUnderstood
from posenc.files import write_whole
from posenc.judging import sentences
from posenc.judging import verdict as outcomes
from posenc.judging.verdict import Verdict
from posenc.reports import documents
from posenc.reports.documents import Document, Row
from posenc.reports.formats import Format, all_formats

FORMULA = re.escape("=+-@") + "＝＋－＠"
# What a spreadsheet takes for a formula: at the start of a cell, or of what it takes for a cell.
STARTS_FORMULA = re.compile(rf"(^[\t\r\n ]*|[;\t\r\n]\s*)(?=[{FORMULA}])")
MOST_BYTES = 150  # of a file's name, which systems count in bytes, with room for an ending
RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))}


class CannotWrite(NotUnderstood):
    """A file cannot be made of this pile; the message says why."""


class BadColumns(CannotWrite):
    """A map of columns cannot be used; the message says why."""


def write_json(document: Document, path: Path) -> None:
    """The whole document, as docs/results.schema.json describes it."""
    write_whole(path, _as_json(document.to_plain()))


def write_csv(document: Document, path: Path, columns: str | None = None) -> None:
    """A line a submission; with a form of columns (canvas, moodle, a JSON file), a person."""
    form = Format({}) if columns is None else find_columns(columns)
    rows = _all_columns(document) if columns is None else _mapped(document, form)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=form.delimiter)
    writer.writerows([_cell(value) for value in row] for row in rows)
    write_whole(path, text.getvalue().encode(form.encoding, "replace"))


def write_junit(document: Document, path: Path) -> None:
    """A test suite for each submission, a test case for each challenge."""
    root = ElementTree.Element("testsuites", name="posenc")
    for row in document.rows:
        root.append(_suite(row))
    ElementTree.indent(root)
    write_whole(path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def write_gradescope(document: Document, path: Path) -> None:
    """Gradescope's results.json; a folder of them, by person, where `path` does not end in .json.

    CannotWrite where one file is asked for and not exactly one submission counts.
    """
    chosen = document.counting
    if path.suffix.lower() == ".json":
        if len(chosen) != 1:
            raise CannotWrite(
                f"{path.name} holds one submission and {len(chosen)} count; name a folder instead"
            )
        write_whole(path, _as_json(gradescope(chosen[0])))
        return
    path.mkdir(parents=True, exist_ok=True)
    for name, row in zip(file_names(row.learner for row in chosen), chosen):
        write_whole(path / f"{name}.json", _as_json(gradescope(row)))


def gradescope(row: Row) -> dict[str, Any]:
    """One submission in the form that Gradescope reads."""
    tests = []
    for v in row.record.challenges:
        given = row.given(v.challenge)
        said = [*feedback_lines(v), *([given.sentence] if given else [])]
        tests.append(
            {
                "name": challenge_name(v.challenge),
                "score": given.points if given else v.points,
                "max_score": v.out_of,
                "status": "passed" if v.passed else "failed",
                "output": "\n".join(said),
                "output_format": "text",
            }
        )
    late = ["Handed in late."] if row.late else []
    return {
        "score": row.points or 0,
        "output": "\n".join([f"Status: {documents.status(row)}", *late, *row.record.notes]),
        "visibility": "visible",
        "tests": tests,
    }


def challenge_name(id: str) -> str:
    """A challenge's id and title; the id alone where this version of the course lacks it."""
    try:
        return f"{id} · {lessons.challenge(id).title}"
    except KeyError:
        return id


def feedback_lines(verdict: Verdict) -> list[str]:
    """What a learner is told of one challenge, as lines of plain text."""
    return sentences.feedback(verdict)


def file_names(learners: Iterable[str]) -> list[str]:
    """A file name for each learner, safe and short enough on every system, no two alike."""
    taken: set[str] = set()
    names = []
    for learner in learners:
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in learner).strip("._ ")[:80]
        plain = safe.encode()[:MOST_BYTES].decode("utf-8", "ignore").strip("._ ") or "learner"
        if plain.split(".")[0].lower() in RESERVED:
            plain = f"_{plain}"
        name, number = plain, 2
        while name.casefold() in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name.casefold())
        names.append(name)
    return names


def _all_columns(document: Document) -> list[list[Any]]:
    head = ["learner", "file", "lesson", "status", "points", "out_of", "counts", "late"]
    for id in document.challenges:
        head += [f"{id} points", f"{id} outcome", f"{id} remark"]
    more = ["computed points", "given by hand", "handed in", "partners", "ids", "notes"]
    rows = [[*head, *more, "learner told by", "graded at", "seed"]]
    return rows + [_line(row, document) for row in document.rows]


def _line(row: Row, document: Document) -> list[Any]:
    record = row.record
    line = [
        row.learner,
        row.file,
        record.lesson,
        documents.status(row),
        row.points,
        row.out_of,
        _yes(row.counts),
        _yes(row.late),
    ]
    for id in document.challenges:
        verdict, given = record.verdict(id), row.given(id)
        points = given.points if given else verdict.points if verdict else ""
        told = [verdict.outcome, sentences.remark(verdict)] if verdict else ["", ""]
        line += [points, *told]
    return [
        *line,
        record.points,
        " | ".join(o.sentence for o in row.overrides),
        row.handed_in,
        ", ".join(row.partners),
        ", ".join(f"{system} {id}" for system, id in row.ids.items()),
        " ".join(record.notes),
        row.learner_told_by,
        record.graded_at,
        document.run.seed,
    ]


def _mapped(document: Document, form: Format) -> list[list[Any]]:
    chosen = document.counting
    titles = sorted({f"Lesson {row.record.lesson}" for row in chosen if row.record.lesson})
    if len(titles) > 1:
        raise BadColumns(
            f"a gradebook column holds one lesson, and {', '.join(titles)} are here; "
            "grade one at a time"
        )
    heads = [head.replace("{title}", titles[0] if titles else "Lesson") for head in form.columns]
    rows = [heads, *form.lead(max((row.out_of or 0 for row in chosen), default=0))]
    for row in chosen:
        values = fields(row)
        try:
            rows.append([template.format(**values) for template in form.columns.values()])
        except (KeyError, ValueError, IndexError, AttributeError) as error:
            known = ", ".join(sorted(values))
            raise BadColumns(
                f"a column asks for {error}, which is no field; fields are {known}"
            ) from None
    return rows


def find_columns(name: str) -> Format:
    """The form called `name`, or that in the JSON file `name`. BadColumns otherwise."""
    return all_formats().get(name.lower()) or _read_columns(name)


def _read_columns(path: str) -> Format:
    try:
        read = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadColumns(
            f"the map of columns {path} cannot be read: {error}; known maps are "
            f"{sentences.listed(sorted(all_formats()), 20)}"
        ) from None
    if not isinstance(read, dict) or not all(isinstance(v, str) for v in read.values()):
        raise BadColumns(
            f"the map of columns {path} must be a JSON object from column names to texts"
        )
    return Format(read)


def fields(row: Row) -> dict[str, Any]:
    """What a column of one's own may hold, by name."""
    ids = row.ids
    told = [f"{v.challenge}: {' '.join(feedback_lines(v))}" for v in row.record.challenges]
    given = [o.sentence for o in row.overrides]
    return {
        "learner": row.learner,
        "id": ids.get("id") or next(iter(ids.values()), ""),
        "canvas": ids.get("canvas", ids.get("id", "")),
        "moodle": ids.get("moodle", ids.get("id", "")),
        "participant": f"Participant {ids['moodle']}" if "moodle" in ids else ids.get("id", ""),
        "file": row.file,
        "lesson": row.record.lesson or "",
        "points": _or_empty(row.points),
        "computed": _or_empty(row.record.points),
        "given": " | ".join(given),
        "out_of": _or_empty(row.out_of),
        "status": documents.status(row),
        "late": _yes(row.late),
        "partners": ", ".join(row.partners),
        "feedback": " | ".join([*row.record.notes, *given, *told]),
    }


def _or_empty(value: int | None) -> Any:
    return "" if value is None else value


def _suite(row: Row) -> ElementTree.Element:
    verdicts = row.record.challenges
    failures = [
        v
        for v in verdicts
        if v.outcome in (outcomes.FAILED, outcomes.NOT_ATTEMPTED, outcomes.NOT_FOUND)
    ]
    unread = not row.record.graded
    errors = len(verdicts) - len(failures) - sum(v.passed for v in verdicts) + unread
    suite = ElementTree.Element(
        "testsuite",
        name=row.learner,
        file=row.file,
        tests=str(len(verdicts) or 1),
        failures=str(len(failures)),
        errors=str(errors),
        time=str(row.record.seconds),
    )
    if row.overrides:
        listed = ElementTree.SubElement(suite, "properties")
        for override in row.overrides:
            ElementTree.SubElement(
                listed, "property", name=f"points of {override.challenge}", value=override.sentence
            )
    if unread:
        case = ElementTree.SubElement(suite, "testcase", classname=row.file, name="notebook")
        ElementTree.SubElement(case, "error", type=row.record.status, message=row.record.reason)
    for v in verdicts:
        case = ElementTree.SubElement(suite, "testcase", classname=row.file, name=v.challenge)
        if v.passed:
            continue
        kind = "failure" if v in failures else "error"
        found = ElementTree.SubElement(case, kind, type=v.outcome, message=v.reason)
        found.text = "\n".join(feedback_lines(v))
    return suite


def _cell(value: Any) -> Any:
    """A value that no spreadsheet takes for a formula, whole or split at a semicolon."""
    if isinstance(value, str):
        return STARTS_FORMULA.sub(r"\1'", value)
    return "" if value is None else value


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")
