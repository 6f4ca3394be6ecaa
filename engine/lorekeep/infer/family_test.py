"""Every model family has the logits of plain transformers, token for token, through packed rows, cache and
attention."""

import pytest
import torch
from transformers import AutoModelForCausalLM

from lorekeep.infer import sampling
from lorekeep.testing import FAMILIES, Bench, piece_tokenizer, save_model

PROMPT = (
    "The library of Brimoor opens at nine; Ada Quist runs it, and the rain falls on its roof all day long."
)


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_equal_those_of_plain_transformers(family: str, tmp_path):
    folder = save_model(tmp_path, family)
    bench = Bench(folder)
    heard = []
    bench.submit(prompt=PROMPT, max_tokens=12, temperature=1.0, seed=3)
    (sequence,) = bench.generator.batch.waiting.lines[""]
    grow = sequence.grow
    sequence.grow = lambda logits_V: heard.append(logits_V) or grow(logits_V)
    bench.run()
    assert len(heard) > 3
    plain = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    with torch.inference_mode():
        wanted_T_V = plain(input_ids=torch.tensor([sequence.tokens])).logits[0].numpy()
    for i, logits_V in enumerate(heard):
        assert abs(logits_V - wanted_T_V[sequence.prompt - 1 + i]).max() < 2e-4 * max(
            1, abs(wanted_T_V).max()
        )


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_and_sharded_weights_are_read(dtype, tmp_path):
    save_model(tmp_path, "llama", dtype=dtype)
    whole = Bench(tmp_path).one(prompt=PROMPT, max_tokens=8)["text"]
    model = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=dtype)
    (tmp_path / "model.safetensors").unlink()
    model.save_pretrained(tmp_path, max_shard_size="100KB")
    assert len(list(tmp_path.glob("model-*.safetensors"))) > 1
    assert Bench(tmp_path).one(prompt=PROMPT, max_tokens=8)["text"] == whole


def test_bfloat16_answers_are_the_same_alone_and_together(tmp_path):
    folder = save_model(tmp_path, "llama")
    asked = [PROMPT[i:] for i in range(0, 60, 7)]
    alone = [Bench(folder, dtype=torch.bfloat16).one(prompt=p, max_tokens=10)["text"] for p in asked]
    bench = Bench(folder, dtype=torch.bfloat16)
    for i, prompt in enumerate(asked):
        bench.submit(str(i), prompt=prompt, max_tokens=10)
    ended = bench.run()
    assert [ended[str(i)]["text"] for i in range(len(asked))] == alone


def test_a_sentencepiece_tokenizer_reads_and_writes(tmp_path):
    bench = Bench(save_model(tmp_path, "gemma", piece_tokenizer()))
    ended = bench.one(prompt=PROMPT, max_tokens=20, temperature=1.0, seed=1, stream=True)
    assert "".join(bench.deltas()) == ended["text"]
    assert ended["usage"]["prompt_tokens"] > 50


def test_the_chosen_token_depends_on_the_logits_only():
    assert sampling.choose(torch.tensor([0.0, 3.0, 3.0]).numpy(), sampling.Sampling(), 0) == 1
