"""Constrained answers always parse, match their schema and end, even from a model with random weights."""

import json
import re

import pytest
import torch

from lorekeep.errors import EngineError
from lorekeep.infer.output_type import bounded, schema_of
from lorekeep.infer.schemas.document import refusal
from lorekeep.testing import QUILL, Bench, piece_tokenizer, save_model
from lorekeep.testing_process import LONG

OBJECT = {"name": "str", "age": "int", "ok": "bool", "w": "float", "kind": ["a", "b"]}
NESTED = {
    "who": {"name": "string", "tags": ["str"]},
    "rows": [{"n": "integer"}],
    "pick": [1, 2.5, True, None, 'q"\n\\'],
}
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 2, "maxLength": 8},
        "born": {"type": "string", "format": "date"},
        "code": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2}$"},
        "parent": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
        "marks": {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": 6},
            "minItems": 2,
            "maxItems": 3,
        },
        "x": {"type": "number", "exclusiveMinimum": 0},
        "const": {"const": {"a": [1, 'two "quoted"\nlines']}},
    },
    "required": ["name", "born", "code", "marks", "const"],
    "$defs": {"person": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
}
FREE = {"type": "object"}


def fits(value, schema: dict, whole: dict | None = None) -> bool:
    """A simple validator for the parts of JSON schema in these tests."""
    whole = whole or schema
    if "$ref" in schema:
        return fits(value, whole["$defs"][schema["$ref"].rsplit("/", 1)[1]], whole)
    if "const" in schema or "enum" in schema:
        return any(
            type(value) is type(one) and value == one for one in schema.get("enum", [schema.get("const")])
        )
    if "anyOf" in schema:
        return any(fits(value, one, whole) for one in schema["anyOf"])
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match schema.get("type"):
        case "object":
            known = schema.get("properties", {})
            return (
                isinstance(value, dict)
                and set(schema.get("required", [])) <= value.keys()
                and all(key in known or not known for key in value)
                and list(value)
                == [key for key in known if key in value] + [key for key in value if key not in known]
                and all(fits(value[key], known[key], whole) for key in value if key in known)
            )
        case "array":
            if not isinstance(value, list):
                return False
            size = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 10**9)
            return size and all(fits(one, schema["items"], whole) for one in value)
        case "string":
            return isinstance(value, str) and schema.get("minLength", 0) <= len(value) <= schema.get(
                "maxLength", 10**9
            )
        case "integer":
            return (
                number
                and isinstance(value, int)
                and schema.get("minimum", value) <= value <= schema.get("maximum", value)
            )
        case "number":
            return number and abs(value) < 1e16 and value > schema.get("exclusiveMinimum", -1e17)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
    return True


@pytest.fixture(scope="module")
def no_idea(tmp_path_factory) -> dict[str, Bench]:
    """Models that write noise: one with a byte-level tokenizer, one with a SentencePiece-style one."""
    return {
        "bytes": Bench(save_model(tmp_path_factory.mktemp("bytes"), "llama")),
        "pieces": Bench(save_model(tmp_path_factory.mktemp("pieces"), "gemma", piece_tokenizer())),
    }


SHAPES = {
    "object": schema_of(OBJECT),
    "nested": schema_of(NESTED),
    "person": PERSON,
    "free": FREE,
    "number": {"type": "number"},
}


@pytest.mark.parametrize("model", ["bytes", "pieces"])
@pytest.mark.parametrize("shape", SHAPES)
def test_output_of_random_models_parses_fits_its_schema_and_ends(
    no_idea: dict[str, Bench], model: str, shape: str
):
    bench, schema = no_idea[model], SHAPES[shape]
    bench.answers.clear()
    lengths = (110, 150, 300) if LONG else (110, 300)
    asked = [(temperature, most) for temperature in (0.0, 1.0, 8.0) for most in lengths]
    for i, (temperature, most) in enumerate(asked):
        bench.submit(
            str(i), prompt=f"x{i}", max_tokens=most, temperature=temperature, seed=i, json_schema=schema
        )
    ended = bench.run()
    assert len(ended) == len(asked)
    for i, (_, most) in enumerate(asked):
        assert fits(json.loads(ended[str(i)]["text"]), schema), ended[str(i)]["text"]
        assert ended[str(i)]["usage"]["completion_tokens"] <= most


def test_the_reported_minimum_of_tokens_suffices(no_idea: dict[str, Bench]):
    for bench in no_idea.values():
        with pytest.raises(EngineError) as caught:
            bench.submit(prompt="x", max_tokens=1, output_type=OBJECT)
        least = caught.value.facts["shortest"]
        with pytest.raises(EngineError):
            bench.submit(prompt="x", max_tokens=least - 1, output_type=OBJECT)
        ended = bench.one(prompt="x", max_tokens=least, output_type=OBJECT)
        assert fits(json.loads(ended["text"]), schema_of(OBJECT)) and ended["finish_reason"] in (
            "stop",
            "length",
        )


def test_streamed_pieces_add_up_to_the_answer(no_idea: dict[str, Bench]):
    for seed in range(5):
        ended = no_idea["bytes"].one(
            prompt="x", max_tokens=80, output_type=OBJECT, temperature=1.0, seed=seed, stream=True
        )
        assert "".join(no_idea["bytes"].deltas()) == ended["text"]


