"""Keep a saved notebook readable: JupyterLab calls this before it writes one.

A widget lives as long as its kernel. A notebook that was saved and is opened another day would show
"model not found" where a playground was, although its picture is in the file.
"""

from __future__ import annotations

import html
import json
from typing import Any

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
MOVE_IT = "Run this cell to move it."

# JupyterLab gives a picture no alternative text and puts it on white in every theme. Where the page
# trusts a notebook, its caption sees to both; elsewhere it is a caption.
DIMMED = "[data-jp-theme-light=false] .jp-RenderedImage img { filter: brightness(.82); }"
DESCRIBE = (
    "const before = this.closest('.jp-OutputArea-child')?.previousElementSibling;"
    "const image = before?.querySelector('img');"
    "if (image) image.alt = this.previousElementSibling.textContent;"
)


def caption(text: str, more: str = "") -> dict[str, str]:
    """What a notebook keeps of the line under a picture: in the text's face, a size smaller.

    more: a sentence after it that is no part of the picture's description.
    """
    said = f"<small>{html.escape(text)}</small>"
    more_said = f" <small><em>{html.escape(more)}</em></small>" if more else ""
    style = f'<style onload="{html.escape(DESCRIBE, quote=True)}">{DIMMED}</style>'
    return {
        "text/html": f"<figcaption><span>{said}{style}</span>{more_said}</figcaption>",
        "text/plain": f"{text} {more}".rstrip(),
    }


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

    The line of a picture follows it as a caption, with a sentence that says how to move it. A
    learner's own widgets, which hold neither, stay as they are.
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
            line = caption("".join(data.get("text/plain", "")), MOVE_IT)
            kept.append({"output_type": "display_data", "metadata": {}, "data": line})
    return kept


def notebook_metadata(content: bytes) -> dict:
    """Return what a notebook says of its edition (`metadata.posenc`), {} where it says nothing."""
    try:
        return dict(json.loads(content)["metadata"]["posenc"])
    except (ValueError, TypeError, KeyError):
        return {}
