# %% [markdown]
# # 1 · The same words, a different event
#
# **What breaks.** Count the words of “dog bites person” and of “person bites dog”, or look each word up in a table of vectors, and nothing is left that tells the two sentences apart. A model that is given no more than this has one answer for both events.
#
# **Afterwards you can** say what a bag of words and an embedding lookup keep and what they lose; count how many sentences share one bag; keep apart what a token is and where it is; say what a positional encoding is; and name the two places in a Transformer at which order can come in.
#
# **You need** arrays in NumPy, and what a matrix times a vector is. The course begins here.

# %%
import math
from itertools import permutations

import numpy as np

from posenc.classroom import ask, case, check, claim, hint, playground, progress, solution
from posenc.figures import lesson_01

np.set_printoptions(precision=4, suppress=True)

# %% [markdown] tags=["instructor"]
# **Before you start, five minutes.** Ask three things of the room and go on only when they are answered. What does `table[[2, 0, 2]]` give for an array of three rows? (Rows 2, 0 and 2 again: three rows.) What does `.mean(axis=0)` do to an array of shape 5 by 3? (It leaves three numbers, one for each column.) How many ways are there to line up four people? (24.)
#
# **When late**, skip *Reading in turn* and tell its last paragraph. Do not skip *An encoding has to meet its word*: every later lesson rests on it.

# %% [markdown] tags=["instructor"]
# **Ask the room**: for which tasks would a bag be enough? Take answers: the topic of a text, spam, the language. Then ask for tasks where it is not, and let them find one of their own before you go on.

# %% [markdown] section="one-bag" minutes=6
# ## One bag, two events
#
# In English, word order says much of who did what to whom. Models read a sentence as a sequence of **tokens**, here its words. The place of a token in its sequence, counted from 0, is its **position**. In the first of these sentences dog has position 0, in the second position 2:

# %%
first, second = ["dog", "bites", "person"], ["person", "bites", "dog"]
vocabulary = ["bites", "dog", "person"]
counts = np.array([[text.count(word) for word in vocabulary] for text in (first, second)])
print(counts)

# %% [markdown]
# Such a list of counts, one for each word of the vocabulary, is called a **bag of words**, because the words might as well have been shaken in a bag. It keeps which words occur and how often.
#
# Now let a model learn who is hurt: +1 means the person, −1 the dog. We use a perceptron, one of the oldest classifiers that learn. It answers with the sign of a weighted sum, and moves its weights whenever the answer is wrong:

# %%
def learned_answers(features, labels=(1, -1)):
    weights = np.random.default_rng(0).normal(size=features.shape[1])
    for _ in range(1000):
        for x, label in zip(features, labels, strict=True):
            if label * (weights @ x) <= 0:
                weights += label * x
    return np.sign(features @ weights)


print("answers:", learned_answers(counts), "where [1, -1] is right")

# %% [markdown]
# After a thousand rounds it is still wrong about one of the two sentences. More rounds or a larger model would not help. Both sentences arrive as the same three numbers, and equal inputs give equal outputs. For some tasks the counts are enough: the topic of a text, or its language, depends mostly on which words occur. Who bites whom does not.

# %%
ask("1.q1")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They say that a bag "knows that dog comes before person", since they read the sentence beside it. Say: *cover the sentences and look at the two rows of counts; which is which?*

# %% [markdown] tags=["instructor"]
# **Ask the room**, before the cell runs: 120 or fewer? Let somebody say why the two “the” matter. Then let three people make sentences from a, a, b at the board: there are three.

# %% [markdown] section="how-much-is-lost" minutes=5
# ## How much a bag loses
#
# The sentences that share one bag can be listed as long as there are few. Python's `permutations` gives every way to distribute five words over five positions, and a set keeps each sentence once:

# %% tags=["guess-first"]
words = "the dog chased the cat".split()
fillings = list(permutations(words))
print("ways to fill five positions:", len(fillings), "=", math.factorial(5))
print("different sentences:", len(set(fillings)))
print("one of them:", " ".join(min(fillings)))

