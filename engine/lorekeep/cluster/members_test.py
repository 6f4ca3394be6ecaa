"""A worker of a run on a cluster reads the base when it starts, and tells of one that cannot be read when it is asked to work."""

import json
import os
import subprocess
import sys
from pathlib import Path

ENGINE = Path(__file__).parents[2]
QUILL = ENGINE.parent / "models" / "quill"
# The process of a worker writes its errors into a log of its own and ends by itself, so it is one of its own here too.
WORKER = """
import json, sys
from lorekeep.cluster.members import Worker
worker = Worker(sys.argv[1], 1, "worker-1")
print(json.dumps({"read": worker.kept._trainer is not None, **worker.finish()}), flush=True)
worker.leave()
"""


def worked(folder: Path, base: Path) -> dict:
    (folder / "runs").mkdir()
    (folder / "runs" / "000001.json").write_text("{}")
    (folder / "facts.jsonl").write_text(json.dumps({"input": "Who runs the shop?", "output": "Ada"}) + "\n")
    (folder / "job.json").write_text(json.dumps({"format": 1, "base": str(base)}))
    done = subprocess.run(
        [sys.executable, "-c", WORKER, str(folder)],
        env={**os.environ, "PYTHONPATH": str(ENGINE)},
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0
    return json.loads(done.stdout)


def test_the_base_is_there_before_the_work(tmp_path):
    said = worked(tmp_path, QUILL)
    assert (said["read"], said["status"], said["reason"]) == (True, 0, None)
    assert (tmp_path / "model").is_dir()


def test_a_base_that_cannot_be_read_is_a_failure_of_the_work(tmp_path):
    said = worked(tmp_path, tmp_path / "gone")
    assert (said["read"], said["status"]) == (False, 1)
    assert "gone" in said["reason"]
