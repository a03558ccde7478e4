"""A careful solver is never called wrong, and nobody else is called right.

The solvers are simulated apart from the code they test: in exact decimals, with nothing but Python's `decimal`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, getcontext, localcontext
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from graders.arrays import EXACT, Written
from graders.computation import computation_of, given_to
from graders.intervals import Interval, Rounding
from graders.kinds import spec_models
from graders.working import Computation, expected_steps, judge, sources_of_steps, step_of, within
from harness.spec import load_problem_set
from reference.attention import cross_attention, multi_head_attention, self_attention

Matrix = list[list[Decimal]]
Work = dict[str, Matrix]

CENT = Decimal("0.01")
EVERY_STEP = Rounding(2, every_step=True)
AT_THE_END = Rounding(2, every_step=False)
BATCHES = range(10)
BATCH = 500


@pytest.fixture(autouse=True)
def _thirty_digits():
    with localcontext(Context(prec=30)):
        yield


# Problems, as a problem set has them


@dataclass(frozen=True)
class Problem:
    X1: Matrix
    X2: Matrix
    W_Q: Matrix
    W_K: Matrix
    W_V: Matrix
    scaled: bool

    @property
    def computation(self) -> Computation:
        weights = (self.X1, self.X2, self.W_Q, self.W_K, self.W_V)
        return partial(cross_attention, *map(floats, weights), scaled=self.scaled)


ENTRIES = {
    "integers": lambda rng: Decimal(rng.randint(-2, 2)),
    "halves": lambda rng: Decimal(rng.randint(-4, 4)) / 2,
    "quarters": lambda rng: Decimal(rng.randint(-8, 8)) / 4,
    "tenths": lambda rng: Decimal(rng.randint(-15, 15)) / 10,
    "hundredths": lambda rng: Decimal(rng.randint(-150, 150)) / 100,
}


def problem(rng: random.Random, entries: str | None = None, *, small: bool = True) -> Problem:
    """Three tokens that attend to one another; one in five has two to five, which attend to others."""
    entry = ENTRIES[entries or rng.choice(list(ENTRIES))]

    def matrix(rows: int, columns: int) -> Matrix:
        return [[entry(rng) for _ in range(columns)] for _ in range(rows)]

    width, d_k, d_v = rng.randint(2, 4), rng.randint(1, 3), rng.randint(1, 3)
    X1 = X2 = matrix(3, width)
    if not small and rng.random() < 0.2:
        X1, X2 = matrix(rng.randint(2, 5), width), matrix(rng.randint(2, 5), width)
    return Problem(
        X1, X2, matrix(width, d_k), matrix(width, d_k), matrix(width, d_v), scaled=d_k > 1 and rng.random() < 0.5
    )


def floats(matrix: Matrix) -> np.ndarray:
    return np.array([[float(entry) for entry in row] for row in matrix])


# Solvers


@dataclass(frozen=True)
class Solver:
    """Rounds a step, or doesn't, as the dice fall; always by the same rule."""

    rng: random.Random
    rule: str
    how_often: float
    subtracts_maximum: bool

    def step(self, matrix: Matrix) -> Matrix:
        return rounded(matrix, self.rule) if self.rng.random() < self.how_often else matrix

    def solve(self, problem: Problem, spoil: str = "") -> Work | None:
        """All steps, or None where a row of exponentials rounds to nothing. `spoil` names a step to get wrong."""
        work: Work = {}

        def step(name: str, value: Matrix) -> Matrix:
            if name == spoil:
                value = self.with_a_slip(value)
            work[name] = self.step(value)
            return work[name]

        Q = step("Q", product(problem.X1, problem.W_Q))
        K = step("K", product(problem.X2, problem.W_K))
        scores = step("scores", product(Q, turned(K)))
        if problem.scaled:
            ((root,),) = self.step([[Decimal(len(problem.W_K[0])).sqrt()]])
            scores = step("scaled", [[score / root for score in row] for row in scores])
        if self.subtracts_maximum:
            scores = [[score - max(row) for score in row] for row in scores]
        powers = self.step([[score.exp() for score in row] for row in scores])
        sums = self.step([[sum(row)] for row in powers])
        if any(total == 0 for (total,) in sums):
            return None
        rows = zip(powers, sums, strict=True)
        attention_map = step("map", [[power / total for power in row] for row, (total,) in rows])
        V = step("V", product(problem.X2, problem.W_V))
        step("output", product(attention_map, V))
        return work

    def with_a_slip(self, matrix: Matrix) -> Matrix:
        row, column = self.rng.randrange(len(matrix)), self.rng.randrange(len(matrix[0]))
        slip = self.rng.choice([Decimal("0.5"), Decimal(1), Decimal(-1), Decimal("-0.37")])
        return [
            [entry + slip if (i, j) == (row, column) else entry for j, entry in enumerate(entries)]
            for i, entries in enumerate(matrix)
        ]