# %% [markdown]
# There are half as many sentences as ways, because exchanging the two “the” does not change the sentence. In general n! is divided by the factorial of each word's count. Open the claim and let “the” occur three times.

# %%
claim("same-bag-orders")

# %% [markdown]
# Most of the 60 are not English, but at least two are, and they describe different events: the dog chased the cat, the cat chased the dog. A program that reads only the bag has one answer for all 60, so it is wrong about at least one of these two. The number grows quickly with the length of the text:

# %%
for n in (5, 10, 20):
    print(f"{n:2} different words, one bag, {math.factorial(n):,} orders")

# %%
ask("1.q2")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They divide by the count and not by its factorial. With two equal words this gives the same number, so the mistake stays hidden until a word occurs three times. Say: *three equal words can change places in six ways.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: find a pair of neighbours that only one of the two longer sentences has. Give them a minute; there is none.

# %% [markdown] section="neighbours" minutes=3
# ## Counting neighbours instead
#
# An older remedy counts pairs of neighbouring words. Here the same perceptron is given these counts, for our two sentences and for two longer ones:

# %%
def pair_counts(*sentences):
    texts = [sentence.split() for sentence in sentences]
    pairs = [list(zip(text, text[1:])) for text in texts]
    known = sorted(set(pairs[0] + pairs[1]))
    return np.array([[listed.count(pair) for pair in known] for listed in pairs])


short = pair_counts("dog bites person", "person bites dog")
longer = pair_counts("we ate then we ran then we slept", "we ran then we ate then we slept")
print("two short sentences:", learned_answers(short), " two longer:", learned_answers(longer))
print(f"triples of 50,000 words: {50_000**3:,}; a text of 10^12 tokens has at most",
      f"{10**12 / 50_000**3:.1%} of them")

# %% [markdown]
# Pairs tell the short sentences apart and fail on the longer ones: “then we” occurs twice there, and what lies between can be exchanged without making a new pair. Triples reach one word further, but almost all of them are never seen in any text, so nothing can be learned about them. Order has to be brought in by other means than longer counts.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They conclude that neighbours are useless. Say: *pairs carry the order between neighbours; what they miss is everything that reaches further.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: the first array begins with dog, the second with person. Is the order there or not? Leave it open; *An encoding has to meet its word* answers it.

# %% [markdown] section="same-row" minutes=5
# ## A lookup does not ask for the position
#
# Neural models do not start from counts. They look each token up in a table that holds one row of numbers for each word of the vocabulary, the word's **embedding**. Real rows have hundreds of numbers and are learned; these have three and are made up:

# %%
table = np.array([[0.2, 0.9, -0.4],    # bites
                  [1.1, -0.3, 0.5],    # dog
                  [-0.7, 0.4, 0.8]])   # person
x_first = table[[vocabulary.index(word) for word in first]]
x_second = table[[vocabulary.index(word) for word in second]]
print("row of dog, position 0 of the first: ", x_first[0])
print("row of dog, position 2 of the second:", x_second[2])

# %% [markdown]
# The lookup is given the word and returns its row. The position is not among its inputs. In the figure each row of one sentence is joined to the equal row of the other:

# %%
lesson_01.same_rows(first, second, vocabulary, table)

# %% [markdown]
# Both sentences have the same rows, each the same number of times. Mathematics calls this the same **multiset** of rows. As lists they differ, and once they are sorted they are equal:

# %%
rows_first, rows_second = x_first.tolist(), x_second.tolist()
print("in their order, equal:", rows_first == rows_second)
print("sorted, equal:        ", sorted(rows_first) == sorted(rows_second))

# %%
ask("1.q3")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They expect that training gives “bank” a different row at a different position. Say: *the table has one row for the word; what tells two uses apart has to be added later.*

# %% [markdown] tags=["instructor"]
# **In front of people**: start at shuffle 0, press the arrow key slowly, and ask each time which panels moved. Then write “no no” and ask what the shuffle will do *before* you move it.

# %% [markdown] section="playground" minutes=4
# ## Shuffle the words
#
# Move the shuffle and watch which panels change. Then write a sentence of your own. Each word's row is drawn from its letters, so a word has the same row in every sentence.

