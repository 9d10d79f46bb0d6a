# %% [markdown]
# # 7 · 256 wavelengths
#
# **What is gained.** A wavelength for each sinusoid pair: how many positions it needs for a full turn, which pairs complete one within your text, and what the base changes about that.
#
# **Afterwards you can** say what is wrong with “it repeats after 10,000 positions”; choose a base for a context length and say what `rope_theta` does; tell the paper's ladder of frequencies from the other one found in libraries; and say from which position on half precision confuses neighbours.
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
# **When late**, skip *A variable between 0 and 1* and *The other ladder*; keep *No period*, because the sentence it examines is the one people arrive with.

# %% [markdown] tags=["instructor"]
# **Ask the room**, with only the left picture in sight: where are most pairs? Then show the right one and ask again.

# %% [markdown] section="ladder" minutes=6
# ## A ladder with equal factors
#
# Width 512 has 256 pairs. A pair with frequency ω moves by ω radians from one position to the next and needs 2π/ω positions for a full turn. That number is its **wavelength**.

# %%
wavelength = 2 * np.pi / frequencies(512)
print("pairs:", len(wavelength))
for pair in (0, 1, 10, 100, 200, 255):
    print(f"pair {pair:3d}: wavelength {wavelength[pair]:9.2f} positions")

# %% [markdown]
# The wavelengths run from about six positions to more than sixty thousand, which is four orders of magnitude. The figure shows all 256.

# %%
lesson_07.ladder()

# %% [markdown]
# On the left most pairs seem fast and a few very slow. On the right, with a logarithmic axis, the same numbers form a straight line. From each pair to the next the wavelength is multiplied by the same factor, 255 times.

# %%
steps = wavelength[1:] / wavelength[:-1]
print(len(steps), "steps, smallest and largest factor", steps.min().round(5), steps.max().round(5))
print("each step in per cent:", (100 * (steps[0] - 1)).round(2))

# %% [markdown]
# The formula could have used equal steps between the same two ends instead. Count what would be left for short distances.

# %%
even = np.linspace(wavelength[0], wavelength[-1], 256)
for name, ladder in (("equal factors", wavelength), ("equal steps", even)):
    below = [(ladder < limit).sum() for limit in (100, 1000, 10000)]
    print(f"{name}: second pair {ladder[1]:.1f}, pairs below 100, 1,000, 10,000:", *below)

# %% [markdown]
# With equal steps the second pair would already need 244 positions for a turn, and a single pair would have to tell the words of a sentence apart. With equal factors every order of magnitude has the same number of pairs, and so has every doubling.

# %%
for start in (30, 1000, 5000):
    between = (wavelength >= start) & (wavelength < 2 * start)
    print(f"wavelengths from {start:5,d} to {2 * start:6,d}: {between.sum()} pairs")

# %%
claim("pairs-per-doubling")

# %% [markdown]
# The binary counter of lesson 5 has one column for each doubling. Here 19 or 20 pairs share one. Distances of every size, from neighbouring words to the whole text, have pairs that turn at about that size, so the requirement of structure at many scales, from lesson 4, is met.

