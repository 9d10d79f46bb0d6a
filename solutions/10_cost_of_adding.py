# %% [markdown]
# # 10 · What is added also blurs
#
# **What breaks.** Content and position share every coordinate of a row. What the position tells, the content loses; how much is a number that can be measured.
#
# **Afterwards you can** take a score apart into its four terms; say where position goes in queries, keys *and values*; choose a scale on purpose; and compare adding with concatenating by what each costs.
#
# **You need** [lesson 2](02_attention_forgets_order.ipynb) for attention and equivariance, [lesson 6](06_sinusoidal_encoding.ipynb) for the table and [lesson 8](08_norm_and_distance.ipynb) for its dot products.

# %%
import numpy as np

from posenc.attention import SIX_TOKENS, identity_attention
from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.encodings import sinusoidal
from posenc.figures import lesson_10

np.set_printoptions(precision=3, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Write (a + b)(c + d) on the board and have it multiplied out. What is the norm of a row of the table at width 4? (√2.) What does equivariant mean? (Shuffle the inputs, and the outputs are shuffled in the same way.)
#
# **When late**, skip *Side by side instead*; keep *The scale decides*, which is the question people bring from code.

# %% [markdown] tags=["instructor"]
# **Ask the room** before the second row is printed: which share will grow? Most say "all the same" or "the neighbour's".

# %% [markdown] section="blur" minutes=5
# ## Before and after
#
# Six tokens on three topics: t0 and t3, t1 and t4, t2 and t5 belong together. The tokens were solved for from printed figures of a text that does not print them, so they stand for no real words. Without positions t0 reads its partner:

# %%
encoding = sinusoidal(6, 4)
without = identity_attention(SIX_TOKENS)[1][0]
print("shares that t0 gives:", without)

# %%
claim("shares-without-position")

# %% [markdown]
# Now add the encodings, row by row, and let t0 read again. What becomes of the partner?

# %%
with_positions = identity_attention(SIX_TOKENS + encoding)[1][0]
print("with positions:      ", with_positions)

# %%
lesson_10.shares({"content alone": without, "with positions": with_positions})

# %%
claim("shares-with-position")

# %% [markdown]
# The partner t3, three seats away, loses almost two thirds of its share. The neighbour t1, on another topic, gets seven times as much as before. That is the price of adding: the score cannot be asked for content alone any more.
#
# Is it only t0? Take every token's share for its partner, before and after:

# %%
partner = (np.arange(6) + 3) % 6
before = identity_attention(SIX_TOKENS)[1][np.arange(6), partner]
after = identity_attention(SIX_TOKENS + encoding)[1][np.arange(6), partner]
print("share for the partner, before:", before)
print("share for the partner, after: ", after)
print("tokens that gained, lost:", (after > before).sum(), (after < before).sum())

# %% [markdown]
# Partners sit three seats apart, and at that distance the encodings of width 4 have almost no dot product. So what the partners get is what the rest of the row leaves over, and it differs from token to token: the mixed terms of the next section push some up and some down.
#
# Whether this is damage or information depends on the task. In a sentence the neighbour often matters. The point is that *something* was paid, and that nobody chose the amount.

# %%
ask("10.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They hear "position is added as extra information", as if nothing were taken. Say: *shares sum to one; what one gains another pays.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the four would you keep if you could keep two? Let them argue; relative schemes (lesson 12) keep the first and something like the last.

# %% [markdown] section="four-terms" minutes=6
# ## A score has four terms
#
# With x and y for content, p and q for position, multiply the bracket out:
#
# $$
# (x + p) \cdot (y + q) = x \cdot y + x \cdot q + p \cdot y + p \cdot q
# $$
#
# Content with content, content with position, position with content, position with position. For t0 reading each token:

# %%
x, p = SIX_TOKENS[0], encoding[0]
print("content·content   ", x @ SIX_TOKENS.T)
print("content·position  ", x @ encoding.T)
print("position·content  ", p @ SIX_TOKENS.T)
print("position·position ", p @ encoding.T)

# %%
lesson_10.four_terms()

# %% [markdown]
# The last panel is lesson 8: constant along diagonals, largest for the same seat, and the same for every text. The two in the middle ask odd questions: how well does *this word* go with *that seat*? Before training they are accidents. With learned projections each term gets its own weights, in part; a design that gives each its own projection outright is one of the later answers to this lesson.
#
# Do the four add up?

# %%
total = x @ SIX_TOKENS.T + x @ encoding.T + p @ SIX_TOKENS.T + p @ encoding.T
print("sum of the terms equals the score:", np.allclose(total, (x + p) @ (SIX_TOKENS + encoding).T))

# %%
ask("10.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** The middle terms are forgotten, as in (a + b)² = a² + b². Say: *half of the terms are mixed.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: in which of Q, K, V does position do its work? In which is it a passenger?

# %% [markdown] section="values" minutes=4
# ## Position leaves through the values, too
#
# A sum enters queries, keys *and values*. So what attention mixes and hands on is no longer content alone. Compare the outputs with the same shares, once mixing content and once mixing the sums:

# %%
shares = identity_attention(SIX_TOKENS + encoding)[1]
content_out, sum_out = shares @ SIX_TOKENS, shares @ (SIX_TOKENS + encoding)
print("output of t0, values without positions:", content_out[0])
print("output of t0, values with positions:   ", sum_out[0])
print("the difference is mixed encodings:     ", (shares @ encoding)[0])

# %% [markdown]
# How large is that part? Compare lengths, over all six tokens:

# %%
content_part = np.linalg.norm(content_out, axis=1)
seat_part = np.linalg.norm(shares @ encoding, axis=1)
print("length of the content in each output:  ", content_part)
print("length of the positions in each output:", seat_part)

# %% [markdown]
# The two are of the same order. The output carries a blend of the seats it was read from. The next layer can use it, which is how position travels up a stack without being added again; it also means that no later layer ever sees content without position. Rotary encodings and biases, in lesson 12, touch scores only and leave the values alone.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Position is in the scores." Say: *whatever goes in at the bottom is in everything above.*

# %% [markdown] tags=["instructor"]
# **In front of people**: token t0, scale 1. Move the scale up slowly and stop when the striped bar overtakes t1. Then go on to 2 and ask why the striped bar is shrinking.

# %% [markdown] section="scale" minutes=8
# ## The scale decides
#
# If content were larger, it would count for more. Let the tokens be multiplied by a scale before the encodings are added, and look at the whole curve:

# %%
lesson_10.blur_curve()

# %% [markdown]
# At small scales position rules; t0 prefers its neighbour. At which scale does the partner win against all others?

# %%
for scale in (1.0, 1.1, 1.15, 1.2, 2.0):
    row = identity_attention(scale * SIX_TOKENS + encoding)[1][0]
    print(f"scale {scale:4.2f}: t3 {row[3]:.3f}, t1 {row[1]:.3f}, itself {row[0]:.3f}")

# %%
claim("scale-that-wins")

# %% [markdown]
# Winning is not the same as getting more. At scale 2 the partner is far ahead of the neighbour, and its share is *below* the one at scale 1, because t0's score with itself has grown fastest: squared.

# %%
claim("scale-two")

# %%
playground(lesson_10.blur)

# %% [markdown]
# The 2017 Transformer multiplies token vectors by √width before adding. Embeddings are often drawn with a spread of 1/√width, so that a token has norm about 1, while a row of the table has norm √(width/2): at width 512 the position would be sixteen times as large as the content. After the multiplication they are of one order.

# %%
width = 512
row = np.linalg.norm(sinusoidal(2, width)[1])
print(f"row of the table {row:.3f}, unit token {1.0:.3f}, unit token times √512 {width**0.5:.3f}")
print(f"position to content: {row / 1.0:.3f} as drawn, {row / width**0.5:.3f} after scaling")

# %% [markdown]
# It is multiplied, not divided. The division by √ of the key width belongs to the scores and comes later. Both contain a root, which is why they are so often mixed up. Nor is √width a law: the embeddings are trained, and training can change their size.

# %%
ask("10.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Scaling protects the content, so more is better." Say: *the larger the scale, the more every token reads itself.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: with 64 words and 64 seats at width 64, would it still work? (No: there are more directions than columns.)

# %% [markdown] section="undo" minutes=4
# ## How can a sum be undone?
#
# It cannot, vector by vector: [0.2, 0.1, −0.3] is a sum in endlessly many ways. It need not be. Weights read *directions*, and a wide space has room for both. Give a linear map the sums of 400 random tokens at random seats, width 64, and ask it for two things at once: the fastest hand of the seat, and the first coordinate of the token's own vector.

# %%
rng = np.random.default_rng(0)
seats = rng.integers(0, 50, 400)
stamps = sinusoidal(50, 64)[seats]
tokens = rng.normal(size=(20, 64))[rng.integers(0, 20, 400)]
asked = np.c_[stamps[:, 0], tokens[:, 0]]
reading, *_ = np.linalg.lstsq(tokens + stamps, asked, rcond=None)
found = (tokens + stamps) @ reading
for name, wanted, got in zip(("position", "content"), asked.T, found.T):
    correlation = np.corrcoef(wanted, got)[0, 1]
    print(f"{name}: read and true agree, correlation above 0.99: {correlation > 0.99}")

# %% [markdown]
# One linear map reads a position's coordinate and a token's coordinate out of the same sums. It works because 20 words and 50 seats use few of the 64 directions, and it would fail if each of the two filled the space. With width 4, as above, there is no room, which is why everything blurs.
#
# Dropout after the sum drops a coordinate's content and position together. It keeps a model from leaning on single columns of the table, where one fast column would otherwise name the parity of the seat; that is the reason usually given for it.

# %%
ask("10.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They want to recover the summands. Say: *nobody unmixes a row; weights look from a side on which the other part casts no shadow.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: W applied to [x, p] is W₁x + W₂p. What is W applied to x + p? (Wx + Wp: the same with W₁ = W₂.)

# %% [markdown] section="concatenate" minutes=3
# ## Side by side instead
#
# Set the encoding beside the content, and no column holds both. The score then is content · content plus position · position, without mixed terms, divided by √8 instead of √4:

# %%
beside = identity_attention(np.concatenate([SIX_TOKENS, encoding], axis=1))[1][0]
print("content alone", without)
print("added        ", with_positions)
print("side by side ", beside)

# %%
claim("concatenated-shares")

# %% [markdown]
# A matrix applied to the longer row is two matrices, one for each part. Applied to a sum it is one matrix for both:

# %%
rng = np.random.default_rng(1)
w_content, w_position = rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
x, p = SIX_TOKENS[0], encoding[0]
two = np.concatenate([x, p]) @ np.concatenate([w_content, w_position])
print("beside each other, two matrices:", np.allclose(two, x @ w_content + p @ w_position))
one = (x + p) @ w_content
print("added, one matrix for both:     ", np.allclose(one, x @ w_content + p @ w_content))

# %% [markdown]
# t3 keeps more than when added, and less than before: position still votes. What it costs is width. Eight columns instead of four double the size of every matrix that reads them; at width 512 with 64 columns for positions it is an eighth. Adding is concatenating with the two parts forced through one matrix, and it is free.

# %%
ask("10.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Concatenating is cleaner, so better." Say: *cleaner, dearer; whether better is measured on a task.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a batch loader shuffles the tokens of a sequence and keeps `arange` for the positions. What was broken?

# %% [markdown] section="seats" minutes=3
# ## Equivariance is gone, and comes back
#
# Lesson 2 showed that attention follows every shuffle. With encodings in seat order it does not; who sits where makes a difference, which is what they were added for.

# %%
claim("broken-with-position")

# %% [markdown]
# Shuffle the *sums* and it follows again: token and seat belong together, and attention sees six rows in another order. This is why position tables are shuffled along with the tokens wherever a model permutes them.

# %%
claim("equivariant-when-seats-travel")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Both claims sound alike. Say: *move the people, or move the chairs with them.*

# %% [markdown]
# ## Seen in the wild
#
# - **[Added twice](https://github.com/gaasher/I-JEPA/issues/4).** Two consecutive lines added the table. A row of width 8 that should have norm 2 had norm 4, so position counted double and nothing crashed. A [residual around a layer that already returns the sum](https://github.com/ZhongYang2026/Attention-Is-All-You-Need-In-Speech-Separation/issues/5) counts the input twice instead: token [1, 1, 1, 1] at seat 1 began with 2.84 instead of 1.84. And [`x += pe(x)`](https://github.com/DSPsleeporg/smiles-transformer/pull/22) was proposed where `pe` returns x + P.
# - **[The wrong root](https://github.com/nicklashansen/dreamer4/pull/4).** The table was multiplied by 1/√256, the factor of the scores: a row of norm 11.3 shrank to 0.7. The change was put behind a switch, because trained models had got used to it. A report that [√width is missing](https://github.com/SamLynnEvans/Transformer/issues/10) was a false alarm: it sat in another module. Another one wanted to [divide](https://github.com/pytorch/tutorials/issues/2849) and was withdrawn.
# - **[Mending the layout of a trained model](https://github.com/tensorflow/tensor2tensor/pull/177).** Columns were put into the paper's order. Any [projection learned afterwards absorbs a fixed order](https://github.com/kimiyoung/transformer-xl/issues/119), so both are right before training, and a change after it broke every model.

# %%
row = sinusoidal(6, 8)[5]
print("row of width 8: norm", np.linalg.norm(row), "added twice", np.linalg.norm(2 * row))
row = sinusoidal(2, 256)[1]
size = np.linalg.norm(row)
print(f"row of width 256: norm {size:.3f}, divided by 16 {size / 16:.3f}")
stamp = sinusoidal(4, 4)
blocks = np.concatenate([stamp[:, 0::2], stamp[:, 1::2]], axis=1)
print("input counted twice, seat 1:", 2 * np.ones(4) + stamp[1])
print(f"largest change by reordering, seats 1 to 3: {np.abs(stamp - blocks)[1:].max():.3f}")

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Numbers may differ by 2e-5 plus a hundred-thousandth of the value. Arguments must not be changed. Hints come one at a time: take the `#` away and run the cell.

# %% [markdown] tags=["challenge-text"] challenge="10.1"
# ### 10.1 · The four terms
#
# *3 points · 8 minutes · difficulty 1 of 3*
#
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


# %% tags=["check"] challenge="10.1"
check("10.1", score_terms)
# hint("10.1", 1)
# solution("10.1")

# %% [markdown] tags=["challenge-text"] challenge="10.2"
# ### 10.2 · When content wins
#
# *4 points · 14 minutes · difficulty 3 of 3*
#
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


# %% tags=["check"] challenge="10.2"
check("10.2", smallest_winning_scale)
# hint("10.2", 1)
# solution("10.2")

# %% [markdown] tags=["challenge-text"] challenge="10.3"
# ### 10.3 · Does the seat travel?
#
# *3 points · 10 minutes · difficulty 2 of 3*
#
# Write `order_sensitivity(layer, x, encoding, order, seats_travel)`. The layer is a function from (n, d) to n rows; `order` is a permutation.
#
# 1. If the seats travel, the moved input is (x + encoding)[order]; otherwise it is x[order] + encoding.
# 2. It returns the largest absolute difference between layer(moved) and layer(x + encoding)[order].

# %% tags=["challenge"] challenge="10.3"
def order_sensitivity(layer, x, encoding, order, seats_travel):
    """How far the layer is from following the shuffle."""
    ### STUB: the two ways of moving, then one comparison
    ### BEGIN SOLUTION
    moved = (x + encoding)[order] if seats_travel else x[order] + encoding
    return np.abs(layer(moved) - layer(x + encoding)[order]).max()
    ### END SOLUTION


# %% tags=["check"] challenge="10.3"
check("10.3", order_sensitivity)
# hint("10.3", 1)
# solution("10.3")

# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A score of sums has four terms: content, position, and two that mix them.
# - What the position gains in shares the content pays. How much depends on the scale, and the curve is not monotone for the partner.
# - Position enters queries, keys and values, and so every layer above.
# - A sum is read by directions, not undone. In a wide space both parts find room.
# - Side by side costs width and drops the mixed terms.
# - Encodings in seat order break equivariance, as they should; seats that travel restore it.
#
# All of this was a fixed pattern. What if each seat gets a vector that is learned, and what becomes of it when the seats are numbered wrongly? [Lesson 11](11_learned_tables_and_indices.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, sections 3.2.1 (division of the scores), 3.4 (multiplication of the embeddings) and 3.5. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - G. Ke, D. He and T.-Y. Liu, *Rethinking Positional Encoding in Language Pre-training*, 2021: projections of their own for content and position. [arXiv:2006.15595](https://arxiv.org/abs/2006.15595)
# - Questions answered here: [why add and not concatenate](https://datascience.stackexchange.com/questions/55901/in-a-transformer-model-why-does-one-sum-positional-encoding-to-the-embedding-ra), [how to undo the sum](https://stats.stackexchange.com/questions/586813/intuitive-explanation-for-summing-the-embedding-and-positional-encoding-in-the-t).
# - To read alongside: the embedding module of any Transformer you use, with two questions: is there a √width, and in which module?
