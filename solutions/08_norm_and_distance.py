# %% [markdown]
# # 8 · Absolute in, relative out
#
# **What is gained.** Each row encodes one position, and yet the dot product of two rows depends only on how far they are apart. **What breaks** is the belief that it falls with the distance.
#
# **Afterwards you can** say how long a row is and why; derive the dot product of two rows as a sum of cosines; compute it for any width, base and distance; prove that it cannot fall for ever; and turn the sentence “similarity decays” into one that is true.
#
# **You need** the list of requirements of [lesson 4](04_naive_positions.ipynb), the circles of [lesson 5](05_clocks_and_circles.ipynb), the table of [lesson 6](06_sinusoidal_encoding.ipynb) and the wavelengths of [lesson 7](07_frequency_ladder.ipynb).

# %%
import numpy as np

from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.encodings import sinusoidal
from posenc.figures import lesson_08

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Three things must be in the room. What is the dot product of (3, 4) with itself, and what has it to do with the length? (25, the square of the length 5.) What is sin² + cos² of one angle? (1.) Which pair turns fastest, and after how many positions has it completed a turn? (Pair 0, after 2π, about 6.28.) Then take a show of hands and write the count on the board: *who thinks that rows get less similar the farther apart they are?*
#
# **When late**, skip *Doubt it: an odd width*. Do not skip *It does not decay*: the show of hands is for that section.

# %% [markdown] tags=["instructor"]
# **Ask the room** before the first cell runs: at position 0 all sines are 0. Is row 0 shorter than the others?

# %% [markdown] section="one-length" minutes=5
# ## Every row has the same length
#
# The entries of a row change from position to position. To see whether its length changes too, square the entries, add them up and take the root.

# %% tags=["guess-first"]
table = sinusoidal(512, 8)
for p in (0, 1, 100, 511):
    length = np.sqrt((table[p] ** 2).sum())
    print(f"row {p:3}: {table[p]}  length {length:.4f}")

# %% [markdown]
# All four lengths are 2. A pair holds the sine and the cosine of one angle, and sin² + cos² = 1 for every angle. Each of the width/2 pairs adds 1 to the sum of squares, so the length is √(width/2) at every position.
#
# Lesson 6 found that every entry stays between −1 and 1. Now the row as a whole has one length, too. The appended integer of lesson 4 grew with the position and drowned the words at late positions. Here a late position adds no more to a word than an early one, and the width alone sets the amount.

# %%
for width in (2, 8, 64, 512):
    norms = np.linalg.norm(sinusoidal(2000, width), axis=1)
    root = np.sqrt(width / 2)
    smallest, largest = norms.min(), norms.max()
    print(f"width {width:3}: {smallest:.9f} to {largest:.9f}, √(width/2) = {root:.9f}")

# %% [markdown]
# Nine decimals show no difference. Whether 16, the norm at width 512, is much or little depends on the word vector that it is added to; [lesson 10](10_cost_of_adding.ipynb) compares the two.

