"""Challenge 11.1, A row for every position."""

from __future__ import annotations

from typing import Any

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge, Raises

Array = np.ndarray


def _case_lookup(
    rng: np.random.Generator,
    capacity: int,
    width: int,
    positions: Any,
    bad: int | None = None,
    about: str = "",
) -> Case:
    raises = None if bad is None else Raises(IndexError, (str(bad), str(capacity)))
    table = rng.uniform(-1, 1, (capacity, width)).round(3)
    return Case((table, np.array(positions)), raises=raises, about=about)


def _fixed_lookups() -> tuple[Case, ...]:
    rng = np.random.default_rng(111)
    return (
        _case_lookup(rng, 6, 3, [0, 1, 2]),
        _case_lookup(rng, 6, 3, [5, 0, 5, 2], about="the last row, and one position twice"),
        _case_lookup(rng, 7, 2, [[0, 1, 2, 3], [3, 4, 5, 6], [1, 1, 0, 2]], about="a batch"),
        _case_lookup(rng, 6, 3, [0, 6], 6, "the first position past the end"),
        _case_lookup(rng, 6, 3, [2, -1, 0], -1, "a negative position"),
        _case_lookup(rng, 9, 2, [[0, 1, 2], [3, 4, 31]], 31, "a batch with one bad position"),
        _case_lookup(rng, 9, 2, [[-4, 1, 2], [3, 4, 5]], -4, "a batch with one bad position"),
        _case_lookup(rng, 300, 4, np.arange(300)[::-1], about="a larger one"),
    )


def _draw_lookups(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(8):
        capacity, width = int(rng.integers(20, 40)), int(rng.integers(2, 6))
        shape = (
            (int(rng.integers(3, 6)), int(rng.integers(7, 10)))
            if n % 2
            else (int(rng.integers(6, 12)),)
        )
        positions = rng.integers(0, capacity - 3, shape)
        bad = None
        if n >= 5:
            bad = int(capacity + rng.integers(0, 50)) if n % 2 else -int(rng.integers(1, capacity))
            positions.flat[int(rng.integers(positions.size))] = bad
        cases.append(_case_lookup(rng, capacity, width, positions, bad))
    return cases


LOOKUP = Challenge(
    id="11.1",
    name="lookup",
    title="A row for every position",
    section="rows",
    points=3,
    minutes=8,
    difficulty=1,
    asked="an array of shape positions.shape + (width,)",
    reference=encodings.lookup,
    cases=_fixed_lookups(),
    draw=_draw_lookups,
    hints=(
        "`table[positions]` does the looking up, for one row of positions and for a batch.",
        "NumPy complains past the end and keeps silent below 0. Look for bad "
        "positions yourself first.",
        "`bad = positions[(positions < 0) | (positions >= len(table))]`; if `bad.size`, raise "
        "an `IndexError` whose message "
        "holds `bad[0]` and `len(table)`.",
    ),
)


@LOOKUP.mistake(
    "a negative position is taken from the end of the table, as NumPy does silently",
    "What does `table[-1]` return, and what is position −1?",
)
def negative_wraps(table, positions):
    return table[positions]


@LOOKUP.mistake(
    "positions outside the table get its nearest row",
    "Then a text that is too long is answered as if nothing had happened. Who would notice?",
    seen=("PE078",),
)
def clipped(table, positions):
    return table[np.clip(positions, 0, len(table) - 1)]


@LOOKUP.mistake(
    "positions past the end begin again at row 0",
    "A table has no row past its end. Which error says so?",
)
def wrapped(table, positions):
    return table[positions % len(table)]


@LOOKUP.mistake(
    "positions outside the table get a row of zeros",
    "A token without a position looks like one with a position of zeros. Which "
    "error is asked for instead?",
)
def zeros(table, positions):
    inside = (positions >= 0) & (positions < len(table))
    return np.where(inside[..., None], table[np.where(inside, positions, 0)], 0.0)


@LOOKUP.mistake(
    "the last row of the table is refused",
    "With 100 rows, the positions are 0 to 99. Which is the largest legal one?",
    seen=("PE077",),
)
def last_row_refused(table, positions):
    bad = positions[(positions < 0) | (positions >= len(table) - 1)]
    if bad.size:
        raise IndexError(f"position {bad[0]} has no row: the capacity is {len(table)}")
    return table[positions]


@LOOKUP.mistake(
    "the right error is raised, and its message leaves out the position or the capacity",
    "Whoever reads the message wants to know which position it was and how many rows there are.",
)
def unnamed(table, positions):
    if ((positions < 0) | (positions >= len(table))).any():
        raise IndexError("position out of range")
    return table[positions]


@LOOKUP.mistake(
    "another class of error is raised than the one asked for",
    "Which class does Python itself use for an index that does not exist?",
)
def another_error(table, positions):
    bad = positions[(positions < 0) | (positions >= len(table))]
    if bad.size:
        raise ValueError(f"position {bad[0]} has no row: the capacity is {len(table)}")
    return table[positions]


@LOOKUP.mistake(
    "the batch was laid out in one long list of rows",
    "For positions of shape (B, n) the result has the axes B, n and width.",
)
def flattened(table, positions):
    return encodings.lookup(table, positions).reshape(-1, table.shape[1])


def _checked(table: Array, positions: Array) -> None:
    encodings.lookup(table, positions)


@LOOKUP.mistake(
    "all rows of the batch get the positions of the first one",
    "Each sequence may begin at another place. Which axis of `positions` did you use?",
    seen=("PE043",),
)
def first_for_all(table, positions):
    _checked(table, positions)
    return (
        table[positions]
        if positions.ndim == 1
        else np.stack([table[positions[0]]] * len(positions))
    )


@LOOKUP.mistake(
    "each sequence gets one row of the table for all its tokens: sequences are "
    "counted instead of tokens",
    "A position says where a token is within its sequence. Which axis counts that?",
    seen=("PE040",),
)
def sequence_for_token(table, positions):
    _checked(table, positions)
    if positions.ndim == 1:
        return table[positions]
    return np.stack(
        [
            np.repeat(table[[b % len(table)]], positions.shape[1], axis=0)
            for b in range(len(positions))
        ]
    )


@LOOKUP.mistake(
    "2 is added to each position, as in libraries that keep two rows in front; "
    "this table has no such rows",
    "That is a convention and belongs to the table it was trained with. Which "
    "row is position 0 here?",
    seen=("PE056", "PE059"),
    section="offsets",
)
def offset_added(table, positions):
    return encodings.lookup(table, positions + 2)


@LOOKUP.has
def one_row_for_one_position(rows, table, positions):
    flat, found = np.ravel(positions), np.reshape(rows, (-1, table.shape[1]))
    for n, position in enumerate(flat):
        first = int(np.flatnonzero(flat == position)[0])
        if np.abs(found[n] - found[first]).max() > 1e-4:
            return f"position {position} is asked for twice, and your two rows for it differ."
    return ""


@LOOKUP.has
def rows_of_the_table(rows, table, positions):
    found = np.reshape(rows, (-1, table.shape[1]))
    for n, row in enumerate(found):
        if np.abs(table - row).max(axis=1).min() > 1e-4:
            position = np.ravel(positions)[n]
            return f"the row that you return for position {position} is not in the table."
    return ""
