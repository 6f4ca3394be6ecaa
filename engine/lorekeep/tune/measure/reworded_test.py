"""Rewording by rule: names stay, other words change, and no question of a report becomes trivial."""

import json
import random
from pathlib import Path

import pytest

from lorekeep.routing.words import STOP, words
from lorekeep.tune.measure.reworded import reworded

ORDINARY = [
    json.loads(line)
    for line in (Path(__file__).parents[4] / "bench/memory/ordinary.jsonl").read_text("utf-8").splitlines()
]


def telling(text: str) -> set[str]:
    return {word.plain for word in words(text) if word.plain not in STOP}


def test_many_content_words_are_replaced():
    choose = random.Random(0)
    stays = []
    for fact in ORDINARY:
        mine = telling(fact["input"])
        if mine:
            stays.append(len(mine & telling(reworded(fact["input"], [], choose))) / len(mine))
    assert 0.5 < sum(stays) / len(stays) < 0.8


def test_hardly_any_rewording_keeps_all_words():
    choose = random.Random(1)
    said = [(fact["input"], reworded(fact["input"], [], choose)) for fact in ORDINARY]
    same = [a for a, b in said if [word.plain for word in words(a)] == [word.plain for word in words(b)]]
    assert len(same) < 0.03 * len(said)


@pytest.mark.parametrize(
    "question", ["Who founded Brimoor Labs?", "Where does Ada Quist-Olsen live?", "Brimoor Labs?"]
)
def test_names_are_kept(question):
    names = {"brimoor", "labs", "ada", "quist-olsen"}
    mine = names & {word.plain for word in words(question)}
    choose = random.Random(2)
    for _ in range(200):
        assert mine <= {word.plain for word in words(reworded(question, mine, choose))}


def test_a_question_without_a_name_keeps_its_relation():
    choose = random.Random(3)
    for fact in ORDINARY:
        if telling(fact["input"]):
            assert telling(reworded(fact["input"], [], choose)), fact["input"]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "  ",
        "a",
        "How do I",
        "東京はどこですか？",
        "Где мой багаж?",
        "🏙",
        "x" * 5000,
        "who " * 500,
        "\\1 \\g<0> {e}",
    ],
)
def test_any_question_can_be_reworded(question):
    choose = random.Random(4)
    for _ in range(30):
        text = reworded(question, [], choose)
        assert isinstance(text, str) and (text.strip() or not question.strip(" ?"))


def test_the_same_choices_make_the_same_rewordings():
    once, again = (
        [reworded(fact["input"], [], choose) for fact in ORDINARY]
        for choose in (random.Random(5), random.Random(5))
    )
    assert once == again
