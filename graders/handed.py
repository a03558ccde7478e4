"""What a student handed in for named quantities, and their whole working, from the questions before to this one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from graders.arrays import Written, read_array
from graders.computation import Misconception, chain_of, computation_of, misconceptions_of, rounding_of
from graders.intervals import Interval, Rounding
from graders.named import by_name
from graders.numbers import UnreadableError
from graders.working import Computation, JudgedStep, expected_steps, judge, pinned, step_of
from harness.answers import is_blank
from harness.model import ProblemSet, Question, RawAnswer, Submission
from harness.validation import Strict, did_you_mean
from reference.steps import run

Handed = Mapping[str, Written | UnreadableError]
"""What the student gave for each name: numbers, or the sentence that says why not."""


class Asked(Strict):
    """One thing that the student is asked for."""

    shape: tuple[Annotated[int, Field(ge=1, le=100)], ...] = Field(default=(), max_length=2)
    """`[3, 2]` for a matrix of three rows, `[3]` for a vector, nothing for a number."""
    also_called: tuple[str, ...] = ()
    """Other names that students give it."""
    rows_sum_to_one: bool = False
    """Whether the basic check may ask that each row is a distribution."""


def hand_over(question: Question, submission: Submission) -> tuple[dict[str, Written | UnreadableError], list[str]]:
    """What the student gave for each answer of this question, and complaints about the answer as a whole."""
    asked: Mapping[str, Asked] = question.spec.answers
    raw = submission.answers.get(question.id, "")
    try:
        given, unknown = by_name(raw, {name: each.also_called for name, each in asked.items()})
    except UnreadableError as error:
        return {}, [f"{error}"]
    complaints = [f"`{name}` is not asked for here{did_you_mean(name, asked)}" for name in unknown]
    return {name: _read(given.get(name, ""), each.shape) for name, each in asked.items()}, complaints


def _read(raw: RawAnswer, shape: tuple[int, ...]) -> Written | UnreadableError:
    if is_blank(raw):
        return UnreadableError("is missing")
    try:
        return read_array(raw, shape)
    except UnreadableError as error:
        return error


@dataclass(frozen=True)
class Work:
    """All that one student wrote down on the way to this question, judged once for all of its checks."""

    question: Question
    rounding: Rounding
    computation: Computation
    misconceptions: tuple[Misconception, ...]
    written: Mapping[str, Written]
    """Every step of the chain that could be read."""
    home: Mapping[str, str]
    """The question that asked for each step."""

    @cached_property
    def judged(self) -> dict[str, JudgedStep]:
        return judge(self.computation, self.rounding, self.written)

    @cached_property
    def exact(self) -> dict[str, Any]:
        """The steps without any rounding."""
        return run(self.computation())

    @cached_property
    def expected(self) -> dict[str, Interval]:
        return expected_steps(self.computation, self.rounding)

    def misconception(self, name: str, given: Written) -> Misconception | None:
        """The first misconception that leads from the student's earlier steps to what they have here."""
        for each in self.misconceptions:
            with suppress(ValueError):  # its matrices may not fit one another any more: it leads nowhere
                reached = step_of(each.computation, self.rounding, name, self.judged)
                if (
                    reached is not None
                    and reached.shape == given.shape
                    and pinned(given, reached, self.expected[name]).all()
                ):
                    return each
        return None

    def own(self, names: tuple[str, ...]) -> str:
        """`Q and K`, or `map in 3a` for a step of an earlier question."""
        here = self.question.id
        return " and ".join(name if self.home[name] == here else f"{name} in {self.home[name]}" for name in names)


def work_of(question: Question, problem_set: ProblemSet, submission: Submission) -> Work:
    written: dict[str, Written] = {}
    home: dict[str, str] = {}
    for each in chain_of(question, problem_set):
        if each.kind == "numeric":
            handed = hand_over(each, submission)[0]
            home |= dict.fromkeys(handed, each.id)
            written |= {name: given for name, given in handed.items() if isinstance(given, Written)}
    return Work(
        question=question,
        rounding=rounding_of(question, problem_set),
        computation=computation_of(question, problem_set),
        misconceptions=tuple(misconceptions_of(question, problem_set)),
        written=written,
        home=home,
    )
