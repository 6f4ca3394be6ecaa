"""The candidate facts of a base where no search found a fact."""

from lorekeep.answering.rerank.closest_facts import ClosestFacts
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.gate import stored_gate
from lorekeep.routing.router import Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of

GYM = [
    Entry("What does a day pass at Gripstone cost for someone under 16?", "£9"),
    Entry("When does Gripstone open on weekday mornings?", "6.30 am"),
    Entry("How often are the boulder problems reset?", "Every second Tuesday"),
    Entry("What happens if rental shoes are returned late?", "A £5 charge is added to your account"),
]


def closest(entries: list[Entry]) -> ClosestFacts:
    embed, vocabulary = router_parts()
    keys = keys_of(entries, names_of(entries, vocabulary), embed)
    return ClosestFacts(Router(entries, keys, stored_gate({}), vocabulary, embed))


def test_candidates_include_facts_with_and_without_names_for_a_question_without_names():
    near = closest(GYM)
    assert 0 in near("junior entry price for kids under 16?", 2)
    assert 3 in near("Is there a penalty for bringing hire shoes back after the deadline?", 2)
    assert len(near("When do you open in the morning?", 3)) <= 3
    assert 1 in near("When do you open in the morning?", 3)


def test_an_unrelated_question_has_no_candidates():
    near = closest(GYM)
    assert near("What is the chemical symbol of gold?", 8) == []
    assert near("Wie alt muss ein Kind sein, um alleine zu klettern?", 8) == []
    assert closest([])("How often are the boulder problems reset?", 8) == []


def test_a_relation_shared_by_many_subjects_gives_no_candidates():
    firms = [
        Entry(f"Who founded {name}?", "Ada Quist") for name in ("Zorbax", "Quilmar", "Brimoor", "Vantrell")
    ]
    assert closest(firms)("Who founded it?", 8) == []
    assert closest(firms[:2])("Who is the founder, who founded it?", 8) == [0, 1]
