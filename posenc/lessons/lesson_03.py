"""Lesson 3, order is not permission: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import attention, encodings
from posenc.attention import SIX_TOKENS
from posenc.judging.model import Case, Challenge, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray

RED_BLUE_RED = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [1.0, 0, 0, 0]])
ORDER = np.array([3, 0, 5, 1, 4, 2])  # not its own inverse
EARLIER = np.array([3, 0, 4, 1, 2, 5])  # the last token stays where it is

# ------------------------------------------------------------------ claims


def _shares(mask: bool, positions: float = 0.0, base: float = 10000.0) -> Array:
    """Rows 0 and 2 of red, blue, red with the encoding times `positions` added."""
    tokens = RED_BLUE_RED + positions * encodings.sinusoidal(3, 4, base)
    _, weights = attention.identity_attention(tokens, attention.causal_mask(3) if mask else None)
    return weights[[0, 2]]


def _neither(strength: float = 0.0, base: float = 10000.0) -> Array:
    return _shares(False, strength, base)


def _same_rows_hold(
    measured: Array, strength: float = 0.0, base: float = 10000.0
) -> tuple[bool, str]:
    apart = float(np.abs(measured[0] - measured[1]).max())
    if apart < 1e-9:
        return (
            True,
            "Both reds have one row of content and read everything: nothing tells them apart.",
        )
    return False, f"Positions have come in: the shares of the two reds differ by up to {apart:.4f}."


def _positions_only(strength: float = 1.0, base: float = 10000.0) -> Array:
    return _shares(False, strength, base)


def _positions_hold(
    measured: Array, strength: float = 1.0, base: float = 10000.0
) -> tuple[bool, str]:
    apart = float(np.abs(measured[0] - measured[1]).max())
    if apart > 0.01:
        return True, f"The shares of the two reds differ by up to {apart:.4f}."
    return False, f"With so little of the positions the two reds differ by {apart:.4f} at most."


def _both(base: float = 10000.0) -> Array:
    return _shares(True, 1.0, base)


def _both_hold(measured: Array, base: float = 10000.0) -> tuple[bool, str]:
    apart = float(np.abs(measured[1] - _shares(False, 1.0, base)[1]).max())
    return apart < 1e-12, "The last token may read everything, with the mask as without it."


def _error_of_reach(reach: float = 0) -> float:
    """How far attention is from equivariant if each token reads `reach` later ones as well."""
    mask = np.tri(6, 6, int(reach), dtype=bool)
    return attention.equivariance_error(
        lambda x: attention.identity_attention(x, mask)[0], SIX_TOKENS, ORDER
    )


def _reach_holds(measured: float, reach: float = 0) -> tuple[bool, str]:
    if measured > 0.01:
        return True, "Who may read whom depends on the seats, so the outputs do not move along."
    return False, "Every token may read all six: nothing is forbidden, and no seat is named."


def _last_after_shuffle(layers: float = 1) -> float:
    """How much the last output changes if the earlier tokens change seats."""
    layer = attention.stack(4, int(layers), causal=True)
    return float(np.abs(layer(SIX_TOKENS[EARLIER])[-1] - layer(SIX_TOKENS)[-1]).max())


def _last_holds(measured: float, layers: float = 1) -> tuple[bool, str]:
    if measured < 1e-10:
        return True, "One layer reads the earlier tokens as a collection, in no order."
    return False, (
        f"With {int(layers)} layers it changes by {measured:.4f}: below, each earlier token has "
        "read those before it, and these are others now."
    )


def _first_shares(content: float = 0.0) -> Array:
    """The first token's share at each seat, the scores of the six tokens times `content`."""
    scores = content * SIX_TOKENS @ SIX_TOKENS.T / 2
    return attention.masked_attention_weights(scores, attention.causal_mask(6))[:, 0]


def _readable(measured: Array, content: float = 0.0) -> tuple[bool, str]:
    read = np.rint(1 / measured).astype(int) - 1
    listed = ", ".join(map(str, read))
    return bool((read == np.arange(6)).all()), (
        f"One over the share, less one, rounded, gives the positions {listed}."
    )


STRENGTH = "strength of the positions"
BASE = Setting("base", 2.0, 100000.0, 1.0, 10000.0, "base")

