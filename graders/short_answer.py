"""A few sentences, held against a rubric of ideas: we suggest points and quote what supports them, a person decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator
from pydantic_core.core_schema import ValidationInfo

from graders.marking import propose, settle
from graders.matching import (
    Evidence,
    Idea,
    Matcher,
    Misconception,
    Rubric,
    StemMatcher,
    Suggestion,
)
from graders.phrases import is_stated, parse_phrase, samples, stands_in
from harness.errors import Complaint
from harness.model import Check, Mark, ProblemSet, Question, RawAnswer, Submission
from harness.spec import CheckSpec, Line, QuestionSpec, Text, mapping_in
from harness.validation import Points, Strict, did_you_mean
from harness.yamlfile import Location

NEEDS_ANSWER = True
MATCHER: Matcher = StemMatcher()

Phrase = Annotated[str, Field(min_length=1, max_length=500)]
Phrases = tuple[Phrase, ...]


class WordsSpec(Strict):
    """How long an answer may be; the student is told."""

    least: int = Field(default=5, ge=1)
    """Fewer words cannot hold a claim and its reason."""
    most: int = Field(default=300, le=5000)
    """More words are no short answer."""

    @field_validator("most")
    @classmethod
    def _room_between(cls, most: int, info: ValidationInfo) -> int:
        if most < info.data.get("least", 1):
            raise ValueError(f"{most} is less than `least`: no answer could be right")
        return most


class IdeaSpec(Strict):
    """One idea that an answer may state."""

    idea: Line
    """What it is, for the staff."""
    points: Points
    """What it is worth when it is stated with a reason."""
    claim: Phrases = Field(min_length=1)
    """Phrases that state it, any one of them: `a|b` either word, `...` up to six words, `recur*` a beginning."""
    because: Phrases = ()
    """The phrases that give a reason for it; without any, connectives and further content are looked for."""
    either_way: bool = False
    """Whether it also counts in the negative, as what a remedy prevents does."""


class MisconceptionSpec(Strict):
    """A known wrong statement."""

    says: Phrases = Field(min_length=1)
    """The phrases that state it; no claim in the same sentence counts."""
    tell: Line
    """What the reviewer should know of it."""


class RubricSpec(Strict):
    """What one hidden check looks for."""

    take: int = Field(ge=1)
    """How many ideas count: the best ones, each once."""
    about: Phrases = ()
    """What a claim must be said of: one of these stands in its sentence or the one before."""
    own_example: bool = True
    """Whether each idea needs an example of its own: an entry of the list, or else a sentence."""
    ideas: tuple[IdeaSpec, ...]
    """All ideas that a right answer may be made of."""
    misconceptions: tuple[MisconceptionSpec, ...] = ()
    """Wrong statements that are met often."""


class KeySpec(Strict):
    """All that a student must not see of a short answer."""

    synonyms: Mapping[str, Phrase] = {}
    """Alternatives with a name: `<verb>` in a phrase stands for all of them; `<why>` is always there."""
    subjects: Phrases = ()
    """Words that no gap `...` passes over: what is said of one is not said of the other."""
    rubrics: Mapping[str, RubricSpec]
    """The rubric of each hidden check, by the check's id."""
    erratum: Text | None = None
    """What is wrong in the key that the course published."""


