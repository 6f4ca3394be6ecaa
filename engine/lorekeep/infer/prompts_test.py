"""Prompts: raw prompts stay as they are, messages pass through the template, and no user text becomes a
special token."""

import pytest
from transformers import AutoTokenizer

from lorekeep.errors import EngineError
from lorekeep.infer.prompts import Prompts
from lorekeep.testing import QUILL, piece_tokenizer, save_tokenizer


@pytest.fixture(scope="module")
def quill() -> Prompts:
    return Prompts(AutoTokenizer.from_pretrained(QUILL), 2048)


@pytest.fixture(scope="module")
def pieces(tmp_path_factory) -> Prompts:
    folder = tmp_path_factory.mktemp("pieces")
    save_tokenizer(folder, piece_tokenizer())
    return Prompts(AutoTokenizer.from_pretrained(folder), 2048)


def test_a_prompt_in_the_template_equals_its_messages(quill: Prompts):
    prompt = (
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nWho runs it?<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )
    tokens = quill.tokens(prompt, None)
    assert tokens == quill.tokens(None, [{"role": "user", "content": "Who runs it?"}])
    assert tokens.count(quill.tokenizer.bos_token_id) == 1


@pytest.mark.parametrize("name", ["quill", "pieces"])
def test_template_tokens_in_a_message_are_plain_text(name: str, request):
    prompts = request.getfixturevalue(name)
    special = prompts.tokenizer.all_special_ids
    harmless = prompts.tokens(None, [{"role": "user", "content": "x"}])
    for word in prompts.special:
        for content in (word, f"a{word}b {word}{word}", word[:-1] + word + word[-1:], f"\ue0a7{word}"):
            tokens = prompts.tokens(None, [{"role": "user", "content": content}])
            assert [t for t in tokens if t in special] == [t for t in harmless if t in special]
            text = prompts.tokenizer.decode(tokens, clean_up_tokenization_spaces=False)
            assert content.replace("\ue0a7", "") in text


def test_a_second_begin_token_is_not_added(quill: Prompts):
    bos = quill.tokenizer.bos_token
    assert quill.tokens(bos + "Hello", None).count(quill.tokenizer.bos_token_id) == 1


def test_empty_prompts_are_refused(quill: Prompts):
    with pytest.raises(EngineError) as caught:
        quill.tokens("", None)
    assert caught.value.code == "prompt_empty"


def test_the_reason_of_a_template_that_refuses_is_reported(pieces: Prompts):
    pieces.tokenizer.chat_template = "{{ raise_exception('System role not supported') }}"
    with pytest.raises(EngineError, match="System role not supported") as caught:
        pieces.tokens(None, [{"role": "system", "content": "x"}])
    assert caught.value.code == "template_failed"
    pieces.tokenizer.chat_template = None
    with pytest.raises(EngineError, match="no chat template"):
        pieces.tokens(None, [{"role": "user", "content": "x"}])
