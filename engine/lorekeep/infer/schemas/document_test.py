"""Documents of schemas: given values, empty ones, and refusals are always valid."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from lorekeep.infer.constrain_test import FREE, NESTED, OBJECT, PERSON, fits
from lorekeep.infer.output_type import schema_of
from lorekeep.infer.schemas.document import Document, Path, document, refusal
from lorekeep.infer.schemas.shape import Alternative
from lorekeep.infer.schemas.shape_test import PYDANTIC, ZOD

STRING, NUMBER = {"type": "string"}, {"type": "number"}


class Values:
    def __init__(self, values: Mapping[Path, Any]):
        self.given = values

    def values(self, path: Path, one: Alternative) -> Sequence[str]:
        return [json.dumps(self.given[path], ensure_ascii=False)] if path in self.given else []

    def has(self, path: Path) -> bool:
        return any(one[: len(path)] == path for one in self.given)

    def count(self, path: Path) -> int:
        size = len(path)
        inside = {one[size] for one in self.given if len(one) > size and one[:size] == path}
        return sum(isinstance(place, int) for place in inside)


def made(schema: Any, values: Mapping[Path, Any], sentence: str = "Not known.") -> Document:
    return document(schema, Values(values), sentence)


def an_object(properties: dict, required: list[str] | None = None) -> dict:
    keys = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": keys, "additionalProperties": False}


def test_values_are_written_through_references_and_alternatives():
    given = {
        ("code",): "HW-1",
        ("weight",): 12.5,
        ("colours",): ["grey"],
        ("maker", "name"): "Ada",
        ("size",): "L",
    }
    written = made(PYDANTIC, given)
    assert json.loads(written.text) == {
        "code": "HW-1", "weight": 12.5, "colours": ["grey"], "maker": {"name": "Ada"}, "size": "L", "kind": "winch", "part_of": None,
    }  # fmt: skip
    assert written.is_whole and set(written.filled) == set(given) and written.empty == [("part_of",)]
    given = {("code",): "HW-1", ("kind",): "winch", ("maker", "town"): "Ulm"}
    written = made(ZOD, given | {("parts", 0, "code"): "P-2", ("parts", 0, "kind"): "pulley"})
    assert json.loads(written.text) == {
        "code": "HW-1", "kind": "winch", "parts": [{"code": "P-2", "kind": "pulley", "parts": []}], "maker": {"name": "", "town": "Ulm"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("inside", "required", "wanted"),
    [
        ({"anyOf": [STRING, {"type": "null"}]}, True, {"a": 1, "x": None}),
        ({"type": ["integer", "null"]}, False, {"a": 1, "x": None}),
        (NUMBER, False, {"a": 1}),
        (STRING, True, {"a": 1, "x": "Not known."}),
        ({"type": "array", "items": NUMBER}, True, {"a": 1, "x": []}),
        (an_object({"y": STRING, "z": STRING}), True, {"a": 1, "x": {"y": "", "z": ""}}),
        ({"enum": ["low", "high", "unknown"]}, True, {"a": 1, "x": "unknown"}),
        ({"const": "x"}, True, {"a": 1, "x": "x"}),
        (NUMBER, True, None),
        ({"type": "boolean"}, True, None),
        ({"enum": ["low", "high"]}, True, None),
        ({"type": "string", "minLength": 30}, True, None),
        ({"type": "array", "items": STRING, "minItems": 1}, True, None),
        (an_object({"y": STRING, "z": NUMBER}), True, None),
        ({"anyOf": [an_object({"z": NUMBER}), {"type": "null"}]}, True, {"a": 1, "x": None}),
    ],
    ids=str,
)
def test_a_value_that_is_not_given_is_empty_or_makes_the_document_impossible(inside, required: bool, wanted):
    written = made(
        an_object({"a": {"type": "integer"}, "x": inside}, ["a", "x"] if required else ["a"]), {("a",): 1}
    )
    if wanted is None:
        assert not written.is_whole and written.lacks[0][0] == "x"
    else:
        assert written.is_whole and json.loads(written.text) == wanted and list(written.filled) == [("a",)]


@pytest.mark.parametrize(
    ("inside", "value"),
    [
        ({"type": "string", "maxLength": 6}, "HW-4471-B"),
        ({"type": "string", "pattern": "^[0-9]+$"}, "HW-4471-B"),
        ({"type": "string", "format": "date"}, "12 May"),
        ({"type": "integer", "minimum": 2020}, 2017),
        ({"type": "integer", "maximum": 10}, 2017),
        ({"type": "number", "multipleOf": 0.5}, 1.3),
        ({"enum": ["red", "grey"]}, "black"),
        ({"type": "array", "items": STRING, "maxItems": 1}, ["a", "b"]),
    ],
    ids=str,
)
def test_a_value_that_breaks_a_condition_of_the_schema_is_not_written(inside, value):
    written = made(an_object({"x": {"anyOf": [inside, {"type": "null"}]}}), {("x",): value})
    assert json.loads(written.text) == {"x": None} and not written.filled and written.empty == [("x",)]
    assert not made(an_object({"x": inside}), {("x",): value}).filled


def test_the_alternative_with_the_most_values_is_written():
    sides = [
        an_object({"kind": {"const": kind}, **dict.fromkeys(keys, STRING)})
        for kind, keys in (("a", "xy"), ("b", "yz"))
    ]
    schema = an_object({"side": {"oneOf": sides}})
    assert json.loads(made(schema, {("side", "y"): "Y"}).text) == {"side": {"kind": "a", "x": "", "y": "Y"}}
    both = made(schema, {("side", "y"): "Y", ("side", "z"): "Z"})
    assert json.loads(both.text) == {"side": {"kind": "b", "y": "Y", "z": "Z"}}


def test_an_array_without_one_of_its_items_is_not_written():
    schema = an_object({"rows": {"type": "array", "items": an_object({"n": STRING, "m": NUMBER})}})
    rows = {("rows", 0, "n"): "A", ("rows", 0, "m"): 1, ("rows", 1, "n"): "B"}
    assert made(schema, rows | {("rows", 1, "m"): 2}).text == '{"rows":[{"n":"A","m":1},{"n":"B","m":2}]}'
    written = made(schema, rows)
    assert not written.is_whole and written.lacks == [("rows", 1, "m")]


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (an_object({"answer": STRING}), '{"answer":"Not known."}'),
        (an_object({"answer": STRING, "year": {"type": "integer"}, "ok": {"type": "boolean"}}), '{"answer":"Not known.","year":0,"ok":false}'),
        (an_object({"a": STRING, "b": STRING}), '{"a":"","b":""}'),
        (an_object({"a": {"type": "string", "maxLength": 3}}), '{"a":""}'),
        (an_object({"year": {"type": "integer", "minimum": 2020}}), '{"year":2020}'),
        (an_object({"year": {"type": "number", "exclusiveMaximum": -3}}), '{"year":-4}'),
        (an_object({"kind": {"enum": ["a", "unknown"]}}), '{"kind":"unknown"}'),
        (an_object({"kind": {"enum": ["a", "b"]}}, []), "{}"),
        (STRING, '"Not known."'),
        (FREE, '{"answer":"Not known."}'),
        ({"type": "object", "additionalProperties": NUMBER}, "{}"),
        ({"type": "array", "items": STRING}, "[]"),
    ],
    ids=str,
)  # fmt: skip
def test_a_refusal_is_short_and_says_so_in_the_only_text(schema, wanted: str):
    assert refusal(schema, "Not known.") == wanted


@pytest.mark.parametrize(
    "schema", [schema_of(OBJECT), schema_of(NESTED), PERSON], ids=["object", "nested", "person"]
)
def test_a_refusal_satisfies_schemas_with_conditions(schema):
    assert fits(json.loads(refusal(schema, "Not known.")), schema)
