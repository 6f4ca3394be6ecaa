"""Questions within longer messages."""

import pytest

from lorekeep.answering.reading.questions import asks_within, is_inquiry


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


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("return period", True),
        ("opening hours pool sunday", True),
        ("May I bring my dog", True),
        ("What's the fee", True),
        ("Öffnungszeiten", True),
        ("Thanks!", False),
        ("ok great", False),
        ("good morning", False),
        ("I am back.", False),
        ("we lost the game", False),
        ("a longer text that only tells what happened here yesterday", False),
    ],
)
def test_a_search_asks_for_information_and_small_talk_does_not(text: str, asks: bool):
    assert is_inquiry(text) is asks
