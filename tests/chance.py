"""No pattern fits by chance: python tests/chance.py [ANSWERS-PER-KIND] [SEED]

Judges random wrong answers to every challenge: random values of the right form, right values with
noise, with some entries or some calls replaced, and the right answers to other calls. None of them
follows any rule, so whatever is told of them by a pattern, a mistake or two is a chance fit. Prints
the counts by challenge; ends with status 1 where there is one.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from posenc import lessons
from posenc.judging import calls, judge, verdict
from posenc.judging.calls import Result, Work

CLAIMS = (verdict.BY_MISTAKE, verdict.BY_TWO_MISTAKES, verdict.BY_PATTERN)


def random_like(value: Any, rng: np.random.Generator, scale: float = 1.0) -> Any:
    """A random value of the form of `value`."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "b":
            return rng.random(value.shape) < 0.5
        if value.dtype.kind in "iu":
            low, high = int(value.min(initial=0)), int(value.max(initial=0))
            return rng.integers(low - 2, high + 3, value.shape)
        size = np.abs(value).max(initial=0) or 1.0
        return rng.normal(size=value.shape) * size * scale
    if isinstance(value, tuple | list):
        return type(value)(random_like(item, rng, scale) for item in value)
    if isinstance(value, dict):
        return {key: random_like(item, rng, scale) for key, item in value.items()}
    if isinstance(value, bool):
        return bool(rng.random() < 0.5)
    if isinstance(value, int):
        return int(rng.integers(-2, 2 * abs(value) + 4))
    if isinstance(value, float):
        return float(rng.normal() * (abs(value) or 1.0) * scale)
    if isinstance(value, str):
        return str(rng.choice(["invariant", "equivariant", "neither"]))
    return None if rng.random() < 0.5 else float(rng.normal())


def mixed(value: Any, other: Any, share: float, rng: np.random.Generator) -> Any:
    """`value` with a share of its entries taken from `other`."""
    if isinstance(value, np.ndarray):
        return np.where(rng.random(value.shape) < share, other, value)
    if isinstance(value, tuple | list):
        return type(value)(mixed(a, b, share, rng) for a, b in zip(value, other))
    if isinstance(value, dict):
        return {key: mixed(item, other[key], share, rng) for key, item in value.items()}
    return other if rng.random() < share else value


def noisy(value: Any, rng: np.random.Generator) -> Any:
    """`value` plus random numbers of a tenth of its size, so that it is near and wrong."""
    other = random_like(value, rng, 0.3)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value + other
    if isinstance(value, tuple | list):
        return type(value)(noisy(item, rng) for item in value)
    return value + other if isinstance(value, float) else other


def wrong_answers(plan: judge.Plan, rng: np.random.Generator) -> Iterator[tuple[str, Work]]:
    """One random wrong answer of each kind."""
    kinds: dict[str, Callable[[Any], Any]] = {
        "random": lambda v: random_like(v, rng),
        "noise": lambda v: noisy(v, rng),
        "some entries": lambda v: mixed(v, random_like(v, rng), 0.4, rng),
        "few entries": lambda v: mixed(v, random_like(v, rng), 0.1, rng),
    }
    for name, change in kinds.items():
        yield name, changed(plan, lambda _, value, change=change: change(value))
    chosen = rng.random(len(plan.calls)) < 0.5
    yield (
        "some calls",
        changed(plan, lambda n, value: random_like(value, rng) if chosen[n] else value),
    )


def changed(plan: judge.Plan, change: Callable[[int, Any], Any]) -> Work:
    """The right answers, each value changed; calls that should raise are left alone."""
    answers = []
    for number, answer in enumerate(plan.expected.answers):
        last: Result = answer[-1]
        if last.status == calls.RETURNED:
            last = replace(last, value=change(number, last.value))
        elif len(answer) > 1:
            second = replace(answer[1], value=change(number, answer[1].value))
            answer = (answer[0], second, *answer[2:])
        answers.append((*answer[:-1], last))
    return Work("callable", (), tuple(answers))


def main(each: int = 40, seed: int = 0) -> int:
    """Print the counts; the exit status."""
    rng = np.random.default_rng(seed)
    made, passed, fits = 0, 0, []
    for lesson in lessons.LESSONS:
        for challenge in lessons.challenges(lesson.number):
            counts: Counter[str] = Counter()
            for number in range(each):
                plan = judge.plan(challenge, number % 4)
                for kind, work in wrong_answers(plan, rng):
                    found = judge.judge(plan, work)
                    if found.passed:
                        passed += 1
                        continue
                    made += 1
                    counts[found.told] += 1
                    if found.told in CLAIMS:
                        fits.append((challenge.id, kind, found.told, found.reason))
            print(challenge.id, dict(counts), flush=True)
    print(f"{made} random wrong answers, {passed} that chance made right, {len(fits)} chance fits")
    for fit in fits:
        print(*fit, sep=" | ")
    return 1 if fits else 0


if __name__ == "__main__":
    sys.exit(main(*(int(word) for word in sys.argv[1:])))
