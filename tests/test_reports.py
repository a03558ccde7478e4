from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.marking import not_run, propose, settle
from harness.errors import SpecError
from harness.model import Check, Mark, Report, Review
from harness.reports import FORMATS, rendered
from harness.reviews import decide, read_reviews

CHECK = Check("1a-0-basic", "1a", "basic", "it is there", Decimal("1.5"))
HIDDEN = Check("1a-1-hidden", "1a", "hidden", "it is right", Decimal(2))
EXTRA = Check("2a-1-hidden", "2a", "hidden", "a little more", Decimal("0.5"), extra_credit=True)


def report(*marks: Mark) -> Report:
    return Report("tiny", "somebody", "0" * 64, marks)


def test_points_of_basic_hidden_and_extra_credit_are_added_apart() -> None:
    text = rendered(report(settle(CHECK, 1), settle(HIDDEN, 0), settle(EXTRA, 1)), "console")
    assert text.splitlines()[-4:] == [
        "basic:        1.5 of 1.5",
        "hidden:       0 of 2",
        "extra credit: 0.5 of 0.5",
        "earned:       1.5 of 3.5 + 0.5 extra",
    ]


def test_what_waits_for_a_person_is_shown_in_brackets_and_summed() -> None:
    text = rendered(report(settle(CHECK, 1), propose(HIDDEN, Decimal("1.5"), "two ideas", {})), "console")
    assert "wait  1a-1-hidden    (1.5)/2  it is right" in text
    assert "waiting:      2 for a person to decide; suggested 1.5" in text


def test_a_check_that_was_not_run_keeps_its_possible_points() -> None:
    found = report(settle(CHECK, 1), not_run(HIDDEN, "the machine was away"))
    assert (found.earned, found.possible, found.pending) == (Decimal("1.5"), Decimal("3.5"), 0)
    assert "not run:      2 in 1 checks" in rendered(found, "console")


def test_a_message_is_told_once_for_a_question_that_says_it_at_every_check() -> None:
    text = rendered(report(settle(CHECK, 0, "1a is blank"), settle(HIDDEN, 0, "1a is blank")), "console")
    assert text.count("1a is blank") == 1


def test_a_part_of_the_points_is_rounded_to_a_hundredth() -> None:
    from fractions import Fraction

    assert settle(CHECK, Fraction(1, 7)).earned == Decimal("0.21")
    assert settle(HIDDEN, Fraction(1, 3)).outcome == "partial"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_cell_of_the_table_is_a_formula(text: str) -> None:
    rows = list(csv.DictReader(io.StringIO(rendered(report(settle(CHECK, 0, text)), "csv"))))
    assert rows[0]["message"] == "'" + text


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        rendered(report(settle(CHECK, 0, value=float("nan"))), "json")


@given(st.text(), st.sampled_from(sorted(FORMATS)))
def test_any_message_can_be_reported_in_every_format(message: str, format: str) -> None:
    text = rendered(report(settle(CHECK, 0, message)), format)
    if format == "json":
        assert json.loads(text)["checks"][0]["message"] == message
    if format == "console":
        assert not {"\x1b", "\x07", "\u202e"} & set(text)


def test_a_confirmed_review_earns_what_was_suggested() -> None:
    mark = propose(HIDDEN, Decimal("1.5"), "two ideas", {})
    decided = decide(mark, Review(HIDDEN.id, None, "J. Rivera"))
    assert (decided.outcome, decided.earned) == ("partial", Decimal("1.5"))
    assert decided.message == "Reviewed by J. Rivera.\ntwo ideas"


def test_a_person_may_decide_otherwise_and_say_why() -> None:
    mark = propose(HIDDEN, Decimal("1.5"), "two ideas", {})
    decided = decide(mark, Review(HIDDEN.id, Decimal(2), "J. Rivera", "well put"))
    assert (decided.outcome, decided.earned) == ("passed", Decimal(2))
    assert decided.message.startswith("Reviewed by J. Rivera. well put")


def test_a_review_changes_only_what_waits() -> None:
    mark = settle(HIDDEN, 0, "blank")
    assert decide(mark, Review(HIDDEN.id, Decimal(2), "J. Rivera")) == mark


def test_reviews_of_another_hand_in_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "reviews.yaml"
    path.write_text(f"format: 1\nsubmission: {'a' * 64}\nreviews:\n  1a-1-hidden: {{by: J. Rivera}}\n")
    assert list(read_reviews(path, [HIDDEN], "a" * 64)[0]) == ["1a-1-hidden"]
    decisions, notes = read_reviews(path, [HIDDEN], "b" * 64)
    assert decisions == {}
    assert "was written for another hand-in" in notes[0]


def test_a_slip_in_the_reviews_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "reviews.yaml"
    path.write_text("format: 1\nreviews:\n  1a-1-hiden: {by: J. Rivera}\n  1a-1-hidden: {by: J. Rivera, earned: 3}\n")
    with pytest.raises(SpecError) as error:
        read_reviews(path, [HIDDEN], "a" * 64)
    assert [f"{each.line}: {each.message}" for each in error.value.complaints] == [
        "3: there is no check `1a-1-hiden`; did you mean `1a-1-hidden`?",
        "4: `1a-1-hidden` has 2 points: 3 cannot be earned",
    ]


def test_records_do_not_change_under_their_readers() -> None:
    with pytest.raises(AttributeError):
        settle(CHECK, 1).earned = Decimal(9)  # type: ignore[misc]
    assert replace(settle(CHECK, 1), message="x").check is CHECK
