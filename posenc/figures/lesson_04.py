"""Figures of lesson 4: what an appended position does to logits, and a list of requirements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from posenc.attention import SIX_TOKENS, identity_attention, layer_norm
from posenc.encodings import append_integer, divided_by_length, one_hot
from posenc.figures.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SEQUENTIAL,
    VERMILLION,
    Choice,
    Picture,
    Playground,
    Slider,
    Update,
    new_figure,
    plain,
    series,
)
from posenc.geometry import norms, position_spread, requirements_met

NAMES = tuple(f"t{token}" for token in range(len(SIX_TOKENS)))
STARTS = (0, 1, 2, 5, 10, 20, 100)
WIDTHS = (2, 3, 5, 9, 17, 65, 129)
WIDEST = 200


def spreads(length: int = 6, width: int = 5, furthest: int = 1000) -> Picture:
    """The spread of the content's and of the positions' part of the logits, start by start."""
    starts = np.arange(furthest + 1)
    positions = [position_spread(int(start), length, width) for start in starts]
    content = float(np.ptp(SIX_TOKENS @ SIX_TOKENS.T) / width**0.5)
    figure = new_figure(9, 3.4)
    axes = figure.subplots()
    axes.plot(starts, positions, label="positions", **(series(1) | {"marker": None}))
    axes.axhline(content, label="content", color=BLUE, linestyle="-")
    axes.set(xlabel="first position of the six tokens", ylabel="spread of the logits")
    axes.set_yscale("log")
    axes.set_xscale("symlog", linthresh=1, linscale=0.3)
    axes.set_xticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1,000"])
    axes.set_yticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    axes.set(ylim=(1, 9000), xlim=(0, furthest))
    axes.grid(True)
    axes.legend(loc="upper left")
    return Picture(
        figure,
        f"The content's spread is a level line at {plain(content)}. That of the positions begins "
        f"above it, at {plain(positions[0])}, and is {plain(positions[100])} at start 100 and "
        f"{plain(positions[-1])} at {furthest}.",
    )


def normalised(features: np.ndarray, positions: Sequence[int]) -> Picture:
    """One row of features, normalised with each of these positions appended."""
    figure = new_figure(9, 3.0)
    axes = figure.subplots()
    said = []
    for row, position in enumerate(positions):
        values = layer_norm(np.append(features, float(position)))
        axes.plot(
            values[:-1],
            np.full(len(features), row),
            "|",
            color=BLUE,
            markersize=18,
            markeredgewidth=1.5,
            label="features" if row == 0 else None,
        )
        axes.plot(
            values[-1],
            row,
            "D",
            color=VERMILLION,
            markersize=9,
            label="position" if row == 0 else None,
        )
        said.append(
            f"with {position:,} their standard deviation is {plain(values[:-1].std(), 5)} and the "
            f"position's entry is {plain(values[-1])}"
        )
    axes.set_yticks(range(len(positions)), [f"{position:,}" for position in positions])
    axes.set(ylim=(len(positions) - 0.5, -0.5), xlabel="value after normalising")
    axes.set_ylabel("position appended")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return Picture(figure, f"{len(features)} features of one row, normalised: {'; '.join(said)}.")


def fractions(lengths: Sequence[int]) -> Picture:
    """Positions divided by the length, one line for each text, with position 3 marked."""
    figure = new_figure(9, 2.8)
    axes = figure.subplots()
    for row, length in enumerate(lengths):
        values = divided_by_length(length)[:, 0]
        axes.plot(values, np.full(length, row), "|", color=BLUE, markersize=16)
        axes.plot(
            values[3],
            row,
            "s",
            color=VERMILLION,
            markersize=11,
            label="position 3" if row == 0 else None,
        )
    axes.set_yticks(range(len(lengths)), [f"{length:,} tokens" for length in lengths])
    axes.set(ylim=(len(lengths) - 0.5, -0.5), xlim=(-0.02, 1.02), xlabel="position / length")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1))
    said = "; ".join(f"{3 / length:g} in a text of {length:,}" for length in lengths)
    return Picture(figure, f"Position 3 divided by the length is {said}.")


# ── start and width against spread and largest weight ─────────────────────────────────────────


def content(width: int) -> np.ndarray:
    """Six tokens of width - 1 features: the six tokens of the course, then random features."""
    more = np.random.default_rng(0).standard_normal((len(SIX_TOKENS), WIDEST))
    return np.hstack([SIX_TOKENS, more])[:, : width - 1]


def _measured(start: int, width: int) -> tuple[float, float, float, np.ndarray]:
    """Spread of the content, spread of the positions, mean largest weight, weights."""
    x = content(width)
    _, weights = identity_attention(append_integer(x, start))
    return (
        float(np.ptp(x @ x.T) / width**0.5),
        position_spread(start, len(x), width),
        float(weights.max(axis=1).mean()),
        weights,
    )


class _Table:
    """Rows of numbers; the last cell of a row is coloured by its weight.

    Letters take most of the time that a picture takes, so what each row shares stands above.
    """

    ROWS = 8

    def __init__(self, axes: Axes, heads: Sequence[str]) -> None:
        axes.set(xlim=(0, 1), ylim=(self.ROWS - 0.3, -1.9), xticks=(), yticks=())
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)
        places = np.linspace(0.16, 0.94, len(heads))  # right edges of the columns
        for place, head in zip(places, heads, strict=True):
            axes.text(place, -0.7, head, ha="right", va="bottom", fontsize=11, color=GREY)
        self.patches = [
            axes.add_patch(Rectangle((0.74, row - 0.46), 0.23, 0.92, linewidth=0))
            for row in range(self.ROWS)
        ]
        self.cells = [
            [axes.text(place, row, "", ha="right", va="center", fontsize=12) for place in places]
            for row in range(self.ROWS)
        ]
        self.frame = Rectangle((0, 0), 0.99, 1, fill=False, edgecolor=VERMILLION, linewidth=2.5)
        axes.add_patch(self.frame)

    def show(self, rows: Sequence[Sequence[str]], weights: Sequence[float], chosen: int) -> None:
        """Write these rows of cells, each with its weight, and frame the chosen one."""
        colours = matplotlib.colormaps[SEQUENTIAL]
        for index, (patch, cells) in enumerate(zip(self.patches, self.cells, strict=True)):
            shown = index < len(rows)
            patch.set_visible(shown)
            for cell, text in zip(cells, rows[index] if shown else [""] * len(cells), strict=True):
                cell.set_text(text)
            if shown:
                patch.set_facecolor(colours(weights[index]))
                cells[-1].set_color(BLACK if weights[index] > 0.45 else "white")
        self.frame.set_y(chosen - 0.5)


class _Starts:
    """The artists of the first playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        by_start, by_width, grid = figure.subplots(1, 3, width_ratios=(1.1, 1.25, 1))
        spread, largest = "position\nspread", "largest\nweight"
        self.by_start = _Table(by_start, ("start", spread, largest))
        self.by_width = _Table(by_width, ("width", "content\nspread", spread, largest))
        self.titles = by_start, by_width
        self.image = grid.imshow(np.zeros((6, 6)), cmap=SEQUENTIAL, vmin=0, vmax=1)
        grid.set_xticks(range(6), NAMES)
        grid.set_yticks(range(6), NAMES)
        grid.set(xlabel="is read", ylabel="reads", title="attention weights")
        figure.colorbar(self.image, ax=grid, ticks=(0, 0.5, 1), shrink=0.6)

    def update(self, start: int, width: int) -> str:
        """Measure around this start and width, and show the weights at them."""
        starts, widths = sorted({*STARTS, start}), sorted({*WIDTHS, width})
        by_start = [_measured(each, width) for each in starts]
        by_width = [_measured(start, each) for each in widths]
        own, added, largest, weights = by_start[starts.index(start)]
        self.by_start.show(
            [
                (str(each), f"{measured[1]:,.2f}", plain(measured[2], 3))
                for each, measured in zip(starts, by_start, strict=True)
            ],
            [measured[2] for measured in by_start],
            starts.index(start),
        )
        self.by_width.show(
            [
                (str(each), plain(measured[0]), f"{measured[1]:,.2f}", plain(measured[2], 3))
                for each, measured in zip(widths, by_width, strict=True)
            ],
            [measured[2] for measured in by_width],
            widths.index(width),
        )
        self.titles[0].set_title(f"width {width},\ncontent spread {plain(own)}")
        self.titles[1].set_title(f"all widths\nat start {start}")
        self.image.set_data(weights)
        return (
            f"Start {start}, width {width}: the content spreads the logits by {plain(own)}, the "
            f"positions by {added:,.2f}. The largest weight is {plain(largest, 3)} on average, and "
            f"{_who_is_read(weights)}."
        )


