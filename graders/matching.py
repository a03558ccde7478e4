"""Which of a rubric's ideas an answer states and gives a reason for: a suggestion, which a person decides on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, Protocol

from graders.phrases import Answer, Span, set_of

Verdict = Literal["counts", "more", "again", "shares", "beyond", "bare", "negative", "contradicted"]
"""It counts; says more of what counts; is the same idea in another example; is part of an example that counts for
something else; is beyond the number that counts; lacks a reason; is denied; stands beside a misconception."""


@dataclass(frozen=True, slots=True)
class Idea:
    """Something that an answer may say, and what it is worth."""

    name: str
    points: Decimal
    claim: tuple[str, ...]
    because: tuple[str, ...] = ()
    """The reasons that count; without any, a general test looks for a reason."""
    either_way: bool = False
    """Whether it also counts in the negative, as what a remedy prevents does."""


@dataclass(frozen=True, slots=True)
class Misconception:
    """A known wrong statement: no claim in its sentence counts."""

    says: tuple[str, ...]
    tell: str


@dataclass(frozen=True, slots=True)
class Rubric:
    """The ideas that one check looks for, of which the best few count."""

    take: int
    ideas: tuple[Idea, ...]
    about: tuple[str, ...] = ()
    """What a claim must be said of: one of these stands in its sentence or the one before."""
    subjects: tuple[str, ...] = ()
    """Words that no gap passes over: what is said of one is not said of the other."""
    own_example: bool = True
    """Whether each idea needs an example of its own: an entry of the list, or else a sentence."""
    misconceptions: tuple[Misconception, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence that states an idea, the student's words for it, and what we make of it."""

    idea: Idea
    verdict: Verdict
    claim: str
    support: str
    sentence: str
    at: int
    """The number of the sentence."""
    entry: int
    """The number of the paragraph or list entry that it is in."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a matcher proposes to the person who decides."""

    points: Decimal
    evidence: tuple[Evidence, ...]
    missing: tuple[Idea, ...]
    misconceptions: tuple[tuple[Misconception, str], ...]
    """Each with the student's words for it."""

    def having(self, verdict: Verdict) -> list[Evidence]:
        return [each for each in self.evidence if each.verdict == verdict]


class Matcher(Protocol):
    """Whatever can hold an answer against a rubric; a better one needs no more than this."""

    def suggest(self, text: str, rubric: Rubric) -> Suggestion:
        """What the answer may be worth, with the phrases that support it."""


class StemMatcher:
    """Finds phrases by the stems of words, and wants a reason near each claim."""

    def suggest(self, text: str, rubric: Rubric) -> Suggestion:
        answer = Answer(text, rubric.subjects)
        wrong = [(each, span) for each in rubric.misconceptions for span in answer.stated(each.says)]
        reader = _Reader(answer, rubric, {answer.sentence(span) for _, span in wrong})
        evidence = _count([each for idea in rubric.ideas for each in reader.evidence(idea)], rubric)
        stated = {each.idea for each in evidence}
        return Suggestion(
            points=sum((each.idea.points for each in evidence if each.verdict == "counts"), Decimal(0)),
            evidence=evidence,
            missing=tuple(idea for idea in rubric.ideas if idea not in stated),
            misconceptions=tuple((each, answer.quote(*span)) for each, span in wrong[:MOST_PLACES]),
        )


def _count(found: Sequence[Evidence], rubric: Rubric) -> tuple[Evidence, ...]:
    """The same evidence with its verdicts: the best ideas count, each once, each by an example of its own."""
    sound = [each for each in found if each.verdict == "counts"]
    example = _example(sound, rubric)
    best = _seated(sound, rubric, example)
    seats = {each.idea: example(each) for each in best}

    def verdict(each: Evidence) -> Verdict:
        if each in best or each.verdict not in ("counts", "bare"):
            return each.verdict
        if each.idea in seats:
            return "more" if seats[each.idea] == example(each) else "again"
        if each.verdict == "bare":
            return "bare"
        return "shares" if example(each) in seats.values() else "beyond"

    return tuple(replace(each, verdict=verdict(each)) for each in found)


def _example(sound: Collection[Evidence], rubric: Rubric) -> Callable[[Evidence], object]:
    """What makes two pieces of evidence the same example."""
    if not rubric.own_example:
        return lambda each: each.idea
    # A list tells what its examples are; without one, a second sentence is the best sign of a second example.
    listed = len({each.entry for each in sound}) >= max(rubric.take, 2)
    return (lambda each: each.entry) if listed else (lambda each: each.at)


def _seated(sound: Sequence[Evidence], rubric: Rubric, example: Callable[[Evidence], object]) -> list[Evidence]:
    """An example for each idea: the dearest idea chooses first, and earlier ones move over where they can."""
    seats: dict[object, Evidence] = {}

    def seat(idea: Idea, tried: set[object]) -> bool:
        for each in sound:
            if each.idea == idea and example(each) not in tried:
                tried.add(example(each))
                if example(each) not in seats or seat(seats[example(each)].idea, tried):
                    seats[example(each)] = each
                    return True
        return False

    for idea in sorted(rubric.ideas, key=lambda each: -each.points):
        if len(seats) < rubric.take:
            seat(idea, set())
    return list(seats.values())


