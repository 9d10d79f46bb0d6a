"""check, hint, solution and case: what a learner calls under a challenge."""

from __future__ import annotations

import ast
import builtins
import html
import json
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import posenc
from posenc import lessons
from posenc.classroom.display import HINT, OPEN, RIGHT, TROUBLE, WRONG, Note, escaped, note
from posenc.classroom.drawing import fits, picture
from posenc.judging import calls, judge, sentences, values
from posenc.judging.judge import Verdict
from posenc.judging.model import Challenge

SEEDS = 1_000_000
# Verdicts of this kernel's session, by challenge: an answer that calls a wrong one is told so.
_latest: dict[str, Verdict] = {}


def check(id: str, thing: Any = ..., seed: int | None = None) -> Any:
    """Judge `thing`, your answer to challenge `id`, and say what came of it.

    The same judge marks what is handed in. `seed` fixes the random cases; without it they are new
    each time, and a verdict that fails names the seed. Under nbgrader the points come back as a
    number. An id that no challenge has, and a check without an answer, get a sentence.
    """
    challenge = _challenge(id)
    if isinstance(challenge, Note):
        return challenge
    id = challenge.id
    graded = "NBGRADER_EXECUTION" in os.environ
    if thing is ... and not graded:
        call = f'check("{id}", {challenge.name})'
        return note(OPEN, f"{id} needs your answer", f"Give it with the id: `{call}`.")
    plan = judge.plan(challenge, secrets.randbelow(SEEDS) if seed is None else seed)
    if thing is ...:
        work = calls.Work("ellipsis")
    else:
        with _nobody_to_ask():
            work = calls.perform(
                plan.calls, thing, seconds=challenge.seconds, ask_uses=tuple(challenge.builds_on)
            )
    wrong = {known for known, verdict in _latest.items() if not verdict.passed}
    verdict = judge.judge(plan, work, wrong)
    _latest[id] = verdict
    if graded:
        return verdict.points
    from posenc.classroom.recording import record_challenge

    source = _cell_of(challenge.name) if verdict.passed else ""
    record_challenge(id, verdict.outcome, verdict.points, source)
    told = shown(verdict, challenge.title, len(challenge.hints))
    more = _drawn(plan, work) + _next_link(id) if verdict.passed else ""
    return _with(told, more + _section_link(challenge, verdict))


def _with(told: Note, more: str) -> Note:
    """A verdict with HTML at its end; where its call is folded, before that."""
    end = told.html.rfind("<details>")
    place = end if end >= 0 else len(told.html) - len("</div>")
    return Note(f"{told.html[:place]}{more}{told.html[place:]}", told.text)


def _drawn(plan: judge.Plan, work: calls.Work) -> str:
    """The answer to the last of the fixed calls that gave something to draw, whole if there is one.

    A call that is drawn from the seed would give another picture at every check.
    """
    pairs = zip(plan.challenge.cases, work.answers, strict=False)
    values = [answer[-1].value for call, answer in pairs if not call.steps and answer]
    drawn = [(fits(value), picture(value, plan.challenge.name)) for value in reversed(values)]
    drawn = [each for each in drawn if each[1]]
    return max(drawn, key=lambda each: each[0])[1] if drawn else ""


def _next_link(id: str) -> str:
    """A link to the next challenge that is open, which the verdict names."""
    following = _following(id)
    if following is None:
        return ""
    return _link(f"{following.id} · {following.title}", f"Go on to {following.id}")


