"""Tag questions."""

import pytest

from lorekeep.answering.reading.request import read


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("the hut is higher than 2500 m isnt it", "Is it true that the hut is higher than 2500 m?"),
        ("It takes a full hour, I suppose?", "Is it true that It takes a full hour?"),
        ("It cost less than a million, I believe. True?", "Is it true that It cost less than a million?"),
        ("He is a native of Skellan, or so I've read. Right?", "Is it true that He is a native of Skellan?"),
        ("My nephew says it is a bakery. Is he correct?", "Is it true that it is a bakery?"),
        ("The bell is silver, no? I was told so.", "Is it true that The bell is silver?"),
        (
            "The red light is on. So the tank is empty, yes?",
            "The red light is on. Is it true that the tank is empty?",
        ),
        ("One of you speaks Polish, or have I misunderstood?", "Is it true that One of you speaks Polish?"),
        # A negated statement whose tag asks for the affirmative one.
        ("The pass isn't over 50 pounds, is it?", "Is it true that The pass is over 50 pounds?"),
        ("The tower does not open at noon, or does it?", "Is it true that The tower open at noon?"),
        ("You won't charge me for that, will you?", "Is it true that You will charge me for that?"),
        ("There aren't more than 20, are there?", "Is it true that There are more than 20?"),
        ("I can't find the opening hours, can you?", "I can't find the opening hours, can you?"),
        ("The tower isn't open at noon, right?", "Is it true that The tower isn't open at noon?"),
        ("Nobody can't swim here, can they?", "Is it true that Nobody can't swim here?"),
        # Not statements.
        ("Is the pool open, right?", "Is the pool open, right?"),
        ("what does it cost then, right?", "what does it cost then, right?"),
        (
            "the train is late. can I get my money back or not?",
            "the train is late. can I get my money back or not?",
        ),
        ("Tell me the price, I guess.", "Tell me the price, I guess"),
    ],
)
def test_a_tag_turns_a_statement_into_a_question(text: str, asked: str):
    assert read(text, []).asked.rstrip(".") == asked


def test_a_long_message_of_tags_is_read_quickly():
    assert read(", right" * 20_000, []).text
