"""One look for every figure of the course: pictures, controls, colours, and how they are drawn.

Importing this module sets matplotlib's defaults for the process, so that a figure which a learner
draws with pyplot looks like the lesson's own.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.artist import Artist
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.spines import Spine
from PIL import Image

from posenc.saving import caption

# Okabe and Ito's palette, without the yellow that vanishes on white; told apart by all common
# kinds of colour vision. https://jfly.uni-koeln.de/color/
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"
GREY = "#6B6B6B"
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINESTYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
HATCHES = ("", "//", "..", "xx", "\\\\", "++", "oo")
DIVERGING = "RdBu_r"  # for values around zero, blue below and red above
SEQUENTIAL = "cividis"  # for shares and sizes, dark to light

SMALL, NORMAL, LARGE = 11, 13, 15  # points
DOTS = 100  # pixels per inch on the page: a figure 9 inches wide takes 900 pixels
SHARPNESS = 1.5  # a picture holds this many pixels for each one on the page

RULES = {
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "axes.grid": False,
    "axes.labelsize": NORMAL,
    "axes.prop_cycle": cycler(color=COLOURS) + cycler(linestyle=LINESTYLES),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": NORMAL,
    "figure.dpi": DOTS,
    "figure.facecolor": "white",
    "figure.titlesize": LARGE,
    "font.size": NORMAL,
    "grid.color": "#DDDDDD",
    "image.interpolation": "nearest",
    "legend.fontsize": SMALL,
    "legend.edgecolor": "white",
    "legend.framealpha": 0.9,
    "lines.linewidth": 2.0,
    "lines.markersize": 7.0,
    "savefig.facecolor": "white",
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
}
matplotlib.rcParams.update(RULES)


def new_figure(width: float = 9.0, height: float = 3.6) -> Figure:
    """An empty figure of the course, in inches, on an opaque light background."""
    figure = Figure(figsize=(width, height), dpi=DOTS, layout="constrained")
    spaced(figure, w_pad=0.08, h_pad=0.08)
    FigureCanvasAgg(figure)
    return figure


def spaced(figure: Figure, **pads: Any) -> None:
    """Set a constrained layout's spaces, in inches (w_pad, h_pad) or shares (wspace, hspace)."""
    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(**pads)


def series(index: int) -> dict[str, Any]:
    """Colour, marker and line style of series `index`: colour is never the only cue."""
    turn = index % len(COLOURS)
    return {"color": COLOURS[turn], "marker": MARKERS[turn], "linestyle": LINESTYLES[turn]}


def plain(value: float, places: int = 2) -> str:
    """A number with a fixed count of decimals and never a minus before zero."""
    return f"{round(float(value), places) + 0.0:.{places}f}"


def rendered(figure: Figure, compression: int = 6) -> bytes:
    """The figure as a PNG file without date or program name; compression 1 is fast, 9 small."""
    canvas = _canvas(figure)
    canvas.draw()
    return _encoded(canvas, compression)


def _canvas(figure: Figure) -> FigureCanvasAgg:
    canvas = figure.canvas
    return canvas if isinstance(canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)


def _encoded(canvas: FigureCanvasAgg, compression: int) -> bytes:
    # Straight to the encoder: savefig would lay the figure out and draw it a second time.
    pixels = np.asarray(canvas.buffer_rgba())[..., :3]
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, "PNG", compress_level=compression)
    return file.getvalue()


def sharp(figure: Figure) -> bytes:
    """The figure as a PNG file with SHARPNESS pixels for each one on the page."""
    dots = figure.dpi
    figure.set_dpi(DOTS * SHARPNESS)
    try:
        return rendered(figure)
    finally:
        figure.set_dpi(dots)


