"""Rows of controls: a slider beside a number box that is linked to it, both with a name."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable

import ipywidgets as widgets

from posenc.figures.style import Choice, Control, Slider, Toggle, Words, label_of

STYLES = """
.posenc-panel { padding: 4px 2px; margin: 0; max-width: 100%; min-width: 0; overflow: hidden; }
.posenc-panel > * { max-width: 100%; margin-left: 0; margin-right: 0; }
.posenc-panel .widget-label { font-size: 14px; }
.posenc-panel .widget-html { height: auto; }
.posenc-panel .widget-html-content { font-size: 14px; line-height: 1.45; }
.posenc-panel .widget-image { border-radius: 3px; height: auto; max-width: 100%; }
[data-jp-theme-light=false] .posenc-panel .widget-image { filter: brightness(.82); }
.posenc-row { flex-wrap: wrap; }
.posenc-row > * { min-width: 0; max-width: calc(100% - 20px); }
.posenc-row .noUi-handle:focus-visible, .posenc-panel button:focus-visible,
.posenc-panel input:focus-visible { outline: 3px solid #E69F00; outline-offset: 2px; }
.posenc-option { height: auto; min-height: 34px; line-height: 1.35; padding: 6px 12px;
  white-space: normal; text-align: left; }
.posenc-cards { max-width: 46em; }
/* Where the window is narrow, a picture takes the place of the cells' numbers too. */
@media (max-width: 1100px) {
  .jp-OutputArea-child:has(.posenc-panel) > .jp-OutputPrompt { display: none; }
}
"""

# ipywidgets gives a slider's handle no name, an image no alternative text, and no way to set
# either from Python. So the panel does it where it is shown: each handle takes the label of its
# row, picture and bar the panel's title, and the line of text is announced when it changes. The
# observer is needed because ipywidgets puts the rows in one after another and makes a slider
# anew when its bounds change. A handle that moves in equal ratios would tell the power of ten: it
# tells the value, rounded as Python rounds it, and what the box holds once the line has changed.
# Notebook 7 takes arrow keys for its cells unless an element asks it not to.
NAMES = """
const panel = this.closest('.posenc-panel');
if (panel) {
  const tell = (handle, text) => {
    if (handle.getAttribute('aria-valuetext') === text) return;
    handle.dataset.told = text;
    handle.setAttribute('aria-valuetext', text);
  };
  const name = () => {
    for (const row of panel.querySelectorAll('.posenc-row')) {
      const box = row.querySelector('input');
      for (const handle of row.querySelectorAll('[role=slider]')) {
        if (!handle.hasAttribute('aria-label')) {
          handle.setAttribute('aria-label', row.querySelector('label.widget-label').textContent);
          handle.setAttribute('data-lm-suppress-shortcuts', 'true');
        }
        if (box && box !== document.activeElement) tell(handle, box.value);
      }
    }
    for (const bar of panel.querySelectorAll('.widget-hprogress:not([role])')) {
      bar.setAttribute('role', 'progressbar');
      bar.setAttribute('aria-label', this.dataset.title);
    }
    for (const image of panel.querySelectorAll('img.widget-image:not([alt])'))
      image.alt = this.dataset.title;
    for (const line of panel.querySelectorAll('.posenc-line:not([role])'))
      line.setAttribute('role', 'status');
  };
  const moved = (handle) => {
    if (handle.getAttribute('aria-valuetext') === handle.dataset.told) return;
    if (!handle.closest('.posenc-ratio')) return;
    const value = 10 ** Number(handle.getAttribute('aria-valuenow'));
    tell(handle, String(Number(value.toPrecision(2))));
  };
  name();
  new MutationObserver(name).observe(panel, {childList: true, subtree: true});
  new MutationObserver(all => all.forEach(each => moved(each.target)))
    .observe(panel, {subtree: true, attributes: true, attributeFilter: ['aria-valuetext']});
}
"""


def heading(title: str, more: str = "") -> widgets.HTML:
    """The title of a panel and HTML that follows it; brings the panel's styles and names along."""
    name, script = html.escape(title, quote=True), html.escape(NAMES, quote=True)
    return widgets.HTML(
        f"<strong>{name}{'.' if more else ''}</strong> {more}"
        f'<style data-title="{name}" onload="{script}">{STYLES}</style>'
    )


def line(words: str = "") -> widgets.HTML:
    """The line of text beneath, read aloud when it changes."""
    made = widgets.HTML(words)
    made.add_class("posenc-line")
    return made


def panel(children: Iterable[widgets.Widget]) -> dict[str, object]:
    """Arguments of a VBox that holds such a panel."""
    return {"children": tuple(children), "layout": widgets.Layout(width="100%")}


class Rows:
    """Widgets for some controls. `changed` is called after each change of a value."""

    def __init__(self, controls: Iterable[Control], changed: Callable[[], None]) -> None:
        self.controls = tuple(controls)
        # A switch has its words behind it. It is set into the column that the others share.
        named = [control for control in self.controls if not isinstance(control, Toggle)]
        width = max((len(label_of(control)) for control in named), default=0) + 1
        self.style = {"description_width": f"{width}ch"}
        self.inputs: dict[str, widgets.ValueWidget] = {}
        self.sliders: dict[str, widgets.ValueWidget] = {}
        self.rows = [self._row(control) for control in self.controls]
        self._changed = changed
        for made in self.inputs.values():
            made.observe(lambda _: self._changed(), "value")

    def values(self) -> dict[str, object]:
        """What every control says now."""
        return {control.name: self.inputs[control.name].value for control in self.controls}

    def set(self, values: dict[str, object]) -> None:
        """Set several controls; `changed` is called once."""
        changed, self._changed = self._changed, lambda: None
        try:
            for name, value in values.items():
                self.inputs[name].value = value
        finally:
            self._changed = changed
        changed()

    def _row(self, control: Control) -> widgets.Widget:
        words = label_of(control)
        common = {
            "description": words,
            "tooltip": words,
            "style": self.style,
            "value": control.value,
        }
        if isinstance(control, Slider):
            return self._slider_row(control, common)
        if isinstance(control, Choice):
            options = [(str(option), option) for option in control.options]
            longest = max(len(words) for words, _ in options)
            width = f"min(100%, calc({self.style['description_width']} + {longest}ch + 4em))"
            made = widgets.Dropdown(options=options, layout={"width": width}, **common)
        elif isinstance(control, Toggle):
            alone = all(isinstance(each, Toggle) for each in self.controls)
            made = widgets.Checkbox(indent=not alone, layout={"width": "auto"}, **common)
        elif isinstance(control, Words):
            made = widgets.Text(layout=widgets.Layout(width="min(100%, 560px)"), **common)
        else:
            raise TypeError(f"control is {control!r}; Slider, Choice, Toggle or Words is needed")
        self.inputs[control.name] = made
        return made

    def _slider_row(self, control: Slider, common: dict[str, object]) -> widgets.HBox:
        common["layout"] = widgets.Layout(
            width=f"calc({self.style['description_width']} + 7.5em)", flex="0 0 auto"
        )
        bounds = {"min": control.low, "max": control.high}
        if control.logarithmic:
            box = widgets.BoundedFloatText(step=None, **bounds, **common)
        elif control.whole:
            box = widgets.BoundedIntText(step=control.step, **bounds, **common)
        else:
            box = widgets.BoundedFloatText(step=control.step, **bounds, **common)
        slider = _handle(control)
        _link(box, slider, control)
        self.inputs[control.name], self.sliders[control.name] = box, slider
        row = widgets.HBox([box, slider])
        row.add_class("posenc-row")
        if control.logarithmic:
            row.add_class("posenc-ratio")
        return row


def _handle(control: Slider) -> widgets.ValueWidget:
    common = {
        "readout": False,
        "value": control.value,
        "step": control.step,
        # Room at the left, or the handle at its lowest would stand on the box.
        "layout": widgets.Layout(width="340px", max_width="100%", margin="2px 2px 2px 14px"),
    }
    if control.logarithmic:
        exponents = {"min": math.log10(control.low), "max": math.log10(control.high)}
        return widgets.FloatLogSlider(base=10, **exponents, **common)
    kind = widgets.IntSlider if control.whole else widgets.FloatSlider
    return kind(min=control.low, max=control.high, **common)


def _link(box: widgets.ValueWidget, slider: widgets.ValueWidget, control: Slider) -> None:
    """Let each follow the other. The box holds the value; the slider is a handle on it.

    The browser puts a handle on the nearest of its steps and reports that place as if it had been
    moved there. Such an echo never reaches the box.
    """
    given = box.value  # the value that the handle was last told to show

    def to_box(change: dict) -> None:
        if not (box.value == given and same_place(change["new"], given, control)):
            box.value = rounded(change["new"], control)

    def to_slider(change: dict) -> None:
        nonlocal given
        given = change["new"]
        slider.value = given

    slider.observe(to_box, "value")
    box.observe(to_slider, "value")


def same_place(one: float, other: float, control: Slider) -> bool:
    """Whether a handle that moves in steps is at the same step for both values."""
    if control.logarithmic:
        one, other = math.log10(one), math.log10(other)
    return abs(one - other) <= control.step / 2 * (1 + 1e-9)


def rounded(value: float, control: Slider) -> float:
    """The value of a slider without the dust of its arithmetic, within its bounds."""
    if control.logarithmic:
        value = float(f"{value:.2g}")
    elif not control.whole:
        places = max(0, 3 - math.floor(math.log10(control.step)))
        value = round(value, places)
    value = min(max(value, control.low), control.high)
    return int(value) if control.whole else float(value)
