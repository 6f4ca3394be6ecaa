"""Everyday synonyms: inflections, rewording towards a fact, and words that must not be replaced."""

import pytest

from lorekeep.routing.synonyms.groups import (
    everyday_words,
    lemma,
    members,
    reword_towards,
    with_taught_synonyms,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [("cancelled", "cancel"), ("policies", "policy"), ("children", "child"), ("paid", "pay"), ("boxes", "box"), ("sending", "sent")],
)  # fmt: skip
def test_inflections_of_a_word_have_one_lemma(one: str, other: str):
    assert lemma(one) == lemma(other)


def test_words_that_only_look_inflected_stay_unchanged():
    assert {lemma(word) for word in ("bus", "speed", "pass", "his")} == {"bus", "speed", "pass", "his"}


@pytest.mark.parametrize(
    ("asked", "taught", "read"),
    [
        ("Which bills are open?", "Who checks an invoice?", "Which invoice are open?"),
        ("How much PTO do I get?", "How many vacation days are there?", "How many vacation days do I get?"),
        ("Is there a lift?", "Where is the elevator?", "Is there a elevator?"),
        ("Where is the elevator to the roof?", "Where is the elevator?", None),
        ("Who painted the roof?", "Where is the elevator?", None),
        ("", "Where is the elevator?", None),
        ("??? !!!", "", None),
    ],
)
def test_a_question_is_reworded_towards_a_fact(asked: str, taught: str, read: str | None):
    assert reword_towards(asked, taught) == read


def test_only_words_that_no_fact_has_are_replaced():
    taught = frozenset(map(lemma, ["when", "are", "invoices", "due"]))
    assert with_taught_synonyms("When is a bill due?", taught) == "When is a invoice due?"
    assert with_taught_synonyms("When is a bill due?", taught | {"bill"}) is None


def test_each_line_has_several_phrases_and_none_twice():
    for group in members():
        assert len(group) > 1, group
        assert len(set(group)) == len(group), group
        assert all(group), group
    assert {"vacation", "invoic"} <= everyday_words()
