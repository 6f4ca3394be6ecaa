"""Invalid model folders: each is refused with its reason, and no code in them is executed."""

import json
import pickle

import pytest

from lorekeep import folders
from lorekeep.errors import EngineError
from lorekeep.testing import Bench, save_model


@pytest.fixture
def folder(tmp_path):
    return save_model(tmp_path, "llama")


def reason(folder) -> str:
    with pytest.raises(EngineError) as caught:
        Bench(folder)
    assert caught.value.code == "model_invalid" and str(folder) in caught.value.message
    return caught.value.message


class Trap:
    def __reduce__(self):
        return (open, ("/tmp/lorekeep-was-run", "w"))


def test_a_pickle_file_is_refused_and_never_opened(folder, tmp_path):
    (folder / "model.safetensors").unlink()
    for name in ("pytorch_model.bin", "model.pt"):
        (folder / name).write_bytes(pickle.dumps(Trap()))
        assert "pickle" in reason(folder) and name in reason(folder)
        (folder / name).unlink()
    (folder / "model.safetensors").write_bytes(pickle.dumps(Trap()))
    assert "cannot be read" in reason(folder)


def test_missing_files_are_named(folder):
    (folder / "tokenizer.json").rename(folder / "aside")
    assert "tokenizer.json" in reason(folder)
    (folder / "aside").rename(folder / "tokenizer.json")
    (folder / "model.safetensors").rename(folder / "aside")
    assert "model.safetensors" in reason(folder)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "model-1.safetensors", "b": "../../etc/passwd"}}))
    assert "model-1.safetensors" in reason(folder) and "passwd" in reason(folder)
    (folder / "config.json").unlink()
    assert "config.json" in reason(folder)


def test_a_truncated_file_is_refused(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    assert "copied completely" in reason(folder)


def test_weights_that_contradict_the_configuration_are_refused(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 4}))
    assert "layers.3" in reason(folder)
    (folder / "config.json").write_text(json.dumps({**config, "intermediate_size": 128}))
    assert reason(folder)


@pytest.mark.parametrize("config", ["[]", "{", "{}", '{"model_type": "gpt2"}', '{"model_type": ["llama"]}'])
def test_an_unsupported_configuration_is_refused(folder, config: str):
    (folder / "config.json").write_text(config)
    assert reason(folder)


def test_code_in_a_folder_is_not_executed(folder):
    config = json.loads((folder / "config.json").read_text())
    auto = {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}
    (folder / "config.json").write_text(json.dumps({**config, "auto_map": auto}))
    (folder / "evil.py").write_text("raise SystemExit('was run')")
    assert Bench(folder).one(prompt="x", max_tokens=2)["type"] == "end"


def test_a_dynamic_rope_scaling_limits_the_context_to_its_constant_range():
    config = {
        "max_position_embeddings": 131072,
        "rope_scaling": {"type": "longrope", "original_max_position_embeddings": 4096},
    }
    assert folders.context(config) == 4096
    assert (
        folders.context({"max_position_embeddings": 131072, "rope_parameters": {"rope_type": "llama3"}})
        == 131072
    )
