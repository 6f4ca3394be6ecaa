"""Converts `output_type`, the short form of an answer's shape, into a JSON schema, and bounds a given JSON
schema."""

import re
from collections.abc import Iterator
from typing import Any

from lorekeep.errors import EngineError
from lorekeep.protocol import Generate

TYPES = {
    "str": "string",
    "string": "string",
    "int": "integer",
    "integer": "integer",
    "bool": "boolean",
    "boolean": "boolean",
    "float": "number",
    "number": "number",
}
# Bounds that every JSON reader handles without loss: integers up to 2^53 - 1, other numbers without exponent.
_MAX_MAGNITUDES = {"integer": 2**53 - 1, "number": 10**15}
_UNIONS = ("anyOf", "oneOf")
# Formats of texts that the grammar knows.
_FORMATS = frozenset(
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid"]
)
_NESTED_MAP = ("properties", "patternProperties", "$defs", "definitions")
_NESTED_ONE = ("items", "additionalProperties")


def schema_of(output_type: Any, place: str = "output_type") -> dict:
    """Schema of an `output_type` such as `{"name": "str", "kind": ["a", "b"], "tags": ["str"], "owner":
    {"age": "int"}}`: an object has exactly its keys in their order; a list with one type is an array of it;
    any other list enumerates values."""
    if isinstance(output_type, dict) and output_type:
        properties = {key: schema_of(value, f"{place}.{key}") for key, value in output_type.items()}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    if isinstance(output_type, str) and output_type.strip().lower() in TYPES:
        return {"type": TYPES[output_type.strip().lower()]}
    if isinstance(output_type, list) and output_type:
        only = output_type[0]
        if len(output_type) == 1 and (
            isinstance(only, dict | list) or (isinstance(only, str) and only.lower() in TYPES)
        ):
            return {"type": "array", "items": schema_of(only, f"{place}[]")}
        if all(isinstance(value, str | int | float | bool) or value is None for value in output_type):
            return {"enum": output_type}
    raise EngineError(
        "schema_impossible",
        f"{place} is {output_type!r:.100}. It can be one of {', '.join(TYPES)}, a list of values to choose from, "
        'a list of one type (["str"]), or an object with at least one key.',
    )


def requested_schema(request: Generate) -> dict | bool | None:
    return request.json_schema if request.output_type is None else schema_of(request.output_type)


def bounded(schema: Any, closed: bool = True, joined: frozenset[str] | None = None) -> Any:
    """The schema with bounds against endless output: numbers are bounded, and objects with named properties
    allow no others. Every document of the result satisfies the original. `joined` are the references to schemas
    that describe an object together with others."""
    if not isinstance(schema, dict):
        return schema
    if joined is None:
        joined = frozenset(_joined_references(schema))
    tight = dict(schema)
    for key in _NESTED_ONE:
        if key in tight:
            tight[key] = bounded(tight[key], True, joined)
    if isinstance(tight.get("prefixItems"), list):
        tight["prefixItems"] = [bounded(one, True, joined) for one in tight["prefixItems"]]
    unions = [key for key in _UNIONS if isinstance(tight.get(key), list)]
    # Properties beside alternatives describe one object together, so neither may forbid the others.
    closed = closed and not (unions and "properties" in tight)
    for key in unions:
        able = [one for one in tight[key] if not _looks_around(one)]
        tight[key] = [bounded(one, closed, joined) for one in able or tight[key]]
    if tight.get("type") == "string" and str(tight.get("format", "uri")) not in _FORMATS:
        del tight["format"]  # an annotation, which validators ignore
    if isinstance(tight.get("allOf"), list):
        # Parts of allOf describe one object together, so none may forbid properties of another.
        tight["allOf"] = [bounded(one, False, joined) for one in tight["allOf"]]
    for key in _NESTED_MAP:
        if isinstance(tight.get(key), dict):
            tight[key] = {
                name: bounded(one, f"#/{key}/{name}" not in joined, joined)
                for name, one in tight[key].items()
            }
    kind = tight.get("type")
    types = kind if isinstance(kind, list) else [kind]
    if "number" in types or "integer" in types:
        limit = _MAX_MAGNITUDES["number" if "number" in types else "integer"]
        low, high = (tight.get(key, tight.get(exclusive)) for key, exclusive in _BOUND_KEYS)
        if low is None and (high is None or high > -limit):
            tight["minimum"] = -limit
        if high is None and (low is None or low < limit):
            tight["maximum"] = limit
    others = {"additionalProperties", "patternProperties", "unevaluatedProperties", "allOf", "$ref"}
    if closed and "properties" in tight and not others & tight.keys():
        tight["additionalProperties"] = False
    return tight


def _looks_around(schema: Any) -> bool:
    """Whether an alternative has a pattern that the grammar does not support, as that of Pydantic's Decimal beside a number."""
    pattern = schema.get("pattern") if isinstance(schema, dict) else None
    return isinstance(pattern, str) and re.search(r"\(\?<?[=!]", pattern) is not None


def _joined_references(schema: Any, part: bool = False) -> Iterator[str]:
    """The references in parts of allOf, and those beside properties or alternatives."""
    if isinstance(schema, list):
        for one in schema:
            yield from _joined_references(one, part)
    elif isinstance(schema, dict):
        beside = part or "properties" in schema or any(key in schema for key in _UNIONS)
        if beside and isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for key, inside in schema.items():
            yield from _joined_references(inside, key == "allOf")


_BOUND_KEYS = (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
