"""How long each playground takes from a key press to the repaint, beside ipywidgets' own way.

    python benchmarks/playground.py [LESSON…] [--presses 32]

Opens JupyterLab in Chromium with two cells for each playground that show the same figure: the
playground, and `interactive_output` with pyplot. Presses a key on a control of each in turn, and
waits for the new picture to be painted. Prints medians in milliseconds and their ratio; ends
with status 1 where a playground's median is over 150 ms.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from playwright.sync_api import sync_playwright

from posenc import lessons
from posenc.classroom.controls import rounded
from posenc.figures.style import Playground, Slider, Toggle, draw, label_of

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from browser.lab import CHROMIUM_ARGUMENTS, Notebook, chromium, server  # noqa: E402

GOAL = 150  # milliseconds, at the median
REACH = 4  # steps of a slider to one side, and as many back
ROUNDS = 4

OURS = """from posenc.classroom import playground
from posenc.figures import {module}
playground({module}.{name}, **{start})"""

THEIRS = """import ipywidgets as widgets
import matplotlib.pyplot as plt
from posenc.classroom.controls import rounded
from posenc.figures import {module}

def redraw_{name}(value):
    shown = {module}.{name}
    control = next(each for each in shown.controls if each.name == {control!r})
    value = value if isinstance(value, bool) else rounded(value, control)
    values = {start} | {{control.name: value}}
    figure = plt.figure(figsize=shown.size, layout="constrained")
    shown.build(figure)(**shown.values(**values))
    plt.show()

moved = {widget}
widgets.VBox([moved, widgets.interactive_output(redraw_{name}, {{"value": moved}})])"""

# The clock stands in the page: it starts at the key and stops in the frame after the one in which
# the new picture was decoded and laid out.
CLOCK = """
window.pressed = null; window.painted = null;
document.addEventListener('keydown', () => {
  window.pressed = performance.now(); window.painted = null;
}, true);
document.addEventListener('load', event => {
  if (event.target.tagName !== 'IMG' || window.pressed === null) return;
  requestAnimationFrame(() => setTimeout(() => {
    window.painted = performance.now() - window.pressed;
  }));
}, true);
"""


@dataclass(frozen=True)
class Subject:
    """A playground, the control that is moved, and the values to start from."""

    lesson: int
    name: str
    shown: Playground
    control: Slider | Toggle
    start: dict[str, object]

    @property
    def module(self) -> str:
        """The module of the figure, as cells name it."""
        return f"lesson_{self.lesson:02d}"

    def cells(self) -> tuple[str, str]:
        """The playground's cell and that of interactive_output."""
        words = {"module": self.module, "name": self.name, "start": repr(self.start)}
        words |= {"control": self.control.name, "widget": self._widget()}
        return OURS.format(**words), THEIRS.format(**words)

    def _widget(self) -> str:
        slider = self.control
        if isinstance(slider, Toggle):
            return f"widgets.Checkbox(value={self.start[slider.name]})"
        if slider.logarithmic:
            bounds = f"min=np.log10({slider.low}), max=np.log10({slider.high})"
            return f"widgets.FloatLogSlider(value={slider.value}, {bounds}, step={slider.step})"
        kind = "IntSlider" if slider.whole else "FloatSlider"
        bounds = f"min={slider.low}, max={slider.high}, step={slider.step}"
        return f"widgets.{kind}(value={slider.value}, {bounds})"


def subjects(number: int) -> Iterator[Subject]:
    """Every playground of a lesson, each with a control that changes its picture at every step."""
    module = importlib.import_module(f"posenc.figures.lesson_{number:02d}")
    for name, shown in vars(module).items():
        if isinstance(shown, Playground):
            # Everything switched on: a control may have nothing to do otherwise.
            start = {c.name: True for c in shown.controls if isinstance(c, Toggle)}
            movable = (c for c in shown.controls if isinstance(c, (Slider, Toggle)))
            yield Subject(
                number, name, shown, next(c for c in movable if moves(shown, c, start)), start
            )


def moves(shown: Playground, control: Slider | Toggle, start: dict[str, object]) -> bool:
    """Whether every step that is measured gives another picture."""
    values = steps(control, start)
    pictures = [draw(shown, **start | {control.name: value}).png() for value in values]
    return all(one != other for one, other in itertools.pairwise(pictures))


