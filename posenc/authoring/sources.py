"""A lesson's source: the cells of solutions/NN_name.py, and what is said about each of them.

The file is py:percent, as jupytext reads it. A marker line starts a cell and may carry

    section="slug" minutes=5   on the Markdown cell whose level-2 heading opens a section
    challenge="6.2"            on the text and on the code of that challenge
    tags=["..."]               one of TAGS; "guess-first" folds what the learner shall guess

Four level-2 headings have a slug of their own and need none: Seen in the wild (wild), Challenges
(challenges), Recap (recap), Sources (sources). Text between `### BEGIN SOLUTION` and
`### END SOLUTION` is the answer of a challenge; a line `### STUB: text` directly above the first
marker is what the learner reads in its place. Nothing is a magic here: a line `# copy of x` stays
a comment (jupytext would run it), and `%` and `!` are refused.
"""

from __future__ import annotations

import ast
import hashlib
import re
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from posenc.errors import CourseError

__all__ = [
    "Cell",
    "Section",
    "Shape",
    "Source",
    "SourceError",
    "TAGS",
    "answered",
    "only_calls",
    "prose",
    "read",
    "sections",
    "shape",
    "stub",
    "title_of",
]

TAGS = frozenset(
    {
        "challenge",
        "challenge-text",
        "given",
        "guess-first",
        "instructor",
        "uses-challenge",
    }
)
SPECIAL = {
    "Seen in the wild": "wild",
    "Challenges": "challenges",
    "Recap": "recap",
    "Sources": "sources",
}
PASSED_ON = ("jp-MarkdownHeadingCollapsed", "slideshow")  # for JupyterLab and for slides
OWN_KEYS = ("section", "minutes", "challenge")
DOORS = ("ask", "claim", "playground", "progress")  # calls that show the course's data, not code

CELL_MARKER = re.compile(r"^\s*#\s*%%%*(\s|$)")
BEGIN = re.compile(r"^([ \t]*)### BEGIN SOLUTION$")
END = re.compile(r"^[ \t]*### END SOLUTION$")
STUB = re.compile(r"^([ \t]*)### STUB: (\S.*)$")
NEARLY_A_MARKER = re.compile(r"#\s*(BEGIN|END)\b.*SOLUTION|#+\s*STUB\b|###\s*(BEGIN|END)\b", re.I)
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")
NUMBER_BEFORE_TITLE = re.compile(r"^(?:Lesson\s+)?\d+\s*[·:.–—-]\s*", re.I)


class SourceError(CourseError):
    """A lesson's source breaks a rule; the message names the file, the line and the rule."""


@dataclass(frozen=True)
class Cell:
    """One cell of a source. `line` is the line of its marker in the file, counted from 1."""

    kind: str
    text: str
    line: int
    tags: frozenset[str] = frozenset()
    section: str | None = None
    minutes: float | None = None
    challenge: str | None = None
    passed_on: dict[str, Any] = field(default_factory=dict)

    @property
    def first_line(self) -> str:
        """The first line of its text, to be recognised by."""
        return self.text.partition("\n")[0]


@dataclass(frozen=True)
class Source:
    """A lesson as its author wrote it."""

    path: Path
    title: str
    sha256: str
    cells: tuple[Cell, ...]

    @property
    def stem(self) -> str:
        """The name that its source and its three editions share: 06_sinusoidal_encoding."""
        return self.path.stem

    @property
    def lesson(self) -> int:
        """The number of the lesson."""
        return int(self.stem[:2])

    @property
    def name(self) -> str:
        """The file as messages name it."""
        return f"{self.path.parent.name}/{self.path.name}"

    @cached_property
    def challenges(self) -> tuple[str, ...]:
        """The ids of the challenges, in order."""
        return tuple(cell.challenge or "" for cell in self.cells if "challenge" in cell.tags)

    def calls(self, function: str) -> list[str]:
        """The ids with which the code cells call ask, claim or check, in order."""
        return [i for cell in self.cells if cell.kind == "code" for i in _ids(cell.text, function)]


class Section(NamedTuple):
    """What one section holds: prose in words, code in lines that are not empty."""

    slug: str
    title: str
    minutes: float
    words: int
    code_lines: int


