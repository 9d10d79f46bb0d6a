"""The lessons' data, by number or id. One room a lesson: what it claims, asks and sets."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from posenc.judging.model import Challenge
from posenc.lessons.model import Claim, Question


@dataclass(frozen=True)
class Lesson:
    """A lesson's number, the stem of its files, and its title."""

    number: int
    stem: str
    title: str


LESSONS = (
    Lesson(1, "01_order_problem", "The same words, a different event"),
    Lesson(2, "02_attention_forgets_order", "Attention has no before and no after"),
    Lesson(3, "03_order_is_not_permission", "Where am I, and what may I read?"),
    Lesson(4, "04_naive_positions", "Writing the number in"),
    Lesson(5, "05_clocks_and_circles", "One hand is not enough"),
    Lesson(6, "06_sinusoidal_encoding", "The sinusoidal construction"),
    Lesson(7, "07_frequency_ladder", "256 wavelengths"),
    Lesson(8, "08_norm_and_distance", "Absolute in, relative out"),
    Lesson(9, "09_shift_rotations", "One matrix for every position"),
    Lesson(10, "10_cost_of_adding", "What is added also blurs"),
    Lesson(11, "11_learned_tables_and_indices", "A row for every position, and a contract"),
    Lesson(12, "12_extrapolation_and_beyond", "Defined is not useful"),
)


def lesson(number: int) -> Lesson:
    """Lesson `number`, 1 to 12. ValueError otherwise."""
    if number not in range(1, len(LESSONS) + 1):
        raise ValueError(f"lesson: {number!r} came; lessons are numbered 1 to {len(LESSONS)}")
    return LESSONS[number - 1]


@cache
def room(number: int) -> ModuleType | None:
    """The package with the data of lesson `number`, or None where it has not been written."""
    lesson(number)
    name = f"posenc.lessons.lesson_{number:02d}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


def challenges(number: int) -> tuple[Challenge, ...]:
    """The challenges of lesson `number`, in order."""
    return getattr(room(number), "CHALLENGES", ())


def questions(number: int) -> tuple[Question, ...]:
    """The questions of lesson `number`, in order."""
    return getattr(room(number), "QUESTIONS", ())


def claims(number: int) -> tuple[Claim, ...]:
    """The claims of lesson `number`, in order."""
    return getattr(room(number), "CLAIMS", ())


def challenge(id: str) -> Challenge:
    """The challenge called `id`, such as '6.2'. KeyError that lists the lesson's ids otherwise."""
    return _by_id(challenges, _lesson_of(id), id, "challenge")


def question(id: str) -> Question:
    """The question called `id`, such as '6.q1'. KeyError that lists the lesson's ids otherwise."""
    return _by_id(questions, _lesson_of(id), id, "question")


def claim(id: str) -> Claim:
    """The claim called `id`, such as 'norm-64'. KeyError otherwise."""
    for each in LESSONS:
        for found in claims(each.number):
            if found.id == id:
                return found
    raise KeyError(f"no claim is called {id!r}")


def _lesson_of(id: str) -> int:
    head = str(id).split(".")[0]
    if not head.isdigit() or not 1 <= int(head) <= len(LESSONS):
        raise KeyError(
            f"{id!r} does not begin with a lesson's number, 1 to {len(LESSONS)}, and a dot"
        )
    return int(head)


def _by_id(kind, number: int, id: str, noun: str):
    known = kind(number)
    for found in known:
        if found.id == id:
            return found
    listed = ", ".join(k.id for k in known) or "none"
    raise KeyError(f"lesson {number} has no {noun} called {id!r}; it has {listed}")
