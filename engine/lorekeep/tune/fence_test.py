"""Fencing of attempts: which one may write, and how a process learns that it may not any more."""

import json
import shutil
import time
from pathlib import Path

import pytest

from lorekeep.tune import fence as fence_
from lorekeep.tune.events import Events
from lorekeep.tune.fence import Fence, Heartbeat, Superseded


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(fence_, "BEAT", 0.02)
    monkeypatch.setattr(fence_, "GIVE_UP", 0.2)


def attempt(folder: Path, number: int) -> Fence:
    (folder / "runs").mkdir(exist_ok=True)
    (folder / "runs" / f"{number:06d}.json").write_text("{}")
    return Fence(folder, number)


def until(holds) -> None:
    while not holds():
        time.sleep(0.01)


def test_only_the_latest_open_attempt_may_write(tmp_path):
    first = attempt(tmp_path, 1)
    events = Events(tmp_path / "events.ndjson", first)
    events.note("one")
    second = attempt(tmp_path, 2)
    with pytest.raises(Superseded):
        events.note("two")
    second.check()
    second.file("closed").touch()
    with pytest.raises(Superseded):
        second.check()
    with pytest.raises(Superseded):
        Fence(tmp_path, 3).check()
    lines = (tmp_path / "events.ndjson").read_text().splitlines()
    assert [json.loads(line)["message"] for line in lines] == ["one"]


@pytest.mark.parametrize("way", ["closed", "later", "gone"])
def test_a_process_learns_that_its_attempt_is_over(tmp_path, way):
    fence, told = attempt(tmp_path, 1), []
    beat = Heartbeat(fence, "driver", told.append)
    beat.start()
    before = beat.file.read_text()
    until(lambda: beat.file.read_text() != before)
    if way == "closed":
        fence.file("closed").touch()
    elif way == "later":
        attempt(tmp_path, 2)
    else:
        shutil.rmtree(tmp_path / "runs")
    until(lambda: told)
    assert told == ["The attempt 1 is over."]


def test_a_process_that_starts_too_late_leaves_no_heartbeat(tmp_path):
    fence = attempt(tmp_path, 1)
    attempt(tmp_path, 2)
    with pytest.raises(Superseded):
        Heartbeat(fence, "driver", print).start()
    assert not list((tmp_path / "runs").glob("*.beat"))


def test_the_last_heartbeat_contains_the_result_and_remains(tmp_path):
    beat = Heartbeat(attempt(tmp_path, 1), "driver", print)
    beat.start()
    beat.end({"ended": {"status": 0}})
    said = beat.file.read_text()
    assert json.loads(said)["ended"] == {"status": 0}
    time.sleep(0.1)
    assert beat.file.read_text() == said


def test_a_process_that_cannot_write_its_heartbeat_gives_up(tmp_path, monkeypatch):
    told = []
    beat = Heartbeat(attempt(tmp_path, 1), "driver", told.append)
    beat.start()

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(fence_, "write_whole", refuse)
    until(lambda: told)
    assert "could not be written" in told[0] and "Read-only" in told[0]
