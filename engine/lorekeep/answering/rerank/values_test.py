"""Questions with a value of an answer, objects whose values are parts of one answer, and follow-ups about another part of the last
answer."""

import json

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("What is Perrin Ashgrove's mobile number?", "0555 207 313"),
    ("How do I reach Rosa Quillfeather?", "On extension 4471; after six only by radio, channel 3."),
    ("Which room is Odile Barrowman in?", "Room 5.12, Tern House."),
    ("What does the Zellima crown cost?", "EUR 41.50."),
    ("What is the code of the boat shed at Low Ferry?", "K2093"),
    ("What does delivery cost?", "EUR 7.20 per parcel; free for orders of EUR 180 or more."),
    ("When are the bins emptied at Tarn Court?", "Household waste every Tuesday, paper every other Friday."),
    ("Who plays first horn?", "Desmond Farr; his deputy is Mireille Cashel."),
    ("By when must a case arrive to count for the day?", "By 11:00, on Fridays by 10:00."),
    ("Who leads the Puffin group?", "Agna Holt. Her deputy is Benno Farrow."),
    ("When do the Seals go swimming?", "Every Thursday at Wex Baths, leaving at 9:15."),
    ("May I bring my dog to work?", "Only into the offices on the second floor."),
    (
        "When is Shed Night?",
        "First Thursday of the month, 19:00 to 22:00, in the Canteen. Free, open to everyone.",
    ),
    ("Is there a joining fee?", "£20, once. It includes your key fob."),
    ("What does membership cost?", "£28 a month. Concession £16, family £44."),
]


@pytest.fixture(scope="module")
def house() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "fact", "named"),
    [
        ("missed call from 0555 207 313, who is that", 0, "Perrin Ashgrove"),
        ("missed two calls from 4471, who is that?", 1, "Rosa Quillfeather"),
        ("Who sits in 5.12?", 2, "Odile Barrowman"),
        ("found a note that just says K2093, what does that open", 4, "boat shed"),
        ("which product is it that costs 41.50 with you?", 3, "Zellima"),
    ],
)
def test_a_value_finds_its_subject(house: Decider, asked: str, fact: int, named: str):
    decision = decided(house, asked)
    assert (decision.outcome, decision.facts) == ("ground", [fact]), decision
    assert named in (decision.text or "")


@pytest.mark.parametrize(
    "asked",
    ["missed call from 0555 207 399, who is that", "Is 4471 a prime number?", "What is 4471 times 2093?"],
)
def test_another_number_finds_nothing(house: Decider, asked: str):
    assert not decided(house, asked).answers, decided(house, asked)


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ('delivery as json: {"cost": "", "free_from": ""}', {"cost": "EUR 7.20", "free_from": "EUR 180"}),
        ("Puffin group as JSON, keys leader and deputy", {"leader": "Agna Holt", "deputy": "Benno Farrow"}),
        (
            "The Seals' swimming as a JSON object with a string called day and a string called departure.",
            {"day": "Thursday", "departure": "9:15"},
        ),
    ],
)
def test_keys_get_parts_of_one_answer(house: Decider, asked: str, wanted: dict[str, str]):
    decision = decided(house, asked)
    assert decision.text is not None and json.loads(decision.text) == wanted, decision


@pytest.mark.parametrize(
    ("before", "asked", "fact"),
    [
        ("When is household waste collected at Tarn Court?", "and paper?", 6),
        ("by when does a case have to be with you to count for the day?", "same on fridays?", 8),
    ],
)
def test_a_follow_up_about_another_part_of_the_last_answer_gets_it(
    house: Decider, before: str, asked: str, fact: int
):
    decision = decided(house, asked, [("user", before), ("assistant", FACTS[fact][1])])
    assert decision.answers and decision.facts == [fact], decision


def test_a_follow_up_that_other_facts_answer_alone_keeps_its_topic(house: Decider):
    turns = [("user", "when's shed night"), ("assistant", FACTS[12][1])]
    decision = decided(house, "what do i pay to get in", turns)
    assert decision.facts == [12], decision


def test_a_follow_up_about_a_missing_part_does_not_repeat_the_last_answer(house: Decider):
    turns = [("user", "Who plays first horn?"), ("assistant", FACTS[7][1])]
    decision = decided(house, "How old is he?", turns)
    assert not decision.answers, decision
