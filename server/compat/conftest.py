# The product as its users meet it: the real process, on a free port, with an empty home, stopped at the end.
import os
import re
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import openai
import pytest
import requests

ADMIN_KEY = "operator-key-of-these-tests"
COMMAND = Path(__file__).resolve().parents[2] / "lorekeep"


@dataclass
class Product:
    url: str
    pid: int
    key: str = ADMIN_KEY

    def call(self, method: str, path: str, key: str | None = None, **options) -> requests.Response:
        headers = {"Authorization": f"Bearer {key or self.key}", **options.pop("headers", {})}
        return requests.request(method, self.url + path, headers=headers, timeout=120, **options)

    def upload(self, content: bytes, name: str = "rows.jsonl", **fields: str) -> requests.Response:
        return self.call("POST", "/v1/datasets", data=fields, files={"file": (name, content)})

    def rows(self, dataset_id: str) -> list[dict]:
        answer = self.call("GET", f"/v1/datasets/{dataset_id}/download")
        assert answer.status_code == 200, answer.text
        # Only the line feed ends a row: text may hold what Python also takes for the end of a line.
        return [requests.models.complexjson.loads(line) for line in answer.text.split("\n")[:-1]]

    def member(self, name: str, limits: dict | None = None) -> str:
        """A key of a new account."""
        account = self.call("POST", "/v1/accounts", json={"name": name, "limits": limits}).json()
        key = self.call(
            "POST", "/v1/keys", json={"name": f"key of {name}", "account_id": account["id"]}
        ).json()
        return key["key"]

    @contextmanager
    def grows_at_most(self, allowed: int) -> Iterator[None]:
        """Holds the process to a growth of its memory, whatever the tests before have left in it."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")  # the peak counts from now on
        before = self._memory("VmRSS")
        yield
        assert self._memory("VmHWM") - before < allowed

    def _memory(self, figure: str) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"{figure}:\s+(\d+) kB", status)[1]) * 1024


@contextmanager
def running(home: str, *settings: str) -> Iterator[Product]:
    # Settings of whoever runs the tests are not the tests' business.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LOREKEEP_")}
    environment |= {"LOREKEEP_ADMIN_KEY": ADMIN_KEY, "LOREKEEP_LOG_LEVEL": "error"}
    # Clients are shown what the shipped base says, of which other tests read two layers (engine/lorekeep/testing_models.py).
    environment["LOREKEEP_TEST_WHOLE_BASE"] = "1"
    # A hub that refuses at once, for tests that bring none.
    environment |= {"LOREKEEP_HUB_URL": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}
    process = subprocess.Popen(
        [COMMAND, "up", "--home", home, "--port", "0", *settings],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        for line in process.stdout:
            if address := re.search(r"ready at (http://\S+)", line):
                break
        else:
            raise AssertionError(f"the product ended with {process.wait()} before it was ready")
        # Somebody has to read on: a process whose log nobody takes stands still.
        threading.Thread(target=lambda: deque(process.stdout, maxlen=0), daemon=True).start()
        yield Product(address[1], process.pid)
    finally:
        process.terminate()
        try:
            assert process.wait(15) == 0, "the product did not stop cleanly"
        finally:
            process.kill()


@pytest.fixture(scope="session")
def product() -> Iterator[Product]:
    with tempfile.TemporaryDirectory(prefix="lorekeep-clients-") as home, running(home) as started:
        yield started


@pytest.fixture(scope="session")
def asked(product) -> Product:
    """The product with an engine that can be asked: on a busy machine a start takes longer than a caller is kept waiting."""
    question = {"model_name": "lorekeep/quill", "prompt": "a", "max_tokens": 1}
    for _ in range(600):
        if product.call("POST", "/v1/completions", json=question).status_code == 200:
            return product
        time.sleep(0.1)
    raise AssertionError("the engine did not start")


@pytest.fixture(scope="module", params=["v1", "inf"])
def client(asked, request) -> openai.OpenAI:
    return openai.OpenAI(api_key=asked.key, base_url=f"{asked.url}/{request.param}", max_retries=0)
