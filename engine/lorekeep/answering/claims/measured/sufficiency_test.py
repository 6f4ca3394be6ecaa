"""Claims that an amount is enough, in time, or on one side of a condition, compared with a fact."""

import pytest

from lorekeep.answering.claims.measured.by_measure import verdict

TRAIN = (
    "In which class may I travel?",
    "Second class. First class is allowed on journeys of more than four hours.",
)
TAXI = (
    "When may I take a taxi?",
    "Taxis are only reimbursed between 10 pm and 6 am or if you carry much luggage.",
)
BREAK = (
    "What are the hours of the locks?",
    "The locks operate from 7 am to 7 pm, with a lunch break from 12:30 to 1:30 pm.",
)


@pytest.mark.parametrize(
    ("question", "taught", "answer", "wanted"),
    [
        ("The socket is two metres away. Is the cable long enough?", "How long is the cable?", "1.1 metres", False),
        ("The socket is one metre away. Is the cable long enough?", "How long is the cable?", "1.1 metres", True),
        ("we are 15 scouts, does the hut have that many beds", "How many beds does the hut have?", "19", True),
        ("We are 25, does the hut have that many beds?", "How many beds does the hut have?", "19", False),
        ("I've a call in ten minutes. Will it be over by then?", "How long does descaling take?", "25 minutes", False),
        ("I've a call in half an hour. Will it be over by then?", "How long does descaling take?", "25 minutes", True),
        ("Will I have my deposit back within two weeks?", "When do I get the deposit back?", "Within ten days", True),
        ("Will I have my deposit back within a week?", "When do I get the deposit back?", "Within ten days", False),
        ("Will it be delivered within 3 days?", "How long does delivery take?", "Two to five days", None),
        ("the train takes 2 hours, is first class fine?", *TRAIN, False),
        ("the train takes 5 hours, is first class fine?", *TRAIN, True),
        ("We would be 140 users. Are we big enough?", "How does one buy it?", "By quote only, from 100 users.", True),
        ("She had it three weeks ago. Is that long enough ago?", "When must it be done?", "At least 14 days before arrival", True),
        ("do kids under 14 get in free", "What does entry cost?", "Entry is free for children under 14.", None),
        ("I got a grant 7 months ago, can I have another one?", "What is the fund?", "One can receive up to £250, once in 12 months, if the tenancy has lasted at least 6 months.", None),
        ("Does the train take five hours?", *TRAIN, None),
        ("landed at 1 in the morning, will they pay back the taxi", *TAXI, True),
        ("landed at 9 in the morning, will they pay back the taxi", *TAXI, None),
        ("Are the locks shut at one in the afternoon?", *BREAK, True),
        ("Are the locks open at 3 pm?", *BREAK, True),
        ("Could eight of us sleep on the smallest boat?", "How many can sleep on the smallest boat?", "4", False),
        ("Could I do fifty hours in one week if I need the cash?", "How many hours may I work per week?", "40 at most", False),
        ("My shift is 24 hours away, is cancelling okay?", "Until when can I cancel?", "Up to 12 hours before it starts", True),
        ("My shift is 9 hours away, is cancelling okay?", "Until when can I cancel?", "Up to 12 hours before it starts", False),
    ],
)  # fmt: skip
def test_sufficiency_of_an_amount_is_decided(question: str, taught: str, answer: str, wanted: bool | None):
    assert verdict(question, taught, answer) is wanted
