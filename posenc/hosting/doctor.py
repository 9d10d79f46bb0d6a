"""`posenc doctor`: one line for each thing that the course needs of a machine. Nothing is sent."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from posenc import places
from posenc.errors import CourseError
from posenc.files import can_write_in

LEAST_PYTHON = (3, 11)
LEAST_MEMORY, LEAST_SPACE = 1024, 600  # MB: a lesson with its kernel and server; an installation
MB = 1024 * 1024
EXTENSION = "posenc.learning.server"


@dataclass(frozen=True)
class Finding:
    """What was looked at, whether it is well, what was found, and what to do where it is not."""

    about: str
    well: bool
    found: str
    mend: str = ""

    def line(self) -> str:
        """One line for a terminal."""
        sign = "ok  " if self.well else "look"
        return f"{sign}  {self.about:<12} {self.found}" + ("" if self.well else f" → {self.mend}")


def findings() -> Iterator[Finding]:
    """Everything that is looked at, in order. A check that fails itself is a finding, too."""
    for check in CHECKS:
        try:
            yield from check()
        except Exception as error:  # noqa: BLE001 - a doctor does not fall ill of a patient
            name = check.__name__.strip("_")
            yield Finding(name, False, f"could not be looked at: {error}", "report this line")


def _python() -> Iterator[Finding]:
    least = ".".join(map(str, LEAST_PYTHON))
    found = f"{platform.python_version()}, {sys.executable}"
    yield Finding("Python", sys.version_info >= LEAST_PYTHON, found, f"install Python {least}")


def _packages() -> Iterator[Finding]:
    for name, lowest in _required():
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield Finding(name, False, "is not installed", f"pip install '{name}>={lowest}'")
            continue
        well = _number(version) >= _number(lowest)
        found = version if well else f"{version}, below {lowest}"
        yield Finding(name, well, found, f"pip install --upgrade '{name}>={lowest}'")


def _required() -> list[tuple[str, str]]:
    """The course's requirements with their lower bounds, as it declares them."""
    try:
        told = importlib.metadata.requires("posenc") or []
    except importlib.metadata.PackageNotFoundError:
        project = (places.course_folder() / "pyproject.toml").read_text(encoding="utf-8")
        told = re.findall(r'"([^"]+)"', project.split("dependencies = [")[1].split("]")[0])
    pairs = [re.match(r"([\w.-]+)\s*>=\s*([\d.]+)\s*$", one.split(";")[0]) for one in told]
    extras = [";" in one for one in told]
    return [(p[1], p[2]) for p, extra in zip(pairs, extras, strict=True) if p and not extra]


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _widgets() -> Iterator[Finding]:
    """The kernel's widgets and the front end's must be of one major version to speak."""
    kernel = importlib.metadata.version("ipywidgets")
    front = importlib.metadata.version("jupyterlab_widgets")
    # ipywidgets 8 goes with jupyterlab_widgets 3, 7 with 1.
    fits = {8: 3, 7: 1}.get(_number(kernel)[0]) == _number(front)[0]
    found = f"kernel {kernel}, front end {front}"
    yield Finding("widgets", fits, found, "pip install --upgrade ipywidgets jupyterlab_widgets")


def _server() -> Iterator[Finding]:
    """Whether every server of this environment keeps the pictures of playgrounds."""
    from jupyter_core.paths import jupyter_config_path

    told = [
        file.read_text(encoding="utf-8")
        for folder in jupyter_config_path()
        for file in (Path(folder) / "jupyter_server_config.d").glob("*.json")
    ]
    enabled = any(re.search(rf'"{EXTENSION}": *true', text) for text in told)
    found = "keeps the pictures of playgrounds" if enabled else "keeps no pictures by itself"
    mend = f"`python -m {EXTENSION}` mends it; `posenc lab` needs no mending"
    yield Finding("server", enabled, found, mend)


def _websocket() -> Iterator[Finding]:
    """Whether a kernel can be reached through a websocket of a server that runs here."""
    from jupyter_server.serverapp import list_running_servers
    from tornado.ioloop import IOLoop
    from tornado.websocket import websocket_connect

    running = list(list_running_servers())
    if not running:
        yield Finding(
            "websocket", True, "no server runs now; run this again while a lesson is open"
        )
        return
    server = running[0]
    address = re.sub("^http", "ws", server["url"]) + "api/events/subscribe"
    if server.get("token"):
        address += f"?token={server['token']}"
    try:
        IOLoop(make_current=False).run_sync(
            lambda: websocket_connect(address, connect_timeout=3), timeout=5
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, there is no websocket
        mend = "a proxy or a firewall lets no websocket through; playgrounds need one"
        yield Finding("websocket", False, f"{server['url']}: {type(error).__name__}", mend)
        return
    yield Finding("websocket", True, f"{server['url']} answers")


def _memory() -> Iterator[Finding]:
    free = _free_memory()
    if free is not None:
        mend = "close other programs; a lesson takes about 300 MB, lesson 12 most"
        yield Finding("memory", free >= LEAST_MEMORY, f"{free} MB free", mend)


def _free_memory() -> int | None:
    """MB that are free for programs; None where the system does not tell in a known way."""
    try:
        told = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"MemAvailable:\s+(\d+)", told)
    return int(found[1]) // 1024 if found else None


def _space() -> Iterator[Finding]:
    try:
        folder = places.find_folder()
    except CourseError as error:
        yield Finding("lessons", False, str(error), "get the course again")
        return
    there = next(f for f in (folder, *folder.parents) if f.is_dir())
    free = shutil.disk_usage(there).free // MB
    yield Finding("space", free >= LEAST_SPACE, f"{free} MB free at {there}", "make room there")
    well = can_write_in(there)
    yield Finding("folder", well, f"{folder}", "choose another with `posenc start FOLDER`")


def _bubblewrap() -> Iterator[Finding]:
    """Only graders need it, and only on Linux."""
    if not sys.platform.startswith("linux"):
        yield Finding("grading", True, "without walls on this system: grade work that you trust")
        return
    from posenc.grading import pile

    try:
        level, sentence = pile.isolation(pile.Settings())
    finally:
        pile.close_warm_processes()
    found = f"level “{level}”. {sentence}"
    yield Finding("grading", bool(shutil.which("bwrap")), found, "install the package bubblewrap")


def _browser() -> Iterator[Finding]:
    """Tests look at lessons in a browser; learners use the one that they have."""
    names = ("chromium", "google-chrome", "chromium-browser")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), "")
    if found:
        told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=20)
        yield Finding("Chromium", True, told.stdout.strip() or found)
    else:
        yield Finding("Chromium", True, "not found; only the browser tests need it")


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    _python,
    _packages,
    _widgets,
    _server,
    _websocket,
    _memory,
    _space,
    _bubblewrap,
    _browser,
)
