"""The kinds of question: one file beside this one, and one line in KINDS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Protocol, cast

from harness.errors import Complaint
from harness.model import Check, Mark, ProblemSet, Question, RawAnswer, Submission
from harness.spec import QuestionSpec

KINDS = {
    "attention_plot": "graders.attention_plot",
    "files": "graders.files",
    "mcq": "graders.mcq",
    "numeric": "graders.numeric",
    "short_answer": "graders.short_answer",
}


class Kind(Protocol):
    """What a module in KINDS offers."""

    Spec: type[QuestionSpec]
    """The model of a question's YAML file."""

    NEEDS_ANSWER: bool
    """Whether a hand-in without an answer to the question has nothing to mark."""

    def grade(
        self, question: Question, checks: Sequence[Check], problem_set: ProblemSet, submission: Submission
    ) -> Iterable[Mark]:
        """A mark for each of these checks; hidden ones are asked for only where the key is at hand."""

    def blank_answer(self, spec: QuestionSpec) -> RawAnswer | None:
        """The answer as a student finds it in the bundle, to fill in; None where there is nothing to write."""

    def prove(self, question: Question, problem_set: ProblemSet) -> Iterable[Complaint]:
        """What is wrong with the question's content, found by running it."""


def kind_named(name: str) -> Kind:
    # Imported when first met: nothing that marks a short answer waits for numpy.
    return cast(Kind, import_module(KINDS[name]))


def spec_models() -> dict[str, Callable[[], type[QuestionSpec]]]:
    """What the loader needs to know of each kind."""
    return {name: partial(_spec_of, name) for name in KINDS}


def _spec_of(name: str) -> type[QuestionSpec]:
    return kind_named(name).Spec
