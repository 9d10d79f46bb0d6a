# %% [markdown]
# # 2 · Attention has no before and no after
#
# **What breaks.** Attention compares every token with every other, and still it does not notice their order. Shuffle the tokens, and the outputs are shuffled in the same way and otherwise unchanged, however many layers there are.
#
# **Afterwards you can** write attention with a softmax that does not overflow; say what equivariant and invariant mean, and test a layer for both; prove in four lines that no stack of layers, however deep, can tell the order; and say what would let the order in.
#
# **You need** [lesson 1](01_order_problem.ipynb) for embeddings, positions and the word *multiset*, and matrix products.

# %%
import numpy as np

from posenc.attention import SIX_TOKENS
from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.figures import lesson_02

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. What is the dot product of [1, 2] and [3, 0]? (3.) What does a matrix product do to the rows of its left factor? (Each row of the result is made from one row of the left factor and the whole right one.) Which axis does `.sum(axis=1)` run along in an array of 2 by 5, and how many numbers are left? (Along the columns; 2.)
#
# **When late**, skip the second half of *Attention, written out*, the measurement of the scale, and tell its result. Do not skip *The proof, in four lines*: it takes five minutes and is what people remember.

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the figure: point at the cell that will hold "dog asks bites" after the reversal. (Row 2, column 1.)

# %% [markdown] section="same-products" minutes=5
# ## The same products in both sentences
#
# Attention lets each token put a question to all tokens. One matrix makes a **query** of every row, another makes a **key**, and the dot product of a query and a key says how well they fit. Here are the three words of lesson 1 with two made-up matrices:

# %%
names = ["dog", "bites", "person"]
x = np.array([[1.1, -0.3, 0.5], [0.2, 0.9, -0.4], [-0.7, 0.4, 0.8]])
w_q = np.array([[0.3, -0.5, -0.9], [-1.0, 0.6, 0.8], [0.2, 0.5, 0.1]])
w_k = np.array([[0.9, 0.6, 0.7], [-0.9, 0.5, -1.0], [0.7, 0.1, 0.7]])
products = (x @ w_q) @ (x @ w_k).T
print(products)

# %% [markdown]
# Row 0 holds the products of dog's query with the keys of dog, bites and person. Now the sentence is reversed. The frame follows the product of dog's query with the key of bites:

# %%
reverse = [2, 1, 0]
products_reversed = (x[reverse] @ w_q) @ (x[reverse] @ w_k).T
lesson_02.product_grids(
    names, names[::-1], [products, products_reversed], asks="dog", asked="bites"
)

# %% [markdown]
# All nine products are still there, in other cells. A product is made from two rows, and lesson 1 showed that a word's row is the same at every position. Attention does keep a direction: dog asking bites is different from bites asking dog, because queries and keys are made by different matrices. Without the matrices this difference disappears as well, since x · y = y · x:

# %%
print("dog asks bites:", round(products[0, 1], 3), "· bites asks dog:", round(products[1, 0], 3))
print("without matrices:", round(x[0] @ x[1], 3), "and", round(x[1] @ x[0], 3))

# %%
claim("pair-products")

# %% [markdown]
# The products of the reversed sentence are the old ones with rows and columns both reversed. Open the claim and add an encoding to each position. Then a pair has different products before and after the reversal.

