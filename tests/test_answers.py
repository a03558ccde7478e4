"""Reading answers.yaml and answers.md: every answer under its question, in the words of the student."""

from __future__ import annotations

import string
import tempfile
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.answers import MAX_ANSWER, is_blank, read_answers
from harness.errors import SubmissionError
from harness.model import RawAnswer

IDS = ("1a", "1b", "2a.i", "2a.ii", "2b", "3a", "3b", "3c", "3d", "5.1")

Read = tuple[dict[str, RawAnswer], tuple[str, ...]]


def read(name: str, text: str | bytes, ids: tuple[str, ...] = IDS) -> Read:
    with tempfile.TemporaryDirectory() as root:
        path = Path(root, name)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_answers(Path(root), [name], ids)


def from_yaml(text: str | bytes, ids: tuple[str, ...] = IDS) -> Read:
    return read("answers.yaml", text, ids)


def from_markdown(text: str | bytes, ids: tuple[str, ...] = IDS) -> Read:
    return read("answers.md", text, ids)


def refusal(name: str, text: str | bytes) -> str:
    with pytest.raises(SubmissionError) as caught:
        read(name, text)
    return str(caught.value)


# answers.yaml


@pytest.mark.parametrize("text", ["no", "1e-3", "0123", "1:30", "12:30:45", "1_000", "True", ".nan", "2024-01-01"])
def test_what_was_written_in_yaml_stays_text(text: str) -> None:
    assert from_yaml(f"3a: {text}\n") == ({"3a": text}, ())


PRINTABLE = st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp"), exclude_characters="\ufeff\ufffe\uffff")


@given(st.text(PRINTABLE, max_size=60).filter(lambda text: not is_blank(text)))
@settings(max_examples=150, deadline=None)
def test_any_text_in_yaml_survives_as_text(text: str) -> None:
    quoted = text.replace("'", "''")
    assert from_yaml(f"3a: '{quoted}'\n")[0] == {"3a": text}
    assert from_yaml(yaml.safe_dump({"3b": [text, {"x": text}]}, allow_unicode=True))[0] == {"3b": [text, {"x": text}]}


def test_lists_and_mappings_keep_their_shape() -> None:
    answers, notes = from_yaml("3a: [A, C]\n3b:\n  Q: [[1, 0], [2, 1/2]]\n  why: no\n")
    assert answers == {"3a": ["A", "C"], "3b": {"Q": [["1", "0"], ["2", "1/2"]], "why": "no"}}
    assert notes == ()


KEYS = {
    "3a": ["3a", "3A", "3(a)", "3.a", "Q3a", "q 3a", "Question 3 (a)", "Problem 3a", "3 part a", "answer-3a", "３a"],
    "2a.i": ["2a.i", "2a(i)", "2.a.i", "2ai", "Q2a.I", "Question 2, part a (i)", "2A-i"],
    "5.1": ["5.1", "5-1", "5 (1)", "Question 5 part 1"],
}


@pytest.mark.parametrize(("id", "key"), [(id, key) for id, keys in KEYS.items() for key in keys])
def test_a_question_is_known_under_the_ways_students_write_it(id: str, key: str) -> None:
    assert from_yaml(f"{key}: B\n") == ({id: "B"}, ())


def test_the_exact_id_comes_first_and_what_could_be_two_is_neither() -> None:
    ids = ("1.2", "12", "1.a", "1a")
    answers, notes = from_yaml('"1.2": w\n"12": x\n1.a: y\n1a: z\n', ids)
    assert answers == {"1.2": "w", "12": "x", "1.a": "y", "1a": "z"}
    assert from_yaml("Q1.2: w\nQ12: x\n", ids)[0] == {"1.2": "w", "12": "x"}
    answers, notes = from_yaml("Q1a: z\n", ids)
    assert answers == {}
    assert "`Q1a` is not a question of this set" in notes[1]


def test_words_are_dropped_only_as_whole_words() -> None:
    assert from_yaml("particle: x\nq: y\n", ("particle", "q"))[0] == {"particle": "x", "q": "y"}
    assert from_yaml("Q3: x\nQ3Q: y\n", ("3", "3q"))[0] == {"3": "x", "3q": "y"}


def test_two_keys_for_one_question_are_refused_with_both_lines() -> None:
    assert refusal("answers.yaml", "3a: B\n1a: C\n3(a): D\n") == (
        "answers.yaml line 3: 3a is answered a second time; the first answer is on line 1. Keep one of them."
    )


