# %% [markdown]
# # 3 · Where am I, and what may I read?
#
# **What breaks.** A causal mask is often taken for a sense of order. It answers another question: what a token may read, not where it stands. The two have to be kept apart, and measured apart.
#
# **Afterwards you can** write a causal mask and a softmax that obeys any mask; say what the mask and what the positions change in a table of shares; say how much order a mask lets in by itself; and read a position from a share, where that is possible, and show where it is not.
#
# **You need** [lesson 2](02_attention_forgets_order.ipynb) for attention, its softmax, and equivariance.

# %%
import numpy as np

from posenc.attention import SIX_TOKENS, stack
from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.encodings import sinusoidal
from posenc.figures import lesson_03

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. What is e to the power of −∞? (0.) What does equivariant mean? (The outputs move with the rows.) What must a row of shares add up to? (1.)
#
# **When late**, skip *With content it cannot be read* and show its figure alone. Do not skip *Red, blue, red* and the table after it: that is the lesson.

# %% [markdown] tags=["instructor"]
# **Ask the room**: in the second table, what may “sat” read? What may “the” read? Then: which row of the causal mask forbids nothing? (The last. It will matter.)

# %% [markdown] section="two-questions" minutes=4
# ## Two questions
#
# Lesson 2 ended with a model that cannot tell any order. A model that writes text has one rule about order built in: when it is to predict the next word, it must not read that word. So each token may read itself and earlier ones. This is a **mask**, a table of True and False, with a row for each token that reads:

# %%
words = ["the", "cat", "sat", "[pad]", "[pad]"]
seat = np.arange(len(words))
causal = seat[:, None] >= seat
print(causal.astype(int))

# %% [markdown]
# The causal mask is not the only one. Texts of a batch are filled up with empty tokens, and nobody may read those. Who may read whom under each rule?

# %%
real = np.array([word != "[pad]" for word in words])
masks = {
    "no mask": np.full((5, 5), True),
    "causal mask": causal,
    "padding mask": np.tile(real, (5, 1)),
}
lesson_03.permissions(words, masks)

# %% [markdown]
# A mask answers **what may I read?** A position answers **where am I?** The padding mask shows best that they are two things: it forbids much, and it knows of no order. Which of two words comes first is nowhere in it. In our tables True means that reading is allowed. Some libraries mean the opposite, so ask before you hand one over.

