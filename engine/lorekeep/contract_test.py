"""The engine accepts at every bound exactly the values that the contract accepts.
engine/protocol/bounds.json holds the values and the contract's verdict on each."""

import json

import pytest
from pydantic import ValidationError

from lorekeep import protocol
from lorekeep.memory import arguments
from lorekeep.testing import ROOT

CASES = json.loads((ROOT / "engine" / "protocol" / "bounds.json").read_text("utf-8"))


def is_taken(name: str, value: object) -> bool:
    try:
        arguments.read({name: value})
    except arguments.ArgumentError:
        return False
    return True


def is_message(name: str, value: object) -> bool:
    try:
        protocol.requests.validate_python(
            {"type": "generate", "id": "1", "model": "m", "prompt": "x", name: value}
        )
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(("kind", "accepts"), [("arguments", is_taken), ("generate", is_message)])
def test_the_engine_accepts_the_same_values_as_the_contract(kind: str, accepts):
    wrong = [case for case in CASES[kind] if accepts(case["name"], case["value"]) != case["right"]]
    assert not wrong
    assert {case["right"] for case in CASES[kind]} == {True, False}


def test_an_infinite_number_is_refused():
    assert not is_taken("max_steps", float("inf"))
    assert not is_taken("learning_rate", float("nan"))
