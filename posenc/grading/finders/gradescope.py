"""Gradescope: `assignment_4455_export` with `submission_12` folders and submission_metadata.yml.

Names, student numbers and group partners are in that file only. Each partner is an owner. Where
the file cannot be read, the folder's name stands, and nothing is lost but the names.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import yaml

from posenc.grading.finders import Claim, Level, Owner

NAME = "Gradescope"
METADATA = "submission_metadata.yml"
LARGEST = 16 * 2**20


class _Loader(yaml.SafeLoader):
    """Plain values only; aliases, by which a small file becomes a huge one, are refused."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def owners(level: Level) -> dict[str, Claim]:
    """Students, alone or as partners, by the folder that they handed in."""
    if METADATA not in level.files:
        return {}
    data = level.read(METADATA)
    if data is None or len(data) > LARGEST:
        return {}
    try:
        about = yaml.load(data, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, UnicodeDecodeError, ValueError):
        return {}
    if not isinstance(about, dict):
        return {}
    found = {name: _claim(about.get(name)) for name in level.names if name in about}
    return {name: claim for name, claim in found.items() if claim is not None}


def _claim(entry: Any) -> Claim | None:
    if not isinstance(entry, dict) or not isinstance(entry.get(":submitters"), list):
        return None
    people = tuple(o for s in entry[":submitters"] if (o := _owner(s)) is not None)
    return Claim(people, handed_in=_moment(entry.get(":created_at"))) if people else None


def _owner(submitter: Any) -> Owner | None:
    if not isinstance(submitter, dict):
        return None
    told = {key: str(submitter.get(f":{key}") or "").strip() for key in ("name", "sid", "email")}
    name = told["name"] or told["email"] or told["sid"]
    known = told["sid"] or told["email"]
    ids = {"id": told["sid"], "email": told["email"]}
    return Owner(name, {k: v for k, v in ids.items() if v}, f"gradescope {known}" if known else "")


def _moment(at: Any) -> float | None:
    if isinstance(at, str):
        try:
            at = datetime.fromisoformat(at)
        except ValueError:
            return None
    return at.timestamp() if isinstance(at, datetime) else None
