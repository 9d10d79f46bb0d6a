"""Which learner a notebook belongs to, and what became of everything else in a pile.

A learner is found by a list, by a pattern, by the name that a learning system gave to a folder or
file (`posenc.grading.finders`), by the folder, or by what is left of a file's own name. What a
learner named themself, inside their own folder, decides nothing. People are told apart by what the
system assigned to them; equal or nearly equal names are two people, and that is said.
"""

from __future__ import annotations

import csv
import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from posenc import lessons
from posenc.errors import NotUnderstood
from posenc.grading import copies, finders, tree
from posenc.grading.finders import Claim, Level, Owner
from posenc.grading.notebook import LARGEST_FILE, Unreadable, clean
from posenc.grading.tree import Entry

COLLECTING = {
    "submitted",
    "submissions",
    "submission",
    "collected",
    "handin",
    "hand-in",
    "notebooks",
    "abgaben",
    "einreichungen",
    "entregas",
    "rendus",
    "consegne",
}
# nbgrader's own folders beside `submitted`: copies of what is there, or the course's.
NBGRADER = {"autograded", "feedback", "release", "source", "downloaded"}
OURS = re.compile(
    r"^(?:posenc-grades\.sqlite(?:-wal|-shm|-journal)?|posenc-.*\.key|class-report.*\.html)$"
)
NOTEBOOK = re.compile(r"\.ipynb(?:\.(?:txt|json|download|bak|orig))?(?: ?\(\d+\)|\.\d)?$", re.I)
MAY_BE_ONE = re.compile(r"(?:\.json|\.txt|^[^.]+)$", re.IGNORECASE)
# What is left of a name without these may be a learner's.
TELLS_NO_LEARNER = re.compile(
    r"lessons?|exercises?|assignment|homework|hw|ps|problem|set|notebook|untitled|submission"
    r"|solution|answers?|file|handin|week|chapter|[\d _.-]",
    re.IGNORECASE,
)
NUMBERED = re.compile(
    r"^(?:lesson|exercise|assignment|homework|hw|ps|week|chapter|lab)s?[ _-]*\d{1,2}$", re.I
)
KEEP = ("newest", "oldest", "best", "all")
DEEPEST_LEVEL = 8
MOST_NAMED = 4
MOST_DOUBLES = 12

# What became of a file or folder, as the ledger says it.
HOLDS, BESIDE, NOT_NOTEBOOK = "folder", "beside a notebook", "not a notebook"
ARCHIVE, UNREAD, PASSED_OVER = "archive", "could not be read", "passed over"


class BadList(NotUnderstood):
    """A list of names cannot be used; the message says why."""


@dataclass(frozen=True)
class Person:
    """A learner. key: what tells people apart; ids: what learning systems call them."""

    name: str
    key: str
    ids: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Submission:
    """A file, and whose it is.

    shown: the path as printed, from the folder that was given. told_by: 'list', 'pattern', a
    system's name, 'folder', 'file name', or 'nothing' where the file's own name stands in. attempt:
    the number that a browser or learning system added. handed_in: seconds since 1970 where a
    system says so. inside: names within archives. partners: others who handed in the same file.
    refused: why it is not even opened. note: what is odd about how it was handed in.
    """

    path: Path
    shown: str
    learner: str
    told_by: str
    attempt: int = 0
    late: bool = False
    ids: dict[str, str] = field(default_factory=dict)
    inside: tuple[str, ...] = ()
    person: str = ""
    partners: tuple[Person, ...] = ()
    handed_in: float | None = None
    changed: float = 0.0
    checkpoint: bool = False
    refused: str = ""
    note: str = ""

    @property
    def key(self) -> str:
        """What tells whether two submissions are of one learner."""
        return self.person or f"name {self.learner}"

    @property
    def people(self) -> tuple[Person, ...]:
        """Everyone whose work it is, the one who handed it in first."""
        return (Person(self.learner, self.key, self.ids), *self.partners)

    @property
    def place(self) -> tuple[Path, tuple[str, ...]]:
        """What tells two files apart, in archives too."""
        return self.path, self.inside

    @property
    def name(self) -> str:
        """The file's own name, as the learner gave it."""
        return (self.inside or (self.path.name,))[-1].replace("\\", "/").rsplit("/", 1)[-1]

    @property
    def when(self) -> float:
        """When it was handed in, or, where no system says so, when the file was changed."""
        if self.handed_in is not None:
            return self.handed_in
        if self.inside:
            return self.changed
        try:
            return os.lstat(self.path).st_mtime
        except OSError:
            return self.changed

    @property
    def age(self) -> tuple[bool, float, int, float, str]:
        """Sorts submissions of one learner from the oldest to the newest; a checkpoint is old."""
        return not self.checkpoint, self.handed_in or 0.0, self.attempt, self.when, self.shown

    def read(self) -> bytes:
        """The file's bytes. Unreadable says why there are none."""
        if self.refused:
            raise Unreadable(self.refused)
        return tree.read(self.path, self.inside)


