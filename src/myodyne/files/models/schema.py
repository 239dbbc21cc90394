"""The JSON schema of model files, for editors and other programs.

`docs/model.schema.json` holds `schema_text()`; a test compares them.
"""

from __future__ import annotations

import json
from typing import Any, get_args

from pydantic import BeforeValidator
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from myodyne.files.models.grammar import JointEntry, ModelEntry
from myodyne.model import Function, FunctionPath, Inertia, PathPoint, PointPath
from myodyne.model.joints import CONSTRUCTORS
from myodyne.model.part import AXES, Direction
from myodyne.model.paths import PointOfPath

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_NAME = {"type": "string", "minLength": 1, "maxLength": 120}
_NUMBER = {"type": "number"}


def model_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of model files.

    It knows fields, types, limits and short forms. What only the whole model shows, such as an unknown body
    or an inertia that no body has, is found by `load_model`.

    Examples
    --------
    >>> model_schema()["required"]
    ['name']
    """
    schema = ModelEntry.model_json_schema(schema_generator=_Generator)
    joint = schema["$defs"][JointEntry.__name__]
    for part in schema["$defs"].values():
        # Descriptions come from docstrings, whose examples are in Python: of no use to a writer of YAML.
        if "description" in part:
            part["description"] = part["description"].partition("\n\nExamples\n")[0]
    # The kind has a default where a model is built in Python, but a file must say it unless other fields do.
    implied = {kind.__name__ for kind in (PointPath, FunctionPath, PathPoint)}
    for name, part in schema["$defs"].items():
        if "kind" in part["properties"] and name not in implied:
            del part["properties"]["kind"]["default"]
            part["required"] = ["kind", *part.get("required", ())]
    inertia = schema["$defs"][Inertia.__name__]
    schema["$defs"][Inertia.__name__] = {"anyOf": [{**_NUMBER, "minimum": 0}, inertia]}
    # One way to move, as the grammar demands it.
    joint["oneOf"] = [{"required": [field]} for field in (*CONSTRUCTORS, "axes")]
    joint["dependentRequired"] = {"coordinates": ["axes"]}
    return {"$schema": DIALECT, **schema, "title": "myodyne model"}


def schema_text() -> str:
    """Return the JSON schema as the text that is published."""
    return json.dumps(model_schema(), indent=2, ensure_ascii=False) + "\n"


def _before(annotation: object) -> object:
    """Return the function that reads the short forms of an annotated type."""
    return next(item.func for item in get_args(annotation) if isinstance(item, BeforeValidator))


class _Generator(GenerateJsonSchema):
    """Adds what is accepted besides the full form: letters for directions, names and numbers for functions."""

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        full = super().function_before_schema(schema)
        reader = schema["function"]["function"]
        if reader is _before(Direction):
            return {"anyOf": [{"enum": [f"{sign}{letter}" for sign in ("", "-") for letter in AXES]}, full]}
        if reader is _before(Function):
            return {"anyOf": [_NAME, _NUMBER, full]}
        if reader is _before(PointOfPath):
            place = {"type": "array", "prefixItems": [_NUMBER] * 3, "minItems": 3, "maxItems": 3}
            return {"anyOf": [{"type": "array", "prefixItems": [_NAME, place], "minItems": 2, "maxItems": 2}, full]}
        return full

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        # None stands for a missing field, and is not written.
        if described.get("default", ...) is None:
            del described["default"]
        return described

    def field_title_should_be_set(self, schema: object) -> bool:
        # A title made from the field's name would only repeat it.
        return False
