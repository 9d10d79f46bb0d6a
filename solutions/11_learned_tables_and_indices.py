# %% [markdown]
# # 11 · A row for every position, and a contract
#
# **What is gained.** Positions without a formula: a table of rows that training fills in. **What breaks** is the numbering. A program that numbers its tokens differently from the one that trained the rows gets wrong answers, and every shape stays right.
#
# **Afterwards you can** look up a table safely; say which of its rows training reaches; lengthen it in three ways; number padded, packed and decoded tokens; and say which numbering mistakes cost nothing, which cost everything, and which are worse than having no positions.
#
# **You need** the attention of [lesson 2](02_attention_forgets_order.ipynb), the mask of [lesson 3](03_order_is_not_permission.ipynb), the table of [lesson 6](06_sinusoidal_encoding.ipynb) and the shift matrix of [lesson 9](09_shift_rotations.ipynb). Gradients are taken by the course's own trainer, in NumPy.

# %%
import numpy as np

from posenc.attention import causal_mask, masked_attention_weights
from posenc.classroom import ask, bar, case, check, claim, hint, playground, progress, solution
from posenc.encodings import learned_table, rotate
from posenc.figures import lesson_11
from posenc.training import (
    TASKS, Settings, accuracy_by_position, band, first_parameters, forward, grow_table,
    loss_and_gradients, numbering_costs, rows_between, train, with_table,
)

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Where does row p of the sinusoidal table come from? (A formula in p.) How many parameters has it? (None.) What is the gradient of x + P with respect to P? (What arrives; it passes unchanged.) Then ask: *if the rows were free numbers, which of them would a text of ten tokens change?*
#
# **When late**, skip *Three ways to stretch a table*. Keep *What a wrong number costs*; it is the section that people remember.

# %% [markdown] tags=["instructor"]
# **Ask the room**: a table of 100 rows; which is the largest position it takes? (99.)

# %% [markdown] section="rows" minutes=4
# ## A table instead of a formula
#
# BERT and the GPT models up to the third took the other choice of 2017: a matrix with one row for each position, filled with random numbers and trained like every other weight. To encode a position is to take its row.

# %%
table = learned_table(8, 4)
positions = np.array([0, 1, 2])
print(table[positions])
by_one_hot = np.eye(8)[positions] @ table
print("the same as one-hot rows times the table:", np.allclose(by_one_hot, table[positions]))

# %% [markdown]
# Libraries call such a layer an **embedding**: a matrix, and a function that returns the rows with given numbers. Words have one (lesson 1), and positions can have another. In `Embedding(1000, width)` the first number is how many rows there are, here the **capacity**: the longest text that has a row for each of its tokens.
#
# Nothing is assumed. If the first position of a text matters more than any other, row 0 can say so. What is not assumed has to be learned row by row, and rows cost parameters:

# %%
print("512 positions of width 768:", format(512 * 768, ","), "parameters; the formula has none")

# %% [markdown]
# The caller supplies the position. It may be repeated, skip or begin anywhere: `table[[5, 5, 0]]` is a legal lookup, and the position numbers of a tree or a page can be looked up as well.

# %%
print("rows 5 and 5 are equal:", np.array_equal(*table[[5, 5]]))
print("NumPy's row −1 is row 7:", np.array_equal(table[-1], table[7]))

# %% [markdown]
# The last line is a trap. NumPy takes a negative position for a row counted from the end and raises no error; challenge 11.1 asks for one.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take capacity for the width, or for the number of words known. Say: *one row, one position.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which rows of the table will change if every training row has eight tokens?

# %% [markdown] section="training" minutes=6
# ## Trained here
#
# One attention layer, no more, learns to copy the token three back. Its forward pass for one row, in full:

# %%
weights = first_parameters("learned", seed=0)
tokens = np.array([3, 1, 4, 1, 5, 9, 2, 6])
x = weights["embedding"][tokens] + weights["table"][: len(tokens)]
queries, keys, values = (x @ weights[name] for name in ("query", "key", "value"))
scores = queries @ keys.T * x.shape[1] ** -0.5
logits = masked_attention_weights(scores, causal_mask(8)) @ values @ weights["output"]
same = np.allclose(logits, forward(weights, tokens[None], "learned").logits[0], atol=1e-5)
print("logits", logits.shape, "· the trainer computes the same:", same)

