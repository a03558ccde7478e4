"""Matrices as people lay them out."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from graders.arrays import EXACT, WrongShapeError, read_array, shape_text
from graders.numbers import LARGEST, UnreadableError
from harness.model import RawAnswer

Shape = tuple[int, ...]


def values(raw: RawAnswer, shape: Shape) -> object:
    return read_array(raw, shape).values.tolist()


def refusal(raw: RawAnswer, shape: Shape) -> str:
    with pytest.raises(UnreadableError) as caught:
        read_array(raw, shape)
    return str(caught.value)


MATRIX = [[1.0, 3.0], [-1.0, 1.0], [2.5, -2.0]]


@pytest.mark.parametrize(
    "raw",
    [
        [["1", "3"], ["-1", "1"], ["2.5", "-2"]],
        [["1", "3"], ["-1", "1"], ["5/2", "-2"]],
        [["1", "3"], ["-1", "1"], ["2 1/2", "-2"]],
        ["1 3", "-1 1", "2.5 -2"],
        ["1, 3", "-1, 1", "2 1/2, -2"],
        ["1 3", "-1 1", "2 1/2 -2"],
        ["1 3; -1 1; 2.5 -2"],
        ["1", "3; -1", "1; 2.5", "-2"],
        [["1 3"], ["-1 1"], ["2.5 -2"]],
        ["1 3", ["-1", "1"], ["2.5", "-2"]],
        "1 3; -1 1; 2.5 -2",
        "1 3; -1 1; 2 1/2 -2",
        "1 3; -1 1; 2½ -2",
        "1 3;-1 1;2.5 -2;",
        "1, 3; -1, 1; 2.5, -2",
        "1 3\n-1 1\n2.5 -2",
        "1 3\r\n-1 1\r\n2.5 -2\r\n",
        "1\t3\n-1\t1\n2.5\t-2",
        "[1 3; -1 1; 2.5 -2]",
        "= [1 3; -1 1; 2.5 -2]",
        "[[1, 3], [-1, 1], [2.5, -2]]",
        "[[1, 3],\n [-1, 1],\n [5/2, -2]]",
        "[[1 3] [-1 1] [2.5 -2]]",
        "[[ 1.   3. ]\n [-1.   1. ]\n [ 2.5 -2. ]]",
        "[1, 3], [-1, 1], [2.5, -2]",
        "| 1 | 3 |\n| -1 | 1 |\n| 2.5 | -2 |",
        "| 1 | 3 |\r\n| -1 | 1 |\r\n| 2.5 | -2 |",
        r"\begin{bmatrix} 1 & 3 \\ -1 & 1 \\ 2.5 & -2 \end{bmatrix}",
        r"\begin{pmatrix} 1 & 3 \\ -1 & 1 \\ \frac{5}{2} & -2 \\ \end{pmatrix}",
        "\\begin{bmatrix}\n1 & 3 \\\\\n-1 & 1 \\\\\n2\\frac{1}{2} & -2\n\\end{bmatrix}",
        r"$$\begin{matrix}1&3\\-1&1\\2.5&-2\end{matrix}$$",
        r"\left[\begin{array}{cc} 1 & 3 \\ -1 & 1 \\ 2.5 & -2 \end{array}\right]",
        r"\left(\begin{array}{rr} 1 & 3 \\ -1 & 1 \\ 2.5 & -2 \end{array}\right)",
        r"$\begin{bmatrix} 1 & 3 \\ -1 & 1 \\ \tfrac52 & −2 \end{bmatrix}$",
    ],
)
def test_a_matrix_is_read_however_it_is_laid_out(raw: RawAnswer) -> None:
    assert values(raw, (3, 2)) == MATRIX


@pytest.mark.parametrize(
    ("raw", "shape", "expected"),
    [
        ("0.5", (), 0.5),
        (["0.5"], (), 0.5),
        ("[0.5]", (), 0.5),
        (r"\frac{1}{2}", (), 0.5),
        ("1 2 3", (3,), [1, 2, 3]),
        ("1, 2, 3", (3,), [1, 2, 3]),
        ("(1, 2, 3)", (3,), [1, 2, 3]),
        ("1; 2; 3", (3,), [1, 2, 3]),
        ("1\n2\n3", (3,), [1, 2, 3]),
        (["1", "2", "3"], (3,), [1, 2, 3]),
        ([["1"], ["2"], ["3"]], (3,), [1, 2, 3]),
        (["1 1/2", "2", "3"], (3,), [1.5, 2, 3]),
        ("1 1/2 2 3", (3,), [1.5, 2, 3]),
        ("1, 2, 3", (3, 1), [[1], [2], [3]]),
        (["1", "2", "3"], (3, 1), [[1], [2], [3]]),
        (["1 1/2", "2 1/2"], (1, 2), [[1.5, 2.5]]),
        ("1 1/2, 2 1/2", (1, 2), [[1.5, 2.5]]),
        (["1 2"], (1, 2), [[1, 2]]),
        (["1 2 3"], (3,), [1, 2, 3]),
        ("1 -2; 3 - 4, 5", (2, 2), [[1, -2], [-1, 5]]),
        ("1/2 1/2; 1/4 3/4", (2, 2), [[0.5, 0.5], [0.25, 0.75]]),
        ("1 -½; ½ 1", (2, 2), [[1, -0.5], [0.5, 1]]),
        ("2½ 1; 1 2 ½", (2, 2), [[2.5, 1], [1, 2.5]]),
        (r"2\sqrt{2} 1; 1 e^{-3}", (2, 2), [[2 * 2**0.5, 1], [1, np.exp(-3)]]),
        (r"2\frac12 1; 1 2 \frac{1}{2}", (2, 2), [[2.5, 1], [1, 2.5]]),
        ("(1 + 2) 3; 4 (5 - 6)", (2, 2), [[3, 3], [4, -1]]),
        ("e^-3 e^(-3)", (2,), [np.exp(-3), np.exp(-3)]),
        ("3.1e-04 -2.5e+01", (2,), [3.1e-4, -25]),
    ],
)
def test_vectors_fractions_and_formulas_find_their_place(raw: RawAnswer, shape: Shape, expected: object) -> None:
    assert values(raw, shape) == pytest.approx(np.array(expected, dtype=float))
    assert read_array(raw, shape).shape == shape


def test_decimals_are_kept_entry_by_entry() -> None:
    given = read_array("0.62 0.380; 1/7 1", (2, 2))
    assert given.decimals.tolist() == [[2, 3], [EXACT, 0]]


@pytest.mark.parametrize(
    ("raw", "shape", "sentence"),
    [
        ("1 2 3; 4 5 6", (3, 2), "2x3 given, 3x2 expected: it looks transposed"),
        (["1 2 3", "4 5 6"], (3, 2), "2x3 given, 3x2 expected: it looks transposed"),
        ("1; 2; 3", (1, 3), "3x1 given, 1x3 expected: it looks transposed"),
        ("1 2; 3 4", (3, 2), "2x2 given, 3x2 expected"),
        ("5", (3, 2), "1x1 given, 3x2 expected"),
        (["1", "2", "3", "4", "5", "6"], (3, 2), "1x6 given, 3x2 expected"),
        ("1 2", (3,), "1x2 given, 3 numbers expected"),
        ("1, 2", (), "1x2 given, one number expected"),
        ("1 2; 3 4", (), "row 1, column 1: `1 2` is more than one number"),
        ("1 2; 3", (2, 2), "the rows have different lengths (2, 1): every row needs the same number of entries"),
        (
            [["1", "2"], ["3"]],
            (2, 2),
            "the rows have different lengths (2, 1): every row needs the same number of entries",
        ),
        ("", (2, 2), "is blank"),
        (" ; \n ", (2, 2), "is blank"),
        ([], (2, 2), "is blank"),
        ([[], []], (2, 2), "is blank"),
        ("[]", (2, 2), "is blank"),
        (["1", "", "3"], (3,), "entry 2: is blank"),
        ("1 2; nan 4", (2, 2), "row 2, column 1: `nan` is not a finite number"),
        ("1, inf", (2,), "entry 2: `inf` is not a finite number"),
        ([["1", "2"], ["3", "1e999"]], (2, 2), "row 2, column 2: `1e999` is too large"),
        ("0,62", (), "`0,62`: write a decimal point, not a comma"),
        ([["0,62", "0,38"], ["1", "0"]], (2, 2), "row 1, column 1: `0,62`: write a decimal point, not a comma"),
        ({"a": "1"}, (2, 2), "has names inside: give numbers, or a list of rows"),
        ([[["1", "2"]], ["3", "4"]], (2, 2), "is nested too deep: a matrix is a list of rows"),
        ([{"a": "1"}, ["3", "4"]], (2, 2), "is nested too deep: a matrix is a list of rows"),
        ("I did not finish this", (2, 2), "`I did not finish this` holds no number"),
        ("1 " * 10_001, (2, 2), "has more than 10000 entries"),
        ("1" * 100_001, (2, 2), "is too long to be numbers"),
    ],
)
def test_what_is_in_the_way_is_said_in_a_sentence(raw: RawAnswer, shape: Shape, sentence: str) -> None:
    assert refusal(raw, shape) == sentence


def test_another_shape_keeps_its_numbers_for_whoever_asks_why() -> None:
    with pytest.raises(WrongShapeError) as caught:
        read_array("1 2 3; 4 5 6", (3, 2))
    assert caught.value.given.values.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_shapes_are_told_in_words() -> None:
    assert [shape_text(shape) for shape in ((), (3,), (3, 2))] == ["one number", "3 numbers", "3x2"]


# Printed and read again

SHAPES = [(), (1,), (3,), (1, 1), (1, 3), (3, 1), (2, 2), (3, 2), (2, 5)]
# 0.01 steps, so that every way of printing holds the number.
ENTRIES = st.integers(-100_000, 100_000).map(lambda n: n / 100)
MATRICES = st.sampled_from(SHAPES).flatmap(lambda shape: arrays(np.float64, shape, elements=ENTRIES))


def as_rows(matrix: np.ndarray) -> list[list[str]]:
    return [[repr(float(each)) for each in row] for row in np.atleast_2d(matrix)]


def latex(matrix: np.ndarray, name: str) -> str:
    body = " \\\\\n".join(" & ".join(row) for row in as_rows(matrix))
    return f"\\begin{{{name}}}\n{body}\n\\end{{{name}}}"


def nested(matrix: np.ndarray) -> RawAnswer:
    return repr(float(matrix)) if matrix.ndim == 0 else [nested(each) for each in matrix]


FORMATS = {
    "YAML lists": nested,
    "MATLAB": lambda matrix: "; ".join(" ".join(row) for row in as_rows(matrix)),
    "MATLAB in brackets": lambda matrix: "[" + "; ".join(", ".join(row) for row in as_rows(matrix)) + "]",
    "MATLAB in YAML": lambda matrix: "; ".join(", ".join(row) for row in as_rows(matrix)).split(","),
    "lines": lambda matrix: "\n".join(" ".join(row) for row in as_rows(matrix)),
    "YAML list of rows": lambda matrix: [" ".join(row) for row in as_rows(matrix)],
    "Python": lambda matrix: str(matrix.tolist()),
    "numpy": lambda matrix: np.array2string(matrix, threshold=10_000),
    "Markdown": lambda matrix: "\n".join(f"| {' | '.join(row)} |" for row in as_rows(matrix)),
    "bmatrix": lambda matrix: latex(matrix, "bmatrix"),
    "pmatrix in dollars": lambda matrix: f"$${latex(matrix, 'pmatrix')}$$",
    "array": lambda matrix: r"\left[" + latex(matrix, "array").replace("{array}\n", "{array}{cc}\n", 1) + r"\right]",
    "hundredths": lambda matrix: "; ".join(
        ", ".join(rf"\frac{{{round(float(each) * 100)}}}{{100}}" for each in row) for row in np.atleast_2d(matrix)
    ),
}


@pytest.mark.parametrize("name", FORMATS)
@given(matrix=MATRICES)
@settings(max_examples=60, deadline=None)
def test_a_matrix_that_is_printed_reads_back_as_itself(name: str, matrix: np.ndarray) -> None:
    read = read_array(FORMATS[name](matrix), matrix.shape)
    assert read.shape == matrix.shape
    assert np.allclose(read.values, matrix, rtol=1e-12)


# Whatever comes

TEXTS = st.text(st.sampled_from("0123456789.-+/ \n;,[](){}&\\|$e½begindmatrxfc"), max_size=120) | st.text(max_size=60)
RAWS = st.recursive(
    TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=9,
)


@given(RAWS, st.sampled_from(SHAPES))
@settings(max_examples=1500, deadline=None)
def test_any_answer_is_finite_numbers_of_the_shape_or_a_sentence(raw: RawAnswer, shape: Shape) -> None:
    try:
        read = read_array(raw, shape)
    except UnreadableError as error:
        assert str(error)
    else:
        assert read.shape == read.decimals.shape == shape
        assert (np.abs(read.values) <= LARGEST).all()


FLOODS = {
    "spaces": " " * 99_990 + "x",
    "lines": "\n" * 99_990 + "1",
    "spaces after a bracket": "1]" + " " * 99_990 + "1",
    "brackets": "][" * 49_990,
    "bracket spaces": "] " * 49_990,
    "rows of one": "1;" * 49_990,
    "numbers": "1 " * 49_990,
    "digits": "9" * 99_990,
    "pipes": "|" * 99_990,
    "table rows": "\n|" * 49_990,
    "pipes and spaces": "| " * 49_990,
    "backslashes": "\\" * 99_990,
    "fractions": "\\frac" * 19_990,
    "matrices": "\\begin{bmatrix}" * 6_600,
    "arrays": "\\begin{array}{" + "l" * 99_900,
    "open": "(" * 99_990,
    "powers": "9^" * 49_990,
    "raised": "⁹" * 99_990,
    "halves": "1½" * 49_990,
    "operators before a half": "/ " * 49_990 + "½",
    "ligatures": "ﷺ" * 99_990,
    "mixed numbers": "1 1/2 " * 16_600,
    "carriage returns": "\r" * 99_990 + "1",
}


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("shape", [(), (3,), (3, 2)])
def test_a_flood_of_signs_is_refused_in_no_time(flood: str, shape: Shape) -> None:
    for raw in (FLOODS[flood], [FLOODS[flood]], [[FLOODS[flood]]]):
        began = time.perf_counter()
        try:
            read_array(raw, shape)
        except UnreadableError as error:
            assert len(str(error)) < 500
        assert time.perf_counter() - began < 3
