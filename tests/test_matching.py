"""Phrases in answers: what they find, what turns them round, and what makes a claim more than a claim."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.matching import MOST_PLACES, Idea, Misconception, Rubric, StemMatcher, Suggestion
from graders.phrases import MAX_SLOTS, is_stated, parse_phrase, samples, stands_in

HALF = Decimal("0.5")
PARALLEL = Idea("all at once", HALF, ("work ... parallel",))
SHARED = Idea("shared weights", HALF, ("share ... weight", "same weight"))
SHORT = Idea("short paths", HALF, ("path ... short",), ("direct|directly",))
RUBRIC = Rubric(take=2, ideas=(PARALLEL, SHARED, SHORT))


def suggest(text: str, rubric: Rubric = RUBRIC) -> Suggestion:
    return StemMatcher().suggest(text, rubric)


def verdicts(text: str, rubric: Rubric = RUBRIC) -> list[tuple[str, str]]:
    return [(each.idea.name, each.verdict) for each in suggest(text, rubric).evidence]


# Phrases


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("share weight", "It SHARES Weights."),
        ("normalize score", "normalising scores"),
        ("normalized", "normalisation"),
        ("process|handle sequence", "It handles sequences"),
        ("process ... sequence", "process one or two or three more sequences"),
        ("feed-forward net", "a feed forward net"),
        ("feed forward net", "the feed-forward-net"),
        ("recur*", "recurrences"),
        ("by *ing", "by averaging"),
        ("sqrt d_k", r"divided by $\sqrt{d_k}$"),
        ("sqrt(d_k)", r"divided by $\sqrt{d_{k}}$"),
        ("sqrt d_k", "divided by √d_k"),
        ("QK^T", r"$\mathbf{QK}^{\text{T}}$"),
        ("QK^T", r"$QK^\top$"),
        ("0.62", "a weight of 0.62."),
        ("not scale", "it doesn’t scale"),
        ("not scale", "it cannot scale"),
        ("rnn state", "an RNN's state"),
        ("ﬁxed size", "ｆｉｘｅｄ size"),
        ("multiple input", "**multiple** input"),
    ],
)
def test_a_phrase_is_found_however_it_is_written(phrase: str, text: str) -> None:
    assert stands_in(text, phrase)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("process sequence", "process long sequences"),
        ("process ... sequence", "process one or two or three or more sequences"),
        ("process ... sequence", "They process. Sequences are long."),
        ("process ... sequence", "They process;\nsequences"),
        ("process ... sequence", "- They process\n- sequences"),
        ("sequence process", "process sequences"),
        ("recur*", "occur"),
        ("0.62", "0.625 or 0,62"),
    ],
)
def test_a_phrase_is_not_found_in_other_words(phrase: str, text: str) -> None:
    assert not stands_in(text, phrase)


def test_abbreviations_and_numbers_do_not_end_a_sentence() -> None:
    assert stands_in("they process, e.g. 0.5 vs. 1.5 long sequences", "process ... ... sequence")


def test_wrapped_lines_are_one_sentence() -> None:
    assert stands_in("They process\n  sequences", "process sequence")


@pytest.mark.parametrize(
    "phrase", ["", "...", "... a", "a ...", "a||b", "a|", "!", "x*", "a*b", "*", r"\text", "a b " * MAX_SLOTS]
)
def test_a_phrase_that_nothing_can_match_is_refused(phrase: str) -> None:
    with pytest.raises(ValueError, match="phrase"):
        parse_phrase(phrase)


@given(st.lists(st.sampled_from(["process|handle", "...", "seq*", "*ing", "feed-forward|mlp", "d_k"]), min_size=1))
def test_a_phrase_stands_in_each_of_its_samples(parts: list[str]) -> None:
    phrase = " ".join(["a", *parts[: MAX_SLOTS - 2], "z"])
    assert all(stands_in(sample, phrase) for sample in samples(phrase))


# Negation


@pytest.mark.parametrize(
    "text",
    [
        "They do not process sequences",
        "They don't process sequences",
        "They never really process sequences",
        "unlike nets that process sequences",
        "They process no sequences",
        "RNNs without a process for sequences",
        "It is used instead of a process of sequences",
    ],
)
def test_what_is_denied_is_not_stated(text: str) -> None:
    assert stands_in(text, "process ... sequence")
    assert not is_stated(text, "process ... sequence")


@pytest.mark.parametrize(
    "text",
    [
        "They have no recurrence and process sequences",
        "This is not so, but they process sequences",
        "They do not recur, they process sequences",
        "Not only do they process sequences",
        "No. They process sequences",
    ],
)
def test_a_negation_of_something_else_denies_nothing(text: str) -> None:
    assert is_stated(text, "process ... sequence")


def test_a_phrase_that_says_no_itself_is_stated() -> None:
    assert is_stated("They do not process sequences", "not process sequence")
    assert is_stated("They process sequences without recurrence", "process ... without recurrence")


def test_what_is_denied_does_not_count_and_is_listed() -> None:
    text = "They do not share their weights, because every layer has a matrix that was trained for it."
    assert verdicts(text) == [("shared weights", "negative")]
    assert suggest(text).points == 0


def test_an_idea_may_count_in_the_negative() -> None:
    text = "They do not share their weights, because every layer has a matrix that was trained for it."
    either = Idea("weights", HALF, ("share ... weight",), either_way=True)
    assert verdicts(text, Rubric(1, (either,))) == [("weights", "counts")]


# Reasons

REASON = ", since one cell is applied again at the next step"


@pytest.mark.parametrize(
    "text",
    [
        "They share weights.",
        "Both of them always share the same weights.",
        "They share weights because.",
        "They share weights because it is better.",
        "They share weights, the cell, the step, the state, the loss, because, the net, the size, the model.",
        "share weights, same weights, cell, step, matrix, training, layer, because, since, therefore",
        "share weights cell step matrix training layer network gradient because model size",
        "They share weights.\n\nText is read in many countries, since people like to hear news and stories.",
    ],
)
def test_a_bare_claim_earns_nothing(text: str) -> None:
    assert ("shared weights", "bare") in verdicts(text)
    assert suggest(text).points == 0


@pytest.mark.parametrize(
    "text",
    [
        f"They share weights{REASON}.",
        "Since one cell is applied again at the next step, they share weights.",
        "They share weights. This means that one cell is applied again at each step, so size does not matter.",
        "They share weights, e.g. one cell for the whole sentence.",
        "They share weights by applying one cell at the first, second and third step.",
        "They share weights over the whole text: one cell reads the first word, then the second word with what it"
        " remembers, then the third.",
    ],
)
def test_a_claim_with_a_reason_counts(text: str) -> None:
    assert verdicts(text) == [("shared weights", "counts")]


def test_the_support_is_in_the_students_words() -> None:
    evidence = suggest(f"All of them **share weights**{REASON}.").evidence[0]
    assert (evidence.claim, evidence.support) == ("All of them share weights", REASON.removeprefix(", "))


def test_the_point_of_another_idea_is_no_reason() -> None:
    text = "They share weights. They work in parallel, so that long texts are read in a short time."
    assert verdicts(text) == [("all at once", "counts"), ("shared weights", "bare")]


def test_where_reasons_are_listed_no_other_counts() -> None:
    assert verdicts("The path is short, since a graph has edges between its many nodes.") == [("short paths", "bare")]
    assert verdicts("Paths are short. Any two words meet directly.") == [("short paths", "counts")]


def test_a_listed_reason_must_be_near_and_not_denied() -> None:
    far = "The path is short. It is so. I know it. I saw it. Words meet directly."
    assert verdicts(far) == [("short paths", "bare")]
    assert verdicts("The path is short. Words do not meet directly.") == [("short paths", "bare")]


def test_a_claim_is_no_reason_for_itself() -> None:
    idea = Idea("short", HALF, ("path ... short",), ("path",))
    assert verdicts("The path is short.", Rubric(1, (idea,))) == [("short", "bare")]


# Choosing


def test_the_same_idea_counts_once() -> None:
    text = f"- They share weights{REASON}.\n- They have the same weights{REASON}."
    assert verdicts(text) == [("shared weights", "counts"), ("shared weights", "again")]
    assert suggest(text).points == HALF


def test_a_second_sentence_on_an_entry_of_a_list_is_no_second_example() -> None:
    text = (
        f"- They share weights{REASON}. They have the same weights{REASON}.\n"
        "- They work in parallel, because matrices are multiplied by fast hardware."
    )
    assert verdicts(text) == [("all at once", "counts"), ("shared weights", "counts"), ("shared weights", "more")]


def test_one_sentence_is_one_example() -> None:
    text = f"They share weights and work in parallel{REASON}."
    assert suggest(text).points == HALF
    assert ("shared weights", "shares") in verdicts(text)


def test_one_sentence_may_hold_all_parts_of_an_explanation() -> None:
    text = f"They share weights and work in parallel{REASON}."
    assert suggest(text, Rubric(2, RUBRIC.ideas, own_example=False)).points == 2 * HALF


def test_ideas_make_room_for_one_another() -> None:
    # The dearest idea would take the first sentence, which is the only one for the other.
    dear, cheap = Idea("dear", Decimal(1), ("share weight",)), Idea("cheap", HALF, ("work ... parallel",))
    text = f"They share weights and work in parallel{REASON}. They share weights again{REASON}."
    assert suggest(text, Rubric(2, (dear, cheap))).points == Decimal("1.5")


def test_the_best_ideas_are_taken() -> None:
    ideas = (Idea("cheap", HALF, ("work ... parallel",)), Idea("dear", Decimal(1), ("share weight",)))
    text = f"They work in parallel{REASON}. They share weights{REASON}."
    suggestion = suggest(text, Rubric(1, ideas))
    assert suggestion.points == 1
    assert [(each.idea.name, each.verdict) for each in suggestion.evidence] == [("cheap", "beyond"), ("dear", "counts")]


def test_what_is_said_as_a_reason_is_no_example() -> None:
    assert verdicts("They are small because they share weights over all of their many steps.") == []


def test_an_idea_is_quoted_a_few_times_and_not_a_thousand() -> None:
    assert len(suggest("They share weights. " * 1000).evidence) == MOST_PLACES


def test_what_was_not_stated_is_missing() -> None:
    assert [idea.name for idea in suggest(f"They share weights{REASON}.").missing] == ["all at once", "short paths"]


# What a claim is said of

SUBJECTS = Rubric(1, (Idea("parallel", HALF, ("cat* ... parallel",)),), subjects=("cat*", "dog*"))


def test_a_gap_passes_over_no_subject() -> None:
    assert suggest("Cats run in parallel, since a litter has many legs.", SUBJECTS).points == HALF
    assert suggest("Cats go slowly, dogs run in parallel, since a pack has many legs.", SUBJECTS).points == 0


def test_a_claim_must_be_said_of_what_is_asked() -> None:
    rubric = Rubric(1, (SHARED,), about=("both",))
    assert suggest(f"They share weights{REASON}.", rubric).points == 0
    assert suggest(f"Both share weights{REASON}.", rubric).points == HALF
    assert suggest(f"Both are nets. They share weights{REASON}.", rubric).points == HALF


def test_nothing_counts_beside_a_misconception() -> None:
    misconception = Misconception(("dog ... parallel",), "dogs go one by one")
    rubric = Rubric(1, (SHARED,), misconceptions=(misconception,))
    text = f"They share weights and dogs work in parallel{REASON}."
    assert verdicts(text, rubric) == [("shared weights", "contradicted")]
    assert suggest(text, rubric).misconceptions == ((misconception, "dogs work in parallel"),)
    assert suggest(f"They share weights and dogs do not work in parallel{REASON}.", rubric).points == HALF


# Any text

WORDS = st.sampled_from(
    ["they", "share", "same weights", "work", "parallel", "path", "short", "directly", "not", "because", ".", "\n- "]
)


@given(st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=80).map(" ".join)))
@settings(max_examples=300, deadline=None)
def test_any_text_is_judged(text: str) -> None:
    suggestion = suggest(text)
    counted = [each.idea for each in suggestion.evidence if each.verdict == "counts"]
    assert len(counted) == len(set(counted)) <= RUBRIC.take
    assert suggestion.points == sum(idea.points for idea in counted)


@pytest.mark.parametrize(
    "piece",
    [
        "they share weights because ",
        "They share weights. ",
        "not ",
        "a. ",
        "\n- ",
        "\n ",
        "a_",
        "x'",
        "\\",
        "(",
        "ﷺ",
        "path short directly in parallel work and ",
        "y",
        "a",
    ],
)
def test_a_hundred_thousand_characters_take_less_than_a_second(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    start = time.process_time()
    suggest(text)
    assert time.process_time() - start < 1
