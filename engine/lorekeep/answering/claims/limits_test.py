"""Claims about amounts and weekdays, compared with the fact that answers them."""

import pytest

from lorekeep.answering.claims.limits import verdict, weekdays

AMOUNTS = [
    ("Do we get 30 days of vacation?", "How many vacation days do employees get?", "27 days per year.", False),
    ("Do we get 27 days of vacation?", "How many vacation days do employees get?", "27 days per year.", True),
    ("Do I get a refund 40 days after the purchase?", "What is your refund policy?", "A full refund within 21 days of purchase.", False),
    ("Can I return it after two weeks?", "What is the return window?", "Within 45 days of delivery.", True),
    ("Can I return it more than 45 days later?", "What is the return window?", "Within 45 days of delivery.", False),
    ("Can I carry over 5 days?", "How much vacation can be carried over?", "Up to 6 days.", True),
    ("Is a password of 10 characters enough?", "How long must passwords be?", "At least 14 characters.", None),
    ("Does the ticket cost more than €50?", "What does the ticket cost?", "€38", False),
    ("Does the ticket cost less than 50 euros?", "What does the ticket cost?", "€38", True),
    ("Is the warranty 24 months?", "How long is the warranty?", "Two years", True),
    ("May I drink three hours before surgery?", "Until when may I drink?", "Up to two hours before surgery.", True),
    ("May I drink one hour before surgery?", "Until when may I drink?", "Up to two hours before surgery.", False),
    ("Must I report it within 30 days?", "By when must it be reported?", "Within 45 days.", None),
    ("Is it 3 or 4 days?", "How long does delivery take?", "3 days", None),
    ("Don't we get 30 days?", "How many vacation days do we get?", "27 days", None),
    ("How many days do we get, 30 days?", "How many vacation days do we get?", "27 days", None),
    ("Can you tell me if 30 days is right?", "How many vacation days do we get?", "27 days", None),
    ("Is the lift for 300 kg?", "What can the lift carry?", "630 kg, or 8 persons and 200 kg of goods", None),
    ("Do we get 30 days?", "Do employees get 27 days?", "Yes, 27 days", None),
]  # fmt: skip
DAYS = [
    ("Is the line open on Saturdays?", "What are the support hours?", "Monday to Friday from 7:00 to 18:00.", False),
    ("Is the line open on Wednesday?", "What are the support hours?", "Monday to Friday from 7:00 to 18:00.", True),
    ("Is the clinic open on Tuesdays?", "On which days is the clinic open?", "Monday, Wednesday and Friday", False),
    ("Is the gallery closed on Sundays?", "On which day is the gallery closed?", "On Tuesdays.", False),
    ("Is the gallery open on Sundays?", "On which day is the gallery closed?", "On Tuesdays.", True),
    ("Is the gallery closed on Mondays?", "When is the gallery open?", "Tue–Sun", True),
    ("Can I come on the weekend?", "When can I come?", "Mon-Fri", False),
    ("Can I come on the weekend?", "When can I come?", "Tuesday to Saturday", None),
    ("Can I come on Sunday?", "When can I come?", "Daily except Monday", None),
    ("Is it open on Monday?", "When is it open?", "It is open Tuesday to Friday and closed on weekends.", None),
    ("Is it open on Monday until 20:00?", "When is it open?", "Monday to Friday", None),
]  # fmt: skip


@pytest.mark.parametrize(("question", "taught", "answer", "wanted"), [*AMOUNTS, *DAYS])
def test_a_claim_is_compared_with_the_fact(question: str, taught: str, answer: str, wanted: bool | None):
    assert verdict(question, taught, answer) is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Fri to Mon", {4, 5, 6, 0}),
        ("Tuesday through Thursday and Sunday", {1, 2, 3, 6}),
        ("on weekdays", set(range(5))),
        ("the satellite and the monster", set()),
    ],
)
def test_days_are_read_alone_in_ranges_and_in_groups(text: str, wanted: set[int]):
    assert weekdays(text) == wanted