def test_a_key_of_no_question_is_passed_over_with_the_nearest_named() -> None:
    answers, notes = from_yaml("3d: A\n3e: B\nname: Ann\n")
    assert answers == {"3d": "A"}
    assert notes == (
        "answers.yaml line 2: `3e` is not a question of this set; did you mean 3d?",
        "answers.yaml line 3: `name` is not a question of this set and was passed over.",
    )


def test_notes_stay_few_and_short() -> None:
    _, notes = from_yaml("".join(f"{'x' * 500}{i}: 1\n" for i in range(100)))
    assert len(notes) == 20
    assert max(map(len, notes)) < 250


def test_every_complaint_about_the_yaml_is_told_with_file_and_line() -> None:
    message = refusal("answers.yaml", "3a: &x 1\n3b: *x\n3a: 2\n")
    assert message.split("\n") == [
        "answers.yaml line 1: has an anchor &x: write the value out where it is used.",
        "answers.yaml line 2: has an alias *x: write the value out.",
        "answers.yaml line 3: has the key `3a` a second time; the first is on line 1.",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3a: !!python/object/apply:os.system [ls]\n", "answers.yaml line 1: has a tag"),
        ('1a: x\n3a: "\\sqrt{2}"\n', "answers.yaml line 2: a backslash inside double quotes starts an escape"),
        ("- B\n- C\n", "answers.yaml line 1: this is no list of answers; write each on a line of its own"),
        ("B\n", "answers.yaml line 1: this is no list of answers"),
        (b"3a: caf\xe9\n", "answers.yaml line 1: is not UTF-8 text"),
    ],
)
def test_yaml_that_is_no_answers_is_refused_with_the_line(text: str | bytes, expected: str) -> None:
    assert refusal("answers.yaml", text).startswith(expected)


@pytest.mark.parametrize("text", ["", "# later\n", "~\n", "---\n", "3a:\n1a: ''\n", "3a: [~, {x: ''}]\n"])
def test_yaml_without_answers_is_noted(text: str) -> None:
    answers, notes = from_yaml(text)
    assert answers == {}
    assert notes == ("answers.yaml has no answers in it: write each on a line of its own, such as `3a: B`.",)


# LaTeX in double quotes

EATEN = [
    *(r"\frac{1}{2}", r"\beta", r"\alpha", r"\rho", r"\vec{x}", r"\exp", r"\text{x}", r"\textbf{x}", r"\times"),
    *(r"\top", r"\theta_1", r"\tau", r"\tanh", r"\to", r"\nabla", r"\nu", r"\neq", r"\Lambda", r"\Phi", r"\0"),
]


@pytest.mark.parametrize("command", EATEN)
@pytest.mark.parametrize("layout", ['3a: "{}"', '3a: "x {} y"', '3a:\n  - A\n  - {{x: "{}"}}', '3a: {{"{}": 1}}'])
def test_latex_that_double_quotes_have_eaten_is_refused_by_name(command: str, layout: str) -> None:
    text = layout.format(command)
    message = refusal("answers.yaml", f"1a: B\n{text}\n")
    line = 2 + text.count("\n")
    name = command.partition("{")[0].partition("_")[0]
    assert message.startswith(f"answers.yaml line {line}: `{name}` has turned into a control character")
    assert "single quotes" in message


def test_an_answer_full_of_eaten_latex_is_one_complaint() -> None:
    assert refusal("answers.yaml", '3a: "\\frac{\\beta}{\\rho}"\n').count("turned into") == 1


@pytest.mark.parametrize("command", EATEN)
def test_latex_in_single_quotes_or_a_block_is_kept(command: str) -> None:
    assert from_yaml(f"3a: '{command}'\n3b: |\n  {command} x\n3c: {command}\n")[0] == {
        "3a": command,
        "3b": f"{command} x\n",
        "3c": command,
    }


@pytest.mark.parametrize("text", ['"two\\nlines"', '"a\\tb"', '"\\u00e9\\\\frac"', '"line\\nabove"'])
def test_escapes_that_are_meant_are_kept(text: str) -> None:
    assert from_yaml(f"3a: {text}\n")[0] == {"3a": yaml.safe_load(text)}


def test_tabs_in_code_are_not_taken_for_latex() -> None:
    assert from_yaml("3a: |\n  def f():\n  \top = 1\n  \text = 2\n")[0] == {"3a": "def f():\n\top = 1\n\text = 2\n"}


