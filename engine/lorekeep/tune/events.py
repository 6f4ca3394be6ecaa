"""What a job tells while it runs: `events.ndjson`, one object a line, only ever appended. A line that a kill cut in half is closed before
the next is written."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path


class Events:
    def __init__(self, file: Path):
        self.file = file
        whole = not file.exists() or not file.stat().st_size or file.read_bytes()[-1:] == b"\n"
        self.out = open(file, "ab")  # noqa: SIM115 (as long as the job runs)
        if not whole:
            self.out.write(b"\n")

    def state(self, state: str, **more) -> None:
        self.write("state", state=state, **more)

    def warning(self, message: str) -> None:
        self.write("warning", message=message)

    def write(self, type: str, **more) -> None:
        now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
        line = json.dumps({"type": type, "time": now, **more}, ensure_ascii=False)
        self.out.write(line.encode("utf-8", "replace") + b"\n")
        self.out.flush()
        os.fsync(self.out.fileno())