def solver(rng: random.Random) -> Solver:
    return Solver(rng, rng.choice([ROUND_HALF_UP, ROUND_HALF_EVEN]), rng.choice([0, 0.5, 0.5, 1]), rng.random() < 0.5)


def product(left: Matrix, right: Matrix) -> Matrix:
    columns = turned(right)
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in columns] for row in left]


def turned(matrix: Matrix) -> Matrix:
    return [list(column) for column in zip(*matrix, strict=True)]


def rounded(matrix: Iterable[Iterable[Decimal]], rule: str, unit: Decimal = CENT) -> Matrix:
    # e^100 has no second decimal in thirty digits, and nobody writes one.
    return [[each.quantize(unit, rule) if each.adjusted() < 20 else each for each in row] for row in matrix]


def written(matrix: Matrix, decimals: int, rule: str = ROUND_HALF_UP) -> Written:
    shown = matrix if decimals == EXACT else rounded(matrix, rule, Decimal(1).scaleb(-decimals))
    values = floats(shown)
    return Written(values, np.full(values.shape, decimals))


def handed_in(work: Work, rng: random.Random, rule: str) -> dict[str, Written]:
    """What they have, to the two decimals that were asked for, to more, or all of it."""
    decimals = rng.choice([2, 2, 4, 8, EXACT])
    return {name: written(matrix, decimals, rule) for name, matrix in work.items()}


# 5,000 random problems


@pytest.mark.parametrize("batch", BATCHES)
def test_a_solver_who_rounds_any_of_the_steps_or_none_is_never_rejected(batch: int) -> None:
    rng = random.Random(1000 + batch)
    rejected, judged = [], 0
    for _ in range(BATCH):
        task = problem(rng, small=False)
        for who in (solver(rng), solver(rng)):
            work = who.solve(task)
            if work is not None:
                judged += 1
                steps = judge(task.computation, EVERY_STEP, handed_in(work, rng, who.rule))
                rejected += [(task, step) for step in steps.values() if step.verdict != "right"]
    assert rejected == []
    assert judged > 1.9 * BATCH


@pytest.mark.parametrize("batch", BATCHES)
def test_an_answer_one_visible_unit_outside_is_rejected(batch: int) -> None:
    rng = random.Random(1000 + batch)
    for _ in range(BATCH):
        task = problem(rng, small=False)
        expected = expected_steps(task.computation, EVERY_STEP)
        for step in expected.values():
            least, most = visible(step)
            for outside in (least - 1, most + 1):
                assert not within(as_written(outside), step).any()
            assert within(as_written(least), step).all()
            assert within(as_written(most), step).all()
        name = rng.choice([each for each in expected if each != "root"])
        values, most = visible(expected[name])
        row, column = rng.randrange(len(values)), rng.randrange(len(values[0]))
        values[row, column] = most[row, column] + 1
        step = judge(task.computation, EVERY_STEP, {name: as_written(values)})[name]
        assert (step.verdict, step.wrong_entries) == ("wrong", ((row, column),))


