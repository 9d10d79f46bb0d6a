"""Fill an exercise from the learner's copy of a lesson, so that nobody copies cells by hand.

The answer to a challenge is its cell: the one marked with the challenge, or one of the learner's
that defines the function asked for. Code cells that the learner added among the challenges come
along, and so do those before them which the answers use. The rest of the lesson stays behind.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from posenc.errors import CourseError
from posenc.files import exclusive, set_aside, write_whole
from posenc.learning.names import names, unbound
from posenc.learning.workspace import LOCK
from posenc.places import command, course_folder, lesson_name, open_working_folder
from posenc.saving import notebook_metadata

FOLDER = "handin"
ROLES = ("challenge-text", "challenge", "check")


@dataclass
class Handin:
    """What was put together, by challenge id, and what the learner should know before sending it.

    `undefined` maps a challenge to the names that its answer uses and the exercise does not have.
    """

    path: Path
    saved: datetime | None = None
    backup: Path | None = None
    answered: list[str] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)
    not_attempted: list[str] = field(default_factory=list)
    not_found: dict[str, str] = field(default_factory=dict)
    undefined: dict[str, list[str]] = field(default_factory=dict)
    carried: int = 0
    other_edition: bool = False

    def describe(self) -> str:
        """Return the lines that a learner reads."""
        lines = [f"To hand in: {self.path}"]
        if self.saved is not None:
            lines.append(f"It holds your copy as it was saved on {self.saved:%d %B at %H:%M}.")
        lines.append(f"Answered: {', '.join(self.answered) or 'none'}.")
        if self.carried:
            lines.append(f"Cells of your own that came along: {self.carried}.")
        if self.not_attempted:
            lines.append(f"Not attempted: {', '.join(self.not_attempted)}.")
        for challenge, function in self.not_found.items():
            lines.append(
                f"Not found: {challenge}. Your copy has neither its cell nor a cell that defines "
                f"`{function}`."
            )
        for challenge in self.partly:
            lines.append(f"{challenge} still has a `return ...` in it.")
        for challenge, missing in self.undefined.items():
            listed = ", ".join(f"`{name}`" for name in missing)
            lines.append(
                f"{challenge} uses {listed}, which the exercise does not define. "
                "Define it in the cell of the challenge, save, and run this again."
            )
        if self.other_edition:
            lines.append("Your copy is of another edition of the lesson than the exercise.")
        if self.backup is not None:
            lines.append(f"An earlier one is kept as {self.backup.name!r}.")
        return "\n".join(lines)


def handin(lesson: str | int, folder: Path | None = None, course: Path | None = None) -> Handin:
    """Write `handin/NN_name.ipynb` in the working folder from the learner's copy of a lesson.

    Raises NotUnderstood for a lesson that there is not, CourseError where a file is missing or
    is no notebook. An earlier file of the same name is kept under a dated one.
    """
    course = Path(course) if course is not None else course_folder()
    name = lesson_name(lesson, course / "notebooks")
    folder = open_working_folder(folder)
    copy = folder / name
    if not copy.is_file():
        raise CourseError(f"{copy} does not exist. `{command('start')}` brings the lesson back.")
    exercise = read_notebook(course / "exercises" / name)
    shipped = read_notebook(course / "notebooks" / name)
    work = read_notebook(copy)
    result = Handin(folder / FOLDER / name, datetime.fromtimestamp(copy.stat().st_mtime))
    result.other_edition = _edition(work) != _edition(shipped)
    filled = _Filling(exercise, shipped, work, result).fill()
    content = (json.dumps(filled, indent=1, ensure_ascii=False) + "\n").encode()
    with exclusive(folder / LOCK):
        result.path.parent.mkdir(exist_ok=True)
        if os.path.lexists(result.path):
            if result.path.is_file() and result.path.read_bytes() == content:
                return result
            result.backup = set_aside(result.path)
        write_whole(result.path, content)
    return result


def read_notebook(path: Path) -> dict:
    """Return a notebook of format 4 with each cell's source as one string.

    Raises CourseError where the file is missing or is no such notebook.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
        cells = notebook["cells"]
        for cell in cells:
            cell["source"] = "".join(cell.get("source", ""))
            cell.setdefault("metadata", {})
    except FileNotFoundError as error:
        raise CourseError(f"{path} does not exist. Get the course again, whole.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CourseError(
            f"{path} cannot be read as a notebook ({error}). Open it in JupyterLab and save it; "
            f"or `{command('reset')} {int(path.name[:2])}`, which keeps it under a dated name."
        ) from error
    return notebook


