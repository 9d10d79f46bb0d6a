"""What several parts of lesson 3 use."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.attention import SIX_TOKENS

Array = np.ndarray

RED_BLUE_RED = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [1.0, 0, 0, 0]])

ORDER = np.array([3, 0, 5, 1, 4, 2])  # not its own inverse

EARLIER = np.array([3, 0, 4, 1, 2, 5])  # the last token stays where it is


def error_of_reach(reach: float = 0) -> float:
    """How far attention is from equivariant if each token reads `reach` later ones as well."""
    mask = np.tri(6, 6, int(reach), dtype=bool)
    return attention.equivariance_error(
        lambda x: attention.identity_attention(x, mask)[0], SIX_TOKENS, ORDER
    )


def last_after_shuffle(layers: float = 1) -> float:
    """How much the last output changes if the earlier tokens change places."""
    layer = attention.stack(4, int(layers), causal=True)
    return float(np.abs(layer(SIX_TOKENS[EARLIER])[-1] - layer(SIX_TOKENS)[-1]).max())