_CONNECTIVES = (
    "because|since|so|therefore|thus|hence|consequently|due-to|as-a-result|in-order-to|which-means|meaning-that|otherwise",
    "whereas|while|but|however|instead|such-as|for-example|for-instance|eg|ie|namely|that-is",
    "through|via",
    "which is|are|mean|make|let|allow|enable|help|lead|give|prevent|cause",
    "by *ing",
    "as it|they|there|this|these|we|you|no|each|every|all",
)
_FUNCTION_WORDS = set_of(
    """a about all also always am an any are as at be been being both but by can could do does each either for from
    get gets had has have he how i if in into is it its just like made make makes many may might more most much must
    need needs neither of on only or other our same she so some such than that the their them then there these they
    thing things this those to too up use used uses using very was way we were what when where which who will with
    would you your"""
)
_REASONS = set_of("because since so as therefore thus hence")
"""What opens a clause that gives a reason: a claim in it is no example of its own."""
_ENOUGH_AFTER_CONNECTIVE = 2
"""How many further words of content make a reason where a connective announces it."""
_ENOUGH = 8
MOST_PLACES = 20
"""How often one idea is looked at: enough for any honest answer, and a bound for the others."""


class _Reader:
    """Judges each sentence that states an idea: with a reason, bare, in the negative or contradicted."""

    def __init__(self, answer: Answer, rubric: Rubric, wrong: Collection[int]) -> None:
        self._answer = answer
        self._wrong = wrong
        self._claims = {idea: self._claims_of(idea, rubric.own_example) for idea in rubric.ideas}
        self._reasons = {idea: answer.by_sentence(answer.stated(idea.because)) for idea in rubric.ideas}
        self._connectives = answer.by_sentence(answer.stated(_CONNECTIVES))
        about = {answer.sentence(span) for phrase in rubric.about for span in answer.find(phrase)}
        self._about = about | {at + 1 for at in about} if rubric.about else range(len(answer.sentences))

    def _claims_of(self, idea: Idea, own_example: bool) -> dict[int, list[Span]]:
        spans = self._answer.stated(idea.claim)
        if idea.either_way:
            spans += self._answer.denied(idea.claim)
        reasons = _REASONS if own_example else ()
        return self._answer.by_sentence(span for span in spans if self._answer.opening(span) not in reasons)

    def evidence(self, idea: Idea) -> Iterator[Evidence]:
        """What each sentence makes of the idea, in the order of the answer."""
        answer = self._answer
        stated, denied = self._claims[idea], answer.by_sentence(answer.denied(idea.claim))
        places = [at for at in sorted({*stated, *denied}) if at in self._about]
        for at in places[:MOST_PLACES]:
            claim = (stated.get(at) or denied[at])[0]
            verdict, support = self._verdict(idea, claim, at) if at in stated else ("negative", "")
            entry = answer.words[claim[0]].paragraph
            yield Evidence(idea, verdict, answer.clause(claim), support, answer.whole(at), at, entry)

    def _verdict(self, idea: Idea, claim: Span, at: int) -> tuple[Verdict, str]:
        if at in self._wrong:
            return "contradicted", ""
        if not self._is_prose(self._answer.sentences[at]):
            return "bare", ""
        support = self._expected_reason(idea, claim, at) if idea.because else self._any_reason(idea, at)
        return ("counts" if support else "bare"), support

    def _expected_reason(self, idea: Idea, claim: Span, at: int) -> str:
        for near in (at, at + 1, at - 1, at + 2):
            for span in self._reasons[idea].get(near, []):
                if span[1] < claim[0] or claim[1] < span[0]:
                    return self._answer.clause(span)
        return ""

    def _any_reason(self, idea: Idea, at: int) -> str:
        """A connective with something to say after or before it, or simply a good deal more than the claim."""
        sentences = [at, at + 1] if self._goes_on(idea, at) else [at]
        around = [place for each in sentences for place in self._answer.sentences[each]]
        told = [first for each in sentences for first, _ in self._connectives.get(each, [])]
        further = self._further_words(idea, sentences, set(around) - set(told))
        if told and len(further) >= _ENOUGH_AFTER_CONNECTIVE:
            first = told[0]
            return self._answer.quote(first, self._answer.sentences[self._answer.words[first].sentence][-1])
        return self._answer.quote(around[0], around[-1]) if len(further) >= _ENOUGH else ""

    def _goes_on(self, idea: Idea, at: int) -> bool:
        """Whether the next sentence belongs to this one, and makes no point of its own."""
        if at + 1 == len(self._answer.sentences):
            return False
        here, after = (self._answer.words[self._answer.sentences[each][0]] for each in (at, at + 1))
        another = any(at + 1 in places for other, places in self._claims.items() if other != idea)
        return here.paragraph == after.paragraph and not another

    def _further_words(self, idea: Idea, sentences: Sequence[int], around: Collection[int]) -> set[str]:
        """The words of content beside the claim; the subjects of the question are none."""
        words = self._answer.words
        spans = [span for each in sentences for span in self._claims[idea].get(each, [])]
        claimed = {words[at].stem for first, last in spans for at in range(first, last + 1)}
        content = {
            words[at].stem
            for at in around
            if words[at].folded not in _FUNCTION_WORDS and at not in self._answer.subjects
        }
        return content - claimed - {"not"}

    def _is_prose(self, around: Sequence[int]) -> bool:
        """Whether these are sentences, not a list of keywords."""
        words = [self._answer.words[at] for at in around]
        small = sum(word.folded in _FUNCTION_WORDS for word in words)
        numbers = sum(word.folded[0].isdigit() for word in words)
        clauses = len({word.clause for word in words})
        return small * 8 >= len(words) - numbers and len(words) >= 3 * clauses
