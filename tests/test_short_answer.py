"""Short answers of PS4: what the rubrics suggest for right, wrong and empty words, and what an author is told."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from graders import short_answer
from graders.kinds import spec_models
from harness.errors import SpecError
from harness.model import Mark, ProblemSet, Question, RawAnswer, Submission
from harness.spec import load_problem_set
from harness.submissions import open_submission

PS4 = "csci5922-ps4"
SHORT = ("1a", "1b", "1c", "1d", "2a.i", "2a.ii", "2b", "2c", "2d", "3d", "4d")


@pytest.fixture(scope="module")
def ps4() -> ProblemSet:
    return load_problem_set(Path(__file__).parents[1] / "problems" / PS4, spec_models())


def marks_of(ps4: ProblemSet, question: Question, answer: RawAnswer) -> list[Mark]:
    submission = Submission("someone", "0" * 64, Path(), {question.id: answer})
    return list(short_answer.grade(question, question.checks, ps4, submission))


def suggested(ps4: ProblemSet, id: str, answer: RawAnswer) -> Decimal:
    marks = marks_of(ps4, ps4.question(id), answer)
    return sum((mark.suggested for mark in marks if mark.suggested is not None), start=Decimal(0))


def example(ps4: ProblemSet, case: str) -> dict[str, Decimal]:
    folder = Path(__file__).parents[1] / "submissions" / "examples" / PS4 / case
    with open_submission(folder, [question.id for question in ps4.questions]) as submission:
        return {id: suggested(ps4, id, submission.answers[id]) for id in SHORT if id in submission.answers}


def possible(ps4: ProblemSet, id: str) -> Decimal:
    return sum((check.points for check in ps4.question(id).checks), start=Decimal(0))


# The examples


def test_the_perfect_answers_earn_every_point(ps4: ProblemSet) -> None:
    assert example(ps4, "perfect") == {id: possible(ps4, id) for id in SHORT}


def test_the_students_own_answers_earn_what_a_fair_teacher_gives(ps4: ProblemSet) -> None:
    # 1c: that sizes are hyperparameters is said without a reason. 4d was not answered.
    assert example(ps4, "seed-student") == {id: possible(ps4, id) for id in SHORT if id != "4d"} | {
        "1c": Decimal("0.75")
    }


def test_bare_claims_earn_nothing_and_are_told_so(ps4: ProblemSet) -> None:
    assert example(ps4, "bare-claims") == dict.fromkeys(SHORT, Decimal(0))
    _, mark = marks_of(ps4, ps4.question("1a"), "Both of them process sequences.")
    assert mark.message.startswith("This is a claim without a reason: “Both of them process sequences”. Say why")


def test_the_same_idea_in_two_wordings_is_one_example(ps4: ProblemSet) -> None:
    assert example(ps4, "same-idea-twice") == dict.fromkeys(("1a", "1b", "1c", "1d"), Decimal("0.75"))
    answer = (
        "- Both share weights over all steps, so size is no issue.\n- Both reuse weights at each step, so data helps."
    )
    _, mark = marks_of(ps4, ps4.question("1a"), answer)
    assert "Two of your examples are the same idea: “Both share weights over all steps” and “Both reuse" in mark.message


def test_repeating_the_prompt_earns_nothing(ps4: ProblemSet) -> None:
    assert {id: suggested(ps4, id, ps4.question(id).prompt) for id in SHORT} == dict.fromkeys(SHORT, Decimal(0))


# Right and wrong answers: the question, the points, the words.


def cases(text: str) -> list[tuple[str, str, str]]:
    found = re.finditer(r"^([0-9]\S*) ([0-9.]+):\s(.+?)(?=\n\n|\Z)", text.strip(), re.MULTILINE | re.DOTALL)
    return [(each[1], each[2], each[3]) for each in found]


RIGHT = cases(
    r"""
1a 1.5: Like an RNN, a transformer is designed for sequential data, such as sentences, audio or time series,
so neither treats its inputs as an unordered bag. Both can also cope with inputs of different length,
because nothing in the weights refers to the number of tokens.

