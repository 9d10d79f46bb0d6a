"""Every file and folder below a path, archives read as folders: what a pile is made of.

Nothing is unpacked onto the disk and no link is followed. An archive that is too large, unpacks to
far more than it holds, or names a file outside itself is told as that, and its files are not read.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import struct
import time
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from posenc.grading import notebook
from posenc.grading.notebook import Unreadable, clean

FILE, FOLDER, ARCHIVE, LINK, ODD, UNREAD = "file", "folder", "archive", "link", "odd", "unread"
MOST_MEMBERS = 50_000
MOST_UNPACKED = 4 * 2**30
LARGEST_RATIO = 200
SMALL = 2**20  # what unpacks to less than this is no bomb, whatever its ratio
DEEPEST_ARCHIVE = 3
LARGEST_INNER = 256 * 2**20
LARGEST_LIST = 8 * 2**20  # bytes of an archive's own list of what it holds, read as a whole
END_OF_LIST = struct.Struct("<4s4H2LH")
# Folders that tools make. What is in them is counted, and no learner's.
TOOLS = {
    "__macosx",
    "__pycache__",
    "node_modules",
    ".git",
    ".hg",
    ".svn",
    ".github",
    ".venv",
    "venv",
    ".vscode",
    ".idea",
    ".cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".virtual_documents",
    ".trash",
    ".trashes",
    ".spotlight-v100",
    ".fseventsd",
}


@dataclass(frozen=True)
class Entry:
    """One file, folder, archive or other thing.

    parts: names from the path that was given downwards, through archives too. path: what is on the
    disk; inside: the names within archives on the way to it. why: what is odd about it.
    """

    parts: tuple[str, ...]
    path: Path
    kind: str
    inside: tuple[str, ...] = ()
    size: int = 0
    changed: float = 0.0
    why: str = ""

    @property
    def name(self) -> str:
        """Its own name, letters written in one way."""
        return unicodedata.normalize("NFC", self.parts[-1]) if self.parts else self.path.name

    @property
    def shown(self) -> str:
        """Its path below the one that was given, safe to print, in one line."""
        return " ".join(clean("/".join(self.parts) or self.path.name, 400).split())


def walk(root: Path) -> list[Entry]:
    """Everything below `root`, folders before what is in them; a file is its own only entry."""
    if not root.is_dir():
        return list(_file((root.name,), root, follow=True))
    found: list[Entry] = []
    left: list[tuple[tuple[str, ...], Path]] = [((), root)]
    while left:  # a stack, because folders may be deeper than Python's own
        parts, folder = left.pop()
        try:
            with os.scandir(folder) as listing:
                inside = sorted(listing, key=lambda e: e.name)
        except OSError as error:
            if not parts:
                raise
            why = f"the folder cannot be opened ({error.strerror or type(error).__name__})"
            found.append(Entry(parts, folder, UNREAD, why=why))
            continue
        if parts:
            found.append(Entry(parts, folder, FOLDER, size=len(inside)))
        folders = []
        for item in inside:
            below = (*parts, item.name)
            if _is_folder(item):
                folders.append((below, Path(item.path)))
            else:
                found += _file(below, Path(item.path))
        left += reversed(folders)
    return found


def read(entry_path: Path, inside: tuple[str, ...], within: Path | None = None) -> bytes:
    """The bytes of a file on the disk or in an archive. Unreadable says why there are none."""
    if not inside:
        return notebook.read_bytes(entry_path, within)
    try:
        with contextlib.ExitStack() as open_files:
            file = open_files.enter_context(open(entry_path, "rb"))
            archive = open_files.enter_context(_opened(file))
            for name in inside[:-1]:
                data = _bounded(archive, name, LARGEST_INNER)
                archive = open_files.enter_context(_opened(io.BytesIO(data)))
            return _bounded(archive, inside[-1], notebook.LARGEST_FILE)
    except Unreadable:
        raise
    except _BROKEN as error:
        raise Unreadable(f"the archive cannot be read here ({_said(error)})") from None


_BROKEN = (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, KeyError, ValueError,
           EOFError, zipfile.LargeZipFile)  # fmt: skip


def _said(error: BaseException) -> str:
    return clean(error, 120) or type(error).__name__


def _is_folder(item: os.DirEntry) -> bool:
    try:
        return item.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _file(parts: tuple[str, ...], path: Path, follow: bool = False) -> Iterator[Entry]:
    """The entry of something on the disk that is no folder, and what is in it if an archive.

    follow: for a path that was given, which may be a link.
    """
    try:
        about = os.stat(path, follow_symlinks=follow)
    except OSError as error:
        yield Entry(parts, path, UNREAD, why=error.strerror or type(error).__name__)
        return
    if stat.S_ISLNK(about.st_mode):
        yield Entry(parts, path, LINK, why="a link; links in a pile are not followed")
        return
    if not stat.S_ISREG(about.st_mode):
        yield Entry(parts, path, ODD, why="no ordinary file")
        return
    plain = Entry(parts, path, FILE, (), about.st_size, about.st_mtime)
    if not _called_archive(parts[-1]):
        yield plain
        return
    try:
        with open(path, "rb") as file, _opened(file) as archive:
            yield from _archive(plain, archive, 1, [MOST_UNPACKED])
    except _BROKEN as error:
        yield Entry(parts, path, UNREAD, (), about.st_size, about.st_mtime, _why_not(error))


def _called_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def _why_not(error: BaseException) -> str:
    if isinstance(error, Unreadable):
        return str(error)
    return f"a zip archive that cannot be opened ({_said(error)})"


def _opened(file: BinaryIO) -> zipfile.ZipFile:
    """An archive, after a look at how long its list is: a reader takes the list as a whole."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - END_OF_LIST.size - 2**16))
    tail = file.read()
    place = tail.rfind(b"PK\5\6")
    if 0 <= place <= len(tail) - END_OF_LIST.size:
        *_, length, _, _ = END_OF_LIST.unpack_from(tail, place)
        if length > LARGEST_LIST:
            raise Unreadable(f"an archive whose list is longer than {LARGEST_LIST // 2**20} MB")
    return zipfile.ZipFile(file)


