"""What a wrong answer has to do with the right one, measured: a factor, a shift, an order, a place.

Each pattern is a small piece: from one wrong part of an answer it proposes keys (a factor, say), it
predicts from a key what every other wrong part should hold, and it has a sentence. Patterns are
tried from the most telling to the least. A prediction that comes true is worth some bits, more for
a real number than for a yes or no; what a pattern was free to choose is taken off, and below
`ENOUGH` nothing is said, so that chance fits do not happen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from posenc.judging import sentences
from posenc.judging.calls import Call
from posenc.judging.comparing import close
from posenc.judging.elsewhere import Elsewhere, quantities

Array = np.ndarray

ENOUGH = 30.0  # bits: a chance of one in 10^9 for each pattern tried
REAL_BITS = 12.0
CHOSEN_BITS = 16.0  # what a real number that a pattern may choose takes off
MOST_COUNTED = 60  # entries of one part that count; many thousands say no more
MOST_KEYS = 40
PARTLY = 0.6  # of the wrong calls, at least, where a pattern does not hold in all of them


@dataclass(eq=False)
class Part:
    """One array or number that was asked for, what was returned, and at which entries it is wrong.

    call: the number of the call. matters: at which entries a value can be wrong. name: which part
    of a tuple or dictionary, in words. whole and yes_no: whether whole numbers, or True and False,
    are asked for. stored_whole: whether an array of whole numbers was returned.
    """

    call: int
    want: Array
    got: Array
    wrong: Array
    matters: Array
    name: str = ""
    whole: bool = False
    yes_no: bool = False
    stored_whole: bool = False

    @cached_property
    def largest(self) -> int:
        """The place, in one row, of the largest entry asked for ."""
        size = np.abs(self.want)
        return int(np.argmax(size))

    @cached_property
    def first(self) -> int:
        """The place of the first wrong entry."""
        return int(np.argmax(self.wrong))

    @cached_property
    def offset(self) -> float:
        """What was returned there, less what was asked for."""
        return float(self.got.ravel()[self.first] - self.want.ravel()[self.first])

    @property
    def is_wrong(self) -> bool:
        """Whether any entry is wrong."""
        return bool(self.wrong.any())


@dataclass(frozen=True)
class Evidence:
    """All parts of an answer that can be compared, and what patterns may ask about the calls."""

    parts: Sequence[Part]
    absolute: float
    relative: float
    calls: int
    elsewhere: Elsewhere
    wrong_calls: frozenset[int] = frozenset()
    canonical: Callable[[Call, Any], Any] | None = None

    @property
    def wrong(self) -> list[Part]:
        """The parts that are wrong, the richest first."""
        return sorted((p for p in self.parts if p.is_wrong), key=lambda p: -_counted(p))

    def holds(self, part: Part, predicted: Any) -> bool:
        """Whether a prediction is what was returned, at each entry that matters."""
        if predicted is None or np.shape(predicted) != part.got.shape:
            return False
        predicted = np.asarray(predicted, dtype=float)
        if self.canonical is not None:
            predicted = self.canonical(self.elsewhere.call(part.call), predicted)
        size = np.maximum(np.abs(predicted), np.abs(part.got))
        with np.errstate(all="ignore"):
            near = np.abs(predicted - part.got) <= np.minimum(
                self.absolute + self.relative * size, 1e-3 * size + 1e-9
            )
        return bool(near.all())


@dataclass(frozen=True)
class Found:
    """A pattern that fits: its name, and what to say."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Pattern:
    """A kind of wrong answer.

    keys(part, evidence): what may describe this part. predict(part, key, evidence): what a part
    should hold then. say(key, parts): the sentence, without a stop. chosen(part, key): the bits
    that a key was free to take.
    """

    name: str
    keys: Callable[[Part, Evidence], Iterable[Any]]
    predict: Callable[[Part, Any, Evidence], Any]
    say: Callable[[Any, Sequence[Part]], str]
    chosen: Callable[[Part, Any], float] = lambda part, key: 4.0
    own: bool = False  # each part chooses for itself
    partly: bool = True
    scoped: bool = True  # whether the calls in which it holds are told after the sentence


PATTERNS: list[Pattern] = []


def find(evidence: Evidence) -> Found | None:
    """The first pattern by which all wrong entries follow from the right ones, or None."""
    wrong = evidence.wrong
    if not wrong:
        return None
    for pattern in PATTERNS:
        found = _fit(pattern, wrong, evidence)
        if found is not None:
            return found
    return None


def _fit(pattern: Pattern, wrong: Sequence[Part], evidence: Evidence) -> Found | None:
    best: tuple[int, Any, list[Part]] | None = None
    keys: list[Any] = []
    for part in wrong[:3]:
        for key in pattern.keys(part, evidence):
            if not any(_same_key(key, known) for known in keys):
                keys.append(key)
            if len(keys) >= MOST_KEYS:
                break
    for key in keys:
        fitting = [p for p in wrong if evidence.holds(p, pattern.predict(p, key, evidence))]
        if best is None or len(fitting) > best[0]:
            best = (len(fitting), key, fitting)
        if len(fitting) == len(wrong):
            break
    if best is None or not best[0]:
        return None
    count, key, fitting = best
    exact = all(p.want.ndim == 0 and (p.whole or p.yes_no) for p in wrong)
    partly = pattern.partly and not exact and count >= max(3, PARTLY * len(wrong))
    if count < len(wrong) and not partly:
        return None
    taken = [pattern.chosen(part, key) for part in fitting]
    if _bits(fitting) - (sum(taken) if pattern.own else max(taken)) < ENOUGH:
        return None
    said = pattern.say(key, fitting)
    scope = _scope(fitting, wrong, evidence) if pattern.scoped else ""
    return Found(pattern.name, f"{_subject(fitting)}{said}{scope}.")


def _same_key(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)
    return type(one) is type(other) and bool(one == other)


def _subject(parts: Sequence[Part]) -> str:
    names = {part.name for part in parts}
    name = names.pop() if len(names) == 1 else ""
    return f"in {name}, " if name else ""


def _scope(fitting: Sequence[Part], wrong: Sequence[Part], evidence: Evidence) -> str:
    calls = len({p.call for p in fitting})
    all_wrong = len(evidence.wrong_calls | {p.call for p in wrong})
    if calls < all_wrong:
        return f", in {calls} of the {all_wrong} calls that are wrong"
    if all_wrong == evidence.calls:
        return f", in all {calls} calls" if calls > 1 else ""
    return f", in each of the {calls} calls that are wrong" if calls > 1 else ""


