"""Notebooks that came in disguise, in another language, or under another lesson's name.

A file is read as it is first. Where that fails, what is safe to undo is undone and said, and what
is not is named, so that a learner knows what to hand in instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from posenc import lessons
from posenc.grading import notebook
from posenc.grading.notebook import Notebook, Unreadable, clean

LARGEST_MENDED = 16 * 2**20
DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+(\w{1,80})", re.MULTILINE)
MARKS = re.compile(r"^(<{7}|={7}|>{7})(?: |$)", re.MULTILINE)
MAGIC = (
    (b"PK\x03\x04", "this is a zip archive; its ending says notebook. Unpack it, or name it .zip"),
    (b"%PDF", "this is a PDF; hand in the notebook itself, the file that ends in .ipynb"),
    (b"\x1f\x8b", "this is a gzip archive; unpack it"),
    (b"7z\xbc\xaf", "this is a 7z archive; unpack it"),
    (b"Rar!", "this is a RAR archive; unpack it"),
    (b"\x89PNG", "this is a picture"),
    (b"\xff\xd8\xff", "this is a picture"),
    (b"version https://git-lfs", "this is a pointer of Git LFS; the notebook itself is not in it"),
)
PAGE = re.compile(rb"^\s*(?:<!doctype html|<html|<\?xml)", re.IGNORECASE)
LOGIN = re.compile(rb"type=[\"']?password|sign[ -]?in|log[ -]?in|anmeld", re.IGNORECASE)
LANGUAGE = re.compile(r'"(?:language|name)"\s*:\s*"([A-Za-z0-9+#_ .-]{1,30})"')
PYTHONS = ("python", "ipython", "pyodide", "xpython", "conda", "sage")


def read(data: bytes, name: str, lesson: int | None) -> tuple[Notebook, list[str]]:
    """The notebook in `data`, and what was odd about the file. Unreadable says what it is."""
    try:
        return notebook.read(data, name, lesson), []
    except Unreadable as first:
        if why := named(data):
            raise Unreadable(why) from None
        mended = undone(data)
        if mended is None:
            raise first from None
        try:
            return notebook.read(mended[0], name, lesson), [mended[1]]
        except Unreadable:
            raise first from None


def named(data: bytes) -> str:
    """What a file is that cannot safely be made a notebook; '' where that is unknown."""
    start = data[: 2**16].lstrip(b"\xef\xbb\xbf")
    for magic, what in MAGIC:
        if start.startswith(magic):
            return what
    if PAGE.match(start):
        if LOGIN.search(start):
            return "this is a page to log in, saved in place of the notebook; download it again"
        return "this is a web page, not a notebook; it was probably saved from a browser"
    found = list(MARKS.finditer(data[:LARGEST_MENDED].decode("utf-8", "replace")))
    if {"<", ">"} <= {mark[1][0] for mark in found}:
        return f"Git conflict marks in lines {_lines(data, found)}: choose a side, and save again"
    return ""


def undone(data: bytes) -> tuple[bytes, str] | None:
    """Bytes that can be read, and what was undone for it; None where nothing helps."""
    if len(data) > LARGEST_MENDED:
        return None
    text, note = _text(data)
    start = text.lstrip("\ufeff \t\r\n\0")
    if not start.startswith("{"):
        return None
    try:
        whole, end = json.JSONDecoder().raw_decode(start)
    except (ValueError, RecursionError):
        return None
    if not isinstance(whole, dict):
        return None
    rest = start[end:].strip("\ufeff \t\r\n")
    if rest.strip("\0"):
        note = f"After the whole notebook, {len(rest)} more characters in the file were left out."
    elif rest:
        note = f"After the whole notebook, {len(rest)} zero bytes in the file were left out."
    return start[:end].encode(
        "utf-8", "replace"
    ), note or "A mark before the notebook was left out."


def language(data: bytes) -> str:
    """The language of a notebook's kernel where it is not Python, as the file names it; else ''."""
    place = max(data.rfind(b'"language_info"'), 0), max(data.rfind(b'"kernelspec"'), 0)
    for start in sorted(filter(None, place), reverse=True):
        about = data[start : start + 2000].decode("utf-8", "replace").partition("}")[0]
        # The inner braces of codemirror_mode end the part early; what is looked for stands before
        # them or in the kernelspec.
        for said in LANGUAGE.findall(about):
            if said.lower().startswith(PYTHONS):
                return ""
        told = re.search(r'"language"\s*:\s*"([A-Za-z0-9+#_ .-]{1,30})"', about)
        if told:
            return clean(told[1], 30)
    return ""


def defined(cells: Sequence[str]) -> set[str]:
    """Names that a notebook's cells define, found by a bounded look at their lines."""
    return {name for cell in cells for name in DEFINED.findall(cell)}


def other_lesson(lesson: int, names: set[str]) -> tuple[int, list[str]] | None:
    """The other lesson of which most functions are defined, and those; None where none is."""
    own = {c.name for c in lessons.challenges(lesson)}
    held: list[tuple[int, int, list[str]]] = []
    for other in lessons.LESSONS:
        here = [c.name for c in lessons.challenges(other.number) if c.name in names - own]
        if here and other.number != lesson:
            held.append((len(here), -other.number, here))
    if not held:
        return None
    _, number, here = max(held)
    return -number, here


def proposal(lesson: int, other: int, names: Sequence[str]) -> str:
    """What to do with a file that holds another lesson's work, without its full stop."""
    told = " and ".join(f"`{name}`" for name in names[:3])
    return (
        f"holds {told} of lesson {other}, and nothing of lesson {lesson}: put it where lesson "
        f"{other} is graded, or use --lesson {other}; lesson {lesson} was not handed in"
    )


def _text(data: bytes) -> tuple[str, str]:
    for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if '"cells"' in text or '"worksheets"' in text:
            read_as = "" if encoding == "utf-8" else "The file is UTF-16 and was read as that."
            return text, read_as
    return "", ""


def _lines(data: bytes, marks: Sequence[re.Match[str]]) -> str:
    """The ranges of lines between conflict marks, such as 3-9 and 20-31."""
    text: Any = data[:LARGEST_MENDED].decode("utf-8", "replace")
    ranges, begun = [], 0
    for mark in marks:
        line = text.count("\n", 0, mark.start()) + 1
        if mark[1][0] == "<":
            begun = line
        elif mark[1][0] == ">" and begun:
            ranges.append(f"{begun}-{line}")
            begun = 0
    shown = ", ".join(ranges[:4])
    return f"{shown} and {len(ranges) - 4} more" if len(ranges) > 4 else shown
