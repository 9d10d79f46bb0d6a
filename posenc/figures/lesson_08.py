"""Figures of lesson 8: dot products of rows, and how they go down and up with the distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from posenc.encodings import sinusoidal
from posenc.figures.style import (
    BLACK,
    BLUE,
    GREY,
    SEQUENTIAL,
    VERMILLION,
    Picture,
    Playground,
    Slider,
    Update,
    new_figure,
    plain,
    series,
)
from posenc.geometry import distance_profile, gram, rises_and_lowest

PALE = "#F3D9C9"  # behind what is farther and yet more similar


def products(length: int, width: int, rows: Sequence[int] = (8, 24, 40)) -> Picture:
    """P Pᵀ as a heat map, and some of its rows as curves, moved to a common start."""
    table = gram(sinusoidal(length, width))
    figure = new_figure(9.5, 4.0)
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
    image = left.imshow(table, cmap=SEQUENTIAL)
    left.set(xlabel="position b", ylabel="position a", title="Row a times row b")
    figure.colorbar(image, ax=left, label="dot product")
    for index, row in enumerate(rows):
        style = series(index) | {"marker": "None", "linewidth": 5 - 2 * index}
        right.plot(np.arange(length) - row, table[row], label=f"row {row} of it", **style)
    right.set(xlabel="b − a", ylabel="dot product", title="Three rows, laid over each other")
    right.axvline(0, color=GREY, linewidth=1, linestyle="-", zorder=0)
    right.legend(loc="lower left", bbox_to_anchor=(0.6, 0.62))
    reach = min(rows[0], length - 1 - rows[-1])
    middle = [table[row, row - reach : row + reach + 1] for row in rows]
    same = np.ptp(middle, axis=0).max() < 1e-9
    text = (
        f"Heat map of {length} by {length} dot products at width {width}: bands along the "
        f"diagonals. Beside it rows {', '.join(map(str, rows))} of the map as curves over b − a; "
        f"they {'lie on each other' if same else 'differ'} and are largest, {plain(table[0, 0])}, "
        "at 0."
    )
    return Picture(figure, text)


def profile(width: int, length: int, base: float = 10000.0) -> Picture:
    """The dot product against the distance, its steps up drawn apart from its steps down."""
    figure = new_figure(9.5, 3.8)
    axes = figure.subplots()
    curve = _Curve(axes)
    values = distance_profile(width, np.arange(length), base)
    curve.draw(values)
    axes.legend(loc="upper right", ncols=3)
    rises, lowest, value = rises_and_lowest(values)
    text = (
        f"Dot product against distance at width {width}, {length} distances. Of {length - 1} steps "
        f"{rises} go up. The lowest value is {plain(value)} at distance {lowest}; the farthest, "
        f"{length - 1}, has {plain(values[-1])}."
    )
    return Picture(figure, text)


def first_rises(widths: Sequence[int], length: int) -> Picture:
    """Mean cosines of several widths over the distance, with the place of each first step up."""
    figure = new_figure(9.5, 3.8)
    axes = figure.subplots()
    told = []
    for index, width in enumerate(widths):
        values = distance_profile(width, np.arange(length)) / (width // 2)
        ups = np.diff(values) > 0
        first = int(ups.argmax())
        style = series(index)
        marker = style.pop("marker")
        axes.plot(values, label=f"width {width}", linewidth=1.6, **style)
        axes.plot(
            first,
            values[first],
            marker,
            color=style["color"],
            markersize=12,
            markeredgecolor="black",
            zorder=5,
        )
        told.append(f"width {width}: {int(ups.sum())} up, the first at {first}")
    axes.set(xlabel="distance", ylabel="mean cosine", xlim=(-4, length + 3))
    axes.axhline(0, color=GREY, linewidth=1, linestyle="-", zorder=0)
    axes.legend(loc="upper right")
    text = (
        f"Mean cosine against distance, {length} distances; a mark where each curve first goes up. "
        f"Steps that go up, of {length - 1}: {'; '.join(told)}."
    )
    return Picture(figure, text)


class _Curve:
    """A profile on axes: steps down thin, steps up thick, the lowest value marked."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        axes.set(xlabel="distance", ylabel="dot product")
        axes.axhline(0, color=GREY, linewidth=1, linestyle="-", zorder=0)
        self.down = LineCollection([], colors=BLUE, linewidths=1.5, linestyles="-", label="down")
        self.up = LineCollection([], colors=VERMILLION, linewidths=3.5, linestyles="-", label="up")
        axes.add_collection(self.down)
        axes.add_collection(self.up)
        (self.lowest,) = axes.plot(
            [], [], "v", color=BLACK, markersize=10, linestyle="none", label="lowest"
        )

    def draw(self, values: np.ndarray) -> None:
        """Move everything to this profile; values[k] belongs to distance k."""
        points = np.column_stack([np.arange(len(values)), values])
        steps = np.stack([points[:-1], points[1:]], axis=1)
        ups = np.diff(values) > 0
        self.down.set_segments(list(steps[~ups]))
        self.up.set_segments(list(steps[ups]))
        lowest = int(values.argmin())
        room = 0.07 * max(float(np.ptp(values)), 1.0)
        self.lowest.set_data([lowest], [values[lowest] - 0.55 * room])
        self.axes.set_xlim(-0.01 * len(values), len(values) * 1.01)
        self.axes.set_ylim(values.min() - 1.6 * room, values.max() + room)


