"""Challenge 3.2, Attention weights under a mask."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_03.common import (
    RED_BLUE_RED,
)

Array = np.ndarray


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
    title="Attention weights under a mask",
    section="mask",
    points=5,
    minutes=15,
    difficulty=3,
    asked="an array of attention weights, (queries, keys),",
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
        Case(
            (
                np.array([[-10000.0, -9990.0, 0.5], [-9999.0, 2.0, -10001.0]]),
                np.array([[True, False, False], [True, False, True]]),
            ),
            about="allowed scores around -10,000",
        ),
        Case(_pattern(260, 8), about="a larger table"),
    ),
    draw=_draw_masked,
    hints=(
        "A weight of exactly 0 belongs to a score of −∞. `np.where` can put −∞ where the mask "
        "is False.",
        "Take the largest *allowed* score of each row and subtract it; then no power is too large "
        "and at least one is 1.",
        "A row that may read nothing has the sum 0. Divide by `np.where(total > 0, total, 1)`, and "
        "keep its largest score from being −∞ when you subtract it.",
    ),
)


def _softmax(scores: Array, axis: int = 1) -> Array:
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
        return powers / powers.sum(axis=axis, keepdims=True)


@MASKED_WEIGHTS.mistake(
    "the mask is applied to finished weights, and the rows no longer add up to 1",
    "What is left of a row would have to add up to 1 again. Where could the mask be applied "
    "earlier?",
    seen=("https://github.com/huggingface/pytorch-image-models/pull/2236",),
)
def after_softmax(scores, mask):
    return _softmax(scores) * mask


@MASKED_WEIGHTS.mistake(
    "the largest of all scores is subtracted, forbidden ones included, and what is left "
    "for the allowed is 0 divided by 0",
    "Which largest score has to be subtracted, so that an allowed power stays above 0?",
)
def divided_late(scores, mask, least=0.0):
    """Powers shifted by the largest of all scores, masked, divided by what is left."""
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(axis=1, keepdims=True)) * mask
        left = powers.sum(axis=1, keepdims=True)
        return powers / np.where(left > 0, left, least)


@MASKED_WEIGHTS.mistake(
    "rows become 0 where a forbidden score is far above the allowed ones",
    "The largest score that you subtract: is it an allowed one?",
)
def divided_late_guarded(scores, mask):
    return divided_late(scores, mask, 1.0)


@MASKED_WEIGHTS.choices
def with_scores(scores, mask, *, change):
    """The softmax of scores that the mask has changed."""
    return _softmax(change(scores, mask))


with_scores.mistake(
    "empty-row-not-a-number",
    "a row that may read nothing comes out as NaN",
    "There every score is −∞, and −∞ minus −∞ is not a number. What should such a row be?",
    seen=("https://github.com/tracel-ai/burn/pull/4697",),
    change=lambda s, m: np.where(m, s, -np.inf),
)


@MASKED_WEIGHTS.mistake(
    "−∞ is multiplied by the mask, and 0 times infinity is not a number",
    "Which function chooses between two values, without multiplying by 0 or 1?",
)
def zero_times_infinity(scores, mask):
    with np.errstate(all="ignore"):
        return _softmax(scores + ~mask * -np.inf)


with_scores.mistake(
    "mask-multiplied",
    "the mask is multiplied into the scores: a forbidden token has the score 0",
    "What weight does a score of 0 get? And which score would get none?",
    change=lambda s, m: s * m,
)
with_scores.mistake(
    "mask-added",
    "the mask is added to the scores, as 1 and 0",
    "Adding is right for a mask of 0 and −∞. Which values does this one hold?",
    change=lambda s, m: s + m,
)


@MASKED_WEIGHTS.mistake(
    "a True is taken for forbidden, which is the convention of some libraries and the opposite "
    "of the one in this lesson",
    "In 3.1 True means allowed. What does it mean in your code?",
    seen=("https://github.com/lucidrains/x-transformers/issues/160",),
)
def inverted(scores, mask):
    return attention.masked_attention_weights(scores, ~mask)


with_scores.mistake(
    "large-negative",
    "forbidden scores are set to a large negative number, and a row in which everything is "
    "forbidden gets equal weights",
    "If all scores of a row are −1,000,000,000, what are its weights? What does requirement 2 "
    "ask for?",
    change=lambda s, m: np.where(m, s, -1e9),
)
with_scores.mistake(
    "large-negative-added",
    "a large negative number is added to forbidden scores, and a row that may read nothing "
    "reads as if everything were allowed",
    "Adding one number to all scores of a row changes no weight. What does requirement 2 ask for?",
    change=lambda s, m: s + np.where(m, 0, -1e9),
)


with_scores.mistake(
    "ten-thousand",
    "forbidden scores are set to −10,000, which is not below every allowed score",
    "An allowed score of −10,000 then gets no more than a forbidden one. Which number is below "
    "every score?",
    change=lambda s, m: np.where(m, s, -1e4),
)


@MASKED_WEIGHTS.mistake(
    "forbidden scores are set to −10,000 and their weights to 0 afterwards; where the allowed "
    "scores are as low, the row no longer adds up to 1",
    "Some models can afford −10,000 because their scores are small. Which number is below every "
    "score?",
)
def ten_thousand_zeroed(scores, mask):
    return _softmax(np.where(mask, scores, -1e4)) * mask


@MASKED_WEIGHTS.mistake(
    "the columns add up to 1 instead of the rows",
    "A row belongs to the token that reads. Along which axis are its keys?",
)
def down_the_columns(scores, mask):
    return attention.masked_attention_weights(scores.T, mask.T).T


@MASKED_WEIGHTS.mistake(
    "the mask is not used",
    "Forbidden tokens have a weight in your rows. Where should the mask enter?",
    seen=("https://github.com/keras-team/keras/issues/23038",),
)
def mask_ignored(scores, mask):
    return _softmax(scores)


@MASKED_WEIGHTS.mistake(
    "a causal mask is used in place of the mask that is given",
    "The argument `mask` may be any pattern. Is it looked at?",
)
def always_causal(scores, mask):
    return attention.masked_attention_weights(scores, np.tri(*scores.shape, dtype=bool))


@MASKED_WEIGHTS.mistake(
    "e is raised to the scores as they are, which is infinite for large ones",
    "What may be subtracted from a row of scores without changing its weights?",
)
def overflow(scores, mask):
    with np.errstate(all="ignore"):
        powers = np.exp(np.where(mask, scores, -np.inf))
        return powers / powers.sum(axis=1, keepdims=True)


@MASKED_WEIGHTS.mistake(
    "the scores are divided by a root again",
    "The text above the requirements says that these scores are already scaled.",
)
def scaled_again(scores, mask):
    return attention.masked_attention_weights(scores / scores.shape[1] ** 0.5, mask)


@MASKED_WEIGHTS.has
def forbidden_keys_get_nothing(weights, scores, mask):
    leaked = np.abs(np.where(mask, 0.0, weights))
    if leaked.max() < 1e-4:
        return ""
    row, column = (int(n) for n in np.argwhere(leaked == leaked.max())[0])
    return (
        f"query {row} may not read key {column}, and your weight there is "
        f"{weights[row, column]:.4g}."
    )


@MASKED_WEIGHTS.has
def allowed_weights_add_up_to_1(weights, scores, mask):
    sums = weights.sum(axis=1)
    off = np.where(mask.any(axis=1), np.abs(sums - 1), 0)
    row = int(off.argmax())
    if off[row] < 1e-3:
        return ""
    return (
        f"the weights of a query add up to 1; those of your query {row} add up to {sums[row]:.4g}."
    )
