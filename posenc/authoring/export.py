"""Lessons as pages to read: HTML with pictures in place of widgets, readable without a kernel.

nbconvert makes the page; the template here leaves out what it would load from the network, gives
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

TEMPLATE = r"""
{%- extends "lab/index.html.j2" -%}
{%- block html_head_js_requirejs -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
{%- block html_head_css -%}
<style>
main { max-width: 64rem; margin: 0 auto; padding: 0 1rem 4rem; }
body.jp-Notebook { padding: 0; overflow: auto; }
.jp-Cell { padding: 5px 0; }
.jp-RenderedHTMLCommon { font-size: 16px; line-height: 1.55; padding-right: 0; }
.jp-RenderedHTMLCommon a:link, .jp-RenderedHTMLCommon a:visited { color: #0b57a4; text-decoration: underline; }
.jp-RenderedHTMLCommon p code, .jp-RenderedHTMLCommon li code { overflow-wrap: anywhere; }
.jp-InputArea-editor { border: 1px solid #d0d0d0; background: #f7f7f7; flex: 1; min-width: 0; }
.jp-OutputArea-output { overflow-x: auto; }
.jp-RenderedHTML { padding-left: 5px; }
.highlight pre, .jp-OutputArea-output pre { overflow-x: auto; font-size: 14px; line-height: 1.35;
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
/* Darker than JupyterLab's own, which are too pale on grey to be read by everyone. */
.highlight .c1, .highlight .c, .highlight .ch, .highlight .cm { color: #3b6363; }
.highlight .o, .highlight .p { color: #45414f; }
.highlight .ow, .highlight .k, .highlight .kn, .highlight .kc { color: #00661a; }
.highlight .s1, .highlight .s2, .highlight .sd, .highlight .si { color: #9a1717; }
.highlight .mi, .highlight .mf { color: #1f5f00; }
.highlight .nb { color: #00661a; }
.jp-RenderedImage img { max-width: 100%; height: auto; }
.celltag_instructor { border-left: 4px solid #0072b2; background: #f2f7fb; padding: 2px 12px; }
details { margin: 2px 0; }
summary { cursor: pointer; }
:focus-visible { outline: 3px solid #b36b00; outline-offset: 2px; }
</style>
{%- endblock -%}
{%- block data_png scoped -%}
<div class="jp-RenderedImage jp-OutputArea-output">
{%- set width = output | get_metadata("width", "image/png") -%}
<img alt="{{ (output.data.get('text/plain') or '') | escape_html }}"
{%- if width %} width="{{ width | escape_html }}"{% endif %} src="data:image/png;base64,
{{- output.data['image/png'] | escape_html }}">
</div>
{%- endblock -%}
{%- block body_footer -%}
<script>
// A box whose content is wider than itself is reached with Tab and scrolled with the arrow keys.
function reachable() {
  for (const box of document.querySelectorAll("pre, .jp-OutputArea-output, .MathJax_Display"))
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0; else box.removeAttribute("tabindex");
}
addEventListener("load", reachable); addEventListener("resize", reachable);
</script>
{{ super() }}
{%- endblock -%}
"""
PRIORITY = ["text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "text/plain"]
INDEX = "index.html"
INDEX_TEXT = """# Positional encoding in twelve notebooks

These pages are for reading. To run cells, move sliders and have answers checked, open the lessons \
with `python3 course.py lab`.

"""


def export(
    root: Path,
    wanted: Sequence[str] = (),
    folder: Path = Path("html"),
    edition: str = "learner",
    tell: Callable[[str], None] = print,
) -> list[Path]:
    """Write a page for each lesson asked for, a list of all pages, and the table of symbols.

    edition: "learner" or "instructor". Returns the pages of the lessons. Raises CourseError, and
    NotUnderstood for a lesson or an edition that there is not.
    """
    if edition not in ("learner", "instructor"):
        raise NotUnderstood(f"edition is {edition!r}; it may be learner or instructor.")
    notebooks = root / EDITIONS[edition]
    stems = [path.stem for path in select(source_paths(root), wanted)]
    for stem in stems:
        if not (notebooks / f"{stem}.ipynb").is_file():
            raise CourseError(
                f"{stem}.ipynb is not in {notebooks.name}/; `posenc build {int(stem[:2])}` makes it."
            )
    folder.mkdir(parents=True, exist_ok=True)
    mathjax = _mathjax(root, folder, tell)
    there = {path.stem for path in folder.glob("[0-9][0-9]_*.html")} | set(stems)
    written = []
    for stem in stems:
        notebook = nbformat.read(notebooks / f"{stem}.ipynb", 4)
        about = notebook.metadata.posenc
        html = page(notebook, f"{about.lesson} · {about.title}", there, mathjax)
        written.append(_write(folder / f"{stem}.html", html))
        tell(f"{written[-1]}")
    index = INDEX_TEXT + "\n".join(lesson_table(notebooks)) + f"\n\n[Symbols]({SYMBOLS_PAGE})\n"
    symbols = f"[All lessons]({INDEX})\n\n" + symbols_source(notebooks).read_text(encoding="utf-8")
    for name, title, text in ((INDEX, "Lessons", index), ("symbols.html", "Symbols", symbols)):
        only = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, id="text")])
        _write(folder / name, page(only, title, there, mathjax))
    return written


def page(
    notebook: nbformat.NotebookNode, title: str, there: set[str], mathjax: str | None = None
) -> str:
    """A notebook as one HTML page, its pictures inside it.

    there: stems of the lessons that have a page; links to others become plain words. mathjax:
    where MathJax is loaded from; nbconvert's own address on the network where None.
    """
    from nbconvert.exporters import HTMLExporter
    from traitlets.config import Config

    notebook = nbformat.from_dict(notebook)
    notebook.metadata["title"] = title
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.from_dict(output) for output in readable(cell.outputs)]
        else:
            cell.source = _linked(cell.source, there)
    config = Config({"NbConvertBase": {"display_data_priority": PRIORITY}})
    addresses = {"mathjax_url": mathjax} if mathjax else {}
    exporter = HTMLExporter(
        config=config, raw_template=TEMPLATE, exclude_input_prompt=True,
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


def _write(path: Path, html: str) -> Path:
    path.write_text(html, encoding="utf-8")
    return path
