"""Many notebooks: which still need grading, on whatever executor there is, and nothing lost.

`grade_bytes` is all that travels to a worker: the bytes of a notebook and the settings go, a plain
record comes back. Any `concurrent.futures` executor will do, also one that reaches other machines.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import posenc
from posenc import closure, lessons
from posenc.grading import notebook, sandbox
from posenc.grading.grade import grade
from posenc.grading.learners import Submission
from posenc.grading.store import Key, Store
from posenc.grading.warm import Limits, WarmProcess

MOST_TRIES = 3
UNREADABLE, GRADED, NOT_GRADED = "unreadable", "graded", "not graded"


@dataclass(frozen=True)
class Settings:
    """How a pile is graded. `only`: ids of challenges, or all. `hide`: folders out of sight."""

    seed: int = 0
    sandbox: str = "auto"
    limits: Limits = Limits()
    lesson: int | None = None
    only: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()

    @property
    def asked(self) -> str:
        """What was asked for beyond the usual, as part of a result's key."""
        parts = [f"lesson {self.lesson}"] if self.lesson else []
        usual = asdict(Limits())
        parts += [f"{k} {v}" for k, v in asdict(self.limits).items() if v != usual[k]]
        return ", ".join(parts)


def grade_bytes(data: bytes, name: str, settings: Settings) -> dict[str, Any]:
    """The record of one notebook. Runs wherever an executor puts it."""
    try:
        read = notebook.read(data, name, settings.lesson)
    except notebook.Unreadable as error:
        return unreadable(str(error))
    if not lessons.challenges(read.lesson):
        return unreadable(f"lesson {read.lesson} has no challenges to grade")
    with _warm(settings) as warm:
        graded = grade(read, warm, settings.seed, settings.limits, settings.only)
        level, _ = sandbox.describe(warm.facts, warm.sandbox)
    verdicts = [_clean(v.to_dict()) for v in graded.verdicts]
    return {
        "status": GRADED,
        "reason": "",
        "lesson": read.lesson,
        "lesson_from": read.lesson_from,
        "version": read.version,
        "edition": read.edition,
        "points": graded.points,
        "out_of": graded.out_of,
        "challenges": verdicts,
        "notes": [*_version_note(read.version), *(notebook.clean(n) for n in graded.notes)],
        "faults": graded.faults,
        "seconds": graded.seconds,
        "isolation": level,
    }


def unreadable(reason: str, status: str = UNREADABLE) -> dict[str, Any]:
    """The record of a file that has no marks, with the reason."""
    return {
        "status": status,
        "reason": notebook.clean(reason, 400),
        "lesson": None,
        "lesson_from": "",
        "version": "",
        "edition": "",
        "points": None,
        "out_of": None,
        "challenges": [],
        "notes": [],
        "faults": [],
        "seconds": 0.0,
        "isolation": "",
    }


@dataclass
class Result:
    """A submission with its record. `kept`: it was there from an earlier run."""

    submission: Submission
    content: str
    record: dict[str, Any]
    kept: bool = False


class Pile:
    """Grades submissions one after another or at once, and keeps each result when it is there."""

    def __init__(self, settings: Settings, store: Store, base: Path | None = None) -> None:
        self.settings, self.store = settings, store
        self.base = base or (store.path.parent if store.path else Path.cwd())

    def run(
        self,
        submissions: Sequence[Submission],
        executor: Executor,
        *,
        again: Callable[[dict[str, Any]], bool] = lambda record: False,
        only: tuple[str, ...] = (),
        done: Callable[[Result], None] = lambda result: None,
        at_once: int = 4,
    ) -> list[Result]:
        """Results in the order of `submissions`.

        again: whether a record that is kept is to be made anew, of the challenges in `only` if
        there are any. done: called with each result as it comes. at_once: notebooks under way.
        """
        results: dict[int, Result] = {}
        tasks = self._tasks(submissions, results, again, only, done)
        under_way: dict[Future, Task] = {}
        try:
            while True:
                for task in islice(tasks, max(0, at_once - len(under_way))):
                    under_way[task.start(executor)] = task
                if not under_way:
                    return [results[number] for number in range(len(submissions))]
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    task = under_way.pop(future)
                    record = _record(future)
                    if record["status"] == NOT_GRADED and task.tries < MOST_TRIES:
                        under_way[task.start(executor)] = task
                        continue
                    results[task.number] = self._keep(task, record)
                    done(results[task.number])
        finally:
            for future in under_way:
                future.cancel()

    def key(self, submission: Submission, content: str) -> Key:
        """Under which a result is kept."""
        file = os.path.relpath(submission.path.absolute(), self.base.absolute()).replace(
            os.sep, "/"
        )
        file = file.encode("utf-8", "replace").decode()
        return Key(file, content, posenc.__version__, self.settings.seed, self.settings.asked)

    def _tasks(
        self,
        submissions: Sequence[Submission],
        results: dict[int, Result],
        again: Callable[[dict[str, Any]], bool],
        only: tuple[str, ...],
        done: Callable[[Result], None],
    ) -> Iterator[Task]:
        """What is still to be graded, read one after another; other results go into `results`."""
        for number, submission in enumerate(submissions):
            try:
                data = notebook.read_bytes(submission.path, submission.root)
            except notebook.Unreadable as error:
                results[number] = Result(submission, "", unreadable(str(error)))
                done(results[number])
                continue
            content = notebook.fingerprint(data)
            kept = self.store.get(self.key(submission, content))
            if kept is not None and not again(kept):
                results[number] = Result(submission, content, kept, kept=True)
                done(results[number])
                continue
            settings = replace(self.settings, only=only) if kept is not None else self.settings
            yield Task(number, submission, data, content, settings)

    def _keep(self, task: Task, record: dict[str, Any]) -> Result:
        if record["status"] == NOT_GRADED:  # a fault of this run, to be tried again by the next
            return Result(task.submission, task.content, record)
        key = self.key(task.submission, task.content)
        if task.settings.only:
            record = _merged(self.store.get(key), record)
        return Result(task.submission, task.content, self.store.put(key, record, judge_mark()))


