"""Lesson 8, norm and distance: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_08.challenge_1_norm_range import NORM_RANGE
from posenc.lessons.lesson_08.challenge_2_distance_profile import DISTANCE_PROFILE
from posenc.lessons.lesson_08.challenge_3_rises_and_lowest import RISES_AND_LOWEST
from posenc.lessons.lesson_08.claims import CLAIMS
from posenc.lessons.lesson_08.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    NORM_RANGE,
    DISTANCE_PROFILE,
    RISES_AND_LOWEST,
)
