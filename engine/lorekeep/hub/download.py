"""Downloads a model from a hub into a folder. A download is pinned to one commit, resumes after an
interruption, verifies the hash of every file and becomes visible under its name only when complete. The
server starts it as `python -m lorekeep download`."""

import errno
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lorekeep import disk, folders, precision
from lorekeep.contract import PRECISION_BYTES, SERVE_BYTES
from lorekeep.download_mark import read_mark, write_mark
from lorekeep.errors import EngineError
from lorekeep.hub import choose_files
from lorekeep.hub.client import Hub, HubError, Remote
from lorekeep.hub.staging import Staging, part

_TYPES = {"generate": "transformer", "embed": "embedding"}  # as the API calls them
_BACKOFF = (1, 2, 4, 8, 15)  # seconds before each retry, while nothing arrives
_MAX_SMALL_FILE = 64 << 20  # bytes of a file that is read before large files are fetched
_PROGRESS_INTERVAL = 0.5  # seconds between two progress messages


@dataclass(frozen=True)
class DownloadRequest:
    name: str
    kind: str | None
    hub: str
    models: Path
    token: str | None = field(repr=False)
    public: bool
    precision: str = "none"  # precision of the stored copy: none, int8, int4, or auto by `memory`
    memory: int | None = None  # bytes of the machine


class Refused(Exception):
    """A download failed for good. `keep`: the fetched files serve the next attempt; `pinned`: that attempt
    uses the same commit."""

    def __init__(self, reason: str, keep: bool = False, pinned: bool = False):
        super().__init__(reason)
        self.reason, self.keep, self.pinned = reason, keep, pinned


