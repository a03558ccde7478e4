"""The report for a person: one line a check, and under what did not pass, why."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from harness.model import Check, Mark, Report

SIGNS = {"passed": "pass", "partial": "part", "failed": "FAIL", "review": "wait", "not_run": "----"}
COLOURS = {"passed": "green", "partial": "yellow", "failed": "bold red", "review": "cyan", "not_run": "magenta"}


def render(report: Report) -> str:
    """Plain lines, for a pipe or a file."""
    width = max((len(mark.check.id) for mark in report.marks), default=0)
    lines = [f"{report.problem_set}: {clean(report.submission).replace(chr(10), ' ')}", ""]
    for mark, message in messages(report):
        lines.append(
            f"{SIGNS[mark.outcome]}  {mark.check.id:<{width}}  {earned_of(mark):>9}  {clean(mark.check.title)}"
        )
        lines += [f"      {line}" for line in message]
    return "\n".join([*lines, "", *totals(report), *(f"note: {clean(note)}" for note in report.notes), ""])


def show(report: Report) -> None:
    """A table in colour, where a person sits in front of it; plain lines elsewhere."""
    if not sys.stdout.isatty():
        sys.stdout.write(render(report))
        return
    # Costs 50 ms, so only those wait who see it.
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=f"{report.problem_set}: {escape(clean(report.submission))}", title_justify="left")
    for heading in ("check", "", "points", "what it looks at"):
        table.add_column(
            heading, no_wrap=heading != "what it looks at", justify="right" if heading == "points" else "left"
        )
    for mark, message in messages(report):
        colour = COLOURS[mark.outcome]
        tone = "dim" if mark.outcome == "passed" else "default"
        what = "\n".join([escape(clean(mark.check.title)), *(f"[{tone}]{escape(line)}[/{tone}]" for line in message)])
        table.add_row(mark.check.id, f"[{colour}]{SIGNS[mark.outcome]}[/{colour}]", earned_of(mark), what)
    console = Console()
    console.print(table)
    for line in [*totals(report), *(f"note: {clean(note)}" for note in report.notes)]:
        console.print(escape(line), highlight=False)


def messages(report: Report) -> Iterator[tuple[Mark, list[str]]]:
    """Each mark with what there is to tell, once: a blank question need not say so at each of its checks."""
    said = ("", "")
    for mark in report.marks:
        about = (mark.check.question, mark.message)
        yield mark, [] if about == said else [clean(line) for line in mark.message.splitlines()]
        said = about


def earned_of(mark: Mark) -> str:
    possible = points(mark.check.points)
    if mark.outcome == "review":
        return f"({points(mark.suggested)})/{possible}"
    return f"{points(mark.earned)}/{possible}"


def totals(report: Report) -> Iterator[str]:
    """Basic, hidden and extra credit apart, then what still waits."""
    groups = {
        "basic": [mark for mark in report.marks if mark.check.visibility == "basic" and not mark.check.extra_credit],
        "hidden": [mark for mark in report.marks if mark.check.visibility == "hidden" and not mark.check.extra_credit],
        "extra credit": [mark for mark in report.marks if mark.check.extra_credit],
    }
    for name, marks in groups.items():
        if marks:
            yield f"{name + ':':<14}{_sum_of(marks)}"
    if len([marks for marks in groups.values() if marks]) > 1:
        extra = f" + {points(report.extra_earned)} extra" if groups["extra credit"] else ""
        yield f"{'earned:':<14}{points(report.earned)} of {points(report.possible)}{extra}"
    if report.pending:
        suggested = sum((mark.suggested or Decimal(0) for mark in report.marks), start=Decimal(0))
        yield f"{'waiting:':<14}{points(report.pending)} for a person to decide; suggested {points(suggested)}"
    not_run = [mark for mark in report.marks if mark.outcome == "not_run"]
    if not_run:
        yield f"{'not run:':<14}{points(_possible(not_run))} in {len(not_run)} checks"


def _sum_of(marks: list[Mark]) -> str:
    earned = sum((mark.earned or Decimal(0) for mark in marks), start=Decimal(0))
    return f"{points(earned)} of {points(_possible(marks))}"


def _possible(marks: Iterable[Mark]) -> Decimal:
    return sum((mark.check.points for mark in marks), start=Decimal(0))


def points(value: Decimal | None) -> str:
    if value is None:
        return "-"
    return f"{value.normalize():f}" if value else "0"


def clean(text: str) -> str:
    """Without control characters: a title bar or a colour is nothing that a student's text may set."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "�", text)


def listing(checks: Sequence[Check]) -> Iterator[str]:
    """One line for each check that there is."""
    width = max((len(check.id) for check in checks), default=0)
    for check in checks:
        extra = "  (extra credit)" if check.extra_credit else ""
        yield f"{check.id:<{width}}  {points(check.points):>5}  {check.visibility:<6}  {clean(check.title)}{extra}"
