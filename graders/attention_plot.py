"""Kind `attention_plot`: the lines that show which input token each output token weighs most, and which second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from graders.computation import ComputedSpec, Key, Misconception, rounding_of
from graders.edges import Edges, admits, derived, read_plot
from graders.handed import Work, work_of
from graders.intervals import Interval, exactly
from graders.marking import settle
from graders.plots import plot_svg
from graders.proofs import Answers, prove_misconceptions, prove_steps
from graders.working import step_of
from harness.errors import Complaint
from harness.model import Check, Mark, ProblemSet, Question, RawAnswer, Submission
from harness.spec import CheckSpec, mapping_in
from harness.validation import Strict
from harness.yamlfile import Location

NEEDS_ANSWER = True

Plot = Mapping[int, Edges]
Lines = Literal["solid", "dashed"]


class Tokens(Strict):
    """How many dots stand on each side."""

    inputs: int = Field(ge=1, le=100)
    outputs: int = Field(ge=1, le=100)


class PlotCheck(CheckSpec):
    """A check of a plot."""

    grades: Lines | None = None
    """The lines that its points hang on; a basic check looks at how all of them are written."""


class PlotKey(Key):
    """Where the right lines come from."""

    shows: str = "map"
    """The step of the reference that is drawn."""


class Spec(ComputedSpec):
    """A question of kind `attention_plot`."""

    tokens: Tokens
    checks: Mapping[str, PlotCheck] = Field(min_length=1)
    key: PlotKey | None = None

    @classmethod
    def faults(cls, written: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
        yield from super().faults(written)
        for id in mapping_in(written, "checks"):
            if id.endswith("-hidden") and "grades" not in mapping_in(written, "checks", id):
                yield ("checks", id), f"`grades` is missing in {id}: say solid or dashed"


def grade(
    question: Question, checks: Sequence[Check], problem_set: ProblemSet, submission: Submission
) -> Iterator[Mark]:
    tokens: Tokens = question.spec.tokens
    given, sentences = read_plot(submission.answers[question.id], tokens.inputs, tokens.outputs)
    drawing = plot_svg("yours", given, tokens.inputs, tokens.outputs)
    for check in checks:
        if check.visibility == "basic":
            yield settle(check, not sentences, "\n".join(sentences), svg={"given": drawing})
        else:
            yield _grade_lines(check, given, drawing, work_of(question, problem_set, submission))


def _grade_lines(check: Check, given: Plot, drawing: str, work: Work) -> Mark:
    spec: Spec = work.question.spec
    assert spec.key is not None  # hidden checks are asked for only where the key is
    shown = spec.key.shows
    expected = work.expected[shown]
    plot = {row + 1: derived(expected[row]) for row in range(len(expected))}
    svg = {"expected": plot_svg("expected", plot, spec.tokens.inputs, spec.tokens.outputs), "given": drawing}
    lines = spec.checks[check.id].grades or "solid"
    for weights, told in _maps(work, shown, expected):
        if not _wrong_rows(weights, given, lines):
            return settle(check, True, told, svg=svg)
    return settle(check, False, _what_is_wrong(work, given, lines, shown), svg=svg)


def _maps(work: Work, shown: str, expected: Interval) -> Iterator[tuple[Interval, str]]:
    """The map of the key, and the student's own where that is another: a drawing is right if it shows either."""
    yield expected, ""
    step = work.judged.get(shown)
    if step and step.verdict != "right":
        yield exactly(work.written[shown].values, work.rounding), f"right, judged from your own {work.own((shown,))}"


def _wrong_rows(weights: Interval, given: Plot, lines: Lines) -> list[int]:
    """The output tokens whose lines of this style are not those of the map."""
    style = 0 if lines == "solid" else 1
    nothing = Edges(())
    return [row + 1 for row in range(len(weights)) if not admits(weights[row], given.get(row + 1, nothing))[style]]


def _what_is_wrong(work: Work, given: Plot, lines: Lines, shown: str) -> str:
    weights, _ = list(_maps(work, shown, work.expected[shown]))[-1]
    knows_the_map = shown in work.judged and work.judged[shown].verdict == "right"
    another = None if knows_the_map else _another_map(work, given, lines, shown)
    swapped = {row: Edges(edges.dashed, edges.solid) if edges.dashed else edges for row, edges in given.items()}
    if another:
        return f"this is the picture of another map: {another.sentence}"
    if _wrong_rows(weights, given, "solid") and not _wrong_rows(weights, swapped, "solid"):
        return "solid and dashed are swapped: the solid line goes to the input token with the largest weight"
    rows = _wrong_rows(weights, given, lines)
    told = f"output token{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))}"
    if lines == "solid":
        return f"{told}: the solid line does not go to the input token with the largest weight in its row of the map"
    return f"{told}: a dashed line goes to the second largest weight, and only where that is not 0 after rounding"


def _another_map(work: Work, given: Plot, lines: Lines, shown: str) -> Misconception | None:
    """The first misconception that leads to a map of which this is the picture."""
    for each in work.misconceptions:
        wrong = step_of(each.computation, work.rounding, shown)
        if wrong is not None and wrong.shape == work.expected[shown].shape and not _wrong_rows(wrong, given, lines):
            return each
    return None


def blank_answer(spec: Spec) -> RawAnswer:
    outputs = range(1, spec.tokens.outputs + 1)
    return {str(token): {"solid": "????", "dashed": "????"} for token in outputs}


def prove(question: Question, problem_set: ProblemSet) -> Iterator[Complaint]:
    spec: Spec = question.spec
    shown = spec.key.shows if spec.key else "map"
    found = list(prove_steps(question, problem_set, {shown: (spec.tokens.outputs, spec.tokens.inputs)}))
    yield from found
    if not found:
        yield from prove_misconceptions(
            question, problem_set, lambda each: _drawn(question, problem_set, each, shown), grade
        )


def _drawn(question: Question, problem_set: ProblemSet, misconception: Misconception, shown: str) -> Answers:
    """The drawing of a student with this misconception."""
    weights = step_of(misconception.computation, rounding_of(question, problem_set), shown)
    edges = [derived(weights[row]) for row in range(len(weights))] if weights is not None else []
    drawing = {
        str(row): {"solid": list(map(str, each.solid)), "dashed": list(map(str, each.dashed))}
        for row, each in enumerate(edges, start=1)
    }
    return {question.id: drawing}
