"""Which numbers are which: answers that give several things by name."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.arrays import read_array
from graders.named import by_name
from graders.numbers import UnreadableError
from harness.model import RawAnswer

ASKED = {
    "Q": ("queries",),
    "K": ("keys",),
    "scores": ("QK^T", "Q K^T", r"QK^\top"),
    "map": ("attention map", "A"),
}


def found(raw: RawAnswer) -> dict[str, RawAnswer]:
    return by_name(raw, ASKED)[0]


def test_yaml_keys_are_the_names() -> None:
    assert by_name({"Q": "1 3", "K": [["1"], ["2"]]}, ASKED) == ({"Q": "1 3", "K": [["1"], ["2"]]}, [])


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("queries", "Q"),
        ("Queries", "Q"),
        ("q", "Q"),
        ("QK^T", "scores"),
        ("qk^t", "scores"),
        (r"QK^\top", "scores"),
        ("Q K^T", "scores"),
        ("Attention  Map", "map"),
        ("attention_map", "map"),
        (" A ", "map"),
    ],
)
def test_a_name_may_be_spelt_as_students_spell_it(label: str, name: str) -> None:
    assert found({label: "1"}) == {name: "1"}


def test_a_name_that_nobody_asked_for_is_handed_back() -> None:
    assert by_name({"Q": "1", "notes": "none"}, ASKED) == ({"Q": "1"}, ["notes"])


@pytest.mark.parametrize(
    "line",
    ["Q: 1 3", "Q = 1 3", "q: 1 3", "**Q**: 1 3", "**Q:** 1 3", "$Q$ = 1 3", "`Q`: 1 3", "- Q: 1 3", "  * Q = 1 3"],
)
def test_a_line_of_text_names_what_follows(line: str) -> None:
    assert found(f"{line}\nK: 2 4") == {"Q": "1 3", "K": "2 4"}


def test_a_value_runs_to_the_next_name_or_to_a_blank_line() -> None:
    text = "Q:\n1 3\n-1 1\n\nI rounded here.\n\nscores = 2\n3\nmap: 1"
    assert found(text) == {"Q": "1 3\n-1 1", "scores": "2\n3", "map": "1"}


def test_a_blank_line_inside_brackets_or_latex_ends_nothing() -> None:
    bracketed = "Q = [[1, 3],\n\n[-1, 1]]\n\nprose\nK: 2"
    assert read_array(found(bracketed)["Q"], (2, 2)).values.tolist() == [[1, 3], [-1, 1]]
    latex = "Q = \\begin{bmatrix}\n1 & 3 \\\\\n\n-1 & 1\n\\end{bmatrix}\n\nprose"
    assert read_array(found(latex)["Q"], (2, 2)).values.tolist() == [[1, 3], [-1, 1]]
    dollars = "Q = $$\n\n1 3; -1 1\n$$\n\nprose"
    assert read_array(found(dollars)["Q"], (2, 2)).values.tolist() == [[1, 3], [-1, 1]]


def test_a_fenced_block_is_the_value() -> None:
    assert found("Q:\n```text\n1 3\n\n-1 1\n```\nprose") == {"Q": "1 3\n\n-1 1"}


def test_names_of_one_letter_are_told_apart_by_case_where_both_are_asked_for() -> None:
    asked = {"v": (), "V": ()}
    assert by_name({"v": "1", "V": "2"}, asked) == ({"v": "1", "V": "2"}, [])
    assert by_name("V: 2\nv: 1", asked) == ({"V": "2", "v": "1"}, [])


def test_a_name_between_two_that_differ_by_case_is_neither() -> None:
    asked = {"dX": (), "Dx": ()}
    assert by_name("DX: 5\ndX: 1", asked) == ({"dX": "1"}, [])
    assert by_name({"DX": "5"}, asked) == ({}, ["DX"])


def test_where_one_thing_is_asked_for_it_needs_no_name() -> None:
    assert by_name("1 3; -1 1", {"Q": ()}) == ({"Q": "1 3; -1 1"}, [])
    assert by_name([["1"]], {"Q": ()}) == ({"Q": [["1"]]}, [])
    assert by_name("Q = 1 3", {"Q": ()}) == ({"Q": "1 3"}, [])


@pytest.mark.parametrize("raw", ["1 3; -1 1", [["1", "3"]], "I rounded Q: then stopped"])
def test_where_several_are_asked_for_a_nameless_answer_is_told_how(raw: RawAnswer) -> None:
    with pytest.raises(UnreadableError) as caught:
        by_name(raw, ASKED)
    assert str(caught.value) == (
        "several things are asked for (Q, K, scores, map): give each by its name, such as Q: ..."
    )


@given(st.text(max_size=80) | st.text(st.sampled_from("QK:= \n`*$-[]()12scoremapA\r\t"), max_size=120))
@settings(max_examples=800, deadline=None)
def test_any_text_gives_names_that_were_asked_for_or_a_sentence(text: str) -> None:
    try:
        given_names, unknown = by_name(text, ASKED)
    except UnreadableError as error:
        assert str(error)
    else:
        assert set(given_names) <= set(ASKED)
        assert unknown == []


@pytest.mark.parametrize(
    "flood",
    [
        "Q: [1\n" + "1\n\n" * 33_000,
        "Q:\n" * 33_000,
        "Q: $$" + "\n\n$$$$" * 16_000,
        "Q: " + "```\n" * 24_000,
        "Q: \\begin" + "\n\n" * 49_000,
        "Q" + " " * 99_000,
        " " * 99_000,
        "- " * 49_000,
        "\t-" * 49_000,
    ],
    ids=range(9),
)
def test_a_flood_of_lines_is_taken_apart_in_no_time(flood: str) -> None:
    began = time.perf_counter()
    for text in (flood, flood + ":"):
        try:
            by_name(text, ASKED)
        except UnreadableError as error:
            assert len(str(error)) < 200
    assert time.perf_counter() - began < 2
