# %% [markdown]
# # 2 · Attention has no before and no after
#
# **What breaks.** Attention compares every token with every other, and still the order of the tokens is not among the things it knows. Shuffle them, and its answers come out shuffled and otherwise unchanged, however many layers lie on top of each other.
#
# **Afterwards you can** write attention with a softmax that does not overflow; say what equivariant and invariant mean, and test a layer for both; prove in three lines why a deep stack cannot tell the order; and name what would let it in.
#
# **You need** [lesson 1](01_order_problem.ipynb) for rows that do not know their seat, and matrix products.

# %%
import numpy as np

from posenc.attention import SIX_TOKENS
from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.figures import lesson_02

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. What is the dot product of [1, 2] and [3, 0]? (3.) What does a matrix product do to the rows of its left factor? (Each row of the answer is made from one row of the left factor and the whole right one.) Which axis does `.sum(axis=1)` run along in an array of 2 by 5, and how many numbers are left? (Along the columns; 2.)
#
# **When late**, skip the second half of *Attention, written out*, the measurement of the scale, and tell its result. Do not skip *Three lines of proof*: it takes four minutes and is what people remember.

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the figure: point at the cell in which "dog asks bites" will stand after the reversal. (Row 2, column 1.)

# %% [markdown] section="same-products" minutes=5
# ## The same products in both sentences
#
# Attention lets each token ask all tokens a question. A matrix makes a **query** of every row, another makes a **key**, and the product of a query and a key says how well they fit. Here are the three words of lesson 1, with two made-up matrices:

# %%
names = ["dog", "bites", "person"]
x = np.array([[1.1, -0.3, 0.5], [0.2, 0.9, -0.4], [-0.7, 0.4, 0.8]])
w_q = np.array([[0.3, -0.5, -0.9], [-1.0, 0.6, 0.8], [0.2, 0.5, 0.1]])
w_k = np.array([[0.9, 0.6, 0.7], [-0.9, 0.5, -1.0], [0.7, 0.1, 0.7]])
products = (x @ w_q) @ (x @ w_k).T
print(products)

# %% [markdown]
# Row 0 holds what dog asks of dog, bites and person. Now the sentence is turned round. Which of the nine products change?

# %%
reverse = [2, 1, 0]
products_reversed = (x[reverse] @ w_q) @ (x[reverse] @ w_k).T
lesson_02.product_grids(
    names, names[::-1], [products, products_reversed], asks="dog", asked="bites"
)

# %% [markdown]
# None. They stand in other cells, that is all: a product takes two rows, and lesson 1 showed that a word's row is the same on every seat. Note what attention *does* keep: dog asking bites is not bites asking dog, because query and key are made by different matrices. Without these matrices even this difference goes, since x · y = y · x.

# %%
print("dog asks bites:", round(products[0, 1], 3), "· bites asks dog:", round(products[1, 0], 3))
print("without matrices:", round(x[0] @ x[1], 3), "and", round(x[1] @ x[0], 3))

# %%
claim("pair-products")

# %% [markdown]
# So the grid of the reversed sentence is the old one with its rows and its columns turned round, and the row of dog holds the same three numbers in both. Open the claim and give each seat a vector of its own: then the pairs differ.

