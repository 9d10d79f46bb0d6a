"""What lesson 12 claims."""

from __future__ import annotations

from functools import cache

import numpy as np

from posenc import encodings, training
from posenc.lessons.model import Claim, Setting


def _score_at(shift: int, digits: int) -> float:
    """The rotary score of a query at 7 + shift with a key at 4 + shift, width 8.

    Positions are rounded to this many binary digits first, as a small floating-point type would.
    """
    query, key = np.random.default_rng(7).uniform(-1, 1, (2, 1, 8)).round(3)
    places = [_kept(position + shift, digits) for position in (7, 4)]
    turned = [encodings.rotate(x, [p])[0] for x, p in zip((query, key), places)]
    return float(turned[0] @ turned[1])


def _kept(position: int, digits: int) -> float:
    """A whole number rounded to so many binary digits, half-way cases to the even neighbour."""
    spacing = 2.0 ** max(0, int(position).bit_length() - digits)
    return float(np.round(position / spacing) * spacing)


def _shift_moves(shift: float = 1000, digits: float = 24) -> float:
    return abs(_score_at(int(shift), int(digits)) - _score_at(0, 24))


def _shift_holds(measured: float, shift: float = 1000, digits: float = 24) -> tuple[bool, str]:
    if measured < 1e-9:
        return True, "Both vectors turn by the same angle more, and the angle between them stays."
    kept = [_kept(position + int(shift), int(digits)) for position in (7, 4)]
    return False, (
        f"With {int(digits)} binary digits the positions {int(shift) + 7} and {int(shift) + 4} "
        f"are stored as {kept[0]:g} and {kept[1]:g}, so the angles are those of other positions. "
        "Half precision has 11 digits."
    )


@cache
def _alibi_beyond(halvings: int) -> float:
    settings = training.Settings(alibi_slope=2.0**-halvings)
    accuracy = training.accuracy_by_position(training.train("alibi", "latest_mark", 0, settings))
    return float(np.nanmean(accuracy[settings.trained_length :]))


def _steep(halvings: float = 1) -> float:
    return round(_alibi_beyond(int(halvings)), 2)


def _steep_holds(measured: float, halvings: float = 1) -> tuple[bool, str]:
    kept = 100 * np.exp(-(2.0**-halvings))
    return measured > 0.95, (
        f"With slope 1/{2 ** int(halvings)}, a token one place further back keeps {kept:.0f} % of "
        "its weight. The flatter the slope, the more the older marks together outweigh the latest."
    )


TRAINED, FACTOR, HEAD, ASKING = 2048, 2, 128, 3000


def _ladder_at(length: int) -> np.ndarray:
    """The "dynamic" ladder of a head once the text has this many tokens, factor 2."""
    growth = max(FACTOR * length / TRAINED - (FACTOR - 1), 1.0)
    return encodings.frequencies(HEAD, 10_000 * growth ** (HEAD / (HEAD - 2)))


def _match(distance: float, before: float, now: float) -> float:
    """Mean over the pairs of the cosine between the query at 3000 and a key so far back."""
    key = (ASKING - distance) * _ladder_at(int(before))
    return float(np.cos(ASKING * _ladder_at(int(now)) - key).mean())


def _cached(distance: float = 1, length: float = 4096) -> float:
    return _match(distance, TRAINED, length)


def _cached_holds(measured: float, distance: float = 1, length: float = 4096) -> tuple[bool, str]:
    fresh = _match(distance, length, length)
    if int(length) <= TRAINED:
        return False, "The text is no longer than the trained ones, so the base has not moved yet."
    return measured < 0.5 * fresh, (
        f"The mean cosine is {measured:.2f}; with both vectors turned by the new ladder it would "
        f"be {fresh:.2f}. A cache has to keep keys unturned, or the ladder has to stay."
    )


@cache
def _sinusoid_beyond(rate: float) -> float:
    """Accuracy between once and twice the trained length, mean of three seeds."""
    settings = training.Settings(rate=rate, tested_length=64)
    layers = [training.train("sinusoidal", "three_back", seed, settings) for seed in range(3)]
    accuracy = np.array([training.accuracy_by_position(layer) for layer in layers])
    return float(training.accuracy_in_range(accuracy, "1 to 2").mean())


def _gained(rate: float = 0.02) -> float:
    return round(_sinusoid_beyond(float(rate)) - _sinusoid_beyond(0.005), 2)


def _gained_holds(measured: float, rate: float = 0.02) -> tuple[bool, str]:
    return measured > 0.05, (
        f"Mean of three seeds: {_sinusoid_beyond(float(rate)):.2f} at rate {rate:g}, "
        f"{_sinusoid_beyond(0.005):.2f} at rate 0.005, between once and twice the trained length."
    )


CLAIMS = (
    Claim(
        "rotary-distance-only",
        "Moving query and key together leaves a rotary score as it was",
        0.0,
        1e-9,
        _shift_moves,
        (
            Setting("shift", 0, 60_000, 1, 1000, "shift"),
            Setting("digits", 8, 24, 1, 24, "binary digits of a position"),
        ),
        _shift_holds,
        "rotary",
    ),
    Claim(
        "steep-alibi",
        "With a steep slope, ALiBi names the latest mark far beyond the trained length",
        0.99,
        0.02,
        _steep,
        (Setting("halvings", 0, 8, 1, 1, "slope, 1/2 this many times"),),
        _steep_holds,
        "experiment",
    ),
    Claim(
        "cached-keys",
        "A key cached before the base was raised no longer matches its query",
        0.2062,
        5e-5,
        _cached,
        (
            Setting("distance", 1, 2900, 1, 1, "distance"),
            Setting("length", 1024, 16_384, 1024, 4096, "tokens of the text now"),
        ),
        _cached_holds,
        "repairs",
    ),
    Claim(
        "learning-rate",
        "Sinusoids trained at a higher rate are right more often past the trained length",
        0.19,
        0.1,
        _gained,
        (Setting("rate", 0.004, 0.03, 0.001, 0.02, "learning rate, against 0.005"),),
        _gained_holds,
        "what-it-shows",
    ),
)
