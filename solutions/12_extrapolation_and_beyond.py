# %% [markdown]
# # 12 · Defined is not useful
#
# **What breaks.** A formula that gives every position a vector is taken for a model that works at every position. Five encodings are trained here on short rows and asked about rows eight times as long. The one that almost all current language models use is then repaired in four ways.
#
# **Afterwards you can** say which encoding a model has and what a line about `rope` in its configuration file does; turn queries and keys by rotary angles in any pairing; build ALiBi's slopes; say why a rotary model fails past its trained length; and compare repairs by measuring them.
#
# **You need** the look-alikes of [lesson 5](05_clocks_and_circles.ipynb), the ladder of [lesson 7](07_frequency_ladder.ipynb), the rotary score of [lesson 9](09_shift_rotations.ipynb), the four terms of [lesson 10](10_cost_of_adding.ipynb) and the trained table of [lesson 11](11_learned_tables_and_indices.ipynb).

# %%
import numpy as np

from posenc.attention import softmax
from posenc.classroom import ask, bar, case, check, claim, hint, playground, progress, solution
from posenc.encodings import (
    attention_factor, frequencies, sinusoidal_at, turn, yarn_frequencies,
)
from posenc.figures import lesson_12
from posenc.training import (
    TASKS, Settings, accuracy_by_position, band, predict, run, train, weights_by_distance,
    with_ladder,
)

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** By which two doors can order enter attention? (The input vectors, the score.) What did lesson 9 find for (M_p q) · (M_j k)? (qᵀ M_{j−p} k.) Which distances does a fast pair confuse? (Those that are nearly a whole number of its turns apart.) Then a show of hands, kept on the board: *which of five encodings will still answer at eight times the trained length?*
#
# **When late**, skip the sections of rotary in *Which features turn* and the twelve heads of *ALiBi*. Keep *Why rotary fails far out* and the table of repairs.

# %% [markdown] tags=["instructor"]
# **In front of people**: begin with the added sinusoids and move from 0 to 5. Then rotary, and drag as far as the slider goes. Then the fourth entry: ask what went wrong, and leave it open until *Which features turn*.

# %% [markdown] section="two-doors" minutes=4
# ## Two places to put the position
#
# Lessons 4 to 11 went through the first door of lesson 1. Each token gets a position vector that says *this is token 37*, and the weights have to make *three back* out of 37 and 34. The second door leaves the token vectors alone and lets the score depend on the distance between query and key. To tell the two apart, move query and key along together and watch the score:

# %%
query, key = np.random.default_rng(0).uniform(-1, 1, (2, 8))
for shift in (0, 5, 100):
    one, other = query + sinusoidal_at(7 + shift, 8), key + sinusoidal_at(4 + shift, 8)
    print(f"moved by {shift:3d}: score {one @ other:.3f}")

# %% [markdown]
# The distance is 3 in each line, and the score changes. The product of the two position vectors stays, as lesson 8 found. The two mixed terms of lesson 10 depend on where the pair is.

# %%
playground(lesson_12.doors)

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Sinusoids are relative, lesson 8 proved it." Say: *position vector with position vector, yes; token plus position with token plus position, no.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a pair goes a tenth of the way round during training. Which of its values has the model met?

# %% [markdown] section="defined" minutes=3
# ## Defined at 4,000
#
# The formula of lesson 6 has a row for every position, and row 4000 looks like any other:

# %%
far, next_one = sinusoidal_at(np.array([4000, 4001]), 64)
print(f"norm of row 4000: {np.linalg.norm(far):.4f}, of every row: {np.sqrt(64 / 2):.4f}")
print(f"row 4000 · row 4001: {far @ next_one:.3f}, row 0 · row 1: ", end="")
print(f"{sinusoidal_at(0, 64) @ sinusoidal_at(1, 64):.3f}")

# %% [markdown]
# The authors of 2017 chose sinusoids because they "may allow the model to extrapolate to sequence lengths longer than the ones encountered during training". Neither the norm nor the product can tell whether they do. New past the trained length is where the slow pairs point:

