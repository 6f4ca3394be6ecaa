"""A model hub for tests: serves the folders `org/name` below a root over the protocol that huggingface_hub
speaks. `org/name.json` sets the behaviour of a repository and is read at every request; `requests.jsonl` logs
the requests. Large files come from a second address, as on the public hub. It uses the standard library only:
`python testing_hub.py ROOT` prints its address and serves until its input ends."""

import hashlib
import json
import re
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class Behaviour:
    commit: str = "a" * 40
    gone: list[str] = field(default_factory=list)  # commits that no longer exist
    token: str | None = None  # private: not found without it
    gated: str | None = None  # the list is public, the files need this token
    disabled: bool = False
    status: int | None = None  # of every answer
    hashes: bool = True  # false: the list has names only, as on some mirrors
    wrong: dict[str, int] = field(default_factory=dict)  # how many times a file has wrong content
    cut: int | None = None  # every answer breaks off after this many bytes
    pause: float = 0.0  # seconds before every 64 KiB
    ranges: bool = True
    sizes: dict[str, int] = field(default_factory=dict)  # reported instead of the real ones
    more: list[str] = field(default_factory=list)  # additional names in the list


def behave(root: Path, name: str, **behaviour) -> None:
    (root / f"{name}.json").write_text(json.dumps(asdict(Behaviour(**behaviour))))


def requests(root: Path) -> list[dict]:
    log = root / "requests.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


class TestingHub:
    __test__ = False  # not a suite of pytest

    def __init__(self, root: Path):
        self.root, self.lock, self.sent_wrong = root, threading.Lock(), {}
        self.servers = [_Server(("127.0.0.1", 0), _handler(self, cdn)) for cdn in (False, True)]
        self.url, self.cdn = (f"http://127.0.0.1:{server.server_address[1]}" for server in self.servers)
        for server in self.servers:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def log(self, **said) -> None:
        with self.lock, open(self.root / "requests.jsonl", "a") as file:
            file.write(json.dumps(said) + "\n")

    def behaviour(self, name: str) -> Behaviour:
        path = self.root / f"{name}.json"
        return Behaviour(**json.loads(path.read_text())) if path.exists() else Behaviour()

    def content(self, name: str, path: str, behaviour: Behaviour) -> bytes:
        content = (self.root / name / path).read_bytes()
        with self.lock:
            sent = self.sent_wrong.get((name, path), 0)
            if sent < behaviour.wrong.get(path, 0):
                self.sent_wrong[name, path] = sent + 1
                return content[:-1] + bytes([content[-1] ^ 1])
        return content


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Clients of these tests may disconnect at any time."""


def _handler(hub: TestingHub, cdn: bool):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self.answer(body=False)

        def do_GET(self):
            self.answer(body=True)

        def answer(self, body: bool):
            self.path = unquote(urlsplit(self.path).path)
            hub.log(
                method=self.command,
                path=self.path,
                cdn=cdn,
                range=self.headers["Range"],
                token=self.headers["Authorization"],
            )
            if found := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/(\w+))?", self.path):
                self.listing(*found.groups())
            elif found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/(\w+)/(.+)", self.path):
                self.file(found[1], found[2], found[3], body)
            else:
                self.refuse(404, "EntryNotFound")

        def may(self, name: str, key: str | None) -> bool:
            return key is None or self.headers["Authorization"] == f"Bearer {key}"

        def found(self, name: str, commit: str | None) -> Behaviour | None:
            behaviour = hub.behaviour(name)
            if behaviour.status:
                self.refuse(behaviour.status)
            elif behaviour.disabled:
                self.refuse(403, message="Access to this resource is disabled.")
            elif not (hub.root / name).is_dir() or not (cdn or self.may(name, behaviour.token)):
                # As on the public hub: without a token, private and missing repositories look the same.
                self.refuse(404 if self.headers["Authorization"] else 401, "RepoNotFound")
            elif commit in behaviour.gone:
                self.refuse(404, "RevisionNotFound")
            else:
                return behaviour
            return None

        def listing(self, name: str, commit: str | None):
            behaviour = self.found(name, commit)
            if not behaviour:
                return
            folder = hub.root / name
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            siblings = [_sibling(path, path.relative_to(folder).as_posix(), behaviour) for path in files]
            siblings += [
                {
                    "rfilename": path,
                    "size": 5,
                    "blobId": "b" * 40,
                    "lfs": {"sha256": "c" * 64, "size": 5, "pointerSize": 100},
                }
                for path in behaviour.more
            ]
            said = {
                "id": name,
                "sha": commit or behaviour.commit,
                "private": bool(behaviour.token),
                "gated": bool(behaviour.gated),
                "siblings": siblings,
            }
            self.send(200, json.dumps(said).encode(), {"Content-Type": "application/json"}, Behaviour())

        def file(self, name: str, commit: str, path: str, body: bool):
            behaviour = self.found(name, commit)
            if not behaviour:
                return
            if not (cdn or self.may(name, behaviour.gated)):
                self.refuse(403 if self.headers["Authorization"] else 401, "GatedRepo")
                return
            if not (hub.root / name / path).is_file():
                self.refuse(404, "EntryNotFound")
                return
            sibling = _sibling(hub.root / name / path, path, Behaviour())
            head = {"X-Repo-Commit": commit, "Accept-Ranges": "bytes"}
            if sibling.get("lfs") and not cdn:
                head |= {
                    "X-Linked-Size": str(sibling["size"]),
                    "X-Linked-ETag": f'"{sibling["lfs"]["sha256"]}"',
                }
                self.send(302, b"", {**head, "Location": hub.cdn + self.path}, Behaviour())
                return
            content = hub.content(name, path, behaviour if body else Behaviour())
            head["ETag"] = f'"{sibling["blobId"]}"'
            status, asked = 200, re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
            if asked and behaviour.ranges:
                start = int(asked[1])
                head["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
                status, content = 206, content[start:]
            self.send(status, content, head, behaviour, body)

        def refuse(self, status: int, code: str | None = None, message: str = "refused"):
            head = {"X-Error-Message": message, **({"X-Error-Code": code} if code else {})}
            self.send(status, json.dumps({"error": message}).encode(), head, Behaviour())

        def send(self, status: int, content: bytes, head: dict, behaviour: Behaviour, body: bool = True):
            self.send_response(status)
            for name, value in {**head, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            if not body or self.command == "HEAD":
                return
            end = len(content) if behaviour.cut is None else min(behaviour.cut, len(content))
            try:
                for at in range(0, end, 1 << 16):
                    time.sleep(behaviour.pause)
                    self.wfile.write(content[at : min(at + (1 << 16), end)])
                if end < len(content):
                    self.wfile.flush()
                    self.close_connection = True
            except OSError:
                self.close_connection = True

    return Handler


def _sibling(file: Path, path: str, behaviour: Behaviour) -> dict:
    if not behaviour.hashes:
        return {"rfilename": path}
    content = file.read_bytes()
    size = behaviour.sizes.get(path, len(content))
    blob = hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()
    said = {"rfilename": path, "size": size, "blobId": blob}
    if path.endswith((".safetensors", ".bin")):
        said["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": size, "pointerSize": 130}
    return said


if __name__ == "__main__":
    print(TestingHub(Path(sys.argv[1])).url, flush=True)
    sys.stdin.read()
