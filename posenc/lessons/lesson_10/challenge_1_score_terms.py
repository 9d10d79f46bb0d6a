"""Challenge 10.1, The four terms."""

from __future__ import annotations

import numpy as np

from posenc import attention
from posenc.judging.model import Case, Challenge
from posenc.lessons.lesson_10.common import TABLE, TOKENS, random_rows

Array = np.ndarray

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
        Case((TOKENS.round(3), TABLE.round(3), 0, 3)),
        Case((TOKENS.round(3), TABLE.round(3), 4, 1), about="a later token is the query"),
        Case((TOKENS.round(3), TABLE.round(3), 2, 2), about="a token with itself"),
    ),
    draw=lambda rng: [
        Case(
            (
                random_rows(rng, n, d),
                random_rows(rng, n, d),
                int(rng.integers(0, n)),
                int(rng.integers(0, n)),
            )
        )
        for n, d in ((3, 4), (5, 2), (7, 8), (4, 16), (9, 3))
    ],
    hints=(
        "Write (x_i + p_i) · (x_j + p_j) on paper and multiply out: four products.",
        "The order asked for: content·content, content·position, position·content, "
        "position·position, the first factor from row i.",
        "`x[i] @ encoding[j]` is the second one.",
    ),
)


def _four(x: Array, p: Array, i: int, j: int) -> list[float]:
    return list(attention.score_terms(x, p, i, j))


@SCORE_TERMS.choices
def terms(x, encoding, i, j, *, make=_four):
    """The four terms, made in some way."""
    return make(x, encoding, i, j)


terms.mistake(
    "middle-exchanged",
    "the two mixed terms have changed places, or i and j have",
    "The first factor belongs to row i. In content·position it is the content "
    "of i that meets the position of j.",
    make=lambda x, p, i, j: [_four(x, p, i, j)[k] for k in (0, 2, 1, 3)],
)
terms.mistake(
    "scaled",
    "the terms are divided by the root of the width",
    "The parts asked for are unscaled; together they give the plain dot product.",
    make=lambda x, p, i, j: [t / x.shape[1] ** 0.5 for t in _four(x, p, i, j)],
)
terms.mistake(
    "sum-only",
    "the four parts are added up and one number is returned",
    "Multiply the brackets out and keep the products apart.",
    make=lambda x, p, i, j: float((x + p)[i] @ (x + p)[j]),
)
terms.mistake(
    "mixed-added",
    "the two mixed terms are added up",
    "Content of i with position of j is one number, position of i with content of j another.",
    make=lambda x, p, i, j: [(t := _four(x, p, i, j))[0], t[1] + t[2], t[3]],
)
terms.mistake(
    "mixed-doubled",
    "one mixed term is used twice, as in (a + b)²",
    "The two factors are different rows, so the mixed products differ.",
    make=lambda x, p, i, j: [(t := _four(x, p, i, j))[0], t[1], t[1], t[3]],
)
terms.mistake(
    "same-row",
    "row i meets itself instead of row j",
    "Which of the two row numbers does each factor belong to?",
    make=lambda x, p, i, j: _four(x, p, i, i),
)
terms.mistake(
    "own-positions",
    "in the mixed terms each content meets the position of its own row",
    "Multiply out (x_i + p_i) · (x_j + p_j). Does x_i · p_i occur in it?",
    make=lambda x, p, i, j: [x[i] @ x[j], x[i] @ p[i], p[j] @ x[j], p[i] @ p[j]],
)
terms.mistake(
    "positions-in-content",
    "the encoding is added to the content before the parts are taken",
    "Content alone is `x`. Where is the encoding already inside?",
    seen=("PE044", "PE045", "PE046"),
    make=lambda x, p, i, j: _four(x + p, p, i, j),
)


@SCORE_TERMS.has
def terms_add_up_to_the_score(terms, x, encoding, i, j):
    total, score = float(sum(terms)), float((x[i] + encoding[i]) @ (x[j] + encoding[j]))
    if abs(total - score) < 1e-3 * max(1.0, abs(score)):
        return ""
    return f"the four terms add up to the score, {score:.6g}; yours add up to {total:.6g}."
