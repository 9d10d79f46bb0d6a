"""Figures of lesson 5: binary columns, one ambiguous sine, and hands that turn at several speeds."""

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

HANDS = 4  # clock faces of the playground, at most
TRAIL = 12  # positions before the present one that are marked on each face


def counter(length: int = 16, bits: int = 4) -> Picture:
    """The binary counter as a table of light and dark squares."""
    table = binary_counter(length, bits)
    figure = new_figure(9, 2.6)
    axes = figure.subplots()
    axes.imshow(table.T, aspect="auto", cmap=SEQUENTIAL, vmin=0, vmax=1)
    for (p, b), value in np.ndenumerate(table):
        axes.text(p, b, int(value), ha="center", va="center", color=BLACK if value else "white")
    axes.set(xlabel="position", ylabel="bit", xticks=range(length), yticks=range(bits))
    changes = np.abs(np.diff(table, axis=0)).sum(axis=0).astype(int)
    text = f"Positions 0 to {length - 1} in binary. Changes from position to position, bit by bit: {', '.join(map(str, changes))}."
    return Picture(figure, text)


def smooth_counter(
    length: int = 32, speeds: tuple[float, ...] = (np.pi / 2, np.pi / 4, np.pi / 8)
) -> Picture:
    """Bits and the waves that change at the same pace, one above the other."""
    figure = new_figure(9, 3.8)
    rows = figure.subplots(len(speeds), 1, sharex=True)
    p, fine = np.arange(length), np.linspace(0, length - 1, 400)
    table = binary_counter(length, len(speeds) + 1)[:, 1:]
    for b, (axes, speed) in enumerate(zip(rows, speeds)):
        axes.step(p, table[:, b], where="post", color=GREY, linestyle="--", label="bit")
        axes.plot(fine, 0.5 - 0.5 * np.sin(fine * speed), color=BLUE, linestyle="-", label="wave")
        axes.set(yticks=(0, 1), ylabel=f"bit {b + 1}")
    rows[0].legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    rows[-1].set_xlabel("position")
    turns = ", ".join(plain(2 * np.pi / s, 0) for s in speeds)
    return Picture(
        figure,
        f"Three bits jump between 0 and 1; three waves of {turns} positions a turn slide between them at the same pace.",
    )


def one_sine(position: int = 3, length: int = 30, near: float = 0.1) -> Picture:
    """A sine, and all positions at which it has nearly the value that it has at one."""
    p, fine = np.arange(length), np.linspace(0, length - 1, 500)
    value = np.sin(position)
    alike = p[np.abs(np.sin(p) - value) < near]
    figure = new_figure(9, 3.2)
    axes = figure.subplots()
    axes.plot(fine, np.sin(fine), color=GREY, linestyle="-", linewidth=1.2)
    axes.axhspan(value - near, value + near, color=ORANGE, alpha=0.35)
    axes.plot(p, np.sin(p), color=BLUE, marker="o", linestyle="none", label="positions")
    axes.plot(
        alike,
        np.sin(alike),
        color=VERMILLION,
        marker="s",
        markersize=10,
        linestyle="none",
        label="look alike",
    )
    axes.set(xlabel="position", ylabel="sine", yticks=(-1, 0, 1), ylim=(-1.2, 1.2))
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    listed = ", ".join(map(str, alike))
    return Picture(
        figure,
        f"The sine at position {position} is {plain(value)}. Within {near} of it lie the positions {listed}.",
    )


def circle(positions: tuple[int, ...] = (0, 1, 2, 3, 6)) -> Picture:
    """Positions of the fast hand as points on the circle."""
    figure = new_figure(5.2, 4.6)
    axes = figure.subplots()
    _face(axes, 0.0)
    for index, p in enumerate(positions):
        style = series(index) | {"linestyle": "-", "linewidth": 1.5, "markersize": 9}
        axes.plot([0, np.sin(p)], [0, np.cos(p)], markevery=[1], label=f"position {p}", **style)
    axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), xlabel="sine", ylabel="cosine", aspect="equal")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    listed = "; ".join(f"{p} at ({plain(np.sin(p))}, {plain(np.cos(p))})" for p in positions)
    return Picture(figure, f"The fast hand as (sine, cosine): position {listed}.")


