"""Figures of lesson 11: what a table learned, how it is stretched, what a wrong number costs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from posenc.attention import attention_weights, causal_mask
from posenc.encodings import interpolated_positions
from posenc.figures.style import (
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
    series,
)
from posenc.training import (
    DEFAULT,
    KEEPS_ALL,
    LOOKBACK,
    NOT_SCORED,
    TASKS,
    Cost,
    Numbering,
    Parameters,
    Trained,
    predict,
    train,
)


def structure(trained: Trained) -> Picture:
    """Where each place looks by its number alone, before training and after it."""
    rows = trained.settings.trained_length
    figure = new_figure(9, 3.9)
    told = []
    for axes, weights, when in zip(
        figure.subplots(1, 2),
        (trained.before, trained.parameters),
        ("before training", "after training"),
    ):
        attention = _weights_of_rows(weights, rows)
        image = axes.imshow(attention, cmap=SEQUENTIAL, vmin=0, vmax=1)
        axes.set(xlabel="position of the key", ylabel="position of the query", title=when)
        hits = sum(int(attention[i].argmax() == i - LOOKBACK) for i in range(LOOKBACK, rows))
        told.append(
            f"{when} the largest weight is {LOOKBACK} back in {hits} of {rows - LOOKBACK} rows"
        )
    figure.colorbar(image, ax=figure.axes, label="attention weight")
    return Picture(
        figure, f"Attention weights from the table alone, without tokens: {'; '.join(told)}."
    )


def _weights_of_rows(weights: Parameters, rows: int) -> np.ndarray:
    """Attention weights (rows, rows) of the table's rows, as if the embeddings were zero."""
    table = weights["table"][:rows].astype(float)
    return attention_weights(table @ weights["query"], table @ weights["key"], causal_mask(rows))


def places(known: int = 4, rows: int = 8) -> Picture:
    """Where in a table of `known` rows each row of a longer one is read, in three ways."""
    ways = {
        "ends on ends": np.linspace(0, known - 1, rows),
        "every step the same fraction": interpolated_positions(rows, known),
        "middles on middles": (np.arange(rows) + 0.5) * known / rows - 0.5,
    }
    figure = new_figure(9, 3.2)
    axes = figure.subplots()
    for index, (name, where) in enumerate(ways.items()):
        axes.plot(
            where, np.full(rows, -index), label=name, **(series(index) | {"linestyle": "none"})
        )
    for row in range(known):
        axes.axvline(row, color=GREY, linewidth=1)
    axes.set(
        xlabel="row of the old table",
        yticks=[-i for i in range(3)],
        ylim=(-2.6, 0.6),
        xticks=range(known),
    )
    axes.set_yticklabels(ways)
    text = (
        f"{rows} new rows read out of {known} old ones, which are the grey lines. Ends on ends "
        f"reaches from row 0 to row {known - 1}; the equal steps stop at "
        f"{ways['every step the same fraction'][-1]:g}; the middles begin at "
        f"{ways['middles on middles'][0]:g}, before the first row."
    )
    return Picture(figure, text)


SITUATIONS = (
    ("two pads on the left", 2, (5,), (0, 1, 2, 3, 4, 5, 6)),
    ("two documents packed", 0, (3, 4), (0, 1, 2, 3, 4, 5, 6)),
    ("three tokens decoded", 0, (7,), (0, 1, 2, 3, 0, 0, 0)),
)


def numbers() -> Picture:
    """Three ways to number a row wrongly, with the right numbers beneath."""
    figure = new_figure(9, 3.8)
    axes = figure.subplots()
    labels, told = [], []
    for block, (name, pads, documents, given) in enumerate(SITUATIONS):
        numbering = Numbering(name, documents, given, pads)
        real = numbering.document_ids() >= 0
        wrong = real & (numbering.right() != np.array(given))
        told.append(f"{name}, {int(wrong.sum())} of {int(real.sum())} tokens numbered wrongly")
        for line, values in enumerate((np.array(given), numbering.right())):
            height = -2.6 * block - line
            labels.append((height, f"{name}: given" if line == 0 else "right"))
            _cells(axes, height, values, real, wrong if line == 0 else np.zeros_like(wrong))
    axes.set(xlim=(-0.1, 7.1), ylim=(-7, 1.1), xticks=[])
    axes.set_yticks([height + 0.45 for height, _ in labels], [words for _, words in labels])
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    return Picture(figure, f"Boxes are places of a row, hatched ones are pads: {'; '.join(told)}.")


def _cells(axes, height: float, values: np.ndarray, real: np.ndarray, wrong: np.ndarray) -> None:
    for place, value in enumerate(values):
        colour = VERMILLION if wrong[place] else "#444444"
        axes.add_patch(
            Rectangle(
                (place, height),
                0.94,
                0.9,
                facecolor="white",
                edgecolor=colour,
                linewidth=2.2 if wrong[place] else 1,
                hatch="" if real[place] else "///",
            )
        )
        if real[place]:
            words = f"{value} ✗" if wrong[place] else str(value)
            axes.text(place + 0.47, height + 0.43, words, ha="center", va="center", color=colour)


