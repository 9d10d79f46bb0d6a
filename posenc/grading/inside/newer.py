"""Code that is written for a newer Python than the one that grades: what of it can be read here.

Only what is known to be syntax of a newer Python is treated so. A plain mistake of syntax costs its
cell, as in JupyterLab.
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass, field

# Syntax by the release that brought it: PEP 695 and 701 in 3.12, PEP 750 and 758 in 3.14.
SIGNS = (
    ((3, 12), re.compile(r"^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+[ \t]*\[", re.MULTILINE)),
    ((3, 12), re.compile(r"^[ \t]*type[ \t]+\w+[^=\n]*=", re.MULTILINE)),
    ((3, 12), re.compile(r"\b[rR]?[fF][rR]?(\"|')[^\n{]*\{[^}\n]*\1[^\n]*\}[^\n]*\1")),
    ((3, 12), re.compile(r"\b[rR]?[fF][rR]?(\"|')[^\n{]*\{[^}\n]*\\[^}\n]*\}[^\n]*\1")),
    ((3, 14), re.compile(r"^[ \t]*except\*?[ \t]+[\w.]+(?:[ \t]*,[ \t]*[\w.]+)+[ \t]*:", re.M)),
    ((3, 14), re.compile(r"(?<![\w\"'])[rR]?[tT][rR]?(\"|')[^\n]*\1")),
)
GENERIC = re.compile(
    r"^([ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w+)[ \t]*\[([^\]\n]*)\]", re.MULTILINE
)
ALIAS = re.compile(r"^[ \t]*type[ \t]+(\w+)[^=\n]*=[^\n]*$", re.MULTILINE)
EXCEPT = re.compile(r"^([ \t]*except\*?[ \t]+)([\w.]+(?:[ \t]*,[ \t]*[\w.]+)+)[ \t]*:", re.M)
CONTINUES = (")", "]", "}", "else", "elif", "except", "finally", " ", "\t", "#")
MOST_LINES = 5_000
MOST_JOINED = 20


@dataclass
class Pieces:
    """What can be read of a cell: statements, lines left out, and names that are then missing."""

    error: SyntaxError
    nodes: list[ast.stmt] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)


def needed(source: str) -> tuple[int, int] | None:
    """The Python that a text is written for, where that is newer than this one."""
    found = [version for version, sign in SIGNS if sign.search(source)]
    found = [version for version in found if version > sys.version_info[:2]]
    return max(found, default=None)


def pieces(source: str, error: BaseException) -> Pieces | None:
    """The statements of a cell that can be read here; None where no newer Python would read it."""
    version = needed(source) if isinstance(error, SyntaxError) else None
    if version is None or source.count("\n") > MOST_LINES:
        return None
    wanted, here = ".".join(map(str, version)), ".".join(map(str, sys.version_info[:2]))
    older, lost = _rewritten(source)
    said = f"this needs Python {wanted}, and Python {here} grades"
    said += "" if older == source else "; some of it was read in older words"
    made = Pieces(SyntaxError(said), lost=lost)
    chunks = _chunks(older)
    at = 0
    while at < len(chunks):
        read = _longest_readable(chunks, at)
        if read is None:
            text = chunks[at][1].strip()
            made.left_out.append(text.splitlines()[0])
            made.lost.update(re.findall(r"^(?:def|class)[ \t]+(\w+)", text, re.MULTILINE))
            at += 1
        else:
            nodes, at = read
            made.nodes += nodes
    return made


def _rewritten(source: str) -> tuple[str, set[str]]:
    """The same in older words where there are some, and the type names that this takes away."""
    lost = {name for _, names in GENERIC.findall(source) for name in re.findall(r"\w+", names)}
    lost |= set(ALIAS.findall(source))
    older = ALIAS.sub("", GENERIC.sub(r"\1", source))
    return EXCEPT.sub(r"\1(\2):", older), lost


def _chunks(source: str) -> list[tuple[int, str]]:
    """The text cut before each line that may begin a statement, with the numbers of the lines."""
    found: list[tuple[int, list[str]]] = []
    decorated = False
    for number, line in enumerate(source.splitlines(), 1):
        goes_on = not line.strip() or line.startswith(CONTINUES) or decorated
        decorated = line.startswith("@")
        if found and goes_on:
            found[-1][1].append(line)
        else:
            found.append((number, [line]))
    return [(number, "\n".join(lines)) for number, lines in found if "".join(lines).strip()]


def _longest_readable(chunks: list[tuple[int, str]], at: int) -> tuple[list[ast.stmt], int] | None:
    """The statements of the first chunk, joined with later ones where it needs them."""
    number, text = chunks[at]
    for end in range(at + 1, min(len(chunks), at + MOST_JOINED) + 1):
        try:
            nodes = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            text += "\n" + chunks[end][1] if end < len(chunks) else ""
            continue
        for node in nodes:
            ast.increment_lineno(node, number - 1)
        return nodes, end
    return None
