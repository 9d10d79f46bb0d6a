"""Whose is it: one small module for each system that hands out submissions, found by its folder.

A finder is a module here with `NAME` and `owners(level)`. It looks at one folder, a download as the
system makes it, and names the owners of those things in it that it recognises. What a learner
called their own files and folders lies below that level, and no finder ever looks at it. A new
system is one more file; nothing else names the finders.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from types import ModuleType


@dataclass(frozen=True)
class Owner:
    """A person to whom a system says that something belongs.

    ids: what systems call them, by system. person: what tells them apart from everyone else in the
    same system; '' where only the name does. here: it holds in this download only.
    """

    name: str
    ids: dict[str, str] = field(default_factory=dict)
    person: str = ""
    here: bool = False


@dataclass(frozen=True)
class Claim:
    """What a system's name for a submission says: its owners, and when it was handed in.

    handed_in: seconds since 1970, where the system says. attempt: a number that it added.
    """

    owners: tuple[Owner, ...]
    attempt: int = 0
    late: bool = False
    handed_in: float | None = None


@dataclass(frozen=True)
class Level:
    """One folder as a finder sees it.

    folders and files: the names of what is in it. read: a file's bytes, None where there are none.
    into: the level of a folder in it.
    """

    folders: tuple[str, ...]
    files: tuple[str, ...]
    read: Callable[[str], bytes | None]
    into: Callable[[str], Level]

    @property
    def names(self) -> tuple[str, ...]:
        """Folders, then files."""
        return self.folders + self.files


@cache
def all_finders() -> tuple[ModuleType, ...]:
    """The finders that are in this folder, in the order of their names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in names)


def claims(level: Level) -> tuple[str, dict[str, tuple[str, Claim]]]:
    """The system whose download this folder is, '' where it is none; and what belongs to whom.

    A folder is a system's download where the system names at least half of what is there. Where
    two systems know a name, the one that knows more names is believed.
    """
    found = sorted(
        ((finder.NAME, finder.owners(level)) for finder in all_finders()),
        key=lambda pair: len(pair[1]),
    )
    told: dict[str, tuple[str, Claim]] = {}
    for system, claimed in found:
        told.update({name: (system, claim) for name, claim in claimed.items()})
    system, claimed = found[-1]
    return (system if claimed and 2 * len(claimed) >= len(level.names) else ""), told


def proposals(level: Level) -> list[str]:
    """What finders can only propose, because a name alone does not say it for sure."""
    makers = [f.proposal for f in all_finders() if hasattr(f, "proposal")]
    return [said for made in makers if (said := made(level))]


def matched(
    names: Iterable[str], pattern: re.Pattern[str], make: Callable[[re.Match[str]], Claim]
) -> dict[str, Claim]:
    """Claims for the names that a pattern matches."""
    return {name: make(match) for name in names if (match := pattern.match(name))}


def mostly(found: dict[str, Claim], names: Sequence[str]) -> dict[str, Claim]:
    """The claims if they are for more than half of `names`; for shapes that others may have too."""
    return found if 2 * len(found) > len(names) else {}


def moment(text: str, forms: Sequence[str]) -> float | None:
    """A date as a system writes it, in the time of this machine; None where no form fits."""
    for form in forms:
        try:
            return datetime.strptime(text.strip(), form).timestamp()
        except (ValueError, OverflowError):
            continue
    return None