class Moving:
    """A figure whose layout is fixed, drawn again and again while a few of its artists change.

    Most of the time of a picture goes into ticks, labels and words that stay. So what has not
    changed since the beginning is drawn once and kept; on top of it come the artists that have
    changed at some time and, within their axes, whatever lies over them. matplotlib tells which
    by their `stale`. The pixels are those of a whole drawing as long as axes do not overlap.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._moving: set[Artist] = set()
        self._kept: Any = None
        self._said: dict[Artist, tuple] = {}
        self._settle()

    def png(self) -> bytes:
        """The figure as it is now, one pixel for each one on the page, encoded fast."""
        canvas = _canvas(self.figure)
        renderer = canvas.get_renderer()
        changed = self._changed()
        if self._kept is None or not changed <= self._moving:
            self._moving |= changed
            canvas.renderer.clear()
            for axes in self.figure.axes:
                place = axes.get_axes_locator()
                axes.apply_aspect(place(axes, renderer) if place else None)
            self.figure.patch.draw(renderer)
            for below, _ in self._layers():
                for artist in below:
                    artist.draw(renderer)
            self._kept = canvas.copy_from_bbox(self.figure.bbox)
        else:
            canvas.restore_region(self._kept)
        for _, above in self._layers():
            for artist in above:
                artist.draw(renderer)
        self._settle()
        return _encoded(canvas, compression=1)

    def _groups(self) -> list[list[Artist]]:
        """The artists of each axes in the order in which they are drawn, then the figure's own."""
        groups = []
        for axes in self.figure.axes:
            hidden = () if axes.axison else (Spine, Axis)
            inner = [each for each in axes.get_children() if each is not axes.patch]
            inner = [each for each in inner if not isinstance(each, hidden)]
            if axes.get_visible():
                patch = [axes.patch] if axes.axison and axes.get_frame_on() else []
                groups.append([*patch, *sorted(inner, key=lambda each: each.get_zorder())])
        own = [e for e in self.figure.get_children() if e is not self.figure.patch]
        own = [each for each in own if each not in self.figure.axes]
        return [*groups, sorted(own, key=lambda each: each.get_zorder())]

    def _layers(self) -> Iterator[tuple[list[Artist], list[Artist]]]:
        """Each group in two: what is kept, and the first moving artist with all over it."""
        for group in self._groups():
            first = next((n for n, each in enumerate(group) if each in self._moving), len(group))
            # Ticks and their labels lie outside of what moves, if there is no grid.
            outside = [e for e in group[first:] if e not in self._moving and _is_outside(e)]
            yield group[:first] + outside, [e for e in group[first:] if e not in outside]

    def _changed(self) -> set[Artist]:
        """The artists that were touched; forgets what is kept where an axis has changed."""
        changed: set[Artist] = set()
        for group in self._groups():
            axes = {each for each in group if isinstance(each, Axis)}
            if any(self._said.get(each) != _said(each) for each in axes):
                self._kept = None
            changed |= {each for each in group if each.stale} - axes
        return changed

    def _settle(self) -> None:
        for group in self._groups():
            for artist in group:
                artist.stale = False
                if isinstance(artist, Axis):
                    self._said[artist] = _said(artist)


def _is_outside(artist: Artist) -> bool:
    return isinstance(artist, Axis) and not any(g.get_visible() for g in artist.get_gridlines())


def _said(axis: Axis) -> tuple:
    """What an axis shows. It counts as stale too when it is told what it was told before."""
    places = axis.get_majorticklocs()
    words = axis.get_major_formatter().format_ticks(places)
    label = axis.label
    shown = [(t.get_color(), t.get_visible()) for t in axis.get_majorticklabels()]
    return (
        tuple(axis.get_view_interval()), tuple(places), tuple(words), tuple(shown),
        label.get_text(), label.get_color(), axis.get_visible(),
    )  # fmt: skip


