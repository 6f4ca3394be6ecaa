"""Messages for all subjects of a kind, and about subjects that facts link with a name."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of, said

CAPTAINS = {"Grey Heron": "Ilsabet Kroon", "Tansy": "Marek Oduya", "Petrelline": "Sunniva Dacosta"}
LENGTHS = {"Grey Heron": "62 metres", "Tansy": "41 metres", "Petrelline": "88 metres"}
PORTS = {"Grey Heron": "Varnmouth", "Tansy": "Skelby", "Petrelline": "Varnmouth"}
BORN = {"Ilsabet Kroon": "Hallowick", "Marek Oduya": "Brenna Falls", "Sunniva Dacosta": "Port Selwyn"}


@pytest.fixture(scope="module")
def fleet() -> Decider:
    return decider_of([
        *((f"Who is the captain of the {ship}?", captain) for ship, captain in CAPTAINS.items()),
        *((f"How long is the {ship}?", length) for ship, length in LENGTHS.items()),
        *((f"What is the home port of the {ship}?", port) for ship, port in PORTS.items()),
        *((f"Where was {captain} born?", town) for captain, town in BORN.items()),
        ("How much is an adult single fare?", "14.50 crowns"),
        ("Are dogs allowed on board?", "Dogs are allowed on deck. They must stay out of the saloon."),
        ("When does the last ferry leave in the evening?", "The last ferry leaves at 22:40."),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ("Which ships are there?", LENGTHS.keys()),
        ("name all captains pls", CAPTAINS.values()),
        ("home ports of the whole fleet", PORTS.values()),
        ("every ship + who commands it", CAPTAINS.values()),
        ("I'm writing a piece on your skippers. In which places were they born, all three?", BORN.values()),
        ("json array of the names of all captains", CAPTAINS.values()),
    ],
)
def test_all_of_a_kind_are_listed(fleet: Decider, asked: str, values):
    text = said(fleet, decided(fleet, asked)) or ""
    assert all(value in text for value in values), text


def test_subjects_are_chosen_by_what_a_fact_tells(fleet: Decider):
    assert (
        said(fleet, decided(fleet, "Which ships have their home in Varnmouth?"))
        == "Grey Heron and Petrelline"
    )


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("How long is Ilsabet Kroon's ferry?", "62 metres"),
        ("which port does Marek Oduya's ship call home", "Skelby"),
        ("birthplace of the Tansy's skipper", "Brenna Falls"),
    ],
)
def test_a_fact_links_a_name_with_the_subject_of_the_question(fleet: Decider, asked: str, answer: str):
    assert said(fleet, decided(fleet, asked)) == answer


@pytest.mark.parametrize(
    "asked",
    [
        "What are the prices of all hotels?",
        "Which hotels are there?",
        "the phone numbers of all employees",
        "What does Ilsabet Kroon's ferry cost?",
        "How long is Ada Quist's ferry?",
        "what is Ilsabet Kroon's shoe size",
        "Please name the club doctor of Varnmouth.",
    ],
)
def test_other_kinds_and_relations_are_not_answered(fleet: Decider, asked: str):
    decision = decided(fleet, asked)
    assert not decision.answers, decision
