"""Figures of lesson 3: who may read whom, four tables of weights, and positions read from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from posenc.attention import causal_mask, identity_attention
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
    Toggle,
    Update,
    Words,
    new_figure,
    plain,
    series,
)

MOST = 8  # tokens of the playground
FIXED = ("red", "blue")  # words with a feature of their own, so that the lesson's figures come out
SETTINGS = ((False, False), (True, False), (False, True), (True, True))  # positions, mask
FORBIDDEN, ALLOWED = "#E4E4E4", "#B5D4EA"
SAME = 1e-9  # differences below this are rounding


# ── tables of weights ─────────────────────────────────────────────────────────────────────────


def _colours() -> matplotlib.colors.Colormap:
    return matplotlib.colormaps[SEQUENTIAL].with_extremes(bad=FORBIDDEN)


def _ink(weight: float) -> str:
    return BLACK if weight > 0.45 else "white"


def _hidden(weights: np.ndarray, mask: np.ndarray | None) -> np.ma.MaskedArray:
    """Weights with the forbidden ones blank."""
    return np.ma.array(weights, mask=np.zeros(weights.shape, dtype=bool) if mask is None else ~mask)


def name_of(positions: bool, mask: bool) -> str:
    """A setting in words."""
    return f"positions {'on' if positions else 'off'}, mask {'on' if mask else 'off'}"


def permissions(words: Sequence[str], masks: Mapping[str, np.ndarray]) -> Picture:
    """Who may read whom, one table for each mask."""
    figure = new_figure(9.4, 3.2)
    said = []
    for axes, (name, mask) in zip(figure.subplots(1, len(masks)), masks.items(), strict=True):
        axes.imshow(mask, cmap=ListedColormap([FORBIDDEN, ALLOWED]), vmin=0, vmax=1)
        for (query, key), allowed in np.ndenumerate(mask):
            axes.text(
                key,
                query,
                "✓" if allowed else "–",
                ha="center",
                va="center",
                fontsize=14,
                color=BLACK if allowed else GREY,
            )
        axes.set_title(name)
        axes.set_xticks(range(len(words)), words, rotation=30, ha="right")
        axes.set_yticks(range(len(words)), words)
        axes.set_xlabel("is read")
        said.append(f"{name}: {', '.join(map(str, mask.sum(axis=1)))}")
    figure.axes[0].set_ylabel("reads")
    return Picture(
        figure,
        f"Who may read whom among {', '.join(words)}. How many each may read, row by row, under "
        f"{'; '.join(said)}.",
    )


def four_tables(words: Sequence[str], tables: Sequence[np.ndarray]) -> Picture:
    """Attention weights with positions off and on, each without and with the causal mask."""
    figure = new_figure(8.6, 5.6)
    said = []
    settings = zip(figure.subplots(2, 2).flat, SETTINGS, tables, strict=True)
    for axes, (positions, mask), weights in settings:
        allowed = causal_mask(len(words)) if mask else None
        image = axes.imshow(
            _hidden(weights, allowed), cmap=_colours(), vmin=0, vmax=1, aspect="auto"
        )
        for (query, key), weight in np.ndenumerate(weights):
            free = allowed is None or allowed[query, key]
            axes.text(
                key,
                query,
                plain(weight, 4) if free else "–",
                ha="center",
                va="center",
                color=_ink(weight) if free else GREY,
            )
        axes.set_title(name_of(positions, mask))
        axes.set_xticks(range(len(words)), words)
        axes.set_yticks(range(len(words)), words)
        first, last = (", ".join(plain(weight) for weight in weights[row]) for row in (0, -1))
        said.append(f"with {name_of(positions, mask)}, first row {first}, last row {last}")
    figure.colorbar(image, ax=figure.axes, label="attention weight", ticks=(0, 0.5, 1), shrink=0.7)
    return Picture(
        figure, f"Four tables of attention weights of {', '.join(words)}: {'; '.join(said)}."
    )


def read_back(weights: Mapping[str, np.ndarray]) -> Picture:
    """The positions that one would read from the first token's weights, against the true ones."""
    figure = new_figure(9, 3.8)
    axes = figure.subplots()
    said = []
    for index, (name, values) in enumerate(weights.items()):
        found = np.rint(1 / np.asarray(values)).astype(int) - 1
        style = series(index) | {"markersize": 9, "linewidth": 1.2}
        axes.plot(np.arange(len(found)), found, label=name, **style)
        said.append(f"{name}: {', '.join(map(str, found))}")
    axes.set_yscale("symlog", linthresh=10, linscale=1.6)
    axes.set_yticks([0, 2, 4, 6, 8, 10, 30, 100], ["0", "2", "4", "6", "8", "10", "30", "100"])
    axes.minorticks_off()
    axes.set(xlabel="true position", ylabel="position read from the weight", ylim=(-0.7, 110))
    axes.set_xticks(range(max(len(v) for v in weights.values())))
    axes.grid(True)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Picture(figure, f"Positions read from the first token's weights. {'; '.join(said)}.")


