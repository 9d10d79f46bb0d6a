"""Lesson 12, extrapolation and beyond: what it claims, what it asks, what it sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from posenc import encodings, geometry, training
from posenc.attention import softmax
from posenc.judging.calls import Call
from posenc.judging.model import Case, Challenge, Fault, Misconception
from posenc.lessons.model import Claim, Option, Question, Setting

Array = np.ndarray
Rule = Callable[..., Array]

# ------------------------------------------------------------------ claims

WIDTH = Setting("width", 2, 512, 2, 64, "width")


def _norm_far(position: float = 4000, width: float = 64) -> float:
    return float(geometry.norms(encodings.sinusoidal_at(int(position), int(width))))


def _norm_holds(measured: float, position: float = 4000, width: float = 64) -> tuple[bool, str]:
    same = abs(measured - np.sqrt(int(width) / 2)) < 1e-9
    return same, (
        f"The row of position {int(position)} is as long as that of position 0. Nothing in the formula ends. "
        "That says nothing about a model that was trained on its first rows."
    )


def _dot_far(position: float = 4000, distance: float = 1, width: float = 64) -> float:
    one, other = encodings.sinusoidal_at(
        np.array([int(position), int(position + distance)]), int(width)
    )
    return float(one @ other)


def _dot_holds(
    measured: float, position: float = 4000, distance: float = 1, width: float = 64
) -> tuple[bool, str]:
    near = _dot_far(0, distance, width)
    return abs(measured - near) < 1e-6, (
        f"Positions 0 and {int(distance)} have the same product, {near:.3f}: between the rows, only their distance counts."
    )


def _unclosed(width: float = 512, length: float = 1024, base: float = 10000.0) -> int:
    return int(width) // 2 - geometry.pairs_that_turn(int(width), int(length), base)


def _unclosed_holds(
    measured: int, width: float = 512, length: float = 1024, base: float = 10000.0
) -> tuple[bool, str]:
    if measured:
        return (
            True,
            f"Past position {int(length)}, these {measured} hands point where training never saw them.",
        )
    return (
        False,
        "Every hand has been all the way round, so no single hand is new later. Their combinations still are.",
    )


def _score_at(shift: int, digits: int, pairing: str = "neighbours") -> float:
    """The rotary score of a query at 7 + shift with a key at 4 + shift, width 8.

    The positions are rounded to this many binary digits first, as a small floating-point type would.
    """
    random = np.random.default_rng(7)
    query, key = random.uniform(-1, 1, (2, 1, 8)).round(3)
    places = [_kept(position + shift, digits) for position in (7, 4)]
    turned = [encodings.rotate(x, [p], pairing=pairing)[0] for x, p in zip((query, key), places)]
    return float(turned[0] @ turned[1])


def _kept(position: int, digits: int) -> float:
    """A whole number rounded to so many binary digits, half-way cases to the even neighbour."""
    spacing = 2.0 ** max(0, int(position).bit_length() - digits)
    return float(np.round(position / spacing) * spacing)


def _shift_moves(shift: float = 1000, digits: float = 24) -> float:
    return abs(_score_at(int(shift), int(digits)) - _score_at(0, 24))


def _shift_holds(measured: float, shift: float = 1000, digits: float = 24) -> tuple[bool, str]:
    if measured < 1e-9:
        return True, "Both vectors turn by the same angle more, and the angle between them stays."
    kept = [_kept(position + int(shift), int(digits)) for position in (7, 4)]
    return False, (
        f"With {int(digits)} binary digits the positions {int(shift) + 7} and {int(shift) + 4} are kept as {kept[0]:g} and "
        f"{kept[1]:g}. The formula is as before; the numbers it is given are not."
    )


@cache
def _alibi_verdict(halvings: int) -> str:
    settings = training.Settings(alibi_slope=2.0**-halvings)
    trained = training.train("alibi", "latest_mark", 0, settings)
    return training.verdict(training.accuracy_by_position(trained), "latest_mark", settings)


def _slope_verdict(halvings: float = 1) -> str:
    return _alibi_verdict(int(halvings))


def _slope_holds(measured: str, halvings: float = 1) -> tuple[bool, str]:
    kept = 100 * np.exp(-(2.0**-halvings))
    return measured == "holds", (
        f"With slope 1/{2 ** int(halvings)}, a token one place further back keeps {kept:.0f} % of its weight. "
        "The flatter the slope, the more the older marks together outvote the latest."
    )


def _neighbours_apart(length: float = 4096, trained_length: float = 2048) -> float:
    positions = encodings.interpolated_positions(int(length), int(trained_length))
    return float(positions[1] - positions[0])


def _squeezed_holds(
    measured: float, length: float = 4096, trained_length: float = 2048
) -> tuple[bool, str]:
    if measured < 1:
        return (
            True,
            f"Neighbours are {measured:.3g} positions apart. In training they were 1 apart, always.",
        )
    return (
        False,
        "The text fits into the trained range, so nothing is squeezed and neighbours are 1 apart, as in training.",
    )


CLAIMS = (
    Claim(
        "norm-at-4000",
        "Row 4000 is defined, and as long as any other: its norm at width 64",
        5.6569,
        5e-5,
        _norm_far,
        (Setting("position", 0, 100_000, 1, 4000, "position"), WIDTH),
        _norm_holds,
        "defined",
    ),
    Claim(
        "dot-at-4000",
        "Rows 4000 and 4001 have the dot product of rows 0 and 1",
        30.917,
        5e-4,
        _dot_far,
        (
            Setting("position", 0, 100_000, 1, 4000, "position"),
            Setting("distance", 0, 500, 1, 1, "distance"),
            WIDTH,
        ),
        _dot_holds,
        "defined",
    ),
    Claim(
        "unclosed-circles",
        "Of 256 pairs, those that never close their circle in 1,024 training positions",
        114,
        0,
        _unclosed,
        (
            Setting("width", 2, 1024, 2, 512, "width"),
            Setting("length", 1, 100_000, 1, 1024, "training length"),
            Setting("base", 2.0, 1_000_000.0, 1.0, 10000.0, "base"),
        ),
        _unclosed_holds,
        "defined",
    ),
    Claim(
        "rotary-distance-only",
        "A rotary score does not change when query and key move together: the difference",
        0.0,
        1e-9,
        _shift_moves,
        (
            Setting("shift", 0, 60_000, 1, 1000, "shift"),
            Setting("digits", 8, 24, 1, 24, "binary digits of a position"),
        ),
        _shift_holds,
        "rotary",
    ),
    Claim(
        "steep-alibi",
        "With a steep slope, ALiBi learns the latest mark and keeps it beyond the trained length",
        "holds",
        0,
        _slope_verdict,
        (Setting("halvings", 0, 8, 1, 1, "slope, 1/2 this many times"),),
        _slope_holds,
        "second-task",
    ),
    Claim(
        "squeezed-step",
        "Positions 0 to 4,095 squeezed into 2,048: neighbours come closer than in any training row",
        0.5,
        1e-12,
        _neighbours_apart,
        (
            Setting("length", 1, 32_768, 1, 4096, "length"),
            Setting("trained_length", 1, 8192, 1, 2048, "trained length"),
        ),
        _squeezed_holds,
        "repairs",
    ),
)

# ------------------------------------------------------------------ questions


def _never_round() -> int:
    return [0, 142, 114, 256].index(_unclosed())


def _layouts() -> int:
    """Which pairs of rotation and angle layout keep the score when query and key move together."""

    def moved(rotation: str, layout: str) -> float:
        random = np.random.default_rng(0)
        query, key = random.uniform(-1, 1, (2, 1, 8))
        scores = [
            float(
                (
                    _layout_turn(query, [p + 3], rotation, layout)
                    @ _layout_turn(key, [p], rotation, layout).T
                )[0, 0]
            )
            for p in (4, 14)
        ]
        return abs(scores[0] - scores[1])

    fits = {(r, a): moved(r, a) < 1e-9 for r in encodings.PAIRINGS for a in encodings.PAIRINGS}
    return 2 if all(ok == (r == a) for (r, a), ok in fits.items()) else 0


def _positive_bias() -> int:
    """Whether slope·key gives the shares of −slope·distance, with a causal mask and without."""
    scores, places = np.random.default_rng(0).uniform(-1, 1, (4, 4)), np.arange(4)
    paper, row = -np.abs(places[:, None] - places) * 0.5, np.broadcast_to(0.5 * places, (4, 4))
    hidden = np.where(places > places[:, None], -1e9, 0.0)
    causal = np.allclose(softmax(scores + paper + hidden), softmax(scores + row + hidden))
    encoder = np.allclose(softmax(scores + paper), softmax(scores + row))
    return 1 if causal and not encoder else 0


def _squeezed_angle() -> int:
    angle = _neighbours_apart() * encodings.frequencies(64)[0]
    return int(np.argmin(np.abs(np.array([0.5, 1.0, 2.0, 0.0]) - angle)))


QUESTIONS = (
    Question(
        "12.q1",
        "A model of width 512 is trained on 1,024 positions. How many of its 256 pairs does it never see go all the way round?",
        (
            Option(
                "None: sine and cosine are defined everywhere.",
                False,
                "They are, and the model was fitted to the values that came up. A slow hand's later angles did not.",
            ),
            Option(
                "142.",
                False,
                "That many do come round, the fast ones. The question is about the rest.",
            ),
            Option(
                "114.",
                True,
                "Those with a wavelength above 1,024. Later positions turn them to angles that no training row had.",
            ),
            Option(
                "All of them: each position is seen once.",
                False,
                "The fast pairs come round many times within 1,024 positions.",
            ),
        ),
        "defined",
        _never_round,
        seen=("PE138",),
    ),
    Question(
        "12.q2",
        "For four features one program lays its cosines out as [c1, c1, c2, c2], another as [c1, c2, c1, c2]. Which one is wrong?",
        (
            Option(
                "The second: the formula in the paper has neighbours.",
                False,
                "Its features 0 and 2 form a pair, and 1 and 3. With that pairing each pair has one angle, as it must.",
            ),
            Option(
                "The first: most current models use halves.",
                False,
                "Many do. Neighbours with the first layout turn rightly as well.",
            ),
            Option(
                "Neither, as long as each goes with its own pairing of the features.",
                True,
                "Neighbours need [c1, c1, c2, c2], halves [c1, c2, c1, c2]. The fault is to mix the two.",
            ),
            Option(
                "Neither, and weights trained with one can be used with the other.",
                False,
                "The trained query and key rows belong to one order. A converter has to reorder them.",
            ),
        ),
        "pairings",
        _layouts,
        seen=("PE096", "PE098", "PE099", "PE106"),
    ),
    Question(
        "12.q3",
        "A causal model adds 0, 0.5, 1, 1.5 to the scores of keys 0 to 3, the same for each query. ALiBi is a penalty; are positive numbers wrong?",
        (
            Option(
                "Yes: the numbers must be negative.",
                False,
                "Subtract 0.5 times the query's own position from its row: the numbers become 0 and below, and softmax does not notice.",
            ),
            Option(
                "No: under the causal mask, the shares are those of the penalty.",
                True,
                "Each row differs from −0.5 · distance by a constant, which softmax ignores. Without a mask, later keys would be rewarded.",
            ),
            Option(
                "No, and it may be used in an encoder too.",
                False,
                "There each query also reads later keys, and this bias rewards the latest of them. An encoder needs −slope · |i − j|.",
            ),
        ),
        "alibi",
        _positive_bias,
        seen=("PE117", "PE120"),
    ),
    Question(
        "12.q4",
        "What does the experiment of this lesson show?",
        (
            Option(
                "That rotary is the best scheme.",
                False,
                "On the second task ALiBi is ahead, and both tasks are tiny. A ranking needs many tasks and real models.",
            ),
            Option(
                "That sinusoids cannot work past the trained length.",
                False,
                "These did not, with this optimiser. How far they reach changes with the learning rate.",
            ),
            Option(
                "That ALiBi learns nothing.",
                False,
                "It cannot pick an exact distance. Where the recent counts more, it is at home.",
            ),
            Option(
                "That a scheme can be defined at every position and still fail where it was not trained.",
                True,
                "One example is enough to show that defined is not useful. It is not enough to rank schemes.",
            ),
        ),
        "what-it-shows",
    ),
    Question(
        "12.q5",
        "4,096 positions are squeezed into the trained 2,048. By which angle does the fastest rotary pair now turn from one token to the next?",
        (
            Option(
                "By 0.5 radians.",
                True,
                "Each step is half a position, and the first pair has frequency 1. The model has never met that step; training a little more teaches it.",
            ),
            Option(
                "By 1 radian, as before: only the range was changed.",
                False,
                "The range was changed by making each step smaller.",
            ),
            Option(
                "By 2 radians: twice as many positions.",
                False,
                "Twice as many positions in the same range means smaller steps, not larger ones.",
            ),
            Option(
                "By none: neighbours fall onto one position.",
                False,
                "Positions need not be whole numbers. 0 and 0.5 are different angles.",
            ),
        ),
        "repairs",
        _squeezed_angle,
        seen=("PE112",),
    ),
)

# ------------------------------------------------------------------ 12.1

ABSOLUTE, RELATIVE = 2e-5, 1e-5


def _near(one: Array, other: Array) -> Array:
    return np.abs(one - other) <= ABSOLUTE + RELATIVE * np.abs(other)


def _same(value: Any, wanted: Array) -> bool:
    """Whether a value of any kind is this array, within the tolerance."""
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return False
    return value.shape == wanted.shape and bool(_near(value, wanted).all())


def _columns(turning: int, pairing: str) -> tuple[Array, Array]:
    if pairing == "neighbours":
        return np.arange(0, turning, 2), np.arange(1, turning, 2)
    return np.arange(turning // 2), np.arange(turning // 2, turning)


def _turned(x: Array, cosine: Array, sine: Array, pairing: str, back: str = "") -> Array:
    """x with its pairs turned; cosine and sine are (…, pairs). back: the pairing they return in."""
    turning = 2 * cosine.shape[-1]
    first, second = _columns(turning, pairing)
    one, two = _columns(turning, back or pairing)
    result = x.copy()
    result[..., one] = x[..., first] * cosine - x[..., second] * sine
    result[..., two] = x[..., first] * sine + x[..., second] * cosine
    return result


def _layout_turn(
    x: Array, positions: Sequence[int], rotation: str, layout: str, base: float = 10000.0
) -> Array:
    """Rotation with one angle a column, laid out for one pairing and used with another."""
    turning = x.shape[-1]
    angles = np.asarray(positions)[:, None] * encodings.frequencies(turning, base)
    full = np.repeat(angles, 2, axis=-1) if layout == "neighbours" else np.tile(angles, 2)
    first, second = _columns(turning, rotation)
    partner = np.empty_like(x)
    partner[..., first], partner[..., second] = -x[..., second], x[..., first]
    return x * np.cos(full) + partner * np.sin(full)


def _by_angles(angles: Callable[[Array, float, int, int], Array], sense: int = 1) -> Rule:
    """A wrong 12.1 from a wrong rule for the angles, (length, pairs)."""

    def rule(x: Array, positions: Array, base: float, turning: int, pairing: str) -> Array:
        turned = angles(positions, base, turning, x.shape[-1])
        return _turned(x, np.cos(turned), sense * np.sin(turned), pairing)

    return rule


def _ladder(positions: Array, base: float, turning: int) -> Array:
    return positions[:, None] * encodings.frequencies(turning, base)


def _in_half(positions: Array, base: float, turning: int, width: int) -> Array:
    small = positions.astype(np.float16)[:, None] * encodings.frequencies(turning, base).astype(
        np.float16
    )
    return small.astype(float)


def _by_head(x: Array, positions: Array, base: float, turning: int, pairing: str) -> Array:
    if x.ndim < 3:
        return encodings.rotate(x, positions, base, turning, pairing)
    angles = _ladder(np.arange(x.shape[-3]), base, turning)[:, None]
    return _turned(x, np.cos(angles), np.sin(angles), pairing)


def _no_minus(x: Array, positions: Array, base: float, turning: int, pairing: str) -> Array:
    angles = _ladder(positions, base, turning)
    first, second = _columns(turning, pairing)
    result = encodings.rotate(x, positions, base, turning, pairing)
    result[..., first] = x[..., first] * np.cos(angles) + x[..., second] * np.sin(angles)
    return result


def _other(pairing: str) -> str:
    return "halves" if pairing == "neighbours" else "neighbours"


def _mixed(x: Array, positions: Array, base: float, turning: int, pairing: str) -> Array:
    result = x.copy()
    result[..., :turning] = _layout_turn(
        x[..., :turning], positions, pairing, _other(pairing), base
    )
    return result


def _put_back_elsewhere(
    x: Array, positions: Array, base: float, turning: int, pairing: str
) -> Array:
    angles = _ladder(positions, base, turning)
    return _turned(x, np.cos(angles), np.sin(angles), pairing, _other(pairing))


def _turns_all(x: Array, positions: Array, base: float, turning: int, pairing: str) -> Array:
    return encodings.rotate(x, positions, base, x.shape[-1], pairing)


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


def _mistake(
    id: str, rule: Rule, looks_like: str, think: str, seen: tuple[str, ...] = ()
) -> Misconception:
    """A mistake that can be made with either pairing, and is recognised with either."""

    def does(*args: Any, **kwargs: Any) -> Array:
        return rule(*_arguments(*args, **kwargs), "neighbours")

    def fits(call: Call, value: Any) -> bool:
        given = _arguments(*call.args, **call.kwargs)
        return any(_same(value, rule(*given, pairing)) for pairing in encodings.PAIRINGS)

    return Misconception(id, does, looks_like, think, seen, fits)


def _pairings_met(call: Call, value: Any) -> set[str]:
    return {
        pairing
        for pairing in encodings.PAIRINGS
        if _same(value, encodings.rotate(*_arguments(*call.args, **call.kwargs), pairing))
    }


def _compare_rotation(call: Call, expected: Array, got: Array) -> Fault | None:
    if _pairings_met(call, got):
        return None
    given = _arguments(*call.args, **call.kwargs)
    wrong = [
        int((~_near(got, encodings.rotate(*given, pairing))).sum())
        for pairing in encodings.PAIRINGS
    ]
    cut = "" if given[3] == given[0].shape[-1] else f", of which {given[3]} features turn"
    return Fault(
        "value",
        f"`rotate(x, positions)` for x of shape {given[0].shape}{cut}: {wrong[0]} of {got.size} entries differ from the "
        f"rotation of neighbours, and {wrong[1]} from that of halves.",
    )


def _which_pairing(calls: Sequence[Call], answers: Sequence[Any]) -> str | Fault:
    met = set(encodings.PAIRINGS).intersection(
        *(_pairings_met(c, v) for c, v in zip(calls, answers))
    )
    if not met:
        return Fault(
            "property",
            "Each call is right for one pairing, but some pair neighbours and others halves. One model needs one pairing.",
        )
    if met == {"neighbours"}:
        return "The pairs are neighbours, features 2i and 2i + 1, as in the paper and in GPT-J."
    return "The pairs are halves, features i and i + rotary_width/2, as in GPT-NeoX and in Hugging Face's LLaMA."


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
        _case_rotate(rng, (64, 16), range(64), "a larger one"),
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
    met=_which_pairing,
    misconceptions=(
        _mistake(
            "unchanged",
            lambda x, p, base, turning, pairing: x.copy(),
            "x came back as it was",
            "Which row has a position other than 0, and what should happen to it?",
        ),
        _mistake(
            "one-angle",
            _by_angles(
                lambda p, base, turning, width: np.repeat(p[:, None] * 1.0, turning // 2, axis=1)
            ),
            "all pairs turn by the same angle, that of the first",
            "The first pair has exponent 0. What is the exponent of pair i?",
        ),
        _mistake(
            "single-i",
            _by_angles(
                lambda p, base, turning, width: (
                    p[:, None] * base ** (-np.arange(turning // 2) / turning)
                )
            ),
            "i stands where the formula has 2i",
            "From the first pair to the last, does the exponent go nearly to 1 or only to one half?",
        ),
        _mistake(
            "base-ignored",
            _by_angles(lambda p, base, turning, width: _ladder(p, 10000.0, turning)),
            "10000 is used whatever base is given",
            "The argument `base` does not reach the angles. A model whose base is lost on the way fails on long texts only.",
            ("PE110",),
        ),
        _mistake(
            "opposite-sense",
            _by_angles(lambda p, base, turning, width: _ladder(p, base, turning), -1),
            "the pairs turn the other way round, which is a convention of some code; this challenge fixes the sense",
            "The scores come out the same if queries and keys both turn that way. Which of the two sines carries the minus here?",
            ("PE100",),
        ),
        _mistake(
            "no-minus",
            _no_minus,
            "both sines are added, so that pairs are mirrored and stretched instead of turned",
            "After a turn, a pair is as long as it was before. Is yours?",
        ),
        _mistake(
            "head-for-position",
            _by_head,
            "the angle counts heads or rows of the batch instead of tokens",
            "x has shape (…, length, width). Which axis must the positions lie along?",
            ("PE102", "PE104"),
        ),
        _mistake(
            "mixed-layout",
            _mixed,
            "the angles are laid out for one pairing and the features are turned in the other",
            "Take four features, and write under each one its partner and its angle. Do partners share an angle?",
            ("PE097", "PE106"),
        ),
        _mistake(
            "changed-layout",
            _put_back_elsewhere,
            "the pairs are turned rightly and put back in another order",
            "Feature 3 went in at place 3. Where does its new value come out?",
        ),
        _mistake(
            "offset-0",
            _by_angles(lambda p, base, turning, width: _ladder(np.arange(len(p)), base, turning)),
            "tokens are numbered from 0 at each call, whatever positions are given",
            "With a cache, one new token comes at a time, and it is not the first of the text.",
            ("PE073", "PE076"),
        ),
        _mistake(
            "positions-from-1",
            _by_angles(lambda p, base, turning, width: _ladder(p + 1, base, turning)),
            "every position is taken one too large",
            "What does a token at position 0 look like after its turn?",
        ),
        _mistake(
            "positions-in-half",
            _by_angles(
                lambda p, base, turning, width: _ladder(
                    p.astype(np.float16).astype(float), base, turning
                )
            ),
            "the positions were stored in half precision, which holds whole numbers only up to 2048",
            "Print `np.arange(2046, 2052).astype(np.float16)`.",
            ("PE091", "PE094"),
        ),
        _mistake(
            "angles-in-half",
            _by_angles(_in_half),
            "the angles were computed in half precision",
            "An angle of 100 radians keeps one or two digits after the point there. Cast the finished cosines, not the angles.",
            ("PE090",),
        ),
        _mistake(
            "rotary-width-ignored",
            _turns_all,
            "all features turn, also those past `rotary_width`",
            "Which features must come back as they were?",
            ("PE107",),
        ),
        _mistake(
            "ladder-of-the-width",
            _by_angles(lambda p, base, turning, width: _ladder(p, base, width)[:, : turning // 2]),
            "the ladder is made for all features and then cut, so that the exponents are divided by the width of x",
            "Which width does the exponent −2i/rotary_width name?",
            ("PE107",),
        ),
    ),
    hints=(
        "First the angles alone: shape (length, pairs), position times base^(−2i/rotary_width).",
        "Take the pairs apart: `a = x[..., 0:turning:2]` and `b = x[..., 1:turning:2]` for neighbours, or the two halves. "
        "Both pairings pass.",
        "Copy x, write a·cos − b·sin where a stood and a·sin + b·cos where b stood, and leave the rest alone.",
    ),
    absolute=ABSOLUTE,
    relative=RELATIVE,
)

# ------------------------------------------------------------------ 12.2


def _below(bias: Array) -> Array:
    """Entries with j <= i, each row's diagonal subtracted: what a causal softmax can see of a bias."""
    bias = np.asarray(bias, dtype=float)
    rows, columns = np.tril_indices(bias.shape[-1])
    diagonal = np.diagonal(bias, axis1=-2, axis2=-1)
    with np.errstate(all="ignore"):  # a learner's infinities are told elsewhere
        return bias[..., rows, columns] - diagonal[..., rows]


