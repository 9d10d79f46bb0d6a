"""`posenc grade`, from what was asked for to what is shown and written."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from posenc import lessons, places
from posenc.errors import NotUnderstood
from posenc.grading import learners, pile
from posenc.grading.record import NOT_GRADED, Record
from posenc.grading.sandbox import MODES, NoSandbox
from posenc.grading.store import LARGEST_SEED, Store, StoreError, open_for
from posenc.grading.warm import Limits
from posenc.judging import sentences
from posenc.judging.model import Challenge
from posenc.reports import documents, exports, feedback, screen
from posenc.reports.documents import Asked, Document, Override
from posenc.reports.findings import Headings

# Exit codes: see docs/grading.md.
ELSEWHERE = (
    "Run by the executor that was given; the JSON says of each notebook how it was isolated."
)
DONE, FAILED, MISUNDERSTOOD, FAULTS, INTERRUPTED = 0, 1, 2, 3, 130


class Misunderstood(NotUnderstood):
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
    due: str | None = None
    override: Path | None = None
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
    except (NotUnderstood, FileNotFoundError) as error:
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
    asked = Asked(request.keep, (), due(request.due), read_overrides(request.override))
    found = learners.look(request.paths, names, request.name_pattern)
    if not found.submissions and not found.empty:
        raise Misunderstood(
            f"no notebook (.ipynb) was found in {', '.join(map(str, request.paths))}"
        )
    asked = replace(asked, unused=tuple(learners.unused_names(names, found.submissions)))
    store = _store(request)
    settings = _settings(request, store)
    sentence = ELSEWHERE if executor else pile.isolation(settings)[1]
    number = sentences.plural(len(found.submissions), "notebook")
    request.say(f"{number}, seed {settings.seed}. {sentence}")
    started = _now()
    graded = pile.Pile(settings, store)
    results, complete = _grade(request, graded, found.submissions, executor)
    facts = {
        "sandbox": request.sandbox,
        "level": _weakest(results),
        "sentence": sentence,
        "jobs": request.jobs,
        "started": started,
        "finished": _now(),
        "complete": complete,
    }
    document = documents.document(results, graded, facts, asked, found)
    screen.show(document)
    write(document, request)
    store.close()
    if not complete:
        request.say("Interrupted. What was graded is kept; the same command goes on from here.")
        return INTERRUPTED
    return FAULTS if _faulty(document) else DONE


def due(text: str | None) -> datetime | None:
    """A deadline as it was given; a day alone means its end, in the time of this machine."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Misunderstood(
            f"--due: {text!r} was given; a date is written like 2026-12-01 or '2026-12-01 18:00'"
        ) from None
    if len(text.strip()) <= len("2026-12-01"):
        moment = moment.replace(hour=23, minute=59, second=59)
    return moment.astimezone()


def read_overrides(path: Path | None) -> tuple[tuple[str, Override], ...]:
    """Points given by hand, with whose they are, from a CSV file. BadList where one does not fit.

    Columns: learner (a name, an id or a file), challenge, points, reason, who and when.
    """
    if path is None:
        return ()
    needed = {"learner", "challenge", "points", "reason", "who", "when"}
    said = "learner, challenge, points, reason, who and when"
    found = []
    for number, row in enumerate(learners.read_rows(path, needed, said), 2):
        if not any(row.values()):
            continue
        challenge = _challenge(row["challenge"])
        if not row["points"].isdigit() or int(row["points"]) > challenge.points:
            raise learners.BadList(
                f"{path}, line {number}: {row['points']!r} points for {challenge.id}; "
                f"0 to {challenge.points} are possible"
            )
        if not all(row.get(column) for column in needed):
            raise learners.BadList(f"{path}, line {number}: {said} must all be there")
        told = {name: learners.one_line(row[name], 400) for name in ("reason", "who", "when")}
        override = Override(challenge.id, int(row["points"]), **told)
        found.append((learners.one_line(row["learner"]), override))
    return tuple(found)


