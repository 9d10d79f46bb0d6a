"""What lesson 12 asks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import encodings
from posenc.attention import softmax
from posenc.lessons.lesson_12.common import (
    layout_turn,
    neighbours_apart,
    unclosed,
)
from posenc.lessons.model import Option, Question

Array = np.ndarray

Rule = Callable[..., Array]


def _never_round() -> int:
    return [0, 142, 114, 256].index(unclosed())


def _layouts() -> int:
    """Which pairs of rotation and angle layout keep the score when query and key move together."""

    def moved(rotation: str, layout: str) -> float:
        random = np.random.default_rng(0)
        query, key = random.uniform(-1, 1, (2, 1, 8))
        scores = [
            float(
                (
                    layout_turn(query, [p + 3], rotation, layout)
                    @ layout_turn(key, [p], rotation, layout).T
                )[0, 0]
            )
            for p in (4, 14)
        ]
        return abs(scores[0] - scores[1])

    fits = {(r, a): moved(r, a) < 1e-9 for r in encodings.PAIRINGS for a in encodings.PAIRINGS}
    return 2 if all(ok == (r == a) for (r, a), ok in fits.items()) else 0


def _positive_bias() -> int:
    """Whether slope·key gives the shares of −slope·distance, with a causal mask and without."""
    scores, places = np.random.default_rng(0).uniform(-1, 1, (4, 4)), np.arange(4)
    paper, row = -np.abs(places[:, None] - places) * 0.5, np.broadcast_to(0.5 * places, (4, 4))
    hidden = np.where(places > places[:, None], -1e9, 0.0)
    causal = np.allclose(softmax(scores + paper + hidden), softmax(scores + row + hidden))
    encoder = np.allclose(softmax(scores + paper), softmax(scores + row))
    return 1 if causal and not encoder else 0


def _squeezed_angle() -> int:
    angle = neighbours_apart() * encodings.frequencies(64)[0]
    return int(np.argmin(np.abs(np.array([0.5, 1.0, 2.0, 0.0]) - angle)))


QUESTIONS = (
    Question(
        "12.q1",
        "A model of width 512 is trained on 1,024 positions. How many of its 256 pairs does "
        "it never see go all the way round?",
        (
            Option(
                "None: sine and cosine are defined everywhere.",
                False,
                "They are, and the model was fitted to the values that came up. "
                "A slow hand's later angles did not.",
            ),
            Option(
                "142.",
                False,
                "That many do come round, the fast ones. The question is about the rest.",
            ),
            Option(
                "114.",
                True,
                "Those with a wavelength above 1,024. Later positions turn them to angles "
                "that no training row had.",
            ),
            Option(
                "All of them: each position is seen once.",
                False,
                "The fast pairs come round many times within 1,024 positions.",
            ),
        ),
        "defined",
        _never_round,
        seen=("PE138",),
    ),
    Question(
        "12.q2",
        "For four features one program lays its cosines out as [c1, c1, c2, c2], another as "
        "[c1, c2, c1, c2]. Which one is wrong?",
        (
            Option(
                "The second: the formula in the paper has neighbours.",
                False,
                "Its features 0 and 2 form a pair, and 1 and 3. With that pairing each pair "
                "has one angle, as it must.",
            ),
            Option(
                "The first: most current models use halves.",
                False,
                "Many do. Neighbours with the first layout turn rightly as well.",
            ),
            Option(
                "Neither, as long as each goes with its own pairing of the features.",
                True,
                "Neighbours need [c1, c1, c2, c2], halves [c1, c2, c1, c2]. The "
                "fault is to mix the two.",
            ),
            Option(
                "Neither, and weights trained with one can be used with the other.",
                False,
                "The trained query and key rows belong to one order. A "
                "converter has to reorder them.",
            ),
        ),
        "pairings",
        _layouts,
        seen=("PE096", "PE098", "PE099", "PE106"),
    ),
    Question(
        "12.q3",
        "A causal model adds 0, 0.5, 1, 1.5 to the scores of keys 0 to 3, the same for each "
        "query. ALiBi is a penalty; are positive numbers wrong?",
        (
            Option(
                "Yes: the numbers must be negative.",
                False,
                "Subtract 0.5 times the query's own position from its row: the numbers become "
                "0 and below, and softmax does not notice.",
            ),
            Option(
                "No: under the causal mask, the shares are those of the penalty.",
                True,
                "Each row differs from −0.5 · distance by a constant, which softmax ignores. "
                "Without a mask, later keys would be rewarded.",
            ),
            Option(
                "No, and it may be used in an encoder too.",
                False,
                "There each query also reads later keys, and this bias rewards the latest of "
                "them. An encoder needs −slope · |i − j|.",
            ),
        ),
        "alibi",
        _positive_bias,
        seen=("PE117", "PE120"),
    ),
    Question(
        "12.q4",
        "What does the experiment of this lesson show?",
        (
            Option(
                "That rotary is the best scheme.",
                False,
                "On the second task ALiBi is ahead, and both tasks are tiny. A ranking needs "
                "many tasks and real models.",
            ),
            Option(
                "That sinusoids cannot work past the trained length.",
                False,
                "These did not, with this optimiser. How far they reach changes "
                "with the learning rate.",
            ),
            Option(
                "That ALiBi learns nothing.",
                False,
                "It cannot pick an exact distance. Where the recent counts more, it is at home.",
            ),
            Option(
                "That a scheme can be defined at every position and still fail "
                "where it was not trained.",
                True,
                "One example is enough to show that defined is not useful. It "
                "is not enough to rank schemes.",
            ),
        ),
        "what-it-shows",
    ),
    Question(
        "12.q5",
        "4,096 positions are squeezed into the trained 2,048. By which angle does the fastest "
        "rotary pair now turn from one token to the next?",
        (
            Option(
                "By 0.5 radians.",
                True,
                "Each step is half a position, and the first pair has frequency 1. The model "
                "has never met that step; training a little more teaches it.",
            ),
            Option(
                "By 1 radian, as before: only the range was changed.",
                False,
                "The range was changed by making each step smaller.",
            ),
            Option(
                "By 2 radians: twice as many positions.",
                False,
                "Twice as many positions in the same range means smaller steps, not larger ones.",
            ),
            Option(
                "By none: neighbours fall onto one position.",
                False,
                "Positions need not be whole numbers. 0 and 0.5 are different angles.",
            ),
        ),
        "repairs",
        _squeezed_angle,
        seen=("PE112",),
    ),
)
