"""A cluster worker loads the base when it starts, and reports an unreadable base only when it is asked to work."""

import json
import os
from pathlib import Path

from lorekeep.cluster.members import Worker
from lorekeep.testing import QUILL


def worked(folder: Path, base: Path) -> dict:
    """Result of a worker in a forked process, since a worker exits its process and redirects errors to its log."""
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


def test_a_worker_loads_the_base_before_the_work(tmp_path):
    said = worked(tmp_path, QUILL)
    assert (said["read"], said["status"], said["reason"]) == (True, 0, None)
    assert (tmp_path / "model").is_dir()


def test_an_unreadable_base_fails_the_work(tmp_path):
    said = worked(tmp_path, tmp_path / "gone")
    assert (said["read"], said["status"]) == (False, 1)
    assert "gone" in said["reason"]
