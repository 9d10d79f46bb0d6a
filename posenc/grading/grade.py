"""One notebook to its verdicts: run its cells apart, make the judge's calls there, judge here."""

from __future__ import annotations

import hashlib
import signal
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from posenc import lessons
from posenc.grading.notebook import Notebook, clean
from posenc.grading.warm import Limits, Lost, Session, WarmProcess
from posenc.judging import judge, values
from posenc.judging.calls import Asked, Call, Layer, Result, Work
from posenc.judging.judge import Plan, Verdict
from posenc.judging.model import Challenge

MOST_RUNS = 6
GRACE = 3.0
MOST_NOTES = 6
# Once the cells have used up their seconds, what is left are definitions, and these are quick.
SECONDS_FOR_DEFINITIONS = 3.0
SECONDS_TO_FINISH = 4.0
MOST_QUESTIONS = 20_000
MOST_WORDS = 2**16
MOST_ROWS, MOST_ENTRIES = 512, 2**16
# A part of its seconds for which a process waited for a processor, so that they were not its own.
PRESSED = 0.25
# An answer may have this many times the parts of the right one, and some more. What is larger is
# not looked at: judging takes time, too, and it is the grader's.
TIMES_THE_PARTS, MORE_PARTS = 10, 10_000
BYTES_FOR_A_PART = 40


@dataclass
class Graded:
    """What came of one notebook: a verdict for each challenge, and remarks on how it ran.

    faults: where the judge itself failed, which is a fault of the course. pressed: whether a limit
    of time was met while others had the processor: then it does not count yet.
    """

    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0
    pressed: bool = False

    @property
    def points(self) -> int:
        """Points earned."""
        return sum(v.points for v in self.verdicts)

    @property
    def out_of(self) -> int:
        """Points that could be earned."""
        return sum(v.out_of for v in self.verdicts)


@lru_cache(maxsize=256)
def planned(id: str, seed: int) -> Plan:
    """The plan of a challenge; made once for a pile, as the known answers are then, too."""
    return judge.plan(lessons.challenge(id), seed)


# Verdicts on answers that a pile has given before; people share mistakes, and looking for the cause
# of one takes far longer than telling two answers apart. Bounded, since strangers' answers differ.
_known: dict[tuple, Verdict] = {}
MOST_KNOWN = 4096


def _judged(id: str, seed: int, work: Work, wrong: tuple[str, ...]) -> Verdict:
    """The judge's verdict on these answers, looked up where the same ones were judged before."""
    same = hashlib.sha256(values.encode(work.to_plain())).digest()
    key = (id, seed, wrong, same)
    verdict = _known.get(key)
    if verdict is None:
        verdict = judge.judge(planned(id, seed), work, wrong)
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = verdict
    return verdict


@lru_cache(maxsize=256)
def _request(id: str, seed: int, last: bool) -> bytes:
    """What asks a notebook for the calls of a challenge; the same for all of a pile."""
    challenge = lessons.challenge(id)
    return values.encode(
        {
            "name": challenge.name,
            "calls": [call.to_plain() for call in _asked_calls(id, seed)],
            "seconds": challenge.seconds,
            "uses": list(challenge.builds_on),
            "last": last,
        }
    )


@lru_cache(maxsize=256)
def _layers(id: str, seed: int) -> list[Any]:
    """The layers that a challenge hands in, by the number that a notebook knows them by."""
    calls = planned(id, seed).calls
    return [a.build() for call in calls for a in call.args if isinstance(a, Layer)]


def _asked_calls(id: str, seed: int) -> list[Call]:
    """The calls of a challenge, with a number in the place of each layer."""
    numbers = iter(range(len(_layers(id, seed))))
    return [
        replace(
            call,
            args=tuple(Asked(next(numbers)) if isinstance(a, Layer) else a for a in call.args),
        )
        for call in planned(id, seed).calls
    ]


@lru_cache(maxsize=256)
def _most(id: str, seed: int) -> tuple[tuple[int, ...], int]:
    """How many parts the answer to each call may have, and how many bytes all but their arrays."""
    expected = planned(id, seed).expected.answers
    parts = [max(_parts(r.value, None) for r in answer) for answer in expected]
    most = tuple(TIMES_THE_PARTS * n + MORE_PARTS for n in parts)
    return most, 2**20 + BYTES_FOR_A_PART * TIMES_THE_PARTS * sum(parts)


def grade(
    notebook: Notebook, warm: WarmProcess, seed: int, limits: Limits, only: Collection[str] = ()
) -> Graded:
    """Verdicts on the challenges of the notebook's lesson, or on those called in `only`."""
    run = Run(notebook, warm, seed, limits, only)
    run.all()
    return run.graded