# %%
playground(lesson_01.shuffle)

# %% [markdown]
# The rows change their positions. The count vector and the sorted rows stay the same at every shuffle, whatever the sentence. As long as no two words share a row, sorted rows and counts even carry the same information, and each can be computed from the other. The lookup has turned words into numbers and has added nothing about their positions.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take the sorted panel for a second sentence. Say: *we sort to see that the rows are the same rows; no model sorts.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: the row is [2, 2]. Which word, which position? Let them find both answers.

# %% [markdown] section="what-and-where" minutes=5
# ## What a token is, and where it is
#
# Two kinds of information belong to a token. Its **content** says *what* it is, its position says *where* it is. A vector that represents a position is called a **positional encoding**; *position vector* and *position embedding* are other names for the same thing. It can be added to the row of the token at that position. These two encodings are made up:

# %%
word = np.array([2, 1])
encoding = np.array([[0, 1], [1, 0]])
print("at position 0:", word + encoding[0])
print("at position 1:", word + encoding[1])

# %% [markdown]
# One word now has two rows, and a later layer can tell its positions apart. The sum does not always show what was added to what. A different word at the other position can give the same row:

# %%
other = np.array([1, 2])
print("other word, position 1:", other + encoding[1])

# %% [markdown]
# In two dimensions such collisions are hard to avoid, and in wide rows they are rare. The claim counts them for 50 made-up words at 10 positions.

# %%
claim("sums-apart")

# %% [markdown]
# What the sum costs is measured in lesson 10. Lesson 4 asks what makes a set of encodings a good one, and lessons 5 to 9 build one.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They hear "position" as a property of the word. Say: *the encoding belongs to the chair; whoever sits down on it gets it.*

# %% [markdown] tags=["instructor"]
# **Ask the room**, at encoding 1 and activation 0: why does the claim hold again? Wait for "the encodings are summed anyway".

# %% [markdown] section="pooled" minutes=5
# ## An encoding has to meet its word
#
# The rows of a sentence lie in an array, and an array has a first row, so the order is in memory. It makes a difference only to a computation that treats row 0 differently from row 1. Here every row is put through the same layer, and the mean of the results goes to our perceptron. The layer is a matrix followed by an **activation**, a function such as tanh whose graph is not a straight line:

# %%
weights = np.array([[0.5, -1.0], [1.0, 0.3], [-0.2, 0.8]])
encoding = np.array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.5]])
for name, activation, added in (
    ("activation, no encoding", np.tanh, 0 * encoding),
    ("encoding, no activation", np.positive, encoding),
    ("encoding and activation", np.tanh, encoding),
):
    pooled = [activation((x + added) @ weights).mean(axis=0) for x in (x_first, x_second)]
    print(f"{name}: answers {learned_answers(np.array(pooled))}")

# %% [markdown]
# Without an encoding both sentences have the same mean, because the layer saw one row at a time and a mean does not depend on the order. With an encoding but *no* activation they still do: the mean of word plus encoding is the mean of the words plus the mean of the encodings, whichever word is at which position. With both, the perceptron is right about both sentences.
#
# Adding an encoding is therefore half of the matter. A later step has to combine it with its word in some way that is not a sum. In attention this step is the product of two rows.

# %%
claim("pooled-reversal")

# %%
ask("1.q4")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "The array has an order, so the network sees it." Say: *show me a weight that belongs to row 0 and not to row 1.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which line of the loop makes the order count? (The state that goes from one turn into the next.)

# %% [markdown] section="in-turn" minutes=3
# ## Reading in turn, and what was taken out
#
# A recurrent network needs no encoding. It reads one row after the other and carries a state along, so its computation follows the order:

# %%
def read_in_turn(x):
    state = np.zeros(3)
    for row in x:
        state = np.tanh(0.5 * state + row)
    return state


print("first: ", read_in_turn(x_first))
print("second:", read_in_turn(x_second))

