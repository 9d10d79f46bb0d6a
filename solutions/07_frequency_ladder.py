# %% [markdown]
# # 7 · 256 wavelengths
#
# **What is gained.** A number for each hand of the clock: how many positions it needs for a turn, which of them come round in your text, and what the base has to do with it.
#
# **Afterwards you can** say what “repeats after 10,000” gets wrong; choose a base for a length; tell the paper's ladder from the other one found in libraries; and say from which position on half precision confuses neighbours.
#
# **You need** [lesson 6](06_sinusoidal_encoding.ipynb) for the table and its frequencies.

# %%
import numpy as np

from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.encodings import frequencies, sinusoidal_at
from posenc.figures import lesson_07

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** What is the frequency of pair i? (base^(−2i/width), radians per position.) How many positions does a pair need for a full turn if it moves 0.01 radians at each? (2π / 0.01, about 628.) What does a straight line on a logarithmic axis mean? (The same factor at every step.)
#
# **When late**, skip *A variable between 0 and 1* and *The other ladder*; keep *No period*, because the sentence it takes apart is the one people arrive with.

# %% [markdown] tags=["instructor"]
# **Ask the room**, with only the left picture in sight: where are most pairs? Then show the right one and ask again.

# %% [markdown] section="ladder" minutes=5
# ## A ladder with equal factors
#
# Width 512 has 256 pairs. A pair with frequency ω moves ω radians at each position and needs 2π/ω positions for a turn: its **wavelength**.

# %%
wavelength = 2 * np.pi / frequencies(512)
print("pairs:", len(wavelength))
for pair in (0, 1, 10, 100, 200, 255):
    print(f"pair {pair:3d}: wavelength {wavelength[pair]:9.2f} positions")

# %%
claim("shortest-wavelength")

# %% [markdown]
# From about six positions to more than sixty thousand: four orders of magnitude. How are the 256 wavelengths spread between the ends?

# %%
lesson_07.ladder()

# %% [markdown]
# On the left it seems that most pairs are fast and a few are very slow. On the right the same numbers are a straight line: from each pair to the next the wavelength is multiplied by the same factor, 255 times.

# %%
steps = wavelength[1:] / wavelength[:-1]
print(len(steps), "steps, smallest and largest factor", steps.min().round(5), steps.max().round(5))
print("each step in per cent:", (100 * (steps[0] - 1)).round(2))

# %%
claim("ladder-ratio-512")

# %% [markdown]
# Because the steps are equal as factors, each doubling of the wavelength gets the same number of pairs, wherever it lies:

# %%
for start in (10, 100, 1000, 10000):
    between = (wavelength >= start) & (wavelength < 2 * start)
    print(f"wavelengths from {start:6,d} to {2 * start:6,d}: {between.sum()} pairs")

# %% [markdown]
# Compare binary numbers, lesson 5's discrete ancestor: one column for each doubling. Here twenty hands share one, so that no single column has to carry a whole octave of distances.
#
# Every size of distance, from single words to the whole text, has pairs that turn at about that size. *Structure at many scales*, on the list of lesson 4, is met.

