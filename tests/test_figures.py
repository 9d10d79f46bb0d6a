"""Figures: one style, controls that check themselves, pictures that are the same every time."""

from __future__ import annotations

import colorsys
import importlib
import io
import pkgutil
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

import posenc.figures
from posenc import lessons
from posenc.encodings import sinusoidal
from posenc.figures import lesson_06, style
from posenc.figures.style import Choice, Picture, Playground, Slider, Toggle, Words


def build_line(figure: Figure):
    axes = figure.subplots()
    (line,) = axes.plot([], [])
    axes.set(xlim=(0, 1), ylim=(0, 10))

    def update(height: int = 0, word: str = "", **rest: object) -> str:
        if word == "bad":
            raise ValueError("word is 'bad'")
        line.set_data([0, 1], [0, height])
        return f"A line to {height}{' ' + word if word else ''}."

    return update


@pytest.fixture
def small_playground() -> Playground:
    return Playground("A line", [Slider("height", 0, 10, 1, 3)], build_line, (3, 2))


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)))


def all_playgrounds():
    for found in pkgutil.iter_modules(posenc.figures.__path__):
        module = importlib.import_module(f"posenc.figures.{found.name}")
        for name, value in vars(module).items():
            if isinstance(value, Playground):
                yield pytest.param(value, id=f"{found.name}.{name}")


PLAYGROUNDS = list(all_playgrounds())


# ── pictures ────────────────────────────────────────────────────────────────────────────────────


def test_a_picture_is_the_same_every_time_and_names_no_program(small_playground):
    one, other = (style.draw(small_playground).png() for _ in range(2))
    assert one == other
    assert Image.open(io.BytesIO(one)).info == {}


def test_a_picture_has_an_opaque_light_background():
    image = Image.open(io.BytesIO(Picture(style.new_figure(2, 1), "Nothing.").png()))
    assert image.mode == "RGB"
    assert (np.asarray(image) == 255).all()


def test_a_picture_is_sharper_than_its_size_on_the_page():
    figure = style.new_figure(4, 2)
    picture = pixels(Picture(figure, "Nothing.").png())
    assert picture.shape[:2] == (2 * 150, 4 * 150)
    assert figure.dpi == style.DOTS


def test_a_picture_shows_itself_with_alternative_text_and_its_line_as_a_caption(monkeypatch):
    shown = []
    monkeypatch.setattr(
        "IPython.display.display",
        lambda data, metadata=None, raw=False: shown.append((data, metadata)),
    )
    Picture(style.new_figure(4, 2), "A field & its edge.")._ipython_display_()
    (picture, metadata), (caption, _) = shown
    assert set(picture) == {"image/png", "text/plain"}
    assert picture["text/plain"] == caption["text/plain"] == "A field & its edge."
    assert metadata["image/png"] == {"alt": "A field & its edge.", "width": 400}
    assert "<small>A field &amp; its edge.</small>" in caption["text/html"]


def test_the_colours_are_told_apart_by_lightness_marker_and_line_too():
    assert len(set(style.COLOURS)) == len(set(style.MARKERS)) == len(set(style.LINESTYLES)) == 7
    for index in range(7):
        assert set(style.series(index)) == {"color", "marker", "linestyle"}
    assert style.series(7) == style.series(0)
    for colour in style.COLOURS:  # readable on white
        red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        assert colorsys.rgb_to_hls(red, green, blue)[1] < 0.7


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (-0.001, 2, "0.00"),
        (1.005, 1, "1.0"),
        (-1.25, 1, "-1.2"),
        (3, 0, "3"),
    ],
)
def test_plain_numbers(value, places, text):
    assert style.plain(value, places) == text


