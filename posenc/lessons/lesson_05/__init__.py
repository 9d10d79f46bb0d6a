"""Lesson 5, one hand is not enough: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_05.challenge_1_gray_code import GRAY_CODE
from posenc.lessons.lesson_05.challenge_2_pairs_needed import PAIRS_NEEDED
from posenc.lessons.lesson_05.challenge_3_positions_between import POSITIONS_BETWEEN
from posenc.lessons.lesson_05.claims import CLAIMS
from posenc.lessons.lesson_05.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    GRAY_CODE,
    PAIRS_NEEDED,
    POSITIONS_BETWEEN,
)
