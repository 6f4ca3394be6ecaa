"""Staging folder of a download. It is filled file by file and renamed to the model's folder at the end. A
lock admits one process at a time. A file is called `.part` until its hash is verified."""

import fcntl
import json
import os
import shutil
from pathlib import Path

from lorekeep.hub.client import Remote


class Staging:
    def __init__(self, models: Path, name: str):
        self.folder = models / ".downloads" / name.replace("/", "--")
        self.files = self.folder / "files"
        self._plan = self.folder / "plan.json"
        self._lock = self._wait()
        self.commit, self.keys = self._read_plan()

    def _wait(self) -> int:
        """Waits while another process fills the folder. The operating system releases the lock when that
        process ends."""
        while True:
            self.files.mkdir(parents=True, exist_ok=True)
            path = self.folder / "lock"
            lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            # The lock must not belong to a folder that was finished and removed meanwhile.
            if path.exists() and os.path.samestat(os.fstat(lock), os.stat(path)):
                return lock
            os.close(lock)

    def _read_plan(self) -> tuple[str | None, dict[str, str]]:
        try:
            plan = json.loads(self._plan.read_text("utf-8"))
            return plan["commit"], dict(plan["files"])
        except (OSError, ValueError, TypeError, KeyError):
            return None, {}

    def note(self, commit: str | None) -> None:
        """Records the commit of the files, so that the next attempt continues with it."""
        self.commit = commit
        draft = self._plan.with_suffix(".new")
        draft.write_text(json.dumps({"commit": commit, "files": self.keys}), "utf-8")
        os.replace(draft, self._plan)

    def place(self, file: Remote) -> Path:
        """Path of a file in the folder; a file of other content is removed."""
        path = self.files / file.path
        if self.keys.get(file.path) != file.key:
            path.unlink(missing_ok=True)
            part(path).unlink(missing_ok=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            self.keys[file.path] = file.key
            self.note(self.commit)
        return path

    def have(self, path: str) -> int:
        """Number of bytes of a file that are present."""
        whole = self.files / path
        for file in (whole, part(whole)):
            if file.is_file():
                return file.stat().st_size
        return 0

    def keep_only(self, paths: list[str]) -> None:
        wanted = {self.files / path for path in paths}
        for folder, _, names in os.walk(self.files):
            for name in names:
                if (file := Path(folder) / name) not in wanted:
                    file.unlink()

    def publish(self, target: Path, copy: Path | None = None) -> None:
        """Publishes the model, or a copy of it, by one rename. A folder that a user placed there meanwhile is
        kept."""
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.rename(copy or self.files, target)
        except OSError:
            if not target.is_dir():
                raise
        folder = os.open(target.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
        self.remove()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")
