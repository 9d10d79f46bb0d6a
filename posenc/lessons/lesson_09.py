"""Lesson 9, shifts as rotations: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from posenc import encodings, geometry
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray

# ------------------------------------------------------------------ claims

SHIFTS = (1, 2, 5, 17, 50)
EVEN_WIDTH = Setting("width", 2, 128, 2, 64, "width")
ROWS = Setting("length", 60, 1024, 1, 512, "rows")


def _random_rows(length: float = 512, width: float = 64, seed: float = 0) -> Array:
    """Random numbers, divided by √width so that rows have about the length 1."""
    rng = np.random.default_rng(int(seed))
    return rng.standard_normal((int(length), int(width))) / np.sqrt(int(width))


def _regression(shift: float = 10) -> Array:
    """R² of a straight fit of sin((p + k)/10) on the sine alone, and on sine and cosine."""
    p = np.arange(1000) / 10
    target = np.sin(p + int(shift) / 10)
    inputs = (np.sin(p)[:, None], np.column_stack([np.sin(p), np.cos(p)]))
    return np.array([_explained(each, target) for each in inputs])


def _explained(inputs: Array, target: Array) -> float:
    design = np.column_stack([inputs, np.ones(len(target))])
    fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return float(1 - ((target - fitted) ** 2).sum() / ((target - target.mean()) ** 2).sum())


def _regression_holds(measured: Array, shift: float = 10) -> tuple[bool, str]:
    alone, both = measured
    if alone > 0.99:
        return (
            False,
            f"A shift of {int(shift)} turns this pair by {int(shift) / 10:g} radians, about a whole number of half turns, and these change no more than the sign.",
        )
    return bool(
        both > 0.999999
    ), "With the cosine as a second input the fit is exact; with the sine alone it is not."


def _residual_sinusoid(width: float = 64, length: float = 512, base: float = 10000.0) -> float:
    table = encodings.sinusoidal(int(length), int(width), base)
    return max(geometry.fit_shift(table, k)[1] for k in SHIFTS)


def _sinusoid_holds(
    measured: float, width: float = 64, length: float = 512, base: float = 10000.0
) -> tuple[bool, str]:
    if measured < 1e-9 and int(width) % 2:
        return (
            True,
            "The lone last sine has no cosine, and yet on these rows the other columns stand in for it to within rounding. Try width 5.",
        )
    if measured < 1e-9:
        return (
            True,
            "For each of the five shifts some matrix carries every row to the row it belongs to.",
        )
    return (
        False,
        f"The best matrix misses by {measured:.2g}: the lone last sine has no cosine beside it to be turned with.",
    )


def _residuals_random(length: float = 512, width: float = 64, seed: float = 0) -> Array:
    table = _random_rows(length, width, seed)
    return np.array([geometry.fit_shift(table, k)[1] for k in SHIFTS])


def _random_holds(
    measured: Array, length: float = 512, width: float = 64, seed: float = 0
) -> tuple[bool, str]:
    fewest = int(length) - SHIFTS[-1]
    if measured.min() > 0.01:
        return (
            True,
            f"{fewest} to {int(length) - 1} equations for {int(width)} unknowns in each column, and no matrix fits.",
        )
    return (
        False,
        f"With {fewest} equations for {int(width)} unknowns in each column a matrix fits anything, so a small residual says nothing.",
    )


def _relative_random(seed: float = 0) -> float:
    table = _random_rows(seed=seed)
    return geometry.fit_shift(table, 1)[1] / float(np.abs(table).max())


def _relative_holds(measured: float, seed: float = 0) -> tuple[bool, str]:
    return (
        measured > 0.5,
        "The best matrix misses, at its worst place, by nearly as much as the largest entry there is.",
    )


def _whole_random(length: float = 512, width: float = 64) -> float:
    table = _random_rows(length, width)
    matrix, _ = geometry.fit_shift(table, 1)
    return float(np.linalg.norm(table[1:] - table[:-1] @ matrix.T) / np.linalg.norm(table[1:]))


def _whole_holds(measured: float, length: float = 512, width: float = 64) -> tuple[bool, str]:
    rows, unknowns = int(length) - 1, int(width)
    if unknowns >= rows:
        return (
            False,
            f"{rows} equations for {unknowns} unknowns: the fit goes through everything and has learned nothing.",
        )
    expected = np.sqrt(1 - unknowns / rows)
    return (
        measured > 0.5,
        f"Fitting {unknowns} unknowns to {rows} random numbers leaves about √(1 − {unknowns}/{rows}) = {expected:.4f} by chance alone.",
    )


def _rank(width: float = 64, length: float = 512) -> int:
    return geometry.numerical_rank(encodings.sinusoidal(int(length), int(width))[:-3])


def _rank_holds(measured: int, width: float = 64, length: float = 512) -> tuple[bool, str]:
    width, rows = int(width), int(length) - 3
    if measured < min(width, rows):
        return (
            True,
            f"{int(measured)} directions of {width}: in the others no row has anything above rounding, so a matrix may do there what it likes.",
        )
    return (
        False,
        f"All {int(measured)} directions are used: nothing is left open, and the matrix that fits is the only one.",
    )


def _fit_against_rotation(width: float = 8, length: float = 512) -> float:
    matrix, _ = geometry.fit_shift(encodings.sinusoidal(int(length), int(width)), 3)
    return float(np.abs(matrix - geometry.shift_matrix(3, int(width))).max())


def _fit_holds(measured: float, width: float = 8, length: float = 512) -> tuple[bool, str]:
    rank = _rank(width, length)
    if measured < 1e-6:
        return (
            True,
            f"The rows use all {rank} directions, so only one matrix fits, and that is the rotation.",
        )
    if rank == int(width):
        return (
            False,
            f"The rows use all {rank} directions, but some so little that rounding blurs the matrix there.",
        )
    return (
        False,
        f"The rows use {rank} of {int(width)} directions. Many matrices fit them, and least squares returns another one than the rotation.",
    )


def _composed(first: float = 3, second: float = 4, width: float = 64) -> float:
    a, b, width = int(first), int(second), int(width)
    product = geometry.shift_matrix(a, width) @ geometry.shift_matrix(b, width)
    return float(np.abs(product - geometry.shift_matrix(a + b, width)).max())


def _composed_holds(
    measured: float, first: float = 3, second: float = 4, width: float = 64
) -> tuple[bool, str]:
    return (
        measured < 1e-10,
        f"Turning by {int(second)} steps and then by {int(first)} is turning by {int(first) + int(second)}.",
    )


def _minus_lost(angle: float = 1.0) -> float:
    wrong = np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return float(np.linalg.norm(wrong @ np.ones(2)))


def _minus_holds(measured: float, angle: float = 1.0) -> tuple[bool, str]:
    if abs(measured - np.sqrt(2)) > 1e-3:
        return True, "A turn keeps lengths. This is no turn."
    return (
        False,
        "At this angle the sine or the cosine is near 0, and the length of (1, 1) does not give the mistake away.",
    )


def _looks_at(position: float = 50, k: float = 3, width: float = 64) -> Array:
    """Where the query of a position, turned back and turned ahead, finds its largest score."""
    table = encodings.sinusoidal(100, int(width))
    back, ahead = (geometry.shift_matrix(s * int(k), int(width)) for s in (1, -1))
    return np.array(
        [int(np.argmax((table[int(position)] @ turn) @ table.T)) for turn in (back, ahead)]
    )


def _looks_hold(
    measured: Array, position: float = 50, k: float = 3, width: float = 64
) -> tuple[bool, str]:
    position, k = int(position), int(k)
    right = list(measured) == [position - k, position + k]
    if k == 0:
        return (
            right,
            "Without a shift both look at the position itself, and the sign cannot be told.",
        )
    return right, f"One sign looks {k} back, the other {k} ahead, from every position."


CLAIMS = (
    Claim(
        "regression-sine-alone",
        "How much of sin((p + 10)/10) a straight fit explains: from the sine alone, and from sine and cosine",
        [0.2956, 1.0],
        5e-5,
        _regression,
        (Setting("shift", 0, 70, 1, 10, "shift"),),
        _regression_holds,
        section="sine-alone",
    ),
    Claim(
        "shift-residual-sinusoid",
        "The best matrix for a shift misses no entry of a sinusoidal table by more than rounding, for shifts 1, 2, 5, 17 and 50",
        0.0,
        1e-12,
        _residual_sinusoid,
        (
            Setting("width", 2, 64, 1, 64, "width"),
            ROWS,
            Setting("base", 10.0, 100000.0, 1.0, 10000.0, "base"),
        ),
        _sinusoid_holds,
        section="least-squares",
    ),
    Claim(
        "shift-residual-random",
        "For a random table the best matrix misses some entry by this much, for shifts 1, 2, 5, 17 and 50",
        [0.504, 0.489, 0.548, 0.501, 0.549],
        0.0005,
        _residuals_random,
        (ROWS, Setting("width", 2, 128, 1, 64, "width"), Setting("seed", 0, 50, 1, 0, "seed")),
        _random_holds,
        section="least-squares",
    ),
    Claim(
        "shift-relative-random",
        "At shift 1 this is so large a share of the random table's largest entry",
        0.898,
        0.0005,
        _relative_random,
        (Setting("seed", 0, 50, 1, 0, "seed"),),
        _relative_holds,
        section="least-squares",
    ),
    Claim(
        "shift-relative-random-whole",
        "Over the whole random table at shift 1, what the best matrix misses is so large a share of what it should reach",
        0.9348,
        0.0005,
        _whole_random,
        (ROWS, Setting("width", 2, 128, 1, 64, "width")),
        _whole_holds,
        section="least-squares",
    ),
    Claim(
        "fit-finds-rotation-8",
        "At width 8 the matrix that least squares finds is the rotation: their largest difference",
        0.0,
        1e-9,
        _fit_against_rotation,
        (Setting("width", 2, 64, 2, 8, "width"), Setting("length", 80, 1024, 1, 512, "rows")),
        _fit_holds,
        section="least-squares",
    ),
    Claim(
        "shift-rank-64",
        "512 rows of width 64 use about this many of the 64 directions",
        40,
        1,
        _rank,
        (EVEN_WIDTH, Setting("length", 80, 1024, 1, 512, "rows")),
        _rank_holds,
        section="one-of-many",
    ),
    Claim(
        "compose-3-4",
        "The matrix of 3 times the matrix of 4 is the matrix of 7, up to rounding",
        0.0,
        1e-12,
        _composed,
        (
            Setting("first", -60, 60, 1, 3, "first shift"),
            Setting("second", -60, 60, 1, 4, "second shift"),
            EVEN_WIDTH,
        ),
        _composed_holds,
        section="compose",
    ),
    Claim(
        "lost-minus-norm",
        "With the minus lost, at an angle of 1, the vector (1, 1) of length 1.4142 becomes as long as this",
        1.954123,
        5e-7,
        _minus_lost,
        (Setting("angle", 0.0, 6.28, 0.01, 1.0, "angle"),),
        _minus_holds,
        section="compose",
    ),
    Claim(
        "looks-three-back",
        "Where the query of position 50 looks: with the right sign, and with the other one",
        [47, 53],
        0,
        _looks_at,
        (
            Setting("position", 20, 79, 1, 50, "position"),
            Setting("k", 0, 20, 1, 3, "shift"),
            Setting("width", 4, 128, 2, 64, "width"),
        ),
        _looks_hold,
        section="look-back",
    ),
)

# ------------------------------------------------------------------ questions


def _from_half_a_sine() -> int:
    """Two angles with the sine 0.5, moved on by the same amount."""
    moved = np.sin(np.array([np.pi / 6, 5 * np.pi / 6]) + 0.7)
    return 2 if abs(moved[0] - moved[1]) > 0.1 else 0


def _turned_pair() -> int:
    c, s = np.cos(0.7), np.sin(0.7)
    offered = ([[c, -s], [s, c]], [[c, s], [s, c]], [[c, s], [-s, c]], [[s, c], [c, -s]])
    hand, later = (np.array([np.sin(a), np.cos(a)]) for a in (0.4, 1.1))
    return int(np.argmin([np.abs(np.array(m) @ hand - later).max() for m in offered]))


def _few_rows() -> int:
    return 3 if geometry.fit_shift(_random_rows(length=64), 1)[1] < 1e-9 else 0


def _far_away() -> int:
    fitted, _ = geometry.fit_shift(encodings.sinusoidal(512, 64), 3)
    here, there = encodings.sinusoidal_at([5000, 5003], 64)
    misses = [np.abs(m @ here - there).max() < 1e-6 for m in (geometry.shift_matrix(3, 64), fitted)]
    return {(True, True): 0, (True, False): 1, (False, True): 2, (False, False): 3}[tuple(misses)]


def _which_query() -> int:
    table = encodings.sinusoidal(40, 8)
    offered = (
        geometry.shift_matrix(-3, 8),
        np.roll(np.eye(8), 3, axis=0),
        -geometry.shift_matrix(3, 8),
        geometry.shift_matrix(3, 8),
    )
    misses = [np.abs((table @ w)[3:] - table[:-3]).max() for w in offered]
    return int(np.argmin(misses))


QUESTIONS = (
    Question(
        "9.q1",
        "At two positions the sine column of one pair holds 0.5. What does it hold k positions after each of them?",
        (
            Option(
                "The same value after both, since both start from 0.5.",
                False,
                "0.5 is the sine of π/6 and of 5π/6. One of these hands is rising, the other falling.",
            ),
            Option(
                "0.5 + sin(kω) after both.", False, "The sine of a sum is not the sum of the sines."
            ),
            Option(
                "It depends on the cosine column as well.",
                True,
                "The cosine tells which of the two angles it is, and sin(a + kω) needs it: sin a cos kω + cos a sin kω.",
            ),
            Option(
                "0.5 · cos(kω) after both.",
                False,
                "This is the part that comes from the sine. The part that comes from the cosine, cos a · sin(kω), is missing.",
            ),
        ),
        "sine-alone",
        _from_half_a_sine,
    ),
    Question(
        "9.q2",
        "A pair (sine, cosine) is to be turned on by k positions; c = cos(kω) and s = sin(kω). Which matrix does it?",
        (
            Option(
                "[[c, −s], [s, c]]",
                False,
                "The textbook's rotation, for pairs whose cosine comes first. Here it turns back by k.",
            ),
            Option(
                "[[c, s], [s, c]]",
                False,
                "Here the minus is lost. This matrix changes the length of a hand and is no rotation.",
            ),
            Option(
                "[[c, s], [−s, c]]",
                True,
                "sin(a + kω) = s·cos a + c·sin a stands in the first line, cos(a + kω) = c·cos a − s·sin a in the second.",
            ),
            Option(
                "[[s, c], [c, −s]]",
                False,
                "At k = 0 this would exchange sine and cosine, where nothing should change.",
            ),
        ),
        "turn",
        _turned_pair,
    ),
    Question(
        "9.q3",
        "A random table has 64 rows of width 64, and the best matrix for a shift by 1 is computed. What is its largest residual?",
        (
            Option(
                "About 0.5, as with 512 rows.",
                False,
                "With 512 rows there are 511 equations for the 64 unknowns of a column. Here there are only 63.",
            ),
            Option(
                "Larger than with 512 rows, as there is less to learn from.",
                False,
                "Less to learn from is also less to satisfy.",
            ),
            Option(
                "0 up to rounding, so random tables do have a shift matrix.",
                False,
                "The number is right, the conclusion is not: it fits whatever is put in.",
            ),
            Option(
                "0 up to rounding, and it means nothing.",
                True,
                "63 equations for 64 unknowns in each column can always be met. A fit says something when it could have failed.",
            ),
        ),
        "least-squares",
        _few_rows,
    ),
    Question(
        "9.q4",
        "At width 64, the rotation and the least-squares matrix both carry 512 rows three places on, up to rounding. Now apply both to the row of position 5000. Which of them gives the row of 5003?",
        (
            Option(
                "Both: they do the same.",
                False,
                "They do the same on 512 rows, which use about 40 directions. The row of 5000 uses others.",
            ),
            Option(
                "The rotation only.",
                True,
                "It was derived for every position. The other was fitted to 512 rows, and what it does in directions that these do not use was never asked.",
            ),
            Option(
                "The least-squares matrix only, as it was fitted to data.",
                False,
                "To the data of positions 0 to 511. The rotation holds for every position by the addition formulas.",
            ),
            Option(
                "Neither: 5000 is past the end of the table.",
                False,
                "The formula has no end, and neither has the rotation.",
            ),
        ),
        "one-of-many",
        _far_away,
    ),
    Question(
        "9.q5",
        "M₃ moves rows three places on: row p + 3 is M₃ times row p. Row i of P @ w_q is to be row i − 3 of P. What is w_q?",
        (
            Option(
                "M₋₃",
                False,
                "In P @ w the rows stand on the left, which transposes: P @ M₋₃ applies M₋₃ᵀ = M₃ to each row and looks ahead.",
            ),
            Option(
                "The identity with its rows rolled by three.",
                False,
                "This moves columns of the table. Positions are its rows.",
            ),
            Option(
                "−M₃",
                False,
                "The sign belongs to the angle. A minus in front points every hand the other way.",
            ),
            Option(
                "M₃",
                True,
                "P @ M₃ applies M₃ᵀ = M₋₃ to each row. From the left, M₋₃; from the right, its transpose.",
            ),
        ),
        "look-back",
        _which_query,
    ),
)

# ------------------------------------------------------------------ 9.1 the matrix

BASE_IGNORED = (
    "10000 is used whatever base is given",
    "The argument `base` does not reach the frequencies. Where should it stand?",
)


def _blocks(
    block: Callable[[float, float], Sequence[Sequence[float]]] = lambda c, s: ((c, s), (-s, c)),
    angle: Callable[[int, int, int, float], float] = lambda k, i, width, base: (
        k * base ** (-2 * i / width)
    ),
    columns: Callable[[int, int], tuple[int, int]] = lambda i, width: (2 * i, 2 * i + 1),
) -> Callable[..., Array]:
    """A wrong 9.1, pair by pair: another block, another angle, or other columns for a pair."""

    def wrong(k: int, width: int, base: float = 10000.0) -> Array:
        matrix = np.zeros((width, width))
        for i in range(width // 2):
            turned = angle(k, i, width, float(base))
            matrix[np.ix_(columns(i, width), columns(i, width))] = block(
                np.cos(turned), np.sin(turned)
            )
        return matrix

    return wrong


_both_positive = _blocks(lambda c, s: ((c, s), (s, c)))
_one_angle = _blocks(angle=lambda k, i, width, base: float(k))
_halves = _blocks(columns=lambda i, width: (i, i + width // 2))


def _rolled_identity(k: int, width: int, base: float = 10000.0) -> Array:
    return np.roll(np.eye(width), k, axis=0)


def _draw_shifts(rng: np.random.Generator) -> Sequence[Case]:
    cases = []
    for n, width in enumerate(rng.permutation([4, 6, 8, 10, 14, 20])):
        k = int(rng.integers(2, 201)) * (-1 if n % 3 == 2 else 1)
        base = {"base": float(np.round(rng.uniform(20, 30000), 1))} if n % 2 else {}
        cases.append(Case((k, int(width)), base, about="a negative shift" if k < 0 else ""))
    return cases


SHIFT_MATRIX = Challenge(
    id="9.1",
    name="shift_matrix",
    title="The matrix of a shift",
    section="whole-row",
    points=3,
    minutes=12,
    difficulty=2,
    asked="an array (width, width)",
    reference=geometry.shift_matrix,
    cases=(
        Case((1, 2)),
        Case((3, 4)),
        Case((0, 4), about="no shift"),
        Case((-2, 6), about="a negative shift"),
        Case((5, 6), {"base": 100.0}, about="another base"),
        Case((200, 8), about="a long shift"),
        Case((7, 64), about="a larger matrix"),
    ),
    draw=_draw_shifts,
    misconceptions=(
        Misconception(
            "shifted-back",
            _blocks(lambda c, s: ((c, -s), (s, c))),
            "the matrix turns back by k instead of on: it is the transpose of the one asked for, the textbook's rotation",
            "Apply it to (0, 1), the pair at position 0. Is the sine of the result sin(kω), or its negative?",
            ("PE100",),
            section="turn",
        ),
        Misconception(
            "both-sines-positive",
            _both_positive,
            "both sines came with a plus",
            "cos(a + b) = cos a cos b − sin a sin b. A matrix that keeps lengths has a minus somewhere; where?",
            ("PE150",),
            section="turn",
        ),
        Misconception(
            "one-angle",
            _one_angle,
            "all pairs turn by the same angle",
            "Pair i turns by k times its own frequency. How far does the second pair of width 4 turn in three positions?",
        ),
        Misconception(
            "halves",
            _halves,
            "sine and cosine of a pair are looked for half the width apart; that is a layout in use, and not this table's",
            "In this table columns 2i and 2i + 1 are one pair. Where does the second block of width 4 begin?",
            ("PE097", "PE098"),
        ),
        Misconception(
            "k-left-out",
            lambda k, width, base=10000.0: geometry.shift_matrix(1, width, base),
            "the matrix of one step came, whatever k is",
            "Where does k enter the angle of a pair?",
        ),
        Misconception(
            "sign-of-k-lost",
            lambda k, width, base=10000.0: geometry.shift_matrix(abs(k), width, base),
            "a negative k is taken for a positive one",
            "A shift by −2 goes back. What does the sine of a negative angle do?",
            section="turn",
        ),
        Misconception(
            "rows-rolled",
            _rolled_identity,
            "the rows of an identity matrix are rolled by k",
            "That moves columns of the table. Positions are its rows, and each pair of columns has to be turned.",
        ),
        Misconception(
            "single-i",
            _blocks(angle=lambda k, i, width, base: k * base ** (-i / width)),
            "i stands where the formula of the frequencies has 2i",
            "Pair i turns by base^(−2i/width) a position. At width 4, how far does the second pair turn in one?",
        ),
        Misconception(
            "doubled-exponent",
            _blocks(angle=lambda k, i, width, base: k * base ** (-4 * i / width)),
            "the exponent is doubled",
            "i already counts pairs, or already runs in twos; which is it in your code, and is the factor 2 there twice?",
        ),
        Misconception(
            "degrees",
            _blocks(angle=lambda k, i, width, base: np.radians(k * base ** (-2 * i / width))),
            "angles are taken in degrees",
            "`np.sin` takes radians, and k times frequency already is in radians.",
        ),
        Misconception(
            "base-ignored",
            lambda k, width, base=10000.0: geometry.shift_matrix(k, width),
            *BASE_IGNORED,
        ),
    ),
    hints=(
        "Each pair has a 2 by 2 block of its own on the diagonal; everything else is 0. The angle of pair i is k·base^(−2i/width).",
        "Write sin(a + b) and cos(a + b) one under the other. The factors of sin a and cos a are the block, with b = kω.",
        "`matrix[2 * i, 2 * i + 1]` is sin(kω) and `matrix[2 * i + 1, 2 * i]` is −sin(kω); both cosines stand on the diagonal.",
    ),
)

# ------------------------------------------------------------------ 9.2 least squares

FITS = 1e-9  # a table whose best residual is below this has a matrix for its shift
CLOSE_ENOUGH = 1e-6  # what such a matrix may miss
ABSOLUTE, RELATIVE = 2e-5, 1e-5


def _parts(encoding: Array, k: int) -> tuple[Array, Array]:
    """The rows that are shifted, and those that they should reach."""
    return encoding[: len(encoding) - k], encoding[k:]


def _near(one: float, other: float) -> bool:
    """Equal within tolerance. False, and never an error, where one of them is not finite."""
    return bool(abs(one - other) <= ABSOLUTE + RELATIVE * abs(other))


def _judge_fit(call: Call, expected: tuple, got: tuple) -> Fault | None:
    """Judge a fit by what it misses and by what it says of that; never by the matrix itself."""
    encoding, k = call.args
    before, after = _parts(encoding, k)
    what = f"`fit_shift(array of shape {encoding.shape}, {k})`"
    with np.errstate(all="ignore"):
        missed = after - before @ np.asarray(got[0], dtype=float).T
        actual, squares = float(np.abs(missed).max()), float((missed**2).sum())
    reported, best = float(got[1]), float(expected[1])
    # Each test is put so that NaN fails it.
    if not _near(reported, actual):
        return Fault(
            "property",
            f"{what}: the residual reported is {reported:.6g}, and that of the matrix returned is {actual:.6g}.",
        )
    if best < FITS:
        if max(actual, reported) < CLOSE_ENOUGH:
            return None
        return Fault(
            "property",
            f"{what}: this table has a matrix that misses nothing; yours misses an entry by {actual:.3g}.",
        )
    least = float(((after - before @ np.asarray(expected[0]).T) ** 2).sum())
    if not squares <= least * (1 + 1e-6):
        return Fault(
            "property",
            f"{what}: the squares of what your matrix misses add up to {squares:.6g}, which is not the least.",
        )
    if not _near(actual, best):
        return Fault(
            "property",
            f"{what}: the largest entry that your matrix misses is off by {actual:.6g}, which is not that of the least-squares matrix.",
        )
    return None


def _fit_of(before: Array, after: Array) -> Array:
    return np.linalg.lstsq(before, after, rcond=None)[0].T


def _largest(missed: Array) -> float:
    return float(np.abs(missed).max())


def _fit_by(
    rows: Callable[[Array, int], tuple[Array, Array]] = _parts,
    matrix: Callable[[Array, Array], Array] = _fit_of,
    report: Callable[[Array], float] = _largest,
) -> Callable[[Array, int], tuple[Array, float]]:
    """A wrong 9.2: other rows, another fit, or another number for what it misses."""

    def wrong(encoding: Array, k: int) -> tuple[Array, float]:
        before, after = rows(encoding, k)
        found = matrix(before, after)
        return found, report(after - before @ found.T)

    return wrong


def _formula(encoding: Array, k: int) -> tuple[Array, float]:
    before, after = _parts(encoding, k)
    matrix = geometry.shift_matrix(k, encoding.shape[1])
    return matrix, _largest(after - before @ matrix.T)


def _not_transposed(encoding: Array, k: int) -> tuple[Array, float]:
    matrix, residual = geometry.fit_shift(encoding, k)
    return matrix.T, residual


def _relative_residual(encoding: Array, k: int) -> tuple[Array, float]:
    matrix, residual = geometry.fit_shift(encoding, k)
    return matrix, residual / float(np.abs(encoding).max())


def _first_rows(before: Array, after: Array) -> Array:
    width = before.shape[1]
    return np.linalg.lstsq(before[:width], after[:width], rcond=None)[0].T


def _with_intercept(encoding: Array, k: int) -> tuple[Array, float]:
    """The slopes of a fit with a constant, and what that fit, constant included, misses."""
    before, after = _parts(encoding, k)
    design = np.column_stack([before, np.ones(len(before))])
    solution = np.linalg.lstsq(design, after, rcond=None)[0]
    return solution[:-1].T, _largest(after - design @ solution)


def _intercept_dropped(encoding: Array, k: int) -> tuple[Array, float]:
    """The same slopes, and what they miss without the constant."""
    before, after = _parts(encoding, k)
    matrix, _ = _with_intercept(encoding, k)
    return matrix, _largest(after - before @ matrix.T)


def _number_and_matrix(value: Any, width: int) -> tuple[Array, float] | None:
    """A pair (matrix, number) as plain floats, or None where `value` is none."""
    try:
        matrix, reported = value
        matrix, reported = np.asarray(matrix, dtype=float), float(reported)
    except (TypeError, ValueError):
        return None
    return (matrix, reported) if matrix.shape == (width, width) else None


def _acts_like(*wrong: Callable[[Array, int], tuple[Array, float]]) -> Callable[[Call, Any], bool]:
    """Recognise one of `wrong` by where its matrix sends the rows, and by the number it reports.

    Only tables without a shift matrix are looked at. On the others, answers of quite different
    make agree, or differ by rounding alone.
    """

    def fits(call: Call, value: Any) -> bool:
        encoding, k = call.args
        if geometry.fit_shift(encoding, k)[1] < FITS:
            return True
        found = _number_and_matrix(value, encoding.shape[1])
        if found is None:
            return False
        return any(_same_fit(encoding, found, does(encoding, k)) for does in wrong)

    return fits


def _same_fit(encoding: Array, found: tuple[Array, float], known: tuple[Array, float]) -> bool:
    with np.errstate(all="ignore"):
        apart = np.abs(encoding @ found[0].T - encoding @ known[0].T).max()
    return bool(apart <= 1e-3 and abs(found[1] - known[1]) <= 1e-3 + 1e-3 * abs(known[1]))


def _random_table(rng: np.random.Generator, length: int, width: int, k: int, sign: int) -> Array:
    """A random table whose worst miss under the best matrix has the given sign."""
    table = rng.uniform(-1, 1, (length, width)).round(3)
    before, after = _parts(table, k)
    missed = after - before @ _fit_of(before, after).T
    worst = missed.flat[np.abs(missed).argmax()]
    return table if np.sign(worst) == sign else -table


_FIXED = np.random.default_rng(9)


def _draw_tables(rng: np.random.Generator) -> Sequence[Case]:
    cases = []
    for n, width in enumerate(rng.permutation([4, 6, 8])):
        length, k = int(rng.integers(32, 70)), int(rng.integers(1, 12))
        table = encodings.sinusoidal(
            length, int(width), float(rng.uniform(50, 10000) if n else 10000.0)
        )
        cases.append(Case((table, k), about="a sinusoidal table"))
    for n, width in enumerate(rng.permutation([4, 6, 8, 10])):
        length, k = int(rng.integers(4 * width, 6 * width)), int(rng.integers(2, width))
        table = _random_table(rng, length, int(width), k, 1 if n % 2 else -1)
        cases.append(Case((table, k), about="a random table"))
    return cases


def _mistaken_fit(
    id: str, does: Callable[[Array, int], tuple[Array, float]], looks_like: str, think: str
) -> Misconception:
    return Misconception(id, does, looks_like, think, fits=_acts_like(does))


WHICH_RESIDUAL = "Asked for is one number: the largest absolute difference between a row that should be reached and what the matrix makes of the row before it."

FIT_SHIFT = Challenge(
    id="9.2",
    name="fit_shift",
    title="Found without the formula",
    section="least-squares",
    points=2,
    minutes=12,
    difficulty=2,
    asked="a pair (matrix, residual), an array (width, width) and a number,",
    reference=geometry.fit_shift,
    compare=_judge_fit,
    cases=(
        Case((encodings.sinusoidal(40, 4), 3), about="a sinusoidal table"),
        Case((encodings.sinusoidal(32, 8), 5), about="a sinusoidal table"),
        Case((encodings.sinusoidal(48, 6, 100.0), 1), about="a sinusoidal table of base 100"),
        Case((_random_table(_FIXED, 12, 4, 2, -1), 2), about="a random table"),
        Case((_random_table(_FIXED, 30, 6, 12, 1), 12), about="a random table, a long shift"),
        Case((_random_table(_FIXED, 64, 16, 7, -1), 7), about="a larger random table"),
    ),
    draw=_draw_tables,
    misconceptions=(
        _mistaken_fit(
            "not-transposed",
            _not_transposed,
            "the solution of before @ X = after came as it is, without being transposed",
            "`lstsq` multiplies from the right: before @ X. The convention here is matrix @ row. What must be done to X?",
        ),
        _mistaken_fit(
            "shifted-back",
            _fit_by(lambda e, k: _parts(e, k)[::-1]),
            "the matrix leads from the later rows back to the earlier ones",
            "Which rows are known and which are to be reached? `lstsq(a, b)` finds X with a @ X near b.",
        ),
        _mistaken_fit(
            "rolled",
            _fit_by(lambda e, k: (e, np.roll(e, -k, axis=0))),
            "the rows are rolled, so that the last ones are asked to lead to the first",
            "The last k rows of a table have no row k places on. What should happen to them?",
        ),
        _mistaken_fit(
            "one-step",
            _fit_by(lambda e, k: _parts(e, 1)),
            "the table is shifted by one row, whatever k is",
            "Which row belongs beside row 0 if k is 5?",
        ),
        _mistaken_fit(
            "formula",
            _formula,
            "the matrix comes from the formula of the rotation and not from the table",
            "The table that came may be no sinusoid at all. What would be the best matrix for a random one?",
        ),
        _mistaken_fit(
            "first-rows-only",
            _fit_by(matrix=_first_rows),
            "the matrix is solved from the first rows, as many as the width, and the others are not used",
            "As many equations as unknowns can always be met. Least squares takes all rows that have a partner.",
        ),
        Misconception(
            "with-intercept",
            _with_intercept,
            "the fit has a constant beside the matrix, which most regression routines add unasked",
            "A matrix times a row is asked for and nothing added. Which argument of your routine turns the constant off?",
            fits=_acts_like(_with_intercept, _intercept_dropped),
        ),
        _mistaken_fit(
            "signed-maximum",
            _fit_by(report=lambda m: float(m.max())),
            "the largest difference is taken with its sign, so that large negative ones are overlooked",
            "A miss of −0.9 is larger than one of 0.5. What is missing before the maximum?",
        ),
        _mistaken_fit(
            "mean",
            _fit_by(report=lambda m: float(np.abs(m).mean())),
            "the residual is a mean of absolute differences",
            WHICH_RESIDUAL,
        ),
        _mistaken_fit(
            "root-mean-square",
            _fit_by(report=lambda m: float(np.sqrt((m**2).mean()))),
            "the residual is the root of the mean square",
            WHICH_RESIDUAL,
        ),
        _mistaken_fit(
            "norm",
            _fit_by(report=lambda m: float(np.linalg.norm(m))),
            "the residual is the norm of all differences together",
            WHICH_RESIDUAL,
        ),
        _mistaken_fit(
            "sum-of-squares",
            _fit_by(report=lambda m: float((m**2).sum())),
            "the residual is the sum of squares that `lstsq` makes small",
            WHICH_RESIDUAL,
        ),
        _mistaken_fit(
            "relative",
            _relative_residual,
            "the residual is divided by the largest entry of the table",
            "The residual itself is asked for, not its share of anything.",
        ),
    ),
    hints=(
        "`encoding[:-k]` are the rows that have a partner, and `encoding[k:]` are the partners, in the same order.",
        "`np.linalg.lstsq(before, after, rcond=None)[0]` is X with before @ X as near to after as can be. Rows stand on the left there.",
        "matrix = X.T, since before @ X = before @ matrix.T. The residual is the largest absolute entry of after − before @ X.",
    ),
)

# ------------------------------------------------------------------ 9.3 looking back

LENGTH = 200  # rows of the table on which scores are looked at; every shorter table is a part of it
MARGIN = 1e-6  # by how much of the table's largest score the largest of a row must stand out


def _described(value: Any) -> str:
    """What came instead of a pair of arrays, in words."""
    if isinstance(value, str):
        return f"the text {value[:40]!r}"
    if isinstance(value, bool):
        return f"the value {value}"
    if isinstance(value, (int, float)):
        return "a single number"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"a {type(value).__name__}"


def _two_weights(value: Any, width: int) -> tuple[Array, Array] | Fault:
    """w_q and w_k as float arrays (width, m), or what is wrong with them."""
    stacked = isinstance(value, np.ndarray) and value.ndim == 3
    if not (isinstance(value, (list, tuple)) or stacked) or len(value) != 2:
        return Fault("type", f"a pair (w_q, w_k) is asked for; {_described(value)} came.")
    found = []
    for name, one in zip(("w_q", "w_k"), value):
        weights = _one_weight(name, one, width)
        if isinstance(weights, Fault):
            return weights
        found.append(weights)
    w_q, w_k = found
    if w_q.shape[1] != w_k.shape[1]:
        return Fault(
            "shape",
            f"w_q has {w_q.shape[1]} columns and w_k has {w_k.shape[1]}; queries and keys of different width have no dot product.",
        )
    return w_q, w_k


def _one_weight(name: str, value: Any, width: int) -> Array | Fault:
    try:
        weights = np.asarray(value)
    except ValueError:
        return Fault("shape", f"{name} has rows of different lengths.")
    if weights.dtype.kind not in "iuf":
        kind = {"b": "True and False", "c": "complex numbers"}.get(
            weights.dtype.kind, _described(value)
        )
        return Fault("type", f"{name} should be an array of numbers; {kind} came.")
    if weights.ndim != 2 or weights.shape[0] != width or weights.shape[1] == 0:
        exchanged = weights.ndim == 2 and weights.shape[1] == width
        guess = " Rows and columns are exchanged." if exchanged and weights.shape[0] else ""
        return Fault(
            "shape",
            f"{name} should have {width} rows and one column or more; its shape is {weights.shape}.{guess}",
        )
    if not np.isfinite(weights).all():
        return Fault("finite", f"{name} holds numbers that are not finite.")
    return weights.astype(float)


def _scores(w_q: Array, w_k: Array, width: int, base: float) -> Array:
    """The score of every position with every other, up to a positive factor."""
    table = encodings.sinusoidal(LENGTH, width, base)
    queries, keys = (table @ (w / (np.abs(w).max() or 1.0)) for w in (w_q, w_k))
    return queries @ keys.T


def _arguments(call: Call) -> tuple[int, int, float]:
    given = dict(zip(("k", "width", "base"), call.args)) | call.kwargs
    return given["k"], given["width"], given.get("base", 10000.0)


def _judge_lookback(call: Call, expected: Any, got: Any) -> Fault | None:
    """Judge a pair of weights by where each position looks; never by the weights themselves."""
    k, width, base = _arguments(call)
    shown = ", ".join(
        [*map(repr, call.args), *(f"{name}={value!r}" for name, value in call.kwargs.items())]
    )
    what = f"`lookback_weights({shown})`"
    weights = _two_weights(got, width)
    if isinstance(weights, Fault):
        return Fault(weights.step, f"{what}: {weights.reason}")
    scores = _scores(*weights, width, base)
    rows = np.arange(k, LENGTH)
    asked = scores[rows, rows - k]
    others = scores[rows].copy()
    others[rows - k, rows - k] = -np.inf
    clear = asked - others.max(axis=1) > MARGIN * np.abs(scores).max()
    if clear.all():
        return None
    first = int(np.argmin(clear))
    row, rival = int(rows[first]), int(others[first].argmax())
    count = f"{int((~clear).sum())} of {len(rows)} rows look elsewhere"
    if asked[first] < others[first, rival]:
        return Fault(
            "property",
            f"{what}: row {row} of the scores is largest at {rival}, and {row - k} is asked for; {count}.",
        )
    return Fault(
        "property",
        f"{what}: row {row} of the scores does not stand out at {row - k}; the entry at {rival} is as large. {count}.",
    )


def _places(value: Any, call: Call) -> Array | None:
    """Where each row of the scores is largest, or None where the weights cannot be used."""
    k, width, base = _arguments(call)
    weights = _two_weights(value, width)
    return None if isinstance(weights, Fault) else _scores(*weights, width, base).argmax(axis=1)


def _looks(target: Callable[[Array, int], Array]) -> Callable[[Call, Any], bool]:
    """Recognise weights under which each row looks at target(row, k), where that is in the table."""

    def fits(call: Call, value: Any) -> bool:
        places, rows = _places(value, call), np.arange(LENGTH)
        if places is None:
            return False
        wanted = target(rows, _arguments(call)[0])
        inside = (wanted >= 0) & (wanted < LENGTH)
        return bool((places[inside] == wanted[inside]).all())

    return fits


def _looks_as(*wrong: Callable[..., tuple[Array, Array]]) -> Callable[[Call, Any], bool]:
    """Recognise weights under which nearly every row looks where it does under one of `wrong`."""

    def fits(call: Call, value: Any) -> bool:
        places = _places(value, call)
        if places is None:
            return False
        known = [_places(each(*call.args, **call.kwargs), call) for each in wrong]
        return any(float((places == each).mean()) >= 0.95 for each in known)

    return fits


def _query_turned(
    matrix: Callable[..., Array], sign: int = 1
) -> Callable[..., tuple[Array, Array]]:
    """Weights whose query is the table times matrix(sign·k), and whose key is the table."""

    def weights(k: int, width: int, base: float = 10000.0) -> tuple[Array, Array]:
        return matrix(sign * k, width, base), np.eye(width)

    return weights


def _by_steps(steps: Callable[[int], int]) -> Callable[..., tuple[Array, Array]]:
    """Weights that look steps(k) back."""

    def weights(k: int, width: int, base: float = 10000.0) -> tuple[Array, Array]:
        return geometry.shift_matrix(steps(k), width, base), np.eye(width)

    return weights


def _base_left_out(k: int, width: int, base: float = 10000.0) -> tuple[Array, Array]:
    return geometry.lookback_weights(k, width)


def _mistaken_look(
    id: str,
    does: Callable[..., tuple[Array, Array]],
    fits: Callable[[Call, Any], bool],
    looks_like: str,
    think: str,
) -> Misconception:
    return Misconception(id, does, looks_like, think, fits=fits)


LOOKBACK_WEIGHTS = Challenge(
    id="9.3",
    name="lookback_weights",
    title="A query that looks back",
    section="look-back",
    points=3,
    minutes=15,
    difficulty=3,
    asked="a pair (w_q, w_k) of arrays with width rows each",
    reference=geometry.lookback_weights,
    compare=_judge_lookback,
    free_form=True,
    cases=(
        Case((3, 4)),
        Case((1, 6)),
        Case((0, 8), about="looking at itself"),
        Case((20, 4), {"base": 100.0}, about="another base"),
        Case((20, 8), about="far back"),
        Case((12, 64), about="a larger width"),
    ),
    draw=lambda rng: [
        Case(
            (int(rng.integers(2, 21)), int(width)),
            {"base": float(np.round(rng.uniform(20, 2000), 1))} if n % 2 else {},
        )
        for n, width in enumerate(rng.permutation([6, 8, 10, 12, 16]))
    ],
    misconceptions=(
        _mistaken_look(
            "looks-ahead",
            _by_steps(lambda k: -k),
            _looks(lambda i, k: i + k),
            "each position looks k ahead instead of k back",
            "In P @ w the rows stand on the left, so w is applied as its transpose. What does transposing do to a rotation, and which sign did you start with?",
        ),
        _mistaken_look(
            "looks-at-itself",
            _by_steps(lambda k: 0),
            _looks(lambda i, k: i),
            "each position looks at itself: the shift is left out, or the query's and the key's cancel",
            "The score depends on the query's angle minus the key's. Is the difference k steps?",
        ),
        _mistaken_look(
            "looks-twice-as-far",
            _by_steps(lambda k: 2 * k),
            _looks(lambda i, k: i - 2 * k),
            "each position looks 2k back: query and key are both turned, in opposite senses",
            "One of the two is enough. What does the other one need?",
        ),
        _mistaken_look(
            "one-too-far",
            _by_steps(lambda k: k + 1),
            _looks(lambda i, k: i - k - 1),
            "each position looks k + 1 back",
            "For k = 0 each position should look at itself. What does your shift say there?",
        ),
        _mistaken_look(
            "one-too-near",
            _by_steps(lambda k: k - 1),
            _looks(lambda i, k: i - k + 1),
            "each position looks k − 1 back",
            "For k = 0 each position should look at itself. What does your shift say there?",
        ),
        _mistaken_look(
            "both-sines-positive",
            _query_turned(_both_positive),
            _looks_as(_query_turned(_both_positive), _query_turned(_both_positive, -1)),
            "the query is multiplied by blocks whose sines both have a plus, which turn nothing",
            "A rotation has one minus. Check that your matrix leaves the length of a row as it was.",
        ),
        _mistaken_look(
            "one-angle",
            _query_turned(_one_angle),
            _looks_as(_query_turned(_one_angle), _query_turned(_one_angle, -1)),
            "all pairs of the query are turned by one angle",
            "Each pair turns at its own speed. Only then is the turned row the row of another position.",
        ),
        _mistaken_look(
            "halves",
            _query_turned(_halves),
            _looks_as(_query_turned(_halves), _query_turned(_halves, -1)),
            "the query is turned in pairs that lie half the width apart",
            "In this table columns 2i and 2i + 1 are one pair.",
        ),
        _mistaken_look(
            "columns-rolled",
            _query_turned(_rolled_identity),
            _looks_as(_query_turned(_rolled_identity), _query_turned(_rolled_identity, -1)),
            "the columns of the query are rolled by k",
            "Positions are rows. A product with w mixes the columns of each row; which mixture turns its hands?",
        ),
        _mistaken_look(
            "base-ignored",
            _base_left_out,
            _looks_as(_base_left_out),
            *BASE_IGNORED,
        ),
    ),
    hints=(
        "The dot product of two rows is largest where they are the same row. If the query of position i were row i − k, where would its largest score be?",
        "Let w_k be the identity, so that keys are the rows. Then P @ w_q should hold row i − k in its row i.",
        "Row i − k is M₋ₖ times row i, and P @ w applies the transpose of w to each row. So w_q is the transpose of M₋ₖ, which is Mₖ.",
    ),
    builds_on={"shift_matrix": "9.1"},
)

# ------------------------------------------------------------------ 9.4 from one step


def _elementwise(one_step: Array, k: int) -> Array:
    return np.asarray(one_step, dtype=float) ** k


def _by_loop(
    first: Callable[[Array], Array], times: Callable[[int], int]
) -> Callable[[Array, int], Array]:
    """A wrong 9.4: a start value, multiplied by the matrix so many times."""

    def wrong(one_step: Array, k: int) -> Array:
        result = first(one_step).copy()
        for _ in range(times(k)):
            result = result @ one_step
        return result

    return wrong


def _identity_like(matrix: Array) -> Array:
    return np.eye(len(matrix))


def _minus_in_front(one_step: Array, k: int) -> Array:
    return np.sign(k if k else 1) * np.linalg.matrix_power(one_step, abs(k))


def _squared_each_time(one_step: Array, k: int) -> Array:
    result = one_step.copy()
    for _ in range(k - 1):
        result = result @ result
    return result


def _one_step(width: int, base: float = 10000.0) -> Array:
    return geometry.shift_matrix(1, width, base)


def _power(offset: int) -> Callable[[Array, int], Array]:
    return lambda one_step, k: np.linalg.matrix_power(one_step, k + offset)


FROM_ONE_STEP = Challenge(
    id="9.4",
    name="shift_from_one_step",
    title="One step is enough",
    section="compose",
    points=2,
    minutes=8,
    difficulty=2,
    asked="an array of the same shape as one_step",
    reference=geometry.shift_from_one_step,
    cases=(
        Case((_one_step(2), 3)),
        Case((_one_step(4), 1), about="one step"),
        Case((_one_step(4), 0), about="no shift"),
        Case((_one_step(4), -1), about="one step back"),
        Case((_one_step(6), -5), about="a negative shift"),
        Case((_one_step(8, 100.0), 9), about="another base"),
        Case((_one_step(64), 40), about="a larger matrix"),
    ),
    draw=lambda rng: [
        Case(
            (_one_step(int(width), float(rng.uniform(20, 30000))), int(rng.integers(2, 60)) * sign),
            about="a negative shift" if sign < 0 else "",
        )
        for width, sign in zip(rng.permutation([4, 6, 8, 10, 12]), (1, -1, 1, -1, 1))
    ],
    misconceptions=(
        Misconception(
            "elementwise-power",
            _elementwise,
            "every entry is raised to the power k by itself",
            "Two steps are the matrix times the matrix, `@`, not entry times entry. What does `**` do to an array?",
        ),
        Misconception(
            "k-times",
            lambda one_step, k: k * one_step,
            "the matrix is multiplied by the number k",
            "A rotation twice as far is no longer than before. Which operation puts one turn after another?",
        ),
        Misconception(
            "one-too-many",
            _power(1),
            "there is one step too many",
            "Count the products for k = 1. And for k = 0?",
        ),
        Misconception(
            "one-too-few",
            _power(-1),
            "there is one step too few",
            "Count the products for k = 1. And for k = 0?",
        ),
        Misconception(
            "sign-of-k-lost",
            lambda one_step, k: np.linalg.matrix_power(one_step, abs(k)),
            "a negative k is taken for a positive one",
            "A shift by −1 undoes a shift by 1. Which matrix undoes a rotation?",
        ),
        Misconception(
            "negative-does-nothing",
            _by_loop(_identity_like, lambda k: k),
            "a negative k gives the identity, because a loop over `range(k)` does not run",
            "How often does `range(-3)` run? Which matrix should be multiplied instead?",
        ),
        Misconception(
            "starts-at-one-step",
            _by_loop(lambda m: m, lambda k: k - 1),
            "the product starts with the matrix itself, so that 0 and negative k come out as one step",
            "What should be left if no step is taken? Start from that.",
        ),
        Misconception(
            "minus-in-front",
            _minus_in_front,
            "a negative k puts a minus in front of the matrix",
            "A minus in front points every hand the other way. To turn back is something else.",
        ),
        Misconception(
            "squared-each-time",
            _squared_each_time,
            "the result is multiplied by itself each time, so that the shift doubles instead of growing by one",
            "After the second product you should be at 3 steps. Which matrix is multiplied each time?",
        ),
    ),
    hints=(
        "Shift by one, and by one again: the matrices are multiplied. How many factors has a shift by k?",
        "Start from the identity, which is the shift by 0, and multiply |k| times with `@`.",
        "A rotation is undone by its transpose, so a negative k multiplies `one_step.T`. `np.linalg.matrix_power` does all of it.",
    ),
)

CHALLENGES = (SHIFT_MATRIX, FIT_SHIFT, LOOKBACK_WEIGHTS, FROM_ONE_STEP)
