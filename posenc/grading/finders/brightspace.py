"""Brightspace (D2L): folders such as `100001-2000001 - Ada Lovelace - Jul 30, 2026 1053 PM`.

The first two numbers are Brightspace's own, and the first one is the user's in this course. An
organisation may put its own student number or user name before the name. Some give files of that
form in one folder, with the file's own name as a fourth part.
"""

from __future__ import annotations

import re

from posenc.grading.finders import Claim, Level, Owner, matched, moment

NAME = "Brightspace"
SHAPE = re.compile(
    r"^(?P<user>\d+)-(?P<folder>\d+) - (?P<who>.+?) - (?P<at>[^-]*\d{4}[ ,]+\d{1,2}:?\d\d ?[AP]M)"
    r"(?: - .+)?$",
    re.IGNORECASE | re.DOTALL,
)
NUMBER_FIRST = re.compile(r"^(?P<number>[A-Za-z]{0,3}\d{4,})(?: - | )(?P<name>\S.*)$")
FORMS = ["%b %d %Y %I%M %p", "%B %d %Y %I%M %p", "%d %B %Y %I%M %p", "%d %b %Y %I%M %p"]


def owners(level: Level) -> dict[str, Claim]:
    """Users by the folders or files that are theirs."""
    return matched(level.names, SHAPE, _claim)


def _claim(match: re.Match[str]) -> Claim:
    ids = {"brightspace": match["user"]}
    name = match["who"]
    if numbered := NUMBER_FIRST.match(name):
        name, ids["id"] = numbered["name"], numbered["number"]
    at = re.sub(r"(\d) ?([AP]M)$", r"\1 \2", match["at"].replace(",", " ").replace(":", ""))
    hour = re.sub(r"(?<= )(\d{3})(?= [AP]M$)", r"0\1", " ".join(at.split()))
    owner = Owner(name, ids, f"brightspace {match['user']}")
    return Claim((owner,), handed_in=moment(hour, FORMS))
