"""Lesson 12, extrapolation and beyond: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_12.challenge_1_rotate import ROTATE
from posenc.lessons.lesson_12.challenge_2_alibi_bias import ALIBI_BIAS
from posenc.lessons.lesson_12.challenge_3_scaled_frequencies import SCALED_FREQUENCIES
from posenc.lessons.lesson_12.challenge_4_accuracy_by_range import ACCURACY_BY_RANGE
from posenc.lessons.lesson_12.claims import CLAIMS
from posenc.lessons.lesson_12.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    ROTATE,
    ALIBI_BIAS,
    SCALED_FREQUENCIES,
    ACCURACY_BY_RANGE,
)
