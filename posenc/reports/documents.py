"""A graded pile as one document: what every output is made from.

Inside the program it is dataclasses; JSON appears where a results file is written or read. The form
of that file is published as docs/results.schema.json.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any

import posenc
from posenc import lessons
from posenc.grading import learners
from posenc.grading.learners import Found, Item, Person
from posenc.grading.pile import Pile, Result, judge_mark
from posenc.grading.record import (
    NOT_GRADED,
    NOTHING,
    STATES,
    Answers,
    OldMark,
    Record,
    without_marks,
)
from posenc.judging import sentences
from posenc.judging.verdict import Verdict

SCHEMA, OLD_SCHEMA = "posenc-results-2", "posenc-results-1"
RECORD_FIELDS = tuple(f.name for f in fields(Record) if f.name != "answers")


@dataclass(frozen=True)
class Override:
    """Points that a person gave in place of the computed ones, and why."""

    challenge: str
    points: int
    reason: str
    who: str
    when: str

    @property
    def sentence(self) -> str:
        """It in one line."""
        return (
            f"{self.challenge}: {self.points} points were given by {self.who}, {self.when}: "
            f"{self.reason}"
        )


@dataclass(frozen=True)
class Run:
    """How a pile was graded. due: the deadline that decides what is late, '' without one."""

    version: str
    judge: str
    seed: int
    keep: str
    sandbox: str
    level: str
    sentence: str
    jobs: int
    started: str
    finished: str
    complete: bool
    due: str = ""


@dataclass(frozen=True)
class Row:
    """One person's submission. person: what tells people apart; partners: names of the others.

    handed_in: when, as an ISO date; handed_in_by: the system that says so, or 'file'. counts: False
    where another submission of the person counts, and counts_reason says which.
    """

    file: str
    learner: str
    learner_told_by: str
    record: Record
    person: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)
    partners: tuple[str, ...] = ()
    late: bool = False
    handed_in: str = ""
    handed_in_by: str = ""
    counts: bool = True
    counts_reason: str = ""
    old_marks: tuple[OldMark, ...] = ()
    overrides: tuple[Override, ...] = ()

    @property
    def points(self) -> int | None:
        """The points that are handed on: the computed ones, with what was given in their place."""
        if not self.overrides:
            return self.record.points
        given = {o.challenge: o.points for o in self.overrides}
        computed = {v.challenge: v.points for v in self.record.challenges}
        return sum((computed | given).values())

    @property
    def out_of(self) -> int | None:
        """Points that could be earned."""
        if self.record.out_of is not None or not self.overrides:
            return self.record.out_of
        lesson = int(self.overrides[0].challenge.split(".")[0])
        return sum(c.points for c in lessons.challenges(lesson))

    def given(self, challenge: str) -> Override | None:
        """What was given in place of the computed points of a challenge."""
        return next((o for o in self.overrides if o.challenge == challenge), None)


@dataclass(frozen=True)
class Document:
    """A whole graded pile. ledger: what became of each file and folder; sums: how many of each."""

    run: Run
    rows: tuple[Row, ...]
    messages: tuple[str, ...] = ()
    ledger: tuple[Item, ...] = ()
    sums: Mapping[str, int] = field(default_factory=dict)

    @property
    def counting(self) -> tuple[Row, ...]:
        """The submissions that count."""
        return tuple(row for row in self.rows if row.counts)

    @property
    def challenges(self) -> list[str]:
        """Ids of all challenges that appear, in order."""
        return challenge_ids(self.rows)

    def by_person(self) -> dict[str, list[Row]]:
        """The submissions that count, by person."""
        groups: dict[str, list[Row]] = {}
        for row in self.counting:
            groups.setdefault(row.person or row.learner, []).append(row)
        return groups

    def to_plain(self) -> dict[str, Any]:
        """As plain data for the results file; answers that several share are there once."""
        answers: dict[str, str] = {}
        return {
            "schema": SCHEMA,
            "run": asdict(self.run),
            "submissions": [_row_to_plain(row, answers) for row in self.rows],
            "messages": list(self.messages),
            "ledger": [asdict(item) for item in self.ledger],
            "sums": dict(self.sums),
            "answers": answers,
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Document:
        """The document in a results file that keeps to its schema, of this form or the first."""
        return cls(
            Run(**data["run"]),
            tuple(_row_from_plain(s, data.get("answers", {})) for s in data["submissions"]),
            tuple(data["messages"]),
            tuple(Item(**item) for item in data.get("ledger", ())),
            data.get("sums", {}),
        )


@dataclass(frozen=True)
class Asked:
    """What was asked for of the document beyond grading."""

    keep: str = "newest"
    unused: tuple[str, ...] = ()
    due: datetime | None = None
    overrides: tuple[tuple[str, Override], ...] = ()


def document(
    results: Sequence[Result],
    pile: Pile,
    facts: Mapping[str, Any],
    asked: Asked = Asked(),
    found: Found | None = None,
) -> Document:
    """The document of a run. facts: sandbox, level, sentence, jobs, started, finished, complete.

    found: what else there was beside the results, for the ledger and rows without a notebook.
    """
    due = asked.due.isoformat() if asked.due else ""
    run = Run(
        version=posenc.__version__,
        judge=judge_mark(),
        seed=pile.settings.seed,
        keep=asked.keep,
        due=due,
        **facts,
    )
    rows = [*_rows(results, pile, asked), *_empty_rows(found)]
    rows, unmatched = _overridden(rows, asked.overrides)
    told = [*(found.messages if found else ()), *messages(rows, asked, unmatched)]
    ledger = _ledger(results, found)
    sums: Counter[str] = Counter()
    for item in ledger:
        sums[item.kind] += item.count
    if found is not None and facts.get("complete", True):
        told += _balance(found, results, rows, sum(sums.values()))
    order = sorted(rows, key=lambda r: (learners.near(r.learner), r.person, r.file))
    return Document(run, tuple(order), tuple(told), tuple(ledger), dict(sorted(sums.items())))


def _rows(results: Sequence[Result], pile: Pile, asked: Asked) -> list[Row]:
    """A row for each person of each result."""
    entries = [(result, person) for result in results for person in result.submission.people]
    counting = which_count(entries, asked.keep)
    return [
        _row(result, person, pile, asked, *counts)
        for (result, person), counts in zip(entries, counting, strict=True)
    ]


def _row(result: Result, person: Person, pile: Pile, asked: Asked, counts: bool, why: str) -> Row:
    given, record = result.submission, result.record
    if given.note and given.note not in record.notes:
        record = replace(record, notes=(*record.notes, given.note))
    when = datetime.fromtimestamp(given.when).astimezone()
    return Row(
        file=given.shown,
        learner=person.name,
        learner_told_by=given.told_by,
        record=record,
        person=person.key,
        ids=person.ids,
        partners=tuple(p.name for p in given.people if p.key != person.key),
        late=when > asked.due if asked.due else given.late,
        handed_in=when.isoformat(timespec="seconds"),
        handed_in_by="file" if given.handed_in is None else given.told_by,
        counts=counts,
        counts_reason=why,
        old_marks=pile.old_marks(pile.key(given, result.content)),
    )


def _empty_rows(found: Found | None) -> list[Row]:
    return [
        Row(
            empty.shown,
            empty.person.name,
            empty.told_by,
            without_marks(NOTHING, empty.reason.removeprefix(f"{NOTHING}: ")),
            empty.person.key,
            empty.person.ids,
        )
        for empty in (found.empty if found else ())
    ]


def which_count(entries: Sequence[tuple[Result, Person]], keep: str) -> list[tuple[bool, str]]:
    """For each result of a person: whether it counts, and why not otherwise."""
    groups: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for number, (result, person) in enumerate(entries):
        groups[person.key, lesson_of(result)].append(number)
    for person_key, lesson in list(groups):
        if lesson is None:  # an unreadable file without a lesson's name stands beside any other
            others = [n for who, n in groups if who == person_key and n is not None]
            if others:
                groups[person_key, others[0]] += groups.pop((person_key, None))
    told: list[tuple[bool, str]] = [(True, "")] * len(entries)
    for group in groups.values():
        chosen = _chosen([entries[n][0] for n in group], keep)
        for number in group:
            if keep != "all" and entries[number][0] is not chosen:
                told[number] = (False, f"{chosen.submission.shown} counts ({keep})")
    return told


def lesson_of(result: Result) -> int | None:
    """The lesson of a result; for one that cannot be read, what its file name says."""
    if result.record.lesson is not None:
        return result.record.lesson
    name = result.submission.name.lower().replace(" ", "_").replace("-", "_")
    return next((each.number for each in lessons.LESSONS if each.stem[3:] in name), None)


def _chosen(group: Sequence[Result], keep: str) -> Result:
    """The one of a learner's results that counts: a readable one if there is any."""
    readable = [r for r in group if r.record.graded] or list(group)
    # A checkpoint is nobody's choice while there is a notebook.
    chosen = [r for r in readable if not r.submission.checkpoint] or readable
    ordered = sorted(chosen, key=lambda r: r.submission.age)
    if keep == "best":
        return max(ordered, key=lambda r: (r.record.points or 0, r.submission.age))
    return ordered[0] if keep == "oldest" else ordered[-1]


