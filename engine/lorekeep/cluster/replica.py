"""A replica of the engine on a cluster: it listens on its node, takes the one server that knows its token, and passes lines between that
server and an engine process, which ends with the connection. docs/decisions/0020-serving-replicas.md has the protocol of both sides."""

import argparse
import contextlib
import hmac
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from lorekeep.cluster.process import Process
from lorekeep.tune.waves import write_whole

# Seconds in which the server comes, and in which a caller says its token.
COMES, SAYS = 60.0, 5.0
# A server asks every second whether the engine lives (connected.ts): one that is silent for so long is gone.
SILENT = 60.0
_LONGEST = 200
_ENGINE = (sys.executable, "-m", "lorekeep", "serve")


class Replica:
    def __init__(self, folder: str, attempt: int, role: str, program: tuple[str, ...] = _ENGINE):
        self.program = program
        self.process = Process(folder, attempt, role)

    def serve(self, host: str) -> dict:
        return self.process.outcome(lambda: self._serve(host))

    def _serve(self, host: str) -> tuple[int, str | None]:
        said = json.loads((self.process.folder / "serve.json").read_text())
        # It imports while the server is on its way.
        engine = subprocess.Popen(
            [*self.program, *said["options"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        try:
            with socket.create_server((host, 0)) as listener:
                place = {"host": host, "port": listener.getsockname()[1]}
                write_whole(self.process.fence.file("address"), json.dumps(place).encode())
                server = awaited(listener, said["token"])
            if server is None:
                return 1, f"No server came within {COMES:.0f} seconds."
            with server:
                relay(server, engine)
            return 0, None
        finally:
            engine.kill()
            engine.wait()

    def leave(self) -> None:
        self.process.leave()


def awaited(listener: socket.socket, token: str, seconds: float = COMES) -> socket.socket | None:
    """The connection of the server; others are closed."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        listener.settimeout(left)
        with contextlib.suppress(OSError):
            caller, _ = listener.accept()
            if hmac.compare_digest(_first_line(caller), token.encode()):
                return caller
            caller.close()
    return None


def _first_line(caller: socket.socket) -> bytes:
    """Read byte by byte: what follows belongs to the engine."""
    line = b""
    until = time.monotonic() + SAYS
    while len(line) < _LONGEST and (left := until - time.monotonic()) > 0:
        caller.settimeout(left)
        byte = caller.recv(1)
        if byte in (b"\n", b""):
            break
        line += byte
    return line


def relay(server: socket.socket, engine: subprocess.Popen) -> None:
    """Returns when either of both has ended."""
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server.settimeout(SILENT)
    assert engine.stdin and engine.stdout
    to_engine, from_engine = engine.stdin, engine.stdout

    def ask() -> None:
        with contextlib.suppress(OSError):
            while asked := server.recv(1 << 16):
                to_engine.write(asked)
                to_engine.flush()
        # The engine ends by itself.
        with contextlib.suppress(OSError):
            to_engine.close()

    asking = threading.Thread(target=ask, name="asking", daemon=True)
    asking.start()
    with contextlib.suppress(OSError):
        while answered := from_engine.read1(1 << 16):  # pyright: ignore[reportAttributeAccessIssue]
            server.sendall(answered)


def main() -> None:
    """A replica without Ray, as tests start it; `--program` is another one than the engine."""
    parser = argparse.ArgumentParser(prog="lorekeep.cluster.replica")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--attempt", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    program = tuple(options.program or _ENGINE)
    replica = Replica(str(options.folder), options.attempt, "driver", program)
    replica.process.beat.end({"ended": replica.serve(options.host)})


if __name__ == "__main__":
    main()
