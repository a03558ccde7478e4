"""Whose fault it is. A student's wrong answer is none of these: it is data, a mark with a message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


class GradecheckError(Exception):
    """The root of what we raise on purpose; its text is a sentence for the reader it names."""


class UsageError(GradecheckError):
    """The command was given something that it cannot use: an unknown id, a path that is not there."""


class SubmissionError(GradecheckError):
    """The student's files cannot be read at all; the sentence names the file and what to do."""


class GradingFault(GradecheckError):
    """The machine's or our own: the checks it touches are not run, and never a zero."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing that is wrong with one place of a problem set."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class SpecError(GradecheckError):
    """The author's: every complaint about a problem set at once, each with file and line."""

    def __init__(self, complaints: Iterable[Complaint]) -> None:
        self.complaints = tuple(sorted(complaints, key=lambda each: (str(each.path), each.line)))
        super().__init__("\n".join(map(str, self.complaints)))
