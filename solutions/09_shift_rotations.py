# %% [markdown]
# # 9 · One matrix for every position
#
# **What is gained.** A direction. The product of two rows said how far apart they are; a matrix between them can say on which side, and one matrix does it for every position.
#
# **Afterwards you can** derive the matrix that moves any row k places on, with its sign; find it from a table without the formula, and say when it is *the* matrix and when only *a* matrix; compose and invert it; and build a query and a key with which attention looks three places back.
#
# **You need** the table of [lesson 6](06_sinusoidal_encoding.ipynb), the profile of [lesson 8](08_norm_and_distance.ipynb), and queries and keys from [lesson 2](02_attention_forgets_order.ipynb).

# %%
import numpy as np

from posenc.attention import softmax
from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.encodings import sinusoidal, sinusoidal_at
from posenc.figures import lesson_09

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask for three things. What does a 2 by 2 matrix do to a vector: write out one product with numbers. What is the transpose of A B? (Bᵀ Aᵀ.) When is the product of two rows of the table largest? (When they are the same row.) The last one carries the final section.
#
# **When late**, skip *Turns add up* and leave challenge 9.4 for home. Do not skip *A matrix, or the matrix*: it is the one doubt that people take with them into other subjects.

# %% [markdown] tags=["instructor"]
# **Ask the room** with the left circle in sight: the sine of a hand is 0.48; where will it be a moment later, further right or further left? (It depends on which of the two it is.)

# %% [markdown] section="sine-alone" minutes=4
# ## One function is not enough
#
# Is there a rule that turns an entry of the table into the entry k positions later, the same rule at every position? Try it with a sine column alone. Two different angles have the sine 0.48:

# %%
angles = np.array([0.5, np.pi - 0.5])
print("sines now             ", np.sin(angles))
print("sines one radian later", np.sin(angles + 1))

# %%
lesson_09.same_sine(0.5, 1.0)

# %% [markdown]
# What goes in is equal, what should come out is not. No function of the sine alone can do it, straight or bent. Nor does it help to add something that depends on k alone, since the sine of a sum is not the sum of the sines:

# %%
print(f"sin(0.5 + 1) = {np.sin(1.5):.4f}, sin(0.5) + sin(1) = {np.sin(0.5) + np.sin(1):.4f}")

# %% [markdown]
# A reader who [tried it by linear regression](https://datascience.stackexchange.com/questions/45691/how-can-positional-encodings-including-a-sine-operation-be-linearly-transformabl/46008) got a poor fit and asked where the mistake was. The cosine was missing, which tells the two hands apart:

# %%
claim("regression-sine-alone")

