"""What a lesson says and asks, as data: claims with their settings, and questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Claim", "Option", "Question", "Setting"]


@dataclass(frozen=True)
class Setting:
    """A number that a reader may change when doubting a claim, within bounds."""

    name: str
    low: float
    high: float
    step: float
    value: float
    label: str = ""


@dataclass(frozen=True)
class Claim:
    """A figure that a lesson states, with the way to measure it again.

    measure(**settings) gives the figure; at the stated settings it equals `value` within
    `tolerance` (absolute; 0 means exact). holds(measured, **settings), where given, says whether
    the sentence `says` still holds at other settings, and why or why not.
    """

    id: str
    says: str
    value: Any
    tolerance: float
    measure: Callable[..., Any]
    settings: tuple[Setting, ...] = ()
    holds: Callable[..., tuple[bool, str]] | None = None
    section: str = ""

    def stated(self) -> dict[str, float]:
        """The settings at which `value` was measured."""
        return {s.name: s.value for s in self.settings}


@dataclass(frozen=True)
class Option:
    """One answer to a question, with its reason, right or wrong."""

    text: str
    right: bool
    reason: str


@dataclass(frozen=True)
class Question:
    """A question under the section that it tests. Exactly one option is right.

    computed(), where given, returns the index of the right option from the mathematics, so that a
    test can hold the key against it. seen: ids of public cases that it comes from.
    """

    id: str
    asks: str
    options: tuple[Option, ...]
    section: str
    computed: Callable[[], int] | None = None
    minutes: float = 1.0
    seen: tuple[str, ...] = ()
