"""Questions about a person whom they describe, where facts about other people match as well."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("What is Simone Acherby's extension?", "3329"),
    ("What is Yusra Demirel's extension?", "3322"),
    ("How do I reach Rufus Tangway?", "On extension 3342; during concerts only by radio, channel 7."),
    ("Who looks after the Circle of the Larks?", "Simone Acherby, head of development."),
    ("Who is in charge of the milling department?", "Yusra Demirel"),
    ("Who is the orchestra manager?", "Paola Restive"),
    ("Where is Paola Restive's office?", "On the second floor, beside the lift"),
    ("What does a guided tour cost?", "7 euros"),
]


@pytest.fixture(scope="module")
def hall() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "fact"),
    [
        ("extension of the head of development?", 0),
        ("what's the extension of whoever is in charge of the milling department?", 1),
    ],
)
def test_a_described_person_is_resolved(hall: Decider, asked: str, fact: int):
    decision = decided(hall, asked)
    assert decision.answers and decision.facts[-1] == fact, decision


def test_a_fact_about_another_person_does_not_answer_for_the_described_one(hall: Decider):
    decision = decided(hall, "What is the orchestra manager's extension?")
    assert "3342" not in (decision.text or "") and decision.outcome != "recite", decision