# %% [markdown]
# The softmax of the logits is a probability for each of the 16 tokens. The loss is minus the logarithm of the right token's probability, averaged over all positions that have an answer. Before training it is near that of a guess.

# %%
probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
answers = tokens[:-3]
loss = -np.log(probabilities[np.arange(3, 8), answers]).mean()
targets = TASKS["three_back"].targets(tokens[None], Settings())
found, gradients = loss_and_gradients(weights, tokens[None], targets, "learned")
print(f"loss {loss:.2f}, the trainer says {found:.2f}, a guess costs {np.log(16):.2f}")
print("rows of the table with a gradient:", int(gradients["table"].any(axis=1).sum()), "of", 128)

# %% [markdown]
# Eight tokens, eight rows. Now 250 steps on fresh random rows of 32 tokens, from three seeds. A guess is right in 0.06 of all cases:

# %%
layers = [train("learned", "three_back", seed) for seed in (0, 1, 2)]
trained, accuracy = layers[0], np.array([accuracy_by_position(layer) for layer in layers])
print(f"loss of the last step, seed 0: {trained.losses[-1]:.2f}")
print("accuracy within 32 tokens: ", band(np.nanmean(accuracy[:, :32], axis=1)))
print("accuracy from 32 to 127:   ", band(np.nanmean(accuracy[:, 32:], axis=1)))

# %% [markdown]
# A parameter that training is told to leave alone is called **frozen**. That can happen by accident: if a program adds a *copy* of the rows, the gradient reaches the copy and stops there.