def _who_is_read(weights: np.ndarray) -> str:
    others = len(weights) - 1
    most = weights.argmax(axis=1)[:others]
    last, own = int((most == others).sum()), int((most == np.arange(others)).sum())
    return f"of the first five tokens {last} read the last one most and {own} themselves"


starts = Playground(
    title="First position and width, spread and largest weight",
    controls=(
        Slider("start", 0, 200, 1, 0, label="first position"),
        Slider("width", 2, WIDEST, 1, 5, label="width with the column"),
    ),
    build=lambda figure: _Starts(figure).update,
    size=(10.2, 4.0),
)


# ── the requirements ──────────────────────────────────────────────────────────────────────────

FEATURES = 64  # of the content beside which a position vector has to be heard
LAGS = (1, 4, 16)  # how far apart the rows are whose distances are compared
VISIBLE = 0.1  # of the largest distance: a step between neighbours that is seen
FARTHER = 1.1  # a distance that is larger by this factor counts as larger


def random_rows(length: int) -> np.ndarray:
    """A random vector of length about 1 for each position, the same in every text."""
    return np.random.default_rng(0).standard_normal((length, FEATURES)) / FEATURES**0.5


SCHEMES: dict[str, Callable[[int], np.ndarray]] = {
    "the number itself": lambda length: np.arange(length)[:, None] / 1.0,
    "divided by the length": divided_by_length,
    "divided by 100": lambda length: np.arange(length)[:, None] / 100,
    "even or odd": lambda length: (np.arange(length) % 2)[:, None] / 1.0,
    "one-hot": one_hot,
    "a random vector": random_rows,
}
REQUIRED = (
    "bounded",
    "distinct",
    "the same step in every text",
    "width independent of length",
    "structure at many scales",
    "as wide as the content",
)


