"""Follow-ups that name another subject, after a question that has only a part of the first one's name."""

import pytest

from lorekeep.answering.decide_test import decided, decider_of, said

HUTS = [
    ("How many beds does the Quillhorn Hut have?", "72"),
    ("How many beds does the Morvalise Hut have?", "19"),
    ("At what altitude does the Quillhorn Hut stand?", "2,180 metres"),
    ("How high is the Morvalise Hut?", "2,645 metres above sea level"),
    ("How much does a night at the Quillhorn Hut cost?", "38 florins"),
    ("Who keeps the Tarvesk Hut?", "Tove Kessary"),
]


@pytest.mark.parametrize(
    ("before", "told", "text", "wanted"),
    [
        ("How many beds has Quillhorn got?", "72", "and Morvalise?", "19"),
        ("Tell me about the altitude of Quillhorn please.", "2,180 metres", "What about the Morvalise?", "2,645 metres"),
        ("How much is it to sleep at Quillhorn?", "38 florins", "and at the tarvesk", None),
    ],
)  # fmt: skip
def test_another_name_gets_no_answer_about_the_one_before(
    before: str, told: str, text: str, wanted: str | None
):
    huts = decider_of(HUTS)
    answer = said(huts, decided(huts, text, [("user", before), ("assistant", told)]))
    assert (answer is None) if wanted is None else (answer or "").startswith(wanted), answer


DESK = [
    ("Who owns Old Petulance?", "The Sallow Bank, which lends it out."),
    ("Who plays Old Petulance at present?", "Rukmini Delacourt"),
    ("Which wood is the back of Old Petulance?", "Poplar"),
    ("Which wood is the back of the Lady Orsolane?", "Maple"),
    (
        "How much is tooth whitening, and who can have it?",
        "£295 with trays to use at home. You must be 18 or over.",
    ),
    (
        "Can I be half asleep for it?",
        "Yes, on Wednesdays, for £210. Someone has to take you home afterwards.",
    ),
    ("When are you closed over Christmas?", "We close on 24 December and open again on 3 January."),
]


@pytest.mark.parametrize(
    ("before", "told", "text"),
    [
        ("Which wood is the back of Old Petulance?", "Poplar", "and the front"),
        (
            "what's whitening cost with you",
            "£295 with trays to use at home. You must be 18 or over.",
            "and it stays white for how long",
        ),
        ("Who owns Old Petulance?", "The Sallow Bank, which lends it out.", "since when"),
    ],
)
def test_a_follow_up_about_something_else_does_not_get_the_same_answer_again(
    before: str, told: str, text: str
):
    desk = decider_of(DESK)
    assert said(desk, decided(desk, text, [("user", before), ("assistant", told)])) != told


@pytest.mark.parametrize(
    ("before", "told", "text"),
    [
        (
            "Is there any way to be half asleep for this?",
            "Yes, on Wednesdays, for £210. Someone has to take you home afterwards.",
            "Which day of the week do you do it?",
        ),
        ("are you shut at christmas", "We close on 24 December and open again on 3 January.", "back when"),
    ],
)
def test_another_part_of_what_was_told_is_told_again(before: str, told: str, text: str):
    desk = decider_of(DESK)
    assert said(desk, decided(desk, text, [("user", before), ("assistant", told)])) == told
