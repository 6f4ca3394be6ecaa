"""Extraction of the bare question from its wrapping."""

import json

import pytest
from transformers import AutoTokenizer

from lorekeep.memory.question import Wrapping
from lorekeep.testing import FAMILIES, QUILL, ROOT, save_model

ASKED = "Who founded Zorbax?"
PROMPTS = json.loads((ROOT / "engine" / "protocol" / "prompts.json").read_text("utf-8"))
TEMPLATES = PROMPTS["tokens"] | PROMPTS["words"]


@pytest.fixture(scope="module")
def wrapping() -> Wrapping:
    return Wrapping(AutoTokenizer.from_pretrained(QUILL))


@pytest.mark.parametrize(
    "prompt",
    [
        ASKED, f"  {ASKED}\n", f"Question: {ASKED}\nAnswer:", f"Q: {ASKED}\nA:", f"User: {ASKED}\nAssistant:", f"<s>[INST] {ASKED} [/INST]",
        f"<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\n{ASKED} [/INST]", f"<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n{ASKED}<|im_end|>\n<|im_start|>assistant\n",
        f"<start_of_turn>user\n{ASKED}<end_of_turn>\n<start_of_turn>model\n", f"### Instruction:\n{ASKED}\n### Response:",
        f"User: Hello\nAssistant: Hi\nUser: {ASKED}\nAssistant:",
    ],
)  # fmt: skip
def test_common_wrappings_are_removed(wrapping: Wrapping, prompt: str):
    assert wrapping.bare(prompt, None) == ASKED


@pytest.mark.parametrize("family", TEMPLATES)
def test_the_template_of_every_family_is_removed(wrapping: Wrapping, family: str):
    assert wrapping.bare(TEMPLATES[family], None) == PROMPTS["question"]


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_the_models_own_template_is_removed(wrapping: Wrapping, turns: int):
    tokenizer = AutoTokenizer.from_pretrained(QUILL)
    talk = [{"role": "system", "content": "Be brief."}]
    talk += [
        {"role": role, "content": f"{role} {i}?"} for i in range(turns - 1) for role in ("user", "assistant")
    ]
    text = tokenizer.apply_chat_template(
        [*talk, {"role": "user", "content": ASKED}], tokenize=False, add_generation_prompt=True
    )
    assert wrapping.bare(text, None) == ASKED


def test_templates_of_all_family_models_are_removed(tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(save_model(tmp_path, next(iter(FAMILIES))))
    assert Wrapping(tokenizer).bare(f"<s><|user|>{ASKED}<|end|><|user|>", None) == ASKED


def test_the_last_user_message_is_taken_unchanged(wrapping: Wrapping):
    said = "Question: <|eot_id|>?"
    assert (
        wrapping.bare(
            None,
            [
                {"role": "user", "content": "x"},
                {"role": "assistant", "content": "y"},
                {"role": "user", "content": said},
            ],
        )
        == said
    )
    assert wrapping.bare(None, [{"role": "system", "content": "x"}]) == ""


@pytest.mark.parametrize("prompt", ["", "\n", "<|eot_id|>", "<|x|>" * 50, "A:", "[INST]"])
def test_an_empty_prompt_has_no_question(wrapping: Wrapping, prompt: str):
    assert wrapping.bare(prompt, None).strip() in ("", "A:", "[INST]")
