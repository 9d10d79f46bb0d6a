"""The machinery that makes three notebooks of a source, on small sources made here."""

from __future__ import annotations

import json
import types

import nbformat
import pytest
from typer.testing import CliRunner

from posenc import errors
from posenc.authoring import editions, runs, sources
from posenc.authoring.differences import differences
from posenc.cli import app
from posenc.learning import names

LESSON = '''\
# %% [markdown]
# # Lesson 3 · Marks on a line
#
# What is lost when marks have no numbers.

# %%
import numpy as np

def check(name, answer):
    print(name, "passed" if answer(2) == 4 else "not attempted")

def ask(name):
    print("question", name)

def progress():
    print("1 of 1 passed")

# %% [markdown] section="first-marks" minutes=4
# ## First marks
#
# Five words stand here $a+b$ and `x`.

# %%
# copy of nothing
marks = np.arange(3)
marks

# %%
ask("3.q1")

# %% [markdown] tags=["instructor"]
# **Ask the room.** What is the first mark?

# %% tags=["given"]
def half(x):
    return x / 2

# %%
view = {"model_id": __import__("uuid").uuid4().hex, "version_major": 2, "version_minor": 0}
display({"text/plain": "x", "application/vnd.jupyter.widget-view+json": view}, raw=True)

# %% [markdown]
# ## Challenges

# %% [markdown] tags=["challenge-text"] challenge="3.1"
# 1. Return twice x.

# %% tags=["challenge"] challenge="3.1"
def twice(x):
    """Twice x."""
    ### STUB: x, two times
    ### BEGIN SOLUTION
    return 4 * half(x)
    ### END SOLUTION

# %% tags=["uses-challenge"]
print(twice(3))

# %%
progress()

# %% [markdown]
# ## Recap
#
# Marks have numbers.
'''

MISTAKES = (
    types.SimpleNamespace(looks_like="x is taken once", think="How often is twice?", section=""),
    types.SimpleNamespace(looks_like="x is squared", think="Try 3.", section="recap"),
)
CATALOGUE = editions.Catalogue(
    challenge=lambda name: types.SimpleNamespace(
        id=name,
        name="twice",
        title="Twice",
        points=10,
        minutes=7,
        difficulty=1,
        section="first-marks",
        misconceptions=MISTAKES,
    ),
    question=lambda name: types.SimpleNamespace(minutes=1.5),
)


def read(course):
    """The lesson of a course made here."""
    return sources.read(course / "solutions" / "03_marks.py", CATALOGUE.challenge)


@pytest.fixture
def real(tmp_path):
    """A course of one lesson."""
    (tmp_path / "solutions").mkdir()
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").touch()
    write(tmp_path, LESSON)
    return tmp_path


@pytest.fixture
def root(real, built, monkeypatch):
    """A course of one lesson, whose cells give what they gave in `built`, without a kernel."""
    ran = runs.kept_run(read(built), built)
    known = dict(zip(codes(read(built)), ran.cells, strict=True))

    async def recall(source, root):
        return runs.Run(tuple(known.get(code, ([], None)) for code in codes(source)), 1.0)

    monkeypatch.setattr(runs, "run_lesson", recall)
    return real


VIEW = {runs.WIDGET_VIEW: {"model_id": "0" * 32, "version_major": 2, "version_minor": 0}}
# What three cells gave: a playground, a question, and a widget that holds nothing to read.
PANELS = [
    [
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "data": {"image/png": "aWNvbg==", "text/plain": "A dot at 3."} | VIEW,
            "metadata": {"image/png": {"alt": "A dot at 3.", "width": 900}},
        }
    ],
    [
        {
            "output_type": "execute_result",
            "execution_count": 2,
            "data": {"text/html": "<details>", "text/plain": "Question"} | VIEW,
            "metadata": {},
        }
    ],
    [
        {
            "output_type": "execute_result",
            "execution_count": 3,
            "data": {"text/plain": "IntSlider()"} | VIEW,
            "metadata": {},
        }
    ],
]


def cells_of_editions(root, outputs):
    """The code cells of the instructor's and the learner's edition of a lesson whose cells gave
    these outputs, without a run."""
    cells = [f"# %%\nprint({number})" for number in range(len(outputs))]
    path = write(root, "\n\n".join(["# %% [markdown]\n# # Marks", *cells]) + "\n")
    ran = [(given, number) for number, given in enumerate(outputs, 1)]
    made = editions.editions(
        sources.read(path, CATALOGUE.challenge), runs.Run(tuple(ran)), [path], CATALOGUE
    )
    return [
        [cell for cell in made[edition].cells if cell.cell_type == "code"]
        for edition in ("instructor", "learner")
    ]


