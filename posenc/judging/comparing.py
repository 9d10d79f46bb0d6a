"""One value against another: in the form asked for, and where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from posenc.judging import sentences, values
from posenc.judging.model import Challenge, Fault


def conform(want: Any, value: Any) -> Any:
    """`value` in the form of `want`, or a Fault at step 'type' or 'shape'.

    Tuples, lists and arrays of plain numbers stand for each other; whole values stand for ints;
    bools and numbers do not stand for each other.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()].item()
    if isinstance(want, np.ndarray):
        return _as_array(want, value)
    if isinstance(want, (tuple, list)):
        return _as_sequence(want, value)
    if isinstance(want, dict):
        return _as_dict(want, value)
    if want is None or isinstance(want, str):
        return value if want is None or isinstance(value, str) else _returned("type", value)
    if isinstance(value, bool) is not isinstance(want, bool):
        return Fault("type", sentences.bools_and_numbers(isinstance(want, bool), value))
    if isinstance(want, bool):
        return value
    if not isinstance(value, (int, float)):
        return _returned("type", value)
    if isinstance(want, float) and isinstance(value, int):
        return value if math.isfinite(as_float(value)) else as_float(value)
    if isinstance(want, int) and isinstance(value, float) and np.isfinite(value):
        if value != int(value):
            return Fault("type", sentences.not_whole(value))
        return int(value)
    return value