def _faulty(document: Document) -> bool:
    faults = any(r.record.faults or r.record.status == NOT_GRADED for r in document.rows)
    return faults or any(m.startswith(documents.FAULT_OF_SUMS) for m in document.messages)


def check(request: Request) -> None:
    """Misunderstood where options do not fit."""
    if request.keep not in learners.KEEP:
        raise Misunderstood(
            f"--keep: {request.keep!r} was given; allowed are {', '.join(learners.KEEP)}"
        )
    if request.sandbox not in MODES:
        raise Misunderstood(
            f"--sandbox: {request.sandbox!r} was given; allowed are {', '.join(MODES)}"
        )
    if request.jobs < 1:
        raise Misunderstood(f"--jobs: {request.jobs} was given; 1 or more are allowed")
    if request.seconds <= 0 or request.memory < 64:
        raise Misunderstood("--seconds must be above 0 and --memory at least 64 (MB)")
    if request.seed is not None and not 0 <= request.seed <= LARGEST_SEED:
        raise Misunderstood(f"--seed: {request.seed} was given; allowed are 0 to {LARGEST_SEED}")
    if request.lesson is not None and not 1 <= request.lesson <= len(lessons.LESSONS):
        raise Misunderstood(
            f"--lesson: {request.lesson} was given; lessons are 1 to {len(lessons.LESSONS)}"
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


def write(document: Document, request: Request) -> None:
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
        headings = Headings(places.beside_package())
        pages = feedback.write_pages(document, request.feedback, headings)
        request.say(f"{len(pages)} feedback pages in {request.feedback}")


def explain(request: Request, id: str) -> int:
    """Grade one challenge of each notebook now and print every call: an instructor's view."""
    from posenc.grading import disguises, grade, notebook
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
                data = submission.read()
                read, _ = disguises.read(data, submission.name, challenge.lesson)
            except notebook.Unreadable as error:
                request.say(f"  unreadable: {error}")
                continue
            one = grade.Run(read, warm, settings.seed, settings.limits, [id])
            one.all()
            verdict = one.graded.verdicts[0]
            for line in (*exports.feedback_lines(verdict), *one.graded.notes):
                request.say(f"  {notebook.clean(line)}")
            for row in grade.explain(one, [id]):
                request.say(
                    f"  {row['call']}\n    expected {'; '.join(row['expected'])}\n"
                    f"    returned {'; '.join(row['came'])}"
                )
            graded = pile.Pile(settings, store)
            for old in graded.old_marks(graded.key(submission, notebook.fingerprint(data))):
                request.say(
                    f"  earlier: {old.points} points, {old.outcome} "
                    f"({old.graded_at}, judge {old.judge})"
                )
    finally:
        warm.close()
        store.close()
    return DONE


def _weakest(results: list[pile.Result]) -> str:
    """The least isolation that any of the notebooks had."""
    levels = {result.record.isolation for result in results}
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


def _again(request: Request) -> Callable[[Record], bool]:
    """Which kept results are made anew."""
    if request.fresh or request.regrade == "all":
        return lambda record: True
    if request.regrade is not None:
        lesson = _challenge(request.regrade).lesson
        return lambda record: record.lesson == lesson
    return lambda record: False


def _settings(request: Request, store: Store) -> pile.Settings:
    limits = Limits(seconds=request.seconds, memory=request.memory * 2**20)
    hide = {os.path.realpath(p if p.is_dir() else p.absolute().parent) for p in request.paths}
    return pile.Settings(
        store.seed(request.seed), request.sandbox, limits, request.lesson, (), tuple(sorted(hide))
    )


def _store(request: Request) -> Store:
    return open_for(request.paths[0], request.store, request.say)


def _challenge(id: str) -> Challenge:
    try:
        return lessons.challenge(id)
    except KeyError as error:
        raise Misunderstood(str(error.args[0])) from None


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")