def _compare_bias(call: Call, expected: Array, got: Array) -> Fault | None:
    wrong = ~_near(_below(got), _below(expected))
    if not wrong.any():
        return None
    head, place = (int(n) for n in np.argwhere(wrong)[0])
    row, column = (int(index[place]) for index in np.tril_indices(expected.shape[-1]))
    heads = np.flatnonzero(wrong.any(axis=-1))
    return Fault(
        "value",
        f"`alibi_bias({', '.join(map(str, call.args))})`: on and below the diagonal, and counted from it, {len(heads)} of "
        f"{len(expected)} heads differ; the first is head {head} (from 0), where the entry of query {row} and key {column} "
        f"is yours minus its diagonal = {_below(got)[head, place]:.6g}.",
    )


def _slopes(rule: Callable[[int], Array], sign: float = -1.0) -> Callable[[int, int], Array]:
    """A bias from a rule for the slopes."""

    def bias(heads: int, length: int) -> Array:
        places = np.arange(length)
        return sign * np.asarray(rule(heads))[:, None, None] * np.abs(places[:, None] - places)

    return bias


def _geometric(heads: int, first: int = 1) -> Array:
    return 2.0 ** (-8.0 * np.arange(first, heads + first) / heads)


def _next_power(heads: int) -> int:
    return 2 ** (heads - 1).bit_length()


