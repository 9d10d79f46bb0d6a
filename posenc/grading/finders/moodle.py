"""Moodle: `Ada Lovelace_4711_assignsubmission_file_` as a folder, or before the name of a file.

The number is the participant's in this one assignment. Text typed into the page is handed out as
`…_assignsubmission_onlinetext_`. The first such mark in a name is Moodle's; a later one may be part
of what the learner called the file.
"""

from __future__ import annotations

import re

from posenc.grading.finders import Claim, Level, Owner, matched

NAME = "Moodle"
SHAPE = re.compile(
    r"^(?P<learner>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_.*)?$", re.DOTALL
)


def owners(level: Level) -> dict[str, Claim]:
    """Participants by the folders or files that are theirs."""
    return matched(level.names, SHAPE, _claim)


def _claim(match: re.Match[str]) -> Claim:
    owner = Owner(match["learner"], {"moodle": match["id"]}, f"moodle {match['id']}", here=True)
    return Claim((owner,))
