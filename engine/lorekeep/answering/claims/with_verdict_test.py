"""Yes-or-no questions are decided by the fact that answers them, in any wording."""

import pytest

from lorekeep.answering.claims.verdicts import verdict_sentence
from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

CLINIC = [
    ("When is the Larch Allergy Clinic open on weekdays?", "7:30 am to 4:30 pm"),
    ("In what year was the Larch Allergy Clinic founded?", "1987"),
    ("What does a patch test cost?", "$11,000"),
    ("How long does a course of allergy shots last?", "3 years"),
    ("From what age are allergy shots given?", "From 5 years"),
    ("Who keeps the museum of the clinic?", "Miss Lavinia Tetlow"),
    ("Are dogs allowed in the waiting room?", "Yes, as long as they are on a lead."),
    ("How far in advance must an appointment be cancelled?", "24 hours ahead"),
    ("Which ward has the blue lamps?", "The Heron ward"),
]


@pytest.fixture(scope="module")
def clinic() -> Decider:
    return decider_of(CLINIC)


@pytest.mark.parametrize(
    ("asked", "starts"),
    [
        # Claimed amounts are not names that a fact must have.
        ("patch test cheaper than $10,000?", "No."),
        ("I've put $12,000 aside. Will that pay for a patch test?", "Yes."),
        ("My budget is $9,000. Could I get the patch test done?", "No."),
        # A word of a name that other facts use as well.
        ("So the allergy shots are done in six months?", "No."),
        ("My little one is 3. She can start allergy shots already?", "No."),
        ("A boy of nine - old enough for allergy shots?", "Yes."),
        # Claimed names.
        ("Theodora Wragby keeps the museum too?", "No."),
        ("Lavinia Tetlow keeps the museum, doesn't she?", "Yes."),
        # A negated claim with a tag question.
        ("The patch test isn't over $12,000, is it?", "No."),
        # Without the form of a question.
        ("patch test = $11,000 yeah?", "Yes."),
    ],
)
def test_a_claim_is_decided(clinic: Decider, asked: str, starts: str):
    decision = decided(clinic, asked)
    assert (decision.text or "").startswith(starts), decision


def test_a_claim_whose_names_are_in_the_answer_is_not_denied():
    workshop = decider_of(
        [
            ("What is the address of Spokewright Workshop?", "27 Guango Street"),
            ("What year did Spokewright Workshop begin?", "2003"),
        ]
    )
    decision = decided(workshop, "Guango Street is the right road, isn't it?")
    assert not (decision.text or "").startswith("No."), decision


def test_an_answer_with_the_opposite_verdict_follows_its_question():
    taught, answer = "Are dogs allowed inside?", "Yes, as long as they are on a lead."
    assert verdict_sentence(True, taught, answer) == answer
    assert verdict_sentence(False, taught, answer) == f"No. {taught} {answer}"
    assert verdict_sentence(False, "dogs inside", answer) == f"No. dogs inside: {answer}"
    assert verdict_sentence(False, "Which dogs may come in?", "No dogs at all") == "No. No dogs at all"


@pytest.mark.parametrize(
    "asked", ["price of a patch test", "allergy shots: length of a course", "museum keeper?"]
)
def test_a_keyword_search_is_not_a_claim(clinic: Decider, asked: str):
    decision = decided(clinic, asked)
    assert decision.outcome == "recite", decision


def test_a_partial_name_is_completed_if_answers_contain_the_name_too():
    firms = decider_of(
        [
            ("Who founded Tarnbeck Instruments?", "Ada Quist"),
            ("Who made the Dolmen kite?", "Tarnbeck Instruments"),
            ("Who founded Wixby Mills?", "Ben Marsh"),
        ]
    )
    assert firms.taught_words.read("who founded tarnbeck?") == "who founded Tarnbeck Instruments?"


def test_a_long_message_without_spaces_between_sentences_is_read_quickly(clinic: Decider):
    assert not decided(clinic, "Heron = glass??" * 20_000).answers
