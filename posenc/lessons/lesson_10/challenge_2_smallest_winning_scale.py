"""Challenge 10.2, When content wins."""

from __future__ import annotations

import numpy as np

from posenc import attention, encodings
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_10.common import GRID, TABLE, TOKENS, random_rows

Array = np.ndarray


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
    """Six calls with an answer inside the grid, one without; every entry has a margin."""
    cases: list[Case] = []
    while len(cases) < 7:
        n, d = int(rng.integers(3, 9)), int(2 * rng.integers(1, 5))
        x, encoding = random_rows(rng, n, d), encodings.sinusoidal(n, d).round(4)
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
# Scores of token 0 with its partner and the other row: 2s and s + 3.
_LAST = (
    np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 0.0]]),
    np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 0.0]]),
)
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
        Case((TOKENS.round(3), TABLE.round(4), 0, 3, GRID)),
        Case((TOKENS.round(3), TABLE.round(4), 1, 4, GRID)),
        Case((TOKENS.round(3), TABLE.round(4), 0, 1, GRID), about="another partner"),
        Case((TOKENS.round(3), TABLE.round(4), 1, 3, GRID), about="another token"),
        Case((TOKENS.round(3)[::-1].copy(), TABLE.round(4), 0, 3, GRID), about="other tokens"),
        Case((TOKENS.round(3), TABLE.round(4)[::-1].copy(), 0, 3, GRID), about="another table"),
        Case((TOKENS.round(3), TABLE.round(4), 5, 2, GRID), about="a later token is the query"),
        Case(
            (TOKENS.round(3), TABLE.round(4), 0, 3, np.array([0.25, 0.5, 0.75])),
            about="no scale wins",
        ),
        Case((*_ONCE, 0, 1, np.array([0.5, 1.0, 2.0, 3.0])), about="a win that is lost again"),
        Case((*_LAST, 0, 1, np.array([1.0, 4.0])), about="the last scale of the grid wins"),
        Case(
            (TOKENS.round(3)[:3], TABLE.round(4)[:3], 0, 1, np.array([0.1, 0.2])),
            about="three rows",
        ),
    ),
    draw=_draw_scales,
    crossed=False,  # the cases keep clear of ties
    hints=(
        "For one scale: make all rows, take the scores of `token` with each of them, and look "
        "whether the partner's is above those of all rows that are neither of the two.",
        "Go through the grid from the start and return at the first scale that wins; after "
        "the loop, nothing has won.",
        "`rows = scale * x + encoding` and `scores = rows @ rows[token]` give one score for each "
        "row. `np.delete(scores, [token, partner])` are those of the rivals; the partner has to "
        "beat the largest of them.",
    ),
)


@SMALLEST_WINNING_SCALE.choices
def search(
    x,
    encoding,
    token,
    partner,
    grid,
    *,
    rows=lambda x, p, s: s * x + p,
    rivals=lambda n, t, q: [r for r in range(n) if r not in (t, q)],
    answer=lambda grid, found: float(grid[found[0]]),
    keys_scaled=True,
    nothing=None,
):
    """An answer from how rows are made, which rows are rivals, and what is returned."""
    found = []
    for number, scale in enumerate(grid):
        query = rows(x, encoding, scale)[token]
        scores = rows(x, encoding, scale if keys_scaled else 1.0) @ query
        against = rivals(len(x), token, partner)
        if all(scores[partner] > scores[r] for r in against):
            found.append(number)
    return answer(grid, found) if found else nothing


search.mistake(
    "itself-a-rival",
    "the token's score with itself counts as a rival",
    "Every row goes well with itself. Which rows should the partner beat?",
    rivals=lambda n, t, q: [r for r in range(n) if r != q],
)
search.mistake(
    "one-rival",
    "the partner is compared with one other row only",
    "“Every other row but itself”: how many rows is that with six tokens?",
    rivals=lambda n, t, q: [next(r for r in range(n) if r not in (t, q))],
)
search.mistake(
    "encoding-scaled",
    "the encoding is scaled instead of the content",
    "At scale 0, which of the two should be gone?",
    seen=("PE087",),
    rows=lambda x, p, s: x + s * p,
)
search.mistake(
    "sum-scaled",
    "content and encoding are scaled together, which changes no order",
    "What is scaled before the encoding is added?",
    rows=lambda x, p, s: s * (x + p),
)
search.mistake(
    "keys-unscaled",
    "the content of the query is scaled and that of the keys is not",
    "All rows are made with the same scale. Which of them did you multiply?",
    keys_scaled=False,
)
search.mistake(
    "nothing-is-zero",
    "0 is returned where no scale wins",
    "0 is a scale of the grid. What does Python return for nothing at all?",
    nothing=0.0,
)
search.mistake(
    "divided",
    "the content is divided by the scale",
    "A larger scale should make the content count for more.",
    seen=("PE085",),
    rows=lambda x, p, s: x / s + p if s else p,
)
search.mistake(
    "last-one",
    "the last scale that wins is returned, not the first",
    "Where should the search stop?",
    answer=lambda grid, found: float(grid[found[-1]]),
)
search.mistake(
    "place-for-scale",
    "the place in the grid is returned instead of the scale at that place",
    "At which value does the grid have that place?",
    answer=lambda grid, found: found[0],
)
search.mistake(
    "content-only",
    "the encoding is left out of the scores",
    "The rows compared are scale · x + encoding.",
    seen=("PE048",),
    rows=lambda x, p, s: s * x,
)


def _wins(x, encoding, token, partner, scale):
    rows = scale * x + encoding
    scores = rows @ rows[token]
    rivals = np.delete(scores, [token, partner])
    return bool((scores[partner] > rivals).all())


@SMALLEST_WINNING_SCALE.has
def a_scale_of_the_grid(scale, x, encoding, token, partner, grid):
    if np.abs(np.asarray(grid) - scale).min() < 1e-9:
        return ""
    return f"yours, {scale:.6g}, is not a scale of the grid."


@SMALLEST_WINNING_SCALE.has
def wins_at_your_scale(scale, x, encoding, token, partner, grid):
    if _wins(x, encoding, token, partner, scale):
        return ""
    return f"at your scale, {scale:.6g}, the partner's score is not above those of all rivals."


@SMALLEST_WINNING_SCALE.has
def nothing_smaller_wins(scale, x, encoding, token, partner, grid):
    if not any(_wins(x, encoding, token, partner, s) for s in grid if s < scale - 1e-9):
        return ""
    return f"the partner wins at your scale, {scale:.6g}, and at a smaller one of the grid too."
