"""Measures of a question and a fact are compared in signs, whatever words and units they are told in."""

import pytest

from lorekeep.answering.claims.compared import compared


@pytest.mark.parametrize(
    ("question", "fact", "signs"),
    [
        ("Is one trip cheaper than three pounds?", "A ticket costs £2.40", "three pounds > £2.40"),
        ("Is a fiver enough?", "£4.50", "fiver > £4.50"),
        ("My tourer cost five grand, is it covered?", "up to £6,500", "five grand < £6,500"),
        ("I stamped it an hour ago, may I change?", "valid for 75 minutes", "an hour < 75 minutes"),
        ("Can I return it after 40 days?", "within three weeks", "40 days > three weeks"),
        ("Is a fortnight enough?", "two weeks", "a fortnight = two weeks"),
        ("Does it take five days?", "three to six working days", "five days in three to six working days"),
        ("Is a file of 60 MB all right?", "at most 1 GB", "60 MB < 1 GB"),
        ("May I drive, I am 17?", "from 18 years", "am 17 < from 18"),
        ("My 12-year-old wants to come", "from 14", "12-year-old < from 14"),
        ("is the shop open on Sundays", "Monday to Friday", "Sundays out Monday to Friday"),
        (
            "Open on Friday and Saturday?",
            "Monday to Friday",
            "Friday and Saturday partly in Monday to Friday",
        ),
        ("Can I come at 8 pm?", "2 to 9 pm", "8 pm in 2 to 9 pm"),
        ("Can I come at half past eight?", "from 9:00 to 18:30", "half past eight below 9:00 to 18:30"),
        ("Are you there at noon?", "until 11.30 am", "noon above until 11.30 am"),
        ("Is anyone in at 3 in the morning?", "from 22:00 to 6:00", "3 in the morning in 22:00 to 6:00"),
        ("Can we camp in May?", "from April to September", "May in April to September"),
        ("Closed on Christmas Day?", "24 December to 2 January", "Christmas Day in 24 December to 2 January"),
        ("Can five of us go?", "up to 4 people", "five > 4"),
    ],
)
def test_measures_are_compared(question, fact, signs):
    assert compared(question, fact) == signs


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("May I bring a dog?", "Dogs are welcome on a lead."),
        ("Can I pay £5 by card?", "within three weeks"),
        ("May I come in?", "in May and June"),
        ("", "£5"),
        ("Is it £5?", ""),
        ("Is one enough?", "Two are needed."),
    ],
)
def test_nothing_is_compared_without_two_measures_of_a_kind(question, fact):
    assert compared(question, fact) == ""


def test_as_many_comparisons_as_can_be_read_are_written():
    assert compared("Is it 1, 2, 3, 4, 5 or 6?", "7, 8, 9, 10, 11 or 12").count(";") == 3
