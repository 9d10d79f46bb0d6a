"""The room for words: a value, a call, a fault or a verdict as a learner and an instructor read it.

Every output of the course calls these functions, so that a verdict reads alike in a notebook, on a
page, in a table and in another system's file. No sentence holds a value that was asked for.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from posenc.judging import verdict as outcomes
from posenc.judging.calls import Call, Layer, Result
from posenc.judging.verdict import Verdict

LEAD = "It looks as if"
THINK = "To think about:"
# Arrays up to this many entries are written out in the failing call; larger ones are named by seed.
MOST_ENTRIES_SHOWN = 24
MAP_SIGNS = {"right": "·", "wrong": "×", "cut": "…"}
MOST_MAP_ROWS, MOST_MAP_COLUMNS = 16, 32


# ------------------------------------------------------------------ a verdict


def looks_as_if(looks_like: str) -> str:
    """The sentence that names a mistake."""
    return f"{LEAD} {looks_like}."


def told(verdict: Verdict) -> list[str]:
    """What is to be said of a verdict, a paragraph each: reason, likely cause, what to do next."""
    lines = [verdict.reason]
    if verdict.looks_like:
        lines += [looks_as_if(verdict.looks_like), f"{THINK} {verdict.think}"]
    return [line for line in (*lines, verdict.mend_first) if line]


def feedback(verdict: Verdict) -> list[str]:
    """All of a verdict as lines of plain text: points, what is said, the map, the call to copy."""
    head = f"{verdict.outcome}, {verdict.points} of {verdict.out_of} points"
    call = [f"The call: {verdict.failing_call}"] if verdict.failing_call else []
    return [head, *told(verdict), *map_lines(verdict), *call]


def remark(verdict: Verdict) -> str:
    """A verdict that earned no points in one line; empty for one that did."""
    if verdict.passed:
        return ""
    return looks_as_if(verdict.looks_like) if verdict.looks_like else verdict.reason


def short(verdict: Verdict) -> str:
    """The cause in a few words for a table's cell: the mistakes' ids, or the first sentence."""
    if verdict.misconception:
        return " and ".join(filter(None, (verdict.misconception, verdict.second)))
    return (verdict.mend_first or verdict.reason).split(". ")[0][:140].rstrip(".")


def right_calls(verdict: Verdict) -> str:
    """How many calls were answered right."""
    return f"{verdict.right} of {verdict.calls} calls right."


def two_mistakes(first: str, second: str) -> str:
    """What two mistakes made together look like, after the lead."""
    return f"two mistakes are made together: {first}; and {second}"


def one_at_a_time(first: str, second: str) -> str:
    """What to think about where two mistakes are made together."""
    return f"Mend one at a time. First: {first} Then: {second}"


# ------------------------------------------------------------------ a map of entries


def entry_map(wrong: np.ndarray) -> tuple[str, ...]:
    """Which entries of an array of one or two dimensions are wrong, a string for each row.

    Larger arrays are cut to 16 rows and 32 columns.
    """
    if wrong.ndim not in (1, 2) or not wrong.size:
        return ()
    signs = np.where(wrong, MAP_SIGNS["wrong"], MAP_SIGNS["right"])
    rows = signs.reshape(-1, signs.shape[-1])
    cut = MAP_SIGNS["cut"]
    drawn = [
        "".join(row[:MOST_MAP_COLUMNS]) + (cut if len(row) > MOST_MAP_COLUMNS else "")
        for row in rows[:MOST_MAP_ROWS]
    ]
    return (*drawn, cut) if len(rows) > MOST_MAP_ROWS else tuple(drawn)


def map_legend() -> str:
    """What the signs of a map mean."""
    right, wrong = MAP_SIGNS["right"], MAP_SIGNS["wrong"]
    return f"The entries that were returned, {right} right, {wrong} wrong:"


def map_lines(verdict: Verdict) -> list[str]:
    """The map as plain text, with its legend; empty where there is none."""
    return [map_legend(), *("  " + " ".join(r) for r in verdict.map)] if verdict.map else []


def map_html(verdict: Verdict) -> str:
    """The map as an HTML table whose cells differ in colour and in sign; '' where there is none."""
    if not verdict.map:
        return ""
    kinds = {sign: name for name, sign in MAP_SIGNS.items()}
    rows = "".join(
        "<tr>" + "".join(f'<td class="{kinds.get(s, "cut")}">{s}</td>' for s in row) + "</tr>"
        for row in verdict.map
    )
    legend = html.escape(map_legend())
    return (
        f'<figure class="entry-map"><figcaption>{legend}</figcaption><table>{rows}</table></figure>'
    )


# ------------------------------------------------------------------ a call


def called_as(name: str, call: Call, number: int, about: str) -> str:
    """The call, short, with what it tests: `sinusoidal(2, 5)` (an odd width)."""
    shown = f"{name}({brief(call.args, call.kwargs)})"
    if number:
        step = call.steps[number - 1]
        read = f".{step.name}"
        shown += read if step.reads else f"{read}({brief(step.args, step.kwargs)})"
    return f"`{shown}`" + (f" ({about})" if about else "")


def to_copy(id: str, name: str, seed: int, index: int, call: Call, step: int) -> str:
    """Call number `index` as a line of code to copy, with step `step` on what it returns."""
    if is_short(call.args):
        line = f"{name}({_arguments(call.args, call.kwargs)})"
    else:
        given = f'*case("{id}", {index}, seed={seed})'
        line = f"{name}({', '.join([given, *_keywords(call.kwargs)])})"
    if not call.steps or step <= 0:
        return line
    taken = call.steps[step - 1]
    if taken.reads:
        return f"{line}.{taken.name}"
    if is_short(taken.args):
        return f"{line}.{taken.name}({_arguments(taken.args, taken.kwargs)})"
    return f'{line}.{taken.name}(*case("{id}", {index}, seed={seed}, step={step}))'


def brief(args: tuple, kwargs: dict) -> str:
    """Arguments with arrays of more than six entries, and long lists, told by their shape."""
    parts = []
    for value in args:
        if isinstance(value, np.ndarray) and value.size > 6 and not _constant(value):
            parts.append(f"array of shape {value.shape}")
        elif isinstance(value, list) and len(value) > 8:
            parts.append(f"list of {len(value)}")
        else:
            parts.append(literal(value, plain_arrays=True))
    return ", ".join([*parts, *_keywords(kwargs)])


def literal(value: Any, plain_arrays: bool = False) -> str:
    """An argument as code."""
    if isinstance(value, Layer):
        return value.name
    if isinstance(value, np.ndarray):
        if _constant(value):
            return f"np.full({value.shape}, {value.flat[0].item()!r})"
        listed = repr(value.tolist())
        if plain_arrays:
            return listed
        plain = value.size and value.dtype.kind in "ifb"
        return f"np.array({listed}{'' if plain else f', dtype={value.dtype.name!r}'})"
    return repr(value)


def is_short(args: tuple) -> bool:
    """Whether arguments can be written out in full."""
    return not any(
        isinstance(a, Layer)
        or (isinstance(a, np.ndarray) and a.size > MOST_ENTRIES_SHOWN and not _constant(a))
        for a in args
    )


def _arguments(args: tuple, kwargs: dict) -> str:
    return ", ".join([*(literal(a) for a in args), *_keywords(kwargs)])


def _keywords(kwargs: dict) -> list[str]:
    return [f"{k}={literal(v)}" for k, v in kwargs.items()]


def _constant(array: np.ndarray) -> bool:
    return array.size > 6 and bool((array == array.flat[0]).all())


# ------------------------------------------------------------------ what a call came to


def raised(what: str, got: Result) -> str:
    """A call that ended in an error, with the line of the learner's own code."""
    names, message, line = got.error
    said = f"{names[0]}: {message.strip()}" if message else names[0]
    return f"{what} ended in {_article(said)}" + (f", at the line `{line}`." if line else ".")


