"""Figures of lesson 1: rows that do not tell their position, and the two doors for order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.text import Text

from posenc.bags import orders_with_this_bag
from posenc.figures.rows import join_rows, show_rows
from posenc.figures.style import (
    BLACK,
    BLUE,
    DIVERGING,
    VERMILLION,
    Picture,
    Playground,
    Slider,
    Update,
    Words,
    new_figure,
    spaced,
)

FEWEST, MOST = 2, 12  # words of the playground's sentence
WIDTH = 5  # entries of the row that the playground gives a word
LETTERS = 9  # of a word that are shown beside its row


def same_rows(
    first: Sequence[str], second: Sequence[str], vocabulary: Sequence[str], table: np.ndarray
) -> Picture:
    """The looked-up rows of two sentences with one bag, each row joined to its twin."""
    table = np.asarray(table)
    figure = new_figure(8.4, 3.0)
    left, right = figure.subplots(1, 2)
    spaced(figure, wspace=0.3)
    numbers = [[list(vocabulary).index(word) for word in words] for words in (first, second)]
    for axes, words, taken in ((left, first, numbers[0]), (right, second, numbers[1])):
        show_rows(axes, table[taken], words, f"“{' '.join(words)}”", largest=1.2)
    partners = [numbers[1].index(number) for number in numbers[0]]
    join_rows(figure, left, right, partners, numbers[0], table.shape[1])
    pairs = ", ".join(
        f"{word} at positions {place} and {list(second).index(word)}"
        for place, word in enumerate(first)
    )
    return Picture(figure, f"Looked-up rows of two sentences. Each row has an equal one: {pairs}.")


def two_doors() -> Picture:
    """From tokens to attention weights, with the two points at which order can come in."""
    figure = new_figure(9, 2.5)
    axes = figure.subplots()
    axes.set(xlim=(0, 10), ylim=(0.35, 3.2))
    axes.set_axis_off()
    steps = ("word", "its row", "query and key", "score", "attention\nweight")
    centres = [0.8 + 2.1 * step for step in range(len(steps))]
    for centre, step in zip(centres, steps, strict=True):
        _box(axes, centre, 0.8, step, BLACK)
    for before, after in zip(centres, centres[1:], strict=False):
        _arrow(axes, (before + 0.78, 0.8), (after - 0.78, 0.8), BLACK)
    _door(axes, centres[1], "door 1\na positional encoding\nis added to the row", BLUE, "-")
    both = "door 2\nthe score is made to depend\non the two positions"
    _door(axes, centres[3], both, VERMILLION, "--")
    return Picture(
        figure,
        "Five boxes in a line: word, its row, query and key, score, attention weight. Door 1 leads "
        "into the row, to which a positional encoding is added. Door 2 leads into the score, which "
        "is made to depend on the two positions.",
    )


def _box(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (x - 0.75, y - 0.35),
            1.5,
            0.7,
            boxstyle="round,pad=0.03",
            facecolor="white",
            edgecolor=colour,
            linewidth=2,
        )
    )
    axes.text(x, y, text, ha="center", va="center", fontsize=12)


def _arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], colour: str, line: str = "-"
) -> None:
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=16,
            color=colour,
            linewidth=2,
            linestyle=line,
            shrinkA=0,
            shrinkB=0,
        )
    )


def _door(axes: Axes, x: float, text: str, colour: str, line: str) -> None:
    axes.text(x, 3.2, text, ha="center", va="top", color=colour, fontsize=12, linespacing=1.25)
    _arrow(axes, (x, 2.2), (x, 1.2), colour, line)


def row_of(word: str) -> np.ndarray:
    """A row for a word, drawn from its letters: one word, one row, in every sentence."""
    drawn = np.random.default_rng(list(word.encode())).uniform(-1, 1, WIDTH)
    return drawn.round(2)


def _labels(axes: Axes, x: float) -> list[Text]:
    """A word's place to the left of each row that may be shown."""
    return [axes.text(x, 0, "", ha="right", va="center", fontsize=11) for _ in range(MOST)]


