"""Imports point one way: the mathematics knows no course, and the judge no screen.

The arrows are read from the import statements themselves; that the mathematics is light is seen
in a fresh interpreter.
"""

import ast
import subprocess
import sys

import pytest

from posenc import closure

ROOMS = {
    # A room may import itself, the rooms above it in this list, and no other.
    "errors": set(),
    "arguments": set(),
    "files": set(),
    "saving": set(),
    "closure": set(),
    "places": {"errors", "files"},
    "bags": {"arguments"},
    "encodings": {"arguments"},
    "attention": {"arguments"},
    "geometry": {"arguments", "encodings", "attention"},
    "training": {"arguments", "encodings", "attention"},
    "judging": {"errors"},
    "figures": {"bags", "encodings", "attention", "geometry", "training", "saving"},
    "lessons": {"bags", "encodings", "attention", "geometry", "training", "judging"},
    "classroom": {"errors", "files", "places", "saving", "figures", "lessons", "judging"},
    # The start page says what is done, which the classroom keeps.
    "learning": {"errors", "files", "places", "saving", "lessons", "classroom"},
    "grading": {"errors", "files", "places", "closure", "lessons", "judging"},
    "reports": {"errors", "files", "places", "closure", "lessons", "judging", "grading"},
    "hosting": {"errors", "files", "places", "lessons", "grading"},
    "authoring": {
        "errors",
        "files",
        "places",
        "closure",
        "saving",
        "lessons",
        "judging",
        "learning",
    },
}
MATHEMATICS = ("arguments", "bags", "encodings", "attention", "geometry", "training")
HEAVY = ("ipywidgets", "IPython", "matplotlib", "typer", "nbformat", "posenc.grading")
MODULES = closure.modules_in("posenc")


def room_of(module: str) -> str:
    """The room of a module: the first name after posenc."""
    return module.split(".")[1] if "." in module else ""


@pytest.mark.parametrize("module", [m for m in MODULES if room_of(m) in ROOMS])
def test_a_module_imports_only_what_its_room_may_know(module):
    room = room_of(module)
    known = {room_of(other) for other in closure.imported_by(module)} - {"", room}
    assert known <= ROOMS[room]


def test_every_module_is_in_a_room():
    assert {room_of(m) for m in MODULES} - set(ROOMS) == {"", "cli", "__main__"}


def test_the_package_itself_imports_nothing():
    tree = ast.parse(closure.path_of("posenc").read_text(encoding="utf-8"))
    assert not any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(tree))


@pytest.mark.parametrize("name", MATHEMATICS)
def test_the_mathematics_loads_nothing_heavy(name):
    program = f"import sys, posenc.{name}; print(*sorted(sys.modules), sep='\\n')"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = run.stdout.split()
    assert f"posenc.{name}" in loaded
    assert not [m for m in loaded if any(m == h or m.startswith(h + ".") for h in HEAVY)]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("import posenc.cli as c", {"posenc.cli"}),
        ("from posenc import geometry, arguments", {"posenc.geometry", "posenc.arguments"}),
        ("from posenc import __version__", {"posenc"}),
        ("def f():\n    from posenc.encodings import rotate", {"posenc.encodings"}),
        ("import numpy, json", set()),
    ],
)
def test_the_reader_of_imports_sees_every_form(code, found):
    assert closure.imported_in(code) == found


def test_relative_imports_climb_from_where_the_module_is(tmp_path):
    package = tmp_path / "posenc"
    (package / "judging").mkdir(parents=True)
    for name in ("__init__", "encodings", "judging/__init__", "judging/judge"):
        (package / f"{name}.py").touch()
    (package / "judging" / "calls.py").write_text("from .judge import x\nfrom .. import encodings")
    found = {"posenc.judging.judge", "posenc.encodings"}
    assert closure.imported_by("posenc.judging.calls", package) == found
    assert closure.closure(["posenc.judging.calls"], package) == sorted(
        found | {"posenc", "posenc.judging", "posenc.judging.calls"}
    )


def test_a_change_of_wording_decides_nothing_and_a_change_of_a_reference_does(tmp_path):
    package = tmp_path / "posenc"
    package.mkdir()
    module = package / "bags.py"

    def mark(text: str) -> str:
        module.write_text(text)
        return closure.decisions_hash(["posenc.bags"], package)

    before = mark('"""Bags."""\nSAYS = "not yet"\ndef f(x):\n    return x + 1\n')
    assert before == mark('"""Words."""\nSAYS = "still open"\ndef f(x):  # why\n    return x + 1\n')
    assert before != mark('"""Bags."""\nSAYS = "not yet"\ndef f(x):\n    return x + 2\n')
    assert mark('KIND = "float16"\n') != mark('KIND = "float32"\n')


def test_a_mark_rests_on_the_references_wherever_they_are():
    decides = closure.closure(["posenc.judging.judge", *closure.modules_in("posenc.lessons")])
    assert {f"posenc.{m}" for m in (*MATHEMATICS, "judging.values")} - {"posenc.training"} <= set(
        decides
    )
