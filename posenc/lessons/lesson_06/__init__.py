"""Lesson 6, the sinusoidal construction: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_06.challenge_1_frequencies import FREQUENCIES
from posenc.lessons.lesson_06.challenge_2_sinusoidal import SINUSOIDAL
from posenc.lessons.lesson_06.challenge_3_add_positions import ADD_POSITIONS
from posenc.lessons.lesson_06.challenge_4_positional_encoding import LAYER
from posenc.lessons.lesson_06.claims import CLAIMS
from posenc.lessons.lesson_06.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    FREQUENCIES,
    SINUSOIDAL,
    ADD_POSITIONS,
    LAYER,
)
