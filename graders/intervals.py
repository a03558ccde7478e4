"""What a solver can have on paper who rounds: arrays of intervals, and how rounding widens them.

A step of a computation is an interval here: all values that a careful solver may go on from, having rounded any
of the steps before, or none. Arithmetic keeps the ends; softmax_range.py has what is more than arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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

    def __truediv__(self, other: Interval | ArrayLike) -> Interval:
        other = self._interval(other)
        if ((other.low <= 0) & (other.high >= 0)).any():
            raise ZeroDivisionError("a step divides by what may be zero")
        return self * self._ends(1 / other.high, 1 / other.low)

    def __rtruediv__(self, other: ArrayLike) -> Interval:
        return self._interval(other) / self

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
