"""TLS between a server and a replica on a cluster. The replica makes a key for its attempt and writes the certificate
into the attempt's folder, where its server reads it: no certificate authority, host name or clock is involved."""

import select
import ssl
import tempfile
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

_Result = TypeVar("_Result")


def own_certificate() -> tuple[ssl.SSLContext, str]:
    """A context with a new key, and its certificate in PEM."""
    # The package is installed with Ray (engine/ray.lock); the engine itself does not depend on it.
    from cryptography import x509  # pyright: ignore[reportMissingImports]
    from cryptography.hazmat.primitives import hashes, serialization  # pyright: ignore[reportMissingImports]
    from cryptography.hazmat.primitives.asymmetric import ec  # pyright: ignore[reportMissingImports]

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "lorekeep replica")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # The certificate ends with the attempt, not by date, since the clocks of nodes differ.
        .not_valid_before(datetime(1970, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(9999, 12, 31, tzinfo=UTC))
        .sign(key, hashes.SHA256())
    )
    told = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    # The ssl module reads keys from files only. This folder is local to the node and private to its user.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.pem"
        file.write_bytes(secret + told)
        context.load_cert_chain(file)
    return context, told.decode()


class Connection:
    """A TLS connection that one thread reads while another one writes. OpenSSL admits one of them at a time, so both wait outside of it,
    for at most `silent` seconds."""

    def __init__(self, tls: ssl.SSLSocket, silent: float):
        self.tls, self.silent, self.using = tls, silent, threading.Lock()
        tls.setblocking(False)

    def receive(self) -> bytes:
        """Empty if the other side has closed the connection."""
        return self._use(partial(self.tls.recv, 1 << 16))

    def send(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._use(partial(self.tls.send, rest)) :]

    def _use(self, work: Callable[[], _Result]) -> _Result:
        """Raises TimeoutError after `silent` seconds, and other kinds of OSError if the connection is lost."""
        while True:
            with self.using:
                try:
                    return work()
                except ssl.SSLWantReadError:
                    wanted = select.POLLIN
                except ssl.SSLWantWriteError:
                    wanted = select.POLLOUT
            poll = select.poll()
            poll.register(self.tls, wanted)
            if not poll.poll(self.silent * 1000):
                raise TimeoutError(f"The connection was silent for {self.silent:.0f} seconds.")

    def close(self) -> None:
        with self.using:
            try:
                # Sends close_notify, so that the other side detects no truncation. Its own close_notify is not awaited.
                self.tls.unwrap()
            except (OSError, ValueError):
                pass
            finally:
                self.tls.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_) -> None:
        self.close()
