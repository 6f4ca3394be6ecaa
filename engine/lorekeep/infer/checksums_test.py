"""A base whose files have changed is never loaded."""

import shutil

import pytest

from lorekeep.errors import EngineError
from lorekeep.infer import checksums
from lorekeep.testing import QUILL, Process


@pytest.mark.parametrize("at", [0, 1000, -1])
@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_one_changed_bit_of_a_base_is_detected(tmp_path, name: str, at: int):
    folder = tmp_path / "quill"
    shutil.copytree(QUILL, folder)
    checksums.refuse_damaged(folder)
    content = bytearray((folder / name).read_bytes())
    content[at] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(EngineError, match=f"quill is damaged: {name} does not match its checksum"):
        checksums.refuse_damaged(folder)


def test_a_damaged_base_is_refused_by_name_and_one_without_hashes_is_accepted(tmp_path):
    folder = tmp_path / "quill"
    shutil.copytree(QUILL, folder)
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[len(content) // 2] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    engine = Process("--memory", "1000000000", "--cache", "50000000")
    ask = {"type": "generate", "id": "1", "model": str(folder), "prompt": "Hello", "max_tokens": 2}
    engine.send(ask)
    error = engine.next("error", "end")
    assert (error["type"], error["code"]) == ("error", "model_damaged")
    assert error["facts"]["reason"] == "model.safetensors does not match its checksum"
    (folder / "lorekeep.json").unlink()
    engine.send(ask)
    assert engine.next("error", "end")["type"] == "end"
    assert engine.close() == 0
