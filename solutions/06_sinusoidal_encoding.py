# %% [markdown]
# # 6 · The sinusoidal construction
#
# **What is gained.** A positional encoding for every position from one formula, with nothing to learn and nothing to look up, and a row for positions that no training text has reached.
#
# **Afterwards you can** say where the formula's exponent comes from; build the table for any width, odd ones too; say which column belongs to which pair; add it to a batch along the right axis; and read a library's table and say which layout and which frequencies it uses.
#
# **You need** [lesson 4](04_naive_positions.ipynb) for the list of requirements and [lesson 5](05_clocks_and_circles.ipynb) for the counter and for a sine and a cosine as a point on a circle.

# %%
import numpy as np

from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.encodings import sinusoidal_at
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
# Lesson 4 ended with a list of requirements, and lesson 5 found the tool, sinusoid pairs that turn at different speeds. What is left is to fix how many there are and how fast each one turns.
#
# The 2017 Transformer tried two answers. One learns a vector for each position, as it learns a vector for each word; lesson 11 is about that. The other writes the vectors down before training starts and never changes them. The fixed pattern is the better one to begin with, for two reasons. Every value can be computed on paper, so two people who agree on width, base and layout agree on every number. And a position that no training text was long enough to reach still gets a row. The finished function of this lesson gives one for position 5000 as for any other.

# %%
row = sinusoidal_at([5000], 512)[0]
print("shape", row.shape, "and largest entry", np.abs(row).max().round(4))
print("the first four entries:", row[:4])

# %% [markdown]
# This is easily read as more than it says. A row that is defined is information that *can be used*. Whether a model trained on short texts does use it is an experiment, and lesson 12 runs it.

