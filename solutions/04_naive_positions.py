# %% [markdown]
# # 4 · Writing the number in
#
# **What breaks.** The position's number is written into the row as one more feature. Early in a text it says too little beside many features, late in a text it outweighs them all, and no choice of weights makes it say “three back”.
#
# **Afterwards you can** compute what an appended position does to the logits; show why learned weights do not repair it; find the position from which one key takes everything; and hold a scheme against six requirements.
#
# **You need** [lesson 2](02_attention_forgets_order.ipynb) for logits and attention weights, and [lesson 3](03_order_is_not_permission.ipynb) for why a mask does not settle the matter.

# %%
import numpy as np

from posenc.attention import SIX_TOKENS, softmax
from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.figures import lesson_04

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. A row of logits is 3, 4, 5; what happens to the attention weights if it becomes 103, 104, 105? (Nothing.) And if it becomes 30, 40, 50? (The last takes nearly all.) What does a layer normalisation divide a row by? (Its own standard deviation.)
#
# **When late**, skip *One column for each position* and name it in one sentence: as many columns as positions, and all rows equally far apart. Keep *A list of requirements*, because lessons 5 to 8 tick it off.

# %% [markdown] tags=["instructor"]
# **Ask the room** before 4.q1: for the query at position 2, which key gains most? (Position 5, the last.) And which should, if near words matter most?

# %% [markdown] section="append" minutes=4
# ## One more column
#
# Lesson 3 left a question that a mask does not answer: at which position is a token? The most direct answer is to write the position's number into its row. Take six made-up tokens of width 4, on three topics, and append the position as a fifth column.

# %%
six = SIX_TOKENS
positions = np.arange(6)
rows = np.column_stack([six, positions])
print(rows)

# %% [markdown]
# The content is untouched, and anyone who knows the column can read the position from it. People ask [why one should not append the index as one more number](https://community.deeplearning.ai/t/positional-encoding-in-transformer-networks-w4-why-adding-as-opposed-to-concatenating/231347). The reason is that attention does not look a number up. It multiplies rows.

# %%
i, j = 2, 5
print("product of the whole rows:", (rows[i] @ rows[j]).round(3))
print("content alone:            ", (six[i] @ six[j]).round(3))
print("the difference:           ", (rows[i] @ rows[j] - six[i] @ six[j]).round(3), "=", i * j)

# %% [markdown]
# The column adds i · j to the product of the rows at positions i and j. That is not their distance, and it does not say which of them is first. It is large where both positions are late, and it is 0 in every product with position 0. A logit divides the product by the root of the width, which is now 5, so each logit gains i · j/√5.

