"""Kind `numeric`: named numbers, vectors and matrices, judged with the solver's rounding in mind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from pydantic import Field

from graders.arrays import Written, WrongShapeError
from graders.computation import ComputedSpec, rounding_of
from graders.handed import Asked, Handed, Work, hand_over, work_of
from graders.intervals import NOISE, Rounding, exactly
from graders.marking import settle
from graders.numbers import UnreadableError
from graders.proofs import answers_of, prove_misconceptions, prove_steps
from graders.working import JudgedStep, within
from harness.errors import Complaint
from harness.model import Check, Mark, ProblemSet, Question, RawAnswer, Submission
from harness.spec import CheckSpec, mapping_in
from harness.validation import did_you_mean
from harness.yamlfile import Location

NEEDS_ANSWER = True


class NumericCheck(CheckSpec):
    """A check of a numeric question."""

    grades: tuple[str, ...] = ()
    """The answers that its points hang on; a basic check looks at how all of them are written."""


class Spec(ComputedSpec):
    """A question of kind `numeric`."""

    answers: Mapping[str, Asked] = Field(min_length=1)
    """What is asked for, by the names of the reference's steps."""
    checks: Mapping[str, NumericCheck] = Field(min_length=1)

    @classmethod
    def faults(cls, written: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
        yield from super().faults(written)
        yield from _wrong_acceptance(mapping_in(written, "key"))
        asked = mapping_in(written, "answers")
        for id in mapping_in(written, "checks"):
            grades = mapping_in(written, "checks", id).get("grades", [])
            if id.endswith("-hidden") and not grades:
                told = f"`grades` is missing: say which answers {id} looks at, such as [{', '.join(asked)}]"
                yield ("checks", id), told
            for index, name in enumerate(grades if isinstance(grades, list) else []):
                if name not in asked:
                    hint = did_you_mean(str(name), asked)
                    yield ("checks", id, "grades", index), f"`{name}` is not one of `answers`{hint}"


def _wrong_acceptance(key: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
    for needed in ("published", "erratum"):
        if key.get("accept_published") is True and needed not in key:
            yield (
                ("key", "accept_published"),
                f"`{needed}` is missing: it says what is accepted besides the right value",
            )


def grade(
    question: Question, checks: Sequence[Check], problem_set: ProblemSet, submission: Submission
) -> Iterator[Mark]:
    handed, complaints = hand_over(question, submission)
    hidden = [check for check in checks if check.visibility == "hidden"]
    work = work_of(question, problem_set, submission) if hidden else None
    for check in checks:
        if work and check in hidden:
            yield _grade_hidden(check, question.spec.checks[check.id].grades, handed, work)
        else:
            yield _grade_basic(check, question, handed, complaints, rounding_of(question, problem_set))


def _grade_hidden(check: Check, names: Sequence[str], handed: Handed, work: Work) -> Mark:
    nowhere = UnreadableError("could not be found in your answer")
    told = [_tell(name, handed.get(name, nowhere), work) for name in names]
    earned = sum(right for right, _, _ in told)
    message = "\n".join(sentence for _, sentence, _ in told if sentence)
    detail = {name: detail for name, (_, _, detail) in zip(names, told, strict=True)}
    return settle(check, Fraction(earned, len(names)), message, answers=detail)


def _tell(name: str, given: Written | UnreadableError, work: Work) -> tuple[bool, str, dict[str, Any]]:
    """Whether it is right, the sentence for the student, and the detail for staff."""
    expected = work.expected[name]
    key = {"exact": np.asarray(work.exact[name]).tolist(), "low": expected.low.tolist(), "high": expected.high.tolist()}
    if _is_published(name, given, work):
        told = f"{name}: this is what was published; it is accepted, though an erratum corrects it"
        return True, told, {"verdict": "published", "erratum": work.question.spec.key.erratum, "key": key}
    if isinstance(given, UnreadableError):
        wrong_shape = given.given if isinstance(given, WrongShapeError) else None
        found = work.misconception(name, wrong_shape) if wrong_shape else None
        sentence = f"{name}: {given}" + (f". {found.sentence}" if found else "")
        return False, sentence, {"verdict": "unreadable", "key": key}
    step = work.judged[name]
    detail = {"verdict": step.verdict, "given": given.values.tolist(), "key": key}
    if step.verdict == "right":
        return True, "", detail
    if step.verdict == "follows":
        return True, f"{name}: right, judged from your own {work.own(step.wrong_before)}", detail
    found = work.misconception(name, given)
    if found:
        return False, f"{name}: {found.sentence}", {**detail, "misconception": found.name}
    return False, _what_is_wrong(step, given, work), detail


def _is_published(name: str, given: Written | UnreadableError, work: Work) -> bool:
    """Whether it is not right but what the course printed, perhaps in another shape, and the question lets it count."""
    published = work.question.spec.key.published if work.question.spec.key.accept_published else {}
    written = given.given if isinstance(given, WrongShapeError) else given
    right = name in work.judged and work.judged[name].verdict == "right"
    if right or name not in published or isinstance(written, UnreadableError):
        return False
    printed = exactly(published[name], work.rounding).rounded()
    return written.shape == printed.shape and bool(within(written, printed).all())


def _what_is_wrong(step: JudgedStep, given: Written, work: Work) -> str:
    if len(given.shape) == 2 and given.shape[0] == given.shape[1]:
        turned = Written(given.values.T, given.decimals.T)
        if within(turned, step.expected).all():
            return f"{step.name}: this is the transpose of what is asked for"
    where, several = _where(step.wrong_entries, given.shape)
    verb = "are" if several else "is"
    if not step.wrong_before and _is_near(given, step, work.rounding):
        return (
            f"{step.name}: {where} {verb} near, but no rounding to {work.rounding.decimals} decimals leads there: "
            "do the sum again, and round at the end of each step"
        )
    source = "the steps before" if step.sources else "the numbers given"
    source = f"your own {work.own(step.wrong_before)}" if step.wrong_before else source
    first = next(each.name for each in work.judged.values() if each.verdict == "wrong")
    told = "; this is the first step that goes wrong" if step.name == first else ""
    return f"{step.name}: {where} {'do' if several else 'does'} not follow from {source}{told}"


def _where(entries: Sequence[tuple[int, ...]], shape: tuple[int, ...]) -> tuple[str, bool]:
    """The wrong places in words, and whether they are several."""
    if shape == ():
        return "the value", False
    if len(entries) == int(np.prod(shape)) > 1:
        return "all entries", True
    places = "; ".join(_place(entry) for entry in entries[:3])
    more = f" and {len(entries) - 3} more" if len(entries) > 3 else ""
    return f"{places}{more}", len(entries) > 1


def _place(entry: tuple[int, ...]) -> str:
    return f"row {entry[0] + 1}, column {entry[1] + 1}" if len(entry) == 2 else f"entry {entry[0] + 1}"


def _is_near(given: Written, step: JudgedStep, rounding: Rounding) -> bool:
    """Within three units of the last digit: a slip of rounding, not of method."""
    units = 3 * 10.0**-rounding.decimals
    distance = np.maximum(step.expected.low - given.values, given.values - step.expected.high)
    return bool((distance <= units).all())


def _grade_basic(
    check: Check, question: Question, handed: Handed, complaints: Sequence[str], rounding: Rounding
) -> Mark:
    sentences = list(complaints)
    for name in question.spec.checks[check.id].grades or question.spec.answers:
        given = handed.get(name)  # of an answer without names the complaint about the whole says enough
        if isinstance(given, UnreadableError):
            sentences.append(f"{name}: {given}")
        elif given and question.spec.answers[name].rows_sum_to_one:
            sentences += [f"{name}: {each}" for each in _not_a_distribution(given.values, rounding)]
    return settle(check, not sentences, "\n".join(sentences))


def _not_a_distribution(rows: Any, rounding: Rounding) -> Iterator[str]:
    """Sums may be off by half a unit for every entry, and by the rounded sum that the entries were divided by:
    half a unit of an exponentials' sum that may be as small as 0.1, so five units more."""
    rows = np.atleast_2d(rows)
    unit = 10.0**-rounding.decimals
    allowed = 0.5 * unit * rows.shape[-1] + (5 * unit if rounding.every_step else 0) + NOISE
    off = np.abs(rows.sum(axis=-1) - 1) > allowed
    if (rows < 0).any() or (rows > 1 + allowed).any():
        yield "a weight lies between 0 and 1; these do not"
    elif off.any() and len(rows) > 1 and (np.abs(rows.sum(axis=0) - 1) <= 0.5 * unit * len(rows) + 5 * unit).all():
        yield "rows sum to 1 along the wrong axis: softmax was taken over queries"
    elif off.any():
        row = int(np.argmax(off))
        yield f"row {row + 1} sums to {rows[row].sum():.{rounding.decimals}f}: the weights of a row sum to 1"


def blank_answer(spec: Spec) -> RawAnswer:
    return dict.fromkeys(spec.answers, "????")


def prove(question: Question, problem_set: ProblemSet) -> Iterator[Complaint]:
    found = list(prove_steps(question, problem_set, {name: each.shape for name, each in question.spec.answers.items()}))
    yield from found
    if not found:
        yield from prove_misconceptions(
            question, problem_set, lambda each: answers_of(question, problem_set, each), grade
        )
