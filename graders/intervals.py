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
    tie = np.abs(scaled - below - 0.5) <= NOISE * np.maximum(1, np.abs(scaled))
    nearest = np.floor(scaled + 0.5)
    if not down:
        return np.where(tie, below + 1, nearest) * unit
    # Half-up never goes down from a positive tie, half-even does where the digit below is even; from a negative
    # tie `away from zero` goes down.
    lowest = np.where((scaled < 0) | (below % 2 == 0), below, below + 1)
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
    return Interval(np.clip(low, 0, 1), np.clip(high, 0, 1), scores.rounding)


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
    """One range for each way of working that is taught: with or without the row's maximum subtracted, and with
    the exponentials, their sum, both or neither rounded."""
    exact = _shifted_exponentials(scores)
    yield _over_sum(exact)
    if not scores.rounding.every_step:
        return
    for exponentials in (_exponentials(scores), exact):
        yield from _rounding_the_sum(exponentials)
        yield from _rounding_the_sum(
            Interval(
                scores.rounding.lowest(exponentials.low), scores.rounding.highest(exponentials.high), scores.rounding
            )
        )


def _exponentials(scores: Interval) -> Interval:
    with np.errstate(over="ignore"):  # exp(800) is infinite: nobody has that on paper, see _over_sum
        return Interval(np.exp(scores.low), np.exp(scores.high), scores.rounding)


def _shifted_exponentials(scores: Interval) -> Interval:
    low = np.minimum(0, scores.low - _over_others(scores.high, np.max))
    high = np.minimum(0, scores.high - _over_others(scores.low, np.max))
    return Interval(np.exp(low), np.exp(high), scores.rounding)


def _rounding_the_sum(exponentials: Interval) -> Iterator[Interval]:
    yield _over_sum(exponentials)
    yield _over_sum(exponentials, round_sum=True)


def _over_sum(exponentials: Interval, *, round_sum: bool = False) -> Interval:
    """Each exponential over the sum of its row, where every entry keeps to its own interval."""
    low, high = exponentials.low, exponentials.high
    others_low, others_high = _over_others(low, np.sum), _over_others(high, np.sum)
    smallest_sum, largest_sum = high + others_low, low + others_high
    if round_sum:
        smallest_sum = _rounded_sum(low, high, others_low, exponentials.rounding, down=True)
        largest_sum = _rounded_sum(low, high, others_high, exponentials.rounding, down=False)
    # A row that rounds to nothing, or overflows, is no way to a result: leave it to the other ways.
    a_way = (smallest_sum > 0) & (low + others_low > 0) & np.isfinite(high + others_high)
    least = np.divide(low, largest_sum, out=np.full(low.shape, np.inf), where=a_way)
    most = np.divide(high, smallest_sum, out=np.full(low.shape, -np.inf), where=a_way)
    return Interval(least, most, exponentials.rounding)


def _rounded_sum(low: Array, high: Array, others: Array, rounding: Rounding, *, down: bool) -> Array:
    """The sum of an entry and the others, rounded. Where the entry's interval crosses a tie, the quotient is at its
    end just beside the tie, half a unit off; elsewhere the rounded sum is one and the same."""
    at_low = round_ties(low + others, rounding.decimals, down=down)
    at_high = round_ties(high + others, rounding.decimals, down=down)
    half_a_unit = 0.5 * 10.0**-rounding.decimals
    beside_tie = high + others - half_a_unit if down else low + others + half_a_unit
    return np.where(at_low == at_high, at_low, beside_tie)


def _over_others(values: Array, combine: Any) -> Array:
    """For each entry of the last axis, `combine` over the others of its row; over none, what changes nothing."""
    width = values.shape[-1]
    if width == 1:
        return np.full(values.shape, -np.inf if combine is np.max else 0.0)
    return np.stack([combine(np.delete(values, column, axis=-1), axis=-1) for column in range(width)], axis=-1)
