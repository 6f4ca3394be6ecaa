"""A worker of a run on a cluster reads the base when it starts, and tells of one that cannot be read when it is asked to work."""

import json
import os
from pathlib import Path

from lorekeep.cluster.members import Worker
from lorekeep.testing import QUILL


def worked(folder: Path, base: Path) -> dict:
    """The status of a worker. Its process is a fork, since it ends by itself and writes errors into a log of its own."""
    (folder / "runs").mkdir()
    (folder / "runs" / "000001.json").write_text("{}")
    (folder / "facts.jsonl").write_text(json.dumps({"input": "Who runs the shop?", "output": "Ada"}) + "\n")
    (folder / "job.json").write_text(json.dumps({"format": 1, "base": str(base)}))
    said = folder / "said.json"
    if (pid := os.fork()) == 0:
        try:
            worker = Worker(str(folder), 1, "worker-1")
            said.write_text(json.dumps({"read": worker.kept._trainer is not None, **worker.finish()}))
            worker.leave()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return json.loads(said.read_text())


def test_the_base_is_there_before_the_work(tmp_path):
    said = worked(tmp_path, QUILL)
    assert (said["read"], said["status"], said["reason"]) == (True, 0, None)
    assert (tmp_path / "model").is_dir()


def test_a_base_that_cannot_be_read_is_a_failure_of_the_work(tmp_path):
    said = worked(tmp_path, tmp_path / "gone")
    assert (said["read"], said["status"]) == (False, 1)
    assert "gone" in said["reason"]