@dataclass(frozen=True)
class Empty:
    """A learner who handed in something, and no notebook."""

    person: Person
    shown: str
    told_by: str
    reason: str


@dataclass(frozen=True)
class Item:
    """A line of the ledger: what one file or folder is. count: how many things it stands for."""

    path: str
    kind: str
    why: str = ""
    count: int = 1


@dataclass
class Found:
    """All that lies below the paths that were given.

    total: how many files and folders were seen, counted apart from the ledger.
    """

    submissions: list[Submission] = field(default_factory=list)
    empty: list[Empty] = field(default_factory=list)
    ledger: list[Item] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    total: int = 0


def near(name: str) -> str:
    """A name without case, spacing, underscores and ways to write one letter."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(re.split(r"[\s_]+", plain.strip()))


def find(
    paths: Sequence[Path],
    names: dict[str, tuple[str, str]] | None = None,
    pattern: str | None = None,
) -> list[Submission]:
    """All submissions under `paths`, sorted. FileNotFoundError where a path is not there."""
    return look(paths, names, pattern).submissions


def look(
    paths: Sequence[Path],
    names: dict[str, tuple[str, str]] | None = None,
    pattern: str | None = None,
) -> Found:
    """Submissions under `paths`, and what all else there is.

    names: from `read_list`. pattern: a regular expression with a group `learner` for file paths.
    FileNotFoundError where a path is not there.
    """
    compiled = _compiled(pattern)
    found, taken = Found(), set[tuple[Path, tuple[str, ...]]]()
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise FileNotFoundError(f"there is no file or folder called {path}")
        _Pile(path, names or {}, compiled, found, taken).look()
    _drop_checkpoints(found)
    found.submissions.sort(key=lambda s: (near(s.learner), s.key, s.shown))
    found.messages += _near_names(found)
    return found


def read_list(path: Path) -> dict[str, tuple[str, str]]:
    """A CSV file with the columns `file` (or folder), `learner` and, if there is one, `id`.

    Returns learner and id by file. BadList where the columns are not there.
    """
    found = {}
    for row in read_rows(path, {"file", "learner"}, "file and learner (and id)"):
        if row.get("file") and row.get("learner"):
            found[_as_listed(row["file"])] = (one_line(row["learner"]), row.get("id", ""))
    return found


def read_rows(path: Path, needed: set[str], said: str) -> list[dict[str, str]]:
    """The rows of a CSV file by lower-case column. BadList where the needed ones are not there."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadList(f"the list {path} cannot be read: {error}") from None
    head = text.split("\n", 1)[0]
    rows = list(
        csv.DictReader(text.splitlines(), delimiter=max(",;\t", key=lambda sign: head.count(sign)))
    )
    if not rows or not needed <= {(h or "").strip().lower() for h in rows[0]}:
        raise BadList(f"the list {path} needs a first line with the columns {said}")
    return [
        {(k or "").strip().lower(): (v or "").strip() for k, v in row.items() if isinstance(v, str)}
        for row in rows
    ]


