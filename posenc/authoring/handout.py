"""The handout: a zip of the course for learners, without the solutions.

It runs by the same two commands as the course. The package in it checks the answers and so holds a
reference for each; the README says so. Two runs on the same course give the same bytes.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import posenc
from posenc import lessons
from posenc.errors import CourseError
from posenc.files import write_whole

FOLDER = "posenc-course"
NOTEBOOKS = {"notebooks": "learner", "exercises": "exercise"}
WHOLE_FILES = (
    "course.py",
    "pyproject.toml",
    "environment.yml",
    "LICENSE",
    "LICENSE-TEXT",
    "docs/questions.md",
    "docs/start.md",
    "docs/symbols.md",
    "notebooks/Start.md",
)
# Of the tests, those that need neither solutions nor what instructors write. From -> to.
TESTS = {
    **{
        f"tests/{name}.py": f"tests/{name}.py"
        for name in (
            "test_attention",
            "test_encodings",
            "test_geometry",
            "test_values",
            "test_words",
        )
    },
    "tests/handout/notebooks.py": "tests/test_notebooks.py",
}
OF_THE_PACKAGE = (".py", ".json")
# The oldest date that a zip can hold, so that the time of making it leaves no trace.
DATE = (1980, 1, 1, 0, 0, 0)
# Shorter lines of a solution, such as `return table`, stand anywhere.
TELLING = 24
REGION = re.compile(
    r"^[ \t]*### BEGIN SOLUTION\n(.*?)^[ \t]*### END SOLUTION", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Handout:
    """A handout that was made: where, how many lessons and files."""

    path: Path
    lessons: int
    files: int

    def describe(self) -> str:
        """The lines that an instructor reads."""
        return (
            f"{self.path}: {self.lessons} lessons, {self.files} files, no solutions.\n"
            "The package in it checks the answers and holds a reference for each: a determined "
            "learner can read them there. The README inside says so."
        )


def make(root: Path, output: Path) -> Handout:
    """Make the zip from the course in `root`. CourseError where it would not be a good one."""
    files = dict(contents(root))
    leaks = list(leaked(files, solution_lines(root)))
    if leaks:
        raise CourseError("No handout was made: it would show a solution.\n" + "\n".join(leaks))
    write_whole(output, _zipped(files))
    return Handout(output, sum(name.startswith("notebooks/") for name in files) - 1, len(files))


def contents(root: Path) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each file of the handout."""
    if not (root / "solutions").is_dir():
        raise CourseError(
            f"{root} has no solutions/: it is a handout already, or not a clone of the course."
        )
    yield "README.md", readme().encode()
    for name in WHOLE_FILES:
        yield name, _read(root / name)
    for source, name in TESTS.items():
        yield name, _read(root / source)
    for folder, edition in NOTEBOOKS.items():
        for each in lessons.LESSONS:
            path = root / folder / f"{each.stem}.ipynb"
            yield f"{folder}/{path.name}", _notebook(path, edition)
    package = root / "posenc"
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(root)
        hidden = any(part.startswith((".", "__pycache__")) for part in inside.parts)
        if path.is_file() and path.suffix in OF_THE_PACKAGE and not hidden:
            yield inside.as_posix(), _read(path)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise CourseError(f"{path} is missing. Get the course again, whole.") from None


def _notebook(path: Path, edition: str) -> bytes:
    """A built notebook; CourseError where it is not the edition that learners get."""
    if not path.exists():
        raise CourseError(f"{path} is missing; `posenc build` makes it.")
    content = path.read_bytes()
    try:
        found = json.loads(content)["metadata"]["posenc"]["edition"]
    except (ValueError, TypeError, KeyError):
        found = None
    if found != edition:
        raise CourseError(
            f"{path} does not say that it is the {edition} edition; `posenc build` makes it anew."
        )
    return content


# What must not be in it


def solution_lines(root: Path) -> dict[str, str]:
    """Lines that stand in a solution and nowhere else in the lessons, each with its lesson."""
    inside: dict[str, str] = {}
    outside: set[str] = set()
    for path in sorted((root / "solutions").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for region in REGION.findall(text):
            inside.update((line, path.stem) for line in _telling(region))
        outside.update(_telling(REGION.sub("", text)))
    return {line: stem for line, stem in inside.items() if line not in outside}


def _telling(text: str) -> Iterator[str]:
    lines = (line.strip() for line in text.splitlines())
    yield from (line for line in lines if len(line) >= TELLING)


def leaked(files: dict[str, bytes], lines: dict[str, str]) -> Iterator[str]:
    """Where a file outside the package holds a line of a solution, in words."""
    for name, content in files.items():
        if not name.startswith("posenc/"):
            text = _plain_text(name, content)
            for line, stem in lines.items():
                if line in text:
                    yield f"{name} holds a line of a solution of {stem}: {line}"


def _plain_text(name: str, content: bytes) -> str:
    """A file as text; a notebook as all that its cells hold and show."""
    text = content.decode("utf-8")
    return "\n".join(_texts(json.loads(text))) if name.endswith(".ipynb") else text


def _texts(value: object) -> Iterator[str]:
    """Every text in a JSON value; a list of lines as one text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


# The zip


def _zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{FOLDER}/{name}", DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, wherever it is made: the rights below are read as such
            entry.external_attr = (0o100755 if name == "course.py" else 0o100644) << 16
            archive.writestr(entry, files[name])
    return made.getvalue()


def readme() -> str:
    """The README of the handout."""
    rows = "\n".join(
        f"| {each.number} | [{each.title}](notebooks/{each.stem}.ipynb) "
        f"| [challenges](exercises/{each.stem}.ipynb) |"
        for each in lessons.LESSONS
    )
    return f"""# Positional encoding in twelve notebooks

This is the learners' copy of the course, version {posenc.__version__}: the lessons, the exercises, and the package that checks what you write. The solutions are not in it.

You need Python 3.11 or newer, on Linux, macOS or Windows (there, write `py` for `python3`).

```
python3 course.py lab     # sets everything up and opens the course
python3 course.py test    # sets everything up and tests that it works on this machine
```

The first run makes an environment in `.venv` and needs the network; later runs do not. With conda: `conda env create -f environment.yml`, then `conda activate posenc` and `posenc lab`.

## How to work

`python3 course.py lab` copies the lessons into `my-course`, a folder that is yours, and opens it. Each lesson ends in challenges: write code, run the `check` below it, and read what it says. `hint("6.2", 1)` shows the first hint of challenge 6.2.

| To | Write |
|---|---|
| see how far you are | `python3 course.py progress` |
| begin lesson 6 again (yours is kept) | `python3 course.py reset 6` |
| make the file to hand in for lesson 6 | `python3 course.py handin 6` |

[What learners ask](docs/questions.md) · [Symbols](docs/symbols.md)

| | Lesson | To hand in |
|---:|---|---|
{rows}

## What is in the package

`check` compares what your function returns with what a right one returns, so the package holds a right one: whoever opens `posenc/lessons/` finds a reference for every challenge and the key to every question. Nothing there is hidden or scrambled: whoever can run a check can read what it compares with. Reading it first leaves out the work that the challenge is for.

`solution("6.2")` says that this copy has none.

Code is under the [MIT licence](LICENSE), text and figures under [CC BY 4.0](LICENSE-TEXT).
"""
