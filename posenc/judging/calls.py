"""The calls that a judge asked for, made where the learner's code lives.

This module holds no expected value and no comparison: it takes calls as plain data, makes them, and
gives back what came, as plain data. It is the only part of the judging that runs beside a learner's
code, in a notebook as in a grader's child process, so that both doors see the same answers.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sysconfig
import threading
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from posenc.judging import layers, values

LONGEST_MESSAGE = 400
# What all answers to a challenge may hold together, whichever door they come through.
MOST_ANSWER = 32 * 2**20
MOST_HEAD = 4 * 2**20
SMALL_ANSWER = 2**19

RETURNED = "returned"
RAISED = "raised"
TIMED_OUT = "timed out"
OUT_OF_MEMORY = "out of memory"
INTERRUPTED = "interrupted"
TOO_LARGE = "too large"
STATUSES = (RETURNED, RAISED, TIMED_OUT, OUT_OF_MEMORY, INTERRUPTED, TOO_LARGE)
ENDED_ALL = (TIMED_OUT, INTERRUPTED)


@dataclass(frozen=True)
class Layer:
    """A function argument that travels as a name and a seed and is built where it is used."""

    name: str
    seed: int
    width: int
    length: int

    def build(self) -> Callable[[np.ndarray], np.ndarray]:
        """The layer: (length, width) -> an array."""
        return layers.build(self.name, self.seed, self.width, self.length)


@dataclass(frozen=True)
class Asked:
    """A function argument that is computed elsewhere: here only its number is known.

    ask: (number, value) -> what the function returns, set by whoever makes the calls.
    """

    number: int
    ask: ClassVar[Callable[[int, Any], Any]]

    def build(self) -> Callable[[np.ndarray], np.ndarray]:
        """The function, which is the same code for every number."""
        return lambda x: type(self).ask(self.number, x)


@dataclass(frozen=True)
class Step:
    """One step on an object that a class built: a method to call, or an attribute to read."""

    name: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    reads: bool = False


@dataclass(frozen=True)
class Call:
    """One call: arguments and, for a class, the steps made on the object that it returns."""

    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    steps: tuple[Step, ...] = ()

    def to_plain(self) -> dict:
        """As plain data, for `values.encode`."""
        return {
            "args": [_layer_to_plain(a) for a in self.args],
            "kwargs": dict(self.kwargs),
            "steps": [[s.name, list(s.args), dict(s.kwargs), s.reads] for s in self.steps],
        }

    @classmethod
    def from_plain(cls, data: dict) -> Call:
        """The call that `to_plain` wrote."""
        steps = tuple(Step(n, tuple(a), k, r) for n, a, k, r in data["steps"])
        return cls(tuple(_layer_from_plain(a) for a in data["args"]), data["kwargs"], steps)


@dataclass(frozen=True)
class Result:
    """What one call, or one step on an object, came to.

    status: one of `STATUSES`. value: what was returned, plain. after: the arguments afterwards,
    plain. error: for 'raised': the names of its classes, the message, and the learner's line, if
    known. lasted: whether the value was still the same once all calls had been made.
    """

    status: str
    value: Any = None
    after: tuple = ()
    error: tuple[tuple[str, ...], str, str] | None = None
    printed: bool = False
    lasted: bool = True


@dataclass(frozen=True)
class Work:
    """All that came of one challenge.

    found: 'callable', 'missing' or the type's name of what stands under the name instead.
    uses: which of the names asked about the learner's code refers to.
    answers: one tuple of results a call; shorter than the calls where the time ran out.
    """

    found: str
    uses: tuple[str, ...] = ()
    answers: tuple[tuple[Result, ...], ...] = ()

    def to_plain(self) -> dict:
        """As plain data, for `values.encode`."""
        return {
            "found": self.found,
            "uses": list(self.uses),
            "answers": [[_result_to_plain(r) for r in answer] for answer in self.answers],
        }

    @classmethod
    def from_plain(cls, data: Any) -> Work:
        """The work that `to_plain` wrote; ValueError where untrusted data are no such thing."""
        try:
            answers = tuple(
                tuple(_result_from_plain(r) for r in answer) for answer in list(data["answers"])
            )
            return cls(str(data["found"])[:80], tuple(map(str, data["uses"])), answers)
        except (TypeError, KeyError, ValueError, AttributeError, IndexError) as error:
            raise ValueError(f"the answers cannot be read: {type(error).__name__}") from None


class TimeIsUp(BaseException):
    """Raised in the learner's code by a timer; no Exception, so `except Exception` lets it by."""