# %%
ask("6.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take "defined everywhere" for "works everywhere". Say: *the formula has a row for positions on which the model was never trained.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: in the counter each column is half as fast as the one before. Eight pairs shall go from 1 radian a position down to nearly 1/10000. By which factor does each have to be slower? (The eighth root of 10000, about 3.16.)

# %% [markdown] section="speeds" minutes=4
# ## How fast each pair turns
#
# In the counter of lesson 5 each column is 2 times slower than the one before, and with that it covers short and long stretches of a text with few columns. Do the same with pairs and a factor r of our choice. Pair 0 turns by 1 radian a position, pair 1 by 1/r, pair i by $r^{-i}$. A row of the given width has width/2 pairs. Choose r so that after width/2 such steps the speed has fallen by a factor called the **base**:
#
# $$
# r^{\,\text{width}/2} = \text{base}, \qquad r = \text{base}^{\,2/\text{width}}, \qquad
# \omega_i = r^{-i} = \text{base}^{-2i/\text{width}}
# $$
#
# That is the whole reason for the exponent. The paper's base is 10000, and lesson 7 looks at what this choice does. The last of width/2 pairs is one step short of the base, because the first has the exponent 0.

# %%
width, base = 16, 10000.0
r = base ** (2 / width)
frequency = r ** -np.arange(width // 2)
print(f"r = {r:.4f}, frequencies", frequency)
print("each over the next:", frequency[:-1] / frequency[1:])

# %%
lesson_06.columns()

# %% [markdown]
# The picture shows four bits and, below them, four columns of this table. In both, each line is slower than the one above it by one factor, 2 for the counter and about 3.16 for the table, and the waves do not jump. The columns in between hold the cosines of the same pairs.

# %%
claim("equal-ratios")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for a deep reason behind 10000. Say: *equal ratios are the idea; the base only says where the slowest pair ends up.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, with the printed lines in sight: which columns share a speed? Let somebody point. Then ask for the exponent of column 5 at width 8 before you open 6.q2.

# %% [markdown] section="formula" minutes=7
# ## The formula, one pair at a time
#
# Pair i owns two columns, 2i and 2i + 1. At position p it has turned by one angle, and its columns hold the sine and the cosine of that angle:
#
# $$
# \text{angle}(p, i) = \frac{p}{\text{base}^{\,2i/\text{width}}}, \qquad
# P[p, 2i] = \sin(\text{angle}), \qquad P[p, 2i+1] = \cos(\text{angle})
# $$
#
# The i in this formula is the number of the *pair*. Reading it as the number of the column is the commonest mistake with it, so first the slow way, with every number in sight. Width 4 has two pairs.

# %%
width = 4
for i in range(width // 2):
    exponent = 2 * i / width
    print(f"pair {i}: columns {2 * i} and {2 * i + 1}, exponent {exponent}, "
          f"divided by {base**exponent:g}, frequency {base**-exponent:g}")

# %% [markdown]
# Dividing by base^(2i/width) and multiplying by base^(−2i/width) is the same thing, and most code is written in the second form. Now all positions and pairs at once. A column of positions times a row of frequencies is a grid of angles. The sines go into the even columns and the cosines into the odd ones.

# %%
def even_table(length, width):
    frequency = 10000.0 ** (-2 * np.arange(width // 2) / width)
    angles = np.arange(length)[:, None] * frequency
    table = np.empty((length, width))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles)
    return table


table = even_table(3, 4)
print(table)
print("row 1 to two places:", table[1].round(2))

# %% [markdown]
# Row 0 is 0, 1, 0, 1, because every pair starts at the top. Many texts print row 1 rounded to two places, and then the second pair seems not to have moved at all.
#
# “Even” and “odd” describe columns here. A much-read course once said that columns 2i and 2i + 1 tell whether the *token* is at an even or an odd position, and [three readers objected](https://github.com/datawhalechina/happy-llm/issues/57). Every position has both, and at odd positions the first pair points anywhere.

# %%
for p in (1, 3, 5, 7):
    print(f"position {p}: sine {np.sin(p):7.4f} in column 0, cosine {np.cos(p):7.4f} in column 1")

# %% [markdown]
# Wider rows show what the speeds are for.

# %%
lesson_06.rows_of(even_table(40, 16), [0, 1, 2, 39])

# %% [markdown]
# Near positions differ in the fast pairs, on the left, and agree in the slow ones. Positions far apart differ in slow pairs as well, which have had time to move.
#
# Some code computes the frequencies as `np.exp(-np.log(base) * 2 * i / width)`, and [people ask why](https://github.com/datawhalechina/learn-nlp-with-transformers/issues/48). A power is the exponential of a logarithm, so it is the same number in another notation.

# %%
by_power = 10000.0 ** (-np.arange(0, 512, 2) / 512)
by_logarithm = np.exp(-np.log(10000.0) * np.arange(0, 512, 2) / 512)
largest = (np.abs(by_power - by_logarithm) / by_power).max()
print("largest relative difference below 1e-12:", largest < 1e-12)

# %%
ask("6.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** i as the column (the cosine then has a speed of its own, and the pair is no circle), i for 2i, and 2i doubled once more because `arange(0, width, 2)` already runs in twos. Say: *a sine and its cosine are one pair; one pair has one speed.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: could a model that sees only `placed[1]` tell the word from the position? Take two opinions and leave it open; it is the question of lesson 10.

# %% [markdown] section="three-positions" minutes=5
# ## One token, three positions
#
# A token's vector has as many entries as the next layer expects. Give the position a vector of the same width and *add* the two: the sum has that width again, no layer has to be rebuilt, and every projection of every head can use any mixture of word and position. Put the token [1, 0, 1, 0] at positions 0, 1 and 2.

# %%
token = np.array([1.0, 0.0, 1.0, 0.0])
placed = token + table
print(placed)

# %% [markdown]
# These are three different rows for one word. Subtract one from another and the word is gone.

# %%
print("row 2 minus row 1 of the sums ", placed[2] - placed[1])
print("row 2 minus row 1 of the table", table[2] - table[1])

# %% [markdown]
# What remains belongs to the two positions alone. In the next claim you can give position 2 another content. Then nothing cancels, and the difference is a mixture.

# %%
claim("same-token-difference")

# %% [markdown]
# The full width also replaces lesson 4's single number, which drowned while it was small and wrecked the row when it was large. Here are the lengths (norms) of a thousand position rows, beside the mean length of a thousand random words of the same width.

# %%
words = np.random.default_rng(0).standard_normal((1000, 512))
for width in (4, 64, 512):
    lengths = np.linalg.norm(even_table(1000, width), axis=1)
    word = np.linalg.norm(words[:, :width], axis=1).mean()
    print(f"width {width:3d}: position {lengths.min():.2f} to {lengths.max():.2f}, word {word:.2f}")

# %% [markdown]
# Lesson 4's last requirement, *as wide as the content*, is met. Two things are *not* in these rows. No coordinate is labelled “position”, since each of them is content plus wave. And no coordinate holds a distance. What two rows tell about the distance of their positions has to be worked out, which lessons 8 and 9 do.

# %%
ask("6.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for the coordinate in which the position "is". Say: *the position is spread over the whole row, and so is the word.*

# %% [markdown] tags=["instructor"]
# **In front of people**: put the position on 0, then press the arrow key slowly up to 7 and stop where the first pair has gone once round. Then set the base to 10 and ask what changed on the right-hand side *before* you let them look.

# %% [markdown] section="playground" minutes=4
# ## The whole table
#
# Width 4 fits on a line, and real widths are in the hundreds. Move the position and watch its row, then change the base.

# %%
playground(lesson_06.seats)

# %% [markdown]
# The left columns go through several turns, the right ones barely leave their start. Every entry lies between −1 and 1, however far the position, so *bounded*, on the list of lesson 4, is met. The width does not grow with the text, so *width independent of length* is met too. And a longer table begins with the shorter one, so position 3 means the same in every text.

# %%
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
# Width 5 has two whole pairs and one column to spare. Column 4 is 2i with i = 2, so the formula puts a sine there, and its cosine would need a column 5 that does not exist.

# %%
frequency = 10000.0 ** (-2 * np.arange(3) / 5)
print("frequencies", frequency, "for", len(frequency), "sines and", 5 // 2, "cosines")

# %%
claim("odd-width")

# %% [markdown]
# Code that is tested at width 512 alone often fills sines and cosines from one list, and stops with a shape error at the first odd width. Other libraries pad the last column with zeros or refuse odd widths explicitly. Each of these is a decision, and code that stops with a shape error has made none.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They cut the frequencies to `width // 2` and lose the last sine. Say: *count the sines, not the circles.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the wrong cell runs: what shape will come out? Then: what would you look at to notice the mistake?

# %% [markdown] section="batch" minutes=4
# ## A batch: the same rows for every sequence
#
# Models take several sequences at once, as an array of shape (batch, length, width). A position is counted within its own sequence, so each sequence gets the same rows, from row 0 on. Two sentences of equal length get equal encodings, whatever their words. NumPy lines shapes up from the right, and adding a (length, width) table does exactly this.

# %%
batch = np.zeros((2, 3, 4))
right = batch + table
print("second sequence, token by token:")
print(right[1])
print("equal to the first sequence:", np.array_equal(right[0], right[1]))

# %% [markdown]
# With three sequences of three tokens a wrong line has the right shape as well. This one runs along the batch instead of the length.

# %% tags=["guess-first"]
square = np.zeros((3, 3, 4))
wrong = square + table[:, None, :]
print("shape", wrong.shape, "and the second sequence:")
print(wrong[1])
print("distinct rows within a sequence, right:", len(np.unique(right[1], axis=0)))
print("distinct rows within a sequence, wrong:", len(np.unique(wrong[1], axis=0)))

# %% [markdown]
# All tokens of a sequence carry the same position vector, so no order is left within it. This is what the `unsqueeze` in PyTorch code is about: it inserts the axis along which the table is repeated, and that has to be the batch axis of *your* layout. The PyTorch tutorial's batches are (length, batch, width), and there `table[:, None, :]` is right.

# %%
ask("6.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They check shapes and stop. Say: *a mistake that keeps every shape is found by reading one row.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how many parameters does a learned table of 512 rows and width 512 have? (262,144.) And this one? (None.)

# %% [markdown] section="no-parameter" minutes=3
# ## No parameter, and the gradient passes
#
# The table is added and it never changes, so y = x + P with a fixed P. By the chain rule the gradient that training sends back through this layer is dL/dx = dL/dy · dy/dx, and dy/dx is 1 in every entry. The layer hands on the gradient that it receives, and it has nothing for an optimiser to change.

# %%
x = np.array([[0.5, -1.0, 0.0, 2.0]])
moved = x + np.array([[0.0, 0.001, 0.0, 0.0]])
change = (moved + table[1]) - (x + table[1])
print("moved the second entry by 0.001; the output moved by", change.round(6))

# %% [markdown]
# Frameworks need to be told. PyTorch's `register_buffer` stores a tensor that moves to the GPU with the model and is not a parameter; a plain attribute would stay behind. An embedding layer filled with sinusoids and frozen behaves the same until somebody unfreezes the whole model, and then the table drifts.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "No parameters" is heard as "no gradient". Say: *no gradient for the table; all of it for what lies below.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: somebody shows you a table whose row 0 is 0, 0, 0, 0, 1, 1, 1, 1. What do you know, and what do you not know yet? (The layout; not the frequencies.)

# %% [markdown] section="layouts" minutes=4
# ## Two layouts, two ladders
#
# Sines and cosines can be interleaved, as here and in the paper, or stored in two blocks, as in tensor2tensor and fairseq. Both are in use, and neither is wrong.

# %%
lesson_06.layouts(8)

# %%
claim("layouts-agree")

# %% [markdown]
# A column has only moved, so two lines put it back.

# %%
interleaved = even_table(50, 8)
blocks = np.concatenate([interleaved[:, 0::2], interleaved[:, 1::2]], axis=1)
back = np.empty((50, 8))
back[:, 0::2], back[:, 1::2] = blocks[:, :4], blocks[:, 4:]
print("row 1 in blocks", blocks[1])
print("moved back, equal to the interleaved table:", np.array_equal(back, interleaved))

# %% [markdown]
# The same numbers in another order give the same dot products, and the weights that follow see every column anyway. A *trained* model has got used to one order and has to keep it.
#
# The two libraries differ from the paper in a second way, which is not an order. Call the falling row of frequencies a **ladder**. They divide the exponent by half − 1 instead of half, so that the slowest frequency is exactly 1/10000. For width 8:

# %%
half = 8 // 2
print("dividing by half    ", 10000.0 ** (-np.arange(half) / half))
print("dividing by half − 1", 10000.0 ** (-np.arange(half) / (half - 1)))

# %% [markdown]
# Every frequency but the first is different. Tables made by the two rules cannot be exchanged, nor turned into each other by moving columns.

# %%
ask("6.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The same up to reordering" is said of tensor2tensor and the paper, and it is wrong. Say: *compare the slowest frequency before you say "the same".*

# %% [markdown]
# ## Seen in the wild
#
# - **[The odd width nobody tried](https://github.com/codertimo/BERT-pytorch/issues/78).** A model of width 29 could not be built: 15 frequencies were written into 14 cosine columns. At width 5 the code has 3 values for 2 places.
# - **[Two slips in one helper](https://github.com/maxjcohen/transformer/issues/62).** The base was 1000 and each cosine had an exponent of its own. Row 1 at width 4 was 0.8415, 0.9842, 0.0316, 1.0000 instead of 0.8415, 0.5403, 0.0100, 0.99995, a difference that shows only when one row is computed by hand.
# - **[One row for a whole example](https://github.com/AkiRusProd/numpy-transformer/issues/1).** The table was cut to the size of the batch and broadcast over time. A sequence of three tokens held one distinct position vector instead of three, and the model learned all the same, badly.
# - **[A report that was wrong](https://github.com/pytorch/tutorials/issues/1547).** A reader found the PyTorch tutorial adding along the wrong axis. Its batches are (length, batch, width), so it did not. Ask for the layout before you fix.

# %%
slips = np.sin(1.0), np.cos(1000.0**-0.25), np.sin(1000.0**-0.5), np.cos(1000.0**-0.75)
print("row 1 with both slips", np.round(slips, 4), "and by the formula", table[1])

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Hints appear one at a time: take the `#` away and run the cell.
#
# In all of them positions count from 0, `base` may be left out and is then 10000.0, and arguments must not be changed.

# %% [markdown] tags=["challenge-text"] challenge="6.1"
# Write `frequencies(width, base=10000.0)`.
#
# 1. It returns one frequency a pair, in radians per position: base^(−2i/width) for i = 0, 1, 2, …
# 2. An odd width has one more, for its lone last sine: (width + 1) // 2 in all.
# 3. Slow frequencies are small, so here each may be off by a hundred-thousandth of its value and no more.

# %% tags=["challenge"] challenge="6.1"
def frequencies(width, base=10000.0):
    """One frequency a pair, in radians per position: ((width + 1) // 2,)."""
    ### STUB: one number for each i; what does the exponent do from one i to the next?
    ### BEGIN SOLUTION
    i = np.arange((width + 1) // 2)
    return base ** (-2 * i / width)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="6.2"
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


# %% [markdown] tags=["challenge-text"] challenge="6.3"
# Write `add_positions(batch, base=10000.0)` for a batch of shape (B, L, d).
#
# 1. The token at position p of every sequence gets row p of the table added.
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


# %% [markdown] tags=["challenge-text"] challenge="6.4"
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


# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - Each pair is slower than the one before by the factor base^(2/width), so pair i turns by base^(−2i/width) radians a position. The i is a pair, not a column.
# - Columns 2i and 2i + 1 hold its sine and its cosine. Near positions differ in the fast pairs, far ones in the slow pairs as well.
# - The row is as wide as the token's and is added to it, so the shape stays, and every head can use any mixture of the two.
# - Every entry lies in [−1, 1], the width is free, and position p has the same row in every text.
# - Every sequence of a batch gets the same rows, along its own length. Check one row by hand, because shapes tell nothing.
# - The table has no parameter and hands the gradient on.
# - Interleaved or in blocks is an order. Half or half − 1 makes different frequencies.
#
# The pairs of width 512 turn at 256 different speeds. [Lesson 7](07_frequency_ladder.ipynb) looks at how these are spaced, what the base does to them, and how many of them complete even one turn inside a text.

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5: the formula, and the sentence that fixed and learned positions gave nearly identical results. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. Gehring and others, *Convolutional Sequence to Sequence Learning*, 2017: learned positions, which that section compares with. [arXiv:1705.03122](https://arxiv.org/abs/1705.03122)
# - The layout of tensor2tensor and its frequencies: [tensor2tensor issue 1423](https://github.com/tensorflow/tensor2tensor/issues/1423).
# - To read alongside: the class `PositionalEncoding` of the [PyTorch word-language-model example](https://github.com/pytorch/examples), with this lesson's four questions in hand: which layout, which frequencies, which axis, what happens past the end?
