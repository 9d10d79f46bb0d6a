# %% [markdown]
# # 4 · Writing the number in
#
# **What breaks.** The seat's number is written into the row as one more feature. Early in a text it says too little beside many features; late in a text it says everything, and the words no longer count.
#
# **Afterwards you can** compute what an appended position does to the scores; find the seat from which one key takes everything; say what dividing by the length and one-hot rows give up; and hold a scheme against five requirements.
#
# **You need** [lesson 2](02_attention_forgets_order.ipynb) for scores and shares, and [lesson 3](03_order_is_not_permission.ipynb) for why a mask does not settle the matter.

# %%
import numpy as np

from posenc.attention import SIX_TOKENS, softmax
from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.figures import lesson_04

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. A row of scores is 3, 4, 5; what happens to the shares if it becomes 103, 104, 105? (Nothing.) And if it becomes 30, 40, 50? (The last takes nearly all.) What does a layer normalisation divide a row by? (Its own standard deviation.)
#
# **When late**, skip *One column for each seat* and name it in one sentence: as many columns as words, and all rows equally far apart. Keep *A list of requirements*: lessons 5 to 8 tick it off.

# %% [markdown] tags=["instructor"]
# **Ask the room** before 4.q1: for the query at seat 2, which key gains most? (Seat 5, the last.) And which should, if near words matter most?

# %% [markdown] section="append" minutes=4
# ## One more column
#
# Lesson 3 left us with a question that a mask does not answer: where does a token stand? The most direct answer is to write the seat's number into its row. Take the six tokens of lesson 2, which were solved for from printed figures, and append the positions as a fifth column:

# %%
six = SIX_TOKENS
positions = np.arange(6)
rows = np.column_stack([six, positions])
print(rows)

# %% [markdown]
# Nothing of the content was touched, and whoever knows the column can read the seat. So [why not append the index as one more number?](https://community.deeplearning.ai/t/positional-encoding-in-transformer-networks-w4-why-adding-as-opposed-to-concatenating/231347) Because attention does not look a number up. It multiplies rows:

# %%
i, j = 2, 5
print("product of the whole rows:", (rows[i] @ rows[j]).round(3))
print("content alone:            ", (six[i] @ six[j]).round(3))
print("the difference:           ", (rows[i] @ rows[j] - six[i] @ six[j]).round(3), "=", i * j)

# %% [markdown]
# The column adds i · j to the product of seats i and j. That is not their distance, and it does not say which of them comes first. It is large where both seats are late, and it is 0 for everything that seat 0 asks. As the score divides by the root of the width, and the width is 5 now, the score gains i · j/√5.

