"""Figures of lesson 7: the ladder of wavelengths, the other ladder, what half precision keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from posenc.encodings import frequencies
from posenc.figures.style import (
    BLUE,
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
from posenc.geometry import pairs_that_turn, wavelengths


def ladder(width: int = 512, base: float = 10000.0) -> Picture:
    """The wavelength of every pair, on a plain and on a logarithmic axis."""
    lengths = wavelengths(width, base)
    figure = new_figure(9, 3.4)
    for axes, scale in zip(figure.subplots(1, 2), ("linear", "log")):
        axes.plot(lengths, color=BLUE, linestyle="-")
        axes.set_yscale(scale)
        axes.set(xlabel="pair", ylabel="wavelength (positions)")
        axes.set_title("in positions" if scale == "linear" else "in powers of ten")
        axes.grid(True, axis="y")
    middle = lengths[len(lengths) // 2]
    text = (
        f"Wavelengths of the {len(lengths)} pairs of width {width}, from {plain(lengths[0])} to "
        f"{lengths[-1]:,.0f} positions. Half of them are below {middle:,.0f}. On the logarithmic "
        "axis they are a straight line."
    )
    return Picture(figure, text)


def bases(width: int = 64, chosen: tuple[float, ...] = (100.0, 10000.0, 1000000.0)) -> Picture:
    """The wavelengths of one width for several bases."""
    figure = new_figure(9, 3.4)
    axes = figure.subplots()
    said = []
    for index, base in enumerate(chosen):
        lengths = wavelengths(width, base)
        axes.plot(lengths, label=f"base {base:,.0f}", markevery=4, **series(index))
        said.append(f"base {base:,.0f} ends at {lengths[-1]:,.0f}")
    axes.set_yscale("log")
    axes.set(xlabel="pair", ylabel="wavelength (positions)")
    axes.grid(True, axis="y")
    axes.legend()
    return Picture(
        figure,
        f"Width {width}: all bases begin at {plain(2 * np.pi)} positions; {', '.join(said)}.",
    )


def two_ladders(width: int = 16, base: float = 10000.0) -> Picture:
    """The frequencies of the paper's ladder, exponent i / half, and of that with half − 1."""
    half = width // 2
    other = base ** (-np.arange(half) / (half - 1))
    figure = new_figure(9, 3.4)
    axes = figure.subplots()
    axes.plot(frequencies(width, base), label="exponent −i / half (the paper)", **series(0))
    axes.plot(other, label="exponent −i / (half − 1)", **series(1))
    axes.set_yscale("log")
    axes.set(xlabel="pair i", ylabel="radians per position")
    axes.grid(True, axis="y")
    axes.legend()
    slowest = frequencies(width, base)[-1]
    text = (
        f"Two ladders of {half} frequencies. Both begin at 1. The paper's ends at {slowest:.3g}, "
        f"the other at exactly {1 / base:g}."
    )
    return Picture(figure, text)


def stored(start: int = 2040, length: int = 24) -> Picture:
    """Positions as they are, and as half precision keeps them."""
    positions = np.arange(start, start + length)
    kept = positions.astype(np.float16).astype(float)
    figure = new_figure(9, 3.6)
    axes = figure.subplots()
    axes.plot(positions, positions, label="the position", color=GREY, linestyle="--")
    axes.plot(
        positions,
        kept,
        label="stored in half precision",
        color=VERMILLION,
        linestyle="none",
        marker="s",
    )
    axes.set(xlabel="position", ylabel="value")
    axes.ticklabel_format(useOffset=False)
    axes.legend()
    left = len(np.unique(kept))
    text = (
        f"Positions {start} to {start + length - 1} in half precision: {left} different values are "
        f"left of {length}."
    )
    return Picture(figure, text)


class _Turning:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        self.axes = figure.subplots()
        marks: dict[str, Any] = {"linestyle": "none", "markersize": 6}
        (self.round,) = self.axes.plot([], [], "o", color=BLUE, label="completes a turn", **marks)
        (self.slow,) = self.axes.plot(
            [],
            [],
            "s",
            color=VERMILLION,
            markerfacecolor="none",
            label="does not",
            **marks,
        )
        (self.still,) = self.axes.plot(
            [], [], "x", color=GREY, label="moves by less than 0.1 rad", **marks
        )
        self.context = self.axes.axhline(
            1, color="black", linestyle="--", linewidth=1.5, label="context length"
        )
        self.axes.set_yscale("log")
        self.axes.set(xlabel="pair", ylabel="wavelength (positions)")
        self.axes.grid(True, axis="y")
        self.axes.legend(loc="upper left", ncols=2)

    def update(self, width: int, base: float, length: int) -> str:
        """Show the pairs of this width and base against this context length."""
        length = round(length)
        lengths = wavelengths(width, base)[: width // 2]
        pairs = np.arange(len(lengths))
        turns = lengths <= length
        still = length * 2 * np.pi / lengths < 0.1
        for line, chosen in (
            (self.round, turns),
            (self.slow, ~turns & ~still),
            (self.still, still),
        ):
            line.set_data(pairs[chosen], lengths[chosen])
        self.context.set_ydata([length, length])
        self.axes.set_xlim(-0.02 * len(pairs) - 0.5, 1.02 * len(pairs))
        self.axes.set_ylim(3, max(lengths[-1], length) * 30)
        count = pairs_that_turn(width, length, base)
        return (
            f"Width {width}, base {base:,.0f}, {length:,} positions: {count} of {len(pairs)} pairs "
            f"complete a turn, {len(pairs) - count} do not, and {int(still.sum())} of these move "
            f"by less than 0.1 radians in all. The slowest needs {lengths[-1]:,.0f} positions."
        )


def _build(figure: Figure) -> Update:
    return _Turning(figure).update


turning = Playground(
    title="Which pairs complete a turn",
    controls=(
        Slider("width", 4, 512, 2, 128),
        Slider("base", 2, 1_000_000_000, 0.1, 10000, logarithmic=True),
        Slider("length", 8, 200000, 0.1, 1024, label="context length", logarithmic=True),
    ),
    build=_build,
    size=(9.0, 4.0),
)
