"""What a table of positions looks like from outside: norms, distances, wavelengths, shifts.

Positions and wavelengths are counted in positions, angles in radians. A pair is a sine column
and the cosine column of the same frequency.
"""

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from posenc import arguments
from posenc.attention import identity_attention
from posenc.encodings import append_integer, frequencies, sinusoidal

# Writing the number in, and what to ask of a scheme instead (lesson 4).


def position_spread(start: int, length: int, width: int) -> float:
    """Largest minus smallest i·j/√width over all pairs of positions start … start + length - 1.

    This is what an appended position adds to the logits; width counts the appended column.
    """
    start = arguments.whole("start", start)
    last = start + arguments.whole("length", length, low=1) - 1
    width = arguments.whole("width", width, low=1)
    # A product is largest and smallest at the ends of what its factors may be.
    products = (start * start, start * last, last * last)
    return float((max(products) - min(products)) / width**0.5)


def first_saturated_start(x: ArrayLike, threshold: float, limit: int = 1000) -> int | None:
    """The smallest start at which appended positions leave attention one choice, or None.

    A is x (n, d) with positions start … appended, the shares are softmax(A Aᵀ/√(d + 1)), and
    the mean over rows of the largest share must be at least threshold. Starts 0 … limit - 1 are
    tried one by one, since the mean does not rise at every step.
    """
    x = arguments.real_array("x", x, axes=2)
    threshold = arguments.number("threshold", threshold, above=0)
    for start in range(arguments.whole("limit", limit, low=1)):
        _, shares = identity_attention(append_integer(x, start))
        if shares.max(axis=1).mean() >= threshold:
            return start
    return None


def requirements_met(short: ArrayLike, long: ArrayLike) -> dict[str, bool]:
    """Which requirements one scheme meets, judged by two of its tables of different length.

    bounded: no |entry| of long above 1 and above the largest of short. distinct: no two rows of
    long closer than 1e-9. same_step: ‖row p + 1 − row p‖ equal in both, within 1e-9, for every
    p they share. fixed_width: both have one width.
    """
    short = arguments.real_array("short", short, axes=2).astype(np.float64)
    long = arguments.real_array("long", long, axes=2).astype(np.float64)
    if not 0 < len(short) < len(long):
        raise ValueError(f"long must have more rows than short, got {len(long)} and {len(short)}")
    limit = max(1.0, np.abs(short).max(initial=0.0))
    steps = _steps(short)
    return {
        "bounded": bool(np.abs(long).max(initial=0.0) <= limit),
        "distinct": bool(_closest_rows(long) >= 1e-9),
        "same_step": bool((np.abs(steps - _steps(long)[: len(steps)]) <= 1e-9).all()),
        "fixed_width": short.shape[1] == long.shape[1],
    }


def _steps(table: np.ndarray) -> np.ndarray:
    """The length of each step from one row to the next."""
    return norms(np.diff(table, axis=0))


def _closest_rows(table: np.ndarray) -> float:
    """The smallest distance between two rows, from differences: a Gram matrix loses digits."""
    return min(norms(table[p + 1 :] - table[p]).min() for p in range(len(table) - 1))


# Hands of clocks (lesson 5).


def nearest_lookalike(frequencies: ArrayLike, length: int) -> int:
    """The position 1 … length - 1 whose hands (sin pω, cos pω) are nearest to those of 0.

    frequencies are radians per position, shape (n,); the distance is Euclidean over all hands;
    of equally near positions, within rounding, the smallest.
    """
    speeds = arguments.real_array("frequencies", frequencies, axes=1).astype(np.float64)
    if speeds.size == 0:
        raise ValueError("frequencies must hold at least one frequency, got none")
    positions = np.arange(1, arguments.whole("length", length, low=2))
    # The chord of an angle is 2·sin(angle/2), which keeps its digits for small angles.
    distance = norms(2 * np.sin(positions[:, None] * speeds / 2))
    return int(positions[distance <= distance.min() + 1e-9][0])