def _not_every_second(heads: int) -> Array:
    smaller = 2 ** (heads.bit_length() - 1)
    return np.concatenate([_geometric(smaller), _geometric(2 * smaller)])[:heads]


def _counted_from_0(heads: int) -> Array:
    smaller = 2 ** (heads.bit_length() - 1)
    return np.concatenate([_geometric(smaller, 0), _geometric(2 * smaller, 0)[0::2]])[:heads]


def _bias_mistake(
    id: str,
    does: Callable[[int, int], Array],
    looks_like: str,
    think: str,
    seen: tuple[str, ...] = (),
) -> Misconception:
    """A mistake that is recognised by the part of the bias that is judged."""

    def fits(call: Call, value: Any) -> bool:
        wanted = does(*call.args)
        try:
            value = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            return False
        return value.shape == wanted.shape and bool(_near(_below(value), _below(wanted)).all())

    return Misconception(id, does, looks_like, think, seen, fits)


def _per_length(heads: int, length: int) -> Array:
    return encodings.alibi_bias(heads, length) / length


ALIBI_BIAS = Challenge(
    id="12.2",
    name="alibi_bias",
    title="A penalty for distance",
    section="alibi",
    points=3,
    minutes=12,
    difficulty=2,
    asked="an array of shape (heads, length, length)",
    reference=encodings.alibi_bias,
    cases=(
        Case((8, 5)),
        Case((1, 4), about="one head"),
        Case((2, 6)),
        Case((6, 5), about="not a power of two"),
        Case((10, 7), about="not a power of two"),
        Case((12, 4), about="not a power of two"),
        Case((40, 6), about="not a power of two"),
        Case((16, 9)),
        Case((3, 1), about="one token"),
    ),
    draw=lambda rng: [Case((int(rng.integers(3, 70)), int(rng.integers(3, 24)))) for _ in range(6)],
    compare=_compare_bias,
    misconceptions=(
        _bias_mistake(
            "distance-rewarded",
            _slopes(encodings.alibi_slopes, 1.0),
            "distance is rewarded: far keys gain where they should lose",
            "For a query at 3, which key should keep the most: 0 or 3?",
            ("PE117",),
        ),
        _bias_mistake(
            "first-slope-1",
            _slopes(_counted_from_0),
            "the exponent counts heads from 0, so that the first slope is 1",
            "The paper's first of eight slopes is one half. What is the exponent of the first head?",
            ("PE116",),
        ),
        _bias_mistake(
            "one-line-rule",
            _slopes(_geometric),
            "the paper's one-line rule is used for every number of heads; trained models carry the slopes of the released code",
            "For 8 and 16 heads the two agree. What does the released code do between two powers of two?",
            ("PE115",),
        ),
        _bias_mistake(
            "next-power-cut",
            _slopes(lambda heads: _geometric(_next_power(heads))[:heads]),
            "the slopes of the next larger power of two are made and the first of them taken",
            "Begin with the next *smaller* power of two. Where do the missing slopes come from?",
            ("PE114",),
        ),
        _bias_mistake(
            "not-every-second",
            _slopes(_not_every_second),
            "the added slopes are the first of the larger series, some of which are there already",
            "Of the slopes for 2 · 4 heads, which are not among those for 4?",
        ),
        _bias_mistake(
            "sorted",
            _slopes(lambda heads: np.sort(encodings.alibi_slopes(heads))[::-1]),
            "the slopes were sorted; the released rule lets them jump up again after the smaller power of two",
            "Each trained head belongs to its own slope. What does another order do to a trained model?",
            ("PE122",),
        ),
        _bias_mistake(
            "slopes-reversed",
            _slopes(lambda heads: encodings.alibi_slopes(heads)[::-1]),
            "the heads are numbered from the flat end",
            "Which head has the steepest slope, the first or the last of eight?",
        ),
        _bias_mistake(
            "one-slope",
            _slopes(lambda heads: np.repeat(encodings.alibi_slopes(heads)[:1], heads)),
            "all heads have the slope of the first",
            "Some heads shall look near and others far. What differs between them?",
        ),
        _bias_mistake(
            "divided-by-length",
            _per_length,
            "the distance is divided by the length",
            "Then one step means something else in every text; lesson 4 met that. What is the penalty of one step?",
        ),
    ),
    hints=(
        "Slopes first, then distances: the bias is minus one times the other, with an axis for the heads in front.",
        "For a power of two, head h = 1 … heads has slope 2^(−8h/heads). For 6 heads take the 4 slopes of 4 heads, "
        "then the first, third, … of the slopes of 8 heads until there are 6.",
        "`slopes[:, None, None] * -np.abs(i[:, None] - i)` with `i = np.arange(length)`. Above the diagonal any finite number passes.",
    ),
    absolute=ABSOLUTE,
    relative=RELATIVE,
)

