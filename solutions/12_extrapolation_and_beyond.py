# %% [markdown]
# # 12 · Defined is not useful
#
# **What breaks.** A formula that gives every position a row is taken for a model that works at every position. Five schemes are trained here on short rows and asked about long ones.
#
# **Afterwards you can** tell a scheme that stamps tokens from one that measures distances; turn queries and keys by rotary angles in either pairing; build ALiBi's slopes; read an experiment for what it shows and what it does not; and tell a repair from the thing repaired.
#
# **You need** the ladder of [lesson 7](07_frequency_ladder.ipynb), the rotations of [lesson 9](09_shift_rotations.ipynb), the four terms of [lesson 10](10_cost_of_adding.ipynb) and the trained table of [lesson 11](11_learned_tables_and_indices.ipynb).

# %%
import numpy as np

from posenc.attention import softmax
from posenc.classroom import ask, bar, case, check, claim, hint, playground, progress, solution
from posenc.encodings import frequencies, sinusoidal_at
from posenc.figures import lesson_12
from posenc.training import TASKS, Settings, predict, run, train

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** What are the two doors by which order can enter attention? (The input vectors, the score.) What did lesson 9's matrix M do to row p? (It gave row p + k, for every p.) What happened in lesson 11 to the rows that training never reached? (Nothing; they stayed as they were drawn.) Then a show of hands, kept on the board: *which of five schemes will still answer at four times the trained length?*
#
# **When late**, skip *Two pairings, one angle each* and come back to it for challenge 12.1. Keep *What this shows*: without it the curves are taken for a ranking.

# %% [markdown] tags=["instructor"]
# **In front of people**: begin with the added sinusoids and move from 0 to 5. Then rotary, and drag as far as the slider goes. Then the fourth entry: ask what went wrong, and leave it open.

# %% [markdown] section="two-doors" minutes=4
# ## A stamp, or a distance
#
# Lessons 4 to 11 went through the first of lesson 1's two doors. Each token carries a stamp, *this is token 37*, and the weights have to make *three back* out of 37 and 34. The second door leaves the vectors alone and lets the score itself depend on how far apart two tokens are.
#
# There is a test that tells the two apart from outside: move query and key along together. What happens to the score of a stamped pair?

# %%
query, key = np.random.default_rng(0).uniform(-1, 1, (2, 8))
for shift in (0, 5, 100):
    one, other = query + sinusoidal_at(7 + shift, 8), key + sinusoidal_at(4 + shift, 8)
    print(f"moved by {shift:3d}: score {one @ other:.3f}")

# %% [markdown]
# The distance is 3 in each line, and the score changes. Between the rows themselves only the distance counts, as lesson 8 found; the two mixed terms of lesson 10, content with position, bring the place back in. Compare the other schemes:

# %%
playground(lesson_12.doors)

# %% [markdown]
# Rotary and ALiBi keep every score wherever the pair is moved. The fourth entry of the list is a mistake that this lesson comes back to.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** “Sinusoids are relative, lesson 8 proved it.” Say: *row with row, yes; word plus row with word plus row, no.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a hand that goes a tenth of the way round in training. Which of its values has the model met?

# %% [markdown] section="defined" minutes=3
# ## Defined at 4,000
#
# The formula does not end. A model that was trained on 512 positions can be given row 4000, and the row looks like any other:

# %%
claim("norm-at-4000")

# %%
claim("dot-at-4000")

# %% [markdown]
# The authors of 2017 chose sinusoids over a learned table because the formula “may allow the model to extrapolate to sequence lengths longer than the ones encountered during training”. May. What is new to a model past its trained length is not the size of a row but where the slow hands point:

# %%
lesson_12.circles()

# %%
claim("unclosed-circles")

# %% [markdown]
# To be defined is a property of the formula. To be useful is a property of weights that were fitted to some positions and not to others. Only a measurement can tell.