def phase(hands: ArrayLike) -> np.ndarray:
    """The angle of each hand (sine, cosine), in radians between −π and π: (n, 2) to (n,).

    The hands may have any length above 0.
    """
    hands = arguments.real_array("hands", hands, at_least=1)
    if hands.shape[-1] != 2:
        raise ValueError(f"hands must be rows (sine, cosine), got shape {hands.shape}")
    if not hands.any(axis=-1).all():
        raise ValueError("hands must be longer than 0, got a row (0, 0), which has no angle")
    return np.arctan2(hands[..., 0], hands[..., 1])


# The ladder of wavelengths (lesson 7).


def wavelengths(width: int, base: float = 10000.0) -> np.ndarray:
    """Positions per turn of each pair, 2π/frequency: shape ((width + 1) // 2,).

    The last one of an odd width belongs to a sine alone.
    """
    return 2 * np.pi / frequencies(width, base)


def pairs_that_turn(width: int, length: int, base: float = 10000.0) -> int:
    """How many pairs have a wavelength of at most length. The lone sine of an odd width is none."""
    length = arguments.whole("length", length, low=0)
    # A wavelength of exactly length may come out a rounding error above it.
    turns = wavelengths(width, base)[: width // 2] <= length * (1 + 1e-12)
    return int(turns.sum())


def base_for_longest(width: int, longest: float) -> float:
    """The base whose last pair has the wavelength longest, above 2π: even widths from 4.

    The last pair's wavelength is 2π·base^((width − 2)/width).
    """
    width = arguments.even("width", width, low=4)
    longest = arguments.number("longest", longest, above=2 * np.pi)
    return float((longest / (2 * np.pi)) ** (width / (width - 2)))


def distinct_positions(start: int, length: int, dtype: DTypeLike) -> int:
    """How many different values positions start … start + length - 1 have left in dtype.

    dtype is 'float16', 'float32' or 'float64', or NumPy's type. ValueError where a position is
    too large for it.
    """
    start = arguments.whole("start", start)
    last = start + arguments.whole("length", length, low=1) - 1
    dtype = arguments.floating("dtype", dtype)
    if not all(_is_finite_in(dtype, end) for end in (start, last)):
        raise ValueError(f"positions must be finite in {dtype}, got {start} to {last}")
    return len(np.unique(np.arange(start, last + 1).astype(dtype)))


def _is_finite_in(dtype: np.dtype, position: int) -> bool:
    """Whether a position can be stored in dtype, and counted in 64 bits."""
    with np.errstate(over="ignore"):
        return abs(position) < 2**62 and bool(np.isfinite(np.float64(position).astype(dtype)))


# Norms and dot products (lesson 8).


def norms(table: ArrayLike) -> np.ndarray:
    """The Euclidean length of each row: (…, width) to (…)."""
    return np.linalg.norm(arguments.real_array("table", table, at_least=1), axis=-1)


def norm_range(width: int, length: int, base: float = 10000.0) -> tuple[float, float]:
    """The smallest and the largest norm of rows 0 … length - 1.

    √(width/2) both, up to rounding, for an even width; the lone sine of an odd one moves it.
    """
    lengths = norms(sinusoidal(arguments.whole("length", length, low=1), width, base))
    return float(lengths.min()), float(lengths.max())


def distance_profile(width: int, distances: ArrayLike, base: float = 10000.0) -> np.ndarray:
    """The dot product of two rows at each distance: Σ cos(distance·ω) over the pairs.

    distances are whole numbers of at least 0 and any shape, which the result has too; the width
    is even.
    """
    width = arguments.even("width", width)
    distances = arguments.whole_array("distances", distances, low=0)
    return np.cos(distances[..., None] * frequencies(width, base)).sum(axis=-1)


def rises_and_lowest(profile: ArrayLike) -> tuple[int, int, float]:
    """How many steps of a profile (n,) go up, and where and what its lowest value is.

    profile[k] belongs to distance k. Returns (rises, distance, value); of equal lowest values
    the first.
    """
    profile = arguments.real_array("profile", profile, axes=1)
    if profile.size == 0:
        raise ValueError("profile must hold at least one value, got none")
    lowest = int(profile.argmin())
    return int((np.diff(profile) > 0).sum()), lowest, float(profile[lowest])


def gram(table: ArrayLike) -> np.ndarray:
    """The dot product of every row with every row: (length, width) to (length, length)."""
    table = arguments.real_array("table", table, axes=2)
    return table @ table.T


def diagonal_spread(table: ArrayLike) -> float:
    """The largest spread along any diagonal of the table's Gram matrix.

    Zero, up to rounding, if the dot product of two rows depends on their distance only.
    """
    products = gram(table)
    if len(products) == 0:
        raise ValueError("table must have at least one row, got none")
    return float(max(np.ptp(np.diagonal(products, k)) for k in range(len(products))))


# Shifts as matrices (lesson 9). Convention: encoding[p + k] == shift_matrix(k) @ encoding[p].


def shift_matrix(k: int, width: int, base: float = 10000.0) -> np.ndarray:
    """The matrix M with encoding[p + k] = M @ encoding[p] for every p: (width, width).

    k is any whole number, the width even. Pair i turns by k·ω: its block is [[cos, sin],
    [−sin, cos]], with the minus below because the sine comes first. For a whole table,
    encoding[k:] = encoding[:-k] @ M.T. From sin(a + b) and cos(a + b); Vaswani et al. (2017),
    section 3.5, state that such a matrix exists.
    """
    k = arguments.whole("k", k)
    width = arguments.even("width", width)
    angles = k * frequencies(width, base)
    matrix = np.zeros((width, width))
    sines = np.arange(0, width, 2)
    cosines = sines + 1
    matrix[sines, sines] = matrix[cosines, cosines] = np.cos(angles)
    matrix[sines, cosines] = np.sin(angles)
    matrix[cosines, sines] = -np.sin(angles)
    return matrix


def fit_shift(encoding: ArrayLike, k: int) -> tuple[np.ndarray, float]:
    """The matrix that shifts a table by k rows best, by least squares, and what it misses.

    encoding is (length, width), k from 0 to length - 1. Returns the (width, width) matrix in
    the convention of `shift_matrix` and the residual, largest
    |encoding[k:] − encoding[:-k] @ matrix.T|.
    """
    encoding = arguments.real_array("encoding", encoding, axes=2).astype(np.float64)
    k = arguments.whole("k", k, low=0, high=len(encoding) - 1)
    before, after = encoding[: len(encoding) - k], encoding[k:]
    transposed, *_ = np.linalg.lstsq(before, after, rcond=None)
    return transposed.T, float(np.abs(after - before @ transposed).max(initial=0.0))


def lookback_weights(k: int, width: int, base: float = 10000.0) -> tuple[np.ndarray, np.ndarray]:
    """A query and a key projection that look k back: (w_q, w_k), both (width, width).

    In (P @ w_q) @ (P @ w_k).T the largest entry of each row i ≥ k is at i − k: the query of
    position i is turned into row i − k, and of all rows that one resembles itself most.
    """
    return shift_matrix(-k, width, base).T, np.eye(width)


def shift_from_one_step(one_step: ArrayLike, k: int) -> np.ndarray:
    """The matrix of any whole shift k from that of one step: its k-th power.

    Zero gives the identity, a negative k the power of the inverse.
    """
    one_step = arguments.real_array("one_step", one_step, axes=2)
    if one_step.shape[0] != one_step.shape[1]:
        raise ValueError(f"one_step must be a square matrix, got shape {one_step.shape}")
    k = arguments.whole("k", k)
    try:
        # The first power of a matrix is the matrix that came, which must not be handed on.
        return np.linalg.matrix_power(one_step.copy(), k)
    except np.linalg.LinAlgError:
        raise ValueError(f"one_step must have an inverse for k = {k}, got a singular one") from None


def numerical_rank(table: ArrayLike) -> int:
    """How many independent directions the rows use, up to rounding."""
    return int(np.linalg.matrix_rank(arguments.real_array("table", table, axes=2)))
