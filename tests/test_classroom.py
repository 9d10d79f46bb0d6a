"""What a notebook shows: playgrounds, questions, claims, and the record of what was done."""

from __future__ import annotations

import base64
import importlib
import io
import json
import math
import multiprocessing
import os
import re
import sys
import types
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import ipywidgets as widgets
import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from typer.testing import CliRunner

from posenc import files, lessons
from posenc.classroom import (
    asking,
    check,
    checking,
    claiming,
    controls,
    display,
    drawing,
    hint,
    recording,
    solution,
)
from posenc.classroom.playgrounds import playground
from posenc.classroom.terminal import print_progress
from posenc.cli import app
from posenc.figures import style
from posenc.figures.lesson_06 import seats
from posenc.figures.style import Choice, Playground, Slider, Toggle, Words
from posenc.lessons.model import Claim, Option, Question, Setting
from posenc.places import MARKER
from posenc.saving import WIDGET_VIEW, keep_pictures, readable

QUESTION = Question(
    "6.q1",
    "Is 2 < 3 in `numpy`?",
    (Option("No", False, "Count <again>."), Option("Yes", True, "Two comes first.")),
    "order",
)


def build(figure):
    axes = figure.subplots()
    (line,) = axes.plot([0, 1], [0, 0])

    def update(height: float, word: str, kind: str, on: bool) -> str:
        if word == "bad":
            raise ValueError("word <bad> is not allowed")
        if word == "worse":
            raise ZeroDivisionError("division by zero")
        line.set_data([0, 1], [0, height if on else 0])
        return f"A {kind} line to {height} & {word}."

    return update


PLAYGROUND = Playground(
    "A line",
    [
        Slider("height", 0, 10, 1, 3, "line height"),
        Words("word", "good"),
        Choice("kind", ("thin", "thick"), "thin"),
        Toggle("on", True),
    ],
    build,
    (3, 2),
)