def unused_names(names: dict[str, tuple[str, str]], submissions: Iterable[Submission]) -> list[str]:
    """Listed learners that no submission matched: they handed in nothing, or are misspelled."""
    matched = {s.key for s in submissions if s.told_by == "list"}
    listed = {_listed_key(learner, id): learner for learner, id in names.values()}
    return sorted(learner for key, learner in listed.items() if key not in matched)


def one_line(text: str, longest: int = 200) -> str:
    """A name as it is shown: safe to print, in one line, so that it cannot fake another."""
    return " ".join(clean(unicodedata.normalize("NFC", text), longest).split())


class _Pile:
    """One path that was given: its entries, the levels at which learners lie, and who they are."""

    def __init__(
        self,
        root: Path,
        known: dict[str, tuple[str, str]],
        pattern: re.Pattern[str] | None,
        found: Found,
        taken: set[tuple[Path, tuple[str, ...]]],
    ) -> None:
        self.root, self.known, self.pattern, self.found, self.taken = (
            root, known, pattern, found, taken,
        )  # fmt: skip
        self.entries = tree.walk(root)
        self.children: dict[tuple[str, ...], dict[str, Entry | None]] = defaultdict(dict)
        for entry in self.entries:
            for depth in range(min(len(entry.parts), DEEPEST_LEVEL)):
                whole = depth == len(entry.parts) - 1
                here = self.children[entry.parts[:depth]]
                if whole or entry.parts[depth] not in here:
                    here[entry.parts[depth]] = entry if whole else None
        self.found.total += len(self.entries)
        self.owners: dict[tuple[str, ...], tuple[str, Claim]] = {}
        self.passed: dict[tuple[str, ...], str] = {}
        self.levels: set[tuple[str, ...]] = set()

    def look(self) -> None:
        """Fill `found`."""
        self._find_levels()
        mine: dict[tuple[str, ...], list[Submission]] = defaultdict(list)
        beside: dict[tuple[str, ...], list[Entry]] = defaultdict(list)
        counted: Counter[tuple[str, str]] = Counter()
        for entry in self.entries:
            if (place := (entry.path.absolute(), entry.inside)) in self.taken:
                continue
            self.taken.add(place)
            top = self._top(entry.parts)
            passed = self._in_passed_folder(entry)
            if passed[0]:
                counted[passed] += 1
            elif why := self._passed_over(entry):
                self._note(entry, PASSED_OVER, why)
            elif entry.kind == tree.FOLDER:
                self._note(entry, HOLDS, "" if entry.size else "an empty folder")
            elif entry.kind == tree.ARCHIVE:
                self._note(entry, ARCHIVE, f"read as a folder of {entry.size} files")
            elif self._is_notebook(entry):
                mine[top].append(self._submission(entry, top))
            else:
                beside[top].append(entry)
        self.found.ledger += [
            Item(path, PASSED_OVER, why, count) for (path, why), count in counted.items()
        ]
        for top, others in beside.items():
            self._rest(others, bool(mine.get(top)) and self._is_folder(top))
        self.found.submissions += [s for group in mine.values() for s in group]
        self._empty(mine, beside)

    # Levels

    def _find_levels(self) -> None:
        """Where learners lie: below folders that only collect, and in systems' downloads."""
        left: list[tuple[str, ...]] = [()]
        while left:
            prefix = left.pop()
            level = self._level(prefix)
            self.levels.add(prefix)
            system, claimed = finders.claims(level)
            self.owners.update({(*prefix, name): claim for name, claim in claimed.items()})
            if system or len(prefix) >= DEEPEST_LEVEL - 1:
                continue
            for proposal in finders.proposals(level) if self.pattern is None else ():
                self.found.messages.append(proposal)
            left += [(*prefix, name) for name in self._collecting(level, prefix)]

    def _level(self, prefix: tuple[str, ...]) -> Level:
        names = self.children.get(prefix, {})
        folders: list[str] = []
        files: list[str] = []
        for name, entry in names.items():
            shown = unicodedata.normalize("NFC", name)
            if shown.lower() in tree.TOOLS or shown == copies.CHECKPOINTS or OURS.match(shown):
                continue
            folder = entry is None or entry.kind == tree.FOLDER
            (folders if folder else files).append(name)
        return Level(
            tuple(folders),
            tuple(files),
            lambda name: self._bytes(names.get(name)),
            lambda name: self._level((*prefix, name)),
        )

    @staticmethod
    def _bytes(entry: Entry | None) -> bytes | None:
        try:
            return None if entry is None else tree.read(entry.path, entry.inside)
        except Unreadable:
            return None

    def _collecting(self, level: Level, prefix: tuple[str, ...]) -> list[str]:
        """The folders and archives of a level that only collect what learners handed in."""
        archives = [n for n in level.files if self._is_archive((*prefix, n))]
        inner = [*level.folders, *archives]
        notebooks = [n for n in level.files if NOTEBOOK.search(n)]
        named = [n for n in inner if _bare(n) in COLLECTING]
        if named and "submitted" in map(_bare, named):
            for name in inner:
                if _bare(name) in NBGRADER:
                    self.passed[*prefix, name] = "nbgrader's own folder beside `submitted`"
        downloads = [n for n in inner if finders.claims(self._level((*prefix, n)))[0]]
        both = set(named) | set(downloads)
        if len(inner) > 1 and both and both >= set(inner):
            return inner
        if len(inner) > 1 and not notebooks and all(self._one_lesson(prefix, n) for n in inner):
            return inner
        if len(inner) == 1 and not notebooks and self._only_shared(prefix, inner[0], both):
            return inner
        for name in sorted(set(downloads) - set(named)):
            if len(self._level((*prefix, name)).names) < 2:
                continue
            self.found.messages.append(
                f"{_shown((*prefix, name))} is named like one learner's and looks like a download "
                "of many; if it is one, grade it by itself."
            )
        return named

    def _one_lesson(self, prefix: tuple[str, ...], name: str) -> bool:
        """Whether a folder is a lesson's, with learners' folders in it: hw6/ada/…"""
        inner = self._level((*prefix, name))
        return bool(
            NUMBERED.match(_bare(name))
            and inner.folders
            and not any(NOTEBOOK.search(n) for n in inner.files)
        )

    def _only_shared(self, prefix: tuple[str, ...], name: str, sure: set[str]) -> bool:
        """Whether the one folder of a level is above all learners', and not a learner's."""
        if name in sure:
            return True
        inner = self._level((*prefix, name))
        below = [*inner.folders, *(n for n in inner.files if self._is_archive((*prefix, name, n)))]
        if self._is_archive((*prefix, name)):
            return len(below) + sum(bool(NOTEBOOK.search(n)) for n in inner.files) > 1
        people = [n for n in below if not NUMBERED.match(_bare(n))]
        return len(people) > 1

    def _is_archive(self, parts: tuple[str, ...]) -> bool:
        entry = self.children.get(parts[:-1], {}).get(parts[-1])
        return entry is not None and entry.kind == tree.ARCHIVE

    def _is_folder(self, parts: tuple[str, ...]) -> bool:
        return parts in self.children and parts not in self.levels

    def _top(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """The part of a path that lies at a learner's level: their folder, or the file itself."""
        depth = 0
        while depth < len(parts) - 1 and parts[: depth + 1] in self.levels:
            depth += 1
        return parts[: depth + 1]

    # Entries

    def _in_passed_folder(self, entry: Entry) -> tuple[str, str]:
        """The folder that is passed over with all that is in it, and why; falsy otherwise."""
        for depth, part in enumerate(entry.parts[:DEEPEST_LEVEL]):
            here = entry.parts[: depth + 1]
            if part.lower() in tree.TOOLS and (entry.kind == tree.FOLDER or here != entry.parts):
                return _shown(here), "a folder that tools make"
            if why := self.passed.get(here):
                return _shown(here), why
        return ("", "")

    @staticmethod
    def _passed_over(entry: Entry) -> str:
        name = entry.name
        if name.startswith("._") or name.lower() in (".ds_store", "thumbs.db", "desktop.ini"):
            return "made by the system that packed it"
        if name == copies.CHECKPOINTS and entry.kind == tree.FOLDER:
            return "JupyterLab's folder of checkpoints"
        return "made by posenc" if OURS.match(name) else ""

    @staticmethod
    def _is_notebook(entry: Entry) -> bool:
        if NOTEBOOK.search(entry.name):
            return True
        if entry.kind != tree.FILE or not MAY_BE_ONE.search(entry.name):
            return False
        return 0 < entry.size <= LARGEST_FILE and _looks_like_one(entry)

    def _note(self, entry: Entry, kind: str, why: str = "") -> None:
        self.found.ledger.append(Item(entry.shown, kind, why))

    def _rest(self, entries: Sequence[Entry], belongs: bool) -> None:
        """What is no notebook: beside one in a learner's folder, or by itself."""
        for entry in entries:
            if entry.kind in (tree.UNREAD, tree.LINK, tree.ODD):
                self._note(entry, UNREAD, entry.why)
            elif belongs:
                self._note(entry, BESIDE, what_it_is(entry))
            else:
                self._note(entry, NOT_NOTEBOOK, what_it_is(entry))

    def _submission(self, entry: Entry, top: tuple[str, ...]) -> Submission:
        stem, attempt = copies.without(_stem(entry.name))
        refused = "" if entry.kind == tree.FILE else entry.why or "it is no ordinary file"
        blank = Submission(
            entry.path,
            entry.shown,
            "",
            "",
            attempt,
            inside=entry.inside,
            changed=entry.changed,
            refused=refused,
        )
        if stem.endswith(copies.CHECKPOINT) or copies.CHECKPOINTS in entry.parts:
            blank = replace(blank, checkpoint=True)
        told_by, claim = self._owner(entry.parts, top, stem)
        people = tuple(_person(owner, told_by, self._here(top), entry) for owner in claim.owners)
        attempt = max(attempt, claim.attempt) if told_by != "nothing" else 0
        return replace(
            blank,
            learner=people[0].name,
            person=people[0].key,
            ids=people[0].ids,
            partners=people[1:],
            told_by=told_by,
            attempt=attempt,
            late=claim.late,
            handed_in=claim.handed_in,
        )

    def _owner(self, parts: tuple[str, ...], top: tuple[str, ...], stem: str) -> tuple[str, Claim]:
        """Who it belongs to, and what told so: the surest first."""
        if listed := _listed(self.known, parts, top):
            name, id = listed
            owner = Owner(name, {"id": id} if id else {}, _listed_key(name, id))
            return "list", Claim((owner,))
        relative = "/".join(parts)
        if self.pattern is not None and (match := self.pattern.search(relative)):
            return "pattern", Claim((Owner(match.group("learner") or ""),))
        if top in self.owners:
            return self.owners[top]
        if len(top) < len(parts) and not self._is_archive(top):
            return "folder", Claim((Owner(top[-1]),))
        named = _without_lesson(copies.without(_stem(top[-1]))[0]) if len(top) < len(parts) else (
            _without_lesson(stem.removesuffix(copies.CHECKPOINT))
        )  # fmt: skip
        if TELLS_NO_LEARNER.sub("", named):
            return "file name", Claim((Owner(named),))
        if len(top) > 1 and _bare(top[-2]) not in COLLECTING and not self._is_archive(top[:-1]):
            return "folder", Claim((Owner(top[-2]),))
        # Two files that name nobody may be two people's: none of them is taken for a second try.
        return "nothing", Claim((Owner(_stem(parts[-1]), person=f"file {self.root}/{relative}"),))

    def _here(self, top: tuple[str, ...]) -> str:
        return f"{self.root}/{'/'.join(top[:-1])}"

    # Learners without a notebook

    def _empty(
        self,
        mine: dict[tuple[str, ...], list[Submission]],
        beside: dict[tuple[str, ...], list[Entry]],
    ) -> None:
        """A row for everyone who handed in something, and nothing that can be graded."""
        busy = {p.key for s in self.found.submissions for p in s.people}
        for level in sorted(self.levels):
            for name, entry in self.children.get(level, {}).items():
                top = (*level, name)
                if top in self.levels or top in mine or self._passed_over_name(top, entry):
                    continue
                folder = entry is None or entry.kind in (tree.FOLDER, tree.ARCHIVE) or (
                    entry.kind == tree.UNREAD
                )  # fmt: skip
                if not folder and top not in self.owners:
                    continue
                there = list(beside.get(top, ()))
                if top == ("feedback",) and all(e.name.endswith(".html") for e in there):
                    continue  # the pages that an earlier run wrote
                shown = entry or Entry(top, self.root, tree.FOLDER)
                told_by, claim = self._owner((*top, ""), top, "") if folder else self.owners[top]
                for owner in claim.owners:
                    person = _person(owner, told_by, self._here(top), shown)
                    if person.key not in busy:
                        busy.add(person.key)
                        reason = _what_is_there(there, entry)
                        self.found.empty.append(Empty(person, shown.shown, told_by, reason))

    def _passed_over_name(self, top: tuple[str, ...], entry: Entry | None) -> bool:
        shown = entry or Entry((*top, ""), self.root, tree.FOLDER)
        passed = self._in_passed_folder(shown)[0] or self._passed_over(shown)
        return bool(passed) or top[-1] == copies.CHECKPOINTS


def what_it_is(entry: Entry) -> str:
    """A file that is no notebook, by the end of its name."""
    suffix = Path(entry.name.lower()).suffix
    return SORTS.get(suffix, f"a {suffix} file" if 1 < len(suffix) < 8 else "a file")


SORTS = {
    ".py": "a Python file",
    ".pdf": "a PDF",
    ".html": "a web page",
    ".htm": "a web page",
    ".txt": "a text",
    ".docx": "a Word document",
    ".md": "a text",
    ".7z": "an archive; only zip archives are read",
    ".rar": "an archive; only zip archives are read",
    ".gz": "an archive; only zip archives are read",
    ".tgz": "an archive; only zip archives are read",
    ".tar": "an archive; only zip archives are read",
    ".csv": "a table",
    ".png": "a picture",
    ".jpg": "a picture",
    ".jpeg": "a picture",
    ".json": "JSON, and no notebook",
    ".yml": "YAML",
    ".sqlite": "a database",
}


def _what_is_there(entries: Sequence[Entry], folder: Entry | None) -> str:
    if folder is not None and folder.kind == tree.UNREAD:
        return folder.why
    if not entries:
        return "nothing to grade: the folder is empty"
    told = [
        f"{' '.join(clean(e.name, 80).split())} ({e.why or what_it_is(e)})"
        for e in entries[:MOST_NAMED]
    ]
    more = len(entries) - MOST_NAMED
    return f"nothing to grade: {', '.join(told)}" + (f" and {more} more" if more > 0 else "")


def _looks_like_one(entry: Entry) -> bool:
    """Whether a file with another ending holds a notebook, by how it begins."""
    try:
        if entry.inside:
            start = tree.read(entry.path, entry.inside)[: 2**16]
        else:
            with open(entry.path, "rb") as file:
                start = file.read(2**16)
    except (OSError, Unreadable):
        return False
    return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and b'"cells"' in start


def _person(owner: Owner, told_by: str, here: str, entry: Entry) -> Person:
    name = one_line(owner.name) or one_line(entry.name) or "nameless"
    if not owner.person:  # bytes that are no letters tell people apart, too
        raw = owner.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return Person(name, f"name {raw}", owner.ids)
    return Person(name, f"{owner.person} in {here}" if owner.here else owner.person, owner.ids)


def _drop_checkpoints(found: Found) -> None:
    """A checkpoint gives way to the notebook of its name; where it is all there is, it counts."""
    whole = {(s.key, _own_stem(s)) for s in found.submissions if not s.checkpoint}
    kept = []
    for submission in found.submissions:
        if submission.checkpoint and (submission.key, _own_stem(submission)) in whole:
            why = "JupyterLab's checkpoint of a notebook that is there"
            found.ledger.append(Item(submission.shown, PASSED_OVER, why))
            continue
        if submission.checkpoint:
            note = "Only a checkpoint, JupyterLab's automatic copy, was handed in."
            submission = replace(submission, note=note)
        kept.append(submission)
    found.submissions = kept


def _own_stem(submission: Submission) -> str:
    return copies.without(_stem(submission.name).removesuffix(copies.CHECKPOINT))[0].casefold()


def _near_names(found: Found) -> list[str]:
    """Equal and nearly equal names of different people, which may be one person after all."""
    people = [p for s in found.submissions if s.told_by != "nothing" for p in s.people]
    groups: dict[str, dict[str, Person]] = defaultdict(dict)
    for person in [*people, *(e.person for e in found.empty)]:
        groups[near(person.name)][person.key] = person
    doubles = [group for _, group in sorted(groups.items()) if len(group) > 1]
    told = [
        f"{', '.join(f'“{p.name}”{_ids(p)}' for p in group.values())}: {len(group)} people with "
        "equal or nearly equal names. If they are one person, say so with --names."
        for group in doubles[:MOST_DOUBLES]
    ]
    more = len(doubles) - MOST_DOUBLES
    return told + ([f"{more} more names are those of several people."] if more > 0 else [])


def _ids(person: Person) -> str:
    return f" ({', '.join(f'{k} {clean(v, 40)}' for k, v in person.ids.items())})" * bool(
        person.ids
    )


def _shown(parts: tuple[str, ...]) -> str:
    return " ".join(clean("/".join(parts), 400).split())


def _listed(
    known: dict[str, tuple[str, str]], parts: tuple[str, ...], top: tuple[str, ...]
) -> tuple[str, str] | None:
    """The line of the list for a file: by its path, or by what lies at its learner's level."""
    if not known:
        return None
    whole = ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]
    tries = [*whole, top[-1], _stem(top[-1])]
    return next((known[_as_listed(t)] for t in tries if _as_listed(t) in known), None)


