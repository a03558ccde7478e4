"""What of a problem set everyone may see: its YAML without `key`. And what nobody may find there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from graders.computation import CANNOT_COMPUTE, ComputedSpec, computation_of, rounding_of
from harness.errors import SpecError
from harness.model import ProblemSet, Question
from harness.yamlfile import Location, core_scalar
from reference.steps import run

SHORTEST_TEXT = 12
"""Characters: `scaled` or `map` stand in any text on attention, whole phrases do not by chance."""
FEWEST_NUMBERS = 6
"""Numbers in a row: four of them stand in a prompt by chance, a whole matrix does not."""
PROGRAMS = ("graders", "harness")
IN_PROGRAMS = 3
"""How many times as long a secret must be to count there: programs are the same for every set, and full of words
and numbers."""
LARGEST_FILE = 5_000_000


@dataclass(frozen=True, slots=True)
class Secret:
    """One value that must not leave the house."""

    question: Question
    place: Location
    value: str
    """A phrase, or numbers one after another."""
    is_numbers: bool


def public_yaml(value: dict[str, Any]) -> str:
    """The file without its key. Written anew from its values: a comment may tell what the key says."""
    return as_yaml({name: each for name, each in value.items() if name != "key"})


def as_yaml(value: Any) -> str:
    """YAML that our own reader reads back as the same values."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)


class _Dumper(yaml.SafeDumper):
    """Quotes whatever our reader would not take for text, and keeps paragraphs readable."""

    def ignore_aliases(self, data: Any) -> bool:
        return True  # our reader refuses aliases


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None if isinstance(core_scalar(text), str) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def secrets_of(problem_set: ProblemSet) -> list[Secret]:
    """Every phrase and every array of numbers under a `key`, and every step that a reference computes, but for what
    the set says in the open itself."""
    open_words = _folded(" ".join(question.prompt for question in problem_set.questions))
    found = [each for question in problem_set.questions for each in _secrets_in(question, problem_set)]
    return [each for each in found if each.is_numbers or each.value not in open_words]


def _secrets_in(question: Question, problem_set: ProblemSet) -> Iterator[Secret]:
    yield from _written(question, question.source.value.get("key"), ("key",))
    if isinstance(question.spec, ComputedSpec) and question.spec.key:
        decimals = rounding_of(question, problem_set).decimals
        # What cannot be computed is told where the question is proved.
        with suppress(SpecError, *CANNOT_COMPUTE):
            for value in run(computation_of(question, problem_set)()).values():
                yield from _numbers(question, ("key",), np.round(value, decimals))


def _written(question: Question, value: Any, place: Location) -> Iterator[Secret]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _written(question, each, (*place, name))
    elif isinstance(value, list) and _is_numeric(value):
        yield from _numbers(question, place, value)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _written(question, each, (*place, index))
    elif isinstance(value, str) and len(value) >= SHORTEST_TEXT:
        yield Secret(question, place, _folded(value), is_numbers=False)


def _numbers(question: Question, place: Location, value: Any) -> Iterator[Secret]:
    flat = np.ravel(value)
    if len(flat) >= FEWEST_NUMBERS and len(set(flat.tolist())) > 1:
        yield Secret(question, place, " ".join(_shown(number) for number in flat), is_numbers=True)


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_numeric(each) for each in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def found_in(folder: Path, secrets: Sequence[Secret]) -> Iterator[tuple[Path, Secret]]:
    """Every secret that stands in a file of the folder, or in the name of one."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= LARGEST_FILE:
            name = path.relative_to(folder)
            text = f"{name}\n{path.read_bytes().decode('utf-8', errors='replace')}"
            words = _folded(text)
            numbers = f" {' '.join(_shown(float(each)) for each in re.findall(r'-?[0-9]+(?:[.][0-9]+)?', text))} "
            for secret in secrets:
                stands = f" {secret.value} " in numbers if secret.is_numbers else secret.value in words
                if stands and (name.parts[0] not in PROGRAMS or _is_long(secret)):
                    yield name, secret


def _is_long(secret: Secret) -> bool:
    if secret.is_numbers:
        return secret.value.count(" ") + 1 >= IN_PROGRAMS * FEWEST_NUMBERS
    return len(secret.value) >= IN_PROGRAMS * SHORTEST_TEXT


def _shown(number: float) -> str:
    return f"{number + 0.0:.12g}"  # + 0.0: minus zero is zero


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
