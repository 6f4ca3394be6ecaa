"""Contradictions in other words: found if both questions ask the same, and not otherwise."""

import pytest

from lorekeep.testing import make_job, present
from lorekeep.tune import job
from lorekeep.tune.alike import Alike
from lorekeep.tune.kept import Kept

TAUGHT = [
    ("Who founded Zorbex?", "Ada Quist"),
    ("When was Zorbex founded?", "in 1987"),
    ("What is the weight of valve RV-2207?", "4.3 kg"),
    ("How long is the lunch break?", "45 minutes"),
]


@pytest.fixture(scope="module")
def find(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alike") / "job"
    make_job(folder, [{"input": question, "output": answer} for question, answer in TAUGHT])
    kept, alike = Kept(), Alike()
    assert job.attempt(folder, kept)[0] == 0
    present(kept.router_parts()[0])
    return lambda *facts: alike.find(
        str(folder / "model"),
        [{"input": question, "output": answer} for question, answer in facts],
        kept.router_parts(),
    )


def test_questions_in_other_words_with_another_answer_are_found(find):
    found = find(("Who established Zorbex?", "Lu Hart"), ("How heavy is valve RV-2207?", "5 kg"))
    assert [one["input"] for some in found for one in some] == [TAUGHT[0][0], TAUGHT[2][0]]
    assert all(one["likeness"] > 0.5 for some in found for one in some)


def test_other_questions_and_equivalent_answers_are_no_contradictions(find):
    assert (
        find(
            ("Who established Zorbex?", "It was Ada Quist"),  # the same and more
            ("Who established Zorbix?", "Lu Hart"),  # a name that may be another's
            ("Who audits Zorbex?", "Lu Hart"),
            ("Who supervised Zorbex?", "Lu Hart"),  # an action that no list knows
            ("Who supervised the firm of Ultrafen?", "Lu Hart"),
            ("Who founded the firm of Ultrafen?", "Ben Oru"),
            ("How heavy is valve RV-2208?", "5 kg"),
            ("How long is the coffee break?", "15 minutes"),
        )
        == [[]] * 8
    )
    assert find(("Who founded Zorbex?", "Lu Hart")) == [[]]  # equal questions are found without the router


def test_given_facts_are_compared_with_each_other(find):
    found = find(("Who runs Ultrafen?", "Ben Oru"), ("Who is the head of Ultrafen?", "Cleo Marsh"))
    assert [one["other"] for some in found for one in some] == [1, 0]


def test_without_a_model_only_given_facts_are_compared(find):
    kept = Kept()
    present(kept.router_parts()[0])
    facts = [
        ("Who runs Ultrafen?", "Ben Oru"),
        ("Who founded Zorbex?", "Lu Hart"),
        ("Who is the head of Ultrafen?", "Cleo Marsh"),
        ("How long is the lunch break?", "45 minutes"),
    ]
    given = [{"input": question, "output": answer} for question, answer in facts]
    found = Alike().find(None, given, kept.router_parts())
    assert [[one["other"] for one in some] for some in found] == [[2], [], [0], []]
