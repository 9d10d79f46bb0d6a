# %% [markdown]
# # 3 · Where am I, and what may I read?
#
# **What breaks.** A causal mask is often taken for a sense of order. It says what a token may read, which is a different question from where the token is. Models mix the two questions up easily, and this lesson measures them apart.
#
# **Afterwards you can** write a causal mask and a softmax that obeys any mask; say what a mask and what an encoding change in a table of attention weights; say exactly how much order a mask lets in; and read a position from an attention weight, where that is possible, and show where it is not.
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
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. What is e to the power of −∞? (0.) What does equivariant mean? (The outputs are reordered as the rows were.) What must a row of attention weights add up to? (1.)
#
# **When late**, skip *With content it cannot be read* and show its figure alone. Do not skip *Red, blue, red* and the playground after it: that is the lesson.

# %% [markdown] tags=["instructor"]
# **Ask the room**: in the second table, what may “sat” read? What may “the” read? Then: which row of the causal mask forbids nothing? (The last. It will matter.)

# %% [markdown] section="two-questions" minutes=4
# ## Two questions
#
# Lesson 2 ended with a model that cannot tell any order. A model that writes text has one rule about order built in. While it predicts the next word, it must not read that word, so each token may read only itself and earlier tokens. Such a rule is called a **mask**, a table of True and False with a row for each token that reads:

# %%
words = ["the", "cat", "sat", "[pad]", "[pad]"]
position = np.arange(len(words))
causal = position[:, None] >= position
print(causal.astype(int))

# %% [markdown]
# The causal mask is one of several. The texts of a batch are filled up to equal length with empty tokens, and a *padding mask* forbids everybody to read those:

# %%
real = np.array([word != "[pad]" for word in words])
masks = {
    "no mask": np.full((5, 5), True),
    "causal mask": causal,
    "padding mask": np.tile(real, (5, 1)),
}
lesson_03.permissions(words, masks)

# %% [markdown]
# A mask answers **what may I read?** An encoding answers **where am I?** The padding mask shows best that these are two questions. It forbids much, and it says nothing about which of two words comes first. The causal mask says which tokens are earlier, but not how far away they are. In our tables True means that reading is allowed. Some libraries use True for forbidden, so check before you pass a mask to one.