@dataclass
class Task:
    """A notebook on its way to a worker."""

    number: int
    submission: Submission
    data: bytes
    content: str
    settings: Settings
    tries: int = 0

    def start(self, executor: Executor) -> Future:
        """Hand it to the executor, for the first time or again."""
        self.tries += 1
        return executor.submit(grade_bytes, self.data, self.submission.path.name, self.settings)


@contextlib.contextmanager
def local_executor(jobs: int) -> Iterator[Executor]:
    """Threads on this machine, one warm process each; all of them end with the block."""
    executor = ThreadPoolExecutor(jobs, "posenc-grade")
    try:
        yield executor
    finally:
        # Before their threads end: a sandbox is killed, not closed, once its thread is gone.
        close_warm_processes()
        executor.shutdown(wait=True, cancel_futures=True)
        close_warm_processes()


def isolation(settings: Settings) -> tuple[str, str]:
    """What holds on this machine, as a word and a sentence; starts the first warm process."""
    with _warm(settings) as warm:
        if warm.sandbox.forks and not warm.facts:
            warm.start()
        return sandbox.describe(warm.facts, warm.sandbox)


def close_warm_processes() -> None:
    """End the warm processes that are not at work."""
    with _lock:
        idle = [warm for group in _idle.values() for warm in group]
        _idle.clear()
    for warm in idle:
        warm.close()


@cache
def judge_mark() -> str:
    """What tells whether the judge or the challenges decide otherwise than they did.

    Wording decides nothing, and so leaves the mark as it is.
    """
    decides = closure.closure(["posenc.judging.judge", *closure.modules_in("posenc.lessons")])
    return f"{posenc.__version__}+{closure.decisions_hash(decides)[:8]}"


_idle: dict[tuple, list[WarmProcess]] = {}
_lock = threading.Lock()
atexit.register(close_warm_processes)


@contextlib.contextmanager
def _warm(settings: Settings) -> Iterator[WarmProcess]:
    """A warm process for one notebook, from those that are idle, or a new one."""
    kind = (settings.sandbox, settings.limits, settings.hide)
    with _lock:
        group = _idle.setdefault(kind, [])
        warm = group.pop() if group else None
    if warm is None:
        warm = WarmProcess(sandbox.choose(settings.sandbox, settings.hide), settings.limits)
    try:
        yield warm
    except BaseException:
        warm.close()
        raise
    with _lock:
        _idle.setdefault(kind, []).append(warm)


def _record(future: Future) -> dict[str, Any]:
    """A worker's record, or one that says why there is none: it died, or did not start."""
    try:
        return future.result()
    except Exception as error:
        return unreadable(f"the grader itself failed: {type(error).__name__}: {error}", NOT_GRADED)


def _merged(kept: dict[str, Any] | None, record: dict[str, Any]) -> dict[str, Any]:
    """A record in which some challenges were graded anew and the others stay as they were."""
    if kept is None or kept["status"] != GRADED or record["status"] != GRADED:
        return record
    new = {v["challenge"]: v for v in record["challenges"]}
    challenges = [new.pop(v["challenge"], v) for v in kept["challenges"]] + list(new.values())
    points = sum(v["points"] for v in challenges)
    return {
        **record,
        "challenges": challenges,
        "points": points,
        "out_of": sum(v["out_of"] for v in challenges),
    }


def _version_note(version: str) -> list[str]:
    if version and version != posenc.__version__:
        return [f"Made with version {version} of the course, graded by {posenc.__version__}."]
    return []


def _clean(value: Any) -> Any:
    """A verdict with all its text safe to print and store."""
    if isinstance(value, str):
        return notebook.clean(value)
    if isinstance(value, dict):
        return {k: _clean(v) for k, v in value.items()}
    return [_clean(v) for v in value] if isinstance(value, (list, tuple)) else value
