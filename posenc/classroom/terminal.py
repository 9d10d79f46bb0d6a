"""The table of progress in a terminal."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table

from posenc.classroom.recording import COLUMNS, Row, table_rows

COLOURS = {"✓": "green", "…": "cyan", "○": "default"}

FIGURES = 52  # characters that the other columns and the gaps take
SHORTEST_TITLE = 16


def print_progress(folder: Path, console: Console | None = None) -> None:
    """Print what was done and what is left in a working folder, lesson by lesson."""
    console = console or Console()
    *lessons, sums = table_rows(folder)
    table = Table(box=box.SIMPLE, show_footer=True, padding=(0, 1, 0, 0), pad_edge=False)
    for place, (name, total) in enumerate(zip(COLUMNS, sums.cells(), strict=True)):
        table.add_column(
            name.replace(" ", "\n"),
            footer=total,
            justify="left" if place < 2 else "right",
            no_wrap=True,
            overflow="ellipsis",
            # Titles give way in a narrow window, figures do not.
            max_width=max(SHORTEST_TITLE, console.width - FIGURES) if place == 0 else None,
        )
    for row in lessons:
        table.add_row(*row.cells(), style=_colour(row))
    console.print(table)
    console.print(f"Kept in {folder}", style="dim", soft_wrap=True, highlight=False)


def _colour(row: Row) -> str:
    return COLOURS[row.cells()[1][0]]