# ── the attention table ───────────────────────────────────────────────────────────────────────


def words_of(line: str) -> list[str]:
    """The words of a line, in small letters; ValueError unless there are 2 to MOST."""
    words = line.replace(",", " ").lower().split()
    if not 2 <= len(words) <= MOST:
        raise ValueError(f"tokens: there are {len(words)}; 2 to {MOST} are needed")
    return words


def rows_of_words(words: Sequence[str]) -> np.ndarray:
    """One feature for each different word: (n, width), at least 4 wide and of even width.

    Red has the first feature and blue the second; other words follow by the alphabet, so that a
    word keeps its row wherever it stands.
    """
    known = sorted(set(words), key=lambda word: (*(word != fixed for fixed in FIXED), word))
    places = {word: place for place, word in enumerate(known)}
    if "blue" in places and "red" not in places:
        places = {word: place + 1 for word, place in places.items()}
    width = max(4, max(places.values()) + 1)
    return np.eye(width + width % 2)[[places[word] for word in words]]


def table(words: Sequence[str], positions: bool, mask: bool, base: float) -> np.ndarray:
    """The attention weights of these words, (n, n), queries and keys being the rows themselves."""
    x = rows_of_words(words)
    if positions:
        x = x + sinusoidal(len(words), x.shape[1], base)
    return identity_attention(x, causal_mask(len(words)) if mask else None)[1]