def visible(step: Interval) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest number of hundredths in each interval."""
    return np.ceil(step.low * 100 - 1e-6), np.floor(step.high * 100 + 1e-6)


def as_written(hundredths: np.ndarray) -> Written:
    return Written(hundredths / 100, np.full(hundredths.shape, 2))


def test_one_fixed_tolerance_would_reject_more_than_half_of_the_careful_solvers() -> None:
    rng = random.Random(3)
    careful, exact = Solver(rng, ROUND_HALF_UP, 1, False), Solver(rng, ROUND_HALF_UP, 0, False)
    far_off = []
    for _ in range(1500):
        halves = [[[ENTRIES["halves"](rng) for _ in range(n)] for _ in range(m)] for m, n in ((3, 4), *[(4, 2)] * 3)]
        task = Problem(halves[0], *halves, scaled=False)
        work, truth = careful.solve(task), exact.solve(task)
        if work and truth:
            far_off.append(any((abs(floats(work[name]) - floats(truth[name])) > 0.01 + 1e-9).any() for name in work))
    share = sum(far_off) / len(far_off)
    print(f"{share:.1%} of problems have an entry more than 0.01 from exact")
    assert 0.55 < share < 0.63


# How much more is admitted than can be reached


def reachable(task: Problem) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Every step's least and greatest hundredths over all solvers who round whole steps, by either rule, or don't."""

    def ways(matrix: Iterable[Iterable[Decimal]]) -> set[tuple[tuple[Decimal, ...], ...]]:
        taken = [matrix, *(rounded(matrix, rule) for rule in (ROUND_HALF_UP, ROUND_HALF_EVEN))]
        return {tuple(map(tuple, each)) for each in taken}

    found = {"Q": ways(product(task.X1, task.W_Q)), "K": ways(product(task.X2, task.W_K))}
    pairs = [(Q, K) for Q in found["Q"] for K in found["K"]]
    scores = found["scores"] = {way for Q, K in pairs for way in ways(product(Q, turned(K)))}
    if task.scaled:
        exact = Decimal(len(task.W_K[0])).sqrt()
        roots = {exact, *(exact.quantize(Decimal("0.01"), rule) for rule in (ROUND_HALF_UP, ROUND_HALF_EVEN))}
        divided = [[[score / root for score in row] for row in each] for each in scores for root in roots]
        scores = {way for each in divided for way in ways(each)}
        found["scaled"] = scores
    maps = set()
    for each in scores:
        for shifted in (each, [[score - max(row) for score in row] for row in each]):
            for powers in ways([[score.exp() for score in row] for row in shifted]):
                for sums in ways([[sum(row)] for row in powers]):
                    if all(total for (total,) in sums):
                        rows = zip(powers, sums, strict=True)
                        maps |= ways([[power / total for power in row] for row, (total,) in rows])
    found["map"] = maps
    found["V"] = ways(product(task.X2, task.W_V))
    found["output"] = {way for each in maps for V in found["V"] for way in ways(product(each, V))}
    return {name: _ends(all_of_it) for name, all_of_it in found.items()}


def _ends(matrices: Iterable[Matrix]) -> tuple[np.ndarray, np.ndarray]:
    rules = (ROUND_HALF_UP, ROUND_HALF_EVEN)
    hundredths = [np.rint(floats(rounded(each, rule)) * 100) for each in matrices for rule in rules]
    return np.min(hundredths, axis=0), np.max(hundredths, axis=0)


@pytest.mark.parametrize("entries", ENTRIES)
def test_hardly_more_is_admitted_than_solvers_can_reach(entries: str) -> None:
    rng = random.Random(7)
    admitted, reached, count = Counter(), Counter(), Counter()
    for _ in range(40):
        task = problem(rng, entries)
        expected = expected_steps(task.computation, EVERY_STEP)
        for name, (least, most) in reachable(task).items():
            low, high = visible(expected[name])
            assert (low <= least).all(), name
            assert (most <= high).all(), name
            reached[name] += (most - least + 1).sum()
            admitted[name] += (high - low + 1).sum()
            count[name] += least.size
    for name in count:
        print(
            f"{entries} {name}: {reached[name] / count[name]:.2f} reached, {admitted[name] / count[name]:.2f} admitted"
        )
    # Where every entry of a matrix may have been rounded or not, a sum of products spans more than where all or none
    # was: the further on a step, the more.
    at_most = {"Q": 1.1, "K": 1.1, "V": 1.1, "scores": 1.35, "scaled": 1.35, "map": 1.2, "output": 2.4}
    assert {
        name: admitted[name] / reached[name] for name in count if admitted[name] > at_most[name] * reached[name]
    } == {}


