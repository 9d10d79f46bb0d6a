"""Right answers to the challenges of lesson 11, written in other ways."""

import numpy as np


def lookup_by_loops(table, positions):
    capacity, width = table.shape
    flat = []
    for p in positions.ravel():
        if not 0 <= p < capacity:
            raise IndexError(f"no row for position {p}; the table has {capacity} rows")
        flat.append(table[int(p)])
    return np.array(flat).reshape(*positions.shape, width)


def lookup_by_take(table, positions):
    if positions.min() < 0:
        raise IndexError(f"position {positions.min()} is below 0 (capacity {len(table)})")
    return np.take(table, positions, axis=0)


def lookup_by_one_hot(table, positions):
    outside = positions[(positions >= len(table)) | (positions < 0)]
    if len(outside) > 0:
        raise IndexError("capacity", len(table), "position", int(outside[0]))
    return np.eye(len(table))[positions] @ table


def lookup_as_lists(table, positions):
    """An error class of its own, and NumPy's message where it names what is asked."""

    class NoSuchSeat(IndexError):
        pass

    for p in positions.flat:
        if p < 0 or p >= len(table):
            raise NoSuchSeat(f"{p} of {len(table)}")
    return table[positions].tolist()


def ids_by_running_sum(attention_mask):
    return attention_mask.cumsum(axis=1) - 1


def ids_with_pads_at_1(attention_mask):
    """Pads numbered 1, as some libraries do: they are not judged."""
    return np.where(attention_mask == 0, 1, np.cumsum(attention_mask, -1) - 1)


def ids_by_loops(attention_mask):
    rows = []
    for row in attention_mask:
        seen, numbers = 0, []
        for real in row:
            numbers.append(seen if real else 0)
            seen += int(real)
        rows.append(numbers)
    return rows


def ids_from_the_first_token(attention_mask):
    return np.arange(attention_mask.shape[1]) - attention_mask.argmax(axis=1)[:, None]


def ids_as_float(attention_mask):
    return np.cumsum(attention_mask, axis=1, dtype=np.float32) - 1


def packed_by_loop(document_ids):
    positions, before, count = [], None, 0
    for name in document_ids:
        count = count + 1 if name == before else 0
        positions.append(count)
        before = name
    return positions


def packed_by_beginnings(document_ids):
    n = len(document_ids)
    begins = np.ones(n, dtype=bool)
    begins[1:] = document_ids[1:] != document_ids[:-1]
    return np.arange(n) - np.maximum.accumulate(np.where(begins, np.arange(n), 0))


def packed_by_first_seen(document_ids):
    _, first, which = np.unique(document_ids, return_index=True, return_inverse=True)
    return np.arange(len(document_ids)) - first[which]


def packed_by_comparing_all(document_ids):
    same = document_ids[:, None] == document_ids
    return np.tril(same, -1).sum(axis=1)


def next_by_loops(attention_mask, new_tokens):
    return [[int(row.sum()) + step for step in range(new_tokens)] for row in attention_mask]


def next_by_outer_sum(attention_mask, new_tokens):
    return np.add.outer(np.count_nonzero(attention_mask, axis=1), np.arange(new_tokens))


def next_from_the_largest(attention_mask, new_tokens):
    last = (np.cumsum(attention_mask, axis=1) - 1).max(axis=1, keepdims=True)
    return last + np.arange(1, new_tokens + 1)


def next_by_going_on(attention_mask, new_tokens):
    longer = np.concatenate(
        [attention_mask, np.ones((len(attention_mask), new_tokens), dtype=int)], axis=1
    )
    return (longer.cumsum(axis=1) - 1)[:, -new_tokens:]


VARIANTS = {
    "11.1": [lookup_by_loops, lookup_by_take, lookup_by_one_hot, lookup_as_lists],
    "11.2": [
        ids_by_running_sum,
        ids_with_pads_at_1,
        ids_by_loops,
        ids_from_the_first_token,
        ids_as_float,
    ],
    "11.3": [packed_by_loop, packed_by_beginnings, packed_by_first_seen, packed_by_comparing_all],
    "11.4": [next_by_loops, next_by_outer_sum, next_from_the_largest, next_by_going_on],
}
