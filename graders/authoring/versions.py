"""Versions of an exam: the same set with its choices, and the options of each, in another order.

A version is a problem set like any other, so that grading, reports and releases know nothing of it: in version B
question 1.1 is what stands first on paper B, its key follows, and `A` is the option that is printed there as A.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from graders.mcq import Spec
from harness.errors import UsageError
from harness.model import ProblemSet, Question
from harness.yamlfile import YamlFile

AS_WRITTEN = "A"


def version_of(problem_set: ProblemSet, version: str) -> ProblemSet:
    """The set as it is printed in this version; version A is the set as it was written."""
    if not re.fullmatch("[A-Z]", version):
        raise UsageError(f"`{version}` is no version: write a capital letter, such as B")
    if version == AS_WRITTEN:
        return problem_set
    title = f"{problem_set.title}, version {version}"
    places = _places(problem_set, version)
    moved = {place: _in_version(question, place, f"{problem_set.id}/{version}") for place, question in places.items()}
    return replace(
        problem_set,
        title=title,
        questions=tuple(moved.get(question.id, question) for question in problem_set.questions),
        source=YamlFile(problem_set.source.path, {**problem_set.source.value, "title": title}),
    )


def _places(problem_set: ProblemSet, version: str) -> dict[str, Question]:
    """Which choice stands at which number: those of a section change places, but for what another question follows."""
    followed = {question.follows for question in problem_set.questions}
    sections: dict[str, list[Question]] = {}
    for question in problem_set.questions:
        if question.kind == "mcq" and question.follows is None and question.id not in followed:
            sections.setdefault(_section(question.id), []).append(question)
    return {
        place: questions[number]
        for questions in sections.values()
        for place, number in zip(
            [question.id for question in questions],
            _shuffled([question.id for question in questions], f"{problem_set.id}/{version}"),
            strict=True,
        )
    }


def _section(id: str) -> str:
    """1.3 stands in `1.`, 2b in `2`, 12 in none."""
    return re.sub(r"(?:[0-9]+|[a-z]+)$", "", id)


def _shuffled(names: Sequence[str], seed: str) -> list[int]:
    """The numbers of these names in an order that anyone can compute again, in any language and year."""
    digests = [hashlib.sha256(f"{seed}/{name}".encode()).hexdigest() for name in names]
    return sorted(range(len(names)), key=digests.__getitem__)


def _in_version(question: Question, place: str, seed: str) -> Question:
    """The question at another number, with its options in another order."""
    came_from = _order(question.spec, f"{seed}/{question.id}")
    written = _renumbered(_reordered(question.source.value, came_from), question.id, place)
    return replace(
        question,
        id=place,
        checks=tuple(
            replace(check, id=_moved(check.id, question.id, place), question=place) for check in question.checks
        ),
        spec=Spec.model_validate(written),
        source=YamlFile(question.source.path.with_name(f"{place}.yaml"), written),  # of no file: without lines,
    )


def _order(spec: Spec, seed: str) -> dict[str, str]:
    """For each letter of this version, the letter that its option was written under."""
    movable = [letter for letter, option in spec.options.items() if not option.fixed]
    moved = dict(zip(movable, (movable[number] for number in _shuffled(movable, seed)), strict=True))
    return {letter: moved.get(letter, letter) for letter in spec.options}


def _reordered(written: Mapping[str, Any], came_from: Mapping[str, str]) -> dict[str, Any]:
    options = {letter: written["options"][before] for letter, before in came_from.items()}
    if "key" not in written:
        return {**written, "options": options}
    now = {before: letter for letter, before in came_from.items()}
    answer = written["key"]["answer"]
    mapped = now[answer] if isinstance(answer, str) else sorted(now[letter] for letter in answer)
    # A proof speaks of the letters as they were written, and has been run on them.
    key = {name: each for name, each in written["key"].items() if name not in ("proof", "asks")}
    return {**written, "options": options, "key": {**key, "answer": mapped}}


def _renumbered(written: Mapping[str, Any], id: str, place: str) -> dict[str, Any]:
    checks = {_moved(check, id, place): each for check, each in written["checks"].items()}
    return {**written, "question": place, "checks": checks}


def _moved(check: str, id: str, place: str) -> str:
    return f"{place}{check.removeprefix(id)}"
