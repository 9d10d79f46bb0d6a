"""GitHub Classroom: folders `hw6-janedoe`, the assignment's name before the user's.

Where the assignment's name ends cannot be told for sure, so nothing is taken for granted: a name
pattern is proposed, and whoever grades gives it or does not.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict

from posenc.grading.finders import Claim, Level

NAME = "GitHub Classroom"
NUMBERED = re.compile(
    r"^(?P<prefix>(?:.*?[-_])?(?:lesson|exercise|assignment|homework|hw|ps|week|chapter|lab)"
    r"[-_]?\d{1,2}|\d{2}[-_][a-z][a-z_-]*?)-(?P<rest>[A-Za-z0-9][\w-]*)$",
    re.IGNORECASE,
)


def owners(level: Level) -> dict[str, Claim]:
    """Nobody: the pattern is only proposed."""
    return {}


def proposal(level: Level) -> str:
    """What to give to --name-pattern, where all folders begin as the same assignments do."""
    found = [NUMBERED.match(name) for name in level.folders]
    if len(found) < 2 or not all(found):
        return ""
    groups: dict[str, list[str]] = defaultdict(list)
    for match in found:
        if match is not None:
            groups[match["prefix"]].append(match["rest"])
    if max(map(len, groups.values())) < 2:
        return ""
    prefixes = sorted(prefix + _more(rests) for prefix, rests in groups.items())
    any_of = "|".join(map(re.escape, prefixes)).replace("\\-", "-")
    return (
        "The folders look like those of GitHub Classroom, the assignment's name before the user's. "
        f"If they are, give --name-pattern '(?:^|/)(?:{any_of})-(?P<learner>[^/]+)/'."
    )


def _more(rests: list[str]) -> str:
    """What the rests of one assignment share up to a hyphen: the assignment has a longer name."""
    if len(rests) < 2:
        return ""
    shared = os.path.commonprefix(rests)
    return "-" + shared.rsplit("-", 1)[0] if "-" in shared else ""
