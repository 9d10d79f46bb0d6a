"""Every command on the page for teachers, and in the learners' README, is one that exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer

from posenc import cli, lessons
from posenc.authoring import handout

ROOT = Path(__file__).resolve().parent.parent
TEACHING = (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8")
COMMANDS = typer.main.get_command(cli.app).commands


def commands(text):
    """What stands behind `python3 course.py`, in blocks of code and between backquotes."""
    return [shlex.split(each) for each in re.findall(r"python3 course\.py ([^`\n#]+)", text)]


@pytest.mark.parametrize(
    "words", [*commands(TEACHING), *commands(handout.readme())], ids=lambda words: " ".join(words)
)
def test_it_is_understood(words):
    word, *arguments = words
    if word != "test":  # course.py itself answers that one
        COMMANDS[word].make_context(word, arguments)


def test_an_unknown_option_would_be_noticed():
    with pytest.raises(Exception, match="No such option"):
        COMMANDS["report"].make_context("report", ["--anonymously"])


def test_the_page_names_what_the_commands_leave():
    stem = lessons.lesson(6).stem
    for name in (f"html-instructor/{stem}.html", f"slides/{stem}.html", "class-report.html"):
        assert f"`{name}`" in TEACHING
    assert {words[0] for words in commands(TEACHING)} >= {
        "timetable",
        "export",
        "lab",
        "handout",
        "slides",
        "report",
        "handin",
        "grade",
    }


def test_the_page_covers_the_four_times():
    headings = re.findall(r"^## (.+)$", TEACHING, re.MULTILINE)
    assert headings == ["One day before", "One hour before", "In the room", "Afterwards"]


def test_nothing_that_names_learners_can_be_committed_by_accident():
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert {"submissions/", "feedback/", "marks.csv", "class-report*.html", "*.sqlite"} <= set(
        ignored
    )