def _listed_key(name: str, id: str) -> str:
    return f"id {id}" if id else f"name {name}"


def _as_listed(name: str) -> str:
    return unicodedata.normalize("NFC", name.strip().strip("/")).casefold()


def _stem(name: str) -> str:
    """A file's name without the ending of a notebook or archive, letters written in one way."""
    plain = unicodedata.normalize("NFC", name)
    cut = NOTEBOOK.sub(lambda m: m[0][m[0].index("(") :] if "(" in m[0] else "", plain)
    return cut if cut != plain else Path(plain).stem if "." in plain.strip(".") else plain


def _bare(name: str) -> str:
    return name.lower().removesuffix(".zip")


def _without_lesson(stem: str) -> str:
    """A file's stem without the lesson's own name: what is left may be a learner's."""
    plain = stem
    for lesson in lessons.LESSONS:
        for name in (lesson.stem, lesson.stem[3:]):
            plain = re.sub(re.escape(name), "", plain, flags=re.IGNORECASE)
    return plain.strip(" _-.")


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    if pattern is None:
        return None
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise BadList(f"the name pattern is no regular expression: {error}") from None
    if "learner" not in compiled.groupindex:
        raise BadList("the name pattern needs a group called learner, as in (?P<learner>[^/]+)/")
    return compiled
