"""The computation behind a question: its givens, the reference that turns them into the key, and its misconceptions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, WithJsonSchema

from graders.intervals import Rounding
from graders.working import Computation
from harness.errors import SpecError
from harness.model import ProblemSet, Question
from harness.spec import QuestionSpec, Text
from harness.validation import Strict, did_you_mean

CANNOT_COMPUTE = (ValueError, TypeError, ArithmeticError, IndexError)
"""What numpy raises where matrices do not fit: the author's `given`, so the author is told."""


def _rectangular(value: Any) -> Any:
    try:
        array = np.array(value, dtype=np.float64)
    except (ValueError, TypeError):
        raise ValueError("must be a number, a list of numbers, or rows of numbers of one length") from None
    if array.size == 0 or not np.isfinite(array).all() or any(isinstance(each, str) for each in np.ravel(value)):
        raise ValueError("must be finite numbers, at least one")
    return value


Numbers = Annotated[
    Any, AfterValidator(_rectangular), WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "array"}]})
]


class RoundSpec(Strict):
    """How the student is told to round."""

    decimals: int = Field(ge=0, le=8)
    every_step: bool = False
    """Whether every step is rounded, and not only the result."""


class Key(Strict):
    """What leads to the right answer."""

    reference: Annotated[str, Field(pattern=r"^[a-z_0-9]+\.[a-z_0-9]+$")] | None = None
    """A function in `reference/`, as `file.function`, that yields every step from `given`."""
    options: Mapping[str, bool | int | float] = {}
    """What else the reference is told, such as `scaled: false`."""
    published: Mapping[str, Numbers] = {}
    """The values that the course printed; audit compares them with the computed ones."""
    erratum: Text | None = None
    """Why the published values may differ from the computed ones."""
    accept_published: bool = False
    """Whether a published value earns the points as well, under its erratum; the mark is flagged."""
    misconceptions: tuple[str, ...] = ()
    """Functions beside the reference, in `<file>_misconceptions`: wrong ways that are told by name."""


class ComputedSpec(QuestionSpec):
    """What every kind says whose key is computed."""

    given: Mapping[str, Numbers] = {}
    """The numbers of the question, by the names that the reference gives them."""
    round: RoundSpec | None = None
    key: Key | None = None


@dataclass(frozen=True, slots=True)
class Misconception:
    """A named wrong way to compute it, and the sentence that tells a student of it."""

    name: str
    sentence: str
    computation: Computation


def chain_of(question: Question, problem_set: ProblemSet) -> list[Question]:
    """The questions that this one goes on from, first to last, and itself."""
    if question.follows is None:
        return [question]
    return [*chain_of(problem_set.question(question.follows), problem_set), question]


def rounding_of(question: Question, problem_set: ProblemSet) -> Rounding:
    """The nearest `round:` of the chain; where none is said, four decimals of the exact result are enough."""
    said = (each.spec.round for each in reversed(chain_of(question, problem_set)))
    spec = next((each for each in said if each is not None), RoundSpec(decimals=4))
    return Rounding(spec.decimals, spec.every_step)


def given_to(question: Question, problem_set: ProblemSet) -> dict[str, NDArray[np.float64]]:
    """The givens of the whole chain, as arrays."""
    chain = chain_of(question, problem_set)
    return {name: np.array(value, dtype=np.float64) for each in chain for name, value in each.spec.given.items()}


def computation_of(question: Question, problem_set: ProblemSet) -> Computation:
    """The reference, ready to run on the givens."""
    asked = _with_reference(question, problem_set)
    function = reference_function(asked, ("key", "reference"), asked.spec.key.reference)
    return _ready(asked, ("key", "reference"), function, given_to(question, problem_set))


def misconceptions_of(question: Question, problem_set: ProblemSet) -> Iterator[Misconception]:
    """The bank of the question and of those it follows, its own first."""
    asked = _with_reference(question, problem_set)
    bank = f"{asked.spec.key.reference.partition('.')[0]}_misconceptions"
    given = given_to(question, problem_set)
    told: set[str] = set()
    for each in reversed(chain_of(question, problem_set)):
        for index, name in enumerate(each.spec.key.misconceptions if each.spec.key else []):
            place = ("key", "misconceptions", index)
            function = reference_function(each, place, f"{bank}.{name}")
            if name not in told:
                yield Misconception(name, inspect.getdoc(function) or name, _ready(asked, place, function, given))
            told.add(name)


def _with_reference(question: Question, problem_set: ProblemSet) -> Question:
    for each in reversed(chain_of(question, problem_set)):
        if each.spec.key and each.spec.key.reference:
            return each
    missing = "`key.reference` is missing: name a function of reference/, such as attention.self_attention"
    raise SpecError([question.source.complaint(("key",), missing)])


def reference_function(question: Question, place: tuple[str | int, ...], path: str) -> Callable[..., Any]:
    module_name, _, function_name = path.partition(".")
    try:
        module = import_module(f"reference.{module_name}")
    except ModuleNotFoundError:
        raise SpecError([question.source.complaint(place, f"there is no reference/{module_name}.py")]) from None
    function = getattr(module, function_name, None)
    if not callable(function):
        public = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        hint = did_you_mean(function_name, public)
        told = f"reference/{module_name}.py has no function `{function_name}`{hint}"
        raise SpecError([question.source.complaint(place, told)])
    return function  # type: ignore[no-any-return]


def _ready(
    question: Question, place: tuple[str | int, ...], function: Callable[..., Any], given: Mapping[str, Any]
) -> Computation:
    options = question.spec.key.options
    try:
        inspect.signature(function, follow_wrapped=False).bind(**given, **options)
    except TypeError as error:
        told = f"`{function.__name__}` does not fit `given` and `options`: {error}"
        raise SpecError([question.source.complaint(place, told)]) from None
    return partial(function, **given, **options)
