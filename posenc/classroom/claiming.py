"""A figure that the lesson states, measured again on the spot, with controls to doubt it."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets
import numpy as np

from posenc import lessons
from posenc.classroom.controls import Rows, heading, line, panel
from posenc.classroom.display import RIGHT, TROUBLE, UNBROKEN, WRONG, boxed, escaped, headline
from posenc.figures.style import Slider
from posenc.lessons.model import Claim, Setting

BESIDE = "display: flex; flex-wrap: wrap; gap: 4px 40px; margin: 2px 0 6px"
PAIR = (
    "display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 2px 14px; "
    "align-items: baseline; min-width: 0"
)
LABEL = "font-size: 0.9em; opacity: 0.8"
FIGURE = f"font-size: 1.2em; font-family: var(--jp-code-font-family, monospace); {UNBROKEN}"
WIDE = 1000  # a setting whose bounds differ by this factor moves in equal ratios


@dataclass(frozen=True)
class Measurement:
    """What was measured at some settings, whether the claim holds there, and why."""

    claim: Claim
    settings: dict[str, float]
    value: Any
    holds: bool
    why: str

    @property
    def where(self) -> list[str]:
        """The settings, one "width: 64" each."""
        labels = {s.name: s.label or s.name for s in self.claim.settings}
        return [f"{labels.get(name, name)}: {value:g}" for name, value in self.settings.items()]

    @property
    def verdict(self) -> str:
        """Symbol, word and settings: "✓ Holds with width: 64; length: 512."."""
        where = f" with {'; '.join(self.where)}" if self.where else ""
        return f"{self._word}{where}."

    @property
    def _word(self) -> str:
        return headline(RIGHT, "Holds") if self.holds else headline(WRONG, "Does not hold")

    @property
    def _reason(self) -> str:
        """Why; where two different numbers are told to agree, what makes them agree."""
        differ = _figures(stated(self.claim)) != _figures(table_of(self.value, self.claim))
        tolerance = self.claim.tolerance
        allowed = f"{small(tolerance)}" if tolerance else ""
        if not (self.holds and differ and allowed) or allowed in self.why:
            return self.why
        return f"{self.why} The two figures may differ by {allowed}."

    def text(self) -> str:
        """The measurement as text."""
        return "\n".join(
            [
                f"Claim. {sentence(self.claim.says)}",
                *_beside("stated", stated(self.claim)),
                *_beside("measured", table_of(self.value, self.claim)),
                f"{self.verdict} {self._reason}",
            ]
        )

    def html(self) -> str:
        """The measurement as HTML, without the sentence that is claimed."""
        pair = zip(("stated", "measured"), _aligned(self), strict=True)
        figures = "".join(
            f'<span style="{LABEL}">{name}</span>'
            f'<span style="{FIGURE}">{html.escape(chr(10).join(rows))}</span>'
            for name, rows in pair
        )
        listed = "".join(f"<div>{escaped(each)}</div>" for each in self.where)
        where = f'<div><span style="{LABEL}">settings</span>{listed}</div>' if listed else ""
        said = f"<div><strong>{escaped(self._word)}.</strong> {escaped(self._reason)}</div>"
        pair_and_where = f'<div style="{PAIR}">{figures}</div>{where}'
        return boxed(
            RIGHT if self.holds else WRONG, f'<div style="{BESIDE}">{pair_and_where}</div>{said}'
        )


def measure(claim: Claim, **settings: float) -> Measurement:
    """Measure the claim at these settings, and at the stated ones where none are given.

    Whatever `claim.measure` raises comes through.
    """
    settings = claim.stated() | settings
    value = claim.measure(**settings)
    as_stated = settings == claim.stated()
    if as_stated or claim.holds is None:
        holds, why = compared(value, claim)
        if not holds or claim.holds is None:
            return Measurement(claim, settings, value, holds, why)
    holds, why = claim.holds(value, **settings)
    return Measurement(claim, settings, value, bool(holds), why)


def compared(value: Any, claim: Claim) -> tuple[bool, str]:
    """Whether a value is the stated one within the claim's tolerance, and a sentence."""
    got, stated = np.asarray(value), np.asarray(claim.value)
    if got.shape != stated.shape:
        return False, f"Its shape is {got.shape}, not {stated.shape}."
    if not (_is_number(got) and _is_number(stated)):
        same = bool(np.all(got == stated))
        return same, "Measured is what is stated." if same else "Measured is not what is stated."
    gap = np.abs(got.astype(float) - stated.astype(float))
    if np.all(gap <= claim.tolerance):
        within = f" to within {small(claim.tolerance)}" if claim.tolerance else ""
        return True, f"Measured equals stated{within}."
    largest = float(np.max(gap))
    if got.ndim == 0:
        return False, f"Measured differs from stated by {largest:.3g}."
    place = ", ".join(str(index) for index in np.unravel_index(int(np.argmax(gap)), gap.shape))
    return False, f"The largest difference from stated is {largest:.3g}, at [{place}]."


def _is_number(array: np.ndarray) -> bool:
    return array.dtype.kind in "iuf"


def stated(claim: Claim) -> list[str]:
    """The value that a claim states, with the decimals that it states."""
    return table_of(claim.value)


def sentence(words: str) -> str:
    """Words with a full stop, where they do not end a sentence already."""
    return words if words.endswith((".", "?", "!")) else f"{words}."


