"""Lesson 6 as a learner meets it: open, run, move, answer, be told what went wrong, mend it."""

from __future__ import annotations

import json
import re

import pytest

NAME = "06_sinusoidal_encoding.ipynb"
# Columns in halves: the layout of many libraries, and not the one that 6.2 asks for.
CONCATENATED = """def sinusoidal(length, width, base=10000.0):
    angles = np.arange(length)[:, None] * base ** (-2 * np.arange((width + 1) // 2) / width)
    return np.concatenate([np.sin(angles), np.cos(angles)[:, : width // 2]], axis=1)
"""
RIGHT = """def sinusoidal(length, width, base=10000.0):
    angles = np.arange(length)[:, None] * base ** (-2 * np.arange((width + 1) // 2) / width)
    table = np.empty((length, width))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)[:, : width // 2]
    return table
"""
ENDLESS = """def sinusoidal(length, width, base=10000.0):
    while True:
        pass
"""


@pytest.fixture
def lesson(open_notebook, working_folder):
    """Lesson 6 as shipped, every cell run."""
    (working_folder / "progress.json").unlink(missing_ok=True)
    notebook = open_notebook(NAME)
    assert not notebook.is_modified()
    notebook.run_all()
    assert notebook.error_outputs() == []
    yield notebook
    assert notebook.errors == []


def test_it_runs_and_its_playground_moves_by_keyboard(lesson):
    cell = lesson.cell("playground(")
    picture, line = cell.locator("img.widget-image"), cell.locator(".posenc-line")
    before = picture.get_attribute("src")
    assert "Position 7 " in line.inner_text()
    lesson.press(cell.get_by_role("slider", name="position"), *["ArrowRight"] * 3)
    line.get_by_text("Position 10 ").wait_for()
    assert picture.get_attribute("src") != before
    lesson.screenshot("lesson-06-playground", "playground(")


def test_as_shipped_its_challenges_are_not_attempted(lesson):
    for challenge in ("6.1", "6.2", "6.3", "6.4"):
        assert "○" in lesson.output(f'check("{challenge}"')
        assert "not attempted" in lesson.output(f'check("{challenge}"')


def test_a_wrong_answer_is_told_what_it_looks_like_and_a_right_one_is_recorded(
    lesson, working_folder
):
    lesson.write("def sinusoidal(", CONCATENATED)
    lesson.run("def sinusoidal(")
    lesson.run('check("6.2"')
    told = lesson.output('check("6.2"')
    assert "✗" in told and "It looks as if" in told
    assert re.search(r"sines?\b.*\bcosines?", told), told
    lesson.screenshot("lesson-06-wrong", 'check("6.2"')
    lesson.write("def sinusoidal(", RIGHT)
    lesson.run("def sinusoidal(")
    lesson.run('check("6.2"')
    assert "✓" in lesson.output('check("6.2"') and "passed" in lesson.output('check("6.2"')
    lesson.screenshot("lesson-06-right", 'check("6.2"')
    recorded = json.loads((working_folder / "progress.json").read_text())
    assert recorded["challenges"]["6.2"]["outcome"] == "passed"


def test_an_endless_loop_is_ended_by_interrupt_and_the_kernel_lives(lesson):
    lesson.write("def sinusoidal(", ENDLESS)
    lesson.run("def sinusoidal(")
    lesson.start('check("6.2"')
    lesson.page.wait_for_timeout(1500)
    lesson.command("notebook:interrupt-kernel")
    lesson.wait_until_idle(30)
    assert "✗" in lesson.output('check("6.2"')
    assert not lesson.error_outputs()
    lesson.screenshot("lesson-06-interrupted", 'check("6.2"')
    lesson.run("np.set_printoptions")
