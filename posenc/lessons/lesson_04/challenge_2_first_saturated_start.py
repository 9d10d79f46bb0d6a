"""Challenge 4.2, Where one key takes everything."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings, geometry
from posenc.attention import SIX_TOKENS
from posenc.judging.model import Case, Challenge

Array = np.ndarray


def _mean_of_largest(weights: Array) -> float:
    return float(weights.max(axis=1).mean())


def _weights(rows: Array, scale: float) -> Array:
    return attention.softmax(rows @ rows.T / scale)


def _appended_weights(x: Array, start: int) -> Array:
    return _weights(encodings.append_integer(x, start), (x.shape[1] + 1) ** 0.5)


def margin(x: Array, threshold: float, limit: int = 1000) -> bool:
    """Whether single precision, or sums in another order, would find the same start."""
    for start in range(limit):
        reached = _mean_of_largest(_appended_weights(x, start))
        if abs(reached - threshold) < 0.05 * (1 - threshold):
            return False
        if reached >= threshold:
            return True
    return True


# Both read the second, at once.
ONE_IS_READ = np.array([[0.5] * 16, [0.99] * 16])

OPPOSITES = np.array([[0.9] * 16, [-0.9] * 16])

# The last token is opposed to the others and read late, where e to the power of a score
# is infinite.
READ_LATE = np.array([[0.9] * 16, [0.9] * 16, [0.9] * 16, [-0.9] * 16])

# The largest weight reaches 0.9 at start 5 and falls below it again at start 10.
UP_AND_DOWN = np.array(
    [
        [0.84, -0.82, -0.93, -0.89, -0.87, -0.84, -0.87, 0.92, 0.85],
        [0.82, -0.96, 0.81, -0.98, 0.87, 0.86, -0.81, 0.81, -0.8],
        [0.81, 0.85, -0.83, 0.99, 0.82, -0.99, 0.91, -0.92, 0.82],
        [-0.9, -0.84, -0.9, -1.0, -0.93, 0.97, -0.82, 0.87, -0.99],
    ]
)


def _draw_saturated(rng: np.random.Generator) -> list[Case]:
    cases: list[Case] = []
    for n, d in ((3, 2), (5, 4), (4, 7), (8, 3), (6, 16), (7, 1)):
        while True:
            x = rng.uniform(-1, 1, (n, d)).round(3)
            threshold = round(float(rng.uniform(0.7, 0.999)), 3)
            if margin(x, threshold):
                break
        cases.append(Case((x, threshold)))
    # Once more, with a limit at which the start that was found is no longer tried.
    last = geometry.first_saturated_start(*cases[1].args)
    return [*cases, Case((*cases[1].args, max(last or 0, 1)), about="a small limit")]


FIRST_SATURATED_START = Challenge(
    id="4.2",
    name="first_saturated_start",
    title="Where one key takes everything",
    section="saturation",
    points=4,
    minutes=15,
    difficulty=3,
    asked="a whole number, or None,",
    reference=geometry.first_saturated_start,
    cases=(
        Case((SIX_TOKENS, 0.9)),
        Case((SIX_TOKENS, 0.99)),
        Case((SIX_TOKENS, 0.999)),
        Case((SIX_TOKENS, 0.99, 12), about="found at the last start that is tried"),
        Case((SIX_TOKENS, 0.99, 11), about="no start below the limit does it"),
        Case((SIX_TOKENS, 0.999), {"limit": 4}, about="a small limit"),
        Case((OPPOSITES, 0.9), about="saturated at once, by the content"),
        Case((OPPOSITES, 0.7), about="saturated at once, each token by itself"),
        Case((ONE_IS_READ, 0.75), about="one token that both read, by the content"),
        Case((ONE_IS_READ[::-1].copy(), 0.75), about="the first token, read by both"),
        Case((np.array([[0.5, 0.25]]), 1.0), about="one token, whose weight is the threshold"),
        Case((READ_LATE, 0.999), about="scores too large for an exponential"),
        Case((UP_AND_DOWN, 0.9), about="a weight that rises, falls and rises"),
        Case((UP_AND_DOWN, 0.9, 22), about="a weight that rises, falls and rises"),
    ),
    draw=_draw_saturated,
    crossed=False,  # the cases keep clear of the threshold
    hints=(
        "Write a small function that gives the mean of the largest weights for one start, and "
        "check it at 0 with the six tokens: 0.626.",
        "Try 0, 1, 2, … in turn and return the first one that is enough. After the loop: None.",
        "`np.column_stack([x, np.arange(start, start + len(x))])` is A. Subtract each row's "
        "largest logit before the exponential.",
    ),
    seconds=10.0,
)

DECIDED = 200  # from here on the positions decide alone: what was not found will not be found


@FIRST_SATURATED_START.choices
def search(x, threshold, limit=1000, *, measure, first=0, beyond=0):
    """The first start from `first` to limit - 1 + beyond at which `measure` is enough."""
    tried = range(first, min(limit + beyond, DECIDED))
    return next((s for s in tried if measure(x, s) >= threshold), None)


search.mistake(
    "every-row",
    "every row has to reach the threshold, not their mean",
    "What is asked for is the mean over the rows of each row's largest weight.",
    measure=lambda x, s: float(_appended_weights(x, s).max(axis=1).min()),
)
search.mistake(
    "any-row",
    "one row that reaches the threshold is enough",
    "One largest weight for each row, then the mean of them. Is a maximum taken twice?",
    measure=lambda x, s: float(_appended_weights(x, s).max()),
)
search.mistake(
    "scale-without-column",
    "the logits are divided by the root of the width without the new column",
    "The rows that are multiplied have d + 1 entries.",
    measure=lambda x, s: _mean_of_largest(
        _weights(encodings.append_integer(x, s), x.shape[1] ** 0.5)
    ),
)
search.mistake(
    "not-scaled",
    "the logits are not divided by the root of the width",
    "What does lesson 2 divide a product by before the softmax?",
    measure=lambda x, s: _mean_of_largest(_weights(encodings.append_integer(x, s), 1.0)),
)


@FIRST_SATURATED_START.mistake(
    "the start is searched by halving, as if the largest weight rose with every step",
    "With opposite tokens the largest weight is high at 0, falls, and rises again. Which search "
    "works in that case, too?",
)
def by_halving(x, threshold, limit=1000):
    low, high = 0, limit
    while low < high:
        middle = (low + high) // 2
        if _mean_of_largest(_appended_weights(x, middle)) >= threshold:
            high = middle
        else:
            low = middle + 1
    return low if low < limit else None


@FIRST_SATURATED_START.mistake(
    "the start is the one from which on the mean stays above the threshold",
    "The smallest start that reaches it is asked for, whatever happens after it.",
)
def for_good(x, threshold, limit=1000):
    tried = min(limit, DECIDED)
    enough = [_mean_of_largest(_appended_weights(x, s)) >= threshold for s in range(tried)]
    if not enough[-1]:
        return None
    return tried - next((n for n, each in enumerate(enough[::-1]) if not each), tried)


search.mistake(
    "most-read-key",
    "the weights are averaged key by key, and the largest of these means is taken",
    "Two readers may each give nearly everything to a different key. How large should the measure "
    "be then?",
    measure=lambda x, s: float(_appended_weights(x, s).mean(axis=0).max()),
)
search.mistake(
    "last-key",
    "only the weight of the last key is averaged",
    "The key that takes everything need not be the last. What is the largest weight of each row?",
    measure=lambda x, s: float(_appended_weights(x, s)[:, -1].mean()),
)


@FIRST_SATURATED_START.mistake(
    "`limit` is returned where no start below it does it",
    "A start of 11 says that 11 was tried and is enough. What says that none was found?",
)
def limit_for_none(x, threshold, limit=1000):
    found = geometry.first_saturated_start(x, threshold, limit)
    return limit if found is None else found


search.mistake(
    "limit-tried",
    "the start `limit` is tried as well",
    "With a limit of 11 the starts are 0 to 10.",
    measure=lambda x, s: _mean_of_largest(_appended_weights(x, s)),
    beyond=1,
)


@FIRST_SATURATED_START.mistake(
    "a start of 0 is lost and None is returned",
    "0 counts as false in Python. How do you ask whether something was found?",
)
def zero_lost(x, threshold, limit=1000):
    return geometry.first_saturated_start(x, threshold, limit) or None


@FIRST_SATURATED_START.mistake(
    "the starts are counted from 1",
    "The first start that is tried is 0. Which number does yours give it?",
)
def one_late(x, threshold, limit=1000):
    found = geometry.first_saturated_start(x, threshold, limit)
    return None if found is None else found + 1


@FIRST_SATURATED_START.mistake(
    "positions 0, 1, 2, … are appended at every start", "Where does the column use the start?"
)
def start_not_used(x, threshold, limit=1000):
    return 0 if _mean_of_largest(_appended_weights(x, 0)) >= threshold else None


def _unshifted(x: Array, start: int) -> float:
    rows = encodings.append_integer(x, start)
    with np.errstate(all="ignore"):
        powers = np.exp(rows @ rows.T / rows.shape[1] ** 0.5)
        return float((powers.max(axis=1) / powers.sum(axis=1)).mean())


search.mistake(
    "overflow",
    "e is raised to the logits as they are, and late in a text the powers are infinite",
    "What may be subtracted from a row of logits without changing its weights?",
    measure=_unshifted,
)


def _added_to_all(x: Array, start: int) -> float:
    rows = x + np.arange(start, start + len(x))[:, None]
    return _mean_of_largest(_weights(rows, x.shape[1] ** 0.5))


search.mistake(
    "added-not-appended",
    "the position is added to all features instead of being a column of its own",
    "How many columns does A have, if x has d?",
    section="append",
    measure=_added_to_all,
)


def _column_weights(x: Array, start: int) -> float:
    return _mean_of_largest(_appended_weights(x, start).T)


search.mistake(
    "largest-down-the-columns",
    "the largest weight is taken down the columns",
    "Each row of weights adds up to 1 and belongs to one token that reads. Which axis is that?",
    measure=_column_weights,
)


@FIRST_SATURATED_START.has
def below_the_limit(start, x, threshold, limit=1000):
    if 0 <= start < limit:
        return ""
    return f"the starts to try are 0 to {limit - 1}; yours is {start}."


@FIRST_SATURATED_START.has
def enough_at_your_start(start, x, threshold, limit=1000):
    reached = _mean_of_largest(_appended_weights(x, start))
    if reached >= threshold:
        return ""
    return (
        f"with your start {start} the mean of the largest weights is {reached:.6g}, which does not "
        f"reach {threshold:g}."
    )


@FIRST_SATURATED_START.has
def no_smaller_start_is_enough(start, x, threshold, limit=1000):
    if all(_mean_of_largest(_appended_weights(x, s)) < threshold for s in range(min(start, 200))):
        return ""
    return f"with your start {start} the mean is large enough, but a smaller start is enough too."
