"""Wrong in a way that a single call does not show: python tests/holes.py [LESSON …]

Every challenge's reference is spoilt in the ways that a list of cases can miss, the same for all:
kept state (an array that the next call overwrites, a memo that forgets an argument, an answer that
is right only once), limits in size (200 rows, one byte, two bytes). Prints the spoilt answers that
pass; ends with status 1 where one does that `EXCUSED` does not name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from posenc import lessons
from posenc.judging import calls, judge, values
from posenc.judging.model import Challenge

SEEDS = (0, 1, 2)
Answer = Callable[..., Any]


def reused_buffer(right: Answer) -> Answer:
    """One array for all answers, a new view of it each time."""
    buffer = np.zeros(2_000_000)
    whole = np.zeros(2_000_000, dtype=np.int64)
    yes_no = np.zeros(2_000_000, dtype=bool)

    def does(*args: Any, **kwargs: Any) -> Any:
        value = right(*args, **kwargs)
        if not isinstance(value, np.ndarray):
            return value
        space = {"b": yes_no, "f": buffer}.get(value.dtype.kind, whole)
        view = space[: value.size].reshape(value.shape)
        view[...] = value
        return view

    return does


def buffer_by_shape(right: Answer) -> Answer:
    """One array for all answers of a shape."""
    kept: dict[Any, np.ndarray] = {}

    def does(*args: Any, **kwargs: Any) -> Any:
        value = right(*args, **kwargs)
        if not isinstance(value, np.ndarray):
            return value
        view = kept.setdefault((value.shape, value.dtype), np.empty_like(value))
        view[...] = value
        return view

    return does


def first_answer(right: Answer) -> Answer:
    """The first answer, whatever comes later."""
    kept: list[Any] = []

    def does(*args: Any, **kwargs: Any) -> Any:
        if not kept:
            kept.append(right(*args, **kwargs))
        return kept[0]

    return does


def right_once(right: Answer) -> Answer:
    """Right when it is asked for the first time, and off by one after that."""
    seen: set[bytes] = set()

    def does(*args: Any, **kwargs: Any) -> Any:
        key = _key(args, kwargs)
        value = right(*args, **kwargs)
        if key in seen:
            return spoilt(value)
        seen.add(key)
        return value

    return does


def wears_out(right: Answer) -> Answer:
    """Right for the first six calls."""
    count = [0]

    def does(*args: Any, **kwargs: Any) -> Any:
        count[0] += 1
        value = right(*args, **kwargs)
        return spoilt(value) if count[0] > 6 else value

    return does


def forgets(name: str) -> Callable[[Answer], Answer]:
    """A memo whose key leaves one argument out."""

    def wraps(right: Answer) -> Answer:
        signature, kept = inspect.signature(right), {}

        def does(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            key = _key((), {n: v for n, v in given.arguments.items() if n != name})
            if key not in kept:
                kept[key] = right(*args, **kwargs)
            return kept[key]

        return does

    return wraps


def capped(most: int) -> Callable[[Answer], Answer]:
    """Whole numbers in, and lengths, are taken modulo `most`, as a small type does."""

    def wraps(right: Answer) -> Answer:
        def does(*args: Any, **kwargs: Any) -> Any:
            return right(*(_cut(a, most) for a in args), **kwargs)

        return does

    return wraps


def counted_in(kind: type) -> Callable[[Answer], Answer]:
    """Whole numbers out, in a small type."""

    def wraps(right: Answer) -> Answer:
        def does(*args: Any, **kwargs: Any) -> Any:
            value = right(*args, **kwargs)
            with np.errstate(all="ignore"):
                if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
                    return value.astype(kind)
                if isinstance(value, int) and not isinstance(value, bool):
                    return int(np.int64(value % 2**63).astype(kind))
            return value

        return does

    return wraps


def rows_end(most: int) -> Callable[[Answer], Answer]:
    """A table that ends after `most` rows or columns: beyond it there are zeros."""

    def wraps(right: Answer) -> Answer:
        def does(*args: Any, **kwargs: Any) -> Any:
            value = right(*args, **kwargs)
            if isinstance(value, np.ndarray):
                value = value.copy()
                for axis in range(value.ndim):
                    np.moveaxis(value, axis, 0)[most:] = 0
            return value

        return does

    return wraps


def spoilt(value: Any) -> Any:
    """A value that is wrong in its first part."""
    if isinstance(value, np.ndarray):
        value = value.copy()
        if value.dtype.kind == "b":
            value.flat[::3] = ~value.ravel()[::3]
        else:
            value.flat[::3] += 1
        return value
    if isinstance(value, tuple | list):
        return type(value)([spoilt(value[0]), *value[1:]]) if value else value
    if isinstance(value, dict):
        key = next(iter(value))
        return {**value, key: spoilt(value[key])}
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return {"neither": "invariant"}.get(value, "neither") if isinstance(value, str) else 0


def _cut(value: Any, most: int) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value % most
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return value % most
    return value


def _key(args: tuple, kwargs: dict) -> bytes:
    layers = [repr(inspect.getclosurevars(a)) if callable(a) else a for a in args]
    named = {n: repr(inspect.getclosurevars(v)) if callable(v) else v for n, v in kwargs.items()}
    return values.encode([layers, named])


WRAPS: dict[str, Callable[[Answer], Answer]] = {
    "reused buffer": reused_buffer,
    "buffer by shape": buffer_by_shape,
    "first answer": first_answer,
    "right once": right_once,
    "wears out": wears_out,
    "numbers below 256": capped(256),
    "numbers below 32768": capped(2**15),
    "numbers below 65536": capped(2**16),
    "counts in one byte": counted_in(np.int8),
    "counts in an unsigned byte": counted_in(np.uint8),
    "counts in two bytes": counted_in(np.int16),
    "a table of 200 rows": rows_end(200),
}


def holes(challenge: Challenge, seeds: Sequence[int] = SEEDS) -> Iterator[str]:
    """The spoilt answers to a challenge that pass with one of the seeds."""
    right = challenge.reference
    if isinstance(right, type):
        return
    names = list(inspect.signature(right).parameters)
    wraps = {n: w for n, w in WRAPS.items() if _applies(n, judge.plan(challenge, 0))}
    wraps |= {f"memo without `{n}`": forgets(n) for n in names if len(names) > 1}
    for name, wrap in wraps.items():
        for seed in seeds:
            plan = judge.plan(challenge, seed)
            work = calls.perform(plan.calls, wrap(right), quiet=False)
            if all(f is None for f in judge.deciding.faults(plan, work)):
                yield name
                break


def _applies(name: str, plan: judge.Plan) -> bool:
    """Whether a way to be wrong means anything for the answers and arguments of a challenge."""
    answers = [a[-1].value for a in plan.expected.answers]
    arrays = any(isinstance(v, np.ndarray) for v in answers)
    whole = any(
        (isinstance(v, int) and not isinstance(v, bool))
        or (isinstance(v, np.ndarray) and v.dtype.kind in "iu")
        for v in answers
    )
    names = set(inspect.signature(plan.challenge.reference).parameters)
    if "below" in name:
        return bool(names & (LONG if "256" in name else FAR))
    if "buffer" in name or "rows" in name:
        return arrays
    return whole if "counts" in name else True


# Arguments that count positions or features, and those that are positions of a long text.
LONG = {"length", "width", "positions", "distances", "document_ids"}
FAR = {"positions", "document_ids"}
# What passes and does no harm, by challenge; the reason stands beside it.
EXCUSED: dict[str, set[str]] = {
    "1.1": {"counts in two bytes"},  # no text of the cases is that long
    "2.2": {"memo without `mask`"},  # an argument of the reference alone
    "2.4": {"memo without `x`", "memo without `order`"},  # the word is the layer's, whatever x is
    "3.3": {"counts in two bytes"},  # a position beyond 32,767
    "4.2": {"counts in one byte", "counts in an unsigned byte", "counts in two bytes"},
    "5.1": {"buffer by shape"},  # one shape, one table
    "5.2": {
        "counts in one byte",
        "counts in an unsigned byte",
        "counts in two bytes",
        "numbers below 256",  # a text of 256 positions has its look-alike earlier
    },
    "6.2": {"memo without `dtype`"},  # an argument of the reference alone
    "7.1": {"counts in two bytes"},  # a width of 65,536
    "7.3": {"counts in two bytes"},  # 32,768 positions in one call
    "9.1": {"a table of 200 rows"},  # a width of 200
    "9.3": {"a table of 200 rows"},
    "9.4": {"a table of 200 rows"},
    "11.2": {"counts in two bytes"},  # a text of 32,768 tokens
    "11.3": {"counts in two bytes"},
    "11.4": {"counts in two bytes"},
    "12.1": {"memo without `pairing`"},  # an argument of the reference alone
    "12.2": {"buffer by shape"},  # one shape, one bias
    "12.3": {"a table of 200 rows"},  # a width of 400
    "12.4": {"a table of 200 rows"},  # 200 ranges
}


def main(numbers: list[int]) -> int:
    """Print what passes; the exit status."""
    found = 0
    for each in lessons.LESSONS:
        if numbers and each.number not in numbers:
            continue
        for challenge in lessons.challenges(each.number):
            passing = [n for n in holes(challenge) if n not in EXCUSED.get(challenge.id, set())]
            found += len(passing)
            print(challenge.id, challenge.name, "; ".join(passing) or "-", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]]))
