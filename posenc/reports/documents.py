"""A graded pile as one plain document: what every output is made from.

Its form is published as docs/results.schema.json.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import posenc
from posenc import lessons
from posenc.grading.learners import Submission
from posenc.grading.pile import GRADED, Pile, Result, judge_mark

SCHEMA = "posenc-results-1"


def document(
    results: Sequence[Result],
    pile: Pile,
    run: dict[str, Any],
    keep: str = "newest",
    unused: Sequence[str] = (),
) -> dict[str, Any]:
    """The document of a run. `run`: sandbox, level, sentence, jobs, started, finished, complete."""
    counting = which_count(results, keep)
    submissions = [_submission(result, pile, *counting[id(result)]) for result in results]
    return {
        "schema": SCHEMA,
        "run": {
            "version": posenc.__version__,
            "judge": judge_mark(),
            "seed": pile.settings.seed,
            "keep": keep,
            **run,
        },
        "submissions": submissions,
        "messages": messages(results, counting, unused),
    }


def which_count(results: Sequence[Result], keep: str) -> dict[int, tuple[bool, str]]:
    """By id of a result: whether it counts for its learner, and why not otherwise."""
    groups: dict[tuple[str, int | None], list[Result]] = defaultdict(list)
    for result in results:
        groups[result.submission.key, lesson_of(result)].append(result)
    for (learner, lesson), group in list(groups.items()):
        if lesson is None:  # an unreadable file without a lesson's name stands beside any other
            others = [number for name, number in groups if name == learner and number is not None]
            if others:
                groups[learner, others[0]] += groups.pop((learner, None))
    verdict: dict[int, tuple[bool, str]] = {}
    for group in groups.values():
        chosen = _chosen(group, keep)
        for result in group:
            counts = keep == "all" or result is chosen
            verdict[id(result)] = (
                counts,
                "" if counts else f"{chosen.submission.shown} counts ({keep})",
            )
    return verdict


def lesson_of(result: Result) -> int | None:
    """The lesson of a result; for one that cannot be read, what its file name says."""
    if result.record["lesson"] is not None:
        return result.record["lesson"]
    name = result.submission.path.name.lower().replace(" ", "_").replace("-", "_")
    return next((l.number for l in lessons.LESSONS if l.stem[3:] in name), None)


def _chosen(group: Sequence[Result], keep: str) -> Result:
    """The one of a learner's results that counts: a readable one if there is any."""
    readable = [r for r in group if r.record["status"] == GRADED] or list(group)
    ordered = sorted(readable, key=lambda r: r.submission.age)
    if keep == "best":
        return max(ordered, key=lambda r: (r.record["points"] or 0, r.submission.age))
    return ordered[0] if keep == "oldest" else ordered[-1]


def messages(
    results: Sequence[Result], counting: dict[int, tuple[bool, str]], unused: Sequence[str]
) -> list[str]:
    """What whoever runs the grader must be told about the pile as a whole."""
    told = []
    for result in results:
        counts, why = counting[id(result)]
        if not counts:
            told.append(
                f"{result.submission.learner}: {result.submission.shown} does not count; {why}."
            )
    nameless = [r.submission.shown for r in results if r.submission.told_by == "nothing"]
    if len(results) > 1 and nameless:
        shown = ", ".join(nameless[:3]) + (
            f" and {len(nameless) - 3} more" if len(nameless) > 3 else ""
        )
        told.append(
            f"No learner is named by {shown}; the file's name stands in. "
            "A list can be given with --names."
        )
    stale = [r for r in results if r.kept and r.record.get("judge") not in (None, judge_mark())]
    if stale:
        told.append(
            f"{len(stale)} results were made by an earlier judge; `--regrade all` makes them anew "
            "and keeps the old marks beside."
        )
    if unused:
        told.append(f"Listed, and nothing was found from: {', '.join(unused)}.")
    faulty = [r for r in results if r.record["faults"] or r.record["status"] == "not graded"]
    if faulty:
        told.append(
            f"{len(faulty)} notebooks met a fault of the grader; see their reasons, and report it."
        )
    return told


def _submission(result: Result, pile: Pile, counts: bool, why: str) -> dict[str, Any]:
    given: Submission = result.submission
    record = result.record
    key = pile.key(given, result.content)
    return {
        "file": given.shown,
        "learner": given.learner,
        "learner_told_by": given.told_by,
        "ids": given.ids,
        "late": given.late,
        "counts": counts,
        "counts_reason": why,
        **{name: record[name] for name in RECORD_FIELDS},
        "graded_at": record.get("graded_at", ""),
        "judge": record.get("judge", ""),
        "old_marks": pile.store.old_marks(key.file, key.content),
    }


RECORD_FIELDS = (
    "status",
    "reason",
    "lesson",
    "lesson_from",
    "version",
    "edition",
    "points",
    "out_of",
    "challenges",
    "notes",
    "faults",
    "seconds",
    "isolation",
)


def counting(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The submissions that count."""
    return [s for s in document["submissions"] if s["counts"]]


def by_learner(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The submissions that count, by learner."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for submission in counting(document):
        groups.setdefault(submission["learner"], []).append(submission)
    return groups


def challenge_ids(document: dict[str, Any]) -> list[str]:
    """All challenges that appear, in order."""
    ids = {v["challenge"] for s in document["submissions"] for v in s["challenges"]}
    return sorted(ids, key=lambda id: [int(part) for part in re.findall(r"\d+", id)])


def status(submission: dict[str, Any]) -> str:
    """A submission's state in a few words, for a column."""
    if submission["status"] != GRADED:
        return f"{submission['status']}: {submission['reason']}"
    outcomes = Counter(v["outcome"] for v in submission["challenges"])
    return ", ".join(f"{number} {outcome}" for outcome, number in sorted(outcomes.items()))


def remark(verdict: dict[str, Any]) -> str:
    """What to say about a verdict that earned no points, in one line; empty for one that did."""
    if verdict["outcome"] == "passed":
        return ""
    if verdict["misconception"]:
        return f"This looks as if {verdict['looks_like']}."
    return verdict["reason"]


def summary(document: dict[str, Any]) -> list[str]:
    """The pile in a few lines: how many, how they did, what they share."""
    chosen = counting(document)
    graded = [s for s in chosen if s["status"] == GRADED]
    lines = [
        f"{len(document['submissions'])} notebooks, {len(chosen)} count, {len(graded)} graded."
    ]
    for id in challenge_ids(document):
        verdicts = [v for s in graded for v in s["challenges"] if v["challenge"] == id]
        outcomes = Counter(v["outcome"] for v in verdicts)
        told = ", ".join(f"{n} {o}" for o, n in outcomes.most_common())
        lines.append(f"{id}: {told}{_shared(verdicts)}")
    return lines


def _shared(verdicts: Iterable[dict[str, Any]]) -> str:
    mistakes = Counter(v["misconception"] for v in verdicts if v["misconception"]).most_common(2)
    told = ", ".join(f"{name} ({number})" for name, number in mistakes if number > 1)
    return f"; most often {told}" if told else ""