CLAIMS = (
    Claim(
        "red-blue-red-off-off",
        "Positions off, mask off: the first and the last red read the same shares",
        [[0.3837, 0.2327, 0.3837], [0.3837, 0.2327, 0.3837]],
        5e-5,
        _neither,
        (Setting("strength", 0.0, 2.0, 0.1, 0.0, STRENGTH), BASE),
        _same_rows_hold,
        "red-blue-red",
    ),
    Claim(
        "red-blue-red-on-off",
        "Positions on, mask off: the two reds read differently",
        [[0.3349, 0.4053, 0.2599], [0.2013, 0.1547, 0.6440]],
        5e-5,
        _positions_only,
        (Setting("strength", 0.0, 2.0, 0.1, 1.0, STRENGTH), BASE),
        _positions_hold,
        "red-blue-red",
    ),
    Claim(
        "red-blue-red-off-on",
        "Positions off, mask on: the first red reads itself, the last red what it read before",
        [[1, 0, 0], [0.3837, 0.2327, 0.3837]],
        5e-5,
        lambda: _shares(True),
        section="red-blue-red",
    ),
    Claim(
        "red-blue-red-on-on",
        "Positions on, mask on: the last row is that of positions without a mask",
        [[1, 0, 0], [0.2013, 0.1547, 0.6440]],
        5e-5,
        _both,
        (BASE,),
        _both_hold,
        "red-blue-red",
    ),
    Claim(
        "causal-breaks",
        "With a causal mask and no positions, attention of the six tokens is not equivariant",
        0.2903,
        5e-5,
        _error_of_reach,
        (Setting("reach", 0, 5, 1, 0, "later tokens that may be read"),),
        _reach_holds,
        "breaks",
    ),
    Claim(
        "earlier-order-one-layer",
        "One causal layer gives the last token the same answer in whatever order the earlier stand",
        0.0,
        1e-10,
        _last_after_shuffle,
        (Setting("layers", 1, 6, 1, 1, "layers"),),
        _last_holds,
        "breaks",
    ),
    Claim(
        "uniform-shares",
        "All allowed scores equal: the share of the first token tells the seat",
        [1.0, 0.5, 0.3333, 0.25, 0.2, 0.1667],
        5e-5,
        _first_shares,
        (Setting("content", 0.0, 1.0, 0.01, 0.0, "strength of the content"),),
        _readable,
        "one-over",
    ),
    Claim(
        "content-shares",
        "With the content of the six tokens, the share of the first tells no seat",
        [1.0, 0.0640, 0.0370, 0.4941, 0.0677, 0.0137],
        5e-5,
        lambda: _first_shares(1.0),
        section="content",
    ),
)

# ------------------------------------------------------------------ questions


def _mask_without_positions() -> int:
    """Whether the causal mask changes the rows of content: it changes who is read, not the rows."""
    _, weights = attention.identity_attention(RED_BLUE_RED, attention.causal_mask(3))
    return 1 if np.array_equal(weights > 0, attention.causal_mask(3)) else 2


def _after_the_softmax() -> int:
    kept = np.array([0.5, 0.3, 0.2]) * np.array([1, 1, 0])
    right = attention.masked_attention_weights(np.log([[0.5, 0.3, 0.2]]), [[True, True, False]])[0]
    return 2 if not np.isclose(kept.sum(), 1) and np.allclose(kept / kept.sum(), right) else 0


def _rows_that_change() -> int:
    free, masked = (
        attention.identity_attention(RED_BLUE_RED, mask)[1]
        for mask in (None, attention.causal_mask(3))
    )
    changed = tuple(np.flatnonzero(np.abs(free - masked).max(axis=1) > 1e-9).tolist())
    return {(0, 1): 0, (0, 1, 2): 1, (2,): 2, (0,): 3}[changed]


def _does_a_mask_give_order() -> int:
    """0: all of it, 1: none of it, 2: some."""
    if _error_of_reach(5) > 1e-9 or _error_of_reach(0) < 0.01:
        return 1
    return 2 if _last_after_shuffle(1) < 1e-10 else 0


def _position_of_a_fifth() -> int:
    return {5: 0, 4: 1, 20: 2}[int(attention.position_from_share([0.2])[0])]


