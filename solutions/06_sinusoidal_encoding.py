# %% [markdown]
# # 6 · The sinusoidal construction
#
# **What is gained.** A vector for every position, from one formula: nothing to learn, nothing to look up, and a row for positions that nobody has seen.
#
# **Afterwards you can** build the table for any width, odd ones too; say which column belongs to which pair; add it to a batch along the right axis; and read a library's table and say which layout and which ladder it uses.
#
# **You need** [lesson 4](04_naive_positions.ipynb) for the list of requirements and [lesson 5](05_clocks_and_circles.ipynb) for a sine and a cosine as a point on a circle.

# %%
import numpy as np

from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.figures import lesson_06

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. Where is the point (sin 0, cos 0) on the circle? (At the top: sine 0, cosine 1.) How many radians is a full turn? (2π, about 6.28.) What is the shape of a column of 5 numbers times a row of 3? (5 by 3: one product for each pair.)
#
# **When late**, skip *Two layouts* and hand it out as reading; question 6.q5 goes with it. Do not skip *A batch*: it is the mistake that costs people most.

# %% [markdown] tags=["instructor"]
# **Ask the room** before 6.q1: what would a learned table do at position 5000? Wait for someone to say "there is no row".

# %% [markdown] section="fixed-pattern" minutes=4
# ## Why start with a fixed pattern
#
# Lesson 4 ended with a list of requirements, and lesson 5 found the tool: hands that turn at different speeds. What is left is to fix how many hands there are and how fast each one turns.
#
# The 2017 Transformer tried two answers. One learns a vector for each seat, as it learns a vector for each word; lesson 11 is about that. The other writes the vectors down before training starts and never changes them. The fixed pattern is the better one to begin with, for three reasons. Every value can be reproduced from a formula on paper. Two people who agree on the width agree on every number. And a position that no training text was long enough to reach still gets a row.
#
# Here are four entries of a row that no short text reaches, position 5000 at width 512, computed one by one:

# %%
for column in (0, 1, 256, 257):
    angle = 5000 / 10000 ** ((column - column % 2) / 512)
    value = np.cos(angle) if column % 2 else np.sin(angle)
    print(f"position 5000, column {column:3d}: {value:7.4f}")

# %% [markdown]
# That last point is easily read as more than it says. A row that is defined is information that *can be used*; whether a model trained on short texts does use it is an experiment, and lesson 12 runs it.