def _as_array(want: np.ndarray, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        value = _stacked(value)
        if isinstance(value, Fault):
            return value
    if not isinstance(value, np.ndarray):
        return _returned("shape" if isinstance(value, (bool, int, float)) else "type", value)
    if value.dtype.kind == "c":
        if value.imag.any():
            return Fault("type", "Complex numbers were returned.")
        said = "Complex numbers were returned, all with imaginary part 0. Return their real parts."
        return Fault("type", said)
    if value.size and (value.dtype.kind == "b") is not (want.dtype.kind == "b"):
        return Fault("type", sentences.bools_and_numbers(want.dtype.kind == "b", value))
    if value.shape != want.shape:
        return Fault("shape", sentences.other_shape(want.shape, value.shape))
    return value


def _stacked(value: Any) -> np.ndarray | Fault:
    """A list or tuple, nested or not, as an array of bools or of numbers."""
    kinds = {kind(leaf) for leaf in _leaves(value)}
    name = type(value).__name__
    if not kinds <= {"bool", "number"}:
        odd = next(leaf for leaf in _leaves(value) if kind(leaf) not in ("bool", "number"))
        return Fault("type", f"A {name} was returned with {sentences.called(odd)} in it.")
    if len(kinds) > 1:
        return Fault("type", f"A {name} was returned that mixes True or False with numbers.")
    try:
        stacked = np.array(value)
    except ValueError:
        return Fault("shape", f"A {name} was returned whose rows have different lengths.")
    if stacked.dtype.kind != "O":
        return stacked
    return np.array([as_float(leaf) for leaf in stacked.ravel()]).reshape(stacked.shape)


def as_float(number: Any) -> float:
    """A real number as a float; a whole one beyond all floats is infinite, as 1e309 is."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _leaves(value: Any) -> Iterator[Any]:
    for item in value:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def kind(leaf: Any) -> str:
    """'bool', 'number' or 'other'."""
    if isinstance(leaf, np.ndarray):
        return {"b": "bool"}.get(leaf.dtype.kind, "number" if leaf.dtype.kind in "iuf" else "other")
    if isinstance(leaf, bool):
        return "bool"
    return "number" if isinstance(leaf, (int, float)) else "other"


def _as_sequence(want: tuple | list, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = list(value) if value.ndim > 1 else value.tolist()
    if not want and isinstance(value, dict) and not value:
        return ()
    if not isinstance(value, (list, tuple)):
        return _returned("type", value)
    if len(value) != len(want):
        return Fault("shape", sentences.other_length(len(want), len(value)))
    parts = []
    for number, (one, other) in enumerate(zip(want, value)):
        part = conform(one, other)
        if isinstance(part, Fault):
            which = f"The {sentences.ordinal(number)} of the {len(want)} values"
            return Fault(part.step, f"{which}: {part.reason}")
        parts.append(part)
    return tuple(parts)


def _as_dict(want: dict, value: Any) -> Any:
    if not isinstance(value, dict):
        return _returned("type", value)
    missing = [repr(k) for k in want if k not in value]
    extra = [repr(k) for k in value if k not in want]
    if missing or extra:
        return Fault("type", sentences.other_keys(missing, extra))
    found = {}
    for key, one in want.items():
        part = conform(one, value[key])
        if isinstance(part, Fault):
            return Fault(part.step, f"The entry {key!r}: {part.reason}")
        found[key] = part
    return found


def difference(want: Any, got: Any, absolute: float, relative: float) -> str:
    """Where `got`, of the form of `want`, first differs, in words; '' where it does not.

    Real numbers may differ by `absolute` plus `relative` times the size asked for; all else is
    exact.
    """
    if isinstance(want, np.ndarray):
        wrong = ~close(want, got, absolute, relative)
        return sentences.entries_differ(wrong, want, got) if wrong.any() else ""
    if isinstance(want, tuple | list):
        for number, (one, other) in enumerate(zip(want, got)):
            found = difference(one, other, absolute, relative)
            if found:
                return f"the {sentences.ordinal(number)} value is off: {found}"
        return ""
    if isinstance(want, dict):
        for key, one in want.items():
            found = difference(one, got[key], absolute, relative)
            if found:
                return f"the entry {key!r} is off: {found}"
        return ""
    same = same_single(want, got, absolute, relative)
    return "" if same else sentences.not_the_answer(want, got)


def same_single(want: Any, got: Any, absolute: float, relative: float) -> bool:
    """Whether two values that are no array, tuple or dict are the same answer."""
    if isinstance(want, float) and not isinstance(want, bool):
        return isinstance(got, (int, float)) and bool(
            close(np.array(want), np.array(as_float(got)), absolute, relative)
        )
    return type(want) is type(got) and want == got


def close(want: np.ndarray, got: np.ndarray, absolute: float, relative: float) -> np.ndarray:
    """Which entries of two arrays of one shape are equal, within the tolerance if real."""
    if want.dtype.kind != "f":
        return np.asarray(got == want)
    with np.errstate(all="ignore"):
        near = np.abs(got.astype(float) - want) <= absolute + relative * np.abs(want)
    # Only a mistake's own answer holds NaN or infinity here: equal ones count as the same mistake.
    return near | (got == want) | (np.isnan(want) & np.isnan(got.astype(float)))


def first_not_finite(want: Any, got: Any) -> str:
    """Where `got` holds NaN or infinity and `want` does not, in words; '' where nowhere."""
    if isinstance(want, np.ndarray) and got.dtype.kind == "f":
        bad = ~np.isfinite(got)
        if want.dtype.kind == "f":
            bad &= np.isfinite(want)
        return sentences.not_finite(bad, got) if bad.any() else ""
    if isinstance(want, (tuple, list)):
        return next(filter(None, map(first_not_finite, want, got)), "")
    if isinstance(want, dict):
        return next(filter(None, (first_not_finite(v, got[k]) for k, v in want.items())), "")
    if isinstance(got, float) and not np.isfinite(got):
        return f"{got} was returned, which is not finite."
    return ""


def same_value(challenge: Challenge, known: Any, value: Any) -> bool:
    """Whether two plain values are the same answer, within the challenge's tolerance."""
    if known is None or value is None or known is Ellipsis or value is Ellipsis:
        return known is value
    if next(refused(known), None) is not None or next(refused(value), None) is not None:
        return isinstance(known, values.Refused) and known == value
    shaped = conform(known, value)
    if isinstance(shaped, Fault):
        return False
    return not difference(known, shaped, challenge.absolute, challenge.relative)


def identical(before: Any, after: Any) -> bool:
    """Whether an argument is after a call what it was before."""
    if isinstance(before, np.ndarray):
        return (
            isinstance(after, np.ndarray)
            and before.shape == after.shape
            and bool(np.array_equal(before, after, equal_nan=before.dtype.kind == "f"))
        )
    return type(before) is type(after) and before == after


def refused(value: Any) -> Iterator[values.Refused]:
    """The parts of a value that have no plain form."""
    if isinstance(value, values.Refused):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from refused(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from refused(item)


def _returned(step: str, value: Any) -> Fault:
    return Fault(step, sentences.was_returned(value))
