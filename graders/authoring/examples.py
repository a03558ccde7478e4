"""The sample hand-ins of a set, and the marks that each must get: `submissions/examples/<set>/<case>/expect.yaml`.

format: 1
about: softmax taken over the columns
checks:
  3a-2-hidden: passed
  3a-3-hidden: {outcome: failed, says: softmax was taken over queries}
otherwise: failed        # every check that is not named; without it, those are not looked at
earned: 12.5
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from harness.errors import Complaint, SpecError, SubmissionError
from harness.home import Home
from harness.model import Mark, Outcome, ProblemSet, Report
from harness.reviews import REVIEWS_FILE, read_reviews
from harness.spec import Line
from harness.submissions import open_submission
from harness.validation import Points, Strict, did_you_mean, validate
from harness.yamlfile import YamlFile, read_yaml

EXPECT_FILE = "expect.yaml"
Grade = Callable[..., Report]


class Expected(Strict):
    """What one check must come to."""

    outcome: Outcome
    earned: Points | None = None
    suggested: Points | None = None
    says: Line | None = None
    """Words that must stand in the message."""


def _outcome_alone(value: Any) -> Any:
    return {"outcome": value} if isinstance(value, str) else value


class Expectations(Strict):
    """`expect.yaml`: what a sample hand-in must get."""

    format: Literal[1]
    about: Line
    """What is the matter with this hand-in."""
    checks: Mapping[str, Annotated[Expected, BeforeValidator(_outcome_alone)]] = {}
    otherwise: Outcome | None = None
    """The outcome of every check that is not named."""
    earned: Points | None = None
    extra_earned: Points | None = None
    pending: Points | None = None
    refused: Line | None = None
    """Words of the sentence that says why this hand-in cannot be opened at all."""


def cases_of(home: Home, problem_set: ProblemSet) -> list[Path]:
    folder = home.examples(problem_set.id)
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def prove_case(home: Home, problem_set: ProblemSet, case: Path, grade: Grade) -> Iterator[Complaint]:
    """Everything in which the hand-in does not get what its `expect.yaml` says."""
    file, complaints = read_yaml(case / EXPECT_FILE)
    expected, wrong = validate(Expectations, file) if not complaints else (None, [])
    yield from (*complaints, *wrong)
    if expected is None:
        return
    try:
        report = report_on(problem_set, case, grade)
    except SubmissionError as error:
        if expected.refused is None or expected.refused not in str(error):
            yield file.complaint(("refused",), f"{case.name} cannot be opened: {error}")
        return
    except SpecError as error:
        yield from error.complaints
        return
    if expected.refused is not None:
        yield file.complaint(("refused",), f"{case.name} is opened, and was to be refused")
    yield from (file.complaint((), f"{case.name} was not graded: {fault}") for fault in report.faults)
    yield from _differences(file, expected, report)


def report_on(problem_set: ProblemSet, case: Path, grade: Grade) -> Report:
    """What this sample hand-in gets, with the decisions that lie beside it."""
    with open_submission(case, [question.id for question in problem_set.questions]) as submission:
        reviews = case / REVIEWS_FILE
        decisions = read_reviews(reviews, problem_set.checks, submission.sha256)[0] if reviews.is_file() else {}
        return grade(problem_set, submission, None, decisions)


def _differences(file: YamlFile, expected: Expectations, report: Report) -> Iterator[Complaint]:
    marks = {mark.check.id: mark for mark in report.marks}
    for id in expected.checks:
        if id not in marks:
            yield file.complaint(("checks", id), f"there is no check `{id}`{did_you_mean(id, marks)}")
    for id, mark in marks.items():
        if id in expected.checks:
            yield from _difference(file, ("checks", id), expected.checks[id], mark)
        elif expected.otherwise is not None and mark.outcome != expected.otherwise:
            yield file.complaint(("otherwise",), f"{_told(mark)}, expected {expected.otherwise}")
    for name in ("earned", "extra_earned", "pending"):
        wanted, got = getattr(expected, name), getattr(report, name)
        if wanted is not None and wanted != got:
            yield file.complaint((name,), f"`{name}` is {got}, expected {wanted}")


def _difference(file: YamlFile, place: tuple[str, ...], expected: Expected, mark: Mark) -> Iterator[Complaint]:
    if mark.outcome != expected.outcome:
        yield file.complaint(place, f"{_told(mark)}, expected {expected.outcome}")
    for name in ("earned", "suggested"):
        wanted, got = getattr(expected, name), getattr(mark, name)
        if wanted is not None and wanted != got:
            yield file.complaint((*place, name), f"{mark.check.id} has {name} {got}, expected {wanted}")
    if expected.says is not None and expected.says not in mark.message:
        told = f"{mark.check.id} does not say `{expected.says}` but `{mark.message}`"
        yield file.complaint((*place, "says"), told)


def _told(mark: Mark) -> str:
    said = f" ({' / '.join(mark.message.splitlines())})" if mark.message else ""
    return f"{mark.check.id} is {mark.outcome}{said}"
