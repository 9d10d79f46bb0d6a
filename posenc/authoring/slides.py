"""A lesson as slides: a reveal.js deck that works offline, with the instructor's notes.

nbconvert makes the deck from the instructor edition. What it would load from the network is fetched
once from npm when the first deck is made, and copied beside the decks; nothing of it is kept in the
repository. Widgets give way to their pictures, and long sections are cut into slides that fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from math import ceil
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from posenc import lessons
from posenc.authoring import timetable
from posenc.authoring.fetching import MATHJAX, MATHJAX_URL, FetchError, Package, lay_beside
from posenc.errors import CourseError

PACKAGES = (
    Package("reveal.js@4", ("dist", "plugin/notes")),
    MATHJAX,
    Package("requirejs@2", ("require.js",)),
    Package("jquery@3", ("dist",)),
)
WIDTH, HEIGHT = 1280, 720
# Heights in pixels, as measured in a browser with a wide font; a test measures every slide.
ROOM = 565  # below a heading of one line
LINE, CHARACTERS = 40.5, 65  # of running text
CODE_LINE, CODE_CHARACTERS = 27.3, 85
GAP = 16
FORMULA, PICTURE = 130, 390
ROW = 53  # of a table
NOT_SHOWN = {"navigation", "challenge", "challenge-text", "check", "uses-challenge", "given"}
STYLE = Path(__file__).with_name("templates") / "slides.css.html"
# nbconvert's template imports a diagram library from the network; no lesson draws with it.
DIAGRAMS = re.compile(r'<script type="module">.*?mermaid.*?</script>', re.S)


@dataclass
class Block:
    """Something that is not cut: a paragraph, a code cell with its outputs, a question.

    height: in pixels, estimated. key: what the speaker reads beside it. question: is then voted on.
    """

    cell: nbformat.NotebookNode
    height: float
    key: str = ""
    question: lessons.Question | None = None

    @property
    def announces(self) -> bool:
        """Whether it is a text that ends by pointing to what follows, and belongs beside it."""
        return self.cell.cell_type == "markdown" and self.cell.source.rstrip().endswith((":", "?"))


@dataclass
class Section:
    """What stands under one heading; what the speaker says before it, and after it."""

    heading: str
    before: list[str]
    blocks: list[Block] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The heading without its marks."""
        return self.heading.lstrip("# ")


@dataclass
class Slide:
    """Blocks that stand on one slide, under a heading, and what the speaker says."""

    heading: str
    blocks: list[Block] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def height(self) -> float:
        """How much of the room is taken."""
        return sum(block.height for block in self.blocks)


def make(root: Path, number: int, folder: Path) -> Path:
    """Make the deck of lesson `number` in `folder`; the path of the page. CourseError otherwise."""
    lesson = lessons.lesson(number)
    source = root / "solutions" / f"{lesson.stem}.ipynb"
    if not source.exists():
        raise CourseError(
            f"{source.name} is not in solutions/; `posenc build {number}` makes it. "
            "A handout has none."
        )
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lay_beside(root, PACKAGES, folder / "assets")
    except FetchError as missing:
        raise CourseError(str(missing)) from missing
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
        if section.name == "Sources":
            continue
        made = [_challenge_slide(session)] if section.name == "Challenges" else _cut(section)
        made[0].notes = section.before + made[0].notes
        made[-1].notes += section.after
        yield from made


def _sections(notebook: nbformat.NotebookNode, challenge: str) -> list[Section]:
    """A lesson by its headings, without what is of no use on a wall; of the notes on challenges,
    those on the one that is done in the room."""
    found: list[Section] = []
    before: list[str] = []
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
            found[-1].blocks += _code_blocks(cell)
    return found


def _cut(section: Section) -> list[Slide]:
    """A section as slides that fit; a text that points to what follows goes with it, if it can."""
    made = [Slide(section.heading)]
    for block in section.blocks:
        slide = made[-1]
        if slide.blocks and slide.height + block.height > ROOM:
            made.append(Slide(f"### {section.name}"))
            text = slide.blocks[-1]
            if len(slide.blocks) > 1 and text.announces and text.height + block.height <= ROOM:
                made[-1].blocks.append(slide.blocks.pop())
        made[-1].blocks.append(block)
        if block.question:
            made += [*_steps(block.question, section.name), Slide(f"### {section.name}")]
    made = [slide for slide in made if slide.blocks or slide.heading == section.heading]
    for slide in made:
        slide.notes = [block.key for block in slide.blocks if block.key]
    return made


def _challenge_slide(session: timetable.Session) -> Slide:
    at_home = "; ".join(f"{part.name} ({part.minutes:g} min)" for part in session.homework)
    now = f"**Now: {session.challenge.name}**, {session.challenge.minutes:g} minutes."
    text = f"{now}\n\nAt home: {at_home}."
    return Slide(
        "## Challenges", [Block(new_markdown_cell(text), _text_height(text.split("\n\n")))]
    )


def _text_blocks(text: str) -> list[Block]:
    """Paragraphs, lists and formulas, each with its height."""
    blocks: list[Block] = []
    for part in re.split(r"\n\s*\n", text.strip()):
        if not part.strip():
            continue
        if part.count("$$") == 1 and blocks and blocks[-1].cell.source.count("$$") == 1:
            blocks[-1].cell.source += f"\n\n{part}"
            blocks[-1].height += FORMULA
            continue
        items = part.splitlines()
        if part.startswith(("- ", "1. ")):  # a list that is too long comes in two
            half = len(items) // 2 if _text_height(items) > ROOM else len(items)
            pieces = [piece for piece in (items[:half], items[half:]) if piece]
            blocks += [Block(new_markdown_cell("\n".join(p)), _text_height(p)) for p in pieces]
        else:
            height = _text_height([" ".join(items)])
            if part.startswith("|"):
                height = ROW * len(items)
            elif "$$" in part:
                height = FORMULA
            blocks.append(Block(new_markdown_cell(part), height))
    return blocks


