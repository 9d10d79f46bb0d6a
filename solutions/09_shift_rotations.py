# %% [markdown]
# # 9 · One matrix for every position
#
# **What is gained.** A direction, and then a score that depends on two contents and the distance between them. The dot product of two rows said how far apart they are; a matrix between them can say on which side, and one matrix does it for every position.
#
# **Afterwards you can** derive the matrix that moves any row k positions on, with its sign; find it from a table without the formula, and say when it is *the* matrix and when only *a* matrix; compose and invert it; build a query and a key with which attention looks three positions back; and derive rotary encoding in one line.
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
# **Before you start, five minutes.** Ask for three things. What does a 2 by 2 matrix do to a vector: write out one product with numbers. What is the transpose of A B? (Bᵀ Aᵀ.) When is the product of two rows of the table largest? (When they are the same row.) The second one carries the final section.
#
# **When late**, skip *Looking three back* and leave challenge 9.3 for home. Do not skip *A score from two contents and a distance*: lesson 12 is built on it.

# %% [markdown] tags=["instructor"]
# **Ask the room** with the left circle in sight: the sine of a pair is 0.48; where will it be a moment later, further right or further left? (It depends on which of the two points it is.)

# %% [markdown] section="sine-alone" minutes=4
# ## One function is not enough
#
# Look for a rule that turns an entry of the table into the entry k positions later, the same rule at every position. Try it first with a sine column alone. Two different angles have the sine 0.48.

# %%
angles = np.array([0.5, np.pi - 0.5])
print("sines now             ", np.sin(angles))
print("sines one radian later", np.sin(angles + 1))

# %%
lesson_09.same_sine(0.5, 1.0)

# %% [markdown]
# The inputs are equal and the outputs should differ, so no function of the sine alone can be that rule, linear or not. Adding something that depends on k alone does not help either, because the sine of a sum is not the sum of the sines.

# %%
print(f"sin(0.5 + 1) = {np.sin(1.5):.4f}, sin(0.5) + sin(1) = {np.sin(0.5) + np.sin(1):.4f}")

# %% [markdown]
# A reader who [tried it by linear regression](https://datascience.stackexchange.com/questions/45691/how-can-positional-encodings-including-a-sine-operation-be-linearly-transformabl/46008) got a poor fit and asked where the mistake was. What was missing is the cosine, which tells the two points apart.

# %%
claim("regression-sine-alone")