@dataclass(frozen=True)
class Shape:
    """The size of a lesson, as course.md sets it: sections only, without questions, challenges,
    wild cases, recap and sources. `longest` and `median` are lines of a code cell; for the median,
    cells that only call ask, claim, playground or progress are left out, since they hold no
    working that could be short or long."""

    sections: int
    words: int
    code_lines: int
    longest: int
    median: float
    questions: int
    claims: int
    playgrounds: int
    challenges: int


def read(path: Path, challenge: Callable[[str], Any] | None = None) -> Source:
    """Read and check one source, and add what `posenc.lessons` knows of its challenges.

    Each challenge's text gets its heading, points, minutes and difficulty, and its code a check
    cell behind it. challenge: from an id to the challenge; where it is left out, the course's own.
    Raises SourceError where a rule of the format is broken, RuntimeError where jupytext is missing.
    """
    try:
        import jupytext
    except ModuleNotFoundError as missing:
        raise RuntimeError(
            "Lessons are read with jupytext. Install the author's extra: pip install -e '.[author]'"
        ) from missing
    path = Path(path)
    where = f"{path.parent.name}/{path.name}"
    if not re.fullmatch(r"\d\d_[a-z0-9_]+", path.stem):
        raise SourceError(f"{where}: a source is named NN_name.py, in lower case.")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as wrong:
        raise SourceError(f"{where}: not UTF-8: {wrong}.") from wrong
    plain = {"extension": ".py", "format_name": "percent", "comment_magics": False}
    try:
        found = jupytext.reads(text, fmt=plain).cells
    except Exception as wrong:  # nbformat's, where a marker line gives metadata of a wrong type
        raise SourceError(f"{where}: {str(wrong).partition(chr(10))[0]}.") from wrong
    lines = [n for n, line in enumerate(text.splitlines(), 1) if CELL_MARKER.match(line)]
    if len(found) != len(lines):
        raise SourceError(
            f"{where}: {len(lines)} lines look like a cell marker, but jupytext reads {len(found)} "
            "cells. The first cell starts with a marker, and no text or string holds '# %%'."
        )
    cells = tuple(_cell(where, raw, line) for raw, line in zip(found, lines, strict=True))
    source = Source(path, title_of(path), hashlib.sha256(text.encode()).hexdigest(), cells)
    _check_headings(source)
    _check_challenges(source)
    for cell in cells:
        _check_code(source, cell)
    return replace(source, cells=tuple(_with_challenges(source, challenge or _of_the_course())))


def title_of(path: Path) -> str:
    """The title of a lesson: its first heading, without a number before it."""
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("# # "):
            return NUMBER_BEFORE_TITLE.sub("", line[4:].strip())
        if number > 1 and CELL_MARKER.match(line):
            break
    where = f"{Path(path).parent.name}/{Path(path).name}"
    raise SourceError(f"{where}: the first cell is Markdown and holds the title, '# # Title'.")


def _cell(where: str, raw: Any, line: int) -> Cell:
    """One cell from jupytext's, with its metadata taken apart and checked."""
    at = f"{where}:{line}"
    meta = {k: v for k, v in raw.metadata.items() if not k.startswith("lines_to_")}
    tags = meta.pop("tags", [])
    own = {key: meta.pop(key, None) for key in OWN_KEYS}
    passed_on = {key: meta.pop(key) for key in PASSED_ON if key in meta}
    if meta or raw.cell_type not in ("markdown", "code"):
        raise SourceError(
            f"{at}: the marker says {_shown(meta) or raw.cell_type}; it may say [markdown], tags, "
            f"{', '.join((*OWN_KEYS, *PASSED_ON))}."
        )
    if not isinstance(tags, list) or not TAGS.issuperset(tags):
        raise SourceError(f"{at}: tags={tags!r}; they are a list of {', '.join(sorted(TAGS))}.")
    if own["section"] is not None and not re.fullmatch(r"[a-z0-9-]+", str(own["section"])):
        raise SourceError(f"{at}: section={own['section']!r}; it is lower-case-with-hyphens.")
    if own["minutes"] is not None and not (
        type(own["minutes"]) in (int, float) and own["minutes"] > 0
    ):
        raise SourceError(f"{at}: minutes={own['minutes']!r}; it is a number above 0.")
    if own["challenge"] is not None and not (
        isinstance(own["challenge"], str) and re.fullmatch(r"\d+\.\d+", own["challenge"])
    ):
        raise SourceError(f'{at}: challenge={own["challenge"]!r}; it is written "6.2".')
    text = raw.source.strip("\n")
    if not text.strip():
        raise SourceError(f"{at}: the cell is empty.")
    return Cell(raw.cell_type, text, line, frozenset(tags), passed_on=passed_on, **own)


