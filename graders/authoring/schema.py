"""The JSON Schema of problem files, from the same models that validate them: an editor completes what we accept."""

from __future__ import annotations

import inspect
import json
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from graders.kinds import KINDS, kind_named
from harness.spec import QuestionSpec, SetSpec


def schema_text() -> str:
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def schema() -> dict[str, Any]:
    """One schema for both sorts of file: a problem set has a `format`, a question has a `kind`."""
    specs: dict[str, type[QuestionSpec]] = {kind: kind_named(kind).Spec for kind in KINDS}
    models: list[type[BaseModel]] = [SetSpec, *specs.values()]
    refs, definitions = models_json_schema(
        [(model, "validation") for model in models], title="gradecheck problem files"
    )
    chosen: dict[str, Any] = {"required": ["kind"], "properties": {"kind": {"enum": sorted(KINDS)}}}
    for kind, model in sorted(specs.items()):
        chosen = {
            "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
            "then": refs[(model, "validation")],
            "else": chosen,
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gradecheck problem files",
        "if": {"required": ["format"]},
        "then": refs[(SetSpec, "validation")],
        "else": chosen,
        "$defs": {name: _tidy(each) for name, each in definitions["$defs"].items()},
    }


def _tidy(definition: dict[str, Any]) -> dict[str, Any]:
    """Descriptions as one line: editors show them beside the cursor."""
    if "description" in definition:
        definition["description"] = " ".join(inspect.cleandoc(definition["description"]).split())
    return definition
