"""Lesson 2, attention forgets order: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_02.challenge_1_softmax import SOFTMAX
from posenc.lessons.lesson_02.challenge_2_attention import ATTENTION
from posenc.lessons.lesson_02.challenge_3_worst_equivariance_error import ERROR
from posenc.lessons.lesson_02.challenge_4_symmetry import SYMMETRY
from posenc.lessons.lesson_02.claims import CLAIMS
from posenc.lessons.lesson_02.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    SOFTMAX,
    ATTENTION,
    ERROR,
    SYMMETRY,
)
