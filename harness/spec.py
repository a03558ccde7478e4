"""A folder of `problems/` -> ProblemSet: read, validated, and every complaint told at once with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from harness.errors import Complaint, SpecError
from harness.model import Check, ProblemSet, Question
from harness.validation import Points, Strict, did_you_mean, validate
from harness.yamlfile import Location, YamlFile, read_yaml

SET_FILE = "problem-set.yaml"

QuestionId = Annotated[
    str,
    BeforeValidator(lambda id: str(id) if type(id) is int else id),  # question: 7
    Field(pattern=r"^[0-9]+[a-z]*(\.[0-9a-z]+)*$"),
]
SetId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Line = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n]*$")]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]


class SetSpec(Strict):
    """`problem-set.yaml`: what the whole set says of itself."""

    format: Literal[1]
    """The version of this file format."""
    id: SetId
    title: Line
    course: Line = ""
    points: Points
    """What all checks without extra credit add up to; audit compares."""
    extra_points: Points = Field(default=0, validate_default=True)
    """What all checks with extra credit add up to."""
    source: Text = "ours"
    """Where the facts and figures come from."""


class CheckSpec(Strict):
    """One check of a question; kinds add what they need to know."""

    title: Line
    """The line that the student reads in the report."""
    points: Points


class QuestionSpec(Strict):
    """What a question of any kind says; each kind adds its own keys."""

    question: QuestionId
    kind: str
    title: Line
    prompt: Text
    extra_credit: bool = False
    follows: QuestionId | None = None
    """The earlier question whose `given` and answers this one goes on from."""
    checks: Mapping[str, Any] = Field(min_length=1)
    key: Any = None
    """All that a student must not see. A release has no `key`."""

    @classmethod
    def faults(cls, written: Mapping[str, Any]) -> Iterator[tuple[Location, str]]:
        """What is wrong between one key and another, each with its place. Looks at the file as it was written, so
        that a slip in one line hides no other; kinds add their own."""
        yield from _wrong_ids(mapping_in(written, "checks"), str(written.get("question", "")))


def mapping_in(written: Any, *keys: str) -> Mapping[str, Any]:
    """The mapping at this place of a file, or an empty one where something else stands."""
    for key in keys:
        written = written.get(key) if isinstance(written, dict) else None
    return written if isinstance(written, dict) else {}


def load_problem_set(folder: Path, kinds: Mapping[str, Callable[[], type[QuestionSpec]]]) -> ProblemSet:
    """The set in this folder; `kinds` gives the model of each kind's YAML when it is first met."""
    file, complaints = read_yaml(folder / SET_FILE)
    settings, wrong = validate(SetSpec, file) if file.whole else (None, [])
    complaints += wrong
    if settings and settings.id != folder.name:
        complaints.append(file.complaint(("id",), f"`id` must be the folder's name, `{folder.name}`"))
    questions = [_load_question(path, kinds, complaints) for path in _question_files(folder)]
    found = sorted((each for each in questions if each), key=lambda question: _natural(question.id))
    complaints += _wrong_order({path.stem for path in _question_files(folder)}, found)
    if not questions:
        complaints.append(Complaint(folder / SET_FILE, 1, "the set has no question: add one beside this file"))
    if complaints or settings is None:
        raise SpecError(complaints)
    return ProblemSet(
        id=settings.id,
        title=settings.title,
        points=settings.points,
        extra_points=settings.extra_points,
        questions=tuple(found),
        root=folder,
        source=file,
    )


def _question_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.yaml") if path.name != SET_FILE)


def _load_question(
    path: Path, kinds: Mapping[str, Callable[[], type[QuestionSpec]]], complaints: list[Complaint]
) -> Question | None:
    file, unreadable = read_yaml(path)
    complaints += unreadable
    if not file.whole:
        return None
    if not isinstance(file.value, dict):
        if not unreadable:
            complaints.append(file.complaint((), "the file must hold `key: value` lines"))
        return None
    named = str(file.value.get("question", path.stem))
    if named != path.stem:
        complaints.append(file.complaint(("question",), f"question {named} must be in {named}.yaml"))
    model, unknown = _model_for(file, kinds)
    spec, wrong = validate(model, file)
    complaints += unknown + wrong + [file.complaint(place, told) for place, told in model.faults(file.value)]
    if spec is None or unreadable or unknown:
        return None
    return Question(
        id=spec.question,
        kind=spec.kind,
        title=spec.title,
        prompt=spec.prompt,
        checks=tuple(_check(spec, id, check) for id, check in spec.checks.items()),
        extra_credit=spec.extra_credit,
        follows=spec.follows,
        spec=spec,
        source=file,
    )


def _model_for(
    file: YamlFile, kinds: Mapping[str, Callable[[], type[QuestionSpec]]]
) -> tuple[type[QuestionSpec], list[Complaint]]:
    kind = file.value.get("kind")
    if kind in kinds:
        return kinds[kind](), []
    if "kind" not in file.value:
        return _AnyKind, []  # the model says that it is missing
    hint = did_you_mean(str(kind), kinds) or f"; there are {', '.join(sorted(kinds))}"
    complaint = file.complaint(("kind",), f"unknown kind `{kind}`{hint}")
    nearest = hint.split("`")[1] if "`" in hint else None
    return (kinds[nearest]() if nearest else _AnyKind), [complaint]


class _AnyKind(QuestionSpec):
    """Stands in when the kind is not known, so that the other mistakes are still told."""

    model_config = ConfigDict(extra="ignore")
    checks: Mapping[str, CheckSpec]


def _check(spec: QuestionSpec, id: str, check: CheckSpec) -> Check:
    return Check(
        id=id,
        question=spec.question,
        visibility="basic" if id.endswith("-basic") else "hidden",
        title=check.title,
        points=check.points,
        extra_credit=spec.extra_credit,
    )


def _wrong_ids(checks: Mapping[str, Any], question: str) -> Iterator[tuple[Location, str]]:
    numbers: set[str] = set()
    for id in checks:
        place = ("checks", id)
        match = re.fullmatch(r"(.+)-(\d+)-(basic|hidden)", id)
        if not match:
            yield place, f"check `{id}` must be named like `{question}-0-basic` or `{question}-1-hidden`"
        elif match[1] != question:
            yield place, f"check `{id}` stands in question {question}: call it `{question}-{match[2]}-{match[3]}`"
        elif match[2] in numbers:
            yield place, f"check `{id}` has the number of another check: numbers are used once in a question"
        else:
            numbers.add(match[2])


def _wrong_order(known: set[str], questions: list[Question]) -> Iterator[Complaint]:
    for question in questions:
        follows = question.follows
        if follows is None:
            continue
        if follows not in known:
            hint = did_you_mean(follows, known)
            yield question.source.complaint(("follows",), f"there is no question `{follows}` to follow{hint}")
        elif _natural(follows) >= _natural(question.id):
            yield question.source.complaint(("follows",), f"`{follows}` does not come before {question.id}")


def _natural(id: str) -> list[tuple[int, str]]:
    """Sorts 2a before 10a."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.findall(r"\d+|\D+", id)]
