"""What a student reads about the numbers they handed in, and what an author reads about theirs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from grader import grade
from graders import numeric
from graders.kinds import spec_models
from harness.errors import SpecError
from harness.model import Mark, ProblemSet, RawAnswer, Submission
from harness.spec import load_problem_set

ROOT = Path(__file__).resolve().parents[1]
NUMERIC = ("3a", "3b", "4a", "4b")

# As the student of shared seed 001 handed it in, on paper.
A = {
    "Q": "1 3; -1 1; 5/2 -2",
    "K": "3 -1/2; 2 -3/2; -5/2 7/2",
    "scores": "1.5 -2.5 8; -3.5 -3.5 6; 8.5 8 -13.25",
    "map": "0 0 1; 0 0 1; 0.62 0.38 0",
}
B = {"V": "5/2 -3/2; -1 3; -2 -3", "output": "-2 -3; -2 -3; 1.17 0.21"}


def copied(folder: Path, **edits: tuple[str, str]) -> Path:
    """The numeric questions of the real set alone, each with one piece of text replaced."""
    target = folder / "csci5922-ps4"
    target.mkdir()
    for name in ("problem-set", *NUMERIC):
        shutil.copyfile(ROOT / "problems" / "csci5922-ps4" / f"{name}.yaml", target / f"{name}.yaml")
    for id, (old, new) in edits.items():
        path = target / f"{id}.yaml"
        text = path.read_text()
        assert text.count(old) == 1, (id, old)
        path.write_text(text.replace(old, new))
    return target


def load(folder: Path) -> ProblemSet:
    return load_problem_set(folder, spec_models())


@pytest.fixture(scope="module")
def problem_set(tmp_path_factory: pytest.TempPathFactory) -> ProblemSet:
    return load(copied(tmp_path_factory.mktemp("real")))


def marks(problem_set: ProblemSet, id: str, **answers: RawAnswer) -> dict[str, Mark]:
    """The marks of one question, by the number of the check; `_3a` is the answer to 3a."""
    submission = Submission(
        id="s", sha256="", root=Path(), answers={name.lstrip("_"): answer for name, answer in answers.items()}
    )
    report = grade(problem_set, submission, problem_set.question(id).checks)
    assert report.faults == ()
    return {mark.check.id.split("-", 1)[1]: mark for mark in report.marks}


def earned(found: Mapping[str, Mark]) -> dict[str, float]:
    return {name: float(mark.earned or 0) for name, mark in found.items()}


def messages(found: Mapping[str, Mark]) -> list[str]:
    return [line for mark in found.values() for line in mark.message.splitlines()]


# The real hand-in


def test_the_hand_in_of_a_real_student_is_right_everywhere(problem_set: ProblemSet) -> None:
    first, then = marks(problem_set, "3a", _3a=A), marks(problem_set, "3b", _3a=A, _3b=B)
    for mark in (*first.values(), *then.values()):
        assert (mark.outcome, mark.message) == ("passed", "")
    assert earned(first) == {"0-basic": 0.5, "1-hidden": 1.5, "2-hidden": 1.5, "3-hidden": 1.5}
    assert earned(then) == {"0-basic": 0.25, "1-hidden": 0.75, "2-hidden": 1}


@pytest.mark.parametrize("output", ["-2 -3; -2 -3; 1.17 0.21", "-2 -3; -2 -3; 1.18 0.20", "-1.99 -3; -2 -3; 1.18 0.2"])
def test_every_way_of_rounding_leads_to_full_marks(problem_set: ProblemSet, output: str) -> None:
    assert earned(marks(problem_set, "3b", _3a=A, _3b=B | {"output": output}))["2-hidden"] == 1


def test_the_answer_may_be_markdown_text(problem_set: ProblemSet) -> None:
    text = (
        "**Q** = $\\begin{bmatrix} 1 & 3 \\\\ -1 & 1 \\\\ 2\\frac{1}{2} & -2 \\end{bmatrix}$\n\n"
        "Here I rounded.\n\n"
        "K: [[3, -0.5], [2, -1.5], [-2.5, 3.5]]\n\n"
        "Q K^T =\n1.5 -2.5 8\n-3.5 -3.5 6\n8.5 8 -13.25\n\n"
        "- attention map: 0 0 1; 0 0 1; 0.62 0.38 0\n"
    )
    assert {mark.outcome for mark in marks(problem_set, "3a", _3a=text).values()} == {"passed"}


def test_more_decimals_than_asked_for_are_judged_by_those_decimals(problem_set: ProblemSet) -> None:
    exact = "9.9997e-04 1.8315e-05 9.9898e-01; 7.4846e-05 7.4846e-05 9.9985e-01; 6.2246e-01 3.7754e-01 2.2e-10"
    scores = np.array([[1.5, -2.5, 8], [-3.5, -3.5, 6], [8.5, 8, -13.25]])
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    printed = "\n".join(" ".join(f"{weight:.4e}" for weight in row) for row in weights)
    assert marks(problem_set, "3a", _3a=A | {"map": printed})["3-hidden"].message == ""
    found = marks(problem_set, "3a", _3a=A | {"map": exact.replace("9.9997e-04", "1.9997e-03")})["3-hidden"]
    assert found.message.startswith("map: row 1, column 1 is near")


# Reading


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("Q", "1 -1 2.5; 3 1 -2", "Q: 2x3 given, 3x2 expected: it looks transposed"),
        ("Q", "1 3; -1 1", "Q: 2x2 given, 3x2 expected"),
        ("Q", "", "Q: is missing"),
        ("Q", "????", "Q: is missing"),
        ("Q", "1 3; -1 nan; 2.5 -2", "Q: row 2, column 2: `nan` is not a finite number"),
        ("Q", "1 3; -1 -inf; 2.5 -2", "Q: row 2, column 2: `-inf` is not a finite number"),
        ("Q", "1 3; -1 9^9^9; 2.5 -2", "Q: row 2, column 2: `9^9^9` is too large"),
        (
            "Q",
            "1 3; -1; 2.5 -2",
            "Q: the rows have different lengths (2, 1, 2): every row needs the same number of entries",
        ),
        ("Q", "I could not do it", "Q: `I could not do it` holds no number"),
        ("map", "0 0 1; 0 0 1; 0,62 0,38 0", "map: the rows have different lengths (3, 3, 3)"),
    ],
)
def test_what_cannot_be_read_is_told_in_the_basic_check_and_again_where_it_costs(
    problem_set: ProblemSet, name: str, text: str, sentence: str
) -> None:
    found = marks(problem_set, "3a", _3a=A | {name: text})
    check = "1-hidden" if name == "Q" else "3-hidden"
    if name == "map":  # commas and spaces mixed: three entries as it happens, one of them `62 0`
        sentence = "map: `0,62 0,38 0`: put commas or spaces between entries and not both, and write a decimal point"
    assert (found["0-basic"].outcome, found["0-basic"].message) == ("failed", sentence)
    assert sentence in found[check].message
    assert all(mark.outcome == "passed" for id, mark in found.items() if id not in ("0-basic", check))


def test_a_missing_step_costs_its_points_and_no_others(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a={name: text for name, text in A.items() if name != "scores"})
    assert earned(found) == {"0-basic": 0, "1-hidden": 1.5, "2-hidden": 0, "3-hidden": 1.5}
    assert found["0-basic"].message == found["2-hidden"].message == "scores: is missing"


def test_a_blank_answer_earns_nothing_and_says_so(problem_set: ProblemSet) -> None:
    assert set(messages(marks(problem_set, "3a"))) == {"3a is blank: nothing to mark"}


@pytest.mark.parametrize(
    "answer",
    ["1 3; -1 1", [["1", "3"]], "???", "x" * 90_000, "Q: " + "(" * 50_000, {"Q": {"Q": "1"}}, {"Q": [[["1"]]]}, []],
    ids=range(8),
)
def test_no_answer_is_a_fault_of_ours(problem_set: ProblemSet, answer: RawAnswer) -> None:
    found = marks(problem_set, "3a", _3a=answer)
    assert all(mark.outcome == "failed" and mark.message for mark in found.values())


def test_an_answer_without_names_is_told_how_to_name(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a="1 3; -1 1; 2.5 -2")
    assert found["0-basic"].message.startswith(
        "several things are asked for (Q, K, scores, map): give each by its name, such as Q: ..."
    )


def test_a_name_that_is_not_asked_for_is_told_with_the_nearest(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a={"Q": A["Q"], "K": A["K"], "score": A["scores"], "map": A["map"]})
    assert "`score` is not asked for here; did you mean `scores`?" in found["0-basic"].message
    assert "scores: is missing" in found["0-basic"].message


# The basic check of a map


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("0 0 0; 0 0 0; 1 1 1", "rows sum to 1 along the wrong axis: softmax was taken over queries"),
        ("0 0.1 0.9; 0 0 1; 0.5 0.2 0.1", "row 3 sums to 0.80: the weights of a row sum to 1"),
        ("0 0 1; 0 0 1; 1.2 -0.2 0", "a weight lies between 0 and 1; these do not"),
        ("0 0 1; 0 0 1; 0 0 2", "a weight lies between 0 and 1; these do not"),
        ("0 0 1; 0 0 1; 0.62 0.39 0", ""),
        ("0 0 1; 0 0 1.01; 0.62 0.38 0", ""),
        ("0.33 0.33 0.33; 0 0 1; 0 0 1", ""),
    ],
)
def test_rows_of_weights_are_looked_at_without_the_key(problem_set: ProblemSet, rows: str, sentence: str) -> None:
    found = marks(problem_set, "3a", _3a=A | {"map": rows})["0-basic"]
    assert found.message == (f"map: {sentence}" if sentence else "")


VECTOR = """\
question: 3a
kind: numeric
title: One row of a map
prompt: Compute the weights of the first token.
answers:
  weights: {shape: [3], rows_sum_to_one: true}
