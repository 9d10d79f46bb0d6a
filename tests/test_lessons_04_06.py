"""What lessons 4 to 6 rest on: the new references, the list of requirements, straight lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc import geometry, lessons
from posenc.encodings import binary_counter, sinusoidal
from posenc.figures import lesson_04

balancing_unit = lessons.challenge("4.1").reference
gray_code = lessons.challenge("5.1").reference
pairs_needed = lessons.challenge("5.2").reference
positions_between = lessons.challenge("5.3").reference
seeds = st.integers(0, 10_000)


@given(st.integers(2, 8), st.integers(1, 6), st.integers(0, 150), seeds)
def test_at_the_balancing_unit_both_parts_have_one_spread(n, d, start, seed):
    x = np.random.default_rng(seed).normal(size=(n, d))
    positions = balancing_unit(x, start) * np.arange(start, start + n)
    assert np.ptp(np.outer(positions, positions)) == pytest.approx(np.ptp(x @ x.T))


@given(st.integers(1, 9))
def test_one_column_of_the_gray_code_changes_from_row_to_row_and_round_the_end(bits):
    table = gray_code(2**bits + 1, bits)
    assert (np.abs(np.diff(table, axis=0)).sum(axis=1) == 1).all()
    assert (table[-1] == table[0]).all()
    assert len(np.unique(table[:-1], axis=0)) == 2**bits


@given(st.lists(st.floats(0.05, 2.5), min_size=1, max_size=5), st.integers(3, 60))
def test_enough_pairs_are_those_whose_nearest_row_is_the_next(speeds, length):
    found = pairs_needed(speeds, length)
    for n in range(1, found or len(speeds) + 1):
        p = np.arange(1, length)[:, None]
        apart = np.sort(geometry.norms(2 * np.sin(p * np.array(speeds[:n]) / 2)))
        tie = apart[1] - apart[0] < 1e-6
        assert tie or geometry.nearest_lookalike(speeds[:n], length) > 1


@given(st.floats(0, 500), st.floats(0, 500), st.floats(0.01, 3.0), st.floats(0.1, 9.0))
def test_positions_between_two_points_lead_from_one_to_the_other(p, moved, frequency, far):
    def point(position):
        return np.array([[np.sin(position * frequency), np.cos(position * frequency)]])

    found = positions_between(point(p), far * point(p + moved), frequency)[0]
    assert point(p + found) == pytest.approx(point(p + moved), abs=1e-6)


@given(seeds, st.integers(1, 8), st.integers(3, 30))
def test_weights_on_a_number_make_a_straight_line_of_it_for_each_reader(seed, width, length):
    a, b, c, d = np.random.default_rng(seed).normal(size=(4, 1, width))
    p = np.arange(length)[:, None]
    logits = (a + b * p) @ (c + d * p).T
    assert np.abs(np.diff(logits, 2, axis=1)).max() < 1e-8
    assert set(logits.argmax(axis=1)) <= {0, length - 1}


MARKS = {
    "the number itself": (0, 1, 1, 1, 0, 0),
    "divided by the length": (1, 1, 0, 1, 0, 0),
    "divided by 100": (1, 1, 1, 1, 0, 0),
    "even or odd": (1, 0, 1, 1, 0, 0),
    "one-hot": (1, 1, 1, 0, 0, 0),
    "a random vector": (1, 1, 1, 1, 0, 1),
}


@pytest.mark.parametrize("scheme", lesson_04.SCHEMES)
def test_each_scheme_of_lesson_4_meets_what_the_table_says(scheme):
    make = lesson_04.SCHEMES[scheme]
    met, _ = lesson_04.judged(make(10), make(100))
    assert tuple(map(int, met)) == MARKS[scheme]


@pytest.mark.parametrize("width", [8, 16, 64, 128])
def test_the_sinusoidal_table_is_structured_at_many_scales_and_the_counter_is_not(width):
    assert lesson_04.many_scales(sinusoidal(100, width))[0]
    assert not lesson_04.many_scales(binary_counter(100, 7))[0]


def test_the_sinusoidal_table_meets_all_six_requirements():
    met, _ = lesson_04.judged(*(sinusoidal(n, lesson_04.FEATURES) for n in (10, 100)))
    assert all(met)


def test_from_eight_pairs_on_the_next_row_is_the_nearest_and_from_seven_it_is_not():
    p = np.arange(1, 100_000)
    for pairs in (7, 8, 9, 16, 32):
        speeds = 10000.0 ** (-np.arange(pairs) / pairs)
        squared = sum((2 * np.sin(p * speed / 2)) ** 2 for speed in speeds)
        assert (squared.argmin() == 0) is np.bool_(pairs >= 8)


@pytest.mark.parametrize("number", [4, 5, 6])
def test_a_lesson_shows_at_most_four_claims_and_none_that_it_does_not_declare(number):
    assert 2 <= len(lessons.claims(number)) <= 4
    sections = [claim.section for claim in lessons.claims(number)]
    assert len(set(sections)) == len(sections)
    assert all(claim.settings for claim in lessons.claims(number))


def test_the_right_option_is_spread_over_the_places_and_is_not_the_longest():
    places, longest = [], 0
    for question in (q for number in (4, 5, 6) for q in lessons.questions(number)):
        right = [option.right for option in question.options].index(True)
        places.append(right)
        sizes = [len(option.text) for option in question.options]
        longest += sizes[right] == max(sizes) > min(sizes)
    counts = np.bincount(places, minlength=4)
    assert counts.min() >= 3 and counts.max() <= 4
    assert longest <= 4
