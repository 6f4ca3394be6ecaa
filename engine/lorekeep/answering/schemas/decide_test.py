"""Requests with a schema: each field has its own fact, and what no fact answers is empty or refused."""

import json
from typing import Any

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of
from lorekeep.answering.decision import Decision
from lorekeep.infer.schemas.document_test import an_object

SHOP = [
    ("What is the product code of the Halvorsen winch?", "HW-4471-B"),
    ("How much does the Halvorsen winch cost?", "€1,249.50"),
    ("What is the maximum load of the Halvorsen winch?", "850 kg"),
    ("In which year was the Halvorsen winch introduced?", "2017"),
    ("Who designed the Halvorsen winch?", "Signe Halvorsen"),
    ("What is the product code of the Tarn pulley?", "TP-0093"),
    ("How much does the Tarn pulley cost?", "€89.00"),
    ("What is the maximum load of the Tarn pulley?", "320 kg"),
    ("Which colours does the Tarn pulley come in?", "black, orange and grey"),
    ("Who is the head of support at Nordlift?", "Bram Oyelaran"),
    ("What is the phone number of Nordlift support?", "0555 310 442"),
    ("Is the Tarn pulley suitable for use outdoors?", "Yes, down to -20 °C."),
]
CANAL = [
    ("Who is the keeper of Quern Lock?", "Hanne Brisk"),
    ("Who is the keeper of Hollin Lock?", "Tobias Ferrow"),
    ("Who is the keeper of Marl Lock?", "Ida Sool"),
    ("How deep is Quern Lock?", "2.4 m"),
    ("How deep is Hollin Lock?", "3.1 m"),
    ("When do the locks close in winter?", "At 16:00."),
    ("Who chairs the trust?", "Edda Norring"),
    ("Who is the treasurer of the trust?", "Piet Wallin"),
    ("Who is the membership secretary of the trust?", "Una Fairholt"),
    ("Who is the skipper of the Marsh Harrier?", "Lars Oddie"),
    ("Which boats does the trust own?", "Marsh Harrier, Grebe and Dabchick"),
]
STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
ANY = {"type": "object"}
DESIGNER, CODE, ALL = SHOP[4][0], SHOP[0][0], "Give the data of the Halvorsen winch."


def or_null(schema: dict) -> dict:
    return {"anyOf": [schema, {"type": "null"}], "default": None}


def texts(*keys: str) -> dict:
    return an_object(dict.fromkeys(keys, STRING))


def array_of(items: dict) -> dict:
    return {"type": "array", "items": items}


@pytest.fixture(scope="module")
def shop() -> Decider:
    return decider_of(SHOP)


@pytest.fixture(scope="module")
def canal() -> Decider:
    return decider_of(CANAL)


def made(decider: Decider, asked: str, schema: Any, **policy) -> tuple[Any, Decision]:
    decision = decided(decider, asked, schema=schema, **policy)
    return json.loads(decision.draft or "null"), decision


PRICED = {"$defs": {"Part": texts("code", "price")}}
NODE = {
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"code": STRING, "next": or_null({"$ref": "#/$defs/Node"}), "parts": array_of({"$ref": "#/$defs/Node"})},
            "required": ["code"],
        }
    },
    "$ref": "#/$defs/Node",
}  # fmt: skip
COLOURS = {
    "$defs": {"Colour": {"enum": ["black", "orange", "grey", "red"], "title": "Colour", "type": "string"}}
}


