"""Measures are read and compared in any words and units."""

import pytest

from lorekeep.answering.claims.measured.measures import (
    are_comparable,
    measures,
    open_range,
    order_of,
    weekdays,
)


def compared(question: str, fact: str) -> str:
    """The first comparison of a measure of a question with one of a fact."""
    told = [open_range(fact, one) for one in measures(fact)]
    pairs = [(asked, one) for asked in measures(question) for one in told if are_comparable(asked, one)]
    return f"{pairs[0][0].text} {order_of(*pairs[0])} {pairs[0][1].text}" if pairs else ""


@pytest.mark.parametrize(
    ("question", "fact", "signs"),
    [
        ("Is one trip cheaper than three pounds?", "A ticket costs £2.40", "three pounds > £2.40"),
        ("Is a fiver enough?", "£4.50", "fiver > £4.50"),
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
        ("Can I come at 8 pm?", "2 p.m. to 9 p.m.", "8 pm in 2 p.m. to 9 p.m"),
        ("Is it open at half five?", "1 pm to 6 pm", "half five in 1 pm to 6 pm"),
        ("May I come by before 7 on sat?", "from 8 am to 9 am", "7 below 8 am to 9 am"),
        ("Can I come at half past eight?", "from 9:00 to 18:30", "half past eight below 9:00 to 18:30"),
        ("Are you there at noon?", "until 11.30 am", "noon above until 11.30 am"),
        ("Is anyone in at 3 in the morning?", "from 22:00 to 6:00", "3 in the morning in 22:00 to 6:00"),
        ("Can we camp in May?", "from April to September", "May in April to September"),
        ("Closed on Christmas Day?", "24 December to 2 January", "Christmas Day in 24 December to 2 January"),
        ("Can five of us go?", "up to 4 people", "five > 4"),
    ],
)
def test_measures_are_compared(question: str, fact: str, signs: str):
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
        ("Is line 7 running?", "in 7 minutes"),
        ("Is the museum from the nineteenth century?", "nine rooms"),
    ],
)
def test_texts_without_comparable_measures_are_not_compared(question: str, fact: str):
    assert compared(question, fact) == ""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Fri to Mon", {4, 5, 6, 0}),
        ("Tuesday through Thursday and Sunday", {1, 2, 3, 6}),
        ("on weekdays", set(range(5))),
        ("the satellite and the monster", set()),
    ],
)
def test_weekdays_are_read_alone_in_ranges_and_in_groups(text: str, wanted: set[int]):
    assert weekdays(text) == wanted


@pytest.mark.parametrize("text", ["R700", "Rs 700", "J$700", "US$ 700", "₹700", "kr 700"])
def test_a_currency_sign_before_a_number_means_money(text: str):
    assert [(one.kind, one.low) for one in measures(f"I have {text} left")] == [("money", 700.0)]


@pytest.mark.parametrize("text", ["R2D2", "S3", "A4 paper"])
def test_letters_before_a_number_in_a_name_do_not_mean_money(text: str):
    assert not [one for one in measures(text) if one.kind == "money"]


def test_only_the_beginning_of_a_long_text_is_read():
    assert len(measures("at 5 pm on Monday, " * 50_000)) < 500
