import pytest

from lorekeep.answering.claims.denied import affirmed, turned
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
def test_a_denial_is_taken_out_of_a_claim(asked: str, claim: str | None):
    assert affirmed(asked) == claim


@pytest.mark.parametrize(
    ("answer", "alone", "text"),
    [
        ("No. 120 euros", False, "Yes. 120 euros"),
        ("Yes. 120 euros", True, "No."),
        ("No dogs inside", False, None),
        ("", False, None),
    ],
)
def test_a_verdict_is_turned_round(answer: str, alone: bool, text: str | None):
    decision = turned(Decision("recite", "meaning", "", [0]), answer, alone)
    assert (decision and decision.text) == text