def codes(source):
    return [cell.text for cell in source.cells if cell.kind == "code"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The course of one lesson, built once; to look at, not to change."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "solutions").mkdir()
    (folder / "pyproject.toml").touch()
    write(folder, LESSON)
    build(folder)
    return folder


def write(folder, text, name="03_marks.py"):
    path = folder / "solutions" / name
    path.write_text(text, encoding="utf-8")
    return path


def build(folder, **options):
    told = []
    options = {"catalogue": CATALOGUE, "tell": told.append, "jobs": 1} | options
    written = editions.build(folder, **options)
    return told, [path.relative_to(folder).as_posix() for path in written]


def check(folder, **options):
    return editions.check(folder, **{"catalogue": CATALOGUE, "jobs": 1} | options)


def load(folder, edition):
    return nbformat.read(folder / editions.EDITIONS[edition] / "03_marks.ipynb", as_version=4)


def cell(notebook, start):
    found = [c for c in notebook.cells if c.source.startswith(start)]
    assert len(found) == 1, f"{len(found)} cells start with {start!r}"
    return found[0]


def texts(notebook):
    return "\n".join(c.source for c in notebook.cells)


# ── what stands in the editions ─────────────────────────────────────────────────────────────────


def test_three_notebooks_and_a_start_page_are_written(built):
    names = sorted(p.relative_to(built).as_posix() for p in built.rglob("*.ipynb"))
    assert names == [
        "exercises/03_marks.ipynb",
        "notebooks/03_marks.ipynb",
        "solutions/03_marks.ipynb",
    ]
    assert "[Marks on a line](03_marks.ipynb)" in (built / "notebooks" / "Start.md").read_text()


@pytest.mark.parametrize("edition, minutes", [("instructor", 13), ("learner", 13), ("exercise", 7)])
def test_metadata_name_the_lesson(built, edition, minutes):
    notebook = load(built, edition)
    source = read(built)
    assert notebook.metadata.posenc == {
        "lesson": 3,
        "title": "Marks on a line",
        "version": editions.__version__,
        "edition": edition,
        "source": "03_marks.py",
        "sha256": source.sha256,
        "minutes": minutes,
    }
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata) == {"kernelspec", "language_info", "posenc"}
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)


def test_instructor_edition_holds_the_answer_and_what_it_gives(built):
    notebook = load(built, "instructor")
    answer = cell(notebook, "def twice")
    assert answer.source == 'def twice(x):\n    """Twice x."""\n    return 4 * half(x)'
    assert cell(notebook, 'check("3.1"').outputs[0].text == "3.1 passed\n"
    assert cell(notebook, "**Ask the room.**").metadata.tags == ["instructor"]
    counts = [c.execution_count for c in notebook.cells if c.cell_type == "code"]
    assert counts == [*range(1, len(counts)), None]
    assert cell(notebook, "progress()").outputs == []
    for word in ("BEGIN", "END SOLUTION", "STUB"):
        assert word not in texts(notebook)


def test_instructor_edition_says_how_long_a_section_takes_and_what_fails_in_a_challenge(
    root,
):
    opens = '# %% [markdown] section="first-marks"'
    before = '# %% [markdown] tags=["instructor"]\n# **Ask first.** What is a mark?\n\n'
    write(root, LESSON.replace(opens, before + opens))
    build(root)
    notebook = load(root, "instructor")
    texts = [each.source for each in notebook.cells]
    heading = next(n for n, text in enumerate(texts) if text.startswith("## First marks"))
    assert texts[heading - 1] == "**Next, 4 minutes.**\n\n**Ask first.** What is a mark?"
    check = next(n for n, text in enumerate(texts) if text.startswith("check("))
    note = notebook.cells[check + 1]
    assert note.metadata == {"tags": ["instructor"], "posenc": {"challenge": "3.1"}}
    assert "show *First marks*" in note.source
    assert note.source.endswith(
        "- *It looks as if x is taken once.* How often is twice?\n"
        "- *It looks as if x is squared.* Try 3. "
        "(Show *Recap*.)"
    )


