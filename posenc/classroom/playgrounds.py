"""A figure that moves with its controls; a thin skin on a pure figure."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import ipywidgets as widgets

from posenc.classroom.controls import Rows, heading, line, panel
from posenc.classroom.display import TROUBLE, escaped, headline
from posenc.figures import style

REST = 0.35  # seconds without a change after which a hand rests


class PlaygroundPanel(widgets.VBox):
    """Controls, picture and line of a playground. Made by `playground`."""

    def __init__(self, shown: style.Playground, **start: object) -> None:
        values = shown.values(**start)
        self.shown = shown
        self.text = ""
        self._figure = style.new_figure(*shown.size)
        self._update = shown.build(self._figure)
        controls = [replace(control, value=values[control.name]) for control in shown.controls]
        self.rows = Rows(controls, self.redraw)
        self.image = widgets.Image(
            format="png",
            layout=widgets.Layout(
                width=f"{self.width}px", max_width="100%", height="auto", align_self="flex-start"
            ),
        )
        self.line = line()
        self.text = self._update(**self.rows.values())
        self.line.value = escaped(self.text)
        self.image.value = style.sharp(self._figure)
        # Laying the figure out costs as much as drawing it, and would make the axes tremble.
        self._figure.set_layout_engine("none")
        self._moving = style.Moving(self._figure)
        self._rest: asyncio.TimerHandle | None = None
        super().__init__(**panel([heading(shown.title), *self.rows.rows, self.image, self.line]))
        self.add_class("posenc-panel")

    @property
    def width(self) -> int:
        """The picture's width on the page, in pixels."""
        return round(self.shown.size[0] * style.DOTS)

    def redraw(self) -> None:
        """Draw at the values that the controls have now; say what is wrong where that fails."""
        try:
            self._move(self.shown.values(**self.rows.values()))
        except Exception as error:  # noqa: BLE001 - a figure's fault is told, never a lesson's end
            reason = str(error) or type(error).__name__
            if not isinstance(error, (ValueError, TypeError)):
                reason = f"{type(error).__name__}: {reason}"
            self.line.value = escaped(headline(TROUBLE, f"The picture stays as it was: {reason}"))

    def _move(self, values: dict[str, object]) -> None:
        text = self._update(**values)
        self.image.value = self._moving.png()
        self.text = text
        self.line.value = escaped(text)
        self._sharpen_at_rest()

    def _sharpen_at_rest(self) -> None:
        """Draw once more with all pixels when the hand rests: a screen may show two for one."""
        if self._rest is not None:
            self._rest.cancel()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel: nobody looks
            return
        self._rest = loop.call_later(REST, self._sharpen)

    def _sharpen(self) -> None:
        self._rest = None
        self.image.value = style.sharp(self._figure)

    def _repr_mimebundle_(self, **kwargs: object) -> tuple[dict, dict]:
        # Beside the widget, what is left without a kernel: the picture and its line.
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        picture = style.sharp(self._figure)
        data, metadata = style.png_output(picture, self.text, self.width)
        return bundle | data, metadata


def playground(shown: style.Playground, **start_values: object) -> PlaygroundPanel:
    """The figure with its controls. Start values may be given by the controls' names."""
    return PlaygroundPanel(shown, **start_values)
