"""Moving a model to another precision of its base: experts that recite there are taken over with the same bits, other facts are taught
again. Moves can be killed, divided among workers, changed and reverted. Nothing is taken over to an unrelated base."""

import json
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file
from transformers import AutoConfig

from lorekeep.memory import compatibility
from lorekeep.memory import folder as memory_folder
from lorekeep.memory.expert_cache import row_sums
from lorekeep.memory.validate_import import validate_import
from lorekeep.quantization.write import quantize
from lorekeep.testing import QUILL, bytes_of, events_of, save_model, some_facts
from lorekeep.testing import make_job as _make_job
from lorekeep.tune import job, rebuild, worker
from lorekeep.tune.dry_run import dry_run
from lorekeep.tune.plan import Plan
from lorekeep.tune.reuse_test import experts_of, planned

FACTS = some_facts(12)


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> dict[str, Path]:
    """The shipped base in 8 bits, a model on the base, and the same moved to 8 bits."""
    root = tmp_path_factory.mktemp("moved")
    quantize(QUILL, root / "int8", "int8")
    model = made(root / "first", FACTS)
    moved = made(root / "moved", FACTS, base=root / "int8", reuse=[model])
    return {"int8": root / "int8", "model": model, "moved": moved}


def make_job(
    folder: Path, facts: list[dict], base: Path = QUILL, reuse: list[Path] | None = None, **more
) -> Path:
    return _make_job(folder, facts, base=str(base), reuse=[str(path) for path in reuse or []], **more)


def made(folder: Path, facts: list[dict], **spec) -> Path:
    make_job(folder, facts, **spec)
    assert job.run(folder) == 0, events_of(folder)[-1]
    return folder / "model"


def end_of(model: Path) -> dict:
    return events_of(model.parent)[-1]


def taught_on(model: Path) -> dict[str, str | None]:
    return {name: place.taught_on for name, place in memory_folder.read(model).experts.items()}


def with_silent_expert(model: Path, target: Path) -> list[str]:
    """Copies a model with one zeroed expert, which recites nothing. Returns the questions of its facts."""
    shutil.copytree(model, target)
    memory = memory_folder.read(target)
    name = memory.facts[0]["expert"]
    place = memory.experts[name]
    sides = {key: tensor.clone() for key, tensor in load_file(target / place.file).items()}
    for key, tensor in sides.items():
        if key.endswith(".B"):
            tensor[place.row] = 0
    (target / place.file).unlink()  # a hard link to the file of the job
    save_file(sides, target / place.file)
    said = json.loads((target / "experts.json").read_text())
    said[name]["sum"] = row_sums(target / place.file)[place.row]
    (target / "experts.json").write_text(json.dumps(said))
    memory_folder.write_checksums(target)
    return [fact["input"] for fact in memory.facts if fact["expert"] == name]


def test_experts_that_recite_are_taken_over_bit_for_bit(places):
    end, before, after = end_of(places["moved"]), experts_of(places["model"]), experts_of(places["moved"])
    taken, again = end["move"]["facts_taken_over"], end["move"]["facts_taught_again"]
    assert (end["state"], end["facts_recalled"], taken + again) == ("COMPLETED", 12, 12)
    kept = [name for name, base in taught_on(places["moved"]).items() if base is not None]
    assert taken > 0 and end["experts_reused"] == len(kept)
    assert all(after[name] in before.values() for name in kept)
    assert not any(after[name] in before.values() for name in after.keys() - {*kept})
    assert set(taught_on(places["moved"]).values()) <= {memory_folder.fingerprint(QUILL), None}
    about = memory_folder.about(places["moved"])["base"]
    assert (
        about["fingerprint"] == memory_folder.fingerprint(places["int8"]) != memory_folder.fingerprint(QUILL)
    )
    assert json.loads((places["moved"] / "report.json").read_text())["move"] == end["move"]
    assert f"{taken} were taken over" in (places["moved"] / "report.md").read_text()


def test_facts_of_an_expert_that_does_not_recite_are_taught_again(places, tmp_path):
    silent = with_silent_expert(places["model"], tmp_path / "silent")
    model = made(tmp_path / "job", FACTS, base=places["int8"], reuse=[tmp_path / "silent"])
    end, memory = end_of(model), memory_folder.read(model)
    assert end["state"] == "COMPLETED" and end["move"]["facts_taught_again"] >= len(silent) > 0
    assert sum(end["move"].values()) == 12
    for fact in memory.facts:
        if fact["input"] in silent:
            assert fact["recalled"] and memory.experts[fact["expert"]].taught_on is None


def test_a_stopped_job_with_a_helper_makes_the_same_model(places, tmp_path, monkeypatch):
    source = tmp_path / "source"
    shutil.copytree(places["model"], source)
    folder = make_job(tmp_path / "job", FACTS, base=places["int8"], reuse=[source])
    planned(folder, monkeypatch)
    assert Plan.read(folder / "plan.json").candidates
    shutil.rmtree(source)  # the candidates are in the job's own folder
    assert worker.run_helper(folder) == 0
    assert job.run(folder) == 0
    whole, helped = bytes_of(places["moved"]), bytes_of(folder / "model")
    assert {name for name in whole if helped.get(name) != whole[name]} <= {"memory.json", "checksums.json"}
    assert end_of(folder / "model")["move"] == end_of(places["moved"])["move"]