def test_learner_edition_keeps_outputs_and_opens_challenges(built):
    notebook = load(built, "learner")
    assert cell(notebook, "# copy of nothing").outputs[0].data["text/plain"] == "array([0, 1, 2])"
    stub = cell(notebook, "def twice")
    assert stub.source == 'def twice(x):\n    """Twice x."""\n    # x, two times\n    return ...'
    for start in ("def twice", 'check("3.1"', "print(twice", "progress()"):
        assert cell(notebook, start).outputs == []
        assert cell(notebook, start).execution_count is None
    assert "Ask the room" not in texts(notebook)
    assert "4 * half" not in texts(notebook)


def test_learner_edition_is_readable_before_the_first_run(root):
    """Picture and line of a playground and folded answers stay; the widgets of a kernel do not."""
    instructor, learner = cells_of_editions(root, PANELS)
    playground, question, own = learner
    picture, caption = (output["data"] for output in playground.outputs)
    assert picture == {"image/png": "aWNvbg==", "text/plain": "A dot at 3."}
    assert playground.outputs[0].metadata == {"image/png": {"alt": "A dot at 3.", "width": 900}}
    assert caption["text/plain"] == "A dot at 3. Run this cell to move it."
    assert "A dot at 3." in caption["text/html"] and "Run this cell" in caption["text/html"]
    assert question.outputs[0].data == {"text/html": "<details>", "text/plain": "Question"}
    assert playground.execution_count == 1
    # What the learner's edition lacks, nbval compares in the instructor's.
    assert [cell.outputs for cell in instructor] == PANELS
    assert own.outputs == PANELS[2]


def test_lessons_link_to_the_table_of_symbols(root):
    (root / "docs").mkdir()
    (root / "docs" / "symbols.md").write_text("# Symbols\n", encoding="utf-8")
    build(root)
    line = "[All lessons](Start.md) | [Symbols](Symbols.md)"
    assert load(root, "learner").cells[0].source.startswith(line + "\n\n")
    assert load(root, "instructor").cells[-1].source == "---\n\n[Symbols](../docs/symbols.md)"
    page = root / "notebooks" / "Symbols.md"
    assert page.read_text(encoding="utf-8") == "# Symbols\n"
    assert "[Symbols](Symbols.md)" in (root / "notebooks" / "Start.md").read_text(encoding="utf-8")
    assert check(root) == []
    page.write_text("# Letters\n", encoding="utf-8")
    found = check(root)
    assert len(found) == 1 and "notebooks/Symbols.md: differs" in found[0]


def test_exercise_is_self_contained_and_empty(built):
    notebook = load(built, "exercise")
    starts = [c.source.partition("\n")[0] for c in notebook.cells]
    assert starts == [
        "# Lesson 3 · Marks on a line: challenges",
        editions.IMPORTS.partition("\n")[0],
        "def half(x):",
        "## Challenges",
        "### 3.1 · Twice",
        "def twice(x):",
        'check("3.1", twice)',
    ]
    assert "1 challenges" not in texts(notebook)
    for each in notebook.cells:
        if each.cell_type == "code":
            assert each.outputs == [] and each.execution_count is None


def test_exercise_checks_are_nbgrader_tests_and_nothing_else_is(built):
    notebook = load(built, "exercise")
    marked = [c for c in notebook.cells if "nbgrader" in c.metadata]
    assert [c.source.partition("\n")[0] for c in marked] == ['check("3.1", twice)']
    assert marked[0].metadata.nbgrader == {
        "grade": True,
        "grade_id": "check-3-1",
        "locked": True,
        "points": 10,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }
    for edition in ("instructor", "learner"):
        assert not [c for c in load(built, edition).cells if "nbgrader" in c.metadata]


def test_metadata_of_cells_come_through(built):
    for edition in ("instructor", "learner"):
        notebook = load(built, edition)
        assert cell(notebook, "## First marks").metadata == {
            "posenc": {"section": "first-marks", "minutes": 4}
        }
        assert cell(notebook, "def twice").metadata == {
            "tags": ["challenge"],
            "posenc": {"challenge": "3.1"},
        }
        assert cell(notebook, "# copy of nothing").metadata == {}


def test_a_cell_keeps_its_id_in_all_editions(built):
    ids = [{cell(load(built, edition), "def twice").id} for edition in editions.EDITIONS]
    assert set.union(*ids) == ids[0]


