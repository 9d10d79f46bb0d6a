"""Lesson 6, the sinusoidal construction: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from posenc import encodings
from posenc.judging.calls import Step
from posenc.judging.model import Case, Challenge, Misconception, Raises
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray

# ------------------------------------------------------------------ claims

TOKEN = np.array([1.0, 0.0, 1.0, 0.0])


def _first_rows(base: float = 10000.0) -> Array:
    return encodings.sinusoidal(3, 4, base)


def _three_seats(base: float = 10000.0) -> Array:
    return TOKEN + encodings.sinusoidal(3, 4, base)


def _difference(change: float = 0.0) -> Array:
    """Row 2 minus row 1 of the same token, whose content at seat 2 is changed by `change`."""
    seats = np.array([TOKEN, TOKEN, TOKEN]) + encodings.sinusoidal(3, 4)
    return seats[2] + change * TOKEN - seats[1]


def _difference_holds(measured: Array, change: float = 0.0) -> tuple[bool, str]:
    stamps = encodings.sinusoidal(3, 4)
    if np.allclose(measured, stamps[2] - stamps[1], atol=1e-9):
        return (
            True,
            "Both seats hold the same content, so it cancels and only the encodings are left.",
        )
    return (
        False,
        "The content at seat 2 is another one now: it does not cancel, and the difference mixes both.",
    )


def _row_one(width: float = 5) -> Array:
    return encodings.sinusoidal(2, int(width))[1]


def _odd_holds(measured: Array, width: float = 5) -> tuple[bool, str]:
    slowest = encodings.frequencies(int(width))[-1]
    if int(width) % 2:
        return (
            True,
            f"{int(width)} columns: the last is sin({slowest:.6g}), and no column is left for its cosine.",
        )
    return (
        False,
        f"{int(width)} columns: every sine has its cosine beside it, so no column is left over.",
    )


def _gradient_unchanged(seed: float = 0) -> bool:
    """Whether the gradient of a sum through x + P, by central differences, is what arrived."""
    rng = np.random.default_rng(int(seed))
    x, arriving = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
    table, step = encodings.sinusoidal(3, 4), 1e-6
    slopes = np.empty_like(x)
    for place in np.ndindex(*x.shape):
        moved = np.zeros_like(x)
        moved[place] = step
        slopes[place] = ((x + moved + table - (x - moved + table)) * arriving).sum() / (2 * step)
    return bool(np.allclose(slopes, arriving, atol=1e-6))


def _layout_gap(width: float = 16, length: float = 50) -> float:
    """Largest difference between the dot products of interleaved and of concatenated rows."""
    table = encodings.sinusoidal(int(length), int(width))
    moved = np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)
    return float(np.abs(table @ table.T - moved @ moved.T).max())


def _layout_holds(measured: float, width: float = 16, length: float = 50) -> tuple[bool, str]:
    return (
        measured < 1e-9,
        "Moving columns changes the order of the terms of a dot product, not their sum.",
    )


CLAIMS = (
    Claim(
        "worked-example-d4",
        "Rows 0, 1 and 2 of the table of width 4",
        [[0, 1, 0, 1], [0.8415, 0.5403, 0.01, 0.99995], [0.9093, -0.4161, 0.02, 0.9998]],
        5e-5,
        _first_rows,
        (Setting("base", 10.0, 20000.0, 10.0, 10000.0, "base"),),
        section="formula",
    ),
    Claim(
        "worked-example-text",
        "Row 1 at width 4, to two places, is 0.84, 0.54, 0.01, 1.00",
        [0.84, 0.54, 0.01, 1.0],
        0.005,
        lambda: encodings.sinusoidal(2, 4)[1],
        section="formula",
    ),
    Claim(
        "same-token-three-seats",
        "The token [1, 0, 1, 0] at seats 0, 1 and 2",
        [[1, 1, 1, 1], [1.8415, 0.5403, 1.01, 0.99995], [1.9093, -0.4161, 1.02, 0.9998]],
        5e-5,
        _three_seats,
        section="three-seats",
    ),
    Claim(
        "same-token-difference",
        "The same token at seats 2 and 1: the difference of the two rows holds no content",
        [0.0678, -0.9564, 0.01, -0.0001],
        5e-5,
        _difference,
        (Setting("change", 0.0, 1.0, 0.1, 0.0, "change of the content at seat 2"),),
        _difference_holds,
        section="three-seats",
    ),
    Claim(
        "odd-width",
        "With an odd width the last column is a sine without its cosine",
        [0.841471, 0.540302, 0.025116, 0.999685, 0.000631],
        1e-6,
        _row_one,
        (Setting("width", 2, 12, 1, 5, "width"),),
        _odd_holds,
        section="odd-width",
    ),
    Claim(
        "gradient-passes",
        "Adding the table has no parameter and hands back the gradient that arrives, unchanged",
        True,
        0,
        _gradient_unchanged,
        (Setting("seed", 0, 20, 1, 0, "seed"),),
        section="no-parameter",
    ),
    Claim(
        "layouts-agree",
        "Interleaved and concatenated tables give the same dot product for every pair of positions",
        0.0,
        1e-9,
        _layout_gap,
        (
            Setting("width", 2, 64, 2, 16, "width"),
            Setting("length", 2, 200, 1, 50, "length"),
        ),
        _layout_holds,
        section="layouts",
    ),
)

# ------------------------------------------------------------------ questions


def _unseen_position() -> int:
    """Position 5000 has a row, and it is the one that a longer table holds."""
    row = encodings.sinusoidal_at(np.array([5000]), 8)[0]
    longer = encodings.sinusoidal(5001, 8)[5000]
    return 1 if np.isfinite(row).all() and np.allclose(row, longer) else 0


def _column_five() -> int:
    """Which listed angle gives column 5 of width 8 at position 3 by its cosine."""
    value = encodings.sinusoidal(4, 8)[3, 5]
    angles = (
        3 / 10000 ** (5 / 8),
        3 / 10000 ** (10 / 8),
        3 / 10000 ** (4 / 8),
        3 / 10000 ** (2 / 8),
    )
    return int(np.argmin(np.abs(np.cos(angles) - value)))


def _same_stamp() -> int:
    batch = encodings.add_positions(np.zeros((2, 5, 4)))
    return 0 if np.array_equal(batch[0], batch[1]) else 2


QUESTIONS = (
    Question(
        "6.q1",
        "Training used 512 positions. What does the sinusoidal formula give for position 5000?",
        (
            Option(
                "An error: there is no row 5000.",
                False,
                "That is a stored table's answer. The formula needs no row; it takes any position.",
            ),
            Option(
                "A row of its own, computed as every other.",
                True,
                "Each value is sin or cos of position times frequency, whatever the position. "
                "Whether a trained model can use that row is a question of lesson 12.",
            ),
            Option(
                "The row of position 5000 − 512 · 9 = 392, as the pattern repeats.",
                False,
                "Nothing in the formula knows of 512. Each pair repeats after its own wavelength, "
                "and no two pairs share one.",
            ),
            Option(
                "Zeros, until training has reached that position.",
                False,
                "No entry is learned, so none waits for training.",
            ),
        ),
        "fixed-pattern",
        _unseen_position,
    ),
    Question(
        "6.q2",
        "Width 8, position 3. Which angle does column 5 take the cosine of?",
        (
            Option(
                "3 / 10000^(5/8)",
                False,
                "This reads i as the column. Columns 4 and 5 would then turn at different speeds and form no circle.",
            ),
            Option(
                "3 / 10000^(10/8)",
                False,
                "This puts the column where the pair belongs: 2i with i = 5. Pair 2 owns columns 4 and 5.",
            ),
            Option(
                "3 / 10000^(4/8)",
                True,
                "Columns 4 and 5 are pair i = 2, so the exponent is 2i/width = 4/8 for both.",
            ),
            Option("3 / 10000^(2/8)", False, "This takes i for the exponent; the formula has 2i."),
        ),
        "formula",
        _column_five,
    ),
    Question(
        "6.q3",
        "The word “bank” stands at seats 3 and 9 of one sentence. What is left if its row at seat 3 is subtracted from its row at seat 9?",
        (
            Option(
                "Nothing: it is the same word.",
                False,
                "The embeddings cancel, the encodings do not: rows 3 and 9 of the table differ.",
            ),
            Option(
                "The word's embedding, without its position.",
                False,
                "It is the other way about: the embedding is what cancels.",
            ),
            Option(
                "Row 9 minus row 3 of the table.",
                True,
                "(word + row 9) − (word + row 3): the content cancels and the difference of the encodings is left.",
            ),
            Option(
                "The number 6, the distance between the seats.",
                False,
                "No coordinate holds a distance. The difference is a vector, from which a distance can be worked out.",
            ),
        ),
        "three-seats",
    ),
    Question(
        "6.q4",
        "A batch holds two sentences of five tokens each. Which rows of the table are added to the second sentence?",
        (
            Option(
                "Rows 0 to 4, the same as for the first.",
                True,
                "A position is a seat within its own sequence, so every sequence of the batch starts at row 0.",
            ),
            Option(
                "Rows 5 to 9, as the first sentence used 0 to 4.",
                False,
                "The sentences do not follow each other; they lie side by side in the batch.",
            ),
            Option(
                "Row 1 for all its tokens, as it is sentence number 1.",
                False,
                "That numbers the sentences and gives all tokens of one the same stamp. Public code has shipped this.",
            ),
            Option(
                "It depends on the words.",
                False,
                "The table knows no words. Two sentences of equal length get the same rows.",
            ),
        ),
        "batch",
        _same_stamp,
    ),
    Question(
        "6.q5",
        "One library stores all sines first and all cosines after them; another interleaves them. What changes?",
        (
            Option(
                "One of them is wrong: sine and cosine must be neighbours.",
                False,
                "Nothing downstream looks at neighbouring columns. The weights that follow see every column.",
            ),
            Option(
                "The order of the columns, and nothing else; a trained model must keep the one it was trained with.",
                True,
                "The same numbers in another column order give the same dot products. Weights trained on one order do not fit the other.",
            ),
            Option(
                "Nothing: tables of both kinds can be exchanged in a trained model.",
                False,
                "The weights after the table were trained for one column order. Exchanging them feeds each weight another column.",
            ),
            Option(
                "The wavelengths: concatenated tables end at exactly 1/10000.",
                False,
                "That is another difference, dividing by half − 1, which some concatenated tables also have. The layout alone changes no frequency.",
            ),
        ),
        "layouts",
    ),
)

# ------------------------------------------------------------------ 6.1 frequencies


def _pairs(width: int) -> Array:
    return np.arange((width + 1) // 2)


def _ladder(exponent: Callable[[Array, int], Array]) -> Callable[..., Array]:
    """A wrong 6.1: base ** −exponent(pair, width)."""

    def wrong(width: int, base: float = 10000.0) -> Array:
        return float(base) ** -exponent(_pairs(width), width)

    return wrong


def _per_column(width: int, base: float = 10000.0) -> Array:
    return float(base) ** (-np.arange(width) / width)


def _no_lone_sine(width: int, base: float = 10000.0) -> Array:
    return float(base) ** (-2 * np.arange(width // 2) / width)


def _angles_of_turn(width: int, base: float = 10000.0) -> Array:
    return 2 * np.pi / encodings.frequencies(width, base)


DOUBLED = (
    "the exponent is doubled",
    "i already counts pairs, or already runs in twos; which is it in your code, and is the factor 2 there twice?",
)
SINGLE = (
    "i stands where the formula has 2i",
    "Pair i owns columns 2i and 2i + 1. At width 4, which exponent belongs to the second pair?",
)
HALF_LESS_ONE = (
    "the exponent is divided by the number of pairs less one, as tensor2tensor and some diffusion code do",
    "That ladder ends at exactly 1/base. The formula asked for stops one step short of it: what does it divide by?",
)
BASE_1000 = (
    "1000 is written where 10000, or the base that is given, belongs",
    "Count the zeros, and look for the argument `base`.",
)
BASE_IGNORED = (
    "10000 is used whatever base is given",
    "The argument `base` does not reach the formula. Where should it stand?",
)
SIGN = (
    "the exponent has the wrong sign, so that frequencies grow",
    "The position is divided by a power of the base. Does the second pair turn faster or slower than the first?",
)
FLOORED = (
    "a whole-number division makes every exponent 0, so that every frequency is 1",
    "`//` rounds down. Which division keeps the fraction?",
)

FREQUENCIES = Challenge(
    id="6.1",
    name="frequencies",
    title="The speeds",
    section="formula",
    points=2,
    minutes=6,
    difficulty=1,
    asked="a one-dimensional array with one frequency a pair, (width + 1) // 2 of them,",
    reference=encodings.frequencies,
    cases=(
        Case((4,)),
        Case((8,)),
        Case((6,), {"base": 100.0}, about="another base"),
        Case((5,), about="an odd width"),
        Case((2,)),
        Case((64,)),
    ),
    draw=lambda rng: [
        Case((int(width),), {"base": float(np.round(rng.uniform(20, 40000), 1))} if n % 2 else {})
        for n, width in enumerate(rng.integers(7, 48, 6))
    ],
    misconceptions=(
        Misconception("doubled-exponent", _ladder(lambda i, d: 4 * i / d), *DOUBLED, ("PE010",)),
        Misconception("single-i", _ladder(lambda i, d: i / d), *SINGLE, ("PE015", "PE016")),
        Misconception(
            "half-minus-one",
            _ladder(lambda i, d: i / max(len(i) - 1, 1)),
            *HALF_LESS_ONE,
            ("PE019", "PE026"),
            section="layouts",
        ),
        Misconception(
            "base-1000",
            lambda width, base=10000.0: 1000.0 ** (-2 * _pairs(width) / width),
            *BASE_1000,
            ("PE017",),
        ),
        Misconception(
            "base-ignored", lambda width, base=10000.0: encodings.frequencies(width), *BASE_IGNORED
        ),
        Misconception("exponent-sign", _ladder(lambda i, d: -2 * i / d), *SIGN),
        Misconception(
            "floored-exponent", _ladder(lambda i, d: 2 * i // d), *FLOORED, ("PE028", "PE029")
        ),
        Misconception(
            "floored-step",
            lambda width, base=10000.0: np.exp(_pairs(width) * 2 * (-np.log(base) / width // 2)),
            "a whole-number division rounds the step of the ladder down, because `//` binds like `/` and takes what stands left of it",
            "Put in the parentheses that you meant, and print the second frequency at width 64.",
            ("PE030",),
        ),
        Misconception(
            "one-per-column",
            _per_column,
            "there is one frequency for each column instead of one for each pair",
            "A sine and its cosine share a frequency. How many are needed for 8 columns?",
            ("PE010", "PE015"),
        ),
        Misconception(
            "no-lone-sine",
            _no_lone_sine,
            "the frequency of the lone last sine of an odd width is missing",
            "Width 5 has columns 0 to 4. Which pair does column 4 belong to?",
            ("PE001", "PE002"),
            section="odd-width",
        ),
        Misconception(
            "wavelengths",
            _angles_of_turn,
            "these are wavelengths, in positions, not frequencies",
            "A frequency says how many radians the pair turns from one position to the next. How far does the first pair turn?",
            ("PE127",),
        ),
    ),
    hints=(
        "Pair i has the frequency 1 / base^(2i/width). Write down i for every pair first: 0, 1, 2, …",
        "How many pairs are there at width 5, if a lone last sine counts as one? `(width + 1) // 2` counts them.",
        "`np.arange(pairs)` holds all i at once, and `base ** (-2 * i / width)` works on the whole array.",
    ),
    # Slow frequencies are small: an absolute tolerance for table entries would let base 10001 pass.
    absolute=1e-9,
)

# ------------------------------------------------------------------ 6.2 the table


def _table(
    exponent: Callable[[int, int, int], float] = lambda j, length, width: (j - j % 2) / width,
    angle: Callable[[Array], Array] = lambda a: a,
    first: int = 0,
    cosine: Callable[[Array, int], Array | bool] = lambda p, j: j % 2 == 1,
    fixed_base: float | None = None,
) -> Callable[..., Array]:
    """A wrong 6.2, column by column: the exponent of column j, the angle's unit, the first position."""

    def wrong(length: int, width: int, base: float = 10000.0) -> Array:
        used = float(base if fixed_base is None else fixed_base)
        p = np.arange(first, first + length)
        table = np.empty((length, width))
        for j in range(width):
            turned = angle(p * used ** -exponent(j, length, width))
            table[:, j] = np.where(cosine(p, j), np.cos(turned), np.sin(turned))
        return table

    return wrong