def test_figures_need_no_widgets():
    code = (
        "import sys, posenc.figures.lesson_06\n"
        "assert not {'ipywidgets', 'IPython', 'matplotlib.pyplot'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ── controls ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Slider("width", 4, 4, 1, 4), "low is 4, not below high, 4"),
        (lambda: Slider("width", 1, 4, 0, 4), "step is 0"),
        (lambda: Slider("width", 1, 4, 1, 5), "width is 5; it may be 1 to 4"),
        (lambda: Slider("base", 0, 4, 0.1, 1, logarithmic=True), "logarithmic needs above 0"),
        (
            lambda: Choice("pairing", ("halves", "neighbours"), "thirds"),
            "'thirds'.*halves, neighbours",
        ),
    ],
)
def test_a_control_refuses_what_it_cannot_be(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(
    ("control", "value"),
    [
        (Slider("width", 1, 4, 1, 2), "3"),
        (Slider("width", 1, 4, 1, 2), True),
        (Toggle("mask", True), 1),
        (Words("tokens", "red blue"), 3),
    ],
)
def test_a_control_refuses_another_type(control, value):
    with pytest.raises(TypeError, match=control.name):
        control.checked(value)


def test_a_whole_slider_gives_whole_numbers_and_another_real_ones():
    assert isinstance(Slider("width", 1, 4, 1, 2).checked(np.int64(3)), int)
    assert isinstance(Slider("scale", 0.0, 4.0, 0.5, 1.0).checked(3), float)
    assert Slider("base", 1, 100, 0.1, 10, logarithmic=True).whole
    with pytest.raises(ValueError, match="whole number"):
        Slider("width", 1, 4, 1, 2).checked(2.5)


def test_a_playground_refuses_two_controls_of_one_name():
    with pytest.raises(ValueError, match="share a name"):
        Playground("A line", [Toggle("mask", True), Toggle("mask", False)], build_line)


def test_a_playground_names_the_controls_it_has(small_playground):
    with pytest.raises(TypeError, match="no control 'depth'; it has height"):
        small_playground.values(depth=3)
    assert small_playground.values() == {"height": 3}


def test_draw_is_pure(small_playground):
    at_start = style.draw(small_playground).png()
    moved = style.draw(small_playground, height=9)
    assert moved.text == "A line to 9."
    assert moved.png() != at_start == style.draw(small_playground).png()


# ── the lessons' playgrounds ────────────────────────────────────────────────────────────────────


def corners(playground: Playground):
    """Start values, then each control at its ends, the others at their start."""
    yield {}
    for control in playground.controls:
        if isinstance(control, Slider):
            yield from ({control.name: end} for end in (control.low, control.high))
        elif isinstance(control, Choice):
            yield from ({control.name: option} for option in control.options)
        elif isinstance(control, Toggle):
            yield {control.name: not control.value}


@pytest.mark.parametrize("playground", PLAYGROUNDS)
def test_each_playground_draws_at_the_ends_of_its_controls(playground):
    texts = set()
    for values in corners(playground):
        picture = style.draw(playground, **values)
        assert picture.text.endswith(".") and "nan" not in picture.text.lower()
        texts.add(picture.text)
    assert len(texts) > 1, "the line says the same whatever the controls do"


@pytest.mark.parametrize("playground", PLAYGROUNDS)
def test_moving_a_playground_gives_the_picture_that_drawing_it_gives(playground):
    """Kept artists remember nothing of where they were."""
    *_, last = corners(playground)
    figure = style.new_figure(*playground.size)
    update = playground.build(figure)
    for values in corners(playground):
        text = update(**playground.values(**values))
    straight = style.draw(playground, **last)
    assert text == straight.text
    assert np.array_equal(pixels(style.rendered(figure)), pixels(style.rendered(straight.figure)))


@pytest.mark.parametrize("playground", PLAYGROUNDS)
def test_nothing_in_a_playground_is_cut_at_the_edge(playground):
    picture = pixels(style.draw(playground).png())
    for side in (picture[:2], picture[-2:], picture[:, :2], picture[:, -2:]):
        assert (side == picture[0, 0]).all()


def test_each_lesson_that_is_written_has_a_playground():
    with_playground = {param.id.split(".")[0] for param in PLAYGROUNDS}
    for lesson in lessons.LESSONS:
        if lessons.challenges(lesson.number):
            assert f"lesson_{lesson.number:02d}" in with_playground


# ── lesson 6 ────────────────────────────────────────────────────────────────────────────────────


def test_the_line_of_lesson_6_says_the_row_and_the_angles():
    text = style.draw(lesson_06.seats, position=1, width=4).text
    assert "0.84, 0.54, 0.01, 1.00" in text
    assert "fastest pair has turned by 1.00 radians, its slowest by 0.01" in text


def test_the_two_layouts_hold_the_same_columns():
    picture = lesson_06.layouts(6)
    left, right = (axes.images[0].get_array() for axes in picture.figure.axes[:2])
    table = sinusoidal(64, 6)
    assert np.array_equal(left, table)
    assert np.array_equal(right, np.hstack([table[:, 0::2], table[:, 1::2]]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: lesson_06.table_heatmap(sinusoidal(64, 32)),
        lambda: lesson_06.rows_of(sinusoidal(64, 4), [0, 1, 2]),
        lambda: lesson_06.layouts(8),
        lambda: lesson_06.layouts(5),
    ],
)
def test_section_figures_are_pictures_with_a_line(make):
    picture = make()
    assert isinstance(picture, Picture)
    assert len(picture.text) > 40 and picture.text.endswith(".")
    assert picture.png() == make().png()
