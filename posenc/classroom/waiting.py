"""A bar that fills while a cell works, for the few cells that take more than a moment."""

from __future__ import annotations

from collections.abc import Callable

import ipywidgets as widgets

from posenc.classroom.controls import heading, panel
from posenc.classroom.display import escaped, show


class BarPanel(widgets.VBox):
    """A title and a bar. Made by `bar`."""

    def __init__(self, title: str) -> None:
        self.text = title
        self.filled = widgets.FloatProgress(
            value=0.0,
            min=0.0,
            max=1.0,
            description="0 %",
            tooltip=title,
            style={"bar_color": "#0072B2"},
            layout=widgets.Layout(width="min(100%, 480px)"),
        )
        super().__init__(**panel([heading(title), self.filled]))
        self.add_class("posenc-panel")

    def report(self, share: float) -> None:
        """Fill the bar up to a share from 0 to 1."""
        self.filled.value = share
        self.filled.description = f"{100 * share:.0f} %"

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, object]:
        # Beside the widget, what is left without a kernel: the title alone, the same on each run.
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        return bundle | {
            "text/html": f"<div><strong>{escaped(self.text)}</strong></div>",
            "text/plain": self.text,
        }


def bar(title: str) -> Callable[[float], None]:
    """Show a bar, and return report(share), which fills it: 0 nothing is done, 1 all is."""
    made = BarPanel(title)
    show(made)
    return made.report
