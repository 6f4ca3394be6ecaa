"""Spans marked in messages that ask for JSON: keys, descriptions of their values, items, and the subject."""

from pathlib import Path

import pytest

from lorekeep import default_embedder
from lorekeep.answering.networks.field_tagger import (
    MAX_BEFORE,
    MAX_MESSAGE,
    Field,
    FieldTagger,
    Marked,
    Span,
    field_tagger,
    joined,
    marked_of,
    row_of,
    spans_of,
)
from lorekeep.routing.embedders import parts
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.routing.embedders.parts_test import first_layers
from lorekeep.testing import present


@pytest.fixture(scope="module")
def tagger() -> FieldTagger:
    found = field_tagger(router_parts()[0])
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("message", "marked"),
    [
        (
            "Return JSON with keys owner and founded for Ferrin Optics.",
            Marked((Field("owner", ""), Field("founded", "")), (), "Ferrin Optics"),
        ),
        (
            '{"firm": "Ferrin Optics", "owner": "", "city": ""}  <- please fill in',
            Marked((Field("firm", "", "Ferrin Optics"), Field("owner", ""), Field("city", "")), (), ""),
        ),
        (
            "as json: the price of Slowhand, Morning Bell and Goldfeather, one key each",
            Marked((Field("", "price"),), ("Slowhand", "Morning Bell", "Goldfeather"), ""),
        ),
    ],
)
def test_keys_items_and_subject_of_a_message_are_marked(tagger: FieldTagger, message: str, marked: Marked):
    assert tagger.marked("", message) == marked


def test_the_earlier_question_may_describe_the_value_of_a_key(tagger: FieldTagger):
    marked = tagger.marked("Who owns Ferrin Optics?", "same as json, key owner")
    assert marked.fields == (Field("owner", "Who owns Ferrin Optics"),)


@pytest.mark.parametrize("message", ["", " ", "{}", "json", "…" * 400, "a " * 2000, "\N{GRINNING FACE}" * 50])
def test_empty_repetitive_and_emoji_messages_are_accepted(tagger: FieldTagger, message: str):
    assert isinstance(tagger.marked("", message), Marked)
    assert isinstance(tagger.marked(message, message), Marked)


def test_long_texts_are_truncated(tagger: FieldTagger):
    row = row_of(tagger.tokenizer, "word " * 500, "other " * 500)
    assert row.sides.count(1) == MAX_MESSAGE
    assert row.sides.count(0) == MAX_BEFORE + 2  # with the special tokens around it


def test_a_word_has_the_tag_of_its_first_token(tagger: FieldTagger):
    text = "sombrelune_9 price"
    row = row_of(tagger.tokenizer, "", text)
    first = next(at for at, (begin, end) in enumerate(row.places) if end > begin)
    tags = [0] * len(row.ids)
    tags[first] = 1
    assert spans_of(tags, row, joined("", text)) == [Span(0, len("sombrelune_9"), "name")]


def test_fewer_names_than_descriptions_are_paired_with_the_nearest():
    text = "the winter break (key: laid_up) and the places it links"
    spans = [
        Span(text.index("winter"), text.index(" ("), "asks"),
        Span(text.index("laid_up"), text.index(")"), "name"),
        Span(text.index("places"), len(text), "asks"),
    ]
    assert marked_of(spans, text).fields == (
        Field("laid_up", "winter break"),
        Field("", "places it links"),
    )


def test_names_and_descriptions_in_turns_are_paired_across_a_list():
    text = "a for what another card costs and b for how long it takes"
    asks = "what another card costs", "how long it takes"
    spans = [Span(text.index(one), text.index(one) + len(one), "asks") for one in asks]
    spans += [Span(0, 1, "name"), Span(text.index("b for"), text.index("b for") + 1, "name")]
    assert marked_of(sorted(spans), text).fields == (Field("a", asks[0]), Field("b", asks[1]))


def test_elements_of_one_list_are_separate_keys():
    text = "start, duration and fee of the field school"
    kinds = {"start": "name", "duration": "asks", "fee": "asks"}
    spans = [Span(text.index(word), text.index(word) + len(word), kind) for word, kind in kinds.items()]
    assert marked_of(spans, text).fields == (Field("start", ""), Field("", "duration"), Field("", "fee"))


def test_another_embedding_model_has_no_tagger(tmp_path: Path):
    assert field_tagger(parts.read(first_layers(tmp_path / "first-layers"))) is None
    assert field_tagger(parts.read(present(default_embedder.folder()))) is not None
