"""A replica accepts only the server that knows its token, over TLS; it exits with the connection, with its engine, and if no server
connects."""

import contextlib
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lorekeep.cluster.replica import awaited, listening
from lorekeep.cluster.secured import Connection

ECHO = "import sys\nfor line in sys.stdin:\n    print('said ' + line, end='', flush=True)\n    if 'end' in line: break"
ENGINE = Path(__file__).parents[2]
# This environment has the package for certificates in the same version as a cluster's nodes.
PYTHON = ENGINE.parent / ".setup/tools/bin/python"


@contextlib.contextmanager
def started(folder: Path, engine: str = ECHO, ports: list[int] | None = None):
    (folder / "runs").mkdir(parents=True)
    (folder / "runs" / "000001.json").write_text("{}")
    (folder / "serve.json").write_text(json.dumps({"token": "right", "options": [], "ports": ports}))
    words = ["lorekeep.cluster.replica", str(folder), "--attempt", "1", "--program"]
    process = subprocess.Popen(
        [PYTHON, "-m", *words, sys.executable, "-c", engine], env={**os.environ, "PYTHONPATH": str(ENGINE)}
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def place_of(process: subprocess.Popen, folder: Path) -> dict:
    address = folder / "runs" / "000001.address"
    while not address.exists():
        assert process.poll() is None
        threading.Event().wait(0.02)
    return json.loads(address.read_text())


@pytest.fixture
def replica(tmp_path):
    with started(tmp_path) as process:
        yield process, place_of(process, tmp_path), tmp_path


def trusting(certificate: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=certificate)
    context.check_hostname = False
    return context


def connected(place: dict, token: str, context: ssl.SSLContext | None = None) -> ssl.SSLSocket:
    plain = socket.create_connection((place["host"], place["port"]), timeout=20)
    connection = (context or trusting(place["certificate"])).wrap_socket(plain)
    connection.sendall(f"{token}\n".encode())
    return connection


def how_it_ended(folder: Path) -> dict:
    return json.loads((folder / "runs" / "000001.driver.beat").read_text())["ended"]


def test_a_replica_relays_lines_for_the_token_holder_until_the_connection_closes(replica):
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


def test_a_replica_exits_with_its_engine(replica):
    process, place, _ = replica
    with connected(place, "right") as server:
        server.sendall(b"end\n")
        assert server.makefile("rb").readlines() == [b"said end\n"]
    assert process.wait(20) == 0


def test_a_replica_exits_when_its_attempt_is_closed(replica):
    process, _, folder = replica
    (folder / "runs" / "000001.closed").touch()
    assert process.wait(20) != 0


def test_callers_without_tls_or_with_an_old_version_are_rejected(replica):
    _, place, _ = replica
    with socket.create_connection((place["host"], place["port"]), timeout=20) as plain:
        plain.sendall(b"right\n" * 100)
        with contextlib.suppress(ConnectionResetError):
            while told := plain.recv(100):
                assert b"said" not in told
    old = trusting(place["certificate"])
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(ssl.SSLError):
        connected(place, "right", old)
    with connected(place, "right") as server:
        server.sendall(b"one\n")
        assert server.makefile("rb").readline() == b"said one\n"


def test_each_replica_has_its_own_key(replica, tmp_path):
    _, place, _ = replica
    with started(tmp_path / "other") as process:
        other = place_of(process, tmp_path / "other")
        with pytest.raises(ssl.SSLCertVerificationError):
            connected(other, "right", trusting(place["certificate"]))


def test_large_data_is_relayed_in_both_directions_at_once(tmp_path):
    """More data than the buffers of sockets and pipes hold: a side that waits to write is still read from."""
    lines = [b"%d %s\n" % (number, b"x" * 50_000) for number in range(200)]
    wanted = b"".join(b"said " + line for line in lines)
    with started(tmp_path) as process:
        tls = connected(place_of(process, tmp_path), "right")
        with Connection(tls, 20) as server:
            sending = threading.Thread(target=lambda: [server.send(line) for line in lines])
            sending.start()
            parts: list[bytes] = []
            while sum(map(len, parts)) < len(wanted) and (part := server.receive()):
                parts.append(part)
            sending.join()
    assert b"".join(parts) == wanted


def test_a_replica_listens_on_the_first_free_port_of_its_range(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert listening("127.0.0.1", port, port) is None
        with started(tmp_path, ports=[port, port]) as process:
            assert process.wait(20) == 0
        said = how_it_ended(tmp_path)
    assert (said["status"], said["reason"]) == (
        1,
        f"No port from {port} to {port} is free on 127.0.0.1 (LOREKEEP_REPLICAS_PORTS).",
    )
    free = listening("127.0.0.1", port, port)
    assert free is not None
    free.close()


def test_waiting_for_a_server_times_out():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert awaited(listener, "right", ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), seconds=0.1) is None