# %% [markdown]
# The price is that step 100 has to wait for step 99. The Transformer of 2017 took the recurrence out, and convolution with it, so that all tokens can be worked on at the same time. The order went with the recurrence, and the paper says that information about positions must be put back. Its authors tried encodings that are learned and encodings that are fixed by a formula, and found nearly identical results. Lessons 5 to 9 are about the fixed ones, lesson 11 about the learned ones.

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** They take positional encodings for an improvement over recurrent networks. Say: *they repair what was taken out to gain speed.*

# %% [markdown] tags=["instructor"]
# **Ask the room**: which door would a phrase like "three words back" go through more directly? (Door 2, because it speaks of two positions.) Leave it there; lesson 12 takes it up.

# %% [markdown] section="two-doors" minutes=5
# ## Two doors, and what neither brings in
#
# Attention compares two tokens by a **score**, the product of two vectors made from their rows. Papers and code also say *logit*. The scores of a token become its **attention weights**, which say how much it takes from each of the others. Lesson 2 writes this out. Order can come in at two points on the way:

# %%
lesson_01.two_doors()

# %% [markdown]
# Through **door 1** the rows change before they are compared. Through **door 2** the score is made to depend on the two positions. Here dog is compared with bites, once from each side of it:

# %%
bites, dog = table[0], table[1]
for position in (0, 2):
    by_rows = (dog + encoding[position]) @ (bites + encoding[1])
    by_score = dog @ bites + 0.1 * (1 - position)  # a tenth for each step from dog to bites
    print(f"dog at position {position}: score {dog @ bites:.2f} with neither, "
          f"{by_rows:.2f} by door 1, {by_score:.2f} by door 2")

# %% [markdown]
# Without a door both scores are equal. The two doors offer different comparisons. Door 1 gives each token its address, and door 2 can work with how far apart two tokens are. Lessons 4 to 11 go through door 1 and lesson 12 through door 2.
#
# Neither door brings in a grammar. In “dog bites person” and in “dog bitten by person” the dog has position 0, and the events are opposite. An encoding is information that *can be used*. That the token at position 0 often names the one who acts, and when it does not, has to be learned from texts.

# %%
ask("1.q5")

# %% [markdown] tags=["instructor"]
# **What people get wrong here.** "With positions the model understands word order." Say: *it is given the position; what follows from a position it has to learn.*

# %% [markdown]
# ## Seen in the wild
#
# - **[A layer that nobody called](https://github.com/Lightning-AI/pytorch-lightning/pull/20099).** A demonstration Transformer created a positional encoding and never used it. Nothing crashed. The pooled outputs of “a b c” and “c b a” were equal, which two lines of test would have shown.
# - **[A line commented out](https://github.com/wenliangdai/Multimodal-End2end-Sparse/issues/16).** An encoder of video frames adds no positions, and its author found no effect on his data. That is possible: such a model reads a bag of frames, and some tasks can be solved from a bag. It is a limit that users should know of.
# - **[Two molecules in one vector](https://github.com/DaoyuanLi2816/Molecule-Generator/pull/23).** Molecules are written as strings of atoms, and an encoder without positions could not tell CCO from OCC.

# %%
atoms = {"C": [0.4, -0.9], "O": [-0.6, 0.7]}
encoding = np.array([[0.0, 1.0], [0.8, 0.5], [1.0, 0.2]])
for size in (0, 1):
    cco, occ = (np.tanh(np.array([atoms[a] for a in s]) + size * encoding) for s in ("CCO", "OCC"))
    gap = np.abs(cco.mean(axis=0) - occ.mean(axis=0)).max()
    print("encodings of size", size, "· pooled difference above 0.001:", gap > 0.001)

# %% [markdown]
# ## Challenges
#
# Replace each `return ...` by your code and run the check below it. A check that fails names the call, and often the mistake. For a hint, take the `#` away in front of it and run the cell.
#
# Tokens and vocabulary are lists of words, compared as they are written, and the vocabulary holds each word once. Your functions must not change their arguments. One module is imported for use:

# %% tags=["given"]
import math