def lookalikes(longest: int = 3000) -> Picture:
    """How near the nearest look-alike of position 0 comes, as the text grows, for one to four hands."""
    figure = new_figure(9, 3.6)
    axes = figure.subplots()
    p = np.arange(1, longest)
    said = []
    for hands in range(1, 5):
        speeds = frequencies(2 * hands)
        gaps = np.linalg.norm(2 * np.sin(p[:, None] * speeds / 2), axis=1)
        nearest = np.minimum.accumulate(gaps)
        name = f"{hands} hand" + ("s" if hands > 1 else "")
        axes.plot(p + 1, nearest, label=name, **(series(hands - 1) | {"marker": None}))
        said.append(f"{name} {nearest[-1]:.2g}")
    axes.set(
        xscale="log", yscale="log", xlabel="positions in the text", ylabel="distance of the nearest"
    )
    axes.grid(True)
    axes.legend()
    return Picture(
        figure,
        f"Distance from position 0 to its nearest look-alike among {longest}: {', '.join(said)}. Each curve falls and none reaches 0.",
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
        self.faces = [_face(self.axes, 2.7 * i) for i in range(HANDS)]
        self.tops = [
            self.axes.plot([2.7 * i], [1], "|", color=BLACK, markersize=12)[0] for i in range(HANDS)
        ]
        self.trails = [
            self.axes.plot([], [], ".", color=ORANGE, markersize=7)[0] for _ in range(HANDS)
        ]
        self.hands = [
            self.axes.plot(
                [], [], "-", marker="o", color=BLUE, linewidth=3, markersize=10, markevery=[1]
            )[0]
            for _ in range(HANDS)
        ]
        self.names = [
            self.axes.text(2.7 * i, -1.45, "", ha="center", fontsize=12) for i in range(HANDS)
        ]
        self.turns = [
            self.axes.text(2.7 * i, 1.25, "", ha="center", fontsize=12) for i in range(HANDS)
        ]

    def update(self, position: int, hands: int, base: float) -> str:
        """Turn the hands to this position."""
        speeds = frequencies(2 * hands, base)
        earlier = np.arange(max(0, position - TRAIL), position)
        for i in range(HANDS):
            shown = i < hands
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
        self.axes.set_xlim(-1.35, 2.7 * (hands - 1) + 1.35)
        return self._line(position, hands, base, speeds)

    def _turn(self, i: int, angle: float, earlier: np.ndarray, speed: float) -> None:
        centre = 2.7 * i
        self.hands[i].set_data([centre, centre + np.sin(angle)], [0, np.cos(angle)])
        self.trails[i].set_data(centre + np.sin(earlier), np.cos(earlier))
        self.names[i].set_text(f"({plain(np.sin(angle))}, {plain(np.cos(angle))})")
        self.turns[i].set_text(f"a turn: {2 * np.pi / speed:,.1f}")

    def _line(self, position: int, hands: int, base: float, speeds: np.ndarray) -> str:
        row = sinusoidal(position + 1, 2 * hands, base)[position]
        away = float(np.linalg.norm(row - sinusoidal(1, 2 * hands, base)[0]))
        line = f"Position {position}, base {base:g}: the hands have turned {', '.join(plain(t) for t in position * speeds / (2 * np.pi))} times. "
        line += f"The row is {away:.2f} away from that of position 0"
        if position < 2:
            return line + "."
        nearest = nearest_lookalike(speeds.tolist(), position + 1)
        return line + f"; of positions 1 to {position}, {nearest} is the one nearest to 0."


def _build(figure: Figure) -> Update:
    return _Hands(figure).update


hands = Playground(
    title="Hands of several speeds",
    controls=(
        Slider("position", 0, 700, 1, 6),
        Slider("hands", 1, HANDS, 1, 2, label="number of hands"),
        Slider("base", 2, 100000, 0.1, 10000, logarithmic=True),
    ),
    build=_build,
    size=(9.5, 3.4),
)
