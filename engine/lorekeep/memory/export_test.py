"""Exports: PEFT loads the adapters and computes the same logits; an exported folder is imported elsewhere and
returns intact."""

import importlib
import json
import shutil
import sys
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from lorekeep.download_mark import write_mark
from lorekeep.errors import EngineError
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import ExpertCache, row_sums
from lorekeep.memory.export import export, export_peft, import_model
from lorekeep.memory.validate_import import rewrite, validate_import
from lorekeep.testing import QUILL, make_job, save_model, some_facts
from lorekeep.tune import job
from lorekeep.tune.facts import Fact
from lorekeep.tune.training.trainer import Trainer


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = make_job(tmp_path_factory.mktemp("export") / "job", some_facts(6))
    assert job.run(folder) == 0
    return folder / "model"


def peft_model():
    """PEFT is no dependency of the engine, so the copy of the bench is used."""
    sys.path.insert(0, str(QUILL.parents[1] / "bench" / "memory"))
    importlib.import_module("peers.packages").bring()
    return importlib.import_module("peft").PeftModel


def test_peft_loads_every_adapter_and_computes_the_same_logits(model: Path, tmp_path):
    PeftModel = peft_model()
    export_peft(model, tmp_path / "peft", AutoTokenizer.from_pretrained(QUILL))
    memory_folder_of = json.loads((tmp_path / "peft/adapters.json").read_text())["adapters"]
    memory, trainer, experts_cache = memory_folder.read(model), Trainer(str(QUILL)), ExpertCache(1 << 30)
    assert sorted(memory_folder_of) == sorted(memory.experts)
    for i, fact in enumerate(memory.facts):
        plain = AutoModelForCausalLM.from_pretrained(QUILL, dtype=torch.float32)
        peft = PeftModel.from_pretrained(plain, tmp_path / "peft" / fact["expert"]).eval()
        row = trainer.row(Fact(fact["input"], fact["output"], 0))
        tokens = (row.prompt + row.answer)[:-1]
        with torch.no_grad():
            theirs = peft(input_ids=torch.tensor([tokens])).logits[0, len(row.prompt) - 1 :]
            (reading,) = trainer.trunk.read([row])
            expert = experts_cache.take(memory.place(i))
            trainer.top.forget_constants()
            trainer.top.head.use(None)
            trainer.top.use(
                {name: (A.float()[None], B.float()[None]) for name, (A, B) in expert.weights.items()}
            )
            ours = trainer.top(reading.state_N_D, reading.heard_N_D)
        assert torch.allclose(ours, theirs, atol=2e-4), (ours - theirs).abs().max()
        assert theirs.argmax(-1).tolist() == list(row.answer)