class Run:
    """The runs of one notebook: a second one, where a cell or a challenge ends the first.

    A cell that does not end, or ends the process, is run again with its definitions only, and is
    left out where these are as bad. After two such cells every cell is treated so.
    """

    def __init__(
        self,
        notebook: Notebook,
        warm: WarmProcess,
        seed: int,
        limits: Limits,
        only: Collection[str],
    ) -> None:
        self.notebook, self.warm, self.seed, self.limits = notebook, warm, seed, limits
        self.challenges = [
            c for c in lessons.challenges(notebook.lesson) if not only or c.id in only
        ]
        self.graded = Graded()
        self.verdicts: dict[str, Verdict] = {}
        self.works: dict[str, Work] = {}
        self.definitions_only: set[int] = set()
        self.left_out: set[int] = set()
        self.remarks: dict[int, str] = {}
        self.left = limits.seconds
        self.late: int | None = None
        self.last: dict[str, Any] = {}

    def all(self) -> None:
        """Run until each challenge has a verdict."""
        started = time.monotonic()
        for _ in range(MOST_RUNS):
            if not self._open():
                break
            with self.warm.notebook(self.notebook.imports()) as session:
                self._once(session)
        for challenge in self._open():
            timed_out = _text(self.last.get("how")) == "time"
            outcome = judge.TIMED_OUT if timed_out else judge.CRASHED
            ended = "did not come to its end" if timed_out else "ended again and again"
            reason = f"The notebook's process {ended} before `{challenge.name}` could be called."
            self._unfinished(challenge, outcome, reason)
        self.graded.verdicts = [self.verdicts[c.id] for c in self.challenges]
        self.graded.notes = self._notes()
        self.graded.seconds = round(time.monotonic() - started, 3)

    def _open(self) -> list[Challenge]:
        return [c for c in self.challenges if c.id not in self.verdicts]

    def _once(self, session: Session) -> None:
        """One run of the cells, and as many challenges as its process lives to answer."""
        at: list[int] = []
        began = time.monotonic()
        try:
            self._cells(session, at)
        except Lost as lost:
            self.last = lost.how
            self._blame(at[-1] if at else None, lost)
            return
        finally:
            self.left -= time.monotonic() - began
        for challenge in self._open():
            try:
                # The process answers its last challenge by itself, and may end with it.
                self._challenge(session, challenge)
            except Lost as lost:
                self.last = lost.how
                self._unfinished(challenge, *_ending(lost.how, challenge.name, challenge.seconds))
                return

    def _cells(self, session: Session, at: list[int]) -> None:
        """Send the cells and listen until all have run; `at` collects the cells that began.

        Each cell begins once, in its turn, and ends in one error at most; whatever is sent beyond
        that is no word of the cells, and when their time is over there is no more listening.
        """
        whole = self.left > 0
        chosen = [
            [number, source, whole and number not in self.definitions_only]
            for number, source in enumerate(self.notebook.cells)
            if number not in self.left_out
        ]
        total = max(self.left, SECONDS_FOR_DEFINITIONS)
        seconds = min(self.limits.cell_seconds, total)
        end = time.monotonic() + total + SECONDS_TO_FINISH
        job = {"cells": chosen, "seconds": seconds, "total": total, "files": self._files()}
        session.send(values.encode(job), GRACE)
        to_begin = [number for number, _, _ in reversed(chosen)]
        ended = True
        while True:
            message = session.receive(min(seconds + GRACE, end - time.monotonic()), MOST_WORDS)
            if "ran" in message and not to_begin:
                return
            number = message.get("cell")
            if "error" in message and not ended and number == at[-1]:
                ended = True
                self._remark(at[-1], _raised(message))
                if _text(message["error"]) == "TimeLimit":
                    self._was_pressed(message, seconds)
            elif type(number) is int and to_begin and number == to_begin[-1]:
                at.append(to_begin.pop())
                ended = False
                if message.get("late") is True and whole and self.late is None:
                    self.late = number
            else:
                raise Lost({"how": "garbled"})

    def _files(self) -> dict[str, np.ndarray]:
        return {n: np.frombuffer(data, np.uint8) for n, data in self.notebook.files}

    def _challenge(self, session: Session, challenge: Challenge) -> None:
        last = challenge is self._open()[-1]
        end = time.monotonic() + challenge.seconds + 3 * GRACE
        session.send(_request(challenge.id, self.seed, last), GRACE)
        _, most = _most(challenge.id, self.seed)
        for _ in range(MOST_QUESTIONS):
            message = session.receive(end - time.monotonic(), most)
            if "ask" not in message:
                break
            session.send(_reply(_layers(challenge.id, self.seed), message), GRACE)
        if "work" not in message:
            if _text(message.get("how")) == "time":
                self._was_pressed(message, challenge.seconds)
            self._unfinished(challenge, *_ending(message, challenge.name, challenge.seconds))
            return
        try:
            work = self._bounded(challenge, Work.from_plain(message["work"]))
        except ValueError:
            self._unfinished(
                challenge, *_ending({"how": "garbled"}, challenge.name, challenge.seconds)
            )
            return
        if any(r.status == "timed out" for answer in work.answers for r in answer):
            self._was_pressed(message, challenge.seconds)
        self._judge(challenge, work)

    def _bounded(self, challenge: Challenge, work: Work) -> Work:
        """The work with no answer larger than can be judged soon. ValueError for too many."""
        most, _ = _most(challenge.id, self.seed)
        steps = [1 + len(call.steps) for call in planned(challenge.id, self.seed).calls]
        wrong = (not 1 <= len(a) <= most for a, most in zip(work.answers, steps))
        if len(work.answers) > len(steps) or any(wrong):
            raise ValueError("more answers than calls, or none to one")
        return replace(
            work,
            answers=tuple(
                tuple(_small(result, limit) for result in answer)
                for answer, limit in zip(work.answers, most)
            ),
        )

    def _was_pressed(self, message: dict[str, Any], seconds: float) -> None:
        waited = message.get("waited")
        if isinstance(waited, float) and waited > PRESSED * seconds:
            self.graded.pressed = True

    def _judge(self, challenge: Challenge, work: Work) -> None:
        wrong = [id for id, verdict in self.verdicts.items() if not verdict.passed]
        try:
            self.verdicts[challenge.id] = _judged(challenge.id, self.seed, work, tuple(wrong))
            self.works[challenge.id] = work
        except (
            Exception
        ) as error:  # the judge's own fault must cost neither the run nor a wrong mark
            self.graded.faults.append(
                f"{challenge.id}: {type(error).__name__}: {clean(error, 200)}"
            )
            reason = (
                "The judge failed on what came back. It is a fault of the course: please report."
            )
            self._unfinished(challenge, judge.REFUSED, reason)

    def _unfinished(self, challenge: Challenge, outcome: str, reason: str) -> None:
        self.verdicts[challenge.id] = judge.unfinished(challenge, outcome, reason, self.seed)

    def _blame(self, cell: int | None, lost: Lost) -> None:
        """The process ended in a cell: do less of that cell in the next run."""
        if cell is None:
            return
        self._remark(cell, f"{_cell_end(lost.how)}; only its definitions were used.")
        if cell in self.definitions_only:
            self.left_out.add(cell)
            self._remark(cell, f"{_cell_end(lost.how)}; it was left out.")
        self.definitions_only.add(cell)
        if len(self.definitions_only) > 1:
            self.definitions_only.update(range(len(self.notebook.cells)))

    def _remark(self, cell: int, text: str) -> None:
        self.remarks[cell] = f"Code cell {cell + 1} {clean(text, 400)}"

    def _notes(self) -> list[str]:
        if self.notebook.edition and self.notebook.edition != "exercise":
            raised = (
                f" {len(self.remarks)} of its cells did not run through." if self.remarks else ""
            )
            return [
                "A lesson notebook was handed in, not the exercise; its challenges were graded."
                + raised
            ]
        notes = [self.remarks[cell] for cell in sorted(self.remarks)]
        more = len(notes) - MOST_NOTES
        if more > 0:
            notes = [*notes[:MOST_NOTES], f"{more} more cells did not run through."]
        if self.late is not None:
            notes.append(
                f"The cells used up their {self.limits.seconds:g} s; from code cell "
                f"{self.late + 1} on only definitions were used."
            )
        return notes


