"""Messages for all subjects of a kind whose facts ask the same in different words."""

import json
from copy import copy

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of, said
from lorekeep.answering.kinds.bounds import bound_in
from lorekeep.answering.kinds.tables import Tables
from lorekeep.answering.knowledge import Knowledge
from lorekeep.routing.embedders.likeness import Likeness

KEEPERS = {
    "Who keeps the Marn Point light?": "Ada Thorsby",
    "Skell Rock keeper": "The keeper at Skell Rock is Piet Arnholt.",
    "Who looks after the Dunlin Head light?": "Ada Thorsby looks after it.",
}
HEIGHTS = {
    "How tall is Marn Point?": "31 metres",
    "Height of Skell Rock": "It stands 24 metres high.",
    "What is the height of the Dunlin Head light?": "42",
}
YEARS = {
    "When was the Marn Point light built?": "1868",
    "Year of construction of Skell Rock": "Skell Rock was built in 1911.",
    "In which year was Dunlin Head built?": "1893",
}
COLOURS = {
    "Colour of Marn Point": "white",
    "What colour is Skell Rock?": "Red with a green band.",
    "Dunlin Head paint": "White",
}
NAMES = ("Marn Point", "Skell Rock", "Dunlin Head")


@pytest.fixture(scope="module")
def lights() -> Decider:
    return decider_of([
        *(row for table in (KEEPERS, HEIGHTS, YEARS, COLOURS) for row in table.items()),
        ("Who is the harbour master of Ostrand?", "Lena Quarmby"),
        ("Who is the harbour master of Welby?", "Tom Askew"),
        ("When can visitors climb a tower?", "On Saturdays from May to September."),
        ("How much is a tour?", "6 crowns"),
    ])  # fmt: skip


def test_facts_that_tell_the_same_in_other_words_are_one_table(lights: Decider):
    inputs = [entry.input for entry in lights.knowledge.entries]
    tables = [[inputs[fact] for _, fact in table.rows] for table in lights.tables.tables]
    for told in (KEEPERS, HEIGHTS, YEARS, COLOURS):
        assert list(told) in tables, tables
    assert ["Who is the harbour master of Ostrand?", "Who is the harbour master of Welby?"] in tables


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("Which lights are there?", "Marn Point, Skell Rock and Dunlin Head"),
        ("lights taller than 30 metres", "Marn Point and Dunlin Head"),
        ("lights with more than 30 m", "Marn Point and Dunlin Head"),
        ("Which lights are at most 31 m high?", "Marn Point and Skell Rock"),
        ("Which lights were built before 1900?", "Marn Point and Dunlin Head"),
        ("Which light was painted white?", "Marn Point and Dunlin Head"),
        ("Which light is the tallest?", "Dunlin Head (42)"),
    ],
)
def test_subjects_are_found_in_any_wording(lights: Decider, asked: str, text: str):
    assert said(lights, decided(lights, asked)) == text


@pytest.mark.parametrize(
    "asked", ["List all keepers.", 'all lights as a JSON array of objects, each with "name" and "keeper"']
)
def test_all_rows_are_told(lights: Decider, asked: str):
    text = said(lights, decided(lights, asked)) or ""
    assert all(name in text for name in NAMES) and text.count("Thorsby") == 2 and "Arnholt" in text, text


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Who is the keeper of Dunlin Head?", "Ada Thorsby looks after it."),
        ("year of construction of Marn Point", "1868"),
        ("Who is the keeper of Skell Rock and how tall is Dunlin Head?", "Piet Arnholt"),
    ],
)
def test_a_fact_is_found_in_the_words_of_another_subject(lights: Decider, asked: str, answer: str):
    assert answer in (said(lights, decided(lights, asked)) or "")


@pytest.mark.parametrize(
    "asked", ["Who is the owner of Dunlin Head?", "Who is the harbour master of Marn Point?"]
)
def test_a_fact_does_not_answer_in_words_that_no_wording_has(lights: Decider, asked: str):
    assert not decided(lights, asked).answers


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        ("JSON with light and height for Skell Rock", {"light": "Skell Rock", "height": "It stands 24 metres high."}),
        ("JSON for Dunlin Head with the keys keeper and colour", {"keeper": "Ada Thorsby looks after it.", "colour": "White"}),
    ],
)  # fmt: skip
def test_keys_name_the_kind_of_a_subject_and_relations_in_any_words(
    lights: Decider, asked: str, values: dict
):
    assert json.loads(decided(lights, asked).text or "{}") == values


@pytest.mark.parametrize(
    "asked", ["Which lights are heavier than 30 tonnes?", "Which cranes are over 30 m high?"]
)
def test_bounds_of_what_no_fact_tells_are_not_answered(lights: Decider, asked: str):
    assert not decided(lights, asked).answers


@pytest.mark.parametrize(
    ("text", "within", "outside"),
    [
        ("departments with more than 25 beds", 26, 25),
        ("rents over €1,000", 1000.5, 1000),
        ("at least 9 hectares", 9, 8.9),
        ("9 hectares or more", 9, 8.9),
        ("no more than 3 rooms", 3, 4),
        ("3 rooms or fewer", 3, 4),
        ("built before 1980", 1979, 1980),
        ("older than 1980", 1979, 1980),
        ("older than 12", 13, 12),
    ],
)
def test_bounds_are_read(text: str, within: float, outside: float):
    bound = bound_in(text)
    assert bound is not None
    amount = bound.amount
    assert [bound.holds(type(amount)(value, "", str(value))) for value in (within, outside)] == [True, False]


@pytest.mark.parametrize("text", ["2 rooms", "between 3 and 5", "more than enough", "the most rooms"])
def test_a_text_without_one_bound_has_none(text: str):
    assert bound_in(text) is None


def test_a_subject_that_the_table_lacks_is_read_beside_the_bound():
    heights = {**HEIGHTS, "Dunlin Head lantern, above sea": "42 m"}
    del heights["What is the height of the Dunlin Head light?"]
    made = decider_of([row for table in (KEEPERS, heights, YEARS, COLOURS) for row in table.items()])
    assert all(
        "lantern" not in made.knowledge.entries[fact].input
        for facts in made.tables.varied()
        for fact in facts
    )
    assert said(made, decided(made, "lights taller than 30 metres")) == "Marn Point and Dunlin Head"


def test_questions_in_other_languages_are_not_joined():
    made = decider_of([
        ("Wer leitet die Werft Brandau?", "Ilse Kranvik"),
        ("Leitung der Werft Tolmen", "Piet Arnholt"),
        ("Wie lang ist das Dock der Werft Brandau?", "120 m"),
        ("Länge des Docks, Werft Tolmen", "80 m"),
    ])  # fmt: skip
    assert made.tables.varied() == []


def test_facts_are_not_joined_by_the_vectors_of_another_embedding_model(lights: Decider):
    router = copy(lights.knowledge.router)
    router.likeness = Likeness()
    assert Tables(Knowledge(router)).varied() == []
    assert lights.tables.varied()
