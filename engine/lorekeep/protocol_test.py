"""The shared examples validate against the Python types."""

import json

import pytest
from pydantic import ValidationError

from lorekeep import protocol
from lorekeep.testing import ROOT

EXAMPLES = json.loads((ROOT / "engine" / "protocol" / "examples.json").read_text())
SIDES = {"requests": protocol.requests, "answers": protocol.answers}


@pytest.mark.parametrize("side", SIDES)
def test_every_valid_example_is_accepted(side: str):
    for message in EXAMPLES[side]["right"]:
        assert SIDES[side].validate_python(message).id if message["type"] not in ("hello", "error") else True
        SIDES[side].validate_python(message)


@pytest.mark.parametrize("side", SIDES)
def test_every_invalid_example_is_refused(side: str):
    for example in EXAMPLES[side]["wrong"]:
        with pytest.raises(ValidationError):
            SIDES[side].validate_python(example["message"])
            pytest.fail(f"was read: {example['why']}")


@pytest.mark.parametrize("side", SIDES)
def test_there_is_an_example_of_every_message(side: str):
    schema = SIDES[side].json_schema()
    assert {message["type"] for message in EXAMPLES[side]["right"]} == set(schema["discriminator"]["mapping"])


def fields(shape: dict, path: str, named: dict) -> set[str]:
    """Every field with its type, as setup/engine-messages.ts writes them."""
    if "$ref" in shape:
        return fields(named[shape["$ref"].rpartition("/")[2]], path, named)
    if "anyOf" in shape:
        return set().union(*(fields(one, path, named) for one in shape["anyOf"]))
    if shape.get("type") == "null":
        return set()
    if shape.get("type") == "array":
        return fields(shape["items"], f"{path}[]", named)
    if "properties" in shape:
        inner = shape["properties"].items()
        return set().union(*(fields(one, f"{path}.{name}", named) for name, one in inner))
    values = [shape["const"]] if "const" in shape else shape.get("enum")
    return {f"{path}: {' | '.join(values) if values else shape.get('type', 'anything')}"}


@pytest.mark.parametrize("side", SIDES)
def test_messages_have_the_same_fields_as_on_the_server(side: str):
    schema = SIDES[side].json_schema()
    named = schema["$defs"]
    mine = set().union(
        *(
            fields(named[ref.rpartition("/")[2]], type, named)
            for type, ref in schema["discriminator"]["mapping"].items()
        )
    )
    shared = json.loads((ROOT / "engine" / "protocol" / "messages.json").read_text("utf-8"))
    assert mine == set(shared[side])
