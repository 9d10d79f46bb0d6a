"""What a piece of notebook code defines, and what it needs that is not defined before it."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterable

GIVEN_BY_IPYTHON = frozenset({"display", "get_ipython", "In", "Out", "_", "__name__"})


def unbound(codes: Iterable[str]) -> list[tuple[int, str]]:
    """(place of the code, name) for each name that is used before any of the codes binds it.

    Names used inside a function may be bound by a later code.
    """
    known = set(dir(builtins)) | GIVEN_BY_IPYTHON
    missing: list[tuple[int, str]] = []
    inside: list[tuple[int, str]] = []
    for place, code in enumerate(codes):
        bound, now, later = names(code)
        known |= bound
        missing += [(place, name) for name in sorted(now - known)]
        inside += [(place, name) for name in sorted(later)]
    return sorted(set(missing + [(place, name) for place, name in inside if name not in known]))


def names(code: str) -> tuple[set[str], set[str], set[str]]:
    """Global names that a code binds, uses at its top level, and uses inside functions."""
    top = symtable.symtable(code, "<cell>", "exec")
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    bound |= {s.get_name() for s in top.get_symbols() if s.is_namespace()}
    now = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    later: set[str] = set()
    inner = list(top.get_children())
    while inner:
        table = inner.pop()
        inner += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_global():
                (bound if symbol.is_assigned() else later).add(symbol.get_name())
    return bound, now, later
