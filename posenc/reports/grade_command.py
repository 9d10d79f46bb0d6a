"""`posenc grade`, from what was asked for to what is shown and written."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from posenc import lessons
from posenc.grading import learners, pile
from posenc.grading.sandbox import MODES, NoSandbox
from posenc.grading.store import Store, StoreError, place, usable
from posenc.grading.warm import Limits
from posenc.reports import documents, exports, feedback, screen

# Exit codes: see docs/grading.md.
ELSEWHERE = (
    "Run by the executor that was given; the JSON says of each notebook how it was isolated."
)
DONE, FAILED, MISUNDERSTOOD, FAULTS, INTERRUPTED = 0, 1, 2, 3, 130


class Misunderstood(ValueError):
    """What was asked for cannot be understood; the message says what."""


@dataclass
class Request:
    """All that can be asked of `posenc grade`."""

    paths: list[Path]
    json: Path | None = None
    csv: Path | None = None
    columns: str | None = None
    junit: Path | None = None
    gradescope: Path | None = None
    feedback: Path | None = None
    jobs: int = 1
    sandbox: str = "auto"
    seed: int | None = None
    lesson: int | None = None
    seconds: float = 60.0
    memory: int = 1024
    names: Path | None = None
    name_pattern: str | None = None
    keep: str = "newest"
    store: Path | None = None
    fresh: bool = False
    regrade: str | None = None
    say: Callable[[str], None] = field(default=print)


def answer(
    request: Request,
    explain_challenge: str | None,
    test_itself: bool,
    leave: Callable[[str, int], NoReturn],
) -> int:
    """Do what was asked for; the exit code. What stands in the way is said through `leave`."""
    try:
        if test_itself:
            from posenc.grading import selftest

            return selftest.run(request.sandbox, request.say)
        if not request.paths:
            raise Misunderstood("name at least one notebook, or a folder of them")
        return explain(request, explain_challenge) if explain_challenge else run(request)
    except (Misunderstood, FileNotFoundError, learners.BadList, exports.CannotWrite) as error:
        leave(f"{error}.", MISUNDERSTOOD)
    except (NoSandbox, StoreError, RuntimeError) as error:
        leave(f"{error}.", FAILED)
    except BrokenPipeError:  # whoever read the output has read enough
        raise
    except OSError as error:
        leave(f"The file system refused: {error}.", FAILED)


def run(request: Request, executor: Executor | None = None) -> int:
    """Grade, show, write; the exit code.

    executor: any of `concurrent.futures`, a cluster's for instance; else threads of this machine.
    """
    check(request)
    names = learners.read_list(request.names) if request.names else {}
    found = learners.find(request.paths, names, request.name_pattern)
    if not found:
        raise Misunderstood(
            f"no notebook (.ipynb) was found in {', '.join(map(str, request.paths))}"
        )
    store = _store(request)
    settings = _settings(request, store)
    sentence = ELSEWHERE if executor else pile.isolation(settings)[1]
    request.say(f"{len(found)} notebooks, seed {settings.seed}. {sentence}")
    started = _now()
    graded = pile.Pile(settings, store, _base(request, store))
    results, complete = _grade(request, graded, found, executor)
    run_facts = {
        "sandbox": request.sandbox,
        "level": _weakest(results),
        "sentence": sentence,
        "jobs": request.jobs,
        "started": started,
        "finished": _now(),
        "complete": complete,
    }
    unused = learners.unused_names(names, found)
    document = documents.document(results, graded, run_facts, request.keep, unused)
    screen.show(document)
    write(document, request)
    store.close()
    if not complete:
        request.say("Interrupted. What was graded is kept; the same command goes on from here.")
        return INTERRUPTED
    faulty = any(s["faults"] or s["status"] == pile.NOT_GRADED for s in document["submissions"])
    return FAULTS if faulty else DONE


def check(request: Request) -> None:
    """Misunderstood where options do not fit."""
    if request.keep not in learners.KEEP:
        raise Misunderstood(
            f"--keep: {request.keep!r} came; allowed are {', '.join(learners.KEEP)}"
        )
    if request.sandbox not in MODES:
        raise Misunderstood(f"--sandbox: {request.sandbox!r} came; allowed are {', '.join(MODES)}")
    if request.jobs < 1:
        raise Misunderstood(f"--jobs: {request.jobs} came; 1 or more are allowed")
    if request.seconds <= 0 or request.memory < 64:
        raise Misunderstood("--seconds must be above 0 and --memory at least 64 (MB)")
    if request.lesson is not None and not 1 <= request.lesson <= len(lessons.LESSONS):
        raise Misunderstood(
            f"--lesson: {request.lesson} came; lessons are 1 to {len(lessons.LESSONS)}"
        )
    if request.regrade not in (None, "all"):
        _challenge(request.regrade)
    if request.columns is not None:
        exports.find_columns(request.columns)
        if request.csv is None:
            raise Misunderstood("--columns says what stands in the file that --csv names; name one")
    for path in (request.json, request.csv, request.junit, request.gradescope, request.feedback):
        if path is not None and not path.absolute().parent.is_dir():
            raise Misunderstood(f"there is no folder {path.parent} to write {path.name} into")


def write(document: dict[str, Any], request: Request) -> None:
    """Every file that was asked for."""
    if request.json:
        exports.write_json(document, request.json)
    if request.csv:
        exports.write_csv(document, request.csv, request.columns)
    if request.junit:
        exports.write_junit(document, request.junit)
    if request.gradescope:
        exports.write_gradescope(document, request.gradescope)
    if request.feedback:
        pages = feedback.write_pages(document, request.feedback)
        request.say(f"{len(pages)} feedback pages in {request.feedback}")


def explain(request: Request, id: str) -> int:
    """Grade one challenge of each notebook now and print every call: an instructor's view."""
    from posenc.grading import grade, notebook
    from posenc.grading.sandbox import choose
    from posenc.grading.warm import WarmProcess

    challenge = _challenge(id)
    store = _store(request)
    settings = _settings(request, store)
    warm = WarmProcess(choose(request.sandbox, settings.hide), settings.limits)
    try:
        for submission in learners.find(request.paths):
            request.say(
                f"\n{submission.learner} ({submission.shown}), challenge {id}, seed {settings.seed}"
            )
            try:
                data = notebook.read_bytes(submission.path, submission.root)
                read = notebook.read(data, submission.path.name, challenge.lesson)
            except notebook.Unreadable as error:
                request.say(f"  unreadable: {error}")
                continue
            one = grade.Run(read, warm, settings.seed, settings.limits, [id])
            one.all()
            verdict = one.graded.verdicts[0].to_dict()
            for line in (*exports.feedback_lines(verdict), *one.graded.notes):
                request.say(f"  {notebook.clean(line)}")
            for row in grade.explain(one, [id]):
                request.say(
                    f"  {row['call']}\n    expected {'; '.join(row['expected'])}\n"
                    f"    came     {'; '.join(row['came'])}"
                )
            for old in _old_marks(settings, store, request, submission, data):
                request.say(
                    f"  earlier: {old['points']} points, {old['outcome']} "
                    f"({old['graded_at']}, judge {old['judge']})"
                )
    finally:
        warm.close()
        store.close()
    return DONE


