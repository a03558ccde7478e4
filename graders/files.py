"""Kind `files`: the deliverables are there, and of a sensible size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from pydantic import Field

from graders.marking import settle
from harness.errors import Complaint
from harness.model import Check, HandedIn, Mark, ProblemSet, Question, Submission
from harness.spec import CheckSpec, Line, QuestionSpec
from harness.validation import Strict

NEEDS_ANSWER = False
MEGABYTE = 1_000_000


class Deliverable(Strict):
    """One thing that is to be handed in."""

    name: Line
    """What the student is told that it is."""
    any_of: tuple[Line, ...] = Field(min_length=1)
    """File names below the hand-in; `*` stands for anything but a slash."""
    optional: bool = False
    at_least_bytes: int = Field(default=1, ge=0)
    at_most_mb: float = Field(default=100, gt=0)


class NoKey(Strict):
    """There is nothing to hide here."""


class Spec(QuestionSpec):
    """A question of kind `files`."""

    files: tuple[Deliverable, ...] = Field(min_length=1)
    checks: Mapping[str, CheckSpec] = Field(min_length=1)
    key: NoKey | None = None


def grade(
    question: Question, checks: Sequence[Check], problem_set: ProblemSet, submission: Submission
) -> Iterator[Mark]:
    sentences = [each for wanted in question.spec.files for each in _missing_or_odd(wanted, submission.files)]
    for check in checks:
        yield settle(check, not sentences, "\n".join(sentences))


def _missing_or_odd(wanted: Deliverable, files: Sequence[HandedIn]) -> Iterator[str]:
    found = [file for file in files if any(_matches(file.name, pattern) for pattern in wanted.any_of)]
    if not found and not wanted.optional:
        yield f"{wanted.name} is missing: hand in {' or '.join(wanted.any_of)}"
    for file in found:
        if file.size < wanted.at_least_bytes:
            least = "is empty" if file.size == 0 else f"has {file.size} bytes, fewer than {wanted.at_least_bytes}"
            yield f"{file.name} {least}: was it saved?"
        elif file.size > wanted.at_most_mb * MEGABYTE:
            yield f"{file.name} has {file.size / MEGABYTE:.1f} MB, more than the {wanted.at_most_mb:g} allowed"


def _matches(name: str, pattern: str) -> bool:
    # By folders: `working/*.pdf` does not reach into working/old/.
    parts, patterns = name.split("/"), pattern.split("/")
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))


def blank_answer(spec: Spec) -> None:
    """Files are handed in, not written."""


def prove(question: Question, problem_set: ProblemSet) -> Iterator[Complaint]:
    """Nothing here is computed."""
    return iter(())
