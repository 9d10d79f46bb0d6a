"""How many notebooks run at a time: as many as there are jobs, and more while most of them wait.

A notebook that sleeps holds a process, and no processor that another could use. So one more is let
in for each that has not worked of late. One whose time ran out while others had the processor gets
its turn alone.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from posenc.grading.warm import Stopped, WarmProcess

MOST_FOR_A_JOB = 4
SECONDS_BETWEEN_LOOKS = 0.25
AT_WORK = 0.1  # of the time between two looks
CROWDED = 2.0


@dataclass(eq=False)
class Turn:
    """One notebook's stay. `warm` is the process that it runs in, as soon as there is one.

    used: its seconds of processor at the last look. by_others: those of all others between looks
    while it was there; fair: what they would be if each had had as many as it had itself.
    company: whether there were others when it left.
    """

    warm: WarmProcess | None = None
    used: float | None = None
    at_work: bool = True
    by_others: float = 0.0
    fair: float = 0.0
    company: bool = False

    @property
    def crowded(self) -> bool:
        """Whether others had far more of the processors than it had, as far as anybody looked."""
        return self.by_others > CROWDED * self.fair if self.by_others else self.company


class Crowd:
    """Lets notebooks in and keeps count. jobs: how many may work at a time, None for any number.

    alone: whether one is in that keeps others out. inside: the turns under way.
    """

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = jobs
        self.most = None if jobs is None else jobs * MOST_FOR_A_JOB
        self.inside: list[Turn] = []
        self.to_be_alone = 0
        self.alone = False
        self.stopped = False
        self.looked = time.monotonic()
        self.changed = threading.Condition()

    @contextlib.contextmanager
    def turn(self, alone: bool = False) -> Iterator[Turn]:
        """A stay in the crowd, or one during which nobody else is in it. Stopped after `stop`."""
        turn = Turn()
        with self.changed:
            self.to_be_alone += alone
            try:
                while self._anybody_works() if alone else not self._has_room():
                    self.changed.wait(SECONDS_BETWEEN_LOOKS)
                    self._still_wanted()
                self._still_wanted()
                self.inside.append(turn)
                self.alone = alone
            finally:
                # Whoever waits to be alone keeps others out; once inside, being there does.
                self.to_be_alone -= alone
        try:
            yield turn
        finally:
            with self.changed:
                self.inside.remove(turn)
                turn.company = bool(self.inside)
                if alone:
                    self.alone = False
                self.changed.notify_all()

    def run_in(self, turn: Turn, warm: WarmProcess) -> None:
        """Note the process of a stay, so that `stop` ends it. Stopped where that came before."""
        with self.changed:
            turn.warm = warm
            self._still_wanted()

    def stop(self) -> None:
        """Let nobody in any more, and end at once whoever is inside."""
        with self.changed:
            self.stopped = True
            inside = list(self.inside)
            self.changed.notify_all()
        for turn in inside:
            if turn.warm is not None:
                turn.warm.stop()

    def _still_wanted(self) -> None:
        if self.stopped:
            raise Stopped("the run was interrupted")

    def _anybody_works(self) -> bool:
        """Whether a turn alone would not be one: who only waits disturbs nobody."""
        self._look()
        return self.alone or any(turn.at_work for turn in self.inside)

    def _has_room(self) -> bool:
        if self.to_be_alone or self.alone:
            return False
        if self.jobs is None or len(self.inside) < self.jobs:
            return True
        if self.most is None or len(self.inside) >= self.most:
            return False
        self._look()
        return sum(turn.at_work for turn in self.inside) < self.jobs

    def _look(self) -> None:
        """Note of each notebook whether its processes have worked since the last look."""
        now = time.monotonic()
        since = now - self.looked
        if since < SECONDS_BETWEEN_LOOKS:
            return
        self.looked = now
        roots = {id(turn): _root(turn) for turn in self.inside}
        used = processor_seconds({pid for pid in roots.values() if pid is not None})
        spent: dict[int, float] = {}
        for turn in self.inside:
            seconds = used.get(roots[id(turn)] or 0)
            if seconds is not None and turn.used is not None:
                spent[id(turn)] = seconds - turn.used
            turn.at_work = spent.get(id(turn), since) > AT_WORK * since
            turn.used = seconds
        working = sum(turn.at_work for turn in self.inside)
        for turn in self.inside:
            if id(turn) in spent:
                turn.by_others += sum(spent.values()) - spent[id(turn)]
                turn.fair += spent[id(turn)] * max(1, working - turn.at_work)


def processor_seconds(roots: set[int]) -> dict[int, float]:
    """The seconds of processor that each of these processes has used, with all below it.

    Empty where the system has no /proc.
    """
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b") ")[2].split()
                parents[int(name)] = int(fields[1])
                ticks[int(name)] = sum(map(int, fields[11:15]))
    per_second = os.sysconf("SC_CLK_TCK") if ticks else 1
    found = dict.fromkeys(roots & ticks.keys(), 0.0)
    for pid, used in ticks.items():
        up = pid
        while up in parents and up not in found:
            up = parents[up]
        if up in found:
            found[up] += used / per_second
    return found


def _root(turn: Turn) -> int | None:
    process = turn.warm.process if turn.warm is not None else None
    return process.pid if process is not None else None
