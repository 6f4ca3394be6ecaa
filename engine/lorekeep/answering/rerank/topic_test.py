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