def too_much(what: str, got: Result) -> str:
    """A call that returned more than a judge looks at."""
    return f"{what} returned too much to be looked at: {got.error[1]}."


def not_finished(what: str, seconds: float | None = None) -> str:
    """A call that the clock ended."""
    limit = "time was" if seconds is None else f"{seconds:g} s for all calls were"
    return f"{what} had not finished when the {limit} over."


def not_judged(what: str, type_name: str, why: str) -> str:
    """A call that returned something without a plain value."""
    return f"{what} returned {a_or_an(type_name)}, which is not judged: {why}{stop(why)}"


def nothing_returned(what: str, printed: bool, none_is_an_answer: bool) -> str:
    """A call that returned None where a value is asked for."""
    if none_is_an_answer:
        return f"{what} returned None, but there is an answer to give here."
    if printed:
        printed_only = "A printed value cannot be used; return it."
        return f"{what} printed something and returned nothing. {printed_only}"
    return f"{what} returned nothing; is the `return` missing?"


def wrong_error(what: str, asked: str, got: tuple[tuple[str, ...], str, str] | None) -> str:
    """A call that should end in an error of type `asked` and ended otherwise."""
    should = f"{what} should end in {a_or_an(asked)}; it"
    if got is None:
        return f"{should} returned a value."
    return f"{should} ended in {_article(f'{got[0][0]}: {got[1]}')}{stop(got[1])}"


