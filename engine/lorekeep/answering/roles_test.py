"""Persons whose roles only the answers to other questions mention."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("What do I do after an accident with a van?", "Call the police first, then the fleet manager, Marek Novak, and take photos."),
    ("Whom do I contact with a complaint?", "Write to our practice manager, Dr Tom Reilly, at tom@zorbax.example."),
    ("Who signs off a purchase?", "Ines Okonjo (the head of finance) or Bo Lind (team lead)."),
    ("Who leads the workshop in the north?", "Ask the team lead Ulla Berg."),
    ("Where are the keys?", "In the office of the caretaker."),
]  # fmt: skip


@pytest.fixture(scope="module")
def handbook() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "person", "fact"),
    [
        ("Who is the fleet manager?", "Marek Novak", 0),
        ("what's the name of your practice manager?", "Dr Tom Reilly", 1),
        ("who's our head of finance", "Ines Okonjo", 2),
    ],
)
def test_a_role_beside_a_name_identifies_the_person(handbook: Decider, asked: str, person: str, fact: int):
    decision = decided(handbook, asked)
    assert decision.facts == [fact] and person in (decision.text or FACTS[fact][1]), decision


@pytest.mark.parametrize(
    "asked",
    [
        "Who is the team lead?",  # ambiguous: two persons
        "Who is the sales manager?",
        "Who is the manager?",
        "Who is the caretaker?",
    ],
)
def test_an_unknown_or_ambiguous_role_identifies_nobody(handbook: Decider, asked: str):
    decision = decided(handbook, asked)
    assert (decision.text or "") not in {
        "Marek Novak",
        "Dr Tom Reilly",
        "Ines Okonjo",
        "Bo Lind",
        "Ulla Berg",
    }, decision
