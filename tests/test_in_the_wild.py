"""How well-known implementations do it, written from scratch, and what the judge says of each.

What meets the stated contract passes. What follows another convention is told which one. The table
of conventions was read off public code; nothing here is copied from it.
"""

import numpy as np
import pytest

from posenc import lessons
from posenc.judging import calls, judge

# ------------------------------------------------------------------ 6.2


def _blocks(length, speeds, width):
    angles = np.arange(length)[:, None] * speeds
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)[:, :width]


def by_masks(length, width, base=10000.0):
    """Keras Hub: every column by sine and by cosine, chosen by a mask; odd widths work."""
    columns = np.arange(width)
    angles = np.arange(length)[:, None] * (1 / base) ** (2 * (columns // 2) / width)
    even = (columns % 2 == 0).astype(float)
    return np.sin(angles) * even + np.cos(angles) * (1 - even)


def in_log_space(length, width, base=10000.0):
    """The PyTorch tutorial: exp of a multiple of log(base), both halves of the columns from one list."""
    table = np.zeros((length, width))
    speeds = np.exp(np.arange(0, width, 2) * (-np.log(base) / width))
    table[:, 0::2] = np.sin(np.arange(length)[:, None] * speeds)
    table[:, 1::2] = np.cos(np.arange(length)[:, None] * speeds)
    return table


def refusing_odd(length, width, base=10000.0):
    """OpenNMT-py: odd widths end in a ValueError with a message."""
    if width % 2:
        raise ValueError(f"an odd width has no sinusoidal encoding here, got {width}")
    return by_masks(length, width, base)


def marian(length, width, base=10000.0):
    """Marian: the paper's ladder, all sines, then all cosines; odd widths have one more sine."""
    columns = np.arange(width)
    angles = np.arange(length)[:, None] / base ** (2 * (columns // 2) / width)
    return np.concatenate([np.sin(angles[:, 0::2]), np.cos(angles[:, 1::2])], axis=1)


def tensor2tensor(length, width, base=10000.0):
    """tensor2tensor and fairseq: blocks, half − 1 in the ladder, a zero column for an odd width."""
    half = width // 2
    step = np.log(base) / max(half - 1, 1)
    table = _blocks(length, np.exp(-step * np.arange(half)), width)
    return np.pad(table, ((0, 0), (0, width % 2)))


def diffusers(length, width, base=10000.0):
    """Diffusion time steps with the flipped order: cosines first."""
    angles = np.arange(length)[:, None] * base ** (-np.arange((width + 1) // 2) * 2 / width)
    return np.concatenate([np.cos(angles[:, : width // 2]), np.sin(angles)], axis=1)


def rounded_up(length, width, base=10000.0):
    """positional-encodings on PyPI: the next even width, cut."""
    even = width + width % 2
    return by_masks(length, even, base)[:, :width]


def per_column(length, width, base=10000.0):
    """Deep Voice 3: a frequency for every column."""
    columns = np.arange(width)
    angles = np.arange(length)[:, None] / base ** (columns / width)
    return np.where(columns % 2, np.cos(angles), np.sin(angles))


# ------------------------------------------------------------------ 12.1, 12.2


def _angles(positions, width, base):
    return np.outer(positions, 1.0 / base ** (np.arange(0, width, 2) / width))


def gpt_j(x, positions, base=10000.0, rotary_width=None):
    """Neighbours, every angle twice in a row, the rest of the features passed on."""
    turning = rotary_width or x.shape[-1]
    front, rest = x[..., :turning], x[..., turning:]
    angles = np.repeat(_angles(positions, turning, base), 2, axis=-1)
    turned = np.stack([-front[..., 1::2], front[..., 0::2]], axis=-1).reshape(front.shape)
    return np.concatenate([front * np.cos(angles) + turned * np.sin(angles), rest], axis=-1)


def gpt_neox(x, positions, base=10000.0, rotary_width=None):
    """Halves, every angle again half the width on."""
    turning = rotary_width or x.shape[-1]
    front, rest = x[..., :turning], x[..., turning:]
    angles = np.tile(_angles(positions, turning, base), 2)
    first, second = np.split(front, 2, axis=-1)
    turned = np.concatenate([-second, first], axis=-1)
    return np.concatenate([front * np.cos(angles) + turned * np.sin(angles), rest], axis=-1)


def meta_llama(x, positions, base=10000.0, rotary_width=None):
    """Neighbours as complex numbers."""
    turning = rotary_width or x.shape[-1]
    numbers = np.ascontiguousarray(x[..., :turning]).reshape(*x.shape[:-1], -1, 2) @ np.array(
        [1, 1j]
    )
    numbers = numbers * np.exp(1j * _angles(positions, turning, base))
    front = np.stack([numbers.real, numbers.imag], axis=-1).reshape(*x.shape[:-1], turning)
    return np.concatenate([front, x[..., turning:]], axis=-1)


def halves_with_neighbour_angles(x, positions, base=10000.0, rotary_width=None):
    """The mixture that was shipped: halves are turned, angles are laid out for neighbours."""
    turning = rotary_width or x.shape[-1]
    front, rest = x[..., :turning], x[..., turning:]
    angles = np.repeat(_angles(positions, turning, base), 2, axis=-1)
    first, second = np.split(front, 2, axis=-1)
    turned = np.concatenate([-second, first], axis=-1)
    return np.concatenate([front * np.cos(angles) + turned * np.sin(angles), rest], axis=-1)


def nanochat(x, positions, base=10000.0, rotary_width=None):
    """Halves, turned the other way."""
    return gpt_neox(x, -positions, base, rotary_width)


def released_slopes(heads):
    """The released ALiBi code: a power of two by one rule, then every second of the next power's."""
    power = 2 ** int(np.floor(np.log2(heads)))
    start = 2 ** (-8 / power)
    slopes = [start ** (n + 1) for n in range(power)]
    if power < heads:
        further = 2 ** (-8 / (2 * power))
        slopes += [further ** (n + 1) for n in range(0, 2 * power, 2)][: heads - power]
    return np.array(slopes)


def alibi(heads, length):
    """One row of distances for all queries, as in the released code: right after the softmax."""
    return (
        released_slopes(heads)[:, None, None]
        * np.arange(length)[None, None, :]
        * np.ones((1, length, 1))
    )


def alibi_symmetric(heads, length):
    """With the absolute distance, for encoders."""
    p = np.arange(length)
    return -released_slopes(heads)[:, None, None] * np.abs(p[:, None] - p[None, :])


def alibi_by_the_papers_line(heads, length):
    p = np.arange(length)
    return (2.0 ** (-8 * np.arange(1, heads + 1) / heads))[:, None, None] * (
        p[None, :] - p[:, None]
    )


# ------------------------------------------------------------------ 3.1, 11.2


def lower_triangle(real):
    return np.tril(np.ones((len(real), len(real)), dtype=bool)) & real


def torch_style_forbidden(real):
    """Where True means *hidden*, as in torch.nn.Transformer: two masks, joined by *or*."""
    return np.triu(np.ones((len(real), len(real)), dtype=bool), 1) | ~real


def additive(real):
    """Zeros and minus infinities to be added to the scores."""
    return np.where(lower_triangle(real), 0.0, -np.inf)


def counted(attention_mask):
    """Hugging Face GPT-2 and others: a running count, pads set to 1."""
    ids = np.cumsum(attention_mask, axis=-1) - 1
    ids[np.asarray(attention_mask) == 0] = 1
    return ids


def opt_offset(attention_mask):
    """OPT: the running count plus an offset of 2, pads at 1."""
    mask = np.asarray(attention_mask).astype(int)
    return np.cumsum(mask, axis=-1) * mask - 1 + 2


def arange(attention_mask):
    """Places, pads included."""
    return np.broadcast_to(np.arange(np.shape(attention_mask)[-1]), np.shape(attention_mask))


PASS = [
    ("6.2", by_masks, ""),
    ("12.1", gpt_j, "neighbour"),
    ("12.1", gpt_neox, "halves"),
    ("12.1", meta_llama, "neighbour"),
    ("12.2", alibi, ""),
    ("12.2", alibi_symmetric, ""),
    ("3.1", lower_triangle, ""),
    ("11.2", counted, ""),
]
TOLD = [
    ("6.2", in_log_space, "odd-crashes"),
    ("6.2", refusing_odd, "odd-refused"),
    ("6.2", marian, "concatenated"),
    ("6.2", tensor2tensor, "concatenated-half-minus-one"),
    ("6.2", diffusers, "concatenated-cosines-first"),
    ("6.2", rounded_up, "odd-rounded-up"),
    ("6.2", per_column, "column-exponent"),
    ("12.1", halves_with_neighbour_angles, "mixed-layout"),
    ("12.1", nanochat, "opposite-sense"),
    ("12.2", alibi_by_the_papers_line, "one-line-rule"),
    ("3.1", torch_style_forbidden, "true-for-forbidden"),
    ("11.2", opt_offset, "offset-2"),
    ("11.2", arange, "places-counted"),
]


def verdict(id, thing):
    challenge = lessons.challenge(id)
    plan = judge.plan(challenge, 2026)
    return judge.judge(plan, calls.perform(plan.calls, thing))


@pytest.mark.parametrize("id, thing, words", PASS, ids=lambda v: getattr(v, "__name__", None))
def test_what_meets_the_contract_passes(id, thing, words):
    found = verdict(id, thing)
    assert found.passed, found
    assert words in found.reason


@pytest.mark.parametrize("id, thing, mistake", TOLD, ids=lambda v: getattr(v, "__name__", None))
def test_another_convention_is_told_which_it_is(id, thing, mistake):
    found = verdict(id, thing)
    assert found.misconception == mistake, found


def test_an_additive_mask_is_told_that_bools_are_asked():
    found = verdict("3.1", additive)
    assert found.outcome == judge.FAILED and found.step == "type"
    assert "True and False" in found.reason
    assert found.misconception == "to-be-added"