def message_without(what: str, missing: Sequence[str], message: str) -> str:
    """An error whose message leaves out what it should name."""
    listed = " and ".join(missing)
    return f"{what} should name {listed} in its message; the message is: {message or '(empty)'}"


def changed_argument(what: str, number: int) -> str:
    """A call that changed one of its arguments."""
    which = f"its {ordinal(number)} argument"
    return (
        f"{what} changed {which} in place; whoever called it still needs the old values. "
        "Work on a copy."
    )


def overwritten(what: str) -> str:
    """A call whose answer was changed by a later call."""
    return (
        f"{what} returned an array that a later call changed. Each call has to return an array "
        "of its own."
    )


def other_answer(what: str) -> str:
    """A call that is answered differently when it is made again."""
    return (
        f"{what} was right, and the same call made again after others is not. What does your "
        "code keep from one call to the next?"
    )


# ------------------------------------------------------------------ a value


def was_returned(value: Any) -> str:
    """The sentence that says what kind of value was returned."""
    words = called(value)
    return f"{words[0].upper()}{words[1:]} was returned."


def called(value: Any) -> str:
    """A value's kind in words."""
    if isinstance(value, bool):
        return f"the value {value}"
    if isinstance(value, (int, float)):
        return f"a single number, {number(value)},"
    if isinstance(value, complex):
        return "a complex number"
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if value is None or value is Ellipsis:
        return "None" if value is None else "`...`"
    return a_or_an(type(value).__name__)


def bools_and_numbers(bools_asked: bool, value: Any) -> str:
    """Numbers where bools are asked for, or the other way round."""
    if not bools_asked:
        return "True or False was returned where numbers are asked for."
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        with np.errstate(all="ignore"):
            forbids = value <= -1e4
        if forbids.any() and ((value == 0) | forbids).all():
            return (
                "An additive mask was returned, zeros and large negative numbers that are added "
                "to scores. True and False are asked for."
            )
    if isinstance(value, (int, float, np.ndarray)):
        return (
            "Numbers were returned where True and False are asked for. A comparison such as "
            "`>` returns True and False."
        )
    return was_returned(value)


def not_whole(value: float) -> str:
    """A fraction where a whole number is asked for."""
    near = abs(value - round(value)) < 1e-6 * max(1.0, abs(value))
    hint = " A rounding error is left in it." if near else ""
    return f"{number(value)} was returned, which is not a whole number.{hint}"


def other_shape(want: tuple[int, ...], got: tuple[int, ...]) -> str:
    """An array of another shape, with what is most likely to have happened."""
    return f"The shape should be {want}; {got} was returned.{_shape_guess(want, got)}"


def _shape_guess(want: tuple[int, ...], got: tuple[int, ...]) -> str:
    size, asked = int(np.prod(got)), int(np.prod(want))
    if size == 0:
        return " It is empty."
    if len(want) == 2 and got == want[::-1]:
        return " Rows and columns are exchanged."
    if len(got) == 1 and size == asked:
        return " The values were returned in one long row."
    if size == asked and tuple(n for n in got if n != 1) == tuple(n for n in want if n != 1):
        return " There is an axis of length 1 too many or too few."
    if sorted(got) == sorted(want):
        return " The lengths are those asked for; the axes are in another order."
    off = [a - b for a, b in zip(got, want)]
    if len(got) == len(want) and sum(map(abs, off)) == 1:
        more = "more" if sum(off) > 0 else "less"
        axis = next(n for n, each in enumerate(off) if each)
        thing = {1: "entry", 2: ("row", "column")[axis % 2]}.get(len(want), f"along axis {axis}")
        return f" That is one {thing} {more} than asked for." if len(want) < 3 else ""
    if (
        len(got) == len(want) + 1
        and got[1:] == want
        or len(got) == len(want) + 1
        and got[:-1] == want
    ):
        return " There is one axis too many."
    if len(got) == len(want) - 1:
        return " There is one axis too few."
    return ""