def perform(
    calls: Sequence[Call],
    thing: Any,
    *,
    seconds: float | None = None,
    ask_uses: Sequence[str] = (),
    quiet: bool = True,
) -> Work:
    """Make `calls` on `thing`, a function or a class, within `seconds` for all of them together.

    Raises nothing that the learner's code raises; running out of time, or an interrupt, ends the
    calls and is recorded. Pass `MISSING` where nothing was found. An Ellipsis is a value here.
    `quiet` swallows prints and warnings, for the whole process while a call runs; a judge that runs
    its own references in a thread leaves it off.
    """
    if thing is MISSING:
        return Work("missing")
    if not callable(thing):
        return Work(type(thing).__name__)
    end = None if seconds is None else time.monotonic() + seconds
    made: list[_Made] = []
    for call in calls:
        made.append(_make(call, thing, end, quiet))
        if made[-1].ended:
            break
    # Objects are worked on once all of them are built, so that none may share what another has.
    for one in made:
        one.take_steps(end, quiet)
    answers = tuple(one.answer(end, quiet) for one in made)
    return _carried(Work("callable", _uses(thing, ask_uses), answers))


MISSING = type("Missing", (), {"__repr__": lambda self: "MISSING"})()


@dataclass
class _Made:
    """A call that was made: what it came to so far, and the values themselves."""

    call: Call
    results: list[Result]
    values: list[Any]

    @property
    def ended(self) -> bool:
        """Whether the calls have come to their end with this one."""
        return self.results[-1].status in ENDED_ALL

    def take_steps(self, end: float | None, quiet: bool) -> None:
        """For a class: make the steps on the object that it returned, which is not judged."""
        if not self.call.steps or self.results[0].status != RETURNED:
            return
        self.results[0] = replace(self.results[0], value=None)
        subject, self.values[0] = self.values[0], None
        for step in self.call.steps:
            result, value = _guarded(
                _to_take(step, subject), list(step.args), step.kwargs, end, quiet
            )
            self.results.append(result)
            self.values.append(value)
            if self.ended:
                return

    def answer(self, end: float | None, quiet: bool) -> tuple[Result, ...]:
        """The results, told whether their values outlived the later calls."""
        return tuple(_lasting(r, v, end, quiet) for r, v in zip(self.results, self.values))


def _make(call: Call, thing: Any, end: float | None, quiet: bool) -> _Made:
    fresh = Call.from_plain(values.plain(call.to_plain()))
    built = [a.build() if isinstance(a, (Layer, Asked)) else a for a in fresh.args]
    result, value = _guarded(thing, built, fresh.kwargs, end, quiet)
    return _Made(fresh, [result], [value])


def _to_take(step: Step, subject: Any) -> Callable[..., Any]:
    """What takes one step on an object: an attribute is looked up by the call itself."""

    def take(*args: Any, **kwargs: Any) -> Any:
        found = getattr(subject, step.name)
        return found if step.reads else found(*args, **kwargs)

    return take


def _lasting(result: Result, value: Any, end: float | None, quiet: bool) -> Result:
    """The result, with what became of an array, list or dictionary through later calls."""
    if result.status != RETURNED or not isinstance(result.value, (np.ndarray, list, tuple, dict)):
        return result
    now, _ = _guarded(lambda: value, [], {}, end, quiet)
    lasted = now.status != RETURNED or values.same(now.value, result.value)
    return result if lasted else replace(result, lasted=False)


def _carried(work: Work) -> Work:
    """The work, or one without answers where they are too large to be carried together."""
    if sum(values.size(r.value) for answer in work.answers for r in answer) <= SMALL_ANSWER:
        return work
    with contextlib.suppress(values.TooLarge):
        data = values.encode(work.to_plain())
        if len(data) <= MOST_ANSWER and values.head_length(data) <= MOST_HEAD:
            return work
    too_large = Result(TOO_LARGE, error=(("TooLarge",), "the answers together are too large", ""))
    return replace(work, answers=tuple((too_large,) for _ in work.answers))


