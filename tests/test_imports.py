"""Imports point one way: the mathematics knows no course, and the judge no screen.

The arrows are read from the import statements themselves; that the mathematics is light is seen
in a fresh interpreter.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import posenc

PACKAGE = Path(posenc.__file__).parent
MATHEMATICS = {"posenc.encodings", "posenc.attention", "posenc.geometry"}
BELOW_MATHEMATICS = {"posenc.checks", "posenc.words"}
HEAVY = {
    "ipywidgets",
    "IPython",
    "matplotlib",
    "typer",
    "nbformat",
    "posenc.grading",
    "posenc.classroom",
    "posenc.cli",
}

# It puts stand-ins in the place of the course and imports those, under the course's names.
STAND_INS = "posenc.grading.inside.stub"

# What each room may know of posenc; everything inside a room may know its own.
ARROWS = {
    "posenc.checks": set(),
    "posenc.words": {"posenc.checks"},
    "posenc.encodings": MATHEMATICS | BELOW_MATHEMATICS,
    "posenc.attention": MATHEMATICS | BELOW_MATHEMATICS,
    "posenc.geometry": MATHEMATICS | BELOW_MATHEMATICS,
    "posenc.layers": set(),
    "posenc.values": set(),
    "posenc.calls": {"posenc.values", "posenc.layers"},
    "posenc.training": MATHEMATICS | BELOW_MATHEMATICS,
    # What a notebook keeps of a picture, for the server that saves it too.
    "posenc.saving": set(),
    # Lessons 11 and 12 draw and claim what training measures; it is mathematics too.
    "posenc.figures": MATHEMATICS | BELOW_MATHEMATICS | {"posenc.training", "posenc.saving"},
    # A case is a Call, which is data: the lessons may say what is to be called.
    "posenc.lessons": MATHEMATICS
    | BELOW_MATHEMATICS
    | {"posenc.training", "posenc.layers", "posenc.calls"},
    "posenc.judge": {"posenc.lessons.model", "posenc.values", "posenc.calls"},
}


def modules() -> dict[str, Path]:
    """Every module of the package, by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imported_by(source: str, name: str, is_package: bool) -> set[str]:
    """The dotted names of posenc that the import statements of a module name, at any depth."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            origin = absolute(node, name, is_package)
            found |= {submodule_or(origin, alias.name) for alias in node.names}
    return {module for module in found if module == "posenc" or module.startswith("posenc.")}


def absolute(node: ast.ImportFrom, name: str, is_package: bool) -> str:
    """The module that a from-import names, relative ones resolved."""
    if node.level == 0:
        return node.module or ""
    here = name.split(".") if is_package else name.split(".")[:-1]
    base = here[: len(here) - (node.level - 1)]
    return ".".join([*base, *([node.module] if node.module else [])])


def submodule_or(origin: str, name: str) -> str:
    """origin.name where that is a module, otherwise origin: the rest is what it defines."""
    return f"{origin}.{name}" if f"{origin}.{name}" in MODULES else origin


def imports_of(name: str) -> set[str]:
    path = MODULES[name]
    return imported_by(path.read_text(encoding="utf-8"), name, path.name == "__init__.py")


def within(module: str, room: str) -> bool:
    return module == room or module.startswith(room + ".")


def room_of(name: str) -> str | None:
    return next((room for room in ARROWS if within(name, room)), None)


@pytest.mark.parametrize("name", [name for name in MODULES if room_of(name)])
def test_a_module_imports_only_what_its_room_may_know(name):
    room = room_of(name)
    allowed = ARROWS[room]
    strangers = {
        module
        for module in imports_of(name)
        if module != "posenc" and not within(module, room) and module not in allowed
    }
    assert not strangers


@pytest.mark.parametrize(("room", "other"), [("classroom", "grading"), ("grading", "classroom")])
def test_classroom_and_grading_do_not_know_each_other(room, other):
    for name in set(MODULES) - {STAND_INS}:
        if within(name, f"posenc.{room}"):
            assert not any(within(module, f"posenc.{other}") for module in imports_of(name)), name


def test_nothing_but_the_program_itself_imports_the_command_line():
    for name in set(MODULES) - {"posenc.cli", "posenc.__main__"}:
        if not within(name, "posenc.cli"):
            assert not any(within(module, "posenc.cli") for module in imports_of(name)), name


def test_the_package_itself_imports_nothing():
    tree = ast.parse(MODULES["posenc"].read_text(encoding="utf-8"))
    assert not any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(tree))


@pytest.mark.parametrize("name", sorted(MATHEMATICS | BELOW_MATHEMATICS))
def test_the_mathematics_loads_nothing_heavy(name):
    program = f"import sys, {name}; print(*sorted(sys.modules), sep='\\n')"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(run.stdout.split())
    assert name in loaded
    assert not [module for module in loaded if any(within(module, heavy) for heavy in HEAVY)]


@pytest.mark.parametrize(
    "name", sorted(MATHEMATICS | BELOW_MATHEMATICS | {"posenc.layers", "posenc.training"})
)
def test_the_mathematics_needs_numpy_and_the_standard_library_only(name):
    source = MODULES[name].read_text(encoding="utf-8")
    roots = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            roots.add(node.module.split(".")[0])
    assert roots - {"numpy", "posenc"} <= sys.stdlib_module_names


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import posenc.cli as c", {"posenc.cli"}),
        ("from posenc import geometry, checks", {"posenc.geometry", "posenc.checks"}),
        ("from posenc import __version__", {"posenc"}),
        ("from posenc.encodings import rotate", {"posenc.encodings"}),
        ("def f():\n    from .attention import softmax", {"posenc.attention"}),
        ("from . import words", {"posenc.words"}),
        ("import numpy, json", set()),
    ],
)
def test_the_reader_of_imports_sees_every_form(source, found):
    assert imported_by(source, "posenc.geometry", is_package=False) == found


def test_relative_imports_climb_from_where_the_module_is():
    source = "from ..judge import judge\nfrom .. import calls"
    found = {"posenc.judge", "posenc.calls"}
    assert imported_by(source, "posenc.classroom.check", is_package=False) == found
    assert imported_by(source, "posenc.lessons.inner", is_package=True) == {
        "posenc.lessons.judge",
        "posenc.lessons",
    }
