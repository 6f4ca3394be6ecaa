"""Messages that ask for yes or no, and messages that ask for more."""

import pytest

from lorekeep.answering.claims.closed import is_closed


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
    ],
)
def test_a_message_that_asks_for_more_is_not(asked: str):
    assert not is_closed(asked)
