"""Queue of waves as files in a folder that all workers share. Creating a wave's claim file is atomic. A
worker refreshes its claim while it lives; a stale claim passes to another worker. Results are renamed into
place, so no file is ever incomplete. Two workers that finish the same wave write identical bytes. On a
cluster a claim names its attempt (fence.py), since process ids and host names mean nothing there."""

import contextlib
import json
import os
import socket
import threading
import time
from pathlib import Path
from typing import Protocol

# A claim unchanged for this many seconds belongs to a dead worker. Each worker measures by its own clock, so
# clocks need not agree.
LEASE = 30.0
_HEARTBEAT_SECONDS = 5.0


class Attempt(Protocol):
    """The run of a job that a worker on a cluster belongs to (fence.py)."""

    attempt: int

    def check(self) -> None:
        """Raises if the attempt is over."""


class WaveQueue:
    def __init__(self, folder: Path, count: int, fence: Attempt | None = None, worker: str | None = None):
        self.folder, self.count, self.fence = folder, count, fence
        self.worker = worker or f"{socket.gethostname()} {os.getpid()} {os.urandom(4).hex()}"
        self.seen: dict[
            int, tuple[str, float]
        ] = {}  # claims of other workers: their content, and the time since when it is unchanged
        self.finished: set[int] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def result(self, wave: int) -> Path:
        return self.folder / f"{wave:06d}.json"

    def tensors(self, wave: int, rank: int) -> Path:
        """File of the experts of one rank in a wave."""
        return self.folder / f"{wave:06d}.r{rank}.safetensors"

    def is_done(self, wave: int) -> bool:
        if wave not in self.finished and self.result(wave).is_file():
            self.finished.add(wave)
        return wave in self.finished

    def open(self) -> list[int]:
        return [wave for wave in range(self.count) if not self.is_done(wave)]

    def claim(self) -> "Claim | None":
        """Claims a free wave. Returns None if all waves are done or claimed."""
        for wave in self.open():
            if (claimed := self._try(wave)) is not None:
                return claimed
        return None

    def _try(self, wave: int) -> "Claim | None":
        file = self.folder / f"{wave:06d}.claim"
        if file.exists() and not self._abandoned(wave, file):
            return None
        draft = self.folder / f".{wave:06d}.{os.urandom(6).hex()}"
        own = None
        try:
            try:
                draft.write_text(self._line(0))
                own = draft.stat()
                os.link(draft, file)  # atomic: only one worker succeeds
            finally:
                draft.unlink(missing_ok=True)
            if not self.is_done(wave):
                return Claim(self, wave, file)
            file.unlink(missing_ok=True)  # the wave was finished meanwhile
            return None
        except FileExistsError:
            return None
        except BaseException:
            # A termination signal may arrive here; a claim that nobody refreshes would block others for a lease period.
            with contextlib.suppress(FileNotFoundError):
                if own and os.path.samestat(file.stat(), own):
                    file.unlink()
            raise

    def _abandoned(self, wave: int, file: Path) -> bool:
        """Whether the claim's worker is dead. If so, exactly one of the observers removes the claim."""
        try:
            content = file.read_text()
        except FileNotFoundError:
            return True
        before, since = self.seen.get(wave, (None, 0.0))
        if content != before:
            self.seen[wave] = (content, time.monotonic())
            if not self._is_dead(content):
                return False
        elif time.monotonic() - since < LEASE and not self._is_dead(content):
            return False
        return self._take_away(wave, file, content)

    def _take_away(self, wave: int, file: Path, content: str) -> bool:
        """Removes a claim if it still has this content; exactly one of several callers succeeds."""
        away = self.folder / f".{wave:06d}.dead.{os.urandom(6).hex()}"
        try:
            os.rename(file, away)
        except FileNotFoundError:
            return False  # another worker has removed it, and may have claimed the wave
        taken = away.read_text()
        away.unlink()
        if (
            taken != content
        ):  # a fresh claim was removed: its worker continues anyway and writes the same result
            return False
        self.seen.pop(wave, None)
        return True

    def _is_dead(self, content: str) -> bool:
        if self.fence is None:
            return _is_dead(content)
        try:
            return json.loads(content)["attempt"] < self.fence.attempt
        except (ValueError, KeyError, TypeError):
            return False

    def free(self, worker: str) -> int:
        """Frees the waves of a dead worker; returns their number."""
        freed = 0
        for file in self.folder.glob("*.claim"):
            try:
                content = file.read_text()
                mine = json.loads(content)["worker"] == worker
            except (FileNotFoundError, ValueError, KeyError, TypeError):
                continue
            freed += mine and self._take_away(int(file.stem), file, content)
        return freed

    def _line(self, beat: int) -> str:
        place = (
            {"host": socket.gethostname(), "pid": os.getpid()}
            if self.fence is None
            else {"attempt": self.fence.attempt}
        )
        return json.dumps({"worker": self.worker, **place, "beat": beat})


class Claim:
    """A claimed wave, valid while it is refreshed."""

    def __init__(self, queue: WaveQueue, wave: int, file: Path):
        self.queue, self.wave, self.file = queue, wave, file
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self.thread.start()

    def finish(self, result: dict) -> None:
        """Publishes the result after the tensors are written; the wave is then done."""
        if self.queue.fence is not None:
            self.queue.fence.check()
        write_whole(self.queue.result(self.wave), json.dumps(result).encode())
        self.release()

    def release(self) -> None:
        """Gives the wave back; idempotent, since a termination signal may interrupt it."""
        try:
            self.over.set()
            self.thread.join()
        finally:
            self.file.unlink(missing_ok=True)

    def _beat(self) -> None:
        beat = 0
        while not self.over.wait(_HEARTBEAT_SECONDS):
            beat += 1
            try:
                write_whole(self.file, self.queue._line(beat).encode(), sync=False)
            except OSError:
                continue  # for example a full disk, which the wave itself will report


def _is_dead(content: str) -> bool:
    """Whether the process of a worker on this machine is gone. For other machines only the lease decides."""
    try:
        said = json.loads(content)
        if said["host"] != socket.gethostname():
            return False
        os.kill(said["pid"], 0)
        return False
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, PermissionError):
        return False


def write_whole(file: Path, content: bytes, sync: bool = True) -> None:
    """Writes a file atomically and durably."""
    draft = file.with_name(f".{file.name}.{os.urandom(4).hex()}")
    try:
        with open(draft, "wb") as out:
            out.write(content)
            if sync:
                out.flush()
                os.fsync(out.fileno())
        os.replace(draft, file)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