def _archive(
    outer: Entry, archive: zipfile.ZipFile, depth: int, left: list[int]
) -> Iterator[Entry]:
    """An archive as a folder, then its files; archives in it as well, to a certain depth.

    left: how many bytes of archives within archives may still be unpacked, for all together.
    """
    members = [m for m in archive.infolist() if not m.is_dir()]
    if len(members) > MOST_MEMBERS:
        raise Unreadable(f"an archive of more than {MOST_MEMBERS:,} files")
    if sum(m.file_size for m in members) > MOST_UNPACKED:
        raise Unreadable(f"an archive that unpacks to more than {MOST_UNPACKED // 2**30} GB")
    yield Entry(
        outer.parts, outer.path, ARCHIVE, outer.inside, len(members), outer.changed, "an archive"
    )
    for member in members:
        name = _decoded(member)
        names = tuple(part for part in name.replace("\\", "/").split("/") if part not in ("", "."))
        parts = (*outer.parts, *names)
        inside = (*outer.inside, member.filename)
        entry = Entry(parts, outer.path, FILE, inside, member.file_size, _changed(member))
        if not names or ".." in names or name.startswith(("/", "\\")) or ":" in names[0]:
            safe = (*outer.parts, clean(name, 200).replace("/", "∕") or "nameless")
            yield _not_read(entry, "its name leads out of the archive", safe)
        elif member.flag_bits & 1:
            yield _not_read(entry, "it is encrypted in its archive")
        elif member.file_size > max(SMALL, LARGEST_RATIO * max(member.compress_size, 1)):
            times = member.file_size // max(member.compress_size, 1)
            yield _not_read(entry, f"it would unpack to {times:,} times its size")
        elif _called_archive(names[-1]):
            yield from _inner(entry, archive, member, depth, left)
        else:
            yield entry


def _inner(
    entry: Entry, archive: zipfile.ZipFile, member: zipfile.ZipInfo, depth: int, left: list[int]
) -> Iterator[Entry]:
    left[0] -= member.file_size
    if depth >= DEEPEST_ARCHIVE or left[0] < 0:
        deep = f"an archive in more than {DEEPEST_ARCHIVE} others"
        large = f"an archive of archives of more than {MOST_UNPACKED // 2**30} GB in all"
        yield _not_read(entry, deep if depth >= DEEPEST_ARCHIVE else large)
        return
    try:
        data = _bounded(archive, member.filename, LARGEST_INNER)
        with _opened(io.BytesIO(data)) as inner:
            yield from list(_archive(entry, inner, depth + 1, left))
    except _BROKEN as error:
        yield _not_read(entry, _why_not(error))


def _not_read(entry: Entry, why: str, parts: tuple[str, ...] | None = None) -> Entry:
    where = parts or entry.parts
    return Entry(where, entry.path, UNREAD, entry.inside, entry.size, entry.changed, why)


def _bounded(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A member's bytes, at most `most`, whatever the archive's own list says of its size."""
    with archive.open(name) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise Unreadable(f"the file is larger than {most // 2**20} MB")
    return data


def _decoded(member: zipfile.ZipInfo) -> str:
    """A member's name. Windows and old systems write UTF-8 without saying so."""
    if member.flag_bits & 0x800:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def _changed(member: zipfile.ZipInfo) -> float:
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0
