"""The verdict on every known right and wrong answer as JSON: `python tests/verdicts.py OUT.json`.

A verdict does not depend on the machine: `.ci/run` makes this with the oldest and the newest NumPy
that the course allows and compares the two files byte for byte.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from posenc import lessons  # noqa: E402
from posenc.judging import judge  # noqa: E402
from posenc.judging.calls import perform  # noqa: E402

SEEDS = (7, 11)
# Their wrong answers fit a matrix by least squares: the figures in the sentence are what rounding
# leaves, and the library under NumPy decides them. Everything else in the verdict is compared.
OF_ROUNDING = ("9.1", "9.2")


def verdicts() -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each known answer, with its verdict at each seed."""
    for number in range(1, len(lessons.LESSONS) + 1):
        variants = importlib.import_module(f"variants.lesson_{number:02d}").VARIANTS
        for challenge in lessons.challenges(number):
            known = {"reference": challenge.reference}
            known |= {f"variant {v.__name__}": v for v in variants[challenge.id]}
            known |= {f"mistake {m.id}": m.does for m in challenge.misconceptions}
            for seed in SEEDS:
                plan = judge.plan(challenge, seed)
                for name, answer in known.items():
                    work = perform(plan.calls, answer, ask_uses=tuple(challenge.builds_on))
                    told = judge.judge(plan, work).to_dict()
                    if challenge.id in OF_ROUNDING:
                        told = {**told, "reason": re.sub(r"[\d.e+-]+", "#", told["reason"])}
                        told.pop("map", None)
                    yield f"{challenge.id} {seed} {name}", told


if __name__ == "__main__":
    found = dict(verdicts())
    Path(sys.argv[1]).write_text(json.dumps(found, indent=1, sort_keys=True), encoding="utf-8")
    print(f"{len(found)} verdicts")
