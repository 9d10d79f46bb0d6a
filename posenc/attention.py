"""How tokens read one another, and what becomes of that when their order changes.

Rows are tokens: x has shape (n, width). A mask is True where reading is allowed; scores and
weights have one row for each query and one column for each key.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from posenc import arguments

Layer = Callable[[np.ndarray], np.ndarray]

# Six tokens on three topics: 0 and 3, 1 and 4, 2 and 5 share one. The text that the course
# started from prints figures measured on six tokens, but not the tokens; these were solved for
# so that its figures come out. Say so wherever they are used.
SIX_TOKENS = np.array(
    [
        [1.777, 0.341, -0.084, -0.908],
        [-0.885, 1.505, -0.651, 0.593],
        [-1.470, -0.271, 0.957, 0.137],
        [1.381, 0.468, -0.368, -1.013],
        [-0.928, 0.669, -0.936, -0.340],
        [-1.492, -0.692, 1.318, -0.153],
    ]
)
SIX_TOKENS.setflags(write=False)  # one lesson must not change the tokens of the next


# Scores to shares, shares to outputs. Vaswani et al. (2017), section 3.2.1.


def softmax(scores: ArrayLike, axis: int = -1) -> np.ndarray:
    """Shares exp(score) / sum of exp(scores) along the axis: the shape of scores, sums of 1.

    Subtracting the largest score first changes no share and keeps exp from overflowing.
    A score of −∞ has a share of 0. Raises ValueError for an axis that scores lacks, and where
    the largest score is not finite: NaN, +∞, or nothing but −∞.
    """
    scores = arguments.real_array("scores", scores, at_least=1, finite=False)
    axis = arguments.whole("axis", axis, low=-scores.ndim, high=scores.ndim - 1)
    if scores.shape[axis] == 0:
        raise ValueError(f"scores must not be empty along axis {axis}, got shape {scores.shape}")
    largest = scores.max(axis=axis, keepdims=True)
    if not np.isfinite(largest).all():
        raise ValueError(f"scores must have a finite largest one along axis {axis}, got {largest}")
    powers = np.exp(scores - largest)
    return powers / powers.sum(axis=axis, keepdims=True)


def masked_attention_weights(scores: ArrayLike, mask: ArrayLike) -> np.ndarray:
    """Softmax over the allowed keys of each row: the shape of scores, 0 where forbidden.

    scores and mask are (queries, keys), scores may have more axes in front. A row that may read
    nothing is all zeros. A forbidden score may be anything, NaN and infinity included.
    """
    scores = arguments.real_array("scores", scores, at_least=2, finite=False)
    allowed = _fit_mask(mask, scores.shape)
    scores = np.where(allowed, scores, -np.inf)
    if not np.isfinite(scores[allowed]).all():
        raise ValueError("scores must be finite where the mask allows reading, got NaN or infinity")
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    powers = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    totals = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(totals > 0, totals, 1)


def _fit_mask(mask: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    """The mask as bools of the scores' shape."""
    mask = arguments.bool_array("mask", mask, "reading is allowed")
    try:
        return np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"mask must fit the scores' shape {shape}, got {mask.shape}") from None


def attention_weights(
    queries: ArrayLike,
    keys: ArrayLike,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
) -> np.ndarray:
    """The share that each query gives to each key: softmax of q·k/√(key width) + bias.

    queries (…, n, d) and keys (…, m, d) give (…, n, m). bias is added to the scaled scores; the
    mask, True where reading is allowed, is applied last. ValueError where widths differ.
    """
    queries = arguments.real_array("queries", queries, at_least=2)
    keys = arguments.real_array("keys", keys, at_least=2)
    width = keys.shape[-1]
    if queries.shape[-1] != width or width == 0:
        raise ValueError(
            "queries and keys must have one width of at least 1, "
            f"got {queries.shape[-1]} and {width}"
        )
    _fit_shape("keys", keys.shape[:-2], queries.shape[:-2])
    # A Python number keeps float32 as it is; NumPy's own square root would make it float64.
    scores = queries @ np.swapaxes(keys, -1, -2) * width**-0.5
    return _weights(scores if bias is None else scores + _fit_bias(bias, scores), mask)


def _weights(scores: np.ndarray, mask: ArrayLike | None) -> np.ndarray:
    """Shares of the scores, masked where there is a mask."""
    return softmax(scores) if mask is None else masked_attention_weights(scores, mask)


