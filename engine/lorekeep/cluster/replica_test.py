"""A replica takes the server that knows its token, and no other; it ends with the connection, with its engine, and without a server."""

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lorekeep.cluster.replica import awaited

ECHO = "import sys\nfor line in sys.stdin:\n    print('said ' + line, end='', flush=True)\n    if 'end' in line: break"
ENGINE = Path(__file__).parents[2]


@pytest.fixture
def replica(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "000001.json").write_text("{}")
    (tmp_path / "serve.json").write_text(json.dumps({"token": "right", "options": []}))
    words = [
        "lorekeep.cluster.replica",
        str(tmp_path),
        "--attempt",
        "1",
        "--program",
        sys.executable,
        "-c",
        ECHO,
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        env={**os.environ, "PYTHONPATH": str(ENGINE)},
    )
    try:
        address = tmp_path / "runs" / "000001.address"
        while not address.exists():
            assert process.poll() is None
            threading.Event().wait(0.02)
        place = json.loads(address.read_text())
        yield process, (place["host"], place["port"]), tmp_path
    finally:
        process.kill()
        process.wait()


def connected(place, token: str):
    connection = socket.create_connection(place, timeout=20)
    connection.sendall(f"{token}\n".encode())
    return connection


def how_it_ended(folder: Path) -> dict:
    return json.loads((folder / "runs" / "000001.driver.beat").read_text())["ended"]


def test_it_passes_lines_to_who_knows_the_token_until_the_connection_closes(replica):
    process, place, folder = replica
    with connected(place, "wrong") as stranger:
        assert stranger.recv(10) == b""
    with connected(place, "right") as server, server.makefile("rb") as lines:
        server.sendall(b"one\ntwo\n")
        assert [lines.readline(), lines.readline()] == [b"said one\n", b"said two\n"]
        with pytest.raises(ConnectionRefusedError):
            connected(place, "right")
    assert process.wait(20) == 0
    assert how_it_ended(folder)["status"] == 0


def test_it_ends_with_its_engine(replica):
    process, place, _ = replica
    with connected(place, "right") as server:
        server.sendall(b"end\n")
        assert server.makefile("rb").readlines() == [b"said end\n"]
    assert process.wait(20) == 0


def test_it_ends_when_its_attempt_is_closed(replica):
    process, _, folder = replica
    (folder / "runs" / "000001.closed").touch()
    assert process.wait(20) != 0


def test_a_server_that_never_comes_is_not_awaited_for_ever():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert awaited(listener, "right", seconds=0.1) is None