# %%
ask("2.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They hear "no order" as "no direction". Say: *who asks whom is kept; who came first is not.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what are the shares of 9,999 and 10,000? And those of 0 and 1? (The same: 0.27 and 0.73.)

# %% [markdown] section="softmax" minutes=5
# ## From scores to shares
#
# Products become **scores**, and a row of scores becomes **shares**: positive numbers that add up to 1, so that each token gives away one whole. The softmax does it:
#
# $$
# \text{share}_j = \frac{e^{\text{score}_j}}{\sum_k e^{\text{score}_k}}
# $$
#
# Written as it stands, it breaks on large scores:

# %%
large = np.array([1000.0, 999.0, 0.0])
with np.errstate(over="ignore", invalid="ignore"):
    print("as it stands:    ", np.exp(large) / np.exp(large).sum())
shifted = np.exp(large - large.max())
print("largest set to 0:", shifted / shifted.sum())

# %% [markdown]
# e^1000 is more than a float holds, and infinity by infinity is no number. Subtracting one number from the whole row divides every power by the same factor, which cancels; so subtract the largest, and no power is above 1. What counts in a row is how far its scores lie apart, never how large they are.
#
# With many rows, each is a softmax of its own. The sum must run along the keys and keep its axis, so that the division lines up:

# %%
def shares_of(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


shares = shares_of(products)
print("sums of rows:   ", shares.sum(axis=1))
print("sums of columns:", shares.sum(axis=0))

# %%
ask("2.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** The sum runs down the columns, or over the whole grid, and no error is raised. Say: *add up one row and look whether it is 1.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: whom does t2 read most, and whom should it, by topic? (t5, more than itself.)

# %% [markdown] section="attention" minutes=5
# ## Attention, written out
#
# The shares say how much each token takes from each. What is taken are the **values**, made by a third matrix: out = shares · values. Row i of the answer is a weighted mean of the values, with the shares of token i as weights; there is one row for each token that asked.
#
# From here on we read six tokens of width 4 on three topics: t0 and t3 share one, t1 and t4, t2 and t5. The course they come from printed figures measured on its tokens, and not the tokens; these were solved for so that its figures come out. All three matrices are left out, which is the same as taking the identity:

# %%
def read(x):
    scores = x @ x.T / np.sqrt(x.shape[1])
    return shares_of(scores) @ x


six = SIX_TOKENS
outputs = read(six)
lesson_02.shares_of(shares_of(six @ six.T / np.sqrt(4)))

# %% [markdown]
# Tokens of one topic read each other. Why is the score divided by the root of the width? The product of two rows sums `width` terms, so it spreads more in wide rows:

# %%
rng = np.random.default_rng(0)
for width in (16, 64, 256):
    query, key = rng.standard_normal((2, 4000, width))
    spread = (query * key).sum(axis=1).std()
    scaled = spread / width**0.5
    print(f"key width {width:3}: spread {spread:4.1f}, divided by the root {scaled:.1f}")

# %% [markdown]
# Undivided, wide keys would give scores so far apart that one share is nearly 1 and the rest nearly 0. It is the width of the *keys* that counts, since these are the terms that are summed.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They divide by the width instead of its root, or take the width of x where the keys have another. Say: *spread grows with the root of the number of terms; count the terms.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: tokens 0 and 1 change seats; which rows of the output change? Vote before the cell.

# %% [markdown] section="shuffled" minutes=4
# ## Shuffle the tokens, and the outputs shuffle with them
#
# Put the tokens on other seats. Token 3 comes first, then 0, 5, 1, 4, 2. What does attention return now?

# %%
order = np.array([3, 0, 5, 1, 4, 2])
shuffled = read(six[order])
print("equal to the old outputs as they lie:   ", np.allclose(shuffled, outputs))
print("equal to the old outputs, shuffled alike:", np.allclose(shuffled, outputs[order]))

# %%
lesson_02.outputs_moved(six, order)

# %% [markdown]
# Every output went where its token went, and is otherwise what it was. A layer f with f(x[order]) = f(x)[order] for every order is called **equivariant**. It is not blind to the seats in the sense of always returning the same array; it returns to each *token* the same answer, on whatever seat it sits.

# %%
claim("equivariant-without-position")

# %%
ask("2.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The output stays the same." Say: *the outputs swap too; a token keeps its answer, a seat does not.*

# %% [markdown] tags=["instructor"]
# **At the board**: write the three lines yourself, slowly, and let the room say at each which rule was used. Then ask where the proof would fail if S had a number added that depends on the seats. (Line 1: P B Pᵀ is not B.)

# %% [markdown] section="three-lines" minutes=4
# ## Three lines of proof
#
# A measurement shows it for one order and one set of tokens. The proof is as short. Let P be the matrix that shuffles rows, so that x[order] is P x; its transpose shuffles back, so that PᵀP is the identity I. With scores S and shares A:
#
# 1. The scores are products of pairs: (P x)(P x)ᵀ = P x xᵀ Pᵀ = **P S Pᵀ**. Rows and columns both move.
# 2. Softmax works on one row at a time and does not ask for the order within it, so the shares of P S Pᵀ are **P A Pᵀ**.
# 3. Shares times values: P A Pᵀ · P x = **P (A x)**, as PᵀP = I.
#
# Each line can be held against the numbers:

# %%
p = np.eye(6)[order]
s = six @ six.T / 2
a = shares_of(s)
print("line 1:", np.allclose((p @ six) @ (p @ six).T / 2, p @ s @ p.T))
print("line 2:", np.allclose(shares_of(p @ s @ p.T), p @ a @ p.T))
print("line 3:", np.allclose((p @ a @ p.T) @ (p @ six), p @ (a @ six)))

# %% [markdown]
# Matrices for queries, keys and values change nothing. They stand on the right of x, and (P x) W = P (x W).

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Shuffling by `order` on one side and by its inverse on the other. Say: *`x[order]` puts token `order[0]` on seat 0; do the same to the output.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a layer returns the mean, once for every token. Which of the two is it? (Both: all rows are equal, so moving them changes nothing.)

# %% [markdown] section="invariant" minutes=4
# ## Equivariant is not invariant
#
# The two words are often mixed up. **Equivariant**: the output moves as the input moved. **Invariant**: the output does not move at all, f(x[order]) = f(x). Self-attention is the first. To get the second, the rows have to be brought together:

# %%
query = np.array([0.4, -0.2, 0.7, 0.1])
for tokens in (six, six[order]):
    pooled = read(tokens).mean(axis=0)
    answer = shares_of(query[None] @ tokens.T / 2) @ tokens
    print("mean of the rows:", pooled, "· one learned query:", answer[0])

# %% [markdown]
# A mean over the rows is invariant, and so is a single learned query that reads all tokens: there is one output and it has no seat to move to. So a reader who asks whether attention is the one or the other can be answered: with a query from each token, equivariant; with a query of its own, invariant.
#
# It matters for what comes next. Something that labels every word can use equivariant rows, for each row is still with its word. Something that judges the whole text pools them, and what is pooled can no longer tell two orders apart.

# %%
claim("mean-is-invariant")

# %%
ask("2.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They test with the mean, find that nothing changed, and report that attention's outputs stay the same. Say: *the mean hides the difference that the two words are about.*

# %% [markdown] tags=["instructor"]
# **In front of people**: press the arrow key on *layers* from 1 to 12 and ask what the right-hand panel will show at 12. Then choose the second entry of *what moves*, and only after the room has explained it, the third.

# %% [markdown] section="playground" minutes=6
# ## Six layers deep
#
# Perhaps depth helps. A real layer does more than attention: it adds what was read to the token, normalises each row, and puts each row through a small network, the feed-forward part.

# %%
def normalised(x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


def layer(x, w_q, w_k, w_v, w_in, w_out):
    shares = shares_of((x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1]))
    x = normalised(x + shares @ (x @ w_v) / 2)
    return normalised(x + np.maximum(x @ w_in, 0) @ w_out / 2)

# %%
shapes = [(4, 4), (4, 4), (4, 4), (4, 16), (16, 4)]
weights = [[rng.standard_normal(s) / s[0] ** 0.5 for s in shapes] for _ in range(6)]


def deep(x):
    for each in weights:
        x = layer(x, *each)
    return x


error = np.abs(deep(six[order]) - deep(six)[order]).max()
print("largest difference below 1e-10:", error < 1e-10)

# %% [markdown]
# Nothing in the stack asks for a seat. The new parts work on one row at a time, and what one equivariant layer hands on, shuffled, the next one hands on shuffled. Try it with other orders and depths. Then give every seat a vector of its own and choose what moves.

# %%
playground(lesson_02.deep_stack)

# %%
claim("six-layer-equivariance")

# %% [markdown]
# Depth adds nothing, and neither does training: it changes the matrices, and the proof holds for every matrix. With vectors that stay on their seats, the two ways differ at every row: the order has come in. When each token takes its seat's vector along, the difference is gone again, because then only rows have moved.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Deep networks learn the order by themselves." Say: *learning changes the matrices; the proof holds for every matrix.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the last three would you use on texts of any length? (Not the matrix: it has one length.)

# %% [markdown] section="no-argument" minutes=4
# ## Nowhere to write it down
#
# Look at what `deep` is given: rows. It is a function of the multiset of tokens: to each token it answers by that token and by the collection of all of them. There is no argument in which an order could be recorded, so none can be found inside. Which changes would let it in? Five layers, with the two questions:

# %%
along = rng.uniform(-1, 1, (6, 6))
layers = {
    "attention": read,
    "its mean": lambda x: read(x).mean(axis=0, keepdims=True),
    "with a vector for each seat": lambda x: read(x + 0.1 * np.arange(6)[:, None]),
    "reading earlier tokens only": lambda x: np.array([read(x[: i + 1])[-1] for i in range(6)]),
    "a matrix along the length": lambda x: read(along @ x),
}
for name, f in layers.items():
    before, after = f(six), f(six[order])
    moves = len(before) == 6 and np.allclose(after, before[order])
    print(f"{name:28} invariant {np.allclose(after, before)!s:6} equivariant {moves}")

# %% [markdown]
# The last three name seats: by a vector, by a rule who may read whom, by a weight that belongs to a place. Whatever names a seat breaks the symmetry, wanted or not. The vector is what this course is about, and the rule is the next lesson.

# %%
ask("2.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take every variant of attention for a set operation. Say: *ask of each part whether it names a seat; then measure.*

# %% [markdown]
# ## Seen in the wild
#
# - **[Swapped and yet identical](https://www.datatec-studio.com/research/topics/positional-encoding-sine-and-cos/).** A page says that swapping two tokens leaves the outputs identical, and calls attention equivariant further down. The outputs swap; only their mean stays.
# - **[A test under the wrong name](https://github.com/facebookresearch/xformers/pull/339).** A test suite checked one of the two properties, under comments that were exchanged. A test of equivariance should also see that invariance *fails*, or a layer that returns one vector for all would pass.
# - **[Why are the positions shuffled too?](https://github.com/bytedance/1d-tokenizer/issues/56)** Tokens were shuffled for training and the table of positions with them. That is right where each token is to keep its place in the picture: (x + P)[order] is x[order] + P[order]. Left on the seats, the positions would say where a token sits now.
# - **[Not every attention is a set operation](https://github.com/tatp22/linformer-pytorch/issues/26).** A variant saves time by a learned projection along the length. Each entry of that projection belongs to a seat, so the symmetry is gone.

# %%
swap = np.array([1, 0, 2, 3, 4, 5])
table = rng.uniform(-1, 1, (6, 4))
print("rows stay:", np.allclose(read(six[swap]), read(six)),
      "· mean stays:", np.allclose(read(six[swap]).mean(axis=0), read(six).mean(axis=0)))
print("(x + P)[order] is x[order] + P[order]:",
      np.array_equal((six + table)[order], six[order] + table[order]),
      "· is x[order] + P:", np.array_equal((six + table)[order], six[order] + table))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Numbers may differ by 2e-5 plus a hundred-thousandth of the value, so single precision is enough. Hints come one at a time: take the `#` away and run the cell.
#
# Rows are tokens. `order` is an array that holds each row number once; `x[order]` is the shuffled x. Arguments must not be changed.

# %% [markdown] tags=["challenge-text"] challenge="2.1"
# ### Challenge 2.1 · Softmax
#
# *2 points · 8 minutes · difficulty 1 of 3*
#
# Write `softmax(scores, axis=-1)` for an array with any number of axes.
#
# 1. It returns an array of the same shape: powers of e, divided by their sum along `axis`.
# 2. Scores of 10,000 and of −10,000, in one row too, give finite shares.

# %% tags=["challenge"] challenge="2.1"
def softmax(scores, axis=-1):
    """Shares that add up to 1 along the axis, of the scores' shape."""
    ### STUB: what may be subtracted from a row without changing its shares?
    ### BEGIN SOLUTION
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
    ### END SOLUTION


# %% tags=["check"] challenge="2.1"
check("2.1", softmax)
# hint("2.1", 1)
# solution("2.1")

# %% [markdown] tags=["challenge-text"] challenge="2.2"
# ### Challenge 2.2 · Attention
#
# *3 points · 12 minutes · difficulty 2 of 3*
#
# Write `attention(x, w_q, w_k, w_v)` for x of shape (n, d). It may call your `softmax`.
#
# 1. Queries, keys and values are x times `w_q`, `w_k` and `w_v`. Keys and values may have different widths.
# 2. Scores are query · key, divided by the root of the key width.
# 3. Each token reads the values by the softmax of its scores: the answer has shape (n, d_v).
# 4. Scores above 1,000 give finite answers.

# %% tags=["challenge"] challenge="2.2"
def attention(x, w_q, w_k, w_v):
    """Scaled dot-product attention of the rows of x over themselves: (n, d_v)."""
    ### STUB: project three times, score every pair, turn each row of scores into shares, read
    ### BEGIN SOLUTION
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    return softmax(scores) @ values
    ### END SOLUTION


# %% tags=["check"] challenge="2.2"
check("2.2", attention)
# hint("2.2", 1)
# solution("2.2")

# %% [markdown] tags=["challenge-text"] challenge="2.3"
# ### Challenge 2.3 · How far from equivariant
#
# *2 points · 8 minutes · difficulty 2 of 3*
#
# Write `equivariance_error(layer, x, order)`. `layer` is a function that takes x and returns one row for each row of x.
#
# 1. It returns one number: the largest absolute difference between layer(x[order]) and layer(x)[order].
# 2. For an equivariant layer that is 0, but for rounding.

# %% tags=["challenge"] challenge="2.3"
def equivariance_error(layer, x, order):
    """Largest |layer(x[order]) − layer(x)[order]|."""
    ### STUB: shuffle before the layer and after it; how far apart are the two?
    ### BEGIN SOLUTION
    return np.abs(layer(x[order]) - layer(x)[order]).max()
    ### END SOLUTION


# %% tags=["check"] challenge="2.3"
check("2.3", equivariance_error)
# hint("2.3", 1)
# solution("2.3")

# %% [markdown] tags=["challenge-text"] challenge="2.4"
# ### Challenge 2.4 · Equivariant, invariant, neither
#
# *3 points · 12 minutes · difficulty 3 of 3*
#
# Write `symmetry(layer, x, order, tolerance=1e-8)`. Here `layer` may return anything: a row for each token, more rows, one vector, one number (an array without axes).
#
# 1. It returns `'invariant'` if layer(x[order]) equals layer(x).
# 2. If not, it returns `'equivariant'` if layer(x[order]) equals layer(x)[order].
# 3. Otherwise it returns `'neither'`. An output of another shape than layer(x)[order], or one that has no rows to shuffle, counts as not equal.
# 4. Equal means that the largest absolute difference is at most `tolerance`, and nothing is added to it.

# %% tags=["challenge"] challenge="2.4"
def symmetry(layer, x, order, tolerance=1e-8):
    """'invariant', 'equivariant' or 'neither', as this one reordering shows."""
    ### STUB: two outputs are enough; which comparison is asked first, and where are there no rows?
    ### BEGIN SOLUTION
    before, after = layer(x), layer(x[order])
    if np.abs(after - before).max() <= tolerance:
        return "invariant"
    if before.shape[:1] != (len(x),):
        return "neither"
    if np.abs(after - before[order]).max() <= tolerance:
        return "equivariant"
    return "neither"
    ### END SOLUTION


# %% tags=["check"] challenge="2.4"
check("2.4", symmetry)
# hint("2.4", 1)
# solution("2.4")

# %%
progress()

# %% [markdown]
# ## Recap
#
# - A query-key product takes two rows. Every pair has the same product in both orders of a sentence.
# - Softmax runs along the keys; subtract the largest score of each row first.
# - Attention is scores, shares, values. Scores are divided by the root of the key width.
# - Equivariant: f(P x) = P f(x). Invariant: f(P x) = f(x). Self-attention is the first, its mean the second.
# - A stack of any depth is a function of the multiset of tokens, until something in it names a seat.
#
# Every model that writes text forbids a token to read later ones. That rule names seats: is the order in with it, and what is left for positions to do? That is [lesson 3](03_order_is_not_permission.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.2: scaled dot-product attention and the reason for the scale. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - M. Zaheer and others, *Deep Sets*, 2017: functions of a set, invariant and equivariant. [arXiv:1703.06114](https://arxiv.org/abs/1703.06114)
# - J. Lee and others, *Set Transformer*, 2019: attention on sets, with pooling by a learned query. [arXiv:1810.00825](https://arxiv.org/abs/1810.00825)
# - The question *equivariant or invariant?*, asked of a textbook and answered by its author: [udlbook issue 131](https://github.com/udlbook/udlbook/issues/131).
# - To read alongside: section 3.2 of Vaswani and others, with one question in hand: in which of its formulas does a position occur?
