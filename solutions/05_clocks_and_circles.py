# %% [markdown]
# # 5 · One hand is not enough
#
# **What is gained.** Positions as hands of a clock: bounded numbers that keep moving by the same angle, and enough of them to tell positions apart.
#
# **Afterwards you can** say why a sine needs its cosine; compute where a hand of any speed points; find the position that a set of hands mistakes for another; and say what no finite set of hands can promise.
#
# **You need** [lesson 4](04_naive_positions.ipynb) for what a good position vector has to do. Sine and cosine in radians.

# %%
import numpy as np

from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.figures import lesson_05

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** How many radians is a full turn? (2π.) Where does a hand point after π radians? (Straight down.) What is 6 in binary? (110.) Ask for the requirements of lesson 4 from memory; write them on the board and leave them there.
#
# **When late**, skip *From jumps to waves*: the pictures carry it. Keep *One sine is ambiguous*; without it the cosine looks like decoration.

# %% [markdown] tags=["instructor"]
# **Ask the room**: which column would you look at to know whether a position is even? Which to know whether it is in the second half?

# %% [markdown] section="counter" minutes=5
# ## Counting with bounded numbers
#
# Lesson 4 wrote the position into one column and its size wrecked everything. Yet people have counted with bounded digits for a long time. In binary, every column holds a 0 or a 1, however far you count:

# %%
positions = np.arange(8)
bits = positions[:, None] // 2 ** np.arange(3) % 2
for p in positions:
    print(f"position {p}: bits {bits[p]}")

# %%
lesson_05.counter()

# %% [markdown]
# Column 0 changes at every position, column 1 at every second, column 2 at every fourth. Fast columns tell neighbours apart, slow columns tell one part of the text from another. Each column alone says little; together they name the position.

# %%
changes = np.abs(np.diff(bits, axis=0))
print("changes in columns 0, 1, 2:", changes.sum(axis=0))
print("columns that change from 3 to 4:", changes[3].sum(), "and from 4 to 5:", changes[4].sum())

# %% [markdown]
# That last line is the weakness. From 3 to 4 three columns jump at once, from 4 to 5 one does: the step between neighbours is not the same everywhere. Measured as a distance between rows it looks like this:

# %%
step = np.linalg.norm(bits[1:] - bits[:-1], axis=1)
print("distance from each position to the next:", step.round(3))
leap = np.linalg.norm(bits[4] - bits[0])
print("distance of 3 and 4:", step[3].round(3), "and of 0 and 4:", leap.round(3))

# %% [markdown]
# By this measure 4 is nearer to 0 than to its neighbour 3. A network that reads such rows would have to learn, position by position, which jumps belong together.

