"""Figures of lesson 5: binary columns, an ambiguous sine, and pairs that turn at several speeds."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from posenc.encodings import binary_counter, frequencies, sinusoidal
from posenc.figures.style import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    PURPLE,
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
from posenc.geometry import nearest_lookalike

PAIRS = 4  # clock faces of the playground, at most
TRAIL = 12  # positions before the present one that are marked on each face


def counter(length: int = 16, bits: int = 4) -> Picture:
    """The binary counter as a table of light and dark squares."""
    table = binary_counter(length, bits)
    figure = new_figure(9, 2.6)
    axes = figure.subplots()
    axes.imshow(table.T, aspect="auto", cmap=SEQUENTIAL, vmin=0, vmax=1)
    for (p, b), value in np.ndenumerate(table):
        axes.text(
            p, b, str(int(value)), ha="center", va="center", color=BLACK if value else "white"
        )
    axes.set(xlabel="position", ylabel="bit", xticks=range(length), yticks=range(bits))
    changes = np.abs(np.diff(table, axis=0)).sum(axis=0).astype(int)
    text = (
        f"Positions 0 to {length - 1} in binary. Changes from position to position, bit by bit: "
        f"{', '.join(map(str, changes))}."
    )
    return Picture(figure, text)


def smooth_counter(length: int = 32, bits: int = 4) -> Picture:
    """Bits and the waves that change at the same pace, one above the other.

    The wave of bit 0 is drawn like the others and read at whole positions, where it says nothing.
    """
    figure = new_figure(9, 4.6)
    rows = figure.subplots(bits, 1, sharex=True)
    p, fine = np.arange(length), np.linspace(0, length - 1, 800)
    table = binary_counter(length, bits)
    for b, axes in enumerate(rows):
        speed = np.pi / 2**b
        axes.step(p, table[:, b], where="post", color=GREY, linestyle="--", label="bit")
        axes.plot(fine, _wave(fine, speed), color=BLUE, linestyle="-", label="wave")
        axes.plot(
            p,
            _wave(p, speed),
            color=VERMILLION,
            marker="o",
            markersize=4,
            linestyle="none",
            label="wave at whole positions",
        )
        axes.set(yticks=(0, 1), ylabel=f"bit {b}")
    rows[0].legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    rows[-1].set_xlabel("position")
    turns = ", ".join(plain(2 * 2**b, 0) for b in range(bits))
    return Picture(
        figure,
        f"{bits} bits jump between 0 and 1; waves of {turns} positions a turn slide between them "
        f"at the same pace. At whole positions the fastest wave is always at {_wave(0, np.pi):g}.",
    )


def _wave(position: np.ndarray | float, speed: float) -> np.ndarray | float:
    """A wave between 0 and 1 that lies over the bit which changes every π/speed positions."""
    return 0.5 - 0.5 * np.sin(position * speed)


def one_sine(position: int = 3, length: int = 50, near: float = 0.1) -> Picture:
    """A sine, and the positions at which it reads nearly the same, on either flank."""
    p, fine = np.arange(length), np.linspace(0, length - 1, 500)
    value = np.sin(position)
    alike = p[(np.abs(np.sin(p) - value) < near) & (p != position)]
    same = np.cos(alike) * np.cos(position) > 0
    figure = new_figure(9, 3.2)
    axes = figure.subplots()
    axes.plot(fine, np.sin(fine), color=GREY, linestyle="-", linewidth=1.2)
    axes.axhspan(value - near, value + near, color=ORANGE, alpha=0.35)
    axes.plot(p, np.sin(p), color=BLUE, marker="o", linestyle="none", markersize=5)
    for shown, label, marker, colour in (
        (np.array([position]), f"position {position}", "*", BLACK),
        (alike[same], "whole turns later", "s", VERMILLION),
        (alike[~same], "on the other flank", "D", PURPLE),
    ):
        axes.plot(
            shown,
            np.sin(shown),
            color=colour,
            marker=marker,
            markersize=15 if marker == "*" else 10,
            linestyle="none",
            label=label,
        )
    axes.set(xlabel="position", ylabel="sine", yticks=(-1, 0, 1), ylim=(-1.2, 1.2))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return Picture(
        figure,
        f"The sine at position {position} is {plain(value)}. Within {near} of it read, whole turns "
        f"later, {_listed(alike[same])}, and on the other flank {_listed(alike[~same])}.",
    )


def _listed(positions: np.ndarray) -> str:
    return ", ".join(map(str, positions)) or "no position"


def circle(positions: tuple[int, ...] = (0, 1, 2, 3, 6)) -> Picture:
    """Positions of the fast pair as points on the circle."""
    figure = new_figure(5.2, 4.6)
    axes = figure.subplots()
    _face(axes, 0.0)
    for index, p in enumerate(positions):
        style = series(index) | {"linestyle": "-", "linewidth": 1.5, "markersize": 9}
        axes.plot([0, np.sin(p)], [0, np.cos(p)], markevery=[1], label=f"position {p}", **style)
    axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), xlabel="sine", ylabel="cosine", aspect="equal")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    listed = "; ".join(f"{p} at ({plain(np.sin(p))}, {plain(np.cos(p))})" for p in positions)
    return Picture(figure, f"The fast pair (sine, cosine): position {listed}.")


def lookalikes(longest: int = 100_000, pairs: tuple[int, ...] = (1, 2, 4, 8)) -> Picture:
    """How near to row 0 the nearest other row is as the text grows, for 1 to 8 pairs."""
    figure = new_figure(9, 3.8)
    axes = figure.subplots()
    p = np.arange(1, longest)
    said = []
    for index, number in enumerate(pairs):
        squared = sum((2 * np.sin(p * speed / 2)) ** 2 for speed in frequencies(2 * number))
        gaps = np.sqrt(squared)
        nearest = np.minimum.accumulate(gaps)
        name = f"{number} pair{'s' if number > 1 else ''}"
        axes.plot(p + 1, nearest, label=name, **(series(index) | {"marker": None}))
        said.append(f"{name} {nearest[-1]:.2g} at {p[gaps.argmin()]}")
    axes.set(
        xscale="log", yscale="log", xlabel="positions in the text", ylabel="distance to the nearest"
    )
    axes.grid(True)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Picture(
        figure,
        f"Distance from row 0 to the nearest of {longest:,} rows: {', '.join(said)}. A level line "
        "says that the nearest row is still the next one.",
    )


def _face(axes: Axes, centre: float) -> Circle:
    face = Circle((centre, 0), 1, fill=False, edgecolor=GREY, linewidth=1.2)
    axes.add_patch(face)
    return face


class _Hands:
    """The artists of the playground: up to four clock faces, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        self.axes = figure.subplots()
        self.axes.set(aspect="equal", xticks=(), yticks=(), ylim=(-1.75, 1.6))
        for side in ("left", "bottom"):
            self.axes.spines[side].set_visible(False)
        self.faces = [_face(self.axes, 2.7 * i) for i in range(PAIRS)]
        self.tops = [
            self.axes.plot([2.7 * i], [1], "|", color=BLACK, markersize=12)[0] for i in range(PAIRS)
        ]
        self.trails = [
            self.axes.plot([], [], ".", color=ORANGE, markersize=7)[0] for _ in range(PAIRS)
        ]
        self.hands = [
            self.axes.plot(
                [], [], "-", marker="o", color=BLUE, linewidth=3, markersize=10, markevery=[1]
            )[0]
            for _ in range(PAIRS)
        ]
        self.names = [
            self.axes.text(2.7 * i, -1.45, "", ha="center", fontsize=12) for i in range(PAIRS)
        ]
        self.turns = [
            self.axes.text(2.7 * i, 1.25, "", ha="center", fontsize=12) for i in range(PAIRS)
        ]

    def update(self, position: int, pairs: int, base: float) -> str:
        """Turn the hands to this position."""
        speeds = frequencies(2 * pairs, base)
        earlier = np.arange(max(0, position - TRAIL), position)
        for i in range(PAIRS):
            shown = i < pairs
            for artist in (
                self.faces[i],
                self.tops[i],
                self.trails[i],
                self.hands[i],
                self.names[i],
                self.turns[i],
            ):
                artist.set_visible(shown)
            if shown:
                self._turn(i, position * speeds[i], earlier * speeds[i], speeds[i])
        self.axes.set_xlim(-1.35, 2.7 * (pairs - 1) + 1.35)
        return self._line(position, pairs, base, speeds)

    def _turn(self, i: int, angle: float, earlier: np.ndarray, speed: float) -> None:
        centre = 2.7 * i
        self.hands[i].set_data([centre, centre + np.sin(angle)], [0, np.cos(angle)])
        self.trails[i].set_data(centre + np.sin(earlier), np.cos(earlier))
        self.names[i].set_text(f"({plain(np.sin(angle))}, {plain(np.cos(angle))})")
        self.turns[i].set_text(f"a turn: {2 * np.pi / speed:,.1f}")

    def _line(self, position: int, pairs: int, base: float, speeds: np.ndarray) -> str:
        row = sinusoidal(position + 1, 2 * pairs, base)[position]
        away = float(np.linalg.norm(row - sinusoidal(1, 2 * pairs, base)[0]))
        turned = ", ".join(plain(turns) for turns in position * speeds / (2 * np.pi))
        line = (
            f"Position {position}, base {base:g}: the pairs have turned {turned} times. "
            f"The row is {away:.2f} away from that of position 0"
        )
        if position < 2:
            return line + "."
        nearest = nearest_lookalike(speeds.tolist(), position + 1)
        return line + f"; of positions 1 to {position}, {nearest} is the one nearest to 0."


def _build(figure: Figure) -> Update:
    return _Hands(figure).update


hands = Playground(
    title="Pairs of several speeds",
    controls=(
        Slider("position", 0, 700, 1, 6),
        Slider("pairs", 1, PAIRS, 1, 2, label="number of pairs"),
        Slider("base", 2, 100000, 0.1, 10000, logarithmic=True),
    ),
    build=_build,
    size=(9.5, 3.4),
)
