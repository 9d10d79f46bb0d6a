"""ILIAS: folders `Lovelace_Ada_alovelace_4711`, in `Team 12` (or `Team_12`) where teams hand in.

Last name, first name, login and the user's number. Older versions begin with the first name, which
cannot be told from the name alone; login and number are the same.
"""

from __future__ import annotations

import re

from posenc.grading.finders import Claim, Level, Owner, matched, mostly

NAME = "ILIAS"
SHAPE = re.compile(r"^(?P<last>[^_]+)_(?P<first>[^_]+)_(?P<login>.+)_(?P<id>\d+)$")
TEAM = re.compile(r"^Team[ _](?P<team>\d+)$", re.IGNORECASE)


def owners(level: Level) -> dict[str, Claim]:
    """Users by their folders; all members of a team by the team's folder."""
    teams = {name: _team(level, name) for name in level.folders if TEAM.match(name)}
    return mostly({**matched(level.folders, SHAPE, _claim), **teams}, level.folders)


def _claim(match: re.Match[str]) -> Claim:
    ids = {"ilias": match["id"], "login": match["login"]}
    owner = Owner(f"{match['last']}, {match['first']}", ids, f"ilias {match['id']}")
    return Claim((owner,))


def _team(level: Level, name: str) -> Claim:
    """The members who have a folder in the team's, whoever of them uploaded; else the team."""
    members = matched(level.into(name).folders, SHAPE, _claim)
    people = tuple(owner for claim in members.values() for owner in claim.owners)
    return Claim(people or (Owner(name, {}, name, here=True),))