# %%
ask("12.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** “It is bounded, so it cannot surprise.” Say: *the values stay between −1 and 1; the combinations are new.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the loop runs: which of the four lines will be equal?

# %% [markdown] section="rotary" minutes=5
# ## Rotary: turn queries and keys
#
# Lesson 9 moved row p to row p + k by turning each pair by k · ω. Rotary encoding turns no stamp: it turns the query and the key themselves, pair by pair, each by its own position.

# %%
def turned(x, position):
    a, b = x[0::2], x[1::2]
    angle = position * frequencies(len(x))
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.stack([a * cosine - b * sine, a * sine + b * cosine], axis=1).ravel()


for i, j in ((7, 4), (17, 14), (1007, 1004), (7, 3)):
    print(f"query at {i:4d}, key at {j:4d}: score {turned(query, i) @ turned(key, j):.4f}")

# %% [markdown]
# Equal distances, equal scores. A dot product sees two lengths and the angle between. If one pair turns by i · ω and the other by j · ω, the angle changes by (i − j) · ω: the place cancels.

# %%
claim("rotary-distance-only")

# %% [markdown]
# Set the claim to 11 binary digits, which is half precision, and the shift to 4,000: the score moves, because the positions were rounded on the way in.
#
# Queries and keys are turned, values are not. So nothing of the position enters what attention hands on, which lesson 10 counted among the costs of adding. The ladder of frequencies is that of lesson 7; libraries call its base `theta` here.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** “Rotary is added like the others.” Say: *nothing is added; two arrows are turned, and only the angle between them is read.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: two programs print different rotations of one vector. Which is broken? (Perhaps neither. Compare scores at equal distances.)

# %% [markdown] section="pairings" minutes=4
# ## Two pairings, one angle each
#
# Which features form a pair? The paper takes neighbours, 0 with 1 and 2 with 3. Much current code takes halves, 0 with 2 and 1 with 3 if there are four. Both turn rightly, and give different numbers:

# %%
x = np.array([1.0, 2.0, 3.0, 4.0])
by_halves = turned(x[[0, 2, 1, 3]], 1)[[0, 2, 1, 3]]
print("neighbours:", turned(x, 1))
print("halves:    ", by_halves)

# %% [markdown]
# The second line shows how one becomes the other: reorder the features, turn, reorder back. That is what a converter does once with the query and key weights of a model; afterwards all scores are the same.
#
# Code that lays out one angle for each feature needs [c1, c1, c2, c2] for neighbours and [c1, c2, c1, c2] for halves. With the layout of one and the pairing of the other, partners turn by different angles:

# %%
def half_turn(v, angle):
    return v * np.cos(angle) + np.r_[-v[2:], v[:2]] * np.sin(angle)


for name, layout in (("c1 c2 c1 c2", [1, 0.01, 1, 0.01]), ("c1 c1 c2 c2", [1, 1, 0.01, 0.01])):
    layout = np.array(layout)
    one, other = (half_turn(x, (p + 3) * layout) @ half_turn(x, p * layout) for p in (4, 14))
    print(f"halves with {name}: scores at equal distance {one:.3f} and {other:.3f}")

# %% [markdown]
# Current models vary the recipe. GPT-J and GPT-NeoX turn only a first part of each head and leave the rest without position. Qwen2-VL splits the pairs into sections and turns one by time, one by height, one by width. Keep apart two questions: which pairs turn, and by which number.

# %%
ask("12.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They compare the helper `rotate_half` with the paper and report a bug. Say: *a pairing is right or wrong only together with its angles.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a head with slope 1/2 and a word ten places back. By how much is its score lowered, and what factor is that on its weight? (5; about 1/150.)

# %% [markdown] section="alibi" minutes=4
# ## ALiBi: a price for distance
#
# ALiBi changes no vector at all. Each head subtracts slope times distance from its scores. For eight heads the slopes halve from 1/2 to 1/256:

# %%
slopes = 2.0 ** -np.arange(1, 9)
distance = np.arange(4)[:, None] - np.arange(4)
print("slopes:", slopes)
print("head 0, shares of the last query if scores are equal:", softmax(-slopes[0] * distance[3]))

# %%
lesson_12.penalties()

# %% [markdown]
# For a number of heads that is no power of two, the released code takes the slopes of the next smaller power and fills up with every second one of the next larger. So the list jumps up again, which is meant and not to be sorted away:

# %%
finer = 2.0 ** -(np.arange(1, 17) / 2)
print("12 heads:", np.concatenate([slopes, finer[0::2]])[:12])

# %% [markdown]
# The paper's text gives one line for every number of heads, 2^(−8h/heads), and that is another list. A trained model carries the slopes it was trained with; challenge 12.2 asks for the released ones.

# %%
ask("12.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They see positive numbers in a library's bias and report a sign error. Say: *take each row's diagonal away, then look at the sign.*

# %% [markdown] tags=["instructor"]
# **In front of people**: let the bar run while you ask for bets, and count them on the board. Then point at the line for no positions: why is it above chance? (Near the start few tokens can be the answer.)

# %% [markdown] section="experiment" minutes=6
# ## The experiment
#
# One causal attention layer, one head, nothing else. The task: copy the token three back, at every position. The layer is trained on rows of 32 tokens and asked about rows of 128.

# %%
settings, task = Settings(), TASKS["three_back"]
row = np.array([[3, 1, 4, 1, 5, 9, 2, 6]])
print("tokens ", row[0])
print("answers", task.targets(row, settings)[0], "(−1: not asked)")
print("width", settings.width, "· vocabulary", settings.vocabulary, "· steps", settings.steps)

# %% [markdown]
# No positions, sinusoids, a learned table, rotary, ALiBi: each from three seeds, because one seed can mislead. The schemes of one seed start from the same weights and see the same rows.

# %%
experiment = run(report=bar("Five schemes, two tasks, three seeds"))
lesson_12.curves(experiment, "three_back")

# %% [markdown]
# The digits differ a little between machines, the verdicts below should not. *Never learned it*: within the trained length, less than three quarters of the way from chance to no mistake. *Holds*: beyond it, at least two thirds of that way.

# %%
for scheme in experiment.schemes:
    print(experiment.sentence("three_back", scheme))
print(experiment.furthest("three_back"))

# %% [markdown]
# Sinusoids and the learned table know the task inside and lose it outside: the table at once, since its later rows are as they were drawn; the sinusoids with humps that differ from seed to seed. Rotary goes on, and slackens at the far end. And ALiBi never learned it. What does it answer?

# %%
trained = train("alibi", "three_back", seed=0)
tokens = task.draw(np.random.default_rng(1), 64, 32, settings)
answers = predict(trained, tokens)
agrees = [(answers[:, k:] == tokens[:, : 32 - k]).mean() for k in range(6)]
print("ALiBi most often names the token", int(np.argmax(agrees)), "back")

# %% [markdown]
# A penalty that grows with distance can prefer the near to the far. It cannot prefer *three* to *one*.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They read the sinusoid's humps as a result. Say: *look at the band; where the seeds disagree, there is nothing to report.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: invent a third task on which sinusoids or a table must win. (One about an absolute place: *name the first token*, lesson 11.)

# %% [markdown] section="second-task" minutes=4
# ## A task where ALiBi is at home
#
# A comparison on one task is a comparison with the task. Here is another: a quarter of the tokens are marked, and at every other token the latest marked one is to be named. No exact distance helps; a taste for the recent does.

# %%
lesson_12.curves(experiment, "latest_mark")

# %%
for scheme in experiment.schemes:
    print(experiment.sentence("latest_mark", scheme))
print(experiment.furthest("latest_mark"))

# %% [markdown]
# Inside, four schemes tie. Beyond, ALiBi is ahead and rotary holds. The grey line is a reader that never looks past position 31: sinusoids and the learned table end up near it.
#
# How much of that is the slope's? With a flat one, many older marks together outvote the latest:

# %%
claim("steep-alibi")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They average the two tasks. Say: *two tasks, two answers; the mean is the answer to no question.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which one sentence of this lesson would you defend in front of somebody who trains large models?

# %% [markdown] section="what-it-shows" minutes=4
# ## What this shows, and what it does not
#
# It shows that being defined is not enough: one example suffices for that. It shows that what a scheme makes cheap to express, a distance or a taste for the recent, can carry over where stamps do not.
#
# It ranks nothing. One layer with one head on random tokens is no language model. The sinusoid's curve beyond is partly the optimiser's: higher learning rates raise it. ALiBi's depends on its slope, and rotary's on the size of the first weights. Change the rate in `Settings` and see.
#
# A popular cure for sinusoids is to multiply the embeddings by √width, as the 2017 model does. Does it save them here?

# %%
wider = Settings(embedding_scale=settings.width**0.5)
scaled = run(["sinusoidal"], report=bar("Embeddings times √width"), settings=wider)
for name in scaled.tasks:
    plain, times = (e.in_ranges(name, "sinusoidal")["1 to 2"] for e in (experiment, scaled))
    moved = abs(times.mean() - plain.mean()) < np.ptp(plain)
    print(TASKS[name].asks, "→", scaled.sentence(name, "sinusoidal"))
    print("   from 1 to 2 times the length, the mean moved by less than the seeds differ:", moved)

# %% [markdown]
# The verdict stays, and what moved is within the difference between seeds.
#
# What do the papers say? These figures stand in the papers' own text; others that are often quoted were seen only at second hand, and are left out.
#
# | Source | Setting | Found |
# |---|---|---|
# | Vaswani 2017, Table 3 | translation, learned table against sinusoids | BLEU 25.7 against 25.8, perplexity 4.92 for both; “nearly identical” |
# | Shaw 2018, Table 2 | translation, distances up to k in the score | BLEU 12.5 for k = 0 (no position), 25.5 for 1, 25.8 for 2, about the same to 256 |
# | Press 2022, abstract | 1.3 billion parameters, trained at 1,024, tested at 2,048 | ALiBi equals sinusoids trained at 2,048, with 11 % less time and memory |
#
# The first is about lengths that were trained, where stamps did well here too.

# %%
ask("12.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** “Scheme X extrapolates”, without task, length or seed. Say: *say what was trained, what was asked, and how far.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the five schemes could be squeezed, and which could not? (All that take real positions; for a table lesson 11 had to interpolate its rows.)

# %% [markdown] section="repairs" minutes=4
# ## A repair is not the thing repaired
#
# Rotary defines every position; a trained model has met only some. **Position interpolation** mends that from outside: a text of twice the trained length gets the positions 0, 0.5, 1, …, which all lie inside the range. The scheme is as before; only the numbers given to it change. Is that free?

# %%
squeezed = np.arange(64) * 32 / 64
for scheme, name in (("rotary", "three_back"), ("sinusoidal", "latest_mark")):
    trained = train(scheme, name, seed=0)
    tokens = TASKS[name].draw(np.random.default_rng(1), 64, 64, settings)
    targets = TASKS[name].targets(tokens, settings)[:, 32:]
    for way, positions in (("as they are", np.arange(64)), ("squeezed", squeezed)):
        right = (predict(trained, tokens, positions)[:, 32:] == targets)[targets >= 0].mean()
        told = "nearly all right" if right > 0.9 else "most of it wrong" if right < 0.5 else "mixed"
        print(f"{scheme}, {TASKS[name].asks}, positions {way}: {told}")

# %% [markdown]
# It mends the second and breaks the first. *The latest* is still the latest when everything moves closer; *three back* is now one and a half, which the weights never met.

# %%
claim("squeezed-step")

# %% [markdown]
# Its authors therefore go on training: up to 32,768 positions, within 1,000 steps, as their abstract says. Used without any training, it costs quality on short texts as well. Raising the base is the same kind of repair: it slows the hands so that later angles stay among the known ones.
#
# To tell repair from scheme, ask which door the scheme uses, which number the repair changes, and what it was trained on afterwards. Three things no formula takes away: the memory that long texts need, the texts that training did not hold, and the need to measure at the length you will use.

# %%
ask("12.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** “Interpolation extends the context.” Say: *it makes the positions known; whether the model can use them is measured afterwards.*

# %% [markdown]
# ## Seen in the wild
#
# - **Two conventions and a comma.** Hugging Face's LLaMA [turns halves where Meta's code turns neighbours](https://github.com/huggingface/transformers/issues/25199); its converter reorders the weights, and both are right. A report that GPT-NeoX's `rotate_half` [is wrong](https://github.com/EleutherAI/gpt-neox/issues/834) was a false alarm for the same reason. TransformerLens had a real fault: [a comma too many](https://github.com/TransformerLensOrg/TransformerLens/pull/365) made a test always true, and GPT-J was turned by halves.
# - **A base lost on the way.** A converted configuration [did not carry its base](https://github.com/lyogavin/airllm/pull/369) of 500,000 and fell back to 10,000. Short prompts looked fine, long ones degraded.
# - **Heads for tokens.** Queries had been turned into (batch, heads, time, features), and the angles [counted the heads](https://github.com/vukrosic/leo-optimizer/pull/2). A module made for four axes was [called before the heads were split](https://github.com/pytorch/pytorch/issues/130208).
# - **Percentages without a source.** [A page on context lengths](https://insidellms.com/Chapter_4/context-extrapolation-test_en.html) gives a percentage for each method, no loss for ALiBi at 32 times the length, and lists BERT under sinusoids. We found no experiment behind it.

# %%
slowest = [2 * np.pi / frequencies(128, base)[-1] for base in (10_000.0, 500_000.0)]
print("slowest wavelength, base 10,000: ", f"{slowest[0]:,.0f} positions")
print("slowest wavelength, base 500,000:", f"{slowest[1]:,.0f} positions")
print("angle of pair 0, head 2, token 5:", 5.0, "and by the head's number:", 2.0)

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Numbers may differ by 2e-5 plus a hundred-thousandth of the value. Hints come one at a time: take the `#` away and run the cell.

# %% [markdown] tags=["challenge-text"] challenge="12.1"
# ### 12.1 · Turn the queries and keys
#
# *4 points · 18 minutes · difficulty 3 of 3*
#
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


# %% tags=["check"] challenge="12.1"
check("12.1", rotate)
# hint("12.1", 1)
# solution("12.1")

# %% [markdown] tags=["challenge-text"] challenge="12.2"
# ### 12.2 · A penalty for distance
#
# *3 points · 12 minutes · difficulty 2 of 3*
#
# Write `alibi_bias(heads, length)`.
#
# 1. It returns an array (heads, length, length); entry [h, i, j] is added to the score of query i and key j in head h.
# 2. For a power of two, head h = 1 … heads has the slope 2^(−8h/heads).
# 3. For another number: the slopes of the next smaller power of two, then the first, third, fifth, … slope of the next larger, until there are enough.
# 4. What counts are the entries with j ≤ i, measured from each row's diagonal. Above the diagonal any finite number passes.

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


# %% tags=["check"] challenge="12.2"
check("12.2", alibi_bias)
# hint("12.2", 1)
# solution("12.2")

# %% [markdown] tags=["challenge-text"] challenge="12.3"
# ### 12.3 · Squeezed positions
#
# *1 point · 5 minutes · difficulty 1 of 3*
#
# Write `interpolated_positions(length, trained_length)`.
#
# 1. It returns `length` positions, counted from 0.
# 2. Where `length` is larger than `trained_length`, each is multiplied by trained_length/length; otherwise they stay whole.

# %% tags=["challenge"] challenge="12.3"
def interpolated_positions(length, trained_length):
    """Positions 0 … length − 1, squeezed into the trained range where they exceed it."""
    ### STUB: two cases
    ### BEGIN SOLUTION
    positions = np.arange(length)
    if length > trained_length:
        return positions * trained_length / length
    return positions
    ### END SOLUTION


# %% tags=["check"] challenge="12.3"
check("12.3", interpolated_positions)
# hint("12.3", 1)
# solution("12.3")

# %% [markdown] tags=["challenge-text"] challenge="12.4"
# ### 12.4 · Accuracy where it was trained, and beyond
#
# *2 points · 8 minutes · difficulty 1 of 3*
#
# Write `accuracy_by_range(predicted, target, edges)`. Both arrays have the same shape, positions along the last axis.
#
# 1. Range r covers the positions edges[r] ≤ p < edges[r + 1]; `edges` is an ascending list, and no range is empty.
# 2. It returns the share of right answers in each range, over all rows: len(edges) − 1 numbers.

# %% tags=["challenge"] challenge="12.4"
def accuracy_by_range(predicted, target, edges):
    """The share of right answers in each range of positions."""
    ### STUB: right or wrong at each place; then one mean for each range
    ### BEGIN SOLUTION
    right = predicted == target
    return np.array([right[..., a:b].mean() for a, b in zip(edges, edges[1:])])
    ### END SOLUTION


# %% tags=["check"] challenge="12.4"
check("12.4", accuracy_by_range)
# hint("12.4", 1)
# solution("12.4")

# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A stamp says where a token is, a distance how far two are apart. Move both along, and see which scores stay.
# - Defined is a property of a formula; useful is a property of trained weights, a task and a length.
# - Rotary turns queries and keys, so that scores see the distance alone. Neighbours or halves, each with its own layout of angles.
# - ALiBi puts a price on distance. It is at home where the recent counts and cannot pick an exact offset.
# - A repair changes the numbers that a scheme is given. It has to be measured like everything else.
#
# Everything here had one head. With several, each has its own queries and keys, and can look at its own distance; how they share the work of order and content is the question that this course leaves you with.

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5 and Table 3. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - P. Shaw and others, *Self-Attention with Relative Position Representations*, 2018, Table 2. [arXiv:1803.02155](https://arxiv.org/abs/1803.02155)
# - J. Su and others, *RoFormer*, 2021, section 3.2.2, for rotary encoding. [arXiv:2104.09864](https://arxiv.org/abs/2104.09864)
# - O. Press and others, *Train Short, Test Long*, 2022: ALiBi, abstract. [arXiv:2108.12409](https://arxiv.org/abs/2108.12409). The two rules for slopes: [Baichuan2 issue 225](https://github.com/baichuan-inc/Baichuan2/issues/225); positive numbers: [issue 9](https://github.com/ofirpress/attention_with_linear_biases/issues/9).
# - S. Chen and others, *Extending Context Window of Large Language Models via Positional Interpolation*, 2023, abstract. [arXiv:2306.15595](https://arxiv.org/abs/2306.15595). The cost at short texts: [llama.cpp pull request 1967](https://github.com/ggml-org/llama.cpp/pull/1967).
# - P. Wang and others, *Qwen2-VL*, 2024, for rotary sections. [arXiv:2409.12191](https://arxiv.org/abs/2409.12191)
# - Questions that this lesson answers: [layout of the angles](https://github.com/rasbt/LLMs-from-scratch/issues/838), [cat or repeat](https://github.com/huggingface/transformers/issues/40462), [GPT-J against GPT-NeoX](https://github.com/NVIDIA/FasterTransformer/issues/451), [interpolation without fine-tuning](https://github.com/lucidrains/x-transformers/issues/159).
# - To read alongside: `posenc/training.py`, with one question: which line would have to change for a second head?
