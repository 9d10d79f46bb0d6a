"""Challenge 5.3, From one point to the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from posenc import geometry
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault

Array = np.ndarray
FULL = 2 * np.pi


def positions_between(first: Array, second: Array, frequency: float) -> Array:
    """How many positions after `first` the pair is at `second`: (n,), from 0 to below one turn.

    first and second: rows (sine, cosine) of any length above 0, (n, 2). frequency: radians per
    position.
    """
    return (geometry.phase(second) - geometry.phase(first)) % FULL / frequency


def _off(call: Call, want: Array, got: Array, period: float = 0.0) -> Array:
    """By how many positions answers differ, whatever whole periods, or turns, they hold."""
    turn = period or FULL / call.args[2]
    return np.abs((got.astype(float) - want + turn / 2) % turn - turn / 2)


def _tolerated(call: Call) -> float:
    return 2e-5 + 1e-5 * FULL / call.args[2]


def _on_the_circle(call: Call, want: Array, got: Array) -> Fault | None:
    """Numbers of positions are right where they lead to the second point, after any turns."""
    wrong = _off(call, want, got) > _tolerated(call)
    if not wrong.any():
        return None
    row = int(np.flatnonzero(wrong)[0])
    (one, other), frequency = (each[row] for each in call.args[:2]), call.args[2]
    return Fault(
        "value",
        f"{int(wrong.sum())} of {wrong.size} do not lead to the second point; the first is row "
        f"{row}, from ({one[0]:g}, {one[1]:g}) to ({other[0]:g}, {other[1]:g}) at frequency "
        f"{frequency:g}, for which yours is {float(got[row]):.6g}.",
    )


def _alike(does: Callable[..., Array], call: Call, value: Any) -> bool:
    """Whether a value is that of the wrong function, whole turns aside, in whatever unit."""
    try:
        got = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    known = does(*call.args)
    if got.shape != known.shape or not np.isfinite(got).all():
        return False
    frequency = call.args[2]
    turns = (FULL / frequency, FULL, FULL * frequency, 360 / frequency, 1 / frequency)
    return any((_off(call, known, got, turn) <= _tolerated(call)).all() for turn in turns)


def _points(rng: np.random.Generator, n: int) -> Array:
    angles = rng.uniform(-np.pi, np.pi, n)
    lengths = rng.uniform(0.3, 3.0, n)
    return (lengths[:, None] * np.stack([np.sin(angles), np.cos(angles)], axis=1)).round(3)


def _at(positions: list[float], frequency: float) -> Array:
    angles = np.array(positions) * frequency
    return np.stack([np.sin(angles), np.cos(angles)], axis=1).round(4)


POSITIONS_BETWEEN = Challenge(
    id="5.3",
    name="positions_between",
    title="From one point to the other",
    section="both-hands",
    points=3,
    minutes=10,
    difficulty=2,
    asked="a one-dimensional array with one number of positions a row",
    reference=positions_between,
    cases=(
        Case((_at([0, 1, 2], 1.0), _at([3, 3, 6], 1.0), 1.0), about="positions of the fast pair"),
        Case((_at([0, 100], 0.01), _at([250, 40], 0.01), 0.01), about="positions of a slow pair"),
        Case(
            (
                np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]),
                np.array([[1.0, 0.0], [0.0, -1.0], [-1.0, 0.0], [0.0, 1.0]]),
                0.5,
            ),
            about="a quarter of a turn each",
        ),
        Case(
            (np.array([[3.0, 4.0], [-0.3, -0.4]]), np.array([[-1.0, 2.0], [0.02, -0.01]]), 2.0),
            about="points that are not on the circle",
        ),
    ),
    draw=lambda rng: [
        Case((_points(rng, n), _points(rng, n), round(float(rng.uniform(0.05, 2.5)), 3)))
        for n in (3, 5, 8, 20, 210)
    ],
    hints=(
        "Turn each point into its angle first. Which function looks at the signs of both "
        "coordinates?",
        "On the way from the first point to the second the angle grows by the difference of the "
        "two. Whole turns do not matter.",
        "A frequency says how many radians one position is. How many positions are a given number "
        "of radians?",
    ),
    compare=_on_the_circle,
    alike=_alike,
)


@POSITIONS_BETWEEN.choices
def between(
    first,
    second,
    frequency,
    *,
    angle=geometry.phase,
    difference=lambda a, b: b - a,
    unit=lambda radians, frequency: radians / frequency,
):
    """From two angles to a difference, and from that to a number of positions."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return unit(difference(angle(first), angle(second)), frequency)


