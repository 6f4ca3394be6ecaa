"""Damaged tuned models: a damaged file is refused by name, and a damaged expert never gives a wrong answer."""

import json
import os
import shutil
from pathlib import Path

import pytest

from lorekeep.errors import EngineError
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.tuned_test import FACTS, OTHER, TunedBench, folders
from lorekeep.testing import QUILL, Process, present

__all__ = ["folders"]  # a fixture


HARM = [
    (lambda path: _about(path, format=99), "model_invalid", "format"),
    (lambda path: [_cut(file) for file in (path / "experts").iterdir()], "model_damaged", "cannot be used"),
    (
        lambda path: [_flip(file) for file in (path / "experts").iterdir()],
        "model_damaged",
        "does not match its checksum",
    ),
    (
        lambda path: [_flip(file, 3) for file in (path / "experts").iterdir()],
        "model_damaged",
        "cannot be used",
    ),
    (lambda path: _cut(path / "facts.jsonl"), "model_damaged", "facts.jsonl does not match its checksum"),
    (lambda path: _flip(path / "facts.jsonl"), "model_damaged", "facts.jsonl does not match its checksum"),
    (
        lambda path: _flip(path / "keys.safetensors"),
        "model_damaged",
        "keys.safetensors does not match its checksum",
    ),
    (lambda path: _flip(path / "experts.json"), "model_damaged", "experts.json does not match its checksum"),
    (lambda path: (path / "keys.safetensors").unlink(), "model_damaged", "keys.safetensors cannot be read"),
    (
        lambda path: (path / "checksums.json").write_text("{"),
        "model_damaged",
        "checksums.json cannot be read",
    ),
    (lambda path: next((path / "experts").iterdir()).unlink(), "model_invalid", "missing"),
    (
        lambda path: _about(path, base={"path": str(QUILL), "fingerprint": "0"}),
        "model_invalid",
        "not the base",
    ),
    (lambda path: _about(path, base={"path": "/nowhere", "fingerprint": "0"}), "model_not_found", "/nowhere"),
]


@pytest.mark.parametrize("sums", ["of each expert", "of each file"])
def test_a_damaged_expert_is_never_served_whichever_bit_is_flipped(folders, tmp_path, sums: str):
    """Every expert is damaged, each in another place: before its first read, and after it was evicted from memory."""
    path = tmp_path / "model"
    shutil.copytree(folders[0], path)
    if sums == "of each file":  # the format of earlier versions
        places = json.loads((path / "experts.json").read_text())
        for place in places.values():
            del place["sum"]
        (path / "experts.json").write_text(json.dumps(places))
        memory_folder.write_checksums(path)
    bench = TunedBench(path)
    assert bench.said(prompt=FACTS[0]["input"])["text"] == FACTS[0]["output"]
    bench.models[0].experts_cache.experts.clear()
    bench.models[0].experts_cache.whole.clear()
    for file in (path / "experts").iterdir():
        content = bytearray(file.read_bytes())
        head = 8 + int.from_bytes(content[:8], "little")
        for at in range(head, len(content), 997):
            content[at] ^= 1 << (at % 8)
        file.write_bytes(content)
    for fact in FACTS:
        with pytest.raises(EngineError) as refused:
            bench.said(prompt=fact["input"], explain=True)
        assert refused.value.code == "model_damaged" and str(path) in refused.value.message
        assert "does not match its checksum" in refused.value.facts["reason"]
    said = bench.said(prompt="Hello!", max_tokens=8, explain=True)
    assert (
        said["memory"]["used"] is False
        and said["text"] == bench.said(None, prompt="Hello!", max_tokens=8)["text"]
    )


@pytest.mark.parametrize("scale", [0.0, -1.0, 0.6, 30.0])
def test_a_recital_that_deviates_from_its_fact_is_not_served(folders, scale: float):
    """If an expert changes in memory, the base answers instead, or a started stream ends with an error. The next request
    reads the expert again."""
    bench = TunedBench(folders[0])
    experts_cache = bench.models[0].experts_cache

    def spoil(fact: dict) -> None:
        bench.said(prompt=fact["input"])
        for expert in experts_cache.experts.values():
            for _, B in expert.weights.values():
                B *= scale
        acting = present(bench.generator.batch.acting)
        acting.stacked.clear()
        acting.rows = []

    wrong = 0
    for fact in FACTS[:3]:
        for request in (
            {},
            {"stream": True},
            {"output_type": {"answer": "str"}},
            {"temperature": 1.0, "seed": 3},
        ):
            spoil(fact)
            end = bench.said(prompt=fact["input"], explain=True, max_tokens=40, **request)
            if end["type"] == "error":
                wrong += 1
                assert request.get("stream") and end["code"] == "model_damaged"
                assert fact["output"].startswith("".join(bench.deltas()))
            elif not end["memory"]["used"]:
                wrong += 1
                assert end["memory"]["facts"][0]["input"] == fact["input"]
                told = {"max_tokens": 40, **{k: v for k, v in request.items() if k != "stream"}}
                assert end["text"] == bench.said(None, prompt=fact["input"], **told)["text"]
            else:
                text = json.loads(end["text"])["answer"] if "output_type" in request else end["text"]
                assert text == fact["output"]
            assert bench.said(prompt=fact["input"])["text"] == fact["output"]
    assert scale == 0.6 or wrong > 4


def test_a_damaged_model_is_refused_by_name_without_affecting_others(folders, tmp_path):
    engine = Process("--memory", "1000000000", "--cache", "50000000")
    for i, (harm, code, said) in enumerate(HARM):
        path = tmp_path / str(i)
        shutil.copytree(folders[1], path)
        harm(path)
        engine.send({"type": "generate", "id": "1", "model": str(path), "prompt": OTHER[0]["input"]})
        error = engine.next("error", "end")
        assert error["type"] == "error", said
        assert error["code"] == code and said in error["message"], error
    engine.send({"type": "generate", "id": "2", "model": str(folders[1]), "prompt": OTHER[0]["input"]})
    assert engine.next("error", "end")["text"] == "Nobody at all"
    assert engine.close() == 0


def _about(path: Path, **change) -> None:
    said = json.loads((path / "memory.json").read_text())
    (path / "memory.json").write_text(json.dumps({**said, **change}))
    memory_folder.write_checksums(path)


def _flip(file: Path, at: int | None = None) -> None:
    """Flips one bit, in the middle of the file or at a byte offset."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2 if at is None else at] ^= 0x40
    file.unlink()  # copies may be links
    file.write_bytes(content)


def _cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)