def test_of_the_real_self_attention_no_more_is_admitted_than_solvers_can_reach(root: Path) -> None:
    problem_set = load_problem_set(root / "problems" / "csci5922-ps4", spec_models())
    question = problem_set.question("3b")
    given = {name: decimals_of(value) for name, value in given_to(question, problem_set).items()}
    task = Problem(given["X"], given["X"], given["W_Q"], given["W_K"], given["W_V"], scaled=False)
    expected = expected_steps(computation_of(question, problem_set), EVERY_STEP)
    for name, (least, most) in reachable(task).items():
        low, high = visible(expected[name])
        assert (low == least).all(), name
        assert (high == most).all(), name
    assert within(as_written(np.array([[-200, -300], [-200, -300], [117, 21]])), expected["output"]).all()


def decimals_of(values: np.ndarray) -> Matrix:
    return [[Decimal(str(value)) for value in row] for row in values.tolist()]


# Follow-through


@pytest.mark.parametrize("batch", range(4))
def test_one_wrong_step_costs_itself_alone(batch: int) -> None:
    rng = random.Random(2000 + batch)
    seen = Counter()
    for _ in range(200):
        task, who = problem(rng, small=False), solver(rng)
        spoilt = rng.choice(["Q", "K", "scores", *(["scaled"] if task.scaled else []), "map", "V", "output"])
        work = who.solve(task, spoil=spoilt)
        if work is None or len({entry for row in work[spoilt] for entry in row}) == 1:
            continue  # nothing follows from one number throughout
        verdicts = {
            name: step.verdict
            for name, step in judge(task.computation, EVERY_STEP, handed_in(work, rng, who.rule)).items()
        }
        assert verdicts[spoilt] == "wrong"
        after = list(verdicts)[list(verdicts).index(spoilt) + 1 :]
        assert all(verdicts[name] == "right" for name in verdicts if name != spoilt and name not in after)
        assert all(verdicts[name] in ("right", "follows") for name in after), (task, verdicts)
        seen.update(verdicts[name] for name in after)
    assert seen["follows"] > 150


def matrix(*rows: str) -> Matrix:
    return [[Decimal(entry) for entry in row.split()] for row in rows]


TASK = Problem(
    matrix("1 0", "0 1", "1 1"),
    matrix("1 0", "0 1", "1 1"),
    matrix("1 2", "-1 1"),
    matrix("0.5 1", "1 -1"),
    matrix("1 0", "0 2"),
    scaled=False,
)
RIGHT = Solver(random.Random(0), ROUND_HALF_UP, 1, False)


def verdicts(**given: Matrix) -> dict[str, str]:
    work = {name: written(each, 2) for name, each in given.items()}
    return {name: step.verdict for name, step in judge(TASK.computation, EVERY_STEP, work).items()}


def test_a_second_wrong_step_costs_its_own_points_too() -> None:
    Q = matrix("1 2", "-1 1", "5 3")
    scores = product(Q, turned(product(TASK.X2, TASK.W_K)))
    wrong = [[score + 1 for score in row] for row in scores]
    assert verdicts(Q=Q, scores=scores) == {"Q": "wrong", "scores": "follows"}
    assert verdicts(Q=Q, scores=wrong) == {"Q": "wrong", "scores": "wrong"}


def test_who_got_q_wrong_and_the_scores_right_has_the_scores_right() -> None:
    work = RIGHT.solve(TASK)
    assert work
    assert verdicts(**work | {"Q": matrix("9 8", "8 9", "9 9")}) == dict.fromkeys(work, "right") | {"Q": "wrong"}


def test_a_step_is_judged_only_from_steps_that_lead_to_it() -> None:
    Q, K = matrix("1 2", "-1 1", "5 3"), matrix("9 8", "8 9", "9 9")
    work = {"Q": written(Q, 2), "K": written(K, 2), "scores": written(product(Q, turned(K)), 2)}
    judged = judge(TASK.computation, EVERY_STEP, work)
    assert judged["K"].wrong_before == ()
    assert judged["scores"].wrong_before == ("Q", "K")
    assert judged["scores"].verdict == "follows"


