"""Lesson 11, learned tables and indices: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_11.challenge_1_lookup import LOOKUP
from posenc.lessons.lesson_11.challenge_2_position_ids import POSITION_IDS
from posenc.lessons.lesson_11.challenge_3_packed_position_ids import PACKED_POSITION_IDS
from posenc.lessons.lesson_11.challenge_4_next_position_ids import NEXT_POSITION_IDS
from posenc.lessons.lesson_11.claims import CLAIMS
from posenc.lessons.lesson_11.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    LOOKUP,
    POSITION_IDS,
    PACKED_POSITION_IDS,
    NEXT_POSITION_IDS,
)
