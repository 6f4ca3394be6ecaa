"""Queue of waves: one worker per wave; waves of dead workers are claimed again, those of live workers are
not."""

import json
import os
import socket
import subprocess
import threading

from lorekeep.tune import waves
from lorekeep.tune.waves import WaveQueue


def left(folder, worker: str, pid: int, host: str | None = None) -> None:
    """Leaves the files of a worker that is gone."""
    (folder / "000000.claim").write_text(
        json.dumps({"worker": worker, "host": host or socket.gethostname(), "pid": pid, "beat": 3})
    )


def test_every_wave_is_done_by_exactly_one_of_many(tmp_path):
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


def test_a_living_workers_wave_is_left_and_a_dead_ones_taken(tmp_path):
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


def test_a_claim_that_stands_still_is_lost_wherever_its_worker_was(tmp_path, monkeypatch):
    queue = WaveQueue(tmp_path, 1)
    left(tmp_path, "far", 1, host="elsewhere")
    assert queue.claim() is None
    assert queue.claim() is None
    monkeypatch.setattr(waves, "LEASE", 0.0)
    claim = queue.claim()
    assert claim is not None
    claim.release()


def test_half_a_claim_is_no_worker_and_half_a_file_no_result(tmp_path, monkeypatch):
    monkeypatch.setattr(waves, "LEASE", 0.0)
    (tmp_path / "000000.claim").write_text('{"wor')
    (tmp_path / ".000000.json.12").write_text("{")
    queue = WaveQueue(tmp_path, 1)
    assert queue.open() == [0]
    claim = queue.claim() or queue.claim()  # the first look begins to wait for a sign of life
    assert claim is not None
    claim.finish({"a": 1})
    assert queue.open() == [] and json.loads(queue.result(0).read_text()) == {"a": 1}