class _Grid:
    """One table of weights as coloured cells, kept and filled anew."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        self.image = axes.imshow(np.zeros((2, 2)), cmap=_colours(), vmin=0, vmax=1, aspect="auto")

    def show(self, weights: np.ndarray, mask: np.ndarray | None) -> None:
        """Fill the cells with these weights; forbidden ones stay grey."""
        n = len(weights)
        self.image.set_data(_hidden(weights, mask))
        self.image.set_extent((-0.5, n - 0.5, n - 0.5, -0.5))
        self.axes.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))


class _Named(_Grid):
    """The large table: words, numbers, and a bracket from each word to its next occurrence."""

    def __init__(self, axes: Axes) -> None:
        super().__init__(axes)
        axes.set(xticks=(), yticks=(), xlabel="is read")
        axes.text(-0.02, 1.02, "reads", ha="right", va="bottom", transform=axes.transAxes)
        self.numbers = [
            [axes.text(0, 0, "", ha="center", va="center") for _ in range(MOST)]
            for _ in range(MOST)
        ]
        # Beside the table, so measured in rows down and in parts of the table's width across.
        down, across = axes.get_yaxis_transform(), axes.get_xaxis_transform()
        self.readers = [
            axes.text(-0.02, row, "", ha="right", va="center", fontsize=13, transform=down)
            for row in range(MOST)
        ]
        self.read = [
            axes.text(column, 1.02, "", ha="center", va="bottom", fontsize=13, transform=across)
            for column in range(MOST)
        ]
        self.brackets = [
            axes.plot(
                [], [], color=BLACK, linewidth=2, linestyle="-", clip_on=False, transform=down
            )[0]
            for _ in range(MOST)
        ]
        self.signs = [
            axes.text(0, 0, "", ha="left", va="center", fontsize=17, transform=down)
            for _ in range(MOST)
        ]

    def label(self, words: Sequence[str], weights: np.ndarray, mask: np.ndarray | None) -> None:
        """Write the words and the weights."""
        n = len(words)
        size = 14 if n < 5 else 12 if n < 7 else 10
        fitting = int(470 / n / size)  # letters above a column
        for row in range(MOST):
            name = _short(words[row], 10) if row < n else ""
            self.readers[row].set_text(f"{row}  {name}" if row < n else "")
            self.read[row].set_text(_short(name, fitting))
            self.read[row].set_fontsize(size)
            for column in range(MOST):
                text = self.numbers[row][column]
                text.set_visible(row < n and column < n)
                if row < n and column < n:
                    free = mask is None or mask[row, column]
                    text.set_position((column, row))
                    text.set_text(plain(weights[row, column]) if free else "–")
                    text.set_color(_ink(weights[row, column]) if free else GREY)
                    text.set_fontsize(size)

    def join(self, pairs: Sequence[tuple[int, int, float]]) -> None:
        """Draw a bracket for each pair of rows: = where they are equal, ≠ where they are not."""
        levels = _levels([pair[:2] for pair in pairs])
        for index, (bracket, sign) in enumerate(zip(self.brackets, self.signs, strict=True)):
            shown = index < len(pairs)
            bracket.set_visible(shown)
            sign.set_visible(shown)
            if shown:
                upper, lower, apart = pairs[index]
                near, far = 1.015, 1.035 + 0.07 * levels[index]
                top, bottom = upper + 0.16, lower - 0.16
                bracket.set_data([near, far, far, near], [top, top, bottom, bottom])
                bracket.set_color(BLUE if apart < SAME else VERMILLION)
                sign.set_text("=" if apart < SAME else "≠")
                sign.set_color(BLUE if apart < SAME else VERMILLION)
                sign.set_position((far + 0.008, (upper + lower) / 2))


def _levels(spans: Sequence[tuple[int, int]]) -> list[int]:
    """How far out each bracket stands, so that none crosses another and short ones are inside."""
    levels: dict[int, int] = {}
    for index in sorted(range(len(spans)), key=lambda i: spans[i][1] - spans[i][0]):
        upper, lower = spans[index]
        taken = {
            level
            for other, level in levels.items()
            if spans[other][0] < lower and upper < spans[other][1]
        }
        levels[index] = next(level for level in range(len(spans)) if level not in taken)
    return [levels[index] for index in range(len(spans))]


class _Attention:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        # Placed by hand: words of any length stand beside the large table.
        self.large = _Named(figure.add_axes((0.15, 0.11, 0.42, 0.73)))
        places = ((0.715, 0.53), (0.865, 0.53), (0.715, 0.08), (0.865, 0.08))
        order = (SETTINGS[0], SETTINGS[2], SETTINGS[1], SETTINGS[3])
        self.small = {}
        for (x, y), setting in zip(places, order, strict=True):
            axes = figure.add_axes((x, y, 0.125, 0.33))
            axes.set(xticks=(), yticks=())
            positions, mask = setting
            if not positions:
                axes.set_title(f"mask {'on' if mask else 'off'}", fontsize=12)
            if not mask:
                axes.set_ylabel(f"positions {'on' if positions else 'off'}", fontsize=12)
            self.small[setting] = _Grid(axes)
        self.base = figure.text(0.8525, 0.02, "", ha="center", va="bottom", fontsize=12)

    def update(self, tokens: str, mask: bool, positions: bool, base: float) -> str:
        """Show the table of these words in this setting, and the four settings beside it."""
        words = words_of(tokens)
        allowed = causal_mask(len(words))
        tables = {each: table(words, *each, base) for each in SETTINGS}
        for setting, grid in self.small.items():
            grid.show(tables[setting], allowed if setting[1] else None)
            chosen = setting == (positions, mask)
            for spine in grid.axes.spines.values():
                spine.set_visible(chosen)
                spine.set(color=VERMILLION, linewidth=4)
        self.base.set_text(f"positions of base {base:g}")
        weights = tables[positions, mask]
        self.large.show(weights, allowed if mask else None)
        self.large.label(words, weights, allowed if mask else None)
        pairs = _pairs(words, weights)
        self.large.join(pairs)
        self.large.axes.set_title(name_of(positions, mask), pad=28)
        last = ", ".join(plain(weight) for weight in weights[-1])
        scale = f"base {base:g}" if positions else f"the lower small tables have base {base:g}"
        line = f"{name_of(positions, mask).capitalize()}; {scale}. {_told(words, pairs)}"
        line += f" The last token reads {last}"
        return line + (", the same without the mask." if mask else ", the same with the mask.")


def _pairs(words: Sequence[str], weights: np.ndarray) -> list[tuple[int, int, float]]:
    """Each word with its next occurrence, and how far their rows of weights lie apart."""
    found = []
    for upper, word in enumerate(words):
        later = [place for place in range(upper + 1, len(words)) if words[place] == word]
        if later:
            apart = float(np.abs(weights[upper] - weights[later[0]]).max())
            found.append((upper, later[0], apart))
    return found


def _told(words: Sequence[str], pairs: Sequence[tuple[int, int, float]]) -> str:
    if not pairs:
        return "No word occurs twice; repeat one, and its two rows can be compared."
    told = []
    for upper, lower, apart in pairs:
        both = f"“{words[upper]}” at positions {upper} and {lower}"
        told.append(
            f"{both} reads the same" if apart < SAME else f"{both} differs by up to {plain(apart)}"
        )
    return f"{'; '.join(told)}."


def _short(word: str, most: int) -> str:
    return word if len(word) <= most else f"{word[: most - 1]}…"


def _build(figure: Figure) -> Update:
    figure.set_layout_engine("none")
    return _Attention(figure).update


attention_table = Playground(
    title="Who reads whom",
    controls=(
        Words("tokens", "red blue red"),
        Toggle("mask", False, label="causal mask"),
        Toggle("positions", False, label="positions"),
        Slider("base", 2, 100000, 0.1, 10000, logarithmic=True),
    ),
    build=_build,
    size=(9.6, 4.4),
)
