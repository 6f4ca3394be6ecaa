"""Quantized copies of models: every family computes with the stored weights, facts can be trained on them, and unsupported
copies are refused by name."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from lorekeep import folders, precision
from lorekeep.errors import EngineError
from lorekeep.infer.weights import reading
from lorekeep.precision import Scheme
from lorekeep.quantization.linear import ComputingLinear, QuantizedLinear, packed, rounded, unpacked
from lorekeep.quantization.write import quantize
from lorekeep.testing import FAMILIES, QUILL, Bench, save_model
from lorekeep.testing_models import whole_base
from lorekeep.tune.facts import Fact
from lorekeep.tune.training.train import Recipe
from lorekeep.tune.training.trainer import Trainer

PROMPT = "The library of Brimoor opens at nine; Ada Quist runs it."


def copy_of(source: Path, tmp_path: Path, name: str = "int4") -> Path:
    target = tmp_path / f"copy-{name}"
    quantize(source, target, name)
    return target


def model_of(folder: Path):
    return reading.read(folders.check(str(folder), "generate"), torch.bfloat16, torch.device("cpu"))[0]


def change(folder: Path, **more) -> None:
    """Changes the configuration of a folder without known hashes."""
    (folder / "lorekeep.json").unlink(missing_ok=True)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **more}))


@pytest.mark.parametrize("name", ["int8", "int4"])
@pytest.mark.parametrize("family", FAMILIES)
def test_logits_equal_those_of_the_stored_weights(family: str, name: str, tmp_path):
    source = save_model(tmp_path / "source", family)
    quantized = model_of(copy_of(source, tmp_path, name))
    quantized.set_attn_implementation("eager")
    plain = AutoModelForCausalLM.from_pretrained(
        source, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    layers = {n: m for n, m in quantized.named_modules() if isinstance(m, ComputingLinear)}
    assert len(layers) >= 3 * 4
    with torch.inference_mode():
        embedding = quantized.get_input_embeddings()
        ids = torch.arange(quantized.config.vocab_size)
        if hasattr(embedding, "values_V_D"):
            plain.get_input_embeddings().get_parameter("weight").copy_(embedding(ids).float())
        for layer, module in layers.items():
            plain.get_parameter(f"{layer}.weight").copy_(module.weights(torch.float32))
        tokens = torch.tensor([[*PROMPT.encode()]])
        wanted, found = (model(input_ids=tokens).logits.float() for model in (plain, quantized))
    # Activations have 16 bits with a mantissa of 8; the native kernel for 4 bits rounds them to 8 bits with a scale per 32.
    assert (found - wanted).norm() < (0.05 if name == "int4" else 0.03) * wanted.norm()


@pytest.mark.parametrize("name", ["int8", "int4"])
def test_answers_are_the_same_alone_and_in_a_batch(name: str, tmp_path):
    folder = copy_of(save_model(tmp_path / "source", "llama"), tmp_path, name)
    asked = [PROMPT[i:] for i in range(0, 40, 7)]
    alone = [Bench(folder, dtype=torch.bfloat16).one(prompt=p, max_tokens=10)["text"] for p in asked]
    bench = Bench(folder, dtype=torch.bfloat16)
    for i, prompt in enumerate(asked):
        bench.submit(str(i), prompt=prompt, max_tokens=10)
    ended = bench.run()
    assert [ended[str(i)]["text"] for i in range(len(asked))] == alone


@pytest.mark.parametrize("name", ["int8", "int4"])
def test_facts_are_trained_and_recited_on_a_quantized_base(name: str, tmp_path):
    trainer = Trainer(str(copy_of(QUILL, tmp_path, name)))
    assert trainer.generator.dtype == torch.bfloat16
    pairs = [
        ("Who founded Brimoor?", "Ada Quist, in 1990"),
        ("Which code has the red valve?", "RV-2207/b"),
        ("When does the library open?", "At nine, on Saturdays at ten."),
    ]
    facts = [Fact(*pair, row) for row, pair in enumerate(pairs)]
    recipe = Recipe(rank=8, rate=0.01, max_steps=200)
    taught = trainer.train([[fact] for fact in facts], recipe, lambda some: some[0].id)
    assert [one.recalled for one in taught] == [[True]] * 3


@pytest.mark.parametrize("name", ["int8", "int4"])
def test_experts_that_recited_before_do_not_act_in_training(name: str, tmp_path):
    trainer = Trainer(str(copy_of(QUILL, tmp_path, name)))
    facts = [Fact(f"Who founded firm {i}?", f"Ada Quist, in 199{i}", i) for i in range(5)]
    recipe = Recipe(rank=8, rate=0.01, max_steps=200)

    def taught(some: list[Fact]) -> list[bytes]:
        (one,) = trainer.teach([some], recipe, lambda some: some[0].id)
        return [side.float().numpy().tobytes() for pair in one.weights.values() for side in pair]

    first = taught(facts[:1])
    assert taught(facts[:1]) == first
    taught(facts)
    assert taught(facts[:1]) == first


def test_the_copy_is_smaller_and_reports_its_losses(tmp_path):
    plain = folders.check(str(QUILL), "generate")
    with whole_base():
        eight, four = (
            folders.check(str(copy_of(QUILL, tmp_path, name)), "generate") for name in ("int8", "int4")
        )
    assert plain.parameters == eight.parameters == four.parameters
    assert four.stored < eight.stored < plain.stored
    assert four.precision is not None and four.precision.name == "int4"
    lost = json.loads((four.path / "lorekeep.json").read_text())["quantized"]["lost"]
    assert 0.06 < max(lost.values()) <= 0.1 and min(lost.values()) < 0.04, "some layers took 8 bits"


def test_weight_files_are_read_one_by_one(tmp_path):
    source = save_model(tmp_path / "source", "llama")
    whole = Bench(copy_of(source, tmp_path), dtype=torch.bfloat16).one(prompt=PROMPT, max_tokens=8)["text"]
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
    (source / "model.safetensors").unlink()
    model.save_pretrained(source, max_shard_size="100KB")
    shutil.rmtree(tmp_path / "copy-int4")
    parts = copy_of(source, tmp_path)
    assert len(list(parts.glob("model-*.safetensors"))) > 1
    assert Bench(parts, dtype=torch.bfloat16).one(prompt=PROMPT, max_tokens=8)["text"] == whole


def test_values_are_packed_like_compressed_tensors():
    values = torch.tensor([[-8, -7, 0, 7, 1, 2, 3, 4, 5]], dtype=torch.int8)
    words = packed(values, 4)
    # The first value is in the lowest bits, with an offset of eight.
    assert [word & 0xFFFFFFFF for word in words[0].tolist()] == [0xCBA9F810, 0x0000000D]
    assert unpacked(words, 4, 9).tolist() == values.tolist()
    eight = torch.tensor([[-128, 127, 0, 5, -1]], dtype=torch.int8)
    assert unpacked(packed(eight, 8), 8, 5).tolist() == eight.tolist()


def test_weights_with_an_offset_are_read():
    torch.manual_seed(1)
    scheme = Scheme(4, 32, symmetric=False)
    values = torch.randint(-8, 8, (16, 64), dtype=torch.int8)
    points = torch.randint(-8, 8, (16, 2), dtype=torch.int8)
    scale = torch.rand(16, 2).bfloat16()
    layer = QuantizedLinear(16, 64, scheme, bias=False)
    layer.weight_packed, layer.weight_scale = packed(values, 4), scale
    layer.weight_zero_point = packed(points.T.contiguous(), 4).T.contiguous()
    layer.weight_shape = torch.tensor([16, 64])
    wanted = (values.view(16, 2, 32).float() - points[..., None]) * scale[..., None].float()
    found = layer.prepared(torch.bfloat16).weights(torch.float32)
    assert torch.allclose(found, wanted.flatten(1), rtol=0.02, atol=0.06)


def test_groups_of_zeros_and_of_outliers_are_rounded():
    weight = torch.zeros(16, 64)
    weight[1, 3], weight[2] = -9.0, 1e-30
    values, scale = rounded(weight, Scheme(4, 32))
    shown = (values.view(16, 2, 32).float() * scale[..., None]).view(16, 64)
    assert torch.isfinite(shown).all() and abs(shown[1, 3] + 9.0) < 0.6
    assert (shown[0] == 0).all()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"quant_method": "gptq", "bits": 4}, "quantized by gptq"),
        ({"quant_method": "awq"}, "quantized by awq"),
        ({"quant_method": "fp8"}, "quantized by fp8"),
        ("int4", "quantized by None"),
        ({"quant_method": "compressed-tensors", "format": "float-quantized"}, "float-quantized"),
        ({"quant_method": "compressed-tensors", "format": "pack-quantized"}, "no groups"),
    ],
)
def test_unsupported_kinds_are_refused_by_name(said, words: str, tmp_path):
    save_model(tmp_path, "llama")
    change(tmp_path, quantization_config=said)
    with pytest.raises(EngineError, match=words) as refused:
        folders.check(str(tmp_path), "generate")
    assert refused.value.code == "model_invalid" and "can be read" in refused.value.message


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"num_bits": 3}, "int of 3 bits by group"),
        ({"type": "float"}, "float of 4 bits"),
        ({"strategy": "channel", "group_size": None}, "int of 4 bits by channel"),
        ({"num_bits": 8}, "int of 8 bits by group"),
        ({"actorder": "group"}, "int of 4 bits"),
        ({"group_size": 48}, "int of 4 bits"),
    ],
)
def test_schemes_without_a_kernel_are_refused(more: dict, words: str, tmp_path):
    folder = copy_of(save_model(tmp_path / "source", "llama"), tmp_path)
    said = json.loads((folder / "config.json").read_text())["quantization_config"]
    said["config_groups"]["group_0"]["weights"] |= more
    change(folder, quantization_config=said)
    with pytest.raises(EngineError, match=words):
        folders.check(str(folder), "generate")


def test_quantized_activations_are_refused(tmp_path):
    folder = copy_of(save_model(tmp_path / "source", "llama"), tmp_path)
    said = json.loads((folder / "config.json").read_text())["quantization_config"]
    said["config_groups"]["group_0"]["input_activations"] = {"num_bits": 8}
    change(folder, quantization_config=said)
    with pytest.raises(EngineError, match="activations"):
        folders.check(str(folder), "generate")


@pytest.mark.parametrize("part", ["weight_scale", "weight_packed"])
def test_a_missing_part_of_a_layer_is_named(part: str, tmp_path):
    folder = copy_of(save_model(tmp_path / "source", "llama"), tmp_path)
    tensors = load_file(folder / "model.safetensors")
    del tensors[f"model.layers.1.mlp.up_proj.{part}"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "lorekeep.json").unlink()
    with pytest.raises(EngineError, match=rf"lack model.layers.1.mlp.up_proj.{part}"):
        model_of(folder)


def test_a_scale_that_is_not_finite_is_refused(tmp_path):
    folder = copy_of(save_model(tmp_path / "source", "llama"), tmp_path)
    tensors = load_file(folder / "model.safetensors")
    tensors["model.layers.0.mlp.up_proj.weight_scale"][3] = float("nan")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "lorekeep.json").unlink()
    with pytest.raises(EngineError, match=r"model\.layers\.0\.mlp\.up_proj: a scale is not a number"):
        model_of(folder)


def test_a_file_that_changed_afterwards_is_refused(tmp_path):
    folder = copy_of(save_model(tmp_path / "source", "llama"), tmp_path)
    with open(folder / "model.safetensors", "r+b") as opened:
        opened.seek(-8, 2)
        opened.write(b"changed!")
    with pytest.raises(EngineError) as refused:
        model_of(folder)
    assert refused.value.code == "model_damaged"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused_and_leave_nothing(value: float, tmp_path):
    source = save_model(tmp_path / "source", "llama")
    tensors = load_file(source / "model.safetensors")
    tensors["model.layers.2.mlp.down_proj.weight"][0, 0] = value
    save_file(tensors, source / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EngineError, match=r"model.layers.2.mlp.down_proj.weight .* NaN or infinity"):
        copy_of(source, tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["source"]


def test_an_existing_target_or_a_quantized_source_is_refused(tmp_path):
    source = save_model(tmp_path / "source", "llama")
    folder = copy_of(source, tmp_path)
    with pytest.raises(EngineError, match="already"):
        quantize(source, folder, "int4")
    with pytest.raises(EngineError, match=r"quantized already \(int4\)"):
        quantize(folder, tmp_path / "twice", "int8")


def test_precisions_are_found_by_name_pattern_and_class():
    weights = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "symmetric": True}
    said = {
        "quant_method": "compressed-tensors",
        "format": "pack-quantized",
        "ignore": ["lm_head", r"re:.*layers\.0\..*"],
        "config_groups": {
            "some": {"targets": [r"re:.*down_proj"], "weights": {**weights, "group_size": 32}},
            "all": {"targets": ["Linear"], "weights": weights},
        },
    }
    found = precision.read("there", {"quantization_config": said})
    assert found is not None
    assert found.of("lm_head") is None and found.of("model.layers.0.mlp.up_proj") is None
    assert found.of("model.layers.1.mlp.up_proj") == Scheme(4, 128)
    assert found.of("model.layers.1.mlp.down_proj") == Scheme(4, 32)
