"""Figures of lesson 6: the sinusoidal table, its rows, and the two layouts of its columns."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from posenc.encodings import binary_counter, frequencies, sinusoidal
from posenc.figures.style import (
    BLACK,
    BLUE,
    DIVERGING,
    GREY,
    VERMILLION,
    Picture,
    Playground,
    Slider,
    Update,
    new_figure,
    plain,
    series,
)

SEATS = 64  # rows of the playground's table


def table_heatmap(table: np.ndarray) -> Picture:
    """The table as a heat map, a row for each position and a column for each dimension."""
    length, width = np.shape(table)
    figure = new_figure(9, 4.2)
    axes = figure.subplots()
    image = _heatmap(axes, table)
    figure.colorbar(image, ax=axes, label="value", ticks=(-1, 0, 1))
    axes.set_title(f"{length} positions, width {width}")
    changes = np.count_nonzero(np.diff(np.signbit(table), axis=0), axis=0)
    text = (
        f"Heat map of {length} rows and {width} columns, values from {plain(np.min(table))} to "
        f"{plain(np.max(table))}. Down the first column the sign changes {changes[0]} times, "
        f"down the last {changes[-1]} times."
    )
    return Picture(figure, text)


def rows_of(table: np.ndarray, positions: list[int]) -> Picture:
    """Some rows of the table, pair by pair: the sines on the left, the cosines on the right."""
    figure = new_figure(9, 3.4)
    panels = figure.subplots(1, 2, sharey=True)
    for first, (axes, title) in enumerate(zip(panels, ("sines", "cosines"), strict=True)):
        for index, position in enumerate(positions):
            values = table[position][first::2]
            axes.plot(range(len(values)), values, label=f"position {position}", **series(index))
        _value_axis(axes)
        axes.set(title=title, xlabel="pair")
    panels[1].set_ylabel("")
    panels[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    rows = "; ".join(f"position {position}: {listed(table[position])}" for position in positions)
    return Picture(figure, f"Rows of the table, sines and cosines over the pairs. {rows}.")


def columns(width: int = 16, length: int = 64, shown: int = 4) -> Picture:
    """The counter's bits, and below them as many sine columns of the table, as waves."""
    figure = new_figure(9, 4.8)
    above, below = figure.subplots(2, 1, sharex=True)
    p, fine = np.arange(length), np.linspace(0, length - 1, 800)
    bits, speeds = binary_counter(length, shown), frequencies(width)[:shown]
    lanes = [1.5 * (shown - 1 - lane) for lane in range(shown)]
    for lane, speed, bit in zip(lanes, speeds, bits.T, strict=True):
        above.step(p, lane + bit, where="post", color=GREY, linestyle="-", linewidth=1.5)
        below.plot(fine, lane + 0.5 + 0.5 * np.sin(fine * speed), color=BLUE, linestyle="-")
        below.plot(
            p, lane + 0.5 + 0.5 * np.sin(p * speed), color=BLUE, marker="o", markersize=3, ls="none"
        )
    above.set_yticks([lane + 0.5 for lane in lanes], [f"bit {b}" for b in range(shown)])
    below.set_yticks([lane + 0.5 for lane in lanes], [f"column {2 * i}" for i in range(shown)])
    above.set_title("the counter of lesson 5")
    below.set_title(f"the table of width {width}")
    below.set_xlabel("position")
    turns = ", ".join(plain(2 * np.pi / speed, 1) for speed in speeds)
    return Picture(
        figure,
        f"Above, bits 0 to {shown - 1} change every {', '.join(str(2**b) for b in range(shown))} "
        f"positions. Below, columns 0, 2, 4 and so on are sines of {turns} positions a turn.",
    )