# %%
ask("11.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They think that a table has to be told what order is. Say: *it is told the loss; the rest is gradient.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: the first three rows of the right picture look odd. Why? (Nothing is asked for there.)

# %% [markdown] section="structure" minutes=4
# ## Structure that has to be learned
#
# The sinusoidal table comes with its geometry: equal norms, equal steps, one rotation for each shift. A fresh table has none. What has this one after training? Take the tokens away and let the rows alone decide where each position looks:

# %%
lesson_11.structure(trained)

# %% [markdown]
# From each row alone the layer finds the row three before it: 29 agreements between pairs of rows, none of which says anything about row 32. Lesson 9 found no matrix that moves the rows of a random table. Here rows and weights were trained together, so that two matrices need to fit 32 rows only. On longer rows one can ask whether training made a shift matrix:

# %%
claim("no-shift-matrix")

# %% [markdown]
# Nor is there *the* learned table. Rows of two seeds are unrelated, and both do the task:

# %%
one, two = (layer.parameters["table"][:32].ravel() for layer in layers[:2])
print(f"correlation of the rows of two seeds: {np.corrcoef(one, two)[0, 1]:.1f}")

# %% [markdown]
# So a table cannot be exchanged for another, any more than a weight matrix can.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "It learned *three back*." Say: *it learned 3 to 0, 4 to 1, 5 to 2, and so on to 31.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: set the claim's trained length to 4. What remains of the table? Set it above the capacity. What happens, and why is that the better failure?

# %% [markdown] section="untouched" minutes=4
# ## Rows that nobody trains
#
# A row that is not looked up gets no gradient. Here, of 128 rows:

# %%
same = (trained.parameters["table"] == trained.before["table"]).all(axis=1)
print("rows as they were drawn:", np.flatnonzero(same)[0], "to", np.flatnonzero(same)[-1])

# %%
claim("untrained-rows")

# %% [markdown]
# Such a row is random numbers that the other weights never met, which is why the accuracy above falls to a guess at position 32. A larger capacity alone buys no reach. BERT spent most of its steps on texts of 128 tokens and finished at 512, so that the later rows were trained at all. And past the last row there is nothing to look up: the 513th token of a table with 512 rows ends in an error.

# %%
ask("11.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "It generalises to the next positions." Say: *row 128 has never heard of row 127.*

# %% [markdown] tags=["instructor"]
# **Ask the room** before the loop runs: which of the two tasks survives stretching? Take votes for each way.

# %% [markdown] section="growing" minutes=5
# ## Three ways to stretch a table
#
# If a table is too short, its rows can be read in between, as one resizes a picture. There is more than one way to lay the new rows over the old ones:

# %%
lesson_11.places()

# %% [markdown]
# Image libraries offer the first and the last under one switch, often called `align_corners`; the second is position interpolation, which lesson 12 measures for rotary. Rows between are straight lines between two rows. Does the trained layer still work, with 32 rows stretched to 64?

# %%
places = {
    "ends on ends": np.linspace(0, 31, 64),
    "equal fraction": np.arange(64) / 2,
    "middles on middles": (np.arange(64) + 0.5) / 2 - 0.5,
}
short = {task: [train("learned", task, seed, Settings(table_rows=32)) for seed in (0, 1, 2)]
         for task in ("three_back", "latest_mark")}

# %%
def told(layers, longer):
    accuracy = [accuracy_by_position(with_table(layer, longer(layer.parameters["table"])))
                for layer in layers]
    inside, beyond = (np.nanmean(part, axis=1) for part in np.split(np.array(accuracy), 2, axis=1))
    return f"{band(inside):18}{band(beyond):12}"


print(f"{'':22}three back: to 32 to 64       latest mark: to 32 to 64")
for name, where in places.items():
    read = [told(each, lambda rows: rows_between(rows, where)) for each in short.values()]
    print(f"{name:22}{' '.join(read).rstrip()}")
fresh = [told(each, lambda rows: grow_table(rows, 64, "fresh")) for each in short.values()]
print(f"{'32 fresh rows added':22}{' '.join(fresh).rstrip()}")

# %% [markdown]
# The choice among the three hardly matters, and the task does. *The latest mark* needs only later and earlier, and a stretched table keeps both. *Three back* is now six rows back, and the accuracy is lost within the trained length too. Fresh rows leave the old half as it was and add nothing to the new one. Either way, the table needs more training.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They look for the right way to interpolate. Say: *the rows moved; weights that counted rows are lost.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: a model has 1,026 rows and its card says 1,024 tokens. Bug? (Ask for its offset first.)

# %% [markdown] section="offsets" minutes=4
# ## Where counting begins
#
# Some libraries keep the first rows for other uses. In fairseq, and in models that came from it, the number of the pad token, `padding_idx`, often 1, is also its row, and real tokens begin at the next one:

# %%
tokens, pad = np.array([[5, 3, 6, 7, 1, 1, 1]]), 1
real = tokens != pad
print("rows:", np.where(real, np.cumsum(real, axis=1) + pad, pad)[0])
print("rows needed for 512 tokens:", 512 + pad + 1)

# %% [markdown]
# That is why such a table has 514 rows, and why the layer is given the *tokens* and not their embeddings: it has to see which of them are pads. OPT counts from the mask and adds a fixed 2. Both are conventions, and neither can be seen in the shape of the weights. Code that counts from 0 makes every token read the row two positions before its own.

# %%
ask("11.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They delete the "spare" rows. Say: *the offset is part of the weights.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: how would you notice? (Run one text alone and in a padded batch, and compare.)

# %% [markdown] section="contract" minutes=6
# ## The index is a contract
#
# A model writes one token at a time. The keys and values of earlier tokens are kept in a **cache**, so that each step computes one new query, key and value. A cached key was made from a row with a number, and it keeps that number.
#
# Three moments at which a program numbers tokens, and what results if it counts places in the row:

# %%
lesson_11.numbers()

# %% [markdown]
# **Padding.** Batches need rows of one length, and pads on the left push the real tokens to higher places. The mask keeps pads from being read and leaves the numbers as they are. **Packing.** Documents laid end to end each begin at 0. **Decoding.** The number of a new token is how many real tokens came before *in its own row*. In a stack of layers that count goes up once for each token, and not once in each layer.
#
# If pieces are cut out of longer texts, each sequence of a batch has its own first number.

# %%
mask = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
print("places:           ", np.broadcast_to(np.arange(5), mask.shape).tolist())
print("real tokens before:", [[int(row[:k].sum()) for k in range(5)] for row in mask])
print("next number of each row:", mask.sum(axis=1).tolist(), "and not", mask.shape[1])

# %% [markdown]
# Every wrong numbering here has the right shape, the right type and legal rows. No error is raised.

# %%
ask("11.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The mask takes care of padding." Say: *the mask says who is read; the number says which row is taken.*

# %% [markdown] tags=["instructor"]
# **In front of people**: the playground at 8, copying: nothing. Move to 16, 17, 20 and let them say what happens at 17. Then switch the task at 8.

# %% [markdown] section="costs" minutes=7
# ## What a wrong number costs
#
# Seven mistakes on trained tables, from three seeds. Copying the token three back asks for a distance; naming the first token asks for a place. Pads and other documents are masked throughout, so that the numbers alone are wrong. Each entry is the accuracy, and in brackets that of a model *without* positions on the same rows:

# %%
costs = numbering_costs(report=bar("Two tasks, two encodings, three seeds"))
print(f"{'numbering':41}{'copy three back':25}name the first")
for copying, naming in zip(costs[:8], costs[8:]):
    print(f"{copying.numbering.name:41}{copying.told():25}{naming.told()}")

# %%
lesson_11.kept(costs)

# %% [markdown]
# Left padding to 32 costs the first task *nothing*: if every number is too high by the same amount, three back is still three back, and the rows are still trained ones. A test of copying would have let this bug through. Four short documents without a reset are the same case, document by document.
#
# On the second task the same bug costs everything, and in most seeds it is *worse than no positions*, because the rows point at a wrong token. The clearest case is decoding with every token numbered 0: copying falls well below a model without positions, in every seed.
#
# Once the numbers run past the trained rows, both tasks are lost. Where numbers shift *within* a text, as in decoding, distances break too. An offset one too small gives two tokens one number. Copying suffers in part, and the first token stays where it was, so the second task loses nothing.

# %%
playground(lesson_11.shifted)

# %%
claim("shift-copy")

# %% [markdown]
# Does left padding hurt a rotary model (lesson 9)? Its scores depend on distances, which a common shift leaves alone:

# %%
queries, keys = np.random.default_rng(0).normal(size=(2, 6, 8))
right, padded = (rotate(queries, p) @ rotate(keys, p).T for p in (np.arange(6), np.arange(5, 11)))
print(f"rotary scores, all numbers 5 too high: changed by {np.abs(right - padded).max():.3f}")

# %%
ask("11.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The shapes fit and the loss is fine." Say: *fine on which task? Ask one that depends on the place.*

# %% [markdown]
# ## Seen in the wild
#
# - **Row 0 taken for padding.** `padding_idx=0` on the position table [set row 0 to zero and froze it](https://github.com/huggingface/transformers/pull/409): the first token of every text lost its position.
# - **What belongs to the weights.** A computed table saved in a checkpoint [refused a longer one](https://github.com/espnet/espnet/pull/1060) although its rows do not depend on how many there are. Constants kept as [a frozen parameter](https://github.com/jmclong/random-fourier-features-pytorch/issues/6) were trained as soon as somebody unfroze the model. A learned table is a parameter. A computed one is no parameter and need not be saved with them.
# - **One limit, counted in tokens.** [Index 512 in a table of 512 rows](https://github.com/huggingface/transformers/issues/2446): the text had fewer than 512 words, and more than 512 tokens with the special ones. [Index 100 of 100](https://github.com/bentrevett/pytorch-seq2seq/issues/89) is the same off by one.
# - **Two coordinates, one list.** For images that are not square, [rows and columns were exchanged](https://github.com/huggingface/transformers/pull/41380) when the grid was laid out flat: the first pixels of a row got x = 0, 0, 0, 1. A similar report on MAE [was a false alarm](https://github.com/facebookresearch/mae/issues/18): two names were exchanged, no value.

# %%
rows, columns = 3, 4
print("x of the first four pixels:", (np.arange(4) % columns).tolist())
print("grid read in the other order:", (np.arange(4) // rows).tolist())
print("rows 0 to 4 of a computed table do not depend on its length:",
      np.array_equal(np.sin(np.arange(10.0))[:5], np.sin(np.arange(20.0))[:5]))

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Hints appear one at a time: take the `#` away and run the cell.

# %% [markdown] tags=["challenge-text"] challenge="11.1"
# Write `lookup(table, positions)`. `table` is (capacity, width), `positions` whole numbers of shape (n,) or (B, n).
#
# 1. It returns the rows of the table at these positions: (n, width) or (B, n, width).
# 2. A position below 0 or past the last row ends in an `IndexError` whose message holds that position and the capacity. Nothing is clipped or wrapped.

# %% tags=["challenge"] challenge="11.1"
def lookup(table, positions):
    """The rows of table at positions; IndexError names a bad position and the capacity."""
    ### STUB: first look for a position that has no row
    ### BEGIN SOLUTION
    bad = positions[(positions < 0) | (positions >= len(table))]
    if bad.size:
        raise IndexError(f"position {bad[0]} has no row in a table of capacity {len(table)}")
    return table[positions]
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="11.2"
# Write `position_ids(attention_mask)`. The mask is (batch, length), 1 at a real token and 0 at a pad; all pads of a batch are on one side, left or right.
#
# 1. It returns whole numbers of the same shape: in each row, the real tokens are 0, 1, 2, …
# 2. Pads may hold any whole number; only real tokens are judged.

# %% tags=["challenge"] challenge="11.2"
def position_ids(attention_mask):
    """The number of each real token within its own row: (batch, length)."""
    ### STUB: how many real tokens come before this one, in its row?
    ### BEGIN SOLUTION
    return np.cumsum(attention_mask, axis=1) - 1
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="11.3"
# Write `packed_position_ids(document_ids)`; `document_ids` has shape (length,), and each number in it names one contiguous document.
#
# 1. It returns whole numbers of shape (length,): each document counts its tokens from 0.
# 2. The numbers are names. They need not ascend, and a document may have one token.

# %% tags=["challenge"] challenge="11.3"
def packed_position_ids(document_ids):
    """The number of each token within its own document: (length,)."""
    ### STUB: where does the document of each token begin?
    ### BEGIN SOLUTION
    positions = np.zeros(len(document_ids), dtype=int)
    for k in range(1, len(document_ids)):
        if document_ids[k] == document_ids[k - 1]:
            positions[k] = positions[k - 1] + 1
    return positions
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="11.4"
# Write `next_position_ids(attention_mask, new_tokens)` for decoding with a cache. The mask is as in 11.2.
#
# 1. It returns the numbers of the next `new_tokens` tokens of each row: (batch, new_tokens).
# 2. Each row goes on from its own real tokens: three real ones behind two pads give 3, not 5.

# %% tags=["challenge"] challenge="11.4"
def next_position_ids(attention_mask, new_tokens):
    """The numbers of the next tokens of each row: (batch, new_tokens)."""
    ### STUB: how many real tokens does each row hold already?
    ### BEGIN SOLUTION
    real = attention_mask.sum(axis=1, keepdims=True)
    return real + np.arange(new_tokens)
    ### END SOLUTION


# %% tags=["uses-challenge"]
progress()

# %% [markdown]
# ## Recap
#
# - A learned table is a matrix with one row a position. What its rows say about order was learned row by row.
# - Rows that training does not look up stay as they were drawn, and past the last one there is none.
# - A stretched table keeps earlier and later, and loses exact distances.
# - The index is a contract between whoever numbers the tokens and whoever trained the rows: pads, packed documents, cached tokens and offsets have to agree.
# - A common shift on trained rows costs a purely relative task nothing, and can leave a task about places worse off than no positions at all. Test with both.
#
# The table ends at its last row, and the formula of lesson 6 has a row for any position. Whether that helps a trained model is what [lesson 12](12_extrapolation_and_beyond.ipynb) measures on five encodings.

# %% [markdown]
# ## Sources
#
# - J. Devlin and others, *BERT*, 2018, appendix A.2, for the lengths of its training. [arXiv:1810.04805](https://arxiv.org/abs/1810.04805); why it ends at 512: [issue 969](https://github.com/google-research/bert/issues/969).
# - A. Vaswani and others, *Attention Is All You Need*, 2017, section 3.5: learned and fixed positions. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - Offsets: [fairseq issue 1177](https://github.com/facebookresearch/fairseq/issues/1177), [1187](https://github.com/facebookresearch/fairseq/issues/1187) and [1559](https://github.com/facebookresearch/fairseq/issues/1559); [OPT's offset of 2](https://github.com/huggingface/transformers/issues/20761).
# - Left padding: [GPT-2](https://github.com/huggingface/transformers/issues/21080), [rotary](https://github.com/tloen/alpaca-lora/issues/315). Packing: [OLMo-core](https://github.com/allenai/OLMo-core/pull/591). Cached decoding: [mlx-vlm](https://github.com/Blaizzy/mlx-vlm/issues/1983), [flash-linear-attention](https://github.com/fla-org/flash-linear-attention/issues/766).
# - To read alongside: `numberings` in `posenc/training.py`, with one question: which eighth mistake would you add?
