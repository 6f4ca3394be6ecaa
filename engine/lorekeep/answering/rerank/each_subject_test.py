"""One question about several subjects, in words that no rule covers."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("How many employees has Vandermoot got?", "410"),
    ("How big is the staff of Zabrini Forni?", "95 people"),
    ("How many people are employed by Drumgarrow Mills?", "680"),
    ("When was Zabrini Forni founded?", "1962"),
    ("What year does Vandermoot date from?", "1934"),
    ("Which town is Vandermoot in?", "Port Essery"),
    ("Where are the Drumgarrow Mills?", "In Kilbarran"),
    ("Which bread does Vandermoot sell?", "Kestrel Rye"),
    ("What kind of bread is Kestrel Rye?", "A dark rye loaf."),
    ("What sort of bread is Luna Piatta?", "A flatbread with rosemary."),
]


@pytest.fixture(scope="module")
def bakeries() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "facts"),
    [
        ("I need the headcount of Vandermoot as well as that of Zabrini Forni.", [0, 1]),
        ("Staff numbers for Drumgarrow Mills, then Vandermoot", [2, 0]),
        ("We pass Vandermoot one week and Zabrini Forni the next. Since when has each existed?", [4, 3]),
        ("the kind of bread that kestrel rye is, along with what kind luna piatta is", [8, 9]),
    ],
)
def test_one_question_about_several_subjects_is_answered_for_each(
    bakeries: Decider, asked: str, facts: list[int]
):
    assert decided(bakeries, asked).facts == facts, decided(bakeries, asked)


def test_a_value_that_is_missing_for_one_subject_is_not_invented(bakeries: Decider):
    decision = decided(bakeries, "The town of Vandermoot and that of Zabrini Forni, please.")
    assert decision.facts[:1] == [5], decision
    assert not {0, 1, 2, 3, 4, 6} & set(decision.facts), decision


def test_a_fact_about_both_subjects_is_not_split():
    house = decider_of(
        [
            ("Where did Ada Quist work before she joined Zorbax?", "At Wixby"),
            ("Where did Ben Ott work before he joined Zorbax?", "At Grubworks"),
            ("Who founded Zorbax?", "Ben Ott"),
        ]
    )
    assert decided(house, "where had ada quist been before zorbax").facts == [0]
