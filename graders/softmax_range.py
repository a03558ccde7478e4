"""The softmax and the logarithm of intervals, registered on the reference's own: it knows nothing of grading.

A weight grows with its own score and shrinks with every other, so that its ends are reached and not only bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.intervals import Array, Interval, exactly
from reference.attention import softmax
from reference.decoder import log

HAIR = 1e-13
"""Only equal scores make a weight end after some digits. What else is 1 or 0.5 to a float lies a hair beside it, and
what looks like a tie further on, such as 3.375, may be 3.37499999999999999 and is rounded down."""

Bools = NDArray[np.bool_]


@softmax.register
def softmax_range(scores: Interval, temperature: float = 1.0) -> Interval:
    """Every weight that a solver can reach from these scores, rounding the exponentials and their sum or not."""
    if temperature == 0:
        return _winners(scores)
    ranges = list(_weights(scores / temperature))
    low = np.min([each.low for each in ranges], axis=0)
    high = np.max([each.high for each in ranges], axis=0)
    hair = np.where(_all_equal(scores), 0, HAIR)
    return Interval(
        low * (1 - hair), high * (1 + hair), scores.rounding
    )  # over a sum rounded down, a weight can pass 1


def _all_equal(scores: Interval) -> Bools:
    """For each row, whether all scores that are not masked are one and the same."""
    lowest = np.where(scores.low == -np.inf, np.inf, scores.low).min(axis=-1, keepdims=True)
    return np.asarray(lowest == scores.high.max(axis=-1, keepdims=True))


@log.register
def log_range(values: Interval) -> Interval:
    """It grows with its argument; what a wrong step leaves of a probability may be nothing."""
    with np.errstate(divide="ignore"):
        return Interval(np.log(np.maximum(values.low, 0)), np.log(np.maximum(values.high, 0)), values.rounding)


def _winners(scores: Interval) -> Interval:
    """The limit: a row's largest score takes everything; where rounding leaves that open, so do we."""
    if np.array_equal(scores.low, scores.high):
        return exactly(softmax(scores.low, 0), scores.rounding)
    others_high = _over_others(scores.high, np.max)
    others_low = _over_others(scores.low, np.max)
    surely = (scores.low > others_high).astype(np.float64)
    possibly = (scores.high >= others_low).astype(np.float64)
    return Interval(surely, possibly, scores.rounding)


def _weights(scores: Interval) -> Iterator[Interval]:
    """One range for each way of working that is taught: without rounding, or with the exponentials or their sum
    rounded, and then with or without the row's maximum subtracted."""
    yield Interval(_weight(scores.low, scores.high), _weight(scores.high, scores.low), scores.rounding)
    if not scores.rounding.every_step:
        return
    shifted = _shifted_exponentials(scores)
    for exponentials in (shifted, _exponentials(scores, shifted)):
        yield _over_sum(_rounded(exponentials))  # of rounded exponentials the sum is rounded already
        yield _over_rounded_sum(exponentials)


def _weight(own: Array, others: Array) -> Array:
    """Each weight where its own score is from `own` and the rest of its row from `others`."""
    columns = np.arange(own.shape[-1])
    return np.stack([softmax(np.where(columns == at, own, others))[..., at] for at in columns], axis=-1)


def _shifted_exponentials(scores: Interval) -> Interval:
    low = np.minimum(0, scores.low - _over_others(scores.high, np.max))
    high = np.minimum(0, scores.high - _over_others(scores.low, np.max))
    return Interval(np.exp(low), np.exp(high), scores.rounding)


def _exponentials(scores: Interval, shifted: Interval) -> Interval:
    # exp(700) is about the last float, and beyond any calculator: there the maximum has to be subtracted.
    possible = scores.high.max(axis=-1, keepdims=True) < 700
    low, high = (np.exp(np.minimum(end, 700)) for end in (scores.low, scores.high))
    return Interval(np.where(possible, low, shifted.low), np.where(possible, high, shifted.high), scores.rounding)


def _rounded(values: Interval) -> Interval:
    return Interval(values.rounding.lowest(values.low), values.rounding.highest(values.high), values.rounding)


def _over_sum(exponentials: Interval) -> Interval:
    """Each exponential over the sum of its row, where every entry keeps to its own interval."""
    low, high = exponentials.low, exponentials.high
    least = _quotient(low, low + _over_others(high, np.sum), np.inf)
    most = _quotient(high, high + _over_others(low, np.sum), -np.inf)
    return Interval(least, most, exponentials.rounding)


def _over_rounded_sum(exponentials: Interval) -> Interval:
    """Each exponential over the rounded sum of its row. From one tie to the next that sum stays while the exponential
    grows: a weight is at its ends where the exponential is at its own, or beside a tie of the sum."""
    low, high, rounding = exponentials.low, exponentials.high, exponentials.rounding
    unit = 10.0**-rounding.decimals
    others = _over_others(high, np.sum)
    least = _quotient(low, rounding.highest(low + others), np.inf)
    tie = _next_tie(low + others, unit)
    beside = _quotient(tie - others, tie + unit / 2, np.inf)
    least = np.where(tie <= high + others, np.minimum(least, beside), least)
    others = _over_others(low, np.sum)
    most = _quotient(high, rounding.lowest(high + others), -np.inf)
    for tie in (_next_tie(np.maximum(low + others, unit), unit), _next_tie(high + others, unit) - unit):
        beside = _quotient(tie - others, tie - unit / 2, -np.inf)
        most = np.where((low + others <= tie) & (tie <= high + others), np.maximum(most, beside), most)
    return Interval(least, most, rounding)


def _next_tie(values: Array, unit: float) -> Array:
    return (np.ceil(values / unit - 0.5) + 0.5) * unit


def _quotient(part: Array, whole: Array, nothing: float) -> Array:
    """A row that rounds to nothing is no way to a result: it is left to the others."""
    quotient: Array = np.divide(part, whole, out=np.full(part.shape, nothing), where=whole > 0)
    return quotient


def _over_others(values: Array, combine: Any) -> Array:
    """For each entry of the last axis, `combine` over the others of its row; over none, what changes nothing."""
    width = values.shape[-1]
    if width == 1:
        return np.full(values.shape, -np.inf if combine is np.max else 0.0)
    return np.stack([combine(np.delete(values, column, axis=-1), axis=-1) for column in range(width)], axis=-1)
