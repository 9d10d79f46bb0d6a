"""Answers to lesson 6 as text, as they stand in notebooks: right ones, and each known mistake."""

RIGHT = {
    "6.1": """
def frequencies(width, base=10000.0):
    return base ** (-2 * np.arange((width + 1) // 2) / width)
""",
    "6.2": """
def sinusoidal(length, width, base=10000.0):
    pairs = np.arange((width + 1) // 2)
    angles = np.arange(length)[:, None] * base ** (-2 * pairs / width)
    table = np.zeros((length, width))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)[:, : width // 2]
    return table
""",
    "6.3": """
def add_positions(batch, base=10000.0):
    return batch + sinusoidal(batch.shape[1], batch.shape[2], base)
""",
    "6.4": """
class PositionalEncoding:
    def __init__(self, width, max_length, base=10000.0):
        self.table = sinusoidal(max_length, width, base)

    def forward(self, batch):
        length = batch.shape[1]
        if length > len(self.table):
            raise ValueError(f"length {length} is more than {len(self.table)}")
        return batch + self.table[:length]

    def backward(self, gradient):
        return gradient

    def parameters(self):
        return []
""",
}
# A table for answers that need one without relying on the learner's own.
HELPER = """
def _right(length, width, base=10000.0):
    speeds = base ** (-2 * np.arange((width + 1) // 2) / width)
    angles = np.arange(length)[:, None] * speeds
    table = np.zeros((length, width))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)[:, : width // 2]
    return table
"""


def _frequencies(line: str) -> str:
    return f"def frequencies(width, base=10000.0):\n    i = np.arange((width + 1) // 2)\n    return {line}\n"


def _cells(
    exponent: str = "(j - j % 2) / width",
    angle: str = "angle",
    first: str = "0",
    cosine: str = "j % 2",
    base: str = "base",
) -> str:
    return f"""
def sinusoidal(length, width, base=10000.0):
    table = np.zeros((length, width))
    for p in range(length):
        for j in range(width):
            angle = (p + {first}) / {base} ** ({exponent})
            table[p, j] = np.cos({angle}) if {cosine} else np.sin({angle})
    return table
"""


def _from_right(line: str) -> str:
    return (
        HELPER
        + f"\ndef sinusoidal(length, width, base=10000.0):\n    table = _right(length, width, base)\n{line}"
    )


def _batch(lines: str) -> str:
    return HELPER + f"\ndef add_positions(batch, base=10000.0):\n    B, L, d = batch.shape\n{lines}"


def _layer(**parts: str) -> str:
    """The right layer with some methods replaced by other bodies."""
    body = {
        "init": "self.table = _right(max_length, width, base)",
        "forward": (
            "if batch.shape[1] > len(self.table): "
            "raise ValueError(f'{batch.shape[1]} tokens, {len(self.table)} rows')\n"
            "        return batch + self.table[:batch.shape[1]]"
        ),
        "backward": "return gradient",
        "parameters": "return []",
        **parts,
    }
    return (
        HELPER
        + f"""
class PositionalEncoding:
    def __init__(self, width, max_length, base=10000.0):
        {body["init"]}

    def forward(self, batch):
        {body["forward"]}

    def backward(self, gradient):
        {body["backward"]}

    def parameters(self):
        {body["parameters"]}
"""
    )


