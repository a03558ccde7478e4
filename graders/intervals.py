"""What a solver can have on paper who rounds: arrays of intervals, and how rounding widens them.

A step of a computation is an interval here: all values that a careful solver may go on from, having rounded any
of the steps before, or none. Arithmetic keeps the ends; `softmax` uses that a weight grows with its own score and
shrinks with every other, so that its ends are reached and not only bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reference.attention import softmax

Array = NDArray[np.float64]

NOISE = 1e-9
"""Relative: a thousand float64 operations err by less (1000 * 2**-53 = 1e-13), and no visible digit is as small."""
TIE_NOISE = 1e-12
"""Finer: at eight decimals 1e-9 of a number is a good part of the last digit, and every other number is not a tie."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """To how many decimals a solver rounds, and whether in every step or only at the end."""

    decimals: int
    every_step: bool

    def lowest(self, values: Array) -> Array:
        """What the values become in the hands of whoever rounds their ties down, if any rule does."""
        return round_ties(values, self.decimals, down=True)

    def highest(self, values: Array) -> Array:
        return round_ties(values, self.decimals, down=False)


def round_ties(values: ArrayLike, decimals: int | NDArray[np.int64], *, down: bool) -> Array:
    """To the nearest; a tie goes up (half-up), away from zero (as many say half-up) or to the even digit (half-even),
    and of these we take the lowest or the highest."""
    unit = 10.0 ** -np.asarray(decimals, dtype=np.float64)
    scaled = np.asarray(values, dtype=np.float64) / unit
    below = np.floor(scaled)
    with np.errstate(invalid="ignore"):  # a masked score is minus infinity, and no tie
        tie = np.abs(scaled - below - 0.5) <= TIE_NOISE * np.maximum(1, np.abs(scaled))
        even = below % 2 == 0
    nearest = np.floor(scaled + 0.5)
    if not down:
        return np.where(tie, below + 1, nearest) * unit
    # Half-up never goes down from a positive tie, half-even does where the digit below is even; from a negative
    # tie `away from zero` goes down. What only looks like a tie in 16 digits is rounded to the nearest.
    lowest = np.where((scaled < 0) | even, below, nearest)
    return np.where(tie, lowest, nearest) * unit


@dataclass(frozen=True, slots=True)
class Interval:
    """An array of closed intervals, with the rounding of the solver they speak of."""

    low: Array
    high: Array
    rounding: Rounding

    __array_ufunc__ = None  # so that `matrix @ interval` comes to us

    @property
    def shape(self) -> tuple[int, ...]:
        return self.low.shape

    def __len__(self) -> int:
        return len(self.low)

    @property
    def T(self) -> Interval:  # noqa: N802 (numpy's name)
        return self._ends(self.low.T, self.high.T)

    def swapaxes(self, first: int, second: int) -> Interval:
        return self._ends(self.low.swapaxes(first, second), self.high.swapaxes(first, second))

    def reshape(self, *shape: int) -> Interval:
        return self._ends(self.low.reshape(*shape), self.high.reshape(*shape))

    def __getitem__(self, index: Any) -> Interval:
        return self._ends(self.low[index], self.high[index])

    def __neg__(self) -> Interval:
        return self._ends(-self.high, -self.low)

    def __add__(self, other: Interval | ArrayLike) -> Interval:
        other = self._interval(other)
        return self._ends(self.low + other.low, self.high + other.high)

    __radd__ = __add__

    def __sub__(self, other: Interval | ArrayLike) -> Interval:
        return self + -self._interval(other)

    def __rsub__(self, other: Interval | ArrayLike) -> Interval:
        return -self + other

    def __mul__(self, other: Interval | ArrayLike) -> Interval:
        return self._ends(*_products(self, self._interval(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: ArrayLike) -> Interval:
        return self * (1 / np.asarray(other, dtype=np.float64))

    def __matmul__(self, other: Interval | ArrayLike) -> Interval:
        return _matmul(self, self._interval(other))

    def __rmatmul__(self, other: ArrayLike) -> Interval:
        return _matmul(self._interval(other), self)

    def rounded(self) -> Interval:
        """Each entry as it is, or rounded: the interval around both."""
        low = np.minimum(self.low, self.rounding.lowest(self.low))
        return self._ends(low, np.maximum(self.high, self.rounding.highest(self.high)))

    def _interval(self, other: Interval | ArrayLike) -> Interval:
        return other if isinstance(other, Interval) else exactly(other, self.rounding)

    def _ends(self, low: Array, high: Array) -> Interval:
        return Interval(low, high, self.rounding)


def exactly(values: ArrayLike, rounding: Rounding) -> Interval:
    array = np.asarray(values, dtype=np.float64)
    return Interval(array, array, rounding)


def _products(a: Interval, b: Interval) -> tuple[Array, Array]:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return np.minimum.reduce(corners), np.maximum.reduce(corners)


def _matmul(a: Interval, b: Interval) -> Interval:
    rows = Interval(a.low[..., :, :, None], a.high[..., :, :, None], a.rounding)
    columns = Interval(b.low[..., None, :, :], b.high[..., None, :, :], a.rounding)
    low, high = _products(rows, columns)  # (..., rows, inner, columns)
    return Interval(low.sum(axis=-2), high.sum(axis=-2), a.rounding)


@softmax.register
def softmax_range(scores: Interval, temperature: float = 1.0) -> Interval:
    """Every weight that a solver can reach from these scores, rounding the exponentials and their sum or not."""
    if temperature == 0:
        return _winners(scores)
    ranges = list(_weights(scores / temperature))
    low = np.min([each.low for each in ranges], axis=0)
    high = np.max([each.high for each in ranges], axis=0)
    return Interval(low, high, scores.rounding)  # over a sum rounded down, a weight can pass 1


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
