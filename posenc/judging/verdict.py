"""What a judgement comes to: an outcome, how it was told, and all that outputs are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

PASSED = "passed"
FAILED = "failed"
NOT_ATTEMPTED = "not attempted"
NOT_FOUND = "not found"
CRASHED = "crashed"
TIMED_OUT = "timed out"
OUT_OF_MEMORY = "out of memory"
REFUSED = "refused"
UNREADABLE = "unreadable"
OUTCOMES = (
    PASSED,
    FAILED,
    NOT_ATTEMPTED,
    NOT_FOUND,
    CRASHED,
    TIMED_OUT,
    OUT_OF_MEMORY,
    REFUSED,
    UNREADABLE,
)

# How a verdict that is not a pass was told, from the most telling to the least.
BY_MISTAKE = "mistake"
BY_TWO_MISTAKES = "two mistakes"
BY_PROPERTY = "property"
BY_PATTERN = "pattern"
BY_STEP = "step"
UNTOLD = "none"
TOLD = (BY_MISTAKE, BY_TWO_MISTAKES, BY_PROPERTY, BY_PATTERN, BY_STEP, UNTOLD)

# Steps of a verdict that say what is wrong by themselves; a wrong value does not.
VALUE = "value"


@dataclass(frozen=True)
class Verdict:
    """What came of one challenge.

    step: where the verdict stopped. reason: what was asked for and what was returned.
    misconception: the id of the mistake recognised, with looks_like and think; second: that of
    another one that was made with it. told: how the reason was found, one of `TOLD`, '' for a pass.
    pattern: the name of the property or pattern that the reason rests on. failing_call: a line to
    copy. mend_first: says so where an earlier challenge, still wrong, is called by this answer.
    right of calls were right. map: the failing call's entries, a string for each row, with the
    signs of `sentences.MAP_SIGNS`; empty where there is nothing to draw.
    """

    challenge: str
    outcome: str
    points: int
    out_of: int
    step: str
    reason: str
    misconception: str | None = None
    looks_like: str = ""
    think: str = ""
    failing_call: str = ""
    mend_first: str = ""
    seed: int = 0
    right: int = 0
    calls: int = 0
    second: str | None = None
    told: str = ""
    pattern: str = ""
    map: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the points are earned."""
        return self.outcome == PASSED

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for a report."""
        return {**asdict(self), "map": list(self.map)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Verdict:
        """The verdict that `to_dict` wrote, in this version of the course or an earlier one."""
        known = {f.name for f in fields(cls)}
        given = {name: value for name, value in data.items() if name in known}
        return cls(**{**given, "map": tuple(given.get("map", ()))})