def _shown(meta: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in meta.items())


# ── headings and sections ───────────────────────────────────────────────────────────────────────


def headings(text: str) -> list[tuple[int, str, int]]:
    """(level, title, line within the text) of each Markdown heading outside code fences."""
    found, fence = [], None
    for number, line in enumerate(text.split("\n")):
        mark = line.lstrip()[:3]
        if fence is None and mark in ("```", "~~~"):
            fence = mark
        elif fence is not None:
            fence = None if mark == fence else fence
        elif match := HEADING.match(line):
            found.append((len(match[1]), match[2], number))
    return found


def _check_headings(source: Source) -> None:
    """One title, at the top; each level-2 heading opens a cell and has a slug of its own."""
    slugs: set[str] = set()
    for place, cell in enumerate(source.cells):
        at = f"{source.name}:{cell.line}"
        if cell.kind != "markdown":
            if cell.section or cell.minutes:
                raise SourceError(f"{at}: section and minutes belong on a Markdown cell.")
            continue
        top = [(level, number) for level, _, number in headings(cell.text) if level <= 2]
        slug = slug_of(cell)
        if top and "instructor" in cell.tags:
            raise SourceError(f"{at}: an instructor's cell opens no section (no # or ##).")
        if [number for level, number in top if level == 1] != ([0] if place == 0 else []):
            raise SourceError(f"{at}: the title, and no other # heading, opens the first cell.")
        if [number for level, number in top if level == 2] != ([0] if slug else []):
            raise SourceError(
                f'{at}: a ## heading and section="slug" come together, at the start of a cell.'
            )
        if cell.minutes and (slug is None or slug == "challenges"):
            raise SourceError(
                f"{at}: minutes belong to a section; those of a challenge stand in posenc.lessons."
            )
        if slug in slugs:
            raise SourceError(f"{at}: the section {slug!r} is there twice.")
        slugs.update({slug} if slug else ())


def slug_of(cell: Cell) -> str | None:
    """The slug of the section that a cell opens, or None."""
    if cell.section:
        return cell.section
    if cell.kind == "markdown" and cell.text.startswith("## "):
        return SPECIAL.get(cell.first_line[3:].strip())
    return None


def by_section(source: Source) -> Iterator[tuple[str | None, Cell]]:
    """Each cell with the slug of the section it stands in; None in the head."""
    slug = None
    for cell in source.cells:
        slug = slug_of(cell) or slug
        yield slug, cell


def sections(source: Source | Path) -> list[Section]:
    """(slug, title, minutes, words, code lines) of each section, in order.

    Words are those of prose outside headings, code and mathematics (a formula counts as one);
    instructor and challenge cells count nothing, nor do code cells that only ask a question.
    """
    source = source if isinstance(source, Source) else read(source)
    found: dict[str, Section] = {}
    for slug, cell in by_section(source):
        if slug is None:
            continue
        if slug not in found:
            found[slug] = Section(slug, cell.first_line[3:].strip(), cell.minutes or 0, 0, 0)
        words, lines = _measure(cell)
        was = found[slug]
        found[slug] = was._replace(words=was.words + words, code_lines=was.code_lines + lines)
    return list(found.values())


def _measure(cell: Cell) -> tuple[int, int]:
    """(words, code lines) that a cell adds to its section."""
    if cell.tags & {"instructor", "challenge-text", "challenge", "check", "uses-challenge"}:
        return 0, 0
    if cell.kind == "markdown":
        return len(re.findall(r"[^\W_]+(?:['’.,-][^\W_]+)*", prose(cell.text))), 0
    return 0, 0 if only_calls(cell.text, "ask") else _code_lines(cell.text)


def _code_lines(code: str) -> int:
    return sum(1 for line in code.split("\n") if line.strip())


