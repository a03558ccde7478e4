"""Lines between tokens: as drawn, as derived from a map, and as a picture."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader import grade
from graders import attention_plot
from graders.edges import Edges, admits, derived, read_plot
from graders.intervals import Interval, Rounding, exactly
from graders.kinds import spec_models
from graders.plots import plot_svg
from harness.model import Mark, ProblemSet, RawAnswer, Submission
from harness.spec import load_problem_set

ROOT = Path(__file__).resolve().parents[1]
ROUNDING = Rounding(2, every_step=True)
SVG = "{http://www.w3.org/2000/svg}"

# 3a's map is 0 0 1; 0 0 1; .62 .38 0
RIGHT = {"1": {"solid": "3"}, "2": {"solid": "3"}, "3": {"solid": "1", "dashed": "2"}}
RIGHT_MAP = "0 0 1; 0 0 1; 0.62 0.38 0"
EDGES = {1: Edges((3,)), 2: Edges((3,)), 3: Edges((1,), (2,))}


def copied(folder: Path) -> Path:
    target = folder / "csci5922-ps4"
    target.mkdir()
    for name in ("problem-set", "3a", "3c", "4a", "4c"):
        shutil.copyfile(ROOT / "problems" / "csci5922-ps4" / f"{name}.yaml", target / f"{name}.yaml")
    return target


@pytest.fixture(scope="module")
def problem_set(tmp_path_factory: pytest.TempPathFactory) -> ProblemSet:
    return load_problem_set(copied(tmp_path_factory.mktemp("real")), spec_models())


def marks(problem_set: ProblemSet, plot: RawAnswer, map_3a: str = "", id: str = "3c") -> list[Mark]:
    """The marks on whether it can be read, the solid and the dashed lines."""
    answers: dict[str, RawAnswer] = {id: plot, **({"3a": {"map": map_3a}} if map_3a else {})}
    submission = Submission(id="s", sha256="", root=Path(), answers=answers)
    report = grade(problem_set, submission, problem_set.question(id).checks)
    assert report.faults == ()
    return list(report.marks)


def outcomes(problem_set: ProblemSet, plot: RawAnswer, map_3a: str = "") -> list[str]:
    return [mark.outcome for mark in marks(problem_set, plot, map_3a)]


# Reading


@pytest.mark.parametrize(
    "raw",
    [
        RIGHT,
        {"output 1": {"Solid": "3"}, "output 2": {"solid": "input 3"}, "token 3": {"solid": "1", "dashed": "2"}},
        {"edges": RIGHT},
        {"1": "3", "2": "3", "3": "1, 2"},
        {"1": "solid 3", "2": "solid 3, no dashed", "3": "solid 1, dashed 2"},
        {"1": ["3"], "2": ["3"], "3": ["1", "2"]},
        {
            "1": {"solid": ["3"], "dashed": []},
            "2": {"solid": "3", "dashed": "none"},
            "3": {"solid": "1", "dashed": "2"},
        },
        [{"solid": "3"}, {"solid": "3"}, {"solid": "1", "dashed": "2"}],
        [["3"], ["3"], ["1", "2"]],
        ["3", "3", "1, 2"],
        ["1: solid 3", "2: solid 3", "3: solid 1, dashed 2"],
        ["2: solid 3", "1: solid 3", "3: solid 1, dashed 2"],
        "1: solid 3\n2: solid 3\n3: solid 1, dashed 2",
        "1: 3\n2: 3\n3: 1, 2",
        "1 -> 3\n2 -> 3\n3 -> 1 (solid), 2 (dashed)",
        "1 → 3\n2 → 3\n3 → 1 solid; 2 dashed",
        "Output 1: solid to input 3\nOutput 2: solid to input 3\nOutput 3: solid to input 1 and dashed to input 2",
        "The lines:\n- out 1: in 3\n- out 2: in 3\n- out 3: in 1, in 2",
        "1: 3 (1.00)\n2: 3 (1.00)\n3: 1 (0.62), 2 (0.38)",
        "1: 3 (100%)\n2: 3\n3: 1 (62 %, solid), 2 (38 %, dashed)",
        # From the real hand-in:
        "Output token 1 attends to input token 3.\nOutput token 2 attends to input token 3.\n"
        "Output token 3 attends to input token 1 and, to a lesser extent, attends to input token 2.",
    ],
)
def test_lines_are_read_however_they_are_written_down(raw: RawAnswer) -> None:
    assert read_plot(raw, 3, 3) == (EDGES, [])


def test_two_solid_lines_are_two() -> None:
    for raw in ("1: solid 1, 2; dashed 3", {"1": {"solid": ["1", "2"], "dashed": "3"}}, "1: 1 and 2 solid, 3 dashed"):
        assert read_plot(raw, 3, 1) == ({1: Edges((1, 2), (3,))}, [])


@pytest.mark.parametrize(
    ("raw", "sentences"),
    [
        ({"1": {"solid": "3"}, "3": {"solid": "1"}}, ["output token 2 has no line"]),
        (RIGHT | {"2": {"solid": "4"}}, ["output token 2: there is no input token 4: they are 1 to 3"]),
        (RIGHT | {"4": {"solid": "1"}}, ["output token 4: there is no such output token: they are 1 to 3"]),
        (
            RIGHT | {"2": {"dashed": "3"}},
            ["output token 2: has no solid line: every output token has one, to the input that it weighs most"],
        ),
        (
            RIGHT | {"2": {"solid": "3", "dashed": "3"}},
            ["output token 2: has a solid and a dashed line to the same input token 3"],
        ),
        (RIGHT | {"2": {"thick": "3"}}, ["output token 2: `thick` is neither solid nor dashed"]),
        (RIGHT | {"2": {"solid": "the last"}}, ["output token 2: `the last` names no input token: write its number"]),
        (RIGHT | {"output 2": {"solid": "3"}}, ["output token 2: is there twice"]),
        (
            {"first": {"solid": "3"}},
            ["`first` names no output token: write its number, such as 3: {solid: 1}"],
        ),
        (
            "tokens 1 and 2 are linked\n2: 3",
            ["`tokens 1 and 2 are linked` cannot be read: write `3: solid 1, dashed 2`, output token first"],
        ),
        ("see the figure", [f"output token {token} has no line" for token in (1, 2, 3)]),
        ([], [f"output token {token} has no line" for token in (1, 2, 3)]),
    ],
)
def test_what_cannot_be_read_is_told_line_by_line(raw: RawAnswer, sentences: list[str]) -> None:
    assert read_plot(raw, 3, 3)[1] == sentences


RAWS = st.recursive(
    st.text(st.sampled_from("0123456789:->=soliddashed ,;\n()%.→"), max_size=60) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(RAWS)
@settings(max_examples=1000, deadline=None)
def test_any_answer_is_lines_within_the_tokens_or_sentences(raw: RawAnswer) -> None:
    edges, sentences = read_plot(raw, 3, 2)
    for output, lines in edges.items():
        assert 1 <= output <= 2
        assert lines.solid
        assert all(1 <= token <= 3 for token in (*lines.solid, *lines.dashed))
    assert all(sentences)
    assert sentences or set(edges) == {1, 2}


# Derived from a map


def row(*weights: float) -> Interval:
    return exactly(np.array(weights), ROUNDING)


def test_the_solid_line_goes_to_the_largest_and_the_dashed_to_the_second() -> None:
    weights = row(0.1, 0.6, 0.3)
    assert derived(weights) == Edges((2,), (3,))
    assert admits(weights, Edges((2,), (3,))) == (True, True)
    assert admits(weights, Edges((2,), (1,))) == (True, False)
    assert admits(weights, Edges((2,))) == (True, False)
    assert admits(weights, Edges((2, 3))) == (False, False)
    assert admits(weights, Edges((2,), (3, 1))) == (True, False)
    assert admits(weights, Edges(())) == (False, False)


def test_ties_are_right_either_way() -> None:
    for weights in (row(0.4, 0.4, 0.2), Interval(np.array([0.40, 0.39, 0.2]), np.array([0.41, 0.42, 0.2]), ROUNDING)):
        for drawn in (Edges((1,), (2,)), Edges((2,), (1,)), Edges((1, 2), (3,))):
            assert admits(weights, drawn) == (True, True), drawn
        assert not admits(weights, Edges((3,), (1,)))[0]
        assert not admits(weights, Edges((1,), (3,)))[1]
    assert derived(row(0.4, 0.4, 0.2)) == Edges((1,), (2,))
    seconds = row(0.5, 0.25, 0.25)
    for drawn in (Edges((1,), (2,)), Edges((1,), (3,)), Edges((1,), (2, 3))):
        assert admits(seconds, drawn) == (True, True), drawn


@pytest.mark.parametrize(
    ("second", "with_it", "without_it"),
    [(0.0049, False, True), (0.0051, True, False), (0.005, True, True), (0.0, False, True), (0.38, True, False)],
)
def test_a_dashed_line_is_drawn_where_its_weight_is_not_zero_after_rounding(
    second: float, with_it: bool, without_it: bool
) -> None:
    weights = row(1 - second, second, 0.0)
    assert admits(weights, Edges((1,), (2,))) == (True, with_it)
    assert admits(weights, Edges((1,))) == (True, without_it)


def test_where_rounding_leaves_open_whether_it_is_zero_so_does_the_drawing() -> None:
    weights = Interval(np.array([0.99, 0.004]), np.array([0.99, 0.006]), ROUNDING)
    assert admits(weights, Edges((1,), (2,))) == admits(weights, Edges((1,))) == (True, True)


def test_a_wrong_solid_line_does_not_cost_the_dashed_one() -> None:
    assert admits(row(0.1, 0.6, 0.3), Edges((1,), (3,))) == (False, True)
    assert admits(row(0.0, 1.0, 0.0), Edges((1,))) == (False, True)
    assert admits(row(0.1, 0.6, 0.3), Edges((3,), (2,))) == (False, False)  # swapped: both are wrong


@given(st.lists(st.integers(0, 100).map(lambda n: n / 100), min_size=1, max_size=5))
@settings(max_examples=300, deadline=None)
def test_what_is_derived_from_a_row_is_right_for_it(weights: list[float]) -> None:
    assert admits(row(*weights), derived(row(*weights))) == (True, True)


# Marks and messages


def test_the_right_lines_earn_everything(problem_set: ProblemSet) -> None:
    found = marks(problem_set, RIGHT)
    assert [(mark.outcome, mark.message) for mark in found] == [("passed", "")] * 3
    assert sum(float(mark.earned or 0) for mark in found) == 2


def test_wrong_lines_are_told_by_their_output_tokens(problem_set: ProblemSet) -> None:
    wrong = RIGHT | {"1": {"solid": "2"}, "2": {"solid": "1"}}
    solid, dashed = marks(problem_set, wrong)[1:]
    assert solid.message == (
        "output tokens 1, 2: the solid line does not go to the input token with the largest weight in its row "
        "of the map"
    )
    assert dashed.outcome == "passed"
    missing = RIGHT | {"3": {"solid": "1"}}
    assert outcomes(problem_set, missing) == ["passed", "passed", "failed"]
    assert marks(problem_set, missing, RIGHT_MAP)[2].message == (
        "output token 3: a dashed line goes to the second largest weight, and only where that is not 0 after rounding"
    )
    assert outcomes(problem_set, RIGHT | {"1": {"solid": "3", "dashed": "1"}}) == ["passed", "passed", "failed"]


def test_swapped_lines_are_called_swapped(problem_set: ProblemSet) -> None:
    swapped = RIGHT | {"3": {"solid": "2", "dashed": "1"}}
    solid, dashed = marks(problem_set, swapped, RIGHT_MAP)[1:]
    told = "solid and dashed are swapped: the solid line goes to the input token with the largest weight"
    assert (solid.outcome, solid.message, dashed.outcome, dashed.message) == ("failed", told, "failed", told)


def test_the_picture_of_another_map_is_recognised(problem_set: ProblemSet) -> None:
    # softmax down the columns: 0 0 .88; 0 0 .12; 1 1 0
    drawn = {"1": {"solid": "3"}, "2": {"solid": "3"}, "3": {"solid": "2", "dashed": "1"}}
    solid = marks(problem_set, drawn)[1]
    assert solid.message.startswith("this is the picture of another map: softmax was taken over queries")
    one_hot = marks(problem_set, RIGHT | {"3": {"solid": "1"}})[2]
    assert one_hot.message.startswith("this is the picture of another map: each row has a 1 at its largest score")


def test_who_has_the_map_right_is_told_of_no_other_map(problem_set: ProblemSet) -> None:
    for row in ({"solid": "2", "dashed": "1"}, {"solid": "1"}):
        assert not any("another map" in mark.message for mark in marks(problem_set, RIGHT | {"3": row}, RIGHT_MAP))


def test_a_drawing_of_the_students_own_map_is_right(problem_set: ProblemSet) -> None:
    own = "0.2 0.8 0; 0 0 1; 0.3 0.3 0.4"
    drawn = {"1": {"solid": "2", "dashed": "1"}, "2": {"solid": "3"}, "3": {"solid": "3", "dashed": "2"}}
    solid, dashed = marks(problem_set, drawn, own)[1:]
    assert (solid.outcome, solid.message) == ("passed", "right, judged from your own map in 3a")
    assert (dashed.outcome, dashed.message) == ("passed", "right, judged from your own map in 3a")
    assert outcomes(problem_set, drawn) == ["passed", "failed", "failed"]
    assert outcomes(problem_set, RIGHT, own) == ["passed"] * 3  # the key's picture stays right


def test_every_line_is_judged_apart_from_the_others(problem_set: ProblemSet) -> None:
    found = marks(problem_set, {"1": {"solid": "3"}, "2": {"solid": "9"}, "3": {"solid": "1", "dashed": "2"}})
    assert found[0].message == "output token 2: there is no input token 9: they are 1 to 3"
    assert found[1].message.startswith("output token 2: the solid line")


def test_cross_attention_has_as_many_inputs_as_it_has(problem_set: ProblemSet) -> None:
    # 4a's map: .05 .15 .40 .40; .03 .09 .24 .64
    for first in ({"solid": "3", "dashed": "4"}, {"solid": "4", "dashed": "3"}):
        found = marks(problem_set, {"1": first, "2": {"solid": "4", "dashed": "3"}}, id="4c")
        assert [mark.outcome for mark in found] == ["passed"] * 3


@pytest.mark.parametrize(
    "plot", ["?", "x" * 90_000, "1:" * 40_000, "1: solid " * 9_000, {"1": {"2": {"3": "4"}}}, "\n" * 50_000 + "1"]
)
def test_no_drawing_is_a_fault_of_ours(problem_set: ProblemSet, plot: RawAnswer) -> None:
    assert set(outcomes(problem_set, plot)) <= {"failed"}


def test_the_real_plots_are_proved(problem_set: ProblemSet) -> None:
    for id in ("3c", "4c"):
        assert list(attention_plot.prove(problem_set.question(id), problem_set)) == []


def test_tokens_that_do_not_fit_the_map_are_found(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    path = folder / "3c.yaml"
    path.write_text(path.read_text().replace("{inputs: 3, outputs: 3}", "{inputs: 4, outputs: 3}"))
    loaded = load_problem_set(folder, spec_models())
    (complaint,) = attention_plot.prove(loaded.question("3c"), loaded)
    assert complaint.message == "`map` is computed as 3x3, `shape` says 3x4"


# The picture


def lines_of(svg: str) -> list[tuple[str, bool]]:
    """What each line says of itself, and whether it is dashed."""
    picture = ElementTree.fromstring(svg)
    return [
        (line.find(f"{SVG}title").text or "", "stroke-dasharray" in line.attrib) for line in picture.iter(f"{SVG}line")
    ]


def test_the_picture_shows_every_line_in_its_style() -> None:
    assert lines_of(plot_svg("yours", EDGES, 3, 3)) == [
        ("output 1 weighs input 3 most", False),
        ("output 2 weighs input 3 most", False),
        ("output 3 weighs input 1 most", False),
        ("output 3 weighs input 2 second", True),
    ]


def test_a_line_ends_at_its_two_tokens() -> None:
    picture = ElementTree.fromstring(plot_svg("one", {2: Edges((3,))}, 4, 2))
    (line,) = picture.iter(f"{SVG}line")
    circles = [(circle.get("cx"), circle.get("cy")) for circle in picture.iter(f"{SVG}circle")]
    assert len(circles) == 6
    assert (line.get("x1"), line.get("y1")) == circles[2]
    assert (line.get("x2"), line.get("y2")) == circles[5]
    labels = [text.text for text in picture.iter(f"{SVG}text")]
    assert labels == ["one", "in 1", "in 2", "in 3", "in 4", "out 1", "out 2"]
    box = [float(each) for each in (picture.get("viewBox") or "").split()]
    assert all(box[0] < float(x) < box[2] and box[1] < float(y) < box[3] for x, y in circles)


@pytest.mark.parametrize("title", ['<script>alert("1")</script>', "a & b", "]]>", "'\"<>&", "Größe → 1"])
def test_a_title_is_text_and_never_markup(title: str) -> None:
    picture = ElementTree.fromstring(plot_svg(title, EDGES, 3, 3))
    assert picture.find(f"{SVG}title").text == title
    assert {each.tag.removeprefix(SVG) for each in picture.iter()} == {"svg", "title", "text", "line", "circle"}


def test_marks_carry_the_expected_and_the_given_picture(problem_set: ProblemSet) -> None:
    basic, solid, _ = marks(problem_set, RIGHT | {"3": {"solid": "2"}})
    pictures: Mapping[str, str] = solid.detail["svg"]
    assert ("output 3 weighs input 1 most", False) in lines_of(pictures["expected"])
    assert ("output 3 weighs input 2 second", True) in lines_of(pictures["expected"])
    assert ("output 3 weighs input 2 most", False) in lines_of(pictures["given"])
    assert set(basic.detail["svg"]) == {"given"}  # students run this check: it shows no key
    json.dumps([mark.detail for mark in (basic, solid)])
