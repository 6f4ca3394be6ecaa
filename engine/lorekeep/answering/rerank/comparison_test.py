"""Comparisons of what facts say, where no names select them."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("What does minced beef cost a kilo?", "£11.50"),
    ("What does beef fillet cost a kilo?", "£46"),
    ("When do the sorters start?", "4.20 am"),
    ("When do the carriers start?", "6.10 am"),
    ("How many labels a minute does the Tagwell 300 print?", "60 labels a minute"),
    ("How many labels a minute does the Tagwell 500 print?", "110 labels a minute"),
    ("How old is the settlement of Tell Sarim?", "about 5,200 years"),
    ("How old is the settlement of Castro Alvo?", "about 2,300 years"),
    ("Who runs the counter?", "Ursula Petrenko"),
]


@pytest.fixture(scope="module")
def house() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "facts", "begins"),
    [
        ("Which is more expensive, minced beef or beef fillet?", {0, 1}, "beef fillet: £46"),
        ("Is minced beef or beef fillet cheaper?", {0, 1}, "minced beef: £11.50"),
        ("Who starts earlier, sorters or carriers?", {2, 3}, "sorters: 4.20 am"),
        ("Which settlement is older, Tell Sarim or Castro Alvo?", {6, 7}, "Sarim"),
    ],
)
def test_what_comes_first_is_named_with_its_amount(house: Decider, asked: str, facts: set[int], begins: str):
    decision = decided(house, asked)
    assert (decision.way, set(decision.facts)) == ("comparison", facts), decision
    assert (decision.text or "").startswith(begins), decision


def test_a_comparison_without_names_says_what_differs(house: Decider):
    decision = decided(house, "Which printer is faster?")
    assert (decision.way, decision.text) == ("comparison", "Tagwell 500: 110 labels a minute"), decision


@pytest.mark.parametrize(
    "asked", ["Which is faster, a train or a bicycle?", "What is larger, Mars or Venus?"]
)
def test_what_no_facts_measure_is_not_compared(house: Decider, asked: str):
    assert not decided(house, asked).answers, decided(house, asked)
