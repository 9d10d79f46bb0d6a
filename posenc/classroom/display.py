"""What the classroom puts on the page: a note as HTML and as text, and the sheet of styles."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A sort of message: never told by its colour alone, but by a symbol and a word too."""

    word: str
    symbol: str
    colour: str


RIGHT = Kind("Right", "✓", "#009E73")
WRONG = Kind("Not right", "✗", "#D55E00")
OPEN = Kind("Open", "○", "#808080")
HINT = Kind("Hint", "→", "#0072B2")
TROUBLE = Kind("Trouble", "!", "#CC79A7")

# The colour stands in the edge only: words keep the page's own, on the light and the dark theme.
BOX = "border-left: 5px solid {colour}; padding: 2px 0 2px 12px; margin: 4px 0;"
# JupyterLab would break a long line within a number: code goes on between words, figures scroll.
WRAPPED = "word-break: normal; overflow-wrap: break-word;"
UNBROKEN = "white-space: pre; overflow-x: auto;"


@dataclass(frozen=True)
class Note:
    """Something to read, twice: as HTML for a notebook, as text for everything else."""

    html: str
    text: str

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


def escaped(text: str) -> str:
    """Text as HTML; what stands between backticks is shown as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=True))


def boxed(kind: Kind, inside: str) -> str:
    """HTML with an edge in the colour of its kind."""
    return f'<div style="{BOX.format(colour=kind.colour)}">{inside}</div>'


def headline(kind: Kind, words: str = "") -> str:
    """Symbol and words of a kind, as text: "✓ Right"."""
    return f"{kind.symbol} {words or kind.word}"


def note(
    kind: Kind, title: str, *lines: str, code: str = "", lead: str = "", more: str = ""
) -> Note:
    """A message: symbol and title, then a line each, then code to copy. All given as text.

    lead: comes first, and larger. more: where it is given, the code is folded under these words.
    """
    head = headline(kind, title)
    first = f'<div style="font-size: 1.1em; margin: 2px 0">{escaped(lead)}</div>' if lead else ""
    paragraphs = "".join(f"<div>{escaped(line)}</div>" for line in lines)
    block = f'<pre style="{WRAPPED}"><code>{html.escape(code)}</code></pre>' if code else ""
    if more:
        block = f"<details><summary>{escaped(more)}</summary>{block}</details>"
    inside = f"<div><strong>{escaped(head)}</strong></div>{first}{paragraphs}{block}"
    said = [head, lead, *lines, more]
    text = "\n".join([*filter(None, said), *(["", code] if code else [])])
    return Note(boxed(kind, inside), text)


def show(shown: object) -> None:
    """Show it in the notebook, or print its text where there is none."""
    try:
        from IPython import get_ipython
        from IPython.display import display
    except ImportError:
        print(getattr(shown, "text", shown))
        return
    if get_ipython() is None:
        print(getattr(shown, "text", shown))
    else:
        display(shown)
