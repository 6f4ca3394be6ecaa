"""Splitting of texts into questions."""

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
def test_the_reason_for_a_question_is_not_split_off(text: str):
    assert splits(text) == []


def test_a_need_to_know_is_split_off_as_a_question():
    assert ["Who keeps Ravel Light", "I need to know when it was lit"] in splits(
        "Who keeps Ravel Light, and I need to know when it was lit?"
    )
