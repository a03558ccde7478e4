"""Kind `mcq`: one option or several, chosen by letter; the key carries a proof where one can be run."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from graders.marking import settle
from harness.archives import shown
from harness.errors import Complaint
from harness.model import Check, Mark, ProblemSet, Question, RawAnswer, Submission
from harness.spec import CheckSpec, QuestionSpec, Text, mapping_in
from harness.validation import Strict
from harness.yamlfile import Location

NEEDS_ANSWER = True
MOST_COMPLAINTS = 3
"""Who has more of them wrote prose, and knows by then."""

LETTER = r"^[A-Z]$"
Letter = Annotated[str, Field(pattern=LETTER)]


def _text_alone(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


def _letter_alone(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class OptionSpec(Strict):
    """One of the options; in the file its text alone will do."""

    text: Text
    """What the student reads; LaTeX is welcome."""
    fixed: bool = False
    """Whether it keeps its letter in every version, as `none of these` must."""


Option = Annotated[
    OptionSpec,
    BeforeValidator(_text_alone),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1},
                {
                    "type": "object",
                    "properties": {"text": {"type": "string"}, "fixed": {"type": "boolean"}},
                    "required": ["text"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]
Answer = Annotated[
    tuple[Letter, ...],
    Field(min_length=1),
    BeforeValidator(_letter_alone),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": LETTER},
                {"type": "array", "items": {"type": "string", "pattern": LETTER}, "minItems": 1},
            ]
        }
    ),
]


class KeySpec(Strict):
    """All that a student must not see of a choice."""

    answer: Answer
    """The letter of the right option, or a list of them."""
    proof: Annotated[str, Field(pattern=r"^[a-z_0-9]+\.[a-z_0-9]+$")] | None = None
    """A function in `reference/`, as `file.function`, that finds out which options are true; audit runs it."""
    asks: bool = True
    """`false` where the question asks for the option that is not true."""
    why: Text
    """Why it is the right one: for the staff who have to defend it."""
    erratum: Text | None = None
    """What is wrong in the key that the course published."""


class Spec(QuestionSpec):
    """A question that is answered by choosing."""

    kind: Literal["mcq"]
    options: Mapping[Letter, Option] = Field(min_length=2)
    """What there is to choose from, by letter."""
    choose: Literal["one", "several"] = "one"
    """How many options are asked for; students are told."""
    partial: bool = False
    """With `several`: whether right choices less wrong ones earn a part; else it is all or nothing."""
    checks: Mapping[str, CheckSpec] = Field(min_length=1)
    """The basic check looks at how the choice is written, the hidden one at what is chosen."""
    key: KeySpec | None = None

    @classmethod
    def faults(cls, written: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
        yield from super().faults(written)
        yield from _wrong_options(mapping_in(written, "options"))
        yield from _wrong_key(written)
        if written.get("partial") is True and written.get("choose") != "several":
            yield ("partial",), "`partial` is for `choose: several`: of one option there are no parts"


def grade(
    question: Question, checks: Sequence[Check], problem_set: ProblemSet, submission: Submission
) -> Iterator[Mark]:
    spec: Spec = question.spec
    chosen, complaints = read_choice(submission.answers[question.id], spec.options, spec.choose)
    for check in checks:
        if check.visibility == "basic" or complaints:
            yield settle(check, not complaints, "\n".join(complaints))
        else:
            yield _grade_hidden(check, spec, chosen)


def _grade_hidden(check: Check, spec: Spec, chosen: Sequence[str]) -> Mark:
    assert spec.key is not None, "hidden checks are asked for only where the key is at hand"
    right = set(spec.key.answer)
    share = _share(set(chosen), right, spec.partial)
    detail = {"chosen": sorted(chosen), "key": sorted(right), "why": spec.key.why}
    return settle(check, share, "" if share == 1 else _not_right(chosen, share), **detail)


def _share(chosen: set[str], right: set[str], partial: bool) -> Fraction:
    if not partial:
        return Fraction(chosen == right)
    return max(Fraction(0), Fraction(len(chosen & right) - len(chosen - right), len(right)))


def _not_right(chosen: Sequence[str], share: Fraction) -> str:
    """Nothing in it tells which option would have been."""
    named = _listed(sorted(chosen))
    if len(chosen) == 1 and share == 0:
        return f"{named} is not right"
    return f"{named}: a part of this is right" if share else f"{named}: as a whole this is not right"


# --- Letters as people write them ------------------------------------------------------------------------


def read_choice(raw: RawAnswer, options: Collection[str], choose: str) -> tuple[list[str], list[str]]:
    """The options that are chosen, each once; and sentences for the student where that is not clear."""
    if isinstance(raw, Mapping):
        return [], [f"give the letter alone, such as `{min(options)}`, without a name inside"]
    text = _tidied(raw)
    words = [word for word in text.split() if word not in _FILLERS]
    complaints = [_no_option(word, options) for word in words if word not in options]
    chosen = list(dict.fromkeys(word for word in words if word in options))
    if choose == "one" and len(chosen) > 1:
        complaints.insert(0, f"{_listed(chosen)} are {len(chosen)} options, and one is asked for: keep one letter")
    elif choose == "several" and "OR" in text.split():
        complaints.insert(0, "`or` leaves it open: name all options that you choose, such as `A, C`")
    elif not words:
        complaints.append(f"there is no letter in it: write one of {_listed(sorted(options))}")
    return chosen, list(dict.fromkeys(complaints))[:MOST_COMPLAINTS]


_FILLERS = {"THE", "OPTION", "OPTIONS", "ANSWER", "ANSWERS", "CHOICE", "CHOICES", "IS", "ARE", "AND", "OR"}
_DRESS = dict.fromkeys(map(ord, "()[]{}.,:;/&+|*_`$\"'“”‘’«»"), " ")
"""What stands around letters: `(A)`, `A.`, `**A**`. Signs that deny or doubt, as in `~A` and `A?`, are not among it."""


def _tidied(raw: RawAnswer) -> str:
    text = raw if isinstance(raw, str) else " , ".join(map(_tidied, _parts(raw)))
    folded = unicodedata.normalize("NFKC", text)
    visible = "".join(each for each in folded if unicodedata.category(each) != "Cf")
    return visible.upper().translate(_DRESS)


def _parts(raw: RawAnswer) -> Iterable[RawAnswer]:
    return raw.keys() if isinstance(raw, Mapping) else raw


_TWINS = {
    **dict(zip("АВСԀЕҒԌНІЈКМОРЅТУХ", "ABCDEFGHIJKMOPSTYX", strict=True)),
    **dict(zip("ΑΒϹΕϜΗΙΚΜΝΟΡΤΥΧΖ", "ABCEFHIKMNOPTYXZ", strict=True)),
    **dict(zip("ᎪᏴᏟᎠᎬ", "ABCDE", strict=True)),
}
"""Letters of other alphabets that look like the Latin one. They come from another keyboard, and are told by name."""


def _no_option(word: str, options: Collection[str]) -> str:
    known = _listed(sorted(options))
    twin = _TWINS.get(word)
    if twin:
        alphabet = unicodedata.name(word).split()[0].capitalize()
        return f"this is a {alphabet} {word}: type a Latin {twin}"
    if re.match(LETTER, word):
        return f"there is no option {word}: there are {known}"
    return f"`{shown(word[:40])}` is not an option: write the letter alone, out of {known}"


def _listed(letters: Sequence[str]) -> str:
    return f"{', '.join(letters[:-1])} and {letters[-1]}" if len(letters) > 1 else "".join(letters)


def blank_answer(spec: Spec) -> RawAnswer:
    return "????"


# --- What an author is told ------------------------------------------------------------------------------


def _wrong_options(options: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
    owners: dict[str, str] = {}
    for letter, option in options.items():
        text = " ".join(str(option.get("text") if isinstance(option, dict) else option).split())
        owner = owners.setdefault(text, letter)
        if owner != letter:
            yield ("options", letter), f"option {letter} says the same as option {owner}"
        named = re.search(r"\b(?:options?|both|neither)\s+\(?([A-Z])\)?(?![\w'])", text)
        if named and named[1] in options:
            told = f"`{named[0]}` names an option by its letter, which changes from version to version"
            yield ("options", letter), f"{told}: say what it says"


def _wrong_key(written: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
    options = mapping_in(written, "options")
    answer = mapping_in(written, "key").get("answer", [])
    letters = [str(each) for each in answer] if isinstance(answer, list) else [str(answer)]
    for letter, times in Counter(letters).items():
        if letter not in options:
            yield ("key", "answer"), f"`{letter}` is not one of `options`, which are {_listed(list(options))}"
        elif times > 1:
            yield ("key", "answer"), f"`{letter}` stands here {times} times"
    if written.get("choose", "one") == "one" and len(letters) > 1:
        yield ("key", "answer"), f"{_listed(letters)} cannot all be right where one is chosen: say `choose: several`"


def prove(question: Question, problem_set: ProblemSet) -> Iterator[Complaint]:
    """The proof finds true what the key says, option by option."""
    key: KeySpec | None = question.spec.key
    if key is None:
        yield question.source.complaint((), "`key` is missing: without it nothing hidden can be graded")
    elif key.proof:
        for told in _disproved(question, key, key.proof):
            yield question.source.complaint(("key", "proof"), told)


def _disproved(question: Question, key: KeySpec, proof: str) -> Iterator[str]:
    # Here and not above: marking a letter waits for neither numpy nor torch.
    from graders.computation import CANNOT_COMPUTE, reference_function

    try:
        truths = reference_function(question, ("key", "proof"), proof)()
    except ImportError as error:
        yield f"`{proof}` cannot run here: {error}; install what it needs, such as gradecheck[torch]"
        return
    except (*CANNOT_COMPUTE, AssertionError) as error:
        yield f"`{proof}` fails: {type(error).__name__}: {error}"
        return
    if set(truths) != set(question.spec.options):
        yield f"`{proof}` speaks of {_listed(sorted(truths))}, the options are {_listed(list(question.spec.options))}"
        return
    for letter, truth in truths.items():
        belongs = bool(truth) == key.asks
        if belongs != (letter in key.answer):
            must = "must be in the key" if belongs else "must not be in the key"
            yield f"option {letter} {must}: `{proof}` finds it {'true' if truth else 'false'}"