@pytest.fixture(autouse=True)
def forgetful(monkeypatch, tmp_path):
    """Nothing remembered from another test, and a current folder that is no working folder."""
    monkeypatch.setattr(recording, "_unwritten", {section: {} for section in recording.SECTIONS})
    monkeypatch.setattr(recording, "_said", set())
    outside = tmp_path / "outside"
    outside.mkdir()
    monkeypatch.chdir(outside)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A working folder, with a blank and letters beyond ASCII in its name, as current folder."""
    made = tmp_path / "mein Kurs é"
    made.mkdir()
    (made / MARKER).write_text("{}")
    monkeypatch.chdir(made)
    return made


@pytest.fixture
def one_lesson(monkeypatch):
    """Lesson 6 with the question above, a claim of its own, and no other lesson."""
    monkeypatch.setattr(lessons, "question", {QUESTION.id: QUESTION}.__getitem__)


# ── what a lesson may call ──────────────────────────────────────────────────────────────────────


def test_the_classroom_gives_what_a_lesson_calls():
    classroom = importlib.import_module("posenc.classroom")
    for name in ("check", "hint", "solution", "case", "ask", "claim", "playground", "progress"):
        assert callable(getattr(classroom, name)), name
        assert name in classroom.__all__


# ── playgrounds ─────────────────────────────────────────────────────────────────────────────────


def test_a_control_moves_the_picture_and_the_line():
    panel = playground(PLAYGROUND)
    assert panel.text == "A thin line to 3 & good."
    panel.rows.sliders["height"].value = 9
    assert panel.rows.inputs["height"].value == 9
    assert panel.line.value == "A thin line to 9 &amp; good."
    at_nine = panel.image.value
    panel.rows.inputs["height"].value = 3
    assert panel.rows.sliders["height"].value == 3
    assert panel.image.value != at_nine
    panel.rows.inputs["height"].value = 9
    assert panel.image.value == at_nine


def test_every_kind_of_control_reaches_the_figure():
    panel = playground(PLAYGROUND)
    panel.rows.inputs["kind"].value = "thick"
    panel.rows.inputs["word"].value = "new"
    assert panel.text == "A thick line to 3 & new."
    before = panel.image.value
    panel.rows.inputs["on"].value = False
    assert panel.image.value != before


def test_start_values_are_taken_and_checked():
    assert playground(PLAYGROUND, height=7).text.startswith("A thin line to 7")
    with pytest.raises(ValueError, match="height is 11; it may be 0 to 10"):
        playground(PLAYGROUND, height=11)
    with pytest.raises(TypeError, match="no control 'size'"):
        playground(PLAYGROUND, size=1)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("bad", "word &lt;bad&gt; is not allowed"),
        ("worse", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_figure_that_fails_keeps_its_picture_and_says_why(word, told):
    panel = playground(PLAYGROUND)
    before = panel.image.value
    panel.rows.inputs["word"].value = word
    assert panel.image.value == before
    assert panel.line.value == f"! The picture stays as it was: {told}"
    panel.rows.inputs["word"].value = "good"
    assert panel.line.value == "A thin line to 3 &amp; good."


def test_a_change_draws_once(monkeypatch):
    panel = playground(PLAYGROUND)
    drawn = []
    monkeypatch.setattr(style.Moving, "png", lambda _: drawn.append(1) or b"")
    panel.rows.sliders["height"].value = 4
    panel.rows.inputs["height"].value = 5
    assert len(drawn) == 2


def all_playgrounds():
    for lesson in lessons.LESSONS:
        module = importlib.import_module(f"posenc.figures.lesson_{lesson.number:02d}")
        for name, shown in vars(module).items():
            if isinstance(shown, Playground):
                yield pytest.param(shown, id=f"{lesson.number}-{name}")


def some_values(shown: Playground, random: Random) -> dict[str, object]:
    """Another value for one control of a playground."""
    control = random.choice([c for c in shown.controls if not isinstance(c, Words)])
    if isinstance(control, Toggle):
        return {control.name: random.random() < 0.5}
    if isinstance(control, Choice):
        return {control.name: random.choice(control.options)}
    value = random.uniform(control.low, control.high)
    return {control.name: int(value) if control.whole else value}


@pytest.mark.parametrize("shown", list(all_playgrounds()))
def test_a_picture_of_which_only_what_moved_is_drawn_is_that_of_a_whole_drawing(shown):
    random, panel = Random(7), playground(shown)
    values = shown.values()
    for _ in range(6):
        values |= some_values(shown, random)
        try:
            panel._update(**values)
        except ValueError:  # a value that the figure refuses
            continue
        quick, whole = panel._moving.png(), style.rendered(panel._figure)
        panel._moving._settle()
        one, other = (np.asarray(Image.open(io.BytesIO(each))) for each in (quick, whole))
        assert np.array_equal(one, other), values


def test_every_input_has_a_name_and_every_slider_a_row_that_names_it():
    panel = playground(PLAYGROUND)
    for control in PLAYGROUND.controls:
        assert panel.rows.inputs[control.name].description == style.label_of(control)
    row = panel.rows.rows[0]
    assert "posenc-row" in row._dom_classes
    assert row.children == (panel.rows.inputs["height"], panel.rows.sliders["height"])


def test_a_playground_leaves_picture_and_line_for_the_time_without_a_kernel():
    data, metadata = playground(PLAYGROUND)._repr_mimebundle_()
    assert set(data) == {WIDGET_VIEW, "image/png", "text/plain"}
    assert data["text/plain"] == metadata["image/png"]["alt"] == "A thin line to 3 & good."
    image = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert image.size == (450, 300) and image.info == {}
    again, _ = playground(PLAYGROUND)._repr_mimebundle_()
    assert data["image/png"] == again["image/png"]


@pytest.mark.parametrize("value", [1024, 777, 12345, 3333])
def test_a_handle_that_reports_its_own_step_does_not_write_into_the_box(value):
    panel = playground(seats)
    slider, box = panel.rows.sliders["base"], panel.rows.inputs["base"]
    box.value = value
    step = next(c.step for c in seats.controls if c.name == "base")
    # What the browser answers: the nearest step above the lowest value.
    steps = round((math.log10(value) - slider.min) / step)
    slider.value = slider.base ** (slider.min + steps * step)
    assert box.value == value
    slider.value = slider.base ** (slider.min + (steps - 1) * step)
    assert box.value != value


def test_a_logarithmic_slider_gives_round_numbers_and_the_box_any():
    panel = playground(seats)
    slider, box = panel.rows.sliders["base"], panel.rows.inputs["base"]
    slider.value = 2 * 10**0.7
    assert box.value == 10
    slider.value = 2 * 10**3.7
    assert box.value == 10000
    box.value = 9999
    assert slider.value == pytest.approx(9999)
    assert "base 9999" in panel.text


def test_setting_several_controls_draws_once():
    calls = []
    rows = controls.Rows(PLAYGROUND.controls, lambda: calls.append(1))
    rows.set({"height": 5, "word": "x"})
    assert calls == [1]
    assert rows.values() == {"height": 5, "word": "x", "kind": "thin", "on": True}


# ── questions ───────────────────────────────────────────────────────────────────────────────────


class Structure(HTMLParser):
    """Text and tags of a piece of HTML; fails on a tag that is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.seen, self.words = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_an_answer_shows_its_reason_in_words_and_symbols(one_lesson):
    panel = asking.ask("6.q1")
    panel.buttons[0].click()
    assert "✗ A is not right." in panel.line.value and "Count &lt;again&gt;." in panel.line.value
    assert panel.buttons[0].icon == "times"
    panel.buttons[1].click()
    assert "✓ B is right." in panel.line.value and "Two comes first." in panel.line.value
    assert [button.icon for button in panel.buttons] == ["times", "check"]
    assert "Count &lt;again&gt;." in panel.line.value, "all reasons once the right one is found"
    assert panel.buttons[0].style.button_color is None


