"""Lessons as pages to read: HTML with pictures in place of widgets, readable without a kernel.

nbconvert makes the page; the template in `templates` leaves out what it would load from the
network, gives
each picture the line that describes it, and lets boxes that scroll be scrolled by keyboard.
Formulas are set by MathJax, which lies in `assets` beside the pages where npm can bring it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat

from posenc.authoring.editions import EDITIONS, select, source_paths
from posenc.authoring.fetching import MATHJAX, MATHJAX_URL, FetchError, lay_beside
from posenc.errors import CourseError, NotUnderstood
from posenc.learning.workspace import SYMBOLS_PAGE, lesson_table, symbols_source
from posenc.saving import readable

__all__ = ["export", "page"]

TEMPLATES = Path(__file__).with_name("templates")
# Each edition has a folder of its own, so that a solved page never lies among the learners'.
FOLDERS = {"learner": Path("html"), "instructor": Path("html-instructor")}
# As nbconvert writes it, attributes in the order of their names.
EDITION_MARK = re.compile(r'<meta content="(\w+)" name="posenc-edition"')
PRIORITY = ["text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "text/plain"]
INDEX = "index.html"
INDEX_TEXT = """# Positional encoding in twelve notebooks

These pages are for reading. To run cells, move sliders and have answers checked, open the lessons \
with `python3 course.py lab`.

"""


def export(
    root: Path,
    wanted: Sequence[str] = (),
    folder: Path | None = None,
    edition: str = "learner",
    tell: Callable[[str], None] = print,
) -> list[Path]:
    """Write a page for each lesson asked for, a list of all pages, and the table of symbols.

    edition: "learner" or "instructor"; without `folder`, each goes to a folder of its own. Returns
    the pages of the lessons. Raises CourseError, and NotUnderstood for a lesson or an edition that
    there is not, or a folder that holds pages of the other edition.
    """
    if edition not in FOLDERS:
        raise NotUnderstood(f"edition is {edition!r}; it may be learner or instructor.")
    folder = folder or FOLDERS[edition]
    _refuse_mixed(folder, edition)
    notebooks = root / EDITIONS[edition]
    stems = [path.stem for path in select(source_paths(root), wanted)]
    for stem in stems:
        if not (notebooks / f"{stem}.ipynb").is_file():
            raise CourseError(
                f"{stem}.ipynb is not in {notebooks.name}/; "
                f"`posenc build {int(stem[:2])}` makes it."
            )
    folder.mkdir(parents=True, exist_ok=True)
    mathjax = _mathjax(root, folder, tell)
    there = {path.stem for path in folder.glob("[0-9][0-9]_*.html")} | set(stems)
    written = []
    for stem in stems:
        notebook = nbformat.read(notebooks / f"{stem}.ipynb", 4)
        about = notebook.metadata.posenc
        html = page(notebook, f"{about.lesson} · {about.title}", there, mathjax, edition)
        written.append(_write(folder / f"{stem}.html", html))
        tell(f"{written[-1]}")
    index = INDEX_TEXT + "\n".join(lesson_table(notebooks)) + f"\n\n[Symbols]({SYMBOLS_PAGE})\n"
    symbols = f"[All lessons]({INDEX})\n\n" + symbols_source(notebooks).read_text(encoding="utf-8")
    for name, title, text in ((INDEX, "Lessons", index), ("symbols.html", "Symbols", symbols)):
        only = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, id="text")])
        _write(folder / name, page(only, title, there, mathjax, edition))
    return written


def page(
    notebook: nbformat.NotebookNode,
    title: str,
    there: set[str],
    mathjax: str | None = None,
    edition: str = "learner",
) -> str:
    """A notebook as one HTML page, its pictures inside it.

    there: stems of the lessons that have a page; links to others become plain words. mathjax:
    where MathJax is loaded from; nbconvert's own address on the network where None. edition: is
    written into the page, so that pages of two editions are told apart.
    """
    from nbconvert.exporters import HTMLExporter
    from traitlets.config import Config

    notebook = nbformat.from_dict(notebook)
    notebook.metadata["title"] = title
    notebook.metadata["posenc_edition"] = edition
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.from_dict(output) for output in readable(cell.outputs)]
        else:
            cell.source = _linked(cell.source, there)
    config = Config({"NbConvertBase": {"display_data_priority": PRIORITY}})
    addresses = {"mathjax_url": mathjax} if mathjax else {}
    template = (TEMPLATES / "lesson.html.j2").read_text(encoding="utf-8")
    exporter = HTMLExporter(
        config=config, raw_template=template, exclude_input_prompt=True,
        exclude_output_prompt=True, exclude_anchor_links=True, **addresses,
    )  # fmt: skip
    return exporter.from_notebook_node(notebook)[0]


def _linked(text: str, there: set[str]) -> str:
    """The text with links to notebooks and pages of the course turned into links to pages here."""

    def lesson(link: re.Match) -> str:
        words, stem, anchor = link.groups()
        return f"[{words}]({stem}.html{anchor or ''})" if stem in there else words

    text = re.sub(r"\[([^\]]+)\]\((\d\d_\w+)\.ipynb(#[^)\s]*)?\)", lesson, text)
    text = re.sub(r"\]\((?:\.\./docs/)?[Ss]ymbols\.md\)", "](symbols.html)", text)
    return text.replace("](Start.md)", f"]({INDEX})")


def _mathjax(root: Path, folder: Path, tell: Callable[[str], None]) -> str | None:
    try:
        lay_beside(root, [MATHJAX], folder / "assets")
    except FetchError as missing:
        tell(f"Formulas need the network on these pages: {missing}")
        return None
    return MATHJAX_URL


def _refuse_mixed(folder: Path, edition: str) -> None:
    """NotUnderstood where the folder's pages are of the other edition."""
    for path in sorted(folder.glob("*.html")):
        marked = EDITION_MARK.search(path.read_text(encoding="utf-8", errors="replace"))
        if marked and marked[1] != edition:
            raise NotUnderstood(
                f"{folder} holds pages of the {marked[1]} edition; choose a different --output."
            )


def _write(path: Path, html: str) -> Path:
    path.write_text(html, encoding="utf-8")
    return path