# %%
ask("7.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They read equal factors as equal steps. Say: *the ladder is even on the logarithmic axis and nowhere else.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: width 8, which exponents are there? (0, 2/8, 4/8, 6/8.) Is 1 among them?

# %% [markdown] section="one-step-short" minutes=4
# ## One step short of the end
#
# The paper says that the wavelengths run from 2π to 10000 · 2π. Its formula stops before that. The last pair of width 512 has i = 255, and its exponent 2i/width is 510/512 instead of 1.

# %%
last = 10000 ** (510 / 512)
print(f"the last pair divides the position by {last:.1f}")
print(f"its wavelength is {2 * np.pi * last:.1f}, the end that is named {2 * np.pi * 10000:.1f}")

# %% [markdown]
# How large the gap is depends on the width, because the fewer the pairs, the larger each step. At width 8 the last wavelength is a tenth of the end that is named.

# %%
for width in (8, 64, 512):
    longest = 2 * np.pi / frequencies(width)[-1]
    print(f"width {width:3d}: longest wavelength {longest:8.1f}")

# %%
claim("longest-wavelength-512")

# %% [markdown]
# The same sentence is misread in a second way. The number that the position is divided by, here about 9,647, is not the wavelength; a turn takes 2π times as many positions. Texts that give the last pair “a period of about 10,000” have dropped the 2π.

# %%
ask("7.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take the end of the progression for its last value, and use divisor and wavelength as one thing. Say: *divide by n, and a turn takes 2π n.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a clock with two hands, one turn in 7 hours and one in 10. After how long is it back? (70 hours.) And with 7 and 2π hours, looked at on the full hour only? (Never.)

# %% [markdown] section="no-period" minutes=5
# ## No period
#
# “After 10,000 positions the encoding repeats.” If it did, rows 1 and 10,001 would be equal.

# %%
near, far = sinusoidal_at(np.array([1, 10001]), 512)
print("distance of rows 1 and 10,001:", np.linalg.norm(near - far).round(3))
print("norm of one row:              ", np.linalg.norm(near).round(3))

# %% [markdown]
# They are further apart than one row is long. The base sets the slowest wavelength and is not the period of any pair. For a row to return, every pair has to complete whole turns at the same moment. Pair 0 moves by one radian a position, so it is back after 2π, 4π, 6π, … positions. Because π is irrational, none of these is a whole number, and no whole number of positions brings a row back.

# %%
claim("no-repeat-at-10000")

# %% [markdown]
# Between the whole positions there may be a period. At width 8 the wavelengths are 2π, 20π, 200π and 2000π, so after 2000π, about 6,283.19, all four pairs are back. Search a hundred thousand positions for the row nearest to row 1.

# %%
rows = sinusoidal_at(np.arange(1, 100_001), 8)
distance = np.linalg.norm(rows[1:] - rows[0], axis=1)
later = 11 + distance[10:].argmin()
print("nearest row more than ten positions later:", later, "positions on")
print(f"eleven periods: {11 * 2000 * np.pi:.3f} positions, distance {distance[later - 1]:.3f}")

# %% [markdown]
# Eleven periods end just after this position, and the rest that is missing, about 0.04, is the distance. At width 16 the ratio of neighbouring wavelengths is √10. That is irrational, so the wavelengths have no common multiple, and the row does not even return between whole positions.

# %%
ask("7.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take the base for a length limit. Say: *nothing in the formula stops at 10,000.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the loop runs: which of the four numbers will stay the same in all three rows?

# %% [markdown] section="base" minutes=6
# ## What the base does
#
# The exponent of the first pair is 0, so its frequency is 1 for every base. Pairs further along the ladder depend on the base more and more.

# %% tags=["guess-first"]
for base in (100.0, 10000.0, 1000000.0):
    listed = " ".join(f"{f:.6f}" for f in frequencies(8, base))
    print(f"base {base:9,.0f}: frequencies of width 8: {listed}")

# %%
lesson_07.bases()

# %% [markdown]
# A larger base stretches the ladder, so that the same number of pairs covers longer distances in coarser steps. Libraries call this number `base`, `theta` or `rope_theta` (in rotary code), `max_wavelength` (in Keras Hub, although the longest wavelength is about 2π times as large), `wavelength` (in some tutorials), `max_timescale` (in tensor2tensor) or `max_period` (in diffusion code).
#
# The 2017 paper does not derive 10000. With it the slow pairs need tens of thousands of positions for a turn, far more than a sentence has, so that they change in one direction only. Current language models apply the same ladder to each attention head, often 128 wide, and raise the base for long texts. How many of the 64 pairs complete a turn within 8k, 80k and 128k positions?

# %%
for base in (1e4, 5e5, 1e6, 5e6, 2e8):
    waves = 2 * np.pi / frequencies(128, base)
    turned = [int((waves <= 1024 * k).sum()) for k in (8, 80, 128)]
    print(f"rope_theta {base:11,.0f}: longest {waves[-1]:13,.0f}; in 8k, 80k, 128k:", *turned)

# %% [markdown]
# With 10,000 every pair has completed a turn long before 128k positions, and no pair is left that tells an early position from a late one by itself. With 500,000, the value of Llama 3, 15 pairs are left. Why a model for 80k positions was given [200,000,000 and not 5,000,000](https://github.com/FlagOpen/FlagEmbedding/issues/849) can be read off as well. There 32 of the 64 pairs never complete a turn instead of 24. What that repairs in a trained model is measured in [lesson 12](12_extrapolation_and_beyond.ipynb).

# %%
ask("7.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "A larger base means larger positions." Say: *the base slows the late pairs; it moves no position.*

# %% [markdown] tags=["instructor"]
# **In front of people**: begin with width 128 and 1,024 positions. Lower the base to 10 and ask what was lost (no slow pair is left, and late positions look like early ones). Raise the context length until every pair completes a turn.

# %% [markdown] section="turning" minutes=5
# ## Which pairs complete a turn in your text
#
# A text of 1,024 tokens is long for the fast pairs and short for the slow ones. Count the pairs of width 512 that complete at least one turn.

# %%
complete = wavelength <= 1024
print(complete.sum(), "of", complete.size, "pairs complete a turn; the others do not")

# %%
playground(lesson_07.turning)

# %% [markdown]
# Pairs above the dashed line cover only a part of their circle within the text, and the slowest hardly leave their start. They are useful all the same, because a value that moves in one direction only tells early positions from late ones. But a model trained on this length has never seen the rest of those circles, which matters in lesson 12.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Pairs that do not turn are useless." Say: *the hour hand is the one that knows morning from evening.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the two ladders reaches the end that the paper names?

# %% [markdown] section="other-ladder" minutes=4
# ## The other ladder
#
# tensor2tensor, fairseq and much diffusion code divide i by `half - 1` where the paper divides by `half`, the number of pairs. Then the last exponent is 1 and the slowest frequency is exactly 1/base. The choice has a reason, since both ends of the range are named and reached, and it gives a different ladder.

# %%
lesson_07.two_ladders()

# %%
half = 128 // 2
print(f"slowest of width 128, i divided by half:     {10000.0 ** (-(half - 1) / half):.6f}")
print(f"slowest of width 128, i divided by half - 1: {10000.0 ** -1:.6f}")

# %% [markdown]
# If a model trained with one ladder is run with the other, every pair but the first turns at a speed that the weights were not trained for, and the rows drift apart as the position grows.

# %%
paper, other = 10000.0 ** (-np.arange(4) / 4), 10000.0 ** (-np.arange(4) / 3)
for position in (1, 10, 100):
    drift = 2 * np.abs(np.sin(position * (paper - other) / 2))
    print(f"position {position:3d}: distance of the two encodings, pair by pair", drift)

# %% [markdown]
# A third rule gives every column a frequency of its own, with the column number in the exponent; the Deep Voice 3 paper writes it so. There neighbouring columns form no circle, and what the next two lessons prove does not hold for it.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Off by one, so a bug." Say: *a convention; the bug is to mix two of them.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: what would the context length of the playground have to be for a time between 0 and 1? (1. Its slider begins at 8, because the ladder is made for whole positions.)

# %% [markdown] section="unit-time" minutes=3
# ## A variable between 0 and 1
#
# Diffusion and flow models encode a time between 0 and 1 with the same formula. Few pairs notice that the time has gone from 0 to 1.

# %%
claim("unit-time")

# %% [markdown]
# Pairs that hardly move make two times that differ by a tenth hard to tell apart.

# %%
half_way, later = sinusoidal_at(np.array([0.5, 0.6]), 256)
print("times 0.5 and 0.6 as they are: distance", np.linalg.norm(half_way - later).round(3))
half_way, later = sinusoidal_at(np.array([5000.0, 6000.0]), 256)
print("the same, times 10,000:        distance", np.linalg.norm(half_way - later).round(3))
print("norm of a row:                 ", np.linalg.norm(later).round(3))

# %% [markdown]
# The first distance is a small part of a row's norm, the second is larger than the norm. Either multiply the time by the number of steps or take a smaller base. Base and range have to fit each other.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They keep the default because it is the default. Say: *the ladder has to lie where your numbers are.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the last comparison: what will `arange` in half precision print? Collect guesses; few expect a constant or a double step.

# %% [markdown] section="half-precision" minutes=5
# ## What half precision keeps
#
# Half precision has eleven binary digits. It holds every whole number up to 2048, from there every second one, and from 4096 every fourth.

# %%
positions = np.arange(2040, 2060)
kept = positions.astype(np.float16)
print(len(positions), "positions,", len(np.unique(kept)), "values:", np.unique(kept).astype(int))

# %%
lesson_07.stored()

# %% [markdown]
# Neighbouring tokens get the same position, and no error is raised. Counting *in* half precision is worse than rounding afterwards. `arange` takes its step from the first two values, and past 2048 that step may have been rounded to 0 or to 2.

# %% tags=["guess-first"]
for first in (2048, 2049):
    print("rounded afterwards:  ", np.arange(first, first + 6).astype(np.float16).astype(int))
    print("counted in the type: ", np.arange(first, first + 6, dtype=np.float16).astype(int))

# %% [markdown]
# Slow pairs lose something at small positions, too. Just below 1, half precision has a spacing of about 0.0005, and the cosine of the slowest pair falls by less than that in 200 positions.

# %%
slow = np.cos(np.arange(200) * frequencies(512)[-1])
spacing = np.spacing(np.float16(0.999))
print(f"spacing below 1: {spacing:.4f}, fall of the cosine: {1 - slow[-1]:.4f}")
print("different cosines:", len(np.unique(slow)))
print("in half precision:", len(np.unique(slow.astype(np.float16))))

# %% [markdown]
# A small angle itself is stored well enough, since floating point keeps relative precision. What loses is the product with a large position, and the cosine. Hence the rule: compute positions and angles in single precision or better, and round the finished sines and cosines.

# %%
ask("7.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "Rounding costs a digit." Say: *here it costs the position.*

# %% [markdown]
# ## Seen in the wild
#
# - **[Parentheses and a floor](https://github.com/zju3dv/LoFTR/issues/41).** The step of the ladder was written `-log(10000) / d // 2`; the floor makes it −1, and the frequencies of a model 256 wide begin 1, 0.1353, 0.0183 instead of 1, 0.8660, 0.7499. The model had been trained and published with it; the authors trained it again and report better scores.
# - **[All ones](https://github.com/codertimo/BERT-pytorch/issues/18).** Whole indices times a tiny step were cut to whole numbers before the exponential, so every frequency was 1 and all pairs were equal.
# - **[A multiplication for a division](https://github.com/tensorflow/tensor2tensor/issues/1923).** With a shortest timescale of 2 the frequencies should begin at 0.5; they began at 2, and the slow end moved with them.
# - **[Positions in bfloat16](https://github.com/huggingface/transformers/pull/29285).** Eight binary digits hold whole numbers up to 256. Positions 256 to 260 became 256, 256, 258, 260, 260, and training curves drifted apart. Long prompts that loop ([positions rounded to multiples of 4](https://github.com/openvinotoolkit/openvino/pull/33214)) have the same cause in half precision.

# %%
k = np.arange(4)
print("as written ", np.exp(2 * k * (-np.log(10000.0) / 128 // 2)))
print("as intended", np.exp(2 * k * (-np.log(10000.0) / 128)))
print("bfloat16 keeps", (2 * np.round(np.arange(256, 261) / 2)).astype(int))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Hints appear one at a time: take the `#` away and run the cell.
#
# Widths are even, `base` may be left out and is then 10000.0, and pairs are numbered from 0.

# %% [markdown] tags=["challenge-text"] challenge="7.1"
# Write `pairs_that_turn(width, length, base=10000.0)`.
#
# 1. It returns how many pairs have a wavelength of at most `length` positions.
# 2. The result is a whole number, from 0 to width/2.

# %% tags=["challenge"] challenge="7.1"
def pairs_that_turn(width, length, base=10000.0):
    """How many of the width // 2 pairs complete a turn within length positions."""
    ### STUB: the wavelength of every pair first; a turn is 2π radians
    ### BEGIN SOLUTION
    i = np.arange(width // 2)
    wavelength = 2 * np.pi * base ** (2 * i / width)
    return int((wavelength <= length).sum())
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="7.2"
# Write `base_for_longest(width, longest)` for an even width of at least 4 and a `longest` above 2π.
#
# 1. It returns the base with which the last pair of this width has the wavelength `longest`.
# 2. Width 512 and 62,831.853 give a base above 10000.

# %% tags=["challenge"] challenge="7.2"
def base_for_longest(width, longest):
    """The base whose last pair needs longest positions for a turn."""
    ### STUB: write down the last pair's wavelength, then solve for the base
    ### BEGIN SOLUTION
    exponent = (width - 2) / width
    return (longest / (2 * np.pi)) ** (1 / exponent)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="7.3"
# Write `distinct_positions(start, length, dtype)`; `dtype` is `'float16'`, `'float32'` or `'bfloat16'`.
#
# 1. The positions are start, start + 1, …, start + length − 1.
# 2. It returns how many different values are left when they are stored in `dtype`.
# 3. `'bfloat16'`, the type of most language models, is not in NumPy. It keeps eight binary digits: every whole number up to 256, every second one from 256 to 512, every fourth one from 512 to 1024, and so on. Storing rounds to the nearest of them; where two are equally near, to the even multiple of the spacing.
# 4. All positions given are finite in that type.

# %% tags=["challenge"] challenge="7.3"
def distinct_positions(start, length, dtype):
    """How many different values the positions have once they are stored in dtype."""
    ### STUB: count in whole numbers, then store; what is the spacing of bfloat16 at each of them?
    ### BEGIN SOLUTION
    positions = np.arange(start, start + length)
    if dtype != "bfloat16":
        return len(np.unique(positions.astype(dtype)))
    digits = np.frexp(positions)[1]
    spacing = 2.0 ** np.maximum(digits - 8, 0)
    return len(np.unique(np.round(positions / spacing) * spacing))
    ### END SOLUTION


# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - Wavelengths grow by the same factor from pair to pair: from 2π to 2π · base^((width − 2)/width), one step short of the end that is usually named.
# - The base is neither a period nor a limit. A larger base slows every pair but the first, the late ones most.
# - Within a given length some pairs complete a turn and the slow ones do not. A model uses both kinds.
# - Dividing by `half - 1` gives a different ladder, and a variable between 0 and 1 needs another range or another base.
# - Positions belong in a type that holds them exactly.
#
# Every pair is a point on a circle. What follows for the length of a row, and for the dot product of two rows? Whether it falls as their distance grows is measured in [lesson 8](08_norm_and_distance.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5: the sentence on wavelengths. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - A. Grattafiori and others, *The Llama 3 Herd of Models*, 2024: the base of 500,000. [arXiv:2407.21783](https://arxiv.org/abs/2407.21783)
# - The two ladders: [tensor2tensor issue 1423](https://github.com/tensorflow/tensor2tensor/issues/1423) and [diffusion issue 15](https://github.com/hojonathanho/diffusion/issues/15).
# - One frequency a column: [deepvoice3_pytorch issue 19](https://github.com/r9y9/deepvoice3_pytorch/issues/19).
# - Time in [0, 1]: [SiT issue 24](https://github.com/willisma/SiT/issues/24). Half precision: [Megatron-LM issue 535](https://github.com/NVIDIA/Megatron-LM/issues/535).
# - To read alongside: `RotaryEmbedding` of Keras Hub, with one question: is its `max_wavelength` a wavelength or a timescale?
