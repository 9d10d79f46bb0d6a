"""A graded pile for other programs: CSV, JSON, JUnit XML, Gradescope.

Each says a status in words: a notebook that was not graded has no points, and is no zero.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from posenc.files import write_whole
from posenc.grading.pile import GRADED
from posenc.reports import documents

# Header of a column -> what stands in it; names in braces are the fields of `_fields`.
CANVAS = {
    "Student": "{learner}",
    "ID": "{canvas}",
    "SIS User ID": "{id}",
    "SIS Login ID": "",
    "Section": "",
    "{title}": "{points}",
    "Status": "{status}",
}
MOODLE = {
    "Identifier": "{participant}",
    "Full name": "{learner}",
    "Status": "{status}",
    "Grade": "{points}",
    "Maximum Grade": "{out_of}",
    "Feedback comments": "{feedback}",
}
COLUMNS = {"canvas": CANVAS, "moodle": MOODLE}
FIRST_OF_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class CannotWrite(ValueError):
    """A file cannot be made of this pile; the message says why."""


class BadColumns(CannotWrite):
    """A map of columns cannot be used; the message says why."""


def write_json(document: dict[str, Any], path: Path) -> None:
    """The whole document, as docs/results.schema.json describes it."""
    write_whole(path, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))


def write_csv(document: dict[str, Any], path: Path, columns: str | None = None) -> None:
    """A line a submission; with a map of columns (canvas, moodle, a JSON file), a learner."""
    rows = _all_columns(document) if columns is None else _mapped(document, columns)
    text = io.StringIO()
    csv.writer(text).writerows([_cell(value) for value in row] for row in rows)
    # The mark at the beginning makes spreadsheets read names beyond ASCII; learning systems cope.
    write_whole(path, text.getvalue().encode("utf-8-sig"))


def write_junit(document: dict[str, Any], path: Path) -> None:
    """A test suite for each submission, a test case for each challenge."""
    root = ElementTree.Element("testsuites", name="posenc")
    for submission in document["submissions"]:
        root.append(_suite(submission))
    ElementTree.indent(root)
    write_whole(path, ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def write_gradescope(document: dict[str, Any], path: Path) -> None:
    """Gradescope's results.json; a folder of them, by learner, where `path` does not end in .json.

    CannotWrite where one file is asked for and not exactly one submission counts.
    """
    chosen = documents.counting(document)
    if path.suffix.lower() == ".json":
        if len(chosen) != 1:
            raise CannotWrite(
                f"{path.name} holds one submission and {len(chosen)} count; name a folder instead"
            )
        write_whole(path, _as_json(gradescope(chosen[0])))
        return
    path.mkdir(parents=True, exist_ok=True)
    for name, submission in zip(file_names(s["learner"] for s in chosen), chosen):
        write_whole(path / f"{name}.json", _as_json(gradescope(submission)))


def gradescope(submission: dict[str, Any]) -> dict[str, Any]:
    """One submission in the form that Gradescope reads."""
    tests = [
        {
            "name": f"{v['challenge']}",
            "score": v["points"],
            "max_score": v["out_of"],
            "status": "passed" if v["outcome"] == "passed" else "failed",
            "output": "\n".join(feedback_lines(v)),
            "output_format": "text",
        }
        for v in submission["challenges"]
    ]
    said = [f"Status: {documents.status(submission)}", *submission["notes"]]
    return {
        "score": submission["points"] or 0,
        "output": "\n".join(said),
        "visibility": "visible",
        "tests": tests,
    }


def feedback_lines(verdict: dict[str, Any]) -> list[str]:
    """What a learner is told of one challenge: outcome, reason, likely cause, the call to copy."""
    lines = [
        f"{verdict['outcome']}, {verdict['points']} of {verdict['out_of']} points",
        verdict["reason"],
    ]
    if verdict["misconception"]:
        lines.append(f"This looks as if {verdict['looks_like']}.")
        lines.append(verdict["think"])
    if verdict["mend_first"]:
        lines.append(verdict["mend_first"])
    if verdict["failing_call"]:
        lines.append(f"The call: {verdict['failing_call']}")
    return [line for line in lines if line]


def file_names(learners: Iterable[str]) -> list[str]:
    """A file name for each learner, safe on every system, no two alike."""
    taken: set[str] = set()
    names = []
    for learner in learners:
        plain = (
            "".join(c if c.isalnum() or c in "-_." else "_" for c in learner).strip("._ ")[:80]
            or "learner"
        )
        if plain.split(".")[0].lower() in RESERVED:
            plain = f"_{plain}"
        name, number = plain, 2
        while name.casefold() in taken:
            name, number = f"{plain}_{number}", number + 1
        taken.add(name.casefold())
        names.append(name)
    return names


RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))}


def _all_columns(document: dict[str, Any]) -> list[list[Any]]:
    ids = documents.challenge_ids(document)
    head = ["learner", "file", "lesson", "status", "points", "out_of", "counts", "late"]
    for id in ids:
        head += [f"{id} points", f"{id} outcome", f"{id} remark"]
    rows = [[*head, "notes", "learner told by", "graded at", "seed"]]
    for s in document["submissions"]:
        verdicts = {v["challenge"]: v for v in s["challenges"]}
        row = [
            s["learner"],
            s["file"],
            s["lesson"],
            documents.status(s),
            s["points"],
            s["out_of"],
            _yes(s["counts"]),
            _yes(s["late"]),
        ]
        for id in ids:
            v = verdicts.get(id)
            row += [v["points"], v["outcome"], documents.remark(v)] if v else ["", "", ""]
        rows.append(
            [
                *row,
                " ".join(s["notes"]),
                s["learner_told_by"],
                s["graded_at"],
                document["run"]["seed"],
            ]
        )
    return rows


def _mapped(document: dict[str, Any], columns: str) -> list[list[Any]]:
    chosen = find_columns(columns)
    submissions = documents.counting(document)
    titles = sorted({f"Lesson {s['lesson']}" for s in submissions if s["lesson"]})
    if len(titles) > 1:
        raise BadColumns(
            f"a gradebook column holds one lesson, and {', '.join(titles)} are here; "
            "grade one at a time"
        )
    heads = [head.replace("{title}", titles[0] if titles else "Lesson") for head in chosen]
    rows = [heads]
    if chosen is CANVAS:
        rows.append(["    Points Possible", "", "", "", "", _most(submissions), "(read only)"])
    for submission in submissions:
        fields = _fields(submission)
        try:
            rows.append([template.format(**fields) for template in chosen.values()])
        except (KeyError, ValueError, IndexError, AttributeError) as error:
            known = ", ".join(sorted(fields))
            raise BadColumns(
                f"a column asks for {error}, which is no field; fields are {known}"
            ) from None
    return rows


def find_columns(name: str) -> dict[str, str]:
    """The map of columns called `name`, or that in the JSON file `name`. BadColumns otherwise."""
    return COLUMNS.get(name.lower()) or _read_columns(name)


def _read_columns(path: str) -> dict[str, str]:
    try:
        read = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadColumns(
            f"the map of columns {path} cannot be read: {error}; known maps are canvas and moodle"
        ) from None
    if not isinstance(read, dict) or not all(isinstance(v, str) for v in read.values()):
        raise BadColumns(
            f"the map of columns {path} must be a JSON object from column names to texts"
        )
    return read


def _fields(submission: dict[str, Any]) -> dict[str, Any]:
    ids = submission["ids"]
    feedback = [
        f"{v['challenge']}: {' '.join(feedback_lines(v))}" for v in submission["challenges"]
    ]
    return {
        "learner": submission["learner"],
        "id": ids.get("id", ""),
        "canvas": ids.get("canvas", ids.get("id", "")),
        "moodle": ids.get("moodle", ids.get("id", "")),
        "participant": f"Participant {ids['moodle']}" if "moodle" in ids else ids.get("id", ""),
        "file": submission["file"],
        "lesson": submission["lesson"] or "",
        "points": "" if submission["points"] is None else submission["points"],
        "out_of": "" if submission["out_of"] is None else submission["out_of"],
        "status": documents.status(submission),
        "late": _yes(submission["late"]),
        "feedback": " | ".join([*submission["notes"], *feedback]),
    }


def _most(submissions: list[dict[str, Any]]) -> int:
    return max((s["out_of"] or 0 for s in submissions), default=0)


def _suite(submission: dict[str, Any]) -> ElementTree.Element:
    verdicts = submission["challenges"]
    failures = [v for v in verdicts if v["outcome"] in ("failed", "not attempted", "not found")]
    unread = submission["status"] != GRADED
    errors = (
        len(verdicts) - len(failures) - sum(v["outcome"] == "passed" for v in verdicts) + unread
    )
    suite = ElementTree.Element(
        "testsuite",
        name=submission["learner"],
        file=submission["file"],
        tests=str(len(verdicts) or 1),
        failures=str(len(failures)),
        errors=str(errors),
        time=str(submission["seconds"]),
    )
    if unread:
        case = ElementTree.SubElement(
            suite, "testcase", classname=submission["file"], name="notebook"
        )
        ElementTree.SubElement(
            case, "error", type=submission["status"], message=submission["reason"]
        )
    for v in verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", classname=submission["file"], name=v["challenge"]
        )
        if v["outcome"] == "passed":
            continue
        kind = "failure" if v in failures else "error"
        found = ElementTree.SubElement(case, kind, type=v["outcome"], message=v["reason"])
        found.text = "\n".join(feedback_lines(v))
    return suite


def _cell(value: Any) -> Any:
    """A value that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(FIRST_OF_A_FORMULA):
        return f"'{value}"
    return "" if value is None else value


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _as_json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
