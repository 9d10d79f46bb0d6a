"""What lesson 2 claims."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import attention
from posenc.lessons.lesson_02.common import ORDER, TOKENS, encoding, pair_products, read
from posenc.lessons.model import Claim, Setting

Array = np.ndarray

Function = Callable[[Array], Array]

SHUFFLE = Setting("shuffle", 0, 20, 1, 0, "shuffle number")

ENCODING = Setting("size", 0.0, 1.0, 0.1, 0.0, "size of the encodings")


def _shuffled(shuffle: float, length: int = 6) -> Array:
    """Shuffle number 0 is ORDER; the others are drawn."""
    if length == len(ORDER) and not shuffle:
        return ORDER
    return np.random.default_rng(int(shuffle)).permutation(length)


def _encoded(layer: Function, size: float) -> Function:
    """The layer with an encoding added at each position before it."""
    return lambda x: layer(x + size * encoding(*x.shape))


def _pairs_hold(measured: float, size: float = 0.0) -> tuple[bool, str]:
    if measured <= 1e-12:
        return (
            True,
            "A product is made from two rows alone, so it does not change when they move.",
        )
    return (
        False,
        "Each row now contains the encoding of its position too, so a pair at other positions "
        "has a different product.",
    )


def _equivariant(shuffle: float = 0, size: float = 0.0) -> bool:
    error = attention.equivariance_error(_encoded(read, size), TOKENS, _shuffled(shuffle))
    return bool(error < 1e-8)


def _equivariant_holds(measured: bool, shuffle: float = 0, size: float = 0.0) -> tuple[bool, str]:
    if measured:
        return True, "Every row of the output went where its token went."
    return (
        False,
        "The encodings stay in place while the tokens move, so a token meets another encoding.",
    )


def _pooled(shuffle: float = 0, rows: float = 6) -> float:
    """How far the mean of the first outputs moves when the tokens are shuffled."""
    return attention.invariance_error(
        lambda x: read(x)[: int(rows)].mean(axis=0), TOKENS, _shuffled(shuffle)
    )


def _pooled_holds(measured: float, shuffle: float = 0, rows: float = 6) -> tuple[bool, str]:
    if int(rows) == len(TOKENS):
        return True, "All rows enter the mean, and a sum does not depend on the order of its terms."
    if measured <= 1e-12:
        return (
            True,
            "This shuffle leaves the same tokens among the first ones; others do not.",
        )
    return (
        False,
        "“The first rows” refers to positions: which tokens enter the mean depends on the order.",
    )


def _deep(layers: float = 6, width: float = 4, size: float = 0.0, seed: float = 0) -> float:
    width = int(width)
    x = TOKENS if width == 4 else np.random.default_rng(1).standard_normal((6, width))
    deep = attention.stack(width, int(layers), int(seed))
    return attention.equivariance_error(_encoded(deep, size), x, ORDER)


def _deep_holds(
    measured: float, layers: float = 6, width: float = 4, size: float = 0.0, seed: float = 0
) -> tuple[bool, str]:
    if measured <= 1e-10:
        return (
            True,
            "Each layer passes on rows that have moved as its input moved, so depth adds nothing.",
        )
    if size:
        return (
            False,
            "The encodings did not move with the tokens, so the rows differ from the first "
            "layer on.",
        )
    return (
        False,
        "Rounding has grown beyond the tolerance; the layers themselves treat all rows alike.",
    )


CLAIMS = (
    Claim(
        "pair-products",
        "Each query-key product of a pair of words is the same in “dog bites "
        "person” and in its reverse",
        0.0,
        1e-12,
        pair_products,
        (ENCODING,),
        _pairs_hold,
        section="same-products",
    ),
    Claim(
        "equivariant-without-position",
        "Shuffling the tokens before attention or its outputs afterwards gives the same rows",
        True,
        0,
        _equivariant,
        (SHUFFLE, ENCODING),
        _equivariant_holds,
        section="shuffled",
    ),
    Claim(
        "mean-is-invariant",
        "Shuffling the tokens does not change the mean of attention's outputs",
        0.0,
        1e-12,
        _pooled,
        (SHUFFLE, Setting("rows", 1, 6, 1, 6, "rows in the mean")),
        _pooled_holds,
        section="invariant",
    ),
    Claim(
        "six-layer-equivariance",
        "A stack of attention, feed-forward and normalisation layers is equivariant at any depth",
        0.0,
        1e-10,
        _deep,
        (
            Setting("layers", 1, 12, 1, 6, "layers"),
            Setting("width", 2, 16, 1, 4, "width"),
            ENCODING,
            Setting("seed", 0, 20, 1, 0, "seed of the weights"),
        ),
        _deep_holds,
        section="playground",
    ),
)
