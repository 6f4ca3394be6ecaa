"""Comparisons of facts that no names select."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of

FACTS = [
    ("What does minced beef cost a kilo?", "£11.50"),
    ("What does beef fillet cost a kilo?", "£46"),
    ("When do the sorters start?", "4.20 am"),
    ("When do the carriers start?", "6.10 am"),
    ("How many labels a minute does the Tagwell 300 print?", "60 labels a minute"),
    ("How many labels a minute does the Tagwell 500 print?", "110 labels a minute"),
    ("How old is the settlement of Tell Sarim?", "about 5,200 years"),
    ("How old is the settlement of Castro Alvo?", "about 2,300 years"),
    ("Who runs the counter?", "Ursula Petrenko"),
]


@pytest.fixture(scope="module")
def house() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(
    ("asked", "facts", "begins"),
    [
        ("Which is more expensive, minced beef or beef fillet?", {0, 1}, "beef fillet: £46"),
        ("Is minced beef or beef fillet cheaper?", {0, 1}, "minced beef: £11.50"),
        ("Who starts earlier, sorters or carriers?", {2, 3}, "sorters: 4.20 am"),
        ("Which settlement is older, Tell Sarim or Castro Alvo?", {6, 7}, "Tell Sarim"),
    ],
)
def test_a_comparison_names_the_first_and_amount(house: Decider, asked: str, facts: set[int], begins: str):
    decision = decided(house, asked)
    assert (decision.way, set(decision.facts)) == ("comparison", facts), decision
    assert (decision.text or "").startswith(begins), decision


def test_a_comparison_without_names_answers_with_the_differing_words(house: Decider):
    decision = decided(house, "Which printer is faster?")
    assert (decision.way, decision.text) == ("comparison", "Tagwell 500: 110 labels a minute"), decision


@pytest.mark.parametrize(
    "asked", ["Which is faster, a train or a bicycle?", "What is larger, Mars or Venus?"]
)
def test_a_measure_without_facts_is_not_compared(house: Decider, asked: str):
    assert not decided(house, asked).answers, decided(house, asked)


BAKERIES = [
    ("When was Zabrini Forni founded?", "1962"),
    ("What year does Vandermoot date from?", "1934"),
    ("What is said of Drumgarrow Mills?", "It was founded in 1853."),
    ("In what year did Nine Sparrows begin?", "2016"),
    ("How many people does Vandermoot employ?", "410"),
    ("How big is the staff of Zabrini Forni?", "95 people"),
    ("How many work at Nine Sparrows?", "21"),
    ("Which prize has Bethan Luckhurst won?", "The Silver Crumb, in 2018."),
    ("Who is the head baker of Vandermoot?", "Bethan Luckhurst"),
    ("When was Selvedge launched?", "2 February 2022"),
    ("When did the Bollard first come out?", "March 2010"),
    ("How much is Simmerdown?", "£3.50 a month"),
    ("What does Gravelmap cost?", "£24 a year"),
    ("Where is Zabrini Forni?", "At 3 Larder Lane"),
]


@pytest.fixture(scope="module")
def bakeries() -> Decider:
    return decider_of(BAKERIES)


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ("Which is the oldest of all the bakeries?", "Drumgarrow Mills (It was founded in 1853)"),
        ("Who has the most staff of all?", "Vandermoot (410)"),
        ("Of Zabrini Forni and Nine Sparrows, which came first?", "Zabrini Forni"),
        ("zabrini forni vs vandermoot, which is the earlier firm", "Vandermoot"),
        (
            "Between Zabrini Forni, Nine Sparrows and Vandermoot, which was the last to get going?",
            "Nine Sparrows (2016)",
        ),
        ("fewer workers: zabrini forni / vandermoot", "Zabrini Forni"),
        ("Which came out first, Selvedge or the Bollard?", "Bollard"),
        ("Is it Simmerdown or Gravelmap that is dearer?", "Simmerdown"),
    ],
)
def test_subjects_whose_facts_are_paraphrases_are_ranked(bakeries: Decider, asked: str, begins: str):
    decision = decided(bakeries, asked)
    # The facts about the staff are a table.
    assert decision.way == ("list" if "staff" in asked else "comparison"), decision
    assert len(decision.facts) > 1 and (decision.text or "").startswith(begins), decision


@pytest.mark.parametrize(
    "asked",
    [
        "Which of the bakeries is the tallest?",
        "What is the latest I can come?",
        "Who sells the most bread?",
        "Who came first in the 2019 bake-off?",
    ],
)
def test_a_measure_that_is_not_taught_ranks_nothing(bakeries: Decider, asked: str):
    decision = decided(bakeries, asked)
    assert decision.way != "comparison" or not decision.answers, decision


def test_a_name_is_spelled_as_in_its_facts():
    house = decider_of(
        [
            ("What year does the Brass Monday date from?", "1802"),
            ("Which wood is the back of the Brass Monday?", "Poplar"),
            ("When was the Half Shilling made?", "1811"),
            ("Who plays the Half Shilling?", "Wynn Abernathy"),
        ]
    )
    assert decided(house, "Which is older, the Brass Monday or the Half Shilling?").text == "Brass Monday"


def test_a_superlative_is_not_answered_from_a_part_of_too_many_facts():
    # More facts than are scanned, with the oldest after them.
    names = ["Zabrini Forni", "Vandermoot", "Nine Sparrows"]
    rows = [(f"In which year did {name} begin?", str(1500 + at)) for at, name in enumerate(names)]
    others = [(f"Who looks after kiln {number}?", f"Person{number} Quist") for number in range(420)]
    many = decider_of([*rows, *others, ("When was Wixby founded?", "1203")])
    decision = decided(many, "Which bakery is the oldest of the lot?")
    assert decision.text is None or "Wixby" in decision.text, decision


def test_title_case_words_do_not_extend_a_name():
    house = decider_of(
        [
            ("When Was The Corvid Launched?", "1802"),
            ("What Does The Corvid Weigh?", "3 kg"),
            ("When Was The Merle Launched?", "1811"),
            ("What Does The Merle Weigh?", "5 kg"),
        ]
    )
    assert (decided(house, "oldest of the lot?").text or "").startswith("Corvid")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("The basic service costs less than the full one, doesn't it?", "Yes."),
        ("Does the full service cost less than the basic one?", "No."),
        ("Is the full service dearer than the basic service?", "Yes."),
        ("Is the basic service or the full service cheaper?", "the basic service: $4,500"),
        ("Is the full service or the basic service cheaper?", "the basic service: $4,500"),
    ],
)
def test_a_closed_comparison_is_about_the_first_name_of_the_question(asked: str, answer: str):
    workshop = decider_of(
        [
            ("What does the full service cost?", "$9,000"),
            ("What does the basic service cost?", "$4,500"),
            ("How long does the full service take?", "3 days"),
        ]
    )
    assert (decided(workshop, asked).text or "").startswith(answer), decided(workshop, asked)