# %%
ask("3.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They confuse rows with columns, and the triangle turns over. Say: *go along a row; the row is the one who reads.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the first cell runs: which of the three lines gives the forbidden token some weight? (The third.) Which changes the ratio of the other two? (None: it stays e in all three. What changes is how much is left for them: 1, 0.16 and 0.79.)

# %% [markdown] section="mask" minutes=6
# ## Before the softmax
#
# Suppose that the last of three tokens is forbidden and happens to have the largest score. The mask can be applied at three places:

# %% tags=["guess-first"]
scores = np.array([1.0, 0.0, 3.0])
allowed = np.array([True, True, False])


def softmax(row):
    powers = np.exp(row - row.max())
    return powers / powers.sum()


rows = {
    "forbidden scores set to −∞": softmax(np.where(allowed, scores, -np.inf)),
    "mask times finished weights": softmax(scores) * allowed,
    "mask times scores": softmax(scores * allowed),
}
for name, row in rows.items():
    print(f"{name:28}{row}, the allowed two: sum {row[:2].sum():.2f}, ratio {row[0] / row[1]:.3f}")

# %% [markdown]
# e to the power of −∞ is 0, so in the first row the forbidden token gets nothing and the allowed ones share the whole. A mask on finished weights leaves a row that adds up to less than 1, and the token takes too little of everything. A mask times the scores forbids nothing, because a score of 0 is a score like any other. The ratio of the two allowed tokens is the same in all three.
#
# One can also divide the second row by its sum afterwards. That is right on paper, and it fails where a forbidden score is far above the others:

# %%
far = np.array([1.0, 0.0, 1000.0])
with np.errstate(invalid="ignore"):
    late = softmax(far) * allowed
    print("divided afterwards:      ", late / late.sum())
    print("−∞ multiplied by a mask: ", -np.inf * np.array([0.0, 1.0]))
print("−∞ chosen where forbidden:", softmax(np.where(allowed, far, -np.inf)))

# %% [markdown]
# The weights of all allowed tokens have been rounded to 0, and 0 divided by 0 is not a number. So the largest *allowed* score has to be subtracted. The second line shows another way to NaN. The −∞ must be *chosen* where the mask says so, since 0 times −∞ is not a number either.
#
# One case remains, a token that may read nothing, such as one in a text of padding alone. All its scores are −∞, and the softmax has nothing to divide. We define its weights as zeros; libraries differ.

# %%
ask("3.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They multiply by the mask because that is how one hides things elsewhere. Say: *in a softmax a 0 hides nothing; a −∞ does.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the figure: with the mask on and positions off, which row stays? Let somebody say why before you show it. (The last token may read everything anyway.)

# %% [markdown] section="red-blue-red" minutes=5
# ## Red, blue, red
#
# Now three tokens, two of which are the same word. Queries, keys and values are the rows themselves, and the scores are divided by √4. For positions we add the encoding that lesson 6 builds. All that matters today is that it differs from position to position.

# %%
red, blue = [1.0, 0, 0, 0], [0, 1.0, 0, 0]
tokens = np.array([red, blue, red])
causal = np.tri(3, dtype=bool)


def weights_under(mask, x):
    scores = np.where(mask, x @ x.T / np.sqrt(x.shape[1]), -np.inf)
    return np.array([softmax(row) for row in scores])


# %% [markdown]
# Mask and positions can each be on or off, which makes four tables:

# %%
everything = np.full((3, 3), True)
tables = [
    weights_under(mask, x)
    for mask in (everything, causal)
    for x in (tokens, tokens + sinusoidal(3, 4))
]
lesson_03.four_tables(["red", "blue", "red"], tables)

# %% [markdown]
# - **Both off.** Rows 0 and 2 are equal. The two reds get the same output, and their positions cannot be seen.
# - **Positions on.** Rows 0 and 2 differ, although both tokens may read everything.
# - **Mask on.** Rows 0 and 2 differ for another reason. The first red may read nothing but itself. The last row is exactly what it was with both off.
# - **Both on.** The last row is that of positions alone. The mask has changed only the rows above it.

# %%
claim("mask-keeps-last-rows")

# %%
ask("3.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** “The rows of the two reds differ, so the mask has given them positions.” Say: *it has given them different books to read; it has not told them where they sit.*

# %% [markdown] tags=["instructor"]
# **In front of people**: both off; ask for a word to repeat, and type it three times among others. All brackets say =. Switch on the mask, ask which of them will change *before* you click, and why the last row did not. Switch it off, positions on. Then `no no no`, mask on, positions off: all equal words, and the rows are 1; 1/2, 1/2; 1/3, 1/3, 1/3. Leave that on the screen; the next sections need it.

# %% [markdown] section="playground" minutes=5
# ## Two switches, your own words
#
# Here is the table with both switches. *Causal mask* lets a token read itself and earlier ones, and *positions* adds an encoding at each position. The small tables show all four settings at once. A bracket joins each word to its next occurrence, with = where the two rows of weights are equal and ≠ where they are not. Equal words have equal rows; change them, too.

# %%
playground(lesson_03.attention_table)

# %% [markdown]
# Switch the mask on and off and watch the last row. It never changes. Then switch the positions. Every row changes that has a choice; under the mask the first token has none, since it can read only itself. Now take two words, no mask, and exchange them. Without positions the table is turned round, as lesson 2 proved, and with positions it is not:

# %%
turn, two = [1, 0], np.array([red, blue])
for name, encoding in (("positions off", np.zeros((2, 4))), ("positions on", sinusoidal(2, 4))):
    one, other = (weights_under(True, x + encoding) for x in (two, two[turn]))
    turned = np.allclose(one[turn][:, turn], other)
    print(f"{name}: the exchanged words turn the table round: {turned}")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for one switch that does both. Say: *one switch says what you may read, the other where you are.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the second cell: the last token reads the same five tokens in another order. Vote: does its output change? Then ask again for two layers, and let somebody find the reason.

# %% [markdown] section="breaks" minutes=6
# ## A mask breaks the symmetry by itself
#
# [Does a causal model still need positions?](https://github.com/idiap/fast-transformers/issues/102) Two answers are common: the mask gives the full order, and it gives none. We measure it on the six tokens of lesson 2, shuffled, once with each mask:

# %%
def attention(mask, x):
    return weights_under(mask, x) @ x


six, order = SIX_TOKENS, [3, 0, 5, 1, 4, 2]
for name, mask in (("no mask", np.full((6, 6), True)), ("causal", np.tri(6, dtype=bool))):
    error = np.abs(attention(mask, six[order]) - attention(mask, six)[order]).max()
    print(f"{name}: equivariant to 1e-10: {error < 1e-10}, largest difference {error:.4f}")

# %% [markdown]
# So *none* is wrong. The mask is defined by positions and not by content; a shuffle puts other tokens within reach, and the outputs do not follow their tokens. Next, the last token stays and only those before it are shuffled, in stacks with 20 different sets of random weights:

# %% tags=["guess-first"]
earlier = [3, 0, 4, 1, 2, 5]
for layers in (1, 2, 3):
    stacks = [stack(4, layers, seed, causal=True) for seed in range(20)]
    changed = [np.abs(f(six[earlier])[-1] - f(six)[-1]).max() > 1e-10 for f in stacks]
    print(f"{layers} causal layer(s): the last output changes in {sum(changed)} of 20 stacks")

# %%
claim("earlier-order-one-layer")

# %% [markdown]
# With **one layer** the output of a token is a function of that token and of the multiset of tokens up to it. It depends on which tokens came before, and not on their order. With **two or more layers** that is no longer so. An earlier token that moves has itself read other tokens in the layer below, and the last token reads the result. Such a stack can work out more, and the next section shows how. But nothing is handed to it. No row contains its position, and what can be worked out depends on weights and content. Haviv and others (2022) trained causal language models without encodings. They stayed competitive, and positions could be read off their inner layers.
#
# A padding mask that moves with its tokens brings in no order at all:

# %%
real = np.array([True, True, True, True, False, False])
padded = attention(np.tile(real, (6, 1)), six)
moved = attention(np.tile(real[order], (6, 1)), six[order])
print("a padding mask that moves with its tokens: equivariant:", np.allclose(moved, padded[order]))

# %%
ask("3.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** One of the two extremes. Say: *one layer sees who came before, as a collection; deeper layers can work out more, and nobody gives them a position.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: at which positions is the weight easiest to tell from the next? (The first ones: 1 and 1/2. At 1000 and 1001 the weights differ by a millionth.)

# %% [markdown] section="one-over" minutes=5
# ## 1, 1/2, 1/3
#
# A causal model can find out where a token is by a simple construction. Make all scores equal. At position p there are p + 1 tokens to read, and each gets the same weight:

# %%
uniform = weights_under(np.tri(6, dtype=bool), np.zeros((6, 4)))
print("weight of the first token:", uniform[:, 0])
print("one over it, minus one:   ", 1 / uniform[:, 0] - 1)

# %% [markdown]
# The weight of the first token is 1/(p + 1), which is different at every position. Suppose that the first token carries a mark, as the start token of many models does, and that no other token carries it. Then the mark arrives at each position with this weight:

# %%
marked = np.zeros((6, 1))
marked[0] = 1.0
print("the mark as it arrives:", (uniform @ marked)[:, 0])

# %%
claim("uniform-shares")

# %% [markdown]
# A later layer can work with that, so a mask and a mark can produce a position. Open the claim and let in a hundredth of the content, then a tenth. To read a position back, round to the nearest whole number, since 1/(1/n) misses n by a rounding error, sometimes below and sometimes above:

# %%
for n in (49, 93):
    found = 1 / (1 / n)
    print(f"1/(1/{n}) is {found!r}, cut to {int(found)}, rounded to {round(found)}")

# %%
ask("3.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** A weight of 1/5 is read as position 5. Say: *five tokens may be read at position 4, because position 0 may be read as well.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which of the six tokens looks as if it were at position 1, and why that one? (t3: it has the topic of t0.)

# %% [markdown] section="content" minutes=4
# ## With content it cannot be read
#
# Real scores are not equal. Here is the weight of the first token for the six tokens, in two orders:

# %%
first = {"equal scores": uniform[:, 0]}
for name, x in (("six tokens", six), ("six tokens, shuffled", six[order])):
    first[name] = weights_under(np.tri(6, dtype=bool), x)[:, 0]
    print(name, first[name])

# %%
lesson_03.read_back(first)

# %% [markdown]
# The token at position 3 has the topic of the first and gives it almost half of its weight, as if it were at position 1. The last gives it so little that one would look for it at position 72. The weight now says how well two tokens fit, and the position cannot be read from it. A model may learn to keep part of its attention free of content, but nothing forces it to.
#
# So the harder case is the encoder, in which every token may read every other. By lesson 2 it has exactly nothing to go by. A decoder has its mask and can work out some order. [Why has the decoder no positions?](https://github.com/KasperGroesLudvigsen/influenza_transformer/issues/19) is a question about code that adds them on the encoder's side only, and leaves its decoder with what the mask gives. The Transformer of 2017 added them on both sides.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take the construction for a description of what models do. Say: *that it can be built shows that it is possible; what is learned has to be measured.*

# %% [markdown]
# ## Seen in the wild
#
# - **[Runs like a recurrent network, so no positions?](https://github.com/idiap/fast-transformers/issues/102)** A user asks whether causal attention that is computed step by step still needs encodings. The state that is carried along is a sum, and a sum does not depend on the order of its terms, so two orders of the earlier tokens leave the same state. The user's model without encodings went wrong.
# - **[True for forbidden](https://github.com/rasbt/LLMs-from-scratch/issues/1061).** An upper triangle of True was passed to a function in which True means *read*. The same array is right for another function of the same library. Each token read the tokens after it and no others, while every shape and type was correct.
# - **[The mask after the softmax](https://github.com/huggingface/pytorch-image-models/pull/2236).** A vision model masked finished weights. With equal scores and two of five keys hidden, its rows add up to 0.6.
# - **[A row of nothing](https://github.com/tracel-ai/burn/pull/4697).** Two masks together forbade everything to a query. Its row became NaN, and with it all that was computed from it. The repair bounds the largest score and the sum from below, so that the row is 0.

# %%
state, other = (np.sum([np.outer(row, row) for row in six[o]], axis=0) for o in (order, earlier))
print("the state of two orders is the same:", np.allclose(state, other))
print("tokens read by each of five:", np.triu(np.ones((5, 5), int), 1).sum(axis=1), "of the later,",
      np.tri(5, dtype=int).sum(axis=1), "of itself and the earlier")
print("rows masked after the softmax add up to", (np.full(5, 0.2) * [1, 1, 1, 0, 0]).sum().round(2))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails names the call, and often the mistake. For a hint, take the `#` away in front of it and run the cell.
#
# In all masks True means that reading is allowed. Your functions must not change their arguments.

# %% [markdown] tags=["challenge-text"] challenge="3.1"
# Write `reading_mask(real)` for a text that is read forwards and may contain padding. `real` is an array of n values, True for a word and False for padding.
#
# 1. It returns an array (n, n) of True and False. Entry [i, j] is True where the token at position i may read the one at position j.
# 2. A token may read itself and earlier tokens, and no later ones.
# 3. Nobody may read padding, wherever in the text it is. A padding token may not read itself either.
# 4. Rows of padding tokens follow rules 2 and 3 like all other rows.

# %% tags=["challenge"] challenge="3.1"
def reading_mask(real):
    """Who may read whom in a text with padding: (n, n) bools, True where reading is allowed."""
    ### STUB: which rule compares two positions, which looks at one token, and when do both hold?
    ### BEGIN SOLUTION
    position = np.arange(len(real))
    return (position[:, None] >= position) & real
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="3.2"
# Write `masked_attention_weights(scores, mask)`. Both arrays have the shape (queries, keys); the number of queries and of keys may differ. The scores are already scaled, so they are not divided by a root again.
#
# 1. Each row of the result is the softmax of that row's allowed scores. A forbidden entry is 0.
# 2. A row that may read nothing is all zeros.
# 3. Scores of ±10,000 give right and finite weights, allowed or forbidden, and so do forbidden scores far above the allowed ones.

# %% tags=["challenge"] challenge="3.2"
def masked_attention_weights(scores, mask):
    """Attention weights of the allowed keys: (queries, keys), 0 where the mask is False."""
    ### STUB: choose −∞ where reading is forbidden, and think of a row in which nothing is allowed
    ### BEGIN SOLUTION
    hidden = np.where(mask, scores, -np.inf)
    largest = hidden.max(axis=1, keepdims=True)
    powers = np.exp(hidden - np.where(np.isfinite(largest), largest, 0.0))
    totals = powers.sum(axis=1, keepdims=True)
    return powers / np.where(totals > 0, totals, 1.0)
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="3.3"
# Write `position_from_share(shares)`. A share is another word for an attention weight. The array `shares` holds weights of the first token of a text, under causal attention with equal scores, each taken at some position.
#
# 1. It returns one whole number for each weight: the position at which the first token has it, counted from 0.
# 2. The weights are in no particular order, and one may occur several times. Positions are 0 to 2000.
# 3. Floating point misses the whole number by a little, sometimes above and sometimes below.

# %% tags=["challenge"] challenge="3.3"
def position_from_share(shares):
    """The position at which the first token has each of these weights: whole numbers."""
    ### STUB: how many tokens are read at position p, and what weight does each of them get?
    ### BEGIN SOLUTION
    return np.rint(1 / shares).astype(int) - 1
    ### END SOLUTION


# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A mask says what may be read, an encoding where a token is. Red, blue, red: the mask leaves the last row as it was, and positions change every row that has a choice.
# - Forbidden scores become −∞ before the softmax; the largest allowed score is subtracted; a row that may read nothing is zeros.
# - A causal mask breaks equivariance. One layer depends on which tokens came before and not on their order. Deeper stacks can work out more, but no row is given its position.
# - With equal scores the first token's weight is 1/(p + 1), and the position can be read from it. With content it cannot.
# - An encoder without positional encodings has nothing to go by.
#
# The simplest way to tell it would be to write the number of the position into the row. [Lesson 4](04_naive_positions.ipynb) tries that.

# %% [markdown]
# ## Sources
#
# - A. Vaswani and others, *Attention Is All You Need*, 2017, sections 3.2.3 and 3.5: the mask of the decoder, scores set to −∞, and encodings at the bottom of both stacks. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - A. Haviv and others, *Transformer Language Models without Positional Encodings Still Learn Positional Information*, 2022: causal models trained without encodings, and what can be read from their layers. [arXiv:2203.16634](https://arxiv.org/abs/2203.16634)
# - A. Kazemnejad and others, *The Impact of Positional Encoding on Length Generalization in Transformers*, 2023: the construction with weights 1, 1/2, 1/3, … and a proof that a causal stack can go on from it to relative positions. [arXiv:2305.19466](https://arxiv.org/abs/2305.19466)
# - [Does a causal model still need positions?](https://github.com/idiap/fast-transformers/issues/102) and [Why has the decoder no positions?](https://github.com/KasperGroesLudvigsen/influenza_transformer/issues/19): two questions that this lesson answers. Two libraries, two meanings of True: [x-transformers issue 160](https://github.com/lucidrains/x-transformers/issues/160).
# - The six made-up tokens are those of lesson 2.
# - To read alongside: section 3.2.3 of Vaswani and others, with one question in mind: of the three places where the model uses attention, which is masked?
