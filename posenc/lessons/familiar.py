"""Mistakes that several challenges share, each added by one line below a challenge.

Where an answer has choices, the words alone are shared, and the choice is made beside them.
"""

from __future__ import annotations

import inspect
from typing import Any

from posenc.judging.model import Challenge

BASE_IGNORED = (
    "10000 is used whatever base is given",
    "The argument `base` does not reach the formula. Where should it be used?",
)
SINGLE_I = "the formula is used with i in place of 2i"
COUNTED_FROM_1 = "positions are counted from 1"


def base_ignored(challenge: Challenge) -> None:
    """The reference, called without the `base` that is given."""
    signature = inspect.signature(challenge.reference)

    @challenge.mistake(*BASE_IGNORED, id="base-ignored")
    def does(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.arguments.pop("base", None)
        return challenge.reference(*given.args, **given.kwargs)


def transposed(challenge: Challenge, think: str) -> None:
    """The reference's table, turned on its side."""

    @challenge.mistake("the table is transposed: a column a position", think, id="transposed")
    def does(*args: Any, **kwargs: Any) -> Any:
        return challenge.reference(*args, **kwargs).T


def counted_from_1(challenge: Challenge, think: str) -> None:
    """Rows 1 to length of the reference's table, whose first argument is the length."""

    @challenge.mistake(COUNTED_FROM_1, think, id="positions-from-1")
    def does(length: int, *args: Any, **kwargs: Any) -> Any:
        return challenge.reference(length + 1, *args, **kwargs)[1:]


def in_degrees(function: str, what: str) -> tuple[str, str]:
    """What to say where an angle, `what` times frequency, is given to `function` in degrees."""
    return (
        "angles are taken in degrees",
        f"`np.{function}` takes radians, and {what} times frequency already is in radians.",
    )
