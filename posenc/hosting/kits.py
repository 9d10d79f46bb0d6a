"""Kits: what a system that grades uploads one by one needs to grade a lesson, made from the course.

A kit holds the package itself and no solutions. Gradescope's is an autograder zip; GitHub
Classroom's is a starting repository with a workflow. Both call `posenc grade`, so that a mark there
is the mark that the same notebook gets here.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import jinja2

import posenc
from posenc import lessons
from posenc.errors import NotUnderstood
from posenc.files import write_whole
from posenc.places import beside_package, course_folder

TEMPLATES = Path(__file__).parent / "templates"
PACKAGE = "posenc-course"  # the folder of a kit that pip installs
# The oldest date that a zip can hold, so that two runs on one course give the same bytes.
DATE = (1980, 1, 1, 0, 0, 0)
EXECUTABLE = 0o755 << 16
Files = dict[str, bytes]


def make(kind: str, lesson: int, output: Path | None = None) -> Path:
    """Write the kit of `kind` for a lesson, as a zip; its path.

    Raises NotUnderstood for a kind or a lesson that there is not.
    """
    if kind not in KINDS:
        raise NotUnderstood(f"There is no kit for {kind!r}. There are: {', '.join(KINDS)}.")
    if lesson not in range(1, len(lessons.LESSONS) + 1):
        raise NotUnderstood(f"There is no lesson {lesson}. There are 1 to {len(lessons.LESSONS)}.")
    output = output or Path(f"posenc-{kind}-{lesson:02d}.zip")
    write_whole(output, zipped(KINDS[kind](lesson)))
    return output


def gradescope(lesson: int) -> Files:
    """An autograder: setup.sh, which builds its image once, and run_autograder for each upload."""
    return {
        "setup.sh": _filled("gradescope_setup.sh", lesson),
        "run_autograder": _filled("gradescope_run.sh", lesson),
        **_package("course/"),
    }


def github(lesson: int) -> Files:
    """A starting repository: the exercise, a workflow that grades each push, and the course."""
    name = f"{lessons.lesson(lesson).stem}.ipynb"
    return {
        name: (course_folder() / "exercises" / name).read_bytes(),
        "README.md": _filled("github_readme.md", lesson),
        ".github/workflows/grade.yml": _filled("github_workflow.yml", lesson),
        **_package(f".github/{PACKAGE}/"),
    }


KINDS: dict[str, Callable[[int], Files]] = {"gradescope": gradescope, "github": github}


def zipped(files: Files) -> bytes:
    """The files of a kit as a zip; what a system starts by itself may be executed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            if content.startswith(b"#!"):
                entry.external_attr = EXECUTABLE
            archive.writestr(entry, content)
    return buffer.getvalue()


def _filled(template: str, lesson: int) -> bytes:
    environment = jinja2.Environment(  # noqa: S701 - scripts and YAML, not HTML
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        variable_start_string="[[",
        variable_end_string="]]",
    )
    told = {
        "lesson": lesson,
        "stem": lessons.lesson(lesson).stem,
        "title": lessons.lesson(lesson).title,
        "version": posenc.__version__,
        "package": PACKAGE,
    }
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return environment.from_string(text).render(told).encode()


def _package(folder: str) -> Files:
    """What pip needs to install the package: its own files and a project file without lessons."""
    package = beside_package() / "posenc"
    files = {
        f"{folder}{path.relative_to(package.parent).as_posix()}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    return {**files, f"{folder}pyproject.toml": _project().encode()}


def _project() -> str:
    """A project file with what grading needs; notebooks are not run in a browser there."""
    environment = jinja2.Environment(keep_trailing_newline=True)  # noqa: S701 - TOML
    template = (TEMPLATES / "pyproject.toml").read_text(encoding="utf-8")
    return environment.from_string(template).render(version=posenc.__version__)
