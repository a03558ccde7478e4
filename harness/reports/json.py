"""The report for programs: a contract, described in docs/json.md. What is in it stays; what is new is added."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from harness.model import Mark, Report

FORMAT = 1


def render(report: Report) -> str:
    # allow_nan: JSON has no NaN, and a reader that invents one must not come from us.
    return json.dumps(as_json(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_json(report: Report) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "problem_set": report.problem_set,
        "submission": {"id": report.submission, "sha256": report.sha256},
        "earned": _number(report.earned),
        "possible": _number(report.possible),
        "extra_earned": _number(report.extra_earned),
        "extra_possible": _number(report.extra_possible),
        "pending": _number(report.pending),
        "checks": [_check(mark) for mark in report.marks],
    }


def _check(mark: Mark) -> dict[str, Any]:
    return {
        "id": mark.check.id,
        "question": mark.check.question,
        "visibility": mark.check.visibility,
        "title": mark.check.title,
        "outcome": mark.outcome,
        "earned": _number(mark.earned),
        "suggested": _number(mark.suggested),
        "possible": _number(mark.check.points),
        "extra_credit": mark.check.extra_credit,
        "message": mark.message,
        "detail": dict(mark.detail),
    }


def _number(points: Decimal | None) -> int | float | None:
    if points is None:
        return None
    return int(points) if points == points.to_integral_value() else float(points)
