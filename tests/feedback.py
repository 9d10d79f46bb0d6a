"""Every sentence that a learner may be told, on one page to read: python tests/feedback.py [LESSON …]"""

from __future__ import annotations

import inspect
import sys

import numpy as np

from posenc import lessons
from posenc.classroom.checking import shown
from posenc.judging import calls, judge

SEED = 7
ODD = {
    "nothing returned": lambda value: None,
    "a text": lambda value: "passed",
    "a set": lambda value: {1.0, 2.0},
    "a generator": lambda value: (x for x in [1.0]),
    "one number": lambda value: 0.5,
    "True": lambda value: True,
    "in one row": lambda value: np.ravel(value),
    "transposed": lambda value: np.transpose(value),
    "not a number": lambda value: np.asarray(value, dtype=float) * np.nan,
    "half of it wrong": lambda value: np.where(
        np.arange(np.size(value)).reshape(np.shape(value)) % 2, value, 7
    ),
}


def told(challenge, thing) -> str:
    """What a learner who hands in `thing` reads."""
    plan = judge.plan(challenge, SEED)
    work = calls.perform(plan.calls, thing, seconds=challenge.seconds)
    return shown(judge.judge(plan, work), challenge.title, len(challenge.hints)).text


def page(numbers: list[int]) -> str:
    """The page, as Markdown."""
    lines = ["# What learners are told", ""]
    for number in numbers:
        for challenge in lessons.challenges(number):
            lines += [f"## {challenge.id} {challenge.title}: `{challenge.name}`", ""]
            for mistake in challenge.misconceptions:
                lines += [
                    f"### {mistake.id}",
                    "",
                    "```text",
                    told(challenge, mistake.does),
                    "```",
                    "",
                ]
            if not inspect.isclass(challenge.reference):
                for name, change in ODD.items():
                    lines += [
                        f"### {name}",
                        "",
                        "```text",
                        told(challenge, _odd(challenge, change)),
                        "```",
                        "",
                    ]
            lines += [f"{n}. {hint}" for n, hint in enumerate(challenge.hints, 1)] + [""]
    return "\n".join(lines)


def _odd(challenge, change):
    return lambda *args, **kwargs: change(challenge.reference(*args, **kwargs))


if __name__ == "__main__":
    print(page([int(w) for w in sys.argv[1:]] or [each.number for each in lessons.LESSONS]))
