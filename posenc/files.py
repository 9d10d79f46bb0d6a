"""Whole files or none: atomic writes, dated copies, and one writer at a time.

Standard library only, because `course.py` uses it before anything is installed.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, TypeVar

Done = TypeVar("Done")
# Scanners and synchronisers hold a file for a moment; about a second of patience outlasts them.
PAUSES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4)


def patiently(action: Callable[[], Done]) -> Done:
    """What `action` returns; tried again for about a second where the file is held by another.

    Raises the last PermissionError where that does not help.
    """
    for pause in PAUSES:
        try:
            return action()
        except PermissionError:
            time.sleep(pause)
    return action()


def write_whole(path: Path, content: bytes) -> None:
    """Put `content` at `path` in one step: a reader sees the old file or the new, never a half.

    Raises OSError where the folder cannot be written; the old file is then still there.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    # 0o666 less the umask: the rights of any new file, which tempfile would narrow to one user.
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        patiently(lambda: os.replace(part, path))
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def set_aside(path: Path, moment: datetime | None = None) -> Path:
    """Rename `path` to a dated name beside it and return that name; no file is overwritten."""
    moment = moment or datetime.now()
    # Full stops between the hours and minutes, because Windows allows no colon in a file name.
    backup = free_name(path, f"backup {moment:%Y-%m-%d %H.%M.%S}")
    patiently(lambda: os.rename(path, backup))
    return backup


def free_name(path: Path, note: str) -> Path:
    """Return 'stem (note).suffix', or 'stem (note 2).suffix' and so on where that is taken."""
    candidate = path.with_name(f"{path.stem} ({note}){path.suffix}")
    number = 2
    while os.path.lexists(candidate):
        candidate = path.with_name(f"{path.stem} ({note} {number}){path.suffix}")
        number += 1
    return candidate


def can_write_in(folder: Path) -> bool:
    """Say whether a new file can be made in `folder`, by making one and removing it again."""
    probe = Path(folder) / f".posenc-{os.getpid()}-{secrets.token_hex(4)}.part"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError:
        return False
    return True


@contextmanager
def exclusive(path: Path, when_waiting: Callable[[], None] | None = None) -> Iterator[BinaryIO]:
    """Hold the lock file `path` for the length of a with block; wait while another run holds it.

    The operating system drops the lock when its holder ends, however it ends, so that a lock
    file left behind never has to be removed. Where a file system knows no locks, the block runs
    without one. `when_waiting` is called once if there is something to wait for.
    """
    with open(path, "ab") as file:
        while not _try_to_lock(file):
            if when_waiting is not None:
                when_waiting()
                when_waiting = None
            time.sleep(0.1)
        # Closing the file drops the lock, unless a child that inherited it still works.
        yield file


if os.name == "nt":
    import msvcrt

    def _try_to_lock(file: BinaryIO) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_to_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # Some network file systems know no locks: working without is better than not working.
            return True
        return True