# ------------------------------------------------------------------ 12.3


def _squeeze(
    rule: Callable[[Array, int, int], Array], always: bool = False
) -> Callable[[int, int], Array]:
    """A wrong 12.3 from a rule for texts longer than the trained length, or for all."""

    def wrong(length: int, trained_length: int) -> Array:
        positions = np.arange(length, dtype=float)
        return (
            rule(positions, length, trained_length)
            if always or length > trained_length
            else positions
        )

    return wrong


INTERPOLATED_POSITIONS = Challenge(
    id="12.3",
    name="interpolated_positions",
    title="Squeezed positions",
    section="repairs",
    points=1,
    minutes=5,
    difficulty=1,
    asked="a one-dimensional array of `length` positions",
    reference=encodings.interpolated_positions,
    cases=(
        Case((8, 4)),
        Case((4, 8), about="a text within the trained length"),
        Case((6, 6), about="a text of the trained length"),
        Case((7, 5)),
        Case((1, 3), about="one token"),
        Case((96, 64)),
    ),
    draw=lambda rng: [
        *(Case((int(n), int(rng.integers(4, n)))) for n in rng.integers(9, 80, 4)),
        *(Case((int(n), int(n + rng.integers(2, 40)))) for n in rng.integers(3, 40, 2)),
    ],
    misconceptions=(
        Misconception(
            "unchanged",
            _squeeze(lambda p, n, m: p),
            "long texts keep their positions",
            "The last position of a long text should come to lie inside the trained range.",
        ),
        Misconception(
            "always-scaled",
            _squeeze(lambda p, n, m: p * m / n, always=True),
            "short texts are stretched to the trained length",
            "A text that fits is what the model was trained on. What should happen to it?",
        ),
        Misconception(
            "upside-down",
            _squeeze(lambda p, n, m: p * n / m),
            "the positions are spread out instead of squeezed: the fraction is upside down",
            "Is your last position larger or smaller than before?",
        ),
        Misconception(
            "ends-on-ends",
            _squeeze(lambda p, n, m: p * (m - 1) / (n - 1)),
            "the last position is put exactly on the last trained one, as stretching a table does",
            "Here each position is multiplied by trained_length/length. Which number did you take for each?",
        ),
        Misconception(
            "rounded-down",
            _squeeze(lambda p, n, m: np.floor(p * m / n)),
            "the positions are rounded down, so that several tokens share one",
            "A rotation takes any real number. What is gained by a whole one?",
        ),
        Misconception(
            "clipped",
            _squeeze(lambda p, n, m: np.minimum(p, m - 1)),
            "all positions past the trained range are set to its last one",
            "Then the late tokens cannot be told apart. How could all of them share the range evenly?",
        ),
        Misconception(
            "wrapped",
            _squeeze(lambda p, n, m: p % m),
            "positions begin again at 0 past the trained range",
            "Then a late token looks like an early one. How could all of them share the range evenly?",
        ),
    ),
    hints=(
        "Two cases: does the text fit into the trained length or not?",
        "Where it does not fit, position p becomes p · trained_length / length.",
        "`np.arange(length)` holds the positions; return it as it is, or multiplied by the fraction.",
    ),
)

