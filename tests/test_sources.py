"""The course speaks with one voice: plain, exact, in British spelling, without praise or haste."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from posenc import closure
from posenc.authoring import editions, runs, sources

ROOT = Path(__file__).resolve().parent.parent
LESSONS = [sources.read(path) for path in editions.source_paths(ROOT)]
DATA = sorted((ROOT / "posenc" / "lessons").glob("lesson_*/*.py"))
MATHEMATICS = ("arguments", "bags", "encodings", "attention", "geometry", "training")
over_lessons = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)

# "just now" and "just above" are of time and place; "just" alone belittles.
FORBIDDEN = re.compile(
    r"\b(simply|obvious(ly)?|trivial(ly)?|clearly|of course|let['’]s|let us|easy|"
    r"just(?! (now|as|above|below|before|after|under|over|like)\b)|"
    r"well done|great|awesome|congratulations|powerful|exciting)\b",
    re.I,
)
EXCLAMATION = re.compile(r"(?:[^\W\d_]{2}|[)\]”’*_])!(?![=\w])")  # but n! is a factorial
UNDERSTANDS = re.compile(
    r"\b(encoding|encodings|embedding|embeddings|stamp|stamps|table|matrix|rotation|rotations|"
    r"sinusoid|sinusoids|row|rows|vector|vectors|mask|formula|transformer|network|layer|model)\s+"
    r"(?!(does|do|did|can|cannot|never|will)\b)(\w+\s+)?(understands?|realises?|wants?|thinks?)\b",
    re.I,
)
AMERICAN = re.compile(
    r"\b(neighbors?|neighboring|colors?|colored|behaviors?|centers?|centered|modeled|modeling|"
    r"labeled|labeling|canceled|\w+(?<!s)(?<!pr)iz(e[sd]?|ing|ation)|analyz\w+|meters?|favor\w*)\b",
    re.I,
)
NOT_AMERICAN = {"size", "sizes", "sized", "prize", "seize", "maize", "citizen", "horizon"}


def faults(text):
    """Each breach of the voice in a text of sentences."""
    found = [
        m[0] for pattern in (FORBIDDEN, EXCLAMATION, UNDERSTANDS) for m in pattern.finditer(text)
    ]
    return found + [m[0] for m in AMERICAN.finditer(text) if m[0].lower() not in NOT_AMERICAN]


@pytest.mark.parametrize(
    "text",
    [
        "This is simply a sum.",
        "Obviously it turns.",
        "It works!",
        "Let's add them.",
        "It is just a sine.",
        "The encoding understands order.",
        "An encoding really understands it.",
        "The colour is color.",
        "We normalize it.",
        "That is easy.",
        "Look here!\nNext.",
    ],
)
def test_faults_are_found(text):
    assert faults(text)


@pytest.mark.parametrize(
    "text",
    [
        "An encoding can be used; it does not understand.",
        "Measured just now.",
        "The row just above.",
        "You will understand the encoding.",
        "n! divided by 2!",
        "a != b",
        "The size of a prize.",
        "The encoding does not understand order.",
        "Adjust the base.",
        "A neighbour, normalised.",
    ],
)
def test_right_sentences_pass(text):
    assert faults(text) == []


@over_lessons
def test_prose_keeps_the_voice(lesson):
    found = []
    for slug, cell in sources.by_section(lesson):
        if cell.kind == "markdown" and slug != "sources":  # titles of others stand as they are
            quoted = re.sub(r"[“\"][^”\"]*[”\"]", " ", sources.prose(cell.text))
            found += [(f"{lesson.name}:{cell.line}", fault) for fault in faults(quoted)]
            found += [
                (f"{lesson.name}:{cell.line}", fault)
                for _, title, _ in sources.headings(cell.text)
                for fault in faults(title)
            ]
    assert found == []


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_words_of_the_data_keep_the_voice(path):
    """Claims, questions, hints and what is said of mistakes are prose too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]
    found = [
        (line, fault)
        for line, text in texts
        for fault in faults(re.sub(r"[“`][^”`]*[”`]", "", text))
    ]
    assert found == []


@over_lessons
def test_code_comments_keep_the_voice(lesson):
    found = []
    for cell in lesson.cells:
        if cell.kind == "code":
            for comment in re.findall(r"(?m)(?:^|\s)#\s(.*)$", cell.text):
                found += [(f"{lesson.name}:{cell.line}", fault) for fault in faults(comment)]
    assert found == []


@over_lessons
def test_lessons_import_only_what_lessons_may(lesson):
    for cell in lesson.cells:
        if cell.kind == "code":
            rooms = {name.split(".")[1] for name in closure.imported_in(cell.text)}
            assert rooms <= {*MATHEMATICS, "classroom", "figures"}, cell.first_line
            assert "pyplot" not in cell.text


def test_a_kept_run_rests_on_all_that_a_lesson_loads_and_on_no_other_lesson():
    """Else a change there would change outputs, and the kept run would hide it."""
    program = (
        "import sys, posenc.classroom, posenc.figures.lesson_06, posenc.lessons\n"
        "posenc.lessons.room(6)\n"
        "print(*(name for name in sys.modules if name.startswith('posenc.')))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    lesson = sources.read(next((ROOT / "solutions").glob("06_*.py")))
    codes = [cell.text for cell in lesson.cells if cell.kind == "code"]
    rests_on = set(runs.modules_of(lesson, codes, ROOT))
    assert set(ran.stdout.split()) <= rests_on
    others = [m for m in rests_on if re.search(r"lessons\.lesson_(?!06)", m)]
    assert others == []


@over_lessons
def test_sources_name_no_machine(lesson):
    text = lesson.path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w:/.])/(home|tmp|root|Users|work|farm)/", text)
    assert not re.search(r"\b(TODO|FIXME|XXX)\b", text)
    assert [n for n, line in enumerate(text.split("\n"), 1) if line != line.rstrip()] == []
