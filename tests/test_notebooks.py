"""The notebooks of the course: fresh, without answers, and running to their end as shipped."""

from __future__ import annotations

import ast
import asyncio
import json
import re
import urllib.parse
from functools import cache
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from posenc import lessons
from posenc.authoring import editions, runs, sources
from posenc.learning.workspace import START_PAGE

ROOT = Path(__file__).resolve().parent.parent
PATHS = editions.source_paths(ROOT)
STEMS = [path.stem for path in PATHS]
ALL = [(folder, stem) for stem in STEMS for folder in editions.EDITIONS.values()]
FOR_LEARNERS = [(folder, stem) for folder, stem in ALL if folder != "solutions"]
PYPLOT_FIGURES = (
    "import sys\n"
    "pyplot = sys.modules.get('matplotlib.pyplot')\n"
    "print(pyplot.get_fignums() if pyplot else [])"
)
PRIVATE = re.compile(
    r"(?<![\w:/])/(?:home|tmp|root|Users|work|farm|opt|usr)/|[A-Z]:\\\\Users|localhost:\d"
)


@cache
def load(folder, stem):
    path = ROOT / folder / f"{stem}.ipynb"
    if not path.is_file():
        pytest.fail(f"{folder}/{stem}.ipynb is missing; posenc build writes it", pytrace=False)
    return nbformat.read(path, as_version=4)


