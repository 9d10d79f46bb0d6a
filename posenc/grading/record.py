"""What came of one notebook: one class from the worker that made it to the last output.

Plain JSON appears at two doors only, the store and the results file; `to_plain` and `from_plain`
are those doors. A record of an earlier version lacks some fields, and reads as their defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from posenc.grading.notebook import clean
from posenc.judging.verdict import OUTCOMES, Verdict

# The states of a notebook. Only the first has points; none of the others is a zero.
GRADED = "graded"
UNREADABLE = "unreadable"
NOT_GRADED = "not graded"  # a fault of the grader, tried again by the next run
NOTHING = "nothing to grade"
OTHER_LESSON = "another lesson"
OTHER_LANGUAGE = "another language"
STATES = (GRADED, UNREADABLE, NOT_GRADED, NOTHING, OTHER_LESSON, OTHER_LANGUAGE)
LONGEST_REASON = 600


class BadRecord(ValueError):
    """Plain data that are no record; the message says what is wrong with them."""


@dataclass(frozen=True)
class OldMark:
    """A mark that was given before: by an earlier judge, or before a challenge was judged anew."""

    challenge: str
    judge: str
    seed: int
    graded_at: str
    points: int
    outcome: str
    reason: str


@dataclass(frozen=True)
class Answers:
    """What a challenge's calls returned, kept so that its verdict can be given again from it.

    data: base64 text of the packed answers, '' where they are too large to be kept. bytes: their
    size unpacked. wrong_before: ids of earlier challenges that were wrong when this one was judged.
    """

    data: str
    bytes: int
    wrong_before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Record:
    """What came of one notebook.

    status: one of `STATES`; points and out_of are None for all but the first. challenges: a verdict
    for each challenge. notes: how the notebook ran. faults: of the grader itself. answers: by
    challenge, what its calls returned. judge and graded_at are set where the record is kept.
    """

    status: str
    reason: str = ""
    lesson: int | None = None
    lesson_from: str = ""
    version: str = ""
    edition: str = ""
    points: int | None = None
    out_of: int | None = None
    challenges: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    seconds: float = 0.0
    isolation: str = ""
    judge: str = ""
    graded_at: str = ""
    answers: Mapping[str, Answers] = field(default_factory=dict)

    @property
    def graded(self) -> bool:
        """Whether it has marks."""
        return self.status == GRADED

    def verdict(self, challenge: str) -> Verdict | None:
        """The verdict on a challenge, None where there is none."""
        return next((v for v in self.challenges if v.challenge == challenge), None)

    def to_plain(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return _plain(asdict(self))

    @classmethod
    def from_plain(cls, data: Any) -> Record:
        """The record that `to_plain` wrote, in this version or an earlier. BadRecord otherwise."""
        if not isinstance(data, dict):
            raise BadRecord("it is no JSON object")
        given = {name: data[name] for name in _names(cls) & data.keys()}
        try:
            given["challenges"] = tuple(verdict_from_plain(v) for v in given.get("challenges", ()))
            given["answers"] = {
                id: Answers(a["data"], a["bytes"], tuple(a["wrong_before"]))
                for id, a in given.get("answers", {}).items()
            }
            record = cls(**{name: _tuples(value) for name, value in given.items()})
        except (TypeError, KeyError, AttributeError) as error:
            raise BadRecord(f"a field is missing or of a wrong kind ({error})") from None
        _check(record)
        return record


def without_marks(status: str, reason: str, lesson: int | None = None, **more: Any) -> Record:
    """The record of a file that has no marks, with the reason."""
    return Record(status, clean(reason, LONGEST_REASON), lesson, **more)


def clean_verdict(verdict: Verdict) -> Verdict:
    """A verdict with all its text safe to print and store."""
    return verdict_from_plain(_cleaned(_plain(verdict.to_dict())))


def verdict_from_plain(data: Any) -> Verdict:
    """The verdict that was written as plain data. BadRecord where it lacks what each one has."""
    if not isinstance(data, dict):
        raise BadRecord("a verdict is no JSON object")
    try:
        verdict = Verdict(**{n: _tuples(data[n]) for n in _names(Verdict) & data.keys()})
    except TypeError as error:
        raise BadRecord(f"a verdict is not whole ({error})") from None
    texts = (verdict.challenge, verdict.outcome, verdict.reason, verdict.looks_like, verdict.think)
    if not all(isinstance(text, str) for text in texts):
        raise BadRecord("a verdict has something else where a text belongs")
    if type(verdict.points) is not int or type(verdict.out_of) is not int:
        raise BadRecord("a verdict's points are no whole number")
    return verdict


def merged(kept: Record | None, record: Record) -> Record:
    """A record in which some challenges were judged anew, and the others are those of `kept`."""
    if kept is None or not kept.graded or not record.graded:
        return record
    new = {v.challenge: v for v in record.challenges}
    challenges = (*(new.pop(v.challenge, v) for v in kept.challenges), *new.values())
    return replace(
        record,
        challenges=challenges,
        points=sum(v.points for v in challenges),
        out_of=sum(v.out_of for v in challenges),
        answers={**kept.answers, **record.answers},
    )


def _check(record: Record) -> None:
    """BadRecord where what outputs rely on does not hold, as in a file that was tampered with."""
    if record.status not in STATES:
        raise BadRecord(f"the state {clean(record.status, 40)!r} is not known")
    if any(v.outcome not in OUTCOMES for v in record.challenges):
        raise BadRecord("a verdict has an outcome that is not known")
    numbers = (record.lesson, record.points, record.out_of)
    if any(n is not None and type(n) is not int for n in numbers):
        raise BadRecord("its lesson or points are no whole number")
    if record.graded and None in numbers:
        raise BadRecord("it is graded, and its lesson or points are missing")
    texts = (record.reason, record.version, record.edition, *record.notes, *record.faults)
    if not all(isinstance(text, str) for text in texts):
        raise BadRecord("something else is where a text belongs")


def _names(kind: Any) -> set[str]:
    return {f.name for f in fields(kind)}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {k: _cleaned(v) for k, v in value.items()}
    return [_cleaned(v) for v in value] if isinstance(value, list) else value


def _tuples(value: Any) -> Any:
    return tuple(_tuples(v) for v in value) if isinstance(value, list) else value
