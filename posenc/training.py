"""One attention layer learns a small task, and is told in five ways where its tokens are.

The layer is causal, has one head and nothing else: no second layer, no feed-forward part, no
normalisation. Whatever it knows about order beyond its mask comes from one of five SCHEMES:
nothing, sinusoids or a learned table added to its input, rotary turns of its queries and keys, or
an ALiBi penalty on its scores. The gradients are written out by hand; a test compares each entry
with central differences.

Lesson 11 trains a learned table, then numbers its tokens wrongly (`numbering_costs`) and makes it
longer (`grow_table`). Lesson 12 trains all five schemes on short rows and asks them about long
ones (`run`).

Shapes: B rows, L tokens in each, V different tokens, width d. Positions are whole numbers, from 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from posenc import arguments
from posenc.attention import attention_weights, causal_mask, softmax
from posenc.encodings import frequencies, lookup, packed_position_ids, sinusoidal_at, turn

SCHEMES = ("none", "sinusoidal", "learned", "rotary", "alibi")
PRECISIONS = ("float32", "float64")
LOOKBACK = 3  # the task three_back asks for the token this many places earlier
NOT_SCORED = -1  # target of a place whose answer does not count
TEST_SEED = 10_000  # test rows are the same for every scheme, and no training seed gives them

Report = Callable[[float], None]
Parameters = dict[str, np.ndarray]


@dataclass(frozen=True)
class Settings:
    """Sizes, optimiser and tasks of one experiment. Lengths and table_rows count tokens.

    A learned table may have more rows than training touches: here, one for each tested position.
    rotary_frequencies are the radians per position of each pair, those of `base` where left out;
    attention_factor multiplies rotary queries and keys, as YaRN does.
    TypeError or ValueError for a size that cannot be used.
    """

    vocabulary: int = 16
    width: int = 32
    trained_length: int = 32
    tested_length: int = 128
    tested_rows: int = 64
    table_rows: int = 128
    batch: int = 16
    steps: int = 250
    rate: float = 0.01
    # Near loss 0 a float32 gradient is mostly rounding. 1e-8 would make whole steps of it, and
    # accuracy beyond the trained length would decay the longer one trains.
    adam_epsilon: float = 1e-5
    embedding_scale: float = 1.0
    table_scale: float = 0.1
    base: float = 10000.0
    rotary_frequencies: tuple[float, ...] | None = None
    attention_factor: float = 1.0
    alibi_slope: float = 0.5  # the steepest of eight heads: alibi_slopes(8)[0]
    marked: int = 8  # tokens below this number are the marked ones of latest_mark
    marked_share: float = 0.25
    precision: str = "float32"

    def __post_init__(self) -> None:
        for name in ("tested_rows", "table_rows", "batch", "marked"):
            arguments.whole(name, getattr(self, name), low=1)
        arguments.whole("steps", self.steps, low=0)
        arguments.even("width", self.width)
        arguments.whole("trained_length", self.trained_length, low=LOOKBACK + 1)
        arguments.whole("tested_length", self.tested_length, low=self.trained_length)
        arguments.whole("vocabulary", self.vocabulary, low=self.marked + 1)
        for name in (
            "rate",
            "adam_epsilon",
            "embedding_scale",
            "table_scale",
            "base",
            "attention_factor",
        ):
            arguments.number(name, getattr(self, name), above=0)
        given = len(self.rotary_frequencies or ()) or self.width // 2
        if given != self.width // 2:
            raise ValueError(
                f"rotary_frequencies must hold {self.width // 2} numbers, one a pair, got {given}"
            )
        arguments.number("alibi_slope", self.alibi_slope)
        if not 0 < arguments.number("marked_share", self.marked_share) < 1:
            raise ValueError(f"marked_share must be between 0 and 1, got {self.marked_share}")
        arguments.choice("precision", self.precision, PRECISIONS)


DEFAULT = Settings()


# The tasks. Each gives an answer for every place of a row, so that one row teaches many times.


@dataclass(frozen=True)
class Task:
    """What is asked at each place of a row.

    draw(random, rows, length, settings) gives whole-number tokens (rows, length);
    targets(tokens, settings) gives the right answers, NOT_SCORED where none counts;
    answers(settings) is how many answers are possible.
    """

    asks: str
    draw: Callable[[np.random.Generator, int, int, Settings], np.ndarray]
    targets: Callable[[np.ndarray, Settings], np.ndarray]
    answers: Callable[[Settings], int]


def any_tokens(
    random: np.random.Generator, rows: int, length: int, settings: Settings
) -> np.ndarray:
    """Tokens (rows, length), each of the vocabulary equally likely."""
    return random.integers(0, settings.vocabulary, (rows, length))


def some_marked_tokens(
    random: np.random.Generator, rows: int, length: int, settings: Settings
) -> np.ndarray:
    """Tokens (rows, length), each of them marked with probability marked_share."""
    is_marked = random.random((rows, length)) < settings.marked_share
    marked = random.integers(0, settings.marked, (rows, length))
    others = random.integers(settings.marked, settings.vocabulary, (rows, length))
    return np.where(is_marked, marked, others)


def three_back(tokens: np.ndarray, settings: Settings) -> np.ndarray:
    """The token LOOKBACK places earlier: a question of distance alone."""
    targets = np.full_like(tokens, NOT_SCORED)
    targets[:, LOOKBACK:] = tokens[:, :-LOOKBACK]
    return targets


def latest_mark(tokens: np.ndarray, settings: Settings) -> np.ndarray:
    """The last marked token so far, asked at the unmarked ones: a question of recency."""
    places = _latest_marked_place(tokens, settings)
    targets = np.take_along_axis(tokens, np.maximum(places, 0), axis=1)
    return np.where((places < 0) | (tokens < settings.marked), NOT_SCORED, targets)


def first_token(tokens: np.ndarray, settings: Settings) -> np.ndarray:
    """The token at position 0, asked at all later ones: a question of an absolute place."""
    targets = np.broadcast_to(tokens[:, :1], tokens.shape).copy()
    targets[:, 0] = NOT_SCORED
    return targets


def _latest_marked_place(tokens: np.ndarray, settings: Settings) -> np.ndarray:
    """Position of the last marked token up to each place, -1 where there is none yet."""
    places = np.where(tokens < settings.marked, np.arange(tokens.shape[1]), -1)
    return np.maximum.accumulate(places, axis=1)


def _any_token_may_be_right(settings: Settings) -> int:
    return settings.vocabulary


def _a_marked_token_is_right(settings: Settings) -> int:
    return settings.marked


TASKS = {
    "three_back": Task(
        "copy the token three back", any_tokens, three_back, _any_token_may_be_right
    ),
    "latest_mark": Task(
        "name the latest marked token", some_marked_tokens, latest_mark, _a_marked_token_is_right
    ),
    "first_token": Task("name the first token", any_tokens, first_token, _any_token_may_be_right),
}


def chance(task: str, settings: Settings = DEFAULT) -> float:
    """Share of right answers of a guess among the possible ones.

    >>> chance("three_back"), chance("latest_mark")
    (0.0625, 0.125)
    """
    return 1 / _task(task).answers(settings)


def _task(name: str) -> Task:
    return TASKS[arguments.choice("task", name, tuple(TASKS))]


# The layer, forwards and backwards.


@dataclass(frozen=True, eq=False)
class Pass:
    """One forward pass: logits (B, L, V), and what the way back needs again."""

    tokens: np.ndarray
    positions: np.ndarray
    x: np.ndarray
    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray
    weights: np.ndarray
    mixed: np.ndarray
    logits: np.ndarray


def first_parameters(scheme: str, seed: int, settings: Settings = DEFAULT) -> Parameters:
    """Weights before training. One seed gives every scheme the same ones, the table apart."""
    random = np.random.default_rng([seed, 0])
    vocabulary, width = settings.vocabulary, settings.width
    shapes = {
        "embedding": (vocabulary, width),
        "query": (width, width),
        "key": (width, width),
        "value": (width, width),
        "output": (width, vocabulary),
    }
    parameters = {
        name: width**-0.5 * random.standard_normal(shape) for name, shape in shapes.items()
    }
    if arguments.choice("scheme", scheme, SCHEMES) == "learned":
        rows = random.standard_normal((settings.table_rows, width))
        parameters["table"] = settings.table_scale * rows
    return {name: value.astype(settings.precision) for name, value in parameters.items()}


def forward(
    parameters: Parameters,
    tokens: np.ndarray,
    scheme: str,
    settings: Settings = DEFAULT,
    positions: np.ndarray | None = None,
    mask: np.ndarray | None = None,
) -> Pass:
    """Tokens (B, L) through the layer.

    positions: (L,) whole numbers, 0 … L - 1 where left out. mask: (L, L) bools, True where the
    query of the row may read the key of the column; the causal mask where left out.
    IndexError if a learned table has no row for a position.
    """
    length = tokens.shape[1]
    positions = np.arange(length) if positions is None else np.asarray(positions)
    mask = causal_mask(length) if mask is None else mask
    bias = None

    x = parameters["embedding"][tokens] * settings.embedding_scale
    if scheme == "sinusoidal":
        x = x + sinusoidal_at(positions, settings.width, settings.base, x.dtype)
    elif scheme == "learned":
        x = x + lookup(parameters["table"], positions)
    elif scheme == "alibi":
        bias = -settings.alibi_slope * np.abs(positions[:, None] - positions)

    queries, keys, values = (x @ parameters[name] for name in ("query", "key", "value"))
    if scheme == "rotary":
        queries = _rotary(queries, positions, settings)
        keys = _rotary(keys, positions, settings)

    weights = attention_weights(queries, keys, mask, bias)
    mixed = weights @ values
    logits = mixed @ parameters["output"]
    return Pass(tokens, positions, x, queries, keys, values, weights, mixed, logits)


def _rotary(x: np.ndarray, positions: np.ndarray, settings: Settings) -> np.ndarray:
    """Queries or keys (B, L, d), turned by their positions (L,); gradients too."""
    ladder = settings.rotary_frequencies or frequencies(settings.width, settings.base)
    turned = turn(x, positions[:, None] * np.asarray(ladder))
    # A Python number keeps float32 as it is.
    return turned if settings.attention_factor == 1 else turned * settings.attention_factor


def loss_and_gradients(
    parameters: Parameters,
    tokens: np.ndarray,
    targets: np.ndarray,
    scheme: str,
    settings: Settings = DEFAULT,
    positions: np.ndarray | None = None,
    mask: np.ndarray | None = None,
) -> tuple[float, Parameters]:
    """Mean cross-entropy over the scored places, in nats, and its gradient for each weight.

    targets (B, L) as a Task gives them; positions and mask as in `forward`.
    """
    seen = forward(parameters, tokens, scheme, settings, positions, mask)
    scored = targets != NOT_SCORED
    right = _one_hot(np.where(scored, targets, 0), settings.vocabulary, seen.logits.dtype)
    shares = softmax(seen.logits)
    each = 1 / max(1, int(scored.sum()))  # a small batch may happen to ask nothing
    share_of_right = (shares * right).sum(axis=-1)[scored]
    loss = -np.log(np.maximum(share_of_right, np.finfo(shares.dtype).tiny)).sum() * each
    to_logits = (shares - right) * scored[..., None] * each
    return float(loss), _backward(parameters, seen, to_logits, scheme, settings)


def _backward(
    parameters: Parameters, seen: Pass, to_logits: np.ndarray, scheme: str, settings: Settings
) -> Parameters:
    """The gradient of each weight, from the one that reaches the logits (B, L, V)."""
    to_mixed = to_logits @ parameters["output"].T
    to_values = _transposed(seen.weights) @ to_mixed
    to_weights = to_mixed @ _transposed(seen.values)
    # Softmax: a score counts by how far its weight's gradient is from the weighted mean of its row.
    row_mean = (to_weights * seen.weights).sum(axis=-1, keepdims=True)
    # A Python number keeps float32 as it is; dividing by NumPy's square root would not.
    to_scores = seen.weights * (to_weights - row_mean) * settings.width**-0.5
    to_queries = to_scores @ seen.keys
    to_keys = _transposed(to_scores) @ seen.queries
    if scheme == "rotary":  # the transpose of a turn is the turn back
        to_queries = _rotary(to_queries, -seen.positions, settings)
        to_keys = _rotary(to_keys, -seen.positions, settings)

    arrived = {"query": to_queries, "key": to_keys, "value": to_values}
    to_x = sum(gradient @ parameters[name].T for name, gradient in arrived.items())
    gradients = {name: _flat(seen.x).T @ _flat(gradient) for name, gradient in arrived.items()}
    gradients["output"] = _flat(seen.mixed).T @ _flat(to_logits)
    # A product with one-hot rows adds up what reaches equal tokens; np.add.at is far slower here.
    picked = _one_hot(seen.tokens, settings.vocabulary, to_x.dtype)
    gradients["embedding"] = _flat(picked).T @ _flat(to_x) * settings.embedding_scale
    if scheme == "learned":
        rows = _one_hot(seen.positions, len(parameters["table"]), to_x.dtype)
        gradients["table"] = rows.T @ to_x.sum(axis=0)
    return gradients


def _one_hot(numbers: np.ndarray, count: int, dtype: np.dtype) -> np.ndarray:
    return np.eye(count, dtype=dtype)[numbers]


def _transposed(x: np.ndarray) -> np.ndarray:
    return x.swapaxes(-1, -2)


def _flat(x: np.ndarray) -> np.ndarray:
    """All rows of a batch under one another."""
    return x.reshape(-1, x.shape[-1])


# Training.


@dataclass(frozen=True, eq=False)
class Trained:
    """A layer after training: its weights, the weights before, the loss of each step in nats."""

    scheme: str
    task: str
    seed: int
    settings: Settings
    parameters: Parameters
    before: Parameters
    losses: np.ndarray


def train(
    scheme: str,
    task: str,
    seed: int,
    settings: Settings = DEFAULT,
    report: Report | None = None,
    start: Parameters | None = None,
) -> Trained:
    """Train one scheme on fresh random rows of trained_length.

    scheme: one of SCHEMES; task: a key of TASKS; ValueError for another.
    seed: fixes the first weights and every batch; schemes of one seed see the same batches.
    report: called now and then with the share that is done, at the end with 1.0.
    start: weights to go on from, drawn from the seed where left out; they are not changed.

    >>> trained = train("learned", "three_back", seed=0, settings=Settings(steps=3))
    >>> touched = (trained.parameters["table"] != trained.before["table"]).any(axis=1)
    >>> int(touched.sum()), int((~touched).sum())
    (32, 96)
    """
    chosen = _task(task)
    before = first_parameters(scheme, seed, settings) if start is None else start
    parameters = {name: value.copy() for name, value in before.items()}
    adam = Adam(parameters, settings.adam_epsilon)
    random = np.random.default_rng([seed, 1])
    losses = np.empty(settings.steps)
    for step in range(settings.steps):
        tokens = chosen.draw(random, settings.batch, settings.trained_length, settings)
        targets = chosen.targets(tokens, settings)
        losses[step], gradients = loss_and_gradients(parameters, tokens, targets, scheme, settings)
        adam.move(parameters, gradients, settings.rate * _rate_left(step / settings.steps))
        if report and step % 25 == 0:
            report(step / settings.steps)
    if report:
        report(1.0)
    return Trained(scheme, task, seed, settings, parameters, before, losses)


def _rate_left(share_done: float) -> float:
    """The whole rate for the first half of the steps, then a straight line down to 0."""
    return min(1.0, 2 * (1 - share_done))


class Adam:
    """Kingma and Ba (2015), algorithm 1, with the decays 0.9 and 0.98 of Vaswani et al. (2017)."""

    MEAN_KEPT, SQUARE_KEPT = 0.9, 0.98

    def __init__(self, parameters: Parameters, epsilon: float) -> None:
        self.epsilon = epsilon
        self.steps = 0
        self.mean = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.square = {name: np.zeros_like(value) for name, value in parameters.items()}

    def move(self, parameters: Parameters, gradients: Parameters, rate: float) -> None:
        """Change the parameters in place. A row that never had a gradient stays as it is."""
        self.steps += 1
        mean_grown = 1 - self.MEAN_KEPT**self.steps
        square_grown = 1 - self.SQUARE_KEPT**self.steps
        for name, gradient in gradients.items():
            mean, square = self.mean[name], self.square[name]
            mean += (1 - self.MEAN_KEPT) * (gradient - mean)
            square += (1 - self.SQUARE_KEPT) * (gradient * gradient - square)
            size = np.sqrt(square * (1 / square_grown)) + self.epsilon
            parameters[name] -= rate / mean_grown * mean / size


# Accuracy.

# Intervals over which accuracy is told, in multiples of the trained length; the end is left out.
RANGES = {"inside": (0, 1), "1 to 2": (1, 2), "2 to 4": (2, 4), "4 to 8": (4, 8)}
STABLE = 0.05  # accuracies of one setting differ by less between machines; that much is printed


def predict(
    trained: Trained,
    tokens: np.ndarray,
    positions: np.ndarray | None = None,
    mask: np.ndarray | None = None,
) -> np.ndarray:
    """The most likely answer at each place, (B, L); positions and mask as in `forward`."""
    seen = forward(trained.parameters, tokens, trained.scheme, trained.settings, positions, mask)
    return seen.logits.argmax(axis=-1)


def accuracy_by_position(trained: Trained) -> np.ndarray:
    """Share of right answers at each position of fresh rows, (tested_length,).

    NaN where the task asks nothing. All schemes and seeds are asked about the same rows.
    """
    tokens, targets = _test_rows(trained.task, trained.settings)
    return _accuracy(predict(trained, tokens), targets)


def accuracy_in_range(accuracy: np.ndarray, name: str, settings: Settings = DEFAULT) -> np.ndarray:
    """Mean accuracy over one of the RANGES of the last axis, which is position.

    ValueError for another name, and where accuracy ends before the range begins.

    >>> float(accuracy_in_range(np.arange(128), "1 to 2"))
    47.5
    """
    edges = RANGES[arguments.choice("name", name, tuple(RANGES))]
    start, stop = (round(edge * settings.trained_length) for edge in edges)
    arguments.whole("positions of accuracy", accuracy.shape[-1], low=start + 1)
    return np.nanmean(accuracy[..., start:stop], axis=-1)


def band(accuracies: ArrayLike) -> str:
    """The lowest and the highest of some accuracies, rounded to STABLE; one number where equal.

    >>> band([0.713, 0.386, 0.54]), band([0.997, 1.0])
    ('0.40–0.70', '1.00')
    """
    rounded = np.round(np.asarray(accuracies, dtype=float) / STABLE) * STABLE
    low, high = f"{rounded.min():.2f}", f"{rounded.max():.2f}"
    return low if low == high else f"{low}–{high}"


def latest_mark_inside(settings: Settings = DEFAULT) -> np.ndarray:
    """Accuracy by position, (tested_length,), of naming the latest mark of the trained length.

    What latest_mark gives to a reader that never looks past the first trained_length tokens. Only
    above this line does a scheme use what lies beyond.
    """
    tokens, targets = _test_rows("latest_mark", settings)
    reached = np.minimum(np.arange(settings.tested_length), settings.trained_length - 1)
    places = np.maximum(_latest_marked_place(tokens, settings)[:, reached], 0)
    return _accuracy(np.take_along_axis(tokens, places, axis=1), targets)


def _test_rows(task: str, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Tokens and targets, (tested_rows, tested_length) each."""
    random = np.random.default_rng(TEST_SEED)
    tokens = TASKS[task].draw(random, settings.tested_rows, settings.tested_length, settings)
    return tokens, TASKS[task].targets(tokens, settings)