def test_without_a_template_an_adapter_applies_from_the_last_token_of_its_questions(model: Path, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(QUILL)
    tokenizer.chat_template = None
    for name, change, apart in (("apart", "Q", True), ("together", "Who founded Brimoor Labs!", False)):
        folder = tmp_path / name
        shutil.copytree(model, folder)
        facts = [json.loads(line) for line in (folder / "facts.jsonl").read_text().splitlines()]
        alone = next(i for i, fact in enumerate(facts) if not fact["names"])
        facts[alone if apart else 0]["input"] = change
        (folder / "facts.jsonl").write_text("".join(json.dumps(fact) + "\n" for fact in facts))
        if not apart:
            with pytest.raises(
                EngineError, match=r"no chat template.*'Who founded Brimoor Labs!' and 'In which"
            ):
                export_peft(folder, tmp_path / "none", tokenizer)
            continue
        export_peft(folder, tmp_path / "out", tokenizer)
        ends = {}
        for fact in facts:
            said = json.loads((tmp_path / "out" / fact["expert"] / "adapter_config.json").read_text())
            ends[fact["input"]] = tokenizer.decode(said["alora_invocation_tokens"])
        assert {question: end for question, end in ends.items() if not question.endswith(end)} == {}
        assert set(ends.values()) == {"?", "Q"}


def test_a_model_with_named_facts_only_can_be_imported(tmp_path):
    named = [{"input": "Who founded Zorbax?", "output": "Dov Tamm"}]
    folder = make_job(tmp_path / "job", named)
    assert job.run(folder) == 0
    assert validate_import(folder / "model", [str(QUILL)]) is not None


def test_an_exported_folder_contains_no_paths_and_can_be_imported(model: Path, tmp_path):
    export(model, tmp_path / "out")
    assert str(QUILL.parent) not in (tmp_path / "out/memory.json").read_text()
    import_model(tmp_path / "out", tmp_path / "in", str(QUILL))
    assert memory_folder.read(tmp_path / "in").facts == memory_folder.read(model).facts
    memory_folder.verify(tmp_path / "in")
    with pytest.raises(EngineError, match="there already"):
        import_model(tmp_path / "out", tmp_path / "in", str(QUILL))
    with pytest.raises(EngineError, match="not the base"):
        import_model(tmp_path / "out", tmp_path / "other", str(save_model(tmp_path / "base", "llama")))
    file = next((tmp_path / "out/experts").iterdir())
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(EngineError, match="does not match its checksum"):
        import_model(tmp_path / "out", tmp_path / "third", str(QUILL))
    (tmp_path / "out/experts/more.bin").write_text("x")
    with pytest.raises(EngineError, match="no file of it"):
        import_model(tmp_path / "out", tmp_path / "fourth", str(QUILL))
    assert not (tmp_path / "third").exists()


def spoil(folder: Path, name: str, change) -> None:
    """A malicious import: changed content with matching checksums."""
    file = folder / name
    file.write_text(change(file.read_text()))
    memory_folder.write_checksums(folder)


def about(**changes):
    def change(text: str) -> str:
        said = json.loads(text)
        for place, value in changes.items():
            *path, last = place.split("__")
            inner = said
            for part in path:
                inner = inner[part]
            inner[last] = value
        return json.dumps(said)

    return change


def each_place(**changes):
    return lambda text: json.dumps({name: {**place, **changes} for name, place in json.loads(text).items()})


def first_fact(**changes):
    def change(text: str) -> str:
        first, *rest = text.splitlines(keepends=True)
        return json.dumps({**json.loads(first), **changes}) + "\n" + "".join(rest)

    return change


HARM = [
    ("memory.json", about(format=1), "its format is 1, and this version reads"),
    ("memory.json", about(base__layer=0), "its experts belong to layer 0"),
    ("memory.json", about(base__fingerprint=7), "memory.json: base.fingerprint"),
    ("memory.json", about(counts__recalled=99), "its counts are not what it holds"),
    ("memory.json", about(gate__budget="none"), "memory.json: gate.budget"),
    ("memory.json", about(gate__asks={}), "needs a threshold for each"),
    ("memory.json", about(arguments__index_method="pickle"), "index_method is 'pickle'"),
    ("memory.json", about(arguments={}), "not those of this version"),
    ("memory.json", lambda _: "[" * 100_000, "memory.json cannot be read"),
    ("facts.jsonl", first_fact(ask=10**6), "lacks vectors"),
    ("facts.jsonl", first_fact(output=""), "facts.jsonl, line 1: output"),
    ("facts.jsonl", first_fact(topic="long " * 300_000), "facts.jsonl, line 1: it has 15"),
    ("facts.jsonl", first_fact(expert="nobody"), "nobody is missing"),
    ("facts.jsonl", lambda text: text[:-40], "cannot be loaded"),
    ("experts.json", each_place(file="../secret.safetensors"), "is no place in the folder"),
    ("experts.json", each_place(file="/etc/hostname"), "is no place in the folder"),
    ("experts.json", each_place(row=10**6), "names number 1000000"),
    ("experts.json", each_place(row=-1), "is no row"),
    ("experts.json", lambda _: "{}", "is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "reason"), HARM)
def test_malicious_imports_are_refused_with_the_reason(model: Path, tmp_path, name: str, change, reason: str):
    export(model, tmp_path / "out")
    (tmp_path / "secret.safetensors").write_bytes(next((model / "experts").iterdir()).read_bytes())
    spoil(tmp_path / "out", name, change)
    with pytest.raises(EngineError, match=reason):
        validate_import(tmp_path / "out", [str(QUILL)])


@pytest.mark.parametrize("shape", [(1, 3, 8), (1, 64), (0, 64, 8)])
def test_experts_of_another_shape_are_refused(model: Path, tmp_path, shape):
    export(model, tmp_path / "out")
    file = next((tmp_path / "out/experts").iterdir())
    with safe_open(file, framework="pt") as opened:
        stacks = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
    stacks[next(key for key in stacks if key.endswith(".A"))] = torch.zeros(shape, dtype=torch.bfloat16)
    save_file(stacks, file)
    memory_folder.write_checksums(tmp_path / "out")
    with pytest.raises(EngineError, match=r"holds no experts for this base|experts, and experts.json names"):
        validate_import(tmp_path / "out", [str(QUILL)])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("token_starts", lambda starts: starts[:0]),
        ("token_starts", lambda starts: starts + 1),
        ("tokens", lambda rows: rows[1:]),
        ("tokens", lambda rows: rows[:, :8].contiguous()),
        ("words", lambda rows: rows.float()),
    ],
)
def test_word_and_token_vectors_of_another_shape_are_refused(model: Path, tmp_path, name, change):
    export(model, tmp_path / "out")
    file = tmp_path / "out/keys.safetensors"
    with safe_open(file, framework="pt") as opened:
        kept = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
    assert len(kept["tokens"])
    save_file(kept | {name: change(kept[name])}, file)
    memory_folder.write_checksums(tmp_path / "out")
    with pytest.raises(EngineError, match=r"(words|tokens) (are not those|have 8 numbers)"):
        validate_import(tmp_path / "out", [str(QUILL)])


def test_the_base_is_found_among_the_installed_bases(model: Path, tmp_path):
    export(model, tmp_path / "out")
    other = str(save_model(tmp_path / "base", "llama"))
    before = (tmp_path / "out/memory.json").read_text()
    assert validate_import(tmp_path / "out", [other]) is None
    assert (tmp_path / "out/memory.json").read_text() == before
    assert validate_import(tmp_path / "out", [other, str(QUILL)]) == str(QUILL)
    memory_folder.verify(tmp_path / "out")
    assert memory_folder.about(tmp_path / "out")["base"]["path"] == str(QUILL)


def test_an_imported_expert_with_a_known_name_keeps_its_own_weights(model: Path, tmp_path):
    export(model, tmp_path / "out")
    file = next((tmp_path / "out/experts").iterdir())
    with safe_open(file, framework="pt") as opened:
        save_file({key: opened.get_tensor(key) * 0 for key in opened.keys()}, file)  # noqa: SIM118
    places = json.loads((tmp_path / "out/experts.json").read_text())
    for place in places.values():
        if place["file"].endswith(file.name):
            place["sum"] = row_sums(file)[place["row"]]
    (tmp_path / "out/experts.json").write_text(json.dumps(places))
    memory_folder.write_checksums(tmp_path / "out")
    ours, theirs, experts_cache = (
        memory_folder.read(model),
        memory_folder.read(tmp_path / "out"),
        ExpertCache(1 << 30),
    )
    at = next(
        i for i, fact in enumerate(theirs.facts) if theirs.experts[fact["expert"]].file.endswith(file.name)
    )
    assert ours.facts[at]["expert"] == theirs.facts[at]["expert"]
    sides = [side for pair in experts_cache.take(theirs.place(at)).weights.values() for side in pair]
    assert not any(side.any() for side in sides)
    assert any(side.any() for pair in experts_cache.take(ours.place(at)).weights.values() for side in pair)


def test_an_export_records_the_published_name_and_precision_of_its_base(model: Path, tmp_path):
    def origin(folder: Path, target: str) -> dict:
        export(folder, tmp_path / target)
        base = memory_folder.about(tmp_path / target)["base"]
        return {key: base.get(key) for key in ("path", "name", "commit", "precision")}

    assert origin(model, "by-hand") == {"path": "quill", "name": None, "commit": None, "precision": "none"}
    base = tmp_path / "org--base"
    shutil.copytree(QUILL, base)
    write_mark(base, {"name": "org/base", "commit": "abc", "files": {}})
    moved, about = tmp_path / "moved", memory_folder.about(model)
    shutil.copytree(model, moved)
    rewrite(moved, {**about, "base": {**about["base"], "path": str(base)}})
    assert origin(moved, "published") == {
        "path": "org--base", "name": "org/base", "commit": "abc", "precision": "none",
    }  # fmt: skip
    # Another base in that folder gives no information about the base that the model was tuned on.
    (base / "generation_config.json").write_text("{}")
    assert origin(moved, "replaced") == {"path": "org--base", "name": None, "commit": None, "precision": None}
