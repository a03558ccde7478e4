"""The set dl-final-2025: what its keys compute, where the published key is wrong, and what rubrics suggest."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
import torch

import grader
from graders import numeric, short_answer
from graders.authoring.audit import audit, errata
from graders.authoring.public import found_in, secrets_of
from graders.authoring.release import blank_answers, release
from graders.authoring.versions import version_of
from graders.computation import computation_of
from graders.intervals import Interval, Rounding
from graders.kinds import spec_models
from graders.softmax_range import log_range
from harness.errors import SpecError
from harness.home import Home
from harness.model import Mark, ProblemSet, RawAnswer, Submission
from harness.spec import load_problem_set
from reference import decoder_misconceptions, final_exam
from reference.attention import future, softmax
from reference.convnet import two_blocks
from reference.decoder import log, sequence_loss
from reference.steps import run

ROOT = Path(__file__).resolve().parents[1]
FINAL = "dl-final-2025"
EXAMPLES = ROOT / "submissions/examples" / FINAL
KEY = dict(zip([f"1.{number}" for number in range(1, 9)], "ABABCBCC", strict=True))
SHORT = ("2.1", "2.2", "2.3", "3.1.1", "3.2.1", "3.2.5")

W = np.array([[0, 3], [1, 2], [2, 1], [3, 0]], dtype=np.float64)
GIVEN = {
    "tokens": np.array([4, 1, 1, 5, 1, 4, 6], dtype=np.float64),
    "targets": np.array([1, 4, 6], dtype=np.float64),
    "E": np.vstack([np.eye(4), np.zeros((2, 4))]),
    **dict.fromkeys(("W_Q", "W_K", "W_V"), W),
    "W_O": np.array([[0, 1, 0, 1], [1, 0, 1, 0]], dtype=np.float64),
}


@pytest.fixture(scope="module")
def final() -> ProblemSet:
    return load_problem_set(ROOT / "problems" / FINAL, spec_models())


def marks(final: ProblemSet, id: str, **answers: RawAnswer) -> dict[str, Mark]:
    """The marks of one question, by the number of the check; `_3_2_2` is the answer to 3.2.2."""
    given = {name.lstrip("_").replace("_", "."): answer for name, answer in answers.items()}
    report = grader.grade(final, Submission("s", "", Path(), given), final.question(id).checks)
    assert report.faults == ()
    return {mark.check.id.removeprefix(f"{id}-"): mark for mark in report.marks}


def example(final: ProblemSet, case: str, id: str) -> RawAnswer:
    from harness.submissions import open_submission

    with open_submission(EXAMPLES / case, [question.id for question in final.questions]) as submission:
        return submission.answers[id]


# The set


def test_a_number_selects_the_part_and_an_id_the_question(capsys: pytest.CaptureFixture[str]) -> None:
    def listed(*names: str) -> list[str]:
        assert grader.main([*names, "--list", "--set", FINAL]) == 0
        return [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]

    assert {id.split("-")[0] for id in listed("1")} == set(KEY)
    assert listed("1.1") == ["1.1-0-basic", "1.1-1-hidden"]
    assert {id.split("-")[0] for id in listed("3.2")} == {f"3.2.{number}" for number in range(1, 6)}


def test_the_starter_is_the_hand_in_of_the_bundle(final: ProblemSet) -> None:
    assert (EXAMPLES / "starter/submission/answers.yaml").read_text() == blank_answers(final)


def test_every_wrong_option_of_every_choice_is_handed_in_by_an_example(final: ProblemSet) -> None:
    for letter in "ABCD":
        for id in KEY:
            assert example(final, f"all-{letter.lower()}", id) == letter


@pytest.mark.parametrize("version", "ABC")
def test_no_release_of_any_version_holds_a_key(final: ProblemSet, tmp_path: Path, version: str) -> None:
    printed = version_of(final, version)
    release(Home(ROOT, None, None), printed, tmp_path / "bundle")
    assert list(found_in(tmp_path / "bundle", secrets_of(printed))) == []


# Choices


@pytest.mark.parametrize("id", [id for id in KEY if id not in ("1.5", "1.7", "1.8")])
def test_a_choice_that_can_be_computed_is_proved(final: ProblemSet, id: str) -> None:
    key = final.question(id).spec.key
    truths = getattr(final_exam, key.proof.partition(".")[2])()
    assert [letter for letter, truth in truths.items() if truth == key.asks] == [KEY[id]] == list(key.answer)


@pytest.mark.parametrize(
    ("id", "wrong", "says"),
    [
        ("1.1", "B", "option A must be in the key: `final_exam.temperature_limits` finds it false"),
        ("1.2", "A", "option A must not be in the key: `final_exam.separable_logistic_loss` finds it false"),
        ("1.3", "C", "option A must be in the key: `final_exam.infinity_norm_gradient` finds it true"),
        ("1.4", "C", "option C must not be in the key: `final_exam.strided_convolution` finds it false"),
        ("1.6", "A", "option B must be in the key: `final_exam.recurrent_update` finds it true"),
    ],
)
def test_audit_finds_a_wrong_key_by_computing(project: Path, id: str, wrong: str, says: str) -> None:
    path = project / "problems" / FINAL / f"{id}.yaml"
    path.write_text(path.read_text().replace(f"  answer: {KEY[id]}\n", f"  answer: {wrong}\n"))
    found = audit(Home(project, None, None), path.parent, grader.grade)
    assert says in [each.message for each in found if each.path == path]


def test_a_letter_in_markdown_stands_below_its_heading(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "answers.md").write_text("## 1.1\n\nA\n\n## Question 1.2\n\n(b)\n\n## 1.4: the size\n\n**B**\n")
    grader.main(["--set", FINAL, "1.1", "1.2", "1.4", "--submission", str(tmp_path)])
    assert "earned:       12 of 12" in capsys.readouterr().out


def test_marking_choices_imports_no_torch_and_runs_no_proof() -> None:
    program = (
        "import sys, grader; grader.main(['1', '--set', 'dl-final-2025', '--submission', "
        "'submissions/examples/dl-final-2025/perfect', '--format', 'json', '--output', '/tmp/gradecheck-mcq.json']); "
        "print({'torch', 'reference.final_exam'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout == "set()\n", ran.stderr


# Numbers


def test_the_loss_is_the_published_one_and_the_two_heads_are_not() -> None:
    assert run(sequence_loss(**GIVEN))["loss"] == pytest.approx(4.2114, abs=5e-5)
    two = run(sequence_loss(**{**GIVEN, "W_O": np.eye(4)}, heads=2))
    assert two["loss"] == pytest.approx(10.2114, abs=5e-5)
    assert two["R"][0].tolist() == [3, 0, 3, 0]  # Z beside itself; the old W_O made 0 3 0 3 of it


def test_under_shifted_teacher_forcing_the_loss_would_be_another() -> None:
    assert run(decoder_misconceptions.shifted(**GIVEN))["loss"] == pytest.approx(8.7973, abs=5e-5)


@pytest.mark.parametrize("heads", [1, 2])
def test_torch_finds_the_same_losses(heads: int) -> None:
    W_O = GIVEN["W_O"] if heads == 1 else np.eye(4)
    X = torch.tensor(GIVEN["E"])[[3, 0, 0, 4, 0, 3, 5]]
    scores = (X @ torch.tensor(W)) @ (X @ torch.tensor(W)).T + torch.tensor(future(7, 7))
    largest = (scores == scores.max(dim=-1, keepdim=True).values).double()
    Z = largest / largest.sum(dim=-1, keepdim=True) @ (X @ torch.tensor(W))
    logits = torch.cat([Z] * heads, dim=-1) @ torch.tensor(W_O) @ torch.tensor(GIVEN["E"]).T
    loss = torch.nn.functional.cross_entropy(logits[-3:], torch.tensor([0, 3, 5]), reduction="sum")
    assert run(sequence_loss(**{**GIVEN, "W_O": W_O}, heads=heads))["loss"] == pytest.approx(loss.item(), abs=1e-12)


def test_the_argmax_hides_queries_and_keys_from_the_gradient_but_not_the_values() -> None:
    """The erratum of 3.2.5: that W_V never changes is not explained by the argmax."""
    X = torch.tensor(GIVEN["E"])[[3, 0, 0, 4, 0, 3, 5]]
    gradients: dict[str, dict[str, float]] = {}
    for name, weigh in {
        "argmax": lambda scores: (
            (scores == scores.max(-1, keepdim=True).values).double() + 0 * scores.nan_to_num(0, 0, 0)
        ),
        "softmax": lambda scores: torch.softmax(scores / 2**0.5, -1),
    }.items():
        weights = {each: torch.tensor(W, requires_grad=True) for each in ("Q", "K", "V")}
        scores = (X @ weights["Q"]) @ (X @ weights["K"]).T + torch.tensor(future(7, 7))
        weighed = weigh(scores)
        Z = weighed / weighed.sum(-1, keepdim=True) @ (X @ weights["V"])
        logits = (Z @ torch.tensor(GIVEN["W_O"]) @ torch.tensor(GIVEN["E"]).T)[-3:]
        torch.nn.functional.cross_entropy(logits, torch.tensor([0, 3, 5])).backward()
        gradients[name] = {each: float(weight.grad.abs().max()) for each, weight in weights.items()}
    assert gradients["argmax"]["Q"] == gradients["argmax"]["K"] == 0 < gradients["argmax"]["V"]
    assert min(gradients["softmax"].values()) > 0


def test_torch_counts_the_same_parameters() -> None:
    counts = run(two_blocks(np.array([8.0, 16.0]), np.array([[5.0, 5.0], [4.0, 4.0]]), np.array([1.0, 8.0])))
    layers = {
        "conv_1": torch.nn.Conv2d(1, 8, 5),
        "avgpool_1": torch.nn.AvgPool2d(4),
        "conv_2": torch.nn.Conv2d(8, 16, 4, padding=1),
        "avgpool_2": torch.nn.AvgPool2d(2),
    }
    assert counts == {name: sum(each.numel() for each in layer.parameters()) for name, layer in layers.items()}


def test_the_logarithm_of_an_interval_is_the_interval_of_logarithms() -> None:
    rounding = Rounding(4, every_step=True)
    reached = log(Interval(np.array([0.5, -0.1]), np.array([1.0, 0.0]), rounding))
    assert reached.high.tolist() == [0, -np.inf] and reached.low[0] == np.log(0.5)
    assert log_range is log.dispatch(Interval)


def test_equal_largest_scores_share_at_zero_temperature() -> None:
    assert softmax(np.array([[5.0, -2.0, 5.0, 0.0]]), 0).tolist() == [[0.5, 0, 0.5, 0]]


# The published key


def test_audit_notes_every_fault_of_the_published_key_that_can_be_computed() -> None:
    told = "\n".join(f"{each.path.name}: {each.message}" for each in errata(ROOT / "problems" / FINAL))
    for fault in (
        "3.2.2.yaml: `scores` is published as 7x8, computed as 7x7",
        "3.2.2.yaml: `map` is published as 7x8, computed as 7x7",
        "3.2.3.yaml: `R` is published as 6x4, computed as 7x4",
        "3.2.4.yaml: `loss`: 4.2114 is published, 10.2",
        "the loss would be 8.7973",
        "W_V has a gradient",
    ):
        assert fault in told
    assert "`loss`: 4.2114 is published, 4" not in told


def test_notes_are_printed_and_are_no_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert grader.main(["audit", FINAL]) == 0
    out = capsys.readouterr().out
    assert out.count("note: ") >= 10 and out.endswith(f"{FINAL}: proved\n")


@pytest.mark.parametrize("id", ["3.2.2", "3.2.3", "3.2.4"])
def test_without_its_erratum_a_misprint_is_a_fault(final: ProblemSet, id: str) -> None:
    question = final.question(id)
    spec = question.spec.model_copy(update={"key": question.spec.key.model_copy(update={"erratum": None})})
    found = list(numeric.prove(_with(question, spec), final))
    assert found and all("say why under `erratum`" in each.message for each in found)


def _with(question: object, spec: object) -> object:
    from dataclasses import replace

    return replace(question, spec=spec)  # type: ignore[type-var]


def test_a_published_value_is_accepted_and_flagged(final: ProblemSet) -> None:
    loss = marks(final, "3.2.4", _3_2_4={"loss": "4.2114"})["3-hidden"]
    assert (loss.outcome, loss.message) == (
        "passed",
        "loss: this is what was published; it is accepted, though an erratum corrects it",
    )
    assert loss.detail["answers"]["loss"]["verdict"] == "published"
    right = marks(final, "3.2.4", _3_2_4={"loss": "10.2114"})["3-hidden"]
    assert (right.outcome, right.message) == ("passed", "")
    assert marks(final, "3.2.4", _3_2_4={"loss": "5"})["3-hidden"].outcome == "failed"


def test_a_published_value_in_another_shape_is_accepted_too(final: ProblemSet) -> None:
    rows = "0 3 0 3; 3 0 3 0; 3/2 3/4 3/2 3/4; 3 0 3 0; 0 3 0 3; 9/7 6/7 9/7 6/7"
    assert marks(final, "3.2.3", _3_2_3={"R": rows})["2-hidden"].outcome == "passed"
    other = rows.replace("3/4", "1/4")
    assert marks(final, "3.2.3", _3_2_3={"R": other})["2-hidden"].outcome == "failed"


def test_where_it_is_not_accepted_a_published_value_is_wrong(final: ProblemSet) -> None:
    question = final.question("3.2.4")
    key = question.spec.key.model_copy(update={"accept_published": False})
    strict = _with(question, question.spec.model_copy(update={"key": key}))
    submission = Submission("s", "", Path(), {"3.2.4": {"loss": "4.2114"}})
    checks = [check for check in question.checks if check.id == "3.2.4-3-hidden"]
    (mark,) = numeric.grade(strict, checks, final, submission)  # type: ignore[arg-type]
    assert mark.outcome == "failed"


def test_what_is_accepted_needs_an_erratum_that_says_why(project: Path) -> None:
    path = project / "problems" / FINAL / "3.2.4.yaml"
    path.write_text(path.read_text().split("  erratum:")[0] + "  accept_published: true\n")
    with pytest.raises(SpecError, match=r"3\.2\.4\.yaml:42: `erratum` is missing"):
        load_problem_set(path.parent, spec_models())


# Follow-through


def test_a_wrong_map_costs_its_points_once(final: ProblemSet) -> None:
    answers = {f"_3_2_{number}": example(final, "not-causal", f"3.2.{number}") for number in (2, 3)}
    assert marks(final, "3.2.2", **answers)["3-hidden"].outcome == "failed"
    loss = marks(final, "3.2.3", **answers)
    assert {mark.outcome for mark in loss.values()} == {"passed"}
    assert loss["1-hidden"].message == "Z: right, judged from your own map in 3.2.2"


def test_the_computation_of_two_heads_has_the_new_projection(final: ProblemSet) -> None:
    assert run(computation_of(final.question("3.2.4"), final)())["loss"] == pytest.approx(10.2114, abs=5e-5)


# Short answers


def suggested(final: ProblemSet, id: str, answer: RawAnswer) -> Decimal:
    submission = Submission("s", "", Path(), {id: answer})
    found = short_answer.grade(final.question(id), final.question(id).checks, final, submission)
    return sum((mark.suggested for mark in found if mark.suggested is not None), start=Decimal(0))


@pytest.mark.parametrize("id", SHORT)
@pytest.mark.parametrize("case", ["perfect", "published-key"])
def test_a_right_answer_is_suggested_every_point(final: ProblemSet, case: str, id: str) -> None:
    possible = sum((check.points for check in final.question(id).checks), start=Decimal(0))
    assert suggested(final, id, example(final, case, id)) == possible


RIGHT = [
    (
        "2.1",
        "With few examples per batch each update is cheap but the gradient is a noisy estimate of the true "
        "one; that noise can help to escape poor local minima. With many examples the estimate is more "
        "accurate, but every step is slower and needs more memory on the GPU.",
    ),
    (
        "2.1",
        "Bigger batches use the parallelism of GPUs better and give gradients of lower variance, so a higher "
        "learning rate can be used; however they need much memory and each step costs more. Small batches act"
        " as a regularizer because of their noise and often generalize better.",
    ),
    (
        "2.2",
        "Both saturate: far from zero their derivative is almost 0, so in deep networks the gradients vanish."
        " ReLU has derivative 1 for all positive inputs and does not saturate there.",
    ),
    (
        "2.2",
        "The vanishing gradient problem, since the derivative of the sigmoid is at most 0.25 and gets "
        "multiplied through the layers. Use ReLU, whose gradient is constant for x greater than zero.",
    ),
    (
        "2.3",
        "A skip connection adds the input of a block to its output, y = x + F(x), so the signal can bypass "
        "the layers in between. Gradients can then flow directly to early layers, which avoids vanishing "
        "gradients in very deep networks.",
    ),
    (
        "2.3",
        "They pass the input of some layers around those layers and add it to their output. The block then "
        "only has to learn a residual, which is easier because the identity is the default.",
    ),
    (
        "3.1.1",
        "Pooling makes the network invariant to small translations, because only a summary of each "
        "neighbourhood is kept. Max pooling keeps just the strongest activation, whereas average pooling "
        "blends every activation in the window.",
    ),
    (
        "3.1.1",
        "It reduces the size of the feature maps and so the computation and memory of later layers, and "
        "enlarges the receptive field. Average pooling takes the mean, which smooths the features, while max "
        "pooling retains only the most salient one and ignores the rest.",
    ),
    (
        "3.2.1",
        "Yes. Sorting and deduplicating depend only on which symbols occur and not on their order: A D A and "
        "D A A both give A D. Self-attention without positional encodings sees an unordered set, so the model"
        " need not learn to ignore positions.",
    ),
    (
        "3.2.1",
        "Yes, it was wise because the order of the input symbols does not matter for the result. Attention "
        "without encodings is permutation invariant, and that is exactly the right bias for the task.",
    ),
    (
        "3.2.5",
        "Argmax is piecewise constant, so its derivative with respect to the scores is zero and W_Q and W_K "
        "get no update. With softmax the weights are a smooth function of the scores, so gradients flow and "
        "it can learn.",
    ),
    (
        "3.2.5",
        "The hard attention is not differentiable: its gradient is zero almost everywhere, so nothing is "
        "backpropagated to the queries and keys. Yes, softmax at temperature $\\sqrt{d}$ would help because it"
        " is differentiable.",
    ),
]


@pytest.mark.parametrize(("id", "answer"), RIGHT)
def test_a_right_answer_in_other_words_is_suggested_every_point(final: ProblemSet, id: str, answer: str) -> None:
    possible = sum((check.points for check in final.question(id).checks), start=Decimal(0))
    assert suggested(final, id, answer) == possible


WRONG = [
    (
        "2.1",
        "Small minibatches give more accurate gradients because they look at fewer examples, and they need "
        "more memory. Large minibatches are noisier, so they explore more and escape local minima.",
    ),
    (
        "2.1",
        "Small batches are slow to update and get stuck in minima; large batches have noisy gradients and use"
        " less memory, which makes them good.",
    ),
    (
        "2.1",
        "It depends on the data set and on the taste of the person who trains the model, so there are "
        "tradeoffs in the choice.",
    ),
    (
        "2.2",
        "They make gradients explode, because their outputs are unbounded. A good workaround is the softmax, "
        "which normalises the activations.",
    ),
    (
        "2.2",
        "They are slow to compute on a computer because of the exponential. A good workaround is a linear function.",
    ),
    (
        "2.3",
        "Skip connections randomly drop layers while the network is trained, which is a form of dropout and "
        "prevents overfitting.",
    ),
    ("2.3", "They stop gradients from flowing back to early layers, so that the network trains only its last layers."),
    (
        "3.1.1",
        "Pooling increases the resolution and adds learned weights so that the network gets more expressive. "
        "Max pooling smooths over all values of a patch, while average pooling picks the strongest one.",
    ),
    (
        "3.2.1",
        "No, it was a mistake, because a transformer needs positional encodings to know the order of the "
        "tokens, and order matters for a sequence.",
    ),
    (
        "3.2.1",
        "It was not wise: sorting is all about order, so positions are essential for the model to place the symbols.",
    ),
    (
        "3.2.5",
        "The learning rate is too small, so the matrices hardly move. Switching to softmax would not help, "
        "since the temperature only scales the scores.",
    ),
    (
        "3.2.5",
        "The gradients explode with the argmax and get clipped, so switching to the softmax does not change anything.",
    ),
]


@pytest.mark.parametrize(("id", "answer"), WRONG)
def test_the_opposite_in_the_right_words_is_suggested_nothing(final: ProblemSet, id: str, answer: str) -> None:
    assert suggested(final, id, answer) == 0


@pytest.mark.parametrize("id", SHORT)
def test_repeating_the_prompt_is_suggested_nothing(final: ProblemSet, id: str) -> None:
    assert suggested(final, id, final.question(id).prompt) == 0