def layouts(width: int) -> Picture:
    """The same columns in the two orders in use: interleaved, and sines before cosines."""
    table = sinusoidal(SEATS, width)
    pairs = (width + 1) // 2
    order = [*range(0, width, 2), *range(1, width, 2)]
    names = [f"{'cos' if column % 2 else 'sin'} {column // 2}" for column in range(width)]
    figure = new_figure(9, 4.4)
    left, right = figure.subplots(1, 2, sharey=True)
    _heatmap(left, table)
    image = _heatmap(right, table[:, order])
    left.set_title("Interleaved")
    right.set_title("Concatenated")
    right.set_ylabel("")
    turn = 90 if width > 6 else 0
    left.set_xticks(range(width), names, rotation=turn)
    right.set_xticks(range(width), [names[column] for column in order], rotation=turn)
    for axes in (left, right):
        axes.set_xlabel("function and pair")
    figure.colorbar(image, ax=(left, right), label="value", ticks=(-1, 0, 1))
    text = (
        f"Two heat maps of the same {width} columns. Interleaved: {', '.join(names[:4])} and so "
        f"on. Concatenated: {pairs} sines, then {width - pairs} cosines. The columns are equal, "
        "their order is not."
    )
    return Picture(figure, text)


def listed(row: np.ndarray, most: int = 6) -> str:
    """The numbers of a row with two decimals, the middle left out where they are many."""
    numbers = [plain(value) for value in row]
    if len(numbers) > most:
        numbers = [*numbers[: most - 2], "…", *numbers[-2:]]
    return ", ".join(numbers)


def _heatmap(axes: Axes, table: np.ndarray):
    image = axes.imshow(table, aspect="auto", cmap=DIVERGING, vmin=-1, vmax=1)
    axes.set_xlabel("dimension")
    axes.set_ylabel("position")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    return image


def _value_axis(axes: Axes) -> None:
    axes.set(xlabel="dimension", ylabel="value", ylim=(-1.12, 1.12), yticks=(-1, 0, 1))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.axhline(0, color="#888888", linewidth=1, zorder=0, linestyle="-")


class _Seats:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        self.table_axes, self.row_axes = figure.subplots(1, 2, width_ratios=(1.1, 1))
        self.image = _heatmap(self.table_axes, np.zeros((SEATS, 2)))
        figure.colorbar(self.image, ax=self.table_axes, ticks=(-1, 0, 1), pad=0.03)
        (self.frame,) = self.table_axes.plot([], [], color=BLACK, linestyle="-", linewidth=2)
        _value_axis(self.row_axes)
        self.stems = self.row_axes.vlines([], [], [], colors="#888888", linewidth=1.5)
        marks = {"linestyle": "none", "markersize": 7}
        (self.sines,) = self.row_axes.plot([], [], "o", color=BLUE, label="sine", **marks)
        (self.cosines,) = self.row_axes.plot([], [], "s", color=VERMILLION, label="cosine", **marks)
        self.row_axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2)

    def update(self, position: int, width: int, base: float) -> str:
        """Move everything to this position, width and base."""
        table = sinusoidal(SEATS, width, base)
        self.image.set_data(table)
        self.image.set_extent((-0.5, width - 0.5, SEATS - 0.5, -0.5))
        self.table_axes.set_xlim(-0.5, width - 0.5)
        edges = (-0.5, width - 0.5)
        top, bottom = position - 0.5, position + 0.5
        self.frame.set_data(
            [edges[0], edges[1], edges[1], edges[0], edges[0]], [top, top, bottom, bottom, top]
        )
        self._draw_row(table[position])
        angles = position * frequencies(width, base)
        return (
            f"Position {position} at width {width} and base {base:g} has the row "
            f"{listed(table[position])}. Its fastest pair has turned by {plain(angles[0])} "
            f"radians, its slowest by {angles[-1]:.4g}."
        )

    def _draw_row(self, row: np.ndarray) -> None:
        dimensions = np.arange(len(row))
        self.stems.set_segments([[(d, 0), (d, value)] for d, value in enumerate(row)])
        self.sines.set_data(dimensions[0::2], row[0::2])
        self.cosines.set_data(dimensions[1::2], row[1::2])
        self.row_axes.set_xlim(-0.7, len(row) - 0.3)


def _build(figure: Figure) -> Update:
    return _Seats(figure).update


seats = Playground(
    title="The row of a position",
    controls=(
        Slider("position", 0, SEATS - 1, 1, 7),
        Slider("width", 2, 64, 1, 16),
        Slider("base", 2, 100000, 0.1, 10000, logarithmic=True),
    ),
    build=_build,
    size=(9.5, 3.8),
)