QUESTIONS = (
    Question(
        "3.q1",
        "A model lets every token read every other and has no positions. Somebody adds a causal "
        "mask “so that it knows where the words stand”. What has changed?",
        (
            Option(
                "Each row now holds its place in the text.",
                False,
                "No row has changed. The mask sits at the scores and says who may read whom.",
            ),
            Option(
                "Each token reads fewer tokens. No row says where it stands.",
                True,
                "That is permission. What can be concluded from it about the order is another "
                "matter, and the lesson measures it.",
            ),
            Option(
                "Nothing: forbidden tokens had small shares anyway.",
                False,
                "A share depends on the content, and a later token can have a large one.",
            ),
        ),
        "two-questions",
        _mask_without_positions,
    ),
    Question(
        "3.q2",
        "The shares of a row are 0.5, 0.3 and 0.2. The third token turns out to be forbidden, and "
        "its share is set to 0. Is the row right now?",
        (
            Option(
                "Yes: what is forbidden has share 0.",
                False,
                "That much is right. Look at the sum of the row.",
            ),
            Option(
                "No: it has to be 0.5, 0.5 and 0.",
                False,
                "The allowed tokens keep their ratio, 5 to 3; only the whole changes.",
            ),
            Option(
                "No: 0.8 is left, and the row has to be divided by it: 0.625, 0.375 and 0.",
                True,
                "Shares of one row are shares of one whole. A mask before the softmax does this "
                "by itself.",
            ),
        ),
        "mask",
        _after_the_softmax,
    ),
    Question(
        "3.q3",
        "Red, blue, red without positions. The causal mask is switched on. Which rows of the "
        "table change?",
        (
            Option(
                "Those of the first red and of blue.",
                True,
                "Both lose tokens that they read before. The last token may read all three, "
                "as it could without the mask.",
            ),
            Option("All three.", False, "What does the mask forbid to the last token?"),
            Option(
                "That of the last red, as it now comes last.",
                False,
                "It is the one token for which the mask forbids nothing.",
            ),
            Option(
                "That of the first red alone.", False, "Blue may not read the last red any more."
            ),
        ),
        "red-blue-red",
        _rows_that_change,
    ),
    Question(
        "3.q4",
        "Does a causal mask tell a model the order of the tokens?",
        (
            Option(
                "Yes, all of it; positions are not needed.",
                False,
                "One causal layer gives the last token the same answer in whatever order the "
                "earlier ones stand.",
            ),
            Option(
                "No, nothing; attention stays equivariant.",
                False,
                "Measured, it does not: if the tokens are shuffled, other tokens become "
                "readable, and the outputs do not move along.",
            ),
            Option(
                "Some of it: which tokens came before, and through deeper layers a little more.",
                True,
                "The mask breaks the symmetry, so some order is in. No row says which seat it "
                "has, and what can be worked out depends on the content.",
            ),
        ),
        "breaks",
        _does_a_mask_give_order,
        seen=("PE123",),
    ),
    Question(
        "3.q5",
        "Causal attention with equal scores. At some seat the first token has a share of 0.2. "
        "Which position is it?",
        (
            Option(
                "5",
                False,
                "Five tokens share the whole there, and the first of them has position 0.",
            ),
            Option("4", True, "At position p there are p + 1 tokens to read, and 1/0.2 is 5."),
            Option("20", False, "The share is one over a count, not a percentage of the text."),
        ),
        "one-over",
        _position_of_a_fifth,
    ),
)

# ------------------------------------------------------------------ 3.1 the mask


