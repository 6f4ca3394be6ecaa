"""Questions that are like a taught one, and ask for another office, dimension or number."""

import pytest

from lorekeep.routing.contradictions.near_misses import is_near_miss
from lorekeep.routing.contradictions.roles import roles_differ

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
    ("Who's in charge at the Canal Trust?", "Who is the treasurer of the Canal Trust?"),
    ("Who is in charge at?", "Who is the treasurer of?"),
    ("Who chairs the trust, the president?", "Who is the secretary of the trust?"),
    ("Who runs the rowing club?", "Who is the treasurer of the rowing club?"),
    ("How wide is the Sallow Tunnel?", "How long is the Sallow Tunnel?"),
    ("What is the depth of the lake?", "How high is the lake above the sea?"),
    ("What is the extension of Ada Quist?", "What is the phone number of Ada Quist?"),
    ("Until when is the library open?", "When does the library open?"),
    ("What is your fax number?", "What is the charity number of the trust?"),
]
SAME = [
    ("Who is the CEO of Marrow & Finch?", CHIEF),
    ("Who is the head of the firm?", CHIEF),
    ("Who runs it?", CHIEF),
    ("Who is in charge?", CHIEF),
    ("Who is in charge of the money of the trust?", "Who is the treasurer of the trust?"),
    ("Who runs the office of the club?", "Who is the secretary of the club?"),
    ("Who is the president's secretary?", "Who is the secretary of the president?"),
    ("Who is the CFO?", "Who is the finance director?"),
    ("Who is the head of personnel?", "Who is the HR manager?"),
    ("Who is the vice president?", "Who is the deputy president?"),
    ("Who is the shop assistant in charge?", "Who is in charge of the shop?"),
    ("How long does the trip take?", "What is the length of the trip?"),
    ("How broad is the tunnel?", "What is the width of the tunnel?"),
    ("What is the telephone number of the office?", "What is the phone number of the office?"),
    ("What is the number of seats?", "What is the phone number?"),
    ("Until when is the library open?", "When is the library open?"),
    ("Can I get an extension of the loan?", "How long is the phone loan?"),
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


@pytest.mark.parametrize(
    ("asked", "taught", "differ"),
    [
        ("Where is Zorbax's founder based?", "Where is Zorbax based?", True),
        ("Where does the owner of it live?", "Where is it?", True),
        ("When was the founder of it born?", "When was it founded?", False),
        ("Who is the founder of it?", "Where is it?", False),
        ("What is the name of its owner?", "What is its name?", False),
        ("Where does the captain of it live?", "Where does the captain of it live?", False),
        ("What does the owner manual of it cost?", "What does the manual cost?", False),
    ],
)
def test_a_question_about_a_person_is_not_about_the_subject(asked: str, taught: str, differ: bool):
    assert roles_differ(asked, taught, "") == differ