# %%
ask("6.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take "defined everywhere" for "works everywhere". Say: *the formula answers a question that the model has never been asked.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, with the printed lines in sight: which columns share a speed? Let somebody point. Then ask for the exponent of column 5 at width 8 before you open 6.q2.

# %% [markdown] section="formula" minutes=8
# ## The formula, one pair at a time
#
# Take an even width. Its columns form width/2 **pairs**, numbered i = 0, 1, 2, … Pair i owns two columns, 2i and 2i + 1. At position p the pair has turned through one angle, and its two columns hold the sine and the cosine of that angle:
#
# $$
# \text{angle}(p, i) = \frac{p}{\text{base}^{\,2i/\text{width}}}, \qquad
# P[p, 2i] = \sin(\text{angle}), \qquad P[p, 2i+1] = \cos(\text{angle})
# $$
#
# with base = 10000. The i in this formula is the number of the *pair*. Reading it as the number of the column is the commonest mistake with it, so first the slow way, with every number in sight. Width 4 has two pairs:

# %%
width, base = 4, 10000.0
for i in range(width // 2):
    exponent = 2 * i / width
    print(f"pair {i}: columns {2 * i} and {2 * i + 1}, exponent {exponent}, "
          f"divided by {base**exponent:g}, frequency {base**-exponent:g}")

# %% [markdown]
# The first pair turns one radian a position, the second a hundredth of that. Dividing by base^(2i/width) and multiplying by base^(−2i/width) is the same thing; the second form is the **frequency**, in radians per position, and most code is written with it.
#
# Now all positions and pairs at once. A column of positions times a row of frequencies is a grid of angles:

# %%
positions = np.arange(3)
frequency = base ** (-2 * np.arange(width // 2) / width)
angles = positions[:, None] * frequency
print("positions", positions[:, None].shape, "times", frequency.shape, "is", angles.shape)
print(angles)

# %% [markdown]
# The sines go into the even columns and the cosines into the odd ones. That is all of it:

# %%
table = np.empty((3, width))
table[:, 0::2] = np.sin(angles)
table[:, 1::2] = np.cos(angles)
print(table)

# %%
claim("worked-example-d4")

# %% [markdown]
# Width 4 has few columns to look at. Do neighbouring rows differ in the same way all along a wider one?

# %%
wide = np.arange(3)[:, None] * 10000.0 ** (-np.arange(0, 16, 2) / 16)
wide = np.stack([np.sin(wide), np.cos(wide)], axis=2).reshape(3, 16)
lesson_06.rows_of(wide, [0, 1, 2])

# %% [markdown]
# They differ on the left, where pairs are fast, and agree on the right, where three positions are not enough to see a slow pair move.
#
# Row 0 of width 4 is 0, 1, 0, 1: every hand points to the top. Many texts print row 1 rounded to two places; with so few the second pair seems not to have moved at all.

# %%
claim("worked-example-text")

# %% [markdown]
# Some code computes the same frequencies as `np.exp(-np.log(base) * 2 * i / width)`. It is the same number by another road, as [one reader had to ask](https://github.com/datawhalechina/learn-nlp-with-transformers/issues/48): a power is the exponential of a logarithm. The detour was a habit for keeping large powers out of half precision.

# %%
by_power = 10000.0 ** (-np.arange(0, 512, 2) / 512)
by_logarithm = np.exp(-np.log(10000.0) * np.arange(0, 512, 2) / 512)
largest = (np.abs(by_power - by_logarithm) / by_power).max()
print("largest relative difference below 1e-12:", largest < 1e-12)

# %%
ask("6.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** i as the column (the cosine then has a speed of its own, and the pair is no circle), i for 2i, and 2i doubled once more because `arange(0, width, 2)` already runs in twos. Say: *a sine and its cosine are one hand; one hand has one speed.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: could a model that sees only `seats[1]` tell the word from the seat? Take two opinions and leave it open; it is the question of lesson 10.

# %% [markdown] section="three-seats" minutes=5
# ## One token, three seats
#
# A token's vector and a position's vector have the same width, so they can be added. Put the token [1, 0, 1, 0] on seats 0, 1 and 2:

# %%
token = np.array([1.0, 0.0, 1.0, 0.0])
seats = token + table
print(seats)

# %%
claim("same-token-three-seats")

# %% [markdown]
# Three different rows for one word. Subtract one from another and the word is gone:

# %%
print("row 2 minus row 1 of the sums ", seats[2] - seats[1])
print("row 2 minus row 1 of the table", table[2] - table[1])

# %% [markdown]
# What remains belongs to the two seats alone. Open the next claim and give seat 2 another content: then nothing cancels, and the difference is a mixture.

# %%
claim("same-token-difference")

# %% [markdown]
# Two things are *not* in these rows. No coordinate is labelled "position": every one of the four is content plus wave. And no coordinate holds a distance; what two rows tell about the distance of their seats has to be worked out, which lessons 8 and 9 do.

# %%
ask("6.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for the coordinate in which the position "is". Say: *the stamp is spread over the whole row, and so is the word.*

# %% [markdown] tags=["instructor"]
# **In front of people**: put the position on 0, then press the arrow key slowly up to 7 and stop where the first pair has gone once round. Then set the base to 10 and ask what changed on the right-hand side *before* you let them look.

# %% [markdown] section="playground" minutes=5
# ## The whole table
#
# Width 4 fits on a line; real widths are in the hundreds. Which columns move fast, and which hardly at all? Move the position and watch its row; then change the base.

# %%
playground(lesson_06.seats)

# %% [markdown]
# The left columns go through several turns, the right ones barely leave their start. Every entry lies between −1 and 1, however far the position: *bounded*, on the list of lesson 4, is met. The width is chosen freely and does not grow with the text: *width independent of length* is met too. And a longer table begins with the shorter one, so position 3 means the same in every text:

# %%
def even_table(length, width):
    angles = np.arange(length)[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(length, width)


short, long = even_table(10, 32), even_table(1000, 32)
print("largest entry of the long table at most 1:", np.abs(long).max() <= 1)
print("its first 10 rows are the short table:", np.array_equal(short, long[:10]))

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They read the fast columns as important and the slow ones as waste. Say: *in a text of 30 words the slow columns hardly move; in one of 3,000 they are the ones that do not repeat.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how many frequencies does width 5 need, and how many of them does a cosine use? (Three, and two.)

# %% [markdown] section="odd-width" minutes=4
# ## An odd width ends in a lone sine
#
# Width 5 has two whole pairs and one column to spare. The formula says what belongs there: column 4 = 2i with i = 2, a sine, and its cosine would need a column 5 that does not exist.

# %%
frequency = 10000.0 ** (-2 * np.arange(3) / 5)
print("frequencies", frequency, "for", len(frequency), "sines and", 5 // 2, "cosines")

# %%
claim("odd-width")

# %% [markdown]
# Code that is tested at width 512 alone often fills sines and cosines from one list, and stops with a shape error at the first odd width. Other libraries pad the last column with zeros or refuse odd widths in so many words. Each is a decision; the one that hurts is having made none.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They cut the frequencies to `width // 2` and lose the last sine. Say: *count the sines, not the circles.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the wrong cell runs: what shape will come out? Then: what would you look at to notice the mistake?

# %% [markdown] section="batch" minutes=4
# ## A batch: the same rows for every sequence
#
# Models take several sequences at once, as an array of shape (batch, length, width). A position is a seat within its own sequence, so each sequence gets the same rows, from row 0 on. Two sentences of equal length get equal encodings, whatever their words. NumPy lines shapes up from the right, and adding a (length, width) table does exactly this:

# %%
batch = np.zeros((2, 3, 4))
right = batch + table
print("second sequence, token by token:")
print(right[1])
print("equal to the first sequence:", np.array_equal(right[0], right[1]))

# %% [markdown]
# With three sequences of three tokens a wrong line has the right shape as well. This one runs along the batch instead of the seats:

# %%
square = np.zeros((3, 3, 4))
wrong = square + table[:, None, :]
print("shape", wrong.shape, "and the second sequence:")
print(wrong[1])
print("distinct stamps, right:", len(np.unique(right[1], axis=0)))
print("distinct stamps, wrong:", len(np.unique(wrong[1], axis=0)))

# %% [markdown]
# All its tokens carry the same stamp: within the sequence there is no order left. This is what the `unsqueeze` in PyTorch code is about: it inserts the axis along which the table is repeated, and it has to be the batch axis of *your* layout. The PyTorch tutorial's batches are (length, batch, width), and there `table[:, None, :]` is right.

# %%
ask("6.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They check shapes and stop. Say: *a mistake that keeps every shape is found by reading one row.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how many parameters does a learned table of 512 rows and width 512 have? (262,144.) And this one? (None.)

# %% [markdown] section="no-parameter" minutes=3
# ## No parameter, and the gradient passes
#
# The table is added, and it never changes. In y = x + P a small change of x changes y by the same amount, so the gradient that arrives from above goes down as it came; and nothing is left behind for an optimiser to change.

# %%
x = np.array([[0.5, -1.0, 0.0, 2.0]])
moved = x + np.array([[0.0, 0.001, 0.0, 0.0]])
change = (moved + table[1]) - (x + table[1])
print("moved the second entry by 0.001; the output moved by", change.round(6))

# %%
claim("gradient-passes")

# %% [markdown]
# Frameworks need to be told. PyTorch's `register_buffer` stores a tensor that moves to the GPU with the model and is no parameter; a plain attribute would stay behind. An embedding layer filled with sinusoids and frozen behaves the same until somebody unfreezes the whole model: then the stamps drift.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "No parameters" is heard as "no gradient". Say: *no gradient for the table; all of it for what lies below.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: somebody shows you a table whose row 0 is 0, 0, 0, 0, 1, 1, 1, 1. What do you know, and what do you not know yet? (The layout; not the ladder.)

# %% [markdown] section="layouts" minutes=4
# ## Two layouts, two ladders
#
# Sines and cosines can be interleaved, as here and in the paper, or stand in two blocks, as in tensor2tensor and fairseq. Is one of them wrong?

# %%
lesson_06.layouts(8)

# %%
claim("layouts-agree")

# %% [markdown]
# The order can be undone by one line, because a column has only moved:

# %%
interleaved = even_table(50, 8)
blocks = np.concatenate([interleaved[:, 0::2], interleaved[:, 1::2]], axis=1)
back = np.stack([blocks[:, :4], blocks[:, 4:]], axis=2).reshape(50, 8)
print("row 1 in blocks", blocks[1])
print("moved back, equal to the interleaved table:", np.array_equal(back, interleaved))

# %% [markdown]
# The same numbers in another order give the same dot products, and the weights that follow see every column anyway. A *trained* model has got used to one order and has to keep it.
#
# The two libraries differ from the paper in a second way, which is not an order. They divide the exponent by half − 1 instead of half, so that the slowest frequency comes out at exactly 1/10000. For width 8:

# %%
half = 8 // 2
print("dividing by half    ", 10000.0 ** (-np.arange(half) / half))
print("dividing by half − 1", 10000.0 ** (-np.arange(half) / (half - 1)))

# %% [markdown]
# Here every speed but the first is another one. Tables made by the two rules cannot be exchanged, nor turned into each other by moving columns.

# %%
ask("6.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The same up to reordering" is said of tensor2tensor and the paper; it is not. Say: *compare the slowest frequency before you say "the same".*

# %% [markdown]
# ## Seen in the wild
#
# - **[The odd width nobody tried](https://github.com/codertimo/BERT-pytorch/issues/78).** A model of width 29 could not be built: 15 frequencies were written into 14 cosine columns. At width 5 the code has 3 values for 2 places.
# - **[Two slips in one helper](https://github.com/maxjcohen/transformer/issues/62).** The base was 1000 and each cosine had an exponent of its own. Row 1 at width 4 came out as 0.8415, 0.9842, 0.0316, 1.0000 instead of 0.8415, 0.5403, 0.0100, 0.99995: nothing to notice unless one row is computed by hand.
# - **[One row for a whole example](https://github.com/AkiRusProd/numpy-transformer/issues/1).** The table was cut to the size of the batch and broadcast over time. A sequence of three tokens held one distinct stamp instead of three, and the model learned all the same, badly.
# - **[A report that was wrong](https://github.com/pytorch/tutorials/issues/1547).** A reader found the PyTorch tutorial adding along the wrong axis. Its batches are (length, batch, width), so it did not. Ask for the layout before you mend.

# %%
slips = np.sin(1.0), np.cos(1000.0**-0.25), np.sin(1000.0**-0.5), np.cos(1000.0**-0.75)
print("row 1 with both slips", np.round(slips, 4), "and as asked", table[1])

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Numbers may differ by 2e-5 plus a hundred-thousandth of the value, so single precision is enough. Hints come one at a time: take the `#` away and run the cell.
#
# In all of them positions count from 0, `base` may be left out and is then 10000.0, and arguments must not be changed.

# %% [markdown] tags=["challenge-text"] challenge="6.1"
# ### 6.1 · The speeds
#
# *2 points · 6 minutes · difficulty 1 of 3*
#
# Write `frequencies(width, base=10000.0)`.
#
# 1. It returns one frequency a pair, in radians per position: base^(−2i/width) for i = 0, 1, 2, …
# 2. An odd width has one more, for its lone last sine: (width + 1) // 2 in all.
# 3. Slow frequencies are small, so here only the hundred-thousandth of the value is tolerated.

# %% tags=["challenge"] challenge="6.1"
def frequencies(width, base=10000.0):
    """One frequency a pair, in radians per position: ((width + 1) // 2,)."""
    ### STUB: one number for each i; what does the exponent do from one i to the next?
    ### BEGIN SOLUTION
    i = np.arange((width + 1) // 2)
    return base ** (-2 * i / width)
    ### END SOLUTION


# %% tags=["check"] challenge="6.1"
check("6.1", frequencies)
# hint("6.1", 1)
# solution("6.1")

# %% [markdown] tags=["challenge-text"] challenge="6.2"
# ### 6.2 · The table
#
# *3 points · 12 minutes · difficulty 2 of 3*
#
# Write `sinusoidal(length, width, base=10000.0)`. It may call your `frequencies`.
#
# 1. It returns an array (length, width); row p is position p.
# 2. Columns are interleaved: 2i holds the sine of pair i, 2i + 1 its cosine.
# 3. An odd width ends in a lone sine.

# %% tags=["challenge"] challenge="6.2"
def sinusoidal(length, width, base=10000.0):
    """The table (length, width); row p is position p."""
    ### STUB: make the grid of angles (length, pairs) first, then fill the columns
    ### BEGIN SOLUTION
    angles = np.arange(length)[:, None] * frequencies(width, base)
    table = np.empty((length, width))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : width // 2])
    return table
    ### END SOLUTION


# %% tags=["check"] challenge="6.2"
check("6.2", sinusoidal)
# hint("6.2", 1)
# solution("6.2")

# %% [markdown] tags=["challenge-text"] challenge="6.3"
# ### 6.3 · A batch of sequences
#
# *2 points · 8 minutes · difficulty 2 of 3*
#
# Write `add_positions(batch, base=10000.0)` for a batch of shape (B, L, d).
#
# 1. Seat p of every sequence gets row p of the table added.
# 2. The result is a new array of the batch's shape; the batch that was handed in stays as it was.
# 3. It also holds where B equals L, and where B is 1.

# %% tags=["challenge"] challenge="6.3"
def add_positions(batch, base=10000.0):
    """The batch (B, L, d) with positions added along L, as a new array."""
    ### STUB: which of the three axes does the table run along?
    ### BEGIN SOLUTION
    _, length, width = batch.shape
    return batch + sinusoidal(length, width, base)
    ### END SOLUTION


# %% tags=["check"] challenge="6.3"
check("6.3", add_positions)
# hint("6.3", 1)
# solution("6.3")

# %% [markdown] tags=["challenge-text"] challenge="6.4"
# ### 6.4 · The layer
#
# *3 points · 12 minutes · difficulty 3 of 3*
#
# Write the class `PositionalEncoding(width, max_length, base=10000.0)`.
#
# 1. `table` is the table, of shape (max_length, width).
# 2. `forward(batch)` takes (B, L, width) and returns it with positions added, as a new array.
# 3. A batch longer than the table ends in a `ValueError` whose message holds both lengths, also where `max_length` is 1.
# 4. `backward(gradient)` takes the gradient of what `forward` returned and returns the gradient of what it was given.
# 5. `parameters()` returns a list of what can be learned: it is empty.

# %% tags=["challenge"] challenge="6.4"
class PositionalEncoding:
    """Adds a fixed table to batches of up to max_length positions."""

    def __init__(self, width, max_length, base=10000.0):
        ### STUB: build the table once and keep it as self.table
        ### BEGIN SOLUTION
        self.table = sinusoidal(max_length, width, base)
        ### END SOLUTION

    def forward(self, batch):
        """The batch (B, L, width) with positions added."""
        ### STUB: compare L with the number of rows before you take any
        ### BEGIN SOLUTION
        length = batch.shape[1]
        if length > len(self.table):
            raise ValueError(f"the batch has {length} positions, the table {len(self.table)}")
        return batch + self.table[:length]
        ### END SOLUTION

    def backward(self, gradient):
        """The gradient of the input, given that of the output."""
        ### STUB: how much does the output change where the input changes a little?
        ### BEGIN SOLUTION
        return gradient
        ### END SOLUTION

    def parameters(self):
        """What an optimiser may change."""
        ### STUB: what is there to learn in a fixed table?
        ### BEGIN SOLUTION
        return []
        ### END SOLUTION


# %% tags=["check"] challenge="6.4"
check("6.4", PositionalEncoding)
# hint("6.4", 1)
# solution("6.4")

# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - Pair i turns by base^(−2i/width) radians a position; columns 2i and 2i + 1 are its sine and cosine. The i is a pair, not a column.
# - Every entry lies in [−1, 1], the width is free, and position p has the same row in every text.
# - Every sequence of a batch gets the same rows, along its own length. Check one row by hand; shapes tell nothing.
# - The table has no parameter and hands the gradient on.
# - Interleaved or in blocks is an order; half or half − 1 is another ladder.
#
# The pairs of width 512 turn at 256 different speeds. How are these spread, what does the base do to them, and how many of them come round even once in your text? That is [lesson 7](07_frequency_ladder.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5: the formula, and the sentence that fixed and learned positions gave nearly identical results. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. Gehring and others, *Convolutional Sequence to Sequence Learning*, 2017: learned positions, which that section compares with. [arXiv:1705.03122](https://arxiv.org/abs/1705.03122)
# - The layout of tensor2tensor and its ladder: [tensor2tensor issue 1423](https://github.com/tensorflow/tensor2tensor/issues/1423).
# - To read alongside: the class `PositionalEncoding` of the [PyTorch word-language-model example](https://github.com/pytorch/examples), with this lesson's four questions in hand: which layout, which ladder, which axis, what happens past the end?
