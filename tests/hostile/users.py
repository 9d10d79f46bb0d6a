"""Runs a pile as another user or with less isolation, in a process of its own: `python -m hostile.users`.

    python -m hostile.users USER WAY FOLDER NAME…

USER is 'nobody', or 'root' for whoever runs it; WAY is 'bwrap', 'alone' (Bubblewrap that cannot put
copies apart, so that each notebook has one of its own), 'none' or 'fresh' (no fork). Prints the
records by learner, the isolation and what is left, as JSON.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path

from posenc.grading import pile, sandbox
from posenc.grading.inside import confine
from posenc.grading.pile import Settings
from posenc.grading.warm import Limits

LIMITS = Limits(cell_seconds=3.0, seconds=40.0, memory=512 * 2**20)


def become_nobody() -> None:
    """Root's way to an ordinary user for whom Python can be read, wherever it lies."""
    keep = [*sandbox.python_folders(), *sandbox.course_folders()]
    private = {
        up for k in keep for up in Path(k).parents if up.exists() and not up.stat().st_mode & 1
    }
    if private:
        if confine._c.unshare(confine.NEW_MOUNTS):
            raise OSError("no mounts of its own")
        confine.mount("none", "/", flags=confine.RECURSIVE | confine.PRIVATE)
        confine.cover(str(min(private, key=lambda p: len(p.parts))), keep)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    os.environ["HOME"] = "/nonexistent"


def with_less(way: str) -> None:
    """Let the sandbox be chosen with less than this machine has."""
    chosen, sent = sandbox.choose, sandbox._sent
    tries = 'settings["bubblewrap"] and _namespaces_work(settings)'

    def choose(mode: str, hide: object = ()) -> sandbox.Sandbox:
        return dataclasses.replace(chosen("none", hide), forks=False)

    def without_namespaces() -> dict[str, str]:
        serve = f"{sandbox.INSIDE}.serve"
        assert tries in sent()[serve]
        return {**sent(), serve: sent()[serve].replace(tries, "False")}

    if way == "fresh":
        sandbox.choose = choose
    else:
        sandbox._sent = without_namespaces


def main() -> None:
    """The command line."""
    user, way, folder = sys.argv[1:4]
    from hostile.grading import grade_folder

    if user == "nobody":
        become_nobody()
    if way in ("alone", "fresh"):
        with_less(way)
    settings = Settings(seed=3, sandbox=way if way in ("bwrap", "none") else "auto", limits=LIMITS)
    level, sentence = pile.isolation(settings)
    graded = grade_folder(Path(folder), settings, jobs=2)
    records = {name: result.record for name, result in graded.items()}
    print(
        json.dumps({"uid": os.getuid(), "level": level, "sentence": sentence, "records": records})
    )


if __name__ == "__main__":
    main()
