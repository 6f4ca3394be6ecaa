"""Texts that are split into questions."""

import pytest

from lorekeep.answering.reading.standalone import splits


@pytest.mark.parametrize(
    "text",
    [
        "What is the phone number of Zorbax please, i need to order",
        "Who keeps Ravel Light, we're planning to visit",
        "When does the mill open, because I want to bring my son",
    ],
)
def test_why_something_is_asked_is_no_question(text: str):
    assert splits(text) == []


def test_what_somebody_needs_to_know_is_a_question():
    assert ["Who keeps Ravel Light", "I need to know when it was lit"] in splits(
        "Who keeps Ravel Light, and I need to know when it was lit?"
    )
