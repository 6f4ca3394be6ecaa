"""Lists, superlatives, rankings and comparisons over all facts with the same question about several subjects."""

import pytest

from lorekeep.answering.decide import Decider
from lorekeep.answering.decide_test import decided, decider_of, said
from lorekeep.answering.reading import listing

FACTS = [
    ("Which harbours does Tarnholm Marinas run?", "Tarnholm Marinas runs Westing Quay, Ollerby Basin and The Staithe."),
    ("Who founded Tarnholm Marinas?", "Bess Orrick"),
    ("Where is the head office of Tarnholm Marinas?", "2 Slip Lane"),
    ("Who is the harbour master of Westing Quay?", "The harbour master of Westing Quay is Jon Tarrant."),
    ("Who is the harbour master of Ollerby Basin?", "Mira Solway"),
    ("Who is the harbour master of The Staithe?", "Enok Veld"),
    ("How many berths does Westing Quay have?", "120"),
    ("How many berths does Ollerby Basin have?", "Ollerby Basin has 64 berths."),
    ("How many berths does The Staithe have?", "88"),
    ("What is the flag signal for a storm?", "Two red flags"),
    ("What is the flag signal for a closed lock?", "A black ball"),
    ("How many days may a member stay?", "30 days"),
    ("How many days may a visitor stay?", "7 days"),
    ("What must be worn on the pontoons?", "A life jacket, deck shoes and gloves."),
]  # fmt: skip
HARBOUR_MASTERS = "Westing Quay: The harbour master of Westing Quay is Jon Tarrant.\nOllerby Basin: Mira Solway\nStaithe: Enok Veld"
ASKED = [
    # The items of one fact, in the requested style.
    ("Name all your harbours.", "Tarnholm Marinas runs Westing Quay, Ollerby Basin and The Staithe."),
    ("bullet list of what must be worn on the pontoons pls", "- A life jacket\n- deck shoes\n- gloves"),
    ("What must be worn on the pontoons? Make it a numbered list.", "1. A life jacket\n2. deck shoes\n3. gloves"),
    # The rows of a table.
    ("Who are the harbour masters of the three harbours?", HARBOUR_MASTERS),
    ("list the harbour masters, each with the harbour", HARBOUR_MASTERS),
    ("give me the flag signals, one per line", "storm: Two red flags\nclosed lock: A black ball"),
    # Superlatives, also with an exclusion, and rankings.
    ("Which harbour has the most berths?", "Westing Quay (120)"),
    ("which of the harbours has the fewest berths of all", "Ollerby Basin has 64 berths."),
    ("not counting westing quay, which harbour has the most berths?", "Staithe (88)"),
    ("Rank the harbours by berths, most first.", "Westing Quay: 120\nStaithe: 88\nOllerby Basin: Ollerby Basin has 64 berths."),
    # Comparisons of common nouns.
    ("Who may stay more days, a member or a visitor?", "member stay"),
    ("how many more days may a member stay than a visitor", "23 days"),
    # The rows that a question names.
    ("berths of Ollerby Basin and of the Staithe please", "Ollerby Basin has 64 berths.\nStaithe: 88"),
    ("flag signals for a storm? and for a closed lock?", "storm: Two red flags\nclosed lock: A black ball"),
    # A sentence addressed to a third person.
    ("Write one friendly sentence telling a guest who founded Tarnholm Marinas.", "Bess Orrick founded Tarnholm Marinas."),
    # No table has the words, or the question is about something else.
    ("Who are the cooks of the harbours?", None),
    ("Which harbour has the cheapest fuel?", None),
    ("list the prices of all boats", None),
    ("Write a list of jokes about harbours.", None),
]  # fmt: skip


@pytest.fixture(scope="module")
def marinas() -> Decider:
    return decider_of(FACTS)


@pytest.mark.parametrize(("text", "wanted"), ASKED, ids=lambda value: str(value)[:40])
def test_lists_and_rankings_use_all_facts_of_a_relation(marinas: Decider, text: str, wanted: str | None):
    decision = decided(marinas, text)
    assert said(marinas, decision) == wanted, decision


@pytest.mark.parametrize(
    ("text", "rest", "style"),
    [
        ("bullet list of our depots pls", "our depots", "bullets"),
        ("Please give me a numbered list of the steps after a fire.", "the steps after a fire", "numbers"),
        ("which formats are there? one per line", "which formats are there", "lines"),
        ("List all depots", "all depots", "plain"),
    ],
)
def test_a_list_request_is_parsed_into_topic_and_style(text: str, rest: str, style: str):
    found = listing.read(text)
    assert found is not None and (found.rest, found.style, found.ordered) == (rest, style, True)


@pytest.mark.parametrize("text", ["Who founded Zorbax?", "What is the price list called?", "", "?"])
def test_other_questions_are_not_list_requests(text: str):
    found = listing.read(text)
    assert found is None or not found.ordered


def test_empty_and_symbol_only_facts_cause_no_error():
    odd = [
        (f"What is {sign} of X{sign}?", f"{sign}, {sign} and {sign}")
        for sign in ("", "?", "\u200b", "A", "_", "\U0001f41f", "你好", "'", "&")
    ]
    decider = decider_of(
        [*odd, *odd, ("", ""), ("the", "the"), ("Who is who?", "A"), ("the the the the", "a, b and c")]
    )
    for text in (
        "list all",
        "Which is the largest of all?",
        "the ? ? ?",
        "What is the & and the &?",
        "list: ",
        "Rank the the.",
        "our",
        "...",
    ):
        assert decided(decider, text).reason
