"""Figures of lesson 9: pairs that are turned, the matrix that turns them, and what scores see."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from posenc.encodings import frequencies, sinusoidal, sinusoidal_at
from posenc.figures.style import (
    BLACK,
    BLUE,
    DIVERGING,
    GREY,
    ORANGE,
    SEQUENTIAL,
    SMALL,
    VERMILLION,
    Choice,
    Picture,
    Playground,
    Slider,
    Update,
    new_figure,
    plain,
    spaced,
)
from posenc.geometry import fit_shift, numerical_rank, shift_matrix

PALE = "#BBBBBB"
MOST_PAIRS = 6  # circles of the playground
WRITTEN_WIDTH = 8  # up to this width the numbers fit into the matrix
BLOCKS = {  # what may stand in the 2 by 2 block of a pair: cosine and sine of its turn
    "rotation": lambda c, s: ((c, s), (-s, c)),
    "transposed": lambda c, s: ((c, -s), (s, c)),
    "minus lost": lambda c, s: ((c, s), (s, c)),
}


def same_sine(angle: float, turn: float) -> Picture:
    """Two points with one sine, and the same two points a turn later."""
    figure = new_figure(9.0, 4.0)
    before, after = figure.subplots(1, 2)
    angles = np.array([angle, math.pi - angle])
    for axes, shown, title in (
        (before, angles, "One sine"),
        (after, angles + turn, f"Both turned on by {turn:g}"),
    ):
        _clock(axes)
        axes.set_title(title, loc="center")
        for number, (a, colour, style) in enumerate(zip(shown, (BLUE, VERMILLION), ("-", "--"))):
            x, y = math.sin(a), math.cos(a)
            axes.plot([0, x], [0, y], color=colour, linestyle=style, linewidth=3)
            axes.plot([x], [y], "os"[number], color=colour, markersize=9)
            axes.plot([x, x], [y, -1.25], color=colour, linestyle=":", linewidth=1.2)
            axes.text(x, -1.32, plain(x), color=colour, ha="center", va="top", fontsize=SMALL)
        axes.text(-1.25, -1.32, "sine", color=GREY, ha="right", va="top", fontsize=SMALL)
    first, second = np.sin(angles + turn)
    text = (
        f"Two points on a circle, at angles {plain(angles[0])} and {plain(angles[1])}: both have "
        f"the sine {plain(np.sin(angle))}. Turned on by {turn:g}, their sines are {plain(first)} "
        f"and {plain(second)}."
    )
    return Picture(figure, text)


def two_matrices(k: int, width: int, length: int) -> Picture:
    """The rotation beside the matrix that least squares finds, and how much the rows use."""
    table = sinusoidal(length, width)
    fitted, residual = fit_shift(table, k)
    rotation = shift_matrix(k, width)
    sizes = np.linalg.svd(table, compute_uv=False)
    sizes /= sizes[0]
    used = numerical_rank(table)
    noise = max(table.shape) * np.finfo(table.dtype).eps  # NumPy's own limit of a rank
    figure = new_figure(10, 3.7)
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.2, 1, 1))
    left.semilogy(
        np.arange(1, used + 1),
        sizes[:used],
        "o",
        color=BLUE,
        markersize=5,
        linestyle="none",
    )
    left.axhspan(1e-18, noise, color="#E4E4E4", linewidth=0)
    left.text(width, 3e-16, "rounding", color=GREY, ha="right", fontsize=SMALL)
    left.set(
        xlabel="direction, longest first",
        ylabel="length, relative",
        xlim=(0, width + 1),
        ylim=(1e-17, 3),
        title=f"Singular values: {used} of {width}",
    )
    for axes, matrix, title in (
        (middle, rotation, "The rotation"),
        (right, fitted, "Least squares"),
    ):
        image = axes.imshow(matrix, cmap=DIVERGING, vmin=-1, vmax=1)
        axes.set(title=title, xticks=(), yticks=())
    figure.colorbar(image, ax=(middle, right), ticks=(-1, 0, 1), shrink=0.8)
    apart = np.abs(fitted - rotation).max()
    same = "the same" if apart < 1e-6 else "different"
    missed = "both fit" if residual < 1e-12 else "do not both fit"
    text = (
        f"Left, the singular values of {length} rows of width {width}, how long the rows are along "
        f"perpendicular directions: {used} of {width} are above what rounding leaves. Right, two "
        f"matrices for shift {k}, the rotation and the one "
        f"that least squares finds, which {missed} these rows. They are {same}."
    )
    return Picture(figure, text)


def look_back(k: int, width: int, length: int) -> Picture:
    """The scores of every position with every other, for both signs of the turn."""
    table = sinusoidal(length, width)
    figure = new_figure(9.5, 4.2)
    panels = figure.subplots(1, 2, sharey=True)
    told = []
    for axes, sign, words in zip(panels, (1, -1), ("back", "ahead")):
        scores = (table @ shift_matrix(sign * k, width)) @ table.T
        image = axes.imshow(scores, cmap=SEQUENTIAL)
        places = scores.argmax(axis=1)
        rows = np.arange(length)
        inside = (rows - sign * k >= 0) & (rows - sign * k < length)
        axes.plot(
            places[inside], rows[inside], ".", color=VERMILLION, markersize=7, linestyle="none"
        )
        axes.plot(rows, rows, color="white", linestyle="--", linewidth=1)
        axes.set(xlabel="key, position j", title=f"P @ M({sign * k:+d}): looks {words}")
        told.append(f"with M({sign * k:+d}) row 10 is largest at {places[10]}")
    panels[0].set_ylabel("query, position i")
    figure.colorbar(image, ax=panels, label="score")
    text = (
        f"Scores of {length} positions at width {width}, the query turned by a matrix; a dot where "
        f"a row is largest, a dashed line where a position meets itself: {' and '.join(told)}."
    )
    return Picture(figure, text)


def turned_content(starts: Sequence[int], distance: int) -> Picture:
    """A query and a key of one pair, both turned by their positions, for several starts."""
    query, key = np.array([0.3, 0.9]), np.array([-0.1, 0.9])  # sine first
    figure = new_figure(9.5, 3.6)
    told = []
    for axes, start in zip(figure.subplots(1, len(starts)), starts):
        positions = (start, start + distance)
        turned = [shift_matrix(p, 2) @ content for p, content in zip(positions, (query, key))]
        _clock(axes)
        for point, name, colour, style in zip(
            turned, "qk", (BLUE, VERMILLION), ("-", "--"), strict=True
        ):
            axes.plot([0, point[0]], [0, point[1]], color=colour, linestyle=style, linewidth=3)
            axes.plot(*point, "os"["qk".index(name)], color=colour, markersize=9)
            axes.text(*(1.2 * point), name, color=colour, ha="center", va="center")
        angles = [math.atan2(*point) for point in turned]
        between = (angles[1] - angles[0] + np.pi) % (2 * np.pi) - np.pi
        wedge = np.linspace(angles[0], angles[0] + between, 40)
        axes.fill(
            np.append(0.5 * np.sin(wedge), 0), np.append(0.5 * np.cos(wedge), 0), color="#F3D9C9"
        )
        product = plain(turned[0] @ turned[1])
        axes.set_title(f"positions {positions[0]} and {positions[1]}", loc="center")
        axes.text(0, -1.42, f"q · k = {product}", ha="center", va="top", fontsize=SMALL)
        told.append(f"at {positions[0]} and {positions[1]} {plain(between)} radians, {product}")
    text = (
        f"One pair of a query and a key on a circle, each turned by its position, {distance} "
        f"apart. Angle from query to key and product: {'; '.join(told)}."
    )
    return Picture(figure, text)


def _clock(axes: Axes, reach: float = 1.5) -> None:
    """An empty circle: sine to the right, cosine upwards."""
    turn = np.linspace(0, 2 * np.pi, 181)
    axes.plot(np.sin(turn), np.cos(turn), color=PALE, linestyle="-", linewidth=1.5)
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach - 0.2), aspect="equal")
    axes.axis("off")


# ------------------------------------------------------------------ the playground


def _arc(start: float, turn: float) -> np.ndarray:
    """The way from one angle to another as a line with an arrowhead, widening turn by turn."""
    count = max(2, math.ceil(abs(turn) / 0.08))
    angles = start + np.linspace(0, turn, count)
    radius = 0.36 + 0.09 * np.linspace(0, abs(turn) / (2 * np.pi), count)
    line = np.column_stack([radius * np.sin(angles), radius * np.cos(angles)])
    if abs(turn) < 0.3:
        return line
    # Two short strokes back from the tip, at half a right angle to the line.
    ahead = line[-1] - line[-2]
    ahead = ahead / np.hypot(*ahead)
    strokes = [line[-1] + 0.13 * _rotated(ahead, side * 0.78 * np.pi) for side in (1, -1)]
    return np.vstack([line, strokes[0], line[-1], strokes[1]])


def _rotated(vector: np.ndarray, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


class _Dials:
    """One circle for each pair, all in one pair of axes."""

    PER_LINE = {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3}

    def __init__(self, axes: Axes) -> None:
        axes.axis("off")
        axes.set_aspect("equal")
        self.axes = axes
        self.rims = LineCollection([], colors=PALE, linewidths=1.5, linestyles="-")
        self.arcs = LineCollection(
            [], colors=ORANGE, linewidths=2.5, label="the turn", linestyles="-"
        )
        self.old = LineCollection([], colors=GREY, linewidths=2, linestyles="--", label="row p")
        self.new = LineCollection(
            [], colors=BLUE, linewidths=3.5, label="row p + k", linestyles="-"
        )
        for lines in (self.rims, self.arcs, self.old, self.new):
            axes.add_collection(lines)
        (self.rings,) = axes.plot(
            [],
            [],
            "o",
            markerfacecolor="none",
            markeredgecolor=VERMILLION,
            markeredgewidth=2.5,
            markersize=13,
            linestyle="none",
            label="M · row p",
        )
        self.labels = [
            axes.text(0, 0, "", ha="center", va="top", fontsize=SMALL) for _ in range(MOST_PAIRS)
        ]
        axes.legend(
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=4,
            handlelength=1.4,
            columnspacing=1.2,
        )

    def draw(self, row: np.ndarray, later: np.ndarray, made: np.ndarray, turns: np.ndarray) -> None:
        """Points of two rows and a product, each (width,), and the turn of each pair."""
        pairs = len(turns)
        per_line = self.PER_LINE[pairs]
        number = np.arange(pairs)
        centres = np.column_stack([2.7 * (number % per_line), -3.3 * (number // per_line)])
        circle = np.linspace(0, 2 * np.pi, 61)
        rim = np.column_stack([np.sin(circle), np.cos(circle)])
        hands = [r.reshape(-1, 2) for r in (row, later, made)]
        starts = np.arctan2(hands[0][:, 0], hands[0][:, 1])
        self.rims.set_segments([c + rim for c in centres])
        self.arcs.set_segments([c + _arc(a, t) for c, a, t in zip(centres, starts, turns)])
        self.old.set_segments([[c, c + h] for c, h in zip(centres, hands[0])])
        self.new.set_segments([[c, c + h] for c, h in zip(centres, hands[1])])
        self.rings.set_data(*(centres + hands[2]).T)
        for index, label in enumerate(self.labels):
            label.set_visible(index < pairs)
            if index < pairs:
                label.set_position((centres[index, 0], centres[index, 1] - 1.22))
                label.set_text(f"pair {index}: {turns[index]:.2g} rad")
                label.set_fontsize(SMALL if per_line < 3 else 10)
        lines = math.ceil(pairs / per_line)
        self.axes.set_xlim(-1.5, 2.7 * (per_line - 1) + 1.5)
        self.axes.set_ylim(-3.3 * (lines - 1) - 1.8, 1.35)


class _Product:
    """The matrix between two rows: what is made = M · what was."""

    def __init__(self, made: Axes, matrix: Axes, row: Axes) -> None:
        self.images = []
        for axes, title in ((made, "result"), (matrix, "M, the same for every p"), (row, "row p")):
            self.images.append(axes.imshow([[0]], cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto"))
            axes.set(xticks=(), yticks=())
            axes.set_title(title, loc="center")
            for spine in axes.spines.values():
                spine.set_visible(True)
        for axes, sign in ((made, "="), (matrix, "·")):
            axes.annotate(
                sign,
                (1, 0.5),
                xytext=(7, 0),
                xycoords="axes fraction",
                textcoords="offset points",
                va="center",
                fontsize=20,
            )
        self.axes = matrix
        self.frames = [
            Rectangle((0, 0), 2, 2, fill=False, edgecolor=BLACK, linewidth=1.2)
            for _ in range(MOST_PAIRS)
        ]
        for frame in self.frames:
            matrix.add_patch(frame)
        self.numbers = [
            matrix.text(0, 0, "", ha="center", va="center", fontsize=SMALL)
            for _ in range(2 * WRITTEN_WIDTH)
        ]

    def draw(self, made: np.ndarray, matrix: np.ndarray, row: np.ndarray) -> None:
        """Show these: (width,), (width, width), (width,)."""
        width = len(row)
        for image, data in zip(self.images, (made[:, None], matrix, row[:, None])):
            image.set_data(data)
            image.set_extent((-0.5, data.shape[1] - 0.5, width - 0.5, -0.5))
        for pair, frame in enumerate(self.frames):
            frame.set_visible(pair < width // 2)
            frame.set_xy((2 * pair - 0.5, 2 * pair - 0.5))
        places = [(r, 2 * (r // 2) + side) for r in range(width) for side in (0, 1)]
        written = places if width <= WRITTEN_WIDTH else []
        for index, number in enumerate(self.numbers):
            number.set_visible(index < len(written))
            if index < len(written):
                r, c = written[index]
                number.set_position((c, r))
                number.set_text(plain(matrix[r, c]))
                number.set_fontsize(9 if width == WRITTEN_WIDTH else SMALL)
                number.set_color("white" if abs(matrix[r, c]) > 0.65 else "black")


class _Hands:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        dials, made, matrix, row = figure.subplots(1, 4, width_ratios=(5.6, 0.62, 4.2, 0.62))
        spaced(figure, wspace=0.06)
        self.dials = _Dials(dials)
        self.product = _Product(made, matrix, row)

    def update(self, position: int, k: int, width: int, matrix: str) -> str:
        """Move everything to this position, shift, width and kind of matrix."""
        if width % 2:
            raise ValueError(f"width is {width}; it must be even")
        turns = k * frequencies(width)
        used = np.zeros((width, width))
        for pair, turn in enumerate(turns):
            block = BLOCKS[matrix](math.cos(turn), math.sin(turn))
            used[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = block
        row, later = sinusoidal_at(np.array([position, position + k]), width)
        made = used @ row
        self.dials.draw(row, later, made, turns)
        self.product.draw(made, used, row)
        return _line(position, k, width, matrix, turns, float(np.abs(made - later).max()))


def _line(position: int, k: int, width: int, matrix: str, turns: np.ndarray, gap: float) -> str:
    slowest = f", the slowest by {turns[-1]:.3g}" if len(turns) > 1 else ""
    turned = f"A shift by {k} turns pair 0 by {turns[0]:.3g} radians{slowest}, from every position."
    rows = f"row {position + k}"
    if gap < 1e-12:
        return f"{turned} M times row {position} is {rows}: every ring is on its blue line."
    how = {"transposed": "turns the other way", "minus lost": "does not keep lengths"}
    return (
        f"{turned} This matrix, {matrix}, {how[matrix]}: M times row {position} misses {rows} by "
        f"{plain(gap)}."
    )


def _build(figure: Figure) -> Update:
    return _Hands(figure).update


hands = Playground(
    title="The pairs and the matrix",
    controls=(
        Slider("position", 0, 100, 1, 7, label="position p"),
        Slider("k", -20, 20, 1, 3, label="shift k"),
        Slider("width", 2, 12, 2, 8),
        Choice("matrix", tuple(BLOCKS), "rotation"),
    ),
    build=_build,
    size=(10.0, 4.3),
)