def _accuracy(predicted: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Right answers per scored one in each column, NaN in a column without scored ones."""
    scored = (targets != NOT_SCORED).sum(axis=0)
    right = (predicted == targets).sum(axis=0)
    return np.where(scored, right / np.maximum(scored, 1), np.nan)


# Lesson 11: the number of a position is a contract.


@dataclass(frozen=True)
class Numbering:
    """How a row is made, and the positions that a program gave to its tokens.

    documents: the length of each document in the row; pads: places before the first of them;
    given: the number of each place, pads included; scored_from: answers count from this place
    on, because what comes before it is numbered correctly.
    A token reads its own document only, and no pad.
    """

    name: str
    documents: tuple[int, ...]
    given: tuple[int, ...]
    pads: int = 0
    scored_from: int = 0

    def __post_init__(self) -> None:
        places = self.pads + sum(self.documents)
        if len(self.given) != places:
            raise ValueError(
                f"given must number all {places} places of the row, got {len(self.given)} numbers"
            )

    def document_ids(self) -> np.ndarray:
        """The document of each place, (L,), from 0; -1 for a pad."""
        return np.repeat(np.arange(-1, len(self.documents)), (self.pads, *self.documents))

    def right(self) -> np.ndarray:
        """The numbers that should have been given, (L,): each document from 0."""
        return packed_position_ids(self.document_ids())

    def mask(self) -> np.ndarray:
        """(L, L) bools: causal, and within one document."""
        documents = self.document_ids()
        return causal_mask(len(documents)) & (documents[:, None] == documents)

    def draw(self, task: str, settings: Settings = DEFAULT) -> tuple[np.ndarray, np.ndarray]:
        """Tokens and targets of the task, (tested_rows, L) each; pads are token 0."""
        random, chosen = np.random.default_rng(TEST_SEED), _task(task)
        pads = np.zeros((settings.tested_rows, self.pads), dtype=int)
        tokens, targets = [pads], [pads + NOT_SCORED]
        for length in self.documents:
            tokens.append(chosen.draw(random, settings.tested_rows, length, settings))
            targets.append(chosen.targets(tokens[-1], settings))
        all_targets = np.concatenate(targets, axis=1)
        all_targets[:, : self.scored_from] = NOT_SCORED
        return np.concatenate(tokens, axis=1), all_targets


def numberings(trained_length: int = 32) -> tuple[Numbering, ...]:
    """The right numbering and seven mistakes; the longest row is 4·trained_length.

    trained_length is at least 16, so that a quarter of it is a document that asks something.

    >>> for numbering in numberings(16)[-2:]:
    ...     print(numbering.name, numbering.given[8:], numbering.right()[8:].tolist())
    a chunk of 8 restarts at 0 (0, 1, 2, 3, 4, 5, 6, 7) [8, 9, 10, 11, 12, 13, 14, 15]
    offset one too small (7, 8, 9, 10, 11, 12, 13, 14) [8, 9, 10, 11, 12, 13, 14, 15]
    """
    whole = arguments.whole("trained_length", trained_length, low=4 * (LOOKBACK + 1))
    half = whole // 2
    quarter, rest = whole // 4, whole - half
    row, prompt = (whole,), _count(0, half)
    return (
        Numbering("right", row, _count(0, whole)),
        Numbering(
            f"left-padded to {whole}, counted from the pads", (half,), _count(0, whole), pads=rest
        ),
        Numbering(
            f"left-padded to {2 * whole}, counted from the pads",
            (half,),
            _count(0, 2 * whole),
            pads=2 * whole - half,
        ),
        Numbering(
            f"4 documents of {quarter} packed, no reset", (quarter,) * 4, _count(0, 4 * quarter)
        ),
        Numbering(f"4 documents of {whole} packed, no reset", (whole,) * 4, _count(0, 4 * whole)),
        Numbering("each decoded token numbered 0", row, prompt + (0,) * rest, scored_from=half),
        Numbering(
            f"a chunk of {rest} restarts at 0", row, prompt + _count(0, rest), scored_from=half
        ),
        Numbering(
            "offset one too small", row, prompt + _count(half - 1, whole - 1), scored_from=half
        ),
    )


def _count(start: int, stop: int) -> tuple[int, ...]:
    return tuple(range(start, stop))


KEEPS_ALL = 0.9  # of what positions add: a numbering that leaves so much costs nothing


@dataclass(frozen=True, eq=False)
class Cost:
    """What one numbering did to a learned table on one task: accuracies, one a seed, (seeds,).

    right: the rows numbered correctly; given: numbered as the program did; floor: a model without
    positions on the same rows.
    """

    numbering: Numbering
    task: str
    right: np.ndarray
    given: np.ndarray
    floor: np.ndarray

    def kept(self) -> float:
        """Share of what positions add that is left, mean over seeds: 1 all, 0 or less nothing."""
        return float(np.mean(self.given - self.floor) / np.mean(self.right - self.floor))

    def told(self) -> str:
        """Accuracy as numbered, and without positions: the `band` over the seeds of each."""
        return f"{band(self.given)} ({band(self.floor)})"


def numbering_costs(
    tasks: Sequence[str] = ("three_back", "first_token"),
    seeds: Sequence[int] = (0, 1, 2),
    report: Report | None = None,
    settings: Settings = DEFAULT,
) -> tuple[Cost, ...]:
    """Each of the `numberings` on each task, with a learned table trained on right numbers.

    Decoding with a cache is read off whole rows: in one causal layer a key keeps the position it
    was made with, so the scores are the same. table_rows must be at least 4·trained_length.
    """
    total, done = 2 * len(tasks) * len(seeds), 0
    costs = []
    for task in tasks:
        trained: dict[str, list] = {"learned": [], "none": []}
        for scheme, layers in trained.items():
            for seed in seeds:
                layers.append(train(scheme, task, seed, settings, _part(report, done, total)))
                done += 1
        costs += [
            _cost(numbering, task, trained, settings)
            for numbering in numberings(settings.trained_length)
        ]
    return tuple(costs)


def _cost(
    numbering: Numbering, task: str, trained: dict[str, list[Trained]], settings: Settings
) -> Cost:
    """One numbering, examined on a learned table and without positions."""
    tokens, targets = numbering.draw(task, settings)
    scored, mask = targets != NOT_SCORED, numbering.mask()

    def accuracy(scheme: str, positions: np.ndarray) -> np.ndarray:
        predicted = [predict(layer, tokens, positions, mask) for layer in trained[scheme]]
        return np.array([(row == targets)[scored].mean() for row in predicted])

    right, given = numbering.right(), np.array(numbering.given)
    return Cost(
        numbering,
        task,
        accuracy("learned", right),
        accuracy("learned", given),
        accuracy("none", right),
    )


def _part(report: Report | None, done: int, total: int) -> Report | None:
    """A report for one training out of several."""
    return report and (lambda share: report((done + share) / total))


# Lesson 11: a longer table.

GROWING = ("fresh", "repeat", "wrap", "stretch")


def rows_between(table: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Rows of a table (capacity, width) read at real places (n,), straight lines in between.

    Places before the first or after the last row give that row. Where a table of n rows is
    stretched to m, three sets of places are in use: np.linspace(0, n - 1, m), the ends on the
    ends; interpolated_positions(m, n), every step n/m; (np.arange(m) + 0.5)·n/m - 0.5, the middles
    of the rows on one another.
    """
    columns = np.asarray(table).T
    rows = np.array([np.interp(places, np.arange(len(table)), column) for column in columns])
    return rows.T.astype(table.dtype)


def grow_table(table: np.ndarray, rows: int, way: str, seed: int = 0) -> np.ndarray:
    """A table (rows, width) made from a shorter one, in one of the ways of GROWING.

    "fresh" adds random rows with the spread of the old ones, drawn from the seed; "repeat" adds
    the last row again and again; "wrap" begins again at row 0; "stretch" spreads the old rows
    over the new length, first on first and last on last, and interpolates.

    >>> table = np.array([[0.0], [4.0], [8.0]])
    >>> for way in ("repeat", "wrap", "stretch"):
    ...     print(way, grow_table(table, 5, way)[:, 0].tolist())
    repeat [0.0, 4.0, 8.0, 8.0, 8.0]
    wrap [0.0, 4.0, 8.0, 0.0, 4.0]
    stretch [0.0, 2.0, 4.0, 6.0, 8.0]
    """
    table = arguments.real_array("table", table, axes=2)
    known, width = table.shape
    rows = arguments.whole("rows", rows, low=known)
    if arguments.choice("way", way, GROWING) == "fresh":
        added = np.random.default_rng(seed).standard_normal((rows - known, width))
        return np.concatenate([table, table.std() * added]).astype(table.dtype)
    places = {
        "repeat": np.minimum(np.arange(rows), known - 1),
        "wrap": np.arange(rows) % known,
        "stretch": np.linspace(0, known - 1, rows),
    }
    return rows_between(table, places[way])


def with_table(trained: Trained, table: np.ndarray) -> Trained:
    """The same layer with another table, tested as far as the table reaches."""
    settings = replace(trained.settings, table_rows=len(table), tested_length=len(table))
    parameters = {**trained.parameters, "table": table}
    return replace(trained, settings=settings, parameters=parameters)


# Lesson 12: past the trained length.


def with_ladder(trained: Trained, ladder: ArrayLike, factor: float = 1.0) -> Trained:
    """The same rotary layer with other frequencies, (width/2,), and YaRN's attention factor.

    Nothing is trained again: this is what a changed line in a configuration file does.
    """
    frequencies_of_pairs = tuple(float(speed) for speed in np.asarray(ladder))
    settings = replace(
        trained.settings, rotary_frequencies=frequencies_of_pairs, attention_factor=factor
    )
    return replace(trained, settings=settings)


def weights_by_distance(trained: Trained, first: int, rows: int = 16) -> np.ndarray:
    """Mean attention weight by distance, (first + 1,), of the queries from position `first` on.

    Entry d is what a query gives to the key d positions back. The rows are the first test rows.
    """
    tokens = _test_rows(trained.task, trained.settings)[0][:rows]
    weights = forward(trained.parameters, tokens, trained.scheme, trained.settings).weights
    mean = weights.mean(axis=0)
    return np.array([np.diagonal(mean, -d)[first - d :].mean() for d in range(first + 1)])


@dataclass(frozen=True, eq=False)
class Experiment:
    """What `run` trained and measured.

    layers[task, scheme] holds one layer a seed; accuracy[task, scheme] is (seeds, tested_length),
    by position.
    """

    schemes: tuple[str, ...]
    tasks: tuple[str, ...]
    seeds: tuple[int, ...]
    settings: Settings
    layers: dict[tuple[str, str], tuple[Trained, ...]]
    accuracy: dict[tuple[str, str], np.ndarray]

    def in_ranges(self, task: str, scheme: str) -> dict[str, np.ndarray]:
        """Accuracy of each seed, (seeds,), in each of the RANGES that was tested."""
        accuracy = self.accuracy[task, scheme]
        return {name: accuracy_in_range(accuracy, name, self.settings) for name in self.ranges()}

    def ranges(self) -> tuple[str, ...]:
        """The RANGES that end within what was tested."""
        tested = self.settings.tested_length / self.settings.trained_length
        return tuple(name for name, (_, end) in RANGES.items() if end <= tested)

    def table(self, task: str) -> str:
        """One line a scheme: the `band` of its seeds in each range."""
        lines = ["".join(f"{words:12}" for words in ("", *self.ranges()))]
        for scheme in self.schemes:
            bands = (band(seeds) for seeds in self.in_ranges(task, scheme).values())
            lines.append("".join(f"{words:12}" for words in (scheme, *bands)))
        return "\n".join(line.rstrip() for line in lines)


def run(
    schemes: Sequence[str] = SCHEMES,
    tasks: Sequence[str] = ("three_back", "latest_mark"),
    seeds: Sequence[int] = (0, 1, 2),
    report: Report | None = None,
    settings: Settings = DEFAULT,
) -> Experiment:
    """Train each scheme on each task from each seed, and ask it far beyond the trained length.

    >>> untrained = Settings(steps=0, tested_rows=2)
    >>> found = run(["none"], ["three_back"], seeds=[0, 1], settings=untrained)
    >>> found.accuracy["three_back", "none"].shape, found.ranges()
    ((2, 128), ('inside', '1 to 2', '2 to 4'))
    """
    total, done = len(schemes) * len(tasks) * len(seeds), 0
    layers, accuracy = {}, {}
    for task in tasks:
        for scheme in schemes:
            trained = []
            for seed in seeds:
                trained.append(train(scheme, task, seed, settings, _part(report, done, total)))
                done += 1
            layers[task, scheme] = tuple(trained)
            accuracy[task, scheme] = np.array([accuracy_by_position(each) for each in trained])
    return Experiment(tuple(schemes), tuple(tasks), tuple(seeds), settings, layers, accuracy)
