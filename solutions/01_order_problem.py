# %% [markdown]
# # 1 · The same words, a different event
#
# **What breaks.** Count the words of two sentences, or look each of them up in a table, and “dog bites person” is “person bites dog”: whatever treats all words alike answers the same to both.
#
# **Afterwards you can** say what a bag of words and an embedding lookup keep and lose; count how many sentences one bag stands for; tell what a token is from where it stands; and name the two doors by which order can come in.
#
# **You need** arrays in NumPy and what a matrix times a vector is. The course begins here.

# %%
import math
from itertools import permutations

import numpy as np

from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.figures import lesson_01

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. What does `table[[2, 0, 2]]` give for an array of three rows? (Rows 2, 0 and 2 again: three rows.) What does `.mean(axis=0)` do to an array of shape 5 by 3? (It leaves three numbers, one a column.) How many ways are there to line up four people? (24.)
#
# **When late**, skip *Reading in turn* and tell its last paragraph. Do not skip *Pooled*: every later lesson rests on it.

# %% [markdown] tags=["instructor"]
# **Ask the room**: for which tasks would a bag be enough? Take answers: the topic of a text, spam, the language. Then: for which not? Let them find one of their own before you go on.

# %% [markdown] section="one-bag" minutes=4
# ## One bag, two events
#
# A sentence says who did what to whom, and in English much of that is in the order of its words. Here are two sentences that a reader will not mix up:

# %%
first = ["dog", "bites", "person"]
second = ["person", "bites", "dog"]
vocabulary = ["bites", "dog", "person"]
for sentence in (first, second):
    counts = [sentence.count(word) for word in vocabulary]
    print(" ".join(sentence).ljust(16), "has the counts", counts)

# %% [markdown]
# The list of counts, one for each word of the vocabulary, is called a **bag of words**: as if the words were shaken in a bag. It keeps which words come and how often. Both sentences give 1, 1, 1. A program that is handed only the counts cannot tell the two events apart, however large it is: equal inputs, equal outputs. For some tasks that is enough. The topic of a text, or its language, is mostly a matter of which words come; who bites whom is not.

