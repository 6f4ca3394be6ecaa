"""Queue of waves: one worker per wave; waves of dead workers are claimed again, those of live workers are
not."""

import json
import os
import socket
import subprocess
import threading

import pytest

from lorekeep.tune import waves
from lorekeep.tune.fence import Fence, Superseded
from lorekeep.tune.waves import WaveQueue


def left(folder, worker: str, pid: int, host: str | None = None) -> None:
    """Leaves the claim files of a dead worker."""
    (folder / "000000.claim").write_text(
        json.dumps({"worker": worker, "host": host or socket.gethostname(), "pid": pid, "beat": 3})
    )


def test_every_wave_is_done_by_exactly_one_worker(tmp_path):
    done, lock = [], threading.Lock()

    def work() -> None:
        queue = WaveQueue(tmp_path, 30)
        while queue.open():
            if (claim := queue.claim()) is not None:
                with lock:
                    done.append(claim.wave)
                claim.finish({})

    threads = [threading.Thread(target=work) for _ in range(6)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(done) == list(range(30))
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".json"] * 30


def test_waves_of_dead_workers_are_taken_over_and_those_of_live_ones_are_not(tmp_path):
    queue = WaveQueue(tmp_path, 1)
    left(tmp_path, "other", os.getpid())
    assert queue.claim() is None
    gone = subprocess.Popen(["true"])
    gone.wait()
    left(tmp_path, "other", gone.pid)
    claim = queue.claim()
    assert claim is not None and claim.wave == 0
    assert WaveQueue(tmp_path, 1).claim() is None
    claim.release()


def test_a_signal_while_a_wave_is_given_back_leaves_no_claim(tmp_path, monkeypatch):
    claim = WaveQueue(tmp_path, 1).claim()
    assert claim is not None

    def stopped() -> None:
        raise SystemExit(143)  # as the handler of the signal does

    monkeypatch.setattr(claim.thread, "join", stopped)
    with pytest.raises(SystemExit):
        claim.finish({})
    assert [file.name for file in tmp_path.iterdir()] == ["000000.json"]


@pytest.mark.parametrize("moment", ["is_done", "thread"])
def test_a_signal_while_a_wave_is_claimed_leaves_no_claim(tmp_path, monkeypatch, moment):
    queue = WaveQueue(tmp_path, 1)
    taken = []

    def stopped(*_) -> bool:
        if (tmp_path / "000000.claim").exists():
            taken.append(moment)
            raise SystemExit(143)  # as the handler of the signal does
        return False

    if moment == "is_done":
        monkeypatch.setattr(queue, "is_done", stopped)
    else:
        monkeypatch.setattr(waves.threading.Thread, "start", stopped)
    with pytest.raises(SystemExit):
        queue.claim()
    assert taken == [moment]
    assert list(tmp_path.iterdir()) == []


def test_a_claim_without_refresh_expires_wherever_its_worker_is(tmp_path, monkeypatch):
    queue = WaveQueue(tmp_path, 1)
    left(tmp_path, "far", 1, host="elsewhere")
    assert queue.claim() is None
    assert queue.claim() is None
    monkeypatch.setattr(waves, "LEASE", 0.0)
    claim = queue.claim()
    assert claim is not None
    claim.release()


def attempt(folder, number: int) -> Fence:
    (folder / "runs").mkdir(exist_ok=True)
    (folder / "runs" / f"{number:06d}.json").write_text("{}")
    return Fence(folder, number)


def test_on_a_cluster_process_ids_are_ignored_and_waves_of_earlier_attempts_are_free(tmp_path):
    gone = subprocess.Popen(["true"])
    gone.wait()
    first = attempt(tmp_path, 1)
    left(tmp_path, "of a machine", gone.pid)
    assert WaveQueue(tmp_path, 1, first).claim() is None
    (tmp_path / "000000.claim").unlink()
    assert WaveQueue(tmp_path, 1, first, "slot 1").claim() is not None
    assert WaveQueue(tmp_path, 1, first, "slot 2").claim() is None
    claim = WaveQueue(tmp_path, 1, attempt(tmp_path, 2), "slot 1").claim()
    assert claim is not None
    claim.release()


def test_only_the_waves_of_a_dead_worker_are_freed(tmp_path):
    fence = attempt(tmp_path, 1)
    for slot in ("slot 1", "slot 1", "slot 2"):
        assert WaveQueue(tmp_path, 3, fence, slot).claim() is not None
    queue = WaveQueue(tmp_path, 3, fence, "slot 3")
    assert queue.claim() is None
    assert [queue.free("slot 1"), queue.free("slot 1")] == [2, 0]
    assert [claim and claim.wave for claim in (queue.claim(), queue.claim(), queue.claim())] == [0, 1, None]


def test_a_superseded_attempt_publishes_no_wave(tmp_path):
    claim = WaveQueue(tmp_path, 1, attempt(tmp_path, 1)).claim()
    assert claim is not None
    attempt(tmp_path, 2)
    with pytest.raises(Superseded):
        claim.finish({"a": 1})
    assert WaveQueue(tmp_path, 1).open() == [0]
    claim.release()


def test_incomplete_claims_and_results_are_ignored(tmp_path, monkeypatch):
    monkeypatch.setattr(waves, "LEASE", 0.0)
    (tmp_path / "000000.claim").write_text('{"wor')
    (tmp_path / ".000000.json.12").write_text("{")
    queue = WaveQueue(tmp_path, 1)
    assert queue.open() == [0]
    claim = queue.claim() or queue.claim()  # the first call starts the lease timeout
    assert claim is not None
    claim.finish({"a": 1})
    assert queue.open() == [] and json.loads(queue.result(0).read_text()) == {"a": 1}
