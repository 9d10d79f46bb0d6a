"""Challenge 4.3, Four requirements, from two tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from posenc import encodings, geometry
from posenc.judging.model import Case, Challenge

Array = np.ndarray

Tables = tuple[Array, ...]


def _numbers(short: int, long: int) -> Tables:
    return tuple(np.arange(n, dtype=float)[:, None] for n in (short, long))


def _over(short: int, long: int, divisor: float | None = None) -> Tables:
    return tuple(np.arange(n)[:, None] / (n if divisor is None else divisor) for n in (short, long))


def _remainders(short: int, long: int, of: int) -> Tables:
    return tuple((np.arange(n) % of)[:, None] / 1.0 for n in (short, long))


def _hot(short: int, long: int, size: float = 1.0) -> Tables:
    return tuple(size * np.eye(n) for n in (short, long))


def _bits(short: int, long: int) -> Tables:
    return tuple(encodings.binary_counter(n, 7) for n in (short, long))


def _waves(short: int, long: int, width: int) -> Tables:
    return tuple(encodings.sinusoidal(n, width) for n in (short, long))


def _up_to_the_middle(short: int, long: int) -> Tables:
    """Counted in tenths up to the middle of the text, and level from there on."""
    return tuple(np.minimum(np.arange(n), n // 2)[:, None] / 10 for n in (short, long))


def _last_two_alike(short: int, long: int) -> Tables:
    """Hundredths, and the last two rows are one."""
    return tuple(np.minimum(np.arange(n), n - 2)[:, None] / 100 for n in (short, long))


def _mirrored(short: int, long: int) -> Tables:
    return np.arange(short)[:, None] / 100.0, -np.arange(long)[:, None] / 100.0


def _zigzag_and_line(short: int, long: int) -> Tables:
    """Equal steps, to and fro in the short table and straight on in the long one."""
    return (np.arange(short) % 2)[:, None] / 50.0, np.arange(long)[:, None] / 50.0


def _downwards(short: int, long: int) -> Tables:
    return tuple(-np.arange(n, dtype=float)[:, None] for n in (short, long))


def _nearly_equal(short: int, long: int) -> Tables:
    """Two rows of the long table differ by a rounding, the others by more."""
    rows = np.column_stack([np.arange(long) / 128, np.zeros(long)])
    rows[-1] = rows[2]
    rows[-1, 1] = 1e-12
    return rows[:short].copy(), rows


def _shrunk(short: int, long: int) -> Tables:
    """Large entries, larger in the short table than in the long one."""
    return 4.0 * np.arange(short)[:, None] / short, 2.0 * np.arange(long)[:, None] / long


def _learned(rng: np.random.Generator, short: int, long: int, width: int) -> Tables:
    table = rng.uniform(-1, 1, (long, width)).round(3)
    return table[:short].copy(), table


def _case(tables: Tables, about: str = "") -> Case:
    return Case(tables, about=about)


def _draw_schemes(rng: np.random.Generator) -> Iterator[Case]:
    def lengths() -> tuple[int, int]:
        return int(rng.integers(5, 12)), int(rng.integers(24, 80))

    yield _case(_numbers(*lengths()))
    yield _case(_over(*lengths()))
    yield _case(_hot(*lengths(), round(float(rng.uniform(0.5, 3)), 2)))
    yield _case(_remainders(*lengths(), int(rng.integers(12, 20))))
    yield _case(_learned(rng, *lengths(), int(rng.integers(2, 9))))
    # An even width: the steps of an odd one are so nearly equal that a tolerance would decide.
    yield _case(_waves(*lengths(), 2 * int(rng.integers(1, 5))))
    yield _case(_up_to_the_middle(*lengths()))


REQUIREMENTS_MET = Challenge(
    id="4.3",
    name="requirements_met",
    title="Four requirements, from two tables",
    section="requirements",
    points=3,
    minutes=15,
    difficulty=2,
    asked="a dict of four bools",
    reference=geometry.requirements_met,
    cases=(
        _case(_numbers(10, 25), "the number itself"),
        _case(_over(10, 25), "divided by the length"),
        _case(_over(10, 25, 100.0), "divided by 100"),
        _case(_remainders(4, 9, 2), "even or odd"),
        _case(_hot(5, 8), "one-hot"),
        _case(_downwards(6, 20), "the number with a minus"),
        _case(_remainders(6, 25, 10), "remainders of 10"),
        _case(_hot(6, 12, 5.0), "one-hot times 5"),
        _case(_hot(6, 12, -5.0), "one-hot times −5"),
        _case(_shrunk(6, 25), "larger entries in the short table"),
        _case(_last_two_alike(9, 30), "the last two rows alike"),
        _case(_bits(6, 40), "binary digits"),
        _case(_mirrored(8, 30), "another direction in the long table"),
        _case(_zigzag_and_line(8, 30), "equal steps in other directions"),
        _case(_up_to_the_middle(8, 30), "counted up to the middle"),
        _case(_nearly_equal(6, 20), "two rows that differ by a rounding"),
        _case(_waves(24, 64, 16), "waves, larger tables"),
    ),
    draw=lambda rng: list(_draw_schemes(rng)),
    hints=(
        "Take the four one by one; each is a comparison of numbers from the two tables.",
        "Steps are the norms of `np.diff(table, axis=0)`. The long table has more of them; compare "
        "as many as the short one has.",
        "For `distinct`, all pairs at once: `long[:, None] - long` has shape (n, n, width). Leave "
        "out the pairs of a row with itself.",
    ),
)


@REQUIREMENTS_MET.choices
def answers(short, long, **parts):
    """The four answers, some of them found in another way."""
    found = geometry.requirements_met(short, long)
    return found | {name: bool(rule(short, long)) for name, rule in parts.items()}


answers.mistake(
    "sign-kept",
    "`bounded` looks at the largest entry and misses large negative ones",
    "−100 is as far from 0 as 100. What has to be taken before the maximum?",
    bounded=lambda short, long: long.max() <= max(1.0, short.max()),
)


answers.mistake(
    "sign-kept-in-short",
    "`bounded` takes the largest entry of the short table and misses large negative ones",
    "max |short| takes every entry without its sign. Which is it for the entries −5 and 0?",
    bounded=lambda short, long: _largest(long) <= max(1.0, short.max()),
)


def _largest(table: Array) -> float:
    return float(np.abs(table).max())


answers.mistake(
    "bounded-by-one",
    "`bounded` compares with 1 alone",
    "A scheme may use larger numbers, if they do not grow with the text. What does the "
    "short table say?",
    bounded=lambda short, long: _largest(long) <= 1,
)
answers.mistake(
    "bounded-by-short",
    "`bounded` compares with the short table alone",
    "An entry that grows from 0.1 to 0.2 does no harm. Which size is always allowed?",
    bounded=lambda short, long: _largest(long) <= _largest(short),
)


def _steps(table: Array) -> Array:
    return np.linalg.norm(np.diff(table, axis=0), axis=1)


answers.mistake(
    "neighbours-only",
    "`distinct` compares each row with the next one only",
    "Even or odd: rows 0 and 2 are equal. Which pairs have to be looked at?",
    distinct=lambda short, long: _steps(long).min() >= 1e-9,
)
answers.mistake(
    "exactly-equal",
    "`distinct` asks whether rows are equal to the last digit",
    "Rows that differ by a rounding cannot be told apart. The requirement names a distance.",
    distinct=lambda short, long: len(np.unique(long, axis=0)) == len(long),
)


answers.mistake(
    "row-with-itself",
    "`distinct` compares each row with itself as well, so that it is never met",
    "A row is at distance 0 from itself. Which pairs have two different rows?",
    distinct=lambda short, long: False,
)


def _distinct(table: Array) -> bool:
    apart = np.linalg.norm(table[:, None] - table, axis=2)[~np.eye(len(table), dtype=bool)]
    return bool(apart.min() >= 1e-9)


answers.mistake(
    "short-rows",
    "`distinct` looks at the rows of the short table",
    "Remainders of 10 are distinct in a text of six. In which of the two texts must they be?",
    distinct=lambda short, long: _distinct(short),
)


def _equal_step_vectors(short: Array, long: Array) -> bool:
    if short.shape[1] != long.shape[1]:
        return False
    steps = np.diff(long, axis=0)[: len(short) - 1]
    return bool(np.allclose(np.diff(short, axis=0), steps, atol=1e-9))


answers.mistake(
    "step-vectors",
    "`same_step` compares the differences of rows entry by entry",
    "What has to be equal is how long a step is. Its direction may differ, and so may the width.",
    same_step=_equal_step_vectors,
)
answers.mistake(
    "within-one-table",
    "`same_step` compares the steps of one table with each other",
    "The step from 3 to 4 is compared with the step from 3 to 4 in the other text.",
    same_step=lambda short, long: np.ptp(_steps(long)) <= 1e-9,
)
answers.mistake(
    "even-along-the-text",
    "`same_step` asks for equal steps all along each text as well",
    "The step from 3 to 4 is compared with the step from 3 to 4 in the other text, and with no "
    "other step.",
    same_step=lambda short, long: np.ptp(np.r_[_steps(short), _steps(long)]) <= 1e-9,
)


def _from_row_zero(short: Array, long: Array) -> bool:
    one, other = (np.linalg.norm(t[: len(short)] - t[0], axis=1) for t in (short, long))
    return bool(np.allclose(one, other, atol=1e-9))


answers.mistake(
    "from-row-zero",
    "`same_step` compares the distances from row 0 instead of the steps",
    "A step goes from row p to row p + 1. Where does yours begin?",
    same_step=_from_row_zero,
)
answers.mistake(
    "first-step-only",
    "`same_step` looks at the step from 0 to 1 only",
    "Which positions do the two tables share?",
    same_step=lambda short, long: abs(_steps(short)[0] - _steps(long)[0]) <= 1e-9,
)
answers.mistake(
    "whole-shape",
    "`fixed_width` compares the whole shape, and the lengths differ on purpose",
    "Which of the two axes is the width?",
    fixed_width=lambda short, long: short.shape == long.shape,
)