def test_an_answer_is_remembered_and_the_first_one_kept(one_lesson, folder):
    panel = asking.ask("6.q1")
    assert panel.line.value == ""
    panel.answer(0)
    panel.answer(1)
    entry = json.loads((folder / "progress.json").read_text())["questions"]["6.q1"]
    assert (entry["option"], entry["first"]) == (1, 0)
    assert "✓ B is right." in asking.ask("6.q1").line.value


@pytest.mark.parametrize("option", [7, -1, "1", None, True])
def test_an_answer_that_the_question_does_not_have_is_no_answer(one_lesson, folder, option):
    (folder / "progress.json").write_text(json.dumps({"questions": {"6.q1": {"option": option}}}))
    assert asking.ask("6.q1").line.value == ""


def test_the_form_without_a_kernel_folds_the_reasons_and_tells_no_ones_answer(one_lesson, folder):
    bare = asking.ask("6.q1")._repr_mimebundle_()
    asking.ask("6.q1").answer(1)
    answered = asking.ask("6.q1")._repr_mimebundle_()
    for kind in ("text/html", "text/plain"):
        assert bare[kind] == answered[kind]
    structure = Structure(bare["text/html"])
    assert structure.seen.count("details") == structure.seen.count("summary") == 2
    assert "code" in structure.seen
    assert "✓ B is right." in structure.words
    assert bare["text/plain"] == "Question 6.q1. Is 2 < 3 in `numpy`?\nA. No\nB. Yes"


def test_an_unknown_question_is_named():
    with pytest.raises(KeyError, match="6.q99"):
        asking.ask("6.q99")


# ── claims ──────────────────────────────────────────────────────────────────────────────────────


def made_claim(**changes) -> Claim:
    given = {
        "id": "double",
        "says": "twice the width",
        "value": 8.0,
        "tolerance": 0.05,
        "measure": lambda width=4: 2.0 * width,
        "settings": (Setting("width", 1, 12, 1, 4, "the width"),),
    }
    return Claim(**(given | changes))


def test_a_claim_says_what_is_stated_what_was_measured_and_whether_it_holds():
    assert claiming.measure(made_claim()).text() == (
        "Claim. twice the width.\n"
        "stated    8\n"
        "measured  8.0\n"
        "✓ Holds with the width: 4. Measured equals stated to within 0.05."
    )


def test_a_claim_that_is_false_is_told():
    measured = claiming.measure(made_claim(value=9.0))
    assert not measured.holds
    assert (
        "✗ Does not hold with the width: 4. Measured differs from stated by 1." in measured.text()
    )


def test_doubt_uses_the_sentence_of_the_claim():
    def holds(measured, width):
        return measured < 10, f"It is {measured:g}, and the limit is 10."

    claim = made_claim(holds=holds)
    assert (
        "✓ Holds with the width: 4. It is 8, and the limit is 10." in claiming.measure(claim).text()
    )
    assert "✗ Does not hold with the width: 6. It is 12" in claiming.measure(claim, width=6).text()


def test_a_false_figure_is_not_saved_by_the_sentence():
    claim = made_claim(value=9.0, holds=lambda measured, width: (True, "Always."))
    assert not claiming.measure(claim).holds