def test_same_cells_get_different_ids(root):
    write(root, LESSON + "\n# %% [markdown]\n# Again.\n\n# %% [markdown]\n# Again.\n")
    build(root)
    ids = [c.id for c in load(root, "learner").cells]
    assert len(ids) == len(set(ids))


def test_links_lead_to_the_neighbours_that_exist(root):
    for name in ("01_before.py", "04_after.py", "09_far.py"):
        write(root, f"# %% [markdown]\n# # {name[3:-3].title()}\n", name)
    build(root, wanted=["3"])
    learner, instructor = load(root, "learner"), load(root, "instructor")
    line = (
        "[← 1 · Before](01_before.ipynb) | [All lessons](Start.md) | [4 · After →](04_after.ipynb)"
    )
    assert learner.cells[0].source.startswith(line + "\n\nLesson 3 · about 13 minutes: ")
    assert learner.cells[-1].source == "---\n\n" + line
    assert instructor.cells[-1].source == (
        "---\n\n[← 1 · Before](01_before.ipynb) | [4 · After →](04_after.ipynb)"
    )


def test_links_to_lessons_that_are_not_there_are_plain_words(root):
    text = "# So, see [lesson 5](05_clocks.ipynb#Hands) and [lesson 1](01_before.ipynb)."
    write(root, LESSON.replace("# Marks have numbers.", text))
    build(root)
    assert cell(load(root, "learner"), "## Recap").source.endswith("see lesson 5 and lesson 1.")
    write(root, "# %% [markdown]\n# # Before\n", "01_before.py")
    told, _ = build(root, wanted=["1"])
    assert told[-1] == "no longer what their sources give: 03_marks; posenc build mends them"
    told, _ = build(root)
    assert cell(load(root, "instructor"), "## Recap").source.endswith(
        "see lesson 5 and [lesson 1](01_before.ipynb)."
    )
    assert "no longer" not in told[-1]


# ── the same bytes, and what a change costs ─────────────────────────────────────────────────────


def test_a_second_run_gives_the_same_bytes(built, tmp_path):
    (tmp_path / "solutions").mkdir()
    write(tmp_path, LESSON)
    build(tmp_path)
    for folder in editions.EDITIONS.values():
        one = (built / folder / "03_marks.ipynb").read_bytes()
        assert one == (tmp_path / folder / "03_marks.ipynb").read_bytes()
        assert b"\r" not in one and one.endswith(b"}\n")


def test_nothing_is_run_or_written_twice(root, monkeypatch):
    told, written = build(root)
    assert len(written) == 4 and "run in" in told[0]
    monkeypatch.setattr(runs, "run_lesson", refuse)
    told, written = build(root)
    assert written == [] and "kept run" in told[0]
    write(root, LESSON.replace("What is lost", "What goes away"))
    told, written = build(root)
    assert len(written) == 3 and "kept run" in told[0]
    assert cell(load(root, "learner"), "# copy").outputs


async def refuse(source, root):
    raise AssertionError("the lesson was run")


@pytest.mark.parametrize("change", ["code", "package", "version", "force", "damage"])
def test_a_kept_run_is_not_trusted_after_a_change(root, monkeypatch, change):
    (root / "posenc").mkdir()
    (root / "posenc" / "classroom.py").write_text("a = 1")
    build(root)
    monkeypatch.setattr(runs, "run_lesson", refuse)
    build(root)
    if change == "code":
        write(root, LESSON.replace("np.arange(3)", "np.arange(4)"))
    elif change == "package":
        (root / "posenc" / "classroom.py").write_text("a = 2")
    elif change == "version":
        monkeypatch.setattr(runs.importlib.metadata, "version", lambda name: "0")
    elif change == "damage":
        (root / "build" / "editions" / "03_marks.json").write_text('{"key": 1')
    with pytest.raises(AssertionError, match="was run"):
        build(root, force=change == "force")


def test_a_failed_write_leaves_the_old_notebook(root, monkeypatch):
    build(root)
    path = root / "solutions" / "03_marks.ipynb"
    before = path.read_bytes()
    write(root, LESSON.replace("What is lost", "What goes away"))
    monkeypatch.setattr(
        "posenc.files.os.replace", lambda *a: (_ for _ in ()).throw(OSError("full"))
    )
    with pytest.raises(OSError, match="full"):
        build(root)
    assert path.read_bytes() == before
    assert not list(root.rglob("*.part"))


# ── check ───────────────────────────────────────────────────────────────────────────────────────


