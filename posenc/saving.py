"""Keep a saved notebook readable: JupyterLab calls this before it writes one.

A widget lives as long as its kernel. A notebook that was saved and is opened another day would show
"model not found" where a playground was, although its picture is in the file.
"""

from __future__ import annotations

from typing import Any

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
READABLE = {"image/png", "text/html"}


def keep_pictures(model: dict[str, Any], **_: Any) -> None:
    """Drop the widget from each output that holds a picture or a text for the time without it.

    `model` is Jupyter's model of a file about to be saved; it is changed in place. Outputs of a
    learner's own widgets, which hold neither, stay as they are.
    """
    if model.get("type") != "notebook" or not isinstance(model.get("content"), dict):
        return
    for cell in model["content"].get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if READABLE & data.keys():
                data.pop(WIDGET_VIEW, None)
