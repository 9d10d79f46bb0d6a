# %% [markdown]
# # 10 · What is added also blurs
#
# **What breaks.** Content and position share every coordinate of a row, and each attention weight depends on both. How much the position changes is a number that can be measured.
#
# **Afterwards you can** take a score apart into its four terms and say which of them moved an attention weight; say where position goes in queries, keys *and values*; choose a scale on purpose; and compare adding with concatenating by what each costs.
#
# **You need** [lesson 2](02_attention_forgets_order.ipynb) for attention and equivariance, [lesson 6](06_sinusoidal_encoding.ipynb) for the table and [lesson 8](08_norm_and_distance.ipynb) for its dot products.

# %%
import numpy as np

from posenc.attention import SIX_TOKENS, identity_attention, softmax
from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.encodings import sinusoidal
from posenc.figures import lesson_10

np.set_printoptions(precision=3, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Write (a + b)(c + d) on the board and have it multiplied out. What is the norm of a row of the table at width 4? (√2.) What does equivariant mean? (Shuffle the inputs, and the outputs are shuffled in the same way.)
#
# **When late**, skip *Side by side instead*; keep *The scale decides*, which is the question people bring from code.

# %% [markdown] tags=["instructor"]
# **Ask the room** before the second row is printed: which attention weight will grow? Most say "all the same" or "the neighbour's". Keep the reasons on the board for the next section.

# %% [markdown] section="blur" minutes=5
# ## Before and after
#
# Take six made-up tokens of width 4, on three topics: t0 and t3, t1 and t4, t2 and t5 belong together. Queries, keys and values are the rows themselves. Without positions, t0 attends to itself and to its partner t3.

# %%
encoding = sinusoidal(6, 4)
without = identity_attention(SIX_TOKENS)[1][0]
print("attention weights of t0:", without)

# %% [markdown]
# Now add the positional encodings, row by row.

# %% tags=["guess-first"]
with_positions = identity_attention(SIX_TOKENS + encoding)[1][0]
print("with positions:         ", with_positions)

# %% tags=["guess-first"]
lesson_10.weights_of_t0({"content alone": without, "with positions": with_positions})

# %% [markdown]
# The weight of the partner t3, three positions away, falls by almost two thirds. That of the neighbour t1, on another topic, becomes seven times as large. Look at every token's weight for its partner, before and after.

# %%
partner = (np.arange(6) + 3) % 6
before = identity_attention(SIX_TOKENS)[1]
after = identity_attention(SIX_TOKENS + encoding)[1]
print("weight of the partner, before:", before[np.arange(6), partner])
print("weight of the partner, after: ", after[np.arange(6), partner])

# %% [markdown]
# Five of the six partners lose and one gains, and the amounts differ widely. Is this what is meant when people say that the added positions are [noise on the word vectors](https://community.deeplearning.ai/t/209328)? To answer that, one has to know which part of the score did it.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They hear "position is added as extra information", as if nothing were taken. Say: *attention weights sum to one; what one token gains another loses.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the four would you keep if you could keep two? Let them argue; relative schemes (lesson 12) keep the first and something like the last.

# %% [markdown] section="four-terms" minutes=8
# ## A score has four terms
#
# With x and y for content, p and q for position, multiply the bracket out:
#
# $$
# (x + p) \cdot (y + q) = x \cdot y + x \cdot q + p \cdot y + p \cdot q
# $$
#
# The four products are content·content, content·position, position·content and position·position. For t0 as the query and each token as the key:

# %%
x, p = SIX_TOKENS[0], encoding[0]
terms = {
    "content·content": x @ SIX_TOKENS.T,
    "content·position": x @ encoding.T,
    "position·content": p @ SIX_TOKENS.T,
    "position·position": p @ encoding.T,
}
for name, values in terms.items():
    print(f"{name:18}", values)
rest = (x + p) @ (SIX_TOKENS + encoding).T - sum(terms.values())
print(f"score less the four terms, largest entry: {np.abs(rest).max():.12f}")

# %%
lesson_10.four_terms()

# %% [markdown]
# The last panel is lesson 8: constant along diagonals, largest for the same position, and the same for every text. The two in the middle hold how well *this word* fits *that position*. To see which term moved the attention weights of t0, put them in one at a time.

# %%
cc, cp, pc, pp = terms.values()
for name, score in (
    ("content", cc),
    ("+ position·position only", cc + pp),
    ("+ the two mixed terms only", cc + cp + pc),
    ("all four", cc + cp + pc + pp),
):
    weights = softmax(score / np.sqrt(4))
    print(f"{name:27} t0 {weights[0]:.3f}  t1 {weights[1]:.3f}  t3 {weights[3]:.3f}")

# %% [markdown]
# Position·position raises t1 only from 0.030 to 0.034, although t1 is next to t0. It favours t0 itself, at distance 0, and so takes from t3. What lifts t1 to 0.201 are the mixed terms, because the content of t1 happens to resemble the encoding of position 0. With other tokens they push the other way, as the remaining right-hand neighbours show.

# %%
for token in range(1, 5):
    told = f"{before[token, token + 1]:.3f} to {after[token, token + 1]:.3f}"
    print(f"t{token} for its neighbour t{token + 1}: from {told}")

# %%
claim("mixed-terms")

# %% [markdown]
# So the change has two parts. Position·position is a rule, the same for every text. The mixed terms are accidents as long as nothing is trained; learned weights can shrink them or put them to use, but one matrix serves both content and position. Later designs choose among the four terms: TUPE keeps the first and the last, each with projections of its own, DeBERTa keeps the first three with distances for positions, and Transformer-XL keeps all four with distances for the keys and learned vectors in place of the query’s position.

# %%
ask("10.q1")

# %%
ask("10.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** The middle terms are forgotten, as in (a + b)² = a² + b², and the gain of t1 is put down to nearness. Say: *take one term away and look; half of the terms are mixed.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: in which of Q, K, V does position do its work? In which is it a passenger?

# %% [markdown] section="values" minutes=4
# ## Position leaves through the values, too
#
# The sum enters queries, keys *and values*, so what attention mixes and hands on contains position as well. Compare the outputs for the same attention weights, once mixing content and once mixing the sums.

# %%
weights = identity_attention(SIX_TOKENS + encoding)[1]
content_out, sum_out = weights @ SIX_TOKENS, weights @ (SIX_TOKENS + encoding)
print("output of t0, values without positions:", content_out[0])
print("output of t0, values with positions:   ", sum_out[0])
print("the difference is mixed encodings:     ", (weights @ encoding)[0])

# %%
print("length of the content in each output:  ", np.linalg.norm(content_out, axis=1))
print("length of the positions in each output:", np.linalg.norm(weights @ encoding, axis=1))

# %% [markdown]
# The two lengths are of the same order. The output holds a mixture of the positions that were read. The next layer can use it, which is how position travels up a stack without being added again. It also means that a later layer sees content together with position, unless its weights learn to look past it. Rotary encodings and biases, in lesson 12, change the scores and leave the values alone.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Position is in the scores." Say: *whatever goes in at the bottom is in everything above.*

# %% [markdown] tags=["instructor"]
# **In front of people**: token t0, scale 1. Move the scale up slowly and stop when the striped bar overtakes t1. Then go on to 2 and ask why the striped bar is shrinking.

# %% [markdown] section="scale" minutes=8
# ## The scale decides
#
# Larger content would count for more. Multiply the tokens by a scale before the encodings are added, and plot the attention weights of t0 against it.

# %%
lesson_10.blur_curve()

# %% [markdown]
# At small scales position dominates, and t0 prefers its neighbour. The partner overtakes all other tokens between 1.1 and 1.2.

# %%
for scale in (1.0, 1.1, 1.15, 1.2, 2.0):
    row = identity_attention(scale * SIX_TOKENS + encoding)[1][0]
    print(f"scale {scale:4.2f}: t3 {row[3]:.3f}, t1 {row[1]:.3f}, itself {row[0]:.3f}")

# %%
claim("scale-that-wins")

# %% [markdown]
# Overtaking the others is not the same as gaining. At scale 2 the partner is far ahead of the neighbour, and its weight is *below* the one at scale 1, because the score of t0 with itself grows with the square of the scale and leaves little for the rest.

# %%
playground(lesson_10.blur)

# %% [markdown]
# The 2017 Transformer multiplies token vectors by √width before adding. Embeddings are often drawn with a standard deviation of 1/√width, so that a token has norm about 1, while a row of the table has norm √(width/2). At width 512 the position would be sixteen times as large as the content. After the multiplication the two are of one order.

# %%
width = 512
row = np.linalg.norm(sinusoidal(2, width)[1])
print(f"row of the table {row:.3f}, unit token {1.0:.3f}, unit token times √512 {width**0.5:.3f}")
print(f"position to content: {row / 1.0:.3f} as drawn, {row / width**0.5:.3f} after scaling")

# %% [markdown]
# The embeddings are multiplied, while the scores are later divided by √(key width). Both steps contain a root, which is why they are often mixed up. And √width is only where training starts, since it can change the size of the embeddings.

# %%
ask("10.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Scaling protects the content, so more is better." Say: *the larger the scale, the more every token reads itself.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: with 64 words and 64 positions at width 64, would it still work? Let them set the claim to it. (No: there are more directions than columns.)

# %% [markdown] section="undo" minutes=5
# ## How can a sum be undone?
#
# One vector alone can be split into two summands in infinitely many ways. But weights read *directions*, over many tokens, and a wide space has room for both parts. Give a linear map the sums of 400 random tokens at random positions, at width 64, and let it find two things at once: the fastest sine of the position, and the first coordinate of the token's own vector.

# %%
rng = np.random.default_rng(0)
positions = rng.integers(0, 50, 400)
vectors = sinusoidal(50, 64)[positions]
tokens = rng.normal(size=(20, 64))[rng.integers(0, 20, 400)]
wanted = np.c_[vectors[:, 0], tokens[:, 0]]
reading, *_ = np.linalg.lstsq(tokens + vectors, wanted, rcond=None)
found = (tokens + vectors) @ reading
for name, true, read in zip(("position", "content"), wanted.T, found.T):
    print(f"{name}: correlation of read and true {np.corrcoef(true, read)[0, 1]:.2f}")

# %% [markdown]
# One linear map reads a coordinate of the position and a coordinate of the token out of the same sums. That works because 20 words and 50 positions use few of the 64 directions. It fails where each of the two fills the space, and at width 4, as in the cells above, there is no room for both.

# %%
claim("read-both")

# %% [markdown]
# So the added positions are not noise. They are the same in every text, and a linear map can read them again. Dropout after the sum sets random entries to 0, content and position together; the 2017 paper does this at a rate of 0.1 and gives no reason for it.

# %%
ask("10.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They want to recover the summands. Say: *nobody separates a single row; weights look from a side on which the other part casts no shadow.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: W applied to [x, p] is W₁x + W₂p. What is W applied to x + p? (Wx + Wp: the same with W₁ = W₂.)

# %% [markdown] section="concatenate" minutes=3
# ## Side by side instead
#
# A reader of GPT-1's code had [always thought that positions are concatenated](https://github.com/openai/finetune-transformer-lm/issues/4). They could be. If the encoding is set beside the content, no column holds both, and the score is content·content plus position·position, without mixed terms, divided by √8 instead of √4.

# %%
beside = identity_attention(np.concatenate([SIX_TOKENS, encoding], axis=1))[1][0]
print("content alone", without)
print("added        ", with_positions)
print("side by side ", beside)

# %% [markdown]
# t3 keeps more than when added and less than before, because position still has a part in the score. A matrix applied to the longer row is two matrices, one for each part. Applied to a sum it is one matrix for both.

# %%
rng = np.random.default_rng(1)
w_content, w_position = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
two = np.concatenate([x, p]) @ np.concatenate([w_content, w_position])
print("beside each other:", two, "=", x @ w_content + p @ w_position)
print("added:            ", (x + p) @ w_content, "=", x @ w_content + p @ w_content)

# %% [markdown]
# The price is width. Eight columns instead of four double the size of every matrix that reads the rows; at width 512 with 64 columns for positions it is an eighth more. Adding costs no width, because it is concatenating with the two parts forced through one matrix.

# %%
ask("10.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Concatenating is cleaner, so better." Say: *cleaner and more expensive; whether better is measured on a task.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a batch loader shuffles the tokens of a sequence and keeps `arange` for the positions. What was broken?

# %% [markdown] section="seats" minutes=4
# ## Equivariance is gone, and comes back
#
# Lesson 2 showed that the outputs of attention follow every shuffle of the inputs. Shuffle the tokens, once with the encodings left in their order and once with each token keeping its own.

# %%
order = np.array([2, 0, 1, 4, 5, 3])
Z = identity_attention(SIX_TOKENS + encoding)[0]
left = identity_attention(SIX_TOKENS[order] + encoding)[0]
kept = identity_attention((SIX_TOKENS + encoding)[order])[0]
for name, Zp in (("encodings left in order", left), ("each token keeps its own", kept)):
    print(f"{name}: outputs differ from the shuffled Z by {np.abs(Zp - Z[order]).max():.3f}")

# %% [markdown]
# In the first case each token gets a new position, and it matters which token is where; that is what the encodings were added for. In the second, token and position are shuffled together, and attention sees the same six rows in another order. This is why position tables are shuffled along with the tokens wherever a model permutes them.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Both lines sound alike. Say: *move the people, or move the chairs with them.*

# %% [markdown]
# ## Seen in the wild
#
# - **[Added twice](https://github.com/gaasher/I-JEPA/issues/4).** Two consecutive lines added the table. A row of width 8 that should have norm 2 had norm 4, so position counted double and no error was raised. A [residual around a layer that already returns the sum](https://github.com/ZhongYang2026/Attention-Is-All-You-Need-In-Speech-Separation/issues/5) counts the input twice instead: token [1, 1, 1, 1] at position 1 began with 2.84 instead of 1.84. And [`x += pe(x)`](https://github.com/DSPsleeporg/smiles-transformer/pull/22) was proposed where `pe` returns x + P.
# - **[The wrong root](https://github.com/nicklashansen/dreamer4/pull/4).** The table was multiplied by 1/√256, the factor of the scores: a row of norm 11.3 shrank to 0.7. The change was put behind a switch, because trained models had adapted to it. A report that [√width is missing](https://github.com/SamLynnEvans/Transformer/issues/10) was a false alarm: the factor was in another module. Another report wanted to [divide](https://github.com/pytorch/tutorials/issues/2849) and was withdrawn.
# - **[Repairing the layout of a trained model](https://github.com/tensorflow/tensor2tensor/pull/177).** Columns were put into the paper's order. Any [projection learned afterwards absorbs a fixed order](https://github.com/kimiyoung/transformer-xl/issues/119), so both orders are right before training, and a change after it broke every model.

# %%
row = sinusoidal(6, 8)[5]
print("row of width 8: norm", np.linalg.norm(row), "added twice", np.linalg.norm(2 * row))
row = sinusoidal(2, 256)[1]
size = np.linalg.norm(row)
print(f"row of width 256: norm {size:.3f}, divided by 16 {size / 16:.3f}")
table = sinusoidal(4, 4)
blocks = np.concatenate([table[:, 0::2], table[:, 1::2]], axis=1)
print("input counted twice, position 1:", 2 * np.ones(4) + table[1])
print(f"largest change by reordering, positions 1 to 3: {np.abs(table - blocks)[1:].max():.3f}")

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Arguments must not be changed. Hints appear one at a time: take the `#` away and run the cell.

# %% [markdown] tags=["challenge-text"] challenge="10.1"
# Write `score_terms(x, encoding, i, j)` for content `x` and an `encoding`, both (n, d).
#
# 1. It returns four numbers: content·content, content·position, position·content, position·position.
# 2. The first factor of each belongs to row i, the second to row j.
# 3. Unscaled, they add up to the dot product of rows i and j of x + encoding.

# %% tags=["challenge"] challenge="10.1"
def score_terms(x, encoding, i, j):
    """The four parts of (x + encoding)[i] · (x + encoding)[j]."""
    ### STUB: four dot products, the first factor from row i
    ### BEGIN SOLUTION
    return x[i] @ x[j], x[i] @ encoding[j], encoding[i] @ x[j], encoding[i] @ encoding[j]
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="10.2"
# Write `smallest_winning_scale(x, encoding, token, partner, grid)`; there are at least three rows, and `grid` ascends.
#
# 1. For a scale of the grid, the rows are scale · x + encoding, and the score of two rows is their dot product.
# 2. The scale wins if the score of `token` with `partner` is above that of `token` with every other row but itself.
# 3. It returns the first scale that wins, or `None` if none does.

# %% tags=["challenge"] challenge="10.2"
def smallest_winning_scale(x, encoding, token, partner, grid):
    """The first scale of the grid at which partner beats all other rows in the row of token."""
    ### STUB: which rows are rivals, and what happens after the last scale?
    ### BEGIN SOLUTION
    rivals = [row for row in range(len(x)) if row not in (token, partner)]
    for scale in grid:
        rows = scale * x + encoding
        scores = rows @ rows[token]
        if scores[partner] > scores[rivals].max():
            return scale
    return None
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="10.3"
# Write `order_sensitivity(layer, x, encoding, order, positions_travel)`. The layer is a function from (n, d) to n rows; `order` is a permutation.
#
# 1. If the positions travel, the moved input is (x + encoding)[order]; otherwise it is x[order] + encoding.
# 2. It returns the largest absolute difference between layer(moved) and layer(x + encoding)[order].

# %% tags=["challenge"] challenge="10.3"
def order_sensitivity(layer, x, encoding, order, positions_travel):
    """How far the layer is from following the shuffle."""
    ### STUB: the two ways of moving, then one comparison
    ### BEGIN SOLUTION
    moved = (x + encoding)[order] if positions_travel else x[order] + encoding
    return np.abs(layer(moved) - layer(x + encoding)[order]).max()
    ### END SOLUTION


# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A score of sums has four terms: content·content, position·position, and two that mix them.
# - In the example the mixed terms moved the attention weights most. They differ from text to text; position·position does not.
# - How much position changes depends on the scale of the content, and the partner's weight does not grow with it all the way.
# - Position enters queries, keys and values, and so every layer above.
# - A sum is read by directions. In a wide space both parts find room.
# - Side by side costs width and has no mixed terms.
# - Encodings in position order break equivariance, as they should; if each token keeps its own, it is restored.
#
# All of this was a fixed table. What changes if each position gets a vector that is learned, and if positions are numbered wrongly, is the subject of [lesson 11](11_learned_tables_and_indices.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, sections 3.2.1 (division of the scores), 3.4 (multiplication of the embeddings), 3.5 and 5.4 (dropout). [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - Which terms are kept: G. Ke, D. He and T.-Y. Liu, *Rethinking Positional Encoding in Language Pre-training* (TUPE), 2021, [arXiv:2006.15595](https://arxiv.org/abs/2006.15595); P. He and others, *DeBERTa*, 2021, [arXiv:2006.03654](https://arxiv.org/abs/2006.03654); Z. Dai and others, *Transformer-XL*, 2019, [arXiv:1901.02860](https://arxiv.org/abs/1901.02860).
# - The six tokens are made up: they were solved for so that a table of attention weights in a text that this course started from comes out. That text explains the gain of t1 by its position; the four lines of this lesson put it down to the mixed terms.
# - Questions answered here: [why add and not concatenate](https://datascience.stackexchange.com/questions/55901/in-a-transformer-model-why-does-one-sum-positional-encoding-to-the-embedding-ra), [how to undo the sum](https://stats.stackexchange.com/questions/586813/intuitive-explanation-for-summing-the-embedding-and-positional-encoding-in-the-t).
# - To read alongside: the embedding module of any Transformer you use, with two questions: is there a √width, and in which module?
