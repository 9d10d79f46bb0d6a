"""Open a working folder in JupyterLab, on its start page."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from posenc.errors import CourseError, NotUnderstood
from posenc.learning.workspace import START_PAGE

# A workspace of its own: tabs of other projects do not open here, nor ours there.
START_URL = f"/lab/workspaces/posenc/tree/{START_PAGE}"
PORT_OPTIONS = ("--port", "--ServerApp.port")
DEFAULT_PORT = 8888


def open_lab(folder: Path, arguments: list[str]) -> None:
    """Run JupyterLab in `folder` until it is stopped; `arguments` go to it, before our own.

    Raises NotUnderstood where the arguments do not fit together, CourseError where JupyterLab
    is missing.
    """
    warning = port_warning(arguments)
    if warning:
        print(warning, flush=True)
    # In JupyterLab's own terminal the command is `posenc`, however this was called.
    os.environ.pop("POSENC_CALLED_AS", None)
    # Kernels of this Python print a notice about frozen modules on stderr unless told not to.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    add_our_settings()
    try:
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        raise CourseError(
            f"JupyterLab cannot be loaded ({error}). `python3 course.py lab` installs it."
        ) from error
    print("JupyterLab starts. Stop it with Ctrl+C here.", flush=True)
    LabApp.launch_instance(lab_arguments(folder, arguments))


def lab_arguments(folder: Path, arguments: list[str]) -> list[str]:
    """Return JupyterLab's arguments: the learner's, and ours where the learner gave none."""
    ours = {
        "--ServerApp.root_dir": str(folder),
        "--LabApp.default_url": START_URL,
        "--ContentsManager.pre_save_hook": "posenc.saving.keep_pictures",
        "--log-level": "WARN",
        "--LabApp.log_level": "WARN",
    }
    given = {argument.split("=")[0] for argument in arguments}
    if given & {"--notebook-dir", "--ServerApp.notebook_dir"}:
        del ours["--ServerApp.root_dir"]
    if given & {"--debug", "--log-level", "--Application.log_level", "--ServerApp.log_level"}:
        del ours["--log-level"], ours["--LabApp.log_level"]
    added = [f"{name}={value}" for name, value in ours.items() if name not in given]
    if is_root() and "--allow-root" not in given:
        added.append("--allow-root")
    return [*added, *arguments]


def is_root() -> bool:
    """Say whether this runs as the system's root, as in a container."""
    return hasattr(os, "getuid") and os.getuid() == 0


def port_warning(arguments: list[str]) -> str | None:
    """Return what to say when the port is taken; JupyterLab itself then takes another.

    Raises NotUnderstood where the port is given twice or is no port.
    """
    port = asked_port(arguments)
    if port == 0 or not is_taken(port):
        return None
    return (
        f"Port {port} is in use, perhaps by a JupyterLab that is still open. "
        "JupyterLab takes another one; the address below says which."
    )


def asked_port(arguments: list[str]) -> int:
    """Return the port that the arguments ask for, or JupyterLab's own; 0 means any."""
    values = []
    for place, argument in enumerate(arguments):
        name, sign, value = argument.partition("=")
        if name in PORT_OPTIONS:
            values.append(value if sign else "".join(arguments[place + 1 : place + 2]))
    if len(values) > 1:
        raise NotUnderstood(
            f"The port is given {len(values)} times ({', '.join(values)}). Give `--port` once."
        )
    text = values[0] if values else os.environ.get("JUPYTER_PORT", str(DEFAULT_PORT))
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise NotUnderstood(f"The port is {text!r}. Give a number from 0 to 65535: --port 8899.")
    return int(text)


def is_taken(port: int) -> bool:
    """Say whether something listens on this port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def add_our_settings() -> None:
    """Let JupyterLab find the course's default settings, before those of the machine."""
    ours = str(Path(__file__).resolve().parent / "jupyter_config")
    others = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join([ours, others] if others else [ours])
