"""One page for each learner: what was right, what was not, and what to think about next."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from posenc import lessons
from posenc.files import write_whole
from posenc.grading.pile import GRADED
from posenc.reports import documents, exports

SIGNS = {"passed": "✓", "failed": "✗", "not attempted": "–"}
STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 0.25rem; }
section { border-left: 0.3rem solid #767676; padding-left: 0.8rem; }
section.passed { border-color: #00784f; } section.failed { border-color: #b34700; }
pre { overflow-x: auto; padding: 0.5rem; border: 1px solid #767676; } p { margin: 0.25rem 0; }
"""


def write_pages(document: dict[str, Any], folder: Path) -> list[Path]:
    """A page for each learner in `folder`; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    groups = documents.by_learner(document)
    written = []
    for name, (learner, submissions) in zip(exports.file_names(groups), groups.items()):
        path = folder / f"{name}.html"
        write_whole(path, page(learner, submissions, document["run"]).encode("utf-8"))
        written.append(path)
    return written


def page(learner: str, submissions: list[dict[str, Any]], run: dict[str, Any]) -> str:
    """The page as HTML that loads nothing."""
    body = "".join(_submission(s) for s in submissions)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Feedback for {escape(learner)}</title><style>{STYLE}</style></head>\n"
        f"<body><main><h1>Feedback for {escape(learner)}</h1>\n{body}"
        f"<p>If you think that a verdict is wrong, send the failing call with these numbers: "
        f"course version {escape(run['version'])}, seed {run['seed']}.</p></main></body></html>\n"
    )


def _submission(submission: dict[str, Any]) -> str:
    if submission["status"] != GRADED:
        return (
            f"<h2>{escape(submission['file'])}</h2>\n<p><strong>Not graded.</strong> "
            f"{escape(submission['status'].capitalize())}: {escape(submission['reason'])}.</p>\n"
        )
    lesson = lessons.lesson(submission["lesson"])
    earned = f"{submission['points']} of {submission['out_of']} points"
    head = f"<h2>Lesson {lesson.number}, {escape(lesson.title)}: {earned}</h2>\n"
    notes = "".join(f"<p>{_with_code(note)}</p>\n" for note in submission["notes"])
    return (
        head + notes + "".join(_verdict(v) for v in submission["challenges"]) + _earlier(submission)
    )


def _verdict(verdict: dict[str, Any]) -> str:
    challenge = lessons.challenge(verdict["challenge"])
    kind = "passed" if verdict["outcome"] == "passed" else "failed"
    sign = SIGNS.get(verdict["outcome"], "✗")
    first, *more = [
        line for line in exports.feedback_lines(verdict) if not line.startswith("The call: ")
    ]
    call = verdict["failing_call"]
    shown = f"<p>The call, to try again:</p><pre><code>{escape(call)}</code></pre>" if call else ""
    told = "".join(f"<p>{_with_code(line)}</p>\n" for line in more)
    return (
        f'<section class="{kind}">'
        f"<h3>{sign} {escape(challenge.id)} {escape(challenge.title)}: {escape(first)}</h3>\n"
        f"{told}{shown}</section>\n"
    )


def _with_code(text: str) -> str:
    """Text as HTML, with what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _earlier(submission: dict[str, Any]) -> str:
    if not submission["old_marks"]:
        return ""
    rows = "".join(
        f"<li>{escape(m['challenge'])}: {m['points']} points, {escape(m['outcome'])} "
        f"({escape(m['graded_at'])})</li>"
        for m in submission["old_marks"]
    )
    return f"<h3>Earlier marks</h3><ul>{rows}</ul>\n"