def _counted(part: Part) -> int:
    """How many different values were asked for where the part is wrong."""
    where_wrong = part.want[part.wrong]
    return len({float(f"{v:.6g}") for v in where_wrong.ravel()[: 4 * MOST_COUNTED].tolist()})


def _bits(parts: Sequence[Part]) -> float:
    """What it is worth that all of these parts are as predicted."""
    total = 0.0
    for part in parts:
        entries = int(part.wrong.sum())
        if part.yes_no:
            total += min(part.want.size, 64) * 0.5
        elif part.whole:
            spread = float(np.ptp(part.want)) if part.want.size > 1 else abs(float(part.want.max()))
            each = min(REAL_BITS, math.log2(2 + spread))
            total += min(_counted(part) + 0.25 * (entries - _counted(part)), MOST_COUNTED) * each
        else:
            total += min(_counted(part), MOST_COUNTED) * REAL_BITS
    return total


def _noun(parts: Sequence[Part]) -> str:
    return "your answer is" if all(p.want.ndim == 0 for p in parts) else "each of your entries is"


# ------------------------------------------------------------------ each entry by a rule


def _bfloat16(w: Array) -> Array:
    exponent = np.frexp(w)[1]
    unit = np.ldexp(1.0, exponent - 8)
    return np.rint(w / unit) * unit


def _safe(f: Callable[[Array], Array]) -> Callable[[Array], Array]:
    def does(w: Array) -> Array:
        with np.errstate(all="ignore"):
            return f(w)

    return does


# name: (what is predicted from the value asked for, the sentence after "each of your entries is")
RULES: dict[str, tuple[Callable[[Array], Array], str]] = {
    "sign": (lambda w: -w, "{noun} the one asked for with its sign turned round"),
    "complement": (lambda w: 1 - w, "{noun} 1 minus the one asked for"),
    "reciprocal": (_safe(lambda w: 1 / w), "{noun} one over the one asked for"),
    "squared": (_safe(lambda w: w**2), "{noun} the square of the one asked for"),
    "root": (_safe(np.sqrt), "{noun} the square root of the one asked for"),
    "logarithm": (_safe(np.log), "{noun} the natural logarithm of the one asked for"),
    "logarithm-2": (_safe(np.log2), "{noun} the logarithm to base 2 of the one asked for"),
    "logarithm-10": (_safe(np.log10), "{noun} the logarithm to base 10 of the one asked for"),
    "exponential": (_safe(np.exp), "{noun} e to the power of the one asked for"),
    "cosine": (_safe(np.cos), "{noun} the cosine of the one asked for"),
    "sine": (_safe(np.sin), "{noun} the sine of the one asked for"),
    "without-sign": (np.abs, "{noun} the one asked for without its sign"),
    "cut-at-zero": (
        lambda w: np.maximum(w, 0),
        "what should be negative is 0 in yours, and the rest is right",
    ),
    "cut-at-one": (
        lambda w: np.minimum(w, 1),
        "what should be above 1 is 1 in yours, and the rest is right",
    ),
}
ROUNDINGS: dict[str, tuple[Callable[[Array], Array], str]] = {
    "truncated": (
        np.trunc,
        "{noun} the whole number that is left when the fraction of the one asked for is cut off",
    ),
    "rounded-down": (np.floor, "{noun} the one asked for rounded down to a whole number"),
    "rounded-up": (np.ceil, "{noun} the one asked for rounded up to a whole number"),
    "rounded": (np.rint, "{noun} the one asked for rounded to a whole number"),
    "float16": (
        _safe(lambda w: w.astype(np.float16).astype(float)),
        "{noun} the one asked for as float16 stores it, right to about three digits",
    ),
    "bfloat16": (
        _safe(_bfloat16),
        "{noun} the one asked for as bfloat16 stores it, right to two or three digits",
    ),
    **{
        f"{n}-digits": (
            (lambda w, n=n: np.round(w, n)),
            f"{{noun}} the one asked for rounded to {sentences.plural(n, 'place')} after the point",
        )
        for n in (1, 2, 3, 4)
    },
}
WRAPS = {
    "one-byte": (np.int8, "what one byte keeps of the one asked for, from −128 to 127"),
    "one-unsigned-byte": (np.uint8, "what one byte keeps of the one asked for, from 0 to 255"),
    "two-bytes": (np.int16, "what two bytes keep of the one asked for, up to 32,767"),
    "four-bytes": (np.int32, "what four bytes keep of the one asked for, up to 2,147,483,647"),
}
for name, (kind, words) in WRAPS.items():
    ROUNDINGS[name] = (
        _safe(lambda w, kind=kind: np.rint(w).astype(np.int64).astype(kind).astype(float)),
        f"{{noun}} {words}",
    )


def _by_rule(rules: dict[str, tuple[Callable[[Array], Array], str]], name: str) -> Pattern:
    rule, words = rules[name]

    def predict(part: Part, key: Any, evidence: Evidence) -> Any:
        predicted = rule(part.want)
        return predicted if np.isfinite(predicted).all() else None

    def keys(part: Part, evidence: Evidence) -> Iterable[Any]:
        if (
            rules is ROUNDINGS
            and part.got.size > 1
            and not np.ptp(part.got)
            and not part.stored_whole
        ):
            return ()  # one value everywhere: that is another pattern
        return (name,)

    def say(key: Any, parts: Sequence[Part]) -> str:
        return words.format(noun=_noun(parts))

    return Pattern(name, keys, predict, say, partly=rules is RULES)


# ------------------------------------------------------------------ a factor, an offset


NAMED = {
    math.pi: "π",
    2 * math.pi: "2π",
    math.pi / 2: "π/2",
    1 / math.pi: "1/π",
    1 / (2 * math.pi): "1/(2π)",
    180 / math.pi: "180/π, radians to degrees",
    math.pi / 180: "π/180, degrees to radians",
    math.e: "e",
    math.log(2): "ln 2",
    1 / math.log(2): "1/ln 2",
    math.log(10): "ln 10",
    1 / math.log(10): "1/ln 10",
    2 / 3: "2/3",
    3 / 2: "3/2",
}