def _small(result: Result, most: int) -> Result:
    """A result, or that it is too large where its value has more than `most` parts."""
    if _parts(result.after, most) > most:
        result = replace(result, after=("unreadable",) * min(len(result.after), 8))
    if _parts(result.value, most) <= most:
        return result
    said = f"it has more than {most:,} parts"
    return Result("too large", None, result.after, (("TooLarge",), said, ""))


def _parts(value: Any, most: int | None) -> int:
    """How many values a value holds; counting ends a little beyond `most`."""
    found, left = 0, [value]
    while left and (most is None or found <= most):
        one = left.pop()
        if isinstance(one, np.ndarray):
            found += one.size
        elif isinstance(one, str):
            found += 1 + len(one) // 8
        else:
            found += 1
            if isinstance(one, (list, tuple, dict)):
                if most is not None and len(one) > most:
                    return found + len(one)
                left += one.values() if isinstance(one, dict) else one
    return found


def _reply(layers: Sequence[Any], message: dict[str, Any]) -> bytes:
    """What a layer makes of what a notebook gives it, or the error that it ends in."""
    question, number = message.get("question"), message.get("ask")
    if type(question) is not int or type(number) is not int or not 0 <= number < len(layers):
        raise Lost({"how": "garbled"})
    try:
        given = _for_a_layer(message.get("of"))
        with np.errstate(all="ignore"):
            made = layers[number](given)
        return values.encode({"question": question, "value": made})
    except Exception as error:  # what the learner's code would meet, were the layer there
        told = {"error": type(error).__name__, "message": clean(error, 300)}
        return values.encode({"question": question, **told})


