"""Keep a saved notebook readable: JupyterLab calls this before it writes one.

A widget lives as long as its kernel. A notebook that was saved and is opened another day would show
"model not found" where a playground was, although its picture is in the file.
"""

from __future__ import annotations

import textwrap
from typing import Any

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
PRINTED_WIDTH = 100  # characters; a picture on the page is at least as wide


def keep_pictures(model: dict[str, Any], **_: Any) -> None:
    """Make the outputs of a notebook readable without its kernel.

    `model` is Jupyter's model of a file about to be saved; it is changed in place.
    """
    if model.get("type") != "notebook" or not isinstance(model.get("content"), dict):
        return
    for cell in model["content"].get("cells", []):
        if "outputs" in cell:
            cell["outputs"] = readable(cell["outputs"])


def readable(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Outputs without the widgets that hold a picture or a text for the time without a kernel.

    The line of a picture follows it as printed text, since JupyterLab shows no alternative text.
    A learner's own widgets, which hold neither, stay as they are.
    """
    kept = []
    for output in outputs:
        data = output.get("data", {})
        is_ours = WIDGET_VIEW in data and ("image/png" in data or "text/html" in data)
        if is_ours:
            data = {kind: content for kind, content in data.items() if kind != WIDGET_VIEW}
            output = {**output, "data": data}
        kept.append(output)
        if is_ours and "image/png" in data:
            line = printed("".join(data.get("text/plain", "")))
            kept.append({"output_type": "stream", "name": "stdout", "text": f"{line}\n"})
    return kept


def printed(line: str) -> str:
    """The line of a picture as it is printed: broken between words, where JupyterLab would break
    within a number."""
    return textwrap.fill(line, PRINTED_WIDTH, break_long_words=False, break_on_hyphens=False)