def named_factor(factor: float) -> str:
    """How a factor is written in formulas: ' (√3)'; '' where it is a plain number."""
    for known, words in NAMED.items():
        if math.isclose(abs(factor), known, rel_tol=2e-5):
            return f" ({'−' if factor < 0 else ''}{words})"
    for value, words in ((factor**2, "√{}"), (factor**-2, "1/√{}"), (1 / factor, "1/{}")):
        near = round(value)
        small = 1 < near <= 1024 and math.isclose(value, near, rel_tol=2e-5)
        root_is_whole = words != "1/{}" and math.isqrt(near if near > 0 else 0) ** 2 == near
        if small and not root_is_whole and factor > 0:
            return f" ({words.format(near)})"
    return ""


def _ratio(part: Part, evidence: Evidence) -> float | None:
    """The factor that leads from what was asked for to what was returned, if there is one."""
    want, got = part.want.ravel(), part.got.ravel()
    place = part.largest
    if part.yes_no or not want[place]:
        return None
    factor = float(got[place] / want[place])
    if not math.isfinite(factor) or abs(factor) < 1e-9 or math.isclose(factor, 1, rel_tol=1e-6):
        return None
    return factor


def _factor_keys(part: Part, evidence: Evidence) -> Iterator[float]:
    factor = _ratio(part, evidence)
    if factor is not None:
        yield factor


PATTERNS += [_by_rule(RULES, "sign")]

PATTERNS.append(
    Pattern(
        "factor",
        _factor_keys,
        lambda part, key, evidence: None if part.yes_no else part.want * key,
        lambda key, parts: (
            f"{_noun(parts)} {sentences.number(key)} times the one asked for{named_factor(key)}"
        ),
        chosen=lambda part, key: CHOSEN_BITS,
    )
)


def _shift_keys(part: Part, evidence: Evidence) -> Iterator[float]:
    if not part.yes_no and math.isfinite(part.offset) and part.offset:
        yield part.offset


def _say_offset(key: float, parts: Sequence[Part]) -> str:
    way = "above" if key > 0 else "below"
    by = sentences.number(abs(key) if abs(key) != round(abs(key), 9) else round(abs(key), 9))
    return f"{_noun(parts)} {by} {way} the one asked for"


PATTERNS.append(
    Pattern(
        "offset",
        _shift_keys,
        lambda part, key, evidence: None if part.yes_no else part.want + key,
        _say_offset,
        chosen=lambda part, key: CHOSEN_BITS if key != round(key) else 4.0,
    )
)


# ------------------------------------------------------------------ another order


def _axes(part: Part) -> range:
    return range(part.want.ndim)


def axis_words(ndim: int, axis: int, many: bool = True) -> str:
    """What lies along an axis: 'rows', 'columns', 'entries'."""
    if ndim == 1:
        return "entries" if many else "entry"
    if axis in (ndim - 1, ndim - 2):
        word = "column" if axis == ndim - 1 else "row"
        return f"{word}s" if many else word
    return f"parts along axis {axis}" if many else f"part along axis {axis}"


def _transposed(part: Part, key: tuple, evidence: Evidence) -> Any:
    if part.want.ndim < 2 or len(key) != part.want.ndim:
        return None
    return part.want.transpose(key)


def _transposed_keys(part: Part, evidence: Evidence) -> Iterator[tuple]:
    if part.want.ndim >= 2:
        last = (*range(part.want.ndim - 2), part.want.ndim - 1, part.want.ndim - 2)
        yield last
        if part.want.ndim == 3:
            yield from ((1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1))


def _say_transposed(key: tuple, parts: Sequence[Part]) -> str:
    if key == (1, 0) or key[-2:] == (len(key) - 1, len(key) - 2):
        return "yours is transposed: its rows are the columns asked for"
    return f"yours has its axes in another order, {key} of those asked for"


PATTERNS.append(Pattern("transposed", _transposed_keys, _transposed, _say_transposed))


def _flipped(part: Part, key: tuple, evidence: Evidence) -> Any:
    ndim, axis = key
    return np.flip(part.want, axis) if part.want.ndim == ndim else None


PATTERNS.append(
    Pattern(
        "reversed",
        lambda part, evidence: [(part.want.ndim, a) for a in reversed(_axes(part))],
        _flipped,
        lambda key, parts: f"yours has the {axis_words(*key)} asked for in reverse order",
    )
)


