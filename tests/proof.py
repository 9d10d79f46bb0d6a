"""The proof of every judge, counted: python tests/proof.py [LESSON …]

Prints, lesson by lesson, how many challenges, mistakes, right variants and mutants there are, and
how many of the public cases are used and how. Ends with status 1 where a mutant survives that
nobody has explained, where an explained one is gone, or where a public case is not used.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import mutants  # noqa: E402

from posenc import lessons

CASES = HERE / "data" / "pe_cases.json"
GOAL = 0.99


def used() -> dict[str, list[str]]:
    """Each public case's id, and where it is used: mistakes, questions, texts."""
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {case["id"]: [] for case in cases}
    for each in lessons.LESSONS:
        for challenge in lessons.challenges(each.number):
            for mistake in challenge.misconceptions:
                for id in mistake.seen:
                    found.setdefault(id, []).append(f"mistake {challenge.id} {mistake.id}")
        for question in lessons.questions(each.number):
            for id in question.seen:
                found.setdefault(id, []).append(f"question {question.id}")
        path = mutants.ROOT / "solutions" / f"{each.stem}.py"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for case in cases:
            if f"({case['link']})" in text:
                found[case["id"]].append(f"text of lesson {each.number}")
    return found


def mutant_counts(number: int) -> list[dict]:
    """The mutants of one lesson, judged in a process of their own: some of them loop or grow."""
    done = subprocess.run(
        [sys.executable, str(HERE / "mutants.py"), str(number)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"lesson {number}: {done.stderr[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def main(numbers: list[int]) -> int:
    """Print the counts; the exit status."""
    numbers = numbers or [
        each.number for each in lessons.LESSONS if lessons.challenges(each.number)
    ]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(mutant_counts, numbers))
    print(
        f"{'challenge':10} {'mistakes':>8} {'variants':>8} {'mutants':>8} {'killed':>8} {'equivalent':>10} {'survive':>8}"
    )
    totals = [0] * 6
    survivors, excused = [], 0
    for number, counts in zip(numbers, results):
        variants = importlib.import_module(f"variants.lesson_{number:02d}").VARIANTS
        for count in counts:
            challenge = lessons.challenge(count["challenge"])
            row = [
                len(challenge.misconceptions),
                len(variants[challenge.id]),
                count["made"],
                count["killed"],
                count["equivalent"],
                len(count["survivors"]),
            ]
            totals = [a + b for a, b in zip(totals, row)]
            excused += count["equivalent"]
            survivors += [(challenge.id, s) for s in count["survivors"]]
            print(
                f"{challenge.id:10} {row[0]:>8} {row[1]:>8} {row[2]:>8} {row[3]:>8} {row[4]:>10} {row[5]:>8}"
            )
    print(
        f"{'all':10} {totals[0]:>8} {totals[1]:>8} {totals[2]:>8} {totals[3]:>8} {totals[4]:>10} {totals[5]:>8}"
    )
    share = totals[3] / max(totals[2] - totals[4], 1)
    print(f"killed of those that are not equivalent: {100 * share:.2f} %")
    for id, change in survivors:
        print(f"survives: {id}: {change}")
    unused = _report_cases()
    return 1 if survivors or share < GOAL or unused else 0


def _report_cases() -> list[str]:
    places = used()
    known = {case["id"] for case in json.loads(CASES.read_text(encoding="utf-8"))}
    for kind in ("mistake", "question", "text"):
        print(
            f"public cases used in a {kind}: {sum(any(w.startswith(kind) for w in where) for where in places.values())}"
        )
    unused = [id for id in known if not places[id]]
    strange = [id for id in places if id not in known and not id.startswith("https://")]
    print(f"public cases used: {len(known) - len(unused)} of {len(known)}")
    if unused:
        print("not used: " + ", ".join(unused))
    if strange:
        print("named, but no such case: " + ", ".join(strange))
    return unused + strange


if __name__ == "__main__":
    sys.exit(main([int(word) for word in sys.argv[1:]]))