CAUSAL_MASK = Challenge(
    id="3.1",
    name="causal_mask",
    title="Who may read whom",
    section="mask",
    points=2,
    minutes=5,
    difficulty=1,
    asked="an array (n, n) of True and False, a row for each token that reads,",
    reference=attention.causal_mask,
    cases=(
        Case((3,)),
        Case((5,)),
        Case((1,), about="one token"),
        Case((2,)),
        Case((64,), about="a longer text"),
    ),
    draw=lambda rng: [Case((int(n),)) for n in rng.integers(6, 60, 5)],
    misconceptions=(
        Misconception(
            "upper-triangle",
            lambda n: np.triu(np.ones((n, n), dtype=bool)),
            "the triangle is the upper one: each token may read itself and later ones",
            "Row 0 belongs to the first token. How many tokens may it read?",
        ),
        Misconception(
            "true-for-forbidden",
            lambda n: ~np.tri(n, dtype=bool),
            "a True stands where reading is forbidden, which is the convention of some libraries "
            "and not the one asked for here",
            "Neither convention is wrong. Which of the two does the first requirement name?",
            ("https://github.com/rasbt/LLMs-from-scratch/issues/1061",),
        ),
        Misconception(
            "diagonal-excluded",
            lambda n: np.tri(n, k=-1, dtype=bool),
            "no token may read itself, and the first may read nothing",
            "What is left for the first token, if it may not read itself?",
        ),
        Misconception(
            "one-ahead",
            lambda n: np.tri(n, k=1, dtype=bool),
            "each token may also read the next one, which it is to predict",
            "Row 0 should hold a single True. How many does yours?",
        ),
        Misconception(
            "itself-only",
            lambda n: np.eye(n, dtype=bool),
            "each token may read itself and nothing else",
            "What may the last token of a text read?",
        ),
        Misconception(
            "nothing-forbidden",
            lambda n: np.ones((n, n), dtype=bool),
            "everything is allowed",
            "What may the first token not read?",
        ),
        Misconception(
            "mirrored",
            lambda n: np.tri(n, dtype=bool)[:, ::-1].copy(),
            "the triangle is mirrored, so that reading begins at the last token",
            "Column 0 is the first token. Who may read it?",
        ),
    ),
    hints=(
        "Row i, column j: may the token at seat i read the one at seat j? Write the condition.",
        "`np.arange(n)[:, None]` and `np.arange(n)` can be compared with each other.",
        "`>=` between a column of queries and a row of keys gives the whole table of True and "
        "False.",
    ),
)

# ------------------------------------------------------------------ 3.2 the softmax under a mask


def _softmax(scores: Array, axis: int = 1) -> Array:
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
        return powers / powers.sum(axis=axis, keepdims=True)


def _late(scores: Array, mask: Array, least: float = 0.0) -> Array:
    """Powers shifted by the largest of all scores, masked, divided by what is left."""
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(axis=1, keepdims=True)) * mask
        left = powers.sum(axis=1, keepdims=True)
        return powers / np.where(left > 0, left, least)


def _zero_times_infinity(scores: Array, mask: Array) -> Array:
    with np.errstate(all="ignore"):
        return _softmax(scores + ~mask * -np.inf)


def _unshifted(scores: Array, mask: Array) -> Array:
    with np.errstate(all="ignore"):
        powers = np.exp(np.where(mask, scores, -np.inf))
        return powers / powers.sum(axis=1, keepdims=True)


def _down_the_columns(scores: Array, mask: Array) -> Array:
    return attention.masked_attention_weights(scores.T, mask.T).T


def _with_mask(change: Callable[[Array, Array], Array]) -> Callable[..., Array]:
    """A wrong 3.2: the softmax of changed scores."""
    return lambda scores, mask: _softmax(change(scores, mask))


def _pattern(queries: int, keys: int) -> tuple[Array, Array]:
    """Scores and a mask without a seed, no row of it empty."""
    cell = np.arange(queries * keys).reshape(queries, keys)
    return (cell * 7 % 23) / 8 - 1.0, cell * 5 % 7 > 2


def _draw_masked(rng: np.random.Generator) -> list[Case]:
    cases = []
    for queries, keys in ((4, 4), (3, 6), (7, 2), (5, 8), (9, 5), (2, 12)):
        scores = rng.uniform(-3, 3, (queries, keys)).round(3)
        mask = rng.random((queries, keys)) < 0.6
        mask[np.arange(queries), rng.integers(keys, size=queries)] = True
        if keys % 3 == 0:
            mask[rng.integers(queries)] = False
        cases.append(Case((scores, mask)))
    causal = attention.causal_mask(6)
    scores = rng.uniform(-2, 2, (6, 6)).round(3)
    far = np.where(causal, scores, rng.uniform(800, 3000, (6, 6)).round(1))
    return [*cases, Case((far, causal), about="forbidden scores far above the allowed")]


CAUSAL_THREE = attention.causal_mask(3)
NOTHING_ALLOWED = np.array([[True, True, False], [False, False, False], [False, True, True]])
PADDED = np.array([[True, True, True, False, False]] * 2)