def test_check_is_content_after_a_build_and_runs_the_lesson(root, monkeypatch):
    build(root)
    assert check(root) == []
    assert check(root, run_again=False) == []
    monkeypatch.setattr(runs, "run_lesson", refuse)
    assert check(root, run_again=False) == []
    with pytest.raises(AssertionError, match="was run"):
        check(root)


def change_source(notebook):
    cell(notebook, "# copy of nothing").source += "\nmarks = None"


def change_output(notebook):
    cell(notebook, "# copy of nothing").outputs[0].data["text/plain"] = "array([7, 1, 2])"


def change_metadata(notebook):
    cell(notebook, "## First marks").metadata.posenc.minutes = 5


def change_hash(notebook):
    notebook.metadata.posenc.sha256 = "0" * 64


def change_count(notebook):
    cell(notebook, "# copy of nothing").execution_count = 30


def drop_cell(notebook):
    notebook.cells.remove(cell(notebook, "# copy of nothing"))


def add_cell(notebook):
    notebook.cells.insert(3, nbformat.v4.new_markdown_cell("Extra words"))


def drop_widget(notebook):
    for each in notebook.cells:
        for output in each.get("outputs", []):
            output.get("data", {}).pop(runs.WIDGET_VIEW, None)


@pytest.mark.parametrize(
    "change, says",
    [
        (change_source, ["cell 5 ('# copy of nothing'): source differs", "-marks = None"]),
        (change_output, ["cell 5", "outputs differs", "-", "array([7, 1, 2])", "array([0, 1, 2])"]),
        (change_metadata, ["cell 4 ('## First marks'): metadata differs", '-  "minutes": 5']),
        (change_hash, ["metadata differs", "0" * 64]),
        (change_count, ["cell 5", "execution_count differs", "-30"]),
        (drop_cell, ["a cell is missing before cell 5", "# copy of nothing"]),
        (add_cell, ["cell 4 ('Extra words'): stands in no source"]),
        (drop_widget, ["outputs differs", "model_id"]),
    ],
)
@pytest.mark.parametrize("edition", ["instructor", "learner"])
def test_check_names_what_differs(built, tmp_path, edition, change, says):
    notebook = load(built, edition)
    made = nbformat.from_dict(json.loads(json.dumps(notebook)))
    change(notebook)
    path = tmp_path / editions.EDITIONS[edition] / "03_marks.ipynb"
    path.parent.mkdir()
    nbformat.write(notebook, path)
    found = editions._against_file(path, made)
    assert len(found) == 1, found
    assert found[0].startswith(f"{editions.EDITIONS[edition]}/03_marks.ipynb")
    for part in says:
        assert part in found[0]
    assert len(found[0].splitlines()) <= 14


def test_check_takes_pictures_as_one(built):
    notebook = load(built, "learner")
    other = nbformat.from_dict(json.loads(json.dumps(notebook)))
    for each, bytes_ in ((notebook, "AAAA"), (other, "BBBB")):
        cell(each, "# copy of nothing").outputs[0].data["image/png"] = bytes_
    assert differences("x", notebook, other) == []
    del cell(other, "# copy of nothing").outputs[0].data["image/png"]
    assert "(picture)" in differences("x", notebook, other)[0]


def test_check_tells_a_changed_source_a_missing_and_a_stray_notebook(real):
    build(real)
    write(real, LESSON.replace("np.arange(3)", "np.arange(4)"))
    (real / "exercises" / "03_marks.ipynb").unlink()
    (real / "notebooks" / "13_extra.ipynb").write_text(
        (real / "notebooks" / "03_marks.ipynb").read_text()
    )
    for again in (True, False):
        found = "\n".join(check(real, run_again=again))
        assert "+marks = np.arange(4)" in found
        assert "exercises/03_marks.ipynb: missing" in found
        assert "notebooks/13_extra.ipynb: no source in solutions/ gives this notebook" in found
        assert "sha256" in found
    assert "array([0, 1, 2, 3])" in "\n".join(check(real))


def test_check_reads_a_notebook_that_is_none(root):
    build(root)
    for content in ("{", "[]", '{"cells": 3}', "\0", ""):
        (root / "exercises" / "03_marks.ipynb").write_text(content)
        assert check(root, run_again=False) == ["exercises/03_marks.ipynb: not a readable notebook"]


