"""The size of each lesson in one table: words, code, figures, challenges, and what judges them."""

from __future__ import annotations

import json
import runpy
from collections.abc import Sequence
from pathlib import Path

from posenc.authoring import editions, runs
from posenc.authoring.sources import Source, read, shape

__all__ = ["COLUMNS", "figures", "rows", "table"]

COLUMNS = (
    "lesson",
    "sections",
    "words",
    "code lines",
    "longest cell",
    "median cell",
    "figures",
    "claims",
    "questions",
    "seconds",
    "challenges",
    "misconceptions",
    "variants",
)


def rows(root: Path, wanted: Sequence[str] = ()) -> list[dict[str, object]]:
    """One row for each lesson asked for, with the keys of COLUMNS; None where nothing is known.

    Figures are counted in the instructor edition, and seconds are those of its last run here.
    """
    paths = editions.select(editions.source_paths(root), wanted)
    return [_row(root, read(path)) for path in paths]


def _row(root: Path, source: Source) -> dict[str, object]:
    from posenc import lessons

    size = shape(source)
    challenges = [lessons.challenge(name) for name in source.challenges]
    values = (
        source.stem,
        size.sections,
        size.words,
        size.code_lines,
        size.longest,
        size.median,
        figures(root / "solutions" / f"{source.stem}.ipynb"),
        size.claims,
        size.questions,
        runs.last_seconds(source, root),
        size.challenges,
        sum(len(challenge.misconceptions) for challenge in challenges),
        variants(root, source.lesson),
    )
    return dict(zip(COLUMNS, values, strict=True))


def figures(notebook: Path) -> int | None:
    """How many pictures the outputs of a notebook hold; None where there is no notebook."""
    if not notebook.is_file():
        return None
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return sum(1 for output in outputs if "image/png" in output.get("data", {}))


def table(found: Sequence[dict[str, object]]) -> str:
    """The rows as a Markdown table with aligned columns."""
    lines = [list(COLUMNS), *([_shown(row[name]) for name in COLUMNS] for row in found)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(COLUMNS))]
    shown = [
        "| "
        + " | ".join(
            text.rjust(width) if k else text.ljust(width)
            for k, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        + " |"
        for line in lines
    ]
    rule = "|" + "|".join("-" * (width + 1) + (":" if k else "-") for k, width in enumerate(widths))
    return "\n".join([shown[0], rule + "|", *shown[1:]])


def _shown(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def variants(root: Path, lesson: int) -> int | None:
    """How many right answers, written in other ways, the tests of a lesson hold."""
    path = root / "tests" / "variants" / f"lesson_{lesson:02d}.py"
    if not path.is_file():
        return None
    known = runpy.run_path(str(path))["VARIANTS"]
    return sum(len(answers) for answers in known.values())
