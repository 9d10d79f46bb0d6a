"""Lesson 4, writing the number in: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from posenc import attention, encodings, geometry
from posenc.attention import SIX_TOKENS
from posenc.judging.model import Case, Challenge, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray
Tables = tuple[Array, Array]

# ------------------------------------------------------------------ claims


def _content_spread() -> float:
    return float(np.ptp(SIX_TOKENS @ SIX_TOKENS.T) / 5**0.5)


def _spread(start: float = 0, length: float = 6, width: float = 5) -> float:
    return geometry.position_spread(int(start), int(length), int(width))


def _spread_holds(
    measured: float, start: float = 0, length: float = 6, width: float = 5
) -> tuple[bool, str]:
    content = float(np.ptp(SIX_TOKENS @ SIX_TOKENS.T)) / width**0.5
    return measured > content, (
        f"The content of the six tokens, divided by the same root, spreads by {content:.2f}; "
        f"the positions {int(start)} to {int(start + length) - 1} by {measured:.2f}."
    )


def _ratios(unit: float = 1.0) -> Array:
    """Spread of the positions, each times `unit`, over that of the content, at four starts."""
    spreads = np.array([geometry.position_spread(start, 6, 5) for start in (0, 10, 100, 1000)])
    return unit**2 * spreads / _content_spread()


def _ratios_hold(measured: Array, unit: float = 1.0) -> tuple[bool, str]:
    first, last = float(measured[0]), float(measured[-1])
    if (measured > 1).all():
        return True, f"The ratio grows from {first:.3g} to {last:.4g}; content never catches up."
    return False, (
        f"Counted in units of {unit:g}, the positions begin below the content, at {first:.3g}, "
        f"where they drown. The ratio grows as before, to {last:.3g}: only the start has moved."
    )


def _largest_share(start: float = 0, unit: float = 1.0) -> float:
    """Mean over the six tokens of the largest share, positions times `unit` appended."""
    positions = unit * np.arange(int(start), int(start) + 6)
    _, shares = attention.identity_attention(np.column_stack([SIX_TOKENS, positions]))
    return float(shares.max(axis=1).mean())


def _early_holds(measured: float, start: float = 0, unit: float = 1.0) -> tuple[bool, str]:
    bare = _largest_share(0, 0.0)
    return bool(measured < 0.9), (
        f"Without positions the mean of the largest share is {bare:.3f}, here it is "
        f"{measured:.3f}; from 0.9 on hardly anything is left for the other tokens."
    )


def _late_holds(measured: float, start: float = 100, unit: float = 1.0) -> tuple[bool, str]:
    if measured > 0.999:
        return True, "Every token reads one key, and the content has no say."
    return False, (
        f"With positions counted in units of {unit:g} from seat {int(start)} on, the largest "
        f"share is {measured:.3f}: the choice is not made by the positions alone."
    )


def _normalised(features: float = 64, seed: float = 0) -> Array:
    """Spread of the features after layer normalisation with 7, 100 and 100000 appended."""
    row = np.random.default_rng(int(seed)).standard_normal(int(features))
    return np.array(
        [attention.layer_norm(np.append(row, p))[:-1].std() for p in (7.0, 100.0, 100000.0)]
    )


def _normalised_holds(measured: Array, features: float = 64, seed: float = 0) -> tuple[bool, str]:
    row = f"A row of {int(features)} features"
    if measured[1] < 0.1:
        return True, f"{row} is pressed to {measured[1]:.3f} of a standard deviation at 100."
    return False, (
        f"{row} outweighs one number for longer: at position 100 a spread of {measured[1]:.3f} "
        f"is left. At 100,000 it is {measured[2]:.5f}."
    )


def _step_by_length() -> list[float]:
    return [float(np.diff(encodings.divided_by_length(n)[3:5, 0])[0]) for n in (10, 100, 1000)]


def _one_hot_distances(length: float = 6) -> list[float]:
    rows = encodings.one_hot(int(length))
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)[~np.eye(int(length), dtype=bool)]
    return [float(apart.min()), float(apart.max())]


START = Setting("start", 0, 200, 1, 0, "first position")
UNIT = Setting("unit", 0.01, 1.0, 0.01, 1.0, "units per seat")

CLAIMS = (
    Claim(
        "naive-content-spread",
        "The content part of the six tokens' scores spreads by 3.30, scaled by √5",
        3.30,
        0.005,
        _content_spread,
        section="spread",
    ),
    Claim(
        "naive-spread-start",
        "Appended positions 0 to 5 spread the scores by 11.18, more than the content does",
        11.18,
        0.005,
        _spread,
        (
            START,
            Setting("length", 1, 50, 1, 6, "positions"),
            Setting("width", 2, 512, 1, 5, "width with the column"),
        ),
        _spread_holds,
        "spread",
    ),
    Claim(
        "naive-spread-late",
        "Positions 100 to 105 spread the scores by 458.39",
        458.39,
        0.005,
        lambda: geometry.position_spread(100, 6, 5),
        section="spread",
    ),
    Claim(
        "ratio-widens",
        "At the starts 0, 10, 100 and 1000 the positions outweigh the content more and more",
        [3.39, 16.95, 138.99, 1359.35],
        0.005,
        _ratios,
        (UNIT,),
        _ratios_hold,
        "spread",
    ),
    Claim(
        "naive-max-probability-start",
        "Positions 0 to 5: the largest share, averaged over the six tokens, leaves room for others",
        0.626,
        0.0006,
        _largest_share,
        (START, UNIT),
        _early_holds,
        "saturation",
    ),
    Claim(
        "naive-max-probability-late",
        "Positions 100 to 105: one key takes everything",
        1.0,
        0.0005,
        lambda start=100, unit=1.0: _largest_share(start, unit),
        (Setting("start", 0, 200, 1, 100, "first position"), UNIT),
        _late_holds,
        "saturation",
    ),
    Claim(
        "naive-layer-norm",
        "Normalised with position 7, 100 or 100,000 appended, 64 features keep this spread",
        [0.73321, 0.07395, 0.00007],
        5e-5,
        _normalised,
        (
            Setting("features", 4, 2048, 4, 64, "features"),
            Setting("seed", 0, 20, 1, 0, "seed"),
        ),
        _normalised_holds,
        "normalise",
    ),
    Claim(
        "length-step",
        "Position divided by length: the step from 3 to 4 in texts of 10, 100 and 1000 tokens",
        [0.1, 0.01, 0.001],
        1e-9,
        _step_by_length,
        section="by-length",
    ),
    Claim(
        "one-hot-distances",
        "One-hot rows: the nearest and the furthest two are equally far apart",
        [1.4142, 1.4142],
        5e-5,
        _one_hot_distances,
        (Setting("length", 2, 100, 1, 6, "length"),),
        section="one-hot",
    ),
)

# ------------------------------------------------------------------ questions


def _nearest(values: tuple[float, ...], found: float) -> int:
    return int(np.argmin(np.abs(np.array(values) - found)))


def _added_to_the_score() -> int:
    """What the column adds to the score of seats 3 and 5, found as a difference."""
    x = np.zeros((6, 4))
    rows = encodings.append_integer(x)
    added = (rows[3] @ rows[5] - x[3] @ x[5]) / 5**0.5
    return _nearest((15 / 5**0.5, 2 / 5**0.5, 8 / 5**0.5, 0.0), float(added))


def _growth_of_the_spread() -> int:
    growth = geometry.position_spread(100, 6, 5) / geometry.position_spread(0, 6, 5)
    return _nearest((1.0, 41.0, 20.0), growth)


def _what_normalising_leaves() -> int:
    rng = np.random.default_rng(0)
    features = rng.standard_normal(64)
    far, further = (attention.layer_norm(np.append(features, p)) for p in (1e5, 1e5 + 1))
    return 3 if far[:64].std() < 1e-3 and abs(far[64] - further[64]) < 1e-6 else 0


def _steps_in_a_tenth() -> int:
    """How many tokens a tenth is, in texts of 10 and of 100."""
    steps = {round(0.1 * length) for length in (10, 100)}
    return 2 if len(steps) > 1 else {1: 0, 10: 1}[steps.pop()]


QUESTIONS = (
    Question(
        "4.q1",
        "Rows have width 5, the last column is the position. How much does that column add to the "
        "score of seats 3 and 5?",
        (
            Option(
                "15/√5, about 6.71.",
                True,
                "The product of the rows gains 3 · 5 = 15, and the score divides it by √5.",
            ),
            Option(
                "2/√5, about 0.89: they are two apart.",
                False,
                "No subtraction happens anywhere. A score multiplies the entries of two rows.",
            ),
            Option(
                "8/√5, about 3.58.", False, "The entries of one column are multiplied, not added."
            ),
            Option(
                "Nothing: the features of the content are as before.",
                False,
                "They are, and a sixth term has joined the sum: the product of the two positions.",
            ),
        ),
        "append",
        _added_to_the_score,
    ),
    Question(
        "4.q2",
        "The same six words stand at positions 100 to 105 instead of 0 to 5. What happens to the "
        "spread that the positions cause?",
        (
            Option(
                "It stays: the seats are one apart as before.",
                False,
                "The score holds products of positions, not differences, and 105 · 105 − "
                "100 · 100 is more than 5 · 5.",
            ),
            Option(
                "It is 41 times as large.",
                True,
                "1025/√5 against 25/√5. The spread of the products grows with the start, though "
                "the words are the same.",
            ),
            Option(
                "It is about 20 times as large, since 105 is about 20 times 5.",
                False,
                "Products grow faster than their factors; but the smallest product has grown "
                "too. Take the difference: 105² − 100².",
            ),
        ),
        "spread",
        _growth_of_the_spread,
    ),
    Question(
        "4.q3",
        "64 features and the position 100,000 in one row, which is then normalised. What is left?",
        (
            Option(
                "Features and position on one scale, so all is well.",
                False,
                "Normalising works along the row. One entry of 100,000 sets the scale for all.",
            ),
            Option(
                "The features as before; the position as a 1.",
                False,
                "Every entry is divided by the same number, and that number is large.",
            ),
            Option(
                "The position alone, still to be read off.",
                False,
                "Its entry is close to 8 at 100,000 and at 100,001: the root of the number of "
                "features, whatever the position.",
            ),
            Option(
                "Neither: the features are pressed together, and the position's entry hardly "
                "changes any more.",
                True,
                "The features keep less than a thousandth of their spread, and the entry of the "
                "position has come to its limit.",
            ),
        ),
        "normalise",
        _what_normalising_leaves,
    ),
    Question(
        "4.q4",
        "Positions are divided by the length of the text. Two tokens differ by 0.1 in that column. "
        "How many seats apart are they?",
        (
            Option(
                "One.", False, "In a text of 10 tokens. In one of 100 the same 0.1 is ten seats."
            ),
            Option(
                "Ten.", False, "In a text of 100 tokens. In one of 10 the same 0.1 is one seat."
            ),
            Option(
                "That cannot be said without the length.",
                True,
                "A step is 1/length, so one number stands for another distance in every text.",
            ),
        ),
        "by-length",
        _steps_in_a_tenth,
        seen=("PE133",),
    ),
    Question(
        "4.q5",
        "All texts are padded to 100 tokens and positions are divided by 100. What remains to "
        "complain about?",
        (
            Option(
                "A step still means something else in every text.",
                False,
                "Not any more: with one divisor for all, a step is a hundredth everywhere.",
            ),
            Option(
                "There is one pace, and it is slow; and the hundred is not in the sentence.",
                True,
                "Neighbours differ by a hundredth of what one entry may hold, in the only "
                "column there is. Padding to 1000 would make all steps ten times smaller.",
            ),
            Option("Two positions share a value.", False, "p/100 is another number for every p."),
            Option(
                "Nothing: all five requirements are met.",
                False,
                "Bounded, distinct, one step, one width: four are, up to 100 tokens. Look at "
                "the fifth.",
            ),
        ),
        "requirements",
        seen=("PE142",),
    ),
)

# ------------------------------------------------------------------ 4.1 the spread of the products


def _products(start: int, length: int) -> Array:
    positions = np.arange(start, start + length)
    return np.outer(positions, positions)


def _spread_of(measure: Callable[[Array], float]) -> Callable[..., float]:
    """A wrong 4.1: `measure` of all products, over √width."""
    return lambda start, length, width: float(measure(_products(start, length)) / width**0.5)


def _without_diagonal(products: Array) -> float:
    return float(np.ptp(products[~np.eye(len(products), dtype=bool)])) if len(products) > 1 else 0.0


POSITION_SPREAD = Challenge(
    id="4.1",
    name="position_spread",
    title="How far products of positions lie apart",
    section="spread",
    points=3,
    minutes=8,
    difficulty=1,
    asked="one number",
    reference=geometry.position_spread,
    cases=(
        Case((0, 6, 5)),
        Case((100, 6, 5)),
        Case((0, 2, 4), about="two positions"),
        Case((7, 1, 5), about="one position"),
        Case((3, 4, 1), about="no column but the position"),
        Case((150, 64, 16), about="a longer text"),
    ),
    draw=lambda rng: [
        Case((int(rng.integers(1, 180)), int(rng.integers(2, 40)), int(rng.integers(2, 64))))
        for _ in range(6)
    ],
    misconceptions=(
        Misconception(
            "end-included",
            lambda start, length, width: geometry.position_spread(start, length + 1, width),
            "position start + length takes part",
            "Six positions from 0 on end at 5. Which is the last one of yours?",
        ),
        Misconception(
            "not-scaled",
            lambda start, length, width: geometry.position_spread(start, length, 1),
            "the products are not divided by the root of the width",
            "A score is divided by something before the softmax. By what?",
        ),
        Misconception(
            "divided-by-width",
            lambda start, length, width: geometry.position_spread(start, length, width**2),
            "the products are divided by the width, not by its root",
            "Compare with the score of lesson 2: what stands below the product there?",
        ),
        Misconception(
            "column-counted-twice",
            lambda start, length, width: geometry.position_spread(start, length, width + 1),
            "the root is taken of width + 1",
            "`width` is that of the finished row. Is the appended column in it already?",
            section="append",
        ),
        Misconception(
            "positions-not-products",
            lambda start, length, width: (length - 1) / width**0.5,
            "positions are compared, not their products",
            "A score multiplies the entries of two rows. What does the last column give for the "
            "pair i, j?",
        ),
        Misconception(
            "largest-alone",
            _spread_of(lambda products: float(products.max())),
            "the largest product is returned, without the smallest taken away",
            "A softmax does not notice what all scores share. What is left of 100 · 100 and "
            "105 · 105?",
        ),
        Misconception(
            "standard-deviation",
            _spread_of(lambda products: float(products.std())),
            "the standard deviation of the products is taken",
            "Asked is the distance from the smallest to the largest.",
        ),
        Misconception(
            "itself-left-out",
            _spread_of(_without_diagonal),
            "the pairs of a position with itself are left out",
            "A token reads itself as well. Which pairs hold the smallest and the largest product?",
        ),
        Misconception(
            "start-ignored",
            lambda start, length, width: geometry.position_spread(0, length, width),
            "positions are counted from 0 whatever the start",
            "The same words later in the text have larger positions. Where does `start` come in?",
        ),
    ),
    hints=(
        "Which pair of positions has the largest product, and which the smallest?",
        "`np.outer(positions, positions)` holds all products; `np.ptp` is largest minus smallest.",
        "The positions are `np.arange(start, start + length)`. Divide by `np.sqrt(width)` at the "
        "end.",
    ),
)

# ------------------------------------------------------------------ 4.2 where attention saturates


DECIDED = 200  # from here on the positions decide alone: what was not found will not be found


def _mean_of_largest(shares: Array) -> float:
    return float(shares.max(axis=1).mean())


def _shares(rows: Array, scale: float) -> Array:
    return attention.softmax(rows @ rows.T / scale)


def _appended_shares(x: Array, start: int) -> Array:
    return _shares(encodings.append_integer(x, start), (x.shape[1] + 1) ** 0.5)


def _scan(
    measure: Callable[[Array, int], float], first: int = 0, beyond: int = 0
) -> Callable[..., int | None]:
    """A wrong 4.2: the first start from `first` to limit - 1 + beyond at which `measure` is enough."""

    def wrong(x: Array, threshold: float, limit: int = 1000) -> int | None:
        tried = range(first, min(limit + beyond, DECIDED))
        return next((s for s in tried if measure(x, s) >= threshold), None)

    return wrong


def _by_halving(x: Array, threshold: float, limit: int = 1000) -> int | None:
    low, high = 0, limit
    while low < high:
        middle = (low + high) // 2
        if _mean_of_largest(_appended_shares(x, middle)) >= threshold:
            high = middle
        else:
            low = middle + 1
    return low if low < limit else None


def _for_good(x: Array, threshold: float, limit: int = 1000) -> int | None:
    tried = min(limit, DECIDED)
    enough = [_mean_of_largest(_appended_shares(x, s)) >= threshold for s in range(tried)]
    if not enough[-1]:
        return None
    return tried - next((n for n, each in enumerate(enough[::-1]) if not each), tried)


def _limit_for_none(x: Array, threshold: float, limit: int = 1000) -> int:
    found = geometry.first_saturated_start(x, threshold, limit)
    return limit if found is None else found


def _zero_lost(x: Array, threshold: float, limit: int = 1000) -> int | None:
    return geometry.first_saturated_start(x, threshold, limit) or None


def _counted(x: Array, threshold: float, limit: int = 1000) -> int | None:
    found = geometry.first_saturated_start(x, threshold, limit)
    return None if found is None else found + 1


def _not_moved(x: Array, threshold: float, limit: int = 1000) -> int | None:
    return 0 if _mean_of_largest(_appended_shares(x, 0)) >= threshold else None


def _added_to_all(x: Array, start: int) -> float:
    rows = x + np.arange(start, start + len(x))[:, None]
    return _mean_of_largest(_shares(rows, x.shape[1] ** 0.5))


def _column_shares(x: Array, start: int) -> float:
    return _mean_of_largest(_appended_shares(x, start).T)


def _unshifted(x: Array, start: int) -> float:
    rows = encodings.append_integer(x, start)
    with np.errstate(all="ignore"):
        powers = np.exp(rows @ rows.T / rows.shape[1] ** 0.5)
        return float((powers.max(axis=1) / powers.sum(axis=1)).mean())


def margin(x: Array, threshold: float, limit: int = 1000) -> bool:
    """Whether single precision, or sums in another order, would find the same start."""
    for start in range(limit):
        reached = _mean_of_largest(_appended_shares(x, start))
        if abs(reached - threshold) < 0.05 * (1 - threshold):
            return False
        if reached >= threshold:
            return True
    return True


# Both read the second, at once.
ONE_IS_READ = np.array([[0.5] * 16, [0.99] * 16])
OPPOSITES = np.array([[0.9] * 16, [-0.9] * 16])
# The last token is opposed to the others and read late, where e to the power of a score is infinite.
READ_LATE = np.array([[0.9] * 16, [0.9] * 16, [0.9] * 16, [-0.9] * 16])
# The largest share reaches 0.9 at start 5 and falls below it again at start 10.
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
    return [*cases, Case((*cases[1].args, max(last, 1)), about="a small limit")]


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
        Case((ONE_IS_READ, 0.75), about="one token that both read, by the content"),
        Case((READ_LATE, 0.999), about="scores too large for an exponential"),
        Case((UP_AND_DOWN, 0.9), about="a share that rises, falls and rises"),
        Case((UP_AND_DOWN, 0.9, 22), about="a share that rises, falls and rises"),
    ),
    draw=_draw_saturated,
    misconceptions=(
        Misconception(
            "every-row",
            _scan(lambda x, s: float(_appended_shares(x, s).max(axis=1).min())),
            "every row has to reach the threshold, not their mean",
            "Asked is the mean over the rows of each row's largest share.",
        ),
        Misconception(
            "any-row",
            _scan(lambda x, s: float(_appended_shares(x, s).max())),
            "one row that reaches the threshold is enough",
            "A largest share a row, then the mean of them. Is a maximum taken twice?",
        ),
        Misconception(
            "scale-without-column",
            _scan(
                lambda x, s: _mean_of_largest(
                    _shares(encodings.append_integer(x, s), x.shape[1] ** 0.5)
                )
            ),
            "the scores are divided by the root of the width without the new column",
            "The rows that are multiplied have d + 1 entries.",
        ),
        Misconception(
            "not-scaled",
            _scan(lambda x, s: _mean_of_largest(_shares(encodings.append_integer(x, s), 1.0))),
            "the scores are not divided by the root of the width",
            "What does lesson 2 divide a product by before the softmax?",
        ),
        Misconception(
            "by-halving",
            _by_halving,
            "the start is searched by halving, as if the share rose with every step",
            "With opposite tokens the share is high at 0, falls, and rises again. Which search "
            "does not mind that?",
        ),
        Misconception(
            "for-good",
            _for_good,
            "the start is the one from which the share stays above the threshold",
            "The smallest start that reaches it is asked, whatever comes after.",
        ),
        Misconception(
            "limit-for-none",
            _limit_for_none,
            "`limit` is returned where no start below it does it",
            "A start of 11 says that 11 was tried and is enough. What says that none was found?",
        ),
        Misconception(
            "limit-tried",
            _scan(lambda x, s: _mean_of_largest(_appended_shares(x, s)), beyond=1),
            "the start `limit` is tried as well",
            "With a limit of 11 the starts are 0 to 10.",
        ),
        Misconception(
            "zero-lost",
            _zero_lost,
            "a start of 0 is lost and None comes back",
            "0 counts as false in Python. How do you ask whether something was found?",
        ),
        Misconception(
            "one-late",
            _counted,
            "the starts are counted from 1",
            "The first start that is tried is 0. Which number belongs to it?",
        ),
        Misconception(
            "start-not-used",
            _not_moved,
            "positions 0, 1, 2, … are appended at every start",
            "Where does the start come into the column?",
        ),
        Misconception(
            "overflow",
            _scan(_unshifted),
            "e is raised to the scores as they are, and late in a text the powers are infinite",
            "What may be subtracted from a row of scores without changing its shares?",
        ),
        Misconception(
            "added-not-appended",
            _scan(_added_to_all),
            "the position is added to all features instead of being a column of its own",
            "How many columns does A have, if x has d?",
            section="append",
        ),
        Misconception(
            "largest-down-the-columns",
            _scan(_column_shares),
            "the largest share is taken down the columns",
            "Each row of shares adds up to 1 and belongs to one token that reads. Which axis is "
            "that?",
        ),
    ),
    hints=(
        "Write a small function that gives the mean of the largest shares for one start, and check "
        "it at 0 with the six tokens: 0.626.",
        "Try 0, 1, 2, … in turn and return the first one that is enough. After the loop: None.",
        "`np.column_stack([x, np.arange(start, start + len(x))])` is A. Subtract each row's largest "
        "score before the exponential.",
    ),
    seconds=10.0,
)

# ------------------------------------------------------------------ 4.3 the requirements


def _numbers(short: int, long: int) -> Tables:
    return tuple(np.arange(n, dtype=float)[:, None] for n in (short, long))


def _over(short: int, long: int, divisor: float | None = None) -> Tables:
    return tuple(np.arange(n)[:, None] / (n if divisor is None else divisor) for n in (short, long))


def _remainders(short: int, long: int, of: int) -> Tables:
    return tuple((np.arange(n) % of)[:, None] / 1.0 for n in (short, long))


def _hot(short: int, long: int, size: float = 1.0) -> Tables:
    return tuple(size * np.eye(n) for n in (short, long))


def _bits(short: int, long: int) -> Tables:
    return tuple(encodings.binary_counter(n, 7) for n in (short, long))


def _waves(short: int, long: int, width: int) -> Tables:
    return tuple(encodings.sinusoidal(n, width) for n in (short, long))


def _up_to_the_middle(short: int, long: int) -> Tables:
    """Counted in tenths up to the middle of the text, and level from there on."""
    return tuple(np.minimum(np.arange(n), n // 2)[:, None] / 10 for n in (short, long))


def _last_two_alike(short: int, long: int) -> Tables:
    """Hundredths, and the last two rows are one."""
    return tuple(np.minimum(np.arange(n), n - 2)[:, None] / 100 for n in (short, long))


def _mirrored(short: int, long: int) -> Tables:
    return np.arange(short)[:, None] / 100.0, -np.arange(long)[:, None] / 100.0


def _downwards(short: int, long: int) -> Tables:
    return tuple(-np.arange(n, dtype=float)[:, None] for n in (short, long))


def _nearly_equal(short: int, long: int) -> Tables:
    """Two rows of the long table differ by a rounding, the others by more."""
    rows = np.column_stack([np.arange(long) / 128, np.zeros(long)])
    rows[-1] = rows[2]
    rows[-1, 1] = 1e-12
    return rows[:short].copy(), rows


def _shrunk(short: int, long: int) -> Tables:
    """Large entries, larger in the short table than in the long one."""
    return 4.0 * np.arange(short)[:, None] / short, 2.0 * np.arange(long)[:, None] / long


def _learned(rng: np.random.Generator, short: int, long: int, width: int) -> Tables:
    table = rng.uniform(-1, 1, (long, width)).round(3)
    return table[:short].copy(), table


def _case(tables: Tables, about: str = "") -> Case:
    return Case(tables, about=about)


def _draw_schemes(rng: np.random.Generator) -> Iterator[Case]:
    def lengths() -> tuple[int, int]:
        return int(rng.integers(5, 12)), int(rng.integers(24, 80))

    yield _case(_numbers(*lengths()))
    yield _case(_over(*lengths()))
    yield _case(_hot(*lengths(), round(float(rng.uniform(0.5, 3)), 2)))
    yield _case(_remainders(*lengths(), int(rng.integers(12, 20))))
    yield _case(_learned(rng, *lengths(), int(rng.integers(2, 9))))
    yield _case(_waves(*lengths(), int(rng.integers(2, 9))))
    yield _case(_up_to_the_middle(*lengths()))


# A step is judged to 1e-9, so nothing here is smaller than a thousandth, and 1e-12 counts as none.


def _wrong_part(**parts: Callable[[Array, Array], bool]) -> Callable[..., dict[str, bool]]:
    """A wrong 4.3: the right answers, with some of them found in another way."""

    def wrong(short: Array, long: Array) -> dict[str, bool]:
        found = geometry.requirements_met(short, long)
        return found | {name: bool(rule(short, long)) for name, rule in parts.items()}

    return wrong


def _steps(table: Array) -> Array:
    return np.linalg.norm(np.diff(table, axis=0), axis=1)


def _distinct(table: Array) -> bool:
    apart = np.linalg.norm(table[:, None] - table, axis=2)[~np.eye(len(table), dtype=bool)]
    return bool(apart.min() >= 1e-9)


def _equal_step_vectors(short: Array, long: Array) -> bool:
    if short.shape[1] != long.shape[1]:
        return False
    steps = np.diff(long, axis=0)[: len(short) - 1]
    return bool(np.allclose(np.diff(short, axis=0), steps, atol=1e-9))


def _largest(table: Array) -> float:
    return float(np.abs(table).max())


REQUIREMENTS_MET = Challenge(
    id="4.3",
    name="requirements_met",
    title="Four requirements, from two tables",
    section="requirements",
    points=3,
    minutes=15,
    difficulty=2,
    asked="a dict of four bools",
    reference=geometry.requirements_met,
    cases=(
        _case(_numbers(10, 25), "the number itself"),
        _case(_over(10, 25), "divided by the length"),
        _case(_over(10, 25, 100.0), "divided by 100"),
        _case(_remainders(4, 9, 2), "even or odd"),
        _case(_hot(5, 8), "one-hot"),
        _case(_downwards(6, 20), "the number with a minus"),
        _case(_remainders(6, 25, 10), "remainders of 10"),
        _case(_hot(6, 12, 5.0), "one-hot times 5"),
        _case(_shrunk(6, 25), "larger entries in the short table"),
        _case(_last_two_alike(9, 30), "the last two rows alike"),
        _case(_bits(6, 40), "binary digits"),
        _case(_mirrored(8, 30), "another direction in the long table"),
        _case(_up_to_the_middle(8, 30), "counted up to the middle"),
        _case(_nearly_equal(6, 20), "two rows that differ by a rounding"),
        _case(_waves(24, 64, 16), "waves, larger tables"),
    ),
    draw=lambda rng: list(_draw_schemes(rng)),
    misconceptions=(
        Misconception(
            "sign-kept",
            _wrong_part(bounded=lambda short, long: long.max() <= max(1.0, short.max())),
            "`bounded` looks at the largest entry and misses large negative ones",
            "−100 is as far from 0 as 100. What has to be taken before the maximum?",
        ),
        Misconception(
            "bounded-by-one",
            _wrong_part(bounded=lambda short, long: _largest(long) <= 1),
            "`bounded` compares with 1 alone",
            "A scheme may use larger numbers, if they do not grow with the text. What does the "
            "short table say?",
        ),
        Misconception(
            "bounded-by-short",
            _wrong_part(bounded=lambda short, long: _largest(long) <= _largest(short)),
            "`bounded` compares with the short table alone",
            "An entry that grows from 0.1 to 0.2 does no harm. Which size is always allowed?",
        ),
        Misconception(
            "neighbours-only",
            _wrong_part(distinct=lambda short, long: _steps(long).min() >= 1e-9),
            "`distinct` compares each row with the next one only",
            "Even or odd: rows 0 and 2 are equal. Which pairs have to be looked at?",
        ),
        Misconception(
            "exactly-equal",
            _wrong_part(distinct=lambda short, long: len(np.unique(long, axis=0)) == len(long)),
            "`distinct` asks whether rows are equal to the last digit",
            "Rows that differ by a rounding cannot be told apart. The requirement names a distance.",
        ),
        Misconception(
            "short-rows",
            _wrong_part(distinct=lambda short, long: _distinct(short)),
            "`distinct` looks at the rows of the short table",
            "Remainders of 10 differ for six positions. For how many do they have to?",
        ),
        Misconception(
            "step-vectors",
            _wrong_part(same_step=_equal_step_vectors),
            "`same_step` compares the differences of rows entry by entry",
            "What has to be equal is how long a step is. Its direction may differ, and so may the "
            "width.",
        ),
        Misconception(
            "within-one-table",
            _wrong_part(same_step=lambda short, long: np.ptp(_steps(long)) <= 1e-9),
            "`same_step` compares the steps of one table with each other",
            "The step from 3 to 4 is compared with the step from 3 to 4 in the other text.",
        ),
        Misconception(
            "first-step-only",
            _wrong_part(
                same_step=lambda short, long: abs(_steps(short)[0] - _steps(long)[0]) <= 1e-9
            ),
            "`same_step` looks at the step from 0 to 1 only",
            "Which positions do the two tables share?",
        ),
        Misconception(
            "whole-shape",
            _wrong_part(fixed_width=lambda short, long: short.shape == long.shape),
            "`fixed_width` compares the whole shape, and the lengths differ on purpose",
            "Which of the two axes is the width?",
        ),
    ),
    hints=(
        "Take the four one by one; each is a comparison of numbers from the two tables.",
        "Steps are the norms of `np.diff(table, axis=0)`. The long table has more of them; compare "
        "as many as the short one has.",
        "For `distinct`, all pairs at once: `long[:, None] - long` has shape (n, n, width). Leave "
        "out the pairs of a row with itself.",
    ),
)

CHALLENGES = (POSITION_SPREAD, FIRST_SATURATED_START, REQUIREMENTS_MET)
