"""Challenge 11.3, Documents end to end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posenc import encodings
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def _documents(lengths: Sequence[int] | Array, names: Sequence[int] | Array) -> Array:
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
        Case((_documents([2, 3], [1, 65537]),), about="a large name"),
        Case((_documents([3, 300], [2, 1]),), about="a long document"),
    ),
    draw=_draw_documents,
    hints=(
        "A token begins a document if it is the first of all or if its number "
        "differs from the one before.",
        "If you know for each token where its document begins, its position is "
        "its place minus that.",
        "`np.maximum.accumulate(np.where(begins, np.arange(n), 0))` carries the latest "
        "beginning along. A loop is right, too.",
    ),
)


@PACKED_POSITION_IDS.mistake(
    "the numbers run on from one document into the next",
    "The first token of each document should be number 0.",
    seen=("PE069", "PE071", "PE072"),
)
def no_reset(document_ids):
    return np.arange(len(document_ids))


def _lengths_in_order(documents: Array) -> list[int]:
    begins = np.flatnonzero(np.diff(documents, prepend=documents[0] - 1))
    return np.diff(begins, append=len(documents)).tolist()


def _from_0(lengths: list[int]) -> list[Array]:
    return [np.arange(n) for n in lengths]


@PACKED_POSITION_IDS.choices
def numbered(document_ids, *, rule=_from_0):
    """The numbers, from a rule for the lengths of the documents in order."""
    return np.concatenate(rule(_lengths_in_order(document_ids)))


numbered.mistake(
    "documents-numbered",
    "documents are numbered instead of the tokens in them",
    "All tokens of one document have the same number in your result. What should tell them apart?",
    seen=("PE040",),
    rule=lambda lengths: [np.full(n, k) for k, n in enumerate(lengths)],
)
numbered.mistake(
    "from-1",
    "the first token of each document is number 1",
    "The first row of the table belongs to the first token. What is its number?",
    rule=lambda lengths: [np.arange(1, n + 1) for n in lengths],
)


def _late(lengths: list[int]) -> list[Array]:
    rows = [np.arange(n) - (k > 0) for k, n in enumerate(lengths)]
    for before, row in zip(lengths, rows[1:]):
        row[0] = before  # the first token goes on where the document before it ended
    return rows


numbered.mistake(
    "reset-late",
    "the count starts again one token too late",
    "At which token does `document_ids` change: the last of a document or the first of the next?",
    rule=_late,
)


def _previous_length(lengths: list[int]) -> list[Array]:
    begins = np.cumsum([0, *lengths[:-1]])
    return [
        begin + np.arange(n) - before
        for begin, n, before in zip(begins, lengths, [0, *lengths[:-1]])
    ]


numbered.mistake(
    "previous-length",
    "the length of the document before is subtracted, which is right for the second document only",
    "Where does the third document begin? What has to be subtracted there?",
    rule=_previous_length,
)


@PACKED_POSITION_IDS.mistake(
    "a new document is seen only where its number is larger than the one before",
    "The numbers are names. May a document called 2 follow one called 5?",
)
def upwards_only(documents):
    positions = np.zeros(len(documents), dtype=int)
    for k in range(1, len(documents)):
        positions[k] = 0 if documents[k] > documents[k - 1] else positions[k - 1] + 1
    return positions


@PACKED_POSITION_IDS.mistake(
    "the documents are counted in the order of their numbers, and not in that of the row",
    "`np.unique` sorts. Which document comes first in the row?",
)
def sorted_by_name(documents):
    return np.concatenate([np.arange(n) for n in np.unique(documents, return_counts=True)[1]])


numbered.mistake(
    "backwards",
    "the tokens of each document are counted from its end",
    "Which token of a document is number 0?",
    rule=lambda lengths: [np.arange(n)[::-1] for n in lengths],
)


@PACKED_POSITION_IDS.has
def documents_begin_at_0(found, document_ids):
    begins = np.r_[True, np.diff(document_ids) != 0]
    for place in np.flatnonzero(begins):
        if found[place] != 0:
            return (
                f"a document begins at place {place}, and your position there is {found[place]:g}."
            )
    return ""


@PACKED_POSITION_IDS.has
def one_more_within_a_document(found, document_ids):
    inside = np.diff(document_ids) == 0
    wrong = np.flatnonzero(inside & (np.diff(found) != 1))
    if not wrong.size:
        return ""
    place = int(wrong[0])
    return (
        f"places {place} and {place + 1} are of one document, and your positions there are "
        f"{found[place]:g} and {found[place + 1]:g}."
    )