MASKED_WEIGHTS = Challenge(
    id="3.2",
    name="masked_attention_weights",
    title="Shares under a mask",
    section="mask",
    points=5,
    minutes=15,
    difficulty=3,
    asked="an array of shares, (queries, keys),",
    reference=attention.masked_attention_weights,
    cases=(
        Case((np.zeros((3, 3)), CAUSAL_THREE), about="equal scores"),
        Case((RED_BLUE_RED @ RED_BLUE_RED.T / 2, CAUSAL_THREE), about="red, blue, red"),
        Case(
            (np.array([[2.0, 1.0, 0.0], [0.5, -1.0, 3.0]]), np.ones((2, 3), dtype=bool)),
            about="everything allowed",
        ),
        Case(
            (np.array([[0.5, 1.0, -0.5, 4.0, 2.0], [1.5, 0.0, 0.25, -1.0, 3.0]]), PADDED),
            about="two padded keys",
        ),
        Case(
            (np.array([[1.0, 0.0, 2.0], [0.5, 1.5, -1.0], [0.0, 0.5, 1.0]]), NOTHING_ALLOWED),
            about="a row that may read nothing",
        ),
        Case(
            (np.array([[1.0, 1e6, 1e6], [0.5, 1.0, 1e6], [0.0, 0.5, 1.0]]), CAUSAL_THREE),
            about="forbidden scores far above the allowed",
        ),
        Case(
            (
                np.array([[1e4, 9999.0, -1e4], [-1e4, -9998.0, -9999.0]]),
                np.array([[True, True, False], [True, True, True]]),
            ),
            about="large scores",
        ),
        Case(_pattern(64, 16), about="a larger table"),
    ),
    draw=_draw_masked,
    misconceptions=(
        Misconception(
            "after-softmax",
            lambda scores, mask: _softmax(scores) * mask,
            "the mask is applied to finished shares, and the rows no longer add up to 1",
            "What is left of a row has to be a whole again. Or could the mask come earlier?",
            ("https://github.com/huggingface/pytorch-image-models/pull/2236",),
        ),
        Misconception(
            "divided-late",
            _late,
            "the largest of all scores is subtracted, forbidden ones included, and what is left "
            "for the allowed is 0 divided by 0",
            "Which largest score has to be subtracted, so that an allowed power stays above 0?",
        ),
        Misconception(
            "divided-late-guarded",
            lambda scores, mask: _late(scores, mask, 1.0),
            "rows vanish where a forbidden score lies far above the allowed ones",
            "The largest score that you subtract: is it an allowed one?",
        ),
        Misconception(
            "empty-row-not-a-number",
            _with_mask(lambda s, m: np.where(m, s, -np.inf)),
            "a row that may read nothing comes out as NaN",
            "There every score is −∞, and −∞ less −∞ is no number. What should such a row be?",
            ("https://github.com/tracel-ai/burn/pull/4697",),
        ),
        Misconception(
            "zero-times-infinity",
            _zero_times_infinity,
            "−∞ is multiplied by the mask, and 0 times infinity is no number",
            "Choosing between two values is not multiplying by 0 or 1. Which function chooses?",
        ),
        Misconception(
            "mask-multiplied",
            _with_mask(lambda s, m: s * m),
            "the mask is multiplied into the scores: a forbidden token has the score 0",
            "What share does a score of 0 get? And which score would get none?",
        ),
        Misconception(
            "mask-added",
            _with_mask(lambda s, m: s + m),
            "the mask is added to the scores, as 1 and 0",
            "Adding is right for a mask of 0 and −∞. Which values does this one hold?",
        ),
        Misconception(
            "inverted",
            lambda scores, mask: attention.masked_attention_weights(scores, ~mask),
            "a True is taken for forbidden, which is the convention of some libraries and not the "
            "one asked for here",
            "In 3.1 a True allows. What does it do in your code?",
            ("https://github.com/lucidrains/x-transformers/issues/160",),
        ),
        Misconception(
            "large-negative",
            _with_mask(lambda s, m: np.where(m, s, -1e9)),
            "forbidden scores are set to a large negative number, and a row of nothing else comes "
            "out as equal shares",
            "If all scores of a row are −1,000,000,000, what are its shares? What is asked for?",
        ),
        Misconception(
            "large-negative-added",
            _with_mask(lambda s, m: s + np.where(m, 0, -1e9)),
            "a large negative number is added to forbidden scores, and a row that may read nothing "
            "reads as if it were free",
            "A softmax does not notice a number that is added to a whole row.",
        ),
        Misconception(
            "down-the-columns",
            _down_the_columns,
            "the columns add up to 1 instead of the rows",
            "A row belongs to the token that reads. Along which axis lie its keys?",
        ),
        Misconception(
            "mask-ignored",
            lambda scores, mask: _softmax(scores),
            "the mask is not used",
            "Forbidden tokens have a share in your rows. Where should the mask come in?",
            ("https://github.com/keras-team/keras/issues/23038",),
        ),
        Misconception(
            "always-causal",
            lambda scores, mask: attention.masked_attention_weights(
                scores, np.tri(*scores.shape, dtype=bool)
            ),
            "a causal mask is used whatever mask is given",
            "The argument `mask` may be any pattern. Is it looked at?",
        ),
        Misconception(
            "overflow",
            _unshifted,
            "e is raised to the scores as they are, which is infinite for large ones",
            "What may be subtracted from a row of scores without changing its shares?",
        ),
        Misconception(
            "scaled-again",
            lambda scores, mask: attention.masked_attention_weights(
                scores / scores.shape[1] ** 0.5, mask
            ),
            "the scores are divided by a root once more",
            "Scores that are handed over are finished, as the first requirement says.",
        ),
    ),
    hints=(
        "A share of exactly 0 comes from a score of −∞. `np.where` can put one where the mask "
        "says False.",
        "Take the largest *allowed* score of each row and subtract it; then no power is too large "
        "and at least one is 1.",
        "A row that may read nothing has the sum 0. Divide by `np.where(total > 0, total, 1)`, and "
        "keep its largest score from being −∞ when you subtract it.",
    ),
)