def test_the_steps_that_lead_to_a_step_are_found_by_running_it() -> None:
    assert sources_of_steps(TASK.computation) == {
        "Q": (),
        "K": (),
        "scores": ("Q", "K"),
        "map": ("Q", "K", "scores"),
        "V": (),
        "output": ("Q", "K", "scores", "map", "V"),
    }
    one_hot = partial(TASK.computation, temperature=0.0)
    assert sources_of_steps(one_hot)["map"] == ("Q", "K", "scores")


def test_a_step_that_was_not_handed_in_is_gone_through_in_silence() -> None:
    Q = matrix("1 2", "-1 1", "5 3")
    work = RIGHT.solve(TASK)
    assert work
    assert verdicts(Q=Q, map=work["map"]) == {"Q": "wrong", "map": "right"}
    worked_on = Problem(Q, TASK.X2, matrix("1 0", "0 1"), TASK.W_K, TASK.W_V, scaled=False)
    own = RIGHT.solve(worked_on)
    assert own
    assert verdicts(Q=Q, map=own["map"]) == {"Q": "wrong", "map": "follows"}


# How it is written


def only_q(low: float, high: float | None = None) -> Interval:
    return Interval(np.array([low]), np.array([low if high is None else high]), EVERY_STEP)


@pytest.mark.parametrize(
    ("value", "decimals", "right"),
    [
        (0.33, 2, True),
        (1 / 3, EXACT, True),
        (0.3333, 4, True),
        (0.333, 3, True),
        (0.33333333, 8, True),
        (0.3334, 4, False),
        (0.334, 3, False),
        (0.34, 2, False),
        (0.32, 2, False),
        (0.3, 1, False),
    ],
)
def test_a_third_may_be_written_to_two_decimals_or_to_more(value: float, decimals: int, right: bool) -> None:
    step = only_q(0.33, 1 / 3)
    assert within(Written(np.array([value]), np.array([decimals])), step).all() == right


def test_eight_decimals_are_judged_to_the_eighth() -> None:
    step = only_q(2.2372322931098, 2.24)
    assert within(Written(np.array([2.23723229]), np.array([8])), step).all()
    assert not within(Written(np.array([2.23723227]), np.array([8])), step).all()


def test_where_only_the_result_is_rounded_no_step_before_may_be() -> None:
    thirds = Problem(matrix("1", "2"), matrix("1", "2"), matrix("0.126"), matrix("1"), matrix("100"), scaled=False)
    exact = Solver(random.Random(0), ROUND_HALF_UP, 0, True).solve(thirds)
    careful = Solver(random.Random(0), ROUND_HALF_UP, 1, True).solve(thirds)
    assert exact
    assert careful
    output = {"output": written(exact["output"], 2)}
    too_early = {"output": written(careful["output"], 2)}
    assert judge(thirds.computation, AT_THE_END, output)["output"].verdict == "right"
    assert judge(thirds.computation, AT_THE_END, too_early)["output"].verdict == "wrong"
    assert judge(thirds.computation, EVERY_STEP, too_early)["output"].verdict == "right"


# Numbers that break floats


def test_scores_beyond_the_largest_exponential_still_have_a_map() -> None:
    huge = Problem(matrix("30 0", "0 30"), matrix("30 0", "0 30"), *[matrix("1 0", "0 1")] * 3, scaled=False)
    work = Solver(random.Random(0), ROUND_HALF_UP, 1, True).solve(huge)
    assert work
    assert work["scores"][0][0] == 900
    steps = judge(huge.computation, EVERY_STEP, {name: written(each, 2) for name, each in work.items()})
    assert {step.verdict for step in steps.values()} == {"right"}
    wrong = judge(huge.computation, EVERY_STEP, {"map": written(matrix("0.5 0.5", "0.5 0.5"), 2)})
    assert wrong["map"].verdict == "wrong"


