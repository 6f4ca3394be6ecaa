"""The measures of a claim and of a fact are found, compared, and masked in both texts."""

import pytest

from lorekeep.answering.claims.measured.comparison import (
    LESS,
    MORE,
    OUTSIDE,
    SAME,
    MeasureComparison,
    measure_comparison,
)


@pytest.mark.parametrize(
    ("question", "taught", "answer", "wanted"),
    [
        (
            "I have £15 on me. Enough for a Heron?",
            "What does the Heron wash cost?",
            "£16",
            MeasureComparison(
                "I have £x on me. Enough for a Heron?", "What does the Heron wash cost? £y", LESS
            ),
        ),
        (
            "Two hours it lasts, they told me.",
            "How long is the tour?",
            "75 minutes",
            MeasureComparison("x hours it lasts, they told me.", "How long is the tour? y minutes", MORE),
        ),
        (
            "My brother is 7, can he watch?",
            "From what age may one watch?",
            "From 10 years, in closed shoes",
            MeasureComparison(
                "My brother is x, can he watch?",
                "From what age may one watch? From y years, in closed shoes",
                LESS,
            ),
        ),
        (
            "A tenner covers it, no?",
            "Price of the Otter wash?",
            "£11",
            MeasureComparison("A £x covers it, no?", "Price of the Otter wash? £y", LESS),
        ),
        (
            "Is it higher than 7000?",
            "How high is Mount Karvessel?",
            "7,412 metres",
            MeasureComparison("Is it higher than x?", "How high is Mount Karvessel? y metres", LESS),
        ),
        (
            "Can I come on Tuesday at 2?",
            "When is the store open?",
            "Monday and Thursday, 1 p.m. to 4 p.m.",
            MeasureComparison("Can I come on x at x?", "When is the store open? y, y.", OUTSIDE),
        ),
        (
            "Thursday 3pm ok?",
            "When is the store open?",
            "Monday and Thursday, 1 pm to 4 pm",
            MeasureComparison("x x ok?", "When is the store open? y, y", SAME),
        ),
        (
            "Was it founded in 1846?",
            "In what year was the foundry established?",
            "1764",
            MeasureComparison("Was it founded in x?", "In what year was the foundry established? y", MORE),
        ),
    ],
)
def test_a_claim_and_a_fact_are_compared(question: str, taught: str, answer: str, wanted: MeasureComparison):
    assert measure_comparison(question, taught, answer) == wanted


@pytest.mark.parametrize(
    ("question", "taught", "answer"),
    [
        ("", "", ""),
        ("Is it open?", "When is it open?", "9:00 to 17:00"),
        ("Is it 20 minutes by bus or 40 on foot?", "How far is it?", "12 minutes by bus, 50 on foot"),
        ("Does it cost £5?", "How long does it take?", "3 days"),
        ("Is Ada the mayor?", "Who is the mayor?", "Ben Quist"),
    ],
)
def test_texts_without_exactly_one_measure_each_are_not_compared(question: str, taught: str, answer: str):
    assert measure_comparison(question, taught, answer) is None
