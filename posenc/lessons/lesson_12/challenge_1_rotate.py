"""Challenge 12.1, Turn the queries and keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from posenc import encodings
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault
from posenc.lessons import familiar
from posenc.lessons.lesson_12.common import (
    ABSOLUTE,
    RELATIVE,
    layout_turn,
    near,
    pair_columns,
)

Array = np.ndarray

Rule = Callable[..., Array]


def _same(value: Any, wanted: Array) -> bool:
    """Whether a value of any kind is this array, within the tolerance."""
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    if value.shape != wanted.shape:
        return False
    # Infinite positions, which half precision makes of large ones, have no angle.
    return bool((near(value, wanted) | (np.isnan(value) & np.isnan(wanted))).all())


def _arguments(
    x: Array, positions: Array, base: float = 10000.0, rotary_width: int | None = None
) -> tuple[Array, Array, float, int]:
    x = np.asarray(x, dtype=float)
    return (
        x,
        np.asarray(positions),
        float(base),
        x.shape[-1] if rotary_width is None else int(rotary_width),
    )


def _pairings_met(call: Call, value: Any) -> set[str]:
    return {
        pairing
        for pairing in encodings.PAIRINGS
        if _same(value, encodings.rotate(*_arguments(*call.args, **call.kwargs), pairing))
    }


def _halves(x: Array, positions: Array, base: float = 10000.0, rotary_width: int | None = None):
    """The rotation of features i and i + rotary_width/2, which passes as well."""
    return encodings.rotate(x, positions, base, rotary_width, "halves")


def _compare_rotation(call: Call, expected: Array, got: Array) -> Fault | None:
    if _pairings_met(call, got):
        return None
    given = _arguments(*call.args, **call.kwargs)
    wrong = [
        int((~near(got, encodings.rotate(*given, pairing))).sum()) for pairing in encodings.PAIRINGS
    ]
    cut = "" if given[3] == given[0].shape[-1] else f", of which {given[3]} features turn"
    return Fault(
        "value",
        f"`rotate(x, positions)` for x of shape {given[0].shape}{cut}: {wrong[0]} of "
        f"{got.size} entries differ from the rotation of neighbours, and {wrong[1]} from that "
        "of halves.",
    )


def _which_pairing(calls: Sequence[Call], answers: Sequence[Any]) -> str | Fault:
    met = set(encodings.PAIRINGS).intersection(
        *(_pairings_met(c, v) for c, v in zip(calls, answers))
    )
    if not met:
        return Fault(
            "property",
            "Each call is right for one pairing, but some pair neighbours and others halves. "
            "One model needs one pairing.",
        )
    if met == {"neighbours"}:
        return "The pairs are neighbours, features 2i and 2i + 1, as in the paper and in GPT-J."
    return (
        "The pairs are halves, features i and i + rotary_width/2, as in GPT-NeoX "
        "and in Hugging Face's LLaMA."
    )


def _case_rotate(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    positions: Sequence[int],
    about: str = "",
    **kwargs: Any,
) -> Case:
    return Case((rng.uniform(-1, 1, shape).round(3), np.array(positions)), kwargs, about=about)


def _fixed_rotations() -> tuple[Case, ...]:
    rng = np.random.default_rng(12)
    return (
        Case((np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([1]))),
        _case_rotate(rng, (3, 2), [0, 1, 2], "one pair"),
        _case_rotate(rng, (5, 8), range(5)),
        _case_rotate(rng, (1, 8), [37], "one token after a cache"),
        _case_rotate(rng, (4, 6), [90, 17, 17, 3], "positions in any order", base=500.0),
        _case_rotate(rng, (2, 5, 8), range(7, 12), "two heads"),
        _case_rotate(rng, (2, 3, 4, 6), range(4), "a batch with heads"),
        _case_rotate(rng, (4, 12), range(11, 15), "only some features turn", rotary_width=8),
        _case_rotate(rng, (6, 4), range(2046, 2052), "positions past 2048", rotary_width=2),
        _case_rotate(rng, (4, 8), [255, 256, 257, 259], "positions past 256"),
        _case_rotate(rng, (300, 4), range(300), "a larger one"),
        _case_rotate(rng, (3, 4), [65535, 65536, 70001], "positions past 65536", rotary_width=2),
    )


def _draw_rotations(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(6):
        length, heads, width = (
            int(rng.integers(5, 8)),
            int(rng.integers(2, 5)),
            int(2 * rng.integers(4, 8)),
        )
        shape = (length, width) if n % 3 == 0 else (heads, length, width)
        start = int(rng.integers(3, 120))
        kwargs: dict[str, Any] = {}
        if n % 2:
            kwargs["base"] = float(np.round(rng.uniform(50, 400_000), 1))
        if n > 3:
            kwargs["rotary_width"] = int(2 * rng.integers(2, width // 2))
        cases.append(_case_rotate(rng, shape, range(start, start + length), "", **kwargs))
    return cases


def _alike(does: Callable[..., Array], call: Call, value: Any) -> bool:
    """Whether a value is that of `does` with one of the two pairings."""
    return any(
        _same(value, does(*call.args, **call.kwargs, pairing=pairing))
        for pairing in encodings.PAIRINGS
    )


def either_pairing(rule: Rule) -> Rule:
    """The answer to a call from rule(x, positions, base, turning, pairing, **choices)."""

    @wraps(rule)
    def does(x, positions, base=10000.0, rotary_width=None, *, pairing="neighbours", **choices):
        return rule(*_arguments(x, positions, base, rotary_width), pairing, **choices)

    return does


ROTATE = Challenge(
    id="12.1",
    name="rotate",
    title="Turn the queries and keys",
    section="rotary",
    points=4,
    minutes=18,
    difficulty=3,
    asked="an array of the shape of x",
    reference=encodings.rotate,
    cases=_fixed_rotations(),
    draw=_draw_rotations,
    compare=_compare_rotation,
    also_right=(_halves,),
    alike=_alike,
    met=_which_pairing,
    hints=(
        "First the angles alone: shape (length, pairs), position times base^(−2i/rotary_width).",
        "Take the pairs apart: `a = x[..., 0:turning:2]` and `b = x[..., 1:turning:2]` for "
        "neighbours, or the two halves. "
        "Both pairings pass.",
        "Copy x, write a·cos − b·sin in the place of a and a·sin + b·cos in that of b, and leave "
        "the rest alone.",
    ),
    absolute=ABSOLUTE,
    relative=RELATIVE,
)


@ROTATE.mistake(
    "x is returned as it was",
    "Which row has a position other than 0, and what should happen to it?",
)
@either_pairing
def unchanged(x, positions, base, turning, pairing):
    return x.copy()


def _turned(x: Array, cosine: Array, sine: Array, pairing: str, back: str = "") -> Array:
    """x with its pairs turned; cosine and sine are (…, pairs). back: the pairing they return in."""
    turning = 2 * cosine.shape[-1]
    first, second = pair_columns(turning, pairing)
    one, two = pair_columns(turning, back or pairing)
    result = x.copy()
    result[..., one] = x[..., first] * cosine - x[..., second] * sine
    result[..., two] = x[..., first] * sine + x[..., second] * cosine
    return result


def _ladder(positions: Array, base: float, turning: int) -> Array:
    return positions[:, None] * encodings.frequencies(turning, base)


def _angles(positions: Array, base: float, turning: int, width: int) -> Array:
    return _ladder(positions, base, turning)


@ROTATE.choices
@either_pairing
def by_angles(x, positions, base, turning, pairing, *, angles=_angles, sense=1):
    """Pairs turned by angles from a rule, (length, pairs), in one of two senses."""
    turned = angles(positions, base, turning, x.shape[-1])
    return _turned(x, np.cos(turned), sense * np.sin(turned), pairing)


by_angles.mistake(
    "one-angle",
    "all pairs turn by the same angle, that of the first",
    "The first pair has exponent 0. What is the exponent of pair i?",
    angles=lambda p, base, turning, width: np.repeat(p[:, None] * 1.0, turning // 2, axis=1),
)
by_angles.mistake(
    "single-i",
    familiar.SINGLE_I,
    "From the first pair to the last, does the exponent go nearly to 1 or only to one half?",
    angles=lambda p, base, turning, width: (
        p[:, None] * base ** (-np.arange(turning // 2) / turning)
    ),
)


by_angles.mistake(
    "base-ignored",
    familiar.BASE_IGNORED[0],
    "The argument `base` does not reach the angles. A model whose base is lost on the way "
    "fails on long texts only.",
    seen=("PE110",),
    angles=lambda p, base, turning, width: _ladder(p, 10000.0, turning),
)
by_angles.mistake(
    "opposite-sense",
    "the pairs turn the other way round, which is a convention of some code; "
    "this challenge fixes the sense",
    "The scores are the same if queries and keys both turn that way. Which of "
    "the two sines carries the minus here?",
    seen=("PE100",),
    angles=lambda p, base, turning, width: _ladder(p, base, turning),
    sense=-1,
)


@ROTATE.mistake(
    "both sines are added, so that pairs are mirrored and stretched instead of turned",
    "After a turn, a pair is as long as it was before. Is yours?",
)
@either_pairing
def no_minus(x, positions, base, turning, pairing):
    angles = _ladder(positions, base, turning)
    first, second = pair_columns(turning, pairing)
    result = encodings.rotate(x, positions, base, turning, pairing)
    result[..., first] = x[..., first] * np.cos(angles) + x[..., second] * np.sin(angles)
    return result


@ROTATE.mistake(
    "the angle counts heads or rows of the batch instead of tokens",
    "x has shape (…, length, width). Which axis must the positions lie along?",
    seen=("PE102", "PE104"),
)
@either_pairing
def head_for_position(x, positions, base, turning, pairing):
    if x.ndim < 3:
        return encodings.rotate(x, positions, base, turning, pairing)
    angles = _ladder(np.arange(x.shape[-3]), base, turning)[:, None]
    return _turned(x, np.cos(angles), np.sin(angles), pairing)


def _other(pairing: str) -> str:
    return "halves" if pairing == "neighbours" else "neighbours"


@ROTATE.mistake(
    "the angles are laid out for one pairing and the features are turned in the other",
    "Take four features, and write under each one its partner and its angle. Do "
    "partners share an angle?",
    seen=("PE097", "PE106"),
)
@either_pairing
def mixed_layout(x, positions, base, turning, pairing):
    result = x.copy()
    result[..., :turning] = layout_turn(x[..., :turning], positions, pairing, _other(pairing), base)
    return result


@ROTATE.mistake(
    "the pairs are turned correctly and put back in another order",
    "Feature 3 went in at place 3. Where does its new value come out?",
)
@either_pairing
def changed_layout(x, positions, base, turning, pairing):
    angles = _ladder(positions, base, turning)
    return _turned(x, np.cos(angles), np.sin(angles), pairing, _other(pairing))


by_angles.mistake(
    "offset-0",
    "tokens are numbered from 0 at each call, whatever positions are given",
    "With a cache, one new token comes at a time, and it is not the first of the text.",
    seen=("PE073", "PE076"),
    angles=lambda p, base, turning, width: _ladder(np.arange(len(p)), base, turning),
)
by_angles.mistake(
    "positions-from-1",
    "every position is taken one too large",
    "What does a token at position 0 look like after its turn?",
    angles=lambda p, base, turning, width: _ladder(p + 1, base, turning),
)
by_angles.mistake(
    "positions-in-half",
    "the positions were stored in half precision, which holds whole numbers only up to 2048",
    "Print `np.arange(2046, 2052).astype(np.float16)`.",
    seen=("PE091", "PE094"),
    angles=lambda p, base, turning, width: _ladder(
        p.astype(np.float16).astype(float), base, turning
    ),
)


def _in_half(positions: Array, base: float, turning: int, width: int) -> Array:
    small = positions.astype(np.float16)[:, None] * encodings.frequencies(turning, base).astype(
        np.float16
    )
    return small.astype(float)


by_angles.mistake(
    "angles-in-half",
    "the angles were computed in half precision",
    "An angle of 100 radians keeps one or two digits after the point there. "
    "Cast the finished cosines, not the angles.",
    seen=("PE090",),
    angles=_in_half,
)


@ROTATE.mistake(
    "all features turn, also those past `rotary_width`",
    "Which features must come back as they were?",
    seen=("PE107",),
)
@either_pairing
def rotary_width_ignored(x, positions, base, turning, pairing):
    return encodings.rotate(x, positions, base, x.shape[-1], pairing)


by_angles.mistake(
    "ladder-of-the-width",
    "the ladder is made for all features and then cut, so that the exponents "
    "are divided by the width of x",
    "Which width does the exponent −2i/rotary_width name?",
    seen=("PE107",),
    angles=lambda p, base, turning, width: _ladder(p, base, width)[:, : turning // 2],
)
by_angles.mistake(
    "degrees",
    "the angles are taken for degrees and converted to radians once more",
    "By how many radians does the first pair of position 1 turn?",
    angles=lambda p, base, turning, width: np.radians(_ladder(p, base, turning)),
)
by_angles.mistake(
    "doubled-exponent",
    "the exponent is doubled: 2i is taken of a number that already counts features",
    "For eight features, what are the exponents of the four pairs?",
    angles=lambda p, base, turning, width: (
        p[:, None] * base ** (-2 * np.arange(0, turning, 2) / turning)
    ),
)
by_angles.mistake(
    "positions-in-bfloat16",
    "the positions were stored in bfloat16, in which 256 and 257 are one number",
    "Which positions past 256 can eight binary digits tell apart?",
    angles=lambda p, base, turning, width: _ladder(_in_bfloat16(p), base, turning),
)


def _in_bfloat16(positions: Array) -> Array:
    """Positions rounded to eight binary digits, half-way cases to the even neighbour."""
    spacing = 2.0 ** np.maximum(0, np.floor(np.log2(np.maximum(positions, 1))) - 7)
    return np.round(positions / spacing) * spacing


@ROTATE.mistake(
    "the first member of each pair is overwritten before the second is computed",
    "When `b` is computed, does `a` still hold what x held?",
)
@either_pairing
def overwritten(x, positions, base, turning, pairing):
    angles = _ladder(positions, base, turning)
    first, second = pair_columns(turning, pairing)
    result = encodings.rotate(x, positions, base, turning, pairing)
    result[..., second] = result[..., first] * np.sin(angles) + x[..., second] * np.cos(angles)
    return result


@ROTATE.mistake(
    "the last `rotary_width` features turn instead of the first",
    "At which feature does the part that turns begin?",
)
@either_pairing
def last_features(x, positions, base, turning, pairing):
    kept = x.shape[-1] - turning
    turned = encodings.rotate(x[..., kept:], positions, base, turning, pairing)
    return np.concatenate([x[..., :kept], turned], axis=-1)


@ROTATE.mistake(
    "sines and cosines are added to x, as sinusoidal encoding does",
    "Rotary adds nothing. What does it do to the two members of a pair?",
)
@either_pairing
def added(x, positions, base, turning, pairing):
    angles = _ladder(positions, base, turning)
    first, second = pair_columns(turning, pairing)
    result = x.copy()
    result[..., first] += np.sin(angles)
    result[..., second] += np.cos(angles)
    return result


@ROTATE.mistake(
    "features i and i + width/2 of the whole vector are paired, on the ladder of the whole "
    "vector: a real convention (Gemma 4's `proportional`), and not the one asked for here",
    "Which features may change when `rotary_width` is smaller than the width of x?",
    seen=("https://github.com/NVIDIA-NeMo/Megatron-Bridge/issues/4195",),
)
@either_pairing
def proportional(x, positions, base, turning, pairing):
    angles = _ladder(positions, base, x.shape[-1])
    angles[:, turning // 2 :] = 0
    return _turned(x, np.cos(angles), np.sin(angles), "halves")


@ROTATE.mistake(
    "`rotary_width` is applied twice, so that a fraction of the fraction turns",
    "How many features changed, and how many should?",
    seen=("https://github.com/vllm-project/vllm/pull/30384",),
)
@either_pairing
def factor_applied_twice(x, positions, base, turning, pairing):
    again = 2 * max(1, round(turning * turning / x.shape[-1] / 2))
    return encodings.rotate(x, positions, base, min(again, turning), pairing)


@ROTATE.mistake(
    "the result is multiplied by YaRN's attention factor, which belongs to a scaled ladder",
    "How long is a row before the turn, and after it?",
    seen=("https://github.com/turboderp-org/exllamav3/issues/259",),
    fits=lambda call, value: _is_multiple_of_a_turn(call, value),
)
@either_pairing
def attention_factor_on(x, positions, base, turning, pairing):
    return encodings.rotate(x, positions, base, turning, pairing) * encodings.attention_factor(4, 1)


def _is_multiple_of_a_turn(call: Call, value: Any) -> bool:
    """Whether a value is 1.05 to 2 times a right one, in either pairing."""
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    given = _arguments(*call.args, **call.kwargs)
    for pairing in encodings.PAIRINGS:
        right = encodings.rotate(*given, pairing)
        if value.shape != right.shape:
            return False
        factor = float((value * right).sum() / (right * right).sum())
        if 1.05 < factor < 2 and near(value, factor * right).all():
            return True
    return False


@ROTATE.has
def features_beyond_stay(got, x, positions, base=10000.0, rotary_width=None):
    turning = x.shape[-1] if rotary_width is None else rotary_width
    off = ~near(got[..., turning:], x[..., turning:])
    if not off.any():
        return ""
    return f"features from {turning} on come back as they were; {int(off.sum())} of yours changed."


@ROTATE.has
def position_0_does_not_turn(got, x, positions, base=10000.0, rotary_width=None):
    at_0 = np.broadcast_to(np.asarray(positions) == 0, x.shape[:-1])
    if near(got[at_0], x[at_0]).all():
        return ""
    return "at position 0 the angle is 0 and nothing turns; your row at position 0 changed."


@ROTATE.has
def lengths_stay(got, x, positions, base=10000.0, rotary_width=None):
    long, was = np.linalg.norm(got, axis=-1).ravel(), np.linalg.norm(x, axis=-1).ravel()
    row = int(np.argmax(np.abs(long - was)))
    if abs(long[row] - was[row]) < 1e-3 * was[row]:
        return ""
    return (
        "a turn leaves the length of every row as it was; the length of one of yours is "
        f"{long[row] / was[row]:.5g} times what it was."
    )
