"""Lesson 11, learned tables and indices: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from posenc import encodings, training
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault, Misconception, Raises
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray

# ------------------------------------------------------------------ claims


def _untouched(capacity: float = 512, trained_length: float = 128) -> int:
    """Rows of a learned table that two steps of training leave as they were drawn."""
    length = int(trained_length)
    settings = training.Settings(
        table_rows=int(capacity), trained_length=length, tested_length=length, steps=2
    )
    trained = training.train("learned", "three_back", 0, settings)
    same = trained.parameters["table"] == trained.before["table"]
    return int(same.all(axis=1).sum())


def _untouched_holds(
    measured: int, capacity: float = 512, trained_length: float = 128
) -> tuple[bool, str]:
    if measured:
        return (
            True,
            f"Rows {int(trained_length)} to {int(capacity) - 1} got no gradient, however long the training goes on.",
        )
    return False, "The training rows are as long as the table, so each of its rows was used."


@cache
def _trained(task: str) -> dict[str, list[training.Trained]]:
    return {scheme: [training.train(scheme, task, 0)] for scheme in ("learned", "none")}


@cache
def _cost_of_shift(task: str, shift: int, tokens: int = 16) -> str:
    """What it costs that each token of a short document is numbered `shift` too high."""
    numbering = training.Numbering("shifted", (tokens,), tuple(range(shift, shift + tokens)))
    asked, targets = numbering.draw(task)
    scored, mask, right = targets != training.NOT_SCORED, numbering.mask(), numbering.right()

    def accuracy(scheme: str, positions: Array) -> Array:
        return np.array(
            [
                (training.predict(layer, asked, positions, mask) == targets)[scored].mean()
                for layer in _trained(task)[scheme]
            ]
        )

    given = np.array(numbering.given)
    return training.Cost(
        numbering,
        task,
        accuracy("learned", right),
        accuracy("learned", given),
        accuracy("none", right),
    ).verdict()


def _copy_cost(shift: float = 8) -> str:
    return _cost_of_shift("three_back", int(shift))


def _copy_cost_holds(measured: str, shift: float = 8) -> tuple[bool, str]:
    last = int(shift) + 15
    trained = max(0, min(16, 32 - int(shift)))
    return measured == "costs nothing", (
        f"The 16 tokens are numbered up to {last}; training knew rows 0 to 31, so {trained} of them stand on trained rows."
    )


def _first_token_cost(shift: float = 8) -> str:
    return _cost_of_shift("first_token", int(shift))


def _first_token_holds(measured: str, shift: float = 8) -> tuple[bool, str]:
    if measured == "costs nothing":
        return False, "Nothing is shifted, or too little to matter."
    return True, "The answer stood at row 0 in all of the training. Now no token has that number."


def _rotary_shift(shift: float = 5) -> float:
    """Largest change of 64 rotary scores when all positions grow by shift."""
    queries, keys = np.random.default_rng(11).uniform(-1, 1, (2, 8, 16))
    here, there = np.arange(8), np.arange(8) + int(shift)
    scores = [encodings.rotate(queries, p) @ encodings.rotate(keys, p).T for p in (here, there)]
    return float(np.abs(scores[1] - scores[0]).max())


def _rotary_shift_holds(measured: float, shift: float = 5) -> tuple[bool, str]:
    return (
        measured < 1e-9,
        "Rotary scores see distances alone (lesson 12), and a shift of all positions changes none.",
    )


CLAIMS = (
    Claim(
        "untrained-rows",
        "Rows of a table of 512 that training on 128 tokens leaves as they were drawn",
        384,
        0,
        _untouched,
        (
            Setting("capacity", 8, 1024, 1, 512, "rows of the table"),
            Setting("trained_length", 4, 256, 1, 128, "trained length"),
        ),
        _untouched_holds,
        "untouched",
    ),
    Claim(
        "shift-copy",
        "All positions 8 too high, on the task to copy the token three back",
        "costs nothing",
        0,
        _copy_cost,
        (Setting("shift", 0, 112, 1, 8, "too high by"),),
        _copy_cost_holds,
        "costs",
    ),
    Claim(
        "shift-first",
        "All positions 8 too high, on the task to name the first token",
        "costs most of it or all",
        0,
        _first_token_cost,
        (Setting("shift", 0, 112, 1, 8, "too high by"),),
        _first_token_holds,
        "costs",
    ),
    Claim(
        "shift-rotary",
        "All positions 5 too high, with rotary scores: the largest change of a score",
        0.0,
        1e-9,
        _rotary_shift,
        (Setting("shift", 0, 50_000, 1, 5, "too high by"),),
        _rotary_shift_holds,
        "costs",
    ),
)

# ------------------------------------------------------------------ questions


def _detached_gradient() -> int:
    """Gradient of sum(x + P) for one entry of P: through the lookup, and through a copy of P."""
    table = np.zeros((3, 1))

    def loss(used: Array) -> float:
        return float((np.ones((1, 1)) + used[1:2]).sum())

    copied = loss(table)
    table[1] += 1e-3
    through = (loss(table) - copied) / 1e-3
    kept = np.zeros((3, 1))
    detached = (loss(kept) - copied) / 1e-3
    return 1 if abs(through - 1) < 1e-6 and detached == 0 else 0


def _bert_rows() -> int:
    settings = training.Settings(table_rows=512, trained_length=128, steps=1, batch=1)
    trained = training.train("learned", "three_back", 0, settings)
    changed = (trained.parameters["table"] != trained.before["table"]).any(axis=1)
    return 2 if changed[:128].all() and not changed[128:].any() else 0


def _offset_row() -> int:
    """Row of the first real token, where pads are token 1 and have row 1."""
    tokens, pad = np.array([[5, 3, 6, 7, 1, 1, 1]]), 1
    real = tokens != pad
    rows = np.where(real, np.cumsum(real, axis=1) + pad, pad)
    return [0, 1, 2, 512].index(int(rows[0, 0])) if rows.tolist() == [[2, 3, 4, 5, 1, 1, 1]] else 0


def _next_number() -> int:
    found = encodings.next_position_ids([[0, 0, 1, 1, 1]], 1)[0, 0]
    return [5, 3, 2, 0].index(int(found))


def _who_feels_a_shift() -> int:
    table = encodings.learned_table(16, 4)
    learned = np.abs(table[5:8] @ table[5:8].T - table[:3] @ table[:3].T).max()
    return 2 if _rotary_shift() < 1e-9 and learned > 1e-6 else 0


QUESTIONS = (
    Question(
        "11.q1",
        "A program adds rows of its learned table through a copy that training does not follow (`.data`). What becomes of the table?",
        (
            Option(
                "It is trained, a little more slowly.",
                False,
                "The gradient of a copy reaches the copy and stops. It is 0 for the table, not small.",
            ),
            Option(
                "It stays as it was drawn.",
                True,
                "For L = sum(x + P) the gradient is 1 through the lookup and 0 through a copy. No error is raised, and the shapes are right.",
            ),
            Option(
                "It becomes the sinusoidal table.",
                False,
                "A formula is something else; nothing here knows one.",
            ),
        ),
        "training",
        _detached_gradient,
        seen=("PE051",),
    ),
    Question(
        "11.q2",
        "BERT was trained on 128 tokens for most of its steps and on 512 for the last part. What would be missing without that last part?",
        (
            Option(
                "Nothing: rows learned for 0 to 127 carry over.",
                False,
                "Each row is a parameter of its own. Learning row 5 tells row 300 nothing.",
            ),
            Option(
                "Speed: long rows train faster.",
                False,
                "They train more slowly. That is why they came last.",
            ),
            Option(
                "Training for rows 128 to 511 of the table.",
                True,
                "A row that is not looked up gets no gradient. A larger table alone gives no longer reach.",
            ),
            Option(
                "The rows themselves: the table would have 128.",
                False,
                "The table has 512 rows from the start. 384 of them would be as they were drawn.",
            ),
        ),
        "untouched",
        _bert_rows,
        seen=("PE080", "PE083"),
    ),
    Question(
        "11.q3",
        "A library keeps row 1 of its table for pads and counts real tokens from there on. Which row does the first real token get?",
        (
            Option(
                "Row 0: counting starts at 0.",
                False,
                "That is the other convention. Weights trained with this one have their first token elsewhere.",
            ),
            Option("Row 1.", False, "That row belongs to the pads."),
            Option(
                "Row 2.",
                True,
                "padding_idx + 1. A table for 512 tokens then needs 514 rows: 512, and the two that come before.",
            ),
            Option("Row 512.", False, "That is near the end, where the last tokens are."),
        ),
        "offsets",
        _offset_row,
        seen=("PE056", "PE059"),
    ),
    Question(
        "11.q4",
        "A prompt of three tokens stands behind two pads in a row of five. Which position does the next token get?",
        (
            Option(
                "5: the row holds five places.",
                False,
                "Two of them are pads, and pads have no seat.",
            ),
            Option(
                "3.",
                True,
                "The real tokens had 0, 1 and 2. Each row of a batch has its own next number.",
            ),
            Option("2.", False, "That is the number of the last token that is there."),
            Option(
                "0: one token is computed at a time.",
                False,
                "It is alone in its step, and not alone in its text; the cached keys carry 0 to 2.",
            ),
        ),
        "contract",
        _next_number,
        seen=("PE068", "PE073"),
    ),
    Question(
        "11.q5",
        "Left padding makes every position of a text 5 too large; the pads are masked. Whose scores change?",
        (
            Option(
                "Nobody's: pads are masked.",
                False,
                "The mask keeps pads from being read. It does not change what numbers the real tokens were given.",
            ),
            Option(
                "Those of a rotary model and those of a learned table.",
                False,
                "Rotary scores depend on the distance between two tokens, and that did not change.",
            ),
            Option(
                "Those of a learned table, not those of a rotary model.",
                True,
                "The table gives other rows. Whether the answers suffer depends on the task, as this section measures.",
            ),
        ),
        "costs",
        _who_feels_a_shift,
        seen=("PE067",),
    ),
)

# ------------------------------------------------------------------ 11.1


def _checked(table: Array, positions: Array) -> None:
    encodings.lookup(table, positions)


def _zeros_outside(table: Array, positions: Array) -> Array:
    inside = (positions >= 0) & (positions < len(table))
    return np.where(inside[..., None], table[np.where(inside, positions, 0)], 0.0)


def _last_row_refused(table: Array, positions: Array) -> Array:
    bad = positions[(positions < 0) | (positions >= len(table) - 1)]
    if bad.size:
        raise IndexError(f"position {bad[0]} has no row: the capacity is {len(table)}")
    return table[positions]


def _says_nothing(table: Array, positions: Array) -> Array:
    if ((positions < 0) | (positions >= len(table))).any():
        raise IndexError("position out of range")
    return table[positions]


def _value_error(table: Array, positions: Array) -> Array:
    bad = positions[(positions < 0) | (positions >= len(table))]
    if bad.size:
        raise ValueError(f"position {bad[0]} has no row: the capacity is {len(table)}")
    return table[positions]


def _flattened(table: Array, positions: Array) -> Array:
    return encodings.lookup(table, positions).reshape(-1, table.shape[1])


def _first_for_all(table: Array, positions: Array) -> Array:
    _checked(table, positions)
    return (
        table[positions]
        if positions.ndim == 1
        else np.stack([table[positions[0]]] * len(positions))
    )


def _row_of_the_batch(table: Array, positions: Array) -> Array:
    _checked(table, positions)
    if positions.ndim == 1:
        return table[positions]
    return np.stack(
        [
            np.repeat(table[[b % len(table)]], positions.shape[1], axis=0)
            for b in range(len(positions))
        ]
    )


def _offset_added(table: Array, positions: Array) -> Array:
    return encodings.lookup(table, positions + 2)


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
        _case_lookup(rng, 64, 16, np.arange(64)[::-1], about="a larger one"),
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
    title="A row for every seat",
    section="rows",
    points=3,
    minutes=8,
    difficulty=1,
    asked="an array of shape positions.shape + (width,)",
    reference=encodings.lookup,
    cases=_fixed_lookups(),
    draw=_draw_lookups,
    misconceptions=(
        Misconception(
            "negative-wraps",
            lambda table, positions: table[positions],
            "a negative position is taken from the end of the table, as NumPy does without a word",
            "What does `table[-1]` return, and what is the seat number −1?",
        ),
        Misconception(
            "clipped",
            lambda table, positions: table[np.clip(positions, 0, len(table) - 1)],
            "positions outside the table get its nearest row",
            "Then a text that is too long is answered as if nothing had happened. Who would notice?",
            ("PE078",),
        ),
        Misconception(
            "wrapped",
            lambda table, positions: table[positions % len(table)],
            "positions past the end begin again at row 0",
            "A table has no row past its end. Which error says so?",
        ),
        Misconception(
            "zeros",
            _zeros_outside,
            "positions outside the table get a row of zeros",
            "A token without a position looks like one with a position of zeros. Which error is asked for instead?",
        ),
        Misconception(
            "last-row-refused",
            _last_row_refused,
            "the last row of the table is refused",
            "With 100 rows, the positions are 0 to 99. Which is the largest legal one?",
            ("PE077",),
        ),
        Misconception(
            "unnamed",
            _says_nothing,
            "the right error is raised, and its message leaves out the position or the capacity",
            "Whoever reads the message wants to know which position it was and how many rows there are.",
        ),
        Misconception(
            "another-error",
            _value_error,
            "another class of error is raised than the one asked for",
            "Which class does Python itself use for an index that does not exist?",
        ),
        Misconception(
            "flattened",
            _flattened,
            "the batch was laid out in one long list of rows",
            "For positions of shape (B, n) the result has the axes B, n and width.",
        ),
        Misconception(
            "first-for-all",
            _first_for_all,
            "all rows of the batch get the positions of the first one",
            "Each sequence may begin at another place. Which axis of `positions` did you use?",
            ("PE043",),
        ),
        Misconception(
            "sequence-for-token",
            _row_of_the_batch,
            "each sequence gets one row of the table for all its tokens: sequences are counted instead of tokens",
            "Position says where a token stands within its sequence. Which axis counts that?",
            ("PE040",),
        ),
        Misconception(
            "offset-added",
            _offset_added,
            "2 is added to each position, as in libraries that keep two rows in front; this table has no such rows",
            "That is a convention and belongs to the table it was trained with. Which row is position 0 here?",
            ("PE056", "PE059"),
            section="offsets",
        ),
    ),
    hints=(
        "`table[positions]` does the looking up, for one row of positions and for a batch.",
        "NumPy complains past the end and keeps silent below 0. Look for bad positions yourself first.",
        "`bad = positions[(positions < 0) | (positions >= len(table))]`; if `bad.size`, raise an `IndexError` whose message "
        "holds `bad[0]` and `len(table)`.",
    ),
)

# ------------------------------------------------------------------ 11.2


def _real(call: Call) -> Array:
    return np.asarray(call.args[0]) == 1


def _plain_numbers(value: Any, shape: tuple[int, ...]) -> Array | None:
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None
    return value if value.shape == shape else None


def _compare_ids(call: Call, expected: Array, got: Array) -> Fault | None:
    real = _real(call)
    wrong = (got != expected) & real
    if not wrong.any():
        return None
    row, column = (int(n) for n in np.argwhere(wrong)[0])
    return Fault(
        "value",
        f"`position_ids(mask)` for a mask of shape {expected.shape}: {int(wrong.sum())} of {int(real.sum())} real tokens have "
        f"another number; the first is at row {row}, place {column}, where yours holds {got[row, column]:g}. Pads are not judged.",
    )


def _ids_mistake(
    id: str, does: Callable[[Array], Array], looks_like: str, think: str, seen: tuple[str, ...] = ()
) -> Misconception:
    """A mistake that is recognised by the numbers of the real tokens, whatever the pads hold."""

    def fits(call: Call, value: Any) -> bool:
        wanted = np.asarray(does(np.asarray(call.args[0])), dtype=float)
        value = _plain_numbers(value, wanted.shape)
        return value is not None and bool((value == wanted)[_real(call)].all())

    return Misconception(id, does, looks_like, think, seen, fits)


def _counted(mask: Array) -> Array:
    return np.cumsum(mask, axis=1) - 1


def _places(mask: Array) -> Array:
    return np.broadcast_to(np.arange(mask.shape[1]), mask.shape).copy()


def _mask(lengths: Sequence[int], width: int, side: str) -> Array:
    places = np.arange(width)
    lengths = np.array(lengths)[:, None]
    return ((places >= width - lengths) if side == "left" else (places < lengths)).astype(int)


def _draw_masks(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(6):
        width, rows = int(rng.integers(8, 14)), int(rng.integers(3, 6))
        lengths = rng.choice(np.arange(2, width), rows, replace=False)
        cases.append(Case((_mask(lengths, width, "left" if n % 2 else "right"),)))
    return cases


POSITION_IDS = Challenge(
    id="11.2",
    name="position_ids",
    title="Count the tokens, not the places",
    section="contract",
    points=3,
    minutes=8,
    difficulty=2,
    asked="an array of whole numbers of the shape of attention_mask",
    reference=encodings.position_ids,
    cases=(
        Case((np.array([[0, 0, 1, 1, 1]]),), about="pads on the left"),
        Case((np.array([[1, 1, 1, 0, 0]]),), about="pads on the right"),
        Case((np.array([[1, 1, 1, 1]]),), about="no pads"),
        Case((_mask([2, 6, 4], 6, "left"),), about="a batch, pads on the left"),
        Case((_mask([5, 3, 7], 7, "right"),), about="a batch, pads on the right"),
        Case((_mask([1, 5], 5, "left"),), about="one token behind four pads"),
    ),
    draw=_draw_masks,
    compare=_compare_ids,
    misconceptions=(
        _ids_mistake(
            "places-counted",
            _places,
            "the places of the row are counted, pads included",
            "The first real token of each row should be number 0. What is it in a row with two pads in front?",
            ("PE065", "PE066", "PE072"),
        ),
        _ids_mistake(
            "from-1",
            lambda mask: np.cumsum(mask, axis=1),
            "the first token is number 1",
            "The first row of the table belongs to the first token. What is its number?",
        ),
        _ids_mistake(
            "offset-2",
            lambda mask: _counted(mask) + 2,
            "an offset of 2 is added, as in fairseq and OPT, whose tables have two rows in front; none are asked for here",
            "That is a convention and belongs to the table it was trained with. What is the first token's number here?",
            ("PE056", "PE059"),
        ),
        _ids_mistake(
            "down-the-batch",
            lambda mask: np.cumsum(mask, axis=0) - 1,
            "the count runs down the batch instead of along each row",
            "Which axis of the mask holds the tokens of one text?",
            ("PE040",),
        ),
        _ids_mistake(
            "sequence-for-token",
            lambda mask: np.repeat(np.arange(len(mask))[:, None], mask.shape[1], axis=1),
            "sequences are numbered instead of tokens",
            "All tokens of a row have the same number in your result. What should tell them apart?",
            ("PE040",),
        ),
        _ids_mistake(
            "first-for-all",
            lambda mask: np.repeat(_counted(mask)[:1], len(mask), axis=0),
            "all rows get the numbers of the first one",
            "Each row has its own number of pads. Where does your code look at the other rows?",
            ("PE043",),
        ),
        _ids_mistake(
            "always-left",
            lambda mask: _places(mask) - (mask == 0).sum(axis=1, keepdims=True),
            "the number of pads is subtracted whichever side they are on",
            "With pads on the right, which number does the first token get from your code?",
        ),
        _ids_mistake(
            "from-the-right",
            lambda mask: np.cumsum(mask[:, ::-1], axis=1)[:, ::-1] - 1,
            "the count runs from the last token to the first",
            "Which token of a text is number 0?",
        ),
    ),
    hints=(
        "A running sum along the row goes up by 1 at every real token and stays where it is at a pad.",
        "`np.cumsum(attention_mask, axis=1)` is such a sum. With which number does it begin at the first real token?",
        "Take 1 away from the running sum. What it says at pads does not matter here.",
    ),
)

# ------------------------------------------------------------------ 11.3


def _lengths_in_order(documents: Array) -> list[int]:
    begins = np.flatnonzero(np.diff(documents, prepend=documents[0] - 1))
    return np.diff(begins, append=len(documents)).tolist()


def _packed(rule: Callable[[list[int]], list[Array]]) -> Callable[[Array], Array]:
    """A wrong 11.3 from the lengths of the documents in order."""

    def wrong(document_ids: Array) -> Array:
        return np.concatenate(rule(_lengths_in_order(document_ids)))

    return wrong


def _previous_length(lengths: list[int]) -> list[Array]:
    begins = np.cumsum([0, *lengths[:-1]])
    return [
        begin + np.arange(n) - before
        for begin, n, before in zip(begins, lengths, [0, *lengths[:-1]])
    ]


def _late(lengths: list[int]) -> list[Array]:
    rows = [np.arange(n) - (k > 0) for k, n in enumerate(lengths)]
    for before, row in zip(lengths, rows[1:]):
        row[0] = before  # the first token goes on where the document before it ended
    return rows


def _upwards_only(documents: Array) -> Array:
    positions = np.zeros(len(documents), dtype=int)
    for k in range(1, len(documents)):
        positions[k] = 0 if documents[k] > documents[k - 1] else positions[k - 1] + 1
    return positions


def _by_name(documents: Array) -> Array:
    return np.concatenate([np.arange(n) for n in np.unique(documents, return_counts=True)[1]])


def _documents(lengths: Sequence[int], names: Sequence[int]) -> Array:
    return np.repeat(np.array(names), lengths)


def _draw_documents(rng: np.random.Generator) -> list[Case]:
    cases = []
    for _ in range(6):
        count = int(rng.integers(4, 7))
        lengths = rng.choice(np.arange(1, 10), count, replace=False)
        names = rng.choice(np.arange(-3, 30), count, replace=False)
        cases.append(Case((_documents(lengths, names),)))
    return cases


PACKED_POSITION_IDS = Challenge(
    id="11.3",
    name="packed_position_ids",
    title="Documents end to end",
    section="contract",
    points=2,
    minutes=10,
    difficulty=2,
    asked="a one-dimensional array of whole numbers, one for each token,",
    reference=encodings.packed_position_ids,
    cases=(
        Case((np.array([0, 0, 0, 1, 1]),)),
        Case((np.array([7, 7, 7, 7]),), about="one document"),
        Case((_documents([4, 3, 2], [5, 2, 9]),), about="names that do not ascend"),
        Case((_documents([1, 1, 3, 1], [8, 3, 4, 0]),), about="documents of one token"),
        Case((_documents([2, 5, 3, 6], [0, 1, 2, 3]),)),
        Case((np.array([4]),), about="one token"),
    ),
    draw=_draw_documents,
    misconceptions=(
        Misconception(
            "no-reset",
            lambda document_ids: np.arange(len(document_ids)),
            "the numbers run on from one document into the next",
            "The first token of each document should be number 0.",
            ("PE069", "PE071", "PE072"),
        ),
        Misconception(
            "documents-numbered",
            _packed(lambda lengths: [np.full(n, k) for k, n in enumerate(lengths)]),
            "documents are numbered instead of the tokens in them",
            "All tokens of one document have the same number in your result. What should tell them apart?",
            ("PE040",),
        ),
        Misconception(
            "from-1",
            _packed(lambda lengths: [np.arange(1, n + 1) for n in lengths]),
            "the first token of each document is number 1",
            "The first row of the table belongs to the first token. What is its number?",
        ),
        Misconception(
            "reset-late",
            _packed(_late),
            "the count starts again one token too late",
            "At which token does `document_ids` change: the last of a document or the first of the next?",
        ),
        Misconception(
            "previous-length",
            _packed(_previous_length),
            "the length of the document before is subtracted, which is right for the second document only",
            "Where does the third document begin? What has to be subtracted there?",
        ),
        Misconception(
            "upwards-only",
            _upwards_only,
            "a new document is seen only where its number is larger than the one before",
            "The numbers are names. May a document called 2 follow one called 5?",
        ),
        Misconception(
            "sorted-by-name",
            _by_name,
            "the documents are counted in the order of their numbers, not in the order in which they stand",
            "`np.unique` sorts. Which document comes first in the row?",
        ),
        Misconception(
            "backwards",
            _packed(lambda lengths: [np.arange(n)[::-1] for n in lengths]),
            "the tokens of each document are counted from its end",
            "Which token of a document is number 0?",
        ),
    ),
    hints=(
        "A token begins a document if it is the first of all or if its number differs from the one before.",
        "If you know for each token where its document begins, its position is its place minus that.",
        "`np.maximum.accumulate(np.where(begins, np.arange(n), 0))` carries the latest beginning along. A loop is right, too.",
    ),
)

# ------------------------------------------------------------------ 11.4


def _next(start: Callable[[Array], Array]) -> Callable[[Array, int], Array]:
    """A wrong 11.4 from a rule for the first new number of each row, (batch, 1)."""

    def wrong(attention_mask: Array, new_tokens: int) -> Array:
        return start(attention_mask) + np.arange(new_tokens)

    return wrong


def _real_count(mask: Array) -> Array:
    return mask.sum(axis=1, keepdims=True)


def _after_last_real(mask: Array) -> Array:
    return mask.shape[1] - np.argmax(mask[:, ::-1], axis=1)[:, None]


def _draw_next(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(6):
        width, rows = int(rng.integers(8, 14)), int(rng.integers(3, 6))
        lengths = rng.choice(np.arange(2, width - 1), rows, replace=False)
        mask = _mask(lengths, width, "left" if n % 3 else "right")
        cases.append(Case((mask, int(rng.integers(2, 7)))))
    return cases


NEXT_POSITION_IDS = Challenge(
    id="11.4",
    name="next_position_ids",
    title="The next seat",
    section="contract",
    points=2,
    minutes=8,
    difficulty=2,
    asked="an array of whole numbers of shape (batch, new_tokens)",
    reference=encodings.next_position_ids,
    cases=(
        Case((np.array([[0, 0, 1, 1, 1]]), 1), about="three tokens behind two pads"),
        Case((np.array([[1, 1, 1, 1, 1]]), 3), about="no pads"),
        Case((np.array([[1, 1, 1, 0, 0]]), 2), about="pads on the right"),
        Case((_mask([2, 6, 4], 6, "left"), 3), about="a batch, pads on the left"),
        Case((_mask([5, 3, 7, 1], 8, "right"), 2), about="a batch, pads on the right"),
        Case((_mask([6, 2], 7, "left"), 1), about="one new token"),
    ),
    draw=_draw_next,
    misconceptions=(
        Misconception(
            "row-length",
            _next(lambda mask: np.full((len(mask), 1), mask.shape[1])),
            "the length of the row is taken, pads included",
            "Three real tokens behind two pads had the numbers 0, 1 and 2. What comes next?",
            ("PE068",),
        ),
        Misconception(
            "after-the-last-place",
            _next(_after_last_real),
            "the place of the last real token in the row is taken for its number",
            "With pads in front, a token's place and its number differ. By how much?",
            ("PE066",),
        ),
        Misconception(
            "all-zero",
            lambda attention_mask, new_tokens: np.zeros(
                (len(attention_mask), new_tokens), dtype=int
            ),
            "every new token is number 0",
            "Each step computes one token, which comes after all that are in the cache.",
            ("PE073",),
        ),
        Misconception(
            "from-0",
            _next(lambda mask: np.zeros((len(mask), 1), dtype=int)),
            "the new tokens are counted from 0, as if no text came before",
            "How many real tokens does each row hold already?",
            ("PE076",),
        ),
        Misconception(
            "one-for-all",
            _next(lambda mask: np.repeat(_real_count(mask)[:1], len(mask), axis=0)),
            "all rows go on from the first row's count",
            "Each row has its own number of real tokens. Where does your code look at the other rows?",
            ("PE043", "PE068"),
        ),
        Misconception(
            "longest-for-all",
            _next(lambda mask: np.full((len(mask), 1), mask.sum(axis=1).max())),
            "all rows go on from the longest one's count",
            "A short row goes on where it ended, not where the longest did.",
            ("PE068",),
        ),
        Misconception(
            "last-repeated",
            _next(lambda mask: _real_count(mask) - 1),
            "the first new token gets the number of the last one that is there",
            "n tokens have the numbers 0 to n − 1. What is the next number?",
        ),
        Misconception(
            "one-too-large",
            _next(lambda mask: _real_count(mask) + 1),
            "one number is left out before the first new token, as if the count had been moved on already",
            "n tokens have the numbers 0 to n − 1. What is the next number?",
            ("PE075",),
        ),
        Misconception(
            "prompt-twice",
            _next(lambda mask: 2 * _real_count(mask)),
            "the length of the prompt is added twice",
            "After a prompt of 6 the next number is 6. Where does your code add the other 6?",
            ("PE074",),
        ),
        Misconception(
            "no-step",
            lambda attention_mask, new_tokens: np.repeat(
                _real_count(attention_mask), new_tokens, axis=1
            ),
            "all new tokens of a row share one number",
            "The second new token comes after the first. What is its number?",
        ),
    ),
    hints=(
        "How many real tokens does each row hold? The next number is that count.",
        "`attention_mask.sum(axis=1)` counts them; `np.arange(new_tokens)` are the steps.",
        "Counts of shape (batch, 1) plus steps of shape (new_tokens,) give (batch, new_tokens).",
    ),
)

CHALLENGES = (LOOKUP, POSITION_IDS, PACKED_POSITION_IDS, NEXT_POSITION_IDS)
