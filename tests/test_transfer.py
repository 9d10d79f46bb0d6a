"""A challenge asks for more than its lesson shows: no cell passes it as it is."""

from __future__ import annotations

import ast

import pytest
import transfer

from posenc import lessons
from posenc.judging import judge

TRAINING = (11, 12)  # lessons that train while they run, for a minute or two
over_lessons = pytest.mark.parametrize(
    "number",
    [
        pytest.param(each.number, marks=[pytest.mark.slow] if each.number in TRAINING else [])
        for each in lessons.LESSONS
    ],
)


@over_lessons
def test_no_function_of_a_lesson_passes_under_the_name_of_a_challenge(number):
    assert transfer.functions(number) == set()


@over_lessons
def test_no_cell_of_a_lesson_passes_with_its_names_and_numbers_changed(number):
    assert transfer.cells(number) == set()


def pasted(id, code, names):
    """What the search finds when a lesson holds this cell."""
    tree = ast.parse(code)
    return set(transfer._pasted(judge.plan(lessons.challenge(id), 0), tree, names))


def test_a_cell_that_solves_a_challenge_is_found():
    """The search can fail: 1.3's formula for one sentence, with the words as a name."""
    code = """
count = math.factorial(len(words)) // math.prod(math.factorial(words.count(w)) for w in set(words))
"""
    names = {"words": ["the", "dog"], "count": 2}
    exec("import math", names)
    assert pasted("1.3", code, names)
    assert not pasted("1.3", "count = len(set(words))", names)


def test_a_number_of_a_cell_may_stand_for_a_parameter():
    code = "places = np.arange(8)\nbits = places[:, None] // 2 ** np.arange(3) % 2"
    tree = ast.parse(code)
    found = transfer._slots(transfer._behind(tree.body[:1], tree.body[1].value), {})
    assert set(found) == {8}
