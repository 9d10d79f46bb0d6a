"""Every lesson in JupyterLab: opens unmodified, runs, moves, answers, judges, and remembers."""

from __future__ import annotations

import json
import time

import pytest

from posenc import lessons
from posenc.classroom.checking import _solution_code
from posenc.places import course_folder

WRITTEN = [
    lesson
    for lesson in lessons.LESSONS
    if (course_folder() / "notebooks" / f"{lesson.stem}.ipynb").exists()
]
CONTROLS = ("slider", "spinbutton", "checkbox", "combobox", "progressbar")


@pytest.fixture(params=WRITTEN, ids=lambda lesson: lesson.stem)
def lesson(request):
    return request.param


def move(notebook, panel) -> None:
    """Change the first control of a playground by keyboard, and see picture and line change."""
    picture, line = panel.locator("img.widget-image"), panel.locator(".posenc-line")
    before = picture.get_attribute("src"), line.inner_text()
    slider = panel.get_by_role("slider").first
    if slider.count():
        at_end = slider.get_attribute("aria-valuenow") == slider.get_attribute("aria-valuemax")
        notebook.press(slider, "ArrowLeft" if at_end else "ArrowRight")
    elif panel.get_by_role("checkbox").count():
        notebook.press(panel.get_by_role("checkbox").first, "Space")
    else:
        notebook.press(panel.get_by_role("combobox").first, "ArrowDown")
    end = time.monotonic() + 10
    while before[0] == picture.get_attribute("src") or before[1] == line.inner_text():
        assert time.monotonic() < end, f"a key changed nothing: {before[1]}"
        notebook.page.wait_for_timeout(50)
    assert not line.inner_text().startswith("!"), line.inner_text()


def test_a_lesson_from_opening_to_reopening(lesson, open_notebook, working_folder, capsys):
    progress = working_folder / "progress.json"
    progress.unlink(missing_ok=True)
    notebook = open_notebook(f"{lesson.stem}.ipynb")
    assert not notebook.is_modified()
    notebook.screenshot(f"lesson-{lesson.number:02d}-opened")
    began = time.monotonic()
    notebook.run_all()
    seconds = time.monotonic() - began
    assert notebook.error_outputs() == []
    assert not notebook.page.get_by_text("Error displaying widget").count()

    panels = notebook.page.locator(".posenc-panel")
    playgrounds = panels.filter(has=notebook.page.locator("img.widget-image"))
    playgrounds.first.wait_for()
    moved = playgrounds.count()
    for index in range(moved):
        move(notebook, playgrounds.nth(index))
        name = f"lesson-{lesson.number:02d}-playground-{index}"
        notebook.picture_of(playgrounds.nth(index), name)

    assert "" not in notebook.accessible(*CONTROLS), "a control has no name"
    question = lessons.questions(lesson.number)[0]
    asked = notebook.cell(f'ask("{question.id}")')
    notebook.press(asked.get_by_role("button").first, "Enter")
    asked.get_by_text("A is ").first.wait_for()

    challenge = lessons.challenges(lesson.number)[0]
    checked = f'check("{challenge.id}"'
    written = f"def {challenge.name}("
    assert "○" in notebook.output(checked) and "not attempted" in notebook.output(checked)
    notebook.write(written, f"def {challenge.name}(*given, **named):\n    return 'nothing'")
    notebook.run(written)
    notebook.run(checked)
    assert "✗" in notebook.output(checked)
    notebook.screenshot(f"lesson-{lesson.number:02d}-wrong", checked)
    notebook.write(written, _solution_code(challenge.id))
    notebook.run(written)
    notebook.run(checked)
    assert "✓" in notebook.output(checked) and "passed" in notebook.output(checked)
    notebook.screenshot(f"lesson-{lesson.number:02d}-right", checked)

    notebook.save()
    notebook.reopen()
    recorded = json.loads(progress.read_text(encoding="utf-8"))
    assert recorded["challenges"][challenge.id]["outcome"] == "passed"
    assert "model not found" not in notebook.page.locator(".jp-Notebook").inner_text()
    assert playgrounds.count() == 0  # its widgets are gone, its pictures are not
    assert notebook.cell("playground(").locator("img").is_visible()
    notebook.run("from posenc.classroom import")
    notebook.run("progress()")
    table = notebook.output("progress()")
    assert f"1/{len(lessons.challenges(lesson.number))}" in table and "1/5" in table
    assert notebook.errors == []
    with capsys.disabled():
        print(f"\n{lesson.stem:32} Run All {seconds:4.1f} s, {moved} playgrounds")
