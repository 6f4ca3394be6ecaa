"""A process exits with its server, at any stage of its start."""

import subprocess
import sys

import pytest

from lorekeep.testing import present


@pytest.mark.parametrize("command", ["serve", "work"])
def test_a_process_exits_during_its_start_when_its_server_is_gone(command: str, tmp_path):
    (tmp_path / "torch.py").write_text("import time\nprint('imports', flush=True)\ntime.sleep(600)\n")
    # The same package, with a fake torch that imports slowly.
    path = ":".join([str(tmp_path), *filter(None, sys.path)])
    child = subprocess.Popen(
        [sys.executable, "-m", "lorekeep", command],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={"PYTHONPATH": path},
    )  # fmt: skip
    stdin, stderr = present(child.stdin), present(child.stderr)
    try:
        assert stderr.readline() == b"imports\n"
        stdin.write(b"{}\n")
        stdin.flush()
        stdin.close()
        assert child.wait(120) == 0
    finally:
        child.kill()
        stderr.close()
