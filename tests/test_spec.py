from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from graders.kinds import KINDS, kind_named, spec_models
from harness.errors import SpecError
from harness.model import ProblemSet
from harness.spec import load_problem_set

SET = """\
format: 1
id: tiny
title: A tiny set
points: 2
"""
QUESTION = """\
question: 1a
kind: files
title: The report
prompt: Hand it in.
files: [{name: report, any_of: [report.pdf]}]
checks:
  1a-0-basic: {title: it is there, points: 2}
"""


def write(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir(exist_ok=True)
    for name, text in ({"problem-set": SET, "1a": QUESTION} | files).items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


def load(folder: Path) -> ProblemSet:
    return load_problem_set(folder, spec_models())


def told(folder: Path) -> list[str]:
    with pytest.raises(SpecError) as error:
        load(folder)
    return [f"{each.path.name}:{each.line}: {each.message}" for each in error.value.complaints]


def test_a_set_is_its_questions_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    ids = ["10a", "2a", "1a", "2a.ii", "2a.i"]
    loaded = load(write(tmp_path, **{id: QUESTION.replace("1a", id) for id in ids}))
    assert [question.id for question in loaded.questions] == ["1a", "2a", "2a.i", "2a.ii", "10a"]
    check = loaded.questions[0].checks[0]
    assert (check.id, check.visibility, check.points, check.title) == ("1a-0-basic", "basic", Decimal(2), "it is there")


def test_five_mistakes_are_told_at_once_each_with_its_line(tmp_path: Path) -> None:
    wrong = """\
question: 1a
kind: fiels
titel: The report
prompt: Hand it in.
prompt: Hand it in again.
files: [{name: report, any_of: [report.pdf], at_most_mb: lots}]
checks:
  1a-0-basic: {title: it is there, points: -1}
  2b-1-hidden: {title: it is good, points: 1}
"""
    assert told(write(tmp_path, **{"1a": wrong})) == [
        "1a.yaml:1: `title` is missing",
        "1a.yaml:2: unknown kind `fiels`; did you mean `files`?",
        "1a.yaml:3: unknown key `titel`; did you mean `title`?",
        "1a.yaml:5: has the key `prompt` a second time; the first is on line 4",
        "1a.yaml:6: `files.0.at_most_mb`: must be a valid number, unable to parse string as a number, not 'lots'",
        "1a.yaml:8: `checks.1a-0-basic.points`: must be greater than or equal to 0, not -1",
        "1a.yaml:9: check `2b-1-hidden` stands in question 1a: call it `1a-1-hidden`",
    ]


def test_mistakes_in_several_files_are_told_together(tmp_path: Path) -> None:
    folder = write(tmp_path, **{"1b": "kind: files\n", "problem-set": SET.replace("points: 2", "pints: 2")})
    names = {each.split(":")[0] for each in told(folder)}
    assert names == {"1b.yaml", "problem-set.yaml"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kind: files", "kind: essay", "2: unknown kind `essay`; there are attention_plot, files, mcq, numeric"),
        ("1a-0-basic", "1a-basic", "7: check `1a-basic` must be named like `1a-0-basic` or `1a-1-hidden`"),
        ("question: 1a", "question: 1b", "1: question 1b must be in 1b.yaml"),
        ("title: The report", "title: The report\nfollows: 0z", "4: there is no question `0z` to follow"),
        ("title: The report", "title: The report\nfollows: 1a", "4: `1a` does not come before 1a"),
        ("title: The report", "titel: The report", "3: unknown key `titel`; did you mean `title`?"),
        ("title: it is there", "tite: it is there", "7: unknown key `tite`; did you mean `title`?"),
    ],
)
def test_a_mistake_is_told_in_words_that_mend_it(tmp_path: Path, old: str, new: str, says: str) -> None:
    found = told(write(tmp_path, **{"1a": QUESTION.replace(old, new)}))
    assert any(says in each for each in found), found


def test_two_checks_of_a_question_never_share_a_number(tmp_path: Path) -> None:
    found = told(write(tmp_path, **{"1a": QUESTION + "  1a-0-hidden: {title: again, points: 1}\n"}))
    assert found == [
        "1a.yaml:8: check `1a-0-hidden` has the number of another check: numbers are used once in a question"
    ]


def test_a_set_without_a_question_says_so(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "1a.yaml").unlink()
    assert told(folder) == ["problem-set.yaml:1: the set has no question: add one beside this file"]


def test_a_whole_number_is_a_question_s_number_too(tmp_path: Path) -> None:
    loaded = load(write(tmp_path, **{"7": QUESTION.replace("1a", "7")}))
    assert loaded.question("7").checks[0].id == "7-0-basic"


def test_points_are_exact(tmp_path: Path) -> None:
    loaded = load(write(tmp_path, **{"1a": QUESTION.replace("points: 2", "points: 0.1")}))
    assert loaded.checks[0].points * 3 == Decimal("0.3")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_offers_what_a_kind_offers(kind: str) -> None:
    module = kind_named(kind)
    assert callable(module.grade) and callable(module.prove) and callable(module.blank_answer)
    assert isinstance(module.NEEDS_ANSWER, bool) and issubclass(module.Spec, spec_models()[kind]())