# ------------------------------------------------------------------ 3.3 a position from a share


def _of(*positions: int) -> Array:
    return 1.0 / (np.array(positions) + 1)


def _ranked(shares: Array) -> Array:
    return np.argsort(np.argsort(-shares, kind="stable"), kind="stable")


POSITION_FROM_SHARE = Challenge(
    id="3.3",
    name="position_from_share",
    title="Reading a position from a share",
    section="one-over",
    points=3,
    minutes=8,
    difficulty=2,
    asked="a one-dimensional array of whole numbers, one for each share,",
    reference=attention.position_from_share,
    cases=(
        Case((_of(0, 1, 2, 3, 4),), about="positions 0 to 4"),
        Case((_of(3, 0, 7, 1),), about="any order"),
        Case((_of(2, 2, 0, 2),), about="one share several times"),
        Case((_of(1000, 2000),), about="far into a text"),
        Case((_of(92, 98, 104),), about="shares whose inverse comes out a little too small"),
        Case((_of(48, 97, 102),), about="shares whose inverse comes out a little too large"),
        Case((_of(5),), about="one share"),
    ),
    draw=lambda rng: [
        Case((_of(*rng.integers(0, top, n).tolist()),))
        for n, top in ((3, 20), (6, 100), (9, 600), (20, 2001), (120, 2001))
    ],
    misconceptions=(
        Misconception(
            "counted-up",
            lambda shares: np.arange(len(shares)),
            "0, 1, 2, … is returned, as if the shares stood in the order of the text",
            "A single share is enough to tell its position. Is it looked at?",
        ),
        Misconception(
            "cut-off",
            lambda shares: (1 / shares - 1).astype(int),
            "the digits after the point are cut off instead of rounding",
            "1/(1/93) is 92.99999999999999 in floating point. What does `int` make of it?",
        ),
        Misconception(
            "rounded-up",
            lambda shares: np.ceil(1 / shares - 1).astype(int),
            "every number is rounded up, and 1/(1/49) is a little above 49",
            "A number that is wrong by a rounding may lie on either side.",
        ),
        Misconception(
            "one-more",
            lambda shares: np.rint(1 / shares).astype(int),
            "the number of tokens that may be read is returned, which is one more than the "
            "position",
            "The first token of a text has the share 1. Which position does it have?",
        ),
        Misconception(
            "ranked",
            _ranked,
            "the shares are ranked against each other",
            "A share of 1/8 means position 7, also where no other share is given.",
        ),
        Misconception(
            "one-less",
            lambda shares: np.rint(1 / shares).astype(int) - 2,
            "one is taken away twice",
            "The share 1/2 belongs to the second token. Which position does it have?",
        ),
    ),
    hints=(
        "At position p there are p + 1 tokens to read, all with the same share. What is one over "
        "it?",
        "One over the share is p + 1 but for a rounding, and the rounding goes either way.",
        "`np.rint` goes to the nearest whole number; `.astype(int)` makes ints of the result.",
    ),
)

CHALLENGES = (CAUSAL_MASK, MASKED_WEIGHTS, POSITION_FROM_SHARE)
