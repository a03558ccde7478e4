"""The content of a computed question, proved by computing it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from graders.arrays import EXACT, Written, shape_text
from graders.computation import CANNOT_COMPUTE, Misconception, chain_of, computation_of, misconceptions_of, rounding_of
from graders.intervals import Interval, Rounding
from graders.working import expected_steps, step_of, within
from harness.errors import Complaint
from harness.model import Check, Mark, ProblemSet, Question, RawAnswer, Submission
from harness.validation import did_you_mean
from harness.yamlfile import Location

Grade = Callable[[Question, Sequence[Check], ProblemSet, Submission], Iterator[Mark]]
Answers = Mapping[str, RawAnswer]


def prove_steps(
    question: Question, problem_set: ProblemSet, asked: Mapping[str, tuple[int, ...]]
) -> Iterator[Complaint]:
    """The reference runs, has every step that is asked for in its shape, and agrees with what was published."""
    if question.spec.key is None:
        yield question.source.complaint((), "`key` is missing: without it nothing hidden can be graded")
        return
    try:
        steps = expected_steps(computation_of(question, problem_set), rounding_of(question, problem_set))
    except CANNOT_COMPUTE as error:
        yield question.source.complaint(("given",), f"the reference cannot compute with these numbers: {error}")
        return
    for name, shape in asked.items():
        if name not in steps:
            told = f"`{name}` is no step of the reference, which has {', '.join(steps)}{did_you_mean(name, steps)}"
            yield question.source.complaint(("answers", name), told)
        elif steps[name].shape != shape:
            told = f"`{name}` is computed as {shape_text(steps[name].shape)}, `shape` says {shape_text(shape)}"
            yield question.source.complaint(("answers", name, "shape"), told)
    if question.spec.key.erratum is None:
        for place, told in _misprints(question, steps):
            yield question.source.complaint(place, f"{told}: mend `given`, or say why under `erratum`")


def misprints(question: Question, problem_set: ProblemSet) -> Iterator[Complaint]:
    """Where what was published is not what can be computed: the first difference of each value."""
    steps = expected_steps(computation_of(question, problem_set), rounding_of(question, problem_set))
    first: dict[Location, str] = {}
    for place, told in _misprints(question, steps):
        first.setdefault(place, told)
    yield from (question.source.complaint(place, told) for place, told in first.items())


def _misprints(question: Question, steps: Mapping[str, Interval]) -> Iterator[tuple[Location, str]]:
    for name, value in question.spec.key.published.items():
        place = ("key", "published", name)
        printed = np.array(value, dtype=np.float64)
        if name not in steps:
            yield place, f"`{name}` is no step of the reference{did_you_mean(name, steps)}"
        elif printed.shape != steps[name].shape:
            yield (
                place,
                f"`{name}` is published as {shape_text(printed.shape)}, computed as {shape_text(steps[name].shape)}",
            )
        else:
            right = within(Written(printed, np.full(printed.shape, EXACT)), steps[name])
            yield from ((place, _differs(name, tuple(entry), printed, steps[name])) for entry in np.argwhere(~right))


def _differs(name: str, entry: tuple[int, ...], printed: Any, steps: Interval) -> str:
    computed = steps[entry]
    where = f" at {', '.join(str(index + 1) for index in entry)}" if entry else ""
    return f"`{name}`{where}: {printed[entry]:g} is published, {computed.low:g} to {computed.high:g} can be computed"


def prove_misconceptions(
    question: Question,
    problem_set: ProblemSet,
    answers_with: Callable[[Misconception], Answers],
    grade: Grade,
) -> Iterator[Complaint]:
    """Every misconception of the question fails one of its hidden checks, which tells the student its sentence."""
    hidden = [check for check in question.checks if check.visibility == "hidden"]
    own = question.spec.key.misconceptions if question.spec.key else ()
    for each in misconceptions_of(question, problem_set):
        if each.name not in own:
            continue
        place = ("key", "misconceptions", own.index(each.name))
        try:
            answers = answers_with(each)
        except CANNOT_COMPUTE as error:
            told = f"`{each.name}` leads to nothing with these numbers: {error}"
            yield question.source.complaint(place, told)
            continue
        submission = Submission(id=each.name, sha256="", root=Path(), answers=answers)
        failed = [mark for mark in grade(question, hidden, problem_set, submission) if mark.outcome != "passed"]
        if not failed:
            told = f"`{each.name}` fails no hidden check: these numbers do not tell it from the right way"
            yield question.source.complaint(place, told)
        elif not any(each.sentence in mark.message for mark in failed):
            told = (
                f"`{each.name}` is not told by name; the student reads: {' / '.join(mark.message for mark in failed)}"
            )
            yield question.source.complaint(place, told)


def answers_of(question: Question, problem_set: ProblemSet, misconception: Misconception) -> Answers:
    """What a student with this misconception hands in, for the whole chain of numeric questions."""
    # They calculate exactly and round what they write: the ends of intervals are nobody's working.
    rounding = Rounding(rounding_of(question, problem_set).decimals, every_step=False)
    answers: dict[str, RawAnswer] = {}
    for each in chain_of(question, problem_set):
        if each.kind == "numeric":
            steps = {name: step_of(misconception.computation, rounding, name) for name in each.spec.answers}
            answers[each.id] = {
                name: _as_text(step.low, rounding.decimals) for name, step in steps.items() if step is not None
            }
    return answers


def _as_text(values: Any, decimals: int) -> RawAnswer:
    if np.ndim(values) == 0:
        return f"{float(values):.{decimals}f}"
    return [_as_text(each, decimals) for each in values]