between.mistake(
    "backwards",
    "the way is taken from the second point to the first, or the sine is taken for the cosine",
    "From position 0 to 1 the fast pair goes from (0, 1) to (0.84, 0.54). How many positions does "
    "yours say?",
    difference=lambda a, b: a - b,
)
between.mistake(
    "in-radians",
    "this is the angle between the points, not a number of positions",
    "At frequency 0.01 one radian takes a hundred positions. Where is the frequency used?",
    section="smooth",
    unit=lambda radians, frequency: radians,
)
between.mistake(
    "times-frequency",
    "the angle is multiplied by the frequency",
    "The angle is the frequency times the number of positions. How do you go back?",
    section="smooth",
    unit=lambda radians, frequency: radians * frequency,
)
between.mistake(
    "in-degrees",
    "the angles are in degrees",
    "A frequency of 1 is one radian a position. In which unit is your angle?",
    section="smooth",
    unit=lambda radians, frequency: np.degrees(radians) / frequency,
)
between.mistake(
    "in-turns",
    "the angle is counted in turns before the frequency divides it",
    "A frequency is in radians per position. In which unit is your angle?",
    section="smooth",
    unit=lambda radians, frequency: radians / FULL / frequency,
)
between.mistake(
    "first-not-used",
    "the positions are counted from the top of the circle, not from the first point",
    "If both points are the same, the number is 0. What does yours say?",
    difference=lambda a, b: b,
)
between.mistake(
    "arcsine-alone",
    "each sine alone is turned back into an angle",
    "Two angles share each sine. Which coordinate tells them apart?",
    section="one-sine",
    angle=lambda points: np.arcsin(points[:, 0] / np.linalg.norm(points, axis=1)),
)
between.mistake(
    "arccosine-alone",
    "each cosine alone is turned back into an angle",
    "A point on the left and one on the right share a cosine. Which coordinate tells them apart?",
    section="one-sine",
    angle=lambda points: np.arccos(points[:, 1] / np.linalg.norm(points, axis=1)),
)
between.mistake(
    "ratio-alone",
    "only the ratio of sine and cosine is used, which is the same for opposite points",
    "(1, 1) and (−1, −1) have the same ratio. How can the signs be kept?",
    section="one-sine",
    angle=lambda points: np.arctan(points[:, 0] / points[:, 1]),
)


def _on_circle(points: Array) -> Array:
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@POSITIONS_BETWEEN.mistake(
    "the shorter way is taken, whichever side it goes round",
    "From position 3 to 1 the pair has to go forwards, almost a whole turn. What keeps the "
    "direction in your angle?",
)
def shorter_way(first, second, frequency):
    cosine = (_on_circle(first) * _on_circle(second)).sum(axis=1)
    return np.arccos(np.clip(cosine, -1, 1)) / frequency


@POSITIONS_BETWEEN.mistake(
    "the chord is taken for the arc",
    "The pair moves along the circle, not straight across it. How long is its way for one radian?",
)
def chord_for_arc(first, second, frequency):
    return np.linalg.norm(_on_circle(second) - _on_circle(first), axis=1) / frequency


@POSITIONS_BETWEEN.has
def leads_to_the_second_point(found, first, second, frequency):
    one, other = np.arctan2(first[:, 0], first[:, 1]), np.arctan2(second[:, 0], second[:, 1])
    missed = np.abs(np.angle(np.exp(1j * (one + found * frequency - other))))
    row = int(missed.argmax())
    if missed[row] < 1e-3 * (1 + frequency):
        return ""
    return (
        f"after your number of positions the point of row {row} is {missed[row]:.4g} radians away "
        "from the second point."
    )
