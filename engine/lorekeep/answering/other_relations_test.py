"""Questions like a taught one that want something else: another number, another person, another end of opening hours."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of, said


@pytest.fixture(scope="module")
def office() -> Decider:
    return decider_of([
        ("What is the phone number of the boatyard?", "01632 960 511"),
        ("What is the extension of the boatyard?", "200"),
        ("What is the phone number of Ines Tarrow?", "01632 960 512"),
        ("What is the extension of Ines Tarrow?", "310"),
        ("What is the phone number of Ludo Marchetti?", "01632 960 513"),
        ("When does the library open?", "At 9 am"),
        ("When does the café open?", "At 8 am"),
        ("When does the café close?", "At 6 pm"),
        ("Where is Zorbex based?", "Dresk"),
        ("Who founded Zorbex?", "Ada Quist"),
        ("Who is the managing director of Tarrow Boats?", "Ines Tarrow"),
        ("Who leads the sales team of Tarrow Boats?", "Ludo Marchetti"),
        ("Who is the treasurer of the Canal Trust?", "Peer Lindgren"),
        ("Who chairs the Canal Trust?", "Agnes Holm"),
        ("Where is the narrowboat Bodger moored?", "Tanner's Basin"),
        ("Where is the narrowboat Kestrel moored?", "Stroud Wharf"),
        ("In which town is Tanner's Basin?", "Halverton"),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("extension of Ines Tarrow?", "310"),
        ("What's the boatyard's extension number?", "200"),
        ("Which extension does Ines Tarrow have?", "310"),
        ("phone number of Ines Tarrow?", "01632 960 512"),
        ("How late is the café open?", "At 6 pm"),
        ("Who is Zorbex's founder?", "Ada Quist"),
        ("Who's in charge at the Canal Trust?", "Agnes Holm"),
        ("What is the extension of the managing director of Tarrow Boats?", "310"),
        ("In which town is the Bodger kept?", "Halverton"),
        ("What town would I find the Bodger in?", "Halverton"),
        ("Where is the Bodger kept?", "Tanner's Basin"),
    ],
)
def test_the_fact_with_the_relation_of_the_question_answers(office: Decider, asked: str, answer: str):
    assert said(office, decided(office, asked)) == answer


@pytest.mark.parametrize(
    "asked",
    [
        "extension of Ludo Marchetti",
        "Until when is the library open?",
        "Where is Zorbex's founder based?",
        "Where does the founder of Zorbex live?",
        "What is the extension of the sales team?",
    ],
)
def test_a_fact_with_another_relation_does_not_answer(office: Decider, asked: str):
    decision = decided(office, asked)
    assert not decision.answers, decision
