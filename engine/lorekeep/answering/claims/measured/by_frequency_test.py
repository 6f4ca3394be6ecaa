"""Claims about how often something happens, compared with a fact."""

import pytest

from lorekeep.answering.claims.measured.by_measure import verdict


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("Is the lift inspected every year?", "Every two years", False),
        ("Is the lift inspected once a year?", "annually", True),
        ("Is it checked every second year?", "Every two years, in March.", True),
        ("Does the board meet weekly?", "Once a month, on the first Tuesday.", False),
        ("Does the board meet each month?", "Once a month, on the first Tuesday.", True),
        ("Does the board meet twice a month?", "Monthly", False),
        ("Is it emptied every two weeks?", "fortnightly", True),
        ("Is it emptied four times a year?", "Every three months", True),
        # Undecided.
        ("Is it emptied more than once a week?", "Every three days", None),
        ("Do I have to come every week?", "Every three days", None),
        ("Is it emptied every week?", "On request", None),
    ],
)
def test_a_claimed_interval_is_compared_with_a_fact(question: str, answer: str, wanted: bool | None):
    assert verdict(question, "How often is it done?", answer) is wanted