def test_the_shipped_model_answers_in_a_schema():
    bench = Bench(QUILL)
    question = "Context: Ada Quist runs the Brimoor library.\nQuestion: Who runs the Brimoor library?"
    ended = bench.one(
        messages=[{"role": "user", "content": question}],
        max_tokens=60,
        output_type={"answer": "str", "sure": "bool"},
    )
    answer = json.loads(ended["text"])
    assert list(answer) == ["answer", "sure"] and isinstance(answer["sure"], bool)
    plain = bench.one(prompt="Hello", max_tokens=10)["text"]
    bench.answers.clear()
    bench.submit("plain", prompt="Hello", max_tokens=10)
    bench.submit("shaped", prompt="Hello", max_tokens=60, output_type=OBJECT)
    assert bench.run()["plain"]["text"] == plain


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "integer", "minimum": 5, "maximum": 1},
        {"enum": []},
        {"type": "string", "pattern": "(?=a)b"},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
        {"$ref": "#/nowhere"},
        {"not": {}},
        {"type": "wibble"},
        {"type": "object", "properties": {}, "required": ["x"], "additionalProperties": False},
        {"type": "string", "minLength": 10**6},
        {"type": "object", "properties": []},
    ],
)
def test_impossible_schemas_are_refused_with_a_reason(no_idea: dict[str, Bench], schema):
    with pytest.raises(EngineError) as caught:
        no_idea["bytes"].submit(prompt="x", max_tokens=200, json_schema=schema)
    assert (
        caught.value.code in ("schema_impossible", "max_tokens_too_small") and len(caught.value.message) > 20
    )
    assert no_idea["bytes"].one(prompt="x", max_tokens=2)["type"] == "end"


def test_a_looping_answer_still_ends(no_idea: dict[str, Bench]):
    for bench in no_idea.values():
        for pattern in ("^a*b$", "^[a-f]*0[x-z]$", "^(ab|cd)+e$"):
            text = bench.one(prompt="x", max_tokens=20, json_schema={"type": "string", "pattern": pattern})[
                "text"
            ]
            assert re.search(pattern, json.loads(text))


@pytest.mark.parametrize(
    "wrong", [{}, {"a": "wibble"}, {"a": {}}, {"a": []}, {"a": 5}, {"a": [["str", "int"], 1]}]
)
def test_invalid_output_types_are_named(wrong: dict):
    with pytest.raises(EngineError, match="output_type") as caught:
        schema_of(wrong)
    assert caught.value.code == "schema_impossible"


def test_documents_of_the_bounded_schema_satisfy_the_original():
    tight = bounded(PERSON)
    assert tight["additionalProperties"] is False and tight["properties"]["x"]["maximum"] == 10**15
    assert tight["properties"]["marks"] == PERSON["properties"]["marks"]
    assert bounded({"allOf": [{"properties": {"a": {}}}]})["allOf"][0] == {"properties": {"a": {}}}
    assert bounded({"type": "integer", "minimum": 10**17}) == {"type": "integer", "minimum": 10**17}


def test_schemas_that_describe_one_object_together_forbid_none_of_its_properties():
    named = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    more = {"properties": {"b": {"type": "string"}}, "required": ["b"]}
    for schema in (
        {"$defs": {"Named": named}, "allOf": [{"$ref": "#/$defs/Named"}, more]},
        {"$defs": {"Named": named}, "$ref": "#/$defs/Named", **more},
        {**named, "anyOf": [more]},
        {**named, "allOf": [{"oneOf": [more]}]},
    ):
        assert json.loads(refusal(schema, "")) == {"a": "", "b": ""}
    alone = bounded({"$defs": {"Named": named}, "$ref": "#/$defs/Named"})
    assert alone["$defs"]["Named"]["additionalProperties"] is False


@pytest.mark.parametrize(
    ("schema", "shortest"),
    [
        # Pydantic's Decimal, SecretStr, and a union of models.
        (
            {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"}]},
            "0",
        ),
        ({"type": "string", "format": "password", "writeOnly": True}, '""'),
        (
            {
                "$defs": {
                    "A": {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]}
                },
                "discriminator": {"propertyName": "kind", "mapping": {"a": "#/$defs/A"}},
                "oneOf": [{"$ref": "#/$defs/A"}],
            },
            '{"kind":"a"}',
        ),
    ],
)
def test_annotations_and_alternatives_that_no_grammar_knows_are_left_out(schema: dict, shortest: str):
    assert refusal(schema, "") == shortest


def test_numbers_have_bounded_length():
    bench = Bench(QUILL)
    for seed in range(6):
        text = bench.one(
            prompt="3", max_tokens=200, temperature=3.0, seed=seed, json_schema={"type": "number"}
        )["text"]
        assert len(text) < 40 and float(text) == json.loads(text)


def test_logprobs_are_the_model_s_own(no_idea: dict[str, Bench]):
    ended = no_idea["bytes"].one(prompt="x", max_tokens=60, output_type={"ok": "bool"}, logprobs=2)
    assert all(token["logprob"] <= 0 for token in ended["logprobs"])
    assert torch.tensor([token["top"][0]["logprob"] for token in ended["logprobs"]]).le(0).all()
