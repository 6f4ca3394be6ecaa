"""Event log of a job: `events.ndjson`, one object per line, append-only. A line that a kill has truncated is terminated
before the next one is written. Of several attempts on a cluster, only the latest writes (fence.py)."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from lorekeep.contract import JobStatus
from lorekeep.tune.fence import Fence


class Events:
    def __init__(self, file: Path, fence: Fence | None = None):
        self.file, self.fence = file, fence
        whole = not file.exists() or not file.stat().st_size or file.read_bytes()[-1:] == b"\n"
        self.out = open(file, "ab")  # noqa: SIM115 (as long as the job runs)
        if not whole:
            self.out.write(b"\n")

    def state(self, state: JobStatus, **more) -> None:
        self.write("state", state=state, **more)

    def warning(self, message: str) -> None:
        self.write("warning", message=message)

    def note(self, message: str) -> None:
        """An event of the run, for the user."""
        self.write("note", message=message)

    def write(self, type: str, **more) -> None:
        if self.fence is not None:
            self.fence.check()
        now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
        line = json.dumps({"type": type, "time": now, **more}, ensure_ascii=False)
        self.out.write(line.encode("utf-8", "replace") + b"\n")
        self.out.flush()
        os.fsync(self.out.fileno())