class _Similarity:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        self.axes = figure.subplots()
        self.curve = _Curve(self.axes)
        (self.level,) = self.axes.plot([], [], color=BLACK, linestyle="--", linewidth=1.2)
        (self.here,) = self.axes.plot(
            [], [], "o", color=BLACK, markersize=9, linestyle="none", label="your distance"
        )
        self.more = self.axes.fill_between(
            [0, 1],
            [0, 0],
            [0, 0],
            color=PALE,
            linewidth=0,
            zorder=0,
            label="farther, more similar",
        )
        self.axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=5)

    def update(self, width: int, base: float, length: int, distance: int) -> str:
        """Move everything to this width, base, number of distances and distance."""
        if width % 2:
            raise ValueError(f"width is {width}; it must be even")
        values = distance_profile(width, np.arange(length), base)
        self.curve.draw(values)
        distance = min(distance, length - 1)
        level = values[distance]
        self.here.set_data([distance], [level])
        self.level.set_data([distance, length - 1], [level, level])
        farther = values[distance + 1 :] > level
        self._shade(distance, values, level)
        rises, lowest, value = rises_and_lowest(values)
        ups = np.diff(values) > 0
        first = f", the first at distance {int(ups.argmax())}" if rises else ""
        return (
            f"At width {width} and base {base:g}, {rises} of {length - 1} steps go up{first}. "
            f"The lowest value is {plain(value)} at distance {lowest}. At distance {distance} it "
            f"is {plain(level)}; {_farther(farther)}."
        )

    def _shade(self, distance: int, values: np.ndarray, level: float) -> None:
        """Fill between the level and the curve, where the curve beyond `distance` is above it."""
        x = np.arange(distance, len(values))
        above = np.maximum(values[distance:], level)
        outline = np.column_stack(
            [np.concatenate([x, x[::-1]]), np.concatenate([above, np.full(len(x), level)])]
        )
        self.more.set_verts([outline])


def _farther(more: np.ndarray) -> str:
    if len(more) == 0:
        return "no distance here is farther"
    return f"{int(more.sum())} of the {len(more)} farther distances are more similar than that"


def _build(figure: Figure) -> Update:
    return _Similarity(figure).update


similarity = Playground(
    title="Similarity against distance",
    controls=(
        Slider("width", 2, 1024, 2, 64),
        Slider("base", 2, 100000, 0.1, 10000, logarithmic=True),
        Slider("length", 16, 2048, 1, 512, label="distances"),
        Slider("distance", 0, 2047, 1, 300, label="your distance"),
    ),
    build=_build,
    size=(9.5, 4.0),
)
