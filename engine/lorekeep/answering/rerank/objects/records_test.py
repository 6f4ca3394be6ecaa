"""The same keys for several subjects as objects, and a measure that applies to all keys."""

import json

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("When was the Copper Peel opened?", "2009"),
    ("In what year did Nine Sparrows begin?", "2016"),
    ("Number of employees at the Copper Peel?", "36"),
    ("How many work at Nine Sparrows?", "21"),
    ("Who founded the Copper Peel?", "Noor Castellane"),
    ("Who runs the ovens at Nine Sparrows?", "Priya Hathersage"),
    ("What does a child seat cost?", "£6.50 a day"),
    ("Can I hire a sat nav?", "Yes, for £4.75 a day."),
    ("How much is a roof box?", "£40 a week"),
    ("When is the office open?", "From 7.30 to 18.00"),
]


@pytest.fixture(scope="module")
def house() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        (
            "I want a JSON list of objects, each with firm and year, for the Copper Peel and Nine Sparrows.",
            [{"firm": "Copper Peel", "year": "2009"}, {"firm": "Nine Sparrows", "year": "2016"}],
        ),
        (
            "Return a list of objects, one for the Copper Peel and one for Nine Sparrows, each with name and employees.",
            [{"name": "Copper Peel", "employees": "36"}, {"name": "Nine Sparrows", "employees": "21"}],
        ),
        (
            'One record per bakery with "year" and "employees", as JSON: Copper Peel and Nine Sparrows.',
            [{"year": "2009", "employees": "36"}, {"year": "2016", "employees": "21"}],
        ),
        (
            "pls send opening years of the Copper Peel and Nine Sparrows in json",
            {"Copper Peel": "2009", "Nine Sparrows": "2016"},
        ),
        (
            "JSON with the keys founded and employees for the Copper Peel.",
            {"founded": "2009", "employees": "36"},
        ),
        (
            "Give me an object listing child_seat, sat_nav, roof_box prices",
            {"child_seat": "£6.50 a day", "sat_nav": "Yes, for £4.75 a day.", "roof_box": "£40 a week"},
        ),
    ],
)
def test_objects_have_the_requested_values_of_each_subject(house: Decider, asked: str, made: object):
    decision = decided(house, asked)
    assert decision.text is not None and json.loads(decision.text) == made, decision


def test_a_list_of_objects_without_facts_is_not_made(house: Decider):
    assert not decided(
        house, "Return a list of objects, each with colour and weight, for Mars and Venus."
    ).answers
