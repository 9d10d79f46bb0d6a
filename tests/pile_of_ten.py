"""A thousand submissions in the shapes of ten systems, and who they really belong to.

`python tests/pile_of_ten.py FOLDER` lays them into a folder, one folder for each system, and names
them. The same each time. Shapes: see the docstrings of posenc/grading/finders.
"""

from __future__ import annotations

import io
import random
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hostile.notebooks import data, exercise

LESSON = "06_sinusoidal_encoding"
FIRST = [
    "Ada",
    "Bashir",
    "Chiara",
    "Dmitri",
    "Elif",
    "Jean-Luc",
    "李",
    "Zoë",
    "O'Brien",
    "María José",
]
LAST = [
    "Lovelace",
    "Weiss",
    "Weiß",
    "van der Berg",
    "Çelik",
    "小龙",
    "Jørgensen",
    "Ng",
    "Müller",
    "Smith",
]
OWN = [
    f"{LESSON}.ipynb",
    f"{LESSON} (1).ipynb",
    f"Copy of {LESSON}.ipynb",
    f"Kopie von {LESSON}.ipynb",
    "Untitled.ipynb",
    "my answers.ipynb",
    "ps6-Copy1.ipynb",
    # Names that pretend: a learner may call a file what they like inside what is theirs.
    "Ada Lovelace_1_assignsubmission_file_06 (9).ipynb",
    "hw6_jdoe12_attempt_2030-01-01-00-00-00_06.ipynb",
    "smithanna_1_2_06-7.ipynb",
]


@dataclass
class Laid:
    """What was laid into a folder: paths, and for each system the people who must come out."""

    folder: Path
    people: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    submissions: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Person:
    """A person with the number that a system gave; names may be the same."""

    name: str
    number: int

    @property
    def login(self) -> str:
        """A user name."""
        return f"u{self.number}"


def people(count: int, begin: int) -> list[Person]:
    """Names that repeat, so that only numbers tell some of them apart."""
    chance = random.Random(begin)
    return [
        Person(f"{chance.choice(FIRST)} {chance.choice(LAST)}", begin + place)
        for place in range(count)
    ]


def file_of(person: Person) -> bytes:
    """A notebook that no other person has."""
    return data(exercise({}, first=[f"# {person.number}"]))


Files = Iterator[tuple[str, bytes]]
Expected = set[tuple[str, str]]


def canvas(who: list[Person]) -> tuple[Files, Expected]:
    """Flat; some late, some twice; the name in one word."""

    def files() -> Files:
        for place, p in enumerate(who):
            late = "LATE_" if place % 9 == 0 else ""
            word = "".join(reversed(p.name.replace("_", "").split())).lower()
            own = OWN[place % len(OWN)].removesuffix(".ipynb")
            yield f"{word}_{late}{p.number}_{90000 + place}_{own}.ipynb", file_of(p)
            if place % 10 == 0:
                yield f"{word}_{late}{p.number}_{95000 + place}_{own}-1.ipynb", file_of(p)
            if place % 11 == 0:
                yield f"{word}_{late}{p.number}_{97000 + place}_notes.pdf", b"%PDF-1.7"

    return files(), {("canvas", str(p.number)) for p in who}


def moodle(who: list[Person]) -> tuple[Files, Expected]:
    """A folder for each participant."""

    def files() -> Files:
        for place, p in enumerate(who):
            folder = f"{p.name}_{p.number}_assignsubmission_file_"
            yield f"{folder}/{OWN[place % len(OWN)]}", file_of(p)
            if place % 7 == 0:
                yield f"{folder}/helper.py", b"x = 1\n"

    return files(), {("moodle", str(p.number)) for p in who}


def moodle_flat(who: list[Person]) -> tuple[Files, Expected]:
    """The other form of Moodle's download: all in one folder."""

    def files() -> Files:
        for place, p in enumerate(who):
            own = OWN[place % len(OWN)]
            yield f"{p.name}_{p.number}_assignsubmission_file_{own}", file_of(p)

    return files(), {("moodle", str(p.number)) for p in who}


def blackboard(who: list[Person]) -> tuple[Files, Expected]:
    """Flat, each attempt with a text beside it; some attempts twice."""

    def files() -> Files:
        for place, p in enumerate(who):
            for day in (1, 2) if place % 8 == 0 else (1,):
                head = f"Homework 6_part_1_{p.login}_attempt_2024-03-0{day}-11-00-00"
                yield f"{head}.txt", b"Name: somebody"
                yield f"{head}_{OWN[place % len(OWN)]}", file_of(p)

    return files(), {("blackboard", p.login) for p in who}