def test_a_control_character_of_no_command_is_shown_as_it_was_written() -> None:
    assert "`\\x01abc` has turned into a control character" in refusal("answers.yaml", '3a: "\\x01abc"\n')


# Blank, and too long


@pytest.mark.parametrize(
    "raw",
    [
        *("", "  \n\t", "~", "null", "NULL", "?", "????", "? ?", "...", "…", "-", "---", "___", "TODO", "todo:"),
        *("TBD", "\u200b", "\ufeff", [], {}, ["", "~"], {"a": "", "b": ["?", {"c": "TODO"}]}),
    ],
)
def test_what_is_left_as_the_template_had_it_is_blank(raw: RawAnswer) -> None:
    assert is_blank(raw)


@pytest.mark.parametrize(
    "raw", ["0", "no", "none", "A?", "-1", "TODO: prove", "nullity", "+", ["", "0"], {"a": {"b": "x"}}]
)
def test_what_was_answered_is_not_blank(raw: RawAnswer) -> None:
    assert not is_blank(raw)


@pytest.mark.parametrize("name", ["answers.yaml", "answers.md"])
def test_blank_answers_are_left_out(name: str) -> None:
    text = {"answers.yaml": "1a: TODO\n3a: B\n3b: ????\n", "answers.md": "# 1a\nTODO\n# 3a\nB\n# 3b\n????\n"}
    assert read(name, text[name]) == ({"3a": "B"}, ())


@pytest.mark.parametrize("name", ["answers.yaml", "answers.md"])
def test_an_answer_that_is_too_long_is_refused_with_its_line(name: str) -> None:
    start = {"answers.yaml": "1a: B\n3a: ", "answers.md": "# 1a\n# 3a\n"}[name]
    assert read(name, start + "x" * MAX_ANSWER)[0]["3a"] == "x" * MAX_ANSWER
    assert refusal(name, start + "x" * (MAX_ANSWER + 1)) == (
        f"{name} line 2: the answer to 3a has 100,001 characters; keep it below 100,000."
    )


def test_the_parts_of_an_answer_count_together() -> None:
    half = "x" * 60_000
    assert "has 120,002 characters" in refusal("answers.yaml", f"3a: {{a: {half}, b: {half}}}\n")


@pytest.mark.parametrize("name", ["answers.yaml", "answers.md"])
def test_a_file_that_is_too_long_is_refused(name: str) -> None:
    assert "is larger than 1 MB" in refusal(name, "# x\n" * 300_000)


# answers.md

HEADINGS = {
    "3a": [
        *("# 3a", "## 3a", "###### 3A", "## 3a ##", "   ## 3a", "## **3a**", "## `3a`", "## __3a__", "## (3a)"),
        *("# Question 3(a): Attention map", "### 3a. The map", "### 3a) The map", "## 3 (a) map", "## Q3a"),
        *("## 1.2 Q3a: differences", "## 3a: unlike Q1b", "# Problem 3, part a", "## 3.a - map", "## 3a (5 points)"),
        *("##3a", "## Answer to Q3a", "3a\n==", "3a: The map\n---", "Question 3 (a)\n=====", "## 3a <!-- 5 points -->"),
        *(
            "##\t3a",
            "## 3a\\. The map",
            "## 3\\) (a)",
            "## **3**(a) The map",
            "## 3\\.a The map",
            "## ３a The map",
            "# Exercise 3 - part a",
        ),
    ],
    "2a.i": [
        "## 2a.i",
        "# 2a(i)",
        "# 2.a.i The role",
        "### 2.1.1 Q2ai",
        "## Question 2 (a) (i): x",
        "## 2a.i. The role",
    ],
}


@pytest.mark.parametrize(("id", "heading"), [(id, each) for id, each in HEADINGS.items() for each in each])
def test_a_heading_that_names_a_question_starts_its_answer(id: str, heading: str) -> None:
    answers, _ = from_markdown(f"Ann\n\n# 1a\n\nB\n\n{heading}\n\nIt is *this*.\n")
    assert answers == {"1a": "B", id: "It is *this*."}


@pytest.mark.parametrize(
    "heading",
    [
        *("# Conclusion", "#3a", "#hashtag", "# Problem set 3", "    # 3a", "> # 3a", "text # 3a", "####### 3a"),
        *("# 5922 homework", "# 3abc", "#", "# A map", "# What 3a asks", "```\n# 3a\n```", "~~~~ python\n# 3a\n~~~~~"),
        *(
            "```\n# 3a\n~~~\n# 3a\n```",
            "````\n```\n# 3a\n````",
            "   ```py\n# 3a\n   ```",
            "a\n3a\n---\nb",
            "\n    3a\n---",
        ),
    ],
)
def test_any_other_line_is_part_of_the_answer(heading: str) -> None:
    assert from_markdown(f"# 1a\n\nx\n{heading}\ny\n") == ({"1a": f"x\n{heading}\ny"}, ())