def _edition(notebook: dict) -> object:
    return notebook_metadata(json.dumps(notebook).encode()).get("sha256")


def role_of(cell: dict) -> tuple[str, str] | None:
    """Return a cell's part in a challenge, such as ("check", "6.2"), or None."""
    about = cell["metadata"].get("posenc")
    challenge = about.get("challenge") if isinstance(about, dict) else None
    tags = cell["metadata"].get("tags")
    for role in ROLES:
        if isinstance(challenge, str) and isinstance(tags, list) and role in tags:
            return role, challenge
    return None


class _Filling:
    """One exercise being filled: what is the learner's, and where it goes."""

    def __init__(self, exercise: dict, shipped: dict, work: dict, result: Handin) -> None:
        self.exercise = exercise
        self.work = work["cells"]
        self.result = result
        self.shipped = {
            cell.get("id"): cell["source"] for cell in [*shipped["cells"], *exercise["cells"]]
        }
        roles = [(role_of(cell), cell) for cell in exercise["cells"]]
        self.stubs = {role[1]: cell for role, cell in roles if role and role[0] == "challenge"}
        self.used: set[int] = set()  # places in the learner's copy that are answers

    def fill(self) -> dict:
        """Return the exercise with the learner's code in it."""
        answers = {challenge: self._answer(challenge) for challenge in self.stubs}
        after = self._own_cells_by_anchor()
        cells: list[dict] = []
        for cell in self.exercise["cells"]:
            role = role_of(cell)
            if role and role[0] == "challenge" and answers[role[1]]:
                cells += _in_place_of(cell, answers[role[1]])
            else:
                cells.append(cell)
            cells += map(_fresh, after.get(role, []) if role else [])
        cells = self._with_what_they_use(cells)
        _give_ids(cells)
        self._say_what_is_undefined(cells)
        return self.exercise | {"cells": cells}

    def _answer(self, challenge: str) -> list[dict]:
        """Return the learner's cells that answer a challenge, and note what they are."""
        stub = self.stubs[challenge]["source"]
        function = next(iter(_defined(stub)), "")
        code = [cell["source"] for cell in self.work]
        mark = ("challenge", challenge)
        marked = [place for place, cell in enumerate(self.work) if role_of(cell) == mark]
        places = [place for place in marked if not _same_code(code[place], stub)]
        if not places:
            places = [place for place in self._own_places() if function in _bound(code[place])]
        self.used.update(marked + places)
        if places:
            self.result.answered.append(challenge)
            if any(_has_open_part(code[place]) for place in places):
                self.result.partly.append(challenge)
        elif marked:
            self.result.not_attempted.append(challenge)
        else:
            self.result.not_found[challenge] = function
        return [self.work[place] for place in places]

    def _own_places(self) -> Iterator[int]:
        """Yield the places of code that the learner wrote or changed, except in given cells."""
        for place, cell in enumerate(self.work):
            if cell.get("cell_type") != "code" or not _does_something(cell["source"]):
                continue
            role = role_of(cell)
            if role and role[0] == "challenge" or "given" in (cell["metadata"].get("tags") or []):
                continue
            known = self.shipped.get(cell.get("id"))
            if known is None and role is None:
                yield place
            elif known != cell["source"] and _bound(cell["source"]):
                yield place  # a helper written into one of the lesson's cells

    def _own_cells_by_anchor(self) -> dict[tuple[str, str], list[dict]]:
        """Return the learner's cells among the challenges, by the exercise's cell they follow."""
        anchors = {role_of(cell) for cell in self.exercise["cells"]} - {None}
        own = set(self._own_places()) - self.used
        found: dict[tuple[str, str], list[dict]] = {}
        anchor = None
        for place, cell in enumerate(self.work):
            role = role_of(cell)
            anchor = role if role in anchors else anchor
            if place in own and anchor is not None:
                found.setdefault(anchor, []).append(cell)
                self.used.add(place)
                self.result.carried += 1
        return found

    def _with_what_they_use(self, cells: list[dict]) -> list[dict]:
        """Return the cells with those from before the challenges that define what they use."""
        first = next(place for place, cell in enumerate(cells) if role_of(cell))
        before: set[int] = set()
        while True:
            helpers = [_fresh(self.work[place]) for place in sorted(before)]
            together = cells[:first] + helpers + cells[first:]
            missing = set().union(*_undefined(together).values())
            free = [place for place in self._own_places() if place not in self.used | before]
            needed = {place for place in free if _bound(self.work[place]["source"]) & missing}
            if not needed:
                self.used |= before
                self.result.carried += len(before)
                return together
            before |= needed

    def _say_what_is_undefined(self, cells: list[dict]) -> None:
        for place, missing in _undefined(cells).items():
            role = role_of(cells[place])
            if role and role[0] == "challenge":
                self.result.undefined[role[1]] = missing


