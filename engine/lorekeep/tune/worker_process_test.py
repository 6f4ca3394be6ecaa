"""The worker process runs one job after another, plans without training, and never outlives its server."""

import json
import mmap
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from lorekeep.testing import bytes_of, events_of, make_job, present, some_facts
from lorekeep.testing_process import start_engine, working_process
from lorekeep.tune import worker_process as desk_


class WorkerProcess:
    def __init__(self):
        self.process = start_engine("work")
        assert self.hear()["ready"] == working_process(self.process.pid)
        self.living = True
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self) -> None:
        while self.living and self.process.poll() is None:
            self.tell({"alive": True})
            time.sleep(1)

    def tell(self, message: dict) -> None:
        try:
            stdin = present(self.process.stdin)
            stdin.write(json.dumps(message).encode() + b"\n")
            stdin.flush()
        except OSError:
            pass

    def hear(self) -> dict:
        """The next message other than a heartbeat."""
        while "alive" in (said := json.loads(present(self.process.stdout).readline())):
            pass
        return said

    def ask(self, message: dict) -> dict:
        self.tell(message)
        return self.hear()


@pytest.fixture
def worker():
    made = WorkerProcess()
    yield made
    made.living = False
    made.process.kill()
    made.process.wait()


def test_consecutive_jobs_in_one_process_make_the_same_models_as_alone(worker, tmp_path):
    facts = [{**fact, "row": 7} for fact in some_facts(6)]
    folders = [make_job(tmp_path / name, facts, dataset_id="d") for name in ("one", "two")]
    for folder in folders:
        ended = worker.ask({"tune": str(folder)})
        assert ended["ended"] == 0 and ended["reason"] is None and ended["peak"] > 10**7
    assert bytes_of(folders[0] / "model") == bytes_of(folders[1] / "model")
    first = json.loads((folders[0] / "model/facts.jsonl").read_text().splitlines()[0])
    assert (first["dataset_id"], first["row"]) == ("d", 7)


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="told by Linux alone")
def test_peak_memory_is_measured_per_job(tmp_path, monkeypatch):
    def attempt(folder: Path, _):
        if folder.name == "large":
            # An allocator may reuse memory of an earlier test; a mapping is always new.
            with mmap.mmap(-1, 500_000_000) as large:
                large[::4096] = bytes(len(large[::4096]))
        return 0, None

    monkeypatch.setattr(desk_.job, "attempt", attempt)
    peaks = {}
    for name in ("large", "small"):
        (tmp_path / name).mkdir()
        peaks[name] = desk_.tune(tmp_path / name)["peak"]
    assert peaks["small"] < peaks["large"] - 400_000_000


def test_a_refusal_is_reported_and_the_next_order_is_accepted(worker, tmp_path):
    twice = [{"input": "Who?", "output": "a"}, {"input": "Who?", "output": "b"}]
    folder = make_job(tmp_path / "bad", twice)
    assert worker.ask({"tune": str(folder)}) | {"peak": 0} == {
        "ended": 2,
        "reason": "Rows 0 and 1 ask the same ('Who?') and answer differently: 'a' and 'b'. Keep one of them.",
        "peak": 0,
    }
    found = worker.ask({"plan": str(folder)})["plan"]
    assert found["problems"][0]["rows"] == [0, 1]
    assert "failed" in worker.ask({"plan": str(tmp_path / "nothing")})
    assert worker.ask({"plan": str(make_job(tmp_path / "good", some_facts(6)))})["plan"]["experts"] > 0


def test_a_plan_predicts_the_job(worker, tmp_path):
    folder = make_job(tmp_path / "one", some_facts(12))
    dry = worker.ask({"plan": str(folder)})["plan"]
    assert not (folder / "plan.json").exists()
    worker.ask({"tune": str(folder)})
    planned = json.loads((folder / "plan.json").read_text())
    assert (dry["experts"], dry["waves"]) == (
        len(planned["groups"]),
        len(planned["waves"]),
    )
    more = make_job(
        tmp_path / "two", [*some_facts(12), {"input": "Who?", "output": "Me"}], reuse=[str(folder / "model")]
    )
    again = worker.ask({"plan": str(more)})["plan"]
    assert again["reused"] == dry["experts"] and again["experts"] == dry["experts"] + 1
    size = sum(file.stat().st_size for file in (folder / "model").rglob("*") if file.is_file())
    assert size / 3 < dry["model_bytes"] < size * 3


def test_a_plan_has_the_same_index_warnings_as_the_job(worker, tmp_path):
    for name, count in (("named", 2), ("plain", 3)):
        folder = make_job(tmp_path / name, some_facts(count), arguments={"index_ivf_nlist": 9, "index_k": 2})
        dry = worker.ask({"plan": str(folder)})["plan"]["warnings"]
        assert ("keys are searched exactly" in dry[-1]) == (name == "plain") and len(dry) == 2
        worker.ask({"tune": str(folder)})
        assert [one["message"] for one in events_of(folder) if one["type"] == "warning"] == dry


@pytest.mark.parametrize("how", ["the pipe closes", "nothing is said", "it is told to stop"])
def test_a_worker_exits_in_the_middle_of_a_job_when(worker, tmp_path, how):
    # Answers of many lengths: several waves.
    facts = [{"input": f"Who runs Zor{i}bex?", "output": "Ada Quist " * (1 + i % 10)} for i in range(200)]
    folder: Path = make_job(tmp_path / "long", facts, workers=2)
    worker.tell({"tune": str(folder)})
    while not list(folder.glob("waves/*.claim")):
        assert worker.process.poll() is None
        time.sleep(0.01)
    helpers = [int(pid) for pid in children(working_process(worker.process.pid))]
    assert helpers
    worker.living = False
    if how == "the pipe closes":
        worker.process.stdin.close()
    if how == "nothing is said":  # the seconds pass without work
        working = [working_process(pid) for pid in (worker.process.pid, *helpers)]
        signal_all(working, signal.SIGSTOP)
        time.sleep(desk_.SILENCE)
        signal_all(working, signal.SIGCONT)
    if how == "it is told to stop":
        worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(120) != 0
    for helper in helpers:
        for _ in range(1200):
            if not os.path.exists(f"/proc/{helper}"):
                break
            time.sleep(0.1)
        else:
            raise AssertionError("a helper outlived its coordinator")


def test_an_idle_worker_exits_on_request(worker):
    worker.process.send_signal(signal.SIGTERM)
    assert worker.process.wait(120) == 143


def signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        os.kill(pid, number)


def children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