@pytest.mark.parametrize("comment", ["<!-- # 3a -->", "<!--\n# 3a\n-->", "<!-->", "<!--\n```\n-->", "<!-- <!-- -->"])
def test_comments_are_dropped(comment: str) -> None:
    answers, notes = from_markdown(f"# 1a\nB{comment}\n# 3b\nC\n")
    assert answers == {"1a": "B", "3b": "C"}
    assert notes == ()


def test_what_looks_like_a_comment_in_code_is_kept() -> None:
    text = "```\n<!-- x -->\n# 3a\n```"
    assert from_markdown(f"# 1a\n{text}\n")[0] == {"1a": text}


def test_a_comment_that_never_ends_is_text() -> None:
    assert from_markdown("# 1a\nB <!-- x\n# 3a\nC\n")[0] == {"1a": "B <!-- x", "3a": "C"}


def test_a_code_block_that_never_ends_is_noted() -> None:
    answers, notes = from_markdown("<!--\n-->\n# 1a\n```py\nx = 1\n\n# 3a\nC\n")
    assert answers == {"1a": "```py\nx = 1\n\n# 3a\nC"}
    assert notes == ("answers.md line 4: the code block that starts here never ends; close it.",)


def test_a_ruled_line_between_questions_is_no_part_of_an_answer() -> None:
    answers, notes = from_markdown("---\n## 1a\n\nB\n---\n## 3a\n***\n2\n\n* * *\n\n## 3b\n3\n---\n")
    assert answers == {"1a": "B", "3a": "2", "3b": "3"}
    assert notes == ()


def test_a_ruled_line_within_an_answer_is_kept() -> None:
    assert from_markdown("# 1a\nx\n\n---\n\ny\n")[0] == {"1a": "x\n\n---\n\ny"}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_a_byte_order_mark_make_no_difference(end: str, mark: bytes) -> None:
    text = "# 1a\nB\n\n# 3a\none\ntwo é\n".replace("\n", end)
    assert from_markdown(mark + text.encode())[0] == {"1a": "B", "3a": "one\ntwo é"}


def test_a_stray_control_character_becomes_a_space() -> None:
    assert from_markdown("# 1a\na\x0cb\0c\n")[0] == {"1a": "a b c"}


def test_markdown_that_is_not_utf8_is_refused_with_the_line() -> None:
    assert refusal("answers.md", b"# 1a\ncaf\xe9\n") == (
        "answers.md line 2: is not UTF-8 text; save the file as UTF-8."
    )
    assert "line 1: is not UTF-8" in refusal("answers.md", "# 1a\nB".encode("utf-16"))


def test_a_question_under_two_headings_is_refused_with_both_lines() -> None:
    assert refusal("answers.md", "# 3a\nB\n# 1a\n\n# Question 3(a)\nC\n") == (
        "answers.md line 5: 3a is answered a second time; the first answer is on line 1. Keep one of them."
    )


def test_a_heading_of_no_question_is_noted_and_its_text_added_to_none() -> None:
    answers, notes = from_markdown("# 3d\nA\n# 3e\nB\n# 3c\nC\n")
    assert answers == {"3d": "A", "3c": "C"}
    assert notes == ("answers.md line 3: `3e` is not a question of this set; did you mean 3d?",)


def test_a_heading_around_several_questions_ends_the_one_before_and_is_not_noted() -> None:
    answers, notes = from_markdown("# 1 Q1\n## 1.1 Q1a\nB\n# 2 Q2\n## 2.1 Q2a\n### 2.1.1 Q2ai\nC\n# 3\n")
    assert answers == {"1a": "B", "2a.i": "C"}
    assert notes == ()


def test_text_right_under_such_a_heading_is_noted() -> None:
    answers, notes = from_markdown("# Question 3\nIt is B.\n")
    assert answers == {}
    assert notes[1] == "answers.md line 1: `3` is not a question of this set; did you mean 3d?"


def test_the_longest_id_wins() -> None:
    assert from_markdown("# 2a.i x\nB\n# 2a x\nC\n", ("2a", "2a.i"))[0] == {"2a.i": "B", "2a": "C"}