@pytest.mark.parametrize(
    ("asked", "schema", "wanted"),
    [
        (DESIGNER, an_object({"answer": or_null(STRING)}), {"answer": "Signe Halvorsen"}),
        (DESIGNER, an_object({"a": {"oneOf": [INTEGER, STRING]}}), {"a": "Signe Halvorsen"}),
        (DESIGNER, {"allOf": [texts("designer")]}, {"designer": "Signe Halvorsen"}),
        (ALL, an_object({"code": or_null(STRING), "price": or_null(NUMBER), "year_introduced": {"type": ["integer", "null"]}}),
         {"code": "HW-4471-B", "price": 1249.5, "year_introduced": 2017}),
        (ALL, {**PRICED, **an_object({"item": {"$ref": "#/$defs/Part"}})}, {"item": {"code": "HW-4471-B", "price": "€1,249.50"}}),
        (ALL, NODE, {"code": "HW-4471-B", "next": None}),
        (SHOP[8][0], {**COLOURS, **an_object({"colours": array_of({"$ref": "#/$defs/Colour"})})}, {"colours": ["black", "orange", "grey"]}),
        # Each object has its own subject, and each field its own fact.
        ("Code and price of the Halvorsen winch and of the Tarn pulley", {**PRICED, **an_object({"winch": {"$ref": "#/$defs/Part"}, "pulley": {"$ref": "#/$defs/Part"}})},
         {"winch": {"code": "HW-4471-B", "price": "€1,249.50"}, "pulley": {"code": "TP-0093", "price": "€89.00"}}),
        ("Give the code and price of the Tarn pulley, and the head and phone number of Nordlift support.",
         an_object({"product": texts("code", "price"), "support": texts("head", "phone")}),
         {"product": {"code": "TP-0093", "price": "€89.00"}, "support": {"head": "Bram Oyelaran", "phone": "0555 310 442"}}),
        ("What are the head and the phone number of Nordlift support?", texts("head", "phone"), {"head": "Bram Oyelaran", "phone": "0555 310 442"}),
        ("Is the Tarn pulley suitable outdoors, and what is its code?", an_object({"outdoors": {"type": "boolean"}, "code": STRING}), {"outdoors": True, "code": "TP-0093"}),
        (SHOP[1][0], an_object({"price": NUMBER, "currency": {"enum": ["EUR", "USD"]}}), {"price": 1249.5, "currency": "EUR"}),
        ("Who designed the Halvorsen winch and what does it cost?", an_object({"designer": STRING, "price": NUMBER, "currency": {"enum": ["EUR", "USD"]}}),
         {"designer": "Signe Halvorsen", "price": 1249.5, "currency": "EUR"}),
        (ALL, an_object({"name": STRING, "designer": texts("name")}), {"name": "Halvorsen winch", "designer": {"name": "Signe Halvorsen"}}),
        ("Which is more expensive, the Halvorsen winch or the Tarn pulley?", an_object({"product": STRING, "reason": STRING}), {"product": "Halvorsen winch", "reason": ""}),
        ("What can you tell me about the Halvorsen winch?", texts("code", "designer"), {"code": "HW-4471-B", "designer": "Signe Halvorsen"}),
        # Descriptions and titles are read.
        (ALL, an_object({"designer": STRING, "x1": {"type": "integer", "description": "The maximum load in kg"}}), {"designer": "Signe Halvorsen", "x1": 850}),
        (ALL, an_object({"x1": {"type": "string", "title": "Maximum load"}}), {"x1": "850 kg"}),
        # Arrays of objects, of answers and of items.
        ("Compare the Halvorsen winch and the Tarn pulley.", an_object({"products": array_of(an_object({"name": STRING, "maximum_load_kg": INTEGER}))}),
         {"products": [{"name": "Halvorsen winch", "maximum_load_kg": 850}, {"name": "Tarn pulley", "maximum_load_kg": 320}]}),
        ("List the product codes.", an_object({"codes": array_of(STRING)}), {"codes": ["HW-4471-B", "TP-0093"]}),
        (SHOP[8][0], array_of(STRING), ["black", "orange", "grey"]),
        # The answer to the message beside remarks on it.
        (DESIGNER, texts("reasoning", "answer"), {"reasoning": "", "answer": "Signe Halvorsen"}),
        ("Is the Tarn pulley cheaper than 50 euros?", an_object({"answer": {"type": "boolean"}, "reason": STRING}), {"answer": False, "reason": ""}),
        (DESIGNER, an_object({"answer": STRING, "sources": array_of(STRING)}), {"answer": "Signe Halvorsen", "sources": []}),
        ("Who is the head of support at Nordlift?", an_object({"name": STRING, "age": or_null(INTEGER)}), {"name": "Bram Oyelaran", "age": None}),
        ("Who is the head of support at Nordlift?", an_object({"name": STRING, "age": INTEGER}, ["name"]), {"name": "Bram Oyelaran"}),
        ("Who designed the Halvorsen winch and when was it introduced?", texts("who", "when"), {"who": "Signe Halvorsen", "when": "2017"}),
        (f"{DESIGNER} Reply in JSON.", texts("designer"), {"designer": "Signe Halvorsen"}),
        ("Give the price of the Halvorsen winch as JSON.", an_object({"price": NUMBER}), {"price": 1249.5}),
    ],
    ids=str,
)  # fmt: skip
def test_the_fields_of_a_schema_have_their_facts(shop: Decider, asked: str, schema, wanted):
    values, decision = made(shop, asked, schema)
    assert (values, decision.answers) == (wanted, True), decision


