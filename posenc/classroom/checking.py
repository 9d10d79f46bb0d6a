"""check, hint, solution and case: what a learner calls under a challenge."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

import posenc
from posenc import lessons
from posenc.classroom.display import HINT, OPEN, RIGHT, WRONG, Note, note
from posenc.judging import calls, judge, values
from posenc.judging.judge import Verdict

SEEDS = 1_000_000
# Verdicts of this kernel's session, by challenge: an answer that calls a wrong one is told so.
_latest: dict[str, Verdict] = {}


def check(id: str, thing: Any = ..., seed: int | None = None) -> Any:
    """Judge `thing`, your answer to challenge `id`, and say what came of it.

    The same judge marks what is handed in. `seed` fixes the random cases; without it they are new
    each time, and a verdict that fails names the seed. Under nbgrader the points come back as a
    number. KeyError for an unknown id.
    """
    challenge = lessons.challenge(id)
    plan = judge.plan(challenge, secrets.randbelow(SEEDS) if seed is None else seed)
    if thing is ...:
        work = calls.Work("ellipsis")
    else:
        work = calls.perform(
            plan.calls, thing, seconds=challenge.seconds, ask_uses=tuple(challenge.builds_on)
        )
    # Through the bytes, as in grading: a verdict must not depend on the door.
    work = calls.Work.from_plain(values.plain(work.to_plain()))
    wrong = {known for known, verdict in _latest.items() if not verdict.passed}
    verdict = judge.judge(plan, work, wrong)
    _latest[id] = verdict
    if "NBGRADER_EXECUTION" in os.environ:
        return verdict.points
    from posenc.classroom.recording import record_challenge

    record_challenge(id, verdict.outcome, verdict.points)
    return shown(verdict, challenge.title, len(challenge.hints))


def shown(verdict: Verdict, title: str, hints: int = 0) -> Note:
    """A verdict as something to read."""
    id = verdict.challenge
    # "How long are the rows?" ends a sentence by itself.
    name = f"{id} {title}" + (" –" if title.endswith("?") else ":")
    if verdict.passed:
        points = f"{verdict.points} point{'s' if verdict.points != 1 else ''}"
        return note(RIGHT, f"{name} passed, {points}", verdict.reason)
    if verdict.outcome == judge.NOT_ATTEMPTED:
        return note(OPEN, f"{name} not attempted", verdict.reason)
    lines = [verdict.reason]
    if verdict.looks_like:
        lines.append(f"It looks as if {verdict.looks_like}.")
        lines.append(f"To think about: {verdict.think}")
    if verdict.mend_first:
        lines.append(verdict.mend_first)
    if hints and not verdict.looks_like:
        lines.append(f'`hint("{id}", 1)` shows the first of {hints} hints.')
    if verdict.calls:
        lines.append(
            f"{verdict.right} of {verdict.calls} calls right. Seed {verdict.seed}, "
            f"course {posenc.__version__}: quote this line and the call below to dispute the verdict."
        )
    return note(WRONG, f"{name} {verdict.outcome}", *lines, code=verdict.failing_call)


def hint(id: str, number: int = 1) -> Note:
    """Hint `number` of challenge `id`, from 1 on; they go from a nudge to the way."""
    hints = lessons.challenge(id).hints
    if number not in range(1, len(hints) + 1):
        return note(HINT, f"{id} has {len(hints)} hints", f"Ask for one of 1 to {len(hints)}.")
    more = (
        f'`hint("{id}", {number + 1})` says more.'
        if number < len(hints)
        else f'`solution("{id}")` shows one answer.'
    )
    return note(HINT, f"{id}, hint {number} of {len(hints)}", hints[number - 1], more)


def solution(id: str) -> Note:
    """One right answer to challenge `id`, where this copy of the course holds the solutions."""
    challenge = lessons.challenge(id)
    code = _solution_code(id)
    if code is None:
        return note(
            HINT,
            f"{id}: no solution in this copy",
            "The copy of the course that you have was handed out without its solutions. "
            "Ask whoever gave it to you.",
        )
    return note(HINT, f"{id} {challenge.title}: one right answer of many", code=code)


def case(id: str, number: int, seed: int, step: int = 0) -> list:
    """The arguments of call `number` of challenge `id` with this seed, as a failing check names them.

    step: for a class, the number of the step whose arguments are wanted. IndexError where there is
    no such call.
    """
    plan = judge.plan(lessons.challenge(id), seed)
    if number not in range(len(plan.calls)):
        raise IndexError(f"number: {number} came; {id} has calls 0 to {len(plan.calls) - 1}")
    call = calls.Call.from_plain(values.plain(plan.calls[number].to_plain()))
    given = call.steps[step - 1].args if step else call.args
    return [a.build() if isinstance(a, calls.Layer) else a for a in given]


def _solution_code(id: str) -> str | None:
    """The solved cell of a challenge, from the lesson's source beside the package."""
    stem = lessons.lesson(lessons.challenge(id).lesson).stem
    path = Path(posenc.__file__).parent.parent / "solutions" / f"{stem}.py"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return None
    for cell in text.split("\n# %%")[1:]:
        head, _, body = cell.partition("\n")
        if f'challenge="{id}"' in head and 'tags=["challenge"]' in head:
            return "\n".join(line for line in body.splitlines() if "### " not in line).strip()
    return None
