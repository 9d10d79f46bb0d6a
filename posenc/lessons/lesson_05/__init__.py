"""Lesson 5, one hand is not enough: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_05.challenge_1_binary_counter import BINARY_COUNTER
from posenc.lessons.lesson_05.challenge_2_nearest_lookalike import NEAREST_LOOKALIKE
from posenc.lessons.lesson_05.challenge_3_phase import PHASE
from posenc.lessons.lesson_05.claims import CLAIMS
from posenc.lessons.lesson_05.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    BINARY_COUNTER,
    NEAREST_LOOKALIKE,
    PHASE,
)
