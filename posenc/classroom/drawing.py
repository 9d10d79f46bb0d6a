"""A learner's own array as a small picture in the verdict: a row of bars, or a field of squares.

It is made of text, in eight steps from zero to the largest size, so that it is the same on every
machine and a notebook that is run again can be compared.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from posenc.figures.style import BLUE, VERMILLION

MOST_ROWS, MOST_COLUMNS = 16, 32
SIDE, HIGH = 12, 48  # pixels: of a square, and of the tallest bar
STEPS = 8


def picture(value: Any, call: str) -> str:
    """The value as an inline drawing with its description; '' for what is not such an array.

    Blue is above zero and red below; what does not fit is left out, and the description says so.
    """
    if not isinstance(value, np.ndarray) or value.ndim not in (1, 2) or value.size < 3:
        return ""
    if value.dtype.kind not in "biuf" or not np.all(np.isfinite(value)) or not np.any(value):
        return ""
    rows = np.atleast_2d(value.astype(float))
    shown = rows[:MOST_ROWS, :MOST_COLUMNS]
    steps = [[_step(each, float(np.abs(rows).max())) for each in row] for row in shown.tolist()]
    drawn = _bars(steps[0]) if value.ndim == 1 else _squares(steps)
    size = " × ".join(map(str, value.shape))
    cut = "" if shown.shape == rows.shape else f", of which {' × '.join(map(str, shown.shape))} fit"
    said = f"<small>What your <code>{call}</code> gave: {size}{cut}.</small>"
    return f"<div>{drawn}<div>{said}</div></div>"


def fits(value: Any) -> bool:
    """Whether it is an array that would be in the picture whole."""
    if not isinstance(value, np.ndarray):
        return False
    rows = np.atleast_2d(value)
    return rows.ndim == 2 and rows.shape[0] <= MOST_ROWS and rows.shape[1] <= MOST_COLUMNS


def _step(each: float, largest: float) -> int:
    # A little more than half: noise of rounding may not decide between two steps.
    size = math.floor(abs(each) / largest * STEPS + 0.500001)
    return -size if each < 0 else size


def _bars(steps: list[int]) -> str:
    half = HIGH / 2
    bars = [
        _rectangle(
            n * SIDE, half - max(step, 0) * half / STEPS, SIDE - 2, abs(step) * half / STEPS, step
        )
        for n, step in enumerate(steps)
    ]
    width = len(steps) * SIDE
    line = f'<path d="M0 {half:g}H{width}" stroke="#808080" fill="none"/>'
    return _drawing(width, HIGH, "".join(bars) + line)


def _squares(steps: list[list[int]]) -> str:
    squares = [
        _rectangle(column * SIDE, row * SIDE, SIDE - 1, SIDE - 1, step, abs(step) / STEPS)
        for row, line in enumerate(steps)
        for column, step in enumerate(line)
    ]
    return _drawing(len(steps[0]) * SIDE, len(steps) * SIDE, "".join(squares))


def _rectangle(
    left: float, top: float, width: float, height: float, step: int, share: float = 1.0
) -> str:
    colour = BLUE if step > 0 else VERMILLION if step < 0 else "#808080"
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" '
        f'fill="{colour}" fill-opacity="{max(share, 0.08):g}"/>'
    )


def _drawing(width: int, height: int, inside: str) -> str:
    return (
        f'<svg role="img" aria-label="your result, drawn" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="max-width: 100%">{inside}</svg>'
    )