1a 1.5:
1. Both architectures can be used autoregressively: they predict the next token from the earlier ones and
feed it back in, which is how text gets generated.
2. They are both optimised with gradient descent, because every operation is differentiable and errors can
be backpropagated (through time in the RNN's case).

1a 0.75: Transformers and RNNs both build contextual representations, meaning that the vector of a word
depends on the other words around it, e.g. 'bank' next to 'river'.

1b 1.5: RNNs read tokens one at a time, which makes training slow. Transformers, in contrast, look at all
tokens at once through attention and can therefore use GPUs much better.
Secondly, long-range dependencies are hard for an RNN because the signal has to survive many steps, while in
a transformer any two tokens interact directly.

1b 1.5:
* Transformers have no recurrence. Instead of a hidden state that is handed on from step to step they only
use attention layers, so no information has to be squeezed through time.
* Self-attention costs quadratic time and memory in the sequence length because every pair of tokens is
compared. For an RNN the cost per token stays the same.

1b 0.75: Because self-attention is permutation equivariant, transformers need to add positional embeddings;
an RNN gets word order from the sequence in which it consumes the words.

1c 1.5: Transformers contain MLPs: after each attention layer there's a feedforward block of two linear
layers that's applied to every token. Also, both models are trained with backprop and SGD, because they're
differentiable from the loss down to the first layer.

1c 1.5:
- Neither model has recurrent connections; data flows forward from input to output in one pass, so there is
no hidden state to carry between time steps.
- Both use nonlinear activations like ReLU/GELU between the linear layers because otherwise the layers would
collapse into a single linear function.

1d 1.5: An MLP needs a fixed-size input since its first weight matrix has one row per feature. A transformer
can be fed any number of tokens because its weights are shared across positions.
The mixing in a transformer depends on the data: attention weights are recomputed for each input from
queries and keys, whereas MLP weights don't change at inference.

1d 0.75: Transformers use self-attention to let each token look at all other tokens, so the meaning of a
word can depend on its context, while an MLP has no mechanism to relate parts of its input to each other
like this.

1d 0.75: Transformers require positional encodings because shuffling the tokens would otherwise only shuffle
the outputs; an MLP has a separate weight for every input coordinate and so knows where each is.

2a.i 1.5: As d_k gets bigger, the dot products between q and k get larger in magnitude (their variance is
d_k if components are independent with variance 1). Big logits push the softmax into regions where it's
almost one-hot and gradients vanish. Dividing by sqrt(d_k) keeps the logits at a reasonable scale.

2a.i 1.0: It normalizes the scores so that the softmax does not saturate when the dimension is high. If the
softmax saturates, gradients get tiny and learning is slow.

2a.ii 1.5: Softmax converts the similarity scores of a query into positive numbers that add up to one, i.e.
a probability distribution over the keys. We can then use them as weights and take a weighted average of the
value vectors, so tokens that are more relevant contribute more.

2a.ii 0.75: The exponential in the softmax amplifies large scores and suppresses small ones, so the model
focuses on the most relevant tokens.

2b 1.5: Because it's an n by n matrix in which element (i, j) tells how strongly token i focuses on token j.
Each row corresponds to a query and each column to a key, so we can plot it as a heat map and see where the
model is looking.

2b 0.75: It's called that since every row is a probability distribution over the input tokens: it sums to
one and says how attention of one word is spread over the sentence.

2c 1.5: With multiple heads the model can attend to information from different representation subspaces at
once. For instance one head might track syntax while another tracks coreference. With just a single head all
of this would be averaged into one distribution.

2c 0.75: Each head learns its own Q, K and V projections, so it can specialise in a pattern of its own.

2d 2.0: Encoders use bidirectional self-attention, so each token sees the entire sentence, while decoders
use causal masking so that a position can't look at future tokens. Decoders in seq2seq models additionally
have cross-attention layers that read the encoder's output as keys and values.
BERT, an encoder, is used for classifying emails as spam because you need to understand the whole email.
GPT, a decoder, is used for chatbots as it writes a reply word by word from what came before.

3d 2.0: The first two output tokens both attend only to the third input token (weight about 1), while the
third output is a mixture of the first (0.62) and second (0.38) input. Nothing is on the diagonal, i.e. no
token looks at itself, all diagonal entries are 0.

3d 1.25: Rows 1 and 2 are identical, since both put all of their weight on token 3. Therefore output tokens
1 and 2 are equal as well. The distribution is very sharp: entries are almost all 0 or 1 because the scores
were not scaled by sqrt(d_k).

4d 0.5: Input tokens 3 and 4 dominate for both outputs (0.8 and 0.88 of the weight), whereas inputs 1 and 2
are hardly attended to (at most 0.15). The second output focuses on input 4 with 0.64.

1a 1.5: They are similar in that both of them keep a representation for every position that takes other
positions into account, so a word's vector reflects its context. Another similarity is that both can be
trained for machine translation as an encoder and a decoder, since either one can read a source sentence and
then write a target one.

1a 1.5: One similarity is that both of the networks can handle inputs of arbitrary length, since they apply
the same operations at each token no matter how many there are. A second similarity is that order matters in
both: RNNs have it through the recurrence and transformers through positional encodings.

1b 1.5: First, an RNN processes the input sequentially, meaning h_t depends on h_{t-1}, so it can't be
parallelized over time; transformers process the entire sequence in parallel. Second, in an RNN distant
words have to communicate through many intermediate steps, which leads to vanishing gradients, but in a
transformer each word attends directly to all others.

1b 0.75: RNNs compress everything that they've read so far into one fixed-size hidden vector, which becomes
a bottleneck for long inputs. Transformers keep all the token representations around.

1c 0.75: Both multiply their inputs by learned weight matrices: an MLP does it in each layer, and a
transformer does it to get Q, K and V, so both are mostly matrix multiplications.

1c 1.5:
- MLPs and transformers are both feed-forward architectures: there are no loops and so the whole input can
be processed in one pass.
- Both are made by stacking many layers, so that later layers build more abstract features out of those of
earlier layers.

1d 1.5: A transformer uses an attention mechanism that determines how relevant each token is to the others;
MLPs don't have such a mechanism and treat all the input features in a fixed way. Transformers are suitable
for sequences of varying length, while MLPs expect inputs of a fixed dimension because of their weight
matrices.

1d 1.5:
- MLPs connect every input with its own weight, so the number of parameters increases with the input; a
transformer uses the same projection matrices for each token.
- Transformer blocks have residual connections and layer norm around each sublayer, which lets gradients
flow in very deep stacks. A plain MLP does not have them.

2a.i 1.5: Without this term, the dot products would have a variance proportional to d_k. In high dimensions
that leads to very large values, and softmax outputs that are close to one-hot, where the gradient is nearly
zero. The scaling therefore stabilises training.

2a.i 0.5: We divide by the root of the key dimension so that the magnitude of the dot products doesn't blow
up for large d_k.

2a.ii 1.5: It makes sure that for every query the attention weights are positive and sum to one. So the
output for a token is a convex combination of the value vectors, in which the weight of a value is how much
attention it gets.

2a.ii 0.75: Using softmax we get a smooth, differentiable version of picking the best match, so that
gradients can flow back to the queries and keys during training.

2b 1.5: The matrix has one row per query token and one column per key token. Entry (i,j) is the weight that
token i gives to token j, therefore the matrix shows which tokens attend to which other tokens.

2b 0.75: It maps the relations between all pairs of tokens: high values mean that the model pays a lot of
attention from one word to another.

2c 1.5: A single attention head can only focus on one type of relationship at a time since its softmax
yields one set of weights. By having multiple heads, the model can learn different aspects, such as grammar
in one head and meaning in another.

2d 2.0: The encoder reads the full input with unmasked self-attention, that is every token can attend to
every other token in both directions. The decoder uses masked self-attention, so it only sees previous
tokens, and generates the output autoregressively; it also attends to the encoder output through
cross-attention.
Use case for the encoder: sentiment analysis of reviews, because the whole review is available and only a
label is needed.
Use case for the decoder: code completion, because the next tokens have to be predicted from the earlier
ones.

3d 1.25: Output 1 and output 2 look only at input 3 (weight of 1.0). Output 3 divides its attention between
input 1 (62%) and input 2 (38%).

4d 0.5: Output token 1 attends equally to input tokens 3 and 4 (both 0.4). Output token 2 attends most
strongly to input 4 (0.64), followed by input 3 (0.24).

1a 1.5: Transformers and RNNs are both neural networks meant for language, audio and similar ordered data;
they exploit that what comes earlier or later in the input carries meaning. Furthermore, the parameters are
reused for each position in both models, which is why they generalise to lengths that were not seen in
training.

1a 1.5: (1) Both can map a sequence to a sequence, for instance a French sentence to an English one. (2) In
both, words are first looked up in an embedding table, because networks need vectors rather than symbols.

1b 1.5: The RNN's computation is inherently sequential: the state for word 5 needs the state for word 4. A
transformer computes all positions simultaneously as a few big matrix products. Another difference is how
distance matters: information from 100 words ago must pass through 100 RNN updates and often gets lost,
whereas attention connects both words directly.

1b 0.75: Since attention ignores the order of its inputs, the transformer has to be told about positions
with sinusoidal or learned encodings. An RNN doesn't, as it reads left to right.

1c 0.75: After attention, each token goes through a small MLP (two linear layers with a ReLU in the middle),
so a transformer literally contains MLPs.

1c 0.75: Both learn by minimizing a loss using backpropagation, since they're built of differentiable
layers.

1d 0.75: The connection strengths between tokens in a transformer are computed on the fly from the data via
softmax(QK^T), whereas in an MLP they're parameters which stay the same for each input.

1d 0.75: An MLP can't deal with sentences of different lengths, because the input layer has a fixed number
of neurons. A transformer can.

2a.i 1.5: Since q·k sums d_k terms, its standard deviation is about sqrt(d_k). If we didn't divide, softmax
would be extremely peaked for large d_k and hardly any gradient would flow back, which hurts training.

2a.ii 0.75: The scores can be any real number. Softmax maps them to (0, 1) such that each row totals 1, so
they can be interpreted as probabilities.

2a.ii 1.5: Softmax normalizes the attention scores to sum to 1 and so makes them comparable across tokens.
The results serve as weights for averaging the values, i.e., each says how much the respective token
contributes.

2b 1.5: For n tokens the term is an n×n matrix whose (i,j) entry tells us how much attention query i pays to
key j. So it 'maps' every token to all the tokens it should look at, with weights.

2c 1.5: Language has many kinds of relations at once (who did what, which adjective belongs to which noun,
what 'it' refers to). One head can only produce one weighting per token, so we use several heads, each with
own projection matrices, that can look for different relations in parallel.

2d 2.0: Encoder blocks attend in both directions over the input, and produce contextual representations.
Decoder blocks mask the future so that each position can only attend to positions before it, which is needed
for generating text token by token; and in the original model they have an additional cross-attention to the
encoder output. An encoder such as BERT can be used for named entity recognition, because the label of a
word depends on the words before and after it. A decoder such as GPT powers ChatGPT, since it predicts the
next token given the conversation so far.

3d 1.5: Both output 1 and output 2 depend on input 3 alone (weight ≈ 1), and the third output mixes inputs 1
and 2 (0.62/0.38) but ignores input 3. So no token attends to itself.

4d 0.5: Input 4 is the most influential: it gets 0.40 from output 1 and 0.64 from output 2. Input 1 is
almost ignored (0.05 and 0.03).
"""
)

WRONG = cases(
    r"""
1b 0: Transformers go through a sentence step by step, while RNNs process all the tokens in parallel, since
they do not have to wait for anything.

1b 0: RNNs need positional encodings because they have no recurrence, whereas transformers know the order of
the tokens automatically from their loops.

1b 0: RNNs are better at long-range dependencies because they look at every token directly, while
transformers forget what was said early on in the text.

1d 0: An MLP can take inputs of any length because it shares its weights across positions, while a
transformer needs a fixed-size input vector.

1d 0: MLPs use attention to weigh the words of a sentence, because they compute queries and keys, and a
transformer has no attention at all.

2a.i 0: Dividing by sqrt(d_k) makes the rows sum to one, because d_k is the number of tokens in the sentence
and so this is the average.

2a.i 0.5: It increases the dot products, because they get smaller as d_k gets larger, and this makes the
softmax sharper so that one token is chosen.

2a.ii 0: Softmax gives every token the same weight because all words of a sentence are of equal importance
for the meaning of the sentence.

2a.ii 0: Softmax divides the scores by d_k so the numbers do not get too large for the computer to store in
its memory.

2b 0: It is a map because it maps words to their location in the memory of the computer, like a map of a
city shows where the houses are.

2c 0: All heads have the same weights, so the result is computed several times in order to be on the safe
side when one of them fails.

2d 0: Encoders are masked so they cannot see future tokens, while decoders are bidirectional and see the
whole sentence. Encoders generate text one word after another and a decoder is used for classification of
documents because it can read everything.

3d 0: Each token attends mostly to itself, because the diagonal of the map is largest and so the tokens keep
their own information.

3d 0: The attention is spread evenly over all three inputs, since every row has the same numbers and none of
them stands out.

4d 0: Both outputs attend mostly to input 1, because its key has the largest score, and hardly look at input
4 at all.

1a 0: Deep learning has changed the world because it is used in many products, for example in phones, cars
and hospitals. Researchers publish new papers every day, so it is important to keep reading.

1c 0: The history of neural networks goes back to the perceptron of Rosenblatt, who was a psychologist, and
it is a fascinating story because there were several winters in which nobody wanted to fund this research.

2c 0: The paper was written by eight authors at Google, which is why it has become so famous, and it has
been cited more than a hundred thousand times since it appeared in 2017.

2b 0: The course was very interesting, since the lectures explained everything with pictures, and therefore
I was able to solve the homework on time.

1a 0: sequence, variable length, shared weights, backpropagation, hidden state, embedding, encoder, decoder,
autoregressive, context, because, therefore, both

1b 0: transformer parallel attention positional encoding quadratic query key value; RNN recurrent hidden
state sequential vanishing gradient long-range bottleneck because therefore

1d 0: attention weights input dependent, variable length, shared weights, permutation equivariant, MLP fixed
size, residual, mask, because, since

2a.i 0: dot product large variance softmax saturate gradient vanish scale dimension unit variance

1a 0: Transformers process sequences in parallel using attention, but RNNs go through them with a recurrent
state, so the two have nothing to do with each other.

1a 0: RNNs and transformers do not share weights across time steps, because each time step has its own
matrices that are trained separately.

1c 0: Both transformers and MLPs have recurrent connections, because the hidden state of the previous step
is used in the next one.

1a 0.75: Both process sequences, because text is a sequence of words. Both take sequential data as input,
since sentences, audio and videos are sequences of elements.

1b 0.75: Transformers process tokens in parallel since attention is a matrix product. RNNs must go
sequentially because each word has to wait for the one before it.

2d 0.0: An encoder encodes and a decoder decodes. Both are parts of the transformer and are used a lot in
the real world by many companies.

2a.ii 0: The role of softmax is to select only the largest score and set everything else to zero, so exactly
one token is used.

2b 0: The attention matrix contains learned parameters that are fixed after training, so it is like a map
which never changes.

1c 0: Transformers are not similar to MLPs at all since they use attention, query, key and value, and MLPs
have nothing like that.

3d 0: The plot looks nice because I used matplotlib with different colors, which makes the lines easy to see
for the reader.

4d 0: The pattern is uniform: each of the four inputs gets the same weight of 0.25, because the softmax
normalizes the rows.

2d 0: The transformer was introduced in 2017 and has been used for many real-world applications since then,
for example by Google and OpenAI, because it works so well.

1d 0.75: Transformers use attention so that tokens can exchange information with each other, which MLPs
cannot do. Transformers rely on self-attention to relate words to other words because the context matters
for the meaning.

1b 0: Transformers are slower to train because their hidden states must be computed one after another,
whereas in RNNs every word is handled independently and simultaneously.

1b 0: A transformer has a memory cell with gates which lets it forget things, while an RNN has attention
heads which look at the whole sentence.

1a 0: Both have encoders made of convolutions that slide over the image, because images have local
structure.

1c 0: An MLP and a transformer are the same, because a transformer is a neural network and an MLP is a
neural network as well.

1d 0: MLPs are deep and transformers are shallow, which is why MLPs need more data for training than
transformers do in practice.

1d 0: An MLP gives a separate output for each word while the transformer gives only one output for the whole
sentence because it averages everything.

2a.i 0: It is needed so that the matrices have the right shape, because otherwise Q and K^T could not be
multiplied with each other.

2a.i 0: The square root makes negative values positive, since a probability can't be negative and the
softmax needs positive inputs.

2a.ii 0: Softmax is an activation function like ReLU, so it removes the negative values and keeps the
positive ones as they are.

2b 0: It's called a matrix because Q and K are matrices and the product of two matrices is again a matrix.

2c 0: With more heads the network has more layers and becomes deeper, so the accuracy gets better on every
dataset.

2c 0: Multiple heads make it possible to process several sentences of the batch at once, one sentence per
head, which is faster.

2d 0: The encoder is bigger than the decoder because it has more layers. The encoder is used for images and
the decoder is used for sound.

2d 0.5: The decoder compresses its input into a vector and the encoder turns it back into text. For example,
encoders write stories and decoders detect spam because they compress well.

3d 0: All three outputs attend to all three inputs with about the same strength because the softmax smooths
the differences out.

3d 0: Output 3 attends to input 3 with the largest weight since a token is most similar to itself, and the
other two do likewise.

4d 0: Output 1 looks at input 1 and output 2 looks at input 2, as each token finds its own counterpart in
the other set.
"""
)


@pytest.mark.parametrize(("id", "least", "answer"), RIGHT)
def test_right_answers_earn_in_any_words(ps4: ProblemSet, id: str, least: str, answer: str) -> None:
    assert suggested(ps4, id, answer) >= Decimal(least)


@pytest.mark.parametrize(("id", "most", "answer"), WRONG)
def test_wrong_answers_earn_no_more_than_is_fair(ps4: ProblemSet, id: str, most: str, answer: str) -> None:
    assert suggested(ps4, id, answer) <= Decimal(most)


# Marks


def test_the_rubric_is_proposed_to_a_person(ps4: ProblemSet) -> None:
    length, rubric = marks_of(ps4, ps4.question("1a"), RIGHT[0][2])
    assert (length.outcome, length.earned, length.suggested) == ("passed", Decimal(0), None)
    assert (rubric.outcome, rubric.earned, rubric.suggested) == ("review", None, Decimal("1.5"))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("sequences", "Your answer has 1 word: write at least 12, with a reason for what you say."),
        ("word " * 251, "Your answer has 251 words: keep what matters, in at most 250."),
    ],
)
def test_the_basic_check_tells_the_length(ps4: ProblemSet, answer: str, says: str) -> None:
    basic, _ = marks_of(ps4, ps4.question("1a"), answer)
    assert (basic.outcome, basic.message) == ("failed", says)


@pytest.mark.parametrize("words", [12, 250])
def test_the_length_may_be_exactly_at_its_limits(ps4: ProblemSet, words: int) -> None:
    assert marks_of(ps4, ps4.question("1a"), "word " * words)[0].outcome == "passed"


def test_full_points_come_without_reproach_and_nothing_is_said_twice(ps4: ProblemSet) -> None:
    for id, _, answer in [*RIGHT, *WRONG]:
        for mark in marks_of(ps4, ps4.question(id), answer):
            lines = mark.message.splitlines()
            assert len(lines) == len(set(lines))
            if mark.suggested == mark.check.points:
                assert all(line.startswith(("We found", "Please read")) for line in lines)


def test_messages_quote_the_student_and_never_the_key(ps4: ProblemSet) -> None:
    for id, _, answer in [*RIGHT, *WRONG]:
        question = ps4.question(id)
        for mark in marks_of(ps4, question, answer):
            names = [idea.idea for rubric in question.spec.key.rubrics.values() for idea in rubric.ideas]
            tells = [each.tell for rubric in question.spec.key.rubrics.values() for each in rubric.misconceptions]
            assert not [secret for secret in names + tells if secret in mark.message]


def test_the_detail_is_json_and_has_what_staff_need(ps4: ProblemSet) -> None:
    _, mark = marks_of(ps4, ps4.question("1b"), WRONG[0][2] + " A transformer needs position vectors.")
    detail = json.loads(json.dumps(mark.detail))
    assert set(detail) == {"ideas", "not_counted", "missing", "misconceptions"}
    assert {each["verdict"] for each in detail["not_counted"]} == {"contradicted", "bare"}
    assert detail["misconceptions"][0]["tell"].startswith("It is the other way round")
    assert "Please read this again: “RNNs process all the tokens in parallel”." in mark.message


def test_nothing_recognised_is_said_kindly(ps4: ProblemSet) -> None:
    _, mark = marks_of(ps4, ps4.question("1a"), "I do not know.")
    assert mark.message.startswith("We recognised none of the points that we look for; the person")


@pytest.mark.parametrize("shape", [lambda parts: parts, lambda parts: dict(zip("ab", parts, strict=True))])
def test_answers_as_a_list_or_a_mapping_are_read_part_by_part(
    ps4: ProblemSet, shape: Callable[[list[str]], RawAnswer]
) -> None:
    parts = [
        "Both share weights over all steps, so size is no issue",
        "both are trained by backpropagation, because every part of them has a derivative",
    ]
    assert suggested(ps4, "1a", shape(parts)) == Decimal("1.5")


def test_the_blank_in_the_bundle_is_no_answer(ps4: ProblemSet) -> None:
    question = ps4.question("1a")
    assert short_answer.blank_answer(question.spec) == "????"


# What an author is told


QUESTION = """\
question: 5a
kind: short_answer
title: Cats
prompt: Why do cats purr?
checks:
  5a-0-basic: {title: length, points: 0}
  5a-1-hidden: {title: the reason, points: 1}
key:
  synonyms:
    happy: happy|content|at-ease
  subjects: [cat*]
  rubrics:
    5a-1-hidden:
      take: 1
      ideas:
        - idea: they are happy
          points: 1
          claim:
            - cats ... <happy>
          because: [purr]
        - idea: they heal
          points: 0.5
          claim: [heal bone]
      misconceptions:
        - says: [purr ... snore]
          tell: It is no snoring.
"""


def complaints(tmp_path: Path, *edits: tuple[str, str]) -> list[str]:
    """What loading the edited question complains of, and where nothing, what proving it does."""
    text = QUESTION
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    folder = tmp_path / "cats"
    folder.mkdir()
    (folder / "problem-set.yaml").write_text("format: 1\nid: cats\ntitle: Cats\npoints: 1\n")
    (folder / "5a.yaml").write_text(text)
    try:
        problem_set = load_problem_set(folder, spec_models())
    except SpecError as error:
        found = error.complaints
    else:
        found = tuple(short_answer.prove(problem_set.question("5a"), problem_set))
    return [f"{each.line}: {each.message}" for each in found]


def test_a_sound_question_draws_no_complaint(tmp_path: Path) -> None:
    assert complaints(tmp_path) == []


def test_all_faults_of_a_key_are_told_at_once(tmp_path: Path) -> None:
    found = complaints(
        tmp_path,
        ("at-ease", "at ease"),
        ("take: 1", "take: 3"),
        ("<happy>", "<hapy>"),
        ("they heal", "they are happy"),
        ("[heal bone]", "[... heal, x*, '']"),
        ("[purr ... snore]", "[" + "purr " * 13 + "]"),
        ("title: Cats", "titel: Cats"),
    )
    assert [each.partition(":")[0] for each in found] == ["1", "3", "10", "14", "19", "21", "23", "23", "23", "25"]
    assert "did you mean `happy`" in found[4]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  5a-1-hidden: {", "  5a-2-hidden: {", "12: check `5a-2-hidden` has no rubric: add `5a-2-hidden:` here"),
        ("    5a-1-hidden:", "    5a-0-basic:", "13: there is no hidden check `5a-0-basic`"),
        ("take: 1", "take: 2", "14: the best 2 ideas make 1.5 points, and check `5a-1-hidden` is worth 1"),
        ("take: 1", "take: 3", "14: `take` is 3, and there are only 2 ideas"),
        ("[heal bone]", "[]", "23: `key.rubrics.5a-1-hidden.ideas.1.claim`"),
        ("points: 0.5", "points: half", "22: `key.rubrics.5a-1-hidden.ideas.1.points`"),
        ("[heal bone]", "[heal. bone]", "23: the phrase `heal. bone` can never match"),
        ("[heal bone]", "[cats purr]", "23: the phrase `cats purr` stands in the prompt"),
        ("[heal bone]", "[cats ... happy|content|at-ease]", "also states the idea `they are happy`"),
        ("[heal bone]", "[purr a snore]", "23: the phrase `purr a snore` is also a misconception"),
    ],
)
def test_a_fault_of_a_key_is_told_with_its_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    found = complaints(tmp_path, (old, new))
    assert [each for each in found if says in each]


def test_a_question_without_a_key_is_told_to_the_author(tmp_path: Path) -> None:
    key = QUESTION[QUESTION.index("key:") :]
    assert complaints(tmp_path, (key, "")) == ["1: `key` is missing: without it nothing hidden can be graded"]


def test_the_length_must_leave_room(tmp_path: Path) -> None:
    found = complaints(tmp_path, ("checks:", "words: {least: 9, most: 3}\nchecks:"))
    assert found == ["5: `words.most`: 3 is less than `least`: no answer could be right"]


def test_every_rubric_of_the_set_is_proved(ps4: ProblemSet) -> None:
    assert [str(each) for id in SHORT for each in short_answer.prove(ps4.question(id), ps4)] == []


def test_importing_the_kind_loads_nothing_heavy(root: Path) -> None:
    code = "import sys, graders.short_answer; print(sorted({'numpy', 'torch', 'sympy', 'rich'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True).stdout == "[]\n"
