import pytest

from lorekeep.answering.claims.negated_claims import affirmative, negated
from lorekeep.answering.decision import Decision


@pytest.mark.parametrize(
    ("asked", "claim"),
    [
        ("Is it true that Ada had no children?", "Is it true that Ada had children?"),
        ("Is it right that Zorbax doesn't accept jars?", "Is it true that Zorbax accept jars?"),
        ("Is it correct that Ada does not work for Zorbax?", "Is it true that Ada work for Zorbax?"),
        ("Zorbax is not closed on Mondays, right?", "Is it true that Zorbax is closed on Mondays?"),
        ("Is it true that Ada never won?", "Is it true that Ada won?"),
        ("Is it true that Ada won?", None),
        ("Isn't it free?", None),
        ("It costs no more than 9 euros, right?", None),
        ("Is it true that nobody does not pay?", None),
        ("Who did not come?", None),
        ("", None),
    ],
)
def test_a_negation_is_removed_from_a_claim(asked: str, claim: str | None):
    assert affirmative(asked) == claim


@pytest.mark.parametrize(
    ("answer", "composed", "alone", "text"),
    [
        ("No. 120 euros", True, False, "Yes. 120 euros"),
        ("Yes. 120 euros", True, True, "No."),
        ("Yes", True, False, "No."),
        ("Yes, on a lead", False, False, "No. On a lead"),
        ("No dogs inside", False, False, None),
        ("No-one may enter", False, False, None),
        ("No. 12 Quay Street", False, False, None),
        ("", False, False, None),
    ],
)
def test_a_verdict_is_inverted(answer: str, composed: bool, alone: bool, text: str | None):
    found = Decision("recite", "meaning", "", [0], text=answer if composed else None)
    decision = negated(found, answer, alone)
    assert (decision and decision.text) == text