# ------------------------------------------------------------------ 12.4


def accuracy_by_range(predicted: Array, target: Array, edges: Sequence[int]) -> Array:
    """Share of right answers in each range edges[r] <= p < edges[r + 1] of the last axis."""
    right = np.asarray(predicted) == np.asarray(target)
    return np.array([right[..., start:stop].mean() for start, stop in zip(edges, edges[1:])])


def _ranges(share: Callable[[Array, int, int], float]) -> Callable[..., Array]:
    """A wrong 12.4 from a rule for one range."""

    def wrong(predicted: Array, target: Array, edges: Sequence[int]) -> Array:
        right = np.asarray(predicted) == np.asarray(target)
        return np.array([float(share(right, start, stop)) for start, stop in zip(edges, edges[1:])])

    return wrong


def _first_axis(right: Array, start: int, stop: int) -> float:
    part = right[start:stop]
    return part.sum() / part.size if part.size else np.nan


def _to_the_end(predicted: Array, target: Array, edges: Sequence[int]) -> Array:
    return accuracy_by_range(predicted, target, [*edges[:-1], np.shape(target)[-1]])


def _case_ranges(
    rng: np.random.Generator, shape: tuple[int, ...], edges: list[int], about: str = ""
) -> Case:
    target = rng.integers(0, 5, shape)
    guesses = np.where(rng.random(shape) < 0.6, target, rng.integers(0, 5, shape))
    return Case((guesses, target, edges), about=about)