@pytest.mark.parametrize(
    ("value", "tolerance", "measured", "holds"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], 0.01, [[1.0, 2.0], [3.0, 4.005]], True),
        ([[1.0, 2.0], [3.0, 4.0]], 0.01, [[1.0, 2.0], [3.0, 4.5]], False),
        (True, 0, np.True_, True),
        (True, 0, False, False),
        (60, 0, 60, True),
        (60, 0, 61, False),
        ([1, 2], 0, [1, 2, 3], False),
        ("invariant", 0, "invariant", True),
        (1.0, 0.1, float("nan"), False),
    ],
)
def test_figures_are_compared(value, tolerance, measured, holds):
    claim = made_claim(value=value, tolerance=tolerance, measure=lambda: measured, settings=())
    result = claiming.measure(claim)
    assert result.holds is holds
    assert Structure(result.html()).words
    if not holds and isinstance(measured, list) and len(measured) == 2:
        assert "is 0.5, at [1, 1]" in result.text()


@pytest.mark.parametrize("noise", [8.9e-16, 0.0, -3e-15])
def test_noise_of_rounding_is_printed_the_same_on_every_machine(noise):
    claim = made_claim(value=0.0, tolerance=1e-14, measure=lambda: noise, settings=())
    assert claiming.measure(claim).text().splitlines()[2] == "measured  below 1e-14"


def test_a_matrix_stands_in_columns():
    claim = made_claim(
        value=[[0, 1], [0.8415, -0.54]],
        tolerance=5e-5,
        settings=(),
        measure=lambda: [[0.0, 1.0], [0.84149, -0.54]],
    )
    assert claiming.measure(claim).text().splitlines()[1:5] == [
        "stated         0      1",
        "          0.8415  -0.54",
        "measured  0.0000   1.0000",
        "          0.8415  -0.5400",
    ]


def test_controls_measure_again_and_lead_back(monkeypatch):
    monkeypatch.setattr(lessons, "claim", lambda _: made_claim())
    panel = claiming.claim("double")
    assert panel.back.layout.display == "none"
    panel.rows.sliders["width"].value = 5
    assert "✗ Does not hold." in panel.line.value and "the width: 5" in panel.line.value
    assert panel.back.layout.display == ""
    panel.back.click()
    assert "✓ Holds." in panel.line.value and "the width: 4" in panel.line.value
    assert panel.rows.sliders["width"].value == 4
    assert panel.back.layout.display == "none"


def test_two_figures_that_differ_hold_with_the_sentence_why():
    def holds(measured, width):
        return True, "It is near."

    claim = made_claim(value=8.5, tolerance=0.3, measure=lambda width=4: 8.7, holds=holds)
    assert claiming.measure(claim).text().splitlines()[1:3] == ["stated    8.5", "measured  8.7"]
    assert "It is near. The two figures may differ by 0.3." in claiming.measure(claim).html()


def test_a_measurement_that_fails_is_told(monkeypatch):
    def measure(width=4):
        if width > 4:
            raise ValueError("width <= 4 is needed")
        return 8.0

    monkeypatch.setattr(lessons, "claim", lambda _: made_claim(measure=measure))
    panel = claiming.claim("double")
    panel.rows.inputs["width"].value = 5
    assert "! It cannot be measured at these settings: width &lt;= 4 is needed" in panel.line.value


def test_a_claim_without_settings_has_no_controls(monkeypatch):
    monkeypatch.setattr(lessons, "claim", lambda _: made_claim(measure=lambda: 8.0, settings=()))
    panel = claiming.claim("double")
    assert not any(isinstance(child, widgets.Button) for child in panel.children)
    bundle = panel._repr_mimebundle_()
    assert set(bundle) == {WIDGET_VIEW, "text/html", "text/plain"}
    assert Structure(bundle["text/html"]).words


def test_a_wide_setting_moves_in_equal_ratios():
    control = claiming._control(Setting("base", 10.0, 100000.0, 1.0, 10000.0))
    assert control.logarithmic and control.step == 0.05
    assert not claiming._control(Setting("width", 2, 64, 2, 16)).logarithmic


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, id=c.id) for lesson in lessons.LESSONS for c in lessons.claims(lesson.number)],
)
def test_every_claim_holds_where_it_is_stated_and_can_be_doubted(claim):
    first = claiming.measure(claim)
    assert first.holds, first.text()
    assert claiming.measure(claim).text() == first.text()
    for setting in claim.settings:
        claiming._control(setting)


# ── the record ──────────────────────────────────────────────────────────────────────────────────


def test_outside_a_working_folder_nothing_is_written(tmp_path):
    recording.record_challenge("6.2", "passed", 3)
    recording.record_answer("6.q1", 1)
    assert recording.read().passed("6.2") and recording.read().option("6.q1") == 1
    assert not list(tmp_path.rglob("progress*"))


