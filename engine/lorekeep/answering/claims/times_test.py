"""Times of day in questions, compared with hours that facts tell."""

import pytest

from lorekeep.answering.claims.times import verdict

OPEN = "When is the park open?"


@pytest.mark.parametrize(
    ("question", "taught", "answer", "wanted"),
    [
        ("Can I get in at eleven in the morning?", OPEN, "2 pm to 9 pm", False),
        ("Can I get in at 3 pm?", OPEN, "2 pm to 9 pm", True),
        ("Is the line open at 5 in the afternoon?", OPEN, "The pay line, open 9 am to 4 pm", False),
        ("Is there food at one in the morning?", "When is food served?", "from 4 pm to 8 pm, and from midnight to 2 am", True),
        ("can i drop by at 3 am if its urgent", OPEN, "It is open day and night, all year round.", True),
        ("Are you open at 18:00?", OPEN, "Monday to Friday from 9:00 to 17:30", False),
        ("Is the shop closed at 8 pm?", OPEN, "10 am to 6 pm", True),
        ("Can we have breakfast at 11 am?", "How late is breakfast served?", "Until 10:30 am", False),
        ("Could we get our room at 1 pm?", "When can I check in?", "From 3 pm", False),
        ("Is it open at 2 pm?", "When does the library close?", "At 1 pm", False),
        ("Is it open at noon?", "When does the library open?", "At 9 am", True),
        ("Is it open at 10 am?", OPEN, "2 to 9 pm", False),
        ("Is it open at 10 am?", OPEN, "10 to 6 pm", True),
        # Not clear.
        ("Can I come at 10 am?", OPEN, "Monday from 8:00 to 12:00, Tuesday from 13:00 to 18:00", None),
        ("Can I come on Monday at 10 am?", OPEN, "Monday from 8:00 to 12:00", None),
        ("Can I come at 10?", OPEN, "9 am to 4 pm", None),
        ("Does the park close at 5 pm?", OPEN, "2 pm to 9 pm", None),
        ("Does it open at 3 pm?", OPEN, "2 pm to 9 pm", None),
        ("Is 9 pm too late?", OPEN, "2 pm to 9 pm", None),
        ("Can I bring 3 dogs?", OPEN, "2 pm to 9 pm", None),
        ("Can I come at 3 pm?", "How much is it?", "12 euros", None),
        ("Can I come at 3 pm?", OPEN, "10 to 6", None),
    ],
)  # fmt: skip
def test_a_time_is_compared_with_hours(question: str, taught: str, answer: str, wanted: bool | None):
    assert verdict(question, taught, answer) is wanted
