"""How wrong answers are told: python tests/told.py FILE [SEED …]

FILE is Python code with ANSWERS, a dictionary from a challenge's id to a list of wrong functions or
classes, or to a dictionary of them by name. For each answer the script prints the outcome, how it
was told and what a learner reads; at the end, by challenge, how many were told and how. Ends with
status 1 where a wrong answer passes. `python tests/told.py --known` counts pairs of mistakes.
"""

from __future__ import annotations

import runpy
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from posenc import lessons
from posenc.judging import calls, judge, sentences, verdict
from posenc.judging.verdict import Verdict

SEED = 7


def answers(path: str) -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """Challenge, name and function of each wrong answer in a file."""
    for id, given in runpy.run_path(path)["ANSWERS"].items():
        named = given.items() if isinstance(given, dict) else ((f.__name__, f) for f in given)
        yield from ((id, name, thing) for name, thing in named)


def verdict_on(id: str, thing: Callable[..., Any], seed: int) -> Verdict:
    """The verdict that a learner who hands in `thing` gets."""
    challenge = lessons.challenge(id)
    plan = judge.plan(challenge, seed)
    work = calls.perform(
        plan.calls, thing, seconds=challenge.seconds, ask_uses=tuple(challenge.builds_on)
    )
    return judge.judge(plan, work)


def main(path: str, seeds: list[int]) -> int:
    """Print each verdict and the counts; the exit status."""
    counts: dict[str, Counter[str]] = {}
    for id, name, thing in answers(path):
        for seed in seeds:
            found = verdict_on(id, thing, seed)
            how = "PASSES" if found.passed else found.told
            counts.setdefault(id, Counter())[how] += 1
            cause = " + ".join(filter(None, (found.misconception, found.second, found.pattern)))
            print(f"--- {id} {name} (seed {seed}): {found.outcome}, told by {how} {cause}")
            print("\n".join(f"    {line}" for line in sentences.told(found)))
    return report(counts)


def report(counts: dict[str, Counter[str]]) -> int:
    """Print the counts by challenge; 1 where something passes that should not."""
    kinds = (*verdict.TOLD, "PASSES")
    print(f"{'challenge':10}" + "".join(f"{kind:>14}" for kind in kinds) + f"{'told':>8}")
    total: Counter[str] = Counter()
    for id, count in sorted(counts.items(), key=lambda each: [int(n) for n in each[0].split(".")]):
        total += count
        print(_row(id, count, kinds))
    print(_row("all", total, kinds))
    return 1 if total["PASSES"] else 0


def _row(id: str, count: Counter[str], kinds: tuple[str, ...]) -> str:
    failed = sum(count.values()) - count["PASSES"]
    told = failed - count[verdict.UNTOLD]
    share = f"{100 * told / failed:.0f} %" if failed else ""
    return f"{id:10}" + "".join(f"{count[kind]:>14}" for kind in kinds) + f"{share:>8}"


def pairs() -> int:
    """Print, by challenge, how many pairs of mistakes differ from both, and how they are told."""
    print(f"{'challenge':10}{'mistakes':>9}{'pairs':>7}{'both':>7}{'others':>8}{'share':>8}")
    totals: Counter[str] = Counter()
    for each in lessons.LESSONS:
        for challenge in lessons.challenges(each.number):
            count = count_pairs(challenge)
            totals += count
            _pair_row(challenge.id, count)
    _pair_row("all", totals)
    return 0


def count_pairs(challenge: Any) -> Counter[str]:
    """Of a challenge's pairs that differ from both of their parts: how many are named with both.

    'other' are pairs whose answers are also those of another mistake or pair, which is named.
    """
    plan = judge.plan(challenge, SEED)
    count: Counter[str] = Counter(mistakes=len(challenge.misconceptions))
    for pair in plan.known.pairs:
        work = calls.perform(plan.calls, pair.does, quiet=False)
        ids = {pair.first.id, pair.second.id}
        if all(r.status == calls.RAISED for answer in work.answers for r in answer[-1:]):
            continue
        found = judge.judge(plan, work)
        if found.passed or (found.misconception in ids and found.second is None):
            continue
        count["pairs"] += 1
        count["both"] += {found.misconception, found.second} == ids
        count["other"] += found.told in (verdict.BY_MISTAKE, verdict.BY_TWO_MISTAKES) and (
            {found.misconception, found.second} != ids
        )
    return count


def _pair_row(id: str, count: Counter[str]) -> None:
    share = f"{100 * count['both'] / count['pairs']:.0f} %" if count["pairs"] else ""
    row = f"{id:10}{count['mistakes']:>9}{count['pairs']:>7}{count['both']:>7}"
    print(f"{row}{count['other']:>8}{share:>8}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--known"]:
        sys.exit(pairs())
    sys.exit(main(sys.argv[1], [int(word) for word in sys.argv[2:]] or [SEED]))
