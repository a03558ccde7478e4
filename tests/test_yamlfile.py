from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.authoring.public import as_yaml
from harness.yamlfile import MAX_DEPTH, core_scalar, parse_yaml, read_yaml

HERE = Path("some.yaml")


def complaints(text: str, scalars: str = "typed") -> list[str]:
    return [f"{each.line}: {each.message}" for each in parse_yaml(text, HERE, scalars)[1]]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("010", 10),
        ("1e-5", 1e-5),
        ("12:30:00", "12:30:00"),
        ("1_000", "1_000"),
        ("~", None),
        ("true", True),
        ("2025-01-22", "2025-01-22"),
        ("'1'", "1"),
        (".5", 0.5),
        ("0x10", "0x10"),
    ],
)
def test_a_spec_scalar_is_what_yaml_1_2_says(written: str, value: object) -> None:
    file, wrong = parse_yaml(f"a: {written}", HERE)
    assert (file.value, wrong) == ({"a": value}, [])
    assert type(file.value["a"]) is type(value)


@pytest.mark.parametrize("written", ["no", "1e-3", "0123", "1:30", "~", "true", "????", "1_000", ".nan", "2 1/2"])
def test_a_student_s_scalar_stays_the_text_that_it_is(written: str) -> None:
    file, wrong = parse_yaml(f"3a: {written}", HERE, "plain")
    assert (file.value, wrong) == ({"3a": written}, [])


def test_every_mistake_of_the_writing_is_told_with_its_line() -> None:
    text = "a: 1\nb: &name [1]\nc: *name\na: 2\nd: !!python/object/apply:os.system [true]\n? [x]\n: y\n"
    assert complaints(text) == [
        "2: has an anchor &name: write the value out where it is used",
        "3: has an alias *name: write the value out",
        "4: has the key `a` a second time; the first is on line 1",
        "5: has a tag tag:yaml.org,2002:python/object/apply:os.system: leave it out",
        "6: has a list or a mapping as a key: a key is a word",
    ]


def test_of_two_equal_keys_the_first_stands() -> None:
    assert parse_yaml("a: 1\na: 2\n", HERE)[0].value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('a: "\\frac{1}{2}"\nb: "\\sqrt{2}"', "2: a backslash inside double quotes starts an escape"),
        ("a:\n\t- 1", "2: a tab where YAML wants spaces"),
        ("title: one: two", "1: a second ': ' on one line"),
        ("a: [1, 2", "is not YAML here"),
        ("a: 1\n---\nb: 2", "starts a second document"),
        ("a: \x01", "has a character that YAML does not allow"),
    ],
)
def test_a_syntax_error_is_told_in_words_that_help(text: str, says: str) -> None:
    assert any(says in each for each in complaints(text))


def test_nesting_stops_where_nobody_reads_any_more() -> None:
    assert complaints("[" * 10_000) == [f"1: is nested more than {MAX_DEPTH} deep"]
    assert complaints("[" * MAX_DEPTH + "]" * MAX_DEPTH) == []


def test_a_file_that_is_not_utf8_is_told_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"a: 1\nb: caf\xe9\n")
    _, wrong = read_yaml(path)
    assert str(wrong[0]) == f"{path}:2: is not UTF-8 text: save the file as UTF-8"


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    path = tmp_path / "bom.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_yaml(path)[0].value == {"a": 1}


@given(st.text(max_size=200))
def test_no_text_crashes_the_reader(text: str) -> None:
    parse_yaml(text, HERE)
    parse_yaml(text, HERE, "plain")


scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9) | st.text(max_size=20)
printable = scalars.filter(lambda each: not isinstance(each, str) or each.isprintable())
trees = st.recursive(
    printable,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(categories=["L", "N"]), min_size=1), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(trees)
def test_what_we_write_into_a_release_is_read_back_the_same(tree: object) -> None:
    file, wrong = parse_yaml(as_yaml({"tree": tree}), HERE)
    assert (file.value, wrong) == ({"tree": tree}, [])


@given(st.text(max_size=30))
def test_a_core_scalar_is_a_plain_value(text: str) -> None:
    assert core_scalar(text) is None or isinstance(core_scalar(text), bool | int | float | str)