def _old_marks(
    settings: pile.Settings, store: Store, request: Request, submission: Any, data: bytes
) -> list[dict]:
    from posenc.grading.notebook import fingerprint

    key = pile.Pile(settings, store, _base(request, store)).key(submission, fingerprint(data))
    return store.old_marks(key.file, key.content)


def _weakest(results: list[pile.Result]) -> str:
    """The least isolation that any of the notebooks had."""
    levels = {result.record["isolation"] for result in results}
    return next((level for level in ("none", "partial", "full") if level in levels), "full")


def _grade(
    request: Request, graded: pile.Pile, found: list[learners.Submission], given: Executor | None
) -> tuple[list[pile.Result], bool]:
    """Results, and whether all are there."""
    came: list[pile.Result] = []
    only = () if request.regrade in (None, "all") else (request.regrade,)
    try:
        own = contextlib.nullcontext(given) if given else pile.local_executor(request.jobs)
        with own as executor, screen.progress(len(found)) as advance:

            def done(result: pile.Result) -> None:
                came.append(result)
                advance(result)

            results = graded.run(
                found,
                executor,
                again=_again(request),
                only=only,
                done=done,
                at_once=2 * request.jobs,
            )
        return results, True
    except KeyboardInterrupt:
        return came, False


def _again(request: Request) -> Callable[[dict[str, Any]], bool]:
    """Which kept results are made anew."""
    if request.fresh or request.regrade == "all":
        return lambda record: True
    if request.regrade is not None:
        lesson = _challenge(request.regrade).lesson
        return lambda record: record["lesson"] == lesson
    return lambda record: False


def _settings(request: Request, store: Store) -> pile.Settings:
    limits = Limits(seconds=request.seconds, memory=request.memory * 2**20)
    hide = {str(p.resolve() if p.is_dir() else p.resolve().parent) for p in request.paths}
    return pile.Settings(
        store.seed(request.seed), request.sandbox, limits, request.lesson, (), tuple(sorted(hide))
    )


def _store(request: Request) -> Store:
    path = request.store or place(request.paths[0])
    if request.store is None and not usable(path):
        request.say(
            f"Results are not kept: {path.parent} cannot be written. Name a place with --store."
        )
        return Store(None)
    return Store(path)


def _base(request: Request, store: Store) -> Path:
    return store.path.parent if store.path else Path.cwd()


def _challenge(id: str) -> Any:
    try:
        return lessons.challenge(id)
    except KeyError as error:
        raise Misunderstood(str(error.args[0])) from None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")