# %%
ask("2.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They hear "no order" as "no direction". Say: *attention knows who asks whom; it does not know who came first.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what are the attention weights for the scores 9,999 and 10,000? And for 0 and 1? (The same: 0.27 and 0.73.)

# %% [markdown] section="softmax" minutes=5
# ## From scores to attention weights
#
# A product, once it is scaled, is called a **score**; papers and code also say *logit*. The softmax turns each row of scores into **attention weights**, positive numbers that add up to 1:
#
# $$
# \text{weight}_j = \frac{e^{\text{score}_j}}{\sum_k e^{\text{score}_k}}
# $$
#
# Computed literally, this fails for large scores:

# %%
large = np.array([1000.0, 999.0, 0.0])
with np.errstate(over="ignore", invalid="ignore"):
    print("as in the formula:   ", np.exp(large) / np.exp(large).sum())
shifted = np.exp(large - large.max())
print("largest shifted to 0:", shifted / shifted.sum())

# %% [markdown]
# e^1000 is more than a float can hold, and infinity divided by infinity is not a number (NaN). Subtracting one number from a whole row of scores divides all its powers by the same factor, which cancels. So the largest score is subtracted first, and no power is above 1. The weights depend on the differences between the scores of a row; adding the same number to all of them changes nothing.
#
# With many rows, each has a softmax of its own. The sum runs along the keys, and `keepdims` keeps the summed axis so that the division lines up:

# %%
def attention_weights(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


weights = attention_weights(products)
print("sums of rows:   ", weights.sum(axis=1))
print("sums of columns:", weights.sum(axis=0))

# %%
ask("2.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** The sum runs down the columns, or over the whole table, and no error is raised. Say: *add up one row and see whether it is 1.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which token does t2 attend to most, and which would you expect by topic? (t5, more than itself.)

# %% [markdown] section="attention" minutes=6
# ## Attention, written out
#
# The weights say how much each token takes from each. What it takes are the **values**, made by a third matrix: output = weights · values. Row i of the output is a mean of the values, weighted by row i of the attention weights. People say that token i *attends to* the tokens with large weights, or that it *reads* them.
#
# From here on we use six made-up tokens of width 4, on three topics: t0 and t3 share one, as do t1 and t4, and t2 and t5. The three matrices are left out, which is the same as taking the identity for each:

# %%
def self_attention(x):
    scores = x @ x.T / np.sqrt(x.shape[1])
    return attention_weights(scores) @ x


six = SIX_TOKENS
outputs = self_attention(six)
lesson_02.weight_grid(attention_weights(six @ six.T / np.sqrt(4)))

# %% [markdown]
# Tokens of one topic attend to each other. The scores were divided by the root of the width before the softmax. A dot product of two rows has `width` terms, so in wide rows it varies more. Here every query has 200 keys to choose from:

# %%
rng = np.random.default_rng(0)
for width in (16, 64, 256):
    queries, keys = rng.standard_normal((2, 200, width))
    scores = queries @ keys.T
    raw, scaled = (
        attention_weights(each).max(axis=1).mean() for each in (scores, scores / width**0.5)
    )
    print(f"key width {width:3}: standard deviation {scores.std():4.1f}, "
          f"largest weight {raw:.2f} on average, with the root {scaled:.2f}")

# %% [markdown]
# The standard deviation is about the root of the width. Undivided scores of wide keys give one of 200 keys most of the weight; divided by the root, they behave alike at every width. The width that counts is that of the *keys*, since those are the terms that are summed.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They divide by the width and not by its root, or take the width of x where the keys have a different one. Say: *count the terms of one dot product and take the root of that number.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: tokens 0 and 1 change places; which rows of the output change? Vote before the cell.

# %% [markdown] section="shuffled" minutes=4
# ## Shuffle the tokens, and the outputs are shuffled with them
#
# Now the tokens are put in another order: token 3 first, then 0, 5, 1, 4 and 2.

# %% tags=["guess-first"]
order = np.array([3, 0, 5, 1, 4, 2])
shuffled = self_attention(six[order])
print("equal to the old outputs, row by row:      ", np.allclose(shuffled, outputs))
print("equal to the old outputs in the same order:", np.allclose(shuffled, outputs[order]))

# %% tags=["guess-first"]
lesson_02.outputs_moved(six, order)

# %% [markdown]
# Every output went where its token went and has the same numbers as before. A layer f with f(x[order]) = f(x)[order] for *every* order is called **equivariant**, in full permutation equivariant. This does not mean that the layer always returns the same array. It means that each *token* gets the same output, whatever position it is at.

# %%
claim("equivariant-without-position")

# %%
ask("2.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The output stays the same." Say: *the outputs swap as well; a token keeps its output, a position does not.*

# %% [markdown] tags=["instructor"]
# **At the board**: write the four lines yourself, slowly, and let the room say at each which rule was used. Then ask where the proof would fail if S had a matrix B added that depends on the positions. (Line 1: P B Pᵀ is not B.)

# %% [markdown] section="proof" minutes=5
# ## The proof, in four lines
#
# The measurement was made with one order of one set of tokens. The proof covers all of them. Let P be the matrix that reorders rows, so that x[order] is P x. Its transpose undoes it, PᵀP = I. With scores S (their scale left out) and attention weights A:
#
# 1. Scores are products of pairs of rows: (P x)(P x)ᵀ = P x xᵀ Pᵀ = **P S Pᵀ**. Rows and columns are both reordered.
# 2. Softmax treats each row separately, and within a row each entry alike. The attention weights of P S Pᵀ are therefore **P A Pᵀ**.
# 3. Weights times values: P A Pᵀ · P x = **P (A x)**, because PᵀP = I. So attention f has f(P x) = P f(x).
# 4. If a second layer g has the same property, then g(f(P x)) = g(P f(x)) = **P g(f(x))**. Stacking keeps the property, at any depth.
#
# Each line can be compared with the numbers:

# %%
p = np.eye(6)[order]
s = six @ six.T / 2
a = attention_weights(s)
print("line 1:", np.allclose((p @ six) @ (p @ six).T / 2, p @ s @ p.T))
print("line 2:", np.allclose(attention_weights(p @ s @ p.T), p @ a @ p.T))
print("line 3:", np.allclose((p @ a @ p.T) @ (p @ six), p @ (a @ six)))
twice, reordered = (self_attention(self_attention(rows)) for rows in (six, p @ six))
print("line 4:", np.allclose(reordered, p @ twice))

# %% [markdown]
# Matrices for queries, keys and values change nothing in lines 1 to 3, since (P x) W = P (x W). Anything that works on one row at a time can be the g of line 4, such as a normalisation of each row. A residual connection, which adds a layer's input to its output, keeps the property too: P x + P y = P (x + y).

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They reorder by `order` on one side and by its inverse on the other. Say: *`x[order]` puts token `order[0]` at position 0; do the same to the output.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a layer returns the mean, once for every token. Which of the two is it? (Both: all rows are equal, so moving them changes nothing.)

# %% [markdown] section="invariant" minutes=4
# ## Equivariant is not invariant
#
# The two words are often mixed up. **Equivariant** means that the output is reordered as the input was. **Invariant** means that the output does not change at all, f(x[order]) = f(x). Self-attention is equivariant. An invariant output needs one more step, which brings the rows together:

# %%
query = np.array([0.4, -0.2, 0.7, 0.1])
for tokens in (six, six[order]):
    pooled = self_attention(tokens).mean(axis=0)
    answer = attention_weights(query[None] @ tokens.T / 2) @ tokens
    print("mean of the rows:", pooled, "· one learned query:", answer[0])

# %% [markdown]
# A mean over the rows is invariant. So is attention with a single learned query, which returns one row that belongs to no position. [Which of the two attention is](https://github.com/udlbook/udlbook/issues/131) therefore depends on where its queries come from: equivariant when each token sends one, invariant when they are fixed.
#
# A model that labels every word can work with equivariant rows, because each row is still at the position of its word. A model that judges a whole text pools them, and the pooled vector is the same for every order.

# %%
claim("mean-is-invariant")

# %%
ask("2.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They test with the mean, find that nothing changed, and report that attention's outputs stay the same. Say: *the mean hides the very difference between the two words.*

# %% [markdown] tags=["instructor"]
# **In front of people**: press the arrow key on *layers* from 1 to 12 and ask what the right-hand panel will show at 12. Then choose the second entry of *what moves*, and only after the room has explained it, the third.

# %% [markdown] section="playground" minutes=6
# ## Six layers deep
#
# A Transformer layer does more than attend. It adds what was read to the token, normalises each row, and puts each row through a small feed-forward network:

# %%
def normalised(x):
    return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)


def layer(x, w_q, w_k, w_v, w_in, w_out):
    weights = attention_weights((x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1]))
    # Only half of what was read is added: with all of it, six layers make the rows nearly alike.
    x = normalised(x + weights @ (x @ w_v) / 2)
    return normalised(x + np.maximum(x @ w_in, 0) @ w_out / 2)

# %%
shapes = [(4, 4), (4, 4), (4, 4), (4, 16), (16, 4)]
parameters = [[rng.standard_normal(s) / s[0] ** 0.5 for s in shapes] for _ in range(6)]


def deep(x):
    for each in parameters:
        x = layer(x, *each)
    return x


error = np.abs(deep(six[order]) - deep(six)[order]).max()
print("largest difference below 1e-10:", error < 1e-10)

# %% [markdown]
# The new parts work on one row at a time, so line 4 of the proof applies. Try other orders and depths below. Then give every position an encoding and choose what moves.

# %%
playground(lesson_02.deep_stack)

# %%
claim("six-layer-equivariance")

# %% [markdown]
# Training changes the matrices, and the proof holds for every choice of them, so training cannot help either. With encodings that stay at their positions, all rows differ between the two ways, and the order has come in. When each token takes its encoding along, the difference disappears again, because then only rows have been reordered.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Deep networks learn the order by themselves." Say: *learning changes the matrices; the proof holds for every matrix.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the last three would you use on texts of any length? (Not the matrix: it has one length.)

# %% [markdown] section="no-argument" minutes=4
# ## Nowhere to write it down
#
# The function `deep` is given rows and nothing else. What it returns for a token depends on that token and on the multiset of all tokens, and it has no argument in which their order could be passed. These five layers differ in whether something in them refers to a position:

# %%
along = rng.uniform(-1, 1, (6, 6))
layers = {
    "attention": self_attention,
    "its mean": lambda x: self_attention(x).mean(axis=0, keepdims=True),
    "with an encoding": lambda x: self_attention(x + 0.1 * np.arange(6)[:, None]),
    "earlier tokens only": lambda x: np.array([self_attention(x[: i + 1])[-1] for i in range(6)]),
    "a matrix along the length": lambda x: self_attention(along @ x),
}
for name, f in layers.items():
    before, after = f(six), f(six[order])
    moves = len(before) == 6 and np.allclose(after, before[order])
    print(f"{name:26} invariant {np.allclose(after, before)!s:6} equivariant {moves}")

# %% [markdown]
# The last three refer to positions: by a vector, by a rule about who may read whom, by a weight that belongs to a position. Each of these breaks the symmetry, whether that was intended or not. Encodings are what this course is about, and the rule is the subject of the next lesson.

# %%
ask("2.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take every variant of attention for a set operation. Say: *ask of each part whether it refers to a position; then measure.*

# %% [markdown]
# ## Seen in the wild
#
# - **[Swapped and yet identical](https://www.datatec-studio.com/research/topics/positional-encoding-sine-and-cos/).** A page says that swapping two tokens leaves the outputs identical, and further down calls attention equivariant. The outputs swap, and only their mean stays.
# - **[A test under the wrong name](https://github.com/facebookresearch/xformers/pull/339).** A test suite checked one of the two properties under comments that were exchanged. A test of equivariance should also require that invariance *fails*, or a layer that returns one vector for all tokens would pass.
# - **[Why are the positions shuffled too?](https://github.com/bytedance/1d-tokenizer/issues/56)** Tokens were shuffled for training, and the table of encodings with them. That is right where each token is to keep its place in the picture: (x + P)[order] is x[order] + P[order]. With P left in place, the encodings would say where a token is now.
# - **[Not every attention is a set operation](https://github.com/tatp22/linformer-pytorch/issues/26).** A variant saves time by a learned projection along the length. Each entry of that projection belongs to a position, so the symmetry is lost.

# %%
swap = np.array([1, 0, 2, 3, 4, 5])
table = rng.uniform(-1, 1, (6, 4))
swapped = self_attention(six[swap])
print("rows stay:", np.allclose(swapped, outputs),
      "· mean stays:", np.allclose(swapped.mean(axis=0), outputs.mean(axis=0)))
print("(x + P)[order] is x[order] + P[order]:",
      np.array_equal((six + table)[order], six[order] + table[order]),
      "· is x[order] + P:", np.array_equal((six + table)[order], six[order] + table))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails names the call, and often the mistake. For a hint, take the `#` away in front of it and run the cell.
#
# Rows are tokens. `order` is an array that holds each row number once, and `x[order]` is the shuffled x. Your functions must not change their arguments. The function of lesson 1 that lists all orders is imported here:

# %% tags=["given"]
from itertools import permutations

# %% [markdown] tags=["challenge-text"] challenge="2.1"
# Write `softmax(scores, axis=-1)` for an array with any number of axes.
#
# 1. It returns an array of the same shape: powers of e, divided by their sum along `axis`.
# 2. Scores of 10,000 and of −10,000, also in the same row, give finite weights.

# %% tags=["challenge"] challenge="2.1"
def softmax(scores, axis=-1):
    """Weights that add up to 1 along the axis, in the shape of the scores."""
    ### STUB: what may be subtracted from a row without changing its weights?
    ### BEGIN SOLUTION
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="2.2"
# Write `attention(x, w_q, w_k, w_v)` for x of shape (n, d). It may call your `softmax`.
#
# 1. Queries, keys and values are x times `w_q`, `w_k` and `w_v`. Keys and values may have different widths.
# 2. Scores are query · key, divided by the root of the key width.
# 3. The attention weights of a token are the softmax of its scores. The result, weights times values, has shape (n, d_v).
# 4. Scores above 1,000 give finite results.

# %% tags=["challenge"] challenge="2.2"
def attention(x, w_q, w_k, w_v):
    """Scaled dot-product attention of the rows of x over themselves: (n, d_v)."""
    ### STUB: three projections, a score for every pair, a softmax of each row, then the values
    ### BEGIN SOLUTION
    queries, keys, values = x @ w_q, x @ w_k, x @ w_v
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    return softmax(scores) @ values
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="2.3"
# Equivariance is about all orders, and a layer may treat a reversed text well and every other order badly. Write `worst_equivariance_error(layer, x)`. `layer` is a function that takes x and returns one row for each row of x, and x has one to five rows.
#
# 1. The error of one order is the largest absolute difference between layer(x[order]) and layer(x)[order].
# 2. The function returns one number, the largest error over all orders of the rows of x.
# 3. For an equivariant layer this is 0, except for rounding.

# %% tags=["challenge"] challenge="2.3"
def worst_equivariance_error(layer, x):
    """Largest |layer(x[order]) − layer(x)[order]| over all orders of the rows of x."""
    ### STUB: what is the error of one order, and what lists all orders?
    ### BEGIN SOLUTION
    before, errors = layer(x), []
    for order in permutations(range(len(x))):
        rows = list(order)
        errors.append(np.abs(layer(x[rows]) - before[rows]).max())
    return max(errors)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="2.4"
# Write `symmetry(layer, x, order, tolerance=1e-8)`. Here `layer` may return anything: a row for each token, more rows, one vector, one number (an array without axes).
#
# 1. It returns `'invariant'` if layer(x[order]) equals layer(x).
# 2. If not, it returns `'equivariant'` if layer(x[order]) equals layer(x)[order].
# 3. Otherwise it returns `'neither'`. Outputs of different shapes count as not equal, and so does an output that has no rows to shuffle.
# 4. Equal means that the largest absolute difference is at most `tolerance`. There is no relative tolerance.

# %% tags=["challenge"] challenge="2.4"
def symmetry(layer, x, order, tolerance=1e-8):
    """'invariant', 'equivariant' or 'neither', as this one reordering shows."""
    ### STUB: two outputs are enough; which comparison comes first, and when are there no rows?
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


# %%
progress()

# %% [markdown]
# ## Recap
#
# - A query-key product is made from two rows. Every pair has the same product in both orders of a sentence.
# - Attention turns scores (logits) into attention weights by a softmax along the keys, and takes the weighted mean of the values. Subtract the largest score of each row first.
# - Scores are divided by the root of the key width, so that they vary equally at every width.
# - Equivariant: f(P x) = P f(x). Invariant: f(P x) = f(x). Self-attention is the first, and the mean of its outputs the second.
# - A stack of equivariant layers is equivariant. Order comes in when something refers to a position.
#
# Every model that writes text forbids a token to read later ones. That rule refers to positions, so it brings in some order. [Lesson 3](03_order_is_not_permission.ipynb) measures how much, and what is left for encodings to do.

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.2: scaled dot-product attention and the reason for the scale. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - M. Zaheer and others, *Deep Sets*, 2017: functions of a set, invariant and equivariant. [arXiv:1703.06114](https://arxiv.org/abs/1703.06114)
# - J. Lee and others, *Set Transformer*, 2019: attention on sets, with pooling by a learned query. [arXiv:1810.00825](https://arxiv.org/abs/1810.00825)
# - The question *equivariant or invariant?*, put to a textbook and answered by its author: [udlbook issue 131](https://github.com/udlbook/udlbook/issues/131).
# - The six tokens are made up. They were chosen so that the figures which this course computes from them agree with the text that it grew out of.
# - To read alongside: section 3.2 of Vaswani and others, with one question in mind: in which of its formulas does a position occur?