@cache
def source(stem):
    return sources.read(ROOT / "solutions" / f"{stem}.py")


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def tagged(notebook, tag):
    return [cell for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


def test_there_are_lessons():
    assert PATHS


@pytest.mark.parametrize("stem", STEMS)
def test_editions_are_those_of_their_source(stem):
    """All but the outputs of a run, which nbval replays and `posenc build --check` compares."""
    assert editions.check(ROOT, [stem], run_again=False) == []


def test_no_notebook_stands_without_a_source():
    found = {
        p.stem for folder in editions.EDITIONS.values() for p in (ROOT / folder).glob("*.ipynb")
    }
    assert found == set(STEMS)


@pytest.mark.parametrize("stem", STEMS)
def test_stem_and_title_are_those_of_the_catalogue(stem):
    declared = lessons.lesson(source(stem).lesson)
    assert (declared.stem, declared.title) == (stem, source(stem).title)


@pytest.mark.parametrize("folder, stem", FOR_LEARNERS)
def test_a_learner_runs_it_to_its_end(folder, stem, tmp_path):
    """As shipped: no error, no stray warning, each check awake, no figure left in pyplot."""
    cells = code_cells(load(folder, stem))
    codes = [cell.source for cell in cells]
    try:
        ran = asyncio.run(runs.run_cells([*codes, PYPLOT_FIGURES], tmp_path, ROOT))
    except runs.CellFailed as failed:
        pytest.fail(f"{folder}/{stem}.ipynb: {failed.why} in:\n{codes[failed.place]}")
    assert [output["text"] for output in ran[-1][0]] == ["[]\n"]
    assert [o for outputs, _ in ran for o in outputs if o.get("name") == "stderr"] == []
    said = said_by_checks(cells, ran)
    assert len(said) == len(source(stem).challenges)
    assert [text for text in said if "not attempted" not in text.lower()] == []


def said_by_checks(cells, ran):
    """What the check cells of a run gave, as one text each."""
    return [
        json.dumps(outputs)
        for cell, (outputs, _) in zip(cells, ran, strict=False)
        if "check" in cell.metadata.get("tags", [])
    ]


@pytest.mark.parametrize("stem", STEMS)
def test_exercises_are_solved_by_the_answers(stem, tmp_path):
    """With the author's answers the exercise passes, alone: nothing it needs is missing."""
    answers = {
        c.challenge: sources.answered(c.text) for c in source(stem).cells if "challenge" in c.tags
    }
    cells = code_cells(load("exercises", stem))
    codes = [
        answers[c.metadata.posenc.challenge]
        if "challenge" in c.metadata.get("tags", [])
        else c.source
        for c in cells
    ]
    ran = asyncio.run(runs.run_cells(codes, tmp_path, ROOT))
    said = said_by_checks(cells, ran)
    assert len(said) == len(answers)
    assert [text for text in said if "passed" not in text.lower()] == []


@pytest.mark.parametrize("folder, stem", ALL)
def test_no_cell_has_a_magic(folder, stem):
    """nbval passes an unknown magic and leaves the rest of its cell out; so there is none."""
    for cell in code_cells(load(folder, stem)):
        ast.parse(cell.source)
        assert TransformerManager().transform_cell(cell.source) == cell.source + "\n"
        assert "get_ipython" not in cell.source


@pytest.mark.parametrize("folder, stem", ALL)
def test_outputs_are_fit_to_be_kept(folder, stem):
    """No errors, no warnings, nothing of one machine or one moment, no silenced cells."""
    for cell in code_cells(load(folder, stem)):
        for output in cell.outputs:
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", cell.source
            text = json.dumps(without_pictures(output))
            assert not runs.UNSTABLE.search(text), cell.source
            assert not PRIVATE.search(text), cell.source
        assert not cell.source.rstrip().endswith(";"), cell.source
    about = json.dumps(load(folder, stem).metadata)
    assert not PRIVATE.search(about)


def without_pictures(output):
    kept = dict(output)
    if "data" in kept:
        kept["data"] = {k: v for k, v in kept["data"].items() if not k.startswith("image/")}
    return kept


@pytest.mark.parametrize("stem", STEMS)
def test_instructor_edition_was_run_from_top_to_bottom(stem):
    """nbval compares no cell without a count, and `raises-exception` would pass anything."""
    shown = [
        c for c in enumerate(code_cells(load("solutions", stem)), 1) if c[1].source != "progress()"
    ]
    assert [cell.execution_count for _, cell in shown] == [number for number, _ in shown]
    assert tagged(load("solutions", stem), "raises-exception") == []
    assert tagged(load("solutions", stem), "nbval-skip") == []


@pytest.mark.parametrize("stem", STEMS)
def test_what_is_displayed_can_be_replayed(stem):
    """Display updates, cleared outputs and Output widgets fail or slip through nbval."""
    for cell in code_cells(load("solutions", stem)):
        assert not re.search(
            r"\binteract\b|clear_output|widgets\.Output|update_display", cell.source
        )
        for output in cell.outputs:
            assert "transient" not in output


@pytest.mark.parametrize("stem", STEMS)
def test_pictures_come_with_a_line_of_text(stem):
    for cell in code_cells(load("solutions", stem)):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                line = output.data.get("text/plain", "")
                assert len(line) > 40 and not line.startswith("<"), cell.source


@pytest.mark.parametrize("stem", STEMS)
def test_exercises_hold_no_outputs(stem):
    for cell in code_cells(load("exercises", stem)):
        assert (cell.outputs, cell.execution_count) == ([], None)


@pytest.mark.parametrize("stem", STEMS)
def test_learner_edition_shows_the_lesson_and_hides_the_challenges(stem):
    notebook = load("notebooks", stem)
    open_cells = [
        c for tag in ("challenge", "check", "uses-challenge") for c in tagged(notebook, tag)
    ]
    assert open_cells
    for cell in open_cells:
        assert (cell.outputs, cell.execution_count) == ([], None)
    assert any(cell.outputs for cell in code_cells(notebook))


@pytest.mark.parametrize("folder, stem", FOR_LEARNERS)
def test_learners_get_no_answers(folder, stem):
    whole = (ROOT / folder / f"{stem}.ipynb").read_text(encoding="utf-8")
    for marker in ("BEGIN SOLUTION", "END SOLUTION", "### STUB"):
        assert marker not in whole
    notebook = load(folder, stem)
    assert tagged(notebook, "instructor") == []
    everything = squeezed("\n".join(cell.source for cell in notebook.cells))
    answers = [c.text for c in source(stem).cells if "challenge" in c.tags]
    regions = [
        r for a in answers for r in re.findall(r"(?s)BEGIN SOLUTION\n(.*?)\n[ \t]*### END", a)
    ]
    assert len(regions) >= len(answers)
    assert [region for region in regions if squeezed(region) in everything] == []


def squeezed(text):
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("folder, stem", FOR_LEARNERS)
def test_every_line_of_a_stub_stands_in_the_solution(folder, stem):
    """What the learner is given to start from is part of what the author ends with."""
    solved = {c.challenge: c.text for c in source(stem).cells if "challenge" in c.tags}
    stubs = tagged(load(folder, stem), "challenge")
    assert [c.metadata.posenc.challenge for c in stubs] == list(solved)
    for cell in stubs:
        told = re.sub(r"### STUB: ", "# ", solved[cell.metadata.posenc.challenge]).split("\n")
        for line in cell.source.split("\n"):
            assert line in told or line.strip() in ("return ...", "..."), line
        assert "..." in cell.source


@pytest.mark.parametrize("stem", STEMS)
def test_exercise_checks_carry_their_points_for_nbgrader(stem):
    notebook = load("exercises", stem)
    marked = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    assert marked == tagged(notebook, "check")
    for cell in marked:
        name, about = cell.metadata.posenc.challenge, cell.metadata.nbgrader
        assert about.points == lessons.challenge(name).points
        assert about.grade_id == f"check-{name.replace('.', '-')}"
        assert (about.grade, about.locked, about.solution, about.task) == (True, True, False, False)


@pytest.mark.parametrize("folder, stem", ALL)
def test_headings_are_in_order(folder, stem):
    """One title, and no level is left out on the way down."""
    levels = [
        level
        for cell in load(folder, stem).cells
        if cell.cell_type == "markdown"
        for level, _, _ in sources.headings(cell.source)
    ]
    assert levels.count(1) == 1 and levels[0] == 1
    for above, below in zip(levels, levels[1:], strict=False):
        assert below <= above + 1, levels


@pytest.mark.parametrize("folder, stem", ALL)
def test_links_lead_somewhere(folder, stem):
    for target in links(load(folder, stem)):
        if re.match(r"(https?|mailto):", target):
            continue
        name, _, anchor = urllib.parse.unquote(target).partition("#")
        path = ROOT / folder / name if name else ROOT / folder / f"{stem}.ipynb"
        assert path.is_file(), f"{folder}/{stem}.ipynb: dead link {target}"
        if anchor:
            assert anchor in anchors(path), f"{folder}/{stem}.ipynb: dead anchor {target}"


def links(notebook):
    """The targets of all links in the Markdown cells of a notebook."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            yield from re.findall(r"\]\(<?([^)\s>]+)>?\)", cell.source)
            yield from re.findall(r"(?:href|src)=[\"']([^\"']+)", cell.source)


def anchors(path):
    """The names by which JupyterLab finds the headings of a notebook or a Markdown file."""
    if path.suffix == ".ipynb":
        texts = [c.source for c in nbformat.read(path, 4).cells if c.cell_type == "markdown"]
    else:
        texts = [path.read_text(encoding="utf-8")]
    return {title.replace(" ", "-") for text in texts for _, title, _ in sources.headings(text)}


@pytest.mark.parametrize("stem", STEMS)
def test_a_lesson_in_the_working_folder_links_to_what_is_there(stem):
    """Learners have notebooks/ and the start page in one folder, and nothing beside it."""
    for target in links(load("notebooks", stem)):
        if not re.match(r"(https?|mailto):|#", target):
            assert "/" not in target, f"{target} leads out of the working folder"


def test_start_page_lists_every_lesson():
    page = (ROOT / "notebooks" / START_PAGE).read_text(encoding="utf-8")
    for stem in STEMS:
        about = load("notebooks", stem).metadata.posenc
        assert f"[{about.title}]({stem}.ipynb) | {about.minutes} |" in page
