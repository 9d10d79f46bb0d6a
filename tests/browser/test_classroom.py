"""A playground, a question, a claim and the table of progress, used by keyboard in Chromium."""

from __future__ import annotations

import json
import re

import nbformat
import pytest

CELLS = (
    "from posenc.classroom import ask, claim, playground, progress\n"
    "from posenc.figures.lesson_06 import seats",
    "playground(seats)",
    'ask("6.q1")',
    'claim("odd-width")',
    "progress()",
)


@pytest.fixture
def notebook(working_folder, open_notebook, request):
    """A notebook with one of each, run from top to bottom."""
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    (working_folder / "progress.json").unlink(missing_ok=True)
    path = working_folder / f"{request.node.name}.ipynb"
    nbformat.write(made, path)
    opened = open_notebook(path.name)
    opened.run_all()
    opened.page.locator(".posenc-panel").nth(2).wait_for()
    yield opened
    assert opened.errors == []
    assert opened.error_outputs() == []


def picture_of(notebook) -> str:
    return notebook.cell("playground(seats)").locator("img.widget-image").get_attribute("src")


def test_keys_move_the_picture_and_its_line(notebook):
    page = notebook.page
    notebook.screenshot("classroom-playground-light")
    before = picture_of(notebook)
    line = notebook.cell("playground(seats)").locator(".posenc-line")
    assert "Position 7 at width 16" in line.inner_text()
    notebook.press(page.get_by_role("slider", name="position"), "ArrowRight", "ArrowRight")
    page.wait_for_function(
        "() => document.querySelector('.posenc-line').innerText.includes('Position 9 at width 16')"
    )
    assert picture_of(notebook) != before
    assert page.get_by_role("spinbutton", name="position").input_value() == "9"


def test_the_number_box_moves_the_slider(notebook):
    page = notebook.page
    box = page.get_by_role("spinbutton", name="base")
    box.fill("250")
    box.press("Tab")
    page.wait_for_function(
        "() => document.querySelector('.posenc-line').innerText.includes('base 250')"
    )
    value = page.get_by_role("slider", name="base").get_attribute("aria-valuenow")
    assert float(value) == pytest.approx(2.398, abs=0.1)


SCROLLED = """() => [...document.querySelectorAll('.posenc-panel, .posenc-panel *')].filter(
  each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth &&
    each.tagName !== 'SPAN' &&  // a row of figures that is wider than the window
    ['auto', 'scroll'].includes(getComputedStyle(each).overflowX)).length
  + [...document.querySelectorAll('.jp-OutputArea-output:has(.posenc-panel)')].filter(
  each => each.scrollWidth > each.clientWidth).length"""


def test_no_scrollbar_under_a_panel_at_any_width(notebook):
    notebook.command("application:toggle-left-area")
    for width in (420, 768, 1024, 1280):
        notebook.page.set_viewport_size({"width": width, "height": 1000})
        notebook.page.wait_for_timeout(600)
        assert notebook.page.evaluate(SCROLLED) == 0, width
        notebook.screenshot(f"classroom-playground-{width}", "playground(seats)")
    notebook.command("application:toggle-left-area")


def test_a_handle_tells_its_value_and_not_its_power_of_ten(notebook):
    handle = notebook.page.get_by_role("slider", name="base")
    assert handle.get_attribute("aria-valuetext") == "10000"
    notebook.press(handle, "ArrowRight")
    notebook.page.wait_for_function(
        "() => document.querySelector('.posenc-ratio [role=slider]').ariaValueText === '13000'"
    )


def test_a_screen_reader_meets_names(notebook):
    notebook.page.wait_for_timeout(500)
    assert {"position", "width", "base"} <= set(notebook.accessible("slider"))
    assert {"position", "width", "base"} <= set(notebook.accessible("spinbutton"))
    assert "" not in notebook.accessible("slider") + notebook.accessible("spinbutton")
    assert "The row of a position" in notebook.accessible("image")
    assert any("A row of its own" in name for name in notebook.accessible("button"))
    assert notebook.page.locator(".posenc-line[role=status]").count() == 3


def test_a_question_is_answered_by_keyboard_and_remembered(notebook, working_folder):
    page = notebook.page
    cell = notebook.cell("ask(")
    notebook.press(cell.get_by_role("button", name=re.compile("^B")), "Enter")
    cell.get_by_text("✗ B is not right.").first.wait_for()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    cell.get_by_text("✓ A is right.").wait_for()
    notebook.screenshot("classroom-question-light", "ask(")
    notebook.wait_until_idle()
    recorded = json.loads((working_folder / "progress.json").read_text())["questions"]["6.q1"]
    assert (recorded["first"], recorded["option"]) == (1, 0)
    notebook.run("ask(")
    cell.get_by_text("✓ A is right.").wait_for()
    notebook.run("progress()")
    assert "1/5" in notebook.output("progress()")
    notebook.screenshot("classroom-progress-light", "progress()")


def test_a_claim_is_doubted_by_keyboard(notebook):
    page = notebook.page
    cell = notebook.cell("claim(")
    cell.get_by_text("✓ Holds.").wait_for()
    back = cell.get_by_role("button", name="Back to the stated settings")
    assert not back.is_visible(), "nothing has changed yet"
    notebook.press(cell.get_by_role("slider", name="width"), "ArrowRight")
    cell.get_by_text("✗ Does not hold.").wait_for()
    cell.get_by_text("width: 6").wait_for()
    notebook.screenshot("classroom-claim-light", "claim(")
    back.press("Enter")
    cell.get_by_text("✓ Holds.").wait_for()
    cell.get_by_text("width: 5").wait_for()
    page.wait_for_function(
        "() => [...document.querySelectorAll('[role=slider][aria-label=width]')]"
        ".at(-1).getAttribute('aria-valuetext') === '5'"
    )


def test_a_saved_notebook_shows_its_picture_another_day(notebook, open_notebook, working_folder):
    notebook.save()
    name = "test_a_saved_notebook_shows_its_picture_another_day.ipynb"
    assert "widget-view" not in (working_folder / name).read_text()
    notebook.command("kernelmenu:shutdown")
    opened = open_notebook(name)
    opened.page.wait_for_timeout(3000)
    assert opened.cell("playground(seats)").locator("img").is_visible()
    assert "Position 7 at width 16" in opened.output("playground(seats)")
    assert opened.output("playground(seats)").count("Run this cell to move it.") == 1
    assert "model not found" not in opened.page.locator(".jp-Notebook").inner_text()
    opened.screenshot("classroom-reopened")
    summary = opened.cell("ask(").locator("summary").first
    opened.press(summary, "Enter")
    opened.cell("ask(").get_by_text("✓ A is right.").wait_for()


def test_the_dark_theme_is_readable(notebook):
    notebook.theme("JupyterLab Dark")
    notebook.screenshot("classroom-playground-dark", "playground(seats)")
    notebook.press(notebook.cell("ask(").get_by_role("button", name=re.compile("^C")), "Enter")
    notebook.cell("ask(").get_by_text("✗ C is not right.").wait_for()
    for words in ("ask(", "claim(", "progress()"):
        notebook.screenshot(f"classroom-{words.strip('()')}-dark", words)
    line = notebook.cell("playground(seats)").locator(".posenc-line .widget-html-content")
    red, green, blue = map(
        int, re.findall(r"\d+", line.evaluate("element => getComputedStyle(element).color"))[:3]
    )
    assert min(red, green, blue) > 180
    notebook.theme("JupyterLab Light")  # a theme is kept, and the next test begins with it