def _concatenated(length: int, width: int, base: float = 10000.0) -> Array:
    table = encodings.sinusoidal(length, width, base)
    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)


def _concatenated_half_less_one(length: int, width: int, base: float = 10000.0) -> Array:
    half = width // 2
    angles = np.arange(length)[:, None] * float(base) ** (-np.arange(half) / max(half - 1, 1))
    return np.concatenate([np.sin(angles), np.cos(angles), np.zeros((length, width % 2))], axis=1)


def _odd_last_zero(length: int, width: int, base: float = 10000.0) -> Array:
    table = encodings.sinusoidal(length, width, base).copy()
    if width % 2:
        table[:, -1] = 0.0
    return table


def _odd_crashes(length: int, width: int, base: float = 10000.0) -> Array:
    table = np.zeros((length, width))
    angles = np.arange(length)[:, None] * float(base) ** (-np.arange(0, width, 2) / width)
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


def _odd_refused(length: int, width: int, base: float = 10000.0) -> Array:
    if width % 2:
        raise ValueError(f"width {width} is odd")
    return encodings.sinusoidal(length, width, base)


def _odd_rounded_up(length: int, width: int, base: float = 10000.0) -> Array:
    return encodings.sinusoidal(length, width + width % 2, base)[:, :width]


def _row_zero_empty(length: int, width: int, base: float = 10000.0) -> Array:
    table = encodings.sinusoidal(length, width, base).copy()
    table[0] = 0.0
    return table