def many_scales(table: np.ndarray) -> tuple[bool, list[float]]:
    """Whether near rows are alike and far ones apart; the mean distances at LAGS and the largest.

    Neighbours have to differ visibly, by a tenth of the largest distance from row 0, and rows
    4 and 16 positions apart by more each time.
    """
    apart = [float(norms(table[lag:] - table[:-lag]).mean()) for lag in LAGS]
    largest = float(norms(table - table[0]).max())
    grows = all(far > FARTHER * near for near, far in zip(apart, apart[1:], strict=False))
    return grows and apart[0] >= VISIBLE * largest, [*apart, largest]


class _Requirements:
    """The artists of the second playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        self.axes, listed = figure.subplots(1, 2, width_ratios=(1, 1.15))
        plain_line = {"markersize": 4, "markevery": 1}
        (self.long,) = self.axes.plot([], [], ".-", color=BLUE, label="long text", **plain_line)
        (self.short,) = self.axes.plot(
            [], [], "s--", color=ORANGE, label="short text", **(plain_line | {"markersize": 6})
        )
        self.axes.set(xlabel="position", ylabel="distance from row 0")
        self.axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
        listed.set(xlim=(0, 1), ylim=(2 * len(REQUIRED) - 0.4, -0.7), xticks=(), yticks=())
        for side in ("left", "bottom"):
            listed.spines[side].set_visible(False)
        lines = [2 * row for row in range(len(REQUIRED))]
        self.marks = [listed.text(0.04, y, "", fontsize=17, va="center") for y in lines]
        self.found = [listed.text(0.14, y + 0.85, "", fontsize=11, color=GREY) for y in lines]
        for y, name in zip(lines, REQUIRED, strict=True):
            listed.text(0.14, y, name, fontsize=13, va="center")
        for found in self.found:
            found.set_verticalalignment("center")

    def update(self, scheme: str, short: int, long: int) -> str:
        """Judge this scheme by texts of two lengths."""
        if short >= long:
            raise ValueError(f"the short text has {short} positions; fewer than {long} are needed")
        tables = SCHEMES[scheme](short), SCHEMES[scheme](long)
        rows = list(zip(REQUIRED, *judged(*tables), strict=True))
        for mark, found, (_, met, why) in zip(self.marks, self.found, rows, strict=True):
            mark.set_text("✓" if met else "✗")
            mark.set_color(GREEN if met else VERMILLION)
            found.set_text(why)
        self._move(*(norms(table - table[0]) for table in tables))
        good = [name for name, met, _ in rows if met]
        bad = [f"{name} ({why})" for name, met, why in rows if not met]
        return (
            f"{scheme[0].upper()}{scheme[1:]}, texts of {short} and {long} positions. Met: "
            f"{', '.join(good)}. Not met: {', '.join(bad)}."
        )

    def _move(self, short: np.ndarray, long: np.ndarray) -> None:
        self.short.set_data(np.arange(len(short)), short)
        self.long.set_data(np.arange(len(long)), long)
        shown = min(len(long), 3 * len(short))
        # At least 1, so that a step that is too small to be seen looks like that.
        top = max(1.0, float(short.max()), float(long[:shown].max()))
        self.axes.set(xlim=(-0.03 * shown, shown - 0.5), ylim=(-0.06 * top, 1.1 * top))


def judged(short: np.ndarray, long: np.ndarray) -> tuple[list[bool], list[str]]:
    """Whether each requirement is met, and the numbers that say so."""
    met = requirements_met(short, long)
    steps = [norms(np.diff(table, axis=0))[0] for table in (short, long)]
    closest = min(norms(long[p + 1 :] - long[p]).min() for p in range(len(long) - 1))
    scales, (*apart, largest) = many_scales(long)
    columns = long.shape[1]
    return (
        [
            met["bounded"],
            met["distinct"],
            met["same_step"],
            met["fixed_width"],
            scales,
            met["fixed_width"] and columns == FEATURES,
        ],
        [
            f"largest entry {np.abs(short).max():.4g}, then {np.abs(long).max():.4g}",
            f"nearest two rows {closest:.4g} apart",
            f"the first step is {steps[0]:.4g}, then {steps[1]:.4g}",
            f"width {short.shape[1]}, then {columns}",
            f"distances {', '.join(f'{each:.3g}' for each in apart)} at 1, 4, 16 apart; "
            f"the largest {largest:.3g}",
            f"{columns} column{'s' if columns > 1 else ''} beside {FEATURES} features",
        ],
    )


def _build_requirements(figure: Figure) -> Update:
    return _Requirements(figure).update


requirements = Playground(
    title="What each scheme meets",
    controls=(
        Choice("scheme", tuple(SCHEMES), "the number itself"),
        Slider("short", 3, 50, 1, 10, label="short text"),
        Slider("long", 51, 200, 1, 100, label="long text"),
    ),
    build=_build_requirements,
    size=(9.8, 4.8),
)
