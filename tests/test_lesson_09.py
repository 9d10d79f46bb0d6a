"""Challenges 9.2 and 9.3 are judged by a property: answers that could pass or fail wrongly."""

import numpy as np
import pytest
from variants.lesson_09 import matrix_by_blocks as turn

from posenc.geometry import fit_shift, shift_matrix
from posenc.judging import calls, judge, values
from posenc.lessons import challenge

SEEDS = (0, 7, 2026)


def verdicts(id, answer):
    for seed in SEEDS:
        plan = judge.plan(challenge(id), seed)
        work = calls.perform(plan.calls, answer)
        yield judge.judge(plan, calls.Work.from_plain(values.plain(work.to_plain())))


# ------------------------------------------------------------------ 9.2


def is_sinusoidal(encoding, k):
    return fit_shift(encoding, k)[1] < 1e-9


def worst(encoding, k, matrix):
    with np.errstate(all="ignore"):
        return float(np.abs(encoding[k:] - encoding[:-k] @ matrix.T).max())


def honest(make):
    """A matrix, with the residual that it really has."""

    def answer(encoding, k):
        matrix = make(encoding, k)
        return matrix, worst(encoding, k, matrix)

    return answer


def worst_column_only(encoding, k):
    """Right in the column of the largest miss and 1 % off in the others, where it does not show."""
    matrix, residual = fit_shift(encoding, k)
    if residual < 1e-9:
        return matrix
    missed = np.abs(encoding[k:] - encoding[:-k] @ matrix.T)
    factors = np.full((len(matrix), 1), 0.99)
    factors[missed.max(axis=0).argmax()] = 1.0
    return matrix * factors


def smaller_largest_miss(encoding, k):
    """Towards the matrix whose largest miss is smallest, which is not that of least squares."""
    matrix, residual = fit_shift(encoding, k)
    before, after = encoding[:-k], encoding[k:]
    weights = np.ones(len(before))
    best = matrix
    for _ in range(60):
        missed = np.abs(after - before @ matrix.T).max(axis=1)
        weights = weights * (missed + 1e-12)
        weights /= weights.sum()
        root = np.sqrt(weights)[:, None]
        matrix = np.linalg.lstsq(before * root, after * root, rcond=None)[0].T
        best = min(best, matrix, key=lambda m: worst(encoding, k, m))
    return matrix if is_sinusoidal(encoding, k) else best


