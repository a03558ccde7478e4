"""What rounding can reach: no more and no less."""

from __future__ import annotations

from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import graders.softmax_range  # noqa: F401 (registers the softmax of intervals)
from graders.intervals import Interval, Rounding, exactly, round_ties
from reference.attention import softmax

EVERY_STEP = Rounding(2, every_step=True)
AT_THE_END = Rounding(2, every_step=False)


def interval(low: object, high: object, rounding: Rounding = EVERY_STEP) -> Interval:
    return Interval(np.array(low, dtype=float), np.array(high, dtype=float), rounding)


def ends(values: Interval) -> tuple[list[float], list[float]]:
    return values.low.tolist(), values.high.tolist()


# Rounding one number

EXACT_NUMBERS = st.decimals(-1000, 1000, places=6)


def half_up_as_in_spreadsheets(value: Decimal, unit: Decimal) -> Decimal:
    return (value / unit + Decimal("0.5")).to_integral_value(ROUND_FLOOR) * unit


@given(EXACT_NUMBERS | st.integers(-20000, 20000).map(lambda n: Decimal(n) / 8), st.integers(0, 4))
@settings(max_examples=500, deadline=None)
def test_every_rule_of_rounding_lies_between_lowest_and_highest_and_one_is_at_each(
    value: Decimal, decimals: int
) -> None:
    unit = Decimal(1).scaleb(-decimals)
    # In floats 0.00015 / 0.0001 is a hair below its tie: there the lowest errs on the student's side.
    assume((value / unit) % 1 not in (Decimal("0.5"), Decimal("-0.5")) or float(value) / 10.0**-decimals % 1 == 0.5)
    by_rule = [value.quantize(unit, rule) for rule in (ROUND_HALF_UP, ROUND_HALF_EVEN)]
    by_rule.append(half_up_as_in_spreadsheets(value, unit))
    lowest = round_ties(float(value), decimals, down=True)
    highest = round_ties(float(value), decimals, down=False)
    assert float(min(by_rule)) == pytest.approx(lowest)
    assert float(max(by_rule)) == pytest.approx(highest)


@pytest.mark.parametrize(
    ("value", "lowest", "highest"),
    [
        (0.125, 0.12, 0.13),
        (0.375, 0.38, 0.38),
        (-0.125, -0.13, -0.12),
        (-0.375, -0.38, -0.37),
        (0.1249, 0.12, 0.12),
        (0.1251, 0.13, 0.13),
        (0, 0, 0),
        (0.005, 0, 0.01),
        (0.0049, 0, 0),
    ],
)
def test_only_a_tie_can_go_either_way(value: float, lowest: float, highest: float) -> None:
    assert round_ties(value, 2, down=True) == pytest.approx(lowest)
    assert round_ties(value, 2, down=False) == pytest.approx(highest)


def test_a_float_that_should_be_a_tie_is_one() -> None:
    for value in (1.005, 2.675, 1.115, 0.145, 8.325):  # none of them is, in binary
        assert round_ties(value, 2, down=False) == pytest.approx(value + 0.005)


def test_at_eight_decimals_what_is_not_a_tie_goes_one_way() -> None:
    assert round_ties(2.2372322931098, 8, down=True) == pytest.approx(2.23723229, abs=1e-12)
    assert round_ties(2.2372322931098, 8, down=False) == pytest.approx(2.23723229, abs=1e-12)


def test_what_lies_a_hair_below_a_tie_goes_down() -> None:
    assert round_ties(2.374999999999376, 2, down=True) == pytest.approx(2.37)
    assert round_ties(5.874999999999999, 2, down=True) == pytest.approx(5.87)


def test_minus_infinity_stays_what_it_is() -> None:
    masked = exactly([-np.inf, 1.0], EVERY_STEP).rounded()
    assert ends(masked) == ([-np.inf, 1.0], [-np.inf, 1.0])


def test_a_rounded_step_holds_the_exact_value_and_both_roundings() -> None:
    low, high = ends(exactly([1 / 3, 2 / 3, 0.125, 0.5], EVERY_STEP).rounded())
    assert low == pytest.approx([0.33, 2 / 3, 0.12, 0.5])
    assert high == pytest.approx([1 / 3, 0.67, 0.13, 0.5])


# Arithmetic