WRONG = {
    "6.1": {
        "doubled-exponent": _frequencies("base ** (-2 * (2 * i) / width)"),
        "single-i": _frequencies("base ** (-i / width)"),
        "half-minus-one": _frequencies("base ** (-i / max(len(i) - 1, 1))"),
        "base-1000": _frequencies("1000.0 ** (-2 * i / width)"),
        "base-ignored": _frequencies("10000.0 ** (-2 * i / width)"),
        "exponent-sign": _frequencies("base ** (2 * i / width)"),
        "floored-exponent": _frequencies("1 / base ** (2 * i // width)"),
        "floored-step": _frequencies("np.exp(2 * i * (-np.log(base) / width // 2))"),
        "one-per-column": _frequencies("np.array([base ** (-j / width) for j in range(width)])"),
        "no-lone-sine": _frequencies("base ** (-2 * np.arange(width // 2) / width)"),
        "wavelengths": _frequencies("2 * np.pi * base ** (2 * i / width)"),
    },
    "6.2": {
        "doubled-exponent": _cells("2 * (j - j % 2) / width"),
        "single-i": _cells("(j // 2) / width"),
        "column-exponent": _cells("j / width"),
        "column-for-pair": _cells("2 * j / width"),
        "concatenated": _from_right(
            "    return np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)\n"
        ),
        "concatenated-cosines-first": _from_right(
            "    return np.concatenate([table[:, 1::2], table[:, 0::2]], axis=1)\n"
        ),
        "concatenated-half-minus-one": """
def sinusoidal(length, width, base=10000.0):
    half = width // 2
    speeds = np.exp(-np.log(base) * np.arange(half) / max(half - 1, 1))
    angles = np.arange(length)[:, None] * speeds
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    return np.pad(table, [(0, 0), (0, width % 2)])
""",
        "positions-from-1": _cells(first="1"),
        "half-minus-one": _cells("(j // 2) / max((width + 1) // 2 - 1, 1)"),
        "base-1000": _cells(base="1000.0"),
        "base-1000-column-exponent": _cells("j / width", base="1000.0"),
        "base-ignored": _cells(base="10000.0"),
        "exponent-sign": _cells("-(j - j % 2) / width"),
        "floored-exponent": _cells("(j - j % 2) // width"),
        "length-for-width": _cells("(j - j % 2) / length"),
        "parity-of-position": _cells(cosine="p % 2"),
        "cosine-first": _cells(cosine="j % 2 == 0"),
        "transposed": _from_right("    return table.T\n"),
        "degrees": _cells(angle="angle * np.pi / 180"),
        "odd-last-zero": _from_right(
            "    if width % 2:\n        table[:, -1] = 0\n    return table\n"
        ),
        "odd-crashes": """
def sinusoidal(length, width, base=10000.0):
    angles = np.arange(length)[:, None] * base ** (-np.arange(0, width, 2) / width)
    table = np.zeros((length, width))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table
""",
        "odd-refused": _from_right(
            "    if width % 2:\n        raise ValueError(f'{width} is odd')\n    return table\n"
        ),
        "odd-rounded-up": HELPER
        + """
def sinusoidal(length, width, base=10000.0):
    return _right(length, width + width % 2, base)[:, :width]
""",
        "row-zero-empty": _from_right("    table[0] = 0\n    return table\n"),
    },
    "6.3": {
        "along-batch": _batch("    return batch + _right(B, d, base)[:, None, :]\n"),
        "row-zero-for-all": _batch("    return batch + _right(1, d, base)\n"),
        "in-place": _batch("    batch += _right(L, d, base)\n    return batch\n"),
        "table-only": _batch("    return _right(L, d, base)\n"),
        "batch-forgotten": _batch("    return np.zeros((B, 1, 1)) + _right(L, d, base)\n"),
        "running-on": _batch("    return batch + _right(B * L, d, base).reshape(B, L, d)\n"),
        "added-twice": _batch("    table = _right(L, d, base)\n    return batch + table + table\n"),
        "first-sequence-only": _batch("    return (batch + _right(L, d, base))[:1]\n"),
        "base-ignored": _batch("    return batch + _right(L, d)\n"),
    },
    "6.4": {
        "no-limit": _layer(forward="return batch + self.table[:batch.shape[1]]"),
        "whole-table": _layer(forward="return batch + self.table"),
        "table-as-parameter": _layer(parameters="return [self.table]"),
        "gradient-plus-table": _layer(backward="return gradient + self.table[:gradient.shape[1]]"),
        "gradient-gone": _layer(backward="return np.zeros(gradient.shape)"),
        "gradient-summed": _layer(backward="return gradient.sum(0)"),
        "limit-too-soon": _layer(
            forward="if batch.shape[1] >= len(self.table): "
            "raise ValueError(f'{batch.shape[1]} tokens, {len(self.table)} rows')\n"
            "        return batch + self.table[:batch.shape[1]]"
        ),
        "limit-unnamed": _layer(
            forward="if batch.shape[1] > len(self.table): raise ValueError('too long')\n"
            "        return batch + self.table[:batch.shape[1]]"
        ),
        "limit-asserted": _layer(
            forward="assert batch.shape[1] <= len(self.table), "
            "f'{batch.shape[1]} tokens, {len(self.table)} rows'\n"
            "        return batch + self.table[:batch.shape[1]]"
        ),
        "cut-to-table": _layer(
            forward="L = min(batch.shape[1], len(self.table))\n        return batch[:, :L] + self.table[:L]"
        ),
        "in-place": _layer(
            forward="if batch.shape[1] > len(self.table): "
            "raise ValueError(f'{batch.shape[1]} tokens, {len(self.table)} rows')\n"
            "        batch += self.table[:batch.shape[1]]\n        return batch"
        ),
        "base-ignored": _layer(init="self.table = _right(max_length, width)"),
        "arguments-swapped": _layer(init="self.table = _right(width, max_length, base)"),
        "along-batch": _layer(
            forward="if batch.shape[1] > len(self.table): "
            "raise ValueError(f'{batch.shape[1]} tokens, {len(self.table)} rows')\n"
            "        return batch + self.table[:len(batch), None, :]"
        ),
    },
}