def png_output(png: bytes, text: str, width: int) -> tuple[dict[str, str], dict[str, dict]]:
    """What a notebook keeps of a picture: its bytes, its line of text, its alternative text."""
    data = {"image/png": base64.b64encode(png).decode("ascii"), "text/plain": text}
    return data, {"image/png": {"alt": text, "width": width}}


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure and the line that says what it shows."""

    figure: Figure
    text: str

    def png(self) -> bytes:
        """The figure as a PNG file, sharp enough for a projector."""
        return sharp(self.figure)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        width = round(self.figure.get_figwidth() * DOTS)
        data, metadata = png_output(self.png(), self.text, width)
        display(data, metadata=metadata, raw=True)
        # JupyterLab shows no alternative text: the line stands under it, so that everyone meets it.
        display(caption(self.text), raw=True)


@dataclass(frozen=True)
class Slider:
    """A number between low and high.

    `logarithmic` moves in equal ratios: `step` then counts powers of ten, and values are rounded
    to two significant digits.
    """

    name: str
    low: float
    high: float
    step: float
    value: float
    label: str = ""
    logarithmic: bool = False

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(
                f"slider {self.name!r}: low is {self.low}, not below high, {self.high}"
            )
        if not self.step > 0:
            raise ValueError(f"slider {self.name!r}: step is {self.step}; it must be above 0")
        if self.logarithmic and not self.low > 0:
            raise ValueError(f"slider {self.name!r}: low is {self.low}; logarithmic needs above 0")
        self.checked(self.value)

    @property
    def whole(self) -> bool:
        """True where only whole numbers are meant."""
        numbers = (self.low, self.high, self.value, *(() if self.logarithmic else (self.step,)))
        return all(isinstance(number, int) for number in numbers)

    def checked(self, value: float) -> float:
        """The value as the figure takes it; ValueError outside low … high."""
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            raise TypeError(f"{self.name} is {value!r}; a number is needed")
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name} is {value}; it may be {self.low} to {self.high}")
        if self.whole and value != int(value):
            raise ValueError(f"{self.name} is {value}; a whole number is needed")
        return int(value) if self.whole else float(value)


@dataclass(frozen=True)
class Choice:
    """One of several values."""

    name: str
    options: Sequence
    value: object
    label: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))
        self.checked(self.value)

    def checked(self, value: object) -> object:
        """The value; ValueError where it is not among the options."""
        if value not in self.options:
            allowed = ", ".join(map(str, self.options))
            raise ValueError(f"{self.name} is {value!r}; it may be one of {allowed}")
        return value


@dataclass(frozen=True)
class Toggle:
    """On or off."""

    name: str
    value: bool
    label: str = ""

    def checked(self, value: object) -> bool:
        """The value; TypeError where it is neither True nor False."""
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{self.name} is {value!r}; True or False is needed")
        return bool(value)


@dataclass(frozen=True)
class Words:
    """A line of words that can be edited."""

    name: str
    value: str
    label: str = ""

    def checked(self, value: object) -> str:
        """The value; TypeError where it is no string."""
        if not isinstance(value, str):
            raise TypeError(f"{self.name} is {value!r}; a string is needed")
        return value


Control = Slider | Choice | Toggle | Words
Update = Callable[..., str]


def label_of(control: Control) -> str:
    """The words beside a control: its label, or its name."""
    return control.label or control.name.replace("_", " ")


@dataclass(frozen=True)
class Playground:
    """A figure with controls.

    `build(figure)` puts the artists on an empty figure and returns `update(**values)`, which moves
    them (set_data and its kin, nothing drawn anew) and returns the line of text. `size` is in
    inches. Bad values raise ValueError in `update`; its message is shown to the learner.
    """

    title: str
    controls: Sequence[Control]
    build: Callable[[Figure], Update]
    size: tuple[float, float] = field(default=(9.0, 3.6))

    def __post_init__(self) -> None:
        object.__setattr__(self, "controls", tuple(self.controls))
        names = [control.name for control in self.controls]
        if len(set(names)) < len(names):
            raise ValueError(f"playground {self.title!r}: two controls share a name in {names}")

    def values(self, **given: Any) -> dict[str, Any]:
        """The value of every control, start values where none is given."""
        controls = {control.name: control for control in self.controls}
        for name in given:
            if name not in controls:
                known = ", ".join(controls)
                raise TypeError(f"{self.title!r} has no control {name!r}; it has {known}")
        return {
            name: control.checked(given.get(name, control.value))
            for name, control in controls.items()
        }


def draw(playground: Playground, **values: object) -> Picture:
    """The picture of a playground at these values, start values where none is given."""
    figure = new_figure(*playground.size)
    update = playground.build(figure)
    return Picture(figure, update(**playground.values(**values)))