def _text_height(items: Sequence[str]) -> float:
    """Pixels that paragraphs or the items of a list take; of links only the words are seen."""
    seen = [re.sub(r"\]\(\S+?\)", "", item) for item in items]
    return sum(LINE * ceil(len(item) / CHARACTERS) + GAP for item in seen)


def _code_height(text: str) -> float:
    return sum(
        CODE_LINE * ceil(max(len(line), 1) / CODE_CHARACTERS)
        for line in text.rstrip("\n").split("\n")
    )


def _code_blocks(cell: nbformat.NotebookNode) -> list[Block]:
    """A code cell with the outputs that a wall can show, in two if they do not fit on one slide; a
    question as text, with its key for the speaker."""
    asked = re.match(r'ask\("(.+?)"\)', cell.source)
    if asked:
        return [_question(lessons.question(asked[1]))]
    given = cell.get("outputs", [])
    drawn = any("image/png" in output.get("data", {}) for output in given)
    outputs, height = [], 0.0
    for output in given:
        data = output.get("data", {})
        if "image/png" in data:
            outputs.append(nbformat.v4.new_output("display_data", {"image/png": data["image/png"]}))
            height += PICTURE + GAP
        elif data or not drawn:  # a picture's line of text is for those who do not see it
            text = data.get("text/plain", "") if data else output.get("text", "")
            outputs.append(nbformat.v4.new_output("stream", text=text))
            height += _code_height(text) + GAP
    shown = Block(new_code_cell("", outputs=outputs, metadata={"tags": ["no-input"]}), height + GAP)
    if drawn or re.match(r"(claim|playground)\(", cell.source):
        return [shown]
    code = Block(new_code_cell(cell.source), _code_height(cell.source) + 2 * GAP)
    if code.height + height > ROOM:
        return [code, shown]
    code.cell.outputs = outputs
    code.height += height
    return [code]


def _question(question: lessons.Question) -> Block:
    letters = "ABCDEFG"
    options = [f"- **{letters[n]}** {option.text}" for n, option in enumerate(question.options)]
    key = [
        f"{letters[n]} is {'right' if option.right else 'wrong'}: {option.reason}"
        for n, option in enumerate(question.options)
    ]
    listed = "\n".join(options)
    return Block(
        new_markdown_cell(f"**{question.asks}**\n\n{listed}"),
        _text_height([question.asks, *options]) + GAP,
        "\n\n".join([f"**Key of {question.id}**", *key]),
        question,
    )


def _steps(question: lessons.Question, section: str) -> list[Slide]:
    """After the question: the vote, then the options with their reasons, as many as fit."""
    letters = [f"**{'ABCDEFG'[n]}**" for n in range(len(question.options))]
    lines = [f"- {letter} {o.text}" for letter, o in zip(letters, question.options, strict=True)]
    call = "Vote now, one hand for one letter."
    listed = "\n".join(lines)
    text = new_markdown_cell(f"**{question.asks}**\n\n{listed}\n\n{call}")
    height = _text_height([question.asks, *lines, call]) + GAP
    slides = [Slide(f"### {section}: vote", [Block(text, height)])]
    for letter, option in zip(letters, question.options, strict=True):
        word = "right" if option.right else "wrong"
        said = f"{letter} is **{word}**. {option.text}\n\n{option.reason}"
        height = _text_height([f"{letter} is right. {option.text}", option.reason]) + LINE
        reason = Block(new_markdown_cell(said), height)
        if slides[-1].heading.endswith("vote") or slides[-1].height + reason.height > ROOM:
            slides.append(Slide(f"### {section}: reasons"))
        slides[-1].blocks.append(reason)
    return slides


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
        spoken = [
            new_markdown_cell(note, metadata={"slideshow": {"slide_type": "notes"}})
            for note in slide.notes
        ]
        cells += [first, *rest, *spoken]
    notebook = new_notebook(cells=cells, metadata={"title": title})
    config = Config()
    config.TagRemovePreprocessor.enabled = True
    config.TagRemovePreprocessor.remove_input_tags = {"no-input"}
    config.SlidesExporter.preprocessors = ["nbconvert.preprocessors.TagRemovePreprocessor"]
    exporter = SlidesExporter(
        config=config,
        reveal_url_prefix="assets/reveal.js",
        reveal_theme="white",
        reveal_transition="none",
        reveal_number="c/t",
        reveal_width=str(WIDTH),
        reveal_height=str(HEIGHT),
        jquery_url="assets/jquery/dist/jquery.min.js",
        require_js_url="assets/requirejs/require.js",
        mathjax_url=MATHJAX_URL,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    html, _ = exporter.from_notebook_node(notebook)
    html = DIAGRAMS.sub("", html, count=1)
    # Lessons link to each other; decks of all lessons lie side by side.
    html = re.sub(r'href="(\d\d_\w+)\.ipynb"', r'href="\1.html"', html)
    return html.replace("</head>", f"{STYLE.read_text(encoding='utf-8')}</head>", 1)
