"""Marks, made in the few ways there are."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from harness.model import Check, Mark, Outcome

HUNDREDTH = Decimal("0.01")


def settle(check: Check, share: Fraction | int | bool, message: str = "", **detail: Any) -> Mark:
    """A mark that stands: all of the points, a part of them (to a hundredth), or none."""
    part = Fraction(share)
    outcome: Outcome = "passed" if part == 1 else "failed" if part == 0 else "partial"
    return Mark(check, outcome, part_of(check, part), message, detail=detail)


def propose(check: Check, suggested: Decimal, message: str, detail: Mapping[str, Any]) -> Mark:
    """A mark that waits for a person, with what we suggest."""
    return Mark(check, "review", None, message, suggested=suggested, detail=detail)


def not_run(check: Check, reason: str) -> Mark:
    """No mark at all: nobody looked, so nobody failed."""
    return Mark(check, "not_run", None, reason)


def part_of(check: Check, share: Fraction) -> Decimal:
    exact = Fraction(check.points) * share
    return (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(HUNDREDTH, ROUND_HALF_UP)