def _section_link(challenge: Challenge, verdict: Verdict) -> str:
    """A link to the section of this notebook that a verdict is about; '' where there is none.

    In a learner's folder alone: elsewhere a verdict shall not depend on the files around it.
    """
    from posenc.classroom import recording

    if verdict.outcome == judge.NOT_ATTEMPTED or recording.working_folder() is None:
        return ""
    found = [m for m in challenge.misconceptions if m.id == verdict.misconception]
    slug = (found[0].section if found else "") or challenge.section
    here = Path(f"{lessons.lesson(challenge.lesson).stem}.ipynb")
    try:
        cells = json.loads(here.read_bytes())["cells"]
        texts = [
            "".join(cell["source"])
            for cell in cells
            if cell["metadata"].get("posenc", {}).get("section") == slug
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""
    title = texts[0].partition("\n")[0].lstrip("# ").strip() if texts else ""
    return _link(title, f"The section: {title}") if title else ""


def _link(heading: str, words: str) -> str:
    """A link within the notebook: JupyterLab names a heading by its words."""
    anchor = html.escape(heading.replace(" ", "-").replace("`", ""), quote=True)
    return f'<div><a href="#{anchor}">{escaped(words)}</a></div>'


def _challenge(id: Any) -> Challenge | Note:
    """The challenge that an id means, or what to say where none does."""
    try:
        return lessons.challenge(str(id))
    except KeyError as unknown:
        return note(TROUBLE, f"There is no challenge {id!r}", f"{unknown.args[0]}.")


@contextmanager
def _nobody_to_ask() -> Iterator[None]:
    """Let `input()` in an answer raise: JupyterLab would wait for a box that nobody sees."""

    def input(prompt: object = "") -> str:
        raise RuntimeError("a check gives your function its arguments; input() has nobody to ask")

    before, builtins.input = builtins.input, input
    try:
        yield
    finally:
        builtins.input = before


def _cell_of(name: str) -> str:
    """The newest cell of this session that defines `name`; '' where there is none."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    for cell in reversed(shell.user_ns.get("In", []) if shell else []):
        try:
            body = ast.parse(cell).body
        except (SyntaxError, ValueError):  # a magic, or a cell that did not run
            continue
        if any(getattr(node, "name", None) == name for node in body):
            return cell
    return ""


def shown(verdict: Verdict, title: str, hints: int = 0) -> Note:
    """A verdict as something to read: first the cause, last and folded how to dispute it."""
    id = verdict.challenge
    # "How long are the rows?" ends a sentence by itself.
    name = f"{id} {title}" + (" –" if title.endswith("?") else ":")
    if verdict.passed:
        points = f"{verdict.points} point{'s' if verdict.points != 1 else ''}"
        return note(RIGHT, f"{name} passed, {points}", verdict.reason, *_what_next(id))
    if verdict.outcome == judge.NOT_ATTEMPTED:
        return note(OPEN, f"{name} not attempted", verdict.reason)
    lead, *lines = sentences.told(verdict)
    if verdict.looks_like:
        # The cause is the first of the lines that follow the reason; it is read first.
        lead, lines = lines[0], [*lines[1:2], lead, *lines[2:]]
    if hints and not verdict.looks_like:
        lines.append(f'`hint("{id}", 1)` shows the first of {hints} hints.')
    more = ""
    if verdict.calls:
        more = (
            f"{sentences.right_calls(verdict)} Seed {verdict.seed}, "
            f"course {posenc.__version__}. To dispute the verdict, quote this and the call below."
        )
    made = note(
        WRONG, f"{name} {verdict.outcome}", *lines, code=verdict.failing_call, lead=lead, more=more
    )
    drawn = sentences.map_html(verdict)
    if not drawn:
        return made
    place = made.html.rindex("<details>") if more else len(made.html) - len("</div>")
    text = "\n".join([made.text, "", *sentences.map_lines(verdict)])
    return Note(f"{made.html[:place]}{drawn}{made.html[place:]}", text)


def _what_next(id: str) -> list[str]:
    """What to read of the next challenge of the lesson that is still open, or nothing."""
    following = _following(id)
    if following is None:
        return []
    return [f"Next: {following.id} {following.title}{sentences.stop(following.title)}"]


def _following(id: str) -> Challenge | None:
    from posenc.classroom import recording

    done = recording.read()
    left = [c for c in lessons.challenges(lessons.challenge(id).lesson) if not done.passed(c.id)]
    following = [c for c in left if c.id > id] or left
    return following[0] if following else None


def hint(id: str, number: int = 1) -> Note:
    """Hint `number` of challenge `id`, from 1 on; they go from a nudge to the way."""
    challenge = _challenge(id)
    if isinstance(challenge, Note):
        return challenge
    id, hints = challenge.id, challenge.hints
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
    challenge = _challenge(id)
    if isinstance(challenge, Note):
        return challenge
    id = challenge.id
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
    """The arguments of call `number` of challenge `id`, with the seed that a failing check names.

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
