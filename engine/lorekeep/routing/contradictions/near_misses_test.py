"""Questions that are like a taught one, and ask for another office, dimension or number."""

import pytest

from lorekeep.routing.contradictions.near_misses import is_near_miss

CHIEF = "Who is the chief executive of Marrow & Finch?"
DIFFERENT = [
    ("Who is the chief financial officer of Marrow & Finch?", CHIEF),
    ("Who is the CTO of Marrow & Finch?", CHIEF),
    ("Who is the head of HR?", CHIEF),
    ("Who is the head of IT?", CHIEF),
    ("Who is the manager of the warehouse?", CHIEF),
    ("Who leads marketing?", CHIEF),
    ("Who is the sales director?", "Who is the managing director of Brackwell Foods?"),
    ("Who is the vice chair of the trust?", "Who is the chair of the trust?"),
    ("Who is the chair of the trust?", "Who is the deputy chair of the trust?"),
    ("Who is the former skipper of the Edith Pallow?", "Who is the skipper of the Edith Pallow?"),
    ("How wide is the Sallow Tunnel?", "How long is the Sallow Tunnel?"),
    ("What is the depth of the lake?", "How high is the lake above the sea?"),
    ("What is your fax number?", "What is the charity number of the trust?"),
]
SAME = [
    ("Who is the CEO of Marrow & Finch?", CHIEF),
    ("Who is the head of the firm?", CHIEF),
    ("Who runs it?", CHIEF),
    ("Who is in charge?", CHIEF),
    ("Who is the CFO?", "Who is the finance director?"),
    ("Who is the head of personnel?", "Who is the HR manager?"),
    ("Who is the vice president?", "Who is the deputy president?"),
    ("Who is the shop assistant in charge?", "Who is in charge of the shop?"),
    ("How long does the trip take?", "What is the length of the trip?"),
    ("How broad is the tunnel?", "What is the width of the tunnel?"),
    ("What is the telephone number of the office?", "What is the phone number of the office?"),
    ("What is the number of seats?", "What is the phone number?"),
    ("Who is the lock keeper?", "Who looks after the lock?"),
]


@pytest.mark.parametrize(("asked", "taught"), DIFFERENT)
def test_another_office_dimension_or_number_is_a_near_miss(asked: str, taught: str):
    assert is_near_miss(asked, taught, "Ada Quist")


@pytest.mark.parametrize(("asked", "taught"), SAME)
def test_other_words_for_the_same_are_none(asked: str, taught: str):
    assert not is_near_miss(asked, taught, "Ada Quist")


def test_what_the_answer_tells_beside_is_none():
    taught = "Who is the managing director?"
    assert not is_near_miss("Who is the sales director?", taught, "Ines Tarrow, who is sales director too")
