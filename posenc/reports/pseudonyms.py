"""Names for the projector: the same learner has the same one each time, and nobody can compute it.

A pseudonym is a code such as K7Q2F, made from the learner's name and a secret. The secret is kept
in a file beside the results, so that pages made later use the same codes; whoever has that file and
a list of names can undo them.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from pathlib import Path

from posenc.files import write_whole
from posenc.grading.learners import key

FILE = "posenc-pseudonyms.key"
# No vowels, so that no code is a word or a name; no signs that are read as another one.
LETTERS, DIGITS = "BCDFGHJKLMNPQRSTVWXZ", "23456789"


def pseudonyms(names: Iterable[str], secret: bytes) -> dict[str, str]:
    """A code for each name. Names that differ in case or spacing only are one learner's."""
    by_key: dict[str, list[str]] = {}
    for name in names:
        by_key.setdefault(key(name), []).append(name)
    found: dict[str, str] = {}
    taken: set[str] = set()
    # In the order of their digests, which says nothing about the names.
    for each in sorted(by_key, key=lambda each: _digest(secret, each, 0)):
        attempt = 0
        while (code := _code(_digest(secret, each, attempt))) in taken:
            attempt += 1
        taken.add(code)
        found.update(dict.fromkeys(by_key[each], code))
    return found


def secret_in(folder: Path) -> tuple[bytes, bool]:
    """The secret kept in `folder`, made if there is none; and whether it is kept there."""
    path = folder / FILE
    try:
        kept = bytes.fromhex(path.read_text(encoding="ascii").strip())
        if len(kept) >= 16:
            return kept, True
    except (OSError, ValueError):
        pass  # none yet, or damaged: a new one is made
    made = secrets.token_bytes(16)
    try:
        write_whole(path, (made.hex() + "\n").encode())
    except OSError:
        return made, False
    return made, True


def _digest(secret: bytes, name: str, attempt: int) -> bytes:
    return hmac.new(secret, f"{attempt} {name}".encode(), hashlib.sha256).digest()


def _code(digest: bytes) -> str:
    number = int.from_bytes(digest[:8], "big")
    code = ""
    for signs in (LETTERS, DIGITS, LETTERS, DIGITS, LETTERS):
        number, place = divmod(number, len(signs))
        code += signs[place]
    return code
