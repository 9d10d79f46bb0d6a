"""A lesson as slides: a reveal.js deck that works offline, with the instructor's notes as speaker notes.

nbconvert makes the deck from the instructor edition. What it would load from the network is fetched
once from npm when the first deck is made, and copied beside the decks; nothing of it is kept in the
repository. Widgets give way to their pictures, and long sections are cut into slides that fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from posenc import lessons, timetable
from posenc.fetching import MATHJAX, MATHJAX_URL, FetchError, Package, lay_beside

PACKAGES = (
    Package("reveal.js@4", ("dist", "plugin/notes")),
    MATHJAX,
    Package("requirejs@2", ("require.js",)),
    Package("jquery@3", ("dist",)),
)
WIDTH, HEIGHT = 1280, 720
ROOM = 13.0  # lines of running text that fit on a slide below its heading
WORDS_A_LINE = 12
PICTURE_LINES = 10.5
NOT_SHOWN = {"navigation", "challenge", "challenge-text", "check", "uses-challenge", "given"}
STYLE = """<style>
.reveal .slides { text-align: left; }
.reveal .slides section { font-size: 30px; line-height: 1.35; top: 0 !important; padding: 20px 0; }
.reveal h1 { font-size: 54px; } .reveal h2 { font-size: 42px; } .reveal h3 { font-size: 34px; }
.reveal h1, .reveal h2, .reveal h3 { text-transform: none; }
.reveal section img { max-height: 420px; margin: 0; }
.reveal pre, .jp-Cell pre { font-size: 21px !important; line-height: 1.3 !important; box-shadow: none; width: 100%; }
.jp-RenderedHTMLCommon { font-size: 30px; }
.jp-RenderedHTMLCommon p, .jp-RenderedHTMLCommon li { margin-bottom: 0.4em; }
</style>"""
# nbconvert's template imports a diagram library from the network; no lesson draws with it.
DIAGRAMS = re.compile(r'<script type="module">.*?mermaid.*?</script>', re.S)


class SlidesError(RuntimeError):
    """A deck could not be made; the message says why and what helps."""


@dataclass
class Block:
    """Something that is not cut: a paragraph, a code cell with its outputs, a question.

    lines: its height, in lines of running text. key: what the speaker reads beside it.
    """

    cell: nbformat.NotebookNode
    lines: float
    key: str = ""

    @property
    def announces(self) -> bool:
        """Whether it is a text that ends by pointing to what follows, and should stand beside it."""
        return self.cell.cell_type == "markdown" and self.cell.source.rstrip().endswith((":", "?"))


@dataclass
class Section:
    """What stands under one heading; what the speaker says before it, and after it."""

    heading: str
    before: list[str]
    blocks: list[Block] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass
class Slide:
    """Blocks that stand on one slide, under a heading, and what the speaker says."""

    heading: str
    blocks: list[Block] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def lines(self) -> float:
        """How much of the room is taken."""
        return sum(block.lines for block in self.blocks)


def make(root: Path, number: int, folder: Path) -> Path:
    """Make the deck of lesson `number` in `folder`; the path of the page. SlidesError otherwise."""
    lesson = lessons.lesson(number)
    source = root / "solutions" / f"{lesson.stem}.ipynb"
    if not source.exists():
        raise SlidesError(f"{source.name} is not in solutions/; `posenc build {number}` makes it. A handout has none.")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lay_beside(root, PACKAGES, folder / "assets")
    except FetchError as missing:
        raise SlidesError(str(missing)) from missing
    page = folder / f"{lesson.stem}.html"
    deck = list(slides(nbformat.read(source, 4), timetable.session(root, number)))
    page.write_text(_page(deck, f"{number} · {lesson.title}"), encoding="utf-8")
    return page


def slides(notebook: nbformat.NotebookNode, session: timetable.Session) -> Iterator[Slide]:
    """The slides of a lesson: its head, its sections cut to size, one challenge, the recap.

    What to ask is said on the first slide of a section, the key of a question beside the question,
    and what goes wrong on the last slide.
    """
    for section in _sections(notebook, session.challenge.name.split()[0]):
        name = section.heading.lstrip("# ")
        if name == "Challenges":
            made = [_challenge_slide(session)]
        elif name != "Sources":
            made = _cut(section)
        else:
            continue
        made[0].notes = section.before + made[0].notes
        made[-1].notes += section.after
        yield from made


def _sections(notebook: nbformat.NotebookNode, challenge: str) -> list[Section]:
    """A lesson by its headings, without what is of no use on a wall; of the notes on challenges,
    those on the one that is done in the room."""
    found, before = [], []
    for cell, following in zip_longest(notebook.cells, notebook.cells[1:]):
        tags = set(cell.metadata.get("tags", []))
        title = re.match(r"#{1,2} .+", cell.source) if cell.cell_type == "markdown" else None
        if "instructor" in tags:
            opens = following is not None and "minutes" in following.metadata.get("posenc", {})
            if cell.metadata.get("posenc", {}).get("challenge", challenge) == challenge:
                (before if opens else found[-1].after).append(cell.source)
        elif tags & NOT_SHOWN:
            continue
        elif title:
            found.append(Section(title[0], before, _text_blocks(cell.source.partition("\n")[2])))
            before = []
        elif cell.cell_type == "markdown":
            found[-1].blocks += _text_blocks(cell.source)
        elif found[-1].heading.startswith("## "):  # imports and settings stand under the title
            found[-1].blocks.append(_code_block(cell))
    return found


def _cut(section: Section) -> list[Slide]:
    """A section as slides that fit. A text that points to what follows goes with it, if both fit."""
    made = [Slide(section.heading)]
    for block in section.blocks:
        slide = made[-1]
        if slide.blocks and slide.lines + block.lines > ROOM:
            made.append(Slide(f"### {section.heading.lstrip('# ')}"))
            text = slide.blocks[-1]
            if len(slide.blocks) > 1 and text.announces and text.lines + block.lines <= ROOM:
                made[-1].blocks.append(slide.blocks.pop())
        made[-1].blocks.append(block)
    for slide in made:
        slide.notes = [block.key for block in slide.blocks if block.key]
    return made


def _challenge_slide(session: timetable.Session) -> Slide:
    at_home = "; ".join(f"{part.name} ({part.minutes:g} min)" for part in session.homework)
    text = f"**Now: {session.challenge.name}**, {session.challenge.minutes:g} minutes.\n\nAt home: {at_home}."
    return Slide("## Challenges", [Block(new_markdown_cell(text), 5)])


def _text_blocks(text: str) -> list[Block]:
    """Paragraphs, lists and formulas, each with its height in lines."""
    blocks = []
    for part in re.split(r"\n\s*\n", text.strip()):
        if not part.strip():
            continue
        if part.count("$$") == 1 and blocks and blocks[-1].cell.source.count("$$") == 1:
            blocks[-1].cell.source += f"\n\n{part}"
            continue
        lines = 4.5 if "$$" in part else sum(
            1 + len(re.sub(r"\(\S+?\)", "", line).split()) // WORDS_A_LINE for line in _items(part)
        )
        blocks += [Block(new_markdown_cell(piece), size + 0.6) for piece, size in _fitting(part, lines)]
    return blocks


def _items(part: str) -> list[str]:
    return part.splitlines() if part.lstrip().startswith(("- ", "1. ", "|")) else [" ".join(part.splitlines())]


def _fitting(part: str, lines: float) -> Iterator[tuple[str, float]]:
    """A list that is too long for a slide comes in two; all else as it is."""
    items = part.splitlines()
    if lines > ROOM - 1 and len(items) > 1:
        middle = len(items) // 2
        yield "\n".join(items[:middle]), lines / 2
        yield "\n".join(items[middle:]), lines / 2
    else:
        yield part, lines


def _code_block(cell: nbformat.NotebookNode) -> Block:
    """A code cell with the outputs that a wall can show; a question as text, with its key for the speaker."""
    asked = re.match(r'ask\("(.+?)"\)', cell.source)
    if asked:
        return _question(lessons.question(asked[1]))
    shown = re.match(r"(claim|playground)\(", cell.source)
    outputs, lines = [], 0.0
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            outputs.append(nbformat.v4.new_output("display_data", {"image/png": data["image/png"]}))
            lines += PICTURE_LINES
        elif data:
            outputs.append(nbformat.v4.new_output("stream", text=data.get("text/plain", "")))
            lines += data.get("text/plain", "").count("\n") * 0.8 + 1.2
        elif not any("image/png" in o.get("data", {}) for o in outputs):
            outputs.append(nbformat.v4.new_output("stream", text=output.get("text", "")))
            lines += output.get("text", "").count("\n") * 0.8 + 0.4
    if shown or any("image/png" in o.get("data", {}) for o in outputs):
        return Block(new_code_cell("", outputs=outputs, metadata={"tags": ["no-input"]}), lines)
    lines += cell.source.count("\n") * 0.85 + 1.6
    return Block(new_code_cell(cell.source, outputs=outputs), lines)


def _question(question: lessons.Question) -> Block:
    letters = "ABCDEFG"
    options = "\n".join(f"- **{letters[n]}** {option.text}" for n, option in enumerate(question.options))
    key = [
        f"{letters[n]} is {'right' if option.right else 'wrong'}: {option.reason}"
        for n, option in enumerate(question.options)
    ]
    words = len(f"{question.asks} {options}".split())
    return Block(
        new_markdown_cell(f"**{question.asks}**\n\n{options}"),
        words / WORDS_A_LINE + len(key) + 1.5,
        "\n\n".join([f"**Key of {question.id}**", *key]),
    )


def _page(deck: list[Slide], title: str) -> str:
    """The deck as one HTML page."""
    from nbconvert.exporters import SlidesExporter
    from traitlets.config import Config

    cells = []
    for slide in deck:
        first = new_markdown_cell(slide.heading, metadata={"slideshow": {"slide_type": "slide"}})
        rest = [block.cell for block in slide.blocks]
        for cell in rest:
            cell.metadata["slideshow"] = {"slide_type": "-"}
        spoken = [new_markdown_cell(note, metadata={"slideshow": {"slide_type": "notes"}}) for note in slide.notes]
        cells += [first, *rest, *spoken]
    notebook = new_notebook(cells=cells, metadata={"title": title})
    config = Config()
    config.TagRemovePreprocessor.enabled = True
    config.TagRemovePreprocessor.remove_input_tags = {"no-input"}
    config.SlidesExporter.preprocessors = ["nbconvert.preprocessors.TagRemovePreprocessor"]
    exporter = SlidesExporter(
        config=config,
        reveal_url_prefix="assets/reveal.js", reveal_theme="white", reveal_transition="none", reveal_number="c/t",
        reveal_width=str(WIDTH), reveal_height=str(HEIGHT),
        jquery_url="assets/jquery/dist/jquery.min.js", require_js_url="assets/requirejs/require.js",
        mathjax_url=MATHJAX_URL,
        exclude_input_prompt=True, exclude_output_prompt=True,
    )
    html, _ = exporter.from_notebook_node(notebook)
    html = DIAGRAMS.sub("", html, count=1)
    # Lessons link to each other; decks of all lessons lie side by side.
    html = re.sub(r'href="(\d\d_\w+)\.ipynb"', r'href="\1.html"', html)
    return html.replace("</head>", f"{STYLE}\n</head>", 1)