# %%
ask("1.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They say that a bag "knows that dog comes before person", since they read the sentence above it. Say: *look at the three counts, not at the sentence; what else has these counts?*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the cell runs: 120 or fewer? Let somebody say why the two “the” matter. Then let three people make sentences from a, a, b at the board: there are three.

# %% [markdown] section="how-much-is-lost" minutes=5
# ## How much a bag loses
#
# How many sentences share one bag? For five words the list can be written out. Python's `permutations` gives every way to fill five seats, and a set keeps each sentence once:

# %%
words = "the dog chased the cat".split()
fillings = list(permutations(words))
print("ways to fill five seats:", len(fillings), "=", math.factorial(5))
print("different sentences:", len(set(fillings)))
print("one of them:", " ".join(min(fillings)))

# %% [markdown]
# There are half as many sentences as fillings, because the two “the” can change places and nothing shows. In general n! is divided by the factorial of each word's count. Open the claim and let “the” come three times.

# %%
claim("same-bag-orders")

# %% [markdown]
# Most of the 60 are no English, but at least two are, and their events differ: the dog chased the cat, the cat chased the dog. A program that reads the bag gives one answer for all 60, so it is wrong for at least one of these two. With the length the number outgrows any list:

# %%
for n in (5, 10, 20):
    print(f"{n:2} different words, one bag, {math.factorial(n):,} orders")

# %%
ask("1.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They divide by the count, not by its factorial: with two equal words this gives the same number, so the mistake stays hidden until a word comes three times. Say: *three equal words can change places in six ways.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: find a pair of neighbours that only one of the two longer sentences has. Give them a minute; there is none.

# %% [markdown] section="neighbours" minutes=3
# ## Counting neighbours instead
#
# An older remedy is to count pairs of neighbours instead of single words. Does it bring the order back?

# %%
def pairs(sentence):
    words = sentence.split()
    return sorted(zip(words, words[1:]))


one, two = "we ate then we ran then we slept", "we ran then we ate then we slept"
print("dog and person, same pairs:  ", pairs("dog bites person") == pairs("person bites dog"))
print("eating and running, same pairs:", pairs(one) == pairs(two))

# %% [markdown]
# It tells our two sentences apart and fails at the next two: “then we” comes twice, and what stands between can be exchanged without a new pair. Triples fail later, and for a vocabulary of V words there are V · V · V of them, few of which any text has shown. The order has to be told in another way than by counting more.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They conclude that neighbours are useless. Say: *they carry much of the order, and none that reaches further than they do.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: the first array begins with dog, the second with person. So is the order not there? Leave it open; the section after the playground answers it.

# %% [markdown] section="same-row" minutes=5
# ## A lookup does not ask for the seat
#
# Neural models do not start from counts. They look each token up in a table that holds one row of numbers for each word of the vocabulary, an **embedding**. Real rows have hundreds of numbers and are learned; these have three and are made up:

# %%
table = np.array([[0.2, 0.9, -0.4],    # bites
                  [1.1, -0.3, 0.5],    # dog
                  [-0.7, 0.4, 0.8]])   # person
x_first = table[[vocabulary.index(word) for word in first]]
x_second = table[[vocabulary.index(word) for word in second]]
print("row of dog, seat 0 of the first: ", x_first[0])
print("row of dog, seat 2 of the second:", x_second[2])

# %% [markdown]
# Do the two arrays hold anything that the other does not? Follow the lines from each row to its twin:

# %%
lesson_01.same_rows(first, second, vocabulary, table)

# %% [markdown]
# The word goes in, its row comes out; the seat is not among the questions. So both sentences have the same rows, each as often: the same **multiset** of rows. As lists they differ. Sorted, they are one list:

# %%
rows_first, rows_second = x_first.tolist(), x_second.tolist()
print("as they stand, equal:", rows_first == rows_second)
print("sorted, equal:       ", sorted(rows_first) == sorted(rows_second))

# %%
ask("1.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They expect that training gives “bank” another row on another seat. Say: *one word, one row; what differs has to come from somewhere else.*

# %% [markdown] tags=["instructor"]
# **In front of people**: start at shuffle 0, press the arrow key slowly, and ask each time which panels moved. Then write “no no” and ask what the shuffle will do *before* you move it.

# %% [markdown] section="playground" minutes=4
# ## Shuffle the words
#
# What moves when a sentence is shuffled, and what stays? Move the shuffle, then write a sentence of your own. Each word's row is drawn from its letters, so a word has one row in every sentence.

# %%
playground(lesson_01.shuffle)

# %% [markdown]
# The rows change seats. The count vector and the sorted rows stay, at every shuffle, for every sentence. If each word has a row of its own, the sorted rows and the counts are the same information: either can be written down from the other. Looking words up has made numbers of them, and has added nothing about their seats.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take the sorted panel for a second sentence. Say: *sorting is our way to see that the rows are the same rows; no model sorts.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, at stamp 1 and bend 0: why does the claim hold again? Wait for "the stamps are summed anyway".

# %% [markdown] section="pooled" minutes=5
# ## Pooled: the seat in memory is not used
#
# An array has a first row. Is the order then not there after all? It is in memory, and it helps only a computation that treats row 0 otherwise than row 1. Many do not. Put every row through the same layer, then take the mean:

# %%
weights = np.array([[0.5, -1.0], [1.0, 0.3], [-0.2, 0.8]])
for x in (x_first, x_second):
    print(np.tanh(x @ weights).mean(axis=0))

# %% [markdown]
# A mean does not ask which row came first, and the layer before it saw one row at a time. Would a vector added for each seat help? The claim lets you add one, and choose how far the layer bends.

# %%
claim("pooled-reversal")

# %% [markdown]
# With a stamp and a bend the two sentences come apart. With a stamp and *no* bend they do not: the mean of word plus seat is the mean of the words plus the mean of the seats, whoever sits where. So adding positions is half of the matter. Something after the sum has to let word and seat meet. In attention that is the score, the product of two sums, and the softmax.

# %%
ask("1.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The tensor has an order, so the network sees it." Say: *seeing needs a weight that belongs to a seat; show me that weight.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which line of the loop makes the order count? (The state that goes from one turn into the next.)

# %% [markdown] section="in-turn" minutes=3
# ## Reading in turn, and what was taken out
#
# A recurrent network needs no positions. It reads one row after the other and carries a state along, so the order is in the way it computes:

# %%
def read_in_turn(x):
    state = np.zeros(3)
    for row in x:
        state = np.tanh(0.5 * state + row)
    return state


print("first: ", read_in_turn(x_first))
print("second:", read_in_turn(x_second))

# %% [markdown]
# The price is that step 100 waits for step 99. The Transformer of 2017 took the recurrence out, and convolution with it, so that all tokens can be worked on at once. With the loop went the order, and its authors say in the same paper that something had to be put back. They tried two ways, vectors that are learned and vectors that are fixed by a formula, and found the results nearly identical. Lessons 5 to 9 are about the fixed ones, lesson 11 about the learned.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take positional encodings for an improvement over recurrent networks. Say: *they repair what was taken out to gain speed.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: the row is [2, 2]. Which word, which seat? Let them find both answers.

# %% [markdown] section="what-and-where" minutes=4
# ## What a token is, and where it stands
#
# Two kinds of information belong to a token. Its **content** says *what* it is, its **position** says *where* it stands. Positions count from 0 here, and *seat* is our word for a place in a sequence. Give every seat a vector of its own and add it to the row that stands there. The two position vectors are made up for illustration:

# %%
word = np.array([2, 1])
seats = np.array([[0, 1], [1, 0]])
print("seat 0:", word + seats[0])
print("seat 1:", word + seats[1])

# %%
claim("one-word-two-positions")

# %% [markdown]
# One word, two rows: what comes later can tell the seats apart. Open the claim and set the size to 0, and the two rows are one again.
#
# It cannot always be told what was added to what. Another word on the other seat gives the same row:

# %%
other = np.array([1, 2])
print("other word, seat 1:", other + seats[1])

# %% [markdown]
# In two dimensions such meetings are hard to avoid; rows of hundreds of numbers leave more room. What the sum costs is measured in lesson 10. What makes a set of position vectors a good one is the question of lesson 4, and lessons 5 to 9 build one.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They hear "position" as a property of the word. Say: *the vector belongs to the chair; whoever sits down wears it.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which door would a phrase like "three words back" go through more directly? (Door 2: it speaks of two seats.) Leave it there; lesson 12 takes it up.

# %% [markdown] section="two-doors" minutes=4
# ## Two doors, and what neither brings in
#
# Attention compares tokens by a score, the product of two vectors; lesson 2 writes it out. So there are two places at which the order can come in:

# %%
lesson_01.two_doors()

# %% [markdown]
# Through **door 1** the rows change before they are compared. Through **door 2** the rows stay as they are, and the score gets a number that depends on the two seats. How does dog score bites, from seat 0 and from seat 2?

# %%
bites, dog = table[0], table[1]
stamps = np.array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.5]])
for seat in (0, 2):
    by_rows = (dog + stamps[seat]) @ (bites + stamps[1])
    by_score = dog @ bites + 0.1 * (1 - seat)
    print(f"dog on seat {seat}: score {dog @ bites:.2f} with neither, "
          f"{by_rows:.2f} by door 1, {by_score:.2f} by door 2")

# %% [markdown]
# Without a door the score is the same from both seats. Lessons 4 to 11 go through door 1, and lesson 12 through door 2. Neither brings in a grammar. In “dog bites person” and in “dog bitten by person” the dog has seat 0, and the events are opposite. An encoding is information that *can be used*. That the one on seat 0 often acts, and when it does not, has to be learned from texts.

# %%
ask("1.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "With positions the model understands word order." Say: *it is told the seat; what follows from a seat it has to learn.*

# %% [markdown]
# ## Seen in the wild
#
# - **[A layer that nobody called](https://github.com/Lightning-AI/pytorch-lightning/pull/20099).** A demonstration Transformer made a positional encoding and never used it. Nothing crashed. The pooled outputs of “a b c” and “c b a” are then equal, and two lines of test would have said so.
# - **[A line commented out](https://github.com/wenliangdai/Multimodal-End2end-Sparse/issues/16).** An encoder of video frames adds no positions, and its author found no effect on his data. That is possible: such a model is a bag of frames, and some tasks can be solved from a bag. It is a limit to know of, not a mistake.
# - **[Two molecules in one vector](https://github.com/DaoyuanLi2816/Molecule-Generator/pull/23).** Molecules are written as strings of atoms, and CCO and OCC looked the same to an encoder without positions.

# %%
atoms = {"C": [0.4, -0.9], "O": [-0.6, 0.7]}
stamps = np.array([[0.0, 1.0], [0.8, 0.5], [1.0, 0.2]])
for size in (0, 1):
    cco, occ = (np.tanh(np.array([atoms[a] for a in s]) + size * stamps) for s in ("CCO", "OCC"))
    gap = np.abs(cco.mean(axis=0) - occ.mean(axis=0)).max()
    print("stamps of size", size, "· pooled difference above 0.001:", gap > 0.001)

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails says at which call, and which mistake the numbers look like. Rows may differ by 2e-5 plus a hundred-thousandth of the value, so single precision is enough; counts are exact. Hints come one at a time: take the `#` away and run the cell.
#
# In all of them tokens and vocabulary are lists of words, compared as they are written, and each word stands in the vocabulary once. Arguments must not be changed.

# %% [markdown] tags=["challenge-text"] challenge="1.1"
# ### Challenge 1.1 · A bag of words
#
# *3 points · 8 minutes · difficulty 1 of 3*
#
# Write `bag_of_words(tokens, vocabulary)`.
#
# 1. It returns how often each word of the vocabulary comes in `tokens`, in the order of the vocabulary.
# 2. A word that does not come has the count 0.
# 3. A token that the vocabulary lacks ends in a `KeyError` whose message holds that token.

# %% tags=["challenge"] challenge="1.1"
def bag_of_words(tokens, vocabulary):
    """How often each word of the vocabulary comes, in its order: (V,)."""
    ### STUB: where does the count of a token belong, and who notices a token without a place?
    ### BEGIN SOLUTION
    place = {word: number for number, word in enumerate(vocabulary)}
    counts = np.zeros(len(vocabulary), dtype=int)
    for token in tokens:
        counts[place[token]] += 1
    return counts
    ### END SOLUTION


# %% tags=["check"] challenge="1.1"
check("1.1", bag_of_words)
# hint("1.1", 1)
# solution("1.1")

# %% [markdown] tags=["challenge-text"] challenge="1.2"
# ### Challenge 1.2 · A row for each token
#
# *3 points · 8 minutes · difficulty 1 of 3*
#
# Write `embed(tokens, vocabulary, table)`. The table has one row for each word of the vocabulary, in its order.
#
# 1. It returns an array (n, d): row p is the table's row for token p.
# 2. A word that comes twice has its row twice.
# 3. A token that the vocabulary lacks ends in a `KeyError` whose message holds that token.

# %% tags=["challenge"] challenge="1.2"
def embed(tokens, vocabulary, table):
    """The table's row for each token, in the order of the tokens: (n, d)."""
    ### STUB: first the number of each token's word, then the rows with these numbers
    ### BEGIN SOLUTION
    place = {word: number for number, word in enumerate(vocabulary)}
    return table[[place[token] for token in tokens]]
    ### END SOLUTION


# %% tags=["check"] challenge="1.2"
check("1.2", embed)
# hint("1.2", 1)
# solution("1.2")

# %% [markdown] tags=["challenge-text"] challenge="1.3"
# ### Challenge 1.3 · How many sentences share a bag
#
# *4 points · 10 minutes · difficulty 2 of 3*
#
# Write `orders_with_this_bag(tokens)`.
#
# 1. It returns how many different sentences have exactly these words, this one included: 60 for “the dog chased the cat”.
# 2. There are up to twelve tokens, and five seconds for all calls together. Listing the orders is too slow.

# %% tags=["challenge"] challenge="1.3"
def orders_with_this_bag(tokens):
    """How many different sentences have exactly these words, this one included."""
    ### STUB: how many fillings of the seats are there, and how many of them read the same?
    ### BEGIN SOLUTION
    orders = np.prod(np.arange(1, len(tokens) + 1))
    for word in set(tokens):
        orders = orders // np.prod(np.arange(1, tokens.count(word) + 1))
    return int(orders)
    ### END SOLUTION


# %% tags=["check"] challenge="1.3"
check("1.3", orders_with_this_bag)
# hint("1.3", 1)
# solution("1.3")

# %%
progress()

# %% [markdown]
# ## Recap
#
# - A bag of words keeps which words come and how often; all orders of the same words share one bag.
# - An embedding lookup asks for the word and not for the seat. Two orders have the same rows, each as often.
# - Pairs of neighbours keep some order, and none that reaches further than a pair.
# - Order in memory is no order in the computation: a layer that treats all rows alike, and a mean, cannot tell.
# - Content says what, position says where. A vector for the seat, added to the row, makes one word two rows.
# - There are two doors: the input vectors and the score. What comes through is information, not a grammar.
#
# A mean is a crude way to bring rows together. Attention weighs every token against every other and is far finer. Is it fine enough to notice the order? That is [lesson 2](02_attention_forgets_order.ipynb).

# %% [markdown]
# ## Sources
#
# - Z. Harris, *Distributional Structure*, Word 10, 1954: the phrase “a bag of words”, and that language is not merely one. [doi:10.1080/00437956.1954.11659520](https://doi.org/10.1080/00437956.1954.11659520)
# - A. Vaswani and others, *Attention Is All You Need*, 2017, sections 1 and 3.5: why the recurrence goes, what has to be put back, and the comparison of learned with fixed positions. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. Elman, *Finding Structure in Time*, Cognitive Science 14, 1990: a network that reads in turn. [doi:10.1207/s15516709cog1402_1](https://doi.org/10.1207/s15516709cog1402_1)
# - To read alongside: the first page of section 3.5 of Vaswani and others, with one question in hand: which of the two doors does it use?
