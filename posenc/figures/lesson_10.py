"""Figures of lesson 10: attention weights with and without positions, four terms, the scale."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from posenc.attention import SIX_TOKENS, identity_attention
from posenc.encodings import sinusoidal
from posenc.figures.style import (
    BLACK,
    COLOURS,
    DIVERGING,
    HATCHES,
    Choice,
    Picture,
    Playground,
    Slider,
    Toggle,
    Update,
    new_figure,
    plain,
    series,
)

NAMES = [f"t{n}" for n in range(len(SIX_TOKENS))]


def partner_of(token: int) -> int:
    """The other token on the same topic."""
    return (token + 3) % 6


def weights_of_t0(rows: dict[str, np.ndarray]) -> Picture:
    """Rows of attention weights over the six tokens, side by side."""
    figure = new_figure(9, 3.6)
    axes = figure.subplots()
    place, width = np.arange(6), 0.8 / len(rows)
    for index, (name, row) in enumerate(rows.items()):
        left = place + (index - (len(rows) - 1) / 2) * width
        axes.bar(
            left,
            row,
            width,
            label=name,
            color=COLOURS[index],
            hatch=HATCHES[index],
            edgecolor="white",
        )
    axes.set(xticks=place, xticklabels=NAMES, xlabel="key", ylabel="attention weight", ylim=(0, 1))
    axes.legend()
    said = "; ".join(f"{name}: {', '.join(plain(v, 3) for v in row)}" for name, row in rows.items())
    return Picture(figure, f"Attention weights of t0 for t0 … t5. {said}.")


def four_terms(x: np.ndarray = SIX_TOKENS) -> Picture:
    """The four parts of all scores, as four heat maps on one scale."""
    encoding = sinusoidal(*x.shape)
    parts = {
        "content · content": x @ x.T,
        "content · position": x @ encoding.T,
        "position · content": encoding @ x.T,
        "position · position": encoding @ encoding.T,
    }
    largest = max(np.abs(part).max() for part in parts.values())
    figure = new_figure(9.5, 2.9)
    panels = figure.subplots(1, 4, sharey=True)
    for axes, (name, part) in zip(panels, parts.items()):
        image = axes.imshow(part, cmap=DIVERGING, vmin=-largest, vmax=largest)
        axes.set_title(name, fontsize=11)
        axes.set(xticks=range(6), xlabel="j")
    panels[0].set(yticks=range(6), ylabel="i")
    figure.colorbar(image, ax=panels)
    sizes = ", ".join(f"{name} {plain(np.abs(part).mean())}" for name, part in parts.items())
    return Picture(
        figure, f"Four 6 × 6 parts that add up to the scores. Mean size of an entry: {sizes}."
    )


def blur_curve() -> Picture:
    """The weights of t0 for its partner, its neighbour and itself, over the scale of content."""
    scales = np.linspace(0, 4, 161)
    encoding = sinusoidal(6, 4)
    rows = np.array([identity_attention(s * SIX_TOKENS + encoding)[1][0] for s in scales])
    figure = new_figure(9, 3.6)
    axes = figure.subplots()
    for index, (token, name) in enumerate(
        ((3, "partner t3"), (1, "neighbour t1"), (0, "itself, t0"))
    ):
        axes.plot(scales, rows[:, token], label=name, markevery=20, **series(index))
    axes.set(xlabel="scale of the content", ylabel="attention weight of t0", ylim=(0, 1))
    axes.grid(True, axis="y")
    axes.legend()
    best = int(rows[:, 3].argmax())
    text = (
        "Attention weights of t0 over the scale of the content from 0 to 4: the partner's is "
        f"largest, {plain(rows[best, 3], 3)}, at {plain(scales[best])}; the neighbour's rises to "
        f"{plain(rows[:, 1].max(), 3)} and falls to {plain(rows[-1, 1], 3)}; the token's own grows "
        f"to {plain(rows[-1, 0], 3)}."
    )
    return Picture(figure, text)


class _Blur:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1))
        self.bars = left.bar(np.arange(6), np.zeros(6), 0.7, edgecolor=BLACK)
        left.set(xticks=range(6), xticklabels=NAMES, ylabel="attention weight", ylim=(0, 1))
        left.set_xlabel("key (striped: the partner)")
        self.image = right.imshow(np.zeros((6, 6)), cmap="cividis", vmin=0, vmax=1)
        right.set(
            xticks=range(6),
            yticks=range(6),
            xticklabels=NAMES,
            yticklabels=NAMES,
            xlabel="key",
            ylabel="query",
        )
        figure.colorbar(self.image, ax=right, label="attention weight")

    def update(self, token: str, scale: float, positions: bool, swapped: bool) -> str:
        """Show the attention weights of one token at this scale."""
        number = int(token[1:])
        order = np.array([3, 1, 2, 0, 4, 5]) if swapped else np.arange(6)
        rows = scale * SIX_TOKENS[order] + (sinusoidal(6, 4) if positions else 0.0)
        places = np.argsort(order)
        weights = identity_attention(rows)[1][np.ix_(places, places)]
        self.image.set_data(weights)
        mine, partner = weights[number], partner_of(number)
        for place, bar in enumerate(self.bars):
            bar.set_height(mine[place])
            bar.set_facecolor(COLOURS[1] if place == partner else COLOURS[0])
            bar.set_hatch("//" if place == partner else "")
        others = [n for n in range(6) if n not in (number, partner)]
        rival = max(others, key=lambda n: mine[n])
        wins = "more" if mine[partner] > mine[rival] else "less"
        exchanged = ", t0 and t3 exchanged" if swapped else ""
        return (
            f"{token} at scale {plain(scale)}, positions {'on' if positions else 'off'}{exchanged}"
            f": its partner t{partner} gets {plain(mine[partner], 3)}, {wins} than the best of the "
            f"others, t{rival} with {plain(mine[rival], 3)}; {plain(mine[number], 3)} is left for "
            "the token itself."
        )


def _build(figure: Figure) -> Update:
    return _Blur(figure).update


blur = Playground(
    title="Content against position",
    controls=(
        Choice("token", NAMES, "t0", label="query"),
        Slider("scale", 0.0, 4.0, 0.05, 1.0, label="scale of the content"),
        Toggle("positions", True, label="positions added"),
        Toggle("swapped", False, label="t0 and t3 exchanged"),
    ),
    build=_build,
    size=(9.5, 3.8),
)
