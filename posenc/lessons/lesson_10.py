"""Lesson 10, what is added also blurs: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from posenc import attention, encodings
from posenc.judging.calls import Layer
from posenc.judging.model import Case, Challenge, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray
TOKENS = attention.SIX_TOKENS
STAMPS = encodings.sinusoidal(6, 4)
GRID = np.round(np.arange(0, 4.01, 0.05), 2)
ORDER = np.array([2, 0, 1, 4, 5, 3])

# ------------------------------------------------------------------ claims


def _first_row(scale: float = 1.0, base: float = 10000.0) -> Array:
    return attention.identity_attention(scale * TOKENS + encodings.sinusoidal(6, 4, base))[1][0]


def _blur_holds(measured: Array, scale: float = 1.0, base: float = 10000.0) -> tuple[bool, str]:
    alone = attention.identity_attention(scale * TOKENS)[1][0]
    down, up = measured[3] < alone[3], measured[1] > alone[1]
    moved = f"t3 goes from {alone[3]:.3f} to {measured[3]:.3f}, t1 from {alone[1]:.3f} to {measured[1]:.3f}."
    if down and up:
        return True, moved
    return (
        False,
        moved
        + " The content is so large here that the encoding hardly counts, or so small that nothing else does.",
    )


def _moved(change: float = 1.0) -> Array:
    """How far attention is from following a shuffle, with encodings of this size in seat order."""
    stamps = change * STAMPS
    mixed = attention.identity_attention(TOKENS[ORDER] + stamps)[0]
    return np.abs(mixed - attention.identity_attention(TOKENS + stamps)[0][ORDER]).max()


def _equivariant_in_seats(change: float = 1.0) -> bool:
    return bool(np.isclose(_moved(change), 0.0, atol=1e-8))


def _broken_holds(measured: bool, change: float = 1.0) -> tuple[bool, str]:
    if not measured:
        return (
            True,
            f"The outputs differ by up to {_moved(change):.4f}: who sits where makes a difference.",
        )
    return (
        False,
        "Encodings of size 0 are no encodings: without them attention follows every shuffle, as in lesson 2.",
    )


def _equivariant_with_seats(change: float = 1.0) -> bool:
    rows = TOKENS + change * STAMPS
    shuffled = attention.identity_attention(rows[ORDER])[0]
    return bool(np.allclose(shuffled, attention.identity_attention(rows)[0][ORDER]))


def _travel_holds(measured: bool, change: float = 1.0) -> tuple[bool, str]:
    return (
        measured,
        "Token and seat were added before the shuffle, so attention sees the same six rows in another order.",
    )


def _winning_scale(base: float = 10000.0) -> float:
    return attention.smallest_winning_scale(TOKENS, encodings.sinusoidal(6, 4, base), 0, 3, GRID)


def _winning_holds(measured: float | None, base: float = 10000.0) -> tuple[bool, str]:
    if measured is None:
        return False, "At no scale up to 4 does the partner win."
    return (
        measured > 1,
        f"Unscaled content does not win here; the first scale on the grid that does is {measured:g}.",
    )


def _scaled_by_two() -> Array:
    row = _first_row(2.0)
    return np.array([row[0], row[3]])


CLAIMS = (
    Claim(
        "shares-without-position",
        "The shares that t0 gives to the six tokens, without positions",
        [0.51, 0.03, 0.015, 0.389, 0.039, 0.016],
        6e-4,
        lambda: attention.identity_attention(TOKENS)[1][0],
        section="blur",
    ),
    Claim(
        "shares-with-position",
        "With the encodings added the partner t3 falls and the neighbour t1 climbs",
        [0.61, 0.213, 0.02, 0.14, 0.012, 0.004],
        6e-4,
        _first_row,
        (
            Setting("scale", 0.0, 4.0, 0.05, 1.0, "scale of the content"),
            Setting("base", 2.0, 20000.0, 1.0, 10000.0, "base"),
        ),
        _blur_holds,
        "blur",
    ),
    Claim(
        "scale-that-wins",
        "The smallest scale on 0, 0.05, … at which t3 beats the other tokens in the row of t0: above 1",
        1.15,
        1e-9,
        _winning_scale,
        (Setting("base", 2.0, 20000.0, 1.0, 10000.0, "base"),),
        _winning_holds,
        "scale",
    ),
    Claim(
        "scale-two",
        "At scale 2 t0 keeps most for itself; t3 gets less than without scaling",
        [0.923, 0.077],
        5e-4,
        _scaled_by_two,
        section="scale",
    ),
    Claim(
        "concatenated-shares",
        "The shares of t0 when positions are set beside the content",
        [0.578, 0.067, 0.029, 0.236, 0.052, 0.038],
        6e-4,
        lambda: attention.identity_attention(np.concatenate([TOKENS, STAMPS], axis=1))[1][0],
        section="concatenate",
    ),
    Claim(
        "broken-with-position",
        "With encodings in seat order, attention does not follow a shuffle of the tokens",
        False,
        0,
        _equivariant_in_seats,
        (Setting("change", 0.0, 2.0, 0.1, 1.0, "size of the encodings"),),
        _broken_holds,
        "seats",
    ),
    Claim(
        "equivariant-when-seats-travel",
        "When each token takes its seat number along, attention follows the shuffle again",
        True,
        0,
        _equivariant_with_seats,
        (Setting("change", 0.0, 2.0, 0.1, 1.0, "size of the encodings"),),
        _travel_holds,
        "seats",
    ),
)

# ------------------------------------------------------------------ questions


def _which_term() -> int:
    """Of the four terms, the one that changes when a word of the same length moves with nothing else."""
    return 1


def _token_norm() -> int:
    """Unit token, width 512: multiplied and divided by √512, against the norm of a row, 16."""
    row = float(np.linalg.norm(encodings.sinusoidal(2, 512)[1]))
    norms = np.array([512**0.5, 512**-0.5, 512.0])
    return int(np.abs(np.log(norms / row)).argmin())


QUESTIONS = (
    Question(
        "10.q1",
        "With positions added, t0 gives its topic partner t3 less and its neighbour t1 more. What has happened?",
        (
            Option(
                "The softmax has saturated.",
                False,
                "The largest share is 0.61; nothing is saturated.",
            ),
            Option(
                "The content of t1 has become more similar to that of t0.",
                False,
                "No content has changed. Only the encodings were added.",
            ),
            Option(
                "Scores now also count how near the seats are, and t1 sits next to t0.",
                True,
                "Rows 0 and 1 of the table have a large dot product, rows 0 and 3 a smaller one, and that is added to the scores.",
            ),
        ),
        "blur",
        lambda: 2 if STAMPS[0] @ STAMPS[1] > STAMPS[0] @ STAMPS[3] else 1,
    ),
    Question(
        "10.q2",
        "A score of (x + p) and (y + q) has four terms. Which of them depends on the two seats and on nothing else?",
        (
            Option("x · y", False, "That is content with content: it holds no seat."),
            Option(
                "p · q",
                True,
                "Only the two encodings take part. For sinusoids it even depends on the distance alone.",
            ),
            Option(
                "x · q", False, "This one asks how the first word goes with the second one's seat."
            ),
            Option("All but x · y", False, "The two mixed terms hold a word each."),
        ),
        "four-terms",
        _which_term,
    ),
    Question(
        "10.q3",
        "Token vectors have norm 1, width 512; a row of the table has norm 16. What does the 2017 Transformer do to the tokens before it adds?",
        (
            Option(
                "It multiplies them by √512, so that they have norm 22.6.",
                True,
                "Then content and position are of one order of size. The division by √ of the key width comes later and concerns scores.",
            ),
            Option(
                "It divides them by √512.",
                False,
                "That would make them 360 times smaller than the encodings. The 1/√d belongs to the scores.",
            ),
            Option("It multiplies them by 512.", False, "That would drown the encodings."),
        ),
        "scale",
        _token_norm,
        seen=("PE084", "PE085"),
    ),
    Question(
        "10.q4",
        "[0.2, 0.1, −0.3] can be written as a sum of two vectors in many ways. Why is that not fatal?",
        (
            Option(
                "Because training makes all sums different.",
                False,
                "Training helps, but no sum of two vectors has one decomposition only.",
            ),
            Option(
                "Because nobody has to undo a single sum: weights read directions, over many tokens and seats.",
                True,
                "What is learned is which directions of the space carry content and which carry position; in a wide space there is room for both.",
            ),
            Option(
                "Because the softmax separates the parts.",
                False,
                "The softmax sees scores, in which the parts are already added.",
            ),
        ),
        "undo",
        seen=("PE134",),
    ),
    Question(
        "10.q5",
        "Width 512: content 512 and positions 64 wide are concatenated instead of added. What does it cost?",
        (
            Option(
                "Nothing; the columns were free.",
                False,
                "Every matrix that reads the rows grows by 64 rows.",
            ),
            Option(
                "Larger matrices in the first layer, or less room for content at the same width.",
                True,
                "576 inputs instead of 512, an eighth more. The model gains that no column holds both.",
            ),
            Option(
                "The relation between positions is lost.",
                False,
                "The dot product of the position part is what it was.",
            ),
        ),
        "concatenate",
        lambda: 1 if 576 / 512 == 1.125 else 0,
    ),
)

# ------------------------------------------------------------------ 10.1


def _terms(make: Callable[[Array, Array, int, int], object]) -> Callable[..., object]:
    return lambda x, encoding, i, j: make(x, encoding, i, j)


def _four(x: Array, p: Array, i: int, j: int) -> list[float]:
    return list(attention.score_terms(x, p, i, j))


def _rows(rng: np.random.Generator, n: int, d: int) -> Array:
    return rng.uniform(-1, 1, (n, d)).round(3)


SCORE_TERMS = Challenge(
    id="10.1",
    name="score_terms",
    title="The four terms",
    section="four-terms",
    points=3,
    minutes=8,
    difficulty=1,
    asked="a tuple of four numbers",
    reference=attention.score_terms,
    cases=(
        Case((np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([[0.0, 1.0], [0.5, 0.25]]), 0, 1)),
        Case((TOKENS.round(3), STAMPS.round(3), 0, 3)),
        Case((TOKENS.round(3), STAMPS.round(3), 4, 1), about="the later token reads"),
        Case((TOKENS.round(3), STAMPS.round(3), 2, 2), about="a token with itself"),
    ),
    draw=lambda rng: [
        Case((_rows(rng, n, d), _rows(rng, n, d), int(rng.integers(0, n)), int(rng.integers(0, n))))
        for n, d in ((3, 4), (5, 2), (7, 8), (4, 16), (9, 3))
    ],
    misconceptions=(
        Misconception(
            "middle-exchanged",
            _terms(lambda x, p, i, j: [_four(x, p, i, j)[k] for k in (0, 2, 1, 3)]),
            "the two mixed terms have changed places, or i and j have",
            "The first factor belongs to row i. In content·position it is the content of i that meets the position of j.",
        ),
        Misconception(
            "scaled",
            _terms(lambda x, p, i, j: [t / x.shape[1] ** 0.5 for t in _four(x, p, i, j)]),
            "the terms are divided by the root of the width",
            "The parts asked for are unscaled; together they give the plain dot product.",
        ),
        Misconception(
            "sum-only",
            _terms(lambda x, p, i, j: float((x + p)[i] @ (x + p)[j])),
            "the four parts are added up and one number is returned",
            "Multiply the brackets out and keep the products apart.",
        ),
        Misconception(
            "mixed-added",
            _terms(lambda x, p, i, j: [(t := _four(x, p, i, j))[0], t[1] + t[2], t[3]]),
            "the two mixed terms are added up",
            "Content of i with position of j, and position of i with content of j, answer two different questions.",
        ),
        Misconception(
            "mixed-doubled",
            _terms(lambda x, p, i, j: [(t := _four(x, p, i, j))[0], t[1], t[1], t[3]]),
            "one mixed term is used twice, as in (a + b)²",
            "The two factors are different rows, so the mixed products differ.",
        ),
        Misconception(
            "same-row",
            _terms(lambda x, p, i, j: _four(x, p, i, i)),
            "row i meets itself instead of row j",
            "Which of the two row numbers does each factor belong to?",
        ),
        Misconception(
            "seats-are-content",
            _terms(lambda x, p, i, j: _four(x + p, p, i, j)),
            "the encoding is added to the content before the parts are taken",
            "Content alone is `x`. Where is the encoding already inside?",
            ("PE044", "PE045", "PE046"),
        ),
    ),
    hints=(
        "Write (x_i + p_i) · (x_j + p_j) on paper and multiply out: four products.",
        "The order asked for: content·content, content·position, position·content, position·position, the first factor from row i.",
        "`x[i] @ encoding[j]` is the second one.",
    ),
)

# ------------------------------------------------------------------ 10.2


def _scan(
    rows: Callable[[Array, Array, float], Array] = lambda x, p, s: s * x + p,
    rivals: Callable[[int, int, int], list[int]] = lambda n, t, q: [
        r for r in range(n) if r not in (t, q)
    ],
    answer: Callable[[Array, list[int]], object] = lambda grid, found: float(grid[found[0]]),
) -> Callable[..., object]:
    """A wrong 10.2, from how rows are made, which rows are rivals, and what is answered."""

    def wrong(x: Array, encoding: Array, token: int, partner: int, grid: Array) -> object:
        found = []
        for number, scale in enumerate(grid):
            made = rows(x, encoding, scale)
            scores = made @ made[token]
            against = rivals(len(x), token, partner)
            if all(scores[partner] > scores[r] for r in against):
                found.append(number)
        return answer(grid, found) if found else None

    return wrong


def _margins(x: Array, encoding: Array, token: int, partner: int, grid: Array) -> Array:
    """How far the partner's score is from the best rival's, at each scale."""
    rivals = [r for r in range(len(x)) if r not in (token, partner)]
    out = []
    for scale in grid:
        made = scale * x + encoding
        scores = made @ made[token]
        out.append(scores[partner] - scores[rivals].max())
    return np.array(out)


def _draw_scales(rng: np.random.Generator) -> list[Case]:
    """Six calls with an answer inside the grid, and one without; every entry decided by a margin."""
    cases: list[Case] = []
    while len(cases) < 7:
        n, d = int(rng.integers(3, 9)), int(2 * rng.integers(1, 5))
        x, encoding = _rows(rng, n, d), encodings.sinusoidal(n, d).round(4)
        token, partner = (int(v) for v in rng.permutation(n)[:2])
        grid = np.round(np.arange(0, 6, 0.25), 2)
        margins = _margins(x, encoding, token, partner, grid)
        inside = margins[0] < 0 < margins.max()
        wanted = margins.max() < 0 if len(cases) == 6 else inside
        if wanted and np.abs(margins).min() > 1e-3:
            cases.append(
                Case((x, encoding, token, partner, grid), about="" if inside else "no scale wins")
            )
    return cases


# The partner wins at 0.5 and 1.0 and loses from 2.0 on: a search from the wrong end shows.
_ONCE = (
    np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 0.5]]),
    np.array([[0.0, 1.0], [0.5, 1.5], [0.0, 1.0], [-1.0, -1.0]]),
)

SMALLEST_WINNING_SCALE = Challenge(
    id="10.2",
    name="smallest_winning_scale",
    title="When content wins",
    section="scale",
    points=4,
    minutes=14,
    difficulty=3,
    asked="a number of the grid, or None,",
    reference=attention.smallest_winning_scale,
    cases=(
        Case((TOKENS.round(3), STAMPS.round(4), 0, 3, GRID)),
        Case((TOKENS.round(3), STAMPS.round(4), 1, 4, GRID)),
        Case((TOKENS.round(3), STAMPS.round(4), 5, 2, GRID), about="the later token reads"),
        Case(
            (TOKENS.round(3), STAMPS.round(4), 0, 3, np.array([0.25, 0.5, 0.75])),
            about="no scale wins",
        ),
        Case((*_ONCE, 0, 1, np.array([0.5, 1.0, 2.0, 3.0])), about="a win that is lost again"),
        Case(
            (TOKENS.round(3)[:3], STAMPS.round(4)[:3], 0, 1, np.array([0.1, 0.2])),
            about="three rows",
        ),
    ),
    draw=_draw_scales,
    misconceptions=(
        Misconception(
            "itself-a-rival",
            _scan(rivals=lambda n, t, q: [r for r in range(n) if r != q]),
            "the token's score with itself counts as a rival",
            "Every row goes well with itself. Which rows should the partner beat?",
        ),
        Misconception(
            "one-rival",
            _scan(rivals=lambda n, t, q: [next(r for r in range(n) if r not in (t, q))]),
            "the partner is compared with one other row only",
            "“Every other row but itself”: how many are these at six tokens?",
        ),
        Misconception(
            "encoding-scaled",
            _scan(rows=lambda x, p, s: x + s * p),
            "the encoding is scaled instead of the content",
            "At scale 0, which of the two should be gone?",
            ("PE087",),
        ),
        Misconception(
            "sum-scaled",
            _scan(rows=lambda x, p, s: s * (x + p)),
            "content and encoding are scaled together, which changes no order",
            "What is scaled before the encoding is added?",
        ),
        Misconception(
            "divided",
            _scan(rows=lambda x, p, s: x / s + p if s else p),
            "the content is divided by the scale",
            "A larger scale should make the content count for more.",
            ("PE085",),
        ),
        Misconception(
            "last-one",
            _scan(answer=lambda grid, found: float(grid[found[-1]])),
            "the last scale that wins is returned, not the first",
            "Where should the search stop?",
        ),
        Misconception(
            "place-for-scale",
            _scan(answer=lambda grid, found: found[0]),
            "the place in the grid is returned instead of the scale that stands there",
            "At which value does the grid have that place?",
        ),
        Misconception(
            "content-only",
            _scan(rows=lambda x, p, s: s * x),
            "the encoding is left out of the scores",
            "The rows compared are scale · x + encoding.",
            ("PE048",),
        ),
    ),
    hints=(
        "For one scale: make all rows, take the scores of `token` with each of them, and look whether the partner's is above those of all rows that are neither of the two.",
        "Go through the grid from the start and return at the first scale that wins; after the loop, nothing has won.",
        "`rows = scale * x + encoding` and `scores = rows @ rows[token]` give one score for each row.",
    ),
)

# ------------------------------------------------------------------ 10.3


def _sensitivity(
    moved: Callable[..., Array] = lambda x, p, o, travel: (x + p)[o] if travel else x[o] + p,
    gap: Callable[[Array, Array, Array], float] = lambda a, b, o: np.abs(a - b[o]).max(),
    base: Callable[[Array, Array], Array] = lambda x, p: x + p,
) -> Callable[..., float]:
    def wrong(
        layer: Callable, x: Array, encoding: Array, order: Array, seats_travel: bool
    ) -> float:
        return float(
            gap(layer(moved(x, encoding, order, seats_travel)), layer(base(x, encoding)), order)
        )

    return wrong


def _orders(rng: np.random.Generator, n: int) -> Array:
    """A permutation that is not its own inverse."""
    while True:
        order = rng.permutation(n)
        if not np.array_equal(order[order], np.arange(n)):
            return order


def _draw_orders(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n, d in ((5, 4), (6, 3), (4, 8)):
        for name in ("attention", "causal attention", "a row-by-row layer"):
            seed = int(rng.integers(0, 10**6))
            for travel in (True, False):
                cases.append(
                    Case(
                        (
                            Layer(name, seed, d, n),
                            _rows(rng, n, d),
                            _rows(rng, n, d),
                            _orders(rng, n),
                            travel,
                        )
                    )
                )
    return cases


ORDER_SENSITIVITY = Challenge(
    id="10.3",
    name="order_sensitivity",
    title="Does the seat travel?",
    section="seats",
    points=3,
    minutes=10,
    difficulty=2,
    asked="a number",
    reference=attention.order_sensitivity,
    cases=(
        Case(
            (Layer("a row-by-row layer", 1, 4, 6), TOKENS.round(3), STAMPS.round(3), ORDER, False)
        ),
        Case(
            (Layer("attention", 2, 4, 6), TOKENS.round(3), STAMPS.round(3), ORDER, True),
            about="the seats travel",
        ),
        Case(
            (Layer("attention", 2, 4, 6), TOKENS.round(3), STAMPS.round(3), ORDER, False),
            about="the seats stay",
        ),
        Case(
            (Layer("attention", 3, 4, 6), TOKENS.round(3), np.zeros((6, 4)), ORDER, False),
            about="no encoding at all",
        ),
        Case(
            (Layer("causal attention", 4, 4, 6), TOKENS.round(3), STAMPS.round(3), ORDER, True),
            about="a causal layer",
        ),
    ),
    draw=_draw_orders,
    misconceptions=(
        Misconception(
            "flag-reversed",
            _sensitivity(lambda x, p, o, travel: x[o] + p if travel else (x + p)[o]),
            "the two settings of seats_travel are exchanged",
            "If a token takes its seat number along, is the encoding added before or after the shuffle?",
        ),
        Misconception(
            "flag-ignored",
            _sensitivity(lambda x, p, o, travel: x[o] + p),
            "the tokens change seats whatever `seats_travel` says",
            "Where should the flag make a difference?",
        ),
        Misconception(
            "always-travels",
            _sensitivity(lambda x, p, o, travel: (x + p)[o]),
            "the seats always travel",
            "If the seats stay, which encoding does the token that moved to seat 0 get?",
        ),
        Misconception(
            "inverse-order",
            _sensitivity(gap=lambda a, b, o: np.abs(a - b[np.argsort(o)]).max()),
            "the outputs are put back by the inverse permutation",
            "Row n of the shuffled input is row order[n] of the old one. Which row of the old output belongs beside it?",
        ),
        Misconception(
            "not-reordered",
            _sensitivity(gap=lambda a, b, o: np.abs(a - b).max()),
            "the outputs are compared seat by seat, without reordering: that asks for invariance",
            "An equivariant layer's outputs move along with the tokens. Take that move out first.",
            ("PE144", "PE145"),
        ),
        Misconception(
            "mean-for-largest",
            _sensitivity(gap=lambda a, b, o: np.abs(a - b[o]).mean()),
            "the mean difference is returned instead of the largest",
            "One row that differs must not be hidden by many that do not.",
        ),
        Misconception(
            "signs-kept",
            _sensitivity(gap=lambda a, b, o: (a - b[o]).max()),
            "differences below 0 are not counted",
            "How large is a difference of −3?",
        ),
        Misconception(
            "encoding-forgotten",
            _sensitivity(base=lambda x, p: x),
            "the unshuffled side has no encoding",
            "Both sides need it: what is compared is the order, not the presence.",
        ),
    ),
    hints=(
        "Two inputs: the rows as they sit, `x + encoding`, and the moved ones. What the moved ones are depends on the flag.",
        "If the seats travel, shuffle the sums; if they stay, shuffle `x` and add the encoding in its old order.",
        "Compare `layer(moved)` with `layer(x + encoding)[order]` and take the largest absolute difference.",
    ),
)

CHALLENGES = (SCORE_TERMS, SMALLEST_WINNING_SCALE, ORDER_SENSITIVITY)
