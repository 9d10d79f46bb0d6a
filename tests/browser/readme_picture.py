"""Make the picture of the README, docs/lesson_06.png: a playground, and below it a wrong check.

python tests/browser/readme_picture.py
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from browser.lab import CHROMIUM_ARGUMENTS, Notebook, chromium, server  # noqa: E402
from browser.test_lesson_06 import CONCATENATED, NAME  # noqa: E402
from posenc.learning.workspace import prepare

WIDTH, HEIGHT = 1400, 930
SIDE = 38  # pixels of the bars at both sides, which the lower part leaves out
SCROLLED = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer"
GREY = (189, 189, 189)


def scroll_to(notebook: Notebook, words: str, below: int) -> None:
    """Bring the cell that holds these words to `below` pixels under the window's upper edge."""
    top = notebook.cell(words).bounding_box()["y"]
    notebook.page.evaluate(
        "([where, by]) => { document.querySelector(where).scrollTop += by; }",
        [SCROLLED, top - below],
    )
    notebook.page.wait_for_timeout(800)


def playground(notebook: Notebook) -> Image.Image:
    """The window with the moved playground."""
    slider = notebook.cell("playground(").get_by_role("slider", name="position")
    notebook.press(slider, *["ArrowRight"] * 4)
    scroll_to(notebook, "playground(", below=225)
    return picture(notebook)


def wrong_check(notebook: Notebook) -> Image.Image:
    """The cells of challenge 6.2 with a wrong answer, and what is said of it."""
    notebook.command("application:toggle-left-area")
    notebook.write("def sinusoidal(", CONCATENATED.rstrip())
    notebook.run("def sinusoidal(")
    notebook.run('check("6.2"')
    scroll_to(notebook, "def sinusoidal(", below=110)
    box = notebook.cell('check("6.2"').bounding_box()
    bottom = round(box["y"] + box["height"])
    return picture(notebook).crop((SIDE, 100, WIDTH - SIDE, bottom + 6))


def picture(notebook: Notebook) -> Image.Image:
    """What the window shows."""
    return Image.open(io.BytesIO(notebook.page.screenshot())).convert("RGB")


def main() -> None:
    """Open lesson 6, take both pictures, and write them as one."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "my-course"
        prepare(folder)
        with server(folder, Path(temporary) / "home") as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium(), args=CHROMIUM_ARGUMENTS
            )
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            notebook = Notebook(page, address).open(NAME)
            notebook.run_all()
            page.wait_for_timeout(1000)
            above, below = playground(notebook), wrong_check(notebook)
            notebook.close()
            browser.close()
    whole = Image.new("RGB", (WIDTH, above.height + 12 + below.height), GREY)
    whole.paste(above, (0, 0))
    whole.paste(below, (SIDE, above.height + 12))
    path = ROOT / "docs" / "lesson_06.png"
    whole.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(
        f"{path.relative_to(ROOT)}: {whole.width} × {whole.height}, {path.stat().st_size // 1000} kB"
    )


if __name__ == "__main__":
    main()