def other_length(want: int, got: int) -> str:
    """A tuple or list of another length."""
    return f"{want} values are asked for; {got} {'was' if got == 1 else 'were'} returned."


def other_keys(missing: Sequence[str], extra: Sequence[str]) -> str:
    """A dictionary with other keys."""
    parts = [f"missing: {', '.join(missing)}"] if missing else []
    parts += [f"not asked for: {', '.join(extra)}"] if extra else []
    return f"The keys differ; {'; '.join(parts)}."


def entries_differ(wrong: np.ndarray, want: np.ndarray, got: np.ndarray) -> str:
    """How many entries of an array differ, and what the first of them is."""
    place = [int(n) for n in np.argwhere(wrong)[0]]
    held = number(got[tuple(place)], beside=want[tuple(place)])
    count = int(wrong.sum())
    if wrong.size == 1:
        return f"its only entry differs; yours is {held}."
    if count == wrong.size:
        return f"all {wrong.size} entries differ; yours holds {held} at {place}."
    differ = "differs; it" if count == 1 else "differ; the first"
    return f"{count} of {wrong.size} entries {differ} is at {place}, where yours holds {held}."


def not_finite(bad: np.ndarray, got: np.ndarray) -> str:
    """How many entries are NaN or infinite, and which is the first."""
    place = [int(n) for n in np.argwhere(bad)[0]]
    count = int(bad.sum())
    held = f"{got[tuple(place)]} at {place}"
    if count == 1:
        return f"1 of {bad.size} entries is not finite: {held}."
    return f"{count} of {bad.size} entries are not finite; the first is {held}."


def not_the_answer(want: Any, got: Any) -> str:
    """A single value that is not the answer."""
    if isinstance(want, str) and isinstance(got, str) and got.strip().lower() == want:
        return f"{got!r} was returned; the words are asked for in small letters, as printed."
    if want is None:
        return f"{number(got)} was returned, and None is asked for here."
    return f"{number(got, beside=want)} was returned, which is not the answer."


def number(value: Any, beside: Any = None) -> str:
    """A value in six digits, or in all of its digits where six would hide what is wrong."""
    if isinstance(value, (bool, np.bool_, str)) or value is None:
        return repr(value) if isinstance(value, str) else str(value)
    if isinstance(value, (int, np.integer)):
        return str(value)
    if not isinstance(value, (float, np.floating)):
        return repr(value)
    value = float(value)
    rounded = f"{value:.6g}"
    if not np.isfinite(value):
        return rounded
    looks_whole = float(rounded) == round(float(rounded)) and float(rounded) != value
    alike = isinstance(beside, (int, float, np.number)) and rounded == f"{float(beside):.6g}"
    return repr(value) if looks_whole or alike else rounded


def ordinal(number: int) -> str:
    """The word for place `number`, from 0 on."""
    names = ("first", "second", "third", "fourth", "fifth", "sixth")
    if number < len(names):
        return names[number]
    ending = {1: "st", 2: "nd", 3: "rd"}.get((number + 1) % 10, "th")
    return f"{number + 1}{'th' if 10 < (number + 1) % 100 < 14 else ending}"


def plural(count: int, noun: str, many: str = "") -> str:
    """'1 entry', '2 entries'."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def listed(words: Sequence[str], most: int = 4) -> str:
    """'a', 'a and b', 'a, b and 3 more'."""
    words = list(words)
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def a_or_an(words: str) -> str:
    """The words with their article."""
    return f"{'an' if words[:1].lower() in 'aeiou' and words[:1] else 'a'} {words}"


def _article(said: str) -> str:
    """An error and its message; the class takes its article only where it is alone."""
    return said if ":" in said else a_or_an(said)


def stop(said: str) -> str:
    return "" if said.rstrip()[-1:] in (".", "?") else "."


NOT_ATTEMPTED = "Not attempted yet: `{name}` still returns `...`."
NOT_FOUND = "No `{name}` is defined in the notebook."
NOT_A_FUNCTION = (
    "`{name}` is a value of type {kind}, not a function. Was the name used again for a result?"
)
MEND_FIRST = "It calls `{name}`, and {id} is not right yet. Mend {id} first, then check this again."
NOT_REACHED = "This {thing} was not reached."


def outcome_sign(verdict: Verdict) -> str:
    """The sign of a verdict: passed, open or wrong."""
    if verdict.passed:
        return "✓"
    return "–" if verdict.outcome == outcomes.NOT_ATTEMPTED else "✗"