class Download:
    def __init__(self, ask: DownloadRequest, tell: Callable[[dict], None]):
        self.ask, self.tell = ask, tell
        self.hub = Hub(ask.hub, ask.token)
        self.target = ask.models / ask.name
        self.sizes: dict[str, int] = {}
        self.last_progress = 0.0

    def run(self) -> None:
        staging = None
        try:
            self.staging = staging = Staging(self.ask.models, self.ask.name)
            self.tell({"type": "finished", "model_type": self._run()})
        except Refused as refused:
            if staging and not refused.keep:
                staging.remove()
            elif staging and not refused.pinned:
                staging.note(None)
            self._fail(refused.reason)
        except HubError as error:
            if staging and not staging.keys:
                staging.remove()
            self._fail(error.reason)
        except EngineError as error:
            if staging:
                staging.remove()
            self._fail(str(error.facts.get("reason", error.message)))
        except OSError as error:
            if disk.is_full(error) or error.errno == errno.EFBIG:
                # A disk that stays full would stop more than this download.
                if staging:
                    staging.remove()
                self._fail(
                    f"the disk is full ({os.strerror(error.errno or errno.ENOSPC)}). What had arrived was removed"
                )
            else:
                self._fail(f"{error.strerror or type(error).__name__} on the disk of the server")

    def _fail(self, reason: str) -> None:
        # Removes the token from messages, in case a library ever puts it into an error.
        self.tell(
            {
                "type": "failed",
                "reason": reason.replace(self.ask.token, "(hidden)") if self.ask.token else reason,
            }
        )

    def _run(self) -> str:
        self.commit, self.there = self._list()
        if (self.target / "config.json").is_file():
            # The hub lets the caller read the model, which was the last check.
            return self._share()
        self.staging.note(self.commit)
        kind, files = choose_files.choose(self.ask.name, self.ask.kind, self.there, self._fetch_small)
        remotes = [self._remote(path) for path in dict.fromkeys(files)]
        self.sizes = {file.path: file.length for file in remotes}
        self._check_room()
        self._check_memory(kind)
        self.tell({"type": "planned", "commit": self.commit, "total": sum(self.sizes.values())})
        for file in remotes:
            self._fetch(file)
        self.staging.keep_only(files)
        folder = folders.check(str(self.staging.files), kind)
        hashes = {file.path: file.key for file in remotes}
        mark = {
            "name": self.ask.name,
            "model_type": _TYPES[kind],
            "public": self.ask.public,
            "hub": self.ask.hub,
            "commit": self.commit,
            "files": hashes,
        }
        write_mark(self.staging.files, mark)
        self.staging.publish(self.target, self._quantized(folder, kind))
        return _TYPES[kind]

    def _quantized(self, folder: folders.Folder, kind: str) -> Path | None:
        """The quantized copy that replaces the downloaded files."""
        name = precision.choose(self.ask.precision, folder.parameters, self.ask.memory)
        if name == "none" or kind != "generate" or folder.precision is not None:
            return None
        from lorekeep.quantization.write import quantize  # torch is not needed for a plain download

        copy = self.staging.folder / "quantized"
        shutil.rmtree(copy, ignore_errors=True)
        self.last_progress = 0.0  # the first message is sent at once
        quantize(folder.path, copy, name, self._rounding)
        return copy

    def _rounding(self, done: int, total: int) -> None:
        if time.monotonic() - self.last_progress > _PROGRESS_INTERVAL:
            self.last_progress = time.monotonic()
            self.tell({"type": "quantizing", "done": done, "total": total})

    def _list(self) -> tuple[str, dict[str, Remote]]:
        pauses = iter(_BACKOFF[:2])
        commit = self.staging.commit
        while True:
            try:
                return self.hub.files(self.ask.name, commit)
            except HubError as error:
                if error.gone and commit:
                    commit = None  # removed from the hub: uses the newest one
                    continue
                pause = next(pauses, None) if error.again and not error.silent else None
                if pause is None:
                    raise
                time.sleep(pause)

    def _share(self) -> str:
        mark = read_mark(self.target)
        if self.ask.public and not mark.get("public", True):
            write_mark(self.target, {**mark, "public": True})
        self.staging.remove()
        return mark.get("model_type") or _TYPES[self.ask.kind or "generate"]

    def _remote(self, path: str) -> Remote:
        file = self.there[path]
        if file.size is None or file.key.startswith("at:"):
            file = self.there[path] = self.hub.file_metadata(self.ask.name, self.commit, path)
        if file.size is None:
            raise Refused(f"{self.ask.hub} does not say how large {path} is")
        return file

    def _fetch_small(self, path: str) -> Path:
        file = self._remote(path)
        if file.length > _MAX_SMALL_FILE:
            raise folders.invalid(self.ask.name, f"its {path} has {file.size} bytes, too many to be one")
        return self._fetch(file)

    def _check_room(self) -> None:
        """Checks free space before large files are fetched: a full disk would stop the database as well."""
        missing = sum(size - min(size, self.staging.have(path)) for path, size in self.sizes.items())
        disk = shutil.disk_usage(self.staging.folder)
        reserve = min(256 << 20, disk.total // 20)
        if missing > disk.free - reserve:
            raise Refused(
                f"the disk has too little room: {missing} bytes are to come, {disk.free} are free, and {reserve} of them stay so",
                keep=True,
                pinned=True,
            )

    def _check_memory(self, kind: str) -> None:
        """Checks that the machine can hold the weights, before they are fetched."""
        if kind != "generate" or self.ask.memory is None:
            return
        config = folders.read_json(self.staging.place(self.there["config.json"]))
        stored = sum(size for path, size in self.sizes.items() if path.endswith(".safetensors"))
        if precision.read(self.ask.name, config) is not None:
            needed = SERVE_BYTES + stored
        else:
            parameters = stored // (4 if config.get("dtype", config.get("torch_dtype")) == "float32" else 2)
            wished = precision.choose(self.ask.precision, parameters, self.ask.memory)
            needed = SERVE_BYTES + int(parameters * PRECISION_BYTES[wished])
        if needed > self.ask.memory:
            raise Refused(
                f"it needs {needed} bytes of memory, and this machine has {self.ask.memory}; take a smaller model, or another precision"
            )

    def _fetch(self, file: Remote) -> Path:
        path = self.staging.place(file)
        if path.is_file():
            return path
        for _ in range(2):
            try:
                self._receive(file, path)
            except _WrongContent:
                part(path).unlink(missing_ok=True)
                continue
            os.replace(part(path), path)
            self._progress(now=True)
            return path
        raise Refused(
            f"{file.path} arrived twice with another content than {self.ask.hub} says ({file.key})",
            keep=True,
        )

    def _receive(self, file: Remote, path: Path) -> None:
        """Downloads the rest of the file. Resumes after every broken connection while bytes keep arriving."""
        pauses = iter(_BACKOFF)
        with open(part(path), "ab") as out:
            arriving = _Arriving(out, path=part(path), file=file, progress=self._progress)
            while arriving.size < file.length:
                before = arriving.size
                try:
                    self.hub.read(
                        self.ask.name,
                        self.commit,
                        file.path,
                        before,
                        arriving.write,
                        arriving.restart,
                    )
                    if arriving.size < file.length:
                        raise _WrongContent
                except HubError as error:
                    if arriving.size > before:
                        pauses = iter(_BACKOFF)
                    pause = next(pauses, None) if error.again else None
                    if pause is None:
                        raise
                    time.sleep(pause)
            out.flush()
            os.fsync(out.fileno())
            if not arriving.is_intact():
                raise _WrongContent

    def _progress(self, now: bool = False) -> None:
        if self.sizes and (now or time.monotonic() - self.last_progress > _PROGRESS_INTERVAL):
            self.last_progress = time.monotonic()
            done = sum(min(size, self.staging.have(path)) for path, size in self.sizes.items())
            self.tell({"type": "progress", "done": done, "total": sum(self.sizes.values())})


class _WrongContent(Exception):
    """The downloaded content does not match the hub's hash."""


class _Arriving:
    """A file during its download, hashed as it arrives."""

    def __init__(self, out, path: Path, file: Remote, progress: Callable[[], None]):
        self.out, self.file, self.progress = out, file, progress
        self.size = 0
        self.hash = self._new_hash()
        with open(path, "rb") as earlier:
            while chunk := earlier.read(1 << 20):
                self._count(chunk)

    def _new_hash(self):
        if self.file.key.startswith("git:"):
            return hashlib.sha1(f"blob {self.file.size}\0".encode(), usedforsecurity=False)
        return hashlib.sha256()

    def _count(self, chunk: bytes) -> None:
        self.hash.update(chunk)
        self.size += len(chunk)

    def write(self, chunk: bytes) -> None:
        if self.size + len(chunk) > self.file.length:
            raise _WrongContent
        self.out.write(chunk)
        self.out.flush()
        self._count(chunk)
        self.progress()

    def restart(self) -> None:
        self.out.truncate(0)
        self.size = 0
        self.hash = self._new_hash()

    def is_intact(self) -> bool:
        kind, _, value = self.file.key.partition(":")
        return self.size == self.file.size and (kind == "at" or self.hash.hexdigest() == value)
