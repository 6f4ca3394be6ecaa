"""Keys of objects, and the fact that each of them gets."""

import json

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("What does an hour on a court cost?", "€14 outdoors and €22 in the hall."),
    ("What does a lesson with a trainer cost?", "€48, balls included."),
    ("What must one pay for a lost locker key?", "€9, or €4 for members."),
    ("How long may the outdoor courts be used in the evening?", "Until dusk."),
    ("How long may the hall be used in the evening?", "Until 23:00."),
    ("Which shoes may be worn in the hall?", "Only shoes with light soles."),
    ("Who strings rackets?", "Pavel Istvaan, within two days."),
    ("By when must a court be cancelled?", "Four hours before, or the full price is due."),
    ("How many guests may a member bring?", "Two a month."),
    ("Where is the defibrillator?", "Beside the reception desk."),
    ("Who manages the Ostrander Hall?", "Liv Tammerand."),
    ("Who manages the Quellmark Hall?", "Bo Aschenfeld."),
    ("What does a month in the sauna cost?", "€30."),
    ("From what age may one use the sauna?", "From 16."),
    ("When was the Quellmark Hall opened?", "In May 2003."),
]


@pytest.fixture(scope="module")
def club() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        # One word is far from the question of its fact.
        ("json with soles and stringer", {"soles": 5, "stringer": 6}),
        # Two facts differ in a word that the key has.
        ('{"evening_hall": "", "evening_outdoor": ""}', {"evening_hall": 4, "evening_outdoor": 3}),
        # Each key is described behind it.
        ("a for what a lesson costs and b for how many guests I may bring, as JSON", {"a": 1, "b": 8}),
        # The keys are names, and the message says what is wanted of each.
        ("Managers as JSON: ostrander, quellmark", {"ostrander": 10, "quellmark": 11}),
        # The topic is a word before the keys, or joined by a program.
        ('sauna {"fee": "", "min_age": ""}', {"fee": 12, "min_age": 13}),
        ("interface QuellmarkHall { manager: string; opened: string }", {"manager": 11, "opened": 14}),
        # Without the word JSON.
        ("court rules -> {cancel_by, max_guests}", {"cancel_by": 7, "max_guests": 8}),
    ],
)
def test_each_key_gets_its_own_fact(club: Decider, asked: str, values: dict[str, int]):
    decision = decided(club, asked)
    assert decision.way == "json", decision
    assert json.loads(decision.text or "") == {key: FACTS[fact][1] for key, fact in values.items()}


@pytest.fixture(scope="module")
def inn() -> Decider:
    return decider_of([
        ("What does a single room at the Quillow Inn cost?", "€74 a night."),
        ("Who runs the Quillow Inn?", "Marga Oldenholt"),
        ("How many rooms does the Quillow Inn have?", "19"),
        ("When is check-in?", "From 15:00."),
        ("Are dogs allowed?", "Yes, for €9 a night."),
        ("What is the phone number of the front desk?", "0299 555 014"),
        ("When is breakfast served?", "From 7:00 to 10:30."),
    ])  # fmt: skip


def test_facts_without_a_name_are_about_the_subject_of_the_whole_memory(inn: Decider):
    decision = decided(inn, "Quillow Inn as JSON: owner, phone, rooms")
    values = {"owner": "Marga Oldenholt", "phone": "0299 555 014", "rooms": "19"}
    assert json.loads(decision.text or "") == values, decision


def test_fields_of_a_schema_are_read(inn: Decider):
    fields = {"owner": {"type": "string"}, "phone": {"type": "string"}, "spa": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    decision = decided(inn, "The Quillow Inn, please", schema=schema, sentence="Not known.")
    values = {"owner": "Marga Oldenholt", "phone": "0299 555 014", "spa": ""}
    assert json.loads(decision.draft or "") == values, decision


def test_fields_of_a_schema_may_have_equal_words_and_none(inn: Decider):
    inside = {"type": "object", "properties": {"phone": {"type": "string"}}}
    fields = {
        "owner": {"type": "string"},
        "desk.phone": {"type": "string"},
        "desk": inside,
        "": {"type": "string"},
    }
    schema = {"type": "object", "properties": fields, "required": list(fields)}
    decision = decided(inn, "The Quillow Inn, please", schema=schema, sentence="Not known.")
    filled = json.loads(decision.draft or "")
    assert (filled["owner"], filled["desk.phone"]) == ("Marga Oldenholt", "0299 555 014")
    assert (filled["desk"], filled[""]) == ({"phone": "0299 555 014"}, "")


@pytest.fixture(scope="module")
def winch() -> Decider:
    return decider_of([
        ("What is the product code of the Halvorsen winch?", "HW-4471-B"),
        ("How much does the Halvorsen winch cost?", "€1,249.50"),
        ("What is the maximum load of the Halvorsen winch?", "850 kg"),
        ("Who designed the Halvorsen winch?", "Signe Halvorsen"),
    ])  # fmt: skip


@pytest.mark.parametrize("key", ["email", "height", "colour", "delivery_time"])
def test_a_key_that_no_fact_answers_is_null(winch: Decider, key: str):
    asked = f"Give the data of the Halvorsen winch as JSON with the keys product_code, price and {key}."
    decision = decided(winch, asked)
    assert json.loads(decision.text or "") == {"product_code": "HW-4471-B", "price": "€1,249.50", key: None}


def test_a_key_has_no_whole_answer_of_another_key():
    bays = decider_of([
        ("Who may park in a disabled bay?", "Only holders of a blue badge, free of charge."),
        ("How much is the release of a towed car?", "£190, plus £22 for each day of storage."),
    ])  # fmt: skip
    assert not decided(bays, 'special bays -> {"disabled_bay": null, "ev_bay": null}').answers