def small(number: float) -> str:
    """A tolerance as it is written: 0.00005, 1e-12."""
    if number >= 1e-6:
        return np.format_float_positional(number, trim="-")
    return np.format_float_scientific(number, trim="-", exp_digits=1)


def table_of(value: Any, claim: Claim | None = None) -> list[str]:
    """A value as lines of text, a matrix row by row; as many decimals as the claim states."""
    array = np.asarray(value)
    rows = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else np.atleast_1d(array)[None]
    cells = [[_number(each, claim) for each in row] for row in rows.tolist()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]


def _number(value: Any, claim: Claim | None) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if claim is None or isinstance(value, int) or not math.isfinite(value):
        return f"{value:.12g}"
    if not _is_number(np.asarray(claim.value)):
        return f"{value:.6g}"
    if claim.tolerance and np.all(np.asarray(claim.value) == 0):
        # Noise of rounding, another on each machine: only whether it is noise can be said.
        within = abs(value) <= claim.tolerance
        return f"below {small(claim.tolerance)}" if within else f"{value:.2g}"
    return f"{round(value, _places(claim)) + 0.0:.{_places(claim)}f}"


def _places(claim: Claim) -> int:
    """Decimals of the stated figure; those of its tolerance where it is stated without any."""
    texts = [f"{float(number):.12g}" for number in np.ravel(claim.value)]
    stated = max(len(text.partition(".")[2]) for text in texts if "e" not in text)
    if stated or not claim.tolerance:
        return stated
    return min(6, max(0, math.floor(-math.log10(claim.tolerance))))


def _aligned(measured: Measurement) -> tuple[list[str], list[str]]:
    """Stated and measured as lines of text whose numbers have their points in one column."""
    pair = (stated(measured.claim), table_of(measured.value, measured.claim))
    cells = [[row.split() for row in rows] for rows in pair]
    widths = {len(row) for rows in cells for row in rows}
    if len(widths) != 1 or not _is_number(np.asarray(measured.claim.value)):
        return pair
    columns = [*zip(*cells[0], *cells[1], strict=True)]
    before = [max(len(c.partition(".")[0]) for c in column) for column in columns]
    after = [max(len(c) - len(c.partition(".")[0]) for c in column) for column in columns]

    def placed(row: list[str]) -> str:
        shown = [
            cell.partition(".")[0].rjust(b) + cell[len(cell.partition(".")[0]) :].ljust(a)
            for cell, b, a in zip(row, before, after, strict=True)
        ]
        return "  ".join(shown).rstrip()

    return [placed(row) for row in cells[0]], [placed(row) for row in cells[1]]


def _figures(rows: list[str]) -> list[float | str]:
    """The numbers in some lines, so that 8 and 8.0 are the same; other words as they are."""
    words = " ".join(rows).split()
    try:
        return [float(word) for word in words]
    except ValueError:
        return [*words]


def _beside(name: str, rows: list[str]) -> list[str]:
    return [f"{name if place == 0 else '':10}{row}" for place, row in enumerate(rows)]


class ClaimPanel(widgets.VBox):
    """A claim, its measurement, and a control for each of its settings. Made by `claim`."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.stated = measure(claim)
        self.rows = Rows([_control(setting) for setting in claim.settings], self.remeasure)
        self.line = line(self.stated.html())
        said = heading("Claim", escaped(sentence(claim.says)))
        self.back = self._back_button()
        back = [self.back] if claim.settings else []
        super().__init__(**panel([said, self.line, *self.rows.rows, *back]))
        self.add_class("posenc-panel")

    def remeasure(self) -> None:
        """Measure at the settings that the controls have now."""
        moved = self.rows.values() != self.claim.stated()
        self.back.layout.display = "" if moved else "none"
        try:
            self.line.value = measure(self.claim, **self.rows.values()).html()
        except Exception as error:  # noqa: BLE001 - a doubt may not end the lesson
            reason = str(error) or type(error).__name__
            self.line.value = boxed(
                TROUBLE,
                escaped(headline(TROUBLE, f"It cannot be measured at these settings: {reason}")),
            )

    def _back_button(self) -> widgets.Button:
        made = widgets.Button(
            description="Back to the stated settings",
            tooltip="",
            layout=widgets.Layout(width="auto", align_self="flex-start", display="none"),
        )
        made.on_click(lambda _: self.rows.set(self.claim.stated()))
        return made

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, object]:
        # Beside the widget, what is left without a kernel: the measurement at the stated settings.
        bundle = dict(super()._repr_mimebundle_(**kwargs))
        says = f"<div><strong>Claim.</strong> {escaped(sentence(self.claim.says))}</div>"
        return bundle | {
            "text/html": says + self.stated.html(),
            "text/plain": self.stated.text(),
        }


def _control(setting: Setting) -> Slider:
    wide = setting.low > 0 and setting.high / setting.low >= WIDE
    return Slider(
        setting.name,
        setting.low,
        setting.high,
        0.05 if wide else setting.step,
        setting.value,
        setting.label,
        logarithmic=wide,
    )


def claim(claim_id: str) -> ClaimPanel:
    """The claim with this id, such as "norm-64", measured now. KeyError where there is none."""
    return ClaimPanel(lessons.claim(claim_id))