def brightspace(who: list[Person]) -> tuple[Files, Expected]:
    """Folders with numbers, names and dates, and an index beside them."""

    def files() -> Files:
        yield "index.html", b"<html>"
        for place, p in enumerate(who):
            folder = (
                f"{p.number}-2000001 - {p.name} - Jul {1 + place % 28}, 2026 {1 + place % 12}53 PM"
            )
            yield f"{folder}/{OWN[place % len(OWN)]}", file_of(p)

    return files(), {("brightspace", str(p.number)) for p in who}


def ilias(who: list[Person]) -> tuple[Files, Expected]:
    """Folders for users below one for the exercise."""

    def files() -> Files:
        for place, p in enumerate(who):
            first, last = p.name.split(" ", 1)
            folder = f"Abgaben/{last}_{first}_{p.login}_{p.number}"
            yield f"{folder}/{OWN[place % len(OWN)]}", file_of(p)

    return files(), {("ilias", str(p.number)) for p in who}


def gradescope(who: list[Person]) -> tuple[Files, Expected]:
    """Folders of submissions, names in the metadata only; every fifth is by two partners."""

    def files() -> Files:
        lines, place = [], 0
        while place < len(who):
            group = who[place : place + (2 if place % 5 == 0 else 1)]
            folder = f"submission_{1000 + place}"
            lines += [f"{folder}:", "  :submitters:"]
            for p in group:
                lines += [f'  - :name: "{p.name}"', f"    :sid: '{p.number}'"]
            lines.append("  :created_at: 2024-03-03 11:00:00.000000000 Z")
            yield f"assignment_4455_export/{folder}/{OWN[place % len(OWN)]}", file_of(group[0])
            place += len(group)
        yield "assignment_4455_export/submission_metadata.yml", "\n".join(lines).encode()

    return files(), {("id", str(p.number)) for p in who}


def nbgrader(who: list[Person]) -> tuple[Files, Expected]:
    """submitted/user/assignment/notebook, with nbgrader's own folders beside."""

    def files() -> Files:
        for p in who:
            yield f"submitted/{p.login}/ps6/{LESSON}.ipynb", file_of(p)
            yield f"submitted/{p.login}/ps6/timestamp.txt", b"2024-03-03 11:00:00 UTC"
            yield f"autograded/{p.login}/ps6/{LESSON}.ipynb", file_of(p)

    return files(), {("", p.login) for p in who}


def folders(who: list[Person]) -> tuple[Files, Expected]:
    """A folder for each learner, checkpoints and a system's dirt in some."""

    def files() -> Files:
        for place, p in enumerate(who):
            yield f"{p.login}/{OWN[place % len(OWN)]}", file_of(p)
            if place % 6 == 0:
                stem = OWN[place % len(OWN)].removesuffix(".ipynb")
                yield f"{p.login}/.ipynb_checkpoints/{stem}-checkpoint.ipynb", file_of(p)
                yield f"{p.login}/.DS_Store", b"\0"

    return files(), {("", p.login) for p in who}


def archives(who: list[Person]) -> tuple[Files, Expected]:
    """A download in one archive, with an archive for each user in it."""

    def files() -> Files:
        outer = io.BytesIO()
        with zipfile.ZipFile(outer, "w", zipfile.ZIP_DEFLATED) as whole:
            for place, p in enumerate(who):
                inner = io.BytesIO()
                with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as own:
                    own.writestr(f"work/{OWN[place % len(OWN)]}", file_of(p))
                word = p.name.replace(" ", "").lower()
                whole.writestr(f"{word}_{p.number}_{90000 + place}_work.zip", inner.getvalue())
        yield "submissions.zip", outer.getvalue()

    return files(), {("canvas", str(p.number)) for p in who}


SYSTEMS: tuple[Callable[[list[Person]], tuple[Files, Expected]], ...] = (
    canvas,
    moodle,
    moodle_flat,
    blackboard,
    brightspace,
    ilias,
    gradescope,
    nbgrader,
    folders,
    archives,
)


def lay(folder: Path, each: int = 100) -> Laid:
    """Write the pile into `folder`, `each` people a system; what must come out."""
    laid = Laid(folder)
    for place, system in enumerate(SYSTEMS):
        files, expected = system(people(each, 10_000 * (place + 1)))
        laid.people[system.__name__] = expected
        for name, content in files:
            path = folder / system.__name__ / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return laid


if __name__ == "__main__":
    made = lay(Path(sys.argv[1]))
    print({name: len(who) for name, who in made.people.items()})