# %%
ask("5.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Column 0 is read as the largest digit, as in writing. Say: *column 0 is the fastest, here and in the table of lesson 6.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: is there a whole number of positions in a turn of the wave with frequency 1? (No; keep it for the last section.)

# %% [markdown] section="smooth" minutes=4
# ## From jumps to waves
#
# A network works with real numbers, and with real numbers nothing has to jump. Replace each column by a wave that goes up and down at the same pace. Does it still tell positions apart?

# %%
lesson_05.smooth_counter()

# %% [markdown]
# The picture shifts each wave so that it lies over its bit. Where the bit jumps, the wave slides, so a small step in position is a small step in every column. The speed of a wave is its **frequency** ω in radians per position, and its **wavelength** 2π/ω is how many positions a full turn takes.

# %%
for frequency in (np.pi / 2, 1.0, 0.01):
    turn = 2 * np.pi / frequency
    print(f"frequency {frequency:.4f} radians a position: a turn takes {turn:.2f} positions")

# %% [markdown]
# A frequency of 1 is *not* one turn a position. It is one radian, and a turn takes a little more than six of them.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Radians a position are read as turns a position. Say: *one radian is about a sixth of the way round.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the cosines are printed: what second number would tell the two apart? Someone will say "whether it is rising"; that is what the cosine is.

# %% [markdown] section="one-sine" minutes=5
# ## One sine is ambiguous
#
# Keep one column, the sine of the position. At position 3 it reads 0.1411. Which other positions read nearly the same?

# %%
p = np.arange(30)
value = np.sin(3)
print("sine at position 3:", value.round(4))
print("positions within 0.1 of it:", p[np.abs(np.sin(p) - value) < 0.1])

# %%
lesson_05.one_sine()

# %% [markdown]
# There are two kinds of look-alikes. Some stand a whole turn away; a second, slower wave will help with those. Others stand on the other flank of the same wave: the sine passes each height twice, once rising and once falling. Here is such a case, half-way up:

# %%
rising, falling = 0.5, np.pi - 0.5
print("sines  ", np.sin(rising).round(4), np.sin(falling).round(4))
print("cosines", np.cos(rising).round(4), np.cos(falling).round(4))

# %% [markdown]
# Equal sines, opposite cosines: the cosine knows the flank.

# %%
ask("5.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They invert the sine and get one angle of two. Say: *an arcsine answers half of the question.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: two sines of different speed instead of a sine and a cosine; would that do? (They help with whole turns, and each still hides its flank.)

# %% [markdown] section="both-hands" minutes=6
# ## Sine and cosine: a point on a circle
#
# Take both. The pair (sin pω, cos pω) is a point on a circle of radius 1, and p moves it round like the hand of a clock, from the top and clockwise if the sine is drawn to the right.

# %%
lesson_05.circle()

# %% [markdown]
# Two facts about this circle will be used in every lesson from here on. The sum of the squares is 1 wherever the hand points, so the pair never grows, however far the text goes. And the distance between two hands depends on the angle between them alone, not on where they point: it is the straight line, the **chord**, from one point of the circle to the other.

# %%
for a, b in ((0, 2), (5, 7), (100, 102)):
    one, other = np.array([np.sin([a, b]), np.cos([a, b])]).T
    print(f"positions {a} and {b}: lengths 1 and 1: {np.allclose([one @ one, other @ other], 1)}, "
          f"distance {np.linalg.norm(one - other):.4f}")

# %% [markdown]
# The pair holds the whole angle, so it can be read back; `arctan2` looks at both signs. And every step turns the hand by the same angle, so neighbours are equally far apart everywhere:

# %%
hand = np.stack([np.sin(p), np.cos(p)], axis=1)
print("angles read back:", np.arctan2(hand[:4, 0], hand[:4, 1]).round(4))
step = np.linalg.norm(hand[1:] - hand[:-1], axis=1)
print("smallest and largest step:", step.min().round(4), step.max().round(4))

# %% [markdown]
# A tempting shortcut is to turn sums into sums, sin(1 + 2) = sin 1 + sin 2. It is wrong by more than the circle is high. To move a hand on by an angle you need its sine *and* its cosine, which is one more reason to store both:

# %%
print("sin(1 + 2)                    ", np.sin(3).round(4))
print("sin 1 + sin 2                 ", (np.sin(1) + np.sin(2)).round(4))
print("sin 1 · cos 2 + cos 1 · sin 2 ", (np.sin(1) * np.cos(2) + np.cos(1) * np.sin(2)).round(4))

# %%
ask("5.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** sin(a + b) = sin a + sin b. Let somebody compute sin 90° + sin 90°. Say: *sines do not add; hands turn.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which hand tells 6 from 0, and which tells 6 from 5?

# %% [markdown] section="two-speeds" minutes=5
# ## Two speeds
#
# One hand still comes round. Width 4 in the encoding of the 2017 Transformer has two pairs: a fast one with frequency 1 and a slow one with frequency 1/100. Where are they at position 6?

# %%
fast = np.array([np.sin(6 * 1.0), np.cos(6 * 1.0)])
slow = np.array([np.sin(6 * 0.01), np.cos(6 * 0.01)])
print("fast pair at 6:", fast)
print("slow pair at 6:", slow)

# %%
claim("fast-pair-at-six")

# %%
claim("slow-pair-at-six")

# %% [markdown]
# Take the distance from position 0 to each of the first positions, once by the fast hand alone and once by both:

# %%
p = np.arange(1, 8)
fast_only = 2 * np.abs(np.sin(p / 2))
both = np.sqrt(fast_only**2 + (2 * np.sin(p * 0.01 / 2)) ** 2)
print("positions ", p)
print("fast hand ", fast_only.round(3))
print("both hands", both.round(3))

# %% [markdown]
# The slow hand adds little here, and it is the little that grows: at position 44, where the fast hand is back to within two hundredths, the slow one has turned by 0.44 radians.
#
# The fast hand is nearly back at the top, (0, 1), and mistakes 6 for 0. The slow one has moved a little, and that little keeps them apart. The slow hand needs more than six hundred positions for a turn:

# %%
claim("second-pair-turn-4")

# %%
ask("5.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for one hand that does it all. Say: *minutes and hours; nobody reads the time from one hand.*

# %% [markdown] tags=["instructor"]
# **In front of people**: one hand, position 0, then the arrow key to 6 and to 44. At 44 it is back almost exactly. Ask what to do; add a hand. Then base 2 with four hands: ask what is missing now (a slow hand).

# %% [markdown] section="playground" minutes=5
# ## Turn the hands
#
# Move the position one step at a time and watch the fast hand pass the top. Then add hands. Then lower the base: with base 2 the second pair is hardly slower than the first.

# %%
playground(lesson_05.hands)

# %%
claim("base-two")

# %% [markdown]
# The orange dots are the last positions. Where they lie apart, a hand tells neighbours from each other; where they pile up, it only tells early from late. A good set of hands has both.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "More hands, always better." Say: *hands of the same speed say the same; it is the spread of speeds that counts.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how large must a text be before *some* two positions of it look alike to within a hundredth, with one hand? (The curve says: a few hundred.)

# %% [markdown] section="lookalikes" minutes=6
# ## Distinct, and the honest limit
#
# How good is a set of hands? Ask for the position that it is most likely to mistake for position 0: its nearest **look-alike**.

# %%
def nearest(frequencies, length):
    p = np.arange(1, length)[:, None]
    distance = np.linalg.norm(2 * np.sin(p * np.array(frequencies) / 2), axis=1)
    return p[distance.argmin(), 0], distance.min()


for length in (10, 50, 400, 1000):
    position, distance = nearest([1.0], length)
    print(f"one hand, {length} positions: nearest is {position}, at distance {distance:.4f}")
print("710 radians in turns:", (710 / (2 * np.pi)).__round__(5))
position, distance = nearest([1.0, 0.01], 1000)
print(f"two hands, 1000 positions: nearest is {position}, at distance {distance:.4f}")

# %% [markdown]
# The distance between two hands of the same speed is the chord 2 sin(pω/2), which is what the function uses. With one hand, a longer text brings an ever nearer look-alike: 710 radians are almost exactly 113 turns. How does that go on with more hands?

# %%
lesson_05.lookalikes()

# %%
claim("lookalike-1000")

# %% [markdown]
# Every added hand pushes the look-alikes away, and no finite number of hands keeps them away for ever: if a text is long enough, some position comes as near as you like. No two whole positions are ever exactly equal, since a turn takes 2π positions, which is no fraction. On the list of lesson 4, *distinct* is met in this sense: for the lengths in use and a usual width, rows are well apart; for all lengths and a fixed width, nobody can promise it.
#
# Could one avoid look-alikes by never letting a hand finish its turn? Then all positions would share one circle, and neighbours in a long text would be a sliver apart. That is dividing by the length again, bent into a circle.

# %%
ask("5.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Sinusoids make every position unique." Say: *never equal, and nearer than you would like if you wait long enough.*

# %% [markdown]
# ## Seen in the wild
#
# - **[A cycle at every token](https://genai4a11.github.io/concepts/pos-encoding.html).** A page on concepts says that the first dimension completes a cycle at every token. Its frequency is 1 radian a position, so a cycle takes 6.28 positions, not 1. The same page lists sinusoids for BERT, which learns its table.
# - **[The sine of a sum](https://learntinker.com/lessons/what-rotation-actually-is).** A lesson on rotation warns of the guess that most people make first, sin(a + b) = sin a + sin b. For 1 and 2 it gives 1.7508 where 0.1411 is right, and a sine is never above 1.

# %%
print("a cycle of the first pair:", (2 * np.pi / 1.0).__round__(4), "positions")
print("sin 3 and the guess:", np.sin(3).round(4), (np.sin(1) + np.sin(2)).round(4))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Whole numbers are compared exactly; other numbers may differ by 2e-5 plus a hundred-thousandth of the value. Hints come one at a time: take the `#` away and run the cell.

# %% [markdown] tags=["challenge-text"] challenge="5.1"
# ### 5.1 · The discrete ancestor
#
# *3 points · 8 minutes · difficulty 1 of 3*
#
# Write `binary_counter(length, bits)`.
#
# 1. It returns an array (length, bits) of zeros and ones; row p is position p in binary.
# 2. Column 0 is the least significant bit.
# 3. Positions that need more bits start again from 0, as a counter does.

# %% tags=["challenge"] challenge="5.1"
def binary_counter(length, bits):
    """Positions in binary, least significant bit first: (length, bits)."""
    ### STUB: what is left of p when 2^b goes into it, and is that odd?
    ### BEGIN SOLUTION
    positions = np.arange(length)[:, None]
    return positions // 2 ** np.arange(bits) % 2
    ### END SOLUTION


# %% tags=["check"] challenge="5.1"
check("5.1", binary_counter)
# hint("5.1", 1)
# solution("5.1")

# %% [markdown] tags=["challenge-text"] challenge="5.2"
# ### 5.2 · The nearest look-alike
#
# *4 points · 12 minutes · difficulty 3 of 3*
#
# Write `nearest_lookalike(frequencies, length)`; `frequencies` is a list, one number a hand.
#
# 1. The hands of position p are sin(pω) and cos(pω) for every frequency ω of the list.
# 2. It returns the position from 1 to length − 1 whose hands are nearest to those of position 0, by Euclidean distance over all sines and cosines.
# 3. Of equally near positions it returns the smallest.

# %% tags=["challenge"] challenge="5.2"
def nearest_lookalike(frequencies, length):
    """The position 1 … length - 1 whose hands are nearest to those of position 0."""
    ### STUB: one row of sines and cosines for each position, then the distances to row 0
    ### BEGIN SOLUTION
    angles = np.arange(length)[:, None] * np.array(frequencies)
    hands = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    distances = np.linalg.norm(hands[1:] - hands[0], axis=1)
    return 1 + int(distances.argmin())
    ### END SOLUTION


# %% tags=["check"] challenge="5.2"
check("5.2", nearest_lookalike)
# hint("5.2", 1)
# solution("5.2")

# %% [markdown] tags=["challenge-text"] challenge="5.3"
# ### 5.3 · From the hand to the angle
#
# *3 points · 8 minutes · difficulty 2 of 3*
#
# Write `phase(hands)` for an array (n, 2) with rows (sine, cosine).
#
# 1. It returns n angles in radians, counted from the top, (0, 1), towards growing sines.
# 2. Hands may have any length above 0; only their direction counts.
# 3. Whole turns do not matter: an angle and that angle plus 2π are the same.

# %% tags=["challenge"] challenge="5.3"
def phase(hands):
    """The angle of each hand (sine, cosine), in radians: (n,)."""
    ### STUB: which function looks at the signs of both coordinates?
    ### BEGIN SOLUTION
    return np.arctan2(hands[:, 0], hands[:, 1])
    ### END SOLUTION


# %% tags=["check"] challenge="5.3"
check("5.3", phase)
# hint("5.3", 1)
# solution("5.3")

# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A binary counter is bounded, and its columns change at different speeds; waves do the same without jumps.
# - A sine hides its flank. With the cosine it is a point on a circle, and every step turns it by the same angle.
# - One hand comes round. Hands of different speed cover for each other.
# - No finite number of hands keeps look-alikes away for ever; at the lengths in use, a usual width does.
#
# How many hands, and how fast should each turn? The 2017 Transformer's answer is one formula: [lesson 6](06_sinusoidal_encoding.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5, for the pairs of sine and cosine. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - [Why are the angles not confined to one turn?](https://stats.stackexchange.com/questions/618530/why-the-positional-embeddings-for-different-positions-are-not-confined) and [Why both sine and cosine?](https://datascience.stackexchange.com/questions/68553/why-does-the-transformer-positional-encoding-use-both-sine-and-cosine/68579): two questions that this lesson answers.
# - To read alongside: any text on binary reflected Gray codes, which mend the jumps of a counter in another way.
