"""Lesson 9, shifts as rotations: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_09.challenge_1_shift_matrix import SHIFT_MATRIX
from posenc.lessons.lesson_09.challenge_2_fit_shift import FIT_SHIFT
from posenc.lessons.lesson_09.challenge_3_lookback_weights import LOOKBACK_WEIGHTS
from posenc.lessons.lesson_09.challenge_4_shift_from_one_step import FROM_ONE_STEP
from posenc.lessons.lesson_09.claims import CLAIMS
from posenc.lessons.lesson_09.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    SHIFT_MATRIX,
    FIT_SHIFT,
    LOOKBACK_WEIGHTS,
    FROM_ONE_STEP,
)