def test_a_tie_that_is_none_past_the_sixteenth_digit_may_be_rounded_down() -> None:
    saturated = Problem(matrix("1"), matrix("40", "0"), *[matrix("1")] * 2, matrix("0.084375"), scaled=False)
    shared = Problem(matrix("1"), matrix("1", "1"), *[matrix("1")] * 2, matrix("3.375"), scaled=False)
    for task, lowest in ((saturated, "3.37"), (shared, "3.38")):
        output = expected_steps(task.computation, AT_THE_END)["output"]
        assert visible(output)[0].tolist() == [[float(lowest) * 100]]
    exact = Solver(random.Random(0), ROUND_HALF_EVEN, 0, True).solve(saturated)
    assert exact
    assert rounded(exact["output"], ROUND_HALF_EVEN) == matrix("3.37")


def test_a_row_with_one_huge_score_leaves_the_other_rows_as_they_were() -> None:
    X1 = matrix("900 0", "0.1 0.2")
    mixed = Problem(X1, matrix("1 0", "0 1"), *[matrix("1 0", "0 1")] * 3, scaled=False)
    tiny = Problem(X1[1:], mixed.X2, mixed.W_Q, mixed.W_K, mixed.W_V, scaled=False)
    together = expected_steps(mixed.computation, EVERY_STEP)["map"]
    alone = expected_steps(tiny.computation, EVERY_STEP)["map"]
    assert (together.low[1], together.high[1]) == (pytest.approx(alone.low[0]), pytest.approx(alone.high[0]))


def test_a_students_own_huge_values_are_followed_too() -> None:
    Q = matrix("1e15 2", "-1 1", "0 3")
    scores = product(Q, turned(product(TASK.X2, TASK.W_K)))
    assert verdicts(Q=Q, scores=scores) == {"Q": "wrong", "scores": "follows"}


def test_a_masked_score_is_minus_infinity_and_weighs_nothing() -> None:
    masked = partial(self_attention, *map(floats, (TASK.X1, TASK.W_Q, TASK.W_K, TASK.W_V)), causal=True)
    steps = expected_steps(masked, EVERY_STEP)
    assert (steps["masked"].high[np.triu_indices(3, k=1)] == -np.inf).all()
    assert (steps["map"].high[np.triu_indices(3, k=1)] == 0).all()
    assert steps["map"].low[0, 0] == pytest.approx(1, abs=0.001)
    assert np.isfinite(steps["output"].high).all()


def test_at_temperature_zero_a_tie_that_rounding_leaves_open_may_fall_either_way() -> None:
    one = np.array([[1.0]])
    limit = partial(cross_attention, one, np.array([[1.0], [1.004], [0.5]]), one, one, one, temperature=0.0)
    assert expected_steps(limit, EVERY_STEP)["scores"].low.tolist() == [[1, 1, 0.5]]
    reached = step_of(limit, EVERY_STEP, "map")
    assert reached is not None
    assert (reached.low.tolist(), reached.high.tolist()) == ([[0, 0, 0]], [[1, 1, 0]])


def test_several_heads_go_through_the_same_intervals() -> None:
    rng = np.random.default_rng(0)
    X, W = rng.integers(-2, 3, (3, 4)) / 2, rng.integers(-2, 3, (3, 2, 4, 2)) / 2
    W_O = rng.integers(-2, 3, (4, 3)) / 2
    heads = partial(multi_head_attention, X, *W, W_O)
    exact = dict(_run(heads))
    for name, step in expected_steps(heads, EVERY_STEP).items():
        assert step.shape == exact[name].shape
        assert ((step.low <= exact[name] + 1e-12) & (exact[name] - 1e-12 <= step.high)).all()


def _run(computation: Computation) -> Iterable[tuple[str, np.ndarray]]:
    steps = computation()
    value = None
    while True:
        try:
            name, value = steps.send(value)
        except StopIteration:
            return
        yield name, value


def test_the_decimals_here_are_exact_enough_to_be_believed() -> None:
    assert getcontext().prec == 30
    assert str(Decimal(1).exp()) == "2.71828182845904523536028747135"
