"""The report as a table: one row for each check, the same columns for every submission."""

from __future__ import annotations

import csv
import io
from typing import Any

from harness.model import Report
from harness.reports.console import clean
from harness.reports.json import as_json

COLUMNS = [
    "problem_set",
    "submission",
    "sha256",
    "id",
    "question",
    "visibility",
    "title",
    "outcome",
    "earned",
    "suggested",
    "possible",
    "extra_credit",
    "message",
]


def render(report: Report) -> str:
    out = io.StringIO()
    rows = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    about = {"problem_set": report.problem_set, "submission": report.submission, "sha256": report.sha256}
    for check in as_json(report)["checks"]:
        rows.writerow({name: _cell(value) for name, value in (about | check).items()})
    return out.getvalue()


def _cell(value: Any) -> Any:
    # A spreadsheet runs what starts like this as a formula, and a student chose the text.
    if not isinstance(value, str):
        return value
    quote = "'" if value.startswith(("=", "+", "-", "@", "\t", "\r")) else ""
    return quote + clean(value)
