"""Orders, other relations and other abbreviations are answered with no fact at any gate; questions for a fact still find it."""

import json
from collections import Counter
from pathlib import Path

import pytest
from lorekeep.routing import gate
from lorekeep.routing.abbreviations.compare import abbreviations_differ
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.instructions import instruction_of, instructions_differ
from lorekeep.routing.relation import relations_differ
from lorekeep.routing.router import BUDGETS, Gate, Router
from lorekeep.routing.stored_keys import Entry, keys_of, names_of

HERE = Path(__file__).parent


def read(name):
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


ROWS = read("orders.jsonl")
OF = {kind: [row for row in ROWS if row["kind"] == kind] for kind in ("order", "question", "other", "same")}
# Facts that earlier versions returned for some of these orders.
BAIT = [
    ("How do I print a return label?", "Open the order and press \"Return\"."),
    ("How do I report an incident?", "Write to the safety desk within a day."),
    ("How do I write a review?", "Open the order and press \"Review\"."),
    ("How do I send an email to my landlord?", "Through the tenants' page."),
]  # fmt: skip


@pytest.mark.parametrize("text", ["", "?", "... ! ?", "Who owns it? !?", "write", "请", "who " * 3000])
def test_degenerate_texts_are_accepted(text: str):
    assert instruction_of(text) is None
    assert not relations_differ(text, "?", True)
    assert not abbreviations_differ(text, "?", "")


@pytest.fixture(scope="module")
def router() -> Router:
    embed, vocabulary = router_parts()
    taught = dict.fromkeys((row["input"], row["output"]) for row in OF["other"] + OF["same"])
    ordinary = [(fact["input"], fact["output"]) for fact in read("ordinary.jsonl")[::8]]
    entries = [Entry(*pair) for pair in [*ordinary, *BAIT, *taught]]
    keys = keys_of(entries, names_of(entries, vocabulary), embed)
    return Router(entries, keys, gate.stored_gate({}), vocabulary, embed)


def test_shape():
    assert len(OF["order"]) >= 60
    assert len(OF["other"]) >= 40
    assert [text for text, count in Counter(row["prompt"] for row in ROWS).items() if count > 1] == []


def test_orders_are_distinguished_from_questions():
    assert [row["prompt"] for row in OF["order"] if instruction_of(row["prompt"]) is None] == []
    asks = [row for row in OF["question"] if not row["prompt"].startswith("Act as")]
    assert [row["prompt"] for row in asks if instruction_of(row["prompt"]) is not None] == []
    assert instruction_of("Act as a guide. Where can visitors park?") is None
    # How a VPN works in general is not how to connect to this one.
    assert instructions_differ("Explain how a VPN works.", "How do I connect to the VPN?")
    assert not instructions_differ("Explain how a refund works.", "How does a refund work?")
    assert not instructions_differ("Explain how to connect to the VPN.", "How do I connect to the VPN?")


def test_an_order_matches_no_fact(router: Router):
    found = {row["prompt"]: router.route(row["prompt"]) for row in OF["order"]}
    assert {prompt: router.entries[one.fact].input for prompt, one in found.items() if one} == {}


def test_another_relation_or_abbreviation_never_finds_the_fact(router: Router):
    found = [(row, router.route(row["prompt"])) for row in OF["other"]]
    assert [row for row, one in found if one and router.entries[one.fact].input == row["input"]] == []


def test_a_paraphrase_is_answered(router: Router):
    found = [(row, router.route(row["prompt"])) for row in OF["same"]]
    missed = [
        row
        for row, one in found
        if not (one and one.passed and router.entries[one.fact].input == row["input"])
    ]
    assert missed == []


def test_relations_differ_without_an_embedding_model_too():
    _, vocabulary = router_parts()
    entries = [Entry(row["input"], row["output"]) for row in OF["other"][:1]]
    blind = Router(entries, keys_of(entries, names_of(entries, vocabulary), None), Gate(), vocabulary, None)
    for budget in BUDGETS:
        assert blind.route("Who sold Vantrel?", budget) is None
    assert blind.route("Who made the logo design of Vantrel?") is not None