# %%
ask("9.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take "linear in the row" for "linear in one entry", or let the sine of a sum be a sum of sines. Say: *a point on a circle is two numbers, and it takes both to turn it.*

# %% [markdown] tags=["instructor"]
# **Ask the room** to find the sign without a formula: the pair at position 0 is (0, 1), sine first. A small turn on makes the sine positive. Which entry of the matrix decides that? (The upper right one, sin b, with a plus.)

# %% [markdown] section="turn" minutes=5
# ## A turn is a matrix
#
# The addition formulas say what a pair at angle a holds after a further turn by b:
#
# $$
# \begin{pmatrix} \sin(a + b) \\ \cos(a + b) \end{pmatrix} =
# \begin{pmatrix} \cos b & \sin b \\ -\sin b & \cos b \end{pmatrix}
# \begin{pmatrix} \sin a \\ \cos a \end{pmatrix}
# $$
#
# The first line reads sin(a + b) = cos b · sin a + sin b · cos a. For a pair of frequency ω, a = pω is its angle at position p, and b = kω is how far it has to turn. The position occurs in the vector only and the shift in the matrix only. That is why one matrix serves every position.

# %%
def turn(angle):
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


for p in (0, 5, 1000):
    pair = np.array([np.sin(p), np.cos(p)])
    print(f"from {p}: turned {turn(3) @ pair}, wanted {np.array([np.sin(p + 3), np.cos(p + 3)])}")

# %% [markdown]
# The rotation matrix of textbooks has its minus in the upper right corner, because there the cosine comes first and the turn is anticlockwise. Here the sine comes first, and the angle is counted from the top, clockwise. The two matrices are transposes of each other, and the wrong one turns back by k.

# %%
ask("9.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They copy the matrix from a geometry book. Say: *try it on (0, 1): one product, and the sign is settled.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how many of the 64 · 64 entries can differ from 0? (128, four for each of 32 pairs.)

# %% [markdown] section="whole-row" minutes=4
# ## A block for each pair
#
# A row of the table consists of width/2 such pairs, each with its own frequency. Give each pair its own block on the diagonal and zeros elsewhere.

# %%
def rotation(k, width):
    matrix = np.zeros((width, width))
    for i in range(width // 2):
        pair = slice(2 * i, 2 * i + 2)
        matrix[pair, pair] = turn(k * 10000.0 ** (-2 * i / width))
    return matrix


print(rotation(3, 4))

# %% [markdown]
# The fast pair turns by 3 radians, nearly half a turn, and the slow one by 0.03. Now move a row of width 64, and then the whole table.

# %%
P = sinusoidal(512, 64)
M = rotation(3, 64)
print(f"M times row 100 misses row 103 by {np.abs(M @ P[100] - P[103]).max():.12f}")
print(f"all rows at once, largest miss:   {np.abs(P[:-3] @ M.T - P[3:]).max():.12f}")

# %% [markdown]
# A single row is a column vector to the right of the matrix. In a table the rows lie flat, so the table is on the left and the matrix is transposed: `P[:-k] @ M.T`. This is the convention from here on.
#
# The blocks lie on the diagonal because the columns of a pair are neighbours. In the layout with all sines first (lesson 6) they are half the width apart, and so are the four entries of each block.

# %%
order = [*range(0, 8, 2), *range(1, 8, 2)]
print(rotation(3, 8)[np.ix_(order, order)].round(3))

# %% [markdown]
# A matrix made for one layout and used in the other mixes columns that do not belong together, and no error is raised. Lesson 12 meets this in shipped code.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** `P[:-3] @ M`, without the transpose, runs without an error and turns the wrong way. Say: *a matrix that changes sides is transposed.*

# %% [markdown] tags=["instructor"]
# **In front of people**: width 4, k = 3. Hold the arrow key on p and say nothing until somebody remarks that the matrix does not change. Then k from 1 to 7, and let them find the k at which pair 0 has nearly completed a turn. Last, *minus lost* at k = 1, and ask where the ring went.

# %% [markdown] section="playground" minutes=5
# ## The pairs and the matrix
#
# Grey is the row of position p, blue the row of p + k, and the ring is what the matrix makes of the grey one.

# %%
playground(lesson_09.hands)

# %% [markdown]
# Moving p turns every pair and changes no number of the matrix. Moving k changes the matrix and the orange arcs. With *transposed* the rings turn the other way, and with *minus lost* they leave the circle.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They expect another matrix for another position. Say: *the pairs hold the position; the matrix only knows how far to go.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the random cell runs: how large will the miss be, compared with the entries? Then open the claim and take the rows down to 60 in front of them.

# %% [markdown] section="least-squares" minutes=6
# ## Found without the formula
#
# Suppose nobody had told us the addition formulas. The table holds 509 pairs of rows p and p + 3. Least squares finds the matrix that leads from the one to the other best. Each column of the later rows becomes the mixture of columns of the earlier rows with the smallest sum of squared misses.

# %%
P8 = sinusoidal(512, 8)
X = np.linalg.lstsq(P8[:-3], P8[3:], rcond=None)[0]
print(f"largest miss:                          {np.abs(P8[:-3] @ X - P8[3:]).max():.12f}")
print(f"difference to the transposed rotation: {np.abs(X.T - rotation(3, 8)).max():.9f}")

# %% [markdown]
# It misses nothing in twelve decimals, and it *is* the rotation. (Its transpose, since `lstsq` puts the table on the left.) A table of random numbers of the same size behaves differently.

# %% tags=["guess-first"]
noise = np.random.default_rng(0).standard_normal((512, 64)) / 8
X = np.linalg.lstsq(noise[:-1], noise[1:], rcond=None)[0]
missed = noise[:-1] @ X - noise[1:]
print(f"largest miss {np.abs(missed).max():.3f}, largest entry {np.abs(noise).max():.3f}")
ratio = np.linalg.norm(missed) / np.linalg.norm(noise[1:])
print(f"norm of all misses over norm of the table {ratio:.3f}")

# %% [markdown]
# For random rows there is no such matrix. Each column has 511 equations for 64 unknowns, so the fit could fail, and it did. In the claim, take rows away. With no more equations than unknowns everything fits, sinusoids and noise alike.

# %%
claim("shift-residual-random")

# %% [markdown]
# The learned table of lesson 11 starts as such noise and yet lets attention find the row three back. There the rows and the weights are trained together, for 32 rows only.

# %%
ask("9.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The fit is perfect, so the law is found." Say: *first ask how it could have failed.*

# %% [markdown] tags=["instructor"]
# **Ask the room** to vote before the cell with the two comparisons runs: the rotation again, yes or no? Most say yes; let somebody give the argument with the number of equations, and keep it on the board.

# %% [markdown] section="one-of-many" minutes=5
# ## A matrix, or the matrix
#
# At width 64 there are still eight times more equations than unknowns.

# %% tags=["guess-first"]
X = np.linalg.lstsq(P[:-3], P[3:], rcond=None)[0]
print(f"largest miss: {np.abs(P[:-3] @ X - P[3:]).max():.12f}")
print(f"largest difference to the rotation: {np.abs(X.T - rotation(3, 64)).max():.1f}")

# %% [markdown]
# The fit misses nothing again, and this time it is a different matrix. On paper that cannot happen: 32 different frequencies make 64 independent columns, and the rotation is the only solution. But a number in the computer has sixteen digits. Within 512 positions the slow pairs hardly move, and their columns are so nearly alike that sixteen digits cannot separate them. The *singular values* of the table show it. They say how long the rows are along each of 64 perpendicular directions, the longest first.

# %%
sizes = np.linalg.svd(P[:-3], compute_uv=False)
for digits in (3, 6, 12):
    in_use = (sizes > sizes[0] * 10.0**-digits).sum()
    print(f"with {digits:2} digits, directions in use: {in_use} of 64")

# %%
lesson_09.two_matrices(3, 64, 512)

# %%
claim("shift-rank-64")

# %% [markdown]
# NumPy keeps about 40 directions. In the others the rows hold only rounding noise, the equations say nothing there, and among all matrices that fit, `lstsq` returns the smallest. Now go to positions at which the slow pairs have moved.

# %%
here, there = sinusoidal_at(np.arange(5000, 5100), 64), sinusoidal_at(np.arange(5003, 5103), 64)
print(f"rotation, largest miss:      {np.abs(here @ M.T - there).max():.9f}")
print(f"fitted matrix, largest miss: {np.abs(here @ X - there).max():.1f}")

# %% [markdown]
# The same can happen to a model, because what it learns on short texts has to be right on short texts only. Lesson 12 returns to this.

# %%
ask("9.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They count equations instead of directions. Say: *a hundred witnesses who saw the same thing are one witness.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what is M₃ applied ten times? (M₃₀.) And `M ** 10` in NumPy? (Every entry to the tenth power, which is no turn at all.)

# %% [markdown] section="compose" minutes=3
# ## Turns add up
#
# Turning by 4 and then by 3 is turning by 7. A turn back undoes a turn on, and for a rotation the matrix of the way back is the transpose.

# %%
composed = rotation(3, 64) @ rotation(4, 64) - rotation(7, 64)
print(f"M3 M4 and M7 differ by at most {np.abs(composed).max():.12f}")
print(f"M-3 and M3ᵀ differ by at most  {np.abs(rotation(-3, 64) - M.T).max():.12f}")

# %% [markdown]
# So the matrix of one step is enough. M₁ and its transpose, multiplied as often as needed, lead from any row to any other. A turn also keeps lengths, as it must, since all rows have one length.
#
# Circles are not the only encoding with a matrix for every shift. Put a 1 before the integer of lesson 4, and the pair (1, p) has one too.

# %%
print(np.array([[1, 0], [3, 1]]) @ np.array([1, 100]))

# %% [markdown]
# But that vector grows with p. The sinusoids are bounded and distinct as well.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They multiply the matrix by k. Say: *one turn after another is a product of matrices; twice as far is not twice as long.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the second cell: what would you have written for w_q? Take the vote between M₃ and M₋₃, then run both.

# %% [markdown] section="look-back" minutes=5
# ## Looking three back
#
# In attention, queries are `P @ w_q`, keys are `P @ w_k`, and the score of i with j is their dot product. Leave the keys as they are. The product of two rows is largest where they are the same row, so if the query of position i *were* row i − 3, it would score highest with position i − 3. Row i of `P @ w_q` must be row i − 3 of P.

# %%
w_q, w_k = rotation(3, 64), np.eye(64)
scores = (P[:40] @ w_q) @ (P[:40] @ w_k).T
print("positions 3 to 11 look at", scores.argmax(axis=1)[3:12])

# %% [markdown]
# It is M₃ that looks *back*. From the left, M₃ moves a row three on. In `P @ w` the matrix is on the right, where it acts as its transpose, and the transpose of M₃ is M₋₃. With the other sign attention looks ahead.

# %% tags=["guess-first"]
ahead = (P[:40] @ rotation(-3, 64)) @ P[:40].T
print("positions 3 to 11 look at", ahead.argmax(axis=1)[3:12])

# %%
lesson_09.look_back(3, 64, 24)

# %% [markdown]
# Neighbouring rows are similar, so position 17 hardly stands out for position 20 until the queries are made larger.

# %%
for factor in (1, 10, 30):
    weights = softmax(factor * scores[20] / np.sqrt(64))
    print(f"queries times {factor:2}: attention weight of position 17 is {weights[17]:.2f}")

# %% [markdown]
# Weights exist, then, that look back from every position alike. The encoding *can be used* so. Whether training finds them is another matter, and so is what happens when words are added to the rows.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They reason with the matrix on the left and write code with the matrix on the right. Say: *do not argue about the sign; print one argmax.*

# %% [markdown] tags=["instructor"]
# **At the board**: write the wish first, "a function of q, k and j − p", and collect proposals. Somebody adds, somebody multiplies; let each be tried with p and j both one larger. Then the line of the text, with the two rules of *Turns add up* underlined.

# %% [markdown] section="rotary-falls-out" minutes=6
# ## A score from two contents and a distance
#
# Now words come in. Let q and k be the query and the key of two words, at positions p and j. The wish is a score that depends on the two contents and on the distance j − p, and on nothing else. Adding rows of the table does not give it, because q · Pⱼ and Pₚ · k depend on one position each. Instead of adding a row, *turn* the content by the matrix of its position:
#
# $$
# (M_p\,q) \cdot (M_j\,k) = q^\top M_p^\top M_j\,k = q^\top M_{-p} M_j\,k = q^\top M_{j-p}\,k
# $$
#
# The two rules of *Turns add up* are all that was used. The two positions are left as a difference, for any q and k.

# %%
q, k = np.random.default_rng(5).normal(size=(2, 64))
for p in (0, 5, 50):
    added, turned = (q + P[p]) @ (k + P[p + 3]), (rotation(p, 64) @ q) @ (rotation(p + 3, 64) @ k)
    print(f"positions {p:2} and {p + 3:2}: added {added:8.4f}, turned {turned:7.4f}")

# %%
lesson_09.turned_content((0, 2, 4), 1)

# %% [markdown]
# In the picture a query and a key of one pair are drawn on a circle. From panel to panel both turn by the same angle, so the angle between them stays, and with it their product. A change of the distance changes that angle.

# %%
claim("turned-or-added")

# %% [markdown]
# This is **rotary position embedding** (RoPE, 2021), the encoding of most current language models. Nothing is added. Queries and keys are turned, and values are not. Rotary code takes the first feature of a pair for the cosine, so its matrix is the transpose of ours. Both query and key are then turned the other way, j − p becomes p − j, and the argument stays the same. Lesson 12 builds it and shows where it fails.

# %%
ask("9.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Rotary encodes relative positions, so it needs no position numbers." Say: *each vector is turned by its own absolute position; only the product is relative.*

# %% [markdown]
# ## Seen in the wild
#
# - **[A regression that failed](https://datascience.stackexchange.com/questions/45691/how-can-positional-encodings-including-a-sine-operation-be-linearly-transformabl/46008).** A reader fitted the sine ten positions on from the sine here, for 1,000 positions and a pair of frequency 0.1, and doubted the paper. The sine alone explains 0.2956 of the variance; with the cosine beside it the fit is exact.
# - **[The minus that went missing](https://1cademy.com/node/analysis-of-rotational-transformation-properties/99osGFjVbM0iVTkwiJfm).** An exercise compares a rotation with a version in which both sines are positive. The vector (1, 1), of length 1.4142, becomes 1.9541 long for an angle of 1, so the second matrix is no rotation.
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
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. 9.2 and 9.3 have many right answers; they are judged by what they do. Hints appear one at a time: take the `#` away and run the cell.
#
# In all of them positions count from 0, widths are even, `base` may be left out and is then 10000.0, and arguments must not be changed. The table of lesson 6 is repeated here for use:

# %% tags=["given"]
def sinusoidal(length, width, base=10000.0):
    """The table of lesson 6 for an even width: (length, width), row p is position p."""
    angles = np.arange(length)[:, None] * base ** (-np.arange(0, width, 2) / width)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(length, width)


# %% [markdown] tags=["challenge-text"] challenge="9.1"
# Write `shift_matrix(k, width, base=10000.0, cosine_first=False)`.
#
# 1. It returns an array M of shape (width, width) with `M @ encoding[p]` equal to `encoding[p + k]`, for the sinusoidal table and every position p.
# 2. k is any whole number, 0 and negative ones included.
# 3. With `cosine_first=True` each pair of columns of the table holds the cosine first and then the sine, as in rotary code. The matrix has to do the same for that table.

# %% tags=["challenge"] challenge="9.1"
def shift_matrix(k, width, base=10000.0, cosine_first=False):
    """M with M @ encoding[p] == encoding[p + k] for every p: (width, width)."""
    ### STUB: one angle for each pair; in which corner of its block is the minus, in either order?
    ### BEGIN SOLUTION
    angles = k * base ** (-np.arange(0, width, 2) / width)
    first = np.arange(0, width, 2)
    matrix = np.zeros((width, width))
    matrix[first, first] = matrix[first + 1, first + 1] = np.cos(angles)
    matrix[first, first + 1] = np.sin(angles)
    matrix[first + 1, first] = -np.sin(angles)
    return matrix.T if cosine_first else matrix
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="9.2"
# Write `fit_shift(encoding, k)` for any table, sinusoidal or not, and k from 1 on.
#
# 1. It returns a pair (matrix, residual).
# 2. `matrix` is the one that leads from rows `encoding[:-k]` to rows `encoding[k:]` best, in the sense of least squares: `encoding[:-k] @ matrix.T` is near `encoding[k:]`.
# 3. `residual` is the largest absolute entry of `encoding[k:] - encoding[:-k] @ matrix.T`. For a table that has a shift matrix, this residual has to be below a millionth.

# %% tags=["challenge"] challenge="9.2"
def fit_shift(encoding, k):
    """(matrix, residual): the best shift by k, and its largest miss."""
    ### STUB: which rows are known, which should be reached, and on which side does lstsq multiply?
    ### BEGIN SOLUTION
    before, after = encoding[:-k], encoding[k:]
    solution = np.linalg.lstsq(before, after, rcond=None)[0]
    return solution.T, np.abs(after - before @ solution).max()
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="9.3"
# Write `lookback_weights(w_k, k, base=10000.0)`. It may call your `shift_matrix`.
#
# 1. `w_k` is the keys' projection of a trained model: an array (width, width) that has an inverse. P is the sinusoidal table of this width and base, with up to 200 rows.
# 2. It returns w_q, an array of the same shape. In `(P @ w_q) @ (P @ w_k).T` the largest entry of each row i ≥ k is at i − k.
# 3. It is the largest by a margin. Call the largest score of the whole matrix S; every other entry of the row is smaller by more than S/1,000,000.
# 4. Any w_q that does this is right. Widths are 4 or more, k is 0 to 20.

# %% tags=["challenge"] challenge="9.3"
def lookback_weights(w_k, k, base=10000.0):
    """w_q under which each position scores highest with the one k back: the shape of w_k."""
    ### STUB: which matrix is between P and its transpose in the scores, and which should it be?
    ### BEGIN SOLUTION
    return shift_matrix(k, len(w_k), base) @ np.linalg.inv(w_k).T
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="9.4"
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


# %%
progress()

# %% [markdown]
# ## Recap
#
# - The sine k positions on cannot be computed from the sine here; from sine and cosine together it can, by a 2 by 2 turn.
# - With the sine first, the block is [[cos, sin], [−sin, cos]]. Try it on (0, 1) when the sign is in doubt.
# - One block for each pair gives one matrix for all positions: `encoding[p + k] = M @ encoding[p]`, and `encoding[:-k] @ M.T` for a table.
# - Least squares finds it at width 8. At width 64 and with sixteen digits it finds *a* matrix, right on the rows that it saw. For a random table there is none.
# - Turns compose by products, and the way back is the transpose.
# - A query multiplied by Mₖ from the right looks k back.
# - Turn a query by its position and a key by its own, and their product depends on the two contents and the distance only: rotary encoding.
#
# The 2017 Transformer adds instead of turning, and its scores hold words and positions in one sum. What the adding costs is the subject of [lesson 10](10_cost_of_adding.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5: the sentence that for any fixed offset k the row of p + k is a linear function of the row of p. The proof is left to the reader. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. Su and others, *RoFormer: Enhanced Transformer with Rotary Position Embedding*, 2021, section 3.2: the wish for a score of contents and distance, solved with complex numbers. [arXiv:2104.09864](https://arxiv.org/abs/2104.09864)
# - [`numpy.linalg.lstsq`](https://numpy.org/doc/stable/reference/generated/numpy.linalg.lstsq.html): what `rcond` does where columns are nearly alike, and which solution is returned there.
# - To read alongside: [the question and its answer](https://datascience.stackexchange.com/questions/45691/how-can-positional-encodings-including-a-sine-operation-be-linearly-transformabl/46008) with which many began, and this lesson's first figure beside it.
