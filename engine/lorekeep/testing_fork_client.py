"""For tests: replaces `python -m lorekeep` and mirrors the fork that does the work; see `testing_forks.py`. Its process name is "fork of
PID". If no fork is available, it executes the real program.

    python -I -S testing_fork_client.py SOCKET -m lorekeep COMMAND ..."""

import contextlib
import json
import os
import resource
import signal
import socket
import struct
import sys

_PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


def _ask(connection: socket.socket, path: str, words: list[str]) -> int | None:
    """The fork's process id."""
    umask = os.umask(0)
    os.umask(umask)
    asked = {
        "words": words,
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "umask": umask,
        "leads": os.getpgrp() == os.getpid(),
    }
    text = json.dumps(asked).encode()
    try:
        connection.connect(path)
        socket.send_fds(connection, [struct.pack("<i", len(text))], [0, 1, 2])
        connection.sendall(text)
    except OSError:
        return None
    return _number(connection)


def _number(connection: socket.socket) -> int | None:
    try:
        said = connection.recv(4)
    except OSError:
        return None
    return struct.unpack("<i", said)[0] if said else None


def _pass_on(connection: socket.socket) -> None:
    def tell(number: int, _frame) -> None:
        with contextlib.suppress(OSError):  # it has just ended
            connection.send(bytes([number]))

    for number in _PASSED_ON:
        signal.signal(number, tell)


def _end_as(status: int) -> None:
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    number = os.WTERMSIG(status)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def main() -> None:
    path, *words = sys.argv[1:]
    connection = socket.socket(socket.AF_UNIX)
    pid = _ask(connection, path, words)
    if not pid:
        os.execv(sys.executable, [sys.executable, *words])
    _pass_on(connection)
    # Pipes close when the fork closes them.
    null = os.open(os.devnull, os.O_RDWR)
    for end in (0, 1, 2):
        os.dup2(null, end)
    with open("/proc/self/comm", "w") as name:
        name.write(f"fork of {pid}")
    connection.send(b"\0")  # lets the fork begin
    status = _number(connection)
    _end_as(signal.SIGKILL if status is None else status)


if __name__ == "__main__":
    main()