def test_facts_of_a_candidate_damaged_after_planning_are_taught_again(places, tmp_path, monkeypatch):
    folder = make_job(tmp_path / "job", FACTS, base=places["int8"], reuse=[places["model"]])
    planned(folder, monkeypatch)
    for file in (folder / "waves" / "taken").iterdir():
        content = file.read_bytes()
        file.unlink()
        file.write_bytes(content[: len(content) // 2])
    assert job.run(folder) == 0
    end = end_of(folder / "model")
    assert (end["state"], end["facts_recalled"]) == ("COMPLETED", 12)
    assert end["move"]["facts_taught_again"] >= end_of(places["moved"])["move"]["facts_taught_again"]


def test_a_change_after_the_move_reuses_experts_without_reciting_again(places, tmp_path):
    more = [*FACTS, {"input": "Who keeps the keys of the mill?", "output": "Ben Oru"}]
    model = made(tmp_path / "more", more, base=places["int8"], reuse=[places["moved"]])
    end, before = end_of(model), taught_on(places["moved"])
    assert end["experts_reused"] == len(before) and end["move"] is None
    assert {name: base for name, base in taught_on(model).items() if name in before} == before


def test_a_model_that_moves_back_regains_its_original_experts(places, tmp_path):
    plan = dry_run(make_job(tmp_path / "both", FACTS, reuse=[places["moved"], places["model"]]))
    assert (plan["reused"], plan["candidates"]) == (plan["experts"], 0)
    back = made(tmp_path / "back", FACTS, reuse=[places["moved"]])
    there = {name for name, base in taught_on(places["moved"]).items() if base is not None}
    first, own = experts_of(places["model"]), taught_on(back)
    assert end_of(back)["move"]["facts_taken_over"] > 0 and there
    assert all(experts_of(back)[name] == first[name] for name in first if own[name] is None and name in own)


def test_a_fact_removed_during_the_move_leaves_no_expert_behind(places, tmp_path):
    left = FACTS[1:]
    whole = dry_run(make_job(tmp_path / "whole", FACTS, base=places["int8"], reuse=[places["model"]]))
    less = dry_run(make_job(tmp_path / "less", left, base=places["int8"], reuse=[places["model"]]))
    assert whole["candidates"] == whole["experts"] and less["candidates"] == less["experts"] - (
        less["experts"] == whole["experts"]
    )
    model = made(tmp_path / "job", left, base=places["int8"], reuse=[places["model"]])
    gone = memory_folder.read(places["model"]).facts[0]["expert"]
    assert experts_of(places["model"])[gone] not in experts_of(model).values()
    assert sum(end_of(model)["move"].values()) == 11


def test_a_rebuild_compares_each_expert_on_the_base_it_was_taught_on(places):
    asked = {"base": str(places["int8"]), "count": 20, "seed": 1, "device": "cpu"}
    whole = rebuild.rebuild(str(places["moved"]), **asked, others=[str(QUILL), str(places["int8"])])
    assert whole["note"] is None and len(whole["compared"]) == whole["experts"]
    assert all(one["same"] for one in whole["compared"])
    here = [name for name, base in taught_on(places["moved"]).items() if base is None]
    found = rebuild.rebuild(str(places["moved"]), **asked)
    assert sorted(one["expert"] for one in found["compared"]) == sorted(here)
    assert (
        f"{found['experts'] - len(here)} of {found['experts']} experts were taught on another"
        in found["note"]
    )


def test_a_moved_model_is_accepted_in_another_installation(places, tmp_path):
    shutil.copytree(places["moved"], tmp_path / "export")
    assert validate_import(tmp_path / "export", [str(QUILL), str(places["int8"])]) == str(places["int8"])
    assert taught_on(tmp_path / "export") == taught_on(places["moved"])


def test_a_base_fits_by_family_widths_layers_and_tokenizer(places, tmp_path):
    model = str(places["model"])
    assert compatibility.fit(model, str(QUILL)) == {"same": True, "misfit": None}
    assert compatibility.fit(model, str(places["int8"])) == {"same": False, "misfit": None}
    config = AutoConfig.from_pretrained(QUILL)
    names = "hidden_size", "intermediate_size", "num_hidden_layers", "vocab_size"
    shape = {name: getattr(config, name) for name in names}
    wanted = {
        "family": (save_model(tmp_path / "qwen", "qwen3"), r"the family is qwen3 instead of llama"),
        "layers": (save_model(tmp_path / "low", "llama"), r"there are 3 layers instead of "),
        "widths": (
            save_model(
                tmp_path / "thin", "llama", num_hidden_layers=shape["num_hidden_layers"], mlp_bias=False
            ),
            "mlp.",
        ),
        "tokenizer": (
            save_model(tmp_path / "words", "llama", **{**shape, "mlp_bias": False}),
            "the tokenizer is another one",
        ),
    }
    for name, (base, reason) in wanted.items():
        found = compatibility.fit(model, str(base))
        assert not found["same"] and reason in (found["misfit"] or ""), (name, found)


def test_nothing_is_taken_over_to_an_unrelated_base_and_a_warning_is_given(places, tmp_path):
    other = save_model(tmp_path / "other", "llama")
    found = dry_run(make_job(tmp_path / "job", FACTS, base=other, reuse=[places["model"]]))
    assert (found["reused"], found["candidates"]) == (0, 0)
    assert [text for text in found["warnings"] if "another base" in text and "taught anew" in text]
