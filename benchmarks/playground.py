"""How long a playground takes from a key press to the repaint, beside ipywidgets' own way.

    python benchmarks/playground.py [presses]

Opens JupyterLab in Chromium with two cells that show the same figure: a playground, and
`interactive_output` with pyplot. Presses an arrow key on a slider of each in turn, and waits for
the new picture to be painted. Prints medians in milliseconds and their ratio; ends with status 1
where the playground's median is over 150 ms.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import nbformat
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from browser.lab import CHROMIUM_ARGUMENTS, Notebook, chromium, server  # noqa: E402

GOAL = 150  # milliseconds, at the median

PLAYGROUND = """from posenc.classroom import playground
from posenc.figures.lesson_06 import seats
playground(seats)"""

INTERACTIVE_OUTPUT = """import ipywidgets as widgets
import matplotlib.pyplot as plt
from posenc.figures.lesson_06 import seats

def redraw(position):
    figure = plt.figure(figsize=seats.size, layout="constrained")
    seats.build(figure)(position=position, width=16, base=10000)
    plt.show()

slider = widgets.IntSlider(value=7, min=0, max=63)
widgets.VBox([slider, widgets.interactive_output(redraw, {"position": slider})])"""

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


def measured(notebook: Notebook, words: str, presses: int) -> list[float]:
    """Milliseconds of each press on the first slider beneath the cell that holds these words."""
    slider = notebook.cell(words).get_by_role("slider").first
    slider.scroll_into_view_if_needed()
    slider.focus()
    times = []
    for press in range(presses):
        notebook.page.keyboard.press("ArrowRight" if press % 20 < 10 else "ArrowLeft")
        notebook.page.wait_for_function("window.painted !== null", timeout=10_000)
        times.append(notebook.page.evaluate("window.painted"))
        notebook.page.wait_for_timeout(80)
    return times


def main(presses: int) -> int:
    cells = [nbformat.v4.new_code_cell(source) for source in (PLAYGROUND, INTERACTIVE_OUTPUT)]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    made = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "course"
        folder.mkdir()
        nbformat.write(made, folder / "benchmark.ipynb")
        with server(folder, Path(temporary) / "home") as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium(), args=CHROMIUM_ARGUMENTS)
            page = browser.new_page(viewport={"width": 1400, "height": 1000})
            notebook = Notebook(page, address).open("benchmark.ipynb")
            notebook.run_all()
            page.wait_for_timeout(2000)
            page.evaluate(CLOCK)
            times: dict[str, list[float]] = {"playground": [], "interactive_output": []}
            for _ in range(4):  # in turn, so that a busy machine slows both
                times["playground"] += measured(notebook, "playground(seats)", presses // 4)
                times["interactive_output"] += measured(notebook, "redraw", presses // 4)
            browser.close()
    for name, values in times.items():
        slowest = sorted(values)[int(0.9 * len(values))]
        print(f"{name:20} median {statistics.median(values):6.1f} ms   "
              f"nine in ten within {slowest:6.1f} ms   {len(values)} presses")
    ours, theirs = (statistics.median(values) for values in times.values())
    print(f"ratio                {theirs / ours:.2f}")
    print(f"goal                 {GOAL} ms at the median: {'met' if ours <= GOAL else 'NOT met'}")
    return 0 if ours <= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 80))
