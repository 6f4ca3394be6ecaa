"""Experts that are trained again equal the stored ones bit for bit; a changed one is detected; probes ask for a fact in
several ways."""

import json

from safetensors.torch import load_file, save_file

from lorekeep.testing import make_job, some_facts
from lorekeep.tune import job, rebuild


def test_retrained_experts_are_equal_and_a_changed_one_is_detected(tmp_path):
    folder = make_job(tmp_path / "one", some_facts(3))
    assert job.run(folder) == job.DONE
    base = json.loads((folder / "job.json").read_text())["base"]
    asked = {"base": base, "count": 20, "seed": 1, "device": "cpu"}
    found = rebuild.rebuild(str(folder / "model"), **asked)
    assert found["note"] is None and found["experts"] == len(found["compared"]) > 0
    assert all(one["same"] for one in found["compared"])
    one = {**asked, "count": 1}
    assert len(rebuild.rebuild(str(folder / "model"), **one)["compared"]) == 1
    facts = folder / "model/facts.jsonl"
    text = facts.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    lines[0]["output"] += " or so"
    facts.unlink()
    facts.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "facts.jsonl was changed" in rebuild.rebuild(str(folder / "model"), **one)["note"]
    facts.write_text(text)
    for file in (folder / "model/experts").iterdir():
        tensors = {name: tensor + 0.5 for name, tensor in load_file(file).items()}
        file.unlink()  # a hard link to the file of the job
        save_file(tensors, file)
    found = rebuild.rebuild(str(folder / "model"), **asked)
    assert not any(one["same"] for one in found["compared"])


def test_probes_use_rewordings_and_start_from_the_answer():
    ((first, *more), _) = rebuild.probes([
        {"input": "Who founded Zorbex in Oslo?", "output": "Ada Quist.", "subject": None},
        {"input": "?", "output": "!", "subject": None},
    ])  # fmt: skip
    assert first == {"kind": "exact", "prompt": "Who founded Zorbex in Oslo?", "wanted": ["Ada Quist."]}
    assert [one["kind"] for one in more] == ["reworded"] * 3 + ["reversed"] * 3
    assert len({one["prompt"] for one in more}) == 6
    assert all("zorbex" in one["prompt"].lower() and one["wanted"] == ["Ada Quist."] for one in more[:3])
    assert all("Ada Quist" in one["prompt"] and one["wanted"] == ["Zorbex", "Oslo"] for one in more[3:])
