"""Fencing between runs of one job on several machines. Each run is an attempt with a number (fencing token); an attempt that is closed
or superseded by a later one writes nothing more, wherever its processes are. docs/decisions/0018-ray-cluster.md has the protocol."""

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from lorekeep.tune.waves import write_whole

FOLDER = "runs"
# Seconds between two heartbeats, and seconds without a written heartbeat until a process gives up. The server considers an attempt
# lost after 30 seconds (server/src/cluster/ray/attempts.ts).
BEAT, GIVE_UP = 2.0, 20.0


class Superseded(Exception):
    """The attempt is over, or another one has taken its place."""


class Fence:
    def __init__(self, folder: Path, attempt: int):
        self.folder, self.attempt = folder / FOLDER, attempt

    def file(self, ending: str) -> Path:
        return self.folder / f"{self.attempt:06d}.{ending}"

    def check(self) -> None:
        """Raises Superseded unless this attempt is open and the latest."""
        try:
            names = set(os.listdir(self.folder))
        except FileNotFoundError:
            names = set()
        # An attempt is created by an exclusive file name; names of later attempts sort after it.
        last = max((name for name in names if name.endswith(".json")), default="")
        if last != self.file("json").name or self.file("closed").name in names:
            raise Superseded(f"The attempt {self.attempt} is over.")


class Heartbeat:
    """Heartbeat of a process of an attempt, until it ends, is superseded or cannot write any more; then `on_end` is called with the
    reason."""

    def __init__(self, fence: Fence, role: str, on_end: Callable[[str], None]):
        self.fence, self.file, self.on_end = fence, fence.file(f"{role}.beat"), on_end
        self.count = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._run, name="attempt", daemon=True)

    def start(self) -> None:
        """Raises Superseded if the attempt is already over. The heartbeat is written before the check: if an attempt is closed and then
        has no heartbeat, none of its processes passes this point."""
        self._write({})
        try:
            self.fence.check()
        except Superseded:
            self.file.unlink(missing_ok=True)
            raise
        self.thread.start()

    def end(self, result: dict | None = None) -> None:
        """Ends the heartbeat; `result` remains as the final state of the attempt."""
        self.over.set()
        if self.thread.is_alive() and self.thread is not threading.current_thread():
            self.thread.join()
        if result is None:
            self.file.unlink(missing_ok=True)
        else:
            self._write(result)

    def _write(self, more: dict) -> None:
        self.count += 1
        write_whole(
            self.file,
            json.dumps({"beat": self.count, "at": os.urandom(4).hex(), **more}).encode(),
            sync=bool(more),
        )

    def _run(self) -> None:
        written = time.monotonic()
        reason = None
        while reason is None and not self.over.wait(BEAT):
            try:
                self.fence.check()
                self._write({})
                written = time.monotonic()
            except Superseded as error:
                reason = str(error)
            except OSError as error:
                if time.monotonic() - written > GIVE_UP:
                    reason = f"The job's folder could not be written for {GIVE_UP:.0f} seconds: {error}"
        if reason is not None:
            self.on_end(reason)