# %%
ask("4.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They expect a difference of positions to appear by itself. Say: *a product of rows multiplies the two entries of a column, and no step subtracts them.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: the difference of neighbouring positions is 1 at the start and 1 at position 1000. Why does the spread grow? (The products 1000 · 1000 and 1001 · 1001 differ by 2,001.)

# %% [markdown] section="spread" minutes=5
# ## How far the logits lie apart
#
# A softmax ignores a number that is added to all the logits of a row. What counts is how far they lie apart. Call the largest minus the smallest logit of a table its **spread**, and compare the part due to the content with the part due to the positions.

# %%
content = six @ six.T / np.sqrt(5)
added = np.outer(positions, positions) / np.sqrt(5)
print("spread of the content:  ", np.ptp(content).round(2))
print("spread of the positions:", np.ptp(added).round(2))

# %% [markdown]
# At the very start of a text the positions already differ by more than the words. Now move the same six tokens further into the text. Their content does not change.

# %%
for start in (0, 10, 100, 1000):
    moved = np.arange(start, start + 6)
    spread = np.ptp(np.outer(moved, moved)) / np.sqrt(5)
    times = spread / np.ptp(content)
    print(f"start {start:5,}: positions {spread:8,.2f}, {times:8,.1f} times content")

# %%
lesson_04.spreads()

# %% [markdown]
# The content's line is level and the positions' line climbs, so their ratio grows with the start. The root of the width does not help, because it divides both parts. More features do help for a while, since the content's part grows with their number.

# %%
features = np.random.default_rng(0).standard_normal((6, 512))
for width in (5, 17, 65, 513):
    x = features[:, : width - 1]
    early, late = (
        np.ptp(np.outer(p, p)) / np.ptp(x @ x.T) for p in (positions, 100 + positions)
    )
    print(f"width {width:3d}: {early:4.2f} times content at start 0, {late:5.2f} at start 100")

# %% [markdown]
# In a wide row the position is hardly heard at first, and by position 100 it outweighs the content all the same. A larger width moves the crossing to a later position, and so does counting in smaller units, which you can try below. Neither stops the growth.

# %%
claim("ratio-widens")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They think that the root of the width repairs it. Say: *the root divides both parts, and a ratio does not change when both its parts are divided.*

# %% [markdown] tags=["instructor"]
# **In front of people**: start at width 5 and press the arrow key on the first position from 0 to 11; let the room call out when the last column has swallowed the grid. Then set the width to 65 and the start to 0, and ask who is read now, before they look.

# %% [markdown] section="saturation" minutes=5
# ## One key takes everything
#
# Logits that lie far apart make attention weights near 0 and 1. Measure this by the largest weight of each row, averaged over the six tokens that read. The slope in the last column is w(1 − w), the derivative of that weight w with respect to its own logit, averaged in the same way.

# %%
def weights_at(x, start):
    rows = np.column_stack([x, np.arange(start, start + len(x))])
    return softmax(rows @ rows.T / np.sqrt(rows.shape[1]))


for start in (0, 4, 10, 20, 100):
    weights = weights_at(six, start)
    largest, most = weights.max(axis=1), ", ".join(f"t{key}" for key in weights.argmax(axis=1))
    slope = (largest * (1 - largest)).mean()
    print(f"start {start:3d}: largest {largest.mean():.3f}, read most {most}, slope {slope:.5f}")

# %%
claim("naive-max-probability-start")

# %% [markdown]
# From start 4 on every token reads the last one, whatever the topics. One position later means i/√5 more for the query at position i, so the last key wins, and by more the later the text. This is called **saturation**. The weights are settled before the words are compared, and little can be learned through them. At start 20 the slope is less than a thousandth of its value at start 0, and a gradient that passes through the softmax is multiplied by it.
#
# The playground changes one thing at a time, the start at one width on the left and the width at one start in the middle.

# %%
playground(lesson_04.starts)

# %% [markdown]
# A wide row adds a second effect. Its content is so large that at first the tokens read *themselves*.

# %%
wide = lesson_04.content(65)
for start in (0, 20, 40, 200):
    weights = weights_at(wide, start)
    own = (weights.argmax(axis=1) == np.arange(6)).sum()
    print(f"width 65, start {start:3d}: largest weight {weights.max(axis=1).mean():.3f}, "
          f"{own} of 6 read themselves")

# %% [markdown]
# The largest weight falls while content and positions pull in different directions, and rises once the positions have won. It does not rise at every step, which matters when you search for the start of saturation.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** A large weight is taken for a strong opinion of the content. Say: *move the words to another place in the text; if the weights change, they were about the place.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a row is 1, −1, 1, −1 and 1000. What is it after normalising, roughly? (Four entries near −0.5, one near 2.)

# %% [markdown] section="normalise" minutes=5
# ## Normalise the row
#
# Real models normalise each row. They subtract its mean and divide by its standard deviation. Take 64 features, append a position and do the same.

# %%
features = np.random.default_rng(0).standard_normal(64)
for position in (7, 100, 100_000):
    row = np.append(features, position)
    normal = (row - row.mean()) / row.std()
    print(f"position {position:7,}: the features' standard deviation is {normal[:64].std():.5f}, "
          f"the position's entry {normal[64]:.4f}")

# %%
lesson_04.normalised(features, [7, 100, 100_000])

# %%
claim("naive-layer-norm")

# %% [markdown]
# All entries of a row share one divisor, and the position sets it. With 100 appended, the features keep less than a tenth of their standard deviation, and with 100,000 almost nothing. The position is lost as well. Its entry approaches √64 = 8, so 100 and 100,000 look alike.
#
# While the number is small, the same column is too quiet. The next cell measures which part of the squared distance between two tokens is due to their positions.

# %%
one, other = np.random.default_rng(1).standard_normal((2, 64))
apart = ((one - other) ** 2).sum()
for away in (1, 100):
    part = away**2 / (apart + away**2)
    print(f"{away:3d} positions apart: {100 * part:.1f} % of the squared distance")

# %% [markdown]
# So one number fails twice. Small, it drowns among many features; large, it wrecks the row for all of them. There is a stretch in between where it does neither, and no long text stays in it.

# %%
ask("4.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Normalising puts every column on the same scale." That is done over many examples; a layer normalisation works within one row. Say: *one loud entry sets the volume for its whole row.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: you may choose any four numbers a, b, c, d in (a + b·i)(c + d·j). Can reader 7 be made to prefer key 4 to all others? Let two people try at the board. (No: for i = 7 it is a straight line in j.)

# %% [markdown] section="learned" minutes=4
# ## What learned weights can make of it
#
# So far the rows were multiplied as they are. A trained head has a matrix for the query and one for the key, and one might expect these to repair the number. Look at what they can do with p alone. Every entry of the query at position i is a + b · i, every entry of the key at position j is c + d · j, and the logit is a sum of products of such entries. **For a fixed reader i that is a straight line in j**, and a straight line is largest at one of its ends. Here are 10,000 heads of key width 8 with random weights, each with twelve readers.

# %%
rng = np.random.default_rng(0)
a, b, c, d = rng.normal(size=(4, 10_000, 1, 8))
p = np.arange(12)[:, None]
logits = (a + b * p) @ (c + d * p).transpose(0, 2, 1)
print("keys read most, over all heads and readers:", np.unique(logits.argmax(axis=2)))
print("straight lines in j:", np.abs(np.diff(logits, 2, axis=2)).max() < 1e-9)

# %% [markdown]
# Only the first and the last key occur. Such a head can say “as early as possible” or “as late as possible”. No training makes it say “three back”, because that logit must have its top at j = i − 3 and fall off on both sides. Content adds its own terms and does not bend the line. A feed-forward layer below could bend the number first, and would then be learning a positional encoding from it. A cosine of the difference has the right shape as it is. The first three readers, who have nothing three back, read key 0. In the claim below you can append p² as well, which bends the line and grows faster still.

# %%
i, j = np.arange(12)[:, None], np.arange(12)
print("read most by each reader:", np.cos(0.2 * (i - 3 - j)).argmax(axis=1))

# %%
claim("learned-weights-ends")

# %%
ask("4.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The network will learn what it needs." Say: *it learns which line to draw; no choice of numbers bends a line.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what is the last token's value in a text of 10, and in one of 1000? (0.9 and 0.999.) What does the column measure, then? (How much of the text has gone by.)

# %% [markdown] section="by-length" minutes=5
# ## Dividing by the length
#
# If size is the trouble, one can [divide by the length](https://datascience.stackexchange.com/questions/123062/why-cant-we-use-normalise-position-encodings-instead-of-the-cos-and-sine-encodin), so that every text runs from 0 to almost 1. Follow position 3 through three texts.

# %%
lesson_04.fractions([10, 100, 1000])

# %%
for length in (10, 100, 1000):
    column = np.arange(length) / length
    step = column[4] - column[3]
    print(f"length {length:5,}: position 3 is {column[3]:g}, one step is {step:.3f}")

# %% [markdown]
# The entries are bounded now. But one step means something different in every text: what was “the next word” among ten tokens is “a hundred words further” among a thousand. A model that has learned to look 0.1 ahead would have to learn it anew for each length. It would also need the length before the first row can be written, and a model that writes text learns its length last.
#
# The usual reply is that padding makes all lengths equal, to 100, say. Then the step is the same everywhere. The 100 was chosen by us, and nothing in the text tells it to the model. Pad to 1000, and each step is a tenth of what it was.

# %%
ask("4.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They see the bounded range and stop. Say: *a fraction of the text is not a place in it.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what happens if a weight matrix is applied to a one-hot row? (It picks out one row of the matrix: a learned table, as in lesson 11.)

# %% [markdown] section="one-hot" minutes=3
# ## One column for each position
#
# Or give every position a column of its own, with a 1 for the position and 0 elsewhere.

# %%
hot = np.eye(5)
print("the row of position 3:", hot[3])
print("distances from it:", np.linalg.norm(hot - hot[3], axis=1))
print("entries of a text of 5, 100 and 1000 tokens:", 5 * 5, 100 * 100, 1000 * 1000)

# %% [markdown]
# No number grows and no step changes. Two things are lost. The width *is* the length, so a model for 1000 positions has no place for a text of 1001. And no row resembles its neighbour: position 3 is as far from 4 as from 900, so what is learned about one position says nothing about the next. A random vector of fixed width for each position mends the first fault and keeps the second.

# %%
random = np.random.default_rng(0).standard_normal((1000, 64)) / 8
for away in (1, 10, 100, 900):
    distances = np.linalg.norm(random[away:] - random[:-away], axis=1)
    print(f"random rows {away:3d} positions apart: distance {distances.mean():.3f} on average")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Sparse is taken for cheap. Say: *a thousand positions cost a thousand columns in every row.*

# %% [markdown] tags=["instructor"]
# **In front of people**: before each scheme is chosen, let the room vote on the six lines. “Even or odd” is worth the time: that it is bounded and keeps its step is seldom seen. End with the random vector, which meets all but one.

# %% [markdown] section="requirements" minutes=6
# ## A list of requirements
#
# Each failure says what is missing. Together they make a list that the coming lessons work through.
#
# | no. | a position vector should be | what broke it here | taken up in |
# |---|---|---|---|
# | 1 | **bounded**: no entry grows with the text | the number itself | lesson 6 |
# | 2 | **distinct**: no two positions share a row | even or odd, in the playground below | lesson 5 |
# | 3 | of **the same step in every text**: the step from p to p + 1 is as long in a long text as in a short one | dividing by the length | lessons 6 and 8 |
# | 4 | of a **width independent of length** | one-hot | lesson 6 |
# | 5 | **structured at many scales**: neighbours differ visibly, and positions further apart differ more | one-hot and random rows; dividing by 100 | lesson 7 |
# | 6 | **as wide as the content**: neither drowned by the features nor drowning them | any single number | lesson 6 |
#
# The first four are measured on two tables of one scheme, for a short text and a long one, and challenge 4.3 asks for that. For the fifth, the playground compares rows 1, 4 and 16 positions apart. For the sixth, it counts columns beside 64 features.

# %%
playground(lesson_04.requirements)

# %% [markdown]
# No scheme has six marks. “Divided by 100” is the padded proposal. It has four as long as no text is longer, and its line is almost flat. One column cannot do better. If it moves fast enough to tell neighbours apart, it leaves its bounds or repeats itself, and if it moves slowly enough to do neither, neighbours look alike.

# %%
for length in (10, 100, 1000):
    print(f"length {length:5,}: one bounded column from 0 to 1 has steps of {1 / (length - 1):.4f}")

# %%
ask("4.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for the scheme that is best in one line. Say: *a scheme has to meet the whole list, and whoever drops a line should say which.*

# %% [markdown]
# ## Seen in the wild
#
# - **[The length as a constant](https://datascience.stackexchange.com/questions/123062/why-cant-we-use-normalise-position-encodings-instead-of-the-cos-and-sine-encodin).** The question proposes p/L and argues that padding makes L constant. For L = 10, 100 and 1000 positions 3 and 4 are 0.1, 0.01 and 0.001 apart; in the table of width 8 that lesson 6 builds they are 0.9641 apart in every text.
# - **[One coordinate on trial](https://stats.stackexchange.com/questions/618530/why-the-positional-embeddings-for-different-positions-are-not-confined).** Somebody looks at a single column of a sinusoidal table, finds its values random, and proposes the maximum length as a divisor. Position 3 is then 0.3 or 0.003. A position vector has to be judged as a whole: lesson 5 begins with one column and ends with the pair.
# - **[Times between 0 and 1](https://github.com/jasonkyuyim/se3_diffusion/issues/8).** Somebody asks why the code multiplies a time by a number of positions before encoding it. The frequencies are made for whole positions. At width 256 the times 0.5 and 0.6 are 0.2731 apart as they are, and 14.3776 apart when multiplied by 10,000.

# %%
def waves(positions, width):
    angles = np.array(positions)[:, None] * 10000.0 ** (-np.arange(0, width, 2) / width)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


for positions, width in (((3, 4), 8), ((0.5, 0.6), 256), ((5000, 6000), 256)):
    first, second = waves(positions, width)
    print(positions, "at width", width, "are", np.linalg.norm(second - first).round(4), "apart")

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Hints appear one at a time: take the `#` away and run the cell.
#
# Positions count from 0, and arguments must not be changed.

# %% [markdown] tags=["challenge-text"] challenge="4.1"
# Positions need not be counted in steps of 1. Write `balancing_unit(x, start)` for an array x of shape (n, d), with n at least 2.
#
# 1. The positions start, start + 1, … start + n − 1, each times a unit u > 0, are appended to x as a last column.
# 2. The logits are the products of all pairs of rows, a row with itself included, over the root of the width. Each is the sum of a part due to the content and a part due to the positions.
# 3. It returns the u at which both parts have the same spread, largest minus smallest, as one number.

# %% tags=["challenge"] challenge="4.1"
def balancing_unit(x, start):
    """The unit in which positions, appended to x, spread the logits as much as the content."""
    ### STUB: the two spreads for a unit of 1, and what a unit does to one of them
    ### BEGIN SOLUTION
    positions = np.arange(start, start + len(x))
    ratio = np.ptp(x @ x.T) / np.ptp(np.outer(positions, positions))
    return np.sqrt(ratio)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="4.2"
# Write `first_saturated_start(x, threshold, limit=1000)` for an array x of shape (n, d).
#
# 1. For a start, A is x with the positions start, start + 1, … appended as a last column, and the attention weights are the row softmax of A Aᵀ/√(d + 1).
# 2. A start is saturated if the mean over the rows of each row's largest weight is at least `threshold`.
# 3. It returns the smallest saturated start. The starts that are tried are 0, 1, … limit − 1.
# 4. It returns `None` if none of them is saturated.
# 5. Late in a text the logits are large; the weights stay finite, as in 2.1.

# %% tags=["challenge"] challenge="4.2"
def first_saturated_start(x, threshold, limit=1000):
    """The first start at which the mean of the largest weights reaches the threshold, or None."""
    ### STUB: the largest weight does not grow at every step, so try one start after the other
    ### BEGIN SOLUTION
    n, d = x.shape
    for start in range(limit):
        rows = np.column_stack([x, np.arange(start, start + n)])
        scores = rows @ rows.T / np.sqrt(d + 1)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1, keepdims=True)
        if weights.max(axis=1).mean() >= threshold:
            return start
    return None
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="4.3"
# Write `requirements_met(short, long)` for two tables of one scheme. Row p is position p, the long table has more rows, and the widths may differ.
#
# It returns a dict with four entries, each `True` or `False`:
#
# 1. `bounded`: max |long| ≤ max(1, max |short|), over all entries.
# 2. `distinct`: for any p ≠ q, rows p and q of `long` are at least 1e-9 apart, by Euclidean distance.
# 3. `same_step`: the same step in every text. For every p where both tables have rows p and p + 1, the distance between these rows is the same in both, within 1e-9.
# 4. `fixed_width`: both tables have the same width.

# %% tags=["challenge"] challenge="4.3"
def requirements_met(short, long):
    """bounded, distinct, same_step and fixed_width of a scheme, each True or False."""
    ### STUB: one comparison for each of the four; the distances of all pairs of rows help with one
    ### BEGIN SOLUTION
    limit = max(1.0, np.abs(short).max())
    pairs = np.triu_indices(len(long), 1)
    apart = np.linalg.norm(long[pairs[0]] - long[pairs[1]], axis=1)
    steps = np.linalg.norm(np.diff(short, axis=0), axis=1)
    long_steps = np.linalg.norm(np.diff(long, axis=0), axis=1)[: len(steps)]
    return {
        "bounded": np.abs(long).max() <= limit,
        "distinct": apart.min() >= 1e-9,
        "same_step": (np.abs(steps - long_steps) <= 1e-9).all(),
        "fixed_width": short.shape[1] == long.shape[1],
    }
    ### END SOLUTION


# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - An appended position adds i · j/√width to a logit. That is not a distance, and it grows with the text.
# - With the six tokens at positions 0 to 5 the positions already outweigh the content; from 100 on the last key takes everything. A wider row only moves the crossing.
# - One number drowns among many features while it is small, and wrecks the row's normalisation when it is large.
# - For a fixed reader any weights make a straight line of it: first or last, never three back.
# - p/L is bounded, and its step changes with the text. One-hot keeps its step, and its width is the length. Random rows have a fixed width, and no two of them are near.
# - Six requirements: bounded, distinct, the same step in every text, width independent of length, structured at many scales, as wide as the content.
#
# A bounded number that keeps moving by the same step has to turn back somewhere. [Lesson 5](05_clocks_and_circles.ipynb) lets it go round a circle.

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, sections 3.2.1 and 3.5: why scores are scaled, what a large one does to the softmax's gradient, and that positions are vectors of the tokens' width. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. L. Ba and others, *Layer Normalization*, 2016: the mean and the standard deviation of one row. [arXiv:1607.06450](https://arxiv.org/abs/1607.06450)
# - [Why not append the index as one more number?](https://community.deeplearning.ai/t/positional-encoding-in-transformer-networks-w4-why-adding-as-opposed-to-concatenating/231347) and [Why not p/L?](https://datascience.stackexchange.com/questions/123062/why-cant-we-use-normalise-position-encodings-instead-of-the-cos-and-sine-encodin): two questions that this lesson answers.
# - The six tokens were made for this course, so that the figures in this lesson come out with them.
# - To read alongside: section 3.5 of Vaswani and others, with the list of requirements in hand. Which of them does its formula speak of?
