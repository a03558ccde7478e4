"""`reviews.yaml`: what a person decided about marks that wait for one.

    format: 1
    submission: 4f3a...          # optional: the hand-in that was read; of another, nothing here counts
    reviews:
      1a-1-hidden: {by: J. Rivera}                                  # confirms what was suggested
      2d-1-hidden: {by: J. Rivera, earned: 0.5, note: no use case}  # decides otherwise

It is a paper of the staff's and is never looked for in what a student handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from harness.errors import SpecError
from harness.model import Check, Mark, Outcome, Report, Review
from harness.spec import Line, Text
from harness.validation import Points, Strict, did_you_mean, validate
from harness.yamlfile import YamlFile, read_yaml

REVIEWS_FILE = "reviews.yaml"


class ReviewSpec(Strict):
    """One decision."""

    by: Line
    """Who decided: points must be defended by somebody."""
    earned: Points | None = None
    """What the check earned; nothing confirms the suggestion."""
    note: Text | None = None
    """What the student is told."""


class ReviewsFile(Strict):
    """The decisions on one submission."""

    format: Literal[1]
    submission: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """The digest of the hand-in that was read, as the report gives it."""
    reviews: Mapping[str, ReviewSpec]


def read_reviews(path: Path, checks: Iterable[Check], sha256: str) -> tuple[dict[str, Review], tuple[str, ...]]:
    """The decisions by check, and notes on what does not count."""
    file, complaints = read_yaml(path)
    content, wrong = validate(ReviewsFile, file) if not complaints else (None, [])
    if content is None:
        raise SpecError([*complaints, *wrong])
    _refuse_what_does_not_fit(file, content, {check.id: check for check in checks})
    if content.submission not in (None, sha256):
        return {}, (f"{path.name} was written for another hand-in ({content.submission}): nothing in it counts",)
    return {id: Review(id, each.earned, each.by, each.note or "") for id, each in content.reviews.items()}, ()


def _refuse_what_does_not_fit(file: YamlFile, content: ReviewsFile, checks: Mapping[str, Check]) -> None:
    complaints = []
    for id, review in content.reviews.items():
        if id not in checks:
            hint = did_you_mean(id, checks)
            complaints.append(file.complaint(("reviews", id), f"there is no check `{id}`{hint}"))
        elif review.earned is not None and review.earned > checks[id].points:
            told = f"`{id}` has {checks[id].points} points: {review.earned} cannot be earned"
            complaints.append(file.complaint(("reviews", id, "earned"), told))
    if complaints:
        raise SpecError(complaints)


def decide(mark: Mark, review: Review | None) -> Mark:
    """The mark after a person's decision; without one, or where nothing waits, the mark itself."""
    if review is None or mark.outcome != "review":
        return mark
    earned = review.earned if review.earned is not None else mark.suggested or Decimal(0)
    outcome: Outcome = "passed" if earned == mark.check.points else "failed" if earned == 0 else "partial"
    message = "\n".join(part for part in (f"Reviewed by {review.by}. {review.note}".strip(), mark.message) if part)
    return replace(mark, outcome=outcome, earned=earned, message=message)


def without_effect(report: Report, decisions: Mapping[str, Review]) -> list[str]:
    """The checks that somebody decided on, and that did not wait for it."""
    settled = {mark.check.id for mark in report.marks if mark.suggested is None}
    return [id for id in decisions if id in settled]
