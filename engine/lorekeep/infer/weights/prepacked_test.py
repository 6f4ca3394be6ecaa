"""Prepacked copies: processes compute the same bits as without a copy, even if it is damaged or outdated, and share its
pages. Whole blocks of prompts, computed with dequantized weights, have the same bits in any batch."""

import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from lorekeep import folders
from lorekeep.errors import EngineError
from lorekeep.infer.cache import BLOCK
from lorekeep.infer.weights import prepacked, reading
from lorekeep.infer.weights.packed_linear import OneDnnLinear, can_be_mapped
from lorekeep.quantization.linear import ComputingLinear, Int4Linear, Int8Linear, NativeInt4Linear
from lorekeep.quantization.write import quantize
from lorekeep.testing import SOME_FAMILIES, Bench, save_model
from lorekeep.tune.training.trunk import Row, Trunk

PROMPT = "The library of Brimoor opens at nine; Ada Quist runs it. " * 4
needs_mapping = pytest.mark.skipif(not can_be_mapped(), reason="this processor has no kernels for 16 bits")
FORMS = [*("int4", "int8"), pytest.param("none", marks=needs_mapping)]


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A folder in a precision, prepacked regardless of its size."""
    monkeypatch.setattr(prepacked, "MIN_PARAMETERS", 0)

    def make(form: str, family: str = "llama", **config) -> Path:
        source = save_model(tmp_path / family, family, dtype=torch.bfloat16, **config)
        if form != "none":
            quantize(source, tmp_path / form, form)
        return source if form == "none" else tmp_path / form

    return make


def model_of(folder: Path):
    return reading.read(folders.check(str(folder), "generate"), torch.bfloat16, torch.device("cpu"))[0]


def answer(folder: Path) -> dict:
    return Bench(folder, dtype=torch.bfloat16).one(prompt=PROMPT, max_tokens=6, logprobs=1)


def copies(folder: Path) -> list[Path]:
    return [one for one in (folder / ".prepacked").iterdir() if one.is_dir()]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("family", SOME_FAMILIES)
def test_a_copy_computes_the_same_bits_as_the_folder_itself(form: str, family: str, copied, monkeypatch):
    folder = copied(form, family, tie_word_embeddings=family == "gemma2")
    with monkeypatch.context() as without:
        without.setattr(prepacked, "is_for", lambda *_: False)
        wanted = answer(folder)
    assert not (folder / ".prepacked").exists()
    first, again = answer(folder), answer(folder)
    assert len(copies(folder)) == 1
    assert [(one["text"], one["logprobs"]) for one in (first, again)] == [
        (wanted["text"], wanted["logprobs"])
    ] * 2


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_memory_mapped_from_the_file(form: str, copied):
    model = model_of(copied(form))
    (weights,) = [f"{one}/model.safetensors" for one in copies(copied_folder(model))]
    areas = [
        line.split() for line in Path("/proc/self/maps").read_text().splitlines() if line.endswith(weights)
    ]
    ranges = [tuple(int(end, 16) for end in area[0].split("-")) for area in areas]
    kinds = {Int8Linear: "values_O_D", Int4Linear: "packed", NativeInt4Linear: "packed", OneDnnLinear: "raw"}
    found = [one.get_buffer(kinds[type(one)]) for one in model.modules() if type(one) in kinds]
    assert len(found) >= 3 * 7
    assert all(any(low <= one.data_ptr() < high for low, high in ranges) for one in found)


def copied_folder(model) -> Path:
    return model.prepacked.parent.parent


def test_a_damaged_copy_is_replaced(copied):
    folder = copied("int4")
    wanted = answer(folder)["text"]
    (copy,) = copies(folder)
    size = (copy / "model.safetensors").stat().st_size
    for damage in (b"damaged!", b""):
        with open(copy / "model.safetensors", "r+b") as file:
            file.truncate(size // 2) if damage == b"" else file.seek(size // 2)
            file.write(damage)
        assert answer(folder)["text"] == wanted
        assert (copy / "model.safetensors").stat().st_size == size
    (copy / "prepacked.json").write_text("{")
    assert answer(folder)["text"] == wanted


def test_a_changed_model_gets_a_new_copy_and_the_old_one_is_removed(copied):
    folder = copied("int8")
    (folder / "lorekeep.json").unlink()
    before = answer(folder)
    (old,) = copies(folder)
    tensors = load_file(folder / "model.safetensors")
    tensors["model.norm.weight"] *= 1.5
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    assert answer(folder)["logprobs"] != before["logprobs"]
    (new,) = copies(folder)
    assert new != old


def test_a_changed_file_with_a_known_hash_is_refused_despite_a_copy(copied):
    folder = copied("int4")
    answer(folder)
    with open(folder / "model.safetensors", "r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(b"changed!")
    with pytest.raises(EngineError) as refused:
        model_of(folder)
    assert refused.value.code == "model_damaged"


@pytest.mark.parametrize("reason", ["no room", "no folder"])
def test_without_space_for_a_copy_the_weights_are_private_to_the_process(reason: str, copied, monkeypatch):
    folder = copied("int4")
    wanted = answer(folder)["text"]
    for one in copies(folder):
        (one / "prepacked.json").unlink()
    if reason == "no room":
        monkeypatch.setattr(prepacked, "_MIN_FREE_DISK", 1 << 60)
    else:
        for one in copies(folder):
            for file in one.iterdir():
                file.unlink()
            one.rmdir()
        (folder / ".prepacked/lock").unlink()
        (folder / ".prepacked").rmdir()
        (folder / ".prepacked").write_text("a file where the folder would be")
    assert not hasattr(model_of(folder), "prepacked")
    assert answer(folder)["text"] == wanted


@needs_mapping
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_plain_weights_that_are_not_finite_are_refused_by_name(value: float, copied):
    folder = copied("none")
    tensors = load_file(folder / "model.safetensors")
    tensors["model.layers.1.mlp.up_proj.weight"][3, 4] = value
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(EngineError, match=r"layers\.1\.mlp\.up_proj\.weight holds NaN or infinity"):
        model_of(folder)
    assert not (folder / ".prepacked").exists() or copies(folder) == []


@pytest.mark.parametrize("form", ["int4", "int8"])
def test_blocks_of_prompts_have_the_same_bits_alone_together_and_shared(form: str, copied):
    folder = copied(form, hidden_size=64, intermediate_size=192)
    long = [PROMPT[i:] for i in (0, 1, 2)]
    alone = [Bench(folder, dtype=torch.bfloat16).one(prompt=p, max_tokens=4, logprobs=1) for p in long]
    bench = Bench(folder, dtype=torch.bfloat16)
    assert bench.generator.leading is not None, "its layers write their weights out"
    for number, prompt in enumerate([*long, *long]):
        bench.submit(str(number), prompt=prompt, max_tokens=4, logprobs=1)
    ended = bench.run()
    shared = bench.one(prompt=long[0], max_tokens=4, logprobs=1)
    assert shared["usage"]["cached_tokens"] >= BLOCK
    for number in range(6):
        assert ended[str(number)]["logprobs"] == alone[number % 3]["logprobs"]
    assert shared["logprobs"] == alone[0]["logprobs"]


def test_facts_with_long_questions_have_the_same_states_alone_and_together(copied):
    bench = Bench(copied("int4"), dtype=torch.bfloat16)
    rows = [
        Row(tuple(range(20 + n, 20 + n + size)), (7, 8, 1)) for n, size in enumerate((5, 64, 150, 128, 90))
    ]
    trunk = Trunk(bench.generator.model, bench.generator.leading)
    together, alone = trunk.read(rows), [trunk.read([row])[0] for row in rows]
    for one, other in zip(together, alone, strict=True):
        assert torch.equal(one.state_N_D, other.state_N_D) and torch.equal(one.heard_N_D, other.heard_N_D)


@pytest.mark.parametrize("rows", [16, 64, 144, 320])
@pytest.mark.parametrize("kind", ["int4", "int8"])
def test_products_with_dequantized_weights_equal_those_of_the_kernel(kind: str, rows: int):
    torch.manual_seed(rows)
    values = torch.randint(-8, 8, (rows, 128), dtype=torch.int8)
    scale = torch.rand(rows, 4) * 0.1 + 0.01
    layer: ComputingLinear = (
        Int4Linear(values, scale, scale * 0.5, 32, None, torch.bfloat16)
        if kind == "int4"
        else Int8Linear(values, scale[:, 0].bfloat16(), None)
    )
    x = torch.randn(BLOCK, 128, dtype=torch.bfloat16)
    wanted = x.float() @ layer.weights(torch.float32).T
    for found in (layer.product(x), layer.written_out(x)):
        assert (found.float() - wanted).norm() < 0.01 * wanted.norm()
    numbers = torch.tensor([[0, 3], [rows - 1, 3]])
    assert torch.equal(layer.rows(numbers, torch.float32), layer.weights(torch.float32)[numbers])
