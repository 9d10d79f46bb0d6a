"""Lesson 7, 256 wavelengths: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_07.challenge_1_pairs_that_turn import PAIRS_THAT_TURN
from posenc.lessons.lesson_07.challenge_2_base_for_longest import BASE_FOR_LONGEST
from posenc.lessons.lesson_07.challenge_3_distinct_positions import DISTINCT_POSITIONS
from posenc.lessons.lesson_07.claims import CLAIMS
from posenc.lessons.lesson_07.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    PAIRS_THAT_TURN,
    BASE_FOR_LONGEST,
    DISTINCT_POSITIONS,
)
