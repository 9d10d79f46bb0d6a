"""Canvas: *Download submissions* gives one folder of `lovelaceada_LATE_4711_98765_ps6-2.ipynb`.

The first number is the student's, the same in every assignment; the second is the file's. Later
tries end in -1, -2 before the ending. Anonymous assignments begin with `anon_` and a code.
"""

from __future__ import annotations

import re

from posenc.grading.finders import Claim, Level, Owner, matched, mostly

NAME = "Canvas"
SHAPE = re.compile(
    r"^(?P<learner>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_\d+_(?P<rest>.+?)(?:-(?P<again>\d{1,2}))?"
    r"\.[^.]+(?:\.(?:txt|json))?$"
)
ANONYMOUS = re.compile(r"^anon_(?P<code>[A-Za-z0-9]{4,8})_(?P<late>LATE_)?\d+_.+\.[^.]+$")


def owners(level: Level) -> dict[str, Claim]:
    """Students by the files that are theirs."""
    found = {
        **matched(level.files, SHAPE, _named),
        **matched(level.files, ANONYMOUS, _anonymous),
    }
    return mostly(found, level.files)


def _named(match: re.Match[str]) -> Claim:
    owner = Owner(match["learner"], {"canvas": match["id"]}, f"canvas {match['id']}")
    return Claim((owner,), int(match["again"] or 0), bool(match["late"]))


def _anonymous(match: re.Match[str]) -> Claim:
    owner = Owner(f"anon {match['code']}", {"canvas_anonymous": match["code"]}, match["code"])
    return Claim((owner,), 0, bool(match["late"]))