# %%
ask("9.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take "linear in the row" for "linear in one entry", or let the sine of a sum be a sum of sines. Say: *a hand is two numbers, and it takes both to turn it.*

# %% [markdown] tags=["instructor"]
# **Ask the room** to find the sign without a formula: the pair at position 0 is (0, 1), sine first. A small turn on makes the sine positive. Which entry of the matrix decides that? (The upper right one, sin b, with a plus.)

# %% [markdown] section="turn" minutes=5
# ## A turn is a matrix
#
# The addition formulas say what a hand at angle a shows after a further turn by b:
#
# $$
# \begin{pmatrix} \sin(a + b) \\ \cos(a + b) \end{pmatrix} =
# \begin{pmatrix} \cos b & \sin b \\ -\sin b & \cos b \end{pmatrix}
# \begin{pmatrix} \sin a \\ \cos a \end{pmatrix}
# $$
#
# Read the first line aloud: sin(a + b) = cos b · sin a + sin b · cos a. For a pair of frequency ω, a = pω is where the hand stands and b = kω is how far it has to turn. The position p is in the vector only, and the shift k in the matrix only. That is why one matrix serves every position.

# %%
def turn(angle):
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


for p in (0, 5, 1000):
    hand = np.array([np.sin(p), np.cos(p)])
    print(f"from {p}: turned {turn(3) @ hand}, asked {np.array([np.sin(p + 3), np.cos(p + 3)])}")

# %% [markdown]
# Mind the minus. The rotation of the textbooks has it in the upper right corner, because there the cosine comes first and the turn is anticlockwise. Here the sine comes first: a hand starts at the top and goes clockwise. The two matrices are transposes of each other, and the wrong one turns back by k.

# %%
ask("9.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They copy the matrix from a geometry book. Say: *try it on (0, 1): one product, and the sign is settled.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how many of the 64 · 64 entries can differ from 0? (128, four for each of 32 pairs.)

# %% [markdown] section="whole-row" minutes=4
# ## A block for each pair
#
# A row of the table is width/2 such hands, each with a frequency of its own. Give each its own block on the diagonal, and nothing else:

# %%
def rotation(k, width):
    matrix = np.zeros((width, width))
    for i in range(width // 2):
        pair = slice(2 * i, 2 * i + 2)
        matrix[pair, pair] = turn(k * 10000.0 ** (-2 * i / width))
    return matrix


print(rotation(3, 4))

# %% [markdown]
# The fast pair turns by 3 radians, nearly half round; the slow one by 0.03. Now a whole table at once:

# %%
P = sinusoidal(512, 64)
M = rotation(3, 64)
print("M times row 100 is row 103:", np.allclose(M @ P[100], P[103]))
print("all rows at once:", np.allclose(P[:-3] @ M.T, P[3:]))

# %% [markdown]
# One row stands on the right of the matrix. In a table the rows lie, so the table stands on the left and the matrix is transposed: `P[:-k] @ M.T`. This is the convention from here on.
#
# The blocks sit side by side because the columns of a pair do. In the layout with all sines first (lesson 6) a pair's columns are half the width apart, and so are the four entries of its block. The numbers are the same and stand elsewhere:

# %%
order = [*range(0, 8, 2), *range(1, 8, 2)]
print(rotation(3, 8)[np.ix_(order, order)].round(3))

# %% [markdown]
# A matrix made for one layout and used in the other mixes columns that do not belong together, and no error is raised. Lesson 12 meets this in shipped code.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** `P[:-3] @ M`, without the transpose, runs without an error and turns the wrong way. Say: *a matrix that changes sides is transposed.*

# %% [markdown] tags=["instructor"]
# **In front of people**: width 4, k = 3. Hold the arrow key on p and say nothing until somebody remarks that the matrix stands still. Then k from 1 to 7, and let them find the k at which pair 0 is nearly round. Last, *minus lost* at k = 1, and ask where the ring went.

# %% [markdown] section="playground" minutes=5
# ## The hands and the matrix
#
# Grey is the row of position p, blue the row of p + k, and the ring is what the matrix makes of the grey one. What moves when you move p? And when you move k?

# %%
playground(lesson_09.hands)

# %% [markdown]
# Moving p turns every hand and leaves the matrix as it is: not one number in it changes. Moving k changes the matrix and the orange arcs. Now choose *transposed*, and the rings turn the other way; choose *minus lost*, and they leave the circle.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They expect another matrix for another position. Say: *the hands know where they are; the matrix only knows how far to go.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the random cell runs: how large will the miss be, compared with the entries? Then open the first random claim and take the rows down to 60 in front of them.

# %% [markdown] section="least-squares" minutes=7
# ## Found without the formula
#
# Suppose nobody had told us the addition formulas. Rows p and p + 3 are in the table, 509 pairs of them. Ask for the matrix that leads from the one to the other best, by least squares: for each column of the later rows, the mixture of the columns of the earlier rows with the smallest sum of squared misses.

# %%
P8 = sinusoidal(512, 8)
X = np.linalg.lstsq(P8[:-3], P8[3:], rcond=None)[0]
print("largest miss below 1e-12:", np.abs(P8[:-3] @ X - P8[3:]).max() < 1e-12)
print("it is the rotation, transposed:", np.allclose(X.T, rotation(3, 8)))

# %%
claim("fit-finds-rotation-8")

# %% [markdown]
# It misses nothing, and it *is* the rotation. The transpose is there because `lstsq` puts the table on the left. Wider tables and other shifts are fitted as well:

# %%
claim("shift-residual-sinusoid")

# %% [markdown]
# Is that a merit of the sinusoids, or would any table do? A random one of the same size:

# %%
noise = np.random.default_rng(0).standard_normal((512, 64)) / 8
for k in (1, 2, 5, 17, 50):
    X = np.linalg.lstsq(noise[:-k], noise[k:], rcond=None)[0]
    print(f"shift {k}: largest miss {np.abs(noise[:-k] @ X - noise[k:]).max():.3f}")

# %%
claim("shift-residual-random")

# %%
claim("shift-relative-random")

# %%
claim("shift-relative-random-whole")

# %% [markdown]
# For a random table there is no such matrix. It missed although it was free to choose: 511 equations for the 64 unknowns of a column are eight times as many, and a fit under these conditions could fail. Take rows away in the claims above, and you see the other case. With no more equations than unknowns everything fits, sinusoids and noise alike.

# %%
ask("9.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The fit is perfect, so the law is found." Say: *first ask how it could have failed.*

# %% [markdown] tags=["instructor"]
# **Ask the room** to vote before the cell with the two comparisons runs: the rotation again, yes or no? Most say yes; let somebody give the argument with the number of equations, and keep it on the board.

# %% [markdown] section="one-of-many" minutes=4
# ## A matrix, or the matrix
#
# At width 8 the fit found the rotation. At width 64 it also fits to 1e-12, and there are eight times more equations than unknowns. So it must be the rotation again?

# %%
X = np.linalg.lstsq(P[:-3], P[3:], rcond=None)[0]
print("largest miss below 1e-12:", np.abs(P[:-3] @ X - P[3:]).max() < 1e-12)
print("it is the rotation:", np.allclose(X.T, rotation(3, 64)))
print("an entry differs by more than 0.9:", np.abs(X.T - rotation(3, 64)).max() > 0.9)

# %%
lesson_09.two_matrices(3, 64, 512)

# %%
claim("shift-rank-64")

# %% [markdown]
# Equations can be many and say little. Within 512 positions the slow hands hardly move, so their columns are nearly alike, and all rows lie in about 40 directions of 64. What a matrix does in the others was never asked, and of all matrices that fit `lstsq` returns the smallest one. Go to positions at which the slow hands have moved:

# %%
here, there = sinusoidal_at(np.arange(5000, 5100), 64), sinusoidal_at(np.arange(5003, 5103), 64)
print("rotation, largest miss below 1e-9:", np.abs(here @ M.T - there).max() < 1e-9)
print("fitted matrix misses by more than 0.5:", np.abs(here @ X - there).max() > 0.5)

# %% [markdown]
# The same may happen to a model: what it learns on short texts needs to be right on short texts only. Lesson 12 returns to this.

# %%
ask("9.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They count equations instead of directions. Say: *a hundred witnesses who saw the same thing are one witness.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what is M₃ applied ten times? (M₃₀.) And `M ** 10` in NumPy? (Every entry to the tenth power, which is no turn at all.)

# %% [markdown] section="compose" minutes=3
# ## Turns add up
#
# Turning by 4 and then by 3 is turning by 7. A turn back undoes a turn on, and for a rotation the way back is the transpose:

# %%
print("M3 M4 = M7: ", np.allclose(rotation(3, 64) @ rotation(4, 64), rotation(7, 64)))
print("M-3 = M3ᵀ:  ", np.allclose(rotation(-3, 64), M.T))
print("M1³ = M3:   ", np.allclose(np.linalg.matrix_power(rotation(1, 64), 3), M))

# %%
claim("compose-3-4")

# %% [markdown]
# So the matrix of one step holds all others: M₁ and its transpose, multiplied as often as needed, lead from any row to any other. A turn also keeps lengths, as it must, since all rows have one length. With the minus lost it does not:

# %%
claim("lost-minus-norm")

# %% [markdown]
# A matrix for every shift is not by itself a merit of circles. Put a 1 before the integer of lesson 4, and the pair (1, p) has one too:

# %%
print(np.array([[1, 0], [3, 1]]) @ np.array([1, 100]))

# %% [markdown]
# But that vector grows with p. Bounded, distinct and shifted by a matrix, all together: that is what the turning hands give.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They multiply the matrix by k. Say: *one turn after another is a product of matrices; twice as far is not twice as long.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the second cell: what would you have written for w_q? Take the vote between M₃ and M₋₃, then run both.

# %% [markdown] section="look-back" minutes=5
# ## Looking three back
#
# In attention, queries are `P @ w_q`, keys are `P @ w_k`, and the score of i with j is their dot product. Leave the keys as they are. The product of two rows is largest where they are the same row. So if the query of position i *were* row i − 3, it would score highest with position i − 3. The rows of `P @ w_q` must be those of P, three back:

# %%
w_q, w_k = rotation(3, 64), np.eye(64)
scores = (P[:40] @ w_q) @ (P[:40] @ w_k).T
print("positions 3 to 11 look at", scores.argmax(axis=1)[3:12])

# %% [markdown]
# Positions 0 to 2 are left out, because nothing stands three before them. Their queries are the rows −3 to −1, which the formula gives and no text holds, and they look at whatever row is most like these.
#
# M₃, to look *back*? From the left, M₃ moves a row three on. In `P @ w` the matrix stands on the right, where it acts as its transpose, and the transpose of M₃ is M₋₃. With the sign that looks natural, attention looks ahead:

# %%
ahead = (P[:40] @ rotation(-3, 64)) @ P[:40].T
print("positions 3 to 11 look at", ahead.argmax(axis=1)[3:12])

# %%
lesson_09.look_back(3, 64, 24)

# %%
claim("looks-three-back")

# %% [markdown]
# How firmly does it look? The share that position 20 gives to position 17, with larger and larger queries:

# %%
for factor in (1, 10, 30):
    shares = softmax(factor * scores[20] / np.sqrt(64))
    print(f"queries times {factor:2}: share of position 17 is {shares[17]:.2f}")

# %% [markdown]
# At first hardly more than its neighbours get, since neighbouring rows are similar; the size of the weights sharpens it. All this shows that weights exist which look back from every position alike. The encoding *can be used* so. Whether training finds such weights, and what is left when words are added to the rows, is another matter.

# %%
ask("9.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They reason with the matrix on the left and write code with the matrix on the right. Say: *do not argue about the sign; print one argmax.*

# %% [markdown]
# ## Seen in the wild
#
# - **[A regression that failed](https://datascience.stackexchange.com/questions/45691/how-can-positional-encodings-including-a-sine-operation-be-linearly-transformabl/46008).** A reader fitted the sine ten positions on from the sine here, for 1,000 positions and a pair of frequency 0.1, and doubted the paper. The sine alone explains 0.2956 of the variance; with the cosine beside it the fit is exact.
# - **[The minus that went missing](https://1cademy.com/node/analysis-of-rotational-transformation-properties/99osGFjVbM0iVTkwiJfm).** An exercise sets a rotation beside a version with both sines positive. The vector (1, 1), of length 1.4142, comes out at 1.9541 for an angle of 1: the second matrix is no rotation.
# - **[The transpose, kept on purpose](https://github.com/karpathy/nanochat/pull/489).** A model rotates queries and keys in the sense opposite to the textbook. That is a convention and no error: in either sense the product of a query and a key is the same at positions 7 and 4 as at 107 and 104. Weights trained with one sense have to keep it.

# %%
query, key = np.array([0.3, 0.8]), np.array([-0.5, 0.4])
for sign in (1, -1):
    products = [(turn(sign * p) @ query) @ (turn(sign * (p - 3)) @ key) for p in (7, 107)]
    print("sense", sign, "products", np.round(products, 4))
wrong = np.array([[np.cos(1), np.sin(1)], [np.sin(1), np.cos(1)]])
lost = np.linalg.norm(wrong @ [1, 1])
print(f"length of (1, 1): {np.sqrt(2):.4f}, with the minus lost {lost:.4f}")

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Numbers may differ by 2e-5 plus a hundred-thousandth of the value, so single precision is enough. 9.2 and 9.3 have many right answers; they are judged by what they do. Hints come one at a time: take the `#` away and run the cell.
#
# In all of them positions count from 0, widths are even, `base` may be left out and is then 10000.0, and arguments must not be changed. The table of lesson 6 stands here for use:

# %% tags=["given"]
def sinusoidal(length, width, base=10000.0):
    """The table of lesson 6 for an even width: (length, width), row p is position p."""
    angles = np.arange(length)[:, None] * base ** (-np.arange(0, width, 2) / width)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(length, width)


# %% [markdown] tags=["challenge-text"] challenge="9.1"
# ### 9.1 · The matrix of a shift
#
# *3 points · 12 minutes · difficulty 2 of 3*
#
# Write `shift_matrix(k, width, base=10000.0)`.
#
# 1. It returns an array M of shape (width, width) with `M @ encoding[p]` equal to `encoding[p + k]`, for the sinusoidal table and every position p.
# 2. k is any whole number, 0 and negative ones included.

# %% tags=["challenge"] challenge="9.1"
def shift_matrix(k, width, base=10000.0):
    """M with M @ encoding[p] == encoding[p + k] for every p: (width, width)."""
    ### STUB: one angle for each pair; where do its cosine and its sine stand?
    ### BEGIN SOLUTION
    angles = k * base ** (-np.arange(0, width, 2) / width)
    sines = np.arange(0, width, 2)
    matrix = np.zeros((width, width))
    matrix[sines, sines] = matrix[sines + 1, sines + 1] = np.cos(angles)
    matrix[sines, sines + 1] = np.sin(angles)
    matrix[sines + 1, sines] = -np.sin(angles)
    return matrix
    ### END SOLUTION


# %% tags=["check"] challenge="9.1"
check("9.1", shift_matrix)
# hint("9.1", 1)
# solution("9.1")

# %% [markdown] tags=["challenge-text"] challenge="9.2"
# ### 9.2 · Found without the formula
#
# *2 points · 12 minutes · difficulty 2 of 3*
#
# Write `fit_shift(encoding, k)` for any table, sinusoidal or not, and k from 1 on.
#
# 1. It returns a pair (matrix, residual).
# 2. `matrix` is the one that leads from rows `encoding[:-k]` to rows `encoding[k:]` best, in the sense of least squares: `encoding[:-k] @ matrix.T` is near `encoding[k:]`.
# 3. `residual` is the largest absolute entry of `encoding[k:] - encoding[:-k] @ matrix.T`. Where a matrix exists that misses nothing, it is below a millionth.

# %% tags=["challenge"] challenge="9.2"
def fit_shift(encoding, k):
    """(matrix, residual): the best shift by k, and its largest miss."""
    ### STUB: which rows are known, which should be reached, and on which side does lstsq multiply?
    ### BEGIN SOLUTION
    before, after = encoding[:-k], encoding[k:]
    solution = np.linalg.lstsq(before, after, rcond=None)[0]
    return solution.T, np.abs(after - before @ solution).max()
    ### END SOLUTION


# %% tags=["check"] challenge="9.2"
check("9.2", fit_shift)
# hint("9.2", 1)
# solution("9.2")

# %% [markdown] tags=["challenge-text"] challenge="9.3"
# ### 9.3 · A query that looks back
#
# *3 points · 15 minutes · difficulty 3 of 3*
#
# Write `lookback_weights(k, width, base=10000.0)`. It may call your `shift_matrix`.
#
# 1. It returns a pair (w_q, w_k), both with `width` rows and with equally many columns.
# 2. P is the sinusoidal table of this width and base, with up to 200 rows. In `(P @ w_q) @ (P @ w_k).T` the largest entry of each row i ≥ k stands at i − k.
# 3. It stands out: every other entry of the row is smaller by more than a millionth of the largest score of all.
# 4. Any pair that does this is right. Widths are 4 or more, k is 0 to 20.

# %% tags=["challenge"] challenge="9.3"
def lookback_weights(k, width, base=10000.0):
    """(w_q, w_k) under which each position scores highest with the one k back."""
    ### STUB: which row should the query of position i be, and what does P @ w do to a row?
    ### BEGIN SOLUTION
    return shift_matrix(k, width, base), np.eye(width)
    ### END SOLUTION


# %% tags=["check"] challenge="9.3"
check("9.3", lookback_weights)
# hint("9.3", 1)
# solution("9.3")

# %% [markdown] tags=["challenge-text"] challenge="9.4"
# ### 9.4 · One step is enough
#
# *2 points · 8 minutes · difficulty 2 of 3*
#
# Write `shift_from_one_step(one_step, k)`.
#
# 1. `one_step` is the matrix of a shift by 1. Width and base are not given.
# 2. It returns the matrix of a shift by k, for any whole k: 0 and negative ones included.

# %% tags=["challenge"] challenge="9.4"
def shift_from_one_step(one_step, k):
    """The matrix of a shift by k, from that of a shift by 1."""
    ### STUB: what is left if no step is taken, and which matrix takes one step back?
    ### BEGIN SOLUTION
    step = one_step if k >= 0 else one_step.T
    matrix = np.eye(len(one_step))
    for _ in range(abs(k)):
        matrix = step @ matrix
    return matrix
    ### END SOLUTION


# %% tags=["check"] challenge="9.4"
check("9.4", shift_from_one_step)
# hint("9.4", 1)
# solution("9.4")

# %%
progress()

# %% [markdown]
# ## Recap
#
# - A sine k places on cannot be had from the sine here; from sine and cosine together it can, by a 2 by 2 turn.
# - With the sine first, the block is [[cos, sin], [−sin, cos]]. Try it on (0, 1) when the sign is in doubt.
# - One block a pair gives one matrix for all positions: `encoding[p + k] = M @ encoding[p]`, and `encoding[:-k] @ M.T` for a table.
# - Least squares finds it at width 8. At width 64 it finds *a* matrix, right on the rows that it saw. For a random table there is none.
# - Turns compose by products; the way back is the transpose; nothing grows.
# - A query multiplied by Mₖ from the right looks k back.
#
# Here the rows stood alone. In a model each is added to a word, and the scores hold words and positions in one sum. What does the adding cost? That is [lesson 10](10_cost_of_adding.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5: the sentence that for any fixed offset k the row of p + k is a linear function of the row of p. The proof is left to the reader. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. Su and others, *RoFormer: Enhanced Transformer with Rotary Position Embedding*, 2021: the same turns, applied to queries and keys. [arXiv:2104.09864](https://arxiv.org/abs/2104.09864)
# - [`numpy.linalg.lstsq`](https://numpy.org/doc/stable/reference/generated/numpy.linalg.lstsq.html): what `rcond` does where columns are nearly alike, and which solution is returned there.
# - To read alongside: [the question and its answer](https://datascience.stackexchange.com/questions/45691/how-can-positional-encodings-including-a-sine-operation-be-linearly-transformabl/46008) with which many began, and this lesson's first figure beside it.
