"""For tests: `python -m lorekeep` in separate processes, forked by `testing_forks.py` (one for the whole run if ./lorekeep test has
started it). With LOREKEEP_TEST_LONG=1 each of them starts as the server starts it."""

import contextlib
import functools
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from lorekeep import testing_forks

ENGINE = Path(__file__).resolve().parents[1]
LONG = os.environ.get("LOREKEEP_TEST_LONG") == "1"


class EngineProcess(subprocess.Popen):
    """A process whose end is the end of its fork. A killed client would end first, and its fork could write for a moment more."""

    def send_signal(self, number: int) -> None:
        if number == signal.SIGKILL and self.poll() is None:
            os.kill(working_process(self.pid), number)  # the client mirrors it
        else:
            super().send_signal(number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def start_engine(*arguments: str, stderr: int | None = None, anew: bool = LONG) -> EngineProcess:
    """Starts a process with pipes for standard input and output. `anew`: not forked."""
    words = ["-m", "lorekeep", *arguments]
    forked = sys.platform == "linux" and not anew
    return EngineProcess(
        testing_forks.command_of(_socket(), words) if forked else [sys.executable, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env={**os.environ, "PYTHONPATH": str(ENGINE)},
    )


@contextlib.contextmanager
def forked_helpers(anew: bool = LONG) -> Iterator[None]:
    """Forks the helpers that a job of this process starts, too."""
    popen = subprocess.Popen
    if sys.platform == "linux" and not anew:
        testing_forks.start_helpers_by(_socket())
    try:
        yield
    finally:
        subprocess.Popen = popen


def download_command() -> list[str]:
    """The command line of a download, forked by a server for downloads."""
    words = ["-m", "lorekeep", "download"]
    if LONG or sys.platform != "linux":
        return [sys.executable, *words]
    return testing_forks.command_of(_socket("download"), words)


def working_process(pid: int) -> int:
    """The process id of the fork behind a process started here; its own id if it was really started."""
    name = Path(f"/proc/{pid}/comm").read_text()
    return int(name.split()[-1]) if name.startswith("fork of ") else pid


_servers: list[subprocess.Popen] = []  # keeps references, since a server ends without one


@functools.cache
def _socket(*of: str) -> str:
    given = os.environ.get("LOREKEEP_TEST_DOWNLOAD_FORKS" if of else "LOREKEEP_TEST_FORKS")
    if given:
        return given
    path = f"{tempfile.mkdtemp(prefix='lorekeep-forks-')}/socket"
    server = subprocess.Popen(
        [sys.executable, "-m", "lorekeep.testing_forks", path, *of],
        stdin=subprocess.PIPE,  # closes with this process, and the server ends
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ENGINE)},
    )
    assert server.stdout is not None and server.stdout.readline() == b"ready\n"
    _servers.append(server)
    return path
