"""A verdict given again from what is kept of it: the answers that a challenge's calls returned.

The answers travel and are kept in the form in which they reached the judge, packed and bounded, so
that no notebook, sandbox or clock is needed to dispute a mark, on this machine or another.
"""

from __future__ import annotations

import base64
import zlib
from functools import lru_cache

from posenc import lessons
from posenc.grading.grade import Run
from posenc.grading.record import Answers, Record, clean_verdict
from posenc.judging import judge, values
from posenc.judging.calls import Work
from posenc.judging.verdict import Verdict

LARGEST_KEPT = 256 * 2**10  # bytes of packed answers, for one challenge of one notebook
LARGEST_UNPACKED = 2 * values.MOST_BYTES


class CannotReplay(ValueError):
    """A verdict cannot be given again from what is kept; the message says why."""


def answers(run: Run) -> dict[str, Answers]:
    """What is kept of a run, by challenge: answers up to `LARGEST_KEPT`, else their size only."""
    kept: dict[str, Answers] = {}
    wrong: list[str] = []
    for challenge in run.challenges:
        if challenge.id in run.works:
            kept[challenge.id] = _packed(run.works[challenge.id], tuple(wrong))
        verdict = run.verdicts.get(challenge.id)
        if verdict is not None and not verdict.passed:
            wrong.append(challenge.id)
    return kept


def verdict(record: Record, id: str) -> Verdict:
    """The verdict on a challenge, from the kept answers. CannotReplay where that is not possible.

    A verdict that the runner gave by itself, because a process died or time was up, is as it was:
    there are no answers to judge.
    """
    given = record.verdict(id)
    if given is None:
        raise CannotReplay(f"there is no verdict on {id}")
    kept = record.answers.get(id)
    if kept is None and given.step == "ran":
        return given
    if kept is None:
        raise CannotReplay("its answers were not kept: it was graded by an earlier version")
    if not kept.data:
        raise CannotReplay(
            f"its answers, {kept.bytes:,} bytes, were too large to be kept; "
            "`posenc grade --explain` runs the notebook again"
        )
    plan = judge.plan(lessons.challenge(id), given.seed)
    return clean_verdict(judge.judge(plan, unpacked(kept), kept.wrong_before))


def unpacked(kept: Answers) -> Work:
    """The answers as the judge takes them. CannotReplay where they were damaged."""
    try:
        packed = base64.b64decode(kept.data, validate=True)
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(packed, LARGEST_UNPACKED)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise ValueError("they are longer than they may be")
        return Work.from_plain(values.decode(data))
    except (ValueError, zlib.error) as error:
        raise CannotReplay(f"its answers are damaged ({error})") from None


def _packed(work: Work, wrong: tuple[str, ...]) -> Answers:
    try:
        data = values.encode(work.to_plain())
    except values.TooLarge:
        return Answers("", values.MOST_BYTES, wrong)
    return Answers(_text(data), len(data), wrong)


@lru_cache(maxsize=512)
def _text(data: bytes) -> str:
    """Packed answers as text; the same answers of a whole class are held once."""
    packed = zlib.compress(data, 1)
    return base64.b64encode(packed).decode() if len(packed) <= LARGEST_KEPT else ""
