"""Which GPU each worker of a machine computes on."""

from lorekeep.tune.worker import own_gpu


def test_each_helper_sees_a_gpu_of_its_own(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,GPU-7f")
    assert [own_gpu(place)["CUDA_VISIBLE_DEVICES"] for place in (1, 2, 3)] == ["5", "GPU-7f", "4"]


def test_one_gpu_and_none_are_shared_by_all(monkeypatch):
    for told in ("4", ""):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", told)
        assert own_gpu(1) == {}
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES")
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert own_gpu(1) == {"CUDA_VISIBLE_DEVICES": "1"}
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    assert own_gpu(1) == {}
