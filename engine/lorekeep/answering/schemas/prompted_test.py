"""Schemas in prompts, as instructor and Pydantic AI write them."""

import json

import pytest

from lorekeep.answering.schemas.prompted import schema_in, without_schema

SCHEMA = {"title": "W", "type": "object", "properties": {"code": {"title": "Code", "type": "string"}}, "required": ["code"]}  # fmt: skip
NESTED = {"$defs": {"W": SCHEMA}, "$ref": "#/$defs/W"}


@pytest.mark.parametrize("schema", [SCHEMA, NESTED])
@pytest.mark.parametrize(
    "text",
    [
        "Provide the parsed objects in json that match the following json_schema:\n\n{}\n\nMake sure to return an instance of the JSON",
        "Always respond with a JSON object that's compatible with this schema:\n\n{}\n\nDon't include any text before or after.",
        'For {{"a": 1}} and {{ that: answer in JSON as ```{}```',
    ],
)
def test_a_schema_in_a_prompt_is_found(schema: dict, text: str):
    for said in (json.dumps(schema), json.dumps(schema, indent=2)):
        assert schema_in(text.format(said)) == schema


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Who built it?\n\nThe JSON schema:\n{}", "Who built it?"),
        ("Respond in JSON of this schema: ```json\n{}```\nWho built it?", "Who built it?"),
        ("Who built it? {} Use JSON.", "Who built it? Use JSON."),
    ],
)
def test_a_text_is_left_without_its_schema(text: str, left: str):
    assert without_schema(text.format(json.dumps(SCHEMA, indent=2))) == left


@pytest.mark.parametrize(
    "text",
    [
        "Who designed it? Reply in JSON.",
        'Answer as JSON: {"properties": "many"}',
        'You may call this JSON tool: {"name": "search", "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}',
        'The properties: {"code": ?}',
        f"Correct this: {json.dumps(SCHEMA)}",
        '{"properties": ' + '{"a":' * 5000,
        "{" * 5000 + ' "properties" json',
    ],
)
def test_other_prompts_have_no_schema(text: str):
    assert schema_in(text) is None