# %%
ask("3.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** Rows and columns change places in their heads, and the triangle turns over. Say: *go along a row; the row is the one who reads.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the first cell runs: which of the three lines leaves the forbidden token a share? (The third.) Which changes the ratio of the other two? (The third again: 1 and 0 keep theirs, and a newcomer with a score of 0 takes part.)

# %% [markdown] section="mask" minutes=6
# ## Before the softmax, not after
#
# Where does the mask go? Take one row of scores in which the last token is forbidden and happens to fit best:

# %%
scores = np.array([1.0, 0.0, 3.0])
allowed = np.array([True, True, False])


def softmax(row):
    powers = np.exp(row - row.max())
    return powers / powers.sum()


before = softmax(np.where(allowed, scores, -np.inf))
after = softmax(scores) * allowed
print("forbidden scores set to −∞:", before, "sum", before.sum().round(4))
print("mask on finished shares:   ", after, "sum", after.sum().round(4))
print("mask times scores:         ", softmax(scores * allowed))

# %% [markdown]
# e to the power of −∞ is 0, so a forbidden token gets nothing and the allowed ones share the whole. A mask on finished shares leaves a row of less than 1: the token mixes too little of everything. A mask times the scores forbids nothing at all, since a score of 0 is a score like any other.
#
# One can also divide the second row by its sum afterwards. That is right on paper, and it fails where a forbidden score lies far above the others:

# %%
far = np.array([1.0, 0.0, 1000.0])
with np.errstate(invalid="ignore"):
    late = softmax(far) * allowed
    print("divided afterwards:", late / late.sum())
    print("−∞ times the mask: ", -np.inf * np.array([0.0, 1.0]))
print("−∞ put in its place:", softmax(np.where(allowed, far, -np.inf)))

# %% [markdown]
# Everything allowed has been rounded to 0, and 0 divided by 0 is no number (NaN). So the largest *allowed* score has to be subtracted. The second line is another way to NaN: −∞ must be *chosen* where the mask says so, for 0 times −∞ is no number either.
#
# One row is left over: that of a token that may read nothing, such as one in a text of pads alone. Its scores are all −∞, and the softmax has nothing to share. We agree on a row of zeros; libraries differ.

# %%
ask("3.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They multiply by the mask because that is how one hides things elsewhere. Say: *in a softmax nothing is hidden by a 0; only by a −∞.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the figure: with the mask on and positions off, which row stays? Let somebody say why before you show it. (The last token may read everything anyway.)

# %% [markdown] section="red-blue-red" minutes=5
# ## Red, blue, red
#
# Three tokens, of which two are the same word. Queries, keys and values are the rows themselves, and the scores are divided by √4. For positions, add a vector to each seat; lesson 6 builds this table, and today it is only something that differs from seat to seat.

# %%
red, blue = [1.0, 0, 0, 0], [0, 1.0, 0, 0]
tokens = np.array([red, blue, red])
causal = np.tri(3, dtype=bool)


def table(x, mask):
    scores = np.where(mask, x @ x.T / np.sqrt(4), -np.inf)
    return np.array([softmax(row) for row in scores])


# %% [markdown]
# Two switches make four settings. In which of them can one red be told from the other?

# %%
everything = np.full((3, 3), True)
tables = [
    table(x, mask)
    for mask in (everything, causal)
    for x in (tokens, tokens + sinusoidal(3, 4))
]
lesson_03.four_tables(["red", "blue", "red"], tables)

# %% [markdown]
# - **Both off.** Rows 0 and 2 are equal. The two reds have one answer; no seat can be seen.
# - **Positions on.** Rows 0 and 2 differ, though both may read everything.
# - **Mask on.** Rows 0 and 2 differ, for another reason: the first red may read nothing but itself. The last row is exactly what it was with both off.
# - **Both on.** The last row is that of positions alone. What the mask did, it did to the rows above.

# %%
claim("red-blue-red-off-off")

# %%
claim("red-blue-red-on-off")

# %%
claim("red-blue-red-off-on")

# %%
claim("red-blue-red-on-on")

# %%
ask("3.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** “The rows of the two reds differ, so the mask has given them positions.” Say: *it has given them different books to read; it has not told them where they sit.*

# %% [markdown] tags=["instructor"]
# **In front of people**: both off; ask for a word to repeat, and type it three times among others. All brackets say =. Switch on the mask, ask which of them will change *before* you click, and why the last row did not. Switch it off, positions on. Then `no no no`, mask on, positions off: all equal words, and the rows are 1; 1/2, 1/2; 1/3, 1/3, 1/3. Leave that on the screen; the next sections need it.

# %% [markdown] section="playground" minutes=5
# ## Two switches, your own words
#
# Here is the table with both switches: *causal mask* lets a token read itself and earlier ones, *positions* adds a vector to each seat. The small tables show all four settings at once. A bracket joins each word to where it comes again, with = where the two rows of shares are equal and ≠ where they are not. Change the words, too; equal words have equal rows.

# %%
playground(lesson_03.attention_table)

# %% [markdown]
# Switch the mask on and off and watch the last row. It never moves: the mask leaves the last token's row as it was. Then switch the positions and watch it again; now every row moves. The base makes no difference to a table without positions. With two words and no mask, exchange them: the table turns round, as lesson 2 said it would, and with positions on it does not.

# %%
turn = [1, 0]
two = np.array([red, blue])
for name, x, y in (
    ("positions off", two, two[turn]),
    ("positions on", two + sinusoidal(2, 4), two[turn] + sinusoidal(2, 4)),
):
    same = np.allclose(table(x, everything[:2, :2])[turn][:, turn], table(y, everything[:2, :2]))
    print(f"{name}: the exchanged words give the table turned round: {same}")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for one switch that does both. Say: *one switch says what you may read, the other where you are.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the second cell: the last token reads the same five tokens in another order. Vote: does its output change? Then ask again for two layers, and let somebody find the reason.

# %% [markdown] section="breaks" minutes=5
# ## A mask breaks the symmetry by itself
#
# [Does a causal model still need positions?](https://github.com/idiap/fast-transformers/issues/102) Two answers are heard, *the mask gives the full order* and *it gives none*. Measure it on the six tokens of lesson 2, which were solved for from printed figures. Shuffle them and compare, once with each mask:

# %%
def attention(x, mask):
    scores = np.where(mask, x @ x.T / np.sqrt(x.shape[1]), -np.inf)
    return np.array([softmax(row) for row in scores]) @ x


six, order = SIX_TOKENS, [3, 0, 5, 1, 4, 2]
for name, mask in (("no mask", np.full((6, 6), True)), ("causal", np.tri(6, dtype=bool))):
    error = np.abs(attention(six[order], mask) - attention(six, mask)[order]).max()
    print(f"{name}: equivariant to 1e-10: {error < 1e-10}, largest difference {error:.4f}")

# %%
claim("causal-breaks")

# %% [markdown]
# So *none* is wrong: a shuffle puts other tokens within reach, and the outputs do not move along. Is it the full order, then? Let the last token stay and shuffle only those before it:

# %%
earlier = [3, 0, 4, 1, 2, 5]
for layers in (1, 2, 3):
    layer = stack(4, layers, causal=True)
    change = np.abs(layer(six[earlier])[-1] - layer(six)[-1]).max()
    print(f"{layers} causal layer(s): the last output changes: {change > 1e-10} ({change:.4f})")

# %%
claim("earlier-order-one-layer")

# %% [markdown]
# With one layer the last token reads the earlier ones as a collection, in no order. *All* is wrong as well. With two layers the order begins to matter, because what it reads has itself read different tokens. So a causal stack knows **some** order. A padding mask knows none: if it moves with its tokens, nothing is broken.

# %%
real = np.array([True, True, True, True, False, False])
padded = attention(six, np.tile(real, (6, 1)))
moved = attention(six[order], np.tile(real[order], (6, 1)))
print("a padding mask that moves with its tokens: equivariant:", np.allclose(moved, padded[order]))

# %%
ask("3.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** One of the two extremes. Say: *a mask tells you who came before; it does not tell you in which order they came.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: at which positions is the share easiest to tell from the next? (The first ones: 1 and 1/2. At 1000 and 1001 the shares differ by a millionth.)

# %% [markdown] section="one-over" minutes=5
# ## 1, 1/2, 1/3
#
# How could a causal model find out where a token is? There is a clean construction. Make all scores equal. Then at position p there are p + 1 tokens to read, and each gets the same share:

# %%
uniform = table(np.zeros((6, 4)), np.tri(6, dtype=bool))
print(uniform[:, 0])
print("one over it, less one:", 1 / uniform[:, 0] - 1)

# %% [markdown]
# The first token's share is 1/(p + 1), another number at every position. If the first token carries a mark, as the start token of many models does, and no other token carries it, then the mark arrives at each position with this weight:

# %%
marked = np.zeros((6, 1))
marked[0] = 1.0
print("the mark as it arrives:", (uniform @ marked)[:, 0])

# %%
claim("uniform-shares")

# %% [markdown]
# A later layer can work with that: the mask and a mark give a position. Open the claim and let a hundredth of the content in, then a tenth. When you read a position back, round to the nearest whole number. The inverse of an inverse is not exact, on either side:

# %%
for n in (49, 93):
    found = 1 / (1 / n)
    print(f"1/(1/{n}) is {found!r}, cut to {int(found)}, rounded to {round(found)}")

# %%
ask("3.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** A share of 1/5 is read as position 5. Say: *five may be read at position 4, because position 0 may be read as well.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the six tokens looks as if it stood at position 1, and why that one? (t3: it has the topic of t0.)

# %% [markdown] section="content" minutes=4
# ## With content it cannot be read
#
# Real scores are not equal. Here is the same share for the six tokens, in their order and in another:

# %%
first = {"equal scores": uniform[:, 0]}
for name, x in (("six tokens", six), ("six tokens, shuffled", six[order])):
    scores = np.where(np.tri(6, dtype=bool), x @ x.T / 2, -np.inf)
    first[name] = np.array([softmax(row)[0] for row in scores])
    print(name, first[name])

# %%
lesson_03.read_back(first)

# %%
claim("content-shares")

# %% [markdown]
# The token at position 3 shares the topic of the first and gives it almost half, as if it stood at position 1. The last gives it so little that one would look for it at 72. The share now says how well two tokens fit, and the seat cannot be told from it. A model may learn to keep some head free of content; nothing forces it to.
#
# That settles which of the two questions is the harder one. An encoder, in which everyone may read everyone, has *nothing* to go by, exactly nothing, as lesson 2 proved. A decoder has the mask and can find some order with effort. [Why has the decoder no positions?](https://github.com/KasperGroesLudvigsen/influenza_transformer/issues/19) is asked of code that adds them on the encoder's side only: it leaves its decoder with what the mask gives. The 2017 model added them on both sides.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take the construction for a description of what models do. Say: *that it can be built shows that it is possible; what is learned has to be measured.*

# %% [markdown]
# ## Seen in the wild
#
# - **[Runs like a recurrent network, so no positions?](https://github.com/idiap/fast-transformers/issues/102)** A user asks whether causal attention that is computed step by step still needs them. The state that is carried along is a sum, and a sum forgets the order of its terms: two orders of the earlier tokens leave the same state. The user's model without positions went wrong.
# - **[True for forbidden](https://github.com/rasbt/LLMs-from-scratch/issues/1061).** An upper triangle of True was handed to a function in which True means *read*. The same array is right for another function of the same library. Each token read what comes after it and nothing else, and no shape and no type was wrong.
# - **[The mask after the softmax](https://github.com/huggingface/pytorch-image-models/pull/2236).** A vision model masked finished shares. With equal scores and two of five keys hidden, its rows add up to 0.6.
# - **[A row of nothing](https://github.com/tracel-ai/burn/pull/4697).** Two masks together forbade everything to a query, and its row became NaN, and with it all that was computed from it. The repair bounds the largest score and the sum from below, so that the row is 0.

# %%
state, other = (np.sum([np.outer(row, row) for row in six[o]], axis=0) for o in (order, earlier))
print("the state of two orders is the same:", np.allclose(state, other))
print("tokens read by each of five:", np.triu(np.ones((5, 5), int), 1).sum(axis=1), "of the later,",
      np.tri(5, dtype=int).sum(axis=1), "of itself and the earlier")
print("rows masked after the softmax add up to", (np.full(5, 0.2) * [1, 1, 1, 0, 0]).sum().round(2))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. True, False and whole numbers are compared exactly; shares may differ by 2e-5 plus a hundred-thousandth of the value. Hints come one at a time: take the `#` away and run the cell.
#
# In all masks True means that reading is allowed. Arguments must not be changed.

# %% [markdown] tags=["challenge-text"] challenge="3.1"
# ### 3.1 · Who may read whom
#
# *2 points · 5 minutes · difficulty 1 of 3*
#
# Write `causal_mask(n)`.
#
# 1. It returns an array (n, n) of True and False: entry [i, j] is True where the token at seat i may read the one at seat j.
# 2. A token may read itself and all earlier ones, and nothing else.

# %% tags=["challenge"] challenge="3.1"
def causal_mask(n):
    """Who may read whom: (n, n) bools, True where reading is allowed."""
    ### STUB: which seats may the token at seat i read?
    ### BEGIN SOLUTION
    seats = np.arange(n)
    return seats[:, None] >= seats
    ### END SOLUTION


# %% tags=["check"] challenge="3.1"
check("3.1", causal_mask)
# hint("3.1", 1)
# solution("3.1")

# %% [markdown] tags=["challenge-text"] challenge="3.2"
# ### 3.2 · Shares under a mask
#
# *5 points · 15 minutes · difficulty 3 of 3*
#
# Write `masked_attention_weights(scores, mask)`. Both arrays have the shape (queries, keys), and the two numbers need not be equal.
#
# 1. Each row of the result is the softmax of that row's allowed scores, which are finished and not divided again. A forbidden entry is 0.
# 2. A row that may read nothing is all zeros.
# 3. Allowed scores of ±10,000 give finite shares, and so do forbidden ones that lie far above the allowed.

# %% tags=["challenge"] challenge="3.2"
def masked_attention_weights(scores, mask):
    """Shares of the allowed keys, row by row: (queries, keys), 0 where the mask says False."""
    ### STUB: choose −∞ where reading is forbidden, and mind the row in which nothing else is left
    ### BEGIN SOLUTION
    hidden = np.where(mask, scores, -np.inf)
    largest = hidden.max(axis=1, keepdims=True)
    powers = np.exp(hidden - np.where(np.isfinite(largest), largest, 0.0))
    totals = powers.sum(axis=1, keepdims=True)
    return powers / np.where(totals > 0, totals, 1.0)
    ### END SOLUTION


# %% tags=["check"] challenge="3.2"
check("3.2", masked_attention_weights)
# hint("3.2", 1)
# solution("3.2")

# %% [markdown] tags=["challenge-text"] challenge="3.3"
# ### 3.3 · Reading a position from a share
#
# *3 points · 8 minutes · difficulty 2 of 3*
#
# Write `position_from_share(shares)` for an array of shares that the first token of a text has under causal attention with equal scores.
#
# 1. It returns one whole number for each share: the position of the token that gives it, counted from 0.
# 2. The shares come in any order, and one may come several times. Positions are 0 to 2000.
# 3. Floating point misses the whole number by a little, above or below.

# %% tags=["challenge"] challenge="3.3"
def position_from_share(shares):
    """The position at which the first token has this share, for each of them: whole numbers."""
    ### STUB: how many tokens share the whole at position p?
    ### BEGIN SOLUTION
    return np.rint(1 / shares).astype(int) - 1
    ### END SOLUTION


# %% tags=["check"] challenge="3.3"
check("3.3", position_from_share)
# hint("3.3", 1)
# solution("3.3")

# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A mask says what may be read, a position where a token stands. Red, blue, red: the mask leaves the last row as it was, positions move every row.
# - Forbidden scores become −∞ before the softmax; the largest allowed score is subtracted; a row that may read nothing is zeros.
# - A causal mask breaks equivariance. One layer knows who came before and not in which order; deeper ones know more.
# - With equal scores the first token's share is 1/(p + 1), and the position can be read. With content it cannot.
# - An encoder has nothing to go by. It needs to be told.
#
# Then tell it: why not write the seat's number into the row? That is [lesson 4](04_naive_positions.ipynb).

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, sections 3.2.3 and 3.5: the mask of the decoder, scores set to −∞, and positions at the bottom of both stacks. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - A. Haviv and others, *Transformer Language Models without Positional Encodings Still Learn Positional Information*, 2022: causal models trained without positions, and what can be read from their layers. [arXiv:2203.16634](https://arxiv.org/abs/2203.16634)
# - A. Kazemnejad and others, *The Impact of Positional Encoding on Length Generalization in Transformers*, 2023: the construction with shares 1, 1/2, 1/3, … [arXiv:2305.19466](https://arxiv.org/abs/2305.19466)
# - [Does a causal model still need positions?](https://github.com/idiap/fast-transformers/issues/102) and [Why has the decoder no positions?](https://github.com/KasperGroesLudvigsen/influenza_transformer/issues/19): two questions that this lesson answers. Two libraries, two meanings of True: [x-transformers issue 160](https://github.com/lucidrains/x-transformers/issues/160).
# - To read alongside: section 3.2.3 of Vaswani and others, with one question in hand: of the three places where the model uses attention, which is masked?
