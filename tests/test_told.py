"""How a wrong answer is told: by a property that it lacks, a pattern, or two mistakes at once."""

import importlib

import pytest

from posenc import lessons
from posenc.judging import calls, comparing, judge

ALL = [c for each in lessons.LESSONS for c in lessons.challenges(each.number)]
BY_ID = {c.id: c for c in ALL}
SEEDS = (0, 5)


def right_answers(challenge):
    module = importlib.import_module(f"variants.lesson_{challenge.lesson:02d}")
    return [challenge.reference, *challenge.also_right, *module.VARIANTS[challenge.id]]


@pytest.mark.parametrize("challenge", [c for c in ALL if c.properties], ids=lambda c: c.id)
def test_every_right_answer_has_every_property(challenge):
    for seed in SEEDS:
        plan = judge.plan(challenge, seed)
        for right in right_answers(challenge):
            work = calls.perform(plan.calls, right)
            for call, case, answer, wanted in zip(
                plan.calls, plan.cases, work.answers, plan.expected.answers
            ):
                if case.raises is None and answer[-1].value is not None:
                    value = comparing.conform(wanted[-1].value, answer[-1].value)
                    for each in challenge.properties:
                        assert each.lacking(value, *call.args, **call.kwargs) == "", right
