"""Questions in other words than the facts: abbreviations, partial names, typos, capitals, synonyms, lists and
comparisons."""

import pytest

from lorekeep.answering.decide_test import decided, decider_of, said

FACTS = [
    ("Who founded Zorbax Labs?", "Ada Quist"),
    ("Who is the chief executive officer of Zorbax Labs?", "Ben Oru"),
    ("How many people work at Zorbax Labs?", "412"),
    ("What does Zorbax Labs make?", "scales"),
    ("Which company makes the Pellan kiln?", "Zorbax Labs"),
    ("Which company makes the Dresk lathe?", "Zorbax Labs"),
    ("How much does the Pellan kiln cost?", "2,400 euros"),
    ("How much does the Dresk lathe cost?", "900 euros"),
    ("How heavy is the Dresk lathe?", "85 kg"),
    ("What is the warranty of the Dresk lathe?", "two years"),
    ("Who is the data protection officer?", "Mara Ilves"),
    ("When does the canteen open?", "at 11:30"),
    ("How much is a meal in the canteen?", "4.80 euros"),
]
PRICE = [("user", "How much does the Pellan kiln cost?"), ("assistant", "2,400 euros")]
MEALS = [("user", "When does the canteen open?"), ("assistant", "at 11:30")]


@pytest.fixture(scope="module")
def decider():
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("text", "earlier", "wanted"),
    [
        ("Who is the CEO of Zorbax Labs?", (), "Ben Oru"),
        ("Who is the DPO?", (), "Mara Ilves"),
        ("What is the headcount of Zorbax?", (), "412"),
        ("WHO FOUNDED ZORBAX LABS?", (), "Ada Quist"),
        ("Who fouded Zorbax Labs?", (), "Ada Quist"),
        ("whats the warrenty of the dresk lathe", (), "two years"),
        ("I start on Monday and cannot log in. Who is the data protection officer?", (), "Mara Ilves"),
        ("And its warranty?", [("user", "How heavy is the Dresk lathe?"), ("assistant", "85 kg")], "two years"),
        ("What about the Dresk lathe?", PRICE, "900 euros"),
        ("And how much is a meal there?", MEALS, "4.80 euros"),
        ("When does the canteen open and how much is a meal?", (), "at 11:30 and 4.80 euros"),
        ("Which products does Zorbax Labs make?", (), "Pellan kiln and Dresk lathe"),
        ("Who is Mara Ilves?", (), "The data protection officer is Mara Ilves."),
        ("Which costs more, the Pellan kiln or the Dresk lathe?", (), "Pellan kiln"),
        ("Is the Dresk lathe more expensive than the Pellan kiln?", (), "No."),
        ("Is the Dresk lathe cheaper than the Pellan kiln?", (), "Yes."),
        ("Return JSON with price and warranty for the Dresk lathe.", (), '{"price":"900 euros","warranty":"two years"}'),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_facts_are_found_despite_other_words_in_the_question(decider, text: str, earlier, wanted: str):
    assert said(decider, decided(decider, text, earlier)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Who is the CFO of Zorbax Labs?",
        "Is the Dresk lathe heavier than the Pellan kiln?",
        "Who founded Brim Zorbax?",
        "Who is the CTO?",
        "When does the car park open?",
        "Who is Mara?",
    ],
)
def test_a_question_without_a_fact_is_not_forced_onto_one(decider, text: str):
    assert not decided(decider, text).answers


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        # Rare words are no typos of common ones.
        ("I have a tenner on me", "I have a tenner on me"),
        ("the rumour about the brolly", "the rumour about the brolly"),
        # Two words with which only one name begins.
        ("How long is Dry Fork?", "How long is Dry Fork Raceway?"),
        ("How long is Old Mill?", "How long is Old Mill?"),
        ("Is Dry Fork's owner Maddox Pell?", "Is Dry Fork Raceway's owner Maddox Pell?"),
        ("What is Ellerby’s length?", "What is Ellerby Speedbowl’s length?"),
        ("Is DRY FORK'S owner Maddox Pell?", "Is Dry Fork Raceway'S owner Maddox Pell?"),
    ],
)
def test_only_unambiguous_words_are_replaced(asked: str, read: str):
    circuits = decider_of(
        [
            ("How long is Dry Fork Raceway?", "4 km"),
            ("Who owns Dry Fork Raceway?", "Maddox Pell"),
            ("How long is Old Mill Ring?", "3 km"),
            ("How long is Old Mill Loop?", "2 km"),
            ("How long is Ellerby Speedbowl?", "1 km"),
        ]
    )
    assert circuits.taught_words.read(asked) == read
