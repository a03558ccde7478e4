"""A report as people and programs read it: one file for each format, and one line in FORMATS."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from harness.model import Report

FORMATS = {
    "console": "harness.reports.console",
    "json": "harness.reports.json",
    "csv": "harness.reports.csv",
}


def rendered(report: Report, format: str) -> str:
    """The whole report as text."""
    render = cast(Callable[[Report], str], import_module(FORMATS[format]).render)
    return render(report)
