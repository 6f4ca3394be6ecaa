"""Replica of the engine on a cluster: it listens on its node, accepts the one server that knows its token, and relays lines between that
server, over TLS, and an engine process, which ends with the connection. docs/decisions/0020-serving-replicas.md has the protocol of both
sides."""

import argparse
import contextlib
import errno
import hmac
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

from lorekeep.cluster.process import Process
from lorekeep.cluster.secured import Connection, own_certificate
from lorekeep.tune.waves import write_whole

# Timeouts in seconds: for the server to connect, and for a caller to complete the TLS handshake and send its token.
COMES, SAYS = 60.0, 5.0
# Timeout in seconds of a silent server: a live one sends a liveness probe every second (connected.ts).
SILENT = 60.0
_MAX_LINE = 200
_ENGINE_COMMAND = (sys.executable, "-m", "lorekeep", "serve")


class Replica:
    def __init__(self, folder: str, attempt: int, role: str, program: tuple[str, ...] = _ENGINE_COMMAND):
        self.program = program
        self.process = Process(folder, attempt, role)

    def serve(self, host: str) -> dict:
        return self.process.outcome(lambda: self._serve(host))

    def _serve(self, host: str) -> tuple[int, str | None]:
        said = json.loads((self.process.folder / "serve.json").read_text())
        # Started first, so that it imports its libraries before the server connects.
        engine = subprocess.Popen(
            [*self.program, *said["options"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        )
        try:
            context, certificate = own_certificate()
            first, last = said["ports"] or (0, 0)
            listener = listening(host, first, last)
            if listener is None:
                return 1, f"No port from {first} to {last} is free on {host} (LOREKEEP_REPLICAS_PORTS)."
            with listener:
                place = {"host": host, "port": listener.getsockname()[1], "certificate": certificate}
                write_whole(self.process.fence.file("address"), json.dumps(place).encode())
                server = awaited(listener, said["token"], context)
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


def listening(host: str, first: int, last: int) -> socket.socket | None:
    """Listens on the first free port of the range; port 0 means any."""
    for port in range(first, last + 1):
        try:
            return socket.create_server((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    return None


def awaited(
    listener: socket.socket, token: str, context: ssl.SSLContext, seconds: float = COMES
) -> Connection | None:
    """Waits for the connection of the server; other connections are closed."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        listener.settimeout(left)
        with contextlib.suppress(OSError):
            caller, _ = listener.accept()
            if (server := _admitted(caller, token, context)) is not None:
                return server
    return None


def _admitted(caller: socket.socket, token: str, context: ssl.SSLContext) -> Connection | None:
    """The connection of a caller that sends the token in time; any other one is closed."""
    until = time.monotonic() + SAYS
    caller.settimeout(SAYS)
    caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    tls = context.wrap_socket(caller, server_side=True)
    try:
        if hmac.compare_digest(_first_line(tls, until), token.encode()):
            return Connection(tls, SILENT)
    except OSError:
        tls.close()
        raise
    tls.close()
    return None


def _first_line(caller: socket.socket, until: float) -> bytes:
    """Reads a line byte by byte, since the bytes after it belong to the engine."""
    line = b""
    while len(line) < _MAX_LINE and (left := until - time.monotonic()) > 0:
        caller.settimeout(left)
        byte = caller.recv(1)
        if byte in (b"\n", b""):
            break
        line += byte
    return line


def relay(server: Connection, engine: subprocess.Popen) -> None:
    """Relays lines until the server or the engine ends."""
    assert engine.stdin and engine.stdout
    to_engine, from_engine = engine.stdin, engine.stdout

    def ask() -> None:
        # ValueError: the connection was closed meanwhile.
        with contextlib.suppress(OSError, ValueError):
            while asked := server.receive():
                to_engine.write(asked)
                to_engine.flush()
        # The engine exits when its input is closed.
        with contextlib.suppress(OSError):
            to_engine.close()

    asking = threading.Thread(target=ask, name="asking", daemon=True)
    asking.start()
    with contextlib.suppress(OSError):
        while answered := from_engine.read1(1 << 16):  # pyright: ignore[reportAttributeAccessIssue]
            server.send(answered)


def main() -> None:
    """Runs a replica without Ray, as tests do; `--program` replaces the engine."""
    parser = argparse.ArgumentParser(prog="lorekeep.cluster.replica")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--attempt", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    program = tuple(options.program or _ENGINE_COMMAND)
    replica = Replica(str(options.folder), options.attempt, "driver", program)
    replica.process.beat.end({"ended": replica.serve(options.host)})


if __name__ == "__main__":
    main()
