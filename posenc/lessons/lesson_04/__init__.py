"""Lesson 4, writing the number in: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_04.challenge_1_balancing_unit import BALANCING_UNIT
from posenc.lessons.lesson_04.challenge_2_first_saturated_start import FIRST_SATURATED_START
from posenc.lessons.lesson_04.challenge_3_requirements_met import REQUIREMENTS_MET
from posenc.lessons.lesson_04.claims import CLAIMS
from posenc.lessons.lesson_04.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    BALANCING_UNIT,
    FIRST_SATURATED_START,
    REQUIREMENTS_MET,
)