def test_inside_one_a_file_is_written_from_any_folder_below(folder, monkeypatch):
    (folder / "deep").mkdir()
    monkeypatch.chdir(folder / "deep")
    recording.record_challenge("6.2", "passed", 3)
    content = json.loads((folder / "progress.json").read_text(encoding="utf-8"))
    assert content["version"] == 1
    entry = content["challenges"]["6.2"]
    assert (entry["outcome"], entry["points"]) == ("passed", 3)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", entry["when"])
    assert not list(folder.glob("*.part"))


def test_passed_stays_passed(folder):
    recording.record_challenge("6.2", "failed", 0)
    assert not recording.read().passed("6.2")
    recording.record_challenge("6.2", "passed", 3)
    recording.record_challenge("6.2", "failed", 0)
    assert recording.read().challenges["6.2"]["points"] == 3


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1, 2]",
        b"null",
        b"\xff\xfe",
        b'{"challenges": []}',
        b'{"questions": 3}',
        b"[" * 100_000,
        b"{" + b'"a":{' * 100_000,
    ],
)
def test_a_damaged_file_is_laid_aside_and_said_once(folder, content, capsys):
    (folder / "progress.json").write_bytes(content)
    assert recording.read() == recording.Progress()
    recording.record_challenge("6.2", "passed", 3)
    recording.progress()
    assert recording.read().passed("6.2")
    (kept,) = folder.glob("progress (backup *).json")
    assert kept.read_bytes() == content
    assert capsys.readouterr().out.count("damaged") == 1


@pytest.mark.parametrize("id", [c.id for n in range(1, 13) for c in lessons.challenges(n)])
def test_every_right_answer_is_told_so(id):
    """What is drawn after a pass may be of any form that a challenge asks for."""
    challenge = lessons.challenge(id)
    assert "passed" in check(id, challenge.reference, seed=3).text


def test_a_lock_of_a_moment_is_outlasted(folder, monkeypatch):
    """Case C01: OneDrive and scanners hold a file for a moment."""
    real, refused = os.replace, []

    def held(*names):
        if len(refused) < 3:
            refused.append(names)
            raise PermissionError(13, "WinError 5")
        real(*names)

    monkeypatch.setattr(os, "replace", held)
    monkeypatch.setattr(files.time, "sleep", lambda seconds: None)
    recording.record_challenge("6.1", "passed", 2)
    assert len(refused) == 3 and recorded(folder)["challenges"]["6.1"]["points"] == 2


def test_what_could_not_be_written_goes_along_with_the_next_write(folder, monkeypatch, capsys):
    monkeypatch.setattr(files.time, "sleep", lambda seconds: None)
    with monkeypatch.context() as locked:
        locked.setattr(os, "replace", lambda *names: (_ for _ in ()).throw(PermissionError(13)))
        recording.record_challenge("6.1", "passed", 2, "def frequencies(): ...")
        recording.record_answer("6.q1", 2)
        assert "written with your next answer" in capsys.readouterr().out
    recording.record_challenge("6.1", "failed", 0)
    recording.record_answer("6.q1", 0)
    told = recorded(folder)
    assert told["challenges"]["6.1"]["outcome"] == "passed"
    assert (told["questions"]["6.q1"]["first"], told["questions"]["6.q1"]["option"]) == (2, 0)
    assert not any(recording._unwritten.values())


def recorded(folder: Path) -> dict:
    return json.loads((folder / recording.FILE).read_text(encoding="utf-8"))


def test_the_cell_of_an_answer_that_passed_can_be_restored(folder, monkeypatch):
    shell = types.SimpleNamespace(
        user_ns={"In": ["", "def frequencies(w):\n    return 1", "%magic", "x = 1"]}
    )
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    source = checking._cell_of("frequencies")
    recording.record_challenge("6.1", "passed", 2, source)
    recording.record_challenge("6.1", "passed", 2)
    run = CliRunner().invoke(app, ["restore", "6.1", "--folder", str(folder)])
    assert run.exit_code == 0 and run.output.rstrip() == source
    none = CliRunner().invoke(app, ["restore", "6.2", "--folder", str(folder)])
    assert none.exit_code == 1 and "6.2" in none.output
    unknown = CliRunner().invoke(app, ["restore", "6.9", "--folder", str(folder)])
    assert unknown.exit_code == 2 and "6.1, 6.2" in unknown.output