# %%
ask("4.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They expect a difference of positions to appear by itself. Say: *a product of rows multiplies what stands in one column; nobody subtracts.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: the difference of neighbouring seats is 1 at the start and 1 at seat 1000. Why does the spread grow? (The products 1000 · 1000 and 1001 · 1001 differ by 2,001.)

# %% [markdown] section="spread" minutes=5
# ## How far the scores lie apart
#
# A softmax does not notice a number that is added to all scores of a row; what counts is how far they lie apart. Call the largest minus the smallest of a grid its **spread**, and compare the two parts of the score:

# %%
content = six @ six.T / np.sqrt(5)
added = np.outer(positions, positions) / np.sqrt(5)
print("spread of the content:  ", np.ptp(content).round(2))
print("spread of the positions:", np.ptp(added).round(2))

# %%
claim("naive-content-spread")

# %%
claim("naive-spread-start")

# %% [markdown]
# At the very start of a text the positions already differ by more than the words. Now the same six words stand further on. Their content is what it was; what about the other part?

# %%
for start in (0, 10, 100, 1000):
    seats = np.arange(start, start + 6)
    spread = np.ptp(np.outer(seats, seats)) / np.sqrt(5)
    times = spread / np.ptp(content)
    print(f"start {start:5,}: positions {spread:8,.2f}, {times:8,.1f} times content")

# %%
lesson_04.spreads()

# %% [markdown]
# One line is level and the other climbs, so the ratio only widens. A wider row does not help: both parts are divided by the same root, which leaves their ratio alone. Nor does counting in smaller units; it moves the start of the trouble to a later seat, as the second claim shows.

# %%
claim("naive-spread-late")

# %%
claim("ratio-widens")

# %%
ask("4.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They think that the root of the width repairs it. Say: *the root divides both parts; a ratio does not feel it.*

# %% [markdown] tags=["instructor"]
# **In front of people**: start at width 5 and press the arrow key on the first position from 0 to 11; let the room call out when the last column has swallowed the grid. Then set the width to 65 and the start to 0, and ask who is read now, before they look.

# %% [markdown] section="saturation" minutes=6
# ## One key takes everything
#
# Scores that lie far apart make shares near 0 and 1. Measure it by the largest share of each row, averaged over the six tokens that read:

# %%
def shares_at(x, start):
    rows = np.column_stack([x, np.arange(start, start + len(x))])
    return softmax(rows @ rows.T / np.sqrt(rows.shape[1]))


for start in (0, 5, 10, 20, 100):
    shares = shares_at(six, start)
    most = ", ".join(f"t{key}" for key in shares.argmax(axis=1))
    print(f"start {start:3d}: largest share {shares.max(axis=1).mean():.3f}; most read: {most}")

# %%
claim("naive-max-probability-start")

# %%
claim("naive-max-probability-late")

# %% [markdown]
# From start 5 on every token reads the last one, whatever the topics. One seat later means i/√5 more for the query at seat i, so the last key wins, and by more the later the text. This is called **saturation**: the shares are settled before the words are compared, and a softmax that says 1 and 0 hardly changes when the weights below it do, so little can be learned through it.
#
# Here are the two tables that one would like to see at once: by start at one width, and by width at one start.

# %%
playground(lesson_04.starts)

# %% [markdown]
# The width tells a second story. A wide row has much content, and then the tokens read *themselves* at first:

# %%
wide = np.random.default_rng(0).standard_normal((6, 64))
for start in (0, 20, 40, 200):
    shares = shares_at(wide, start)
    print(f"width 65, start {start:3d}: largest share {shares.max(axis=1).mean():.3f}, "
          f"{(shares.argmax(axis=1) == np.arange(6)).sum()} of 6 read themselves")

# %% [markdown]
# The largest share falls while the two parts pull at each other and rises when the positions have won. It does not grow at every step, which matters to whoever searches for the start of saturation.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** A large share is taken for a strong opinion of the content. Say: *move the words to another place in the text; if the opinion changes, it was about the place.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a row is 1, −1, 1, −1 and 1000. What is it after normalising, roughly? (Four entries near −0.5, one near 2.)

# %% [markdown] section="normalise" minutes=5
# ## Normalise it, then
#
# Real models normalise each row: they subtract its mean and divide by its standard deviation. Does that tame the number? Take 64 features and append a position:

# %%
features = np.random.default_rng(0).standard_normal(64)
for position in (7, 100, 100_000):
    row = np.append(features, position)
    normal = (row - row.mean()) / row.std()
    print(f"position {position:7,}: the features spread by {normal[:64].std():.5f}, "
          f"the position's entry is {normal[64]:.4f}")

# %%
lesson_04.normalised(features, [7, 100, 100_000])

# %% [markdown]
# All entries of a row share one divisor, and the position sets it. At 100 the features are pressed into less than a tenth of their room, at 100,000 nothing is left of them. And the position itself is lost as well: its entry runs into √64 = 8, so that 100 and 100,000 look alike.

# %%
claim("naive-layer-norm")

# %% [markdown]
# Before that, the same column was too quiet. How much of the squared distance between two tokens is due to their seats?

# %%
one, other = np.random.default_rng(1).standard_normal((2, 64))
apart = ((one - other) ** 2).sum()
for seats in (1, 100):
    part = seats**2 / (apart + seats**2)
    print(f"{seats:3d} seats apart: {100 * part:.1f} % of the squared distance")

# %% [markdown]
# So one scalar fails twice. Small, it drowns among many features; large, it wrecks the row for all of them. There is a stretch in between where it does neither, and no text stays in it.

# %%
ask("4.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Normalising puts every column on the same scale." That is done over many examples; a layer normalisation works within one row. Say: *one loud entry sets the volume for its whole row.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what is the last token's value in a text of 10, and in one of 1000? (0.9 and 0.999.) What does the column measure, then? (How much of the text has gone by.)

# %% [markdown] section="by-length" minutes=5
# ## Dividing by the length
#
# If size is the trouble, [why not divide by the length](https://datascience.stackexchange.com/questions/123062/why-cant-we-use-normalise-position-encodings-instead-of-the-cos-and-sine-encodin), so that every text runs from 0 to almost 1? Where does position 3 go?

# %%
lesson_04.fractions([10, 100, 1000])

# %%
for length in (10, 100, 1000):
    column = np.arange(length) / length
    step = column[4] - column[3]
    print(f"length {length:5,}: position 3 is {column[3]:g}, one step is {step:.3f}")

# %%
claim("length-step")

# %% [markdown]
# Bounded it is. But one step means something else in every text: what was “the next word” among ten tokens is “a hundred words further” among a thousand. A model that has learned to look 0.1 ahead would have to learn it anew for each length, and it has to know the length before the first row can be written, while a model that writes text learns it last.
#
# The usual reply is that padding makes all lengths equal, to 100, say. Then the step is the same everywhere, and it is a choice of ours that does not stand in the sentence: pad to 1000, and each step is a tenth of what it was.

# %%
ask("4.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They see the bounded range and stop. Say: *a fraction of the text is not a place in it.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what happens if a weight matrix is applied to a one-hot row? (It picks out one row of the matrix: a learned table, as in lesson 11.)

# %% [markdown] section="one-hot" minutes=3
# ## One column for each seat
#
# Or give every seat a column of its own, a 1 where the token stands and 0 elsewhere:

# %%
hot = np.eye(5)
print("the row of seat 3:", hot[3])
print("distances from it:", np.linalg.norm(hot - hot[3], axis=1))
print("entries of a text of 5, 100 and 1000 tokens:", 5 * 5, 100 * 100, 1000 * 1000)

# %%
claim("one-hot-distances")

# %% [markdown]
# No number grows, no step changes. The price is paid twice. The width *is* the length, so a model for 1000 seats has no place for a text of 1001. And no row resembles its neighbour: seat 3 is as far from seat 4 as from seat 900, so what is learned about one seat says nothing about the next.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Sparse is taken for cheap. Say: *a thousand seats cost a thousand columns in every row.*

# %% [markdown] tags=["instructor"]
# **In front of people**: before each scheme is chosen, let the room vote on the five lines. “Even or odd” is worth the time: that it is bounded and keeps its step is seldom seen.

# %% [markdown] section="requirements" minutes=6
# ## A list of requirements
#
# Each failure says what is missing. Together they are a list that the coming lessons work through:
#
# | no. | a position vector should be | what broke it here | taken up in |
# |---|---|---|---|
# | 1 | **bounded**: no entry grows with the text | the number itself | lesson 6 |
# | 2 | **distinct**: no two positions share a row | even or odd, in the playground below | lesson 5 |
# | 3 | of **the same step everywhere**: the next seat is equally far in every text and all along it | dividing by the length | lesson 8 |
# | 4 | of a **width independent of length** | one-hot | lesson 6 |
# | 5 | with **structure at many scales**: neighbours differ visibly, and so do the parts of a long text | all of them | lesson 7 |
#
# The first four can be measured on two tables of one scheme, for a short text and for a long one. For the fifth, count at how many paces the columns move:

# %%
playground(lesson_04.requirements)

# %% [markdown]
# No scheme has five marks. “Divided by 100” is the padded proposal: it has four as long as no text is longer than that, and its line is almost flat. One column cannot do both: if it moves fast enough to tell neighbours apart, it leaves its bounds or comes round, and if it moves slowly enough to do neither, neighbours look alike. For a fixed number of columns with one pace that is the end; with several paces it is not.

# %%
for length in (10, 100, 1000):
    print(f"length {length:5,}: one bounded column from 0 to 1 has steps of {1 / (length - 1):.4f}")

# %%
ask("4.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for the scheme that is best in one line. Say: *a list is met as a whole; whoever drops a line should say which.*

# %% [markdown]
# ## Seen in the wild
#
# - **[The length as a constant](https://datascience.stackexchange.com/questions/123062/why-cant-we-use-normalise-position-encodings-instead-of-the-cos-and-sine-encodin).** The question proposes p/L and argues that padding makes L constant. For L = 10, 100 and 1000 positions 3 and 4 are 0.1, 0.01 and 0.001 apart; in the table of width 8 that lesson 6 builds they are 0.9641 apart in every text.
# - **[One coordinate on trial](https://stats.stackexchange.com/questions/618530/why-the-positional-embeddings-for-different-positions-are-not-confined).** Somebody looks at a single column of a sinusoidal table, finds its values random, and proposes the maximum length as a divisor. Position 3 is then 0.3 or 0.003. A vector is to be judged whole: lesson 5 begins with the column alone and ends with the pair.
# - **[Times between 0 and 1](https://github.com/jasonkyuyim/se3_diffusion/issues/8).** Why does the code multiply a time by a number of positions before it is encoded? Because the ladder is made for whole seats. At width 256 the times 0.5 and 0.6 are 0.2731 apart as they are, and 14.3776 apart when multiplied by 10,000.

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
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Whole numbers and True or False are compared exactly; other numbers may differ by 2e-5 plus a hundred-thousandth of the value. Hints come one at a time: take the `#` away and run the cell.
#
# Positions count from 0, and arguments must not be changed.

# %% [markdown] tags=["challenge-text"] challenge="4.1"
# ### 4.1 · How far products of positions lie apart
#
# *3 points · 8 minutes · difficulty 1 of 3*
#
# Write `position_spread(start, length, width)`.
#
# 1. The positions are start, start + 1, … start + length − 1.
# 2. It returns one number: the largest minus the smallest of i · j/√width over all pairs i, j of them, a position with itself included.
# 3. `width` counts the appended column.

# %% tags=["challenge"] challenge="4.1"
def position_spread(start, length, width):
    """Largest minus smallest i·j/√width over all pairs of the positions."""
    ### STUB: all products at once, then how far they lie apart
    ### BEGIN SOLUTION
    positions = np.arange(start, start + length)
    products = np.outer(positions, positions) / np.sqrt(width)
    return products.max() - products.min()
    ### END SOLUTION


# %% tags=["check"] challenge="4.1"
check("4.1", position_spread)
# hint("4.1", 1)
# solution("4.1")

# %% [markdown] tags=["challenge-text"] challenge="4.2"
# ### 4.2 · Where one key takes everything
#
# *4 points · 15 minutes · difficulty 3 of 3*
#
# Write `first_saturated_start(x, threshold, limit=1000)` for an array x of shape (n, d).
#
# 1. For a start, A is x with the positions start, start + 1, … appended as a last column, and the shares are the row softmax of A Aᵀ/√(d + 1).
# 2. A start is saturated if the mean over the rows of each row's largest share is at least `threshold`.
# 3. It returns the smallest saturated start. The starts that are tried are 0, 1, … limit − 1.
# 4. It returns `None` if none of them is saturated.
# 5. Late in a text scores are large; the shares stay finite, as in 2.1.

# %% tags=["challenge"] challenge="4.2"
def first_saturated_start(x, threshold, limit=1000):
    """The smallest start at which the mean of the largest shares reaches the threshold, or None."""
    ### STUB: the largest share does not grow at every step, so try one start after the other
    ### BEGIN SOLUTION
    n, d = x.shape
    for start in range(limit):
        rows = np.column_stack([x, np.arange(start, start + n)])
        scores = rows @ rows.T / np.sqrt(d + 1)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
        if shares.max(axis=1).mean() >= threshold:
            return start
    return None
    ### END SOLUTION


# %% tags=["check"] challenge="4.2"
check("4.2", first_saturated_start)
# hint("4.2", 1)
# solution("4.2")

# %% [markdown] tags=["challenge-text"] challenge="4.3"
# ### 4.3 · Four requirements, from two tables
#
# *3 points · 15 minutes · difficulty 2 of 3*
#
# Write `requirements_met(short, long)` for two tables of one scheme. Row p is position p, the long table has more rows, and the widths may differ.
#
# It returns a dict with four entries, each `True` or `False`:
#
# 1. `bounded`: no entry of `long` is larger in size, without its sign, than 1 or than the largest entry of `short`, whichever of the two is larger.
# 2. `distinct`: no two rows of `long` are closer than 1e-9, by Euclidean distance.
# 3. `same_step`: for every p that both tables share with p + 1, the distance from row p to row p + 1 is the same in both, within 1e-9.
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


# %% tags=["check"] challenge="4.3"
check("4.3", requirements_met)
# hint("4.3", 1)
# solution("4.3")

# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - An appended position adds i · j/√width to a score: no distance, and more the later the text.
# - With the six tokens at seats 0 to 5 the positions already outweigh the content; at 100 the last key takes everything.
# - One scalar drowns among many features while it is small, and wrecks the row's normalisation when it is large.
# - p/L is bounded, and its step changes with the text. One-hot keeps its step, and its width is the length.
# - Five requirements: bounded, distinct, the same step everywhere, width independent of length, structure at many scales. None is ticked yet.
#
# A number that stays bounded and still moves by the same step cannot go on in a straight line. Can it go round? That is [lesson 5](05_clocks_and_circles.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, sections 3.2.1 and 3.5: why scores are scaled, what a large one does to the softmax's gradient, and that positions are vectors of the tokens' width. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. L. Ba and others, *Layer Normalization*, 2016: the mean and the standard deviation of one row. [arXiv:1607.06450](https://arxiv.org/abs/1607.06450)
# - [Why not append the index as one more number?](https://community.deeplearning.ai/t/positional-encoding-in-transformer-networks-w4-why-adding-as-opposed-to-concatenating/231347) and [Why not p/L?](https://datascience.stackexchange.com/questions/123062/why-cant-we-use-normalise-position-encodings-instead-of-the-cos-and-sine-encodin): two questions that this lesson answers.
# - To read alongside: section 3.5 of Vaswani and others, with the list of requirements in hand: which of them does its formula speak of?
