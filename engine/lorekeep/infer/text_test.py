"""Streamed text: whole characters, stop strings, and equality with text decoded at once."""

import random

import pytest

from lorekeep.infer.text import Stream
from lorekeep.testing import byte_tokenizer, piece_tokenizer

TEXTS = ["Grüße, 世界! 👩‍👩‍👧 naïve — ok", "  two  spaces\n\nlines ", "a\ufffdb", "🏳️‍🌈"]


def stream(tokenizer, tokens: list[int], stops=()) -> tuple[list[str], Stream]:
    said = Stream(lambda ids: tokenizer.decode(ids, skip_special_tokens=True), stops)
    pieces = []
    for token in tokens:
        pieces.append(said.add(token))
        if said.stopped:
            break
    return [*pieces, said.end()], said


@pytest.mark.parametrize("make", [byte_tokenizer, piece_tokenizer])
@pytest.mark.parametrize("text", TEXTS)
def test_pieces_are_whole_characters_and_add_up(make, text: str):
    tokenizer = make()
    tokens = tokenizer.encode(text).ids
    pieces, said = stream(tokenizer, tokens)
    assert "".join(pieces) == said.text == tokenizer.decode(tokens)
    if "\ufffd" not in text:
        assert not any("\ufffd" in piece for piece in pieces)


@pytest.mark.parametrize("make", [byte_tokenizer, piece_tokenizer])
def test_invalid_bytes_add_up_too(make):
    tokenizer = make()
    choose = random.Random(1)
    for _ in range(50):
        tokens = choose.choices(range(4, 250), k=12)
        pieces, said = stream(tokenizer, tokens)
        assert "".join(pieces) == said.text
        if make is byte_tokenizer:  # the other one shows all bytes of a row as broken if one is
            assert said.text.replace("\ufffd", "") == tokenizer.decode(tokens).replace("\ufffd", "")


def test_no_part_of_a_stop_string_is_emitted():
    tokenizer = byte_tokenizer()
    tokens = tokenizer.encode("one STOP two").ids
    for stops in (["STOP"], ["P two", "STOP"], ["x", " STO"]):
        pieces, said = stream(tokenizer, tokens, stops)
        assert said.stopped and "".join(pieces) == said.text == "one STOP two"[: len(said.text)]
        assert said.text in ("one ", "one")


def test_the_beginning_of_a_stop_string_is_emitted_if_it_does_not_continue():
    tokenizer = byte_tokenizer()
    pieces, said = stream(tokenizer, tokenizer.encode("aab aac aab").ids, ["aabb", "c b"])
    assert "".join(pieces) == said.text == "aab aac aab" and not said.stopped


def test_text_is_emitted_as_soon_as_it_is_certain():
    tokenizer = byte_tokenizer()
    pieces, _ = stream(tokenizer, tokenizer.encode("abcSTx").ids, ["STOP"])
    assert pieces == ["a", "b", "c", "", "", "STx", ""]


def test_a_character_is_emitted_with_its_last_byte():
    tokenizer = byte_tokenizer()
    pieces, _ = stream(tokenizer, tokenizer.encode("a世b").ids)
    assert pieces == ["a", "", "", "世", "b", ""]
