"""Helper workers of a job: their exit, and the GPU of each."""

from pathlib import Path

from lorekeep.testing import make_job, present, some_facts
from lorekeep.testing_process import forked_helpers
from lorekeep.tune import job
from lorekeep.tune.worker import BEGIN, own_gpu, start_worker


def test_a_helper_without_work_exits_successfully(tmp_path: Path, capfd):
    folder = make_job(tmp_path / "done", some_facts(2))
    assert job.run(folder) == 0
    capfd.readouterr()
    with forked_helpers():
        begun, needless = start_worker(folder, 1), start_worker(folder, 2)
    stdin = present(begun.stdin)
    stdin.write(BEGIN)
    stdin.flush()
    present(needless.stdin).close()
    assert [helper.wait(120) for helper in (begun, needless)] == [0, 0]
    stdin.close()
    assert capfd.readouterr().err == ""


def test_each_helper_sees_its_own_gpu(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,GPU-7f")
    assert [own_gpu(place)["CUDA_VISIBLE_DEVICES"] for place in (1, 2, 3)] == ["5", "GPU-7f", "4"]


def test_a_single_gpu_or_the_cpu_is_shared_by_all(monkeypatch):
    for told in ("4", ""):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", told)
        assert own_gpu(1) == {}
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert own_gpu(1) == {"CUDA_VISIBLE_DEVICES": "1"}
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    assert own_gpu(1) == {}
