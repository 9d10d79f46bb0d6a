"""Jupyter Server, told to keep a lesson readable without its kernel, wherever it is started from.

Installing the course enables this for every server of the environment: JupyterLab, Notebook 7 and
a hub's servers. `posenc lab` does the same for an environment in which the course is not installed.
"""

from __future__ import annotations

from typing import Any

from posenc.saving import keep_pictures


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    """What Jupyter Server asks of an extension: the modules to load."""
    return [{"module": "posenc.learning.server"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Keep the picture and the line of each playground in a notebook that is saved."""
    server.contents_manager.register_pre_save_hook(keep_pictures)
