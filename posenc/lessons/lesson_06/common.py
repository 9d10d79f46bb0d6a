"""What several parts of lesson 6 use."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

DOUBLED = (
    "the exponent is doubled",
    "i already counts pairs, or already runs in twos; which is it in your code, "
    "and is the factor 2 there twice?",
)

SINGLE = (
    "i stands where the formula has 2i",
    "Pair i owns columns 2i and 2i + 1. At width 4, which exponent belongs to the second pair?",
)

HALF_LESS_ONE = (
    "the exponent is divided by the number of pairs less one, as tensor2tensor "
    "and some diffusion code do",
    "That ladder ends at exactly 1/base. The formula asked for stops one step "
    "short of it: what does it divide by?",
)

BASE_1000 = (
    "1000 is written where 10000, or the base that is given, belongs",
    "Count the zeros, and look for the argument `base`.",
)

BASE_IGNORED = (
    "10000 is used whatever base is given",
    "The argument `base` does not reach the formula. Where should it stand?",
)

SIGN = (
    "the exponent has the wrong sign, so that frequencies grow",
    "The position is divided by a power of the base. Does the second pair turn "
    "faster or slower than the first?",
)

FLOORED = (
    "a whole-number division makes every exponent 0, so that every frequency is 1",
    "`//` rounds down. Which division keeps the fraction?",
)


def random_batch(rng: np.random.Generator, *shape: int) -> Array:
    return rng.uniform(-1, 1, shape).round(3)
