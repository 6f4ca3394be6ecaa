"""Questions within longer messages."""

import pytest

from lorekeep.answering.reading.questions import asks_within


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("stuck in traffic, wont make it before you close!! what will that cost me", True),
        ("I lost my card, what now", True),
        ("will it take long? how many minutes", True),
        ("My husky is lively - can he have another walk", True),
        ("My wine smells of cork and I am not happy with it.", False),
        ("I stayed at home, which was fine with everybody there.", False),
        ("The room that is on the left is where I left it.", False),
    ],
)
def test_a_question_is_recognised_in_any_clause(text: str, asks: bool):
    assert asks_within(text) is asks