def _guarded(
    function: Any, args: list, kwargs: dict, end: float | None, quiet: bool
) -> tuple[Result, Any]:
    """One call under a timer, with its output swallowed; the result, and the raw value."""
    printed = io.StringIO()
    value = None
    try:
        with _quiet(printed) if quiet else np.errstate(all="ignore"), _timer(end):
            value = function(*args, **kwargs)
            result = Result(RETURNED, values.plain(value))
    except TimeIsUp:
        result = Result(TIMED_OUT)
    except KeyboardInterrupt:
        result = Result(INTERRUPTED)
    except MemoryError:
        result = Result(OUT_OF_MEMORY)
    except values.TooLarge as error:
        result = Result(TOO_LARGE, error=(("TooLarge",), str(error), ""))
    except BaseException as error:  # SystemExit too: an exit in a function costs that function only
        result = Result(RAISED, error=_describe(error))
    after = _after(args)
    return Result(result.status, result.value, after, result.error, bool(printed.getvalue())), value


def _after(args: list) -> tuple:
    try:
        return tuple(values.plain([None if callable(a) else a for a in args]))
    except (ValueError, RecursionError):
        return ("unreadable",) * len(args)


@contextlib.contextmanager
def _quiet(printed: io.StringIO) -> Iterator[None]:
    """Swallow prints and warnings; a learner's np.seterr or filter does not reach the call."""
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _timer(end: float | None) -> Iterator[None]:
    """Raise TimeIsUp in the code inside once `end` has passed, and again every 50 ms if it goes on.

    Works in a main thread where the system has interval timers; elsewhere a learner's Interrupt, or
    the grader's clock outside this process, ends a call.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if end is None or not usable:
        yield
        return

    def ring(signum: int, frame: types.FrameType | None) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(end - time.monotonic(), 0.001), 0.05)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _describe(error: BaseException) -> tuple[tuple[str, ...], str, str]:
    names = tuple(c.__name__ for c in type(error).__mro__ if c not in (object, BaseException))
    try:
        message = str(error)[:LONGEST_MESSAGE]
    except Exception:  # an exception of the learner's whose __str__ fails
        message = ""
    line = next(
        (f.line for f in traceback.extract_tb(error.__traceback__)[::-1] if _is_own(f.filename)), ""
    )
    return names, message, (line or "")[:160].strip()


def _is_own(file: str) -> bool:
    """Whether a frame is of the learner's code: neither Python's, nor a library's, nor of here."""
    return (
        file != __file__
        and not file.startswith(NOT_OWN)
        and "posenc" not in file.split("site-packages")[-1]
    )


NOT_OWN = (
    *(f"{sysconfig.get_path(name)}{os.sep}" for name in ("stdlib", "purelib", "platlib")),
    f"{os.path.dirname(np.__file__)}{os.sep}",
    "<__array_function__",
    "<frozen",
)


def _uses(thing: Any, names: Sequence[str]) -> tuple[str, ...]:
    """Which of `names` the code of a function or class refers to."""
    if not names:
        return ()
    seen: set[str] = set()
    codes = [f.__code__ for f in _functions(thing)]
    while codes:
        code = codes.pop()
        seen.update(code.co_names)
        codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return tuple(n for n in names if n in seen)


def _functions(thing: Any) -> list[types.FunctionType]:
    candidates = list(vars(thing).values()) if isinstance(thing, type) else [thing]
    return [f for f in candidates if isinstance(f, types.FunctionType)]


def _layer_to_plain(value: Any) -> Any:
    if isinstance(value, Asked):
        return {"asked": value.number}
    if isinstance(value, Layer):
        return {
            "layer": value.name,
            "seed": value.seed,
            "width": value.width,
            "length": value.length,
        }
    return value


def _layer_from_plain(value: Any) -> Any:
    if isinstance(value, dict) and "asked" in value:
        return Asked(value["asked"])
    if isinstance(value, dict) and "layer" in value:
        return Layer(value["layer"], value["seed"], value["width"], value["length"])
    return value


def _result_to_plain(result: Result) -> list:
    error = (
        None if result.error is None else [list(result.error[0]), result.error[1], result.error[2]]
    )
    after = list(result.after)
    return [result.status, result.value, after, error, result.printed, result.lasted]


def _result_from_plain(data: list) -> Result:
    status, value, after, error, printed, lasted = data
    if status not in STATUSES:
        raise ValueError("unknown status")
    if error is not None:
        error = (tuple(map(str, error[0])), str(error[1])[:LONGEST_MESSAGE], str(error[2])[:160])
    if status in (RAISED, TOO_LARGE) and not (error and error[0]):
        raise ValueError("an error without a name")
    return Result(status, value, tuple(after), error, bool(printed), bool(lasted))
