"""Yes-or-no questions that one clause of a fact decides, alone and within a longer message."""

import pytest

from lorekeep.answering.claims.clause_match import claim_of, verdict
from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of
from lorekeep.answering.policy import Policy
from lorekeep.answering.word_match import WordMatch

FACTS = [
    ("Which languages does Callum Birdsall speak?", "English, Polish and a little Welsh."),
    ("When is the building open?", "Monday to Friday from 7:00 to 22:00. It is closed on Sundays."),
    ("Where is the Kalder K3 furnace?", "In the basement, room B-04."),
    ("When is the weight clinic?", "Every Wednesday from 2 pm. It is free and you do not need to book."),
    ("What engine does the Hornet K77 have?", "a 2.4-litre V6"),
    ("On which weekday is the Gilt Pharos shop closed?", "Wednesday"),
    ("On which day does the Marrow Club meet?", "Thursday"),
    ("Where does the Marrow Club meet?", "in the Long Shed"),
    ("Which milk is Ashgrel made from?", "goat's milk"),
    ("Did Signe Brandvik have children?", "No, she had none."),
    (
        "Where did Signe Brandvik learn her trade?",
        "With Oskar Penhollin in Ustrem. She stayed with him for six years.",
    ),
    ("Who founded Brandvik & Droll?", "Signe Brandvik and Benno Droll"),
]


@pytest.fixture(scope="module")
def house() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("message", "claim"),
    [
        ("does Callum speak Polish? my mum's English is not great", "does Callum speak Polish?"),
        ("my son turned 17, can he still have an account", "can he still have an account"),
        ("Is it open on Sunday, or on Monday?", "Is it open on Sunday, or on Monday?"),
        ("When is it open?", "When is it open?"),
        ("", ""),
    ],
)
def test_the_claim_is_extracted_from_a_longer_message(message: str, claim: str):
    assert claim_of(message) == claim


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ("does Callum Birdsall speak polish? my mum's english is not great", "Yes. English"),
        ("Is the building open on Sundays?", "No. Monday"),
        ("Is the weight clinic free?", "Yes. Every Wednesday"),
        ("the weight clinic doesnt cost anything, right?", "Yes. Every Wednesday"),
        ("Is the Hornet K77 powered by a V10?", "No. a 2.4-litre V6"),
        ("Is the Gilt Pharos shop open on Wednesdays?", "No."),
        ("Is the Gilt Pharos shop open on Sundays?", "Yes."),
        ("Does the Marrow Club meet on a Thursday?", "Yes."),
        ("Does the Marrow Club meet on Monday?", "No."),
        ("Does the Marrow Club meet in the Owl Shed?", "No."),
        ("Ashgrel is from cow's milk, isn't it?", "No. goat's milk"),
        ("Is Ashgrel made from goat milk?", "Yes."),
        ("does Ashgrel contain milk?", "Yes. goat's milk"),
        ("Is it true that Signe Brandvik had no children?", "Yes. She had none."),
        ("Was Signe Brandvik with Oskar Penhollin for longer than ten years?", "No."),
        ("Please confirm: Ashgrel is made from cow's milk.", "No."),
    ],
)
def test_a_clause_decides_a_claim(house: Decider, asked: str, begins: str):
    decision = decided(house, asked)
    assert (decision.text or "").startswith(begins), decision


def test_a_fact_does_not_confirm_a_claim_with_a_name_that_it_lacks(house: Decider):
    decision = decided(house, "Brandvik & Droll has its workshop in Ustrem, right?")
    assert not (decision.text or "").startswith("Yes"), decision


@pytest.mark.parametrize(
    ("asked", "taught", "answer", "wanted"),
    [
        # Equal words do not tell who did it to whom.
        ("Did Brandvik teach Penhollin?", "Who was Brandvik's teacher?", "Oskar Penhollin", None),
        ("Is the Brandvik forge in Ustrem?", "Where is the Brandvik forge?", "in Ustrem", True),
    ],
)
def test_equal_words_do_not_decide_where_subject_and_object_may_be_swapped(
    house: Decider, asked: str, taught: str, answer: str, wanted: bool | None
):
    assert verdict(asked, taught, answer, WordMatch(house._judge("balanced", Policy()))) is wanted
