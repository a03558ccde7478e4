"""A YAML file against the model of what may stand in it: all complaints at once, each with its line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails, PydanticCustomError

from harness.errors import Complaint
from harness.yamlfile import Location, YamlFile

Points = Annotated[
    Decimal,
    Field(ge=0, le=1000, decimal_places=2),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1000}),
]


class Strict(BaseModel):
    """What every model of a YAML file starts from: no key that nobody reads, and nothing changes later."""

    # The sentence under a field is what an editor shows.
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], file: YamlFile) -> tuple[Model | None, list[Complaint]]:
    """The file's content as the model, or everything that is wrong with it."""
    if not isinstance(file.value, dict):
        return None, [file.complaint((), "the file must hold `key: value` lines")]
    try:
        return model.model_validate(file.value), []
    except ValidationError as error:
        errors = error.errors()
        return None, [
            each for details in errors if not _follows(details, errors) for each in _complaints(model, file, details)
        ]


def several(faults: Iterable[tuple[Location, str]]) -> None:
    """Lets a validator report more than one fault, each at its own place below the field; none is fine."""
    found = list(faults)
    if found:
        raise PydanticCustomError("several", "see faults", {"faults": found})


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """`; did you mean \\`title\\`?`, or nothing where nothing comes near."""
    near = difflib.get_close_matches(given.lower(), {each.lower(): each for each in known}, n=1, cutoff=0.6)
    return f"; did you mean `{near[0]}`?" if near else ""


def _follows(details: ErrorDetails, errors: Iterable[ErrorDetails]) -> bool:
    """A list is `too short` when its items are wrong: the items are the fault."""
    loc = details["loc"]
    return details["type"] == "too_short" and any(each["loc"][: len(loc)] == loc != each["loc"] for each in errors)


def _complaints(model: type[BaseModel], file: YamlFile, details: ErrorDetails) -> Iterator[Complaint]:
    loc = tuple(part for part in details["loc"] if part != "[key]")
    place = _written(file.value, loc)
    name = next((part for part in reversed(loc) if isinstance(part, str)), "")
    match details["type"]:
        case "extra_forbidden":
            hint = did_you_mean(name, _allowed(model, loc[:-1]))
            yield file.complaint(place, f"unknown key `{name}`{hint}")
        case "missing":
            yield file.complaint(place, f"`{name}` is missing{_inside(loc[:-1])}")
        case "several":
            for below, message in details["ctx"]["faults"]:
                yield file.complaint((*place, *below), message)
        case "value_error":
            yield file.complaint(place, f"`{_dotted(loc)}`: {details['ctx']['error']}")
        case _:
            yield file.complaint(place, f"`{_dotted(loc)}`: {_plainly(details)}")


def _plainly(details: ErrorDetails) -> str:
    message = details["msg"].replace("Input should be ", "must be ").replace("a valid tuple", "a list")
    message = message.replace("a valid dictionary", "a mapping of `key: value`").replace("a valid string", "text")
    given = details["input"]
    return f"{message}, not {given!r}" if isinstance(given, str | int | float) else message


def _inside(loc: Location) -> str:
    return f" in `{_dotted(loc)}`" if loc else ""


def _dotted(loc: Location) -> str:
    return ".".join(str(part) for part in loc)


def _written(value: Any, loc: Location) -> Location:
    """The part of a pydantic location that stands in the file: without union tags and what is missing."""
    place: list[str | int] = []
    for part in loc:
        inside_mapping = isinstance(value, dict) and part in value
        inside_list = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if inside_mapping or inside_list:
            value = value[part]
            place.append(part)
    return tuple(place)


def _allowed(model: type[BaseModel], loc: Location) -> list[str]:
    """The keys that a mapping at this place may have."""
    models = [model]
    for part in loc:
        deeper = [
            below
            for each in models
            if isinstance(part, str) and part in each.model_fields
            for below in _models_in(each.model_fields[part].annotation)
        ]
        # A key of a free mapping (a check's id) or a list index leads to the models that it holds: stay.
        models = deeper or models
    return [field for each in models for field in each.model_fields]


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]
