"""Lesson 10, what is added also blurs: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_10.challenge_1_score_terms import SCORE_TERMS
from posenc.lessons.lesson_10.challenge_2_smallest_winning_scale import SMALLEST_WINNING_SCALE
from posenc.lessons.lesson_10.challenge_3_order_sensitivity import ORDER_SENSITIVITY
from posenc.lessons.lesson_10.claims import CLAIMS
from posenc.lessons.lesson_10.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    SCORE_TERMS,
    SMALLEST_WINNING_SCALE,
    ORDER_SENSITIVITY,
)