def _fit_bias(bias: ArrayLike, scores: np.ndarray) -> np.ndarray:
    """The bias as an array that can be added to the scores; it may bring heads of its own."""
    bias = arguments.real_array("bias", bias)
    if bias.shape[-2:] != scores.shape[-2:]:
        raise ValueError(
            f"bias must be (…, queries, keys) = (…, {scores.shape[-2]}, {scores.shape[-1]}), "
            f"got shape {bias.shape}"
        )
    _fit_shape("bias", bias.shape[:-2], scores.shape[:-2])
    return bias.astype(scores.dtype, copy=False)


def _fit_shape(name: str, axes: tuple[int, ...], others: tuple[int, ...]) -> None:
    """Raise ValueError unless the axes in front of rows and columns go together."""
    try:
        np.broadcast_shapes(axes, others)
    except ValueError:
        raise ValueError(f"{name} must have front axes that fit {others}, got {axes}") from None


def attention(
    x: ArrayLike, w_q: ArrayLike, w_k: ArrayLike, w_v: ArrayLike, mask: ArrayLike | None = None
) -> np.ndarray:
    """Scaled dot-product attention of the rows of x over themselves: (n, d) to (n, d_v).

    w_q and w_k are (d, d_k), w_v is (d, d_v); scores are scaled by √d_k. ValueError where a
    projection does not fit.
    """
    x = arguments.real_array("x", x, at_least=2)
    w_q, w_k, w_v = (
        _projection(name, weight, x.shape[-1])
        for name, weight in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v))
    )
    if w_q.shape != w_k.shape:
        raise ValueError(f"w_k must have the shape of w_q, {w_q.shape}, got {w_k.shape}")
    return attention_weights(x @ w_q, x @ w_k, mask) @ (x @ w_v)


def _projection(name: str, weight: ArrayLike, width: int) -> np.ndarray:
    """A weight matrix with one row for each feature of x."""
    weight = arguments.real_array(name, weight, axes=2)
    if len(weight) != width:
        raise ValueError(f"{name} must have {width} rows, the width of x, got {weight.shape}")
    return weight


