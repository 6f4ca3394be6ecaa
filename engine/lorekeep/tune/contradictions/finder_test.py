"""Contradictions between paraphrases are found if both questions ask the same, and not otherwise."""

import pytest

from lorekeep.testing import make_job, present
from lorekeep.tune import job
from lorekeep.tune.base_cache import BaseCache
from lorekeep.tune.contradictions.finder import ContradictionFinder

TAUGHT = [
    ("Who founded Zorbex?", "Ada Quist"),
    ("When was Zorbex founded?", "in 1987"),
    ("What is the weight of valve RV-2207?", "4.3 kg"),
    ("How long is the lunch break?", "45 minutes"),
    ("Which insurer covers the Brill warehouse?", "Nordtryg"),
    ("Who holds the keys of the Brill warehouse?", "Samir Dahl"),
    ("Who operates furnace Hestia?", "Pia Lund"),
    ("Where is Orvo Works?", "Hjelmby"),
    ("How many people work at Orvo Works?", "212"),
    ("Who directs Orvo Works?", "Tessa Vinding"),
    ("When was Orvo Works founded?", "1934"),
]


@pytest.fixture(scope="module")
def find(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alike") / "job"
    make_job(folder, [{"input": question, "output": answer} for question, answer in TAUGHT])
    kept, alike = BaseCache(), ContradictionFinder()
    assert job.attempt(folder, kept)[0] == 0
    present(kept.router_parts()[0])
    return lambda *facts: alike.find(
        str(folder / "model"),
        [{"input": question, "output": answer} for question, answer in facts],
        kept.router_parts(),
    )


def test_paraphrased_questions_with_another_answer_are_found(find):
    found = find(("Who established Zorbex?", "Lu Hart"), ("How heavy is valve RV-2207?", "5 kg"))
    assert [one["input"] for some in found for one in some] == [TAUGHT[0][0], TAUGHT[2][0]]
    assert all(one["likeness"] > 0.5 for some in found for one in some)


def test_other_questions_and_equivalent_answers_are_no_contradictions(find):
    assert (
        find(
            ("Who established Zorbex?", "It was Ada Quist"),  # the same and more
            ("Who established Zorbix?", "Lu Hart"),  # a name that may belong to another entity
            ("Who audits Zorbex?", "Lu Hart"),
            ("Who supervised Zorbex?", "Lu Hart"),  # an action in no list of synonyms
            ("Who supervised the firm of Ultrafen?", "Lu Hart"),
            ("Who founded the firm of Ultrafen?", "Ben Oru"),
            ("How heavy is valve RV-2208?", "5 kg"),
            ("How long is the coffee break?", "15 minutes"),
        )
        == [[]] * 8
    )
    assert find(("Who founded Zorbex?", "Lu Hart")) == [[]]  # equal questions are found without the router


def test_questions_are_found_at_the_ordinary_gate_if_their_words_ask_the_same(find):
    asked = [
        (("Who insures the Brill warehouse?", "Fjeldsikring"), TAUGHT[4][0]),
        (("Who works the furnace Hestia?", "Bo Lind"), TAUGHT[6][0]),
        (("In which town is Orvo Works?", "Odense"), TAUGHT[7][0]),
        (("How many employees does Orvo Works have?", "230"), TAUGHT[8][0]),
        (("Who is the director of Orvo Works?", "Bo Lind"), TAUGHT[9][0]),
        (("In what year was Orvo Works established?", "1950"), TAUGHT[10][0]),
    ]
    found = find(*[fact for fact, _ in asked])
    assert [[one.get("input") for one in some] for some in found] == [[taught] for _, taught in asked]
    assert all(one["likeness"] <= 1 for some in found for one in some)
    others = [
        "Who owns the Brill warehouse?",
        "Who repairs furnace Hestia?",
        "How many people visit Orvo Works?",
    ]
    assert find(*[(question, "Kim Moe") for question in others]) == [[]] * 3


def test_rows_of_a_table_do_not_contradict_each_other(find):
    rows = ["the price of Monday in Canteen of Brill", "the price of Friday in Canteen of Brill"]
    rows += ["the height of size 3 in Ladders of Orvo", "the height of size 4 in Ladders of Orvo"]
    facts = [(f"What is {row}?", f"{at} EUR") for at, row in enumerate(rows)]
    assert find(*facts) == [[]] * 4


def test_given_facts_are_compared_with_each_other(find):
    found = find(("Who runs Ultrafen?", "Ben Oru"), ("Who is the head of Ultrafen?", "Cleo Marsh"))
    assert [one["other"] for some in found for one in some] == [1, 0]


def test_without_a_model_only_given_facts_are_compared(find):
    kept = BaseCache()
    present(kept.router_parts()[0])
    facts = [
        ("Who runs Ultrafen?", "Ben Oru"),
        ("Who founded Zorbex?", "Lu Hart"),
        ("Who is the head of Ultrafen?", "Cleo Marsh"),
        ("How long is the lunch break?", "45 minutes"),
    ]
    given = [{"input": question, "output": answer} for question, answer in facts]
    found = ContradictionFinder().find(None, given, kept.router_parts())
    assert [[one["other"] for one in some] for some in found] == [[2], [], [0], []]
