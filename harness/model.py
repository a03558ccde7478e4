"""The records that everything speaks in. Frozen, and nothing else: how they come about is told elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from harness.yamlfile import YamlFile

Outcome = Literal["passed", "partial", "failed", "review", "not_run"]
Visibility = Literal["basic", "hidden"]
RawAnswer = str | Sequence["RawAnswer"] | Mapping[str, "RawAnswer"]
"""What a student wrote, as text in the shape they gave it: `no` and `1e-3` stay what they are."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report: `3a-0-basic` is check 0 of question 3a, and students can run it."""

    id: str
    question: str
    visibility: Visibility
    title: str
    points: Decimal
    extra_credit: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a problem set, with the checks that its points hang on."""

    id: str
    kind: str
    title: str
    prompt: str
    checks: tuple[Check, ...]
    extra_credit: bool
    follows: str | None
    """The earlier question whose answers this one goes on from."""
    spec: Any
    """What the kind reads: its own validated model of the YAML file."""
    source: YamlFile
    """Where it was written, for complaints with a line."""


@dataclass(frozen=True, slots=True)
class ProblemSet:
    """A folder of `problems/`: everything that one hand-in is graded by."""

    id: str
    title: str
    points: Decimal
    extra_points: Decimal
    questions: tuple[Question, ...]
    root: Path
    source: YamlFile

    @property
    def checks(self) -> tuple[Check, ...]:
        return tuple(check for question in self.questions for check in question.checks)

    def question(self, id: str) -> Question:
        return next(each for each in self.questions if each.id == id)


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One file of a submission."""

    name: str
    """Relative to the hand-in, with forward slashes."""
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Submission:
    """What one student hands in, opened and found safe to read."""

    id: str
    sha256: str
    """Of the names and contents: a folder and a zip of it have the same."""
    root: Path
    answers: Mapping[str, RawAnswer]
    """By question id. A blank answer is not in it."""
    files: tuple[HandedIn, ...] = ()
    notes: tuple[str, ...] = ()
    """What we passed over and the student should know of, in whole sentences."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one check earned, and why."""

    check: Check
    outcome: Outcome
    earned: Decimal | None
    """None while nobody knows: in `review`, and when the check was not run."""
    message: str = ""
    """For the person who reads the report; never a secret."""
    suggested: Decimal | None = None
    """What we propose to the person who reviews it."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """For staff and programs: JSON values only. May hold what the key says."""


@dataclass(frozen=True, slots=True)
class Report:
    """All marks of one submission, one for each check that was asked for."""

    problem_set: str
    submission: str
    sha256: str
    marks: tuple[Mark, ...]
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    """What went wrong on our side. Not empty means: grade again."""

    @property
    def earned(self) -> Decimal:
        return _sum(mark.earned or 0 for mark in self.marks if not mark.check.extra_credit)

    @property
    def possible(self) -> Decimal:
        return _sum(mark.check.points for mark in self.marks if not mark.check.extra_credit)

    @property
    def extra_earned(self) -> Decimal:
        return _sum(mark.earned or 0 for mark in self.marks if mark.check.extra_credit)

    @property
    def extra_possible(self) -> Decimal:
        return _sum(mark.check.points for mark in self.marks if mark.check.extra_credit)

    @property
    def pending(self) -> Decimal:
        """The points, extra credit included, that a person has yet to decide on."""
        return _sum(mark.check.points for mark in self.marks if mark.outcome == "review")


@dataclass(frozen=True, slots=True)
class Review:
    """A person's decision on one check of one submission."""

    check: str
    earned: Decimal | None
    """None confirms what was suggested."""
    by: str
    note: str = ""


def _sum(points: Any) -> Decimal:
    return sum(points, start=Decimal(0))
