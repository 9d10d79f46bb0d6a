"""Where things are: the course, the learner's working folder, and the lesson that a name means."""

from __future__ import annotations

import os
import re
import shlex
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import posenc
from posenc.errors import CourseError, NotUnderstood
from posenc.files import can_write_in

LESSON_FILES = "[0-9][0-9]_*.ipynb"
MARKER = ".posenc-working-folder.json"
LEARNERS_FOLDER = "my-course"


def beside_package() -> Path:
    """The folder that the package is in: the course's own, unless it is installed elsewhere."""
    return Path(posenc.__file__).resolve().parent.parent


def installed_course() -> Path:
    """Where installing the course from its archive lays the lessons."""
    return Path(sysconfig.get_path("data")) / "share" / "posenc"


def is_installed() -> bool:
    """Whether the lessons are those of an installed archive, in a folder that is not for work."""
    return not (beside_package() / "notebooks").is_dir()


def course_folder() -> Path:
    """The folder that holds the lessons: beside the package, or where an archive lays them.

    Raises CourseError where there are none in either.
    """
    beside, installed = beside_package(), installed_course()
    for course in (beside, installed):
        if (course / "notebooks").is_dir():
            return course
    raise CourseError(
        f"No lessons were found: {beside / 'notebooks'} does not exist, and neither does "
        f"{installed}. Keep the course's folder and use `python3 course.py lab` in it, or install "
        "the course's archive again."
    )


def author_folder(start: Path | None = None) -> Path:
    """The first folder with solutions/ and pyproject.toml from `start` upwards, else the course's.

    Raises CourseError where there is none.
    """
    here = Path(start or Path.cwd()).resolve()
    for folder in (here, *here.parents, beside_package()):
        if (folder / "solutions").is_dir() and (folder / "pyproject.toml").is_file():
            return folder
    raise CourseError("No folder with solutions/ here or above; run this in a clone of the course.")


def user_folder() -> Path:
    """Where things go when the course folder cannot be written to."""
    return Path.home() / "posenc-course"


def default_folder() -> Path:
    """`my-course` in the course folder, or in the user's where that is installed or read-only."""
    course = course_folder()
    inside = course / LEARNERS_FOLDER
    if is_installed():
        return user_folder() / LEARNERS_FOLDER
    if can_write_in(inside if inside.is_dir() else course):
        return inside
    return user_folder() / LEARNERS_FOLDER


def find_folder(start: Path | None = None) -> Path:
    """The working folder that `start` (the current folder) lies in, else the default one."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / MARKER).exists():
            return folder
    return default_folder()


def open_working_folder(folder: Path | None) -> Path:
    """A folder that holds lessons already: the one given, or the one found.

    Raises CourseError where there is none yet.
    """
    folder = Path(folder).resolve() if folder is not None else find_folder()
    if (folder / MARKER).exists() or (folder.is_dir() and lesson_names(folder)):
        return folder
    raise CourseError(
        f"{folder} is not a working folder. `{command('start')}` makes one; "
        "`--folder PATH` names one that lies elsewhere."
    )


def quoted(path: Path) -> str:
    """A path as it can be pasted into a shell."""
    return f'"{path}"' if os.name == "nt" else shlex.quote(str(path))


def command(words: str) -> str:
    """A command of posenc as the learner can type it: `course.py` says how it was called."""
    return f"{os.environ.get('POSENC_CALLED_AS', 'posenc')} {words}"


def lesson_names(editions: Path) -> list[str]:
    """The file names of the lessons in a folder of notebooks, in order."""
    return sorted(path.name for path in Path(editions).glob(LESSON_FILES))


def lesson_name(lesson: str | int, editions: Path) -> str:
    """The file name of a lesson given by number ("6", "06") or by name, with or without end.

    Raises NotUnderstood, which names what was asked for and what there is.
    """
    names = lesson_names(editions)
    return f"{meant(lesson, [name.removesuffix('.ipynb') for name in names])}.ipynb"


def meant(lesson: str | int, stems: Iterable[str]) -> str:
    """The one of `stems` that a number, a name or a path of a lesson means.

    Raises NotUnderstood, which names what was asked for and what there is.
    """
    stems = list(stems)
    asked = Path(str(lesson).strip()).name.removesuffix(".ipynb").removesuffix(".py")
    for stem in stems:
        if asked in (stem, stem[3:]) or re.fullmatch(f"0*{int(stem[:2])}", asked):
            return stem
    numbers = ", ".join(str(int(stem[:2])) for stem in stems) or "none"
    raise NotUnderstood(f"There is no lesson {str(lesson)!r}. The lessons are {numbers}.")
