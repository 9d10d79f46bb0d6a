"""`posenc report`, from what was asked for to the page about a class."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from posenc import places
from posenc.errors import NotUnderstood
from posenc.files import write_whole
from posenc.grading import pile
from posenc.grading.sandbox import NoSandbox
from posenc.grading.store import StoreError
from posenc.reports import findings, page, reading, watch
from posenc.reports.documents import Document

DONE, FAILED, MISUNDERSTOOD = 0, 1, 2
NAMED, ANONYMOUS = "class-report.html", "class-report-anonymous.html"


class Misunderstood(NotUnderstood):
    """What was asked for cannot be understood; the message says what."""


@dataclass
class Request:
    """All that can be asked of `posenc report`."""

    graded: Path | None = None
    output: Path | None = None
    anonymous: bool = False
    watch: Path | None = None
    jobs: int = 1
    say: Callable[[str], None] = field(default=print)

    @property
    def target(self) -> Path:
        """Where the page goes: two names, so that the one for the projector replaces no other."""
        return self.output or Path(ANONYMOUS if self.anonymous else NAMED)


def answer(request: Request, leave: Callable[[str, int], NoReturn]) -> int:
    """Do what was asked for; the exit code. What stands in the way is said through `leave`."""
    try:
        check(request)
        if request.watch is not None:
            return keep(request, request.watch)
        assert request.graded is not None  # `check` has seen to it
        write(request, reading.read(request.graded, request.say, request.jobs))
        request.say(f"The page is {request.target}.")
        return DONE
    except (NotUnderstood, FileNotFoundError) as error:
        leave(f"{error}.", MISUNDERSTOOD)
    except (NoSandbox, StoreError, RuntimeError) as error:
        leave(f"{error}.", FAILED)
    except OSError as error:
        leave(f"The file system refused: {error}.", FAILED)


def check(request: Request) -> None:
    """Misunderstood where options do not fit."""
    if request.graded is None and request.watch is None:
        raise Misunderstood(
            "name the results of `posenc grade`, or a folder of notebooks, or one to --watch"
        )
    if request.jobs < 1:
        raise Misunderstood(f"--jobs: {request.jobs} was given; 1 or more are allowed")
    if request.watch is None:
        return
    if not request.watch.is_dir():
        raise Misunderstood(f"--watch {request.watch}: there is no such folder")
    if request.graded is not None and not _is_store(request.graded):
        raise Misunderstood(
            f"with --watch the results come from the folder, and {request.graded} is no store "
            f"({', '.join(reading.ENDINGS_OF_STORES)}) to keep them in; leave it out"
        )


def write(request: Request, document: Document, live: bool = False) -> None:
    """Make the page of a document and put it in its place in one step."""
    found = findings.findings(document, findings.Headings(places.beside_package()))
    text = page.page(found, anonymous=request.anonymous, live=live)
    write_whole(request.target, text.encode("utf-8", "replace"))


def keep(request: Request, folder: Path) -> int:
    """Keep the page current until Ctrl+C, which is the ordinary end."""
    with reading.Grading(folder, request.jobs, request.graded) as grading:
        request.say(f"{grading.sentence}\nThe page is {request.target}. Ctrl+C ends this.")
        with (
            contextlib.suppress(KeyboardInterrupt),
            pile.local_executor(request.jobs) as executor,
        ):
            watch.keep_current(
                watch.Watcher(grading, executor),
                lambda results: write(request, grading.as_document(results), live=True),
                request.say,
            )
    request.say(f"Stopped. {request.target} stays as it is.")
    return DONE


def _is_store(path: Path) -> bool:
    return path.suffix.lower() in reading.ENDINGS_OF_STORES