def _for_a_layer(value: Any) -> Any:
    """`value` where a layer takes it in little time; TypeError or ValueError otherwise."""
    shape = np.shape(value)
    if np.asarray(value).dtype.kind not in "biuf":
        raise TypeError("a layer takes an array of numbers")
    if len(shape) > 3 or max(shape, default=0) > MOST_ROWS or np.prod(shape) > MOST_ENTRIES:
        raise ValueError(f"a layer takes up to {MOST_ROWS} rows; the shape is {shape}")
    return value


def _text(value: Any) -> str:
    """Text from a message, '' for anything else that came in its place."""
    return value if isinstance(value, str) else ""


def _raised(message: dict[str, Any]) -> str:
    error, said = _text(message["error"]) or "an error", _text(message.get("message"))
    line, without = _text(message.get("line")), _text(message.get("without"))
    if error == "TimeLimit":
        rest = f"; of what follows, the definitions were run without the line: {without}"
        return f"was stopped: {said}{rest if without else ''}."
    told = f"raised {error}: {said}" + (f" at `{line}`" if line and line != without else "")
    rest = f"; the rest of it was run without the line that failed: {without}"
    return told + (rest if without else "")


def _cell_end(how: dict[str, Any]) -> str:
    kind = _text(how.get("how"))
    if kind == "time":
        return "did not end and could not be stopped"
    if kind == "memory":
        return "took more memory than there is"
    if kind == "exit":
        return "ended the Python process"
    if kind == "signal":
        return f"crashed the Python process ({_signal_name(how.get('number'))})"
    return "broke off the run"


def _ending(how: dict[str, Any], name: str, seconds: float) -> tuple[str, str]:
    """Outcome and reason where there are no answers."""
    kind = _text(how.get("how"))
    if kind == "time":
        return (
            judge.TIMED_OUT,
            f"`{name}` had not finished when the {seconds:g} s for all calls were over, "
            "and could not be stopped.",
        )
    if kind == "memory":
        return judge.OUT_OF_MEMORY, f"`{name}` took more memory than there is."
    if kind == "exit":
        return (
            judge.CRASHED,
            f"`{name}` ended the Python process (exit {clean(how.get('number'), 10)}).",
        )
    if kind == "signal":
        return (
            judge.CRASHED,
            f"The Python process crashed in `{name}` ({_signal_name(how.get('number'))}).",
        )
    if kind == "bytes":
        return judge.REFUSED, f"What `{name}` returned is too large to be looked at."
    if kind == "garbled":
        return judge.REFUSED, f"What came back from `{name}` cannot be read."
    return judge.CRASHED, f"The notebook's process was gone before `{name}` had answered."


def _signal_name(number: Any) -> str:
    try:
        return {11: "segmentation fault", 9: "killed", 6: "aborted"}.get(
            int(number), signal.Signals(int(number)).name
        )
    except (ValueError, TypeError, OverflowError):
        return "a signal"


def explain(run: Run, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Each call of the challenges, what was expected and what came: for an instructor's eyes."""
    rows = []
    for id in ids:
        plan, work = planned(id, run.seed), run.works.get(id)
        for number, _ in enumerate(plan.calls):
            came = work.answers[number] if work and number < len(work.answers) else ()
            rows.append(
                {
                    "challenge": id,
                    "call": judge.failing_call(plan, number),
                    "expected": [_shown(r) for r in plan.expected.answers[number]],
                    "came": [_shown(r) for r in came],
                }
            )
    return rows


def _shown(result: Any) -> str:
    if result.status == "raised":
        return clean(f"{result.error[0][0]}: {result.error[1]}", 300)
    return clean(repr(result.value), 600) if result.status == "returned" else result.status
