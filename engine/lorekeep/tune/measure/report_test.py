"""report.md holds every figure, the failures by name, and the shares that the gate passes."""

import json

from lorekeep.memory import folder as memory_folder
from lorekeep.routing.embedders.parts import router_parts
from lorekeep.testing import QUILL, make_job, some_facts
from lorekeep.tune import job
from lorekeep.tune.measure import evaluate
from lorekeep.tune.measure.evaluate import Asker, _measured, measure
from lorekeep.tune.measure.report import BY_RULE, table
from lorekeep.tune.training.trainer import Trainer


def test_the_report_names_failures_and_the_shares_that_the_gate_passes():
    shares = {"strict": 0.1, "balanced": 0.4, "generous": 0.7}
    job = {
        "exact": {"asked": 2, "right": 1.0, "failed": []},
        "reworded by rule": {"asked": 2, "right": 0.5, "failed": ["please say:\nwho | what"]},
        "gate": {
            "unknown_relation": {"asked": 40, "passed": shares},
            "near_miss": {"asked": 3, "passed": {}},
        },
    }
    failed = [{"row": 7, "input": "Who?"}]
    said = table({"recall": {"facts": 2, "recalled": 1, "failed": failed}, "job": job})
    assert "| exact | 2 | 1.0 right |" in said and "of exact:" not in said
    assert "Not so, of reworded by rule:\n\n- please say: who \\| what\n" in said
    assert "| the gate lets through | asked | strict | balanced | generous |" in said
    assert "| questions about a known name that no fact answers | 40 | 0.1 | 0.4 | 0.7 |" in said
    assert "| near misses of facts without names | 3 | too few to tell |" in said
    assert "| 7 | Who? |" in said
    assert BY_RULE in said


def test_facts_that_were_not_learned_count_as_wrong_in_every_share(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "_REWORDED", evaluate._SAMPLE)
    folder = make_job(tmp_path / "job", some_facts(6))
    assert job.run(folder) == 0
    memory = memory_folder.read(folder / "model")
    report = json.loads((folder / "model/report.json").read_text())["job"]
    assert report["exact"]["right"] == 1.0
    asker = Asker(memory, Trainer(str(QUILL)), router_parts()[0])
    for lost, right in ((1, 0.8333), (3, 0.5), (6, 0.0)):
        for fact in memory.facts[:lost]:
            fact["recalled"] = False
        found = measure(memory, asker)
        assert found["exact"]["right"] == found["in conversation"]["right"] == right
        assert found["reworded by rule"]["right"] <= right
        assert found["reworded by rule"]["asked"] == 6 - lost


def test_a_single_lost_fact_is_never_rounded_away():
    assert _measured("right", ["q"] * 100, [True] * 100, of=99_999 / 100_000)["right"] < 1
    assert _measured("right", ["q"] * 100, [True] * 100)["right"] == 1
