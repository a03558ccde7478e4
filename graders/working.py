"""A student's working, judged step by step: against what the givens lead to, and against their own earlier steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from graders.arrays import EXACT, Written
from graders.intervals import NOISE, Interval, Rounding, exactly, round_ties
from reference.steps import Steps, run

Bools = NDArray[np.bool_]
Computation = Callable[[], Steps]
Verdict = Literal["right", "follows", "wrong"]
MOST_UNITS = 20
"""Of the last digit, relative for large numbers: honest rounding of a few steps leaves about four on average
(tests/test_working.py prints it) and hardly ever more than twenty; from there on a fifth of all weights would follow
from anything."""


@dataclass(frozen=True, slots=True)
class JudgedStep:
    """One step that the student wrote down."""

    name: str
    verdict: Verdict
    """`follows`: not what the givens lead to, but what the student's own wrong steps before it lead to."""
    expected: Interval
    """All that a careful solver can have here, from the givens."""
    wrong_entries: tuple[tuple[int, ...], ...]
    """Where a wrong step leaves what the student's own steps lead to."""
    sources: tuple[str, ...]
    """The steps that it is computed from, on whichever way; none where the givens alone lead to it."""
    wrong_before: tuple[str, ...]
    """Of the sources, the wrong ones, whose values it was judged from."""
    taken_as: Interval
    """What the student may have gone on from."""
    leads_on: bool
    """Whether later steps are judged from it although it is wrong: not where it is one number throughout, from which
    anything follows without work."""


def expected_steps(computation: Computation, rounding: Rounding) -> dict[str, Interval]:
    """What a careful solver can have at every step, having rounded any step before it or none."""
    return _walk(computation, rounding, lambda name, reached: None)


def step_of(
    computation: Computation, rounding: Rounding, name: str, judged: Mapping[str, JudgedStep] | None = None
) -> Interval | None:
    """One step, going on from the student's steps before it wherever they have the shape of this computation's."""
    before = judged or {}

    def resume(step: str, reached: Interval) -> Interval | None:
        judged_step = before.get(step)
        if judged_step is None or judged_step.taken_as.shape != reached.shape:
            return None
        return judged_step.taken_as if judged_step.leads_on or judged_step.verdict != "wrong" else None

    return _walk(computation, rounding, resume, until=name).get(name)


def judge(computation: Computation, rounding: Rounding, written: Mapping[str, Written]) -> dict[str, JudgedStep]:
    """Each written step, in the order of the computation. Shapes are those of the computation."""
    expected = expected_steps(computation, rounding)
    sources = sources_of_steps(computation)
    judged: dict[str, JudgedStep] = {}

    def resume(name: str, reached: Interval) -> Interval | None:
        if name not in written:
            return None
        wrong_before = tuple(each for each in sources[name] if each in judged and judged[each].leads_on)
        right = within(written[name], expected[name])
        follows = right | pinned(written[name], reached, expected[name]) if wrong_before else right
        verdict: Verdict = "right" if right.all() else "follows" if follows.all() else "wrong"
        missed = tuple(tuple(int(index) for index in entry) for entry in np.argwhere(~follows))
        taken_as = _as_written(written[name], expected[name], bool(right.all()) and not wrong_before)
        leads_on = verdict == "wrong" and not _is_empty(written[name])
        judged[name] = JudgedStep(
            name, verdict, expected[name], missed, sources[name], wrong_before, taken_as, leads_on=leads_on
        )
        return taken_as if leads_on or verdict != "wrong" else None

    _walk(computation, rounding, resume)
    return judged


def sources_of_steps(computation: Computation) -> dict[str, tuple[str, ...]]:
    """For every step, the steps before it that it changes with: those whose NaN reaches it."""
    with np.errstate(all="ignore"):
        names = list(run(computation()))
        reached = {name: _reached_by_nan(computation, name) for name in names}
    return {name: tuple(each for each in names if each != name and name in reached[each]) for name in names}


def _reached_by_nan(computation: Computation, spoilt: str) -> set[str]:
    values = run(computation(), lambda name, value: value * np.nan if name == spoilt else value)
    return {name for name, value in values.items() if np.isnan(value).any()}


def _walk(
    computation: Computation,
    rounding: Rounding,
    resume: Callable[[str, Interval], Interval | None],
    until: str | None = None,
) -> dict[str, Interval]:
    """The range of every step; `resume` may put another in its place for the steps after it."""
    # Here and not above: a student's bundle has this file and no reference.
    import_module("graders.softmax_range")
    ranges: dict[str, Interval] = {}

    def go_on_from(name: str, value: Any) -> Interval:
        exact = value if isinstance(value, Interval) else exactly(value, rounding)
        ranges[name] = exact.rounded()
        if name == until:
            raise _EnoughError  # a misconception may lead nowhere from here: its next product may not exist
        resumed = resume(name, ranges[name])
        if resumed is not None:
            return resumed
        return ranges[name] if rounding.every_step else exact

    with suppress(_EnoughError):
        run(computation(), go_on_from)
    return ranges


class _EnoughError(Exception):
    """The step that was wanted is reached."""


def within(written: Written, reached: Interval) -> Bools:
    """Which entries lie in their interval, or are its rounding to the more decimals that the student wrote."""
    decimals = np.where(written.decimals == EXACT, 15, written.decimals)
    finer = (decimals > reached.rounding.decimals) & (written.decimals != EXACT)
    low = np.where(finer, np.minimum(reached.low, round_ties(reached.low, decimals, down=True)), reached.low)
    high = np.where(finer, np.maximum(reached.high, round_ties(reached.high, decimals, down=False)), reached.high)
    slack = NOISE * np.maximum(1, np.abs(written.values))
    return np.asarray((low - slack <= written.values) & (written.values <= high + slack))


def pinned(written: Written, reached: Interval, expected: Interval) -> Bools:
    """Which entries lie in an interval that says something: one that admits almost anything proves nothing. Where the
    givens themselves leave much open, twice that is allowed."""
    size = max(1.0, float(np.abs(written.values).max(initial=0)))
    open_anyway = float((expected.high - expected.low).max(initial=0))
    widest = max(MOST_UNITS * 10.0**-reached.rounding.decimals * size, 2 * open_anyway)
    return np.asarray(within(written, reached) & (reached.high - reached.low <= widest))


def _is_empty(written: Written) -> bool:
    return bool(written.values.size >= 4 and np.ptp(written.values) == 0)  # two or three may be equal by chance


def _as_written(written: Written, reached: Interval, right: bool) -> Interval:
    """What the student may have gone on from: all that is written like this and, in a right step, can be reached. What
    looks right in a wrong step, or after one, may hide other digits. A fraction is what it is."""
    decimals = np.maximum(written.decimals, reached.rounding.decimals)
    half_a_unit = np.where(written.decimals == EXACT, 0, 0.5 * 10.0**-decimals)
    low, high = written.values - half_a_unit, written.values + half_a_unit
    if right:
        low = np.minimum(np.maximum(low, reached.low), written.values)
        high = np.maximum(np.minimum(high, reached.high), written.values)
    return Interval(low, high, reached.rounding)
