"""For tests: `python -m lorekeep` forked from one process that has imported everything, since importing takes four seconds of
computing, and has read the models that most tests use (testing_models.py).

    python -m lorekeep.testing_forks SOCKET [download]    prints "ready", and serves until its standard input closes

With `download` it forks downloads and nothing else: their library is loaded with other settings. Downloads that store a model in fewer
bits need torch, with one thread like all forks: threads that wait for each other on shared cores are slower.

A test starts `testing_fork_client.py` in the place of the interpreter. The client hands over its arguments, environment, folder and
standard streams, and mirrors the fork from then on. Signals to the client reach the fork, and its whole group where the client leads one;
SIGSTOP and SIGKILL too. The client ends with the fork's exit status, and the fork never outlives it."""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import selectors
import signal
import socket
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_ENGINE = Path(__file__).resolve().parents[1]
_CLIENT = Path(__file__).with_name("testing_fork_client.py")
_IMPORTED = [
    "transformers.models.llama.modeling_llama",
    "lorekeep.serve",
    "lorekeep.memory.validate_import",
    "lorekeep.memory.export",
    "lorekeep.tune.measure.evaluate",
    "lorekeep.tune.worker_process",
]
_IMPORTED_BY_DOWNLOADS = [
    "lorekeep.hub.download",  # first, since it sets what the library reads
    "lorekeep.quantization.write",
    "transformers.models.llama.modeling_llama",
]
_COMMANDS = ("serve", "work", "tune", "export", "import", "evaluate")
# Prefixes of variables that libraries read while they are loaded.
_READ_EARLY = ("LD_", "MALLOC_", "GLIBC_", "OMP_", "KMP_", "MKL_", "TORCH_", "PYTORCH_", "LANG", "LC_")
_NAMESPACES = ("net", "pid")
# Namespaces that a fork enters: tests mount file systems of their own. Entering the second needs the first.
_ENTERED = ("user", "mnt")
_LIMITS = [value for name, value in vars(resource).items() if name.startswith("RLIMIT_")]
_STOP_POLL_SECONDS = 0.2
_TIMEOUT_SECONDS = 5.0
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl


def command_of(path: str, words: list[str]) -> list[str]:
    """The client's command line for these arguments of the interpreter."""
    return [sys.executable, "-I", "-S", str(_CLIENT), path, *words]


@dataclass
class _StartRequest:
    """A requested start."""

    words: list[str]
    environment: dict[str, str]
    folder: str
    umask: int
    leads: bool
    client: int
    ends: list[int]
    limits: dict[int, tuple[int, int]]
    begin: int = -1  # readable once the client mirrors

    def close(self) -> None:
        for end in self.ends:
            os.close(end)


