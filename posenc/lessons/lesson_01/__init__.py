"""Lesson 1, the order problem: what it claims, what it asks, what it sets."""

from posenc.lessons.lesson_01.challenge_1_bag_of_words import BAG
from posenc.lessons.lesson_01.challenge_2_embed import LOOKUP
from posenc.lessons.lesson_01.challenge_3_orders_with_this_bag import ORDERS
from posenc.lessons.lesson_01.claims import CLAIMS
from posenc.lessons.lesson_01.questions import QUESTIONS

__all__ = ["CHALLENGES", "CLAIMS", "QUESTIONS"]

CHALLENGES = (
    BAG,
    LOOKUP,
    ORDERS,
)
