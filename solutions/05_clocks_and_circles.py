# %% [markdown]
# # 5 · One hand is not enough
#
# **What is gained.** Positions as points that go round circles at several speeds: bounded numbers that move by the same angle at every step, and enough circles to tell positions apart.
#
# **Afterwards you can** say why a sine needs its cosine; compute where a pair of any frequency points; find the position that a set of pairs mistakes for another; and say from how many pairs on there is no such position.
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
# Lesson 4 wrote the position into one column, and its size wrecked everything. Yet people have counted with bounded digits for a long time. In binary, every column holds a 0 or a 1, however far you count.

# %%
positions = np.arange(8)
bits = positions[:, None] // 2 ** np.arange(3) % 2
for p in positions:
    print(f"position {p}: bits {bits[p]}")

# %%
lesson_05.counter()

# %% [markdown]
# Column 0 changes at every position, column 1 at every second, column 2 at every fourth. Fast columns tell neighbours apart, slow columns tell one part of the text from another. Each column alone says little, and together they name the position.

# %%
changes = np.abs(np.diff(bits, axis=0))
print("changes in columns 0, 1, 2:", changes.sum(axis=0))
step = np.linalg.norm(bits[1:] - bits[:-1], axis=1)
print("distance from each position to the next:", step.round(3))
leap = np.linalg.norm(bits[4] - bits[0])
print("distance of 3 and 4:", step[3].round(3), "and of 0 and 4:", leap.round(3))

# %% [markdown]
# The distances show the weakness. From 3 to 4 three columns jump at once, from 4 to 5 only one. By this measure 4 is nearer to 0 than to its neighbour 3, and near positions are not alike, against the fifth requirement. A network that reads such rows would have to learn, position by position, which jumps belong together.