class Spec(QuestionSpec):
    """A question that is answered in a few sentences."""

    kind: Literal["short_answer"]
    checks: Mapping[str, CheckSpec] = Field(min_length=1)
    """The basic check looks at the length; each hidden one has a rubric in the key."""
    words: WordsSpec = WordsSpec()
    """How long an answer may be."""
    key: KeySpec | None = None

    @classmethod
    def faults(cls, written: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
        yield from super().faults(written)
        key = mapping_in(written, "key")
        for place, told in (*_wrong_phrases(key), *_wrong_rubrics(key, mapping_in(written, "checks"))):
            if key:
                yield ("key", *place), told


def grade(
    question: Question, checks: Sequence[Check], problem_set: ProblemSet, submission: Submission
) -> Iterable[Mark]:
    """The length is marked here and now; what a rubric finds is a proposal to a person."""
    text = as_text(submission.answers[question.id])
    for check in checks:
        if check.visibility == "basic":
            yield _length(check, text, question.spec.words)
        else:
            suggestion = MATCHER.suggest(text, rubric_of(question.spec.key, check.id))
            yield propose(check, suggestion.points, _told(check, suggestion), _detail(suggestion))


def as_text(answer: RawAnswer) -> str:
    """An answer in any shape as paragraphs."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, Mapping):
        return "\n\n".join(f"{name}: {as_text(part)}" for name, part in answer.items())
    return "\n\n".join(as_text(part) for part in answer)


OURS = {"why": "because|since|so|therefore|thus|hence|as-a-result"}
"""Synonyms that every key has."""


def rubric_of(key: KeySpec, check: str) -> Rubric:
    """The rubric of a check, with its synonyms written out."""
    spec = key.rubrics[check]
    synonyms = {**OURS, **key.synonyms}

    def plain(phrases: Phrases) -> Phrases:
        return tuple(_written_out(phrase, synonyms) for phrase in phrases)

    return Rubric(
        take=spec.take,
        ideas=tuple(
            Idea(each.idea, each.points, plain(each.claim), plain(each.because), each.either_way) for each in spec.ideas
        ),
        about=plain(spec.about),
        subjects=plain(key.subjects),
        own_example=spec.own_example,
        misconceptions=tuple(Misconception(plain(each.says), each.tell) for each in spec.misconceptions),
    )


def blank_answer(spec: Spec) -> RawAnswer:
    return "????"


def prove(question: Question, problem_set: ProblemSet) -> Iterator[Complaint]:
    """Phrases that can never match, that the prompt states itself, or that mean two things."""
    if question.spec.key is None:
        yield question.source.complaint((), "`key` is missing: without it nothing hidden can be graded")
        return
    for place, message in (*_idle(question), *_conflicts(question.spec.key)):
        yield question.source.complaint(("key", *place), message)


# --- What the reader of the report is told -----------------------------------------------------------------


def _length(check: Check, text: str, words: WordsSpec) -> Mark:
    count = len(text.split())
    has = f"Your answer has {count} word{'' if count == 1 else 's'}"
    if count < words.least:
        return settle(check, False, f"{has}: write at least {words.least}, with a reason for what you say.")
    if count > words.most:
        return settle(check, False, f"{has}: keep what matters, in at most {words.most}.")
    return settle(check, True)


def _told(check: Check, suggestion: Suggestion) -> str:
    """What we saw, in the student's words and never in the rubric's."""
    lines = [_found(each) for each in suggestion.having("counts")]
    if suggestion.points < check.points:
        lines += _missed(suggestion)
    lines += [f"Please read this again: “{words}”." for _, words in suggestion.misconceptions]
    return "\n".join(dict.fromkeys(lines) or [_NOTHING])


_NOTHING = "We recognised none of the points that we look for; the person who reads the answer may see more in it."


def _found(each: Evidence) -> str:
    if each.claim in each.support:
        return f"We found “{each.support}”."
    return f"We found “{each.claim}”, supported by “{each.support}”."


def _missed(suggestion: Suggestion) -> Iterator[str]:
    """Why phrases that state an idea earned nothing."""
    counting = {each.idea: each.claim for each in suggestion.having("counts")}
    for again in suggestion.having("again"):
        yield f"Two of your examples are the same idea: “{counting[again.idea]}” and “{again.claim}”."
    for shares in suggestion.having("shares"):
        yield f"This is part of an example that counts already: “{shares.claim}”."
    for bare in suggestion.having("bare"):
        yield f"This is a claim without a reason: “{bare.claim}”. Say why it is so, or what follows from it."
    for negative in suggestion.having("negative"):
        yield f"This is stated in the negative, so we did not count it: “{negative.claim}”."


def _detail(suggestion: Suggestion) -> Mapping[str, Any]:
    return {
        "ideas": [_row(each) for each in suggestion.having("counts")],
        "not_counted": [
            {**_row(each), "verdict": each.verdict} for each in suggestion.evidence if each.verdict != "counts"
        ],
        "missing": [idea.name for idea in suggestion.missing],
        "misconceptions": [{"says": words, "tell": each.tell} for each, words in suggestion.misconceptions],
    }


def _row(each: Evidence) -> dict[str, Any]:
    return {
        "idea": each.idea.name,
        "points": float(each.idea.points),
        "claim": each.claim,
        "support": each.support,
        "sentence": each.sentence,
    }


# --- What the author is told -------------------------------------------------------------------------------


def _wrong_phrases(key: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
    synonyms = {**OURS, **mapping_in(key, "synonyms")}
    for name, choices in synonyms.items():
        if len(str(choices).split()) != 1 or "<" in str(choices):
            told = f"the synonyms `{choices}` must be words with | between and no space: join words with a hyphen"
            yield ("synonyms", name), told
    for place, phrase in _phrases(key):
        unknown = [name for name in _SYNONYM.findall(phrase) if name not in synonyms]
        for name in unknown:
            yield place, f"there are no synonyms `<{name}>`{did_you_mean(name, synonyms)}"
        if not unknown:
            yield from ((place, told) for told in _unreadable(_written_out(phrase, synonyms)))


def _unreadable(phrase: str) -> Iterator[str]:
    try:
        parse_phrase(phrase)
    except ValueError as error:
        yield str(error)


def _phrases(key: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
    """Every phrase of a key as it was written, and its place."""
    yield from _texts(key, ("subjects",))
    for check, rubric in mapping_in(key, "rubrics").items():
        here: Location = ("rubrics", check)
        yield from _texts(rubric, (*here, "about"))
        for place, idea in _listed(rubric, (*here, "ideas")):
            yield from _texts(idea, (*place, "claim"))
            yield from _texts(idea, (*place, "because"))
        for place, misconception in _listed(rubric, (*here, "misconceptions")):
            yield from _texts(misconception, (*place, "says"))


def _texts(holder: Any, place: Location) -> Iterator[tuple[Location, str]]:
    return ((each, text) for each, text in _listed(holder, place) if text and isinstance(text, str))


def _listed(holder: Any, place: Location) -> Iterator[tuple[Location, Any]]:
    """The items of the list that `place` ends with; none where something else was written."""
    items = holder.get(place[-1]) if isinstance(holder, dict) else None
    return (((*place, index), item) for index, item in enumerate(items if isinstance(items, list) else []))


_SYNONYM = re.compile(r"<([^<>\s]*)>")


def _written_out(phrase: str, synonyms: Mapping[str, Any]) -> str:
    return _SYNONYM.sub(lambda name: str(synonyms[name[1]]), phrase)


def _wrong_rubrics(key: Mapping[str, Any], checks: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
    rubrics = mapping_in(key, "rubrics")
    hidden = [id for id in checks if id.endswith("-hidden")]
    for id in hidden:
        if id not in rubrics:
            yield ("rubrics",), f"check `{id}` has no rubric: add `{id}:` here"
    for id, rubric in rubrics.items():
        if id in hidden:
            yield from _wrong_sums(id, rubric, mapping_in(checks, id).get("points"))
        else:
            yield ("rubrics", id), f"there is no hidden check `{id}`{did_you_mean(id, hidden)}"


def _wrong_sums(id: str, rubric: Any, points: Any) -> Iterator[tuple[Location, str]]:
    ideas = [idea for _, idea in _listed(rubric, ("ideas",)) if isinstance(idea, dict)]
    names = [idea.get("idea") for idea in ideas]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield ("rubrics", id, "ideas", index, "idea"), f"the idea `{name}` stands here a second time"
    numbers = [mapping_in(rubric).get("take"), points, *(idea.get("points") for idea in ideas)]
    if not all(isinstance(number, int | float) for number in numbers):
        return  # told by the model
    take, whole, *worth = (Decimal(str(number)) for number in numbers)
    best = sum(sorted(worth, reverse=True)[: int(take)], start=Decimal(0))
    if take > len(ideas):
        yield ("rubrics", id, "take"), f"`take` is {take}, and there are only {len(ideas)} ideas"
    elif best != whole:
        yield ("rubrics", id, "take"), f"the best {take} ideas make {best} points, and check `{id}` is worth {whole}"


def _idle(question: Question) -> Iterator[tuple[Location, str]]:
    """Phrases that no answer can have, or every answer."""
    key = question.source.value["key"]
    for place, phrase in _phrases(key):
        plain = _written_out(phrase, {**OURS, **mapping_in(key, "synonyms")})
        if not all(stands_in(sample, plain) for sample in samples(plain)):
            yield place, f"the phrase `{phrase}` can never match, because no sentence reads like that"
        elif "claim" in place and stands_in(question.prompt, plain):
            yield place, f"the phrase `{phrase}` stands in the prompt: repeating the question would state it"


def _conflicts(key: KeySpec) -> Iterator[tuple[Location, str]]:
    """Phrases that state two ideas, or an idea and a misconception."""
    for check in key.rubrics:
        rubric = rubric_of(key, check)
        wrong = [phrase for each in rubric.misconceptions for phrase in each.says]
        owners: dict[object, str] = {}
        for place, idea, phrase in _claims(rubric):
            meaning = tuple((slot.choices, slot.gap) for slot in parse_phrase(phrase))
            owner = owners.setdefault(meaning, idea.name)
            if owner != idea.name:
                told = f"the phrase `{phrase}` also states the idea `{owner}`: one example would be both"
                yield ("rubrics", check, *place), told
            if any(is_stated(sample, each) for sample in samples(phrase) for each in wrong):
                told = f"the phrase `{phrase}` is also a misconception, so it would never count"
                yield ("rubrics", check, *place), told


def _claims(rubric: Rubric) -> Iterator[tuple[Location, Idea, str]]:
    for number, idea in enumerate(rubric.ideas):
        for index, phrase in enumerate(idea.claim):
            yield ("ideas", number, "claim", index), idea, phrase