# %%
ask("8.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take a row with many zeros for an empty one, or give √width for the length. Say: *a point on the circle is as far from the centre at the top as anywhere else; count pairs, not columns.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: at which position is the row of width 5 shortest? (At 0, where the lone sine is 0.)

# %% [markdown] section="lone-sine" minutes=3
# ## Doubt it: an odd width
#
# The argument needs whole pairs. Width 5 has two of them and a lone sine in its last column.

# %%
norms = np.linalg.norm(sinusoidal(512, 5), axis=1)
print(f"row 0: {norms[0]:.4f}, row 511: {norms[511]:.4f}, two pairs alone: {np.sqrt(2):.4f}")

# %% [markdown]
# The pairs give 2 to the sum of squares, and the lone sine adds its own square, which is 0 at position 0 and about a tenth at position 511. Try both kinds of width.

# %%
claim("norm-64")

# %% [markdown]
# From here on widths are even.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They carry √(width/2) over to odd widths. Say: *the formula is true because each sine has its cosine; look whether it has.*

# %% [markdown] tags=["instructor"]
# **Ask the room** with the corner of five rows in sight: what is the entry of row 100 and column 103? Wait until someone reads it from the first line.

# %% [markdown] section="diagonals" minutes=5
# ## The product of two rows
#
# Attention compares vectors by their dot product, so take the dot product of every row with every row. In matrix form that is P Pᵀ.

# %%
P = sinusoidal(64, 64)
products = P @ P.T
print(np.round(products[:5, :5], 2))

# %% [markdown]
# The first row of this corner appears again in the second, one place to the right, and in the third, two places on. The heat map shows the same pattern for all 64 rows.

# %%
lesson_08.products(64, 64)

# %%
claim("diagonal-spread-64")

# %% [markdown]
# Along a diagonal both positions change, their distance does not, and neither does the product. The rows are absolute, one for each position; their products are relative.
#
# Equal lengths alone do not give this. Take random rows, all of length √32.

# %%
rng = np.random.default_rng(0)
other = rng.normal(size=(64, 64))
other *= np.sqrt(32) / np.linalg.norm(other, axis=1, keepdims=True)
print("neighbouring rows:", np.round(np.diagonal(other @ other.T, 1)[:5], 2))

# %% [markdown]
# Five pairs of neighbours have five different products. A learned table starts like this one, and if the pattern is of use, training has to find it.
#
# All this is said of the table as it is. In a model, content is added to each row and learned matrices are placed between the two rows of a product; what is left of the pattern then is a question for lesson 10.

# %%
ask("8.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They hear "relative" and conclude that the absolute position is gone. Say: *the rows still differ; it is their product that no longer says where it was taken.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what remains of the formula if p and q both grow by 1000? Let somebody cancel it on the board.

# %% [markdown] section="difference" minutes=6
# ## Why: the cosine of a difference
#
# Take one pair of columns with frequency ω, at positions p and q, and write a = pω and b = qω. It contributes to the dot product
#
# $$
# \sin a \sin b + \cos a \cos b = \cos(a - b) = \cos\big((p - q)\,\omega\big)
# $$
#
# For example, pair 0 of rows 2 and 5 has the angles 2 and 5.

# %%
by_entries = np.sin(2) * np.sin(5) + np.cos(2) * np.cos(5)
print(f"sin 2 sin 5 + cos 2 cos 5 = {by_entries:.4f}, cos 3 = {np.cos(3):.4f}")

# %% [markdown]
# Add up the pairs, and the product of two rows is the sum of cos(distance · ω) over all frequencies. The positions themselves do not occur in it. This sum as a function of the distance is called the **profile** here. The next cell computes it both ways, with row 20 as the first of the two rows.

# %%
frequency = 10000.0 ** (-np.arange(0, 64, 2) / 64)
for k in range(7):
    cosines, product = np.cos(k * frequency).sum(), P[20] @ P[20 + k]
    print(f"distance {k}: sum of cosines {cosines:.2f}, row 20 times row {20 + k}: {product:.2f}")

# %% [markdown]
# At distance 0 every cosine is 1, so the profile starts at width/2, and at every other distance it is lower. This is also one answer to the question [why both functions are needed](https://community.deeplearning.ai/t/positional-encoding-intuition/567531): sines alone would give sin a sin b = (cos(a − b) − cos(a + b))/2, and with a + b the absolute position is back.
#
# A cosine does not change when its angle changes sign. The product says how far away the other position is, but not on which side.

# %%
print(f"three before: {P[10] @ P[7]:.4f}, three after: {P[10] @ P[13]:.4f}")

# %%
ask("8.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They expect the product to know the order of words. Say: *the distance, without a direction; for a direction a matrix must be placed between the two rows.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how long was one step when we divided positions by the length of the text? (A tenth in a text of ten, a thousandth in a text of a thousand.)

# %% [markdown] section="same-step" minutes=3
# ## The same step everywhere
#
# One requirement of lesson 4 is still open. A step from one position to the next should be equally large at the start and at the end of a text, in a short text and in a long one. The square of the distance between two rows is ‖a‖² + ‖b‖² − 2 a·b. The two lengths are fixed and the product depends on the distance of the positions alone, so all steps must be equal.

# %%
long = sinusoidal(5000, 64)
steps = np.linalg.norm(long[1:] - long[:-1], axis=1)
for p in (0, 100, 4998):
    print(f"from {p} to {p + 1}: {steps[p]:.4f}")
print(f"all {len(steps)} steps: from {steps.min():.9f} to {steps.max():.9f}")

# %% [markdown]
# Dividing the position by the length of the text failed here, since one step was a tenth in one text and a thousandth in another. No length of a text occurs in the sinusoidal table.

# %%
for length in (10, 1000):
    rows = sinusoidal(length, 64)
    step = np.linalg.norm(rows[1] - rows[0])
    print(f"length {length:4}: p/length moves by {1 / length}, the row by {step:.4f}")

# %% [markdown]
# With this the list of lesson 4 is complete.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They mix up the step of one column with the step of the row: each column moves by a different amount at each position. Say: *the entries move unevenly; the length of the whole step is what stays.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the first cell runs, and go back to the show of hands: how many of the 511 steps go up? Take three numbers, then run it.

# %% [markdown] section="no-decay" minutes=7
# ## It does not decay
#
# From “the product depends on the distance” it is a short step to “the product falls with the distance”, and many texts take it. The first six values above seem to agree. Here are 512 distances:

# %% tags=["guess-first"]
k = np.arange(512)
profile = np.cos(k[:, None] * frequency).sum(axis=1)
up = np.diff(profile) > 0
print(f"{up.sum()} of {len(up)} steps go up, the first from distance {up.argmax()}")
print(f"lowest: {profile.min():.2f} at distance {profile.argmin()}")
print(f"at distance 511: {profile[511]:.2f}")

# %% tags=["guess-first"]
lesson_08.profile(64, 512)

# %% [markdown]
# Nearly every second step goes up, and the least similar position is not the farthest. The product at distance 511 is more than twice that at 406. Nor do near distances rank above all farther ones.

# %%
for near in (10, 100, 200, 400):
    farther = profile[near + 1 :] > profile[near]
    print(f"{farther.sum()} farther distances are more similar than {near}")

# %%
claim("profile-mean-cosine-64")

# %% [markdown]
# To find where the rises come from, split the pairs into the fast half and the slow half.

# %%
for name, half in (("fast", frequency[:16]), ("slow", frequency[16:])):
    part = np.cos(k[:, None] * half).sum(axis=1)
    rises = (np.diff(part) > 0).sum()
    print(f"{name} half: from {part[0]:.0f} down to {part.min():.2f}, {rises} steps up")

# %% [markdown]
# The slow half makes less than one turn in 512 positions and does little but fall. The fast half turns many times, and each of its oscillations shows in the sum as a rise and a fall.

# %%
ask("8.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They know one picture of a curve, at a large width and with few distances, and remember "it decays". Say: *near means similar; far does not mean dissimilar, and farther does not mean less similar.*

# %% [markdown] tags=["instructor"]
# **In front of people**: start at width 64 and ask someone to find a distance with no more similar one behind it; near the start there are some. Then width 1024 with 512 distances, which looks like decay, and ask before you move the slider: *what will 2048 distances show?*

# %% [markdown] section="playground" minutes=4
# ## Try any width and base
#
# Is this an accident of width 64? Move the width and the base. Then move your distance. The line of text counts how many farther positions are more similar than the one you chose.

# %%
playground(lesson_08.similarity)

# %% [markdown]
# A small base keeps all pairs fast and makes the oscillations large. A large width makes them small and late. Neither setting removes them, and one argument shows that none can. The rows are points on a sphere of fixed size, so among enough of them two are nearly equal. Their product is then nearly width/2. The product depends on the distance alone, so at that distance the profile is nearly as high as at 0, above its value at distance 1. It must have risen in between. At width 8 lesson 7 found such a distance.

# %%
eight = 10000.0 ** (-np.arange(0, 8, 2) / 8)
for distance in (0, 1, 69115):
    print(f"width 8, distance {distance:6,d}: {np.cos(distance * eight).sum():.4f}")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They stop at the setting that confirms what they thought. Say: *a curve on a screen ends where the axis ends.*

# %% [markdown] tags=["instructor"]
# **Ask the room** to mend this sentence from a blog: "the encodings of two words become less alike the farther apart they stand". Collect versions until one survives the figure.

# %% [markdown] section="what-remains" minutes=6
# ## What may be said
#
# The first rise moves with the width. Compare three widths, each divided by its number of pairs so that all start at 1.

# %%
for width in (64, 512, 4096):
    speeds = 10000.0 ** (-np.arange(0, width, 2) / width)
    up = np.diff(np.cos(k[:, None] * speeds).sum(axis=1)) > 0
    print(f"width {width}: first step up from distance {up.argmax()}, {up.sum()} in all")

# %%
lesson_08.first_rises((64, 512, 4096), 512)

# %% [markdown]
# With more pairs between the same two ends of the ladder, the oscillations of neighbouring pairs cancel for longer, and the first rise moves out.
#
# There is a trend as well, and it has an end. Average the profile of width 64 over 400 distances at a time.

# %%
for start in (1, 1000, 2000, 5000, 16000, 24000, 42000):
    window = np.arange(start, start + 400)
    mean = np.cos(window[:, None] * frequency).sum(axis=1).mean()
    print(f"distances {start:6,d} to {start + 399:6,d}: mean {mean:5.1f}")
print(f"half a turn of the slowest pair: {np.pi / frequency[-1]:,.0f} positions")

# %% [markdown]
# The trend falls while the slow pairs move away from their start. By the time the slowest of all has made half a turn, the mean is rising again.
#
# “Nearby positions have similar encodings, distant ones differ in the slow pairs” is a sentence that can be checked pair by pair, by the distance between the two points on each circle (at most 2).

# %%
for distance in (1, 20, 400):
    chord = 2 * np.abs(np.sin(distance * frequency / 2))
    print(f"distance {distance:3}: pairs 0, 8, 16, 24, 31 differ by", chord[[0, 8, 16, 24, 31]])

# %% [markdown]
# Neighbours differ in the fast pairs only. At 400 pair 16 differs, too, and the slowest pair still hardly does.
#
# So this may be said. Neighbours have similar rows. Farther out, at the usual base and over distances in which the slow pairs make less than half a turn, the product falls *as a trend*, with rises in between. When the first rise comes depends on width and base. Even the paper that introduced rotary encodings says of a bound on such a product that it decays with the distance. The bound has rises of its own.

# %%
claim("roformer-bound")

# %% [markdown]
# A score that falls with every step has to be built in by hand. [Lesson 12](12_extrapolation_and_beyond.ipynb) shows one.

# %%
ask("8.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They replace "decays" by "does not decay at all" and lose the trend. Say: *two true halves: similar when near, no promise when far.*

# %% [markdown]
# ## Seen in the wild
#
# - **[The empty position](https://github.com/tensorflow/tensor2tensor/issues/1755).** A reader reported that position 0, half zeros and half ones, carries no information. At width 8 its row has length 2, as every other row, and its product with row 3 is the 1.9649 that any two rows three apart have.
# - **[A cosine with a frequency of its own](https://github.com/maxjcohen/transformer/issues/62).** A helper for the “original” table gave the cosines the exponents 1/width, 3/width, … beside the sines' 0, 2/width, …, and the base 1000. Sine and cosine of a pair then belong to different angles, and the product depends on more than the distance: at width 16 it varies by more than 3 for one and the same distance 3, where the paper's table has one value. The author repaired it.
# - **[The farthest tokens](https://community.deeplearning.ai/t/positional-encoding-intuition/567531).** An answer in a course forum looks at P Pᵀ for 1,000 positions and says that a token would attend least to those farthest from it. At width 512 position 0 is least similar to 968, and 999 is more similar again.

# %%
small = sinusoidal(53, 8)
print(f"row 0: length {np.linalg.norm(small[0]):.4f}, times row 3 {small[0] @ small[3]:.4f}")
angles = np.arange(53)[:, None] * 1000.0 ** (-np.arange(16) / 16)
own = np.where(np.arange(16) % 2, np.cos(angles), np.sin(angles))
products = (own[:50] * own[3:]).sum(axis=1)
print(f"own frequencies: products at distance 3 from {products.min():.2f} to {products.max():.2f}")
wide = sinusoidal(1000, 512)
print("least similar to position 0 of 1000:", (wide @ wide[0]).argmin())
print(f"mean cosine there {wide[968] @ wide[0] / 256:.4f}, at 999 {wide[999] @ wide[0] / 256:.4f}")

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Hints appear one at a time: take the `#` away and run the cell.
#
# In all of them positions count from 0, `base` may be left out and is then 10000.0, and arguments must not be changed. The table of lesson 6 is repeated here for use, odd widths included:

# %% tags=["given"]
def sinusoidal(length, width, base=10000.0):
    """The table of lesson 6: (length, width), row p is position p."""
    angles = np.arange(length)[:, None] * base ** (-np.arange(0, width, 2) / width)
    table = np.empty((length, width))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : width // 2])
    return table


# %% [markdown] tags=["challenge-text"] challenge="8.1"
# Write `norm_range(width, length, base=10000.0)`.
#
# 1. It returns two numbers: the smallest and the largest Euclidean norm of rows 0 … length − 1 of the sinusoidal table.
# 2. It also holds for odd widths, whose rows are not equally long.
# 3. The tolerance is ten times smaller here than elsewhere, because a norm hides most of a table; single precision still passes.

# %% tags=["challenge"] challenge="8.1"
def norm_range(width, length, base=10000.0):
    """The smallest and the largest norm of rows 0 … length − 1."""
    ### STUB: one norm for each row; which two of them are wanted?
    ### BEGIN SOLUTION
    norms = np.linalg.norm(sinusoidal(length, width, base), axis=1)
    return norms.min(), norms.max()
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="8.2"
# Write `distance_profile(width, distances, base=10000.0)` for an even width.
#
# 1. `distances` is an array of whole numbers from 0 on, in any order, with repeats.
# 2. It returns an array of the same length: entry n is the dot product of two rows that are `distances[n]` apart.

# %% tags=["challenge"] challenge="8.2"
def distance_profile(width, distances, base=10000.0):
    """The dot product of two rows at each of the distances: (n,)."""
    ### STUB: one cosine for each distance and pair; along which axis are they added?
    ### BEGIN SOLUTION
    frequency = base ** (-np.arange(0, width, 2) / width)
    return np.cos(distances[:, None] * frequency).sum(axis=1)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="8.3"
# Write `rises_and_lowest(distances, profile)`. Entry n of `profile` belongs to `distances[n]`; the distances are all different and listed in any order.
#
# 1. A step leads from one of the distances to the next larger one among them.
# 2. The function returns three values: how many steps go up, the distance of the lowest value, and that value.
# 3. A step that stays level does not go up. A profile of one distance has no step.
# 4. Of equally low values the smallest distance counts.

# %% tags=["challenge"] challenge="8.3"
def rises_and_lowest(distances, profile):
    """(steps that go up, distance of the lowest value, the lowest value)."""
    ### STUB: which entry of the profile comes first by distance, and which comes after it?
    ### BEGIN SOLUTION
    order = np.argsort(distances)
    values = profile[order]
    lowest = np.argmin(values)
    return (np.diff(values) > 0).sum(), distances[order][lowest], values[lowest]
    ### END SOLUTION


# %%
progress()

# %% [markdown]
# ## Recap
#
# - Every row of an even width has the length √(width/2); the lone sine of an odd width changes that a little.
# - Row p times row q is the sum of cos((p − q)·ω) over the pairs. It depends on the distance, but not on the side.
# - From any position to the next the row moves by the same length, in every text.
# - The product does not fall with every step. Near is similar; far is lower as a trend, with rises from distance 5 on at width 64 and from 43 on at width 512, and the trend ends once the slow pairs have made about half a turn.
# - A smooth curve on a screen may be a short one.
#
# The product of two rows does not say whether a position lies before or after. The rows themselves do. [Lesson 9](09_shift_rotations.ipynb) finds one matrix that turns the row of *any* position into the row three places on.

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5: the table; it claims no decay. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - H. Yan and others, *TENER: Adapting Transformer Encoder for Named Entity Recognition*, 2019: the product of two sinusoidal rows depends on the distance and has no direction. [arXiv:1911.04474](https://arxiv.org/abs/1911.04474)
# - J. Su and others, *RoFormer: Enhanced Transformer with Rotary Position Embedding*, 2021, section 3.4.3: the bound that shrinks as a trend and rises in between. [arXiv:2104.09864](https://arxiv.org/abs/2104.09864)
# - To read alongside: [a reader asks why a similarity map of sinusoids shows no period](https://github.com/IDEA-Research/DAB-DETR/issues/41), with this lesson's sum of cosines in hand.
