"""Exports: PEFT loads the adapters and says what we say, logit for logit; a folder goes to another installation and comes back whole."""

import json
import sys
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from lorekeep.errors import EngineError
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.export import bring_in, export, export_peft
from lorekeep.memory.shelf import Shelf
from lorekeep.testing import QUILL, make_job, save_model, some_facts
from lorekeep.tune import job
from lorekeep.tune.facts import Fact
from lorekeep.tune.workshop import Workshop


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = make_job(tmp_path_factory.mktemp("export") / "job", some_facts(6))
    assert job.run(folder) == 0
    return folder / "model"


def peft_model():
    """PEFT is no part of the engine: the bench's own copy is borrowed."""
    sys.path.insert(0, str(QUILL.parents[1] / "bench" / "memory"))
    from peers import packages

    packages.bring()
    from peft import PeftModel

    return PeftModel


def test_peft_loads_every_adapter_and_has_our_logits(model: Path, tmp_path):
    PeftModel = peft_model()
    export_peft(model, tmp_path / "peft", AutoTokenizer.from_pretrained(QUILL))
    memory_folder_of = json.loads((tmp_path / "peft/adapters.json").read_text())["adapters"]
    memory, workshop, shelf = memory_folder.read(model), Workshop(str(QUILL)), Shelf(1 << 30)
    assert sorted(memory_folder_of) == sorted(memory.experts)
    for i, fact in enumerate(memory.facts):
        plain = AutoModelForCausalLM.from_pretrained(QUILL, dtype=torch.float32)
        peft = PeftModel.from_pretrained(plain, tmp_path / "peft" / fact["expert"]).eval()
        row = workshop.row(Fact(fact["input"], fact["output"], 0))
        tokens = (row.prompt + row.answer)[:-1]
        with torch.no_grad():
            theirs = peft(input_ids=torch.tensor([tokens])).logits[0, len(row.prompt) - 1 :]
            (reading,) = workshop.trunk.read([row])
            expert = shelf.take(*memory.place(i))
            workshop.top.forget_constants()
            workshop.top.head.use(None)
            workshop.top.use(
                {name: (A.float()[None], B.float()[None]) for name, (A, B) in expert.weights.items()}
            )
            ours = workshop.top(reading.state_N_D, reading.heard_N_D)
        assert torch.allclose(ours, theirs, atol=2e-4), (ours - theirs).abs().max()
        assert theirs.argmax(-1).tolist() == list(row.answer)


def test_an_exported_folder_names_no_place_and_is_taken_in_whole(model: Path, tmp_path):
    export(model, tmp_path / "out")
    assert str(QUILL.parent) not in (tmp_path / "out/memory.json").read_text()
    bring_in(tmp_path / "out", tmp_path / "in", str(QUILL))
    assert memory_folder.read(tmp_path / "in").facts == memory_folder.read(model).facts
    memory_folder.verify(tmp_path / "in")
    with pytest.raises(EngineError, match="there already"):
        bring_in(tmp_path / "out", tmp_path / "in", str(QUILL))
    with pytest.raises(EngineError, match="not the base"):
        bring_in(tmp_path / "out", tmp_path / "other", str(save_model(tmp_path / "base", "llama")))
    file = next((tmp_path / "out/experts").iterdir())
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(EngineError, match="not what was written"):
        bring_in(tmp_path / "out", tmp_path / "third", str(QUILL))
    (tmp_path / "out/experts/more.bin").write_text("x")
    with pytest.raises(EngineError, match="no file of it"):
        bring_in(tmp_path / "out", tmp_path / "fourth", str(QUILL))
    assert not (tmp_path / "third").exists()