# ── a lesson that fails ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "code, says",
    [
        ("marks = 1\nmarks / 0", ["ZeroDivisionError: division by zero (line 26)"]),
        ("import os\nos._exit(3)", ["ended the kernel"]),
        ("raise SystemExit(3)", ["SystemExit"]),
        ("print(object())", ["'at 0x"]),
        ("marks.later = 1 if (lambda: nowhere)() else 0", ["NameError: name 'nowhere'"]),
    ],
)
def test_a_failing_cell_is_named(real, code, says):
    if "nowhere" in code:
        code = "nowhere = 1\ndel nowhere\n" + code
    write(real, LESSON.replace("marks = np.arange(3)\nmarks", code))
    line = LESSON.split("\n").index("# copy of nothing")
    with pytest.raises(editions.EditionError) as failed:
        build(real)
    assert str(failed.value).startswith(
        f"solutions/03_marks.py:{line}: the cell that starts with '# copy of nothing': "
    )
    for part in says:
        assert part in str(failed.value)
    assert not (real / "solutions" / "03_marks.ipynb").exists()


def test_an_endless_cell_is_stopped(real, monkeypatch):
    monkeypatch.setattr(runs, "SECONDS_PER_CELL", 1)
    write(real, LESSON.replace("marks = np.arange(3)", "while True: pass"))
    with pytest.raises(editions.EditionError, match="still running after 1 s"):
        build(real)


def test_the_others_are_built_when_one_fails(real):
    write(real, "# %% [markdown]\n# # Broken\n\n# %%\n1 / 0\n", "01_broken.py")
    write(real, "# %% [markdown]\n# # Worse\n\n# %%\n1 +\n", "02_worse.py")
    with pytest.raises(editions.EditionError) as failed:
        build(real, jobs=2)
    first, second = str(failed.value).splitlines()
    assert "solutions/01_broken.py:4" in first and "ZeroDivisionError" in first
    assert "solutions/02_worse.py:5: SyntaxError: invalid syntax" in second
    assert (real / "solutions" / "03_marks.ipynb").exists()


def test_kernels_are_gone_afterwards(real):
    psutil = pytest.importorskip("psutil")
    build(real)
    write(real, LESSON.replace("marks = np.arange(3)", "1 / 0"))
    with pytest.raises(editions.EditionError):
        build(real)
    left = [p.cmdline() for p in psutil.Process().children(recursive=True)]
    assert not [line for line in left if "ipykernel_launcher" in " ".join(line)]


# ── names that an edition would miss ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "old, new, says",
    [
        ('# %% tags=["given"]', "# %%", "'half' is not defined in the exercise; tag"),
        ('# %% tags=["uses-challenge"]', "# %%", "'twice' depends on a challenge; tag"),
        (
            "\n# %%\nask(",
            '\n# %% tags=["instructor"]\nhidden = 1\n\n# %%\nprint(hidden)\nask(',
            "'hidden' is not defined for the learner",
        ),
        (
            "    return x / 2",
            "    from posenc.encodings import rotate\n    return x / 2",
            "an exercise needs NumPy only",
        ),
        ("4 * half(x)", "4 * half(x) + later()", "'later' is not defined"),
    ],
)
def test_an_edition_must_define_what_it_uses(root, old, new, says):
    assert old in LESSON
    source = sources.read(write(root, LESSON.replace(old, new)), CATALOGUE.challenge)
    run = runs.Run(tuple(([], None) for c in source.cells if c.kind == "code"))
    with pytest.raises(editions.EditionError, match=says.replace("(", r"\(")):
        editions.editions(source, run, (), CATALOGUE)


def test_names_inside_functions_may_come_later():
    assert (
        names.unbound(["def f(x):\n    return g(x) + [y for y in x]", "def g(x): return x"]) == []
    )
    assert names.unbound(["def f(x):\n    return g(x)"]) == [(0, "g")]
    assert names.unbound(["print(a)", "a = 1"]) == [(0, "a")]
    assert names.unbound(["class C:\n    def f(self):\n        return C, display"]) == []


def test_an_undeclared_challenge_is_told(root):
    def nothing(name):
        raise KeyError(name)

    with pytest.raises(editions.EditionError, match="3.1 is not declared in posenc.lessons"):
        build(root, catalogue=editions.Catalogue(nothing, CATALOGUE.question))


# ── reading a source ────────────────────────────────────────────────────────────────────────────


def test_a_comment_that_looks_like_a_command_stays_a_comment(built):
    assert "# copy of nothing" in texts(load(built, "learner"))


