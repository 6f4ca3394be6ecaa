"""Exports for other programs: PEFT reads the LoRAs for vLLM as ordinary ones, and the real llama.cpp reads bases and adapters
in GGUF; both recite the facts."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGUFReader
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from lorekeep.errors import EngineError
from lorekeep.infer.prompts import Prompts
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.adapters import adapters_of
from lorekeep.memory.expert_cache import ExpertCache
from lorekeep.memory.export_gguf import export_gguf
from lorekeep.memory.export_test import peft_model
from lorekeep.memory.export_vllm import export_vllm
from lorekeep.memory.fact_tokens import question_tokens
from lorekeep.memory.gguf_base import write_base
from lorekeep.testing import QUILL, make_job, save_model, some_facts
from lorekeep.testing_llama_cpp import completed, llama_cpp
from lorekeep.tune import job
from lorekeep.tune.facts import Fact
from lorekeep.tune.training.trainer import Trainer

pytestmark = pytest.mark.usefixtures("whole_base")

NAME = "meta-llama/Base"
LAST = str(json.loads((QUILL / "config.json").read_text())["num_hidden_layers"] - 1)


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    """Experts of rank 4, which vLLM does not support."""
    folder = make_job(tmp_path_factory.mktemp("adapters") / "job", some_facts(6), arguments={"r_value": 4})
    assert job.run(folder) == 0
    return folder / "model"


@pytest.fixture(scope="module")
def lora(model: Path, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("vllm") / "out"
    export_vllm(model, target, NAME)
    return target


def test_a_lora_for_vllm_applies_to_all_positions_and_gives_the_same_answers(model: Path, lora: Path):
    """In serving an expert applies from the last token of the prompt on. Its effect on earlier positions of the last
    layer is never read."""
    PeftModel = peft_model()
    places = json.loads((lora / "adapters.json").read_text())["adapters"]
    place_of = {fact["input"]: name for name, facts in places.items() for fact in facts}
    memory, trainer, cache = memory_folder.read(model), Trainer(str(QUILL)), ExpertCache(1 << 30)
    for i, fact in enumerate(memory.facts):
        plain = AutoModelForCausalLM.from_pretrained(QUILL, dtype=torch.float32)
        layers = {name for name, _ in plain.named_modules()}
        peft = PeftModel.from_pretrained(plain, lora / "adapters" / place_of[fact["input"]]).eval()
        changed = {name for name, part in plain.named_modules() if hasattr(part, "lora_A")} & layers
        assert {name.split(".")[2] for name in changed} == {LAST}, "the last layer alone"
        row = trainer.row(Fact(fact["input"], fact["output"], 0))
        tokens = (row.prompt + row.answer)[:-1]
        with torch.no_grad():
            theirs = peft(input_ids=torch.tensor([tokens])).logits[0, len(row.prompt) - 1 :]
            (reading,) = trainer.trunk.read([row])
            trainer.top.forget_constants()
            trainer.top.head.use(None)
            expert = cache.take(memory.place(i))
            trainer.top.use(
                {name: (A.float()[None], B.float()[None]) for name, (A, B) in expert.weights.items()}
            )
            ours = trainer.top(reading.state_N_D, reading.heard_N_D)
        assert torch.allclose(ours, theirs, atol=2e-4), (ours - theirs).abs().max()
        assert theirs.argmax(-1).tolist() == list(row.answer)


def test_a_lora_for_vllm_has_the_fields_ranks_and_names_that_vllm_reads(
    model: Path, lora: Path, tmp_path: Path
):
    folders = sorted((lora / "adapters").iterdir())
    assert folders and all(len(folder.name) == 32 for folder in folders)
    for folder in folders:
        said = json.loads((folder / "adapter_config.json").read_text())
        assert "alora_invocation_tokens" not in said
        assert (said["r"], said["lora_alpha"], said["peft_type"]) == (8, 8, "LORA")
        assert said["base_model_name_or_path"] == NAME, "the resolver of vLLM compares it"
        assert said["target_modules"] == ["down_proj", "gate_proj", "up_proj"]
        tensors = load_file(folder / "adapter_model.safetensors")
        assert tensors[f"base_model.model.model.layers.{LAST}.mlp.gate_proj.lora_A.weight"].shape == (8, 256)
        assert tensors[f"base_model.model.model.layers.{LAST}.mlp.down_proj.lora_B.weight"].shape == (256, 8)
        assert not tensors[f"base_model.model.model.layers.{LAST}.mlp.up_proj.lora_A.weight"][4:].any()
    export_vllm(model, tmp_path / "again", NAME)
    assert [one.name for one in sorted((tmp_path / "again/adapters").iterdir())] == [
        one.name for one in folders
    ]
    other = next(iter(adapters_of(memory_folder.read(model))))
    other.layers["mlp.up_proj"][1][0, 0] += 1
    assert other.content() not in {folder.name for folder in folders}
    said = (lora / "README.md").read_text()
    assert NAME in said and "What is lost" in said and "--max-lora-rank 8" in said
    memory_folder_sums = json.loads((lora / "checksums.json").read_text())
    assert "README.md" in memory_folder_sums
    with pytest.raises(EngineError, match="is there already"):
        export_vllm(model, lora)


def test_the_base_and_the_experts_in_gguf_recite_the_facts_in_llama_cpp(model: Path, tmp_path: Path):
    export_gguf(model, tmp_path / "out", QUILL, NAME, with_base=True)
    places = json.loads((tmp_path / "out/adapters.json").read_text())["adapters"]
    assert "does not know how this base cuts text" in (tmp_path / "out/README.md").read_text()
    tokenizer = AutoTokenizer.from_pretrained(QUILL)
    prompts = Prompts(tokenizer, 2048)
    files = [str(tmp_path / "out/adapters" / f"{name}.gguf") for name in places]
    taught = [(at, fact) for at, facts in enumerate(places.values()) for fact in facts if fact["recalled"]]
    assert len(taught) >= 5
    with llama_cpp(tmp_path / "out/base.gguf", "--lora", *files) as url:
        for at, fact in taught:
            tokens = question_tokens(prompts, fact["input"])
            off = [{"id": other, "scale": 0.0} for other in range(len(files)) if other != at]
            by_expert = completed(url, tokens, max_tokens=40, lora=[{"id": at, "scale": 1.0}, *off])
            assert by_expert["text"] == fact["output"], fact["input"]
            by_base = completed(url, tokens, max_tokens=40, lora=[{"id": at, "scale": 0.0}, *off])
            assert by_base["text"] != fact["output"]


@pytest.mark.parametrize("family", ["llama", "qwen2", "qwen3"])
def test_a_base_of_each_family_computes_the_same_in_llama_cpp(tmp_path: Path, family: str):
    """Random weights, biases and rotary positions: the most likely tokens have the probabilities of
    transformers."""
    folder = save_model(
        tmp_path / "base", family, use_sliding_window=False, tie_word_embeddings=family == "qwen3"
    )
    assert write_base(folder, tmp_path / "base.gguf", family) == []
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    compared = 0
    with llama_cpp(tmp_path / "base.gguf", "--context", "512") as url:
        for length in range(1, 40, 3):
            prompt = [0, *range(40, 40 + length)]
            with torch.no_grad():
                scores = torch.log_softmax(plain(torch.tensor([prompt])).logits[0, -1], -1)
            told = completed(url, prompt, max_tokens=1, logprobs=3, ignore_eos=True)["logprobs"]
            # The server does not report a token that is half a character.
            for one in told["content"][0]["top_logprobs"] if told and told["content"] else []:
                assert abs(float(scores[one["id"]]) - one["logprob"]) < 2e-2, (length, one)
                compared += 1
    assert compared >= 12


def test_a_base_in_gguf_keeps_its_tokens_and_weights(tmp_path: Path):
    write_base(QUILL, tmp_path / "base.gguf", "quill")
    found = GGUFReader(tmp_path / "base.gguf")
    tensors = {tensor.name: tensor for tensor in found.tensors}
    embedding = load_file(QUILL / "model.safetensors")["model.embed_tokens.weight"]
    bits = tensors["token_embd.weight"].data.view(np.int16).reshape(embedding.shape)
    assert np.array_equal(bits, embedding.view(torch.int16).numpy())
    assert "rope_freqs.weight" in tensors and "output.weight" not in tensors
    fields = found.fields
    assert fields["tokenizer.ggml.eos_token_id"].contents() == 5
    assert fields["tokenizer.ggml.add_bos_token"].contents() is True
    assert fields["tokenizer.ggml.tokens"].contents()[5] == "<|eot_id|>"


def test_models_that_gguf_cannot_represent_are_refused_with_the_reason(model: Path, tmp_path: Path):
    with pytest.raises(
        EngineError, match="its family is 'gemma', and GGUF is written for llama, qwen2, qwen3"
    ):
        write_base(save_model(tmp_path / "gemma", "gemma"), tmp_path / "x.gguf", "x")
    with pytest.raises(EngineError, match="its family is 'gemma'"):
        export_gguf(model, tmp_path / "out", tmp_path / "gemma", None, with_base=False)
    scaled = save_model(tmp_path / "scaled", "llama")
    said = json.loads((scaled / "config.json").read_text())
    said["rope_parameters"] = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}
    (scaled / "config.json").write_text(json.dumps(said))
    with pytest.raises(EngineError, match="rotary positions are scaled by 'dynamic'"):
        write_base(scaled, tmp_path / "x.gguf", "x")
    assert not (tmp_path / "x.gguf").exists()
