"""Many notebooks: which still need grading, on whatever executor there is, and nothing lost.

`grade_bytes` is all that travels to a worker: the bytes of a notebook and the settings go, a
record comes back. Any `concurrent.futures` executor will do, also one that reaches other machines.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path

import posenc
from posenc import closure, lessons
from posenc.files import write_whole
from posenc.grading import beside, disguises, notebook, parsing, replay, sandbox
from posenc.grading.crowd import MOST_FOR_A_JOB, Crowd
from posenc.grading.grade import Run
from posenc.grading.learners import Submission
from posenc.grading.record import (
    GRADED,
    NOT_GRADED,
    NOTHING,
    OTHER_LANGUAGE,
    OTHER_LESSON,
    UNREADABLE,
    BadRecord,
    OldMark,
    Record,
    clean_verdict,
    merged,
    without_marks,
)
from posenc.grading.store import Key, Store, state_folder
from posenc.grading.warm import Limits, WarmProcess
from posenc.judging.verdict import NOT_FOUND

MOST_TRIES = 3
NOTED_BASE = "pile"  # under which a store notes the folder that names of files start from


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


def grade_bytes(
    data: bytes, name: str, settings: Settings, files: Mapping[str, bytes] | None = None
) -> Record:
    """The record of one notebook. Runs wherever an executor puts it.

    files: what was handed in beside it, by name.
    """
    try:
        read, odd = disguises.read(data, name, settings.lesson)
    except notebook.Unreadable as error:
        return without_marks(UNREADABLE, str(error))
    if not lessons.challenges(read.lesson):
        return without_marks(UNREADABLE, f"lesson {read.lesson} has no challenges to grade")
    if not any(map(str.strip, read.cells)):
        return without_marks(NOTHING, "the notebook holds no code", read.lesson)
    read = replace(read, files=tuple((files or {}).items()))
    defined = disguises.defined(read.cells)
    asked = {c.name for c in lessons.challenges(read.lesson)}
    if (language := disguises.language(data)) and not defined & asked:
        reason = f"its kernel is for {language}, and this course is in Python; nothing was run"
        return without_marks(OTHER_LANGUAGE, reason, read.lesson)
    run, level, crowded = _run(read, settings)
    if run.graded.pressed:  # time ran out while others had the processor: that is not its own
        run, level, _ = _run(read, settings, alone=crowded)
    graded = run.graded
    nothing = all(v.outcome == NOT_FOUND for v in graded.verdicts)
    other = disguises.other_lesson(read.lesson, defined) if nothing else None
    if other:
        if settings.lesson is None and not settings.only:
            return without_marks(OTHER_LESSON, disguises.proposal(read.lesson, *other), read.lesson)
        odd = [*odd, f"It {disguises.proposal(read.lesson, *other)}."]
    return Record(
        GRADED,
        lesson=read.lesson,
        lesson_from=read.lesson_from,
        version=read.version,
        edition=read.edition,
        points=graded.points,
        out_of=graded.out_of,
        challenges=tuple(map(clean_verdict, graded.verdicts)),
        notes=(*_version_note(read.version), *map(notebook.clean, [*odd, *graded.notes])),
        faults=tuple(graded.faults),
        seconds=graded.seconds,
        isolation=level,
        answers=replay.answers(run),
    )


def _run(read: notebook.Notebook, settings: Settings, alone: bool = False) -> tuple[Run, str, bool]:
    """A run of a notebook, how far it was isolated, and whether others of the pile crowded it."""
    with _crowd.turn(alone) as turn, _warm(settings) as warm:
        _crowd.run_in(turn, warm)
        run = Run(read, warm, settings.seed, settings.limits, settings.only)
        run.all()
        return run, sandbox.describe(warm.facts, warm.sandbox)[0], turn.crowded


@dataclass
class Result:
    """A submission with its record. `kept`: it was there from an earlier run."""

    submission: Submission
    content: str
    record: Record
    kept: bool = False


class Pile:
    """Grades submissions one after another or at once, and keeps each result when it is there."""

    def __init__(self, settings: Settings, store: Store, base: Path | None = None) -> None:
        self.settings, self.store = settings, store
        self.base = base or store.base
        store.about(NOTED_BASE, str(self.base.absolute()))

    def run(
        self,
        submissions: Sequence[Submission],
        executor: Executor,
        *,
        again: Callable[[Record], bool] = lambda record: False,
        only: tuple[str, ...] = (),
        done: Callable[[Result], None] = lambda result: None,
        at_once: int = 4,
    ) -> list[Result]:
        """Results in the order of `submissions`.

        again: whether a record that is kept is to be made anew, of the challenges in `only` if
        there are any. done: called with each result as it comes. at_once: notebooks under way.
        """
        at_once = getattr(executor, "at_once", at_once)
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
                    if record.status == NOT_GRADED and task.tries < MOST_TRIES:
                        under_way[task.start(executor)] = task
                        continue
                    results[task.number] = self._keep(task, record)
                    done(results[task.number])
        finally:
            for future in under_way:
                future.cancel()

    def key(self, submission: Submission, content: str) -> Key:
        """Under which a result is kept."""
        there = os.path.relpath(submission.path.absolute(), self.base.absolute())
        file = "/".join([there.replace(os.sep, "/"), *submission.inside])
        file = file.encode("utf-8", "replace").decode()
        return Key(file, content, posenc.__version__, self.settings.seed, self.settings.asked)

    def _tasks(
        self,
        submissions: Sequence[Submission],
        results: dict[int, Result],
        again: Callable[[Record], bool],
        only: tuple[str, ...],
        done: Callable[[Result], None],
    ) -> Iterator[Task]:
        """What is still to be graded, read one after another; other results go into `results`."""
        around = beside.Beside(submissions)
        for number, submission in enumerate(submissions):
            try:
                data = submission.read()
            except notebook.Unreadable as error:
                results[number] = Result(submission, "", without_marks(UNREADABLE, str(error)))
                done(results[number])
                continue
            files = around.of(submission)
            content = beside.fingerprint(data, files)
            kept = self.kept(self.key(submission, content))
            if kept is not None and not again(kept):
                results[number] = Result(submission, content, kept, kept=True)
                done(results[number])
                continue
            settings = replace(self.settings, only=only) if kept is not None else self.settings
            yield Task(number, submission, data, content, settings, files)

    def kept(self, key: Key) -> Record | None:
        """The record that is kept for `key`; None where there is none, or it is none to rely on."""
        try:
            plain = self.store.get(key)
            return None if plain is None else Record.from_plain(plain)
        except (BadRecord, ValueError, RecursionError):
            return None

    def old_marks(self, key: Key) -> tuple[OldMark, ...]:
        """Earlier marks of a file, oldest first."""
        return tuple(OldMark(**mark) for mark in self.store.old_marks(key.file, key.content))

    def _keep(self, task: Task, record: Record) -> Result:
        if record.status == NOT_GRADED:  # a fault of this run, to be tried again by the next
            return Result(task.submission, task.content, record)
        key = self.key(task.submission, task.content)
        if task.settings.only:
            record = merged(self.kept(key), record)
        kept = self.store.put(key, record.to_plain(), judge_mark())
        record = replace(record, judge=kept["judge"], graded_at=kept["graded_at"])
        return Result(task.submission, task.content, record)


@dataclass
class Task:
    """A notebook on its way to a worker."""

    number: int
    submission: Submission
    data: bytes
    content: str
    settings: Settings
    files: Mapping[str, bytes] = field(default_factory=dict)
    tries: int = 0

    def start(self, executor: Executor) -> Future:
        """Hand it to the executor, for the first time or again."""
        self.tries += 1
        name = self.submission.name
        return executor.submit(grade_bytes, self.data, name, self.settings, dict(self.files))


@contextlib.contextmanager
def local_executor(jobs: int) -> Iterator[Executor]:
    """Threads on this machine, of which `jobs` work at a time; all of them end with the block.

    Where the block ends in an error or an interrupt, what is under way is ended at once.
    """
    global _crowd
    _crowd = Crowd(jobs)
    executor = Crew(jobs * MOST_FOR_A_JOB, "posenc-grade")
    try:
        yield executor
    except BaseException:
        _crowd.stop()
        parsing.stop()
        raise
    finally:
        # Before their threads end: a sandbox is killed, not closed, once its thread is gone.
        close_warm_processes()
        executor.shutdown(wait=True, cancel_futures=True)
        close_warm_processes()
        _crowd = Crowd()


class Crew(ThreadPoolExecutor):
    """Threads for notebooks; more of them than may work at a time, because some only wait."""

    @property
    def at_once(self) -> int:
        """How many notebooks can be under way."""
        return self._max_workers


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


DECIDES_NOTHING = ("posenc.judging.sentences", ".claims", ".questions")


@cache
def judge_mark() -> str:
    """What tells whether the judge or the challenges decide otherwise than they did.

    Wording decides nothing, and so leaves the mark as it is. To read all that a mark rests on takes
    about a second, so the mark is remembered for the files as they are to the byte.
    """
    memory = state_folder() / "judge-mark"
    bytes_now = closure.source_hash(closure.modules_in("posenc"))
    with contextlib.suppress(OSError, ValueError):
        told, mark = memory.read_text(encoding="ascii").split()
        if told == bytes_now:
            return mark
    starts = ["posenc.judging.deciding", *closure.modules_in("posenc.lessons")]
    decides = [m for m in closure.closure(starts) if not m.endswith(DECIDES_NOTHING)]
    mark = f"{posenc.__version__}+{closure.decisions_hash(decides)[:8]}"
    with contextlib.suppress(OSError):
        memory.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(memory, f"{bytes_now} {mark}\n".encode("ascii"))
    return mark


_idle: dict[tuple, list[WarmProcess]] = {}
_lock = threading.Lock()
_crowd = Crowd()
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


def _record(future: Future) -> Record:
    """A worker's record, or one that says why there is none: it died, or did not start."""
    try:
        return future.result()
    except Exception as error:
        reason = f"the grader itself failed: {type(error).__name__}: {error}"
        return without_marks(NOT_GRADED, reason)


def _version_note(version: str) -> list[str]:
    if version and version != posenc.__version__:
        return [f"Made with version {version} of the course, graded by {posenc.__version__}."]
    return []
