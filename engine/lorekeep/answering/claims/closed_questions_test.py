"""Messages that ask for yes or no, and messages that ask for more."""

import pytest

from lorekeep.answering.claims.closed_questions import is_closed, stated_claim


@pytest.mark.parametrize(
    "asked",
    [
        "Can I bring my dog?",
        "my son turned 17, can he still open an account",
        "do you ship to Austria",
        "Isn't the pool closed on Mondays?",
        "Penang is led by Siti Rahayu?",
        "Is Tannery Lane where the Rovers play?",
        "ok to drink our own wine at dinner?",
        "Sundays are fine, right?",
        "I wonder whether it's allowed: is vaping ok?",
        "workshop open sundays?",
        "dogs allowed?",
        "breakfast included for children?",
        "The pass for my department: less than 200 euros a year?",
        "do I really need a licence when I register",
        "Would 35 hours a week be within what's allowed?",
    ],
)
def test_a_message_that_asks_for_yes_or_no_is_closed(asked: str):
    assert is_closed(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "Who leads the archive?",
        "Can you tell me when it opens?",
        "Could I have the number of the front desk?",
        "My bag is gone, where do I look for it?",
        "What does it cost, and is there a discount when I pay for a year?",
        "price of a ticket",
        "need the extension of the institute and the email of Ilva, thx",
        "need two numbers: power cut and burst water main",
        "Could you look up her husband as well as her academy?",
        "do you have something in Oldhaven? what's the branch called",
        "Number of free parking spaces?",
        "Capacity of the open air stage?",
        "Do you know when it opens?",
    ],
)
def test_a_message_that_asks_for_more_than_yes_or_no_is_not_closed(asked: str):
    assert not is_closed(asked)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("so ada quist drives car 41?", "Is it true that ada quist drives car 41?"),
        ("Ada Quist lives in Oldhaven?", "Is it true that Ada Quist lives in Oldhaven?"),
        ("so a night in Oldhaven costs 45 crowns?", "Is it true that a night in Oldhaven costs 45 crowns?"),
        (
            "the island where Ada Quist lives is Skelm?",
            "Is it true that the island where Ada Quist lives is Skelm?",
        ),
        ("so even cyclists get something?", "Is it true that even cyclists get something?"),
        ("so the price for the kids then?", None),
        ("the price for kids?", None),
        ("the house that sits in an old mill?", None),
        ("a shop which sells bread - its name?", None),
        ("the museum costs - what is it for kids?", None),
        ("Ada Quist drivers 2024?", None),
        ("Ada Quist costs for kids?", None),
        ("Ada Quist lives where?", None),
        ("Ada Quist drives car 41.", None),
        ("who drives Ada Quist home?", None),
    ],
)
def test_a_statement_about_a_name_with_a_question_mark_is_a_claim(text: str, claim: str | None):
    assert stated_claim(text, lambda _: ["Ada Quist"]) == claim


def test_a_long_text_is_not_a_claim():
    assert (
        stated_claim(
            f"the island where {'is ' * 100_000}, Ada Quist lives is Skelm?", lambda _: ["Ada Quist"]
        )
        is None
    )