def messages(
    rows: Sequence[Row], asked: Asked = Asked(), unmatched: Iterable[str] = ()
) -> list[str]:
    """What whoever runs the grader must be told about the pile as a whole."""
    told = [
        f"{row.learner}: {row.file} does not count; {row.counts_reason}."
        for row in rows
        if not row.counts
    ]
    nameless = [row.file for row in rows if row.learner_told_by == "nothing"]
    if len(rows) > 1 and nameless:
        more = f" and {len(nameless) - 3} more" if len(nameless) > 3 else ""
        told.append(
            f"No learner is named by {', '.join(nameless[:3])}{more}; the file's name is used "
            "instead. A list can be given with --names."
        )
    stale = [row for row in rows if row.record.judge not in ("", judge_mark())]
    if stale:
        told.append(
            f"{len(stale)} results were made by an earlier judge; `--regrade all` makes them anew "
            "and keeps the old marks beside."
        )
    by_file = sum(row.handed_in_by == "file" for row in rows)
    if asked.due and by_file:
        told.append(
            f"Of {by_file} submissions no system says when they were handed in; the time of the "
            "file is used, which a download or a copy may have changed."
        )
    if asked.unused:
        told.append(f"Listed, and nothing was found from: {', '.join(asked.unused)}.")
    told += [f"Points are given to {who}, of whom nothing was found." for who in unmatched]
    faulty = [row for row in rows if row.record.faults or row.record.status == NOT_GRADED]
    if faulty:
        told.append(
            f"{len(faulty)} notebooks met a fault of the grader; see their reasons, and report it."
        )
    return told


