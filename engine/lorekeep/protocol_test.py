"""The shared examples, read with our types."""

import json

import pytest
from pydantic import ValidationError

from lorekeep import protocol
from lorekeep.testing import ROOT

EXAMPLES = json.loads((ROOT / "engine" / "protocol" / "examples.json").read_text())
SIDES = {"requests": protocol.requests, "answers": protocol.answers}


@pytest.mark.parametrize("side", SIDES)
def test_every_right_example_is_read(side: str):
    for message in EXAMPLES[side]["right"]:
        assert SIDES[side].validate_python(message).id if message["type"] not in ("hello", "error") else True
        SIDES[side].validate_python(message)


@pytest.mark.parametrize("side", SIDES)
def test_every_wrong_example_is_refused(side: str):
    for example in EXAMPLES[side]["wrong"]:
        with pytest.raises(ValidationError):
            SIDES[side].validate_python(example["message"])
            pytest.fail(f"was read: {example['why']}")


@pytest.mark.parametrize("side", SIDES)
def test_there_is_an_example_of_every_message(side: str):
    schema = SIDES[side].json_schema()
    assert {message["type"] for message in EXAMPLES[side]["right"]} == set(schema["discriminator"]["mapping"])
