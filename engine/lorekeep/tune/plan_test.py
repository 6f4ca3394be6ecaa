"""Plans of jobs with several workers: waves for all of them, and the same model for any number of workers."""

import json

from lorekeep.testing import bytes_of, make_job, some_facts
from lorekeep.tune import job
from lorekeep.tune.plan import split_waves


def test_waves_are_divided_for_several_workers_only():
    waves = [[f"a{i}" for i in range(50)], [f"b{i}" for i in range(3)]]
    assert split_waves(waves, 1) == [[waves[0]], [waves[1]]]
    assert split_waves([], 4) == []
    for workers in (2, 3, 4, 8, 16, 100):
        parts = split_waves(waves, workers)
        assert [[name for part in some for name in part] for some in parts] == waves
        assert sum(map(len, parts)) >= min(workers, 53)
        assert all(parts) and all(part for some in parts for part in some)


def test_the_model_does_not_depend_on_the_number_of_workers(tmp_path):
    models, waves = [], []
    for workers in (1, 2, 5):
        folder = make_job(
            tmp_path / str(workers), some_facts(6), workers=workers, arguments={"facts_per_expert": 1}
        )
        assert job.attempt(folder, workers=1) == (0, None)
        models.append(bytes_of(folder / "model"))
        waves.append(len(json.loads((folder / "plan.json").read_text())["waves"]))
    assert waves[0] < waves[1] < waves[2]
    assert models[0] == models[1] == models[2]
