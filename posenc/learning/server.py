"""Jupyter Server, told to keep a lesson readable without its kernel, wherever it is started from.

Installing the course enables this for every server of the environment: JupyterLab, Notebook 7 and
a hub's servers; `python -m posenc.learning.server` does it afterwards. `posenc lab` does the same
for an environment in which the course is not installed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from posenc.files import write_whole
from posenc.saving import keep_pictures


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """What Jupyter Server asks of an extension: the modules to load."""
    return [{"module": "posenc.learning.server"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Keep the picture and the line of each playground in a notebook that is saved."""
    server.contents_manager.register_pre_save_hook(keep_pictures)


def enable() -> Path:
    """Tell every server of this environment to load this; the file that says so.

    Installing the archive does the same. An editable installation, as for conda and Binder, lays
    no such files.
    """
    ours = Path(__file__).parent / "jupyter_config" / "jupyter_server_config.d" / "posenc.json"
    target = Path(sys.prefix) / "etc" / "jupyter" / "jupyter_server_config.d" / ours.name
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, ours.read_bytes())
    return target


if __name__ == "__main__":
    print(f"Enabled in {enable()}.")