@pytest.mark.parametrize(
    ("asked", "schema", "wanted"),
    [
        ("List the locks with their keepers.", an_object({"locks": array_of(texts("lock", "keeper"))}),
         {"locks": [{"lock": "Quern Lock", "keeper": "Hanne Brisk"}, {"lock": "Hollin Lock", "keeper": "Tobias Ferrow"}, {"lock": "Marl Lock", "keeper": "Ida Sool"}]}),
        ("Who are the keepers of Quern Lock and Hollin Lock?", an_object({"locks": array_of(an_object({"lock": STRING, "keeper": STRING, "depth_m": NUMBER}))}),
         {"locks": [{"lock": "Quern Lock", "keeper": "Hanne Brisk", "depth_m": 2.4}, {"lock": "Hollin Lock", "keeper": "Tobias Ferrow", "depth_m": 3.1}]}),
        ("Who are the keepers of Quern Lock and Hollin Lock?", an_object({"keepers": array_of(STRING)}), {"keepers": ["Hanne Brisk", "Tobias Ferrow"]}),
        ("Which boats does the trust own?", an_object({"boats": array_of(texts("name", "skipper"))}),
         {"boats": [{"name": "Marsh Harrier", "skipper": "Lars Oddie"}, {"name": "Grebe", "skipper": ""}, {"name": "Dabchick", "skipper": ""}]}),
        ("Who runs the trust?", texts("chair", "treasurer", "membership_secretary"), {"chair": "Edda Norring", "treasurer": "Piet Wallin", "membership_secretary": "Una Fairholt"}),
        ("Tell me about the Marsh Harrier.", an_object({"skipper": STRING, "owner": or_null(STRING), "price": NUMBER}, ["skipper", "owner"]), {"skipper": "Lars Oddie", "owner": None}),
        ("Who is the keeper of Quern Lock?", an_object({"keeper": STRING, "depth_m": NUMBER}), {"keeper": "Hanne Brisk", "depth_m": 2.4}),
    ],
    ids=str,
)  # fmt: skip
def test_facts_without_names_and_of_several_subjects_fill_fields(canal: Decider, asked: str, schema, wanted):
    values, decision = made(canal, asked, schema)
    assert (values, decision.answers) == (wanted, True), decision


def test_an_array_of_objects_without_facts_is_empty(canal: Decider):
    decision = decided(
        canal, "List the bridges.", schema=an_object({"bridges": array_of(texts("name", "keeper"))})
    )
    assert not decision.answers and decision.draft is None


@pytest.mark.parametrize(
    ("asked", "inside"),
    [
        (CODE, {"type": "string", "maxLength": 6}), (CODE, INTEGER), (CODE, {"type": "string", "pattern": "^[0-9]+$"}),
        (DESIGNER, {"enum": ["Ada Quist", "Bram Oyelaran"]}), (DESIGNER, NUMBER), (SHOP[3][0], {"type": "integer", "minimum": 2020}),
        (SHOP[3][0], {"type": "boolean"}), (SHOP[8][0], {"enum": ["red", "black"]}), (SHOP[10][0], INTEGER),
        (SHOP[8][0], {"type": "array", "items": STRING, "maxItems": 2}),
    ],
    ids=str,
)  # fmt: skip
def test_an_answer_that_does_not_fit_a_field_is_no_value_of_it(shop: Decider, asked: str, inside: dict):
    values, decision = made(shop, asked, an_object({"x": or_null(inside)}))
    assert (decision.outcome, decision.facts, values) == (
        "unknown",
        [SHOP.index((asked, dict(SHOP)[asked]))],
        {"x": None},
    )
    assert decision.reason == "the taught answer is no value of: x"
    _, decision = made(shop, asked, an_object({"x": inside}))
    assert decision.outcome == "unknown" and not decision.grounds
    assert decided(shop, asked, schema=an_object({"x": inside}), unknown="base").outcome == "base"
    closed = decided(shop, asked, schema=an_object({"x": inside}), unknown="base", answer_from="facts")
    assert closed.outcome == "unknown"


def test_a_required_value_without_a_fact_refuses_the_object(shop: Decider):
    asked, schema = "Who is the head of support at Nordlift?", an_object({"name": STRING, "age": INTEGER})
    for policy in ({}, {"answer_from": "facts"}, {"answer_from": "recital"}):
        values, decision = made(shop, asked, schema, sentence="Not known.", **policy)
        assert (values, decision.outcome) == ({"name": "Not known.", "age": 0}, "unknown")
        assert decision.reason == "nothing was taught for: age, which the schema requires"
    values, decision = made(shop, ALL, an_object({"code": STRING, "owner": {"type": "boolean"}}))
    assert (values, decision.outcome) == ({"code": "The documents do not say.", "owner": False}, "unknown")


