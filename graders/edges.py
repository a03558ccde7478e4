"""The lines of an attention plot: which input tokens an output token is connected to, as written and as derived."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from graders.intervals import Interval
from graders.numbers import UnreadableError
from harness.answers import is_blank
from harness.model import RawAnswer


@dataclass(frozen=True, slots=True)
class Edges:
    """The lines of one output token, to input tokens counted from 1."""

    solid: tuple[int, ...]
    dashed: tuple[int, ...] = ()


def read_plot(raw: RawAnswer, inputs: int, outputs: int) -> tuple[dict[int, Edges], list[str]]:
    """The lines of every output token that can be read, and a sentence for each that cannot."""
    given: dict[int, Edges] = {}
    sentences = []
    try:
        rows = list(_rows(raw))
    except UnreadableError as error:
        return {}, [str(error)]
    for output, lines in rows:
        try:
            if not 1 <= output <= outputs:
                raise UnreadableError(f"there is no such output token: they are 1 to {outputs}")
            if output in given:
                raise UnreadableError("is there twice")
            given[output] = _in_range(_lines(lines), inputs)
        except UnreadableError as error:
            sentences.append(f"output token {output}: {error}")
    named = {output for output, _ in rows}
    sentences += [f"output token {each} has no line" for each in range(1, outputs + 1) if each not in named]
    return given, sentences


def admits(weights: Interval, edges: Edges) -> tuple[bool, bool]:
    """Whether the solid and the dashed lines of a row are right, whichever way its ties and roundings fall."""
    if not edges.solid:
        return False, False
    every = set(range(1, len(weights) + 1))
    largest = {each for each in every if _may_be_largest(weights, each, every)}
    solid = largest.issuperset(edges.solid)
    # A wrong solid line costs its own points: the dashed one is then judged as if the solid one were right.
    first = [set(edges.solid)] if solid else [{each} for each in largest]
    return solid, any(_dashed_fit(weights, edges.dashed, every - taken) for taken in first)


def _dashed_fit(weights: Interval, dashed: tuple[int, ...], rest: set[int]) -> bool:
    if not dashed:
        return not any(_must_be_seen(weights, each) for each in rest)
    return all(each in rest and _may_be_largest(weights, each, rest) and _may_be_seen(weights, each) for each in dashed)


def derived(weights: Interval) -> Edges:
    """The lines of the exact row; of a tie, the first is solid."""
    order = np.argsort(-(weights.low + weights.high), kind="stable") + 1
    second = int(order[1]) if len(order) > 1 and _must_be_seen(weights, int(order[1])) else None
    return Edges((int(order[0]),), (second,) if second else ())


def _may_be_largest(weights: Interval, token: int, among: set[int]) -> bool:
    return bool(all(weights.high[token - 1] >= weights.low[other - 1] for other in among))


def _may_be_seen(weights: Interval, token: int) -> bool:
    """Its weight can be other than 0 after rounding."""
    return bool(weights.rounding.highest(weights.high)[token - 1] > 0)


def _must_be_seen(weights: Interval, token: int) -> bool:
    return bool(weights.rounding.lowest(weights.low)[token - 1] > 0)


def _rows(raw: RawAnswer) -> Iterator[tuple[int, RawAnswer]]:
    if isinstance(raw, Mapping):
        if len(raw) == 1 and isinstance(inner := next(iter(raw.values())), Mapping) and not _is_row(inner):
            raw = inner  # `edges:` around it
        for label, lines in raw.items():
            yield _number_in(label), lines
    elif isinstance(raw, str):
        for line in raw.splitlines():
            if any(character.isdigit() for character in line):
                yield _labelled(line)
    else:
        for row, lines in enumerate(raw, start=1):
            yield _labelled(lines) if isinstance(lines, str) and ":" in lines else (row, lines)


def _is_row(mapping: Mapping[str, RawAnswer]) -> bool:
    return bool({"solid", "dashed"} & {key.strip().lower() for key in mapping})


def _labelled(line: str) -> tuple[int, str]:
    match = re.fullmatch(r"[^0-9]{0,30}([0-9]{1,3})[ )*_`]{0,4}(?::|=|->|-->|→|attends to|to)(.*)", line.strip())
    if not match:
        raise UnreadableError(f"`{line.strip()[:60]}` cannot be read: write `3: solid 1, dashed 2`, output token first")
    return int(match[1]), match[2]


def _number_in(label: str) -> int:
    match = re.fullmatch(r"[^0-9]{0,30}([0-9]{1,3})[^0-9]{0,5}", label.strip())
    if not match:
        raise UnreadableError(f"`{label[:60]}` names no output token: write its number, such as 3: {{solid: 1}}")
    return int(match[1])


def _lines(raw: RawAnswer) -> Edges:
    if isinstance(raw, Mapping):
        unknown = [key for key in raw if key.strip().lower() not in ("solid", "dashed")]
        if unknown:
            raise UnreadableError(f"`{unknown[0][:60]}` is neither solid nor dashed")
        by_style = {key.strip().lower(): value for key, value in raw.items()}
        return Edges(_tokens(by_style.get("solid", "")), _tokens(by_style.get("dashed", "")))
    if isinstance(raw, str):
        return _lines_of_text(raw)
    numbers = [_tokens(each) for each in raw]  # [solid, dashed]
    return Edges(numbers[0] if numbers else (), tuple(each for more in numbers[1:] for each in more))


def _lines_of_text(text: str) -> Edges:
    start, *rest = re.split("(solid|dashed|dotted)", _without_weights(text.lower()))
    styles, told = rest[::2], rest[1::2]
    if not styles:
        numbers = _tokens(text)
        return Edges(numbers[:1], numbers[1:])
    if re.search("[0-9]", start):  # `1 solid, 2 dashed`
        told = [start, *told[:-1]]
    numbered = [(style, int(number)) for style, part in zip(styles, told, strict=True) for number in _NUMBER(part)]
    solid = tuple(number for style, number in numbered if style == "solid")
    return Edges(solid, tuple(number for style, number in numbered if style != "solid"))


_NUMBER = re.compile("[0-9]{1,3}").findall


def _without_weights(text: str) -> str:
    """`1 (0.62), 2 (38%)` without the weights beside the tokens."""
    return re.sub(r"[0-9]{0,9}\.[0-9]+|[0-9]{1,9}\s?%", " ", text)


def _tokens(raw: RawAnswer) -> tuple[int, ...]:
    if not isinstance(raw, str):
        return tuple(each for part in raw for each in _tokens(part))
    if is_blank(raw) or raw.strip().lower() in ("none", "no", "nothing", "0"):
        return ()
    numbers = _NUMBER(_without_weights(raw))
    if not numbers:
        raise UnreadableError(f"`{raw[:60]}` names no input token: write its number")
    return tuple(map(int, numbers))


def _in_range(edges: Edges, inputs: int) -> Edges:
    for token in (*edges.solid, *edges.dashed):
        if not 1 <= token <= inputs:
            raise UnreadableError(f"there is no input token {token}: they are 1 to {inputs}")
    if not edges.solid:
        raise UnreadableError("has no solid line: every output token has one, to the input that it weighs most")
    both = set(edges.solid) & set(edges.dashed)
    if both:
        raise UnreadableError(f"has a solid and a dashed line to the same input token {min(both)}")
    return edges
