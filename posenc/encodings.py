"""A position in, a vector out: every scheme of the course, from the bare number to rotations.

Positions count from 0 and have no unit; angles are in radians; a table has shape
(length, width) and its row p belongs to position p.
"""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from posenc import arguments

PAIRINGS = ("neighbours", "halves")


# The sinusoidal pattern of Vaswani et al. (2017), "Attention Is All You Need", section 3.5.


def frequencies(width: int, base: float = 10000.0) -> np.ndarray:
    """Radians per position of each pair of columns: base^(-2i/width) for pair i.

    Returns shape ((width + 1) // 2,); the last one of an odd width belongs to a sine alone.
    Raises TypeError or ValueError unless width is a whole number of at least 1 and base a
    finite number above 0.
    """
    width = arguments.whole("width", width, low=1)
    base = arguments.number("base", base, above=0)
    return base ** (-np.arange(0, width, 2) / width)


def sinusoidal(
    length: int, width: int, base: float = 10000.0, dtype: DTypeLike = np.float64
) -> np.ndarray:
    """The table of positions 0 … length - 1, shape (length, width).

    Column 2i is sin(p·ω_i) and column 2i + 1 is cos(p·ω_i), ω = frequencies(width, base); an odd
    width ends in a sine without its cosine. Raises as `frequencies` does, and ValueError for a
    negative length or a dtype other than float16, float32 and float64.
    """
    length = arguments.whole("length", length, low=0)
    return sinusoidal_at(np.arange(length), width, base, dtype)