@dataclass
class _Fork:
    pid: int
    ended: int  # its pidfd
    begin: int  # written to once the client mirrors
    client: int
    leads: bool
    connection: socket.socket
    stopped: bool = False

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if self.leads else os.kill)(self.pid, number)

    def mirror_stop(self) -> None:
        """Polls the state of the client, since SIGSTOP cannot be caught."""
        with contextlib.suppress(OSError):
            stopped = Path(f"/proc/{self.client}/stat").read_text().rpartition(") ")[2][0] == "T"
            if stopped != self.stopped:
                self.stopped = stopped
                self.signal(signal.SIGSTOP if stopped else signal.SIGCONT)

    def hear(self) -> bool:
        """Forwards the signals that the client caught; returns whether the client is alive. A 0 means that it mirrors from now on."""
        try:
            numbers = self.connection.recv(64)
        except OSError:
            numbers = b""
        for number in numbers or [signal.SIGKILL]:
            if number == 0:
                os.write(self.begin, b"x")
            else:
                self.signal(number)
        return numbers != b""

    def close(self) -> None:
        self.connection.close()
        os.close(self.ended)
        os.close(self.begin)

    def tell_end(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        with contextlib.suppress(OSError):
            self.connection.sendall(struct.pack("<i", status))


class _Server:
    def __init__(self, path: str, commands: tuple[str, ...]):
        self._commands = commands
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(path)
        self._listening.listen(128)
        self._selector = selectors.PollSelector()  # has no file descriptor of its own
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._selector.register(0, selectors.EVENT_READ)
        self._forks: list[_Fork] = []

    def run(self) -> _StartRequest | None:
        """Serves until standard input closes. In a fork it returns the start to perform."""
        while True:
            for key, _ in self._selector.select(_STOP_POLL_SECONDS if self._forks else None):
                if key.fileobj == 0:
                    for fork in self._forks:
                        fork.signal(signal.SIGKILL)
                    return None
                if key.fileobj is self._listening:
                    if (asked := self._accept()) is not None:
                        return asked
                elif key.data not in self._forks:
                    continue  # it was removed a moment ago
                elif key.fileobj is key.data.connection:
                    if not key.data.hear():
                        self._selector.unregister(key.fileobj)
                else:
                    self._forget(key.data)
            for fork in self._forks:
                fork.mirror_stop()

    def _accept(self) -> _StartRequest | None:
        connection, _ = self._listening.accept()
        connection.settimeout(_TIMEOUT_SECONDS)
        client = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        try:
            asked = _receive(connection, client)
        except (OSError, ValueError, struct.error):  # the client was killed meanwhile
            connection.close()
            return None
        if not _can_be_forked(asked, self._commands):
            with contextlib.suppress(OSError):
                connection.sendall(struct.pack("<i", 0))
            asked.close()
            connection.close()
            return None
        asked.begin, begin = os.pipe()
        if (pid := os.fork()) == 0:
            os.close(begin)
            self._leave(connection)
            return asked
        asked.close()
        os.close(asked.begin)
        with contextlib.suppress(OSError):  # the fork does the same; either may be first
            os.setpgid(pid, pid)
        fork = _Fork(pid, os.pidfd_open(pid), begin, client, asked.leads, connection)
        self._forks.append(fork)
        for place in (connection, fork.ended):
            self._selector.register(place, selectors.EVENT_READ, fork)
        with contextlib.suppress(OSError):
            connection.sendall(struct.pack("<i", pid))
        return None

    def _forget(self, fork: _Fork) -> None:
        self._forks.remove(fork)
        for place in (fork.connection, fork.ended):
            with contextlib.suppress(KeyError):
                self._selector.unregister(place)
        fork.tell_end()
        fork.close()

    def _leave(self, connection: socket.socket) -> None:
        """Closes the server's resources in a fork."""
        self._listening.close()
        connection.close()
        for fork in self._forks:
            fork.close()


def _receive(connection: socket.socket, client: int) -> _StartRequest:
    head, ends, *_ = socket.recv_fds(connection, 4, 3)
    try:
        text = b""
        (size,) = struct.unpack("<i", head)
        while len(text) < size:
            piece = connection.recv(size - len(text))
            if not piece:
                raise ConnectionResetError
            text += piece
        limits = {kind: resource.prlimit(client, kind) for kind in _LIMITS}
        return _StartRequest(**json.loads(text), client=client, ends=ends, limits=limits)
    except (OSError, ValueError, struct.error):
        for end in ends:
            os.close(end)
        raise


def _can_be_forked(asked: _StartRequest, commands: tuple[str, ...]) -> bool:
    """Whether a start can be forked; any other is started for real."""

    def early(environment) -> dict[str, str]:
        return {name: value for name, value in environment.items() if name.startswith(_READ_EARLY)}

    def place(pid: int | str) -> list[str]:
        return [_namespace(pid, name) for name in _NAMESPACES]

    try:
        return (
            asked.words[:2] == ["-m", "lorekeep"]
            and asked.words[2:3] != []
            and asked.words[2] in commands
            and asked.environment.get("PYTHONPATH") == str(_ENGINE)
            and early(asked.environment) == early(os.environ)
            and os.stat(f"/proc/{asked.client}").st_uid == os.getuid()
            and place(asked.client) == place("self")
        )
    except OSError:  # a process that may not be inspected
        return False


def _namespace(pid: int | str, name: str) -> str:
    return os.readlink(f"/proc/{pid}/ns/{name}")


def _enter_namespaces(client: int) -> None:
    others = [name for name in _ENTERED if _namespace(client, name) != _namespace("self", name)]
    entered = [os.open(f"/proc/{client}/ns/{name}", os.O_RDONLY) for name in others]
    libc = ctypes.CDLL(None, use_errno=True)
    for place in entered:
        if libc.setns(place, 0) != 0:
            raise OSError(ctypes.get_errno(), "a namespace of the client cannot be entered")
        os.close(place)


def _become(asked: _StartRequest, path: str) -> None:
    """Sets up the fork like a really started process."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    parent = os.getppid()
    for place, end in enumerate(asked.ends):
        os.dup2(end, place)
    asked.close()
    _enter_namespaces(asked.client)
    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)  # entering may clear it
    if os.getppid() != parent:
        os._exit(1)
    for kind, limit in asked.limits.items():
        resource.setrlimit(kind, limit)
    os.umask(asked.umask)
    os.chdir(asked.folder)
    os.environ.clear()
    os.environ.update(asked.environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    sys.argv = ["lorekeep", *asked.words[2:]]
    start_helpers_by(path)
    os.read(asked.begin, 1)
    os.close(asked.begin)


def start_helpers_by(path: str) -> None:
    """Makes processes that this one starts as `python -m lorekeep` forks too."""

    class Popen(subprocess.Popen):
        def __init__(self, args, *rest, **named):
            if list(args[:3]) == [sys.executable, "-m", "lorekeep"]:
                args = command_of(path, list(args[1:]))
            super().__init__(args, *rest, **named)

    subprocess.Popen = Popen


def main() -> None:
    path, *of = sys.argv[1:]
    commands, imported = (("download",), _IMPORTED_BY_DOWNLOADS) if of else (_COMMANDS, _IMPORTED)
    if not of:
        os.environ["HF_HUB_OFFLINE"] = "1"  # read while it is imported
    gc.disable()
    for name in imported:
        importlib.import_module(name)
    if of:
        importlib.import_module("torch").set_num_threads(1)
    else:
        importlib.import_module("lorekeep.testing_models").prepare()
    gc.freeze()
    gc.enable()
    server = _Server(path, commands)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the parent, which closes standard input
    print("ready", flush=True)
    asked = server.run()
    if asked is None:
        return
    _become(asked, path)
    if not of and os.environ.get("LOREKEEP_TEST_WHOLE_BASE") == "1":
        importlib.import_module("lorekeep.testing_models").keep_all_layers()
    from lorekeep.__main__ import main as lorekeep

    lorekeep()


if __name__ == "__main__":
    main()