def _rolled_keys(part: Part, evidence: Evidence) -> Iterator[tuple]:
    for axis in reversed(_axes(part)):
        length = part.want.shape[axis]
        for step in sorted(range(1, length), key=lambda s: min(s, length - s))[:6]:
            yield (part.want.ndim, axis, step if step <= length // 2 else step - length)


def _rolled(part: Part, key: tuple, evidence: Evidence) -> Any:
    ndim, axis, step = key
    return np.roll(part.want, step, axis) if part.want.ndim == ndim else None


def _say_rolled(key: tuple, parts: Sequence[Part]) -> str:
    ndim, axis, step = key
    way = "later" if step > 0 else "earlier"
    word = axis_words(ndim, axis)
    by = f"{sentences.plural(abs(step), 'place')} {way}"
    return f"the {word} asked for are in yours {by}, and what passes the end is at the other end"


PATTERNS.append(Pattern("cyclic-shift", _rolled_keys, _rolled, _say_rolled))


def _slid_keys(part: Part, evidence: Evidence) -> Iterator[tuple]:
    for axis in reversed(_axes(part)):
        if part.want.shape[axis] > 2:
            yield from ((part.want.ndim, axis, 1), (part.want.ndim, axis, -1))


def _slid(part: Part, key: tuple, evidence: Evidence) -> Any:
    """What was asked for, one place on; the place that is left free is what was returned."""
    ndim, axis, step = key
    if part.want.ndim != ndim or part.want.shape[axis] < 2:
        return None
    moved = np.roll(part.want, step, axis).astype(float)
    edge = [slice(None)] * ndim
    edge[axis] = slice(0, 1) if step > 0 else slice(-1, None)
    moved[tuple(edge)] = part.got[tuple(edge)]
    return moved


def _say_slid(key: tuple, parts: Sequence[Part]) -> str:
    ndim, axis, step = key
    which = f"the {axis_words(ndim, axis, many=False)} asked for one place"
    return f"each {axis_words(ndim, axis, many=False)} of yours is {which} {_side(step)}"


def _side(step: int) -> str:
    return "before it" if step > 0 else "after it"


PATTERNS.append(
    Pattern(
        "off-by-one",
        _slid_keys,
        _slid,
        _say_slid,
        chosen=lambda part, key: REAL_BITS * part.want.size / part.want.shape[key[1]],
        own=True,
    )
)

ORDERS: dict[str, tuple[Callable[[int], list[int]], str]] = {
    "neighbours exchanged": (
        lambda n: [i + 1 if i % 2 == 0 else i - 1 for i in range(n)],
        "two and two exchanged",
    ),
    "even ones first": (
        lambda n: [*range(0, n, 2), *range(1, n, 2)],
        "first those with an even number, then those with an odd one",
    ),
    "odd ones first": (
        lambda n: [*range(1, n, 2), *range(0, n, 2)],
        "first those with an odd number, then those with an even one",
    ),
    "halves interleaved": (
        lambda n: np.argsort([*range(0, n, 2), *range(1, n, 2)], kind="stable").tolist(),
        "those of the first half and of the second by turns",
    ),
    "halves exchanged": (
        lambda n: [*range(n // 2, n), *range(n // 2)],
        "the second half before the first",
    ),
}


def _ordered(part: Part, key: tuple, evidence: Evidence) -> Any:
    ndim, axis, name = key
    if part.want.ndim != ndim:
        return None
    order = ORDERS[name][0](part.want.shape[axis])
    if sorted(order) != list(range(part.want.shape[axis])):
        return None
    return np.take(part.want, order, axis)


PATTERNS.append(
    Pattern(
        "order",
        lambda part, evidence: [
            (part.want.ndim, axis, name) for axis in reversed(_axes(part)) for name in ORDERS
        ],
        _ordered,
        lambda key, parts: (
            f"yours has the {axis_words(key[0], key[1])} asked for in another order, "
            f"{ORDERS[key[2]][1]}"
        ),
    )
)


def _permuted(part: Part, key: tuple, evidence: Evidence) -> Any:
    """The rows (or columns) asked for, each put where an equal one was returned."""
    ndim, axis = key
    if part.want.ndim != ndim or part.want.shape[axis] > 200:
        return None
    want = np.moveaxis(part.want, axis, 0).reshape(part.want.shape[axis], -1)
    got = np.moveaxis(part.got, axis, 0).reshape(part.want.shape[axis], -1)
    left, order = list(range(len(want))), []
    for row in got:
        place = next(
            (n for n in left if close(want[n], row, evidence.absolute, evidence.relative).all()),
            None,
        )
        if place is None:
            return None
        left.remove(place)
        order.append(place)
    return np.take(part.want, order, axis)


def _order_bits(part: Part, key: tuple) -> float:
    length = part.want.shape[key[1]] if part.want.ndim > key[1] else 1
    return math.lgamma(length + 1) / math.log(2)


PATTERNS.append(
    Pattern(
        "another-order",
        lambda part, evidence: [(part.want.ndim, axis) for axis in reversed(_axes(part))],
        _permuted,
        lambda key, parts: f"yours has the {axis_words(*key)} asked for in another order",
        chosen=_order_bits,
        own=True,
    )
)


def _shuffled(part: Part, key: Any, evidence: Evidence) -> Any:
    if part.want.ndim < 2 or part.want.size < 6:
        return None
    predicted = np.empty(part.want.size)
    predicted[np.argsort(part.got.ravel(), kind="stable")] = np.sort(part.want.ravel())
    return predicted.reshape(part.want.shape)


PATTERNS.append(
    Pattern(
        "other-places",
        lambda part, evidence: ("other-places",),
        _shuffled,
        lambda key, parts: "yours holds the right values at other places",
        chosen=lambda part, key: (
            math.lgamma(part.want.size + 1) / math.log(2) / 2
            + 4 * min(part.want.size, MOST_COUNTED)
        ),
        own=True,
    )
)


# ------------------------------------------------------------------ rules, roundings, states


PATTERNS += [_by_rule(RULES, name) for name in RULES if name != "sign"]
PATTERNS += [_by_rule(ROUNDINGS, name) for name in ROUNDINGS]


def _law_keys(part: Part, evidence: Evidence, measured: Callable[[Part], float | None]) -> list:
    value = measured(part)
    if value is None:
        return []
    call = evidence.elsewhere.call(part.call)
    return [
        (words, power)
        for words, quantity in quantities(evidence.elsewhere.signature, call, part.want)
        for power in (1.0, -1.0, 0.5, -0.5, 2.0, -2.0)
        if quantity > 0 and math.isclose(value, quantity**power, rel_tol=2e-5)
    ]


def _quantity(part: Part, key: tuple, evidence: Evidence) -> float | None:
    words, power = key
    call = evidence.elsewhere.call(part.call)
    found = dict(quantities(evidence.elsewhere.signature, call, part.want)).get(words)
    return None if found is None or found <= 0 else float(found**power)


POWERS = {
    1.0: "{}",
    -1.0: "one over {}",
    0.5: "the square root of {}",
    -0.5: "one over the square root of {}",
    2.0: "the square of {}",
    -2.0: "one over the square of {}",
}


def _scaled_by_law(part: Part, key: tuple, evidence: Evidence) -> Any:
    value = _quantity(part, key, evidence)
    return None if value is None or part.yes_no else part.want * value


PATTERNS.append(
    Pattern(
        "factor-of-the-call",
        lambda part, evidence: _law_keys(part, evidence, lambda p: _ratio(p, evidence)),
        _scaled_by_law,
        lambda key, parts: (
            f"{_noun(parts)} the one asked for times {POWERS[key[1]].format(key[0])}"
        ),
        chosen=lambda part, key: 10.0,
        partly=False,
    )
)


def _offset_of(part: Part) -> float | None:
    return None if part.yes_no else part.offset


PATTERNS.append(
    Pattern(
        "offset-of-the-call",
        lambda part, evidence: [
            (words, power, sign)
            for sign in (1, -1)
            for words, power in _law_keys(
                part,
                evidence,
                lambda p, sign=sign: None if _offset_of(p) is None else sign * _offset_of(p),
            )
            if power == 1.0
        ],
        lambda part, key, evidence: (
            None
            if _quantity(part, key[:2], evidence) is None or part.yes_no
            else part.want + key[2] * _quantity(part, key[:2], evidence)
        ),
        lambda key, parts: (
            f"{_noun(parts)} the one asked for {'plus' if key[2] > 0 else 'minus'} {key[0]}"
        ),
        chosen=lambda part, key: 10.0,
        partly=False,
    )
)


def _own_factor(part: Part, key: Any, evidence: Evidence) -> Any:
    factor = _ratio(part, evidence)
    return None if factor is None or part.want.ndim == 0 else part.want * factor


def _say_own_factors(key: Any, parts: Sequence[Part]) -> str:
    found = [abs(float(p.got.ravel()[p.largest] / p.want.ravel()[p.largest])) for p in parts]
    return (
        "in each call your entries are those asked for times one number, "
        f"from {min(found):.4g} to {max(found):.4g}"
    )


PATTERNS.append(
    Pattern(
        "factor-each",
        lambda part, evidence: ("each",) if _ratio(part, evidence) else (),
        _own_factor,
        _say_own_factors,
        chosen=lambda part, key: CHOSEN_BITS,
        own=True,
    )
)


def _own_offset(part: Part, key: Any, evidence: Evidence) -> Any:
    if part.want.ndim == 0 or part.yes_no:
        return None
    return part.want + part.offset


PATTERNS.append(
    Pattern(
        "offset-each",
        lambda part, evidence: ("each",),
        _own_offset,
        lambda key, parts: "in each call your entries are off by one and the same number",
        chosen=lambda part, key: CHOSEN_BITS,
        own=True,
    )
)


def _line_by_line(part: Part, key: tuple, evidence: Evidence) -> Any:
    """Each row (or column) asked for, times or plus a number of its own."""
    ndim, axis, kind = key
    if part.want.ndim != ndim or part.yes_no or part.want.shape[axis] < 3:
        return None
    want, got = np.moveaxis(part.want, axis, -1), np.moveaxis(part.got, axis, -1)
    with np.errstate(all="ignore"):
        if kind == "times":
            place = np.argmax(np.abs(want), axis=-1)[..., None]
            ratio = np.take_along_axis(got, place, -1) / np.take_along_axis(want, place, -1)
            ratio = np.where(np.isfinite(ratio), ratio, 1)
            if np.mean(ratio == 0) > 0.5:
                return None
            predicted = want * ratio
        else:
            predicted = want + (got[..., :1] - want[..., :1])
    return np.moveaxis(predicted, -1, axis)


def _say_lines(key: tuple, parts: Sequence[Part]) -> str:
    ndim, axis, kind = key
    across = ndim - 1 if axis == ndim - 2 else ndim - 2
    line = axis_words(ndim, across, many=False) if ndim > 1 else "row"
    if kind == "times":
        return f"each {line} of yours is the {line} asked for times a number of its own"
    return f"each {line} of yours is the {line} asked for plus a number of its own"


PATTERNS.append(
    Pattern(
        "line-by-line",
        lambda part, evidence: [
            (part.want.ndim, axis, kind)
            for axis in list(reversed(_axes(part)))[:2]
            if part.want.ndim >= 2
            for kind in ("times", "plus")
        ],
        _line_by_line,
        _say_lines,
        chosen=lambda part, key: (
            CHOSEN_BITS * min(part.want.size / max(part.want.shape[key[1]], 1), MOST_COUNTED / 2)
        ),
        own=True,
    )
)


def _slice_by_slice(part: Part, key: Any, evidence: Evidence) -> Any:
    """Each part along the first axis, times a number of its own."""
    if part.want.ndim != 3 or part.yes_no or part.want[0].size < 4:
        return None
    size = np.abs(part.want).reshape(len(part.want), -1)
    places = np.argmax(size, axis=1)[:, None]
    want, got = (a.reshape(len(part.want), -1) for a in (part.want, part.got))
    with np.errstate(all="ignore"):
        ratio = np.take_along_axis(got, places, 1) / np.take_along_axis(want, places, 1)
    return part.want * np.where(np.isfinite(ratio), ratio, 1)[..., None]


PATTERNS.append(
    Pattern(
        "slice-by-slice",
        lambda part, evidence: ("times",),
        _slice_by_slice,
        lambda key, parts: (
            "each part of yours along axis 0 is the one asked for times a number of its own"
        ),
        chosen=lambda part, key: CHOSEN_BITS * min(len(part.want), 3),
        own=True,
    )
)


def _signs(part: Part, key: Any, evidence: Evidence) -> Any:
    if part.yes_no or not (part.want < 0).any():
        return None
    return np.where(np.sign(part.got) == -np.sign(part.want), -part.want, part.want)


PATTERNS.append(
    Pattern(
        "some-signs",
        lambda part, evidence: ("signs",),
        _signs,
        lambda key, parts: (
            f"the sizes are right and {sum(int(p.wrong.sum()) for p in parts)} of "
            f"{sum(p.want.size for p in parts)} entries have the other sign"
        ),
        chosen=lambda part, key: min(part.want.size, MOST_COUNTED) * 1.5,
        own=True,
    )
)

PATTERNS.append(
    Pattern(
        "one-value",
        lambda part, evidence: [float(part.got.ravel()[0])],
        lambda part, key, evidence: np.full(part.want.shape, key),
        lambda key, parts: (
            f"yours is {sentences.number(_tidy(key))} in every call that is wrong"
            if all(p.want.ndim == 0 for p in parts)
            else f"each of your entries is {sentences.number(_tidy(key))} in every call"
        ),
        chosen=lambda part, key: CHOSEN_BITS,
        partly=False,
        scoped=False,
    )
)


def _tidy(value: float) -> float | int:
    return int(value) if value == int(value) else value


def _stale_keys(part: Part, evidence: Evidence) -> Iterator[tuple]:
    if part.call > 0:
        yield from (("before", 1), ("first", 0))


def _stale(part: Part, key: tuple, evidence: Evidence) -> Any:
    kind, back = key
    number = part.call - back if kind == "before" else 0
    earlier = [p for p in evidence.parts if p.call == number and p.name == part.name]
    if number < 0 or number == part.call or not earlier:
        return None
    return earlier[0].want


PATTERNS.append(
    Pattern(
        "stale",
        _stale_keys,
        _stale,
        lambda key, parts: (
            f"yours is the answer to the {'call before' if key[0] == 'before' else 'first call'}: "
            "something is kept from one call to the next"
        ),
    )
)


def _argument_keys(part: Part, evidence: Evidence) -> Iterator[tuple]:
    if part.yes_no:
        return
    for words, value in evidence.elsewhere.given_arrays(part.call):
        if value.shape == part.got.shape:
            yield (words, 1.0, 0.0)
    if part.want.ndim == 0:
        call, signature = evidence.elsewhere.call(part.call), evidence.elsewhere.signature
        for words, value in quantities(signature, call, part.want):
            for times in (1.0, 0.5, 2.0):
                for more in (0.0, 1.0, -1.0):
                    if math.isclose(times * value + more, float(part.got), rel_tol=1e-6):
                        yield (words, times, more)


def _argument(part: Part, key: tuple, evidence: Evidence) -> Any:
    words, times, more = key
    arrays = dict(evidence.elsewhere.given_arrays(part.call))
    if words in arrays:
        return arrays[words]
    call, signature = evidence.elsewhere.call(part.call), evidence.elsewhere.signature
    value = dict(quantities(signature, call, part.want)).get(words)
    return None if value is None or part.want.ndim else np.asarray(times * value + more)


def _say_argument(key: tuple, parts: Sequence[Part]) -> str:
    words, times, more = key
    shown = {1.0: "{}", 0.5: "half of {}", 2.0: "twice {}"}[times].format(words)
    shown += {0.0: "", 1.0: ", plus 1", -1.0: ", minus 1"}[more]
    return f"yours is {shown}"


PATTERNS.append(
    Pattern("argument", _argument_keys, _argument, _say_argument, chosen=lambda part, key: 8.0)
)


def _line(part: Part) -> tuple[float, float] | None:
    """Factor and offset of a straight line through two values asked for and returned."""
    if part.yes_no or part.want.size < 3:
        return None
    want = part.want.ravel()
    low, high = int(np.argmin(want)), int(np.argmax(want))
    if want[high] == want[low]:
        return None
    got = part.got.ravel()
    factor = float((got[high] - got[low]) / (want[high] - want[low]))
    return (factor, float(got[low] - factor * want[low])) if factor else None


PATTERNS.append(
    Pattern(
        "straight-line",
        lambda part, evidence: [line for line in [_line(part)] if line is not None],
        lambda part, key, evidence: part.want * key[0] + key[1],
        lambda key, parts: (
            f"{_noun(parts)} {sentences.number(key[0])} times the one asked for, "
            f"{'plus' if key[1] > 0 else 'minus'} {sentences.number(abs(key[1]))}"
        ),
        chosen=lambda part, key: 2 * CHOSEN_BITS,
    )
)


def _power_keys(part: Part, evidence: Evidence) -> Iterator[float]:
    want, got = part.want.ravel()[part.largest], part.got.ravel()[part.largest]
    if not part.yes_no and want > 0 and got > 0 and want != 1:
        power = float(np.log(got) / np.log(want))
        if math.isfinite(power) and 0.05 < abs(power) < 8:
            yield round(power, 4) if math.isclose(power, round(power, 4), rel_tol=1e-6) else power


PATTERNS.append(
    Pattern(
        "power",
        _power_keys,
        lambda part, key, evidence: (
            part.want**key
            if not part.yes_no and (part.want > 0).all() and part.want.max() ** abs(key) < 1e12
            else None
        ),
        lambda key, parts: f"{_noun(parts)} the one asked for to the power {key:.6g}",
        chosen=lambda part, key: CHOSEN_BITS,
    )
)

PATTERNS.append(
    Pattern(
        "other-argument",
        lambda part, evidence: evidence.elsewhere.fitting(part.call, part.name, part.got),
        lambda part, key, evidence: evidence.elsewhere.value(key, part.call, part.name),
        lambda key, parts: f"yours are the right values for another argument: {key}",
        chosen=lambda part, key: 8.0,
    )
)


def _sums(part: Part, key: tuple, evidence: Evidence) -> Any:
    ndim, axis, kind = key
    if part.want.ndim != ndim or part.yes_no or part.want.shape[axis] < 3:
        return None
    if kind == "sums":
        return np.cumsum(part.want, axis)
    return np.diff(part.want, axis=axis, prepend=0)


PATTERNS.append(
    Pattern(
        "running-sum",
        lambda part, evidence: [
            (part.want.ndim, axis, kind)
            for axis in reversed(_axes(part))
            for kind in ("sums", "steps")
        ],
        _sums,
        lambda key, parts: (
            f"yours holds {'running sums' if key[2] == 'sums' else 'the steps'} of what is asked "
            f"for, along the {axis_words(key[0], key[1])}"
        ),
    )
)


# ------------------------------------------------------------------ right, but for a place


@dataclass(frozen=True)
class Region:
    """A set of entries of an array that has a name."""

    name: str
    words: str
    mask: Callable[[tuple[int, ...]], Array | None] = field(compare=False)


def _along(axis: int, chosen: Callable[[Array, int], Array]) -> Callable:
    def mask(shape: tuple[int, ...]) -> Array | None:
        if len(shape) < -axis or len(shape) < 1 or shape[axis] < 2:
            return None
        index = np.arange(shape[axis])
        line = chosen(index, shape[axis])
        spread = [1] * len(shape)
        spread[axis] = shape[axis]
        return np.broadcast_to(line.reshape(spread), shape)

    return mask


def _of_square(chosen: Callable[[Array, Array], Array]) -> Callable:
    def mask(shape: tuple[int, ...]) -> Array | None:
        if len(shape) < 2 or shape[-1] != shape[-2] or shape[-1] < 2:
            return None
        i, j = np.indices(shape[-2:])
        return np.broadcast_to(chosen(i, j), shape)

    return mask


SPOTS: tuple[tuple[str, str, Callable[[Array, int], Array]], ...] = (
    ("first", "the first {one}", lambda i, n: i == 0),
    ("last", "the last {one}", lambda i, n: i == n - 1),
    ("last-but-one-on", "the last two {many}", lambda i, n: i >= n - 2),
    ("odd", "{many} with an odd number", lambda i, n: i % 2 == 1),
    ("even", "{many} with an even number", lambda i, n: i % 2 == 0),
    ("not-first", "all {many} but the first", lambda i, n: i > 0),
    ("not-last", "all {many} but the last", lambda i, n: i < n - 1),
    ("second-half", "the second half of the {many}", lambda i, n: i >= (n + 1) // 2),
    ("first-half", "the first half of the {many}", lambda i, n: i < (n + 1) // 2),
)


def _regions() -> Iterator[Region]:
    for axis, one in ((-1, "column"), (-2, "row")):
        for name, words, chosen in SPOTS:
            said = words.format(one=one, many=f"{one}s")
            yield Region(f"{name}-{one}", said, _along(axis, chosen))
    for name, words, chosen in (
        ("diagonal", "the diagonal", lambda i, j: i == j),
        ("off-diagonal", "all entries off the diagonal", lambda i, j: i != j),
        ("above-diagonal", "the entries above the diagonal", lambda i, j: i < j),
        ("below-diagonal", "the entries below the diagonal", lambda i, j: i > j),
    ):
        yield Region(name, words, _of_square(chosen))
    for axis, one in ((-1, "column"), (-2, "row")):
        for start in (2, 3, 4, 5, 6, 8, 10, 16, 32, 64, 128, 200, 256, 512):
            yield Region(
                f"from-{one}-{start}",
                f"the {one}s from number {start} on",
                _along(axis, lambda i, n, start=start: i >= start),
            )


REGIONS = tuple(_regions())
PLACE_BITS = 22.0
CALL_BITS = 7.0
PART_BITS = 10.0


def where(evidence: Evidence) -> Found | None:
    """The entries, the parts or the calls that are wrong while all others are right."""
    for look in (_near, _by_name, _region, _up_to, _one_part, _kind_of_call, _one_sided):
        found = look(evidence)
        if found is not None:
            return found
    return None


def _by_name(evidence: Evidence) -> Found | None:
    """A pattern that one of several values follows, where others are wrong in another way."""
    wrong = evidence.wrong
    names = {part.name for part in wrong}
    if len(names) > 1:
        for name in sorted(names):
            some = [part for part in wrong if part.name == name]
            for pattern in PATTERNS:
                found = _fit(pattern, some, evidence)
                if found is not None:
                    return found
    return None


def _log_choices(n: int, k: int) -> float:
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)


def _region(evidence: Evidence) -> Found | None:
    wrong = [p for p in evidence.wrong if p.want.ndim]
    if not wrong or len(wrong) < len(evidence.wrong):
        return None
    for region in REGIONS:
        bits, fits, covered, inside_all = 0.0, True, 0, 0
        for part in wrong:
            mask = region.mask(part.want.shape)
            if mask is None or bool((part.wrong & ~mask).any()):
                fits = False
                break
            size, inside = int(part.matters.sum()), int((mask & part.matters).sum())
            count = int(part.wrong.sum())
            covered, inside_all = covered + count, inside_all + inside
            bits += _log_choices(size, count) - _log_choices(inside, count)
        if fits and bits >= PLACE_BITS and covered >= 0.4 * inside_all:
            words = region.words
            if all(p.want.ndim == 1 for p in wrong):
                words = words.replace("columns", "entries").replace("column", "entry")
            said = f"only {words} {_are(words)} wrong"
            if words.startswith("all "):
                one = words.split(" but ")[-1].split(" off ")[-1]
                said = f"{one} {_are(one)} right and the rest is wrong"
            scope = _scope(wrong, wrong, evidence)
            return Found(f"only-{region.name}", f"{_subject(wrong)}{said}{scope}.")
    return None


def _up_to(evidence: Evidence) -> Found | None:
    """Right up to a row or column, which is another one in each call, and wrong from there on."""
    wrong = [p for p in evidence.wrong if p.want.ndim]
    if len(wrong) < max(2, len(evidence.wrong)):
        return None
    for axis, one in ((-1, "column"), (-2, "row")):
        if any(p.want.ndim < -axis for p in wrong):
            continue
        bits, firsts = 0.0, []
        for part in wrong:
            others = tuple(n for n in range(part.want.ndim) if n != part.want.ndim + axis)
            lines = part.wrong.any(axis=others)
            first = int(np.argmax(lines))
            length = len(lines)
            size, count = int(part.matters.sum()), int(part.wrong.sum())
            later = [slice(None)] * part.want.ndim
            later[axis] = slice(first, None)
            inside = int(part.matters[tuple(later)].sum())
            if first < 2 or count < 0.3 * inside:
                break
            bits += _log_choices(size, count) - _log_choices(inside, count) - math.log2(length)
            firsts.append((part.call, first))
        if len(firsts) == len(wrong) and bits >= PLACE_BITS:
            if all(p.want.ndim == 1 for p in wrong):
                one = "entry"
            call, first = min(firsts)
            told = f"yours is right up to {one} {first - 1} and wrong from {one} {first} on"
            other = f" here{_scope(wrong, wrong, evidence).replace(', in', ', and alike in')}"
            return Found(f"up-to-a-{one}", f"{_subject(wrong)}{told}{other}.")
    return None


def _are(words: str) -> str:
    one = words.startswith(("the first ", "the last ", "the diagonal", "the second", "the first h"))
    return "is" if one and "two" not in words else "are"


def _one_part(evidence: Evidence) -> Found | None:
    """Of several values, which ones are wrong."""
    names = list(dict.fromkeys(part.name for part in evidence.parts))
    wrong = [n for n in names if any(p.name == n and p.is_wrong for p in evidence.parts)]
    right = [p for p in evidence.parts if p.name not in wrong]
    distinct = {float(f"{v:.6g}") for p in right for v in p.want.ravel()[:8].tolist()}
    calls = {p.call for p in right}
    telling = len(distinct) >= 4 or (len(right) >= 24 and len(distinct) > 1)
    if not right or not telling or len(calls) < 4 or len(wrong) == len(names):
        return None
    at_fault = len(evidence.wrong)
    could_be = sum(p.name in wrong for p in evidence.parts)
    bits = _log_choices(len(evidence.parts), at_fault) - _log_choices(could_be, at_fault)
    if bits - len(names) < PART_BITS:
        return None
    verb = "is" if len(wrong) == 1 else "are"
    some = len({p.call for p in evidence.wrong})
    told = f"only {sentences.listed(wrong)} {verb} wrong, in {some} of {evidence.calls} calls"
    held = {float(p.got) for p in evidence.wrong if p.yes_no and p.want.ndim == 0}
    always = f", where yours is {bool(held.pop())}" if len(held) == 1 and len(wrong) == 1 else ""
    return Found("one-part", f"{told}{always}; all else is right.")


def _kind_of_call(evidence: Evidence) -> Found | None:
    """A property of the arguments that tells wrong calls from right ones."""
    wrong, total = len(evidence.wrong_calls), evidence.calls
    if wrong in (0, total):
        return None
    kinds = evidence.elsewhere.kinds()
    bits = _log_choices(total, wrong) - math.log2(max(len(kinds), 1))
    if bits < CALL_BITS:
        return None
    for words, calls in kinds:
        if calls == evidence.wrong_calls:
            told = f"yours is wrong {words}, in all {wrong} such calls, and right otherwise"
            return Found("kind-of-call", f"{told}.")
    return None


def _near(evidence: Evidence) -> Found | None:
    """Nearly right in every call."""
    wrong = evidence.wrong
    if any(p.yes_no for p in wrong):
        return None
    if all(p.whole for p in wrong):
        return _off_by_one(wrong, evidence)
    worst, bits = 0.0, 0.0
    for part in wrong:
        size = float(np.abs(part.want).max())
        off = float(np.abs(part.got - part.want)[part.wrong].max())
        if not size or off > 0.02 * size:
            return None
        worst = max(worst, off / size)
        bits += min(int(part.wrong.sum()), 12) * 4
    if bits < 20:
        return None
    share = f"{100 * worst:.2g} %"
    return Found(
        "nearly",
        f"yours is nearly right, off by at most {share} of the largest entry"
        f"{_scope(wrong, wrong, evidence)}. What is rounded, cut off or left out on the way?",
    )


def _off_by_one(wrong: Sequence[Part], evidence: Evidence) -> Found | None:
    differences = np.concatenate([(p.got - p.want)[p.wrong].ravel() for p in wrong])
    spread = float(np.ptp(np.concatenate([p.want.ravel() for p in evidence.parts])))
    if not (np.abs(differences) == 1).all():
        return None
    bits = min(len(differences), 20) * math.log2(max((spread + 1) / 3, 1))
    if bits < 24:
        return None
    up, down = int((differences > 0).sum()), int((differences < 0).sum())
    told = f"yours is 1 too large {up} times and 1 too small {down} times"
    if not up or not down:
        told = f"yours is 1 too {'large' if up else 'small'} wherever it is wrong"
    return Found("off-by-one-at-times", f"{told}{_scope(wrong, wrong, evidence)}.")


ONE_SIDED = 12


def _one_sided(evidence: Evidence) -> Found | None:
    """Too large wherever it is wrong, or too small, in so many calls that it cannot be chance."""
    wrong = evidence.wrong
    if any(p.yes_no for p in wrong) or len({p.call for p in wrong}) < min(
        ONE_SIDED, evidence.calls
    ):
        return None
    off = np.concatenate([(p.got - p.want)[p.wrong].ravel() for p in wrong])
    if any((p.got * p.want < 0).any() for p in wrong):
        return None
    if len(off) < ONE_SIDED or not ((off > 0).all() or (off < 0).all()):
        return None
    size = np.abs(off)
    spread = f"{size.min():.4g} to {size.max():.4g}"
    if size.min() == size.max():
        spread = f"{size.min():.4g}"
    way = "large" if off[0] > 0 else "small"
    told = f"yours is too {way}, by {spread}{_scope(wrong, wrong, evidence)}"
    return Found(f"too-{way}", f"{_subject(wrong)}{told}.")


# ------------------------------------------------------------------ another shape


def shape(want: Array, got: Array, same: Callable[[Array, Array], bool]) -> Found | None:
    """What an array of another shape has to do with the one asked for."""
    if min(want.size, got.size) < 3 or got.dtype.kind not in "iufb":
        return None
    for name, predicted, words in _other_shapes(want, got.shape):
        if predicted is not None and predicted.shape == got.shape and same(predicted, got):
            return Found(name, words)
    return None


def _other_shapes(want: Array, shape: tuple[int, ...]) -> Iterator[tuple[str, Array | None, str]]:
    if want.ndim == 2:
        yield "transposed", want.T, "Apart from that it is right: rows and columns are exchanged."
    if want.ndim == 3:
        for key in ((1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0)):
            told = f"Its values are right; its axes are those asked for in the order {key}."
            yield "axes", want.transpose(key), told
    for axis in range(want.ndim):
        word = axis_words(want.ndim, axis, many=False)
        index = np.arange(want.shape[axis])
        yield "first-missing", want.take(index[1:], axis), f"The first {word} is missing."
        yield "last-missing", want.take(index[:-1], axis), f"The last {word} is missing."
        if want.ndim > 1 and want.dtype.kind != "b":
            yield "summed", want.sum(axis), f"It is summed over the {axis_words(want.ndim, axis)}."
            yield "mean", want.mean(axis), f"It is the mean over the {axis_words(want.ndim, axis)}."


def longer(want: Array, got: Array, same: Callable[[Array, Array], bool]) -> Found | None:
    """One row, column or entry too many, at the beginning or at the end."""
    if got.ndim != want.ndim or got.dtype.kind not in "iufb":
        return None
    for axis in range(want.ndim):
        expected = list(want.shape)
        expected[axis] += 1
        if list(got.shape) == expected and want.size > 2:
            word = axis_words(want.ndim, axis, many=False)
            if same(want, np.delete(got, 0, axis)):
                return Found("one-too-many", f"Without its first {word} it is right.")
            if same(want, np.delete(got, -1, axis)):
                return Found("one-too-many", f"Without its last {word} it is right.")
    return None


# ------------------------------------------------------------------ words, None, True and False


def labels(answers: Sequence[tuple[Any, Any]]) -> Found | None:
    """What wrong answers have in common where words, None or True and False are asked for.

    answers: (asked for, returned), one for each call. The asked word itself is not told.
    """
    wrong = [(want, got) for want, got in answers if _is_label(want, got)]
    nothing = [(want, got) for want, got in answers if (want is None) is not (got is None)]
    asked_none = sum(want is None for want, _ in answers)
    single = (int, float, str)
    others = [
        want
        for want, got in answers
        if isinstance(want, single) and isinstance(got, single) and want != got
    ]
    only = asked_none == len(nothing) and all(want is None for want, _ in nothing)
    if asked_none and only and not others:
        values = {sentences.number(got) for _, got in nothing}
        shown = values.pop() if len(values) == 1 else "a number"
        told = f"None is asked for where there is nothing to find; yours returns {shown} there"
        return Found("value-for-none", f"{told}, in {_all_of(len(nothing))}.")
    if not wrong:
        return None
    returned = {got for _, got in wrong}
    never = {want for want, _ in wrong} - {got for _, got in answers}
    if len(wrong) >= 5 and len(returned) > 1 and len(never) == 1:
        word = never.pop()
        return Found("never-said", f"yours never returns {word!r}, in all {len(answers)} calls.")
    if len(wrong) >= 5 and len(returned) == 1:
        got = returned.pop()
        right = sum(1 for want, g in answers if g == got == want)
        if right or len(wrong) < len(answers):
            told = f"yours is {got!r} in each of the {len(wrong)} calls that are wrong"
            return Found("one-word", f"{told}. Which of your conditions is met too easily?")
        told = f"yours is {got!r} in each call"
        return Found("one-word", f"{told}, whatever is asked.")
    return None


def _is_label(want: Any, got: Any) -> bool:
    return isinstance(want, (str, bool)) and isinstance(got, (str, bool)) and want != got


def _all_of(count: int) -> str:
    return "the only such call" if count == 1 else f"all {count} such calls"
