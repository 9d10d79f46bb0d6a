"""Gradebooks of learning systems: one small module for each form, found by its folder.

A module here has `FORMAT`. Its file name is what `--columns` calls it. A new learning system is one
more file; nothing else names the forms.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache


def _nothing(most: int) -> list[list[str]]:
    return []


@dataclass(frozen=True)
class Format:
    """A gradebook's form.

    columns: from a heading to what is under it; names in braces are the fields of `exports`, and
    {title} in a heading becomes "Lesson 6". delimiter and encoding: of the file. lead(most): rows
    between the headings and the first person, given the points that can be earned.
    """

    columns: Mapping[str, str]
    delimiter: str = ","
    # The mark at the beginning makes spreadsheets read names beyond ASCII; learning systems cope.
    encoding: str = "utf-8-sig"
    lead: Callable[[int], list[list[str]]] = _nothing


@cache
def all_formats() -> Mapping[str, Format]:
    """The forms that are in this folder, by the names of their files."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: importlib.import_module(f"{__name__}.{name}").FORMAT for name in names}
