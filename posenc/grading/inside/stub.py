"""What stands in for the course while a notebook is graded: names that answer in one line.

`check`, `hint` and the rest of `posenc.classroom` print a line and return something that counts as
true, as in JupyterLab. Every other name of the course can be imported, so that a lesson handed in
by mistake still runs, and says in a sentence that an exercise does not need it as soon as it is
used. A cell goes on without the line that used it.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
import types
from collections.abc import Callable
from typing import Any

SILENT = {
    "check": "Checks are made by the grader, after the notebook has run.",
    "hint": "Hints are not shown while a notebook is graded.",
    "solution": "Solutions are not shown while a notebook is graded.",
    "case": "Cases are not at hand while a notebook is graded.",
    "ask": "Questions are not graded.",
    "claim": "Claims are not measured while a notebook is graded.",
    "playground": "Playgrounds are not drawn while a notebook is graded.",
    "progress": "Progress is not kept while a notebook is graded.",
}


class NotNeeded(RuntimeError):
    """A graded answer used a part of the course that is not there."""


class Absent:
    """Stands for a name of the course: may be imported and assigned, not used."""

    def __init__(self, name: str) -> None:
        self.__dict__["_name"] = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotNeeded(sentence(self._name))

    def __getattr__(self, attribute: str) -> Any:
        raise NotNeeded(sentence(f"{self._name}.{attribute}"))

    def __repr__(self) -> str:
        return f"<{self._name}: not there while a notebook is graded>"

    def __bool__(self) -> bool:
        return True


def _refuses(name: str) -> Callable[..., Any]:
    def used(self: Absent, *args: Any) -> Any:
        raise NotNeeded(sentence(self._name))

    used.__name__ = name
    return used


# What Python looks up in the class: without them, using the name would look like a mistake.
LOOKED_UP = """
    iter next len getitem setitem contains enter exit float int array eq ne lt gt le ge
    add radd sub rsub mul rmul truediv rtruediv matmul rmatmul pow rpow neg
"""
for _name in LOOKED_UP.split():
    setattr(Absent, f"__{_name}__", _refuses(f"__{_name}__"))


class Module(types.ModuleType):
    """A module of the course by name only."""

    __path__: list = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the course, and makes it a stub."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.split(".")[0] != "posenc":
            return None
        return importlib.util.spec_from_loader(name, self, is_package=True)

    def create_module(self, spec: Any) -> Module:
        return Module(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        if module.__name__ == "posenc.classroom":
            module.__all__ = list(SILENT)
            for name, line in SILENT.items():
                setattr(module, name, _says(name, line))


def sentence(name: str) -> str:
    """What a learner reads who used a part of the course in a graded answer."""
    return f"{name} is not there while a notebook is graded: the exercise does not need it"


def install(version: str) -> None:
    """Take away every module of the course that is loaded, and put stubs in their place."""
    for name in [n for n in sys.modules if n.split(".")[0] == "posenc"]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder())
    stand_in = importlib.import_module("posenc")
    importlib.import_module("posenc.classroom")
    stand_in.__version__ = version


def _says(name: str, line: str) -> Callable[..., Absent]:
    def silent(*args: Any, **kwargs: Any) -> Absent:
        print(line)
        return Absent(f"what {name}() returns")

    silent.__name__ = silent.__qualname__ = name
    return silent
