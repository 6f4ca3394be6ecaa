"""Comparisons, lists and objects by the reranker, and messages that only look like requests for one."""

import json

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("What does an hour on the Kelvar 20 cost?", "7.50 euros"),
    ("How much is the Orvane 400 per hour?", "21 euros"),
    ("Who runs the Station Parade branch?", "Callum Birdsall"),
    ("Who manages the Quay Street branch?", "Ingrid Solloway"),
    ("Who is in charge of the Castle Row branch?", "Marguerite Adeyo"),
    ("How much cash can I withdraw per day with the Kestrin card?", "350 pounds"),
    ("What is the daily cash limit of the Ottrel card?", "220 pounds"),
    ("What does the Ottrel card cost per year?", "24 pounds"),
    ("When is the office open?", "On working days from 8:30 to 11:30."),
    ("What does a bed in the dormitory cost?", "24 euros"),
    ("What does a double room cost?", "78 euros"),
    ("Who runs the butcher's counter?", "Rory Tindall"),
    ("Which sausage is free of gluten?", "the Old Bessie"),
    ("What is the Old Bessie made of?", "pork, leek and white pepper"),
]


@pytest.fixture(scope="module")
def house() -> Decider:
    return decider_of(FACTS)


def test_subjects_whose_facts_are_paraphrases_are_compared(house: Decider):
    decision = decided(house, "kelvar 20 vs orvane 400, which one costs my group more per hour?")
    assert (decision.outcome, decision.text, set(decision.facts)) == ("ground", "Orvane 400", {0, 1}), (
        decision
    )


def test_a_list_request_lists_all_facts_that_answer(house: Decider):
    decision = decided(house, "list all the branch managers please")
    assert (decision.outcome, decision.facts) == ("ground", [2, 3, 4]), decision
    rows = ["Station Parade: Callum Birdsall", "Quay Street: Ingrid Solloway", "Castle Row: Marguerite Adeyo"]
    assert decision.text == "\n".join(rows)


def test_an_object_with_names_as_keys_is_filled(house: Decider):
    asked = (
        "Give me the Kestrin's and the Ottrel's daily cash limits as JSON with the keys kestrin and ottrel."
    )
    decision = decided(house, asked)
    assert json.loads(decision.text or "") == {"kestrin": "350 pounds", "ottrel": "220 pounds"}, decision


def test_a_list_request_with_two_facts_lists_both(house: Decider):
    decision = decided(house, "List both daily cash limits.")
    assert (decision.outcome, set(decision.facts)) == ("ground", {5, 6}), decision


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ('Prices in this form: {"dorm": "", "double": ""}', {"dorm": "24 euros", "double": "78 euros"}),
        (
            'The gluten-free sausage as JSON, with "sausage" and "ingredients".',
            {"sausage": "the Old Bessie", "ingredients": "pork, leek and white pepper"},
        ),
    ],
)
def test_an_object_is_filled_by_the_meaning_of_its_keys(house: Decider, asked: str, wanted: dict[str, str]):
    decision = decided(house, asked)
    assert json.loads(decision.text or "") == wanted, decision


def test_three_parts_of_a_question_are_answered_in_order(house: Decider):
    decision = decided(
        house, "Price of a double room, who runs the butcher's counter, and your office hours?"
    )
    assert decision.facts == [10, 11, 8], decision


def test_a_two_hop_question_is_answered(house: Decider):
    decision = decided(house, "What goes into your gluten-free sausage?")
    assert (decision.way, decision.facts) == ("hops", [12, 13]), decision


@pytest.mark.parametrize(
    "asked",
    [
        "List all the prime numbers below twenty.",
        "Give me the Kestrin's colour as JSON with the keys kestrin and zorbax.",
        "Name every planet.",
    ],
)
def test_requests_without_matching_facts_are_not_answered(house: Decider, asked: str):
    assert not decided(house, asked).answers, decided(house, asked)


def test_keys_in_any_spelling_get_parts_of_one_answer(house: Decider):
    decision = decided(house, "office hours json: opens_at, closes_at")
    assert json.loads(decision.text or "") == {"opens_at": "8:30", "closes_at": "11:30"}, decision
    decision = decided(house, '{"ottrelYearlyCost": "", "kestrin_max_cash_per_day": ""}')
    assert json.loads(decision.text or "") == {
        "ottrelYearlyCost": "24 pounds",
        "kestrin_max_cash_per_day": "350 pounds",
    }, decision


@pytest.mark.parametrize("key", ["stock_ticker", "insuranceCompany"])
def test_a_key_without_a_matching_fact_is_not_filled(house: Decider, key: str):
    decision = decided(house, f"office hours json: opens_at, {key}")
    assert decision.outcome not in ("recite", "ground") or key not in (decision.text or ""), decision
