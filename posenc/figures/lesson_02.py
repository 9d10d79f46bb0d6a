"""Figures of lesson 2: products, attention weights and outputs that move with their tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from posenc.attention import SIX_TOKENS, identity_attention, stack
from posenc.figures.rows import ink, join_rows, show_rows
from posenc.figures.style import (
    BLACK,
    DIVERGING,
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
    spaced,
)

NAMES = tuple(f"t{token}" for token in range(len(SIX_TOKENS)))
NOTHING = "the tokens, without encodings"
STAY = "the tokens; encodings stay at their positions"
TRAVEL = "the tokens, and their encodings with them"
SAME = 1e-10  # differences below this are rounding


def product_grids(
    first: Sequence[str],
    second: Sequence[str],
    products: Sequence[np.ndarray],
    asks: str,
    asked: str,
) -> Picture:
    """The query-key products of two sentences, with one pair of words framed in both."""
    figure = new_figure(8.4, 3.4)
    places = []
    for axes, words, grid in zip(figure.subplots(1, 2), (first, second), products, strict=True):
        largest = float(np.abs(products).max())
        axes.imshow(grid, cmap=DIVERGING, vmin=-largest, vmax=largest, aspect="auto")
        for (row, column), value in np.ndenumerate(grid):
            colour = ink(value / largest)
            axes.text(column, row, plain(value), ha="center", va="center", color=colour)
        axes.set_title(f"“{' '.join(words)}”")
        axes.set(xlabel="asked (key)", ylabel="asks (query)")
        axes.set_xticks(range(len(words)), words)
        axes.set_yticks(range(len(words)), words)
        places.append((words.index(asks), words.index(asked)))
        _frame(axes, *places[-1])
    values = [plain(grid[place]) for grid, place in zip(products, places, strict=True)]
    return Picture(
        figure,
        f"Two grids of query-key products. “{asks}” asking “{asked}” has {values[0]} in "
        f"row {places[0][0]}, column {places[0][1]} of the first and {values[1]} in row "
        f"{places[1][0]}, column {places[1][1]} of the second.",
    )


def weight_grid(weights: np.ndarray) -> Picture:
    """The attention weights, one row for each token that reads, written into the cells."""
    figure = new_figure(6.4, 4.0)
    axes = figure.subplots()
    top = np.ceil(10 * np.max(weights)) / 10
    image = axes.imshow(weights, cmap=SEQUENTIAL, vmin=0, vmax=top, aspect="auto")
    for (row, column), value in np.ndenumerate(weights):
        colour = BLACK if value > 0.45 * top else "white"
        axes.text(column, row, plain(value), ha="center", va="center", color=colour)
    names = NAMES[: len(weights)]
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.set(xlabel="is read", ylabel="reads")
    figure.colorbar(image, ax=axes, label="attention weight", ticks=(0, top / 2, top))
    largest = [
        f"{name} reads {names[np.argmax(row)]} most, {plain(row.max())}"
        for name, row in zip(names, weights, strict=True)
    ]
    return Picture(figure, f"Attention weights of {len(names)} tokens: {'; '.join(largest)}.")


def outputs_moved(x: np.ndarray, order: Sequence[int]) -> Picture:
    """Attention's outputs of x and of the shuffled x, each row joined to its token's."""
    order = [int(place) for place in order]
    before, after = identity_attention(x)[0], identity_attention(np.asarray(x)[order])[0]
    figure = new_figure(8.8, 4.0)
    left, right = figure.subplots(1, 2)
    spaced(figure, wspace=0.25)
    largest = float(np.abs(before).max())
    names = NAMES[: len(order)]
    show_rows(left, before, names, "outputs before the shuffle", largest, places=2)
    moved = [names[place] for place in order]
    show_rows(right, after, moved, "outputs after the shuffle", largest, places=2)
    partners = [order.index(token) for token in range(len(order))]
    join_rows(figure, left, right, partners, range(len(order)), before.shape[1])
    stayed = sum(token == place for token, place in enumerate(order))
    return Picture(
        figure,
        f"Attention's outputs for the order {' '.join(names)} and for {' '.join(moved)}. Each row "
        f"on the left has an equal row on the right, at its token's new position; {stayed} of "
        f"{len(order)} kept their position.",
    )


def _frame(axes: Axes, row: int, column: int) -> None:
    axes.add_patch(
        Rectangle(
            (column - 0.48, row - 0.48), 0.96, 0.96, fill=False, edgecolor=ORANGE, linewidth=4
        )
    )


def encodings() -> np.ndarray:
    """Made-up encodings of the six positions, (6, 4)."""
    return np.random.default_rng(7).uniform(-1, 1, SIX_TOKENS.shape)


class _Outputs:
    """One block of outputs, rows named by their tokens."""

    def __init__(self, axes: Axes, title: str) -> None:
        self.image = axes.imshow(
            np.zeros(SIX_TOKENS.shape), aspect="auto", cmap=DIVERGING, vmin=-1.75, vmax=1.75
        )
        self.names = [
            axes.text(-0.7, row, "", ha="right", va="center", fontsize=13) for row in range(6)
        ]
        axes.set_title(title)
        axes.set(xticks=range(SIX_TOKENS.shape[1]), yticks=(), xlabel="dimension")
        axes.set_xlim(-1.6, SIX_TOKENS.shape[1] - 0.5)
        axes.spines["left"].set_visible(False)

    def show(self, rows: np.ndarray, names: Sequence[str]) -> None:
        """These rows, each beside its token's name."""
        self.image.set_data(rows)
        for text, name in zip(self.names, names, strict=True):
            text.set_text(name)