NUMBERS = st.integers(-40, 40).map(lambda n: n / 8)


@st.composite
def boxes(draw: st.DrawFn, rows: int, columns: int) -> tuple[Interval, np.ndarray]:
    """An interval, and an array inside it."""
    size = rows * columns
    low = np.array(draw(st.lists(NUMBERS, min_size=size, max_size=size))).reshape(rows, columns)
    width = np.abs(np.array(draw(st.lists(NUMBERS, min_size=size, max_size=size))).reshape(rows, columns))
    share = np.array(draw(st.lists(st.sampled_from([0, 0.25, 1]), min_size=size, max_size=size)))
    return Interval(low, low + width, EVERY_STEP), low + width * share.reshape(rows, columns)


def holds(values: Interval, inside: np.ndarray) -> bool:
    return bool(((values.low <= inside + 1e-9) & (inside - 1e-9 <= values.high)).all())


@given(boxes(2, 3), boxes(2, 3), boxes(3, 2))
@settings(max_examples=200, deadline=None)
def test_what_is_computed_from_inside_lies_inside(
    one: tuple[Interval, np.ndarray], other: tuple[Interval, np.ndarray], third: tuple[Interval, np.ndarray]
) -> None:
    (A, a), (B, b), (C, c) = one, other, third
    assert holds(A + B, a + b)
    assert holds(A - B, a - b)
    assert holds(-A, -a)
    assert holds(A * B, a * b)
    assert holds(A @ C, a @ c)
    assert holds(a @ C, a @ c)
    assert holds(A @ c, a @ c)
    assert holds(3 - A, 3 - a)
    assert holds(A / 2, a / 2)
    assert holds(A / np.sqrt(2), a / np.sqrt(2))
    assert holds(A.T, a.T)
    assert holds(A.swapaxes(0, 1).reshape(6), a.swapaxes(0, 1).reshape(6))
    assert holds(A[1], a[1])


def test_a_product_reaches_its_ends_and_goes_no_further() -> None:
    assert ends(interval([-1, 2], [3, 4]) * interval([-2, 0.5], [5, 1])) == ([-6, 1], [15, 4])
    assert ends(interval([[1, 0]], [[2, 1]]) @ interval([[1], [-1]], [[3], [1]])) == ([[0]], [[7]])


def test_numpy_leaves_the_arithmetic_to_the_interval() -> None:
    product = np.eye(2) @ interval([[1, 2], [3, 4]], [[2, 3], [4, 5]])
    assert isinstance(product, Interval)
    assert ends(product) == ([[1, 2], [3, 4]], [[2, 3], [4, 5]])
    assert isinstance(np.float64(2) * product, Interval)


# Softmax


def ways(scores: np.ndarray, rounding: Rounding) -> list[np.ndarray]:
    """Every way of working from these scores, by numpy's half-even on numbers without ties."""
    found = []
    for shift in (0, scores.max(axis=-1, keepdims=True)):
        exact = np.exp(scores - shift)
        for powers in (exact, exact.round(rounding.decimals)):
            for sums in (powers.sum(axis=-1, keepdims=True), powers.sum(axis=-1, keepdims=True).round(2)):
                found.append(np.divide(powers, sums, out=np.full(powers.shape, np.nan), where=sums > 0))
    return found


@given(boxes(2, 3))
@settings(max_examples=300, deadline=None)
def test_every_way_to_a_weight_from_inside_the_scores_lies_inside(box: tuple[Interval, np.ndarray]) -> None:
    scores, inside = box
    reached = softmax(scores)
    for weights in ways(inside, EVERY_STEP):
        known = ~np.isnan(weights)
        assert (reached.low[known] - 1e-9 <= weights[known]).all()
        assert (weights[known] <= reached.high[known] + 1e-9).all()


@given(boxes(1, 3))
@settings(max_examples=200, deadline=None)
def test_without_rounding_a_weight_reaches_both_of_its_ends(box: tuple[Interval, np.ndarray]) -> None:
    scores, _ = box
    scores = Interval(scores.low, scores.high, AT_THE_END)
    reached = softmax(scores)
    for at in range(3):
        least, most = scores.high.copy(), scores.low.copy()
        least[0, at], most[0, at] = scores.low[0, at], scores.high[0, at]
        assert softmax(least)[0, at] == pytest.approx(reached.low[0, at])
        assert softmax(most)[0, at] == pytest.approx(reached.high[0, at])


