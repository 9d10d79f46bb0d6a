"""What pages load beside themselves, fetched from npm once and kept out of the repository.

Decks and exported lessons work without a network because MathJax and the like lie in a folder next
to them. npm brings each package once, into build/npm of the course.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from posenc.errors import CourseError
from posenc.files import can_write_in, exclusive
from posenc.places import user_folder


class FetchError(CourseError):
    """A package could not be fetched; the message says why and what helps."""


@dataclass(frozen=True)
class Package:
    """A package of npm with its version, "mathjax@2", and the parts of it that a page loads."""

    wanted: str
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name without the version."""
        return self.wanted.rpartition("@")[0]


MATHJAX = Package(
    "mathjax@2",
    (
        "MathJax.js", "config/TeX-AMS_CHTML-full.js", "config/Safe.js", "extensions", "jax/element",
        "jax/input", "jax/output/CommonHTML", "fonts/HTML-CSS/TeX/woff",
    ),
)  # fmt: skip
MATHJAX_URL = "assets/mathjax/MathJax.js?config=TeX-AMS_CHTML-full,Safe"


def lay_beside(root: Path, packages: Iterable[Package], target: Path) -> None:
    """Copy the parts of packages into `target`, fetching what was never fetched.

    root: the course's folder. Raises FetchError.
    """
    for package in packages:
        copies = [target / package.name / part for part in package.parts]
        if all(copy.exists() for copy in copies):
            continue
        whole = fetched(root, package.wanted)
        for part, copy in zip(package.parts, copies, strict=True):
            copy.parent.mkdir(parents=True, exist_ok=True)
            if (whole / part).is_dir():
                shutil.copytree(whole / part, copy, dirs_exist_ok=True)
            else:
                shutil.copy(whole / part, copy)


def fetched(root: Path, wanted: str) -> Path:
    """The folder of a package, such as "axe-core@4", fetched where it was not. FetchError."""
    base = root if can_write_in(root) else user_folder()
    store = base / "build" / "npm" / wanted
    package = store / "node_modules" / wanted.rpartition("@")[0]
    store.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(store.parent / f".{wanted}.lock"):
        if not package.is_dir():
            _fetch(store, wanted)
    return package


def _fetch(store: Path, wanted: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise FetchError(
            f"npm is needed once, to fetch {wanted}. Install Node.js and run this again."
        )
    store.mkdir(exist_ok=True)
    # Its own package, or npm would look for one in the folders above.
    (store / "package.json").write_text(json.dumps({"private": True}), encoding="utf-8")
    done = subprocess.run(
        [npm, "install", "--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit",
         "--no-fund", wanted],
        cwd=store, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        shutil.rmtree(store, ignore_errors=True)
        raise FetchError(
            f"npm could not fetch {wanted}; is the network there? It says:\n{done.stderr[-600:]}"
        )
