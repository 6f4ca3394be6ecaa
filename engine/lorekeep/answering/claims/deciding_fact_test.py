"""Claims are decided by facts that lack the claimed value, are about the subject of the memory, or compete with the result of a search."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

CASTLES = [
    ("When was Drossel Keep completed?", "1241"),
    ("Who owns Drossel Keep?", "Greta Vandersloot"),
    ("How many towers has Castle Morvane?", "9"),
    ("Number of towers at Drossel Keep", "4"),
    ("When was Castle Morvane completed?", "1388"),
    ("How long is the Tarn Bridge Walk?", "2 km"),
    ("How long is the Castle Morvane tour?", "75 minutes"),
]
WORKSHOP = [
    ("Who owns Spokewright Workshop?", "Lloyd Pinnock"),
    ("What year did Spokewright Workshop begin?", "2003"),
    ("What is the address of Spokewright Workshop?", "27 Guango Street"),
    ("When is Spokewright Workshop open?", "8 am to 5:30 pm"),
    ("What does it cost to mend a puncture?", "R700"),
    ("How long does a puncture repair take?", "20 minutes"),
    ("Which tyre brand is in stock?", "Mangofoot"),
    ("What guarantee is there on repairs?", "90 days"),
]


@pytest.fixture(scope="module")
def castles() -> Decider:
    return decider_of(CASTLES)


@pytest.fixture(scope="module")
def workshop() -> Decider:
    return decider_of(WORKSHOP)


@pytest.mark.parametrize(
    ("asked", "starts"),
    [
        ("Is Drossel Keep from the fifteenth century?", "No."),
        ("Does Magnus Thorle own Drossel Keep?", "No."),
        ("So it is Greta Vandersloot who owns Drossel Keep?", "Yes."),
        # Two subjects, one of them named in part.
        ("Has Castle Morvane got more towers than Drossel Keep?", "Yes."),
        ("Has Morvane fewer towers than Drossel Keep? Answer yes or no.", "No."),
        ("Castle Morvane was completed before Drossel Keep, yes or no", "No."),
        ("Was Drossel Keep completed before Castle Morvane?", "Yes."),
    ],
)
def test_a_claim_about_a_subject_is_decided(castles: Decider, asked: str, starts: str):
    decision = decided(castles, asked)
    assert (decision.text or "").startswith(starts), decision


@pytest.mark.parametrize(
    ("asked", "starts"),
    [
        # The subject of the whole memory needs no name.
        ("You have been there since the 1980s, right?", "No."),
        ("R800 left in my purse. Enough to mend a puncture?", "Yes."),
        ("I have R500. Will that pay for mending a puncture?", "No."),
    ],
)
def test_a_claim_about_an_unnamed_subject_is_decided(workshop: Decider, asked: str, starts: str):
    decision = decided(workshop, asked)
    assert (decision.text or "").startswith(starts), decision


@pytest.mark.parametrize(
    "asked", ["Is Brindle Hall from the fifteenth century?", "Does Drossel Keep have a dungeon for witches?"]
)
def test_a_claim_that_no_fact_decides_is_not_answered(castles: Decider, asked: str):
    decision = decided(castles, asked)
    assert not decision.answers, decision