def _in_place_of(cell: dict, answers: list[dict]) -> list[dict]:
    """Return the exercise's cell with the first answer's source, and further ones behind it."""
    return [cell | {"source": answers[0]["source"]}, *map(_fresh, answers[1:])]


def _fresh(cell: dict) -> dict:
    """Return a learner's code cell without outputs and without a part in a challenge."""
    return {
        "cell_type": "code", "id": cell.get("id"), "metadata": {}, "source": cell["source"],
        "outputs": [], "execution_count": None,
    }  # fmt: skip


def _give_ids(cells: list[dict]) -> None:
    """Give each cell an id of its own, keeping those that are valid and not yet taken."""
    taken: set[str] = {str(cell.get("id")) for cell in cells if cell["metadata"]}
    for place, cell in enumerate(cells):
        name = str(cell.get("id"))
        if cell["metadata"]:
            continue
        while not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) or name in taken:
            name = hashlib.sha256(f"{place} {name} {cell['source']}".encode()).hexdigest()[:12]
        taken.add(name)
        cell["id"] = name


# Reading code that may be wrong


def _plain(code: str) -> str:
    """Return code with IPython's own lines (%, !, ?) turned into comments."""
    return re.sub(r"(?m)^(\s*)([%!?].*)$", r"\1pass  # \2", code)


def _parsed(code: str) -> ast.Module | None:
    try:
        return ast.parse(_plain(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _does_something(code: str) -> bool:
    tree = _parsed(code)
    return tree is None or bool(tree.body)


def _defined(code: str) -> list[str]:
    """Return the functions and classes that a code defines at its top level, in order."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    tree = _parsed(code)
    return [node.name for node in tree.body if isinstance(node, kinds)] if tree else []


def _bound(code: str) -> set[str]:
    """Return the names that a code binds; with a syntax error in it, those it seems to define."""
    if _parsed(code) is None:
        return set(re.findall(r"(?m)^(?:async +)?(?:def|class) +(\w+)", code))
    return names(_plain(code))[0]


def _same_code(one: str, other: str) -> bool:
    """Say whether two codes do the same, whatever their comments, spaces and docstrings."""
    tree, other_tree = _parsed(one), _parsed(other)
    if tree is None or other_tree is None:
        return one.strip() == other.strip()
    return _without_docstrings(tree) == _without_docstrings(other_tree)


def _without_docstrings(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        told = first.value if isinstance(first, ast.Expr) else None
        if isinstance(told, ast.Constant) and isinstance(told.value, str):
            del body[0]
    return ast.dump(tree)


def _has_open_part(code: str) -> bool:
    tree = _parsed(code)
    return tree is not None and any(
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.Constant)
        and node.value.value is Ellipsis
        for node in ast.walk(tree)
    )


def _undefined(cells: list[dict]) -> dict[int, list[str]]:
    """Return the names that code cells use and no cell defines, by the place of the cell."""
    code = [place for place, cell in enumerate(cells) if cell.get("cell_type") == "code"]
    readable = [place for place in code if _parsed(cells[place]["source"]) is not None]
    found: dict[int, list[str]] = {}
    for which, name in unbound(_plain(cells[place]["source"]) for place in readable):
        found.setdefault(readable[which], []).append(name)
    return found
