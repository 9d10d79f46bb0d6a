"""A file that was handed in, read as a notebook, whatever state it is in.

What cannot be read is a result of its own, with a reason in words a learner understands.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posenc import lessons
from posenc.grading.parsing import MOST_CELLS, MOST_CODE, Unreadable, parse

LARGEST_FILE = 64 * 2**20
NAMED = re.compile(r"(?:lesson|exercise|chapter|ps|hw)[ _-]*0*(\d{1,2})(?!\d)", re.IGNORECASE)
IMPORTED = re.compile(r"^[ \t]*(?:import[ \t]+|from[ \t]+|%)(\w{1,40})", re.MULTILINE)
# A look at lines, not at syntax: what a stranger wrote is not parsed on this side.
DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w{1,80})", re.MULTILINE)
__all__ = ["MOST_CELLS", "MOST_CODE", "Notebook", "Unreadable", "clean", "fingerprint", "read"]


@dataclass(frozen=True)
class Notebook:
    """The code of a notebook, and what it says about itself.

    cells: the source of each code cell, in order. lesson_from: 'metadata', 'file name' or
    'function names'. version and edition: as the notebook states them, empty where it does not.
    files: what was handed in beside it, by name.
    """

    cells: tuple[str, ...]
    lesson: int
    lesson_from: str
    version: str = ""
    edition: str = ""
    files: tuple[tuple[str, bytes], ...] = ()

    def imports(self) -> list[str]:
        """The packages that the code names after `import` or `from`, by their first word.

        Magics are among them, as `%pylab` imports one, too.
        """
        return sorted({name for cell in self.cells for name in IMPORTED.findall(cell)})


def read_bytes(path: Path, within: Path | None = None) -> bytes:
    """The bytes of a submission. Unreadable for what is no ordinary file of a bearable size.

    within: the folder that is graded, where it was found in one. A link in it is not followed,
    wherever it leads; a link that was named itself is.
    """
    try:
        if within is not None and os.path.islink(path):
            raise Unreadable("it is a link, and links in a pile are not followed")
        flags = ["O_NONBLOCK", "O_BINARY", "O_CLOEXEC", *(["O_NOFOLLOW"] if within else [])]
        handle = os.open(path, sum((getattr(os, name, 0) for name in flags), os.O_RDONLY))
        try:
            kind = os.fstat(handle).st_mode
            if not stat.S_ISREG(kind):
                raise Unreadable(
                    "it is a folder" if stat.S_ISDIR(kind) else "it is no ordinary file"
                )
            with open(handle, "rb", closefd=False) as file:
                data = file.read(LARGEST_FILE + 1)
        finally:
            os.close(handle)
    except (OSError, RuntimeError) as error:
        said = getattr(error, "strerror", None) or type(error).__name__
        raise Unreadable(f"the file cannot be opened ({said})") from None
    if len(data) > LARGEST_FILE:
        raise Unreadable(f"the file is larger than {LARGEST_FILE // 2**20} MB")
    return data


def read(data: bytes, name: str = "", lesson: int | None = None) -> Notebook:
    """The notebook in `data`. `name`: the file's; `lesson`: where given, it is not searched for."""
    cells, told = parse(data)
    number, source = (lesson, "the command line") if lesson else _lesson(told, name, cells)
    return Notebook(
        tuple(cells), number, source, _word(told.get("version")), _word(told.get("edition"))
    )


def fingerprint(data: bytes) -> str:
    """What tells whether a file has changed."""
    return hashlib.sha256(data).hexdigest()


def clean(text: Any, longest: int = 2000) -> str:
    """Text from outside, safe to print and store: no control characters, no half characters."""
    whole = str(text)[:longest].encode("utf-8", "replace").decode("utf-8")
    # Direction marks (Cf) can make a line read as another one; line ends are kept.
    return "".join(
        c
        for c in whole
        if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    )


def _word(value: Any) -> str:
    return clean(value, 40) if isinstance(value, (str, int, float)) else ""


def _lesson(told: dict[str, Any], name: str, cells: list[str]) -> tuple[int, str]:
    """The lesson's number, and what told it."""
    stated = told.get("lesson")
    if isinstance(stated, str) and re.fullmatch("[0-9]{1,3}", stated):
        stated = int(stated)
    if (
        isinstance(stated, int)
        and not isinstance(stated, bool)
        and 1 <= stated <= len(lessons.LESSONS)
    ):
        return stated, "metadata"
    plain = name.lower().replace("-", "_").replace(" ", "_")
    for lesson in lessons.LESSONS:
        if lesson.stem in plain or lesson.stem[3:] in plain:
            return lesson.number, "file name"
    named = NAMED.search(name)
    if named and 1 <= int(named.group(1)) <= len(lessons.LESSONS):
        return int(named.group(1)), "file name"
    return _lesson_by_functions(cells), "function names"


def _lesson_by_functions(cells: list[str]) -> int:
    """The lesson whose challenges a notebook defines most of. Unreadable where it defines none."""
    defined = {name for cell in cells for name in DEFINED.findall(cell)}
    counts: Counter[int] = Counter()
    for lesson in lessons.LESSONS:
        counts[lesson.number] = len(defined & {c.name for c in lessons.challenges(lesson.number)})
    number, most = max(counts.items(), key=lambda pair: (pair[1], -pair[0]))
    if most == 0:
        raise Unreadable(
            "nothing in it tells which lesson it belongs to, "
            "and it defines no function that is asked for"
        )
    return number
