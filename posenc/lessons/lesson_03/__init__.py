"""Lesson 3, order is not permission: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_03.challenge_1_reading_mask import READING_MASK
from posenc.lessons.lesson_03.challenge_2_masked_attention_weights import MASKED_WEIGHTS
from posenc.lessons.lesson_03.challenge_3_position_from_share import POSITION_FROM_SHARE
from posenc.lessons.lesson_03.claims import CLAIMS
from posenc.lessons.lesson_03.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    READING_MASK,
    MASKED_WEIGHTS,
    POSITION_FROM_SHARE,
)
