"""What lesson 12 asks."""

from __future__ import annotations

import numpy as np

from posenc import encodings, training
from posenc.attention import softmax
from posenc.lessons.lesson_12.common import layout_turn, unclosed
from posenc.lessons.model import Option, Question


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
    return 1 if all(ok == (r == a) for (r, a), ok in fits.items()) else 0


def _positive_bias() -> int:
    """Whether slope·key gives the weights of −slope·distance, with a causal mask and without."""
    scores, places = np.random.default_rng(0).uniform(-1, 1, (4, 4)), np.arange(4)
    paper, row = -np.abs(places[:, None] - places) * 0.5, np.broadcast_to(0.5 * places, (4, 4))
    hidden = np.where(places > places[:, None], -1e9, 0.0)
    causal = np.allclose(softmax(scores + paper + hidden), softmax(scores + row + hidden))
    encoder = np.allclose(softmax(scores + paper), softmax(scores + row))
    return 3 if causal and not encoder else 0


def _what_was_shown() -> int:
    """Whether an encoding that is right inside is wrong beyond, although it is defined there."""
    settings = training.Settings(tested_length=64)
    accuracy = training.accuracy_by_position(
        training.train("sinusoidal", "three_back", 0, settings)
    )
    inside, beyond = (float(np.nanmean(part)) for part in np.split(accuracy, 2))
    defined = np.isfinite(encodings.sinusoidal(64, settings.width)).all()
    return 3 if defined and inside > 0.98 and beyond < 0.9 else 0


def _four_looks_like_one() -> int:
    """Under the setting "linear" with factor 4, the angles of distance 4 are those of 1 before."""
    squeezed = encodings.scaled_frequencies(64, "linear", 4096, 1024)
    return 0 if np.allclose(4 * squeezed, encodings.frequencies(64)) else 1


QUESTIONS = (
    Question(
        "12.q1",
        "A model of width 512 is trained on 1,024 positions. How many of its 256 pairs does "
        "it never see complete a turn?",
        (
            Option(
                "None: sine and cosine are defined everywhere.",
                False,
                "They are, and the model was fitted to the values that occurred. The later "
                "angles of a slow pair did not occur.",
            ),
            Option(
                "142.",
                False,
                "That many do complete a turn, the fast ones. The question is about the rest.",
            ),
            Option(
                "114.",
                True,
                "Those with a wavelength above 1,024. Positions from 1,024 on turn them to "
                "angles that no training row had, until each has completed its turn.",
            ),
            Option(
                "All of them: each position is seen once.",
                False,
                "The fast pairs complete many turns within 1,024 positions.",
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
                "Its features 0 and 2 form a pair, and 1 and 3. With that pairing each pair has "
                "one angle, as it must.",
            ),
            Option(
                "Neither, if each goes with its own pairing.",
                True,
                "Neighbours need [c1, c1, c2, c2], halves [c1, c2, c1, c2]. The fault is to mix "
                "the two.",
            ),
            Option(
                "Neither, and weights trained with one can be used with the other.",
                False,
                "The trained query and key rows belong to one order. A converter has to reorder "
                "them.",
            ),
            Option(
                "The first: most current models use halves.",
                False,
                "Many do. Neighbours with the first layout are turned correctly as well.",
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
                "Yes: the numbers must be negative, or far keys gain.",
                False,
                "Subtract 0.5 times the query's own position from its row: the numbers become 0 "
                "and below, and softmax gives the same weights.",
            ),
            Option(
                "Yes: each query needs numbers of its own.",
                False,
                "Rows that differ from these by a constant give the same weights, and ALiBi's "
                "rows do.",
            ),
            Option(
                "No, and the same numbers can be used in an encoder.",
                False,
                "There each query also reads later keys, and this bias rewards the latest of "
                "them. An encoder needs −slope · |i − j|.",
            ),
            Option(
                "No: under the mask the weights are those of the penalty.",
                True,
                "Each row differs from −0.5 · distance by a constant, which softmax ignores. "
                "Without a mask, later keys would be rewarded.",
            ),
        ),
        "alibi",
        _positive_bias,
        seen=("PE117", "PE120"),
    ),
    Question(
        "12.q4",
        'A configuration gets the lines `"rope_type": "linear"` and `"factor": 4`, and the model '
        "is not trained again. What does a text of 20 tokens notice?",
        (
            Option(
                "Distance 4 looks as distance 1 did in training.",
                True,
                "Every frequency is divided by 4, for short texts too. Whatever the model learned "
                "about exact distances no longer fits.",
            ),
            Option(
                "Nothing: 20 tokens are well within the trained length.",
                False,
                "This setting divides every frequency at every length. Only the dynamic setting "
                "waits until the trained length is exceeded.",
            ),
            Option(
                "Its slow pairs turn a quarter as fast, its fast pairs as before.",
                False,
                "That is what YaRN does. Here all pairs turn a quarter as fast.",
            ),
            Option(
                "Its scores are divided by 4.",
                False,
                "The factor divides angles. A turned vector keeps its length.",
            ),
        ),
        "repairs",
        _four_looks_like_one,
        seen=("PE112",),
    ),
    Question(
        "12.q5",
        "What does the experiment of this lesson show?",
        (
            Option(
                "That rotary is the best encoding.",
                False,
                "On the second task ALiBi is ahead, and both tasks are tiny. A ranking needs "
                "many tasks and real models.",
            ),
            Option(
                "That sinusoids cannot be right past the trained length.",
                False,
                "These were not, with this optimiser. How far they reach changes with the "
                "learning rate.",
            ),
            Option(
                "That ALiBi learns nothing.",
                False,
                "It cannot pick an exact distance. Where the recent counts more, it is right at "
                "every tested length.",
            ),
            Option(
                "That a defined encoding can fail where it was not trained.",
                True,
                "One example is enough to show that. It is not enough to rank encodings.",
            ),
        ),
        "what-it-shows",
        _what_was_shown,
    ),
)