def _fixed_ranges() -> tuple[Case, ...]:
    rng = np.random.default_rng(124)
    plain = np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]])
    return (
        Case((np.array([[1, 2, 0, 4, 0, 0], [1, 2, 3, 0, 0, 0]]), plain, [0, 2, 4, 6])),
        Case((np.array([1, 2, 0, 4]), np.array([1, 0, 3, 4]), [0, 1, 4]), about="one row"),
        _case_ranges(rng, (3, 9), [0, 4, 9]),
        _case_ranges(rng, (4, 10), [2, 5, 6, 8], "edges that leave out both ends"),
        _case_ranges(rng, (2, 3, 11), [0, 3, 7, 11], "rows of several seeds"),
        _case_ranges(rng, (5, 7), [3, 5], "one range"),
    )


def _draw_ranges(rng: np.random.Generator) -> list[Case]:
    cases = []
    for n in range(6):
        length = int(rng.integers(12, 30))
        inner = sorted(
            rng.choice(np.arange(2, length - 2), int(rng.integers(2, 5)), replace=False).tolist()
        )
        edges = inner if n % 2 else [0, *inner, length]
        cases.append(_case_ranges(rng, (int(rng.integers(3, 9)), length), edges))
    return cases


ACCURACY_BY_RANGE = Challenge(
    id="12.4",
    name="accuracy_by_range",
    title="Accuracy where it was trained, and beyond",
    section="experiment",
    points=2,
    minutes=8,
    difficulty=1,
    asked="one share for each range, len(edges) − 1 of them",
    reference=accuracy_by_range,
    cases=_fixed_ranges(),
    draw=_draw_ranges,
    misconceptions=(
        Misconception(
            "end-included",
            _ranges(lambda right, start, stop: right[..., start : stop + 1].mean()),
            "each range also counts its end, which belongs to the next",
            "Position edges[r + 1] is counted twice in your ranges. To which of them does it belong?",
        ),
        Misconception(
            "start-left-out",
            _ranges(
                lambda right, start, stop: (
                    right[..., start + 1 : stop].sum() / max(right[..., start + 1 : stop].size, 1)
                )
            ),
            "each range leaves out its first position",
            "Position edges[r] belongs to range r. Is it in your slice?",
        ),
        Misconception(
            "counts",
            _ranges(lambda right, start, stop: right[..., start:stop].sum()),
            "right answers are counted and not divided by how many there are",
            "Ranges of different length have to be comparable.",
        ),
        Misconception(
            "per-cent",
            _ranges(lambda right, start, stop: 100 * right[..., start:stop].mean()),
            "the shares are given in per cent",
            "A share of all right answers is 1 here.",
        ),
        Misconception(
            "errors",
            _ranges(lambda right, start, stop: 1 - right[..., start:stop].mean()),
            "wrong answers are counted instead of right ones",
            "Accuracy is 1 where nothing is wrong.",
        ),
        Misconception(
            "first-axis",
            _ranges(_first_axis),
            "the ranges are cut out of the first axis, which counts rows, not positions",
            "Which axis of (rows, length) holds the positions?",
        ),
        Misconception(
            "from-the-start",
            _ranges(lambda right, start, stop: right[..., :stop].mean()),
            "each range begins at position 0",
            "The mean up to a position hides what happens late. Where does range r begin?",
        ),
        Misconception(
            "whole-rows",
            _ranges(
                lambda right, start, stop: np.atleast_2d(right)[..., start:stop].all(axis=-1).mean()
            ),
            "a row counts only where all of its answers in the range are right",
            "Each position is one answer. How many answers does a range hold?",
        ),
        Misconception(
            "last-to-the-end",
            _to_the_end,
            "the last range runs to the end of the rows instead of to the last edge",
            "The last edge is given too. What does it close?",
        ),
    ),
    hints=(
        "`predicted == target` is True at each right answer; the mean of Trues is their share.",
        "Range r is the slice `[..., edges[r]:edges[r + 1]]`; a slice leaves its end out, as is asked.",
        "Go through `zip(edges, edges[1:])` and collect one mean for each pair of edges.",
    ),
)

CHALLENGES = (ROTATE, ALIBI_BIAS, INTERPOLATED_POSITIONS, ACCURACY_BY_RANGE)