WRONG_FITS = {
    "zeros": honest(lambda e, k: np.zeros((e.shape[1], e.shape[1]))),
    "identity": honest(lambda e, k: np.eye(e.shape[1])),
    "rotation, residual hidden": lambda e, k: (shift_matrix(k, e.shape[1]), fit_shift(e, k)[1]),
    "right matrix, no residual": lambda e, k: (fit_shift(e, k)[0], 0.0),
    "right residual, no matrix": lambda e, k: (np.zeros((e.shape[1],) * 2), fit_shift(e, k)[1]),
    "overflow, not a number": lambda e, k: (np.full((e.shape[1],) * 2, 1e308), float("nan")),
    "overflow, zero": lambda e, k: (np.full((e.shape[1],) * 2, 1e308), 0.0),
    "overflow both ways": lambda e, k: (
        np.tile([1e308, -1e308], (e.shape[1], e.shape[1] // 2)),
        0.0,
    ),
    "infinite": lambda e, k: (np.full((e.shape[1],) * 2, np.inf), 0.0),
    "negative residual": lambda e, k: (fit_shift(e, k)[0], -fit_shift(e, k)[1]),
    "one column good enough": honest(worst_column_only),
    "smaller largest miss": honest(smaller_largest_miss),
    "a little off": honest(lambda e, k: fit_shift(e, k)[0] + 1e-3),
    "barely off on sinusoids": honest(
        lambda e, k: fit_shift(e, k)[0] * (1 + 5e-6 * is_sinusoidal(e, k))
    ),
}


@pytest.mark.parametrize("name", WRONG_FITS)
def test_a_fit_that_is_not_the_asked_one_does_not_pass(name):
    for found in verdicts("9.2", WRONG_FITS[name]):
        assert found.outcome == judge.FAILED, found


def test_the_traps_are_traps():
    """By the size of the largest miss alone, one would look as good and the other better."""
    encoding = np.random.default_rng(4).uniform(-1, 1, (40, 6))
    least = fit_shift(encoding, 3)[1]
    assert worst(encoding, 3, worst_column_only(encoding, 3)) == pytest.approx(least, abs=1e-9)
    assert worst(encoding, 3, smaller_largest_miss(encoding, 3)) < least - 0.01


def test_any_matrix_that_shifts_a_sinusoid_passes_and_is_not_compared():
    """At width 8 and few rows, matrices far apart in entries still shift the table."""

    def answer(encoding, k):
        matrix, residual = fit_shift(encoding, k)
        if residual > 1e-9:
            return matrix, residual
        left, sizes, directions = np.linalg.svd(encoding)
        if sizes[-1] < 1e-6:
            matrix = matrix + np.outer(np.ones(len(matrix)), directions[-1]) * 1e-9 / sizes[-1]
        return matrix, worst(encoding, k, matrix)

    assert all(found.passed for found in verdicts("9.2", answer))


def test_a_regression_with_a_constant_is_named_with_either_residual():
    def dropped(encoding, k):
        before, after = encoding[:-k], encoding[k:]
        matrix = np.linalg.lstsq(
            before - before.mean(axis=0), after - after.mean(axis=0), rcond=None
        )[0].T
        return matrix, worst(encoding, k, matrix)

    assert {found.misconception for found in verdicts("9.2", dropped)} == {"with-intercept"}


# ------------------------------------------------------------------ 9.3


def undone(w_k):
    return np.linalg.inv(w_k).T


WRONG_LOOKS = {
    "nothing": lambda w_k, k, base=10000.0: np.zeros_like(w_k),
    "ones": lambda w_k, k, base=10000.0: np.ones_like(w_k),
    "no columns": lambda w_k, k, base=10000.0: np.zeros((len(w_k), 0)),
    "fewer columns": lambda w_k, k, base=10000.0: (turn(k, len(w_k), base) @ undone(w_k))[:, :2],
    "too many rows": lambda w_k, k, base=10000.0: np.eye(len(w_k) + 1),
    "a vector": lambda w_k, k, base=10000.0: np.ones(len(w_k)),
    "not finite": lambda w_k, k, base=10000.0: turn(k, len(w_k), base) * np.nan,
    "infinite": lambda w_k, k, base=10000.0: turn(k, len(w_k), base) + np.inf,
    "bools": lambda w_k, k, base=10000.0: np.eye(len(w_k)) > 0,
    "complex": lambda w_k, k, base=10000.0: turn(k, len(w_k), base) @ undone(w_k) * (1 + 0j),
    "ragged": lambda w_k, k, base=10000.0: [[1.0], [1.0, 2.0]],
    "words": lambda w_k, k, base=10000.0: "left",
    "a pair": lambda w_k, k, base=10000.0: (turn(k, len(w_k), base) @ undone(w_k), w_k),
    "a dictionary": lambda w_k, k, base=10000.0: {"w_q": turn(k, len(w_k), base)},
    "scores upside down": lambda w_k, k, base=10000.0: -turn(k, len(w_k), base) @ undone(w_k),
    "slow pair only, as good as a tie": lambda w_k, k, base=10000.0: (
        (turn(k, len(w_k), base) * np.where(np.arange(len(w_k)) < len(w_k) - 2, 1e-9, 1.0))
        @ undone(w_k)
    ),
}


@pytest.mark.parametrize("name", WRONG_LOOKS)
def test_weights_that_do_not_look_back_do_not_pass(name):
    for found in verdicts("9.3", WRONG_LOOKS[name]):
        assert not found.passed and found.points == 0, found
        assert found.reason and "lookback_weights(" in found.reason


RIGHT_LOOKS = {
    "very large": lambda w_k, k, base=10000.0: 1e300 * turn(k, len(w_k), base) @ undone(w_k),
    "very small": lambda w_k, k, base=10000.0: 1e-290 * turn(k, len(w_k), base) @ undone(w_k),
    "single precision": lambda w_k, k, base=10000.0: (turn(k, len(w_k), base) @ undone(w_k)).astype(
        np.float32
    ),
    "pairs weighted": lambda w_k, k, base=10000.0: (
        (turn(k, len(w_k), base) @ np.diag(np.repeat(1.0 + np.arange(len(w_k) // 2), 2)))
        @ undone(w_k)
    ),
}


@pytest.mark.parametrize("name", RIGHT_LOOKS)
def test_weights_that_look_back_pass_however_they_are_made(name):
    assert all(found.passed for found in verdicts("9.3", RIGHT_LOOKS[name]))


MISTAKES = {
    "the cell of the lesson": (
        lambda w_k, k, base=10000.0: turn(k, len(w_k), base),
        "keys-not-projected",
    ),
    "transpose forgotten": (
        lambda w_k, k, base=10000.0: turn(-k, len(w_k), base) @ undone(w_k),
        "looks-ahead",
    ),
    "no base": (lambda w_k, k, base=10000.0: turn(k, len(w_k)) @ undone(w_k), "base-ignored"),
    "as lists": (
        lambda w_k, k, base=10000.0: (turn(k, len(w_k), base) @ w_k).tolist(),
        "projected-alike",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_whatever_the_size_or_form_of_the_weights(name):
    answer, mistake = MISTAKES[name]
    assert {found.misconception for found in verdicts("9.3", answer)} == {mistake}