LAYOUT_THINK = "Columns 2i and 2i + 1 hold the sine and the cosine of pair i. What stands in column 1 at width 4?"

SINUSOIDAL = Challenge(
    id="6.2",
    name="sinusoidal",
    title="The table",
    section="formula",
    points=3,
    minutes=12,
    difficulty=2,
    asked="an array (length, width), one row a position,",
    reference=encodings.sinusoidal,
    cases=(
        Case((3, 4)),
        Case((2, 8)),
        Case((1, 6), about="a single position"),
        Case((5, 6), {"base": 100.0}, about="another base"),
        Case((4, 5), about="an odd width"),
        Case((3, 1), about="width 1, one lone sine"),
        Case((64, 16), about="a larger table"),
    ),
    draw=lambda rng: [
        Case(
            (int(length), int(width)),
            {"base": float(np.round(rng.uniform(20, 40000), 1))} if n % 2 else {},
            about="an odd width" if width % 2 else "",
        )
        for n, (length, width) in enumerate(
            zip(rng.integers(20, 60, 6), rng.permutation([7, 8, 9, 10, 12, 14]))
        )
    ],
    misconceptions=(
        Misconception("doubled-exponent", _table(lambda j, n, d: 2 * (j - j % 2) / d), *DOUBLED),
        Misconception("single-i", _table(lambda j, n, d: (j // 2) / d), *SINGLE),
        Misconception(
            "column-exponent",
            _table(lambda j, n, d: j / d),
            "the cosine of each pair has an exponent of its own, one step further than its sine",
            "A sine and its cosine must turn at the same speed to be a point on a circle. Which exponent do columns 2 and 3 share?",
            ("PE014", "PE016"),
        ),
        Misconception(
            "column-for-pair",
            _table(lambda j, n, d: 2 * j / d),
            "i is read as the number of the column instead of the pair",
            "At width 8 the exponents by column are 0, 0, 2/8, 2/8, 4/8, … What turns column j into its pair?",
            ("PE010",),
        ),
        Misconception(
            "concatenated",
            _concatenated,
            "all sines come first and all cosines after them; the numbers are right, the columns are in another order",
            LAYOUT_THINK + " Both layouts are in use; this challenge asks for the interleaved one.",
            ("PE021", "PE023", "PE025"),
            section="layouts",
        ),
        Misconception(
            "concatenated-cosines-first",
            lambda length, width, base=10000.0: np.roll(
                _concatenated(length, width, base), width // 2, axis=1
            ),
            "all cosines come first and all sines after them, as in code for diffusion time steps",
            LAYOUT_THINK
            + " Blocks with the cosines first are a layout in use; this challenge asks for the interleaved one.",
            ("PE023", "PE025"),
        ),
        Misconception(
            "concatenated-half-minus-one",
            _concatenated_half_less_one,
            "this is the table of tensor2tensor and fairseq: sines first, cosines after, and a ladder divided by half − 1",
            "Two conventions differ from the one asked for: the order of the columns and the step of the ladder.",
            ("PE019",),
            section="layouts",
        ),
        Misconception(
            "positions-from-1",
            _table(first=1),
            "positions are counted from 1",
            "Row 0 is position 0: sines 0, cosines 1. What does `np.arange` start at in your code?",
        ),
        Misconception(
            "half-minus-one",
            _table(lambda j, n, d: (j // 2) / max((d + 1) // 2 - 1, 1)),
            *HALF_LESS_ONE,
            ("PE019", "PE026"),
            section="layouts",
        ),
        Misconception("base-1000", _table(fixed_base=1000.0), *BASE_1000, ("PE017",)),
        Misconception(
            "base-1000-column-exponent",
            _table(lambda j, n, d: j / d, fixed_base=1000.0),
            "two slips came together: 1000 in place of the base, and an exponent of its own for each cosine",
            "Mend one at a time: first the base, then the exponent that a pair shares.",
            ("PE013",),
        ),
        Misconception("base-ignored", _table(fixed_base=10000.0), *BASE_IGNORED),
        Misconception("exponent-sign", _table(lambda j, n, d: -(j - j % 2) / d), *SIGN),
        Misconception(
            "floored-exponent",
            _table(lambda j, n, d: (j - j % 2) // d),
            *FLOORED,
            ("PE028", "PE029"),
        ),
        Misconception(
            "length-for-width",
            _table(lambda j, n, d: (j - j % 2) / n),
            "the exponent is divided by the length instead of the width",
            "The speed of a pair must not depend on how long the text is. What does the formula divide 2i by?",
        ),
        Misconception(
            "parity-of-position",
            _table(cosine=lambda p, j: p % 2 == 1),
            "sine or cosine is chosen by whether the position is even, not the column",
            "Look at row 1: which of its columns should be sines?",
        ),
        Misconception(
            "cosine-first",
            _table(cosine=lambda p, j: j % 2 == 0),
            "each pair begins with its cosine",
            "At position 0 the row asked for begins 0, 1. Which of the two functions is 0 there?",
            ("PE023",),
        ),
        Misconception(
            "transposed",
            lambda length, width, base=10000.0: encodings.sinusoidal(length, width, base).T,
            "the table is transposed: a column a position",
            "`table[p]` should be position p. Which axis do the positions run along in yours?",
        ),
        Misconception(
            "degrees",
            _table(angle=np.radians),
            "angles are taken in degrees",
            "`np.sin` takes radians, and position times frequency already is in radians.",
        ),
        Misconception(
            "odd-last-zero",
            _odd_last_zero,
            "the last column of an odd width is left at 0",
            "The lone last column is a sine. Padding it with zeros is what tensor2tensor and fairseq do; here it is asked for.",
            ("PE002", "PE005"),
            section="odd-width",
        ),
        Misconception(
            "odd-crashes",
            _odd_crashes,
            "an odd width has one more sine than it has cosines, and the cosines are filled from the longer list",
            "At width 5 the columns 1 and 3 are cosines. How many frequencies do they need?",
            ("PE001", "PE004", "PE005"),
            section="odd-width",
        ),
        Misconception(
            "odd-refused",
            _odd_refused,
            "odd widths are refused, as some libraries do in so many words",
            "A clear refusal is better than a crash, and here odd widths are asked for: which column has no partner?",
            ("PE004",),
        ),
        Misconception(
            "odd-rounded-up",
            _odd_rounded_up,
            "an odd width is rounded up to an even one and cut, so that the exponents are divided by width + 1",
            "The exponent is 2i/width with the width that was given, odd or not.",
            section="odd-width",
        ),
        Misconception(
            "row-zero-empty",
            _row_zero_empty,
            "row 0 is left at zeros, as if it were a place for padding",
            "Some tables keep row 0 for padding. The one asked for does not: position 0 is a position. Which values do its cosines have?",
            ("PE061",),
        ),
    ),
    hints=(
        "One angle a position and pair: the position times the frequency of the pair. That is a grid (length, pairs).",
        "`np.arange(length)[:, None] * frequencies` makes the whole grid, because a column times a row is a grid.",
        "Make an empty table, then fill `table[:, 0::2]` with the sines and `table[:, 1::2]` with the cosines. "
        "An odd width has one cosine less: `[:, : width // 2]`.",
    ),
    builds_on={"frequencies": "6.1"},
)

# ------------------------------------------------------------------ 6.3 a batch


def _batch(rng: np.random.Generator, *shape: int) -> Array:
    return rng.uniform(-1, 1, shape).round(3)


def _along_batch(batch: Array, base: float = 10000.0) -> Array:
    return batch + encodings.sinusoidal(batch.shape[0], batch.shape[2], base)[:, None, :]


def _row_zero_for_all(batch: Array, base: float = 10000.0) -> Array:
    return batch + encodings.sinusoidal(1, batch.shape[2], base)


def _in_place(batch: Array, base: float = 10000.0) -> Array:
    batch += encodings.sinusoidal(batch.shape[1], batch.shape[2], base)
    return batch


def _table_only(batch: Array, base: float = 10000.0) -> Array:
    return encodings.sinusoidal(batch.shape[1], batch.shape[2], base)


def _table_for_batch(batch: Array, base: float = 10000.0) -> Array:
    return np.zeros_like(batch) + encodings.sinusoidal(batch.shape[1], batch.shape[2], base)


def _running_on(batch: Array, base: float = 10000.0) -> Array:
    count, length, width = batch.shape
    return batch + encodings.sinusoidal(count * length, width, base).reshape(batch.shape)


def _twice(batch: Array, base: float = 10000.0) -> Array:
    return batch + 2 * encodings.sinusoidal(batch.shape[1], batch.shape[2], base)


def _first_only(batch: Array, base: float = 10000.0) -> Array:
    return batch[:1] + encodings.sinusoidal(batch.shape[1], batch.shape[2], base)


ADD_POSITIONS = Challenge(
    id="6.3",
    name="add_positions",
    title="A batch of sequences",
    section="batch",
    points=2,
    minutes=8,
    difficulty=2,
    asked="a new array of the batch's own shape, (B, L, d),",
    reference=encodings.add_positions,
    cases=(
        Case((np.zeros((2, 3, 4)),), about="a batch of zeros"),
        Case((np.array([[[1.0, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1]]]),), about="one sequence"),
        Case((np.full((3, 3, 4), 0.5),), about="as many sequences as tokens"),
        Case((np.full((2, 4, 3), 0.25),), {"base": 100.0}, about="an odd width, another base"),
        Case((np.full((2, 64, 16), 0.1),), about="longer sequences"),
    ),
    draw=lambda rng: [
        Case((_batch(rng, 3, 2, 4),)),
        Case((_batch(rng, 2, 5, 2),)),
        Case((_batch(rng, 4, 7, 6),)),
        Case((_batch(rng, 1, 6, 5),), {"base": float(np.round(rng.uniform(20, 5000), 1))}),
    ],
    misconceptions=(
        Misconception(
            "along-batch",
            _along_batch,
            "the rows are added along the batch: all tokens of sequence b get row b",
            "Axis 0 counts sequences, axis 1 counts seats. Which one should the table run along?",
            ("PE036", "PE037", "PE041"),
        ),
        Misconception(
            "row-zero-for-all",
            _row_zero_for_all,
            "every token gets row 0",
            "Three tokens of one sequence sit on three seats. How many different rows should be added?",
            ("PE036",),
        ),
        Misconception(
            "in-place",
            _in_place,
            "the values are right, and the caller's batch was changed on the way",
            "`+=` writes into the array that was handed in. What does `a + b` do instead?",
        ),
        Misconception(
            "table-only",
            _table_only,
            "the table came back alone: the batch was not added, and its axis is gone",
            "What is asked for is the batch with positions added, not the positions.",
            ("PE042", "PE045"),
        ),
        Misconception(
            "batch-forgotten",
            _table_for_batch,
            "the positions came back in the right shape, without the batch's own values",
            "What is asked for is content plus position.",
            ("PE045",),
        ),
        Misconception(
            "running-on",
            _running_on,
            "positions run on from one sequence to the next",
            "A position is a seat within its own sequence. Where does the second sequence start?",
        ),
        Misconception(
            "added-twice",
            _twice,
            "the table is added twice",
            "Does a function that you call add the positions already?",
            ("PE044", "PE045", "PE046"),
        ),
        Misconception(
            "first-sequence-only",
            _first_only,
            "one sequence came back for the whole batch",
            "The result has the batch's own shape. What happened to axis 0?",
            ("PE042",),
        ),
        Misconception(
            "base-ignored",
            lambda batch, base=10000.0: encodings.add_positions(batch),
            *BASE_IGNORED,
        ),
    ),
    hints=(
        "A batch (B, L, d) holds B sequences. All of them use the same L rows of the same table.",
        "NumPy lines up shapes from the right: (B, L, d) + (L, d) adds the (L, d) array to each sequence.",
        "Make the table with `sinusoidal(L, d, base)` and return `batch + table`; `+=` would change the caller's array.",
    ),
    builds_on={"sinusoidal": "6.2", "frequencies": "6.1"},
)

# ------------------------------------------------------------------ 6.4 the layer


class Layer:
    """The reference of 6.4: a layer with a table, no parameter, and a limit that it states."""

    def __init__(self, width: int, max_length: int, base: float = 10000.0) -> None:
        self.table = encodings.sinusoidal(max_length, width, base)

    def forward(self, batch: Array) -> Array:
        """batch (B, L, d) with positions added; ValueError where L is larger than the table."""
        length = batch.shape[1]
        if length > len(self.table):
            raise ValueError(f"the batch has length {length}; the table ends at {len(self.table)}")
        return batch + self.table[:length]

    def backward(self, gradient: Array) -> Array:
        """The gradient that arrives, unchanged: addition passes it on."""
        return gradient

    def parameters(self) -> list:
        """Nothing is learned."""
        return []


class _NoLimit(Layer):
    def forward(self, batch: Array) -> Array:
        return batch + self.table[: batch.shape[1]]


class _WholeTable(Layer):
    def forward(self, batch: Array) -> Array:
        return batch + self.table


class _TableAsParameter(Layer):
    def parameters(self) -> list:
        return [self.table]


class _GradientPlusTable(Layer):
    def backward(self, gradient: Array) -> Array:
        return gradient + self.table[: gradient.shape[1]]


class _GradientGone(Layer):
    def backward(self, gradient: Array) -> Array:
        return np.zeros_like(gradient)


class _GradientSummed(Layer):
    def backward(self, gradient: Array) -> Array:
        return gradient.sum(axis=0)


class _LimitTooSoon(Layer):
    def forward(self, batch: Array) -> Array:
        if batch.shape[1] >= len(self.table):
            raise ValueError(f"length {batch.shape[1]} is not below {len(self.table)}")
        return super().forward(batch)


class _LimitUnnamed(Layer):
    def forward(self, batch: Array) -> Array:
        if batch.shape[1] > len(self.table):
            raise ValueError("the input is too long")
        return super().forward(batch)


class _LimitAsserted(Layer):
    def forward(self, batch: Array) -> Array:
        if batch.shape[1] > len(self.table):
            raise AssertionError(f"length {batch.shape[1]} is above {len(self.table)}")
        return super().forward(batch)


class _CutToTable(Layer):
    def forward(self, batch: Array) -> Array:
        batch = batch[:, : len(self.table)]
        return batch + self.table[: batch.shape[1]]


class _InPlace(Layer):
    def forward(self, batch: Array) -> Array:
        super().forward(batch)
        batch += self.table[: batch.shape[1]]
        return batch


class _BaseIgnored(Layer):
    def __init__(self, width: int, max_length: int, base: float = 10000.0) -> None:
        super().__init__(width, max_length)


class _Swapped(Layer):
    def __init__(self, width: int, max_length: int, base: float = 10000.0) -> None:
        super().__init__(max_length, width, base)


class _AlongBatch(Layer):
    def forward(self, batch: Array) -> Array:
        super().forward(batch)
        return batch + self.table[: batch.shape[0], None, :]


def _script(
    batch: Array,
    gradient: Array,
    width: int,
    max_length: int,
    too_long: int,
    kwargs: dict[str, Any] | None = None,
    about: str = "",
) -> Case:
    """The calls made on one layer; the last is a batch that is too long."""
    return Case(
        (width, max_length),
        kwargs or {},
        (
            Step("table", reads=True),
            Step("forward", (batch,)),
            Step("backward", (gradient,)),
            Step("parameters"),
            Step("forward", (np.full((2, too_long, width), 0.5),)),
        ),
        Raises(ValueError, (str(too_long), str(max_length))),
        about,
    )


def _draw_layers(rng: np.random.Generator) -> Sequence[Case]:
    cases = []
    for width, max_length, count, length in ((16, 64, 3, 5), (5, 17, 2, 9), (6, 33, 4, 7)):
        kwargs = {"base": float(np.round(rng.uniform(20, 5000), 1))} if width == 6 else {}
        cases.append(
            _script(
                _batch(rng, count, length, width),
                _batch(rng, count, length, width),
                width,
                max_length,
                max_length + int(rng.integers(1, 9)),
                kwargs,
            )
        )
    return cases


LAYER = Challenge(
    id="6.4",
    name="PositionalEncoding",
    title="The layer",
    section="no-parameter",
    points=3,
    minutes=12,
    difficulty=3,
    asked="what the method's requirement says",
    reference=Layer,
    cases=(
        _script(np.zeros((2, 3, 4)), np.array([[[1.0, 2, 3, 4]] * 3] * 2), 4, 8, 9),
        _script(
            np.full((2, 8, 4), 0.5),
            np.full((2, 8, 4), -0.25),
            4,
            8,
            11,
            about="as long as the table",
        ),
        _script(np.zeros((2, 1, 4)), np.ones((2, 1, 4)), 4, 1, 3, about="a table of one row"),
        _script(
            np.full((2, 4, 6), 0.5),
            np.full((2, 4, 6), 3.0),
            6,
            16,
            20,
            {"base": 100.0},
            "another base",
        ),
    ),
    draw=_draw_layers,
    misconceptions=(
        Misconception(
            "no-limit",
            _NoLimit,
            "a longer input is left to NumPy, which broadcasts a table of one row over any length without a word",
            "Compare the length with the number of rows before adding, and raise ValueError with both.",
        ),
        Misconception(
            "whole-table",
            _WholeTable,
            "the whole table is added whatever the length of the batch",
            "A batch of length 3 needs rows 0 to 2 of a table of 8.",
            ("PE035",),
        ),
        Misconception(
            "table-as-parameter",
            _TableAsParameter,
            "the table is listed as a parameter, so that an optimiser would change it",
            "The table is fixed by a formula. What is there to learn?",
            ("PE054",),
        ),
        Misconception(
            "gradient-plus-table",
            _GradientPlusTable,
            "the table is added to the gradient as well",
            "What is the derivative of x + P with respect to x, where P is fixed?",
        ),
        Misconception(
            "gradient-gone",
            _GradientGone,
            "the gradient ends here: zeros are handed back",
            "No parameter of its own does not mean no gradient for the layers below. What is the derivative of x + P with respect to x?",
            ("PE051",),
        ),
        Misconception(
            "gradient-summed",
            _GradientSummed,
            "the gradient is summed over the batch, as it would be for a learned table",
            "What is asked for is the gradient of the input, and the input has a batch axis.",
        ),
        Misconception(
            "limit-too-soon",
            _LimitTooSoon,
            "a batch as long as the table is refused",
            "A table of 8 rows serves positions 0 to 7. Is length 8 too long?",
            ("PE077",),
        ),
        Misconception(
            "limit-unnamed",
            _LimitUnnamed,
            "the error does not say how long the input is and how long it may be",
            "Whoever reads the message needs both numbers.",
        ),
        Misconception(
            "limit-asserted",
            _LimitAsserted,
            "another class of error than ValueError is raised",
            "A wrong value from outside is a ValueError; an assertion is for what cannot happen and may be switched off.",
        ),
        Misconception(
            "cut-to-table",
            _CutToTable,
            "a longer input is cut to the length of the table without a word",
            "Tokens that vanish are worse than an error. What should the caller learn?",
        ),
        Misconception(
            "in-place",
            _InPlace,
            "the caller's batch is changed by forward",
            "`+=` writes into the array that was handed in. What does `a + b` do instead?",
            section="batch",
        ),
        Misconception("base-ignored", _BaseIgnored, *BASE_IGNORED),
        Misconception(
            "arguments-swapped",
            _Swapped,
            "width and max_length are exchanged on the way to the table",
            "`sinusoidal` takes the length first, the layer takes the width first.",
        ),
        Misconception(
            "along-batch",
            _AlongBatch,
            "the rows are added along the batch: all tokens of sequence b get row b",
            "Axis 0 counts sequences, axis 1 counts seats. Which one should the table run along?",
            ("PE035", "PE036", "PE037"),
            section="batch",
        ),
    ),
    hints=(
        "Build the table once, in `__init__`, and keep it as `self.table`.",
        "`forward` needs the first L rows only, and must compare L with `len(self.table)` before it takes them: "
        "a slice past the end is not an error.",
        "y = x + P with P fixed, so a change of x changes y by the same amount: `backward` hands the gradient on.",
    ),
    builds_on={"sinusoidal": "6.2", "add_positions": "6.3", "frequencies": "6.1"},
)

CHALLENGES = (FREQUENCIES, SINUSOIDAL, ADD_POSITIONS, LAYER)
