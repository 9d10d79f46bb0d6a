"""The pages: every link leads somewhere, every learner's question is answered in a section."""

import re
from pathlib import Path

import pytest

from posenc import lessons
from posenc.authoring import sources
from posenc.judging import calls, judge
from posenc.judging.model import together

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
ASKED = 40


def sections_of(stem):
    return {section.slug for section in sources.sections(ROOT / "solutions" / f"{stem}.py")}


def rows():
    text = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    return re.findall(
        r"^\| (\d+) \| (.+?) \| \[(\d+)\]\(\.\./notebooks/(\S+)\.ipynb\) \| (\S+) \|$", text, re.M
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_within_the_repository_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
        if not re.match(r"\w+:", target):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_question_is_answered_once_and_in_order():
    numbers = [int(number) for number, *_ in rows()]
    assert numbers == sorted(set(numbers))
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= ASKED


def test_every_row_names_a_section_that_exists():
    lines = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8").splitlines()
    assert len(rows()) == sum(bool(re.match(r"\| \d", line)) for line in lines)
    for number, _, lesson, stem, slug in rows():
        assert stem == lessons.lesson(int(lesson)).stem
        assert slug in sections_of(stem), f"question {number}: no section {slug} in {stem}"


def test_the_challenge_shown_to_contributors_works_as_shown():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    shown = re.search(r"(?s)^```python\n(.+?)^```", text, re.M)[1]
    space = {"__name__": "shown"}
    exec(shown, space)
    challenge = space["WAVELENGTHS"]
    plan = judge.plan(challenge, 7)
    assert judge.judge(plan, calls.perform(plan.calls, challenge.reference)).passed
    assert judge.judge(plan, calls.perform(plan.calls, space["turns"])).passed
    for mistake in challenge.misconceptions:
        found = judge.judge(plan, calls.perform(plan.calls, mistake.does))
        assert found.misconception == mistake.id
    two = together(*challenge.misconceptions[:2])
    assert not judge.judge(plan, calls.perform(plan.calls, two)).passed