def test_the_record_names_the_fields_without_facts(shop: Decider):
    _, decision = made(shop, ALL, texts("designer", "banana", "mood"))
    assert decision.reason == "1 of 3 fields are filled from facts; nothing was taught for: banana, mood"
    schema = an_object({"designer": STRING, "price": {"anyOf": [{"type": "integer"}, {"type": "null"}]}})
    _, decision = made(shop, ALL, schema)
    assert decision.reason.endswith("; the taught answer is no value of: price")


@pytest.mark.parametrize(
    ("asked", "schema", "outcome"),
    [
        (DESIGNER, texts("answer"), "recite"), (DESIGNER, texts("reasoning", "answer"), "recite"), (SHOP[3][0], an_object({"year": INTEGER}), "recite"),
        (SHOP[2][0], an_object({"load": INTEGER}), "ground"), (SHOP[1][0], an_object({"price": NUMBER}), "ground"),
        (SHOP[8][0], an_object({"colours": array_of(STRING)}), "ground"), (SHOP[11][0], an_object({"answer": {"type": "boolean"}}), "ground"),
        (ALL, texts("designer"), "ground"),
    ],
    ids=str,
)  # fmt: skip
def test_only_an_answer_that_stands_word_for_word_is_recited(shop: Decider, asked: str, schema, outcome: str):
    decision = decided(shop, asked, schema=schema)
    assert decision.outcome == outcome, decision
    if asked == ALL:
        return
    recital = decided(shop, asked, schema=schema, answer_from="recital")
    assert recital.outcome == ("recite" if outcome == "recite" else "unknown"), recital


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (DESIGNER, {"designed": "Signe Halvorsen"}),
        (f"{DESIGNER} Reply in JSON.", {"designed": "Signe Halvorsen"}),
        ("Give JSON with the keys code and price of the Halvorsen winch.", {"code": "HW-4471-B", "price": "€1,249.50"}),
        ("What are the code and the price of the Halvorsen winch?", {"product_code": "HW-4471-B", "cost": "€1,249.50"}),
        ("Give the data of the Tarn pulley.", {"product_code": "TP-0093", "cost": "€89.00", "maximum_load": "320 kg", "colours_come": "black, orange and grey", "suitable_use_outdoors": "Yes, down to -20 °C."}),
    ],
)  # fmt: skip
def test_any_object_is_the_one_that_the_message_asks_for(shop: Decider, asked: str, wanted: dict):
    for schema in (ANY, {}, {"type": "object", "additionalProperties": STRING}):
        values, decision = made(shop, asked, schema)
        assert (values, decision.way, decision.outcome) == (wanted, "json", "ground"), decision


def test_a_question_that_no_fact_answers_fills_no_fields(shop: Decider, canal: Decider):
    for asked in ("What is the capital of France?", "Who sold the Halvorsen winch?", "Hello!"):
        decision = decided(shop, asked, schema=an_object({"who": STRING, "year": INTEGER}))
        assert not decision.answers, decision
    # A message with a text is answered from it.
    schema = an_object({"name": STRING, "price": STRING})
    text = "Context: The Halvorsen winch is sold by Ada Quist.\nQuestion: Who sells it?"
    assert decided(shop, text, schema=schema).outcome == "base"
    assert not decided(canal, "Who runs the museum?", schema=texts("chair", "treasurer")).answers


def test_a_base_may_write_from_facts_only_what_may_be_empty(shop: Decider):
    asked = "Who sold the Halvorsen winch?"
    assert decided(shop, asked).grounds and decided(shop, asked, schema=texts("seller")).grounds
    assert not decided(shop, asked, schema=an_object({"seller": {"enum": ["Ada", "Ben"]}})).grounds


def test_a_follow_up_has_the_subject_of_the_messages_before(shop: Decider):
    talk = [("user", DESIGNER), ("assistant", "Signe Halvorsen")]
    values, _ = made_after(shop, talk, "Give all data, please.", texts("code", "price"))
    assert values == {"code": "HW-4471-B", "price": "€1,249.50"}


def made_after(decider: Decider, earlier: list, asked: str, schema) -> tuple[Any, Decision]:
    decision = decided(decider, asked, earlier, schema)
    return json.loads(decision.draft or "null"), decision
