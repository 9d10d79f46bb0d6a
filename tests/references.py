"""No reference is right by itself: python tests/references.py [LESSON …]

Each challenge's reference is replaced by the first of its known mistakes, one after another, in the
challenge and wherever else the course uses it, so that all that is computed from it is wrong alike.
The right answers of tests/variants are written independently of it, in other forms; one of them at
least must then fail.
Prints how many of them are found out, by challenge; ends with status 1 where one is not.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from posenc import lessons
from posenc.judging import calls, combining, judge
from posenc.judging.model import Challenge, Misconception

SEED = 3
MOST_TRIED = 3


@contextlib.contextmanager
def in_place_of(right: Callable[..., Any], wrong: Callable[..., Any]) -> Iterator[None]:
    """`wrong` under every name that `right` has in the course's modules."""
    places = [
        (module, name)
        for module in list(sys.modules.values())
        if getattr(module, "__name__", "").startswith("posenc.")
        for name, value in list(vars(module).items())
        if value is right
    ]
    try:
        for module, name in places:
            setattr(module, name, wrong)
        yield
    finally:
        for module, name in places:
            setattr(module, name, right)


def found_out(challenge: Challenge, mistake: Misconception) -> bool:
    """Whether some right answer fails where the mistake is the reference."""
    right = challenge.reference
    wrong = combining.on_top(challenge, mistake, right) or mistake.does
    module = importlib.import_module(f"variants.lesson_{challenge.lesson:02d}")
    with in_place_of(right, wrong), np.errstate(all="ignore"):
        changed = replace(challenge, reference=wrong)
        try:
            plan = judge.plan(changed, SEED)
            for answer in (wrong, *module.VARIANTS[challenge.id]):
                work = calls.perform(plan.calls, answer, quiet=False)
                if any(each is not None for each in judge.deciding.faults(plan, work)):
                    return True
        except Exception:  # the judge itself stumbles over it, which every test shows
            return True
    return False


def main(numbers: list[int]) -> int:
    """Print the counts; the exit status."""
    hidden, told = [], 0
    for lesson in lessons.LESSONS:
        for challenge in lessons.challenges(lesson.number):
            if numbers and lesson.number not in numbers:
                continue
            tried = challenge.misconceptions[:MOST_TRIED]
            unseen = [m.id for m in tried if not found_out(challenge, m)]
            hidden += [f"{challenge.id} {id}" for id in unseen]
            told += not unseen
            made = len(tried)
            print(f"{challenge.id}: {made - len(unseen)} of {made} wrong references found out")
    print(f"{told} challenges, {len(hidden)} wrong references that nothing shows", *hidden)
    return 1 if hidden else 0


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]]))
