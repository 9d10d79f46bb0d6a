"""Challenge 5.3, From the hand to the angle."""

from __future__ import annotations

import numpy as np

from posenc import geometry
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault

Array = np.ndarray


def _on_the_circle(call: Call, want: Array, got: Array) -> Fault | None:
    """Angles are right where they point the right way, whatever whole turns they hold."""
    apart = np.abs((got.astype(float) - want + np.pi) % (2 * np.pi) - np.pi)
    wrong = apart > 2e-5 + 1e-5 * np.abs(want)
    if not wrong.any():
        return None
    row = int(np.flatnonzero(wrong)[0])
    sine, cosine = (float(part) for part in call.args[0][row])
    return Fault(
        "value",
        f"{int(wrong.sum())} of {wrong.size} angles point another way; the "
        "first is that of the hand "
        f"({sine:g}, {cosine:g}) in row {row}, for which yours is {float(got[row]):.6g}.",
    )


def _hands(rng: np.random.Generator, n: int) -> Array:
    angles = rng.uniform(-np.pi, np.pi, n)
    lengths = rng.uniform(0.3, 3.0, n)
    return (lengths[:, None] * np.stack([np.sin(angles), np.cos(angles)], axis=1)).round(3)


PHASE = Challenge(
    id="5.3",
    name="phase",
    title="From the hand to the angle",
    section="both-hands",
    points=3,
    minutes=8,
    difficulty=2,
    asked="a one-dimensional array with one angle a row, in radians,",
    reference=geometry.phase,
    cases=(
        Case(
            (np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]),),
            about="the four quarters",
        ),
        Case(
            (np.array([[0.8415, 0.5403], [0.9093, -0.4161], [-0.2794, 0.9602]]),),
            about="positions 1, 2 and 6",
        ),
        Case(
            (np.array([[3.0, 4.0], [-0.3, -0.4], [0.02, -0.01]]),), about="hands of other lengths"
        ),
        Case((np.array([[2.0, 0.0], [-5.0, 0.0]]),), about="cosine 0"),
    ),
    draw=lambda rng: [Case((_hands(rng, int(n)),)) for n in (3, 5, 8, 20, 64)],
    hints=(
        "An arcsine knows the height of the hand and not its side; an arccosine "
        "the other way about.",
        "NumPy has a function of two arguments that looks at both signs: `np.arctan2`.",
        "`np.arctan2(y, x)` takes first what plays the sine's part, then the cosine's. The "
        "length of the hand does not matter to it.",
    ),
    compare=_on_the_circle,
)


@PHASE.mistake(
    "the angles are in degrees",
    "A frequency of 1 is one radian a position; the angle should be in the same unit.",
)
def degrees(hands):
    return np.degrees(geometry.phase(hands))


@PHASE.mistake(
    "the first number of each row is taken for the cosine",
    "The rows are (sine, cosine). Which angle has the hand (0, 1)?",
)
def cosine_first(hands):
    return np.arctan2(hands[:, 1], hands[:, 0])


@PHASE.mistake(
    "the sine alone is turned back into an angle",
    "Two angles share each sine. Which coordinate tells them apart?",
)
def arcsine_alone(hands):
    return np.arcsin(hands[:, 0] / np.linalg.norm(hands, axis=1))


@PHASE.mistake(
    "the cosine alone is turned back into an angle",
    "A hand on the left and one on the right share a cosine. Which coordinate tells them apart?",
)
def arccosine_alone(hands):
    return np.arccos(hands[:, 1] / np.linalg.norm(hands, axis=1))


@PHASE.mistake(
    "only the ratio of sine and cosine is used, which is the same for opposite hands",
    "(1, 1) and (−1, −1) have the same ratio. How can the signs be kept?",
)
def ratio_alone(hands):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.arctan(hands[:, 0] / hands[:, 1])


@PHASE.mistake(
    "the hand is taken to have length 1",
    "(3, 4) and (0.6, 0.8) point the same way. What has to be divided out, or "
    "need not be looked at?",
)
def length_not_removed(hands):
    return np.where(
        hands[:, 1] >= 0,
        np.arcsin(np.clip(hands[:, 0], -1, 1)),
        np.pi - np.arcsin(np.clip(hands[:, 0], -1, 1)),
    )


@PHASE.mistake(
    "the angle is counted the other way round",
    "From position 0 to 1 the sine grows. Should the angle grow or fall?",
)
def other_sense(hands):
    return -geometry.phase(hands)