def identity_attention(
    x: ArrayLike, mask: ArrayLike | None = None, scale_width: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Attention with nothing learned: (outputs, weights), queries = keys = values = x (n, d).

    Scores are x·x / √scale_width; without it, the width of x.
    """
    x = arguments.real_array("x", x, axes=2)
    scale_width = x.shape[-1] if scale_width is None else scale_width
    scale = arguments.number("scale_width", scale_width, above=0) ** -0.5
    weights = _weights(x @ x.T * scale, mask)
    return weights @ x, weights


# Permission to read (lesson 3).


def causal_mask(n: int) -> np.ndarray:
    """Who may read whom in a text that is read forwards: (n, n) bools, True for key ≤ query."""
    return np.tri(arguments.whole("n", n, low=1), dtype=bool)


def uniform_causal_shares(n: int) -> np.ndarray:
    """The first token's share at each position when all allowed scores are equal: 1/(p + 1)."""
    return 1.0 / np.arange(1, arguments.whole("n", n, low=1) + 1)


def position_from_share(shares: ArrayLike) -> np.ndarray:
    """The positions at which uniform causal attention gives the first token these shares.

    Whole numbers of shape (n,): 1/share - 1, rounded, since 1/(1/93) is 92.99999999999999.
    """
    shares = arguments.real_array("shares", shares, axes=1).astype(np.float64)
    if not ((shares > 0) & (shares <= 1 + 1e-6)).all():
        raise ValueError(f"shares must lie above 0 and at most at 1, got {shares.tolist()}")
    return np.rint(1 / shares).astype(int) - 1


# Layers, and how far they are from not minding the order (lessons 2 and 10).


def layer_norm(x: ArrayLike) -> np.ndarray:
    """Each row less its mean, over its standard deviation: the shape of x; equal entries give 0."""
    x = arguments.real_array("x", x, at_least=1)
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = centred.std(axis=-1, keepdims=True)
    noise = 8 * np.finfo(x.dtype).eps * np.abs(x).max(axis=-1, keepdims=True)
    return np.where(spread > noise, centred, 0) / np.where(spread > noise, spread, 1)


def stack(width: int, layers: int = 6, seed: int = 0, causal: bool = False) -> Layer:
    """A small Transformer without positions: a function of x (n, width) that returns (n, width).

    Each layer is attention and a feed-forward part, with random weights; each adds half of what
    it found to its input and normalises the rows. causal=True lets a token read only itself and
    earlier ones.
    """
    width = arguments.whole("width", width, low=2)
    layers = arguments.whole("layers", layers, low=1)
    rng = np.random.default_rng(arguments.whole("seed", seed, low=0))
    weights = [_layer_weights(width, rng) for _ in range(layers)]
    causal = arguments.truth("causal", causal)

    def layer(x: ArrayLike) -> np.ndarray:
        x = arguments.real_array("x", x, axes=2)
        mask = causal_mask(len(x)) if causal else None
        for w_q, w_k, w_v, w_in, w_out in weights:
            # Half of what was read: with all of it, six layers make the rows nearly alike.
            x = layer_norm(x + attention(x, w_q, w_k, w_v, mask) / 2)
            x = layer_norm(x + np.maximum(x @ w_in, 0) @ w_out / 2)
        return x

    return layer


def _layer_weights(width: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Three projections and two feed-forward matrices, scaled so that sizes are kept."""
    shapes = [(width, width)] * 3 + [(width, 4 * width), (4 * width, width)]
    return [rng.standard_normal(shape) / shape[0] ** 0.5 for shape in shapes]


def equivariance_error(layer: Layer, x: ArrayLike, order: ArrayLike) -> float:
    """Largest |layer(x[order]) − layer(x)[order]|: 0 if the outputs move with the rows.

    order holds each row number of x (n, d) once. ValueError where the layer does not return one
    row for each row of x.
    """
    x = arguments.real_array("x", x, at_least=1)
    order = arguments.permutation("order", order, len(x))
    return _distance_from_moving(layer, x, x[order], order)


def invariance_error(layer: Layer, x: ArrayLike, order: ArrayLike) -> float:
    """Largest |layer(x[order]) − layer(x)|: 0 if the output stays when the rows move."""
    x = arguments.real_array("x", x, at_least=1)
    order = arguments.permutation("order", order, len(x))
    before, after = _output(layer, x), _output(layer, x[order])
    if after.shape != before.shape:
        raise ValueError(
            f"layer must return one shape whatever the order, got {before.shape} and {after.shape}"
        )
    return _largest_difference(after, before)


def symmetry(layer: Layer, x: ArrayLike, order: ArrayLike, tolerance: float = 1e-8) -> str:
    """'invariant', 'equivariant' or 'neither', as one reordering of x shows.

    'invariant' if layer(x[order]) equals layer(x); else 'equivariant' if it equals
    layer(x)[order]. The tolerance is absolute, on the largest difference; outputs of different
    shapes are not equal.
    """
    x = arguments.real_array("x", x, at_least=1)
    order = arguments.permutation("order", order, len(x))
    tolerance = arguments.number("tolerance", tolerance, above=0)
    before, after = _output(layer, x), _output(layer, x[order])
    if _equal(after, before, tolerance):
        return "invariant"
    can_move = before.ndim > 0 and len(before) >= len(x)
    if can_move and _equal(after, before[order], tolerance):
        return "equivariant"
    return "neither"


def _output(layer: Layer, x: np.ndarray) -> np.ndarray:
    """What the layer makes of x, as an array of real numbers."""
    return arguments.real_array("the output of layer", layer(x), finite=False)


def _distance_from_moving(
    layer: Layer, x: np.ndarray, moved: np.ndarray, order: np.ndarray
) -> float:
    """Largest |layer(moved) − layer(x)[order]|, for layers that return a row for each row."""
    before, after = _output(layer, x), _output(layer, moved)
    if before.shape[:1] != (len(x),) or after.shape != before.shape:
        raise ValueError(
            f"layer must return one row for each of {len(x)} rows, got shapes "
            f"{before.shape} and {after.shape}"
        )
    return _largest_difference(after, before[order])


def _equal(first: np.ndarray, second: np.ndarray, tolerance: float) -> bool:
    """Whether both have one shape and no entry differs by more than the tolerance."""
    return first.shape == second.shape and _largest_difference(first, second) <= tolerance


def _largest_difference(first: np.ndarray, second: np.ndarray) -> float:
    """Largest |first − second|; 0 for arrays without entries."""
    return float(np.abs(first - second).max(initial=0.0))


# What it costs to add positions to content (lesson 10).


def score_terms(
    x: ArrayLike, encoding: ArrayLike, i: int, j: int
) -> tuple[float, float, float, float]:
    """The four parts of (x + encoding)[i] · (x + encoding)[j], unscaled.

    In this order: content·content, content·position, position·content, position·position, where
    the first factor belongs to row i. x and encoding are both (n, d).
    """
    x, encoding = _content_and_position(x, encoding)
    i = arguments.whole("i", i, low=0, high=len(x) - 1)
    j = arguments.whole("j", j, low=0, high=len(x) - 1)
    return (
        float(x[i] @ x[j]),
        float(x[i] @ encoding[j]),
        float(encoding[i] @ x[j]),
        float(encoding[i] @ encoding[j]),
    )


def smallest_winning_scale(
    x: ArrayLike, encoding: ArrayLike, token: int, partner: int, grid: ArrayLike
) -> float | None:
    """The first scale of the ascending grid at which token and partner find each other.

    That is: in scale·x + encoding, the score of (token, partner) is above that of token with
    every other row but itself. None where no entry of the grid does it. At least three rows.
    """
    x, encoding = _content_and_position(x, encoding)
    token = arguments.whole("token", token, low=0, high=len(x) - 1)
    partner = arguments.whole("partner", partner, low=0, high=len(x) - 1)
    grid = arguments.real_array("grid", grid, axes=1).astype(np.float64)
    if len(x) < 3 or token == partner:
        raise ValueError(
            "token and partner must be two of at least three rows, "
            f"got {token} and {partner} of {len(x)}"
        )
    if (np.diff(grid) <= 0).any():
        raise ValueError(f"grid must ascend, got {grid.tolist()}")
    rivals = np.delete(np.arange(len(x)), [token, partner])
    for scale in grid:
        rows = scale * x + encoding
        scores = rows @ rows[token]
        if scores[partner] > scores[rivals].max():
            return float(scale)
    return None


def order_sensitivity(
    layer: Layer, x: ArrayLike, encoding: ArrayLike, order: ArrayLike, seats_travel: bool
) -> float:
    """Largest |layer(moved) − layer(x + encoding)[order]|, x and encoding both (n, d).

    moved is (x + encoding)[order] where the seats travel with the tokens, and
    x[order] + encoding where the tokens change seats. ValueError where the layer does not
    return one row for each row.
    """
    x, encoding = _content_and_position(x, encoding)
    order = arguments.permutation("order", order, len(x))
    seats_travel = arguments.truth("seats_travel", seats_travel)
    moved = (x + encoding)[order] if seats_travel else x[order] + encoding
    return _distance_from_moving(layer, x + encoding, moved, order)


def _content_and_position(x: ArrayLike, encoding: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """x and encoding as arrays of one shape (n, d)."""
    x = arguments.real_array("x", x, axes=2)
    encoding = arguments.real_array("encoding", encoding, axes=2)
    arguments.same_shape("encoding", encoding, "x", x)
    return x, encoding


# What a trained layer gets right, and where (lesson 12).


def accuracy_by_range(predicted: ArrayLike, target: ArrayLike, edges: ArrayLike) -> np.ndarray:
    """The share of right answers in each range of positions: shape (len(edges) - 1,).

    Range r covers edges[r] ≤ p < edges[r + 1] of the last axis of predicted and target, which
    have one shape. ValueError for edges that do not ascend from at least 0, or an empty range.
    """
    predicted = arguments.real_array("predicted", predicted, at_least=1, finite=False)
    target = arguments.real_array("target", target, at_least=1, finite=False)
    arguments.same_shape("predicted", predicted, "target", target)
    edges = arguments.whole_array("edges", edges, axes=1, low=0)
    right = predicted == target
    if len(edges) < 2 or (np.diff(edges) <= 0).any() or edges[-2] >= right.shape[-1]:
        raise ValueError(
            f"edges must ascend and leave no range of {right.shape[-1]} positions empty, "
            f"got {edges.tolist()}"
        )
    return np.array([right[..., low:high].mean() for low, high in zip(edges, edges[1:])])