class _Deep:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        first, second, third = figure.subplots(1, 3, width_ratios=(1, 1, 0.9))
        self.moved = _Outputs(first, "layers, then shuffle")
        self.shuffled = _Outputs(second, "shuffle, then layers")
        self.bars = third.barh(range(6), np.zeros(6), height=0.6, color=VERMILLION)
        self.gaps = [third.text(0, row, "", va="center", fontsize=11) for row in range(6)]
        third.set_title("largest difference")
        third.set(yticks=(), xlim=(0, 4.4), ylim=(5.5, -0.5), xticks=(0, 1, 2, 3))

    def update(self, shuffle: int, layers: int, what_moves: str) -> str:
        """Show both ways through so many layers, in order number `shuffle`."""
        order = _order(shuffle)
        added = np.zeros(SIX_TOKENS.shape) if what_moves == NOTHING else encodings()
        deep = stack(SIX_TOKENS.shape[1], layers)
        moved = deep(SIX_TOKENS + added)[order]
        travelled = added[order] if what_moves == TRAVEL else added
        shuffled = deep(SIX_TOKENS[order] + travelled)
        names = [NAMES[token] for token in order]
        self.moved.show(moved, names)
        self.shuffled.show(shuffled, names)
        gaps = np.abs(moved - shuffled).max(axis=1)
        for row, (bar, text) in enumerate(zip(self.bars, self.gaps, strict=True)):
            bar.set_width(gaps[row])
            text.set_text("none" if gaps[row] < SAME else plain(gaps[row]))
            text.set_x(gaps[row] + 0.1)
        means = float(np.abs(moved.mean(axis=0) - shuffled.mean(axis=0)).max())
        return _told(names, layers, what_moves, gaps, means)


def _order(shuffle: int) -> np.ndarray:
    """0 leaves the order as it is, 1 is the one of the lesson's text; the others are drawn."""
    if shuffle == 0:
        return np.arange(6)
    if shuffle == 1:
        return np.array([3, 0, 5, 1, 4, 2])
    return np.random.default_rng(shuffle).permutation(6)


def _told(
    names: Sequence[str], layers: int, what_moves: str, gaps: np.ndarray, means: float
) -> str:
    depth = f"{layers} layer{'s' if layers > 1 else ''}"
    if names == list(NAMES):
        return f"{depth}, nothing is shuffled: both ways are the same way."
    head = f"{depth}, order {' '.join(names)}."
    if gaps.max() < SAME:
        also = " The encodings moved as well." if what_moves == TRAVEL else ""
        return (
            f"{head}{also} Every output row went where its token went, and the mean of the rows "
            f"stayed: no difference above {SAME:g}."
        )
    return (
        f"{head} The encodings stayed, and {sum(gaps > SAME)} of 6 rows differ, "
        f"that of {names[int(np.argmax(gaps))]} most, by {plain(gaps.max())}. The mean of the rows "
        f"changed by {plain(means)}. The order has come in."
    )


def _build(figure: Figure) -> Update:
    return _Deep(figure).update


deep_stack = Playground(
    title="Shuffle the tokens of a deep stack",
    controls=(
        Slider("shuffle", 0, 40, 1, 1, "shuffle (0: none)"),
        Slider("layers", 1, 12, 1, 6),
        Choice("what_moves", (NOTHING, STAY, TRAVEL), NOTHING, "what moves"),
    ),
    build=_build,
    size=(9.5, 3.4),
)