@pytest.mark.parametrize(
    "old, new, says",
    [
        ('section="first-marks" minutes=4', 'sections="first-marks"', "the marker says sections="),
        ('tags=["given"]', 'tags=["givn"]', "they are a list of"),
        ('tags=["given"]', 'tags="given"', "'given' is not of type"),
        ("minutes=4", "minutes=0", "a number above 0"),
        ("minutes=4", 'minutes="4"', "a number above 0"),
        ('section="first-marks"', 'section="First marks"', "lower-case-with-hyphens"),
        ('section="first-marks" minutes=4', "", "come together"),
        ("# ## First marks", "# ### First marks", "come together"),
        ("# ## Recap", "# ## Recap\n#\n# ## More", "come together"),
        ("# Marks have numbers.", "# # Another title", "the title, and no other"),
        ("# ## Recap", "# ## Challenges", "is there twice"),
        ("# **Ask the room.**", "# ## Ask", "an instructor's cell opens no section"),
        ('tags=["challenge"] challenge="3.1"', 'tags=["challenge"]', "come together"),
        ('tags=["challenge"] challenge="3.1"', 'tags=["challenge"] challenge=3.1', "is written"),
        ('tags=["uses-challenge"]', 'tags=["check"] challenge="3.1"', "they are a list of"),
        ("# 1. Return twice x.", "# ### Twice\n#\n# 1. Return 2x.", "come from posenc.lessons"),
        ('tags=["challenge-text"] challenge="3.1"', "", "in this order"),
        (
            'tags=["challenge-text"] challenge="3.1"',
            'tags=["challenge-text"] challenge="4.1"',
            "not of this lesson",
        ),
        ("    ### END SOLUTION\n", "", "without its END"),
        ("    ### BEGIN SOLUTION\n", "", "STUB stands directly above|without a BEGIN"),
        ("### BEGIN SOLUTION", "## BEGIN SOLUTION", "nearly a marker"),
        ("### END SOLUTION", "### END  SOLUTION", "nearly a marker"),
        ("    return 4 * half(x)\n", "", "the solution is empty"),
        ("### STUB: x, two times", "### STUB", "nearly a marker"),
        (
            "    ### BEGIN SOLUTION\n",
            "    y = 1\n    ### BEGIN SOLUTION\n",
            "STUB stands directly above",
        ),
        (
            "marks = np.arange(3)",
            "### BEGIN SOLUTION\nmarks = 1\n### END SOLUTION",
            "outside a challenge",
        ),
        ("marks = np.arange(3)", "marks = np.arange(3", "SyntaxError"),
        ("# copy of nothing", "# %matplotlib inline", "no magics"),
        ("# copy of nothing", "%matplotlib inline", "no magics"),
        ("# copy of nothing", "!ls", "no magics"),
        ("# copy of nothing", "# %%timeit", "cell marker|no magics|marker says"),
        ("# copy of nothing\nmarks = np.arange(3)\nmarks", "", "the cell is empty"),
        ("# %% [markdown]\n# # Lesson", "# # Lesson", "cell marker|title"),
        ("# # Lesson 3 · Marks on a line", "# Marks on a line", "holds the title"),
        ("def twice(x):\n", "class Twice:\n", "inside a function|SyntaxError"),
    ],
)
def test_a_broken_rule_names_file_and_line(root, old, new, says):
    assert LESSON.count(old) >= 1
    path = write(root, LESSON.replace(old, new, 1))
    with pytest.raises(sources.SourceError, match=says) as broken:
        sources.read(path, CATALOGUE.challenge)
    assert str(broken.value).startswith("solutions/03_marks.py")


def test_a_syntax_error_names_its_own_line(root):
    path = write(root, LESSON.replace("marks = np.arange(3)", "marks = = 3"))
    line = LESSON.split("\n").index("marks = np.arange(3)") + 1
    with pytest.raises(sources.SourceError, match=f"solutions/03_marks.py:{line}: SyntaxError"):
        sources.read(path, CATALOGUE.challenge)


def test_line_ends_do_not_change_the_hash(root):
    path = write(root, LESSON)
    one = sources.read(path, CATALOGUE.challenge)
    path.write_bytes(LESSON.replace("\n", "\r\n").encode())
    assert sources.read(path, CATALOGUE.challenge).sha256 == one.sha256
    assert sources.read(path, CATALOGUE.challenge).cells == one.cells