def kept(costs: Sequence[Cost]) -> Picture:
    """What is left of what positions add, for each numbering and task."""
    names = list(dict.fromkeys(cost.numbering.name for cost in costs))
    tasks = list(dict.fromkeys(cost.task for cost in costs))
    figure = new_figure(9, 4.4)
    axes = figure.subplots()
    for index, task in enumerate(tasks):
        left = {cost.numbering.name: cost.kept() for cost in costs if cost.task == task}
        heights = [-row - 0.16 * (2 * index - 1) for row in range(len(names))]
        look = series(index) | {"linestyle": "none"}
        axes.plot([left[name] for name in names], heights, label=TASKS[task].asks, **look)
    axes.axvline(0, color=GREY, linestyle="--", linewidth=1.2)
    axes.axvline(1, color=GREY, linestyle="--", linewidth=1.2)
    axes.set_yticks([-row for row in range(len(names))], names)
    axes.set(
        xlim=(-0.35, 1.15),
        xticks=[0, 0.5, 1],
        xlabel="kept of the gain; below 0: worse than no positions",
    )
    axes.grid(True, axis="y")
    figure.legend(loc="outside upper center", ncols=2)
    free = {
        task: [c.numbering.name for c in costs if c.task == task and c.kept() >= KEEPS_ALL]
        for task in tasks
    }
    worse = [f"{c.numbering.name} ({TASKS[c.task].asks})" for c in costs if c.kept() < 0]
    told = " ".join(
        f"Nothing is lost for “{TASKS[task].asks}” with: {'; '.join(names)}."
        for task, names in free.items()
    )
    text = (
        "What each numbering leaves of the accuracy that positions add, mean of the seeds. "
        f"{told} Worse than no positions: {'; '.join(worse)}."
    )
    return Picture(figure, text)


# The playground: a short document numbered too high.

TOKENS, FURTHEST = (
    16,
    48,
)  # of the document, and its highest first number; training knew rows 0 to 31
SHIFTED = {TASKS[name].asks: name for name in ("three_back", "first_token")}


@cache
def _layers(task: str) -> tuple[Trained, Trained]:
    return train("learned", task, 0), train("none", task, 0)


@cache
def _accuracy(task: str, shift: int) -> np.ndarray:
    """Accuracy at each place: numbered from 0, numbered from shift, without positions."""
    numbering = Numbering("shifted", (TOKENS,), tuple(range(shift, shift + TOKENS)))
    tokens, targets = numbering.draw(task)
    table, none = _layers(task)
    rows = []
    for layer, first in ((table, 0), (table, shift), (none, 0)):
        right = (
            predict(layer, tokens, np.arange(first, first + TOKENS), numbering.mask()) == targets
        )
        rows.append(np.where(targets[0] == NOT_SCORED, np.nan, right.mean(axis=0)))
    return np.array(rows)


class _Shifted:
    """The artists of the playground, kept and moved."""

    def __init__(self, figure: Figure) -> None:
        self.axes = figure.subplots()
        rows = FURTHEST + TOKENS
        self.axes.axvspan(
            DEFAULT.trained_length - 0.5, rows, color="#DDDDDD", zorder=0, label="untrained rows"
        )
        (self.right,) = self.axes.plot(
            [], [], color=ORANGE, linewidth=7, alpha=0.6, label="numbered from 0"
        )
        (self.given,) = self.axes.plot(
            [], [], color=BLUE, marker="o", markersize=5, linewidth=1.5, label="as numbered"
        )
        (self.floor,) = self.axes.plot(
            [],
            [],
            color=GREEN,
            marker="^",
            markersize=5,
            linewidth=1.5,
            linestyle=":",
            label="without positions",
        )
        self.axes.set(
            xlabel="row of the table that a token is given",
            ylabel="accuracy",
            xlim=(-1.5, rows),
            ylim=(-0.05, 1.1),
        )
        self.axes.grid(True, axis="y")
        figure.legend(loc="outside lower center", ncols=4)

    def update(self, task: str, shift: int) -> str:
        """Number a document of TOKENS tokens from shift on, and tell what it costs."""
        name = SHIFTED[task]
        accuracy = _accuracy(name, shift)
        for line, row, first in zip(
            (self.right, self.given, self.floor), accuracy, (0, shift, shift)
        ):
            line.set_data(np.arange(first, first + TOKENS), row)
        known = int(np.clip(DEFAULT.trained_length - shift, 0, TOKENS))
        given, floor = (float(np.nanmean(accuracy[row])) for row in (1, 2))
        told = f"Numbered from {shift}" if shift else "Numbered from 0, as it should be"
        return (
            f"{task[0].upper()}{task[1:]}. {told}: {known} of {TOKENS} tokens have a trained row; "
            f"accuracy {given:.2f}, without positions {floor:.2f}."
        )


def _build(figure: Figure) -> Update:
    return _Shifted(figure).update


shifted = Playground(
    title="Number a document too high",
    controls=(
        Choice("task", tuple(SHIFTED), "copy the token three back", label="task"),
        Slider("shift", 0, FURTHEST, 1, 8, label="numbered from"),
    ),
    build=_build,
    size=(9.0, 3.9),
)
