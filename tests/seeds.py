"""No verdict depends on the seed: python tests/seeds.py [SEEDS] [LESSON …]

At each of the first 200 seeds every right answer of tests/variants and every reference passes, and
every known mistake fails. Prints the counts by challenge; ends with status 1 where one does not.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from posenc import lessons
from posenc.judging import calls, deciding, judge
from posenc.judging.calls import Work
from posenc.judging.model import Challenge


def passes(plan: judge.Plan, thing: Callable[..., Any]) -> bool:
    """Whether an answer passes."""
    work = calls.perform(plan.calls, thing, quiet=False)
    with np.errstate(all="ignore"):
        return judge.judge(plan, work).passed


def fails(plan: judge.Plan, thing: Callable[..., Any]) -> bool:
    """Whether an answer fails, found at its first wrong call where there is one."""
    for index, call in enumerate(plan.calls):
        made = calls.perform((call,), thing, quiet=False).answers
        alone = deciding.Plan(plan.challenge, plan.seed, (plan.cases[index],))
        vars(alone)["expected"] = Work("callable", (), (plan.expected.answers[index],))
        with np.errstate(all="ignore"):
            if deciding.fault(alone, 0, Work("callable", (), made)) is not None:
                return True
    return not passes(plan, thing)


def check(challenge: Challenge, seeds: int) -> list[str]:
    """What is wrong at some seed, in words."""
    module = importlib.import_module(f"variants.lesson_{challenge.lesson:02d}")
    right = [challenge.reference, *challenge.also_right, *module.VARIANTS[challenge.id]]
    wrong = []
    for seed in range(seeds):
        plan = judge.plan(challenge, seed)
        wrong += [f"{f.__name__} fails at {seed}" for f in right if not passes(plan, f)]
        mistakes = challenge.misconceptions
        wrong += [f"{m.id} passes at {seed}" for m in mistakes if not fails(plan, m.does)]
    print(
        f"{challenge.id}: {len(right)} right answers, {len(challenge.misconceptions)} mistakes, "
        f"{seeds} seeds: {len(wrong)} verdicts change",
        flush=True,
    )
    return [f"{challenge.id} {each}" for each in wrong]


def main(seeds: int, numbers: list[int]) -> int:
    """Print the counts; the exit status."""
    found = [
        each
        for lesson in lessons.LESSONS
        if not numbers or lesson.number in numbers
        for challenge in lessons.challenges(lesson.number)
        for each in check(challenge, seeds)
    ]
    print("\n".join([f"{len(found)} verdicts change", *found]))
    return 1 if found else 0


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    sys.exit(main(words[0] if words else 200, words[1:]))