def only_calls(code: str, *functions: str) -> bool:
    """Whether a code holds nothing but calls of these functions."""
    return all(
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id in functions
        for node in ast.parse(code).body
    )


def prose(markdown: str) -> str:
    """The sentences of a Markdown text: no headings, code fences, tags, addresses; a formula or a
    piece of code becomes one word."""
    text = re.sub(r"(?ms)^[ ]{0,3}(```|~~~).*?^[ ]{0,3}\1[^\n]*$", "", markdown)
    text = re.sub(r"(?m)^#{1,6}\s.*$", "", text)
    text = re.sub(r"(?s)\$\$.+?\$\$|\$[^$\n]+\$", " formula ", text)
    text = re.sub(r"(`+)(?!`).+?\1", " code ", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"<[^>\n]+>|https?://\S+", " ", text)


def shape(source: Source) -> Shape:
    """The size of a lesson, to hold against what course.md asks."""
    ordinary = [s for s in sections(source) if s.slug not in SPECIAL.values()]
    measured = [
        (lines, cell)
        for slug, cell in by_section(source)
        if slug not in SPECIAL.values() and (lines := _measure(cell)[1])
    ]
    lengths = [lines for lines, _ in measured]
    working = [lines for lines, cell in measured if not only_calls(cell.text, *DOORS)]
    return Shape(
        sections=len(ordinary),
        words=sum(s.words for s in ordinary),
        code_lines=sum(lengths),
        longest=max(lengths, default=0),
        median=statistics.median(working or [0]),
        questions=len(source.calls("ask")),
        claims=len(source.calls("claim")),
        playgrounds=sum(
            1
            for cell in source.cells
            if cell.kind == "code"
            for _ in _calls(ast.parse(cell.text), "playground")
        ),
        challenges=len(source.challenges),
    )


# ── code and challenges ─────────────────────────────────────────────────────────────────────────


def answered(code: str) -> str:
    """The code of a challenge with its solution, the marker lines taken out."""
    kept = [s for s in code.split("\n") if not (BEGIN.match(s) or END.match(s) or STUB.match(s))]
    return "\n".join(kept)


def stub(code: str) -> str:
    """The code of a challenge as the learner gets it: each marked region becomes `return ...`.

    In `__init__`, which may return nothing, it becomes `...`. Raises ValueError, with the line of
    the code counted from 1, where a marker is out of place.
    """
    out: list[str] = []
    told: list[str] = []
    opened = regions = 0
    for number, line in enumerate(code.split("\n"), 1):
        begin, end, text = BEGIN.match(line), END.match(line), STUB.match(line)
        if NEARLY_A_MARKER.search(line) and not (begin or end or text):
            raise ValueError(f"line {number}: {line.strip()!r} is nearly a marker")
        if opened:
            if begin or text:
                raise ValueError(f"line {number}: a marker inside the solution of line {opened}")
            if end and number == opened + 1:
                raise ValueError(f"line {number}: the solution is empty")
            opened = 0 if end else opened
        elif end:
            raise ValueError(f"line {number}: END SOLUTION without a BEGIN")
        elif text:
            told.append(f"{text[1]}# {text[2]}")
        elif begin:
            opened, regions = number, regions + 1
            out += told + [begin[1] + _nothing_yet(out, begin[1], number)]
            told = []
        elif told:
            raise ValueError(f"line {number}: STUB stands directly above BEGIN SOLUTION")
        else:
            out.append(line)
    if opened or told:
        raise ValueError(f"line {opened or number}: a marker without its END SOLUTION")
    if not regions:
        raise ValueError("line 1: no solution is marked")
    return "\n".join(out)


def _nothing_yet(above: list[str], indent: str, number: int) -> str:
    """What stands for an answer that is not there yet."""
    for line in reversed(above):
        match = re.match(r"([ \t]*)(?:async )?def (\w+)", line)
        if match and len(match[1]) < len(indent):
            return "..." if match[2] == "__init__" else "return ..."
    raise ValueError(f"line {number}: a solution is marked inside a function")


def _of_the_course() -> Callable[[str], Any]:
    from posenc import lessons

    return lessons.challenge


