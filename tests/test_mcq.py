"""Choices: how letters are read, what they earn, what an author is told, and versions of an exam."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

import grader
from graders.authoring.public import found_in, secrets_of
from graders.authoring.release import paper, release
from graders.authoring.versions import version_of
from graders.kinds import spec_models
from graders.mcq import prove, read_choice
from harness.errors import SpecError, UsageError
from harness.home import Home
from harness.model import Mark, ProblemSet, RawAnswer, Submission
from harness.spec import load_problem_set

QUESTION = """\
question: "{id}"
kind: mcq
title: Colours
prompt: Which?
options:
  A: {id} red
  B: {id} green
  C: {id} blue
  D: {{text: none of these, fixed: true}}
checks:
  {id}-0-basic: {{title: one option, points: 0}}
  {id}-1-hidden: {{title: the colour, points: 4}}
key:
  answer: B
  why: Grass has this colour.
"""
SEVERAL = ("  answer: B\n", "  answer: [A, C]\n"), ("checks:", "choose: several\nchecks:")


def write(folder: Path, *edits: tuple[str, str], ids: tuple[str, ...] = ("1.1",)) -> Path:
    target = folder / "quiz"
    target.mkdir(parents=True, exist_ok=True)
    points = 4 * len(ids)
    (target / "problem-set.yaml").write_text(f"format: 1\nid: quiz\ntitle: Quiz\npoints: {points}\n")
    for id in ids:
        text = QUESTION.format(id=id)
        for old, new in edits:
            assert old in text
            text = text.replace(old, new, 1)
        (target / f"{id}.yaml").write_text(text)
    return target


def quiz(folder: Path, *edits: tuple[str, str], ids: tuple[str, ...] = ("1.1",)) -> ProblemSet:
    return load_problem_set(write(folder, *edits, ids=ids), spec_models())


def marks(problem_set: ProblemSet, answer: RawAnswer, id: str = "1.1") -> list[Mark]:
    report = grader.grade(problem_set, Submission("s", "", Path(), {id: answer}), problem_set.question(id).checks)
    assert report.faults == ()
    return list(report.marks)


def earned(problem_set: ProblemSet, answer: RawAnswer) -> float:
    return float(sum(mark.earned or 0 for mark in marks(problem_set, answer)))


def complaints(folder: Path, *edits: tuple[str, str]) -> list[str]:
    with pytest.raises(SpecError) as error:
        quiz(folder, *edits)
    return [f"{each.line}: {each.message}" for each in error.value.complaints]


# Reading


@pytest.mark.parametrize(
    "raw",
    [
        "B",
        "b",
        "b)",
        "(B)",
        "[B]",
        "B.",
        "B:",
        "option B",
        "Option (b)",
        "**B**",
        "$B$",
        "`B`",
        '"B"',
        "the answer is B",
        "Ｂ",
        "Ⓑ",
        "⒝",
        "𝐁",
        "B\u200b",
        "\ufeffB",
        "B B",
        "B, b",
        ["B"],
        ["b)"],
        [["B"]],
    ],
)
def test_a_letter_is_read_as_people_write_it(tmp_path: Path, raw: RawAnswer) -> None:
    basic, hidden = marks(quiz(tmp_path), raw)
    assert (basic.outcome, hidden.outcome, hidden.message) == ("passed", "passed", "")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("A or B", "A and B are 2 options, and one is asked for: keep one letter"),
        ("A and B", "A and B are 2 options, and one is asked for: keep one letter"),
        ("A, B, C", "A, B and C are 3 options, and one is asked for: keep one letter"),
        (["B", "A"], "B and A are 2 options, and one is asked for: keep one letter"),
        ("E", "there is no option E: there are A, B, C and D"),
        ("В", "this is a Cyrillic В: type a Latin B"),
        ("с", "this is a Cyrillic С: type a Latin C"),
        ("Β", "this is a Greek Β: type a Latin B"),
        ("Ᏼ", "this is a Cherokee Ᏼ: type a Latin B"),
        ("2", "`2` is not an option: write the letter alone, out of A, B, C and D"),
        ("B?", "`B?` is not an option: write the letter alone, out of A, B, C and D"),
        ("not A", "`NOT` is not an option: write the letter alone, out of A, B, C and D"),
        ("~B", "`~B` is not an option: write the letter alone, out of A, B, C and D"),
        ("1.1 green", "`1` is not an option: write the letter alone, out of A, B, C and D"),
        ("(/)", "there is no letter in it: write one of A, B, C and D"),
        ({"B": "yes"}, "give the letter alone, such as `A`, without a name inside"),
    ],
)
def test_what_is_no_clear_choice_is_told_by_the_basic_check_and_earns_nothing(
    tmp_path: Path, raw: RawAnswer, says: str
) -> None:
    basic, hidden = marks(quiz(tmp_path), raw)
    assert (basic.outcome, hidden.outcome) == ("failed", "failed")
    assert says in basic.message.splitlines()


def test_prose_is_told_in_three_sentences_and_no_more(tmp_path: Path) -> None:
    basic, _ = marks(quiz(tmp_path), "lorem ipsum dolor sit amet " * 100)
    assert len(basic.message.splitlines()) == 3


def test_signs_that_do_not_print_stay_out_of_the_report(tmp_path: Path) -> None:
    basic, _ = marks(quiz(tmp_path), "\x1b[31mB" + "x" * 500)
    assert "\x1b" not in basic.message and len(basic.message) < 200


def test_a_wrong_option_is_told_without_the_right_one(tmp_path: Path) -> None:
    basic, hidden = marks(quiz(tmp_path), "C")
    assert (basic.outcome, hidden.outcome, hidden.message) == ("passed", "failed", "C is not right")
    assert hidden.detail == {"chosen": ["C"], "key": ["B"], "why": "Grass has this colour."}


# Several


@pytest.mark.parametrize("raw", ["A, C", "C and A", "a) c)", "A & C", "A C", ["A", "C"], ["(c)", "A"]])
def test_several_letters_are_read_in_any_order(tmp_path: Path, raw: RawAnswer) -> None:
    assert earned(quiz(tmp_path, *SEVERAL), raw) == 4


@pytest.mark.parametrize(("raw", "points"), [("A", 0), ("A, B", 0), ("A, B, C", 0), ("A, C", 4)])
def test_of_several_all_or_nothing_counts(tmp_path: Path, raw: str, points: int) -> None:
    assert earned(quiz(tmp_path, *SEVERAL), raw) == points


@pytest.mark.parametrize(
    ("raw", "points"), [("A", 2), ("A, B", 0), ("A, B, C", 2), ("A, C", 4), ("B, D", 0), ("A, B, C, D", 0)]
)
def test_with_partial_wrong_choices_are_taken_off_right_ones(tmp_path: Path, raw: str, points: int) -> None:
    assert earned(quiz(tmp_path, *SEVERAL, ("checks:", "partial: true\nchecks:")), raw) == points


def test_or_between_several_leaves_the_choice_open(tmp_path: Path) -> None:
    basic, hidden = marks(quiz(tmp_path, *SEVERAL), "A or C")
    assert basic.message == "`or` leaves it open: name all options that you choose, such as `A, C`"
    assert hidden.outcome == "failed"


def test_a_choice_has_each_letter_once() -> None:
    assert read_choice("A, a, (A)", "ABC", "several") == (["A"], [])


# What an author is told


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        ([("answer: B", "answer: E")], "14: `E` is not one of `options`, which are A, B, C and D"),
        ([("answer: B", "answer: [A, B]")], "14: A and B cannot all be right where one is chosen: say"),
        ([*SEVERAL, ("[A, C]", "[A, A]")], "15: `A` stands here 2 times"),
        ([("B: 1.1 green", "B: 1.1 red")], "7: option B says the same as option A"),
        ([("B: 1.1 green", "B: both A and C")], "7: `both A` names an option by its letter, which changes"),
        ([("checks:", "partial: true\nchecks:")], "10: `partial` is for `choose: several`: of one option there are no"),
        ([("fixed: true", "fixd: true")], "9: unknown key `fixd`; did you mean `fixed`?"),
        ([("  why: Grass has this colour.\n", "")], "`why` is missing in `key`"),
    ],
)
def test_a_slip_in_the_file_is_told_with_its_line(tmp_path: Path, edits: list[tuple[str, str]], says: str) -> None:
    assert any(says in each for each in complaints(tmp_path, *edits))


def proved(
    folder: Path, monkeypatch: pytest.MonkeyPatch, truths: Mapping[str, bool] | Exception, more: str
) -> list[str]:
    def proof() -> Mapping[str, bool]:
        if isinstance(truths, Exception):
            raise truths
        return truths

    monkeypatch.setitem(sys.modules, "reference.colours", SimpleNamespace(proof=proof))  # type: ignore[arg-type]
    problem_set = quiz(folder, ("answer: B\n", f"answer: B\n  proof: colours.proof\n{more}"))
    return [each.message for each in prove(problem_set.question("1.1"), problem_set)]


@pytest.mark.parametrize(
    ("truths", "more", "told"),
    [
        ({"A": False, "B": True, "C": False, "D": False}, "", []),
        ({"A": True, "B": False, "C": True, "D": True}, "  asks: false\n", []),
        (
            {"A": False, "B": False, "C": True, "D": False},
            "",
            [
                "option B must not be in the key: `colours.proof` finds it false",
                "option C must be in the key: `colours.proof` finds it true",
            ],
        ),
        ({"A": False, "B": True}, "", ["`colours.proof` speaks of A and B, the options are A, B, C and D"]),
        (AssertionError("not convex"), "", ["`colours.proof` fails: AssertionError: not convex"]),
        (
            ModuleNotFoundError("No module named 'torch'"),
            "",
            [
                "`colours.proof` cannot run here: No module named 'torch'; "
                "install what it needs, such as gradecheck[torch]"
            ],
        ),
    ],
)
def test_audit_holds_each_option_against_the_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, truths: Mapping[str, bool] | Exception, more: str, told: list[str]
) -> None:
    assert proved(tmp_path, monkeypatch, truths, more) == told


def test_a_proof_that_is_not_there_is_told(tmp_path: Path) -> None:
    problem_set = quiz(tmp_path, ("answer: B\n", "answer: B\n  proof: final_exam.recurent_update\n"))
    with pytest.raises(SpecError, match="has no function `recurent_update`; did you mean `recurrent_update`"):
        list(prove(problem_set.question("1.1"), problem_set))


def test_marking_a_letter_waits_for_neither_numpy_nor_torch(root: Path) -> None:
    program = (
        "import sys, graders.mcq; from graders.mcq import read_choice; read_choice('A', 'AB', 'one'); "
        "print({'numpy', 'torch'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True).stdout == "set()\n"


def test_a_letter_that_means_a_matrix_is_no_option(tmp_path: Path) -> None:
    assert quiz(tmp_path, ("B: 1.1 green", "B: both X and Y, and both $A$ and $B$"))


# Versions

TEN = tuple(f"1.{number}" for number in range(1, 11))


def right(problem_set: ProblemSet) -> dict[str, RawAnswer]:
    return {question.id: list(question.spec.key.answer) for question in problem_set.questions}


def total(problem_set: ProblemSet, answers: Mapping[str, RawAnswer]) -> float:
    return float(grader.grade(problem_set, Submission("s", "", Path(), answers)).earned)


@pytest.mark.parametrize("edits", [(), SEVERAL])
def test_the_key_follows_the_options_into_every_version(tmp_path: Path, edits: tuple[tuple[str, str], ...]) -> None:
    written = quiz(tmp_path, *edits, ids=TEN)
    texts = {
        question.spec.options[letter].text for question in written.questions for letter in question.spec.key.answer
    }
    for version in "BCDEF":
        printed = version_of(written, version)
        assert total(printed, right(printed)) == total(written, right(written)) == 40
        found = {q.spec.options[letter].text for q in printed.questions for letter in q.spec.key.answer}
        assert found == texts


def test_versions_differ_in_the_order_of_questions_and_of_options(tmp_path: Path) -> None:
    written = quiz(tmp_path, ids=TEN)
    papers = {paper(version_of(written, version)) for version in "ABCDEFGH"}
    assert len(papers) == 8
    orders = {
        tuple(option.text for option in version_of(written, v).questions[0].spec.options.values()) for v in "BCDEFG"
    }
    assert len(orders) > 1
    assert [question.id for question in version_of(written, "B").questions] == list(TEN)


def test_version_a_is_the_set_as_it_was_written(tmp_path: Path) -> None:
    written = quiz(tmp_path)
    assert version_of(written, "A") is written


def test_a_version_is_the_same_on_every_machine_and_in_every_year(tmp_path: Path) -> None:
    printed = version_of(quiz(tmp_path, ids=("1.1", "1.2", "1.3")), "B")
    # Papers that were printed last year must still be graded: a change here is a fault.
    orders = [" / ".join(option.text for option in question.spec.options.values()) for question in printed.questions]
    assert orders == [
        "1.1 blue / 1.1 green / 1.1 red / none of these",
        "1.3 blue / 1.3 green / 1.3 red / none of these",
        "1.2 green / 1.2 blue / 1.2 red / none of these",
    ]


def test_a_fixed_option_keeps_its_letter(tmp_path: Path) -> None:
    written = quiz(tmp_path, ids=TEN)
    for version in "BCDEF":
        assert {q.spec.options["D"].text for q in version_of(written, version).questions} == {"none of these"}


def test_questions_change_places_within_their_section_alone(tmp_path: Path) -> None:
    written = quiz(tmp_path, ids=("1.1", "1.2", "1.3", "2.1", "2.2", "2.3"))
    for version in "BCDEF":
        for question in version_of(written, version).questions:
            assert question.spec.options["A"].text[0] == question.id[0]


def test_the_title_and_the_checks_say_the_version_and_the_new_number(tmp_path: Path) -> None:
    printed = version_of(quiz(tmp_path, ids=TEN), "B")
    assert printed.title == "Quiz, version B"
    for question in printed.questions:
        assert [check.id for check in question.checks] == [f"{question.id}-0-basic", f"{question.id}-1-hidden"]
        assert list(question.spec.checks) == [check.id for check in question.checks]


@pytest.mark.parametrize("version", ["b", "BB", "", "2"])
def test_a_version_is_a_capital_letter(tmp_path: Path, version: str) -> None:
    with pytest.raises(UsageError, match="is no version: write a capital letter, such as B"):
        version_of(quiz(tmp_path), version)


def test_a_release_of_a_version_is_whole_and_holds_no_key(root: Path, tmp_path: Path) -> None:
    write(tmp_path / "problems", ids=TEN)
    (tmp_path / "pyproject.toml").write_text("[tool.gradecheck]\n")
    home = Home(tmp_path, None, None)
    written = load_problem_set(home.problems / "quiz", spec_models())
    printed = version_of(written, "B")
    release(home, printed, tmp_path / "bundle")
    released = load_problem_set(tmp_path / "bundle/problems/quiz", spec_models())
    assert [q.spec.options for q in released.questions] == [q.spec.options for q in printed.questions]
    assert all(question.spec.key is None for question in released.questions)
    assert list(found_in(tmp_path / "bundle", secrets_of(printed))) == []
    text = (tmp_path / "bundle/PROBLEMS.md").read_text()
    first = printed.questions[0].spec.options["A"].text
    assert text.startswith("# Quiz, version B\n") and f"\n- **A.** {first}\n- **B.** " in text


def test_the_report_names_the_version_that_was_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "problems", ids=TEN)
    (tmp_path / "pyproject.toml").write_text('[tool.gradecheck]\nset = "quiz"\n')
    monkeypatch.chdir(tmp_path)
    printed = version_of(load_problem_set(tmp_path / "problems/quiz", spec_models()), "B")
    (tmp_path / "hand-in").mkdir()
    lines = [f"{id}: {letters[0]}\n" for id, letters in right(printed).items()]
    (tmp_path / "hand-in/answers.yaml").write_text("".join(lines))
    assert grader.main(["--submission", "hand-in", "--version", "B"]) == 0
    out = capsys.readouterr().out
    assert "earned:       40 of 40" in out and "note: graded as version B" in out
    assert grader.main(["1.1", "--submission", "hand-in", "--version", "b"]) == 2


def test_the_paper_says_where_several_are_asked_for(tmp_path: Path) -> None:
    assert "Choose every option that is right.\n\n- **A.** 1.1 red\n" in paper(quiz(tmp_path, *SEVERAL))
    assert "Choose every" not in paper(quiz(tmp_path / "one"))


def test_a_share_of_the_points_is_rounded_to_a_hundredth(tmp_path: Path) -> None:
    edits = (*SEVERAL, ("[A, C]", "[A, B, C]"), ("checks:", "partial: true\nchecks:"))
    assert earned(quiz(tmp_path, *edits), "A") == float(round(Fraction(4, 3), 2))
