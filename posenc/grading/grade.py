"""One notebook to its verdicts: run its cells apart, make the judge's calls there, judge here."""

from __future__ import annotations

import signal
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from posenc import lessons
from posenc.grading.notebook import Notebook, clean
from posenc.grading.warm import Limits, Lost, Session, WarmProcess
from posenc.judging import judge, values
from posenc.judging.calls import Work
from posenc.judging.judge import Plan, Verdict
from posenc.judging.model import Challenge

MOST_RUNS = 6
GRACE = 3.0
MOST_NOTES = 6


@dataclass
class Graded:
    """What came of one notebook: a verdict for each challenge, and remarks on how it ran.

    faults: where the judge itself failed, which is a fault of the course.
    """

    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

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


@lru_cache(maxsize=256)
def _request(id: str, seed: int, last: bool) -> bytes:
    """What asks a notebook for the calls of a challenge; the same for all of a pile."""
    challenge = lessons.challenge(id)
    return values.encode(
        {
            "name": challenge.name,
            "calls": [call.to_plain() for call in planned(id, seed).calls],
            "seconds": challenge.seconds,
            "uses": list(challenge.builds_on),
            "last": last,
        }
    )


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
        self.end = time.monotonic() + limits.seconds

    def all(self) -> None:
        """Run until each challenge has a verdict."""
        started = time.monotonic()
        for _ in range(MOST_RUNS):
            if not self._open() or self._left() <= 0:
                break
            with self.warm.notebook(self.notebook.imports()) as session:
                self._once(session)
        for challenge in self._open():
            used_up = f"The notebook had used up its {self.limits.seconds:g} s"
            reason = f"{used_up} before `{challenge.name}` was called."
            if self._left() > 0:
                ended = "The notebook's process ended again and again"
                reason = f"{ended} before `{challenge.name}` could be called."
            outcome = judge.TIMED_OUT if self._left() <= 0 else judge.CRASHED
            self._unfinished(challenge, outcome, reason)
        self.graded.verdicts = [self.verdicts[c.id] for c in self.challenges]
        self.graded.notes = self._notes()
        self.graded.seconds = round(time.monotonic() - started, 3)

    def _open(self) -> list[Challenge]:
        return [c for c in self.challenges if c.id not in self.verdicts]

    def _left(self) -> float:
        return self.end - time.monotonic()

    def _once(self, session: Session) -> None:
        """One run of the cells, and as many challenges as its process lives to answer."""
        at: list[int] = []
        try:
            self._cells(session, at)
        except Lost as lost:
            self._blame(at[-1] if at else None, lost)
            return
        for challenge in self._open():
            try:
                # The process answers its last challenge by itself, and may end with it.
                self._challenge(session, challenge)
            except Lost as lost:
                self._unfinished(challenge, *_ending(lost.how, challenge.name, challenge.seconds))
                return

    def _cells(self, session: Session, at: list[int]) -> None:
        """Send the cells and listen until all have run; `at` collects the cells that began."""
        chosen = [
            [number, source, number not in self.definitions_only]
            for number, source in enumerate(self.notebook.cells)
            if number not in self.left_out
        ]
        seconds = min(self.limits.cell_seconds, max(self._left(), 0.5))
        job = values.encode({"cells": chosen, "seconds": seconds})
        session.send(job, self._patience(seconds))
        while True:
            message = session.receive(self._patience(seconds))
            if "ran" in message:
                return
            number = message.get("cell")
            if type(number) is not int or not 0 <= number < len(self.notebook.cells):
                raise Lost({"how": "garbled"})
            if "error" in message:
                self._remark(number, _raised(message))
            else:
                at.append(number)

    def _challenge(self, session: Session, challenge: Challenge) -> None:
        last = challenge is self._open()[-1]
        session.send(_request(challenge.id, self.seed, last), GRACE)
        message = session.receive(challenge.seconds + 2 * GRACE)
        if "work" not in message:
            self._unfinished(challenge, *_ending(message, challenge.name, challenge.seconds))
            return
        try:
            work = Work.from_plain(message["work"])
        except ValueError:
            self._unfinished(
                challenge, *_ending({"how": "garbled"}, challenge.name, challenge.seconds)
            )
            return
        self._judge(challenge, work)

    def _judge(self, challenge: Challenge, work: Work) -> None:
        wrong = [id for id, verdict in self.verdicts.items() if not verdict.passed]
        try:
            self.verdicts[challenge.id] = judge.judge(planned(challenge.id, self.seed), work, wrong)
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

    def _patience(self, seconds: float) -> float:
        """How long to wait for word of a cell: its own limit, and time for it to be stopped."""
        return max(0.1, min(seconds + GRACE, self._left() + GRACE))

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
        return (
            notes if more <= 0 else [*notes[:MOST_NOTES], f"{more} more cells did not run through."]
        )


def _raised(message: dict[str, Any]) -> str:
    if message["error"] == "TimeLimit":
        return f"was stopped: {message.get('message', '')}."
    line = f" at `{message['line']}`" if message.get("line") else ""
    return f"raised {message['error']}: {message.get('message', '')}{line}"


def _cell_end(how: dict[str, Any]) -> str:
    kind = how.get("how")
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
    """Outcome and reason where no answers came."""
    kind = how.get("how")
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
            number, signal.Signals(number).name
        )
    except (ValueError, TypeError):
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