def test_outside_a_working_folder_progress_is_kept_where_a_hub_says_or_said_not_to_be(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.delenv("POSENC_PROGRESS")
    recording.record_challenge("6.1", "passed", 2)
    recording.record_challenge("6.2", "passed", 3)
    assert capsys.readouterr().out.count("until its kernel ends") == 1
    monkeypatch.setenv("POSENC_PROGRESS", str(tmp_path))
    recording.record_answer("6.q1", 1)
    assert set(recorded(tmp_path)["challenges"]) == {"6.1", "6.2"}


def test_input_in_an_answer_is_an_error_that_says_why(monkeypatch):
    asked = check("6.1", lambda width, base=1e4: input("width? "), seed=1)
    assert "input() has nobody to ask" in asked.text


def test_a_check_without_its_answer_or_of_no_challenge_gets_a_true_sentence():
    assert 'check("9.3", lookback_weights)' in check("9.3").text
    for asked in (check("9.9"), check(9.3, lambda k: k, seed=1), hint("9.9"), solution("x")):
        assert "Traceback" not in asked.text
    assert "9.1, 9.2, 9.3, 9.4" in check("9.9").text
    assert "9.3" in check(9.3, lambda k, width, base=1e4: None, seed=1).text


def test_a_pass_draws_the_result_and_links_the_next_challenge_and_the_section(folder):
    def frequencies(width, base=10000.0):
        return base ** (-2 * np.arange((width + 1) // 2) / width)

    stem, section = lessons.lesson(6).stem, lessons.challenge("6.1").section
    heading = {"cell_type": "markdown", "source": "## The formula\n\nWords.", "metadata": {}}
    heading["metadata"] = {"posenc": {"section": section}}
    (folder / f"{stem}.ipynb").write_text(json.dumps({"cells": [heading]}))
    told = check("6.1", frequencies, seed=1)
    assert Structure(told.html).seen.count("svg") == 1 and "<code>frequencies</code>" in told.html
    assert '<a href="#6.2-·-' in told.html and '<a href="#The-formula">' in told.html
    assert check("6.1", frequencies, seed=2).html == told.html, "the same at every check"
    wrong = check("6.1", lambda width, base=1e4: np.ones(3), seed=1)
    assert "svg" not in wrong.html and '<a href="#The-formula">' in wrong.html
    assert wrong.html.index("The-formula") < wrong.html.index("<details>")


@pytest.mark.parametrize(
    "value", [None, 3.0, "x", np.zeros(5), np.ones(2), np.ones((2, 3, 4)), np.array([1, np.nan, 2])]
)
def test_what_cannot_be_drawn_is_not(value):
    assert drawing.picture(value, "f") == ""


@pytest.mark.parametrize("value", [np.arange(-3, 4), np.eye(20, 40), np.array([[True, False]] * 3)])
def test_an_array_is_drawn_the_same_with_noise_of_rounding(value):
    drawn = drawing.picture(value.astype(float), "f")
    Structure(drawn)
    assert drawn == drawing.picture(value * (1 + 3e-16), "f")
    assert drawn.count("<rect") == np.atleast_2d(value)[:16, :32].size


def test_what_another_version_wrote_is_kept(folder):
    strange = {
        "version": 9,
        "badges": ["x"],
        "challenges": {"6.1": {"outcome": "passed", "points": 2, "tries": 4}, "6.3": "soon"},
    }
    (folder / "progress.json").write_text(json.dumps(strange))
    recording.record_challenge("6.2", "passed", 3)
    content = json.loads((folder / "progress.json").read_text())
    assert content["badges"] == ["x"] and content["version"] == 9
    assert content["challenges"]["6.1"]["tries"] == 4 and content["challenges"]["6.3"] == "soon"
    assert set(recording.read().challenges) == {"6.1", "6.2"}


def test_an_entry_of_another_shape_is_written_over(folder):
    (folder / "progress.json").write_text('{"challenges": {"6.2": "soon"}}')
    recording.record_challenge("6.2", "passed", 3)
    assert recording.read().passed("6.2")


def test_a_file_that_cannot_be_written_stops_nothing(folder, monkeypatch, capsys):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(recording, "write_whole", refused)
    for _ in range(2):
        recording.record_challenge("6.2", "passed", 3)
    assert recording.read().passed("6.2")
    assert capsys.readouterr().out.count("cannot be written") == 1


def test_a_file_that_cannot_be_read_is_not_written_over(folder, monkeypatch, capsys):
    path = folder / "progress.json"
    path.write_text('{"version": 1}')
    original = Path.read_bytes

    def refused(self):
        if self.name == "progress.json":
            raise PermissionError(13, "Permission denied")
        return original(self)

    monkeypatch.setattr(Path, "read_bytes", refused)
    recording.record_challenge("6.2", "passed", 3)
    assert recording.read().passed("6.2")
    assert path.read_text() == '{"version": 1}'


def _record_many(folder: Path, name: str) -> None:
    os.chdir(folder)
    for number in range(25):
        recording.record_answer(f"{name}.q{number}", 0)


@pytest.mark.skipif(sys.platform == "win32", reason="starts processes by fork")
def test_two_kernels_at_once_lose_nothing(folder):
    context = multiprocessing.get_context("fork")
    kernels = [context.Process(target=_record_many, args=(folder, name)) for name in ("1", "2")]
    for kernel in kernels:
        kernel.start()
    for kernel in kernels:
        kernel.join(60)
        assert kernel.exitcode == 0
    assert len(recording.read(folder).questions) == 50


ACTS = ("pass", "fail", "answer", "lock", "end", "reload")


@pytest.mark.parametrize("part", range(4))
def test_in_random_runs_of_kills_locks_tabs_and_reloads_no_passed_answer_is_lost(
    part, folder, monkeypatch, capsys
):
    """A quarter of 1,000 runs: two kernels on one folder, ended anywhere, the file held at
    times. A pass that was written, or waits in a kernel that lives and writes once more, is there.
    """
    real = {name: getattr(os, name) for name in ("replace", "fsync")}
    monkeypatch.setattr(files.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    for run in range(250):
        one_run(Random(1000 * part + run), folder, monkeypatch, real["replace"])
        for left in folder.glob("progress*"):
            left.unlink()
    capsys.readouterr()


def one_run(random: Random, folder: Path, monkeypatch, replace) -> None:
    tabs = [{section: {} for section in recording.SECTIONS} for _ in range(2)]
    held, safe, waiting = 0, set(), [set(), set()]

    def held_now(*names):
        nonlocal held
        if held:
            held -= 1
            raise PermissionError(13, "WinError 5")
        replace(*names)

    monkeypatch.setattr(os, "replace", held_now)
    for _ in range(random.randint(3, 8)):
        tab, act = random.randrange(2), random.choice(ACTS)
        monkeypatch.setattr(recording, "_unwritten", tabs[tab])
        monkeypatch.setattr(recording, "_said", set())
        challenge = f"6.{random.randint(1, 4)}"
        if act == "lock":
            held = random.choice((1, 3, 10**6))
        elif act == "end":  # a kernel is killed: its memory is gone
            tabs[tab] = {section: {} for section in recording.SECTIONS}
            waiting[tab] = set()
        elif act == "reload":
            held = 0
            assert all(recording.read().passed(each) for each in safe | waiting[tab])
        else:
            if act == "answer":
                recording.record_answer("6.q1", random.randint(0, 3))
            else:
                done = act == "pass"
                recording.record_challenge(
                    challenge, "passed" if done else "failed", 2.0 * done, "def f(): ..." * done
                )
                waiting[tab] |= {challenge} if done else set()
            if not any(tabs[tab].values()):  # written
                safe |= waiting[tab]
                waiting[tab] = set()
    held = 0
    for tab, memory in enumerate(tabs):
        monkeypatch.setattr(recording, "_unwritten", memory)
        recording.record_answer("6.q2", 0)
        safe |= waiting[tab]
    told = recorded(folder)["challenges"]
    assert all(told[each]["outcome"] == "passed" and told[each]["source"] for each in safe)


# ── the table of progress ───────────────────────────────────────────────────────────────────────


def test_the_table_counts_what_was_done(folder):
    challenge, question = lessons.challenges(6)[0], lessons.questions(6)[0]
    before = next(row for row in recording.table_rows() if row.lesson == 6)
    recording.record_challenge(challenge.id, "passed", challenge.points)
    recording.record_challenge("6.2", "failed", 0)
    recording.record_answer(question.id, 0)
    row = next(row for row in recording.table_rows() if row.lesson == 6)
    assert (before.passed, row.passed, row.challenges) == (0, 1, len(lessons.challenges(6)))
    assert (row.points, row.points_possible) == (challenge.points, 10)
    assert (row.answered, row.questions) == (1, 5)
    assert before.minutes_left - row.minutes_left == challenge.minutes + question.minutes
    assert "… begun" in row.cells() and "○ open" in before.cells()
    sums = recording.table_rows()[-1]
    assert sums.lesson is None and sums.passed == 1


def test_a_lesson_that_is_done_has_no_minutes_left(folder):
    for challenge in lessons.challenges(6):
        recording.record_challenge(challenge.id, "passed", challenge.points)
    for question in lessons.questions(6):
        recording.record_answer(question.id, 0)
    row = next(row for row in recording.table_rows() if row.lesson == 6)
    assert row.done and row.minutes_left == 0 and row.points == 10
    assert "✓ done" in row.cells()


@pytest.mark.parametrize(
    "found", [b"{", json.dumps({"metadata": {"posenc": {"minutes": "x"}}}).encode()]
)
def test_minutes_survive_a_broken_notebook(folder, found):
    (folder / f"{lessons.lesson(6).stem}.ipynb").write_bytes(found)
    assert next(row for row in recording.table_rows() if row.lesson == 6).minutes_left > 0


def test_reading_counts_where_the_notebook_says_its_minutes(folder):
    notebook = {"metadata": {"posenc": {"minutes": 200}}}
    (folder / f"{lessons.lesson(6).stem}.ipynb").write_text(json.dumps(notebook))
    assert next(row for row in recording.table_rows() if row.lesson == 6).minutes_left == 200


def test_the_table_is_text_and_html():
    table = recording.progress()
    assert table.text.splitlines()[0].split() == [
        "Lesson",
        "State",
        "Challenges",
        "Points",
        "Questions",
        "Minutes",
        "left",
    ]
    assert len({line.rindex(line.split()[-1]) for line in table.text.splitlines()[1:]}) <= 2
    structure = Structure(table.html)
    assert {"table", "caption", "thead", "tbody", "th", "td"} <= set(structure.seen)
    assert set(table._repr_mimebundle_()) == {"text/html", "text/plain"}


@pytest.mark.parametrize("width", [72, 80, 120])
def test_the_terminal_shows_the_same_table(folder, width):
    recording.record_challenge("6.1", "passed", 2)
    written = io.StringIO()
    print_progress(folder, Console(file=written, width=width))
    words = " ".join(written.getvalue().split())
    for cell in recording.table_rows()[-1].cells()[2:]:
        assert cell in words
    assert "… begun" in words and str(folder) in words


def test_the_command_names_a_folder_that_is_none(tmp_path):
    result = CliRunner().invoke(app, ["progress", "--folder", str(tmp_path)])
    assert result.exit_code == 1 and "is not a working folder" in result.stderr


# ── notes, and notebooks that are saved ─────────────────────────────────────────────────────────


def test_a_note_escapes_and_says_its_kind_in_words_and_symbols(capsys):
    made = display.note(display.WRONG, "Not yet: 2 of 3", "Is `a < b`?", code="f(1)\n<x>")
    assert made.text == "✗ Not yet: 2 of 3\nIs `a < b`?\n\nf(1)\n<x>"
    structure = Structure(made.html)
    assert "a < b" in structure.words and "f(1)\n<x>" in structure.words
    display.show(made)
    assert capsys.readouterr().out == made.text + "\n"


def test_a_saved_notebook_needs_no_kernel_to_be_read():
    data, _ = playground(PLAYGROUND)._repr_mimebundle_()
    ours = {"output_type": "display_data", "data": data, "metadata": {}}
    theirs = {"output_type": "display_data", "data": {WIDGET_VIEW: {}, "text/plain": "IntSlider()"}}
    printed = {"output_type": "stream", "name": "stdout", "text": "x"}
    cells = [{"cell_type": "code", "outputs": [ours, theirs, printed]}, {"cell_type": "markdown"}]
    model = {"type": "notebook", "content": {"cells": cells}}
    keep_pictures(model, path="a.ipynb")
    picture, line, *others = model["content"]["cells"][0]["outputs"]
    assert set(picture["data"]) == {"image/png", "text/plain"}
    assert line["data"]["text/plain"] == "A thin line to 3 & good. Run this cell to move it."
    said = Structure(line["data"]["text/html"])
    assert "A thin line to 3 & good." in said.words and "Run this cell to move it." in said.words
    assert others == [theirs, printed]
    assert readable([picture, line]) == [picture, line]
    assert WIDGET_VIEW in data, "what the page shows now is left alone"


@pytest.mark.parametrize(
    "model",
    [
        {"type": "file", "content": "x"},
        {"type": "notebook", "content": None},
        {},
    ],
)
def test_other_files_are_saved_as_they_are(model):
    before = dict(model)
    keep_pictures(model)
    assert model == before