def steps(control: Slider | Toggle, start: dict[str, object]) -> list[object]:
    """The values that keys lead through, from the start to the far end."""
    if isinstance(control, Toggle):
        return [start[control.name], not start[control.name]]
    sign = -1 if to_the_left(control) else 1
    if control.logarithmic:
        reached = [control.value * 10 ** (sign * k * control.step) for k in range(REACH + 1)]
    else:
        reached = [control.value + sign * k * control.step for k in range(REACH + 1)]
    return [rounded(value, control) for value in reached]


def to_the_left(slider: Slider) -> bool:
    """Whether a slider has no room to its right."""
    if slider.logarithmic:
        return slider.value * 10 ** (REACH * slider.step) > slider.high
    return slider.value + REACH * slider.step > slider.high


def keys(control: Slider | Toggle, presses: int) -> Iterator[str]:
    """The keys to press: for a slider some to one side and as many back."""
    if isinstance(control, Toggle):
        yield from ["Space"] * presses
        return
    there, back = (
        ("ArrowLeft", "ArrowRight") if to_the_left(control) else ("ArrowRight", "ArrowLeft")
    )
    for press in range(presses):
        yield there if press % (2 * REACH) < REACH else back


def measured(notebook: Notebook, words: str, control: Slider | Toggle, presses: int) -> list[float]:
    """Milliseconds of each press on the control beneath the cell that holds these words."""
    role = "checkbox" if isinstance(control, Toggle) else "slider"
    found = notebook.cell(words).get_by_role(role)
    named = notebook.cell(words).get_by_role(role, name=label_of(control), exact=True)
    handle = named if named.count() else found.first
    handle.scroll_into_view_if_needed()
    handle.focus()
    times = []
    for key in keys(control, presses):
        notebook.page.keyboard.press(key)
        notebook.page.wait_for_function("window.painted !== null", timeout=10_000)
        times.append(notebook.page.evaluate("window.painted"))
        notebook.page.wait_for_timeout(80)
    return times


def lesson_rows(
    browser, number: int, presses: int
) -> Iterator[tuple[Subject, list[float], list[float]]]:
    """Each playground of a lesson with the times of both ways."""
    found = list(subjects(number))
    sources = ["import numpy as np", *(cell for subject in found for cell in subject.cells())]
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "course"
        folder.mkdir()
        nbformat.write(made, folder / "benchmark.ipynb")
        with server(folder, Path(temporary) / "home") as address:
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            notebook = Notebook(page, address).open("benchmark.ipynb")
            notebook.run_all()
            page.wait_for_timeout(2000)
            page.evaluate(CLOCK)
            for subject in found:
                ours: list[float] = []
                theirs: list[float] = []
                for _ in range(ROUNDS):  # in turn, so that a busy machine slows both
                    few = presses // ROUNDS
                    ours += measured(
                        notebook,
                        f"playground({subject.module}.{subject.name},",
                        subject.control,
                        few,
                    )
                    theirs += measured(notebook, f"redraw_{subject.name}(", subject.control, few)
                yield subject, ours, theirs
            notebook.close()
            page.close()


def nine_in_ten(times: list[float]) -> float:
    """The time within which nine in ten presses were painted."""
    return sorted(times)[int(0.9 * len(times))]


def main(wanted: list[int], presses: int) -> int:
    """Measure, print the table, and return the exit status."""
    numbers = wanted or [
        lesson.number for lesson in lessons.LESSONS
        if (ROOT / "posenc" / "figures" / f"lesson_{lesson.number:02d}.py").is_file()
    ]  # fmt: skip
    print(f"load when it starts: {os.getloadavg()[0]:.1f}; {presses} presses each; milliseconds")
    print(
        f"{'lesson, playground':28} {'control':12} {'median':>7} {'9 in 10':>8} {'interactive_output':>19} {'ratio':>6}"
    )
    slow = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGUMENTS)
        for number in numbers:
            for subject, ours, theirs in lesson_rows(browser, number, presses):
                median, other = statistics.median(ours), statistics.median(theirs)
                name = f"{number:2} {subject.name}"
                print(
                    f"{name:28} {subject.control.name:12} {median:7.0f} {nine_in_ten(ours):8.0f} "
                    f"{other:19.0f} {other / median:6.2f}",
                    flush=True,
                )
                slow += [name] if median > GOAL else []
        browser.close()
    print(
        f"goal, {GOAL} ms at the median: "
        + (f"NOT met by {', '.join(slow)}" if slow else "met by all")
    )
    return 1 if slow else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "lessons", nargs="*", type=int, help="numbers of lessons; all where none is given"
    )
    parser.add_argument("--presses", type=int, default=32, help="presses on each control")
    given = parser.parse_args()
    raise SystemExit(main(given.lessons, given.presses))