# %% [markdown] tags=["challenge-text"] challenge="1.1"
# Write `bag_of_words(tokens, vocabulary)`.
#
# 1. It returns how often each word of the vocabulary occurs in `tokens`, in the order of the vocabulary.
# 2. A word that does not occur has the count 0.
# 3. A token that is not in the vocabulary ends in a `KeyError` whose message holds that token.

# %% tags=["challenge"] challenge="1.1"
def bag_of_words(tokens, vocabulary):
    """How often each word of the vocabulary occurs, in its order: (V,)."""
    ### STUB: which entry counts a token, and what happens to a token that has no entry?
    ### BEGIN SOLUTION
    place = {word: number for number, word in enumerate(vocabulary)}
    counts = np.zeros(len(vocabulary), dtype=int)
    for token in tokens:
        counts[place[token]] += 1
    return counts
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="1.2"
# Write `embed(tokens, vocabulary, table)`. The table has one row for each word of the vocabulary, in its order.
#
# 1. It returns an array (n, d): row p is the table's row for token p.
# 2. A word that occurs twice has its row twice.
# 3. A token that is not in the vocabulary ends in a `KeyError` whose message holds that token.

# %% tags=["challenge"] challenge="1.2"
def embed(tokens, vocabulary, table):
    """The table's row for each token, in the order of the tokens: (n, d)."""
    ### STUB: first the number of each token's word, then the rows with these numbers
    ### BEGIN SOLUTION
    place = {word: number for number, word in enumerate(vocabulary)}
    return table[[place[token] for token in tokens]]
    ### END SOLUTION


# %% [markdown] tags=["challenge-text"] challenge="1.3"
# Write `orders_with_this_bag(tokens)`.
#
# 1. It returns how many different sentences have exactly these words, this one included: 60 for “the dog chased the cat”.
# 2. There are up to twelve tokens, and five seconds for all calls together. Listing the orders is too slow.

# %% tags=["challenge"] challenge="1.3"
def orders_with_this_bag(tokens):
    """How many different sentences have exactly these words, this one included."""
    ### STUB: in how many ways can the positions be filled, and how many of them read the same?
    ### BEGIN SOLUTION
    orders = math.factorial(len(tokens))
    for word in set(tokens):
        orders = orders // math.factorial(tokens.count(word))
    return orders
    ### END SOLUTION


# %%
progress()

# %% [markdown]
# ## Recap
#
# - A bag of words keeps which words occur and how often. All orders of the same words share one bag, so a model of bags has one answer for all of them.
# - An embedding lookup is given the word and not its position. Two orders of a sentence have the same rows, each the same number of times.
# - Pairs of neighbours keep the order between neighbours and lose what reaches further.
# - Content says what a token is, position says where. A positional encoding (position vector, position embedding) is a vector for a position.
# - A mean of rows does not depend on their order. An encoding changes it only if something that is not a sum combines the encoding with its word.
# - Order can come in by two doors, the input rows and the score. It is information that can be used; a grammar has to be learned.
#
# A mean is a crude way to bring rows together. Attention compares every token with every other, which looks fine enough to notice their order. Whether it does is the subject of [lesson 2](02_attention_forgets_order.ipynb).

# %% [markdown]
# ## Sources
#
# - Z. Harris, *Distributional Structure*, Word 10, 1954: the phrase “a bag of words”, and that language is not merely one. [doi:10.1080/00437956.1954.11659520](https://doi.org/10.1080/00437956.1954.11659520)
# - F. Rosenblatt, *The Perceptron*, Psychological Review 65, 1958: the classifier of the first section. [doi:10.1037/h0042519](https://doi.org/10.1037/h0042519)
# - A. Vaswani and others, *Attention Is All You Need*, 2017, sections 1 and 3.5: why the recurrence was taken out, what has to be put back, and the comparison of learned with fixed encodings. [arXiv:1706.03762](https://arxiv.org/abs/1706.03762)
# - J. Elman, *Finding Structure in Time*, Cognitive Science 14, 1990: a network that reads in turn. [doi:10.1207/s15516709cog1402_1](https://doi.org/10.1207/s15516709cog1402_1)
# - To read alongside: the first page of section 3.5 of Vaswani and others, with one question in mind: which of the two doors does it use?
