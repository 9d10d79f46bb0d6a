"""Figures of lesson 12: shifted scores, turns, penalties, accuracy by position, stray attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.figure import Figure

from posenc.encodings import alibi_bias, alibi_slopes, frequencies, rotate, sinusoidal_at
from posenc.figures.style import (
    BLUE,
    GREY,
    ORANGE,
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
from posenc.training import (
    LOOKBACK,
    TASKS,
    Experiment,
    Trained,
    band,
    chance,
    latest_mark_inside,
    weights_by_distance,
)

BIN = 4  # positions that are averaged for one point of a curve


def circles(width: int = 32, trained: int = 32, tested: int = 256) -> Picture:
    """How far round each pair gets in training, and how far in the test."""
    turns = frequencies(width) / (2 * np.pi)
    pairs = np.arange(len(turns))
    figure = new_figure(9, 3.4)
    axes = figure.subplots()
    for length, index, label in ((trained, 0, "training"), (tested, 1, "test")):
        look = series(index) | {"linestyle": "none"}
        axes.plot(pairs, length * turns, label=f"{length} positions, {label}", **look)
    axes.axhline(1, color=GREY, linestyle="--", linewidth=1.5, label="one whole turn")
    axes.set_yscale("log")
    axes.set(xlabel="pair", ylabel="turns")
    axes.grid(True, axis="y")
    axes.legend(ncols=3, loc="lower left")
    new = int((trained * turns < 1).sum())
    text = (
        f"Turns of the {len(pairs)} pairs of width {width} in {trained} and {tested} positions. "
        f"{new} pairs do not complete a turn in {trained} positions; past them they point where no "
        "training row had them."
    )
    return Picture(figure, text)


def penalties(heads: int = 8, length: int = 24) -> Picture:
    """What each head of ALiBi takes from a score, by distance."""
    figure = new_figure(9, 3.4)
    left, right = figure.subplots(1, 2)
    rows = alibi_bias(heads, length)[:, -1, ::-1]
    for head in range(0, heads, 2):
        left.plot(
            rows[head],
            label=f"head {head}, slope 1/{round(1 / alibi_slopes(heads)[head])}",
            markevery=4,
            **series(head // 2),
        )
        right.plot(np.exp(rows[head]) / np.exp(rows[head]).sum(), markevery=4, **series(head // 2))
    left.set(xlabel="distance", ylabel="added to the score")
    left.legend(loc="lower left")
    right.set(xlabel="distance", ylabel="weight, if scores are equal")
    for axes in (left, right):
        axes.grid(True, axis="y")
    text = (
        f"ALiBi with {heads} heads, every second one drawn. Left, the penalty grows with the "
        "distance, steeply in the first head and hardly in the late ones. Right, the attention "
        "weights that equal scores get from it."
    )
    return Picture(figure, text)


def curves(experiment: Experiment, task: str) -> Picture:
    """Accuracy by position of every scheme on one task, with chance and the trained length."""
    settings = experiment.settings
    figure = new_figure(9, 4.6)
    axes = figure.subplots()
    for index, scheme in enumerate(experiment.schemes):
        centres, means = _binned(experiment.accuracy[task, scheme])
        look = series(index)
        axes.plot(centres, means.mean(axis=0), label=scheme, markevery=3, **look)
        axes.fill_between(
            centres,
            means.min(axis=0),
            means.max(axis=0),
            color=look["color"],
            alpha=0.15,
            linewidth=0,
        )
    axes.axhline(
        chance(task, settings), color="black", linewidth=1.2, linestyle=(0, (1, 2)), label="chance"
    )
    if task == "latest_mark":
        centres, reader = _binned(latest_mark_inside(settings)[None])
        beyond = centres >= settings.trained_length
        axes.plot(
            centres[beyond],
            reader[0][beyond],
            color=GREY,
            linewidth=1.2,
            label="reads the trained length only",
        )
    axes.axvline(settings.trained_length, color=GREY, linestyle="--", linewidth=1.5)
    axes.text(settings.trained_length + 1, 1.04, "trained length ends", color=GREY, fontsize=11)
    axes.set_title(f"{TASKS[task].asks[0].upper()}{TASKS[task].asks[1:]}")
    axes.set(
        xlabel="position",
        ylabel="accuracy",
        ylim=(-0.02, 1.12),
        xlim=(0, settings.tested_length),
        xticks=range(0, settings.tested_length + 1, settings.trained_length),
    )
    axes.grid(True, axis="y")
    figure.legend(loc="outside lower center", ncols=4)
    last = experiment.ranges()[-1]
    told = "; ".join(
        f"{scheme} {band(experiment.in_ranges(task, scheme)[last])}"
        for scheme in experiment.schemes
    )
    text = (
        f"Task: {TASKS[task].asks}. Accuracy by position, mean of {len(experiment.seeds)} seeds; "
        f"each band reaches from the lowest to the highest seed. At {last} times the trained "
        f"length of {settings.trained_length}: {told}."
    )
    return Picture(figure, text)


def strays(layers: Sequence[Trained], first: int = 200, pairs: int = 4) -> Picture:
    """Where late queries look, by distance, and how much the fast pairs take it for LOOKBACK."""
    distances = np.arange(first + 1)
    weights = np.array([weights_by_distance(layer, first) for layer in layers])
    fast = sinusoidal_at(distances, layers[0].settings.width)[:, : 2 * pairs]
    apart = np.linalg.norm(fast - fast[LOOKBACK], axis=1)
    figure = new_figure(9, 4.4)
    above, below = figure.subplots(2, 1, sharex=True)
    for index, row in enumerate(weights):
        look = series(index) | {"linestyle": "none"}
        shown = row > 0.01
        above.plot(distances[shown], row[shown], label=f"seed {layers[index].seed}", **look)
    above.set(ylabel="attention weight", ylim=(0, 0.7))
    above.legend(ncols=3, loc="upper center")
    below.plot(distances, apart, color=GREY, linewidth=1.2)
    alike = [int(d) for d in np.argsort(apart) if d > 10][:4]
    below.plot(alike, apart[alike], "s", color=VERMILLION, markersize=8, linestyle="none")
    for distance in (min(alike), max(alike)):
        below.annotate(
            str(distance),
            (distance, apart[distance]),
            (0, -15),
            textcoords="offset points",
            ha="center",
            fontsize=11,
        )
    below.set(xlabel="distance from the query back to the key", ylim=(-0.9, 4.2))
    below.set_ylabel(f"from distance {LOOKBACK}")
    for axes in (above, below):
        axes.grid(True, axis="x")
    text = (
        f"Above, the mean attention weight of queries from position {first} on, by distance, where "
        f"it is more than 0.01. Below, how far the {pairs} fastest pairs at each distance are from "
        f"where they are at {LOOKBACK}; marked are the nearest beyond 10: "
        f"{', '.join(map(str, sorted(alike)))}."
    )
    return Picture(figure, text)


def _binned(accuracy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle of each BIN positions, and the mean of each row over them; NaN is left out."""
    rows, length = accuracy.shape
    grouped = accuracy.reshape(rows, length // BIN, BIN)
    asked = ~np.isnan(grouped)
    means = np.where(asked, grouped, 0).sum(axis=-1) / np.maximum(asked.sum(axis=-1), 1)
    return np.arange(length // BIN) * BIN + (BIN - 1) / 2, means


# The playground: one query and one key, moved along together.

REACH, PLACE, TURNED = (
    40,
    48,
    16,
)  # distances shown, the query's position before the shift, features


def _pair() -> np.ndarray:
    return np.random.default_rng(3).uniform(-1, 1, (2, TURNED))


def _added(query: int, keys: np.ndarray) -> np.ndarray:
    content = _pair()
    return (content[1] + sinusoidal_at(keys, TURNED)) @ (content[0] + sinusoidal_at(query, TURNED))


def _rotary(pairing: str) -> Callable[[int, np.ndarray], np.ndarray]:
    def scores(query: int, keys: np.ndarray) -> np.ndarray:
        content = _pair()
        rows = np.repeat(content[1][None], len(keys), axis=0)
        return (
            rotate(rows, keys, pairing=pairing) @ rotate(content[:1], [query], pairing=pairing)[0]
        )

    return scores


def _mixed(query: int, keys: np.ndarray) -> np.ndarray:
    """Halves are turned by angles that are laid out for neighbours."""

    def turned(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        angles = np.repeat(np.asarray(positions)[:, None] * frequencies(TURNED), 2, axis=1)
        partner = np.concatenate([-x[:, TURNED // 2 :], x[:, : TURNED // 2]], axis=1)
        return x * np.cos(angles) + partner * np.sin(angles)

    content = _pair()
    rows = np.repeat(content[1][None], len(keys), axis=0)
    return turned(rows, keys) @ turned(content[:1], np.array([query]))[0]


def _alibi(query: int, keys: np.ndarray) -> np.ndarray:
    content = _pair()
    return content[0] @ content[1] - alibi_slopes(8)[2] * (query - keys)


WAYS = {
    "sinusoids added to the input": _added,
    "rotary, neighbours": _rotary("neighbours"),
    "rotary, halves": _rotary("halves"),
    "halves with the angles of neighbours": _mixed,
    "ALiBi": _alibi,
}


class _Doors:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        self.axes = figure.subplots()
        (self.before,) = self.axes.plot(
            [], [], color=ORANGE, linewidth=7, alpha=0.6, label="no shift"
        )
        (self.now,) = self.axes.plot(
            [], [], color=BLUE, marker="o", markersize=4, linewidth=1.5, label="shifted"
        )
        (self.worst,) = self.axes.plot(
            [],
            [],
            "s",
            color=VERMILLION,
            markerfacecolor="none",
            markersize=12,
            linestyle="none",
            label="largest change",
        )
        self.axes.set(
            xlabel="distance from the query back to the key", ylabel="score", xlim=(-1, REACH + 1)
        )
        self.axes.grid(True, axis="y")
        self.axes.legend(loc="upper right", ncols=3)

    def update(self, way: str, shift: int) -> str:
        """Move query and key by shift, and tell what became of the scores."""
        distances = np.arange(REACH + 1)
        before = WAYS[way](PLACE, PLACE - distances)
        now = WAYS[way](PLACE + shift, PLACE + shift - distances)
        self.before.set_data(distances, before)
        self.now.set_data(distances, now)
        change = np.abs(now - before)
        worst = int(change.argmax())
        moved = change[worst] > 1e-9
        self.worst.set_data(distances[[worst]][: int(moved)], now[[worst]][: int(moved)])
        low, high = min(before.min(), now.min()), max(before.max(), now.max())
        self.axes.set_ylim(low - 0.08 * (high - low), high + 0.25 * (high - low))
        if shift == 0:
            return (
                f"{way[0].upper()}{way[1:]}: query and key are where they were. Move them to see "
                "which scores change."
            )
        if moved:
            return (
                f"{way[0].upper()}{way[1:]}, moved by {shift}: scores change, most at distance "
                f"{worst}, by {plain(change[worst])}. The score depends on the two positions and "
                "not on their distance alone."
            )
        return (
            f"{way[0].upper()}{way[1:]}, moved by {shift}: no score changes. The score of these "
            "two depends on their distance alone."
        )


def _build(figure: Figure) -> Update:
    return _Doors(figure).update


doors = Playground(
    title="Move query and key together",
    controls=(
        Choice("way", tuple(WAYS), "sinusoids added to the input", label="scheme"),
        Slider("shift", 0, 400, 1, 5, label="moved by"),
    ),
    build=_build,
    size=(9.0, 3.8),
)
