"""Blackboard: one folder of `hw6_jdoe12_attempt_2024-03-03-11-00-00_06_encoding.ipynb`.

The assignment's name comes first and may hold underscores; the word before `_attempt_` is the user
name. Each attempt is a file of its own, with a text file about it beside.
"""

from __future__ import annotations

import re

from posenc.grading.finders import Claim, Level, Owner, matched, moment

NAME = "Blackboard"
SHAPE = re.compile(
    r"^(?P<title>.*?)_(?P<user>[^_]+)_attempt_(?P<at>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_.*|\.\w+)?$",
    re.DOTALL,
)


def owners(level: Level) -> dict[str, Claim]:
    """Users by the files that are theirs."""
    return matched(level.names, SHAPE, _claim)


def _claim(match: re.Match[str]) -> Claim:
    user = match["user"]
    owner = Owner(user, {"blackboard": user}, f"blackboard {user}")
    return Claim((owner,), handed_in=moment(match["at"], ["%Y-%m-%d-%H-%M-%S"]))