def _with_challenges(source: Source, find: Callable[[str], Any]) -> Iterator[Cell]:
    """The cells with a heading above each challenge's text and a check below its code."""
    for cell in source.cells:
        if cell.challenge is None:
            yield cell
            continue
        try:
            challenge = find(cell.challenge)
        except LookupError as missing:
            raise SourceError(
                f"{source.name}: {cell.challenge} is not declared in posenc.lessons."
            ) from missing
        if "challenge-text" in cell.tags:
            yield replace(cell, text=f"{_heading(challenge)}\n\n{cell.text}")
        else:
            yield cell
            yield replace(cell, text=_check_cell(challenge), tags=frozenset({"check"}))


def _heading(challenge: Any) -> str:
    points = f"{challenge.points} point{'' if challenge.points == 1 else 's'}"
    return (
        f"### {challenge.id} · {challenge.title}\n\n"
        f"*{points} · {challenge.minutes} minutes · difficulty {challenge.difficulty} of 3*"
    )


def _check_cell(challenge: Any) -> str:
    return (
        f'check("{challenge.id}", {challenge.name})\n'
        f'# hint("{challenge.id}", 1)\n'
        f'# solution("{challenge.id}")'
    )


def _check_challenges(source: Source) -> None:
    """Each challenge has its text and its code, once each and in this order, and no heading."""
    roles = ("challenge-text", "challenge")
    seen: dict[str, list[str]] = {}
    for cell in source.cells:
        at = f"{source.name}:{cell.line}"
        role = [r for r in roles if r in cell.tags]
        if len(role) > 1 or (cell.challenge is None) != (not role):
            raise SourceError(
                f'{at}: challenge="…" and one of the tags {", ".join(roles)} come together.'
            )
        if not role or cell.challenge is None:
            continue
        if cell.kind != ("markdown" if role == ["challenge-text"] else "code"):
            raise SourceError(f"{at}: a cell tagged {role[0]} is not {cell.kind}.")
        if int(cell.challenge.split(".")[0]) != source.lesson:
            raise SourceError(f"{at}: challenge {cell.challenge} is not of this lesson.")
        seen.setdefault(cell.challenge, []).extend(role)
        if seen[cell.challenge] != list(roles[: len(seen[cell.challenge])]):
            raise SourceError(
                f"{at}: challenge {cell.challenge} has one cell of each: {', '.join(roles)}, in "
                "this order."
            )
        if role == ["challenge-text"] and headings(cell.text):
            raise SourceError(f"{at}: title and points of a challenge come from posenc.lessons.")
    for challenge, found in seen.items():
        if len(found) != len(roles):
            raise SourceError(f"{source.name}: challenge {challenge} has no cell {roles[-1]!r}.")


def _check_code(source: Source, cell: Cell) -> None:
    """Code parses, with its answer and without; markers stand in challenges only."""
    outside = cell.kind != "code" or "challenge" not in cell.tags
    if outside and re.search(r"(?m)^\s*###\s*(BEGIN|END) SOLUTION", cell.text):
        raise SourceError(f"{source.name}:{cell.line}: a solution outside a challenge's cell.")
    if cell.kind != "code":
        return
    for number, line in enumerate(cell.text.split("\n"), 1):
        if re.match(r"\s*(#\s*)?(%%?\w|!\s*\w)", line):
            raise SourceError(
                f"{source.name}:{cell.line + number}: no magics or shell commands: {line.strip()}"
            )
    versions = [cell.text]
    if "challenge" in cell.tags:
        try:
            versions.append(stub(cell.text))
        except ValueError as wrong:
            number = int(str(wrong).partition(":")[0].removeprefix("line "))
            raise SourceError(
                f"{source.name}:{cell.line + number}: {str(wrong).partition(': ')[2]}."
            ) from None
    for version in versions:
        try:
            ast.parse(version)
        except SyntaxError as wrong:
            raise SourceError(
                f"{source.name}:{cell.line + (wrong.lineno or 1)}: {type(wrong).__name__}: "
                f"{wrong.msg}, in the cell that starts with {cell.first_line!r}."
            ) from None


def _calls(tree: ast.AST, function: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id == function:
            yield node


def _ids(code: str, function: str) -> list[str]:
    """The first arguments, where they are strings, of the calls of a function."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return []  # told, with its line, by _check_code
    return [
        call.args[0].value
        for call in _calls(tree, function)
        if call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    ]
