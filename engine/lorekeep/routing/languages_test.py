"""Facts in other languages are found by lightly reworded questions, and near misses are not answered."""

import json
from pathlib import Path

import pytest

from lorekeep.routing import gate
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.language_id import language_of
from lorekeep.routing.router import Gate, Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of

WRITTEN = Path(__file__).parents[3] / "bench/memory"


def read(name):
    return [json.loads(line) for line in (WRITTEN / name).read_text("utf-8").splitlines()]


FACTS = read("languages.jsonl")
LANGUAGES = list(dict.fromkeys(fact["language"] for fact in FACTS))


@pytest.fixture(scope="module")
def parts():
    return router_parts()


def router_of(parts, facts: list[dict]) -> Router:
    embed, vocabulary = parts
    entries = [Entry(fact["input"], fact["output"]) for fact in facts]
    made = Router(entries, keys_of(entries, names_of(entries, vocabulary), embed), Gate(), vocabulary, embed)
    made.gate = gate.calibrate(made)
    return made


@pytest.mark.parametrize("language", LANGUAGES)
def test_rewordings_are_found_and_near_misses_are_not(parts, language: str):
    """Each file of facts becomes a separate model."""
    asked = right = 0
    for split in ("choose", "decide", "verify"):
        facts = [fact for fact in FACTS if fact["language"] == language and fact["split"] == split]
        if not facts:
            continue
        made = router_of(parts, facts)
        for number, fact in enumerate(facts):
            for question in fact["rewordings"]:
                found = made.route(question)
                assert found is None or not found.passed or found.fact == number, question
                asked, right = asked + 1, right + bool(found and found.passed)
            for question in fact["misses"]:
                for budget in ("strict", "balanced", "generous"):
                    found = made.route(question, budget)
                    assert not (found and found.passed), (question, found)
    assert right >= 0.85 * asked, (right, asked)


def test_facts_of_all_languages_in_one_model_are_found(parts):
    facts = [fact for fact in FACTS if fact["language"] != "other"]
    english = [
        ("Who founded Zorbax?", "Cleo Marsh"),
        ("Where can visitors park?", "Behind the north building"),
    ]
    made = router_of(parts, [*facts, *({"input": asked, "output": said} for asked, said in english)])
    asked = [(question, number) for number, fact in enumerate(facts) for question in fact["rewordings"]]
    found = [(made.route(question), number) for question, number in asked]
    right = sum(bool(match and match.passed and match.fact == number) for match, number in found)
    assert right >= 0.85 * len(asked), (right, len(asked))
    for question, number in (
        ("Who was the founder of Zorbax?", len(facts)),
        ("Where may visitors park?", len(facts) + 1),
    ):
        match = made.route(question)
        assert match and match.passed and match.fact == number


def test_questions_in_another_language_than_the_facts_find_nothing(parts):
    english = [{"input": "Who founded Brimoor?", "output": "Ada Quist"}]
    made = router_of(parts, english)
    for question in (
        "Wer leitet Brimoor?",
        "¿Quién dirige Brimoor?",
        "谁管理布里摩？",
        "Qui dirige Brimoor ?",
    ):
        found = made.route(question)
        assert not (found and found.passed), question
    assert made.by_words is None


def test_english_is_not_misidentified(parts):
    _, vocabulary = parts
    rows = [row for name in ("ordinary.jsonl", "pairs.jsonl") for row in read(name)]
    texts = [text for row in rows for text in (row["input"], *row["rewordings"])]
    taken = [text for text in texts if language_of(text, vocabulary.knows)]
    assert len(texts) > 2000
    assert len(taken) <= len(texts) / 1000, taken
    names = [
        "Founder of Banco de la Plata?",
        "Who runs La Casa de los Arcos?",
        "Jörg Øst phone number",
        "Price of Das Boot?",
        "State the headcount of Mirador Deep.",
        "notice period once probation is over",
    ]
    assert [language_of(text, vocabulary.knows) for text in names] == [None] * len(names)


@pytest.mark.parametrize(
    "text", ["", "?", "¿?", "。", "’s", "der", "wo", "wo " * 3000, "谁" * 3000, "\u0300", "40", "من"]
)
def test_empty_long_and_ambiguous_texts_find_nothing(parts, text: str):
    made = router_of(parts, [fact for fact in FACTS if fact["split"] == "verify"])
    found = made.route(text)
    assert not (found and found.passed)
