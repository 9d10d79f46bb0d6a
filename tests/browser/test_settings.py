"""The box is the truth: no claim or playground changes its settings by being shown.

A handle stands on the nearest of its steps, and the browser reports that place. Version 1.0.0 wrote
it into the box: a claim about 1,024 positions measured 1,000, and 777 became 790 when typed.
"""

from __future__ import annotations

import importlib
import math

import nbformat

from posenc import lessons
from posenc.classroom.claiming import _control
from posenc.figures.style import Playground, Slider

# Neither measuring nor drawing is under test, and lessons 11 and 12 would take a minute.
QUICK = """import importlib
import posenc.lessons as lessons
from posenc.classroom import claim, claiming, playground, playgrounds
claiming.measure = lambda c, **s: claiming.Measurement(c, s, c.value, True, "")
claiming.ClaimPanel.remeasure = playgrounds.PlaygroundPanel.redraw = lambda panel: None"""
SHOW = """module = importlib.import_module("posenc.figures.lesson_{number:02d}")
display(*(claim(c.id) for c in lessons.claims({number})),
        *(playground(getattr(module, name)) for name in {names}))"""
SAID = """() => [...document.querySelectorAll('.posenc-row')].map(row => [
  row.querySelector('label').textContent, Number(row.querySelector('input').value),
  row.querySelector('[role=slider]').getAttribute('aria-valuetext')])"""


def playgrounds_of(number: int) -> dict[str, Playground]:
    module = importlib.import_module(f"posenc.figures.lesson_{number:02d}")
    return {name: each for name, each in vars(module).items() if isinstance(each, Playground)}


def all_sliders() -> list[Slider]:
    """The sliders in the order in which the notebook shows them."""
    found = []
    for lesson in lessons.LESSONS:
        for claim in lessons.claims(lesson.number):
            found += [_control(setting) for setting in claim.settings]
        for shown in playgrounds_of(lesson.number).values():
            found += [each for each in shown.controls if isinstance(each, Slider)]
    return found


def odd(slider: Slider) -> float:
    """A value that lies on no step of the handle, if the slider has such values."""
    if slider.logarithmic:
        value = math.exp(0.43 * math.log(slider.low) + 0.57 * math.log(slider.high)) * 1.0173
    else:
        value = slider.low + 0.377 * (slider.high - slider.low)
    value = min(value, slider.high)
    return math.floor(value) if slider.whole else round(value, 3)


def test_every_box_keeps_what_is_stated_and_what_is_typed(working_folder, open_notebook):
    sources = [QUICK] + [
        SHOW.format(number=lesson.number, names=[*playgrounds_of(lesson.number)])
        for lesson in lessons.LESSONS
    ]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(made, working_folder / "settings.ipynb")
    notebook = open_notebook("settings.ipynb")
    notebook.run_all(300)
    sliders, page = all_sliders(), notebook.page
    page.wait_for_function(
        f"() => document.querySelectorAll('.posenc-row [role=slider]').length === {len(sliders)}"
    )
    page.wait_for_timeout(1500)  # for the echoes
    notebook.wait_until_idle()
    shown = page.evaluate(SAID)
    stated = [each.value for each in sliders]
    assert [value for _, value, _ in shown] == stated
    assert [float(told) for *_, told in shown] == stated, "what a screen reader hears"

    typed = [odd(each) for each in sliders]
    for box, value in zip(page.locator(".posenc-row input").all(), typed, strict=True):
        box.fill(str(value))
        box.blur()
    notebook.wait_until_idle()
    page.wait_for_timeout(1500)
    notebook.wait_until_idle()
    assert [value for _, value, _ in page.evaluate(SAID)] == typed
    assert notebook.errors == []