def _overridden(
    rows: list[Row], overrides: Sequence[tuple[str, Override]]
) -> tuple[list[Row], list[str]]:
    """Rows with what was given to their people, and names that nobody has. BadList if ambiguous."""
    unmatched = []
    for who, override in overrides:
        places = [n for n, row in enumerate(rows) if row.counts and who in _names(row)] or [
            n
            for n, row in enumerate(rows)
            if row.counts and learners.near(who) == learners.near(row.learner)
        ]
        lesson = int(override.challenge.split(".")[0])
        fits = [n for n in places if rows[n].record.lesson in (lesson, None)] or places
        if len({rows[n].person for n in fits}) > 1:
            raise learners.BadList(
                f"points are given to {who!r}, and {len(fits)} people have that name; give an id"
            )
        if not fits:
            unmatched.append(who)
        else:
            row = rows[fits[0]]
            rows[fits[0]] = replace(row, overrides=(*row.overrides, override))
    return rows, unmatched


def _names(row: Row) -> set[str]:
    return {row.learner, row.file, *row.ids.values()}


def _ledger(results: Sequence[Result], found: Found | None) -> list[Item]:
    notebooks = [
        Item(
            r.submission.shown,
            r.record.status,
            "" if r.record.graded else r.record.reason,
        )
        for r in results
    ]
    return sorted([*notebooks, *(found.ledger if found else ())], key=lambda item: item.path)


def _balance(
    found: Found, results: Sequence[Result], rows: Sequence[Row], accounted: int
) -> list[str]:
    """Where the sums do not come out even: a fault of the grader, told rather than hidden."""
    wrong = []
    if accounted != found.total:
        wrong.append(f"{found.total} files and folders were found, and {accounted} accounted for")
    people = sum(len(r.submission.people) for r in results) + len(found.empty)
    if people != len(rows):
        wrong.append(f"there are {people} people with a submission, and {len(rows)} rows")
    return [f"{FAULT_OF_SUMS} {'; '.join(wrong)}. Please report it."] if wrong else []