class _Strip:
    """Rows of numbers with their words to the left, both inside one pair of axes."""

    def __init__(self, axes: Axes, title: str, xlabel: str) -> None:
        self.axes = axes
        self.image = axes.imshow(
            np.zeros((2, WIDTH)), aspect="auto", cmap=DIVERGING, vmin=-1, vmax=1
        )
        self.gaps = axes.hlines([], [], [], colors="white", linewidth=2)
        self.words = _labels(axes, -0.25)
        axes.set_title(title)
        axes.set_xlabel(xlabel, fontsize=11)
        axes.set(xticks=(), yticks=(), xlim=(-3.6, WIDTH))
        for side in ("left", "bottom"):
            axes.spines[side].set_visible(False)

    def show(self, rows: np.ndarray, words: Sequence[str]) -> None:
        """These rows from top to bottom, each with its word."""
        self.image.set_data(rows)
        self.image.set_extent((0, WIDTH, len(rows) - 0.5, -0.5))
        self.axes.set_ylim(len(rows) - 0.5, -0.5)
        edges = np.arange(len(rows)) - 0.5
        self.gaps.set_segments([[(0, edge), (WIDTH, edge)] for edge in edges])
        for place, label in enumerate(self.words):
            label.set_text(_cut(words[place]) if place < len(words) else "")
            label.set_y(place)


class _Counts:
    """The count vector as bars, with a ring where the sentence as written has its count."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.bars = axes.barh(range(MOST), np.zeros(MOST), height=0.55, color=BLUE)
        (self.rings,) = axes.plot(
            [],
            [],
            "o",
            markersize=13,
            markerfacecolor="none",
            markeredgecolor=VERMILLION,
            markeredgewidth=2,
        )
        self.words = _labels(axes, -0.06)
        axes.set_title("Count vector")
        axes.set_xlabel("bar: shuffled, ring: as written", fontsize=11)
        axes.set_yticks(())
        axes.spines["left"].set_visible(False)

    def show(self, words: Sequence[str], counts: Sequence[int], written: Sequence[int]) -> None:
        """The counts of these words, and those of the sentence as written."""
        most = max(*counts, *written)
        for place, bar in enumerate(self.bars):
            bar.set_width(counts[place] if place < len(counts) else 0)
            self.words[place].set_text(_cut(words[place]) if place < len(words) else "")
            self.words[place].set_y(place)
        self.rings.set_data(written, range(len(written)))
        self.axes.set_xlim(-0.8 * most, most + 0.25 * most)
        self.axes.set_ylim(len(words) - 0.4, -0.6)
        self.axes.set_xticks(range(most + 1) if most <= 4 else (0, most))


class _Shuffle:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        first, second, third, fourth = figure.subplots(1, 4, width_ratios=(1, 1, 1, 1.05))
        self.written = _Strip(first, "As written", "positions, top to bottom")
        self.shuffled = _Strip(second, "Shuffled", "positions, top to bottom")
        self.sorted = _Strip(third, "Shuffled, then sorted", "by the first number")
        self.counts = _Counts(fourth)

    def update(self, sentence: str, shuffle: int) -> str:
        """Show this sentence in order number `shuffle`; order 0 is the one that was written."""
        words = sentence.split()
        if not FEWEST <= len(words) <= MOST:
            raise ValueError(
                f"the sentence has {len(words)} words; {FEWEST} to {MOST} can be shown"
            )
        order = _order(len(words), shuffle)
        moved = [words[place] for place in order]
        rows, moved_rows = (np.array([row_of(word) for word in text]) for text in (words, moved))
        self.written.show(rows, words)
        self.shuffled.show(moved_rows, moved)
        by_size = np.lexsort(moved_rows.T[::-1])
        self.sorted.show(moved_rows[by_size], [moved[place] for place in by_size])
        vocabulary = sorted(set(words))
        before, after = ([text.count(word) for word in vocabulary] for text in (words, moved))
        self.counts.show(vocabulary, after, before)
        same_rows = np.array_equal(moved_rows[by_size], rows[np.lexsort(rows.T[::-1])])
        return _told(words, moved, before == after and same_rows)


def _order(length: int, shuffle: int) -> np.ndarray:
    if shuffle == 0:
        return np.arange(length)
    return np.random.default_rng(shuffle).permutation(length)


def _told(words: Sequence[str], moved: Sequence[str], kept: bool) -> str:
    elsewhere = sum(before != after for before, after in zip(words, moved, strict=True))
    orders = orders_with_this_bag(words)
    said = "stay as they were" if kept else "have changed"
    where = "and there is no other order of these words"
    if orders > 1:
        where = f"as in each of the {orders:,} orders of these words"
    return (
        f"“{' '.join(moved)}”: {elsewhere} of {len(words)} positions hold another word than "
        f"before. The count vector and the sorted rows {said}, {where}."
    )


def _cut(word: str) -> str:
    return word if len(word) <= LETTERS else word[: LETTERS - 1] + "…"


def _build(figure: Figure) -> Update:
    return _Shuffle(figure).update


shuffle = Playground(
    title="Shuffle the words",
    controls=(
        Words("sentence", "the dog chased the cat", "sentence"),
        Slider("shuffle", 0, 40, 1, 3, "shuffle (0: as written)"),
    ),
    build=_build,
    size=(9.5, 3.2),
)
