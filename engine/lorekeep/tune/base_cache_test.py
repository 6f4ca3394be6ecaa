from pathlib import Path

import pytest

from lorekeep.errors import EngineError
from lorekeep.testing import bytes_of, make_job, some_facts
from lorekeep.tune import base_cache as kept_
from lorekeep.tune import job
from lorekeep.tune.base_cache import BaseCache
from lorekeep.tune.training.trainer import Trainer


@pytest.fixture
def loaded(monkeypatch) -> list[str]:
    """The bases that were read, in order."""
    found: list[str] = []

    def trainer(base: str, device: str) -> Trainer:
        found.append(base)
        return Trainer(base, device)

    monkeypatch.setattr(kept_, "Trainer", trainer)
    return found


def test_a_finished_job_keeps_its_base_loaded_for_the_next(tmp_path: Path, loaded: list[str]):
    kept = BaseCache()
    folders = [make_job(tmp_path / name, some_facts(3)) for name in ("one", "two", "alone")]
    assert [job.attempt(folder, kept)[0] for folder in folders[:2]] == [job.DONE, job.DONE]
    assert len(loaded) == 1
    assert job.attempt(folders[2])[0] == job.DONE
    assert bytes_of(folders[1] / "model") == bytes_of(folders[2] / "model")


def test_a_failed_job_unloads_its_base(tmp_path: Path, loaded: list[str], monkeypatch):
    kept = BaseCache()

    def fails(_job: job.Job) -> int:
        raise EngineError("out_of_memory", "There is not enough memory.")

    with monkeypatch.context() as patch:
        patch.setattr(job.Job, "finish", fails)
        assert job.attempt(make_job(tmp_path / "one", some_facts(3)), kept)[0] == job.FAILED
    assert job.attempt(make_job(tmp_path / "two", some_facts(3)), kept)[0] == job.DONE
    assert len(loaded) == 2
