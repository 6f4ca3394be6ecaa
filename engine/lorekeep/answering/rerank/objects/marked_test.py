"""Objects by the marked spans of a message: keys with descriptions, items with the same keys, given values."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("Who looks after the Grindle Mill?", "Ottmar Lisk"),
    ("Where does Ottmar Lisk live?", "In Pellow Row"),
    ("Which year is the Grindle Mill from?", "1887"),
    ("How many visitors does the Grindle Mill get?", "4,200 a year"),
    ("What does the Slowhand loaf cost?", "£5.20"),
    ("How much is a Morning Bell?", "£1.40"),
    ("What is the price of a Goldfeather?", "£1.85"),
    ("How heavy is the Slowhand loaf?", "1,200 g"),
    ("Weight of a Morning Bell?", "90 g"),
    ("How much weighs a Goldfeather?", "110 g"),
    ("What deposit do I pay?", "£250, held on your credit card."),
    ("When do I get the deposit back?", "Within five working days of returning the car."),
    ("How late does the office shut?", "At 18:30"),
    ("How old must a driver be?", "At least 21"),
]


@pytest.fixture(scope="module")
def house() -> Decider:
    return decider_of(FACTS)


def made(house: Decider, asked: str, earlier: Sequence[tuple[str, str]] = ()) -> Any:
    decision = decided(house, asked, earlier)
    assert decision.text is not None, decision
    return json.loads(decision.text)


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        (
            "who looks after the grindle mill and where does he live, json, keys who + home",
            {"who": "Ottmar Lisk", "home": "In Pellow Row"},
        ),
        (
            '{"deposit": "?", "driver_min_age": "?"} can you fill this in',
            {"deposit": "£250, held on your credit card.", "driver_min_age": "At least 21"},
        ),
        (
            '{"mill": "Grindle Mill", "visitors": "", "year": ""} complete this please',
            {"mill": "Grindle Mill", "visitors": "4,200 a year", "year": "1887"},
        ),
        # Keys that are the items, each written as one word.
        (
            "JSON, camelCase keys, slowhandLoaf and morningBell with the price of each",
            {"slowhandLoaf": "£5.20", "morningBell": "£1.40"},
        ),
        # A list of objects whose first key is the item itself.
        (
            "A JSON list of objects {loaf, weight} for the Slowhand loaf and the Morning Bell, thanks.",
            [{"loaf": "Slowhand loaf", "weight": "1,200 g"}, {"loaf": "Morning Bell", "weight": "90 g"}],
        ),
        # A part of a name.
        ("grindle mill json visitors+year", {"visitors": "4,200 a year", "year": "1887"}),
        (
            "as json: the price of Slowhand, Morning Bell and Goldfeather, one key each",
            {"Slowhand": "£5.20", "Morning Bell": "£1.40", "Goldfeather": "£1.85"},
        ),
        (
            "JSON with the price of each: Slowhand, Morning Bell and Goldfeather",
            {"Slowhand": "£5.20", "Morning Bell": "£1.40", "Goldfeather": "£1.85"},
        ),
        (
            "JSON array of objects with name, price and weight for Slowhand and Goldfeather",
            [
                {"name": "Slowhand", "price": "£5.20", "weight": "1,200 g"},
                {"name": "Goldfeather", "price": "£1.85", "weight": "110 g"},
            ],
        ),
        (
            "closing time n minimum age for drivers in json pls",
            {"closing_time": "At 18:30", "minimum_age": "At least 21"},
        ),
    ],
)
def test_an_object_has_the_marked_fields(house: Decider, asked: str, values: Any):
    assert made(house, asked) == values


def test_a_previous_question_gives_the_subject(house: Decider):
    earlier = [("user", "Which year is the Grindle Mill from?"), ("assistant", "1887")]
    assert made(house, "same again as json, key year", earlier) == {"year": "1887"}


def test_numbers_that_a_message_gives_stay_numbers(house: Decider):
    asked = '{"mill": "Grindle Mill", "floors": 4, "year": "", "visitors": ""} complete this please'
    assert made(house, asked) == {
        "mill": "Grindle Mill",
        "floors": 4,
        "year": "1887",
        "visitors": "4,200 a year",
    }


def test_a_message_may_refer_to_two_previous_questions(house: Decider):
    earlier = [
        ("user", "Which year is the Grindle Mill from?"),
        ("assistant", "1887"),
        ("user", "How many visitors does the Grindle Mill get?"),
        ("assistant", "4,200 a year"),
    ]
    wanted = {"year": "1887", "visitors": "4,200 a year"}
    assert made(house, "put both of these in one json please", earlier) == wanted


def test_a_key_without_a_fact_is_null_if_allowed(house: Decider):
    asked = "JSON for the Grindle Mill with keys year and wheel_width; null if you don't know"
    assert made(house, asked) == {"year": "1887", "wheel_width": None}


@pytest.mark.parametrize(
    "asked", ["json: the altitude of Mars and its moons", '{"colour": "", "taste": ""} of the sun']
)
def test_values_that_are_not_taught_give_no_object(house: Decider, asked: str):
    assert not decided(house, asked).answers
