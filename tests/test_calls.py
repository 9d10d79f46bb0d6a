"""Calls made where the learner's code lives: every ending is recorded, none escapes."""

import time

import numpy as np
import pytest

from posenc.judging import values
from posenc.judging.calls import MISSING, Call, Layer, Step, Work, perform


def only(thing, call=Call(), **given):
    (answer,) = perform([call], thing, **given).answers
    return answer[-1]


def test_a_call_and_its_answer_survive_the_bytes():
    call = Call(
        (np.arange(3.0), [1, 2], Layer("mean pooling", 3, 4, 5)), {"base": 2.0}, (Step("f", (1,)),)
    )
    back = Call.from_plain(values.plain(call.to_plain()))
    assert back.args[2] == call.args[2] and back.steps == call.steps and back.kwargs == call.kwargs
    np.testing.assert_array_equal(back.args[0], call.args[0])
    work = perform([Call((1,)), Call((0,))], lambda n: 1 / n)
    again = Work.from_plain(values.plain(work.to_plain()))
    assert again == work


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"found": 1},
        {"found": "x", "uses": [], "answers": [[["won", 1, [], None, False]]]},
        {"found": "callable", "uses": [], "answers": [[["raised", 1, [], None, False]]]},
    ],
)
def test_work_that_is_none_is_refused(data):
    with pytest.raises(ValueError):
        Work.from_plain(data)


def test_each_call_gets_fresh_arguments_and_reports_what_became_of_them():
    given = np.zeros(3)

    def greedy(x):
        x += 1
        return x

    first, second = perform([Call((given,)), Call((given,))], greedy).answers
    np.testing.assert_array_equal(first[0].value, second[0].value)
    np.testing.assert_array_equal(given, np.zeros(3))
    np.testing.assert_array_equal(first[0].after[0], np.ones(3))


def test_errors_exits_and_interrupts_stay_inside():
    def interrupt():
        raise KeyboardInterrupt

    def leave():
        raise SystemExit("bye")

    class Odd(Exception):
        def __str__(self):
            raise RuntimeError

    def odd():
        raise Odd

    assert only(interrupt).status == "interrupted"
    assert only(leave).error[0][0] == "SystemExit"
    assert only(odd).error == (("Odd", "Exception"), "", only(odd).error[2])
    assert "ZeroDivisionError" in only(lambda: 1 / 0).error[0]


def test_a_loop_is_ended_even_where_it_catches_everything():
    def stubborn():
        while True:
            try:
                while True:
                    pass
            except BaseException:
                if time.monotonic() > end:
                    raise

    end = time.monotonic() + 0.4
    start = time.monotonic()
    assert only(stubborn, seconds=0.2).status == "timed out"
    assert time.monotonic() - start < 5
    quick = perform([Call()], lambda: 1, seconds=5.0)
    assert quick.answers[0][0].value == 1


def test_the_time_is_for_all_calls_and_the_rest_is_not_made():
    made = []

    def slow():
        made.append(1)
        time.sleep(0.3)

    work = perform([Call()] * 50, slow, seconds=0.5)
    assert work.answers[-1][-1].status == "timed out"
    assert len(work.answers) == len(made) < 5


def test_prints_are_swallowed_and_noticed(capsys):
    result = only(lambda: print("42"))
    assert result.printed and result.value is None
    assert capsys.readouterr().out == ""


def test_a_learners_error_settings_do_not_reach_the_call():
    with np.errstate(all="raise"):
        assert only(lambda: float(np.exp(np.float64(-1e4)))).value == 0.0


def test_missing_values_and_classes():
    assert perform([Call()], MISSING).found == "missing"
    assert perform([Call()], 3.5).found == "float"

    class Counter:
        def __init__(self, start):
            self.n = start

        def add(self, k):
            self.n += k
            return self.n

    steps = (Step("n", reads=True), Step("add", (2,)), Step("add", (3,)), Step("gone", ()))
    (answer,) = perform([Call((1,), {}, steps)], Counter).answers
    assert [r.value for r in answer[:4]] == [None, 1, 3, 6]
    assert answer[4].error[0][0] == "AttributeError"


def test_layers_are_built_from_their_seed():
    call = Call((Layer("attention", 5, 4, 3), np.eye(3, 4)))
    one = only(lambda layer, x: layer(x), call).value
    two = only(lambda layer, x: layer(x), call).value
    np.testing.assert_array_equal(one, two)
    assert one.shape == (3, 4)


def test_names_that_an_answer_uses_are_found_in_nested_code_and_methods():
    def outer():
        return [helper(x) for x in range(3)]

    class Thing:
        def run(self):
            return helper(1)

    assert perform([], outer, ask_uses=("helper", "other")).uses == ("helper",)
    assert perform([], Thing, ask_uses=("helper",)).uses == ("helper",)


def helper(x):
    return x


def test_too_large_an_answer_is_named():
    assert only(lambda: [0] * (values.MOST_NODES + 1)).status == "too large"
    assert only(lambda: np.zeros(values.MOST_BYTES)).status == "too large"


def test_running_out_of_memory_is_an_outcome():
    def hungry():
        raise MemoryError

    assert only(hungry).status == "out of memory"
