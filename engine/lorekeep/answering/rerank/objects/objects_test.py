"""Requests for JSON without keys, nested objects, and keys without an answer."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("Who owns Ferrin Optics?", "Petra Osmund"),
    ("Where is the head office of Ferrin Optics?", "In Lindevaal"),
    ("In which year was Ferrin Optics founded?", "1889"),
    ("How many people work at Ferrin Optics?", "210"),
    ("Who is the director of the Velmora Institute?", "Ilse Kranvik"),
    ("Where is the Velmora Institute?", "On Mount Tarquell"),
    ("How many people work at the Velmora Institute?", "64"),
    ("How much does a tour of the Velmora Institute cost?", "12.50 euros"),
    ("When was Ilse Kranvik born?", "22 June 1968"),
    ("Where was Ilse Kranvik born?", "In Norrask"),
    ("What does the JSON export of the Velmora Institute cost?", "Nothing. It is free."),
]


@pytest.fixture(scope="module")
def house() -> Decider:
    return decider_of(FACTS)


def made(house: Decider, asked: str, earlier: Sequence[tuple[str, str]] = ()) -> Any:
    decision = decided(house, asked, earlier)
    assert (decision.outcome, decision.way) == ("ground", "json"), decision
    return json.loads(decision.text or "")


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ("Dear all,\nfor our leaflet I need the price of a tour of the Velmora Institute and its director. Could you send both as JSON?\nRegards, Hedda", ["12.50 euros", "Ilse Kranvik"]),
        ("Hello, I need to know when is born Ilse Kranvik and also in which place she is born, you answer in the format JSON, thank you", ["22 June 1968", "In Norrask"]),
        ("My nephew's website needs the stuff about Ferrin Optics as JSON, whatever that is. He wants to have in there who owns it and when it was founded.", ["Petra Osmund", "1889"]),
        ("Who owns Ferrin Optics? Reply in JSON.", ["Petra Osmund"]),
    ],
)  # fmt: skip
def test_a_message_without_keys_is_answered_with_an_object(house: Decider, asked: str, values: list[str]):
    assert sorted(made(house, asked).values()) == sorted(values)


@pytest.mark.parametrize(
    "asked",
    [
        '{"velmora institute": {"director": {"name": "...", "born_in": "..."}}}',
        'The Velmora Institute as nested JSON, with a field "director" which is itself an object with "name" and "born_in".',
        '{"institute": "Velmora Institute", "director": {"name": "", "born_in": ""}}',
    ],
)
def test_a_nested_object_is_about_the_person_whom_its_key_names(house: Decider, asked: str):
    values = made(house, asked)
    values = values.get("velmora institute", values)
    assert values["director"] == {"name": "Ilse Kranvik", "born_in": "In Norrask"}


def test_a_nested_object_may_have_a_topic_as_its_key(house: Decider):
    assert made(house, '{"export": {"price": "..."}}') == {"export": {"price": "Nothing. It is free."}}


def test_a_requested_list_is_an_array(house: Decider):
    asked = "Return a JSON array of two strings: who owns Ferrin Optics, the year it was founded."
    assert made(house, asked) == ["Petra Osmund", "1889"]


def test_nested_objects_of_a_template_are_each_filled(house: Decider):
    asked = 'Output this with the values, null where nothing is known: {"Ferrin Optics": {"head_office": ?, "fax": ?}, "Velmora Institute": {"director": ?}}'
    assert made(house, asked) == {
        "Ferrin Optics": {"head_office": "In Lindevaal", "fax": None},
        "Velmora Institute": {"director": "Ilse Kranvik"},
    }


def test_an_object_by_name_has_the_keys_for_each_subject(house: Decider):
    asked = 'One nested JSON object: on the top level "Velmora Institute" and "Ferrin Optics", and inside each of them "staff".'
    assert made(house, asked) == {"Velmora Institute": {"staff": "64"}, "Ferrin Optics": {"staff": "210"}}


def test_keys_without_an_answer_are_null_if_the_message_allows_it(house: Decider):
    asked = '{"owner": …, "wifi_password": …, "mascot": …} of Ferrin Optics as JSON. If there is no info write null.'
    assert made(house, asked) == {"owner": "Petra Osmund", "wifi_password": None, "mascot": None}


def test_the_last_question_is_answered_again_as_json(house: Decider):
    earlier = [("user", "Who owns Ferrin Optics, and in which year was it founded?"), ("assistant", "-")]
    assert sorted(made(house, "Can I have that in JSON instead?", earlier).values()) == [
        "1889",
        "Petra Osmund",
    ]


def test_keys_are_read_from_code(house: Decider):
    asked = "class FerrinOptics(BaseModel):\n    owned_by: str\n    people: int\n\nA JSON instance of this, please."
    assert made(house, asked) == {"owned_by": "Petra Osmund", "people": "210"}


def test_a_question_about_json_is_answered_as_plain_text(house: Decider):
    for asked in (
        "How much is the JSON export of the Velmora Institute?",
        "How much is the Velmora Institute's JSON export a month?",
        "What does the JSON export of the Velmora Institute cost?",
    ):
        decision = decided(house, asked)
        assert decision.facts == [10], decision
        assert decision.way != "json"


def test_words_around_a_name_count_if_they_name_a_property(house: Decider):
    asked = 'My app shows a popup and eats JSON with "owner" and "founded", it is about Ferrin Optics.'
    assert made(house, asked) == {"owner": "Petra Osmund", "founded": "1889"}
    decision = decided(house, 'The colour of Ferrin Optics as JSON with the key "it".')
    assert not decision.answers, decision


def test_the_same_keys_for_several_subjects_give_an_array_of_objects_on_request(house: Decider):
    asked = 'An array of objects please, for Ferrin Optics and the Velmora Institute, each with "name" and "staff", as JSON.'
    assert made(house, asked) == [
        {"name": "Ferrin Optics", "staff": "210"},
        {"name": "Velmora Institute", "staff": "64"},
    ]


@pytest.mark.parametrize(
    "asked",
    [
        "Dear team, I need the shoe size of Ilse Kranvik and the name of her car as JSON. Regards, Tim",
        "json pls: the mascot of Ferrin Optics and its anthem",
        "What does JSON stand for?",
    ],
)
def test_requests_without_a_matching_fact_fill_no_object(house: Decider, asked: str):
    decision = decided(house, asked)
    assert not decision.answers, decision