def test_the_rounded_sum_is_followed_from_tie_to_tie() -> None:
    # One token and a small one: e^s over round(e^s + c), where e^s alone moves.
    scores = interval([[np.log(0.004), -20.0]], [[np.log(0.0395), -20.0]])
    reached = softmax(scores)
    powers = np.linspace(0.004, 0.0395, 200_001)
    sums = (powers + np.exp(-20.0)).round(2)
    weights = powers[sums > 0] / sums[sums > 0]
    assert reached.high[0, 0] == pytest.approx(weights.max(), abs=1e-3)  # 0.01499... / 0.01
    assert reached.low[0, 0] == pytest.approx(weights.min(), abs=1e-3)  # 0.005 / 0.01


def test_a_row_that_may_round_to_nothing_still_reaches_what_it_can() -> None:
    # Exponentials between 0 and 0.01 when rounded: 0 and 1 are both reached, by 0.00 / 0.01 and by 0.01 / 0.01.
    scores = interval([[np.log(0.0048), np.log(0.0048)]], [[np.log(0.0052), np.log(0.0052)]])
    reached = softmax(scores)
    assert reached.low.tolist() == [[0, 0]]
    assert (reached.high >= 1).all()


def test_of_rounded_exponentials_the_sum_is_not_rounded_once_more() -> None:
    sharp = softmax(exactly([[0.0, np.log(2.005), np.log(3.001)]], EVERY_STEP))
    by_hand = ways(np.array([[0.0, np.log(2.005), np.log(3.001)]]), EVERY_STEP)
    ties = [np.array([[1, 2.00, 3.0]]) / 6.0, np.array([[1, 2.01, 3.0]]) / 6.01, np.array([[1, 2.005, 3.001]]) / 6.01]
    assert sharp.low == pytest.approx(np.min([*by_hand, *ties], axis=0))
    assert sharp.high == pytest.approx(np.max([*by_hand, *ties], axis=0))


def test_a_weight_over_a_sum_rounded_down_passes_one() -> None:
    reached = softmax(exactly([[np.log(0.0149), -30.0]], EVERY_STEP))
    assert reached.high[0, 0] == pytest.approx(1.49)
    assert softmax(exactly([[np.log(0.0149), -30.0]], AT_THE_END)).high[0, 0] == pytest.approx(1)


def test_no_score_is_too_large() -> None:
    for every_step in (True, False):
        reached = softmax(exactly([[1e4, 9e3, -1e4], [0.0, 1.0, 2.0]], Rounding(2, every_step)))
        assert ends(reached[0]) == (pytest.approx([1, 0, 0]), pytest.approx([1, 0, 0]))
        assert holds(reached[1], np.exp([0.0, 1.0, 2.0]) / np.exp([0.0, 1.0, 2.0]).sum())


def test_a_masked_score_weighs_nothing() -> None:
    reached = softmax(exactly([[0.3, -np.inf, -np.inf], [1.0, 1.0, -np.inf]], EVERY_STEP))
    assert reached.high[0, 1:].tolist() == [0, 0]
    assert ends(reached[1]) == (pytest.approx([0.5, 0.5, 0], abs=0.001), pytest.approx([0.5, 0.5, 0], abs=0.001))


def test_a_lone_token_weighs_one() -> None:
    reached = softmax(exactly([[0.3]], AT_THE_END))
    assert ends(reached) == ([[1]], [[1]])


def test_at_temperature_zero_exact_ties_share_and_open_ones_stay_open() -> None:
    assert ends(softmax(exactly([[2, 2, 1]], EVERY_STEP), 0)) == ([[0.5, 0.5, 0]], [[0.5, 0.5, 0]])
    assert ends(softmax(interval([[1.99, 2, 1]], [[2, 2, 1]]), 0)) == ([[0, 0, 0]], [[1, 1, 0]])
    assert ends(softmax(interval([[1.98, 2, 1]], [[1.99, 2, 1]]), 0)) == ([[0, 1, 0]], [[0, 1, 0]])


def test_temperature_divides_the_scores() -> None:
    assert ends(softmax(exactly([[2.0, 4.0]], AT_THE_END), 2.0)) == ends(softmax(exactly([[1.0, 2.0]], AT_THE_END)))