# %%
ask("7.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They read equal factors as equal steps. Say: *the ladder is even on the logarithmic axis and nowhere else.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: width 8, which exponents are there? (0, 2/8, 4/8, 6/8.) Is 1 among them?

# %% [markdown] section="one-step-short" minutes=4
# ## One step short of the end
#
# The paper says that the wavelengths run from 2π to 10000 · 2π. Its formula does not get there: the last pair of width 512 has i = 255, and 2i/width is 510/512, not 1.

# %%
last = 10000 ** (510 / 512)
print(f"the last pair divides the position by {last:.1f}")
print(f"its wavelength is {2 * np.pi * last:.1f}, the end that is named {2 * np.pi * 10000:.1f}")

# %%
claim("longest-wavelength-512")

# %%
claim("never-reached-512")

# %% [markdown]
# Does the gap matter? It depends on the width, because one step is the larger the fewer steps there are. At width 512 it is a few per cent, at width 8 it is a factor of ten, as the lines below the next paragraph show.
#
# There is a second trap in the same sentence. The number that the position is divided by, here about 9,647, is *not* the wavelength: a turn takes 2π times as many positions. Texts that give the last pair “a period of about 10,000” have dropped the 2π.

# %%
for width in (8, 64, 512):
    longest = 2 * np.pi / frequencies(width)[-1]
    print(f"width {width:3d}: longest wavelength {longest:8.1f}")

# %%
ask("7.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They quote the end of the progression as attained, and use divisor and wavelength as one thing. Say: *divide by n, and a turn takes 2π n.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a clock with two hands, one turn in 7 hours and one in 10. After how long is it back? (70 hours.) And with 7 and 2π hours? (Never.)

# %% [markdown] section="no-period" minutes=4
# ## No period
#
# “After 10,000 positions the encoding repeats.” If it did, rows 1 and 10,001 would be equal.

# %%
near, far = sinusoidal_at(np.array([1, 10001]), 512)
print("distance of rows 1 and 10,001:", np.linalg.norm(near - far).round(3))
print("norm of one row:              ", np.linalg.norm(near).round(3))

# %% [markdown]
# They are further apart than one row is long. The base is an ingredient of the slowest wavelength, not the period of anything. For the whole row to come back, every hand has to be back at the same moment; the first comes round every 2π positions, which is no whole number and never will be.

# %%
claim("no-repeat-at-10000")

# %% [markdown]
# How near does any later row come to row 1? Look through a hundred thousand of them at a small width, where there are few hands to keep apart:

# %%
rows = sinusoidal_at(np.arange(1, 100_001), 8)
distance = np.linalg.norm(rows[1:] - rows[0], axis=1)
later = distance[10:]
print("nearest row more than ten positions later:", 12 + later.argmin())
print("its distance:", later.min().round(3))

# %% [markdown]
# Near, and not equal. With more hands the nearest stranger is further away; that is what a larger width buys.
#
# Try other distances in the claim. Some rows come nearer than others, as two hands of a clock meet now and then; none comes back.

# %%
ask("7.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take the base for a length limit. Say: *nothing in the formula stops at 10,000.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the loop runs: which of the four numbers will stay the same in all three rows?

# %% [markdown] section="base" minutes=5
# ## What the base does
#
# The exponent of the first pair is 0, so its speed is 1 whatever the base. The further along the ladder, the more a pair feels it.

# %%
for base in (100.0, 10000.0, 1000000.0):
    listed = " ".join(f"{f:.6f}" for f in frequencies(8, base))
    print(f"base {base:9,.0f}: frequencies of width 8: {listed}")

# %%
lesson_07.bases()

# %% [markdown]
# A larger base stretches the ladder: the same number of hands covers longer texts, with coarser steps. Libraries call this number `base`, `theta` (rotary code), `max_wavelength` (Keras, although the longest wavelength is about 2π times it), `max_timescale` or `max_period` (diffusion code). Four names, one number.
#
# Why 10000? The paper gives no derivation. What can be said is what it does: with it the slow end lies far above the length of any sentence, so that the slow pairs change in one direction only, and that has been enough. Models for longer texts raise it; lesson 12 comes back to that.

# %%
ask("7.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "A larger base means larger positions." Say: *the base spreads the speeds; it moves no position.*

# %% [markdown] tags=["instructor"]
# **In front of people**: begin with width 128 and 1,024 positions. Lower the base to 10 and ask what was lost (no slow hand: late positions look like early ones). Raise the context length until everything comes round.

# %% [markdown] section="turning" minutes=6
# ## Which hands come round in your text
#
# A text of 1,024 tokens is short for most of the ladder. How many of the 256 pairs go round at least once?

# %%
length = 1024
comes_round = 2 * np.pi / frequencies(512) <= length
print(comes_round.sum(), "of", comes_round.size, "pairs come round; the others do not")

# %%
claim("turning-1024")

# %%
playground(lesson_07.turning)

# %% [markdown]
# Pairs above the dashed line show only a piece of their circle within the text, and the slowest hardly leave their start. They are not wasted: what moves in one direction only tells early from late without coming back. But a model trained on this length has never seen the rest of those circles, which will matter in lesson 12.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Pairs that do not turn are useless." Say: *the hour hand is the one that knows morning from evening.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the two ladders reaches the end that the paper names?

# %% [markdown] section="other-ladder" minutes=4
# ## The other ladder
#
# tensor2tensor, fairseq and much diffusion code divide the exponent by half − 1, where half is the number of pairs. Then the last exponent is 1 and the slowest frequency is exactly 1/base. It is a choice with a reason (both ends of the range are named and met), and another ladder.

# %%
lesson_07.two_ladders()

# %%
half = 128 // 2
print(f"slowest of width 128, divided by half:     {10000.0 ** (-(half - 1) / half):.6f}")
print(f"slowest of width 128, divided by half − 1: {10000.0 ** -1:.6f}")

# %% [markdown]
# What happens if a model trained with one ladder is run with the other? Every column but the first pair then turns at a speed that the weights were not trained for, and the rows drift apart with the position:

# %%
paper, other = 10000.0 ** (-np.arange(4) / 4), 10000.0 ** (-np.arange(4) / 3)
for position in (1, 10, 100):
    drift = 2 * np.abs(np.sin(position * (paper - other) / 2))
    print(f"position {position:3d}: distance of the two hands, pair by pair", drift)

# %% [markdown]
# A third rule gives every column a frequency of its own, with the column number in the exponent; the Deep Voice 3 paper writes it so. There neighbouring columns form no circle, and what the next two lessons prove does not hold for it.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Off by one, so a bug." Say: *a convention; the bug is to mix two of them.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which slider of the playground is the time's range? (The context length, at 1.)

# %% [markdown] section="unit-time" minutes=3
# ## A variable between 0 and 1
#
# The ladder is made for whole positions. Diffusion and flow models encode a time between 0 and 1 with the same formula. How many pairs notice that the time went from 0 to 1?

# %%
phase = 1.0 * frequencies(256)
print((phase > 0.1).sum(), "of", phase.size, "pairs move by more than 0.1 radians")

# %%
claim("unit-time")

# %% [markdown]
# Three quarters of the columns stand still, and two times that differ by a tenth are hard to tell apart:

# %%
half_way, later = sinusoidal_at(np.array([0.5, 0.6]), 256)
print("times 0.5 and 0.6 as they are: distance", np.linalg.norm(half_way - later).round(3))
half_way, later = sinusoidal_at(np.array([5000.0, 6000.0]), 256)
print("the same, times 10,000:        distance", np.linalg.norm(half_way - later).round(3))
print("norm of a row:                 ", np.linalg.norm(later).round(3))

# %% [markdown]
# The first distance is a small part of a row's norm, the second more than the whole. Multiply the time by the number of steps, or take a smaller base: the answer to “does the base need changing?” is that base and range have to fit each other.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They keep the default because it is the default. Say: *the ladder has to lie where your numbers are.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the last comparison: what will `arange` in half precision print? Collect guesses; few expect a constant or a double step.

# %% [markdown] section="half-precision" minutes=5
# ## What half precision keeps
#
# Half precision has eleven binary digits. Whole numbers are exact up to 2048; from there every second one is left, from 4096 every fourth.

# %%
positions = np.arange(2040, 2060)
kept = positions.astype(np.float16)
print(len(positions), "positions,", len(np.unique(kept)), "values:", np.unique(kept).astype(int))

# %%
lesson_07.stored()

# %%
claim("half-precision-2040")

# %% [markdown]
# Neighbouring tokens get the same position and nothing is raised. Counting *in* half precision is worse than rounding afterwards: `arange` takes its step from the first two values, and past 2048 that step may have been rounded to 0 or to 2.

# %%
rounded = np.arange(2049, 2055).astype(np.float16)
print("counted exactly, then rounded:", rounded.astype(int))
print("counted in half precision:    ", np.arange(2049, 2055, dtype=np.float16).astype(int))

# %% [markdown]
# Slow pairs suffer at small positions, too: a cosine near 1 has no digits left to fall.

# %%
slow = np.cos(np.arange(200) * frequencies(512)[-1])
print("different cosines of the slowest pair in 200 positions:", len(np.unique(slow)))
print("the same in half precision:", len(np.unique(slow.astype(np.float16))))

# %% [markdown]
# A small angle itself is stored well enough, since floating point keeps relative precision; it is the product with a large position, and the cosine, that lose. The rule that follows: compute positions and angles in single precision or better, and round the finished sines and cosines.

# %%
ask("7.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Rounding costs a digit." Say: *here it costs the position.*

# %% [markdown]
# ## Seen in the wild
#
# - **[Parentheses and a floor](https://github.com/zju3dv/LoFTR/issues/41).** The step of the ladder was written `-log(10000) / d // 2`; the floor makes it −1, and the frequencies of a model 256 wide begin 1, 0.1353, 0.0183 instead of 1, 0.8660, 0.7499. It had been published and trained; the authors trained again and report better scores.
# - **[All ones](https://github.com/codertimo/BERT-pytorch/issues/18).** Whole indices times a tiny step were cut to whole numbers before the exponential: every frequency 1, every pair the same.
# - **[A multiplication for a division](https://github.com/tensorflow/tensor2tensor/issues/1923).** With a shortest timescale of 2 the frequencies should begin at 0.5; they began at 2, and the slow end moved with them.
# - **[Positions in bfloat16](https://github.com/huggingface/transformers/pull/29285).** Eight binary digits hold whole numbers up to 256. Positions 256 to 260 became 256, 256, 258, 260, 260, and training curves drifted apart. Long prompts that loop ([positions rounded to multiples of 4](https://github.com/openvinotoolkit/openvino/pull/33214)) are the same fault in half precision.

# %%
k = np.arange(4)
print("as written ", np.exp(2 * k * (-np.log(10000.0) / 128 // 2)))
print("as intended", np.exp(2 * k * (-np.log(10000.0) / 128)))
print("bfloat16 keeps", (2 * np.round(np.arange(256, 261) / 2)).astype(int))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Whole numbers are compared exactly; other numbers may differ by 2e-5 plus a hundred-thousandth of the value. Hints come one at a time: take the `#` away and run the cell.
#
# Widths are even, `base` may be left out and is then 10000.0, and pairs are numbered from 0.

# %% [markdown] tags=["challenge-text"] challenge="7.1"
# ### 7.1 · Pairs that come round
#
# *3 points · 8 minutes · difficulty 1 of 3*
#
# Write `pairs_that_turn(width, length, base=10000.0)`.
#
# 1. It returns how many pairs have a wavelength of at most `length` positions.
# 2. The result is a whole number, from 0 to width/2.

# %% tags=["challenge"] challenge="7.1"
def pairs_that_turn(width, length, base=10000.0):
    """How many of the width // 2 pairs come round within length positions."""
    ### STUB: the wavelength of every pair first; a turn is 2π radians
    ### BEGIN SOLUTION
    i = np.arange(width // 2)
    wavelength = 2 * np.pi * base ** (2 * i / width)
    return int((wavelength <= length).sum())
    ### END SOLUTION


# %% tags=["check"] challenge="7.1"
check("7.1", pairs_that_turn)
# hint("7.1", 1)
# solution("7.1")

# %% [markdown] tags=["challenge-text"] challenge="7.2"
# ### 7.2 · A base for a longest wavelength
#
# *3 points · 10 minutes · difficulty 2 of 3*
#
# Write `base_for_longest(width, longest)` for an even width of at least 4 and a `longest` above 2π.
#
# 1. It returns the base with which the last pair of this width has the wavelength `longest`.
# 2. Width 512 and 62,831.853 give a base above 10000.

# %% tags=["challenge"] challenge="7.2"
def base_for_longest(width, longest):
    """The base whose last pair comes round after longest positions."""
    ### STUB: write down the last pair's wavelength, then solve for the base
    ### BEGIN SOLUTION
    exponent = (width - 2) / width
    return (longest / (2 * np.pi)) ** (1 / exponent)
    ### END SOLUTION


# %% tags=["check"] challenge="7.2"
check("7.2", base_for_longest)
# hint("7.2", 1)
# solution("7.2")

# %% [markdown] tags=["challenge-text"] challenge="7.3"
# ### 7.3 · What half precision leaves
#
# *4 points · 10 minutes · difficulty 2 of 3*
#
# Write `distinct_positions(start, length, dtype)`; `dtype` is `'float16'` or `'float32'`.
#
# 1. The positions are start, start + 1, …, start + length − 1.
# 2. It returns how many different values are left when they are stored in `dtype`.
# 3. All positions given are finite in that type.

# %% tags=["challenge"] challenge="7.3"
def distinct_positions(start, length, dtype):
    """How many different values the positions have once they are stored in dtype."""
    ### STUB: count in whole numbers, then store
    ### BEGIN SOLUTION
    positions = np.arange(start, start + length)
    return len(np.unique(positions.astype(dtype)))
    ### END SOLUTION


# %% tags=["check"] challenge="7.3"
check("7.3", distinct_positions)
# hint("7.3", 1)
# solution("7.3")

# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - Wavelengths grow by the same factor from pair to pair: from 2π to 2π · base^((width − 2)/width), one step short of the end that is usually named.
# - The base is no period and no limit. It spreads the speeds; the first pair does not feel it.
# - Within a given length some pairs come round and the slow ones do not. Both kinds are used.
# - Dividing by half − 1 is another ladder, and a variable between 0 and 1 needs another range or another base.
# - Positions belong in a type that holds them exactly.
#
# Every pair is a point on a circle, so every row has the same length, and two rows meet in a dot product that knows only their distance. Does it fall as the distance grows? [Lesson 8](08_norm_and_distance.ipynb) measures it.

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5: the sentence on wavelengths. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - The two ladders: [tensor2tensor issue 1423](https://github.com/tensorflow/tensor2tensor/issues/1423) and [diffusion issue 15](https://github.com/hojonathanho/diffusion/issues/15).
# - One frequency a column: [deepvoice3_pytorch issue 19](https://github.com/r9y9/deepvoice3_pytorch/issues/19).
# - Time in [0, 1]: [SiT issue 24](https://github.com/willisma/SiT/issues/24). Half precision: [Megatron-LM issue 535](https://github.com/NVIDIA/Megatron-LM/issues/535).
# - To read alongside: `RotaryEmbedding` of Keras Hub, with one question: what is its `max_wavelength`, a wavelength or a timescale?