def test_jupytext_missing_is_told(root, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jupytext", None)
    with pytest.raises(RuntimeError, match=r"pip install -e '.\[author\]'"):
        read(root)


@pytest.mark.parametrize(
    "code, stub",
    [
        (
            "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION",
            "def f(x):\n    return ...",
        ),
        (
            "class A:\n    def __init__(self):\n        ### BEGIN SOLUTION\n        self.x = 1\n"
            "        ### END SOLUTION\n\n    def f(self):\n        ### STUB: one\n"
            "        ### STUB: two\n"
            "        ### BEGIN SOLUTION\n        return 1\n        ### END SOLUTION\n\n    y = 2",
            "class A:\n    def __init__(self):\n        ...\n\n    def f(self):\n        # one\n"
            "        # two\n        return ...\n\n    y = 2",
        ),
        (
            "def f(x):\n    if x:\n        ### BEGIN SOLUTION\n        return x\n"
            "        ### END SOLUTION\n"
            "    return 2",
            "def f(x):\n    if x:\n        return ...\n    return 2",
        ),
    ],
)
def test_stub(code, stub):
    assert sources.stub(code) == stub
    compile(stub, "stub", "exec")


def test_sections_measure_prose_and_code(root):
    found = sources.sections(root / "solutions" / "03_marks.py")
    assert [s.slug for s in found] == ["first-marks", "challenges", "recap"]
    # Five words stand here formula and code; the instructor's cell counts nothing.
    assert found[0] == ("first-marks", "First marks", 4, 7, 7)


def test_shape_counts_sections_only(root):
    size = sources.shape(read(root))
    assert (size.sections, size.words, size.questions, size.challenges) == (1, 7, 1, 1)
    # The head's cell has 7 lines that are not empty; then 3, 2 and 2.
    assert (size.code_lines, size.longest, size.median) == (14, 7, 2.5)
    assert (size.claims, size.playgrounds) == (0, 0)


@pytest.mark.parametrize(
    "markdown, words",
    [
        (
            "A [link here](https://example.org/a_b) and `code it` now.",
            "A link here and  code  now.",
        ),
        ("$$a\nb$$ then $x$", "formula  then  formula"),
        ("```\nnot counted\n```\nyes", "yes"),
        ("<details><summary>Open</summary>\n\ntext</details>", "Open   \n\ntext"),
        ("## Heading\nbody", "body"),
    ],
)
def test_prose(markdown, words):
    assert sources.prose(markdown).split() == words.split()


# ── the command ─────────────────────────────────────────────────────────────────────────────────


def run(root, monkeypatch, *arguments):
    monkeypatch.chdir(root)
    monkeypatch.setattr(editions, "course_catalogue", lambda: CATALOGUE)
    return CliRunner().invoke(app, list(arguments))


def test_command_builds_checks_and_refuses(root, monkeypatch):
    made = run(root, monkeypatch, "build", "3", "--jobs", "1")
    assert made.exit_code == 0 and "3 of 3 notebooks changed" in made.output
    fine = run(root, monkeypatch, "build", "--check")
    assert fine.exit_code == 0 and "Every notebook is what its source gives." in fine.output
    write(root, LESSON.replace("What is lost", "What goes away"))
    stale = run(root, monkeypatch, "build", "03_marks", "--check")
    assert stale.exit_code == 1 and "+What goes away when marks have no numbers." in stale.output
    unknown = run(root, monkeypatch, "build", "7")
    assert unknown.exit_code == 2 and "There is no lesson '7'. The lessons are 3." in unknown.output
    write(root, LESSON.replace("np.arange(3)", "np.arange(3"))
    broken = run(root, monkeypatch, "build")
    assert broken.exit_code == 1 and "SyntaxError" in broken.output
    assert "Traceback" not in made.output + stale.output + unknown.output + broken.output


def test_lessons_are_selected_by_number_name_or_path(tmp_path):
    paths = [tmp_path / "solutions" / name for name in ("01_one.py", "02_two.py", "11_more.py")]
    assert editions.select(paths) == paths
    assert editions.select(paths, ["11", "1"]) == [paths[0], paths[2]]
    assert (
        editions.select(paths, ["02_two", "solutions/11_more.py", "notebooks/01_one.ipynb"])
        == paths
    )
    with pytest.raises(errors.NotUnderstood, match="There is no lesson"):
        editions.select(paths, ["3"])
