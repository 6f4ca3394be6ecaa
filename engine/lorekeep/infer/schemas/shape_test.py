"""One form for schemas as Pydantic, zod and people write them."""

import json

import pytest

from lorekeep.infer.schemas.document import leaves, refusal
from lorekeep.infer.schemas.shape import Shape, shape_of

STRING = {"type": "string"}
# model_json_schema() of a Pydantic model with optional, enumerated, nested, united and recursive fields.
PYDANTIC = {
    "$defs": {
        "Colour": {"enum": ["black", "grey"], "title": "Colour", "type": "string"},
        "Maker": {
            "properties": {"name": {"title": "Name", "type": "string"}},
            "required": ["name"],
            "title": "Maker",
            "type": "object",
        },
        "Winch": {
            "properties": {
                "code": {"title": "Code", "type": "string"},
                "weight": {
                    "anyOf": [{"type": "number"}, {"type": "null"}],
                    "default": None,
                    "title": "Weight",
                },
                "colours": {"items": {"$ref": "#/$defs/Colour"}, "title": "Colours", "type": "array"},
                "maker": {"$ref": "#/$defs/Maker", "description": "Who built it"},
                "size": {"anyOf": [{"type": "integer"}, {"type": "string"}], "title": "Size"},
                "kind": {"const": "winch", "default": "winch", "title": "Kind", "type": "string"},
                "part_of": {"anyOf": [{"$ref": "#/$defs/Winch"}, {"type": "null"}], "default": None},
            },
            "required": ["code", "colours", "maker", "size"],
            "title": "Winch",
            "type": "object",
        },
    },
    "$ref": "#/$defs/Winch",
}
# z.toJSONSchema() of optional, nullable and united fields, and of a lazy one.
ZOD = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "code": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "weight": {"type": "number", "exclusiveMinimum": 0},
        "kind": {"type": "string", "enum": ["winch", "pulley"]},
        "parts": {"type": "array", "items": {"$ref": "#"}},
        "maker": {
            "allOf": [
                {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
                {"type": "object", "properties": {"town": {"type": "string"}}},
            ]
        },
    },
    "required": ["code", "kind", "parts"],
    "additionalProperties": False,
}


def kinds(shape: Shape) -> tuple[list[str], bool]:
    return [one.kind for one in shape.alternatives], shape.nullable


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (STRING, (["string"], False)),
        ({"type": ["string", "null"]}, (["string"], True)),
        ({"anyOf": [{"type": "null"}, STRING]}, (["string"], True)),
        ({"oneOf": [{"type": "integer"}, STRING]}, (["integer", "string"], False)),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": "integer"}]}, (["integer"], False)),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [STRING, {"type": "null"}]}}}, (["string"], True)),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": STRING}}, (["string"], False)),
        ({"enum": ["x", None]}, (["any"], True)),
        ({"const": None}, (["null"], False)),
        ({"properties": {"a": STRING}}, (["object"], False)),
        ({"minLength": 1}, (["string"], False)),
        ({}, (["any"], False)),
        (True, (["any"], False)),
    ],
    ids=str,
)  # fmt: skip
def test_a_value_has_the_kinds_that_its_schema_allows(schema, wanted):
    expected = ([], True) if wanted == (["null"], False) else wanted
    assert kinds(shape_of(schema)) == expected


def test_the_fields_of_a_pydantic_model_are_found_through_references():
    found = leaves(shape_of(PYDANTIC))
    assert [path for path in found if len(path) == 1] == [("code",), ("weight",), ("colours",), ("size",)]
    assert ("maker", "name") in found and ("part_of", "code") in found
    assert found[("weight",)].nullable and not found[("code",)].nullable
    colours = found[("colours",)].alternatives[0].items
    assert colours is not None and colours.alternatives[0].choices == ["black", "grey"]
    (winch,) = shape_of(PYDANTIC).alternatives
    assert winch.fields["maker"].description == "Who built it" and winch.fields["kind"].is_fixed
    assert winch.required == {"code", "colours", "maker", "size"}


def test_the_fields_of_a_zod_schema_are_found_through_all_of_and_the_root():
    found = leaves(shape_of(ZOD))
    assert list(found) == [
        ("code",),
        ("weight",),
        ("kind",),
        ("parts",),
        ("maker", "name"),
        ("maker", "town"),
    ]
    parts = found[("parts",)].records
    assert parts is not None and [path for path in leaves(parts) if len(path) == 1][:2] == [
        ("code",),
        ("weight",),
    ]


def test_properties_have_the_order_in_which_the_schema_mentions_them():
    inner = {"properties": {"b": STRING}, "required": ["b"]}
    for schema, order in (
        ({"properties": {"a": STRING}, "allOf": [inner]}, ["a", "b"]),
        ({"allOf": [inner], "properties": {"a": STRING}}, ["b", "a"]),
        ({"properties": {"a": STRING}, "anyOf": [inner]}, ["a", "b"]),
        ({"anyOf": [inner], "properties": {"a": STRING}}, ["b", "a"]),
        ({"$defs": {"B": inner}, "$ref": "#/$defs/B", "properties": {"a": STRING}}, ["b", "a"]),
    ):
        assert list(shape_of(schema).alternatives[0].fields) == order
        written = refusal({"type": "object", **schema, "required": ["a", "b"]}, "")
        assert list(json.loads(written)) == order


def test_alternatives_of_objects_keep_the_properties_beside_them():
    schema = {
        "properties": {"name": STRING},
        "anyOf": [{"properties": {"kind": {"const": "a"}, "x": STRING}}, {"properties": {"kind": {"const": "b"}, "y": STRING}}],
    }  # fmt: skip
    assert [list(one.fields) for one in shape_of(schema).alternatives] == [
        ["name", "kind", "x"],
        ["name", "kind", "y"],
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
        {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"},
        {"$ref": "#/$defs/missing"}, {"$ref": "http://example.com/x.json"}, {"$ref": 5},
        {"$defs": {f"D{i}": {"allOf": [{"$ref": f"#/$defs/D{i + 1}"}] * 4} for i in range(40)}, "$ref": "#/$defs/D0"},
        {"$defs": {f"D{i}": {"type": "object", "properties": {key: {"$ref": f"#/$defs/D{i + 1}"} for key in "abcdefgh"}} for i in range(40)}, "$ref": "#/$defs/D0"},
        {"type": "object", "properties": [], "required": 5}, {"type": 5}, {"anyOf": []}, {"enum": "x"}, {"allOf": [5]},
    ],
    ids=lambda schema: str(schema)[:60],
)  # fmt: skip
def test_endless_and_malformed_schemas_are_read_within_bounds(schema):
    assert len(leaves(shape_of(schema))) <= 24
