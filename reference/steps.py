"""A computation that shows its steps.

A reference is a generator: each `yield name, value` is a step that a solver writes down, and what comes back is
the value to go on from. Whoever runs it may hand back the value itself, its rounding, or a student's own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

Steps = Generator[tuple[str, Any], Any, None]


def run(steps: Steps, go_on_from: Callable[[str, Any], Any] = lambda name, value: value) -> dict[str, Any]:
    """The value of every step, by name and in order, each going on from what `go_on_from` makes of the last."""
    values: dict[str, Any] = {}
    try:
        name, value = next(steps)
        while True:
            values[name] = value
            name, value = steps.send(go_on_from(name, value))
    except StopIteration:
        return values