checks:
  3a-0-basic: {title: the weights sum to 1, points: 1}
"""


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("0.2 0.3 0.5", ""),
        ("0.2 0.3 0.1", "weights: row 1 sums to 0.6000: the weights of a row sum to 1"),
        ("1 1 1", "weights: row 1 sums to 3.0000: the weights of a row sum to 1"),
    ],
)
def test_a_vector_of_weights_is_one_row(tmp_path: Path, weights: str, message: str) -> None:
    folder = copied(tmp_path)
    for id in NUMERIC:
        (folder / f"{id}.yaml").unlink()
    (folder / "3a.yaml").write_text(VECTOR)
    assert marks(load(folder), "3a", _3a=weights)["0-basic"].message == message


# Misconceptions, computed here once more with numpy alone


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def text(matrix: np.ndarray) -> str:
    return "; ".join(" ".join(f"{entry:.2f}" for entry in row) for row in np.round(matrix, 2))


def given(problem_set: ProblemSet, id: str) -> list[np.ndarray]:
    spec = problem_set.question(id).spec.given
    names = ("X", "X", "W_Q", "W_K", "W_V") if "X" in spec else ("X1", "X2", "W_Q", "W_K", "W_V")
    return [np.array(spec[name], dtype=float) for name in names]


def wrong_work(problem_set: ProblemSet, id: str, misconception: str) -> dict[str, str]:
    X1, X2, W_Q, W_K, W_V = given(problem_set, id)
    if misconception == "keys_and_queries_swapped":
        W_Q, W_K = W_K, W_Q
    Q, K, V = X1 @ W_Q, X2 @ W_K, X2 @ W_V
    scores = K @ Q.T if misconception == "transposed_scores" else Q @ K.T
    logits = scores / np.sqrt(2) if misconception == "scaled" else scores
    if misconception == "later_tokens_hidden":
        logits = np.where(np.triu(np.ones(scores.shape), k=1) > 0, -1e9, scores)
    weights = softmax(logits, axis=0 if misconception == "softmax_over_queries" else -1)
    weights = {
        "softmax_forgotten": scores,
        "largest_takes_all": softmax(1e9 * scores),
    }.get(misconception, weights)
    work = {"Q": Q, "K": K, "scores": scores, "map": weights, "V": V}
    if weights.shape == (len(X1), len(X2)):
        mixed = weights.T if misconception == "map_transposed" else weights
        work["output"] = mixed @ (X2 if misconception == "values_forgotten" else V)
    return {name: text(matrix) for name, matrix in work.items()}


NAMED = [
    ("3a", "map", "scaled", "the scores were divided by sqrt(d_k), and this question says not to scale"),
    ("3a", "map", "softmax_over_queries", "softmax was taken over queries, down the columns"),
    ("3a", "scores", "transposed_scores", "the scores are K Q^T, with keys in the rows"),
    ("3a", "Q", "keys_and_queries_swapped", "keys and queries are swapped"),
    ("3a", "K", "keys_and_queries_swapped", "keys and queries are swapped"),
    ("3a", "map", "later_tokens_hidden", "later tokens were masked out, as in a decoder"),
    ("3a", "map", "largest_takes_all", "that is argmax, softmax gives every token a weight"),
    ("3a", "map", "softmax_forgotten", "the softmax of each row is still to be taken"),
    ("3b", "output", "values_forgotten", "the map was applied to the input tokens themselves: multiply them by W_V"),
    ("3b", "output", "map_transposed", "the map was transposed before it met the values"),
    ("4a", "map", "scaled", "the scores were divided by sqrt(d_k)"),
    ("4a", "map", "softmax_over_queries", "softmax was taken over queries"),
    ("4a", "scores", "transposed_scores", "4x2 given, 2x4 expected: it looks transposed. the scores are K Q^T"),
    ("4a", "map", "largest_takes_all", "that is argmax"),
    ("4a", "map", "softmax_forgotten", "the softmax of each row is still to be taken"),
    ("4b", "output", "values_forgotten", "2x2 given, 2x4 expected. the map was applied to the input tokens"),
]


@pytest.mark.parametrize(("id", "name", "misconception", "sentence"), NAMED)
def test_a_misconception_is_named(
    problem_set: ProblemSet, id: str, name: str, misconception: str, sentence: str
) -> None:
    work = wrong_work(problem_set, f"{id[0]}a", misconception)
    answers = {
        f"_{each}": {step: work[step] for step in problem_set.question(each).spec.answers} for each in (f"{id[0]}a", id)
    }
    check = next(check for check, spec in problem_set.question(id).spec.checks.items() if name in spec.grades)
    found = marks(problem_set, id, **answers)[check.split("-", 1)[1]]
    line = next(line for line in found.message.splitlines() if line.startswith(f"{name}: "))
    assert sentence in line
    assert "do not follow" not in line  # the sentence stands instead of a list of entries


def test_scaling_is_named_where_it_was_forgotten_too(tmp_path: Path) -> None:
    folder = copied(
        tmp_path,
        **{
            "3a": (
                "options: {scaled: false}\n  published:\n    Q: [[1, 3], [-1, 1], [2.5, -2]]",
                "options: {scaled: true}\n  published:\n    Q: [[1, 3], [-1, 1], [2.5, -2]]",
            )
        },
    )
    path = folder / "3a.yaml"
    path.write_text(path.read_text().replace("    - scaled\n", "    - unscaled\n"))
    found = marks(
        load(folder),
        "3a",
        _3a=A | {"map": text(softmax(np.array([[1.5, -2.5, 8], [-3.5, -3.5, 6], [8.5, 8, -13.25]])))},
    )
    assert found["3-hidden"].message == "map: the scores were not divided by sqrt(d_k)"


def test_a_misconception_is_looked_for_in_what_the_student_went_on_from(problem_set: ProblemSet) -> None:
    scores = np.array([[1.5, -2.5, 7], [-3.5, -3.5, 6], [8.5, 7.7, -13.25]])  # two slips
    own = A | {"scores": text(scores), "map": text(softmax(scores / np.sqrt(2)))}
    found = marks(problem_set, "3a", _3a=own)
    assert found["3-hidden"].message.startswith("map: the scores were divided by sqrt(d_k)")


def test_a_transposed_square_is_called_so(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a=A | {"map": "0 0 0.62; 0 0 0.38; 1 1 0"})
    assert found["3-hidden"].message == "map: this is the transpose of what is asked for"


# Wrong numbers


def test_one_wrong_entry_is_placed_and_called_the_first_step_that_goes_wrong(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a=A | {"Q": "1 3; -1 7; 2.5 -2"})
    assert (found["1-hidden"].outcome, float(found["1-hidden"].earned)) == ("partial", 0.75)
    assert found["1-hidden"].message == (
        "Q: row 2, column 2 does not follow from the numbers given; this is the first step that goes wrong"
    )


def test_four_wrong_entries_are_counted_and_all_are_called_all(problem_set: ProblemSet) -> None:
    some = marks(problem_set, "3a", _3a=A | {"Q": "11 13; -11 17; 2.5 -2"})["1-hidden"].message
    assert some.startswith("Q: row 1, column 1; row 1, column 2; row 2, column 1 and 1 more do not follow from")
    every = marks(problem_set, "3a", _3a=A | {"Q": "11 13; -11 17; 12.5 -12"})["1-hidden"].message
    assert every.startswith("Q: all entries do not follow from the numbers given")


def test_near_is_told_apart_from_wrong(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a=A | {"map": "0 0 1; 0 0 1; 0.63 0.37 0"})["3-hidden"]
    assert found.message == (
        "map: row 3, column 1; row 3, column 2 are near, but no rounding to 2 decimals leads there: "
        "do the sum again, and round at the end of each step"
    )
    one = marks(problem_set, "3b", _3a=A, _3b=B | {"output": "-2 -3; -2 -3; 1.17 0.22"})["2-hidden"]
    assert one.message.startswith("output: row 3, column 2 is near, but no rounding to 2 decimals leads there")


def test_two_steps_that_the_givens_lead_to_are_each_blamed_on_the_givens(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a=A | {"Q": "1 3; -1 7; 2.5 -2", "K": "3 -0.5; 2 -1.5; -2.5 9"})
    assert found["1-hidden"].message.splitlines() == [
        "Q: row 2, column 2 does not follow from the numbers given; this is the first step that goes wrong",
        "K: row 3, column 2 does not follow from the numbers given",
    ]
    values = marks(problem_set, "3b", _3a=A, _3b=B | {"V": "2.5 -1.5; -1 3; -2 -7"})["1-hidden"]
    assert values.message == (
        "V: row 3, column 2 does not follow from the numbers given; this is the first step that goes wrong"
    )


# Follow-through


def test_a_wrong_q_costs_its_own_points_once_and_the_messages_say_so(problem_set: ProblemSet) -> None:
    Q, K = np.array([[1, 3], [-1, 1], [2.5, 2]]), np.array([[3, -0.5], [2, -1.5], [-2.5, 3.5]])  # a lost minus sign
    scores = Q @ K.T
    own = A | {"Q": text(Q), "scores": text(scores), "map": text(softmax(scores))}
    found = marks(problem_set, "3a", _3a=own)
    assert earned(found) == {"0-basic": 0.5, "1-hidden": 0.75, "2-hidden": 1.5, "3-hidden": 1.5}
    assert found["2-hidden"].message == "scores: right, judged from your own Q"
    assert found["3-hidden"].message == "map: right, judged from your own Q"


def test_3b_is_judged_from_the_students_own_map_of_3a(problem_set: ProblemSet) -> None:
    own = A | {"map": "0 0 1; 0 0 1; 0.5 0.5 0"}
    output = "-2 -3; -2 -3; 0.75 0.75"
    found = marks(problem_set, "3b", _3a=own, _3b=B | {"output": output})
    assert found["2-hidden"].outcome == "passed"
    assert found["2-hidden"].message == "output: right, judged from your own map in 3a"
    alone = marks(problem_set, "3b", _3a=A, _3b=B | {"output": output})["2-hidden"]
    assert alone.message == (
        "output: row 3, column 1; row 3, column 2 do not follow from the steps before; "
        "this is the first step that goes wrong"
    )


def test_what_follows_from_nothing_of_the_students_is_wrong_with_the_steps_it_was_judged_from(
    problem_set: ProblemSet,
) -> None:
    own = A | {"map": "0 0 1; 0 0 1; 0.5 0.5 0"}
    found = marks(problem_set, "3b", _3a=own, _3b={"V": "2.5 -1.5; -1 3; -2 -7", "output": "-2 -3; -2 -3; 9 9"})
    assert found["2-hidden"].message == (
        "output: row 3, column 1; row 3, column 2 do not follow from your own map in 3a and V"
    )


def test_a_wrong_output_of_cross_attention_is_told_though_some_misconceptions_lead_nowhere(
    problem_set: ProblemSet,
) -> None:
    work = wrong_work(problem_set, "4a", "none")
    assert {mark.outcome for mark in marks(problem_set, "4a", _4a={k: work[k] for k in A}).values()} == {"passed"}
    answers = {"_4a": {name: work[name] for name in A}, "_4b": {"V": work["V"], "output": "9 9 9 9; 9 9 9 9"}}
    found = marks(problem_set, "4b", **answers)["2-hidden"]
    assert found.message.startswith("output: all entries do not follow from the steps before")


def test_a_huge_wrong_step_breaks_nothing_after_it(problem_set: ProblemSet) -> None:
    found = marks(
        problem_set, "3a", _3a=A | {"Q": "1e15 -1e15; 1e15 1e15; 1e15 1e15", "scores": "1e15 0 0; 0 0 0; 0 0 0"}
    )
    assert [mark.outcome for mark in found.values()] == ["passed", "partial", "failed", "passed"]


def test_staff_read_what_was_given_and_what_the_key_says(problem_set: ProblemSet) -> None:
    detail = marks(problem_set, "3a", _3a=A | {"map": "0 0 1; 0 0 1; 0.63 0.37 0"})["3-hidden"].detail["answers"]["map"]
    assert detail["verdict"] == "wrong"
    assert detail["given"][2] == [0.63, 0.37, 0]
    assert detail["key"]["exact"][2] == pytest.approx([0.6225, 0.3775, 0], abs=1e-4)
    assert detail["key"]["low"][2] == pytest.approx([0.62, 0.3775, 0], abs=1e-3)


# What is wrong with the content of a question


def proof(problem_set: ProblemSet, id: str) -> list[str]:
    return [complaint.message for complaint in numeric.prove(problem_set.question(id), problem_set)]


@pytest.mark.parametrize("id", NUMERIC)
def test_the_real_questions_are_proved(problem_set: ProblemSet, id: str) -> None:
    assert proof(problem_set, id) == []


@pytest.mark.parametrize(
    ("id", "old", "new", "complaints"),
    [
        (
            "3a",
            "map: [[0, 0, 1], [0, 0, 1], [0.62, 0.38, 0]]",
            "map: [[0, 0, 1], [0, 0, 1], [0.64, 0.38, 0]]",
            [
                "`map` at 3, 1: 0.64 is published, 0.62 to 0.622459 can be computed: "
                "mend `given`, or say why under `erratum`"
            ],
        ),
        (
            "3a",
            "map: [[0, 0, 1], [0, 0, 1], [0.62, 0.38, 0]]",
            "map: [[0, 0, 1], [0, 0, 1]]",
            ["`map` is published as 2x3, computed as 3x3: mend `given`, or say why under `erratum`"],
        ),
        (
            "3a",
            "map: [[0, 0, 1], [0, 0, 1], [0.62, 0.38, 0]]",
            "weights: [[0, 0, 1]]",
            ["`weights` is no step of the reference"],
        ),
        ("3a", "Q: {shape: [3, 2]", "Q: {shape: [2, 3]", ["`Q` is computed as 3x2, `shape` says 2x3"]),
        (
            "3b",
            "V: {shape: [3, 2], also_called: [values]}",
            "V: {shape: [3, 2]}\n  values: {shape: [3, 2]}",
            ["`values` is no step of the reference, which has Q, K, scores, map, V, output"],
        ),
        (
            "3a",
            "W_Q: [[0, 1], [1, 0], [-0.5, 0], [1, 1]]",
            "W_Q: [[0, 1], [1, 0], [-0.5, 0]]",
            ["the reference cannot compute with these numbers: "],
        ),
    ],
)
def test_a_slip_in_a_question_is_found(tmp_path: Path, id: str, old: str, new: str, complaints: list[str]) -> None:
    found = proof(load(copied(tmp_path, **{id: (old, new)})), id)
    assert len(found) == len(complaints)
    assert all(message.startswith(complaint) for message, complaint in zip(found, complaints, strict=True))


def test_an_erratum_answers_for_a_published_value(tmp_path: Path) -> None:
    folder = copied(tmp_path, **{"3a": ("[0.62, 0.38, 0]]", "[0.64, 0.38, 0]]\n  erratum: the course's slip")})
    assert proof(load(folder), "3a") == []


def test_a_misconception_that_changes_nothing_is_found(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    path = folder / "4a.yaml"
    written = path.read_text()
    # With the same weights for queries and keys, and the same tokens, swapping them is no mistake at all.
    path.write_text(
        written.replace("X1: [[-1, 1, 0], [0, 1, 0]]", "X1: [[-1, 1], [0, 1]]")
        .replace("W_Q: [[0, -1], [1, 1], [-1, 0]]", "W_Q: [[1, 0], [-1, 1]]")
        .replace("[scaled, softmax_over_queries,", "[keys_and_queries_swapped, scaled, softmax_over_queries,")
    )
    assert proof(load(folder), "4a") == [
        "`keys_and_queries_swapped` fails no hidden check: these numbers do not tell it from the right way"
    ]


def test_a_misconception_that_another_hides_is_found(tmp_path: Path) -> None:
    folder = copied(tmp_path, **{"3b": ("[values_forgotten, map_transposed]", "[values_forgotten, scaled]")})
    (complaint,) = proof(load(folder), "3b")
    assert complaint.startswith("`scaled` ")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "reference: attention.self_attention",
            "reference: attention.self_atention",
            "reference/attention.py has no function `self_atention`; did you mean `self_attention`?",
        ),
        (
            "reference: attention.self_attention",
            "reference: atention.self_attention",
            "there is no reference/atention.py",
        ),
        ("    - scaled\n", "    - skaled\n", "has no function `skaled`; did you mean `scaled`?"),
        ("  W_V: [[1, 0.5]", "  W_W: [[1, 0.5]", "`self_attention` does not fit `given` and `options`: "),
        (
            "options: {scaled: false}",
            "options: {skaled: false}",
            "`self_attention` does not fit `given` and `options`: ",
        ),
        ("  reference: attention.self_attention\n", "", "`key.reference` is missing: name a function of reference/"),
    ],
)
def test_a_reference_that_is_not_there_or_does_not_fit_is_told_with_its_line(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    problem_set = load(copied(tmp_path, **{"3a": (old, new)}))
    with pytest.raises(SpecError) as caught:
        list(numeric.prove(problem_set.question("3a"), problem_set))
    (told,) = caught.value.complaints
    assert complaint in told.message
    assert told.path.name == "3a.yaml"
    assert told.line > 15


def test_a_question_without_a_key_is_told_so(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    path = folder / "3a.yaml"
    path.write_text(path.read_text().partition("key:")[0])
    assert proof(load(folder), "3a") == ["`key` is missing: without it nothing hidden can be graded"]


# What a student may try who has no working


def test_a_map_that_nothing_constrains_does_not_follow(problem_set: ProblemSet) -> None:
    huge = "1000 900; 1000 1100; 900 1000"
    answer = {"Q": huge, "K": huge, "scores": "x", "map": "0.5 0.5 0; 1 0 0; 0.1 0.2 0.7"}
    assert earned(marks(problem_set, "3a", _3a=answer))["3-hidden"] == 0
    then = marks(problem_set, "3b", _3a=answer, _3b=B | {"output": "0.75 0.75; 2.5 -1.5; -1.35 -1.65"})
    assert earned(then)["2-hidden"] == 1, "the map itself is wrong and says something: the output is judged from it"


def test_nothing_follows_from_a_step_that_is_one_number_throughout(problem_set: ProblemSet) -> None:
    zeros = {"Q": "0 0; 0 0; 0 0", "K": "0 0; 0 0; 0 0", "scores": "0 0 0; 0 0 0; 0 0 0"}
    found = marks(problem_set, "3a", _3a=zeros | {"map": "0.33 0.33 0.33; 0.33 0.33 0.33; 0.33 0.33 0.33"})
    assert earned(found) == {"0-basic": 0.5, "1-hidden": 0, "2-hidden": 0, "3-hidden": 0}


def test_no_misconception_is_blamed_that_says_anything(problem_set: ProblemSet) -> None:
    tied = {"Q": "10 10; 10 10; 10 10", "K": "10 10; 10 10; 10 10", "scores": "200 200 200; 200 200 200; 200 200 200"}
    found = marks(problem_set, "3a", _3a=tied | {"map": "0.2 0.3 0.5; 0.33 0.33 0.34; 0.1 0.1 0.8"})
    assert not any("argmax" in line for line in messages(found))


def test_a_comma_for_a_point_is_told_and_not_read_as_two_numbers(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a=A | {"Q": "1 3; -1 1; 2,5 -2"})
    assert "Q: `2,5 -2`: put commas or spaces between entries and not both, and write a decimal point" in messages(
        found
    )


def test_a_quantity_that_is_given_twice_is_told(problem_set: ProblemSet) -> None:
    found = marks(problem_set, "3a", _3a=A | {"queries": "0 0; 0 0; 0 0"})
    assert "Q is given twice, the second time as `queries`: keep one" in messages(found)


def test_a_table_of_markdown_is_a_matrix(problem_set: ProblemSet) -> None:
    table = "\n|  |  |\n|---|---|\n| 1 | 3 |\n| -1 | 1 |\n| 5/2 | -2 |"
    assert earned(marks(problem_set, "3a", _3a=A | {"Q": table}))["1-hidden"] in (0, 1.5)
    plain = "| 1 | 3 |\n|:--|--:|\n| -1 | 1 |\n| 5/2 | -2 |"
    assert earned(marks(problem_set, "3a", _3a=A | {"Q": plain}))["1-hidden"] == 1.5


@pytest.mark.parametrize(
    ("options", "misconceptions"),
    [
        ("{scaled: true}", "[unscaled, softmax_over_queries]"),
        ("{scaled: false, causal: true}", "[later_tokens_seen, scaled]"),
        ("{scaled: false, temperature: 2}", "[softmax_over_queries, scaled]"),
    ],
)
def test_misconceptions_go_with_every_option_of_the_reference(
    tmp_path: Path, options: str, misconceptions: str
) -> None:
    folder = copied(tmp_path)
    path = folder / "4a.yaml"
    text = path.read_text().replace("attention.cross_attention", "attention.self_attention")
    text = text.replace("  X1: [[-1, 1, 0], [0, 1, 0]]\n", "").replace(
        "X2: [[-1, 1], [0, 1], [1, 1], [2, 0]]", "X: [[-1, 1], [0, 2], [1, 1]]"
    )
    text = (
        text.replace("[[0, -1], [1, 1], [-1, 0]]", "[[0, -1], [1, 1]]")
        .replace("[2, 2]", "[3, 2]")
        .replace("[4, 2]", "[3, 2]")
    )
    text = text.replace("[2, 4]", "[3, 3]").replace("{scaled: false}", options)
    text = text[: text.index("  misconceptions:")] + f"  misconceptions: {misconceptions}\n"
    if "scaled: true" in options:
        text = text.replace("  scores: {shape", "  scaled: {shape: [3, 3]}\n  scores: {shape").replace(
            "grades: [scores]", "grades: [scores, scaled]"
        )
    path.write_text(text)
    (folder / "4b.yaml").unlink()
    loaded = load(folder)
    assert [each.message for each in numeric.prove(loaded.question("4a"), loaded)] == []
