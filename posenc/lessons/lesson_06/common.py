"""What several challenges of lesson 6 use."""

from __future__ import annotations

import numpy as np

from posenc.judging.model import Choices
from posenc.lessons.familiar import BASE_IGNORED, SINGLE_I

Array = np.ndarray


def two_i(i: Array, width: int) -> Array:
    """The exponent of pair i, as the formula has it."""
    return 2 * i / width


def exponent_mistakes(answer: Choices) -> None:
    """The mistakes of an answer that chooses its exponent(pair, width) and the base it uses."""
    answer.mistake(
        "doubled-exponent",
        "the exponent is doubled",
        "Does your i count pairs, or does it run in twos? Is the factor 2 there twice?",
        seen=("PE010",),
        exponent=lambda i, d: 4 * i / d,
    )
    answer.mistake(
        "single-i",
        SINGLE_I,
        "Pair i owns columns 2i and 2i + 1. At width 4, which exponent has the second pair?",
        seen=("PE015", "PE016"),
        exponent=lambda i, d: i / d,
    )
    answer.mistake(
        "half-minus-one",
        "the exponent is divided by the number of pairs less one, as in tensor2tensor",
        "That ladder ends at exactly 1/base. The one asked for ends one step "
        "earlier. What is its divisor?",
        seen=("PE019", "PE026"),
        section="layouts",
        exponent=lambda i, d: i / max((d + 1) // 2 - 1, 1),
    )
    answer.mistake(
        "base-1000",
        "1000 is used in place of the base that is given",
        "Count the zeros, and look for the argument `base`.",
        seen=("PE017",),
        used=1000.0,
    )
    answer.mistake("base-ignored", *BASE_IGNORED, used=10000.0)
    answer.mistake(
        "exponent-sign",
        "the exponent has the wrong sign, so that frequencies grow",
        "Does the second pair turn faster or slower than the first?",
        exponent=lambda i, d: -2 * i / d,
    )
    answer.mistake(
        "floored-exponent",
        "a whole-number division makes every exponent 0, so that every frequency is 1",
        "`//` rounds down. Which division keeps the fraction?",
        seen=("PE028", "PE029"),
        exponent=lambda i, d: 2 * i // d,
    )
    answer.mistake(
        "floored-below",
        "a whole-number division rounds every negative exponent down to −1",
        "`//` rounds down, and for a negative number that is away from 0. Which division keeps the "
        "fraction?",
        exponent=lambda i, d: -(-2 * i // d),
    )
    answer.mistake(
        "pairs-from-1",
        "the pairs are counted from 1, so that the fastest one is missing",
        "Pair 0 turns by 1 radian a position. By how much does your first pair turn?",
        exponent=lambda i, d: 2 * (i + 1) / d,
    )
    answer.mistake(
        "slowest-first",
        "the ladder is upside down, with the slowest pair in front",
        "The first pair is the fastest. Which exponent has i = 0?",
        seen=("https://thanh31596.github.io",),
        exponent=lambda i, d: 2 * ((d + 1) // 2 - 1 - i) / d,
    )
    answer.mistake(
        "logarithm-to-ten",
        "the power is taken as exp of a logarithm to base 10",
        "`np.exp` undoes one logarithm. Is it `np.log` or `np.log10`?",
        exponent=lambda i, d: 2 * i / d / np.log(10),
    )


def random_batch(rng: np.random.Generator, *shape: int) -> Array:
    """Numbers in [−1, 1) of three digits, in an array of this shape."""
    return rng.uniform(-1, 1, shape).round(3)
