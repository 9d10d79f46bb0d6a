"""Rows of numbers as coloured cells, and lines that join equal rows of two blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch

from posenc.figures.style import BLACK, COLOURS, DIVERGING, LINESTYLES


def show_rows(
    axes: Axes,
    rows: np.ndarray,
    names: Sequence[str],
    title: str,
    largest: float,
    places: int | None = None,
) -> None:
    """Each row with its position and name, its numbers written in; colours reach ±largest."""
    axes.imshow(rows, aspect="auto", cmap=DIVERGING, vmin=-largest, vmax=largest)
    for (row, column), value in np.ndenumerate(rows):
        text = f"{value:g}" if places is None else f"{round(float(value), places) + 0.0:.{places}f}"
        axes.text(
            column, row, text, ha="center", va="center", color=ink(value / largest), fontsize=12
        )
    axes.set_title(title)
    axes.set(xlabel="dimension", ylabel="position")
    axes.set_xticks(range(rows.shape[1]))
    axes.set_yticks(range(len(names)), [f"{place}  {name}" for place, name in enumerate(names)])


def join_rows(
    figure: Figure,
    left: Axes,
    right: Axes,
    partners: Sequence[int],
    kinds: Sequence[int],
    width: int,
) -> None:
    """A line from each row on the left to its partner on the right, one look for each kind."""
    right.set_ylabel("")
    right.yaxis.tick_right()
    for place, (partner, kind) in enumerate(zip(partners, kinds, strict=True)):
        figure.add_artist(
            ConnectionPatch(
                xyA=(width - 0.5, place),
                coordsA="data",
                axesA=left,
                xyB=(-0.5, partner),
                coordsB="data",
                axesB=right,
                linewidth=2,
                color=COLOURS[kind % len(COLOURS)],
                linestyle=LINESTYLES[kind % len(LINESTYLES)],
            )
        )


def ink(part_of_scale: float) -> str:
    """White on the dark ends of the diverging scale, black between."""
    return "white" if abs(part_of_scale) > 0.6 else BLACK
