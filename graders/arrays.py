"""Numbers laid out as people lay them out -> an array of the shape that was asked for.

`[[1, 3], [-1, 1]]` in YAML or as text, `1 3; -1 1`, one row a line, or between LaTeX's `\\begin{bmatrix}` and its end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graders.numbers import (
    CONSTANTS,
    FUNCTIONS,
    Number,
    Token,
    UnreadableError,
    is_decimal_comma,
    proper_fraction,
    read_number,
    tidied,
    tokenized,
)
from harness.model import RawAnswer

Shape = tuple[int, ...]
EXACT = -1
NUMBER_WORDS = {*FUNCTIONS, *CONSTANTS, "frac", "nan", "inf", "infinity", "infty"}
MOST_ENTRIES = 10_000


class WrongShapeError(UnreadableError):
    """It can be read, but it has another shape; keeps what was given, which may tell why."""

    def __init__(self, message: str, given: Written) -> None:
        super().__init__(message)
        self.given = given


@dataclass(frozen=True, slots=True)
class Written:
    """An array of numbers, each with the decimals it was written to (EXACT for a fraction)."""

    values: NDArray[np.float64]
    decimals: NDArray[np.int64]

    @property
    def shape(self) -> Shape:
        return self.values.shape

    def reshape(self, shape: Shape) -> Written:
        return Written(self.values.reshape(shape), self.decimals.reshape(shape))


def read_array(raw: RawAnswer, shape: Shape) -> Written:
    """The array that was written, in the shape that was asked for; a sentence says what is in the way."""
    rows = _rows(raw, shape)
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        told = ", ".join(str(len(row)) for row in rows)
        raise UnreadableError(f"the rows have different lengths ({told}): every row needs the same number of entries")
    return _shaped(_written(rows), shape)


def shape_text(shape: Shape) -> str:
    return "x".join(map(str, shape)) if len(shape) > 1 else f"{shape[0]} numbers" if shape else "one number"


def _written(rows: list[list[str]]) -> Written:
    if not rows or not rows[0]:
        raise UnreadableError("is blank")
    if len(rows) * len(rows[0]) > MOST_ENTRIES:
        raise UnreadableError(f"has more than {MOST_ENTRIES} entries")
    numbers = [[_entry(text, i, j, rows) for j, text in enumerate(row)] for i, row in enumerate(rows)]
    values = np.array([[number.value for number in row] for row in numbers])
    decimals = [[EXACT if number.decimals is None else number.decimals for number in row] for row in numbers]
    return Written(values, np.array(decimals))


def _entry(text: str, row: int, column: int, rows: list[list[str]]) -> Number:
    try:
        return read_number(text)
    except UnreadableError as error:
        if len(rows) == 1 and len(rows[0]) == 1:
            raise
        where = f"row {row + 1}, column {column + 1}" if len(rows) > 1 else f"entry {column + 1}"
        raise UnreadableError(f"{where}: {error}") from None


def _shaped(given: Written, shape: Shape) -> Written:
    if given.shape == shape:
        return given
    flat = 1 in given.shape and given.values.size == int(np.prod(shape))
    # A vector has no direction, and a list of numbers on one line is a column too where only a column fits.
    if flat and (len(shape) < 2 or (1 in shape and given.shape[0] == 1)):
        return given.reshape(shape)
    hint = ": it looks transposed" if given.shape == shape[::-1] else ""
    raise WrongShapeError(f"{shape_text(given.shape)} given, {shape_text(shape)} expected{hint}", given)


def _rows(raw: RawAnswer, shape: Shape) -> list[list[str]]:
    if isinstance(raw, str):
        return _rows_of_text(raw, shape)
    if isinstance(raw, Mapping):
        raise UnreadableError("has names inside: give numbers, or a list of rows")
    if all(isinstance(each, str) for each in raw):
        return _rows_of_strings([str(each) for each in raw], shape)
    return [_row_of_strings(each, shape[-1] if shape else 1) for each in raw]


def _rows_of_strings(texts: list[str], shape: Shape) -> list[list[str]]:
    """A YAML list of scalars is one row, unless each is itself a row: `- 1 3`."""
    if len(texts) == 1 or any(";" in text for text in texts):  # `[1, 3; -1, 1]` is a list to YAML
        return _rows_of_text(",".join(texts), shape)
    if len(shape) < 2 or 1 in shape:
        return [texts]
    rows = [_split_row(text, shape[-1]) for text in texts]
    return rows if all(len(row) > 1 for row in rows) else [texts]


def _row_of_strings(row: RawAnswer, width: int) -> list[str]:
    if isinstance(row, str):
        return _split_row(row, width)
    if isinstance(row, Mapping) or not all(isinstance(each, str) for each in row):
        raise UnreadableError("is nested too deep: a matrix is a list of rows")
    if len(row) == 1:  # `[[1 3], [-1 1]]`
        return _split_row(str(row[0]), width)
    return [str(each) for each in row]


def _rows_of_text(text: str, shape: Shape) -> list[list[str]]:
    if len(text) > 100 * MOST_ENTRIES // 10:
        raise UnreadableError("is too long to be numbers")
    plain = _unwrapped(tidied(_plain_matrix(text)))
    if not re.search("[0-9]", plain) and set(re.findall("[a-z]+", plain.lower())) - NUMBER_WORDS:
        raise UnreadableError(f"`{text.strip()[:60]}` holds no number")
    plain = re.sub(r"\]\s*(?:[,;]\s*)?\[", ";", plain)
    plain = _unwrapped(plain)
    if shape == () and is_decimal_comma(plain):
        return [[plain]]
    width = shape[-1] if shape else 1
    return [_split_row(row, width) for row in re.split(r"[;\n]", plain) if row.strip()]


def _plain_matrix(text: str) -> str:
    text = re.sub(r"\\begin\{(\w*matrix|array)\}(\{[lcr|]*\})?", " ", text)
    text = re.sub(r"\\end\{(\w*matrix|array)\}", " ", text)
    text = re.sub(r"(?m)^[ \t]*\|[-:| \t]+\|[ \t\r]*$", "", text)  # the line below a Markdown table's head
    text = re.sub(r"(?m)^[ \t]*\|(.*)\|[ \t\r]*$", lambda row: row[1].replace("|", ","), text)  # a Markdown table's row
    return text.replace("\\\\", ";").replace("&", ",")


def _unwrapped(text: str) -> str:
    text = re.sub(r"^\s*(?:=|≈|\\approx)\s*", "", text).strip()
    if text[:1] == "[" and text[-1:] == "]":
        return text[1:-1].strip()
    if text[:1] == "(" and text[-1:] == ")" and "," in text:
        return text[1:-1].strip()
    return text


def _split_row(row: str, width: int) -> list[str]:
    """The entries of one row, between commas, or else between spaces."""
    if "," in row:
        return [_one(entry.strip(), row) for entry in row.strip().removesuffix(",").split(",")]
    if width == 1:
        return [row.strip()]
    return _split_at_spaces(tokenized(tidied(row)), width)


def _one(entry: str, row: str) -> str:
    """The entry, unless it is two: in `2,5 -2` the comma is meant as a point."""
    if len(_split_at_spaces(tokenized(tidied(entry)), 1)) > 1:
        told = "put commas or spaces between entries and not both, and write a decimal point"
        raise UnreadableError(f"`{row.strip()[:60]}`: {told}")
    return entry


def _split_at_spaces(tokens: Sequence[Token], width: int) -> list[str]:
    entries: list[list[Token]] = []
    depth = 0
    for at, token in enumerate(tokens):
        starts = depth == 0 and token.spaced and _starts_entry(tokens, at)
        if not entries or starts:
            entries.append([])
        entries[-1].append(token)
        depth += (token.text in "({") - (token.text in ")}")
    if len(entries) > width:
        entries = _mixed_together(entries, width)
    return ["".join((" " if token.spaced else "") + token.text for token in entry).strip() for entry in entries]


def _starts_entry(tokens: Sequence[Token], at: int) -> bool:
    """As in MATLAB: `1 -2` is two entries, `1 - 2` and `1-2` are one."""
    if at == 0:
        return False
    if tokens[at - 1].text in "+-*/^({":
        return False
    if tokens[at].text in "+-":
        return at + 1 < len(tokens) and not tokens[at + 1].spaced
    return tokens[at].text not in "*/^)}"


def _mixed_together(entries: list[list[Token]], width: int) -> list[list[Token]]:
    """`2 1/2 -2` in a row of two: where there are too many entries, a whole number and a fraction are one."""
    together: list[list[Token]] = []
    for entry in entries:
        before = together[-1] if together else []
        whole = "".join(token.text for token in before).lstrip("-+").isdigit()
        fraction = proper_fraction(entry)
        if whole and fraction and fraction[1] == len(entry):
            together[-1] = before + entry
        else:
            together.append(entry)
    return together if len(together) == width else entries