# %%
ask("5.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Column 0 is read as the largest digit, as in writing. Say: *column 0 is the fastest, here and in the table of lesson 6.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: is there a whole number of positions in a turn of the wave with frequency 1? (No; keep it for the last section.)

# %% [markdown] section="smooth" minutes=4
# ## From jumps to waves
#
# A network works with real numbers, and real numbers need not jump. Replace each column by a wave that goes up and down at the same pace.

# %%
lesson_05.smooth_counter()

# %% [markdown]
# The picture shifts each wave so that it lies over its bit. Where the bit jumps, the wave slides, so a small step in position is a small step in the column. The dots are what a table holds, the waves at whole positions. For bit 0 they all lie at 0.5: a wave of two positions a turn is read at its zeros and tells nothing. The speed of a wave is its **frequency** ω in radians per position, and its **wavelength** 2π/ω is the number of positions that a turn takes. A table therefore keeps its frequencies below π and its wavelengths above 2.

# %%
for frequency in (np.pi, 1.0, 0.01):
    turn = 2 * np.pi / frequency
    print(f"frequency {frequency:.4f} radians a position: a turn takes {turn:.2f} positions")

# %% [markdown]
# A frequency of 1 is one radian a position, and a turn takes a little more than six of them. The waves of the picture move smoothly, but they do not yet tell positions apart as the bits did.

# %%
speeds = np.pi / np.array([1, 2, 4, 8])
waves = 0.5 - 0.5 * np.sin(np.arange(16)[:, None] * speeds)
print("different rows among 16:", len(np.unique(waves.round(9), axis=0)))
print("largest difference of rows 0 and 8:", np.abs(waves[8] - waves[0]).max().round(9))

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Radians a position are read as turns a position. Say: *one radian is about a sixth of the way round.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the cosines are printed: what second number would tell the two apart? Someone will say "whether it is rising"; that is what the cosine is.

# %% [markdown] section="one-sine" minutes=5
# ## One sine is ambiguous
#
# To see what went wrong, keep one column, the sine of the position. At position 3 it reads 0.1411. The next cell lists all positions that read nearly the same.

# %%
p = np.arange(50)
value = np.sin(3)
print("sine at position 3:", value.round(4))
print("positions within 0.1 of it:", p[np.abs(np.sin(p) - value) < 0.1])

# %%
lesson_05.one_sine()

# %% [markdown]
# There are two kinds of look-alikes. Position 47 is nearly a whole number of turns later, and a second, slower wave will tell it from 3. Position 19 lies on the other flank of the wave, because a sine passes each height twice a turn, once rising and once falling. Here is that case half-way up.

# %% tags=["guess-first"]
rising, falling = 0.5, np.pi - 0.5
print("sines  ", np.sin(rising).round(4), np.sin(falling).round(4))
print("cosines", np.cos(rising).round(4), np.cos(falling).round(4))

# %% [markdown]
# The sines are equal and the cosines opposite, so the cosine knows the flank.

# %%
ask("5.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They invert the sine and get one angle of two. Say: *an arcsine answers half of the question.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: two sines of different speed instead of a sine and a cosine; would that do? (They help with whole turns, and each still hides its flank.)

# %% [markdown] section="both-hands" minutes=6
# ## Sine and cosine: a point on a circle
#
# Take both. The two numbers (sin pω, cos pω) are a **sinusoid pair**, or *pair* for short, and a point on a circle of radius 1. As p grows it goes round like the hand of a clock, from the top and clockwise if the sine is drawn to the right. The title's hand is such a pair.

# %%
lesson_05.circle()

# %% [markdown]
# Two facts about this circle are used in the lessons that follow. The sum of the squares is 1 wherever the pair points, so it never grows, however far the text goes. And the distance between two positions depends only on the angle between them. For the angles α and β its square is (sin α − sin β)² + (cos α − cos β)² = 2 − 2 cos(α − β), which is (2 sin((α − β)/2))². The distance is the **chord**, the straight line across the circle. For positions k apart it is 2 |sin(kω/2)|.

# %%
for a, b in ((0, 2), (5, 7), (100, 102)):
    one, other = np.array([np.sin([a, b]), np.cos([a, b])]).T
    distance, chord = np.linalg.norm(one - other), 2 * abs(np.sin((b - a) / 2))
    print(f"positions {a} and {b}: distance {distance:.4f}, chord {chord:.4f}, "
          f"sums of squares {one @ one:.1f} and {other @ other:.1f}")

# %% [markdown]
# So neighbours are equally far apart all along the text, which they were not in the binary counter. The pair also holds the whole angle, and `arctan2` reads it back, because it looks at both signs. And with their cosines the four waves of the counter do tell all 16 positions apart.

# %%
pair = np.stack([np.sin(p), np.cos(p)], axis=1)
step = np.linalg.norm(pair[1:] - pair[:-1], axis=1)
print("smallest and largest step:", step.min().round(4), step.max().round(4))
print("angles read back:", np.arctan2(pair[:4, 0], pair[:4, 1]).round(4))
angles = np.arange(16)[:, None] * speeds
both = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
print("different rows among 16:", len(np.unique(both.round(9), axis=0)))

# %% [markdown]
# A tempting shortcut is sin(1 + 2) = sin 1 + sin 2. It gives 1.75, a height that the circle does not even have. To move a pair on by an angle you need its sine *and* its cosine, which is one more reason to store both.

# %%
print("sin(1 + 2)                    ", np.sin(3).round(4))
print("sin 1 + sin 2                 ", (np.sin(1) + np.sin(2)).round(4))
print("sin 1 · cos 2 + cos 1 · sin 2 ", (np.sin(1) * np.cos(2) + np.cos(1) * np.sin(2)).round(4))

# %%
ask("5.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** sin(a + b) = sin a + sin b. Let somebody compute sin 90° + sin 90°. Say: *sines do not add; hands turn.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which pair tells 6 from 0, and which tells 6 from 5?

# %% [markdown] section="two-speeds" minutes=5
# ## Two speeds
#
# One pair repeats after its turn. Width 4 in the encoding of the 2017 Transformer has two pairs, a fast one with frequency 1 and a slow one with frequency 1/100. Read both at position 6.

# %%
fast = np.array([np.sin(6 * 1.0), np.cos(6 * 1.0)])
slow = np.array([np.sin(6 * 0.01), np.cos(6 * 0.01)])
print("fast pair at 6:", fast)
print("slow pair at 6:", slow)
print("a turn of the slow pair takes", round(2 * np.pi / 0.01, 4), "positions")

# %%
claim("fast-pair-at-six")

# %% [markdown]
# The fast pair is nearly back at the top, (0, 1), and mistakes 6 for 0. The slow one has moved a little, and needs more than six hundred positions for a turn. Take the distance to position 0 by the fast pair alone and by both.

# %%
p = np.array([1, 2, 3, 4, 5, 6, 7, 44])
fast_only = 2 * np.abs(np.sin(p * 1.0 / 2))
both = np.sqrt(fast_only**2 + (2 * np.sin(p * 0.01 / 2)) ** 2)
print("positions ", p)
print("fast pair ", fast_only.round(3))
print("both pairs", both.round(3))

# %% [markdown]
# At 6 the slow pair adds little, and what it adds grows with the position. At 44 the fast pair is back to within two hundredths, while the slow one has turned by 0.44 radians and keeps 44 apart from 0.

# %%
ask("5.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for one pair that does it all. Say: *minutes and hours; nobody reads the time from one hand.*

# %% [markdown] tags=["instructor"]
# **In front of people**: one pair, position 0, then the arrow key to 6 and to 44. At 44 it is back almost exactly. Ask what to do; add a pair. Then base 2 with four pairs: ask what is missing now (a slow pair).

# %% [markdown] section="playground" minutes=5
# ## Turn the hands
#
# Move the position one step at a time and watch the fast hand pass the top. Then add pairs. Then lower the base: the second of two pairs turns by 1/√base radians a position, so with base 2 it is hardly slower than the first.

# %%
playground(lesson_05.hands)

# %%
for base in (10000.0, 2.0):
    angle = base**-0.5
    print(f"base {base:g}: the second pair at position 1, angle {angle:.4f}, is "
          f"({np.sin(angle):.4f}, {np.cos(angle):.4f})")

# %%
claim("second-pair-turn-4")

# %% [markdown]
# The orange dots are the last positions. Where they lie apart, a pair tells neighbours from each other, and where they pile up, it only tells early from late. A good set of pairs has both kinds.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "More pairs, always better." Say: *pairs of the same speed say the same; what counts is how far their speeds differ.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how large must a text be before *some* position of it looks like position 0 to within a hundredth, with one pair? (The curve says: a few hundred.)

# %% [markdown] section="lookalikes" minutes=6
# ## Distinct, and the limit of it
#
# To judge a set of pairs, look for the position that it is most likely to mistake for position 0, the nearest **look-alike**. The pairs below turn at speeds between 1 and 1/10000, each slower than the one before by the same factor. Lesson 6 says why.

# %%
def nearest(pairs, length):
    p = np.arange(1, length)
    speeds = 10000.0 ** (-np.arange(pairs) / pairs)
    distance = np.sqrt(sum((2 * np.sin(p * speed / 2)) ** 2 for speed in speeds))
    return p[distance.argmin()], distance.min()


for length in (10, 50, 400, 1000):
    position, distance = nearest(1, length)
    print(f"1 pair, {length} positions: nearest is {position}, at distance {distance:.4f}")
print("710 radians in turns:", round(710 / (2 * np.pi), 5))

# %% [markdown]
# With one pair a longer text brings an ever nearer look-alike. 710 radians are almost exactly 113 turns. More pairs push the look-alikes away.

# %%
for pairs in (2, 3, 4, 5, 6, 7, 8, 9, 16, 64, 256):
    position, distance = nearest(pairs, 100_000)
    print(f"{pairs:3d} pairs, 100,000 positions: nearest is {position:6,}, at {distance:.4f}")

# %%
lesson_05.lookalikes()

# %% [markdown]
# **From eight pairs on, the nearest row is the next one.** Among 100,000 positions no look-alike is left, and the row most like row 0 is its own neighbour. Width 512, with 256 pairs, moves even that neighbour several units away.
#
# This is a measurement, and it cannot become a promise for all lengths. No two whole positions are ever exactly equal in the first pair, because 2π is irrational, so no whole number of positions makes a whole number of turns. But for any finite number of pairs some position, if the text is long enough, is as near to 0 as you like. On the list of lesson 4, *distinct* is met in this sense.

# %%
claim("lookalike-1000")

# %% [markdown]
# One could avoid look-alikes by never letting a pair finish its turn. Then all positions would share one circle, and neighbours in a long text would be a sliver apart, as they were when dividing by the length.

# %%
ask("5.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Sinusoids make every position unique." Say: *never equal, and nearer than you would like if you wait long enough; with eight pairs you wait longer than any text lasts.*

# %% [markdown]
# ## Seen in the wild
#
# - **[A cycle at every token](https://genai4a11.github.io/concepts/pos-encoding.html).** A page on concepts says that the first dimension completes a cycle at every token. Its frequency is 1 radian a position, so a cycle takes 6.28 positions. The same page lists sinusoids for BERT, which learns its table.
# - **[The sine of a sum](https://learntinker.com/lessons/what-rotation-actually-is).** A lesson on rotation warns of the guess that most people make first, sin(a + b) = sin a + sin b. For 1 and 2 it gives 1.7508 where 0.1411 is right, and a sine is never above 1.

# %%
print("a cycle of the first pair:", round(2 * np.pi / 1.0, 4), "positions")
print("sin 3 and the guess:", np.sin(3).round(4), (np.sin(1) + np.sin(2)).round(4))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Hints appear one at a time: take the `#` away and run the cell.

# %% [markdown] tags=["challenge-text"] challenge="5.1"
# From 3 to 4 a binary counter changes three columns at once. Write `gray_code(length, bits)`, a counter in which exactly one column changes from each position to the next.
#
# 1. It returns an array (length, bits) of zeros and ones; row p is position p.
# 2. Column b is 1 where the bits b and b + 1 of the position differ, and 0 where they are equal. Bit 0 is the least significant one.
# 3. The counter knows `bits` bits: the bit above the last one counts as 0, and positions that need more bits start again from 0.

# %% tags=["challenge"] challenge="5.1"
def gray_code(length, bits):
    """A counter in which one column changes from row to row: (length, bits)."""
    ### STUB: the bits of every position, with one column more, and where neighbours differ
    ### BEGIN SOLUTION
    positions = np.arange(length)[:, None] % 2**bits
    table = positions // 2 ** np.arange(bits + 1) % 2
    return (table[:, :-1] != table[:, 1:]).astype(int)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="5.2"
# Write `pairs_needed(frequencies, length)`; `frequencies` is a list, in radians per position.
#
# 1. With the first n frequencies of the list, the row of position p holds sin(pω) and cos(pω) for each of them.
# 2. A position from 2 to length − 1 is a look-alike if its row is nearer to row 0 than row 1 is, by Euclidean distance over all sines and cosines.
# 3. It returns the smallest n, counted from 1, for which no position is a look-alike.
# 4. It returns `None` if all the frequencies together still leave one.

# %% tags=["challenge"] challenge="5.2"
def pairs_needed(frequencies, length):
    """The smallest number of pairs with which row 1 is the nearest to row 0, or None."""
    ### STUB: for each n the distances of all rows to row 0, then a comparison with that of row 1
    ### BEGIN SOLUTION
    for n in range(1, len(frequencies) + 1):
        angles = np.arange(length)[:, None] * np.array(frequencies[:n])
        rows = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
        distances = np.linalg.norm(rows - rows[0], axis=1)
        if distances[2:].min() > distances[1]:
            return n
    return None
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="5.3"
# Write `positions_between(first, second, frequency)` for two arrays (n, 2) with rows (sine, cosine) and one frequency, in radians per position.
#
# 1. Row by row, it returns how many positions the pair moves on from the point in `first` to the point in `second`: n numbers, fractions allowed.
# 2. The pair moves from the top, (0, 1), towards growing sines, as p grows.
# 3. Whole turns do not matter: a number and that number plus a wavelength are the same answer.
# 4. Points may be at any distance above 0 from the centre, and only their direction counts.

# %% tags=["challenge"] challenge="5.3"
def positions_between(first, second, frequency):
    """How many positions after `first` the pair is at `second`, row by row: (n,)."""
    ### STUB: two angles, their difference, and how many positions that is
    ### BEGIN SOLUTION
    start = np.arctan2(first[:, 0], first[:, 1])
    end = np.arctan2(second[:, 0], second[:, 1])
    return (end - start) % (2 * np.pi) / frequency
    ### END SOLUTION


# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A binary counter is bounded, and its columns change at different speeds. Waves do the same without jumps, as long as they turn by less than π a position.
# - A sine hides its flank. With its cosine it is a sinusoid pair, a point on a circle, and every step turns it by the same angle.
# - The distance between positions k apart is the chord 2 |sin(kω/2)|, wherever in the text they are.
# - One pair repeats after its turn. Pairs of different speed cover for each other: from eight pairs on, the nearest row among 100,000 is the next one.
# - No finite number of pairs keeps look-alikes away for ever.
#
# It remains to fix how many pairs there are and how fast each one turns. The 2017 Transformer's answer is one formula: [lesson 6](06_sinusoidal_encoding.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5, for the pairs of sine and cosine. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - That some multiple of finitely many angles is as near to whole turns as you like is Dirichlet's theorem on simultaneous approximation; G. H. Hardy and E. M. Wright, *An Introduction to the Theory of Numbers*, treat it.
# - [Why are the angles not confined to one turn?](https://stats.stackexchange.com/questions/618530/why-the-positional-embeddings-for-different-positions-are-not-confined) and [Why both sine and cosine?](https://datascience.stackexchange.com/questions/68553/why-does-the-transformer-positional-encoding-use-both-sine-and-cosine/68579): two questions that this lesson answers.
# - To read alongside: F. Gray, *Pulse code communication*, U.S. patent 2,632,058, 1953: the counter of challenge 5.1, which mends the jumps in another way.
