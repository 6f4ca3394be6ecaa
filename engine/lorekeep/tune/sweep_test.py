"""Sweeps: one argument with several values, on the first facts; killed and resumed."""

import json
from pathlib import Path

import pytest

from lorekeep.testing import events_of, make_job, some_facts
from lorekeep.tune import job
from lorekeep.tune.sweep import best_of, curve_of

RATES = [1e-7, 3e-4]


def asked(folder: Path, **spec) -> Path:
    return make_job(
        folder, some_facts(6), sweep={"argument": "learning_rate", "values": RATES, "facts": 3, **spec}
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> Path:
    folder = asked(tmp_path_factory.mktemp("sweep") / "one")
    (folder / "job.json").write_text(
        json.dumps({**json.loads((folder / "job.json").read_text()), "arguments": {"max_steps": 19}})
    )
    assert job.run(folder) == 0
    return folder


def test_a_sweep_compares_values_and_names_the_best(done: Path):
    result = json.loads((done / "sweep.json").read_text())
    assert result["best"] == 3e-4 and result["facts"] == 3
    slow, fast = result["trials"]
    assert [slow["value"], fast["value"]] == RATES
    assert slow["recall"] < fast["recall"] == 1.0
    assert fast["curve"][-1]["loss"] < fast["curve"][0]["loss"]
    assert [point["step"] for point in slow["curve"]] == list(range(1, len(slow["curve"]) + 1))
    assert slow["curve"][0] == fast["curve"][0], "before the first step both are the base"
    assert not (done / "model").exists()


def test_a_sweep_reports_states_and_progress(done: Path):
    events = events_of(done)
    states = [event["state"] for event in events if event["type"] == "state"]
    assert states == ["LOADING DATA", "TRAINING MODEL", "EVALUATING MODEL", "SAVING MODEL", "COMPLETED"]
    told = [event for event in events if event["type"] == "progress"]
    assert [event["facts_done"] for event in told] == [3, 6] and told[-1]["facts_total"] == 6


def test_a_finished_sweep_does_nothing(done: Path):
    before = len(events_of(done))
    assert job.run(done) == 0
    assert len(events_of(done)) == before


def test_finished_values_are_not_tried_again(done: Path, tmp_path: Path):
    folder = asked(tmp_path / "again")
    (folder / "trials").mkdir()
    kept = {**json.loads((done / "trials/000.json").read_text()), "seconds": 12345.0}
    (folder / "trials/000.json").write_text(json.dumps(kept))
    assert job.run(folder) == 0
    result = json.loads((folder / "sweep.json").read_text())
    assert result["trials"][0]["seconds"] == 12345.0 and result["best"] == 3e-4


def test_an_invalid_value_is_refused(tmp_path: Path):
    assert job.run(asked(tmp_path / "wrong", argument="max_steps", values=[10, 0])) == 2


def test_the_best_value_has_most_recall_then_fewest_steps():
    def trial(recalled, steps, loss):
        return {"facts_recalled": recalled, "steps": steps, "loss": loss}

    assert best_of([trial(5, 10, 0.1), trial(6, 90, 0.9), trial(6, 40, 0.8), trial(6, 40, None)]) == 2


def test_a_finished_expert_keeps_its_last_loss_in_the_curve():
    assert curve_of([[4.0, 2.0, 1.0], [2.0]]) == [
        {"step": 1, "loss": 3.0},
        {"step": 2, "loss": 2.0},
        {"step": 3, "loss": 1.5},
    ]
    long = curve_of([[float(i) for i in range(1000)]])
    assert len(long) == 200 and long[-1] == {"step": 1000, "loss": 999.0}