FAULT_OF_SUMS = "The ledger does not add up:"


def challenge_ids(rows: Iterable[Row]) -> list[str]:
    """All challenges that appear in rows, in order."""
    ids = {v.challenge for row in rows for v in row.record.challenges}
    ids |= {o.challenge for row in rows for o in row.overrides}
    return sorted(ids, key=lambda id: [int(part) for part in re.findall(r"\d+", id)])


def status(row: Row) -> str:
    """A submission's state in a few words, for a column."""
    if not row.record.graded:
        told = f"{row.record.status}: {row.record.reason}"
    else:
        outcomes = Counter(v.outcome for v in row.record.challenges)
        told = ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))
    return "; ".join([told, *(o.sentence for o in row.overrides)])


def summary(document: Document) -> list[str]:
    """The pile in a few lines: how many, how they did, what they share."""
    chosen = document.counting
    graded = [row for row in chosen if row.record.graded]
    number = sentences.plural(len(document.rows), "submission")
    lines = [f"{number}, {len(chosen)} counted, {len(graded)} graded."]
    for id in document.challenges:
        verdicts = [v for row in graded if (v := row.record.verdict(id))]
        outcomes = Counter(v.outcome for v in verdicts)
        told = ", ".join(f"{n} {o}" for o, n in outcomes.most_common())
        lines.append(f"{id}: {told}{_shared(verdicts)}")
    if document.sums:
        told = ", ".join(f"{n} {kind}" for kind, n in document.sums.items())
        things = sentences.plural(
            sum(document.sums.values()), "file or folder", "files and folders"
        )
        lines.append(f"{things}: {told}.")
    return lines


def left_over(document: Document) -> list[Item]:
    """Lines of the ledger for what has no row: neither a notebook nor a folder that holds more."""
    return [
        item
        for item in document.ledger
        if item.kind not in STATES and (item.kind != learners.HOLDS or item.why)
    ]


def _shared(verdicts: Iterable[Verdict]) -> str:
    mistakes = Counter(v.misconception for v in verdicts if v.misconception).most_common(2)
    told = ", ".join(f"{name} ({number})" for name, number in mistakes if number > 1)
    return f"; most often {told}" if told else ""


def _row_to_plain(row: Row, answers: dict[str, str]) -> dict[str, Any]:
    record = row.record.to_plain()
    kept = {}
    for id, answer in row.record.answers.items():
        mark = hashlib.sha256(answer.data.encode()).hexdigest()[:24] if answer.data else ""
        if mark:
            answers[mark] = answer.data
        wrong = list(answer.wrong_before)
        kept[id] = {"answers": mark, "bytes": answer.bytes, "wrong_before": wrong}
    return {
        "file": row.file,
        "learner": row.learner,
        "learner_told_by": row.learner_told_by,
        "person": row.person,
        "ids": dict(row.ids),
        "partners": list(row.partners),
        "late": row.late,
        "handed_in": row.handed_in,
        "handed_in_by": row.handed_in_by,
        "counts": row.counts,
        "counts_reason": row.counts_reason,
        **{name: record[name] for name in RECORD_FIELDS},
        "final_points": row.points,
        "overrides": [asdict(o) for o in row.overrides],
        "old_marks": [asdict(mark) for mark in row.old_marks],
        "replay": kept,
    }


def _row_from_plain(data: Mapping[str, Any], answers: Mapping[str, str]) -> Row:
    record = Record.from_plain({name: data[name] for name in RECORD_FIELDS})
    kept = {
        id: Answers(answers.get(k["answers"], ""), k["bytes"], tuple(k["wrong_before"]))
        for id, k in data.get("replay", {}).items()
    }
    own = {f.name for f in fields(Row)} - {"record", "old_marks", "overrides", "partners"}
    return Row(
        record=replace(record, answers=kept),
        old_marks=tuple(OldMark(**mark) for mark in data["old_marks"]),
        overrides=tuple(Override(**o) for o in data.get("overrides", ())),
        partners=tuple(data.get("partners", ())),
        **{name: data[name] for name in own & data.keys()},
    )