def test_a_title_of_one_letter_is_not_a_part() -> None:
    assert from_markdown("# 3: A\nB\n", ("3", "3a"))[0] == {"3": "B"}


def test_parts_that_a_student_makes_stay_in_the_answer() -> None:
    answers, _ = from_markdown("## 1a\nx\n### 1a.i\ny\n### 1a (ii)\nz\n## 1b.i\nw\n## 1b.ii\nv\n")
    assert answers == {"1a": "x\n### 1a.i\ny\n### 1a (ii)\nz", "1b": "w\n## 1b.ii\nv"}


def test_numbered_parts_of_an_answer_stay_in_it() -> None:
    text = "### 1. Setup\nx\n### 10 epochs\ny\n### 2.1 More\nz"
    assert from_markdown(f"## 1a\n{text}\n") == ({"1a": text}, ())


def test_a_heading_of_two_questions_is_noted_where_one_has_no_other() -> None:
    answers, notes = from_markdown("## 3.1 Q3a and Q3b\nB\n## 3c, 3d\nC\n## 3d: see Q3c\nD\n")
    assert answers == {"3a": "B", "3c": "C", "3d": "D"}
    assert notes == ("answers.md line 1: this was read as the answer to 3a alone; give 3b a heading of its own.",)


def test_ids_without_a_number_are_headings_too() -> None:
    ids = ("softmax", "heads")
    assert from_markdown("# Softmax: why\nB\n# Heads\nC\n", ids)[0] == {"softmax": "B", "heads": "C"}


def test_markdown_without_a_question_is_noted() -> None:
    answers, notes = from_markdown("The answer is B.\n")
    assert answers == {}
    assert notes == ("answers.md has no answers in it: start each with a heading of its own, such as `## 3a`.",)


MARKDOWN = st.lists(
    st.sampled_from(
        [
            *("# 3a", "## 3e", "# 1 Q1b", "3b", "---", "===", "```", "~~~", "<!--", "-->", "    x", "", "# ", "#"),
            *("2. (a", "\0", "\t", "\u2028", "٣a", "q", "Question ", ")("),
        ]
    )
    | st.text(max_size=8),
    max_size=20,
).flatmap(lambda parts: st.sampled_from(["\n", "", " ", "\r\n"]).map(lambda end: end.join(parts)))


@given(MARKDOWN | st.text(max_size=200))
@settings(max_examples=400, deadline=None)
def test_any_markdown_is_read_as_text_or_refused_in_a_sentence(text: str) -> None:
    try:
        answers, notes = from_markdown(text.encode("utf-8", "replace"))
    except SubmissionError as error:
        assert "answered a second time" in str(error)
        return
    assert set(answers) <= set(IDS)
    assert all(isinstance(each, str) and each == each.strip() and not is_blank(each) for each in answers.values())
    assert all(note.startswith("answers.md ") and note.isprintable() for note in notes)


ANSWER = st.text(string.ascii_letters + string.digits + " .,*_$\\{}^é'\"", min_size=1, max_size=40)


@given(st.dictionaries(st.sampled_from(IDS), ANSWER.filter(lambda text: not is_blank(text)), min_size=1))
@settings(max_examples=150, deadline=None)
def test_answers_under_their_headings_are_read_as_they_are(written: dict[str, str]) -> None:
    text = "\n".join(f"## {id}\n\n{answer}\n" for id, answer in written.items())
    assert from_markdown(text)[0] == {id: answer.strip() for id, answer in written.items()}


HOSTILE = [
    *("# 9e\n" * 40_000, "<!--" * 250_000, "<!-->" * 190_000, "```\n" * 200_000, "k: 1\n" * 99_000, "~" * 900_000),
    *("# q1i.i(i" * 100_000, "# " + "1" * 900_000, "# 3" + " " * 900_000 + "x", "# " + "(" * 900_000 + "x"),
    *("# 3" + "(a" * 400_000, "# 3" + ".i" * 400_000, "# 1a\n" + "- " * 450_000 + "x", "3" + " -" * 400_000 + "\n---"),
    *("# " + "q" * 900_000, "# " + "q " * 450_000, "# 1" + " part" * 180_000, "# 1" + "&  " * 300_000),
]


@pytest.mark.parametrize("name", ["answers.yaml", "answers.md"])
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_read_in_no_time(name: str, text: str) -> None:
    begun = time.process_time()
    try:
        read(name, text)
    except SubmissionError as error:
        assert str(error).count("\n") < 20
    assert time.process_time() - begun < 5