# %%
lesson_12.circles()

# %%
ask("12.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The values are bounded, so they cannot surprise the model." Say: *each value stays between −1 and 1; the combinations are new.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the loop runs: which of the four scores will be equal?

# %% [markdown] section="rotary" minutes=6
# ## Rotary: turn queries and keys
#
# Lesson 9 ended with a score that depends on two contents and their distance: turn the query and the key, each by its own position. In code, pair by pair:

# %%
def turned(x, position):
    a, b = x[0::2], x[1::2]
    angle = position * frequencies(len(x))
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.stack([a * cosine - b * sine, a * sine + b * cosine], axis=1).ravel()


for i, j in ((7, 4), (17, 14), (1007, 1004), (7, 3)):
    print(f"query at {i:4d}, key at {j:4d}: score {turned(query, i) @ turned(key, j):.4f}")

# %% [markdown]
# The minus is in the first line here and was in the second in lesson 9. There the sine was the first column of a pair, here the first feature takes the cosine's part. Query and key both turn the other way, and the angle between them is the same.
#
# The turn comes after the projections. Applied to x before W_q and W_k, it is mixed by two matrices that do not commute with it:

# %% tags=["guess-first"]
W_q, W_k = np.random.default_rng(1).normal(size=(2, 8, 8))
for start in (0, 5, 50):
    after = turned(query @ W_q, start + 3) @ turned(key @ W_k, start)
    before = (turned(query, start + 3) @ W_q) @ (turned(key, start) @ W_k)
    print(f"distance 3 from {start:2d}: turned after {after:.3f}, before {before:.3f}")

# %% [markdown]
# Values are not turned. They are summed and not compared, so a turned value would hand on its own place and no distance. The attention weights still carry the order.
#
# Almost all current language models are rotary: Llama, Qwen, Mistral, Gemma and DeepSeek among them. [A comparison of recent open models](https://sebastianraschka.com/blog/2025/the-big-llm-architecture-comparison.html) counts the step from added positions to rotary among the few changes since GPT-2. A configuration file shows it by `rope_theta`, the base of lesson 7, or by a block whose name begins with `rope`. Without either, look at the model's code and weights, because some rotary files leave the base out and mean 10,000. A weight matrix with one row for each position is lesson 11's table; an entry `alibi`, where there is one, says what it is.

# %%
claim("rotary-distance-only")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Rotary is added like the others." Say: *nothing is added; two vectors are turned, and the product reads the angle between them.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: two programs print different rotations of one vector. Which is broken? (Perhaps neither. Compare scores at equal distances.)

# %% [markdown] section="pairings" minutes=7
# ## Which features turn, and by which number
#
# Several conventions are in use, and no shape tells them apart. The paper pairs neighbours (0 with 1), as GPT-J does; most current code pairs halves (0 with 4 of eight). A `partial_rotary_factor` of 0.5 turns the first half of the features, with a ladder for that half. Gemma 4's global layers (`"rope_type": "proportional"`) pair the halves of the *whole* head, on its ladder, and turn only the first pairs:

# %%
x, one = np.arange(1.0, 9.0)[None], np.array([[1]])
print("first 4, neighbours:", turn(x, one * frequencies(4))[0])
print("first 4, halves:    ", turn(x, one * frequencies(4), "halves")[0])
some = frequencies(8) * [1, 1, 0, 0]
print("proportional:       ", turn(x, one * some, "halves")[0])

# %% [markdown]
# Each is right for the weights that were trained with it. Converters reorder the features that W_q and W_k produce, which turns neighbours into halves. DeepSeek-V2 and V3 say *partial* in two numbers: of a query's features, `qk_nope_head_dim` 128 stay and `qk_rope_head_dim` 64 turn.
#
# Code that lays out one angle a feature needs [c1, c1, c2, c2] for neighbours and [c1, c2, c1, c2] for halves. If the layout is that of the other pairing, the two features of a pair turn by different angles, which is the fourth entry of the playground above:

# %%
def half_turn(v, angle):
    return v * np.cos(angle) + np.r_[-v[2:], v[:2]] * np.sin(angle)


v = np.arange(1.0, 5.0)
for name, layout in (("c1 c2 c1 c2", [1, 0.01, 1, 0.01]), ("c1 c1 c2 c2", [1, 1, 0.01, 0.01])):
    at_4, at_14 = (half_turn(v, (p + 3) * np.array(layout)) @ half_turn(v, p * np.array(layout))
                   for p in (4, 14))
    print(f"halves with {name}: scores at equal distance {at_4:.3f} and {at_14:.3f}")

# %% [markdown]
# Models that also read images and video number a token three times, by time, height and width. Qwen2-VL's `"mrope_section": [16, 24, 24]` gives the first 16 pairs the time, the next 24 the height, the rest the width. With [2, 1, 1]:

# %%
section = np.repeat([0, 1, 2], [2, 1, 1])
for name, place in (("a word at 5", [5, 5, 5]), ("an image patch", [5, 2, 3])):
    print(f"{name:14} angles", np.array(place)[section] * frequencies(8))

# %% [markdown]
# For text the three numbers are equal, and this is ordinary rotary.

# %%
ask("12.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They compare the helper `rotate_half` with the paper and report a bug. Say: *a pairing is right or wrong only together with its angles.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a head with slope 1/2 and a word ten places back. By how much is its score lowered, and what factor is that on its weight? (5; about 1/150.)

# %% [markdown] section="alibi" minutes=5
# ## ALiBi: a penalty for distance
#
# So far each layer had one query and one key for each token. Models split the width into several **heads**, each with its own queries, keys and attention weights, and join the results. ALiBi changes no vector. Each head subtracts its own slope times the distance from its scores; for eight heads the slopes halve from 1/2 to 1/256.

# %%
slopes = 2.0 ** -np.arange(1, 9)
distance = np.abs(np.arange(6)[:, None] - np.arange(6))
print("head 0, weights of query 3 if scores are equal:", softmax(-slopes[0] * distance[3, :4]))

# %%
lesson_12.penalties()

# %% [markdown]
# For a number of heads that is not a power of two, the released code takes the slopes of the next smaller power and adds every second slope of the next larger one, so the list jumps up again:

# %%
finer = 2.0 ** -(np.arange(1, 17) / 2)
print("12 heads:", np.concatenate([slopes, finer[0::2]])[:12])

# %% [markdown]
# Can an encoder, which has no mask, tell left from right by ALiBi? It sees |i − j| only:

# %%
def encoder(x):
    return softmax(x @ x.T / np.sqrt(8) - slopes[0] * distance) @ x


words = np.random.default_rng(2).normal(size=(6, 8))
for name, order in (("mirrored", [5, 4, 3, 2, 1, 0]), ("first two exchanged", [1, 0, 2, 3, 4, 5])):
    moved = np.abs(encoder(words[order]) - encoder(words)[order]).max()
    print(f"{name}: the outputs differ by up to {moved:.1f}")

# %% [markdown]
# A sentence and its mirror are the same to it. No other order keeps all distances.

# %%
ask("12.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They see positive numbers in a library's bias and report a sign error. Say: *take each row's diagonal away, then look at the sign.*

# %% [markdown] tags=["instructor"]
# **In front of people**: let the bar run while you ask for bets, and count them on the board. Then point at the line for no positions: why is it above chance? (Near the start few tokens can be the answer.)

# %% [markdown] section="experiment" minutes=8
# ## The experiment
#
# One causal attention layer with one head is trained on rows of 32 tokens and asked about rows of 256. It has no positions at all (**NoPE**), sinusoids, a learned table, rotary or ALiBi; three seeds each, and the encodings of one seed start from the same weights. The first task is to copy the token three back:

# %%
settings, task = Settings(tested_length=256, table_rows=256), TASKS["three_back"]
row = np.array([[3, 1, 4, 1, 5, 9, 2, 6]])
print("tokens ", row[0])
print("answers", task.targets(row, settings)[0], "(−1: nothing is scored here)")

# %%
experiment = run(report=bar("Five encodings, two tasks, three seeds"), settings=settings)
lesson_12.curves(experiment, "three_back")

# %% [markdown]
# The table gives accuracy by multiples of the trained length, rounded to 0.05, from the lowest seed to the highest:

# %%
print(experiment.table("three_back"))

# %% [markdown]
# The learned table fails at once, because its later rows are as they were drawn. The sinusoids fail by a different amount from seed to seed. Rotary is right to twice the length and then loses accuracy. ALiBi never learned the task, and its answers show why:

# %%
trained = experiment.layers["three_back", "alibi"][0]
tokens = task.draw(np.random.default_rng(1), 64, 32, settings)
answers = predict(trained, tokens)
agrees = [(answers[:, k:] == tokens[:, : 32 - k]).mean() for k in range(6)]
print("ALiBi most often names the token", int(np.argmax(agrees)), "back")

# %% [markdown]
# A penalty that grows with distance cannot prefer three to one. It suits another task: a quarter of the tokens are marked, and everywhere else the latest marked one is to be named.

# %%
lesson_12.curves(experiment, "latest_mark")

# %%
print(experiment.table("latest_mark"))

# %% [markdown]
# The grey line is a reader that knows the first 32 tokens only. From twice to four times the length, sinusoids and learned table are *below* the layer without positions: wrong position vectors are worse than none. NoPE is not blind, since the causal mask tells it how much came before (lesson 3). SmolLM3, for one, leaves every fourth layer without positions.

# %%
claim("steep-alibi")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They average the two tasks into a ranking. Say: *two tasks, two answers; their mean answers no question.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the picture: the task needs distance 3 and nothing else, and training showed distance 3 a thousand times. What can go wrong at position 200?

# %% [markdown] section="look-alikes" minutes=5
# ## Why rotary fails far out
#
# Three back is a distance that training knew, and the score of that distance is the same everywhere. So other keys must draw the attention away. The next cell lists the distances to which positions 200 and later attend most:

# %%
layers = experiment.layers["three_back", "rotary"]
for layer in layers:
    weights = weights_by_distance(layer, 200)
    most = np.argsort(-weights)[:3]
    print("distances with the most weight:", most, "· weights", weights[most].round(1))

# %% [markdown]
# Distance 3, and then 103, 104 and 179. Lesson 5 called such positions look-alikes. These distances are most like 3 by the four fastest pairs:

# %%
fast = sinusoidal_at(np.arange(201), 32)[:, :8]
apart = np.linalg.norm(fast - fast[3], axis=1)
print("look-alikes of 3 beyond 10:", [int(d) for d in np.argsort(apart) if d > 10][:4])

# %%
lesson_12.strays(layers)

# %% [markdown]
# The layer learned to recognise 3 by its fast pairs. Within 32 tokens only the neighbours 2 and 4 resemble it in all of them; a hundred tokens back another distance does, and the accuracy drops there. Longer texts hold more look-alikes. Larger models are hurt in more ways than this one, but one thing is general: training ruled out only the distances that it contained.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Rotary generalises, because only the distance counts." Say: *only the distance counts, and most distances were never seen.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which pairs should a repair slow down, and which had better stay? (The slow ones; the fast ones tell 3 from 4.)

# %% [markdown] section="repairs" minutes=8
# ## Four repairs, side by side
#
# Every repair of a rotary model changes its ladder ω. With s = new length / trained length:
#
# | Repair | Frequencies | In the configuration file |
# |---|---|---|
# | squeezed positions (position interpolation) | ω / s | `rope_scaling`: `"linear"`, `factor` s |
# | NTK-aware | ladder of base · s^(width/(width − 2)) | `"dynamic"`, which lets s follow the text |
# | larger base | ladder of that base | `rope_theta` |
# | YaRN | ω / s for pairs below one turn in the trained length, ω above 32 turns, a straight line between | `"yarn"`, `factor` s, `original_max_position_embeddings` for the trained length |
#
# The name in quotes is the `rope_type`. YaRN also multiplies queries and keys by `attention_factor`, 0.1 · ln s + 1 unless given, so scores grow by its square. `"llama3"` splits by wavelength as YaRN does, and `"longrope"` lists a divisor for each pair. Newer files call the block `rope_parameters`. Nothing is trained again here; only the ladder of the layers above is exchanged:

# %%
s, omega = 256 / 32, frequencies(32)
ladders = {
    "as it is": omega,
    "squeezed": omega / s,
    "NTK-aware": frequencies(32, 10_000 * s ** (32 / 30)),
    "base · 50": frequencies(32, 500_000),
    "YaRN": yarn_frequencies(32, 256, 32),
}

# %%
print(f"{'':12}{'three back: to 32':20}{'to 256':12}{'latest mark: to 32':20}to 256")
for name, ladder in ladders.items():
    factor, line = attention_factor(256, 32) if name == "YaRN" else 1.0, ""
    for kind in experiment.tasks:
        changed = [with_ladder(each, ladder, factor) for each in experiment.layers[kind, "rotary"]]
        accuracy = np.array([accuracy_by_position(layer) for layer in changed])
        inside, beyond = (np.nanmean(a, axis=1) for a in np.split(accuracy, [32], axis=1))
        line += f"{band(inside):20}{band(beyond):12}"
    print(f"{name:12}{line.rstrip()}")

# %% [markdown]
# Squeezing slows all pairs alike. *Three back* becomes three eighths of a step, and even rows of 32 are lost. *The latest* survives in part, since everything keeps its order. The other three leave the fastest pairs as they were or nearly so (lesson 7) and slow the rest, and the look-alikes of 3 move away. At *three back* the three are equal in this table; at *the latest* the larger base does best. Squeezing was made for further training, and 250 steps at 128 tokens are enough here:

# %%
longer = Settings(trained_length=128, batch=8, rotary_frequencies=tuple(omega / 4))
again = train("rotary", "three_back", 100, longer, start=layers[0].parameters)
print("squeezed to 128, trained again:", band(np.nanmean(accuracy_by_position(again))))

# %% [markdown]
# A ladder that changes while a text grows has a cost of its own. Keys in the cache were turned with the old one:

# %%
claim("cached-keys")

# %%
ask("12.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "This setting extends the context." Say: *it makes the angles familiar; whether the model can use them is measured afterwards.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which one sentence of this lesson would you defend in front of somebody who trains large models?

# %% [markdown] section="what-it-shows" minutes=5
# ## What this shows, and what to try first
#
# A model with a wrong encoding can learn *faster*. Sinusoids with base 10 instead of 10,000:

# %%
wrong = run(["sinusoidal"], ["three_back"], settings=Settings(base=10.0))
for name, found in (("base 10,000", experiment), ("base 10", wrong)):
    loss = np.mean([layer.losses[40:60] for layer in found.layers["three_back", "sinusoidal"]])
    seeds = found.in_ranges("three_back", "sinusoidal")
    told = ", ".join(f"{name} {band(seeds[name])}" for name in ("inside", "1 to 2"))
    print(f"{name:12} loss after 50 steps {loss:.1f}; accuracy {told}")

# %% [markdown]
# A lower loss at the trained length says nothing about the formula. Nor does one layer on random tokens rank encodings. It shows that a defined encoding can fail, and how. Even the sinusoids' accuracy past the trained length is partly the optimiser's:

# %%
claim("learning-rate")

# %% [markdown]
# Papers on large models agree with the pattern:
#
# | Source | Found |
# |---|---|
# | Press 2022, Figure 1 | perplexity (the exponential of the loss) of sinusoids, rotary and T5's learned bias gets worse past the trained length; ALiBi's does not |
# | Chen 2023, abstract | rotary beyond its length "may lead to catastrophically high attention scores"; squeezed, LLaMA reaches 32,768 within 1,000 steps |
# | Kazemnejad 2023, abstract | on reasoning tasks, NoPE does better on longer texts than ALiBi, rotary and position vectors |
#
# If your rotary model fails at four times its length, first look up the trained length, read `rope_theta` and the scaling block, and check that your program uses them. Then try YaRN with factor 4 or a larger base, which spare the fast pairs. Measure at that length and on short texts, with a task whose answer lies far back. If it is still wrong, train further with the new ladder.

# %%
ask("12.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Encoding X extrapolates", without task, length or seed. Say: *say what was trained, what was tested, and how far.*

# %% [markdown]
# ## Seen in the wild
#
# - **Two conventions and a comma.** Hugging Face's LLaMA [turns halves where Meta's code turns neighbours](https://github.com/huggingface/transformers/issues/25199); its converter reorders the weights, and both are right. A report that GPT-NeoX's `rotate_half` [is wrong](https://github.com/EleutherAI/gpt-neox/issues/834) was a false alarm for the same reason. TransformerLens had a real fault: [a comma too many](https://github.com/TransformerLensOrg/TransformerLens/pull/365) made a test always true, and GPT-J was turned by halves.
# - **A factor that nobody read.** MaxText [ignored `partial_rotary_factor` as soon as sections were on](https://github.com/AI-Hypercomputer/maxtext/issues/4616). Two Qwen3.5 configurations set both, so all 256 features of a head turned where 64 should, with no error and no wrong shape.
# - **The whole head or its first part.** Gemma 4's pairs were taken from the first quarter of the head instead of its two halves [in Megatron-Bridge](https://github.com/NVIDIA-NeMo/Megatron-Bridge/issues/4195) and would be [in Apple's coreai-models](https://github.com/apple/coreai-models/issues/66). The frequencies were equal, so a comparison of frequencies found nothing.
# - **Keys of two ladders.** With the "dynamic" setting [cached keys had been turned with an older base than the query](https://github.com/huggingface/transformers/issues/25104).
# - **A base lost on the way.** A converted configuration [did not carry its base](https://github.com/lyogavin/airllm/pull/369) of 500,000 and fell back to 10,000. Short prompts looked fine, long ones degraded.
# - **Heads for tokens.** Queries had been reshaped to (batch, heads, time, features), and the angles [counted the heads](https://github.com/vukrosic/leo-optimizer/pull/2). A module of xformers [did the same](https://github.com/facebookresearch/xformers/issues/841) to callers that put tokens before heads. A module made for four axes was [called before the heads were split](https://github.com/pytorch/pytorch/issues/130208).

# %%
slowest = [2 * np.pi / frequencies(128, base)[-1] for base in (10_000.0, 500_000.0)]
print("slowest wavelength, base 10,000: ", f"{slowest[0]:,.0f} positions")
print("slowest wavelength, base 500,000:", f"{slowest[1]:,.0f} positions")
print("features that turn of 256, factor 0.25:", int(0.25 * 256), "· factor ignored:", 256)

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Hints appear one at a time: take the `#` away and run the cell.

# %% [markdown] tags=["challenge-text"] challenge="12.1"
# Write `rotate(x, positions, base=10000.0, rotary_width=None)`. x has shape (…, length, width), positions (length,).
#
# 1. The first `rotary_width` features turn in pairs; without it, all do. The width that turns is even. The other features come back as they are.
# 2. Pair i of the token at position p turns by p · base^(−2i/rotary_width): (a, b) becomes (a cos − b sin, a sin + b cos).
# 3. Pairs are neighbours (2i, 2i + 1) or halves (i, i + rotary_width/2). Both pass, and the check says which it met; use one of them throughout, and put each feature back where it was.
# 4. A new array; x stays as it is. Positions need not begin at 0 and may lie past 2,048.

# %% tags=["challenge"] challenge="12.1"
def rotate(x, positions, base=10000.0, rotary_width=None):
    """x (…, length, width) with the pairs of each token turned by its position."""
    ### STUB: the angles first, (length, pairs); then the two members of all pairs
    ### BEGIN SOLUTION
    turning = x.shape[-1] if rotary_width is None else rotary_width
    first = np.arange(0, turning, 2)
    angle = positions[:, None] * base ** (-first / turning)
    a, b = x[..., first], x[..., first + 1]
    turned = x.copy()
    turned[..., first] = a * np.cos(angle) - b * np.sin(angle)
    turned[..., first + 1] = a * np.sin(angle) + b * np.cos(angle)
    return turned
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="12.2"
# Write `alibi_bias(heads, length)`.
#
# 1. It returns an array (heads, length, length); entry [h, i, j] is added to the score of query i and key j in head h.
# 2. For a power of two, head h = 1 … heads has the slope 2^(−8h/heads).
# 3. For another number: the slopes of the next smaller power of two, then the first, third, fifth, … slope of the next larger, until there are enough.
# 4. What counts are the entries with j ≤ i, measured from each row's diagonal. Above the diagonal any finite number passes; the mask is not part of the bias.

# %% tags=["challenge"] challenge="12.2"
def alibi_bias(heads, length):
    """Minus slope times distance, for each head: (heads, length, length)."""
    ### STUB: the slopes of a power of two; those of any number; then the distances
    ### BEGIN SOLUTION
    smaller = 2 ** int(np.log2(heads))
    slopes = 2.0 ** (-8 * np.arange(1, smaller + 1) / smaller)
    odd = 2 * np.arange(heads - smaller) + 1
    slopes = np.append(slopes, 2.0 ** (-8 * odd / (2 * smaller)))
    i = np.arange(length)
    return -slopes[:, None, None] * np.abs(i[:, None] - i)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="12.3"
# Write `scaled_frequencies(width, method, length, trained_length, base=10000.0)`, the rotary ladder for a text of `length` tokens.
#
# 1. It returns width/2 frequencies in radians per position. A text that is no longer than `trained_length` gets the ladder as it was trained.
# 2. For a longer text, s is length/trained_length. `method` is `"linear"` or `"ntk"`.
# 3. `"linear"` gives the frequencies that do what squeezed positions do: the token at p turns as it did at p/s.
# 4. `"ntk"` keeps the positions and takes the ladder of the base times s to the power width/(width − 2). Widths are even, and 4 or more.

# %% tags=["challenge"] challenge="12.3"
def scaled_frequencies(width, method, length, trained_length, base=10000.0):
    """The frequency of each rotary pair for a text of this length: (width/2,)."""
    ### STUB: s first, and what a text within the trained length gets
    ### BEGIN SOLUTION
    s = max(length / trained_length, 1.0)
    if method == "ntk":
        base = base * s ** (width / (width - 2))
    ladder = base ** (-np.arange(0, width, 2) / width)
    return ladder / s if method == "linear" else ladder
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="12.4"
# Write `accuracy_by_range(predicted, target, edges)`. Both arrays hold tokens and have the same shape, positions along the last axis. Predictions are 0 or more.
#
# 1. Range r covers the positions edges[r] ≤ p < edges[r + 1]; `edges` is an ascending list, and no range is empty.
# 2. It returns the fraction of right answers in each range, over all rows: len(edges) − 1 numbers.
# 3. Where the target is −1 nothing is scored; such a place counts neither as right nor as wrong. Each range holds at least one scored place.

# %% tags=["challenge"] challenge="12.4"
def accuracy_by_range(predicted, target, edges):
    """The fraction of right answers among the scored places of each range of positions."""
    ### STUB: which places are scored, and which of them are right? then one number a range
    ### BEGIN SOLUTION
    scored, right = target != -1, predicted == target
    ranges = [slice(a, b) for a, b in zip(edges, edges[1:])]
    return np.array([right[..., r].sum() / scored[..., r].sum() for r in ranges])
    ### END SOLUTION


# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A position vector says where a token is, a relative encoding how far two tokens are apart. Move both along, and see which scores stay.
# - Rotary turns queries and keys after their projection, so that scores see the distance. Which features form a pair and which number turns it belong to the weights.
# - ALiBi subtracts slope times distance in each head. It suits tasks about the recent and cannot pick an exact distance.
# - Rotary models fail past their trained length. Here the cause was distances that the fast pairs take for a trained one.
# - Repairs change the ladder. Those that spare the fast pairs cost least; squeezing needs further training; all have to be measured.
#
# The layers here had one head. Heads that share the work of order and content between them are what the course leaves you to explore.

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. Su and others, *RoFormer*, 2021, section 3.2.2, for rotary encoding. [arXiv:2104.09864](https://arxiv.org/abs/2104.09864). Turning before the projection: [blt issue 71](https://github.com/facebookresearch/blt/issues/71).
# - O. Press and others, *Train Short, Test Long*, 2022: ALiBi, abstract and Figure 1. [arXiv:2108.12409](https://arxiv.org/abs/2108.12409). The two rules for slopes: [Baichuan2 issue 225](https://github.com/baichuan-inc/Baichuan2/issues/225); positive numbers: [issue 9](https://github.com/ofirpress/attention_with_linear_biases/issues/9); in an encoder: [rotary-embedding-torch issue 30](https://github.com/lucidrains/rotary-embedding-torch/issues/30).
# - S. Chen and others, *Extending Context Window of Large Language Models via Positional Interpolation*, 2023, abstract. [arXiv:2306.15595](https://arxiv.org/abs/2306.15595). The cost at short texts: [llama.cpp pull request 1967](https://github.com/ggml-org/llama.cpp/pull/1967).
# - B. Peng and others, *YaRN*, 2023. [arXiv:2309.00071](https://arxiv.org/abs/2309.00071). The formulas as they run: [`modeling_rope_utils.py`](https://github.com/huggingface/transformers/blob/main/src/transformers/modeling_rope_utils.py), and [what each `rope_type` takes](https://huggingface.co/docs/transformers/en/internal/rope_utils). In use: [Qwen2.5 with YaRN for long texts](https://huggingface.co/Qwen/Qwen2.5-32B-Instruct), [a DeepSeek configuration](https://huggingface.co/deepseek-ai/DeepSeek-Coder-V2-Lite-Base/blame/main/config.json).
# - A. Kazemnejad and others, *The Impact of Positional Encoding on Length Generalization in Transformers*, 2023, abstract. [arXiv:2305.19466](https://arxiv.org/abs/2305.19466). NoPE in one layer of four: [SmolLM3](https://www.microscale.academy/models/smollm3).
# - P. Wang and others, *Qwen2-VL*, 2024, for rotary sections. [arXiv:2409.12191](https://arxiv.org/abs/2409.12191); sections 16, 24, 24 in [a configuration of that model](https://huggingface.co/lightonai/MonoQwen2-VL-v0.1/blame/0ed3a95ab0dbc1c0d66b8fddb062b53448438efc/config.json). Gemma 4's `proportional`: [its three configurations](https://github.com/pegainfer-project/pegainfer/issues/820).
# - Questions that this lesson answers: [layout of the angles](https://github.com/rasbt/LLMs-from-scratch/issues/838), [cat or repeat](https://github.com/huggingface/transformers/issues/40462), [GPT-J against GPT-NeoX](https://github.com/NVIDIA/FasterTransformer/issues/451), [interpolation without fine-tuning](https://github.com/lucidrains/x-transformers/issues/159), [a wrong encoding that trains faster](https://github.com/harvardnlp/annotated-transformer/issues/131).
# - To read alongside: `posenc/training.py`, with one question: which line would have to change for a second head?
