"""What a module of the course rests on, read from its import statements, whatever room it is in.

Three things depend on it: whether a kept run of a lesson is still good, whether a mark was given by
the judge as it is now, and which modules go to the process that runs learners' code. Each names
where it starts; nobody keeps a list of the rest.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import posenc

PACKAGE = Path(posenc.__file__).parent


def path_of(module: str, package: Path = PACKAGE) -> Path | None:
    """The file of `module`, such as posenc.encodings; None where there is none."""
    path = package.joinpath(*module.split(".")[1:])
    for found in (path.with_suffix(".py"), path / "__init__.py"):
        if module != "posenc" and found.is_file():
            return found
    face = package / "__init__.py"
    return face if module == "posenc" and face.is_file() else None


def modules_in(room: str, package: Path = PACKAGE) -> list[str]:
    """The dotted names of all modules in the folder of `room`, itself and folders below it too."""
    folder = package.joinpath(*room.split(".")[1:])
    names = (path.relative_to(package.parent).with_suffix("") for path in folder.rglob("*.py"))
    return sorted(".".join(n.parts).removesuffix(".__init__") for n in names)


def imported_by(module: str, package: Path = PACKAGE) -> set[str]:
    """The modules of the course that `module` imports, at any depth of its code."""
    path = path_of(module, package)
    if path is None:
        return set()
    here = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    return set(_named(ast.parse(path.read_text(encoding="utf-8")), here, package))


def imported_in(code: str, package: Path = PACKAGE) -> set[str]:
    """The modules of the course that a piece of code outside it imports."""
    return set(_named(ast.parse(code), [], package))


def _named(tree: ast.Module, here: list[str], package: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.split(".")[0] == "posenc")
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - (node.level - 1)] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            if origin.split(".")[0] == "posenc":
                for alias in node.names:
                    inside = f"{origin}.{alias.name}"
                    yield inside if path_of(inside, package) else origin


def closure(modules: Iterable[str], package: Path = PACKAGE) -> list[str]:
    """`modules` and all of the course that they rest on, the packages they are in too, sorted."""
    found: set[str] = set()
    left = list(modules)
    while left:
        module = left.pop()
        if module and module not in found and path_of(module, package) is not None:
            found.add(module)
            left += [*imported_by(module, package), module.rpartition(".")[0]]
    return sorted(found)


def source_hash(modules: Iterable[str], package: Path = PACKAGE) -> str:
    """A hash of the files of `modules`, to the byte."""
    found = hashlib.sha256()
    for module in modules:
        path = path_of(module, package)
        if path is not None:
            found.update(module.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def decisions_hash(modules: Iterable[str], package: Path = PACKAGE) -> str:
    """A hash of what `modules` do: comments, docstrings and wording make no difference.

    A string that holds a blank is taken for wording; the strings that decide a mark, such as
    'invariant' or 'float16', are single words.
    """
    found = hashlib.sha256()
    for module in modules:
        path = path_of(module, package)
        if path is not None:
            tree = _Decisions().visit(ast.parse(path.read_text(encoding="utf-8")))
            found.update(module.encode() + b"\0" + ast.dump(tree).encode() + b"\0")
    return found.hexdigest()


class _Decisions(ast.NodeTransformer):
    """Takes wording out of a tree: docstrings, strings with a blank, formatted strings."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        wording = isinstance(node.value, str) and " " in node.value
        return ast.Constant("") if wording else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.Constant:
        return ast.Constant("")
