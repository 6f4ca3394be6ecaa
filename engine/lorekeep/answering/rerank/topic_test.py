"""Follow-ups that name another subject, after a question with only a part of the name of the first subject."""

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
def test_another_name_gets_no_answer_about_the_previous_one(
    before: str, told: str, text: str, wanted: str | None
):
    huts = decider_of(HUTS)
    answer = said(huts, decided(huts, text, [("user", before), ("assistant", told)]))
    assert (answer is None) if wanted is None else (answer or "").startswith(wanted), answer


DESK = [
    ("Who owns Old Petulance?", "The Sallow Bank, which lends it out."),
    ("Who plays Old Petulance at present?", "Rukmini Delacourt"),
    ("Who insures Old Petulance?", "Rukmini Delacourt"),
    ("How many beds does the Quillhorn Hut have?", "72"),
    ("How many showers does the Quillhorn Hut have?", "2"),
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


def test_a_follow_up_about_something_else_does_not_repeat_the_last_answer():
    told = DESK[5][1]
    earlier = [("user", "what's whitening cost with you"), ("assistant", told)]
    desk = decider_of(DESK)
    assert said(desk, decided(desk, "and it stays white for how long", earlier)) != told


@pytest.mark.parametrize(
    ("before", "told", "text", "wanted"),
    [
        # Another part of the same answer.
        ("Is there any way to be half asleep for this?", DESK[6][1], "Which day of the week do you do it?", DESK[6][1]),
        ("are you shut at christmas", DESK[7][1], "back when", DESK[7][1]),
        # The answer of another fact, which the previous answer contains or equals.
        ("How many beds does the Quillhorn Hut have?", "72", "and showers?", "2"),
        ("Who plays Old Petulance at present?", "Rukmini Delacourt", "And who insures it?", "Rukmini Delacourt"),
    ],
)  # fmt: skip
def test_a_different_question_gets_its_own_answer(before: str, told: str, text: str, wanted: str):
    desk = decider_of(DESK)
    assert said(desk, decided(desk, text, [("user", before), ("assistant", told)])) == wanted


def test_a_conversation_without_a_previous_question_is_answered():
    desk = decider_of(DESK)
    earlier = [("assistant", "Hello."), ("assistant", "Rukmini Delacourt")]
    assert said(desk, decided(desk, "Who plays Old Petulance now?", earlier)) == "Rukmini Delacourt"