def sinusoidal_at(
    positions: ArrayLike, width: int, base: float = 10000.0, dtype: DTypeLike = np.float64
) -> np.ndarray:
    """The rows of any positions: shape positions.shape + (width,).

    Positions are whole or real numbers, negative ones too, of any shape. Angles are computed in
    float64 whatever the dtype, and cast at the end: in half precision position 2049 is 2048.
    """
    positions = arguments.real_array("positions", positions).astype(np.float64)
    dtype = arguments.floating("dtype", dtype)
    angles = positions[..., None] * frequencies(width, base)
    table = np.empty(positions.shape + (width,))
    table[..., 0::2] = np.sin(angles)
    table[..., 1::2] = np.cos(angles[..., : width // 2])
    return table.astype(dtype, copy=False)


def add_positions(batch: ArrayLike, base: float = 10000.0) -> np.ndarray:
    """Every sequence of the batch (B, L, d) plus the same sinusoidal table (L, d): a new array.

    A position is counted within its own sequence, so each sequence gets rows 0 … L - 1.
    float32 stays float32. Raises ValueError unless batch has three axes.
    """
    batch = arguments.real_array("batch", batch, axes=3)
    _, length, width = batch.shape
    return batch + sinusoidal(length, width, base, batch.dtype)


class PositionalEncoding:
    """The layer that adds the sinusoidal table, for inputs of at most max_length positions.

    `table` has shape (max_length, width). Nothing in the layer is learned.
    """

    def __init__(self, width: int, max_length: int, base: float = 10000.0):
        self.table = sinusoidal(arguments.whole("max_length", max_length, low=1), width, base)

    def forward(self, batch: ArrayLike) -> np.ndarray:
        """The batch (B, L, d) with positions added; ValueError where L exceeds max_length."""
        batch = arguments.real_array("batch", batch, axes=3)
        _, length, width = batch.shape
        if length > len(self.table):
            raise ValueError(
                f"batch has length {length}, the table was made for at most {len(self.table)}"
            )
        if width != self.table.shape[1]:
            raise ValueError(f"batch must have width {self.table.shape[1]}, got width {width}")
        return batch + self.table[:length].astype(batch.dtype)

    def backward(self, gradient: ArrayLike) -> np.ndarray:
        """The gradient that arrives, unchanged: the derivative of x + constant is 1."""
        return np.array(gradient)

    def parameters(self) -> list:
        """What training may change: nothing."""
        return []


# The schemes of lessons 4 and 5 that one would try first.


def append_integer(x: ArrayLike, start: int = 0) -> np.ndarray:
    """The rows of x (n, d) with start, start + 1, … as one more column: shape (n, d + 1)."""
    x = arguments.real_array("x", x, axes=2)
    start = arguments.whole("start", start)
    positions = np.arange(start, start + len(x), dtype=x.dtype)
    return np.column_stack([x, positions])


def divided_by_length(length: int) -> np.ndarray:
    """Position p as p / length, shape (length, 1): one step shrinks as the text grows."""
    length = arguments.whole("length", length, low=1)
    return np.arange(length)[:, None] / length


def one_hot(length: int) -> np.ndarray:
    """Position p as a 1 in column p, shape (length, length): the width is the length."""
    return np.eye(arguments.whole("length", length, low=1))


def binary_counter(length: int, bits: int) -> np.ndarray:
    """The positions in binary, least significant bit first: 0.0 and 1.0, shape (length, bits).

    Bit b of position p is the whole part of p / 2^b, modulo 2; positions from 2^bits on repeat.
    """
    length = arguments.whole("length", length, low=1)
    bits = arguments.whole("bits", bits, low=1)
    return (np.arange(length)[:, None] >> np.arange(bits) & 1).astype(np.float64)


# Learned tables, and the numbers that look them up (lesson 11).


def learned_table(capacity: int, width: int, scale: float = 0.02, seed: int = 0) -> np.ndarray:
    """A table (capacity, width) as training finds it: normal random numbers times scale."""
    capacity = arguments.whole("capacity", capacity, low=1)
    width = arguments.whole("width", width, low=1)
    scale = arguments.number("scale", scale, above=0)
    seed = arguments.whole("seed", seed, low=0)
    return scale * np.random.default_rng(seed).standard_normal((capacity, width))


def lookup(table: ArrayLike, positions: ArrayLike) -> np.ndarray:
    """The rows of table (capacity, width) at positions (n,) or (B, n): (…, n, width).

    Raises IndexError that names a position below 0 or past the end, and the capacity: NumPy
    would take -1 for the last row and say nothing.
    """
    table = arguments.real_array("table", table, axes=2)
    positions = arguments.whole_array("positions", positions)
    capacity = len(table)
    outside = positions[(positions < 0) | (positions >= capacity)]
    if outside.size:
        raise IndexError(
            f"position {outside[0]} has no row: the table's capacity is {capacity}, "
            f"so positions are 0 to {capacity - 1}"
        )
    return table[positions]


def position_ids(attention_mask: ArrayLike) -> np.ndarray:
    """Each real token's number within its own row: whole numbers of shape (batch, length).

    attention_mask is 1 at a real token and 0 at a pad, which may be on either side. Real
    tokens count from 0; pads get 0, which nothing may read.
    """
    real = _real_tokens(attention_mask)
    return np.where(real, np.cumsum(real, axis=1) - 1, 0)


def packed_position_ids(document_ids: ArrayLike) -> np.ndarray:
    """Each token's number within its own document, for documents packed end to end: (length,).

    A number in document_ids names one contiguous document; ValueError where it comes back later.
    """
    documents = arguments.whole_array("document_ids", document_ids, axes=1)
    begins = np.flatnonzero(np.diff(documents, prepend=documents[:1] - 1))
    names = documents[begins]
    if len(np.unique(names)) != len(names):
        raise ValueError(
            "document_ids must name each document in one contiguous run, "
            f"got the runs {names.tolist()}"
        )
    lengths = np.diff(begins, append=len(documents))
    return np.arange(len(documents)) - np.repeat(begins, lengths)


def next_position_ids(attention_mask: ArrayLike, new_tokens: int) -> np.ndarray:
    """The numbers of the next new_tokens tokens of each row: shape (batch, new_tokens).

    Counted from the real tokens, not from the row's length: three real ones behind two pads
    make the next one number 3.
    """
    real = _real_tokens(attention_mask)
    new_tokens = arguments.whole("new_tokens", new_tokens, low=0)
    return real.sum(axis=1, keepdims=True) + np.arange(new_tokens)


def _real_tokens(attention_mask: ArrayLike) -> np.ndarray:
    """attention_mask as bools of shape (batch, length)."""
    mask = arguments.plain_array("attention_mask", attention_mask)
    arguments.check_axes("attention_mask", mask, 2, 0)
    if not np.isin(mask, (0, 1)).all():
        raise ValueError("attention_mask must hold 1 (a token) or 0 (a pad), got other values")
    return mask.astype(bool)


# Distances instead of position vectors (lesson 12).


def rotate(
    x: ArrayLike,
    positions: ArrayLike,
    base: float = 10000.0,
    rotary_width: int | None = None,
    pairing: str = "neighbours",
) -> np.ndarray:
    """x (…, length, width) with pair i of each row turned by position·base^(-2i/rotary_width).

    (a, b) becomes (a cos − b sin, a sin + b cos), angles in radians. The pairs are columns
    (2i, 2i + 1) for 'neighbours' and (i, i + rotary_width/2) for 'halves'; columns from
    rotary_width on stay as they are, and without it all columns turn. positions have shape
    (length,), or that of x without its last axis. float32 stays float32; the angles are
    float64. Su et al. (2021), "RoFormer", section 3.2.2; halves as in GPT-NeoX.
    """
    x = arguments.real_array("x", x, at_least=2)
    width = _rotary_width(rotary_width, x.shape[-1])
    return turn(x, _positions_of(x, positions)[..., None] * frequencies(width, base), pairing)


def turn(x: ArrayLike, angles: ArrayLike, pairing: str = "neighbours") -> np.ndarray:
    """x (…, length, width) with pair i of each row turned by its angle in angles (…, pairs).

    What every rotary variant comes down to: which features form a pair, and which angle in radians
    each pair is given. The pairs are those of the first 2·pairs columns, as in `rotate`; the other
    columns stay as they are. ValueError where x has fewer columns than that.
    """
    x = arguments.real_array("x", x, at_least=2)
    angles = arguments.real_array("angles", angles, at_least=1)
    width = _rotary_width(2 * angles.shape[-1], x.shape[-1])
    first, second = _pair_columns(width, arguments.choice("pairing", pairing, PAIRINGS))
    cosine, sine = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    turned = x.copy()
    turned[..., first] = x[..., first] * cosine - x[..., second] * sine
    turned[..., second] = x[..., first] * sine + x[..., second] * cosine
    return turned


def _rotary_width(rotary_width: int | None, width: int) -> int:
    """How many columns turn: an even number, at most the width."""
    if rotary_width is None:
        return arguments.even("the width of x", width)
    turning = arguments.even("rotary_width", rotary_width)
    if turning > width:
        raise ValueError(f"rotary_width must be at most the width of x, {width}, got {turning}")
    return turning


def _pair_columns(width: int, pairing: str) -> tuple[slice, slice]:
    """The columns of the first and of the second member of each pair."""
    if pairing == "neighbours":
        return slice(0, width, 2), slice(1, width, 2)
    return slice(0, width // 2), slice(width // 2, width)


def _positions_of(x: np.ndarray, positions: ArrayLike) -> np.ndarray:
    """One position for each row of x, as float64."""
    positions = arguments.real_array("positions", positions).astype(np.float64)
    if positions.shape not in (x.shape[-2:-1], x.shape[:-1]):
        raise ValueError(
            f"positions must have shape {x.shape[-2:-1]}, one for each row of x, "
            f"got {positions.shape}"
        )
    return positions


def alibi_slopes(heads: int) -> np.ndarray:
    """The slope of each head's penalty per position of distance: shape (heads,), all above 0.

    For a power of two, 2^(-8/heads) and its powers. For another number, the slopes of the next
    smaller power of two, then every second one of the next larger: the rule of the released
    code of Press et al. (2022), "Train Short, Test Long".
    """
    heads = arguments.whole("heads", heads, low=1)
    smaller = 2 ** (heads.bit_length() - 1)
    between = _geometric_slopes(2 * smaller)[0::2]
    return np.concatenate([_geometric_slopes(smaller), between])[:heads]


def _geometric_slopes(heads: int) -> np.ndarray:
    """2^(-8/heads) to the powers 1 … heads."""
    return 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)


def alibi_bias(heads: int, length: int) -> np.ndarray:
    """What ALiBi adds to the scores: minus slope times distance, (heads, length, length).

    Entry [h, i, j] belongs to query i and key j. Keys after the query are penalised by their
    distance too; a causal mask takes them away.
    """
    positions = np.arange(arguments.whole("length", length, low=1))
    distance = np.abs(positions[:, None] - positions)
    return -alibi_slopes(heads)[:, None, None] * distance


def interpolated_positions(length: int, trained_length: int) -> np.ndarray:
    """Positions 0 … length - 1, squeezed into the trained range where length exceeds it.

    Shape (length,), float64: position·trained_length/length, or unchanged for a length within
    the range. Chen et al. (2023), "Extending Context Window … via Positional Interpolation".
    """
    length = arguments.whole("length", length, low=1)
    trained_length = arguments.whole("trained_length", trained_length, low=1)
    positions = np.arange(length, dtype=np.float64)
    return positions if length <= trained_length else positions * trained_length / length


# The rotary ladder of a text longer than the trained ones (lesson 12).

SCALINGS = ("linear", "ntk")
MOST_TURNS, FEWEST_TURNS = 32, 1  # beta_fast and beta_slow of Peng et al. (2023)


def scaled_frequencies(
    width: int, method: str, length: int, trained_length: int, base: float = 10000.0
) -> np.ndarray:
    """Radians per position of each pair, (width/2,), for a text of `length` tokens.

    With s = length/trained_length, and the ladder as it was for s of at most 1:
    'linear' divides every frequency by s, which is the same as squeezing the positions (Chen et
    al., 2023); 'ntk' takes the ladder of base·s^(width/(width − 2)), in which the first pair keeps
    its frequency and the last is divided by s. 'ntk' needs a width of at least 4.
    """
    width = arguments.even("width", width)
    scale = _scale(length, trained_length)
    if arguments.choice("method", method, SCALINGS) == "linear":
        return frequencies(width, base) / scale
    arguments.whole("width", width, low=4)
    return frequencies(width, base * scale ** (width / (width - 2)))


def yarn_frequencies(
    width: int, length: int, trained_length: int, base: float = 10000.0
) -> np.ndarray:
    """Radians per position of each pair, (width/2,), of YaRN for a text of `length` tokens.

    With s as in `scaled_frequencies`: pairs that turn less than once in the trained length are
    divided by s, pairs that turn more than 32 times are kept, and between them goes a straight
    line over the pairs. Peng et al. (2023), with the line as in `modeling_rope_utils` of Hugging
    Face's transformers.
    """
    width = arguments.even("width", width)
    ladder, scale = frequencies(width, base), _scale(length, trained_length)
    turns = np.array([MOST_TURNS, FEWEST_TURNS])
    # The pair, not always a whole number, that turns so many times in the trained length.
    pair = width * np.log(trained_length / (2 * np.pi * turns)) / (2 * np.log(base))
    first, last = max(np.floor(pair[0]), 0), min(np.ceil(pair[1]), width - 1)
    steps = np.arange(width // 2) - first
    slowed = np.clip(steps / (last - first if last != first else 0.001), 0, 1)
    return ladder * (1 - slowed) + ladder / scale * slowed


def _scale(length: int, trained_length: int) -> float:
    """How many times the trained length a text has, and 1 for one that is no longer."""
    length = arguments.whole("length", length, low=1)
    return max(length / arguments.whole("trained_length", trained_length, low=1), 1.0)


def attention_factor(length: int, trained_length: int) -> float:
    """0.1·ln(s) + 1, by which YaRN multiplies queries and keys alike; 1.0 for s of at most 1.

    A score is a product of both, so it grows by the square. Peng et al. (2023), section 3.4.
    """
    return float(0.1 * np.log(_scale(length, trained_length)) + 1.0)
